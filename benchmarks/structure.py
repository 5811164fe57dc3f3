"""Block integrity, chunk sizes and stability under edits of `structure`, compared with `recursive` at the same size."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from benchmarks.harness import build_function_adding_option, command_line_decorator_for_main, markdown_table
from chunkers import Document, Tools, build_chunker, load_tokenizer, run_chunker
from chunkers.text import read_document_text
from evaluation.segmentation import count_whole_spans, measure_chunk_changes_by_edits, spans_to_keep_whole
from sample_docs import SAMPLES_FOLDER
from tests.fixtures.structured_files import FILES

MAX_CHUNK_TOKENS = 250
"""The most tokens of a chunk, for both chunkers."""

EDIT_COUNT = 20
"""Sentences that are inserted, one at a time, at seeded places."""

LEAST_SOUND_SHARE, MOST_CHANGED_SHARE = 0.99, 0.02
"""The least share of blocks that are whole and of chunks that are within the size, and the most that an edit may change."""

CHUNKERS: dict[str, dict[str, Any]] = {
    "structure": {"max_size": MAX_CHUNK_TOKENS},
    "recursive": {"size": MAX_CHUNK_TOKENS, "unit": "tokens"},
}

HEAD = (
    "document",
    "chunker",
    "chunks",
    "blocks whole",
    "too long",
    "within the size",
    "changed",
    "at worst",
    "one chunk is",
)


class StructureRow(NamedTuple):
    """The result of one chunker on one document.

    Attributes
    ----------
    whole_block_count, fitting_block_count, all_blocks
        Numbers of blocks (tables, lists, code, formulas, and headings with the start of their section): those kept whole,
        those that fit into a chunk, and all.
    within_size_count
        Number of chunks within the size limit, including their heading path.
    changed, worst, inevitable
        The mean and the largest share of chunks that an inserted sentence changes, and the share of a single chunk.
    """

    document: str
    chunker: str
    chunks: int
    whole_block_count: int
    fitting_block_count: int
    all_blocks: int
    within_size_count: int
    changed: float
    worst: float
    inevitable: float

    @property
    def integrity(self) -> float:
        """The share of whole blocks among those that fit."""
        return self.whole_block_count / self.fitting_block_count if self.fitting_block_count else 1.0

    @property
    def compliance(self) -> float:
        """The share of chunks within the size limit."""
        return self.within_size_count / self.chunks

    @property
    def meets_targets(self) -> bool:
        """True if the chunker meets the targets for `structure`; in a short text, a single chunk may change."""
        largest_allowed_change = max(MOST_CHANGED_SHARE, self.inevitable)
        return (
            self.integrity >= LEAST_SOUND_SHARE
            and self.compliance >= LEAST_SOUND_SHARE
            and self.changed <= largest_allowed_change + 1e-9
        )

    def cells(self) -> list[str]:
        """Return the row of the table."""
        return [
            self.document,
            f"`{self.chunker}`",
            f"{self.chunks:,}",
            f"{self.whole_block_count:,} of {self.fitting_block_count:,}",
            f"{self.all_blocks - self.fitting_block_count:,}",
            f"{self.compliance:.1%}",
            *(f"{share:.1%}" for share in (self.changed, self.worst, self.inevitable)),
        ]


def structured_documents(names: Sequence[str] = ()) -> Iterator[Document]:
    """Yield the bundled Markdown documents and the files as read, all or those with the given names."""
    reader_by_file_name = {path.name: path.read_bytes for path in sorted(SAMPLES_FOLDER.glob("*.md"))} | FILES
    for name, file_bytes_reader in reader_by_file_name.items():
        if not names or name in names:
            yield Document.from_text(read_document_text(file_bytes_reader(), name).text, name=name)


def measure_chunker(document: Document, chunker_name: str, edit_count: int = EDIT_COUNT) -> StructureRow:
    """Measure one chunker on one document."""
    tools = Tools(None, load_tokenizer("all-MiniLM-L6-v2"))
    built_chunker = build_chunker(chunker_name, CHUNKERS[chunker_name])
    chunking = run_chunker(built_chunker, document, tools)
    blocks_to_keep_whole = spans_to_keep_whole(document.text)
    block_token_counts = tools.count_tokens([document.text[start:end] for _, (start, end) in blocks_to_keep_whole])
    fitting_blocks = [
        block for block, size in zip(blocks_to_keep_whole, block_token_counts, strict=True) if size <= MAX_CHUNK_TOKENS
    ]
    whole_and_total_blocks = count_whole_spans(
        fitting_blocks, [span for chunk in chunking for span in chunk.spans]
    ).whole_blocks_of_all_kinds
    chunk_token_counts = tools.count_tokens([f"{chunk.context}\n{chunk.text}" for chunk in chunking])
    edit_stability_result = measure_chunk_changes_by_edits(built_chunker, document, tools, edit_count)
    return StructureRow(
        document.name,
        chunker_name,
        len(chunking),
        whole_and_total_blocks.count,
        whole_and_total_blocks.total,
        len(blocks_to_keep_whole),
        sum(length <= MAX_CHUNK_TOKENS for length in chunk_token_counts),
        edit_stability_result.mean_changed_chunk_share,
        edit_stability_result.edit_changing_most_chunks.changed_chunk_share,
        edit_stability_result.inevitable,
    )


@command_line_decorator_for_main(
    build_function_adding_option(
        "--only", dest="document_names", action="append", default=[], metavar="NAME", help="one document, as table.md"
    ),
    build_function_adding_option(
        "--edits", dest="edit_count", type=int, default=EDIT_COUNT, help="inserted sentences (default: %(default)s)"
    ),
)
def main(document_names: list[str], edit_count: int) -> int:
    """Print the table; return 1 if `structure` misses its targets."""
    rows = [
        measure_chunker(document, chunker, edit_count)
        for document in structured_documents(document_names)
        for chunker in CHUNKERS
    ]
    print(markdown_table(HEAD, [row.cells() for row in rows]))
    return int(not all(row.meets_targets for row in rows if row.chunker == "structure"))


if __name__ == "__main__":
    raise SystemExit(main())
