"""The benchmark of stitched documents tunes on none of those it holds out, and it tries the settings of the presets."""

from benchmarks import stitched
from chunkers import build_chunker
from chunkers.recipes.presets import PRESETS
from evaluation.segmentation.texts_with_known_boundaries import MarkedText, select_texts_sharing_heldout_sections


def test_the_benchmark_tunes_on_nothing_that_it_holds_out():
    tuned, held = (
        [MarkedText(marked.document.name, marked.document.text, marked.known) for marked in half]
        for half in stitched.stitch_tuning_and_held_out_documents(3)
    )
    assert len({text.name for text in (*tuned, *held)}) == 6
    assert select_texts_sharing_heldout_sections(tuned, held) == []


def test_what_is_best_on_stitched_documents_was_among_what_was_tried():
    best = [preset for preset in PRESETS if preset.title.endswith("stitched documents")]
    assert [preset.chunker for preset in best] == ["breakpoint", "max_min", "optimal", "single_linkage"]
    for preset in best:
        tried = [
            build_chunker(preset.chunker, dict(setting.parameters))
            for setting in stitched.SETTINGS_GRID_BY_CHUNKER[preset.chunker]
        ]
        assert build_chunker(preset.chunker, preset.parameters) in tried
