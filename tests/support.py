"""Embedders and tools that the tests make themselves."""

import asyncio
import hashlib
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from chunkers import Document, Embedder, Tools, load_tokenizer
from chunkers.base import run
from chunkers.embedders.minilm import MiniLM

LIMIT = 300.0
"""Seconds that a job or a run of the app may take on a busy machine."""


def ended(job):
    """Wait until a job has ended; return it."""
    job.join(LIMIT)
    assert not job.running, f"still at work: {job.progress()}"
    return job


class HashEmbedder(Embedder):
    """Unit vectors from the hash of a text: any text, at once, the same every time."""

    name = "hash"
    revision = "1"
    packages = ("numpy",)

    def __init__(self, defaults=None):
        self.defaults = defaults or {}
        self.batches = []

    def encode(self, texts):
        self.batches.append(list(texts))
        rows = []
        for text in texts:
            seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
            rows.append(np.random.default_rng(seed).normal(size=8) + 0.8)
        vectors = np.array(rows)
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


class AngleEmbedder(HashEmbedder):
    """Vectors in the plane whose angle in degrees is the number in the text: similarities one can work out by hand."""

    name = "angle"

    def encode(self, texts):
        self.batches.append(list(texts))
        angles = [np.radians(float(text.split()[0].rstrip("."))) for text in texts]
        return np.array([[np.cos(angle), np.sin(angle)] for angle in angles], dtype=np.float32)


def tools(embedder=None, tokenizer="words", **others):
    return Tools(embedder or HashEmbedder(), load_tokenizer(tokenizer), **others)


def in_a_loop(coroutine):
    """Run a coroutine to its end in a thread of its own: the browser tests keep a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def cut(chunker, text, sentences="lines", embedder=None, **others):
    return run(chunker, Document.from_text(text, sentences), tools(embedder, **others))


def sentence_numbers(chunking):
    """Return how many sentences each chunk holds."""
    starts = [span.start for span in chunking.document.sentences]
    return [sum(chunk.start <= start < chunk.end for start in starts) for chunk in chunking.chunks]


class PieceNetwork(MiniLM):
    """Stands for the bundled model: an output for each piece from a seed, at once, and a record of what it was asked."""

    def __init__(self, seed=0):
        self._outputs = np.random.default_rng(seed).random((30_522, 256), dtype=np.float32)
        self.lock = threading.Lock()
        self.asked = []

    def load(self):
        pass

    def means(self, texts):
        with self.lock:
            self.asked += texts
            return self._outputs[[text[1] for text in texts]]
