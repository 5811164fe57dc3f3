"""The tab Code: what is shown runs, and what is said of the libraries' own chunkers was run here."""

import pytest

from integrations.recipe_code import TITLE_BY_TOOL
from tests.server import KEY
from tests.viz.app_steps import said, settled
from tests.viz.controls.test_language_model import http, name_model, opened, press  # noqa: F401, a fixture among them


def code_of(app, *columns, tool="langchain", **linked):
    app.query_params.update({"embedder": "tfidf", "tokenizer": "words", "document": "stubs", "sentences": "regex"})
    for number, name in enumerate(columns, start=1):
        app.query_params[f"c{number}"] = name
    app.query_params.update({name.replace("_", ".", 1): value for name, value in linked.items()})
    settled(app)
    app.segmented_control(key="below").set_value("Code").run()
    if tool != "langchain":
        app.segmented_control(key="code_for").set_value(tool).run()
    assert not app.exception
    return app


def shown(app):
    return [block.value for block in app.code]


def chunking_of(app):
    return next(iter(app.session_state["chunking_by_task"].values()))


@pytest.mark.parametrize("tool", [tool for tool in TITLE_BY_TOOL if tool != "command_line"])
def test_the_code_that_is_shown_gives_the_chunks_that_are_shown(app, tool, tmp_path, monkeypatch):
    code_of(app, "breakpoint", tool=tool, c1_amount="60")
    chunking = chunking_of(app)
    (tmp_path / "document.txt").write_bytes(chunking.document.text.encode())
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(shown(app)[0], "copied", "exec"), names)
    assert names["chunks"] == [*chunking.texts]
    assert len(chunking) > 2


def test_each_tool_has_its_code_and_only_some_an_original(app):
    code_of(app, "breakpoint")
    count = {}
    for tool in TITLE_BY_TOOL:
        app.segmented_control(key="code_for").set_value(tool).run()
        assert not app.exception
        count[tool] = len(app.code)
    assert count == {"langchain": 2, "llama_index": 2, "haystack": 1, "chonkie": 1, "python": 1, "command_line": 1}
    assert shown(app)[0].startswith("seamark chunk document.txt --chunker breakpoint")


def test_a_cheap_original_is_run_when_asked_and_nothing_is_claimed_before(app):
    code_of(app, "recursive", c1_size="150")
    assert not [text for text in said(app) if "Result of the original" in text]
    app.button(key="run_original").click().run()
    wanted = f"Result of the original: the same {len(chunking_of(app))} chunks."
    assert wanted in said(app)
    assert wanted in said(app.run())
    # What was run with another size says nothing of this one.
    app.slider(key="0/recursive/size").set_value(100).run()
    assert not [text for text in said(app) if "Result of the original" in text]


def test_where_it_differs_the_first_difference_is_said(app):
    code_of(app, "fixed_words", tool="haystack", c1_size="20", c1_overlap="0")
    app.button(key="run_original").click().run()
    told = next(text for text in said(app) if text.startswith("Result of the original"))
    assert "is the first that differs: ours is “" in told


def test_a_semantic_original_is_run_as_a_column(app):
    pytest.importorskip("langchain_experimental")
    code_of(app, "breakpoint", c1_amount="60")
    app.button(key="add_original").click()
    settled(app)
    assert [column.chunker for column in app.session_state["choices"]["compare"].columns] == [
        "breakpoint",
        "langchain_semantic",
    ]
    app.run()
    assert f"Result of the original, column 2: the same {len(chunking_of(app))} chunks." in said(app)
    app.segmented_control(key="column").set_value(1).run()
    assert "This column runs LangChain's SemanticChunker." in said(app)


def test_a_missing_library_is_a_sentence(app, monkeypatch):
    code_of(app, "fixed_words", tool="haystack")
    monkeypatch.setitem(__import__("sys").modules, "haystack", None)
    app.button(key="run_original").click().run()
    assert any(text.startswith("Haystack's DocumentSplitter must be installed to run here") for text in said(app))


def test_the_recipe_says_what_is_embedded(app):
    code_of(app, "recursive", tool="python")
    app.session_state["embedded_as_chosen"] = "heading_path"
    app.run()
    assert 'embedded_as="heading_path"' in shown(app)[0]


def test_the_code_of_a_column_that_asks_names_the_model_and_no_key(app, http):  # noqa: F811
    opened(app)
    name_model(app, http)
    press(app, "Send")
    settled(app)
    app.segmented_control(key="below").set_value("Code").run()
    assert not app.exception
    assert any('"language_model": "openai:test"' in code for code in shown(app))
    assert not any(KEY in code for code in shown(app))
    assert any("if the language model gives the same answers" in caption.value for caption in app.caption)
