"""Every rule of the inbox, with a case that it must flag and one that it must not."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest

from chunkers import Chunk, Chunking, Curve, Document, Gap, Line, Reason, Span, Verdict, build_chunker, run_chunker
from evaluation.findings.examined_chunking import unreadable_reason
from evaluation.findings.rules import RULES, find_suspicious_cuts, finding_count_per_rule
from sample_docs import load_sample
from tests.support import HashEmbedder, tools


def cut_at(text, *places, sentences="lines"):
    """Return the chunking of ``text`` cut before each of ``places``, words that occur once."""
    document = Document.from_text(text, sentences)
    edges = [0, *(text.index(place) for place in places), len(text)]
    spans = [Span(start, end) for start, end in pairwise(edges)]
    return Chunking(document, tuple(Chunk.of(document, span) for span in spans), ())


def scored(scores, threshold, verdict=Verdict.CUT):
    """Return a chunking of one line a sentence, each gap with that score and verdict."""
    document = Document.from_text("\n".join("abcdefghijkl"[: len(scores) + 1]), "lines")
    gaps = [
        Gap(index, score, threshold, verdict if score > threshold else Verdict.KEPT, Reason())
        for index, score in enumerate(scores)
    ]
    curve = Curve("distance", tuple(scores), (Line("", threshold, "amount"),), True, True)
    return Chunking.from_gaps(document, gaps, curves=(curve,))


class Reads20(HashEmbedder):
    """Reads 20 characters."""

    max_tokens = 20


TABLE = "Rivers:\n\n| river | km |\n|---|---|\n| Aller | 215 |\n| Fulda | 220 |\n\nThat is all."
CODE = "Run:\n\n```\nfirst()\nsecond()\n```\n\nDone."
FORMULA = "So\n$$\na = b\nc = d\n$$\nholds."
BRACKETS = "So\n\\[\na = b\nc = d\n\\]\nholds."
LIST = "Bring:\n\n- bread\n- cheese\n\nThen go."
SIZES = "A first chunk of words.\nAnother chunk of words.\nA third chunk of words.\nOne more such chunk now.\n{}"

SECTIONS = "# Bridges\n\nThey are four.\n\nEach is old.\n\nOne fell.\n\n# Mills\n\nThey grind."
COPIED = "The library stays closed from Monday until Wednesday, as its heating is being replaced in the next five days"
PARAGRAPHS = "Leaves make glucose.\nThey need light.\nIts rate depends on it.\n\nRivers carry sand.\nDeltas grow."

CASES = {
    "inside_sentence": (cut_at("One two three.\nFour.", "two"), cut_at("One two three.\nFour.", "Four")),
    "inside_table": (cut_at(TABLE, "| Fulda"), cut_at(TABLE, "| river", "That")),
    "inside_code": (cut_at(CODE, "second"), cut_at(CODE, "```\nfirst", "Done")),
    "inside_formula": (cut_at(FORMULA, "c = d"), cut_at(FORMULA, "$$\na", "holds")),
    "inside_list": (cut_at(LIST, "- cheese"), cut_at(LIST, "- bread", "Then")),
    "without_header": (cut_at(TABLE, "| Aller"), cut_at(TABLE, "| river", "That")),
    "stranded_heading": (cut_at(SECTIONS, "They are"), cut_at(SECTIONS, "# Mills")),
    "far_from_heading": (cut_at(SECTIONS, "Each", "One fell"), cut_at(SECTIONS, "Each", "# Mills", "They grind")),
    "off_a_paragraph": (
        cut_at(PARAGRAPHS, "Its rate"),
        cut_at(PARAGRAPHS, "Rivers"),
    ),
    "bad_split": (
        cut_at("He met Dr. Lind. Good.", "Lind", sentences="regex"),
        cut_at("He met a doctor. Good.", "Good", sentences="regex"),
    ),
    "whole_paragraph": (
        cut_at("word " * 200 + "end.", sentences="regex"),
        cut_at("word " * 100 + "end. " + "word " * 100 + "end.", sentences="regex"),
    ),
    "dangling_start": (
        cut_at("The pump has two valves. They must be closed first.", "They", sentences="sentencex:en"),
        cut_at("The pump has two valves. It is important that both are closed.", "It", sentences="sentencex:en"),
    ),
    "without_lead_in": (
        cut_at(LIST, "- cheese", sentences="sentencex:en"),
        cut_at("Bread is good.\n\n- bread\n- cheese", "- cheese", sentences="sentencex:en"),
    ),
    "near_duplicate": (
        cut_at(f"{COPIED}.\n\nFor readers: {COPIED}!", "For readers"),
        cut_at(f"{COPIED}\n{PARAGRAPHS}", "Leaves"),
    ),
    "empty": (cut_at("One.\n* * *\nTwo.", "* * *", "Two"), cut_at("One.\n| 1 | 2 |\nTwo.", "| 1", "Two")),
    "boilerplate": (
        cut_at("Ducks swim.\nHome › News › Guides\n© 2025 Duck Press", "Home"),
        cut_at("Ducks swim.\n| Home | News | Guides |\nCookies taste of butter.", "| Home"),
    ),
    "unreadable": (cut_at("Good.\nThe cafÃ© isnâ€™t open.", "The"), cut_at("Good.\nThe café isn’t “CAFÉ”.", "The")),
    "tiny": (
        cut_at(SIZES.format("!"), "Another", "A third", "One more", "!"),
        cut_at(SIZES.format("Five!"), "Another", "A third"),
    ),
    "oversized": (
        cut_at(SIZES.format("x" * 150), "Another", "A third", "One more", "x" * 150),
        cut_at(SIZES.format("x" * 90), "Another", "A third", "One more", "x" * 90),
    ),
    "unread": (cut_at("Twenty-one characters", sentences="lines"), cut_at("Exactly 20 character")),
    "by_a_hair": (scored([0.1, 0.508, 0.9], 0.5), scored([0.1, 0.492, 0.9], 0.5)),
    "flat": (scored([0.30, 0.301, 0.302, 0.303, 0.9], 0.5), scored([0.1, 0.2, 0.3, 0.4, 0.9], 0.5)),
}


def test_every_rule_has_a_case():
    assert CASES.keys() == RULES.keys()


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_flags_what_it_must_and_nothing_else(rule):
    bad, good = CASES[rule]
    findings = [finding for finding in find_suspicious_cuts(bad, Reads20()) if finding.rule == rule]
    assert findings
    for finding in findings:
        assert 0 <= finding.score <= 1
        assert 0 <= finding.span.start < finding.span.end <= len(bad.document.text)
        assert finding.reason
    assert rule not in finding_count_per_rule(find_suspicious_cuts(good, Reads20()))


PROSE = "The harbour was dredged, and then the ferries came back to it."


@pytest.mark.parametrize(
    "block",
    [
        "```sh\nmake one two. Three four.\n```",
        "    an indented line. Another one",
        "<details>\n<summary>One two. Three</summary>\n</details>",
        '[one]: https://example.org/two "Three four. Five"',
        "| one two. Three | four |\n|---|---|\n| five | six seven. Eight |",
        "## 1. One two three",
        "[one two](three) | [four](five) [![six](seven)](eight)",
        "[one](two) | Three | [four](five) | [six](seven)",
        '<a href="one"><img src="two three"></a> <br/> <a href="four"><img src="five"></a>',
        "---\ntitle: One two. Three\nauthor: Four\n---",
    ],
)
def test_rules_on_sentences_are_about_prose_alone(block):
    text = f"{block}\n\n{PROSE}\n" if block.startswith("---") else f"{PROSE}\n\n{block}\n\n{PROSE}\n"
    document = Document.from_text(text, "sentencex:en")
    start = text.index(block)
    for cut in range(start + 1, start + len(block)):
        spans = [Span(0, cut), Span(cut, len(text))]
        by_rule = finding_count_per_rule(
            find_suspicious_cuts(Chunking(document, tuple(Chunk.of(document, span) for span in spans), ()))
        )
        assert not {"inside_sentence", "bad_split", "whole_paragraph"} & by_rule.keys(), (cut, by_rule)
    cut = text.index("ferries")
    spans = [Span(0, cut), Span(cut, len(text))]
    assert "inside_sentence" in finding_count_per_rule(
        find_suspicious_cuts(Chunking(document, tuple(Chunk.of(document, span) for span in spans), ()))
    )


def test_of_a_sentence_over_two_blocks_the_part_in_one_is_meant():
    text = "Run this and see\n```\nfirst()\n```\n"
    document = Document.from_text(text, "paragraphs")
    for word, flagged in (("this", True), ("```\nfirst", False), ("first", False)):
        cut = text.index(word)
        chunking = Chunking(document, tuple(Chunk.of(document, span) for span in (Span(0, cut), Span(cut, len(text)))), ())
        assert ("inside_sentence" in finding_count_per_rule(find_suspicious_cuts(chunking))) == flagged


def test_the_worst_comes_first_and_reasons_have_numbers():
    findings = find_suspicious_cuts(cut_at(CODE, "Run:", "second", "Done."))
    assert [finding.score for finding in findings] == sorted((finding.score for finding in findings), reverse=True)
    (code,) = [finding for finding in findings if finding.rule == "inside_code"]
    assert code.reason == "a code block of 4 lines is cut once"
    assert CODE[slice(*code.span)] == "```\nfirst()\nsecond()\n```"


@pytest.mark.parametrize(
    ("text", "splitter", "said"),
    [
        ("one came. two went. three. four", "sentencex", "a paragraph of 31 characters is one sentence, with 3 stops in it"),
        ("潮は満ちる。灯台。守。書く。", "spacy", "a paragraph of 14 characters is one sentence, with 3 stops in it"),
        ("one came. two went. three", "sentencex", ""),
        ("one came. two went. three. four", "lines", ""),
        ("one came. two went. three. four", "paragraphs", ""),
        ("# one came. two went. three. four", "sentencex", ""),
    ],
)
def test_a_paragraph_with_stops_in_it_is_no_sentence_unless_it_was_asked_for(text, splitter, said):
    document = Document(text, (Span(0, len(text)),), splitter=splitter)
    findings = find_suspicious_cuts(Chunking(document, (Chunk.of(document, Span(0, len(text))),), ()))
    assert [finding.reason for finding in findings if finding.rule == "whole_paragraph"] == ([said] if said else [])


def test_a_header_that_is_repeated_as_context_is_not_missed():
    chunking = cut_at(TABLE, "| Aller")
    chunks = (chunking[0], chunking[1]._replace(context="| river | km |\n|---|---|"))
    (finding,) = [finding for finding in find_suspicious_cuts(chunking) if finding.rule == "without_header"]
    assert finding.reason == "2 lines of a table begin a chunk, and its header is in one before"
    assert TABLE[slice(*finding.span)] == "| Aller | 215 |\n| Fulda | 220 |"
    assert "without_header" not in finding_count_per_rule(find_suspicious_cuts(replace(chunking, chunks=chunks)))


def test_a_heading_cut_off_the_next_one_is_stranded_too_but_none_at_the_end_of_the_text():
    text = "# One\n\n## Two\n\nText.\n\n# Three"
    spans = [finding.span for finding in find_suspicious_cuts(cut_at(text, "## Two")) if finding.rule == "stranded_heading"]
    assert [text[slice(*span)] for span in spans] == ["# One"]
    assert "stranded_heading" not in finding_count_per_rule(find_suspicious_cuts(cut_at(text, "# Three")))


def test_how_far_the_heading_is_is_counted_in_chunks():
    findings = [finding for finding in find_suspicious_cuts(cut_at(SECTIONS, "They are", "Each", "One fell", "They grind"))]
    far = {
        SECTIONS[slice(*finding.span)].split()[0]: finding.reason
        for finding in findings
        if finding.rule == "far_from_heading"
    }
    assert far == {
        "Each": "the heading of its section, “Bridges”, is 2 chunks before",
        "One": "the heading of its section, “Bridges”, is 3 chunks before",
    }


@pytest.mark.parametrize("sample", ["table", "report", "article", "essay"])
def test_structure_leaves_no_heading_stranded_and_no_rows_without_their_header(sample):
    source = load_sample(sample)
    chunking = run_chunker(build_chunker("structure", {"max_size": 60}), Document.from_text(source.text), tools())
    assert not {"stranded_heading", "without_header"} & finding_count_per_rule(find_suspicious_cuts(chunking)).keys()


def test_how_near_a_hair_is_can_be_set():
    case = scored([0.1, 0.53, 0.9], 0.5)
    assert "by_a_hair" not in finding_count_per_rule(find_suspicious_cuts(case))
    assert finding_count_per_rule(find_suspicious_cuts(case, narrow_margin=0.031))["by_a_hair"] == 1
    exact = scored([0.1, math.nextafter(0.5, 1), 0.9], 0.5)
    assert finding_count_per_rule(find_suspicious_cuts(exact, narrow_margin=0.0)).get("by_a_hair", 0) == 0


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ("It costs 3.", "5 euros.", "inside a decimal"),
        ("See Fig. 3 by J.", " Smith.", "the initial J."),
        ("We met Prof.", " Ames.", "the abbreviation Prof."),
        ("Am 3.", " Oktober war es kalt.", "the number 3."),
    ],
)
def test_bad_splits_say_at_what(left, right, said):
    text = left + right
    document = Document(text, (Span(0, len(left)), Span(len(text) - len(right.lstrip()), len(text))))
    whole = Chunking(document, (Chunk.of(document, Span(0, len(text))),), ())
    (finding,) = find_suspicious_cuts(whole)
    assert said in finding.reason
    assert "chunk" not in finding.reason


def test_the_german_sample_has_the_bad_split_that_it_teaches():
    sample = load_sample("german")
    findings = find_suspicious_cuts(whole(replace(sample, sentences="spacy")))
    assert not find_suspicious_cuts(whole(sample))
    assert any(finding.rule == "bad_split" and "3." in finding.reason for finding in findings)


def whole(sample):
    document = Document.from_text(sample.text, sample.sentences)
    return Chunking(document, (Chunk.of(document, Span(0, len(sample.text))),), ())


def test_nothing_is_suspicious_about_nothing():
    document = Document.from_text("", "lines")
    assert find_suspicious_cuts(Chunking(document, (), ()), Reads20()) == []


@pytest.mark.parametrize(
    ("places", "alone"),
    [
        (["They"], None),
        (["Its rate"], 3),
        (["Deltas"], 4),
        (["Its rate", "Deltas"], [3, 4]),
        (["Its rate", "Rivers"], None),
        (["rate"], None),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_sentence_cut_off_its_paragraph_is_told_unless_the_paragraphs_own_end_is_cut(places, alone, end):
    chunking = cut_at(PARAGRAPHS.replace("\n", end), *places)
    findings = [finding for finding in find_suspicious_cuts(chunking) if finding.rule == "off_a_paragraph"]
    wanted = alone if isinstance(alone, list) else [alone] if alone else []
    assert [finding.reason.split(" is cut off ")[0] for finding in findings] == [f"sentence {number}" for number in wanted]


def test_curves_with_undefined_scores_are_read_without_them():
    flat = scored([0.30, 0.301, 0.302, 0.303, 0.9], 0.5)
    curve = Curve("distance", (*flat.curves[0].scores, math.nan), flat.curves[0].lines, True, True)
    assert "flat" in finding_count_per_rule(find_suspicious_cuts(Chunking(flat.document, flat.chunks, (), curves=(curve,))))


@pytest.mark.parametrize(
    ("text", "places", "language", "reasons"),
    [
        (LIST, ["- bread", "- cheese"], "en", ["its lead-in, “Bring:”, is in an earlier chunk"] * 2),
        ("If the pump stalls, close it.", ["pump"], "en", ["the cut parts the condition “If the” from what depends on it"]),
        (
            "Close it when the pump stalls.",
            ["when"],
            "en",
            ["the cut parts the condition “when the pump stalls.”"],
        ),
        ("The pump runs, and it hums.", ["and"], "en", []),
        ("# Bring:\n\n- bread\n- cheese", ["- bread", "- cheese"], "en", []),
        ("Se la pompa si ferma, chiudila:\n\n- la valvola", ["- la"], "it", []),
    ],
)
def test_a_lead_in_is_named_with_each_chunk_that_lacks_it(text, places, language, reasons):
    findings = [
        finding
        for finding in find_suspicious_cuts(cut_at(text, *places, sentences=f"sentencex:{language}"))
        if finding.rule == "without_lead_in"
    ]
    for finding, reason in zip(sorted(findings, key=lambda finding: finding.span), reasons, strict=True):
        assert finding.reason.startswith(reason)


def test_a_chunk_that_repeats_its_lead_in_lacks_none():
    chunking = cut_at(LIST, "- cheese", sentences="sentencex:en")
    first, second = chunking.chunks
    assert "without_lead_in" in finding_count_per_rule(find_suspicious_cuts(chunking))
    repeated = replace(chunking, chunks=(first, second._replace(context="Bring:")))
    assert "without_lead_in" not in finding_count_per_rule(find_suspicious_cuts(repeated))


@pytest.mark.parametrize(
    ("text", "is_broken"),
    [
        ("Ein schÃ¶ner grÃ¼ner Garten", True),
        ("Ein schöner grüner Garten, groß, sagte sie: „SCHÖN“", False),
        ("One pÃ¡gina among años and días", False),
        ("The price is 5 €, or £4 – “cheap”.", False),
        ("青石桥的船闸今年春天重新开放了".encode().decode("gbk", "replace"), True),
        ("锁在今年春天重新开放了船只不再等待一个小时", False),
        ("\uf0b7 a bullet of Word, and a sentence behind it", False),
    ],
)
def test_characters_are_broken_if_most_of_what_is_not_ascii_is(text, is_broken):
    assert bool(unreadable_reason(text)) == is_broken


def test_a_parent_is_no_duplicate_of_its_child_and_not_oversized():
    lengths = (6, 7, 8, 9, 10, 11, 12, 100)
    text = "\n\n".join(" ".join(f"word{number}{place}" for place in range(length)) for number, length in enumerate(lengths))
    plain, nested = (
        run_chunker(build_chunker("recursive", {"size": 100, **parents}), Document.from_text(text, "regex"), tools())
        for parents in ({}, {"parent_size": 800})
    )
    assert len(nested) > len(plain)
    assert {finding.rule for finding in find_suspicious_cuts(nested)} <= {
        finding.rule for finding in find_suspicious_cuts(plain)
    }
