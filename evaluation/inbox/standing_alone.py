"""Rules for chunks that cannot be understood alone, in the languages of `POINTING`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chunkers import Chunk, Span
from evaluation.inbox.case import Case, Found
from evaluation.inbox.pointing_back import POINTING, addresses_reader, pointer

REACH = 500
"""Characters on either side of a cut in which a condition or lead-in is sought."""

_LEFT_OVER = re.compile(r"[\s.,;:!?…。！？；：，、»”’)\]]*")
"""Characters that the sentence before may leave at the beginning of a chunk."""

_SENTENCE_END = re.compile(r"(?:[.!?…]['\"”’»)\]*_]*|[。！？；：:][”’」』）]*|\n)\s*\Z")

_STOP = re.compile(r"[.!?…](?=\s|\Z)|[。！？]|\n")

_ITEM = re.compile(
    r"[ \t]*(?:(?P<bullet>[-*+•–—·▪])|(?P<number>\d{1,3}[.)）])|(?P<letter>[(（]?[a-zA-Z][)）])|(?P<roman>[(（][ivx]+[)）])"
    r"|(?P<bracket>[(（]\d{1,3}[)）])|(?P<han>[(（]?[一二三四五六七八九十]{1,3}[)）、]))(?:[ \t]+|(?<=[)）、]))(?=\S)"
)
"""Mark of an item of a list or enumeration; its group is the kind of mark."""

_HEADING = re.compile(r"[ \t]*#{1,6}\s")

_CONDITIONS = {
    "en": "if|when|unless|where|provided(?:\\s+that)?|as\\s+long\\s+as|in\\s+case|once|only\\s+if|whenever"
    "|except\\s+(?:if|when|where)",
    "de": "wenn|falls|sofern|soweit|sobald|solange|es\\s+sei\\s+denn|vorausgesetzt",
    "fr": "si|lorsque|quand|à\\s+moins\\s+que|à\\s+condition\\s+que|pourvu\\s+que|dès\\s+que|sauf\\s+si|que\\s+si",
    "es": "si|cuando|a\\s+menos\\s+que|siempre\\s+que|salvo\\s+que|en\\s+caso\\s+de\\s+que|con\\s+tal\\s+de\\s+que"
    "|solo\\s+si",
    "zh": "如果|若|假如|倘若|除非|只要|一旦|凡",
}
"""Conjunctions of conditions, by the code of the language."""

_ANNOUNCEMENTS = {
    "en": r"(?:as\s+follows|(?:the|these)\s+following(?:\s+(?!day|week|month|year|morning|evening|night|season)[\w-]+){0,2}"
    r"|listed\s+(?:here|below)|in\s+the\s+following\s+\w+)",
    "de": r"(?:wie\s+folgt|folgendermaßen|(?:auf\s+)?folgende\s+(?:Weise|Art)|Folgendes)",
    "fr": r"(?:comme\s+suit|de\s+la\s+(?:manière|façon)\s+suivante|ce\s+qui\s+suit|les?\s+\w+\s+suivante?s?)",
    "es": r"(?:como\s+sigue|de\s+la\s+siguiente\s+(?:manera|forma)|del\s+siguiente\s+modo|lo\s+siguiente"
    r"|l[ao]s\s+\w+\s+siguientes)",
    "zh": r"(?:如下|以下[^，。]{0,6}|下列[^，。]{0,6})",
}
"""Ends of sentences that announce what follows, by the code of the language."""

_GERMAN_FOLLOW = re.compile(r"\bwie\s+folgt\b[^.:]{0,60}\.\Z")
"""The German verb may stand behind the announcement."""


def dangling_start(case: Case) -> Found:
    """Find chunks whose first sentence begins with words that point back to an earlier chunk."""
    document = case.chunking.document
    text, language = document.text, case.language
    if language not in POINTING:
        return
    polite = addresses_reader(text, language)
    for chunk, start in _beginnings(case):
        if not _begins_sentence(text, start) or _ITEM.match(text, start) or not case.is_prose(start):
            continue
        stop = _STOP.search(text, start, chunk.end)
        last = stop.end() if stop else chunk.end
        words = pointer(text[start : min(last, start + 160)], language, polite)
        if words:
            yield Span(start, last), 0.6, f"the chunk begins with “{words}”, which points back to an earlier one"


def without_lead_in(case: Case) -> Found:
    """Find chunks that begin with items, code or clauses whose lead-in or condition stands in an earlier chunk."""
    text, language = case.chunking.document.text, case.language
    if language not in POINTING:
        return
    lead_ins: dict[tuple[int, str], str] = {}
    for chunk, start in _beginnings(case):
        cut, line_end = chunk.start, text.find("\n", start, chunk.end)
        first_line = Span(start, line_end if line_end > 0 else chunk.end)
        item = _ITEM.match(text, start)
        if item is not None and _begins_line(text, start) and case.is_prose(start):
            lead_in = _lead_in_of(text, start, item.lastgroup or "", language, lead_ins)
        else:
            lead_in = _announcement(text, cut, language) if case.is_prose(max(0, cut - 2)) else ""
        if lead_in and lead_in in chunk.context:
            continue
        if lead_in:
            yield first_line, 0.65, f"its lead-in, “{_shortened(lead_in)}”, is in an earlier chunk"
        elif condition := _cut_condition(case, cut, language):
            yield first_line, 0.65, f"the cut parts the condition “{_shortened(condition)}” from what depends on it"


def _beginnings(case: Case) -> Iterator[tuple[Chunk, int]]:
    """Yield each chunk but the first, and where its text begins after what the sentence before left."""
    text = case.chunking.document.text
    for chunk in case.chunking.chunks[1:]:
        left_over = _LEFT_OVER.match(text, chunk.start, chunk.end)
        start = left_over.end() if left_over else chunk.start
        if start < chunk.end:
            yield chunk, start


def _begins_sentence(text: str, start: int) -> bool:
    """Return whether a sentence can begin at an offset, whatever the splitter took for one."""
    before = text[max(0, start - 20) : start]
    return (not before.strip() or _SENTENCE_END.search(before) is not None) and not text[start].islower()


def _begins_line(text: str, start: int) -> bool:
    line = text.rfind("\n", 0, start) + 1
    return not text[line:start].strip()


def _lead_in_of(text: str, start: int, kind: str, language: str, known: dict[tuple[int, str], str]) -> str:
    """Return the sentence that introduces the list of an item; empty if none does.

    ``known`` has what earlier calls found for items, by their line and kind of mark, so that no list is walked twice.
    """
    item = text.rfind("\n", 0, start) + 1
    lead_in, end = "", item
    while end > 0:
        begin = text.rfind("\n", 0, end - 1) + 1
        line = text[max(begin, end - REACH) : end].strip()
        if (begin, kind) in known:
            lead_in = known[begin, kind]
            break
        end = begin
        if not line:
            continue
        if _introduces(line, language):
            lead_in = "" if _HEADING.match(line) else _last_sentence(line)
            break
        mark = _ITEM.match(text, begin)
        is_continuation = text[begin : begin + 2].isspace() and not mark
        if not is_continuation and (mark is None or mark.lastgroup != kind):
            break
    known[item, kind] = lead_in
    return lead_in


def _announcement(text: str, cut: int, language: str) -> str:
    """Return the last line before a cut if it announces what follows; empty otherwise."""
    before = text[max(0, cut - REACH) : cut].rstrip()
    line = before[before.rfind("\n") + 1 :]
    return "" if _HEADING.match(line) or not _introduces(line, language, at_cut=True) else _last_sentence(line)


def _last_sentence(line: str) -> str:
    return re.split(r"(?<=[.!?…])\s+(?=\S)|(?<=[。！？])(?=\S)", line)[-1]


def _introduces(line: str, language: str, *, at_cut: bool = False) -> bool:
    """Return whether a line announces what follows."""
    if line.endswith((":", "：")):
        return True
    if re.search(rf"\b{_ANNOUNCEMENTS[language]}[.。]?\Z", line) or (language == "de" and _GERMAN_FOLLOW.search(line)):
        return True
    return not at_cut and re.search(rf"\b(?:{_CONDITIONS[language]})\Z", line) is not None


def _cut_condition(case: Case, cut: int, language: str) -> str:
    """Return the condition in or at whose end a sentence is cut; empty if there is none."""
    if not case.is_prose(cut):
        return ""
    document = case.chunking.document
    start, end = document.sentences[document.sentence_at(cut)]
    start, end = max(start, cut - REACH), min(end, cut + REACH)
    before, after = document.text[start:cut].lstrip(" .。"), document.text[cut:end]
    if not before.strip() or not re.search(r"\w", after):
        return ""
    before = re.split(r"[.!?。！？]\s*(?=\S)", before)[-1]
    clause = re.split(r"[,，;；]\s*", before)[-1]
    conjunction = rf"(?:{_CONDITIONS[language]})"
    boundary = "" if language == "zh" else r"\b"
    open_clause = re.match(rf"\s*{conjunction}{boundary}", clause, re.IGNORECASE)
    if open_clause and re.search(r"\w", clause):
        return clause.strip()
    follows = re.match(rf"\s*,?\s*{conjunction}{boundary}", after, re.IGNORECASE)
    if follows and re.search(r"\w", before):
        return after.strip()
    return ""


def _shortened(words: str, most: int = 60) -> str:
    line = " ".join(words.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
