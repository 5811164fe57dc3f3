"""The Compare page without a browser: widgets, link, payload."""

import json
import threading

import pytest

from chunkers import load_tokenizer
from sample_docs import load_sample
from tests.support import LIMIT
from tests.viz.app_steps import box_of, choose_document, sent, settled, widget
from viz.compare import first_screen_preparation
from viz.compare.choices_and_session.choices import default_choices
from viz.jobs import shared_resources
from viz.jobs.chunking import ChunkingJob
from viz.shell import column_runs_and_results
from viz.state.shown_text import TextWithDetails


def reader_of(app):
    data = sent(app, "columns")
    for column in data["columns"]:
        column |= json.loads(column["body"] or '{"segments": null, "curve": null}')
    return data


def test_first_screen_does_not_wait_for_the_model(app):
    app.run()
    assert not app.exception
    columns = reader_of(app)["columns"]
    assert [column["title"] for column in columns] == ["Fixed sentences", "Breakpoint", "Double pass"]
    assert columns[0]["segments"] is not None


def test_the_page_waits_for_the_work_on_its_text_before_it_draws_the_columns(app, monkeypatch):
    waited = []
    monkeypatch.setattr(first_screen_preparation, "wait_for_first_screen", waited.append)
    app.run()
    assert [document.text for document in waited] == [load_sample(default_choices().document).text]


def test_a_column_that_is_done_is_shown_while_the_next_is_computed(app, monkeypatch):
    class Halting(ChunkingJob):
        """Computes its first column while the page that starts it is drawn, and no other."""

        def start(self):
            self.one_done = threading.Event()
            super().start()
            assert self.one_done.wait(LIMIT)

        def _do_work(self):
            rest, self.tasks = self.tasks[1:], self.tasks[:1]
            super()._do_work()
            self.tasks = [*self.tasks, *rest]
            self.one_done.set()
            assert self._cancel.wait(LIMIT)

    monkeypatch.setattr(column_runs_and_results, "ChunkingJob", Halting)
    # Another test may have embedded what the third column needs.
    shared_resources.embedding_cache.cache_clear()
    app.query_params["embedder"] = "tfidf"
    # Without new texts to embed, the third would need no job once the second is done.
    app.query_params["c1"], app.query_params["c2"], app.query_params["c3"] = "fixed_sentences", "breakpoint", "double_pass"
    app.query_params["c3.vector"] = "re-embed"
    app.run()
    assert app.session_state["chunking_job"].running
    columns = reader_of(app)["columns"]
    assert [column["segments"] is not None for column in columns] == [True, True, False]
    assert columns[2]["message"] == "Embedding …"


def test_moving_a_threshold_embeds_nothing(app):
    settled(app).run()
    assert all(column["segments"] for column in reader_of(app)["columns"])
    cuts = len(reader_of(app)["columns"][1]["segments"]["start"])
    app.slider(key="1/breakpoint/amount/None").set_value(40.0).run()
    column = reader_of(app)["columns"][1]
    rows = {label: value for label, value, _ in column["rows"]}
    assert rows["embedding"].startswith("all 16 cached")
    assert len(column["segments"]["start"]) > cuts
    assert "added" in rows["changed"]
    assert app.query_params["c2.amount"] == "40"


def test_a_result_that_is_shown_no_more_is_let_go(app):
    settled(app)
    box_of(app).input("A gull calls.\nAnother answers.\nThe tide turns at noon.\nThe boats go out.").run()
    settled(app).run()
    assert len(app.session_state["chunking_job"].results) == 2
    app.slider(key="1/breakpoint/amount/None").set_value(40.0).run()
    assert len(app.session_state["chunking_by_task"]) == 3
    assert app.session_state["chunking_job"].results.keys() < app.session_state["chunking_by_task"].keys()


@pytest.mark.parametrize(
    ("chunker", "known"),
    [("breakpoint", {"score", "threshold"}), ("fixed_sentences", set()), ("recursive", set())],
)
def test_the_table_of_gaps_has_no_column_without_a_value(app, chunker, known):
    app.query_params.update({"embedder": "tfidf", "tokenizer": "words", "c1": chunker, "selected": "1"})
    settled(app)
    app.segmented_control(key="below").set_value("Every gap").run()
    (table,) = app.dataframe
    assert {*table.value.columns} == {"after sentence", "verdict", "reason", "sentence"} | known


def test_a_result_without_chunks_is_a_result(app):
    settled(app)
    box_of(app).input(" \n\n ").run()
    settled(app).run()
    assert not app.exception
    before = dict(app.session_state["chunking_by_task"])
    assert [len(result) for result in before.values()] == [0, 0, 0]
    app.run()
    assert all(app.session_state["chunking_by_task"][task] is result for task, result in before.items())
    assert [column["segments"]["start"] for column in reader_of(app)["columns"]] == [[], [], []]


def test_a_line_that_was_let_go_sets_the_parameter(app):
    settled(app)
    app.session_state["reader"] = {"line": {"column": 1, "parameter": "amount", "value": 55.5, "at": 1}}
    app.run()
    assert widget(app.slider, "1/breakpoint/amount/None").value == 55.5


def test_a_line_of_the_previous_chunker_changes_nothing(app):
    settled(app)
    app.selectbox(key="chunker/1").set_value("structure")
    app.session_state["reader"] = {"line": {"column": 1, "parameter": "amount", "value": 55.5, "at": 1}}
    app.run()
    assert app.session_state["choices"]["compare"].columns[1].parameters == {}


def test_a_parameter_that_is_not_allowed_gets_a_sentence_and_the_others_stay(app):
    settled(app)
    app.session_state["choices"]["compare"].columns[0].parameters = {"overlap": 9}
    app.run()
    columns = reader_of(app)["columns"]
    assert "overlap must be less than size" in columns[0]["message"]
    assert columns[1]["segments"] is not None


def test_a_link_to_too_much_overlap_gets_a_sentence_and_the_others_stay(app):
    for name, value in {
        "c1": "fixed_characters",
        "c1.size": "50000",
        "c1.overlap": "49999",
        "c2": "fixed_sentences",
    }.items():
        app.query_params[name] = value
    app.query_params["document"] = "essay"
    app.run()
    assert not app.exception
    columns = reader_of(app)["columns"]
    assert "all chunks together may have at most 200,000,000 characters" in columns[0]["message"]
    assert columns[1]["segments"] is not None


def test_adding_and_removing_columns_up_to_six(app):
    settled(app)
    add = next(button for button in app.button if button.label == "Add")
    for _ in range(3):
        add = next(button for button in app.button if button.label == "Add")
        add.click().run()
    assert len(reader_of(app)["columns"]) == 6
    # None of them is a second of its kind.
    chunkers = [column.chunker for column in app.session_state["choices"]["compare"].columns]
    assert chunkers == ["fixed_sentences", "breakpoint", "double_pass", "recursive", "structure", "optimal"]
    assert next(button for button in app.button if button.label == "Add").disabled
    next(button for button in app.button if button.label == "Remove").click().run()
    assert len(reader_of(app)["columns"]) == 5


def test_presets_set_their_parameters(app):
    settled(app)
    app.selectbox(key="preset/1/breakpoint").select("LangChain's default").run()
    choice = app.session_state["choices"]["compare"].columns[1]
    assert choice.parameters == {"threshold": "percentile", "amount": 95, "buffer": 1}


def test_known_boundaries_are_counted(app):
    settled(app).run()
    columns = reader_of(app)["columns"]
    rows = {label: value for label, value, _ in columns[0]["rows"]}
    assert rows["against known"] == "2 missed, 2 added"
    assert reader_of(app)["known"] == list(load_sample("stubs").known)


def test_own_text_survives_a_look_at_a_sample(app):
    settled(app)
    box_of(app).input("One. Two. Three.").run()
    assert app.session_state["own"] == TextWithDetails("One. Two. Three.", "Pasted text")
    choose_document(app, "stubs")
    choose_document(app, "own")
    assert box_of(app).value == "One. Two. Three."


@pytest.mark.parametrize("parts", [1, 2, 3])
def test_known_boundaries_are_counted_in_right_number(app, parts):
    app.query_params["embedder"] = "tfidf"
    app.run()
    box_of(app).set_value("\n---\n".join(f"Part {number} is here. It ends." for number in range(parts + 1))).run()
    summary = sent(app, "columns")["summary"]
    assert f"{parts} known boundar{'y' if parts == 1 else 'ies'}" in summary.split(" · ")


def test_chunk_sizes_are_shown_in_tokens_too(app):
    app.query_params.update({"document": "stubs", "embedder": "tfidf", "c1": "fixed_sentences", "c2": "recursive"})
    settled(app)
    app.button_group(key="below").set_value("Chunk sizes").run()
    app.button_group(key="size_unit").set_value("tokens").run()
    assert not app.exception
    table = app.dataframe[-1].value
    (task, first), *_ = app.session_state["chunking_by_task"].items()
    counts = load_tokenizer(task.tokenizer).count([chunk.text for chunk in first.chunks])
    assert table["tokens"].tolist()[: len(counts)] == counts


def test_chunks_that_the_embedder_does_not_read_whole_are_said_with_its_limit(app):
    app.query_params.update({"document": "essay", "embedder": "all-MiniLM-L6-v2", "c1": "fixed_sentences", "c1.size": "20"})
    settled(app)
    details = {brief: more for brief, _, more in reader_of(app)["columns"][0]["brief"]}
    (too_long,) = [brief for brief in details if "beyond 256 tokens" in brief]
    assert "longer than the 256 tokens that all-MiniLM-L6-v2 reads" in details[too_long]
