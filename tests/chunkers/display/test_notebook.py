"""HTML of results in notebooks: the exact texts and reasons, without any other markup."""

import re
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Chunking, Document, InputError, ModelError, chunk, compare
from chunkers.results import result_html
from chunkers.results.result_html import CHUNK_COLOUR_COUNT
from tests.fixtures.hostile_strings import STRINGS
from tests.properties.texts import texts

TAGS = {
    *("div", "style", "section", "h3", "p", "figure", "figcaption", "ol", "li", "span", "mark"),
    *("svg", "path", "rect", "title"),
}
ATTRIBUTES = {
    *("class", "title", "aria-label", "aria-hidden", "dir", "role", "viewbox", "preserveaspectratio"),
    *("d", "stroke", "stroke-width", "fill", "x", "y", "width", "height", "pointer-events"),
}


class Read(HTMLParser):
    """Reads what a browser would: the elements, and the texts of the chunks."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.texts, self.reasons, self.open = set(), set(), [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}
        css_class = dict(attributes).get("class") or ""
        kind = (
            "text"
            if css_class.startswith("text")
            else "why"
            if css_class == "why"
            else "left out"
            if css_class == "between"
            else ""
        )
        if tag not in ("path", "rect") or tag == "path":
            self.open.append(kind)
        if kind == "text":
            self.texts.append("")
        if kind == "why":
            self.reasons.append("")

    def handle_startendtag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}

    def handle_endtag(self, tag):
        self.open.pop()

    def handle_data(self, data):
        if "left out" in self.open:
            return
        if "text" in self.open:
            self.texts[-1] += data
        if "why" in self.open:
            self.reasons[-1] += data


def check(result):
    read = Read(result._repr_html_())
    assert not read.open
    assert read.tags <= TAGS
    assert read.attributes <= ATTRIBUTES
    wanted = [
        "".join(result.document.text[start:end] for start, end in piece.spans).replace("\0", "\ufffd") for piece in result
    ]
    assert read.texts == [
        f"{piece.context}\n{text}" if piece.context else text for piece, text in zip(result, wanted, strict=True)
    ]
    return read


CHUNKERS = [
    ("breakpoint", {"amount": 60}),
    ("recursive", {"size": 30, "overlap": 10}),
    ("fixed_words", {"size": 4, "overlap": 2}),
    ("kmeans", {"clusters": 2}),
    ("double_pass", {}),
    ("structure", {"max_size": 8}),
]


@pytest.mark.slow
@settings(max_examples=60)
@given(text=texts(8), made=st.sampled_from(CHUNKERS))
def test_the_texts_of_all_chunks_are_there_and_nothing_else_is_made_of_them(text, made):
    name, parameters = made
    check(chunk(text, name, embedder="tfidf", tokenizer="words", sentences="lines", **parameters))


@pytest.mark.parametrize(("name", "parameters"), CHUNKERS)
def test_hostile_strings_are_texts(name, parameters):
    text = "\n".join(STRINGS)
    result = chunk(text, name, embedder="tfidf", tokenizer="words", sentences="lines", **parameters)
    check(result)
    check(Chunking(Document.from_text(text, "lines", STRINGS[0]), result.chunks, result.gaps, notes=tuple(STRINGS)))


def test_every_chunk_has_the_reason_why_it_begins_and_a_kept_gap_has_its_own():
    result = chunk("A b.\nC d.\nE f.\nA b.", "breakpoint", amount=50, embedder="tfidf", sentences="lines")
    html = result._repr_html_()
    cuts = [gap.reason for gap in result.gaps if gap.verdict.is_cut]
    kept = [gap.reason for gap in result.gaps if not gap.verdict.is_cut]
    assert cuts
    assert kept
    assert check(result).reasons == [f"cut: {reason}" for reason in cuts]
    for reason in kept:
        assert f'title="not cut after this: {result_html.escape_html(reason)}"' in html
    # On the curve too, for every gap.
    dots = re.findall(r"<title>after sentence (\d+), (\w+): ", html)
    assert dots == [(str(gap.index + 1), "cut" if gap.verdict.is_cut else "kept") for gap in result.gaps]


def test_what_two_chunks_share_is_marked_and_neighbours_differ_in_colour():
    result = chunk("one two three four five six", "fixed_words", size=3, overlap=1, embedder="tfidf")
    html = result._repr_html_()
    assert re.findall(r'<mark class="again"[^>]*>([^<]*)</mark>', html) == ["three", "five"]
    colours = [int(colour) for colour in re.findall(r'<li class="k(\d)"', html)]
    assert colours == [number % CHUNK_COLOUR_COUNT for number in range(len(result))]


def test_a_chunk_in_several_places_says_where_it_goes_on():
    result = chunk("A a.\nB b.\nA a.\nB b.", "kmeans", clusters=2, embedder="tfidf", sentences="lines")
    assert re.findall(r"from character ([\d,]+)", result._repr_html_()) == ["10", "15"]


def test_of_a_long_text_the_rest_is_counted(monkeypatch):
    monkeypatch.setattr(result_html, "MOST_SHOWN_CHARACTERS", 20)
    result = chunk("\n".join(["ten signs!"] * 5), "fixed_sentences", size=1, sentences="lines", embedder="tfidf")
    html = result._repr_html_()
    assert html.count('<div class="box">') == 2
    assert "3 further chunks not shown here." in html


def test_a_text_without_a_chunk_and_a_result_without_a_recipe():
    empty = chunk("", "breakpoint", embedder="tfidf")
    assert "No chunk." in empty._repr_html_()
    bare = Chunking(empty.document, (), ())
    assert "<h3>Chunks</h3>" in bare._repr_html_()
    assert bare.to_documents() == []


def test_results_are_compared_side_by_side():
    text = "A b.\nC d.\nE f.\nA b."
    one, other = (chunk(text, "fixed_sentences", size=size, sentences="lines", embedder="tfidf") for size in (1, 2))
    both = compare(one, coarse=other)
    assert repr(both) == f"<SideBySide of {one.document!r}; chunks: Fixed sentences: 4, coarse: 2>"
    assert [*both] == [one, other]
    assert (len(both), both[1], both[:1]) == (2, other, (one,))
    html = both._repr_html_()
    assert re.findall("<h3>([^<]*)</h3>", html) == ["Fixed sentences", "coarse"]
    assert re.findall('<span class="name">([^<]*)</span>', html) == ["1 Fixed sentences", "2 coarse"]
    assert Read(html).tags <= TAGS


def test_what_cannot_be_compared_is_a_sentence():
    one, other = (chunk(text, "fixed_sentences", embedder="tfidf") for text in ("A.", "B."))
    with pytest.raises(
        InputError, match=r"^compare: all results must be of the same text; got results of different texts\.$"
    ):
        compare(one, other)
    with pytest.raises(InputError, match=r"^compare: there must be 1 to 6 results; got 0\.$"):
        compare()
    with pytest.raises(InputError, match=r"^compare: there must be 1 to 6 results; got 7\.$"):
        compare(*[one] * 7)
    with pytest.raises(InputError, match=r"^compare: each value must be a result that chunk returned; got 'A'\.$"):
        compare("A")


def test_a_result_is_a_data_frame_of_its_chunks():
    result = chunk("# Guide\nA b. C d.\nE f.", "recursive", size=6, embedded_as="heading_path", embedder="tfidf")
    frame = result.to_dataframe()
    assert [*frame.text] == [*result.texts]
    assert [*zip(frame.start, frame.end, strict=True)] == [(piece.start, piece.end) for piece in result]
    assert [*frame.columns] == [
        *("chunk", "start", "end", "spans", "characters", "words", "heading_path", "text", "embedded_as"),
    ]
    assert frame.heading_path.iloc[-1] == ["Guide"]


def test_without_pandas_a_data_frame_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModelError, match=r"^to_dataframe needs the package pandas, .*'pip install pandas'\.$"):
        chunk("A.", "fixed_sentences").to_dataframe()
