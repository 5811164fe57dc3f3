"""Effect of another embedder on a result for the same text: changed boundaries, and the shift of the scores."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chunkers import Chunking, Document
from chunkers.building_blocks.sentence_distances import gap_distances
from chunkers.support import FloatArray, join_words, pluralize
from evaluation.segmentation.boundary_measures import cut_offsets

MOST_NAMED_BOUNDARIES = 5
"""Maximum number of boundaries named in a sentence; the rest are counted."""


@dataclass(frozen=True)
class GapShift:
    """Change of a value at each gap between sentences, such as the distance, from one run to another.

    Attributes
    ----------
    gaps
        Number of gaps that have a value in both runs.
    greatest, mean
        The greatest and the mean absolute change, in the units of the value.
    at
        The gap with the greatest change, counted from 0; the first one in case of ties.
    """

    gaps: int
    greatest: float
    mean: float
    at: int

    @classmethod
    def between_values_at_all_gaps(cls, first_values: npt.ArrayLike, second_values: npt.ArrayLike) -> "GapShift | None":
        """Return the change from one array to another at the gaps where both have a value; None if there are none.

        Both arrays have shape (gaps,); missing values are NaN.

        Raises
        ------
        ValueError
            If their shapes differ.
        """
        first_gap_values, second_gap_values = (
            np.asarray(first_values, dtype=np.float64),
            np.asarray(second_values, dtype=np.float64),
        )
        if first_gap_values.shape != second_gap_values.shape:
            raise ValueError(
                f"both results must have one number for each gap of the same text; got the shapes {first_gap_values.shape} "
                "and "
                f"{second_gap_values.shape}."
            )
        absolute_changes: FloatArray = np.abs(first_gap_values - second_gap_values)
        defined_gap_indexes = np.flatnonzero(~np.isnan(absolute_changes))
        if not len(defined_gap_indexes):
            return None
        defined_absolute_changes = absolute_changes[defined_gap_indexes]
        return cls(
            len(defined_gap_indexes),
            float(defined_absolute_changes.max()),
            float(defined_absolute_changes.mean()),
            int(defined_gap_indexes[defined_absolute_changes.argmax()]),
        )


def measure_change_of_sentence_distances(
    full_embedder_vectors: npt.NDArray[np.floating], other_embedder_vectors: npt.NDArray[np.floating]
) -> GapShift | None:
    """Return the change in the distances between neighbouring sentences from one embedder to another.

    Parameters
    ----------
    full_embedder_vectors, other_embedder_vectors
        One vector for each sentence, shape (n, dimension); the dimensions of the two may differ.
    """
    return GapShift.between_values_at_all_gaps(gap_distances(full_embedder_vectors), gap_distances(other_embedder_vectors))


@dataclass(frozen=True)
class BoundaryAgreement:
    """Boundaries on which two results for one document agree and differ.

    Attributes
    ----------
    document
        The document that both results cut.
    both, only_full, only_other
        Offsets in code points at which a chunk, or a later span of a chunk, begins; ascending.
    scores
        Change in the scores at the gaps; None if the chunker has no scores, or if the two results have scores of different
        kinds. In a double pass, scores may compare other sentences once an earlier decision differs.
    """

    document: Document
    both: tuple[int, ...]
    only_full: tuple[int, ...]
    only_other: tuple[int, ...]
    scores: GapShift | None

    @property
    def has_same_boundaries(self) -> bool:
        """True if both results have the same boundaries."""
        return not self.only_full and not self.only_other

    @property
    def share(self) -> float | None:
        """Share of all boundaries in either result that both results have, from 0 to 1; None without boundaries."""
        distinct_boundary_count = len(self.both) + len(self.only_full) + len(self.only_other)
        return len(self.both) / distinct_boundary_count if distinct_boundary_count else None

    def words(self, full_embedder_name: str, other_embedder_name: str) -> str:
        """Return a phrase on the boundaries that differ between the two embedders with these names."""
        if self.share is None:
            return "no boundary with either"
        if self.has_same_boundaries:
            return "its boundary is the same" if len(self.both) == 1 else f"all {len(self.both):,} boundaries are the same"
        boundary_agreement_phrases = [
            f"{len(self.both):,} of {pluralize(len(self.both) + len(self.only_full), 'boundary', 'boundaries')} of "
            f"{full_embedder_name} are the same"
        ]
        for embedder_name, differing_boundary_offsets in (
            (full_embedder_name, self.only_full),
            (other_embedder_name, self.only_other),
        ):
            if differing_boundary_offsets:
                boundary_agreement_phrases.append(
                    f"only {embedder_name} cuts {self._describe_boundaries_by_sentence(differing_boundary_offsets)}"
                )
        return "; ".join(boundary_agreement_phrases)

    def _describe_boundaries_by_sentence(self, offsets: Sequence[int]) -> str:
        """Describe the positions of some boundaries by the sentences before or inside which they lie."""
        # A sentence that is cut in several places is named once.
        sentences_by_before_or_inside: dict[str, dict[str, None]] = {"before": {}, "inside": {}}
        for offset in offsets[:MOST_NAMED_BOUNDARIES]:
            sentence_index = max(self.document.sentence_at(offset), 0)
            before_or_inside = "before" if self.document.sentences[sentence_index].start == offset else "inside"
            sentences_by_before_or_inside[before_or_inside][f"{sentence_index + 1:,}"] = None
        boundary_sentences_phrase = " and ".join(
            f"{how} {_sentence_list_phrase(numbers)}" for how, numbers in sentences_by_before_or_inside.items() if numbers
        )
        unlisted_boundary_count = len(offsets) - MOST_NAMED_BOUNDARIES
        return (
            f"{boundary_sentences_phrase}, and at {unlisted_boundary_count:,} more"
            if unlisted_boundary_count > 0
            else boundary_sentences_phrase
        )


def _sentence_list_phrase(sentence_numbers: Collection[str]) -> str:
    """Return "sentence 3", or "sentences 3, 5 and 8"."""
    return f"sentence{'s' * (len(sentence_numbers) > 1)} {join_words([*sentence_numbers])}"


def compare_boundaries(full_embedder_chunking: Chunking, other_embedder_chunking: Chunking) -> BoundaryAgreement:
    """Compare the boundaries of two results that differ only in the embedder.

    Parameters
    ----------
    full_embedder_chunking, other_embedder_chunking
        The reference result and the other result.

    Raises
    ------
    ValueError
        If the results have different texts or sentences.
    """
    if full_embedder_chunking.document.identity != other_embedder_chunking.document.identity:
        raise ValueError("both results must be of the same text, split into the same sentences; these are not.")
    full_embedder_cuts, other_embedder_cuts = (
        set(cut_offsets(full_embedder_chunking)),
        set(cut_offsets(other_embedder_chunking)),
    )
    return BoundaryAgreement(
        full_embedder_chunking.document,
        tuple(sorted(full_embedder_cuts & other_embedder_cuts)),
        tuple(sorted(full_embedder_cuts - other_embedder_cuts)),
        tuple(sorted(other_embedder_cuts - full_embedder_cuts)),
        _score_shift_between_first_curves(full_embedder_chunking, other_embedder_chunking),
    )


def _score_shift_between_first_curves(
    full_embedder_chunking: Chunking, other_embedder_chunking: Chunking
) -> GapShift | None:
    """Return the shift of the first curve's scores, which all pages draw."""
    if not full_embedder_chunking.curves or not other_embedder_chunking.curves:
        return None
    full_embedder_curve, other_embedder_curve = full_embedder_chunking.curves[0], other_embedder_chunking.curves[0]
    if full_embedder_curve.label != other_embedder_curve.label or len(full_embedder_curve.scores) != len(
        other_embedder_curve.scores
    ):
        return None
    return GapShift.between_values_at_all_gaps(full_embedder_curve.scores, other_embedder_curve.scores)
