"""Sweeps that outlive the server: what the page shows of them after a restart, and what it needs to go on."""

import pytest
from streamlit.testing.v1 import AppTest

from chunkers import Cancelled
from evaluation.segmentation import settings_sweep as sweeps
from evaluation.segmentation.texts_with_known_boundaries import MarkedText
from tests import ROOT
from tests.support import LIMIT, ended
from tests.viz.app_steps import press, remarks, said, sweep_of
from viz.tune.session import MarkedDocuments

pytestmark = pytest.mark.page

WORDS = {"what": "fixed_sentences", "first": "size", "values": "2,3,4,5", "documents": "stubs", "held": "article"}
OWN = MarkedText("my diary.txt", "I went out.\nIt rained.\nI came home.\nI slept.\n", (24,))


def opened(on_disk=False, own=(), **words):
    app = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    for name, word in {"embedder": "tfidf", **WORDS, **words}.items():
        app.query_params[name] = word
    if own:
        app.session_state["tune_uploaded"] = MarkedDocuments(list(own))
    app.switch_page("pages/tune.py")
    app.run()
    if on_disk:
        app.toggle(key="on_disk").set_value(True).run()
    assert not app.exception
    return app


@pytest.fixture
def computed(monkeypatch):
    """The runs that are computed; a sweep is interrupted as soon as there are as many as ``most``."""
    row = sweeps._sweep_row

    class Computed(list):
        most = 1000

    runs = Computed()

    def counted(marked, setting, *others):
        if len(runs) >= runs.most:
            raise Cancelled
        runs.append((marked.document.name, dict(setting.parameters)["size"]))
        return row(marked, setting, *others)

    monkeypatch.setattr(sweeps, "_sweep_row", counted)
    return runs


def interrupted(computed, restart, **others):
    """Return the token of a sweep that was interrupted after three runs, before the server was restarted."""
    computed.most = 3
    app = press(opened(on_disk=True, **others), "Run")
    ended(sweep_of(app))
    assert len(computed) == 3
    token = app.query_params["run"]
    computed.clear()
    computed.most = 1000
    restart()
    return token


def test_after_a_restart_the_link_shows_what_was_done_and_goes_on(computed, restart, cache_folder):
    token = interrupted(computed, restart)
    app = opened(run=token)
    assert (
        "This sweep was interrupted; the results for 3 of 14 runs are kept on disk. “Resume” measures the others."
        in said(app)
    )
    assert any("lowest here" in markdown.value for markdown in app.markdown)
    assert len(app.dataframe[-1].value) == 3
    assert not any("changed since" in text for text in said(app))
    assert not computed
    press(app, "Resume")
    ended(sweep_of(app))
    app.run()
    assert app.query_params["run"] == token
    assert sorted(computed) == [("article", 2), ("article", 3), ("article", 4), ("article", 5), ("stubs", 5)]
    assert len(app.dataframe[-1].value) == 7
    assert not any("interrupted" in text for text in said(app))
    assert "Resume" not in [button.label for button in app.button]
    # And now it is done, whatever happens to the server.
    restart()
    computed.clear()
    again = opened(run=token)
    assert [markdown.value for markdown in again.markdown] == [markdown.value for markdown in app.markdown]
    assert not computed


def test_a_sweep_that_was_stopped_goes_on_too(computed, cache_folder):
    app = opened(on_disk=True)
    computed.most = 2
    press(app, "Run")
    ended(sweep_of(app)).cancel()
    computed.most = 1000
    app.run()
    assert any("Stopped after 2 of 14 runs" in text for text in said(app))
    press(app, "Resume")
    assert len(ended(sweep_of(app)).rows) == 14
    assert len(computed) == 8


def test_documents_of_one_s_own_have_to_be_given_again(computed, restart, cache_folder):
    token = interrupted(computed, restart, documents="", held="stubs", own=[OWN])
    app = opened(run=token, documents="", held="stubs")
    assert any("3 of 14 runs" in text for text in said(app))
    assert len(app.dataframe[-1].value) == 3
    (sentence,) = (text for text in remarks(app) if "must be given again" in text)
    assert sentence.startswith("1 document must be given again, under “Your own documents”, with the same name, text and")
    assert next(button for button in app.button if button.label == "Resume").disabled
    app.session_state["tune_uploaded"] = MarkedDocuments([OWN])
    app.run()
    assert not any("must be given again" in text for text in remarks(app))
    press(app, "Resume")
    ended(sweep_of(app))
    assert ("my diary.txt", 2) not in computed
    assert len(computed) == 5
    assert {row.document for row in sweep_of(app).rows} == {"my diary.txt", "stubs"}


def test_it_says_which_embedder_is_needed(computed, restart, cache_folder):
    token = interrupted(computed, restart)
    app = opened(run=token, embedder="all-MiniLM-L6-v2")
    assert "The sweep was begun with the embedder tfidf; to go on, choose it on the left." in remarks(app)
    assert next(button for button in app.button if button.label == "Resume").disabled


def test_bundled_documents_that_have_changed_are_said(computed, restart, cache_folder, monkeypatch):
    token = interrupted(computed, restart)
    monkeypatch.setattr("viz.jobs.sweep._bundled_document", lambda name: MarkedText(name, OWN.text, OWN.known))
    app = opened(run=token)
    assert "Bundled documents of this sweep have changed since it was begun: it must be run again." in remarks(app)
    assert next(button for button in app.button if button.label == "Resume").disabled


def test_nothing_is_written_unless_it_is_asked_for(computed, restart, cache_folder):
    app = press(opened(), "Run")
    ended(sweep_of(app))
    assert not any(cache_folder.rglob("*"))
    token = app.query_params["run"]
    restart()
    again = opened(run=token)
    assert any("no longer remembered" in text for text in said(again))
    assert not any(cache_folder.rglob("*"))


def test_the_button_clears_the_runs_too(computed, restart, cache_folder):
    token = interrupted(computed, restart)
    app = opened(on_disk=True)
    next(button for button in app.button if button.key == "clear_disk").click().run()
    assert any("no longer remembered" in text for text in said(opened(run=token)))


@pytest.mark.parametrize("content", [b"not a database at all" * 500, b"SQLite format 3\0" + b"x" * 5000])
def test_a_file_of_something_else_is_a_sentence(computed, restart, cache_folder, content):
    token = interrupted(computed, restart)
    (file,) = cache_folder.rglob("runs.sqlite")
    file.write_bytes(content)
    app = opened(run=token)
    assert any("must be written by this version of Seamark" in text for text in said(app))
