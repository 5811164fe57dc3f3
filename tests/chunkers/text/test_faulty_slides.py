"""Slides with the faults that decks have, written by python-pptx and by hand: none that fits is cut."""

import io
import zipfile
from itertools import pairwise
from typing import NamedTuple
from xml.sax.saxutils import escape

import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Emu

from chunkers import Document, build_chunker, load_tokenizer
from chunkers.contract.base import run_and_time_chunker
from chunkers.text.file_reading import read_document_text
from tests.chunkers.text.test_slides import PNG, saved
from tests.support import tools


class Slide(NamedTuple):
    """A slide as it is written: the paragraphs of its list, of text boxes and of its notes, and what else it has."""

    title: str | None = "The lamps of the sea"
    lines: tuple[str, ...] = ()
    boxes: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    notes: str = ""
    hidden: bool = False
    grouped: bool = False
    pictures: int = 0
    charts: int = 0

    def words(self):
        """Return the texts that the slide must show, without line breaks."""
        cells = [cell for row in self.rows for cell in row]
        every = [self.title or "", *self.lines, *self.boxes, *cells, *self.notes.splitlines()]
        return [" ".join(words.split()) for words in every if words.split()]


POINTS = tuple(f"Point {number} says that lamp {number} shines for all ships." for number in range(1, 26))
PLAIN = Slide("An ordinary slide", POINTS[:3])
TABLE = (("Mark", "Light"), *((f"mark {number}", f"flashes {number} times") for number in range(30)))

FAULTS = {
    "no title": [Slide(None, POINTS[:3])],
    "an empty title": [Slide(" ", POINTS[:3])],
    "no text at all": [Slide(None), Slide(None), PLAIN],
    "only titles": [Slide("First"), Slide("Second"), Slide("Third", POINTS[:4])],
    "only titles at the end": [PLAIN, Slide("Questions?"), Slide("Thank you")],
    "the same title": [Slide("Lamps", POINTS[:5]), Slide("Lamps", POINTS[5:9]), Slide("Lamps", POINTS[:5])],
    "a long title": [Slide("A title that " + "goes on and " * 30 + "ends", POINTS)],
    "a title in two lines": [Slide("Lamps\vof the sea", POINTS)],
    "notes alone": [Slide(None, notes="Say hello.\nThen begin.")],
    "long notes": [Slide(lines=POINTS[:2], notes="\n".join(POINTS))],
    "a table": [Slide(lines=POINTS[:1], rows=TABLE[:4])],
    "a long table": [Slide(rows=TABLE)],
    "a table without a title": [Slide(None, rows=TABLE[:5]), Slide(None, rows=TABLE)],
    "a group": [Slide(boxes=("in a group", *POINTS[:2]), grouped=True)],
    "pictures alone": [Slide(None, pictures=3), Slide("A picture", pictures=1)],
    "a chart": [Slide(charts=1, lines=POINTS[:1]), Slide(None, charts=2)],
    "a hidden slide": [Slide("hidden", POINTS[:2], hidden=True), PLAIN],
    "a long paragraph": [Slide(lines=("word " * 400,))],
    "a long word": [Slide(lines=("w" * 3000,))],
    "a long list": [Slide(lines=POINTS)],
    "line breaks": [Slide(lines=tuple(f"{words}\vand {words}" for words in POINTS[:9]))],
    "right to left": [Slide("منارات البحر", ("الضوء أحمر", "الضوء أخضر " * 60)), Slide("מגדלורים", ("אור אדום",))],
    "no spaces": [Slide("海上的灯", ("红灯亮着。" * 3, "绿灯亮着。" * 90)), Slide("灯台", ("赤い光",))],
    "signs beyond the first plane": [Slide("🌊🌊", ("🏮 lamp",) * 40)],
    "marks of headings": [Slide(boxes=("# 1 of the lamps", "## 2 of the lamps", *POINTS[:2])), PLAIN],
    "marks of headings in notes": [Slide(lines=POINTS[:2], notes="# First\nSay it.\n# Second\nSay it again.")],
    "a heading in a list": [Slide(lines=("# 1 shines", "# 2 does not"))],
    "underlines": [Slide(boxes=("Lamps", "=====", "Buoys", "-----", "***", "Marks")), PLAIN],
    "an open fence": [Slide(boxes=("```python", "lamp = 1")), PLAIN, PLAIN],
    "a fence in tildes": [Slide(lines=("~~~",)), PLAIN],
    "an open comment": [Slide(boxes=("<!-- to do", "Write more.")), PLAIN],
    "an open element": [Slide(boxes=("<div>", "<script>", "<pre>")), PLAIN, PLAIN],
    "bars": [Slide(boxes=("| a | b |", "|-|-|", "| 1 | 2 |", *POINTS[:2])), PLAIN],
    "marks of lists": [Slide(boxes=("- one", "1. two", "* three", "> four")), PLAIN],
    "a title like a fence": [Slide("```", POINTS[:3]), Slide("#", POINTS[:3]), Slide("--- #", POINTS[:3])],
    "dashes first": [Slide(None, boxes=("---", "title: no front matter", "---")), PLAIN],
}
assert len(FAULTS) >= 20


def by_python_pptx(slides):
    """Return a deck that python-pptx wrote."""
    deck = pptx.Presentation()
    for spec in slides:
        slide = deck.slides.add_slide(deck.slide_layouts[1 if spec.title is not None else 6])
        write_texts(slide, spec)
        if spec.rows:
            table = slide.shapes.add_table(len(spec.rows), len(spec.rows[0]), 0, 0, Emu(99), Emu(99)).table
            for cell, words in zip(table.iter_cells(), (words for row in spec.rows for words in row), strict=True):
                cell.text = words
        for _ in range(spec.pictures):
            slide.shapes.add_picture(io.BytesIO(PNG), 0, 0)
        for _ in range(spec.charts):
            data = CategoryChartData()
            data.categories = ["a"]
            data.add_series("b", [1])
            slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, 9, 9, data)
        if spec.hidden:
            slide._element.set("show", "0")
    return saved(deck)


def write_texts(slide, spec):
    """Write the title, the list, the text boxes and the notes of a slide."""
    lines = "\n".join(spec.lines)
    if spec.title is not None:
        slide.shapes.title.text = spec.title
        slide.placeholders[1].text_frame.text = lines
    elif lines:
        slide.shapes.add_textbox(0, 0, 9, 9).text_frame.text = lines
    shapes = slide.shapes.add_group_shape().shapes if spec.grouped else slide.shapes
    for words in spec.boxes:
        shapes.add_textbox(0, 0, 9, 9).text_frame.text = words
    if spec.notes:
        slide.notes_slide.notes_text_frame.text = spec.notes


OPEN, STRICT = "http://schemas.openxmlformats.org", "http://purl.oclc.org/ooxml"
MAIN = "openxmlformats-officedocument.presentationml"


def by_hand(slides, strict=False):
    """Return a deck written as XML, with several runs a paragraph and paths from the root, strict or not."""
    office, year = (STRICT, "") if strict else (OPEN, "/2006")
    kinds = f"{office}/officeDocument{year}/relationships"
    names = (
        f'xmlns="{office}/presentationml{year}/main" xmlns:r="{kinds}" xmlns:d="{office}/drawingml{year}/main" '
        f'xmlns:mc="{OPEN}/markup-compatibility/2006"'
    )
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

    def related(*targets):
        rows = (f'<Relationship Id="x{n}" Type="{kinds}/{kind}" Target="{to}"/>' for n, (kind, to) in enumerate(targets))
        return f'{head}<Relationships xmlns="{OPEN}/package/2006/relationships">{"".join(rows)}</Relationships>'

    def body(lines):
        broken = (line.split("\v") for line in lines)
        runs = (
            "<d:br/>".join(
                f"<d:r><d:t>{escape(part[:5])}</d:t></d:r><d:r><d:t>{escape(part[5:])}</d:t></d:r>" for part in line
            )
            for line in broken
        )
        return "".join(f"<d:p>{run}</d:p>" for run in runs)

    def shape(lines, place=""):
        return f"<sp><nvSpPr><nvPr>{place}</nvPr></nvSpPr><txBody>{body(lines)}</txBody></sp>"

    def framed(inside):
        return f"<graphicFrame><d:graphic><d:graphicData>{inside}</d:graphicData></d:graphic></graphicFrame>"

    def tree(spec):
        boxes = "".join(shape([words]) for words in spec.boxes)
        rows = "".join(
            f"<d:tr>{''.join(f'<d:tc><txBody>{body([cell])}</txBody></d:tc>' for cell in row)}</d:tr>" for row in spec.rows
        )
        yield shape([spec.title], '<ph type="ctrTitle"/>') if spec.title is not None else ""
        yield shape(spec.lines, '<ph idx="1"/>' if spec.title is not None else "")
        yield f"<grpSp><grpSp>{boxes}</grpSp></grpSp>" if spec.grouped else boxes
        yield framed(f"<d:tbl>{rows}</d:tbl>") if rows else ""
        yield '<pic><nvPicPr><cNvPr id="1" name="p"/></nvPicPr></pic>' * spec.pictures
        chart = f"<mc:AlternateContent><mc:Choice>{framed('<chart/>')}</mc:Choice>"
        yield f"{chart}<mc:Fallback>{shape(['no chart here'])}</mc:Fallback></mc:AlternateContent>" * spec.charts
        yield shape(["7"], '<ph type="sldNum"/>')

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("_rels/.rels", related(("officeDocument", "/ppt/presentation.xml")))
        # The order of the slides is that of the list, not that of the names.
        parts = [f"slide{len(slides) - number}" for number in range(len(slides))]
        listed = "".join(f'<sldId id="{256 + n}" r:id="x{n}"/>' for n in range(len(slides)))
        packed.writestr("ppt/presentation.xml", f"{head}<presentation {names}><sldIdLst>{listed}</sldIdLst></presentation>")
        packed.writestr(
            "ppt/_rels/presentation.xml.rels", related(*(("slide", f"/ppt/slides/{part}.xml") for part in parts))
        )
        for part, spec in zip(parts, slides, strict=True):
            shown = ' show="false"' if spec.hidden else ""
            packed.writestr(
                f"ppt/slides/{part}.xml",
                f"{head}<sld {names}{shown}><cSld><spTree>{''.join(tree(spec))}</spTree></cSld></sld>",
            )
            if spec.notes:
                packed.writestr(f"ppt/slides/_rels/{part}.xml.rels", related(("notesSlide", f"../notes/{part}.xml")))
                notes = shape([], '<ph type="sldImg"/>') + shape(spec.notes.splitlines(), '<ph type="body" idx="1"/>')
                packed.writestr(
                    f"ppt/notes/{part}.xml", f"{head}<notes {names}><cSld><spTree>{notes}</spTree></cSld></notes>"
                )
    return file.getvalue()


PROGRAMS = {
    "python-pptx": by_python_pptx,
    "by hand": by_hand,
    "by hand, strict": lambda slides: by_hand(slides, strict=True),
}


def cut(file_text, most):
    document = Document.from_text(file_text.text, parts=file_text.parts)
    return run_and_time_chunker(build_chunker("structure", {"max_size": most}), document, tools(tokenizer="words"))


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("fault", FAULTS)
def test_no_slide_that_fits_is_cut_and_a_longer_one_repeats_its_title(fault, program):
    slides = [PLAIN, *FAULTS[fault], Slide("The end", POINTS[:2])]
    file_text = read_document_text(PROGRAMS[program](slides), "a.pptx")
    visible = [slide for slide in slides if not slide.hidden]
    edges = [*file_text.parts.starts, len(file_text.text)]
    assert len(edges) == len(visible) + 1
    count = load_tokenizer("words").count
    for most in (15, 40, 120):
        chunks = cut(file_text, most).chunks
        starts = [chunk.start for chunk in chunks]
        for slide, (start, end) in zip(visible, pairwise(edges), strict=True):
            shown = file_text.text[start:end].strip()
            plain = " ".join(shown.replace("\\", "").split())
            assert all(words in plain for words in slide.words())
            inside = [chunk for chunk in chunks if start < chunk.start < end]
            if count([shown])[0] <= most:
                assert not inside, f"{shown!r} is cut at {most}: {[chunk.text for chunk in inside]}"
            title = shown.partition("\n")[0]
            for chunk in inside:
                held = count([f"{title} {chunk.text}"])[0]
                assert chunk.context.startswith(title) or held > most or count([title])[0] > most // 2, chunk
        for chunk in chunks:
            assert count([chunk.text])[0] + count([chunk.context])[0] <= most
        assert starts == sorted(starts)
