"""Turns of transcripts: lines that name a speaker, and the cues of SRT and WebVTT files.

A text with lines such as ``00:00:01,000 --> 00:00:04,000`` is a file of cues, any other is read by its lines:

- A line begins a turn if it begins with a speaker, as ``ANNA: …``, ``[00:01:02] Ben: …``, ``Ben (1:02): …`` or
  ``**Anna:** …``, with a time in brackets, or with ``>>``, or if it is only a name and a time. A speaker has up to four
  words and does not begin with a small letter.
- A cue belongs with its number or name and its time. A turn begins where a cue, or a line of a cue, names another speaker:
  as above, or in WebVTT's ``<v Anna>``. If a cue has several lines with a dash in front, each begins a turn. A cue without a
  speaker continues the turn. In a file without any speakers, a turn ends with the cue that ends a sentence.

Times are never compared, so that cues may overlap or lack an order.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

_CLOCK_TIME_PATTERN = r"(?:\d{1,3}:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?"
_SINGLE_TIME_STAMP_PATTERN = rf"[\[(]{_CLOCK_TIME_PATTERN}[\])]|{_CLOCK_TIME_PATTERN}(?!\S)"
_SPEAKER_NAME_PATTERN = r"(?:[^\W\d_]{1,3}\.|[^\W\d_][\w'’&()\-]*)(?:[ \t]+(?:[^\W\d_]{1,3}\.|[\w'’&()\-]+)){0,3}?"

_CUE_TIMING_PATTERN = re.compile(
    rf"\ufeff?[ \t]*(?P<timing>{_CLOCK_TIME_PATTERN}[ \t]*-->[ \t]*{_CLOCK_TIME_PATTERN})(?!\S)"
)
_SPEAKER_LINE_PATTERN = re.compile(
    rf"\ufeff?[ \t]*(?:>>+[ \t]*|-[ \t]*)?(?P<bold>\*\*|__)?(?:(?:{_SINGLE_TIME_STAMP_PATTERN})[ \t]*(?:-[ "
    rf"\t]*)?)?(?P<name>{_SPEAKER_NAME_PATTERN})[ \t]*"
    rf"(?:(?:{_SINGLE_TIME_STAMP_PATTERN})[ \t]*)?(?(bold)(?:(?P=bold)[ \t]*[:：]|[:：][ "
    rf"\t]*(?P=bold))|[:：])(?:(?<=：)|(?=\s|$))"
)
_SPEAKER_WITH_TIME_PATTERN = re.compile(
    rf"\ufeff?[ \t]*(?P<name>{_SPEAKER_NAME_PATTERN})[ \t]+(?:{_SINGLE_TIME_STAMP_PATTERN})[ \t]*$"
)
_LEADING_TIME_STAMP = re.compile(rf"\ufeff?[ \t]*[\[(]{_CLOCK_TIME_PATTERN}[\])]")
_SPEAKER_CHANGE_PATTERN = re.compile(r"\ufeff?[ \t]*>>+")
_SPEECH_DASH_PATTERN = re.compile(r"[ \t]*[-–—][ \t]*(?=\S)")
# Bounded, since a text may have very many beginnings of a tag without an end.
_VOICE_TAG_PATTERN = re.compile(r"<v(?:\.[^\s>]{0,100})?[ \t]{1,9}(?P<name>[^>\r\n]{1,200})>")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)?")
_TAG = re.compile(r"<[^>\r\n]*>|\{\\[^}\r\n]*\}")
_SENTENCE_END = re.compile(r"[.!?…。！？♪][\"'”’»)\]♪]*\Z")


_SENTENCE_END_SEARCH_CHARACTERS = 200
"""Characters at the end of a text that are looked at for the end of a sentence."""


class Turn(NamedTuple):
    """A turn of a transcript.

    Attributes
    ----------
    start, end
        Half-open range in code points, without white space at its ends.
    speaker
        Name of the speaker; empty if the text names none.
    label
        The words that name the speaker and, on a line of its own, the time, as in the text; empty without either.
    speech_start
        The offset behind the label.
    """

    start: int
    end: int
    speaker: str
    label: str
    speech_start: int


class Cue(NamedTuple):
    """A cue of a file of subtitles.

    Attributes
    ----------
    start
        The offset of its number, its name or its time.
    body
        The offset of its text.
    timing
        The times of its beginning and end, as in the file.
    """

    start: int
    body: int
    timing: str


class _Mark(NamedTuple):
    """The beginning of a turn."""

    start: int
    speaker: str
    label: str
    spoken: int


class _Line(NamedTuple):
    """A line of a text, without its line break."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Transcript:
    """Turns of a text; a text without any is one turn.

    Attributes
    ----------
    turns
        Turns that cover all visible characters, in order.
    cues
        Cues, if the text is a file of subtitles.
    """

    text: str
    turns: tuple[Turn, ...]
    cues: tuple[Cue, ...] = ()

    @classmethod
    def from_text(cls, text: str) -> "Transcript":
        """Return the turns of a text."""
        transcript_lines = [*_lines_with_offsets(text)]
        transcript_cues = _find_cues(text, transcript_lines)
        turn_marks = (
            _turn_marks_of_cues(text, transcript_lines, transcript_cues)
            if transcript_cues
            else [mark for line in transcript_lines if (mark := _turn_mark_of_line(line))]
        )
        return cls(
            text,
            tuple(_turns_from_marks(text, turn_marks, first_turn_takes_preceding_text=bool(transcript_cues))),
            tuple(transcript_cues),
        )

    @cached_property
    def _cue_start_offsets(self) -> list[int]:
        return [cue.start for cue in self.cues]

    def find_cue_at_offset(self, offset: int) -> Cue | None:
        """Return the cue at an offset; None before the first cue."""
        cue_index = bisect_right(self._cue_start_offsets, offset) - 1
        return self.cues[cue_index] if cue_index >= 0 else None

    def label_for_turn_part(self, turn: Turn, offset: int) -> str:
        """Return the time and the speaker that a part of a turn lacks if it begins at ``offset``."""
        cue_at_part_start = self.find_cue_at_offset(offset)
        cue_timing = cue_at_part_start.timing if cue_at_part_start is not None and offset >= cue_at_part_start.body else ""
        return "\n".join(filter(None, (cue_timing, turn.label if offset >= turn.speech_start else "")))

    def breaks_within_turn(self, turn: Turn, sentence_starts: Sequence[int]) -> list[tuple[int, bool]]:
        """Return the offsets at which a long turn may be cut, and whether a sentence ends before each.

        Parameters
        ----------
        sentence_starts
            Offsets at which sentences begin, in ascending order.
        """
        first_inner_sentence_index, sentence_after_turn_index = (
            bisect_right(sentence_starts, turn.start),
            bisect_right(sentence_starts, turn.end - 1),
        )
        ends_sentence_by_offset = {}
        for sentence_start in sentence_starts[first_inner_sentence_index:sentence_after_turn_index]:
            subtitle_cue_at_break = self.find_cue_at_offset(sentence_start)
            # Neither between a label and its words nor between a cue's number, time and text.
            if sentence_start > turn.speech_start and (
                subtitle_cue_at_break is None
                or not subtitle_cue_at_break.start < sentence_start <= subtitle_cue_at_break.body
            ):
                ends_sentence_by_offset[sentence_start] = not self.cues or self._is_after_sentence_end(sentence_start)
        for cue_start in self._cue_start_offsets[
            bisect_right(self._cue_start_offsets, turn.start) : bisect_right(self._cue_start_offsets, turn.end)
        ]:
            ends_sentence_by_offset[cue_start] = self._is_after_sentence_end(cue_start)
        return sorted(ends_sentence_by_offset.items())

    def _is_after_sentence_end(self, offset: int) -> bool:
        return ends_sentence(self.text[max(0, offset - 2 * _SENTENCE_END_SEARCH_CHARACTERS) : offset])


def ends_sentence(text: str) -> bool:
    """Return whether a text ends a sentence, by its punctuation, leaving out tags."""
    return bool(_SENTENCE_END.search(_TAG.sub("", text.rstrip()[-_SENTENCE_END_SEARCH_CHARACTERS:]).rstrip()))


def _lines_with_offsets(text: str) -> Iterator[_Line]:
    for match in _LINE.finditer(text):
        if match.end() > match.start():
            line_text = match[0].rstrip("\r\n")
            yield _Line(match.start(), match.start() + len(line_text), line_text)


def _find_cues(text: str, lines: Sequence[_Line]) -> list[Cue]:
    """Return the cues of a text."""
    transcript_cues = []
    for line_index, line in enumerate(lines):
        timing_match = _CUE_TIMING_PATTERN.match(line.text)
        if timing_match is None:
            continue
        cue_start_offset = line.start
        if line_index:
            line_before = lines[line_index - 1].text.strip("\ufeff \t")
            identifier_follows_blank_line = line_index == 1 or not lines[line_index - 2].text.strip()
            is_cue_identifier = (
                identifier_follows_blank_line
                and line_before
                and not line_before.startswith("WEBVTT")
                and _CUE_TIMING_PATTERN.match(line_before) is None
            )
            # Some files have no empty line between cues.
            if is_cue_identifier or (line_before.isdecimal() and (identifier_follows_blank_line or line_index > 1)):
                cue_start_offset = lines[line_index - 1].start
        cue_body_start = lines[line_index + 1].start if line_index + 1 < len(lines) else len(text)
        transcript_cues.append(Cue(cue_start_offset, cue_body_start, timing_match["timing"]))
    return transcript_cues


def _turn_mark_of_line(line: _Line) -> _Mark | None:
    """Return the turn that begins with a line; None if none does."""
    for speaker_pattern in (_SPEAKER_LINE_PATTERN, _SPEAKER_WITH_TIME_PATTERN):
        speaker_match = speaker_pattern.match(line.text)
        if speaker_match is not None and not speaker_match["name"][0].islower():
            return _build_turn_mark(line, speaker_match.end(), speaker_match["name"])
    speaker_match = _LEADING_TIME_STAMP.match(line.text) or _SPEAKER_CHANGE_PATTERN.match(line.text)
    return None if speaker_match is None else _build_turn_mark(line, speaker_match.end(), "")


def _build_turn_mark(line: _Line, label_end: int, speaker: str) -> _Mark:
    turn_label_text = line.text[:label_end].strip("\ufeff \t")
    return _Mark(line.start, " ".join(speaker.split()), turn_label_text, line.start + label_end)


def _turn_marks_of_cues(text: str, lines: Sequence[_Line], cues: Sequence[Cue]) -> list[_Mark]:
    """Return the beginnings of turns in a file of cues."""
    line_starts = [line.start for line in lines]
    cues_with_marks = []
    for cue, next_cue in pairwise([*cues, Cue(len(text), len(text), "")]):
        spoken_lines: list[_Line] = []
        for line in lines[bisect_right(line_starts, cue.body - 1) : bisect_right(line_starts, next_cue.start - 1)]:
            # What follows an empty line, as a note, is not spoken.
            if spoken_lines and not line.text.strip():
                break
            spoken_lines.append(line)
        cues_with_marks.append((cue, spoken_lines, [*_turn_marks_in_cue(spoken_lines)]))
    has_speakers = any(mark.speaker for _, _, marks in cues_with_marks for mark in marks)
    turn_marks: list[_Mark] = []
    previous_cue_text = ""
    for cue, spoken_lines, marks_in_cue in cues_with_marks:
        cue_text = "".join(text[line.start : line.end] + "\n" for line in spoken_lines)
        if marks_in_cue and not text[cue.body : marks_in_cue[0].start].strip():
            # With its number and time.
            marks_in_cue = [marks_in_cue[0]._replace(start=cue.start), *marks_in_cue[1:]]
        elif not turn_marks or (not has_speakers and ends_sentence(previous_cue_text)):
            marks_in_cue = [_Mark(cue.start, "", "", cue.body), *marks_in_cue]
        for turn_mark in marks_in_cue:
            if not (turn_marks and turn_mark.speaker and turn_mark.speaker == turn_marks[-1].speaker):
                turn_marks.append(turn_mark)
        previous_cue_text = cue_text if cue_text.strip() else previous_cue_text
    return turn_marks


def _turn_marks_in_cue(spoken_lines: Sequence[_Line]) -> Iterator[_Mark]:
    """Yield the turns that begin inside a cue."""
    dashes_mark_turns = sum(_SPEECH_DASH_PATTERN.match(line.text) is not None for line in spoken_lines) > 1
    for line in spoken_lines:
        voice_tags = [*_VOICE_TAG_PATTERN.finditer(line.text)]
        for voice_tag in voice_tags:
            tag_start = line.start + voice_tag.start()
            yield _Mark(tag_start, " ".join(voice_tag["name"].split()), voice_tag[0], line.start + voice_tag.end())
        if not voice_tags:
            dash_match = _SPEECH_DASH_PATTERN.match(line.text) if dashes_mark_turns else None
            mark_of_single_line = _turn_mark_of_line(line)
            if mark_of_single_line is not None or dash_match is not None:
                yield mark_of_single_line or _Mark(line.start, "", "", line.start)


def _turns_from_marks(text: str, marks: Sequence[_Mark], first_turn_takes_preceding_text: bool) -> Iterator[Turn]:
    """Yield the turns that begin at the marks.

    Text before the first mark is a turn without a speaker or, if ``first_turn_takes_preceding_text``, the beginning of
    the first turn.
    """
    first_visible_offset = _skip_white_space(text, 0)
    if not marks or (marks[0].start > first_visible_offset and not first_turn_takes_preceding_text):
        marks = [_Mark(first_visible_offset, "", "", first_visible_offset), *marks]
    turn_start = first_visible_offset
    for turn_mark, next_mark_start in zip(marks, [*(mark.start for mark in marks[1:]), len(text)], strict=True):
        turn_end = turn_start + len(text[turn_start:next_mark_start].rstrip())
        if turn_end > turn_start:
            yield Turn(turn_start, turn_end, turn_mark.speaker, turn_mark.label, turn_mark.spoken)
            turn_start = _skip_white_space(text, next_mark_start)


def _skip_white_space(text: str, offset: int) -> int:
    while offset < len(text) and text[offset].isspace():
        offset += 1
    return offset
