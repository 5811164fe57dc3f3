"""Forms of answers: one declaration gives the schema for the server, the words of the prompt and the parser."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, FailFast, Field, StringConstraints
from pydantic_core import PydanticCustomError

ListItem = TypeVar("ListItem")

NumberBoundsByField = Mapping[str, tuple[int, int]]
"""The lowest and the highest number that each named field may have in one request."""

SizeLimitByField = Mapping[str, int]
"""The most items of each named list, and the most characters of each named text, in one request."""

AllowedTextsByField = Mapping[str, Sequence[str]]
"""The texts of which each named field must be one in one request."""

TOKENS_BESIDE_CONTENT = 1_000
"""Tokens of an answer besides its content, reasoning included."""

MOST_ENUM_VALUES = 500
"""Numbers or texts that a schema lists one by one; more are checked only when the answer is read."""

MOST_EXCERPTS = 5
"""The most excerpts of a question, as in Chroma's report."""

MOST_STATEMENTS = 100
"""The most statements that an answer may be divided into."""

HIGHEST_GRADE = 5
"""The highest grade of correctness; the lowest is 1."""

LONGEST_SCHEMA_SENTENCE = 300
"""Characters of a sentence where a schema bounds it, so that a model that repeats itself comes to an end."""

MOST_SCHEMA_ITEMS = 12
"""Items of a list where a schema bounds it, likewise."""


class Form(BaseModel):
    """Base class for the JSON forms of answers; list fields are `ListOf` and integer fields `WholeNumber`.

    A field's description completes “where FIELD is …” in the prompt, which also shows the field's first example. The
    name and the bounds of a field go into the schema. `size_limit_schema_entry` tightens them in the schema only,
    because a longer answer without a schema is still read.
    """

    @classmethod
    def wording(cls) -> str:
        """Return the prompt's sentence that asks for a JSON object of this form."""
        form_schema = _resolved_schema(cls)
        fields_phrase = "; ".join(
            f"{name} is {description}" for name, description in _yield_field_names_and_descriptions(form_schema)
        )
        example_answer_json = json.dumps(_example_answer(form_schema), ensure_ascii=False)
        return (
            f"Answer with one JSON object and nothing else, in the form "
            f"{example_answer_json}{', where ' if fields_phrase else ''}{fields_phrase}."
        )


class LineForm(Form):
    """Base class for one-field answers that a model writes as a line, ``LABEL: 3, 5``, if its server enforces no schema."""

    label: ClassVar[str]
    none_meaning: ClassVar[str]
    """The case in which the line has no number."""

    @classmethod
    def wording_for_single_line(cls) -> str:
        """Return the prompt's sentence that asks for an answer on a single line."""
        ((_, field_info),) = cls.model_fields.items()
        example_value = (field_info.examples or [1])[0]
        example_numbers_phrase = (
            ", ".join(map(str, example_value)) if isinstance(example_value, list) else f"ID {example_value}"
        )
        return (
            f"Answer with one line and nothing else: {cls.label}: and {field_info.description}, as in {cls.label}: "
            f"{example_numbers_phrase}. "
            f"If {cls.none_meaning}, answer {cls.label}: none."
        )

    @classmethod
    def build_from_parsed_numbers(cls, answered_numbers: list[int]) -> Self | None:
        """Build the answer from the numbers on a line; None if there are several numbers but the field takes one."""
        ((name, field_info),) = cls.model_fields.items()
        if isinstance((field_info.examples or [1])[0], list):
            return cls.model_validate({name: answered_numbers})
        return (
            None
            if len(answered_numbers) > 1
            else cls.model_validate({name: answered_numbers[0] if answered_numbers else None})
        )


@cache
def _resolved_schema(form: type[Form]) -> dict[str, Any]:
    """Return the JSON schema of a form, with each reference replaced by its definition."""
    form_schema = form.model_json_schema()

    def resolve_references(schema_part: Any) -> Any:
        if isinstance(schema_part, list):
            return [*map(resolve_references, schema_part)]
        if not isinstance(schema_part, dict):
            return schema_part
        schema_definition = form_schema["$defs"][schema_part["$ref"].rpartition("/")[2]] if "$ref" in schema_part else {}
        return {
            key: resolve_references(value)
            for key, value in {**schema_definition, **schema_part}.items()
            if key not in ("$ref", "$defs")
        }

    return resolve_references(form_schema)  # type: ignore[no-any-return]  # a dictionary stays one


def _refuse_booleans(value: object) -> object:
    """Return a value; refuses true and false, which Python takes for 1 and 0."""
    if isinstance(value, bool):
        raise PydanticCustomError("truth", "Input should be a whole number")
    return value


def size_limit_schema_entry(most_characters_or_items: int) -> dict[str, Any]:
    """Return extra JSON schema data for a field: its maximum number of characters or items."""
    return {"most": most_characters_or_items}


ListOf = Annotated[list[ListItem], FailFast()]
"""A list that is read up to its first fault: the faults of a million take gigabytes."""

WholeNumber = Annotated[int, BeforeValidator(_refuse_booleans), Field(ge=-1_000_000_000, le=1_000_000_000)]
"""A whole number, also one that is written as a text."""


Sentence = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1),
    Field(json_schema_extra=size_limit_schema_entry(LONGEST_SCHEMA_SENTENCE)),
]
"""Words, of which there is at least one."""


class SplitsAnswer(LineForm):
    """Form of a model's answer to the chunker `llm`: the pieces after which to cut."""

    label: ClassVar[str] = "split_after"
    none_meaning: ClassVar[str] = "all the pieces belong together"

    split_after: ListOf[WholeNumber] = Field(
        description="the numbers of these pieces in ascending order",
        examples=[[3, 5]],
        json_schema_extra=size_limit_schema_entry(50),
    )


class ShiftAnswer(LineForm):
    """Form of a model's answer to the chunker `lumber`: the first passage whose content shifts."""

    label: ClassVar[str] = "Answer"
    none_meaning: ClassVar[str] = "the content shifts nowhere"

    answer: WholeNumber | None = Field(description="this passage's number", examples=[4])


class StatedProposition(Form):
    """A proposition in a model's answer, with its source sentence and the quoted words."""

    text: str = Field(
        min_length=1, examples=["the proposition"], json_schema_extra=size_limit_schema_entry(LONGEST_SCHEMA_SENTENCE)
    )
    sentence: WholeNumber = Field(description="the number of the sentence that it restates", examples=[3])
    quotation: str = Field(
        description="the words of that sentence that it restates, letter by letter and without gaps",
        examples=["the words it restates"],
        json_schema_extra=size_limit_schema_entry(LONGEST_SCHEMA_SENTENCE),
    )


class PropositionsAnswer(Form):
    """Form of the first answer to the chunker `propositions`: the propositions of a window."""

    propositions: ListOf[StatedProposition] = Field(json_schema_extra=size_limit_schema_entry(40) | {"least": 1})


class PlacedChunk(Form):
    """A chunk in a model's answer: its title, summary and assigned propositions."""

    chunk: WholeNumber | None = Field(description="the number of a chunk that there is, or null for a new one", examples=[2])
    title: str = Field(min_length=1, examples=["a title"], json_schema_extra=size_limit_schema_entry(80))
    summary: str = Field(examples=["a summary"], json_schema_extra=size_limit_schema_entry(LONGEST_SCHEMA_SENTENCE))
    propositions: ListOf[WholeNumber] = Field(
        description="their numbers, each in one chunk",
        examples=[[7, 9]],
        json_schema_extra=size_limit_schema_entry(50) | {"least": 1},
    )


class PlacementsAnswer(Form):
    """Form of the second answer to the chunker `propositions`: the chunks to which propositions are assigned."""

    chunks: ListOf[PlacedChunk] = Field(json_schema_extra=size_limit_schema_entry(MOST_SCHEMA_ITEMS) | {"least": 1})


class QuestionWithExcerpts(Form):
    """Excerpts of a passage, and the generated question that they answer.

    The excerpts come first: a weak model that begins with the question asks the same of every passage.
    """

    excerpts: ListOf[Annotated[str, Field(json_schema_extra=size_limit_schema_entry(2 * LONGEST_SCHEMA_SENTENCE))]] = Field(
        examples=[["...", "..."]], json_schema_extra=size_limit_schema_entry(MOST_EXCERPTS) | {"least": 1}
    )
    question: str = Field(examples=["..."], json_schema_extra=size_limit_schema_entry(LONGEST_SCHEMA_SENTENCE))


class JudgedStatement(Form):
    """A statement from an answer, with the verdict on whether the passages support the statement."""

    statement: Sentence = Field(examples=["..."])
    supported: bool = Field(examples=[True])


class Faithfulness(Form):
    """Form of a judgement of an answer's faithfulness: the answer's statements, each with a verdict."""

    statements: ListOf[JudgedStatement] = Field(
        max_length=MOST_STATEMENTS, json_schema_extra=size_limit_schema_entry(MOST_SCHEMA_ITEMS)
    )


class Relevancy(Form):
    """Form of a judgement of an answer's relevancy: three questions that fit the answer, and whether it is evasive."""

    questions: ListOf[Sentence] = Field(min_length=3, max_length=3, examples=[["...", "...", "..."]])
    evasive: bool = Field(examples=[False])


class Correctness(Form):
    """Form of a judgement of an answer's correctness: a reason and a grade."""

    reason: str = Field("", examples=["one sentence"], json_schema_extra=size_limit_schema_entry(LONGEST_SCHEMA_SENTENCE))
    grade: WholeNumber = Field(ge=1, le=HIGHEST_GRADE, examples=[3])


@dataclass(frozen=True)
class AnswerKind:
    """A kind of answer that a prompt asks for: the answer's form, limits and stop words.

    Attributes
    ----------
    most_tokens
        Maximum number of tokens in an answer, reasoning included.
    form
        Form of the answer; None for plain text.
    stop
        Texts at which an answer ends: the beginnings of further prompt text, which weak models write instead of
        stopping.
    bounds, sizes, choices
        See `NumberBoundsByField`, `SizeLimitByField` and `AllowedTextsByField`.
    """

    most_tokens: int = TOKENS_BESIDE_CONTENT
    form: type[Form] | None = None
    stop: tuple[str, ...] = ()
    bounds: NumberBoundsByField = field(default_factory=dict)
    sizes: SizeLimitByField = field(default_factory=dict)
    choices: AllowedTextsByField = field(default_factory=dict)

    def copy_with_answer_limits(
        self,
        number_bounds_by_field: NumberBoundsByField,
        most_tokens: int | None = None,
        sizes: SizeLimitByField | None = None,
    ) -> "AnswerKind":
        """Return a copy of the answer kind for one request, with valid numbers and, if given, a token limit and sizes."""
        return replace(self, most_tokens=most_tokens or self.most_tokens, bounds=number_bounds_by_field, sizes=sizes or {})

    def with_choices(self, choices: AllowedTextsByField) -> "AnswerKind":
        """Return a copy of the answer kind, with the texts that fields may contain if the server enforces a schema.

        A field with more than `MOST_ENUM_VALUES` texts is not restricted.
        """
        return replace(self, choices={name: texts for name, texts in choices.items() if 0 < len(texts) <= MOST_ENUM_VALUES})

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields in the answer's form; empty for plain text."""
        return () if self.form is None else (*self.form.model_fields,)

    @property
    def schema(self) -> dict[str, Any] | None:
        """JSON schema to send to a server, restricted to this request's numbers, texts and sizes; None for plain text."""
        return None if self.form is None else _request_schema(_resolved_schema(self.form), self)


FREE_TEXT_ANSWER = AnswerKind()
"""An answer in words."""

SPLIT_PLACES_ANSWER = AnswerKind(form=SplitsAnswer, stop=("<|start_chunk_",))
TOPIC_SHIFT_ANSWER = AnswerKind(form=ShiftAnswer, stop=("\nWhich of the passages",))
PROPOSITIONS_ANSWER = AnswerKind(form=PropositionsAnswer, stop=("\nState the sentences",))
GROUP_PLACEMENTS_ANSWER = AnswerKind(form=PlacementsAnswer, stop=("\nFurther propositions:", "\nWhere do the propositions"))
QUESTION_WITH_EXCERPTS_ANSWER = AnswerKind(2 * TOKENS_BESIDE_CONTENT, QuestionWithExcerpts, ("\nAsk about this passage",))

ANSWER_TO_QUESTION = AnswerKind(stop=("\nQuestion:", "\nPassages:"))
"""An answer to a question, in words and without a schema on purpose.

Any text is in the form of such an answer, so a schema could only bound its length. It would break off in the middle of a
sentence, and a repetition would then count as a whole answer; without a schema it is cut off and reported. Answers are
judged in the form in which users' own systems give them.
"""

FAITHFULNESS_JUDGEMENT_ANSWER = AnswerKind(2 * TOKENS_BESIDE_CONTENT, Faithfulness, ("\nPassages:", "\nQuestion:"))
RELEVANCY_JUDGEMENT_ANSWER = AnswerKind(TOKENS_BESIDE_CONTENT, Relevancy, ("\nAnswer:",))
CORRECTNESS_JUDGEMENT_ANSWER = AnswerKind(TOKENS_BESIDE_CONTENT, Correctness, ("\nReference answer:", "\nAnswer to grade:"))

CONTEXT_SENTENCE_ANSWER = AnswerKind(stop=("\nThe passage:", "\nWhere does it stand"))
"""A context sentence, in words and without a schema for the reasons of `ANSWER_TO_QUESTION`."""


def _example_answer(schema: Mapping[str, Any]) -> Any:
    """Return an example of a schema, made of the examples of its fields."""
    if "properties" in schema:
        return {name: _example_answer(field_schema) for name, field_schema in schema["properties"].items()}
    if "examples" in schema:
        return schema["examples"][0]
    return [_example_answer(schema["items"])]


def _yield_field_names_and_descriptions(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the name and the description of each field of a schema that has a description."""
    for name, field_schema in schema.get("properties", {}).items():
        if "description" in field_schema:
            yield name, field_schema["description"]
        yield from _yield_field_names_and_descriptions(field_schema.get("items", {}))


def _request_schema(form_schema: Mapping[str, Any], answer_kind: AnswerKind, field_name: str = "") -> dict[str, Any]:
    """Return a schema for a server, all its fields required, with the numbers, texts and sizes that are allowed."""
    if "properties" in form_schema:
        request_schema_by_field = {
            key: _request_schema(field_schema, answer_kind, key) for key, field_schema in form_schema["properties"].items()
        }
        return {
            "type": "object",
            "properties": request_schema_by_field,
            "required": [*request_schema_by_field],
            "additionalProperties": False,
        }
    if "anyOf" in form_schema:
        option_schemas = [_request_schema(option, answer_kind, field_name) for option in form_schema["anyOf"]]
        satisfiable_option_schemas = [option for option in option_schemas if option.get("enum", True)]
        return (
            {"anyOf": satisfiable_option_schemas} if len(satisfiable_option_schemas) > 1 else satisfiable_option_schemas[0]
        )
    json_type, most_length_or_items = form_schema["type"], form_schema.get("most")
    match json_type:
        case "array":
            least_length_or_items = form_schema.get("least", form_schema.get("minItems", 0))
            most_length_or_items = form_schema.get("maxItems") if most_length_or_items is None else most_length_or_items
            list_item_count_limits = {"minItems": least_length_or_items} if least_length_or_items else {}
            list_item_count_limits |= (
                {} if most_length_or_items is None else {"maxItems": answer_kind.sizes.get(field_name, most_length_or_items)}
            )
            return {
                "type": json_type,
                "items": _request_schema(form_schema["items"], answer_kind, field_name),
                **list_item_count_limits,
            }
        case "string" if field_name in answer_kind.choices:
            return {"type": json_type, "enum": [*answer_kind.choices[field_name]]}
        case "string":
            least_length_or_items, most_length_or_items = (
                form_schema.get("minLength", 0),
                answer_kind.sizes.get(field_name, most_length_or_items),
            )
            return {
                "type": json_type,
                **({"minLength": least_length_or_items} if least_length_or_items else {}),
                **({"maxLength": most_length_or_items} if most_length_or_items else {}),
            }
        case "integer":
            lowest_number, highest_number = answer_kind.bounds.get(
                field_name, (form_schema.get("minimum", -MOST_ENUM_VALUES), form_schema.get("maximum", MOST_ENUM_VALUES))
            )
            return {
                "type": json_type,
                **(
                    {"enum": [*range(lowest_number, highest_number + 1)]}
                    if highest_number - lowest_number < MOST_ENUM_VALUES
                    else {}
                ),
            }
        case _:
            return {"type": json_type}
