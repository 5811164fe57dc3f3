"""The sentence on the best setting."""

import numpy as np

from evaluation.segmentation.boundary_measures import Score
from evaluation.segmentation.settings_sweep import HIGHER_IS_BETTER, SweepRow, SweptSetting, summarize_settings
from evaluation.statistics.p_value_correction_and_intervals import compute_confidence_interval_of_mean
from viz.tune.sweep_results import best_mean_score_in_words

BEST = SweptSetting.from_chunker_and_parameters("fixed_sentences", size=4)


def said(values, measure="pk"):
    rows = [
        SweepRow(BEST, f"document {number}", 3, {name: Score(value) for name in HIGHER_IS_BETTER})
        for number, value in enumerate(values)
    ]
    (best,) = summarize_settings(rows, measure)
    return best_mean_score_in_words(rows, best, measure)


def test_one_document_is_no_sample():
    assert said([0.25]) == "lowest here: Pk 0.250 on 1 document, which says nothing about others."
    assert said([0.25], "f1").startswith("highest here: Boundary F1 0.250 on 1 document")


def test_several_documents_have_an_interval():
    values = [0.1, 0.2, 0.3, 0.2, 0.1, 0.4]
    low, high = compute_confidence_interval_of_mean(np.array(values))
    assert said(values) == (
        f"lowest here: Pk 0.217 on average over 6 documents (95 % between {low:.3f} and {high:.3f}, not counting that it "
        "was chosen)."
    )
    assert said(values[:5]).endswith("over 5 documents (an interval takes at least 6).")
