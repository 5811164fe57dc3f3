"""A notebook is run, and what it shows is opened in a real browser: nothing runs there, whatever the text says."""

import json
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
from nbclient import NotebookClient

from tests import ROOT
from tests.fixtures.hostile_strings import STRINGS

CELLS = (
    "from chunkers import chunk, compare\nimport json\ntext = json.loads(WRITTEN)",
    "one = chunk(text, 'breakpoint', amount=60, embedder='tfidf', sentences='lines')\none",
    "other = chunk(text, 'recursive', size=120, overlap=40, embedder='tfidf', sentences='lines')\n"
    "compare(one, recursive=other)",
    "repr(one), len(one), [piece.start for piece in one][:2], len(one[1:3])",
    "one.to_dataframe().text.tolist() == list(one.texts)",
    "[document.page_content for document in one.to_documents()] == list(one.texts)",
)


def run(text):
    """Run the notebook; return it with its outputs."""
    first, *others = CELLS
    cells = [first.replace("WRITTEN", repr(json.dumps(text))), *others]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}})
    # It runs a loop of its own, and the browser has one in this thread.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(client.execute).result()
    nbformat.validate(notebook)
    return notebook


def shown(notebook, kind):
    outputs = [output for cell in notebook.cells for output in cell.outputs if output.output_type == "execute_result"]
    return [output.data[kind] for output in outputs if kind in output.data]


@pytest.fixture(scope="module")
def outputs():
    return run("\n".join(STRINGS))


@pytest.mark.full
def test_the_notebook_gives_what_the_library_gives(outputs):
    *_, described, frame, documents = shown(outputs, "text/plain")
    assert described.startswith('("<Chunking by breakpoint: ')
    assert "characters" in described
    assert (frame, documents) == ("True", "True")


@pytest.mark.full
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_it_shows_runs_nothing_and_asks_for_nothing(outputs, open_page, theme):
    pieces = shown(outputs, "text/html")
    assert len(pieces) == 2
    page = open_page(color_scheme=theme, viewport={"width": 1280, "height": 900})
    asked, messages = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: messages.append(message.text))
    page.set_content("".join(f"<section class=output>{piece}</section>" for piece in pieces), wait_until="networkidle")
    texts = page.evaluate("[...document.querySelectorAll('.output:first-child .text')].map(one => one.textContent)")
    assert "\n".join(texts).split() == "\n".join(STRINGS).split()
    assert page.evaluate("[window.ran, document.body.dataset.ran]") == [None, None]
    assert page.evaluate("document.querySelectorAll('script, img, iframe, a, object, link, form, input').length") == 0
    assert not asked
    assert not messages
    ground = page.evaluate("getComputedStyle(document.querySelector('.seamark-out')).backgroundColor")
    assert ground == {"light": "rgb(251, 250, 247)", "dark": "rgb(22, 24, 27)"}[theme]
    # Pointing at a sentence shows why no chunk ends after it; a cut's reason stands at it.
    assert page.locator(".output .text span[title^='not cut after this: ']").count() > 5
    assert page.locator(".output .why").count() > 5
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
