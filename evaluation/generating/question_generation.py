"""Ask a language model for questions about random windows of documents, and for the excerpts that answer them.

Source of the method: Chroma technical report, “Evaluating Chunking Strategies for Retrieval” (2024): a random window of some
4,000 characters, one question about it with up to five excerpts, and the questions so far, so that none is repeated. Four
things are otherwise: windows overlap as little as possible; a prompt leaves out the sentences that earlier questions quote,
and shows these questions only if too little text remains; questions about windows that do not overlap are requested in
parallel; the model is asked again with the reason why its answer cannot be used, and what it got wrong each time is dropped
and counted, where the code of the report asks without end.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import accumulate, islice
from random import Random
from typing import NamedTuple, Protocol

from chunkers import Cancelled, Document, InputError, Span
from chunkers.contract import Estimate
from chunkers.language_models import (
    EARLIER_QUESTIONS_TEMPLATE,
    EXAMPLE_QUESTION,
    MOST_EXCERPTS,
    MOST_PARALLEL_CONVERSATIONS,
    NO_EARLIER_QUESTIONS_PLACEHOLDER,
    QUESTION_WITH_EXCERPTS_ANSWER,
    QUESTION_WRITING_EXAMPLE,
    QUESTION_WRITING_PASSAGE_TEMPLATE,
    QUESTION_WRITING_SYSTEM_PROMPT,
    AnswerKind,
    Message,
    QuestionWithExcerpts,
    Reply,
    UnusableAnswer,
    ask_until_usable,
    parse_json_answer,
    run_in_parallel,
)
from chunkers.support import raise_if_cancelled, short_repr
from chunkers.text import Quotation, SearchableText, Tokenizer
from evaluation.retrieval.asked_question import MOST_QUESTION_CHARACTERS

# Random windows.


MOST_CHARACTERS_TRIMMED_OFF_WINDOW = 100
"""Characters at either end of a window within which it is moved to the end of a word."""

MOST_TRIES_PER_RANDOM_WINDOW = 20
"""Maximum number of random positions tried for a window without overlap; after that, the least overlap counts."""


class Window(NamedTuple):
    """Span of a document that is shown to a model, which writes a question about it."""

    document: int
    span: Span

    def overlaps(self, other: "Window") -> bool:
        """Return whether the window shares text with another window."""
        return self.shared_character_count(other) > 0

    def shared_character_count(self, other: "Window") -> int:
        """Return the number of characters that the window shares with another window."""
        start, end = max(self.span.start, other.span.start), min(self.span.end, other.span.end)
        return max(0, end - start) if self.document == other.document else 0


def random_windows(document_texts: Sequence[str], window_size: int, seed: int) -> Iterator[Window]:
    """Yield an endless sequence of random windows; equal seeds give equal windows.

    A document is chosen with a probability proportional to its length, then a position in it uniformly at random, up to
    `MOST_TRIES_PER_RANDOM_WINDOW` times until the window overlaps no earlier one. If all do, the window with the least
    overlap is used. A document that is not longer than a window is shown whole.

    Parameters
    ----------
    document_texts
        The documents' texts; texts without words are never chosen.
    window_size
        Maximum number of characters in a window.
    seed
        Seed of the random choice.

    Raises
    ------
    InputError
        If no document has text.
    """
    document_lengths_as_weights = [len(text) if text.strip() else 0 for text in document_texts]
    if not any(document_lengths_as_weights):
        raise InputError("Generating questions needs at least one document with text; there is none. Add a document.")
    return _least_overlapping_windows(document_texts, [*accumulate(document_lengths_as_weights)], window_size, Random(seed))


def _least_overlapping_windows(
    document_texts: Sequence[str], cumulative_lengths: Sequence[int], window_size: int, random: Random
) -> Iterator[Window]:
    earlier_windows: list[Window] = []
    independent_random_windows = _independent_random_windows(document_texts, cumulative_lengths, window_size, random)
    while True:
        tried_windows: list[Window] = []
        for least_overlapping_window in islice(independent_random_windows, MOST_TRIES_PER_RANDOM_WINDOW):
            tried_windows.append(least_overlapping_window)
            if not any(map(least_overlapping_window.overlaps, earlier_windows)):
                break
        least_overlapping_window = min(
            tried_windows, key=lambda candidate: sum(map(candidate.shared_character_count, earlier_windows))
        )
        earlier_windows.append(least_overlapping_window)
        yield least_overlapping_window


def _independent_random_windows(
    document_texts: Sequence[str], cumulative_lengths: Sequence[int], window_size: int, random: Random
) -> Iterator[Window]:
    while True:
        # Python promises the same numbers in every version for this function alone.
        offset_in_all_texts, start_fraction = int(random.random() * cumulative_lengths[-1]), random.random()
        document_number = next(number for number, most in enumerate(cumulative_lengths) if offset_in_all_texts < most)
        text = document_texts[document_number]
        window_start = int(start_fraction * (max(0, len(text) - window_size) + 1))
        window_span = _trim_to_whole_words(text, window_start, min(len(text), window_start + window_size))
        if text[window_span.start : window_span.end].strip():
            yield Window(document_number, window_span)


def _trim_to_whole_words(text: str, start: int, end: int) -> Span:
    """Return the range without a part of a word at its ends, where white space is near; not every script has it."""
    if start and not text[start - 1].isspace():
        start = next(
            (at + 1 for at in range(start, min(start + MOST_CHARACTERS_TRIMMED_OFF_WINDOW, end)) if text[at].isspace()),
            start,
        )
    if end < len(text) and not text[end].isspace():
        end = next(
            (at for at in range(end, max(end - MOST_CHARACTERS_TRIMMED_OFF_WINDOW, start), -1) if text[at - 1].isspace()),
            end,
        )
    return Span(start, end)


# Questions about windows.


DEFAULT_WINDOW_CHARACTERS = 4_000
"""Characters of a window, as in Chroma's report."""

LEAST_WINDOW_CHARACTERS = 200
"""Minimum window size in characters."""

MOST_WINDOW_CHARACTERS = 20_000
"""Maximum window size in characters."""

LEAST_WINDOW_PART_CHARACTERS = 80
"""Minimum number of characters of a window's part that is shown in its place: a sentence that is understood by itself."""

MOST_GENERATED_QUESTIONS = 500
"""Maximum number of questions of a run."""

MOST_EARLIER_QUESTIONS = 30
"""Maximum number of earlier questions that the model is shown."""

MIN_REPAIRED_SIMILARITY = 0.9
"""Minimum similarity at which a passage of the window replaces an excerpt; see `chunkers.text.MIN_ALTERED_SIMILARITY`.

Stricter than for excerpts of edited documents: this text is as the model was shown it.
"""

GUESSED_QUESTION_TOKENS = 25
"""Tokens of a question, as an estimate counts those so far."""

GUESSED_ANSWER_TOKENS = 150
"""Tokens of an answer, as an estimate counts them."""

_POLL_INTERVAL_SECONDS = 0.05
"""Seconds between checks for whether the user has stopped."""

_ESTIMATE_SAMPLE_WINDOW_COUNT = 5
"""Windows whose tokens are counted for an estimate."""


@dataclass(frozen=True)
class GenerationSettings:
    """Settings for generating questions: their number, the window size in characters and the random seed.

    Raises
    ------
    InputError
        If a value is out of its range.
    """

    count: int = 20
    seed: int = 0
    window: int = DEFAULT_WINDOW_CHARACTERS

    def __post_init__(self) -> None:
        """Check the values."""
        for counted_setting_noun, setting_value, least_value, greatest_value in (
            ("questions to generate", self.count, 1, MOST_GENERATED_QUESTIONS),
            ("characters in a window", self.window, LEAST_WINDOW_CHARACTERS, MOST_WINDOW_CHARACTERS),
        ):
            if not least_value <= setting_value <= greatest_value:
                raise InputError(
                    f"The number of {counted_setting_noun} must be from {least_value:,} to {greatest_value:,}; got "
                    f"{setting_value:,}."
                )


class Ask(Protocol):
    """Interface of functions that send a conversation to a model and return its answer, such as `Asking.ask`."""

    def __call__(self, messages: Sequence[Message], cancelled: Callable[[], bool], *, answer_kind: AnswerKind) -> Reply:
        """Return the answer."""


class Generated(NamedTuple):
    """Generated question, with the excerpts that answer it.

    Attributes
    ----------
    question
        One line of text, as the model wrote it.
    window
        The window shown to the model.
    excerpts
        Spans of the excerpts in the document, in order, distinct and not empty.
    repaired
        Number of excerpts that the model quoted with small changes, replaced by the document's own words.
    """

    question: str
    window: Window
    excerpts: tuple[Span, ...]
    repaired: int = 0


class Dropped(NamedTuple):
    """Window of text for which no usable question was generated, with the reason."""

    window: Window
    why: str


WindowResult = Generated | Dropped


def generate_and_pass_on_questions(
    document_texts: Sequence[str],
    settings: GenerationSettings,
    ask: Ask,
    report_outcome: Callable[[WindowResult], None],
    cancelled: Callable[[], bool] = bool,
    report_answer_usability: Callable[[bool], None] = lambda usable: None,
) -> None:
    """Generate questions about random windows of the texts, several in parallel; pass each outcome to ``report_outcome``.

    A prompt leaves out the sentences that earlier questions quote. If fewer than `LEAST_WINDOW_PART_CHARACTERS`
    characters remain, it shows the window and these questions instead. After a repeated question, the model is asked in a
    new conversation, without the sentences that the repeated question quotes.

    The windows alone determine which earlier questions a prompt depends on. A question is requested once the questions up
    to a certain one are finished: the last one at least `MOST_PARALLEL_CONVERSATIONS` places before it, or the last earlier
    one about an overlapping window, whichever is later. Its prompt shows at most the `MOST_EARLIER_QUESTIONS` nearest of
    these questions. Duplicates are detected when all earlier questions are finished. The same answers therefore give the
    same outcomes, in whatever order they arrive.

    Parameters
    ----------
    document_texts
        The documents' texts.
    settings
        Number of questions, window size and seed.
    ask
        Sends a conversation and returns the answer, as `Asking.ask`. Its errors stop the run and are raised here. If the
        server enforces a schema, excerpts are whole sentences of what the prompt shows, if possible unused by unusable
        answers.
    report_outcome
        Called with each outcome in the order of the windows, as soon as all earlier outcomes are finished. After an error or
        a stop, it is also called with the other finished outcomes, without duplicate questions.
    cancelled
        True once the user has cancelled.
    report_answer_usability
        Called after each answer with True if the answer is usable, otherwise with False.

    Raises
    ------
    InputError
        If no document has text.
    Cancelled
        If the user stops.
    """
    chosen_random_windows = [*islice(random_windows(document_texts, settings.window, settings.seed), settings.count)]
    ordered_question_outcomes = _OrderedOutcomes(len(chosen_random_windows), report_outcome)

    def ask_and_store_window_outcome(window_number: int, cancelled: Callable[[], bool]) -> None:
        earlier_questions = ordered_question_outcomes.wait_for_first_outcomes(
            _count_earlier_questions_to_await(chosen_random_windows, window_number), cancelled
        )
        part_unquoted_by_earlier_questions = _find_longest_unquoted_window_part(
            document_texts, chosen_random_windows[window_number], earlier_questions
        )
        question_answer_reader = _AnswerReader(
            document_texts[part_unquoted_by_earlier_questions.document],
            part_unquoted_by_earlier_questions,
            lambda question: ordered_question_outcomes.is_repeated_question(question, window_number, cancelled),
        )
        messages = _prompt_messages(document_texts, part_unquoted_by_earlier_questions, window_number + 1, earlier_questions)
        passage_shown_to_model, opening_messages, replaced_leading_message_count = (
            part_unquoted_by_earlier_questions,
            messages,
            len(messages),
        )

        def send_messages(messages: Sequence[Message]) -> Reply:
            nonlocal passage_shown_to_model, opening_messages, replaced_leading_message_count
            if question_answer_reader.repeated:
                other_window_part = _find_longest_unquoted_window_part(
                    document_texts,
                    part_unquoted_by_earlier_questions,
                    [*earlier_questions, *question_answer_reader.repeated],
                    1,
                )
                if other_window_part not in (passage_shown_to_model, part_unquoted_by_earlier_questions):
                    # In a new conversation, as a weak model would copy the question from this one.
                    passage_shown_to_model, opening_messages, replaced_leading_message_count = (
                        other_window_part,
                        _prompt_messages(document_texts, other_window_part, window_number + 1, earlier_questions),
                        len(messages),
                    )
            later_messages = messages[replaced_leading_message_count:]
            sentences_of_window_part = _deduplicated_window_sentences(document_texts, passage_shown_to_model)
            unmentioned_excerpts = [
                excerpt
                for excerpt in sentences_of_window_part
                if not any(excerpt in message.text for message in later_messages)
            ]
            return ask(
                [*opening_messages, *later_messages],
                cancelled,
                answer_kind=_answer_schema(unmentioned_excerpts or sentences_of_window_part),
            )

        try:
            ordered_question_outcomes.store_and_report_due_outcomes(
                window_number,
                ask_until_usable(send_messages, messages, question_answer_reader.parse_answer, report_answer_usability),
            )
        except UnusableAnswer as complaint:
            ordered_question_outcomes.store_and_report_due_outcomes(
                window_number, Dropped(part_unquoted_by_earlier_questions, str(complaint))
            )

    try:
        run_in_parallel(
            [partial(ask_and_store_window_outcome, number) for number in range(len(chosen_random_windows))], cancelled
        )
    finally:
        ordered_question_outcomes.report_remaining_outcomes()


def _answer_schema(allowed_excerpt_sentences: Sequence[str]) -> AnswerKind:
    """Return the answer kind whose schema allows these sentences, and at most every third of them, as excerpts."""
    max_excerpt_count = max(1, min(MOST_EXCERPTS, len(allowed_excerpt_sentences) // 3))
    return QUESTION_WITH_EXCERPTS_ANSWER.copy_with_answer_limits({}, sizes={"excerpts": max_excerpt_count}).with_choices(
        {"excerpts": allowed_excerpt_sentences}
    )


def _deduplicated_window_sentences(document_texts: Sequence[str], window: Window) -> list[str]:
    """Return the distinct sentences of a window, which a schema allows as excerpts."""
    window_as_document = Document.from_text(document_texts[window.document][window.span.start : window.span.end])
    return [
        *dict.fromkeys(
            filter(None, (window_as_document.text[start:end].strip() for start, end in window_as_document.sentences))
        )
    ]


def _find_longest_unquoted_window_part(
    document_texts: Sequence[str],
    window: Window,
    earlier_questions: Sequence[Generated],
    min_part_characters: int = LEAST_WINDOW_PART_CHARACTERS,
) -> Window:
    """Return the longest part of a window without sentences that an earlier question quotes.

    The prompt about this part need not show earlier questions, which a weak model copies. If the part is shorter than
    ``min_part_characters``, the whole window is returned.
    """
    document_text, (window_start, window_end) = document_texts[window.document], window.span
    quoted_excerpt_spans = [
        excerpt
        for question in earlier_questions
        if question.window.document == window.document
        for excerpt in question.excerpts
    ]
    window_sentence_spans = [
        (window_start + first, window_start + last)
        for first, last in Document.from_text(document_text[window_start:window_end]).sentences
    ]
    quoted_sentences = [
        (first, last)
        for first, last in window_sentence_spans
        if any(first < excerpt.end and excerpt.start < last for excerpt in quoted_excerpt_spans)
    ]
    unquoted_starts, unquoted_ends = (
        [window_start, *(last for _, last in quoted_sentences)],
        [*(first for first, _ in quoted_sentences), window_end],
    )
    longest_unquoted_span = max(map(Span, unquoted_starts, unquoted_ends), key=lambda span: span.end - span.start)
    return (
        Window(window.document, longest_unquoted_span)
        if len(document_text[longest_unquoted_span.start : longest_unquoted_span.end].strip()) >= min_part_characters
        else window
    )


def _count_earlier_questions_to_await(chosen_windows: Sequence[Window], window_number: int) -> int:
    """Return the number of questions, from the first on, that must be finished before this one is requested."""
    overlapping_question_numbers = [
        other + 1 for other in range(window_number) if chosen_windows[other].overlaps(chosen_windows[window_number])
    ]
    return max(window_number + 1 - MOST_PARALLEL_CONVERSATIONS, 0, *overlapping_question_numbers)


class _OrderedOutcomes:
    """The outcomes by their number, which several threads bring."""

    def __init__(self, window_count: int, report_outcome: Callable[[WindowResult], None]) -> None:
        self._outcomes: list[WindowResult | None] = [None] * window_count
        self._reported_count = 0
        self._report_outcome = report_outcome
        self._changed = threading.Condition()

    def wait_for_first_outcomes(self, count: int, cancelled: Callable[[], bool]) -> list[Generated]:
        """Wait for the first ``count`` outcomes and return the questions among them; raises Cancelled if the user stops."""
        while True:
            with self._changed:
                if self._reported_count >= count:
                    return [outcome for outcome in self._outcomes[:count] if isinstance(outcome, Generated)]
                self._changed.wait(_POLL_INTERVAL_SECONDS)
            raise_if_cancelled(cancelled)

    def is_repeated_question(self, question: str, window_number: int, cancelled: Callable[[], bool]) -> bool:
        """Return whether the same question was generated earlier, or is the prompt's example.

        After a stop, the question is compared with the questions finished so far.
        """
        try:
            earlier_questions = self.wait_for_first_outcomes(window_number, cancelled)
        except Cancelled:
            with self._changed:
                earlier_questions = [outcome for outcome in self._outcomes if isinstance(outcome, Generated)]
        return _casefolded_question(question) in {
            _casefolded_question(other) for other in (EXAMPLE_QUESTION, *(earlier.question for earlier in earlier_questions))
        }

    def store_and_report_due_outcomes(self, window_number: int, finished_outcome: WindowResult) -> None:
        """Store the outcome of a window, and report all outcomes up to the first window still in progress."""
        with self._changed:
            self._outcomes[window_number] = finished_outcome
            for window_outcome in islice(self._outcomes, self._reported_count, None):
                if window_outcome is None:
                    break
                self._report_outcome(window_outcome)
                self._reported_count += 1
            self._changed.notify_all()

    def report_remaining_outcomes(self) -> None:
        """Report the outcomes that remain after an error or a stop, in order and without duplicate questions."""
        reported_question_texts = {
            _casefolded_question(outcome.question)
            for outcome in self._outcomes[: self._reported_count]
            if isinstance(outcome, Generated)
        }
        for window_outcome in self._outcomes[self._reported_count :]:
            if isinstance(window_outcome, Generated):
                if _casefolded_question(window_outcome.question) in reported_question_texts:
                    continue
                reported_question_texts.add(_casefolded_question(window_outcome.question))
            if window_outcome is not None:
                self._report_outcome(window_outcome)


def estimate_generation_requests_and_tokens(
    document_texts: Sequence[str], settings: GenerationSettings, tokenizer: Tokenizer
) -> Estimate:
    """Estimate the requests and tokens for generating questions, without sending a request.

    Assumes that no request has to be repeated. Raises InputError if no document has text, or if the tokenizer cannot be
    loaded.
    """
    sampled_random_windows = [
        *islice(
            random_windows(document_texts, settings.window, settings.seed),
            min(settings.count, _ESTIMATE_SAMPLE_WINDOW_COUNT),
        )
    ]
    tokenizer.ensure_loaded()
    message_token_counts = tokenizer.count(
        [part.text for window in sampled_random_windows for part in _prompt_messages(document_texts, window, 1, [])]
    )
    earlier_question_token_count = (
        sum(min(number, MOST_EARLIER_QUESTIONS) for number in range(settings.count)) * GUESSED_QUESTION_TOKENS
    )
    sent_token_count = (
        round(sum(message_token_counts) / len(sampled_random_windows) * settings.count) + earlier_question_token_count
    )
    return Estimate(settings.count, sent_token_count, GUESSED_ANSWER_TOKENS * settings.count)


def _prompt_messages(
    document_texts: Sequence[str], window: Window, window_number: int, earlier_questions: Sequence[Generated]
) -> list[Message]:
    document_index, (window_start, window_end) = window
    question_lines = [f"- {question.question}" for question in _earlier_questions_quoting_window(window, earlier_questions)]
    earlier_questions_phrase = (
        EARLIER_QUESTIONS_TEMPLATE.format(questions="\n".join(question_lines))
        if question_lines
        else NO_EARLIER_QUESTIONS_PLACEHOLDER
    )
    passage_prompt = QUESTION_WRITING_PASSAGE_TEMPLATE.format(
        passage=document_texts[document_index][window_start:window_end],
        before=earlier_questions_phrase,
        number=window_number,
    )
    example_prompt, example_answer = QUESTION_WRITING_EXAMPLE
    system_and_example_messages = [
        Message("system", QUESTION_WRITING_SYSTEM_PROMPT),
        Message("user", example_prompt),
        Message("assistant", example_answer),
    ]
    return [*system_and_example_messages, Message("user", passage_prompt)]


def _earlier_questions_quoting_window(window: Window, earlier_questions: Sequence[Generated]) -> Iterator[Generated]:
    """Yield the questions that quote the window and were asked nearest to it, in their order.

    A question about other text can hardly be repeated here, and a weak model would copy it.
    """
    quoting_questions = [
        question
        for question in earlier_questions
        if any(Window(question.window.document, excerpt).overlaps(window) for excerpt in question.excerpts)
    ]
    nearest_quoting_questions = sorted(
        quoting_questions, key=lambda question: abs(question.window.span.start - window.span.start)
    )[:MOST_EARLIER_QUESTIONS]
    return (question for question in quoting_questions if any(question is other for other in nearest_quoting_questions))


def question_on_one_line(question: str) -> str:
    """Return a question on one line, without control characters or lone surrogates."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in question).split())


def _casefolded_question(question: str) -> str:
    return " ".join(question.casefold().split())


@dataclass(frozen=True)
class _AnswerReader:
    """Reads an answer about a window; raises UnusableAnswer if it cannot be used, and collects questions asked before."""

    text: str
    window: Window
    asked_before: Callable[[str], bool]
    repeated: list[Generated] = field(default_factory=list)

    @cached_property
    def _searchable_window_text(self) -> SearchableText:
        return SearchableText(self.text[slice(*self.window.span)])

    def parse_answer(self, answer: str) -> Generated:
        parsed_answer = parse_json_answer(answer, QuestionWithExcerpts)
        one_line_question_text = question_on_one_line(parsed_answer.question)
        if not any(map(str.isalnum, one_line_question_text)):
            raise UnusableAnswer("the question must have at least one word; it has none")
        if len(one_line_question_text) > MOST_QUESTION_CHARACTERS:
            raise UnusableAnswer(
                f"the question may have at most {MOST_QUESTION_CHARACTERS:,} characters; it has "
                f"{len(one_line_question_text):,}"
            )
        if not 1 <= len(parsed_answer.excerpts) <= MOST_EXCERPTS:
            raise UnusableAnswer(
                f"the question must have 1 to {MOST_EXCERPTS} excerpts; it has {len(parsed_answer.excerpts):,}"
            )
        excerpt_spans = [
            self._locate_excerpt_or_raise(number, excerpt) for number, excerpt in enumerate(parsed_answer.excerpts, start=1)
        ]
        repaired_excerpt_count = sum(1 for _, exact in dict.fromkeys(excerpt_spans) if not exact)
        generated_question = Generated(
            one_line_question_text,
            self.window,
            tuple(sorted({span for span, _ in excerpt_spans})),
            repaired_excerpt_count,
        )
        # Last of all, as it waits for the questions before.
        if self.asked_before(one_line_question_text):
            self.repeated.append(generated_question)
            raise UnusableAnswer("the question must be a new one; this one was asked before")
        return generated_question

    def _locate_excerpt_or_raise(self, excerpt_number: int, excerpt: str) -> tuple[Span, bool]:
        """Return the span of an excerpt in the document, and whether the match is exact."""
        excerpt_quotation = Quotation(excerpt.strip())
        if not excerpt_quotation.text:
            raise UnusableAnswer(f"every excerpt must have words; excerpt {excerpt_number} is empty")
        excerpt_match = self._searchable_window_text.exact_match(
            excerpt_quotation
        ) or self._searchable_window_text.typographic_match(excerpt_quotation)
        # What is much longer than the window is not like any part of it, and need not be compared.
        if excerpt_match is None and len(excerpt_quotation.text) <= 2 * len(self._searchable_window_text.text):
            excerpt_match = self._searchable_window_text.altered_match(excerpt_quotation, MIN_REPAIRED_SIMILARITY)
        if excerpt_match is None:
            raise UnusableAnswer(
                f"every excerpt must be copied from the passage letter by letter; excerpt {excerpt_number}, "
                f"{short_repr(excerpt_quotation.text)}, is not in it"
            )
        window_start = self.window.span.start
        return Span(window_start + excerpt_match.span.start, window_start + excerpt_match.span.end), excerpt_match.kind in (
            "in place",
            "elsewhere",
        )
