"""Retrieval's questions, grouped by the text that answers them, so that Answers can use them too."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from chunkers import Cancelled, Document, InputError
from chunkers.text.parts import Parts
from evaluation.answering.questions import Items, items_about
from evaluation.questions.corpus import Corpus
from evaluation.questions.reading import read_questions
from viz.jobs.background import Background
from viz.jobs.plan import Material


class Shared(NamedTuple):
    """A text of the Retrieval page, with its questions and their origin."""

    name: str
    text: str
    parts: Parts | None
    items: Items
    origin: str

    def beside(self, other: Shared) -> Shared:
        """Return this text with its own questions and those of the same text in ``other``, without duplicates."""
        every = {item.question: item for item in (*self.items.usable, *other.items.usable)}
        problems = (*self.items.problems, *other.items.problems)
        return self._replace(items=Items((*every.values(),), problems), origin=f"{self.origin} and {other.origin}")


@dataclass(eq=False)
class Sharing(Background):
    """A job that assigns Retrieval's questions to the texts that answer them.

    Attributes
    ----------
    given
        The origin of each set of questions, and the questions with their documents.
    found
        Questions by text, without those that no document or several documents answer.
    """

    given: tuple[tuple[str, Material], ...]
    found: dict[str, Shared] = field(default_factory=dict)

    def progress(self) -> tuple[float, str]:
        """Return 0 and a status text, since the progress is unknown."""
        return 0.0, "Looking up Retrieval's questions"

    def _run(self) -> None:
        errors = []
        for origin, material in self.given:
            try:
                self._take(origin, material)
            except InputError as error:
                errors.append(str(error))
        if errors:
            raise InputError(" ".join(errors))

    def _take(self, origin: str, material: Material) -> None:
        documents = []
        for name, text in material.texts:
            if self.cancelled:
                raise Cancelled
            # Splitting into lines is fast, and excerpts do not depend on sentences.
            documents.append(Document.from_text(text, "lines", name))
        corpus = Corpus(tuple(documents))
        name, data = material.questions
        questions = read_questions(data, name, corpus, self._cancel.is_set)
        names, parts = {text: called for called, text in material.texts}, dict(material.parts)
        for text, items in items_about(questions.usable, corpus).items():
            shared = Shared(names[text], text, parts.get(names[text]), items, origin)
            before = self.found.get(text)
            self.found[text] = shared if before is None else before.beside(shared)
