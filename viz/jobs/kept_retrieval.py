"""Storage of a retrieval run: its plan without any text, and the evaluation of each finished chunker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, Field

from chunkers import InputError, build_chunker
from chunkers.results.embedded import EmbeddedAs
from evaluation.questions.corpus import Corpus
from evaluation.questions.reading import Question
from evaluation.retrieval.ladder import Ladder
from evaluation.retrieval.measures import Evaluation
from evaluation.retrieval.stored import from_json, to_json
from evaluation.search.ranking import Method
from evaluation.search.returned import THE_CHUNK, Returned, returning
from viz.jobs.keeping.kept_run import Keeper, KeptPlan, KeptRun
from viz.jobs.plan import Material, Plan


class _Chunker(BaseModel):
    model_config = KeptPlan.model_config

    name: str
    parameters: dict[str, Any]


class _Plan(KeptPlan):
    """A run's plan with hashes in place of its material: one for each document's name and text, one for the questions."""

    own: bool
    documents: tuple[str, ...] = Field(min_length=1)
    questions: str
    chunkers: tuple[_Chunker, ...] = Field(min_length=1)
    sentences: str
    embedded_as: EmbeddedAs = "plain"
    returned: str = str(THE_CHUNK)
    each: tuple[EmbeddedAs, ...] = ()
    searched_by: Method = "embedding"

    @property
    def total(self) -> int:
        """The number of chunkers in the run."""
        return len(self.chunkers)

    def check(self) -> None:
        """Raise InputError if a chunker cannot be constructed or its parameters have changed since the run."""
        Returned.parse(self.returned)
        for chunker in self.chunkers:
            now = build_chunker(chunker.name, chunker.parameters).model_dump(mode="json")
            # A parameter that was added since and is not set changes nothing.
            added = {name for name in now.keys() - chunker.parameters.keys() if now[name] is None}
            if {name: value for name, value in now.items() if name not in added} != chunker.parameters:
                raise InputError(f"The parameters of {chunker.name} have changed since the run was measured.")


class KeptRetrieval(KeptRun[_Plan]):
    """A stored retrieval run, whose parts are the evaluations of its chunkers."""

    kind = "retrieval"
    part = "chunker"
    plan_type = _Plan

    @classmethod
    def of(cls, keeper: Keeper, plan: Plan) -> KeptRetrieval:
        """Return the storage for a retrieval run, without writing anything yet."""
        chunkers = [_Chunker(name=chunker.name, parameters=chunker.model_dump(mode="json")) for chunker in plan.chunkers]
        kept = _Plan(
            own=plan.material.own,
            documents=tuple(keeper.digest(*named_text) for named_text in plan.material.texts),
            questions=keeper.digest(plan.material.questions[1]),
            chunkers=tuple(chunkers),
            embedder=plan.embedder,
            sentences=plan.sentences,
            tokenizer=plan.tokenizer,
            embedded_as=plan.embedded_as,
            returned=str(plan.returned),
            language_model=plan.language_model,
            each=plan.each,
            searched_by=plan.searched_by,
        )
        return cls(keeper, kept)

    def add(self, number: int, evaluation: Evaluation, ladder: Ladder) -> None:
        """Store the measures of a chunker with the run, and return only after they are written."""
        self.keeper.add(number, to_json(evaluation, ladder))

    def found(self, corpus: Corpus, questions: Sequence[Question]) -> dict[int, tuple[Evaluation, Ladder | None]]:
        """Return the stored results by the chunker's number; raises InputError as `results` does.

        Runs stored by an earlier version have no ladders.
        """

        def decode(_: int, part: bytes) -> tuple[Evaluation, Ladder | None]:
            evaluation, ladder = from_json(part, corpus, questions)
            return _returning(evaluation, Returned.parse(self.plan.returned)), ladder

        return self.results(decode)

    def missing(self, material: Material | None) -> str:
        """Describe the documents and questions that the run lacks; empty if nothing is missing."""
        texts, questions = self._recognised(material)
        parts = []
        count = len(self.plan.documents)
        if missing := count - len(texts):
            parts.append(f"{missing:,} of {count:,} documents" if count > 1 else "the document")
        if questions is None:
            parts.append("the questions")
        return " and ".join(parts)

    def with_material(self, material: Material) -> Plan:
        """Rebuild the run's plan with its documents and questions, all of which must be in ``material``."""
        texts, questions = self._recognised(material)
        assert questions is not None
        chunkers = tuple(build_chunker(chunker.name, chunker.parameters) for chunker in self.plan.chunkers)
        names = {name for name, _ in texts}
        given = Material(
            texts, questions, self.plan.own, tuple(named_parts for named_parts in material.parts if named_parts[0] in names)
        )
        kept = self.plan
        how = Returned.parse(kept.returned)
        settings = kept.embedder, kept.sentences, kept.tokenizer, kept.embedded_as, how, kept.language_model, kept.each
        return Plan(given, chunkers, *settings, kept.searched_by)

    def _recognised(self, material: Material | None) -> tuple[tuple[tuple[str, str], ...], tuple[str, bytes] | None]:
        """Return the run's documents and questions as far as ``material`` has them."""
        if material is None:
            return (), None
        by_digest = {self.keeper.digest(*named_text): named_text for named_text in material.texts}
        texts = tuple(by_digest[digest] for digest in self.plan.documents if digest in by_digest)
        same = self.keeper.digest(material.questions[1]) == self.plan.questions
        return texts, material.questions if same else None


def _returning(evaluation: Evaluation, how: Returned) -> Evaluation:
    """Return an evaluation with the passages that its chunks return, which are derived from the corpus, not stored."""
    return replace(evaluation, search=replace(evaluation.search, index=returning(evaluation.index, how)))
