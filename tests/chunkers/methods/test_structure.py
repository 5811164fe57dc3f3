"""Structure by hand, one rule after another, and on generated Markdown. Tokens are words."""

import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from chunkers import (
    CHUNKERS,
    Cancelled,
    Document,
    InputError,
    Recipe,
    Tools,
    Verdict,
    build_chunker,
    load_tokenizer,
    to_dict,
)
from chunkers.contract.base import run_and_time_chunker
from chunkers.methods.structure import Structure
from chunkers.support.limits import MOST_MARKDOWN_MARKS
from chunkers.text.blocks_and_headings import clear_outline_caches, parse_block_outline
from sample_docs import load_sample
from tests.lanes import samples
from tests.properties.cases import tables_at_hand
from tests.support import AngleEmbedder, HashEmbedder, cut, tools


def words(count, word="w", end="."):
    """Return a sentence of so many words."""
    return " ".join([word] * count) + end


def texts(text, **settings):
    return [chunk.text for chunk in cut(Structure(**settings), text)]


def reasons(text, **settings):
    """Return the reasons of the cuts between the chunks, and of all that is kept."""
    gaps = cut(Structure(**settings), text).gaps
    return [gap.reason for gap in gaps if gap.verdict.is_cut], [gap.reason for gap in gaps if not gap.verdict.is_cut]


def test_a_heading_begins_a_chunk():
    text = f"{words(3)}\n\n# One\n\n{words(4)}\n\nTwo\n---\n\n{words(2)}"
    assert texts(text) == [words(3), f"# One\n\n{words(4)}", f"Two\n---\n\n{words(2)}"]
    made, _ = reasons(text)
    assert made == ["new heading of level 1", "new heading of level 2"]


def test_deeper_headings_than_the_levels_stay_with_what_follows():
    text = f"# One\n\n{words(4)}\n\n## Two\n\n{words(5)}\n\n# Three\n\n{words(3)}"
    assert len(texts(text)) == 3
    chunking = cut(Structure(heading_levels=1), text)
    assert [chunk.text[:7] for chunk in chunking] == ["# One\n\n", "# Three"]
    # The second group is joined whole, its heading included: “#” is a word.
    assert "joined: same heading, 6 + 7 tokens" in reasons(text, heading_levels=1)[1]
    # Too large for one chunk, it is cut before the deeper heading and not after it.
    assert texts(text, heading_levels=1, max_size=10)[1] == f"## Two\n\n{words(5)}"


def test_consecutive_headings_stay_with_what_follows():
    text = f"{words(3)}\n\n# One\n\n## Two\n\n### Three\n\n{words(4)}"
    assert texts(text) == [words(3), f"# One\n\n## Two\n\n### Three\n\n{words(4)}"]
    made, kept = reasons(text)
    assert made == ["new heading of level 1"]
    assert kept == ["heading kept with what follows"] * 3


def test_a_heading_at_the_end_joins_what_is_before():
    text = f"# One\n\n{words(4)}\n\n# Two\n\n## Three"
    assert texts(text) == [text]
    assert "a heading at the end stays with what is before" in reasons(text)[1]
    # Where both do not fit, what is before is cut so that the heading does not stand alone.
    parts = texts(f"# One\n\n{words(3)} {words(3)} {words(3)}\n\n# Two", max_size=8)
    assert parts[-1].endswith("w w w.\n\n# Two")
    assert all(len(part.split()) <= 8 for part in parts)


def test_a_text_of_headings_alone_has_chunks():
    assert texts("# One\n\n## Two") == ["# One\n\n## Two"]
    assert texts("# One\n\n## Two", max_size=2) == ["# One", "## Two"]


def test_small_neighbours_are_joined_under_the_same_heading_alone():
    text = f"# One\n\n{words(3)}\n\n{words(4)}\n\n# Two\n\n{words(2)}\n\n{words(2)}"
    assert len(texts(text, max_size=50, join_below=20)) == 2
    _, kept = reasons(text, max_size=50, join_below=20)
    assert "joined: same heading, 5 + 4 tokens" in kept
    assert "joined: same heading, 4 + 2 tokens" in kept
    assert "joined: no heading between, 3 + 4 tokens" in reasons(f"{words(3)}\n\n{words(4)}")[1]


def test_neighbours_that_are_large_enough_or_do_not_fit_are_not_joined():
    text = f"{words(6)}\n\n{words(5)}\n\n{words(2)}\n\n{words(8)}"
    assert texts(text, max_size=9, join_below=5) == [words(6), f"{words(5)}\n\n{words(2)}", words(8)]
    assert reasons(text, max_size=9, join_below=5)[0] == [
        "new paragraph: 6 + 5 tokens, 9 at most",
        "new paragraph: 7 + 8 tokens, 9 at most",
    ]
    assert reasons(text, max_size=90, join_below=5)[0] == [
        "new paragraph: 6 and 5 tokens, both at least 5",
        "new paragraph: 7 and 8 tokens, both at least 5",
    ]
    # Below more than the maximum, whatever fits is joined.
    assert len(texts(text, max_size=13, join_below=100)) == 2


TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |"


def test_a_table_that_fits_is_whole():
    text = f"{words(20)}\n\n{TABLE}\n\n{words(20)}"
    assert TABLE in texts(text, max_size=30)


def test_a_table_that_is_too_long_is_cut_between_rows_and_its_header_is_the_context():
    # A row and the header have five words each, the rule one.
    chunking = cut(Structure(max_size=12), f"# Two\n\n{TABLE}", sentences="regex")
    header = "| a | b |\n|---|---|"
    # The heading leaves 10 of 12, which the header and a row exceed.
    assert [(chunk.text, chunk.context) for chunk in chunking] == [
        (f"# Two\n\n{header}", ""),
        ("| 1 | 2 |", header),
        ("| 3 | 4 |", header),
        ("| 5 | 6 |", header),
    ]
    assert {gap.reason for gap in chunking.gaps} == {
        "inside sentence 1: table cut between rows: 12 tokens at most; the header is its context"
    }
    chunking = cut(Structure(max_size=16), TABLE)
    assert [(chunk.text, chunk.context) for chunk in chunking] == [
        (f"{header}\n| 1 | 2 |\n| 3 | 4 |", ""),
        ("| 5 | 6 |", header),
    ]
    assert [gap.reason for gap in chunking.gaps if gap.verdict.is_cut] == [
        "table cut between rows: 16 tokens at most; the header is its context"
    ]
    exported = to_dict(chunking, Recipe.of(Structure(), "lines", None, "words"))["chunks"]
    assert [chunk.get("context") for chunk in exported] == [None, header]


def test_the_context_counts_with_the_text():
    # Each row would fit with the next one, but not with the header.
    chunking = cut(Structure(max_size=12, join_below=12), TABLE)
    assert [len(f"{chunk.text} {chunk.context}".split()) for chunk in chunking] == [11, 11, 11]


def test_a_header_that_takes_more_than_half_is_not_repeated():
    chunking = cut(Structure(max_size=10), TABLE)
    assert {chunk.context for chunk in chunking} == {""}
    assert [chunk.text for chunk in chunking] == ["| a | b |\n|---|---|", "| 1 | 2 |\n| 3 | 4 |", "| 5 | 6 |"]


def test_the_first_row_is_the_header_where_there_is_an_empty_one():
    table = "| | |\n|---|---|\n| a | b |\n| 1 | 2 |\n| 3 | 4 |"
    chunking = cut(Structure(max_size=18), table)
    assert [(chunk.text, chunk.context) for chunk in chunking] == [
        ("| | |\n|---|---|\n| a | b |\n| 1 | 2 |", ""),
        ("| 3 | 4 |", "| | |\n|---|---|\n| a | b |"),
    ]
    # The delimiter row is shortened where it is repeated.
    wide = table.replace("---|---", "-----|:---- ")
    assert {chunk.context for chunk in cut(Structure(max_size=18), wide)} == {"", "| | |\n|---|:---|\n| a | b |"}
    # A table of nothing else is cut like any other that is too long.
    assert texts("| | |\n|---|---|", max_size=3) == ["| | |", "|---|---|"]


@pytest.mark.parametrize("most", [60, 100, 250])
def test_a_wide_table_is_not_cut_inside_its_delimiter_row_and_each_row_has_its_header(most):
    """Its row of dashes has more tokens than a chunk may have: it counts as it is repeated, with three dashes a cell."""
    head, rule = "| a | b | c |", "|" + "|".join(["-" * 200] * 3) + "|"
    rows = [f"| {number} | x | y |" for number in range(40)]
    counting = tools(tokenizer="all-MiniLM-L6-v2")
    text = "\n".join([head, rule, *rows])
    chunking = run_and_time_chunker(Structure(max_size=most), Document.from_text(text, "lines"), counting)
    assert chunking[0].text.startswith(f"{head}\n{rule}\n{rows[0]}")
    assert all(chunk.context == f"{head}\n|---|---|---|" for chunk in chunking.chunks[1:])
    counted = [chunk.text.replace(rule, "|---|---|---|") + chunk.context for chunk in chunking]
    assert max(counting.count_tokens(counted)) <= most
    assert chunking.notes == (
        "The delimiter row of a table is longer than a chunk may be: it stays whole, and counts with three dashes a cell.",
    )
    assert run_and_time_chunker(Structure(max_size=5000), Document.from_text(text, "lines"), counting).notes == ()


def test_a_reason_states_the_size_that_was_compared():
    document = Document.from_text("aaaa\n\nbbbbbb", "lines")
    chunking = run_and_time_chunker(Structure(max_size=10), document, tools(tokenizer="characters"))
    # White space counts too.
    assert [gap.reason for gap in chunking.gaps] == ["new paragraph: 12 tokens together, 10 at most"]


def test_a_row_that_is_too_long_is_cut_between_words():
    row = f"| {words(20, end='')} | x |"
    chunking = cut(Structure(max_size=16), f"| a | b |\n|---|---|\n{row}\n| 1 | 2 |")
    assert all(len(f"{chunk.text} {chunk.context}".split()) <= 16 for chunk in chunking)
    assert "row cut between words: 16 tokens at most" in " ".join(gap.reason for gap in chunking.gaps)
    assert chunking[-1].context == "| a | b |\n|---|---|"


@pytest.mark.parametrize("between", [":\n\n", ":\n", ".\n", "\N{FULLWIDTH COLON}\n\n"])
def test_a_list_stays_with_its_introduction(between):
    introduction = words(5, end=between)
    items = f"- {words(3)}\n- {words(3)}"
    text = f"{words(20)}\n\n{introduction}{items}\n\n{words(20)}"
    assert texts(text, max_size=25, join_below=10) == [words(20), f"{introduction}{items}", words(20)]
    assert "list kept with its introduction" in reasons(text, max_size=25, join_below=10)[1]


def test_a_list_after_a_paragraph_of_its_own_does_not():
    text = f"{words(20)}\n\n- {words(8)}\n- {words(8)}"
    assert texts(text, max_size=25) == [words(20), f"- {words(8)}\n- {words(8)}"]


def test_a_list_that_is_too_long_is_cut_between_items_and_its_introduction_stays_with_the_first():
    items = "\n".join(f"{number}. {words(4)}" for number in range(1, 5))
    text = f"# Three\n\nBring:\n\n{items}"
    assert texts(text, max_size=10) == [
        f"# Three\n\nBring:\n\n1. {words(4)}",
        f"2. {words(4)}\n3. {words(4)}",
        f"4. {words(4)}",
    ]
    assert reasons(text, max_size=10)[0] == ["list cut between items: 10 tokens at most"] * 2


def test_an_item_that_is_too_long_is_cut_between_lines_and_sentences():
    text = f"- {words(3)}\n  - {words(3)}\n  - {words(3)}\n- {words(3)} {words(3)} {words(3)}"
    document = Document.from_text(text, "regex")
    chunk_texts = [chunk.text for chunk in run_and_time_chunker(Structure(max_size=8), document, tools())]
    assert chunk_texts == [
        f"- {words(3)}\n  - {words(3)}",
        f"- {words(3)}",
        f"- {words(3)} {words(3)}",
        words(3),
    ]


def test_code_that_fits_is_whole_and_else_cut_between_lines_with_no_fence_alone():
    code = "```\na b c\nd e f\n\ng h i\n```"
    assert code in texts(f"{words(20)}\n\n{code}", max_size=20)
    assert texts(code, max_size=7) == ["```\na b c\nd e f", "g h i\n```"]
    assert reasons(code, max_size=7)[0] == ["code block cut between lines: 7 tokens at most"]
    assert texts("```\na b c\n```", max_size=2) == ["```", "a b", "c\n```"]


def lines(count, word="w"):
    """Return code of so many words, its fences included, a word to a line."""
    return "\n".join(["```", *[word] * (count - 2), "```"])


@pytest.mark.parametrize("end", [":", "."])
@pytest.mark.parametrize(
    "block",
    [lines(20), "\n".join(["- a b c"] * 5), "| a | b |\n|---|---|\n" + "| 1 2 |\n" * 3 + "| 3 |", f"$$\n{words(18)}\n$$"],
)
def test_what_fits_is_not_cut_for_what_leads_it(block, end):
    introduction = words(9, end=end)
    text = f"# One\n\n{introduction}\n\n{block}\n\n{words(20)}"
    size = len(block.split())
    assert texts(text, max_size=size + 5, join_below=1)[:2] == [f"# One\n\n{introduction}", block]
    assert f"11 + {size} tokens, {size + 5} at most" in reasons(text, max_size=size + 5)[0][0]
    # Nor for the headings behind it.
    assert texts(f"{block}\n\n# Two", max_size=size + 1) == [block, "# Two"]


def test_items_that_fit_are_whole_in_a_list_that_does_not():
    items = [f"- {words(count)}" for count in (9, 19, 4)]
    text = "Bring:\n\n" + "\n\n".join(items)
    # The introduction leaves 19 of 20, which the second item exceeds.
    assert texts(text, max_size=20, join_below=1) == [f"Bring:\n\n{items[0]}", items[1], items[2]]
    # Where the first exceeds it, the introduction stands alone.
    assert texts(f"Bring:\n\n{items[1]}\n\n{items[2]}", max_size=20, join_below=1) == ["Bring:", items[1], items[2]]


def test_an_item_that_is_too_long_is_cut_around_the_code_and_the_tables_inside_it():
    code, table = (block.replace("\n", "\n   ") for block in (lines(12), TABLE))
    text = f"1. {words(3)}\n\n   {code}\n\n   {table}\n\n   - {words(4)}\n   - {words(5)}\n\n2. {words(2)}"
    chunk_texts = texts(text, max_size=22, join_below=1)
    assert chunk_texts == [f"1. {words(3)}\n\n   {code}", table, f"- {words(4)}\n   - {words(5)}\n\n2. {words(2)}"]


def test_a_quotation_that_is_too_long_is_cut_around_the_blocks_inside_it():
    code = lines(8).replace("\n", "\n> ")
    text = f"> {words(6)}\n> {words(6)}\n>\n> {code}\n>\n> {words(4)}"
    # The marks of quotations are words.
    assert texts(text, max_size=18, join_below=1) == [f"> {words(6)}\n> {words(6)}\n>", f"> {code}", f">\n> {words(4)}"]
    assert texts(text, max_size=9, join_below=1)[-1] == f">\n> {words(4)}"


@pytest.mark.parametrize("rest", ["Text.", "# One\n\nText.", "## Two\n\n### Three\n\n- item"])
@pytest.mark.parametrize("front", ["---\ntitle: x\n---", "+++\nx = 1\n+++"])
def test_front_matter_stays_with_what_follows(front, rest):
    text = f"{front}\n\n{rest}\n\n# Last\n\nMore."
    assert texts(text, max_size=12, join_below=1) == [f"{front}\n\n{rest}", "# Last\n\nMore."]
    assert "front matter kept with what follows" in reasons(text, max_size=12, join_below=1)[1]
    assert texts(front) == [front]
    # Only one that is too long is cut, between lines.
    assert all(len(part.split()) <= 3 for part in texts(text, max_size=3))


def test_link_definitions_and_raw_html_are_blocks():
    text = f"{words(3)}\n\n[a]: b\n[c]: d\n\n<div>\n{words(3)}\n</div>"
    assert texts(text, max_size=6, join_below=1) == [words(3), "[a]: b\n[c]: d", f"<div>\n{words(3)}\n</div>"]


def test_a_formula_is_whole_even_if_it_is_too_long():
    formula = f"$$\n{words(9, end='')}\n$$"
    chunking = cut(Structure(max_size=5), f"{words(4)}\n\n{formula}\n\n{words(4)}")
    assert [chunk.text for chunk in chunking] == [words(4), formula, words(4)]
    assert chunking.notes == ("A formula of 11 tokens stays whole, though a chunk may have 5 at most.",)


def test_a_paragraph_that_is_too_long_is_cut_between_sentences_and_its_heading_stays_with_the_first():
    text = f"# One\n\n{words(3)} {words(4)} {words(2)} {words(12)}"
    chunking = run_and_time_chunker(Structure(max_size=9), Document.from_text(text, "regex"), tools())
    # The heading leaves 7 of 9 for each part; of the small ones, two fit into one chunk.
    assert [chunk.text for chunk in chunking] == [
        f"# One\n\n{words(3)} {words(4)}",
        f"{words(2)} {words(7, end='')}",
        words(5),
    ]
    assert "joined: same heading, 2 + 7 tokens" in [gap.reason for gap in chunking.gaps]
    cuts = [gap.reason for gap in chunking.gaps if gap.verdict.is_cut]
    assert cuts == [
        "paragraph cut between sentences: 9 tokens at most",
        "inside sentence 4: sentence cut between words: 9 tokens at most",
    ]


def test_a_tokenizer_whose_counts_do_not_add_up_keeps_the_size():
    text = "# A heading\r\rText below it.\r\r## Another\r\rThe tide comes in twice a day."
    with tables_at_hand():
        counting = tools(tokenizer="cl100k_base")
        chunking = run_and_time_chunker(Structure(max_size=4), Document.from_text(text, "lines"), counting)
        assert max(counting.count_tokens(chunking.texts)) <= 4


@pytest.mark.parametrize("inner", ["breakpoint", "change_point", "optimal"])
def test_the_inner_chunker_cuts_what_is_too_long_on_its_own_sentences_and_embeds_nothing_else(inner):
    one, other = ("\n".join(f"{angle} a b c d" for angle in angles) for angles in ((0, 2, 1, 3, 2), (90, 92, 91, 93, 92)))
    embedder = AngleEmbedder()
    text = f"# Not a number\n\nnor this\n\n# Another\n\n{one}\n{other}"
    chunking = cut(Structure(inner=inner, max_size=34), text, embedder=embedder)
    assert [chunk.text for chunk in chunking] == [
        "# Not a number\n\nnor this",
        f"# Another\n\n{one}",
        other,
    ]
    embedded = {sentence for batch in embedder.batches for sentence in batch}
    assert embedded
    assert "\n".join(embedded).count("Another") == 0
    (_, why) = (gap.reason for gap in chunking.gaps if gap.verdict.is_cut)
    assert why.startswith(f"paragraph of 50 tokens cut by {inner}: 34 tokens at most; ")
    assert any(gap.reason.startswith(f"not cut by {inner}; ") for gap in chunking.gaps)


def test_nothing_is_embedded_where_everything_fits_or_the_inner_chunker_is_recursive():
    text = f"# One\n\n{words(30)} {words(30)}"
    for chunker in (Structure(inner="breakpoint"), Structure(max_size=20)):
        embedder = HashEmbedder()
        cut(chunker, text, embedder=embedder)
        assert embedder.batches == []


def test_it_embeds_by_its_inner_chunker():
    assert not CHUNKERS["structure"].embeds
    assert not Structure().embeds
    assert Structure(inner="optimal").embeds
    assert run_and_time_chunker(Structure(), Document.from_text("One. Two."), tools()).chunks


def test_a_reason_says_where_a_gap_lies():
    text = f"{words(2)}\n{words(2)}\n\n- {words(2)}\n- {words(2)}"
    assert reasons(text)[1] == ["inside a paragraph", "joined: no heading between, 4 + 6 tokens", "inside a list"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_change_nothing(end):
    text = f"# One\n\nBring:\n\n- {words(3)}\n- {words(3)}\n\n{TABLE}\n\n```\na b\nc d\n```"
    chunk_texts = texts(text.replace("\n", end), max_size=12)
    assert [part.replace(end, "\n") for part in chunk_texts] == texts(text, max_size=12)


def test_a_search_ends_between_blocks_when_it_is_cancelled():
    asked = []

    def cancelled():
        asked.append(True)
        return len(asked) > 3

    with pytest.raises(Cancelled):
        cut(Structure(), "# One\n\nText.\n\n" * 10, cancelled=cancelled)


def test_too_many_marks_are_refused_in_a_sentence():
    text = "a\n" * (MOST_MARKDOWN_MARKS + 1)
    with pytest.raises(InputError, match=r"^structure: a text may have at most 500,000 lines, table cells.* in total"):
        Structure().chunk(Document(text, ((0, len(text) - 1),)), tools())
    clear_outline_caches()


def test_too_many_chunks_are_refused_in_a_sentence():
    text = "a " * 1_000_001
    with pytest.raises(InputError, match=r"^structure: a text may be cut into at most 1,000,000 chunks"):
        Structure(max_size=1).chunk(Document(text, ((0, len(text) - 1),)), tools())


# ---- on generated Markdown --------------------------------------------------------------------------------------------

SENTENCES = st.integers(1, 30).map(words)
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=4).map(" ".join)
HEADINGS = st.tuples(st.integers(1, 6), st.integers(1, 4)).map(lambda pair: f"{'#' * pair[0]} {words(pair[1], 'h', '')}")
LISTS = st.tuples(st.lists(PARAGRAPHS, min_size=1, max_size=5), st.sampled_from(["\n", "\n\n"])).map(
    lambda pair: pair[1].join(f"- {item}" for item in pair[0])
)
TABLES = st.integers(1, 12).map(lambda rows: "| a | b |\n|---|---|\n" + "\n".join(["| 1 | 2 |"] * rows))
CODE = st.integers(1, 20).map(lambda lines: "```\n" + "\n".join(["a = b"] * lines) + "\n```")
FORMULAS = st.integers(1, 20).map(lambda count: f"$$\n{words(count, end='')}\n$$")
INTRODUCED = st.tuples(SENTENCES, LISTS | TABLES | CODE).map(lambda pair: f"{pair[0][:-1]}:\n\n{pair[1]}")
MARKDOWN = st.lists(
    PARAGRAPHS | HEADINGS | HEADINGS | LISTS | TABLES | CODE | FORMULAS | INTRODUCED | st.just("---"),
    min_size=1,
    max_size=12,
).map("\n\n".join)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(MARKDOWN, st.integers(30, 80), st.integers(1, 100), st.sampled_from(["regex", "lines", "paragraphs"]))
@example(f"# h\n\n{TABLE}\n\n# h", 30, 1, "lines")
@example("# h\n\n| a | b |\n|---|---|" + "\n| 1 | 2 |" * 10, 56, 1, "lines")
def test_what_fits_is_whole_and_nothing_is_too_large(text, most, least, sentences):
    document = Document.from_text(text, sentences)
    chunking = run_and_time_chunker(Structure(max_size=most, join_below=least), document, tools())
    spans = [chunk.spans[0] for chunk in chunking]
    assert "".join("".join(chunk.text.split()) for chunk in chunking) == "".join(text.split())
    starts = [span.start for span in spans]
    outline = parse_block_outline(text).blocks
    for block in outline:
        size = len(text[slice(*block.span)].split())
        inside = [start for start in starts if block.span.start < start < block.span.end]
        if block.kind == "formula" or (block.kind in ("table", "list", "code block") and size <= most):
            assert not inside, (block, chunking)
        if block.kind == "list":
            assert (
                set(inside) <= {*parse_block_outline(text).item_starts}
                or max(map(len, text[slice(*block.span)].split("- "))) > most // 2
            )
    long = [block for block in outline if block.kind == "formula"]
    for chunk in chunking:
        size = len(f"{chunk.text} {chunk.context}".split())
        assert size <= most or any(chunk.start <= block.span.start < chunk.end for block in long), chunk
        last = next(block for block in reversed(outline) if block.span.start < chunk.end)
        following = next((b for b in outline if b.kind not in ("heading", "rule") and b.span.start >= chunk.end), None)
        small = len(re.findall(r"^#+ .*$", text, re.MULTILINE)) * 5 <= most // 4
        # A block that takes the whole limit leaves no room for its heading, and is not cut for it.
        full = (
            following is not None
            and following.kind in ("table", "list", "code block")
            and len(text[slice(*following.span)].split()) <= most
            and len(text[last.span.start : following.span.end].split()) > most
        )
        assert last.kind != "heading" or following is None or full or not small, chunk


@pytest.mark.parametrize("inner", ["recursive", "breakpoint", "change_point", "optimal"])
@pytest.mark.parametrize("sample", samples("report", "formulas", "legal", "source_code"))
def test_samples_keep_their_blocks(sample, inner):
    source = load_sample(sample)
    document = Document.from_text(source.text, source.sentences)
    chunking = run_and_time_chunker(build_chunker("structure", {"inner": inner}), document, tools())
    assert all(len(f"{chunk.text} {chunk.context}".split()) <= 250 for chunk in chunking)
    assert all(gap.verdict in (Verdict.CUT, Verdict.KEPT) for gap in chunking.gaps)
    starts = [chunk.start for chunk in chunking]
    for block in parse_block_outline(source.text).blocks:
        if block.kind not in ("paragraph", "quotation") and len(source.text[slice(*block.span)].split()) <= 125:
            assert not [start for start in starts if block.span.start < start < block.span.end]


class Asked:
    """The word pieces of a text, and how many texts were asked about."""

    name = "all-MiniLM-L6-v2"
    skips_space = True

    def __init__(self):
        self.real = load_tokenizer("all-MiniLM-L6-v2")
        self.texts = 0

    def ensure_loaded(self):
        self.real.ensure_loaded()

    def count(self, texts):
        self.texts += len(texts)
        return self.real.count(texts)

    def starts(self, text):
        return self.real.starts(text)


SIGNS = ["#", "*", "|", ">", "`", "$", "_", "=", "[", "\\", "<", "漢", "é", "🌊", "\u200d", "ab#", "a", "&amp;", "[a]("]


@pytest.mark.slow
@given(
    # A sign of spaces alone would make no line.
    sign=st.sampled_from(SIGNS) | st.text("#*|>`~$-_= a漢🌊[](.!\\", min_size=1, max_size=3).filter(str.strip),
    before=st.sampled_from(["", "# ", "- ", "> ", "|a|\n|-|\n|", "```\n", "$$", "a\n", "words: "]),
    size=st.sampled_from([8, 60, 250]),
)
@settings(max_examples=15, deadline=None)
@example(sign="#", before="", size=250)
def test_one_line_without_end_is_cut_within_the_size_and_counted_in_a_few_pieces(sign, before, size):
    text = before + sign * (20_000 // len(sign))
    asked = Asked()
    document = Document.from_text(text, "lines")
    chunking = run_and_time_chunker(Structure(max_size=size), document, Tools(HashEmbedder(), asked))
    assert "".join("".join(chunk.text.split()) for chunk in chunking) == "".join(text.split())
    kept_whole = any("stays whole" in note for note in chunking.notes)
    assert kept_whole or max(asked.real.count([chunk.text for chunk in chunking])) <= size
    # Each of the chunks is looked at a few times and cut from words that are counted once, but not character by character.
    assert asked.texts < 12 * len(chunking.chunks) + 4 * len(text.split()) + 500
