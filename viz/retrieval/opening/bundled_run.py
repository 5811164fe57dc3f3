"""The run that comes with Seamark: what was measured on the bundled documents, without any text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunkers import InputError, __version__, build_chunker
from chunkers.embedded import EmbeddedAs
from chunkers.text.minilm import WEIGHTS_SHA256
from evaluation.retrieval.corpus import Corpus
from evaluation.retrieval.ladder import Ladder
from evaluation.retrieval.measures import Evaluation
from evaluation.retrieval.questions import Question
from evaluation.retrieval.stored import from_json, to_json
from viz.jobs.plan import Material, Plan


class BundledRun(BaseModel):
    """A finished run, as it is in its file.

    Attributes
    ----------
    made
        The day on which it was measured.
    seamark
        The version that measured it.
    material
        A hash of the names and texts of the documents, the questions, and the weights of the bundled model.
    chunkers
        Name and parameters of each.
    found
        What was measured of each, as `evaluation.retrieval.stored` writes it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    made: date
    seamark: str
    material: str
    chunkers: tuple[tuple[str, dict[str, Any]], ...] = Field(min_length=1)
    embedder: str
    sentences: str
    tokenizer: str
    embedded_as: EmbeddedAs
    found: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, plan: Plan, found: Mapping[int, Evaluation], ladders: Mapping[int, Ladder], made: date) -> BundledRun:
        """Return a run of which all chunkers are done."""
        return cls(
            made=made,
            seamark=__version__,
            material=identity(plan.material),
            chunkers=tuple((one.name, one.model_dump(mode="json")) for one in plan.chunkers),
            embedder=plan.embedder,
            sentences=plan.sentences,
            tokenizer=plan.tokenizer,
            embedded_as=plan.embedded_as,
            found=tuple(json.loads(to_json(found[number], ladders[number])) for number in range(len(plan.chunkers))),
        )

    @classmethod
    def read(cls, path: Path) -> BundledRun:
        """Read a file; raises InputError if it holds no run."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise InputError(f"{path.name}: the file must hold a run that Seamark wrote; it does not.") from error

    def plan(self, material: Material) -> Plan:
        """Return the run's plan, with its material.

        Raises
        ------
        InputError
            If the material or the model is not the one that was measured, or a chunker has other parameters today.
        """
        if identity(material) != self.material:
            raise InputError("The documents, the questions or the model have changed since the run was measured.")
        chunkers = tuple(build_chunker(name, parameters) for name, parameters in self.chunkers)
        for (name, parameters), one in zip(self.chunkers, chunkers, strict=True):
            if one.model_dump(mode="json") != parameters:
                raise InputError(f"The parameters of {name} have changed since the run was measured.")
        return Plan(material, chunkers, self.embedder, self.sentences, self.tokenizer, self.embedded_as)

    def results(self, corpus: Corpus, questions: Sequence[Question]) -> dict[int, tuple[Evaluation, Ladder | None]]:
        """Return what was measured, by number of the chunker; raises InputError as `from_json` does."""
        return {number: from_json(json.dumps(one).encode(), corpus, questions) for number, one in enumerate(self.found)}


def identity(material: Material) -> str:
    """Return a hash of documents and questions, and of the weights of the bundled model."""
    digest = hashlib.blake2b(digest_size=16)
    texts = [part.encode() for one in material.texts for part in one]
    for data in (*texts, material.questions[1], WEIGHTS_SHA256.encode()):
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()
