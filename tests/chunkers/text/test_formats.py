"""HTML, PDF, DOCX and EPUB as text: made here by other packages, read, damaged, locked and too large."""

import io
import zipfile

import docx
import pypdf
import pytest
from reportlab.pdfgen.canvas import Canvas

from chunkers import InputError
from chunkers.text import formats, reading
from chunkers.text.reading import read_document

HTML = """<!doctype html><html><head><title>Not seen</title><style>p { color: red }</style></head><body>
<h1>Sea marks</h1><p>A <a href="https://example.org/?a=1">lighthouse</a> has a <b>lamp</b>, 2 * 3 lenses &amp; a_name.</p>
<ul><li>red</li><li>green</li></ul><script>alert("no")</script>
<table><tr><th>Mark</th><th>Light</th></tr><tr><td>port</td><td>red</td></tr></table>
<img src="data:image/png;base64,AAAA" alt="a buoy"><pre>x = 1
y = 2</pre></body></html>"""


def pdf(*pages, encrypt=None):
    file = io.BytesIO()
    canvas = Canvas(file, encrypt=encrypt)
    for lines in pages:
        for number, line in enumerate(lines):
            canvas.drawString(72, 720 - 14 * number, line)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def word_file():
    document = docx.Document()
    document.add_heading("Sea marks", level=2)
    document.add_paragraph("A lighthouse has a lamp.")
    document.add_paragraph("red", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for cell, words in zip(
        [cell for row in table.rows for cell in row.cells], ("Mark", "Light", "port", "red"), strict=True
    ):
        cell.text = words
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def book(chapters, spine):
    items = "".join(f'<item id="c{n}" href="text/chapter%20{n}.xhtml"/>' for n in range(len(chapters)))
    order = "".join(f'<itemref idref="c{n}"/>' for n in spine)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("mimetype", "application/epub+zip")
        packed.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        )
        packed.writestr(
            "OEBPS/book.opf",
            f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest><spine>{order}</spine></package>',
        )
        for n, chapter in enumerate(chapters):
            packed.writestr(f"OEBPS/text/chapter {n}.xhtml", f"<html><body>{chapter}</body></html>")
    return file.getvalue()


def test_html_becomes_markdown_without_what_no_browser_shows():
    read = read_document(HTML.encode("utf-16"), "page.HTML")
    assert read.read_as == "HTML, by markdownify"
    assert read.text.split("\n\n") == [
        "# Sea marks",
        "A lighthouse has a **lamp**, 2 * 3 lenses & a_name.",
        "- red\n- green",
        "| Mark | Light |\n| --- | --- |\n| port | red |",
        "a buoy",
        "```\nx = 1\ny = 2\n```",
    ]


def test_html_says_its_own_encoding():
    page = '<meta charset="windows-1252"><p>Größe – naïve</p>'.encode("windows-1252")
    assert read_document(page, "page.htm").text == "Größe – naïve"


def test_the_pages_of_a_pdf_are_paragraphs():
    read = read_document(pdf(["A lighthouse has a lamp.", "It turns."], ["A buoy floats."]), "marks.pdf")
    assert read.read_as == "PDF, by pypdf"
    assert read.text == "A lighthouse has a lamp.\nIt turns.\n\nA buoy floats."


def test_a_word_document_keeps_its_headings_lists_and_tables():
    text = read_document(word_file(), "marks.docx").text
    assert text.startswith("## Sea marks\n\nA lighthouse has a lamp.\n\n- red\n\n|")
    assert "| port | red |" in text


def test_the_chapters_of_a_book_come_in_the_order_of_reading():
    read = read_document(book(["<h1>Last</h1>", "<h1>First</h1><p>It begins.</p>"], spine=[1, 0]), "novel.epub")
    assert read.text == "# First\n\nIt begins.\n\n# Last"


def test_what_is_not_one_of_these_is_text_with_its_encoding():
    assert read_document("Größe".encode("utf-8-sig"), "notes.md") == ("Größe", "utf-8-sig")
    assert read_document(b"<p>kept</p>", "notes.txt").text == "<p>kept</p>"


def doctype_bomb():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("META-INF/container.xml", '<!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>')
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (b"%PDF-1.7 and then nothing", "torn.pdf", r"torn\.pdf: the file must be a sound PDF; reading it failed with: "),
        (
            pdf(["secret"], encrypt="key"),
            "locked.pdf",
            r"locked\.pdf: the PDF must be readable without a password",
        ),
        (pdf([]), "scan.pdf", r"scan\.pdf: the PDF must hold text; it has none, perhaps pictures of it\."),
        (b"no zip at all", "torn.docx", r"torn\.docx: the file must be a sound DOCX; .*not a zip file"),
        (book([], []), "empty.epub", r"empty\.epub: the EPUB must hold text; it has none\."),
        (book(["x"], [7]), "wrong.epub", r"wrong\.epub: the file must be a sound EPUB; reading it failed with: 'c7'"),
        (doctype_bomb(), "bomb.epub", r"bomb\.epub: the file must be a sound EPUB; .*EntitiesForbidden"),
        (b"", "empty.html", r"empty\.html: the HTML must hold text; it has none\."),
    ],
)
def test_a_bad_file_is_a_sentence_that_names_it(data, name, words):
    with pytest.raises(InputError, match=words) as caught:
        read_document(data, name)
    assert "\n" not in str(caught.value)


def test_what_would_unpack_to_too_much_is_refused_before(monkeypatch):
    monkeypatch.setattr(formats, "MAX_UNPACKED", 1000)
    with pytest.raises(InputError, match=r"large\.epub: the file may unpack to at most 1,000 bytes; it has 1,\d\d\d\."):
        read_document(book(["<p>" + "a" * 700 + "</p>"], [0]), "large.epub")


def test_the_text_of_a_small_file_may_still_be_too_large(monkeypatch):
    data = book(["<p>" + "a" * 3000 + "</p>"], [0])
    monkeypatch.setattr(reading, "MAX_BYTES", 2000)
    assert len(data) < 2000
    with pytest.raises(InputError, match=r"the text of long\.epub: a document may have at most 20 MB"):
        read_document(data, "long.epub")


def test_a_locked_pdf_that_opens_without_a_password_is_read():
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf(["Free to read."])))
    writer.encrypt("", owner_password="owner", algorithm="RC4-128")
    file = io.BytesIO()
    writer.write(file)
    assert read_document(file.getvalue(), "owned.pdf").text == "Free to read."
