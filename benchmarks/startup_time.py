"""Startup from a cold start: time until the first column and until all three are painted, by stage.

Run as ``python -m benchmarks.startup_time [--repeats N] [--script FILE]``. Each turn starts the server in a process of its
own, nothing embedded, and opens the first page in a browser that already runs as soon as the server answers; then, in the
same way, a server of an empty Streamlit page, whose time no page of Streamlit can be below. A column counts at the second
animation frame after its chunks are in the page, and the empty page at the second after its line of text. Then the parts of
it, one after the other in a fresh process without a server, and the command line. ``--script app.py`` loads nothing before a
browser asks.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.harness import (
    build_function_adding_option,
    command_line_decorator_for_main,
    markdown_table,
    peak_kib,
    seconds_and_result_of_call,
)
from tests.fixtures.app_server import app_server, launch

START_LIMIT_MS = 120_000
"""Maximum milliseconds of a start."""

EMPTY_PAGE_ROW = "an empty page of Streamlit painted"

# Looks at each animation frame for how many columns have chunks, and notes when each number is first reached.
COLUMN_WATCH_SCRIPT = """(() => {
  const seen = (window.columnsSeen = []);
  const readers = (node) => [...node.querySelectorAll("*")].filter((host) => host.shadowRoot)
    .flatMap((host) => [...host.shadowRoot.querySelectorAll(".seamark")]);
  const look = () => {
    const reader = readers(document).find((root) => root.seamark?.columns.length);
    const columns = reader ? [...reader.seamark.columns] : [];
    const done = columns.filter(({ blocks, built }) => blocks && built).length;
    while (seen.length < done) {
      const place = seen.push(0) - 1;
      requestAnimationFrame(() => requestAnimationFrame(() => (seen[place] = Date.now() / 1000)));
    }
    window.allColumns = columns.length > 0 && done === columns.length && seen.every(Boolean);
    if (!window.allColumns) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""

EMPTY_APP_SCRIPT = """import streamlit as st

st.title("Empty")
st.write("Nothing more.")
"""

EMPTY_APP_PAINT_TIME_SCRIPT = """(() => {
  const look = () => {
    if (document.body?.innerText.includes("Nothing more.")) {
      requestAnimationFrame(() => requestAnimationFrame(() => (window.emptyShown = Date.now() / 1000)));
    } else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""

# Stages after one another, each with what those before it have imported.
ROOT = Path(__file__).parents[1]

STAGES_SCRIPT = """
import json, time
stages, began = [], time.perf_counter()
def stage(name):
    global began
    stages.append((name, time.perf_counter() - began))
    began = time.perf_counter()
import streamlit
stage("import Streamlit")
import viz.compare.page
stage("import the first page")
from chunkers.text.bundled_model import checked_model_folder
checked_model_folder()
stage("check the model's files")
from chunkers import Document, Tools, load_embedder, load_tokenizer
embedder = load_embedder()
embedder.ensure_loaded()
stage("load the model")
embedder.encode(["The first text."])
stage("its first text")
from sample_docs import load_sample
from viz.compare.choices_and_session.choices import default_choices
sample = load_sample(default_choices().document)
document = Document.from_text(sample.text, sample.sentences)
stage("split the sample")
Tools(embedder, load_tokenizer()).embed(document.sentence_texts)
stage("embed the sample")
print(json.dumps(stages))
"""


@contextmanager
def open_page_and_await_expression(
    browser: Browser, address: str, watching_script: str, is_painted_expression: str
) -> Iterator[Page]:
    """Open a page with a script that watches it, and wait until an expression of the script is true."""
    with browser.new_page() as page:
        page.add_init_script(watching_script)
        page.goto(address, wait_until="commit")
        page.wait_for_function(is_painted_expression, timeout=START_LIMIT_MS)
        yield page


def measure_server_and_page_start(browser: Browser, app_script_path: str) -> dict[str, float]:
    """Start the server and open the first page; return the seconds to each event, and the server's peak memory in MB."""
    with app_server(script=app_script_path) as server:
        began = convert_perf_counter_to_wall_clock(server.began)
        seconds_by_event = {"the server answers": time.time() - began}
        with open_page_and_await_expression(browser, server.url, COLUMN_WATCH_SCRIPT, "() => window.allColumns") as page:
            for painted_column_count, column_painting_moment in enumerate(
                page.evaluate("() => window.columnsSeen"), start=1
            ):
                seconds_by_event[f"{painted_column_count} of the columns painted"] = column_painting_moment - began
            seconds_by_event["peak memory of the server, MB"] = peak_kib(server.pid) / 1000
    return seconds_by_event


def seconds_until_empty_page(browser: Browser, app_script_path: Path) -> float:
    """Start a server of an empty page and open it; return the seconds until it is painted."""
    with (
        app_server(script=str(app_script_path)) as server,
        open_page_and_await_expression(browser, server.url, EMPTY_APP_PAINT_TIME_SCRIPT, "() => window.emptyShown") as page,
    ):
        return float(page.evaluate("() => window.emptyShown")) - convert_perf_counter_to_wall_clock(server.began)


def convert_perf_counter_to_wall_clock(performance_counter_seconds: float) -> float:
    """Return a moment of ``time.perf_counter`` in the seconds of ``time.time``, which pages report."""
    return time.time() - (time.perf_counter() - performance_counter_seconds)


def stage_seconds() -> list[tuple[str, float]]:
    """Return the seconds of each stage."""
    completed_process = subprocess.run(
        [sys.executable, "-c", STAGES_SCRIPT], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [(name, seconds) for name, seconds in json.loads(completed_process.stdout)]


def command_seconds(*arguments: str) -> float:
    """Return the seconds that a command takes in a separate process."""
    command = [sys.executable, "-m", *arguments]
    return seconds_and_result_of_call(lambda: subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True))[0]


@command_line_decorator_for_main(
    build_function_adding_option("--repeats", dest="repeat_count", type=int, default=5),
    build_function_adding_option("--script", default="serve.py"),
)
def main(repeat_count: int, script: str) -> None:
    """Print the tables."""
    with sync_playwright() as playwright, launch(playwright) as browser, tempfile.TemporaryDirectory() as folder:
        empty_app_script_path = Path(folder) / "empty.py"
        empty_app_script_path.write_text(EMPTY_APP_SCRIPT, encoding="utf-8")
        figures_by_repeat = [
            measure_server_and_page_start(browser, script)
            | {EMPTY_PAGE_ROW: seconds_until_empty_page(browser, empty_app_script_path)}
            for _ in range(repeat_count)
        ]
    empty_page_median = statistics.median(turn[EMPTY_PAGE_ROW] for turn in figures_by_repeat)
    rows = []
    for event_name in figures_by_repeat[0]:
        figures_of_event = [turn[event_name] for turn in figures_by_repeat]
        ratio_to_empty_page = (
            "" if event_name.endswith("MB") else f"{statistics.median(figures_of_event) / empty_page_median:.2f}"
        )
        rows.append(
            [event_name, f"{statistics.median(figures_of_event):.2f}", f"{min(figures_of_event):.2f}", ratio_to_empty_page]
        )
    table_head = [f"s after the start of {script}", "median", "least", "times the empty page"]
    print(markdown_table(table_head, rows), end="\n\n")
    stage_seconds_by_repeat = [stage_seconds() for _ in range(repeat_count)]
    stage_rows = [
        [name, f"{statistics.median(run[place][1] for run in stage_seconds_by_repeat):.2f}"]
        for place, (name, _) in enumerate(stage_seconds_by_repeat[0])
    ]
    print(markdown_table(["one after the other, without a server", "s"], stage_rows), end="\n\n")
    smallest_sample_path = "sample_docs/chinese.txt"
    chunk_command_words = ("seamark", "chunk", smallest_sample_path, "--chunker")
    command_rows = [
        [
            f"`{chunker}`",
            f"{statistics.median(command_seconds(*chunk_command_words, chunker) for _ in stage_seconds_by_repeat):.2f}",
        ]
        for chunker in ("fixed_words", "breakpoint")
    ]
    print(markdown_table(["`seamark chunk` on the smallest sample", "s"], command_rows))


if __name__ == "__main__":
    raise SystemExit(main())
