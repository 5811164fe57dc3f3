"""Files of an earlier version open unchanged: links of every page, a recipe and a session file.

The files in ``before/`` and the links were written by the version before the code moved into rooms (commit 1357f43).
"""

import json

import pytest

from chunkers.commands.chunk_command import main
from sample_docs import load_sample
from tests import ROOT
from tests.viz.app_steps import settled

BEFORE = ROOT / "tests" / "viz" / "state" / "before"

LINKS = {
    "compare": {
        "document": "formulas",
        "sentences": "regex",
        "embedder": "tfidf",
        "tokenizer": "words",
        "selected": "3",
        "c1": "fixed_words",
        "c1.size": "40",
        "c1.overlap": "5",
        "c2": "breakpoint",
        "c2.threshold": "gradient",
        "c2.amount": "80",
        "c2.max_size": "300",
        "c3": "double_pass",
        "c3.merging_threshold": "0.3",
        "c4": "single_linkage",
        "c4.position_weight": "0.25",
    },
    "breakpoints": {
        "document": "faq",
        "sentences": "lines",
        "embedder": "tfidf",
        "c1": "breakpoint",
        "c1.threshold": "distance",
        "c1.amount": "0.8",
        "axis": "similarity",
        "margin": "0.05",
        "step": "4",
        "view": "steps",
    },
    "double_pass": {
        "document": "stubs",
        "sentences": "lines",
        "embedder": "tfidf",
        "selected": "2",
        "step": "7",
        "c1": "double_pass",
        "c1.look_ahead": "2",
        "c2": "breakpoint",
        "c2.amount": "55.5",
    },
    "clustering": {
        "document": "faq",
        "sentences": "lines",
        "embedder": "tfidf",
        "selected": "2",
        "step": "3",
        "c1": "single_linkage",
        "c2": "dbscan",
        "c2.eps": "0.35",
        "c3": "kmeans",
        "c3.clusters": "4",
    },
    "failures": {"document": "faq", "sentences": "lines", "embedder": "tfidf", "selected": "3", "hair": "0.05"},
    "tune": {"embedder": "tfidf", "measure": "window_diff"},
    "retrieval": {
        "document": "stubs",
        "sentences": "lines",
        "embedder": "tfidf",
        "measure": "iou",
        "unit": "tokens",
        "k": "3",
        "cost": "index",
        "kind": "documents",
    },
    "answers": {
        "document": "stubs",
        "sentences": "lines",
        "embedder": "tfidf",
        "budget": "250",
        "questions": "typed",
        "judged": "no",
        "measure": "question_cosine",
        "c1": "fixed_sentences",
    },
    "guide": {"document": "faq", "sentences": "lines", "embedder": "tfidf"},
}


@pytest.mark.parametrize("page", LINKS)
def test_a_link_opens_and_stays_what_it_was(app, page):
    if page != "compare":
        app.run()
        app.switch_page(f"pages/{page}.py")
    for name, word in LINKS[page].items():
        app.query_params[name] = word
    settled(app)
    assert dict(app.query_params) == LINKS[page]
    shown = " ".join(part.proto.json for part in app.get("bidi_component") if '"tone": "error"' in part.proto.json)
    assert "The link" not in shown


def test_a_link_from_before_a_parameter_means_what_it_meant_and_says_where_cuts_may_have_moved(app):
    link = {"document": "essay", "sentences": "regex", "embedder": "tfidf", "c1": "change_point", "c2": "fixed_words"}
    for name, word in link.items():
        app.query_params[name] = word
    settled(app)
    assert dict(app.query_params) == {**link, "c1.cuts_at": "sentences"}
    shown = " ".join(part.proto.json for part in app.get("bidi_component"))
    assert "Column 1: Change points now takes its penalty from the text's own length" in shown
    assert "Column 2: " not in shown


@pytest.mark.model
def test_a_recipe_gives_the_chunks_of_the_session_file(tmp_path, capsys):
    session = json.loads((BEFORE / "seamark-session.json").read_text(encoding="utf-8"))
    text = tmp_path / "text.txt"
    text.write_bytes(session["text"].encode())
    assert main([str(text), "--chunker", str(BEFORE / "breakpoint.recipe.json")]) == 0
    chunks = json.loads(capsys.readouterr().out)["chunks"]
    assert [chunk["spans"] for chunk in chunks] == session["columns"][1]["chunks"]


def test_a_session_file_reopens_with_the_same_chunks(app):
    settled(app)
    uploader = next(widget for widget in app.get("file_uploader") if widget.key == "file")
    uploader.upload("seamark-session.json", (BEFORE / "seamark-session.json").read_bytes(), "application/json").run()
    settled(app)
    assert app.session_state["own"].text == load_sample("formulas").text
    assert [column.chunker for column in app.session_state["choices"]["compare"].columns] == [
        "fixed_words",
        "breakpoint",
        "double_pass",
        "single_linkage",
    ]
    shown = " ".join(part.proto.json for part in app.get("bidi_component"))
    assert "reopened with the same chunks in every column." in shown
