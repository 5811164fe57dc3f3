"""Rankings by known boundaries and by structure, worked out by hand; no winner is named without significance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Chunking, Document, FixedSentences, Gap, Verdict
from chunkers.methods.fixed_windows import FixedCharacters
from chunkers.results.result import Reason
from evaluation.segmentation.boundary_and_structure_ranking import (
    Contender,
    CutPositions,
    StructurePoints,
    count_cuts_by_position_kind,
    f1_from_counts,
    rank_by_known_boundaries,
    rank_by_respect_for_structure,
    rank_contenders,
)
from evaluation.segmentation.boundary_measures import boundary_precision_recall, segmentation_in_sentences
from evaluation.statistics.p_value_correction_and_intervals import FALSE_VERDICT_SENTENCE, FEWEST_VALUES
from tests.support import HashEmbedder, cut

LINES = Document.from_text("\n".join(f"Line {number}." for number in range(40)), "lines")


def cut_after(document, places):
    """Return a chunking of a document that begins a chunk at each of these sentences."""
    count = len(document.sentences)
    verdicts = [Verdict.CUT if index + 1 in places else Verdict.KEPT for index in range(count - 1)]
    gaps = [Gap(index, None, None, verdict, Reason()) for index, verdict in enumerate(verdicts)]
    return Chunking.from_gaps(document, gaps)


def offsets(document, places):
    return [document.sentences[place].start for place in places]


def ranked(known, **columns):
    named = [(name, cut_after(LINES, places)) for name, places in columns.items()]
    return rank_by_known_boundaries(LINES, offsets(LINES, known), named)


def winner(ranking):
    """Return the leader if it is significantly ahead of all others, trivial answers included; otherwise None."""
    return (
        ranking.best_nontrivial_contender_index
        if ranking.leads and all(lead.significant for lead in ranking.leads.values())
        else None
    )


def test_counts_and_values_by_hand():
    ranking = ranked([10, 20], one={10, 15}, other={10, 20})
    one, other, nothing, even, drawn = ranking.contenders
    # Sections 0 to 10, 10 to 20 and 20 to 40: found, missed, added.
    assert one.counts.tolist() == [[0, 0, 0], [1, 0, 1], [0, 1, 0]]
    assert other.counts.tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 0]]
    assert nothing.counts.tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]
    # As many cuts as the best chunking has.
    assert (even.name, even.trivial, even.cuts) == ("2 cuts evenly spaced", True, (13, 26))
    assert (drawn.name, drawn.trivial, len(drawn.cuts)) == ("2 cuts at random places", True, 2)
    # Most pairs of 39 places hit neither boundary.
    assert ranking.values == (0.5, 1.0, 0.0, 0.0, 0.0)
    assert ranking.order[:2] == (1, 0)
    assert ranking.best_nontrivial_contender_index == 1


@given(st.sets(st.integers(1, 39)), st.sets(st.integers(1, 39)))
def test_the_value_is_the_boundary_f1(known, places):
    value = ranked(sorted(known), one=places).values[0]
    reference, proposed = (segmentation_in_sentences(LINES, offsets(LINES, sorted(cuts))) for cuts in (known, places))
    score = boundary_precision_recall(reference, proposed).f1.value
    # Without a boundary in either there is nothing to find, and nothing is added.
    assert value == pytest.approx(1.0 if score is None else score)


def test_with_few_sections_no_difference_is_significant():
    ranking = ranked([10, 20, 30], best={10, 20, 30}, worst={5, 15, 25, 35})
    assert ranking.best_nontrivial_contender_index == 0
    assert winner(ranking) is None
    assert ranking.best_contender_and_lead_sentences().startswith(
        "best comes first, but not significantly: worst is behind by 1.00 in boundary F1."
    )
    assert (
        "Among 7 comparisons (Holm's correction), a significant difference takes at least 9 sections; there are 4."
        in ranking.best_contender_and_lead_sentences()
    )


def test_a_clear_winner_is_named():
    known = [4, 8, 12, 16, 20, 24, 28, 32, 36]
    ranking = ranked(known, best=set(known), worst={place + 1 for place in known})
    assert winner(ranking) is None, "as many cuts evenly spaced are as good"
    assert ranking.best_contender_and_lead_sentences().startswith(
        "best is significantly best: worst is behind by 1.00 in boundary F1"
    )
    assert ranking.best_contender_and_lead_sentences().endswith(
        "Mind the trivial answer: best is not better than “9 cuts evenly spaced”."
    )
    uneven = [2, 5, 9, 11, 12, 17, 20, 21, 24, 27, 29, 33, 34, 37]
    ranking = ranked(uneven, best=set(uneven), worst={place + 1 for place in uneven})
    assert winner(ranking) == 0
    assert "trivial" not in ranking.best_contender_and_lead_sentences()
    assert ranking.ranking_basis_in_words(by_known_boundaries=True).endswith(FALSE_VERDICT_SENTENCE)


def test_the_trivial_answers_have_as_many_cuts_as_the_best_and_are_not_told_the_known_number():
    ranking = ranked([10, 20, 30], best={10, 15, 20, 25, 30}, worst={1})
    assert [contender.name for contender in ranking.contenders[2:]] == [
        "no cut",
        "5 cuts evenly spaced",
        "5 cuts at random places",
    ]
    assert [len(contender.cuts) for contender in ranking.contenders[2:]] == [0, 5, 5]
    assert [contender.name for contender in ranked([10, 20], nowhere=set()).contenders[1:]] == ["no cut"]


def test_equals_are_said_to_be_equal():
    ranking = ranked([10, 20], one={10}, other={20}, third={5})
    assert ranking.best_contender_and_lead_sentences().startswith("one and other do equally well.")
    assert (
        ranked([10], one={10}).best_contender_and_lead_sentences().startswith("one has no other column to be compared with.")
    )


COUNTS = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=9)


@settings(deadline=None, max_examples=60)
@given(st.lists(COUNTS, min_size=2, max_size=4))
def test_a_winner_is_significantly_ahead_of_every_other(tables):
    sections = min(map(len, tables))
    contenders = [Contender(f"column {number}", np.array(rows[:sections])) for number, rows in enumerate(tables, 1)]
    ranking = rank_contenders(
        contenders, f1_from_counts, [float(f1_from_counts(contender.counts.sum(axis=0))) for contender in contenders]
    )
    values = [ranking.values[column] for column in ranking.order]
    assert values == sorted(values, reverse=True)
    if winner(ranking) is not None:
        assert sections >= FEWEST_VALUES
        assert all(lead.tested.adjusted < 0.05 and lead.tested.low > 0 for lead in ranking.leads.values())
    elif len({*values}) > 1 and values[0] != values[1]:
        assert "not significantly" in ranking.best_contender_and_lead_sentences()


def test_the_same_chunker_twice_wins_over_itself_hardly_ever():
    # Two chunkers that add cuts at random, with the same chance: a test at 5 % may name a winner in one of twenty texts.
    random = np.random.default_rng(0)
    won = 0
    for _ in range(60):
        tables = [np.stack([hits := random.random(10) < 0.5, ~hits, random.poisson(1, 10)], axis=1) for _ in range(2)]
        contenders = [Contender("one", tables[0].astype(int)), Contender("other", tables[1].astype(int))]
        ranking = rank_contenders(
            contenders, f1_from_counts, [float(f1_from_counts(contender.counts.sum(axis=0))) for contender in contenders]
        )
        won += winner(ranking) is not None
    assert won <= 6


PARAGRAPHS = Document.from_text("One a. One b.\n\nTwo a. Two b.\n \nThree a. Three b.\n\n- item one\n- item two\n", "regex")


def per_cut(structure):
    """Return the mean points of a cut or oversized chunk; None if there is neither."""
    count = structure.cuts + structure.too_long
    bad = structure.inside_sentences + structure.inside_blocks + structure.too_long
    return (structure.at_paragraph_ends - bad) / count if count else None


def test_what_cuts_do_to_the_structure():
    starts = [PARAGRAPHS.text[span.start :][:8] for span in PARAGRAPHS.sentences]
    assert starts[:6] == ["One a. O", "One b.\n\n", "Two a. T", "Two b.\n ", "Three a.", "Three b."]
    assert count_cuts_by_position_kind(cut_after(PARAGRAPHS, {2, 4})) == CutPositions(2, 2, 0, 0, 0)
    assert count_cuts_by_position_kind(cut_after(PARAGRAPHS, {1, 2})) == CutPositions(2, 1, 0, 0, 0)
    pieces = count_cuts_by_position_kind(cut(FixedCharacters(size=8, overlap=0), PARAGRAPHS.text, "regex"))
    assert pieces.inside_sentences > 3
    assert per_cut(pieces) < 0
    assert per_cut(count_cuts_by_position_kind(cut_after(PARAGRAPHS, set()))) is None
    inside_list = count_cuts_by_position_kind(
        cut(FixedCharacters(size=PARAGRAPHS.text.index("- item two"), overlap=0), PARAGRAPHS.text, "lines")
    )
    assert (inside_list.cuts, inside_list.inside_blocks) == (1, 1)


class Short(HashEmbedder):
    """Reads three words."""

    max_tokens = 3

    def lengths(self, texts):
        return [len(text.split()) for text in texts]


def test_chunks_that_the_embedder_cannot_read_count():
    made = cut_after(PARAGRAPHS, {2, 4})
    assert count_cuts_by_position_kind(made, Short()).too_long == 3
    assert per_cut(count_cuts_by_position_kind(made, Short())) == pytest.approx((2 - 3) / 5)


def test_by_structure_those_first_that_cut_between_paragraphs():
    named = [("at random", cut_after(PARAGRAPHS, {1, 3})), ("between", cut_after(PARAGRAPHS, {2, 4}))]
    named += [("nowhere", cut_after(PARAGRAPHS, set()))]
    ranking = rank_by_respect_for_structure(PARAGRAPHS, named)
    assert ranking.order == (1, 0, 2)
    # Of 6 gaps, 3 are between paragraphs: 4 cuts at chance are worth 2 points.
    chance = StructurePoints.scoring_for_document(PARAGRAPHS)
    assert chance == StructurePoints(chance_points=3 / 6, extra_cut_count=4)
    assert ranking.values == ((0 + 2) / (2 + 4), (2 + 2) / (2 + 4), None)
    assert "not significantly" in ranking.best_contender_and_lead_sentences()
    assert (
        rank_by_respect_for_structure(PARAGRAPHS, named[2:]).best_contender_and_lead_sentences()
        == "Nothing can be ranked: no column cuts anywhere."
    )


def test_points_are_those_of_the_structure():
    made = cut(FixedSentences(size=1), PARAGRAPHS.text, "regex")
    counts = rank_by_respect_for_structure(PARAGRAPHS, [("one", made)]).contenders[0].counts
    assert counts.sum(axis=0)[1] == count_cuts_by_position_kind(made).cuts
    assert counts.sum(axis=0)[0] == per_cut(count_cuts_by_position_kind(made)) * count_cuts_by_position_kind(made).cuts


@given(st.sets(st.integers(1, 6)), st.data())
def test_leaving_out_cuts_that_are_as_good_as_the_others_gains_nothing(places, data):
    ends = {2, 4, 6} & places
    fewer = data.draw(st.sets(st.sampled_from(sorted(ends)))) if ends else set()
    one, other = (
        rank_by_respect_for_structure(PARAGRAPHS, [("", cut_after(PARAGRAPHS, some))]).values[0] for some in (ends, fewer)
    )
    assert other is None or other <= one


def test_a_chunker_that_cuts_less_often_does_not_move_ahead():
    document = Document.from_text(
        "\n\n".join(f"A {letter}. B {letter}. C {letter}." for letter in "abcdefghijklmnopqrst"), "regex"
    )
    often, seldom = {*range(3, 45, 3)} | {1, 4, 7, 10, 13, 16}, {3, 6, 9, 12, 16}
    assert per_cut(count_cuts_by_position_kind(cut_after(document, seldom))) > per_cut(
        count_cuts_by_position_kind(cut_after(document, often))
    )
    ranking = rank_by_respect_for_structure(
        document, [("often", cut_after(document, often)), ("seldom", cut_after(document, seldom))]
    )
    assert ranking.order[0] == 0


def test_one_that_reads_the_structure_stands_apart():
    named = [("at random", cut_after(PARAGRAPHS, {1, 3})), ("between", cut_after(PARAGRAPHS, {2, 4}))]
    named += [("blocks", cut_after(PARAGRAPHS, {2, 4, 6}))]
    ranking = rank_by_respect_for_structure(PARAGRAPHS, named, unranked_indices=[2])
    assert (ranking.best_nontrivial_contender_index, ranking.order, ranking.comparisons) == (1, (1, 0, 2), 1)
    assert ranking.values[2] > ranking.values[1]
    assert ranking.leads.keys() == {0}
    assert ranking.best_contender_and_lead_sentences().endswith(
        "blocks reads the same blocks: to rank it would be circular, so the value stands at the end."
    )
    assert (
        rank_by_respect_for_structure(PARAGRAPHS, named[2:], unranked_indices=[0])
        .best_contender_and_lead_sentences()
        .startswith("blocks reads the same blocks")
    )


def test_all_that_do_equally_well_are_named():
    named = [(name, cut_after(PARAGRAPHS, {2})) for name in ("one", "other", "third")]
    assert (
        rank_by_respect_for_structure(PARAGRAPHS, named)
        .best_contender_and_lead_sentences()
        .startswith("one, other and third do equally well.")
    )
