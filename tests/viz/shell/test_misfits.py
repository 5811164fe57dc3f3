"""Where a text does not suit its splitter or the model, the page says so once and offers what helps."""

import pytest

from benchmarks.sentences import paragraphs
from tests.viz.app_steps import said, settled

CHINESE = paragraphs()["zh"].text * 2
AMHARIC = paragraphs()["am"].text


def opened(app, text, **query):
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    app.text_area(key="pasted").input(text).run()
    return settled(app)


def warned(app, words):
    return [sentence for sentence in said(app) if words in sentence]


def button(app, label):
    return next(one for one in app.button if one.label == label)


def test_a_splitter_that_finds_more_is_one_click_away(app):
    opened(app, CHINESE, embedder="tfidf")
    app.selectbox(key="sentences").select("regex").run()
    (sentence,) = warned(settled(app), "one sentence")
    assert sentence.startswith("Split by regex, the text is one sentence")
    button(app, "Split sentences by sentencex").click().run()
    assert warned(settled(app), "one sentence") == []
    assert app.query_params["sentences"].startswith("sentencex")


@pytest.mark.model
def test_an_embedder_and_a_tokenizer_that_know_the_text_are_one_click_away(app):
    opened(app, AMHARIC)
    assert len(warned(app, "unknown to all-MiniLM-L6-v2")) == 1
    button(app, "Embed with tfidf").click().run()
    # Double pass counts tokens as well.
    assert len(warned(settled(app), "unknown to the tokenizer all-MiniLM-L6-v2")) == 1
    button(app, "Count tokens as characters").click().run()
    assert warned(settled(app), "unknown") == []
    assert (app.query_params["embedder"], app.query_params["tokenizer"]) == ("tfidf", "characters")
