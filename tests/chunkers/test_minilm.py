"""The bundled model gives what sentence-transformers computes with the same files, and reads them only once checked."""

import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import (
    CHUNKERS,
    Document,
    Embedder,
    ModelError,
    Recipe,
    Tools,
    load_embedder,
    load_tokenizer,
    run_chunker,
)
from chunkers.commands.chunk_command import main
from chunkers.embedders import sentence_models
from chunkers.embedders.base import split_into_batches
from chunkers.storage.embedding_cache import EmbeddingCache
from evaluation.command_line import main as evaluation_main
from sample_docs import load_sample
from tests import ROOT
from tests.lanes import mostly_full, samples

pytestmark = pytest.mark.model

TOLERANCE = 1e-6

WORDS = "the tide came in and bread needs salt , mud . Überraschung 猫は魚 بيت дом \U0001f600 ÀÉ x² 1,000 [SEP]".split(" ")  # noqa: SIM905
ODD = [
    "",
    " ",
    "a",
    "\0",
    "\r\n\t",
    "[CLS] [SEP] [MASK] [PAD] [UNK]",
    "é e\u0301 ﬁ \u200b\u00ad",
    "x" * 101,
    "das ist ein Satz auf Deutsch: Fußgängerübergänge.",
    "猫は魚を食べる。株価は昨日上がった。",
    "القطة على السجادة",
    "Кошка сидит на коврике",
    "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467",
]


@pytest.fixture(scope="module")
def reference():
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(sentence_models.checked_model_folder()), device="cpu")


def expected(reference, texts):
    return reference.encode(texts, normalize_embeddings=True, show_progress_bar=False)


def differ(one, other):
    return float(np.abs(one - other).max(initial=0))


class Reference(Embedder):
    """sentence-transformers as an embedder."""

    name = "reference"
    revision = "1"

    def __init__(self, model):
        self._model = model

    def encode(self, texts):
        return expected(self._model, list(texts))


@pytest.fixture(scope="module")
def both(reference):
    return [Tools(embedder, load_tokenizer(), EmbeddingCache()) for embedder in (load_embedder(), Reference(reference))]


SETTINGS = [
    *((name, {}) for name, kind in CHUNKERS.items() if kind.embeds),
    *(("breakpoint", {"amount": amount}) for amount in (80, 90)),
    *(
        ("breakpoint", {"threshold": kind})
        for kind in ("standard_deviation", "interquartile", "gradient", "absolute_gradient")
    ),
]


FROZEN = json.loads((Path(__file__).parent / "bundled_cuts.json").read_text())
"""The number of chunks of each sample and setting, and a digest of their spans: from version 0.1.0, which used torch, but
for `change_point`, which has since taken its penalty from the whole text and cuts where paragraphs begin."""


def digest(chunking):
    spans = [[[span.start, span.end] for span in chunk.spans] for chunk in chunking.chunks]
    return hashlib.sha256(json.dumps(spans).encode()).hexdigest()[:16]


@pytest.mark.full
@pytest.mark.parametrize("name", samples())
def test_every_sample_has_the_vectors_and_the_chunks_of_sentence_transformers(name, both):
    sample = load_sample(name)
    document = Document.from_text(sample.text, sample.sentences)
    assert differ(*(tools.embed(document.sentence_texts) for tools in both)) < TOLERANCE
    for kind, parameters in SETTINGS:
        chunking, wanted = (run_chunker(CHUNKERS[kind].build(**parameters), document, tools) for tools in both)
        assert [chunk.spans for chunk in chunking.chunks] == [chunk.spans for chunk in wanted.chunks], (kind, parameters)
        assert [gap.verdict for gap in chunking.gaps] == [gap.verdict for gap in wanted.gaps], (kind, parameters)
        # Nor has a boundary moved since torch computed these vectors.
        setting = " ".join([kind, *(f"{key}={value}" for key, value in parameters.items())])
        assert FROZEN[name][setting] == [len(chunking.chunks), digest(chunking)], setting


def test_odd_texts_have_it_too(reference):
    assert differ(load_embedder().encode(ODD), expected(reference, ODD)) < TOLERANCE


@pytest.mark.parametrize("pieces", mostly_full([*range(7), 253, 254, 255, 256, 300, 5000], {0, 1, 2, 254, 255, 5000}))
def test_a_text_of_any_length_is_cut_where_sentence_transformers_cuts_it(pieces, reference):
    # These words are pieces, so that the length is known; the order tells which of them were left out.
    text = " ".join(["tide", "bread", "salt"][number % 7 % 3] for number in range(pieces))
    embedder = load_embedder()
    assert embedder.lengths([text]) == [pieces + 2]
    assert differ(embedder.encode([text]), expected(reference, [text])) < TOLERANCE
    cut_off = " ".join(text.split()[:254])
    assert differ(embedder.encode([text]), embedder.encode([cut_off])) < TOLERANCE


texts = st.lists(st.one_of(st.text(max_size=30), st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join)), max_size=12)


@pytest.mark.full
@settings(deadline=None, max_examples=60)
@given(texts=texts)
def test_any_texts_have_the_vectors_of_sentence_transformers(texts, reference):
    texts = [text.encode("utf-8", "ignore").decode() for text in texts]
    vectors = load_embedder().encode(texts)
    assert vectors.shape == (len(texts), 384)
    assert vectors.dtype == np.float32
    if texts:
        assert differ(vectors, expected(reference, texts)) < TOLERANCE


@pytest.mark.full
@settings(deadline=None, max_examples=40)
@given(texts=texts, others=texts, data=st.data())
def test_a_vector_does_not_depend_on_the_texts_beside_it(texts, others, data):
    texts = [text.encode("utf-8", "ignore").decode() for text in texts]
    others = [text.encode("utf-8", "ignore").decode() for text in others]
    order = data.draw(st.permutations(range(len(texts) + len(others))))
    embedder = load_embedder()
    mixed = embedder.encode([[*texts, *others][place] for place in order])
    in_order = np.empty_like(mixed)
    in_order[order] = mixed
    alone = np.concatenate([np.empty((0, 384)), *(embedder.encode([text]) for text in texts)])
    assert differ(in_order[: len(texts)], alone) < TOLERANCE


@given(
    lengths=st.lists(st.integers(0, 300)),
    most=st.integers(1, 10),
    most_length=st.one_of(st.none(), st.integers(1, 400)),
)
def test_batches_hold_all_in_order_and_no_more_than_they_may(lengths, most, most_length):
    slices = list(split_into_batches(lengths, most, most_length))
    assert [place for batch in slices for place in range(len(lengths))[batch]] == list(range(len(lengths)))
    for batch in slices:
        assert 1 <= batch.stop - batch.start <= most
        assert batch.stop - batch.start == 1 or most_length is None or sum(lengths[batch]) <= most_length
    for batch, following in pairwise(slices):
        full = batch.stop - batch.start == most
        assert full or (most_length is not None and sum(lengths[batch]) + lengths[following.start] > most_length)


def test_weights_that_are_not_the_published_ones_are_not_loaded(monkeypatch):
    def changed():
        raise ModelError("all-MiniLM-L6-v2: model.safetensors must have another SHA-256.")

    monkeypatch.setattr(sentence_models, "checked_model_folder", changed)
    monkeypatch.setattr(sentence_models, "read_tensors", lambda *arguments: pytest.fail("the weights were read"))
    with pytest.raises(ModelError, match=r"model\.safetensors"):
        sentence_models.MiniLM().encode(["text"])


def test_nothing_heavy_is_imported_for_the_bundled_model():
    code = (
        "import sys; from chunkers import load_embedder; load_embedder(device='cpu').encode(['One.', 'Two.']);"
        "heavy = {'torch', 'sentence_transformers', 'transformers', 'spacy', 'sklearn', 'scipy'};"
        "print(*sorted(heavy & sys.modules.keys()))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert run.stdout.split() == []


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_any_number_of_threads_gives_the_vectors(threads, monkeypatch, reference):
    from threadpoolctl import threadpool_info, threadpool_limits

    def counts():
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    texts = list(dict.fromkeys(load_sample("stubs").text.splitlines()))
    with threadpool_limits(threads, user_api="blas"):
        before = counts()
        vectors = load_embedder().encode(texts)
        assert counts() == before
    assert differ(vectors, expected(reference, texts)) < TOLERANCE


def test_two_that_encode_at_once_leave_the_threads_of_blas_as_they_were():
    from threadpoolctl import threadpool_info, threadpool_limits

    texts = load_sample("stubs").text.splitlines()
    embedders = [sentence_models.MiniLM("cpu") for _ in range(2)]
    with threadpool_limits(2, user_api="blas"):
        before = threadpool_info()
        with ThreadPoolExecutor(2) as pool:
            one, other = pool.map(lambda embedder: embedder.encode(texts), embedders)
        assert threadpool_info() == before
    assert differ(one, other) < TOLERANCE


def test_the_name_of_bfloat16_is_the_exact_model_and_a_sentence():
    old, now = load_embedder(sentence_models.REMOVED_BFLOAT16_EMBEDDER_NAME, "cpu"), load_embedder(device="cpu")
    assert (old.name, old.identity, now.remark) == (now.name, now.identity, "")
    assert old.remark.startswith("all-MiniLM-L6-v2:bfloat16 is no longer offered; all-MiniLM-L6-v2 is used, ")
    recipe = Recipe.from_json(
        '{"recipe": 1, "chunker": "breakpoint"}'.replace(
            "}", f', "embedder": "{sentence_models.REMOVED_BFLOAT16_EMBEDDER_NAME}"}}'
        )
    )
    text = load_sample("stubs").text
    assert recipe.run(text).recipe.embedder == now.name


def test_the_command_line_says_so(capsys):
    file = str(ROOT / "sample_docs" / "stubs.txt")
    assert (
        main(
            [
                file,
                "--chunker",
                "breakpoint",
                "--tokenizer",
                "words",
                "--embedder",
                sentence_models.REMOVED_BFLOAT16_EMBEDDER_NAME,
            ]
        )
        == 0
    )
    assert capsys.readouterr().err.count(sentence_models.BFLOAT16_EMBEDDER_REMOVED_NOTE) == 1


def test_check_says_so_of_a_recipe(tmp_path, capsys):
    recipe = tmp_path / "old.json"
    recipe.write_text(
        f'{{"recipe": 1, "chunker": "fixed_words", "embedder": "{sentence_models.REMOVED_BFLOAT16_EMBEDDER_NAME}"}}',
        encoding="utf-8",
    )
    evaluation_main(["check", str(ROOT / "sample_docs" / "stubs.txt"), "--chunker", str(recipe)])
    assert capsys.readouterr().err.count(sentence_models.BFLOAT16_EMBEDDER_REMOVED_NOTE) == 1


@pytest.mark.full
@pytest.mark.parametrize("given", [None, "active"])
def test_torch_waits_in_its_sleep_unless_the_environment_says_otherwise(given):
    code = (
        "import os; from chunkers.embedders.sentence_models import import_torch_with_sleeping_threads as load; load();"
        "print('left', os.environ.get('OMP_WAIT_POLICY'))"
    )
    # OpenMP prints what it has read when it is loaded.
    environment = {**os.environ, "OMP_DISPLAY_ENV": "true"}
    environment.pop("OMP_WAIT_POLICY", None)
    if given:
        environment["OMP_WAIT_POLICY"] = given
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert run.stdout == f"left {given}\n"
    read = re.findall(r"OMP_WAIT_POLICY\s*=\s*'(\w+)'", run.stderr)
    if not read:
        pytest.skip("torch has another OpenMP here, which does not tell")
    assert set(read) == {(given or "passive").upper()}
