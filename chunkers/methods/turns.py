"""Turns: cut transcripts and subtitles between turns, and repeat speaker and time where a long turn is cut."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import ClassVar

from pydantic import Field

from chunkers.building_blocks.gaps_and_pieces import Piece, PieceCutter, chunks_of_pieces, gaps_of_pieces
from chunkers.building_blocks.recursive_spans import text_size_function
from chunkers.building_blocks.sizes import TokenSizes, check_chunk_count, check_chunk_size, fitting_spans
from chunkers.contract.base import Chunker
from chunkers.contract.tools import Tools
from chunkers.results.result import Chunking, Gap, LazyTuple, Reason
from chunkers.support.formatting import pluralize
from chunkers.text.document import Document, Span
from chunkers.text.transcripts import Transcript, Turn

_REPORT = 64
"""Turns between two reports of progress."""


class Turns(Chunker):
    """Chunker that joins whole turns of a transcript, and cuts only turns that are too long.

    `chunkers.text.transcripts` says how turns are found: in lines that name a speaker, and in SRT and WebVTT. A turn that
    is too long is cut between sentences, or else between cues, words or characters; speaker and time of the turn are the
    context of each further part, and count with it.
    """

    name: ClassVar[str] = "turns"
    title: ClassVar[str] = "Turns"
    idea: ClassVar[str] = "Cuts transcripts and subtitles between turns, and repeats the speaker where a long turn is cut."
    source: ClassVar[str] = "Seamark; W3C, WebVTT, for cues and their voices"
    formula: ClassVar[str] = (
        r"\begin{aligned} &\text{join turns while} \\ &\textstyle\sum |t| \le s \text{;} \\ "
        r"&\text{cut a turn only if } |t| > s \end{aligned}"
    )
    symbols: ClassVar[str] = r"$|t|$ tokens of a turn; $s$ maximum size"
    failure: ClassVar[str] = (
        "Knows marks and lengths alone: a question and its answer are parted where the size is reached, and a line such as "
        "“Note: …” counts as a turn."
    )

    max_size: int = Field(
        250,
        ge=1,
        le=1_000_000,
        title="Maximum chunk size",
        description="The most that a chunk may hold, with the speaker and the time that are repeated; a turn that is longer "
        "is cut.",
        json_schema_extra={"unit": "tokens", "step": 10, "offered": [20, 2000], "main": True},
    )

    def describe(self) -> str:
        """Return the maximum size as a short phrase."""
        return f"at most {pluralize(self.max_size, 'token')}"

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document between turns, and turns that are too long; a cut inside a sentence adds a gap to the result.

        Raises
        ------
        InputError
            If there would be too many chunks.
        Cancelled
            If the user asked to stop.
        """
        check_chunk_size(self.name, document.text, self.max_size, "tokens")
        if not document.text.strip():
            return Chunking(document, (), ())
        cutting = _Cutting(document, tools, self.max_size)
        pieces = cutting.cut()
        check_chunk_count(self.name, len(pieces), len(document.text))
        chunks = chunks_of_pieces(document.text, pieces)
        return Chunking(document, chunks, LazyTuple(lambda: cutting.ledger(pieces)))


class _Cutting(PieceCutter):
    """The cutting of a transcript into turns and parts of turns."""

    @cached_property
    def transcript(self) -> Transcript:
        return Transcript.of(self.document.text)

    @cached_property
    def size(self) -> TokenSizes:
        starts = {turn.start for turn in self.transcript.turns}
        return TokenSizes(self.document.text, sorted(starts.union(self.document.starts)), self.tools)

    def cut(self) -> list[Piece]:
        """Return the chunks."""
        pieces: list[Piece] = []
        turns = self.transcript.turns
        for number, turn in enumerate(turns):
            if number % _REPORT == 0:
                self.tools.decided(number, len(turns))
            who = _turn_label(turn)
            why = Reason(remark="")
            if pieces:
                together = self.size(pieces[-1].start, turn.end) + self.held(pieces[-1].context)
                if together <= self.most:
                    self.joined[turn.start] = Reason(
                        remark=f"{who} joined: together {together:,} ≤ {pluralize(self.most, 'token')}"
                    )
                    pieces[-1] = pieces[-1]._replace(end=turn.end)
                    continue
                why = Reason(remark=f"new {who}; together {together:,} > {pluralize(self.most, 'token')}")
            pieces += self._split(turn, why)
        return pieces

    def _context(self, turn: Turn, offset: int) -> tuple[str, int]:
        """Return the context of a part of a turn and its tokens; none if it would take more than half of a chunk."""
        return self.limited(self.transcript.context(turn, offset))

    def _split(self, turn: Turn, why: Reason) -> Iterator[Piece]:
        """Yield a turn as one piece if it fits, or else its parts."""
        begin = turn.start
        context, held = self._context(turn, begin)
        if self.size(begin, turn.end) + held <= self.most:
            yield Piece(begin, turn.end, why, context)
            return
        breaks = self.transcript.breaks(turn, self.document.starts)
        offsets = [offset for offset, _ in breaks]
        long = f"{_turn_label(turn)} is longer than {pluralize(self.most, 'token')}"
        while self.size(begin, turn.end) + held > self.most:
            number = bisect_right(offsets, begin)
            farthest = self._farthest(begin, held, breaks, number)
            if farthest is not None:
                yield Piece(begin, self.end(begin, farthest[0]), why, context)
                begin, why = farthest[0], Reason(remark=f"{long}: cut between {'sentences' if farthest[1] else 'cues'}")
            else:
                stop = offsets[number] if number < len(offsets) else turn.end
                *parts, last = self._inside(turn, begin, self.end(begin, stop), held)
                for start, end in parts:
                    yield Piece(start, end, why, self._context(turn, start)[0])
                    why = Reason(remark=f"{long}, and so is a sentence of it: cut inside the sentence")
                begin = last.start
                if not parts:
                    # It cannot be cut.
                    yield Piece(begin, last.end, why, context)
                    if stop == turn.end:
                        return
                    begin, why = stop, Reason(remark=f"{long}: cut between sentences")
            context, held = self._context(turn, begin)
        yield Piece(begin, turn.end, why, context)

    def _farthest(self, begin: int, held: int, breaks: Sequence[tuple[int, bool]], number: int) -> tuple[int, bool] | None:
        """Return the last place, from ``number`` on, up to which a piece fits; places behind a sentence come first."""
        farthest: tuple[int, bool] | None = None
        for place in range(number, len(breaks)):
            offset, ended = breaks[place]
            if self.size(begin, self.end(begin, offset)) + held > self.most:
                break
            if ended or farthest is None or not farthest[1]:
                farthest = offset, ended
        return farthest

    def _inside(self, turn: Turn, begin: int, end: int, held: int) -> list[Span]:
        """Return the parts of a sentence that is too long for a chunk."""
        cue = self.transcript.cue_at(begin)
        # Only there another context begins.
        places = (turn.spoken, turn.spoken if cue is None else cue.body, end - 1)
        room = max(1, self.most - max(held, *(self._context(turn, place)[1] for place in places if place >= begin)))
        measure = text_size_function("tokens", self.tools)
        return [Span(*span) for span in fitting_spans(self.document.text, room, measure, Span(begin, end))]

    def ledger(self, pieces: Sequence[Piece]) -> tuple[Gap, ...]:
        """Return the cuts, and a gap for each other pair of neighbouring sentences."""
        turns = self.transcript.turns
        begins = [turn.start for turn in turns]

        def kept(place: int) -> Reason:
            turn = turns[max(0, bisect_right(begins, place) - 1)]
            return self.joined.get(place) or Reason(remark=f"inside the {_turn_label(turn)}")

        return gaps_of_pieces(self.document, pieces, kept)


def _turn_label(turn: Turn) -> str:
    return f"turn of {turn.speaker}" if turn.speaker else "turn"
