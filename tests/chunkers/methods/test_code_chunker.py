"""Code by its syntax: no function that fits is cut, in sources of installed packages; broken code is cut all the same."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunkers import Cancelled, Document, InputError, Recipe, build_chunker, chunk, load_tokenizer
from chunkers.contract.base import run_and_time_chunker
from chunkers.methods.code import Code
from chunkers.text import code_syntax
from chunkers.text.code_syntax import CODE_FILE_ENDINGS, GRAMMARS, detect_programming_language
from tests.fixtures.source_functions import function_spans, is_cut, source_files
from tests.lanes import mostly_full
from tests.properties.promises import check_result
from tests.support import tools


@pytest.mark.parametrize("most", mostly_full([60, 250], [250]))
@pytest.mark.parametrize(
    ("kind", "count"),
    [
        ("python", 12),
        pytest.param("python", 500, marks=pytest.mark.full),
        pytest.param("javascript", 120, marks=pytest.mark.full),
        pytest.param("c", 150, marks=pytest.mark.full),
        pytest.param("cpp", 150, marks=pytest.mark.full),
    ],
)
@pytest.mark.slow
def test_at_most_one_function_in_a_hundred_that_fits_is_cut(kind, count, most):
    counted = load_tokenizer("words").count
    fitting = cut = 0
    for text in source_files(kind, count):
        document = Document.from_text(text, "lines")
        starts = [
            piece.start
            for piece in run_and_time_chunker(build_chunker("code", {"max_size": most, "language": kind}), document, tools())
        ]
        for start, end in function_spans(text, kind):
            if counted([text[start:end]])[0] <= most:
                fitting += 1
                cut += is_cut((start, end), starts)
    assert fitting > 5 * min(count, 12)
    assert cut <= fitting / 100, f"{cut} of {fitting}"


PARSER = '''"""Reads dates."""

import re


class Parser:
    """Reads them one by one."""

    # The form of a date.
    form = re.compile(r"\\d+")

    # Finds the first.
    @staticmethod
    def first(text):
        """Return the first date."""
        return Parser.form.search(text)

    def parse(self, text):
        if not text:
            raise ValueError("nothing to read")
        else:
            found = self.first(text)
        for part in found.groups():
            print(part, "and so on, one after another")
            print(part, "until all of them are done")
        return found


def main():
    Parser().parse("today")
'''


def made(text=PARSER, name="text", **parameters):
    document = Document.from_text(text, "lines", name)
    chunker = build_chunker("code", {"max_size": 25, **parameters})
    chunking = run_and_time_chunker(chunker, document, tools())
    check_result(chunking, chunker, tools())
    return chunking


def test_a_class_is_cut_between_its_methods_and_a_method_between_its_statements():
    chunking = made(language="python")
    assert [(piece.text.splitlines()[0], piece.context) for piece in chunking] == [
        ('"""Reads dates."""', ""),
        ("class Parser:", ""),
        ("# Finds the first.", "class Parser"),
        ("def parse(self, text):", "class Parser"),
        ("for part in found.groups():", "class Parser > def parse"),
        ("def main():", ""),
    ]


def test_reasons_name_the_syntax_and_what_is_compared():
    cuts = [gap.reason for gap in made(language="python").gaps if gap.verdict.is_cut]
    assert cuts == [
        "between an import and the class Parser; the class Parser is longer than 25 tokens",
        "between a statement and the method first of class Parser; together 29 > 25 tokens",
        "between the methods first and parse of class Parser; the method parse is longer than 25 tokens",
        "between an if statement and a for statement of def parse; together 34 > 25 tokens",
        "between the class Parser and the function main; the class Parser is longer than 25 tokens",
    ]
    kept = {gap.reason for gap in made(language="python").gaps if not gap.verdict.is_cut}
    assert "between a for statement and a return statement of def parse, joined: together 25 ≤ 25 tokens" in kept
    assert "inside the function main" in kept


def test_comments_of_a_file_of_code_are_no_headings():
    assert {piece.heading_path for piece in made("# Reads.\nread()\n", "a.py")} == {()}
    assert {piece.heading_path for piece in made("# Reads.\n\nIt reads.\n", "a.md")} == {("Reads.",)}


def test_a_function_stays_whole_under_decorators_that_fill_a_chunk():
    text = f"@cases({', '.join(map(str, range(20)))})\ndef double(number):\n    return 2 * number\n"
    assert made(text, language="python", max_size=20).texts[1:] == (text[text.index("def") :].strip(),)


IN_OTHER_CODE = {
    "the arguments of a call": (
        "javascript",
        "load(one, () => {\n  two(1);\n  three(2);\n  four(3);\n}, five, six, seven);\n",
    ),
    "a function that returns it": (
        "javascript",
        "const f = (one, two, three, four) => (x) => {\n  g(x);\n  return h(x);\n};\n",
    ),
    "a line without breaks": ("javascript", "a=b+c+d+((()=>{if(e){f()}g(h)})(),i+j+k+l+m);"),
    "an attribute": ("tsx", "<A one={1} two={2} on={() => {\n  b(1);\n  c(2);\n  d(3);\n}} />;\n"),
    "an enum": (
        "java",
        "enum A {\n  B(1);\n  int c() {\n    return d;\n  }\n  int e(int f) {\n    g();\n    return h;\n  }\n}\n",
    ),
    "a tuple": (
        "rust",
        "fn a() {\n  b((\n    |c| {\n      d(c);\n      e(c)\n    },\n    |f| {\n      g(f);\n      h(f)\n    },\n  ))\n}\n",
    ),
    "arguments in Go": ("go", "package a\n\nvar b = c(d, e, func() {\n\tf(1)\n\tg(2)\n\th(3)\n}, i, j, k)\n"),
    "arguments in C++": ("cpp", "auto a = b(c, d, [](int e) {\n  f(1);\n  g(2);\n  h(3);\n}, i, j, k);\n"),
}


@pytest.mark.parametrize(("language", "text"), IN_OTHER_CODE.values(), ids=IN_OTHER_CODE)
def test_a_function_that_fits_is_whole_inside_code_that_does_not(language, text):
    spans = function_spans(text, language)
    for most in range(5, len(text)):
        document = Document.from_text(text, "lines")
        chunking = run_and_time_chunker(
            build_chunker("code", {"max_size": most, "language": language}), document, tools(tokenizer="characters")
        )
        starts = [piece.start for piece in chunking]
        cut = [text[slice(*span)] for span in spans if span[1] - span[0] <= most and is_cut(span, starts)]
        assert not cut, f"{cut} at {most}"


def test_a_text_that_fits_is_one_chunk():
    assert made(language="python", max_size=250).texts == (PARSER.strip(),)


@pytest.mark.parametrize("ending", CODE_FILE_ENDINGS)
def test_the_ending_of_the_name_tells_the_language(ending):
    (note,) = made("x\n", f"a{ending.upper()}").notes[:1]
    assert any(note.startswith(f"Language: {name}") for name, grammar in GRAMMARS.items() if ending in grammar.endings)


WRITTEN = {
    "python": PARSER,
    "javascript": "const area = (w, h) => w * h;\nexport class Box {\n  constructor(w) { this.w = w; }\n}\n",
    "typescript": "interface Box { w: number }\nexport function area(box: Box): number {\n  return box.w as number;\n}\n",
    "java": "package a.b;\nimport java.util.List;\npublic class Box {\n  private int w;\n  Box(int w) { this.w = w; }\n}\n",
    "go": 'package main\n\nimport "fmt"\n\nfunc (b *Box) Area() int {\n\tw := b.w\n\treturn w\n}\n',
    "rust": "#[derive(Debug)]\npub struct Box { w: u32 }\nimpl Box {\n    pub fn area(&self) -> u32 { self.w }\n}\n",
    "c": "#include <stdio.h>\n\nstatic int area(const struct box *b) {\n\treturn b->w;\n}\n",
    "cpp": "namespace a {\ntemplate <typename T>\nclass Box {\n public:\n  T area() const { return w_; }\n};\n}\n",
}


@pytest.mark.parametrize("language", WRITTEN)
def test_the_language_is_the_one_with_the_fewest_syntax_errors(language):
    detected = detect_programming_language(WRITTEN[language], "text", "code")
    assert detected == (language, f"Language: {language}, whose grammar finds the fewest syntax errors.")


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("javascript", ("function area", "class Box")),
        ("typescript", ("interface Box", "function area")),
        ("java", ("class Box",)),
        ("go", ("method Area",)),
        ("rust", ("struct Box", "impl Box")),
        ("c", ("function area",)),
        ("cpp", ("namespace a",)),
    ],
)
def test_definitions_have_their_names(language, names):
    reasons = " ".join(gap.reason for gap in made(WRITTEN[language], language=language, max_size=8).gaps)
    for name in names:
        assert name in reasons


def test_prose_is_in_no_language_and_cut_between_paragraphs():
    text = "Bees make honey. They dry nectar in the hive.\n\n" * 9
    chunking = made(text)
    assert chunking.notes[0].startswith("Language: unknown. The grammars of python, javascript")
    assert {piece.text.count("Bees") for piece in chunking} == {1, 2}
    assert "between two paragraphs; together 27 > 25 tokens" in {gap.reason for gap in chunking.gaps}


def test_a_syntax_error_is_reported_with_its_line():
    broken = PARSER.replace("def parse(self, text):", "def parse(self, text:")
    (note,) = made(broken, language="python").notes
    assert note.startswith("The grammar of python finds 5 syntax errors, the first in line 19;")
    assert made(broken).notes[0].startswith("Language: python")
    (note,) = made(PARSER, language="go").notes
    assert note.endswith("% of the text, which may be in another language.")


def test_a_line_that_is_too_long_is_cut_inside():
    text = "values = [" + ", ".join(map(str, range(200))) + "]\n"
    assert max(len(piece.text.split()) for piece in made(text, language="python")) <= 25
    text = '"' + "word " * 60 + '"\n'
    assert "cut inside a line" in made(text, language="python").gaps[-1].reason


PIECES = [
    *("def f(x):\n    return x\n", "class A:\n    b = 1\n\n    def c(self): pass\n", "@d\n", "# e\n", '"""f"""\n'),
    *("if g:\n", "    h\n", "function i() { return 1; }\n", "} else {\n", "class J { k() {} }\n", "{", "}", "(", ")"),
    *("[1,\n2]", '"', "'", "`", "\\", "\t", "\n", "\r\n", "\r", "\0", "\ufeff", "\u2028", "é", "🌊", "漢字", "#if 1\n"),
    *("/*", "*/", "//", "=> {", "::<", "<T>"),
]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.sampled_from(["auto", *GRAMMARS]),
    st.integers(1, 30),
    st.sampled_from(["words", "characters"]),
)
@example("---\na: 1\n---\n" * 3, "python", 1, "words")
@example("const f = \0() => {\n  g();\n};\n", "javascript", 2, "characters")
@pytest.mark.slow
def test_any_text_is_cut_within_the_size_and_nothing_is_lost(text, language, most, tokenizer):
    chunker = Code(max_size=most, language=language)
    services = tools(tokenizer=tokenizer)
    check_result(run_and_time_chunker(chunker, Document.from_text(text, "lines"), services), chunker, services)


HOSTILE = ["(" * 20_000, "{[" * 10_000, "if x:\n" * 5_000, "a = b\n" * 5_000, "#" * 100_000, "\n" * 100_000 + "x"]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.slow
def test_hostile_texts_take_a_moment(text):
    document = Document.from_text(text, "lines")
    assert run_and_time_chunker(build_chunker("code", {"max_size": 1000}), document, tools()).chunks


def test_parsing_ends_in_time_or_when_it_is_stopped(monkeypatch):
    with pytest.raises(Cancelled):
        run_and_time_chunker(
            build_chunker("code", {"language": "python"}), Document.from_text(PARSER, "lines"), tools(cancelled=lambda: True)
        )
    monkeypatch.setattr(code_syntax, "MOST_READING_SECONDS", -1)
    with pytest.raises(InputError, match="parsing code may take at most"):
        made(language="python")


def test_code_with_too_many_statements_is_refused(monkeypatch):
    monkeypatch.setattr(code_syntax, "MAX_SENTENCES", 9)
    with pytest.raises(InputError, match="at most 9 statements, entries"):
        made("a = 1\n" * 10, language="python", max_size=5)


def test_the_recipe_has_the_versions_of_the_grammars():
    versions = Recipe.of(Code(), "lines", None, "words").versions
    assert {"tree-sitter", "tree-sitter-python"} <= versions.keys()
    assert chunk(PARSER, "code", language="python", sentences="lines", tokenizer="words").texts == (PARSER.strip(),)
