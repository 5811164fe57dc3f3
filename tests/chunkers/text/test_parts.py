"""Pages and chapters in a text, and the page of every chunk, checked against the words put on each page."""

import csv
import io
import json
import random
import re
import zipfile
from itertools import islice, product
from string import ascii_lowercase

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from chunkers import Document, build_chunker, run_chunker
from chunkers.commands.chunk_command import main
from chunkers.recipes.result_export import to_csv, to_jsonl, to_parquet
from chunkers.text.extracted_text import LONGEST_LABEL, TextParts, substitute_and_move_offsets
from chunkers.text.file_reading import read_document_text
from chunkers.text.pdf import LEAST_PAGES_WITH_LINE, find_header_footer_lines
from tests.support import tools

PAGES = 200
LINES = 12
HEADER = "Yearbook of the sea marks, 2025 edition"


def words():
    """Return words that occur once each, in sentences of 3 to 24."""
    seeded = random.Random(3)
    unique = ("".join(letters) for letters in product(ascii_lowercase, repeat=4))
    while True:
        sentence = list(islice(unique, seeded.randint(3, 24)))
        yield [sentence[0].capitalize(), *sentence[1:-1], f"{sentence[-1]}."]


def pages_of_words():
    """Return the lines of every page: sentences run over the ends of lines and pages."""
    flowing = (word for sentence in words() for word in sentence)
    return [[" ".join(islice(flowing, 9)) for _ in range(LINES)] for _ in range(PAGES)]


def pdf(pages, *, header="", footer="", first_header=True, labels=()):
    """Return a PDF with these lines on its pages, ``{n}`` in header and footer being the number of the page.

    ``labels`` are pages, from 0, and the style of the labels from there on.
    """
    file = io.BytesIO()
    canvas = Canvas(file)
    for first, style in labels:
        canvas.addPageLabel(first, style=style, start=1)
    for number, lines in enumerate(pages, start=1):
        if header and (number > 1 or first_header):
            canvas.drawString(72, 800, header.format(n=number))
        for row, line in enumerate(lines):
            canvas.drawString(72, 740 - 14 * row, line)
        if footer:
            canvas.drawString(280, 40, footer.format(n=number))
        canvas.showPage()
    canvas.save()
    return file.getvalue()


@pytest.fixture(scope="module")
def put():
    """Return the lines that are put on every page, and the page of every word, from 1."""
    pages = pages_of_words()
    return pages, {word: number for number, lines in enumerate(pages, start=1) for word in " ".join(lines).split()}


@pytest.fixture(scope="module")
def yearbook(put):
    return read_document_text(pdf(put[0], header=HEADER, footer="Page {n} of 200", first_header=False), "yearbook.pdf")


@pytest.mark.parametrize(
    ("chunker", "parameters"),
    [
        ("fixed_sentences", {"size": 3}),
        ("fixed_sentences", {"size": 40}),
        ("recursive", {"size": 400}),
        ("fixed_characters", {"size": 333}),
    ],
)
def test_every_chunk_of_a_long_pdf_is_on_the_pages_that_its_words_were_put_on(put, yearbook, chunker, parameters):
    page_of = put[1]
    document = Document.from_text(yearbook.text, "regex", "yearbook.pdf", yearbook.parts)
    chunking = run_chunker(build_chunker(chunker, parameters), document, tools(None))
    crossing = 0
    for chunk in chunking.chunks:
        whole = [word for word in chunk.text.split() if word in page_of]
        page_names = yearbook.parts.labels_of_overlapped_parts(chunk.spans)
        # A chunk of characters may begin and end within a word, which is on the page of its neighbour or the one beside it.
        assert {str(page_of[word]) for word in whole} <= set(page_names)
        if chunker != "fixed_characters":
            assert page_names == [str(page) for page in range(page_of[whole[0]], page_of[whole[-1]] + 1)]
        crossing += len(page_names) > 1
    assert crossing > 30
    assert {name for chunk in chunking.chunks for name in yearbook.parts.labels_of_overlapped_parts(chunk.spans)} == {
        *map(str, range(1, 201))
    }


def test_what_returns_on_every_page_is_left_out_and_counted(put, yearbook):
    assert yearbook.left_out == "Left out: 200 repeated footers and 199 repeated headers."
    assert yearbook.text.split() == [word for lines in put[0] for word in " ".join(lines).split()]
    assert {
        (omission.part_number, omission.text) for omission in yearbook.omissions if omission.noun == "repeated header"
    } == {(number, HEADER) for number in range(1, 200)}
    assert (0, "Page 1 of 200") in {(omission.part_number, omission.text) for omission in yearbook.omissions}


def test_a_sentence_that_goes_on_over_a_page_break_is_one(yearbook):
    document = Document.from_text(yearbook.text, "sentencex:en", parts=yearbook.parts)
    over = [span for span in document.sentences if len(yearbook.parts.labels_of_overlapped_parts([span])) == 2]
    assert len(over) > PAGES / 2
    assert all(sentence[0].isupper() and sentence.endswith(".") for sentence in document.sentence_texts[:-1])


def test_a_header_without_a_number_stays_on_the_first_page_where_it_may_be_the_title(put):
    read = read_document_text(pdf(put[0][:9], header="Sea marks"), "marks.pdf")
    assert read.text.startswith(f"Sea marks\n{put[0][0][0]}")
    assert read.text.count("Sea marks") == 1
    assert read.left_out == "Left out: 8 repeated headers."
    assert (
        read_document_text(pdf(put[0][:9], header="Sea marks {n}"), "marks.pdf").left_out == "Left out: 9 repeated headers."
    )


def test_pages_are_called_by_their_labels(put):
    labels = ((0, "ROMAN_LOWER"), (4, "ARABIC"))
    data = pdf([*put[0][:6], [""], *put[0][6:9]], footer="{n}", labels=labels)
    read = read_document_text(data, "marks.pdf")
    assert read.parts.labels == ("i", "ii", "iii", "iv", "1", "2", "3", "4", "5", "6")
    assert read.left_out == "Left out: 10 page numbers."
    for number, lines in enumerate([*put[0][:6], [""], *put[0][6:9]]):
        for line in filter(None, lines):
            at = read.text.index(line)
            assert read.parts.part_number_at(at) == number
            assert read.parts.label_of_spans([(at, at + len(line))]) == f"p. {read.parts.labels[number]}"


def test_printed_labels_are_page_numbers_too():
    roman = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "1", "2", "3", "4", "5", "6", "7"]
    pages = [f"Words of one kind {'x' * number}\nand {'more' * number}.\n{label}" for number, label in enumerate(roman)]
    assert [[line.text for line in lines] for lines in find_header_footer_lines(pages, roman)] == [
        [label] for label in roman
    ]


@pytest.mark.parametrize(
    "line",
    [
        lambda n: f"{n * n} marks were counted",  # numbers that do not go with the page
        lambda n: f"{n} {3 * n} {5 * n}",  # the row of a table, in which one number does
        lambda n: "Chapter " + "I" * n,
        lambda n: "the same line of text " * 12,  # too long for a header
        lambda n: "Only on a few" if n < LEAST_PAGES_WITH_LINE else f"{'word ' * n}",
    ],
)
def test_text_at_the_edge_of_pages_is_no_header(line):
    pages = [f"{line(n)}\nSome text {'abcdefghijklmnop'[n]}." for n in range(1, 13)]
    assert find_header_footer_lines(pages, [str(n) for n in range(1, 13)]) == [[] for _ in pages]


@pytest.mark.parametrize("heading", ["Chapter {}", "KAPITEL {}.", "Section {}: Lamps", "第{}章", "§ {}"])
def test_numbers_of_chapters_that_are_those_of_pages_make_no_header(heading):
    pages = [f"{heading.format(n)}\nText {n * 7} of it.\n{n}" for n in range(1, 13)]
    running = find_header_footer_lines(pages, [str(n) for n in range(1, 13)])
    assert [[line.text for line in some] for some in running] == [[str(n)] for n in range(1, 13)]


@pytest.mark.parametrize(("size", "headers"), [(16, 0), (11, 12)])
def test_a_numbered_line_larger_than_the_text_is_a_heading(size, headers):
    made = io.BytesIO()
    canvas = Canvas(made)
    for number in range(1, 13):
        canvas.setFont("Helvetica", size)
        canvas.drawString(72, 780, f"Voyage {number}")
        canvas.setFont("Helvetica", 11)
        for line in range(9):
            canvas.drawString(72, 740 - 14 * line, f"The keeper of light {number * 31 + line * 7} wrote this down.")
        canvas.showPage()
    canvas.save()
    read = read_document_text(made.getvalue(), "voyages.pdf")
    assert [omission.noun for omission in read.omissions] == ["repeated header"] * headers
    assert read.text.count("Voyage") == 12 - headers


def test_what_returns_within_a_page_is_no_header():
    pages = [f"{'ab' * n} first\nThe same line.\n{'cd' * n} last" for n in range(1, 13)]
    assert not any(find_header_footer_lines(pages, [""] * 12))


def test_pages_that_are_all_alike_stay():
    assert not any(find_header_footer_lines(["One line.\nAnother."] * 20, [str(n) for n in range(20)]))


def test_lines_of_the_text_that_stand_on_every_page_stay():
    # As on forms: the same words at the same place, but well within the page.
    lines = [["Name of the keeper:", f"entry {'abcdefghij'[number]}", "Signed on the reef:"] for number in range(10)]
    read = read_document_text(pdf(lines, header=HEADER, footer="Page {n}"), "forms.pdf")
    assert read.text.count("Name of the keeper:") == read.text.count("Signed on the reef:") == 10
    assert read.text.count(HEADER) == 1
    assert "Page 7" not in read.text


def test_left_and_right_pages_may_have_headers_of_their_own():
    pages = [f"{('The book', 'The part')[n % 2]}\n{'text ' * (n + 1)}" for n in range(12)]
    running = [[line.text for line in some] for some in find_header_footer_lines(pages, [""] * 12)]
    assert running == [[], ["The part"], *[["The book"], ["The part"]] * 5]


def test_titles_of_chapters_go_with_the_number_of_the_page_if_most_pages_have_it_there():
    heads = ["1", "Of lamps 2", "Of lamps 3", "4", "5 Of buoys", "Of buoys 6", "7 Of buoys", "Of ships 8", "9", "Year 1900"]
    pages = [f"{head}\n{'text ' * (n + 1)}" for n, head in enumerate(heads)]
    gone = [[line.text for line in some] for some in find_header_footer_lines(pages, [""] * 10)]
    # “5 Of buoys” and “7 Of buoys” are the same line, and “Of buoys 6” and “Of ships 8” stand alone, as text might.
    stays = {"Of buoys 6", "Of ships 8", "Year 1900"}
    assert gone == [[] if head in stays else [head] for head in heads]
    # Where most pages have no number there, a number is text.
    few = [f"{head if n < 4 else 'abcdefghij'[n]}\n{'text ' * (n + 1)}" for n, head in enumerate(heads)]
    assert not any(find_header_footer_lines(few, [""] * 10))


def test_a_page_without_the_header_keeps_its_text():
    pages = [f"The book\n{'text ' * (n + 1)}\n– {n + 7} –" for n in range(12)]
    pages[5] = "A chapter begins\nwith its text"
    running = [[line.text for line in some] for some in find_header_footer_lines(pages, [""] * 12)]
    assert running[5] == []
    assert running[4] == ["The book", "– 11 –"]


@given(st.lists(st.lists(st.sampled_from(["head", "7", "8", "a", "b c", "", " "]), max_size=5), max_size=12))
def test_running_lines_are_edges_and_leave_most_pages_some_text(pages):
    texts = ["\n".join(lines) for lines in pages]
    page_lines = find_header_footer_lines(texts, [str(number) for number in range(1, len(pages) + 1)])
    left = 0
    for number, (text, some) in enumerate(zip(texts, page_lines, strict=True)):
        lines = text.split("\n")
        gone = {running.line_number for running in some}
        assert len(gone) == len(some)
        kept = [place for place, line in enumerate(lines) if line.strip() and place not in gone]
        left += bool(kept)
        # Between what goes and the edge only such lines lie; on the first page those that stay as they may be the title.
        if kept and number:
            assert not any(kept[0] < place < kept[-1] for place in gone)
    assert 2 * left >= sum(bool(text.strip()) for text in texts)


# ---- books ----------------------------------------------------------------------------------------------------------


def book(chapters, *, nav="", ncx=""):
    """Return an EPUB; ``nav`` is the body of its navigation document, ``ncx`` the navMap of an older table of contents."""
    items = [f'<item id="c{n}" href="text/c%20{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(chapters))]
    items += ['<item id="nav" href="toc/nav.xhtml" properties="nav scripted"/>'] * bool(nav)
    items += ['<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'] * bool(ncx)
    order = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
        )
        packed.writestr(
            "OEBPS/book.opf",
            '<package xmlns="http://www.idpf.org/2007/opf">'
            f"<manifest>{''.join(items)}</manifest><spine>{order}</spine></package>",
        )
        for n, chapter in enumerate(chapters):
            packed.writestr(f"OEBPS/text/c {n}.xhtml", f"<html><body>{chapter}</body></html>")
        space = 'xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'
        packed.writestr("OEBPS/toc/nav.xhtml", f"<html {space}><body>{nav}</body></html>")
        packed.writestr("OEBPS/toc.ncx", f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{ncx}</navMap></ncx>')
    return file.getvalue()


CHAPTERS = ["<h1>Of  <i>lamps</i></h1><p>A lamp.</p>", "<p>Untitled.</p><img/>", "<p> </p>", "<h2>Buoys</h2><p>A buoy.</p>"]
NAV = """<nav epub:type="landmarks"><a href="../text/c%200.xhtml">Start</a></nav><nav epub:type="toc"><ol>
<li><a href="../text/c%200.xhtml#a">The
 <b>lamps</b></a></li><li><a href="../text/c%200.xhtml#b">More lamps</a></li>
<li><a href="../text/c%203.xhtml"> </a></li></ol></nav>"""
NCX = '<navPoint><navLabel><text>Lamps of old</text></navLabel><content src="text/c%200.xhtml"/></navPoint>'


@pytest.mark.parametrize(
    ("contents", "first"),
    [
        ({}, "Of lamps"),
        ({"nav": NAV, "ncx": NCX}, "The lamps"),
        ({"ncx": NCX}, "Lamps of old"),
        ({"nav": "<a>", "ncx": NCX}, "Lamps of old"),
        ({"nav": '<nav epub:type="toc"><a href="%00://[">x</a></nav>'}, "Of lamps"),
    ],
)
def test_chapters_are_called_as_in_the_contents_or_by_their_heading_or_number(contents, first):
    read = read_document_text(book(CHAPTERS, **contents), "marks.epub")
    assert read.parts.kind == "chapter"
    assert read.parts.labels == (first, "2", "3", "Buoys")
    for words, number in (("A lamp.", 0), ("Untitled.", 1), ("Buoys", 3), ("A buoy.", 3)):
        assert read.parts.part_number_at(read.text.index(words)) == number
    at = read.text.index("Untitled.")
    assert read.parts.label_of_spans([(at, at + 9)]) == "ch. 2"
    assert read.parts.labels_of_overlapped_parts([(0, len(read.text))]) == [first, "2", "Buoys"]
    assert [(omission.noun, omission.part_number) for omission in read.omissions] == [("picture", 1)]


@pytest.mark.slow
def test_a_title_of_any_length_is_a_short_line():
    read = read_document_text(book([f"<h1>{'deep <b>sea</b> ' * 9000}</h1>"]), "marks.epub")
    assert len(read.parts.labels[0]) == LONGEST_LABEL
    assert read.parts.labels[0].endswith("…")
    assert read.parts.label_of_spans([(0, 9)]) == "deep sea deep sea deep sea deep sea dee…"


# ---- places -----------------------------------------------------------------------------------------------------------


@given(st.text("ab\n\r \t", max_size=60), st.lists(st.integers(0, 60)))
def test_places_move_with_the_characters_that_stay(text, places):
    places = sorted(place for place in places if place <= len(text))
    for pattern, replacement in ((r"\r\n", "\n"), (r"\n(?:[^\S\n]*+\n){2,}", "\n\n"), (r"a+", "")):
        compiled = re.compile(pattern)
        new, moved = substitute_and_move_offsets(compiled, replacement, text, places)
        assert new == compiled.sub(replacement, text)
        assert len(moved) == len(places)
        replaced = {place for match in compiled.finditer(text) for place in range(*match.span())}
        for old, place in zip(places, moved, strict=True):
            if old < len(text) and old not in replaced:
                assert text[old] == new[place]
                assert compiled.sub(replacement, text[:old] + "|" + text[old:]).index("|") >= place or pattern == r"a+"


def test_pages_in_words():
    parts = TextParts("page", (0, 10, 20, 20, 30), ("i", "1", "2", "3", "4"))
    assert parts.label_of_spans([(0, 5)]) == "p. i"
    assert parts.label_of_spans([(3, 11)]) == "pp. i–1"
    assert parts.label_of_spans([(0, 5), (20, 25)]) == "pp. i, 3"
    assert parts.labels_of_overlapped_parts([(15, 31)]) == ["1", "3", "4"]
    assert parts.label_of_spans([(0, 2), (2, 5)]) == "p. i"
    many = TextParts("page", tuple(range(20)), tuple(map(str, range(1, 21))))
    assert many.label_of_spans([(n, n + 1) for n in range(0, 20, 2)]) == "pp. 1, 3, 5, 7, …"
    assert TextParts("chapter", (0, 9), ("Lamps", "2")).label_of_spans([(0, 12)]) == "Lamps – ch. 2"


@pytest.mark.parametrize(("starts", "labels"), [((), ()), ((0,), ()), ((5, 3), ("1", "2")), ((-1,), ("1",))])
def test_parts_that_cannot_be_are_refused(starts, labels):
    with pytest.raises(ValueError, match="part"):
        TextParts("page", starts, labels)


def test_the_same_text_with_and_without_pages_are_two_documents():
    text = "One is here. Two is here."
    plain, other = (
        Document.from_text(text, "regex"),
        Document.from_text(text, "regex", parts=TextParts("page", (0,), ("1",))),
    )
    third = Document.from_text(text, "regex", parts=TextParts("page", (0,), ("i",)))
    assert len({plain.identity, other.identity, third.identity}) == 3
    assert plain != other
    assert other.identity == Document.identity_of(text, "regex", other.parts)


# ---- files of chunks --------------------------------------------------------------------------------------------------


def test_every_file_of_chunks_has_the_pages():
    document = Document.from_text("One.\nTwo.\nThree.", "lines", parts=TextParts("page", (0, 5, 10), ("iv", "=1", "2")))
    chunking = run_chunker(build_chunker("fixed_sentences", {"size": 2}), document, tools(None))
    wanted = [(1, ["iv", "=1"]), (3, ["2"])]
    assert [(row["page"], row["pages"]) for row in map(json.loads, to_jsonl(chunking).splitlines())] == wanted
    assert [(row["page"], row["pages"]) for row in pq.read_table(io.BytesIO(to_parquet(chunking))).to_pylist()] == wanted
    rows = list(csv.DictReader(io.StringIO(to_csv(chunking), newline="")))
    assert [(int(row["page"]), json.loads(row["pages"])) for row in rows] == wanted


def test_the_command_line_tells_the_pages_of_a_pdf_and_the_chapters_of_a_book(tmp_path, capsys):
    (tmp_path / "a.pdf").write_bytes(pdf([["A lamp shines."], ["A buoy floats."]]))
    (tmp_path / "b.epub").write_bytes(book(CHAPTERS))
    assert main([str(tmp_path), "--chunker", "fixed_sentences:size=1", "--sentences", "lines"]) == 0
    pages, chapters = map(json.loads, capsys.readouterr().out.splitlines())
    assert [(chunk["page"], chunk["pages"]) for chunk in pages["chunks"]] == [(1, ["1"]), (2, ["2"])]
    assert [(chunk["chapter"], chunk["chapters"]) for chunk in chapters["chunks"]][-1] == (4, ["Buoys"])
