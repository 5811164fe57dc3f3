"""The libraries' own chunkers, set up like a recipe: their code, and a comparison of the results.

Whether a library's class gives the same chunks is never taken for granted: `chunk_equality_and_first_difference` says it
of a text, after a run.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunkers import Chunking, InputError, ModelError, ParameterError, Recipe, Span, build_chunker
from chunkers.adapters.piece_location import find_span_of_each_piece
from chunkers.building_blocks.recursive_splitting import SEPARATORS_BY_PRESET
from chunkers.recipes import ADAPTERS
from chunkers.support import one_line_message, pluralize
from chunkers.text import BYTE_PAIR_TABLE_URLS
from integrations.recipe_code import Program, Tool, format_function_call, python_literal

MAX_CHARACTERS_TO_RUN = 100_000
"""Maximum number of characters of a text on which a library's own chunker is run beside a column while the page waits."""


@dataclass(frozen=True)
class Original:
    """Another library's own chunker, configured with the settings of a recipe.

    Attributes
    ----------
    name
        Name with the library, such as ``LangChain's RecursiveCharacterTextSplitter``.
    program
        The code that runs the chunker.
    requirement
        Requirement for pip.
    adapter_and_parameters
        For a chunker that embeds, the adapter that runs it as a column, with its parameters; otherwise None.
    remark
        A sentence on how the chunker differs from ours by design; empty for most chunkers.
    """

    name: str
    program: Program
    requirement: str
    adapter_and_parameters: tuple[str, dict[str, Any]] | None = None
    remark: str = ""


def original_chunker_for_recipe(tool: Tool, recipe: Recipe) -> Original | None:
    """Return another library's own chunker with the recipe's settings; None if it cannot apply them."""
    original_chunker_factory = _ORIGINALS.get((tool, recipe.chunker))
    if original_chunker_factory is None:
        return None
    # What a recipe leaves out has its default.
    original_chunker = original_chunker_factory(recipe, recipe.build().model_dump())
    if original_chunker is not None and original_chunker.adapter_and_parameters is not None:
        try:
            build_chunker(*original_chunker.adapter_and_parameters)
        except ParameterError:
            return None
    return original_chunker


def run_original_chunker(original: Original, text: str) -> list[str]:
    """Return the texts of the chunks that another library's chunker makes, by running the displayed code.

    Of the recipe, the code contains only numbers, names defined by this project, and literals; see
    `integrations.recipe_code.python_literal`.

    Raises
    ------
    InputError
        If the text is longer than `MAX_CHARACTERS_TO_RUN`.
    ModelError
        If the library is not installed or fails on this text.
    """
    if len(text) > MAX_CHARACTERS_TO_RUN:
        raise InputError(
            f"To run {original.name} next to Seamark, the text may have at most {MAX_CHARACTERS_TO_RUN:,} characters; it "
            "has "
            f"{len(text):,}. Choose a shorter text."
        )
    # Nothing is sent anywhere by itself; Haystack reports its use unless this is set when it is imported.
    os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
    code_namespace: dict[str, Any] = {"text": text}
    try:
        exec(compile(original.program.without_file_reading, "<original>", "exec"), code_namespace)
    except ImportError as error:
        raise ModelError(
            f"{original.name} must be installed to run here ({error}). Install it with 'pip install {original.requirement}'."
        ) from error
    except Exception as error:
        # Whatever another library raises concerns this comparison alone.
        error_message = one_line_message(f"{type(error).__name__}: {error}", 200).rstrip(".")
        raise ModelError(
            f"{original.name} could not cut this text: {error_message}. Change a parameter, or choose another text."
        ) from error
    return [*code_namespace["chunks"]]


def chunk_equality_and_first_difference(ours: Chunking, theirs: Sequence[str] | Chunking) -> tuple[bool, str]:
    """Return whether another chunker's chunks equal ours, and a phrase on their number or the first difference.

    White space at the ends of chunks does not count, since libraries strip it differently.
    """
    text = ours.document.text
    our_spans = [*(chunk.spans for chunk in ours)]
    if isinstance(theirs, Chunking):
        their_spans: list[tuple[Span, ...] | None] = [chunk.spans for chunk in theirs]
    else:
        nonblank_chunk_texts = [piece for piece in theirs if piece.strip()]
        their_spans = [None if span is None else (span,) for span in find_span_of_each_piece(text, nonblank_chunk_texts)]
    if our_spans == their_spans:
        return True, f"the same {pluralize(len(our_spans), 'chunk')}"
    first_differing_chunk_index = next(
        (place for place, pair in enumerate(zip(our_spans, their_spans, strict=False)) if pair[0] != pair[1]), None
    )
    chunk_counts_phrase = (
        f"{pluralize(len(their_spans), 'chunk')} where ours are {len(our_spans):,}"
        if len(our_spans) != len(their_spans)
        else f"{pluralize(len(our_spans), 'chunk')} too"
    )
    if first_differing_chunk_index is None:
        first_differing_chunk_index = min(len(our_spans), len(their_spans))
        longer_spans, longer_side_word = (
            (our_spans, "ours") if len(our_spans) > len(their_spans) else (their_spans, "theirs")
        )
        return (
            False,
            f"{chunk_counts_phrase}; the first {first_differing_chunk_index:,} are the same, then {longer_side_word} go on "
            f"with {_describe_chunk(text, longer_spans[first_differing_chunk_index])}",
        )
    return False, (
        f"{chunk_counts_phrase}; chunk {first_differing_chunk_index + 1:,} is the first that differs: ours is "
        f"{_describe_chunk(text, our_spans[first_differing_chunk_index])}, "
        f"theirs is {_describe_chunk(text, their_spans[first_differing_chunk_index])}"
    )


def _describe_chunk(document_text: str, spans: tuple[Span, ...] | None) -> str:
    """Describe the position of a chunk, its beginning and its end."""
    if spans is None:
        return "no part of the text as it stands"
    chunk_start, chunk_end = spans[0].start, spans[-1].end
    chunk_text = " ".join(document_text[chunk_start:chunk_end].split())
    shortened_chunk_text = chunk_text if len(chunk_text) <= 60 else f"{chunk_text[:28]} … {chunk_text[-28:]}"
    return f"“{shortened_chunk_text}” ({chunk_start:,} to {chunk_end:,})"


OriginalFactory = Callable[[Recipe, dict[str, Any]], Original | None]


def _original_running_langchain_class(
    class_name: str,
    constructor_argument_codes: Sequence[str],
    *,
    imported_module_name: str = "langchain_text_splitters",
    imports: Sequence[str] = (),
    setup_code: str = "",
    requirement: str = "langchain-text-splitters",
    adapter_and_parameters: tuple[str, dict[str, Any]] | None = None,
    remark_on_differences: str = "",
) -> Original:
    return Original(
        f"LangChain's {class_name}",
        Program(
            (f"from {imported_module_name} import {class_name}", *imports),
            f"{setup_code}splitter = {format_function_call(class_name, constructor_argument_codes)}\nchunks = "
            "splitter.split_text(text)",
        ),
        requirement,
        adapter_and_parameters,
        remark_on_differences,
    )


def _size_and_overlap_arguments(settings: Mapping[str, Any]) -> list[str]:
    """Return the arguments for size and overlap, whose names LangChain and Chonkie share."""
    return [f"chunk_size={settings['size']}", f"chunk_overlap={settings['overlap']}"]


def _build_langchain_recursive_original(recipe: Recipe, settings: dict[str, Any]) -> Original | None:
    if settings["parent_size"] is not None:
        return None
    separators, is_regex = SEPARATORS_BY_PRESET[settings["separators"]]
    imports, setup_code, length_function_code = _length_function_code(recipe, settings["unit"])
    return _original_running_langchain_class(
        "RecursiveCharacterTextSplitter",
        [
            f"separators={python_literal(separators)}",
            *(["is_separator_regex=True"] if is_regex else []),
            *_size_and_overlap_arguments(settings),
            f"length_function={length_function_code}",
        ],
        imports=imports,
        setup_code=setup_code,
    )


def _length_function_code(recipe: Recipe, unit: str) -> tuple[list[str], str, str]:
    """Return code that counts a unit in a text: imports, preparation, and the function."""
    if unit == "characters":
        return [], "", "len"
    if unit == "words":
        return [], "", "lambda piece: len(piece.split())"
    return (
        ["", "from seamark import load_tokenizer"],
        f"tokens = load_tokenizer({python_literal(recipe.tokenizer)})\n",
        "lambda piece: tokens.count([piece])[0]",
    )


def _langchain_characters(recipe: Recipe, settings: dict[str, Any]) -> Original:
    return _original_running_langchain_class(
        "CharacterTextSplitter", ['separator=""', *_size_and_overlap_arguments(settings)]
    )


def _build_langchain_tokens_original(recipe: Recipe, settings: dict[str, Any]) -> Original | None:
    if recipe.tokenizer not in BYTE_PAIR_TABLE_URLS:
        return None
    return _original_running_langchain_class(
        "TokenTextSplitter",
        [f"encoding_name={python_literal(recipe.tokenizer)}", *_size_and_overlap_arguments(settings)],
        requirement="langchain-text-splitters tiktoken",
        remark_on_differences="It decodes tokens, so that a character that two chunks share is in neither.",
    )


def _has_no_size_limits(settings: Mapping[str, Any]) -> bool:
    return settings.get("min_size") is None and settings.get("max_size") is None


def _build_langchain_breakpoint_original(recipe: Recipe, settings: dict[str, Any]) -> Original | None:
    if not _has_no_size_limits(settings):
        return None
    imports, setup_code = _embedder_imports_and_setup_code(recipe, "langchain_embeddings", "LangChainEmbeddings")
    return _original_running_langchain_class(
        "SemanticChunker",
        [
            "LangChainEmbeddings(lambda texts: tools.embed(texts).tolist())",
            f"buffer_size={settings['buffer']}",
            f"breakpoint_threshold_type={python_literal(settings['threshold'])}",
            f"breakpoint_threshold_amount={python_literal(settings['amount'])}",
        ],
        imported_module_name="langchain_experimental.text_splitter",
        imports=imports,
        setup_code=setup_code,
        requirement=ADAPTERS["langchain_semantic"].requirement,
        adapter_and_parameters=(
            "langchain_semantic",
            {name: settings[name] for name in ("threshold", "amount", "buffer")},
        ),
        remark_on_differences=""
        if recipe.sentences == "regex"
        else "It splits sentences itself, after . ? or ! and white space: our splitter “regex”.",
    )


def _embedder_imports_and_setup_code(
    recipe: Recipe, adapter_module_name: str, adapter_class_name: str, *more: str
) -> tuple[tuple[str, ...], str]:
    """Return the imports and the lines that give another library the recipe's embedder."""
    is_embedder_fitted = recipe.embedder == "tfidf"
    imported_seamark_names = sorted(
        {"Tools", "load_embedder", "load_tokenizer", *more, *(["Document"] if is_embedder_fitted else [])}
    )
    seamark_import_line = f"from seamark.chunkers import {', '.join(imported_seamark_names)}"
    embedder_import_lines = (
        "",
        seamark_import_line,
        f"from seamark.chunkers.adapters.{adapter_module_name} import {adapter_class_name}",
    )
    embedder_code = f"load_embedder({python_literal(recipe.embedder)})"
    document_code = (
        f"document = Document.from_text(text, {python_literal(recipe.sentences)})\n"
        if is_embedder_fitted or "Document" in more
        else ""
    )
    fit_to_document_code = ".for_document(document)" if is_embedder_fitted else ""
    return (
        embedder_import_lines,
        f"{document_code}tools = Tools({embedder_code}{fit_to_document_code}, "
        f"load_tokenizer({python_literal(recipe.tokenizer)}))\n",
    )


def _build_original_for_llama_index_class(
    recipe: Recipe, class_name: str, adapter_name: str, settings: dict[str, Any], sentence_listing_code: str
) -> Original:
    imports, setup_code = _embedder_imports_and_setup_code(
        recipe, "llama_index_embeddings", "LlamaIndexEmbedding", "Document"
    )
    node_parser_call_code = format_function_call(
        class_name,
        [
            "embed_model=LlamaIndexEmbedding(lambda texts: tools.embed(texts).tolist())",
            "sentence_splitter=lambda _: sentences",
            *(f"{name}={python_literal(setting)}" for name, setting in settings.items()),
        ],
    )
    return Original(
        f"LlamaIndex's {class_name}",
        Program(
            (
                "from llama_index.core import Document as Text",
                f"from llama_index.core.node_parser import {class_name}",
                *imports,
            ),
            f"{setup_code}{sentence_listing_code}parser = {node_parser_call_code}\n"
            "nodes = parser.build_semantic_nodes_from_documents([Text(text=text)])\n"
            "chunks = [node.get_content() for node in nodes]",
        ),
        ADAPTERS[adapter_name].requirement,
        (adapter_name, settings),
    )


def _build_llama_index_semantic_original(recipe: Recipe, settings: dict[str, Any]) -> Original:
    # It joins sentences with nothing between them, so each includes the white space after it.
    sentence_splitting_code = (
        "starts = [*document.starts, len(text)]\n"
        "sentences = [text[start:following] for start, following in zip(starts, starts[1:])]\n"
    )
    return _build_original_for_llama_index_class(
        recipe, "SemanticSplitterNodeParser", "llama_index_semantic", settings, sentence_splitting_code
    )


def _llama_index_breakpoint(recipe: Recipe, settings: dict[str, Any]) -> Original | None:
    threshold_amount = float(settings["amount"])
    if settings["threshold"] != "percentile" or not threshold_amount.is_integer() or not _has_no_size_limits(settings):
        return None
    return _build_llama_index_semantic_original(
        recipe, {"buffer_size": settings["buffer"], "breakpoint_percentile_threshold": int(threshold_amount)}
    )


def _build_llama_index_merging_original(recipe: Recipe, settings: dict[str, Any]) -> Original:
    sentence_texts_code = "sentences = document.sentence_texts\n"
    return _build_original_for_llama_index_class(
        recipe, "SemanticDoubleMergingSplitterNodeParser", "llama_index_double_merging", settings, sentence_texts_code
    )


def _build_llama_index_double_pass_original(recipe: Recipe, settings: dict[str, Any]) -> Original | None:
    if settings["vector"] != "re-embed" or settings["min_size"] is not None:
        return None
    threshold_by_name = {name: settings[name] for name in ("initial_threshold", "appending_threshold", "merging_threshold")}
    largest_chunk_size = 1_000_000 if settings["max_size"] is None else settings["max_size"]
    return _build_llama_index_merging_original(
        recipe,
        {**threshold_by_name, "max_chunk_size": largest_chunk_size, "merging_range": settings["look_ahead"]},
    )


def _build_original_for_haystack_class(
    constructor_argument_codes: Sequence[str], remark: str, class_name: str = "DocumentSplitter"
) -> Original:
    return Original(
        f"Haystack's {class_name}",
        Program(
            ("from haystack import Document", f"from haystack.components.preprocessors import {class_name}"),
            f"splitter = {format_function_call(class_name, constructor_argument_codes)}\n"
            'documents = splitter.run(documents=[Document(content=text)])["documents"]\n'
            "chunks = [document.content for document in documents]",
        ),
        "haystack-ai",
        remark=remark,
    )


def _build_haystack_words_original(recipe: Recipe, settings: dict[str, Any]) -> Original:
    return _build_original_for_haystack_class(
        ['split_by="word"', f"split_length={settings['size']}", f"split_overlap={settings['overlap']}"],
        "Only spaces part its words, not line breaks.",
    )


def _build_haystack_sentences_original(recipe: Recipe, settings: dict[str, Any]) -> Original | None:
    haystack_split_unit = {"lines": "line", "paragraphs": "passage"}.get(recipe.sentences)
    if haystack_split_unit is None or settings["chunks"] is not None or not _has_no_size_limits(settings):
        return None
    return _build_original_for_haystack_class(
        [
            f"split_by={python_literal(haystack_split_unit)}",
            f"split_length={settings['size']}",
            f"split_overlap={settings['overlap']}",
        ],
        "It counts an empty line as a line." if haystack_split_unit == "line" else "",
    )


def _build_haystack_recursive_original(recipe: Recipe, settings: dict[str, Any]) -> Original | None:
    haystack_length_unit = {"characters": "char", "words": "word"}.get(settings["unit"])
    separators, is_regex = SEPARATORS_BY_PRESET[settings["separators"]]
    if haystack_length_unit is None or settings["parent_size"] is not None:
        return None
    separator_regexes = [
        separator if is_regex else re.escape(separator).replace("\\\n", "\n").replace("\\ ", " ")
        for separator in separators
        if separator
    ]
    return _build_original_for_haystack_class(
        [
            f"split_length={settings['size']}",
            f"split_overlap={settings['overlap']}",
            f"split_unit={python_literal(haystack_length_unit)}",
            f"separators={python_literal(separator_regexes)}",
        ],
        "It leaves a separator at the end of the chunk before it.",
        "RecursiveDocumentSplitter",
    )


def _build_original_for_chonkie_class(
    class_name: str,
    constructor_argument_codes: Sequence[str],
    *,
    imports: Sequence[str] = (),
    setup_code: str = "",
    requirement: str = "chonkie",
    adapter_and_parameters: tuple[str, dict[str, Any]] | None = None,
) -> Original:
    return Original(
        f"Chonkie's {class_name}",
        Program(
            (f"from chonkie import {class_name}", *imports),
            f"{setup_code}chunker = {format_function_call(class_name, constructor_argument_codes)}\nchunks = [chunk.text "
            "for chunk in "
            "chunker.chunk(text)]",
        ),
        requirement,
        adapter_and_parameters,
    )


def _build_chonkie_characters_original(recipe: Recipe, settings: dict[str, Any]) -> Original:
    return _build_original_for_chonkie_class(
        "TokenChunker", [python_literal("character"), *_size_and_overlap_arguments(settings)]
    )


def _build_chonkie_tokens_original(recipe: Recipe, settings: dict[str, Any]) -> Original | None:
    chonkie_tokenizer_name = {"characters": "character", **{name: name for name in BYTE_PAIR_TABLE_URLS}}.get(
        recipe.tokenizer
    )
    return (
        None
        if chonkie_tokenizer_name is None
        else _build_original_for_chonkie_class(
            "TokenChunker", [python_literal(chonkie_tokenizer_name), *_size_and_overlap_arguments(settings)]
        )
    )


def _build_chonkie_semantic_original(recipe: Recipe, settings: dict[str, Any]) -> Original:
    imports, setup_code = _embedder_imports_and_setup_code(recipe, "chonkie_embeddings", "ChonkieEmbeddings")
    return _build_original_for_chonkie_class(
        "SemanticChunker",
        ["ChonkieEmbeddings(tools)", *(f"{name}={python_literal(setting)}" for name, setting in settings.items())],
        imports=imports,
        setup_code=setup_code,
        requirement=ADAPTERS["chonkie_semantic"].requirement,
        adapter_and_parameters=("chonkie_semantic", settings),
    )


_ORIGINALS: Mapping[tuple[Tool, str], OriginalFactory] = {
    ("langchain", "recursive"): _build_langchain_recursive_original,
    ("langchain", "fixed_characters"): _langchain_characters,
    ("langchain", "fixed_tokens"): _build_langchain_tokens_original,
    ("langchain", "breakpoint"): _build_langchain_breakpoint_original,
    ("langchain", "langchain_semantic"): _build_langchain_breakpoint_original,
    ("llama_index", "breakpoint"): _llama_index_breakpoint,
    ("llama_index", "llama_index_semantic"): _build_llama_index_semantic_original,
    ("llama_index", "double_pass"): _build_llama_index_double_pass_original,
    ("llama_index", "llama_index_double_merging"): _build_llama_index_merging_original,
    ("haystack", "fixed_words"): _build_haystack_words_original,
    ("haystack", "fixed_sentences"): _build_haystack_sentences_original,
    ("haystack", "recursive"): _build_haystack_recursive_original,
    ("chonkie", "fixed_characters"): _build_chonkie_characters_original,
    ("chonkie", "fixed_tokens"): _build_chonkie_tokens_original,
    ("chonkie", "chonkie_semantic"): _build_chonkie_semantic_original,
}
