"""One question over the columns of Compare, without a browser: what the server hears, ranks, judges and keeps."""

import re
from itertools import count

import numpy as np
import pytest

from chunkers import Document, build_chunker
from chunkers.support.errors import ModelError
from evaluation.questions.corpus_ranges_and_rulers import Corpus
from evaluation.questions.question_files import read_questions
from evaluation.retrieval import Limit
from evaluation.retrieval.asked_question import MOST_QUESTION_CHARACTERS
from evaluation.search.ranking import Reranker
from sample_docs import load_sample
from tests.support import LIMIT, ended
from tests.viz.app_steps import box_of, choose_document, remarks, sent, settled, tell
from viz.components.browser_exchange import code_point_offsets_from_utf16, utf16_offsets
from viz.jobs.background_jobs import run_registry
from viz.jobs.retrieval import Retrieval
from viz.state.choices import MOST_COLUMNS
from viz.state.question_settings import AUTO_LIMIT_OPTION, retrieval_limit_options

moments = count(1)


def say(app, question, **others):
    """Let the browser say something of the question."""
    moment = next(moments)
    app.session_state["store_asked"] = {"asked": {"question": question, "moment": moment, **others}}
    return app.run()


def answer_of(app):
    """Return the browser's data on the question."""
    for part in app.get("bidi_component"):
        if '"remedies":' in part.proto.json:
            return sent(app, "remedies")
    raise AssertionError("nothing is told of a question")


def ask(app, question, **others):
    """Ask a question, and wait for its answer as the browser does."""
    say(app, question, **others)
    while answer_of(app)["state"] == "working":
        app.session_state["ask_job"].join(LIMIT)
        say(app, "", again=True)
    assert not app.exception
    return answer_of(app)


@pytest.fixture
def compare(app):
    """Return Compare on the stubs, with all columns done and a budget that ends in the text."""
    app.query_params["ask_limit"] = "50"
    return settled(app)


def mark(app, answer):
    """Mark where a text first occurs as the answer; the browser counts in UTF-16 units."""
    text = app.session_state["split_document"].text
    start = text.index(answer)
    start, end = utf16_offsets(text, [start, start + len(answer)])
    tell(app, "reader", "answer", start=start, end=end)
    return answer_of(app)


def test_every_column_says_what_it_retrieves_and_where_the_budget_ends(compare):
    reply = ask(compare, "How often does the comet return?")
    assert reply["state"] == "done"
    assert len(reply["found"]) == 3
    texts = [load_sample("stubs").text] * 3
    for retrieved, text in zip(reply["found"], texts, strict=True):
        assert retrieved["tokens"] <= 50
        assert len(retrieved["chunks"]) == len(retrieved["scores"]) == len(retrieved["said"])
        assert retrieved["said"][0] == f"cosine {retrieved['scores'][0]}"
        assert retrieved["cut"] is None or 0 < retrieved["cut"] < len(text)
    assert [retrieved is not None for retrieved in reply["found"]] == [bool(digest) for digest in reply["hashes"]]


def test_nothing_is_asked_until_it_is_and_cleared_when_it_is_not_any_more(compare):
    assert answer_of(compare)["state"] == "nothing"
    ask(compare, "comet")
    say(compare, None)
    assert answer_of(compare)["state"] == "nothing"
    assert compare.session_state["question"] == ""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("", "at least one word"),
        ("   ", "at least one word"),
        ("a" * 10_000, f"at most {MOST_QUESTION_CHARACTERS:,} characters"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(compare, question, said):
    reply = ask(compare, question)
    assert reply["state"] == "failed"
    assert said in reply["said"]
    assert reply["found"] == [None, None, None]


def test_how_it_is_asked_is_in_the_link_and_the_question_is_not(compare):
    ask(compare, "a question of my own")
    tell(compare, "reader", "asking", ask="hybrid", ask_limit="top3")
    reply = ask(compare, "a question of my own")
    assert [len(retrieved["chunks"]) for retrieved in reply["found"]] == [3, 3, 3]
    assert all("BM25" in remark and "cosine" in remark for retrieved in reply["found"] for remark in retrieved["said"])
    query = dict(compare.query_params)
    assert (query["ask"], query["ask_limit"]) == ("hybrid", "top3")
    assert not any("question" in word for word in query.values())


def test_a_link_with_another_word_says_so_and_takes_the_default(app):
    app.query_params["ask"], app.query_params["ask_limit"] = "magic", "<b>"
    settled(app)
    choices = app.session_state["choices"]["compare"]
    assert choices.extra == {"ask": "embedding", "ask_limit": "fitting"}
    told = "".join(part.proto.json for part in app.get("bidi_component"))
    assert "The link's ask must be one of embedding, bm25, hybrid; got 'magic'." in told


@pytest.mark.parametrize(("characters", "tokens"), [(10, 50), (1_055, 50), (1_600, 100), (7_999, 250), (75_000, 500)])
def test_the_first_budget_suits_the_text(characters, tokens):
    word, (name, limit) = next(iter(retrieval_limit_options(characters).items()))
    assert (word, name, limit) == (AUTO_LIMIT_OPTION, f"auto: {tokens} tokens", Limit(budget=tokens))


def test_a_budget_above_the_text_says_that_it_holds_all_of_it(app):
    app.query_params["ask_limit"] = "500"
    settled(app)
    assert ask(app, "comet")["said"] == "500 tokens hold all of this text; choose less to see what comes first"


def test_an_answer_is_judged_in_every_column_and_kept_for_retrieval(compare):
    ask(compare, "How often does the comet return?")
    reply = mark(compare, "returns to the inner solar system about every seventy-six years")
    assert [retrieved["fate"]["good"] for retrieved in reply["found"]] == [True, True, True]
    assert all(retrieved["fate"]["words"] == "answer whole in" for retrieved in reply["found"])
    # Over a seam of every column: each says its own reason.
    seam = mark(compare, "keep the loaf fresh for longer.\nHalley")
    assert {retrieved["fate"]["words"] for retrieved in seam["found"]} == {"answer split in 2:"}
    assert len({retrieved["fate"]["why"] for retrieved in seam["found"]}) == 3
    (kept,) = compare.session_state["questions"]
    assert kept.question == "How often does the comet return?"
    next(control for control in compare.segmented_control if control.key == "below").set_value("Questions").run()
    assert any(kept.question in remark for remark in remarks(compare))
    data = asking_file(compare)
    corpus = Corpus((Document.from_text(load_sample("stubs").text, "lines", kept.document),))
    read = read_questions(data, "questions.csv", corpus)
    assert not read.problems
    span = read.usable[0].excerpts[0].span
    assert corpus.documents[0].text[span.start : span.end] == kept.answer


def asking_file(app):
    from evaluation.questions.questions_with_documents import marked_questions_to_csv

    assert any(button.label == "Questions, CSV" for button in app.get("download_button"))
    return marked_questions_to_csv(app.session_state["questions"]).encode()


def test_kept_questions_are_removed_and_asked_again(compare):
    ask(compare, "comet")
    mark(compare, "Halley")
    ask(compare, "bread")
    assert answer_of(compare)["answer"] is None
    next(control for control in compare.segmented_control if control.key == "below").set_value("Questions").run()
    next(button for button in compare.button if button.key == "question_ask_0").click().run()
    assert compare.session_state["question"] == "comet"
    assert answer_of(compare)["answer"] is not None
    next(button for button in compare.button if button.key == "question_remove_0").click().run()
    assert compare.session_state["questions"] == []
    assert answer_of(compare)["answer"] is None


def test_kept_questions_are_measured_on_retrieval_with_their_texts(compare):
    ask(compare, "comet")
    mark(compare, "Halley")
    choose_document(compare, "three_topics")
    settled(compare)
    ask(compare, "anything")
    text = compare.session_state["split_document"].text
    mark(compare, text[:40].rpartition(" ")[0])
    next(control for control in compare.segmented_control if control.key == "below").set_value("Questions").run()
    assert "2 questions about 2 texts, kept as long as this tab is open." in remarks(compare)
    next(button for button in compare.button if button.key == "questions_measure").click().run()
    assert not compare.exception
    assert compare.title[0].value == "Retrieval"
    assert "2 questions about 2 documents, kept on Compare." in remarks(compare)
    compare.session_state["choices"]["retrieval"].embedder = "tfidf"
    compare.run()
    next(button for button in compare.button if button.label == "Run").click().run()
    run = ended(run_registry().find(compare.session_state["choices"]["retrieval"].extra["run"], Retrieval))
    assert not run.error
    assert [name for name, _ in run.plan.material.texts] == [
        load_sample(sample).title for sample in ("stubs", "three_topics")
    ]
    assert [question.text for question in run.questions.usable] == ["comet", "anything"]
    assert not run.questions.problems
    # Files take their place, and bundled documents are a click away.
    next(button for button in compare.button if button.key == "retrieval_files").click().run()
    assert compare.session_state["given_questions"] is None
    assert [uploader.label for uploader in compare.get("file_uploader")] == ["Traces", "Documents", "Questions"]


def test_texts_of_kept_questions_are_kept_as_long_as_these_and_up_to_a_limit(compare, monkeypatch):
    ask(compare, "comet")
    mark(compare, "Halley")
    assert [source.name for source in compare.session_state["question_texts"].values()] == [load_sample("stubs").title]
    monkeypatch.setattr("viz.compare.questions.question_search.MOST_STORED_TEXT_CHARACTERS", 10)
    ask(compare, "bread")
    assert "may have at most 10 characters together" in mark(compare, "loaf")["said"]
    assert len(compare.session_state["questions"]) == 1
    next(control for control in compare.segmented_control if control.key == "below").set_value("Questions").run()
    next(button for button in compare.button if button.key == "question_remove_0").click().run()
    assert compare.session_state["question_texts"] == {}


def test_an_answer_that_is_none_is_a_sentence_and_keeps_nothing(compare):
    ask(compare, "comet")
    tell(compare, "reader", "answer", start=5, end=5)
    assert "must lie within the text" in answer_of(compare)["said"]
    assert not compare.session_state["questions"]


def test_another_text_takes_the_mark_away_and_asks_it_the_question(compare):
    ask(compare, "comet")
    mark(compare, "Halley")
    choose_document(compare, "three_topics")
    settled(compare)
    reply = ask(compare, "comet")
    assert reply["answer"] is None
    assert reply["state"] == "done"


def test_without_an_embedder_words_alone_rank_and_the_page_says_so(compare, monkeypatch):
    missing = "no model: it must be there; it is not."
    monkeypatch.setattr("viz.shell.page.chosen_embedder", lambda choices: (None, missing))
    reply = ask(compare, "comet")
    assert reply["said"] == f"Ranked by words (BM25) alone: {missing}"
    # Fixed sentences embed nothing; the other columns have no chunks.
    assert reply["found"][0]["said"][0].startswith("BM25")
    assert reply["found"][1:] == [None, None]


def test_a_model_that_fails_is_a_sentence_and_words_still_rank(compare, monkeypatch):
    def fail(*_):
        raise ModelError("The model must be readable; it is not.")

    monkeypatch.setattr("evaluation.search.index.embed_texts", fail)
    reply = ask(compare, "a question that nobody has asked")
    assert (reply["state"], reply["said"]) == ("failed", "The model must be readable; it is not.")
    tell(compare, "reader", "asking", ask="bm25", ask_limit="50")
    assert ask(compare, "comet")["state"] == "done"


@pytest.mark.parametrize(
    "text",
    [
        "<b>x</b> & \\u0000 ](javascript:1)",
        "潮水每天涨两次。面包需要盐。",
        "يأتي المد مرتين في اليوم. الخبز يحتاج إلى الملح.",
    ],
)
def test_any_text_and_any_question(app, text):
    app.run()
    box_of(app).set_value(f"{text}\n\nAnother 😀 line of it.").run()
    settled(app)
    tell(app, "reader", "asking", ask="hybrid", ask_limit="top1")
    reply = ask(app, text)
    assert reply["state"] == "done"
    assert all(retrieved["chunks"] for retrieved in reply["found"])
    assert app.session_state["question"] == text


def test_places_are_converted_there_and_back():
    text = "a😀b😀c"
    for place in range(len(text) + 1):
        assert code_point_offsets_from_utf16(text, utf16_offsets(text, [place])) == [place]
    # Between the two units of a character.
    assert code_point_offsets_from_utf16(text, [2]) == [1]
    assert code_point_offsets_from_utf16("abc", [2]) == [2]


def test_a_cross_encoder_that_is_named_orders_the_best_and_a_wrong_folder_is_a_sentence(compare, monkeypatch):
    next(control for control in compare.segmented_control if control.key == "below").set_value("Questions").run()
    box = next(field for field in compare.text_input if field.key == "ask_reranker")
    box.set_value("/no/such/folder").run()
    reply = ask(compare, "comet")
    assert (reply["state"], reply["said"]) == (
        "failed",
        "/no/such/folder: a cross-encoder must be a folder on this machine; this folder does not exist. Check its path.",
    )
    # One that prefers the shorter text.
    monkeypatch.setattr(Reranker, "scores", lambda self, question, texts: np.array([-len(text) for text in texts], float))
    tell(compare, "reader", "asking", ask="hybrid", ask_limit="top3")
    reply = ask(compare, "comet ")
    for number, retrieved in enumerate(reply["found"]):
        lengths = [len(chunk.text) for chunk in compare.session_state["ask_job"].columns[number][2].chunks]
        assert [lengths[chunk] for chunk in retrieved["chunks"]] == sorted(lengths)[:3]
        assert retrieved["said"][0].startswith("cross-encoder −")
    assert not any("folder" in word for word in dict(compare.query_params).values())


SPLIT = "pushed by light and the solar wind.\nBinary search."


def searched(app):
    """Wait until the search for changes has ended, as the browser does; return what it found for every column."""
    while any(remedy is not None and remedy["state"] == "looking" for remedy in answer_of(app)["remedies"]):
        app.session_state["remedy_job"].join(LIMIT)
        say(app, "", again=True)
    assert not app.exception
    return answer_of(app)["remedies"]


@pytest.fixture
def split(app):
    """Return Compare on the stubs, where a question's answer is split in the second and third column."""
    app.query_params["ask_limit"] = "100"
    settled(app)
    ask(app, "How often does the comet return?")
    mark(app, SPLIT)
    return app


def test_a_change_that_keeps_the_answer_whole_becomes_a_column_with_one_press(split):
    remedies = searched(split)
    assert (
        [remedy is None for remedy in remedies]
        == [retrieved["fate"]["good"] for retrieved in answer_of(split)["found"]]
        == [True, False, False]
    )
    number, line = next((number, line) for number, remedy in enumerate(remedies) if remedy for line in remedy["lines"])
    assert line["column"] is None
    assert "chunks of ~" in line["said"][0]
    assert line["said"][1].startswith("boundaries 3")
    tell(split, "reader", "remedy", setting=line["setting"])
    settled(split)
    column = split.session_state["choices"]["compare"].columns[3]
    name, _, parameters = line["setting"].partition(" ")
    chunker = build_chunker(column.chunker, column.parameters)
    assert (chunker.name, chunker.model_dump_json()) == (name, parameters)
    ask(split, "How often does the comet return?")
    assert answer_of(split)["found"][3]["fate"]["good"]
    # What was found is not looked for again, and says where it is.
    again = searched(split)[number]
    assert [change["setting"] for change in again["lines"]] == [change["setting"] for change in remedies[number]["lines"]]
    assert again["lines"][0]["column"] == 3
    # Another press adds nothing, and the last addition can be undone.
    undo = next(button for button in split.button if button.label == "Undo")
    undo.click().run()
    assert len(split.session_state["choices"]["compare"].columns) == 3


def test_what_a_change_does_to_other_kept_questions_is_said(split):
    ask(split, "What raises the bread?")
    mark(split, "Sourdough")
    ask(split, "How often does the comet return?")
    mark(split, SPLIT)
    lines = [line for remedy in searched(split) if remedy for line in remedy["lines"]]
    assert lines
    assert all(re.fullmatch(r"1 other question: (unchanged|1 won|1 lost)", line["said"][2]) for line in lines)


def test_a_full_page_of_columns_has_no_room_for_a_change(split):
    remedies = searched(split)
    line = next(line for remedy in remedies if remedy for line in remedy["lines"])
    columns = split.session_state["choices"]["compare"].columns
    columns += [columns[0].copy() for _ in range(MOST_COLUMNS - len(columns))]
    settled(split)
    ask(split, "How often does the comet return?")
    assert all(remedy["full"] for remedy in searched(split) if remedy)
    tell(split, "reader", "remedy", setting=line["setting"])
    assert len(split.session_state["choices"]["compare"].columns) == MOST_COLUMNS
    assert not split.exception


@pytest.mark.parametrize("word", ["no such key", "", None])
def test_an_unknown_change_adds_nothing(split, word):
    searched(split)
    tell(split, "reader", "remedy", setting=word)
    assert len(split.session_state["choices"]["compare"].columns) == 3
    assert not split.exception


def test_a_search_waits_to_be_wanted_in_a_long_text_and_stops_when_told_to(split, monkeypatch):
    searched(split)
    monkeypatch.setattr("viz.shell.remedy_payload_and_columns.LONGEST", 10)
    remedies = mark(split, "keep the loaf fresh for longer.\nHalley")["remedies"]
    assert {remedy["state"] for remedy in remedies} == {"offered"}
    say(split, "How often does the comet return?", search=True)
    assert {remedy["state"] for remedy in searched(split)} == {"done"}
    mark(split, SPLIT)
    say(split, "How often does the comet return?", search=True)
    split.session_state["remedy_job"].cancel()
    ended(split.session_state["remedy_job"])
    say(split, "How often does the comet return?", search=False)
    stopped = [remedy for remedy in answer_of(split)["remedies"] if remedy and remedy["state"] != "done"]
    assert all((remedy["state"], remedy["said"]) == ("offered", "Stopped.") for remedy in stopped)
    say(split, "How often does the comet return?", search=True)
    assert {remedy["state"] for remedy in searched(split) if remedy} == {"done"}


def test_where_nothing_helps_the_settings_are_counted(compare):
    ask(compare, "How often does the comet return?")
    # The answer has more tokens than the budget.
    text = compare.session_state["split_document"].text
    mark(compare, text[: len(text) // 2])
    for remedy in searched(compare):
        assert remedy["lines"] == []
        assert re.fullmatch(r"None of \d\d tried settings keeps it whole\.", remedy["said"])


def test_the_way_to_other_texts_is_tune(split):
    searched(split)
    tell(split, "reader", "remedy", tune=True)
    assert split.title[0].value == "Tune"
