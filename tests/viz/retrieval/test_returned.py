"""The text embedded for a chunk and the text returned for it: chosen on the page, and applied by the run."""

import pytest

from chunkers import build_chunker
from evaluation.retrieval.given import given_top_k
from evaluation.search.returned import Returned
from tests.chunkers.text.test_parts import pdf
from tests.support import HashEmbedder, ended
from tests.viz.retrieval.steps import opened, said
from viz.jobs.plan import Material, Plan
from viz.jobs.retrieval import Retrieval
from viz.retrieval import material as retrieval_material
from viz.retrieval.link_words import ALLOWED
from viz.retrieval.passages import ranked_passages

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
    assert f"The link's embedded must be one of {ways}; got 'title'." in said(opened(embedded="title"))


def test_what_is_returned_is_chosen_on_the_page_and_in_the_link_and_takes_a_run_of_its_own(run):
    app = opened(run=run, returned="window:1")
    assert app.selectbox(key="retrieval_returned").value == "window:1"
    assert any("changed since: what is returned." in text for text in said(app))
    app.selectbox(key="retrieval_returned").set_value("chunk").run()
    assert not any("changed since" in text for text in said(app))
    assert "returned" not in app.query_params
    assert all(str(Returned.parse(word)) == word for word in ALLOWED["returned"])


def test_a_run_gives_what_its_plan_returns_and_tells_what_was_given_already():
    text = "# Lights\n\nIt shines at night. It burns at dusk.\n\n# Buoys\n\nIt floats at night."
    material = Material((("marks.md", text), ("plain.txt", "It rests.")), ("mine.csv", ASKED), own=True)
    chunkers = (build_chunker("fixed_words", {"size": 4, "overlap": 0}),)
    plan = Plan(material, chunkers, "hash", "paragraphs", "words", "plain", Returned.parse("section"))
    run = Retrieval(plan, HashEmbedder(), False)
    run.start()
    assert not ended(run).error
    assert run.lacking == "plain.txt has no headings that are found: there a chunk returns itself."
    evaluation = run.found[0]
    (answer,) = evaluation.answers
    shown = ranked_passages(evaluation, answer, given_top_k(evaluation, 0))
    sections = [passage["parts"] for passage in shown if passage["kind"] != "note"]
    words = sorted("".join(part for part, _ in parts) for parts in sections)
    assert words == ["# Buoys\n\nIt floats at night.", "# Lights\n\nIt shines at night. It burns at dusk.", "It rests."]
    notes = [passage["title"] for passage in shown if passage["kind"] == "note"]
    assert len(notes) == len(evaluation.index.chunks) - 3
    assert all(note.endswith("marks.md · what it returns is above already") for note in notes)


def test_a_passage_says_its_page():
    given = retrieval_material.read_texts([("marks.pdf", pdf([["It shines at night."], ["It floats at night."]]))])
    material = Material(tuple(given.texts), ("mine.csv", ASKED), True, tuple(given.parts))
    plan = Plan(material, (build_chunker("fixed_sentences", {"size": 1}),), "hash", "lines", "words")
    run = Retrieval(plan, HashEmbedder(), False)
    run.start()
    assert not ended(run).error
    evaluation = run.found[0]
    (answer,) = evaluation.answers
    titles = {
        passage["title"].split(" · ")[1]: passage["parts"][0][0]
        for passage in ranked_passages(evaluation, answer, given_top_k(evaluation, 0))
    }
    assert titles == {"marks.pdf, p. 1": "It shines at night.", "marks.pdf, p. 2": "It floats at night"}


@pytest.mark.parametrize(
    ("embedded_as", "embedded"),
    [("plain", "It floats at night."), ("heading_path", "Lights > Buoys\n\nIt floats at night.")],
)
def test_a_run_embeds_what_its_plan_says_and_finds_the_chunks_of_the_text(embedded_as, embedded):
    text = "# Lights\n\nIt shines at night.\n\n## Buoys\n\nIt floats at night.\n"
    material = Material((("marks.md", text),), ("mine.csv", ASKED), own=True)
    chunkers = (build_chunker("fixed_sentences", {"size": 1}),)
    run = Retrieval(Plan(material, chunkers, "hash", "paragraphs", "words", embedded_as), HashEmbedder(), False)
    run.start()
    assert not ended(run).error
    index = run.found[0].index
    assert [text[start:end] for ((start, end),) in index.chunks][-1] == "It floats at night."
    assert index.texts[-1] == embedded
