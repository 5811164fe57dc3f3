"""Sentences: what holds for every splitter, and what each does."""

import re
import time
from itertools import accumulate, pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sentencex import get_sentence_boundaries, segment

from chunkers import DEFAULT_SPLITTER, SPLITTER_DESCRIPTIONS, Document
from chunkers.text import sentence_rules
from chunkers.text.language_detection import LANGUAGE_NAME_BY_CODE
from chunkers.text.sentences import ASCII_STOPS_BY_LANGUAGE, split_into_sentence_spans
from tests.fixtures.paragraphs import count_sentence_ends, paragraphs_by_language
from tests.lanes import mostly_full

WORDS = [
    "Dr.",
    "Sec.",
    "3",
    "1.",
    "One",
    "two",
    "end.",
    "What?",
    "No!",
    '"Yes."',
    "「はい。」",
    "¿Qué",
    "«Où",
    "»",
    "🌊",
    "e\u0301.",
]
PIECES = st.sampled_from([*WORDS, " ", " ", "\n", "\n", "\n\n", "\t", "| a | b |", "- item", "。", "\u00a0"])
TEXTS = st.lists(PIECES, max_size=40).map("".join)


def sentences(text, splitter):
    return [text[start:end] for start, end in Document.from_text(text, splitter).sentences]


@pytest.mark.slow
@pytest.mark.parametrize("splitter", SPLITTER_DESCRIPTIONS)
@pytest.mark.parametrize("line_end", mostly_full(["\r\n", "\r"], ["\r\n"]))
@given(text=TEXTS)
@example(text="This sentence is wrapped\nover two lines. Second.\n\nThird.")
@settings(deadline=None)
def test_how_lines_end_makes_no_difference(splitter, line_end, text):
    other = [re.sub("\r\n?", "\n", sentence) for sentence in sentences(text.replace("\n", line_end), splitter)]
    assert other == sentences(text, splitter)


@pytest.mark.slow
@pytest.mark.parametrize("splitter", SPLITTER_DESCRIPTIONS)
@given(text=TEXTS | st.text(max_size=300))
@example(text="")
@example(text=" \r\n\t ")
@example(text="a" * 30_000)
@example(text="👨‍👩‍👧‍👦. " * 300)
@example(text="e\u0301\u0323. A\u030a! \r\n\r\n\n B.")
@example(text="。" * 50 + '"' * 50)
@settings(deadline=None)
def test_no_visible_character_is_lost(splitter, text):
    spans = Document.from_text(text, splitter).sentences
    assert all(start < end for start, end in spans)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
    outside = [text[one:other] for one, other in pairwise([0, *[edge for span in spans for edge in span], len(text)])][::2]
    assert not "".join(outside).strip()


@pytest.mark.parametrize(
    ("code", "missed", "false"), [(code, 0, 0) for code in ("en", "fr", "es", "it", "ru", "uk", "ja", "ko")]
)
def test_paragraphs_without_a_fault(code, missed, false):
    counted = count_sentence_ends(paragraphs_by_language()[code], "sentencex")
    assert (counted.missed, counted.false) == (missed, false)


def test_the_default_is_the_best_of_the_three():
    wrong = {
        splitter: sum(
            counted.missed + counted.false
            for counted in (count_sentence_ends(text, splitter) for text in paragraphs_by_language().values())
        )
        for splitter in ("sentencex", "spacy", "regex")
    }
    assert min(wrong, key=wrong.__getitem__) == DEFAULT_SPLITTER
    assert wrong["sentencex"] <= 12


@pytest.mark.parametrize(
    ("splitter", "marked"),
    [
        *(
            (splitter, marked)
            for splitter in ("sentencex", "spacy")
            for marked in (
                "¿Qué pasa?| ¡Nada!| ¿Y tú?| Bien.",
                "He left.| “We go now.”| She stayed.",
                'He left.| "We go now."| She stayed.',
                "Er ging.| „Nach Hause.“| »Jetzt.«| Dann nichts.",
                "Il part.| « Je rentre. »| Voilà.",
                "这是第一句。|这是第二句！|这是第三句？|对。",
                "他说：“你好。”|然后走了｡|完了",
                '他说："你好。"|然后走了。|"谁？"|她问。',
                "「はい。」|（笑。）|元気？",
                "A heading|\n\nThe text.| More.",
            )
        ),
        *(
            ("sentencex", marked)
            for marked in (
                "1. The first thing.|\n2. The second one.|\n\na) A third.",
                "See Sec. IV of it.| Then see Fig. 3 and No. 7.| Done.",
                "It was J. P. Hollis.| He asked what?| Nobody knew, etc.| The end.",
                "“Who?” she asked.| Nobody.",
                "all is small here. |no capital at all. |none.",
                "- one|\n- two is. here|\n* three|\n\n# Head|\nText.| More",
                "Text¦\n| a | b |\n|---|---|¦\n| It is. Yes. | x |¦\nafter",
            )
        ),
    ],
)
def test_rules(splitter, marked):
    bar = "¦" if "¦" in marked else "|"
    expected = [part.strip() for part in marked.split(bar)]
    assert sentences(marked.replace(bar, ""), splitter) == expected


@pytest.mark.parametrize(
    ("language", "marked"),
    [
        # An ordinal goes on with its noun; a number at the end of a sentence does not.
        ("de", "Im 19. Jahrhundert war alles anders.| Zum 50. Geburtstag las er das 1. Kapitel."),
        ("de", "Der 2. Weltkrieg begann.| Er wohnt im 4. Stock auf der 2. Seite."),
        ("de", "Das war die 7.| Er ging.| Er kam auf Platz 3.| Danach kam keiner."),
        ("de", "Die Kunst des 18. und 19. Jahrhunderts.| Der 2., 3. und 4. Band fehlt."),
        # After a preposition that numbers follow too, only a noun that mostly has an ordinal shows that it is one.
        ("de", "Sie kam auf 2. Platz.| Ein Brief aus 1. Hand, von 19. Jahrhundert an."),
        ("de", "Sie trafen sich um 8.| Dann stieg es auf 20.| Menschen flohen.| Es endete 2 zu 3.| Bayern verlor."),
        # A number that an abbreviation refers to is no item's.
        ("pl", "Zob. rys. 3.| Rozdział 4 jest dłuższy."),
        ("ru", "См. рис. 3.| Глава 4 длиннее."),
        ("el", "Βλ. εικ. 3.| Το κεφάλαιο 4 είναι μεγαλύτερο."),
        ("tr", "Bkz. şek. 3.| Bölüm 4 daha uzundur."),
        ("pl", "1. Pierwszy rozdział.| 2. Drugi rozdział."),
        # No sentence ends inside a word.
        ("it", "Nel 44 a.C. a Roma morì Cesare."),
        ("pt", "Em 44 a.C. a Roma antiga mudou."),
        ("pl", "To jest plik CONFIG.SYS i inne."),
        ("zh", "他用A.|他用B。|对。"),
        # Abbreviations, and initials with a hyphen.
        ("fr", "J.-P. Sartre est mort.| Le Pr. Martin est là."),
        ("nl", "Mevr. Jansen is hier.| Zij lacht."),
        ("en", "It takes approx. 5 minutes.| Take vitamin-C.| Then it ends."),
    ],
)
def test_rules_of_languages(language, marked):
    assert sentences(marked.replace("|", ""), f"sentencex:{language}") == [part.strip() for part in marked.split("|")]


ENDS = [
    *("word", "Word", "vi", "ill", "Will", "J", "I", "IV", "3", "12", "1880", "Pr", "Mevr", "ej", "etc", "Fig", "Ж", "ёж"),
    *(". ", "? ", ".\n", "\n", " ", ".", '." ', ".) ", "« ", "»", "“", "(", "- ", "* ", "-", "\u00a0", "。"),
]


@given(text=st.lists(st.sampled_from(ENDS), max_size=30).map("".join), places=st.sets(st.integers(1, 150)))
@example(text="vi. She told. Will. She went.", places=set())
@settings(deadline=None)
def test_the_ends_that_no_rule_looks_at_are_those_that_no_rule_changes(text, places):
    library = list(accumulate(map(len, segment("en", text)[:-1])))
    for starts in ([0, *library], sorted({0, *library, *(place for place in places if place < len(text))})):
        corrected = sentence_rules.fix_marks_and_false_ends(text, starts)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sentence_rules, "_sentence_numbers_with_unsure_start", lambda text, starts: range(1, len(starts)))
            assert sentence_rules.fix_marks_and_false_ends(text, starts) == corrected


@pytest.mark.parametrize("code", paragraphs_by_language())
def test_sentencex_finds_the_same_starts_by_its_two_functions(code):
    text = paragraphs_by_language()[code].text
    starts = [boundary["start_index"] for boundary in get_sentence_boundaries(code, text)]
    assert [0, *accumulate(map(len, segment(code, text)[:-1]))] == starts


def test_a_long_paragraph_is_split_as_its_parts_are():
    sentence = "The tide at Dr. Hollis's gauge rose by 3.5 metres."
    assert sentences(" ".join([sentence] * 2000), "sentencex:en") == [sentence] * 2000


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["'Hi.' ", '"a." ', "(a b.) ", ". ' ", "“", "! ", "a.", "| a ", "1. ", "- a\n", "|\n", '。"', "¿"]
)
def test_no_pattern_takes_the_square_of_the_time(unit):
    def seconds(characters):
        text = unit * (characters // len(unit))
        began = time.process_time()
        Document.from_text(text, "sentencex:en")
        return time.process_time() - began

    # Four times the text in sixteen times the time would be the square of it, each time; a busy machine may make it look so.
    assert any(seconds(100_000) < 10 * max(seconds(25_000), 0.05) for _ in range(5))


@pytest.mark.parametrize("language", sorted(LANGUAGE_NAME_BY_CODE))
def test_ascii_characters_that_end_no_sentence(language):
    stops = ASCII_STOPS_BY_LANGUAGE.get(language, ".?!")
    for mark in map(chr, range(1, 128)):
        if mark in stops or mark.isspace():
            continue
        for text in (f"Aaa b{mark} Bbb{mark}\nCc", f"Aa{mark}{mark}\n {mark}Bb", f"{mark}aa b", f"Aa{mark}Bb"):
            assert len(get_sentence_boundaries(language, text)) == 1, (mark, text)


@pytest.mark.parametrize("language", ["en", "de", "fr", "ru", "ja"])
@pytest.mark.parametrize("space", [*"\x85\xa0\u1680\u2000\u2028\u2029\u202f\u205f\u3000"])
def test_wide_spaces_before_a_full_stop_are_no_panic(language, space):
    for text in (f"A{space}. B went.", f"{space}A{space}.{space}", f"J. A{space} {space}. B", f"Mr J..A{space}\n."):
        assert split_into_sentence_spans(text, f"sentencex:{language}")
