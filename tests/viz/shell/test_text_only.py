"""Text written or named by users is shown only as text: never by an element that renders Markdown or HTML.

The test puts a mark into everything that a user can name or write, and looks for it in every element of every page.
"""

import pytest

from chunkers import build_chunker, load_embedder
from sample_docs import load_sample
from tests.lanes import mostly_full
from tests.support import ended
from tests.viz.app_steps import settled
from viz.jobs.background_jobs import run_registry
from viz.jobs.retrieval import Retrieval
from viz.jobs.retrieval_plan import Plan, RunMaterial
from viz.shell.navigation import PAGES
from viz.state.shown_text import TextWithDetails

MARK = "zqxjkv"
HOSTILE = f"![{MARK}](http://127.0.0.1:9/{MARK}.png) <b>{MARK}</b> ${MARK}$ [{MARK}](javascript:{MARK}) :red[{MARK}]"

TEXT_ONLY = {
    "bidi_component": "the project's own components set text by textContent",
    "text_area": "what the user typed, in the box",
    "text_input": "what the user typed, in the box",
    "selectbox": "the options of a list",
    "multiselect": "the options of a list",
    "dataframe": "the cells of a table",
    "file_uploader": "the names of files",
    "plotly_chart": "Plotly's own escaping",
}


def elements(node):
    if hasattr(node, "children"):
        for child in node.children.values():
            yield from elements(child)
    if getattr(node, "proto", None) is not None:
        yield node


def rendered(app):
    """Return the elements that hold the mark and may render it."""
    app_elements = [node for part in (app.main, app.sidebar) for node in elements(part)]
    holding = [node for node in app_elements if MARK in str(node.proto)]
    assert holding, "the mark is nowhere on the page, so the test sees nothing"
    return [(node.type, str(node.proto)[:300]) for node in holding if node.type not in TEXT_ONLY or in_a_label(node.proto)]


def in_a_label(proto):
    words = [getattr(proto, name, "") for name in ("label", "help", "placeholder")]
    return any(MARK in word for word in words if isinstance(word, str))


@pytest.mark.parametrize(
    "page", mostly_full([page for page in PAGES if page not in ("tune", "retrieval")], {"compare", "answers"})
)
def test_a_text_and_its_name(app, page):
    app.query_params["embedder"] = "tfidf"
    app.switch_page(PAGES[page].file)
    app.run()
    text = "\n".join([f"{HOSTILE} is here. {HOSTILE} is there.", *load_sample("stubs").text.splitlines()[:20]])
    app.session_state["own"] = TextWithDetails(text, HOSTILE, (len(HOSTILE) + 9,))
    app.session_state["choices"][page].document = "own"
    assert rendered(settled(app)) == []


@pytest.mark.parametrize("page", mostly_full(PAGES, {"compare", "retrieval"}))
def test_what_a_link_says(app, page):
    for name in ("document", "embedder", "tokenizer", "sentences", "c1", "view", "measure", "run", "step", "selected"):
        app.query_params[name] = HOSTILE
    app.query_params["c2"] = "breakpoint"
    app.query_params["c2.amount"] = HOSTILE
    app.query_params[f"c2.{HOSTILE}"] = "1"
    app.switch_page(PAGES[page].file)
    app.run()
    assert not app.exception
    app.session_state["given_consents"] = {("embedder", HOSTILE)}
    assert rendered(app.run()) == []


def run_on(choices, material):
    embedder = load_embedder("tfidf")
    built = tuple(build_chunker(column.chunker, column.parameters, embedder) for column in choices.columns)
    run = Retrieval(Plan(material, built, "tfidf", choices.sentences, choices.tokenizer), embedder, False)
    run.start()
    ended(run)
    assert not run.error
    return run


def test_what_a_retrieval_run_is_of(app):
    documents = ((HOSTILE, f"The heron waits. {HOSTILE} eats fish.\n\nThe owl hunts at night."),)
    asked = '"' + HOSTILE.replace('"', '""') + '","The owl hunts at night."'
    questions = (f"{MARK}.csv", f'question,excerpts\n{asked}\n{asked[:-1]} {MARK}"\n'.encode())
    app.query_params["embedder"] = "tfidf"
    app.query_params["c1"], app.query_params["c2"] = "fixed_sentences", "recursive"
    app.switch_page(PAGES["retrieval"].file)
    app.run()
    plan = app.session_state["choices"]["retrieval"]
    run = run_on(plan, RunMaterial(documents, questions, own=True))
    plan.extra["run"] = run_registry().keep(run)
    app.run()
    assert not app.exception
    assert rendered(app) == []
