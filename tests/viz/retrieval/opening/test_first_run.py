"""The run that comes with Seamark is that of today's documents, questions and chunkers, and holds no text."""

import numpy as np
import pytest

from chunkers import Document, InputError, Tools, build_chunker, load_embedder, load_tokenizer
from evaluation.questions.corpus import Corpus
from evaluation.search.index import build_index
from tests.support import HashEmbedder, differing, ended
from viz.jobs.plan import Material
from viz.retrieval.bundled_run import BundledRun
from viz.retrieval.first_run import FILE, first_run, first_screen, measured_again
from viz.retrieval.material import bundled

MOST_BYTES = 300_000

OF_THE_MACHINE = {"chunk_s", "decide_s", "embed_s", "ask_s", "search_s", "embedded", "cached"}
"""Fields of a stored run that vary between runs: times, and the use of the cache."""


@pytest.fixture(scope="module")
def shown():
    run, kept = first_run()
    assert not ended(run).error
    return run, kept


def test_it_is_of_the_first_screen_and_measured_at_budgets(shown):
    run, kept = shown
    choices = first_screen()
    chunkers = tuple(build_chunker(one.chunker, one.parameters) for one in choices.columns)
    plan = run.plan
    assert plan.chunkers == chunkers
    assert (plan.embedder, plan.sentences, plan.tokenizer) == (choices.embedder, choices.sentences, choices.tokenizer)
    assert (plan.material, plan.embedded_as) == (bundled(), "plain")
    assert [*run.found] == [*run.ladders] == [0, 1, 2]
    assert len(run.questions.usable) == 40
    assert kept.made.year >= 2026


def test_it_is_small_and_holds_no_text():
    data = FILE.read_bytes()
    assert len(data) < MOST_BYTES
    assert words_of_the_texts(data.decode(), bundled().texts) == []


def words_of_the_texts(data, texts):
    """Return the long words of the texts that are in a file."""
    words = {word for _, one in texts for word in one.split() if len(word) > 11 and word.isalpha()}
    return [word for word in words if word in data]


def measured_chunks(run, number, embedder):
    documents = [Document.from_text(text, run.plan.sentences, name) for name, text in run.plan.material.texts]
    index = build_index(Corpus(tuple(documents)), run.plan.chunkers[number], Tools(embedder, load_tokenizer()))
    return index.chunks


@pytest.mark.parametrize("number", [0, 1])
def test_the_chunkers_that_need_no_model_cut_as_they_did(shown, number):
    run, _ = shown
    assert measured_chunks(run, number, HashEmbedder()) == run.found[number].index.chunks


@pytest.mark.model
def test_the_one_that_embeds_cuts_as_it_did(shown):
    run, _ = shown
    assert measured_chunks(run, 2, load_embedder()) == run.found[2].index.chunks


@pytest.mark.full
@pytest.mark.model
def test_its_scores_are_those_of_today():
    kept, today = BundledRun.read(FILE), measured_again()
    assert today.model_dump(exclude={"made", "seamark", "found"}) == kept.model_dump(exclude={"made", "seamark", "found"})
    for number, (one, other) in enumerate(zip(kept.found, today.found, strict=True)):
        assert not [place for place in differing(one, other) if place not in OF_THE_MACHINE], f"chunker {number}"


def test_what_differs_is_found():
    kept = BundledRun.read(FILE).found[0]
    other = {
        **kept,
        "scores": [[[one if one is None else one + 1e-3 for one in row] for row in unit] for unit in kept["scores"]],
    }
    assert differing(kept, kept) == []
    assert {place.partition("[")[0] for place in differing(kept, other)} == {"scores"}
    assert differing({"a": [0.5, 1]}, {"a": [0.5 + 1e-9, 2]}) == ["a[1]"]


def test_other_documents_questions_or_parameters_do_not_fit():
    kept, material = BundledRun.read(FILE), bundled()
    assert kept.plan(material).material is material
    name, asked = material.questions
    others = [
        Material(((material.texts[0][0], material.texts[0][1] + " "), *material.texts[1:]), material.questions, own=False),
        Material((("renamed.txt", material.texts[0][1]), *material.texts[1:]), material.questions, own=False),
        Material(material.texts, (name, asked + b" "), own=False),
    ]
    for other in others:
        with pytest.raises(InputError, match="have changed since the run was measured"):
            kept.plan(other)
    before = dict(kept.chunkers[0][1])
    before.pop("overlap")
    changed = kept.model_copy(update={"chunkers": ((kept.chunkers[0][0], before), *kept.chunkers[1:])})
    with pytest.raises(InputError, match="The parameters of recursive have changed"):
        changed.plan(material)


def test_it_is_the_same_when_it_is_written_again(shown, tmp_path):
    run, kept = shown
    again = BundledRun.of(run.plan, run.found, run.ladders, kept.made, kept.seamark)
    path = tmp_path / "run.json"
    path.write_text(again.model_dump_json())
    assert BundledRun.read(path).found == kept.found
    assert np.isfinite(run.found[0].values("recall")).all()
    path.write_text("{}")
    with pytest.raises(InputError, match=r"run\.json: the file must hold a run that Seamark wrote"):
        BundledRun.read(path)
