"""Requests to a language model, with a cache of answers and a limit on spending."""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from copy import copy
from itertools import count
from typing import Literal, TypeVar

from chunkers.language_models.answer_cache import SHARED_ANSWERS, AnswerCache
from chunkers.language_models.answer_schemas_and_parsers import FREE_TEXT_ANSWER, AnswerKind, LineForm
from chunkers.language_models.base import (
    UNRESTRICTED_ANSWER_SHAPE,
    AnswerShape,
    LanguageModel,
    Message,
    Reply,
    SchemaDialect,
)
from chunkers.language_models.chat_server import ChatServer, SchemaRefused
from chunkers.language_models.prompts import SCHEMA_PROBE_PROMPT
from chunkers.language_models.spending import (
    Budget,
    Ledger,
    Spending,
    SpendingLimit,
    spending_of_call,
    upper_bound_on_conversation_tokens,
)
from chunkers.network.connection import Attempts, abandon_requests_once_cancelled
from chunkers.support import Cancelled, InputError, raise_if_cancelled, short_repr

SchemaTreatment = Literal["enforced", "refused", "ignored"]

PHRASE_BY_SERVER_SCHEMA_TREATMENT: Mapping[SchemaTreatment, str] = {
    "enforced": "structured answers, as the server enforces their schema",
    "refused": "no structured answers, as the server refuses a schema",
    "ignored": "no structured answers, as the server ignores a schema",
}
"""Phrase for each kind of server."""

USABILITY_CHECKED_ANSWER_COUNT = 10
"""Answers after which it is said how many of them cannot be used."""

LEAST_UNUSABLE_TO_WARN = 5
"""Unusable ones among the first answers from which on this is said."""

LEAST_UNUSABLE_TO_STOP = 9
"""Unusable ones among the first answers from which on a command ends that keeps what was answered."""

_SCHEMA_DIALECTS: tuple[SchemaDialect, ...] = ("json_schema", "json_object")

_PROBE_TOKENS = 500
_PROBE_INPUT_TOKENS = 50
"""About as many tokens as the small request has."""
_WORD_FORCED_BY_SCHEMA = "qobalt"
"""No word of any language, so that only a schema can bring it about."""
_PROBE_SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"word": {"type": "string", "enum": [_WORD_FORCED_BY_SCHEMA]}},
        "required": ["word"],
        "additionalProperties": False,
    }
)
_SCHEMA_PROBE_MESSAGES = [Message("user", SCHEMA_PROBE_PROMPT)]
_SCHEMA_REFUSED_REPLY = Reply("", ended="refused")

MOST_PARALLEL_CONVERSATIONS = 4
"""Maximum number of simultaneous conversations with a model: hosted servers limit requests per minute, local ones have one
processor.
"""

_CANCELLATION_POLL_SECONDS = 0.05
"""Seconds between checks for whether the user has stopped."""

_call_numbers = count()

Result = TypeVar("Result")

UnusableAnswersCallback = Callable[[str, int], None]
"""Called with a sentence on the first answers, and how many of them cannot be used."""


class Asking:
    """Access to a language model, with a cache of its answers and a spending limit.

    Parameters
    ----------
    model
        The model.
    answers
        Cache of answers, instead of `SHARED_ANSWERS`.
    limit
        Spending limit; a million tokens by default.
    warn
        Called once, with a sentence and the number of unusable answers, if many of the first answers are unusable. An error
        that it raises ends the asking.
    schema_treatment
        How the server handles a schema, if known; None to find out.

    Attributes
    ----------
    structured
        The server's treatment of JSON schemas; None until an answer with a schema has been requested.
    """

    def __init__(
        self,
        model: LanguageModel,
        answers: AnswerCache | None = None,
        limit: SpendingLimit | None = None,
        warn: UnusableAnswersCallback = lambda sentence, unusable: None,
        schema_treatment: SchemaTreatment | None = None,
    ) -> None:
        if not isinstance(model, LanguageModel):
            raise InputError(f"language_model must be openai:NAME or a LanguageModel; got {short_repr(model)}.")
        self.model = model
        self.warn = warn
        self._answers = SHARED_ANSWERS if answers is None else answers
        self._budget = Budget(SpendingLimit() if limit is None else limit)
        self._request_slots = threading.Semaphore(MOST_PARALLEL_CONVERSATIONS)
        self.structured = schema_treatment
        self._dialect: SchemaDialect | None = _SCHEMA_DIALECTS[0] if schema_treatment == "enforced" else None
        self._unusable_answers = UnusableAnswers()

    @property
    def id_of_answer_cache(self) -> str:
        """Identifier of the answer cache; callers that share a cache get the same answers from a model."""
        return self._answers.identity

    @property
    def limit(self) -> SpendingLimit:
        """The spending limit in tokens and money."""
        return self._budget.limit

    @property
    def spent(self) -> Spending:
        """Total spending so far, by all callers."""
        return self._budget.spent

    @property
    def expected_probe_requests_and_tokens(self) -> tuple[int, int]:
        """Numbers of requests and tokens still expected in order to learn how the server treats JSON schemas.

        One request at most is counted, although a server that refuses the first dialect is asked in the second too.
        """
        return (0, 0) if self._try_recalling_schema_treatment() else (1, _PROBE_INPUT_TOKENS)

    @property
    def summary(self) -> str:
        """Short description of the spending so far and of the server's treatment of JSON schemas."""
        return f"{self.spent}{f'; {PHRASE_BY_SERVER_SCHEMA_TREATMENT[self.structured]}' if self.structured else ''}"

    @property
    def unusable_answers_warning(self) -> str:
        """A warning with advice if many of the first answers were unusable; otherwise empty."""
        return self._unusable_answers.warning(self.structured)

    def report_usability(self, usable: bool) -> None:
        """Record whether an answer was usable, and call ``warn`` once if many of the first answers are unusable."""
        if self._unusable_answers.count_answer_and_check_warning(usable):
            self.warn(self.unusable_answers_warning, self._unusable_answers.unusable_count)

    def with_answer_cache(self, answer_cache: AnswerCache) -> "Asking":
        """Return access to the same model with another answer cache; spending and its limit are shared."""
        access_with_answer_cache = copy(self)
        access_with_answer_cache._answers = answer_cache
        return access_with_answer_cache

    def with_model(self, model: LanguageModel) -> "Asking":
        """Return access to another model, with the same answer cache and spending limit."""
        access_with_model = Asking(model, self._answers, warn=self.warn)
        access_with_model._budget, access_with_model._request_slots = self._budget, self._request_slots
        return access_with_model

    def ask(
        self,
        messages: Sequence[Message],
        cancelled: Callable[[], bool] = bool,
        ledger: Ledger | None = None,
        answer_kind: AnswerKind = FREE_TEXT_ANSWER,
        *,
        repeat: int = 0,
    ) -> Reply:
        """Return the model's answer, from the cache if the same conversation was sent before.

        Before the first answer with a form, a small request tests how the server treats a schema. If the server enforces
        schemas, every answer with a form is requested with its schema.

        Parameters
        ----------
        messages
            The conversation so far.
        cancelled
            Called before anything is sent, and several times a second until the answer arrives; returns true to stop.
        ledger
            Ledger to which the spending is added too.
        answer_kind
            Kind of answer to request.
        repeat
            Different numbers request the same conversation again; each number has its own cached answer.

        Raises
        ------
        ModelError
            If the model does not answer, or the request would exceed the spending limit.
        Cancelled
            If the user stops.
        """
        if answer_kind.form is not None:
            # A small request, whose schema forces a word.
            self._learn_schema_treatment(
                lambda shape: self._cached_or_requested_answer(
                    _SCHEMA_PROBE_MESSAGES, cancelled, ledger, _PROBE_TOKENS, 0, shape
                )[0]
            )
        messages_to_send, answer_shape = self._messages_and_shape_as_sent(messages, answer_kind)
        try:
            model_reply, was_sent = self._cached_or_requested_answer(
                messages_to_send, cancelled, ledger, answer_kind.most_tokens, repeat, answer_shape
            )
        except SchemaRefused:
            # This schema, not every one: a server may know fewer rules than another.
            answer_shape = AnswerShape(answer_kind.stop)
            model_reply, was_sent = self._cached_or_requested_answer(
                messages, cancelled, ledger, answer_kind.most_tokens, repeat, answer_shape
            )
        if not was_sent:
            spending_counting_cache_hit = Spending(remembered=1)
            if ledger is not None:
                ledger.add(spending_counting_cache_hit)
            self._budget.add(spending_counting_cache_hit)
        return model_reply

    def cached_answer(
        self, messages: Sequence[Message], answer_kind: AnswerKind = FREE_TEXT_ANSWER, *, repeat: int = 0
    ) -> Reply | None:
        """Return the cached answer that `ask` would return; None if `ask` would send a request."""
        if answer_kind.form is not None and not self._try_recalling_schema_treatment():
            return None
        messages_to_send, answer_shape = self._messages_and_shape_as_sent(messages, answer_kind)
        return self._answers.get(self._key(messages_to_send, answer_kind.most_tokens, repeat, answer_shape))

    def _key(self, messages: Sequence[Message], most_tokens: int, repeat_number: int, answer_shape: AnswerShape) -> bytes:
        answer_shape_in_key = answer_shape if self.model.takes_shape and answer_shape != UNRESTRICTED_ANSWER_SHAPE else None
        return self._answers.key(self.model, most_tokens, messages, repeat_number, answer_shape_in_key)

    def _cached_or_requested_answer(
        self,
        messages: Sequence[Message],
        cancelled: Callable[[], bool],
        spending_ledger: Ledger | None,
        most_tokens: int,
        repeat_number: int,
        answer_shape: AnswerShape,
    ) -> tuple[Reply, bool]:
        """Return the answer, and whether it was asked for now."""
        answer_cache_key = self._key(messages, most_tokens, repeat_number, answer_shape)
        model_reply = self._answers.get(answer_cache_key)
        if model_reply is not None:
            return model_reply, False
        raise_if_cancelled(cancelled)
        with self._answers.turns.acquire(answer_cache_key, cancelled):
            # Another may have asked the same while this one waited for its turn.
            model_reply = self._answers.get(answer_cache_key)
            if model_reply is not None:
                return model_reply, False
            try:
                model_reply = self._send_request(messages, cancelled, spending_ledger, most_tokens, answer_shape)
            except SchemaRefused:
                if answer_shape.schema != _PROBE_SCHEMA:
                    raise
                model_reply = _SCHEMA_REFUSED_REPLY
            self._answers.put(answer_cache_key, model_reply)
            return model_reply, True

    def _messages_and_shape_as_sent(
        self, messages: Sequence[Message], kind: AnswerKind
    ) -> tuple[Sequence[Message], AnswerShape]:
        """Return the conversation as it is sent, and the limits on the answer."""
        answer_json_schema = kind.schema
        if answer_json_schema is None or self._dialect is None:
            return messages, AnswerShape(kind.stop)
        if kind.form is not None and issubclass(kind.form, LineForm):
            # A prompt that asks for a line would contradict the schema.
            (first_role, first_text), *later_messages = messages
            messages = [
                Message(first_role, first_text.replace(kind.form.wording_for_single_line(), kind.form.wording())),
                *later_messages,
            ]
        return messages, AnswerShape((), json.dumps(answer_json_schema), self._dialect)

    def _try_recalling_schema_treatment(self) -> bool:
        """Learn from the cache how the server treats a schema, and return whether that is known; nothing is sent."""
        return self._learn_schema_treatment(
            lambda shape: self._answers.get(self._key(_SCHEMA_PROBE_MESSAGES, _PROBE_TOKENS, 0, shape))
        )

    def _learn_schema_treatment(self, get_probe_reply: Callable[[AnswerShape], Reply | None]) -> bool:
        """Learn how the server treats a schema from its answers to the probe, and return whether that is known."""
        if not self.model.takes_shape or self.structured is not None:
            return True
        for schema_dialect in _SCHEMA_DIALECTS:
            probe_reply = get_probe_reply(AnswerShape((), _PROBE_SCHEMA, schema_dialect))
            if probe_reply is None:
                return False
            if _WORD_FORCED_BY_SCHEMA in probe_reply.text:
                self._dialect, self.structured = schema_dialect, "enforced"
                return True
            if probe_reply.ended != "refused":
                self.structured = "ignored"
                return True
        self.structured = "refused"
        return True

    def _send_request(
        self,
        messages: Sequence[Message],
        cancelled: Callable[[], bool],
        ledger: Ledger | None,
        max_output_tokens: int,
        answer_shape: AnswerShape,
    ) -> Reply:
        """Send the request, and record its cost however it ends."""
        model, call_number = self.model, next(_call_numbers)
        max_input_tokens = upper_bound_on_conversation_tokens(messages)
        attempt_counter = Attempts()

        def reserve_next_request(earlier_request_count: int) -> None:
            self._budget.reserve(
                call_number, model, max_input_tokens, max_output_tokens, attempt_counter.unanswered_count + 1
            )

        attempt_counter.allow = reserve_next_request
        model_reply = None
        model.prepare_for_first_request()
        while not self._request_slots.acquire(timeout=_CANCELLATION_POLL_SECONDS):
            raise_if_cancelled(cancelled)
        try:
            self._budget.reserve(call_number, model, max_input_tokens, max_output_tokens, 1, cancelled)
            with abandon_requests_once_cancelled(cancelled):
                answer_shape_arguments = (
                    {"shape": answer_shape} if model.takes_shape and answer_shape != UNRESTRICTED_ANSWER_SHAPE else {}
                )
                model_reply = model.reply(messages, max_output_tokens, attempt_counter, **answer_shape_arguments)
        finally:
            self._request_slots.release()
            call_spending = spending_of_call(model, model_reply, max_input_tokens, max_output_tokens, attempt_counter)
            self._budget.replace_reservation(call_number, call_spending)
            if ledger is not None:
                ledger.add(call_spending)
        return model_reply


class UnusableAnswers:
    """Thread-safe count of the unusable answers among a language model's first answers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answer_count = self.unusable_count = 0

    def count_answer_and_check_warning(self, usable: bool) -> bool:
        """Count one of a model's first answers; return True after the last one if many were unusable."""
        with self._lock:
            if self._answer_count >= USABILITY_CHECKED_ANSWER_COUNT:
                return False
            self._answer_count += 1
            self.unusable_count += not usable
            return self._answer_count == USABILITY_CHECKED_ANSWER_COUNT and self.unusable_count >= LEAST_UNUSABLE_TO_WARN

    def warning(self, schema_treatment: SchemaTreatment | None) -> str:
        """Return a warning with advice if many of the first answers were unusable; otherwise an empty string."""
        if self._answer_count < USABILITY_CHECKED_ANSWER_COUNT or self.unusable_count < LEAST_UNUSABLE_TO_WARN:
            return ""
        server_advice_phrase = "" if schema_treatment == "enforced" else " a server that enforces structured answers,"
        return (
            f"{self.unusable_count} of the first {USABILITY_CHECKED_ANSWER_COUNT} answers could not be used. A larger model "
            f"helps,{server_advice_phrase} "
            "or a shorter window."
        )


def run_in_parallel(
    jobs: Sequence[Callable[[Callable[[], bool]], Result]], cancelled: Callable[[], bool] = bool
) -> list[Result]:
    """Run jobs that ask a language model, at most `MOST_PARALLEL_CONVERSATIONS` at a time; return their results in order.

    Parameters
    ----------
    jobs
        Jobs to run. Each receives a function that returns whether to stop, for `Asking.ask`.
    cancelled
        True once the user has cancelled.

    Raises
    ------
    Exception
        The error of the first job that fails, which stops the other jobs.
    """
    job_failed_event = threading.Event()

    def cancelled_or_failed() -> bool:
        return job_failed_event.is_set() or cancelled()

    def run_job_and_mark_failure(job: Callable[[Callable[[], bool]], Result]) -> Result:
        # Of thousands, each would prepare its question before it asks whether to stop.
        raise_if_cancelled(job_failed_event.is_set)
        try:
            return job(cancelled_or_failed)
        except BaseException:
            job_failed_event.set()
            raise

    with ThreadPoolExecutor(MOST_PARALLEL_CONVERSATIONS, thread_name_prefix="asking") as thread_pool:
        try:
            job_futures = [thread_pool.submit(run_job_and_mark_failure, work) for work in jobs]
            wait(job_futures)
        except BaseException:
            # A terminal's interruption comes here; without this, all the works that are left would still be done.
            job_failed_event.set()
            raise
    job_errors = [error for future in job_futures if (error := future.exception()) is not None]
    # Those that were stopped because of another's failure say nothing of it.
    for error in sorted(job_errors, key=lambda error: isinstance(error, Cancelled)):
        raise error
    return [future.result() for future in job_futures]


def as_language_model_access(
    language_model_or_name: object,
    limit: SpendingLimit | None = None,
    warning_callback: UnusableAnswersCallback = lambda sentence, unusable: None,
) -> Asking:
    """Return access to a language model given by name or as an object; answers are cached in `SHARED_ANSWERS`.

    Parameters
    ----------
    language_model_or_name
        The form ``openai:NAME``, for a model of the server that the environment names; a `LanguageModel`; or an `Asking`,
        which is returned as it is, with its own limit.
    limit
        Spending limit.
    warning_callback
        See `Asking`.

    Raises
    ------
    InputError
        If ``language_model_or_name`` is none of these.
    """
    if isinstance(language_model_or_name, Asking):
        return language_model_or_name
    model = ChatServer(language_model_or_name) if isinstance(language_model_or_name, str) else language_model_or_name
    return Asking(model, limit=limit, warn=warning_callback)  # type: ignore[arg-type]
