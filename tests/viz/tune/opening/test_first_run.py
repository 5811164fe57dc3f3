"""The sweep that comes with Seamark is that of today's documents and settings, and holds no text."""

import json
from dataclasses import replace

import pytest

from chunkers import InputError, Tools, load_embedder, load_tokenizer
from evaluation.segmentation.settings_sweep import TRIVIAL_SETTINGS, SweptSetting, sweep_settings
from tests.support import differing
from tests.viz.retrieval.opening.test_first_run import words_of_the_texts
from viz.jobs.storage.stored_run import RunFile
from viz.tune import bundled_sweep as opening
from viz.tune.bundled_sweep import BUNDLED_RUN, default_choices
from viz.tune.sweep_inputs import default_sweep_documents, default_sweep_settings

MOST_BYTES = 100_000


@pytest.fixture(scope="module")
def shown():
    return BUNDLED_RUN.loaded_run_and_file


def test_it_is_of_the_first_screen_and_complete(shown):
    run, file = shown
    documents, choices = default_sweep_documents(), default_choices()
    assert run.settings == [*default_sweep_settings(), *TRIVIAL_SETTINGS]
    assert run.names == [document.name for document in documents.all]
    assert run.held_out_names == {document.name for document in documents.held_out} == {*choices.extra["held"].split(",")}
    assert [(row.document, row.setting) for row in run.rows] == [
        (name, setting) for name in run.names for setting in run.settings
    ]
    assert (run.stored_run.plan.embedder, run.stored_run.plan.tokenizer) == (choices.embedder, choices.tokenizer)
    assert file.made.year >= 2026
    assert not run.running


def test_it_is_small_and_holds_no_text():
    data = BUNDLED_RUN.path.read_bytes()
    assert len(data) < MOST_BYTES
    assert (
        words_of_the_texts(data.decode(), ((document.name, document.text) for document in default_sweep_documents().all))
        == []
    )


def test_what_looks_at_nothing_reaches_today_what_it_reached(shown):
    run, _ = shown
    rows = [
        *sweep_settings(
            [*default_sweep_documents().documents_split_into_sentences()],
            TRIVIAL_SETTINGS,
            Tools(None, load_tokenizer(run.tokenizer)),
        )
    ]
    assert rows == [row for row in run.rows if row.setting.is_trivial_baseline]


@pytest.mark.model
def test_a_chunker_reaches_today_what_it_reached(shown):
    run, _ = shown
    first = next(default_sweep_documents().documents_split_into_sentences())
    rows = [*sweep_settings([first], default_sweep_settings()[:3], Tools(load_embedder(), load_tokenizer(run.tokenizer)))]
    there = {row.setting: row for row in run.rows if row.document == first.document.name}
    assert rows == [there[row.setting] for row in rows]


@pytest.mark.full
@pytest.mark.model
def test_all_that_it_reached_is_reached_today(tmp_path):
    path = tmp_path / "run.json"
    BUNDLED_RUN.measure_run_anew().write(path)
    today, before = json.loads(path.read_text()), json.loads(BUNDLED_RUN.path.read_text())
    assert [place for place in differing(before, today) if place not in {"made", "seamark"}] == []


def opened_again(path=BUNDLED_RUN.path):
    return replace(BUNDLED_RUN, path=path).loaded_run_and_file


def test_other_documents_marks_or_places_do_not_fit(monkeypatch):
    documents = default_sweep_documents()
    (document, *others), (held, *rest) = documents.tuned, documents.held_out
    for other in (
        replace(documents, tuned=[replace(document, text=document.text + " "), *others]),
        replace(documents, tuned=[replace(document, known=document.known[1:]), *others]),
        replace(documents, tuned=[*others, document]),
        replace(documents, tuned=[*documents.tuned, held], held_out=rest),
    ):
        monkeypatch.setattr(opening, "default_sweep_documents", lambda other=other: other)
        assert "the parameters of the chunkers have changed since the run was measured" in opened_again()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda run: run["plan"].update(chunkers="others"), "the parameters of the chunkers have changed since the run"),
        (lambda run: run.update(vectors="others"), "a run must continue with the model that it began with"),
        (lambda run: run["parts"].pop(), "The measures have changed since the run was measured."),
        (lambda run: run.update(kind="retrieval"), "the file must contain a sweep run; it does not."),
    ],
)
def test_other_parameters_models_measures_or_kinds_do_not_fit(tmp_path, change, reason):
    content = json.loads(BUNDLED_RUN.path.read_text())
    change(content)
    path = tmp_path / "run.json"
    path.write_text(json.dumps(content))
    assert reason in opened_again(path)


def test_an_earlier_version_s_run_is_shown_with_its_day(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({**json.loads(BUNDLED_RUN.path.read_text()), "seamark": "0.0.9", "made": "2020-02-01"}))
    run, file = opened_again(path)
    assert (run.finished_part_count, file.seamark, f"{file.made}") == (run.part_count, "0.0.9", "2020-02-01")


def test_it_is_the_same_when_it_is_written_again(shown, tmp_path):
    run, file = shown
    path = tmp_path / "run.json"
    file.write(path)
    assert path.read_bytes() == BUNDLED_RUN.path.read_bytes()
    assert SweptSetting.from_chunker_and_parameters("breakpoint", amount=10) == run.settings[0]
    without_parts = {**json.loads(BUNDLED_RUN.path.read_text()), "parts": None}
    for foreign in ("{}", '{"kind": "sweep", "parts": null}', json.dumps(without_parts)):
        path.write_text(foreign)
        with pytest.raises(InputError, match=r"run\.json: the file must contain a run that Seamark wrote"):
            RunFile.read(path)
