"""The chunkers that show a language model windows of a text and ask it where to cut."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, pairwise
from typing import ClassVar, NamedTuple, Self

from pydantic import Field, model_validator

from chunkers.building_blocks import (
    add_uncut_gaps,
    build_cut_gaps_only,
    first_unit_index_after_window,
    recursive_spans,
    refuse_size_yielding_excess_chunks,
    text_size_function,
)
from chunkers.contract import Chunker, Estimate, Tools
from chunkers.language_models import (
    MOST_ANSWER_RETRIES,
    SPLIT_PLACES_ANSWER,
    TOPIC_SHIFT_ANSWER,
    AnswerKind,
    Message,
    ShiftAnswer,
    SplitsAnswer,
    UnusableAnswer,
    ask_until_usable,
    parse_last_line_of_answer,
    prompts,
)
from chunkers.results import Chunk, Chunking, Gap, Reason, Verdict
from chunkers.text import Document, Span, split_into_sentence_spans

_EXPECTED_WINDOW_ADVANCE_SHARE = 0.75
"""The part of a window that lies before its last cut, as it is guessed for an estimate."""


class CutDecision(NamedTuple):
    """The decision on whether to cut after a unit of text, with its reason."""

    cut: bool
    why: Reason


@dataclass
class WindowDecisions:
    """A language model's decisions for all windows, keyed by the index of the unit before each possible cut."""

    decision_by_unit: dict[int, CutDecision] = field(default_factory=dict)
    window_count: int = 0
    unusable_count: int = 0


class WindowedModelChunker(Chunker, ABC):
    """Base class for chunkers that show a language model one window of the text after another.

    The text is divided into units. A window has as many units as fit, and at least two. The next window begins after the
    last cut, so that the last units of one window are seen again with the text that follows; without a cut, it begins
    with the window's last unit. Thus every boundary between two units is judged with both units in view, and no cut is
    made merely because a window ends.

    If an answer is unusable, the model is asked again in the same conversation, at most `MOST_ANSWER_RETRIES` times.
    After that, a chunk ends at the end of the window and nowhere inside it, and the reason says so.
    """

    window: int
    """Maximum number of tokens in a window; a subclass declares its default and text."""

    asks: ClassVar[bool] = True
    unit_name: ClassVar[str]
    """Noun for a unit in reasons."""

    kind: ClassVar[AnswerKind]
    """Kind of answer, whose form has one field."""

    system_prompt: ClassVar[str]
    piece_template: ClassVar[str]
    question: ClassVar[str]
    names_first_cut_only: ClassVar[bool]
    """True if an answer names only the first cut of a window."""

    @classmethod
    def wording(cls) -> tuple[str, ...]:
        """Return the prompts for the language model, with their placeholders."""
        return cls.system_prompt, cls.piece_template.rstrip(), cls.question

    @abstractmethod
    def units(self, document: Document, tools: Tools) -> list[tuple[int, int]]:
        """Return the half-open ranges of the text units shown to the model, with only white space between them."""

    @abstractmethod
    def parse_cut_numbers(self, answer: str, first: int, last: int) -> list[int]:
        """Parse the model's answer; return the numbers of the units after which to cut, ascending.

        The numbers count from 1 and lie between ``first`` and ``last - 1``.

        Raises
        ------
        UnusableAnswer
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
        text_unit_ranges = self.units(document, tools)
        if not text_unit_ranges:
            return Chunking(document, (), ())
        window_decisions = self._ask_about_windows(document.text, text_unit_ranges, tools)
        chunk_start_unit_indices = [
            unit + 1 for unit in range(len(text_unit_ranges) - 1) if window_decisions.decision_by_unit[unit].cut
        ]
        chunk_spans = [
            Span(text_unit_ranges[first][0], text_unit_ranges[last - 1][1])
            for first, last in pairwise([0, *chunk_start_unit_indices, len(text_unit_ranges)])
        ]
        language_model_chunks = tuple(Chunk.of(document, span) for span in chunk_spans)
        return Chunking(
            document,
            language_model_chunks,
            self._all_gaps(document, text_unit_ranges, window_decisions),
            notes=self._unusable_answer_notes(window_decisions),
        )

    def estimate(self, document: Document, tools: Tools) -> Estimate:
        """Estimate the requests and tokens needed to cut the document, assuming no retries; nothing is sent."""
        text, text_unit_ranges = document.text, self.units(document, tools)
        unit_token_counts = tools.count_tokens([text[start:end] for start, end in text_unit_ranges])
        cumulative_token_counts, prompt_texts, start_unit_index = [0, *accumulate(unit_token_counts)], [], 0
        while start_unit_index < len(text_unit_ranges) - 1:
            end_unit_index = first_unit_index_after_window(unit_token_counts, start_unit_index, self.window, 2)
            prompt_texts += [
                part.text for part in self._window_prompt(text, text_unit_ranges, start_unit_index, end_unit_index)
            ]
            # Where the last cut will be, nobody knows.
            next_window_token_position = cumulative_token_counts[start_unit_index] + _EXPECTED_WINDOW_ADVANCE_SHARE * (
                cumulative_token_counts[end_unit_index] - cumulative_token_counts[start_unit_index]
            )
            start_unit_index = (
                end_unit_index
                if end_unit_index == len(text_unit_ranges)
                else max(
                    start_unit_index + 1,
                    next(
                        at for at in range(end_unit_index + 1) if cumulative_token_counts[at] >= next_window_token_position
                    ),
                )
            )
        return Estimate(len(prompt_texts) // 2, sum(tools.count_tokens(prompt_texts)))

    def _ask_about_windows(self, text: str, text_unit_ranges: Sequence[tuple[int, int]], tools: Tools) -> WindowDecisions:
        """Ask about one window after the other."""
        unit_token_counts = tools.count_tokens([text[start:end] for start, end in text_unit_ranges])
        window_decisions, start_unit_index = WindowDecisions(), 0
        while start_unit_index < len(text_unit_ranges) - 1:
            # Not `decided`, which would end a run that is to find all its answers remembered.
            tools.watcher.deciding(start_unit_index, len(text_unit_ranges))
            end_unit_index = first_unit_index_after_window(unit_token_counts, start_unit_index, self.window, 2)
            window_decisions.window_count += 1
            window_phrase = f"window of {self.unit_name}s {start_unit_index + 1} to {end_unit_index}"
            try:
                cut_after_unit_indices = self._ask_for_cuts(text, text_unit_ranges, start_unit_index, end_unit_index, tools)
            except UnusableAnswer as complaint:
                window_decisions.unusable_count += 1
                self._keep_unanswered_window_whole(
                    window_decisions,
                    start_unit_index,
                    end_unit_index,
                    len(text_unit_ranges),
                    complaint.summary,
                    window_phrase,
                )
                start_unit_index = end_unit_index
                continue
            last_judged_unit_index = (
                cut_after_unit_indices[0] if self.names_first_cut_only and cut_after_unit_indices else end_unit_index - 2
            )
            for judged_unit_index in range(start_unit_index, last_judged_unit_index + 1):
                window_decisions.decision_by_unit[judged_unit_index] = CutDecision(
                    judged_unit_index in cut_after_unit_indices,
                    self._reason_after_unit(judged_unit_index, judged_unit_index in cut_after_unit_indices, window_phrase),
                )
            if end_unit_index == len(text_unit_ranges) and not (self.names_first_cut_only and cut_after_unit_indices):
                break
            start_unit_index = cut_after_unit_indices[-1] + 1 if cut_after_unit_indices else end_unit_index - 1
        return window_decisions

    def _window_prompt(
        self, text: str, text_unit_ranges: Sequence[tuple[int, int]], start_unit_index: int, end_unit_index: int
    ) -> list[Message]:
        numbered_unit_texts = [
            self.piece_template.format(number=number, text=text[slice(*text_unit_ranges[number - 1])])
            for number in range(start_unit_index + 1, end_unit_index + 1)
        ]
        lowest_allowed_unit_number, highest_allowed_unit_number = (
            (start_unit_index + 2, end_unit_index)
            if self.names_first_cut_only
            else (start_unit_index + 1, end_unit_index - 1)
        )
        window_question_text = self.question.format(
            pieces="".join(numbered_unit_texts), first=lowest_allowed_unit_number, last=highest_allowed_unit_number
        )
        return [Message("system", self.system_prompt), Message("user", window_question_text)]

    def _ask_for_cuts(
        self,
        text: str,
        text_unit_ranges: Sequence[tuple[int, int]],
        start_unit_index: int,
        end_unit_index: int,
        tools: Tools,
    ) -> list[int]:
        """Return the units of a window after which the model cuts; raises UnusableAnswer where no answer can be used."""
        window_messages = self._window_prompt(text, text_unit_ranges, start_unit_index, end_unit_index)
        window_answer_parser = partial(self.parse_cut_numbers, first=start_unit_index + 1, last=end_unit_index)
        lowest_allowed_unit_number, highest_allowed_unit_number = (
            (start_unit_index + 2, end_unit_index)
            if self.names_first_cut_only
            else (start_unit_index + 1, end_unit_index - 1)
        )
        window_ask_function = partial(
            tools.ask,
            kind=self.kind.copy_with_answer_limits(
                dict.fromkeys(self.kind.fields, (lowest_allowed_unit_number, highest_allowed_unit_number))
            ),
        )
        return [
            number - 1
            for number in ask_until_usable(
                window_ask_function, window_messages, window_answer_parser, tools.report_usability
            )
        ]

    def _keep_unanswered_window_whole(
        self,
        window_decisions: WindowDecisions,
        start_unit_index: int,
        end_unit_index: int,
        unit_count_of_whole_text: int,
        answer_fault_phrase: str,
        window_phrase: str,
    ) -> None:
        """Judge a window of which no answer could be used: it is a chunk by itself."""
        unusable_remark = f"{answer_fault_phrase}; {window_phrase}"
        for unit_index in range(start_unit_index, end_unit_index - 1):
            window_decisions.decision_by_unit[unit_index] = CutDecision(
                False, Reason(remark=f"{unusable_remark}, which stays whole", short="no usable answer")
            )
        if end_unit_index < unit_count_of_whole_text:
            window_decisions.decision_by_unit[end_unit_index - 1] = CutDecision(
                True, Reason(remark=f"{unusable_remark}, which ends here", short="no usable answer")
            )

    def _reason_after_unit(self, unit_index: int, is_cut: bool, window_phrase: str) -> Reason:
        unit_noun, unit_number = self.unit_name, unit_index + 1
        if is_cut:
            return Reason(
                remark=f"the model cuts after {unit_noun} {unit_number} ({window_phrase})",
                short=f"cut after {unit_noun} {unit_number}",
            )
        return Reason(
            remark=f"the model keeps {unit_noun}s {unit_number} and {unit_number + 1} together ({window_phrase})",
            short="kept together",
        )

    def _all_gaps(
        self, document: Document, text_unit_ranges: Sequence[tuple[int, int]], window_decisions: WindowDecisions
    ) -> tuple[Gap, ...]:
        """Return a gap for each pair of neighbouring sentences, and for each cut inside one."""
        decision_by_unit_start = {
            text_unit_ranges[unit + 1][0]: decision for unit, decision in window_decisions.decision_by_unit.items()
        }
        decision_reason_by_unit_start = {start: decision.why for start, decision in decision_by_unit_start.items()}
        cut_unit_start_offsets = [start for start, decision in decision_by_unit_start.items() if decision.cut]
        cut_gaps = build_cut_gaps_only(
            document, cut_unit_start_offsets, Verdict.CUT, decision_reason_by_unit_start.__getitem__
        )
        uncut_gaps = build_cut_gaps_only(
            document,
            [*(decision_by_unit_start.keys() - {*cut_unit_start_offsets})],
            Verdict.KEPT,
            decision_reason_by_unit_start.__getitem__,
        )
        inside_unit_reason = Reason(remark=f"inside a {self.unit_name}, which is never cut")
        return add_uncut_gaps(document, [*cut_gaps, *(gap for gap in uncut_gaps if gap.offset is None)], inside_unit_reason)

    def _unusable_answer_notes(self, window_decisions: WindowDecisions) -> tuple[str, ...]:
        if not window_decisions.unusable_count:
            return ()
        total_windows_phrase = (
            "1 window" if window_decisions.window_count == 1 else f"{window_decisions.window_count:,} windows"
        )
        return (
            f"The model gave no usable answer about {window_decisions.unusable_count:,} of {total_windows_phrase}, though "
            "it was "
            "asked "
            f"up to {MOST_ANSWER_RETRIES + 1} times; there a chunk ends with the window and nowhere inside it.",
        )


class Llm(WindowedModelChunker):
    """Chunker that shows a language model numbered pieces of the text and cuts after the pieces that the model names.

    Source: LLMSemanticChunker of Chroma's report, with the same pieces, tags, answer form and windows. There are three
    differences: the model may answer that there is no cut; a cut after a window's last piece is judged in the next
    window, because the model has not seen what follows; and the last pieces of a text are judged too.
    """

    name: ClassVar[str] = "llm"
    title: ClassVar[str] = "Language model"
    idea: ClassVar[str] = "Shows a language model numbered pieces of the text, which says after which ones to cut."
    source: ClassVar[str] = "Chroma technical report (2024), LLMSemanticChunker"
    formula: ClassVar[str] = (
        r"\begin{aligned} &\text{cut after } p_i \iff i \in M(p_a, \dots, p_b), \\ "
        r"&a' = \max M + 1, \quad \textstyle\sum_{i=a}^{b} |p_i| \le w \end{aligned}"
    )
    symbols: ClassVar[str] = (
        r"$p_i$ piece $i$; $|p_i|$ its tokens; $M$ the model's answer; $w$ window; $a, b$ its first and last piece; "
        r"$a'$ the first of the next"
    )
    failure: ClassVar[str] = (
        "Costs money or time, and the text leaves the machine unless the model runs on it; another model, or the same one "
        "on another day, may cut elsewhere, and no figure says why."
    )
    unit_name: ClassVar[str] = "piece"
    kind: ClassVar[AnswerKind] = SPLIT_PLACES_ANSWER
    system_prompt: ClassVar[str] = prompts.SPLITS_SYSTEM_PROMPT
    piece_template: ClassVar[str] = prompts.SPLITS_PIECE_TEMPLATE
    question: ClassVar[str] = prompts.SPLITS_QUESTION_TEMPLATE
    names_first_cut_only: ClassVar[bool] = False

    window: int = Field(
        800,
        ge=10,
        le=1_000_000,
        title="Window size",
        description="The most text that the model is shown at once, the marks of its pieces not counted.",
        json_schema_extra={"unit": "tokens", "step": 100, "offered": [200, 4000], "main": True},
    )
    piece_size: int = Field(
        50,
        ge=1,
        le=100_000,
        title="Piece size",
        description="The most that a piece of the recursive chunker may hold; at most half of the window.",
        json_schema_extra={"unit": "tokens", "step": 5, "offered": [10, 200]},
    )

    @model_validator(mode="after")
    def _check_piece_size(self) -> Self:
        if 2 * self.piece_size > self.window:
            raise ValueError(
                f"piece_size must be at most half of window ({self.window // 2}); got {self.piece_size}. Lower piece_size "
                "or raise window."
            )
        return self

    def describe(self) -> str:
        """Return the chunker's main settings as a short phrase."""
        return f"windows of {self.window:,} tokens, in pieces of {self.piece_size:,}"

    def units(self, document: Document, tools: Tools) -> list[tuple[int, int]]:
        """Return the ranges of the text pieces shown to the model. Raise InputError if there are too many."""
        refuse_size_yielding_excess_chunks(self.name, document.text, self.piece_size, "tokens")
        return recursive_spans(document.text, self.piece_size, 0, text_size_function("tokens", tools), "chroma")

    def parse_cut_numbers(self, answer: str, first: int, last: int) -> list[int]:
        """Parse an answer's last line ``split_after:``; return the numbers of the pieces after which to cut."""
        split_after_piece_numbers = parse_last_line_of_answer(answer, SplitsAnswer).split_after
        for piece_number in split_after_piece_numbers:
            if not first <= piece_number <= last:
                raise UnusableAnswer(f"the answer must name pieces from {first} to {last}; it names piece {piece_number}")
        # The line's order is part of its form; a list in JSON is a set of places.
        if answer.lstrip().startswith("{"):
            split_after_piece_numbers = sorted(split_after_piece_numbers)
        if any(one > other for one, other in pairwise(split_after_piece_numbers)):
            raise UnusableAnswer("the answer must name the pieces in ascending order; their order is different")
        # After the last piece shown nobody can tell whether the subject goes on.
        return [*dict.fromkeys(piece_number for piece_number in split_after_piece_numbers if piece_number < last)]


class Lumber(WindowedModelChunker):
    """Chunker that shows a language model numbered paragraphs and cuts before the first paragraph whose content shifts.

    The next window begins at the cut.

    Source: LumberChunker (Duarte et al., 2024), with the same windows, question and answer form. The model may also
    answer that the content does not shift, and a paragraph of more than half a window is shown in parts.
    """

    name: ClassVar[str] = "lumber"
    title: ClassVar[str] = "LumberChunker"
    idea: ClassVar[str] = "Asks a language model for the first paragraph where the content shifts, and goes on from there."
    source: ClassVar[str] = "Duarte et al. (2024), LumberChunker"
    formula: ClassVar[str] = (
        r"\begin{aligned} &i = M(p_a, \dots, p_b), \quad a < i \le b; \\ &\text{cut before } p_i, \quad a' = i, "
        r"\quad \textstyle\sum_{i=a}^{b} |p_i| \le w \end{aligned}"
    )
    symbols: ClassVar[str] = (
        r"$p_i$ paragraph $i$; $|p_i|$ its tokens; $M$ the model's answer; $w$ window; $a, b$ its first and last paragraph; "
        r"$a'$ the first of the next"
    )
    failure: ClassVar[str] = (
        "Asks once a chunk and shows much of the text several times, so it costs more than naming all cuts at once; a text "
        "without blank lines is one paragraph."
    )
    unit_name: ClassVar[str] = "paragraph"
    kind: ClassVar[AnswerKind] = TOPIC_SHIFT_ANSWER
    system_prompt: ClassVar[str] = prompts.SHIFT_SYSTEM_PROMPT
    piece_template: ClassVar[str] = prompts.SHIFT_PASSAGE_TEMPLATE
    question: ClassVar[str] = prompts.SHIFT_QUESTION_TEMPLATE
    names_first_cut_only: ClassVar[bool] = True

    window: int = Field(
        550,
        ge=10,
        le=1_000_000,
        title="Window size",
        description="The most text that the model is shown at once, the numbers of its paragraphs not counted.",
        json_schema_extra={"unit": "tokens", "step": 50, "offered": [200, 4000], "main": True},
    )

    def describe(self) -> str:
        """Return the chunker's main settings as a short phrase."""
        return f"windows of {self.window:,} tokens"

    def units(self, document: Document, tools: Tools) -> list[tuple[int, int]]:
        """Return the ranges of the paragraphs, with long paragraphs split. Raise InputError if there are too many."""
        document_text, paragraph_token_limit = document.text, self.window // 2
        refuse_size_yielding_excess_chunks(self.name, document_text, paragraph_token_limit, "tokens")
        paragraph_offset_ranges = [*map(tuple, split_into_sentence_spans(document_text, "paragraphs"))]
        paragraph_token_counts = tools.count_tokens([document_text[start:end] for start, end in paragraph_offset_ranges])
        paragraph_unit_ranges: list[tuple[int, int]] = []
        for (paragraph_start, paragraph_end), paragraph_token_count in zip(
            paragraph_offset_ranges, paragraph_token_counts, strict=True
        ):
            if paragraph_token_count <= paragraph_token_limit:
                paragraph_unit_ranges.append((paragraph_start, paragraph_end))
                continue
            paragraph_unit_ranges += recursive_spans(
                document_text,
                paragraph_token_limit,
                0,
                text_size_function("tokens", tools),
                "chroma",
                Span(paragraph_start, paragraph_end),
            )
        return paragraph_unit_ranges

    def parse_cut_numbers(self, answer: str, first: int, last: int) -> list[int]:
        """Parse an answer's last line ``Answer:``; return the number of the paragraph after which to cut."""
        paragraph_number = parse_last_line_of_answer(answer, ShiftAnswer).answer
        if paragraph_number is None:
            return []
        if not first < paragraph_number <= last:
            raise UnusableAnswer(
                f"the answer must name a paragraph from {first + 1} to {last}; it names paragraph {paragraph_number}"
            )
        return [paragraph_number - 1]
