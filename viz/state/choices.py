"""The user's choices, kept in the session and in the link. Links never contain text."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from chunkers import (
    ADAPTERS,
    CHUNKERS,
    DEFAULT_SPLITTER,
    MODEL_ASKING_CLASS_BY_NAME,
    SPLITTER_DESCRIPTIONS,
    TOKENIZER_DESCRIPTIONS,
    InputError,
    build_chunker,
)
from chunkers.embedders.sentence_models import BFLOAT16_EMBEDDER_REMOVED_NOTE, REMOVED_BFLOAT16_EMBEDDER_NAME, MiniLM
from chunkers.recipes import GIVEN_CHUNKS_CLASS_BY_NAME, chunker_class
from chunkers.support import short_repr
from chunkers.text import is_splitter_name

OWN_DOCUMENT_KEY = "own"
"""The name of the user's own document, pasted or uploaded; links do not include its text."""

DEFAULT_SPLITTER_OF_OWN_TEXT = DEFAULT_SPLITTER
"""The default sentence splitter for the user's own document."""

MOST_COLUMNS = 6


@dataclass
class ColumnChoice:
    """The settings of a column: a chunker's name and its non-default parameters."""

    chunker: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def set_valid_parameter(self, name: str, value: Any) -> None:
        """Set a parameter of the column, unless the chunker lacks the parameter or a number is out of bounds.

        A browser may send the value of a control or of a threshold line that was drawn for the column's previous chunker.
        """
        parameter_field_spec = next(
            (field_spec for field_spec in chunker_class(self.chunker).fields(self.parameters) if field_spec.name == name),
            None,
        )
        if parameter_field_spec is None:
            return
        if isinstance(value, int | float):
            lowest_value, highest_value = (
                (-inf if parameter_field_spec.low is None else parameter_field_spec.low),
                (inf if parameter_field_spec.high is None else parameter_field_spec.high),
            )
            if not lowest_value <= value <= highest_value:
                return
        self.parameters[name] = value

    def copy(self) -> "ColumnChoice":
        """Return a copy of the column that can be changed independently."""
        return ColumnChoice(self.chunker, dict(self.parameters))


@dataclass
class Choices:
    """All settings that a link includes; ``extra`` has the settings of a single page, such as the step of a stepper."""

    document: str
    sentences: str
    columns: list[ColumnChoice]
    embedder: str = "all-MiniLM-L6-v2"
    tokenizer: str = "all-MiniLM-L6-v2"
    selected: int = 0
    extra: dict[str, str] = field(default_factory=dict)


def new_default_column(chunker: str) -> ColumnChoice:
    """Return a new column for a chunker, with the same default settings on every page.

    They are the library's defaults, except for Breakpoint: LangChain's percentile of 95 cuts a short text once or never.
    """
    return ColumnChoice(chunker, {"amount": 70.0} if chunker == "breakpoint" else {})


CHOICES_SHARED_BY_PAGES = ("document", "sentences", "embedder", "tokenizer")
"""The choices that all pages share."""


def effective_parameters(column: ColumnChoice, embedder_defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of all parameters of a column, including defaults and invalid values."""
    value_by_parameter = {**embedder_defaults, **column.parameters}
    return {
        spec.name: value_by_parameter.get(spec.name, spec.default)
        for spec in chunker_class(column.chunker).fields(value_by_parameter)
    }


# Choices as the query parameters of a link.


MAX_LINK_NAME_CHARACTERS = 300
"""Most characters of the name of an embedder or a splitter, which may be a path."""

MAX_LINK_VALUE_CHARACTERS = 2_000
"""Most characters of the value of a link's parameter."""


def choices_to_query(choices: Choices, default: Choices) -> dict[str, str]:
    """Return the query parameters of a link: the choices that differ from the default."""
    query: dict[str, str] = {}
    for choice_or_parameter_name in CHOICES_SHARED_BY_PAGES:
        if getattr(choices, choice_or_parameter_name) != getattr(default, choice_or_parameter_name):
            query[choice_or_parameter_name] = str(getattr(choices, choice_or_parameter_name))
    if choices.document != default.document:
        # Without it, the link would imply the splitter that suits its document.
        query["sentences"] = choices.sentences
    if choices.selected != default.selected:
        query["selected"] = str(choices.selected + 1)
    if choices.columns != default.columns:
        for column_number, column in enumerate(choices.columns, start=1):
            query[f"c{column_number}"] = column.chunker
            for choice_or_parameter_name, value in _column_parameters_for_link(column).items():
                query[f"c{column_number}.{choice_or_parameter_name}"] = _format_link_value(value)
    query |= {name: word for name, word in choices.extra.items() if word != default.extra.get(name)}
    return query


def _column_parameters_for_link(column: ColumnChoice) -> dict[str, Any]:
    """Return a column's parameters for the link: those set, and those whose omission would have another meaning."""
    chunker_type = chunker_class(column.chunker)
    return {**{name: chunker_type.model_fields[name].default for name in chunker_type.older}, **column.parameters}


def link_parameters_of_chunker(chunker: str) -> dict[str, str]:
    """Return the query parameters of a link to a chunker at its defaults, in the first column."""
    return {
        "c1": chunker,
        **{
            f"c1.{name}": _format_link_value(value)
            for name, value in _column_parameters_for_link(ColumnChoice(chunker)).items()
        },
    }


def outdated_link_column_numbers(query: Mapping[str, str]) -> list[int]:
    """Return the numbers, from 1, of a link's columns that lack parameters introduced after the link was made."""
    chunker_class_by_name = {**CHUNKERS, **MODEL_ASKING_CLASS_BY_NAME, **ADAPTERS}
    return [
        number
        for number in range(1, MOST_COLUMNS + 1)
        if (kind := chunker_class_by_name.get(query.get(f"c{number}", "")))
        and any(f"c{number}.{name}" not in query for name in kind.older)
    ]


STORED_TEXT_PARAMETER = "kept"
"""The link parameter with the random id of a text kept on the user's machine."""

LANGUAGE_MODEL_LINK_PARAMETER = "model"
"""The link parameter with the name of a language model; its server and key are never in a link."""


def language_model_link_parameter(choices: Choices, model_name: str) -> dict[str, str]:
    """Return the link parameter that names the language model; empty if the page's choices call no model."""
    model_calling_chunker_names = {
        choices.extra.get("what"),
        *(column.chunker for column in choices.columns),
    } & MODEL_ASKING_CLASS_BY_NAME.keys()
    model_calling_chunker_names |= {*choices.extra.get("embedded", "").split(":")} & {"context"}
    return (
        {LANGUAGE_MODEL_LINK_PARAMETER: model_name}
        if model_calling_chunker_names and is_valid_model_or_splitter_name(model_name)
        else {}
    )


def _format_link_value(value: Any) -> str:
    """Format a parameter's value; the inverse of `_parse_link_value`."""
    return "none" if value is None else repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def choices_from_query(
    query: Mapping[str, str], splitter_by_document: Mapping[str, str], default: Choices
) -> tuple[Choices, list[str]]:
    """Parse a link's query parameters into choices, with a message for each invalid parameter.

    Parameters
    ----------
    query
        The query parameters of the link.
    splitter_by_document
        The sentence splitter that suits each sample, by the sample's name.
    default
        The values of parameters that the link omits.

    Returns
    -------
    choices, complaints
        The choices, and a sentence for each invalid parameter; those keep their defaults.
    """
    invalid_parameter_messages = [
        f"The link's {short_repr(name)} must be at most {MAX_LINK_VALUE_CHARACTERS:,} characters long; it has "
        f"{len(value):,}. It is left "
        "out."
        for name, value in query.items()
        if len(value) > MAX_LINK_VALUE_CHARACTERS
    ]
    query = {name: value for name, value in query.items() if len(value) <= MAX_LINK_VALUE_CHARACTERS}

    def allowed_value_or_fallback(name: str, allowed: Mapping[str, Any], fallback: str) -> str:
        value = query.get(name, fallback)
        if value in allowed or (name == "sentences" and is_splitter_name(value) and is_valid_model_or_splitter_name(value)):
            return value
        invalid_parameter_messages.append(
            f"The link's {name} must be one of {', '.join(allowed)}; got {short_repr(value)}. Using {fallback}."
        )
        return fallback

    document_name = allowed_value_or_fallback("document", splitter_by_document, default.document)
    splitter_name = allowed_value_or_fallback(
        "sentences", SPLITTER_DESCRIPTIONS, splitter_by_document.get(document_name, default.sentences)
    )
    columns_from_link = _parse_columns(query, invalid_parameter_messages) or [
        ColumnChoice(c.chunker, dict(c.parameters)) for c in default.columns
    ]
    selected_column_number_text = query.get("selected", str(default.selected + 1))
    selected_column_index = (
        int(selected_column_number_text) - 1
        if selected_column_number_text in map(str, range(1, len(columns_from_link) + 1))
        else min(default.selected, len(columns_from_link) - 1)
    )
    if "selected" in query and str(selected_column_index + 1) != selected_column_number_text:
        invalid_parameter_messages.append(
            f"The link's selected must be a column from 1 to {len(columns_from_link)}; got "
            f"{short_repr(selected_column_number_text)}."
        )
    return (
        Choices(
            document_name,
            splitter_name,
            columns_from_link,
            _parse_embedder(query, default, invalid_parameter_messages),
            allowed_value_or_fallback("tokenizer", TOKENIZER_DESCRIPTIONS, default.tokenizer),
            selected_column_index,
            {name: query.get(name, word) for name, word in default.extra.items()},
        ),
        invalid_parameter_messages,
    )


def _parse_embedder(query: Mapping[str, str], default_choices: Choices, complaints: list[str]) -> str:
    """Parse the embedder's name; whether such an embedder exists is checked only when the user wants to use it."""
    embedder_name = query.get("embedder", default_choices.embedder)
    if embedder_name == REMOVED_BFLOAT16_EMBEDDER_NAME:
        complaints.append(BFLOAT16_EMBEDDER_REMOVED_NOTE)
        return MiniLM.name
    if is_valid_model_or_splitter_name(embedder_name):
        return embedder_name
    complaints.append(
        f"The link's embedder must be a name of 1 to {MAX_LINK_NAME_CHARACTERS} printable characters; got "
        f"{short_repr(embedder_name)}. Using {default_choices.embedder}."
    )
    return default_choices.embedder


def _parse_columns(query: Mapping[str, str], complaints: list[str]) -> list[ColumnChoice]:
    columns_from_link = []
    for column_number in range(1, MOST_COLUMNS + 1):
        chunker_name = query.get(f"c{column_number}")
        if chunker_name is None:
            break
        allowed_chunker_names = [*CHUNKERS, *MODEL_ASKING_CLASS_BY_NAME, *ADAPTERS]
        if chunker_name not in allowed_chunker_names and chunker_name not in GIVEN_CHUNKS_CLASS_BY_NAME:
            complaints.append(
                f"The link's c{column_number} must be one of {', '.join(allowed_chunker_names)}; got "
                f"{short_repr(chunker_name)}."
            )
            continue
        column_parameter_prefix = f"c{column_number}."
        parameter_value_by_name = {
            key.removeprefix(column_parameter_prefix): _parse_link_value(text)
            for key, text in query.items()
            if key.startswith(column_parameter_prefix)
        }
        try:
            built_chunker = build_chunker(chunker_name, {**chunker_class(chunker_name).older, **parameter_value_by_name})
        except InputError as error:
            complaints.append(f"The link's column {column_number} is at its defaults: {error}")
            parameter_value_by_name = {}
        else:
            # Parameters added after the link was made get the value that was in effect then.
            parameter_value_by_name = {
                **built_chunker.older,
                **{key: getattr(built_chunker, key) for key in parameter_value_by_name},
            }
        columns_from_link.append(ColumnChoice(chunker_name, parameter_value_by_name))
    return columns_from_link


def is_valid_model_or_splitter_name(text: str) -> bool:
    """Return whether a text is valid as the name of a model or splitter in a link."""
    return bool(text.strip()) and text.isprintable() and len(text) <= MAX_LINK_NAME_CHARACTERS


def _parse_link_value(text: str) -> Any:
    """Parse a parameter's value: ``none``, a number, or a word."""
    if text == "none":
        return None
    try:
        parsed_json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return parsed_json if isinstance(parsed_json, int | float) else text
