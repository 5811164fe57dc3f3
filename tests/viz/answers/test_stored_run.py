"""Runs of answers that outlive the page and the server: what their link shows, and that nothing done is asked again."""

import pytest
from streamlit.testing.v1 import AppTest

from chunkers.embedders.spacy_and_tfidf import TfIdf
from tests import ROOT
from tests.server import KEY
from tests.support import LIMIT
from tests.viz.answers.test_page import asked, cards, chat_reply, done, gathered, opened, run_of, table
from tests.viz.app_steps import said, settled
from tests.viz.controls.test_language_model import everything, labels, name_model, press
from viz.jobs.answering_plan_and_jobs import StoredAnswers
from viz.jobs.shared_resources import run_store
from viz.jobs.storage.stored_run import Keeper
from viz.state import no_model_message


def stopped(app, http, **words):
    """Answer two of six questions, and stop."""
    opened(app, judged="no", **words)
    app.toggle(key="on_disk").set_value(True).run()
    http.script = [chat_reply, chat_reply, 30.0, 30.0, 30.0, 30.0]
    name_model(app, http)
    gathered(app)
    before = len(http.requests)
    press(app, "Send")
    job = run_of(app)
    # The server may hear of a request only after the job has ended, so all six are awaited.
    while len(job.finished) < 2 or len(http.requests) < before + 6:
        job.join(0.02)
    job.cancel()
    job.join(2.0)
    app.run()
    http.script = []
    return dict(app.query_params)


def by_link(link):
    """Open a link in another session."""
    app = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    app.query_params.update({name: value[0] if isinstance(value, list) else value for name, value in link.items()})
    app.switch_page("pages/answers.py")
    return gathered(settled(app))


def test_a_link_leads_to_the_run_in_another_session_of_the_same_server(app, http, cache_folder):
    opened(app, judged="no")
    name_model(app, http)
    press(gathered(app), "Send")
    done(app)
    other = by_link(dict(app.query_params))
    assert run_of(other) is run_of(app)
    assert cards(other) == cards(app)
    assert list(table(other, "answers")["answers"]) == ["3 of 3"] * 2
    # What the other session may ask is its own: without a model it asks nothing.
    assert {"Send", "Judge again"}.isdisjoint(labels(other))
    assert no_model_message("Answering needs") not in said(other)
    assert KEY not in everything(other)
    assert not any(cache_folder.rglob("runs.sqlite"))


def test_after_a_restart_the_link_shows_what_was_done_and_goes_on(app, http, restart, cache_folder):
    link = stopped(app, http)
    before = len(http.requests)
    token = run_of(app).stored_run.keeper.token
    shown = table(app, "answers")
    restart()
    other = by_link(link)
    assert any(
        text.startswith("This run was interrupted; the results for 2 of 6 answers are kept on disk") for text in said(other)
    )
    assert table(other, "answers").equals(shown)
    assert not any("changed since" in text for text in said(other))
    notes = [card["note"] for number in "123" for card in of_question(other, number)]
    assert len([note for note in notes if note.startswith("Answered before the server was restarted")]) == 2
    assert len(http.requests) == before
    name_model(other, http)
    gathered(other)
    (told,) = [text for text in said(other) if "Nothing is sent until you" in text]
    assert "“Answers” sends what is left, 4 of 6 answers, to " in told
    assert "tokens in 4 requests" in told
    press(other, "Send")
    done(other)
    assert len(http.requests) == before + 4
    assert list(table(other, "answers")["answers"]) == ["3 of 3"] * 2
    assert other.query_params["run"] in (token, [token])
    # And now it is done, whatever happens to the server.
    restart()
    again = by_link(link)
    assert table(again, "answers").equals(table(other, "answers"))
    assert not any("interrupted" in text for text in said(again))
    assert len(http.requests) == before + 4


def of_question(app, number):
    app.selectbox(key="answers/question").select(number).run()
    return cards(app)


@pytest.mark.full
def test_a_run_that_the_page_does_not_show_says_what_is_other(app, http, restart, cache_folder):
    link = stopped(app, http)
    restart()
    other = by_link(link | {"budget": "250", "document": "article"})
    (told,) = [text for text in said(other) if text.startswith("The results for ")]
    assert told.startswith("The results for 2 of 6 answers of this run are kept on disk, but its texts are not.")
    assert told.endswith("Other than now: the text, the questions, the budget.")
    assert "AQS" not in str([frame.value.columns for frame in other.dataframe])


@pytest.mark.full
def test_what_another_model_of_the_same_name_would_have_given_is_not_shown(app, http, restart, cache_folder, monkeypatch):
    link = stopped(app, http)
    restart()
    monkeypatch.setattr(TfIdf, "revision", "another")
    other = by_link(link)
    assert any("a run must continue with the model that it began with" in text for text in said(other))
    assert run_of(other) is None
    assert "AQS" not in str([frame.value.columns for frame in other.dataframe])


@pytest.mark.full
def test_without_a_file_the_link_says_that_the_run_is_gone(app, http, restart, cache_folder):
    opened(app, judged="no")
    name_model(app, http)
    press(gathered(app), "Send")
    done(app)
    restart()
    assert any("The link's run is no longer remembered" in text for text in said(by_link(dict(app.query_params))))


@pytest.mark.full
def test_a_file_of_something_else_is_a_sentence(app, http, restart, cache_folder):
    link = stopped(app, http)
    restart()
    (file,) = cache_folder.rglob("runs.sqlite")
    file.write_bytes(b"not a database at all" * 500)
    assert any("must be written by this version of Seamark" in text for text in said(by_link(link)))


def test_no_text_no_key_and_no_link_is_in_the_file_and_no_text_or_key_in_the_link(app, http, cache_folder):
    opened(app, questions="typed")
    app.toggle(key="on_disk").set_value(True).run()
    app.text_area(key="answers/typed").set_value("Where is the zanzibar? | In the quokka.\n").run()
    name_model(app, http)
    press(gathered(app), "Send")
    done(app)
    result = run_of(app).results[0, 0]
    token = run_of(app).stored_run.keeper.token
    content = b"".join(path.read_bytes() for path in cache_folder.rglob("runs.sqlite*")).lower()
    link = str(dict(app.query_params)).lower()
    words = {"zanzibar", "quokka", KEY.lower(), *(word for word in result.answer.text.lower().split() if len(word) > 5)}
    words |= {
        sentence.lower() for times in result.judgements.values() for judgement in times for sentence in judgement.sentences
    }
    assert len(words) > 5
    assert [word for word in words | {token.lower()} if word.encode() in content] == []
    assert [word for word in words if word in link] == []
    kept = StoredAnswers.find(Keeper(run_store(), token, StoredAnswers.kind))
    assert (kept.finished_part_count, kept.part_count) == (2, 2)
    assert len(asked(http)) == 2


@pytest.mark.full
@pytest.mark.parametrize(("number", "part"), [(5, b"torn"), (5, b"{}"), (77, None), (-3, None)])
def test_a_part_of_something_else_is_not_done(app, http, cache_folder, number, part):
    stopped(app, http)
    run = run_of(app)
    keeper = run.stored_run.keeper
    keeper.add_part(number, part or next(iter(keeper.parts().values())))
    assert set(run.stored_run.stored_results(run.passages_by_column, run.plan.items)) == run.finished
