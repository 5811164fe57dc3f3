"""The Failures page in a real browser."""

import re
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from evaluation.segmentation.boundary_files import BoundaryFile
from tests.browser.steps import READY, at_rest, box_of, column, embedded, eventually, paste, read, whole_text
from tests.browser.test_accessibility import AXE, violations

TEXT = "A heron waits 😀 in the reeds. It eats fish. The loom has two beams. Its warp is wool."


def open_failures(page, url, query=""):
    """Open the page and wait until its text is cut; return the reader's root."""
    page.goto(f"{url}/failures{query}")
    page.locator(".failures .card").first.wait_for(timeout=READY)
    embedded(page)
    return page.locator(".seamark")


def own_text(page, url):
    root = open_failures(page, url, "?document=three_topics&embedder=tfidf")
    paste(page, TEXT)
    eventually(lambda: whole_text(root, 0), TEXT)
    embedded(page)
    assert read(root, "({ sentences }) => sentences") == 4
    return root


@pytest.mark.full
def test_a_card_opens_its_case_by_click_and_by_key(page, app_url):
    open_failures(page, app_url, "?embedder=tfidf")
    card = page.locator(".cards").get_by_role("button", name="Three unequal topics")
    card.click()
    page.wait_for_url("**document=three_topics**")
    expect(page.get_by_role("heading", name="Three unequal topics")).to_be_visible()
    expect(card).to_have_attribute("aria-pressed", "true")
    embedded(page)
    page.locator(".cards").get_by_role("button", name="Article in four sections").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**document=article**")
    expect(page.get_by_role("heading", name="Article in four sections")).to_be_visible()


@pytest.mark.full
def test_wrong_sentences_are_red_and_waved_and_rows_choose_the_chunker(page, app_url):
    root = open_failures(page, app_url, "?document=article&selected=1")
    row = page.get_by_role("button", name=re.compile("^Max–Min"))
    row.click()
    page.wait_for_url("**selected=8**")
    expect(row).to_have_attribute("aria-pressed", "true")
    expect(root.locator(".head").first).to_contain_text("Max–Min")
    embedded(page)
    wrong = read(root, "({ columns }) => columns[0].wrong")
    assert wrong
    astray = column(root, 0).locator(".astray")
    eventually(lambda: astray.evaluate_all("(spans) => [...new Set(spans.map((span) => Number(span.dataset.s)))]"), wrong)
    expect(astray.first).to_have_css("text-decoration-style", "wavy")
    expect(root.locator(".astray").first).to_have_attribute("title", re.compile("not in the chunk of its section"))


@pytest.mark.full
def test_the_samples_are_there_once_as_cases_in_one_line_until_all_are_asked_for(page, app_url):
    open_failures(page, app_url, "?embedder=tfidf")
    bar = page.locator(".text-bar")
    expect(bar.locator(".give")).to_be_visible()
    expect(bar.locator(".chip, .more").filter(visible=True)).to_have_count(0)
    cards = page.locator(".failures .cards")
    eventually(lambda: box_of(cards)["height"], lambda height: height < 60)
    page.get_by_role("button", name="All cases").click()
    eventually(lambda: box_of(cards)["height"], lambda height: height > 150)
    cards.get_by_role("button", name="Three unequal topics").click()
    page.wait_for_url("**document=three_topics**")
    eventually(lambda: box_of(cards)["height"], lambda height: height < 60)
    at_rest(page)
    page.get_by_role("button", name="Pk", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="a window of half the mean section")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Pk")).to_have_attribute("aria-sort", "ascending")
    embedded(page)
    values = page.locator(".scores tbody td:nth-of-type(3)")
    expect(values).to_have_count(11)
    texts = [text.strip("✓ ") for text in values.all_inner_texts()]
    assert texts == sorted(texts)


@pytest.mark.full
@pytest.mark.parametrize("width", [400, 800, 1280, 1600])
def test_the_table_fits_its_place(open_page, app_url, width):
    page = open_page(viewport={"width": width, "height": 800})
    open_failures(page, app_url, "?embedder=tfidf")
    box = page.locator(".scores .scroll")
    eventually(lambda: box.evaluate("(box) => box.scrollWidth <= box.clientWidth"), True)
    expect(box.get_by_role("columnheader")).to_have_count(7)
    # Explicit roles, since not every browser keeps those of rows that are laid out as grids.
    eventually(lambda: box.locator(":is(table, thead, tbody, tr, th, td):not([role])").count(), 0)
    expect(box.locator("[role=row] > [role=rowheader]")).to_have_count(11)
    expect(box.locator("[role=row] > [role=cell]")).to_have_count(11 * 6)


def test_the_text_is_in_sight_and_a_row_changes_it(open_page, app_url):
    page = open_page(viewport={"width": 1280, "height": 720})
    root = open_failures(page, app_url, "?embedder=tfidf")
    expect(root.locator(".s").first).to_be_in_viewport()
    table = page.locator(".scores .scroll")
    eventually(lambda: table.evaluate("(box) => box.scrollWidth <= box.clientWidth"), True)
    expect(table.get_by_role("columnheader")).to_have_count(7)
    row = page.get_by_role("button", name=re.compile("^Fixed sentences.*column 1"))
    row.click()
    expect(row).to_have_attribute("aria-pressed", "true")
    expect(root.locator(".head").first).to_contain_text("Fixed sentences")
    expect(root.locator(".head").first).to_be_in_viewport()
    embedded(page)
    expect(root.locator(".s").first).to_be_in_viewport()


@pytest.mark.full
def test_the_search_shows_published_and_best_side_by_side(page, app_url):
    root = open_failures(page, app_url, "?document=three_topics&selected=2")
    page.get_by_role("button", name="Find best settings").click()
    page.get_by_text(re.compile(r"^These are the best of \d+ settings")).wait_for(timeout=READY)
    embedded(page)
    expect(root.locator(".head")).to_have_count(2)
    expect(page.locator(".scores tbody tr")).to_have_count(16 + 3)
    root.locator(".head .choose").first.click()
    expect(page.locator(".scores tr.chosen .origin")).to_have_text("published")


@pytest.mark.full
def test_a_finding_leads_to_its_passage(page, app_url):
    root = open_failures(page, app_url, "?document=german&sentences=spacy")
    finding = page.locator(".finding", has_text="Bad sentence split").first
    finding.focus()
    page.keyboard.press("Enter")
    expect(root.locator(".s.next").first).to_have_text("Am 3.")
    expect(root.locator(".s.next").first).to_be_in_viewport()
    expect(finding).to_have_class(re.compile("here"))


def test_one_click_leads_from_a_finding_to_a_column_without_it(page, app_url):
    page.add_init_script(path=AXE)
    # A sentence that is jumped to lights up for a moment, in colours in between.
    page.emulate_media(reduced_motion="reduce")
    root = open_failures(page, app_url, "?document=three_topics&embedder=tfidf&selected=1")
    items = "\n".join(f"- Item {number} takes a while." for number in range(1, 16))
    paste(page, f"# Bread\n\n{items}\n\n{'It rises for a while, and then for another while. ' * 12}")
    eventually(lambda: (whole_text(root, 0) or "").startswith("# Bread"), True)
    page.locator(".finding", has_text="Cut inside a list").first.click()
    change = page.locator(".sought li").first
    expect(change).to_contain_text(re.compile(r"\d chunks? of ~\d+ tokens · other findings"), timeout=READY)
    expect(page.locator(".sought").get_by_role("button", name="Test on other texts")).to_be_visible()
    at_rest(page)
    assert violations(page) == []
    change.get_by_role("button", name=re.compile("^Try as column")).click()
    heads = page.locator(".seamark .head")
    expect(heads).to_have_count(4, timeout=READY)
    at_rest(page)
    page.get_by_role("button", name="Undo").click()
    expect(heads).to_have_count(3)


@pytest.mark.full
def test_boundaries_are_marked_by_click_and_key_undone_and_saved(page, app_url):
    root = own_text(page, app_url)
    page.locator("label", has_text="Mark boundaries").click()
    gap = root.get_by_role("button", name="boundary between sentences 2 and 3").first
    gap.click()
    expect(gap).to_have_attribute("aria-pressed", "true")
    embedded(page)
    eventually(lambda: whole_text(root, 0), TEXT)
    page.get_by_role("button", name=re.compile("^Breakpoint")).first.wait_for()
    other = root.get_by_role("button", name="boundary between sentences 1 and 2").first
    other.focus()
    page.keyboard.press("Enter")
    expect(other).to_have_attribute("aria-pressed", "true")
    expect(other).to_be_focused()
    page.get_by_role("button", name="Undo").click()
    expect(other).to_have_attribute("aria-pressed", "false")
    with page.expect_download() as download:
        page.get_by_role("button", name="Boundaries as a file").click()
    assert BoundaryFile.read_hash_and_boundaries(download.value.path().read_bytes()).boundaries_checked_for_text(TEXT) == (
        TEXT.index("The loom"),
    )
    page.locator("label", has_text="Mark boundaries").click()
    expect(root.locator(".gap")).to_have_count(0)


@pytest.mark.full
def test_two_marks_at_once_are_undone_one_by_one(page, app_url):
    root = own_text(page, app_url)
    page.locator("label", has_text="Mark boundaries").click()
    gaps = root.locator(".gap")
    gaps.first.wait_for()
    # Faster than the browser tells the server.
    gaps.evaluate_all("(gaps) => { gaps[0].click(); gaps[2].click(); }")
    undo = page.get_by_role("button", name="Undo")
    for left in (["0"], []):
        undo.click()
        eventually(
            lambda: root.locator(".gap[aria-pressed=true]").evaluate_all("(gaps) => gaps.map((gap) => gap.dataset.gap)"),
            left,
        )
    expect(undo).to_be_disabled()


@pytest.mark.full
def test_what_is_chosen_stays_chosen_when_progress_goes(page, app_url):
    """Progress stands above the lists while the other rows' texts are embedded."""
    root = open_failures(page, app_url, "?document=three_topics&selected=0")
    # No item is in the cache of embeddings, and there are enough of them to be at work for a while.
    paste(page, "\n".join(f"- Item {number} is called {uuid4().hex}." for number in range(250)))
    progress = page.locator(".st-key-progress")
    progress.wait_for(timeout=READY)
    # One that does not depend on the embedder, whose findings come when its model is there.
    finding = page.locator(".finding", has_text="Cut inside a list").first
    finding.click()
    expect(finding).to_have_class(re.compile("here"))
    expect(root.locator(".s.next").first).to_be_in_viewport()
    assert progress.is_visible(), "the embedding came to its end too soon"
    expect(progress).to_have_count(0, timeout=READY)
    embedded(page)
    expect(finding).to_have_class(re.compile("here"))
    expect(root.locator(".s.next").first).to_be_in_viewport()


@pytest.mark.full
def test_no_line_of_a_narrow_head_begins_with_the_dot_between_two_parts(open_page, app_url):
    page = open_page(viewport={"width": 400, "height": 850})
    root = open_failures(page, app_url)
    brief = root.locator(".head .brief").first
    parts = brief.locator("span")
    tops = parts.evaluate_all("(spans) => spans.map((span) => span.getBoundingClientRect().top)")
    assert len(set(tops)) > 1, "the parts do not fit into one line"
    # The words of a part begin at the edge, or stand to the right of another part; what is left of the edge is cut off.
    begins = """(spans) => spans.map((span) => {
      const range = document.createRange();
      range.selectNodeContents(span);
      return range.getBoundingClientRect().left;
    })"""
    edge = root.locator(".head").first.bounding_box()["x"]
    assert parts.evaluate_all(begins) == pytest.approx([edge] * len(tops), abs=1)
    cut = brief.evaluate(r"""(node) => {
      const dot = getComputedStyle(node.firstElementChild, "::before");
      return [getComputedStyle(node).clipPath.match(/[\d.]+/g).map(Number), parseFloat(dot.width)];
    }""")
    assert cut[0] == pytest.approx([0, 0, 0, cut[1]], abs=0.1)
