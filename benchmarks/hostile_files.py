"""Time and memory of reading files made to be slow, large or broken."""

import io
import threading
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import psutil

from benchmarks.harness import benchmark, markdown_table, option, print_progress
from chunkers import InputError
from chunkers.support import READ_MEMORY, READ_SECONDS
from chunkers.text import read_document

_CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/'
    'vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="r" Type="{_OFFICE}" Target="word/document.xml"/></Relationships>'
)
_WORD = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{}</w:body></w:document>'
_RUN = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"

MILLION = 1_000_000


def zip_archive(members: dict[str, str | bytes]) -> bytes:
    """Return a ZIP archive of files."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def docx_file(body: str) -> bytes:
    """Return a DOCX file with ``body`` as its XML content."""
    return zip_archive({"[Content_Types].xml": _TYPES, "_rels/.rels": _RELATIONS, "word/document.xml": _WORD.format(body)})


def epub_file(chapters: Sequence[str], spine: Sequence[int], package: str = "") -> bytes:
    """Return an EPUB file of ``chapters``, in the order of ``spine``."""
    items = "".join(f'<item id="c{n}" href="{n}.xhtml"/>' for n in range(len(chapters)))
    order = "".join(f'<itemref idref="c{n}"/>' for n in spine)
    opf = f'{package}<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest><spine>{order}</spine></package>'
    pages: dict[str, str | bytes] = {f"{n}.xhtml": text for n, text in enumerate(chapters)}
    return zip_archive({"META-INF/container.xml": _CONTAINER, "book.opf": opf, **pages})


def pdf_file(contents: Sequence[bytes], kids: Sequence[int] | None = None, trailer: bytes = b"") -> bytes:
    """Return a PDF file with a page for each content, compressed; ``kids`` is the order of the pages."""
    objects = {1: b"<</Type/Catalog/Pages 2 0 R>>", 3: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"}
    for number, content in enumerate(contents):
        packed_content = zlib.compress(content)
        length = b"%d" % len(packed_content)
        objects[4 + 2 * number] = (
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>"
            % (5 + 2 * number)
        )
        objects[5 + 2 * number] = b"<</Length " + length + b"/Filter/FlateDecode>>stream\n" + packed_content + b"\nendstream"
    order = range(len(contents)) if kids is None else kids
    named = b" ".join(b"%d 0 R" % (4 + 2 * kid) for kid in order)
    objects[2] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(order), named)
    file, places = io.BytesIO(), {}
    file.write(b"%PDF-1.7\n")
    for number in sorted(objects):
        places[number] = file.tell()
        file.write(b"%d 0 obj" % number + objects[number] + b"endobj\n")
    table_at = file.tell()
    file.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    for number in sorted(objects):
        file.write(b"%010d 00000 n \n" % places[number])
    file.write(b"trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, trailer, table_at))
    return file.getvalue()


def pdf_line(text: bytes) -> bytes:
    """Return the content of a PDF page that shows a line of text."""
    return b"BT /F 12 Tf 72 700 Td (" + text + b") Tj ET"


def reproducible_noise(words: int) -> bytes:
    """Return four pseudorandom but reproducible bytes per word."""
    return b"".join(zlib.crc32(b"%d" % number).to_bytes(4, "big") for number in range(words))


def encrypted_pdf() -> bytes:
    """Return a PDF file that needs a password."""
    from reportlab.pdfgen.canvas import Canvas

    file = io.BytesIO()
    canvas = Canvas(file, encrypt="key")
    canvas.drawString(72, 700, "secret")
    canvas.save()
    return file.getvalue()


_PROSE = "The tide comes in twice a day, and the keeper writes down how high it stood. "

ONCE_BLOCKING: dict[str, Callable[[], tuple[str, bytes]]] = {
    "EPUB, one chapter 200 times": lambda: ("a.epub", epub_file(["<p>" + _PROSE * 5000 + "</p>"], [0] * 200)),
    "EPUB, 190 MB of spaces": lambda: ("a.epub", epub_file([" " * 190 * MILLION], [0])),
    "DOCX, 20 MB of empty paragraphs": lambda: ("a.docx", docx_file("<w:p/>" * (19 * MILLION // 6))),
    "DOCX, 190 MB in a paragraph": lambda: ("a.docx", docx_file(_RUN.format("a" * 190 * MILLION))),
    "DOCX, 600,000 paragraphs": lambda: ("a.docx", docx_file(_RUN.format("a") * 400_000)),
    "HTML, <!-- 2,000,000 times": lambda: ("a.html", b"<!--" * (2 * MILLION)),
    "HTML, <![CDATA[ 1,000,000 times": lambda: ("a.html", b"<![CDATA[" * MILLION),
    "HTML, <a href=' 1,000,000 times": lambda: ("a.html", b"<a href='" * MILLION),
    "HTML, 1,000,000 list items": lambda: ("a.html", b"<li>Item here.</li>" * MILLION),
    "HTML, & 5,000,000 times": lambda: ("a.html", b"&" * (5 * MILLION)),
    "HTML, < 5,000,000 times": lambda: ("a.html", b"<" * (5 * MILLION)),
    "PDF, 700,000 lines in a page": lambda: ("a.pdf", pdf_file([b"BT /F 12 Tf " + b"(a) Tj " * 700_000 + b"ET"])),
    "PDF, one page 20,000 times": lambda: ("a.pdf", pdf_file([pdf_line(b"a")], [0] * 20_000)),
}
"""Description, name and maker of the bytes of each file that once blocked the server or filled its memory."""

FILES: dict[str, Callable[[], tuple[str, bytes]]] = {
    **ONCE_BLOCKING,
    "PDF, 3,000 pages": lambda: ("a.pdf", pdf_file([pdf_line(_PROSE.encode() * 20)] * 3000)),
    "PDF, torn in the middle": lambda: ("a.pdf", pdf_file([pdf_line(b"a")] * 500)[:60_000]),
    "PDF, protected": lambda: ("a.pdf", encrypted_pdf()),
    "PDF, 200 MB packed in a page": lambda: ("a.pdf", pdf_file([b" " * (200 * MILLION)])),
    "PDF, arrays 100,000 deep": lambda: ("a.pdf", pdf_file([b"[" * 100_000])),
    "PDF, a tree that is its own child": lambda: ("a.pdf", pdf_file([pdf_line(b"a")], [-1])),
    "PDF, 50,000 objects and no table": lambda: (
        "a.pdf",
        b"%PDF-1.7\n" + b"".join(b"%d 0 obj<<>>endobj\n" % number for number in range(50_000)),
    ),
    "PDF, 20 MB of one string": lambda: ("a.pdf", pdf_file([pdf_line(b"a" * (30 * MILLION))])),
    "DOCX, torn": lambda: ("a.docx", docx_file(_RUN.format("a" * 10_000))[:-400]),
    "DOCX, runs 20,000 deep": lambda: ("a.docx", docx_file("<w:sdt><w:sdtContent>" * 20_000)),
    "DOCX, entities of entities": lambda: (
        "a.docx",
        zip_archive(
            {
                "[Content_Types].xml": _TYPES,
                "_rels/.rels": _RELATIONS,
                "word/document.xml": '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><a>&b;</a>',
            }
        ),
    ),
    "DOCX, 100,000 cells": lambda: (
        "a.docx",
        docx_file("<w:tbl><w:tr>" + f"<w:tc>{_RUN.format('a')}</w:tc>" * 100_000 + "</w:tr></w:tbl>"),
    ),
    "EPUB, 1,000 chapters of 190 kB": lambda: ("a.epub", epub_file(["<p>" + _PROSE * 2400 + "</p>"] * 1000, range(1000))),
    "EPUB, entities of entities": lambda: ("a.epub", epub_file(["a"], [0], '<!DOCTYPE a [<!ENTITY a "aaaa">]>')),
    "EPUB, a spine of 1,000,000": lambda: ("a.epub", epub_file(["<p>a</p>"], [0] * MILLION)),
    "EPUB, without its package": lambda: ("a.epub", zip_archive({"META-INF/container.xml": _CONTAINER})),
    "HTML, <b> 1,000,000 times": lambda: ("a.html", b"<b>a" * MILLION),
    "HTML, a table of 1,000,000 cells": lambda: ("a.html", b"<table><tr>" + b"<td>a" * MILLION),
    "HTML, 500,000 attributes": lambda: ("a.html", b"<p " + b" ".join(b"a%d=1" % n for n in range(500_000)) + b">a"),
    "HTML, random bytes": lambda: ("a.html", reproducible_noise(MILLION)),
    "HTML, 20 MB of prose": lambda: ("a.html", b"<p>" + _PROSE.encode() * 250_000),
    "UTF-16, 20 MB": lambda: ("a.txt", (_PROSE * 125_000).encode("utf-16")),
    "Shift-JIS, 15 MB": lambda: (
        "a.txt",
        ("潮は日に二度満ちる。灯台守はその高さを書き留める。\n" * 300_000).encode("shift_jis"),
    ),
    "Windows-1252, 18 MB": lambda: ("a.txt", ("Die Flut kommt täglich, die Wärter hören sie.\n" * 400_000).encode("cp1252")),
    "Text, 19 MB of random bytes": lambda: ("a.txt", reproducible_noise(4_700_000)),
}
"""The files of `ONCE_BLOCKING` and further ones: most are small on disk, but large once unpacked or parsed."""


@contextmanager
def watch_memory_and_pauses() -> Iterator[dict[str, float]]:
    """Measure the memory of the reading processes in MB, and the longest pause of this process in ms."""
    seen = {"memory": 0.0, "still": 0.0}
    ended = threading.Event()
    own = psutil.Process()

    def watch() -> None:
        while not ended.is_set():
            began = time.perf_counter()
            time.sleep(0.01)
            seen["still"] = max(seen["still"], 1000 * (time.perf_counter() - began) - 10)
            for child in own.children():
                with suppress(psutil.Error):
                    seen["memory"] = max(seen["memory"], child.memory_info().rss / MILLION)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()


@benchmark(option("--only", default="", metavar="WORDS", help="files whose description has these words"))
def main(only: str) -> int:
    """Print the time and memory of each file; return 1 if one exceeds the limits."""
    rows, beyond = [], False
    for what, make in FILES.items():
        if only not in what:
            continue
        name, data = make()
        with watch_memory_and_pauses() as seen:
            began = time.perf_counter()
            try:
                outcome = f"{len(read_document(data, name).text):,} characters"
            except InputError as error:
                outcome = str(error).removeprefix(f"{name}: ")
            seconds = time.perf_counter() - began
        beyond |= seconds > READ_SECONDS + 1 or seen["memory"] > READ_MEMORY / MILLION
        figures = [f"{len(data) / 1000:,.0f}", f"{seconds:.1f}", f"{seen['memory']:,.0f}", f"{seen['still']:.0f}"]
        rows.append([what, *figures, outcome[:110]])
        print_progress(*rows[-1])
    print(markdown_table(["file", "kB", "s", "MB", "others wait, ms", "what came out"], rows))
    return int(beyond)


if __name__ == "__main__":
    raise SystemExit(main())
