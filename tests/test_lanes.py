"""The quick lane leaves out what it says it leaves out."""

import subprocess
import sys

import pytest
from streamlit.testing.v1 import AppTest

from chunkers.embedders import sentence_models
from chunkers.embedders.numpy_bert_encoder import BertNetwork
from tests import ROOT
from tests.lanes import BY_FILE, BY_FIXTURE, imports_originals, is_left_out, keep_quick

FILES = sorted(path for path in (ROOT / "tests").rglob("test_*.py"))


def test_every_file_that_is_named_is_there():
    names = {path.name for path in FILES}
    for kind in BY_FILE:
        assert BY_FILE[kind] <= names


def test_what_is_left_out_without_a_look_is_the_browsers_and_the_named():
    left_out = {path.name for path in FILES if is_left_out(path)}
    browser = {path.name for path in FILES if path.parent.name == "browser"}
    compared = {path.name for path in FILES if imports_originals(path)}
    assert "test_skewness.py" in compared
    assert left_out == browser | compared | BY_FILE["model"] | BY_FILE["slow"]


def test_a_test_of_a_page_the_browser_or_the_model_is_marked_as_one(request):
    for item in request.session.items:
        marks = {mark.name for mark in item.iter_markers()}
        for kind, fixtures in BY_FIXTURE.items():
            assert kind in marks or not fixtures & set(item.fixturenames), item.nodeid
        assert "browser" in marks or "browser" not in item.path.parts, item.nodeid


def test_the_lane_refuses_models_and_pages_that_are_not_marked(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", [])
    monkeypatch.setattr(AppTest, "run", AppTest.run)
    monkeypatch.setattr(BertNetwork, "__init__", BertNetwork.__init__)
    monkeypatch.setattr(sentence_models, "missing_extra_message", sentence_models.missing_extra_message)
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    keep_quick()
    with pytest.raises(pytest.fail.Exception, match=r"pytest\.mark\.model"):
        import sentence_transformers  # noqa: F401
    with pytest.raises(pytest.fail.Exception, match=r"pytest\.mark\.model"):
        BertNetwork({}, 1, 1.0, "mean")
    with pytest.raises(pytest.fail.Exception, match=r"pytest\.mark\.page"):
        AppTest.from_string("").run()


@pytest.mark.full
def test_the_quick_lane_imports_no_model_while_it_collects():
    collecting = [sys.executable, "-m", "pytest", "--quick", "--collect-only", "-q", "-p", "no:cacheprovider"]
    run = subprocess.run(collecting, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:]
