"""The bundled model in bfloat16: near to the exact one, never taken for it, and said to be slow where it is."""

import numpy as np
import pytest

from chunkers import CHUNKERS, Document, Recipe, Tools, chunk, load_embedder, load_tokenizer
from chunkers.__main__ import main
from chunkers.cache import EmbeddingCache
from chunkers.embedders import minilm, precision
from chunkers.embedders.minilm import BFLOAT16, MiniLM
from chunkers.embedders.precision import NATIVE, Speeds, measured
from evaluation.segmentation.agreement import distance_shift
from sample_docs import load_sample
from tests import ROOT
from tests.chunkers.test_minilm import ODD
from tests.lanes import samples

pytestmark = pytest.mark.model

BOUND = 4e-3
"""How far a number of a vector of length 1 may be from the exact one."""

DISTANCE_BOUND = 5e-3
"""How far a distance of neighbouring sentences may move."""

FAST, SLOW = Speeds(6.0, 6.0 / NATIVE / 1.5), Speeds(6.0, 24.0)


@pytest.mark.parametrize("name", samples())
def test_its_vectors_and_distances_are_near_the_exact_ones(name):
    sample = load_sample(name)
    document = Document.from_text(sample.text, sample.sentences)
    exact, rounded = (
        Tools(load_embedder(one), load_tokenizer(), EmbeddingCache()).embed(document.sentence_texts)
        for one in (MiniLM.name, BFLOAT16)
    )
    assert rounded.dtype == np.float32
    assert np.abs(exact - rounded).max() < BOUND
    # It is rounded indeed.
    assert np.abs(exact - rounded).max() > 1e-5
    assert np.linalg.norm(rounded, axis=1) == pytest.approx(np.ones(len(rounded)), abs=1e-6)
    moved = distance_shift(exact, rounded)
    assert moved is None or moved.greatest < DISTANCE_BOUND


def test_odd_texts_are_near_too_and_hardly_depend_on_those_beside_them():
    texts = [*ODD, "tide " * 300, "bread"]
    exact, rounded = (load_embedder(one) for one in (MiniLM.name, BFLOAT16))
    together = rounded.encode(texts)
    assert np.abs(exact.encode(texts) - together).max() < BOUND
    alone = np.concatenate([rounded.encode([text]) for text in texts])
    assert np.abs(alone - together).max() < BOUND
    assert (rounded.encode(texts) == together).all()


def test_one_cache_never_takes_it_for_the_exact_one():
    cache = EmbeddingCache()
    for name in (MiniLM.name, BFLOAT16):
        tools = Tools(load_embedder(name), load_tokenizer("words"), cache)
        tools.embed(["Bread needs salt."])
        assert tools.meter.embedded == 1
    exact, rounded = (load_embedder(name) for name in (MiniLM.name, BFLOAT16))
    assert exact.revision != rounded.revision
    assert exact.identity != rounded.identity
    assert (exact.approximates, rounded.approximates) == ("", MiniLM.name)


@pytest.mark.parametrize("name", sorted(name for name, kind in CHUNKERS.items() if kind.embeds))
def test_a_recipe_gives_its_chunks_again(name):
    text = load_sample("stubs").text
    made = chunk(text, name, embedder=BFLOAT16, sentences="lines")
    recipe = Recipe.from_json(made.recipe.to_json())
    assert recipe.embedder == BFLOAT16
    assert recipe.versions[BFLOAT16] == load_embedder(BFLOAT16).revision
    assert recipe.run(text) == made


def test_the_speed_is_measured_once():
    measured.cache_clear()
    first = measured("cpu")
    assert measured("cpu") is first
    assert 0 < first.factor < 1000


@pytest.mark.parametrize(
    ("speeds", "said"),
    [
        (FAST, None),
        (
            SLOW,
            "a matrix product took 24 ms in bfloat16 and 6 ms in float32, so that float32 is 4.0 times as fast. "
            "all-MiniLM-L6-v2 is exact and faster.",
        ),
        (Speeds(6.6, 6.0), "so that bfloat16 is 1.1 times as fast. all-MiniLM-L6-v2 is exact."),
    ],
)
def test_where_it_is_not_native_a_sentence_says_what_was_measured(speeds, said, monkeypatch, capsys):
    monkeypatch.setattr(minilm, "measured", lambda device: speeds)
    embedder = MiniLM("bfloat16")
    assert embedder.remark == ""
    embedder.load()
    if said is None:
        assert embedder.remark == ""
    else:
        assert embedder.remark.startswith(f"{BFLOAT16} gains little on this machine's processor: a matrix product took")
        assert embedder.remark.endswith(said)
    # It is never refused: a recipe is to be followed on every machine.
    assert embedder.encode(["Bread needs salt."]).shape == (1, 384)


def test_the_command_line_says_it_after_the_chunks(monkeypatch, capsys):
    from chunkers import embedders

    embedders._load_embedder.cache_clear()
    monkeypatch.setattr(minilm, "measured", lambda device: SLOW)
    file = str(ROOT / "sample_docs" / "stubs.txt")
    try:
        assert main([file, "--chunker", "breakpoint", "--tokenizer", "words", "--embedder", BFLOAT16]) == 0
    finally:
        embedders._load_embedder.cache_clear()
    printed = capsys.readouterr()
    assert f'"embedder": "{BFLOAT16}"' in printed.out
    assert printed.err.startswith(f"{BFLOAT16} gains little on this machine's processor: ")
    assert printed.err.count("\n") == 1


def test_the_exact_model_measures_nothing(monkeypatch):
    monkeypatch.setattr(minilm, "measured", lambda device: pytest.fail("measured"))
    embedder = MiniLM()
    embedder.load()
    assert (embedder.remark, embedder.approximates, embedder.name) == ("", "", "all-MiniLM-L6-v2")
    assert precision.NATIVE > 1
