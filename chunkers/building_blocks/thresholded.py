"""Base class of the chunkers that compare every distance with one threshold line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from pydantic import model_validator

from chunkers.building_blocks.thresholds import THRESHOLDS, Threshold
from chunkers.contract.base import Chunker, FieldSpec
from chunkers.support.numbers import signed


class Thresholded(Chunker):
    """Base class for chunkers that cut where a distance passes one of the `THRESHOLDS`, adjusted by ``amount``.

    A subclass redeclares the fields in its own order, with its thresholds and its default buffer.
    """

    threshold: str
    amount: float
    buffer: int

    @model_validator(mode="before")
    @classmethod
    def _default_amount(cls, values: Any) -> Any:
        """Fill in the threshold's own default amount."""
        if isinstance(values, dict) and values.get("amount") is None:
            name = values.get("threshold", "percentile")
            # What is no text is refused afterwards, by the declaration of the threshold.
            rule = THRESHOLDS.get(name) if isinstance(name, str) else None
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
        """The definition of the selected threshold."""
        return THRESHOLDS[self.threshold]

    @classmethod
    def fields(cls, values: Mapping[str, Any] | None = None) -> list[FieldSpec]:
        """Return the declarations of all parameters, with ``amount`` declared for the threshold in ``values``."""
        rule = THRESHOLDS[str((values or {}).get("threshold") or "percentile")]
        return [_amount_spec(spec, rule) if spec.name == "amount" else spec for spec in super().fields(values)]

    def describe(self) -> str:
        """Return the threshold, its amount and the buffer as a short phrase."""
        return f"{self.threshold.replace('_', ' ')} {signed(self.amount)}, buffer {self.buffer}"

    def remark(self, parameter: str) -> str:
        """Return a sentence that explains the amount as a distance and as a similarity; empty for other parameters."""
        return self.reading() if parameter == "amount" else ""

    def reading(self) -> str:
        """Return a sentence that explains the amount as a distance and as a similarity."""
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
                    f"Cuts where the distance is more than {signed(amount)} {unit} above its mean: "
                    f"where the similarity is as far below its own."
                )
            case "gradient":
                return f"Cuts the {100 - amount:g} % of gaps where the distance rises, and the similarity falls, fastest."
            case "distance":
                return (
                    f"Cuts where the distance exceeds {amount:g}: where the similarity is below {signed(1 - amount, '.4g')}."
                )
            case "absolute_gradient":
                return f"Cuts where the distance rises, and the similarity falls, by more than {signed(amount)} a gap."
            case "depth":
                return (
                    "Cuts where the similarity lies so far below the peaks on both sides, both falls added up, that this is "
                    f"more than the mean depth minus {signed(amount)} standard deviations."
                )
            case _:
                return (
                    f"Cuts where the similarity changes by less than its mean change minus {signed(amount)} standard "
                    f"deviations: where the distance jumps up by as much."
                )


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
