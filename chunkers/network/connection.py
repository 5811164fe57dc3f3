"""A server that speaks OpenAI's protocol: its address and key, and requests to it alone, with a deadline and a stop."""

import hashlib
import ipaddress
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from chunkers.support import InputError, ModelError, raise_if_cancelled, raise_if_extra_missing

if TYPE_CHECKING:
    import httpx2
    import openai

Answer = TypeVar("Answer")

_SECONDS_BETWEEN_CANCELLATION_CHECKS = 0.05
"""Seconds between checks for whether the user has stopped."""

_FAILED_CONNECTION_EVENTS = {"connection.connect_tcp.failed", "connection.start_tls.failed"}
"""Events in the client's trace for a connection that could not be made."""

EVENT_STREAM_TYPE = "text/event-stream"
"""Content type of an answer that is sent piece by piece."""

MOST_ERROR_ANSWER_BYTES = 100_000
"""Maximum number of bytes that are read of an answer that is no success; only its status and the setting it names are
looked at.
"""

_FIRST_CHECK_BYTES, _CHECK_GROWTH_FACTOR = 4_000, 1.25
"""Bytes after which a stream of events is first looked at, and the factor by which it grows until the next look."""

_current_cancellation_check: ContextVar[Callable[[], bool]] = ContextVar("_cancelled", default=bool)
_thread_local_running_call = threading.local()


class AnswerTooLarge(Exception):
    """Error for an answer that is larger than allowed, or compressed and therefore of unknown size."""


@contextmanager
def abandon_requests_once_cancelled(cancelled: Callable[[], bool]) -> Iterator[None]:
    """Return a context manager in which requests are abandoned as soon as ``cancelled`` returns true."""
    cancelled_context_token = _current_cancellation_check.set(cancelled)
    try:
        yield
    finally:
        _current_cancellation_check.reset(cancelled_context_token)


@dataclass
class Attempts:
    """Counts of one call's requests and their outcomes, including retries.

    Attributes
    ----------
    allow
        Called before each request with the number of earlier requests; an exception that it raises ends the call.
    sent
        Number of requests begun, including requests that failed to connect.
    refused
        Number of requests that were answered with an error or never reached the server.
    whole
        Number of requests whose answer arrived completely.
    """

    allow: Callable[[int], None] = lambda before: None
    sent: int = 0
    refused: int = 0
    whole: int = 0

    @property
    def unanswered_count(self) -> int:
        """Number of requests whose outcome on the server is unknown."""
        return self.sent - self.refused - self.whole


class _RunningCall:
    """A request that runs in a thread of its own; once it is abandoned, nobody waits for it."""

    def __init__(self, max_answer_bytes: int, attempt_counter: Attempts, is_enough: Callable[[bytes], bool]) -> None:
        self.largest = max_answer_bytes
        self.is_enough = is_enough
        self.attempts = attempt_counter
        self.abandoned = False
        self._lock = threading.Lock()

    def raise_if_abandoned_or_oversized(self, received_byte_count: int = 0) -> None:
        raise_if_cancelled(lambda: self.abandoned)
        if received_byte_count > self.largest:
            raise AnswerTooLarge

    def count_request_or_raise(self) -> None:
        """Count a request that is about to be sent. Raise an error if the call was abandoned."""
        with self._lock:
            self.raise_if_abandoned_or_oversized()
            self.attempts.allow(self.attempts.sent)
            self.attempts.sent += 1

    def count_failed_connection(self, event: str, _: object) -> None:
        """Count a request that failed to connect and so never reached the server."""
        self.attempts.refused += event in _FAILED_CONNECTION_EVENTS

    def mark_as_abandoned(self) -> None:
        with self._lock:
            self.abandoned = True


@cache
def _class_of_checked_response_body() -> type[Any]:
    """Return the class of a body that is looked at while it comes; httpx2 is imported when a server is first asked."""
    import httpx2

    class Watched(httpx2.SyncByteStream):
        def __init__(self, stream: Any, running_call: _RunningCall, is_success: bool, is_event_stream: bool) -> None:
            self._stream, self._call, self._success, self._events = stream, running_call, is_success, is_event_stream

        def __iter__(self) -> Iterator[bytes]:
            received_byte_count, sufficiency_check_byte_count, received_body = 0, float(_FIRST_CHECK_BYTES), bytearray()
            for body_part in self._stream:
                received_byte_count += len(body_part)
                self._call.raise_if_abandoned_or_oversized(received_byte_count if self._success else 0)
                yield body_part
                if received_byte_count > MOST_ERROR_ANSWER_BYTES and not self._success:
                    return
                if self._success and self._events:
                    received_body += body_part
                    if received_byte_count >= sufficiency_check_byte_count:
                        sufficiency_check_byte_count = received_byte_count * _CHECK_GROWTH_FACTOR
                        if self._call.is_enough(bytes(received_body)):
                            return
            self._call.attempts.whole += self._success

        def close(self) -> None:
            self._stream.close()

    return Watched


def _count_request_before_sending(request: "httpx2.Request") -> None:
    running_call: _RunningCall = _thread_local_running_call.call
    running_call.count_request_or_raise()
    request.extensions["trace"] = running_call.count_failed_connection


def _check_and_watch_response_size(response: "httpx2.Response") -> None:
    running_call: _RunningCall = _thread_local_running_call.call
    running_call.attempts.refused += not response.is_success
    declared_length = response.headers.get("content-length", "") if response.is_success else ""
    running_call.raise_if_abandoned_or_oversized(
        int(declared_length) if declared_length.isdecimal() and len(declared_length) < 20 else 0
    )
    if response.headers.get("content-encoding", "identity") != "identity":
        raise AnswerTooLarge
    is_event_stream = response.headers.get("content-type", "").startswith(EVENT_STREAM_TYPE)
    response.stream = _class_of_checked_response_body()(response.stream, running_call, response.is_success, is_event_stream)


HTTP_EVENT_HOOKS: dict[str, list[Callable[..., Any]]] = {
    "request": [_count_request_before_sending],
    "response": [_check_and_watch_response_size],
}
"""Callbacks of a client, run before each request and after the head of each answer."""


OPENAI_ADDRESS = "https://api.openai.com/v1"
"""Default server address, used if neither the environment nor the user names another."""

MOST_RETRIES = 3
"""Maximum number of retries by the ``openai`` package after 408, 409, 429, 5xx, a time-out or a lost connection.

It waits longer each time, or for as long as the server's Retry-After says.
"""

SHORTEST_MASKED_KEY_LENGTH = 8
"""Minimum number of characters of a key that is treated as a secret: many servers want one and any will do, such as “none”,
and that word may be a whole answer.
"""


class Connection:
    """Address and key of a model's server; nothing is sent until the client is used.

    Parameters
    ----------
    model_name
        The model's name, with which messages begin.
    address
        Base address, up to and including ``/v1``; empty for OPENAI_BASE_URL or, if that is not set, OpenAI's own
        address.
    key
        API key; empty for OPENAI_API_KEY, which is used only if ``address`` is empty.

    Attributes
    ----------
    address
        The address in use.
    identity
        Hash of the address, for recipes, because an address may be private.
    """

    def __init__(self, model_name: str, address: str = "", key: str = "") -> None:
        self._model_name = model_name
        self._uses_environment = not address
        self.address = address or os.environ.get("OPENAI_BASE_URL") or OPENAI_ADDRESS
        # A file from which a key is read mostly ends in a line break.
        self._key = (key or (os.environ.get("OPENAI_API_KEY", "") if self._uses_environment else "")).strip()
        self.identity = hashlib.sha256(self.address.rstrip("/").encode()).hexdigest()[:16]
        self._lock = threading.Lock()
        self._client: openai.OpenAI | None = None

    @property
    def host(self) -> str:
        """The server's host, with its port if the address has one.

        Raises ModelError, without repeating the address, if the address is invalid or has a password.
        """
        try:
            address_parts = urlsplit(self.address)
            server_port = address_parts.port
        except ValueError:
            address_parts, server_port = urlsplit(""), None
        # urlsplit leaves out line breaks and tabs, which the client would not.
        if (
            not self.address.isprintable()
            or address_parts.scheme not in ("http", "https")
            or not address_parts.hostname
            or address_parts.username is not None
            or address_parts.query
            or "#" in self.address
            or self.address != self.address.strip()
        ):
            raise ModelError(
                f"{self._model_name}: the server's base address must have the form https://HOST/v1, without a user, a "
                "password, a "
                "query, a fragment or surrounding spaces; it has another form. Correct the address."
            )
        bracketed_host = f"[{address_parts.hostname}]" if ":" in address_parts.hostname else address_parts.hostname
        return bracketed_host if server_port is None else f"{bracketed_host}:{server_port}"

    @property
    def host_and_proxy_phrase(self) -> str:
        """Host that receives the requests, and the proxy, if any. Raises ModelError if the address is invalid."""
        host, proxy_address = self.host, _proxy_for(self.address)
        if proxy_address is None:
            return host
        # Not parsed: whatever stands before the last @ may be a password.
        return (
            f"{host} through the environment's proxy "
            f"{proxy_address.rpartition('@')[2].rpartition('//')[2].partition('/')[0]}"
        )

    @property
    def is_on_this_machine(self) -> bool:
        """True if the server is on this machine."""
        try:
            return _is_this_machine(urlsplit(self.address).hostname or "")
        except ValueError:
            return False

    def client(self, timeout: float) -> "openai.OpenAI":
        """Return the API client, created once without sending a request; requests time out after ``timeout`` idle seconds.

        Raises
        ------
        ModelError
            If the address is invalid, or is OpenAI's own and there is no key; if the key cannot be sent.
        InputError
            If the package that sends requests is not installed.
        """
        with self._lock:
            if self._client is None:
                self._client = self._new_client(timeout)
            return self._client

    def _new_client(self, timeout: float) -> "openai.OpenAI":
        server_host = self.host
        if not self._key and self.address == OPENAI_ADDRESS:
            raise ModelError(
                f"{self._model_name}: {server_host} needs a key, in OPENAI_API_KEY or on the page; no key is set. To use "
                "another "
                "server, set OPENAI_BASE_URL or enter its address on the page."
            )
        if not (self._key.isascii() and self._key.isprintable()):
            raise ModelError(
                f"{self._model_name}: the key for {server_host} must be one line of ASCII letters, digits and signs; it "
                "has other "
                "characters. Enter the key again."
            )
        raise_if_extra_missing("llm", self._model_name, "openai", "httpx2")
        import httpx2
        import openai

        proxy_address = _proxy_for(self.address)
        try:
            # A client left to itself takes every proxy of the environment, also for this machine and without encryption.
            http_transport = httpx2.HTTPTransport(proxy=proxy_address, limits=openai.DEFAULT_CONNECTION_LIMITS)
        except (ImportError, ValueError, httpx2.InvalidURL):
            raise ModelError(
                f"{self._model_name}: the environment's proxy for {server_host} must have the form http://HOST:PORT; it has "
                f"another form. Correct the proxy, or bypass it with NO_PROXY={urlsplit(self.address).hostname}."
            ) from None
        return openai.OpenAI(
            base_url=self.address,
            # The package requires a key even where the server does not.
            api_key=self._key or "none",
            default_headers={
                **self._environment_headers_to_omit(),
                "Authorization": f"Bearer {self._key or 'none'}",
                "Accept-Encoding": "identity",
            },
            timeout=timeout,
            max_retries=MOST_RETRIES,
            # Without redirects, texts go to the named server alone; uncompressed, an answer is as large as it seems.
            http_client=openai.DefaultHttpxClient(
                follow_redirects=False, event_hooks=HTTP_EVENT_HOOKS, transport=http_transport
            ),
        )

    def _environment_headers_to_omit(self) -> dict[str, Any]:
        """Return options that keep the environment's settings for OpenAI from a server that the user named instead."""
        import openai

        if self._uses_environment:
            return {}
        custom_header_lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
        custom_header_names = [line.partition(":")[0].strip() for line in custom_header_lines if ":" in line]
        return {
            name: openai.omit
            for name in (*custom_header_names, "OpenAI-Organization", "OpenAI-Project")
            if name.lower() != "authorization"
        }

    def mask_key(self, text: str) -> str:
        """Return a server's message with the key masked, in case the server repeats it."""
        return text.replace(self._key, "[key]") if len(self._key) >= SHORTEST_MASKED_KEY_LENGTH else text

    def failed_request_error(self, error: "openai.APIError", timeout: float) -> ModelError:
        """Return the ModelError for a failed request; raise it ``from None``, because the original error holds the key.

        The package's errors hold the request and thus the key, so they must not be chained. The server's own message is
        left out, because it may repeat the key.
        """
        import openai

        if isinstance(error, openai.APIStatusError):
            return ModelError(self._refusal_sentence(error.status_code))
        if isinstance(error, openai.APITimeoutError):
            return ModelError(
                f"{self._model_name}: {self.host} must answer within {timeout:g} seconds; it did not, in {MOST_RETRIES + 1} "
                "attempts."
            )
        return ModelError(
            f"{self._model_name}: {self.host_and_proxy_phrase} must be reachable; it was not, in {MOST_RETRIES + 1} "
            "attempts."
        )

    def run_with_deadline(
        self,
        request_function: Callable[[], Answer],
        seconds_until_deadline: float,
        max_answer_bytes: int,
        attempt_counter: Attempts | None = None,
        is_enough: Callable[[bytes], bool] = lambda body: False,
    ) -> Answer:
        """Run ``request_function``, which sends requests by the client, in a thread; return its result or raise its error.

        An abandoned thread ends with the next byte that arrives or, if the server sends nothing, with the client's own
        time-out.

        Parameters
        ----------
        seconds_until_deadline
            Maximum duration in seconds, retries included.
        max_answer_bytes
            Maximum size of an answer in bytes.
        attempt_counter
            Counters of the requests; they may refuse a request before it is sent.
        is_enough
            Called now and then with a stream of server-sent events as far as it has arrived; if it returns true, the
            connection is closed, and the answer ends there. By default every answer is read to its end.

        Raises
        ------
        ModelError
            If the answer does not arrive before the deadline.
        Cancelled
            If the user stops meanwhile (`abandon_requests_once_cancelled`).
        """
        cancellation_check = _current_cancellation_check.get()
        running_call = _RunningCall(max_answer_bytes, attempt_counter or Attempts(), is_enough)
        answer_future: Future[Answer] = Future()

        def send_request_and_store_outcome() -> None:
            _thread_local_running_call.call = running_call
            try:
                answer_future.set_result(request_function())
            except BaseException as error:
                if isinstance(error, InputError):
                    # What led to it holds the request, and so the key; ``from None`` only keeps that from being printed.
                    error.__context__ = error.__cause__ = None
                answer_future.set_exception(error)

        deadline_time = time.monotonic() + seconds_until_deadline
        threading.Thread(target=send_request_and_store_outcome, daemon=True, name="request").start()
        try:
            while not wait((answer_future,), _SECONDS_BETWEEN_CANCELLATION_CHECKS).done:
                if time.monotonic() > deadline_time:
                    raise ModelError(
                        f"{self._model_name}: {self.host} must answer within {seconds_until_deadline:g} seconds in all; it "
                        "did not."
                    )
                raise_if_cancelled(cancellation_check)
        except BaseException:
            # A terminal's interruption comes here too; no retry may follow it.
            running_call.mark_as_abandoned()
            raise
        return answer_future.result()

    def unusable_answer_error(self, rule_and_fault_sentence: str) -> ModelError:
        """Return the ModelError for an answer that breaks a rule; ``rule_and_fault_sentence`` states both."""
        return ModelError(f"{self._model_name}: {self.host} gave an answer that cannot be used. {rule_and_fault_sentence}")

    def _refusal_sentence(self, status: int) -> str:
        """Return a sentence on a status."""
        match status:
            case 401 | 403:
                return f"{self._model_name}: {self.host} must accept the key; it refused (status {status})."
            case status if 300 <= status < 400:
                return f"{self._model_name}: {self.host} must answer itself; it leads to another address (status {status})."
            case 404:
                return f"{self._model_name}: {self.host} must know the address and the model; it does not (status 404)."
            case 429:
                return (
                    f"{self._model_name}: {self.host} must have requests left for this key; "
                    f"asked up to {MOST_RETRIES + 1} times, it had none (status 429)."
                )
            case _ if status >= 500:
                return (
                    f"{self._model_name}: {self.host} must work; asked up to {MOST_RETRIES + 1} times, it failed (status "
                    f"{status})."
                )
            case _:
                return (
                    f"{self._model_name}: {self.host} must accept the request; it refused (status {status}), "
                    "as servers do with a text longer than the model reads."
                )


def _proxy_for(address: str) -> str | None:
    """Return the address of the environment's proxy through which a server is asked; None if it is asked directly.

    Only an encrypted connection goes through a proxy, which then learns no more than the server's name. Without encryption
    the proxy would read text and key; an address of this machine means another machine to a proxy elsewhere.
    """
    from urllib.request import getproxies, proxy_bypass

    address_parts = urlsplit(address)
    server_host_name = address_parts.hostname or ""
    if address_parts.scheme != "https" or _is_this_machine(server_host_name) or proxy_bypass(server_host_name):
        return None
    proxy_by_scheme = getproxies()
    proxy_address = proxy_by_scheme.get("https") or proxy_by_scheme.get("all")
    return proxy_address if not proxy_address or "://" in proxy_address else f"http://{proxy_address}"


def _is_this_machine(host: str) -> bool:
    """Return whether a host's name or number is a loopback address."""
    host_name = host.rstrip(".").lower()
    if host_name == "localhost" or host_name.endswith(".localhost"):
        return True
    try:
        ip_address = ipaddress.ip_address(host_name)
    except ValueError:
        return False
    ip_address = getattr(ip_address, "ipv4_mapped", None) or ip_address
    return ip_address.is_loopback or ip_address.is_unspecified
