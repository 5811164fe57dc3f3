"""A setting is tested on documents that it was not chosen on, against others on the same documents."""

import pytest

from evaluation.segmentation.boundary_measures import Score
from evaluation.segmentation.settings_sweep import (
    TRIVIAL_SETTINGS,
    SweepRow,
    SweptSetting,
    compare_settings,
    lead_significance_sentences,
    untested_lead_sentence,
)
from evaluation.statistics.p_value_correction_and_intervals import FALSE_VERDICT_SENTENCE

BEST = SweptSetting.from_chunker_and_parameters("fixed_sentences", size=4)
NAMES = {setting: setting.words() for setting in TRIVIAL_SETTINGS}


def rows_of(measure, values):
    """Return the rows of settings with these values, one for each document; None where the measure is undefined."""
    scores = {
        setting: [Score.undefined_score_with_reason("") if value is None else Score(value) for value in some]
        for setting, some in values.items()
    }
    return [
        SweepRow(setting, f"document {number}", 3, {measure: score})
        for setting, some in scores.items()
        for number, score in enumerate(some)
    ]


@pytest.mark.parametrize(("measure", "better"), [("pk", -0.2), ("f1", 0.2)])
def test_better_is_less_of_pk_and_more_of_f1(measure, better):
    worse = [0.5 + 0.01 * number for number in range(8)]
    values = {BEST: [score + better for score in worse], **dict.fromkeys(TRIVIAL_SETTINGS, worse)}
    comparisons = compare_settings(rows_of(measure, values), BEST, TRIVIAL_SETTINGS, measure)
    assert all(comparison.significant and comparison.mean == pytest.approx(0.2) for comparison in comparisons.values())
    sentence = lead_significance_sentences(comparisons, NAMES, 8)
    assert sentence.startswith("It is significantly ahead of every trivial answer: +0.200 on “")
    assert sentence.endswith(FALSE_VERDICT_SENTENCE)
    back = compare_settings(rows_of(measure, values), TRIVIAL_SETTINGS[0], [BEST], measure)
    assert back[BEST].mean == pytest.approx(-0.2)
    assert lead_significance_sentences(back, {BEST: "4 sentences"}, 8).startswith("It is not significantly ahead of every")


def test_undefined_documents_are_left_out_and_few_are_not_compared():
    values = {BEST: [0.1] * 8, TRIVIAL_SETTINGS[0]: [0.5] * 7 + [None]}
    comparisons = compare_settings(rows_of("pk", values), BEST, TRIVIAL_SETTINGS[:1], "pk")
    assert comparisons[TRIVIAL_SETTINGS[0]].count == 7
    few = compare_settings(
        rows_of("pk", {setting: [0.1] * 6 for setting in (BEST, *TRIVIAL_SETTINGS)}), BEST, TRIVIAL_SETTINGS, "pk"
    )
    assert lead_significance_sentences(few, NAMES, 6) == (
        "Among 3 comparisons (Holm's correction), a significant difference takes at least 7 held-out documents; there are 6."
    )
    assert compare_settings([], BEST, TRIVIAL_SETTINGS, "pk") == dict.fromkeys(TRIVIAL_SETTINGS)
    assert lead_significance_sentences({}, {}, 0) == ""


def test_on_the_documents_that_it_was_chosen_on_there_is_no_test():
    assert "with 7 documents held out, it is tested" in untested_lead_sentence(3)
