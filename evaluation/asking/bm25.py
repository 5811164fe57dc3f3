"""BM25 over texts, by `bm25s` with its own tokenizer: no embedder, any language that has words or characters of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chunkers.arrays import FloatArray

_ALONE = "\u3005-\u3007\u3040-\u309f\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Han, Hiragana and Katakana, which have no spaces between words: each character is a token, as in Lucene's tokenizer."""

TOKENS = rf"(?u)[{_ALONE}]|[^\W{_ALONE}]{{2,}}"
"""What a token is: that of `bm25s`, a run of two or more letters or digits, where no character stands alone."""

ENGLISH = "en"
"""The language, a key of `chunkers.text.languages.LANGUAGES`, whose stop words are left out."""


class Bm25:
    """BM25 as `bm25s` has it by default: Lucene's variant, k1 = 1.5, b = 0.75 (Lù 2024, arXiv:2407.03618).

    Words are in lower case and not stemmed, as a stemmer is right for one language only; stop words are left out of English
    texts alone.

    Parameters
    ----------
    texts
        What is searched.
    language
        The code of their language.
    """

    def __init__(self, texts: Sequence[str], language: str) -> None:
        import bm25s

        self._stop_words = "english" if language == ENGLISH else []
        self._count = len(texts)
        self._index: Any = None
        tokens = self._tokens(texts)
        if any(tokens):
            self._index = bm25s.BM25()
            self._index.index(tokens, show_progress=False)

    def scores(self, question: str) -> FloatArray:
        """Return the score of every text, shape (texts,); 0 for one that has no word of the question."""
        found = np.zeros(self._count)
        if self._index is not None:
            numbers = self._index.get_tokens_ids(self._tokens([question])[0])
            if numbers:
                found[:] = self._index.get_scores_from_ids(numbers)
        return found

    def _tokens(self, texts: Sequence[str]) -> list[list[str]]:
        import bm25s

        tokens: list[list[str]] = bm25s.tokenize(
            list(texts), token_pattern=TOKENS, stopwords=self._stop_words, return_ids=False, show_progress=False
        )
        return tokens
