"""Notebooks with the faults that such files have, written by nbformat and by hand: cells are whole where they fit."""

import json
from itertools import pairwise

import nbformat
import pytest

from chunkers import Document, build_chunker, load_tokenizer
from chunkers.contract.base import run_and_time_chunker
from chunkers.text.file_reading import read_document_text
from tests.support import tools

CODE = tuple(f"lamp_{number} = shine({number})" for number in range(40))
PROSE = "Lamps shine. Ships see them. "


def markdown(source):
    return ("markdown", source, ())


def raw(source):
    return ("raw", source, ())


def code(source, *outputs):
    return ("code", source, outputs)


def stream(text):
    return {"output_type": "stream", "name": "stdout", "text": text}


def result(**data):
    data = {kind.replace("_", "/"): words for kind, words in data.items()}
    return {"output_type": "execute_result", "execution_count": 1, "data": data, "metadata": {}}


def error(*traceback):
    return {"output_type": "error", "ename": "NameError", "evalue": "lamp", "traceback": [*traceback]}


PLAIN = [markdown("A cell of words.\n\nIt has two paragraphs."), code("x = 1\nprint(x)", stream("1\n"))]

FAULTS = {
    "no outputs": [code("\n".join(CODE[:3]))],
    "empty cells": [code(""), markdown(""), raw(""), code("  \n"), *PLAIN],
    "an output without source": [code("", stream("left over"))],
    "a heading alone": [markdown("# Lamps"), code("\n".join(CODE[:4]), stream("ten lamps\n"))],
    "headings alone": [markdown("# Lamps"), markdown("## Red"), markdown("### Dark"), code("\n".join(CODE[:4]))],
    "a heading before long prose": [markdown("# Lamps"), markdown(PROSE * 3), code(CODE[0], stream("one\n"))],
    "headings in a cell": [markdown("# Lamps\n\nRed.\n\n## Buoys\n\nGreen.\n\n# Ships\n\nWhite."), *PLAIN],
    "a heading at the end of a cell": [markdown("Lamps.\n\n## Next"), *PLAIN],
    "a heading at the end": [*PLAIN, markdown("# To do")],
    "lists in neighbouring cells": [markdown("- red\n- green\n- white lamps"), markdown("- buoys\n- ships\n- a lighthouse")],
    "an indented cell after a list": [markdown("- red\n- green"), markdown("    indented\n    code"), *PLAIN],
    "a long list": [markdown("\n".join(f"- lamp {number} shines" for number in range(60)))],
    "a long table": [markdown("| lamp | light |\n|-|-|\n" + "\n".join(f"| {n} | red |" for n in range(60)))],
    "long code": [code("\n".join(CODE), stream("done\n"))],
    "a long line": [code("lamps = [" + ", ".join(map(str, range(300))) + "]")],
    "long prose": [markdown(PROSE * 60)],
    "a long output": [code("show()", stream("one two three\n" * 60))],
    "an introduction in a cell of its own": [markdown("Lamps:"), markdown("- red\n- green\n- white\n- blue")],
    "an introduction at the end of a cell": [markdown("Lamps.\n\nThese:"), markdown("- red\n- green\n- white\n- blue")],
    "an open fence": [markdown("Write:\n\n```python\nlamp = 1"), *PLAIN, markdown("# More\n\nWords."), *PLAIN],
    "an open comment": [markdown("<!-- to do"), *PLAIN],
    "an open formula": [markdown("$$\nx = y"), *PLAIN],
    "fences in code": [code('text = """\n```\n````\n"""', stream("```\n"))],
    "a rule first": [markdown("---"), markdown("A line.\n\n---"), *PLAIN],
    "front matter": [raw("---\ntitle: Lamps\n---"), *PLAIN],
    "HTML": [markdown("<div>\n<b>lamps</b>"), raw("<script>"), *PLAIN],
    "other line ends": [markdown("# Lamps\r\n\r\nRed.\r\nGreen."), code("a = 1\r\nb = 2")],
    "an error": [code("lamp", error("\x1b[31mNameError\x1b[0m", "lamp")), code("lamp", error())],
    "progress": [code("run()", stream("10 %\r50 %\r100 %\n"), stream("done\n"))],
    "pictures": [code("plot()", result(image_png="aGk=", text_plain="<Figure>")), *PLAIN],
    "a table as HTML": [code("frame", result(text_html="<table></table>", text_plain="   a  b\n0  1  2"))],
    "right to left": [markdown("# منارات\n\nالضوء أحمر."), code("ضوء = 1")],
    "no spaces": [markdown("海上的灯。" * 80), markdown("灯台。")],
    "signs beyond the first plane": [markdown("🌊" * 9), code("print('🏮')", stream("🏮\n"))],
}
assert len(FAULTS) >= 20

METADATA = {
    "python": {"kernelspec": {"name": "python3", "display_name": "Python 3"}, "language_info": {"name": "python"}},
    "nothing": {},
    "another language": {"language_info": {"name": "no such language!\n```"}, "kernelspec": None},
}


def by_nbformat(cells, version):
    """Return a notebook as nbformat writes it: sources and texts in lists of lines."""
    new = nbformat.v4
    new_cells = [
        new.new_code_cell(source, outputs=[nbformat.from_dict(output) for output in outputs])
        if kind == "code"
        else {"markdown": new.new_markdown_cell, "raw": new.new_raw_cell}[kind](source)
        for kind, source, outputs in cells
    ]
    book = new.new_notebook(cells=new_cells, metadata=METADATA["python"])
    return nbformat.writes(nbformat.convert(book, version), version).encode()


def by_hand(cells, metadata):
    """Return a notebook with sources in one text, and without what nobody needs."""
    new_cells = [
        {"cell_type": kind, "source": source} | ({"outputs": [*outputs]} if outputs else {})
        for kind, source, outputs in cells
    ]
    return json.dumps({"cells": new_cells, "nbformat": 4, "metadata": METADATA[metadata]}, ensure_ascii=False).encode(
        "utf-8-sig"
    )


PROGRAMS = {
    "nbformat 4": lambda cells: by_nbformat(cells, 4),
    "nbformat 3": lambda cells: by_nbformat(cells, 3),
    **{f"by hand, {name}": lambda cells, name=name: by_hand(cells, name) for name in METADATA},
}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("fault", FAULTS)
def test_no_cell_that_fits_is_cut_and_nothing_is_lost(fault, program):
    cells = [*PLAIN, *FAULTS[fault], *PLAIN]
    file_text = read_document_text(PROGRAMS[program](cells), "a.ipynb")
    text, parts = file_text.text, file_text.parts
    assert len(parts.starts) == len(cells)
    document = Document.from_text(text, parts=parts)
    count = load_tokenizer("words").count
    for most in (8, 20, 60):
        for least in (1, most // 2):
            chunker = build_chunker("structure", {"max_size": most, "join_below": least})
            chunks = run_and_time_chunker(chunker, document, tools(tokenizer="words")).chunks
            for (_, source, _), (start, end) in zip(cells, pairwise([*parts.starts, len(text)]), strict=True):
                shown = text[start:end].strip()
                assert " ".join(source.split()) in " ".join(shown.split())
                inside = [chunk.text for chunk in chunks if chunk.start < end and text[start : chunk.start].strip()]
                if count([shown])[0] <= most:
                    assert not inside, f"{shown!r} is cut at {most}: {inside}"
            for chunk in chunks:
                assert count([chunk.text])[0] + count([chunk.context])[0] <= most
            assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(text.split())


def test_a_long_cell_is_cut_as_its_blocks_are():
    cells = [
        markdown("# Lamps"),
        code("\n".join(CODE[:12]), stream("on\n")),
        markdown("## Red\n\nA.\n\n## Green\n\nB. " * 9),
    ]
    file_text = read_document_text(by_nbformat(cells, 4), "a.ipynb")
    chunker = build_chunker("structure", {"max_size": 30, "join_below": 1})
    chunking = run_and_time_chunker(
        chunker, Document.from_text(file_text.text, parts=file_text.parts), tools(tokenizer="words")
    )
    reasons = [gap.reason for gap in chunking.gaps if gap.verdict.is_cut]
    assert any("code block cut between lines" in reason for reason in reasons)
    assert "new heading of level 2" in reasons


def test_a_cell_of_nbformat_3_is_read_as_one_of_nbformat_4():
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Lamps"]},
        {
            "cell_type": "code",
            "language": "julia",
            "input": ["x = 1"],
            "outputs": [
                {"output_type": "stream", "stream": "stdout", "text": ["one\n"]},
                {"output_type": "pyout", "text": ["1"], "prompt_number": 1},
                {"output_type": "display_data", "png": "aGk=", "text": ["<Figure>"]},
                {"output_type": "pyerr", "ename": "E", "evalue": "e", "traceback": []},
            ],
        },
    ]
    book = {"nbformat": 3, "metadata": {"name": ""}, "worksheets": [{"cells": cells[:1]}, {"cells": cells[1:]}]}
    file_text = read_document_text(json.dumps(book).encode(), "a.ipynb")
    assert file_text.text == "## Lamps\n\n```julia\nx = 1\n```\n\n```output\none\n1\nE: e\n```"
    assert file_text.left_out == "Left out: 1 picture."
