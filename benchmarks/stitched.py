"""Whole-text chunkers compared with the greedy one on long documents with known seams, at each one's best settings.

The passages are those of the bundled essay and formulas, a few sentences each. They are divided into two halves before
anything is joined, by section, so that no section is in both. From each half documents of about a hundred sentences are
stitched, in seeded orders. Settings are chosen on the one half, and measured on the other.
"""

import math
import os
import random
import statistics
from collections.abc import Mapping, Sequence

from benchmarks.harness import build_function_adding_option, command_line_decorator_for_main, markdown_table
from chunkers import CHUNKERS, Document, Tools, build_chunker, load_embedder, load_tokenizer
from chunkers.contract import run_and_time_chunker
from chunkers.support import format_number
from evaluation.segmentation import (
    HIGHER_IS_BETTER,
    TRIVIAL_SETTINGS,
    MarkedDocument,
    SettingSummary,
    SubjectPassage,
    SweepRow,
    SweptSetting,
    compare_settings,
    cut_sections_into_passages,
    halve_passages_by_subject,
    list_qu_et_al_settings,
    make_stitched_documents,
    score_chunking,
    settings_grid,
    summarize_settings,
    sweep_settings,
)
from evaluation.statistics import format_interval
from sample_docs import load_sample

SOURCE_SAMPLE_NAMES = ("essay", "formulas")
"""Together these contain all bundled English prose once, since the essay includes the other texts."""

THRESHOLD_VALUES = (0.2, 0.3, 0.4, 0.5, 0.6)
QU_ET_AL_CHUNKERS = ("fixed_sentences", "breakpoint", "single_linkage")
SETTINGS_GRID_BY_CHUNKER: dict[str, list[SweptSetting]] = {
    **{name: [setting for setting in list_qu_et_al_settings() if setting.chunker == name] for name in QU_ET_AL_CHUNKERS},
    "double_pass": settings_grid(
        "double_pass",
        initial_threshold=THRESHOLD_VALUES,
        appending_threshold=THRESHOLD_VALUES,
        merging_threshold=(0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5),
    ),
    "optimal": settings_grid("optimal", max_size=(100, 150, 200, 250, 300, 400, 500), piece_size=(15, 20, 25, 30, 40, 50)),
    "max_min": settings_grid(
        "max_min",
        hard_threshold=(0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6),
        relaxation=(0.3, 0.5, 0.7, 0.9),
        initial_factor=(1, 1.5, 2),
    ),
    "change_point": settings_grid("change_point", penalty=tuple(round(0.5 + 0.05 * step, 2) for step in range(23))),
}
"""The settings to try, by chunker."""

CHANGE_POINT_CUTS_AT_SETTINGS = settings_grid("change_point", cuts_at=("sentences", "paragraphs"))
CHANGE_POINT_SETTINGS = [
    *settings_grid("change_point", caution=("eager", "balanced", "cautious"), shuffled_runs=(1, 2, 3)),
    *CHANGE_POINT_CUTS_AT_SETTINGS,
]
UNCHANGED_SAMPLE_NAMES = ("essay", "report")
SHUFFLED_RUN_LENGTHS = (1, 2, 3, 4, 5)


def bundled_passages() -> list[SubjectPassage]:
    """Return the passages of the bundled documents."""
    length_generator = random.Random(7)
    all_passages = []
    for name in SOURCE_SAMPLE_NAMES:
        sample = load_sample(name)
        all_passages += cut_sections_into_passages(
            sample.text, sample.known or (), name, length_generator.randint(4, 8), sample.sentences
        )
    return all_passages


def stitch_tuning_and_held_out_documents(
    count: int, sentences_per_stitched_document: int = 100
) -> tuple[list[MarkedDocument], list[MarkedDocument]]:
    """Return ``count`` documents to tune on, and as many held out."""
    tuning_passages, held_out_passages = halve_passages_by_subject(bundled_passages())
    tuning_texts = make_stitched_documents(tuning_passages, sentences_per_stitched_document, count, 0, "spacy")
    held_out_texts = make_stitched_documents(
        held_out_passages, sentences_per_stitched_document, count, 0, "spacy", first_document_number=count + 1
    )
    return [text.split_to_marked_document("spacy") for text in tuning_texts], [
        text.split_to_marked_document("spacy") for text in held_out_texts
    ]


def score_rows(tuning_summaries: Sequence[SettingSummary], held_out_summaries: Sequence[SettingSummary]) -> list[list[str]]:
    """Return the table's rows: every chunker's defaults, its best setting on the tuned half, and that on the other.

    The trivial baselines come first; all settings of `change_point` that need no number are included.
    """
    tuning_summary_by_setting, held_summary_by_setting = (
        {summary.setting: summary for summary in ranked} for ranked in (tuning_summaries, held_out_summaries)
    )
    table_rows = [
        _score_cells(setting, "looks at nothing", tuning_summary_by_setting, held_summary_by_setting)
        for setting in TRIVIAL_SETTINGS
    ]
    table_rows += [
        _score_cells(setting, "by the text shuffled", tuning_summary_by_setting, held_summary_by_setting)
        for setting in CHANGE_POINT_SETTINGS
    ]
    table_rows += [
        _score_cells(SweptSetting(name), "at its defaults", tuning_summary_by_setting, held_summary_by_setting)
        for name in CHUNKERS
        if name not in SETTINGS_GRID_BY_CHUNKER
    ]
    for chunker in SETTINGS_GRID_BY_CHUNKER:
        setting_by_choice = {
            "at its defaults": SweptSetting(chunker),
            "best of the tuned half": _best_summary_of_chunker(tuning_summaries, chunker).setting,
            "best of the half held out": _best_summary_of_chunker(held_out_summaries, chunker).setting,
        }
        table_rows += [
            _score_cells(setting, how, tuning_summary_by_setting, held_summary_by_setting)
            for how, setting in setting_by_choice.items()
        ]
    return table_rows


def _score_cells(
    setting: SweptSetting,
    choosing_method_phrase: str,
    tuning_summary_by_setting: Mapping[SweptSetting, SettingSummary],
    held_out_summary_by_setting: Mapping[SweptSetting, SettingSummary],
) -> list[str]:
    score_cells = [
        f"{tuning_summary_by_setting[setting].mean:.3f}",
        f"{held_out_summary_by_setting[setting].mean:.3f}",
        f"{held_out_summary_by_setting[setting].chunks:.1f}",
    ]
    return [setting.words(), choosing_method_phrase, *score_cells]


def mean_score_knowing_section_count(marked_documents: Sequence[MarkedDocument], tools: Tools, measure: str) -> float:
    """Return the mean score of `change_point` when it is given each document's number of sections."""
    values = []
    for marked_document in marked_documents:
        chunking = run_and_time_chunker(
            build_chunker("change_point", {"chunks": len(marked_document.known) + 1}), marked_document.document, tools
        )
        values.append(score_chunking(marked_document, chunking)[measure].value)
    return statistics.fmean(value for value in values if value is not None)


def whole_sample_documents() -> list[MarkedDocument]:
    """Return the bundled essay and report unchanged; their neighbouring sections are about related subjects."""
    name_sample_pairs = [(name, load_sample(name)) for name in UNCHANGED_SAMPLE_NAMES]
    return [
        MarkedDocument(Document.from_text(sample.text, sample.sentences, name), sample.known or ())
        for name, sample in name_sample_pairs
    ]


def whole_sample_rows(sweep_rows_of_whole_samples: Sequence[SweepRow], measure: str) -> list[list[str]]:
    """Return the table rows of the unchanged documents."""
    score_cell_by_setting_and_document = {
        (row.setting, row.document): f"{row.scores[measure].value:.3f} ({row.chunks})" for row in sweep_rows_of_whole_samples
    }
    return [
        [setting.words(), *(score_cell_by_setting_and_document[setting, name] for name in UNCHANGED_SAMPLE_NAMES)]
        for setting in dict.fromkeys(row.setting for row in sweep_rows_of_whole_samples)
    ]


def _best_summary_of_chunker(ranked: Sequence[SettingSummary], chunker: str) -> SettingSummary:
    return next(summary for summary in ranked if summary.setting.chunker == chunker)


def sentences_on_chunker_defaults(rows: Sequence[SweepRow], measure: str) -> list[str]:
    """Return a sentence on each chunker's default: whether tuning improves on it, and a suggested replacement.

    The suggestion is, among settings within one standard error of the best, the one that changes the fewest parameters; ties
    go to the best. Source: the one-standard-error rule of Breiman et al., Classification and Regression Trees (1984),
    section 3.4.3.
    """
    sentences_about_defaults = []
    ranked_summaries = summarize_settings(rows, measure)
    for chunker in SETTINGS_GRID_BY_CHUNKER:
        default_summary, best_summary = (
            next(summary for summary in ranked_summaries if summary.setting == SweptSetting(chunker)),
            _best_summary_of_chunker(ranked_summaries, chunker),
        )
        best_standard_error = standard_error(rows, best_summary.setting, measure)
        summaries_near_best = [
            summary
            for summary in ranked_summaries
            if summary.setting.chunker == chunker and abs(summary.mean - best_summary.mean) <= best_standard_error
        ]
        lead_over_default_phrase = (
            f"{best_summary.setting.words()} is {abs(best_summary.mean - default_summary.mean):.3f} ahead of the default "
            "on the tuned half"
        )
        if default_summary in summaries_near_best:
            sentences_about_defaults.append(
                f"{chunker}: {lead_over_default_phrase}, within the standard error of {best_standard_error:.3f}."
            )
        else:
            suggested_summary = min(summaries_near_best, key=lambda summary: _count_changed_parameters(summary.setting))
            sentences_about_defaults.append(
                f"{chunker}: {lead_over_default_phrase}; {suggested_summary.setting.words()}, at "
                f"{suggested_summary.mean:.3f}, moves least and is within the standard error of {best_standard_error:.3f}."
            )
    return sentences_about_defaults


def standard_error(rows: Sequence[SweepRow], setting: SweptSetting, measure: str) -> float:
    """Return the standard error of the mean over the documents."""
    values = [row.scores[measure].value for row in rows if row.setting == setting]
    known_scores = [value for value in values if value is not None]
    return statistics.stdev(known_scores) / math.sqrt(len(known_scores))


def _count_changed_parameters(setting: SweptSetting) -> int:
    """Count the non-default parameters of a setting."""
    fields = CHUNKERS[setting.chunker].model_fields
    return sum(fields[name].default != value for name, value in setting.parameters)


def describe_whether_ahead_of_breakpoint(
    chunker: str, tuning_summaries: Sequence[SettingSummary], held_out_summaries: Sequence[SettingSummary]
) -> str:
    """Return a sentence on whether a chunker at its defaults is ahead of every setting of `breakpoint`, on both halves."""
    is_ahead = all(
        next(
            summary.setting
            for summary in ranked
            if summary.setting == SweptSetting(chunker) or summary.setting.chunker == "breakpoint"
        ).chunker
        == chunker
        for ranked in (tuning_summaries, held_out_summaries)
    )
    ahead_or_not_phrase = "is ahead of" if is_ahead else "is not ahead of"
    return (
        f"The default {chunker} {ahead_or_not_phrase} all {len(SETTINGS_GRID_BY_CHUNKER['breakpoint'])} published settings "
        "of breakpoint on both halves."
    )


def difference_rows(rows: Sequence[SweepRow], tuning_summaries: Sequence[SettingSummary], measure: str) -> list[list[str]]:
    """Return the lines of the table of differences on the half held out, in the measure.

    The defaults of `optimal` and `change_point` against the setting of `breakpoint` that is best on the tuned half, and
    against the trivial answers. The documents share their passages: they are other orders, not other texts.
    """
    compared_settings = [_best_summary_of_chunker(tuning_summaries, "breakpoint").setting, *TRIVIAL_SETTINGS]
    table_rows = []
    for chunker in ("optimal", "change_point"):
        differences = compare_settings(rows, SweptSetting(chunker), compared_settings, measure)
        for compared_setting, difference in differences.items():
            cells = ["too few documents", "", ""]
            if difference is not None:
                significance_phrase = "significant" if difference.significant else "not significant"
                interval_phrase = format_interval(difference.low, difference.high, difference.alpha, 1, 3)
                cells = [
                    format_number(difference.mean, "+.3f"),
                    interval_phrase,
                    f"{difference.p_value_phrase}, {significance_phrase}",
                ]
            table_rows.append([chunker, compared_setting.words(), *cells])
    return table_rows


@command_line_decorator_for_main(
    build_function_adding_option("--count", type=int, default=50, metavar="N", help="documents of each half (default: 50)"),
    build_function_adding_option("--measure", default="pk", choices=HIGHER_IS_BETTER),
    build_function_adding_option("--embedder", default="all-MiniLM-L6-v2", metavar="NAME"),
)
def main(count: int, measure: str, embedder: str) -> None:
    """Print what every chunker reaches on both halves, what that says of its default, and who is ahead."""
    tuning_and_held_out_documents = stitch_tuning_and_held_out_documents(count)
    for tuned_or_held_out_label, marked_documents in zip(
        ("tuned half", "held out"), tuning_and_held_out_documents, strict=True
    ):
        sentence_count, seam_count = (
            sum(len(marked.document.sentences) for marked in marked_documents),
            sum(len(marked.known) for marked in marked_documents),
        )
        print(
            f"{tuned_or_held_out_label}: {len(marked_documents)} documents, {sentence_count:,} sentences, {seam_count:,} "
            "seams."
        )
    searched_settings = (
        setting for name, some in SETTINGS_GRID_BY_CHUNKER.items() for setting in (SweptSetting(name), *some)
    )
    settings = list(
        dict.fromkeys([*TRIVIAL_SETTINGS, *CHANGE_POINT_SETTINGS, *map(SweptSetting, CHUNKERS), *searched_settings])
    )
    tools = Tools(load_embedder(embedder), load_tokenizer())
    tuning_rows, held_rows = (
        list(sweep_settings(half, settings, tools, os.cpu_count() or 1)) for half in tuning_and_held_out_documents
    )
    tuning_half_setting_summaries, held_summaries = (
        summarize_settings(tuning_rows, measure),
        summarize_settings(held_rows, measure),
    )
    print(
        markdown_table(
            ["setting", "chosen", f"{measure}, tuned half", "held out", "chunks"],
            score_rows(tuning_half_setting_summaries, held_summaries),
        )
    )
    tuning_score_given_section_count, held_mean_score = (
        mean_score_knowing_section_count(half, tools, measure) for half in tuning_and_held_out_documents
    )
    print(
        f"change_point, told the number of sections: {tuning_score_given_section_count:.3f} on the tuned half, "
        f"{held_mean_score:.3f} held out."
    )
    settings_for_unchanged_documents = [
        *TRIVIAL_SETTINGS,
        SweptSetting("breakpoint"),
        *settings_grid("change_point", shuffled_runs=SHUFFLED_RUN_LENGTHS),
        *CHANGE_POINT_CUTS_AT_SETTINGS,
    ]
    unchanged_document_rows = list(sweep_settings(whole_sample_documents(), settings_for_unchanged_documents, tools))
    print(
        markdown_table(
            ["in their own order", *(f"{measure}, {name} (chunks)" for name in UNCHANGED_SAMPLE_NAMES)],
            whole_sample_rows(unchanged_document_rows, measure),
        )
    )
    for conclusion_sentence in [
        *sentences_on_chunker_defaults(tuning_rows, measure),
        *(
            describe_whether_ahead_of_breakpoint(name, tuning_half_setting_summaries, held_summaries)
            for name in ("optimal", "change_point")
        ),
    ]:
        print(conclusion_sentence)
    heads = ["held out", "better than", "by", "interval", f"documents: {count}"]
    print(markdown_table(heads, difference_rows(held_rows, tuning_half_setting_summaries, measure)))


if __name__ == "__main__":
    raise SystemExit(main())
