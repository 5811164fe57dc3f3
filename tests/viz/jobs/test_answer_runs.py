"""Background jobs of the Answers page, without the page."""

import sys
import time
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from chunkers import Document
from chunkers.contract.base import run_and_time_chunker
from chunkers.language_models import prompts
from chunkers.language_models.requests_within_spending_limit import Asking
from chunkers.recipes.recipe import build_chunker
from chunkers.support.errors import Cancelled
from evaluation.answering.answering_work_and_results import (
    answer_result_from_json,
    encode_answer_result_json_bytes,
    estimate_answering_and_judging_requests,
    find_requests_question_still_needs,
)
from evaluation.answering.questions_and_answers import TRIVIAL_BASELINE_TITLES, QuestionItem
from tests.evaluation.answering.scripted import AnsweringModel
from tests.support import LIMIT, HashEmbedder, asking, ended, tools
from viz.jobs.answering_plan_and_jobs import Answering, AnswerModels, AnswerPlan, Judging, PassageGatheringJob
from viz.jobs.chunking import ChunkingTask

ITEMS = (QuestionItem("Who?", "The keeper."), QuestionItem("When?"), QuestionItem("Why?", "For the ships."))
TEXT = "The keeper lit the lamp. He did so at dusk. Ships saw it. They kept away from the rocks."


@pytest.fixture
def gathering():
    document, embedder = Document.from_text(TEXT, "sentencex"), HashEmbedder()
    chunkers = [build_chunker("fixed_sentences", {"size": size}) for size in (1, 2)]
    tasks = tuple(ChunkingTask.of(document, embedder, "words", chunker).without_embedder for chunker in chunkers)
    plan = AnswerPlan(tasks, ("1. A", "2. B"), ITEMS, 6, "hash", "1", "words")
    job = PassageGatheringJob(
        plan, [run_and_time_chunker(chunker, document, tools(embedder)) for chunker in chunkers], embedder, False
    )
    job.start()
    ended(job)
    assert not job.error
    return job


def answering(gathering, model, bert=False, before=None):
    ask = asking(model)
    document = gathering.chunkings[0].document
    models = AnswerModels("scripted 1", "scripted 1")
    job = Answering(
        gathering.plan,
        document,
        gathering.passages_by_column,
        models,
        ask,
        ask,
        gathering.embedder,
        False,
        bert,
        None,
        before or {},
    )
    job.start()
    return job


def left(gathering, model, before):
    """Estimate the requests of a run that has some earlier results."""
    ask = model if isinstance(model, Asking) else asking(model)
    each = partial(find_requests_question_still_needs, model_access=ask, judge_model_access=ask)
    return estimate_answering_and_judging_requests(
        ITEMS,
        gathering.passages_by_column,
        gathering.sizes,
        lambda place, item, context: each(item, context, before.get(place)),
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
    sent = [asked for asked in model.asked if asked[0].text == prompts.ANSWER_SYSTEM_PROMPT]
    counted = sum(len(message.text.split()) for asked in sent for message in asked)
    assert answers.tokens == pytest.approx(counted, rel=0.1)
    # An answer is taken for longer than these are.
    assert judgements.tokens > sum(len(message.text.split()) for asked in model.asked for message in asked) - counted


def test_what_is_there_or_remembered_is_not_estimated_and_not_asked(gathering):
    model = AnsweringModel()
    first = ended(answering(gathering, model))
    ask = first.asking
    # The session remembers all of it.
    assert left(gathering, ask, {}).requests == 0
    # Another session remembers nothing, but has what the run has.
    other = AnsweringModel()
    some = {place: answer for place, answer in first.results.items() if place[1] == 0}
    some[0, 1] = replace(first.results[0, 1], judgements={})
    about = left(gathering, other, some)
    # Three whole answers are left, with 2 + 3 + 3 judgements, and two judgements of the one that was answered.
    assert [estimate.requests for estimate in about] == [3, 8 + 2]
    job = answering(gathering, other, before=some)
    ended(job)
    assert len([asked for asked in other.asked if asked[0].text == prompts.ANSWER_SYSTEM_PROMPT]) == 3
    assert {place: answer.value("aqs") for place, answer in job.results.items()} == {
        place: answer.value("aqs") for place, answer in first.results.items()
    }
    assert job.is_complete


def test_an_answer_without_words_is_asked_anew_only_where_something_is_missing(gathering):
    first = ended(answering(gathering, AnsweringModel()))
    kept = {
        place: answer_result_from_json(encode_answer_result_json_bytes(answer), answer.item, answer.context)
        for place, answer in first.results.items()
        if place[1] == 0
    }
    kept[0, 0] = replace(kept[0, 0], judgements={})
    model = AnsweringModel()
    assert left(gathering, model, kept).answers.requests == 5
    job = ended(answering(gathering, model, before=kept))
    assert job.results[0, 0].answer.text
    assert not job.results[1, 0].answer.text
    assert job.report().usable_answer_count(1) == 3
    values = {name: [float(row[0]) for row in job.report().values(name)] for name in ("aqs", "question_cosine")}
    assert values == {name: [float(row[0]) for row in first.report().values(name)] for name in values}


def test_trivial_rows_are_answered_from_nothing_from_the_beginning_and_from_random_chunks(gathering):
    plan = replace(
        gathering.plan, names=(*gathering.plan.names, *TRIVIAL_BASELINE_TITLES.values()), trivial=(*TRIVIAL_BASELINE_TITLES,)
    )
    job = PassageGatheringJob(plan, gathering.chunkings, gathering.embedder, False)
    job.start()
    ended(job)
    assert not job.error
    closed, whole, random = (job.passages_by_column[number] for number in (2, 3, 4))
    assert {context.passages for context in closed.contexts} == {()}
    (start,) = {context.passages for context in whole.contexts}
    assert TEXT.startswith(start[0].text)
    assert not start[0].whole
    assert whole.contexts[0].tokens == plan.budget
    assert random.chunks == 3
    model = AnsweringModel()
    run = ended(answering(job, model))
    assert not run.error
    # What it knows without the text cannot be faithful to the text.
    assert {*run.results[2, 0].judgements} == {"relevancy", "correctness"}
    assert run.results[2, 0].has_all_measures(requires_judgements=True)
    alone = [asked for asked in model.asked if asked[0].text == prompts.CLOSED_BOOK_SYSTEM_PROMPT]
    # Several are asked at once, in any order.
    assert sorted(asked[1].text for asked in alone) == sorted(f"Question: {item.question}" for item in ITEMS)
    assert np.isnan(run.report().values("aqs")[2]).all()
    assert "Closed book" not in run.report().verdict("aqs")


def test_bert_score_is_computed_at_the_end_where_there_is_a_reference(gathering, monkeypatch):
    scores = SimpleNamespace(score=lambda answers, references, lang, verbose: (None, None, [0.5] * len(answers)))
    monkeypatch.setitem(sys.modules, "bert_score", scores)
    job = ended(answering(gathering, AnsweringModel(), bert=True))
    assert {place: answer.bert_score for place, answer in job.results.items()} == {
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
    assert [
        len(times) for place, answer in job.results.items() for times in answer.judgements.values() if place[1] == 0
    ] == [2] * 6


def test_nobody_waits_for_a_model_that_hangs_once_the_user_has_stopped(gathering):
    def says(system, question):
        deadline = time.monotonic() + LIMIT
        while system == prompts.ANSWER_SYSTEM_PROMPT and "Who?" not in question and time.monotonic() < deadline:
            # As a server's answer is waited for: in short looks at whether the user has stopped.
            if begun and begun[0].cancelled():
                raise Cancelled
            time.sleep(0.01)

    begun = []
    job = answering(gathering, AnsweringModel(says))
    begun.append(job)
    deadline = time.monotonic() + LIMIT / 2
    while len(job.finished) < 2 and time.monotonic() < deadline:
        job.join(0.01)
    job.cancel()
    # Far less than the model hangs, and far more than a busy machine.
    job.join(LIMIT / 4)
    assert not job.running
    assert job.finished == {(0, 0), (1, 0)}
    assert job.report().usable_answer_count(0) == job.report().usable_answer_count(1) == 1
