"""The Retrieval page: measures on demand, compares, and shows every question's chunks as text."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from evaluation.retrieval import MEASURES
from viz.retrieval import JOB, TITLES


def opened(**words):
    app = AppTest.from_file("../app.py", default_timeout=120)
    for name, word in {"embedder": "tfidf", "c1": "fixed_sentences", "c2": "recursive", **words}.items():
        app.query_params[name] = word
    app.switch_page("pages/retrieval.py")
    return app.run()


@pytest.fixture(scope="module")
def measured():
    app = opened()
    button(app, "Measure").click().run()
    app.session_state[JOB].join(110)
    return app.run()


def button(app, label):
    return next(one for one in app.button if one.label == label)


def components(app, name):
    payloads = [json.loads(one.proto.json) for one in app.get("bidi_component") if name in one.proto.component_name]
    return [payload for payload in payloads if payload]


def said(app):
    return [one["text"] for one in components(app, "notice")]


def test_at_rest_it_says_what_to_do():
    app = opened()
    assert not app.exception
    assert app.title[0].value == "Retrieval"
    assert any("press “Measure”" in text for text in said(app))
    assert any(one.value.startswith("2 chunkers on ") for one in app.caption)


def test_every_chunker_is_measured(measured):
    assert not measured.exception
    job = measured.session_state[JOB]
    assert not job.error
    assert sorted(job.found) == [0, 1]
    assert all(len(one.answers) == 40 for one in job.found.values())
    table = measured.dataframe[0].value
    assert len(table) == 2
    for measure in MEASURES:
        assert table[f"{TITLES[measure]}, %"].str.contains(" ± ").all()
    assert any("40 questions" in text for text in said(measured))


def test_the_passages_are_the_question_s_chunks(measured):
    (left, right) = components(measured, "passages")
    job = measured.session_state[JOB]
    for number, side in ((0, left), (1, right)):
        found = job.found[number]
        ranked = found.answers[0].ranked[: found.top_k]
        chunks = [one for one in side["passages"] if one["kind"] != "missed"]
        texts = ["".join(words for words, _ in one["parts"]) for one in chunks]
        assert texts == [found.index.texts[one] for one in ranked]
        hit = sum(len(words) for one in chunks for words, is_hit in one["parts"] if is_hit)
        missed = sum(len(words) for one in side["passages"] if one["kind"] == "missed" for words, _ in one["parts"])
        wanted = sum(end - start for _, (start, end) in found.answers[0].question.excerpts)
        assert found.answers[0].characters["recall"].value == pytest.approx(hit / wanted)
        assert hit + missed == pytest.approx(wanted, abs=2)


def test_the_link_leads_to_a_question_and_says_what_it_cannot(measured):
    measured.selectbox(key="retrieval_question").set_value(6).run()
    assert measured.query_params["question"] == "7"
    app = opened(measure="speed", k="0")
    assert not app.exception
    assert "The link's measure must be one of recall, precision, precision_omega, iou; got 'speed'." in said(app)
    assert any(text.startswith("The link's k must be one of 1, 2,") for text in said(app))
