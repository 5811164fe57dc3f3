"""Stored answers have measures and no words."""

import pytest

from chunkers import InputError
from evaluation.answering.answering_work_and_results import answer_result_from_json, encode_answer_result_json_bytes
from tests.evaluation.answering.scripted import AnsweringModel
from tests.evaluation.answering.test_results import CONTEXT, ITEM, work


def test_measures_and_tokens_come_back_and_words_do_not():
    done = work(AnsweringModel())[-1]
    data = encode_answer_result_json_bytes(done)
    back = answer_result_from_json(data, ITEM, CONTEXT)
    for measure in ("aqs", "faithfulness", "relevancy", "correctness", "question_cosine", "reference_cosine"):
        assert back.value(measure) == done.value(measure)
    assert back.answer.exchange[1:] == done.answer.exchange[1:]
    assert (back.answer.is_usable, back.answer.text, back.answer.exchange.turns) == (True, "", ())
    assert back.has_all_measures(requires_judgements=True)
    texts = [done.answer.text, ITEM.question, ITEM.reference, CONTEXT.passages[0].text, "rained"]
    assert [text for text in texts if text in data.decode()] == []
    assert encode_answer_result_json_bytes(back) == data


def test_what_failed_is_failed_without_what_the_model_said():
    refusing = work(AnsweringModel(lambda system, question: "  "))[-1]
    back = answer_result_from_json(encode_answer_result_json_bytes(refusing), ITEM, CONTEXT)
    assert not back.answer.is_usable
    assert back.has_all_measures(requires_judgements=True)
    unread = work(AnsweringModel(lambda system, question: "Good!" if "statements" in system else None))[-1]
    assert unread.unreadable_judgement_kinds == ("faithfulness",)
    assert answer_result_from_json(encode_answer_result_json_bytes(unread), ITEM, CONTEXT).unreadable_judgement_kinds == (
        "faithfulness",
    )


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"\xff", b'{"failed": 1}'])
def test_something_else_is_a_sentence(data):
    with pytest.raises(InputError, match="must be in the format that Seamark writes"):
        answer_result_from_json(data, ITEM, CONTEXT)
