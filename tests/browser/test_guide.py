"""The Guide, lecture mode and links to pages, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, at_rest, embedded, open_app
from viz.theme.glossary import TEXT_TERMS


@pytest.mark.full
def test_a_link_to_a_page_may_be_the_first_thing_a_server_is_asked_for(page, fresh_url):
    page.goto(f"{fresh_url}/guide?c1=fixed_words&c1.size=20&c1.overlap=0&lecture=1")
    expect(page.get_by_role("heading", name="Fixed words")).to_be_visible(timeout=READY)
    expect(page.get_by_text(re.compile(r"^\d+ chunks of 16 sentences"))).to_be_visible(timeout=READY)
    expect(page.get_by_test_id("stSidebar")).not_to_be_visible()
    page.get_by_role("button", name="Leave lecture mode").click()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    page.wait_for_url(lambda url: "lecture" not in url and "c1.size=20" in url)


@pytest.mark.full
def test_the_menu_keeps_the_document(page, app_url):
    open_app(page, app_url, "?document=three_topics")
    page.get_by_role("link", name="Guide").click()
    expect(page.get_by_role("heading", name="Three unequal topics")).to_be_visible(timeout=READY)
    page.get_by_role("radio", name="Fixed sentences").check(force=True)
    expect(page.get_by_role("heading", name="Fixed sentences")).to_be_visible()
    page.wait_for_url("**c1=fixed_sentences**")
    expect(page.get_by_role("img").first).to_be_visible()


@pytest.mark.full
def test_page_zero_explains_its_words_and_takes_a_question(page, app_url):
    page.goto(f"{app_url}/guide?embedder=tfidf")
    ranks = page.locator(".pictures .ranks li")
    expect(ranks.first).to_be_visible(timeout=READY)
    # A definition on hover, on focus and on a tap; Escape closes it.
    word, definition = (
        page.get_by_role("button", name="chunks", exact=True),
        page.get_by_role("tooltip").filter(visible=True),
    )
    expect(definition).to_have_count(0)
    word.hover()
    expect(definition).to_have_text(TEXT_TERMS["Chunk"])
    page.get_by_role("heading", level=1).hover()
    expect(definition).to_have_count(0)
    word.focus()
    expect(definition).to_have_text(TEXT_TERMS["Chunk"])
    expect(word).to_have_accessible_description(TEXT_TERMS["Chunk"])
    page.keyboard.press("Escape")
    expect(definition).to_have_count(0)
    word.dispatch_event("click")
    expect(definition).to_have_text(TEXT_TERMS["Chunk"])
    box = page.get_by_role("textbox", name="Question")
    box.fill("How often does the comet return?")
    box.press("Enter")
    expect(ranks.first).to_contain_text("Comet")
    expect(page.locator(".pictures mark")).to_contain_text("every seventy-six years")
    # The question is the user's text: no link has it.
    assert "comet" not in page.url.lower()
    page.get_by_role("button", name="How Breakpoint decides").click()
    expect(page.get_by_role("heading", name="Breakpoint")).to_be_visible()
    expect(page.locator(".pictures.small .picture")).to_have_count(6)
    expect(page.locator(".pictures .seam.cut .gauge .line").first).to_be_visible()
    page.get_by_role("radio", name="Which chunker").check(force=True)
    page.get_by_role("button", name="Explain Change points").click()
    expect(page.get_by_role("heading", name="Change points")).to_be_visible()
    page.wait_for_url("**c1=change_point*c1.max_size=250**")


@pytest.mark.full
def test_the_path_leads_through_ten_screens_each_with_one_thing_to_do(page, app_url):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{app_url}/guide?embedder=tfidf")
    page.get_by_role("button", name="From the beginning").click(timeout=READY)
    told, after = page.locator(".pictures .told"), page.get_by_role("button", name="Next")
    rows, main = page.locator(".pictures .row"), page.get_by_test_id("stMain")

    def begin(number, title):
        expect(page.get_by_role("heading", name=title)).to_be_visible(timeout=READY)
        expect(page.get_by_text(f"{number} of 10", exact=True)).to_be_visible()
        at_rest(page)
        # A screen and its effect fit into the window.
        assert main.evaluate("(main) => main.scrollHeight <= main.clientHeight")

    def slide(label, key, times):
        slider = page.get_by_role("slider", name=label)
        for _ in range(times):
            slider.press(key)

    begin(1, "The smallest piece")
    expect(told).to_have_text("")
    page.get_by_role("radio", name="4", exact=True).click()
    expect(told).to_have_text("3 sentences; you said 4. 3 of 6 points end none.")
    expect(rows).to_have_count(3)
    after.click()
    begin(2, "Where would you cut?")
    # Two clicks before the server has answered the first.
    for between in ("1 and 2", "3 and 4"):
        page.get_by_role("button", name=f"cut between sentences {between}").click()
    expect(told).to_have_text("3 chunks, of 1, 2 and 3 sentences.")
    expect(page.locator(".pictures .seam.cut")).to_have_count(2)
    gap = page.get_by_role("button", name="cut between sentences 1 and 2")
    expect(gap).to_have_attribute("aria-pressed", "true")
    gap.press("Enter")
    expect(told).to_have_text("2 chunks, of 3 and 3 sentences.")
    expect(gap).to_be_focused()
    after.click()
    begin(3, "How long is a piece?")
    expect(told).to_have_text("28 tokens in 4 chunks of at most 8.")
    slide("Tokens per chunk", "ArrowRight", 4)
    expect(told).to_have_text("28 tokens in 3 chunks of at most 12.")
    expect(page.locator(".tokens .label")).to_have_text(["1", "2", "3"])
    after.click()
    begin(4, "What if a chunk is full?")
    expect(told).to_have_text("5 chunks; 4 sentences cut apart.")
    page.get_by_role("radio", name="2 sentences", exact=True).click()
    expect(told).to_have_text("3 chunks; 0 sentences cut apart.")
    after.click()
    begin(5, "What is lost at a cut?")
    slide("Overlap in sentences", "ArrowRight", 1)
    expect(told).to_have_text("2 sentences repeated: 80 tokens instead of 57.")
    after.click()
    begin(6, "Which mean nearly the same?")
    page.get_by_role("radio", name="A", exact=True).click()
    expect(told).to_have_text("B is closest, at distance 0.43; A is at 0.54.")
    expect(page.locator(".ranks b")).to_have_text(["B", "A", "C"])
    after.click()
    begin(7, "Cut here?")
    expect(page.get_by_text("cut here?", exact=True)).to_be_visible()
    page.get_by_role("radio", name="No cut", exact=True).click()
    expect(told).to_have_text("Distance 0.68 > 0.60: cut; you said no cut.")
    after.click()
    begin(8, "Is the cut right?")
    expect(told).to_have_text("2 found, 0 missed; 1 cut elsewhere.")
    slide("Threshold", "ArrowRight", 20)
    expect(told).to_have_text("2 found, 0 missed; 0 cuts elsewhere.")
    after.click()
    begin(9, "What does a question find?")
    box = page.get_by_role("textbox", name="Question")
    box.fill("Why does the dough rise?")
    box.press("Enter")
    expect(told).to_have_text("Chunk 2 is found, at distance 0.39.")
    assert "dough" not in page.url
    after.click()
    begin(10, "Is the answer whole?")
    expect(told).to_have_text("5 chunks: the model gets only a part of the answer.")
    page.get_by_role("radio", name="Overlap 1 sentence", exact=True).click()
    expect(told).to_have_text("Whole in chunk 2; 8 chunks instead of 5.")
    expect(after).to_be_disabled()
    # The link keeps the screen, and going back what was done there.
    page.wait_for_url("**screen=10**")
    page.get_by_role("button", name="Back").click()
    expect(told).to_have_text("Chunk 2 is found, at distance 0.39.")
    page.reload()
    begin(9, "What does a question find?")
    after.click()
    begin(10, "Is the answer whole?")
    page.get_by_role("radio", name="Overlap 1 sentence", exact=True).click()
    expect(told).to_have_text("Whole in chunk 2; 8 chunks instead of 5.")
    page.get_by_role("button", name="Open on Compare").click()
    embedded(page)
    expect(page.get_by_text("Added as column 4 of Compare")).to_be_visible()


def test_a_help_text_leads_to_the_guide(page, app_url):
    open_app(page, app_url)
    chooser = page.get_by_test_id("stSelectbox").filter(has_text="Chunker")
    chooser.get_by_test_id("stTooltipIcon").hover()
    link = page.get_by_role("link", name="More in the Guide")
    expect(link).to_have_attribute("href", "guide?c1=breakpoint")


def test_question_mark_lists_the_keys_of_the_page(page, app_url):
    root = open_app(page, app_url, "?embedder=tfidf")
    dialog = page.get_by_role("dialog", name="Keys on this page")
    # Not while something is typed.
    box = page.get_by_label("Ask your text")
    box.fill("Why")
    box.press("?")
    expect(box).to_have_value("Why?")
    expect(dialog).to_have_count(0)
    root.locator(".text").first.focus()
    page.keyboard.press("?")
    expect(dialog).to_contain_text("next, previous disagreement")
    expect(dialog).not_to_contain_text("in lecture mode: hide the cuts")
    expect(dialog).not_to_contain_text("step forward")
    # No key reaches the page below, and Escape closes the dialog alone.
    selected = root.locator(".head.selected").get_attribute("class")
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(box).to_have_value("Why?")
    assert root.locator(".head.selected").get_attribute("class") == selected
    expect(root.locator(".text").first).to_be_focused()
    page.goto(f"{app_url}/breakpoints?embedder=tfidf&view=steps&lecture=1")
    expect(page.locator(".stepper .told")).to_be_visible(timeout=READY)
    page.keyboard.press("?")
    expect(dialog).to_contain_text("step back (also Page Up), step forward (Page Down), play")
    expect(dialog).to_contain_text("in lecture mode: hide the cuts")
    expect(dialog).not_to_contain_text("disagreement")
    page.keyboard.press("?")
    expect(dialog).to_have_count(0)
    page.goto(f"{app_url}/guide?embedder=tfidf")
    expect(page.locator(".pictures .ranks li").first).to_be_visible(timeout=READY)
    page.keyboard.press("?")
    expect(dialog.get_by_role("definition")).to_have_text(["list the keys of this page", "cut the text in the box"])
