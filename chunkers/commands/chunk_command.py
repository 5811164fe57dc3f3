"""The command line that cuts documents: ``seamark chunk FILE... --chunker NAME``."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from chunkers.commands.shared_command_parts import (
    Parser,
    add_chunker_option,
    add_device_option,
    add_document_arguments,
    add_language_model_options,
    add_setting_options,
    document_reader,
    load_shared_embedder_and_tokenizer,
    named_files,
    open_language_model,
    parse_all_chunker_specs,
    print_json,
    print_to_stderr,
    read_file_bytes,
    report_spending_at_end,
    run_command,
    shared_setting,
)
from chunkers.contract import Chunker, Tools
from chunkers.recipes import (
    ADAPTERS,
    CHUNKERS,
    MODEL_ASKING_CLASS_BY_NAME,
    known_chunkers_phrase,
    register_installed_chunkers,
    run_chunker,
    to_dict,
)
from chunkers.results import EMBEDDED_AS_LABELS, EmbeddedAs
from chunkers.support import InputError, message_with_document_name
from chunkers.text import Document


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="seamark chunk",
        description="Cut documents into chunks; prints one JSON object per document.",
        epilog=f"The chunkers are {known_chunkers_phrase()}; installed packages may offer more.",
    )
    add_document_arguments(parser, "*")
    add_chunker_option(parser)
    add_setting_options(parser, "sentences", "embedder", "tokenizer")
    add_device_option(parser)
    add_language_model_options(parser, f"for {', '.join(MODEL_ASKING_CLASS_BY_NAME)} and --embedded-as context")
    parser.add_argument(
        "--embedded-as",
        choices=[*EMBEDDED_AS_LABELS],
        help="with heading_path, each chunk also has the text to embed, headings first",
    )
    parser.add_argument("--list", action="store_true", help="print every chunker with its parameters as JSON")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``seamark chunk`` and return its exit status."""
    return run_command(lambda: _run(_parser().parse_args(arguments)))


def _run(options: argparse.Namespace) -> int:
    """Print the declarations, or cut every file; files that cannot be read or cut are reported and passed over."""
    if options.list:
        for unusable_chunker_message in register_installed_chunkers():
            print_to_stderr(unusable_chunker_message)
        print(json.dumps(build_chunker_declarations_dict(), indent=2))
        return 0
    if not options.files:
        raise InputError("No file is named. Name at least one file to cut, or - for standard input.")
    (chunker_spec,) = parse_all_chunker_specs(options)
    tools = load_shared_embedder_and_tokenizer(options, [chunker_spec])
    chunker = chunker_spec.build(tools.embedder)
    if chunker_spec.is_file_given_as_chunker:
        chunker = chunker.for_documents([name for _, name in named_files(options.files)])
    recipe = chunker_spec.recipe_of(chunker)
    chunk_embedding_method = options.embedded_as or recipe.embedded_as
    tools.asking = open_language_model(options, chunker, chunk_embedding_method, recipe)
    with report_spending_at_end(tools.asking):
        return _cut_and_print_files(
            options,
            chunker,
            shared_setting(options, "sentences", [chunker_spec]),
            tools,
            chunk_embedding_method,
            is_recipe_older=chunker_spec.recipe is not None and chunker_spec.recipe.is_older,
        )


def _cut_and_print_files(
    options: argparse.Namespace,
    chunker: Chunker,
    sentence_splitter_name: str,
    tools: Tools,
    way_of_embedding_chunks: EmbeddedAs,
    *,
    is_recipe_older: bool,
) -> int:
    """Cut and print every file; return the exit status. With an older recipe, results note where cuts may have moved."""
    embedder = tools.embedder
    file_text_reader = document_reader(options.encoding)
    exit_status = 0
    for file_path, document_name in named_files(options.files):
        try:
            file_text = file_text_reader(read_file_bytes(file_path, document_name), document_name)
            document = Document.from_text(file_text.text, sentence_splitter_name, document_name, file_text.parts)
            chunking = run_chunker(chunker, document, tools, way_of_embedding_chunks)
        except InputError as error:
            print_to_stderr(message_with_document_name(document_name, error))
            exit_status = 2
            continue
        if is_recipe_older and (changed_cuts_note := chunker.changed_since(len(document.sentences))):
            chunking = replace(chunking, notes=(*chunking.notes, changed_cuts_note))
        result_as_dict = to_dict(chunking)
        result_as_dict["document"]["read_as"] = file_text.read_as
        if file_text.left_out:
            result_as_dict["document"]["left_out"] = file_text.left_out
        if chunking.timing is not None and chunking.timing.embedded and embedder is not None and embedder.engine:
            result_as_dict["timing"]["engine"] = embedder.engine
        print_json(result_as_dict)
    return exit_status


def build_chunker_declarations_dict() -> dict[str, Any]:
    """Return the declared parameters of all chunkers and, for each adapter, whether its library is installed."""
    declaration_by_chunker_name = {
        name: _build_chunker_declaration_dict(chunker)
        for name, chunker in [*CHUNKERS.items(), *MODEL_ASKING_CLASS_BY_NAME.items()]
    }
    return declaration_by_chunker_name | {
        name: {**_build_chunker_declaration_dict(adapter), "installed": adapter.version() is not None}
        for name, adapter in ADAPTERS.items()
    }


def _build_chunker_declaration_dict(chunker: type[Chunker]) -> dict[str, Any]:
    declaration_by_parameter_name = {}
    for parameter_spec in chunker.fields():
        parameter_details_if_any = {
            "optional": parameter_spec.optional or None,
            "choices": list(parameter_spec.choices) or None,
            "unit": parameter_spec.unit or None,
            "minimum": parameter_spec.low,
            "maximum": parameter_spec.high,
        }
        parameter_declaration: dict[str, Any] = {
            "type": parameter_spec.kind,
            "default": parameter_spec.default,
            "title": parameter_spec.title,
            "help": parameter_spec.help,
            **{key: detail for key, detail in parameter_details_if_any.items() if detail is not None},
        }
        if parameter_spec.depends:
            depended_on_parameter_spec = next(field for field in chunker.fields() if field.name == parameter_spec.depends)
            parameter_spec_by_choice = {
                choice: next(
                    field for field in chunker.fields({parameter_spec.depends: choice}) if field.name == parameter_spec.name
                )
                for choice in depended_on_parameter_spec.choices
            }
            parameter_declaration[f"by {parameter_spec.depends}"] = {
                choice: {"default": field.default, "minimum": field.low, "maximum": field.high}
                for choice, field in parameter_spec_by_choice.items()
            }
        declaration_by_parameter_name[parameter_spec.name] = parameter_declaration
    return {
        "title": chunker.title,
        "idea": chunker.idea,
        "source": chunker.source,
        "parameters": declaration_by_parameter_name,
    }
