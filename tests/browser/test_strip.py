"""The text on the screen of a laptop: the strip above it, where jumps end, and what follows a line that moves."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tests.browser.steps import (
    at_rest,
    box_of,
    choose_sample,
    chunks,
    column,
    embedded,
    eventually,
    open_app,
    painted,
    read,
    until,
)
from tests.lanes import mostly_full

LAPTOP = {"width": 1280, "height": 720}
REPORT = "?document=report&embedder=tfidf&c1=breakpoint&c1.amount=80&c2=fixed_sentences&c3=recursive&selected=1"
SIX = "&".join(f"c{number}=fixed_sentences&c{number}.size={number}" for number in range(1, 6))


@pytest.fixture
def page(open_page):
    """A page in the window of a laptop, or of a projector."""
    return open_page(viewport=LAPTOP)


@pytest.fixture
def root(page, app_url):
    return open_app(page, app_url, REPORT)


def seen(root, sentence, number=0):
    """Wait until a sentence of a column stands in the window, in sight below strip and heads."""
    span = column(root, number).locator(f'.s[data-s="{sentence}"]').first
    axis, docks = root.locator(".axis"), root.page.locator(".st-key-below")

    def inside():
        box, body = span.bounding_box(), column(root, number).bounding_box()
        upper = max(body["y"], axis.bounding_box()["y"] + axis.bounding_box()["height"])
        lower = min(LAPTOP["height"], body["y"] + body["height"], *(dock.bounding_box()["y"] for dock in docks.all()))
        return box["y"] >= upper - 1 and box["y"] + box["height"] <= lower + 1

    eventually(inside, True)


def pointed(root):
    """Return the sentence that a jump ended at: that after the boundary, or the one that was clicked."""
    numbers = root.locator(".s.near").evaluate_all("(spans) => spans.map((span) => Number(span.dataset.s))")
    return max(numbers)


def scroll_page(page, root, pixels):
    """Scroll the page itself, by the wheel on the heads, which do not scroll."""
    root.locator(".head").first.hover()
    page.mouse.wheel(0, pixels)


def test_the_first_screen_shows_the_text_below_a_low_strip(page, app_url):
    root = open_app(page, app_url)
    seen(root, 0)
    seen(root, 1, number=2)
    assert root.locator(".plot").bounding_box()["height"] >= 120
    assert root.locator(".axis").bounding_box()["height"] <= 220
    # Nor is more needed to reach a view: the buttons stand below the text, and what they open is scrolled into the window.
    expect(page.get_by_role("radio", name="Which is best?")).to_be_in_viewport(ratio=1)
    for head in root.locator(".head").all():
        assert head.bounding_box()["height"] <= 60
    expect(root.locator(".head").nth(1)).to_contain_text("6 chunks")


@pytest.mark.full
@pytest.mark.parametrize("scrolled", mostly_full([0, 130], [130]))
@pytest.mark.parametrize("way", mostly_full(["disagreement", "curve", "strip"], ["disagreement"]))
def test_every_jump_ends_with_its_sentence_in_the_window(page, root, way, scrolled):
    scroll_page(page, root, scrolled)
    eventually(lambda: box_of(root)["y"] < 0, scrolled > 0)
    for _ in range(3):
        if way == "disagreement":
            root.get_by_role("button", name="Next disagreement").click()
        elif way == "strip":
            strip = root.locator(".strip canvas").nth(2)
            strip.click(position={"x": strip.bounding_box()["width"] * 0.6, "y": 3})
        else:
            root.locator(".plot").focus()
            for _ in range(40):
                page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
        painted(page)
        for number in range(3):
            seen(root, pointed(root), number)


@pytest.mark.full
def test_a_click_beside_the_text_ends_with_its_sentences_in_the_window(page, app_url):
    page.goto(f"{app_url}/clustering?document=article&embedder=tfidf")
    embedded(page)
    root = page.locator(".seamark")
    row = page.locator(".chunks button, .row").last
    row.click()
    painted(page)
    marked = root.locator(".s.near, .s.jumped").first
    marked.wait_for()
    seen(root, marked.get_attribute("data-s"))


@pytest.mark.full
def test_a_step_ends_with_its_sentence_in_the_window(page, app_url):
    page.goto(f"{app_url}/breakpoints{REPORT}&view=steps")
    embedded(page)
    root = page.locator(".seamark")
    for step in (300, 20):
        field = page.get_by_label("to step")
        field.fill(str(step))
        field.press("Enter")
        expect(page.locator(".where")).to_contain_text(f"step {step} of")
        seen(root, step)


@pytest.mark.full
def test_caption_and_head_follow_the_line_before_it_is_let_go(page, root):
    plot, line = root.locator(".plot"), root.locator(".line")
    box = plot.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] - 4)
    expect(root.locator(".said")).to_have_text(re.compile("^Gap "))
    gap = read(root, "({ gap }) => gap")
    handle = line.locator("span").bounding_box()
    page.mouse.move(handle["x"] + 10, handle["y"] + 9)
    page.mouse.down()
    head = root.locator(".head").first

    def said_by_head():
        # The text of a column is built bit by bit.
        count = int(head.locator(".brief").inner_text().split(" chunk")[0])
        eventually(lambda: len(chunks(root, 0)), count)

    value = read(root, "({ lines: [{ value }] }) => value")
    for away in (3, 7, -20):
        # In one move, as each moves the line, and the page hears of them when it comes to it.
        page.mouse.move(handle["x"] + 10, handle["y"] + 9 + away)
        value = eventually(lambda: read(root, "({ lines: [{ value }] }) => value"), lambda now, before=value: now != before)
        level = read(root, "({ lines: [{ level }] }) => level")
        said_by_head()
        expect(head.locator(".choose")).to_contain_text(f"percentile {value:g}")
        caption = root.locator(".said").inner_text()
        word, name, left, relation, right = re.search(r"· (\w+) · ([a-z ]+) ([\d.]+) (.) ([\d.]+)$", caption).groups()
        cut = gap + 1 in read(root, "({ columns }) => columns[0].cuts")
        assert (word, relation) == (("cut", ">") if cut else ("kept", "≤"))
        assert float(right) == pytest.approx(level, abs=0.006)
        assert left != right
        assert name == "distance"
    page.mouse.up()
    embedded(page)
    said_by_head()
    assert f"Gap {gap + 1}," in root.locator(".said").inner_text()


@pytest.mark.full
def test_a_line_that_is_brought_back_gives_the_chunks_back(page, root):
    before = chunks(root, 0)
    handle = root.locator(".line span").bounding_box()
    page.mouse.move(handle["x"] + 10, handle["y"] + 9)
    page.mouse.down()
    page.mouse.move(handle["x"] + 10, handle["y"] + 35, steps=4)
    eventually(lambda: len(chunks(root, 0)), lambda count: count > len(before))
    page.mouse.move(handle["x"] + 10, handle["y"] + 9, steps=4)
    page.mouse.up()
    eventually(lambda: chunks(root, 0), before)
    until(root, "({ ready }) => ready")


@pytest.mark.full
def test_the_frame_shows_what_is_read_and_scrolls_it_and_details_are_folded_together(page, root):
    frame, strip = root.locator(".here"), root.locator(".strip canvas").first
    expect(frame).to_be_visible()
    box, width = frame.bounding_box(), strip.bounding_box()["width"]
    column(root, 1).hover()
    page.mouse.wheel(0, 3000)
    eventually(lambda: box_of(frame)["x"], lambda x: x > box["x"] + 5)
    box = eventually(lambda: box_of(frame), lambda now: now["width"] > 0)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 6)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + width / 2, box["y"] + 6, steps=6)
    page.mouse.up()
    eventually(lambda: box_of(frame)["x"], pytest.approx(box["x"] + width / 2, abs=12))
    tops = eventually(
        lambda: read(root, "({ columns }) => columns.map(({ top }) => top)"), lambda tops: max(tops) - min(tops) <= 2
    )
    assert min(tops) > 333 / 3
    # Details are folded together until they are asked for.
    expect(root.locator(".head dl").first).to_be_hidden()
    root.get_by_role("button", name="details").nth(1).click()
    for number in range(3):
        expect(root.locator(".head dl").nth(number)).to_be_visible()
    page.get_by_text("Size statistics").click()
    expect(root.locator(".head table")).to_have_count(3)
    expect(root.locator(".head table").first).to_be_visible()
    page.get_by_text("Size statistics").click()
    expect(root.locator(".head dl").first).to_be_hidden()


@pytest.mark.full
def test_a_new_column_is_scrolled_into_sight_and_six_can_be_read(open_page, app_url):
    page = open_page(viewport={"width": 1440, "height": 1000})
    root = open_app(page, app_url, f"?embedder=tfidf&{SIX}")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(root.locator(".head")).to_have_count(6)
    embedded(page)
    heads = root.locator(".head")
    right = root.bounding_box()["x"] + root.bounding_box()["width"]
    eventually(lambda: box_of(heads.nth(5)), lambda box: box["x"] + box["width"] <= right + 1)
    assert all(head.bounding_box()["width"] >= 199 for head in heads.all())
    expect(heads.nth(5).locator(".choose")).to_have_attribute("aria-pressed", "true")
    field, foot = root.locator(".field").bounding_box(), root.locator(".foot").bounding_box()
    assert field["y"] + field["height"] <= foot["y"] + 1, "the strips are not over the legend"
    # The first is out of sight, and a button leads to it.
    root.get_by_role("button", name="1 more").click()
    eventually(lambda: box_of(heads.first)["x"], pytest.approx(root.bounding_box()["x"], abs=2))
    expect(root.get_by_role("button", name="1 more")).to_have_text("1 more ▸")
    assert sum(head.bounding_box()["x"] >= root.bounding_box()["x"] - 1 for head in heads.all()) >= 4


@pytest.mark.full
def test_labels_of_several_lines_do_not_cover_each_other(page, app_url):
    link = "?document=three_topics&embedder=tfidf&c1=double_pass&c1.initial_threshold=0.3&c1.appending_threshold=0.31"
    root = open_app(page, app_url, link)
    labels = root.locator(".line span")
    expect(labels).to_have_count(2)
    boxes = sorted((label.bounding_box() for label in labels.all()), key=lambda box: box["y"])
    assert all(above["y"] + above["height"] <= below["y"] + 1 for above, below in pairwise(boxes))
    plot = root.locator(".plot").bounding_box()
    assert all(box["x"] >= plot["x"] + plot["width"] for box in boxes)


@pytest.mark.full
def test_another_document_begins_at_its_beginning(page, root):
    column(root, 0).hover()
    page.mouse.wheel(0, 4000)
    eventually(lambda: read(root, "({ columns }) => columns[0].top"), lambda top: top > 10)
    choose_sample(page, "essay")
    at_rest(page)
    until(root, "({ sentences }) => sentences > 333")
    embedded(page)
    assert read(root, "({ columns }) => columns.map(({ top }) => top)") == [0, 0, 0]


@pytest.mark.full
def test_a_long_text_is_drawn_as_lengths_and_a_density(page, app_url):
    root = open_app(
        page, app_url, "?document=essay&embedder=tfidf&c1=fixed_sentences&c1.size=2&c2=fixed_sentences&c2.size=3"
    )
    strips = root.locator(".strip canvas")
    expect(strips.nth(1)).to_have_attribute("aria-label", re.compile("taller where a part is longer; ticks where para"))
    expect(strips.nth(3)).to_have_attribute("aria-label", re.compile("nearby agree$"))
    for _ in range(3):
        root.get_by_role("button", name="Zoom in").click()
    expect(strips.nth(1)).to_have_attribute("aria-label", re.compile("and more; ticks where paragraphs end$"))


@pytest.mark.parametrize(
    "path",
    mostly_full(
        ["breakpoints?view=steps", "double_pass", "clustering?document=article", "breakpoints?view=steps&document=report"],
        ["double_pass"],
    ),
)
def test_the_tools_are_on_the_first_screen_of_a_small_window(open_page, app_url, path):
    page = open_page(viewport={"width": 1024, "height": 768})
    page.goto(f"{app_url}/{path}{'&' if '?' in path else '?'}embedder=tfidf")
    embedded(page)
    play = page.get_by_role("button", name="Play (space)")
    eventually(lambda: box_of(play), lambda box: box["y"] + box["height"] <= 768)
    body = page.locator(".seamark .text").first
    eventually(lambda: 768 - box_of(body)["y"], lambda room: room >= 120)


@pytest.mark.full
def test_arrows_step_after_steps_was_pressed(page, app_url):
    page.goto(f"{app_url}/breakpoints{REPORT}&view=gaps")
    embedded(page)
    page.get_by_role("radio", name="Steps").click()
    where = page.locator(".where")
    expect(where).to_contain_text("step 1 of")
    at_rest(page)
    page.keyboard.press("ArrowRight")
    expect(where).to_contain_text("step 2 of")
    expect(page.get_by_role("radio", name="Steps")).to_be_checked()
