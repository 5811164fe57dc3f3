"""The choice of a language model on the page: what is missing, what is sent and when, and where the key is not."""

import json
import re
from decimal import Decimal

import pytest
from streamlit.testing.v1 import AppTest

from chunkers import MODEL_ASKING_CLASS_BY_NAME, Embedder, ModelError
from chunkers.language_models.answer_cache import AnswerCache
from chunkers.language_models.chat_server import ChatServer, LocalServer
from chunkers.storage.embedding_cache import EmbeddingCache
from evaluation.segmentation.settings_sweep import SETTINGS_BY_CHUNKER
from tests import ROOT
from tests.server import KEY, ChatModelServer
from tests.support import LIMIT, ScriptedModel, ended
from tests.viz.app_steps import name_model, press, remarks, said, settled
from tests.viz.compare.test_page import reader_of
from tests.viz.failures.test_page import table_of
from viz.controls import language_model
from viz.jobs import shared_resources
from viz.shell.column_runs_and_results import WAITING_FOR_SEND_MESSAGE
from viz.state import chosen_models as language_model_state
from viz.state.chosen_models import CHUNKER_NEEDS_PHRASE, missing_model_message, no_model_message


@pytest.fixture
def http(serve):
    scripted = ScriptedModel()
    return serve(ChatModelServer, lambda messages: scripted.words(messages[1]["content"]))


def opened(app, chunker="llm", **words):
    app.query_params.update({"c1": chunker, "c2": "fixed_sentences", "selected": "1", "tokenizer": "words", **words})
    return settled(app)


def labels(app):
    return [button.label for button in app.button]


def columns(app):
    return reader_of(app)["columns"]


def everything(app):
    parts = []

    def walk(block):
        for child in block.children.values():
            if hasattr(child, "children"):
                walk(child)
            parts.append(str(child.proto))

    walk(app._tree)
    return "".join(parts) + str(dict(app.query_params))


@pytest.mark.parametrize("chunker", MODEL_ASKING_CLASS_BY_NAME)
def test_without_a_model_the_column_says_what_is_missing_and_the_others_are_there(app, http, chunker):
    opened(app, chunker)
    first, second = columns(app)
    assert first["message"] == missing_model_message()
    assert second["segments"] is not None
    assert "Send" not in labels(app)
    told = " ".join(part.value for part in app.markdown)
    assert all(word in told for word in ("llama.cpp", "Ollama", "vLLM", "Hosted"))
    assert next(block.value for block in app.code) == MODEL_ASKING_CLASS_BY_NAME[chunker].wording()[0]


def test_nothing_is_sent_before_the_click_that_names_the_host_and_the_tokens(app, http):
    opened(app, document="article", sentences="sentencex")
    name_model(app, http)
    settled(app)
    assert http.requests == []
    (asked,) = [text for text in said(app) if "sends the text to" in text]
    host = http.address.split("/")[2]
    assert f"sends the text to {host}, to the model test: about" in asked
    assert "tokens in 2 requests, more if it has to be asked more often; no price is known." in asked
    assert "Of the 1,000,000 tokens that you allow 0 are spent." in asked
    assert columns(app)[0]["message"] == "Waiting for you to press “Send”, above."
    press(app, "Send")
    settled(app).run()
    sent = len(http.requests)
    assert sent
    assert columns(app)[0]["segments"] is not None
    assert "Send" not in labels(app)
    rows = {label: value for label, value, _ in columns(app)[0]["rows"]}
    assert rows["asked"].startswith(f"{sent} request")
    # Other settings are another question: they wait for another click, and going back asks nothing.
    window = next(slider for slider in app.slider if slider.key == "0/llm/window")
    window.set_value(200).run()
    settled(app)
    assert len(http.requests) == sent
    assert "Send" in labels(app)
    next(slider for slider in app.slider if slider.key == "0/llm/window").set_value(800).run()
    settled(app)
    assert columns(app)[0]["segments"] is not None
    assert len(http.requests) == sent


def test_a_server_of_this_machine_is_filled_in_after_a_click(app, monkeypatch):
    servers = [
        LocalServer("http://127.0.0.1:8080/v1", ("small", "large")),
        LocalServer("http://127.0.0.1:8000/v1", ("other",)),
    ]
    looked = []
    monkeypatch.setattr(language_model, "find_local_servers", lambda: looked.append(True) or servers)
    opened(app)
    assert looked == []
    press(app, "Find local server")
    values = {field.key: field.value for field in app.text_input}
    assert (values["language_address"], values["language_name"]) == ("http://127.0.0.1:8080/v1", "small")
    assert any(
        remark.startswith("http://127.0.0.1:8080/v1 has small, large; http://127.0.0.1:8000/v1 has other.")
        for remark in remarks(app)
    )
    servers.clear()
    press(app, "Find local server")
    assert any("No server with a model answers on this machine" in remark for remark in remarks(app))


@pytest.mark.parametrize(("schema", "told"), [("enforced", "enforces"), ("refused", "refuses"), ("ignored", "ignores")])
def test_the_page_says_what_the_server_does_with_a_schema(app, http, schema, told):
    http.schema = schema
    opened(app, document="article", sentences="sentencex")
    name_model(app, http)
    press(app, "Send")
    settled(app).run()
    assert any(f"structured answers, as the server {told}" in remark for remark in remarks(app))


def test_answers_on_disk_are_there_for_another_session(app, http, monkeypatch, tmp_path):
    answers = AnswerCache(tmp_path / "answers.sqlite")
    monkeypatch.setattr(language_model_state, "disk_answer_cache", lambda: answers)
    one, other = (AppTest.from_file(str(ROOT / "app.py"), default_timeout=LIMIT) for _ in range(2))
    for session in (one, other):
        session.session_state["on_disk"] = True
        opened(session, document="article", sentences="sentencex")
        name_model(session, http)
        if "Send" in labels(settled(session)):
            press(session, "Send")
        settled(session).run()
        assert columns(session)[0]["segments"] is not None
        count = len(http.requests)
        if session is one:
            first = count
    assert count == first > 1


def test_the_key_is_nowhere_after_it_was_entered(app, http, caplog, serve):
    caplog.set_level("DEBUG")
    # A careless server repeats it.
    http.script = [(401, {})]
    opened(app)
    name_model(app, http)
    assert app.text_input(key="language_key").value == ""
    assert KEY not in everything(app)
    press(app, "Send")
    settled(app).run()
    assert "must accept the key; it refused (status 401)" in columns(app)[0]["message"]
    assert KEY not in everything(app)
    press(app, "Try again")
    settled(app).run()
    assert http.requests[-1][1]["authorization"] == f"Bearer {KEY}"
    assert columns(app)[0]["segments"] is not None
    assert KEY not in everything(app) + caplog.text
    (chunking,) = [outcome for task, outcome in app.session_state["chunking_by_task"].items() if task.model]
    written = chunking.recipe.to_json()
    assert json.loads(written)["language_model"] == "openai:test"
    for secret in (KEY, "127.0.0.1"):
        assert secret not in written + str(dict(app.query_params))
    # It goes to no other server, unless it is typed again.
    other = serve(ChatModelServer, http.model)
    name_model(app, other, key="")
    press(app, "Send")
    settled(app)
    assert {headers["authorization"] for _, headers, _ in other.requests} == {"Bearer none"}


def test_a_link_sends_nothing_even_where_the_environment_names_a_server(app, http, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", http.address)
    opened(app, **{"c2": "lumber"})
    assert http.requests == []
    assert [column["message"] for column in columns(app)] == [missing_model_message()] * 2


def test_the_limit_stops_and_says_so(app, http):
    opened(app)
    app.number_input(key="language_tokens").set_value(500)
    name_model(app, http)
    press(app, "Send")
    settled(app).run()
    assert "the spending limit is 500 tokens; 0 are spent" in columns(app)[0]["message"]
    assert http.requests == []


def test_a_limit_in_money_is_said_and_holds(app, http, monkeypatch):
    monkeypatch.setattr(ChatServer, "price_of_tokens", lambda model, read, written: Decimal(read + written) / 1000)
    opened(app)
    app.number_input(key="language_money").set_value(0.5)
    name_model(app, http)
    assert any("Of the $0.5 that you allow $0.0000 are spent." in text for text in said(settled(app)))
    press(app, "Send")
    settled(app).run()
    assert "the spending limit is $0.5; $0.0000 are spent" in columns(app)[0]["message"]
    assert http.requests == []


def test_a_limit_in_money_says_that_it_needs_a_price(app, http):
    opened(app)
    app.number_input(key="language_money").set_value(0.5)
    name_model(app, http)
    assert any("You allow $0.5: without a price nothing can be sent" in text for text in said(settled(app)))


def test_the_link_has_the_name_alone_and_whoever_opens_it_asks_nothing(app, http, monkeypatch):
    opened(app)
    assert "model" not in app.query_params
    name_model(app, http)
    assert settled(app).query_params["model"] == "test"
    assert not any(secret in str(dict(app.query_params)) for secret in (KEY, "127.0.0.1"))
    monkeypatch.setenv("OPENAI_BASE_URL", http.address)
    other = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    opened(other, model="test")
    assert columns(other)[0]["message"] == missing_model_message()
    assert "Send" not in labels(other)
    assert (other.session_state["language_name"], other.query_params["model"]) == ("test", "test")
    assert "The link was made with the model test. It is used once you press “Use this model”." in remarks(other)
    # A page that asks nothing says nothing of it.
    other.selectbox(key="chunker/0").set_value("recursive").run()
    assert "model" not in other.query_params
    assert http.requests == []


@pytest.mark.full
def test_cancelling_ends_a_request_that_hangs_and_asking_goes_on_after_another_click(app, http):
    http.script = [5.0]
    opened(app)
    name_model(app, http)
    press(app, "Send")
    job = app.session_state["chunking_job"]
    assert job.progress()[1].startswith("Asking test: 0% of the text done")
    job.cancel()
    ended(job)
    app.run()
    assert columns(app)[0]["message"] == "Stopped while asking."
    assert columns(app)[1]["segments"] is not None
    press(app, "Continue asking")
    settled(app).run()
    assert columns(app)[0]["segments"] is not None


def test_long_answers_are_said_and_counted_before_they_are_asked_for(app, http):
    opened(app, "propositions", document="article", sentences="sentencex")
    name_model(app, http)
    settled(app)
    (asked,) = [text for text in said(app) if "sends the text to" in text]
    match = re.search(r"about ([\d,]+) tokens in \d+ requests, answered with about ([\d,]+) tokens, more if", asked)
    assert int(match[2].replace(",", "")) > int(match[1].replace(",", "")) / 4
    press(app, "Send")
    settled(app).run()
    stated = [
        piece
        for chunking in app.session_state["chunking_by_task"].values()
        for piece in chunking
        if piece.stated is not None
    ]
    assert stated
    app.segmented_control(key="below").set_value("Propositions").run()
    assert not app.exception
    table = next(frame.value for frame in app.dataframe if "proposition" in frame.value)
    assert len(table) == sum(len(piece.stated.propositions) for piece in stated)
    assert [*table["chunk"]] == sorted(table["chunk"])


@pytest.mark.parametrize("chunker", MODEL_ASKING_CLASS_BY_NAME)
def test_the_guide_explains_it_without_a_model(app, http, chunker):
    app.query_params.update({"c1": chunker, "embedder": "tfidf"})
    app.switch_page("pages/guide.py")
    app.run()
    assert not app.exception
    kind = MODEL_ASKING_CLASS_BY_NAME[chunker]
    assert app.header[0].value == kind.title
    assert app.latex[0].value.strip("$\n ") == kind.formula
    assert kind.symbols in [part.value for part in app.caption]
    assert {f"`{spec.name}`" for spec in kind.fields()} == set(app.table[0].value["parameter"])
    # The form is below it there.
    assert no_model_message(CHUNKER_NEEDS_PHRASE, "below") in said(app)
    assert app.text_input(key="language_name")


def test_where_several_columns_wait_only_the_first_says_where_the_text_goes(app, http):
    opened(app, c2="lumber", c3="fixed_sentences", document="article", sentences="sentencex")
    name_model(app, http)
    first, second = [text for text in said(settled(app)) if "sends the text" in text]
    assert "to the model test" in first
    assert second.startswith("“LumberChunker” (windows of 550 tokens) sends the text there too: about ")
    assert second.endswith("no price is known.")
    assert labels(app).count("Send") == 2
    press(app, "Send")
    # The other is the first now.
    (left,) = [text for text in said(settled(app).run()) if "sends the text" in text]
    assert left.startswith("“LumberChunker” (windows of 550 tokens) sends the text to 127.0.0.1:")


@pytest.mark.parametrize("page", ["compare", "retrieval", "answers"])
def test_the_form_is_there_whichever_column_is_selected(app, http, page):
    opened(app, "fixed_sentences", c2="llm", embedder="tfidf")
    if page != "compare":
        app.switch_page(f"pages/{page}.py")
        settled(app)
        if not next(button for button in app.button if button.label == "Use Compare's columns").disabled:
            press(app, "Use Compare's columns")
            settled(app)
    assert app.text_input(key="language_name")
    told = said(app) + [column["message"] for column in columns(app)] if page == "compare" else said(app)
    assert any(missing_model_message() in text for text in told)


def test_another_session_is_shown_its_own_answers(app, http):
    other = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    seen = []
    for session, model in ((app, http.model), (other, lambda messages: "split_after: none")):
        http.model = model
        opened(session, document="article", sentences="sentencex")
        name_model(session, http)
        settled(session)
        press(session, "Send")
        settled(session).run()
        (column, _) = columns(session)
        rows = {label: value for label, value, _ in column["rows"]}
        assert rows["chunks"] == str(len(column["segments"]["start"]))
        seen.append(rows)
    assert seen[0]["chunks"] != "1"
    assert seen[1]["chunks"] == "1"
    assert seen[1]["sentences"] == "39 to 39, median 39"


def test_an_embedder_that_fails_is_no_matter_to_a_chunker_that_asks(app, http, monkeypatch):
    def refuses(*_):
        raise ModelError("The embedder refused.")

    monkeypatch.setattr(Embedder, "ensure_model_built_and_loaded", refuses)
    monkeypatch.setattr(shared_resources, "embedding_cache", lambda on_disk: EmbeddingCache(None))
    opened(app, c2="breakpoint")
    name_model(app, http)
    assert [column["message"] for column in columns(settled(app))] == [WAITING_FOR_SEND_MESSAGE, "The embedder refused."]
    press(app, "Send")
    settled(app).run()
    asked = len(http.requests)
    assert asked
    first, second = columns(app)
    assert (first["message"], second["message"]) == ("", "The embedder refused.")
    assert first["segments"] is not None
    # Both are tried again, and neither by itself; the model's answers are known.
    monkeypatch.undo()
    monkeypatch.setattr(shared_resources, "embedding_cache", lambda on_disk: EmbeddingCache(None))
    settled(app)
    assert columns(app)[1]["message"] == "The embedder refused."
    press(app, "Try again")
    settled(app).run()
    assert [column["message"] for column in columns(app)] == ["", ""]
    assert len(http.requests) == asked


@pytest.mark.parametrize("page", ["failures", "retrieval", "answers", "tune", "breakpoints", "double_pass", "clustering"])
def test_every_other_page_works_while_compare_has_such_a_column(app, http, page):
    opened(app, embedder="tfidf")
    app.switch_page(f"pages/{page}.py")
    settled(app)
    assert http.requests == []


def test_failures_measures_it_beside_the_others_once_a_model_is_named_and_the_user_sends(app, http):
    def measures():
        return table_of(app)["rows"]

    def mine():
        return [(row["kind"], row["column"], row["message"]) for row in measures() if row["title"] == "Language model"]

    opened(app, embedder="tfidf", document="stubs")
    app.switch_page("pages/failures.py")
    settled(app)
    assert mine() == [("compare", 0, missing_model_message())]
    name_model(app, http)
    settled(app)
    assert mine() == [
        (result, column, WAITING_FOR_SEND_MESSAGE)
        for result, column in (("compare", 0), ("published", len(SETTINGS_BY_CHUNKER)))
    ]
    assert http.requests == []
    # Both are the same question.
    assert labels(app).count("Send") == 1
    press(app, "Send")
    settled(app).run()
    asked = len(http.requests)
    assert asked
    assert mine() == [("compare", 0, ""), ("published", len(SETTINGS_BY_CHUNKER), "")]
    rows = measures()
    assert {len(row["cells"]) for row in rows} == {6}
    app.session_state["choices"]["failures"].selected = len(SETTINGS_BY_CHUNKER)
    settled(app)
    assert [sent_column["title"] for sent_column in columns(app)] == ["Language model"]
    assert columns(app)[0]["segments"] is not None
    assert len(http.requests) == asked
