"""A generated case: a text and all that decides how it is cut."""

import os
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from chunkers import (
    CHUNKERS,
    MODEL_ASKING_CLASS_BY_NAME,
    SPLITTER_DESCRIPTIONS,
    Document,
    Recipe,
    Tools,
    build_chunker,
    load_embedder,
    load_tokenizer,
    run_chunker,
)
from chunkers.embedders.base import scale_to_unit_length
from chunkers.storage.embedding_cache import EmbeddingCache
from chunkers.text.tokenizers import TOKENIZER_DESCRIPTIONS
from tests.properties.parameters import valid_settings
from tests.properties.texts import texts
from tests.support import HashEmbedder, asking


class LetterEmbedder(HashEmbedder):
    """Counts of letters: texts of the same letters have the same vector, and a text without any has zeros."""

    name = "letters"

    def encode(self, texts):
        counts = np.zeros((len(texts), 16))
        for row, text in enumerate(texts):
            for letter in filter(str.isalnum, text):
                counts[row, ord(letter) % 16] += 1
        return scale_to_unit_length(counts)


class TiesEmbedder(HashEmbedder):
    """One of three axes or zeros, by a text's length: nothing but ties."""

    name = "ties"

    def encode(self, texts):
        axes = np.vstack([np.eye(3), np.zeros(3)]).astype(np.float32)
        return axes[[len(text) % 4 for text in texts]]


OWN = {embedder.name: embedder for embedder in (HashEmbedder, LetterEmbedder, TiesEmbedder)}
EMBEDDERS = ("tfidf", *OWN)
MODEL = "all-MiniLM-L6-v2"
LANGUAGES = ("en", "de", "fr", "es", "zh", "ja", "hi", "ar", "hy", "am", "my", "th", "ko", "ru", "el")


@dataclass(frozen=True)
class Case:
    text: str
    chunker: str
    parameters: dict
    sentences: str
    tokenizer: str
    embedder: str

    def tools(self):
        """Return tools that have embedded nothing yet."""
        embedder = OWN[self.embedder]() if self.embedder in OWN else _loaded(self.embedder)
        return Tools(embedder, load_tokenizer(self.tokenizer), EmbeddingCache(), asking=asking())

    def build(self):
        return build_chunker(self.chunker, self.parameters)

    def run(self):
        return run_chunker(self.build(), Document.from_text(self.text, self.sentences), self.tools())

    def recipe(self):
        tools = self.tools()
        return Recipe.of(self.build(), self.sentences, tools.embedder, self.tokenizer, language_model=tools.asking.model)


@lru_cache
def _loaded(name):
    return load_embedder(name)


SPLITTER_NAMES = [*SPLITTER_DESCRIPTIONS, *(f"sentencex:{code}" for code in LANGUAGES)]


@st.composite
def cases(draw, embedders=EMBEDDERS, max_parts=24):
    """Return a case with valid settings."""
    chunker = draw(st.sampled_from([*CHUNKERS, *MODEL_ASKING_CLASS_BY_NAME]))
    return Case(
        draw(texts(max_parts)),
        chunker,
        draw(valid_settings(chunker)),
        draw(st.sampled_from([*SPLITTER_DESCRIPTIONS]) | st.sampled_from(SPLITTER_NAMES)),
        draw(st.sampled_from([*TOKENIZER_DESCRIPTIONS])),
        draw(st.sampled_from(embedders)),
    )


@contextmanager
def tables_at_hand():
    """Let tiktoken find its tables among LlamaIndex's files, so that nothing is fetched."""
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    # Found without importing it, which takes seconds.
    os.environ["TIKTOKEN_CACHE_DIR"] = str(Path(find_spec("llama_index.core").origin).parent / "_static" / "tiktoken_cache")
    try:
        yield
    finally:
        os.environ.pop("TIKTOKEN_CACHE_DIR")
        if before is not None:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
