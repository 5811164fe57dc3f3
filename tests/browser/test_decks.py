"""Lectures in a real browser: by keyboard alone, on a projector, and readable from the back of the room."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, at_rest, embedded, eventually, paste, read, until
from tests.lanes import mostly_full
from viz.state.lecture_decks import REVEALING_SCENE_PART, bundled_decks

PROJECTOR = {"width": 1280, "height": 720}
MOST_PRESSES = 150

ERRORS = """() => [...document.querySelectorAll("*")].flatMap(({ shadowRoot }) =>
  [...(shadowRoot?.querySelectorAll("p.error") ?? [])])
  .filter((node) => node.checkVisibility()).map((node) => node.textContent)"""
"""The notices of errors in sight."""

SMALL_TYPE = """() => {
  const small = [];
  const look = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) look(node.shadowRoot);
      const hasText = [...node.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim());
      if (hasText && node.tagName !== "STYLE") {
        const { width, height, top, bottom } = node.getBoundingClientRect();
        const isSeen = width > 2 && height > 2 && bottom > 0 && top < innerHeight;
        if (!isSeen || !node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        const drawn = node.ownerSVGElement ? node.getScreenCTM().d : 1;
        const size = parseFloat(getComputedStyle(node).fontSize) * drawn;
        if (size < 21.9) small.push(`${size.toFixed(1)} px: ${node.textContent.trim().slice(0, 40)}`);
      }
    }
  };
  look(document.querySelector("[data-testid=stMain]"));
  return small;
}"""
"""Type of the page that is smaller than 22 pixels, those of drawings included."""

BEYOND = """(at) => {
  const main = document.querySelector("[data-testid=stMain]");
  const beside = document.querySelector("[data-testid=stColumn]:has([class*=st-key-beside])") ?? main;
  // Heights are whole pixels: a column of a fractional height that shows everything seems to hide one.
  if (!at) return Math.max(main.scrollHeight - main.clientHeight, beside.scrollHeight - beside.clientHeight - 1);
  const { top, bottom } = document.querySelector(`.st-key-${at}`).getBoundingClientRect();
  return Math.max(0, -top, bottom - main.getBoundingClientRect().bottom);
}"""
"""The number of pixels of a scene, its steps or the container it scrolls to that lie outside the window."""

NOTE_DRAWN_TYPE = """(() => {
  const drawn = (window.typeDrawn = new Map());
  const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (left, top, width, height) {
    // A curve in larger type has fewer ticks: those of the drawing before are gone with it.
    if (left <= 0 && top <= 0 && width >= this.canvas.width && height >= this.canvas.height)
      for (const [text, { canvas }] of drawn) if (canvas === this.canvas) drawn.delete(text);
    return clearRect.call(this, left, top, width, height);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    const size = parseFloat(this.font.match(/[\\d.]+(?=px)/)) * this.getTransform().d;
    if (text) drawn.set(text, { canvas: this.canvas, size });
    return fillText.call(this, text, ...rest);
  };
})()"""
"""Notes the font size of each text that is on a canvas, until the canvas is cleared."""

DRAWN_TYPE = """(at) => [...window.typeDrawn].flatMap(([text, { canvas, size }]) => {
  const { top, bottom, height } = canvas.getBoundingClientRect();
  if (at && !canvas.closest(`.st-key-${at}`)) return [];
  const isSeen = height > 0 && bottom > 0 && top < innerHeight && canvas.checkVisibility({ visibilityProperty: true });
  return isSeen ? [[text, size * height / canvas.height]] : [];
})"""
"""Texts on visible canvases, or only on those in a scene's place, each with its size in pixels."""

SMALLEST = """(deck) => Math.min(...[...deck.querySelectorAll("*")]
  .filter(({ childNodes }) => [...childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()))
  .map((node) => parseFloat(getComputedStyle(node).fontSize)))"""


def opened(page, url, query):
    page.goto(f"{url}/?{query}")
    page.locator(".deck .words").wait_for(timeout=READY)
    arrived(page)
    return page.locator(".deck-root")


def arrived(page):
    """Wait until the scene's page is drawn."""
    eventually(lambda: read(page.locator(".deck-root"), "({ waiting }) => waiting"), False, READY)
    at_rest(page)
    if page.locator(".seamark").count():
        embedded(page)


def shown(bar):
    return read(bar, "({ scene, part }) => [scene, part]")


@pytest.mark.full
@pytest.mark.parametrize("name", mostly_full([*bundled_decks()], ["ten-minutes"]))
def test_a_lecture_is_given_by_page_down_alone(open_page, app_url, name):
    page, deck = open_page(viewport=PROJECTOR), bundled_decks()[name]
    bar = opened(page, app_url, f"deck={name}")
    seen = [shown(bar)]
    for _ in range(MOST_PRESSES):
        place, part = shown(bar)
        scene = deck.scenes[int(place.split("/")[1]) - 1]
        expect(page.locator(".deck .words")).to_have_text(scene.words_by_shown_part[part])
        if page.get_by_role("button", name="Next (Page Down)").is_disabled():
            break
        step = page.locator(".stepper")
        if scene.until is not None and part == REVEALING_SCENE_PART:
            until(step, "({ step }) => step")
        before = [place, part, read(step, "({ step, asks }) => [step, asks]") if step.count() else None]
        page.keyboard.press("PageDown")
        eventually(
            lambda step=step: [*shown(bar), read(step, "({ step, asks }) => [step, asks]") if step.count() else None],
            lambda now, before=before: now != before,
        )
        if shown(bar)[0] != place:
            if scene.until is not None:
                assert before[2][0] == scene.until, "the steps of the scene are done"
            arrived(page)
            assert page.evaluate(ERRORS) == []
        if shown(bar) != seen[-1]:
            seen.append(shown(bar))
            reader = page.locator(".seamark")
            if reader.count() and deck.scenes[int(seen[-1][0].split("/")[1]) - 1].hides:
                hidden = seen[-1][1] in ("prepare", "predict")
                eventually(lambda reader=reader: "covered" in reader.get_attribute("class").split(), hidden)
            if (at := deck.scenes[int(seen[-1][0].split("/")[1]) - 1].at) and seen[-1][1] == REVEALING_SCENE_PART:
                expect(page.locator(f".st-key-{at}")).to_be_in_viewport(ratio=0.9)
            if deck.scenes[int(seen[-1][0].split("/")[1]) - 1].ask and seen[-1][1] == REVEALING_SCENE_PART:
                until(reader, "({ asking }) => asking.state === 'done'")
    parts = [[f"{name}/{number}", part] for number, scene in enumerate(deck.scenes, 1) for part in scene.words_by_shown_part]
    assert seen == parts


@pytest.mark.full
def test_what_a_scene_shows_comes_into_view_even_if_it_is_drawn_later(open_page, app_url):
    page = open_page(viewport=PROJECTOR)
    page.goto(f"{app_url}/?deck=ten-minutes&scene=8")
    page.locator(".deck .words").wait_for(timeout=READY)
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    eventually(lambda: shown(page.locator(".deck-root")), ["ten-minutes/8", "see"])
    expect(page.locator(".st-key-retrieval_summary")).to_be_in_viewport(ratio=0.9, timeout=READY)


@pytest.mark.full
def test_page_up_goes_back_to_the_last_part_of_the_scene_before(open_page, app_url):
    page = open_page(viewport=PROJECTOR)
    bar = opened(page, app_url, "deck=ten-minutes&scene=3")
    page.keyboard.press("PageUp")
    eventually(lambda: shown(bar), ["ten-minutes/2", "explain"])
    arrived(page)
    page.wait_for_url("**document=three_topics**scene=2")
    expect(page.locator(".seamark h1")).to_have_text("Three unequal topics")
    page.get_by_role("button", name="Leave the lecture").click()
    expect(page.locator(".deck")).to_be_hidden()
    page.wait_for_url("**lecture=1")
    assert "deck" not in page.url


def test_b_blanks_the_screen_and_a_typed_b_does_not(open_page, app_url):
    page = open_page(viewport=PROJECTOR)
    opened(page, app_url, "deck=ten-minutes&scene=3")
    embedded(page)
    blank = page.get_by_role("dialog", name="The screen is blank")
    page.keyboard.press("b")
    expect(blank).to_be_visible()
    page.keyboard.press("PageDown")
    expect(blank).to_be_hidden()
    expect(page.locator(".deck [aria-current]")).to_have_text("Prepare")
    page.keyboard.press("/")
    page.keyboard.type("b")
    expect(page.get_by_role("textbox", name="Ask your text")).to_have_value("b")
    expect(blank).to_be_hidden()


@pytest.mark.parametrize("width", mostly_full([1280, 1920], [1280]))
def test_the_bar_is_readable_and_covers_nothing(open_page, app_url, width):
    page = open_page(viewport={"width": width, "height": width * 9 // 16}, alone=True)
    page.add_init_script(NOTE_DRAWN_TYPE)
    opened(page, app_url, "deck=ten-minutes&scene=3")
    deck = page.locator(".deck")
    assert deck.evaluate(SMALLEST) >= 22
    assert page.get_by_test_id("stMain").bounding_box()["height"] <= deck.bounding_box()["y"]
    whole_and_large(page)
    words = page.locator(".deck .words")
    for _ in range(3):
        page.keyboard.press("PageDown")
        assert words.evaluate("(node) => node.scrollHeight <= node.clientHeight"), words.text_content()


def whole_and_large(page, at=""):
    eventually(lambda: page.evaluate(BEYOND, at), 0)
    eventually(lambda: page.evaluate(SMALL_TYPE), [])
    eventually(lambda: [(text, size) for text, size in page.evaluate(DRAWN_TYPE, at) if size < 21.9], [])


@pytest.mark.full
@pytest.mark.parametrize("width", [1280, 1920])
@pytest.mark.parametrize("name", [*bundled_decks()])
def test_a_scene_is_whole_without_scrolling_and_its_type_is_large(open_page, app_url, name, width):
    page = open_page(viewport={"width": width, "height": width * 9 // 16}, alone=True)
    page.add_init_script(NOTE_DRAWN_TYPE)
    measured = False
    for number, scene in enumerate(bundled_decks()[name].scenes, 1):
        bar = opened(page, app_url, f"deck={name}&scene={number}")
        if scene.at:
            page.locator(f".st-key-{scene.at} dl").wait_for(timeout=READY)
        for _ in range(MOST_PRESSES):
            part = shown(bar)[1]
            if part in (REVEALING_SCENE_PART, "explain"):
                whole_and_large(page, scene.at)
                measured |= bool(page.evaluate(DRAWN_TYPE, scene.at))
            if part == "explain":
                break
            page.keyboard.press("PageDown")
            at_rest(page)
        assert shown(bar) == [f"{name}/{number}", "explain"]
    assert measured == (name in {"ten-minutes", "encores", "semantic"}), "the lectures with a curve or a heatmap"


@pytest.mark.full
def test_an_unknown_lecture_is_named(open_page, app_url):
    page = open_page(viewport=PROJECTOR)
    page.goto(f"{app_url}/?deck=nothing&embedder=tfidf")
    expect(page.get_by_text("The link's deck must be one of ten-minutes")).to_be_visible(timeout=READY)


def added(page, **words):
    """Add the page to one's own lecture by the key and the keyboard."""
    page.keyboard.press("s")
    form = page.get_by_role("dialog", name="Add to my lecture")
    for name, text in words.items():
        form.get_by_role("textbox", name=name).fill(text)
    form.get_by_role("button", name="Add", exact=True).click()
    expect(form).to_be_hidden()


@pytest.mark.full
def test_a_lecture_of_ones_own_is_made_ordered_saved_and_opened(open_page, app_url, tmp_path):
    page = open_page(viewport=PROJECTOR)
    page.goto(f"{app_url}/?embedder=tfidf&c1=fixed_sentences&c1.size=3&lecture=1")
    embedded(page)
    page.keyboard.press("h")
    added(page, Title="<b>First</b>", Predict="b and s are words here")
    expect(page.get_by_text("Added as scene 1 of your lecture")).to_be_visible()
    paste(page, "Own one. Own two. Own three.")
    page.wait_for_url("**document=own**")
    embedded(page)
    added(page, Title="Second")
    expect(page.get_by_text("Added as scene 2 of your lecture")).to_be_visible()
    page.get_by_role("button", name="Settings").click()
    page.get_by_text("Lectures", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save", exact=True).click()
    file = tmp_path / "lecture.json"
    download.value.save_as(file)
    page.get_by_role("button", name="My lecture", exact=True).click()
    bar, title, reader = page.locator(".deck-root"), page.locator(".deck h2"), page.locator(".seamark")
    expect(title).to_have_text("<b>First</b>")
    arrived(page)
    expect(page.locator(".seamark h1")).to_have_text("Four stitched stubs")
    eventually(lambda: "covered" in reader.get_attribute("class").split(), True)
    page.keyboard.press("PageDown")
    eventually(lambda: "covered" in reader.get_attribute("class").split(), False)
    page.get_by_role("button", name="Move the scene forward").click()
    expect(page.locator(".deck .count")).to_have_text("2 of 2")
    assert shown(bar)[1] == REVEALING_SCENE_PART, "the moved scene stays in sight"
    arrived(page)
    page.keyboard.press("PageUp")
    eventually(lambda: shown(bar)[1], "predict")
    at_rest(page)
    page.keyboard.press("PageUp")
    expect(title).to_have_text("Second")
    arrived(page)
    expect(page.locator(".seamark h1")).to_have_text("Pasted text")
    assert "scenes=" not in page.url, "no text of the user is in a link"
    page.reload()
    expect(page.locator(".deck .count")).to_have_text("1 of 2", timeout=READY)
    expect(title).to_have_text("Second")
    arrived(page)
    expect(page.locator(".seamark h1")).to_have_text("Pasted text")
    page.get_by_role("button", name="Remove the scene").click()
    expect(page.locator(".deck .count")).to_have_text("1 of 1")
    expect(title).to_have_text("<b>First</b>")
    page.wait_for_url("**scenes=**")
    link = page.url
    # Another session opens the link of the scene that is left, and the file with the text.
    page = open_page(viewport=PROJECTOR)
    page.goto(link)
    expect(page.locator(".deck h2")).to_have_text("<b>First</b>", timeout=READY)
    arrived(page)
    page.get_by_role("button", name="Settings").click()
    page.get_by_text("Lectures", exact=True).click()
    uploader = page.locator("[data-testid=stFileUploader]", has_text="Open a lecture").locator("input[type=file]")
    bad = tmp_path / "bad.json"
    bad.write_text(file.read_text(encoding="utf-8").replace('"title"', '"titel"', 1), encoding="utf-8")
    uploader.set_input_files(bad)
    expect(page.get_by_text("bad.json must be a lecture of Seamark; deck.title: Field required")).to_be_visible(
        timeout=READY
    )
    expect(page.locator(".deck .count")).to_have_text("1 of 1")
    at_rest(page)
    expect(uploader, "the menu stays open").to_be_attached()
    uploader.set_input_files(file)
    expect(page.locator(".deck .count")).to_have_text("1 of 2", timeout=READY)
