"""Settings that are tried where a column fails a question: near its own parameters, and a few other chunkers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from chunkers import Chunker, Embedder, InputError, build_chunker
from chunkers.contract.base import FieldSpec
from chunkers.recipes.registry import CHUNKERS
from chunkers.support.numbers import signed

STEPS = (1, 2, 4, 8, 16, 32, 64)
"""Distances from a parameter's value, in steps of its slider, in both directions."""

FACTORS = (1 / 2, 2 / 3, 4 / 5, 5 / 4, 3 / 2, 2)
"""Multiples of an optional number that is set."""

SIZES: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    "min_size": {
        "characters": (100, 200, 400, 800),
        "words": (20, 40, 80, 160),
        "tokens": (25, 50, 100, 200),
        "sentences": (2, 3, 4, 6),
    },
    "max_size": {
        "characters": (500, 1000, 2000, 4000),
        "words": (100, 200, 400, 800),
        "tokens": (100, 200, 400, 800),
        "sentences": (4, 8, 12, 20),
    },
}
"""Bounds of a chunk that are tried where there is none, by parameter and unit."""

FIXED = frozenset({"unit", "size_unit", "seed"})
"""Parameters that stay: another unit changes what a size means, and another seed is only another draw."""

OTHERS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    *(
        (f"{size} sentences" + f", overlap {overlap}" * (overlap > 0), "fixed_sentences", {"size": size, "overlap": overlap})
        for size in (3, 5, 8)
        for overlap in (0, 1, 2)
    ),
    *(
        (f"Recursive {size}" + suffix, "recursive", {"size": size, "overlap": overlap, "unit": "tokens"})
        for size in (100, 200, 400)
        for overlap, suffix in ((0, " tokens"), (size // 4, f", overlap {size // 4}"))
    ),
    *((f"Structure {size} tokens", "structure", {"max_size": size}) for size in (100, 200, 300, 400)),
    *((f"Breakpoint {amount:g} %", "breakpoint", {"amount": amount}) for amount in (50.0, 70.0, 80.0, 90.0, 95.0)),
    *((f"Double pass merging {cosine}", "double_pass", {"merging_threshold": cosine}) for cosine in (0.1, 0.2, 0.3)),
    *((f"Target size {size} tokens", "target_size", {"size": size, "buffer": 0}) for size in (100, 200, 400)),
    *((f"Change points, {caution}", "change_point", {"caution": caution}) for caution in ("eager", "balanced", "cautious")),
)
"""Other chunkers: in words, by name, and with the parameters that are set; the rest have the embedder's defaults."""


class Variation(NamedTuple):
    """Chunker with changed settings, to be tried as a remedy.

    Attributes
    ----------
    kind
        Name of the changed parameter, or of the other chunker.
    words
        The change in words.
    """

    kind: str
    words: str
    chunker: Chunker


def variations(chunker: Chunker, embedder: Embedder | None = None) -> list[Variation]:
    """Return all alternative settings of a chunker to try as remedies, without duplicates.

    Each setting changes a single parameter: a number by `STEPS`, an optional number by `FACTORS` or to one of `SIZES`, and a
    choice to each other option. Only built-in chunkers that call no language model are varied. The chunkers of `OTHERS` are
    tried too, except the chunker itself and, without an embedder, those that embed.
    """
    alternatives: list[Variation] = []
    seen = {_key(chunker)}
    for variation in (*_near(chunker), *_others(chunker, embedder)):
        if (key := _key(variation.chunker)) not in seen:
            seen.add(key)
            alternatives.append(variation)
    return alternatives


def _key(chunker: Chunker) -> tuple[str, str]:
    return chunker.name, chunker.model_dump_json()


def _near(chunker: Chunker) -> Iterator[Variation]:
    if type(chunker) is not CHUNKERS.get(chunker.name):
        return
    values = chunker.model_dump()
    specs = type(chunker).fields(values)
    idle = chunker.idle()
    for spec in specs:
        if spec.name in FIXED or spec.name in idle:
            continue
        # The amount of one threshold means nothing to another.
        dependent = {other_spec.name for other_spec in specs if other_spec.depends == spec.name}
        kept = {name: value for name, value in values.items() if name not in dependent}
        for value in _values(spec, values):
            try:
                other = type(chunker).build(**{**kept, spec.name: value})
            except InputError:
                continue
            yield Variation(spec.name, _words(spec, value, values), other)


def _values(spec: FieldSpec, values: Mapping[str, Any]) -> Iterable[Any]:
    """Return the alternative values to try for a parameter."""
    now = values[spec.name]
    if spec.kind == "choice":
        return [word for word in spec.choices if word != now]
    number = int if spec.kind == "integer" else float
    if spec.optional and now is None:
        return SIZES.get(spec.name, {}).get(_unit(spec, values), ())
    if spec.optional:
        return [*sorted({number(round(now * factor, 6)) for factor in FACTORS} - {now}), None]
    low, high = spec.offered or (spec.low, spec.high)
    step = spec.step or 1
    stops = [number(round(now + sign * count * step, 6)) for count in STEPS for sign in (-1, 1)]
    return [stop for stop in stops if (low is None or stop >= min(low, now)) and (high is None or stop <= max(high, now))]


def _unit(spec: FieldSpec, values: Mapping[str, Any]) -> str:
    return spec.unit or str(values.get("size_unit" if spec.name in SIZES else "unit", ""))


def _words(spec: FieldSpec, value: Any, values: Mapping[str, Any]) -> str:
    title = (spec.title[0].lower() + spec.title[1:]).removesuffix(" of distance")
    if value is None:
        return f"no {title}"
    if spec.kind == "choice":
        return f"{title} {str(value).replace('_', ' ')}"
    unit = _unit(spec, values)
    if unit == "cosine" or unit in title:
        unit = ""
    amount = f"{value:,}" if isinstance(value, int) else signed(value)
    return f"{title} {amount} {unit if value != 1 else unit.removesuffix('s')}".strip()


def _others(chunker: Chunker, embedder: Embedder | None) -> Iterator[Variation]:
    for words, name, parameters in OTHERS:
        other = build_chunker(name, parameters, embedder)
        if name != chunker.name and (embedder is not None or not other.embeds):
            yield Variation(name, words, other)
