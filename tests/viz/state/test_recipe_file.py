"""A recipe from the page, or one inside a file of chunks, opens as a column of Compare; what is none is refused."""

import json

import pytest

from chunkers import chunk, load_embedder
from chunkers.recipes.chunker_registry import CHUNKERS, chunker_class
from chunkers.recipes.recipe import Recipe
from chunkers.recipes.result_export import to_json
from tests.lanes import mostly_full
from tests.viz.app_steps import box_of, remarks, said, settled
from viz.compare.questions.question_search import CONTEXT_MODEL_MISSING
from viz.state.choices import MOST_COLUMNS

RECIPE = Recipe.of(chunker_class("breakpoint").build(amount=83.0, buffer=2), "sentencex", None, "words")


@pytest.fixture
def app(app):
    app.query_params["embedder"] = "tfidf"
    app.query_params["tokenizer"] = "words"
    app.run()
    box_of(app).set_value("A lighthouse has a lamp. It turns. A buoy floats. It has a bell.")
    return settled(app)


def upload(app, text, name="my.recipe.json"):
    uploader = next(widget for widget in app.get("file_uploader") if widget.key == "file")
    uploader.upload(name, text.encode(), "application/json").run()
    return settled(app)


def columns(app):
    return app.session_state["choices"]["compare"].columns


def test_a_recipe_is_a_column_and_can_be_undone(app):
    upload(app, RECIPE.to_json())
    assert len(columns(app)) == 4
    assert columns(app)[3].chunker == "breakpoint"
    assert {**columns(app)[3].parameters, "amount": 83.0, "buffer": 2} == columns(app)[3].parameters
    assert app.session_state["choices"]["compare"].selected == 3
    assert app.session_state["own"].text.startswith("A lighthouse")
    assert remarks(app)[0].startswith("my.recipe.json added as column 4 of Compare; the recipe names the embedder")
    next(button for button in app.button if button.label == "Undo").click()
    settled(app)
    assert len(columns(app)) == 3


def test_what_a_recipe_embeds_is_what_the_downloads_say_next(app):
    upload(app, RECIPE.model_copy(update={"embedded_as": "heading_path"}).to_json())
    app.segmented_control(key="below").set_value("Downloads").run()
    assert app.segmented_control(key="embedded_as").value == "heading_path"
    app.segmented_control(key="embedded_as").set_value("plain").run()
    assert app.session_state["embedded_as_chosen"] == "plain"
    app.segmented_control(key="embedded_as").set_value("heading_path").run()
    app.segmented_control(key="below").set_value("Scores").run()
    app.segmented_control(key="below").set_value("Downloads").run()
    assert app.segmented_control(key="embedded_as").value == "heading_path"


@pytest.mark.parametrize("name", mostly_full(CHUNKERS, {"recursive", "breakpoint", "double_pass", "kmeans"}))
def test_the_recipe_of_every_chunker_opens_with_the_same_parameters(app, name):
    recipe = Recipe.of(chunker_class(name).build(), "sentencex", load_embedder("tfidf"), "words")
    upload(app, recipe.to_json())
    assert columns(app)[3].chunker == name
    assert chunker_class(name).build(**columns(app)[3].parameters) == recipe.build()


def test_a_file_of_chunks_has_its_recipe_inside(app):
    chunking = chunk("One is here. Two is here.", "fixed_sentences", sentences="sentencex", size=1)
    recipe = Recipe.of(chunker_class("fixed_sentences").build(size=1), "sentencex", None, "words")
    upload(app, to_json(chunking, recipe), "chunks.json")
    assert (columns(app)[3].chunker, columns(app)[3].parameters["size"]) == ("fixed_sentences", 1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data | {"chunker": "nobody"}, "my.json: "),
        (lambda data: data | {"parameters": {"amount": 7000}}, "my.json: "),
        (lambda data: data | {"recipe": 2}, "my.json: recipe: recipe must be 1; got 2."),
        (lambda data: data | {"more": 1}, "my.json: recipe: more is invalid"),
        (lambda data: {"chunks": []}, "my.json: the file must be a session or a recipe of Seamark"),
    ],
)
def test_what_is_no_recipe_gets_a_sentence_and_changes_nothing(app, change, words):
    upload(app, json.dumps(change(json.loads(RECIPE.to_json()))), "my.json")
    assert app.session_state["own_complaint"].startswith(words)
    assert "\n" not in app.session_state["own_complaint"]
    assert len(columns(app)) == 3
    assert app.session_state["own"].text.startswith("A lighthouse")


def test_where_compare_is_full_it_says_so(app):
    app.session_state["choices"]["compare"].columns += [column.copy() for column in columns(app)]
    assert len(columns(app)) == MOST_COLUMNS
    upload(app, RECIPE.to_json())
    assert "Compare may have at most 6 columns and is full; remove one first." in app.session_state["own_complaint"]
    assert len(columns(app)) == MOST_COLUMNS


def test_a_recipe_with_context_sentences_opens_with_them_and_asks_nothing(app):
    upload(app, RECIPE.model_copy(update={"embedded_as": "context", "language_model": "openai:test"}).to_json())
    app.segmented_control(key="below").set_value("Downloads").run()
    assert app.segmented_control(key="embedded_as").value == "context"
    assert CONTEXT_MODEL_MISSING in said(app)
