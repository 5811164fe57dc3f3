"""BERT in NumPy: the vectors of sentence-transformers for every kind of model that it takes; what it leaves alone."""

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from chunkers import load_embedder
from chunkers.embedders.bert_folder import read_encoder
from chunkers.embedders.numpy_bert_encoder import apply_biased_gelu_in_place, apply_softmax_in_place, balanced_text_slices
from tests.fixtures.small_embedding_model import TEXTS, WORDS

pytestmark = pytest.mark.model

TOLERANCE = 1e-6

LONG = ["", "the cat sat on a mat . " * 5, "The Tide CAME in", "é unheard İ", *TEXTS]

SIZES = {"small": (16, 2, 2, 32), "one layer": (24, 3, 1, 48), "many heads": (32, 8, 3, 40)}


def make(folder, size="small", pooling="mean", normalises=False, cased=False, most=12, **changes):
    """Save a model of random weights, large enough that its layers do something."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer

    torch.manual_seed(0)
    folder.mkdir()
    width, heads, layers, wide = SIZES[size]
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, "The", "Tide"]))
    config = BertConfig(
        vocab_size=len(WORDS) + 7,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=wide,
        initializer_range=0.5,
        max_position_embeddings=64,
        **changes,
    )
    model = BertModel(config)
    for name, weights in model.named_parameters():
        # Biases and shifts begin as zeros, which would prove nothing.
        if weights.ndim == 1:
            weights.data += 0.3 * torch.randn_like(weights)
        assert name
    model.save_pretrained(folder / "bert")
    BertTokenizer(str(folder / "vocab.txt"), do_lower_case=not cased).save_pretrained(folder / "bert")
    modules = [Transformer(str(folder / "bert"), max_seq_length=most), Pooling(width, pooling)]
    SentenceTransformer(modules=[*modules, *[Normalize()] * normalises], device="cpu").save(str(folder / "model"))
    return folder / "model"


KINDS = [
    *({"size": size, "pooling": pooling} for size, pooling in product(SIZES, ("mean", "cls"))),
    {"normalises": True},
    {"cased": True},
    {"most": 5},
    {"most": 64},
    {"layer_norm_eps": 1e-3},
]


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_model_of_bert_has_the_vectors_of_sentence_transformers(kind, tmp_path):
    from sentence_transformers import SentenceTransformer

    folder = make(tmp_path / "made", **kind)
    embedder, wanted = load_embedder(str(folder), "cpu"), SentenceTransformer(str(folder), device="cpu")
    vectors = embedder.encode(LONG)
    assert (embedder.engine, embedder.max_tokens) == ("NumPy", kind.get("most", 12))
    assert np.abs(vectors - wanted.encode(LONG, normalize_embeddings=True)).max() < TOLERANCE
    assert embedder.lengths(["the cat", LONG[1]]) == [4, 37]


def change(name, **settings):
    def changed(folder):
        file = folder / name
        file.write_text(json.dumps(json.loads(file.read_text()) | settings))

    return changed


def without_normaliser(folder):
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer | {"normalizer": None}))


OTHERS = {
    "another activation": change("config.json", hidden_act="gelu_new"),
    "another architecture": change("config.json", model_type="roberta"),
    "relative positions": change("config.json", position_embedding_type="relative_key"),
    "half precision": change("config.json", dtype="float16"),
    "more layers than weights": change("config.json", num_hidden_layers=3),
    "a prompt": change("config_sentence_transformers.json", default_prompt_name="query", prompts={"query": "query: "}),
    "fewer dimensions": change("config_sentence_transformers.json", truncate_dim=8),
    "an unknown setting": change("sentence_bert_config.json", model_args={}),
    "another pooling": change("1_Pooling/config.json", pooling_mode="max"),
    "two poolings": change("1_Pooling/config.json", pooling_mode=["mean", "cls"]),
    "more pieces than positions": change("tokenizer_config.json", model_max_length=65),
    "another case": change("tokenizer_config.json", do_lower_case=False),
    "another tokenizer": without_normaliser,
    "adapters": lambda folder: (folder / "adapter_config.json").write_text("{}"),
    "torn weights": lambda folder: (folder / "model.safetensors").write_bytes(b"\x10"),
    "no weights": lambda folder: (folder / "model.safetensors").unlink(),
    "no modules": lambda folder: (folder / "modules.json").unlink(),
}


@pytest.mark.full
@pytest.mark.parametrize("other", OTHERS)
def test_what_it_would_compute_otherwise_is_left_alone(other, tmp_path):
    folder = make(tmp_path / "made")
    assert read_encoder(folder) is not None
    OTHERS[other](folder)
    assert read_encoder(folder) is None


@pytest.mark.full
def test_sentence_transformers_runs_what_is_left_alone(tmp_path):
    folder = make(tmp_path / "made")
    OTHERS["another pooling"](folder)
    embedder = load_embedder(str(folder), "cpu")
    assert embedder.encode(TEXTS).shape == (4, 16)
    assert embedder.engine == "sentence-transformers"


@pytest.mark.full
def test_lower_case_may_be_asked_for_besides(tmp_path):
    from sentence_transformers import SentenceTransformer

    folder = make(tmp_path / "made", cased=True)
    change("sentence_bert_config.json", do_lower_case=True)(folder)
    embedder = load_embedder(str(folder), "cpu")
    wanted = SentenceTransformer(str(folder), device="cpu").encode(LONG, normalize_embeddings=True)
    assert np.abs(embedder.encode(LONG) - wanted).max() < TOLERANCE
    assert embedder.engine == "NumPy"


@pytest.mark.parametrize("rows", [1, 31, 32, 33, 100])
def test_the_gelu_is_the_exact_one(rows):
    given = np.linspace(-12, 12, rows * 999).reshape(rows, 999).astype(np.float32)
    bias = np.linspace(-1, 1, 999).astype(np.float32)
    numbers = (given + bias).astype(np.float64)
    apply_biased_gelu_in_place(given, bias)
    assert (np.abs(given - numbers * ndtr(numbers)) / np.maximum(1, np.abs(numbers))).max() < 3e-7


@pytest.mark.parametrize("scale", [1, 20, 500])
def test_shares_are_right_where_a_query_is_far_below_another(scale):
    scores = scale * np.linspace(-1, 1, 2 * 3 * 4 * 4).reshape(2, 3, 4, 4) ** 3
    shares = scores.astype(np.float32)
    apply_softmax_in_place(shares)
    exponentials = np.exp(scores - scores.max(axis=3, keepdims=True))
    assert np.abs(shares - exponentials / exponentials.sum(axis=3, keepdims=True)).max() < 3e-5


@given(lengths=st.lists(st.integers(1, 300)).map(sorted), threads=st.integers(1, 5))
def test_parts_hold_all_texts_in_order(lengths, threads):
    slices = list(balanced_text_slices(lengths, threads))
    assert [place for part in slices for place in range(len(lengths))[part]] == list(range(len(lengths)))
    assert all(part.stop > part.start for part in slices)
