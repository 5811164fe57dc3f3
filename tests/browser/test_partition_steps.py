"""The steps of Optimal beside its heatmap, and those of Change points and Structure, in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, at_rest, eventually, read, until
from tests.browser.test_accessibility import AXE, violations
from tests.browser.test_predictions import open_steps, shown_cuts

LINK = "/breakpoints?embedder=tfidf&document=three_topics&view=steps"
OPTIMAL = f"{LINK}&c1=optimal&c1.pieces=sentences"


def squares(page):
    return read(page.locator(".heatmap"), "({ squares }) => squares")


@pytest.mark.full
def test_squares_grow_as_the_table_is_filled_and_end_as_the_chunks(page, app_url):
    root = open_steps(page, app_url, f"{OPTIMAL}&step=1&pace=build")
    until(page.locator(".heatmap"), "({ cells }) => cells === 14")
    stepper, told = page.locator(".stepper"), page.locator(".told")
    # The step and the diagram are both in sight.
    for part in (told.locator("h2"), page.locator(".heatmap .map")):
        box = part.bounding_box()
        assert 0 <= box["y"] <= box["y"] + box["height"] <= 720
    expect(told).to_contain_text("make 2¹³ partitions: 8,192.")
    assert squares(page) == []
    stepper.focus()
    for end in (1, 2, 3):
        page.keyboard.press("PageDown")
        until(stepper, f"({{ step }}) => step === {end + 1}")
        eventually(lambda: squares(page)[-1][1], end)
    assert shown_cuts(root) == []
    # Playing stops between the passes.
    field = page.get_by_label("to step")
    field.fill("15")
    field.press("Enter")
    stepper.focus()
    page.get_by_role("button", name="Play").click()
    until(stepper, "({ step, playing }) => step === 16 && !playing")
    expect(told).to_contain_text("The table is full")
    whole = squares(page)
    stepper.focus()
    page.keyboard.press("ArrowRight")
    eventually(lambda: squares(page), whole[-1:])
    page.keyboard.press("End")
    eventually(lambda: squares(page), whole)
    eventually(lambda: shown_cuts(root), [first for first, _ in whole[1:]])
    page.keyboard.press("Home")
    eventually(lambda: squares(page), [])


@pytest.mark.full
def test_an_entry_is_predicted_before_its_square_is_drawn(page, app_url):
    page.add_init_script(path=AXE)
    open_steps(page, app_url, f"{OPTIMAL}&step=4&pace=predict")
    until(page.locator(".heatmap"), "({ cells }) => cells === 14")
    told = page.locator(".told")
    expect(told).to_have_text(re.compile("^Sentences 2 and 3 in one chunk, if the text ended here"))
    eventually(lambda: squares(page)[-1][1], 2)
    at_rest(page)
    assert violations(page) == []
    page.locator(".stepper").focus()
    page.keyboard.press("y")
    eventually(lambda: squares(page)[-1][1], 3)
    expect(told).to_contain_text("You said: Together")
    expect(page.locator(".tally")).to_have_text(re.compile("of 1 right"))
    # The pointer on the heatmap does not show the rest of the result.
    page.locator(".heatmap .map").hover(position={"x": 120, "y": 60})
    expect(page.locator(".heatmap .said")).to_contain_text("similarity")
    expect(page.locator(".seamark .s.ahead").first).to_be_visible()


@pytest.mark.full
@pytest.mark.parametrize(
    ("chunker", "title"), [("change_point", "A cut must gain more than"), ("structure", "Paragraph of")]
)
def test_the_other_steps_go_by_page_keys_and_build_up(page, app_url, chunker, title):
    root = open_steps(page, app_url, f"{LINK}&c1={chunker}&step=1&pace=build")
    told, stepper = page.locator(".told"), page.locator(".stepper")
    expect(told).to_contain_text(title)
    assert shown_cuts(root) == []
    stepper.focus()
    page.keyboard.press("PageDown")
    until(stepper, "({ step }) => step === 2")
    page.keyboard.press("End")
    expect(root.locator(".s.ahead")).to_have_count(0)
    cuts = eventually(lambda: shown_cuts(root), lambda cuts: bool(cuts))
    page.get_by_role("button", name="Predict").click()
    page.keyboard.press("Home")
    eventually(lambda: shown_cuts(root), [])
    assert cuts
    page.locator(".stepper").wait_for(timeout=READY)
