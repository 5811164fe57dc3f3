"""Slides and notebooks: made here, read, damaged; a slide is whole where it fits, or else its title is context."""

import io
import json
import random
from itertools import pairwise

import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE

from chunkers import Document, InputError, build_chunker, load_tokenizer
from chunkers.contract.base import run_and_time_chunker
from chunkers.text.file_reading import read_document_text
from tests.support import tools

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


def saved(deck):
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


def deck_of_all():
    """Return a presentation with everything that is read, and what is left out."""
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Lamps\nof the sea"
    body = slide.placeholders[1].text_frame
    body.text = "red"
    deeper = body.add_paragraph()
    deeper.text, deeper.level = "dark red", 1
    slide.notes_slide.notes_text_frame.text = "Say hello."
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    table = slide.shapes.add_table(3, 2, 0, 0, 99, 99).table
    for number, words in enumerate(["Mark", "Light", "port", "red", "", "a | b"]):
        table.cell(number // 2, number % 2).text = words
    table.cell(1, 0).merge(table.cell(2, 0))
    slide.shapes.add_group_shape().shapes.add_textbox(0, 0, 9, 9).text_frame.text = "in a group"
    slide.shapes.add_picture(io.BytesIO(PNG), 0, 0)._element.nvPicPr.cNvPr.set("descr", "A buoy")
    data = CategoryChartData()
    data.categories = ["a"]
    data.add_series("b", [1])
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, 9, 9, data)
    hidden = deck.slides.add_slide(deck.slide_layouts[0])
    hidden.shapes.title.text = "hidden"
    hidden._element.set("show", "0")
    deck.slides.add_slide(deck.slide_layouts[0]).shapes.title.text = "The end"
    return saved(deck)


def test_a_slide_is_a_heading_with_its_texts_tables_and_notes():
    file_text = read_document_text(deck_of_all(), "a.pptx")
    assert file_text.text.split("\n\n") == [
        *("# Lamps of the sea", "- red\n  - dark red", "Notes: Say hello."),
        *("# Slide 2", "| Mark | Light |\n|-|-|\n| port | red |\n| port | a \\| b |", "in a group", "A buoy"),
        "# The end",
    ]
    assert file_text.left_out == "Left out: 1 picture, 1 chart and 1 hidden slide."
    assert file_text.parts.labels == ("1", "2", "4")
    place = file_text.text.index("The end")
    assert (file_text.parts.label_of_spans([(place, place + 1)]), file_text.parts.label_of_spans([(0, place + 1)])) == (
        "slide 4",
        "slides 1–4",
    )


def deck_by_chance(seed):
    chance = random.Random(seed)
    deck = pptx.Presentation()
    for number in range(8):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = f"Slide {number} {'of lamps ' * chance.randint(0, 3)}"
        lines = [
            f"Point {point} is {'very ' * chance.randint(0, 20)}bright." for point in range(chance.choice([1, 3, 8, 30]))
        ]
        slide.placeholders[1].text_frame.text = "\n".join(lines)
        if chance.random() < 0.5:
            slide.notes_slide.notes_text_frame.text = "\n".join(lines[:3])
        if chance.random() < 0.3:
            table = slide.shapes.add_table(9, 2, 0, 0, 99, 99).table
            for row in range(9):
                table.cell(row, 0).text, table.cell(row, 1).text = f"name {row}", str(row) if row else "number"
    return saved(deck)


@pytest.mark.slow
@pytest.mark.parametrize("most", [60, 250])
@pytest.mark.parametrize("seed", range(3))
def test_no_slide_is_cut_that_fits_and_longer_ones_repeat_their_title(seed, most):
    file_text = read_document_text(deck_by_chance(seed), "a.pptx")
    count = load_tokenizer("all-MiniLM-L6-v2").count
    document = Document.from_text(file_text.text, parts=file_text.parts)
    chunking = run_and_time_chunker(
        build_chunker("structure", {"max_size": most}), document, tools(tokenizer="all-MiniLM-L6-v2")
    )
    edges = [*file_text.parts.starts, len(file_text.text)]
    titled = 0
    for start, end in pairwise(edges):
        words = file_text.text[start:end].strip()
        inside = [chunk for chunk in chunking.chunks if start <= chunk.start < end]
        assert inside[0].start == start
        if count([words])[0] <= most:
            assert [chunk.text for chunk in inside] == [words]
        title = words.partition("\n")[0]
        for chunk in inside[1:]:
            held = count([title])[0] + count([chunk.text])[0]
            assert chunk.context.startswith(title) or held > most or count([chunk.context])[0] + held > most
            titled += chunk.context.startswith(title)
    assert titled
    assert any("; the slide's title is context" in gap.reason for gap in chunking.gaps)
    for chunk in chunking.chunks:
        assert count([chunk.text])[0] + (count([chunk.context])[0] if chunk.context else 0) <= most


def notebook(*cells, **changed):
    about = {"language_info": {"name": "python"}}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": about, "cells": cells, **changed}).encode()


def code(source, *outputs):
    return {"cell_type": "code", "source": source, "outputs": [*outputs], "execution_count": 1, "metadata": {}}


def text(source):
    return {"cell_type": "markdown", "source": source, "metadata": {}}


def test_the_cells_of_a_notebook_are_text_and_code_with_its_text_outputs():
    data = notebook(
        text(["# Lamps\n", "They shine."]),
        code(
            "x = 1\nprint(x)", {"output_type": "stream", "name": "stdout", "text": ["10 %\r100 %\n", "\x1b[31m1\x1b[0m\n"]}
        ),
        code("", {"output_type": "display_data", "data": {"image/png": "aa", "text/plain": ["<Figure size 1x1>"]}}),
        code("y", {"output_type": "error", "ename": "NameError", "evalue": "y", "traceback": []}),
        code('"""\n````\n"""', {"output_type": "execute_result", "data": {"text/html": "<b>", "text/plain": "'````'"}}),
        code("z", {"output_type": "display_data", "data": {"application/json": {}}}),
    )
    file_text = read_document_text(data, "a.ipynb")
    assert file_text.text.split("\n\n") == [
        *("# Lamps\nThey shine.", "```python\nx = 1\nprint(x)\n```", "```output\n100 %\n1\n```"),
        *("```python\ny\n```", "```output\nNameError: y\n```"),
        *('`````python\n"""\n````\n"""\n`````', "```output\n'````'\n```", "```python\nz\n```"),
    ]
    assert file_text.left_out == "Left out: 1 picture and 1 output without text."
    assert file_text.read_as == "notebook, by json"
    place = file_text.text.index("NameError")
    assert file_text.parts.label_of_spans([(place, place + 1)]) == "cell 4"


def test_the_code_of_a_cell_stays_with_its_output():
    output = {"output_type": "stream", "text": "one two three four\n" * 5}
    file_text = read_document_text(notebook(*[code("print('one two three four')\n" * 5, output)] * 3), "a.ipynb")
    chunker = build_chunker("structure", {"max_size": 80, "join_below": 1})
    chunking = run_and_time_chunker(chunker, Document.from_text(file_text.text, parts=file_text.parts), tools())
    assert [file_text.parts.label_of_spans(chunk.spans) for chunk in chunking.chunks] == ["cell 1", "cell 2", "cell 3"]
    assert "the cell is whole: it fits into a chunk" in [gap.reason for gap in chunking.gaps]


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.pptx", b"no zip at all", r"a\.pptx: the file must be a valid PPTX; .*not a zip file"),
        ("a.pptx", deck_of_all()[:-2000], r"a\.pptx: the file must be a valid PPTX; "),
        ("a.pptx", saved(pptx.Presentation()), r"a\.pptx: the PPTX must contain text; it contains none\."),
        ("a.pptx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 9, r"a\.pptx: the file must not have a password"),
        ("a.ipynb", b"{", r"a\.ipynb: the file must be a valid notebook; reading it failed: "),
        ("a.ipynb", b"[1]", r"a\.ipynb: a notebook must have cells and nbformat 3 or 4; this file's nbformat is None\."),
        ("a.ipynb", notebook(nbformat=3), r"a\.ipynb: a notebook must have cells and nbformat 3 or 4; .* is 3\."),
        ("a.ipynb", notebook(), r"a\.ipynb: the notebook must contain text; it contains none\."),
        ("a.ipynb", notebook(5), r"a\.ipynb: the file must be a valid notebook; "),
    ],
)
def test_a_file_that_cannot_be_read_is_a_sentence(name, data, words):
    with pytest.raises(InputError, match=words) as caught:
        read_document_text(data, name)
    assert "\n" not in str(caught.value)
