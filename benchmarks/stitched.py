"""Whether, on long documents with known seams, seeing the whole text beats the greedy chunker; and which settings are best.

The passages are those of the bundled essay and formulas, a few sentences each. They are divided into two halves before
anything is joined, by section, so that no section is in both. From each half documents of about a hundred sentences are
stitched, in seeded orders. Settings are chosen on the one half, and measured on the other.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import statistics
import sys
from collections.abc import Sequence

from benchmarks.measure import table
from chunkers import CHUNKERS, Tools, load_embedder, load_tokenizer
from evaluation.segmentation.stitching import Passage, halves, passages_of, stitch_several
from evaluation.segmentation.sweep import MEASURES, Marked, Setting, Summary, SweepRow, grid, published, summaries, sweep
from sample_docs import load_sample

SOURCES = ("essay", "formulas")
"""Together these hold all bundled English prose once: the essay contains the other texts."""

THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6)
QU = ("fixed_sentences", "breakpoint", "single_linkage")
GRIDS: dict[str, list[Setting]] = {
    **{name: [one for one in published() if one.chunker == name] for name in QU},
    "double_pass": grid(
        "double_pass",
        initial_threshold=THRESHOLDS,
        appending_threshold=THRESHOLDS,
        merging_threshold=(0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5),
    ),
    "optimal": grid("optimal", max_size=(100, 150, 200, 250, 300, 400, 500), piece_size=(15, 20, 25, 30, 40, 50)),
    "max_min": grid(
        "max_min",
        hard_threshold=(0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6),
        relaxation=(0.3, 0.5, 0.7, 0.9),
        initial_factor=(1, 1.5, 2),
    ),
    "change_point": grid("change_point", penalty=tuple(round(0.5 + 0.05 * step, 2) for step in range(23))),
}
"""The settings to try, by chunker."""


def passages() -> list[Passage]:
    """Return the passages of the bundled documents."""
    lengths = random.Random(7)
    found = []
    for name in SOURCES:
        sample = load_sample(name)
        found += passages_of(sample.text, sample.known or (), name, lengths.randint(4, 8), sample.sentences)
    return found


def documents(count: int, sentences: int = 100) -> tuple[list[Marked], list[Marked]]:
    """Return ``count`` documents to tune on, and as many held out."""
    tuned, held = halves(passages())
    made = stitch_several(tuned, sentences, count, 0, "spacy")
    others = stitch_several(held, sentences, count, 0, "spacy", first=count + 1)
    return [one.split("spacy") for one in made], [one.split("spacy") for one in others]


def lines_of(tuned: Sequence[Summary], held: Sequence[Summary]) -> list[list[str]]:
    """Return the table's lines: every chunker's defaults, the best of the tuned half, and that of the half held out."""
    here, there = ({one.setting: one for one in ranked} for ranked in (tuned, held))
    lines = []
    for chunker in GRIDS:
        chosen = {
            "at its defaults": Setting(chunker),
            "best of the tuned half": _best(tuned, chunker).setting,
            "best of the half held out": _best(held, chunker).setting,
        }
        for how, setting in chosen.items():
            values = [f"{here[setting].mean:.3f}", f"{there[setting].mean:.3f}", f"{there[setting].chunks:.1f}"]
            lines.append([setting.words(), how, *values])
    return lines


def _best(ranked: Sequence[Summary], chunker: str) -> Summary:
    return next(one for one in ranked if one.setting.chunker == chunker)


def defaults_said(rows: Sequence[SweepRow], measure: str) -> list[str]:
    """Return a sentence on each chunker's default: whether the tuned half improves on it, and what should replace it.

    That is, of the settings within one standard error of the best, the one that moves the fewest parameters; of these the
    best. Source: the one-standard-error rule of Breiman et al., Classification and Regression Trees (1984), section 3.4.3.
    """
    said = []
    ranked = summaries(rows, measure)
    for chunker in GRIDS:
        rest, best = next(one for one in ranked if one.setting == Setting(chunker)), _best(ranked, chunker)
        error = standard_error(rows, best.setting, measure)
        as_good = [one for one in ranked if one.setting.chunker == chunker and abs(one.mean - best.mean) <= error]
        ahead = f"{best.setting.words()} is {abs(best.mean - rest.mean):.3f} ahead of the default on the tuned half"
        if rest in as_good:
            said.append(f"{chunker}: {ahead}, within the standard error of {error:.3f}.")
        else:
            place = min(as_good, key=lambda one: _moved(one.setting))
            said.append(
                f"{chunker}: {ahead}; {place.setting.words()}, at {place.mean:.3f}, moves least and is within the standard "
                f"error of {error:.3f}."
            )
    return said


def standard_error(rows: Sequence[SweepRow], setting: Setting, measure: str) -> float:
    """Return the standard error of the mean over the documents."""
    values = [row.scores[measure].value for row in rows if row.setting == setting]
    known = [value for value in values if value is not None]
    return statistics.stdev(known) / math.sqrt(len(known))


def _moved(setting: Setting) -> int:
    """Return how many parameters of a setting are non-default."""
    fields = CHUNKERS[setting.chunker].model_fields
    return sum(fields[name].default != value for name, value in setting.parameters)


def winner_said(chunker: str, tuned: Sequence[Summary], held: Sequence[Summary]) -> str:
    """Return a sentence on whether a chunker at its defaults is ahead of every setting of `breakpoint`, on both halves."""
    wins = all(
        next(one.setting for one in ranked if one.setting == Setting(chunker) or one.setting.chunker == "breakpoint").chunker
        == chunker
        for ranked in (tuned, held)
    )
    verdict = "is ahead of" if wins else "is not ahead of"
    return f"The default {chunker} {verdict} all {len(GRIDS['breakpoint'])} published settings of breakpoint on both halves."


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what every chunker reaches on both halves, what that says of its default, and who is ahead."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stitched", description=__doc__)
    parser.add_argument("--count", type=int, default=50, metavar="N", help="documents of each half (default: 50)")
    parser.add_argument("--measure", default="pk", choices=MEASURES)
    parser.add_argument("--embedder", default="all-MiniLM-L6-v2", metavar="NAME")
    options = parser.parse_args(arguments)
    halves_made = documents(options.count)
    for name, half in zip(("tuned half", "held out"), halves_made, strict=True):
        sentences, seams = sum(len(one.document.sentences) for one in half), sum(len(one.known) for one in half)
        print(f"{name}: {len(half)} documents, {sentences:,} sentences, {seams:,} seams.")
    settings = list(dict.fromkeys(one for name, some in GRIDS.items() for one in (Setting(name), *some)))
    tools = Tools(load_embedder(options.embedder), load_tokenizer())
    rows, others = (list(sweep(half, settings, tools, os.cpu_count() or 1)) for half in halves_made)
    tuned, held = summaries(rows, options.measure), summaries(others, options.measure)
    print(table(["setting", "chosen", f"{options.measure}, tuned half", "held out", "chunks"], lines_of(tuned, held)))
    for said in [
        *defaults_said(rows, options.measure),
        *(winner_said(name, tuned, held) for name in ("optimal", "change_point")),
    ]:
        print(said)
    return 0


if __name__ == "__main__":
    sys.exit(main())
