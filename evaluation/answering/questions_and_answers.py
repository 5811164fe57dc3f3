"""Questions with reference answers, and a model's answers from the chunks that fill a budget or from trivial baselines."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from chunkers import Chunking, Document, InputError, Span, Tools
from chunkers.language_models import (
    ANSWER_TO_QUESTION,
    FREE_TEXT_ANSWER,
    AnswerKind,
    Asking,
    Message,
    Reply,
    UnusableAnswer,
    ask_until_usable,
    prompts,
)
from chunkers.support import short_repr
from evaluation.questions import (
    ANSWER_COLUMNS,
    AnyRuler,
    Corpus,
    Question,
    QuestionRow,
    parse_excerpt_list,
    read_question_rows,
)
from evaluation.retrieval import Limit, fill_budget
from evaluation.retrieval.asked_question import build_search_index_of_text, checked_question, retrieve_for_question
from evaluation.segmentation import chunking_from_cuts

# Questions and their reference answers.


MOST_QUESTIONS = 500
"""Maximum number of questions of a run: a model is asked up to four times for each of them and each chunker."""

LONGEST_REFERENCE = 10_000
"""Maximum number of characters of a reference answer."""

QUESTION_ANSWER_SEPARATOR = "|"
"""Separator of a question and its reference answer on one line."""

EXCERPT_COLUMNS = ("references", "excerpts")
"""The columns of Retrieval's questions: where there is no answer, their excerpts are the reference."""


class QuestionItem(NamedTuple):
    """A question, with its reference answer if there is one."""

    question: str
    reference: str = ""


@dataclass(frozen=True)
class QuestionItems:
    """Usable questions, and a sentence on each unusable question."""

    usable: tuple[QuestionItem, ...]
    problems: tuple[str, ...] = ()


def questions_of_lines(text: str) -> QuestionItems:
    """Parse text with one question per line and an optional reference answer after a vertical bar.

    Empty lines are skipped.
    """
    question_lines = ((f"line {number:,}", line) for number, line in enumerate(text.splitlines(), start=1) if line.strip())
    places_with_line_parts = ((place, *line.partition(QUESTION_ANSWER_SEPARATOR)) for place, line in question_lines)
    return _usable_question_items((place, question, reference) for place, question, _, reference in places_with_line_parts)


def questions_of_file(data: bytes, name: str, cancelled: Callable[[], bool] = bool) -> QuestionItems:
    """Read questions and their reference answers from a CSV, JSON or JSON lines file.

    The reference answer is in one of the columns in `ANSWER_COLUMNS`. The question files of the Retrieval page work too: if
    a row has no answer, its excerpts serve as the reference answer.

    Raises
    ------
    InputError
        If the whole file is unusable: empty, too large, in another format, or without the column ``question``.
    Cancelled
        If the user asked to stop, as ``cancelled`` reports.
    """
    questions_with_places: list[tuple[str, Any, Any]] = []
    for place_in_file, row in read_question_rows(data, name, "answers", cancelled):
        try:
            if isinstance(row, InputError):
                raise row
            questions_with_places.append((place_in_file, row.get("question", row.get("user_input")), _reference_answer(row)))
        except InputError as error:
            questions_with_places.append((place_in_file, error, ""))
        if len(questions_with_places) > MOST_QUESTIONS:
            break
    question_items = _usable_question_items(questions_with_places)
    return QuestionItems(question_items.usable, tuple(f"{name}, {problem}" for problem in question_items.problems))


def question_items_by_document_text(questions: Iterable[Question], corpus: Corpus) -> dict[str, QuestionItems]:
    """Group retrieval questions by the text that answers them, with their excerpts as reference answers.

    A question with excerpts in several documents is left out, since the chunks of a single text cannot answer it. An excerpt
    that is a whole document, as in BEIR's question sets, does not become a reference answer.
    """
    # Not by document: two may have the same text, and the chunks of it answer what is asked of either.
    question_rows_by_text: dict[str, list[tuple[str, Any, str]]] = {}
    for question in questions:
        excerpt_document_numbers = {excerpt.document for excerpt in question.excerpts}
        if len(excerpt_document_numbers) != 1:
            continue
        (document_number,) = excerpt_document_numbers
        document_text = corpus.documents[document_number].text
        excerpt_texts = [
            document_text[start:end] for _, (start, end) in question.excerpts if (start, end) != (0, len(document_text))
        ]
        question_rows_of_text = question_rows_by_text.setdefault(document_text, [])
        if len(question_rows_of_text) <= MOST_QUESTIONS:
            question_rows_of_text.append((short_repr(question.text), question.text, " ".join(excerpt_texts)))
    return {text: _usable_question_items(rows) for text, rows in question_rows_by_text.items()}


def _reference_answer(question_row: QuestionRow) -> str:
    """Return the reference answer of a row; empty if it has none."""
    for answer_column_name in ANSWER_COLUMNS:
        column_value = question_row.get(answer_column_name)
        if isinstance(column_value, list):
            column_value = " ".join(filter(None, (answer for answer in column_value if isinstance(answer, str))))
        if column_value is None or (isinstance(column_value, str) and not column_value.strip()):
            continue
        if not isinstance(column_value, str):
            raise InputError(f"the value of {answer_column_name} must be a string; got {short_repr(column_value)}.")
        return column_value
    for answer_column_name in EXCERPT_COLUMNS:
        if question_row.get(answer_column_name):
            return " ".join(
                _read_excerpt_text_from_value(excerpt, answer_column_name)
                for excerpt in parse_excerpt_list(question_row[answer_column_name], answer_column_name)
            )
    return ""


def _read_excerpt_text_from_value(value: object, column: str) -> str:
    excerpt_text_value = value.get("content") if isinstance(value, dict) else value
    if not isinstance(excerpt_text_value, str):
        raise InputError(f"every excerpt in the column {column} must be a string; got {short_repr(value)}.")
    return excerpt_text_value


def _usable_question_items(question_rows: Iterable[tuple[str, Any, str]]) -> QuestionItems:
    """Return the questions that can be used, each once."""
    usable_question_items: list[QuestionItem] = []
    problem_sentences: list[str] = []
    for place_in_input, question, reference_answer in question_rows:
        try:
            if isinstance(question, InputError):
                raise question
            if not isinstance(question, str):
                raise InputError(f"the question must be a string; got {short_repr(question)}.")
            checked_question_item = QuestionItem(checked_question(question), reference_answer.strip())
            if len(checked_question_item.reference) > LONGEST_REFERENCE:
                raise InputError(
                    f"A reference answer may have at most {LONGEST_REFERENCE:,} characters; this one has "
                    f"{len(checked_question_item.reference):,}."
                )
            if any("\ud800" <= character <= "\udfff" for character in checked_question_item.reference):
                raise InputError(
                    "A reference answer must be valid Unicode; it contains a lone surrogate. Remove the broken character."
                )
            if any(checked_question_item.question == other.question for other in usable_question_items):
                raise InputError(
                    f"every question must appear only once; {short_repr(checked_question_item.question)} appears again, and "
                    "this repetition is left out."
                )
        except InputError as error:
            problem_sentences.append(f"{place_in_input}: {error}")
            continue
        if len(usable_question_items) == MOST_QUESTIONS:
            problem_sentences.append(
                f"{place_in_input} and on: at most {MOST_QUESTIONS:,} questions can be answered; the rest is left out."
            )
            break
        usable_question_items.append(checked_question_item)
    return QuestionItems(tuple(usable_question_items), tuple(problem_sentences))


# Passages of the chunks, and answers from these alone.


GUESSED_ANSWER_TOKENS = 100
"""Tokens of an answer, or of what is said of one, as an estimate of the cost counts them."""


class Passage(NamedTuple):
    """Text of one chunk, or the beginning of it, that the model receives with a question.

    Attributes
    ----------
    chunk
        Number of the chunk, from 0.
    text
        The chunk's whole text, or its beginning if the budget ends within it.
    whole
        True if ``text`` is the chunk's whole text.
    """

    chunk: int
    text: str
    whole: bool


@dataclass(frozen=True)
class AnswerContext:
    """Passages that the model receives with a question, best first, and their total tokens.

    With ``closed_book``, there are no passages, and the model answers from its own knowledge. With a ``given_answer``,
    no model is asked; an empty answer stands for a question that has no answer.
    """

    passages: tuple[Passage, ...]
    tokens: int
    closed_book: bool = False
    given_answer: str | None = None

    def __str__(self) -> str:
        """Format the passages as the prompt shows them."""
        return "".join(
            prompts.ANSWER_PASSAGE_TEMPLATE.format(number=number, text=passage.text)
            for number, passage in enumerate(self.passages, start=1)
        )


@dataclass(frozen=True)
class GatheredPassages:
    """Passages retrieved from one chunker's chunks for every question, with the cost of chunking and embedding.

    Attributes
    ----------
    contexts
        One context per question.
    chunk_s, embed_s
        Seconds for chunking and for embedding the chunks, as if the cache were empty. ``chunk_s`` is None for chunks that
        were made elsewhere.
    chunks
        Number of chunks.
    language_model_tokens
        Tokens that the chunker used from a language model; None if it calls none.
    """

    contexts: tuple[AnswerContext, ...]
    chunk_s: float | None
    embed_s: float
    chunks: int
    language_model_tokens: int | None = None


def gather_passages_for_each_question(
    chunking: Chunking, questions: Sequence[str], token_budget: int, tools: Tools, token_ruler: AnyRuler
) -> GatheredPassages:
    """Return the passages of the best chunks for every question, ranked by embedding, up to a token budget.

    The last chunk is cut off where the budget ends, as `evaluation.retrieval.budget.fill_budget` does.

    Raises
    ------
    ModelError
        As in `Tools.embed`.
    Cancelled
        If the user asked to stop.
    """
    search_index = build_search_index_of_text(chunking, tools, "embedding")
    context_of_each_question = []
    for question in questions:
        question_with_ranked_chunks = retrieve_for_question(
            search_index, question, tools, Limit(budget=token_budget), token_ruler
        )
        passages_of_question = tuple(
            Passage(
                hit.number, "\n".join(chunking.document.text[start:end] for start, end in hit.given), hit.is_wholly_retrieved
            )
            for hit in question_with_ranked_chunks.hits
        )
        context_of_each_question.append(AnswerContext(passages_of_question, question_with_ranked_chunks.tokens))
    chunking_model_spending = chunking.spending
    return GatheredPassages(
        tuple(context_of_each_question),
        search_index.chunk_s,
        search_index.embed_s,
        len(chunking.chunks),
        None if chunking_model_spending is None else chunking_model_spending.tokens,
    )


class Exchange(NamedTuple):
    """Verbatim conversation with a language model, with its token counts.

    Attributes
    ----------
    turns
        All messages, the last answer included.
    tokens_in, tokens_out
        Tokens of all requests and answers, cached answers included, as counted by the server or else by the tokenizer.
    """

    turns: tuple[Message, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0


class Recording:
    """Callable that sends messages to a language model and records the conversation.

    Parameters
    ----------
    asking
        The model.
    count_tokens
        Counts the tokens of each text, for servers that report no token counts.
    cancelled, repeat_number
        See ``cancelled`` and ``repeat`` of `Asking.ask`.
    """

    def __init__(
        self,
        asking: Asking,
        count_tokens: Callable[[Sequence[str]], list[int]],
        cancelled: Callable[[], bool],
        repeat_number: int = 0,
    ) -> None:
        self._asking, self._count, self._cancelled, self._repeat = asking, count_tokens, cancelled, repeat_number
        self.exchange = Exchange()

    def report_usability(self, usable: bool) -> None:
        """Report to the model's client whether the last answer was usable.

        See `Asking.report_usability`.
        """
        self._asking.report_usability(usable)

    def __call__(self, messages: Sequence[Message], kind: AnswerKind = FREE_TEXT_ANSWER) -> Reply:
        """Return the answer; raises as `Asking.ask` does."""
        reply = self._asking.ask(messages, self._cancelled, answer_kind=kind, repeat=self._repeat)
        sent_token_count, received_token_count = reply.tokens_in, reply.tokens_out
        if sent_token_count is None or received_token_count is None:
            *sent_message_token_counts, received_token_count = self._count([*(text for _, text in messages), reply.text])
            sent_token_count = sum(sent_message_token_counts)
        exchange_so_far = self.exchange
        self.exchange = Exchange(
            (*messages, Message("assistant", reply.text)),
            exchange_so_far.tokens_in + sent_token_count,
            exchange_so_far.tokens_out + received_token_count,
        )
        return reply


class Answer(NamedTuple):
    """Reply of a language model to a question, or the reason why there is none.

    Attributes
    ----------
    text
        Text of the answer; empty if there is no answer or the text was not stored.
    problem
        Reason why there is no answer; empty if there is one.
    """

    text: str
    problem: str
    exchange: Exchange

    @property
    def is_usable(self) -> bool:
        """True if the model gave a usable answer."""
        return not self.problem


def answer_messages(question: str, context: AnswerContext) -> list[Message]:
    """Return the chat messages that ask a model to answer a question from its passages."""
    question_with_passages_prompt = prompts.ANSWER_QUESTION_TEMPLATE.format(passages=context, question=question)
    system_message_text = prompts.CLOSED_BOOK_SYSTEM_PROMPT if context.closed_book else prompts.ANSWER_SYSTEM_PROMPT
    return [Message("system", system_message_text), Message("user", question_with_passages_prompt)]


class _NotCached(Exception):
    """Exception raised instead of sending a request whose answer is not in the cache."""


def find_cached_model_answer(question: str, context: AnswerContext, model_access: Asking) -> str | None:
    """Return the cached answer to a question; None if answering would send a request to the model.

    The answer is empty if the model was asked before and gave no usable answer.
    """
    if context.given_answer is not None:
        return context.given_answer

    def find_cached_reply_or_raise(messages: Sequence[Message]) -> Reply:
        reply = model_access.cached_answer(messages, ANSWER_TO_QUESTION)
        if reply is None:
            raise _NotCached
        return reply

    try:
        return ask_until_usable(find_cached_reply_or_raise, answer_messages(question, context), _nonempty_stripped_answer)
    except _NotCached:
        return None
    except UnusableAnswer:
        return ""


def model_answer(question: str, context: AnswerContext, model_call_recorder: Recording) -> Answer:
    """Return the model's answer to a question, repeating the request if an answer is unusable.

    Raises
    ------
    ModelError
        If the server gives no answer, or the request would exceed the spending limit.
    Cancelled
        If the user asked to stop.
    """
    if context.given_answer is not None:
        return Answer(context.given_answer, "" if context.given_answer else "there is no reference answer", Exchange())
    try:
        ask_for_answer = partial(model_call_recorder, kind=ANSWER_TO_QUESTION)
        answer_text = ask_until_usable(
            ask_for_answer,
            answer_messages(question, context),
            _nonempty_stripped_answer,
            model_call_recorder.report_usability,
        )
    except UnusableAnswer as complaint:
        return Answer("", str(complaint), model_call_recorder.exchange)
    return Answer(answer_text, "", model_call_recorder.exchange)


def _nonempty_stripped_answer(model_answer_text: str) -> str:
    if not model_answer_text.strip():
        raise UnusableAnswer("the answer must have at least one word; it has none")
    return model_answer_text.strip()


# Trivial rows, which need no chunker and which any chunker should beat.


CLOSED_BOOK_BASELINE, NO_CUT_BASELINE, RANDOM_CUTS_BASELINE = "closed_book", "no_cut", "random"
REFERENCE_BASELINE, SWAPPED_REFERENCE_BASELINE = "reference", "swapped"

TRIVIAL_BASELINE_TITLES = {
    CLOSED_BOOK_BASELINE: "Closed book",
    NO_CUT_BASELINE: "No cut",
    RANDOM_CUTS_BASELINE: "Random places",
    REFERENCE_BASELINE: "Reference",
    SWAPPED_REFERENCE_BASELINE: "Swapped reference",
}
"""The names of the trivial rows."""

TRIVIAL_BASELINE_EXPLANATIONS = {
    CLOSED_BOOK_BASELINE: "the model is given the question and nothing of the text: what it knows, or makes up, without it.",
    NO_CUT_BASELINE: "the text from its beginning until the budget is full, whatever the question.",
    RANDOM_CUTS_BASELINE: "the text is cut between sentences at random places, one draw, into as many chunks as the "
    "chunkers' median; of these the best by the embedder, as with any chunker.",
    REFERENCE_BASELINE: "the reference answer itself, which is right; no model is asked for it.",
    SWAPPED_REFERENCE_BASELINE: "the reference answer of another question, which is wrong; a measure that does not put it "
    "below the reference does not tell right from wrong.",
}
"""Description of the input of each trivial row."""

_RANDOM_CUTS_SEED = 0


def gather_trivial_baseline_passages(
    baseline_name: str,
    document: Document,
    question_items: Sequence[QuestionItem],
    token_budget: int,
    random_cuts_chunk_count: int,
    tools: Tools,
    token_ruler: AnyRuler,
) -> GatheredPassages:
    """Return the passages that a trivial baseline, such as the uncut text, supplies for every question.

    Parameters
    ----------
    token_budget
        Maximum number of tokens in the passages for a question.
    random_cuts_chunk_count
        Number of chunks for random cuts, limited by the number of sentences.

    Raises
    ------
    ModelError
        As in `Tools.embed`.
    Cancelled
        If the user asked to stop.
    """
    if baseline_name in (REFERENCE_BASELINE, SWAPPED_REFERENCE_BASELINE):
        given_reference_answers = [item.reference for item in question_items]
        given_reference_answers = (
            given_reference_answers
            if baseline_name == REFERENCE_BASELINE
            else references_of_other_questions(given_reference_answers)
        )
        return GatheredPassages(
            tuple(AnswerContext((), 0, closed_book=True, given_answer=answer) for answer in given_reference_answers),
            0.0,
            0.0,
            0,
        )
    if baseline_name == CLOSED_BOOK_BASELINE:
        return GatheredPassages((AnswerContext((), 0, closed_book=True),) * len(question_items), 0.0, 0.0, 0)
    if baseline_name == NO_CUT_BASELINE:
        whole_document_span = Span(0, len(document.text))
        spans_within_token_budget = [span for (span,) in fill_budget([(whole_document_span,)], token_budget, token_ruler)]
        same_passages_for_all_questions = tuple(
            Passage(0, document.text[start:end], Span(start, end) == whole_document_span)
            for start, end in spans_within_token_budget
        )
        return GatheredPassages(
            (AnswerContext(same_passages_for_all_questions, token_ruler(spans_within_token_budget)),) * len(question_items),
            0.0,
            0.0,
            1,
        )
    sentence_gap_numbers = range(1, len(document.sentences))
    random_gap_numbers = random.Random(_RANDOM_CUTS_SEED).sample(
        sentence_gap_numbers, max(0, min(random_cuts_chunk_count - 1, len(sentence_gap_numbers)))
    )
    return gather_passages_for_each_question(
        chunking_from_cuts(document, random_gap_numbers),
        [item.question for item in question_items],
        token_budget,
        tools,
        token_ruler,
    )


def row_number_by_control_baseline(trivial_row_names: Sequence[str], first_trivial_row_number: int) -> dict[str, int]:
    """Return the row number of each control: the reference answers, and the deliberately wrong answers."""
    return {
        name: first_trivial_row_number + number
        for number, name in enumerate(trivial_row_names)
        if name in (REFERENCE_BASELINE, SWAPPED_REFERENCE_BASELINE)
    }


def references_of_other_questions(references: Sequence[str]) -> list[str]:
    """Return a wrong answer for each question: the reference answer of another question, or an empty string."""
    wrong_answers = []
    for question_number, own_reference in enumerate(references):
        other_questions_references = [*references[question_number + 1 :], *references[:question_number]]
        wrong_answers.append(
            next((reference for reference in other_questions_references if reference and reference != own_reference), "")
            if own_reference
            else ""
        )
    return wrong_answers
