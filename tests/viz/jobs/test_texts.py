"""Values cached for a text live as long as a session shows the text."""

import gc
import threading
import weakref

import pytest
from streamlit.testing.v1 import AppTest

from chunkers import Document, load_embedder, load_tokenizer
from tests import ROOT
from tests.support import LIMIT
from tests.viz.app_steps import choose_document, settled
from viz.jobs import shared_resources
from viz.jobs.shared_resources import ShownTextMarker, cached_while_shown, collect_garbage, drop_values_of_gone_texts
from viz.state.shown_text import TextWithDetails


class Text(str):
    """A text that tells when it is let go."""


@pytest.fixture
def unfrozen():
    """Let other tests collect what this one exempts from that."""
    yield
    gc.unfreeze()


def own_text(lines=40):
    return Text("\n\n".join(f"Line {number} is about {'storms' if number % 7 else 'tariffs'}." for number in range(lines)))


def counting():
    """Return a function that is kept, and what it was called with."""
    calls = []

    @cached_while_shown(8, lambda identity, *others: (identity, *others))
    def made(identity, *others):
        calls.append((identity, *others))
        return len(calls)

    return made, calls


def test_what_is_made_of_a_text_is_forgotten_with_the_last_session_that_shows_it():
    made, calls = counting()
    first, second, other = ShownTextMarker("a"), ShownTextMarker("a"), ShownTextMarker("b")
    assert [made("a", 1), made("a", 2), made("b"), made("a", 1)] == [1, 2, 3, 1]
    del first
    drop_values_of_gone_texts()
    assert made("a", 1) == 1
    del second
    assert made("a", 1) == 1
    drop_values_of_gone_texts()
    assert made("b") == 3
    assert made("a", 1) == 4
    assert calls == [("a", 1), ("a", 2), ("b",), ("a", 1)]
    del other


def test_a_text_may_be_let_go_while_any_lock_is_held():
    """Python calls `__del__` at any moment, in any thread: one that waited for a lock there would wait for itself."""
    made, _ = counting()
    done = threading.Event()

    def let_go():
        showing = ShownTextMarker("c")
        with shared_resources._lock:
            del showing
        drop_values_of_gone_texts()
        done.set()

    made("c")
    threading.Thread(target=let_go, daemon=True).start()
    assert done.wait(LIMIT)
    assert "c" not in shared_resources._session_count_by_text


def test_what_several_ask_for_at_once_is_made_once():
    began, may_end = threading.Event(), threading.Event()
    calls = []

    @cached_while_shown(8, lambda identity: (identity,))
    def made(identity):
        calls.append(identity)
        began.set()
        assert may_end.wait(LIMIT)
        return "made"

    returned = []
    threads = [threading.Thread(target=lambda: returned.append(made("a")), daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert began.wait(LIMIT)
    may_end.set()
    for thread in threads:
        thread.join(LIMIT)
    assert (calls, returned) == (["a"], ["made"] * 3)


@pytest.mark.full
@pytest.mark.page
@pytest.mark.usefixtures("unfrozen")
@pytest.mark.parametrize("page", ["compare", "breakpoints", "double_pass", "clustering", "failures", "guide"])
def test_a_closed_sessions_text_and_job_are_let_go(page):
    app = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    app.query_params["embedder"] = "tfidf"
    if page != "compare":
        app.switch_page(f"pages/{page}.py")
    app.run()
    # As pasted, but as an object that can be watched.
    app.session_state["own"] = TextWithDetails(own_text(), "Pasted text")
    choose_document(app, "own")
    settled(app)
    held = [app.session_state[name] for name in ("split_document", "chunking_job") if name in app.session_state]
    text = held[0].text
    assert isinstance(text, Text)
    watched = [weakref.ref(referent) for referent in (text, *held) if referent is not None]
    assert len(watched) >= 2
    # What Streamlit does with a session that is over.
    del text, held, app
    collect_garbage()
    drop_values_of_gone_texts()
    collect_garbage()
    assert [reference() for reference in watched] == [None] * len(watched)


@pytest.mark.full
@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "words", "characters"])
def test_counting_tokens_keeps_no_text(name):
    text = own_text()
    watched = weakref.ref(text)
    assert load_tokenizer(name).count([text]) == load_tokenizer(name).count([text])
    del text
    gc.collect()
    assert watched() is None


def test_an_embedder_that_has_been_fitted_keeps_no_sentence():
    sentences = [Text(f"Sentence number {number} of many.") for number in range(30)]
    document = Document.from_text(" ".join(sentences), "regex")
    document.__dict__["sentence_texts"] = sentences
    embedder = load_embedder("tfidf").for_document(document)
    embedder.encode(["Sentence number 1."])
    watched = [weakref.ref(sentence) for sentence in sentences]
    del sentences, document
    gc.collect()
    assert {reference() for reference in watched} == {None}
