"""Files that are given while the page is drawn over and over arrive; without `viz.server.streamlit_patches`, not all do."""

import pytest
from playwright.sync_api import expect

from tests.fixtures.app_server import app_server


@pytest.fixture(scope="module")
def restless_url(tmp_path_factory):
    with app_server(tmp_path_factory.mktemp("restless") / "log.txt", "tests/browser/restless_app.py") as server:
        yield server.url


@pytest.mark.full
def test_no_file_is_lost(open_page, restless_url):
    page = open_page()
    page.goto(restless_url)
    page.get_by_text("Files", exact=True).wait_for()
    names = [f"{number}.txt" for number in range(8)]
    for number, name in enumerate(names, start=1):
        page.locator("input[type=file]").set_input_files({"name": name, "mimeType": "text/plain", "buffer": b"One."})
        expect(page.get_by_test_id("stCode")).to_have_text(", ".join(names[:number]))
