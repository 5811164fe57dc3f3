"""The Guide: every chunker has a screen, made from what it declares; and the picture of a chunking."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
from streamlit.testing.v1 import AppTest

from chunkers import CHUNKERS, Document, build_chunker
from chunkers.contract.base import run_and_time_chunker
from chunkers.support.formatting import pluralize
from sample_docs import load_sample
from tests import ROOT
from tests.support import LIMIT, ended, tools
from tests.viz.app_steps import sent
from viz.guide.small_chunking_picture import miniature_description, miniature_height, miniature_svg

PAGE_CSS = (ROOT / "viz" / "theme" / "page.css").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def guide():
    def opened(chunker):
        app = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
        app.query_params["c1"] = chunker
        app.query_params["embedder"] = "tfidf"
        app.switch_page("pages/guide.py")
        app.run()
        for _ in range(3):
            job = app.session_state.get("chunking_job")
            if job is None:
                break
            ended(job)
            app.run()
        return app

    return opened


@pytest.mark.parametrize("name", CHUNKERS)
def test_every_chunker_has_a_screen(guide, name):
    app = guide(name)
    assert not app.exception
    kind = CHUNKERS[name]
    assert app.header[0].value == kind.title
    assert kind.idea in " ".join(part.value for part in app.markdown)
    pictures = sent(app, "pictures")["pictures"]
    words = "".join(piece["text"] for picture in pictures for pieces in picture["said"] for piece in pieces)
    assert kind.failure in words
    assert kind.symbols in [part.value for part in app.caption]
    assert app.latex[0].value.strip("$\n ") == kind.formula
    assert {f"`{spec.name}`" for spec in kind.fields()} == set(app.table[0].value["parameter"])
    assert any(
        re.fullmatch(r"(1 chunk|[\d,]+ chunks) of 16 sentences; of 3 known boundaries .* elsewhere", part.value)
        for part in app.caption
    )


@pytest.mark.parametrize("name", CHUNKERS)
@pytest.mark.parametrize("sample", ["stubs", "essay", "three_topics"])
def test_the_picture_has_a_box_for_every_part(name, sample):
    source = load_sample(sample)
    document = Document.from_text(source.text, source.sentences)
    chunking = run_and_time_chunker(build_chunker(name, {}), document, tools())
    picture = ElementTree.fromstring(miniature_svg(chunking, source.known, "light"))
    assert picture.get("viewBox") == f"0 0 600 {miniature_height(chunking, source.known)}"
    # The page keeps the place of a picture of this height.
    assert f".st-key-miniature_{miniature_height(chunking, source.known)} {{" in PAGE_CSS
    boxes = picture.findall("{http://www.w3.org/2000/svg}rect")
    known = 0 if source.known is None else len(source.known) + 1
    assert len(boxes) == known + sum(len(chunk.spans) for chunk in chunking.chunks)
    assert all(0 <= float(box.get("x")) <= 600 for box in boxes)
    assert picture.find("{http://www.w3.org/2000/svg}title").text == miniature_description(chunking)
    assert miniature_description(chunking).startswith(f"{pluralize(len(chunking.chunks), 'chunk')}, beginning at sentence")


@pytest.mark.parametrize("text", ["", "One."])
def test_the_picture_of_next_to_nothing(text):
    chunking = run_and_time_chunker(build_chunker("breakpoint", {}), Document.from_text(text), tools())
    assert "<svg" in miniature_svg(chunking, None, "dark")
