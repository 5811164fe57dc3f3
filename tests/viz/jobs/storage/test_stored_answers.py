"""Matching a stored run of answers to the page if a column asks a language model."""

from dataclasses import replace

import pytest

from chunkers import Document, build_chunker, run_chunker
from chunkers.language_models.answer_cache import AnswerCache
from chunkers.language_models.chat_server import ChatServer
from chunkers.language_models.requests_within_spending_limit import Asking
from evaluation.answering.questions_and_answers import QuestionItem
from tests.support import tools
from viz.jobs.answering_plan_and_jobs import AnswerModels, AnswerPlan, StoredAnswers
from viz.jobs.chunking import ChunkingTask
from viz.jobs.storage.stored_run import Keeper

DOCUMENT = Document.from_text("One.\nTwo.\nThree.", "lines")
KEEPER = Keeper(None, "token", StoredAnswers.kind)
MODELS = AnswerModels("openai:test 1", "")


def in_a_session(model="openai:test", chunker="lumber"):
    """Return the plan of a session, whose memory of answers is its own."""
    asking = Asking(ChatServer(model, "http://127.0.0.1:9/v1", "key"), AnswerCache())
    task = ChunkingTask.of(DOCUMENT, None, "words", build_chunker(chunker, {}), asking).without_embedder
    return AnswerPlan((task,), ("1",), (QuestionItem("What?", "That."),), 100, "hash", "1", "words")


def cut(size):
    """Return chunks as a model might have made them."""
    return [run_chunker(build_chunker("fixed_sentences", {"size": size}), DOCUMENT, tools())]


@pytest.mark.parametrize(
    ("other", "chunks", "missing"),
    [
        (in_a_session(), cut(1), []),
        (in_a_session(), cut(2), ["where the language model cuts"]),
        (in_a_session("openai:another"), cut(1), ["the chunkers"]),
        (in_a_session(chunker="llm"), cut(1), ["the chunkers"]),
    ],
)
def test_a_model_that_cut_the_same_made_the_same_run_in_another_session(other, chunks, missing):
    kept = StoredAnswers.build_for_plan(KEEPER, in_a_session(), cut(1), MODELS)
    assert kept.differing_settings(other, chunks) == missing


def test_where_no_model_is_asked_the_chunks_need_not_be_the_same():
    asks_none = replace(in_a_session(), tasks=(ChunkingTask.of(DOCUMENT, None, "words", build_chunker("recursive", {})),))
    kept = StoredAnswers.build_for_plan(KEEPER, asks_none, cut(1), MODELS)
    assert kept.plan.cuts == ("",)
    assert kept.differing_settings(asks_none, cut(2)) == []


def test_neither_a_chunk_nor_a_session_is_in_the_plan():
    plan = in_a_session()
    written = StoredAnswers.build_for_plan(KEEPER, plan, cut(1), MODELS).plan.model_dump_json()
    assert "Two" not in written
    assert plan.tasks[0].answer_cache_identity
    assert plan.tasks[0].answer_cache_identity not in written
