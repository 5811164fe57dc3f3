"""Time and memory of reading files made to be slow, large or broken."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil

from benchmarks.harness import build_function_adding_option, command_line_decorator_for_main, markdown_table, print_progress
from chunkers import InputError
from chunkers.support import MOST_READER_MEMORY_BYTES, MOST_READING_SECONDS
from chunkers.text import read_document_text
from tests.fixtures.hostile_files import FILES, MILLION


@contextmanager
def watch_memory_and_pauses() -> Iterator[dict[str, float]]:
    """Measure the memory of the reading processes in MB, and the longest pause of this process in ms."""
    measured_maxima = {"memory": 0.0, "still": 0.0}
    stop_event = threading.Event()
    own_process = psutil.Process()

    def watch_until_stopped() -> None:
        while not stop_event.is_set():
            began = time.perf_counter()
            time.sleep(0.01)
            measured_maxima["still"] = max(measured_maxima["still"], 1000 * (time.perf_counter() - began) - 10)
            for child in own_process.children():
                with suppress(psutil.Error):
                    measured_maxima["memory"] = max(measured_maxima["memory"], child.memory_info().rss / MILLION)

    thread = threading.Thread(target=watch_until_stopped)
    thread.start()
    try:
        yield measured_maxima
    finally:
        stop_event.set()
        thread.join()


@command_line_decorator_for_main(
    build_function_adding_option(
        "--only", dest="only_file_description", default="", metavar="WORDS", help="files whose description has these words"
    )
)
def main(only_file_description: str) -> int:
    """Print the time and memory of each file; return 1 if one exceeds the limits."""
    rows, is_limit_exceeded = [], False
    for file_description, make_file in FILES.items():
        if only_file_description not in file_description:
            continue
        name, file_bytes = make_file()
        with watch_memory_and_pauses() as measured_maxima:
            began = time.perf_counter()
            try:
                outcome = f"{len(read_document_text(file_bytes, name).text):,} characters"
            except InputError as error:
                outcome = str(error).removeprefix(f"{name}: ")
            seconds = time.perf_counter() - began
        is_limit_exceeded |= (
            seconds > MOST_READING_SECONDS + 1 or measured_maxima["memory"] > MOST_READER_MEMORY_BYTES / MILLION
        )
        measurement_cells = [
            f"{len(file_bytes) / 1000:,.0f}",
            f"{seconds:.1f}",
            f"{measured_maxima['memory']:,.0f}",
            f"{measured_maxima['still']:.0f}",
        ]
        rows.append([file_description, *measurement_cells, outcome[:110]])
        print_progress(*rows[-1])
    print(markdown_table(["file", "kB", "s", "MB", "others wait, ms", "what came out"], rows))
    return int(is_limit_exceeded)


if __name__ == "__main__":
    raise SystemExit(main())
