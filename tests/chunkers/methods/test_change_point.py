"""Change points against all partitions, and the gains that the ledger gives."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Cancelled, Document, InputError, Recipe, build_chunker, load_embedder
from chunkers.building_blocks import change_point_search, sentence_distances
from chunkers.building_blocks.change_point_search import (
    best_cuts_with_fixed_penalty,
    best_cuts_with_run_count,
    least_penalty_without_cuts,
)
from chunkers.building_blocks.sentence_distances import shuffled_sentence_orders
from chunkers.contract.base import run_and_time_chunker
from chunkers.methods import change_point
from chunkers.storage.embedding_cache import EmbeddingCache
from sample_docs import load_sample
from tests.lanes import mostly_full, samples
from tests.support import HashEmbedder, cut, sentence_numbers, tools


def cost(vectors, cuts):
    """Return the sum of squared distances to the mean of each part."""
    parts = np.split(vectors, cuts)
    return sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts)


def partitions(count):
    return itertools.chain.from_iterable(itertools.combinations(range(1, count), cuts) for cuts in range(count))


def cuts_of(chunking):
    return tuple(gap.index + 1 for gap in chunking.gaps if gap.verdict.is_cut)


TEXT = "\n".join(f"line {number}" for number in range(9))
VECTORS = HashEmbedder().encode(TEXT.splitlines()).astype(np.float64)


@pytest.mark.parametrize("penalty", [0.05, 0.2, 0.5, 1, 3])
def test_of_all_partitions_it_costs_least(penalty):
    best = min(partitions(9), key=lambda cuts: cost(VECTORS, cuts) + penalty * len(cuts))
    assert cuts_of(cut(build_chunker("change_point", {"penalty": penalty}), TEXT)) == best


@pytest.mark.parametrize("chunks", [1, 2, 4, 9, 20])
def test_so_many_chunks_at_the_least_cost(chunks):
    wanted = min(chunks, 9)
    best = min((cuts for cuts in partitions(9) if len(cuts) == wanted - 1), key=lambda cuts: cost(VECTORS, cuts))
    assert cuts_of(cut(build_chunker("change_point", {"chunks": chunks}), TEXT)) == best


def test_a_gain_is_what_the_cut_saves():
    chunking = cut(build_chunker("change_point", {"penalty": 0.3}), TEXT)
    cuts = set(cuts_of(chunking))
    for gap in chunking.gaps:
        place = gap.index + 1
        saved = cost(VECTORS, sorted(cuts - {place})) - cost(VECTORS, sorted(cuts | {place}))
        assert gap.score == pytest.approx(saved, abs=1e-6)
        assert gap.verdict.is_cut == (gap.score > gap.threshold)


def test_sentences_per_chunk_give_their_number():
    chunking = cut(build_chunker("change_point", {"target_sentences": 3}), TEXT)
    assert len(sentence_numbers(chunking)) == 3


def test_one_target_at_a_time():
    with pytest.raises(ValueError, match="target_sentences must be left out when chunks is set; got 4"):
        build_chunker("change_point", {"chunks": 3, "target_sentences": 4})


def test_too_long_a_search_is_refused():
    text = "\n".join("a" * 5000)
    with pytest.raises(
        InputError,
        match=r"this text has 5,000 sentences for 1,000 chunks\. Set a penalty instead, which has no such limit\.",
    ):
        cut(build_chunker("change_point", {"chunks": 1000}), text)


@pytest.mark.parametrize("sample", ["three_topics", "stubs", "formulas"])
def test_the_known_boundaries_are_found_with_the_real_model(real_tools, sample):
    source = load_sample(sample)
    chunking = run_and_time_chunker(
        build_chunker("change_point", {}), Document.from_text(source.text, source.sentences), real_tools
    )
    assert [chunk.start for chunk in chunking.chunks[1:]] == list(source.known)


def test_the_same_sentence_over_and_over_is_one_chunk():
    chunking = run_and_time_chunker(build_chunker("change_point", {}), Document.from_text("Same.\n" * 50, "lines"), tools())
    assert len(chunking.chunks) == 1


def ignore(done, compared):
    """Take note of no progress."""


def plain_search(vectors, penalty=None, runs=None):
    """Return the cuts of the best partition in exact arithmetic; ties take the earliest last cut."""
    count = len(vectors)

    costs = {}
    for first in range(count):
        total, squares = np.zeros(len(vectors[0]), dtype=int), 0
        for last in range(first + 1, count + 1):
            row = np.array(vectors[last - 1], dtype=int)
            total, squares = total + row, squares + row @ row
            costs[first, last] = int(squares) - Fraction(int(total @ total), last - first)
    levels = range(1, 2 if runs is None else runs + 1)
    cheapest = {(0, 0): (Fraction(0), ())}
    for level in levels:
        for end in range(1, count + 1):
            best = None
            for start in range(end):
                before = cheapest.get((0 if start == 0 else level, start) if runs is None else (level - 1, start))
                if before is None:
                    continue
                total = before[0] + costs[start, end] + Fraction(penalty or 0)
                if best is None or total < best[0]:
                    best = total, (*before[1], start)
            if best is not None:
                cheapest[level, end] = best
    return [cut for cut in cheapest[levels[-1], count][1] if cut]


few_values = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.lists(st.integers(-2, 2), min_size=width, max_size=width), min_size=1, max_size=14)
)


@settings(deadline=None)
@given(few_values, st.integers(1, 40), st.sampled_from([1, 3, 64]), st.data())
def test_the_search_over_allowed_places_is_best_of_their_partitions(rows, quarters, block, data):
    vectors, penalty = np.array(rows, dtype=np.float64), quarters / 4
    allowed = sorted(data.draw(st.sets(st.integers(1, len(rows) - 1), max_size=7))) if len(rows) > 1 else []
    choices = [cuts for count in range(len(allowed) + 1) for cuts in itertools.combinations(allowed, count)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(change_point_search, "PLACES_PER_BLOCK", block)
        best_cuts = best_cuts_with_fixed_penalty(vectors, penalty, ignore, allowed)
        assert set(best_cuts) <= set(allowed)
        least = min(cost(vectors, cuts) + penalty * len(cuts) for cuts in choices)
        assert cost(vectors, best_cuts) + penalty * len(best_cuts) == pytest.approx(least, abs=1e-6)
        for runs in range(1, len(allowed) + 2):
            best_cuts = best_cuts_with_run_count(vectors, runs, ignore, allowed)
            assert set(best_cuts) <= set(allowed)
            least = min(cost(vectors, cuts) for cuts in choices if len(cuts) == runs - 1)
            assert cost(vectors, best_cuts) == pytest.approx(least, abs=1e-6)
    if allowed:
        most = max(gained(vectors, cuts) / len(cuts) for cuts in choices if cuts)
        assert least_penalty_without_cuts(vectors, ignore, allowed) == pytest.approx(most, abs=1e-6)


@pytest.mark.parametrize("likeness", [0.0, 0.3, 0.7])
def test_allowed_places_of_a_long_text_are_searched_as_a_search_without_shortcuts_does(likeness, monkeypatch):
    vectors = subjects(3000, 24, 60, likeness, seed=1)
    allowed = np.flatnonzero(np.random.default_rng(2).random(2999) < 0.25) + 1
    for penalty in (0.2, 0.9, 1.1, 2):
        cuts = best_cuts_with_fixed_penalty(vectors, penalty, ignore, allowed)
        with monkeypatch.context() as patch:
            patch.setattr(
                change_point_search,
                "_count_next_places_skipping_candidate",
                lambda behind, *_: np.zeros(len(behind), np.intp),
            )
            assert best_cuts_with_fixed_penalty(vectors, penalty, ignore, allowed) == cuts


@settings(deadline=None)
@given(few_values, st.integers(1, 40), st.sampled_from([1, 3, 64]))
def test_the_search_leaves_out_nothing_and_ties_take_the_earliest_cut(rows, quarters, block):
    vectors, penalty = np.array(rows, dtype=np.float64), quarters / 4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(change_point_search, "PLACES_PER_BLOCK", block)
        assert best_cuts_with_fixed_penalty(vectors, penalty, ignore) == plain_search(vectors, penalty)
        for runs in {1, min(2, len(rows)), (len(rows) + 1) // 2, len(rows)}:
            assert best_cuts_with_run_count(vectors, runs, ignore) == plain_search(vectors, runs=runs)


def subjects(count, width, length, likeness, seed):
    """Return unit vectors of sentences, as many of a subject as ``length`` says, with that mean cosine within it."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(count // length + 1, width))
    noise = rng.normal(size=(count, width))
    centres, noise = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (centres, noise))
    rows = np.sqrt(likeness) * centres[np.arange(count) // length] + np.sqrt(1 - likeness) * noise
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


ALL_SUBJECTS = [(likeness, length) for likeness in (0.0, 0.3, 0.7) for length in (8, 150, 5000)]
FEW_SUBJECTS = [(0.3, 150), (0.7, 8)]


@pytest.mark.parametrize(("likeness", "length"), mostly_full(ALL_SUBJECTS, FEW_SUBJECTS))
def test_the_search_is_that_of_ruptures(length, likeness):
    import ruptures

    vectors = subjects(1500, 24, length, likeness, seed=length)
    for penalty in (0.2, 0.5, 0.8, 0.95, 1.05, 1.15, 1.3, 2, 5):
        plain = ruptures.KernelCPD(kernel="linear", min_size=1).fit(vectors).predict(pen=penalty)[:-1]
        assert best_cuts_with_fixed_penalty(vectors, penalty, ignore) == plain
    search = ruptures.KernelCPD(kernel="linear", min_size=1).fit(vectors)
    for runs in (2, 3, 9):
        assert best_cuts_with_run_count(vectors, runs, ignore) == search.predict(n_bkps=runs - 1)[:-1]


@pytest.mark.parametrize("name", samples())
def test_on_every_sample_the_search_is_that_of_ruptures(real_tools, name):
    import ruptures

    document = Document.from_text(load_sample(name).text)
    for embedder in (real_tools.embedder, load_embedder("tfidf").for_document(document), HashEmbedder()):
        vectors = tools(embedder, cache=real_tools.cache).embed(document.sentence_texts).astype(np.float64)
        search = ruptures.KernelCPD(kernel="linear", min_size=1).fit(vectors)
        for penalty in (0.1, 0.4, 0.8, 1.15, 1.6, 3):
            assert best_cuts_with_fixed_penalty(vectors, penalty, ignore) == search.predict(pen=penalty)[:-1]
        for runs in {min(number, len(vectors)) for number in (2, 5, 10)} - {1, len(vectors)}:
            assert best_cuts_with_run_count(vectors, runs, ignore) == search.predict(n_bkps=runs - 1)[:-1]


def compared(vectors, penalty):
    counts = []
    best_cuts_with_fixed_penalty(vectors, penalty, lambda done, count: counts.append(count))
    return sum(counts)


def test_one_subject_is_not_quadratic():
    # Four times the sentences are 16 times the pairs.
    few, many = (compared(subjects(count, 24, count, 0.3, seed=0), 2.0) for count in (2000, 8000))
    assert many < 8 * few


class OneSubject(HashEmbedder):
    def encode(self, texts):
        return subjects(len(texts), 24, len(texts), 0.3, seed=1).astype(np.float32)


def test_a_long_search_reports_its_progress_and_can_be_stopped(monkeypatch):
    monkeypatch.setattr(change_point, "PRODUCTS_BETWEEN_REPORTS", 100_000)
    told, text = [], "\n".join(map(str, range(1000)))
    cut(build_chunker("change_point", {}), text, embedder=OneSubject(), deciding=lambda *done: told.append(done))
    assert len(told) > 2
    assert told == sorted(told)
    assert all(0 < done <= total == 1000 for done, total in told)
    told.clear()
    with pytest.raises(Cancelled):
        cut(
            build_chunker("change_point", {}),
            text,
            embedder=OneSubject(),
            deciding=lambda *done: told.append(done),
            cancelled=lambda: len(told) > 1,
        )
    assert len(told) == 2


def test_a_search_of_too_many_comparisons_is_refused(monkeypatch):
    monkeypatch.setattr(change_point, "MOST_CHANGE_POINT_PRODUCTS", 240_000)
    pattern = r"at most 10,000 comparisons of vectors with 24 dimensions; it reached this limit after \d+ of 1,000 "
    with pytest.raises(InputError, match=pattern + r"sentences\. Set a much higher or a much lower penalty\."):
        cut(build_chunker("change_point", {}), "\n".join(map(str, range(1000))), embedder=OneSubject())


def test_a_number_of_chunks_is_refused_before_anything_is_embedded_but_one_sentence(monkeypatch):
    monkeypatch.setattr(change_point, "MOST_CHANGE_POINT_PRODUCTS", 240_000)
    embedder = HashEmbedder()
    with pytest.raises(
        InputError, match=r"must be at most 480,000 for a fixed number of chunks; this text has 1,000 sentences and"
    ):
        cut(build_chunker("change_point", {"chunks": 4}), "\n".join(map(str, range(1000))), embedder=embedder)
    assert sum(map(len, embedder.batches)) == 1


def gained(vectors, cuts):
    return cost(vectors, []) - cost(vectors, cuts)


@pytest.mark.parametrize("seed", range(6))
def test_the_critical_penalty_is_the_most_that_cuts_gain_by_their_number(seed):
    vectors = np.random.default_rng(seed).normal(size=(9, 3))
    most = max(gained(vectors, cuts) / len(cuts) for cuts in partitions(9) if cuts)
    critical = least_penalty_without_cuts(vectors, ignore)
    assert critical == pytest.approx(most, abs=1e-8)
    assert best_cuts_with_fixed_penalty(vectors, critical * 1.0001, ignore) == []
    assert best_cuts_with_fixed_penalty(vectors, critical * 0.9999, ignore) != []


def test_the_critical_penalty_by_hand():
    # 0, 0, 3, 0, 0: one cut beside the 3 gains 7.2 - 6 = 1.2 at the most; two, which leave it alone, gain 7.2.
    assert least_penalty_without_cuts(np.array([[0.0], [0.0], [3.0], [0.0], [0.0]]), ignore) == pytest.approx(3.6)
    # 0, 0, 3, 3: one cut gains all of 9, three gain no more.
    assert least_penalty_without_cuts(np.array([[0.0], [0.0], [3.0], [3.0]]), ignore) == pytest.approx(9)
    assert least_penalty_without_cuts(np.ones((4, 1)), ignore) == 0


def penalties(**parameters):
    (line,) = cut(build_chunker("change_point", parameters), TEXT).curves[0].lines
    return line.level


@pytest.mark.parametrize("run", [1, 2, 4])
def test_the_penalty_is_what_cuts_gain_in_the_text_shuffled(run):
    assert len(shuffled_sentence_orders(9, run)) == 20
    null = [
        max(gained(VECTORS[order], cuts) / len(cuts) for cuts in partitions(9) if cuts)
        for order in shuffled_sentence_orders(9, run)
    ]
    low, high = np.percentile(null, [25, 75])
    assert penalties(shuffled_runs=run) == pytest.approx(np.mean(null), abs=1e-6)
    assert penalties(shuffled_runs=run, caution="eager") == pytest.approx(low, abs=1e-6)
    assert penalties(shuffled_runs=run, caution="cautious") == pytest.approx(high, abs=1e-6)
    assert low < high
    for parameters in ({}, {"penalty": 0.3}):
        band = cut(build_chunker("change_point", {"shuffled_runs": run, **parameters}), TEXT).curves[0].null
        assert (band.low, band.high) == pytest.approx((low, high), abs=1e-6)


def null_of(vectors, **parameters):
    count = len(vectors)
    text = "\n".join(f"{number} {'' if (number + 1) % 3 else chr(10)}" for number in range(count))
    embedder = HashEmbedder()
    embedder.encode = lambda texts: vectors[[int(text) for text in texts]].astype(np.float32)
    chunking = cut(build_chunker("change_point", parameters), text, embedder=embedder)
    return chunking.curves[0].lines[0].level


@pytest.mark.parametrize("cuts_at", ["sentences", "paragraphs"])
def test_a_long_text_has_the_penalty_of_its_own_length(cuts_at, monkeypatch):
    # The same noise, four and eight times as long as what is searched of each shuffle.
    noise = subjects(960, 24, 960, 0.3, seed=5)
    whole = {count: null_of(noise[:count], cuts_at=cuts_at) for count in (120, 960)}
    units = {"sentences": 120, "paragraphs": 40}[cuts_at]
    monkeypatch.setattr(change_point, "MAX_UNITS_OF_SHUFFLED_TEXT", units)
    extrapolated = null_of(noise + 1e-9, cuts_at=cuts_at)
    assert whole[960] > whole[120]
    assert abs(extrapolated - whole[960]) < (whole[960] - whole[120]) / 2
    # What fits is searched whole.
    assert null_of(noise[:120] + 1e-9, cuts_at=cuts_at) == pytest.approx(whole[120])


def test_a_paragraph_longer_than_what_is_searched_of_a_shuffle_is_no_error(monkeypatch):
    monkeypatch.setattr(change_point, "MAX_UNITS_OF_SHUFFLED_TEXT", 4)
    text = "\n\n".join(["a", "b", "c", "d", "e", "\n".join(map(str, range(200)))])
    assert cut(build_chunker("change_point", {"cuts_at": "paragraphs"}), text).chunks


def blocks(*lengths):
    """Return a text of paragraphs with so many sentences, one a line."""
    numbers = itertools.count()
    return "\n\n".join("\n".join(f"line {next(numbers)}" for _ in range(length)) for length in lengths)


def places(chunking):
    return {gap.index + 1 for gap in chunking.gaps if gap.verdict.is_cut}


@pytest.mark.parametrize(
    ("lengths", "parameters", "at_paragraphs"),
    [
        ((3, 4, 2, 3), {}, True),
        ((3, 4, 2), {}, False),  # fewer than four
        ((1, 1, 1, 1, 1), {}, False),  # every sentence begins one
        ((12, 12, 12, 12), {}, True),
        ((13, 13, 13, 13), {}, False),  # too long
        ((1, 1, 1, 30), {}, False),  # a block of text below titles
        ((3, 4, 2, 3), {"chunks": 4}, True),
        ((3, 4, 2, 3), {"chunks": 5}, False),  # more chunks than paragraphs
        ((3, 4, 2, 3), {"target_sentences": 2}, False),
        ((3, 4, 2, 3), {"penalty": 0.01}, True),
        ((3, 4, 2, 3), {"cuts_at": "sentences"}, False),
        ((13, 13), {"cuts_at": "paragraphs"}, True),
    ],
)
def test_auto_cuts_at_paragraphs_where_there_are_enough(lengths, parameters, at_paragraphs):
    chunking = cut(build_chunker("change_point", parameters), blocks(*lengths))
    inside = [gap for gap in chunking.gaps if "inside a paragraph" in gap.reason]
    assert len(inside) == (sum(lengths) - len(lengths) if at_paragraphs else 0)
    assert not any(gap.verdict.is_cut for gap in inside)
    assert any("paragraphs begins" in note for note in chunking.notes) == at_paragraphs
    if at_paragraphs:
        assert places(chunking) <= set(np.cumsum(lengths).tolist())


def test_without_a_penalty_the_cuts_at_paragraphs_are_all_of_them():
    chunking = cut(build_chunker("change_point", {"cuts_at": "paragraphs", "chunks": 9}), blocks(3, 4, 2, 3))
    assert places(chunking) == {3, 7, 9}
    assert chunking.notes[-1] == "Asked for 9 chunks, made 4: there are no more paragraphs."


def test_one_paragraph_has_no_place_to_cut():
    chunking = cut(build_chunker("change_point", {"cuts_at": "paragraphs"}), TEXT)
    assert len(chunking) == 1
    assert chunking.curves[0].null is None
    assert chunking.curves[0].lines == ()
    assert chunking.notes == ("The text is one paragraph: without a blank line there is no place to cut.",)


def test_the_null_at_paragraphs_has_the_places_of_the_text():
    text, allowed = blocks(2, 3, 1, 3), (2, 5, 6)
    vectors = HashEmbedder().encode([f"line {number}" for number in range(9)]).astype(np.float64)
    choices = [cuts for count in (1, 2, 3) for cuts in itertools.combinations(allowed, count)]
    null = [max(gained(vectors[order], cuts) / len(cuts) for cuts in choices) for order in shuffled_sentence_orders(9)]
    (line,) = cut(build_chunker("change_point", {}), text).curves[0].lines
    assert line.level == pytest.approx(np.mean(null), abs=1e-6)


def test_a_reason_says_what_the_penalty_is_from():
    chunking = cut(build_chunker("change_point", {}), TEXT)
    assert all(gap.reason.endswith(", from 9 sentences shuffled") for gap in chunking.gaps)
    assert not any("shuffled" in gap.reason for gap in cut(build_chunker("change_point", {"penalty": 0.3}), TEXT).gaps)


@pytest.mark.parametrize(("parameters", "said"), [({}, True), ({"penalty": 1}, False), ({"chunks": 3}, False)])
def test_an_older_recipe_keeps_cutting_at_sentences_and_says_where_the_penalty_changed(parameters, said):
    older = Recipe(chunker="change_point", parameters=parameters, sentences="lines", tokenizer="words")
    assert older.build() == build_chunker("change_point", {**parameters, "cuts_at": "sentences"})
    assert Recipe.from_json(older.to_json()).is_older
    assert bool(older.changed_since(501)) == said
    assert older.changed_since(500) == ""
    newer = Recipe.of(build_chunker("change_point", parameters), "lines", None, "words")
    assert newer.build() == build_chunker("change_point", parameters)
    assert newer.changed_since(501) == ""
    run_of = older.run("\n".join(map(str, range(501))), embedder=HashEmbedder())
    assert any("no longer from 500" in note for note in run_of.notes) == said
    assert not run_of.recipe.is_older


def test_without_a_gap_there_is_nothing_to_shuffle():
    assert cut(build_chunker("change_point", {}), "One sentence.").curves[0].null is None
    assert cut(build_chunker("change_point", {"chunks": 2}), TEXT).curves[0].null is None


def test_of_two_sentences_the_order_tells_nothing():
    assert len(cut(build_chunker("change_point", {}), "one\ntwo").chunks) == 1


def test_shuffling_can_be_cancelled(monkeypatch):
    shuffling = []

    def scores_under_shuffling(*arguments):
        shuffling.append(True)
        return sentence_distances.scores_under_shuffling(*arguments)

    monkeypatch.setattr(change_point, "scores_under_shuffling", scores_under_shuffling)
    monkeypatch.setattr(change_point, "MOST_UNINTERRUPTED_PRODUCTS", 0)
    with pytest.raises(Cancelled):
        # No other test has these sentences, so that nothing of them is remembered.
        cut(build_chunker("change_point", {}), "\n".join(map(str, range(900, 940))), cancelled=lambda: bool(shuffling))
    assert shuffling


def test_a_short_text_is_shuffled_at_once():
    sentences = "\n".join(map(str, range(700, 740)))
    embedder = HashEmbedder()
    cache = EmbeddingCache()
    cut(build_chunker("breakpoint", {}), sentences, embedder=embedder, cache=cache)
    # As the page asks for a result that needs no job: whatever would take long stops.
    assert cut(build_chunker("change_point", {}), sentences, embedder=embedder, cache=cache, cancelled=lambda: True).curves


@pytest.mark.parametrize("embedder", ["all-MiniLM-L6-v2", "tfidf"])
@pytest.mark.model
def test_more_caution_makes_no_more_chunks(embedder):
    sample = load_sample("three_topics")
    document = Document.from_text(sample.text, sample.sentences)
    kit = tools(load_embedder(embedder))
    counts = [
        len(run_and_time_chunker(build_chunker("change_point", {"caution": caution}), document, kit).chunks)
        for caution in ("eager", "balanced", "cautious")
    ]
    assert counts == sorted(counts, reverse=True)
