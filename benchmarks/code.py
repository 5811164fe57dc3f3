"""Functions that fit into a chunk and are cut: `code` beside two other libraries.

``python -m benchmarks.code`` draws files from the packages that are installed here; ``python -m benchmarks.code FOLDER...``
draws them from folders with sources in any language that `code` knows.
"""

import ast
import io
import random
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path

from tree_sitter import Node, Parser

from benchmarks.harness import benchmark, markdown_table, option, timed
from chunkers import Document, Tools, build_chunker, load_tokenizer, run
from chunkers.text import GRAMMARS, detect_programming_language, load_grammar

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


def measure_chunkers(language: str, size: int, texts: Sequence[str]) -> Iterator[tuple[list[str], bool]]:
    """Yield for each chunker on the texts of one language a row of the table, and whether `code` misses a target in it.

    Functions that fit are those of at most ``size`` characters; a function is cut if it is in more than one chunk.
    """
    functions_of_texts = [function_spans(text, language) for text in texts]
    spans = [[span for span in spans_of_text if span[1] - span[0] <= size] for spans_of_text in functions_of_texts]
    fitting = sum(map(len, spans))
    size_mb = sum(len(text.encode()) for text in texts) / 1e6
    for name, cutter in chunkers_by_name(language, size).items():
        seconds, chunks = timed(lambda cutter=cutter: [cutter(text) for text in texts])  # type: ignore[misc]
        starts = [[start for start, _ in spans_of_text] for spans_of_text in chunks]
        cut = sum(
            is_cut(span, starts_of_text)
            for spans_of_text, starts_of_text in zip(spans, starts, strict=True)
            for span in spans_of_text
        )
        long = sum(end - start > size for spans_of_text in chunks for start, end in spans_of_text)
        share = cut / fitting if fitting else 0.0
        cells = [
            language,
            f"{len(texts):,}",
            f"{sum(map(len, functions_of_texts)):,}",
            f"{size:,}",
            name,
            f"{sum(map(len, chunks)):,}",
            f"{fitting:,}",
            f"{cut:,} ({share:.1%})",
            f"{long:,}",
            f"{size_mb / seconds:.1f}",
        ]
        yield cells, name == "`code`" and (share > MOST_CUT or long > 0)


@benchmark(
    option("folders", nargs="*", type=Path, default=INSTALLED, help="folders with sources, not packages here"),
    option("--languages", nargs="+", choices=GRAMMARS, default=[*GRAMMARS], help="default: all"),
    option("--files", type=int, default=150, help="files of each language (default: %(default)s)"),
    option("--sizes", type=int, nargs="+", default=[400, 1000], help="characters of a chunk"),
)
def main(folders: list[Path], languages: list[str], files: int, sizes: list[int]) -> int:
    """Print the table; return 1 if `code` cuts too many functions or exceeds the size."""
    measured = [
        row
        for language in languages
        if (texts := source_files(language, files, folders))
        for size in sizes
        for row in measure_chunkers(language, size, texts)
    ]
    print(markdown_table(HEAD, [cells for cells, _ in measured]))
    return int(any(misses for _, misses in measured))


if __name__ == "__main__":
    raise SystemExit(main())
