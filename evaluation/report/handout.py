"""A lecture on paper: its scenes with their chunks, exercises, and the answers on the last page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chunkers import Chunking, Document
from chunkers.results.markup import text
from chunkers.results.notebook import column, title_of
from chunkers.results.pictures import marks, strip
from evaluation.report.page import MOST_SHOWN, whole_page
from evaluation.segmentation.measures import cuts_of

MOST_SENTENCES = 60
"""Most sentences of a text that becomes an exercise."""

_RULES = """
.ROOT .scene { margin-top: 2rem; }
.ROOT .scene dl, .ROOT .answers dl { font-size: 0.95rem; margin: 0.4rem 0 0.8rem; }
.ROOT .scene dd, .ROOT .answers dd { color: var(--ink); }
.ROOT .exercise { padding-inline-start: 2.2rem; }
.ROOT .exercise li { margin: 0.15rem 0; white-space: pre-wrap; unicode-bidi: plaintext; }
.ROOT .exercises h3, .ROOT .answers h3 { margin-top: 1.2rem; }
@media print {
  .ROOT .exercises, .ROOT .answers { break-before: page; }
  .ROOT .scene dl, .ROOT .box, .ROOT .exercise { break-inside: avoid; }
  .ROOT .scene dl, .ROOT .strips { break-after: avoid; }
}
"""


@dataclass(frozen=True)
class Sheet:
    """A scene on paper.

    Attributes
    ----------
    words
        The words of the scene by part.
    document, known
        The text, or None if the scene shows none, and its known boundaries in code points, or None.
    columns
        The results of the scene's chunkers for the text.
    """

    title: str
    words: Mapping[str, str]
    document: Document | None = None
    known: tuple[int, ...] | None = None
    columns: Sequence[Chunking] = ()


def handout(title: str, about: str, sheets: Sequence[Sheet]) -> str:
    """Return a lecture as one HTML page to print, which loads nothing and runs nothing."""
    scenes = "".join(_scene(number, sheet) for number, sheet in enumerate(sheets, start=1))
    body = f'<h1>{text(title)}</h1><p class="facts">{text(about)}</p>{scenes}{_exercises(sheets)}'
    return whole_page(title, body, _RULES)


def _scene(number: int, sheet: Sheet) -> str:
    parts = [(part.capitalize(), words) for part, words in sheet.words.items() if words]
    words = "".join(f"<dt>{text(part)}</dt><dd>{text(line)}</dd>" for part, line in parts)
    most = MOST_SHOWN // max(1, len(sheet.columns))
    columns = "".join(f"<section>{column(cut, most)}</section>" for cut in sheet.columns)
    shown = f'{_strips(sheet)}<div class="columns">{columns}</div>' if sheet.columns else ""
    return f'<section class="scene"><h2>{number}. {text(sheet.title)}</h2><dl>{words}</dl>{shown}</section>'


def _strips(sheet: Sheet) -> str:
    known = "" if sheet.known is None else marks(sheet.columns[0], sheet.known, "known")
    rows = "".join(strip(cut, f"{number} {title_of(cut)}") for number, cut in enumerate(sheet.columns, start=1))
    return f'<div class="axis strips">{known}{rows}</div>'


def _exercises(sheets: Sequence[Sheet]) -> str:
    """Return each short text once, uncut, and on the last page where it was cut."""
    texts: dict[str, list[Sheet]] = {}
    for sheet in sheets:
        if sheet.document is not None and sheet.columns and 1 < len(sheet.document.sentences) <= MOST_SENTENCES:
            texts.setdefault(sheet.document.identity, []).append(sheet)
    if not texts:
        return ""
    uncut, answers = [], []
    for number, same in enumerate(texts.values(), start=1):
        document = same[0].document
        assert document is not None
        name = f"<h3>Text {number}: {text(document.name)}</h3>"
        sentences = "".join(f"<li>{text(sentence.strip())}</li>" for sentence in document.sentence_texts)
        uncut.append(f'{name}<ol class="exercise">{sentences}</ol>')
        answers.append(f"{name}<dl>{''.join(_answers(document, same))}</dl>")
    return (
        '<section class="exercises"><h2>Where would you cut?</h2><p class="said">Draw a line before each sentence with '
        f"which a chunk begins. The answers are on the last page.</p>{''.join(uncut)}</section>"
        f'<section class="answers"><h2>Answers</h2>{"".join(answers)}</section>'
    )


def _answers(document: Document, sheets: Sequence[Sheet]) -> list[str]:
    """Return the known boundaries, and the cuts of each chunker."""
    rows: dict[str, str] = {}
    known = sheets[0].known
    if known is not None:
        rows["known boundaries"] = _before(document, known)
    for sheet in sheets:
        for cut in sheet.columns:
            rows[column_name(cut)] = _before(document, cuts_of(cut))
    return [f"<dt>{text(name)}</dt><dd>{text(places)}</dd>" for name, places in rows.items()]


def column_name(cut: Chunking) -> str:
    """Return the title and the settings of the chunker that made a result."""
    described = "" if cut.made_by is None else cut.made_by.build().describe()
    return ", ".join(filter(None, (title_of(cut), described)))


def _before(document: Document, places: Sequence[int]) -> str:
    """Describe positions in a text by the sentences that begin there, and those inside a sentence."""
    starts = {start: number for number, (start, _) in enumerate(document.sentences, start=1)}
    phrases = [f"before {starts[place]}" if place in starts else f"in {_holding(document, place)}" for place in places]
    return ", ".join(phrases) or "nowhere"


def _holding(document: Document, place: int) -> int:
    return sum(start <= place for start, _ in document.sentences)
