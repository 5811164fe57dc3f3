"""The code that cuts a text by a recipe, ready to be copied into a pipeline, for each library and without one.

Each program reads ``document.txt`` and leaves the texts of the chunks in ``chunks``; that of the command line prints JSON.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from chunkers import Recipe
from chunkers.commands.shared_command_parts import format_parameters

Tool = Literal["langchain", "llama_index", "haystack", "chonkie", "python", "command_line"]

TITLE_BY_TOOL: Mapping[Tool, str] = {
    "langchain": "LangChain",
    "llama_index": "LlamaIndex",
    "haystack": "Haystack",
    "chonkie": "Chonkie",
    "python": "Python",
    "command_line": "Command line",
}
"""Targets of generated code, with their names on the page."""

REQUIREMENT_BY_TOOL: Mapping[Tool, str] = {
    "langchain": "langchain-text-splitters",
    "llama_index": "llama-index-core",
    "haystack": "haystack-ai",
    "chonkie": "chonkie",
}
"""The package that the code takes beside Seamark, as pip knows it."""

EXAMPLE_FILE = "document.txt"
READING_CODE = f'text = Path("{EXAMPLE_FILE}").read_bytes().decode("utf-8")'


@dataclass(frozen=True)
class Program:
    """Generated Python program, divided into imports and body.

    Attributes
    ----------
    imports
        Import statements, one per line, without the import of ``Path``.
    body
        Code that makes ``chunks``, a list of texts, from ``text``.
    """

    imports: tuple[str, ...]
    body: str

    @property
    def without_file_reading(self) -> str:
        """Program without the code that reads a file, for callers that already have the variable ``text``."""
        return "\n".join(self.imports) + f"\n\n{self.body}\n"

    def __str__(self) -> str:
        """Return the whole program, which reads the text from a file."""
        return "\n".join(["from pathlib import Path", "", *self.imports, "", READING_CODE, self.body]) + "\n"


def recipe_code_for_tool(tool: Tool, recipe: Recipe) -> str:
    """Return Python code or a shell command that applies a recipe with Seamark's integration for a tool."""
    return _shell_command(recipe) if tool == "command_line" else str(python_program_for_recipe(tool, recipe))


def python_program_for_recipe(tool: Tool, recipe: Recipe) -> Program:
    """Return a Python program that applies a recipe. Raise ValueError if ``tool`` is the command line."""
    recipe_assignment_code = f"recipe = {python_literal(_cut_determining_fields(recipe))}\n"
    match tool:
        case "langchain":
            return Program(
                ("from seamark.integrations.langchain import SeamarkTextSplitter",),
                f"{recipe_assignment_code}splitter = SeamarkTextSplitter(recipe)\n"
                "documents = splitter.create_documents([text])  # with start_index and heading_path in their metadata\n"
                "chunks = [document.page_content for document in documents]",
            )
        case "llama_index":
            return Program(
                (
                    "from llama_index.core import Document",
                    "",
                    "from seamark.integrations.llama_index import SeamarkNodeParser",
                ),
                f"{recipe_assignment_code}parser = SeamarkNodeParser(recipe)\n"
                "nodes = parser.get_nodes_from_documents([Document(text=text)])\n"
                "chunks = [node.text for node in nodes]",
            )
        case "haystack":
            return Program(
                ("from haystack import Document", "", "from seamark.integrations.haystack import SeamarkDocumentSplitter"),
                f"{recipe_assignment_code}splitter = SeamarkDocumentSplitter(recipe)  # a component: "
                f"pipeline.add_component(...)\n"
                'documents = splitter.run(documents=[Document(content=text)])["documents"]\n'
                "chunks = [document.content for document in documents]",
            )
        case "chonkie":
            return Program(
                ("from seamark.integrations.chonkie import SeamarkChunker",),
                f"{recipe_assignment_code}chunker = SeamarkChunker(recipe)\nchunks = [chunk.text for chunk in "
                "chunker(text)]",
            )
        case "python":
            non_chunker_recipe_fields = {
                name: field
                for name, field in _cut_determining_fields(recipe).items()
                if name not in ("chunker", "parameters")
            }
            chunk_call_arguments = [
                f"{name}={python_literal(argument)}"
                for name, argument in {**non_chunker_recipe_fields, **recipe.settings()}.items()
            ]
            chunk_call_code = format_function_call("chunk", ["text", python_literal(recipe.chunker), *chunk_call_arguments])
            return Program(
                ("from seamark import chunk",),
                f"result = {chunk_call_code}\nchunks = [*result.texts]  # result[0].start, result.gaps[0].reason and so on",
            )
    raise ValueError(f"there is no Python program for {tool}")


def _cut_determining_fields(recipe: Recipe) -> dict[str, Any]:
    """Return the fields of a recipe that determine the cuts, without the versions."""
    return {name: field for name, field in recipe.model_dump().items() if name not in ("recipe", "versions")}


def _shell_command(recipe: Recipe) -> str:
    recipe_field_by_name = _cut_determining_fields(recipe)
    chunker_settings_text = format_parameters(recipe.settings())
    chunker_with_settings = f"{recipe.chunker}:{chunker_settings_text}" if chunker_settings_text else recipe.chunker
    command_line_options = [
        f"--{name.replace('_', '-')} {shlex.quote(recipe_field_by_name[name])}"
        for name in ("sentences", "embedder", "tokenizer", "embedded_as", "language_model")
        if name in recipe_field_by_name
    ]
    return (
        " \\\n    ".join(
            [f"seamark chunk {EXAMPLE_FILE} --chunker {shlex.quote(chunker_with_settings)}", *command_line_options]
        )
        + "\n"
    )


def python_literal(value: Any) -> str:
    """Format a JSON-compatible value as a Python literal, with one line per dictionary entry.

    A text becomes a single literal, whatever it contains, so that no text in a recipe can run as code.
    """
    if isinstance(value, Mapping):
        if not value:
            return "{}"
        dictionary_entry_lines = [
            f"    {python_literal(name)}: {_indent_continuation_lines(python_literal(entry))},\n"
            for name, entry in value.items()
        ]
        return "{\n" + "".join(dictionary_entry_lines) + "}"
    if isinstance(value, str):
        # The literals of JSON are Python's, as long as nothing is written as a pair of surrogates.
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(python_literal, value))}]"
    return repr(value)


def format_function_call(name: str, arguments: Sequence[str]) -> str:
    """Format a function call as code, with one argument per line if the call does not fit on one line."""
    one_line_call_code = f"{name}({', '.join(arguments)})"
    if len(one_line_call_code) <= 88 and "\n" not in one_line_call_code:
        return one_line_call_code
    return f"{name}(\n" + "".join(f"    {_indent_continuation_lines(argument)},\n" for argument in arguments) + ")"


def _indent_continuation_lines(code: str) -> str:
    return code.replace("\n", "\n    ")
