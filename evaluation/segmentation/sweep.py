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
from chunkers.contract.base import run
from chunkers.recipes.presets import presets_of
from chunkers.support.formatting import csv_text, signed
from evaluation.segmentation.measures import (
    Score,
    agreement,
    boundary_similarity,
    chunks_of,
    crossings,
    cuts_of,
    in_sentences,
    misassigned,
    pk,
    sections_of,
    window_diff,
)
from evaluation.segmentation.trivial import ANSWERS, answers, as_chunking
from evaluation.segmentation.unlabelled import integrity
from evaluation.segmentation.workers import has_processes, spread
from evaluation.statistics.paired import Difference, compare_all, interval_words
from evaluation.statistics.significance import FALSE_VERDICTS, fewest_values, too_few


@dataclass(frozen=True)
class Marked:
    """Document with its known boundaries in code points."""

    document: Document
    known: tuple[int, ...]


@dataclass(frozen=True)
class Setting:
    """Chunker with its non-default parameters, or the name of a trivial baseline in `ANSWERS`."""

    chunker: str
    parameters: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, chunker: str, /, **parameters: Any) -> "Setting":
        """Return the setting of a chunker with the given parameters."""
        return cls(chunker, tuple(sorted(parameters.items())))

    @property
    def trivial(self) -> bool:
        """True if the setting is a trivial baseline, which does not read the text."""
        return self.chunker in ANSWERS

    def words(self) -> str:
        """Return the setting as a phrase: the chunker's name, then its parameters."""
        return " ".join([self.chunker, *(f"{name}={value}" for name, value in self.parameters)])


TRIVIAL = tuple(map(Setting, ANSWERS))
"""The trivial answers, which stand beside the settings of chunkers in every ranking."""

MEASURES: dict[str, bool] = {
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

``blocks_whole`` is that of `evaluation.segmentation.unlabelled`, which needs no known boundary; without cuts it is 1.
``f1_near`` lets a boundary be one sentence off; ``misassigned`` is a share of the sentences, ``crossing`` one of the chunks.
"""


@dataclass(frozen=True)
class SweepRow:
    """Scores of one chunker setting on one document."""

    setting: Setting
    document: str
    chunks: int
    scores: Mapping[str, Score]


def scores_of(marked: Marked, chunking: Chunking) -> dict[str, Score]:
    """Return the score of a chunking in each of `MEASURES`, with boundaries compared in sentences."""
    document = marked.document
    reference = in_sentences(document, marked.known)
    segmentation = in_sentences(document, cuts_of(chunking))
    exact, near = agreement(reference, segmentation), agreement(reference, segmentation, tolerance=1)
    wrong = misassigned(sections_of(reference), chunks_of(chunking))
    whole = integrity(chunking).all.share
    return {
        "pk": pk(reference, segmentation),
        "window_diff": window_diff(reference, segmentation),
        "precision": exact.precision,
        "recall": exact.recall,
        "f1": exact.f1,
        "f1_near": near.f1,
        "boundary_similarity": boundary_similarity(reference, segmentation),
        "misassigned": Score(len(wrong.units) / max(1, len(document.sentences))),
        "crossing": crossings(marked.known, chunking).share,
        "blocks_whole": Score(whole) if whole is not None else Score.without("the text has no block that should stay whole"),
    }


FEW = 500
"""Maximum number of runs for which starting processes is not worthwhile."""


def _row(marked: Marked, setting: Setting, chunker: Chunker, tools: Tools) -> SweepRow:
    chunking = run(chunker, marked.document, tools)
    return SweepRow(setting, marked.document.name, len(chunking.chunks), scores_of(marked, chunking))


def _trivial_row(marked: Marked, setting: Setting, tools: Tools) -> SweepRow:
    document = marked.document
    some = answers(setting.chunker, in_sentences(document, marked.known))
    chunkings = [as_chunking(document, places) for places in some]
    scores = [scores_of(marked, chunking) for chunking in chunkings]
    means = {name: _mean([by_measure[name] for by_measure in scores]) for name in MEASURES}
    return SweepRow(setting, document.name, len(chunkings[0].chunks), means)


def _mean(scores: Sequence[Score]) -> Score:
    """Return the mean of the defined scores, or the first score if none is defined."""
    values = [score.value for score in scores if score.value is not None]
    return Score(statistics.fmean(values)) if values else scores[0]


def sweep(
    documents: Sequence[Marked],
    settings: Sequence[Setting],
    tools: Tools,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
    done: Iterable[SweepRow] = (),
) -> Iterator[SweepRow]:
    """Run every chunker setting on every document, and yield the scores of each run as soon as they are ready.

    With several workers, and more than a `FEW` runs, they are spread over processes where joblib is installed, and the rows
    come in the order in which they are done; those of chunkers that ask a language model stay in this process, where what
    is spent is bounded. ``tools.cancelled`` stops the sweep before the next run; rows already yielded stay valid. What is
    ``done`` already is neither run nor yielded again.

    Raises
    ------
    InputError
        If a setting is not allowed, before anything runs.
    """
    chunkers = {
        setting: build_chunker(setting.chunker, dict(setting.parameters), tools.embedder)
        for setting in settings
        if not setting.trivial
    }
    done_already = {(row.document, row.setting) for row in done}
    groups = []
    for marked in documents:
        runs = [
            partial(_trivial_row, marked, setting) if setting.trivial else partial(_row, marked, setting, chunkers[setting])
            for setting in settings
            if (marked.document.name, setting) not in done_already
        ]
        if runs:
            groups.append((marked.document, runs))
    total = len(documents) * len(settings)
    left = sum(len(runs) for _, runs in groups)
    alone = workers < 2 or not has_processes() or left <= FEW or any(chunker.asks for chunker in chunkers.values())
    rows = _one_by_one(groups, tools) if alone else spread(groups, tools, workers)
    with closing(rows):
        try:
            for count, row in enumerate(rows, start=total - left + 1):
                if progress is not None:
                    progress(count, total)
                yield row
        except Cancelled:
            return


def _one_by_one(
    groups: Sequence[tuple[Document, Sequence[Callable[[Tools], SweepRow]]]], tools: Tools
) -> Generator[SweepRow]:
    """Run everything in this process."""
    for _, runs in groups:
        for task in runs:
            if tools.cancelled():
                return
            yield task(replace(tools))


@dataclass(frozen=True)
class Summary:
    """Mean score of a chunker setting over the documents on which the measure is defined."""

    setting: Setting
    mean: float
    documents: int
    chunks: float


def summaries(rows: Iterable[SweepRow], measure: str) -> list[Summary]:
    """Return the mean scores of chunker settings, best first.

    Ties go to the setting with fewer chunks, then to the name.

    Raises
    ------
    InputError
        If the measure does not exist.
    """
    if measure not in MEASURES:
        raise InputError(f"measure must be one of {', '.join(MEASURES)}; got {measure!r}.")
    values: dict[Setting, list[tuple[float, int]]] = {}
    for row in rows:
        value = row.scores[measure].value
        if value is not None:
            values.setdefault(row.setting, []).append((value, row.chunks))
    all_summaries = [
        Summary(
            setting,
            statistics.fmean(value for value, _ in kept),
            len(kept),
            statistics.fmean(chunks for _, chunks in kept),
        )
        for setting, kept in values.items()
    ]
    sign = -1 if MEASURES[measure] else 1
    return sorted(all_summaries, key=lambda summary: (sign * summary.mean, summary.chunks, summary.setting.words()))


def rows_to_csv(rows: Iterable[SweepRow]) -> str:
    """Return the scores as CSV, with a row per chunker setting and document, and a column per measure.

    Undefined scores are empty.
    """
    cells = ([row.document, row.setting.words(), row.chunks, *(row.scores[name].value for name in MEASURES)] for row in rows)
    return csv_text(["document", "setting", "chunks", *MEASURES], cells)


def grid(chunker: str, /, **axes: Sequence[Any]) -> list[Setting]:
    """Return a chunker setting for every combination of the parameter values in ``axes``."""
    return [Setting.of(chunker, **dict(zip(axes, values, strict=True))) for values in product(*axes.values())]


def published() -> list[Setting]:
    """Return the grid of Qu et al., appendix B: 30 breakpoint, 45 single linkage, 125 DBSCAN and 18 fixed settings."""
    weights = (0.0, 0.25, 0.5, 0.75, 1.0)
    amounts: dict[str, tuple[float, ...]] = {
        "percentile": (10, 30, 50, 70, 90),
        "standard_deviation": (1, 1.5, 2, 2.5, 3),
        "interquartile": (0.5, 0.75, 1, 1.25, 1.5),
        "gradient": (10, 30, 50, 70, 90),
        "distance": (0.1, 0.2, 0.3, 0.4, 0.5),
        "absolute_gradient": (0.01, 0.05, 0.1, 0.15, 0.2),
    }
    counts = tuple(range(2, 11))
    return [
        *(setting for name, some in amounts.items() for setting in grid("breakpoint", threshold=(name,), amount=some)),
        *grid("single_linkage", position_weight=weights, chunks=counts),
        *grid("dbscan", position_weight=weights, eps=(0.1, 0.2, 0.3, 0.4, 0.5), min_samples=(1, 2, 3, 4, 5)),
        *grid("fixed_sentences", chunks=counts, overlap=(0, 1)),
    ]


# The settings to search for a chunker's best on a document: published grids, or ours where there are none.


SEARCHED: dict[str, list[Setting]] = {
    **{
        name: [setting for setting in published() if setting.chunker == name]
        for name in ("fixed_sentences", "breakpoint", "single_linkage")
    },
    "double_pass": grid(
        "double_pass",
        initial_threshold=(0.2, 0.3, 0.4),
        appending_threshold=(0.2, 0.3, 0.4, 0.5),
        merging_threshold=(0.1, 0.2, 0.3, 0.4),
    ),
    "structure": grid("structure", max_size=(50, 100, 150, 200, 250, 400), join_below=(10, 25, 50, 100, 200)),
    "optimal": grid("optimal", max_size=(50, 100, 150, 200, 250, 300, 400), piece_size=(25, 50)),
    "change_point": [
        *grid("change_point", caution=("eager", "balanced", "cautious"), shuffled_runs=(1, 2, 3, 5)),
        *grid("change_point", penalty=(0.4, 0.6, 0.8, 1.0, 1.1, 1.3, 1.6, 2.0)),
        *grid("change_point", chunks=tuple(range(2, 11))),
    ],
    "max_min": grid(
        "max_min", hard_threshold=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6), relaxation=(0.3, 0.6, 0.9), initial_factor=(1, 1.5, 2)
    ),
}
"""Chunker to its settings: those of Qu et al., appendix B, where they tried it."""

OURS = "ours"
"""The source named for the settings of a chunker that no source published."""


def as_published(chunker: str) -> tuple[Setting, str]:
    """Return the first published setting of a chunker and its source; the default setting if none was published."""
    presets = [preset for preset in presets_of(chunker) if preset.published]
    return (Setting.of(chunker, **presets[0].parameters), presets[0].title) if presets else (Setting(chunker), OURS)


# Significance of a setting's lead on documents that it was not chosen on.


def compare_settings(
    rows: Sequence[SweepRow], setting: Setting, others: Sequence[Setting], measure: str
) -> dict[Setting, Difference | None]:
    """Compare a setting with other settings on the same documents, with p-values corrected for all comparisons.

    A difference above 0 means that ``setting`` is better, whether the measure should be high or low. The difference is None
    if too few documents have a value for both settings.
    """
    values: dict[Setting, dict[str, float]] = {}
    for row in rows:
        value = row.scores[measure].value
        if value is not None:
            values.setdefault(row.setting, {})[row.document] = value
    documents = [*dict.fromkeys(row.document for row in rows)]

    def of(setting: Setting) -> list[float]:
        return [values.get(setting, {}).get(document, np.nan) for document in documents]

    if not documents or not others:
        return dict.fromkeys(others)
    sign = 1 if MEASURES[measure] else -1
    differences = sign * (np.array([of(setting)]) - np.array([of(other) for other in others]))
    return dict(zip(others, compare_all(differences), strict=True))


def significance_words(
    differences: Mapping[Setting, Difference | None], names: Mapping[Setting, str], documents: int
) -> str:
    """Return a verdict in words on whether a setting is significantly ahead of the baselines on held-out documents."""
    if not differences:
        return ""
    if all(difference is None for difference in differences.values()):
        return too_few(len(differences), documents, "held-out document")
    ahead = {
        other: difference.mean
        for other, difference in differences.items()
        if difference is not None and difference.significant and difference.mean > 0
    }
    every = len(ahead) == len(differences)
    rival = min(ahead, key=ahead.__getitem__) if every else next(other for other in differences if other not in ahead)
    verdict = f"It is {'' if every else 'not '}significantly ahead of every trivial answer"
    return f"{verdict}: {_spread(names[rival], differences[rival])}. {FALSE_VERDICTS}"


def chosen_here_words(comparisons: int) -> str:
    """Return a sentence that explains why a setting cannot be tested on the documents it was chosen on."""
    return (
        "It was chosen on these documents, so its lead is not tested; with "
        f"{fewest_values(comparisons)} documents held out, it is tested against the trivial answers."
    )


def _spread(name: str, difference: Difference | None) -> str:
    if difference is None:
        return f"“{name}” cannot be compared"
    mean, interval = signed(difference.mean, "+.3f"), interval_words(difference.low, difference.high, difference.alpha, 1, 3)
    return f"{mean} on “{name}” ({interval}, {difference.p_words})"
