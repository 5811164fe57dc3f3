"""The run that comes with Seamark is that of today's documents, questions and chunkers, and holds no text."""

import json
from dataclasses import replace

import numpy as np
import pytest

from chunkers import Document, Tools, build_chunker, load_embedder, load_tokenizer
from evaluation.questions.corpus_ranges_and_rulers import Corpus
from evaluation.search.index import cut_and_index_corpus
from tests.support import HashEmbedder, differing, ended
from viz.retrieval import bundled_run as opening
from viz.retrieval.bundled_run import BUNDLED_RUN, default_retrieval_choices
from viz.retrieval.documents_and_questions import bundled_documents_and_questions

MOST_BYTES = 300_000

OF_THE_MACHINE = {"chunk_s", "decide_s", "embed_s", "ask_s", "search_s", "embedded", "cached"}
"""Fields of a stored run that vary between runs: times, and the use of the cache."""


@pytest.fixture(scope="module")
def shown():
    run, file = BUNDLED_RUN.loaded_run_and_file
    assert not ended(run).error
    return run, file


def test_it_is_of_the_first_screen_and_measured_at_budgets(shown):
    run, file = shown
    choices = default_retrieval_choices()
    chunkers = tuple(build_chunker(column.chunker, column.parameters) for column in choices.columns)
    plan = run.plan
    assert plan.chunkers == chunkers
    assert (plan.embedder, plan.sentences, plan.tokenizer) == (choices.embedder, choices.sentences, choices.tokenizer)
    assert (plan.material, plan.embedded_as) == (bundled_documents_and_questions(), "plain")
    assert [*run.evaluation_by_chunker] == [*run.ladders] == [0, 1, 2]
    assert len(run.questions.usable) == 40
    assert file.made.year >= 2026


def test_it_is_small_and_holds_no_text():
    data = BUNDLED_RUN.path.read_bytes()
    assert len(data) < MOST_BYTES
    assert words_of_the_texts(data.decode(), bundled_documents_and_questions().texts) == []


def words_of_the_texts(data, texts):
    """Return the long words of the texts that are in a file."""
    words = {word for _, text in texts for word in text.split() if len(word) > 11 and word.isalpha()}
    return [word for word in words if word in data]


def measured_chunks(run, number, embedder):
    documents = [Document.from_text(text, run.plan.sentences, name) for name, text in run.plan.material.texts]
    index = cut_and_index_corpus(Corpus(tuple(documents)), run.plan.chunkers[number], Tools(embedder, load_tokenizer()))
    return index.chunks


@pytest.mark.parametrize("number", [0, 1])
def test_the_chunkers_that_need_no_model_cut_as_they_did(shown, number):
    run, _ = shown
    assert measured_chunks(run, number, HashEmbedder()) == run.evaluation_by_chunker[number].searched_index.chunks


@pytest.mark.full
@pytest.mark.model
def test_the_one_that_embeds_cuts_as_it_did(shown):
    run, _ = shown
    assert measured_chunks(run, 2, load_embedder()) == run.evaluation_by_chunker[2].searched_index.chunks


@pytest.mark.full
@pytest.mark.model
def test_its_scores_are_those_of_today(tmp_path):
    path = tmp_path / "run.json"
    BUNDLED_RUN.measure_run_anew().write(path)
    before, today = json.loads(BUNDLED_RUN.path.read_text()), json.loads(path.read_text())
    assert today["plan"] == before["plan"]
    for number, (part, other) in enumerate(zip(before["parts"], today["parts"], strict=True)):
        assert not [place for place in differing(part, other) if place not in OF_THE_MACHINE], f"chunker {number}"


def test_what_differs_is_found():
    kept = json.loads(BUNDLED_RUN.path.read_text())["parts"][0]
    other = {
        **kept,
        "scores": [[[score if score is None else score + 1e-3 for score in row] for row in unit] for unit in kept["scores"]],
    }
    assert differing(kept, kept) == []
    assert {place.partition("[")[0] for place in differing(kept, other)} == {"scores"}
    assert differing({"a": [0.5, 1]}, {"a": [0.5 + 1e-9, 2]}) == ["a[1]"]


def opened_again(path=BUNDLED_RUN.path):
    return replace(BUNDLED_RUN, path=path).loaded_run_and_file


def test_other_documents_or_questions_do_not_fit(monkeypatch):
    material = bundled_documents_and_questions()
    (name, text), *others = material.texts
    for other in (
        replace(material, texts=((name, text + " "), *others)),
        replace(material, texts=(("renamed.txt", text), *others)),
        replace(material, texts=(*material.texts, ("more.txt", "More."))),
        replace(material, questions=(material.questions[0], material.questions[1] + b" ")),
    ):
        monkeypatch.setattr(opening, "bundled_documents_and_questions", lambda other=other: other)
        assert opened_again() == "The documents or the questions have changed since the run was measured."


def test_other_parameters_do_not_fit(tmp_path):
    content = json.loads(BUNDLED_RUN.path.read_text())
    content["plan"]["chunkers"][0]["parameters"].pop("overlap")
    path = tmp_path / "run.json"
    path.write_text(json.dumps(content))
    assert opened_again(path) == "The parameters of recursive have changed since the run was measured."


def test_what_cannot_be_read_of_it_is_said(tmp_path):
    content = json.loads(BUNDLED_RUN.path.read_text())
    content["parts"][1]["scores"] = []
    path = tmp_path / "run.json"
    path.write_text(json.dumps(content))
    run, _ = opened_again(path)
    assert ended(run).error == "The measures have changed since the run was measured."


def test_it_is_the_same_when_it_is_written_again(shown, tmp_path):
    run, file = shown
    path = tmp_path / "run.json"
    file.write(path)
    assert path.read_bytes() == BUNDLED_RUN.path.read_bytes()
    assert np.isfinite(run.evaluation_by_chunker[0].values("recall")).all()
