"""Steps shared by the tests of the Retrieval page."""

import json

from streamlit.testing.v1 import AppTest

from evaluation.retrieval.computed_reports import ReportChoice
from tests import ROOT
from tests.support import LIMIT, ended
from viz.jobs.background_jobs import run_registry
from viz.jobs.retrieval import Retrieval


def opened(**words):
    """Open the page at the top k and the first question, unless the words say otherwise."""
    app = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    words = {"embedder": "tfidf", "c1": "fixed_sentences", "c2": "recursive", "at": "k", "question": "1", **words}
    for name, word in words.items():
        app.query_params[name] = word
    app.switch_page("pages/retrieval.py")
    return app.run()


def word(app, name):
    return app.session_state["choices"]["retrieval"].extra[name]


def run_of(app):
    return run_registry().find(word(app, "run"), Retrieval)


def rows_of(app):
    """Return the rows of the chunkers in the table; the last row is that of all text."""
    table = app.dataframe[0].value
    assert table["chunker"].iloc[-1].endswith(("documents", "document"))
    return table[:-1]


def told(run, choice):
    """Return the report that the page shows."""
    return ended(run.report_job(choice)).report_and_failures.report


def evaluations(run, top_k):
    """Return the evaluation of every chunker, by its number, over the first ``top_k`` chunks."""
    return {
        number: chunker.evaluation
        for number, chunker in told(run, ReportChoice("recall", "characters", top_k, 0)).chunkers.items()
    }


def components(app, name):
    payloads = [
        json.loads(component.proto.json)[0]
        for component in app.get("bidi_component")
        if name in component.proto.component_name
    ]
    return [payload for payload in payloads if payload]


def summary(app):
    return {label: (value, detail) for label, value, detail in components(app, "summary")[0]["cells"]}


def button(app, label):
    return next(button for button in app.button if button.label == label)


def said(app):
    return [notice["text"] for notice in components(app, "notice")]


def retrieved(app):
    """Return the tokens that a question retrieves with each chunker."""
    return next(frame.value["tokens a question"] for frame in app.dataframe if "tokens a question" in frame.value)
