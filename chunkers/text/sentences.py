"""Sentence splitters by name, each with exact offsets into the original text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from chunkers.errors import InputError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

SPLITTERS = {
    "spacy": "spaCy's rule-based sentencizer; a blank line always ends a sentence",
    "regex": "after . ? or ! and white space, as LangChain does",
    "lines": "every line is a sentence",
    "paragraphs": "blank lines part the sentences",
}
"""Names of the splitters that are always there, with one line of help; ``spacy:NAME`` runs an installed pipeline."""

_AFTER_STOP = re.compile(r"(?<=[.?!])\s+")
_LINE = re.compile(r"[\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_BLANK_LINES = re.compile(r"\n[ \t\f\v]*\n\s*")
_LINE_END = re.compile(r"\r\n?")

_LONG_WORD = re.compile(r"\S{400,}")
# Between two letters or digits where that can be, so that no slice ends in a full stop that the text has inside a word.
_SLICE = re.compile(r"\S{100,200}(?<=\w)(?=\w)|\S{1,200}")


def split_sentences(text: str, splitter: str) -> list[tuple[int, int]]:
    """Return the half-open code-point range of every sentence of ``text``, without surrounding white space.

    How the lines of the text end, in ``\\n``, ``\\r`` or ``\\r\\n``, makes no difference to its sentences.

    Parameters
    ----------
    text
        The original text.
    splitter
        A key of `SPLITTERS`, or ``spacy:NAME`` for an installed spaCy pipeline.

    Raises
    ------
    InputError
        If there is no such splitter, or its pipeline is not installed or sets no sentence boundaries.
    """
    # The splitters see one kind of line end alone: an alternative for each of them would read \r\n as two of them.
    plain = _LINE_END.sub("\n", text)
    return _in_the_original(text, _trimmed(plain, _pieces(plain, splitter)))


def _pieces(text: str, splitter: str) -> Iterable[tuple[int, int]]:
    """Return the sentences of a text whose lines end in ``\\n``, white space around them included."""
    if splitter == "regex":
        pieces = _between(text, _AFTER_STOP)
    elif splitter == "lines":
        pieces = _between(text, _LINE)
    elif splitter == "paragraphs":
        pieces = _between(text, _BLANK_LINES)
    elif splitter == "spacy" or splitter.startswith("spacy:"):
        pieces = _with_spacy(text, splitter.partition(":")[2])
    else:
        raise InputError(
            f"sentences must be one of {', '.join(SPLITTERS)} or spacy:NAME for an installed pipeline; got {splitter!r}."
        )
    return pieces


def _in_the_original(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return where the spans of the text with ``\\n`` for every line end are in ``text``; neither edge is white space."""
    shorter = [match.start() - number for number, match in enumerate(re.finditer("\r\n", text))]
    if not shorter:
        return spans
    return [(start + bisect_left(shorter, start), end + bisect_left(shorter, end - 1)) for start, end in spans]


def load_splitter(splitter: str) -> None:
    """Load what the splitter needs, so that splitting alone can be timed; raises as `split_sentences` does."""
    if splitter == "spacy" or splitter.startswith("spacy:"):
        _pipeline(splitter.partition(":")[2])


def _between(text: str, separator: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    start = 0
    for match in separator.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _with_spacy(text: str, pipeline: str) -> Iterator[tuple[int, int]]:
    """Run the pipeline paragraph by paragraph: a heading without a full stop is not the next paragraph's beginning."""
    nlp = _pipeline(pipeline)
    paragraphs = list(_between(text, _BLANK_LINES))
    for (start, _), parsed in zip(paragraphs, nlp.pipe(spacy_document(nlp, text[a:b]) for a, b in paragraphs), strict=True):
        for sentence in parsed.sents:
            yield start + sentence.start_char, start + sentence.end_char


def spacy_document(nlp: Language, text: str) -> Doc:
    """Make spaCy's document, very long words in slices: its tokenizer takes the square of the time for a row of signs."""
    slices = [piece.end() for word in _LONG_WORD.finditer(text) for piece in _SLICE.finditer(text, *word.span())]
    if not slices:
        return nlp.make_doc(text)
    from spacy.tokens import Doc

    pieces = [nlp.make_doc(text[start:end]) for start, end in pairwise([0, *slices, len(text)])]
    # Joined token by token: Doc.from_docs would begin a sentence at every slice.
    tokens = [token for piece in pieces for token in piece]
    return Doc(nlp.vocab, words=[token.text for token in tokens], spaces=[bool(token.whitespace_) for token in tokens])


@lru_cache(maxsize=4)
def _pipeline(name: str) -> Language:
    import spacy

    if not name:
        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer")
    else:
        try:
            nlp = spacy.load(name, exclude=["ner", "lemmatizer", "attribute_ruler"])
        except OSError as error:
            raise InputError(
                f"sentences: the spaCy pipeline {name!r} must be installed; it was not found. "
                f"Install it with 'python -m spacy download {name}', or choose spacy, regex, lines or paragraphs."
            ) from error
        except (AttributeError, TypeError, ValueError) as error:
            raise InputError(
                f"sentences: {name!r} must be a spaCy pipeline; loading it as one failed with a {type(error).__name__}."
            ) from error
        if not {"parser", "senter", "sentencizer"} & set(nlp.pipe_names):
            raise InputError(
                f"sentences: the spaCy pipeline {name!r} must set sentence boundaries; it has no part that does."
            )
    # The limit guards the parser's memory on one text; paragraphs are far below it unless the text has no blank line.
    nlp.max_length = 25_000_000
    return nlp


def _trimmed(text: str, pieces: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    trimmed = []
    for start, end in pieces:
        piece = text[start:end]
        if stripped := piece.strip():
            start += len(piece) - len(piece.lstrip())
            trimmed.append((start, start + len(stripped)))
    return trimmed
