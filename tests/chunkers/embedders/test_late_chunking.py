"""Late chunking against a plain recomputation from token vectors, by tiny models; what cannot do it says so."""

import numpy as np
import pytest

from chunkers import (
    Cancelled,
    Document,
    ModelError,
    Tools,
    Watcher,
    build_chunker,
    load_embedder,
    load_tokenizer,
    run_chunker,
)
from chunkers.embedders.late_chunking import LateChunks, overlapping_windows
from chunkers.storage.embedding_cache import EmbeddingCache
from evaluation.questions.corpus_ranges_and_rulers import Corpus
from evaluation.retrieval.asked_question import build_search_index_of_text
from evaluation.search.index import cut_and_index_corpus, embed_chunks_late
from tests.chunkers.embedders.test_bert import make
from tests.fixtures.small_embedding_model import WORDS

pytestmark = pytest.mark.model

MOST = 12
"""Word pieces that the tiny model reads."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make(tmp_path_factory.mktemp("late") / "mean", most=MOST)


@pytest.fixture
def model(folder):
    embedder = load_embedder(str(folder))
    embedder.ensure_loaded()
    return embedder


def text_of(count):
    rng = np.random.default_rng(count)
    return " ".join(rng.choice(WORDS, count))


@pytest.fixture(scope="module")
def original(folder):
    """Return the same model in the sentence-transformers library."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device="cpu")


def recomputed(original, text, chunks):
    """Return chunks' vectors by the transformers library: each token from the window where its shorter side is longest."""
    import torch

    read = original.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    ids, offsets = read["input_ids"], read["offset_mapping"]
    size, first, last = MOST - 2, original.tokenizer.cls_token_id, original.tokenizer.sep_token_id
    starts = sorted({*range(0, max(1, len(ids) - size + 1), size // 2), max(0, len(ids) - size)})
    outputs = []
    for start in starts:
        window = torch.tensor([[first, *ids[start : start + size], last]])
        with torch.no_grad():
            outputs.append(original[0].auto_model(input_ids=window).last_hidden_state[0].numpy())
    vectors = []
    for spans in chunks:
        rows = []
        for token, (start, end) in enumerate(offsets):
            if not any(start < until and end > begin for begin, until in spans):
                continue
            inside = [number for number, begin in enumerate(starts) if begin <= token < begin + size]
            # Of two windows with the same context, the later one.
            best = max(inside, key=lambda number: (min(token - starts[number], starts[number] + size - 1 - token), number))
            rows.append(outputs[best][token - starts[best] + 1])
            rows += [outputs[0][0]] * (token == 0) + [outputs[-1][-1]] * (token == len(ids) - 1)
        mean = np.mean(rows, axis=0)
        vectors.append(mean / np.linalg.norm(mean))
    return vectors


def chunked(text, chunker, **parameters):
    tools = Tools(load_embedder("static"), load_tokenizer("words"))
    return run_chunker(build_chunker(chunker, parameters), Document.from_text(text, "lines"), tools)


@pytest.mark.parametrize("words", [3, 10, 11, 16, 47])
def test_vectors_are_those_of_a_plain_recomputation(original, model, words):
    # Characters, so that cuts go through words.
    chunking = chunked(text_of(words), "fixed_characters", size=17, overlap=5)
    vectors = embed_chunks_late([chunking], Tools(model, load_tokenizer("words")))
    wanted = recomputed(original, chunking.document.text, [chunk.spans for chunk in chunking.chunks])
    assert np.abs(vectors - wanted).max() < 1e-6


def test_a_chunk_of_several_spans_is_pooled_over_all(original, model):
    text, spans = text_of(40), [(0, 9), (60, 75)]
    late = LateChunks(model, [text])
    late.ensure_model_built_and_loaded()
    assert (
        np.abs(late.encode([late.build_key_of_chunk_place(text, spans)])[0] - recomputed(original, text, [spans])).max()
        < 1e-6
    )


def test_a_whole_text_within_the_limit_has_its_plain_vector(model):
    texts = ["The cat sat on the mat.", "Bread needs salt"]
    late = LateChunks(model, texts)
    late.ensure_model_built_and_loaded()
    vectors = late.encode([late.build_key_of_chunk_place(text, [(0, len(text))]) for text in texts])
    assert np.abs(vectors - model.encode(texts)).max() < 1e-6


def test_the_bundled_model_has_the_plain_vector_of_a_short_text_and_another_of_a_sentence_in_it():
    text = "Berlin is the capital of Germany. The city has 3.85 million inhabitants."
    model = load_embedder()
    late = LateChunks(model, [text])
    late.ensure_model_built_and_loaded()
    whole, second = late.encode(
        [late.build_key_of_chunk_place(text, [(0, len(text))]), late.build_key_of_chunk_place(text, [(34, len(text))])]
    )
    plain, alone, question = model.encode([text, text[34:], "How many people live in Berlin?"])
    assert np.abs(whole - plain).max() < 1e-6
    assert second @ question > alone @ question + 0.05


def test_white_space_alone_has_no_tokens(model):
    text = "The cat   sat"
    late = LateChunks(model, [text])
    late.ensure_model_built_and_loaded()
    assert not late.encode([late.build_key_of_chunk_place(text, [(7, 10)])]).any()


def test_windows_cover_every_piece_once_and_give_it_a_quarter_of_a_window_of_context():
    size = MOST - 2
    for pieces in range(60):
        all_windows = overlapping_windows(pieces, MOST)
        assert [piece for window in all_windows for piece in range(window.kept_start, window.kept_end)] == list(
            range(pieces)
        )
        for window in all_windows:
            assert window.end - window.start == min(size, pieces)
            for piece in range(window.kept_start, window.kept_end):
                assert piece - window.start >= min(piece, size // 4)
                assert window.end - 1 - piece >= min(pieces - 1 - piece, size // 4)


def test_vectors_come_from_the_cache_and_chunks_are_counted(model):
    chunking = chunked(text_of(200), "fixed_words", size=5, overlap=0)
    counts, cache = [], EmbeddingCache()
    tools = Tools(model, load_tokenizer("words"), cache, watcher=Watcher(progress=lambda *count: counts.append(count)))
    first = embed_chunks_late([chunking], tools)
    assert counts[-1] == (40, 40)
    assert len(counts) == 3
    again = Tools(model, load_tokenizer("words"), cache, watcher=Watcher(cached_only=True))
    assert (embed_chunks_late([chunking], again) == first).all()
    assert again.meter.cached == 40
    # Another text around the same chunk is another vector.
    with pytest.raises(Cancelled):
        embed_chunks_late([chunked(text_of(200) + " salt", "fixed_words", size=5, overlap=0)], again)


def test_every_window_is_read_once_however_small_the_chunks(model, monkeypatch):
    read = []
    original = type(model).token_vectors
    monkeypatch.setattr(type(model), "token_vectors", lambda self, texts: read.extend(texts) or original(self, texts))
    chunking = chunked(text_of(200), "fixed_words", size=1, overlap=0)
    embed_chunks_late([chunking], Tools(model, load_tokenizer("words")))
    pieces, _ = model.numpy_encoder_if_loaded.pieces(chunking.document.text)
    assert len(read) == len(overlapping_windows(len(pieces), MOST))


def test_it_stops_between_windows_too(model):
    """One chunk is one batch, and may be a text of any length."""
    chunking = chunked(text_of(2000), "fixed_words", size=2000, overlap=0)
    calls = []
    tools = Tools(model, load_tokenizer("words"), watcher=Watcher(cancelled=lambda: calls.append(None) or len(calls) > 20))
    with pytest.raises(Cancelled):
        embed_chunks_late([chunking], tools)


def test_batches_and_documents_do_not_change_a_vector(model, monkeypatch):
    texts = [text_of(count) for count in (120, 7, 60)]
    chunkings = [chunked(text, "fixed_words", size=7, overlap=2) for text in texts]
    together = embed_chunks_late(chunkings, Tools(model, load_tokenizer("words")))
    monkeypatch.setattr(LateChunks, "batch", 1)
    apart = [embed_chunks_late([chunking], Tools(model, load_tokenizer("words"))) for chunking in chunkings]
    assert np.abs(together - np.concatenate(apart)).max() < 1e-6


def test_retrieval_and_asking_search_the_same_vectors(model):
    document = Document.from_text(text_of(60), "lines")
    chunker, tools = build_chunker("fixed_words", {"size": 7, "overlap": 0}), Tools(model, load_tokenizer("words"))
    index = cut_and_index_corpus(Corpus((document,)), chunker, tools, "late")
    plain = cut_and_index_corpus(Corpus((document,)), chunker, tools)
    assert index.texts == plain.texts
    assert np.abs(index.vectors - plain.vectors).max() > 0.01
    assert (
        build_search_index_of_text(run_chunker(chunker, document, tools), tools, "embedding", "late").vectors
        == index.vectors
    ).all()


class Own:
    name = "own"

    def encode(self, texts):
        return np.ones((len(texts), 1))


def test_what_gives_no_token_vectors_says_so(tmp_path_factory):
    first_piece = make(tmp_path_factory.mktemp("late") / "cls", pooling="cls", most=MOST)
    for embedder in (load_embedder("static"), load_embedder("tfidf"), Own(), load_embedder(str(first_piece))):
        with pytest.raises(ModelError, match=r"Late chunking needs the vectors of a model's tokens, which .* does not give"):
            embed_chunks_late([chunked(text_of(9), "fixed_words")], Tools(embedder, load_tokenizer("words")))
