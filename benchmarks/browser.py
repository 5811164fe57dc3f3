"""Response times and memory in a real browser, such as from a moved threshold to the repainted text.

Run as ``python -m benchmarks.browser [--steps N]``. It starts the app on a port of its own and opens the essay (75,000
characters) in three columns. A step ends at the second animation frame after the reader has drawn the server's answer.
Texts of 10,000 characters, none embedded before, are pasted on the first page: until the first chunk and every column.
Questions, none asked before, are typed and answered there: from Enter until every column shows the chunks that it retrieves.
On the Breakpoints page the same essay: the pointer over text and curve, and steps of the greedy scan, all in the browser.
Then a text of 1 MB in four columns, which is embedded once: the same steps, and what the server's memory grows by with
one browser session on it and with a second one. With ``--hostile`` it measures instead how soon the slider of one session
answers while another reads the files that once blocked the server, one after the other.
"""

import re
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

import psutil
from playwright.sync_api import Browser, Locator, Page, ViewportSize, sync_playwright

from benchmarks.harness import (
    build_function_adding_option,
    command_line_decorator_for_main,
    markdown_table,
    print_progress,
    resident_mb,
)
from chunkers.support import format_number
from sample_docs import load_sample, sample_titles
from tests.fixtures.app_server import app_server, launch
from tests.fixtures.hostile_files import ONCE_BLOCKING

VIEWPORT_SIZE: ViewportSize = {"width": 1440, "height": 1000}
MAX_MODEL_LOADING_MS = 120_000
"""Milliseconds that loading the model may take."""

# Counts from the event that is sent next (a pointer let go, a key pressed) to the frame after the new text is drawn.
REPAINT_TIMER_SCRIPT = """(root) => {
  const event = root.watched;
  root.took = new Promise((resolve) => {
    let began;
    const begin = () => (began ??= performance.now());
    addEventListener(event, begin, { capture: true, once: true });
    new MutationObserver((_, observer) => {
      if (began === undefined || !root.seamark.ready || root.seamark.dragging) return;
      observer.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - began)));
    }).observe(root, { attributes: true, attributeFilter: ["data-painted"] });
  });
}"""


def wait_until_idle(page: Page) -> None:
    """Wait until the page's script has finished."""
    page.wait_for_function(
        "() => document.querySelector('[data-testid=stApp]').getAttribute('data-test-script-state') === 'notRunning'"
    )


def watch_next_repaint(reader_element: Locator, event: str) -> None:
    """Start watching for the next ``event``."""
    reader_element.evaluate(f"(root) => {{ root.watched = '{event}'; ({REPAINT_TIMER_SCRIPT})(root); }}")


def watched_ms(reader_element: Locator) -> float:
    """Return the milliseconds that the watched step took."""
    return float(reader_element.evaluate("(root) => root.took"))


def drag_times(page: Page, reader_element: Locator, drag_count: int) -> list[float]:
    """Drag the threshold line up and down; return the milliseconds from each release to the painted text."""
    times = []
    for step in range(drag_count):
        threshold_line_box, plot_box = (
            reader_element.locator(".line").bounding_box(),
            reader_element.locator(".plot").bounding_box(),
        )
        assert threshold_line_box is not None
        assert plot_box is not None
        drag_distance = plot_box["height"] / 10
        page.mouse.move(threshold_line_box["x"] + 200, threshold_line_box["y"] + threshold_line_box["height"] / 2)
        page.mouse.down()
        page.mouse.move(
            threshold_line_box["x"] + 200,
            threshold_line_box["y"] + threshold_line_box["height"] / 2 + (drag_distance if step % 2 else -drag_distance),
            steps=4,
        )
        watch_next_repaint(reader_element, "pointerup")
        page.mouse.up()
        times.append(watched_ms(reader_element))
        wait_until_idle(page)
    return times


def key_press_times(page: Page, reader_element: Locator, key_press_count: int) -> list[float]:
    """Press an arrow key on the slider; return the milliseconds from each press to the painted text."""
    slider = page.get_by_role("slider", name="Percentile of distance")
    times = []
    for _ in range(key_press_count):
        slider.focus()
        watch_next_repaint(reader_element, "keydown")
        # To and fro, wherever it stands: at the end of its range a press would change nothing.
        slider.press("ArrowRight" if float(slider.input_value()) % 2 else "ArrowLeft")
        times.append(watched_ms(reader_element))
        wait_until_idle(page)
    return times


def print_quartiles(name: str, times: Sequence[float]) -> None:
    """Print the median and the quartiles of the times."""
    lower, median, upper = statistics.quantiles(times, n=4)
    print(f"{name}: median {median:.0f} ms (quartiles {lower:.0f} to {upper:.0f}, {len(times)} steps)")


def wait_for_columns(page: Page, reader_element: Locator) -> None:
    """Wait until every column has its chunks and the page is idle."""
    while not reader_element.evaluate("(root) => root.seamark?.ready"):
        time.sleep(0.2)
    wait_until_idle(page)
    time.sleep(1)  # do not measure what the browser does when idle
    page_totals = reader_element.evaluate(
        "({ seamark: { text, sentences, columns } }) => [text.length, sentences, columns.length]"
    )
    print(f"{page_totals[0]:,} characters, {page_totals[1]:,} sentences, {page_totals[2]} columns")


def open_page_and_find_reader(page: Page, address: str) -> Locator:
    """Open a page and wait until its reader has every column; return the reader."""
    page.goto(address)
    reader_element = page.locator(".seamark")
    reader_element.wait_for(timeout=MAX_MODEL_LOADING_MS)
    wait_for_columns(page, reader_element)
    return reader_element


# Counts from the event that is sent next to the second frame after it: by then what it changed has been painted.
REACTION_TIMER_SCRIPT = """(root) => {
  root.took = new Promise((resolve) => addEventListener(root.watched, ({ timeStamp }) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - timeStamp)));
  }, { capture: true, once: true }));
}"""


def reaction_ms(reader_element: Locator, event_reacted_to: str, function_causing_event: Callable[[], None]) -> float:
    """Return the milliseconds from the event that ``function_causing_event`` causes to the painted response."""
    reader_element.evaluate("(root, event) => (root.watched = event)", event_reacted_to)
    reader_element.evaluate(REACTION_TIMER_SCRIPT)
    function_causing_event()
    return watched_ms(reader_element)


def measure_pointer_and_scan_steps(page: Page, address: str, step_count: int) -> None:
    """Measure on the essay the response times to the pointer, over text and curve, and to a step of the scan."""
    reader_element = open_page_and_find_reader(
        page, f"{address}/breakpoints?document=essay&c1=breakpoint&c1.amount=80&view=steps&step=100"
    )
    page.get_by_role("heading", name="Gap 100").wait_for(timeout=MAX_MODEL_LOADING_MS)
    scan_step_times = [
        reaction_ms(reader_element, "keydown", lambda: page.keyboard.press("ArrowRight")) for _ in range(step_count)
    ]
    # The server hears of the last step, and may draw the text anew.
    wait_until_idle(page)
    plot_box = reader_element.locator(".plot").bounding_box()
    assert plot_box is not None
    x, y = plot_box["x"], plot_box["y"] + plot_box["height"] - 4
    curve_times = [
        reaction_ms(
            reader_element,
            "pointermove",
            partial(page.mouse.move, x + plot_box["width"] * (0.1 + 0.8 * place / step_count), y),
        )
        for place in range(step_count)
    ]
    first_shown_sentence_number = reader_element.evaluate("(root) => root.seamark.columns[0].top")
    sentence_pointer_times = []
    for number in range(step_count):
        sentence_element = reader_element.locator(f'.s[data-s="{first_shown_sentence_number + 2 + number % 6}"]').first
        sentence_box = sentence_element.bounding_box()
        assert sentence_box is not None
        sentence_pointer_times.append(
            reaction_ms(
                reader_element, "pointermove", partial(page.mouse.move, sentence_box["x"] + 12, sentence_box["y"] + 8)
            )
        )
    print_quartiles("pointer over a sentence to its gaps marked", sentence_pointer_times)
    print_quartiles("pointer over the curve to its sentences marked", curve_times)
    print_quartiles("step of the greedy scan to its sentences marked", scan_step_times)


# Counts from the next Enter to the second frame after every column shows what the question retrieves.
ANSWER_TIMER_SCRIPT = """(root) => {
  root.took = new Promise((resolve) => addEventListener("keydown", ({ timeStamp }) => {
    const look = () => {
      if (root.seamark.asking.state === "working") return requestAnimationFrame(look);
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - timeStamp)));
    };
    requestAnimationFrame(look);
  }, { capture: true, once: true }));
}"""

QUESTION_SUBJECTS = ("the tides", "birds", "salt", "bridges", "paper", "maps", "clocks")


def measure_questions(page: Page, reader_element: Locator, question_count: int, method: str) -> None:
    """Ask new questions about the essay by keyboard; print the time until all columns answer."""
    page.get_by_label("Chunks are ranked").select_option(method)
    wait_until_idle(page)
    times = []
    for question_number in range(-1, question_count):
        page.keyboard.press("/")
        page.keyboard.insert_text(
            f"What is said of {QUESTION_SUBJECTS[question_number % len(QUESTION_SUBJECTS)]} in place {question_number}, "
            f"ranked {method}?"
        )
        reader_element.evaluate(ANSWER_TIMER_SCRIPT)
        page.keyboard.press("Enter")
        took_ms = watched_ms(reader_element)
        if question_number >= 0:
            times.append(took_ms)
        else:
            # The first embeds the chunks.
            print(f"first question, {method}: {took_ms / 1000:.1f} s")
        wait_until_idle(page)
        page.locator(".text").first.focus()
    print_quartiles(f"Enter in a question ({method}) to every column's chunks marked", times)


def measure_questions_by_method(page: Page, address: str, question_count: int) -> Locator:
    """Measure questions about the essay in three columns; return its reader."""
    reader_element = open_page_and_find_reader(page, f"{address}/?document=essay")
    page.get_by_label("Ask your text").focus()
    for method in ("embedding", "hybrid", "bm25"):
        measure_questions(page, reader_element, question_count, method)
    return reader_element


# Counts from the paste that comes next to the second frame after the first chunk of its text is there, and after all are.
PASTE_TIMER_SCRIPT = """(root) => {
  const before = root.seamark.text;
  root.took = new Promise((resolve) => addEventListener("paste", ({ timeStamp }) => {
    let first;
    const after = (act) => requestAnimationFrame(() => requestAnimationFrame(() => act(performance.now() - timeStamp)));
    const look = () => {
      const { columns, ready, text } = root.seamark;
      if (text !== before && first === undefined && columns.some(({ blocks }) => blocks)) {
        first = null;
        after((passed) => { first = passed; });
      }
      if (text !== before && first && ready) after((passed) => resolve([first, passed]));
      else requestAnimationFrame(look);
    };
    look();
  }, { capture: true, once: true }));
}"""

PASTED_CHARACTER_COUNT = 10_000
"""Number of characters of the pasted texts."""


def measure_pastes(browser: Browser, address: str, paste_count: int) -> None:
    """Measure the time until a pasted text is cut in the three columns of the first page."""
    page = browser.new_page(viewport=VIEWPORT_SIZE, permissions=["clipboard-read", "clipboard-write"])
    page.goto(address)
    reader_element = page.locator(".seamark")
    reader_element.locator(".chunk").first.wait_for(timeout=MAX_MODEL_LOADING_MS)
    wait_for_columns(page, reader_element)
    times_per_paste: list[tuple[float, float]] = []
    for paste_number in range(paste_count):
        # With a unique number in every sentence, so that each is embedded.
        text = re.sub(r"\.(?=\s)", f" {paste_number}.", load_sample("essay").text)[:PASTED_CHARACTER_COUNT]
        page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
        reader_element.locator(".text").first.focus()
        reader_element.evaluate(PASTE_TIMER_SCRIPT)
        page.keyboard.press("Control+v")
        times_per_paste.append(reader_element.evaluate("(root) => root.took"))
        wait_until_idle(page)
    first_chunk_times, all_columns_times = zip(*times_per_paste, strict=True)
    print_quartiles(f"paste of {PASTED_CHARACTER_COUNT:,} characters to its first chunk painted", first_chunk_times)
    print_quartiles("to all columns painted, its sentences embedded", all_columns_times)
    page.close()


FOUR_COLUMNS_LINK = (
    "?sentences=spacy&c1=fixed_sentences&c2=recursive&c2.size=800&c3=breakpoint&c3.amount=70&c4=double_pass&selected=3"
)


def large_text(character_count: int) -> str:
    """Return the samples repeated to ``character_count`` characters, with sentences numbered so that each is embedded."""
    samples_text = "\n\n".join(load_sample(name).text for name in sample_titles())
    numbered_text_copies: list[str] = []
    while sum(map(len, numbered_text_copies)) < character_count:
        numbered_text_copies.append(re.sub(r"\.(?=\s)", f" {len(numbered_text_copies)}.", samples_text))
    return "\n\n".join(numbered_text_copies)[:character_count]


def open_page_with_large_text(browser: Browser, address: str, text: str) -> tuple[Page, Locator]:
    """Open a new session on ``text`` in four columns, and wait until all are complete."""
    page = browser.new_page(viewport=VIEWPORT_SIZE)
    page.goto(f"{address}/{FOUR_COLUMNS_LINK}")
    page.locator(".seamark .chunk").first.wait_for(timeout=MAX_MODEL_LOADING_MS)
    file_input = page.locator('[data-testid="stFileUploaderDropzoneInput"]')
    file_input.set_input_files({"name": "large.txt", "mimeType": "text/plain", "buffer": text.encode()})
    reader_element = page.locator(".seamark")
    page.get_by_role("heading", name="large.txt").wait_for(timeout=MAX_MODEL_LOADING_MS)
    wait_for_columns(page, reader_element)
    return page, reader_element


def measure_session_times_and_memory(
    browser: Browser, address: str, server: psutil.Process, key_press_count: int, characters: int
) -> None:
    """Measure two sessions on a text of ``characters`` characters, after an earlier session has embedded it."""
    text = large_text(characters)
    cache_warming_page, reader_element = open_page_with_large_text(browser, address, text)
    print_quartiles("line let go to text painted", drag_times(cache_warming_page, reader_element, key_press_count))
    print_quartiles("slider key to text painted", key_press_times(cache_warming_page, reader_element, key_press_count))
    cache_warming_page.close()
    # The cost of a session is what the second and the third add, since the first loads the model and embeds.
    memory_readings_mb = [resident_mb(server)]
    for _ in range(2):
        open_page_with_large_text(browser, address, text)
        memory_readings_mb.append(resident_mb(server))
    first_session_growth, second_session_memory_growth = (
        format_number(later - earlier, "+.0f") for earlier, later in pairwise(memory_readings_mb)
    )
    print(
        f"server: {memory_readings_mb[0]:.0f} MB before, {first_session_growth} MB with one session, "
        f"{second_session_memory_growth} MB with a second"
    )


def measure_session_beside_hostile_file(
    browser: Browser, address: str, key_press_count: int, only_file_description: str
) -> None:
    """Print the response time of a second session's slider while the first reads each hostile file."""
    page_reading_file = browser.new_page(viewport=VIEWPORT_SIZE)
    # A chunker that takes no time, since the reading is measured.
    page_reading_file.goto(f"{address}/?c1=fixed_characters")
    page_reading_file.locator(".seamark .chunk").first.wait_for(timeout=MAX_MODEL_LOADING_MS)
    file_input = page_reading_file.locator('[data-testid="stFileUploaderDropzoneInput"]')
    measured_page = browser.new_page(viewport=VIEWPORT_SIZE)
    reader_element = open_page_and_find_reader(measured_page, f"{address}/?document=essay")
    rows = [["nothing", *_format_times_as_cells(key_press_times(measured_page, reader_element, key_press_count))]]
    for file_description, make_file in ONCE_BLOCKING.items():
        if only_file_description not in file_description:
            continue
        name, file_bytes = make_file()
        file_input.set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": file_bytes})
        times = key_press_times(measured_page, reader_element, 5)
        while page_reading_file.get_by_text("Reading the file").is_visible():
            times += key_press_times(measured_page, reader_element, 1)
        wait_until_idle(page_reading_file)
        rows.append([file_description, *_format_times_as_cells(times)])
        print_progress(*rows[-1])
    print(markdown_table(["while this is read", "median, ms", "most, ms", "steps"], rows))


def _format_times_as_cells(times: list[float]) -> list[str]:
    return [f"{statistics.median(times):.0f}", f"{max(times):.0f}", str(len(times))]


@command_line_decorator_for_main(
    build_function_adding_option(
        "--steps", type=int, default=20, metavar="N", help="of each kind, at least 2 (default: 20)"
    ),
    build_function_adding_option(
        "--characters", type=int, default=1_000_000, metavar="N", help="of the large text (default: 1,000,000)"
    ),
    build_function_adding_option(
        "--only",
        dest="only_file_description",
        default="",
        metavar="WORDS",
        help="hostile files whose description has these words",
    ),
    build_function_adding_option(
        "--hostile",
        dest="measures_only_hostile_files",
        action="store_true",
        help="a second session's slider while hostile files are read",
    ),
    build_function_adding_option(
        "--ask", dest="measures_only_questions", action="store_true", help="questions to the essay alone"
    ),
)
def main(
    steps: int, characters: int, only_file_description: str, measures_only_hostile_files: bool, measures_only_questions: bool
) -> None:
    """Run the benchmark."""
    with app_server() as server, sync_playwright() as playwright, launch(playwright) as browser:
        address = server.url
        if measures_only_hostile_files:
            measure_session_beside_hostile_file(browser, address, steps, only_file_description)
            return
        page = browser.new_page(viewport=VIEWPORT_SIZE)
        if measures_only_questions:
            reader_element = measure_questions_by_method(page, address, steps)
            # Includes the time of a moved threshold in the same run, for comparison.
            page.keyboard.press("Escape")
            wait_until_idle(page)
            print_quartiles("slider key to text painted", key_press_times(page, reader_element, steps))
            return
        page.goto(address)
        page.locator(".seamark .chunk").first.wait_for(timeout=MAX_MODEL_LOADING_MS)
        print(f"first screen: {time.perf_counter() - server.began:.1f} s after the server's start")
        reader_element = open_page_and_find_reader(page, f"{address}/?document=essay")
        print_quartiles("line let go to text painted", drag_times(page, reader_element, steps))
        print_quartiles("slider key to text painted", key_press_times(page, reader_element, steps))
        print(reader_element.locator(".summary").text_content())
        measure_questions_by_method(page, address, steps)
        measure_pointer_and_scan_steps(page, address, steps)
        page.close()
        measure_pastes(browser, address, steps)
        measure_session_times_and_memory(browser, address, psutil.Process(server.pid), steps, characters)


if __name__ == "__main__":
    raise SystemExit(main())
