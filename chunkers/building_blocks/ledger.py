"""The ledger of chunkers that know why they cut where they do, but not why they do not cut elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import overload

from chunkers.reason import Reason, chain
from chunkers.result import Gap, Verdict
from chunkers.text.document import Document


def cuts_to_gaps(document: Document, offsets: Sequence[int], verdict: Verdict, why: Callable[[int], Reason]) -> list[Gap]:
    """Return a gap for each offset at which a chunk begins: between two sentences, or inside one."""
    gaps = []
    for offset in offsets:
        index = document.sentence_at(offset)
        if document.starts[index] == offset and index > 0:
            gaps.append(Gap(index - 1, None, None, verdict, why(offset)))
        else:
            gaps.append(Gap(index, None, None, verdict, inside_sentence(index, why(offset)), offset))
    return gaps


def inside_sentence(index: int, why: Reason) -> Reason:
    """Return the reason for a cut between two sentences, reworded for one inside sentence ``index``."""
    first, *others = why.steps()
    return chain(first._replace(heading=f"inside sentence {index + 1}"), *others)


def ledger(document: Document, cuts: Sequence[Gap], kept: str) -> tuple[Gap, ...]:
    """Return the cuts and a gap for each pair of neighbouring sentences without one; ``kept`` says why there is none.

    ``cuts`` are in the order of `cuts_to_gaps`: by position.
    """
    why = Reason(remark=kept)
    gaps: list[Gap] = []
    after = 0
    for cut in cuts:
        gaps += [Gap(index, None, None, Verdict.KEPT, why) for index in range(after, cut.index)]
        gaps.append(cut)
        after = cut.index if cut.offset is not None else cut.index + 1
    gaps += [Gap(index, None, None, Verdict.KEPT, why) for index in range(after, len(document.sentences) - 1)]
    return tuple(gaps)


class LazyLedger(Sequence[Gap]):
    """A ledger that is computed when it is first read, and then is like the tuple of its gaps.

    For chunkers that cut by a count it takes longer than the cutting, and callers who want only the chunks never read it.
    Comparing, hashing and pickling read it.
    """

    def __init__(self, write: Callable[[], tuple[Gap, ...]]) -> None:
        self._write = write

    @cached_property
    def _gaps(self) -> tuple[Gap, ...]:
        return self._write()

    @overload
    def __getitem__(self, place: int) -> Gap: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Gap, ...]: ...
    def __getitem__(self, place: int | slice) -> Gap | tuple[Gap, ...]:
        return self._gaps[place]

    def __add__(self, others: tuple[Gap, ...] | LazyLedger) -> tuple[Gap, ...]:
        return self._gaps + tuple(others) if isinstance(others, tuple | LazyLedger) else NotImplemented

    def __radd__(self, others: tuple[Gap, ...]) -> tuple[Gap, ...]:
        return others + self._gaps if isinstance(others, tuple) else NotImplemented

    def __eq__(self, other: object) -> bool:
        if isinstance(other, LazyLedger):
            return self is other or self._gaps == other._gaps
        return self._gaps == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._gaps)

    def __reduce__(self) -> tuple[type[tuple[Gap, ...]], tuple[tuple[Gap, ...]]]:
        return tuple, (self._gaps,)

    def __iter__(self) -> Iterator[Gap]:
        return iter(self._gaps)

    def __len__(self) -> int:
        return len(self._gaps)

    def __repr__(self) -> str:
        return repr(self._gaps)


def gap_order(gap: Gap) -> tuple[int, float]:
    """Sort key: cuts inside sentence i come before the gap after it."""
    return gap.index, float("inf") if gap.offset is None else gap.offset
