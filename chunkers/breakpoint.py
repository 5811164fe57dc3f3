"""The greedy chunker: a gap is cut when its score passes a line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from chunkers.base import FieldSpec, Tools
from chunkers.distances import buffered, gap_distances
from chunkers.document import Document
from chunkers.result import Chunking, Curve, Gap, Line, Verdict, compared, number
from chunkers.sizes import Sized, within_sizes
from chunkers.thresholds import THRESHOLDS, FloatArray, Threshold

ThresholdName = Literal[
    "percentile", "standard_deviation", "interquartile", "gradient", "distance", "absolute_gradient", "slope"
]


class Breakpoint(Sized):
    """Cut wherever neighbouring sentences are further apart than a line through all the distances.

    Sources: LangChain's SemanticChunker (percentile, standard deviation, interquartile, gradient; buffer 1), Qu et al.
    (those, and the distance and gradient themselves; buffer 0), "Semantic Chunking: Letting the Content Define Its Own
    Boundaries" (percentile and slope).
    """

    name: ClassVar[str] = "breakpoint"
    title: ClassVar[str] = "Breakpoint"
    idea: ClassVar[str] = "Cuts where the meaning jumps from one sentence to the next."
    source: ClassVar[str] = "LangChain; Qu et al.; “Letting the Content Define Its Own Boundaries”"
    embeds: ClassVar[bool] = True

    threshold: ThresholdName = Field(
        "percentile", title="Threshold", description="How the line is drawn.", json_schema_extra={"main": True}
    )
    amount: float = Field(95, title="Amount", json_schema_extra={"main": True})
    buffer: int = Field(
        0,
        ge=0,
        le=20,
        title="Buffer",
        description="Sentences joined on each side before embedding: 0 in Qu et al., 1 in LangChain, 3 in Chroma's report.",
        json_schema_extra={"unit": "sentences", "step": 1, "offered": [0, 5], "main": True},
    )

    @model_validator(mode="before")
    @classmethod
    def _default_amount(cls, values: Any) -> Any:
        """Let each threshold have its own amount at rest."""
        if isinstance(values, dict) and values.get("amount") is None:
            rule = THRESHOLDS.get(str(values.get("threshold", "percentile")))
            return {**values, "amount": rule.default} if rule else values
        return values

    @model_validator(mode="after")
    def _amount_in_range(self) -> Self:
        rule = self.rule
        if not rule.low <= self.amount <= rule.high:
            hint = f" Percentiles count to 100: did you mean {self.amount * 100:g}?" if 0 < self.amount < rule.low else ""
            raise ValueError(
                f"amount must lie between {rule.low:g} and {rule.high:g} for the {rule.name} threshold; "
                f"got {self.amount:g}.{hint}"
            )
        return self

    @property
    def rule(self) -> Threshold:
        """The threshold's definition."""
        return THRESHOLDS[self.threshold]

    @classmethod
    def fields(cls, values: Mapping[str, Any] | None = None) -> list[FieldSpec]:
        """Return the declarations, the amount's by the threshold that ``values`` name."""
        rule = THRESHOLDS[str((values or {}).get("threshold") or "percentile")]
        return [_amount_spec(spec, rule) if spec.name == "amount" else spec for spec in super().fields(values)]

    def describe(self) -> str:
        """Say the settings in a few words."""
        return f"{self.threshold.replace('_', ' ')} {self.amount:g}, buffer {self.buffer}"

    def reading(self) -> str:
        """Say the amount in both readings, of distance and of similarity."""
        amount = self.amount
        match self.threshold:
            case "percentile":
                return (
                    f"Cuts the {100 - amount:g} % of gaps with the greatest distance: "
                    f"the lowest {100 - amount:g} % by similarity."
                )
            case "standard_deviation" | "interquartile":
                unit = "standard deviations" if self.threshold == "standard_deviation" else "interquartile ranges"
                return (
                    f"Cuts where the distance is more than {amount:g} {unit} above its mean: "
                    f"where the similarity is as far below its own."
                )
            case "gradient":
                return f"Cuts the {100 - amount:g} % of gaps where the distance rises, and the similarity falls, fastest."
            case "distance":
                return f"Cuts where the distance exceeds {amount:g}: where the similarity is below {1 - amount:.4g}."
            case "absolute_gradient":
                return f"Cuts where the distance rises, and the similarity falls, by more than {amount:g} a gap."
            case _:
                return (
                    f"Cuts where the similarity changes by less than its mean change minus {amount:g} standard deviations: "
                    f"where the distance jumps up by as much."
                )

    def levels(self, parameter: str, values: Sequence[float], scores: Sequence[float]) -> list[float]:
        """Return the line's level for every amount in ``values``."""
        array = np.asarray(scores, dtype=np.float64)
        return [self.rule.line(array, value) for value in values]

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document: scores, line, verdicts, sizes."""
        if not document.sentences:
            return Chunking(document, (), ())
        distances = gap_distances(tools.embed(buffered(document.sentence_texts, self.buffer)))
        scores = self.rule.scores(distances)
        level = self.rule.line(scores, self.amount)
        gaps = within_sizes(document, self._verdicts(scores, level), self.limits, tools, distances.tolist)
        curve = Curve(
            label=self.rule.score_name,
            scores=tuple(scores.tolist()),
            lines=(Line("threshold", level, "amount"),),
            cut_above=self.rule.above,
            live=True,
        )
        return Chunking.from_gaps(document, gaps, curves=(curve,))

    def _verdicts(self, scores: FloatArray, level: float) -> list[Gap]:
        rule = self.rule
        passing, failing = (">", "≤") if rule.above else ("<", "≥")
        threshold = number(level)
        gaps = []
        for index, score in enumerate(scores.tolist()):
            if math.isnan(score):
                said = f"no {rule.score_name} at this gap: it needs a gap beside it"
                gaps.append(Gap(index, None, threshold, Verdict.KEPT, said))
                continue
            cut = score > level if rule.above else score < level
            said = compared(rule.score_name, score, level, passing if cut else failing)
            gaps.append(Gap(index, score, threshold, Verdict.CUT if cut else Verdict.KEPT, said))
        return gaps


def _amount_spec(spec: FieldSpec, rule: Threshold) -> FieldSpec:
    return replace(
        spec,
        title=rule.title,
        help=rule.help,
        default=rule.default,
        low=rule.low,
        high=rule.high,
        offered=rule.offered,
        step=rule.step,
        depends="threshold",
    )
