"""The splitter of a document: a sample's own, the default for the user's text, or the user's choice."""

import time

import pytest

from chunkers import DEFAULT_SPLITTER, Document
from chunkers.text import reader_process
from tests.support import LIMIT, ended
from tests.viz.app_steps import box_of, choose_document, widget
from viz.jobs import file_reading
from viz.state.shown_text import language_label

LINES = "One sentence. Another one.\nA third."


def opened(app, **query):
    app.query_params.update({"embedder": "tfidf", **query})
    return app.run()


def own(app):
    return box_of(app).set_value(LINES).run()


def splitter(app):
    """Return the splitter that the side bar shows, which is the link's, too."""
    shown = widget(app.selectbox, "sentences").value
    assert app.query_params.get("sentences", shown) == shown
    return shown


def test_a_pasted_text_is_not_split_as_the_sample_before_it(app):
    # The first sample is split into lines.
    assert splitter(opened(app)) == "lines"
    assert splitter(own(app)) == DEFAULT_SPLITTER
    assert app.query_params["sentences"] == DEFAULT_SPLITTER
    choose_document(app, "algorithm")
    assert splitter(app) == "lines"


@pytest.mark.parametrize("query", [{}, {"document": "report", "sentences": "paragraphs"}])
def test_a_splitter_chosen_by_hand_or_by_a_link_stays(app, query):
    opened(app, **query)
    if not query:
        widget(app.selectbox, "sentences").set_value("paragraphs").run()
    assert splitter(own(app)) == "paragraphs"


def test_the_own_text_keeps_its_splitter_while_a_sample_is_shown(app):
    opened(app)
    own(app)
    widget(app.selectbox, "sentences").set_value("regex").run()
    choose_document(app, "stubs")
    assert splitter(app) == "lines"
    choose_document(app, "own")
    assert splitter(app) == "regex"


POLISH = "Latarnia morska stoi na wysokim brzegu i świeci każdej nocy. Gdy nadchodzi mgła, słychać głośny dźwięk rogu."


def read_to_the_end(app):
    until = time.monotonic() + LIMIT
    while app.session_state["upload_reading_job"] is not None and time.monotonic() < until:
        time.sleep(0.1)
        app.run()


def uploaded(app, name, data, wait=True):
    next(uploader for uploader in app.get("file_uploader") if uploader.key == "file").upload(name, data, "text/plain").run()
    if wait:
        read_to_the_end(app)
    return app.session_state["own"] if "own" in app.session_state else None  # noqa: SIM401 - it has no get


def test_the_page_says_what_a_file_was_read_as_and_it_can_be_changed(app):
    opened(app)
    own = uploaded(app, "pl.txt", POLISH.encode("cp1250"))
    assert (own.text, own.teaches) == (POLISH, "read as cp1250")
    chosen = app.selectbox(key="own_named")
    assert (chosen.label, chosen.value, chosen.options[0]) == ("Encoding", "cp1250", "cp1250")
    chosen.set_value("cp1252").run()
    read_to_the_end(app)
    own = app.session_state["own"]
    assert (own.text, own.teaches) == (POLISH.encode("cp1250").decode("cp1252"), "read as cp1252")
    assert app.selectbox(key="own_named").options[0] == "cp1250"
    box_of(app).set_value("Another text.").run()
    assert not any(box.key == "own_named" for box in app.selectbox)


def test_the_page_says_what_was_left_out_of_a_file(app):
    opened(app)
    own = uploaded(app, "a.html", b"<meta charset=utf-8><p>One.</p><script>1</script><img>")
    assert own.teaches == "read as HTML, by markdownify, in utf-8 · left out: 1 script and 1 picture"


def test_a_file_that_cannot_be_read_as_it_was_named_can_be_read_as_something_else(app):
    opened(app)
    assert uploaded(app, "pl.txt", POLISH.encode() + b"\xff") is None
    assert "is not valid UTF-8" in app.session_state["own_complaint"]
    app.selectbox(key="own_named").set_value("cp1250").run()
    read_to_the_end(app)
    assert app.session_state["own"].teaches == "read as cp1250"
    assert not app.session_state["own_complaint"]


def test_while_a_file_is_read_the_page_shows_it_with_cancel(app, monkeypatch):
    monkeypatch.setattr(file_reading, "PATIENCE_S", 0.0)
    opened(app)
    assert uploaded(app, "slow.html", b"<li>Item here.</li>" * 500_000, wait=False) is None
    cancel = next(button for button in app.button if button.label == "Cancel")
    job = app.session_state["upload_reading_job"]
    cancel.click().run()
    ended(job)
    assert app.session_state["upload_reading_job"] is None


def test_a_file_that_takes_too_long_is_a_sentence_on_the_page(app, monkeypatch):
    monkeypatch.setattr(reader_process, "MOST_READING_SECONDS", 0.5)
    opened(app)
    uploaded(app, "slow.html", b"<li>Item here.</li>" * 500_000)
    assert app.session_state["own_complaint"].startswith("slow.html: a file may take at most 0.5 seconds to be read")


def test_the_language_is_shown_and_can_be_chosen(app):
    own(opened(app))
    assert app.selectbox(key="language").value == ""
    app.selectbox(key="language").set_value("de").run()
    assert app.query_params["sentences"] == "sentencex:de"
    assert widget(app.selectbox, "sentences").value == "sentencex"
    widget(app.selectbox, "sentences").set_value("regex").run()
    assert app.query_params["sentences"] == "regex"
    assert not [box for box in app.selectbox if box.key == "language"]


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("One. Two.", "sentencex", "English (detected)"),
        ("Eins. Zwei.", "sentencex:de", "German"),
        ("Das Haus ist alt.", "regex", "German (detected)"),
    ],
)
def test_what_is_said_of_the_language(text, name, said):
    assert language_label(Document.from_text(text, name)) == said
