"""The stepper in a real browser, where Streamlit builds it anew while the user steps."""

import pytest
from playwright.sync_api import expect

from tests.fixtures.app_server import app_server
from tests.lanes import mostly_full


@pytest.fixture(scope="module")
def stepper_url(tmp_path_factory):
    with app_server(tmp_path_factory.mktemp("stepper") / "log.txt", "tests/browser/stepper_app.py") as server:
        yield server.url


@pytest.mark.parametrize("pause", mostly_full([0, 250, 400, 900], []))
def test_the_users_step_survives_a_component_that_is_built_anew(open_page, stepper_url, pause):
    page = open_page()
    page.goto(stepper_url)
    where = page.locator(".where")
    expect(where).to_have_text("step 5 of 20")
    page.locator(".stepper").evaluate("(root) => { root.dataset.old = '1' }")
    page.keyboard.press("ArrowRight", delay=pause)
    expect(where).to_have_text("step 6 of 20")
    page.get_by_text("Elsewhere", exact=True).click()
    page.get_by_text("It is elsewhere").wait_for()
    # Until the run ends, Streamlit shows both.
    where = page.locator(".stepper:not([data-old]) .where")
    expect(where).to_have_text("step 6 of 20")
    page.get_by_text("The server knows step 6").wait_for()
    expect(page.locator("[data-old]")).to_have_count(0)
    page.get_by_role("button", name="Step back").click()
    page.get_by_text("The server knows step 5").wait_for()
    expect(where).to_have_text("step 5 of 20")
