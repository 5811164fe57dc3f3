"""HTML, PDF, DOCX and EPUB as text: made here by other packages, read, damaged, locked and too large."""

import io
import zipfile
import zlib

import docx
import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from chunkers import InputError
from chunkers.text import extracted_text, file_reading
from chunkers.text.file_reading import read_document_text

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


def book(chapters, spine, **files):
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
            # As most chapters of most books begin.
            declaration = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
            packed.writestr(f"OEBPS/text/chapter {n}.xhtml", f"{declaration}<html><body>{chapter}</body></html>")
        for path, content in files.items():
            packed.writestr(path, content)
    return file.getvalue()


def encryption(reference):
    markup = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#">'
        f'<enc:EncryptedData><enc:CipherData><enc:CipherReference URI="{reference}"/></enc:CipherData></enc:EncryptedData>'
        "</encryption>"
    )
    return {"META-INF/encryption.xml": markup}


def test_html_becomes_markdown_without_what_no_browser_shows():
    read = read_document_text(HTML.encode("utf-16"), "page.HTML")
    assert read.read_as == "HTML, by markdownify, in utf-16"
    assert read.left_out == "Left out: 1 script and 1 picture."
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
    assert read_document_text(page, "page.htm").text == "Größe – naïve"


def test_the_pages_of_a_pdf_are_paragraphs():
    read = read_document_text(pdf(["A lighthouse has a lamp.", "It turns."], ["A buoy floats."]), "marks.pdf")
    assert read.read_as == "PDF, by pypdfium2"
    assert read.text == "A lighthouse has a lamp.\nIt turns.\n\nA buoy floats."


def test_a_word_document_keeps_its_headings_lists_and_tables():
    text = read_document_text(word_file(), "marks.docx").text
    assert text.startswith("## Sea marks\n\nA lighthouse has a lamp.\n\n- red\n\n|")
    assert "| port | red |" in text


def test_the_chapters_of_a_book_come_in_the_order_of_reading():
    read = read_document_text(book(["<h1>Last</h1>", "<h1>First</h1><p>It begins.</p>"], spine=[1, 0]), "novel.epub")
    assert read.text == "# First\n\nIt begins.\n\n# Last"


def test_what_a_book_names_and_has_not_is_left_out_and_counted():
    read = read_document_text(book(["<h1>First</h1>", "<p>Second.</p>"], spine=[9, 0, 8, 1]), "novel.epub")
    assert read.text == "# First\n\nSecond."
    assert read.left_out == "Left out: 2 missing chapters."


def test_a_book_whose_fonts_alone_are_encrypted_is_read():
    assert (
        read_document_text(book(["<p>It begins.</p>"], [0], **encryption("OEBPS/a.otf")), "novel.epub").text == "It begins."
    )


def test_what_is_not_one_of_these_is_text_with_its_encoding():
    read = read_document_text("Größe".encode("utf-8-sig"), "notes.md")
    assert (read.text, read.read_as) == ("Größe", "utf-8-sig")
    assert read_document_text(b"<p>kept</p>", "notes.txt").text == "<p>kept</p>"


def doctype_bomb():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("META-INF/container.xml", '<!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>')
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (b"%PDF-1.7 and then nothing", "torn.pdf", r"torn\.pdf: the file must be a valid PDF; reading it failed: "),
        (
            pdf(["secret"], encrypt="key"),
            "locked.pdf",
            r"locked\.pdf: the PDF must open without a password",
        ),
        (
            pdf([]),
            "scan.pdf",
            r"scan\.pdf: the PDF must contain text; it contains none\. If its pages are pictures",
        ),
        (b"no zip at all", "torn.docx", r"torn\.docx: the file must be a valid DOCX; .*not a zip file"),
        (book([], []), "empty.epub", r"empty\.epub: the EPUB must contain text; it contains none\."),
        (book(["x"], [7]), "wrong.epub", r"wrong\.epub: the EPUB must contain text; it contains none\."),
        (
            book(["x"], [0], **encryption("OEBPS/text/chapter%200.xhtml")),
            "kept.epub",
            r"kept\.epub: an EPUB must not be encrypted, for example by copy protection; 1 of its 1 chapters are ",
        ),
        (doctype_bomb(), "bomb.epub", r"bomb\.epub: the file must be a valid EPUB; .*EntitiesForbidden"),
        (b"", "empty.html", r"empty\.html: the HTML must contain text; it contains none\."),
    ],
)
def test_a_bad_file_is_a_sentence_that_names_it(data, name, words):
    with pytest.raises(InputError, match=words) as caught:
        read_document_text(data, name)
    assert "\n" not in str(caught.value)


def test_what_would_unpack_to_too_much_is_refused_before(monkeypatch):
    monkeypatch.setattr(file_reading, "MAX_UNPACKED_BYTES", 1000)
    with pytest.raises(
        InputError, match=r"large\.epub: the file may unpack to at most 1,000 bytes; it would unpack to 1,\d\d\d\."
    ):
        # The limit is another in this process alone, so it is read here.
        file_reading.extract_text(book(["<p>" + "a" * 700 + "</p>"], [0]), "large.epub", "EPUB")


def test_the_text_of_a_small_file_may_still_be_too_large(monkeypatch):
    data = book(["<p>" + "a" * 1500 + "</p>"] * 2, [0, 1])
    monkeypatch.setattr(extracted_text, "MAX_FILE_BYTES", 2000)
    assert len(data) < 2000
    with pytest.raises(InputError, match=r"long\.epub: the text may have at most 20 MB"):
        file_reading.extract_text(data, "long.epub", "EPUB")


def test_a_locked_pdf_that_opens_without_a_password_is_read():
    data = pdf(["Free to read."], encrypt=StandardEncryption("", "owner", strength=128))
    assert read_document_text(data, "owned.pdf").text == "Free to read."


def spelled(text):
    """Return a PDF that draws these letters from left to right, each by itself, as a font that spells them by a table."""
    table = "".join(f"<{code:02x}> <{letter.encode('utf-16-be').hex()}>\n" for code, letter in enumerate(text, start=65))
    cmap = f"1 begincodespacerange <00> <ff> endcodespacerange {len(text)} beginbfchar\n{table}endbfchar"
    drawn = "".join(f"1 0 0 1 {72 + 9 * place} 700 Tm <{65 + place:02x}> Tj " for place in range(len(text)))
    content = zlib.compress(f"BT /F 12 Tf {drawn} ET".encode())
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Courier/ToUnicode 6 0 R>>",
        b"<</Filter/FlateDecode/Length %d>>stream\n%b\nendstream" % (len(content), content),
        b"<</Length %d>>stream\n%b\nendstream" % (len(cmap), cmap.encode()),
    ]
    written = b"".join(b"%d 0 obj%b endobj\n" % numbered for numbered in enumerate(objects, start=1))
    return b"%PDF-1.7\n" + written + b"trailer<</Size 7/Root 1 0 R>>\n%%EOF"


@pytest.mark.parametrize(
    ("drawn", "text"),
    [
        ("plain", "plain"),
        ("\U0001f30a tide", "\U0001f30a tide"),
        ("\ufb01n", "fin"),
        # As it is drawn: first in letters, then in the forms that letters have within words.
        ("رحب", "بحر"),
        ("\ufeae\ufea4\ufe91", "بحر"),
        ("\ufeae\ufea4\ufe91 \ufeae\ufea4\ufe91\ufedf\ufe8d", "البحر بحر"),
        ("םי", "ים"),
    ],
)
def test_the_letters_of_a_pdf_are_those_that_its_fonts_spell_in_the_order_of_reading(drawn, text):
    assert read_document_text(spelled(drawn), "marks.pdf").text == text


def test_a_word_that_is_hyphenated_over_the_end_of_a_line_stays_so():
    lines = ["The keeper of the light-", "house counts the well-", "known lamps."]
    assert read_document_text(pdf(lines), "marks.pdf").text == "\n".join(lines)


def test_a_pdf_of_which_a_part_is_damaged_says_so():
    data = spelled("a lighthouse")
    assert read_document_text(data, "marks.pdf").left_out == ""
    end = data.index(b"\nendstream")
    # The checksum at the end is another.
    damaged = read_document_text(data[: end - 4] + b"0000" + data[end:], "marks.pdf")
    assert (damaged.text, damaged.left_out) == ("a lighthouse", "Left out: 1 damaged stream.")


@pytest.mark.parametrize(
    ("name", "page", "text"),
    [
        ("a.xhtml", '<?xml version="1.0" encoding="utf-8"?>\n<html><body><p>Hi.</p></body></html>', "Hi."),
        ("a.html", '<?xml version="1.0"?><p>Hi.</p><?php if ($a > 1) { echo "no"; } ?><p>You.</p>', "Hi.\n\nYou."),
        ("a.xhtml", '<html><head><title/><script src="a.js"/></head><body><a id="x"/><p>Hi.</p></body></html>', "Hi."),
        ("a.xhtml", '<html><body><p title="a>b"/><p>1 <![CDATA[< 2]]></p></body></html>', "1 < 2"),
        ("a.html", "<!doctype html><!-- no --><p>Hi.<!-- no -->", "Hi."),
        ("a.html", "<ul><li>One here.<li>Two here.<li>Three.</ul>", "- One here.\n- Two here.\n- Three."),
        ("a.html", "<table><tr><th>a<th>b<tr><td>c<td>d</table>", "| a | b |\n| --- | --- |\n| c | d |"),
        (
            "a.html",
            "<table><tr><th>a|b<th>c<tr><td><code>x|y</code><td>z</table>",
            "| a\\|b | c |\n| --- | --- |\n| `x\\|y` | z |",
        ),
        ("a.html", "<dl><dt>Term<dd>Meaning.</dl>", "Term\n:   Meaning."),
        ("a.html", "<p>One." * 600, "\n\n".join(["One."] * 600)),
        ("a.html", "<p>1 &lt; 2 &amp;amp; 3", "1 < 2 &amp; 3"),
    ],
)
def test_what_the_standards_of_html_and_xhtml_allow_is_understood(name, page, text):
    assert read_document_text(page.encode(), name).text == text


def test_a_chapters_declaration_is_no_text():
    assert read_document_text(book(["<h1>One</h1>"], [0]), "novel.epub").text == "# One"


def test_what_is_left_out_is_said():
    page = "<!-- a --><!-- b --><script>1</script><style>p {}</style><svg></svg><img alt='a buoy'><video></video><p>Hi.</p>"
    left_out = "Left out: 1 script, 2 pictures, 1 video and 2 comments."
    assert read_document_text(page.encode(), "a.html").left_out == left_out
    assert read_document_text(b"<p>Hi.</p>", "a.html").left_out == ""


def test_elements_within_each_other_have_a_limit():
    inside = "<div>" * 490 + "Hi." + "</div>" * 490
    assert read_document_text(inside.encode(), "a.html").text == "Hi."
    with pytest.raises(
        InputError, match=r"a\.html: HTML elements may be nested at most 500 levels deep; a <div> is nested deeper\."
    ):
        read_document_text(b"<div>" * 600 + b"Hi.", "a.html")
