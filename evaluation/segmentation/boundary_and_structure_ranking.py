"""Ranking of several chunkings of a text, by known boundaries or by its structure, with the significance of the lead.

Chunkings are compared on the sections of the text: the stretches between known boundaries, or the paragraphs. The test swaps
what two of them do in a section, as `evaluation.statistics.paired_tests` has it, for every two columns and every column
beside a trivial answer, all taken together.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product

import numpy as np

from chunkers import Chunking, Document, Embedder
from chunkers.support import FloatArray, IntArray, format_number, join_words, pluralize
from chunkers.text import parse_block_outline
from evaluation.segmentation.boundary_measures import (
    NO_CUT_BASELINE_NAME,
    cut_offsets,
    evenly_spaced_cuts,
    evenly_spaced_cuts_name,
    random_cuts,
    random_cuts_name,
    segmentation_in_sentences,
)
from evaluation.segmentation.chunk_statistics import list_overlong_chunks_with_unread_tokens
from evaluation.statistics import (
    FALSE_VERDICT_SENTENCE,
    Difference,
    Statistic,
    differences_tested_by_section_swaps,
    format_confidence_level,
    format_interval,
    too_few_values_sentence,
)

MEDIAN_DRAW_COUNT = 99
"""Number of random draws, of which the median one is used."""

_PARAGRAPH_END_PATTERN = re.compile(r"(?:\r\n|\n|\r)[^\S\r\n]*(?:\r\n|\n|\r)")


@dataclass(frozen=True, eq=False)
class Contender:
    """Chunking or trivial baseline that is ranked.

    Attributes
    ----------
    name
        Name of the chunking in sentences.
    counts
        Counts for every section, from which the score is computed, shape (sections, k).
    trivial
        True for a trivial baseline, such as no cut, which any chunker should beat.
    cuts
        The sentences before which a trivial baseline cuts.
    is_unranked
        True if the chunking has a value but no rank, because its chunker reads the structure that the ranking measures.
    """

    name: str
    counts: IntArray
    trivial: bool = False
    cuts: tuple[int, ...] = ()
    is_unranked: bool = False


@dataclass(frozen=True)
class ChunkingLead:
    """Difference between two ranked chunkings, with confidence interval and p-value.

    Attributes
    ----------
    ahead
        Difference between the values of the two chunkings.
    tested
        The difference with its interval and p-value, corrected for all comparisons; None with too few sections.
    """

    ahead: float
    tested: Difference | None

    @property
    def significant(self) -> bool:
        """True if the first of the two chunkings is significantly ahead."""
        return self.tested is not None and self.tested.significant and self.ahead > 0

    def words(self, measure: str) -> str:
        """Return the difference as a phrase, with its confidence interval and p-value."""
        lead_in_measure_phrase = f"{format_number(self.ahead, '.2f')} in {measure}"
        tested_lead = self.tested
        if tested_lead is None:
            return lead_in_measure_phrase
        return (
            f"{lead_in_measure_phrase} "
            f"({format_interval(tested_lead.low, tested_lead.high, tested_lead.alpha, 1, 2)}, {tested_lead.p_value_phrase})"
        )

    @property
    def verdict(self) -> str:
        """Sentence on whether the difference is significant."""
        if self.tested is None:
            return "There are too few sections for a test."
        return (
            f"This difference is {'' if self.tested.significant else 'not '}significant; the level of the interval is "
            f"{format_confidence_level(self.tested.alpha)}."
        )


@dataclass(frozen=True)
class ChunkingRanking:
    """Chunkings ranked by a score, with the leads of the best one over the others.

    Attributes
    ----------
    contenders
        The contenders in their original order.
    values
        Value of each contender, higher being better; None if it has no value.
    order
        Numbers of the contenders, best first, with ties going to trivial baselines. Contenders without a value follow, then
        the unranked contenders.
    leads
        Lead of the leader over each other ranked contender that has a value, by the other's number.
    sections
        Number of sections.
    comparisons
        Number of comparisons for which p-values are corrected.
    measure
        Name of the values in sentences.
    """

    contenders: tuple[Contender, ...]
    values: tuple[float | None, ...]
    order: tuple[int, ...]
    leads: dict[int, ChunkingLead]
    sections: int
    comparisons: int = 0
    measure: str = "boundary F1"

    @property
    def best_nontrivial_contender_index(self) -> int | None:
        """Highest-ranked contender that is not a trivial baseline; None if none has a value."""
        eligible_contender_numbers = (
            number
            for number in self.order
            if not self.contenders[number].trivial and not self.contenders[number].is_unranked
        )
        return next((number for number in eligible_contender_numbers if self.values[number] is not None), None)

    def best_contender_and_lead_sentences(self) -> str:
        """Return a summary in words: the best contender, its lead, and whether the lead is significant."""
        leading_contender_number = self.best_nontrivial_contender_index
        if leading_contender_number is None:
            ranking_summary_sentences = self._unranked_contenders_sentences()
            if not ranking_summary_sentences or any(not contender.is_unranked for contender in self.contenders):
                ranking_summary_sentences.insert(0, "Nothing can be ranked: no column cuts anywhere.")
            return " ".join(ranking_summary_sentences)
        leader_name = self.contenders[leading_contender_number].name
        rival_numbers = [number for number in self.order if number in self.leads and not self.contenders[number].trivial]
        baseline_numbers = [number for number in self.order if number in self.leads and self.contenders[number].trivial]
        ranking_summary_sentences = []
        if not rival_numbers:
            ranking_summary_sentences.append(f"{leader_name} has no other column to be compared with.")
        elif self.leads[rival_numbers[0]].ahead == 0:
            equal_rival_names = [self.contenders[number].name for number in rival_numbers if self.leads[number].ahead == 0]
            ranking_summary_sentences.append(f"{join_words([leader_name, *equal_rival_names])} do equally well.")
        elif all(self.leads[number].significant for number in rival_numbers):
            ranking_summary_sentences.append(
                f"{leader_name} is significantly best: {self._behind_leader_phrase(rival_numbers[0])}."
            )
        else:
            first_doubtful_rival_number = next(number for number in rival_numbers if not self.leads[number].significant)
            ranking_summary_sentences.append(
                f"{leader_name} comes first, but not significantly: "
                f"{self._behind_leader_phrase(first_doubtful_rival_number)}."
            )
        if any(lead.tested is None for lead in self.leads.values()):
            ranking_summary_sentences.append(too_few_values_sentence(self.comparisons, self.sections, "section"))
        unbeaten_baseline_number = next((number for number in baseline_numbers if not self.leads[number].significant), None)
        if unbeaten_baseline_number is not None:
            not_better_wording = (
                "is not better than"
                if self.leads[unbeaten_baseline_number].ahead <= 0
                else "is not significantly better than"
            )
            ranking_summary_sentences.append(
                f"Mind the trivial answer: {leader_name} {not_better_wording} "
                f"“{self.contenders[unbeaten_baseline_number].name}”."
            )
        return " ".join([*ranking_summary_sentences, *self._unranked_contenders_sentences()])

    def _unranked_contenders_sentences(self) -> list[str]:
        """Return a sentence on the unranked contenders, if there are any."""
        unranked_contender_names = [contender.name for contender in self.contenders if contender.is_unranked]
        if not unranked_contender_names:
            return []
        verb, pronoun = ("reads", "it") if len(unranked_contender_names) == 1 else ("read", "them")
        return [
            f"{join_words(unranked_contender_names)} {verb} the same blocks: to rank {pronoun} would be circular, so the "
            f"value stands at the end."
        ]

    def ranking_basis_in_words(self, by_known_boundaries: bool) -> str:
        """Return sentences on what the ranking is based on and on the error rate of its verdicts."""
        false_verdict_rate_sentence = (
            f" {FALSE_VERDICT_SENTENCE}" if any(lead.tested is not None for lead in self.leads.values()) else ""
        )
        if by_known_boundaries:
            return (
                f"By the known boundaries, which part the text into "
                f"{pluralize(self.sections, 'section')}.{false_verdict_rate_sentence}"
            )
        return (
            f"No boundaries are known: this is by structure, over {pluralize(self.sections, 'paragraph')}, which says less "
            "than marks. To every column as many cuts at chance are added as there are paragraphs, so that nobody gains by "
            f"cutting less often.{false_verdict_rate_sentence}"
        )

    def _behind_leader_phrase(self, contender_number: int) -> str:
        return f"{self.contenders[contender_number].name} is behind by {self.leads[contender_number].words(self.measure)}"


def rank_contenders(
    contenders: Sequence[Contender],
    statistic_of_summed_counts: Statistic,
    ranking_value_by_contender: Sequence[float | None],
    measure_range_width: float = 1.0,
    measure: str = "boundary F1",
) -> ChunkingRanking:
    """Rank chunkings by ``ranking_value_by_contender``, and test the lead of the best over each of the others.

    The ``statistic_of_summed_counts`` computes a value from summed counts, for the leads and their test. Any chunking may
    be the best, so all pairs of chunkings are compared, and each chunking with every trivial baseline.
    ``measure_range_width`` is the largest possible difference between two values, and ``measure`` the name of the values
    in sentences.
    """

    def sort_key(contender_number: int) -> tuple[bool, bool, float, bool, int]:
        value, contender = ranking_value_by_contender[contender_number], contenders[contender_number]
        return contender.is_unranked, value is None, -(value or 0), not contender.trivial, contender_number

    ranked_contender_numbers = tuple(sorted(range(len(contenders)), key=sort_key))
    section_count = len(contenders[0].counts) if contenders else 0
    ranking_without_leads = ChunkingRanking(
        tuple(contenders), tuple(ranking_value_by_contender), ranked_contender_numbers, {}, section_count, measure=measure
    )
    leading_contender_number = ranking_without_leads.best_nontrivial_contender_index
    if leading_contender_number is None:
        return ranking_without_leads
    valued_contender_numbers = [
        number
        for number in range(len(contenders))
        if ranking_value_by_contender[number] is not None and not contenders[number].is_unranked
    ]
    nontrivial_contender_numbers = [number for number in valued_contender_numbers if not contenders[number].trivial]
    contender_pairs = [
        *combinations(nontrivial_contender_numbers, 2),
        *product(
            nontrivial_contender_numbers, (number for number in valued_contender_numbers if contenders[number].trivial)
        ),
    ]
    difference_by_contender_pair = dict(
        zip(
            contender_pairs,
            differences_tested_by_section_swaps(
                [contender.counts for contender in contenders],
                contender_pairs,
                statistic_of_summed_counts,
                measure_range_width,
            ),
            strict=True,
        )
    )
    lead_by_other_contender = {}
    for other_contender_number in ranked_contender_numbers:
        if other_contender_number in valued_contender_numbers and other_contender_number != leading_contender_number:
            tested_leader_difference = difference_by_contender_pair.get(
                (leading_contender_number, other_contender_number)
            ) or difference_by_contender_pair.get((other_contender_number, leading_contender_number))
            if (
                tested_leader_difference is not None
                and (leading_contender_number, other_contender_number) not in difference_by_contender_pair
            ):
                tested_leader_difference = tested_leader_difference.reversed()
            leader_statistic_advantage = float(
                statistic_of_summed_counts(contenders[leading_contender_number].counts.sum(axis=0))
                - statistic_of_summed_counts(contenders[other_contender_number].counts.sum(axis=0))
            )
            lead_by_other_contender[other_contender_number] = ChunkingLead(
                leader_statistic_advantage, tested_leader_difference
            )
    return ChunkingRanking(
        ranking_without_leads.contenders,
        ranking_without_leads.values,
        ranked_contender_numbers,
        lead_by_other_contender,
        section_count,
        len(contender_pairs),
        measure,
    )


# ---- by known boundaries ----------------------------------------------------------------------------------------------


def f1_from_counts(boundary_counts: FloatArray) -> FloatArray:
    """Return boundary F1 from counts of found, missed and added boundaries, shape (..., 3).

    F1 is 1 if all counts are 0.
    """
    correctly_found_counts, missed_counts, false_boundary_counts = np.moveaxis(boundary_counts, -1, 0)
    f1_denominator = 2 * correctly_found_counts + missed_counts + false_boundary_counts
    return np.asarray(np.where(f1_denominator > 0, 2 * correctly_found_counts / np.maximum(f1_denominator, 1), 1.0))


def rank_by_known_boundaries(
    document: Document, known_boundaries: Sequence[int], named_chunkings: Sequence[tuple[str, Chunking]]
) -> ChunkingRanking:
    """Rank the chunkings of a document and trivial baselines by boundary F1 against known boundaries.

    The baselines are no cut, evenly spaced cuts and random cuts. The latter two have as many cuts as the chunking with the
    highest F1, and are left out if it has none. The random cuts are those with the median F1 among `MEDIAN_DRAW_COUNT`
    draws. No baseline uses the number of known boundaries.

    ``known_boundaries`` are offsets in code points. The counts of a section are three numbers: 1 if the boundary at its
    beginning is found, 1 if it is missed, and the number of cuts inside the section.
    """
    known_boundary_segmentation = segmentation_in_sentences(document, known_boundaries)
    section_edge_sentence_numbers = [0, *known_boundary_segmentation.boundaries, known_boundary_segmentation.units]

    def count_boundaries_by_section(sorted_cut_sentences: Sequence[int]) -> IntArray:
        sentences_begun_by_cuts = set(sorted_cut_sentences)
        found_missed_added_by_section = []
        for section_index, (section_start, next_section_start_sentence) in enumerate(
            pairwise(section_edge_sentence_numbers)
        ):
            is_start_found = section_index > 0 and section_start in sentences_begun_by_cuts
            cut_count_inside_section = bisect_left(sorted_cut_sentences, next_section_start_sentence) - bisect_left(
                sorted_cut_sentences, section_start + 1
            )
            found_missed_added_by_section.append(
                (is_start_found, section_index > 0 and not is_start_found, cut_count_inside_section)
            )
        return np.array(found_missed_added_by_section, dtype=np.intp).reshape(-1, 3)

    boundaries_by_chunking = [
        segmentation_in_sentences(document, cut_offsets(made)).boundaries for _, made in named_chunkings
    ]
    contenders = [
        Contender(name, count_boundaries_by_section(cuts))
        for (name, _), cuts in zip(named_chunkings, boundaries_by_chunking, strict=True)
    ]
    contenders.append(Contender(NO_CUT_BASELINE_NAME, count_boundaries_by_section(()), trivial=True))
    baseline_cut_count = len(
        max(
            zip(contenders, boundaries_by_chunking, strict=False),
            key=lambda pair: _f1_of_sections(pair[0].counts),
            default=((), ()),
        )[1]
    )
    if baseline_cut_count:
        evenly_spaced_boundaries = evenly_spaced_cuts(known_boundary_segmentation.units, baseline_cut_count)
        median_random_cuts = sorted(
            (random_cuts(known_boundary_segmentation.units, baseline_cut_count, draw) for draw in range(MEDIAN_DRAW_COUNT)),
            key=lambda cuts: _f1_of_sections(count_boundaries_by_section(cuts)),
        )[MEDIAN_DRAW_COUNT // 2]
        contenders += [
            Contender(
                evenly_spaced_cuts_name(baseline_cut_count),
                count_boundaries_by_section(evenly_spaced_boundaries),
                trivial=True,
                cuts=evenly_spaced_boundaries,
            ),
            Contender(
                random_cuts_name(baseline_cut_count),
                count_boundaries_by_section(median_random_cuts),
                trivial=True,
                cuts=median_random_cuts,
            ),
        ]
    return rank_contenders(contenders, f1_from_counts, [_f1_of_sections(contender.counts) for contender in contenders])


def _f1_of_sections(found_missed_added_by_section: IntArray) -> float:
    return float(f1_from_counts(found_missed_added_by_section.sum(axis=0)))


# ---- by structure -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CutPositions:
    """Counts of a chunking's cuts by position, such as at paragraph ends or inside sentences.

    Attributes
    ----------
    cuts
        Number of cuts.
    at_paragraph_ends
        Number of cuts between two paragraphs.
    inside_sentences, inside_blocks
        Number of cuts inside a sentence, and number of other cuts inside a list, a table, code or a formula.
    too_long
        Number of chunks longer than the embedder reads.
    """

    cuts: int
    at_paragraph_ends: int
    inside_sentences: int
    inside_blocks: int
    too_long: int


def count_cuts_by_position_kind(chunking: Chunking, embedder: Embedder | None = None) -> CutPositions:
    """Count a chunking's cuts by position, such as at paragraph ends or inside sentences."""
    cut_position_kinds = [kind for kind, _ in _locate_cuts_and_overlong_chunks(chunking, embedder)]
    return CutPositions(
        len(cut_position_kinds) - cut_position_kinds.count("too long"),
        *(cut_position_kinds.count(kind) for kind in ("end", "sentence", "block", "too long")),
    )


def _locate_cuts_and_overlong_chunks(chunking: Chunking, embedder: Embedder | None) -> list[tuple[str, int]]:
    """Return the kind and position of each cut, and of each chunk that is too long."""
    return [
        *_kinds_and_positions_of_cuts(chunking.document, cut_offsets(chunking)),
        *(("too long", chunk.start) for chunk, *_ in list_overlong_chunks_with_unread_tokens(chunking, embedder)),
    ]


def _kinds_and_positions_of_cuts(document: Document, offsets_of_cuts: Iterable[int]) -> list[tuple[str, int]]:
    """Return the kind and position of each cut; ``offsets_of_cuts`` are in code points."""
    text, special_blocks = document.text, parse_block_outline(document.text).whole_blocks
    block_starts = [block.span.start for block in special_blocks]
    kinds_and_cuts = []
    for cut in offsets_of_cuts:
        sentence_start, sentence_end = document.sentences[document.sentence_at(cut)]
        last_begun_block_span = (
            special_blocks[bisect_left(block_starts, cut) - 1].span if bisect_left(block_starts, cut) else None
        )
        if sentence_start < cut < sentence_end:
            kinds_and_cuts.append(("sentence", cut))
        elif last_begun_block_span is not None and last_begun_block_span.start < cut < last_begun_block_span.end:
            kinds_and_cuts.append(("block", cut))
        else:
            visible_end = len(text[:cut].rstrip()) if cut - 200 < 0 else cut - 200 + len(text[cut - 200 : cut].rstrip())
            kinds_and_cuts.append(("end" if _PARAGRAPH_END_PATTERN.search(text, visible_end, cut) else "between", cut))
    return kinds_and_cuts


_POINTS_BY_CUT_KIND = {"end": 1, "between": 0, "sentence": -1, "block": -1, "too long": -1}


@dataclass(frozen=True)
class StructurePoints:
    """Scoring by structure: mean points per cut or oversized chunk, smoothed by extra cuts at chance level.

    Without the extra cuts, a chunker would gain by leaving out its less certain cuts.

    Attributes
    ----------
    chance_points
        Mean points of a cut over all gaps between two sentences, which each extra cut scores.
    extra_cut_count
        Number of extra cuts.
    """

    chance_points: float
    extra_cut_count: int

    @classmethod
    def scoring_for_document(cls, document: Document) -> "StructurePoints":
        """Return the scoring for a document, with one extra cut at chance level per paragraph."""
        sentence_start_kinds = [kind for kind, _ in _kinds_and_positions_of_cuts(document, document.starts[1:])]
        chance_points_per_cut = sum(_POINTS_BY_CUT_KIND[kind] for kind in sentence_start_kinds) / max(
            1, len(sentence_start_kinds)
        )
        return cls(chance_points_per_cut, 1 + sum(1 for _ in _PARAGRAPH_END_PATTERN.finditer(document.text)))

    def __call__(self, total_points_and_cuts: FloatArray) -> FloatArray:
        """Return the values, shape (...), of points and cuts, shape (..., 2)."""
        return np.asarray(
            (total_points_and_cuts[..., 0] + self.extra_cut_count * self.chance_points)
            / (total_points_and_cuts[..., 1] + self.extra_cut_count)
        )


def rank_by_respect_for_structure(
    document: Document,
    named_chunkings: Sequence[tuple[str, Chunking]],
    length_limiting_embedder: Embedder | None = None,
    unranked_indices: Collection[int] = (),
) -> ChunkingRanking:
    """Rank the chunkings of a document by how well their cuts respect its sentences, blocks and paragraphs.

    `StructurePoints` has the scoring.

    The sections of the ranking are the paragraphs. Chunkings whose index is in ``unranked_indices`` have a value but no
    rank.
    """
    paragraph_end_offsets = [match.end() for match in _PARAGRAPH_END_PATTERN.finditer(document.text)]
    structure_scoring_function = StructurePoints.scoring_for_document(document)
    contenders: list[Contender] = []
    ranking_value_by_contender: list[float | None] = []
    for chunking_index, (chunker_name, chunking) in enumerate(named_chunkings):
        points_and_cuts_by_paragraph = np.zeros((len(paragraph_end_offsets) + 1, 2), dtype=np.intp)
        for position_kind, cut_or_overlong_chunk_offset in _locate_cuts_and_overlong_chunks(
            chunking, length_limiting_embedder
        ):
            points_and_cuts_by_paragraph[bisect_left(paragraph_end_offsets, cut_or_overlong_chunk_offset)] += (
                _POINTS_BY_CUT_KIND[position_kind],
                1,
            )
        contenders.append(
            Contender(chunker_name, points_and_cuts_by_paragraph, is_unranked=chunking_index in unranked_indices)
        )
        total_points_and_cuts = points_and_cuts_by_paragraph.sum(axis=0)
        ranking_value_by_contender.append(
            float(structure_scoring_function(total_points_and_cuts)) if total_points_and_cuts[1] else None
        )
    return rank_contenders(
        contenders, structure_scoring_function, ranking_value_by_contender, measure_range_width=2.0, measure="points per cut"
    )
