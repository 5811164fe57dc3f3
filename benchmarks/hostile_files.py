"""Time and memory of reading files made to be slow, large or broken."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil

from benchmarks.harness import benchmark, markdown_table, option, print_progress
from chunkers import InputError
from chunkers.support import READ_MEMORY, READ_SECONDS
from chunkers.text import read_document
from tests.fixtures.hostile_files import FILES, MILLION


@contextmanager
def watch_memory_and_pauses() -> Iterator[dict[str, float]]:
    """Measure the memory of the reading processes in MB, and the longest pause of this process in ms."""
    seen = {"memory": 0.0, "still": 0.0}
    ended = threading.Event()
    own = psutil.Process()

    def watch() -> None:
        while not ended.is_set():
            began = time.perf_counter()
            time.sleep(0.01)
            seen["still"] = max(seen["still"], 1000 * (time.perf_counter() - began) - 10)
            for child in own.children():
                with suppress(psutil.Error):
                    seen["memory"] = max(seen["memory"], child.memory_info().rss / MILLION)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()


@benchmark(option("--only", default="", metavar="WORDS", help="files whose description has these words"))
def main(only: str) -> int:
    """Print the time and memory of each file; return 1 if one exceeds the limits."""
    rows, beyond = [], False
    for what, make in FILES.items():
        if only not in what:
            continue
        name, data = make()
        with watch_memory_and_pauses() as seen:
            began = time.perf_counter()
            try:
                outcome = f"{len(read_document(data, name).text):,} characters"
            except InputError as error:
                outcome = str(error).removeprefix(f"{name}: ")
            seconds = time.perf_counter() - began
        beyond |= seconds > READ_SECONDS + 1 or seen["memory"] > READ_MEMORY / MILLION
        figures = [f"{len(data) / 1000:,.0f}", f"{seconds:.1f}", f"{seen['memory']:,.0f}", f"{seen['still']:.0f}"]
        rows.append([what, *figures, outcome[:110]])
        print_progress(*rows[-1])
    print(markdown_table(["file", "kB", "s", "MB", "others wait, ms", "what came out"], rows))
    return int(beyond)


if __name__ == "__main__":
    raise SystemExit(main())
