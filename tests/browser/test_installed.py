"""Seamark as it is installed, with the extra of the app, outside of the checkout: the first screen in a real browser."""

import pytest
from playwright.sync_api import expect

from packing.seamark_backend import MOVED_PACKAGES
from tests.browser.steps import embedded, eventually, read
from tests.fixtures.app_server import app_server
from tests.fixtures.chunker_packages import EXAMPLE, install
from tests.fixtures.environments import build, environment

pytestmark = pytest.mark.slow


@pytest.mark.full
def test_the_command_opens_the_first_screen(tmp_path, page):
    python = environment(tmp_path / "environment", build(tmp_path)[1], ["app"])
    outside = tmp_path / "outside"
    outside.mkdir()
    looks = "import importlib.util\nassert not any(map(importlib.util.find_spec, {names!r}))\n"
    install(tmp_path, looks.format(names=[*MOVED_PACKAGES]) + EXAMPLE)
    beside = {"environment": {"PYTHONPATH": str(tmp_path)}}
    with app_server(outside / "log.txt", program=[str(python.with_name("seamark")), "--no-browser"], **beside) as server:
        page.goto(server.url)
        embedded(page)
        reader = page.locator(".seamark").first
        assert read(reader, "({ columns }) => columns.length") == 3
        eventually(lambda: read(reader, "({ columns }) => columns.every(({ cuts }) => cuts.length > 0)"), True)
        # Another package's chunker is found there, and the bare names of our rooms are not.
        page.goto(f"{server.url}/?c1=signal_words")
        embedded(page)
        eventually(lambda: read(reader, "({ columns }) => columns.length"), 1)
        expect(page.get_by_text("which cannot be used")).to_have_count(0)
        # The page is that of the checkout, with its style and its settings.
        assert page.title() == "Seamark"
        assert page.evaluate("getComputedStyle(document.body).fontFamily").startswith("system-ui")
    log = (outside / "log.txt").read_text(encoding="utf-8")
    assert "Traceback" not in log
    assert not [*outside.glob("*.db"), *outside.glob(".streamlit")]
