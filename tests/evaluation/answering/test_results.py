"""Answers and judgements of scripted models: good ones, refusals, and replies that are never of use."""

import json
from decimal import Decimal

import numpy as np
import pytest

from chunkers import Document, ModelError, load_tokenizer
from chunkers.contract.base import run_and_time_chunker
from chunkers.language_models import prompts
from chunkers.language_models.answer_cache import AnswerCache
from chunkers.language_models.asking_until_usable import MOST_ANSWER_RETRIES
from chunkers.language_models.base import Reply
from chunkers.language_models.requests_within_spending_limit import Asking
from chunkers.language_models.spending import SpendingLimit
from chunkers.recipes.recipe import build_chunker
from chunkers.support.errors import Cancelled
from evaluation.answering.answer_statistics import (
    AnswerReport,
    answers_to_csv,
    answers_to_json_lines,
    chunking_and_answering_cost_table,
)
from evaluation.answering.answering_work_and_results import Services, answer_judge_and_store_item, judge_and_store_result
from evaluation.answering.questions_and_answers import (
    AnswerContext,
    Passage,
    QuestionItem,
    gather_passages_for_each_question,
)
from evaluation.questions.corpus_ranges_and_rulers import TokenRuler
from tests.evaluation.answering.scripted import AnsweringModel
from tests.support import HashEmbedder, tools

ITEM = QuestionItem("When did it rain?", "In May.")
CONTEXT = AnswerContext((Passage(0, "It rained in May.", True),), 4)


def similar(text, others):
    return np.full(len(others), 0.5)


def means(model, **limit):
    asking = Asking(model, AnswerCache(), SpendingLimit(**limit) if limit else None)
    return Services(asking, asking, similar, load_tokenizer("words").count)


def work(model, item=ITEM, **limit):
    kept = []
    answer_judge_and_store_item(item, CONTEXT, means(model, **limit), kept.append, bool)
    return kept


def test_every_step_is_kept_and_the_last_has_all():
    model = AnsweringModel()
    steps = work(model)
    # The answer, its cosines, and three judgements.
    assert [len(step.judgements) for step in steps] == [0, 0, 1, 2, 3]
    done = steps[-1]
    assert (done.question_cosine, done.reference_cosine) == (0.5, 0.5)
    # It rained in May., and not more: one word of seven is not borne out.
    assert done.value("faithfulness") == pytest.approx(6 / 7)
    assert done.value("relevancy") == 0.5
    assert done.value("aqs") == pytest.approx(2 * (6 / 7) * 0.5 / (6 / 7 + 0.5))
    assert done.unreadable_judgement_kinds == ()
    # The prompt and the very words are there.
    turns = done.latest_judgement_of_kind("faithfulness").exchange.turns
    assert [turn.role for turn in turns] == ["system", "user", "assistant"]
    assert turns[0].text == prompts.FAITHFULNESS_SYSTEM_PROMPT
    assert json.loads(turns[-1].text)["statements"]
    assert len(model.asked) == 4


def test_without_a_reference_there_is_no_grade_and_no_cosine_with_it():
    done = work(AnsweringModel(), QuestionItem("When?"))[-1]
    assert {*done.judgements} == {"faithfulness", "relevancy"}
    assert done.reference_cosine is done.value("correctness") is None


@pytest.mark.parametrize("said", [Reply("", ended="refused"), Reply("It was", ended="cut"), Reply("  ")])
def test_a_model_that_never_answers_leaves_no_answer_and_no_value(said):
    model = AnsweringModel(lambda system, question: said)
    (done,) = work(model)
    assert len(model.asked) == MOST_ANSWER_RETRIES + 1
    assert not done.answer.text
    assert done.answer.problem
    assert all(done.value(measure) is None for measure in ("aqs", "faithfulness", "correctness", "question_cosine"))


def test_a_judgement_that_can_never_be_read_is_not_judged_and_not_nought():
    model = AnsweringModel(lambda system, question: "Good!" if system == prompts.FAITHFULNESS_SYSTEM_PROMPT else None)
    done = work(model)[-1]
    assert done.unreadable_judgement_kinds == ("faithfulness",)
    assert done.value("faithfulness") is done.value("aqs") is None
    assert done.value("relevancy") == 0.5
    judgement = done.latest_judgement_of_kind("faithfulness")
    assert judgement.problem == "the answer must contain a JSON object; it has none"
    # All that was said is there: the question, and every reply with what was said to it.
    assert [turn.text for turn in judgement.exchange.turns if turn.role == "assistant"] == ["Good!"] * (
        MOST_ANSWER_RETRIES + 1
    )
    report = AnswerReport(["A"], 1, {(0, 0): done})
    assert (
        report.count_answers_with_unreadable_judgement(0, "faithfulness")
        == report.count_answers_with_unreadable_judgement(0, "aqs")
        == 1
    )
    assert report.count_answers_with_unreadable_judgement(0, "relevancy") == 0
    assert np.isnan(report.values("faithfulness")[0]).all()


def test_a_reply_that_can_be_read_at_the_second_attempt_counts():
    left = ["Well."]
    model = AnsweringModel(
        lambda system, question: left.pop() if left and system == prompts.CORRECTNESS_SYSTEM_PROMPT else None
    )
    done = work(model)[-1]
    assert done.unreadable_judgement_kinds == ()
    assert done.value("correctness") in range(1, 6)
    assert len(done.latest_judgement_of_kind("correctness").exchange.turns) == 5


def test_judging_again_asks_afresh_and_keeps_what_was_said_before():
    grades = iter([2, 5, 3])
    model = AnsweringModel(
        lambda system, question: json.dumps({"grade": next(grades)}) if system == prompts.CORRECTNESS_SYSTEM_PROMPT else None
    )
    with_model, kept = means(model), []
    answer_judge_and_store_item(ITEM, CONTEXT, with_model, kept.append, bool)
    answer_judge_and_store_item(ITEM, CONTEXT, with_model, kept.append, bool)
    assert len(model.asked) == 4
    assert kept[-1].value("correctness") == 2
    judge_and_store_result(kept[-1], with_model, kept.append, bool, judgement_repeat_number=1)
    assert len(model.asked) == 7
    assert kept[-1].value("correctness") == 5
    assert [judgement.value for judgement in kept[-1].judgements["correctness"]] == [2, 5]
    # The same time again is remembered.
    judge_and_store_result(kept[-1], with_model, kept.append, bool, judgement_repeat_number=1)
    assert len(model.asked) == 7


def test_the_limit_holds_for_both_models_and_what_was_answered_is_kept():
    first, second = AnsweringModel(), AnsweringModel()
    second.name = "openai:judge"
    asking = Asking(first, AnswerCache(), SpendingLimit(tokens=2_000))
    kept = []
    both = Services(asking, asking.with_model(second), similar, load_tokenizer("words").count)
    with pytest.raises(ModelError, match="spending limit is 2,000 tokens"):
        answer_judge_and_store_item(ITEM, CONTEXT, both, kept.append, bool)
    assert kept[-1].answer.text
    assert asking.spent.tokens <= 2_000
    assert asking.spent.requests == len(first.asked) + len(second.asked)


def test_cancelling_keeps_the_answer():
    kept = []
    with pytest.raises(Cancelled):
        answer_judge_and_store_item(ITEM, CONTEXT, means(AnsweringModel()), kept.append, lambda: bool(kept))
    assert kept[-1].answer.text


def test_the_chunks_fill_the_budget_and_the_last_is_cut_off():
    text = "".join(f"Sentence {number} has five words. " for number in range(12))
    document = Document.from_text(text, "sentencex")
    given = tools(HashEmbedder())
    chunking = run_and_time_chunker(build_chunker("fixed_sentences", {"size": 2}), document, given)
    gathered = gather_passages_for_each_question(
        chunking, ["One?", "Two?"], 17, given, TokenRuler(text, load_tokenizer("words"))
    )
    assert gathered.chunks == 6
    for context in gathered.contexts:
        assert context.tokens == 17
        assert [passage.whole for passage in context.passages][-1] is False
        assert all(passage.text in text for passage in context.passages)
        assert str(context).startswith(f"[1]\n{context.passages[0].text}")


class Priced(AnsweringModel):
    def price_of_tokens(self, tokens_in, tokens_out):
        return Decimal(tokens_in + 10 * tokens_out) / 1000


def report_of(values, names=("A", "B")):
    """Return a report in which the answers have these cosines with the question."""
    results = {}
    for chunker, row in enumerate(values):
        for question, value in enumerate(row):
            item = QuestionItem(f"Question {question}?")
            kept = []
            answer_judge_and_store_item(
                item,
                CONTEXT,
                Services(means(AnsweringModel()).asking, None, lambda _, others, v=value: np.full(len(others), v), len),
                kept.append,
                bool,
            )
            results[chunker, question] = kept[-1]
    return AnswerReport(names, len(values[0]), results)


def test_no_winner_is_named_that_the_interval_does_not_carry():
    ahead = report_of([[0.8, 0.9, 0.8, 0.9, 0.8, 0.9, 0.8, 0.9], [0.2, 0.3, 0.2, 0.3, 0.2, 0.2, 0.3, 0.2]])
    assert "A has the highest cosine of question and answer, 0.85 over 8 questions" in ahead.verdict("question_cosine")
    assert "and is significantly ahead of every other" in ahead.verdict("question_cosine")
    assert "Holm's correction for 1 comparison)" in ahead.verdict("question_cosine")
    level = report_of([[0.8, 0.2, 0.9, 0.1, 0.5, 0.6], [0.1, 0.9, 0.2, 0.8, 0.6, 0.5]])
    assert level.verdict("question_cosine").startswith("Nobody is significantly ahead of all others")
    few = report_of([[0.9, 0.9], [0.1, 0.1]])
    assert "A significant difference takes at least 6 questions; there are 2." in few.verdict("question_cosine")
    assert few.comparisons.tested == {}
    assert few.verdict("aqs") == "Nothing can be said of AQS: no answer has it with every chunker."


def test_what_it_took_is_of_the_answers_alone_and_remembered_ones_count():
    model, kept = Priced(), {}
    both = means(model)
    for number in range(2):
        # The second chunker gave the same chunks, so nothing was sent for it.
        answer_judge_and_store_item(ITEM, CONTEXT, both, lambda step, number=number: kept.update({(number, 0): step}), bool)
    report = AnswerReport(["=A", "B"], 1, kept)
    given = tools(HashEmbedder())
    chunking = run_and_time_chunker(
        build_chunker("fixed_sentences", {}), Document.from_text("It rained. In May.", "sentencex"), given
    )
    gathered = gather_passages_for_each_question(
        chunking, [ITEM.question], 5, given, TokenRuler(chunking.document.text, load_tokenizer("words"))
    )
    first, second = chunking_and_answering_cost_table(report, {0: gathered, 1: gathered}, model)
    for row in (first, second):
        assert (row["tokens read"], row["answer tokens"], row["tokens an answer"], row["cost, $"]) == (100, 7, 7, 0.17)
    assert second["chunker"] == "B"
    lines = answers_to_csv(report.names, kept).splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("'=A,When did it rain?,In May.,")
    rows = [json.loads(line) for line in answers_to_json_lines(report.names, kept).splitlines()]
    assert rows[0]["asked"][0] == {"role": "system", "text": prompts.ANSWER_SYSTEM_PROMPT}
    assert [judgement["kind"] for judgement in rows[0]["judgements"]] == ["faithfulness", "relevancy", "correctness"]
    assert rows[0]["passages"] == [{"chunk": 0, "text": "It rained in May.", "whole": True}]
