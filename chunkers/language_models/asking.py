"""Requests to a language model, with a cache of answers and a limit on spending."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import count
from typing import TypeVar

from chunkers.language_models.answers import SHARED_ANSWERS, AnswerCache
from chunkers.language_models.base import LanguageModel, Message, Reply
from chunkers.language_models.server import ChatServer
from chunkers.language_models.spending import Ledger, Limit, Purse, Spending, most_tokens_of, remembered, spent_by
from chunkers.network.request import Attempts, cancellable
from chunkers.support.errors import Cancelled, InputError, shown

MOST_ANSWER_TOKENS = 1_000
"""Default number of tokens of an answer, reasoning included."""

MOST_AT_ONCE = 4
"""Conversations with a model at the same time: hosted servers count requests a minute, local ones have one processor."""

_POLL_S = 0.05
"""Seconds between two looks at whether the user has stopped."""

_calls = count()

Result = TypeVar("Result")


class Asking:
    """Access to a language model, with a cache of its answers and a spending limit.

    Parameters
    ----------
    model
        The model.
    answers
        Where answers are kept, instead of in `SHARED_ANSWERS`.
    limit
        What may be spent; by default a million tokens.
    """

    def __init__(self, model: LanguageModel, answers: AnswerCache | None = None, limit: Limit | None = None) -> None:
        if not isinstance(model, LanguageModel):
            raise InputError(f"language_model must be openai:NAME or a LanguageModel; got {shown(model)}.")
        self.model = model
        self._answers = SHARED_ANSWERS if answers is None else answers
        self._purse = Purse(Limit() if limit is None else limit)
        self._slots = threading.Semaphore(MOST_AT_ONCE)

    @property
    def memory(self) -> str:
        """Identifier of the answer cache; callers that share a cache get the same answers from a model."""
        return self._answers.identity

    @property
    def limit(self) -> Limit:
        """The spending limit in tokens and money."""
        return self._purse.limit

    @property
    def spent(self) -> Spending:
        """Total spending so far, by all callers."""
        return self._purse.spent

    def beside(self, model: LanguageModel) -> Asking:
        """Return access to another model that shares the answer cache and the spending limit."""
        other = Asking(model, self._answers)
        other._purse, other._slots = self._purse, self._slots
        return other

    def ask(
        self,
        messages: Sequence[Message],
        cancelled: Callable[[], bool] = bool,
        ledger: Ledger | None = None,
        *,
        most_tokens: int = MOST_ANSWER_TOKENS,
        repeat: int = 0,
    ) -> Reply:
        """Return the model's answer, from the cache if the same was asked before.

        Parameters
        ----------
        messages
            The conversation so far.
        cancelled
            Asked before anything is sent, and several times a second until the answer is there.
        ledger
            Where what it takes is added too.
        most_tokens
            The most tokens of the answer.
        repeat
            Another number asks the same afresh: each has an answer of its own that is remembered.

        Raises
        ------
        ModelError
            If there is no answer, or asking for it would pass the limit.
        Cancelled
            If the user stops.
        """
        key = self._answers.key(self.model, most_tokens, messages, repeat)
        reply = self._answers.get(key)
        if reply is None:
            if cancelled():
                raise Cancelled
            with self._answers.turns.take(key, cancelled):
                # Another may have asked the same while this one waited for its turn.
                reply = self._answers.get(key)
                if reply is None:
                    reply = self._send(messages, cancelled, ledger, most_tokens)
                    self._answers.put(key, reply)
                    return reply
        if ledger is not None:
            ledger.add(remembered())
        self._purse.add(remembered())
        return reply

    def recalled(
        self, messages: Sequence[Message], *, most_tokens: int = MOST_ANSWER_TOKENS, repeat: int = 0
    ) -> Reply | None:
        """Return the cached answer that `ask` would return; None if `ask` would send a request."""
        return self._answers.get(self._answers.key(self.model, most_tokens, messages, repeat))

    def _send(
        self, messages: Sequence[Message], cancelled: Callable[[], bool], ledger: Ledger | None, most_out: int
    ) -> Reply:
        """Send the request, and record its cost however it ends."""
        model, call = self.model, next(_calls)
        most_in = most_tokens_of(messages)
        attempts = Attempts()

        def allow(before: int) -> None:
            self._purse.set_aside(call, model, most_in, most_out, attempts.unanswered + 1)

        attempts.allow = allow
        reply = None
        model.load()
        self._wait_for_slot(cancelled)
        try:
            self._purse.set_aside(call, model, most_in, most_out, 1, cancelled)
            with cancellable(cancelled):
                reply = model.reply(messages, most_out, attempts)
        finally:
            self._slots.release()
            spent = spent_by(model, reply, most_in, most_out, attempts)
            self._purse.settle(call, spent)
            if ledger is not None:
                ledger.add(spent)
        return reply

    def _wait_for_slot(self, cancelled: Callable[[], bool]) -> None:
        while not self._slots.acquire(timeout=_POLL_S):
            if cancelled():
                raise Cancelled


def together(works: Sequence[Callable[[Callable[[], bool]], Result]], cancelled: Callable[[], bool] = bool) -> list[Result]:
    """Run jobs that ask a language model, at most `MOST_AT_ONCE` in parallel, and return their results in order.

    Parameters
    ----------
    works
        Each is given a function that says whether to stop, as `Asking.ask` takes it.
    cancelled
        True once the user has cancelled.

    Raises
    ------
    Exception
        What the first work raises that fails; it stops the others, and those that have not begun do not begin.
    """
    failed = threading.Event()

    def stopped() -> bool:
        return failed.is_set() or cancelled()

    def one(work: Callable[[Callable[[], bool]], Result]) -> Result:
        if failed.is_set():
            # Of thousands, each would prepare its question before it asks whether to stop.
            raise Cancelled
        try:
            return work(stopped)
        except BaseException:
            failed.set()
            raise

    with ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="asking") as pool:
        try:
            futures = [pool.submit(one, work) for work in works]
            wait(futures)
        except BaseException:
            # A terminal's interruption comes here; without this, all the works that are left would still be done.
            failed.set()
            raise
    errors = [error for future in futures if (error := future.exception()) is not None]
    # Those that were stopped because of another's failure say nothing of it.
    for error in sorted(errors, key=lambda error: isinstance(error, Cancelled)):
        raise error
    return [future.result() for future in futures]


def asking_of(given: object, limit: Limit | None = None) -> Asking:
    """Return access to a language model given by name or as an object; answers are cached in `SHARED_ANSWERS`.

    Parameters
    ----------
    given
        The form ``openai:NAME``, for a model of the server that the environment names; a `LanguageModel`; or an `Asking`,
        which is returned as it is, with its own limit.
    limit
        What may be spent.

    Raises
    ------
    InputError
        If it is none of these.
    """
    if isinstance(given, Asking):
        return given
    return Asking(ChatServer(given) if isinstance(given, str) else given, limit=limit)  # type: ignore[arg-type]
