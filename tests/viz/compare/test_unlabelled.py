"""Measures without known boundaries on Compare, and the effect of edits."""

import pytest

from evaluation.segmentation import label_free_measures
from tests.support import ended
from tests.viz.app_steps import choose_document, said, sent
from tests.viz.compare.test_scores import by_head, scores
from viz.compare.scores import scoreboard as view
from viz.jobs import shared_resources

BUTTON = "Measure edit stability"
MEASURES = ["Chunks", "Blocks whole", "Size kept", "Inside", "Across", "Contrast", "Context"]
EDITS = ["Changed", "At worst", "At least"]


def buttons(app):
    return [button.label for button in app.button]


def press(app, label=BUTTON):
    next(button for button in app.button if button.label == label).click().run()


def measured(app):
    """Wait for the job; return what the table has then."""
    assert ended(app.session_state["edit_stability_job"]).error == ""
    app.run()
    assert not app.exception
    return sent(app, "heads")


def test_every_column_and_the_trivial_answers_have_a_row(app):
    data = scores(app, "Without labels", document="table", embedder="tfidf")
    rows = by_head(data)
    assert [head["label"] for head in data["heads"]] == MEASURES
    assert all(head["help"] for head in data["heads"])
    assert [row["title"] for row in rows[:3]] == ["Fixed sentences", "Breakpoint", "Double pass"]
    assert [row["title"] for row in rows[3:]] == ["no cut", "a cut after every 4 sentences"]
    whole = rows[3]
    assert (whole["Chunks"]["text"], whole["Blocks whole"]["text"]) == ("1", "100\N{NO-BREAK SPACE}%")
    assert whole["Across"] == {"text": "–", "value": None, "why": "There is one chunk.", "best": False, "dots": []}
    # The first column is the trivial answer.
    assert [rows[0][name] for name in MEASURES] == [rows[4][name] for name in MEASURES]
    assert "of 2 tables" in rows[0]["Blocks whole"]["why"]
    for row in rows[:3]:
        assert row["Contrast"]["value"] == pytest.approx(row["Inside"]["value"] - row["Across"]["value"])
    # There is no best: a text without cuts would be, of blocks.
    assert not any(cell["best"] for row in data["rows"] for cell in row["cells"])


def test_without_embedded_sentences_it_says_why_and_embeds_nothing(app):
    shared_resources.embedding_cache.cache_clear()
    data = scores(app, "Without labels", embedder="tfidf", c1="fixed_words", c2="recursive", c3="fixed_characters")
    rows = by_head(data)
    assert {row["Inside"]["text"] for row in rows} == {"–"}
    assert rows[0]["Inside"]["why"].startswith("The sentences of this text are not embedded")
    # It has neither lists nor headings, and a size of characters that is kept.
    assert (rows[1]["Blocks whole"]["text"], rows[1]["Size kept"]["text"]) == ("–", "100\N{NO-BREAK SPACE}%")
    assert rows[1]["Size kept"]["why"] == "at most 200 characters: all are"


def test_edits_are_measured_by_a_job_and_again_for_what_changed(app):
    scores(app, "Without labels", embedder="tfidf")
    assert "edit_stability_job" not in app.session_state or app.session_state["edit_stability_job"] is None
    press(app)
    job = app.session_state["edit_stability_job"]
    data = measured(app)
    rows = by_head(data)
    assert [head["label"] for head in data["heads"]] == MEASURES + EDITS
    assert len(job.results) == 5
    assert BUTTON not in buttons(app)
    assert (
        rows[3]["Changed"]["text"] == rows[3]["At worst"]["text"] == rows[3]["At least"]["text"] == "100\N{NO-BREAK SPACE}%"
    )
    for row in rows:
        assert row["At least"]["value"] <= row["Changed"]["value"] <= row["At worst"]["value"] <= 1
    # The same as the library says.
    column = next(pair for pair in job.named_chunkers if pair[0] == "Column 1")
    assert rows[0]["Changed"]["value"] == job.results[column[1]].mean_changed_chunk_share
    # Another setting is not measured yet: the others' numbers stay, and the button is there again.
    app.slider(key="1/breakpoint/amount/None").set_value(40.0).run()
    after = by_head(sent(app, "heads"))
    assert after[1]["Changed"]["text"] == "–"
    assert after[0]["Changed"] == rows[0]["Changed"]
    press(app)
    assert [name for name, *_ in app.session_state["edit_stability_job"].named_chunkers] == ["Column 2"]
    assert all(row["Changed"]["value"] for row in by_head(measured(app)))
    # Another text has none.
    choose_document(app, "table")
    app.run()
    assert [head["label"] for head in sent(app, "heads")["heads"]] == MEASURES


def test_a_text_that_is_too_large_is_refused_in_a_sentence(app, monkeypatch):
    monkeypatch.setattr(label_free_measures, "MAX_RECHUNKED_CHARACTERS", 1000)
    scores(app, "Without labels", embedder="tfidf")
    assert BUTTON not in buttons(app)
    assert any("edits × characters must be at most 1,000" in text for text in said(app))
    assert view.DEFAULT_EDIT_COUNT == 20
