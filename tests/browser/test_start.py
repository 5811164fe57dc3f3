"""Imports of the server until the first page is drawn: each further module delays the first column."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, open_app
from tests.fixtures.app_server import app_server

# Python runs a file of this name at the start of every process that finds it.
HOOK = """
import os, sys

def heard(event, arguments):
    if event == "import" and "." not in arguments[0]:
        with open(os.environ["IMPORTED"], "a") as log:
            print(arguments[0], file=log)

sys.addaudithook(heard)
"""

LATER = {
    *("pandas", "pyarrow", "scipy", "sklearn", "spacy", "sympy", "sentence_transformers", "transformers"),
    *("langchain_text_splitters", "llama_index", "chonkie", "docling", "mcp", "openai"),
}
"""Modules that are slow to import and not needed by the first page."""


@pytest.mark.full
@pytest.mark.model
def test_the_first_page_is_there_without_what_it_does_not_need(page, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(HOOK)
    imported = tmp_path / "imported.txt"
    environment = {"PYTHONPATH": str(tmp_path), "IMPORTED": str(imported)}
    with app_server(tmp_path / "log.txt", environment=environment) as server:
        open_app(page, server.url)
        modules = set(imported.read_text().split())
        assert "streamlit" in modules
        assert modules & LATER == set()
        # It is the page that wants none of them: a table does.
        page.goto(f"{server.url}/guide?c1=breakpoint")
        expect(page.get_by_role("table").first).to_be_visible(timeout=READY)
        assert "pandas" in imported.read_text().split()
