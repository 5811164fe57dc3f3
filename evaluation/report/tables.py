"""The tables of a report: the numbers and sentences that the page has of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from chunkers import Chunker, Chunking, Document, Embedder, InputError, Tools, build_chunker, load_tokenizer, run
from chunkers.support.arrays import VectorArray
from chunkers.support.numbers import counted, milliseconds
from evaluation.inbox.rules import counts, inbox
from evaluation.questions.marked_file import Marked
from evaluation.segmentation.boundary_scores import why_no_cut_wins
from evaluation.segmentation.measures import Segmentation, cuts_of, in_sentences
from evaluation.segmentation.ranking import by_known, by_structure
from evaluation.segmentation.unlabelled import BASELINES, sizes_of, unlabelled
from evaluation.tables.cells import Cell, Head, count, unknown
from evaluation.tables.segmentation import (
    BY_KNOWN,
    BY_STRUCTURE,
    FOUND,
    OF_EDITS,
    SUSPICIOUS,
    UNLABELLED,
    boundary_cells,
    found_cells,
    lead_cells,
    spread_cell,
    structure_cells,
    suspicious_cell,
    unlabelled_cells,
)

MOST_QUESTIONS = 20
"""Most kept questions that have a column of their own in the table; its first column counts all of them."""


@dataclass(frozen=True)
class Table:
    """Table of a report, with a summary in sentences.

    Attributes
    ----------
    title
        Heading of the table.
    said
        Summary in sentences; empty if there is none.
    heads
        Headings of the number columns, with explanations.
    rows
        Name and cells of each row.
    """

    title: str
    said: str
    heads: Sequence[Head]
    rows: Sequence[tuple[str, Sequence[Cell]]] = field(default_factory=tuple)


@dataclass(frozen=True)
class Compared:
    """Chunkers with their results for one document, to be compared in a report.

    Attributes
    ----------
    document
        The document that was cut.
    columns
        Each chunker with its result.
    known
        Known boundaries in code points; None if there are none.
    embedder, tokenizer
        The embedder that will read the chunks, or None, and the name of the tokenizer that counts tokens.
    vectors
        Vectors of the sentences, shape (n, dimension); None if they have not been computed.
    questions
        The kept questions about the document, with their marked answers.
    """

    document: Document
    columns: Sequence[tuple[Chunker, Chunking]]
    known: tuple[int, ...] | None = None
    embedder: Embedder | None = None
    tokenizer: str = "all-MiniLM-L6-v2"
    vectors: VectorArray | None = None
    questions: Sequence[Marked] = ()

    @property
    def names(self) -> list[str]:
        """Numbered titles of the compared chunkers."""
        return [f"{chunker.title} (column {number})" for number, (chunker, _) in enumerate(self.columns, start=1)]

    @property
    def tools(self) -> Tools:
        """Services that count tokens for the report."""
        return Tools(self.embedder, load_tokenizer(self.tokenizer))


def ranking(compared: Compared) -> Table:
    """Return the table that ranks the chunkers, by known boundaries or by structure."""
    named_chunkings = [(name, chunking) for name, (_, chunking) in zip(compared.names, compared.columns, strict=True)]
    document, known = compared.document, compared.known
    apart = [place for place, (chunker, _) in enumerate(compared.columns) if chunker.reads_blocks]
    ranked = (
        by_structure(document, named_chunkings, compared.embedder, apart)
        if known is None
        else by_known(document, known, named_chunkings)
    )
    summary = f"{ranked.words()} {ranked.basis(known is not None)}"
    places, names = ranked.order, [contender.name for contender in ranked.contenders]
    if known is None:
        # On paper there is room for the first of its cells.
        cells = [structure_cells(chunking, compared.embedder, None)[:1] for _, chunking in named_chunkings]
        heads = BY_STRUCTURE[:5]
    else:
        reference = in_sentences(document, known)
        cut = [in_sentences(document, cuts_of(chunking)) for _, chunking in named_chunkings]
        summary = f"{summary} {why_no_cut_wins(reference, cut)}".rstrip()
        cut += [Segmentation(reference.units, contender.cuts) for contender in ranked.contenders[len(named_chunkings) :]]
        cells, heads = [boundary_cells(reference, segmentation) for segmentation in cut], BY_KNOWN
    rows = [(names[place], lead_cells(ranked, place) + cells[place]) for place in places]
    return Table("Which is best?", summary, heads, rows)


def scores(compared: Compared) -> Table:
    """Return the table of chunk counts, sizes, found and missed boundaries, and suspicious cuts."""
    heads = [
        Head("Chunks", "Number of chunks."),
        Head("Characters", "Fewest, median and most in a chunk."),
        Head("Tokens", f"Fewest, median and most in a chunk, as {compared.tokenizer} counts them."),
        *(() if compared.known is None else FOUND),
        SUSPICIOUS,
        Head("Decide, ms", "What cutting took once the embeddings were there."),
    ]
    rows = [
        (name, _scored(compared, chunking)) for name, (_, chunking) in zip(compared.names, compared.columns, strict=True)
    ]
    return Table("Scores", "", heads, rows)


def _scored(compared: Compared, chunking: Chunking) -> list[Cell]:
    texts, timing = [*chunking.texts], chunking.timing
    tokens = None
    with suppress(InputError):
        tokens = load_tokenizer(compared.tokenizer).count(texts)
    return [
        count(len(texts)),
        spread_cell([len(chunk_text) for chunk_text in texts]),
        spread_cell(tokens),
        *([] if compared.known is None else found_cells(chunking, compared.known)),
        suspicious_cell(counts(inbox(chunking, compared.embedder))),
        unknown() if timing is None else Cell(milliseconds(timing.decide_ms + timing.merge_ms)),
    ]


def without_labels(compared: Compared) -> Table:
    """Return the table of measures that need no known boundaries, with rows for trivial baselines."""
    tools = compared.tools
    columns = [(name, *column) for name, column in zip(compared.names, compared.columns, strict=True)]
    for name, parameters in BASELINES:
        chunker = build_chunker("fixed_sentences", parameters)
        columns.append((name, chunker, run(chunker, compared.document, tools)))
    rows = [
        (name, unlabelled_cells(unlabelled(chunking, compared.vectors, sizes_of(chunking, chunker, tools))))
        for name, chunker, chunking in columns
    ]
    note = "No number is a grade by itself: few cuts leave blocks whole, short chunks are alike inside."
    return Table("Without labels", note, UNLABELLED[:-OF_EDITS], rows)


def answers(compared: Compared) -> Table:
    """Return the table of the chunks that contain the marked answers of the kept questions."""
    shown = compared.questions[:MOST_QUESTIONS]
    heads = [
        Head("Answers whole", "Kept questions whose marked answer stands in one chunk, whether or not it is retrieved."),
        *(Head(f"{number}", f"{question.question} → “{question.answer}”") for number, question in enumerate(shown, start=1)),
    ]
    rows = []
    for name, (_, chunking) in zip(compared.names, compared.columns, strict=True):
        cells = [_answer_cell(chunking, question) for question in compared.questions]
        whole = sum(cell.value == 1 for cell in cells)
        rows.append((name, [Cell(f"{whole:,} of {len(cells):,}", whole), *cells[:MOST_QUESTIONS]]))
    left = len(compared.questions) - len(shown)
    return Table("Kept questions", f"{counted(left, 'further question')} only counted." if left else "", heads, rows)


def _answer_cell(chunking: Chunking, question: Marked) -> Cell:
    """Return the first chunk that contains a marked answer, or the number of chunks that contain parts of it."""
    start, end = question.start, question.start + len(question.answer)
    parts = 0
    for number, chunk in enumerate(chunking.chunks, start=1):
        if any(span.start <= start and end <= span.end for span in chunk.spans):
            return Cell(f"chunk {number:,}", 1)
        parts += any(span.start < end and start < span.end for span in chunk.spans)
    return Cell(f"split in {parts:,}" if parts else "in none", parts or None)
