"""Search on the Retrieval page: by embedding, by words or by both, and the searched text of a chunk."""

import pytest

from chunkers import InputError, build_chunker
from tests.support import HashEmbedder, ended
from tests.viz.retrieval.small import offer
from tests.viz.retrieval.steps import button, opened, run_of, said, summary
from viz.jobs.retrieval import Retrieval
from viz.jobs.retrieval_plan import Plan, RunMaterial

pytestmark = [pytest.mark.page, pytest.mark.usefixtures("patience")]


def test_how_it_is_searched_is_chosen_on_the_page_and_in_the_link_and_takes_a_run_of_its_own(run):
    app = opened(run=run, search="hybrid")
    assert app.selectbox(key="retrieval_search").value == "hybrid"
    assert any("changed since: how it is searched." in text for text in said(app))
    app.selectbox(key="retrieval_search").set_value("embedding").run()
    assert not any("changed since" in text for text in said(app))
    assert "search" not in app.query_params
    assert not any(text.startswith("Searched by") for text in said(app))


@pytest.mark.parametrize(
    ("method", "each", "told"),
    [
        ("embedding", (), ""),
        (
            "bm25",
            (),
            "Searched by words (BM25): of every chunk the heading path and the text is indexed; chunks without any word of "
            "the question come last.",
        ),
        (
            "hybrid",
            ("plain", "heading_path"),
            "Searched by embedding and by words (BM25), both ranks fused: of some chunks the text alone, of others the "
            "heading path and the text is embedded and indexed.",
        ),
    ],
)
def test_a_run_searches_as_its_plan_says_and_the_page_says_what_is_indexed(method, each, told):
    text = "# Lights\n\nIt shines at night.\n\n## Buoys\n\nIt floats at night.\n"
    asked = b'question,excerpts\n"What of the buoys?",It floats at night.\n'
    chunkers = (build_chunker("fixed_sentences", {"size": 1}),) * (len(each) or 1)
    material = RunMaterial((("marks.md", text),), ("mine.csv", asked), own=True)
    plan = Plan(material, chunkers, "hash", "paragraphs", "words", "heading_path", embedding_modes=each, searched_by=method)
    run = Retrieval(plan, HashEmbedder(), False)
    run.start()
    assert not ended(run).error
    index = run.evaluation_by_chunker[len(each) // 2].searched_index
    assert (index.searched_by, index.vectors.shape[1] > 0) == (method, method != "bm25")
    if method == "bm25":
        # Its own text has no word of the question, the heading above it has one.
        ranked = [index.texts[number] for number in run.evaluation_by_chunker[0].search.ranked[0]]
        assert ["Buoys" in text for text in ranked] == sorted(["Buoys" in text for text in ranked], reverse=True)
        assert "Lights > Buoys\n\nIt floats at night." in ranked[:2]
    assert plan.keyword_indexed_text_sentence == told


@pytest.mark.parametrize(
    ("method", "chunker", "loaded"),
    [("bm25", "fixed_sentences", False), ("bm25", "breakpoint", True), ("hybrid", "fixed_sentences", True)],
)
def test_a_model_is_loaded_only_for_what_embeds(monkeypatch, method, chunker, loaded):
    def missing(*_):
        raise InputError("The model is missing.")

    monkeypatch.setattr(HashEmbedder, "ensure_model_built_and_loaded", missing)
    asked = b'question,excerpts\n"What of the buoys?",It floats at night.\n'
    material = RunMaterial((("marks.md", "It shines.\n\nIt floats at night.\n"),), ("mine.csv", asked), own=True)
    plan = Plan(material, (build_chunker(chunker, {}),), "hash", "paragraphs", "words", searched_by=method)
    run = Retrieval(plan, HashEmbedder(), False)
    run.start()
    assert (ended(run).error, sorted(run.evaluation_by_chunker)) == (("The model is missing.", []) if loaded else ("", [0]))


@pytest.mark.parametrize(
    ("method", "how", "times"),
    [
        ("embedding", "of 2 documents, embedded by tfidf", ["embedding the chunks, as if", "Embedding a question takes"]),
        ("bm25", "of 2 documents, searched by words (BM25)", ["indexing the words of the chunks."]),
        (
            "hybrid",
            "of 2 documents, embedded by tfidf",
            ["embedding the chunks and indexing their words, as if", "Embedding a question takes"],
        ),
    ],
)
def test_the_page_says_what_was_embedded_and_nothing_of_it_where_nothing_was(monkeypatch, method, how, times):
    offer(monkeypatch, b"question,excerpts\nWhat does it eat?,It eats fish and frogs.\nWhat shines?,The lamp shines\n")
    app = opened(search=method)
    button(app, "Run").click().run()
    ended(run_of(app))
    app.run()
    assert not app.exception
    assert summary(app)["Asked"][1] == how
    (caption,) = [block.value for block in app.caption if "Indexing is chunking" in block.value]
    assert all(part in caption for part in times)
    assert ("mbedding" in caption, "words" in caption) == (method != "bm25", method != "embedding")


def test_late_chunking_with_an_embedder_without_token_vectors_cannot_be_run_and_the_page_says_why(run):
    app = opened(run=run, embedded="plain:late", embedder="tfidf")
    assert any(text.startswith("Late chunking needs the vectors of a model's tokens, which tfidf") for text in said(app))
    assert button(app, "Run").disabled
    # Words alone need no vectors.
    app.selectbox(key="retrieval_search").set_value("bm25").run()
    assert not button(app, "Run").disabled
