"""The user's own text in the browser's tab, and restoring it in a session."""

import json

import pytest

from chunkers.text.extracted_text import Omission, TextParts
from tests.viz.app_steps import box_of, choose_document, emptied, said, tell
from viz.controls import text_storage
from viz.controls.text_storage import TEXT_NOT_IN_LINK_MESSAGE
from viz.state.choices import OWN_DOCUMENT_KEY
from viz.state.shown_text import TextWithDetails
from viz.state.stored_texts_and_questions import text_in_stored_form

TEXT = "One is here. Two is here. Three is here."
MARKED = "One is here.\n---\nTwo is here. Three is here."
HEAD = {"name": "notes.txt", "known": None, "dashes": None, "teaches": "", "left": 0, "unseen": False, "file": ""}


def bar(app):
    return next(json.loads(part.proto.json)[0] for part in app.get("bidi_component") if '"documents"' in part.proto.json)


def kept(app):
    """Return the head and the text sent to the tab; None if its copy is up to date."""
    for part in app.get("bidi_component"):
        if "seamark_own" in part.proto.component_name:
            _, head, text = part.proto.bytes.decode().split("\n", 2)
            return json.loads(head), text
    return None


def opened(app, **query):
    app.query_params.update({"embedder": "tfidf", **query})
    return app.run()


def answered(app, head, text=""):
    return tell(app, "document", "kept", head=head, text=text)


def test_a_link_to_an_own_text_asks_the_tab_and_shows_no_sample_meanwhile(app):
    opened(app, document=OWN_DOCUMENT_KEY, sentences="lines")
    assert bar(app)["ask"]
    assert said(app) == []
    assert app.query_params["document"] == OWN_DOCUMENT_KEY
    assert "chunking_job" not in app.session_state
    answered(app, HEAD, TEXT)
    assert app.session_state["own"] == TextWithDetails(TEXT, "notes.txt")
    assert (bar(app)["own"], bar(app)["ask"]) == ("notes.txt", "")
    assert app.query_params["sentences"] == "lines"
    assert box_of(app).value == TEXT


def test_a_link_to_a_sample_asks_nothing(app):
    opened(app, document="article")
    assert bar(app)["ask"] == ""
    assert kept(app) is None


def test_a_link_to_a_text_that_the_tab_has_not_says_so_until_another_is_chosen(app):
    opened(app, document=OWN_DOCUMENT_KEY)
    answered(app, None)
    assert said(app) == [TEXT_NOT_IN_LINK_MESSAGE]
    assert bar(app)["chosen"] == "stubs"
    assert bar(app)["open"]
    assert said(app.run()) == [TEXT_NOT_IN_LINK_MESSAGE]
    choose_document(app, "stubs")
    assert said(app) == []
    assert not bar(app)["open"]


def test_the_users_own_choice_of_a_text_that_is_not_there_opens_the_box(app):
    opened(app)
    for _ in range(2):
        choose_document(app, OWN_DOCUMENT_KEY)
        answered(app, None)
        assert said(app) == ["There is no text yet: paste one above or upload a file. The text stays on this machine."]
        assert bar(app)["open"] == "empty"
        choose_document(app, "stubs")
        assert said(app) == []


@pytest.mark.parametrize("dashes", [True, False])
def test_a_text_with_marks_comes_back_as_it_was(app, dashes):
    opened(app)
    box_of(app).set_value(MARKED).run()
    if not dashes:
        app.checkbox(key="dashes_are_boundaries").set_value(False).run()
    own = app.session_state["own"]
    head, text = kept(app)
    assert (text, own.known) == (MARKED, (13,) if dashes else None)
    emptied(app)
    assert kept(app) == (None, "")
    app.session_state["is_own_text_emptied"] = False
    tell(app, "document", "kept", head=head, text=text)
    assert app.session_state["own"] == own
    assert app.checkbox(key="dashes_are_boundaries").value == dashes
    assert kept(app) == (head, text)


def test_lines_of_dashes_are_boundaries_in_a_text_that_the_server_had_not_seen_and_text_in_another(app):
    opened(app, document=OWN_DOCUMENT_KEY)
    answered(app, HEAD, MARKED)
    assert app.session_state["own"] == TextWithDetails(MARKED, "notes.txt")
    app.session_state["own"] = None
    answered(app, {**HEAD, "unseen": True}, MARKED)
    assert app.session_state["own"] == TextWithDetails(MARKED.replace("---\n", ""), "notes.txt", (13,))


def test_boundaries_set_by_clicks_come_back(app):
    opened(app, document=OWN_DOCUMENT_KEY)
    answered(app, {**HEAD, "known": [13, 26]}, TEXT)
    assert app.session_state["own"].known == (13, 26)
    assert kept(app)[0]["known"] == [13, 26]


PARTS = TextParts("page", (0, 13, 26), ("iv", "1", "2"))


def test_the_pages_of_a_file_and_what_was_left_out_come_back(app):
    left_out = (Omission("repeated header", 1, 1, "Sea <b>marks</b>"), Omission("picture", 2, None))
    own = TextWithDetails(TEXT, "notes.pdf", None, "read as PDF", PARTS, left_out)
    opened(app, document=OWN_DOCUMENT_KEY)
    app.session_state["own"] = own
    app.run()
    head, text = kept(app)
    app.session_state["own"] = None
    answered(app, head, text)
    assert app.session_state["own"] == own
    assert app.session_state["split_document"].parts == PARTS
    assert kept(app) == (head, text)


@pytest.mark.parametrize(
    "file",
    [
        "{",
        "[]",
        '{"parts": {"kind": "page", "starts": [0, 99], "labels": ["1", "2"]}}',
        '{"parts": {"kind": "page", "starts": [9, 0], "labels": ["1", "2"]}}',
        '{"parts": {"kind": "page", "starts": [0], "labels": []}}',
        '{"parts": {"kind": "side", "starts": [0], "labels": ["1"]}}',
        '{"left_out": [["picture", "many", 1, ""]]}',
    ],
)
def test_pages_that_cannot_be_are_left_out(app, file):
    opened(app, document=OWN_DOCUMENT_KEY)
    answered(app, {**HEAD, "file": file}, TEXT)
    assert app.session_state["own"] == TextWithDetails(TEXT, "notes.txt")


def test_the_tab_keeps_as_much_of_a_file_as_there_is_room_for(monkeypatch):
    own = TextWithDetails(TEXT, "notes.pdf", parts=PARTS, left_out=(Omission("picture", 1, 1, "x" * 300),))
    sizes = {}
    for most in (1_000, 200, 20):
        monkeypatch.setattr("viz.state.stored_texts_and_questions.MAX_FILE_DETAILS_CHARACTERS", most)
        file = text_in_stored_form(own, None)[0].file
        assert len(file) <= most
        sizes[most] = json.loads(file or "{}")
    assert sizes[1_000]["left_out"]
    assert sizes[200]["parts"]["labels"] == ["iv", "1", "2"]
    assert sizes[200]["left_out"] == []
    assert sizes[20] == {}


@pytest.mark.parametrize("known", [[26, 13], [0], [len(TEXT)], [-4], [13, 13], [10**9]])
def test_boundaries_that_cannot_be_are_left_out(app, known):
    opened(app, document=OWN_DOCUMENT_KEY)
    answered(app, {**HEAD, "known": known}, TEXT)
    assert app.session_state["own"] == TextWithDetails(TEXT, "notes.txt")


@pytest.mark.parametrize(
    ("head", "text"),
    [
        ({}, TEXT),
        ({**HEAD, "name": 7}, TEXT),
        ({**HEAD, "name": "n" * 301}, TEXT),
        ({**HEAD, "known": "13"}, TEXT),
        ("head", TEXT),
        (HEAD, None),
        (HEAD, ""),
        (HEAD, "half a pair \ud800."),
    ],
)
def test_what_a_tab_cannot_have_kept_is_no_text(app, head, text):
    opened(app, document=OWN_DOCUMENT_KEY)
    answered(app, head, text)
    assert not app.exception
    assert said(app) == [TEXT_NOT_IN_LINK_MESSAGE]


def test_a_text_that_is_too_long_for_the_tab_says_so_before_and_after(app, monkeypatch):
    monkeypatch.setattr(text_storage, "MOST_TEXT_CHARACTERS_IN_TAB", 30)
    opened(app)
    box_of(app).set_value(TEXT).run()
    head, text = kept(app)
    assert (head["left"], text) == (len(TEXT), "")
    app.session_state["own"] = None
    app.session_state["tab_answered"] = False
    answered(app, head, text)
    assert said(app) == [
        "The tab could not keep Pasted text: it has 40 characters. Upload it again, or look at this sample."
    ]


def test_a_character_of_two_units_counts_as_two(monkeypatch):
    monkeypatch.setattr(text_storage, "MOST_TEXT_CHARACTERS_IN_TAB", 10)
    assert [text_storage._utf16_length(text) > 10 for text in ("🌊" * 5, "🌊" * 6, "a" * 10, "a" * 11)] == [
        False,
        True,
        False,
        True,
    ]


def test_the_kept_text_is_asked_for_when_its_chip_is_pressed(app):
    opened(app)
    assert bar(app)["ask"] == ""
    choose_document(app, OWN_DOCUMENT_KEY)
    assert bar(app)["ask"]
    answered(app, HEAD, TEXT)
    assert app.session_state["own"].text == TEXT


def test_a_kept_text_does_not_replace_the_one_that_the_session_has(app):
    opened(app)
    box_of(app).set_value("Newer.").run()
    answered(app, HEAD, TEXT)
    assert app.session_state["own"].text == "Newer."


def test_what_the_browser_says_of_the_box_before_it_was_filled_takes_no_text_away(app):
    """A browser sends with each request what all widgets hold, also if the server has filled them meanwhile."""
    opened(app, document=OWN_DOCUMENT_KEY)
    said_late = box_of(app).set_value("")._widget_state
    answered(app, HEAD, TEXT)
    request = app._tree.get_widget_states()
    request.widgets.append(said_late)
    app._run(request)
    assert app.session_state["own"] == TextWithDetails(TEXT, "notes.txt")
    assert box_of(app).value == TEXT
    box_of(app).set_value("").run()
    assert app.session_state["own"] is None
