"""The real model and its vectors, once for all tests."""

import pytest

from chunkers import Tools, load_embedder, load_tokenizer
from chunkers.cache import EmbeddingCache


@pytest.fixture(scope="session")
def real_tools():
    return Tools(load_embedder(), load_tokenizer(), EmbeddingCache())
