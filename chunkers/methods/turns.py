"""Turns: cut transcripts and subtitles between turns, and repeat speaker and time where a long turn is cut."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import ClassVar

from pydantic import Field

from chunkers.building_blocks import (
    Piece,
    PieceCutter,
    TokenSizes,
    build_all_gaps_of_pieces,
    make_one_chunk_per_piece,
    refuse_excess_chunks_or_characters,
    refuse_size_yielding_excess_chunks,
    split_text_into_fitting_spans,
    text_size_function,
)
from chunkers.contract import Chunker, Tools
from chunkers.results import Chunking, LazyTuple, Reason
from chunkers.support import pluralize
from chunkers.text import Document, Span, Transcript, Turn

_TURNS_BETWEEN_PROGRESS_REPORTS = 64
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
        refuse_size_yielding_excess_chunks(self.name, document.text, self.max_size, "tokens")
        if not document.text.strip():
            return Chunking(document, (), ())
        turn_cutter = _TurnCutter(document, tools, self.max_size)
        text_pieces = turn_cutter.cut()
        refuse_excess_chunks_or_characters(self.name, len(text_pieces), len(document.text))
        lazy_piece_gaps = LazyTuple(lambda: build_all_gaps_of_pieces(document, text_pieces, turn_cutter.uncut_reason))
        return Chunking(document, make_one_chunk_per_piece(document.text, text_pieces), lazy_piece_gaps)


class _TurnCutter(PieceCutter):
    """The cutting of a transcript into turns and parts of turns."""

    @cached_property
    def transcript(self) -> Transcript:
        return Transcript.from_text(self.document.text)

    @cached_property
    def token_count_of_span(self) -> TokenSizes:
        turn_start_offsets = {turn.start for turn in self.transcript.turns}
        return TokenSizes(self.document.text, sorted(turn_start_offsets.union(self.document.starts)), self.tools)

    def cut(self) -> list[Piece]:
        """Return the chunks."""
        pieces: list[Piece] = []
        transcript_turns = self.transcript.turns
        for turn_index, turn in enumerate(transcript_turns):
            if turn_index % _TURNS_BETWEEN_PROGRESS_REPORTS == 0:
                self.tools.decided(turn_index, len(transcript_turns))
            current_turn_label = _describe_turn_by_speaker(turn)
            new_chunk_reason = Reason(remark="")
            if pieces:
                joined_size = self.token_count_of_span(pieces[-1].start, turn.end) + self.count_context_tokens(
                    pieces[-1].context
                )
                if joined_size <= self.most:
                    self.join_reasons[turn.start] = Reason(
                        remark=f"{current_turn_label} joined: together {joined_size:,} ≤ {pluralize(self.most, 'token')}"
                    )
                    pieces[-1] = pieces[-1]._replace(end=turn.end)
                    continue
                new_chunk_reason = Reason(
                    remark=f"new {current_turn_label}; together {joined_size:,} > {pluralize(self.most, 'token')}"
                )
            pieces += self._split_turn(turn, new_chunk_reason)
        return pieces

    def _context_and_token_count(self, turn: Turn, offset: int) -> tuple[str, int]:
        """Return the context of a part of a turn and its tokens; none if it would take more than half of a chunk."""
        return self.context_with_tokens_if_fitting(self.transcript.label_for_turn_part(turn, offset))

    def _split_turn(self, turn: Turn, reason_for_cut_before: Reason) -> Iterator[Piece]:
        """Yield a turn as one piece if it fits, or else its parts."""
        part_start = turn.start
        context, context_token_count = self._context_and_token_count(turn, part_start)
        if self.token_count_of_span(part_start, turn.end) + context_token_count <= self.most:
            yield Piece(part_start, turn.end, reason_for_cut_before, context)
            return
        turn_breaks = self.transcript.breaks_within_turn(turn, self.document.starts)
        break_offsets = [offset for offset, _ in turn_breaks]
        turn_is_longer_phrase = f"{_describe_turn_by_speaker(turn)} is longer than {pluralize(self.most, 'token')}"
        while self.token_count_of_span(part_start, turn.end) + context_token_count > self.most:
            next_break_index = bisect_right(break_offsets, part_start)
            farthest_fitting_break = self._farthest_fitting_break_in_turn(
                part_start, context_token_count, turn_breaks, next_break_index
            )
            if farthest_fitting_break is not None:
                yield Piece(
                    part_start,
                    self.trimmed_end_offset(part_start, farthest_fitting_break[0]),
                    reason_for_cut_before,
                    context,
                )
                part_start, reason_for_cut_before = (
                    farthest_fitting_break[0],
                    Reason(
                        remark=f"{turn_is_longer_phrase}: cut between {'sentences' if farthest_fitting_break[1] else 'cues'}"
                    ),
                )
            else:
                next_break_offset = break_offsets[next_break_index] if next_break_index < len(break_offsets) else turn.end
                *sentence_parts_before_last, last_sentence_part = self._split_sentence(
                    turn, part_start, self.trimmed_end_offset(part_start, next_break_offset), context_token_count
                )
                for sentence_part_start, sentence_part_end in sentence_parts_before_last:
                    yield Piece(
                        sentence_part_start,
                        sentence_part_end,
                        reason_for_cut_before,
                        self._context_and_token_count(turn, sentence_part_start)[0],
                    )
                    reason_for_cut_before = Reason(
                        remark=f"{turn_is_longer_phrase}, and so is a sentence of it: cut inside the sentence"
                    )
                part_start = last_sentence_part.start
                if not sentence_parts_before_last:
                    # It cannot be cut.
                    yield Piece(part_start, last_sentence_part.end, reason_for_cut_before, context)
                    if next_break_offset == turn.end:
                        return
                    part_start, reason_for_cut_before = (
                        next_break_offset,
                        Reason(remark=f"{turn_is_longer_phrase}: cut between sentences"),
                    )
            context, context_token_count = self._context_and_token_count(turn, part_start)
        yield Piece(part_start, turn.end, reason_for_cut_before, context)

    def _farthest_fitting_break_in_turn(
        self, begin: int, context_token_count: int, breaks: Sequence[tuple[int, bool]], first_break_index: int
    ) -> tuple[int, bool] | None:
        """Return the last break, from ``first_break_index`` on, up to which a piece fits; ends of sentences come first."""
        farthest_fitting_break: tuple[int, bool] | None = None
        for break_index in range(first_break_index, len(breaks)):
            candidate_break_offset, ends_sentence = breaks[break_index]
            if (
                self.token_count_of_span(begin, self.trimmed_end_offset(begin, candidate_break_offset)) + context_token_count
                > self.most
            ):
                break
            if ends_sentence or farthest_fitting_break is None or not farthest_fitting_break[1]:
                farthest_fitting_break = candidate_break_offset, ends_sentence
        return farthest_fitting_break

    def _split_sentence(self, turn: Turn, begin: int, end: int, context_token_count: int) -> list[Span]:
        """Return the parts of a sentence that is too long for a chunk."""
        cue_at_sentence_begin = self.transcript.find_cue_at_offset(begin)
        # Only there another context begins.
        context_change_offsets = (
            turn.speech_start,
            turn.speech_start if cue_at_sentence_begin is None else cue_at_sentence_begin.body,
            end - 1,
        )
        part_token_limit = max(
            1,
            self.most
            - max(
                context_token_count,
                *(self._context_and_token_count(turn, place)[1] for place in context_change_offsets if place >= begin),
            ),
        )
        token_size_function = text_size_function("tokens", self.tools)
        return [
            Span(*span)
            for span in split_text_into_fitting_spans(
                self.document.text, part_token_limit, token_size_function, Span(begin, end)
            )
        ]

    def uncut_reason(self, offset: int) -> Reason:
        """Return the reason why the text is not cut at an offset."""
        transcript_turns = self.transcript.turns
        turn = transcript_turns[max(0, bisect_right(transcript_turns, offset, key=lambda turn: turn.start) - 1)]
        return self.join_reasons.get(offset) or Reason(remark=f"inside the {_describe_turn_by_speaker(turn)}")


def _describe_turn_by_speaker(turn: Turn) -> str:
    return f"turn of {turn.speaker}" if turn.speaker else "turn"
