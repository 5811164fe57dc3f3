"""What a person does on the Breakpoints page, in a real browser."""

import pytest

from tests.browser.steps import chunks, embedded, until

PLAIN = "embedder=tfidf&document=report&c1=breakpoint&c1.amount=80"
READY = 60_000
SCRIPT_RESTS = "() => document.querySelector('[data-testid=stApp]').getAttribute('data-test-script-state') === 'notRunning'"


def open_page(page, url, query):
    """Open the page and wait until the text is cut and what stands beside it is drawn."""
    page.goto(f"{url}/breakpoints?{query}")
    page.locator(".seamark h1").wait_for(timeout=READY)
    embedded(page)
    return page.locator(".seamark")


@pytest.fixture
def stepping(page, app_url):
    root = open_page(page, app_url, f"{PLAIN}&view=steps&step=12")
    page.get_by_role("heading", name="Gap 12").wait_for()
    return root


@pytest.fixture
def ledger(page, app_url):
    open_page(page, app_url, f"{PLAIN}&view=gaps")
    page.locator(".row").first.wait_for()
    return page.locator(".ledger")


def marked(root, name):
    return root.evaluate(
        "(root, name) => [...root.querySelectorAll(`.s.${name}`)].map((span) => Number(span.dataset.s))", name
    )


def where(page):
    return page.locator(".where").inner_text()


def focus_is(page, selector):
    return page.evaluate(
        """(selector) => {
          let active = document.activeElement;
          while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
          return active?.matches(selector);
        }""",
        selector,
    )


def test_a_sentence_points_at_its_two_gaps_and_a_gap_at_its_two_sentences(page, app_url):
    root = open_page(page, app_url, PLAIN)
    root.locator('.s[data-s="2"]').hover()
    assert [ring.is_visible() for ring in root.locator(".ring").all()] == [True, True]
    assert root.locator(".said").inner_text().startswith("Sentence 3, between gap 2 ")
    box = root.locator(".plot").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
    gap = root.evaluate("(root) => root.reader.axis.plot.gap")
    assert marked(root, "near") == [gap, gap + 1]
    assert root.locator(".ring:visible").count() == 1


def test_the_line_cuts_while_it_moves_and_the_figures_follow(page, app_url):
    root = open_page(page, app_url, PLAIN)
    page.get_by_text("now 80").wait_for()
    before = len(chunks(root, 0))
    box = root.locator(".line").bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 100, box["y"] + 60, steps=4)
    until(page, "(reader) => reader.columns[0].previewed")
    assert len(chunks(root, 0)) > before
    page.mouse.up()
    embedded(page)
    page.get_by_text("now 80").wait_for(state="detached")
    assert "c1.amount=" in page.url


def test_steps_go_by_key_button_and_number_and_the_link_follows(page, stepping):
    assert where(page) == "step 12 of 332"
    page.keyboard.press("ArrowRight")
    assert where(page) == "step 13 of 332"
    assert marked(stepping, "next") == [13]
    assert marked(stepping, "growing")[-1] == 12
    assert stepping.locator(".ring:visible").count() == 1
    page.wait_for_url("**step=13**")
    page.get_by_role("button", name="Step back").click()
    assert where(page) == "step 12 of 332"
    field = page.get_by_label("to step")
    field.fill("300")
    field.press("Enter")
    assert where(page) == "step 300 of 332"
    assert marked(stepping, "next") == [300]
    # Arrows in the field are the field's own.
    field.press("ArrowLeft")
    assert where(page) == "step 300 of 332"
    page.get_by_role("button", name="Last step").click()
    assert page.get_by_role("button", name="Step forward").is_disabled()
    # The focus does not fall off a button that has nowhere to go.
    assert focus_is(page, ".play")
    page.wait_for_url("**step=332**")
    page.reload()
    page.get_by_text("step 332 of 332").wait_for()


def test_it_plays_and_pauses(page, stepping):
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause").wait_for()
    page.get_by_text("step 14 of 332").wait_for()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Play").wait_for()


def test_the_curve_leads_the_stepper(page, stepping):
    stepping.locator(".plot").focus()
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert where(page) == "step 3 of 332"
    box = stepping.locator(".plot").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.75, box["y"] + 110)
    assert int(where(page).split()[1]) == pytest.approx(249, abs=2)


def test_a_cut_says_what_the_best_partition_did(page, stepping):
    cut = stepping.evaluate("""(root) => {
      const { curve } = root.reader.axis.plot;
      return curve.data.scores.findIndex((_, gap) => curve.verdicts[gap].name === "cut");
    }""")
    field = page.get_by_label("to step")
    field.fill(str(cut + 1))
    field.press("Enter")
    page.locator(".told").get_by_text("With the whole text in view, “optimal” ").wait_for()
    assert "greed" in page.locator(".told").inner_text()
    assert page.locator(".told.cut, .told.turn").count() == 1


def test_a_row_leads_to_the_text_and_the_text_to_its_row(page, ledger):
    root = page.locator(".seamark")
    ledger.locator(".rows").focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    assert marked(root, "growing") == [331]
    assert marked(root, "next") == [332]
    top = root.evaluate("(root) => root.reader.columns[0].topmost().sentence")
    assert top > 300
    root.locator('.s[data-s="331"]').click()
    assert ledger.locator(".row.chosen").get_attribute("id") == "gap-331"
    root.evaluate("(root) => root.reader.jump(100)")
    root.locator('.s[data-s="100"]').click()
    assert ledger.locator(".row.chosen").get_attribute("id") == "gap-100"
    assert ledger.locator(".row.chosen").is_visible()
    # Of the 332 rows only those in sight are there.
    assert ledger.locator(".row").count() < 60


def test_the_ledger_sorts_and_sifts(page, ledger):
    ledger.get_by_role("button", name="distance").click()
    first = ledger.locator(".row").first.inner_text().split()
    assert ledger.locator('[aria-sort="ascending"]').inner_text().strip().startswith("distance")
    ledger.get_by_role("button", name="distance").click()
    last = ledger.locator(".row").first.inner_text().split()
    assert float(first[1]) < float(last[1])
    ledger.get_by_label("Show gaps that are").select_option("near")
    near = ledger.locator(".row").count()
    assert near == ledger.locator(".row.near").count() > 0
    margin = page.get_by_role("spinbutton", name="Near the line is within")
    margin.fill("0")
    margin.press("Enter")
    page.wait_for_url("**margin=0**")
    ledger.get_by_text("No gap is like that.").wait_for()
    ledger.get_by_label("Show gaps that are").select_option("")
    ledger.get_by_label("Show gaps with these words").fill("harbour")
    assert ledger.locator(".row").count() > 0
    assert " of 332 gaps" in ledger.locator(".counted").inner_text()


def test_candidates_that_are_not_final_are_named(page, app_url):
    open_page(page, app_url, f"{PLAIN}&c1.min_size=200&c1.max_size=600&view=gaps")
    ledger = page.locator(".ledger")
    ledger.get_by_label("Show gaps that are").locator("option", has_text="candidate, rejected").wait_for(state="attached")
    ledger.get_by_label("Show gaps that are").select_option(label=ledger.locator("option", has_text="forced").inner_text())
    assert ledger.locator(".row").first.inner_text().count("◆") == 1
    assert "above maximum size 600" in ledger.locator(".row").first.inner_text()


def test_figures_have_tables_and_downloads(page, app_url):
    open_page(page, app_url, PLAIN)
    page.get_by_text("Histogram: table and downloads").click()
    page.locator('[data-testid="stDataFrame"]').first.wait_for()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download as HTML").first.click()
    html = saved.value.path().read_text(encoding="utf-8")
    assert saved.value.suggested_filename == "seamark-histogram.html"
    assert "Plotly.newPlot" in html
    assert 'src="https://' not in html
    camera = page.locator('.modebar-btn[data-title*="ownload"]').first
    for chosen, begins in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        page.get_by_role("radio", name=chosen).first.click()
        # The figure is drawn anew with the other format.
        page.wait_for_function(SCRIPT_RESTS)
        page.locator(".js-plotly-plot").first.hover()
        with page.expect_download() as saved:
            camera.click()
        assert saved.value.suggested_filename == f"seamark-histogram.{chosen.lower()}"
        assert saved.value.path().read_bytes().startswith(begins)


@pytest.mark.parametrize("width", [800, 400])
@pytest.mark.parametrize(("scheme", "view"), [("light", "gaps"), ("dark", "steps")])
def test_in_a_narrow_window_what_is_beside_follows_below_the_text(browser, app_url, width, scheme, view):
    page = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 1000}).new_page()
    root = open_page(page, app_url, f"{PLAIN}&view={view}")
    assert root.get_attribute("data-theme") == scheme
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    text, beside = root.locator(".text").bounding_box(), page.locator(".st-key-beside").bounding_box()
    assert beside["y"] >= text["y"] + text["height"]
    # The text leaves room for what follows it: both are in sight at once.
    assert text["height"] <= 500
    page.context.close()
