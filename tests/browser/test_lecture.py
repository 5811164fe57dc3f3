"""Lecture mode on a projector: pictures are enlarged with the words, and the first screen shows the text."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import (
    READY,
    at_rest,
    box_of,
    column,
    embedded,
    eventually,
    open_app,
    open_box,
    painted,
    read,
    until,
)
from tests.lanes import mostly_full

PROJECTORS = [(1280, 720), (1024, 768), (1920, 1080)]
QUERY = "?embedder=tfidf"

# The pixels of a canvas that are painted, and the height of its first unbroken run of rows that hold any, in CSS pixels.
PAINTED = """(canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const rows = Array.from({ length: canvas.height }, (_, row) =>
    data.subarray(row * canvas.width * 4, (row + 1) * canvas.width * 4).some((value, at) => at % 4 === 3 && value > 60));
  const first = rows.indexOf(true);
  const end = rows.indexOf(false, first);
  return { rows: (end < 0 ? rows.length : end) - first };
}"""

# The accent's pixels, as the dots of cuts have them.
ACCENT = """(canvas) => {
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = getComputedStyle(canvas).getPropertyValue("--accent");
  probe.fillRect(0, 0, 1, 1);
  const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count++;
  return count;
}"""


def drawn(page, app_url, query):
    root = open_app(page, app_url, query)
    painted(page)
    return {
        "bar": root.locator(".strip canvas").first.bounding_box()["height"],
        "number": root.locator("canvas.numbers").evaluate(PAINTED)["rows"],
        "dots": root.locator(".plot > canvas:not(.numbers)").evaluate(ACCENT),
        "type": column(root, 0).locator(".s").first.evaluate("(span) => parseFloat(getComputedStyle(span).fontSize)"),
    }


@pytest.mark.full
def test_pictures_grow_with_the_words(open_page, app_url):
    page = open_page(viewport={"width": 1280, "height": 720})
    usual = drawn(page, app_url, QUERY)
    large = drawn(page, app_url, f"{QUERY}&lecture=1")
    assert large["bar"] >= 22
    grown = {name: large[name] / usual[name] for name in usual}
    assert grown["type"] >= 1.4
    assert grown["number"] >= 1.2, "a row of pixels more or less is a tenth of a small digit"
    assert grown["dots"] >= 1.3**2


@pytest.mark.parametrize(("width", "height"), mostly_full(PROJECTORS, PROJECTORS[:1]))
def test_the_first_screen_shows_the_text(open_page, app_url, width, height):
    page = open_page(viewport={"width": width, "height": height})
    root = open_app(page, app_url, f"{QUERY}&lecture=1")
    sentence = column(root, 0).locator('.s[data-s="1"]').first
    eventually(lambda: box_of(sentence), lambda box: box["y"] + box["height"] <= height)
    # The document's name is on the chip, and for those who hear the page it heads it.
    expect(root.get_by_role("heading", level=1)).to_have_text("Four stitched stubs")


@pytest.mark.full
@pytest.mark.parametrize(("width", "height"), [*PROJECTORS, (1440, 1000), (800, 600)])
def test_no_page_of_the_menu_is_below_the_settings(open_page, app_url, width, height):
    page = open_page(viewport={"width": width, "height": height})
    open_app(page, app_url, f"{QUERY}&lecture=1")
    links = page.get_by_test_id("stTopNavLink")
    expect(links).to_have_count(9)
    settings = box_of(page.locator(".st-key-lecture_bar"))
    assert max(box["x"] + box["width"] for box in map(box_of, links.all())) < settings["x"]


@pytest.mark.full
@pytest.mark.parametrize(("width", "height"), mostly_full(PROJECTORS, PROJECTORS[1:2]))
def test_the_rows_of_a_double_pass_leave_room_for_the_text(open_page, app_url, width, height):
    page = open_page(viewport={"width": width, "height": height})
    root = page.locator(".seamark")
    page.goto(f"{app_url}/double_pass{QUERY}&lecture=1")
    embedded(page)
    painted(page)
    rows = page.locator(".passes .rows svg").bounding_box()
    text = column(root, 0).bounding_box()
    assert rows["y"] + rows["height"] <= text["y"], "the rows are above the text"
    line = column(root, 0).locator(".s").first.evaluate("(span) => parseFloat(getComputedStyle(span).lineHeight)")
    assert height - text["y"] >= 3 * line, "three lines of text are on the first screen"
    number = page.locator(".passes .number").first.evaluate("(node) => node.getBoundingClientRect().height")
    usual = open_page(viewport={"width": width, "height": height})
    usual.goto(f"{app_url}/double_pass{QUERY}")
    embedded(usual)
    assert number > 1.05 * usual.locator(".passes .number").first.evaluate("(node) => node.getBoundingClientRect().height")


@pytest.mark.full
def test_document_and_chunker_are_chosen_without_leaving(open_page, app_url):
    page = open_page(viewport={"width": 1280, "height": 720})
    root = open_app(page, app_url, f"{QUERY}&lecture=1")
    page.locator(".text-bar .more").click()
    page.locator('.text-bar .entry[data-id="three_topics"]').click()
    expect(root.get_by_role("heading", level=1)).to_have_text("Three unequal topics")
    at_rest(page)
    page.get_by_role("button", name="Settings").click()
    # By the keyboard: a list that opens in a menu moves for some frames, and a click beside it closes the menu.
    page.get_by_role("combobox", name="Chunker").fill("Recursive")
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(root.locator(".head").nth(1)).to_contain_text("Recursive")
    assert "lecture=1" in page.url
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Leave lecture mode").click()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(page.get_by_role("combobox", name="Chunker")).to_have_value("Recursive")


def test_a_number_shows_one_column_alone_and_h_hides_the_cuts(open_page, app_url):
    page = open_page(viewport={"width": 1280, "height": 720})
    root = open_app(page, app_url, f"{QUERY}&lecture=1")
    shown = root.locator(".head:visible strong")
    expect(shown).to_have_count(3)
    narrow = column(root, 2).bounding_box()["width"]
    page.keyboard.press("3")
    expect(shown).to_have_text(["Double pass"])
    eventually(lambda: box_of(column(root, 2))["width"], lambda width: width > 2 * narrow)
    # The settings and the curve are its own.
    page.wait_for_url("**selected=3**")
    expect(root.locator(".head.selected strong")).to_have_text("Double pass")
    page.keyboard.press("4")
    page.keyboard.press("1")
    expect(shown).to_have_text(["Fixed sentences"])
    page.keyboard.press("1")
    expect(shown).to_have_count(3)
    page.wait_for_url("**selected=1**")
    embedded(page)
    # "h" hides where the text is cut until it is pressed again.
    signs = [root.locator(name).first for name in (".why", ".brief", ".strip canvas", ".plot canvas", ".chunk .no")]
    page.keyboard.press("h")
    for sign in signs:
        expect(sign).not_to_be_visible()
    # All sentences follow each other as in the text, and no column tells from another.
    middle = "(spans) => spans.map((span) => span.getBoundingClientRect().top)"
    eventually(
        lambda: [column(root, number).locator(".s").evaluate_all(middle) for number in range(3)],
        lambda tops: tops[0] == tops[1] == tops[2] != [],
    )
    page.get_by_role("button", name="Settings").click()
    keys = page.get_by_text("Keys: 1 to 6")
    keys.wait_for()
    page.keyboard.press("Escape")
    # While the settings are open, letters are theirs.
    expect(keys).not_to_be_visible()
    page.keyboard.press("h")
    for sign in signs:
        expect(sign).to_be_visible()
    # A question that is being typed while the page moves its box stays a question.
    page.keyboard.press("/")
    page.keyboard.type("W")
    root.evaluate("""(reader) => {
      const { host } = reader.getRootNode();
      const [parent, next] = [host.parentNode, host.nextSibling];
      host.remove();
      parent.insertBefore(host, next);
    }""")
    page.keyboard.type("h1")
    expect(page.get_by_label("Ask your text")).to_have_value("Wh1")
    expect(shown).to_have_count(3)
    for sign in signs:
        expect(sign).to_be_visible()


@pytest.mark.full
def test_the_keys_are_those_of_the_mode_and_letters_in_a_box_are_none(open_page, app_url):
    page = open_page(viewport={"width": 1280, "height": 720})
    root = open_app(page, app_url, f"{QUERY}&lecture=1")
    box = open_box(page)
    box.press_sequentially("h1")
    expect(box).to_have_value("h1")
    expect(root.locator(".head:visible strong")).to_have_count(3)
    expect(root.locator(".chunk .no").first).to_be_visible()
    page.get_by_role("button", name="Paste, drop or upload a text").click()
    page.keyboard.press("2")
    page.keyboard.press("h")
    expect(root.locator(".head:visible strong")).to_have_count(1)
    page.get_by_role("button", name="Leave lecture mode").click()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(root.locator(".head:visible strong")).to_have_count(3)
    expect(root.locator(".chunk .no").first).to_be_visible()
    page.keyboard.press("h")
    page.keyboard.press("2")
    painted(page)
    expect(root.locator(".head:visible strong")).to_have_count(3)
    expect(root.locator(".chunk .no").first).to_be_visible()


# The height in CSS pixels of the first number at the left of the heatmap, of whose width its numbers take these pixels.
NUMBERED = """(canvas, margin) => {
  const scale = canvas.width / canvas.clientWidth;
  const width = Math.round(margin * 0.7 * scale);
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, canvas.height);
  const rows = Array.from({ length: canvas.height }, (_, row) =>
    data.subarray(row * width * 4, (row + 1) * width * 4).some((value, at) => at % 4 === 3 && value > 60));
  const first = rows.indexOf(true);
  return (rows.indexOf(false, first) - first) / scale;
}"""


@pytest.mark.full
def test_the_heatmaps_numbers_grow_with_the_words(open_page, app_url):
    heights = []
    for lecture in ("", "&lecture=1"):
        page = open_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{app_url}/clustering{QUERY}{lecture}")
        embedded(page)
        heatmap = page.locator(".heatmap")
        until(heatmap, "({ painted, cells }) => painted && cells")
        canvas = heatmap.locator("canvas").first
        edge = read(heatmap, "({ at }) => at(0, 0)[0] - (at(0, 1)[0] - at(0, 0)[0]) / 2")
        heights.append(canvas.evaluate(NUMBERED, edge - canvas.bounding_box()["x"]))
    assert heights[1] >= 1.3 * heights[0] > 0


@pytest.mark.full
def test_what_is_chosen_in_a_row_of_menus_is_not_cut_off(open_page, app_url):
    page = open_page(viewport={"width": 1280, "height": 720})
    page.goto(f"{app_url}/retrieval?lecture=1")
    menus = page.locator("[data-testid=stMain] [data-testid=stHorizontalBlock]").get_by_role("combobox")
    expect(menus.nth(4)).to_be_visible(timeout=READY)
    at_rest(page)
    eventually(lambda: menus.evaluate_all("(all) => all.every((one) => one.scrollWidth <= one.clientWidth)"), True)
