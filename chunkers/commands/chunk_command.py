"""The command line that cuts documents: ``seamark chunk FILE... --chunker NAME``."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from chunkers.commands.arguments import (
    SPLITTER_NAMES,
    Parser,
    add_chunker_option,
    add_device_option,
    add_encoding_option,
    add_spending_option,
    document_reader,
    file_bytes,
    load_command_embedder,
    named_files,
    parse_chunker_spec,
    parse_spending_limit,
    preparation_watcher,
    print_to_stderr,
    run_command,
    warn_of_unusable_answers,
)
from chunkers.contract import Chunker, Tools
from chunkers.embedders import EMBEDDERS, OTHERS
from chunkers.language_models import Asking, SpendingLimit
from chunkers.recipes import ADAPTERS, ASKING, CHUNKERS, Recipe, discover, known_chunkers_phrase, run, to_dict
from chunkers.results import EMBEDDED_AS, EmbeddedAs
from chunkers.support import InputError, message_with_document_name
from chunkers.text import Document, load_tokenizer


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="seamark chunk",
        description="Cut documents into chunks; prints one JSON object per document.",
        epilog=f"The chunkers are {known_chunkers_phrase()}; installed packages may offer more.",
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="a document, a folder of them, or - for standard input")
    add_chunker_option(parser, chunks=True)
    embedder_names = ", ".join([*EMBEDDERS, *OTHERS])
    parser.add_argument("--embedder", metavar="NAME", help=f"one of {embedder_names}")
    add_device_option(parser)
    parser.add_argument(
        "--language-model",
        metavar="openai:NAME",
        help=f"for {', '.join(ASKING)} and --embedded-as context: a model of the server at OPENAI_BASE_URL, to which the "
        "text is sent",
    )
    add_spending_option(parser)
    parser.add_argument("--sentences", metavar="NAME", help=f"one of {SPLITTER_NAMES}")
    parser.add_argument("--tokenizer", metavar="NAME")
    parser.add_argument(
        "--embedded-as",
        choices=[*EMBEDDED_AS],
        help="with heading_path, each chunk also has the text to embed, headings first",
    )
    add_encoding_option(parser)
    parser.add_argument("--list", action="store_true", help="print every chunker with its parameters as JSON")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``seamark chunk`` and return its exit status."""
    return run_command(lambda: _run(_parser().parse_args(arguments)))


def _run(options: argparse.Namespace) -> int:
    """Print the declarations, or cut every file; files that cannot be read or cut are reported and passed over."""
    if options.list:
        for chunker_fault in discover():
            print_to_stderr(chunker_fault)
        print(json.dumps(chunker_declarations(), indent=2))
        return 0
    if not options.files:
        raise InputError("No file is named. Name at least one file to cut, or - for standard input.")
    spending_limit = parse_spending_limit(options.spend)
    if options.chunker is None:
        raise InputError(
            f"No chunker is named. Name it with --chunker, one of {known_chunkers_phrase()}, or give the file of a recipe."
        )
    chunker_spec = parse_chunker_spec(options.chunker, chunks=True)
    # For its defaults alone: whether the name is a chunker's is checked where it is built.
    base_recipe = chunker_spec.recipe or Recipe(chunker="")
    embedder = load_command_embedder(options.embedder or base_recipe.embedder, options.device)
    tokenizer = load_tokenizer(options.tokenizer or base_recipe.tokenizer)
    sentence_splitter_choice = options.sentences or base_recipe.sentences
    chunker = chunker_spec.build(embedder)
    if chunker_spec.is_chunk_file:
        chunker = chunker.for_documents([name for _, name in named_files(options.files)])
    chunk_embedding_choice = options.embedded_as or base_recipe.embedded_as
    model_access = _language_model_access(
        chunker, chunk_embedding_choice, options.language_model or base_recipe.language_model, spending_limit
    )
    tools = Tools(embedder, tokenizer, watcher=preparation_watcher(embedder), asking=model_access)
    try:
        is_older_recipe = chunker_spec.recipe is not None and chunker_spec.recipe.is_older
        return _cut_and_print_files(
            options, chunker, sentence_splitter_choice, tools, chunk_embedding_choice, is_older=is_older_recipe
        )
    finally:
        # However it ends: what was asked is paid for.
        if model_access is not None:
            print_to_stderr(f"{model_access.model.name}: {model_access.summary}.")


def _cut_and_print_files(
    options: argparse.Namespace,
    chunker: Chunker,
    sentences: str,
    tools: Tools,
    embedded_as: EmbeddedAs,
    *,
    is_older: bool,
) -> int:
    """Cut and print every file; return the exit status. With an older recipe, results note where cuts may have moved."""
    embedder = tools.embedder
    read_file_text = document_reader(options.encoding)
    exit_status = 0
    for file_path, name in named_files(options.files):
        try:
            file_text = read_file_text(file_bytes(file_path, name), name)
            document = Document.from_text(file_text.text, sentences, name, file_text.parts)
            chunking = run(chunker, document, tools, embedded_as)
        except InputError as error:
            print_to_stderr(message_with_document_name(name, error))
            exit_status = 2
            continue
        if is_older and (change_note := chunker.changed_since(len(document.sentences))):
            chunking = replace(chunking, notes=(*chunking.notes, change_note))
        result_as_dict = to_dict(chunking)
        result_as_dict["document"]["read_as"] = file_text.read_as
        if file_text.left_out:
            result_as_dict["document"]["left_out"] = file_text.left_out
        if chunking.timing is not None and chunking.timing.embedded and embedder is not None and embedder.engine:
            result_as_dict["timing"]["engine"] = embedder.engine
        print(json.dumps(result_as_dict, ensure_ascii=False, allow_nan=False), flush=True)
    return exit_status


def _language_model_access(
    chunker: Chunker, embedded_as: EmbeddedAs, name: str, limit: "SpendingLimit | None"
) -> "Asking | None":
    """Return access to the language model; None if neither the chunker nor ``embedded_as`` needs one."""
    if not chunker.asks and embedded_as != "context":
        return None
    if not name:
        asking_part_name = chunker.name if chunker.asks else "--embedded-as context"
        raise InputError(f"{asking_part_name} needs a language model; name it with --language-model, as openai:NAME.")
    from chunkers.language_models.requests_within_spending_limit import as_asking

    return as_asking(name, limit, warn_of_unusable_answers)


def chunker_declarations() -> dict[str, Any]:
    """Return the declared parameters of all chunkers and, for each adapter, whether its library is installed."""
    declaration_by_chunker_name = {
        name: _chunker_declaration(chunker) for name, chunker in [*CHUNKERS.items(), *ASKING.items()]
    }
    return declaration_by_chunker_name | {
        name: {**_chunker_declaration(adapter), "installed": adapter.version() is not None}
        for name, adapter in ADAPTERS.items()
    }


def _chunker_declaration(chunker: type[Chunker]) -> dict[str, Any]:
    declaration_by_parameter_name = {}
    for field_spec in chunker.fields():
        declaration: dict[str, Any] = {
            "type": field_spec.kind,
            "default": field_spec.default,
            "title": field_spec.title,
            "help": field_spec.help,
        }
        further_details = {"optional": field_spec.optional, "choices": list(field_spec.choices), "unit": field_spec.unit}
        parameter_bound_by_key = {"minimum": field_spec.low, "maximum": field_spec.high}
        declaration |= {key: value for key, value in further_details.items() if value}
        declaration |= {key: value for key, value in parameter_bound_by_key.items() if value is not None}
        if field_spec.depends:
            deciding_field = next(field for field in chunker.fields() if field.name == field_spec.depends)
            field_by_choice = {
                choice: next(
                    field for field in chunker.fields({field_spec.depends: choice}) if field.name == field_spec.name
                )
                for choice in deciding_field.choices
            }
            declaration[f"by {field_spec.depends}"] = {
                choice: {"default": field.default, "minimum": field.low, "maximum": field.high}
                for choice, field in field_by_choice.items()
            }
        declaration_by_parameter_name[field_spec.name] = declaration
    return {
        "title": chunker.title,
        "idea": chunker.idea,
        "source": chunker.source,
        "parameters": declaration_by_parameter_name,
    }
