"""The Guide's small pictures of a chunking."""

from dataclasses import replace

from chunkers import Breakpoint
from tests.support import AngleEmbedder, cut
from viz.guide.small_chunking_picture import miniature_svg


def test_scores_that_are_hardly_apart_have_a_place():
    chunking = cut(Breakpoint(), "0 a\n60 b\n150 c", embedder=AngleEmbedder())
    (curve,) = chunking.curves
    for score in (0.0, 5e-324):
        levels = tuple(replace(line, level=0.0) for line in curve.lines)
        assert "nan" not in miniature_svg(
            replace(chunking, curves=(replace(curve, scores=(0.0, score), lines=levels),)), None, "light"
        )
