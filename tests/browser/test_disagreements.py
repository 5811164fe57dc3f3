"""Disagreements between columns: the bar that leads from one to the next, and the card over all columns."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import column, embedded, eventually, from_the_top, marked, open_app, open_box, read

AT = "({ disagreement }) => [disagreement.number, disagreement.count]"
PLACE = "({ disagreement }) => disagreement.at"

IN_SIGHT = """(panes) => panes.length > 0 && panes.every((pane) => {
  const box = pane.getBoundingClientRect();
  const [upper, lower] = [Math.max(0, box.top) - 1, Math.min(innerHeight, box.bottom) + 1];
  const spans = [...pane.querySelectorAll(".s.disputed")].map((span) => span.getBoundingClientRect());
  const [top, bottom] = [Math.min(...spans.map(({ top }) => top)), Math.max(...spans.map(({ bottom }) => bottom))];
  // Two sentences too long for the pane stand at its upper edge.
  return spans.length > 0 && top >= upper && (bottom <= lower || (bottom - top > lower - upper - 10 && top < upper + 10));
})"""


@pytest.fixture
def laptop(open_page):
    return open_page(viewport={"width": 1280, "height": 720})


def test_one_click_says_where_two_columns_disagree_and_why(laptop, app_url):
    root = open_app(laptop, app_url)
    card = root.locator(".dispute")
    expect(card).to_be_hidden()
    root.get_by_role("button", name="Next disagreement").click()
    expect(card.locator(".place")).to_contain_text(
        "after “Bread made with it rises on wild …” · not a known boundary · column 2 stands alone"
    )
    expect(card.locator(".verdict").nth(0)).to_contain_text("kept")
    expect(card.locator(".verdict").nth(0)).to_contain_text("size 2 would cut here")
    expect(card.locator(".verdict").nth(1)).to_contain_text("CUT")
    expect(card.locator(".verdict").nth(1)).to_contain_text("0.73 > 0.72")
    expect(card.locator(".verdict").nth(1)).to_contain_text("by 0.013: percentile")
    expect(card.locator(".verdict").nth(2)).to_contain_text("0.54 > merging 0.30")
    eventually(lambda: [marked(column(root, number), "disputed") for number in range(3)], [[1, 2]] * 3)
    # The matter is one boundary: one dot is ringed, and the line goes through it.
    expect(root.locator(".ring").filter(visible=True)).to_have_count(1)
    eventually(lambda: read(root, "({ pointed }) => pointed"), read(root, PLACE))
    assert read(root, PLACE) == 2


@pytest.mark.full
def test_every_jump_ends_with_card_and_sentences_in_the_window(laptop, app_url):
    root = open_app(laptop, app_url)
    forward = []
    for number in range(1, 7):
        laptop.keyboard.press("d")
        eventually(lambda number=number: read(root, AT), [number, 6])
        # The card becomes taller when the reasons arrive.
        expect(root.locator(".dispute .reason").last).not_to_be_empty()
        eventually(lambda: root.locator(".text").evaluate_all(IN_SIGHT), True)
        expect(root.locator(".dispute")).to_be_in_viewport(ratio=1)
        forward.append(read(root, PLACE))
    assert forward == sorted(forward)
    # Round the end, and back again.
    laptop.keyboard.press("d")
    eventually(lambda: read(root, AT), [1, 6])
    for place in reversed(forward):
        laptop.keyboard.press("D")
        eventually(lambda place=place: read(root, PLACE), place)
    root.get_by_role("button", name="Previous disagreement").click()
    eventually(lambda: read(root, AT), [6, 6])
    # Two columns alone.
    whose = root.get_by_role("combobox", name="Columns that disagree")
    expect(whose.locator("option")).to_have_text(["all columns", "1 and 2", "1 and 3", "2 and 3"])
    whose.select_option("2 and 3")
    eventually(lambda: read(root, AT)[1], 2)
    root.get_by_role("button", name="Next disagreement").click()
    eventually(lambda: read(root, AT), [1, 2])
    expect(root.locator(".dispute .verdict.aside")).to_have_count(1)
    whose.select_option("all columns")
    eventually(lambda: read(root, AT)[1], 6)


PREVIEW = "({ disagreement }) => disagreement.preview"
CUTS = "({ columns }) => columns[1].cuts"


@pytest.mark.full
def test_what_would_change_a_verdict_is_shown_then_applied_and_undone(laptop, app_url):
    root = open_app(laptop, app_url)
    laptop.keyboard.press("d")
    cell = root.locator(".dispute .verdict").nth(1)
    would = cell.get_by_role("button", name="percentile 79 would keep it")
    preview = root.get_by_role("group", name="Preview: column 2, percentile 79 would keep it")
    before, address = read(root, CUTS), laptop.url
    would.focus()
    laptop.keyboard.press("Enter")
    expect(preview).to_contain_text("1 other place changes: × 1 cut removed · known boundaries: as before")
    eventually(lambda: read(root, PREVIEW), {"added": [], "removed": [2, 14], "state": "done"})
    expect(root.locator(".strip .previewed-cuts")).to_have_count(1)
    expect(root.get_by_role("img", name="2 Breakpoint")).to_have_accessible_name(
        re.compile("removed before sentences 3, 15")
    )
    expect(root.locator("[aria-live]")).to_contain_text("Preview, column 2 · 1 other place changes")
    expect(preview.get_by_role("button", name="Apply")).to_be_focused()
    # Escape leaves everything as it was.
    laptop.keyboard.press("Escape")
    expect(preview).to_have_count(0)
    expect(root.locator(".strip .previewed-cuts")).to_have_count(0)
    expect(would).to_be_focused()
    assert (read(root, CUTS), laptop.url) == (before, address)
    would.click()
    preview.get_by_role("button", name="Apply").click()
    laptop.wait_for_url("**c2.amount=79**")
    expect(cell).to_contain_text("percentile 78.5 would cut here")
    expect(preview).to_have_count(0)
    assert read(root, CUTS) == [cut for cut in before if cut not in (2, 14)]
    expect(laptop.get_by_role("slider", name="Percentile of distance")).to_have_value("79")
    undo = cell.get_by_role("button", name="Undo")
    expect(undo).to_be_focused()
    laptop.keyboard.press("Enter")
    expect(would).to_be_visible()
    eventually(lambda: read(root, CUTS), before)
    eventually(lambda: "c2.amount" in laptop.url, False)


@pytest.mark.full
def test_the_formula_with_this_gaps_numbers_stands_on_the_card(laptop, app_url):
    root = open_app(laptop, app_url)
    laptop.keyboard.press("d")
    formulas = root.locator(".dispute .formula")
    shown = root.get_by_role("button", name="Formula")
    expect(shown).to_have_attribute("aria-pressed", "false")
    expect(formulas).to_have_count(0)
    shown.click()
    expect(shown).to_have_attribute("aria-pressed", "true")
    expect(shown).to_be_focused()
    cells = root.locator(".dispute .verdict")
    expect(cells.nth(0).locator(".formula")).to_have_text(["chunk so far: 2 of 4 sentences"])
    expect(cells.nth(1).locator(".formula")).to_have_text(["distance = 1 − e₂ · e₃", "= 1 − 0.27 = 0.73"])
    expect(cells.nth(2).locator(".formula").first).to_contain_text("cos(")
    eventually(lambda: root.locator(".text").evaluate_all(IN_SIGHT), True)
    # It stays for the next place, until it is not wanted any more.
    laptop.keyboard.press("d")
    expect(cells.nth(1).locator(".formula").first).to_have_text(re.compile("distance = 1 − e(?!₂ )"))
    shown.click()
    expect(formulas).to_have_count(0)


def test_the_reason_of_a_cut_opens_the_card_by_pointer_and_keys(laptop, app_url):
    root = open_app(laptop, app_url)
    reason = column(root, 1).get_by_role("button", name="cut: distance 0.98")
    reason.click()
    card = root.get_by_role("region", name="verdict")
    expect(card.locator(".place")).to_contain_text("a known boundary · all agree")
    expect(card.get_by_role("button", name="would keep it")).to_have_count(2)
    eventually(lambda: read(root, "({ disagreement }) => [disagreement.at, disagreement.number]"), [4, 0])
    root.get_by_role("button", name="Close the disagreement").click()
    from_the_top(laptop)
    column(root, 1).focus()
    laptop.keyboard.press("n")
    expect(column(root, 1).get_by_role("button", name="cut: distance 0.73")).to_be_focused()
    laptop.keyboard.press("Enter")
    eventually(lambda: read(root, AT), [1, 6])


@pytest.mark.full
def test_the_cells_stand_over_their_columns(laptop, app_url):
    root = open_app(laptop, app_url)
    laptop.keyboard.press("d")
    expect(root.locator(".dispute .verdict")).to_have_count(3)
    measure = "(nodes) => nodes.map((node) => Math.round(node.getBoundingClientRect().left))"

    def lefts():
        return [root.locator(selector).evaluate_all(measure) for selector in (".head", ".dispute .verdict", ".text")]

    eventually(lefts, lambda edges: edges[0] == edges[1] == edges[2] and len({*edges[0]}) == 3)


@pytest.mark.full
def test_six_columns_stay_where_they_are_and_the_card_covers_all(laptop, app_url):
    columns = "&".join(f"c{number}=fixed_sentences&c{number}.size={number + 1}" for number in range(1, 7))
    root = open_app(laptop, app_url, f"?{columns}")
    scroller = root.locator(".columns")
    for _ in range(3):
        laptop.keyboard.press("d")
        expect(root.locator(".dispute .verdict")).to_have_count(6)
        expect(root.locator(".dispute .reason").last).not_to_be_empty()
        assert scroller.evaluate("(node) => node.scrollLeft") == 0
    rights = [
        root.locator(selector).last.evaluate("(node) => node.getBoundingClientRect().right")
        for selector in (".text", ".dispute")
    ]
    assert rights[1] >= rights[0] - 1


@pytest.mark.full
def test_a_column_that_is_added_shows_the_disagreement_at_hand(laptop, app_url):
    root = open_app(laptop, app_url, "?embedder=tfidf&document=article&c1=fixed_sentences&c2=breakpoint")
    laptop.keyboard.press("D")
    eventually(lambda: root.locator(".text").evaluate_all(IN_SIGHT), True)
    laptop.get_by_role("button", name="Add", exact=True).click()
    expect(root.locator(".head")).to_have_count(3)
    embedded(laptop)
    eventually(lambda: column(root, 2).evaluate_all(IN_SIGHT), True)
    expect(root.locator(".dispute .verdict")).to_have_count(3)


@pytest.mark.full
def test_letters_that_are_typed_lead_nowhere(laptop, app_url):
    root = open_app(laptop, app_url)
    root.get_by_role("combobox", name="Columns that disagree").focus()
    laptop.keyboard.press("d")
    box = open_box(laptop)
    box.focus()
    laptop.keyboard.type("dD")
    expect(box).to_have_value("dD")
    # What is left in the box is cut when it loses the focus.
    laptop.keyboard.press("Backspace")
    laptop.keyboard.press("Backspace")
    root.locator(".summary").click()
    laptop.keyboard.press("Control+d")
    assert read(root, AT) == [0, 6]
    laptop.keyboard.press("d")
    eventually(lambda: read(root, AT), [1, 6])


@pytest.mark.full
def test_the_largest_dispute_first(laptop, app_url):
    link = "?embedder=tfidf&c1=breakpoint&c1.amount=60&c2=breakpoint&c2.amount=80"
    root = open_app(laptop, app_url, f"{link}&document=article")
    places = []
    order = root.get_by_role("combobox", name="Order of the disagreements")
    for name in ("as in the text", "largest first"):
        order.select_option(name)
        count = read(root, AT)[1]
        assert count > 2
        seen = []
        for _ in range(count):
            root.get_by_role("button", name="Next disagreement").click()
            eventually(lambda seen=seen: read(root, PLACE), lambda at, seen=seen: at not in [None, *seen])
            seen.append(read(root, PLACE))
        places.append(seen)
    in_text, by_size = places
    assert set(in_text) == set(by_size)
    assert in_text != by_size


@pytest.mark.full
def test_what_is_said_follows_a_moved_line(laptop, app_url):
    root = open_app(laptop, app_url)
    laptop.keyboard.press("d")
    cell = root.locator(".dispute .verdict").nth(1)
    expect(cell).to_contain_text("by 0.013: percentile 79 would keep it")
    handle = root.locator(".line")
    handle.focus()
    laptop.keyboard.press("PageUp")
    laptop.keyboard.press("PageUp")
    laptop.wait_for_url("**c2.amount=80**")
    embedded(laptop)
    expect(cell).to_contain_text("kept")
    expect(cell).to_contain_text("would cut here")
    expect(root.locator(".dispute .place")).to_contain_text("all agree")
    root.get_by_role("button", name="Close the disagreement").click()
    expect(root.locator(".dispute")).to_be_hidden()
    assert marked(root, "disputed") == []
