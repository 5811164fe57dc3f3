"""All that asks a language model, each as a function of who is asked, and one model that answers all of it rightly."""

import json
from functools import partial

import numpy as np

from chunkers import Document, build_chunker, load_tokenizer
from chunkers import run_chunker as run_chunker
from chunkers.language_models import prompts
from chunkers.methods.fixed_sentences import FixedSentences
from evaluation.answering.answering_work_and_results import Services, answer_judge_and_store_all
from evaluation.answering.questions_and_answers import AnswerContext, GatheredPassages, Passage, QuestionItem
from evaluation.generating.question_generation import GenerationSettings, generate_and_pass_on_questions
from tests.evaluation.answering.scripted import reply_to
from tests.evaluation.generating.questioner import number_of
from tests.support import ScriptedModel, tools

TOPICS = "aabbc"
TEXT = "\n\n".join(f"{topic}{number} says one thing. Then {topic}{number} says more." for number, topic in enumerate(TOPICS))

_SCRIPTED = ScriptedModel(lambda before, after: before[0] != after[0])


def right(messages):
    """Return the answer to a conversation, which depends on its question alone."""
    system, question = messages[0]["content"], messages[1]["content"]
    if system == prompts.CONTEXT_SYSTEM_PROMPT:
        return f"On {question.rpartition('The passage:')[2].split()[0]}, of three."
    if system == prompts.QUESTION_WRITING_SYSTEM_PROMPT:
        number = number_of(messages[3]["content"])
        excerpt = f"{TOPICS[number]}{number} says one thing."
        return json.dumps({"question": f"What says number {number}?", "excerpts": [excerpt]})
    if system in (
        prompts.SPLITS_SYSTEM_PROMPT,
        prompts.SHIFT_SYSTEM_PROMPT,
        prompts.PROPOSITIONS_SYSTEM_PROMPT,
        prompts.GROUPS_SYSTEM_PROMPT,
    ):
        return _SCRIPTED.words(question)
    return reply_to(system, question)


def _chunks(name, parameters, asking, cancelled=bool):
    return run_chunker(
        build_chunker(name, parameters), Document.from_text(TEXT, "lines"), tools(asking=asking, cancelled=cancelled)
    )


def _context(asking, cancelled=bool):
    bench = tools(asking=asking, cancelled=cancelled)
    made = run_chunker(FixedSentences(size=1), Document.from_text(TEXT, "lines"), bench, "context")
    return [chunk.situation for chunk in made]


def _questions(asking, cancelled=bool):
    made = []
    generate_and_pass_on_questions((TEXT,), GenerationSettings(3), asking.ask, made.append, cancelled)
    return made


def _answers(asking, cancelled=bool):
    context = AnswerContext((Passage(0, TEXT, True),), 40)
    items = [QuestionItem("What says a0?", "One thing."), QuestionItem("What says b2?")]
    means = Services(asking, asking, lambda _, others: np.full(len(others), 0.5), load_tokenizer("words").count)
    outcomes = {}
    gathered = {0: GatheredPassages((context,) * len(items), 0.0, 0.0, 1)}
    answer_judge_and_store_all(items, gathered, means, outcomes.__setitem__, lambda _: None, cancelled)
    measures = ("faithfulness", "relevancy", "correctness")
    return [(outcome.answer.text, *map(outcome.value, measures)) for _, outcome in sorted(outcomes.items())]


FEATURES = {
    "llm": partial(_chunks, "llm", {"window": 18, "piece_size": 9}),
    "lumber": partial(_chunks, "lumber", {"window": 18}),
    "propositions": partial(_chunks, "propositions", {"window": 10, "batch": 2}),
    "context": _context,
    "questions": _questions,
    "answers": _answers,
}
"""Each is given who asks and whether the user has stopped; what it returns is the same for the same answers."""
