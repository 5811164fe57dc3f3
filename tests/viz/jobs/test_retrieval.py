"""A retrieval run: every chunker as soon as it is done, and cancel whatever it is doing."""

import threading

import pytest

from chunkers import InputError, build_chunker
from chunkers.text import sentences
from evaluation.questions import question_files as questions
from evaluation.retrieval import ReportChoice, Reports
from tests.support import LIMIT, HashEmbedder, ended
from viz.jobs import retrieval
from viz.jobs.retrieval import Retrieval
from viz.jobs.retrieval_plan import Plan, RunMaterial

ASKED = b'{"question": "What is eaten?", "excerpts": ["Bread is eaten."]}\n'
MATERIAL = RunMaterial((("list.txt", "Bread is eaten.\nMilk is drunk.\n"),), ("asked.jsonl", ASKED), own=True)


def new_run(*sizes):
    chunkers = tuple(build_chunker("fixed_sentences", {"size": size}) for size in sizes or (1,))
    return Retrieval(Plan(MATERIAL, chunkers, "hash", "lines", "words"), HashEmbedder(), False)


@pytest.mark.parametrize(
    ("module", "name", "item"),
    [
        (sentences, "_untrimmed_sentence_spans", (0, 15)),
        (questions, "read_question_rows", ("line 1", {"question": "Why?", "excerpts": ["Bread is eaten."]})),
    ],
    ids=["splitting", "reading"],
)
def test_cancel_ends_splitting_and_reading(monkeypatch, module, name, item):
    at_work = threading.Event()

    def without_end(*_):
        at_work.set()
        while True:
            yield item

    monkeypatch.setattr(module, name, without_end)
    run = new_run()
    run.start()
    assert at_work.wait(LIMIT)
    run.cancel()
    ended(run)
    assert (run.running, run.error, run.evaluation_by_chunker) == (False, "", {})


def test_what_a_chunker_found_is_there_before_the_next_is_done(monkeypatch):
    build = retrieval.cut_and_index_corpus
    go_on, waits = threading.Event(), threading.Event()

    def slow(corpus, chunker, *others):
        if chunker.size == 2:
            waits.set()
            assert go_on.wait(LIMIT)
        return build(corpus, chunker, *others)

    monkeypatch.setattr(retrieval, "cut_and_index_corpus", slow)
    run = new_run(1, 2)
    run.start()
    assert waits.wait(LIMIT)
    assert ([*run.evaluation_by_chunker], [*run.ladders]) == ([0], [0])
    assert run.progress() == (0.5, "2. Fixed sentences: chunking")
    go_on.set()
    assert not ended(run).error
    assert [*run.ladders] == [0, 1]
    at = run.ladders[1].results_in_unit("tokens", "cut")
    # Half of the text's six words.
    assert at.budgets.sizes == (1, 2)
    assert run.budgets_by_unit == {"tokens": (1, 2), "characters": (4, 8)}
    assert at.question_values_at_budget("recall", 2, "tokens").tolist() == [pytest.approx(2 / 3)]


def test_a_report_is_computed_once_and_one_that_fails_is_not_tried_at_every_look(monkeypatch):
    run = new_run(1, 2)
    run.start()
    assert not ended(run).error
    recall, iou = (ReportChoice(measure, "tokens", 2, 0) for measure in ("recall", "iou"))
    first = ended(run.report_job(recall))
    assert run.report_job(recall) is first
    # The baseline is unknown: it is the first chunker's report.
    assert run.report_job(recall._replace(baseline=7)) is first
    assert ended(run.report_job(iou)).report_and_failures.report is not first.report_and_failures.report
    assert ended(run.report_job(recall)).report_and_failures.report is first.report_and_failures.report

    def fail(*_):
        tries.append(1)
        raise InputError("No report.")

    tries = []
    monkeypatch.setattr(Reports, "report_comparing_chunkers", fail)
    assert {ended(run.report_job(iou)).error for _ in range(3)} == {"No report."}
    assert tries == [1]
