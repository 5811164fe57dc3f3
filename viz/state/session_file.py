"""A session saved in a file: the text with its boundaries and questions, and each column's recipe and result."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    Field,
    SerializerFunctionWrapHandler,
    SkipValidation,
    ValidationError,
    model_serializer,
    model_validator,
)

from chunkers import Chunker, Chunking, Embedder, InputError, Recipe, Span
from chunkers.files.external_chunks import GivenChunk
from chunkers.language_models import LanguageModel
from chunkers.methods import ChunkFile, YourChunks
from chunkers.recipes import broken_rule_phrase
from chunkers.results import EmbeddedAs
from chunkers.support import first_field_and_error
from chunkers.text import LONGEST_LABEL, PartKind, TextParts, run_parser_in_reader_process
from evaluation.questions import MarkedQuestion
from evaluation.retrieval.asked_question import MOST_ANSWER_CHARACTERS, MOST_QUESTION_CHARACTERS
from viz.state import session_file_reader
from viz.state.choices import MOST_COLUMNS, Choices
from viz.state.shown_text import TextWithDetails, are_offsets_valid_boundaries

SESSION_FILE_ENDING = ".json"


MOST_QUESTIONS = 100
"""Most questions with a marked answer in a session."""


class SavedQuestion(BaseModel, frozen=True, extra="forbid"):
    """The stored form of a question and its marked answer, `evaluation.questions.questions_with_documents.MarkedQuestion`.

    Attributes
    ----------
    sample
        The id of the bundled document that the question is about; empty for the user's own text.
    text
        A digest of the text, by which it is recognised.
    """

    question: str = Field(min_length=1, max_length=MOST_QUESTION_CHARACTERS)
    document: str = Field(max_length=300)
    identity: str = Field(max_length=200)
    start: int = Field(ge=0)
    answer: str = Field(min_length=1, max_length=MOST_ANSWER_CHARACTERS)
    sample: str = Field("", max_length=100)
    text: str = Field(max_length=64)

    @property
    def marked_question(self) -> MarkedQuestion:
        """The question as a `MarkedQuestion`, the form of questions in the session."""
        return MarkedQuestion(self.question, self.document, self.identity, self.start, self.answer)


class SavedChunkFile(BaseModel, frozen=True, extra="forbid"):
    """The stored form of a `chunkers.methods.your_chunks.ChunkFile`, a file of external chunks."""

    name: str
    document: str | None = None
    chunks: SkipValidation[tuple[GivenChunk, ...]]

    @cached_property
    def restored_chunk_file(self) -> ChunkFile:
        """The file of external chunks, restored from its stored form."""
        return ChunkFile(self.name, self.chunks, self.document)


class SavedColumn(BaseModel, frozen=True, extra="forbid"):
    """The stored form of a column: its recipe, the spans of its chunks, and its file of external chunks, if any."""

    recipe: Recipe
    chunks: SkipValidation[tuple[tuple[Span, ...], ...]]
    file: SavedChunkFile | None = None

    @model_serializer(mode="wrap")
    def _serialize_without_missing_file(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        column_fields: dict[str, Any] = handler(self)
        if self.file is None:
            column_fields.pop("file", None)
        return column_fields

    @model_validator(mode="after")
    def _check_file_matches_recipe(self) -> Self:
        if self.file is not None and self.recipe.parameters.get("file") != self.file.restored_chunk_file.identity:
            raise ValueError("file must be the file of chunks that the recipe names; it is another file")
        return self


class SavedTextParts(BaseModel, frozen=True, extra="forbid"):
    """The stored form of a text's pages or chapters, `chunkers.text.extracted_text.TextParts`."""

    kind: PartKind
    starts: Annotated[tuple[int, ...], Field(fail_fast=True)]
    labels: Annotated[tuple[Annotated[str, Field(max_length=LONGEST_LABEL)], ...], Field(fail_fast=True)]

    @classmethod
    def of(cls, pages_or_chapters: TextParts) -> "SavedTextParts":
        """Return the stored form of pages or chapters."""
        return cls(kind=pages_or_chapters.kind, starts=pages_or_chapters.starts, labels=pages_or_chapters.labels)

    def restore_for_text(self, text: str) -> TextParts:
        """Restore the pages or chapters of ``text``; raises ValueError if they do not fit the text."""
        if self.starts and self.starts[-1] > len(text):
            raise ValueError(f"the starts of parts must lie in the text, from 0 to {len(text):,}; got {self.starts[-1]:,}")
        return TextParts(self.kind, self.starts, self.labels)


class SessionFile(BaseModel, frozen=True, extra="forbid"):
    """The content of a session file; ``known`` are offsets in code points, as in `TextWithDetails`."""

    seamark_session: Literal[1] = 1
    name: str = Field(max_length=300)
    text: str
    known: Annotated[tuple[int, ...], Field(fail_fast=True)] | None = None
    parts: SavedTextParts | None = None
    selected: int = Field(0, ge=0)
    questions: tuple[SavedQuestion, ...] = Field((), max_length=MOST_QUESTIONS)
    columns: tuple[SavedColumn, ...] = Field(min_length=1, max_length=MOST_COLUMNS)

    @model_validator(mode="after")
    def _check_fields_agree(self) -> Self:
        if not self.text.strip():
            raise ValueError("text must contain more than white space")
        if self.selected >= len(self.columns):
            raise ValueError(f"selected must be below the number of columns, {len(self.columns)}; got {self.selected}")
        if not are_offsets_valid_boundaries(self.known, self.text):
            raise ValueError(
                f"known boundaries must be in ascending order between 0 and {len(self.text):,}, the length of the text"
            )
        for question_number, question in enumerate(self.questions, start=1):
            if not self.text.startswith(question.answer, question.start):
                raise ValueError(
                    f"the answer to question {question_number} must be in the text at character {question.start:,}, "
                    "where the file says that it begins"
                )
        _ = self.restored_text_parts
        return self

    @property
    def restored_text_parts(self) -> TextParts | None:
        """The pages or chapters of the text; raises ValueError if they do not fit the text."""
        return None if self.parts is None else self.parts.restore_for_text(self.text)


def session_file_json(
    text_and_details: TextWithDetails,
    choices: Choices,
    chunkers_and_results: Sequence[tuple[Chunker, Chunking]],
    embedder: Embedder | None,
    embedded_text_kind: EmbeddedAs = "plain",
    language_model: LanguageModel | None = None,
    questions: tuple[SavedQuestion, ...] = (),
) -> str:
    """Return a session file's JSON: the text, the choices, and at least one column with its result.

    ``language_model`` is the language model of the chunkers that call one.
    """
    return SessionFile(
        name=text_and_details.name,
        text=text_and_details.text,
        known=text_and_details.known,
        parts=None if text_and_details.parts is None else SavedTextParts.of(text_and_details.parts),
        selected=choices.selected,
        questions=questions,
        columns=tuple(
            SavedColumn(
                recipe=Recipe.of(
                    chunker, choices.sentences, embedder, choices.tokenizer, embedded_text_kind, language_model
                ),
                chunks=spans_of_each_chunk(chunking),
                file=_saved_chunk_file_of_chunker(chunker),
            )
            for chunker, chunking in chunkers_and_results
        ),
    ).model_dump_json(indent=1)


def _saved_chunk_file_of_chunker(chunker: Chunker) -> SavedChunkFile | None:
    chunk_file = chunker.chunk_file_if_loaded if isinstance(chunker, YourChunks) else None
    return (
        None
        if chunk_file is None
        else SavedChunkFile(name=chunk_file.name, document=chunk_file.document, chunks=chunk_file.chunks)
    )


def read_session_or_recipe_file(file_bytes: bytes, name: str, cancelled: Callable[[], bool] = bool) -> SessionFile | Recipe:
    """Read a session file or a recipe, in a separate process; see `chunkers.text.reader_process`.

    Raises
    ------
    InputError
        If the data is neither; the message names the field.
    Cancelled
        If ``cancelled``, which is called repeatedly, returns True.
    """
    (file_kind, content_without_texts), *text_and_chunk_pieces = run_parser_in_reader_process(
        session_file_reader.parse_session_file_into_pieces, file_bytes, name, cancelled
    )
    if file_kind == "recipe":
        try:
            return Recipe.of_value(content_without_texts)
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    _insert_pieces_into_session_fields(content_without_texts, text_and_chunk_pieces)
    try:
        validated_session_file = SessionFile.model_validate(content_without_texts)
    except ValidationError as error:
        invalid_field, broken_rule = invalid_field_and_rule(error)
        raise session_file_reader.not_a_session_error(name, invalid_field, broken_rule) from error
    for column in validated_session_file.columns:
        column.recipe.build()
    return validated_session_file


def invalid_field_and_rule(error: ValidationError) -> tuple[str, str]:
    """Return the field of a file that breaks a rule first, and the rule."""
    field_name, first_error = first_field_and_error(error)
    return field_name, broken_rule_phrase(first_error) if first_error["type"] == "literal_error" else first_error[
        "msg"
    ].removeprefix("Value error, ")


def _insert_pieces_into_session_fields(
    session_fields: dict[str, Any], text_and_chunk_pieces: Sequence[Sequence[Any]]
) -> None:
    """Insert the text and chunks of a session, which arrive in pieces, at their places in ``session_fields``."""
    session_column_dicts = [column for column in session_fields.get("columns") or () if isinstance(column, dict)]
    text_pieces: list[str] = []
    spans_per_column: list[list[tuple[Span, ...]]] = [[] for _ in session_column_dicts]
    file_chunks_per_column: list[list[GivenChunk]] = [[] for _ in session_column_dicts]
    for piece_kind, *piece_content in text_and_chunk_pieces:
        if piece_kind == "text":
            text_pieces.append(piece_content[0])
        elif piece_kind == "chunk":
            spans_per_column[piece_content[0]].append(tuple(Span(*span) for span in piece_content[1]))
        else:
            given_chunk_text, spans_of_given_chunk, document_name, given_chunk_id = piece_content[1]
            file_chunks_per_column[piece_content[0]].append(
                GivenChunk(
                    given_chunk_text, tuple(Span(*span) for span in spans_of_given_chunk), document_name, given_chunk_id
                )
            )
    if text_pieces:
        session_fields["text"] = "".join(text_pieces)
    for column, spans_of_chunks, chunks_of_file in zip(
        session_column_dicts, spans_per_column, file_chunks_per_column, strict=True
    ):
        if column.get("chunks") == []:
            column["chunks"] = tuple(spans_of_chunks)
        if isinstance(column.get("file"), dict) and column["file"].get("chunks") == []:
            column["file"]["chunks"] = tuple(chunks_of_file)


def spans_of_each_chunk(chunking: Chunking) -> tuple[tuple[Span, ...], ...]:
    """Return the spans of each chunk of a result."""
    return tuple(chunk.spans for chunk in chunking.chunks)
