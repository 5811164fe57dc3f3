"""Layout shift of every page while it loads, on a server that has just started and on a warm one.

Run as ``python -m benchmarks.page_layout_shift [--size WIDTHxHEIGHT]... [--only PAGE]...``. It starts the app on a port of
its own and opens every page twice, each time in a browser that knows nothing of the one before; on the first round nothing
is embedded or drawn yet. The number is the browser's own, Cumulative Layout Shift as web.dev defines it: shifts less than a
second apart, within five seconds, make a window, and the window with the largest sum counts. Beside it stands what moved the
most in that window. The exit status is 1 where a page has more than 0.1.
"""

from collections.abc import Sequence

from playwright.sync_api import Browser, ViewportSize, sync_playwright

from benchmarks.harness import build_function_adding_option, command_line_decorator_for_main, markdown_table
from tests.fixtures.app_server import app_server, launch

LARGEST_GOOD_SHIFT = 0.1
"""The largest shift that web.dev calls good."""

LONGEST_PAUSE_S, LONGEST_WINDOW_S = 1.0, 5.0
"""Maximum seconds between two shifts of a window, and maximum seconds of a window."""

DRAWING_LIMIT_MS = 180_000
"""Maximum milliseconds until a page is drawn."""

QUIET_MS = 2500
"""Milliseconds without a change in the page, after which it counts as drawn."""

WINDOW_SIZES = ["1280x720", "400x800"]
"""Windows that are measured by default: a small laptop's and a phone's."""

PAGES = [
    "compare",
    "breakpoints",
    "double_pass",
    "clustering",
    "failures",
    "tune",
    "retrieval",
    "answers",
    "guide",
    "guide?view=path",
]

# Notes every shift that no key or click explains, with the element that moved over the largest area.
SHIFT_WATCH_SCRIPT = """(() => {
  window.shifts = [];
  const area = ({ previousRect: a, currentRect: b }) => Math.max(a.width * a.height, b.width * b.height);
  const named = (node) => node && (node.nodeType === 1 ? node : node.parentElement);
  const name = (node) => {
    const one = named(node);
    if (!one) return "";
    const around = one.closest("[class*=st-key-], [data-testid]");
    const key = [...(around?.classList ?? [])].find((word) => word.startsWith("st-key-"));
    return key ?? around?.dataset.testid ?? one.className ?? one.tagName;
  };
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) {
      if (shift.hadRecentInput) continue;
      const [first] = [...shift.sources].sort((one, other) => area(other) - area(one));
      window.shifts.push([shift.startTime / 1000, shift.value, name(first?.node)]);
    }
  }).observe({ type: "layout-shift", buffered: true });
})()"""

# Resolves once the script has run and nothing has changed for a while, inside components too.
DRAWN_SCRIPT = """(quiet) => new Promise((resolve) => {
  const ended = () => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning";
  const seen = new Set();
  let changed = performance.now();
  const observer = new MutationObserver(() => (changed = performance.now()));
  const look = () => {
    for (const host of [document, ...[...document.querySelectorAll("*")].map(({ shadowRoot }) => shadowRoot)])
      if (host && !seen.has(host)) {
        seen.add(host);
        observer.observe(host, { childList: true, subtree: true, attributes: true });
      }
    if (!ended()) changed = performance.now();
    if (performance.now() - changed > quiet) resolve(observer.disconnect());
    else setTimeout(look, 100);
  };
  look();
})"""


def worst_window_shift_and_element(shifts: Sequence[tuple[float, float, str]]) -> tuple[float, str]:
    """Return the sum of the worst window of ``shifts`` (seconds, share, element), and the element that moved most."""
    shift_windows: list[list[tuple[float, float, str]]] = []
    for shift in shifts:
        open_shift_window = shift_windows[-1] if shift_windows else []
        if (
            open_shift_window
            and shift[0] - open_shift_window[-1][0] < LONGEST_PAUSE_S
            and shift[0] - open_shift_window[0][0] < LONGEST_WINDOW_S
        ):
            open_shift_window.append(shift)
        else:
            shift_windows.append([shift])
    if not shift_windows:
        return 0.0, ""
    worst_shift_window = max(shift_windows, key=lambda window: sum(value for _, value, _ in window))
    return sum(value for _, value, _ in worst_shift_window), max(worst_shift_window, key=lambda shift: shift[1])[2]


def measure_shift_and_moved_element(browser: Browser, address: str, viewport_size: ViewportSize) -> tuple[float, str]:
    """Open a page as a new visitor, wait until it is drawn, and return its shift and the element that moved most."""
    with browser.new_page(viewport=viewport_size, service_workers="block") as page:
        page.set_default_timeout(DRAWING_LIMIT_MS)
        page.add_init_script(SHIFT_WATCH_SCRIPT)
        page.goto(address)
        page.locator("[data-testid=stApp]").wait_for()
        page.evaluate(DRAWN_SCRIPT, QUIET_MS)
        return worst_window_shift_and_element([tuple(shift) for shift in page.evaluate("shifts")])


def measure_pages(width: int, height: int, pages: Sequence[str]) -> list[list[str]]:
    """Return a table row for each page: its cold and warm shift, each with the element that moved most."""
    viewport_size: ViewportSize = {"width": width, "height": height}
    cells_by_page: dict[str, list[str]] = {name: [] for name in pages}
    with app_server() as server, sync_playwright() as playwright, launch(playwright) as browser:
        for _ in ("cold", "warm"):
            for name in pages:
                value, most_moved_element = measure_shift_and_moved_element(
                    browser, f"{server.url}/{name.removeprefix('compare')}", viewport_size
                )
                cells_by_page[name] += [f"{value:.3f}", most_moved_element]
    return [[f"{width}×{height}", name, *cells] for name, cells in cells_by_page.items()]


@command_line_decorator_for_main(
    build_function_adding_option(
        "--size",
        dest="window_sizes",
        action="append",
        metavar="WIDTHxHEIGHT",
        help=f"of the window, one or more (default: {' and '.join(WINDOW_SIZES)})",
    ),
    build_function_adding_option(
        "--only", action="append", metavar="PAGE", choices=PAGES, help="a page, one or more (default: all)"
    ),
)
def main(window_sizes: list[str] | None, only: list[str] | None) -> int:
    """Measure the pages and print a table; return 1 if a shift exceeds the limit."""
    rows = []
    for window_size in window_sizes or WINDOW_SIZES:
        width, _, window_height = window_size.partition("x")
        rows += measure_pages(int(width), int(window_height), only or PAGES)
    print(markdown_table(["window", "page", "cold", "what moved the most", "warm", "what moved the most"], rows))
    return 0 if all(float(row[place]) <= LARGEST_GOOD_SHIFT for row in rows for place in (2, 4)) else 1


if __name__ == "__main__":
    raise SystemExit(main())
