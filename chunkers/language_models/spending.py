"""Spending on a language model, and the limit that it may not exceed."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from chunkers.language_models.base import LanguageModel, Message, Reply
from chunkers.network.connection import Attempts
from chunkers.support import MOST_SPENT_TOKENS, InputError, ModelError, pluralize, raise_if_cancelled

EXTRA_TOKENS_PER_MESSAGE = 32
"""Tokens that a server may add to each message: the marks of its beginning, its end and who speaks."""


_CANCELLATION_POLL_SECONDS = 0.05
"""Seconds between checks for whether the user has stopped."""


def upper_bound_on_conversation_tokens(messages: Sequence[Message]) -> int:
    """Return an upper bound on the tokens of a conversation, counting one token per byte."""
    return sum(len(text.encode()) + EXTRA_TOKENS_PER_MESSAGE for _, text in messages)


@dataclass(frozen=True, slots=True)
class Spending:
    """Requests, tokens and cost of using a language model.

    Attributes
    ----------
    requests
        Number of requests begun, including retries and requests that failed to connect.
    remembered
        Number of answers from the cache, for which nothing was sent.
    tokens_in, tokens_out
        Numbers of tokens read and written, as counted by the server.
    unsure
        Maximum number of tokens used by requests whose usage the server did not report: requests that were interrupted,
        and all requests to a server that never reports usage.
    cost
        Cost in US dollars, including the maximum for the unsure tokens; None if no price is known.
    """

    requests: int = 0
    remembered: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    unsure: int = 0
    cost: Decimal | None = Decimal(0)

    @property
    def tokens(self) -> int:
        """Total number of tokens, including the maximum for requests whose usage is unknown."""
        return self.tokens_in + self.tokens_out + self.unsure

    def __add__(self, other: "Spending") -> "Spending":
        summed_cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        return Spending(
            self.requests + other.requests,
            self.remembered + other.remembered,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.unsure + other.unsure,
            summed_cost,
        )

    def __str__(self) -> str:
        """Return the spending as a phrase."""
        spending_phrases = [pluralize(self.requests, "request")]
        if self.remembered:
            spending_phrases.append(f"{pluralize(self.remembered, 'answer')} from before")
        if self.requests:
            spending_phrases.append(f"{pluralize(self.tokens_in, 'token')} read and {self.tokens_out:,} written")
            if self.unsure:
                spending_phrases.append(f"at most {self.unsure:,} of which the server did not say")
            spending_phrases.append("cost unknown" if self.cost is None else f"${self.cost:.4f}")
        return ", ".join(spending_phrases)


@dataclass(frozen=True)
class SpendingLimit:
    """Spending limit in tokens and in US dollars; None for no limit.

    Raises
    ------
    InputError
        If a bound is not a finite number above 0.
    """

    tokens: int | None = MOST_SPENT_TOKENS
    money: Decimal | None = None

    def __post_init__(self) -> None:
        """Check the bounds."""
        for bound_name, bound_value in (("tokens", self.tokens), ("money", self.money)):
            # Decimal's NaN cannot be compared.
            if bound_value is not None and not (Decimal(bound_value).is_finite() and bound_value > 0):
                raise InputError(
                    f"The spending limit in {bound_name} must be a finite number above 0, or None; got {bound_value}."
                )


class Ledger:
    """Thread-safe total of the spending on language models.

    Parameters
    ----------
    enclosing_ledger
        Ledger of a larger task, to which all spending is added too.
    """

    def __init__(self, enclosing_ledger: "Ledger | None" = None) -> None:
        self._lock = threading.Lock()
        self._spent = Spending()
        self._enclosing_ledger = enclosing_ledger

    @property
    def spent(self) -> Spending:
        """Total spending so far."""
        with self._lock:
            return self._spent

    def add(self, call_spending: Spending) -> None:
        """Add the spending of one call to the total."""
        with self._lock:
            self._spent += call_spending
        if self._enclosing_ledger is not None:
            self._enclosing_ledger.add(call_spending)


class Budget(Ledger):
    """Budget for requests: the maximum cost of a request is reserved before the request is sent.

    The limit holds if the server keeps to the maximum number of answer tokens that a request states.
    """

    def __init__(self, limit: SpendingLimit) -> None:
        super().__init__()
        self.limit = limit
        self._reserved: dict[int, Spending] = {}
        self._reservation_released = threading.Condition(self._lock)

    def reserve(
        self,
        call_number: int,
        model: LanguageModel,
        max_tokens_in: int,
        max_tokens_out: int,
        request_count: int,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        """Reserve the maximum cost of a call that may take several requests.

        Most calls use less than is reserved for them. With ``cancelled``, which returns true once the user has stopped, a
        call that does not fit into the remaining budget waits until other calls have ended.

        Raises
        ------
        ModelError
            If the reservation, with the spending so far and other reservations, would exceed the limit.
        Cancelled
            If the user stops while it waits.
        """
        maximum_call_cost = model.price_of_tokens(max_tokens_in * request_count, max_tokens_out * request_count)
        if self.limit.money is not None and maximum_call_cost is None:
            raise ModelError(
                f"{model.name}: a limit in money needs a known price; no price is known for this model at {model.host}. Set "
                "a limit in tokens, which works for every model."
            )
        maximum_call_spending = Spending(
            tokens_in=max_tokens_in * request_count, tokens_out=max_tokens_out * request_count, cost=maximum_call_cost
        )
        while True:
            with self._reservation_released:
                other_calls_reservations = [spending for other, spending in self._reserved.items() if other != call_number]
                budget_refusal_reason = self._refusal_reason(
                    sum(other_calls_reservations, self._spent), maximum_call_spending, model.name
                )
                if not budget_refusal_reason:
                    self._reserved[call_number] = maximum_call_spending
                    return
                if cancelled is None or not other_calls_reservations:
                    raise ModelError(budget_refusal_reason)
                self._reservation_released.wait(_CANCELLATION_POLL_SECONDS)
            raise_if_cancelled(cancelled)

    def _refusal_reason(self, spent_so_far: Spending, max_request_spending: Spending, model_name: str) -> str:
        """Return the reason why a request may not be sent; empty if it may."""
        spending_after_request, spending_limit = spent_so_far + max_request_spending, self.limit
        if spending_limit.tokens is not None and spending_after_request.tokens > spending_limit.tokens:
            return (
                f"{model_name}: the spending limit is {spending_limit.tokens:,} tokens; {spent_so_far.tokens:,} are spent "
                "or set aside, "
                "and the "
                f"next request may take {max_request_spending.tokens:,}. What was answered is kept."
            )
        if spending_limit.money is not None and (
            spending_after_request.cost is None or spending_after_request.cost > spending_limit.money
        ):
            return (
                f"{model_name}: the spending limit is ${spending_limit.money}; ${spent_so_far.cost or 0:.4f} are spent or "
                "set aside, "
                "and the next "
                f"request may cost ${max_request_spending.cost or 0:.4f}. What was answered is kept."
            )
        return ""

    def replace_reservation(self, call_number: int, call_spending: Spending) -> None:
        """Add the actual spending of a call and release its reservation."""
        with self._reservation_released:
            self._reserved.pop(call_number, None)
            self._spent += call_spending
            self._reservation_released.notify_all()


def spending_of_call(
    model: LanguageModel, reply: Reply | None, max_tokens_in: int, max_tokens_out: int, request_attempts: Attempts
) -> Spending:
    """Return a call's spending as the server reports it; assume the maximum for requests of unknown outcome.

    Parameters
    ----------
    model
        The model that was asked.
    reply
        The model's answer; None if there was no usable one.
    max_tokens_in, max_tokens_out
        Maximum numbers of input and output tokens per request.
    request_attempts
        The requests of the call.
    """
    unclear_request_count = request_attempts.unanswered_count + request_attempts.whole
    call_spending = Spending(requests=request_attempts.sent)
    if reply is not None and reply.tokens_in is not None and reply.tokens_out is not None:
        unclear_request_count = max(0, unclear_request_count - 1)
        call_spending += Spending(
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            cost=model.price_of_tokens(reply.tokens_in, reply.tokens_out),
        )
    if unclear_request_count:
        call_spending += Spending(
            unsure=unclear_request_count * (max_tokens_in + max_tokens_out),
            cost=model.price_of_tokens(unclear_request_count * max_tokens_in, unclear_request_count * max_tokens_out),
        )
    return call_spending
