"""The outline of a text: its blocks and headings."""

import random
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chunkers import InputError, chunk
from chunkers.results.chunk_fields import chunk_heading_path
from chunkers.support.limits import MOST_MARKDOWN_MARKS
from chunkers.text import blocks_and_headings
from chunkers.text.blocks_and_headings import (
    BLOCK_KIND_BY_TOKEN_TYPE,
    BLOCK_KINDS_WITHOUT_SENTENCES,
    Heading,
    Outline,
    check_markdown_mark_count,
    clear_outline_caches,
    heading_path,
    headings,
    parse_block_outline,
)
from sample_docs import load_sample, sample_titles

TABLE = "Rivers:\n\n| river | km |\n|---|---|\n| Aller | 215 |\n| Fulda | 220 |\n\nThat is all."
CODE = "Run:\n\n```\nfirst()\nsecond()\n```\n\nDone."
FORMULA = "So\n$$\na = b\nc = d\n$$\nholds."
BRACKETS = "So\n\\[\na = b\nc = d\n\\]\nholds."
LIST = "Bring:\n\n- bread\n- cheese\n\nThen go."
GUIDE = """Before all.

# Bridges of the *valley*

They are [four](x.html).

## Built `when`

In 1788.

Inspection
----------

Every year.

### Sensors ###

Every day.

# Mills

> # no heading
> - quoted

1. One
   ```
   # no heading
   ```
2. Two
   - deeper

---

Done.
"""
ENDS = ["\n", "\r\n", "\r"]


def texts(text, found):
    return [text[slice(*block.span)] for block in found]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (TABLE, ["table"]),
        (CODE, ["code block"]),
        (FORMULA, ["formula"]),
        (BRACKETS, ["formula"]),
        (LIST, ["list"]),
        ("Prose:\n\n    indented()\n    code()\n", ["code block"]),
        ("- one\n  - nested\n- two", ["list"]),
        ("$$ is a sign, and $$ again", []),
        ("$$ never closed", []),
        ("A | b\nno table", []),
    ],
)
def test_blocks_are_those_of_a_markdown_parser(text, kinds):
    assert [block.kind for block in parse_block_outline(text).whole_blocks] == kinds


def test_a_line_that_only_follows_a_list_is_none_of_its_items():
    text = load_sample("algorithm").text
    (block,) = parse_block_outline(text).whole_blocks
    assert text[slice(*block.span)].startswith("1. Divide")
    assert text[slice(*block.span)].endswith("step 1.")


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("- a\n\n- b\n\n- c\n", ["- a", "- b", "- c"]),
        ("1.  Install.\n\n    It needs a network.\n", ["1.  Install."]),
        ("- a\n\n\n\n  ```\n  b\n\n  c\n  ```\n\n- d\n", ["- a", "- d"]),
        ("* a\n \t\n* b\n", ["* a", "* b"]),
        ("1) a\n\n   - b\n\n   - c\n\n2) d", ["1) a", "2) d"]),
    ],
)
@pytest.mark.parametrize("end", ENDS)
def test_a_list_with_blank_lines_is_one_list(text, items, end):
    text = text.replace("\n", end)
    assert texts(text, parse_block_outline(text).blocks) == [text.strip()]
    assert {block.kind for block in parse_block_outline(text).blocks} == {"list"}
    assert [text[start:].splitlines()[0] for start in parse_block_outline(text).item_starts] == items


@pytest.mark.parametrize(
    ("text", "end"),
    [
        # Unindented lines go on with an item, as CommonMark has it, ...
        ("- a long\nitem\n- b", "- b"),
        ("- a long\nitem", "item"),
        ("- One.\nTwo.\n- b", "- b"),
        # ... but for a new sentence below the last item, and for the numbers of clauses.
        ("- a\n- b.\nThen go.", "- b."),
        ("- a\n- b:\nthen go\n  on", "- b:"),
        ("- a\n\n  b.\nThen go.\n\nOn.", "b."),
        ("1. The boat\n1.1 The owner lets it.\n2. Time", "1. The boat"),
        # What stands in the last item is its own.
        ("- a.\nb\n  # c", "# c"),
        ("- ```\n  a.\n  ```\nb", "  ```"),
    ],
)
def test_a_list_ends_before_a_new_sentence_on_an_unindented_line(text, end):
    first, *rest = parse_block_outline(text).blocks
    assert first.kind == "list"
    assert text[slice(*first.span)].endswith(end)
    assert all(block.kind == "paragraph" for block in rest)


FRONT = "---\ntitle: A. B.\ntags:\n- one\n\n# comment\n---"


@pytest.mark.parametrize(
    "front",
    [FRONT, "---\n---", '+++\ntitle = "A"\n+++', "+++\n# c\n[a]\n+++", '--- \n\n"a b": c\n---\t', "---\n{a: b}\n---"],
)
@pytest.mark.parametrize("rest", ["", "\n", "\n# Title\n\nText.", "\n\nText\n---\n", "\n- a\n"])
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_front_matter_is_a_block_of_its_own_and_no_heading(front, rest, end, mark):
    text = mark + (front + rest).replace("\n", end)
    first, *others = parse_block_outline(text).blocks
    assert (first.kind, first.level) == ("front matter", 0)
    assert text[slice(*first.span)] == mark + front.strip().replace("\n", end)
    after = rest.replace("\n", end)
    assert [(block.kind, text[slice(*block.span)]) for block in others] == [
        (block.kind, after[slice(*block.span)]) for block in parse_block_outline(after).blocks
    ]
    assert [heading.title for heading in headings(text)] == [heading.title for heading in headings(after)]
    assert parse_block_outline(text).blocks_without_sentences[0] == first


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nProse.\n\n---\n\nMore.",
        "Text.\n---\na: b\n---",
        "---\na: b\n",
        "----\na: b\n----",
        "+++\nprose\n+++",
        "---\na: b\n+++",
    ],
)
def test_what_only_looks_like_front_matter_is_none(text):
    assert "front matter" not in {block.kind for block in parse_block_outline(text).blocks}


def test_front_matter_of_generated_documents_is_no_heading_is_not_embedded_as_one_and_no_chunk_of_dashes():
    drawn = random.Random(4)
    for _ in range(100):
        mark, between = drawn.choice([("---", ": "), ("+++", " = ")])
        fields = [
            f"{key}{between}{drawn.randrange(99)}. Words." for key in drawn.sample(["title", "author", "tags", "date"], 3)
        ]
        body = [f"{'#' * drawn.randint(1, 3)} Part {number}\n\nText of it. More." for number in range(drawn.randint(0, 3))]
        end = drawn.choice(ENDS)
        text = "\n".join([mark, *fields, mark, "", drawn.choice(["Before.", ""]), "", "\n\n".join(body) or "Text."])
        text = text.replace("\n", end)
        assert {heading.title for heading in headings(text)} <= {f"Part {number}" for number in range(3)}
        result = chunk(text, "structure", max_size=drawn.randint(30, 80), join_below=5, sentences="lines", tokenizer="words")
        assert not any(
            path.startswith(("title", "author", "tags", "date"))
            for piece in result
            for path in chunk_heading_path(result.document, piece)
        )
        assert not any(piece.text.strip(f"{mark}\r\n ") == "" for piece in result)
        assert result[0].text.startswith(mark)
        # It stays with what follows.
        assert "Before." in result[0].text or "Text" in result[0].text


@pytest.mark.parametrize("end", ENDS)
def test_what_is_not_made_of_sentences_can_be_asked_for(end):
    text = (
        f"{FRONT}\n\n# 1. One\n\nProse. More.\n\n[a]: https://b.example 'C. D.'\n[e]:\n  f\n\n<div>\nG. H.\n</div>\n\n"
        "- I. J.\n\n      code. in. it.\n\n- <br>\n\n> | a. | b |\n> |---|---|\n>\n> [k]: l\n>\n> Quoted.\n\n***\n"
    ).replace("\n", end)
    no_prose = parse_block_outline(text).blocks_without_sentences
    assert [block.kind for block in no_prose] == [
        *("front matter", "heading", "link definitions", "HTML"),
        *("code block", "HTML", "table", "link definitions", "rule"),
    ]
    assert {block.kind for block in no_prose} <= BLOCK_KINDS_WITHOUT_SENTENCES
    assert all(before.span.end <= after.span.start for before, after in pairwise(no_prose))
    assert [block.kind for block in parse_block_outline(text).nested_blocks] == ["item", "code block", "item", "table"]
    assert {block.kind for block in parse_block_outline(text).blocks} <= {*BLOCK_KIND_BY_TOKEN_TYPE.values()}


def test_a_byte_order_mark_hides_no_heading():
    assert [heading.title for heading in headings("\ufeff# One\n\nText.")] == ["One"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_offsets_are_right_with_any_line_end(end):
    text = "😀" + CODE.replace("\n", end)
    (block,) = parse_block_outline(text).whole_blocks
    assert text[slice(*block.span)] == end.join(["```", "first()", "second()", "```"])


@pytest.mark.parametrize("end", ENDS)
def test_the_outermost_blocks_in_order(end):
    text = "😀 " + GUIDE.replace("\n", end)
    assert [(block.kind, block.level) for block in parse_block_outline(text).blocks] == [
        ("paragraph", 0),
        ("heading", 1),
        ("paragraph", 0),
        ("heading", 2),
        ("paragraph", 0),
        ("heading", 2),
        ("paragraph", 0),
        ("heading", 3),
        ("paragraph", 0),
        ("heading", 1),
        ("quotation", 0),
        ("list", 0),
        ("rule", 0),
        ("paragraph", 0),
    ]
    assert texts(text, parse_block_outline(text).blocks)[5] == f"Inspection{end}----------"
    assert texts(text, parse_block_outline(text).whole_blocks) == [
        "> - quoted",
        f"1. One{end}   ```{end}   # no heading{end}   ```{end}2. Two{end}   - deeper",
        f"```{end}   # no heading{end}   ```",
    ]
    assert [text[start : start + 2] for start in parse_block_outline(text).item_starts] == ["1.", "2."]


@pytest.mark.parametrize("end", ENDS)
def test_headings_have_their_titles_without_marks(end):
    text = GUIDE.replace("\n", end)
    assert [(heading.level, heading.title) for heading in headings(text)] == [
        (1, "Bridges of the valley"),
        (2, "Built when"),
        (2, "Inspection"),
        (3, "Sensors"),
        (1, "Mills"),
    ]
    assert [text[slice(*heading.span)] for heading in headings(text)][3] == "### Sensors ###"


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("# C# and F#", "C# and F#"),
        ("# a #b #", "a #b"),
        ("#", ""),
        ("two\nlines\n===", "two lines"),
        ("a = b\n=====", "a = b"),
        ("# 3 * 4 < 5 & 6", "3 * 4 < 5 & 6"),
        ("# \\*not\\* _so_ **very** ![seen](a.png)", "*not* so very seen"),
        ("# " + "*" * 2000, "*" * 2000),
    ],
)
def test_titles(source, title):
    assert [heading.title for heading in headings(source)] == [title]


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("Before", ()),
        ("# Bridges", ("Bridges of the valley",)),
        ("four", ("Bridges of the valley",)),
        ("In 1788", ("Bridges of the valley", "Built when")),
        ("Inspection", ("Bridges of the valley", "Inspection")),
        ("Every day", ("Bridges of the valley", "Inspection", "Sensors")),
        ("Done", ("Mills",)),
    ],
)
def test_the_path_goes_from_the_outermost_heading_to_the_innermost(words, path):
    assert heading_path(GUIDE, GUIDE.index(words)) == path


def test_a_heading_without_a_title_is_left_out_of_paths_and_ends_the_section_before():
    text = "## One\n\n#\n\nText.\n"
    assert heading_path(text, text.index("Text")) == ()


@pytest.mark.parametrize("sample", [name for name in sample_titles() if name not in ("table", "source_code", "legal")])
def test_a_text_without_markdown_has_no_headings(sample):
    text = load_sample(sample).text
    assert headings(text) == ()
    assert {block.kind for block in parse_block_outline(text).blocks} <= {"paragraph", "list"}


LINES = st.sampled_from(
    [
        *("# One", "###### Six", "#", "===", "---", "text", "more text", "> quoted", ">> deeper", "- item", "  - nested"),
        *(
            "* other",
            "1. first",
            "   lazy",
            "\ttab",
            "    code",
            "```",
            "~~~ py",
            "$$",
            "\\[",
            "\\]",
            "| a | b |",
            "|---|---|",
        ),
        *("", " ", "\u00a0", "\f", "\0", "<div>", "[a]: b", "- - - -", "😀|", "\u2028", "- " * 30 + "deep"),
    ]
)


@given(st.lists(st.tuples(LINES, st.sampled_from(ENDS)), max_size=30))
@example([("- " * 30 + "deep", "\n"), ("after", "\n"), ("# Heading", "\n")])
@example([("\\[", "\n"), ("- a", "\n"), ("  \\[", "\n"), ("\\] b", "\n"), ("\\[", "\n"), ("\\]", "\n")])
def test_blocks_hold_all_but_white_space_once(lines):
    text = "".join(line + end for line, end in lines)
    all_blocks = parse_block_outline(text).blocks
    place = 0
    for kind, (start, end), level in all_blocks:
        assert not text[place:start].strip()
        assert text[start:end] == text[start:end].strip() != ""
        assert (level > 0) == (kind == "heading")
        place = end
    assert not text[place:].strip()
    spans = [block.span for block in parse_block_outline(text).whole_blocks]
    assert spans == sorted(spans)
    assert [block for block in all_blocks if block.kind == "code block"] == [
        block for block in parse_block_outline(text).whole_blocks if block in all_blocks and block.kind == "code block"
    ]
    for heading in headings(text):
        assert isinstance(heading, Heading)
        assert heading_path(text, heading.span.start)[-1:] == (
            (heading.title,) if heading.title else heading_path("", 0)[-1:]
        )


def test_a_list_nested_deeper_than_the_parser_goes_does_not_hold_the_rest():
    text = "- " * 30 + "deep\n\n# Heading\n\nText.\n"
    assert [block.kind for block in parse_block_outline(text).blocks] == ["list", "heading", "paragraph"]


def test_an_unclosed_formula_or_one_with_words_after_it_costs_no_more_the_more_there_are(monkeypatch):
    looked = []
    real = blocks_and_headings._parse_formula_into_state

    class Source(str):
        __slots__ = ()

        def find(self, *arguments):
            looked.append(arguments)
            return str.find(self, *arguments)

    def formula(state, *arguments):
        state.src = Source(state.src)
        return real(state, *arguments)

    monkeypatch.setattr(blocks_and_headings, "_parse_formula_into_state", formula)
    blocks_and_headings._markdown_parser.cache_clear()
    try:
        for text in ("\\[\n" * 500, "\\[\n" * 500 + "\\] word", "- a\n\n  \\[\n\n" * 500 + "\\]"):
            looked.clear()
            clear_outline_caches()
            assert parse_block_outline(text).blocks
            assert len(looked) == 1
    finally:
        blocks_and_headings._markdown_parser.cache_clear()
        clear_outline_caches()


@pytest.mark.slow
@pytest.mark.parametrize("mark", ["a\n", "|", ">", "- ", "1. ", "\r\n"])
def test_a_text_with_too_many_marks_is_refused_before_it_is_parsed(mark, monkeypatch):
    most = mark * MOST_MARKDOWN_MARKS
    check_markdown_mark_count("structure", most)
    monkeypatch.setattr(blocks_and_headings, "_markdown_parser", None)
    assert parse_block_outline(most + mark) == Outline()
    assert headings(most + mark) == ()
    with pytest.raises(
        InputError, match=r"structure: a text may have at most 500,000 lines, table .* in total; this text has more\."
    ):
        check_markdown_mark_count("structure", most + mark)
    clear_outline_caches()
