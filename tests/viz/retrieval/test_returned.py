"""The text embedded for a chunk and the text returned for it: chosen on the page, and applied by the run."""

import pytest

from chunkers import build_chunker, load_tokenizer
from evaluation.questions import TokenRuler
from evaluation.retrieval import Limit, MeasuredChunker
from evaluation.retrieval.retrieved_chunks_and_failures import given_chunks
from evaluation.search.text_returned_for_chunks import ReturnedText
from tests.chunkers.text.test_parts import pdf
from tests.support import HashEmbedder, ended
from tests.viz.retrieval.steps import components, opened, said
from viz.jobs.background_jobs import run_registry
from viz.jobs.retrieval import Retrieval, StoredRetrieval
from viz.jobs.retrieval_plan import Plan, RunMaterial
from viz.jobs.shared_resources import run_store
from viz.jobs.storage.stored_run import Keeper
from viz.retrieval import documents_and_questions as retrieval_material
from viz.retrieval.link_parameter_widgets import PARAMETER_OPTIONS
from viz.retrieval.question_details import ranked_passages

ASKED = b"question,excerpts\nWhich?,It floats at night.\n"

pytestmark = [pytest.mark.page, pytest.mark.usefixtures("patience")]


def test_what_is_embedded_is_chosen_on_the_page_and_in_the_link_and_takes_a_run_of_its_own(run):
    app = opened(run=run, embedded="heading_path")
    assert app.selectbox(key="retrieval_embedded").value == "heading_path"
    assert any("changed since: what is embedded." in text for text in said(app))
    app.selectbox(key="retrieval_embedded").set_value("plain").run()
    assert not any("changed since" in text for text in said(app))
    assert "embedded" not in app.query_params
    assert opened(embedded="title").selectbox(key="retrieval_embedded").value == "plain"
    ways = "plain, heading_path, context, late, plain:heading_path, plain:context, plain:late"
    assert f"The link's embedded must be one of {ways}; got 'title'. Using the default." in said(opened(embedded="title"))


def test_what_is_returned_is_chosen_on_the_page_and_in_the_link_and_takes_a_run_of_its_own(run):
    app = opened(run=run, returned="window:1")
    assert app.selectbox(key="retrieval_returned").value == "window:1"
    assert any("changed since: what is returned." in text for text in said(app))
    app.selectbox(key="retrieval_returned").set_value("chunk").run()
    assert not any("changed since" in text for text in said(app))
    assert "returned" not in app.query_params
    assert all(str(ReturnedText.parse(word)) == word for word in PARAMETER_OPTIONS["returned"])


def best_chunks(evaluation, question=0):
    """Return the top k chunks of a question."""
    ruler = TokenRuler(evaluation.searched_index.corpus.joined_document.text, load_tokenizer("words"))
    return given_chunks(MeasuredChunker(evaluation, None), Limit(top=evaluation.top_k), question, ruler)


def test_a_run_gives_what_its_plan_returns_and_tells_what_was_given_already():
    text = "# Lights\n\nIt shines at night. It burns at dusk.\n\n# Buoys\n\nIt floats at night."
    material = RunMaterial((("marks.md", text), ("plain.txt", "It rests.")), ("mine.csv", ASKED), own=True)
    chunkers = (build_chunker("fixed_words", {"size": 4, "overlap": 0}),)
    plan = Plan(material, chunkers, "hash", "paragraphs", "words", "plain", ReturnedText.parse("section"))
    run = Retrieval(plan, HashEmbedder(), False)
    run.start()
    assert not ended(run).error
    assert run.missing_passages_note == "plain.txt has no headings that are found: there a chunk returns itself."
    evaluation = run.evaluation_by_chunker[0]
    (answer,) = evaluation.scores_of_all_questions
    shown = ranked_passages(evaluation, answer, best_chunks(evaluation))
    sections = [passage["parts"] for passage in shown if passage["kind"] != "note"]
    words = sorted("".join(part for part, _ in parts) for parts in sections)
    assert words == ["# Buoys\n\nIt floats at night.", "# Lights\n\nIt shines at night. It burns at dusk.", "It rests."]
    notes = [passage["title"] for passage in shown if passage["kind"] == "note"]
    assert len(notes) == len(evaluation.searched_index.chunks) - 3
    assert all(note.endswith("marks.md · what it returns is above already") for note in notes)


@pytest.fixture
def levels():
    """A plan of chunks in two levels, by a recipe, and of others in one, whose parents are returned."""
    sentences = [f"The lamp of mark {number} shines {number + 3} miles." for number in range(30)]
    rows = "\n".join(f"How far shines {number}?,The lamp of mark {number} shines {number + 3} miles." for number in (3, 17))
    material = RunMaterial(
        (("marks.txt", " ".join(sentences)),), ("mine.csv", f"question,excerpts\n{rows}".encode()), own=False
    )
    two = build_chunker("recursive", {"size": 80, "unit": "characters", "parent_size": 300})
    chunkers = (two, build_chunker("fixed_sentences", {"size": 1}))
    return Plan(material, chunkers, "hash", "paragraphs", "words", "plain", ReturnedText.parse("parent"))


def test_a_run_that_returns_parents_is_the_same_after_a_restart(levels, cache_folder, restart):
    kept = StoredRetrieval.build_for_plan(Keeper(run_store(), "token", StoredRetrieval.kind), levels)
    run = Retrieval(levels, HashEmbedder(), False, kept)
    run.start()
    assert not ended(run).error
    index = run.evaluation_by_chunker[0].searched_index
    assert index.caveat == ""
    assert all(end - start <= 80 for ((start, end),) in index.chunks)
    assert max(end - start for ((start, end),) in index.returns) > 80
    assert (
        run.evaluation_by_chunker[1].searched_index.caveat
        == "The chunks have one level: without parents, each returns itself."
    )
    restart()
    found = StoredRetrieval.find(Keeper(run_store(), "token", StoredRetrieval.kind))
    again = Retrieval(found.rebuild_plan(levels.material), None, False, found)
    again.start()
    assert not ended(again).error
    assert again.plan.returned == ReturnedText.parse("parent")
    for number, evaluation in run.evaluation_by_chunker.items():
        other = again.evaluation_by_chunker[number]
        assert other.searched_index.returns == evaluation.searched_index.returns
        assert other.scores_of_all_questions == evaluation.scores_of_all_questions
        for question in range(2):
            shown, before = (
                ranked_passages(one, one.scores_of_question(question), best_chunks(one, question))
                for one in (other, evaluation)
            )
            assert shown == before


def test_the_page_shows_a_parent_once_and_says_which_chunks_have_none(levels):
    run = Retrieval(levels, HashEmbedder(), False)
    run.start()
    ended(run)
    app = opened(run=run_registry().keep(run), returned="parent", k="5")
    assert app.selectbox(key="retrieval_returned").value == "parent"
    notices = said(app)
    assert any("A chunk that is found comes with its parent; all of that is measured." in text for text in notices)
    assert any(text.endswith("The chunks have one level: without parents, each returns itself.") for text in notices)
    left, _ = components(app, "passages")
    titles = [passage["title"] for passage in left["passages"]]
    again = [title for title in titles if title.endswith("what it returns is above already")]
    first = [passage for passage in left["passages"] if passage["title"][0].isdigit() and passage["title"] not in again]
    assert len(first) + len(again) == 5
    text = dict(levels.material.texts)["marks.txt"]
    given = ["".join(part for part, _ in passage["parts"]) for passage in first]
    assert all(parent in text for parent in given)
    assert len(set(given)) == len(given)


def test_a_passage_says_its_page():
    given = retrieval_material.read_documents_and_messages(
        [("marks.pdf", pdf([["It shines at night."], ["It floats at night."]]))]
    )
    material = RunMaterial(tuple(given.texts), ("mine.csv", ASKED), True, tuple(given.parts))
    plan = Plan(material, (build_chunker("fixed_sentences", {"size": 1}),), "hash", "lines", "words")
    run = Retrieval(plan, HashEmbedder(), False)
    run.start()
    assert not ended(run).error
    evaluation = run.evaluation_by_chunker[0]
    (answer,) = evaluation.scores_of_all_questions
    titles = {
        passage["title"].split(" · ")[1]: passage["parts"][0][0]
        for passage in ranked_passages(evaluation, answer, best_chunks(evaluation))
    }
    assert titles == {"marks.pdf, p. 1": "It shines at night.", "marks.pdf, p. 2": "It floats at night"}


@pytest.mark.parametrize(
    ("embedded_as", "embedded"),
    [("plain", "It floats at night."), ("heading_path", "Lights > Buoys\n\nIt floats at night.")],
)
def test_a_run_embeds_what_its_plan_says_and_finds_the_chunks_of_the_text(embedded_as, embedded):
    text = "# Lights\n\nIt shines at night.\n\n## Buoys\n\nIt floats at night.\n"
    material = RunMaterial((("marks.md", text),), ("mine.csv", ASKED), own=True)
    chunkers = (build_chunker("fixed_sentences", {"size": 1}),)
    run = Retrieval(Plan(material, chunkers, "hash", "paragraphs", "words", embedded_as), HashEmbedder(), False)
    run.start()
    assert not ended(run).error
    index = run.evaluation_by_chunker[0].searched_index
    assert [text[start:end] for ((start, end),) in index.chunks][-1] == "It floats at night."
    assert index.texts[-1] == embedded
