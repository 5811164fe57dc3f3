"""Background jobs with progress and cancellation, and the registry of runs that links refer to."""

from __future__ import annotations

import secrets
import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TypeVar

import streamlit as st

from chunkers import Cancelled, InputError

MOST_KEPT = 8
"""Runs that the server remembers, over all sessions; beyond that the oldest is stopped and forgotten."""


@dataclass(eq=False)
class Background(ABC):
    """A job that runs in its own thread; ``error`` is the message it failed with, or empty."""

    error: str = field(default="", init=False)
    _cancel: threading.Event = field(default_factory=threading.Event, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)

    @property
    def running(self) -> bool:
        """Whether the thread is alive."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def cancelled(self) -> bool:
        """Whether the job was asked to stop."""
        return self._cancel.is_set()

    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._guarded, daemon=True, name=type(self).__name__)
        self._thread.start()

    def cancel(self) -> None:
        """Ask the job to stop before its next step or batch of texts; finished results are kept."""
        self._cancel.set()

    def join(self, seconds: float) -> None:
        """Wait until the job has ended, for at most ``seconds``."""
        if self._thread is not None:
            self._thread.join(seconds)

    @abstractmethod
    def progress(self) -> tuple[float, str]:
        """Return the share that is done, from 0 to 1, and a short status text."""

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
            # Without a message the page would wait forever; the traceback goes to the terminal.
            self.error = f"This stopped because of a bug in Seamark ({type(error).__name__}); see the terminal for details."
            raise


Kind = TypeVar("Kind", bound=Background)


def new_token() -> str:
    """Return an unguessable token for the link of a run."""
    return secrets.token_urlsafe(16)


class Registry:
    """The latest runs, each under an unguessable token."""

    def __init__(self) -> None:
        self._runs: dict[str, Background] = {}
        self._lock = threading.Lock()

    def keep(self, run: Background, token: str = "") -> str:
        """Store a run and return its token, a new one if none is given; the oldest beyond `MOST_KEPT` is cancelled."""
        token = token or new_token()
        with self._lock:
            # A run that goes on is the latest again.
            self._runs.pop(token, None)
            self._runs[token] = run
            forgotten = [self._runs.pop(old) for old in list(self._runs)[:-MOST_KEPT]]
        for old in forgotten:
            old.cancel()
        return token

    def find(self, token: str, kind: type[Kind]) -> Kind | None:
        """Return the run with that token, or None if there is none or it is of another kind."""
        run = self._runs.get(token)
        return run if isinstance(run, kind) else None


@st.cache_resource(show_spinner=False)
def registry() -> Registry:
    """Return the server's registry of the runs that links refer to."""
    return Registry()
