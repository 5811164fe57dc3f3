"""BM25 over texts, as `bm25s` computes it by default: no embedder, any language with words or characters of its own."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from chunkers.support.arrays import FloatArray

ALONE = "\u3005-\u3007\u3040-\u309f\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Han, Hiragana and Katakana, which have no spaces between words: each character is a token, as in Lucene's tokenizer."""

TOKENS = re.compile(rf"(?u)[{ALONE}]|[^\W{ALONE}]{{2,}}")
"""Pattern of a token, as in `bm25s`: two or more letters or digits in a row; one character in scripts without spaces."""

ENGLISH = "en"
"""The language, a key of `chunkers.text.languages.LANGUAGES`, whose stop words are left out."""

STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "by",
        "for",
        "if",
        "in",
        "into",
        "is",
        "it",
        "no",
        "not",
        "of",
        "on",
        "or",
        "such",
        "that",
        "the",
        "their",
        "then",
        "there",
        "these",
        "they",
        "this",
        "to",
        "was",
        "will",
        "with",
    ]
)
"""Lucene's stop words of English, which `bm25s` leaves out."""

K1, B = 1.5, 0.75


class Bm25:
    """BM25 index over texts, in Lucene's variant (Lù 2024, arXiv:2407.03618).

    Words are lower-cased but not stemmed, since a stemmer suits only a single language. Stop words are removed only from
    English texts.

    Parameters
    ----------
    texts
        The texts to search.
    language
        Language code of the texts.
    """

    def __init__(self, texts: Sequence[str], language: str) -> None:
        self._stop_words = STOP_WORDS if language == ENGLISH else frozenset()
        self._count = len(texts)
        tokens = [self._tokens(text) for text in texts]
        mean = sum(map(len, tokens)) / max(1, len(texts))
        # For each word the texts that have it, with the share of its score that its frequency in them makes.
        self._found: dict[str, list[tuple[int, float]]] = {}
        for number, words in enumerate(tokens):
            for word, times in Counter(words).items():
                share = times / (K1 * (1 - B + B * len(words) / mean) + times)
                self._found.setdefault(word, []).append((number, share))

    def scores(self, question: str) -> FloatArray:
        """Return the BM25 score of every text for a question, shape (texts,); 0 for texts without any of its words."""
        scores = np.zeros(self._count)
        for word in self._tokens(question):
            postings = self._found.get(word, ())
            rarity = math.log(1 + (self._count - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, share in postings:
                scores[number] += rarity * share
        return scores

    def _tokens(self, text: str) -> list[str]:
        return [word for word in TOKENS.findall(text.lower()) if word not in self._stop_words]
