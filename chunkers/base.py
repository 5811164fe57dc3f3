"""What every chunker is: a frozen model whose fields are its parameters, and the tools that it may ask for."""

from __future__ import annotations

import inspect
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticUndefined

from chunkers.cache import EmbeddingCache, Entry
from chunkers.document import Document
from chunkers.embedders import Embedder
from chunkers.errors import Cancelled, ModelError, ParameterError
from chunkers.result import Chunking, Timing
from chunkers.tokenizers import IntArray, Tokenizer

FloatArray = npt.NDArray[np.float32]


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


@dataclass
class Meter:
    """What a run used, in seconds and distinct texts; ``seen`` are the keys of those counted already."""

    load_s: float = 0.0
    embed_s: float = 0.0
    merge_s: float = 0.0
    cold_s: float = 0.0
    embedded: int = 0
    cached: int = 0
    seen: set[bytes] = field(default_factory=set)


def _no_progress(done: int, total: int) -> None:
    """Tell nobody."""


@dataclass
class Tools:
    """What a chunker may ask for: embeddings, token counts, progress and cancellation.

    Attributes
    ----------
    embedder
        Makes vectors; None where only chunkers that need none will run.
    tokenizer
        Counts tokens.
    cache
        Where embeddings are kept between runs.
    progress
        Called with (texts embedded, texts to embed) after each batch.
    cancelled
        Asked before each batch; true stops the run with `Cancelled`.
    """

    embedder: Embedder | None
    tokenizer: Tokenizer
    cache: EmbeddingCache = field(default_factory=EmbeddingCache)
    progress: Callable[[int, int], None] = _no_progress
    cancelled: Callable[[], bool] = bool
    meter: Meter = field(default_factory=Meter)

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return unit vectors, shape (len(texts), dimension), computing each distinct text once for good.

        Raises
        ------
        ModelError
            If there is no embedder or it cannot be loaded.
        Cancelled
            If the user asked to stop; the batches done are in the cache.
        """
        if self.embedder is None:
            raise ModelError("This chunker needs an embedder, and none was given.")
        began = time.perf_counter()
        loading = self.meter.load_s
        try:
            if not self.embedder.revision and not self.cancelled():
                # Only loading tells which weights a folder or a name on the hub stands for.
                self._load(self.embedder)
            keys = self.cache.keys(self.embedder.name, self.embedder.revision, texts)
            found = self.cache.get_many(keys)
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
            self.meter.cached += len(found.keys() - self.meter.seen)
            if missing:
                self._compute(self.embedder, missing, found)
            self.meter.cold_s += sum(entry.cost for key, entry in found.items() if key not in self.meter.seen)
            self.meter.seen.update(found)
            return np.stack([found[key].vector for key in keys]) if keys else np.zeros((0, 1), np.float32)
        finally:
            self.meter.embed_s += time.perf_counter() - began - (self.meter.load_s - loading)

    def _compute(self, embedder: Embedder, missing: Mapping[bytes, str], found: dict[bytes, Entry]) -> None:
        """Embed the missing texts in batches, and put them with those found."""
        if self.cancelled():
            raise Cancelled
        self._load(embedder)
        with self._turn():
            # Another run may have computed them while this one waited for its turn.
            there = self.cache.get_many(missing)
            self.meter.cached += len(there)
            found.update(there)
            ordered = self._by_length({key: text for key, text in missing.items() if key not in there})
            size = embedder.batch
            for start in range(0, len(ordered), size):
                if self.cancelled():
                    raise Cancelled
                batch = ordered[start : start + size]
                began = time.perf_counter()
                vectors = embedder.encode([text for _, text in batch])
                cost = (time.perf_counter() - began) / len(batch)
                self._check_dimension(vectors, found)
                found.update(self.cache.put_many([key for key, _ in batch], vectors, cost))
                self.meter.embedded += len(batch)
                self.progress(min(start + size, len(ordered)), len(ordered))

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Let one run at a time embed into the cache, so that none computes what another is computing."""
        while not self.cache.turn.acquire(timeout=0.05):
            if self.cancelled():
                raise Cancelled
        try:
            yield
        finally:
            self.cache.turn.release()

    def _by_length(self, missing: Mapping[bytes, str]) -> list[tuple[bytes, str]]:
        """Order the texts by what the model reads of them: neighbours share a batch, and little of it is padding."""
        if self.embedder is None or self.cancelled():
            return list(missing.items())
        lengths = self.embedder.lengths(list(missing.values()))
        order = sorted(zip(lengths, missing.items(), strict=True), key=lambda item: item[0], reverse=True)
        return [item for _, item in order]

    def _check_dimension(self, vectors: FloatArray, found: Mapping[bytes, Entry]) -> None:
        """Refuse vectors unlike those in the cache: the model behind a server's name may have been changed."""
        known = next(iter(found.values()), None)
        if known is not None and known.vector.shape != vectors.shape[1:]:
            assert self.embedder is not None
            raise ModelError(
                f"{self.embedder.name}: all its vectors must have the same dimensions; it gave {vectors.shape[1]} now and "
                f"{len(known.vector)} before, which are kept: another model has its name."
            )

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text."""
        self._load(self.tokenizer)
        return self.tokenizer.count(texts)

    def token_starts(self, text: str) -> IntArray:
        """Return the code point at which each token of ``text`` begins, shape (tokens,)."""
        self._load(self.tokenizer)
        return self.tokenizer.starts(text)

    def _load(self, part: Embedder | Tokenizer) -> None:
        """Load a model before its first use."""
        with self.loading():
            part.load()

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Count the time inside as that of loading a model or a library, which is not the chunker's."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.meter.load_s += time.perf_counter() - began

    @contextmanager
    def merging(self) -> Iterator[None]:
        """Count the time inside as that of a second pass; embedding within is still embedding."""
        began, elsewhere = time.perf_counter(), self.meter.embed_s + self.meter.load_s
        yield
        self.meter.merge_s += time.perf_counter() - began - (self.meter.embed_s + self.meter.load_s - elsewhere)


def run(chunker: Chunker, document: Document, tools: Tools) -> Chunking:
    """Cut the document and attach the timing of every stage."""
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
    return replace(chunking, timing=timing)
