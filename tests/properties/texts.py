"""Strategies for texts and for the bytes of files."""

from hypothesis import strategies as st

from chunkers.text.encodings import ENCODING_CHOICES
from tests.fixtures.hostile_files import docx_file, epub_file, pdf_file, pdf_line

PROSE = [
    "The tide comes in twice a day.",
    "Dr. Hollis measured 3.5 m at 6 p.m. on Jan. 4, i.e. late!",
    'He left. "Where to?" she asked. "Home."',
    "Er ging z. B. am 3. Mai nach Hause. „Wohin?“ »Fort.«",
    "Il part à 7 h. « Je rentre », dit-il. Où ?",
    "¿Qué pasa? ¡Nada! ¿Y tú? Bien.",
    "Он ушёл. «Куда?» — спросила она. Т. е. домой.",
    "Η παλίρροια έρχεται; Ναι. Δύο φορές.",
    "潮は日に二度満ちる。灯台守はそれを書く。「はい。」",
    "这是第一句。这是第二句！这是第三句？",
    "조수는 하루에 두 번 온다. 정말인가?",
    "يأتي المد مرتين في اليوم. هل هذا صحيح؟",
    "הגאות באה פעמיים ביום. נכון?",
    "ज्वार दिन में दो बार आता है। क्या यह सच है?",
    "น้ำขึ้นวันละสองครั้ง ผู้ดูแลจดไว้",
    "ជំនោរឡើងពីរដងក្នុងមួយថ្ងៃ។",
    "ဒီရေသည် တစ်နေ့နှစ်ကြိမ်တက်သည်။",
    "Մակընթացությունը գալիս է։ Ճի՞շտ է։",
    "ማዕበሉ በቀን ሁለት ጊዜ ይመጣል። እውነት ነው፧",
    "மணல். கடல்? அலை!",
]

BLOCKS = [
    "- one item\n- another item\n* a third\n",
    "1. First.\n2. Second.\n   a) inner\n3. Third.\n",
    "| a | b |\n|---|:-:|\n| It is. Yes. | x |\n| | |\n",
    "# A heading\n\nText below it.\n\n## Another\n",
    "```python\nfor i in range(3):\n    print(i)  # done.\n```\n",
    "> quoted. twice.\n> again\n",
    "$$ E = mc^2. $$ and so on; see Sec. 4.2 etc.",
    "Title line\n==========\n\n\n\nBody.\n",
    "{'a': [1, 2.5, \"x.y\"], 'b': None}",
    "https://example.org/a.b?c=d.e#f. Next.",
    "---\ntitle: A. B.\ntags: [x]\n---\n",
    "1. First.\n\n   ```sh\n   run --all\n   ```\n\n2. Second.\n\n   - inner\n\n   More.\nA new line.\n",
    "[one]: https://a.example/b. 'c'\n[two]: <d e>\n",
    "<div>\nIt is. So.\n</div>\n",
    "> Note.\n>\n> - quoted\n>\n> ```\n> code\n> ```\n",
    "| a | b |\n|" + "-" * 300 + "|" + "-" * 300 + "|\n| 1 | 2 |\n| 3 | 4 |\n",
]

ODD = [
    *("👨‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇩🇪", "✋\ufe0f", "\U0001f9d1\u200d\U0001f680"),
    *("e\u0301", "a\u030a\u0323", "\u0301", "ﬁ", "İ", "ß", "ﷺ", "각"),
    *"\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u180e\u061c\u200e\u202e\u2069\ue000\U000e0041\ufffd\uffff\U0010ffff\ufff9",
    *("\x1b[31m", *"\0\x01\x07\x08\x1c\x1f\x7f\x80\x85\u2028\u2029\v\f"),
    *(" ", "  ", "\t", "\u00a0", "\u3000", "\u2009", "\u1680", "\n", "\n\n", "\n \n", "\r\n", "\r\n\r\n", "\r", "\n\r"),
    *("...", "!?", "？！", "- ", "<b>", "&amp;", "---", *".…。|\"“”«¿()'*#\\"),
]

LONG_WORDS = st.builds(
    lambda unit, count: unit * count,
    st.sampled_from(["x", "ab", "。", "é", "น้ำ", "a.", "👩‍👩‍👧", "\u200b", "漢"]),
    st.integers(20, 400),
)

REPEATED = st.builds(
    lambda line, end, count: (line + end) * count,
    st.sampled_from([*PROSE[:3], "Yes.", "No. Yes.", "The same line", "\u200b", "."]),
    st.sampled_from(["\n", " ", "\n\n", "\r\n", "\n" * 50]),
    st.integers(2, 25),
)

PARTS = (
    st.sampled_from(PROSE)
    | st.sampled_from(BLOCKS)
    | st.sampled_from(ODD)
    | LONG_WORDS
    | REPEATED
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
)


@st.composite
def texts(draw, max_parts=24):
    """Return a text of parts that are joined in one way, or in a way of its own at each seam, with any line ends."""
    front = draw(st.sampled_from([[], [], [], [], [], [], ["+++\n[a]\n\nb = 'C. D.'\n+++\n"], [BLOCKS[10]]]))
    parts = [*front, *draw(st.lists(PARTS, max_size=max_parts))]
    joint = draw(st.sampled_from(["", " ", "\n", "\n\n", None]))
    if joint is None:
        text = "".join(part + draw(st.sampled_from(["", " ", "\n", "\n\n"])) for part in parts)
    else:
        text = joint.join(parts)
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    return text if end == "\n" else text.replace("\r\n", "\n").replace("\n", end)


# fmt: off
_TAGS = [
    "p", "b", "i", "div", "span", "h1", "h2", "ul", "ol", "li", "table", "tr", "td", "th", "pre", "code", "blockquote",
    "a", "img", "br", "hr", "script", "style", "svg", "math", "template", "html", "head", "body", "title",
    "meta", "select", "option", "textarea", "dl", "dt", "dd", "form", "noscript", "iframe", "b:c",
]
# fmt: on
_ATTRIBUTES = ["", ' class="x"', " href='#", ' title="a>b"', " onclick=x()", ' charset="utf-16"', " =", ' alt="A picture."']
_LOOSE = [
    "<!--",
    "-->",
    "<!doctype html>",
    "<![CDATA[",
    "]]>",
    "<?php echo 1 ?>",
    "<",
    "&",
    "&#0;",
    "&#x110000;",
    "&#xd800;",
]
_LOOSE += ["&nbsp;", "&notanentity;", '<?xml version="1.0" encoding="latin-1"?>', '<meta charset="shift_jis">', "</", "\0"]


@st.composite
def markup(draw):
    """Return HTML whose tags may be left open, cross each other or be none."""
    tag = st.sampled_from(_TAGS)
    opened = st.builds(lambda name, more: f"<{name}{more}>", tag, st.sampled_from(_ATTRIBUTES))
    part = opened | tag.map("</{}>".format) | st.sampled_from(_LOOSE) | st.sampled_from(PROSE) | st.sampled_from(ODD)
    return "".join(draw(st.lists(part, max_size=30)))


def _encoded(text, encoding):
    return text.encode(encoding, "ignore")


@st.composite
def files(draw):
    """Return a file's name and its bytes: sound, torn, altered, or of another format than the name says."""
    kind = draw(st.sampled_from(["text", "html", "docx", "epub", "pdf", "bytes"]))
    encoding = draw(st.sampled_from([*ENCODING_CHOICES, "utf-8-sig", "utf-16-le", "utf-16-be", "utf-32", "utf-7"]))
    if kind == "text":
        name, data = draw(st.sampled_from(["a.txt", "a.md", "a", "ä b.TXT"])), _encoded(draw(texts(8)), encoding)
    elif kind == "html":
        name, data = draw(st.sampled_from(["a.html", "a.htm", "a.xhtml"])), _encoded(draw(markup()), encoding)
    elif kind == "docx":
        name, data = "a.docx", docx_file("".join(f"<w:p><w:r><w:t>{cell}</w:t></w:r></w:p>" for cell in draw(_CELLS)))
    elif kind == "epub":
        chapters = draw(st.lists(markup(), min_size=1, max_size=3))
        spine = draw(st.lists(st.integers(0, len(chapters)), max_size=4))
        name, data = "a.epub", epub_file([chapter.encode("utf-8", "ignore").decode() for chapter in chapters], spine)
    elif kind == "pdf":
        contents = [pdf_line(cell.encode("latin-1", "ignore")) for cell in draw(_CELLS)]
        name, data = "a.pdf", pdf_file(contents)
    else:
        name, data = "a.bin", draw(st.binary(max_size=300))
    name = draw(st.sampled_from([name, name, name, "a.txt", "a.html", "a.docx", "a.epub", "a.pdf"]))
    return name, draw(_damaged(data))


_CELLS = st.lists(st.sampled_from(PROSE) | st.sampled_from(["<w:tbl/>", "</w:p>", "&lt;", ") Tj", "\\", "a"]), max_size=6)


def _damaged(data):
    """Return a strategy for the data as it is, cut off, with bytes put in, or with some of them changed."""
    places = st.integers(0, len(data))

    def changed(edits):
        altered = bytearray(data)
        for place, byte in edits:
            if place < len(altered):
                altered[place] = byte
        return bytes(altered)

    return st.one_of(
        st.just(data),
        st.just(data),
        places.map(lambda place: data[:place]),
        places.map(lambda place: data[place:]),
        st.builds(lambda place, more: data[:place] + more + data[place:], places, st.binary(min_size=1, max_size=4)),
        st.lists(st.tuples(places, st.integers(0, 255)), min_size=1, max_size=6).map(changed),
    )
