"""Asking a language model: what it answered before is not asked again, and nothing is sent beyond the limit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count

from chunkers.errors import Cancelled, InputError, shown
from chunkers.language_models.answers import SHARED_ANSWERS, AnswerCache
from chunkers.language_models.base import LanguageModel, Message, Reply
from chunkers.language_models.server import ChatServer
from chunkers.language_models.spending import Ledger, Limit, Purse, Spending, most_tokens_of, remembered, spent_by
from chunkers.request import Attempts, cancellable

MOST_ANSWER_TOKENS = 1_000
"""Tokens of an answer, those of a model that thinks first included."""

MOST_AT_ONCE = 4
"""Conversations with a model at the same time: hosted servers count requests a minute, local ones have one processor."""

_POLL_S = 0.05
"""Seconds between two looks at whether the user has stopped."""

_calls = count()


class Asking:
    """A language model with the memory of its answers and a purse.

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
    def limit(self) -> Limit:
        """What may be spent."""
        return self._purse.limit

    @property
    def spent(self) -> Spending:
        """What was spent so far, whoever asked."""
        return self._purse.spent

    def ask(self, messages: Sequence[Message], cancelled: Callable[[], bool] = bool, ledger: Ledger | None = None) -> Reply:
        """Return the answer, the one from before if there is one.

        Parameters
        ----------
        messages
            The conversation so far.
        cancelled
            Asked before anything is sent, and several times a second until the answer is there.
        ledger
            Where what it takes is added too.

        Raises
        ------
        ModelError
            If there is no answer, or asking for it would pass the limit.
        Cancelled
            If the user stops.
        """
        key = self._answers.key(self.model, MOST_ANSWER_TOKENS, messages)
        reply = self._answers.get(key)
        if reply is None:
            if cancelled():
                raise Cancelled
            with self._answers.turns.take(key, cancelled):
                # Another may have asked the same while this one waited for its turn.
                reply = self._answers.get(key)
                if reply is None:
                    reply = self._send(messages, cancelled, ledger)
                    self._answers.put(key, reply)
                    return reply
        if ledger is not None:
            ledger.add(remembered())
        self._purse.add(remembered())
        return reply

    def _send(self, messages: Sequence[Message], cancelled: Callable[[], bool], ledger: Ledger | None) -> Reply:
        """Ask the model itself, and settle what that took however it ends."""
        model, call = self.model, next(_calls)
        most_in = most_tokens_of(messages)
        attempts = Attempts()

        def allow(before: int) -> None:
            self._purse.set_aside(call, model, most_in, MOST_ANSWER_TOKENS, attempts.unanswered + 1)

        attempts.allow = allow
        reply = None
        model.load()
        self._wait_for_slot(cancelled)
        try:
            with cancellable(cancelled):
                reply = model.reply(messages, MOST_ANSWER_TOKENS, attempts)
        finally:
            self._slots.release()
            spent = spent_by(model, reply, most_in, MOST_ANSWER_TOKENS, attempts)
            self._purse.settle(call, spent)
            if ledger is not None:
                ledger.add(spent)
        return reply

    def _wait_for_slot(self, cancelled: Callable[[], bool]) -> None:
        while not self._slots.acquire(timeout=_POLL_S):
            if cancelled():
                raise Cancelled

    def ask_all(
        self,
        conversations: Sequence[Sequence[Message]],
        cancelled: Callable[[], bool] = bool,
        ledger: Ledger | None = None,
    ) -> list[Reply]:
        """Return the answers in the order of the conversations, some of which are asked at the same time.

        The first that fails stops the others; those that were answered are kept all the same. Raises as `ask` does.
        """
        failed = threading.Event()

        def stopped() -> bool:
            return failed.is_set() or cancelled()

        def one(messages: Sequence[Message]) -> Reply:
            try:
                return self.ask(messages, stopped, ledger)
            except BaseException:
                failed.set()
                raise

        with ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="asking") as pool:
            futures = [pool.submit(one, messages) for messages in conversations]
        errors = [error for future in futures if (error := future.exception()) is not None]
        # Those that were stopped because of another's failure say nothing of it.
        for error in sorted(errors, key=lambda error: isinstance(error, Cancelled)):
            raise error
        return [future.result() for future in futures]


def asking_of(given: object, limit: Limit | None = None) -> Asking:
    """Return what asks a language model, with answers in `SHARED_ANSWERS`.

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
