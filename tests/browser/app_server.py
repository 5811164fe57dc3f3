"""The app on a port of its own and the browser that opens it: the one way to start both, for tests and benchmarks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Playwright

from tests import ROOT

LIMIT = 120.0
"""Seconds that a start may take on a busy machine."""

_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
_FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]


class NotServing(RuntimeError):
    """A server that did not start, or not in time; the message ends with its log."""


@dataclass(frozen=True)
class AppServer:
    """A running app.

    Attributes
    ----------
    url
        Its address, without a slash at the end.
    began
        The moment of its start, in seconds of ``time.perf_counter``.
    pid
        The number of its process.
    log
        The file to which it writes.
    """

    url: str
    began: float
    pid: int
    log: Path


@contextmanager
def app_server(
    log: Path | None = None,
    script: str = "serve.py",
    limit: float = LIMIT,
    environment: Mapping[str, str] | None = None,
    port: int = 0,
    program: Sequence[str] = (),
) -> Iterator[AppServer]:
    """Run a Streamlit script until the block ends.

    Parameters
    ----------
    log
        The file that the server writes to; without it one that is deleted at the end.
    script
        The script's path below the checkout.
    limit
        Seconds after which a server that does not answer is given up.
    environment
        Variables of the environment beside this process's own.
    port
        The port, for a server that takes another's place; 0 for one that the system chooses.
    program
        What to run instead of the script, without the port, in the folder of the log: an installed app.

    Raises
    ------
    NotServing
        If the server ends or does not answer in time.
    """
    # The system chooses the port when the server takes it, so nobody can take it in between; the log tells which it is.
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port), "--server.headless", "true"]
    if program:
        command = [*program, "--port", str(port)]
    with ExitStack() as stack:
        log = log or Path(stack.enter_context(tempfile.TemporaryDirectory())) / "log.txt"
        written = stack.enter_context(log.open("w"))
        began = time.perf_counter()
        server = subprocess.Popen(
            command,
            cwd=log.parent if program else ROOT,
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
        )
        try:
            yield AppServer(_answering(server, log, began + limit), began, server.pid, log)
        finally:
            _stop(server)


def launch(playwright: Playwright, *flags: str) -> Browser:
    """Start Chromium, the system's where there is one, Playwright's own otherwise, with more flags.

    Its headless shell comes first, as with Playwright's own: it opens a page in half the time, as it has no windows.
    """
    executables = (shutil.which(name) for name in ("chromium-headless-shell", "chromium"))
    return playwright.chromium.launch(executable_path=next(filter(None, executables), None), args=[*_FLAGS, *flags])


def _answering(server: subprocess.Popen[bytes], log: Path, deadline: float) -> str:
    """Return the server's address once it answers there."""
    while True:
        log_text = log.read_text(errors="replace")
        match = _ADDRESS.search(log_text)
        if match and _healthy(match.group()):
            return match.group()
        if server.poll() is not None:
            raise NotServing(f"The server ended with status {server.returncode} before it answered. Its log:\n{log_text}")
        if time.perf_counter() > deadline:
            raise NotServing(f"The server did not answer in time. Its log:\n{log_text}")
        time.sleep(0.05)


def _healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=5):
            return True
    except OSError:
        return False


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(20)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
