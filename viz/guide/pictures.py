"""The component that draws pictures of a short text: sentences, chunks, scores at gaps, clickable gaps, and a ranking."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypedDict

from chunkers import Chunking, Document, Span
from chunkers.support import format_number
from viz.components.browser_exchange import Component, take_event
from viz.theme import GlossaryPiece

LONGEST_SHOWN_SENTENCE = 400
"""Most characters of a sentence that a picture shows."""

LONGEST_SHOWN_RANKED_TEXT = 160
"""Most characters of a ranked text that a picture shows."""


class PartData(TypedDict):
    """Part of a sentence, with the numbers of its chunks, from 0, and whether it is marked as the answer."""

    text: str
    chunks: list[int]
    marked: bool


class SentenceRowData(TypedDict):
    """A sentence of a picture, with its number or another label."""

    label: str
    parts: list[PartData]


class GapData(TypedDict):
    """A chunker's decision at the gap after a sentence of a picture.

    Attributes
    ----------
    said
        The decision or the number, in words.
    share, line
        Positions of the score and of its threshold on a gauge from 0 to 1; None if there is none.
    cut
        True if a chunk ends here.
    """

    said: str
    share: float | None
    line: float | None
    cut: bool


class CutsData(TypedDict):
    """Payload of clickable gaps between the rows: the gaps that are set, and the timestamp of the last change received."""

    gaps: list[int]
    heard: float | None


class RankData(TypedDict):
    """A ranked text: its colour, its label, its beginning, its distance in words, and its bar's length from 0 to 1."""

    chunk: int
    label: str
    text: str
    said: str
    share: float


class AskData(TypedDict):
    """Payload of the text field for a question: its current text, its maximum length, and an error message."""

    question: str
    longest: int
    complaint: str


class PictureData(TypedDict):
    """Payload of a picture: its title, paragraphs, sentences, gaps, formula and ranking, as far as it has any.

    Without a title, it has no number either.

    Attributes
    ----------
    said
        Paragraphs, each as a list of `GlossaryPiece`.
    tokens
        Tokens, with the number of the chunk where another chunk begins; may be empty.
    rows
        Sentences; ``before`` and ``after`` describe the text omitted before and after them.
    gaps
        The decisions between the rows; may be empty.
    cuts
        The gaps that can be clicked; None if the picture has none.
    formula
        Lines of a formula with its values; may be empty.
    ranks
        Ranked chunks or sentences, nearest first.
    ask
        The text field for a question; None if the picture has none.
    waits
        The reason why the picture is still empty; otherwise empty.
    """

    title: str
    said: list[list[GlossaryPiece]]
    tokens: list[PartData]
    before: str
    rows: list[SentenceRowData]
    gaps: list[GapData]
    cuts: CutsData | None
    after: str
    formula: list[str]
    ranks: list[RankData]
    ask: AskData | None
    waits: str


class PicturesData(TypedDict):
    """Payload of several pictures, in order, numbered from ``first``.

    Attributes
    ----------
    small
        True if each sentence takes one line.
    told
        The result of the user's last action, which a screen reader announces, empty before the first; None if there are
        no actions.
    """

    pictures: list[PictureData]
    first: int
    small: bool
    told: list[GlossaryPiece] | None


_pictures_component = Component[PicturesData](
    "seamark_pictures",
    "guide/pictures.js",
    "components/shared/common.css",
    "components/gaps/gaps.css",
    "guide/pictures.css",
    html='<div class="pictures"></div>',
    colour_group_name="pictures",
)


def new_picture(title: str, *paragraphs: list[GlossaryPiece]) -> PictureData:
    """Return a picture that has only a title and paragraphs."""
    return {
        "title": title,
        "said": [*paragraphs],
        "tokens": [],
        "before": "",
        "rows": [],
        "gaps": [],
        "cuts": None,
        "after": "",
        "formula": [],
        "ranks": [],
        "ask": None,
        "waits": "",
    }


def sentence_rows(
    document: Document, sentence_numbers: Sequence[int], chunking: Chunking | None = None, marked_span: Span | None = None
) -> list[SentenceRowData]:
    """Return the given sentences as rows of a picture, split at chunk boundaries and around ``marked_span``."""
    if not sentence_numbers:
        return []
    first_sentence_start, sentence_end = (
        document.sentences[sentence_numbers[0]].start,
        document.sentences[sentence_numbers[-1]].end,
    )
    spans_with_chunk_numbers = [
        (span, number)
        for number, chunk in enumerate(() if chunking is None else chunking.chunks)
        for span in chunk.spans
        if span.start < sentence_end and first_sentence_start < span.end
    ]
    rows: list[SentenceRowData] = []
    for sentence_number in sentence_numbers:
        sentence_start, sentence_end = document.sentences[sentence_number]
        shown_sentence_end = min(sentence_end, sentence_start + LONGEST_SHOWN_SENTENCE)
        chunk_and_mark_edges = {
            sentence_start,
            shown_sentence_end,
            *(edge for span, _ in spans_with_chunk_numbers for edge in span),
            *(marked_span or ()),
        }
        edges_in_sentence = sorted(edge for edge in chunk_and_mark_edges if sentence_start <= edge <= shown_sentence_end)
        sentence_parts: list[PartData] = [
            {
                "text": document.text[left:right] + "…" * (right == shown_sentence_end < sentence_end),
                "chunks": [chunk for span, chunk in spans_with_chunk_numbers if span.start <= left and right <= span.end],
                "marked": marked_span is not None and marked_span.start <= left and right <= marked_span.end,
            }
            for left, right in pairwise(edges_in_sentence)
        ]
        rows.append({"label": str(sentence_number + 1), "parts": sentence_parts})
    return rows


def rows_of_ranked_texts(ranked_texts: Sequence[tuple[int, str, str, float]]) -> list[RankData]:
    """Return ranked texts as rows of a picture: each with the number of its colour, its label, its text and its distance."""
    greatest_distance = max([1.0, *(distance for *_, distance in ranked_texts)])
    return [
        {
            "chunk": chunk,
            "label": label,
            "text": " ".join(text[:LONGEST_SHOWN_RANKED_TEXT].split()),
            "said": f"distance {format_number(distance, '.2f')}",
            "share": max(0.0, distance) / greatest_distance,
        }
        for chunk, label, text, distance in ranked_texts
    ]


def gap_data_between_sentence_rows(rows: Sequence[SentenceRowData]) -> list[GapData]:
    """Return the gaps between rows that are split at chunk boundaries, cut where the next row is in other chunks."""
    chunk_numbers_around_gaps = [
        (before["parts"][-1]["chunks"], row["parts"][0]["chunks"]) for before, row in pairwise(rows)
    ]
    return [data_of_one_gap(chunks, before) for before, chunks in chunk_numbers_around_gaps]


def data_of_one_gap(chunk_numbers_of_sentence_after: list[int], chunk_numbers_of_sentence_before: list[int]) -> GapData:
    """Return the gap between two sentences.

    The parameters are the numbers of the chunks that contain the sentence after the gap and the sentence before it.
    """
    is_cut = chunk_numbers_of_sentence_after != chunk_numbers_of_sentence_before
    return {
        "said": chunk_numbers_in_words(chunk_numbers_of_sentence_after) if is_cut else "",
        "share": None,
        "line": None,
        "cut": is_cut,
    }


def picture_of_chunked_text(
    chunking: Chunking, title: str = "", *paragraphs: list[GlossaryPiece], marked_span: Span | None = None
) -> PictureData:
    """Return the picture of a whole text in chunks."""
    whole_text_picture = new_picture(title, *paragraphs)
    whole_text_picture["rows"] = sentence_rows(
        chunking.document, range(len(chunking.document.sentences)), chunking, marked_span
    )
    whole_text_picture["gaps"] = gap_data_between_sentence_rows(whole_text_picture["rows"])
    return whole_text_picture


def chunk_numbers_in_words(chunk_numbers: Sequence[int]) -> str:
    """Return the numbers of chunks in words, such as ``chunks 1 and 2``."""
    return (
        f"chunk{'s' * (len(chunk_numbers) > 1)} {' and '.join(str(chunk + 1) for chunk in chunk_numbers)}"
        if chunk_numbers
        else "in no chunk"
    )


def show_pictures(
    pictures: Sequence[PictureData],
    key: str,
    *,
    first_picture_number: int = 1,
    are_drawn_small: bool = False,
    effect_explanation: list[GlossaryPiece] | None = None,
    on_question_asked: Callable[[str], None] | None = None,
    on_cut: Callable[[list[int], float], None] | None = None,
) -> None:
    """Draw pictures of the Guide.

    Parameters
    ----------
    first_picture_number
        The number of the first picture.
    are_drawn_small, effect_explanation
        As ``small`` and ``told`` in `PicturesData`.
    on_question_asked
        Called with each question that the user enters in a picture.
    on_cut
        Called with the gaps that the user has set by clicks, and the browser's timestamp of the last one.
    """

    def pass_question_event_to_callback() -> None:
        if on_question_asked is not None and (question_event := take_event(key, "asked")):
            on_question_asked(str(question_event["question"]))

    def pass_cuts_to_callback() -> None:
        if on_cut is not None and (cuts_event := take_event(key, "cuts")):
            on_cut([int(gap) for gap in cuts_event["gaps"] or ()], float(cuts_event["at"]))

    _pictures_component(
        key=key,
        data={"pictures": [*pictures], "first": first_picture_number, "small": are_drawn_small, "told": effect_explanation},
        on_asked_change=pass_question_event_to_callback,
        on_cuts_change=pass_cuts_to_callback,
    )
