"""Cost of replacing a column's index by another's, and questions won and lost: on this text and on documents."""

import json
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from chunkers import Document, Tools, build_chunker, load_embedder, load_tokenizer
from evaluation.questions.corpus_ranges_and_rulers import Corpus, TokenRuler
from evaluation.questions.question_files import read_questions
from evaluation.questions.questions_with_documents import MarkedQuestion
from evaluation.retrieval import Limit
from evaluation.retrieval.budget import Budgets, evaluate_at_budgets
from evaluation.retrieval.index_changes import Changes, ChunkComparison, estimate_embedded_tokens_of_indexing
from evaluation.search.index import cut_and_index_corpus
from evaluation.statistics.paired_tests import corrected_differences_per_comparison
from sample_docs import load_sample
from tests.support import LIMIT, HashEmbedder, ended
from tests.viz.app_steps import press, remarks, widget
from tests.viz.compare.test_scores import by_head, scores
from viz.compare.scores import index_replacement
from viz.jobs import index_changes_and_stability
from viz.jobs.index_changes_and_stability import IndexChanges, IndexSetting, MeasuredChunks
from viz.jobs.retrieval_plan import RunMaterial
from viz.shell.questions_between_pages import bundled_documents_and_questions
from viz.state.shown_text import TextWithDetails

QUERY = {"embedder": "tfidf", "sentences": "regex", "tokenizer": "words", "selected": "1"}
QUERY |= {"c1": "fixed_sentences", "c1.size": "1", "c2": "fixed_sentences", "c2.size": "4"}
BUNDLED = "bundled documents with questions"


def tables(app):
    """Return the rows of every score table, by the heads of the table."""
    parts = [json.loads(part.proto.json)[0] for part in app.get("bidi_component") if '"heads"' in part.proto.json]
    return [by_head(part) for part in parts]


def choose(app, words):
    """Choose the documents whose name in the list has these words."""
    box = widget(app.selectbox, "changes_documents")
    box.set_value(next(name for name in box.options if words in name)).run()
    assert not app.exception


def measured(app):
    assert ended(app.session_state["index_changes"]).error == ""
    app.run()
    assert not app.exception
    return tables(app)


def recomputed(material, sizes, budget, sentences="regex"):
    """Return the comparison of the two sizes and the recalls, from the parts of the library."""
    corpus = Corpus(tuple(Document.from_text(text, sentences, name) for name, text in material.texts))
    questions = read_questions(material.questions[1], "q", corpus).usable
    tokenizer = load_tokenizer("words")
    tools = Tools(load_embedder("tfidf"), tokenizer)
    ruler, recalls = TokenRuler(corpus.joined_document.text, tokenizer), []
    with ChunkComparison() as comparison:
        for is_after, size in enumerate(sizes):
            index = cut_and_index_corpus(corpus, build_chunker("fixed_sentences", {"size": size}), tools)
            for spans, text in zip(index.chunks, index.texts, strict=True):
                name = corpus.names[corpus.document_number_at(spans[0].start)]
                comparison.add_document_chunks_to_side(name, [(text, len(text.split()))], bool(is_after))
            at = evaluate_at_budgets(index, questions, tools, ruler, Budgets((budget,)))
            recalls.append(at.question_values_at_budget("recall", budget, "tokens"))
        return comparison.index_comparison(), np.array(recalls), [question.text for question in questions]


def test_by_late_chunking_no_chunk_is_kept(app):
    scores(app, "Diff", **{**QUERY, "c2.size": "1"})
    ((_, other),) = tables(app)
    assert (other["Kept"]["value"], other["Tokens again"]["value"]) == (other["Chunks"]["value"], 0)
    app.session_state["embedded_as_chosen"] = "late"
    app.run()
    assert not app.exception
    ((_, other),) = tables(app)
    assert (other["Kept"]["value"], other["Share"]["value"]) == (0, 1.0)
    job = IndexChanges(SETTING._replace(embedded_as="late"), {}, None, False)
    one, two = (build_chunker("fixed_sentences", {"size": size}) for size in (1, 2))
    job.results = dict.fromkeys((one, two), MeasuredChunks((("a", (("0" * 32, 3), ("1" * 32, 4))),), {}))
    assert job.changes_if_chunker_replaced(one, two).total == Changes(changed=2, tokens_again=7, tokens=7)


def test_a_price_gives_dollars(app):
    scores(app, "Diff", **QUERY)
    ((selected, other),) = tables(app)
    assert "Cost" not in other
    assert "Documents" not in other
    widget(app.number_input, "changes_price").set_value(250.0).run()
    ((selected, other),) = tables(app)
    assert selected["Cost"]["text"] == "–"
    assert other["Cost"]["value"] == pytest.approx(other["Tokens again"]["value"] / 4000)
    assert other["Cost"]["text"] == f"${other['Cost']['value']:,.2f}"


@pytest.mark.full
def test_documents_with_questions_are_cut_and_searched_by_every_column(app):
    scores(app, "Diff", **QUERY)
    assert "mark answers to your questions above" in " ".join(remarks(app))
    choose(app, BUNDLED)
    (rows,) = tables(app)
    assert not any("Kept" in row for row in rows)
    tokens = 2 * sum(len(text.split()) for _, text in bundled_documents_and_questions().texts)
    assert f"About {tokens:,} tokens to embed, less what is kept." in remarks(app)
    widget(app.number_input, "changes_price").set_value(100.0).run()
    assert f"About {tokens:,} tokens to embed, ${tokens / 10_000:,.2f}, less what is kept." in remarks(app)
    press(app, f"Cut and search {len(bundled_documents_and_questions().texts)} documents")
    changes, questions = measured(app)
    assert changes[1]["Cost"]["value"] == pytest.approx(changes[1]["Tokens again"]["value"] / 10_000)
    comparison, recalls, asked = recomputed(bundled_documents_and_questions(), (1, 4), 500)
    total = comparison.total
    assert changes[1]["Documents"]["value"] == comparison.changed_documents > 1
    assert [changes[1][name]["value"] for name in ("Chunks", "Kept", "Changed", "New", "Gone", "Tokens again")] == [
        *(total.chunk_count_after, total.kept, total.changed, total.new, total.gone, total.tokens_again)
    ]
    before, after = recalls
    won, lost = after > before + 1e-9, after < before - 1e-9
    assert questions[0]["Recall"]["value"] == pytest.approx(before.mean())
    assert questions[1]["Recall"]["value"] == pytest.approx(after.mean())
    assert (questions[1]["Won"]["value"], questions[1]["Lost"]["value"]) == (won.sum(), lost.sum())
    (difference,) = corrected_differences_per_comparison((after - before)[None])
    assert questions[1]["Difference"]["text"] == f"{difference.points} ({difference.interval_phrase})"
    documents, listed = (frame.value for frame in app.dataframe)
    assert [*documents["document"]] == [name for name, _ in comparison.most_changed]
    assert [*documents["tokens again"]] == [changes.tokens_again for _, changes in comparison.most_changed]
    wanted = [asked[number] for number in (*np.flatnonzero(won)[:10], *np.flatnonzero(lost)[:10])]
    assert [*listed["question"]] == wanted
    # Another column: only that one is measured anew.
    known = app.session_state["index_changes"].results
    assert len(known) == 2
    app.session_state["choices"]["compare"].columns[1].set_valid_parameter("size", 3)
    app.run()
    press(app, f"Cut and search {len(bundled_documents_and_questions().texts)} documents")
    changes, _ = measured(app)
    assert len(app.session_state["index_changes"].results) == 3
    assert changes[1]["Kept"]["value"] == recomputed(bundled_documents_and_questions(), (1, 3), 500)[0].total.kept


@pytest.mark.full
def test_cancelling_keeps_the_columns_that_are_done_and_the_button_continues(app, monkeypatch):
    build, built, began, goes_on = index_changes_and_stability.cut_and_index_corpus, [], threading.Event(), threading.Event()

    def waiting(corpus, chunker, *given):
        built.append(chunker.size)
        if chunker.size == 4 and not goes_on.is_set():
            began.set()
            assert goes_on.wait(LIMIT)
        return build(corpus, chunker, *given)

    monkeypatch.setattr(index_changes_and_stability, "cut_and_index_corpus", waiting)
    scores(app, "Diff", **QUERY)
    choose(app, BUNDLED)
    button = f"Cut and search {len(bundled_documents_and_questions().texts)} documents"
    press(app, button)
    assert began.wait(LIMIT)
    app.run()
    app.button(key="cancel/changes").click().run()
    goes_on.set()
    job = app.session_state["index_changes"]
    assert ended(job).error == ""
    assert [chunker.size for chunker in job.results] == [1]
    app.run()
    rows, *_ = tables(app)
    assert rows[0]["Chunks"]["value"] > 0
    assert "Chunks" not in rows[1]
    press(app, button)
    changes, _ = measured(app)
    assert changes[1]["Kept"]["value"] == recomputed(bundled_documents_and_questions(), (1, 4), 500)[0].total.kept
    assert built == [1, 4, 4], "the first column is not cut again"


def test_marked_answers_are_questions_on_this_text(app):
    scores(app, "Diff", **QUERY)
    text = load_sample("stubs").text
    title = load_sample("stubs").title
    document = Document.from_text(text, "regex", title)
    identity, answers = document.identity, document.sentence_texts[:12:2]
    questions = [
        MarkedQuestion(f"Question {number}: {answer[:20]}?", title, identity, text.index(answer), answer)
        for number, answer in enumerate(answers)
    ]
    app.session_state["questions"] = questions
    app.session_state["question_texts"] = {identity: TextWithDetails(text, title)}
    app.run()
    press(app, "Measure questions won and lost")
    changes, rows = measured(app)
    assert "Documents" not in changes[1]
    assert rows[0]["Recall"]["why"] == "over 6 questions"
    assert rows[1]["Difference"]["text"] != "–"


SETTING = IndexSetting(
    RunMaterial((("a.txt", "One. Two. Three."), ("b.txt", "Four. Five.")), ("", b""), own=True),
    ("", ""),
    splitter="regex",
    tokenizer="words",
    embedded_as="plain",
    method="embedding",
    limit=Limit(budget=10),
)


def job_of(*chunkers, **given):
    job = IndexChanges(
        SETTING, {chunker: f"Column {number}" for number, chunker in enumerate(chunkers, 1)}, None, False, **given
    )
    job.start()
    assert ended(job).error == ""
    return job


@pytest.mark.parametrize(
    ("chunker", "method", "embedded_as", "times"),
    [
        (build_chunker("fixed_sentences", {"size": 1}), "embedding", "plain", 1),
        (build_chunker("fixed_sentences", {"size": 1}), "bm25", "plain", 0),
        (build_chunker("fixed_sentences", {"size": 1}), "embedding", "late", 2),
        (build_chunker("breakpoint", {"buffer": 0}), "bm25", "plain", 1),
        (build_chunker("breakpoint", {"buffer": 1}), "hybrid", "plain", 4),
        (build_chunker("breakpoint", {"buffer": 2}), "embedding", "late", 7),
    ],
)
def test_the_estimate_counts_a_text_as_often_as_it_is_read(chunker, method, embedded_as, times):
    assert estimate_embedded_tokens_of_indexing(100, chunker, method, embedded_as) == 100 * times


def test_of_long_documents_the_tokens_are_inferred_from_the_first(monkeypatch):
    monkeypatch.setattr(index_replacement, "session", SimpleNamespace(index_token_count=None))
    monkeypatch.setattr(index_replacement, "MOST_COUNTED_CHARACTERS", 1000)
    texts = (("a", "one two " * 100), ("b", "one two " * 100), ("c", "one two " * 300))
    assert index_replacement._total_token_count_of_documents(texts, "words") == 1000


def test_without_questions_only_the_chunks_are_compared():
    one, two = (build_chunker("fixed_sentences", {"size": size}) for size in (1, 2))
    job = job_of(one, two)
    assert not job.questions
    assert [len(chunks) for _, chunks in job.results[one].chunks] == [3, 2]
    total = job.changes_if_chunker_replaced(one, two).total
    # "Three." stands alone on both sides.
    assert (total.kept, total.changed, total.new, total.gone) == (1, 2, 0, 2)


def test_a_column_that_cannot_be_measured_has_its_reason_and_results_are_taken_on():
    one, embeds = build_chunker("fixed_sentences", {"size": 1}), build_chunker("breakpoint", {}, HashEmbedder())
    asks = build_chunker("lumber", {})
    first = job_of(embeds, asks, one)
    assert first.refusal_by_chunker[embeds].startswith("This chunker needs an embedder")
    assert first.refusal_by_chunker[asks] == "Not measured: its language model would be asked about every document."
    assert [*first.results] == [one]
    assert job_of(one, results=first.results).results[one] is first.results[one]


def test_a_stopped_job_keeps_what_is_measured_and_is_continued():
    one, two = (build_chunker("fixed_sentences", {"size": size}) for size in (1, 2))
    whole = job_of(one, two)
    job = IndexChanges(SETTING, {one: "Column 1", two: "Column 2"}, None, on_disk=False)
    measured_here = job._cut_and_search_with_chunker

    def stopping(*arguments):
        found = measured_here(*arguments)
        job.cancel()
        return found

    job._cut_and_search_with_chunker = stopping
    job.start()
    assert ended(job).error == ""
    assert [*job.results] == [one]
    resumed = job_of(one, two, results=job.results)
    assert resumed.results == whole.results
