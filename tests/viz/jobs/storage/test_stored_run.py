"""Sweeps and retrieval runs on disk: what is there, what is not, and what is computed again after a restart."""

import json
from dataclasses import replace

import pytest

from chunkers import Cancelled, InputError, build_chunker
from chunkers.storage.embedding_cache import EmbeddingCache
from chunkers.text.extracted_text import TextParts
from evaluation.retrieval.computed_reports import ReportChoice
from evaluation.segmentation import settings_sweep as sweeps
from evaluation.segmentation.settings_sweep import settings_grid
from evaluation.segmentation.texts_with_known_boundaries import MarkedText
from sample_docs import load_sample
from tests.support import HashEmbedder, ended
from viz.jobs import retrieval as retrievals
from viz.jobs import shared_resources
from viz.jobs.retrieval import Retrieval, StoredRetrieval
from viz.jobs.retrieval_plan import Plan, RunMaterial
from viz.jobs.storage.run_store import RunStore
from viz.jobs.storage.stored_run import Keeper
from viz.jobs.sweep import StoredSweep, Sweep

TOKEN = "the token of a link"
STUBS = load_sample("stubs")
BUNDLED = MarkedText("stubs", STUBS.text, STUBS.known)
OWN = MarkedText("my secret diary.txt", "Dear diary.\nI went out.\nIt rained.\nI came home.\n", (24,))
SETTINGS = [*settings_grid("fixed_sentences", size=(2, 3, 4)), *settings_grid("breakpoint", amount=(50.5, 90))]
TEXTS = (("diary.txt", "Dear diary.\nI went out.\nIt rained.\n"), ("list.txt", "Bread is eaten.\nMilk is drunk.\n"))
ASKED = ("asked.csv", b"question,excerpts\nWhat is eaten?,Bread is eaten.\nWhat of the weather?,It rained.\n")
MATERIAL = RunMaterial(TEXTS, ASKED, own=True)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    cache = EmbeddingCache(tmp_path / "embeddings.sqlite")
    monkeypatch.setattr(shared_resources, "embedding_cache", lambda on_disk: cache if on_disk else EmbeddingCache())
    return tmp_path


def keeper(folder, kind):
    return Keeper(RunStore(folder / "runs.sqlite"), TOKEN, kind)


def stored_sweep(place):
    return Sweep.from_disk(StoredSweep.find(place))


def new_sweep(folder, settings=SETTINGS):
    held = frozenset({OWN.name})
    kept = StoredSweep.build_for_settings(
        keeper(folder, "sweep"), [(BUNDLED, STUBS.sentences), (OWN, "lines")], held, settings, "hash", "words"
    )
    documents = [BUNDLED.split_to_marked_document(STUBS.sentences), OWN.split_to_marked_document("lines")]
    return Sweep([BUNDLED.name, OWN.name], lambda: documents, settings, HashEmbedder(), "words", True, held, stored_run=kept)


def done(job):
    job.start()
    assert not ended(job).error
    return job


@pytest.fixture
def interrupted(folder, monkeypatch):
    """The bench on which a sweep was killed after four of ten runs; gives the runs that are computed later."""
    row, computed = sweeps._sweep_row, []

    def counted(marked, setting, *others):
        if job.cancelled() or len(computed) == 4:
            job.cancel()
            raise Cancelled
        computed.append((marked.document.name, setting))
        return row(marked, setting, *others)

    monkeypatch.setattr(sweeps, "_sweep_row", counted)
    job = new_sweep(folder)
    job.start()
    ended(job)
    assert len(job.rows) == 4
    computed.clear()

    def counted_again(marked, setting, *others):
        computed.append((marked.document.name, setting))
        return row(marked, setting, *others)

    monkeypatch.setattr(sweeps, "_sweep_row", counted_again)
    return computed


def test_a_sweep_shows_what_was_done_and_runs_the_rest(folder, interrupted):
    shown = stored_sweep(keeper(folder, "sweep"))
    assert (len(shown.rows), shown.part_count, shown.stopped_early, shown.are_document_names_known) == (4, 10, True, False)
    assert shown.names == ["stubs", "own document 2"]
    assert shown.held_out_names == {"own document 2"}
    assert list(shown.settings) == SETTINGS
    assert shown.stored_run.find_sweep_documents([]) == [BUNDLED, None]
    assert shown.stored_run.find_sweep_documents([OWN]) == [BUNDLED, OWN]
    resumed = done(shown.resumed_copy([BUNDLED, OWN], HashEmbedder()))
    whole = done(new_sweep(folder))
    assert sorted(map(str, resumed.rows)) == sorted(map(str, whole.rows))
    assert (resumed.held_out_names, resumed.stopped_early) == (whole.held_out_names, False)
    assert interrupted[:6] == [("stubs", SETTINGS[4]), *((OWN.name, setting) for setting in SETTINGS)]
    finished = stored_sweep(keeper(folder, "sweep"))
    assert (len(finished.rows), finished.stopped_early) == (10, False)


@pytest.mark.parametrize(
    "other",
    [
        MarkedText("another name.txt", OWN.text, OWN.known),
        MarkedText(OWN.name, OWN.text + " ", OWN.known),
        MarkedText(OWN.name, OWN.text, (12,)),
    ],
)
def test_only_the_same_document_is_recognised(folder, interrupted, other):
    kept = stored_sweep(keeper(folder, "sweep")).stored_run
    assert kept.find_sweep_documents([other]) == [BUNDLED, None]


def test_a_sweep_does_not_go_on_with_another_model(folder, interrupted):
    embedder = HashEmbedder()
    embedder.revision = "2"
    resumed = stored_sweep(keeper(folder, "sweep")).resumed_copy([BUNDLED, OWN], embedder)
    resumed.start()
    assert ended(resumed).error.startswith("hash: a run must continue with the model that it began with")
    assert not interrupted
    assert len(resumed.rows) == 4


@pytest.mark.parametrize(
    "plan",
    [b"", b"{}", b"[]", b'{"documents": []}', b"\xff", b'{"documents": 5, "grid": [], "embedder": "", "tokenizer": ""}'],
)
def test_a_plan_of_something_else_is_a_sentence(folder, plan):
    for kind, find in (("sweep", StoredSweep.find), ("retrieval", StoredRetrieval.find)):
        place = Keeper(RunStore(folder / "runs.sqlite"), f"token of a {kind}", kind)
        place.begin(plan)
        with pytest.raises(InputError, match="must be in the format that Seamark writes"):
            find(place)


def test_a_setting_that_is_not_allowed_is_a_sentence(folder):
    place = keeper(folder, "sweep")
    plan = new_sweep(folder).stored_run.plan.model_dump_json().replace('["size",2]', '["size",1000000000]')
    place.begin(plan.encode())
    with pytest.raises(InputError, match="size must be"):
        stored_sweep(keeper(folder, "sweep"))


@pytest.mark.parametrize(
    ("number", "part"), [(-1, None), (10, None), (9, b"{}"), (9, b"torn"), (9, b'{"chunks": 1, "scores": {}}')]
)
def test_a_row_of_something_else_is_not_run(folder, interrupted, number, part):
    place = keeper(folder, "sweep")
    place.add_part(number, part or place.parts()[0])
    assert len(stored_sweep(place).rows) == 4


def new_run(folder, material=MATERIAL):
    chunkers = tuple(build_chunker("fixed_sentences", {"size": size}) for size in (2, 3, 4))
    plan = Plan(material, chunkers, "hash", "lines", "words")
    return Retrieval(plan, HashEmbedder(), True, StoredRetrieval.build_for_plan(keeper(folder, "retrieval"), plan))


@pytest.fixture
def indexed(monkeypatch):
    """The sizes of the chunkers whose chunks were indexed; the last is not, as the run is killed there."""
    build, sizes = retrievals.cut_and_index_corpus, []

    def counted(corpus, chunker, *others):
        if len(sizes) == 2:
            raise Cancelled
        sizes.append(chunker.size)
        return build(corpus, chunker, *others)

    monkeypatch.setattr(retrievals, "cut_and_index_corpus", counted)
    return sizes


def report(run):
    figures = {}
    for budget in (0, run.budgets_by_unit["tokens"][-1]):
        told = ended(run.report_job(ReportChoice("recall", "tokens", 2, 0, budget))).report_and_failures.report
        assert (told.curve is None) == (not budget)
        figures |= {
            (number, budget): (
                chunker.means,
                chunker.costs.tokens,
                chunker.chunk_tokens,
                told.chunks_retrieved_for_question(number, 0),
            )
            for number, chunker in told.chunkers.items()
        }
    return figures


def test_a_retrieval_run_shows_what_was_done_and_measures_the_rest(folder, indexed):
    first = done(new_run(folder))
    assert (sorted(first.evaluation_by_chunker), first.stopped_early) == ([0, 1], True)
    kept = StoredRetrieval.find(keeper(folder, "retrieval"))
    assert (kept.plan.own, kept.finished_part_count) == (True, 2)
    # In another order, as files are uploaded.
    plan = kept.rebuild_plan(RunMaterial(TEXTS[::-1], ASKED, own=True))
    assert plan == first.plan
    indexed.clear()
    shown = done(Retrieval(plan, None, True, kept))
    assert not indexed
    assert report(shown) == report(first)
    assert shown.evaluation_by_chunker[1].scores_of_all_questions == first.evaluation_by_chunker[1].scores_of_all_questions
    resumed = done(Retrieval(plan, HashEmbedder(), True, kept))
    assert indexed == [4]
    assert (sorted(resumed.evaluation_by_chunker), resumed.stopped_early) == ([0, 1, 2], False)
    assert {key: figures for key, figures in report(resumed).items() if key[0] < 2} == report(first)


def test_a_run_that_an_earlier_version_kept_has_its_top_k(folder):
    run = done(new_run(folder))
    kept = run.stored_run.keeper.parts()
    for number, part in kept.items():
        before = {name: value for name, value in json.loads(part).items() if name != "ladder"}
        run.stored_run.keeper.add_part(number, json.dumps(before).encode())
    again = done(Retrieval(run.plan, None, True, run.stored_run))
    assert sorted(again.evaluation_by_chunker) == [0, 1, 2]
    assert (run.all_measured_at_budgets, again.all_measured_at_budgets) == (True, False)
    told = ended(again.report_job(ReportChoice("recall", "tokens", 2, 0, 500))).report_and_failures
    assert (told.report.choice.budget, told.report.curve) == (0, None)
    assert sorted(told.failures) == [0, 1, 2]


def test_pages_come_back_with_the_documents(folder):
    run = new_run(folder)
    run.stored_run.begin()
    pages = ((TEXTS[0][0], TextParts("page", (0,), ("iv",))), ("more.txt", TextParts("page", (0,), ("1",))))
    given = RunMaterial((*TEXTS, ("more.txt", "More.")), ASKED, True, pages)
    assert StoredRetrieval.find(keeper(folder, "retrieval")).rebuild_plan(given).material.parts == pages[:1]


def test_what_is_embedded_is_kept_and_a_run_of_before_is_plain(folder):
    run = new_run(folder)
    plan = replace(run.plan, embedded_as="heading_path")
    StoredRetrieval.build_for_plan(keeper(folder, "retrieval"), plan).begin()
    assert StoredRetrieval.find(keeper(folder, "retrieval")).rebuild_plan(MATERIAL) == plan
    before = run.stored_run.plan.model_dump()
    del before["embedded_as"]
    assert type(run.stored_run.plan).model_validate(before) == run.stored_run.plan
    assert run.plan.differing_setting_names(plan) == ["what is embedded"]


@pytest.mark.parametrize(
    ("texts", "asked", "missing"),
    [
        (TEXTS, ASKED, ""),
        ((*TEXTS, ("more.txt", "More.")), ASKED, ""),
        (TEXTS[:1], ASKED, "1 of 2 documents"),
        ((TEXTS[0], ("list.txt", "Other.")), (ASKED[0], ASKED[1] + b"\n"), "1 of 2 documents and the questions"),
        ((TEXTS[0], ("other.txt", TEXTS[1][1])), ASKED, "1 of 2 documents"),
        (None, None, "2 of 2 documents and the questions"),
    ],
)
def test_what_is_missing_is_said(folder, texts, asked, missing):
    run = new_run(folder)
    run.stored_run.begin()
    kept = StoredRetrieval.find(keeper(folder, "retrieval"))
    assert kept.missing_documents_and_questions_phrase(RunMaterial(texts, asked, own=True) if texts else None) == missing


def test_a_chunker_that_failed_is_tried_again(folder, monkeypatch):
    build = retrievals.cut_and_index_corpus

    def failing(corpus, chunker, *others):
        raise InputError("The server did not answer.")

    monkeypatch.setattr(retrievals, "cut_and_index_corpus", failing)
    run = done(new_run(folder))
    assert (len(run.errors), run.stopped_early) == (3, False)
    monkeypatch.setattr(retrievals, "cut_and_index_corpus", build)
    again = done(Retrieval(run.plan, HashEmbedder(), True, run.stored_run))
    assert (len(again.evaluation_by_chunker), again.errors) == (3, {})


@pytest.mark.parametrize("part", [b"torn", b"{}", b"x" * 100])
def test_an_evaluation_of_something_else_is_measured_again(folder, part):
    run = done(new_run(folder))
    run.stored_run.keeper.add_part(1, part)
    run.stored_run.keeper.add_part(7, run.stored_run.keeper.parts()[0])
    assert sorted(done(Retrieval(run.plan, None, True, run.stored_run)).evaluation_by_chunker) == [0, 2]


def test_no_text_no_name_no_link_and_no_key_is_in_the_files(folder):
    class Server(HashEmbedder):
        _key = "sk-a-key-of-a-server"

    sweep = new_sweep(folder)
    sweep.embedder = Server()
    done(sweep)
    done(new_run(folder))
    names = [path.name for path in folder.iterdir()]
    assert sorted(names) == ["embeddings.sqlite", "runs.sqlite"]
    content = b"".join(path.read_bytes() for path in folder.iterdir()).lower()
    words = ["diary", "rained", "bread", "eaten", "asked.csv", "list.txt", "the weather", TOKEN, "sk-a-key"]
    words += STUBS.text.lower().split()[:1]
    assert [word for word in words if word.lower().encode() in content] == []
    # What stands in it is what the page says.
    plan = json.loads(sweep.stored_run.keeper.stored_plan_json())
    assert set(plan) == {"documents", "grid", "embedder", "tokenizer", "language_model", "chunkers"}
    assert [set(document) for document in plan["documents"]] == [{"digest", "sample", "splitter", "held"}] * 2
