"""A real language model, of 135 million parameters, behind the pages: what it answers is read off them."""

from contextlib import closing
from importlib.util import find_spec
from socket import socket
from types import SimpleNamespace

import pytest

from tests.fixtures.llama_server import PACKAGES, model_server
from tests.viz.answers.test_page import cards, done, gathered
from tests.viz.answers.test_page import opened as opened_answers
from tests.viz.app_steps import box_of, name_model, press, remarks, settled
from tests.viz.controls.test_language_model import columns, opened

pytestmark = pytest.mark.full

TEXT = "The tide comes in at noon. Then the harbour fills with boats. A lemon is a sour fruit."


@pytest.fixture(scope="module")
def llama():
    if missing := [name for name in PACKAGES if find_spec(name) is None]:
        pytest.skip(f"{' and '.join(missing)} must be installed, see requirements-full.txt and requirements-model.txt.")
    with closing(socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Two threads that wait for each other take many times as long on a busy machine.
    with model_server(port, 1) as address:
        yield SimpleNamespace(address=address)


def enforced(app):
    return any("structured answers, as the server enforces their schema" in remark for remark in remarks(app))


def test_a_column_of_propositions_is_shown(app, llama):
    opened(app, "propositions", document="own", sentences="rules")
    box_of(app).set_value(TEXT).run()
    name_model(app, llama)
    settled(app)
    press(app, "Send")
    settled(app).run()
    column = columns(app)[0]
    assert column["segments"] is not None, column["message"]
    rows = {label: value for label, value, _ in column["rows"]}
    assert "request" in rows["asked"]
    assert not any("no usable answer" in note for note in column["notes"])
    assert enforced(app)


def test_a_question_is_answered_and_the_answer_is_judged(app, llama):
    opened_answers(app, c2="fixed_sentences", questions="typed")
    app.text_area(key="answers/typed").set_value("What gives sourdough its sour taste? | The acids of the starter.").run()
    gathered(app)
    name_model(app, llama)
    gathered(app)
    press(app, "Send")
    done(app)
    card = cards(app)[0]
    # A wrong one, as it may be; one that cannot be used would be empty.
    assert card["answer"], card
    judged = {judgement["title"]: judgement["value"] for judgement in card["judgements"]}
    assert {*judged} == {"Faithfulness", "Answer relevancy", "Correctness"}
    # The schema allows nothing but a grade.
    assert 1 <= float(judged["Correctness"]) <= 5
    assert enforced(app)
