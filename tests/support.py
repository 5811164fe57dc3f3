"""Embedders and tools that the tests make themselves."""

import asyncio
import hashlib
import json
import math
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from itertools import pairwise

import numpy as np

from chunkers import Document, Embedder, Tools, Watcher, load_tokenizer
from chunkers.contract.base import run_and_time_chunker
from chunkers.embedders.sentence_models import MiniLM
from chunkers.language_models.answer_cache import AnswerCache
from chunkers.language_models.base import LanguageModel, Reply
from chunkers.language_models.requests_within_spending_limit import Asking

LIMIT = 300.0
"""Seconds that a job or a run of the app may take on a busy machine."""


def ended(job):
    """Wait until a job has ended; return it."""
    job.join(LIMIT)
    assert not job.running, f"still at work: {job.progress()}"
    return job


def differing(one, other, place="", tolerance=1e-6):
    """Return the places at which two results read from JSON differ; numbers with a fraction may differ by rounding."""
    if isinstance(one, float) and isinstance(other, float):
        same = math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    elif isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        pairs = ((key, one[key], other[key]) for key in one)
        return [spot for key, *two in pairs for spot in differing(*two, f"{place}.{key}".strip("."), tolerance)]
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        pairs = zip(one, other, strict=True)
        return [spot for key, two in enumerate(pairs) for spot in differing(*two, f"{place}[{key}]", tolerance)]
    else:
        same = one == other
    return [] if same else [place]


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


class ScriptedModel(LanguageModel):
    """A language model that divides a text wherever ``parts(before, after)``, whatever window it is shown in."""

    name = "openai:scripted"
    revision = "1"

    def __init__(self, parts=lambda before, after: len(before + after) % 3 == 0):
        self.parts = parts
        self.asked = []

    def reply(self, messages, most_tokens, attempts):
        attempts.allow(attempts.sent)
        attempts.sent += 1
        self.asked.append(list(messages))
        attempts.whole += 1
        return self.answer(messages)

    def answer(self, messages):
        return Reply(self.words(messages[1].text), 10, 2)

    def words(self, question):
        """Return the answer to a question of `llm`, `lumber` or `propositions`."""
        if "State the sentences" in question:
            return self.stated(numbered(question.rpartition("\nState the sentences")[0]))
        if "Further propositions:" in question:
            there, _, rest = question.partition("Further propositions:")
            return self.sorted(there, numbered(rest.rpartition("\nWhere do the")[0]))
        if "<|start_chunk_" in question:
            form, pieces = (
                "split_after: ",
                re.findall(r"<\|start_chunk_(\d+)\|>(.*?)<\|end_chunk_\1\|>", question, re.DOTALL),
            )
        else:
            form, (_, *fragments) = (
                "Answer: ID ",
                re.split(r"^ID (\d+): ", question.rpartition("\nWhich of")[0], flags=re.MULTILINE),
            )
            pieces = [*zip(fragments[::2], (text.removesuffix("\n") for text in fragments[1::2]), strict=True)]
        cuts = [(number, other) for (number, text), (other, after) in pairwise(pieces) if self.parts(text, after)]
        if not cuts:
            return form.replace(" ID", "") + "none"
        return form + (cuts[0][1] if "ID" in form else ", ".join(number for number, _ in cuts))

    def stated(self, sentences):
        """Return propositions of sentences: of every fifth by its length none, of every other third two."""
        propositions = []
        for number, text in sentences:
            for again in range(0 if len(text) % 5 == 4 else 1 + (len(text) % 3 == 2)):
                proposition = {"text": f"{'and ' * again}{text}", "sentence": number, "quotation": text}
                propositions.append(proposition)
        # Some answers have to say something.
        propositions = propositions or [{"text": "Nothing.", "sentence": sentences[0][0], "quotation": "\x00none"}]
        return json.dumps({"propositions": propositions})

    def subject(self, text):
        """Return the subject of a proposition."""
        return f"about {sum(map(ord, text)) % 3}"

    def sorted(self, there, propositions):
        """Place each proposition into the chunk of its subject, if there is one."""
        known = {title: int(number) for number, title in re.findall(r"^CHUNK (\d+): (.*?) \|", there, re.MULTILINE)}
        places = {}
        for number, text in propositions:
            places.setdefault(self.subject(text), []).append(number)
        chunks = [
            {"chunk": known.get(subject), "title": subject, "summary": f"All {subject}.", "propositions": numbers}
            for subject, numbers in places.items()
        ]
        return json.dumps({"chunks": chunks})


def numbered(text):
    """Return the numbers and texts of what begins with an ID."""
    _, *fragments = re.split(r"^ID (\d+): ", text, flags=re.MULTILINE)
    return [
        (int(number), passage.removesuffix("\n")) for number, passage in zip(fragments[::2], fragments[1::2], strict=True)
    ]


def asking(model=None, **others):
    return Asking(ScriptedModel() if model is None else model, AnswerCache(), **others)


def tools(embedder=None, tokenizer="words", **others):
    """Return tools with a scripted language model; ``others`` are further fields of the tools or of their watcher."""
    watching = {field.name: others.pop(field.name) for field in fields(Watcher) if field.name in others}
    own_asking = {"asking": asking(), **others}
    return Tools(embedder or HashEmbedder(), load_tokenizer(tokenizer), **own_asking, watcher=Watcher(**watching))


def in_a_loop(coroutine):
    """Run a coroutine to its end in a thread of its own: the browser tests keep a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def cut(chunker, text, sentences="lines", embedder=None, **others):
    return run_and_time_chunker(chunker, Document.from_text(text, sentences), tools(embedder, **others))


def sentence_numbers(chunking):
    """Count the sentences of each chunk."""
    starts = [span.start for span in chunking.document.sentences]
    return [sum(chunk.start <= start < chunk.end for start in starts) for chunk in chunking.chunks]


class PieceNetwork(MiniLM):
    """Stands for the bundled model: an output for each piece from a seed, at once, and a record of what it was asked."""

    def __init__(self, seed=0):
        self._outputs = np.random.default_rng(seed).random((30_522, 256), dtype=np.float32)
        self.lock = threading.Lock()
        self.asked = []

    def ensure_loaded(self):
        pass

    def means(self, texts):
        with self.lock:
            self.asked += texts
            return self._outputs[[text[1] for text in texts]]


def as_number(text):
    """Return the number that a sentence or a cell writes with a minus sign."""
    return float(text.replace("−", "-"))
