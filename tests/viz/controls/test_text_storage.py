"""Questions outlive a reload, and a text that is kept on this machine comes back with all that was made of it."""

import json

import pytest

from sample_docs import load_sample
from tests.viz.app_steps import box_of, choose_document, sent, tell
from viz.components.browser_exchange import utf16_offsets
from viz.jobs import shared_resources
from viz.jobs.storage.disk_text_store import DiskTextStore
from viz.state import stored_texts_and_questions
from viz.state.choices import ColumnChoice

TEXT = "The lamp turns all night. A ship sees it. The keeper sleeps by day. Nobody else lives there."


@pytest.fixture
def app(app, monkeypatch, tmp_path):
    store = DiskTextStore(tmp_path / "notebooks.sqlite")
    monkeypatch.setattr("viz.state.stored_texts_and_questions.disk_text_store", lambda: store)
    monkeypatch.setattr("viz.controls.text_storage.disk_text_store", lambda: store)
    app.query_params["embedder"] = "tfidf"
    app.store = store
    return app.run()


@pytest.fixture
def again(app):
    """Return a function that opens the app in a session of its own, as a reload does."""

    def opened(**query):
        other = type(app).from_file(app._script_path, default_timeout=app.default_timeout)
        other.query_params.update({"embedder": "tfidf", **query})
        return other.run()

    return opened


def paste(app, text=TEXT):
    return box_of(app).set_value(text).run()


def mark(app, question, answer):
    """Ask a question and mark its answer."""
    document = app.session_state["split_document"]
    app.session_state["question"] = question
    start = document.text.index(answer)
    start, end = utf16_offsets(document.text, [start, start + len(answer)])
    return tell(app, "reader", "answer", start=start, end=end)


def questions(app):
    return [(question.question, question.answer) for question in app.session_state["questions"]]


def tab(app):
    """Return the questions, as JSON, that the tab is told to keep; None if it is told of none."""
    for part in app.get("bidi_component"):
        if "seamark_words" in part.proto.component_name:
            return json.loads(part.proto.json)[0]["words"]
    return None


def chip(app):
    """Return the chip beside the document's name."""
    return sent(app, "ask_questions")["storage"]


def keep(app):
    return tell(app, "document", "storage", act="keep")


def value(app, key):
    """Return a value of the session, None before it is set."""
    return app.session_state.get(key)


def press(app, key):
    return next(button for button in app.button if button.key == key).click().run()


def test_a_reload_loses_no_question_about_a_sample_or_the_own_text(app, again):
    assert tab(app) is None
    sample = load_sample(app.session_state["choices"]["compare"].document)
    mark(app, "About the sample?", sample.text[:20])
    paste(app)
    mark(app, "Who sees it?", "A ship sees it.")
    told = tab(app)
    reloaded = again()
    tell(reloaded, "document", "questions", questions=told)
    assert questions(reloaded) == [("About the sample?", sample.text[:20])]
    # The other waits for its text, and is still in the tab meanwhile.
    assert sorted(question["question"] for question in json.loads(tab(reloaded))) == ["About the sample?", "Who sees it?"]
    paste(reloaded)
    assert questions(reloaded)[1:] == [("Who sees it?", "A ship sees it.")]
    tell(reloaded, "document", "questions", questions=told)
    assert len(questions(reloaded)) == 2


@pytest.mark.parametrize(
    "told", [None, 7, "", "{", "[1]", '[{"question": "x"}]', "[" * 5000, '[{"question": "a", "start": -1}]']
)
def test_what_the_tab_cannot_have_kept_is_no_question(app, told):
    tell(app, "document", "questions", questions=told)
    assert not app.exception
    assert questions(app) == []


def test_an_answer_that_is_not_in_the_text_is_dropped(app, again):
    paste(app)
    mark(app, "Who sees it?", "A ship sees it.")
    (question,) = json.loads(tab(app))
    reloaded = paste(again())
    tell(reloaded, "document", "questions", questions=json.dumps([question | {"start": question["start"] + 1}]))
    assert questions(reloaded) == []


def test_a_kept_text_comes_back_in_another_session_with_boundaries_questions_and_columns(app, again):
    paste(app, f"{TEXT}\n---\nA second part.")
    mark(app, "Who sees it?", "A ship sees it.")
    keep(app)
    (kept,) = app.store.listed()
    assert (kept.name, kept.question_count) == ("Pasted text", 1)
    mark(app, "Who sleeps?", "The keeper sleeps by day.")
    app.session_state["choices"]["compare"].columns[1] = ColumnChoice("fixed_words", {"size": 30})
    app.run().run()
    other = again()
    press(other, f"kept_text_open_{kept.id}")
    assert not other.exception
    assert other.session_state["own"].text == app.session_state["own"].text
    assert other.session_state["own"].known == app.session_state["own"].known
    assert questions(other) == [("Who sees it?", "A ship sees it."), ("Who sleeps?", "The keeper sleeps by day.")]
    assert other.session_state["choices"]["compare"].columns == app.session_state["choices"]["compare"].columns
    assert other.session_state["choices"]["compare"].document == "own"


def test_a_link_without_its_text_offers_the_kept_ones(app, again):
    paste(app)
    keep(app)
    (kept,) = app.store.listed()
    other = again(document="own")
    tell(other, "document", "kept", head=None, text="")
    assert "does not include its text" in other.session_state["lost_text_message"]
    press(other, f"kept_text_open_{kept.id}")
    assert other.session_state["own"].text == TEXT
    assert other.session_state["lost_text_message"] == ""


def test_another_text_does_not_take_the_kept_ones_place_and_an_edit_does(app):
    paste(app)
    keep(app)
    paste(app, TEXT.replace("ship", "boat"))
    assert [app.store.read(kept_text.id)[2] for kept_text in app.store.listed()] == [TEXT.replace("ship", "boat")]
    paste(app, "Something else entirely, which nobody asked to keep.")
    app.run()
    assert [app.store.read(kept_text.id)[2] for kept_text in app.store.listed()] == [TEXT.replace("ship", "boat")]
    assert chip(app)["state"] == "offered"


def test_a_removed_text_stays_on_the_page_and_is_not_kept_again(app):
    paste(app)
    keep(app)
    (kept,) = app.store.listed()
    press(app, f"kept_text_remove_{kept.id}")
    mark(app, "Who sees it?", "A ship sees it.")
    assert app.store.listed() == []
    assert app.session_state["own"].text == TEXT


def test_a_full_file_says_so_and_offers_to_remove_or_to_save(app, monkeypatch):
    monkeypatch.setattr("viz.jobs.storage.disk_text_store.MOST_STORED_BYTES", 20_000)
    paste(app, "A sentence of a long text. " * 2_000)
    keep(app)
    assert "Remove a kept text, or save a session file" in app.session_state["storage_complaint"]
    assert app.store.listed() == []


def test_a_damaged_entry_is_a_sentence(app, again):
    place = app.store.write(None, "notes.txt", 0, b"{", "d", TEXT)
    other = again()
    press(other, f"kept_text_open_{place.id}")
    assert "must be written by this version of Seamark" in other.session_state["storage_complaint"]
    app.store.remove(place.id)


@pytest.mark.parametrize(
    ("address", "hosts", "private"),
    [
        ("127.0.0.1", ["localhost", "127.0.0.1", "::1"], True),
        ("localhost", [], True),
        ("::1", ["[::1]"], True),
        ("", ["localhost"], False),
        ("0.0.0.0", ["localhost"], False),
        ("127.0.0.1", ["localhost", "seamark.example.com"], False),
        ("127.0.0.1", ["*"], False),
    ],
)
def test_texts_are_kept_only_where_this_machine_alone_reaches_the_server(monkeypatch, address, hosts, private):
    options = {"server.address": address, "server.allowedHosts": hosts}
    monkeypatch.setattr(stored_texts_and_questions.st, "get_option", options.get)
    assert stored_texts_and_questions.is_server_private() is private


def test_the_store_is_in_the_users_data_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert shared_resources.user_data_folder() == tmp_path / "seamark"


def test_the_chip_offers_to_keep_before_anything_is_lost_and_then_to_remove(app):
    assert chip(app)["state"] == ""
    paste(app)
    assert chip(app)["state"] == "offered"
    mark(app, "Who sees it?", "A ship sees it.")
    assert chip(app)["state"] == "urgent"
    assert chip(app)["title"].startswith("Only this tab has its 1 question. ")
    keep(app)
    assert chip(app)["state"] == "kept"
    tell(app, "document", "storage", act="remove")
    assert app.store.listed() == []
    assert chip(app)["state"] == "urgent"
    tell(app, "document", "storage", act="file")
    assert app.session_state["below"] == "Downloads"


def test_where_others_reach_the_server_the_chip_leads_to_the_session_file(app, monkeypatch):
    monkeypatch.setattr("viz.controls.text_storage.is_server_private", lambda: False)
    paste(app)
    assert chip(app)["state"] == "shared"
    keep(app)
    assert app.store.listed() == []


def test_questions_about_a_sample_are_kept_too(app, again):
    choose_document(app, "article")
    assert chip(app)["state"] == ""
    text = app.session_state["split_document"].text
    mark(app, "About the sample?", text[:20])
    keep(app)
    (kept,) = app.store.listed()
    assert kept.question_count == 1
    other = again()
    press(other, f"kept_text_open_{kept.id}")
    assert not other.exception
    assert other.session_state["choices"]["compare"].document == "article"
    assert value(other, "own") is None
    assert questions(other) == [("About the sample?", text[:20])]
    assert chip(other)["state"] == "kept"


def test_ones_own_link_opens_the_kept_text_in_another_tab(app, again):
    paste(app)
    mark(app, "Who sees it?", "A ship sees it.")
    keep(app)
    app.run()
    link = {name: value[0] if isinstance(value, list) else value for name, value in dict(app.query_params).items()}
    assert link["document"] == "own"
    assert TEXT not in str(link)
    other = again(**link, c1="fixed_words")
    tell(other, "document", "kept", head=None, text="")
    assert not other.exception
    assert other.session_state["own"].text == TEXT
    assert other.session_state["lost_text_message"] == ""
    assert questions(other) == [("Who sees it?", "A ship sees it.")]
    # Only who changes something writes, so that two tabs have one text until both do.
    (kept_text,) = app.store.listed()
    mark(app, "Who sleeps?", "The keeper sleeps by day.")
    app.run()
    assert [(kept.id, kept.question_count) for kept in app.store.listed()] == [(kept_text.id, 2)]
    # The link's settings stay.
    assert other.session_state["choices"]["compare"].columns[0].chunker == "fixed_words"
    tell(app, "document", "storage", act="remove")
    stranger = again(**link)
    tell(stranger, "document", "kept", head=None, text="")
    assert "does not include its text" in stranger.session_state["lost_text_message"]
    assert value(stranger, "own") is None


def test_a_replaced_text_with_a_question_can_be_brought_back(app):
    paste(app)
    mark(app, "Who sees it?", "A ship sees it.")
    other = "Something else entirely, which nobody asked a question."
    paste(app, other)
    press(app, "replaced_back")
    assert app.session_state["own"].text == TEXT
    assert value(app, "replaced") is None
    assert questions(app) == [("Who sees it?", "A ship sees it.")]
    # One that has nothing to lose, or is kept, goes without a word.
    keep(app)
    paste(app, other)
    assert value(app, "replaced") is None
    paste(app, "A third text of quite other words.")
    assert value(app, "replaced") is None
