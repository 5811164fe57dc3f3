"""Optimal on the Breakpoints page: its steps are the table of its run, against all partitions of short texts."""

import itertools

import numpy as np
import pytest

from chunkers import Document, build_chunker, chunk
from chunkers.contract.base import run_and_time_chunker
from chunkers.methods.optimal import mean_similarity
from evaluation.segmentation.boundary_measures import cut_offsets, pk, segmentation_in_sentences
from sample_docs import load_sample, sample_titles
from tests.lanes import samples
from tests.support import HashEmbedder, tools
from tests.viz.app_steps import press, sent
from tests.viz.breakpoints.test_page import notices, opened, reader_of, steps_of
from viz.breakpoints.chunker_steps_view import OPTIMAL_WINS_SAMPLE, list_optimal_partition_steps

SHORT = {
    "eight": "a b c\na b\na c\nd e\nd e f\ng\ng a\nh",
    "changed": "a b c\na b\nd c\nd e\nd e f\ng\ng h\nh",
    "two": "a\nb c",
    "one": "a",
}


def told(text, splitter="lines", **parameters):
    """Return the result, the vectors of the sentences and the steps."""
    document, common = Document.from_text(text, splitter), tools(HashEmbedder())
    chunker = build_chunker("optimal", {"pieces": "sentences"} | parameters)
    _, table = chunker.pieces_and_partition_table(document, common)
    vectors = common.embed(document.sentence_texts)
    mean = mean_similarity(vectors) if len(vectors) > 1 else 0.0
    chunking = run_and_time_chunker(chunker, document, common)
    return chunking, vectors.astype(np.float64), list_optimal_partition_steps(chunking, table, mean)


def numbers_of(words):
    """Return the three numbers of a sum."""
    return [float(word.replace("−", "-")) for word in words.replace("− ", "−").replace("+ ", "").replace("= ", "").split()]


@pytest.mark.parametrize("most", [4, 400])
@pytest.mark.parametrize("text", SHORT.values(), ids=SHORT)
def test_every_entry_is_the_best_of_all_partitions_of_the_first_sentences(text, most):
    chunking, vectors, (opening, *steps) = told(text, max_size=most)
    count = len(vectors)
    assert f"{2 ** (count - 1)}." in opening["story"][0]
    sizes = tools().count_tokens(chunking.document.sentence_texts)
    above = vectors @ vectors.T
    above -= above[np.triu_indices(count, 1)].mean() if count > 1 else 0
    np.fill_diagonal(above, 0)

    def runs_of(end):
        """Yield the first sentence of the last chunk, and the value, of every partition that fits."""
        for cuts in itertools.product([False, True], repeat=end - 1):
            edges = [0, *(place for place, cut in enumerate(cuts, 1) if cut), end]
            parts = list(itertools.pairwise(edges))
            if all(last - first == 1 or sum(sizes[first:last]) <= most for first, last in parts):
                yield edges[-2], sum(above[first:last, first:last].sum() for first, last in parts)

    for end, step in enumerate(steps[:count], start=1):
        best = max(value for _, value in runs_of(end))
        assert step["table"] == ((0, end - 1), (0, end))
        rows = [words for label, words in step["numbers"] if label == "value"]
        before, within, value = numbers_of(rows[0])
        assert value == pytest.approx(best, abs=6e-3)
        assert value == pytest.approx(before + within, abs=1.1e-2)
        runners = [words.partition(": ")[2] for label, words in step["numbers"] if label != "value"]
        by_last = {}
        for first, total in runs_of(end):
            by_last[first] = max(total, by_last.get(first, -np.inf))
        assert [numbers_of(words)[2] for words in runners] == pytest.approx(sorted(by_last.values())[::-1][1:3], abs=6e-3)


@pytest.mark.parametrize("most", [60, 400])
@pytest.mark.parametrize("name", samples())
def test_the_table_is_read_off_as_the_chunker_cuts(name, most):
    sample = load_sample(name)
    chunking, vectors, steps = told(sample.text, sample.sentences, max_size=most)
    count = len(vectors)
    turn, *read = steps[count + 1 :]
    assert turn["pauses"]
    assert [step.get("pauses", False) for step in steps].count(True) == 1
    spans = [step["mark"]["growing"] for step in reversed(read)]
    document = chunking.document
    assert [(document.starts[first], document.sentences[last - 1].end) for first, last in spans] == [
        (chunk.start, chunk.end) for chunk in chunking.chunks
    ]
    assert [step["table"][1][0] for step in read] == [first for first, _ in reversed(spans)]
    for step in read[:-1]:
        assert step["numbers"][-1][1] == chunking.gaps[step["mark"]["gap"]].reason
    # Nothing is final before the last step, which shows all of it.
    assert {step["placed"] for step in steps[:-1]} == {(0, 0)}
    assert steps[-1]["placed"] == (0, count)
    # A prediction is about the entry, not about the result.
    for step in steps[2 : count + 1]:
        first = step["mark"]["growing"][0] if step["mark"]["growing"] else step["mark"]["next"][0]
        assert step["prediction"]["right"] == (first < step["mark"]["next"][0])


@pytest.mark.model
def test_the_text_offered_is_one_on_which_it_wins():
    sample = load_sample(OPTIMAL_WINS_SAMPLE)

    def error(chunker, **parameters):
        result = chunk(sample.text, chunker, sentences=sample.sentences, **parameters)
        known, cuts = (
            segmentation_in_sentences(result.document, offsets) for offsets in (sample.known, cut_offsets(result))
        )
        return pk(known, cuts).value

    assert error("optimal", pieces="sentences") == 0
    assert min(error("breakpoint", amount=float(amount)) for amount in range(1, 101)) > 0.2


def test_the_page_steps_through_it_beside_the_heatmap(app):
    opened(app, embedder="tfidf", document="three_topics", sentences="spacy", c1="optimal", c1__pieces="sentences")
    assert app.query_params["view"] == "steps"
    steps = steps_of(app)
    heatmap = sent(app, "lasts")
    count = heatmap["lasts"].__len__() - 1
    assert len(steps) == count + 2 + len(reader_of(app)["segments"]["start"])
    assert not notices(app)
    assert any(caption.value.startswith("Pk, lower is better: Optimal ") for caption in app.caption)
    press(app, f"Where it wins: {sample_titles()[OPTIMAL_WINS_SAMPLE]}")
    assert app.query_params["document"] == OPTIMAL_WINS_SAMPLE
    assert not [button for button in app.button if button.label.startswith("Where it wins")]


def test_pieces_that_are_no_sentences_are_changed_by_a_press(app):
    opened(app, embedder="tfidf", document="three_topics", sentences="spacy", c1="optimal")
    assert any("about whole sentences" in notice for notice in notices(app))
    press(app, "Use whole sentences")
    assert app.query_params["c1.pieces"] == "sentences"
    app.selectbox(key="breakpoints/chunker").select("max_min").run()
    app.selectbox(key="breakpoints/chunker").select("optimal").run()
    assert app.query_params["c1.pieces"] == "sentences"
