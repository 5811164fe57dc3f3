"""Page zero of the Guide: every figure of its pictures is the library's, for whatever text, and every word is explained."""

import pytest

from chunkers import CHUNKERS, Document, Span, build_chunker, load_tokenizer
from chunkers.contract.base import run_and_time_chunker
from evaluation.retrieval import Limit
from evaluation.retrieval.asked_question import build_search_index_of_text, retrieve_for_question
from tests.support import AngleEmbedder, tools
from tests.viz.app_steps import choose_document, press, sent, settled
from viz.guide import introduction
from viz.guide.introduction import (
    DEFAULT_QUESTION,
    LEAST_CHUNKS_FOR_TWO_RESULTS,
    answer_picture_data,
    chunk_picture_data,
    first_tokens,
    ranking_picture_data,
    text_and_tokens_picture_data,
)
from viz.guide.page import CHUNKER_ADVICE_ROWS
from viz.jobs.question_preview_context_jobs import token_ruler_of_document
from viz.state.choices import new_default_column
from viz.theme.glossary import TERMS_BY_GLOSSARY_PART, split_at_glossary_terms

TEXTS = {
    "six": "0 a\n10 b\n80 c\n90 d\n170 e\n180 f\n",
    "one": "0 a\n",
    "long": "".join(f"{angle} word{angle}\n" for angle in range(0, 180, 3)),
}


def asked_of(chunking, question, top=1):
    with_angles = tools(AngleEmbedder())
    ruler = token_ruler_of_document(chunking.document, "words")
    return retrieve_for_question(
        build_search_index_of_text(chunking, with_angles, "embedding"), question, with_angles, Limit(top=top), ruler
    )


def words_of(picture):
    return " ".join("".join(piece["text"] for piece in pieces) for pieces in picture["said"])


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("size", [1, 2])
def test_every_figure_is_the_librarys(name, size):
    document = Document.from_text(TEXTS[name], "lines")
    kind = CHUNKERS["fixed_sentences"]
    chunking = run_and_time_chunker(build_chunker("fixed_sentences", {"size": size}), document, tools())
    words = load_tokenizer("words")
    text, chunks = (
        text_and_tokens_picture_data(document, chunking, "words"),
        chunk_picture_data(document, chunking, kind, "words"),
    )
    count = len(document.sentences)
    assert f"this text has {sum(words.count([document.text])):,}, in {count} sentence" in words_of(text)
    assert [token["text"] for token in text["tokens"]] == document.text.split()[:2] or text["before"]
    longest = max(words.count(list(chunking.texts)))
    assert f"makes {len(chunking)} chunk" in words_of(chunks)
    assert f"of at most {longest} token" in words_of(chunks)
    for shown in (text, chunks):
        numbers = [int(row["label"]) - 1 for row in shown["rows"]]
        rows = ["".join(part["text"] for part in row["parts"]) for row in shown["rows"]]
        assert rows == [document.sentence_texts[number] for number in numbers]
    # A seam wherever a chunk begins, and nowhere else.
    starts = {chunk.start for chunk in chunking}
    cut = [gap["cut"] for gap in chunks["gaps"]]
    assert cut == [document.sentences[int(row["label"]) - 1].start in starts for row in chunks["rows"][1:]]


@pytest.mark.parametrize("angle", [0, 85, 175])
def test_the_ranking_is_the_questions(angle):
    document = Document.from_text(TEXTS["six"], "lines")
    chunking = run_and_time_chunker(build_chunker("fixed_sentences", {"size": 1}), document, tools())
    asked = asked_of(chunking, f"{angle} question")
    shown = ranking_picture_data(asked)
    order = [int(number) for number in asked.ranking.order]
    assert [rank["chunk"] for rank in shown["ranks"]] == order[:4]
    assert [rank["said"] for rank in shown["ranks"]] == [f"distance {1 - score:.2f}" for score in asked.ranking.scores[:4]]
    shares = [rank["share"] for rank in shown["ranks"]]
    assert shares == sorted(shares)
    assert shown["after"] == "and 2 chunks farther away"
    begins = ", ".join(f"{value:.2f}".replace("-", "−") for value in asked.index.vectors[order[0]][:3])
    assert f"Those of chunk {order[0] + 1} begin {begins}." in words_of(shown)


@pytest.mark.parametrize(
    ("size", "answer", "said", "marked"),
    [
        (2, Span(4, 8), "is whole in chunk 1", "10 b"),
        (1, Span(0, 8), "has cut the answer, marked, into 2 parts", "0 a"),
        (2, Span(24, 29), "They lack the answer, which is in chunk 3, number 3 in the ranking", ""),
    ],
)
def test_the_answer_is_marked_where_it_is(size, answer, said, marked):
    document = Document.from_text(TEXTS["six"], "lines")
    chunking = run_and_time_chunker(build_chunker("fixed_sentences", {"size": size}), document, tools())
    shown = answer_picture_data(asked_of(chunking, "0 question"), answer, None)
    assert said in words_of(shown)
    parts = [part for row in shown["rows"] for part in row["parts"]]
    assert "".join(part["text"] for part in parts if part["marked"]) == marked


def test_without_a_known_answer_the_nearest_sentence_of_the_chunk_is_marked():
    document = Document.from_text(TEXTS["six"], "lines")
    chunks = run_and_time_chunker(build_chunker("fixed_sentences", {"size": 3}), document, tools())
    sentences = run_and_time_chunker(build_chunker("fixed_sentences", {"size": 1}), document, tools())
    question = "12 question"
    shown = answer_picture_data(asked_of(chunks, question), None, asked_of(sentences, question))
    assert ["".join(part["text"] for part in row["parts"] if part["marked"]) for row in shown["rows"]] == ["", "10 b", ""]


def test_a_sentence_that_is_cut_is_shown_in_its_parts():
    document = Document.from_text("one two three four five six seven\n", "lines")
    chunking = run_and_time_chunker(build_chunker("fixed_words", {"size": 3, "overlap": 0}), document, tools())
    (row,) = chunk_picture_data(document, chunking, CHUNKERS["fixed_words"], "words")["rows"]
    assert [(part["text"].strip(), part["chunks"]) for part in row["parts"] if part["text"].strip()] == [
        ("one two three", [0]),
        ("four five six", [1]),
        ("seven", [2]),
    ]


def test_tokens_are_those_of_the_tokenizer():
    text = "Sourdough rises unbelievably slowly."
    starts = load_tokenizer("all-MiniLM-L6-v2").starts(text).tolist()
    assert first_tokens(text, "all-MiniLM-L6-v2") == [
        text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)
    ]


def test_a_word_that_is_not_in_the_glossary_cannot_be_marked():
    assert split_at_glossary_terms("Two [chunks].")[1] == {
        "text": "chunks",
        "about": TERMS_BY_GLOSSARY_PART["Texts and chunkers"]["Chunk"],
    }
    with pytest.raises(KeyError):
        split_at_glossary_terms("A [wombat].")


def test_the_guide_opens_with_four_pictures_and_takes_a_question(app):
    app.query_params["embedder"] = "tfidf"
    app.switch_page("pages/guide.py")
    settled(app)
    pictures = sent(app, "pictures")["pictures"]
    assert [picture["title"] for picture in pictures] == ["A text", "Chunks", "A question finds chunks", "An answer"]
    # Chunk, embedding, distance and token are marked as words of the glossary, each once.
    terms = [
        piece["text"].lower() for picture in pictures for pieces in picture["said"] for piece in pieces if piece["about"]
    ]
    assert len(set(terms)) == len(terms)
    assert {"tokens", "chunks", "embedding", "distance", "retrieval"} <= set(terms)
    assert pictures[2]["ranks"]
    assert any(part["marked"] for row in pictures[3]["rows"] for part in row["parts"])
    app.session_state["guide_start"] = {"asked": {"question": "What does the comet do?", "at": 1}}
    app.run()
    app.session_state["guide_question"] = (app.session_state["split_document"].identity, "How often does the comet return?")
    settled(app)
    asked = sent(app, "pictures")["pictures"]
    assert asked[2]["ask"]["question"] == "How often does the comet return?"
    assert asked[2]["ranks"] != pictures[2]["ranks"]
    assert "question" not in str(dict(app.query_params))
    app.session_state["guide_question"] = (app.session_state["split_document"].identity, "  ")
    settled(app)
    assert "at least one word" in sent(app, "pictures")["pictures"][2]["ask"]["complaint"]


def test_a_long_text_is_embedded_only_after_the_click_and_another_text_or_embedder_needs_its_own(app, monkeypatch):
    monkeypatch.setattr(introduction, "MOST_CHARACTERS_EMBEDDED_UNASKED", 10)
    app.query_params["embedder"] = "tfidf"
    app.switch_page("pages/guide.py")
    settled(app)
    ranking = sent(app, "pictures")["pictures"][2]
    assert not ranking["ranks"]
    assert "embeds them all" in str(ranking["waits"])
    press(app, "Find nearest chunks")
    settled(app)
    assert sent(app, "pictures")["pictures"][2]["ranks"]
    assert "Find nearest chunks" not in [button.label for button in app.button]
    app.session_state["choices"]["guide"].embedder = "all-MiniLM-L6-v2"
    settled(app)
    assert "Find nearest chunks" in [button.label for button in app.button]
    app.session_state["choices"]["guide"].embedder = "tfidf"
    settled(app)
    assert "Find nearest chunks" not in [button.label for button in app.button]
    choose_document(app, "faq")
    settled(app)
    assert not sent(app, "pictures")["pictures"][2]["ranks"]
    assert "Find nearest chunks" in [button.label for button in app.button]


def test_a_link_to_a_chunker_leads_to_its_explanation_and_back(app):
    app.query_params.update({"embedder": "tfidf", "c1": "max_min"})
    app.switch_page("pages/guide.py")
    settled(app)
    assert app.header[0].value == "Max–Min"
    assert dict(app.query_params) == {"embedder": "tfidf", "c1": "max_min"}
    app.radio(key="guide/chunker").set_value("start").run()
    settled(app)
    assert not app.header
    assert app.query_params["view"] == "start"
    app.radio(key="guide/chunker").set_value("breakpoint").run()
    assert app.header[0].value == "Breakpoint"
    assert dict(app.query_params) == {"embedder": "tfidf", "view": "chunker"}


def test_a_text_with_few_chunks_gives_one_and_an_own_text_has_a_question(app):
    app.query_params.update({"embedder": "tfidf", "document": "faq"})
    app.switch_page("pages/guide.py")
    settled(app)
    assert sent(app, "pictures")["pictures"][2]["ask"]["question"] == DEFAULT_QUESTION
    assert LEAST_CHUNKS_FOR_TWO_RESULTS == 4


def test_the_advice_leads_to_its_settings_and_to_compare(app):
    app.query_params.update({"embedder": "tfidf", "view": "which"})
    app.switch_page("pages/guide.py")
    settled(app)
    assert [header.value for header in app.header] == [advice.text for advice in CHUNKER_ADVICE_ROWS]
    for number, advice in enumerate(CHUNKER_ADVICE_ROWS):
        assert build_chunker(advice.chunker, dict(advice.parameters))
        assert advice.why in app.markdown[number + 1].value
    app.button(key="take_advice_1").click()
    settled(app)
    columns = app.session_state["choices"]["compare"].columns
    assert (columns[-1].chunker, columns[-1].parameters) == ("structure", {"max_size": 250})
    app.button(key="explain_1").click()
    settled(app)
    assert app.header[0].value == "Structure"
    assert dict(app.query_params) == {"embedder": "tfidf", "c1": "structure", "c1.max_size": "250"}


def test_a_chunker_that_is_chosen_while_the_page_opens_stays(app):
    app.query_params["embedder"] = "tfidf"
    settled(app)
    app.query_params.clear()
    app.switch_page("pages/guide.py")
    settled(app)
    # As after a first run that was interrupted.
    app.session_state["opening_columns"]["guide"] = [new_default_column("breakpoint")]
    app.radio(key="guide/chunker").set_value("fixed_sentences").run()
    assert app.header[0].value == "Fixed sentences"
