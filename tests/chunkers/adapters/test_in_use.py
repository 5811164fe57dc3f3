"""Adapters in recipes, on the command line and on the page."""

import json
import sys

import pytest
from streamlit.testing.v1 import AppTest

from chunkers import ADAPTERS, Recipe, build_chunker
from chunkers.commands.chunk_command import main
from tests import ROOT
from tests.support import LIMIT, HashEmbedder
from tests.viz.compare.test_page import reader_of, settled


def test_a_recipe_names_the_library_and_its_version():
    recipe = Recipe.of(build_chunker("chonkie_semantic", {}), "lines", HashEmbedder(), "words")
    assert recipe.chunker == "chonkie_semantic"
    assert ADAPTERS["chonkie_semantic"].requirement == f"chonkie=={recipe.versions['chonkie']}"
    assert Recipe.from_json(recipe.to_json()).build() == build_chunker("chonkie_semantic", {})


def test_a_recipe_of_a_library_that_is_not_installed():
    recipe = Recipe.of(build_chunker("chroma_cluster", {}), "lines", HashEmbedder(), "words")
    assert "chunking_evaluation" not in recipe.versions
    assert recipe.build() == build_chunker("chroma_cluster", {})


def test_the_command_line_lists_and_runs_them(capsys, tmp_path):
    assert main(["--list"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {name: listed[name]["installed"] for name in ADAPTERS} == {
        name: adapter.version() is not None for name, adapter in ADAPTERS.items()
    }
    assert listed["langchain_semantic"]["parameters"]["amount"]["by threshold"]["gradient"]["default"] == 95
    file = tmp_path / "text.txt"
    file.write_text("One is here.\nTwo is here. Three is here. Four is here.")
    assert main([str(file), "--chunker", "langchain_semantic:amount=50", "--sentences", "lines"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["recipe"]["versions"]["langchain-experimental"] == ADAPTERS["langchain_semantic"].version()
    assert len(result["chunks"]) > 1
    assert "".join("".join(chunk["text"].split()) for chunk in result["chunks"]) == "".join(file.read_text().split())


@pytest.fixture
def app():
    return AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)


def test_a_column_of_an_adapter(app):
    app.query_params["c1"] = "langchain_semantic"
    app.query_params["c1.amount"] = "70"
    app.query_params["c2"] = "fixed_sentences"
    app.query_params["selected"] = "1"
    settled(app).run()
    assert not app.exception
    column = reader_of(app)["columns"][0]
    assert column["title"] == "LangChain: SemanticChunker"
    assert len(column["segments"]["start"]) > 1
    titles = [adapter.title for adapter in ADAPTERS.values()]
    assert [title for title in app.selectbox(key="chunker/0").options if title in titles] == titles
    app.slider(key="0/langchain_semantic/amount/None").set_value(40.0).run()
    rows = {label: value for label, value, _ in reader_of(app)["columns"][0]["rows"]}
    assert rows["embedding"].startswith("all ")


def test_a_missing_library_leaves_the_other_columns_usable(app, monkeypatch):
    monkeypatch.setitem(sys.modules, "chonkie", None)
    settled(app).run()
    app.selectbox(key="chunker/1").select("chonkie_semantic").run()
    assert not app.exception
    columns = reader_of(app)["columns"]
    assert columns[1]["title"] == "Chonkie: SemanticChunker"
    assert columns[1]["message"].endswith("install it with 'pip install chonkie==1.7.0'.")
    assert columns[0]["segments"] is not None
    app.selectbox(key="chunker/1").select("recursive").run()
    assert reader_of(app)["columns"][1]["segments"] is not None
