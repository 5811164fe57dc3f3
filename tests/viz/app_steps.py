"""Steps shared by the tests of several pages."""

import json
from itertools import count

from tests.server import KEY
from tests.support import ended
from viz.jobs.background_jobs import run_registry
from viz.jobs.sweep import Sweep

MOST_JOBS = 20
"""More jobs than any page begins one after the other."""


def settled(app):
    """Run the app until it shows what its jobs have embedded."""
    last = job = None
    for _ in range(MOST_JOBS):
        app.run()
        last, job = job, app.session_state.get("chunking_job")
        if job is None or job is last:
            assert not app.exception
            return app
        # Another may begin when this one has ended.
        ended(job)
    same = {name: getattr(job, name) is getattr(last, name) for name in ("embedder", "asking", "source")}
    raise AssertionError(f"a job begins in every run; what is that of the last one: {same}; {job.error!r}, {job.failed}")


def ran(app):
    """Run the app once, which must not fail."""
    app.run()
    assert not app.exception
    return app


def widget(kind, key):
    """Return the widget of a kind with this key, which a number follows once the page has changed the widget's value."""
    return next(control for control in kind if (control.key or "").partition("_renewed_")[0] == key)


def press(app, label):
    """Press the button with that label."""
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def name_model(app, http, name="test", key=KEY):
    """Choose a language model of a server."""
    for field, value in (("name", name), ("address", http.address), ("key", key)):
        app.text_input(key=f"language_{field}").set_value(value)
    press(app, "Use this model")


_moments = count(1)


def tell(app, key, event, **detail):
    """Let a component tell the server something once, as a browser would."""
    app.session_state[key] = {event: {**detail, "at": next(_moments)}}
    return app.run()


def choose_document(app, name):
    """Press the document's button in the row on top."""
    return tell(app, "document", "chosen", document=name)


def emptied(app):
    """Paste a text, and empty the box again."""
    box_of(app).set_value("A word.").run()
    return box_of(app).set_value("").run()


def box_of(app):
    """Return the text area of the own text, whose key is another whenever the server fills it."""
    return next(area for area in app.text_area if area.label == "Text")


def sent(app, word):
    """Return the data of the first component that has that word."""
    return next(json.loads(part.proto.json)[0] for part in app.get("bidi_component") if f'"{word}"' in part.proto.json)


def sweep_of(app):
    """Return the sweep that the link of the Tune page leads to, or None."""
    return run_registry().find(app.session_state["choices"]["tune"].extra["run"], Sweep)


def said(app):
    """Return the sentences of all notices, in the order of the page, without headings and captions."""
    return [text for text, tone in _texts(app) if tone not in ("heading", "remark")]


def remarks(app):
    """Return the captions that are shown as text alone."""
    return [text for text, tone in _texts(app) if tone == "remark"]


def _texts(app):
    payloads = [part.proto.json for part in app.get("bidi_component") if '"tone"' in part.proto.json]
    return [(data["text"], data["tone"]) for data, _ in map(json.loads, payloads) if set(data) == {"text", "tone"}]
