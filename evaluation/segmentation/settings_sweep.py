"""Many settings on many marked documents: which chunker finds the known boundaries best, and whether by a clear lead."""

import statistics
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from chunkers import Cancelled, Chunker, Chunking, Document, InputError, Tools, build_chunker
from chunkers.contract import run_and_time_chunker
from chunkers.recipes import presets_for_chunker
from chunkers.support import csv_text, format_number, raise_if_cancelled
from evaluation.segmentation.boundary_measures import (
    TRIVIAL_BASELINES_EXPLAINED,
    Score,
    boundary_precision_recall,
    boundary_similarity,
    chunk_number_per_sentence,
    chunking_from_cuts,
    count_crossing_chunks,
    cut_offsets,
    cuts_of_trivial_baseline,
    find_misassigned_units,
    pk,
    segment_numbers,
    segmentation_in_sentences,
    window_diff,
)
from evaluation.segmentation.label_free_measures import count_whole_blocks_by_kind
from evaluation.segmentation.texts_with_known_boundaries import MarkedDocument
from evaluation.segmentation.worker_processes import is_joblib_installed, run_in_processes
from evaluation.statistics import (
    FALSE_VERDICT_SENTENCE,
    Difference,
    corrected_differences_per_comparison,
    fewest_values_needed,
    format_interval,
    too_few_values_sentence,
)


@dataclass(frozen=True)
class SweptSetting:
    """Chunker with its non-default parameters, or the name of a baseline in `TRIVIAL_BASELINES_EXPLAINED`."""

    chunker: str
    parameters: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def from_chunker_and_parameters(cls, chunker: str, /, **parameters: Any) -> "SweptSetting":
        """Return the setting of a chunker with the given parameters."""
        return cls(chunker, tuple(sorted(parameters.items())))

    @property
    def is_trivial_baseline(self) -> bool:
        """True if the setting is a trivial baseline, which does not read the text."""
        return self.chunker in TRIVIAL_BASELINES_EXPLAINED

    def words(self) -> str:
        """Return the setting as a phrase: the chunker's name, then its parameters."""
        return " ".join([self.chunker, *(f"{name}={value}" for name, value in self.parameters)])


TRIVIAL_SETTINGS = tuple(map(SweptSetting, TRIVIAL_BASELINES_EXPLAINED))
"""The trivial answers, which stand beside the settings of chunkers in every ranking."""

HIGHER_IS_BETTER: dict[str, bool] = {
    "pk": False,
    "window_diff": False,
    "precision": True,
    "recall": True,
    "f1": True,
    "f1_near": True,
    "boundary_similarity": True,
    "misassigned": False,
    "crossing": False,
    "blocks_whole": True,
}
"""The measures, and whether more is better.

``blocks_whole`` is that of `count_whole_blocks_by_kind`, which needs no known boundary; without cuts it is 1.
``f1_near`` lets a boundary be one sentence off; ``misassigned`` is a share of the sentences, ``crossing`` one of the chunks.
"""


@dataclass(frozen=True)
class SweepRow:
    """Scores of one chunker setting on one document."""

    setting: SweptSetting
    document: str
    chunks: int
    scores: Mapping[str, Score]


def score_chunking(marked_document: MarkedDocument, chunking: Chunking) -> dict[str, Score]:
    """Return the score of a chunking in every measure of `HIGHER_IS_BETTER`; boundaries are compared in sentences."""
    document = marked_document.document
    known_boundary_segmentation = segmentation_in_sentences(document, marked_document.known)
    chunking_segmentation = segmentation_in_sentences(document, cut_offsets(chunking))
    exact_match_scores, scores_within_one_sentence = (
        boundary_precision_recall(known_boundary_segmentation, chunking_segmentation),
        boundary_precision_recall(known_boundary_segmentation, chunking_segmentation, tolerance=1),
    )
    misassigned_sentences = find_misassigned_units(
        segment_numbers(known_boundary_segmentation), chunk_number_per_sentence(chunking)
    )
    whole_block_share = count_whole_blocks_by_kind(chunking).whole_blocks_of_all_kinds.share
    return {
        "pk": pk(known_boundary_segmentation, chunking_segmentation),
        "window_diff": window_diff(known_boundary_segmentation, chunking_segmentation),
        "precision": exact_match_scores.precision,
        "recall": exact_match_scores.recall,
        "f1": exact_match_scores.f1,
        "f1_near": scores_within_one_sentence.f1,
        "boundary_similarity": boundary_similarity(known_boundary_segmentation, chunking_segmentation),
        "misassigned": Score(len(misassigned_sentences.units) / max(1, len(document.sentences))),
        "crossing": count_crossing_chunks(marked_document.known, chunking).share,
        "blocks_whole": Score(whole_block_share)
        if whole_block_share is not None
        else Score.undefined_score_with_reason("the text has no block that should stay whole"),
    }


MOST_SEQUENTIAL_RUNS = 500
"""Maximum number of runs for which starting processes is not worthwhile."""


def _sweep_row(marked_document: MarkedDocument, setting: SweptSetting, chunker: Chunker, tools: Tools) -> SweepRow:
    chunking = run_and_time_chunker(chunker, marked_document.document, tools)
    return SweepRow(setting, marked_document.document.name, len(chunking.chunks), score_chunking(marked_document, chunking))


def _trivial_baseline_row(marked_document: MarkedDocument, setting: SweptSetting, tools: Tools) -> SweepRow:
    document = marked_document.document
    known_boundary_segmentation = segmentation_in_sentences(document, marked_document.known)
    chunking_per_baseline_draw = [
        chunking_from_cuts(document, cuts) for cuts in cuts_of_trivial_baseline(setting.chunker, known_boundary_segmentation)
    ]
    trivial_chunking_scores = [score_chunking(marked_document, chunking) for chunking in chunking_per_baseline_draw]
    return SweepRow(
        setting,
        document.name,
        len(chunking_per_baseline_draw[0].chunks),
        {
            name: _mean_of_defined_scores([by_measure[name] for by_measure in trivial_chunking_scores])
            for name in HIGHER_IS_BETTER
        },
    )


def _mean_of_defined_scores(scores: Sequence[Score]) -> Score:
    """Return the mean of the defined scores, or the first score if none is defined."""
    defined_score_values = [score.value for score in scores if score.value is not None]
    return Score(statistics.fmean(defined_score_values)) if defined_score_values else scores[0]


def sweep_settings(
    documents: Sequence[MarkedDocument],
    settings: Sequence[SweptSetting],
    tools: Tools,
    worker_count: int = 1,
    progress: Callable[[int, int], None] | None = None,
    finished_rows: Iterable[SweepRow] = (),
) -> Iterator[SweepRow]:
    """Run every chunker setting on every document, and yield the scores of each run as soon as they are ready.

    With several workers and joblib, more than `MOST_SEQUENTIAL_RUNS` runs are spread over processes, and the rows come in
    the order in which the runs finish. If a chunker asks a language model, all runs stay in this process, where spending is
    bounded. ``tools.cancelled`` stops the sweep before the next run; rows already yielded stay valid. The runs of
    ``finished_rows`` are neither repeated nor yielded again.

    Raises
    ------
    InputError
        If a setting is not allowed, before anything runs.
    """
    chunker_by_setting = {
        setting: build_chunker(setting.chunker, dict(setting.parameters), tools.embedder)
        for setting in settings
        if not setting.is_trivial_baseline
    }
    finished_run_keys = {(row.document, row.setting) for row in finished_rows}
    pending_runs_by_document = []
    for marked_document in documents:
        run_functions_of_document = [
            partial(_trivial_baseline_row, marked_document, setting)
            if setting.is_trivial_baseline
            else partial(_sweep_row, marked_document, setting, chunker_by_setting[setting])
            for setting in settings
            if (marked_document.document.name, setting) not in finished_run_keys
        ]
        if run_functions_of_document:
            pending_runs_by_document.append((marked_document.document, run_functions_of_document))
    total_run_count = len(documents) * len(settings)
    pending_run_count = sum(len(document_setting_runs) for _, document_setting_runs in pending_runs_by_document)
    is_sequential = (
        worker_count < 2
        or not is_joblib_installed()
        or pending_run_count <= MOST_SEQUENTIAL_RUNS
        or any(chunker.asks for chunker in chunker_by_setting.values())
    )
    sweep_result_rows = (
        _run_in_this_process(pending_runs_by_document, tools)
        if is_sequential
        else run_in_processes(pending_runs_by_document, tools, worker_count)
    )
    with closing(sweep_result_rows):
        try:
            for done_run_count, row in enumerate(sweep_result_rows, start=total_run_count - pending_run_count + 1):
                if progress is not None:
                    progress(done_run_count, total_run_count)
                yield row
        except Cancelled:
            return


def _run_in_this_process(
    runs_by_document: Sequence[tuple[Document, Sequence[Callable[[Tools], SweepRow]]]], tools: Tools
) -> Generator[SweepRow]:
    """Run everything in this process."""
    for _, run_functions_of_document in runs_by_document:
        for pending_run in run_functions_of_document:
            raise_if_cancelled(tools.cancelled)
            yield pending_run(replace(tools))


@dataclass(frozen=True)
class SettingSummary:
    """Mean score of a chunker setting over the documents on which the measure is defined."""

    setting: SweptSetting
    mean: float
    documents: int
    chunks: float


def summarize_settings(rows: Iterable[SweepRow], measure: str) -> list[SettingSummary]:
    """Return the mean scores of chunker settings, best first.

    Ties go to the setting with fewer chunks, then to the name.

    Raises
    ------
    InputError
        If the measure does not exist.
    """
    if measure not in HIGHER_IS_BETTER:
        raise InputError(f"measure must be one of {', '.join(HIGHER_IS_BETTER)}; got {measure!r}.")
    scores_with_chunk_counts_by_setting: dict[SweptSetting, list[tuple[float, int]]] = {}
    for row in rows:
        row_score_value = row.scores[measure].value
        if row_score_value is not None:
            scores_with_chunk_counts_by_setting.setdefault(row.setting, []).append((row_score_value, row.chunks))
    setting_summaries = [
        SettingSummary(
            setting,
            statistics.fmean(score for score, _ in scores_and_counts),
            len(scores_and_counts),
            statistics.fmean(chunks for _, chunks in scores_and_counts),
        )
        for setting, scores_and_counts in scores_with_chunk_counts_by_setting.items()
    ]
    sort_sign = -1 if HIGHER_IS_BETTER[measure] else 1
    return sorted(setting_summaries, key=lambda summary: (sort_sign * summary.mean, summary.chunks, summary.setting.words()))


def sweep_rows_to_csv(rows: Iterable[SweepRow]) -> str:
    """Return the scores as CSV, with a row per chunker setting and document, and a column per measure.

    Undefined scores are empty.
    """
    csv_rows = (
        [row.document, row.setting.words(), row.chunks, *(row.scores[name].value for name in HIGHER_IS_BETTER)]
        for row in rows
    )
    return csv_text(["document", "setting", "chunks", *HIGHER_IS_BETTER], csv_rows)


def settings_grid(chunker: str, /, **axes: Sequence[Any]) -> list[SweptSetting]:
    """Return a chunker setting for every combination of the parameter values in ``axes``."""
    return [
        SweptSetting.from_chunker_and_parameters(chunker, **dict(zip(axes, values, strict=True)))
        for values in product(*axes.values())
    ]


def list_qu_et_al_settings() -> list[SweptSetting]:
    """Return the grid of Qu et al., appendix B: 30 breakpoint, 45 single linkage, 125 DBSCAN and 18 fixed settings."""
    published_distance_weights = (0.0, 0.25, 0.5, 0.75, 1.0)
    threshold_amounts_by_rule: dict[str, tuple[float, ...]] = {
        "percentile": (10, 30, 50, 70, 90),
        "standard_deviation": (1, 1.5, 2, 2.5, 3),
        "interquartile": (0.5, 0.75, 1, 1.25, 1.5),
        "gradient": (10, 30, 50, 70, 90),
        "distance": (0.1, 0.2, 0.3, 0.4, 0.5),
        "absolute_gradient": (0.01, 0.05, 0.1, 0.15, 0.2),
    }
    published_chunk_counts = tuple(range(2, 11))
    return [
        *(
            setting
            for name, some in threshold_amounts_by_rule.items()
            for setting in settings_grid("breakpoint", threshold=(name,), amount=some)
        ),
        *settings_grid("single_linkage", position_weight=published_distance_weights, chunks=published_chunk_counts),
        *settings_grid(
            "dbscan", position_weight=published_distance_weights, eps=(0.1, 0.2, 0.3, 0.4, 0.5), min_samples=(1, 2, 3, 4, 5)
        ),
        *settings_grid("fixed_sentences", chunks=published_chunk_counts, overlap=(0, 1)),
    ]


# The settings to search for a chunker's best on a document: published grids, or ours where there are none.


SETTINGS_BY_CHUNKER: dict[str, list[SweptSetting]] = {
    **{
        name: [setting for setting in list_qu_et_al_settings() if setting.chunker == name]
        for name in ("fixed_sentences", "breakpoint", "single_linkage")
    },
    "double_pass": settings_grid(
        "double_pass",
        initial_threshold=(0.2, 0.3, 0.4),
        appending_threshold=(0.2, 0.3, 0.4, 0.5),
        merging_threshold=(0.1, 0.2, 0.3, 0.4),
    ),
    "structure": settings_grid("structure", max_size=(50, 100, 150, 200, 250, 400), join_below=(10, 25, 50, 100, 200)),
    "optimal": settings_grid("optimal", max_size=(50, 100, 150, 200, 250, 300, 400), piece_size=(25, 50)),
    "change_point": [
        *settings_grid("change_point", caution=("eager", "balanced", "cautious"), shuffled_runs=(1, 2, 3, 5)),
        *settings_grid("change_point", penalty=(0.4, 0.6, 0.8, 1.0, 1.1, 1.3, 1.6, 2.0)),
        *settings_grid("change_point", chunks=tuple(range(2, 11))),
    ],
    "max_min": settings_grid(
        "max_min", hard_threshold=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6), relaxation=(0.3, 0.6, 0.9), initial_factor=(1, 1.5, 2)
    ),
}
"""Chunker to its settings: those of Qu et al., appendix B, where they tried it."""

OUR_SOURCE = "ours"
"""The source named for the settings of a chunker that no source published."""


def published_setting_and_source(chunker_name: str) -> tuple[SweptSetting, str]:
    """Return the first published setting of a chunker and its source; the default setting if none was published."""
    published_chunker_presets = [preset for preset in presets_for_chunker(chunker_name) if preset.published]
    return (
        (
            SweptSetting.from_chunker_and_parameters(chunker_name, **published_chunker_presets[0].parameters),
            published_chunker_presets[0].title,
        )
        if published_chunker_presets
        else (SweptSetting(chunker_name), OUR_SOURCE)
    )


# Significance of a setting's lead on documents that it was not chosen on.


def compare_settings(
    rows: Sequence[SweepRow], setting: SweptSetting, others: Sequence[SweptSetting], measure: str
) -> dict[SweptSetting, Difference | None]:
    """Compare a setting with other settings on the same documents, with p-values corrected for all comparisons.

    A difference above 0 means that ``setting`` is better, whether the measure should be high or low. The difference is None
    if too few documents have a value for both settings.
    """
    scores_by_setting: dict[SweptSetting, dict[str, float]] = {}
    for row in rows:
        row_score_value = row.scores[measure].value
        if row_score_value is not None:
            scores_by_setting.setdefault(row.setting, {})[row.document] = row_score_value
    distinct_document_names = [*dict.fromkeys(row.document for row in rows)]

    def list_scores_in_document_order(setting: SweptSetting) -> list[float]:
        return [scores_by_setting.get(setting, {}).get(document, np.nan) for document in distinct_document_names]

    if not distinct_document_names or not others:
        return dict.fromkeys(others)
    higher_is_better_sign = 1 if HIGHER_IS_BETTER[measure] else -1
    leads_per_other_setting = higher_is_better_sign * (
        np.array([list_scores_in_document_order(setting)])
        - np.array([list_scores_in_document_order(other) for other in others])
    )
    return dict(zip(others, corrected_differences_per_comparison(leads_per_other_setting), strict=True))


def lead_significance_sentences(
    differences: Mapping[SweptSetting, Difference | None], name_by_setting: Mapping[SweptSetting, str], document_count: int
) -> str:
    """Return a verdict in words on whether a setting is significantly ahead of the baselines on held-out documents."""
    if not differences:
        return ""
    if all(difference is None for difference in differences.values()):
        return too_few_values_sentence(len(differences), document_count, "held-out document")
    significant_leads = {
        other: difference.mean
        for other, difference in differences.items()
        if difference is not None and difference.significant and difference.mean > 0
    }
    beats_all_baselines = len(significant_leads) == len(differences)
    rival_setting = (
        min(significant_leads, key=significant_leads.__getitem__)
        if beats_all_baselines
        else next(other for other in differences if other not in significant_leads)
    )
    significance_verdict_phrase = f"It is {'' if beats_all_baselines else 'not '}significantly ahead of every trivial answer"
    return (
        f"{significance_verdict_phrase}: {_lead_phrase(name_by_setting[rival_setting], differences[rival_setting])}. "
        f"{FALSE_VERDICT_SENTENCE}"
    )


def untested_lead_sentence(planned_comparison_count: int) -> str:
    """Return a sentence that explains why a setting cannot be tested on the documents it was chosen on."""
    return (
        "It was chosen on these documents, so its lead is not tested; with "
        f"{fewest_values_needed(planned_comparison_count)} documents held out, it is tested against the trivial answers."
    )


def _lead_phrase(rival_name: str, difference: Difference | None) -> str:
    if difference is None:
        return f"“{rival_name}” cannot be compared"
    mean_phrase, interval_phrase = (
        format_number(difference.mean, "+.3f"),
        format_interval(difference.low, difference.high, difference.alpha, 1, 3),
    )
    return f"{mean_phrase} on “{rival_name}” ({interval_phrase}, {difference.p_value_phrase})"
