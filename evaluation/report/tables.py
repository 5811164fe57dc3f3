"""The tables of a report: the numbers and sentences that the page has of a comparison."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from chunkers import Chunker, Chunking, Document, Embedder, InputError, Tools, build_chunker, load_tokenizer, run
from chunkers.support.arrays import VectorArray
from chunkers.support.numbers import milliseconds, signed
from evaluation.inbox.rules import RULES, counts, inbox
from evaluation.segmentation.boundary_scores import MEASURES, boundary_scores, why_no_cut_wins
from evaluation.segmentation.chunk_facts import against_known
from evaluation.segmentation.integrity import integrity
from evaluation.segmentation.measures import Segmentation, cuts_of, in_sentences
from evaluation.segmentation.ranking import Ranking, by_known, by_structure
from evaluation.segmentation.unlabelled import BASELINES, EXPLAINED, Unlabelled, sizes_of, unlabelled

MEASURED = [*EXPLAINED][:-3]
"""The measures without labels that take no further runs."""


@dataclass(frozen=True)
class Cell:
    """A formatted number, and its explanation."""

    text: str
    why: str = ""


@dataclass(frozen=True)
class Table:
    """A table of a report.

    Attributes
    ----------
    title
        Its heading.
    said
        What it comes to, in sentences; empty where it comes to nothing.
    heads
        The names of its numbers, and what each is.
    rows
        A name and its cells.
    """

    title: str
    said: str
    heads: Sequence[tuple[str, str]]
    rows: Sequence[tuple[str, Sequence[Cell]]] = field(default_factory=tuple)


@dataclass(frozen=True)
class Compared:
    """Results that a report compares.

    Attributes
    ----------
    document
        The text.
    columns
        Each chunker with its result.
    known
        The known boundaries, code points; None where none are known.
    embedder, tokenizer
        What counts the tokens, and the embedder that will read the chunks; None where there is none.
    vectors
        Of the sentences, shape (n, dimension); None where they have not been computed.
    """

    document: Document
    columns: Sequence[tuple[Chunker, Chunking]]
    known: tuple[int, ...] | None = None
    embedder: Embedder | None = None
    tokenizer: str = "all-MiniLM-L6-v2"
    vectors: VectorArray | None = None

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [f"{chunker.title} (column {number})" for number, (chunker, _) in enumerate(self.columns, start=1)]

    @property
    def tools(self) -> Tools:
        """Tools that count tokens."""
        return Tools(self.embedder, load_tokenizer(self.tokenizer))


def ranking(compared: Compared) -> Table:
    """Return the ranking of the columns, by the known boundaries or by structure, as on the page."""
    named = [(name, chunking) for name, (_, chunking) in zip(compared.names, compared.columns, strict=True)]
    document, known = compared.document, compared.known
    apart = [place for place, (chunker, _) in enumerate(compared.columns) if chunker.reads_blocks]
    found = by_structure(document, named, compared.embedder, apart) if known is None else by_known(document, known, named)
    value = (
        (
            "Points per cut",
            "1 between paragraphs, 0 between other sentences, −1 inside a sentence or block, or too long; with as many cuts "
            "at chance as there are paragraphs.",
        )
        if known is None
        else ("Boundary F1", "2 × found / (2 × found + missed + added), of cuts at known boundaries; higher is better.")
    )
    heads = [
        value,
        ("Behind", "How far it is behind the best column."),
        ("Interval", "Confidence interval of the difference, at the level of Holm's correction."),
        ("p", "Share of differences as large if both swap at random what they do in a section, adjusted (Holm)."),
    ]
    said = f"{found.words()} {found.basis(known is not None)}"
    if known is None:
        rows = [
            (found.contenders[place].name, [*_lead(found, place), _kept_whole(compared.columns[place][1])])
            for place in found.order
        ]
        blocks = ("Blocks whole", "Headings, lists, tables, code and formulas that no cut parts.")
        return Table("Which is best?", said, [*heads, blocks], rows)
    reference = in_sentences(document, known)
    cut = [in_sentences(document, cuts_of(chunking)) for _, chunking in named]
    cut += [Segmentation(reference.units, one.cuts) for one in found.contenders[len(named) :]]
    rows = [(found.contenders[place].name, _lead(found, place) + _measured(reference, cut[place])) for place in found.order]
    said = f"{said} {why_no_cut_wins(reference, cut[: len(named)])}".rstrip()
    return Table("Which is best?", said, [*heads, *MEASURES.items()], rows)


def _kept_whole(chunking: Chunking) -> Cell:
    found = integrity(chunking)
    return Cell(f"{found.all.count:,} of {found.all.of:,}", found.words())


def _measured(reference: Segmentation, found: Segmentation) -> list[Cell]:
    scores = boundary_scores(reference, found).values()
    return [Cell("–", one.undefined) if one.value is None else Cell(f"{one.value:.2f}") for one in scores]


def _lead(found: Ranking, place: int) -> list[Cell]:
    value, lead = found.values[place], found.leads.get(place)
    own = Cell("–", "It cuts nowhere.") if value is None else Cell(signed(value, ".2f"))
    if lead is None:
        return [own, Cell(""), Cell(""), Cell("")]
    p = "" if lead.tested is None else lead.p_words.rpartition(" ")[2]
    return [own, *(Cell(one, lead.verdict) for one in (signed(lead.ahead, ".2f"), lead.ends, p))]


def scores(compared: Compared) -> Table:
    """Return the table of chunk counts, sizes, found and missed boundaries, and suspicious cuts."""
    known = compared.known
    heads = [
        ("Chunks", "Number of chunks."),
        ("Characters", "Fewest, median and most in a chunk."),
        ("Tokens", f"Fewest, median and most in a chunk, as {compared.tokenizer} counts them."),
        *(
            []
            if known is None
            else [
                ("Found", "Known boundaries with a cut."),
                ("Missed", "Known boundaries without a cut."),
                ("Added", "Cuts away from any known boundary."),
            ]
        ),
        ("Suspicious", "Findings by the rules of the Failures page; they may be mistaken."),
        ("Decide, ms", "What cutting took once the embeddings were there."),
    ]
    rows = [
        (name, _scored(compared, chunking)) for name, (_, chunking) in zip(compared.names, compared.columns, strict=True)
    ]
    return Table("Scores", "", heads, rows)


def _scored(compared: Compared, chunking: Chunking) -> list[Cell]:
    texts = [*chunking.texts]
    try:
        tokens = _spread([*load_tokenizer(compared.tokenizer).count(texts)])
    except InputError:
        tokens = Cell("–", "They cannot be counted here.")
    cells = [Cell(f"{len(texts):,}"), _spread([len(one) for one in texts]), tokens]
    if compared.known is not None:
        cells += [Cell(f"{count:,}") for count in against_known(cuts_of(chunking), compared.known)]
    found = counts(inbox(chunking, compared.embedder))
    said = ", ".join(f"{count:,} {RULES[name].title.lower()}" for name, count in found.items())
    timing = chunking.timing
    took = "–" if timing is None else milliseconds(timing.decide_ms + timing.merge_ms)
    return [*cells, Cell(f"{sum(found.values()):,}", said), Cell(took)]


def _spread(sizes: Sequence[int]) -> Cell:
    return Cell(f"{min(sizes):,} · {statistics.median(sizes):,.0f} · {max(sizes):,}") if sizes else Cell("–")


def without_labels(compared: Compared) -> Table:
    """Return the measures that need no known boundaries, the trivial answers in them too."""
    tools = compared.tools
    columns = [(name, *one) for name, one in zip(compared.names, compared.columns, strict=True)]
    for name, parameters in BASELINES:
        chunker = build_chunker("fixed_sentences", parameters)
        columns.append((name, chunker, run(chunker, compared.document, tools)))
    rows = [
        (name, _unlabelled(unlabelled(chunking, compared.vectors, sizes_of(chunking, chunker, tools))))
        for name, chunker, chunking in columns
    ]
    said = "No number is a grade by itself: few cuts leave blocks whole, short chunks are alike inside."
    return Table("Without labels", said, [(name.capitalize(), EXPLAINED[name]) for name in MEASURED], rows)


def _unlabelled(measured: Unlabelled) -> list[Cell]:
    blocks, sizes, contrast = measured.blocks, measured.sizes, measured.contrast
    cosines = (
        (None,) * 4 if contrast is None else (contrast.inside, contrast.across, contrast.difference, measured.coherence)
    )
    return [
        Cell(f"{measured.chunks:,}"),
        _share(blocks.all.share, blocks.words()),
        Cell("–", "No size is asked for.") if sizes is None else _share(sizes.share, sizes.words()),
        *(Cell("–") if one is None else Cell(signed(one, ".2f")) for one in cosines),
    ]


def _share(value: float | None, why: str) -> Cell:
    return Cell("–", why) if value is None else Cell(f"{value * 100:.3g}\N{NO-BREAK SPACE}%", why)
