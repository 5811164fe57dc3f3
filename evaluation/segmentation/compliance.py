"""Size compliance: how many chunks have a size that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunkers import Chunker, Chunking, Embedder, InputError, Tokenizer, load_tokenizer
from evaluation.segmentation.chunk_facts import sentence_counts

UNITS = ("characters", "words", "tokens", "sentences")
"""Units of a size."""


@dataclass(frozen=True)
class Bounds:
    """Required minimum and maximum chunk size, both inclusive; None for no bound.

    Attributes
    ----------
    unit
        One of `UNITS`, or “tokens read” for the embedder's own count, special tokens included.
    """

    least: int | None
    most: int | None
    unit: str

    def words(self) -> str:
        """Return the bounds as a phrase, such as “50 to 512 tokens”."""
        if self.least is None:
            return f"at most {self.most:,} {self.unit}"
        if self.most is None:
            return f"at least {self.least:,} {self.unit}"
        return f"{self.least:,} to {self.most:,} {self.unit}"


@dataclass(frozen=True)
class Compliance:
    """Numbers of chunks within, below and above the required sizes.

    Attributes
    ----------
    within, short, long
        Number of chunks within the bounds, below the minimum, and above the maximum.
    """

    bounds: Bounds
    within: int
    short: int
    long: int

    @property
    def share(self) -> float | None:
        """Share of chunks within the bounds, from 0 to 1; None if there are no chunks."""
        total = self.within + self.short + self.long
        return self.within / total if total else None

    def words(self) -> str:
        """Return a phrase with the bounds and the numbers of chunks outside them."""
        broken = [f"{count:,} {what}" for count, what in ((self.short, "too small"), (self.long, "too large")) if count]
        return f"{self.bounds.words()}: " + (", ".join(broken) or "all are")


def compliance(sizes: Sequence[int], bounds: Bounds) -> Compliance:
    """Count the chunk sizes within, below and above the bounds.

    Source: size compliance of Moura Junior et al., “Adaptive Chunking” (LREC 2026), who require 100 to 1,100 tokens.

    Raises
    ------
    InputError
        If there is no bound, if a bound is below 0, or if the minimum exceeds the maximum.
    """
    least, most = bounds.least, bounds.most
    if least is None and most is None:
        raise InputError("Size compliance needs a minimum or a maximum size; got neither.")
    if min(bound for bound in (least, most) if bound is not None) < 0 or (least or 0) > (
        least or 0 if most is None else most
    ):
        raise InputError(f"The minimum size must be at least 0 and at most the maximum; got {least} and {most}.")
    short = sum(size < least for size in sizes) if least is not None else 0
    long = sum(size > most for size in sizes) if most is not None else 0
    return Compliance(bounds, len(sizes) - short - long, short, long)


def asked_of(chunker: Chunker, embedder: Embedder | None = None) -> Bounds | None:
    """Return the size bounds in a chunker's parameters, else the embedder's maximum input; None without either.

    The size of `fixed_sentences` in sentences and a `target_size`, which is an average, set no bounds.
    """
    least, most = _bound(chunker, "min_size", "min_chunk_size"), _bound(chunker, "max_size", "max_chunk_size", "chunk_size")
    average = getattr(chunker, "fit", "") == "average"
    units = {spec.name: spec.unit for spec in chunker.fields(chunker.model_dump())}
    if least is None and most is None and not average and units.get("size") != "sentences":
        most = _bound(chunker, "parent_size", "size")
    if least is not None or most is not None:
        size_units = (units.get(name) for name in ("max_size", "max_chunk_size", "chunk_size", "size"))
        chosen = getattr(chunker, "size_unit", None) or getattr(chunker, "unit", None)
        return Bounds(least, most, chosen or next(filter(None, size_units), "characters"))
    if embedder is not None and embedder.max_tokens is not None:
        return Bounds(None, embedder.max_tokens, "tokens read")
    return None


def _bound(chunker: Chunker, *names: str) -> int | None:
    return next((value for name in names if isinstance(value := getattr(chunker, name, None), int)), None)


def sizes_in(unit: str, chunking: Chunking, tokenizer: Tokenizer, embedder: Embedder | None = None) -> list[int]:
    """Return the size of every chunk in a unit of `UNITS`, or in tokens as the embedder counts them.

    Raises
    ------
    InputError
        If the unit does not exist, or if the tokenizer or embedder for counting cannot be loaded.
    """
    texts = [chunk.text for chunk in chunking.chunks]
    if unit == "tokens read" and embedder is not None:
        return embedder.lengths(texts)
    if unit == "characters":
        return [len(text) for text in texts]
    if unit == "sentences":
        return sentence_counts(chunking)
    if unit == "words":
        return [*load_tokenizer("words").count(texts)]
    if unit == "tokens":
        return [*tokenizer.count(texts)]
    raise InputError(f"unit must be one of {', '.join(UNITS)}; got {unit!r}.")
