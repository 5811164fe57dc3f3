"""Documents with headings, lists, tables and code as HTML, DOCX, EPUB and PDF, to test the readers' Markdown."""

import html
import io
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from sample_docs import load_sample


class Element(NamedTuple):
    """An element of a document: a heading with its level, or a paragraph, list, table or code with its lines or cells."""

    kind: str
    lines: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    level: int = 0


def handbook() -> list[Element]:
    """Return the long bundled texts as a handbook with chapters, sections, lists, tables and code."""
    elements: list[Element] = []
    number = 0
    for title, name in (("A year of reports", "report"), ("Essays", "essay"), ("An article", "article")):
        elements.append(Element("heading", [title], level=1))
        paragraphs = [part for part in re.split(r"\n\s*\n", load_sample(name).text) if part.strip()]
        for place in range(0, len(paragraphs), 2):
            number += 1
            words = re.findall(r"\w+", paragraphs[place])[:4]
            elements.append(Element("heading", [f"{number}. {' '.join(words)}"], level=2))
            elements += [Element("paragraph", [" ".join(part.split())]) for part in paragraphs[place : place + 2]]
            elements += _extra_elements(number)
    return elements


def station_register() -> list[Element]:
    """Return a register: tables of many sizes under headings, some longer than a chunk, and lists of instructions."""
    elements = [Element("heading", ["Register of the stations"], level=1)]
    for number in range(1, 41):
        elements.append(Element("heading", [f"Station {number}"], level=2))
        elements.append(Element("paragraph", [f"Station {number} reports once a day. Its readings are checked by hand."]))
        elements.append(_readings_table(number, 3 + number % 5 if number % 10 else 40))
        elements.append(Element("paragraph", [f"To read station {number}:"]))
        elements.append(Element("list", [f"open door {number}", "note the level and the time", "close the door again"]))
    return elements


def _extra_elements(number: int) -> Iterator[Element]:
    match number % 4:
        case 0:
            yield Element("paragraph", [f"What to bring to part {number}:"])
            yield Element("list", [f"the key of room {number}", "a torch and chalk", "the notes of last year"])
        case 1:
            yield _readings_table(number, 4)
        case 2:
            yield Element("paragraph", ["The log has a line for each reading, as here:"])
            yield Element("code", [f"2025-05-{day:02} sensor {number} level {number * day}" for day in range(1, 6)])


def _readings_table(number: int, rows: int) -> Element:
    head = ["day", "level (m)", "remark"]
    days = range(1, rows + 1)
    return Element("table", rows=[head, *([f"{day} May", f"{(number * day) % 17 / 2}", "as usual"] for day in days)])


def to_html(elements: Sequence[Element]) -> bytes:
    """Return the elements as an HTML page."""
    body = "\n".join(map(_html_element, elements))
    return f"<!DOCTYPE html><html><head><title>A page</title></head><body>{body}</body></html>".encode()


def _html_element(element: Element) -> str:
    lines = [html.escape(line) for line in element.lines]
    match element.kind:
        case "heading":
            return f"<h{element.level}>{lines[0]}</h{element.level}>"
        case "list":
            return f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"
        case "code":
            return "<pre><code>" + "\n".join(lines) + "</code></pre>"
        case "table":
            head, *rows = [[html.escape(cell) for cell in row] for row in element.rows]
            top = "".join(f"<th>{cell}</th>" for cell in head)
            below = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
            return f"<table><thead><tr>{top}</tr></thead><tbody>{below}</tbody></table>"
    return f"<p>{lines[0]}</p>"


def to_docx(elements: Sequence[Element]) -> bytes:
    """Return the elements as a DOCX file, with Word's styles for headings and lists."""
    import docx

    document = docx.Document()
    for element in elements:
        match element.kind:
            case "heading":
                document.add_heading(element.lines[0], element.level)
            case "list":
                for line in element.lines:
                    document.add_paragraph(line, style="List Bullet")
            case "table":
                table = document.add_table(len(element.rows), len(element.rows[0]))
                for row, cells in zip(table.rows, element.rows, strict=True):
                    for cell, words in zip(row.cells, cells, strict=True):
                        cell.text = words
            case _:
                for line in element.lines:
                    document.add_paragraph(line)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def to_epub(elements: Sequence[Element]) -> bytes:
    """Return the elements as an EPUB file with a chapter for each heading of level 1."""
    chapters: list[list[Element]] = []
    for element in elements:
        if element.level == 1 or not chapters:
            chapters.append([])
        chapters[-1].append(element)
    names = [f"c{number}" for number in range(len(chapters))]
    items = "".join(f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in names)
    spine = "".join(f'<itemref idref="{name}"/>' for name in names)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/>'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr("META-INF/container.xml", container)
        book.writestr("book.opf", package)
        for name, chapter in zip(names, chapters, strict=True):
            body = "\n".join(map(_html_element, chapter))
            book.writestr(f"{name}.xhtml", f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{body}</body></html>')
    return file.getvalue()


def to_pdf(elements: Sequence[Element]) -> bytes:
    """Return the elements as a PDF file, which does not mark headings."""
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Flowable, ListFlowable, Paragraph, Preformatted, SimpleDocTemplate, Table

    styles = getSampleStyleSheet()
    flow: list[Flowable] = []
    for element in elements:
        lines = [html.escape(line) for line in element.lines]
        match element.kind:
            case "heading":
                flow.append(Paragraph(lines[0], styles[f"Heading{element.level}"]))
            case "list":
                flow.append(ListFlowable([Paragraph(line, styles["Normal"]) for line in lines], bulletType="bullet"))
            case "table":
                flow.append(Table([[*row] for row in element.rows]))
            case "code":
                flow.append(Preformatted("\n".join(element.lines), styles["Code"]))
            case _:
                flow.append(Paragraph(lines[0], styles["Normal"]))
    file = io.BytesIO()
    SimpleDocTemplate(file).build(flow)
    return file.getvalue()


FILES: dict[str, Callable[[], bytes]] = {
    "handbook.html": lambda: to_html(handbook()),
    "handbook.docx": lambda: to_docx(handbook()),
    "handbook.epub": lambda: to_epub(handbook()),
    "handbook.pdf": lambda: to_pdf(handbook()),
    "register.html": lambda: to_html(station_register()),
    "register.docx": lambda: to_docx(station_register()),
}
"""Makers of the files, by file name."""
