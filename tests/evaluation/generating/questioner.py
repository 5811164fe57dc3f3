"""A language model that asks questions: one that quotes rightly, and answers that are told beforehand."""

import json
import re

from chunkers.language_models.base import Reply
from tests.support import ScriptedModel


def answer(question, *excerpts):
    return json.dumps({"question": question, "excerpts": excerpts})


def passage_of(messages):
    """Return the passage that a conversation is about."""
    return re.search(r"^Passage \d+:\n\n(.*)\n\nAsk about this passage\.\Z", messages[3].text, re.S | re.M)[1]


def number_of(prompt):
    """Return the number of the question that a prompt asks for."""
    return int(re.search(r"^Passage (\d+):", prompt, re.M)[1])


class Questioner(ScriptedModel):
    """Answers with the next of a script, then with a question of its own about the passage's first words."""

    def __init__(self, *script):
        super().__init__()
        self.script = list(script)

    def answer(self, messages):
        if self.script:
            step = self.script.pop(0)
            return step if isinstance(step, Reply) else Reply(step, 10, 2)
        excerpt = " ".join(re.findall(r"\S+", passage_of(messages))[:3])
        return Reply(answer(f"Question {number_of(messages[3].text)}?", passage_of(messages).strip()[: len(excerpt)]), 10, 2)
