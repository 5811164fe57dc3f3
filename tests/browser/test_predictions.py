"""Steps that build up and are predicted first, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, at_rest, column, embedded, eventually, read, until
from tests.browser.test_accessibility import AXE, violations

LINK = "/breakpoints?embedder=tfidf&document=three_topics&view=steps&axis=distance"


def open_steps(page, url, query):
    page.goto(f"{url}{query}")
    until(page.locator(".stepper"), "({ step }) => step")
    page.locator(".seamark .s").first.wait_for(timeout=READY)
    embedded(page)
    return page.locator(".seamark")


def shown_cuts(root):
    """Return the sentences after the cuts whose reasons are in sight in the first column."""
    return column(root, 0).evaluate(
        "(body) => [...body.querySelectorAll('.block')]"
        ".filter((block) => block.querySelector(':scope > .why')?.offsetHeight)"
        ".map((block) => Number(block.querySelector('.s').dataset.s))"
    )


@pytest.mark.full
def test_the_result_ends_where_the_step_is(page, app_url):
    root = open_steps(page, app_url, LINK + "&step=1")
    cuts = shown_cuts(root)
    assert cuts
    page.get_by_role("button", name="Build up").click()
    page.wait_for_url("**pace=build**")
    expect(root.locator(".s.ahead").first).to_be_visible()
    assert [cut for cut in cuts if cut <= 1] == shown_cuts(root)
    stepper = page.locator(".stepper")
    stepper.focus()
    for cut in cuts:
        while read(stepper, "({ step }) => step") < cut:
            page.keyboard.press("PageDown")
        eventually(lambda: shown_cuts(root), [boundary for boundary in cuts if boundary <= cut])
        page.keyboard.press("PageUp")
        eventually(lambda: shown_cuts(root), [boundary for boundary in cuts if boundary < cut])
    # At the end all of it is there, with the known boundaries.
    page.keyboard.press("End")
    expect(root.locator(".s.ahead")).to_have_count(0)
    eventually(lambda: shown_cuts(root), cuts)
    page.keyboard.press("Home")
    until(stepper, "({ step }) => step === 1")
    page.get_by_role("button", name="Build up").click()
    eventually(lambda: shown_cuts(root), cuts)
    expect(root.locator(".s.ahead")).to_have_count(0)


@pytest.mark.full
def test_a_step_is_predicted_by_key_and_by_click_and_the_answer_stays(page, app_url):
    page.add_init_script(path=AXE)
    root = open_steps(page, app_url, LINK + "&step=1&pace=predict")
    told, stepper = page.locator(".told"), page.locator(".stepper")
    expect(told).to_have_text(re.compile(r"^Cut between sentences 1 and 2\?"))
    expect(root.get_by_role("group", name="Cut between sentences 1 and 2?")).to_be_visible()
    at_rest(page)
    assert violations(page) == []
    stepper.focus()
    page.keyboard.press("n")
    expect(told).to_contain_text("Gap 1, between sentences 1 and 2: kept")
    expect(told).to_contain_text("You said: No cut ✓")
    expect(page.locator(".tally")).to_have_text("1 of 1 right")
    expect(page.locator("[aria-live]").filter(has_text="You said: No cut, right.")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    expect(told).to_have_text(re.compile(r"^Cut between sentences 2 and 3\?"))
    root.get_by_role("group", name="Cut between sentences 2 and 3?").get_by_role("button", name="Cut", exact=True).click()
    expect(page.locator(".tally")).to_have_text("1 of 2 right")
    expect(root.get_by_role("img", name="You said: cut, wrong")).to_be_visible()
    expect(root.get_by_role("img", name="You said: no cut, right")).to_be_visible()
    at_rest(page)
    assert violations(page) == []
    # A step that is shown without a prediction is not counted.
    stepper.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(told).to_contain_text("Gap 3, between sentences 3 and 4")
    expect(page.locator(".tally")).to_have_text("1 of 2 right")


def test_hands_are_counted_twice_in_lecture_mode(page, app_url):
    open_steps(page, app_url, LINK + "&step=4&pace=predict&lecture=1")
    told = page.locator(".told")
    expect(told.get_by_role("group", name="First vote")).to_be_visible()
    page.locator(".stepper").focus()
    for answer, hands in (("y", "12"), ("n", "25"), ("y", "30"), ("n", "7")):
        page.keyboard.press(answer)
        page.keyboard.type(hands)
        page.locator(".stepper").focus()
    expect(told.get_by_role("group", name="Second vote").get_by_label("No cut")).to_have_value("7")
    page.keyboard.press("ArrowRight")
    expect(told).to_contain_text("Gap 4, between sentences 4 and 5")
    expect(told.get_by_role("group", name="First vote")).to_have_text(re.compile("Cut 12.*No cut 25"))
    sentence = "First vote: Cut 12, No cut 25. Second vote: Cut 30, No cut 7."
    expect(page.locator("[aria-live]").filter(has_text=sentence)).to_have_count(1)


@pytest.mark.full
def test_arcs_of_later_comparisons_are_not_drawn(page, app_url):
    page.goto(f"{app_url}/double_pass?embedder=tfidf&pace=build&step=4")
    rows = page.locator(".passes")
    rows.locator(".block").first.wait_for(timeout=READY)
    until(page.locator(".stepper"), "({ step }) => step === 4")
    numbers = "(paths) => paths.map((path) => Number(path.dataset.comparison))"
    eventually(lambda: max(rows.locator(".touch").evaluate_all(numbers), default=-1) < 4, True)
    expect(rows.locator('[data-row="chunks"]')).to_have_count(0)
    expect(page.get_by_role("heading", name="Corrections")).to_be_hidden()
    page.get_by_role("button", name="Last step").click()
    expect(rows.locator('[data-row="chunks"]').first).to_be_visible()
    expect(page.get_by_role("heading", name="Corrections")).to_be_visible()


@pytest.mark.full
def test_known_boundaries_appear_when_asked_for(page, app_url):
    root = open_steps(page, app_url, LINK + "&step=12")
    switch = page.get_by_role("button", name="Known boundaries")
    strip, wrong = (
        root.locator('canvas[aria-label^="known boundaries"]'),
        root.get_by_role("note", name="not a known boundary"),
    )
    # The whole result shows them anyway.
    expect(switch).to_be_hidden()
    expect(strip).to_have_attribute("aria-label", re.compile("3 parts"))
    expect(wrong.first).to_be_visible()
    page.get_by_role("button", name="Build up").click()
    expect(strip).to_have_attribute("aria-label", re.compile("not shown"))
    eventually(lambda: bool(shown_cuts(root)), True)
    expect(wrong).to_have_count(0)
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    expect(strip).to_have_attribute("aria-label", re.compile("3 parts"))
    expect(wrong.first).to_be_visible()
    page.wait_for_url("**known=shown**")
    page.reload()
    expect(switch).to_have_attribute("aria-pressed", "true")
    expect(wrong.first).to_be_visible()
    switch.click()
    expect(wrong).to_have_count(0)
    page.get_by_role("button", name="Last step").click()
    expect(strip).to_have_attribute("aria-label", re.compile("3 parts"))
    expect(wrong.first).to_be_visible()
