"""Sweeps of the chunkers that ask a language model: all settings are counted together, and sent after the click alone."""

import pytest
from streamlit.testing.v1 import AppTest

from chunkers import Document
from chunkers.methods.llm import Llm
from evaluation.segmentation import settings_sweep as sweeps
from sample_docs import load_sample, sample_splitters
from tests import ROOT
from tests.server import ChatModelServer
from tests.support import LIMIT, ScriptedModel, ended, tools
from tests.viz.app_steps import press, remarks, said, sweep_of
from viz.state.chosen_models import missing_model_message

pytestmark = pytest.mark.page


def test_a_sweep_over_windows_is_counted_whole_and_sent_after_the_click_alone(monkeypatch, serve):
    # However many runs there are, no other process asks.
    monkeypatch.setattr(sweeps, "MOST_SEQUENTIAL_RUNS", 0)
    scripted = ScriptedModel()
    http = serve(ChatModelServer, lambda messages: scripted.words(messages[1]["content"]))
    app = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    words = {"what": "llm", "first": "window", "values": "100, 200", "documents": "stubs", "held": "none"}
    app.query_params.update({"embedder": "tfidf", "tokenizer": "words", **words})
    app.switch_page("pages/tune.py")
    app.run()
    assert missing_model_message() in remarks(app)
    app.text_input(key="language_name").set_value("test")
    app.text_input(key="language_address").set_value(http.address)
    press(app, "Use this model")
    press(app, "Run")
    ended(app.session_state["estimation_job"])
    app.run()
    (told,) = [text for text in said(app) if text.startswith("This sweep sends 1 document, once for every setting, to 127.")]
    assert (http.requests, sweep_of(app)) == ([], None)
    press(app, "Send")
    sweep = ended(sweep_of(app))
    assert not sweep.error
    assert len(sweep.rows) == sweep.part_count == 5
    assert sweep.ledger.spent.requests == len(http.requests) > 1
    document = Document.from_text(load_sample("stubs").text, sample_splitters()["stubs"])
    estimates = [Llm(window=window).estimate(document, tools()) for window in (100, 200)]
    requests, tokens, _ = map(sum, zip(*estimates, strict=True))
    # One request more asks whether the server enforces a schema.
    assert f"about {tokens + 50:,} tokens in {requests + 1} requests" in told
    app.run()
    assert not app.exception
