"""Read files in a separate process, with limits of time and memory, so that no file can slow or crash the caller."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chunkers.errors import Cancelled, InputError
from chunkers.extras import need
from chunkers.limits import MAX_IDLE_MEMORY, READ_MEMORY, READ_SECONDS, READERS

_POLL_S = 0.01
"""Seconds between checks, at first; later a twentieth of a second."""

# The library's own __init__ would import what reading never uses, such as numpy and pydantic; an empty one replaces it, and
# each of those that it lies in, by their names and folders from the outside in. The last name is that of the child.
_CODE = """
import importlib, json, sys, types
packages, child = json.loads(sys.argv[1])
for name, folder in packages:
    package = sys.modules[name] = types.ModuleType(name)
    package.__path__ = [folder]
importlib.import_module(child).serve()
"""


def _child() -> str:
    """Return what the code is given: this library lies inside the package of those who have installed it."""
    *outer, _ = str(__package__).split(".")
    folder = Path(__file__).parents[1]
    above = [folder, *folder.parents]
    packages = [[".".join(outer[: count + 1]), str(above[len(outer) - count - 1])] for count in range(len(outer))]
    return json.dumps([packages, f"{__package__}.reader_child"])


_free = threading.Semaphore(READERS)
_lock = threading.Lock()
_idle: list[_Reader] = []


def read_apart(
    data: bytes, name: str, kind: str | None, encoding: str | None, cancelled: Callable[[], bool]
) -> tuple[str, dict[str, Any]]:
    """Read a file in another process.

    Parameters
    ----------
    kind, encoding
        See `chunkers.text.formats.extract`.
    cancelled
        Called repeatedly; when it returns true, the process is ended.

    Returns
    -------
    The text, and what is known about it: ``encoding``, ``guessed``, ``others`` where it has one, ``left_out``, and ``parts``
    where it has pages or chapters.

    Raises
    ------
    InputError
        If the file cannot be read, or not within `READ_SECONDS` and `READ_MEMORY`, or the readers are not installed.
    Cancelled
        If the user asked to stop.
    """
    need("files", f"{name}: reading what is not plain UTF-8")
    while not _free.acquire(timeout=0.1):
        if cancelled():
            raise Cancelled
    try:
        reader = _taken()
        try:
            return reader.read(data, name, kind, encoding, cancelled)
        finally:
            _kept(reader)
    finally:
        _free.release()


def _taken() -> _Reader:
    with _lock:
        while _idle:
            reader = _idle.pop()
            if reader.alive:
                return reader
    return _Reader()


def _kept(reader: _Reader) -> None:
    """Keep a process for the next file, unless it has ended or uses too much memory."""
    if reader.alive and reader.memory() <= MAX_IDLE_MEMORY:
        with _lock:
            _idle.append(reader)
    else:
        reader.end()


@atexit.register
def _end_all() -> None:
    with _lock:
        for reader in _idle:
            reader.end()
        _idle.clear()


class _Reader:
    """A process that reads one file after another."""

    def __init__(self) -> None:
        import psutil

        # Without secrets, such as the keys of servers, which a file must not get at.
        kept = {name: value for name, value in os.environ.items() if "KEY" not in name and "TOKEN" not in name}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CODE, _child()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=kept,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._watched = psutil.Process(self._process.pid)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def memory(self) -> int:
        """Return the bytes of memory that the process uses."""
        import psutil

        try:
            return int(self._watched.memory_info().rss)
        except psutil.Error:
            return 0

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    # What was not written yet cannot be written any more.
                    continue

    def read(
        self, data: bytes, name: str, kind: str | None, encoding: str | None, cancelled: Callable[[], bool]
    ) -> tuple[str, dict[str, Any]]:
        got: list[tuple[str, dict[str, Any]]] = []

        def exchange() -> None:
            try:
                got.append(self._exchange(data, name, kind, encoding))
            except (OSError, ValueError):
                # The process has ended; that is handled below.
                return

        thread = threading.Thread(target=exchange, daemon=True, name="exchange with the reader")
        thread.start()
        try:
            self._watch(thread, name, cancelled)
        except BaseException:
            self._process.kill()
            thread.join()
            self.end()
            raise
        if not got:
            self.end()
            status = self._process.returncode
            raise InputError(f"{name}: reading the file ended its process, with status {status}; it may be damaged.")
        text, answer = got[0]
        if "memory" in answer:
            self.end()
            raise _too_much_memory(name)
        if "error" in answer:
            raise InputError(answer["error"])
        return text, answer

    def _watch(self, thread: threading.Thread, name: str, cancelled: Callable[[], bool]) -> None:
        """Wait for the answer; raise if a limit is passed or the user cancels."""
        began, wait = time.monotonic(), _POLL_S
        while thread.is_alive():
            thread.join(wait)
            wait = min(0.05, wait * 1.2)
            if cancelled():
                raise Cancelled
            if time.monotonic() - began > READ_SECONDS:
                raise InputError(
                    f"{name}: a file may take at most {READ_SECONDS} seconds to be read; this one takes longer."
                )
            if self.memory() > READ_MEMORY:
                raise _too_much_memory(name)

    def _exchange(self, data: bytes, name: str, kind: str | None, encoding: str | None) -> tuple[str, dict[str, Any]]:
        requests, answers = self._process.stdin, self._process.stdout
        if requests is None or answers is None:
            raise ValueError("the process has no pipes")
        request = {"name": name, "kind": kind, "encoding": encoding, "size": len(data)}
        requests.write(json.dumps(request).encode() + b"\n")
        requests.write(data)
        requests.flush()
        answer: dict[str, Any] = json.loads(answers.readline())
        size = answer.pop("size")
        text = answers.read(size)
        if len(text) < size:
            raise ValueError("the process has ended within its answer")
        return text.decode("utf-8", "surrogatepass"), answer


def _too_much_memory(name: str) -> InputError:
    return InputError(
        f"{name}: a file may take at most {READ_MEMORY // 1_000_000_000} GB of memory to be read, {READ_MEMORY:,} bytes; "
        "this one takes more."
    )
