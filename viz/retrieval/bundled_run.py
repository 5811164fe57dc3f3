"""The run that comes with Seamark: what was measured on the bundled documents, without any text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from pydantic import Field

from chunkers import InputError, build_chunker
from chunkers.results.embedded import EmbeddedAs
from evaluation.questions.corpus import Corpus
from evaluation.questions.reading import Question
from evaluation.retrieval.ladder import Ladder
from evaluation.retrieval.measures import Evaluation
from evaluation.retrieval.stored import from_json, to_json
from viz.jobs.keeping.bundled import Bundled, identity
from viz.jobs.plan import Material, Plan


class BundledRun(Bundled):
    """A finished run, as it is in its file; the material are the names and texts of the documents, and the questions.

    Attributes
    ----------
    chunkers
        Name and parameters of each.
    found
        What was measured of each, as `evaluation.retrieval.stored` writes it.
    """

    chunkers: tuple[tuple[str, dict[str, Any]], ...] = Field(min_length=1)
    embedder: str
    sentences: str
    tokenizer: str
    embedded_as: EmbeddedAs
    found: tuple[dict[str, Any], ...]

    @classmethod
    def of(
        cls, plan: Plan, found: Mapping[int, Evaluation], ladders: Mapping[int, Ladder], made: date, seamark: str
    ) -> BundledRun:
        """Return a run of which all chunkers are done."""
        return cls(
            made=made,
            seamark=seamark,
            material=_identity(plan.material),
            chunkers=tuple((one.name, one.model_dump(mode="json")) for one in plan.chunkers),
            embedder=plan.embedder,
            sentences=plan.sentences,
            tokenizer=plan.tokenizer,
            embedded_as=plan.embedded_as,
            found=tuple(json.loads(to_json(found[number], ladders[number])) for number in range(len(plan.chunkers))),
        )

    def plan(self, material: Material) -> Plan:
        """Return the run's plan, with its material.

        Raises
        ------
        InputError
            If the material or the model is not the one that was measured, or a chunker has other parameters today.
        """
        self.check(_identity(material), "The documents, the questions or the model")
        chunkers = tuple(build_chunker(name, parameters) for name, parameters in self.chunkers)
        for (name, parameters), one in zip(self.chunkers, chunkers, strict=True):
            if one.model_dump(mode="json") != parameters:
                raise InputError(f"The parameters of {name} have changed since the run was measured.")
        return Plan(material, chunkers, self.embedder, self.sentences, self.tokenizer, self.embedded_as)

    def results(self, corpus: Corpus, questions: Sequence[Question]) -> dict[int, tuple[Evaluation, Ladder | None]]:
        """Return the measured results by number of the chunker; raises InputError as `from_json` does."""
        return {number: from_json(json.dumps(one).encode(), corpus, questions) for number, one in enumerate(self.found)}


def _identity(material: Material) -> str:
    return identity([*(part for one in material.texts for part in one), material.questions[1]])
