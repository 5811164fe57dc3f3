"""Which splitter a document comes with: a sample its own, the user's text the default or the one chosen by hand."""

import pytest

from chunkers import DEFAULT_SPLITTER, Document
from viz.state.text import sentences_said

LINES = "One sentence. Another one.\nA third."


def opened(app, **query):
    app.query_params.update({"embedder": "tfidf", **query})
    return app.run()


def own(app):
    app.selectbox(key="document").set_value("own").run()
    return app.text_area(key="pasted").set_value(LINES).run()


def splitter(app):
    """Return the splitter that the side bar shows, which is the link's, too."""
    shown = app.selectbox(key="sentences").value
    assert app.query_params.get("sentences", shown) == shown
    return shown


def test_a_pasted_text_is_not_split_as_the_sample_before_it(app):
    # The first sample is split into lines.
    assert splitter(opened(app)) == "lines"
    assert splitter(own(app)) == DEFAULT_SPLITTER
    assert app.query_params["sentences"] == DEFAULT_SPLITTER
    app.selectbox(key="document").set_value("algorithm").run()
    assert splitter(app) == "lines"


@pytest.mark.parametrize("query", [{}, {"document": "report", "sentences": "paragraphs"}])
def test_a_splitter_chosen_by_hand_or_by_a_link_stays(app, query):
    opened(app, **query)
    if not query:
        app.selectbox(key="sentences").set_value("paragraphs").run()
    assert splitter(own(app)) == "paragraphs"


def test_the_own_text_keeps_its_splitter_while_a_sample_is_shown(app):
    opened(app)
    own(app)
    app.selectbox(key="sentences").set_value("regex").run()
    app.selectbox(key="document").set_value("stubs").run()
    assert splitter(app) == "lines"
    app.selectbox(key="document").set_value("own").run()
    assert splitter(app) == "regex"


def test_the_language_is_shown_and_can_be_chosen(app):
    own(opened(app))
    assert app.selectbox(key="language").value == ""
    app.selectbox(key="language").set_value("de").run()
    assert app.query_params["sentences"] == "sentencex:de"
    assert app.selectbox(key="sentences").value == "sentencex"
    app.selectbox(key="sentences").set_value("regex").run()
    assert app.query_params["sentences"] == "regex"
    assert not [box for box in app.selectbox if box.key == "language"]


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("One. Two.", "sentencex", "2 sentences by the rules of English (detected)"),
        ("Eins. Zwei.", "sentencex:de", "2 sentences by the rules of German"),
        ("One.", "spacy", "1 sentence"),
    ],
)
def test_what_is_said_of_the_sentences(text, name, said):
    assert sentences_said(Document.from_text(text, name)) == said
