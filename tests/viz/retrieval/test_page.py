"""The Retrieval page: measures on demand, compares, remembers its runs, and shows every question's chunks as text."""

import json
import threading

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from chunkers import build_chunker
from evaluation.retrieval import bootstrap
from evaluation.retrieval.given import given_top_k
from evaluation.retrieval.measures import MEASURES, Evaluation
from evaluation.retrieval.report import Choice, Reports, disagreements
from evaluation.retrieval.returned import Returned
from sample_docs import load_sample, sample_titles
from tests import ROOT
from tests.chunkers.text.test_parts import pdf
from tests.support import LIMIT, HashEmbedder, ended
from viz.jobs import retrieval as retrieval_job
from viz.jobs.background import registry
from viz.jobs.plan import Material, Plan
from viz.jobs.retrieval import Retrieval
from viz.retrieval import material as retrieval_material
from viz.retrieval.link_words import ALLOWED, DEFAULT_WORDS, TITLES, mended, place, rung
from viz.retrieval.material import bundled
from viz.retrieval.opening import first_run as opening
from viz.retrieval.opening.first_run import first_run
from viz.retrieval.passages import ranked_passages
from viz.state.text import Source

ASKED = b"question,excerpts\nWhich?,It floats at night.\n"


@pytest.fixture(scope="module", autouse=True)
def patience():
    """Reports are waited for, however busy the machine is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(retrieval_job, "PATIENCE_S", LIMIT)
        yield


def opened(**words):
    """Open the page at the top k and the first question, unless the words say otherwise."""
    app = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    words = {"embedder": "tfidf", "c1": "fixed_sentences", "c2": "recursive", "at": "k", "question": "1", **words}
    for name, word in words.items():
        app.query_params[name] = word
    app.switch_page("pages/retrieval.py")
    return app.run()


def word(app, name):
    return app.session_state["choices/retrieval"].extra[name]


def run_of(app):
    return registry().find(word(app, "run"), Retrieval)


def told(run, choice):
    """Return the report that the page shows."""
    return ended(run.report(choice)).made.report


def evaluations(run, top_k):
    """Return what every question found, by number of the chunker, measured over the first ``top_k`` chunks."""
    return {number: one.evaluation for number, one in told(run, Choice("recall", "characters", top_k, 0)).chunkers.items()}


@pytest.fixture(scope="module")
def run():
    """A run that has ended, as another session left it."""
    app = opened()
    button(app, "Run").click().run()
    return registry().keep(ended(run_of(app)))


@pytest.fixture
def measured(run):
    return opened(run=run)


def button(app, label):
    return next(one for one in app.button if one.label == label)


def components(app, name):
    payloads = [json.loads(one.proto.json) for one in app.get("bidi_component") if name in one.proto.component_name]
    return [payload for payload in payloads if payload]


def said(app):
    return [one["text"] for one in components(app, "notice")]


def summary(app):
    return {label: (value, detail) for label, value, detail in components(app, "summary")[0]}


def test_before_a_run_it_shows_the_one_that_comes_with_seamark_and_says_so():
    shown, kept = first_run()
    ended(shown)
    app = opened()
    assert not app.exception
    assert app.title[0].value == "Retrieval"
    (sentence,) = (text for text in said(app) if text.startswith("This result comes with Seamark"))
    assert f"version {kept.seamark} measured it on {kept.made.day} {kept.made:%B %Y}" in sentence
    assert "“Run” measures the chunkers on the left" in sentence
    assert any(text.startswith("2 chunkers on ") for text in said(app))
    assert app.dataframe[0].value["chunker"].tolist() == shown.plan.titles
    # It is of other chunkers than those of the page.
    assert any("changed since: chunkers, embedder" in text for text in said(app))
    assert "run" not in app.query_params
    app.segmented_control(key="retrieval_material").set_value("Your own").run()
    assert not any("comes with Seamark" in text for text in said(app))
    assert any("press “Run”" in text for text in said(app))


def test_a_run_that_comes_with_seamark_and_does_not_fit_is_not_shown(monkeypatch):
    for broken in ("run", "fit"):
        first_run.cache_clear()
        if broken == "run":
            monkeypatch.setattr(opening, "FILE", ROOT / "README.md")
        else:
            monkeypatch.undo()
            changed = bundled()
            changed = Material((("a.txt", "Other."), *changed.texts[1:]), changed.questions, own=False)
            monkeypatch.setattr(opening, "bundled", lambda changed=changed: changed)
        app = opened()
        first_run.cache_clear()
        (sentence,) = (text for text in said(app) if text.startswith("There is no result to begin with: "))
        assert sentence.endswith("“Run” to measure.")
        assert not app.dataframe


def test_it_opens_with_the_question_on_which_the_chunkers_differ_most(run):
    app = opened(run=run, question="", failed="1")
    found = evaluations(run_of(app), 5)
    values = {number: one.values("recall") for number, one in found.items()}
    apart = np.abs(values[0] - values[1])
    assert app.selectbox(key="retrieval_question").value == str(int(np.nanargmax(apart)) + 1)
    assert {app.selectbox(key=f"retrieval_{side}").value for side in ("left", "right")} == {"1", "2"}
    assert "question" not in app.query_params
    app.selectbox(key="retrieval_right").set_value("1").run()
    # What is chosen beside it is kept with it.
    assert app.query_params["question"] == str(int(np.nanargmax(apart)) + 1)
    assert app.selectbox(key="retrieval_right").value == "1"


def test_every_chunker_is_measured(measured):
    assert not measured.exception
    run = run_of(measured)
    assert not run.error
    assert sorted(run.found) == [0, 1]
    assert all(len(one.answers) == 40 for one in evaluations(run, 5).values())
    table = measured.dataframe[0].value
    assert len(table) == 2
    for measure in MEASURES:
        assert table[f"{TITLES[measure]}, %"].str.contains(" ± ").all()
    assert {"chunks", "tokens each", "index, s", "search, ms"} < set(table)
    assert any("40 questions" in text for text in said(measured))
    assert summary(measured)["Asked"][0] == "40 questions"


def test_the_summary_says_who_is_ahead_if_that_can_be_told(measured):
    run = run_of(measured)
    means = {number: found.values("recall").mean() for number, found in evaluations(run, 5).items()}
    best = max(means, key=means.get)
    lead = told(run, Choice("recall", "characters", 5, 0)).lead
    value, detail = summary(measured)["Highest recall"]
    assert value == (run.plan.names[best] if lead.told else "Cannot be told")
    assert f"{100 * means[best]:.1f} %" in detail
    value, detail = summary(measured)["How sure is that?"]
    assert value == "It can be told" or "questions" in value
    assert run.plan.names[1 - best] in detail


def test_a_run_is_there_again_in_another_session(measured):
    assert measured.dataframe[0].value["chunker"].tolist() == run_of(measured).plan.titles
    assert not any("changed since" in text for text in said(measured))


def test_what_was_changed_since_the_run_is_said(run):
    app = opened(run=run, c2="change_point")
    (sentence,) = (text for text in said(app) if "changed since" in text)
    assert "changed since: chunkers." in sentence
    assert app.dataframe[0].value["chunker"].str.contains("Recursive").any()


def test_what_is_embedded_is_chosen_on_the_page_and_in_the_link_and_takes_a_run_of_its_own(run):
    app = opened(run=run, embedded="heading_path")
    assert app.selectbox(key="retrieval_embedded").value == "heading_path"
    assert any("changed since: what is embedded." in text for text in said(app))
    app.selectbox(key="retrieval_embedded").set_value("plain").run()
    assert not any("changed since" in text for text in said(app))
    assert "embedded" not in app.query_params
    assert opened(embedded="title").selectbox(key="retrieval_embedded").value == "plain"
    ways = "plain, heading_path, context, plain:heading_path, plain:context"
    assert f"The link's embedded must be one of {ways}; got 'title'." in said(opened(embedded="title"))


def test_what_is_returned_is_chosen_on_the_page_and_in_the_link_and_takes_a_run_of_its_own(run):
    app = opened(run=run, returned="window:1")
    assert app.selectbox(key="retrieval_returned").value == "window:1"
    assert any("changed since: what is returned." in text for text in said(app))
    app.selectbox(key="retrieval_returned").set_value("chunk").run()
    assert not any("changed since" in text for text in said(app))
    assert "returned" not in app.query_params
    assert all(str(Returned.parse(word)) == word for word in ALLOWED["returned"])


def test_how_it_is_searched_is_chosen_on_the_page_and_in_the_link_and_takes_a_run_of_its_own(run):
    app = opened(run=run, search="hybrid")
    assert app.selectbox(key="retrieval_search").value == "hybrid"
    assert any("changed since: how it is searched." in text for text in said(app))
    app.selectbox(key="retrieval_search").set_value("embedding").run()
    assert not any("changed since" in text for text in said(app))
    assert "search" not in app.query_params
    assert not any(text.startswith("Searched by") for text in said(app))


@pytest.mark.parametrize(
    ("method", "each", "told"),
    [
        ("embedding", (), ""),
        (
            "bm25",
            (),
            "Searched by words (BM25): of every chunk the heading path and the text is indexed; chunks without any word of "
            "the question come last.",
        ),
        (
            "hybrid",
            ("plain", "heading_path"),
            "Searched by embedding and by words (BM25), both ranks fused: of some chunks the text alone, of others the "
            "heading path and the text is embedded and indexed.",
        ),
    ],
)
def test_a_run_searches_as_its_plan_says_and_the_page_says_what_is_indexed(method, each, told):
    text = "# Lights\n\nIt shines at night.\n\n## Buoys\n\nIt floats at night.\n"
    asked = b'question,excerpts\n"What of the buoys?",It floats at night.\n'
    chunkers = (build_chunker("fixed_sentences", {"size": 1}),) * (len(each) or 1)
    material = Material((("marks.md", text),), ("mine.csv", asked), own=True)
    plan = Plan(material, chunkers, "hash", "paragraphs", "words", "heading_path", each=each, searched_by=method)
    run = Retrieval(plan, HashEmbedder(), False)
    run.start()
    assert not ended(run).error
    index = run.found[len(each) // 2].index
    assert (index.searched_by, index.vectors.shape[1] > 0) == (method, method != "bm25")
    if method == "bm25":
        # Its own text has no word of the question, the heading above it has one.
        ranked = [index.texts[number] for number in run.found[0].search.ranked[0]]
        assert ["Buoys" in text for text in ranked] == sorted(["Buoys" in text for text in ranked], reverse=True)
        assert "Lights > Buoys\n\nIt floats at night." in ranked[:2]
    assert plan.search_said == told


def test_a_run_gives_what_its_plan_returns_and_tells_what_was_given_already():
    text = "# Lights\n\nIt shines at night. It burns at dusk.\n\n# Buoys\n\nIt floats at night."
    material = Material((("marks.md", text), ("plain.txt", "It rests.")), ("mine.csv", ASKED), own=True)
    chunkers = (build_chunker("fixed_words", {"size": 4, "overlap": 0}),)
    plan = Plan(material, chunkers, "hash", "paragraphs", "words", "plain", Returned.parse("section"))
    run = Retrieval(plan, HashEmbedder(), False)
    run.start()
    assert not ended(run).error
    assert run.lacking == "plain.txt has no headings that are found: there a chunk returns itself."
    found = run.found[0]
    (answer,) = found.answers
    shown = ranked_passages(found, answer, given_top_k(found, 0))
    sections = [one["parts"] for one in shown if one["kind"] != "note"]
    words = sorted("".join(part for part, _ in parts) for parts in sections)
    assert words == ["# Buoys\n\nIt floats at night.", "# Lights\n\nIt shines at night. It burns at dusk.", "It rests."]
    notes = [one["title"] for one in shown if one["kind"] == "note"]
    assert len(notes) == len(found.index.chunks) - 3
    assert all(note.endswith("marks.md · what it returns is above already") for note in notes)


def test_a_passage_says_its_page():
    given = retrieval_material.read_texts([("marks.pdf", pdf([["It shines at night."], ["It floats at night."]]))])
    material = Material(tuple(given.texts), ("mine.csv", ASKED), True, tuple(given.parts))
    plan = Plan(material, (build_chunker("fixed_sentences", {"size": 1}),), "hash", "lines", "words")
    run = Retrieval(plan, HashEmbedder(), False)
    run.start()
    assert not ended(run).error
    found = run.found[0]
    (answer,) = found.answers
    titles = {
        one["title"].split(" · ")[1]: one["parts"][0][0] for one in ranked_passages(found, answer, given_top_k(found, 0))
    }
    assert titles == {"marks.pdf, p. 1": "It shines at night.", "marks.pdf, p. 2": "It floats at night."}


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


def test_a_run_that_is_no_longer_remembered_is_said():
    app = opened(run="nobody-knows")
    assert not app.exception
    assert any("no longer remembered" in text for text in said(app))
    assert not button(app, "Run").disabled


def test_a_run_of_the_user_s_own_documents_brings_them_back():
    texts = (("birds.txt", "The heron waits. It eats fish.\n\nThe owl hunts at night."),)
    questions = ("mine.csv", b"question,excerpts\nWhat does it eat?,It eats fish.\nWhen?,The owl hunts at night.\n")
    app = opened()
    embedder = run_of_material(app, Material(texts, questions, own=True))
    again = opened(run=embedder)
    assert again.session_state["retrieval_material"] == "Your own"
    assert "Reused from the run shown: 1 document and mine.csv." in said(again)
    assert "2 chunkers on 1 document" in said(again)
    assert not any("changed since" in text for text in said(again))
    assert again.selectbox(key="retrieval_question").options == ["1. What does it eat?", "2. When?"]
    sentence = "Nothing failed: 1. Fixed sentences found every excerpt of 2 questions whole"
    assert f"{sentence} in the top 5." in said(again)
    assert f"{sentence} in 500 tokens." in said(opened(run=embedder, at="budget", budget="500"))
    assert not components(again, "failed")


def run_of_material(app, material):
    """Run what an app would with other material, and return its token."""
    button(app, "Run").click().run()
    plan = run_of(app).plan
    run_of(app).cancel()
    embedder = run_of(app).embedder
    run = Retrieval(type(plan)(material, plan.chunkers, plan.embedder, plan.sentences, plan.tokenizer), embedder, False)
    run.start()
    assert not ended(run).error
    return registry().keep(run)


def retrieved(app):
    """Return how many tokens a question retrieves with each chunker."""
    return next(one.value["tokens a question"] for one in app.dataframe if "tokens a question" in one.value)


def test_how_many_chunks_count_takes_effect_without_a_new_run(measured):
    before, run = retrieved(measured), run_of(measured)
    measured.selectbox(key="retrieval_k").set_value("1").run()
    after = measured.dataframe[0].value
    assert run_of(measured) is run
    assert (retrieved(measured) < before).all()
    means = [100 * found.values("recall").mean() for found in evaluations(run, 1).values()]
    assert [text.partition(" ")[0] for text in after["Recall, %"]] == [f"{mean:.1f}" for mean in means]
    for side in components(measured, "passages"):
        assert sum(one["kind"] != "missed" for one in side["passages"]) == 1


def test_the_baseline_and_what_is_compared_stand_in_the_link(measured):
    measured.selectbox(key="retrieval_baseline").set_value("2").run()
    measured.selectbox(key="retrieval_left").set_value("2").run()
    measured.selectbox(key="retrieval_measure").set_value("iou").run()
    measured.toggle(key="retrieval_disagree").set_value(True).run()
    measured.segmented_control(key="retrieval_cost").set_value("index").run()
    expected = {"baseline": "2", "left": "2", "measure": "iou", "disagree": "yes", "cost": "index"}
    assert {name: measured.query_params[name] for name in expected} == expected
    link = {name: measured.query_params[name] for name in [*expected, "run"]}
    again = opened(**link)
    assert not again.exception
    assert {name: again.selectbox(key=f"retrieval_{name}").value for name in ("baseline", "left", "measure")} == {
        "baseline": "2",
        "left": "2",
        "measure": "iou",
    }
    assert any(one.value == "Against 2. Recursive" for one in again.header)


def test_a_run_on_other_documents_is_folded(measured):
    label = "The run before, on other documents"
    assert not any(one.label == label for one in measured.expander)
    measured.segmented_control(key="retrieval_material").set_value("Your own").run()
    assert not measured.exception
    assert any(one.label == label for one in measured.expander)


def test_the_passages_are_the_question_s_chunks(measured):
    (left, right) = components(measured, "passages")
    run = run_of(measured)
    for number, side in ((0, left), (1, right)):
        found = evaluations(run, 5)[number]
        ranked = found.answers[0].ranked[: found.top_k]
        chunks = [one for one in side["passages"] if one["kind"] != "missed"]
        texts = ["".join(words for words, _ in one["parts"]) for one in chunks]
        assert texts == [found.index.texts[one] for one in ranked]
        hit = sum(len(words) for one in chunks for words, kind in one["parts"] if kind == "hit")
        missed = sum(len(words) for one in side["passages"] if one["kind"] == "missed" for words, _ in one["parts"])
        wanted = sum(end - start for _, (start, end) in found.answers[0].question.excerpts)
        assert found.answers[0].characters["recall"].value == pytest.approx(hit / wanted)
        assert hit + missed == pytest.approx(wanted, abs=2)


def test_in_its_document_everything_has_its_place(run):
    app = opened(run=run, view="document", question="3")
    found = evaluations(run_of(app), 5)[0]
    corpus = found.index.corpus
    for one in components(app, "passages")[0]["passages"]:
        text = corpus.documents[corpus.names.index(one["title"].partition(" · ")[0])].text
        at = 0
        for words, kind in one["parts"]:
            if kind in ("rank", "left_out"):
                continue
            at = text.index(words, at) + len(words)
        left_out = sum(int(words.split()[0].replace(",", "")) for words, kind in one["parts"] if kind == "left_out")
        kept = sum(len(words) for words, kind in one["parts"] if kind not in ("rank", "left_out"))
        assert kept + left_out == len(text)
    ranks = [words for one in components(app, "passages")[0]["passages"] for words, kind in one["parts"] if kind == "rank"]
    assert sorted(set(ranks)) == ["1", "2", "3", "4", "5"]


def test_the_link_leads_to_a_question_and_says_what_it_cannot(measured):
    measured.selectbox(key="retrieval_question").set_value("7").run()
    assert measured.query_params["question"] == "7"
    app = opened(measure="speed", k="0")
    assert not app.exception
    assert "The link's measure must be one of recall, precision, precision_omega, iou; got 'speed'." in said(app)
    assert any(text.startswith("The link's k must be one of 1, 2,") for text in said(app))


def test_words_of_the_link_are_mended():
    words = DEFAULT_WORDS | {"cost": "gold", "question": "x"}
    assert mended(words) == ["The link's cost must be one of tokens, index, query; got 'gold'."]
    assert words["cost"] == "tokens"
    assert [place({"question": word}, "question", 5) for word in ("1", "5", "9" * 5000, "0", "x", "")] == [0, 4, 4, 0, 0, 0]


def test_the_questions_on_which_chunkers_disagree():
    nan = float("nan")
    values = {0: np.array([1, 0.5, nan, nan]), 3: np.array([1, 0.2, nan, 1])}
    assert disagreements(values).tolist() == [1]


@pytest.fixture
def computed(monkeypatch):
    """Give a list that grows by a word with every bootstrap, and every time a run is measured over other chunks."""
    made = []

    def count(owner, name):
        compute = getattr(owner, name)

        def counted(*arguments):
            made.append(name)
            return compute(*arguments)

        monkeypatch.setattr(owner, name, counted)

    count(bootstrap, "_resampled_means")
    count(Evaluation, "over")
    count(Evaluation, "retrieved_size")
    return made


@pytest.fixture
def fresh(run):
    """A run of which nothing has been told yet."""
    before = registry().find(run, Retrieval)
    again = Retrieval(before.plan, before.embedder, False)
    again.start()
    ended(again)
    assert sorted(again.found) == [0, 1]
    return registry().keep(again)


def test_only_another_measure_unit_k_or_baseline_is_measured_and_only_once(fresh, computed):
    def after(change):
        """Return how many bootstraps a change takes, and whether it measures anything else."""
        computed.clear()
        assert not change().run().exception
        bootstraps = computed.count("_resampled_means")
        return bootstraps, len(computed) > bootstraps

    # The interval of each mean, and the difference.
    bootstraps = 3
    app = opened(run=fresh)
    assert computed.count("_resampled_means") == bootstraps
    assert after(lambda: app) == (0, False)
    assert after(lambda: app.selectbox(key="retrieval_question").set_value("7")) == (0, False)
    assert after(lambda: app.selectbox(key="retrieval_left").set_value("2")) == (0, False)
    assert after(lambda: app.segmented_control(key="retrieval_view").set_value("document")) == (0, False)
    assert after(lambda: app.segmented_control(key="retrieval_cost").set_value("index")) == (0, False)
    assert after(lambda: app.segmented_control(key="retrieval_kind").set_value("documents")) == (0, False)
    assert after(lambda: app.toggle(key="retrieval_disagree").set_value(True)) == (0, False)
    assert after(lambda: app.selectbox(key="retrieval_measure").set_value("iou")) == (bootstraps, False)
    assert after(lambda: app.selectbox(key="retrieval_measure").set_value("recall")) == (0, False)
    assert after(lambda: app.selectbox(key="retrieval_k").set_value("2")) == (bootstraps, True)
    assert after(lambda: app.selectbox(key="retrieval_k").set_value("5")) == (0, False)
    # The means keep their intervals.
    assert after(lambda: app.selectbox(key="retrieval_baseline").set_value("2")) == (1, False)
    assert after(lambda: app.selectbox(key="retrieval_baseline").set_value("1")) == (0, False)


def test_two_sessions_on_one_run_leave_each_other_s_measurements(fresh, computed):
    one, other = opened(run=fresh, k="3"), opened(run=fresh, k="8")
    assert computed
    computed.clear()
    for number in ("2", "3", "4"):
        for app in (one, other):
            assert not app.selectbox(key="retrieval_question").set_value(number).run().exception
    assert not computed
    assert (retrieved(one) < retrieved(other)).all()


def test_a_session_that_follows_another_measures_nothing(fresh, computed):
    opened(run=fresh)
    computed.clear()
    opened(run=fresh)
    assert not computed


def test_at_an_equal_budget_everything_on_the_page_is_of_the_budget(run):
    app = opened(run=run, at="budget", budget="500")
    report = told(run_of(app), Choice("recall", "tokens", 5, 0, 500))
    assert not app.exception
    means = [f"{100 * one.distribution.mean:.1f}" for one in report.chunkers.values()]
    assert [text.partition(" ")[0] for text in app.dataframe[0].value["Recall, %"]] == means
    assert (retrieved(app) == 500).all()
    assert report.curve.leads.words() in said(app)
    assert any(text == f"With a fixed number of chunks instead: {report.at_k.words()}" for text in said(app))
    assert not any(one.value == "Documents and sentences found" for one in app.header)
    for side, number in zip(components(app, "passages"), (0, 1), strict=True):
        given = report.given(number, 0)
        chunks = [one for one in side["passages"] if one["kind"] in ("holds", "waste")]
        assert len(chunks) == len(given.chunks)
        text = report.chunkers[number].evaluation.index.corpus.whole.text
        words = ["".join(words for words, kind in one["parts"] if kind in ("hit", "waste")) for one in chunks]
        assert words == ["\n".join(text[start:end] for start, end in one.given) for one in given.chunks]
        # The last one is cut off where the budget is full.
        assert not given.chunks[-1].whole
        assert ["500 tokens", "end"] in chunks[-1]["parts"]
        assert chunks[-1]["title"].endswith(" · cut off")
        assert chunks[-1]["parts"][-1][1] == "beyond"


def test_what_is_compared_at_stands_in_the_link_and_takes_effect_without_a_new_run(run):
    app = opened(run=run, at="budget")
    before = run_of(app)
    app.selectbox(key="retrieval_budget_tokens").set_value("8000").run()
    app.selectbox(key="retrieval_budget_unit").set_value("characters").run()
    # The same rung in the other unit.
    assert app.selectbox(key="retrieval_budget_characters").value == "32000"
    app.selectbox(key="retrieval_last").set_value("left_out").run()
    expected = {"budget": "32000", "budget_unit": "characters", "last": "left_out"}
    assert {name: app.query_params[name] for name in expected} == expected
    assert "at" not in app.query_params
    again = opened(run=run, **expected, at="budget")
    assert not again.exception
    assert run_of(again) is before
    assert again.dataframe[0].value.equals(app.dataframe[0].value)
    app.segmented_control(key="retrieval_at").set_value("k").run()
    assert app.query_params["at"] == "k"
    assert app.dataframe[0].value.equals(opened(run=run).dataframe[0].value)


def test_a_budget_of_a_link_is_on_the_ladder():
    assert "The link's budget must be one of 500, 1000, 2000," in " ".join(said(opened(at="budget", budget="1234")))
    words = DEFAULT_WORDS | {"budget": "64000"}
    assert (rung(words, "tokens"), rung(words, "characters")) == (16_000, 64_000)
    # 2,000 is on both ladders.
    assert (rung(DEFAULT_WORDS, "tokens"), rung(DEFAULT_WORDS, "characters")) == (2000, 2000)


def test_what_failed_is_listed_and_leads_to_its_passages(run):
    app = opened(run=run, at="budget", budget="500", failed="2")
    (listed,) = components(app, "failed")
    lost = ended(run_of(app).report(Choice("recall", "tokens", 5, 0, 500))).made.failures[1]
    assert [row["question"] for row in listed["rows"]] == [one.question for one in lost]
    assert len(lost) > 1
    assert [row["here"] for row in listed["rows"]] == [False] * len(lost)
    assert all(row["missed"].endswith(" missed") and row["holder"] for row in listed["rows"])
    again = opened(run=run, at="budget", budget="500", failed="2", question=str(lost[-1].question + 1), left="2")
    assert components(again, "failed")[0]["rows"][-1]["here"]


def test_the_way_to_compare_leads_to_the_excerpt_and_says_whose_place_the_document_takes(run):
    corpus = next(iter(run_of(opened(run=run)).found.values())).index.corpus
    questions = run_of(opened(run=run)).questions.usable
    for number in (0, 38, 39):
        excerpt = questions[number].excerpts[0]
        app = opened(run=run, question=str(number + 1), left="1")
        document = corpus.documents[excerpt.document]
        (shown,) = components(app, "on_compare")
        assert shown["label"] == "See the passage on Compare"
        (first, end) = shown["range"]
        spans = [one.span for one in questions[number].excerpts if one.document == excerpt.document]
        touched = [(document.sentences[first].start, document.sentences[end - 1].end)]
        assert any(start <= span.start and span.end <= last + 1 for start, last in touched for span in spans)
        # The essay of Compare has several of these documents, which are none of its samples.
        sample = document.text in {load_sample(name).text for name in sample_titles()}
        for text, gives_way in (("Mine.", not sample), (document.text, False)):
            app.session_state["own"] = Source(text, "mine.txt")
            (shown,) = components(app.run(), "on_compare")
            assert shown["label"].endswith("in the place of “mine.txt”") == gives_way


def test_a_measure_that_no_budget_changes_has_no_curve(run):
    app = opened(run=run, at="budget", measure="precision_omega")
    assert not app.exception
    assert "Best possible precision is the same at every budget." in said(app)
    assert not any("at every budget" in one.value for one in app.header)
    assert summary(app)["Highest best possible precision"]


def test_a_report_that_takes_long_holds_nothing_up(run, monkeypatch):
    go_on, of = threading.Event(), Reports.of

    def slow(*arguments):
        assert go_on.wait(LIMIT)
        return of(*arguments)

    monkeypatch.setattr(Reports, "of", slow)
    monkeypatch.setattr(retrieval_job, "PATIENCE_S", 0)
    app = opened(run=run, k="7", measure="iou")
    assert "Comparing the chunkers on all questions …" in said(app)
    assert not app.dataframe
    go_on.set()
    told(run_of(app), Choice("iou", "characters", 7, 0))
    app.run()
    assert not app.exception
    assert len(app.dataframe[0].value) == 2


def test_documents_of_no_use_leave_the_others_usable():
    given = [("a.txt", b"Some text."), ("a.txt", b"Other text."), ("b.txt", b" "), ("c.txt", b"a\0b"), ("d.md", b"More.")]
    texts, complaints, _ = retrieval_material.read_texts([*given, ("big.txt", b"x" * 20_000_001)])
    assert texts == [("a.txt", "Some text."), ("d.md", "More.")]
    assert [one.partition(":")[0] for one in complaints] == ["a.txt", "b.txt", "c.txt", "big.txt"]
    assert "its own name" in complaints[0]
    assert "is empty" in complaints[1]
