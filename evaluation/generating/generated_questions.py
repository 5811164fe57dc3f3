"""Generated questions as a data set: edited by the user, filtered, as a file for `evaluation.questions.question_files`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from chunkers import DEFAULT_SPLITTER, Document, InputError, Span, Tools
from chunkers.language_models import MOST_EXCERPTS
from chunkers.support import FloatArray, csv_text, short_repr
from chunkers.text import MIN_NEAREST_SIMILARITY, Quotation, SearchableText
from evaluation.generating.question_generation import Generated, Window, question_on_one_line
from evaluation.questions import Corpus, QuestionSet, excerpt_as_json
from evaluation.retrieval.asked_question import MOST_QUESTION_CHARACTERS
from evaluation.search import embed_texts

QUESTION_FILE_STEM = "generated-questions"
"""Name of the questions file, without its extension."""


@dataclass(frozen=True)
class SourceTexts:
    """Names and texts of the documents that questions are about."""

    names: tuple[str, ...]
    texts: tuple[str, ...]

    def corpus(self, splitter: str = DEFAULT_SPLITTER) -> Corpus:
        """Return a corpus of the documents, split into sentences."""
        return Corpus(
            tuple(Document.from_text(text, splitter, name) for name, text in zip(self.names, self.texts, strict=True))
        )

    def excerpt_texts(self, generated_question: Generated) -> list[str]:
        """Return the texts of the excerpts that answer a question."""
        document_text = self.texts[generated_question.window.document]
        return [document_text[start:end] for start, end in generated_question.excerpts]

    def question_row(self, generated_question: Generated) -> dict[str, Any]:
        """Return a question as a row for a file, with the document, position and context of each excerpt."""
        document_name, document_text = (
            self.names[generated_question.window.document],
            self.texts[generated_question.window.document],
        )
        return {
            "question": generated_question.question,
            "references": [excerpt_as_json(document_name, document_text, span) for span in generated_question.excerpts],
        }


@dataclass(frozen=True)
class QuestionDraft:
    """Question as edited by the user, which may be invalid.

    Attributes
    ----------
    question, excerpts
        The texts in the table.
    generated_question
        The edited question; None if the texts are invalid.
    why
        Reason why the texts are invalid; empty if they are valid.
    """

    question: str
    excerpts: tuple[str, ...]
    generated_question: Generated | None
    why: str = ""

    @classmethod
    def from_user_edit(
        cls, generated_question: Generated, source_texts: SourceTexts, edited_question: str, edited_excerpts: Sequence[str]
    ) -> "QuestionDraft":
        """Return the user's edit of a question as a draft, with an error message if the edit is invalid."""
        try:
            return cls(
                edited_question,
                tuple(edited_excerpts),
                apply_edits_to_question(generated_question, source_texts, edited_question, edited_excerpts),
            )
        except InputError as error:
            return cls(edited_question, tuple(edited_excerpts), None, str(error))


def generated_questions_to_csv(generated_questions: Sequence[Generated], source_texts: SourceTexts) -> str:
    """Return the questions as CSV, with their excerpts as JSON in the column ``references``.

    The excerpts can be located again even after the documents have been edited.

    Text that a spreadsheet would read as a formula gets an apostrophe before it.
    """
    question_and_references_rows = (
        (row["question"], json.dumps(row["references"], ensure_ascii=False))
        for row in map(source_texts.question_row, generated_questions)
    )
    return csv_text(["question", "references"], question_and_references_rows)


def generated_question_set(
    generated_questions: Sequence[Generated], source_texts: SourceTexts, model_name: str
) -> QuestionSet:
    """Return a question set of the questions, their documents and a note on how they were generated."""
    questions_jsonl = "".join(
        f"{json.dumps(source_texts.question_row(question), ensure_ascii=False)}\n" for question in generated_questions
    )
    generation_note = (
        f"{model_name} wrote these questions with the excerpts in sight; real ones use other words. Differences between "
        "chunkers "
        "say more than the scores."
    )
    return QuestionSet(
        tuple(zip(source_texts.names, source_texts.texts, strict=True)),
        (f"{QUESTION_FILE_STEM}.jsonl", questions_jsonl.encode("utf-8", "surrogatepass")),
        (generation_note,),
    )


def apply_edits_to_question(
    generated_question: Generated, source_texts: SourceTexts, edited_question: str, edited_excerpts: Sequence[str]
) -> Generated:
    """Return a question with the user's edits applied; empty excerpts are dropped.

    Raises
    ------
    InputError
        If the question is empty or too long, if no or too many excerpts are left, or if an excerpt is not in the document
        word for word.
    """
    edited_question = question_on_one_line(edited_question)
    if not any(map(str.isalnum, edited_question)):
        raise InputError(
            f"The question must have at least one word; got {short_repr(edited_question)}. To leave the question out, "
            "remove its "
            "row."
        )
    if len(edited_question) > MOST_QUESTION_CHARACTERS:
        raise InputError(
            f"A question may have at most {MOST_QUESTION_CHARACTERS:,} characters; this one has {len(edited_question):,}."
        )
    nonempty_excerpts = [excerpt.strip() for excerpt in edited_excerpts if excerpt.strip()]
    if not 1 <= len(nonempty_excerpts) <= MOST_EXCERPTS:
        raise InputError(
            f"A question must have 1 to {MOST_EXCERPTS} excerpts; {short_repr(edited_question)} has "
            f"{len(nonempty_excerpts)}."
        )
    excerpt_spans = {_excerpt_span(excerpt, generated_question.window, source_texts) for excerpt in nonempty_excerpts}
    return generated_question._replace(question=edited_question, excerpts=tuple(sorted(excerpt_spans)))


def _excerpt_span(excerpt: str, window: Window, source_texts: SourceTexts) -> Span:
    """Return the span of an exact match of an excerpt, in the window if possible."""
    document_name, document_text = source_texts.names[window.document], source_texts.texts[window.document]
    window_start, window_end = window.span
    exact_excerpt_match = SearchableText(document_text[window_start:window_end]).exact_match(Quotation(excerpt))
    if exact_excerpt_match is not None:
        return Span(window_start + exact_excerpt_match.span.start, window_start + exact_excerpt_match.span.end)
    exact_excerpt_match = SearchableText(document_text).exact_match(Quotation(excerpt, start=window_start))
    if exact_excerpt_match is not None:
        return exact_excerpt_match.span
    excerpt_not_found_message = (
        f"An excerpt must stand in {document_name} word for word, and {short_repr(excerpt)} does not."
    )
    nearest_match = (
        SearchableText(document_text[window_start:window_end]).altered_match(Quotation(excerpt), MIN_NEAREST_SIMILARITY)
        if len(excerpt) <= 2 * (window_end - window_start)
        else None
    )
    if nearest_match is not None:
        excerpt_not_found_message += (
            " The nearest passage is "
            f"{short_repr(document_text[window_start:window_end][nearest_match.span.start : nearest_match.span.end])}."
        )
    raise InputError(excerpt_not_found_message)


# Two filters of generated questions: excerpts that are not about the question, and questions that are asked twice.


LEAST_EXCERPT_COSINE, MOST_QUESTION_COSINE = 0.36, 0.78
"""The thresholds of the code beside Chroma's report, which are for OpenAI's text-embedding-3-large.

Other embedders give other cosines: look where the line lies in the histogram.
"""


class Cosines(NamedTuple):
    """Cosine similarities of questions to their excerpts and to each other.

    Attributes
    ----------
    excerpts
        The lowest cosine of each question with any of its excerpts, shape (questions,).
    questions
        The cosine of every pair of questions, shape (questions, questions).
    """

    excerpts: FloatArray
    questions: FloatArray


class FilterResult(NamedTuple):
    """Outcome of the similarity filters for each question.

    Attributes
    ----------
    excerpts
        The lowest cosine of each question with any of its excerpts, shape (questions,).
    earlier
        The highest cosine of each question with an earlier question, shape (questions,), among the questions that pass the
        first filter. NaN for questions that do not pass, and for questions without an earlier question.
    kept
        True if a question passes both filters, shape (questions,).
    """

    excerpts: FloatArray
    earlier: FloatArray
    kept: npt.NDArray[np.bool_]


def compute_cosines_of_questions(generated_questions: Sequence[Generated], corpus: Corpus, tools: Tools) -> Cosines:
    """Return the cosine similarities of questions to their excerpts and to each other.

    Raises the same errors as `Tools.embed`.

    Parameters
    ----------
    generated_questions
        The questions; at least one.
    corpus
        The documents that the questions are about.
    tools
        Services with the embedder. An embedder that needs fitting is fitted on the sentences of all documents, as for
        retrieval.
    """
    question_numbers_and_excerpts = [
        (number, corpus.documents[question.window.document].text[start:end])
        for number, question in enumerate(generated_questions)
        for start, end in question.excerpts
    ]
    embedded_texts = [
        *(question.question for question in generated_questions),
        *(text for _, text in question_numbers_and_excerpts),
    ]
    question_then_excerpt_vectors = embed_texts(corpus.joined_document, embedded_texts, tools).astype(float)
    question_vectors, excerpt_vectors = (
        question_then_excerpt_vectors[: len(generated_questions)],
        question_then_excerpt_vectors[len(generated_questions) :],
    )
    question_number_of_excerpt = np.array([number for number, _ in question_numbers_and_excerpts], dtype=np.intp)
    lowest_cosine_per_question = np.ones(len(generated_questions))
    np.minimum.at(
        lowest_cosine_per_question,
        question_number_of_excerpt,
        np.einsum("ij,ij->i", question_vectors[question_number_of_excerpt], excerpt_vectors),
    )
    # Unit vectors in single precision may have a cosine of a little more than 1.
    return Cosines(np.clip(lowest_cosine_per_question, -1, 1), np.clip(question_vectors @ question_vectors.T, -1, 1))


def decide_kept_questions(
    cosines: Cosines,
    lowest_excerpt_cosine: float = LEAST_EXCERPT_COSINE,
    highest_question_cosine: float = MOST_QUESTION_COSINE,
) -> FilterResult:
    """Select the questions that resemble their excerpts and are not too similar to an earlier question.

    A question is compared with all earlier questions that resemble their excerpts, even those dropped as duplicates. Its
    highest cosine therefore does not depend on ``highest_question_cosine``, and its bar in the histogram stays in place.
    """
    question_fits_excerpts_mask = cosines.excerpts >= lowest_excerpt_cosine
    highest_earlier_cosines = np.full(len(question_fits_excerpts_mask), np.nan)
    for question_number in np.flatnonzero(question_fits_excerpts_mask):
        earlier_cosines = cosines.questions[question_number, :question_number][question_fits_excerpts_mask[:question_number]]
        if earlier_cosines.size:
            highest_earlier_cosines[question_number] = earlier_cosines.max()
    return FilterResult(
        cosines.excerpts,
        highest_earlier_cosines,
        question_fits_excerpts_mask & ~(highest_earlier_cosines > highest_question_cosine),
    )
