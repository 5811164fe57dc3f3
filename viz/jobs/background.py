"""Work in threads of its own, with progress and cancellation; what a link leads back to outlives its session."""

from __future__ import annotations

import secrets
import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TypeVar

import streamlit as st

from chunkers import Cancelled, InputError

MOST_KEPT = 8
"""Runs that the server remembers, of all sessions together; one more and the oldest is stopped and forgotten."""


@dataclass(eq=False)
class Background(ABC):
    """Work that a thread of its own does; ``error`` is the sentence that ended it, if one did."""

    error: str = field(default="", init=False)
    _cancel: threading.Event = field(default_factory=threading.Event, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def cancelled(self) -> bool:
        """Whether the user asked it to stop."""
        return self._cancel.is_set()

    def start(self) -> None:
        """Begin."""
        self._thread = threading.Thread(target=self._guarded, daemon=True, name=type(self).__name__)
        self._thread.start()

    def cancel(self) -> None:
        """Ask it to stop before the next step, or the next batch of texts; what is done stays."""
        self._cancel.set()

    def join(self, seconds: float) -> None:
        """Wait until it has ended."""
        if self._thread is not None:
            self._thread.join(seconds)

    @abstractmethod
    def progress(self) -> tuple[float, str]:
        """Return the share that is done, from 0 to 1, and a few words."""

    @abstractmethod
    def _run(self) -> None:
        """Do the work."""

    def _guarded(self) -> None:
        try:
            self._run()
        except Cancelled:
            pass
        except InputError as error:
            self.error = str(error)
        except Exception as error:
            # Without a sentence the page would wait for ever; the terminal has the rest.
            self.error = f"This ended by a fault of the program ({type(error).__name__}); the terminal tells more."
            raise


Kind = TypeVar("Kind", bound=Background)


class Registry:
    """The last runs, each under a token that nobody can guess."""

    def __init__(self) -> None:
        self._runs: dict[str, Background] = {}
        self._lock = threading.Lock()

    def keep(self, run: Background) -> str:
        """Remember a run and return its token."""
        token = secrets.token_urlsafe(16)
        with self._lock:
            self._runs[token] = run
            forgotten = [self._runs.pop(old) for old in list(self._runs)[:-MOST_KEPT]]
        for old in forgotten:
            old.cancel()
        return token

    def find(self, token: str, kind: type[Kind]) -> Kind | None:
        """Return the run of that token, or None where there is none of this kind."""
        run = self._runs.get(token)
        return run if isinstance(run, kind) else None


@st.cache_resource(show_spinner=False)
def registry() -> Registry:
    """Return the runs that links lead back to."""
    return Registry()
