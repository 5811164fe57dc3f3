"""Windows over a long text, for each of which a language model is asked where to cut."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from chunkers.building_blocks.ledger import gap_order, inside_sentence
from chunkers.contract.base import Chunker, Estimate
from chunkers.contract.tools import Tools
from chunkers.language_models.conversation import REPEATS, Unusable, usable_answer
from chunkers.language_models.forms import AnswerKind
from chunkers.results.reason import Reason
from chunkers.results.result import Chunk, Chunking, Gap, Verdict
from chunkers.text.document import Document, Span

if TYPE_CHECKING:
    from chunkers.language_models.base import Message

_ADVANCE = 0.75
"""The part of a window that lies before its last cut, as it is guessed for an estimate."""


class Judged(NamedTuple):
    """The decision on whether to cut after a unit of text, with its reason."""

    cut: bool
    why: Reason


@dataclass
class Walk:
    """A language model's decisions for all windows, keyed by the index of the unit before each possible cut."""

    judged: dict[int, Judged] = field(default_factory=dict)
    windows: int = 0
    unusable: int = 0


def window_end(sizes: Sequence[int], start: int, most: int, least: int) -> int:
    """Return the exclusive end index of the window that begins at unit ``start``.

    Parameters
    ----------
    sizes
        Number of tokens in every unit.
    start
        Index of the first unit in the window.
    most
        Maximum number of tokens in the window.
    least
        Minimum number of units in the window, whatever their size, unless the text ends earlier.
    """
    end, size = start + least, sum(sizes[start : start + least])
    while end < len(sizes) and size + sizes[end] <= most:
        size += sizes[end]
        end += 1
    return min(end, len(sizes))


class Windowed(Chunker, ABC):
    """Base class for chunkers that show a language model one window of the text after another.

    The text is divided into units. A window has as many units as fit, and at least two. The next window begins after the
    last cut, so that the last units of one window are seen again with the text that follows; without a cut, it begins
    with the window's last unit. Thus every boundary between two units is judged with both units in view, and no cut is
    made merely because a window ends.

    If an answer is unusable, the model is asked again in the same conversation, at most `REPEATS` times. After that, a
    chunk ends at the end of the window and nowhere inside it, and the reason says so.
    """

    asks: ClassVar[bool] = True
    unit_name: ClassVar[str]
    """Noun for a unit in reasons."""

    kind: ClassVar[AnswerKind]
    """Kind of answer, whose form has one field."""

    system: ClassVar[str]
    piece: ClassVar[str]
    question: ClassVar[str]
    first_alone: ClassVar[bool]
    """True if an answer names only the first cut of a window."""

    @classmethod
    def wording(cls) -> tuple[str, ...]:
        """Return the prompts for the language model, with their placeholders."""
        return cls.system, cls.piece.rstrip(), cls.question

    @property
    @abstractmethod
    def most(self) -> int:
        """Maximum number of tokens in a window."""

    @abstractmethod
    def units(self, document: Document, tools: Tools) -> list[tuple[int, int]]:
        """Return the half-open ranges of the text units shown to the model, with only white space between them."""

    @abstractmethod
    def read(self, answer: str, first: int, last: int) -> list[int]:
        """Parse the model's answer; return the numbers of the units after which to cut, ascending.

        The numbers count from 1 and lie between ``first`` and ``last - 1``.

        Raises
        ------
        Unusable
            If the answer has another form, or names other units than ``first`` to ``last``.
        """

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document where the language model decides; a cut inside a sentence adds a gap to the result.

        Raises
        ------
        ModelError
            If there is no language model, the model does not answer, or the request would exceed the spending limit.
        Cancelled
            If the user asked to stop; the answers so far are in the cache.
        """
        units = self.units(document, tools)
        if not units:
            return Chunking(document, (), ())
        walk = self._walk(document.text, units, tools)
        cuts = [unit + 1 for unit in range(len(units) - 1) if walk.judged[unit].cut]
        spans = [Span(units[first][0], units[last - 1][1]) for first, last in pairwise([0, *cuts, len(units)])]
        gaps = tuple(self._ledger(document, units, walk))
        return Chunking(document, tuple(Chunk.of(document, span) for span in spans), gaps, notes=self._notes(walk))

    def estimate(self, document: Document, tools: Tools) -> Estimate:
        """Estimate the requests and tokens needed to cut the document, assuming no retries; nothing is sent."""
        text, units = document.text, self.units(document, tools)
        sizes = tools.count_tokens([text[start:end] for start, end in units])
        sums, asked, start = [0, *accumulate(sizes)], [], 0
        while start < len(units) - 1:
            end = self._end(sizes, start)
            asked += [part.text for part in self._messages(text, units, start, end)]
            # Where the last cut will be, nobody knows.
            aim = sums[start] + _ADVANCE * (sums[end] - sums[start])
            start = end if end == len(units) else max(start + 1, next(at for at in range(end + 1) if sums[at] >= aim))
        return Estimate(len(asked) // 2, sum(tools.count_tokens(asked)))

    def _walk(self, text: str, units: Sequence[tuple[int, int]], tools: Tools) -> Walk:
        """Ask about one window after the other."""
        sizes = tools.count_tokens([text[start:end] for start, end in units])
        walk, start = Walk(), 0
        while start < len(units) - 1:
            # Not `decided`, which would end a run that is to find all its answers remembered.
            tools.deciding(start, len(units))
            end = self._end(sizes, start)
            walk.windows += 1
            shown = f"window of {self.unit_name}s {start + 1} to {end}"
            try:
                cuts = self._cuts(text, units, start, end, tools)
            except Unusable as complaint:
                walk.unusable += 1
                self._keep_whole(walk, start, end, len(units), complaint.summary, shown)
                start = end
                continue
            last = cuts[0] if self.first_alone and cuts else end - 2
            for unit in range(start, last + 1):
                walk.judged[unit] = Judged(unit in cuts, self._why(unit, unit in cuts, shown))
            if end == len(units) and not (self.first_alone and cuts):
                break
            start = cuts[-1] + 1 if cuts else end - 1
        return walk

    def _end(self, sizes: Sequence[int], start: int) -> int:
        """Return the unit before which a window ends."""
        return window_end(sizes, start, self.most, 2)

    def _messages(self, text: str, units: Sequence[tuple[int, int]], start: int, end: int) -> list[Message]:
        from chunkers.language_models.base import Message

        shown = [
            self.piece.format(number=number, text=text[slice(*units[number - 1])]) for number in range(start + 1, end + 1)
        ]
        first, last = (start + 2, end) if self.first_alone else (start + 1, end - 1)
        question = self.question.format(pieces="".join(shown), first=first, last=last)
        return [Message("system", self.system), Message("user", question)]

    def _cuts(self, text: str, units: Sequence[tuple[int, int]], start: int, end: int, tools: Tools) -> list[int]:
        """Return the units of a window after which the model cuts; raises Unusable where no answer can be used."""
        messages = self._messages(text, units, start, end)
        read = partial(self.read, first=start + 1, last=end)
        first, last = (start + 2, end) if self.first_alone else (start + 1, end - 1)
        ask = partial(tools.ask, kind=self.kind.within(dict.fromkeys(self.kind.fields, (first, last))))
        return [number - 1 for number in usable_answer(ask, messages, read, tools.tell)]

    def _keep_whole(self, walk: Walk, start: int, end: int, count: int, complaint: str, shown: str) -> None:
        """Judge a window of which no answer could be used: it is a chunk by itself."""
        remark = f"{complaint}; {shown}"
        for unit in range(start, end - 1):
            walk.judged[unit] = Judged(False, Reason(remark=f"{remark}, which stays whole", short="no usable answer"))
        if end < count:
            walk.judged[end - 1] = Judged(True, Reason(remark=f"{remark}, which ends here", short="no usable answer"))

    def _why(self, unit: int, cut: bool, shown: str) -> Reason:
        name, number = self.unit_name, unit + 1
        if cut:
            return Reason(remark=f"the model cuts after {name} {number} ({shown})", short=f"cut after {name} {number}")
        return Reason(remark=f"the model keeps {name}s {number} and {number + 1} together ({shown})", short="kept together")

    def _ledger(self, document: Document, units: Sequence[tuple[int, int]], walk: Walk) -> list[Gap]:
        """Return a gap for each pair of neighbouring sentences, and for each cut inside one."""
        at: dict[int, Gap] = {}
        inside: list[Gap] = []
        for unit, judged in sorted(walk.judged.items()):
            start = units[unit + 1][0]
            index = document.sentence_at(start)
            verdict = Verdict.CUT if judged.cut else Verdict.KEPT
            if document.starts[index] == start:
                at[index - 1] = Gap(index - 1, None, None, verdict, judged.why)
            elif judged.cut:
                inside.append(Gap(index, None, None, verdict, inside_sentence(index, judged.why), start))
        within = Reason(remark=f"inside a {self.unit_name}, which is never cut")
        gaps = [
            at.get(index) or Gap(index, None, None, Verdict.KEPT, within) for index in range(len(document.sentences) - 1)
        ]
        return sorted([*gaps, *inside], key=gap_order)

    def _notes(self, walk: Walk) -> tuple[str, ...]:
        if not walk.unusable:
            return ()
        windows = "1 window" if walk.windows == 1 else f"{walk.windows:,} windows"
        return (
            f"The model gave no usable answer about {walk.unusable:,} of {windows}, though it was asked up to {REPEATS + 1} "
            "times; there a chunk ends with the window and nowhere inside it.",
        )
