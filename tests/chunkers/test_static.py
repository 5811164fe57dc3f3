"""The static embedder: its recipe worked by hand and against scikit-learn, its file, and who waits for whom."""

import io
import os
import stat
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from chunkers import Cancelled, Document, Recipe, Tools, Watcher, build_chunker, chunk, load_embedder, load_tokenizer
from chunkers.commands.shared_command_parts import build_watcher_of_preparation
from chunkers.embedders import static_embedder as static
from chunkers.embedders.sentence_models import MiniLM
from chunkers.embedders.static_embedder import (
    MOST_VECTOR_DIMENSIONS,
    WORD_PIECES_PER_BATCH,
    Static,
    _WordPieceCache,
    distil_vector_table,
    project_onto_principal_components,
    read_vector_table,
    word_piece_weights,
    write_vector_table,
)
from chunkers.storage.embedding_cache import EmbeddingCache
from chunkers.text.tokenizers import load_bundled_word_piece_tokenizer
from sample_docs import load_sample, sample_titles
from tests import ROOT
from tests.lanes import mostly_full
from tests.support import LIMIT
from tests.support import PieceNetwork as Network

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
ODD = [
    *(" ", "\n", "\r\n", "\t", "\x0b", "\x1c", "\x85", "\xa0", "\u2003", "\u2028", "\0", "\x7f", "\u200b", "\xad"),
    *(
        "[SEP]",
        "[CLS]",
        "[MASK]",
        "[PAD]",
        "[UNK]",
        "[SEP",
        "SEP]",
        "[unused1]",
        "##s",
        "tides",
        "Salt,",
        "e\u0301",
        "É",
        "ß",
    ),
    *("\u0301", "\u0323\u0307", "ﬁ", "Σ", "猫は魚", "x" * 99, "12,000", "\U0001f600", "İ", "\ufffd", "'", "…"),
]

STEPS = -(-29_525 // WORD_PIECES_PER_BATCH)
"""Batches of pieces of the bundled vocabulary: 994 of it are unused, and three special ones are left out."""


@pytest.fixture(scope="module")
def made(static_embedder):
    return static_embedder


def file_of(folder):
    files = list(folder.iterdir())
    assert len(files) == 1
    return files[0]


def cached(embedder, folder):
    """Return another process's embedder of that folder, whose network must not be asked."""
    other = Static(Network(1), folder)
    other.ensure_loaded()
    assert other._full_model.asked == []
    return other


def test_a_small_vocabulary_worked_by_hand():
    words = ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "sea", "salt", "##s"]
    # Their mean is (10, 5); about it, the two axes are the strongest directions, as the products of x and y sum to 0.
    outputs = {0: (14, 5), 2: (8, 5), 6: (11, 4), 7: (9, 8), 8: (8, 3)}
    asked, told = [], []

    def means(texts):
        asked.extend(texts)
        return np.array([outputs[text[1]] for text in texts], np.float32)

    table = distil_vector_table({word: number for number, word in enumerate(words)}, means, told.append, bool)
    assert asked == [[3, piece, 4] for piece in (0, 2, 6, 7, 8)]
    assert told == [0, 1]
    # Zipf's law gives the five kept pieces 1/2, 1/3, 1/4, 1/5 and 1/6, of 1.45 in all.
    weights = [1e-4 / (1e-4 + 1 / rank / 1.45) for rank in (4, 5, 6)]
    wanted = np.zeros((9, 2))
    wanted[6:] = np.array([[1, -1], [-1, 3], [-2, -2]]) * np.array(weights)[:, None]
    assert table.dtype == np.float16
    assert table == pytest.approx(wanted, rel=1e-3)


@settings(deadline=None)
@given(seed=st.integers(0, 1000), count=st.integers(12, 40), width=st.integers(2, 10), most=st.integers(1, 10))
def test_the_strongest_directions_are_those_of_scikit_learn(seed, count, width, most):
    random = np.random.default_rng(seed)
    rows = random.normal(size=(count, width)) * np.arange(1, width + 1) + random.normal(size=width)
    projected = project_onto_principal_components(rows.astype(np.float32), most)
    wanted = PCA(min(most, width), svd_solver="full").fit_transform(rows.astype(np.float32).astype(np.float64))
    assert np.abs(projected) == pytest.approx(np.abs(wanted), abs=1e-6)
    assert (projected.max(axis=0) >= -projected.min(axis=0)).all()


def test_rarer_pieces_weigh_more_and_none_more_than_one():
    weights = word_piece_weights(29_525)
    assert (np.diff(weights) > 0).all()
    assert 0 < weights[0] < weights[-1] < 1


class TestVectors:
    def test_a_text_is_the_mean_of_its_pieces_scaled_to_length_1(self, made):
        numbers = load_bundled_word_piece_tokenizer().encode("Tides, unmistakably!", add_special_tokens=False).ids
        assert len(numbers) > 4
        mean = made._table[numbers].astype(np.float64).mean(axis=0)
        assert made.encode(["Tides, unmistakably!"])[0] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)

    @pytest.mark.parametrize("text", ["", " \n", "x" * 101, "[SEP] [PAD] [UNK]"])
    def test_a_text_without_a_known_piece_is_a_row_of_zeros(self, made, text):
        assert (made.encode([text, "salt"])[0] == 0).all()

    def test_unknown_pieces_say_nothing(self, made):
        assert (made.encode(["salt " + "x" * 101]) == made.encode(["salt"])).all()
        assert made.unknown_token_lengths_in_characters(["salt " + "x" * 101]) == [[101]]

    @pytest.mark.parametrize("texts", [[], [""], ["one"]])
    def test_shape_and_precision(self, made, texts):
        vectors = made.encode(texts)
        assert vectors.shape == (len(texts), MOST_VECTOR_DIMENSIONS)
        assert vectors.dtype == np.float32

    def test_a_long_text_is_read_to_its_end(self, made):
        start = "the tide came in. " * 2000
        assert not (made.encode([start]) == made.encode([start + "salt"])).all()

    @settings(deadline=None)
    @given(texts=st.lists(st.one_of(TEXTS, st.lists(st.sampled_from(ODD)).map("".join)), max_size=8))
    def test_the_pieces_are_those_of_the_tokenizer(self, texts):
        words = _WordPieceCache({})
        special = {load_bundled_word_piece_tokenizer().token_to_id("[SEP]")}
        wanted = [
            encoding.ids
            for encoding in load_bundled_word_piece_tokenizer().encode_batch_fast(texts, add_special_tokens=False)
        ]
        wanted = [[number for number in numbers if number not in special] for numbers in wanted]
        assert words.piece_ids_of_texts(texts) == wanted
        assert words.piece_ids_of_texts(texts[::-1]) == wanted[::-1]

    @pytest.mark.parametrize("name", sample_titles())
    def test_the_pieces_of_every_sample_are_those_of_the_tokenizer(self, name):
        sample = load_sample(name)
        texts = Document.from_text(sample.text, sample.sentences).sentence_texts
        wanted = [
            encoding.ids
            for encoding in load_bundled_word_piece_tokenizer().encode_batch_fast(texts, add_special_tokens=False)
        ]
        assert _WordPieceCache({}).piece_ids_of_texts(texts) == wanted

    def test_no_more_words_are_remembered_than_may_be(self, made, monkeypatch):
        monkeypatch.setattr(static, "MOST_CACHED_CHARACTERS", 20)
        before = made.encode(["the tide came in at night"])
        for number in range(10):
            made.encode([f"word{number} and others"])
            assert made._word_piece_cache.characters <= 20 + len("wordNandothers")
        assert (made.encode(["the tide came in at night"]) == before).all()

    @settings(deadline=None)
    @given(data=st.data())
    def test_the_texts_beside_it_change_no_bit_of_a_vector(self, made, data):
        texts = data.draw(st.lists(TEXTS, max_size=12))
        order = data.draw(st.permutations(range(len(texts))))
        mixed = made.encode([texts[place] for place in order])
        alone = [made.encode([texts[place]])[0] for place in order]
        assert all((one == other).all() for one, other in zip(mixed, alone, strict=True))
        lengths = np.linalg.norm(mixed.astype(np.float64), axis=1)
        assert all(length == 0 or length == pytest.approx(1, abs=1e-6) for length in lengths)


class TestFile:
    def test_it_is_written_once_for_its_owner_alone_and_read_without_the_network(self, made):
        assert len(made._full_model.asked) == 29_525
        file = file_of(made._path.parent)
        if os.name == "posix":
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
        again = cached(made, made._path.parent)
        assert again.revision == made.revision
        assert (again.encode(["the tide"]) == made.encode(["the tide"])).all()

    @pytest.mark.parametrize(
        "harm",
        [
            lambda data: b"",
            lambda data: data[:-1],
            lambda data: data[: len(data) // 2],
            lambda data: data + b"\0",
            lambda data: data[:1000] + bytes([data[1000] ^ 1]) + data[1001:],
            lambda data: bytes([data[0] ^ 1]) + data[1:],
            lambda data: b"\0" * len(data),
        ],
    )
    def test_a_torn_or_changed_one_counts_as_none(self, made, tmp_path, harm):
        file = tmp_path / made._path.name
        file.write_bytes(harm(made._path.read_bytes()))
        assert read_vector_table(file) is None
        assert read_vector_table(made._path)[1] == made.revision

    @pytest.mark.full
    def test_in_the_place_of_a_torn_one_a_whole_one_is_made(self, made, tmp_path):
        (tmp_path / made._path.name).write_bytes(made._path.read_bytes()[:-1])
        embedder = Static(Network(), tmp_path)
        embedder.ensure_loaded()
        assert len(embedder._full_model.asked) == 29_525
        assert embedder.revision == made.revision
        assert file_of(tmp_path).read_bytes() == made._path.read_bytes()

    @pytest.mark.parametrize(
        "blocked", mostly_full(["the folder is a file", "the file is a folder"], {"the folder is a file"})
    )
    def test_where_it_cannot_be_written_the_table_is_in_memory(self, made, tmp_path, blocked):
        folder = tmp_path / "folder"
        folder.write_text("") if blocked == "the folder is a file" else (folder / made._path.name).mkdir(parents=True)
        embedder = Static(Network(), folder)
        assert (embedder.encode(["the tide"]) == made.encode(["the tide"])).all()
        assert folder.is_file() or file_of(folder).is_dir()

    def test_a_full_disk_leaves_nothing_behind(self, made, tmp_path, monkeypatch):
        def full(*arguments):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("pathlib.Path.replace", full)
        assert write_vector_table(tmp_path / "table.bin", made._table.astype(np.float16)) == made.revision
        assert list(tmp_path.iterdir()) == []

    def test_another_table_is_another_revision_whose_vectors_are_kept_apart(self, made, tmp_path):
        other = Static(Network(1), tmp_path)
        cache = EmbeddingCache()
        first, second = (Tools(embedder, load_tokenizer("words"), cache) for embedder in (made, other))
        texts = ["the tide", "bread and salt"]
        assert not np.allclose(first.embed(texts), second.embed(texts))
        assert (first.meter.embedded, second.meter.embedded) == (2, 2)
        assert other.revision not in ("", made.revision)
        assert second.embed(texts) == pytest.approx(other.encode(texts))

    def test_a_recipe_has_its_hash(self, made):
        recipe = Recipe.of(build_chunker("breakpoint", {}), "lines", made, "words")
        assert recipe.embedder == "static"
        assert recipe.versions["static"] == made.revision


class TestWaiting:
    @pytest.mark.full
    def test_progress_ascends_from_nothing_to_all(self, tmp_path):
        told = []
        Static(Network(), tmp_path).ensure_model_built_and_loaded(told.append)
        assert told == sorted(told)
        assert (told[0], told[-1]) == (0, 1)
        assert len(told) > STEPS

    @pytest.mark.full
    def test_it_can_be_stopped_between_batches_and_then_made(self, made, tmp_path):
        embedder = Static(Network(), tmp_path)
        with pytest.raises(Cancelled):
            embedder.ensure_model_built_and_loaded(
                cancelled=lambda: len(embedder._full_model.asked) >= 3 * WORD_PIECES_PER_BATCH
            )
        assert len(embedder._full_model.asked) == 3 * WORD_PIECES_PER_BATCH
        assert embedder.revision == ""
        assert list(tmp_path.iterdir()) == []
        assert (embedder.encode(["the tide"]) == made.encode(["the tide"])).all()

    def test_a_run_tells_how_far_it_is_and_stops(self, tmp_path):
        embedder = Static(Network(), tmp_path)
        told = []
        stopped = Tools(
            embedder, load_tokenizer("words"), watcher=Watcher(lambda: bool(told and told[-1] > 0.1), preparing=told.append)
        )
        with pytest.raises(Cancelled):
            stopped.embed(["the tide"])
        assert 0.1 < told[-1] < 0.2
        assert "static" in embedder.preparation
        assert str(tmp_path) in embedder.format_preparation_progress(0.5)
        assert embedder.format_preparation_progress(0.5).endswith(": 50% done")

    def test_two_runs_distil_once_and_the_one_that_waits_can_stop(self, tmp_path):
        embedder = Static(Network(), tmp_path)
        told, outcome = [], []

        def wait(*arguments):
            try:
                embedder.ensure_model_built_and_loaded(*arguments)
                outcome.append("ready")
            except Cancelled:
                outcome.append("stopped")

        with embedder._full_model.lock:
            first = threading.Thread(target=wait)
            first.start()
            while not embedder._distilling_locks._queues:
                time.sleep(0.001)
            # It waits for the first, which waits for the network, and ends nevertheless.
            second = threading.Thread(target=wait, args=(told.append, lambda: len(told) > 2))
            second.start()
            second.join(LIMIT)
            assert outcome == ["stopped"]
        third = threading.Thread(target=wait)
        third.start()
        for thread in (first, third):
            thread.join(LIMIT)
        assert outcome == ["stopped", "ready", "ready"]
        assert len(embedder._full_model.asked) == 29_525

    @pytest.mark.full
    def test_processes_that_distil_at_once_leave_a_whole_file(self, made, tmp_path):
        several = [Static(Network(), tmp_path) for _ in range(2)]
        threads = [threading.Thread(target=embedder.ensure_loaded) for embedder in several]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LIMIT)
        assert {embedder.revision for embedder in several} == {made.revision}
        assert cached(made, tmp_path).revision == made.revision
        file_of(tmp_path)

    @pytest.mark.full
    def test_others_use_the_network_between_two_batches(self, tmp_path):
        network = Network()
        answer, seen = network.means, []

        def slow(texts):
            vectors = answer(texts)
            with network.lock:
                time.sleep(0.005)
            return vectors

        network.means = slow
        thread = threading.Thread(target=Static(network, tmp_path).ensure_loaded)
        thread.start()
        while not network.asked:
            time.sleep(0.001)
        while thread.is_alive():
            with network.lock:
                time.sleep(0.002)
                seen.append(len(network.asked))
        # Of two that want it all the time, neither has it many times in a row.
        assert len(set(seen)) > STEPS / 2


def test_a_table_that_is_there_needs_no_torch(made):
    code = (
        "import sys, pathlib; from chunkers.embedders import static_embedder as static;"
        f"static.user_cache = lambda: pathlib.Path({str(made._path.parent)!r});"
        "from chunkers import chunk; print(len(chunk('One tide. Two tides. Salt.', 'breakpoint', embedder='static').gaps));"
        "print(*sorted({'torch', 'sentence_transformers', 'transformers', 'spacy'} & sys.modules.keys()))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert run.stdout.split() == ["2"]


@pytest.mark.model
@pytest.mark.full
def test_the_bundled_model_gives_the_vectors_of_model2vec(tmp_path):
    embedder = Static(MiniLM(), tmp_path)
    # Cosines of model2vec 0.10.0 with what its distill_from_model makes of the same files, in float32.
    wanted = {
        ("The tide came in.", "The sea rose on the shore."): 0.46670,
        ("The tide came in.", "Bread needs salt."): -0.00109,
        ("The model embeds each sentence.", "A vector stands for every sentence."): 0.42338,
        ("Überraschung!", "The tide came in."): -0.02043,
    }
    cosines = {pair: float(np.prod(embedder.encode(pair), axis=0).sum()) for pair in wanted}
    assert cosines == pytest.approx(wanted, abs=5e-4)
    # Written and read again, it is the same.
    assert cached(embedder, tmp_path).revision == embedder.revision


@pytest.mark.parametrize("terminal", mostly_full([True, False], {True}))
def test_a_terminal_shows_how_far_it_is_and_a_file_does_not(monkeypatch, tmp_path, terminal):
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: terminal)
    monkeypatch.setattr(sys, "stderr", shown)
    embedder = Static(Network(), tmp_path)
    embedder.ensure_model_built_and_loaded(build_watcher_of_preparation(embedder).preparing)
    lines = shown.getvalue().split("\r")
    assert len(lines) > STEPS if terminal else lines == [""]
    assert all(line.startswith("Distilling static from all-MiniLM-L6-v2, once") for line in lines[1:])
    assert not terminal or lines[-1].endswith(": 100% done\033[K\n")


def test_creating_it_by_its_name_reads_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(static, "user_cache_folder", lambda: tmp_path)
    embedder = load_embedder.__globals__["_build_embedder"].__wrapped__("static", "auto")
    assert isinstance(embedder, Static)
    assert embedder.revision == ""
    assert list(tmp_path.iterdir()) == []


def test_a_chunker_runs_with_it(made):
    result = chunk("The tide came in. The tide went out. Bread needs salt. Bread needs time.", "breakpoint", embedder=made)
    assert len(result.gaps) == 3
    assert result.recipe.embedder == "static"
