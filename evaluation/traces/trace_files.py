"""Read files of traces: the questions that somebody's own retrieval was asked, and what it retrieved for each."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from chunkers import InputError, Span
from chunkers.files.external_chunks import GivenChunk
from chunkers.support import short_repr
from chunkers.text import run_parser_in_reader_process
from evaluation.questions import MOST_QUESTIONS
from evaluation.traces import trace_file_rows

_NEGATIVE_FEEDBACK_WORDS = frozenset(
    [
        *("down", "thumbs_down", "👎", "negative", "bad", "incorrect", "wrong", "dislike", "no", "false", "fail", "failed"),
        *("unhelpful", "not_helpful"),
    ]
)
_POSITIVE_FEEDBACK_WORDS = frozenset(
    [
        *("up", "thumbs_up", "👍", "positive", "good", "correct", "right", "like", "yes", "true", "pass", "passed"),
        "helpful",
    ]
)
"""Words of feedback, in lower case and with underscores."""


def _check_visible_text(text: str) -> str:
    if not text.strip():
        raise ValueError("a string that is not empty")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("valid Unicode")
    return text


class RetrievedText(BaseModel, frozen=True, extra="forbid", strict=True):
    """A text that was retrieved for a question.

    Attributes
    ----------
    rank
        From 1, in the order of the trace.
    given
        True if it was passed on to the language model, False if a limit or a reranker left it out.
    text, spans, document, id
        As `GivenChunk` has them; with an identifier alone, the text stands in the file of chunks.
    score
        The retriever's score; None if the trace has none.
    """

    rank: int = Field(ge=1)
    text: str | None
    spans: tuple[tuple[int, int], ...] = ()
    document: str | None = None
    id: str | None = None
    score: float | None = None
    given: bool = True

    @property
    def as_given_chunk(self) -> GivenChunk:
        """The text with the place and the document that the trace states."""
        return GivenChunk(self.text, tuple(Span(*span) for span in self.spans), self.document, self.id)


class QuotedExcerpt(BaseModel, frozen=True, extra="ignore", strict=True):
    """A passage that answers a question, as a trace quotes it."""

    content: Annotated[str, AfterValidator(_check_visible_text)]
    corpus_id: str | None = None


class TracedQuestion(BaseModel, frozen=True, extra="forbid", strict=True):
    """A question that was asked in production or in an evaluation, with what was retrieved and answered there.

    Attributes
    ----------
    place, format
        Where it stands in its file, such as ``line 3``, and the format of the file.
    answer
        The language model's answer; None if the trace has none.
    reference
        The right answer, in words that need not stand in a document; None if the trace has none.
    excerpts
        Passages of the documents that answer the question.
    feedback
        Names and values of users' or evaluators' verdicts on the answer.
    """

    place: str
    format: str
    question: Annotated[str, AfterValidator(_check_visible_text)]
    retrieved: tuple[RetrievedText, ...]
    answer: str | None = None
    reference: str | None = None
    excerpts: tuple[QuotedExcerpt, ...] = ()
    feedback: tuple[tuple[str, bool | int | float | str], ...] = ()

    @property
    def feedback_verdict(self) -> tuple[bool | None, str]:
        """Truth of “the feedback is positive”, None if it is neither or missing, and the feedback in words.

        A negative verdict outweighs others. Of numbers, 1 is positive, 0 and less are negative, and what is between or above
        has a scale that is not known.
        """
        verdict_phrase_pairs = [
            (_is_positive_feedback(value), f"{name} {short_repr(value)}") for name, value in self.feedback
        ]
        return min(verdict_phrase_pairs, key=lambda verdict: (False, True, None).index(verdict[0]), default=(None, ""))


def _is_positive_feedback(value: bool | int | float | str) -> bool | None:
    if isinstance(value, str):
        normalised_feedback_word = re.sub(r"[\s-]+", "_", value.strip().lower())
        if normalised_feedback_word in _NEGATIVE_FEEDBACK_WORDS or normalised_feedback_word in _POSITIVE_FEEDBACK_WORDS:
            return normalised_feedback_word in _POSITIVE_FEEDBACK_WORDS
        try:
            value = float(value)
        except ValueError:
            return None
    return True if value == 1 else False if value <= 0 else None


@dataclass(frozen=True)
class Traces:
    """The traced questions of a file, and a sentence on everything in it that is not usable."""

    questions: tuple[TracedQuestion, ...]
    problems: tuple[str, ...]


def read_traces(file_bytes: bytes, file_name: str, cancelled: Callable[[], bool] = bool) -> Traces:
    """Read a file of traces, whose format is recognised by its content.

    The file is read in another process; see `chunkers.text.reader_process`. Formats are the spans of OpenInference
    (Phoenix) and OpenTelemetry's GenAI conventions, Langfuse's exports, ragas' data sets, and plain rows of JSON lines, JSON
    or CSV with a question and what was retrieved; `evaluation.traces.trace_file_rows` has the names of the fields.

    Raises
    ------
    InputError
        If the whole file is unusable, or has no usable question.
    Cancelled
        If the user asked to stop, as ``cancelled`` reports.
    """
    questions: list[TracedQuestion] = []
    problems: list[str] = []
    for row in run_parser_in_reader_process(trace_file_rows.parse_traces, file_bytes, file_name, cancelled):
        if "problem" in row:
            problems.append(row["problem"])
        elif len(questions) == MOST_QUESTIONS:
            question_limit_message = f"a file may have at most {MOST_QUESTIONS:,} questions; the rest is left out."
            problems.append(f"{file_name}, from {row['place']} on: {question_limit_message}")
            break
        else:
            try:
                questions.append(_traced_question(row))
            except ValidationError as error:
                problems.append(f"{file_name}, {row['place']}: {_validation_sentence(error)}")
    if not questions:
        raise InputError(problems[0] if problems else f"{file_name}: at least one trace must be usable; none is.")
    return Traces(tuple(questions), tuple(problems))


def _traced_question(row: dict[str, Any]) -> TracedQuestion:
    reference_excerpts = tuple({"content": excerpt} if isinstance(excerpt, str) else excerpt for excerpt in row["excerpts"])
    retrieved_texts_with_spans = tuple({**chunk, "spans": tuple(map(tuple, chunk["spans"]))} for chunk in row["retrieved"])
    feedback_name_value_pairs = tuple(map(tuple, row["feedback"]))
    return TracedQuestion.model_validate(
        {
            **row,
            "excerpts": reference_excerpts,
            "retrieved": retrieved_texts_with_spans,
            "feedback": feedback_name_value_pairs,
        }
    )


_PHRASE_BY_VALIDATION_RULE = {
    "string_type": "a string",
    "float_type": "a number",
    "finite_number": "a finite number",
    "model_type": "a string or an object with content",
    "missing": "there",
}


def _validation_sentence(error: ValidationError) -> str:
    """Return a sentence on the first broken rule: the field, the rule, and the value."""
    first_validation_error = error.errors(include_url=False)[0]
    invalid_field_path = ".".join(str(key + 1) if isinstance(key, int) else key for key in first_validation_error["loc"])
    broken_rule_phrase = (
        str(first_validation_error["ctx"]["error"])
        if first_validation_error["type"] == "value_error"
        else _PHRASE_BY_VALIDATION_RULE.get(first_validation_error["type"], first_validation_error["msg"])
    )
    return f"{invalid_field_path} must be {broken_rule_phrase}; got {short_repr(first_validation_error['input'])}."
