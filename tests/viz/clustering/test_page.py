"""The Clustering page without a browser: chunkers, controls, link, payload."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from chunkers.building_blocks.clustering import MOST_SENTENCES
from tests import ROOT
from tests.support import LIMIT, ended
from tests.viz.app_steps import box_of, emptied, sent, settled, widget


def opened(**query):
    app = AppTest.from_file(ROOT / "pages/clustering.py", default_timeout=LIMIT)
    for name, word in {"embedder": "tfidf", "document": "article", **query}.items():
        app.query_params[name] = word
    # The page is run without the app around it.
    app.session_state["app"] = True
    return settled(app)


def column(app):
    return sent(app, "columns")["columns"][0]


def rows(app):
    return {label: value for label, value, _ in column(app)["rows"]}


def test_the_text_heatmap_list_and_tree_have_the_same_chunks():
    app = opened(c1="single_linkage", **{"c1.position_weight": "0.1", "c1.max_distance": "0.9"})
    segments = json.loads(column(app)["body"])["segments"]
    heatmap, listed = sent(app, "matrix"), sent(app, "breaks")
    assert heatmap["chunk_of"] == listed["chunk_of"]
    assert heatmap["grounds"] == listed["grounds"] == segments["colours"]
    starts = [int(at) for at in segments["from"]]
    assert [heatmap["chunk_of"][at] for at in starts] == [over[0] for over in segments["over"]]
    assert (heatmap["weight"], heatmap["line"], heatmap["block"]) == (0.1, ["the maximum", 0.9], 1)
    assert len(app.get("plotly_chart")) == 1
    assert listed["breaks"].split(":")[0] in rows(app)["in pieces"]


def test_another_weight_clusters_again_and_embeds_nothing():
    app = opened()
    before = sent(app, "matrix")
    app.slider(key="0/single_linkage/position_weight").set_value(0.0).run()
    after = sent(app, "matrix")
    assert rows(app)["embedding"].startswith("all 39 cached")
    assert after["weight"] == 0
    assert after["chunk_of"] != before["chunk_of"]
    # The browser has the distances in meaning already.
    assert after["matrix"] == before["matrix"]
    assert app.query_params["c1.position_weight"] == "0"


def test_each_chunker_has_its_own_figure_and_controls():
    app = opened(selected="2")
    assert [title.value for title in app.header] == ["Core, border, noise"]
    assert sent(app, "matrix")["line"] == ["ε", 0.3]
    roles = app.dataframe[0].value["role"]
    assert [tag for tag in sent(app, "breaks")["tags"] if tag] == ["noise"] * (roles == "noise").sum()
    app.segmented_control(key="clustering_method").set_value(2).run()
    assert [title.value for title in app.header] == ["Distance to centres"]
    assert (sent(app, "matrix")["weight"], sent(app, "matrix")["line"]) == (0, None)
    app.slider(key="2/kmeans/clusters").set_value(5).run()
    assert rows(app)["chunks"] == "5"
    assert app.query_params["selected"] == "3"
    assert app.query_params["c3.clusters"] == "5"
    app.segmented_control(key="clustering_method").set_value(0).run()
    assert "Dendrogram" in [title.value for title in app.header]
    assert sent(app, "turn")["key"] == "linkage"


def test_the_heatmap_can_be_kept():
    app = opened(selected="3")
    app.toggle(key="heatmap_to_keep").set_value(True).run()
    table = app.dataframe[-1].value
    assert not app.exception
    assert len(table) == 39 * 38 // 2
    assert list(table["distance"]) == sorted(table["distance"])
    assert len(app.get("plotly_chart")) == 2


def test_the_link_names_a_step():
    app = opened(step="4")
    assert sent(app, "at")["at"] == 3
    app = opened(step="none")
    assert "got 'none'" in sent(app, "text")["text"]


def test_a_link_that_names_another_chunker_says_so_and_works():
    app = opened(c1="recursive", c2="dbscan", **{"c2.eps": "0.4"})
    assert "got recursive." in sent(app, "text")["text"]
    assert app.segmented_control(key="clustering_method").value == 0
    app.segmented_control(key="clustering_method").set_value(1).run()
    assert sent(app, "matrix")["line"] == ["ε", 0.4]


def test_a_line_that_was_let_go_sets_the_parameter():
    app = opened()
    app.session_state["reader"] = {"line": {"column": 0, "parameter": "max_distance", "value": 0.33, "at": 1}}
    app.run()
    assert widget(app.slider, "0/single_linkage/max_distance").value == 0.33


@pytest.mark.parametrize("text", ["", "One sentence."])
def test_next_to_nothing_is_no_error(text):
    app = emptied(opened(selected="2"))
    if text:
        box_of(app).input(text).run()
    for number in range(3):
        if app.segmented_control:
            app.segmented_control(key="clustering_method").set_value(number).run()
        assert not app.exception
    assert bool(text) == any('"columns"' in part.proto.json for part in app.get("bidi_component"))


@pytest.mark.full
def test_too_many_sentences_are_refused_in_a_sentence_and_k_means_still_works():
    app = opened(sentences="lines")
    app.selectbox(key="sentences").select("lines").run()
    lines = "\n".join(f"{number} {'red' if number % 2 else 'blue'}" for number in range(MOST_SENTENCES + 1))
    box_of(app).input(lines).run()
    assert column(app)["message"].startswith("single_linkage: a text may have at most 7,000 sentences")
    assert column(app)["tone"] == "error"
    app.segmented_control(key="clustering_method").set_value(2).run()
    job = app.session_state.get("chunking_job")
    if job is not None:
        ended(job)
        app.run()
    assert not app.exception
    assert rows(app)["chunks"] == "3"
    assert sent(app, "matrix")["matrix"] == ""
