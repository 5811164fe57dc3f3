"""What every chunker is: a frozen model whose fields are its parameters, and one pure function."""

from __future__ import annotations

import inspect
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticUndefined

from chunkers.errors import ParameterError
from chunkers.result import Chunking, Timing
from chunkers.text.document import Document
from chunkers.text.fitness import warnings_of
from chunkers.tools import Meter, Tools


@dataclass(frozen=True)
class FieldSpec:
    """All that a form, a table or an error needs to know of one parameter.

    ``low`` and ``high`` are the rule; ``offered`` are a slider's bounds where it should offer less. ``depends`` names
    the parameter whose value changes this declaration.
    """

    name: str
    title: str
    help: str
    default: Any
    kind: str
    optional: bool = False
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    offered: tuple[float, float] | None = None
    step: float | None = None
    unit: str = ""
    main: bool = False
    depends: str = ""

    @property
    def stops(self) -> list[float]:
        """The values that a slider stands at, in ascending order; without a step, a hundred of them."""
        low, high = self.offered or (self.low or 0.0, self.high or 1.0)
        step = self.step or (high - low) / 100
        return [round(low + step * count, 6) for count in range(round((high - low) / step) + 1)]


class Chunker(BaseModel, ABC):
    """Base of all chunkers; a subclass is its parameters and one pure function.

    The fields of a subclass are its parameters, declared once with type, bounds, default, title and help. The page's
    controls, the link, the recipe, the command line and the errors all read that declaration. The extra keys ``unit``,
    ``step``, ``offered`` (the bounds of a slider, where they are narrower than the rule) and ``main`` (shown unfolded)
    go into ``json_schema_extra``. For the Guide, ``formula`` is the decision in LaTeX and ``failure`` what is known to go
    wrong.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: ClassVar[str]
    title: ClassVar[str]
    idea: ClassVar[str]
    source: ClassVar[str]
    formula: ClassVar[str] = ""
    failure: ClassVar[str] = ""
    embeds: ClassVar[bool] = False

    @abstractmethod
    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document; pure but for what ``tools`` caches and counts."""

    @classmethod
    def build(cls, /, **parameters: Any) -> Self:
        """Make the chunker, with one sentence for whatever is wrong with the parameters.

        Raises
        ------
        ParameterError
            Naming the chunker, the parameter, its rule and the value that came.
        """
        try:
            return cls(**parameters)
        except ValidationError as error:
            raise ParameterError(_sentence(cls, error)) from error

    @classmethod
    def fields(cls, values: Mapping[str, Any] | None = None) -> list[FieldSpec]:
        """Return the declaration of every parameter; ``values`` are the others, where one depends on another."""
        schema = cls.model_json_schema()["properties"]
        own = [name for name in cls.model_fields if name in inspect.get_annotations(cls)]
        names = dict.fromkeys([*own, *cls.model_fields])
        return [_spec(name, schema[name], cls.model_fields[name].default) for name in names]

    def levels(self, parameter: str, values: Sequence[float], scores: Sequence[float]) -> list[float]:
        """Return where the line of ``parameter`` lies on the curve ``scores`` for each of ``values``."""
        return [float(value) for value in values]

    def describe(self) -> str:
        """Say the settings in a few words, the ones that are not at rest."""
        return ", ".join(f"{spec.title.lower()} {getattr(self, spec.name)}" for spec in self.fields() if spec.main)


def _spec(name: str, schema: dict[str, Any], default: Any) -> FieldSpec:
    variants = [part for part in schema.get("anyOf", [schema]) if part.get("type") != "null"]
    core = variants[0]
    return FieldSpec(
        name=name,
        title=schema["title"],
        help=schema.get("description", ""),
        default=None if default is PydanticUndefined else default,
        kind="choice" if "enum" in core else core["type"],
        optional="anyOf" in schema,
        choices=tuple(core.get("enum", ())),
        low=core.get("minimum"),
        high=core.get("maximum"),
        offered=tuple(schema["offered"]) if "offered" in schema else None,
        step=schema.get("step"),
        unit=schema.get("unit", ""),
        main=schema.get("main", False),
    )


def _sentence(cls: type[Chunker], error: ValidationError) -> str:
    """Say the first broken rule as one sentence."""
    detail = error.errors(include_url=False)[0]
    name = str(detail["loc"][0]) if detail["loc"] else ""
    got = repr(detail["input"])
    got = got if len(got) <= 60 else got[:57] + "..."
    context = detail.get("ctx", {})
    match detail["type"]:
        case "extra_forbidden":
            return f"{cls.name} has no parameter {name!r}; its parameters are {', '.join(cls.model_fields)}."
        case "value_error":
            return f"{cls.name}: {context['error']}"
        case "greater_than_equal":
            rule = f"at least {context['ge']:g}"
        case "less_than_equal":
            rule = f"at most {context['le']:g}"
        case "literal_error":
            rule = f"one of {context['expected'].replace(' or ', ', ')}"
        case "int_type" | "int_parsing" | "int_from_float":
            rule = "a whole number"
        case "float_type" | "float_parsing" | "finite_number":
            rule = "a finite number"
        case _:
            rule = detail["msg"][0].lower() + detail["msg"][1:]
    return f"{cls.name}: {name} must be {rule}; got {got}."


def run(chunker: Chunker, document: Document, tools: Tools) -> Chunking:
    """Cut the document; attach the timing of every stage, and notes where the text does not suit what was used."""
    meter = Meter()
    began = time.perf_counter()
    embedder = tools.embedder.for_document(document) if tools.embedder is not None else None
    chunking = chunker.chunk(document, replace(tools, embedder=embedder, meter=meter))
    elapsed = time.perf_counter() - began
    timing = Timing(
        split_ms=document.split_ms,
        embed_ms=meter.embed_s * 1000,
        embedded=meter.embedded,
        cached=meter.cached,
        cold_ms=meter.cold_s * 1000,
        decide_ms=(elapsed - meter.load_s - meter.embed_s - meter.merge_s) * 1000,
        merge_ms=meter.merge_s * 1000,
    )
    used = [embedder] * bool(meter.seen) + [tools.tokenizer] * meter.counted
    return replace(chunking, timing=timing, notes=(*chunking.notes, *warnings_of(document, *used)))
