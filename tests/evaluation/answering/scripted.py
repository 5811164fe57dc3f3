"""A model that answers and judges as it is told."""

import json
import re

from chunkers.language_models import prompts
from chunkers.language_models.base import Reply
from tests.support import ScriptedModel


def judgement(system, question):
    """Return a sound reply of a judging model: what it finds depends on the answer alone."""
    answer = question.rpartition("nswer")[2]
    if system == prompts.FAITHFULNESS_SYSTEM_PROMPT:
        statements = [{"statement": word, "supported": "not" not in word} for word in re.findall(r"\w+", answer)]
        return json.dumps({"statements": statements})
    if system == prompts.RELEVANCY_SYSTEM_PROMPT:
        return json.dumps(
            {"questions": [f"What is {answer[:20]}?", "What else?", "Where?"], "evasive": "do not say" in answer}
        )
    return json.dumps({"reason": "As it is.", "grade": 1 + len(answer) % 5})


def answer(question):
    """Return an answer that depends on the question and on the best chunk."""
    passage = re.search(r"\[1\]\n(.{0,30})", question)
    return f"{passage[1] if passage else 'Nothing'} and not more."


def chat(messages):
    """Return the model's reply to a conversation, for `tests.server.ChatModelServer`."""
    return reply_to(messages[0]["content"], messages[1]["content"])


def reply_to(system, question):
    answering = system in (prompts.ANSWER_SYSTEM_PROMPT, prompts.CLOSED_BOOK_SYSTEM_PROMPT)
    return answer(question) if answering else judgement(system, question)


class AnsweringModel(ScriptedModel):
    """Answers and judges; ``says(system, question)`` overrules where it returns a text or a reply."""

    def __init__(self, says=lambda system, question: None):
        super().__init__()
        self.says = says

    def answer(self, messages):
        reply = self.says(messages[0].text, messages[1].text)
        if isinstance(reply, Reply):
            return reply
        return Reply(reply or reply_to(messages[0].text, messages[1].text), 100, 7)
