"""A sweep in processes is the sweep in one, embeds as little, and ends when it is told to."""

import os
import signal
from itertools import count

import pytest

from chunkers import Document, InputError
from evaluation.segmentation import settings_sweep as sweeping
from evaluation.segmentation.settings_sweep import SweptSetting, settings_grid, sweep_settings
from evaluation.segmentation.texts_with_known_boundaries import MarkedDocument
from evaluation.segmentation.worker_processes import process_executor
from sample_docs import load_sample
from tests.support import HashEmbedder, tools


@pytest.fixture(autouse=True)
def _processes(monkeypatch):
    monkeypatch.setattr(sweeping, "MOST_SEQUENTIAL_RUNS", 0)


def marked(name):
    sample = load_sample(name)
    return MarkedDocument(Document.from_text(sample.text, sample.sentences, name), sample.known)


SETTINGS = [
    *settings_grid("breakpoint", amount=tuple(range(10, 40))),
    SweptSetting.from_chunker_and_parameters("breakpoint", amount=70, buffer=1),
    SweptSetting.from_chunker_and_parameters("optimal", max_size=90, piece_size=9),
    SweptSetting.from_chunker_and_parameters(
        "double_pass", vector="re-embed", initial_threshold=0.0, appending_threshold=0.0
    ),
    SweptSetting.from_chunker_and_parameters("fixed_sentences"),
    SweptSetting.from_chunker_and_parameters("dbscan"),
]


@pytest.mark.full
def test_processes_give_the_rows_of_one_and_embed_every_text_once():
    documents = [marked("stubs"), marked("article")]
    alone, spread = HashEmbedder(), HashEmbedder()
    expected = list(sweep_settings(documents, SETTINGS, tools(alone)))
    rows = list(sweep_settings(documents, SETTINGS, tools(spread), worker_count=2))
    assert len(rows) == len(expected) == 2 * len(SETTINGS)
    assert {(row.setting, row.document): row for row in rows} == {(row.setting, row.document): row for row in expected}
    embedded = [text for batch in spread.batches for text in batch]
    assert len(embedded) == len(set(embedded))
    assert set(embedded) == {text for batch in alone.batches for text in batch}


@pytest.mark.full
def test_a_cancelled_sweep_keeps_what_it_has_and_sends_no_more():
    seen = []
    bench = tools(cancelled=lambda: len(seen) >= 30)
    for row in sweep_settings(
        [marked("article")], settings_grid("breakpoint", amount=tuple(range(10, 99))), bench, worker_count=2
    ):
        seen.append(row)
    assert 30 <= len(seen) < 89


def test_what_a_run_refuses_is_said_here():
    long = Document.from_text("\n".join(f"Sentence {number}." for number in range(7001)), "lines", "long")
    with pytest.raises(InputError, match=r"7,001"):
        list(
            sweep_settings(
                [MarkedDocument(long, (9,))],
                [SweptSetting.from_chunker_and_parameters("single_linkage")],
                tools(),
                worker_count=2,
            )
        )


@pytest.mark.full
def test_a_process_that_is_ended_from_outside_is_a_sentence_and_the_next_sweep_works():
    class Killer(HashEmbedder):
        """Ends the workers while they wait for vectors."""

        calls = count()

        def encode(self, texts):
            if next(self.calls) == 0:
                for process in list(process_executor(2)._processes.values()):
                    os.kill(process.pid, signal.SIGKILL)
            return super().encode(texts)

    settings = settings_grid("breakpoint", amount=(10, 50, 90))
    with pytest.raises(InputError, match=r"A process of the sweep ended early"):
        list(sweep_settings([marked("article")], settings, tools(Killer()), worker_count=2))
    assert len(list(sweep_settings([marked("article")], settings, tools(), worker_count=2))) == 3
