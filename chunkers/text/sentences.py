"""Sentence splitters by name, each with exact offsets into the original text, and spaCy's pipelines."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution, entry_points
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from chunkers.support import (
    LONGEST_SHOWN_VALUE,
    MAX_PARAGRAPH_CHARACTERS,
    InputError,
    raise_if_cancelled,
    raise_if_extra_missing,
    short_repr,
)
from chunkers.text.front_matter import find_front_matter_offsets
from chunkers.text.language_detection import LANGUAGE_NAME_BY_CODE, detect_language, preload_language_detector
from chunkers.text.sentence_rules import (
    SentenceRule,
    begin_sentences_after_ideographic_stops,
    move_opening_marks,
    replace_misleading_characters,
    sentence_rules_for,
    split_at_markdown_lines,
)

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


DEFAULT_SPLITTER = "sentencex"

SPLITTER_DESCRIPTIONS = {
    "sentencex": "the rules of some 30 languages, by their lists of abbreviations; the language is detected, or named as in "
    "sentencex:de",
    "spacy": "spaCy's rule-based sentencizer; a blank line always ends a sentence",
    "regex": "after . ? or ! and white space, as LangChain does",
    "lines": "every line is a sentence",
    "paragraphs": "blank lines part the sentences",
}
"""Names of the splitters that are always there, with one line of help.

``sentencex:CODE`` splits by the rules of a language of `LANGUAGES`, ``spacy:NAME`` runs an installed pipeline.
"""


class SplitterName(NamedTuple):
    """Name of a sentence splitter, written as KIND or KIND:VARIANT.

    Attributes
    ----------
    kind
        A key of `SPLITTER_DESCRIPTIONS`, if the name is valid.
    variant
        A language's code for ``sentencex``, a pipeline's name for ``spacy``; None if none is written.
    """

    kind: str
    variant: str | None

    @classmethod
    def parse(cls, written: str) -> Self:
        """Parse the written form; any string is a name, although there may be no such splitter."""
        splitter_kind, colon, language_or_pipeline = written.partition(":")
        return cls(splitter_kind, language_or_pipeline if colon else None)


_BLANK_LINES = re.compile(r"\n[ \t\f\v]*\n\s*")
_SEPARATOR_PATTERN_BY_SPLITTER = {
    "regex": re.compile(r"(?<=[.?!])\s+"),
    "lines": re.compile(r"[\n\v\f\x1c-\x1e\x85\u2028\u2029]"),
    "paragraphs": _BLANK_LINES,
}
"""Patterns of the white space between sentences, by splitter."""

_CARRIAGE_RETURN_LINE_END_PATTERN = re.compile(r"\r\n?")

_SENTENCEX_WINDOW_CHARACTERS = 4_000
"""Characters of a paragraph passed to sentencex at once: its time is quadratic in the number of quotation marks."""

ASCII_STOPS_BY_LANGUAGE = {"el": ".?!;", "hy": ".?!:;"}
"""The ASCII characters after which sentencex may end a sentence, by language; in all others, a full stop, ? and !."""

_LONG_WORD_PATTERN = re.compile(r"\S{400,}")
# Between two letters or digits if possible, so that no slice ends at a full stop inside a word.
_LONG_WORD_SLICE_PATTERN = re.compile(r"\S{100,200}(?<=\w)(?=\w)|\S{1,200}")


def split_into_sentence_spans(text: str, splitter: str, cancelled: Callable[[], bool] = bool) -> list[tuple[int, int]]:
    """Split a text into sentences; return their half-open ranges in code points, trimmed of white space.

    Line endings may be LF, CR or CRLF, with the same result. The fences of front matter are in one sentence with the
    fields next to them.

    Parameters
    ----------
    text
        The original text.
    splitter
        A key of `SPLITTER_DESCRIPTIONS`, ``sentencex:CODE`` for the rules of a language, or ``spacy:NAME`` for an installed
        pipeline.
    cancelled
        Called at every sentence; returns true once the user has cancelled.

    Raises
    ------
    InputError
        If there is no such splitter or language, or the pipeline is not installed or sets no sentence boundaries.
    Cancelled
        If the user has cancelled.
    """
    # The splitters see only LF: patterns with an alternative for each line end would read \r\n as two.
    text_with_line_feeds = _CARRIAGE_RETURN_LINE_END_PATTERN.sub("\n", text) if "\r" in text else text
    return _spans_in_original(
        text, _trimmed_spans(text_with_line_feeds, _untrimmed_sentence_spans(text_with_line_feeds, splitter), cancelled)
    )


def _untrimmed_sentence_spans(text: str, splitter: str) -> Iterable[tuple[int, int]]:
    """Return the sentences of a text whose lines end in LF, white space around them included."""
    if splitter in _SEPARATOR_PATTERN_BY_SPLITTER:
        return _spans_between_separators(text, _SEPARATOR_PATTERN_BY_SPLITTER[splitter])
    splitter_kind, language_or_pipeline_name = SplitterName.parse(splitter)
    if splitter_kind == "spacy":
        return _spans_from_starts(text, _sentence_starts_by_spacy(text, language_or_pipeline_name or ""))
    return _spans_from_starts(text, _sentence_starts_by_sentencex(text, splitter_language_for_text(text, splitter) or ""))


GIVEN_SPLITTER = "given"
"""Name that replaces a splitter's if the caller gave the sentences."""


def is_splitter_name(name: str) -> bool:
    """Return whether ``name`` is a valid name of a sentence splitter; a spaCy pipeline need not be installed."""
    splitter_kind, language_or_pipeline = SplitterName.parse(name)
    return name in SPLITTER_DESCRIPTIONS or (
        language_or_pipeline is not None
        and (splitter_kind == "spacy" or (splitter_kind == "sentencex" and language_or_pipeline in LANGUAGE_NAME_BY_CODE))
    )


def splitter_language_for_text(text: str, splitter: str) -> str | None:
    """Return the code of the language whose rules the splitter applies to a text; None if the splitter has no such rules.

    Raises
    ------
    InputError
        If there is no such splitter or language.
    """
    _check_splitter_name(splitter)
    if splitter == "sentencex":
        return detect_language(_CARRIAGE_RETURN_LINE_END_PATTERN.sub("\n", text))
    splitter_kind, language_code = SplitterName.parse(splitter)
    return language_code if splitter_kind == "sentencex" else None


def check_splitter(splitter: str) -> None:
    """Raise InputError if a splitter or its language is unknown, or its packages are missing; nothing is imported."""
    _check_splitter_name(splitter)
    splitter_kind, pipeline_name = SplitterName.parse(splitter)
    if pipeline_name and splitter_kind == "spacy":
        # Raises InputError if there is no such pipeline.
        is_pipeline_installed_as_package(pipeline_name, "sentences")
    elif splitter_kind == "spacy":
        raise_if_extra_missing("spacy", "sentences: the splitter spacy")


def _check_splitter_name(splitter: str) -> None:
    splitter_kind, language_or_pipeline = SplitterName.parse(splitter)
    if splitter == GIVEN_SPLITTER:
        raise InputError("sentences must be passed again, because they came from the caller; got only the word 'given'.")
    if (
        splitter_kind == "sentencex"
        and language_or_pipeline is not None
        and language_or_pipeline not in LANGUAGE_NAME_BY_CODE
    ):
        raise InputError(
            f"sentences: the language code after 'sentencex:' must be one of {', '.join(LANGUAGE_NAME_BY_CODE)}; got "
            f"{short_repr(language_or_pipeline)}."
        )
    if not is_splitter_name(splitter):
        raise InputError(
            f"sentences must be one of {', '.join(SPLITTER_DESCRIPTIONS)}, sentencex:CODE for a language or spacy:NAME for "
            "an "
            f"installed pipeline; got {short_repr(splitter)}."
        )


def _spans_in_original(original_text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Map spans of the text with LF line ends to ``original_text``; no edge is at white space."""
    if "\r\n" not in original_text:
        return spans
    crlf_offsets_in_lf_text = [match.start() - number for number, match in enumerate(re.finditer("\r\n", original_text))]
    return [
        (start + bisect_left(crlf_offsets_in_lf_text, start), end + bisect_left(crlf_offsets_in_lf_text, end - 1))
        for start, end in spans
    ]


def packages_of_splitter(splitter: str) -> tuple[str, ...]:
    """Return the names of the installed packages that a splitter's sentences depend on."""
    splitter_kind, language_code = SplitterName.parse(splitter)
    if splitter_kind == "sentencex":
        return ("sentencex", "py3langid") if language_code is None else ("sentencex",)
    return ("spacy",) if splitter_kind == "spacy" else ()


def preload_splitter(splitter: str, text: str) -> None:
    """Load everything that a splitter needs for a text, so that only splitting is timed.

    Raises as `split_into_sentence_spans` does.
    """
    check_splitter(splitter)
    splitter_kind, language_or_pipeline = SplitterName.parse(splitter)
    if splitter_kind == "spacy":
        _load_sentence_pipeline(language_or_pipeline or "")
    elif splitter_kind == "sentencex" and language_or_pipeline is None:
        preload_language_detector(_CARRIAGE_RETURN_LINE_END_PATTERN.sub("\n", text))


def _spans_between_separators(text: str, separator_pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    span_start = 0
    for separator_match in separator_pattern.finditer(text):
        yield span_start, separator_match.start()
        span_start = separator_match.end()
    yield span_start, len(text)


def _sentence_starts_by_spacy(text: str, pipeline_name: str) -> Iterator[list[int]]:
    """Run the pipeline paragraph by paragraph: a heading without a full stop does not run into the next paragraph."""
    spacy_sentence_pipeline = _load_sentence_pipeline(pipeline_name)
    paragraph_spans = list(_spans_between_separators(text, _BLANK_LINES))
    check_spacy_length(max(end - start for start, end in paragraph_spans))
    for (paragraph_start, paragraph_end), parsed_paragraph in zip(
        paragraph_spans,
        spacy_sentence_pipeline.pipe(tokenize_with_spacy(spacy_sentence_pipeline, text[a:b]) for a, b in paragraph_spans),
        strict=True,
    ):
        sentence_starts = [0, *(sentence.start_char for sentence in parsed_paragraph.sents if sentence.start_char)]
        yield _apply_rules_to_starts(
            text[paragraph_start:paragraph_end],
            paragraph_start,
            (begin_sentences_after_ideographic_stops, move_opening_marks),
            sentence_starts,
        )


def _sentence_starts_by_sentencex(text: str, language: str) -> Iterator[list[int]]:
    """Apply the library's rules for the language paragraph by paragraph, and ours on top."""
    # It takes a third of the time of get_sentence_boundaries, which makes a dictionary for every sentence.
    from sentencex import segment

    def find_sentence_starts_in_window(window_text: str) -> list[int]:
        return [0, *accumulate(map(len, segment(language, window_text)[:-1]))]

    stop_pattern = re.compile(f"[{re.escape(ASCII_STOPS_BY_LANGUAGE.get(language, '.?!'))}]")
    sentence_rules_for_language = sentence_rules_for(text, language)
    for paragraph_start, paragraph_end in _spans_between_separators(text, _BLANK_LINES):
        paragraph_text = text[paragraph_start:paragraph_end]
        if paragraph_text.isascii() and not stop_pattern.search(paragraph_text):
            yield _apply_rules_to_starts(paragraph_text, paragraph_start, (split_at_markdown_lines,), [0])
            continue
        yield _apply_rules_to_starts(
            paragraph_text,
            paragraph_start,
            sentence_rules_for_language,
            _sentencex_starts_by_window(replace_misleading_characters(paragraph_text), find_sentence_starts_in_window),
        )


def _sentencex_starts_by_window(paragraph: str, find_sentence_starts_in_window: Callable[[str], list[int]]) -> list[int]:
    """Return the sentence starts that ``find_sentence_starts_in_window`` finds, the paragraph's beginning included."""
    if len(paragraph) <= _SENTENCEX_WINDOW_CHARACTERS:
        return find_sentence_starts_in_window(paragraph)
    sentence_starts, window_start = {0}, 0
    while window_start < len(paragraph):
        sentence_starts_in_window = [
            window_start + start
            for start in find_sentence_starts_in_window(
                paragraph[window_start : window_start + _SENTENCEX_WINDOW_CHARACTERS]
            )
        ]
        sentence_starts.update(sentence_starts_in_window[1:])
        # The last sentence of a window may be incomplete: the next window begins with it, unless it is the only one.
        last_sentence_may_continue = (
            window_start + _SENTENCEX_WINDOW_CHARACTERS < len(paragraph) and len(sentence_starts_in_window) > 1
        )
        window_start = (
            sentence_starts_in_window[-1] if last_sentence_may_continue else window_start + _SENTENCEX_WINDOW_CHARACTERS
        )
    return sorted(sentence_starts)


def _apply_rules_to_starts(
    paragraph: str, paragraph_start: int, rules: Sequence[SentenceRule], starts: list[int]
) -> list[int]:
    """Apply our rules to the sentence starts of a paragraph, and return the starts as offsets in the whole text."""
    for rule in rules:
        starts = rule(paragraph, starts)
    return [paragraph_start + start for start in starts]


def _spans_from_starts(text: str, starts: Iterable[list[int]]) -> Iterator[tuple[int, int]]:
    """Return the sentences, white space around them included, that begin at ``starts``, in a list for each paragraph."""
    return pairwise(chain(chain.from_iterable(starts), (len(text),)))


def check_spacy_length(length: int) -> None:
    """Raise InputError if a text is too long for spaCy to process at once."""
    if length > MAX_PARAGRAPH_CHARACTERS:
        raise InputError(
            f"spaCy: a paragraph or a text to embed may have at most {MAX_PARAGRAPH_CHARACTERS:,} characters; this text has "
            f"{length:,}. Divide the text into shorter paragraphs."
        )


def tokenize_with_spacy(spacy_pipeline: Language, text: str) -> Doc:
    """Tokenize a text with spaCy; slice very long words, for which spaCy's tokenizer takes quadratic time."""
    slice_ends = [
        piece.end()
        for word in _LONG_WORD_PATTERN.finditer(text)
        for piece in _LONG_WORD_SLICE_PATTERN.finditer(text, *word.span())
    ]
    if not slice_ends:
        return spacy_pipeline.make_doc(text)
    from spacy.tokens import Doc

    piece_documents = [spacy_pipeline.make_doc(text[start:end]) for start, end in pairwise([0, *slice_ends, len(text)])]
    # Joined token by token: Doc.from_docs would begin a sentence at every slice.
    tokens_of_all_pieces = [token for piece in piece_documents for token in piece]
    return Doc(
        spacy_pipeline.vocab,
        words=[token.text for token in tokens_of_all_pieces],
        spaces=[bool(token.whitespace_) for token in tokens_of_all_pieces],
    )


@lru_cache(maxsize=4)
def _load_sentence_pipeline(name: str) -> Language:
    if not name:
        import spacy

        spacy_sentence_pipeline = spacy.blank("en")
        spacy_sentence_pipeline.add_pipe("sentencizer")
    else:
        spacy_sentence_pipeline = load_named_spacy_pipeline(
            name, "sentences", exclude=["ner", "lemmatizer", "attribute_ruler"]
        )
        if not {"parser", "senter", "sentencizer"} & set(spacy_sentence_pipeline.pipe_names):
            raise InputError(
                f"sentences: the spaCy pipeline {name!r} must set sentence boundaries; none of its components does. Choose "
                "a pipeline with a parser, a senter or a sentencizer."
            )
    spacy_sentence_pipeline.max_length = MAX_PARAGRAPH_CHARACTERS
    return spacy_sentence_pipeline


def _trimmed_spans(
    text: str, untrimmed_spans: Iterable[tuple[int, int]], cancelled: Callable[[], bool]
) -> list[tuple[int, int]]:
    trimmed_spans: list[tuple[int, int]] = []
    front_matter_offsets = find_front_matter_offsets(text)
    for start, end in untrimmed_spans:
        raise_if_cancelled(cancelled)
        # Most sentences end in one such character: to step over it is faster than to copy the text.
        while start < end and text[end - 1].isspace():
            end -= 1
        if start < end:
            while text[start].isspace():
                start += 1
            if front_matter_offsets and front_matter_offsets.cut_separates_fence_from_fields(start):
                start, _ = trimmed_spans.pop()
            trimmed_spans.append((start, end))
    return trimmed_spans


# spaCy's pipelines by name. Nothing else is imported by name, as it may come from a link or a file.


def load_named_spacy_pipeline(name: str, setting_name: str, exclude: Sequence[str] = ()) -> Language:
    """Load a spaCy pipeline that is installed as a package or stored in a folder.

    Parameters
    ----------
    name
        The name of a package that declares itself a pipeline, or a folder's path. Other packages are not imported.
    setting_name
        Name of the setting that names the pipeline, with which error messages begin.
    exclude
        Parts of the pipeline that are not loaded.

    Raises
    ------
    InputError
        If there is no such pipeline, or it cannot be loaded.
    """
    is_installed_package = is_pipeline_installed_as_package(name, setting_name)
    import spacy

    try:
        return spacy.load(name if is_installed_package else Path(name), exclude=exclude)
    # A pipeline's configuration names functions, which fail in as many ways as there are.
    except Exception as error:
        raise InputError(
            f"{setting_name}: {short_repr(name)} must be a spaCy pipeline; loading it failed with {type(error).__name__}. "
            "Install the pipeline again."
        ) from error


def is_pipeline_installed_as_package(name: str, setting_name: str) -> bool:
    """Return True if a spaCy pipeline is an installed package, False if it is a folder; nothing is imported.

    Raises
    ------
    InputError
        If there is no such pipeline; the message begins with ``setting_name``.
    """
    raise_if_extra_missing("spacy", f"{setting_name}: the spaCy pipeline {short_repr(name)}")
    is_installed_package = name in entry_points(group="spacy_models").names
    if not is_installed_package and not _is_folder(name):
        if _is_installed_distribution(name):
            raise InputError(
                f"{setting_name}: {short_repr(name)} must be a spaCy pipeline; the installed package of this name contains "
                "no pipeline. Choose another name."
            )
        name_in_download_command = name if name.isidentifier() and len(name) <= LONGEST_SHOWN_VALUE else "NAME"
        raise InputError(
            f"{setting_name}: the spaCy pipeline {short_repr(name)} must be installed; it was not found. "
            f"Install it with 'python -m spacy download {name_in_download_command}'."
        )
    return is_installed_package


def _is_folder(name: str) -> bool:
    try:
        return Path(name).is_dir()
    except (OSError, ValueError):
        return False


def _is_installed_distribution(name: str) -> bool:
    try:
        return bool(distribution(name))
    except (PackageNotFoundError, ValueError):
        return False
