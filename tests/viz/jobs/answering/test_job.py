"""What the page Answers does in the background, without the page."""

import sys
import time
from functools import partial
from types import SimpleNamespace

import pytest

from chunkers import Document
from chunkers.base import run
from chunkers.errors import Cancelled
from chunkers.language_models import prompts
from chunkers.language_models.asking import Asking
from chunkers.recipe import build_chunker
from evaluation.answering.estimate import estimates, left_of
from evaluation.answering.questions import Item
from tests.evaluation.answering.scripted import AnsweringModel
from tests.support import HashEmbedder, asking, ended, tools
from viz.jobs.answering.job import Answering, Gathering, Judging
from viz.jobs.answering.plan import AnswerPlan, Models
from viz.jobs.chunking import Task

ITEMS = (Item("Who?", "The keeper."), Item("When?"), Item("Why?", "For the ships."))
TEXT = "The keeper lit the lamp. He did so at dusk. Ships saw it. They kept away from the rocks."


@pytest.fixture
def gathering():
    document, embedder = Document.from_text(TEXT, "sentencex"), HashEmbedder()
    chunkers = [build_chunker("fixed_sentences", {"size": size}) for size in (1, 2)]
    tasks = tuple(Task.of(document, embedder, "words", one).of_model for one in chunkers)
    plan = AnswerPlan(tasks, ("1. A", "2. B"), ITEMS, 6, "hash", "1", "words")
    job = Gathering(plan, [run(one, document, tools(embedder)) for one in chunkers], embedder, False)
    job.start()
    ended(job)
    assert not job.error
    return job


def answering(gathering, model, bert=False):
    ask = asking(model)
    document = gathering.chunkings[0].document
    models = Models("scripted 1", "scripted 1")
    job = Answering(gathering.plan, document, gathering.found, models, ask, ask, gathering.embedder, False, bert)
    job.start()
    return job


def left(gathering, model, before):
    """Return about what a run would send that has some results from before."""
    ask = model if isinstance(model, Asking) else asking(model)
    each = partial(left_of, asking=ask, judge=ask)
    return estimates(
        ITEMS, gathering.found, gathering.sizes, lambda place, item, context: each(item, context, before.get(place))
    )


def test_the_estimate_has_every_request_and_about_what_is_sent(gathering):
    model = AnsweringModel()
    job = ended(answering(gathering, model))
    assert not job.error
    answers, judgements = left(gathering, AnsweringModel(), {})
    assert answers.requests == 6
    # Three judgements of those with a reference, two of the others.
    assert judgements.requests == 2 * (3 + 2 + 3)
    # Words, and the numbers of the passages, which nobody has counted before.
    sent = [asked for asked in model.asked if asked[0].text == prompts.ANSWER_SYSTEM]
    counted = sum(len(message.text.split()) for asked in sent for message in asked)
    assert answers.tokens == pytest.approx(counted, rel=0.1)
    # An answer is taken for longer than these are.
    assert judgements.tokens > sum(len(message.text.split()) for asked in model.asked for message in asked) - counted


def test_bert_score_is_computed_at_the_end_where_there_is_a_reference(gathering, monkeypatch):
    scores = SimpleNamespace(score=lambda answers, references, lang, verbose: (None, None, [0.5] * len(answers)))
    monkeypatch.setitem(sys.modules, "bert_score", scores)
    job = ended(answering(gathering, AnsweringModel(), bert=True))
    assert {place: one.bert_score for place, one in job.results.items()} == {
        (column, question): 0.5 if ITEMS[question].reference else None for column in (0, 1) for question in (0, 1, 2)
    }
    assert job.report() is job.report()


def test_a_report_is_made_anew_after_answers_were_judged_again(gathering):
    job = ended(answering(gathering, AnsweringModel()))
    before = job.report()
    again = Judging(job, 0, job.judge)
    again.start()
    ended(again)
    assert not again.error
    assert again.progress()[0] == 1
    assert job.report() is not before
    assert [len(times) for place, one in job.results.items() for times in one.judgements.values() if place[1] == 0] == [
        2
    ] * 6


def test_a_model_that_hangs_is_left_within_a_second(gathering):
    def says(system, question):
        deadline = time.monotonic() + 60.0
        while system == prompts.ANSWER_SYSTEM and "Who?" not in question and time.monotonic() < deadline:
            # As a server's answer is waited for: in short looks at whether the user has stopped.
            if job.cancelled:
                raise Cancelled
            time.sleep(0.01)

    job = answering(gathering, AnsweringModel(says))
    deadline = time.monotonic() + 30.0
    while len(job.finished) < 2 and time.monotonic() < deadline:
        job.join(0.01)
    job.cancel()
    job.join(1.0)
    assert not job.running
    assert job.finished == {(0, 0), (1, 0)}
    assert job.report().answers(0) == job.report().answers(1) == 1
