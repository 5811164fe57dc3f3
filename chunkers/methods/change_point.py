"""Change points: where the embeddings' mean shifts, found for the whole text at once."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from chunkers.building_blocks import (
    MOST_SAMPLED_SENTENCES,
    SizeLimitedChunker,
    enforce_size_limits_on_gaps,
    gap_distances,
    scores_under_shuffling,
)
from chunkers.building_blocks.change_point_search import (
    best_cuts_with_fixed_penalty,
    best_cuts_with_run_count,
    least_penalty_without_cuts,
)
from chunkers.contract import Tools
from chunkers.results import Band, Chunking, Curve, Gap, Line, Reason, Verdict, combine_reasons
from chunkers.support import (
    MOST_CHANGE_POINT_PRODUCTS,
    MOST_CHANGE_POINT_STEPS,
    FloatArray,
    InputError,
    IntArray,
    pluralize,
    raise_if_cancelled,
)
from chunkers.text import Document, paragraph_first_sentence_indices

Caution = Literal["eager", "balanced", "cautious"]
CutPlaceKind = Literal["auto", "paragraphs", "sentences"]

MAX_UNITS_OF_SHUFFLED_TEXT = 1_500
"""Sentences, or paragraphs, up to which all of a shuffled text is searched. Of a longer text, this much of every shuffle is
searched, and the penalty is extrapolated to the text's length: it grows linearly in the logarithm of the length, as the
maximum of many scores with an exponential tail does. The slope comes from the quarters of the part that is searched."""

SLOPE_PIECE_COUNT = 4
"""Pieces of a shuffled part that are searched for the slope: two doublings of the length."""

FEWEST_PARAGRAPHS = 4
"""Paragraphs below which ``auto`` cuts at sentences: two places or fewer leave hardly anything to choose from."""

MOST_PARAGRAPH_SENTENCES = 12
"""Maximum number of sentences in the average sentence's paragraph for ``auto`` to cut at paragraphs; the bundled prose has
4 to 10. Where there are more, the blank lines part pages or chapters, or the text is one block below a title, and a change
inside a block would be missed.
"""


class ChangePoint(SizeLimitedChunker):
    """Chunker that cuts where the mean of the sentence embeddings changes.

    The cost of a chunk is the sum of squared distances of its sentences' vectors to their mean; the sum of the costs and
    a penalty for every cut is minimised over all partitions. The penalty is the gain of cuts in the same text with its
    sentences shuffled, where the order is meaningless: the largest average gain per cut of any partition. It grows with
    the length of the text, because more partitions are possible. If the text has paragraphs, a cut is allowed only at
    the beginning of a paragraph, both in the text and at the same places of the shuffled text.

    Kernel change-point detection with the linear kernel, as by KernelCPD of the library ruptures (PELT for a penalty,
    dynamic programming for a number of chunks). The partitions are the same, found in less time; see
    `chunkers.building_blocks.change_point_search`. None of the sources describes this chunker.
    """

    name: ClassVar[str] = "change_point"
    title: ClassVar[str] = "Change points"
    idea: ClassVar[str] = "Finds the places where the subject changes for good, looking at the whole text at once."
    source: ClassVar[str] = "Seamark; kernel change-point detection, as in the library ruptures"
    formula: ClassVar[str] = (
        r"\begin{aligned} \min_{\text{partitions}} \; &\sum_{c} \sum_{i \in c} \lVert e_i - \mu_c \rVert^2 \\ "
        r"&+ \beta \cdot (\text{number of cuts}) \end{aligned}"
    )
    symbols: ClassVar[str] = (
        r"$c$ a chunk, which begins with a paragraph where the text has paragraphs; $e_i$ vector of sentence $i$; $\mu_c$ "
        r"mean of the vectors of the chunk; $\beta$ penalty: the most that cuts gain in the text shuffled, at its own "
        "length, mean of 20 shuffles"
    )
    failure: ClassVar[str] = (
        "A subject that drifts slowly has no place where it changes, a passage of one sentence is rarely worth its penalty, "
        "and a change inside a paragraph moves to the paragraph's beginning or end. Without a maximum size, chunks grow "
        "long, which costs retrieval much."
    )
    older: ClassVar[Mapping[str, Any]] = MappingProxyType({"cuts_at": "sentences"})
    embeds: ClassVar[bool] = True

    caution: Caution = Field(
        "balanced",
        title="Caution level",
        description="What a cut has to gain, by what cuts gain in the text shuffled: balanced is the mean of the shuffles, "
        "eager and cautious are their quartiles. The more cautious, the fewer chunks.",
        json_schema_extra={"ordered": True, "main": True},
    )
    shuffled_runs: int = Field(
        1,
        ge=1,
        le=100,
        title="Shuffle block size",
        description="Number of neighbouring sentences that stay together when the text is shuffled. With more than one, "
        "a cut needs more than the usual resemblance of neighbours: fewer, longer chunks.",
        json_schema_extra={"unit": "sentences", "step": 1, "offered": [1, 6], "main": True},
    )
    cuts_at: CutPlaceKind = Field(
        "auto",
        title="Cut positions",
        description="Allowed places of cuts: beginnings of paragraphs, after a blank line, or of all sentences. auto "
        f"takes paragraphs if there are at least {FEWEST_PARAGRAPHS}, of at most {MOST_PARAGRAPH_SENTENCES} sentences for "
        "the "
        "average sentence, and no fewer than the requested chunks.",
        json_schema_extra={"main": True},
    )
    penalty: float | None = Field(
        None,
        ge=0.001,
        le=1000,
        title="Penalty",
        description="If set, what a cut has to gain, whatever cuts gain in the text shuffled: the higher, the fewer chunks.",
        json_schema_extra={"step": 0.05, "offered": [0.1, 3]},
    )
    chunks: int | None = Field(
        None,
        ge=1,
        le=100_000,
        title="Number of chunks",
        description="If set, the best partition into this many chunks, whatever the penalty.",
        json_schema_extra={"unit": "chunks", "step": 1},
    )
    target_sentences: int | None = Field(
        None,
        ge=1,
        le=100_000,
        title="Sentences per chunk",
        description="If set, the number of chunks is the number of sentences divided by it.",
        json_schema_extra={"unit": "sentences", "step": 1},
    )

    @model_validator(mode="after")
    def _refuse_chunks_with_target(self) -> Self:
        if self.chunks is not None and self.target_sentences is not None:
            raise ValueError(
                f"target_sentences must be left out when chunks is set; got {self.target_sentences}. Set only one of the "
                "two."
            )
        return self

    def idle(self) -> frozenset[str]:
        """Return the names of the parameters that have no effect because the number of chunks or the penalty is set."""
        idle_parameter_names = super().idle()
        if self.chunks is not None or self.target_sentences is not None:
            return idle_parameter_names | {"penalty", "caution", "shuffled_runs"}
        return idle_parameter_names if self.penalty is None else idle_parameter_names | {"caution", "shuffled_runs"}

    def describe(self) -> str:
        """Return the chunker's main settings as a short phrase."""
        return self._deciding_setting_phrase() + (f", at {self.cuts_at}" if self.cuts_at != "auto" else "")

    def _deciding_setting_phrase(self) -> str:
        if self.chunks is not None:
            return pluralize(self.chunks, "chunk")
        if self.target_sentences is not None:
            return f"about {pluralize(self.target_sentences, 'sentence')}"
        if self.penalty is not None:
            return f"penalty {self.penalty:g}"
        return self.caution + (f", shuffled in runs of {self.shuffled_runs}" if self.shuffled_runs > 1 else "")

    def remark(self, parameter: str) -> str:
        """Return a sentence that explains the parameter ``caution``; empty for other parameters."""
        if parameter != "caution" or parameter in self.idle():
            return ""
        return "A cut must gain more than cuts gain in your text shuffled, at its own length."

    def changed_since(self, sentences: int | None = None) -> str:
        """Return a sentence on how the penalty for long texts has changed; empty if the change makes no difference."""
        is_text_length_unaffected = sentences is not None and sentences <= MOST_SAMPLED_SENTENCES
        if (
            is_text_length_unaffected
            or self.penalty is not None
            or self.chunks is not None
            or self.target_sentences is not None
        ):
            return ""
        sentence_count_phrase = "" if sentences is None else f", {sentences:,} sentences,"
        affected_texts_phrase = (
            f"In texts of more than {MOST_SAMPLED_SENTENCES:,} sentences" if sentences is None else "Here"
        )
        return (
            f"{self.title} now takes its penalty from the text's own length{sentence_count_phrase} and no longer from "
            f"{MOST_SAMPLED_SENTENCES:,} "
            f"sentences of it. {affected_texts_phrase}, its cuts may be others than when this was made."
        )

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document at the change points of the partition with the lowest cost.

        Raises
        ------
        InputError
            If the exact search is too much work. For a number of chunks, this is known in advance; for a penalty, it
            depends on how similar the sentences are.
        Cancelled
            If the user asked to stop.
        """
        sentence_count = len(document.sentences)
        if not sentence_count:
            return Chunking(document, (), ())
        requested_chunk_count = self._requested_chunk_count(sentence_count)
        allowed_start_indices = self._allowed_start_sentence_indices(document, requested_chunk_count)
        possible_start_indices = (
            list(range(1, sentence_count)) if allowed_start_indices is None else allowed_start_indices.tolist()
        )
        unit_count, unit_noun = (
            len(possible_start_indices) + 1,
            "sentences" if allowed_start_indices is None else "paragraphs",
        )
        chunk_count = None if requested_chunk_count is None else min(requested_chunk_count, unit_count)
        is_fixed_count_search_needed = chunk_count is not None and 1 < chunk_count < unit_count
        if chunk_count is not None and is_fixed_count_search_needed:
            _check_search_steps(unit_count, chunk_count, unit_noun)
            # One vector tells the dimensions.
            _check_multiplication_count(unit_count, tools.embed(document.sentence_texts[:1]).shape[1], unit_noun)
        sentence_vectors = tools.embed(document.sentence_texts).astype(np.float64)
        cut_penalty, shuffled_text_penalties = None, None
        if chunk_count is None:
            shuffled_text_penalties = self._shuffled_penalties(sentence_vectors, allowed_start_indices, tools)
            cut_penalty = self._minimum_cut_gain(shuffled_text_penalties)
            cut_start_indices = set(
                best_cuts_with_fixed_penalty(
                    sentence_vectors, cut_penalty, _search_work_counter(sentence_vectors, tools), allowed_start_indices
                )
            )
        elif is_fixed_count_search_needed:
            cut_start_indices = set(
                best_cuts_with_run_count(
                    sentence_vectors, chunk_count, _search_work_counter(sentence_vectors, tools), allowed_start_indices
                )
            )
        else:
            cut_start_indices = set(possible_start_indices) if chunk_count == unit_count else set()
        gap_cut_gains = _compute_cut_gains_at_gaps(sentence_vectors, cut_start_indices)
        penalty_origin_phrase = f"from {sentence_count:,} sentences shuffled" if self.penalty is None else ""
        possible_start_set = set(possible_start_indices)
        gaps_judged_by_search = [
            _gap_judged_by_search(
                index, gain, index + 1 in cut_start_indices, cut_penalty, chunk_count, penalty_origin_phrase
            )
            if index + 1 in possible_start_set
            else Gap(index, gain, None, Verdict.KEPT, Reason("gain", gain, remark="inside a paragraph"))
            for index, gain in enumerate(gap_cut_gains.tolist())
        ]
        size_limited_gaps = enforce_size_limits_on_gaps(
            document, gaps_judged_by_search, self.limits, tools, lambda: gap_distances(sentence_vectors).tolist()
        )
        penalty_level_lines = (
            () if cut_penalty is None or unit_count == 1 < sentence_count else (Line("penalty", cut_penalty, "penalty"),)
        )
        shuffled_text_penalty_band = (
            None if shuffled_text_penalties is None else Band(*np.percentile(shuffled_text_penalties, [25, 75]).tolist())
        )
        gap_cut_gain_curve = Curve(
            "gain of a cut",
            tuple(gap_cut_gains.tolist()),
            penalty_level_lines,
            cut_above=True,
            live=False,
            null=shuffled_text_penalty_band,
        )
        notes = [] if allowed_start_indices is None else [_cuts_at_paragraphs_note(unit_count)]
        if requested_chunk_count is not None and requested_chunk_count > unit_count and allowed_start_indices is not None:
            notes.append(f"Asked for {requested_chunk_count:,} chunks, made {unit_count:,}: there are no more paragraphs.")
        return replace(Chunking.from_gaps(document, size_limited_gaps, curves=(gap_cut_gain_curve,)), notes=tuple(notes))

    def places(self, document: Document) -> list[int]:
        """Return the numbers of the sentences that a chunk may begin with, but for the first."""
        sentence_count = len(document.sentences)
        allowed_start_indices = self._allowed_start_sentence_indices(document, self._requested_chunk_count(sentence_count))
        return list(range(1, sentence_count)) if allowed_start_indices is None else allowed_start_indices.tolist()

    def _allowed_start_sentence_indices(self, document: Document, requested_chunk_count: int | None) -> IntArray | None:
        """Return the numbers of the sentences that a chunk may begin with, but for the first; None for all."""
        if self.cuts_at == "sentences":
            return None
        sentence_count = len(document.sentences)
        paragraph_start_indices = np.array(paragraph_first_sentence_indices(document), dtype=np.intp)
        paragraph_sentence_counts = np.diff([*paragraph_start_indices, sentence_count])
        if self.cuts_at == "auto" and (
            len(paragraph_start_indices) in (sentence_count, *range(FEWEST_PARAGRAPHS))
            or len(paragraph_start_indices) < (requested_chunk_count or 0)
            or int((paragraph_sentence_counts * paragraph_sentence_counts).sum()) > MOST_PARAGRAPH_SENTENCES * sentence_count
        ):
            return None
        return paragraph_start_indices[1:]

    def _shuffled_penalties(
        self, vectors: FloatArray, allowed_start_indices: IntArray | None, tools: Tools
    ) -> FloatArray | None:
        """Return for each shuffled text the most that its cuts gain, divided by their number; None without a place for one.

        The sentences are shuffled, the places of the cuts stay. Of a long text, they are those of paragraphs drawn from it.
        """
        sentence_count = len(vectors)
        possible_start_indices = np.arange(1, sentence_count) if allowed_start_indices is None else allowed_start_indices
        if not len(possible_start_indices):
            return None
        unit_count = len(possible_start_indices) + 1
        searched_sentence_count = (
            sentence_count
            if unit_count <= MAX_UNITS_OF_SHUFFLED_TEXT
            else round(MAX_UNITS_OF_SHUFFLED_TEXT * sentence_count / unit_count)
        )
        unit_sentence_counts = np.diff([0, *possible_start_indices, sentence_count])
        seeded_random_generator = np.random.default_rng(0)
        product_count = 0

        def stop_if_cancelled(done_sentence_count: int, comparison_count: int) -> None:
            nonlocal product_count
            product_count += comparison_count * vectors.shape[1]
            if product_count > MOST_UNINTERRUPTED_PRODUCTS:
                raise_if_cancelled(tools.cancelled)

        def shuffled_critical_penalties(shuffled_vectors: FloatArray) -> FloatArray:
            if searched_sentence_count == sentence_count:
                return np.array([[least_penalty_without_cuts(shuffled_vectors, stop_if_cancelled, possible_start_indices)]])
            shuffled_unit_edges = np.cumsum(seeded_random_generator.permutation(unit_sentence_counts))
            quarter_sentence_bounds = np.linspace(0, searched_sentence_count, SLOPE_PIECE_COUNT + 1).astype(np.intp)
            penalties_by_stretch = []
            for stretch_start, stretch_end in [(0, searched_sentence_count), *pairwise(quarter_sentence_bounds)]:
                edges_inside_stretch = (
                    shuffled_unit_edges[(shuffled_unit_edges > stretch_start) & (shuffled_unit_edges < stretch_end)]
                    - stretch_start
                )
                if len(edges_inside_stretch):
                    penalties_by_stretch.append(
                        least_penalty_without_cuts(
                            shuffled_vectors[stretch_start:stretch_end], stop_if_cancelled, edges_inside_stretch
                        )
                    )
            # A paragraph may be longer than all that is searched.
            return (
                np.array(
                    [
                        [
                            penalties_by_stretch[0],
                            np.mean(penalties_by_stretch[1:] or penalties_by_stretch),
                        ]
                    ]
                )
                if penalties_by_stretch
                else np.zeros((1, 2))
            )

        cache_name = f"critical penalty {hashlib.sha256(possible_start_indices.tobytes()).hexdigest()}"
        shuffled_text_penalties = scores_under_shuffling(
            vectors, self.shuffled_runs, cache_name, shuffled_critical_penalties, searched_sentence_count
        )
        penalties_before_extrapolation = shuffled_text_penalties[:, 0]
        if searched_sentence_count == sentence_count:
            return penalties_before_extrapolation
        penalty_growth_per_doubling = (shuffled_text_penalties.mean(axis=0) @ [1, -1]) / np.log2(SLOPE_PIECE_COUNT)
        return np.asarray(
            penalties_before_extrapolation
            + max(penalty_growth_per_doubling, 0.0) * np.log2(sentence_count / searched_sentence_count)
        )

    def _minimum_cut_gain(self, shuffled_penalties: FloatArray | None) -> float:
        """Return the penalty per cut: the one that is set, or else the one that the shuffled texts give at this caution."""
        if self.penalty is not None or shuffled_penalties is None:
            return self.penalty or 0.0
        if self.caution == "balanced":
            return float(shuffled_penalties.mean())
        return float(np.percentile(shuffled_penalties, 25 if self.caution == "eager" else 75))

    def _requested_chunk_count(self, sentence_count: int) -> int | None:
        """Return the requested number of chunks; None where the penalty decides."""
        if self.target_sentences is not None:
            return max(1, min(sentence_count, round(sentence_count / self.target_sentences)))
        return None if self.chunks is None else min(sentence_count, self.chunks)


def _check_search_steps(unit_count: int, chunk_count: int, unit_noun: str) -> None:
    if unit_count * unit_count * chunk_count > MOST_CHANGE_POINT_STEPS:
        raise InputError(
            f"change_point: {unit_noun}² × chunks must be at most {MOST_CHANGE_POINT_STEPS:,} for the exact search; this "
            "text has "
            f"{unit_count:,} {unit_noun} for {chunk_count:,} chunks. Set a penalty instead, which has no such limit."
        )


def _check_multiplication_count(unit_count: int, dimension: int, unit_noun: str) -> None:
    if unit_count * unit_count * dimension > 2 * MOST_CHANGE_POINT_PRODUCTS:
        raise InputError(
            f"change_point: {unit_noun}² × dimensions must be at most {2 * MOST_CHANGE_POINT_PRODUCTS:,} for a fixed "
            "number of "
            "chunks; "
            f"this text has {unit_count:,} {unit_noun} and vectors with {dimension:,} dimensions. Set a penalty instead, "
            "which needs far "
            "less memory."
        )


def _cuts_at_paragraphs_note(paragraph_count: int) -> str:
    if paragraph_count == 1:
        return "The text is one paragraph: without a blank line there is no place to cut."
    return f"Cuts are allowed only where one of the {paragraph_count:,} paragraphs begins."


MOST_UNINTERRUPTED_PRODUCTS = 500_000_000
"""Products of numbers, about a tenth of a second, up to which a text is shuffled whether the user asked to stop or not."""

PRODUCTS_BETWEEN_REPORTS = 5_000_000_000
"""Products of numbers, a few tenths of a second, between two reports of the search."""


def _search_work_counter(vectors: FloatArray, tools: Tools) -> Callable[[int, int], None]:
    """Return the function that counts the work of the search, reports it now and then, and stops it at its limit."""
    sentence_count, vector_width = vectors.shape
    product_count = reported_product_count = 0

    def record_and_limit_search_work(done_sentence_count: int, comparison_count: int) -> None:
        nonlocal product_count, reported_product_count
        product_count += comparison_count * vector_width
        if product_count > MOST_CHANGE_POINT_PRODUCTS:
            raise InputError(
                f"change_point: the exact search may make at most {MOST_CHANGE_POINT_PRODUCTS // vector_width:,} "
                "comparisons of "
                "vectors "
                f"with {vector_width:,} dimensions; it reached this limit after {done_sentence_count:,} of "
                f"{sentence_count:,} "
                "sentences. "
                "Set a much "
                "higher or a much lower penalty."
            )
        if product_count - reported_product_count > PRODUCTS_BETWEEN_REPORTS:
            reported_product_count = product_count
            tools.decided(done_sentence_count, sentence_count)

    return record_and_limit_search_work


def _compute_cut_gains_at_gaps(vectors: FloatArray, chunk_start_indices: set[int]) -> FloatArray:
    """Return by how much a cut at each gap lowers the costs, all other cuts unchanged, shape (n - 1,).

    With sums S over n vectors, the cost of a chunk is Σ|v|² - |S|² / n, where the first terms add up
    to the same for all partitions.
    """
    sentence_count = len(vectors)
    cumulative_vector_sums = np.concatenate([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0)])
    chunk_edge_sentence_indices = np.array([0, *sorted(chunk_start_indices), sentence_count])
    gap_sentence_indices = np.arange(1, sentence_count)
    # The chunks before and after the gap if it were cut.
    previous_edge_sentence_indices = chunk_edge_sentence_indices[
        np.searchsorted(chunk_edge_sentence_indices, gap_sentence_indices, side="left") - 1
    ]
    next_edge_sentence_indices = chunk_edge_sentence_indices[
        np.searchsorted(chunk_edge_sentence_indices, gap_sentence_indices, side="right")
    ]

    def compute_explained_variation_per_stretch(
        start_sentence_indices: np.ndarray, end_sentence_indices: np.ndarray
    ) -> FloatArray:
        chunk_vector_sums = cumulative_vector_sums[end_sentence_indices] - cumulative_vector_sums[start_sentence_indices]
        return np.asarray(
            np.einsum("ij,ij->i", chunk_vector_sums, chunk_vector_sums) / (end_sentence_indices - start_sentence_indices)
        )

    return (
        compute_explained_variation_per_stretch(previous_edge_sentence_indices, gap_sentence_indices)
        + compute_explained_variation_per_stretch(gap_sentence_indices, next_edge_sentence_indices)
        - compute_explained_variation_per_stretch(previous_edge_sentence_indices, next_edge_sentence_indices)
    )


def _gap_judged_by_search(
    gap_index: int,
    cut_gain: float,
    is_cut: bool,
    penalty: float | None,
    requested_chunk_count: int | None,
    penalty_origin_phrase: str,
) -> Gap:
    gap_verdict = Verdict.CUT if is_cut else Verdict.KEPT
    if penalty is None:
        partition_reason = Reason(
            remark=f"the best {requested_chunk_count:,} chunks {'part' if is_cut else 'hold'} these sentences"
        )
        return Gap(gap_index, cut_gain, None, gap_verdict, combine_reasons(Reason("gain", cut_gain), partition_reason))
    gain_verdict_reason = Reason(
        "gain", cut_gain, ">" if cut_gain > penalty else "≤", penalty, "penalty", penalty_origin_phrase
    )
    return Gap(gap_index, cut_gain, penalty, gap_verdict, gain_verdict_reason)


def is_cut_before_size_limits(gap: Gap) -> bool:
    """Return whether the search cuts at a gap, before size limits apply."""
    if gap.verdict is not Verdict.FORCED:
        return gap.verdict in (Verdict.CUT, Verdict.REJECTED)
    gain_reason, *later_reasons = gap.why.steps()
    return gain_reason.relation == ">" or later_reasons[0].remark.endswith("part these sentences")
