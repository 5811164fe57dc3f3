"""Rules on top of a splitter's boundaries: pure functions that correct where the sentences of a paragraph begin.

Each takes a paragraph whose lines end in LF and the code points at which its sentences begin, ascending, the first of
them 0, and returns such a list. A sentence ends where the next begins.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise

# A stop, and what may stand between it and the end of its sentence.
_IDEOGRAPHIC_STOP_CHARACTERS = "。！？｡"
_IDEOGRAPHIC_STOP_PATTERN = re.compile(rf"[{_IDEOGRAPHIC_STOP_CHARACTERS}][。！？｡”’»›」』）】〉》〕〗)\]]*")
_SPACE = re.compile(r"\s*")
_CONTINUING_MARK_PATTERN = re.compile("[，、：；,;:]")

# Most marks open in one language and close in another: they open after white space or at the very beginning.
_OPENING_MARK_CHARACTERS = "\"'“”‘’„‚«»‹›「『《〈（【([¿¡"
_OPENING_MARKS_PATTERN = re.compile(
    rf"(?:(?<=\s)|(?<![\s\S]))[{re.escape(_OPENING_MARK_CHARACTERS)}]+(?:(?<=[«‹])\s+)?\Z|[「『《〈（【¿¡]+\Z"
)
_MOST_OPENING_MARKS = 8

_ITEM_NUMBER_PATTERN = re.compile(r"\(?\d{1,3}[.)]")
_LINE_ITEM_NUMBER_PATTERN = re.compile(r"\(?(?:\d{1,3}|[ivxlIVXL]{1,5}|[A-Za-z])[.)]")
_ABBREVIATIONS_PATTERN = (
    # English, and abbreviations shared with it
    "approx|secs?|figs?|eqs?|eqns?|nos?|ch|chaps?|vols?|arts?|tabs?|refs?|pp?|pars?|cf|ed|op|"
    # German, Dutch
    "nr|abb|kap|bd|s|abs|ziff|anm|blz|afb|"
    # French, Spanish, Portuguese, Italian
    "núm|num|págs?|pag|caps?|fasc|párr|tav|"
    # Polish, Czech, Russian, Ukrainian, Greek
    "str|rys|č|čl|obr|рис|табл|стр|гл|ст|см|мал|αρ|σελ"
)
_REFERENCE_ABBREVIATION_PATTERN = re.compile(rf"(?:^|[\s(\[«“\"])(?:{_ABBREVIATIONS_PATTERN})\.\Z", re.IGNORECASE)
_REFERRED_NUMBER_PATTERN = re.compile(r"[(\[]?(?:\d|[IVXLC]+\b)")
_TITLE_ABBREVIATION_PATTERN = re.compile(r"(?:^|[\s(\[«“\"])(?:[Mm]evr|[Mm]ej|Pr)\.\Z")
_HYPHENATED_INITIALS = re.compile(r"(?<![^\W\d_])[^\W\d_]\.[-‐‑][^\W\d_]\.\Z")
_ABBREVIATION_BEFORE_SENTENCE_PATTERN = re.compile(
    rf"(?:(?i:\b(?:{_ABBREVIATIONS_PATTERN}))|(?<![^\W\d_])(?![A-ZÀ-ÞΑ-ΩА-Я])[^\W\d_]{{1,4}})\.\s+\Z"
)
_SHORT_LAST_WORD_PATTERN = re.compile(r"(?:^|\s)[^\W\d_]{1,4}\.\Z")
_LAST_WORD_PATTERN = re.compile(r"[^\s.(\[«“„\"]+(?=\.\Z)")
_MARKS_BEFORE_FIRST_LETTER = " \t\n–—―-\"'“”‘’„‚«»‹›([¿¡"
_QUOTATION_END_PATTERN = re.compile(r"[.?!][\"”’]\Z")
# It begins with the stop, which is found much faster than words.
_ETC_BEFORE_WORD_PATTERN = re.compile(r"\.(?<=(?<!\S)(?:etc|ecc|usw|enz|itd|itp|atd|osv)\.)\s+(?=[^\W\d_])", re.IGNORECASE)
# Does not match at the most frequent end of a sentence, which no rule moves or removes: the last word is no initial, title
# or Roman numeral of a list, and the next word begins with a capital and is no Roman numeral.
_UNSURE_SENTENCE_END_PATTERN = re.compile(
    r"(?![A-Za-z][A-Za-z](?<!vr)(?<!ej)(?<!Pr)(?:(?<![ivxlIVXL]{2})|(?<=[A-HJKM-UWYZa-hjkm-uwyz]..))[.?!]\s"
    r"(?:[-*+] )?(?:[A-Z][a-z]|[ABD-HJKMN-UWYZ]))"
)
_SURE_END_CHARACTER_COUNT = 4
"""Characters of a sure end before the next sentence: two letters, the stop and white space."""
_EXAMINED_CHARACTERS = 24
"""Characters before and after a boundary that a rule looks at."""

# Thai, Lao, Tibetan, Myanmar and Khmer, kana, Chinese characters: their words are not parted by spaces.
_UNSPACED_SCRIPT_PATTERN = re.compile(
    "[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)

_ORDINAL_NUMBER_PATTERN = re.compile(r"\d\.\s")
_GERMAN_ARTICLE_PATTERN = (
    "d(?:er|ie|as|en|em|es)|(?:[km]?ein|dein|sein|ihr|unser|euer)(?:e[rnms]?)?|(?:jed|dies|jen)e[rnms]?|"
    "im|am|zum|zur|vom|beim|ins|ans|aufs|fürs|übers|in|ab|an|bei|mit|seit|bis|nach|vor"
)
_CHARACTERS_EXAMINED_BEFORE_ORDINALS = 40
# Of several, as in "des 18. und 19. Jahrhunderts", the first follows it.
_GERMAN_ORDINAL_LIST_PATTERN = r"(?:\d{1,2}\.(?:,|\s+(?:und|oder|bis|sowie|[-‐‑–]|(?:und|bis)\s+zu[mr]))\s+){,2}\d{1,2}\."
_GERMAN_ORDINAL_AFTER_ARTICLE_PATTERN = re.compile(
    rf"(?:^|[\s(\[„»“\"])(?:{_GERMAN_ARTICLE_PATTERN})\s+{_GERMAN_ORDINAL_LIST_PATTERN}\Z", re.IGNORECASE
)
# After these a plain number may end a sentence, as in "um 8. Menschen kamen", so the noun must be one that has ordinals.
_GERMAN_PREPOSITION_PATTERN = (
    "auf|aus|durch|für|gegen|gemäß|hinter|laut|neben|ohne|statt|trotz|über|um|unter|von|während|wegen|zu|zwischen|und|oder"
)
_UNSURE_GERMAN_ORDINAL_PATTERN = re.compile(
    rf"(?:^|[\s(\[„»“\"])(?:{_GERMAN_PREPOSITION_PATTERN})\s+{_GERMAN_ORDINAL_LIST_PATTERN}\Z", re.IGNORECASE
)
_GERMAN_NOUN_AFTER_ORDINAL_PATTERN = re.compile(
    r"(?:Jahrhundert|Jahrtausend)(?:en|e?s|e)?\b|"
    r"(?:Platz|Rang|Stock(?:werks?)?|Etage|Geschoss|Klasse|Liga|Ehe|Hand|Reihe|Stufe|Auflage)\b"
)
_GERMAN_SENTENCE_BEGINNING_PATTERN = re.compile(
    r"(?:d(?:er|ie|as|en|em|es|ies(?:e[rnms]?)?|ann|anach|aher|abei|adurch|amit|aran|arauf|azu|ort|a|och|u|enn)|ein(?:e[rnms]?)?|"
    r"e[sr]|sie|so|seit(?:dem|her)?|(?:[dsmk]ein|ihr|unser|jed|all|viel)(?:e[rnms]?)?|wi[re]|ich|man|und|aber|auch|als|wenn|weil|"
    r"was|wer|wo|nach(?:dem|her)?|vor(?:her)?|bevor|in|i[mn]s?|a[nm]|auf|bei|mit|zu[mr]?|für|von|vom|hier|jetzt|nun|nur|noch|"
    r"schon|später|trotzdem|ob|oder|obwohl)\b",
    re.IGNORECASE,
)

_STOP_BEFORE_SMALL_LETTER_PATTERN = re.compile(r"[.?!]\s+[a-z]")
_WIDE_SPACE_BEFORE_STOP_PATTERN = re.compile(r"[^\S\x00-\x7f]+(?=\s*\.)")
# It begins with the stop, which is found much faster than wide spaces.
_STOP_AFTER_SPACE_PATTERN = re.compile(r"\.(?<=\s\.)")
_GERSHAYIM_PATTERN = re.compile('"(?<=[\u05d0-\u05ea]")(?=[\u05d0-\u05ea])')


# It begins with the line break before, which is found much faster than the beginning of a line.
_MARKDOWN_LINE_PATTERN = re.compile(
    r"\n(?=[ \t]*[|#\-*+•‣◦(\d])(?:"
    r"(?P<row>[ \t]*\|.*\|[ \t]*)$|(?P<heading>#{1,6}[ \t]+\S.*)|[ \t]*(?:[-*+•‣◦]|\(?\d{1,3}[.)])[ \t]+\S)",
    re.MULTILINE,
)
_POSSIBLE_MARKDOWN_PATTERN = re.compile(r"[ \t|#\-*+•‣◦(\d]")
_TABLE_DELIMITER_ROW = re.compile(r"[ \t|:]*-[ \t|:-]*")


SentenceRule = Callable[[str, list[int]], list[int]]


def sentence_rules_for(text: str, language: str) -> tuple[SentenceRule, ...]:
    """Return the rules that correct the splitter sentencex in this text and language, in order of application."""
    rules: list[SentenceRule] = [fix_marks_and_false_ends]
    if _ETC_BEFORE_WORD_PATTERN.search(text):
        rules.append(split_after_etcetera)
    if language == "de" and _ORDINAL_NUMBER_PATTERN.search(text):
        rules.append(remove_ends_after_ordinals)
    if not text.isascii() and any(stop in text for stop in _IDEOGRAPHIC_STOP_CHARACTERS):
        rules.append(begin_sentences_after_ideographic_stops)
    if _MARKDOWN_LINE_PATTERN.search(f"\n{text}"):
        rules.append(split_at_markdown_lines)
    return tuple(rules)


def begin_sentences_after_ideographic_stops(text: str, starts: list[int]) -> list[int]:
    """End a sentence after the ideographic stops 。！？｡ and closing marks, unless a comma follows."""
    if text.isascii() or not any(stop in text for stop in _IDEOGRAPHIC_STOP_CHARACTERS):
        return starts
    corrected_starts = set(starts)
    counted_until_offset = counted_quotation_mark_count = 0
    for stop_match in _IDEOGRAPHIC_STOP_PATTERN.finditer(text):
        next_start = stop_match.end()
        counted_quotation_mark_count += text.count('"', counted_until_offset, next_start)
        counted_until_offset = next_start
        if counted_quotation_mark_count % 2 and text.startswith('"', next_start):
            # A straight quotation mark closes if one is open.
            next_start += 1
        next_start = _SPACE.match(text, next_start).end()  # type: ignore[union-attr]  # it also matches the empty string
        corrected_starts.difference_update(range(stop_match.start() + 1, next_start))
        if next_start < len(text) and not _CONTINUING_MARK_PATTERN.match(text, next_start):
            corrected_starts.add(next_start)
    return sorted(corrected_starts)


def fix_marks_and_false_ends(text: str, starts: list[int]) -> list[int]:
    """Move opening marks to the sentence that they open, and remove false ends, such as those inside words."""
    sentence_numbers_with_unsure_start = _sentence_numbers_with_unsure_start(text, starts)
    if not sentence_numbers_with_unsure_start:
        return starts
    partly_corrected_starts = remove_ends_in_words(text, move_opening_marks(text, starts))
    return _remove_false_ends(
        text,
        partly_corrected_starts,
        sentence_numbers_with_unsure_start
        if partly_corrected_starts == starts
        else _sentence_numbers_with_unsure_start(text, partly_corrected_starts),
    )


def _sentence_numbers_with_unsure_start(text: str, starts: Sequence[int]) -> list[int]:
    """Return the numbers of the sentences, from 1, whose beginning `fix_marks_and_false_ends` may move or remove."""
    unsure_end_match_function = _UNSURE_SENTENCE_END_PATTERN.match
    return [
        number
        for number, (previous, start) in enumerate(pairwise(starts), start=1)
        if start - previous < _SURE_END_CHARACTER_COUNT or unsure_end_match_function(text, start - _SURE_END_CHARACTER_COUNT)
    ]


def move_opening_marks(text: str, starts: list[int]) -> list[int]:
    """Move opening quotation marks, brackets, ¿ and ¡ to the sentence that they open."""
    if len(starts) < 2:
        return starts
    has_angle_quotes = "«" in text or "‹" in text
    if not has_angle_quotes and all([text[sentence_start - 1].isspace() for sentence_start in starts[1:]]):
        return starts
    moved_starts = {0}
    for previous_start, sentence_start in pairwise(starts):
        if has_angle_quotes or not text[sentence_start - 1].isspace():
            opening_marks_match = _OPENING_MARKS_PATTERN.search(
                text, max(previous_start, sentence_start - _MOST_OPENING_MARKS), sentence_start
            )
            sentence_start = opening_marks_match.start() if opening_marks_match else sentence_start
        moved_starts.add(sentence_start)
    return sorted(moved_starts)


def _remove_false_ends(text: str, starts: list[int], sentence_numbers_with_unsure_start: Sequence[int]) -> list[int]:
    """Remove false ends of sentences; only the sentences in ``sentence_numbers_with_unsure_start`` may follow one.

    False ends come after the number of a list, after an abbreviation before what it refers to ("see Sec. 3"), after an
    initial, and before a small letter, unless the text has no capitals.
    """
    has_capitals = not text.islower()
    sentence_numbers_joined_to_previous: set[int] = set()
    joined_sentence_start = 0
    for sentence_number in sentence_numbers_with_unsure_start:
        previous_start, start = starts[sentence_number - 1 : sentence_number + 1]
        if sentence_number - 1 not in sentence_numbers_joined_to_previous:
            joined_sentence_start = previous_start
        if start - previous_start <= _EXAMINED_CHARACTERS:
            previous_begins_line = previous_start == 0 or text[previous_start - 1] == "\n"
            item_number_pattern = _LINE_ITEM_NUMBER_PATTERN if previous_begins_line else _ITEM_NUMBER_PATTERN
            following_start = starts[sentence_number + 1] if sentence_number + 1 < len(starts) else len(text)
            is_item_number = _matches_whole_sentence(
                item_number_pattern, text, previous_start, start
            ) and not _matches_whole_sentence(item_number_pattern, text, start, following_start)
            # What an abbreviation refers to, as "3." after "Fig.", is no item's number.
            number_follows_abbreviation = (
                joined_sentence_start < previous_start
                and _ABBREVIATION_BEFORE_SENTENCE_PATTERN.search(
                    text, max(joined_sentence_start, previous_start - _EXAMINED_CHARACTERS), previous_start
                )
            )
            if is_item_number and not number_follows_abbreviation:
                sentence_numbers_joined_to_previous.add(sentence_number)
                continue
        text_before, text_after = (
            text[max(joined_sentence_start, start - _EXAMINED_CHARACTERS) : start].rstrip(),
            text[start : start + _EXAMINED_CHARACTERS],
        )
        if text_before.endswith("."):
            is_false_end = (
                _is_abbreviation_with_number(text_before, text_after)
                or _ends_with_initial(text_before)
                or _ends_with_title(text_before)
            )
        else:
            is_false_end = _begins_with_korean_particle(text_before, text_after)
        # The first letter may come behind marks and dashes.
        if is_false_end or (has_capitals and _is_small_letter(text_after.lstrip(_MARKS_BEFORE_FIRST_LETTER)[:1])):
            sentence_numbers_joined_to_previous.add(sentence_number)
    return (
        [start for number, start in enumerate(starts) if number not in sentence_numbers_joined_to_previous]
        if sentence_numbers_joined_to_previous
        else starts
    )


def _matches_whole_sentence(pattern: re.Pattern[str], text_containing_sentence: str, start: int, end: int) -> bool:
    """Return whether a sentence is nothing but a match of the short pattern."""
    return end - start <= _EXAMINED_CHARACTERS and pattern.fullmatch(text_containing_sentence[start:end].strip()) is not None


def _is_abbreviation_with_number(text_before: str, text_after: str) -> bool:
    """Return whether an abbreviation and the number that it refers to are on the two sides."""
    return bool(
        (_REFERRED_NUMBER_PATTERN.match(text_after) and _REFERENCE_ABBREVIATION_PATTERN.search(text_before))
        or (text_after[:1].isdecimal() and _SHORT_LAST_WORD_PATTERN.search(text_before))
    )


def _ends_with_initial(text_before: str) -> bool:
    """Return whether a name's initial comes before: a capital, or a letter of a script without capitals, with its marks."""
    if text_before[-4:-3] == "." and _HYPHENATED_INITIALS.search(text_before):
        return True
    last_letter = text_before[-2:-1]
    if (text_before[-3:-1].isalpha() and len(text_before) > 2) or (last_letter.isascii() and not last_letter.isalpha()):
        return False
    word_match = _LAST_WORD_PATTERN.search(text_before)
    base_letters = (
        [letter for letter in word_match[0] if not unicodedata.category(letter).startswith("M")] if word_match else []
    )
    return len(base_letters) == 1 and base_letters[0].isalpha() and not _is_small_letter(base_letters[0])


def _ends_with_title(text_before: str) -> bool:
    return text_before.endswith(("evr.", "ej.", "Pr.")) and _TITLE_ABBREVIATION_PATTERN.search(text_before) is not None


def _is_small_letter(letter: str) -> bool:
    # Unicode calls Georgian letters small, but sentences begin with them.
    return letter.islower() and not "\u10d0" <= letter <= "\u10ff"


def _begins_with_korean_particle(text_before: str, text_after: str) -> bool:
    """Return whether the particle that follows a quotation in Korean is attached to it."""
    return "\uac00" <= text_after[:1] <= "\ud7a3" and bool(_QUOTATION_END_PATTERN.search(text_before))


def remove_ends_in_words(text: str, starts: list[int]) -> list[int]:
    """Remove sentence ends inside words, as in "a.C." and "CONFIG.SYS".

    Texts in scripts without spaces between words are left unchanged.
    """
    return [
        start
        for start in starts
        if start == 0
        or text[start - 1] not in ".?!:;"
        or not text[start].isalnum()
        or _UNSPACED_SCRIPT_PATTERN.match(text, start)
    ]


def remove_ends_after_ordinals(text: str, starts: list[int]) -> list[int]:
    """Remove sentence ends between a German ordinal and its noun, as in "im 19. Jahrhundert".

    An ordinal has one or two digits and follows an article, or a preposition that rarely precedes a plain number. If the
    next word typically begins a sentence and is not a noun, as in "Das war die 7. Er ging.", the number ended a
    sentence. After other prepositions, as in "auf 2. Platz", only nouns that usually take ordinals show that it did not.
    """
    return [start for start in starts if start == 0 or not _is_inside_german_ordinal_phrase(text, start)]


def _is_inside_german_ordinal_phrase(text: str, start: int) -> bool:
    """Return whether a German ordinal comes before a place, and its noun after it."""
    if text[start : start + 1].isdecimal():
        return False
    text_before = text[max(0, start - _CHARACTERS_EXAMINED_BEFORE_ORDINALS) : start].rstrip()
    if _GERMAN_ORDINAL_AFTER_ARTICLE_PATTERN.search(text_before):
        return _GERMAN_SENTENCE_BEGINNING_PATTERN.match(text, start) is None
    return (
        _GERMAN_NOUN_AFTER_ORDINAL_PATTERN.match(text, start) is not None
        and _UNSURE_GERMAN_ORDINAL_PATTERN.search(text_before) is not None
    )


def split_after_etcetera(text: str, starts: list[int]) -> list[int]:
    """End a sentence after "etc." if the next word begins with a capital letter."""
    next_word_starts = [match.end() for match in _ETC_BEFORE_WORD_PATTERN.finditer(text)]
    return sorted({*starts, *(end for end in next_word_starts if text[end].isupper())}) if next_word_starts else starts


def replace_misleading_characters(text: str) -> str:
    """Replace characters that mislead the splitter sentencex, keeping the length of the paragraph.

    sentencex takes a lower-case letter for the continuation of a sentence, even in a text without capitals, and the mark
    inside a Hebrew abbreviation for an opening quotation mark. When it looks for initials, it counts every space as one
    byte, and panics at wider spaces.
    """
    if text.islower():
        text = _STOP_BEFORE_SMALL_LETTER_PATTERN.sub(lambda match: match[0][:-1] + match[0][-1].upper(), text)
    if text.isascii():
        return text
    if _STOP_AFTER_SPACE_PATTERN.search(text):
        text = _WIDE_SPACE_BEFORE_STOP_PATTERN.sub(lambda match: " " * len(match[0]), text)
    return _GERSHAYIM_PATTERN.sub("\u05f4", text)


def split_at_markdown_lines(text: str, starts: list[int]) -> list[int]:
    """Begin a sentence at each Markdown table row, list item and heading; rows and headings also end a sentence.

    The delimiter row below a table's header belongs to the header, and a row is one sentence whatever is in its cells.
    """
    if "\n" not in text and not _POSSIBLE_MARKDOWN_PATTERN.match(text):
        return starts
    sentence_starts: set[int] = set()
    table_row_spans: list[tuple[int, int]] = []
    for line_match in _MARKDOWN_LINE_PATTERN.finditer(f"\n{text}"):
        # With the line break in front, both offsets are those of the text itself: the line's, and the next one's.
        line_start, next_line_start = line_match.span()
        if line_match.lastgroup is None:
            sentence_starts.add(line_start)
        elif line_match.lastgroup == "heading":
            sentence_starts.update((line_start, next_line_start))
        elif table_row_spans and table_row_spans[-1][1] == line_start and _TABLE_DELIMITER_ROW.fullmatch(line_match["row"]):
            table_row_spans[-1] = table_row_spans[-1][0], next_line_start
        else:
            table_row_spans.append((line_start, next_line_start))
    if not (sentence_starts or table_row_spans):
        return starts
    sentence_starts.update(
        chain(
            *table_row_spans,
            [start for start, row in _pair_starts_with_table_row(starts, table_row_spans) if row is None]
            if table_row_spans
            else starts,
        )
    )
    # Nothing begins behind the last line.
    sentence_starts.difference_update((len(text), len(text) + 1))
    return sorted(sentence_starts)


def _pair_starts_with_table_row(
    starts: Sequence[int], table_row_ranges: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, tuple[int, int] | None]]:
    """Yield each start with the row that it lies inside."""
    table_row_index = 0
    for start in starts:
        while table_row_index < len(table_row_ranges) and table_row_ranges[table_row_index][1] <= start:
            table_row_index += 1
        is_inside_table_row = table_row_index < len(table_row_ranges) and table_row_ranges[table_row_index][0] < start
        yield start, table_row_ranges[table_row_index] if is_inside_table_row else None
