"""The settings to search for a chunker's best on a document: published grids, or ours where there are none."""

from __future__ import annotations

from chunkers.recipes.presets import presets_of
from evaluation.segmentation.sweep import Setting, grid, published

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
