"""The measures of a segmentation against known boundaries that are shown together, as no one of them says enough."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.segmentation.measures import Score, Segmentation, agreement, boundary_similarity, pk, window, window_diff

MEASURES = {
    "Precision": "Share of the cuts that are at known boundaries; higher is better.",
    "Recall": "Share of the known boundaries at which it cuts; higher is better.",
    "Similarity": "Boundary similarity, Fournier's B: a cut one sentence away counts half; higher is better.",
    "Pk": "Share of windows whose two ends are in one section and in two chunks, or the reverse; lower is better.",
    "WindowDiff": "Share of windows with another number of boundaries; lower is better.",
}
"""Description of each measure."""


def boundary_scores(reference: Segmentation, segmentation: Segmentation) -> dict[str, Score]:
    """Return the scores of boundaries against a reference, one for each measure in `MEASURES`.

    Raises ValueError if the segmentations have different numbers of units.
    """
    both = agreement(reference, segmentation)
    values = (
        both.precision,
        both.recall,
        boundary_similarity(reference, segmentation),
        pk(reference, segmentation),
        window_diff(reference, segmentation),
    )
    return dict(zip(MEASURES, values, strict=True))


def why_no_cut_wins(reference: Segmentation, segmentations: Sequence[Segmentation]) -> str:
    """Return an explanation if making no cut has a lower Pk than every result; otherwise an empty string."""
    alone = pk(reference, Segmentation(reference.units, ())).value
    values = [pk(reference, segmentation).value for segmentation in segmentations if segmentation.boundaries]
    if alone is None or not values or any(value is None or value <= alone for value in values):
        return ""
    size = window(reference)
    near = f"less than {size / 2:g} sentences from a known boundary" if size > 1 else "exactly at a known boundary"
    return (
        f"No cut has a lower Pk than every column ({alone:.2f}). Pk compares the two ends of windows of {size:,} "
        f"sentence{'s' * (size != 1)}: a cut lowers it only {near}, and one farther off raises it. Where few "
        "boundaries are found, it is best by Pk not to cut at all, which finds none: read precision and recall."
    )
