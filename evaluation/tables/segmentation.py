"""Tables of the measures of a segmentation, with and without known boundaries: their heads and the cells of a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import starmap
from statistics import median

from chunkers import Chunking, Embedder
from chunkers.support.numbers import three_figures
from evaluation.inbox.rules import RULES
from evaluation.segmentation.boundary_scores import MEASURES, boundary_scores
from evaluation.segmentation.chunk_facts import against_known, sentence_counts
from evaluation.segmentation.integrity import integrity
from evaluation.segmentation.measures import Segmentation, cuts_of
from evaluation.segmentation.ranking import Ranking, structure
from evaluation.segmentation.stability import Stability
from evaluation.segmentation.unlabelled import EXPLAINED, Unlabelled
from evaluation.tables.cells import Cell, Head, count, difference, share, unknown

_BEHIND = (
    Head("Behind", "How far it is behind the best column."),
    Head("Interval", "Confidence interval of the difference, at the level of Holm's correction."),
    Head("p", "Share of differences as large if both swap at random what they do in a section, adjusted (Holm)."),
)

BY_KNOWN: Sequence[Head] = (
    Head("Boundary F1", "2 × found / (2 × found + missed + added), of cuts at known boundaries; higher is better."),
    *_BEHIND,
    *starmap(Head, MEASURES.items()),
)
"""The heads of a ranking by known boundaries: of `lead_cells`, then of `boundary_cells`."""

BY_STRUCTURE: Sequence[Head] = (
    Head(
        "Points per cut",
        "1 for a cut between paragraphs, 0 between other sentences, −1 inside a sentence, list, table, code or "
        "formula, and −1 for a chunk that is too long for the embedder; as many cuts at chance as the text has paragraphs "
        "are added, so that a few good cuts are no better than many.",
    ),
    *_BEHIND,
    Head("Blocks whole", "Headings, lists, tables, code and formulas that no cut parts."),
    Head("Sentences", "Median of the sentences of a chunk."),
    Head("Tokens", "Median of the tokens of a chunk; in brackets those of the longest."),
    Head("Cuts", "How many there are."),
    Head("Between paragraphs", "Cuts at the end of a paragraph."),
    Head("Inside sentences", "Cuts inside a sentence."),
    Head("Inside blocks", "Other cuts inside a list, a table, code or a formula."),
    Head("Too long", "Chunks that are longer than the embedder reads."),
)
"""The heads of a ranking by structure: of `lead_cells`, then of `structure_cells`."""

UNLABELLED = tuple(Head(name.capitalize(), explained) for name, explained in EXPLAINED.items())
"""The heads of the measures without labels: of `unlabelled_cells`, then of `edit_cells`."""

OF_EDITS = 3
"""Number of cells at the end of a row that are about edits."""

FOUND = (
    Head("Found", "Known boundaries with a cut."),
    Head("Missed", "Known boundaries without a cut."),
    Head("Added", "Cuts away from any known boundary."),
)
"""The heads of `found_cells`."""

SUSPICIOUS = Head("Suspicious", "Findings by the rules of the Failures page; they may be mistaken.")


def lead_cells(ranking: Ranking, place: int) -> list[Cell]:
    """Return the table cells for a chunking's score and its distance from the best, with interval and p-value."""
    lead = ranking.leads.get(place)
    own = difference(ranking.values[place], "It cuts nowhere." if ranking.values[place] is None else "")
    if lead is None:
        return [own, *[Cell("")] * 3]
    tested, why = lead.tested, lead.verdict
    behind = difference(lead.ahead, why)
    if tested is None:
        return [own, behind, unknown(why), unknown(why)]
    return [own, behind, Cell(lead.ends, tested.low, why), Cell(lead.p_words.rpartition(" ")[2], tested.adjusted, why)]


def boundary_cells(reference: Segmentation, segmentation: Segmentation) -> list[Cell]:
    """Return the table cells for a segmentation's scores against known boundaries."""
    scores = boundary_scores(reference, segmentation).values()
    return [unknown(score.undefined) if score.value is None else Cell(f"{score.value:.2f}", score.value) for score in scores]


def structure_cells(chunking: Chunking, embedder: Embedder | None, lengths: Sequence[int] | None) -> list[Cell]:
    """Return the table cells for whole blocks, chunk sizes and positions of the cuts in the text's structure.

    ``lengths`` holds the number of tokens of each chunk; None if tokens cannot be counted.
    """
    positions, whole = structure(chunking, embedder), integrity(chunking)
    sentences = median(sentence_counts(chunking) or [0])
    tokens = unknown("They cannot be counted here.")
    if lengths:
        middle = median(lengths)
        tokens = Cell(f"{middle:,.4g} ({max(lengths):,})", middle)
    numbers = (
        positions.cuts,
        positions.at_paragraph_ends,
        positions.inside_sentences,
        positions.inside_blocks,
        positions.too_long,
    )
    blocks = Cell(f"{whole.all.count:,} of {whole.all.of:,}", whole.all.share, whole.words())
    return [blocks, Cell(f"{sentences:,.4g}", sentences), tokens, *map(count, numbers)]


def unlabelled_cells(measured: Unlabelled) -> list[Cell]:
    """Return the table cells for measures that need no known boundaries."""
    blocks, sizes, contrast = measured.blocks, measured.sizes, measured.contrast
    cells = [
        count(measured.chunks),
        share(blocks.all.share, blocks.words() or "The text has no list, table, code, formula or heading."),
        unknown("No size is asked for, or it cannot be counted here.")
        if sizes is None
        else share(sizes.share, sizes.words()),
    ]
    if contrast is None:
        why = "The sentences of this text are not embedded: a column of Breakpoint without a buffer does that."
        return cells + [unknown(why)] * 4
    alone = "No two sentences share a chunk." if contrast.inside is None else "There is one chunk."
    return [
        *cells,
        difference(contrast.inside, f"{contrast.pairs:,} pairs" if contrast.pairs else alone),
        difference(contrast.across, f"{contrast.crossing:,} pairs" if contrast.crossing else alone),
        difference(contrast.difference, "" if contrast.difference is not None else alone),
        difference(measured.coherence, "" if measured.coherence is not None else alone),
    ]


def edit_cells(stability: Stability | str | None) -> list[Cell]:
    """Return the table cells for edit stability, or for the reason why it was not measured."""
    if not isinstance(stability, Stability):
        return [unknown(stability or "Not measured with these settings.")] * OF_EDITS
    worst = stability.worst
    where = f"after sentence {worst.after + 1:,}: {worst.changed:,} of {worst.chunks:,} chunks"
    return [share(stability.mean, stability.words()), share(worst.share, where), share(stability.inevitable)]


def spread_cell(sizes: Sequence[int] | None, why: str = "") -> Cell:
    """Return the table cell for minimum, median and maximum chunk size.

    ``sizes`` is None if they cannot be counted.
    """
    if not sizes:
        return unknown("They cannot be counted here." if sizes is None else "No chunks.")
    middle = median(sizes)
    return Cell(f"{min(sizes):,} · {three_figures(middle)} · {max(sizes):,}", middle, why, sizes)


def found_cells(chunking: Chunking, known: Sequence[int]) -> list[Cell]:
    """Return the table cells for known boundaries found, known boundaries missed, and cuts elsewhere."""
    return [count(number) for number in against_known(cuts_of(chunking), known)]


def suspicious_cell(counts: Mapping[str, int]) -> Cell:
    """Return the table cell for the number of suspicious findings, explained by the number for each rule."""
    return count(
        sum(counts.values()), ", ".join(f"{number:,} {RULES[name].title.lower()}" for name, number in counts.items())
    )
