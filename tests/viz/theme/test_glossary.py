"""One word for each thing: the glossary is as its file says, and no page uses a word that it replaces."""

import json

import pytest

from tests.lanes import mostly_full
from tests.viz.app_steps import settled
from viz.shell.navigation import PAGES
from viz.theme import glossary

STATES = {
    "compare": [{"c1": "breakpoint", "c1.min_size": "20", "c2": "double_pass", "embedder": "another/model"}, {}],
    "breakpoints": [{"view": "steps"}],
    "retrieval": [{"measure": "precision_omega"}],
}
"""Links beside a page's first screen."""


def words_of(app):
    """Return all that a page sends to the browser, as text."""

    def walk(node):
        proto = getattr(node, "proto", None)
        if proto is not None:
            yield json.dumps(str(proto), ensure_ascii=False).encode().decode("unicode_escape", "ignore")
            yield str(proto)
        for child in getattr(node, "children", {}).values():
            yield from walk(child)

    return "\n".join(walk(app._tree))


REPLACED = (
    "at rest",
    "beside ours",
    "Sizes count",
    "Count tokens of",
    "Cut again",
    "The ledger says",
    "Precision Ω",
    "Chunks that count",
)
"""Words that the glossary has replaced."""


def test_the_file_is_what_the_code_says():
    assert glossary.GENERATED_GLOSSARY_FILE.read_text(encoding="utf-8") == glossary.glossary_document()


def test_every_word_is_explained_once():
    words = [word for part in glossary.TERMS_BY_GLOSSARY_PART.values() for word in part]
    assert len(set(words)) == len(words)
    assert all(meaning.endswith(".") for part in glossary.TERMS_BY_GLOSSARY_PART.values() for meaning in part.values())


@pytest.mark.parametrize("name", mostly_full(PAGES, {"compare", "breakpoints", "guide"}))
def test_no_page_says_what_the_glossary_replaces(app, name):
    for query in ({}, *STATES.get(name, [])):
        app.query_params.clear()
        for word, value in {"embedder": "tfidf", **query}.items():
            app.query_params[word] = value
        app.switch_page(PAGES[name].file)
        settled(app)
        text = words_of(app)
        assert len(text) > 1000
        assert [old for old in REPLACED if old in text] == []


@pytest.mark.page
def test_the_check_sees_what_a_page_says(app):
    app.query_params["embedder"] = "tfidf"
    settled(app)
    text = words_of(app)
    assert all(word in text for word in ("Tokens as", "Fixed sentences", "More settings", "Other model…"))
