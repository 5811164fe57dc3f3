"""The Breakpoints page in a real browser."""

import itertools
import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import at_rest, box_of, chunks, embedded, eventually, marked, read, until
from tests.lanes import mostly_full

FRAMES = "async () => { for (let left = 8; left; left--) await new Promise((next) => requestAnimationFrame(next)); }"

PLAIN = "embedder=tfidf&document=report&c1=breakpoint&c1.amount=80"

# The format in which the camera of a figure saves it.
FORMAT = "(plot) => plot._context?.toImageButtonOptions.format"


def open_breakpoints(page, url, query):
    """Open the page and wait until the text is cut and what stands beside it is drawn."""
    page.goto(f"{url}/breakpoints?{query}")
    embedded(page)
    return page.locator(".seamark")


@pytest.fixture(scope="module")
def opened(kept_page, app_url):
    return open_breakpoints(kept_page, app_url, f"{PLAIN}&view=steps&step=12")


@pytest.fixture
def stepping(kept_page, opened):
    """The page at step 12, paused."""
    field = kept_page.get_by_label("to step")
    field.fill("12")
    field.press("Enter")
    kept_page.get_by_role("heading", name="Gap 12").wait_for()
    kept_page.wait_for_url("**step=12**")
    at_rest(kept_page)
    field.blur()
    return opened


def marks(root, name, sentences):
    """Wait until these sentences, and no others, carry the mark."""
    eventually(lambda: marked(root, name), sentences)


def stands_at(page, step):
    """Wait until the stepper stands at the step."""
    expect(page.locator(".where")).to_have_text(f"step {step} of 332")


def has_focus(page, selector):
    """Wait until what has the focus is of the selector."""
    active = """(selector) => {
      let active = document.activeElement;
      while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
      return active?.matches(selector);
    }"""
    page.wait_for_function(active, arg=selector)


def words(row):
    return row.inner_text().split()


@pytest.mark.full
def test_sentences_and_gaps_point_at_each_other_and_the_line_cuts_while_it_moves(page, app_url):
    root = open_breakpoints(page, app_url, PLAIN)
    root.locator('.s[data-s="2"]').hover()
    expect(root.locator(".ring").filter(visible=True)).to_have_count(2)
    expect(root.locator(".said")).to_have_text(re.compile("^Sentence 3, between gap 2 "))
    plot = root.locator(".plot")
    plot.hover(position={"x": plot.bounding_box()["width"] / 2, "y": plot.bounding_box()["height"] - 4})
    gap = eventually(lambda: read(root, "({ gap }) => gap"), lambda gap: gap is not None)
    marks(root, "near", [gap, gap + 1])
    expect(root.locator(".ring").filter(visible=True)).to_have_count(1)
    # The line cuts while it moves, and the figures follow.
    page.get_by_text("now 80").wait_for()
    before = len(chunks(root, 0))
    line = root.locator(".line")
    line.hover(position={"x": 100, "y": 10})
    box = line.bounding_box()
    page.mouse.down()
    page.mouse.move(box["x"] + 100, box["y"] + 40, steps=4)
    until(root, "({ columns }) => columns[0].previewed")
    eventually(lambda: len(chunks(root, 0)), lambda count: count > before)
    page.mouse.up()
    embedded(page)
    page.get_by_text("now 80").wait_for(state="detached")
    page.wait_for_url(re.compile(r"c1\.amount=(?!80(&|$))"))


@pytest.mark.full
@pytest.mark.parametrize("apart", mostly_full([30, 150, 250, 400], [150]))
def test_no_key_press_on_the_line_is_lost_or_undone(page, app_url, apart):
    root = open_breakpoints(page, app_url, f"{PLAIN}&view=gaps")
    line = root.locator(".line")
    stops = [float(line.get_attribute("aria-valuenow"))]
    line.focus()
    for _ in range(12):
        page.keyboard.press("ArrowDown", delay=apart)
        stops.append(float(line.get_attribute("aria-valuenow")))
    steps = {round(before - after, 3) for before, after in itertools.pairwise(stops)}
    assert len(steps) == 1, stops
    assert steps.pop() > 0
    page.wait_for_url(re.compile(f"c1\\.amount={stops[-1]:g}(&|$)"))
    embedded(page)
    assert float(line.get_attribute("aria-valuenow")) == stops[-1]


@pytest.mark.full
def test_steps_go_by_key_button_and_number_and_the_link_follows(kept_page, stepping):
    page = kept_page
    stands_at(page, 12)
    page.keyboard.press("ArrowRight")
    stands_at(page, 13)
    marks(stepping, "next", [13])
    eventually(lambda: marked(stepping, "growing")[-1:], [12])
    expect(stepping.locator(".ring").filter(visible=True)).to_have_count(1)
    page.wait_for_url("**step=13**")
    page.get_by_role("button", name="Step back").click()
    stands_at(page, 12)
    field = page.get_by_label("to step")
    field.fill("300")
    field.press("Enter")
    stands_at(page, 300)
    marks(stepping, "next", [300])
    # Arrows in the field are the field's own.
    field.press("ArrowLeft")
    stands_at(page, 300)
    page.get_by_role("button", name="Last step").click()
    expect(page.get_by_role("button", name="Step forward")).to_be_disabled()
    # The focus does not fall off a button that has nowhere to go.
    has_focus(page, ".play")
    page.wait_for_url("**step=332**")
    page.reload()
    page.get_by_text("step 332 of 332").wait_for()
    embedded(page)


@pytest.mark.full
def test_it_plays_and_pauses(kept_page, stepping):
    page = kept_page
    stepper = page.locator(".stepper")
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause").wait_for()
    until(stepper, "({ step, playing }) => playing && step >= 14")
    page.keyboard.press("Space")
    page.get_by_role("button", name="Play").wait_for()
    until(stepper, "({ playing }) => !playing")


def test_the_curve_leads_the_stepper(kept_page, stepping):
    page = kept_page
    plot = stepping.locator(".plot")
    plot.focus()
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    stands_at(page, 3)
    plot.click(position={"x": plot.bounding_box()["width"] * 0.75, "y": plot.bounding_box()["height"] - 4})
    eventually(lambda: read(page.locator(".stepper"), "({ step }) => step"), pytest.approx(249, abs=2))


def test_a_cut_says_what_the_best_partition_did(kept_page, stepping):
    page = kept_page
    # The step of a gap has its number, which is that of the last sentence before it.
    cut = read(stepping, "({ columns }) => columns[0].cuts[0]")
    field = page.get_by_label("to step")
    field.fill(str(cut))
    field.press("Enter")
    told = page.locator(".told")
    expect(told).to_contain_text("With the whole text in view, “optimal” ")
    expect(told).to_contain_text("eciding gap by gap")
    expect(told).to_have_class(re.compile(r"\b(cut|turn)\b"))


@pytest.mark.full
def test_a_row_says_what_would_change_its_verdict_and_the_button_shows_it_over_the_text(page, app_url):
    root = open_breakpoints(page, app_url, "document=article&view=gaps")
    ledger, preview = page.locator(".ledger"), root.get_by_role("group", name="Preview")
    ledger.locator("#gap-4").click()
    would = ledger.get_by_role("button", name="percentile 56.5 would cut here")
    expect(root.get_by_role("region", name="verdict")).to_contain_text("0.73 ≤ 0.76")
    would.focus()
    page.keyboard.press("Enter")
    expect(preview).to_contain_text("4 other places change: ▼ 4 cuts added")
    expect(root.locator(".strip .previewed-cuts")).to_have_count(2)
    expect(preview.get_by_role("button", name="Apply")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**c1.amount=56.5**")
    expect(ledger.get_by_role("button", name="percentile 57 would keep it")).to_be_visible()
    root.get_by_role("button", name="Undo").click()
    expect(would).to_be_visible()


@pytest.mark.full
def test_a_row_leads_to_the_text_and_the_text_to_its_row_and_the_ledger_sorts_and_sifts(page, app_url):
    root = open_breakpoints(page, app_url, f"{PLAIN}&view=gaps")
    ledger = page.locator(".ledger")
    ledger.locator(".row").first.wait_for()
    ledger.locator(".rows").focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    marks(root, "growing", [331])
    marks(root, "next", [332])
    eventually(lambda: read(root, "({ columns }) => columns[0].top"), lambda top: top > 300)
    chosen = ledger.locator(".row.chosen")
    expect(chosen).to_have_id("gap-331")
    # When the verdict has arrived, the text scrolls for some frames, to keep the gap in sight below the taller card.
    expect(root.locator(".dispute .reason")).not_to_be_empty()
    page.evaluate(FRAMES)
    root.locator('.s[data-s="331"]').click()
    expect(chosen).to_have_id("gap-331")
    far = root.locator('.s[data-s="100"]')
    far.scroll_into_view_if_needed()
    # What comes into view gets its real height some frames later.
    page.evaluate(FRAMES)
    far.click()
    expect(chosen).to_have_id("gap-100")
    expect(chosen).to_be_in_viewport()
    # Of the 332 rows only those in sight are there.
    assert ledger.locator(".row").count() < 60
    rows = ledger.locator(".row")
    score = ledger.get_by_role("columnheader", name="distance")
    score.get_by_role("button").click()
    expect(score).to_have_attribute("aria-sort", "ascending")
    first = float(words(rows.first)[1])
    score.get_by_role("button").click()
    expect(score).to_have_attribute("aria-sort", "descending")
    eventually(lambda: float(words(rows.first)[1]), lambda last: last > first)
    shown = ledger.get_by_label("Show gaps that are")
    shown.select_option("near")
    eventually(lambda: (rows.count(), ledger.locator(".row.near").count()), lambda counts: counts[0] == counts[1] > 0)
    margin = page.get_by_role("spinbutton", name="Near-threshold margin", exact=True)
    margin.fill("0")
    margin.press("Enter")
    page.wait_for_url("**margin=0**")
    ledger.get_by_text("No gap matches.").wait_for()
    shown.select_option("")
    ledger.get_by_label("Show gaps with these words").fill("harbour")
    expect(ledger.locator(".counted")).to_contain_text(" of 332 gaps")
    expect(rows).not_to_have_count(0)


HOLD_FRAMES = """(() => {
  const next = window.requestAnimationFrame.bind(window);
  let held = null;
  window.requestAnimationFrame = (callback) => (held ? held.push(callback) : next(callback));
  window.holdFrames = () => void (held = []);
  window.releaseFrames = () => { const all = held; held = null; for (const callback of all) next(callback); };
})()"""


@pytest.mark.full
def test_who_scrolls_right_after_a_jump_is_not_scrolled_back(open_page, app_url):
    page = open_page(alone=True)
    page.add_init_script(HOLD_FRAMES)
    text = open_breakpoints(page, app_url, f"{PLAIN}&view=gaps").locator(".text").first
    rows = page.locator(".ledger .rows")
    rows.focus()
    page.keyboard.press("End")
    text.hover()
    # On a busy machine the frames in which the jump keeps its sentence in sight take long.
    page.evaluate("() => window.holdFrames()")
    page.keyboard.press("Enter")
    eventually(lambda: text.evaluate("(pane) => pane.scrollTop"), lambda top: top > 0)
    page.mouse.wheel(0, -1_000_000)
    eventually(lambda: text.evaluate("(pane) => pane.scrollTop"), 0)
    page.evaluate("() => window.releaseFrames()")
    page.evaluate(FRAMES)
    assert text.evaluate("(pane) => pane.scrollTop") == 0


@pytest.mark.full
def test_candidates_that_are_not_final_are_named(page, app_url):
    open_breakpoints(page, app_url, f"{PLAIN}&c1.min_size=200&c1.max_size=600&view=gaps")
    ledger = page.locator(".ledger")
    shown = ledger.get_by_label("Show gaps that are")
    shown.locator("option", has_text="candidate, rejected").wait_for(state="attached")
    shown.select_option(label=shown.locator("option", has_text="forced").inner_text())
    row = ledger.locator(".row").first
    expect(row).to_contain_text("above maximum size 600")
    eventually(lambda: row.inner_text().count("◆"), 1)


@pytest.mark.full
def test_figures_have_tables_and_downloads(page, app_url):
    open_breakpoints(page, app_url, PLAIN)
    page.get_by_text("Histogram: data").click()
    page.locator('[data-testid="stDataFrame"]').first.wait_for()
    with page.expect_download() as saved:
        # Not a click: the table above the button is still growing.
        page.get_by_role("button", name="Download as HTML").first.press("Enter")
    html = saved.value.path().read_text(encoding="utf-8")
    assert re.fullmatch(r"seamark-histogram-[0-9a-f]{12}\.html", saved.value.suggested_filename)
    assert "Plotly.newPlot" in html
    assert 'src="https://' not in html
    camera = page.locator('.modebar-btn[data-title*="ownload"]').first
    for chosen, begins in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        page.get_by_role("radio", name=chosen).first.click()
        # The figure is drawn anew with the other format.
        figure, form = page.locator(".js-plotly-plot").first, chosen.lower()
        eventually(lambda figure=figure: figure.evaluate(FORMAT), lambda drawn, form=form: drawn == form)
        at_rest(page)
        figure.hover()
        with page.expect_download() as saved:
            camera.click()
        assert saved.value.suggested_filename == f"seamark-histogram.{form}"
        assert saved.value.path().read_bytes().startswith(begins)


@pytest.mark.parametrize("width", mostly_full([800, 400], [400]))
@pytest.mark.parametrize(("scheme", "view"), mostly_full([("light", "gaps"), ("dark", "steps")], [("dark", "steps")]))
def test_in_a_narrow_window_what_is_beside_follows_below_the_text(open_page, app_url, width, scheme, view):
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 1000})
    root = open_breakpoints(page, app_url, f"{PLAIN}&view={view}")
    expect(root).to_have_attribute("data-theme", scheme)
    text, beside = root.locator(".text"), page.locator(".st-key-beside")
    page.locator(".ledger .row, .told h2").first.wait_for()
    eventually(lambda: page.evaluate("document.documentElement.scrollWidth"), lambda wide: wide <= width)
    # The text leaves room for what follows it: both are in sight at once.
    eventually(lambda: box_of(text)["height"], lambda height: height <= 500)
    body = text.bounding_box()
    assert beside.bounding_box()["y"] >= body["y"] + body["height"]


@pytest.mark.full
def test_max_min_is_stepped_through_with_the_sentence_that_decides(page, app_url):
    query = "embedder=tfidf&document=report&c1=max_min&c1.hard_threshold=0.3&view=steps"
    root = open_breakpoints(page, app_url, query)
    told, steps = page.locator(".told"), page.locator(".stepper")
    expect(told).to_contain_text("The open chunk is sentence 1 alone")
    marks(root, "growing", [0])
    marks(root, "middle", [])
    # The keys are the stepper's, until a chunk has two sentences; then one of them is most like the next.
    for step in range(2, 30):
        page.keyboard.press("ArrowRight")
        stands_at(page, step)
        if "most like sentence" in told.inner_text():
            break
    match = re.search(r"is sentences (\d+) to (\d+); most like sentence (\d+) is sentence (\d+), which", told.inner_text())
    first, last, candidate, nearest = map(int, match.groups())
    assert candidate == last + 1 == read(steps, "({ step }) => step") + 1
    # A sentence has one mark: the nearest is not shaded like the rest of the chunk.
    marks(root, "growing", [sentence for sentence in range(first - 1, last) if sentence != nearest - 1])
    marks(root, "next", [last])
    marks(root, "middle", [nearest - 1])
    expect(told).to_contain_text("× σ(1) ×")
    # Back to the step before, and on to the last by the field.
    page.keyboard.press("ArrowLeft")
    stands_at(page, last - 1)
    field = page.get_by_label("to step")
    field.fill("332")
    field.press("Enter")
    stands_at(page, 332)
    # The other chunker is a choice away, with its histogram.
    page.get_by_label("Chunker", exact=True).first.click()
    page.get_by_role("option", name="Breakpoint").click()
    page.get_by_role("radio", name="Scores").wait_for()
