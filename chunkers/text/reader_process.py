"""A separate process that reads files within limits of time and memory, so that no file can slow or crash the caller."""

import atexit
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from chunkers.support import (
    MAX_IDLE_READER_MEMORY_BYTES,
    MOST_READER_MEMORY_BYTES,
    MOST_READER_PROCESSES,
    MOST_READING_SECONDS,
    InputError,
    raise_if_cancelled,
    raise_if_extra_missing,
)

_SECONDS_BETWEEN_CHECKS = 0.01
"""Seconds between checks, at first; later a twentieth of a second."""

_free_reader_semaphore = threading.Semaphore(MOST_READER_PROCESSES)
_idle_readers_lock = threading.Lock()
_idle_readers: "list[_Reader]" = []


ParserFunction = Callable[..., Iterator[Any]]
"""A function of a module that runs in the other process. It gets a file's bytes, its name and options, yields what it reads
as values of JSON, and raises InputError if the file is not as it must be."""


def run_parser_in_reader_process(
    parser_function: ParserFunction,
    data: bytes,
    name: str,
    cancelled: Callable[[], bool] = bool,
    convert_received_value: Callable[[Any], Any] | None = None,
    **options: Any,
) -> list[Any]:
    """Parse a user's file in a separate process, limited in time and memory, and return what the parser yields.

    Parameters
    ----------
    parser_function
        Parser, which the other process imports by name, together with only the modules that it imports itself.
    name
        Name of the file, with which messages begin.
    cancelled
        Called repeatedly; when it returns true, the process is ended.
    convert_received_value
        Function applied to each value as it arrives; its results are returned instead of the values. With a million
        values, garbage collection, which stops all threads, would otherwise traverse both lists.
    options
        Further arguments of the parser, as JSON values.

    Returns
    -------
    The parser's values after JSON conversion, with tuples as lists, or what ``convert_received_value`` returned for them.

    Raises
    ------
    InputError
        If the parser raises it, or crashes, or reading exceeds `MOST_READING_SECONDS` or `MOST_READER_MEMORY_BYTES`.
    Cancelled
        If the user asked to stop.
    """
    while not _free_reader_semaphore.acquire(timeout=0.1):
        raise_if_cancelled(cancelled)
    try:
        file_reader_process = _take_reader()
        try:
            return file_reader_process.run_parser_on_file(
                parser_function, data, name, cancelled, convert_received_value, options
            )
        finally:
            _keep_or_end_reader(file_reader_process)
    finally:
        _free_reader_semaphore.release()


def _take_reader() -> "_Reader":
    with _idle_readers_lock:
        while _idle_readers:
            idle_reader_process = _idle_readers.pop()
            if idle_reader_process.is_alive:
                return idle_reader_process
    return _Reader()


def _keep_or_end_reader(reader: "_Reader") -> None:
    """Keep a process for the next file, unless it has ended or uses too much memory."""
    if reader.is_alive and reader.memory() <= MAX_IDLE_READER_MEMORY_BYTES:
        with _idle_readers_lock:
            _idle_readers.append(reader)
    else:
        reader.kill_process()


@atexit.register
def _end_all_idle_readers() -> None:
    with _idle_readers_lock:
        for reader in _idle_readers:
            reader.kill_process()
        _idle_readers.clear()


class _Reader:
    """A process that reads one file after another."""

    def __init__(self) -> None:
        check_memory_is_measurable()
        # Without secrets, such as the keys of servers, which a file must not get at.
        environment_without_secrets = {
            name: value for name, value in os.environ.items() if "KEY" not in name and "TOKEN" not in name
        }
        # In an installation this library lies inside another package.
        library_folder = Path(__file__).parents[str(__package__).count(".") + 1]
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                Path(__file__).with_name("lazy_imports_in_reader_process.py"),
                library_folder,
                f"{__package__}.reader_process_program",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment_without_secrets,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def memory(self) -> int:
        """Return the memory that the process uses, in bytes; 0 once the process has ended."""
        return process_memory_bytes(self._process.pid) if self.is_alive else 0

    def kill_process(self) -> None:
        # What was not written yet cannot be written any more.
        with suppress(OSError), self._process:
            self._process.kill()

    def run_parser_on_file(
        self,
        parser_function: ParserFunction,
        data: bytes,
        name: str,
        cancelled: Callable[[], bool],
        convert_received_value: Callable[[Any], Any] | None,
        options: dict[str, Any],
    ) -> list[Any]:
        stored_exchange_results: list[tuple[list[Any], dict[str, Any]]] = []

        def exchange_and_store_results() -> None:
            # An error means that the process has ended; that is handled below.
            with suppress(OSError, ValueError):
                stored_exchange_results.append(
                    self._exchange_request_and_answer(parser_function, data, name, convert_received_value, options)
                )

        exchange_thread = threading.Thread(target=exchange_and_store_results, daemon=True, name="exchange with the reader")
        exchange_thread.start()
        try:
            self._wait_for_answer(exchange_thread, name, cancelled)
        except BaseException:
            self._process.kill()
            exchange_thread.join()
            self.kill_process()
            raise
        if not stored_exchange_results:
            self.kill_process()
            exit_status = self._process.returncode
            raise InputError(
                f"{name}: the process that reads the file ended with status {exit_status}. The file may be damaged, or too "
                "large."
            )
        parsed_values, final_answer = stored_exchange_results[0]
        if "memory" in final_answer:
            self.kill_process()
            raise _too_much_memory_error(name)
        if "error" in final_answer:
            raise InputError(final_answer["error"])
        return parsed_values

    def _wait_for_answer(self, exchange_thread: threading.Thread, name: str, cancelled: Callable[[], bool]) -> None:
        """Wait for the answer; raise if a limit is passed or the user cancels."""
        wait_start, seconds_until_check = time.monotonic(), _SECONDS_BETWEEN_CHECKS
        # A small file may be read before the first look.
        raise_if_cancelled(cancelled)
        while exchange_thread.is_alive():
            exchange_thread.join(seconds_until_check)
            seconds_until_check = min(0.05, seconds_until_check * 1.2)
            raise_if_cancelled(cancelled)
            if time.monotonic() - wait_start > MOST_READING_SECONDS:
                raise InputError(
                    f"{name}: a file may take at most {MOST_READING_SECONDS} seconds to be read; this file takes longer. "
                    "Use a "
                    "smaller file."
                )
            if self.memory() > MOST_READER_MEMORY_BYTES:
                raise _too_much_memory_error(name)

    def _exchange_request_and_answer(
        self,
        parser_function: ParserFunction,
        file_bytes: bytes,
        name: str,
        convert_received_value: Callable[[Any], Any] | None,
        options: dict[str, Any],
    ) -> tuple[list[Any], dict[str, Any]]:
        """Return the values that the parser yields, and its final answer."""
        request_stream, answer_stream = self._process.stdin, self._process.stdout
        if request_stream is None or answer_stream is None:
            raise ValueError("the process that reads files must have pipes; it has none")
        request_header = {
            "parser": [parser_function.__module__, parser_function.__name__],
            "folder": _parser_package_folder(parser_function),
            "name": name,
            "options": options,
            "size": len(file_bytes),
        }
        request_stream.write(json.dumps(request_header).encode() + b"\n")
        request_stream.write(file_bytes)
        request_stream.flush()
        parsed_values: list[Any] = []
        # A batch at a time, so that other threads get their turn in between.
        for answer_line in answer_stream:
            batch_or_final_answer = json.loads(answer_line)
            if isinstance(batch_or_final_answer, dict):
                return parsed_values, batch_or_final_answer
            parsed_values += (
                batch_or_final_answer
                if convert_received_value is None
                else map(convert_received_value, batch_or_final_answer)
            )
        raise ValueError("the process that reads files ended in the middle of its answer")


def _parser_package_folder(parser_function: ParserFunction) -> str:
    """Return the folder in which a parser's package lies, where that is not the package that the process has anyway."""
    top_package_name = parser_function.__module__.partition(".")[0]
    if top_package_name == str(__package__).partition(".")[0]:
        return ""
    return str(Path(next(iter(sys.modules[top_package_name].__path__))).parent)


def _too_much_memory_error(name: str) -> InputError:
    return InputError(
        f"{name}: a file may take at most {MOST_READER_MEMORY_BYTES // 1_000_000_000} GB of memory to be read, "
        f"{MOST_READER_MEMORY_BYTES:,} bytes; "
        "this file takes more. Use a smaller file."
    )


# The memory of a process: it is watched because not every system enforces a limit.


def check_memory_is_measurable() -> None:
    """Raise ModelError if the memory use of processes cannot be measured, as on Windows without psutil."""
    if sys.platform == "win32":
        raise_if_extra_missing("files", "Reading files within limits of memory", "psutil")


def process_memory_bytes(pid: int) -> int:
    """Return the memory that a process uses, in bytes; 0 if the process has ended."""
    try:
        import psutil
    except ImportError:
        # The library alone is installed without it.
        return _memory_on_linux(pid) if sys.platform == "linux" else _memory_by_ps(pid)
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def _memory_on_linux(pid: int) -> int:
    try:
        resident_pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    import resource

    return resident_pages * resource.getpagesize()


def _memory_by_ps(pid: int) -> int:
    """Return the memory reported by POSIX's ``ps``, in units of 1,024 bytes: macOS has no /proc."""
    ps_output = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return int(ps_output) * 1024 if ps_output.strip().isdecimal() else 0
