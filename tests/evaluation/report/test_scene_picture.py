"""A scene as SVG: its bars and dots are those of the run, as far as a step has come, and its text is only text."""

from xml.etree import ElementTree

import pytest

from chunkers import Document, Tools, build_chunker, load_tokenizer, run_chunker
from evaluation.report.lecture_handouts_and_pictures import PICTURE_MARGIN, PICTURE_WIDTH, SceneSheet, scene_picture

TEXT = "One <script>alert(1)</script>\x01.\nTwo & two.\nThree.\nFour."
SVG = "{http://www.w3.org/2000/svg}"


def picture(caption=(), until=None, known=(32,)):
    document = Document.from_text(TEXT, "lines", name="<b>mine</b>").split()
    result = run_chunker(build_chunker("fixed_sentences", {"size": 3}), document, Tools(None, load_tokenizer("words")))
    return ElementTree.fromstring(
        scene_picture(SceneSheet("<u>Scene</u>", {}, document, known, [result]), caption, until)
    ), result


def bars(root):
    """Return the left and the right edge of each chunk's bar, in characters of the text."""
    scale = len(TEXT) / (PICTURE_WIDTH - 2 * PICTURE_MARGIN)
    drawn = [bar for bar in root.iter(f"{SVG}rect") if bar.get("stroke")]
    edges = [(float(bar.get("x")), float(bar.get("width"))) for bar in drawn]
    return [((x - PICTURE_MARGIN) * scale, (x + width - PICTURE_MARGIN) * scale) for x, width in edges]


def test_the_bars_are_the_chunks_of_the_run():
    root, result = picture()
    spans = [(chunk.spans[0].start, chunk.spans[-1].end) for chunk in result.chunks]
    assert bars(root) == [pytest.approx(span, abs=0.1) for span in spans]


@pytest.mark.parametrize(("until", "count"), [(0, 0), (2, 1), (4, 2), (99, 2)])
def test_a_step_shows_the_result_as_far_as_it_has_come(until, count):
    root, result = picture(until=until)
    drawn = bars(root)
    assert len(drawn) == count
    ends = [0, *(span.end for span in result.document.sentences)]
    assert not drawn or drawn[-1][1] == pytest.approx(ends[min(until, 4)], abs=0.1)
    assert ("so far" in "".join(root.itertext())) == (until < 4)


def test_the_words_are_only_text_below_the_drawing():
    root, _ = picture(["<img src=x> " * 20, "Second"])
    assert {node.tag for node in root.iter()} <= {SVG + name for name in ("svg", "title", "rect", "text", "path", "circle")}
    lines = ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]
    assert lines[0] == "<u>Scene</u>"
    assert lines[-1] == "Second"
    assert all(float(node.get("font-size", 22)) >= 22 for node in root.iter(f"{SVG}text"))
