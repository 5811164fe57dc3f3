"""Double-pass merging: grow small chunks from left to right, then merge them, over a snippet if need be."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from chunkers.building_blocks import (
    SizeLimits,
    VerdictReversals,
    enforce_size_limits_on_gaps,
    find_parameter_spec_by_name,
    next_slider_stop,
    row_cosines,
)
from chunkers.contract import Chunker, Setting, Tipping, Tools
from chunkers.results import (
    Chunking,
    Comparison,
    ComparisonOutcome,
    Curve,
    Gap,
    Line,
    Merge,
    MergeComparisonKind,
    Reason,
    Verdict,
    combine_reasons,
)
from chunkers.support import MOST_TOTAL_EMBEDDED_GROUP_CHARACTERS, FloatArray, InputError, IntArray, format_number
from chunkers.text import Document, Span, shorten

# Vectors and lengths of groups of consecutive sentences, in the two ways of double-pass merging.


class MeanGroups:
    """Sentence groups whose vectors are the token-weighted means of their sentences' vectors."""

    def __init__(self, document: Document, sentence_vectors: FloatArray, tools: Tools) -> None:
        self._starts = document.starts
        self._ends = [span.end for span in document.sentences]
        sentence_token_weights = np.maximum(tools.count_tokens(document.sentence_texts), 1).astype(np.float64)
        self._weighted_vectors = sentence_vectors * sentence_token_weights[:, None]
        self._cumulative_vector_sums = np.zeros((len(sentence_vectors) + 1, sentence_vectors.shape[1]))
        # `cumsum` along the first axis takes several times as long, as it goes from row to row for each column.
        for sentence_index, weighted_vector in enumerate(self._weighted_vectors):
            np.add(
                self._cumulative_vector_sums[sentence_index],
                weighted_vector,
                out=self._cumulative_vector_sums[sentence_index + 1],
            )

    def sentence_pair_vectors(self, first_sentence_indices: IntArray) -> FloatArray:
        """Return a vector for each sentence pair, given the indices of the first sentences, shape (n, dimension)."""
        return np.asarray(
            self._weighted_vectors[first_sentence_indices] + self._weighted_vectors[first_sentence_indices + 1]
        )

    def embed_groups_if_needed(self, groups: Sequence[Span]) -> None:
        """Do nothing: comparing groups needs only the sentence vectors, which already exist."""

    def similarity(self, left: Span, right: Span) -> float:
        """Return the cosine similarity of two groups' vectors."""
        left_vector_sum = self._cumulative_vector_sums[left.end] - self._cumulative_vector_sums[left.start]
        right_vector_sum = self._cumulative_vector_sums[right.end] - self._cumulative_vector_sums[right.start]
        return float(left_vector_sum @ right_vector_sum) / max(
            math.sqrt(float(left_vector_sum @ left_vector_sum) * float(right_vector_sum @ right_vector_sum)), 1e-12
        )

    def count_characters_of_sentences(self, first_sentence_index: int, end_sentence_index: int) -> int:
        """Return the number of characters in these sentences, without the end, as counted for the size limit."""
        return self._ends[end_sentence_index - 1] - self._starts[first_sentence_index]


class JoinedGroups:
    """Sentence groups whose vectors are the embeddings of their sentences joined by single spaces.

    A group's length is that of the joined text, as LlamaIndex counts it; the chunk itself is longer if its sentences are
    separated by more white space.
    """

    def __init__(self, document: Document, tools: Tools) -> None:
        self._texts = document.sentence_texts
        self._embed = tools.embed
        self._cumulative_lengths = np.concatenate([[0], np.cumsum([len(text) for text in self._texts])])
        self._embedded_character_count = 0

    def sentence_pair_vectors(self, first_sentence_indices: IntArray) -> FloatArray:
        """Return a vector for each sentence pair, given the indices of the first sentences, shape (n, dimension)."""
        return self._embed([f"{self._texts[i]} {self._texts[i + 1]}" for i in first_sentence_indices]).astype(np.float64)

    def embed_groups_if_needed(self, groups: Sequence[Span]) -> None:
        """Embed the groups in batches, so that later comparisons need no further embedding.

        Raises
        ------
        InputError
            If the texts of all groups so far have more than `MOST_TOTAL_EMBEDDED_GROUP_CHARACTERS`.
        """
        self._embed([self._joined_text(group) for group in groups])

    def similarity(self, left: Span, right: Span) -> float:
        """Return the cosine similarity of two groups' vectors. Raises the errors of `embed_groups_if_needed`."""
        two_group_vectors = self._embed([self._joined_text(left), self._joined_text(right)]).astype(np.float64)
        return float(row_cosines(two_group_vectors[:1], two_group_vectors[1:])[0])

    def count_characters_of_sentences(self, first_sentence_index: int, end_sentence_index: int) -> int:
        """Return the number of characters in these sentences, without the end, as counted for the size limit."""
        return (
            int(self._cumulative_lengths[end_sentence_index] - self._cumulative_lengths[first_sentence_index])
            + end_sentence_index
            - first_sentence_index
            - 1
        )

    def _joined_text(self, group: Span) -> str:
        self._embedded_character_count += self.count_characters_of_sentences(group.start, group.end)
        if self._embedded_character_count > MOST_TOTAL_EMBEDDED_GROUP_CHARACTERS:
            raise InputError(
                f"double_pass: the re-embedded groups may have at most {MOST_TOTAL_EMBEDDED_GROUP_CHARACTERS:,} characters "
                "in total; the "
                f"groups up to sentence {group.end:,} of {len(self._texts):,} have more. Set max_size, or set vector to "
                "mean."
            )
        return " ".join(self._texts[group.start : group.end])


GroupComparer = MeanGroups | JoinedGroups


class DoublePass(Chunker):
    """Semantic double-pass merging chunker, which grows chunks sentence by sentence and then merges similar chunks.

    With ``vector="re-embed"`` it decides as LlamaIndex's SemanticDoubleMergingSplitterNodeParser does with an embedding
    model. The default thresholds were chosen for all-MiniLM-L6-v2, whose neighbouring sentences are far less similar
    than those of the spaCy vectors used in the article that introduced the method.
    """

    name: ClassVar[str] = "double_pass"
    title: ClassVar[str] = "Double pass"
    idea: ClassVar[str] = "Grows chunks sentence by sentence, then merges them, over a formula or a quotation if need be."
    source: ClassVar[str] = "“semantic double-pass merging”; LlamaIndex"
    formula: ClassVar[str] = (
        r"\begin{aligned} &\text{pass one: } \cos(v_{i-1,\,i},\; e_{i+1}) > \theta_{app} \\ &\text{pass two: } "
        r"\cos(v_A, v_B) > \theta_{mrg} \\ &\phantom{\text{pass two: }} \text{or } \cos(v_A, v_C) > \theta_{mrg} "
        r"\end{aligned}"
    )
    symbols: ClassVar[str] = (
        r"$e_{i+1}$ vector of the next sentence; $v_{i-1,\,i}$ of the last two of the chunk; $v_A$, $v_B$, $v_C$ of three "
        r"neighbouring chunks; $\theta_{app}$ and $\theta_{mrg}$ the appending and the merging threshold"
    )
    failure: ClassVar[str] = (
        "Its thresholds belong to one embedder, and it never undoes a join that it made on its way from left to right. "
        "Without a maximum size, chunks grow long, which costs retrieval much."
    )
    embeds: ClassVar[bool] = True

    # Of the three, `benchmarks.stitched` changed this one on its tuned half, from 0.4; its README has the gain.
    initial_threshold: float = Field(
        0.2,
        ge=-1,
        le=1,
        title="Initial threshold",
        description="Two sentences open a chunk when they are more similar than this.",
        json_schema_extra={"unit": "cosine", "step": 0.01, "offered": [0, 1], "main": True},
    )
    appending_threshold: float = Field(
        0.4,
        ge=-1,
        le=1,
        title="Appending threshold",
        description="A sentence joins when it is more similar than this to the last two.",
        json_schema_extra={"unit": "cosine", "step": 0.01, "offered": [0, 1], "main": True},
    )
    merging_threshold: float = Field(
        0.3,
        ge=-1,
        le=1,
        title="Merging threshold",
        description="Pass two merges chunks that are more similar than this, over one in between if need be.",
        json_schema_extra={"unit": "cosine", "step": 0.01, "offered": [0, 1], "main": True},
    )
    max_size: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        title="Maximum chunk size",
        description="No join makes a chunk longer than this; a single longer sentence stays whole. With vector re-embed, "
        "white space between sentences counts as one character, as in LlamaIndex.",
        json_schema_extra={"unit": "characters", "step": 100},
    )
    look_ahead: int = Field(
        1,
        ge=1,
        le=2,
        title="Look-ahead range",
        description="How many chunks beyond the next pass two may look at.",
        json_schema_extra={"unit": "chunks", "step": 1},
    )
    vector: Literal["mean", "re-embed"] = Field(
        "mean",
        title="Group vector",
        description="The token-weighted mean of its sentences' vectors, or the embedding of its joined text.",
    )
    min_size: int | None = Field(
        None,
        ge=1,
        le=100_000,
        title="Minimum chunk size",
        description="After both passes, a smaller chunk is merged with the one before it; the first with the one after.",
        json_schema_extra={"unit": "characters", "step": 10},
    )

    def describe(self) -> str:
        """Return the chunker's three thresholds as a short phrase."""
        initial_threshold_text, merging_threshold_text = (
            format_number(self.initial_threshold),
            format_number(self.merging_threshold),
        )
        return (
            f"initial {initial_threshold_text}, appending {format_number(self.appending_threshold)}, merging "
            f"{merging_threshold_text}"
        )

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document in two passes, growing and merging, then enforce the minimum size."""
        if not document.sentences:
            return Chunking(document, (), ())
        sentence_vectors = tools.embed(document.sentence_texts).astype(np.float64)
        group_comparer: GroupComparer = (
            MeanGroups(document, sentence_vectors, tools) if self.vector == "mean" else JoinedGroups(document, tools)
        )
        pass_decisions = _Decisions(document, [_UNDECIDED_GAP] * (len(document.sentences) - 1))
        mini_chunks = self._grow_mini_chunks(pass_decisions, sentence_vectors, group_comparer)
        pass_one_similarity_curve = Curve(
            label="similarity in pass one",
            scores=tuple(comparison.similarity for comparison in pass_decisions.comparisons),
            lines=(
                Line("initial", self.initial_threshold, "initial_threshold"),
                Line("appending", self.appending_threshold, "appending_threshold"),
            ),
            cut_above=False,
            live=False,
        )
        with tools.measure_merging_time():
            self._record_mini_chunk_merges(pass_decisions, mini_chunks, group_comparer)
        character_size_limits = SizeLimits(self.min_size, self.max_size, "characters")
        size_limited_gaps = enforce_size_limits_on_gaps(
            document, pass_decisions.gaps, character_size_limits, tools, lambda: ()
        )
        mini_chunk_merges = [
            Merge(joined.left, joined.right, joined.similarity, joined.threshold, joined.kind)
            for joined in pass_decisions.comparisons
            if joined.outcome == "joined"
        ]
        chunking = Chunking.from_gaps(document, size_limited_gaps, mini_chunk_merges, (pass_one_similarity_curve,))
        return replace(chunking, comparisons=tuple(pass_decisions.comparisons), notes=self._oversized_chunks_notes(chunking))

    def tipping(self, chunking: Chunking, gap: Gap, tools: Tools) -> Tipping | None:
        """Return a change that reverses the verdict on a gap: of a threshold, otherwise of a size or two parameters.

        A threshold also changes decisions before the gap, on which the verdict depends, so a rerun checks the result.
        Pass two may merge what pass one separated; then both thresholds have to change.
        """
        deciding_comparisons, is_cut_after_reversal = self._deciding_comparisons(chunking, gap), not gap.verdict.is_cut
        reversal_search = VerdictReversals(self, chunking, gap, tools)
        candidate_slider_stops_with_margins = [
            (
                next_slider_stop(
                    find_parameter_spec_by_name(self, f"{kind}_threshold"),
                    score,
                    is_stop_sought_above_score=is_cut_after_reversal,
                ),
                kind,
                abs(score - threshold),
            )
            for kind, score, threshold in deciding_comparisons
        ]
        threshold_changes_with_margins = [
            (abs(stop - getattr(self, f"{kind}_threshold")), kind, stop, margin)
            for stop, kind, margin in candidate_slider_stops_with_margins
            if stop is not None
        ]
        for _, threshold_kind, threshold_slider_stop, score_margin in sorted(threshold_changes_with_margins):
            reversing_threshold = reversal_search.nearest_reversing_slider_stop(
                f"{threshold_kind}_threshold", threshold_slider_stop
            )
            if reversing_threshold is not None:
                return Tipping(
                    f"{threshold_kind}_threshold", threshold_kind, reversing_threshold, is_cut_after_reversal, score_margin
                )
        if not is_cut_after_reversal:
            return self._find_size_change_removing_cut(reversal_search)
        two_threshold_change = (
            self._find_threshold_changes_adding_cut(deciding_comparisons, reversal_search) if deciding_comparisons else None
        )
        return two_threshold_change or self._find_size_change_adding_cut(gap, reversal_search)

    def _find_threshold_changes_adding_cut(
        self, deciding_comparisons: Sequence[tuple[str, float, float]], reversal_search: VerdictReversals
    ) -> Tipping | None:
        """Return the change of a threshold of pass one and of the merging threshold that cuts at a gap which is kept."""
        (threshold_kind, similarity, deciding_threshold), *_ = deciding_comparisons
        threshold_parameter_name = f"{threshold_kind}_threshold"
        pass_one_slider_stop = next_slider_stop(
            find_parameter_spec_by_name(self, threshold_parameter_name), similarity, is_stop_sought_above_score=True
        )
        rerun_chunking_and_gap = (
            None
            if threshold_kind == "merging" or pass_one_slider_stop is None
            else reversal_search.rerun_and_find_gap({threshold_parameter_name: pass_one_slider_stop})
        )
        if (
            rerun_chunking_and_gap is None
            or pass_one_slider_stop is None
            or rerun_chunking_and_gap[1].verdict is not Verdict.MERGED
            or rerun_chunking_and_gap[1].score is None
        ):
            return None
        merging_threshold_slider_stop = next_slider_stop(
            find_parameter_spec_by_name(self, "merging_threshold"),
            rerun_chunking_and_gap[1].score,
            is_stop_sought_above_score=True,
        )
        if merging_threshold_slider_stop is None or merging_threshold_slider_stop <= self.merging_threshold:
            return None
        merging_threshold_slider_stop = reversal_search.nearest_reversing_slider_stop(
            "merging_threshold", merging_threshold_slider_stop, {threshold_parameter_name: pass_one_slider_stop}
        )
        if merging_threshold_slider_stop is None:
            return None
        new_merging_threshold_setting = Setting("merging_threshold", "merging", merging_threshold_slider_stop)
        single_change_outcome_phrase = "pass two merges what pass one parts"
        return Tipping(
            threshold_parameter_name,
            threshold_kind,
            pass_one_slider_stop,
            True,
            abs(similarity - deciding_threshold),
            new_merging_threshold_setting,
            single_change_outcome_phrase,
        )

    def _find_size_change_adding_cut(self, gap: Gap, reversal_search: VerdictReversals) -> Tipping | None:
        """Return the size limit that cuts at a gap which is kept, or that keeps a cut which the minimum size removed."""
        if gap.verdict is Verdict.REJECTED and self.min_size is not None:
            return _build_size_change(
                "min_size", reversal_search.nearest_reversing_number("min_size", self.min_size, 1), adds_cut=True
            )
        # A maximum of one character less than the joined chunk forbids the join, unless it changes earlier decisions.
        original_chunking = reversal_search.chunking
        joined_comparisons = [comparison for comparison in original_chunking.comparisons if comparison.outcome == "joined"]
        joined_comparison_at_gap = next(
            (
                comparison
                for comparison in joined_comparisons
                if comparison.left.end <= gap.index + 1 <= comparison.right.start
            ),
            None,
        )
        effective_max_size = self.max_size or len(original_chunking.document.text)
        smaller_max_size = (
            min(joined_comparison_at_gap.length - 1, effective_max_size)
            if joined_comparison_at_gap is not None
            else effective_max_size
        )
        reversing_max_size = reversal_search.nearest_reversing_number("max_size", effective_max_size, smaller_max_size)
        return _build_size_change(
            "max_size",
            reversing_max_size or reversal_search.nearest_reversing_number("max_size", smaller_max_size, 1),
            adds_cut=True,
        )

    def _find_size_change_removing_cut(self, reversal_search: VerdictReversals) -> Tipping | None:
        """Return the size limit that removes a cut, alone or with the merging threshold or another limit."""
        text_length = len(reversal_search.chunking.document.text)
        largest_tried_min_size = int(min(text_length + 1, find_parameter_spec_by_name(self, "min_size").high or text_length))
        smallest_tried_min_size = self.min_size or 1
        joining_size_change = None
        if self.max_size is not None:
            joining_size_change = _build_size_change(
                "max_size", reversal_search.nearest_reversing_number("max_size", self.max_size, text_length), adds_cut=False
            )
        joining_size_change = joining_size_change or _build_size_change(
            "min_size",
            reversal_search.nearest_reversing_number("min_size", smallest_tried_min_size, largest_tried_min_size),
            adds_cut=False,
        )
        if joining_size_change is not None or self.max_size is None:
            return joining_size_change
        parameters_lifting_max_size = {"max_size": text_length}
        if (
            reversing_merging_threshold := reversal_search.nearest_reversing_slider_stop(
                "merging_threshold", None, parameters_lifting_max_size
            )
        ) is not None:
            setting_changed_with_max_size = Setting("merging_threshold", "merging", reversing_merging_threshold)
        elif (
            reversing_min_size := reversal_search.nearest_reversing_number(
                "min_size", smallest_tried_min_size, largest_tried_min_size, parameters_lifting_max_size
            )
        ) is not None:
            setting_changed_with_max_size = Setting("min_size", _SIZE_TITLES["min_size"], reversing_min_size)
        else:
            return None
        reversing_max_size = reversal_search.nearest_reversing_number(
            "max_size",
            self.max_size,
            text_length,
            {setting_changed_with_max_size.parameter: setting_changed_with_max_size.value},
        )
        if reversing_max_size is None:
            return None
        new_max_size_setting = Setting("max_size", _SIZE_TITLES["max_size"], reversing_max_size)
        return Tipping(
            *setting_changed_with_max_size,
            False,
            None,
            new_max_size_setting,
            f"joined, it would have more than {self.max_size:,} characters",
        )

    @staticmethod
    def _deciding_comparisons(chunking: Chunking, gap: Gap) -> list[tuple[str, float, float]]:
        """Return the comparisons without which the verdict on the gap would be another: kind, similarity and threshold."""
        if gap.verdict.is_sized:
            return []
        first_reason_step, *_ = reason_steps = gap.why.steps()
        deciding_reason = [first_reason_step, reason_steps[-1]][gap.verdict is Verdict.MERGED]
        if gap.verdict is not Verdict.CUT:
            assert deciding_reason.score is not None
            assert deciding_reason.threshold is not None
            return [(deciding_reason.threshold_name, deciding_reason.score, deciding_reason.threshold)]
        deciding_comparisons = []
        if (
            first_reason_step.relation == "≤"
            and first_reason_step.score is not None
            and first_reason_step.threshold is not None
        ):
            deciding_comparisons.append(
                (first_reason_step.threshold_name, first_reason_step.score, first_reason_step.threshold)
            )
        merge_comparisons_at_gap = [
            comparison
            for comparison in chunking.comparisons
            if comparison.left.end == gap.index + 1 and comparison.kind in _MERGE_COMPARISON_KINDS
        ]
        if merge_comparisons_at_gap and all(comparison.outcome == "not above" for comparison in merge_comparisons_at_gap):
            most_similar_comparison = max(merge_comparisons_at_gap, key=lambda comparison: comparison.similarity)
            deciding_comparisons.append(("merging", most_similar_comparison.similarity, most_similar_comparison.threshold))
        return deciding_comparisons

    def _oversized_chunks_notes(self, chunking: Chunking) -> tuple[str, ...]:
        """Return a note if chunks of several sentences are above maximum size with their white space."""
        if self.max_size is None or self.vector == "mean":
            return ()
        every_sentence_span_by_start = {span.start: span for span in chunking.document.sentences}
        multi_sentence_chunk_lengths = [
            piece.end - piece.start for piece in chunking.chunks if every_sentence_span_by_start[piece.start].end < piece.end
        ]
        oversized_lengths = [length for length in multi_sentence_chunk_lengths if length > self.max_size]
        if not oversized_lengths:
            return ()
        oversized_chunks_phrase = f"{len(oversized_lengths):,} chunks are" if len(oversized_lengths) > 1 else "A chunk is"
        return (
            f"{oversized_chunks_phrase} longer than the maximum size, {self.max_size:,} characters, up to "
            f"{max(oversized_lengths):,}: with re-embed, "
            "white space between two sentences counts as one, as in LlamaIndex. With vector mean it counts in full.",
        )

    def _grow_mini_chunks(
        self, pass_decisions: "_Decisions", sentence_vectors: FloatArray, group_comparer: GroupComparer
    ) -> list[Span]:
        """Return the mini-chunks as ranges of sentences; one comparison is made at each gap."""
        neighbour_similarities = row_cosines(sentence_vectors[:-1], sentence_vectors[1:])
        appending_similarities = self._pair_to_next_sentence_similarities(
            neighbour_similarities, sentence_vectors, group_comparer
        )
        mini_chunks: list[Span] = []
        mini_chunk_start_index = 0
        for next_sentence_index in range(1, len(sentence_vectors)):
            gap_index = next_sentence_index - 1
            has_several_sentences = next_sentence_index - mini_chunk_start_index > 1
            gap_similarity = float(
                appending_similarities[gap_index - 1] if has_several_sentences else neighbour_similarities[gap_index]
            )
            similarity_threshold = self.appending_threshold if has_several_sentences else self.initial_threshold
            comparison_kind: MergeComparisonKind = "appending" if has_several_sentences else "initial"
            joined_chunk_length = group_comparer.count_characters_of_sentences(
                mini_chunk_start_index, next_sentence_index + 1
            )
            comparison_outcome = self._comparison_outcome(gap_similarity, similarity_threshold, joined_chunk_length)
            gap_verdict = Verdict.KEPT if comparison_outcome == "joined" else Verdict.CUT
            gap_verdict_reason = Reason(
                "similarity",
                gap_similarity,
                "≤" if comparison_outcome == "not above" else ">",
                similarity_threshold,
                comparison_kind,
                f"but joined above maximum size {self.max_size:,}" if comparison_outcome == "too long" else "",
                "joined in pass one" if comparison_outcome == "joined" else "pass one",
            )
            pass_decisions.gaps[gap_index] = Gap(
                gap_index, gap_similarity, similarity_threshold, gap_verdict, gap_verdict_reason
            )
            growing_chunk_range, right_range = (
                Span(mini_chunk_start_index, next_sentence_index),
                Span(next_sentence_index, next_sentence_index + 1),
            )
            pass_decisions.comparisons.append(
                Comparison(
                    growing_chunk_range,
                    right_range,
                    gap_similarity,
                    similarity_threshold,
                    comparison_kind,
                    comparison_outcome,
                    joined_chunk_length,
                    gap_verdict_reason,
                )
            )
            if gap_verdict is Verdict.CUT:
                mini_chunks.append(growing_chunk_range)
                mini_chunk_start_index = next_sentence_index
        mini_chunks.append(Span(mini_chunk_start_index, len(sentence_vectors)))
        return mini_chunks

    def _pair_to_next_sentence_similarities(
        self, neighbour_similarities: FloatArray, sentence_vectors: FloatArray, group_comparer: GroupComparer
    ) -> FloatArray:
        """Return the similarity of sentences i and i + 1 with the one after, shape (n - 2,); NaN where no chunk can be open.

        A chunk can end in two sentences only where they open it, or where it grew by the second of them. Each round embeds
        the pairs that the round before made possible: fewer texts than all pairs, and in batches.
        """
        pair_to_next_similarities = np.full(max(len(sentence_vectors) - 2, 0), np.nan)
        current_round_pair_starts = np.flatnonzero(neighbour_similarities[:-1] > self.initial_threshold)
        while len(current_round_pair_starts):
            pair_to_next_similarities[current_round_pair_starts] = row_cosines(
                group_comparer.sentence_pair_vectors(current_round_pair_starts),
                sentence_vectors[current_round_pair_starts + 2],
            )
            next_round_pair_starts = (
                current_round_pair_starts[pair_to_next_similarities[current_round_pair_starts] > self.appending_threshold]
                + 1
            )
            next_round_pair_starts = next_round_pair_starts[next_round_pair_starts < len(pair_to_next_similarities)]
            current_round_pair_starts = next_round_pair_starts[np.isnan(pair_to_next_similarities[next_round_pair_starts])]
        return pair_to_next_similarities

    def _record_mini_chunk_merges(
        self, pass_decisions: "_Decisions", mini_chunks: Sequence[Span], group_comparer: GroupComparer
    ) -> None:
        """Merge the mini-chunks from left to right; settle the verdicts at their seams."""
        group_comparer.embed_groups_if_needed(mini_chunks)
        current_chunk_range = mini_chunks[0]
        next_mini_chunk_index = 1
        while next_mini_chunk_index < len(mini_chunks):
            mini_chunks_in_reach = mini_chunks[next_mini_chunk_index : next_mini_chunk_index + 1 + self.look_ahead]
            tried_comparisons: list[Comparison] = []
            for candidate_range, comparison_kind in zip(mini_chunks_in_reach, _MERGE_COMPARISON_KINDS, strict=False):
                candidate_chunk_similarity = group_comparer.similarity(current_chunk_range, candidate_range)
                merged_chunk_length = group_comparer.count_characters_of_sentences(
                    current_chunk_range.start, candidate_range.end
                )
                comparison_outcome = self._comparison_outcome(
                    candidate_chunk_similarity, self.merging_threshold, merged_chunk_length
                )
                tried_comparisons.append(
                    Comparison(
                        current_chunk_range,
                        candidate_range,
                        candidate_chunk_similarity,
                        self.merging_threshold,
                        comparison_kind,
                        comparison_outcome,
                        merged_chunk_length,
                    )
                )
                if comparison_outcome != "not above":
                    break
            if tried_comparisons[-1].outcome == "joined":
                pass_decisions.record_merge(tried_comparisons, mini_chunks_in_reach)
                current_chunk_range = Span(current_chunk_range.start, tried_comparisons[-1].right.end)
                next_mini_chunk_index += len(tried_comparisons)
            else:
                pass_decisions.record_chunk_end(tried_comparisons, self.max_size)
                current_chunk_range = mini_chunks[next_mini_chunk_index]
                next_mini_chunk_index += 1

    def _comparison_outcome(self, similarity: float, threshold: float, joined_chunk_length: int) -> ComparisonOutcome:
        if similarity <= threshold:
            return "not above"
        return "joined" if self.max_size is None or joined_chunk_length <= self.max_size else "too long"


_UNDECIDED_GAP = Gap(0, None, None, Verdict.CUT, Reason())
_SIZE_TITLES = {"min_size": "minimum size", "max_size": "maximum size"}
_LATER_CHUNK_PLACE_WORDS = ("next", "after", "third")
_MERGE_COMPARISON_KINDS: tuple[MergeComparisonKind, ...] = ("merging", "over a snippet", "over two snippets")


def _build_size_change(size_parameter_name: str, size: int | None, *, adds_cut: bool) -> Tipping | None:
    return None if size is None else Tipping(size_parameter_name, _SIZE_TITLES[size_parameter_name], size, adds_cut)


@dataclass
class _Decisions:
    """The decisions so far."""

    document: Document
    gaps: list[Gap]
    comparisons: list[Comparison] = field(default_factory=list)

    def record_merge(self, tried_comparisons: Sequence[Comparison], mini_chunks_in_reach: Sequence[Span]) -> None:
        """Record that pass two merged the current chunk with the mini-chunks up to the last one it was compared with."""
        last_tried_comparison = tried_comparisons[-1]
        snippet_phrase = ""
        if len(tried_comparisons) > 1:
            skipped_snippet_text = self.document.text[
                slice(*self.document.slice(last_tried_comparison.left.end, last_tried_comparison.right.start))
            ]
            snippet_similarities_phrase = ", ".join(
                format_number(comparison.similarity, ".2f") for comparison in tried_comparisons[:-1]
            )
            snippet_phrase = f"over the snippet “{shorten(skipped_snippet_text, 40)}” ({snippet_similarities_phrase})"
        merge_reason = Reason(
            "similarity",
            last_tried_comparison.similarity,
            ">",
            last_tried_comparison.threshold,
            "merging",
            snippet_phrase,
            "merged in pass two",
        )
        if snippet_phrase:
            merge_reason = merge_reason._replace(short=f"{merge_reason._replace(remark='').brief()}, over a snippet")
        for merged_mini_chunk in mini_chunks_in_reach[: len(tried_comparisons)]:
            seam_gap_index = merged_mini_chunk.start - 1
            self.gaps[seam_gap_index] = Gap(
                seam_gap_index,
                last_tried_comparison.similarity,
                last_tried_comparison.threshold,
                Verdict.MERGED,
                combine_reasons(self.gaps[seam_gap_index].why, merge_reason),
            )
        self._record_comparisons(tried_comparisons, merge_reason)

    def record_chunk_end(self, tried_comparisons: Sequence[Comparison], max_size: int | None) -> None:
        """Record the end of the current chunk, with the comparisons that were tried."""
        last_tried_comparison = tried_comparisons[-1]
        chunk_end_gap_index = last_tried_comparison.left.end - 1
        if last_tried_comparison.outcome == "too long":
            too_long_phrase = f"but merged above maximum size {max_size:,}"
            chunk_end_reason = Reason(
                "similarity",
                last_tried_comparison.similarity,
                ">",
                last_tried_comparison.threshold,
                "merging",
                too_long_phrase,
                "pass two",
            )
        else:
            failed_comparisons_summary = _failed_comparisons_phrase(tried_comparisons)
            chunk_end_reason = Reason(
                remark=f"similarity {failed_comparisons_summary}", heading="pass two", short=failed_comparisons_summary
            )
        self.gaps[chunk_end_gap_index] = Gap(
            chunk_end_gap_index,
            tried_comparisons[0].similarity,
            last_tried_comparison.threshold,
            Verdict.CUT,
            combine_reasons(self.gaps[chunk_end_gap_index].why, chunk_end_reason),
        )
        self._record_comparisons(tried_comparisons, chunk_end_reason)

    def _record_comparisons(self, tried_comparisons: Sequence[Comparison], outcome_reason: Reason) -> None:
        # A search tries many settings, and `_replace` takes several times as long.
        self.comparisons += [*tried_comparisons[:-1], Comparison(*tried_comparisons[-1][:7], outcome_reason)]


def _failed_comparisons_phrase(tried_comparisons: Sequence[Comparison]) -> str:
    """Return the failed comparisons of pass two in short: ``0.06 next, 0.14 after; both ≤ merging 0.3``."""
    if len(tried_comparisons) == 1:
        return Reason("", tried_comparisons[0].similarity, "≤", tried_comparisons[0].threshold, "merging").brief()
    similarities_phrase = ", ".join(
        f"{format_number(comparison.similarity, '.2f')} {place}"
        for comparison, place in zip(tried_comparisons, _LATER_CHUNK_PLACE_WORDS, strict=False)
    )
    return (
        f"{similarities_phrase}; {'both' if len(tried_comparisons) == 2 else 'all'} ≤ merging "
        f"{format_number(tried_comparisons[0].threshold)}"
    )
