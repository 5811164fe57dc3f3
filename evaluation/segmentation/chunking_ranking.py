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
from chunkers.text import outline_of
from evaluation.segmentation.boundary_measures import (
    NO_CUT,
    cut_offsets,
    evenly_spaced_cuts,
    evenly_spaced_cuts_name,
    random_cuts,
    random_cuts_name,
    segmentation_in_sentences,
)
from evaluation.segmentation.chunk_statistics import chunks_beyond_embedder_limit
from evaluation.statistics import (
    FALSE_VERDICTS,
    Difference,
    Statistic,
    confidence_level_words,
    interval_words,
    section_swap_differences,
    too_few_values_words,
)

DRAWN = 99
"""Number of random draws, of which the median one is used."""

_PARAGRAPH_END = re.compile(r"(?:\r\n|\n|\r)[^\S\r\n]*(?:\r\n|\n|\r)")


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
    apart
        True if the chunking has a value but no rank, because its chunker reads the structure that the ranking measures.
    """

    name: str
    counts: IntArray
    trivial: bool = False
    cuts: tuple[int, ...] = ()
    apart: bool = False


@dataclass(frozen=True)
class Lead:
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
        ahead = f"{format_number(self.ahead, '.2f')} in {measure}"
        tested = self.tested
        if tested is None:
            return ahead
        return f"{ahead} ({interval_words(tested.low, tested.high, tested.alpha, 1, 2)}, {tested.p_words})"

    @property
    def verdict(self) -> str:
        """Sentence on whether the difference is significant."""
        if self.tested is None:
            return "There are too few sections for a test."
        return (
            f"This difference is {'' if self.tested.significant else 'not '}significant; the level of the interval is "
            f"{confidence_level_words(self.tested.alpha)}."
        )


@dataclass(frozen=True)
class Ranking:
    """Chunkings ranked by a score, with the leads of the best one over the others.

    Attributes
    ----------
    contenders
        The contenders in their original order.
    values
        Value of each contender, higher being better; None if it has no value.
    order
        Numbers of the contenders, best first, with ties going to trivial baselines. Contenders without a value follow, then
        contenders that are ``apart``.
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
    leads: dict[int, Lead]
    sections: int
    comparisons: int = 0
    measure: str = "boundary F1"

    @property
    def leader(self) -> int | None:
        """Highest-ranked contender that is not a trivial baseline; None if none has a value."""
        ranked = (
            number for number in self.order if not self.contenders[number].trivial and not self.contenders[number].apart
        )
        return next((number for number in ranked if self.values[number] is not None), None)

    def words(self) -> str:
        """Return a summary in words: the best contender, its lead, and whether the lead is significant."""
        leader = self.leader
        if leader is None:
            sentences = self._said_of_apart()
            if not sentences or any(not contender.apart for contender in self.contenders):
                sentences.insert(0, "Nothing can be ranked: no column cuts anywhere.")
            return " ".join(sentences)
        name = self.contenders[leader].name
        rivals = [number for number in self.order if number in self.leads and not self.contenders[number].trivial]
        trivial = [number for number in self.order if number in self.leads and self.contenders[number].trivial]
        sentences = []
        if not rivals:
            sentences.append(f"{name} has no other column to be compared with.")
        elif self.leads[rivals[0]].ahead == 0:
            level = [self.contenders[number].name for number in rivals if self.leads[number].ahead == 0]
            sentences.append(f"{join_words([name, *level])} do equally well.")
        elif all(self.leads[number].significant for number in rivals):
            sentences.append(f"{name} is significantly best: {self._lead_words(rivals[0])}.")
        else:
            doubted = next(number for number in rivals if not self.leads[number].significant)
            sentences.append(f"{name} comes first, but not significantly: {self._lead_words(doubted)}.")
        if any(lead.tested is None for lead in self.leads.values()):
            sentences.append(too_few_values_words(self.comparisons, self.sections, "section"))
        unbeaten = next((number for number in trivial if not self.leads[number].significant), None)
        if unbeaten is not None:
            better = "is not better than" if self.leads[unbeaten].ahead <= 0 else "is not significantly better than"
            sentences.append(f"Mind the trivial answer: {name} {better} “{self.contenders[unbeaten].name}”.")
        return " ".join([*sentences, *self._said_of_apart()])

    def _said_of_apart(self) -> list[str]:
        """Return a sentence on the contenders that stand apart, if there are any."""
        apart = [contender.name for contender in self.contenders if contender.apart]
        if not apart:
            return []
        verb, which = ("reads", "it") if len(apart) == 1 else ("read", "them")
        return [
            f"{join_words(apart)} {verb} the same blocks: to rank {which} would be circular, so the value stands at the end."
        ]

    def basis(self, known: bool) -> str:
        """Return sentences on what the ranking is based on and on the error rate of its verdicts."""
        rate_phrase = f" {FALSE_VERDICTS}" if any(lead.tested is not None for lead in self.leads.values()) else ""
        if known:
            return f"By the known boundaries, which part the text into {pluralize(self.sections, 'section')}.{rate_phrase}"
        return (
            f"No boundaries are known: this is by structure, over {pluralize(self.sections, 'paragraph')}, which says less "
            "than marks. To every column as many cuts at chance are added as there are paragraphs, so that nobody gains by "
            f"cutting less often.{rate_phrase}"
        )

    def _lead_words(self, row: int) -> str:
        return f"{self.contenders[row].name} is behind by {self.leads[row].words(self.measure)}"


def rank_contenders(
    contenders: Sequence[Contender],
    statistic: Statistic,
    values: Sequence[float | None],
    width: float = 1.0,
    measure: str = "boundary F1",
) -> Ranking:
    """Rank chunkings by their ``values``, and test the lead of the best over each of the others.

    The ``statistic`` computes a value from summed counts, for the leads and their test. Any chunking may be the best, so all
    pairs of chunkings are compared, and each chunking with every trivial baseline.
    ``width`` is the largest possible difference between two values, and ``measure`` the name of the values in sentences.
    """

    def sort_key(row: int) -> tuple[bool, bool, float, bool, int]:
        value, contender = values[row], contenders[row]
        return contender.apart, value is None, -(value or 0), not contender.trivial, row

    order = tuple(sorted(range(len(contenders)), key=sort_key))
    sections = len(contenders[0].counts) if contenders else 0
    ranking = Ranking(tuple(contenders), tuple(values), order, {}, sections, measure=measure)
    leader = ranking.leader
    if leader is None:
        return ranking
    valued_numbers = [
        number for number in range(len(contenders)) if values[number] is not None and not contenders[number].apart
    ]
    column_numbers = [number for number in valued_numbers if not contenders[number].trivial]
    pairs = [
        *combinations(column_numbers, 2),
        *product(column_numbers, (number for number in valued_numbers if contenders[number].trivial)),
    ]
    tested = dict(
        zip(
            pairs,
            section_swap_differences([contender.counts for contender in contenders], pairs, statistic, width),
            strict=True,
        )
    )
    leads = {}
    for other in order:
        if other in valued_numbers and other != leader:
            difference = tested.get((leader, other)) or tested.get((other, leader))
            if difference is not None and (leader, other) not in tested:
                difference = difference.reversed()
            ahead = float(statistic(contenders[leader].counts.sum(axis=0)) - statistic(contenders[other].counts.sum(axis=0)))
            leads[other] = Lead(ahead, difference)
    return Ranking(ranking.contenders, ranking.values, order, leads, sections, len(pairs), measure)


# ---- by known boundaries ----------------------------------------------------------------------------------------------


def f1_from_counts(sums: FloatArray) -> FloatArray:
    """Return boundary F1 from counts of found, missed and added boundaries, shape (..., 3).

    F1 is 1 if all counts are 0.
    """
    found, missed, added = np.moveaxis(sums, -1, 0)
    f1_denominator = 2 * found + missed + added
    return np.asarray(np.where(f1_denominator > 0, 2 * found / np.maximum(f1_denominator, 1), 1.0))


def rank_by_known_boundaries(document: Document, known: Sequence[int], named: Sequence[tuple[str, Chunking]]) -> Ranking:
    """Rank the chunkings of a document and trivial baselines by boundary F1 against known boundaries.

    The baselines are no cut, evenly spaced cuts and random cuts. The latter two have as many cuts as the chunking with the
    highest F1, and are left out if it has none. The random cuts are those with the median F1 among `DRAWN` draws. No
    baseline uses the number of known boundaries.

    ``known`` holds the known boundaries in code points. The counts of a section are three numbers: 1 if the boundary at its
    beginning is found, 1 if it is missed, and the number of cuts inside the section.
    """
    reference = segmentation_in_sentences(document, known)
    edges = [0, *reference.boundaries, reference.units]

    def section_counts(places: Sequence[int]) -> IntArray:
        cuts = set(places)
        rows = []
        for number, (first, last) in enumerate(pairwise(edges)):
            found = number > 0 and first in cuts
            added = bisect_left(places, last) - bisect_left(places, first + 1)
            rows.append((found, number > 0 and not found, added))
        return np.array(rows, dtype=np.intp).reshape(-1, 3)

    boundaries = [segmentation_in_sentences(document, cut_offsets(made)).boundaries for _, made in named]
    contenders = [Contender(name, section_counts(cuts)) for (name, _), cuts in zip(named, boundaries, strict=True)]
    contenders.append(Contender(NO_CUT, section_counts(()), trivial=True))
    cut_count = len(
        max(zip(contenders, boundaries, strict=False), key=lambda pair: _f1_of_sections(pair[0].counts), default=((), ()))[1]
    )
    if cut_count:
        even = evenly_spaced_cuts(reference.units, cut_count)
        median_random = sorted(
            (random_cuts(reference.units, cut_count, draw) for draw in range(DRAWN)),
            key=lambda cuts: _f1_of_sections(section_counts(cuts)),
        )[DRAWN // 2]
        contenders += [
            Contender(evenly_spaced_cuts_name(cut_count), section_counts(even), trivial=True, cuts=even),
            Contender(random_cuts_name(cut_count), section_counts(median_random), trivial=True, cuts=median_random),
        ]
    return rank_contenders(contenders, f1_from_counts, [_f1_of_sections(contender.counts) for contender in contenders])


def _f1_of_sections(counts: IntArray) -> float:
    return float(f1_from_counts(counts.sum(axis=0)))


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


def count_cut_positions(chunking: Chunking, embedder: Embedder | None = None) -> CutPositions:
    """Count a chunking's cuts by position, such as at paragraph ends or inside sentences."""
    kinds = [kind for kind, _ in _positions_with_kinds(chunking, embedder)]
    return CutPositions(
        len(kinds) - kinds.count("too long"), *(kinds.count(kind) for kind in ("end", "sentence", "block", "too long"))
    )


def _positions_with_kinds(chunking: Chunking, embedder: Embedder | None) -> list[tuple[str, int]]:
    """Return the kind and position of each cut, and of each chunk that is too long."""
    return [
        *_cuts_with_kinds(chunking.document, cut_offsets(chunking)),
        *(("too long", chunk.start) for chunk, *_ in chunks_beyond_embedder_limit(chunking, embedder)),
    ]


def _cuts_with_kinds(document: Document, cuts: Iterable[int]) -> list[tuple[str, int]]:
    """Return the kind and position of each of the ``cuts``, code points."""
    text, special_blocks = document.text, outline_of(document.text).special
    starts = [block.span.start for block in special_blocks]
    kinds_and_cuts = []
    for cut in cuts:
        start, end = document.sentences[document.sentence_at(cut)]
        block = special_blocks[bisect_left(starts, cut) - 1].span if bisect_left(starts, cut) else None
        if start < cut < end:
            kinds_and_cuts.append(("sentence", cut))
        elif block is not None and block.start < cut < block.end:
            kinds_and_cuts.append(("block", cut))
        else:
            visible_end = len(text[:cut].rstrip()) if cut - 200 < 0 else cut - 200 + len(text[cut - 200 : cut].rstrip())
            kinds_and_cuts.append(("end" if _PARAGRAPH_END.search(text, visible_end, cut) else "between", cut))
    return kinds_and_cuts


_POINTS = {"end": 1, "between": 0, "sentence": -1, "block": -1, "too long": -1}


@dataclass(frozen=True)
class StructurePoints:
    """Scoring by structure: mean points per cut or oversized chunk, smoothed by extra cuts at chance level.

    Without the extra cuts, a chunker would gain by leaving out its less certain cuts.

    Attributes
    ----------
    chance
        Mean points of a cut over all gaps between two sentences, which each extra cut scores.
    further
        Number of extra cuts.
    """

    chance: float
    further: int

    @classmethod
    def of(cls, document: Document) -> "StructurePoints":
        """Return the scoring for a document, with one extra cut at chance level per paragraph."""
        kinds = [kind for kind, _ in _cuts_with_kinds(document, document.starts[1:])]
        chance = sum(_POINTS[kind] for kind in kinds) / max(1, len(kinds))
        return cls(chance, 1 + sum(1 for _ in _PARAGRAPH_END.finditer(document.text)))

    def __call__(self, sums: FloatArray) -> FloatArray:
        """Return the values, shape (...), of points and cuts, shape (..., 2)."""
        return np.asarray((sums[..., 0] + self.further * self.chance) / (sums[..., 1] + self.further))


def rank_by_structure(
    document: Document,
    named: Sequence[tuple[str, Chunking]],
    embedder: Embedder | None = None,
    apart: Collection[int] = (),
) -> Ranking:
    """Rank the chunkings of a document by how well their cuts respect its sentences, blocks and paragraphs.

    `StructurePoints` has the scoring.

    The sections of the ranking are the paragraphs. Chunkings whose numbers are in ``apart`` have a value but no rank.
    """
    ends = [match.end() for match in _PARAGRAPH_END.finditer(document.text)]
    points = StructurePoints.of(document)
    contenders: list[Contender] = []
    values: list[float | None] = []
    for number, (name, made) in enumerate(named):
        counts = np.zeros((len(ends) + 1, 2), dtype=np.intp)
        for kind, place in _positions_with_kinds(made, embedder):
            counts[bisect_left(ends, place)] += (_POINTS[kind], 1)
        contenders.append(Contender(name, counts, apart=number in apart))
        sums = counts.sum(axis=0)
        values.append(float(points(sums)) if sums[1] else None)
    return rank_contenders(contenders, points, values, width=2.0, measure="points per cut")
