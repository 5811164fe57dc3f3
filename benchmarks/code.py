"""Functions that fit into a chunk and are cut: `code` beside two other libraries.

``python -m benchmarks.code`` draws files from the packages that are installed here; ``python -m benchmarks.code FOLDER...``
draws them from folders with sources in any language that `code` knows.
"""

import argparse
import ast
import io
import random
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from tree_sitter import Node, Parser

from benchmarks.harness import markdown_table, timed
from chunkers import Document, Tools, build_chunker, load_tokenizer, run
from chunkers.text.code_syntax import GRAMMARS, detect_programming_language, load_grammar

ROOT = Path(__file__).resolve().parent.parent

INSTALLED = (Path(sysconfig.get_path("purelib")), ROOT / "node_modules")
"""The folders of installed packages."""

SEED = 34

LONGEST = 300_000
"""Bytes of the longest file that is drawn; longer ones are mostly generated."""

MOST_CUT = 0.01
"""The largest share of fitting functions that `code` may cut."""

KINDS = {
    "arrow_function",
    "closure_expression",
    "compact_constructor_declaration",
    "constructor_declaration",
    "func_literal",
    "function_declaration",
    "function_definition",
    "function_expression",
    "function_item",
    "generator_function",
    "generator_function_declaration",
    "lambda_expression",
    "method_declaration",
    "method_definition",
}
"""The nodes of tree-sitter that are functions, if they have a body of statements; Python's own parser finds Python's."""

BODIES = {"block", "compound_statement", "constructor_body", "field_initializer_list", "statement_block", "try_statement"}

NAMING = {
    "assignment_expression",
    "export_statement",
    "expression_statement",
    "field_definition",
    "lexical_declaration",
    "pair",
    "public_field_definition",
    "variable_declaration",
    "variable_declarator",
}
"""The nodes that give a function its name or export it, which is counted with it."""

LANGCHAIN = {"javascript": "js", "typescript": "ts", "tsx": "ts"}
"""Languages that have another name in LangChain."""

HEAD = (
    *("language", "files", "functions", "characters", "chunker", "chunks"),
    *("functions that fit", "cut", "too long", "MB/s"),
)

Cutter = Callable[[str], list[tuple[int, int]]]


class Row(NamedTuple):
    """The result of one chunker on the files of one language.

    Attributes
    ----------
    files, functions
        Numbers of files, and of functions of any length in them.
    size
        The most characters of a chunk.
    fitting, cut
        Numbers of functions of at most that many characters, and of those that are in more than one chunk.
    long
        Number of chunks above the size.
    speed
        Megabytes a second.
    """

    language: str
    files: int
    functions: int
    size: int
    chunker: str
    chunks: int
    fitting: int
    cut: int
    long: int
    speed: float

    @property
    def share(self) -> float:
        """The share of fitting functions that are cut."""
        return self.cut / self.fitting if self.fitting else 0.0


def source_files(language: str, count: int, folders: Sequence[Path] = INSTALLED) -> list[str]:
    """Return the texts of at most ``count`` different files with functions in a language, drawn from folders."""
    endings = GRAMMARS[language].endings
    paths = sorted(path for folder in folders for ending in endings for path in folder.rglob(f"*{ending}") if path.is_file())
    texts: dict[str, None] = {}
    for path in random.Random(SEED).sample(paths, len(paths)):
        if len(texts) == count:
            break
        try:
            text = path.read_bytes().decode("utf-8") if path.stat().st_size <= LONGEST else ""
        except UnicodeDecodeError:
            continue
        # Headers of C and C++ have the same ending.
        if detect_programming_language(text, path.name, "code").language == language and function_spans(text, language):
            texts[text] = None
    return [*texts]


def function_spans(text: str, language: str) -> list[tuple[int, int]]:
    """Return the spans of the functions of a text, without those that have syntax errors."""
    return _python_function_spans(text) if language == "python" else _parsed_function_spans(text, language)


def _python_function_spans(text: str) -> list[tuple[int, int]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    lines = [*io.StringIO(text, newline="")]
    starts = [0, *accumulate(map(len, lines))]

    def offset(row: int, column: int) -> int:
        return starts[row - 1] + len(lines[row - 1].encode()[:column].decode())

    return [
        (offset(node.lineno, node.col_offset), offset(node.end_lineno or 0, node.end_col_offset or 0))
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _parsed_function_spans(text: str, language: str) -> list[tuple[int, int]]:
    data = text.encode()
    waiting, spans = [Parser(load_grammar(language)).parse(data).root_node], []
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.type in KINDS and not node.has_error and _has_body(node):
            while node.parent is not None and node.parent.type in NAMING:
                node = node.parent
            spans.append((len(data[: node.start_byte].decode()), len(data[: node.end_byte].decode())))
    return spans


def _has_body(node: Node) -> bool:
    return any(child.type in BODIES for child in node.children)


def is_cut(span: tuple[int, int], starts: Sequence[int]) -> bool:
    """Return whether a chunk begins inside a span."""
    return any(span[0] < start < span[1] for start in starts)


def _piece_spans(text: str, pieces: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of pieces that stand in a text in this order."""
    behind = 0
    for piece in pieces:
        if piece.strip() and (start := text.find(piece, behind)) >= 0:
            behind = start + len(piece)
            yield start, behind


def chunkers_by_name(language: str, size: int) -> Mapping[str, Cutter]:
    """Return functions from a text to the spans of its chunks, by the chunker's name."""
    # Tests that only count functions do not wait for them.
    from langchain_text_splitters import Language as LangChainLanguage
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from llama_index.core.node_parser import CodeSplitter

    tools = Tools(None, load_tokenizer("characters"))
    ours = build_chunker("code", {"max_size": size, "language": language})
    recursive = RecursiveCharacterTextSplitter.from_language(
        LangChainLanguage(LANGCHAIN.get(language, language)), chunk_size=size, chunk_overlap=0
    )
    splitter = CodeSplitter(language, max_chars=size, parser=Parser(load_grammar(language)))

    def llama_index(text: str) -> list[tuple[int, int]]:
        try:
            return [*_piece_spans(text, splitter.split_text(text))]
        except ValueError:
            # It refuses some files with syntax errors, which stay whole.
            return [(0, len(text))]

    return {
        "`code`": lambda text: [chunk.spans[0] for chunk in run(ours, Document.from_text(text, "lines"), tools)],
        "LangChain's `from_language`": lambda text: [*_piece_spans(text, recursive.split_text(text))],
        "LlamaIndex's CodeSplitter": llama_index,
    }


def measure_chunkers(language: str, size: int, texts: Sequence[str]) -> Iterator[Row]:
    """Yield the result of each chunker on the texts of one language."""
    functions_of_texts = [function_spans(text, language) for text in texts]
    spans = [[span for span in some if span[1] - span[0] <= size] for some in functions_of_texts]
    totals = (language, len(texts), sum(map(len, functions_of_texts)))
    size_mb = sum(len(text.encode()) for text in texts) / 1e6
    for name, cutter in chunkers_by_name(language, size).items():
        seconds, chunks = timed(lambda cutter=cutter: [cutter(text) for text in texts])  # type: ignore[misc]
        starts = [[start for start, _ in some] for some in chunks]
        cut = sum(is_cut(span, begun) for some, begun in zip(spans, starts, strict=True) for span in some)
        long = sum(end - start > size for some in chunks for start, end in some)
        yield Row(*totals, size, name, sum(map(len, chunks)), sum(map(len, spans)), cut, long, size_mb / seconds)


def _cells(row: Row) -> list[str]:
    return [
        row.language,
        f"{row.files:,}",
        f"{row.functions:,}",
        f"{row.size:,}",
        row.chunker,
        f"{row.chunks:,}",
        f"{row.fitting:,}",
        f"{row.cut:,} ({row.share:.1%})",
        f"{row.long:,}",
        f"{row.speed:.1f}",
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 1 if `code` cuts too many functions or exceeds the size."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.code", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, default=INSTALLED, help="folders with sources, not packages here")
    parser.add_argument("--languages", nargs="+", choices=GRAMMARS, default=[*GRAMMARS], help="default: all")
    parser.add_argument("--files", type=int, default=150, help="files of each language (default: %(default)s)")
    parser.add_argument("--sizes", type=int, nargs="+", default=[400, 1000], help="characters of a chunk")
    given = parser.parse_args(arguments)
    rows: list[Row] = []
    for language in given.languages:
        if texts := source_files(language, given.files, given.folders):
            rows += [row for size in given.sizes for row in measure_chunkers(language, size, texts)]
    print(markdown_table(HEAD, [_cells(row) for row in rows]))
    return int(any(row.share > MOST_CUT or row.long for row in rows if row.chunker == "`code`"))


if __name__ == "__main__":
    sys.exit(main())
