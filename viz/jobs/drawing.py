"""Whether a page is being drawn: what can wait meanwhile lets it go first."""

from __future__ import annotations

import threading
import time
from functools import cache

LOOK_S = 0.02
"""Seconds between two looks."""

PATIENCE_S = 1.0
"""Seconds that a page is waited for."""


def is_drawing() -> bool:
    """Whether the script of a page is being run."""
    return any(thread.name == "ScriptRunner.scriptThread" for thread in threading.enumerate())


@cache
def let_a_page_be_drawn() -> None:
    """Wait until no page is being drawn, once in a process: beside the import of torch, either takes twice as long."""
    patient_until = time.monotonic() + PATIENCE_S
    while is_drawing() and time.monotonic() < patient_until:
        time.sleep(LOOK_S)
