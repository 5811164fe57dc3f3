"""Warnings about texts that do not suit their splitter or model, with remedies."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from chunkers.text.document import Document
from chunkers.text.sentences import GIVEN_SPLITTER, SPLITTER_DESCRIPTIONS, SplitterName, split_into_sentence_spans

LONG_SENTENCE_BYTES = 400
"""Bytes of UTF-8 from which a sentence of more than half the text is reported: 400 letters of English, 130 of Chinese."""

UNKNOWN_CHARACTER_WARNING_SHARE = 0.2
"""Share of a text's visible characters unknown to a model from which that is reported."""

LONGEST_WORD = 100
"""The longest run of characters without a space that is not just one unknown token to a model of word pieces."""

_SLICE_COUNT, _SLICE_CHARACTERS = 10, 2_000
"""Number and length in characters of the evenly spaced slices sampled from a long text, with 500 of its long words."""

_LONG_WORD_PATTERN = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")


class SuggestedSetting(NamedTuple):
    """A setting, with another value that suits the text better."""

    setting: Literal["sentences", "embedder", "tokenizer"]
    value: str


@dataclass(frozen=True)
class Misfit:
    """A warning that a text does not suit its splitter or its model, with remedies, best first."""

    sentence: str
    remedies: tuple[SuggestedSetting, ...]


@runtime_checkable
class ReportsUnknownTokens(Protocol):
    """Interface of an embedder or tokenizer that can report its unknown tokens."""

    name: str

    def unknown_token_lengths_in_characters(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the lengths, in characters, of each text's unknown tokens."""
        ...


def misfit_warnings(document: Document, *, embedder: object = None, tokenizer: object = None) -> tuple[Misfit, ...]:
    """Return warnings if the splitter, embedder or tokenizer suits the text so badly that results are useless.

    Parameters
    ----------
    embedder, tokenizer
        The embedder and the tokenizer in use; ignored if they cannot report unknown tokens.
    """
    possible_misfit_warnings = [_build_dominant_sentence_misfit(document)]
    if isinstance(embedder, ReportsUnknownTokens):
        possible_misfit_warnings.append(_unknown_tokens_misfit(embedder, document, "embedder"))
    # One model's words are not complained about twice; an embedder that approximates another has its words.
    own_and_approximated_name = getattr(embedder, "name", ""), getattr(embedder, "approximates", "")
    if isinstance(tokenizer, ReportsUnknownTokens) and tokenizer.name not in own_and_approximated_name:
        possible_misfit_warnings.append(_unknown_tokens_misfit(tokenizer, document, "tokenizer"))
    return tuple(misfit for misfit in possible_misfit_warnings if misfit is not None)


def _longest_span(spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return max(spans, key=lambda span: span[1] - span[0], default=(0, 0))


def _build_dominant_sentence_misfit(document: Document) -> Misfit | None:
    """Return the warning that one sentence is most of the text, with the splitters that find more; None if none is."""
    longest_sentence_start, longest_sentence_end = _longest_span(document.sentences)
    text = document.text
    if (
        2 * (longest_sentence_end - longest_sentence_start) <= len(text.strip())
        or len(text[longest_sentence_start:longest_sentence_end].encode()) <= LONG_SENTENCE_BYTES
    ):
        return None
    return _build_misfit_suggesting_other_splitters(
        text, document.splitter, len(document.sentences), longest_sentence_end - longest_sentence_start
    )


@lru_cache(maxsize=16)
def _build_misfit_suggesting_other_splitters(
    text: str, splitter: str, sentence_count: int, longest_sentence_characters: int
) -> Misfit:
    sentence_count_by_splitter = {}
    for compared_splitter in SPLITTER_DESCRIPTIONS:
        if compared_splitter not in (splitter, SplitterName.parse(splitter).kind, "spacy"):
            alternative_sentence_spans = split_into_sentence_spans(text, compared_splitter)
            alternative_longest_sentence_start, alternative_longest_sentence_end = _longest_span(alternative_sentence_spans)
            if 2 * (alternative_longest_sentence_end - alternative_longest_sentence_start) <= longest_sentence_characters:
                sentence_count_by_splitter[compared_splitter] = len(alternative_sentence_spans)
    long_sentence_clause = (
        "the text is one sentence"
        if sentence_count == 1
        else f"one of the {sentence_count:,} sentences is more than half of the text"
    )
    used_splitter_clause = "As the sentences were given" if splitter == GIVEN_SPLITTER else f"Split by {splitter}"
    warning_beginning = (
        f"{used_splitter_clause}, {long_sentence_clause}, of {longest_sentence_characters:,} characters, and no chunker of "
        "sentences cuts inside it. "
    )
    if not sentence_count_by_splitter:
        return Misfit(
            f"{warning_beginning}No splitter here finds more; fixed_characters and recursive cut without sentences.", ()
        )
    alternatives_phrase = " and ".join(f"{name} finds {number:,}" for name, number in sentence_count_by_splitter.items())
    return Misfit(
        f"{warning_beginning}The splitter {alternatives_phrase}.",
        tuple(SuggestedSetting("sentences", name) for name in sentence_count_by_splitter),
    )


def clear_misfit_caches() -> None:
    """Empty the caches of texts checked for misfits."""
    _build_misfit_suggesting_other_splitters.cache_clear()
    _unknown_share_and_long_word_count.cache_clear()


_CONSEQUENCE_BY_MODEL_ROLE = {
    "embedder": "sentences of unknown tokens look the same to it. The embedder tfidf knows every character.",
    "tokenizer": "sizes in its tokens say little. The tokenizer characters counts every character.",
}


def _unknown_tokens_misfit(
    embedder_or_tokenizer: ReportsUnknownTokens, document: Document, role: Literal["embedder", "tokenizer"]
) -> Misfit | None:
    """Return the warning on how much of the text the model does not know; None if it knows enough."""
    unknown_character_share, long_word_count = _unknown_share_and_long_word_count(
        embedder_or_tokenizer.unknown_token_lengths_in_characters, document.text
    )
    if not long_word_count and unknown_character_share <= UNKNOWN_CHARACTER_WARNING_SHARE:
        return None
    embedder_or_tokenizer_phrase = (
        embedder_or_tokenizer.name if role == "embedder" else f"the tokenizer {embedder_or_tokenizer.name}"
    )
    long_word_clause = (
        f"{long_word_count:,} run{'s' * (long_word_count > 1)} of more than {LONGEST_WORD} characters without a space "
        f"{'are' if long_word_count > 1 else 'is'} one unknown token {'each ' if long_word_count > 1 else ''}to "
        f"{embedder_or_tokenizer_phrase}"
    )
    unknown_character_share_clause = (
        f"{unknown_character_share:.0%} of the characters are unknown to {embedder_or_tokenizer_phrase}"
    )
    warning_clause = (
        f"{long_word_clause}, and {unknown_character_share:.0%} of the text's characters are unknown to it"
        if long_word_count
        else unknown_character_share_clause
    )
    suggested_setting = SuggestedSetting(role, "tfidf" if role == "embedder" else "characters")
    return Misfit(f"{warning_clause}, and {_CONSEQUENCE_BY_MODEL_ROLE[role]}", (suggested_setting,))


@lru_cache(maxsize=16)
def _unknown_share_and_long_word_count(
    find_unknown_token_lengths: Callable[[Sequence[str]], list[list[int]]], text: str
) -> tuple[float, int]:
    """Return the share of the visible characters that are unknown, and how many words are unknown only for their length."""
    long_words = [word[0][: 10 * LONGEST_WORD] for word in islice(_LONG_WORD_PATTERN.finditer(text), 500)]
    too_long_word_count = sum(
        length > LONGEST_WORD for lengths in find_unknown_token_lengths(long_words) for length in lengths
    )
    slice_distance = max(1, (len(text) - _SLICE_CHARACTERS) // (_SLICE_COUNT - 1))
    text_or_sampled_slices = (
        [text]
        if len(text) <= _SLICE_COUNT * _SLICE_CHARACTERS
        else [text[n * slice_distance : n * slice_distance + _SLICE_CHARACTERS] for n in range(_SLICE_COUNT)]
    )
    visible_character_count = sum(len("".join(part.split())) for part in text_or_sampled_slices)
    return (
        sum(map(sum, find_unknown_token_lengths(text_or_sampled_slices))) / visible_character_count
        if visible_character_count
        else 0.0
    ), too_long_word_count
