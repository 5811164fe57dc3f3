"""Functions that fit into a chunk and are cut: `code` beside two other libraries.

``python -m benchmarks.code`` draws files from the packages that are installed here; ``python -m benchmarks.code FOLDER...``
draws them from folders with sources in any language that `code` knows.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from tree_sitter import Parser

from benchmarks.harness import (
    build_function_adding_option,
    command_line_decorator_for_main,
    markdown_table,
    seconds_and_result_of_call,
)
from chunkers import Document, Tools, build_chunker, load_tokenizer, run_chunker
from chunkers.text import GRAMMARS, load_grammar
from tests.fixtures.source_functions import INSTALLED, function_spans, is_cut, source_files

MOST_CUT_SHARE = 0.01
"""The largest share of fitting functions that `code` may cut."""

LANGCHAIN_LANGUAGE_NAMES = {"javascript": "js", "typescript": "ts", "tsx": "ts"}
"""Languages that have another name in LangChain."""

HEAD = (
    *("language", "files", "functions", "characters", "chunker", "chunks"),
    *("functions that fit", "cut", "too long", "MB/s"),
)

Cutter = Callable[[str], list[tuple[int, int]]]


def _piece_spans(text: str, pieces: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of pieces that stand in a text in this order."""
    search_start = 0
    for piece in pieces:
        if piece.strip() and (start := text.find(piece, search_start)) >= 0:
            search_start = start + len(piece)
            yield start, search_start


def cutter_by_chunker_name(language: str, max_chunk_characters: int) -> Mapping[str, Cutter]:
    """Return functions from a text to the spans of its chunks, by the chunker's name."""
    # Tests that only count functions do not wait for them.
    from langchain_text_splitters import Language as LangChainLanguage
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from llama_index.core.node_parser import CodeSplitter

    tools = Tools(None, load_tokenizer("characters"))
    our_code_chunker = build_chunker("code", {"max_size": max_chunk_characters, "language": language})
    langchain_splitter = RecursiveCharacterTextSplitter.from_language(
        LangChainLanguage(LANGCHAIN_LANGUAGE_NAMES.get(language, language)), chunk_size=max_chunk_characters, chunk_overlap=0
    )
    llama_index_splitter = CodeSplitter(language, max_chars=max_chunk_characters, parser=Parser(load_grammar(language)))

    def llama_index_spans(text: str) -> list[tuple[int, int]]:
        try:
            return [*_piece_spans(text, llama_index_splitter.split_text(text))]
        except ValueError:
            # It refuses some files with syntax errors, which stay whole.
            return [(0, len(text))]

    return {
        "`code`": lambda text: [
            chunk.spans[0] for chunk in run_chunker(our_code_chunker, Document.from_text(text, "lines"), tools)
        ],
        "LangChain's `from_language`": lambda text: [*_piece_spans(text, langchain_splitter.split_text(text))],
        "LlamaIndex's CodeSplitter": llama_index_spans,
    }


def yield_rows_and_whether_missed(
    language: str, max_chunk_characters: int, texts: Sequence[str]
) -> Iterator[tuple[list[str], bool]]:
    """Yield for each chunker on the texts of one language a row of the table, and whether `code` misses a target in it.

    Functions that fit are those of at most ``max_chunk_characters`` characters; a function is cut if it is in more than one
    chunk.
    """
    function_spans_by_text = [function_spans(text, language) for text in texts]
    fitting_spans_by_text = [
        [span for span in spans_of_text if span[1] - span[0] <= max_chunk_characters]
        for spans_of_text in function_spans_by_text
    ]
    fitting_function_count = sum(map(len, fitting_spans_by_text))
    size_mb = sum(len(text.encode()) for text in texts) / 1e6
    for chunker_name, cutter in cutter_by_chunker_name(language, max_chunk_characters).items():
        seconds, chunk_spans_by_text = seconds_and_result_of_call(lambda cutter=cutter: [cutter(text) for text in texts])  # type: ignore[misc]
        chunk_starts_by_text = [[start for start, _ in spans_of_text] for spans_of_text in chunk_spans_by_text]
        cut_function_count = sum(
            is_cut(span, starts_of_text)
            for spans_of_text, starts_of_text in zip(fitting_spans_by_text, chunk_starts_by_text, strict=True)
            for span in spans_of_text
        )
        long_chunk_count = sum(
            end - start > max_chunk_characters for spans_of_text in chunk_spans_by_text for start, end in spans_of_text
        )
        cut_function_share = cut_function_count / fitting_function_count if fitting_function_count else 0.0
        cells = [
            language,
            f"{len(texts):,}",
            f"{sum(map(len, function_spans_by_text)):,}",
            f"{max_chunk_characters:,}",
            chunker_name,
            f"{sum(map(len, chunk_spans_by_text)):,}",
            f"{fitting_function_count:,}",
            f"{cut_function_count:,} ({cut_function_share:.1%})",
            f"{long_chunk_count:,}",
            f"{size_mb / seconds:.1f}",
        ]
        yield cells, chunker_name == "`code`" and (cut_function_share > MOST_CUT_SHARE or long_chunk_count > 0)


@command_line_decorator_for_main(
    build_function_adding_option(
        "folders", nargs="*", type=Path, default=INSTALLED, help="folders with sources, not packages here"
    ),
    build_function_adding_option("--languages", nargs="+", choices=GRAMMARS, default=[*GRAMMARS], help="default: all"),
    build_function_adding_option(
        "--files", dest="file_count", type=int, default=150, help="files of each language (default: %(default)s)"
    ),
    build_function_adding_option("--sizes", type=int, nargs="+", default=[400, 1000], help="characters of a chunk"),
)
def main(folders: list[Path], languages: list[str], file_count: int, sizes: list[int]) -> int:
    """Print the table; return 1 if `code` cuts too many functions or exceeds the size."""
    rows_and_misses = [
        row
        for language in languages
        if (texts := source_files(language, file_count, folders))
        for size in sizes
        for row in yield_rows_and_whether_missed(language, size, texts)
    ]
    print(markdown_table(HEAD, [cells for cells, _ in rows_and_misses]))
    return int(any(misses for _, misses in rows_and_misses))


if __name__ == "__main__":
    raise SystemExit(main())
