"""``seamark questions``: a file that ``retrieval`` reads, of what was asked, filtered."""

import csv
import json

import pytest

from evaluation.command_line import main
from tests.evaluation.generating.questioner import Questioner, answer
from tests.server import KEY, ChatModelServer

LAMP = """The lamp burns oil. A keeper trims the wick at dusk.
The bell rings in fog. Gulls nest below the gallery.
Pears ripen late in cold years. The press stands in a barn.
Bread rises overnight. Dough is folded twice before baking.
"""


@pytest.fixture
def server(monkeypatch, serve):
    server = serve(ChatModelServer)
    monkeypatch.setenv("OPENAI_BASE_URL", server.address)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return server


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "lamp.txt").write_text(LAMP)
    return tmp_path


def call(folder, *others, count="3"):
    given = ["questions", str(folder / "docs"), "--language-model", "openai:test", "--count", count]
    return main([*given, "--embedder", "tfidf", "--output", str(folder / "made.csv"), *others])


def script(server, *answers):
    left = iter(answers)
    server.model = lambda messages: next(left)


def test_the_file_is_what_retrieval_reads(folder, server, capsys):
    script(
        server,
        answer("What does the lamp burn?", "The lamp burns oil"),
        answer("When does the keeper trim the wick?", "A keeper trims the wicks at dusk"),
        *["I cannot."] * 3,
        answer("What does the lamp burn then?", "Bread rises overnight"),
    )
    assert call(folder, "--lowest", "0", "--highest", "0.9", count="4") == 0
    printed = capsys.readouterr()
    assert (
        "2 questions of 4; left out are 1 that cannot be used, 0 with excerpts that are not about them, 1 like"
        in printed.out
    )
    assert "1 excerpt quoted with small changes" in printed.out
    sent, dropped, spent = printed.err.splitlines()[0], printed.err, printed.err
    assert sent.startswith(f"Sending windows of the documents to {server.address.split('/')[2]}: about ")
    assert "in 5 requests." in sent
    assert "lamp.txt, 52 to " in dropped
    assert "the answer must contain a JSON object; it has none" in dropped
    assert "openai:test: 7 requests" in spent
    assert KEY not in printed.err + printed.out
    with (folder / "made.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["question"] for row in rows] == ["What does the lamp burn?", "When does the keeper trim the wick?"]
    (reference,) = json.loads(rows[1]["references"])
    assert reference["content"] == "A keeper trims the wick at dusk"
    recipe = folder / "one.json"
    recipe.write_text(json.dumps({"chunker": "fixed_sentences", "parameters": {"size": 1}, "embedder": "tfidf"}))
    measured = ["retrieval", str(folder / "docs"), "--questions", str(folder / "made.csv"), "--json"]
    assert main([*measured, "--tokenizer", "words", "--chunker", str(recipe)]) == 0
    assert len(json.loads(capsys.readouterr().out)["questions"]) == 2


def test_what_was_asked_before_an_error_is_written(folder, server, capsys):
    model = Questioner()
    server.model = lambda messages: model.answer([*map(_message, messages)]).text
    server.script = [server.right, server.right, (401, {})]
    assert call(folder, "--lowest", "-1", "--highest", "1", "--seed", "7") == 2
    printed = capsys.readouterr()
    assert "2 questions of 2" in printed.out
    assert "must accept the key" in printed.err
    assert KEY not in printed.err


def _message(said):
    from chunkers.language_models.base import Message

    return Message(said["role"], said["content"])


@pytest.mark.parametrize(
    ("others", "said"),
    [
        (["--count", "0"], "The number of questions to generate must be from 1 to 500; got 0."),
        (["--lowest", "2"], "--lowest must be a cosine, from -1 to 1; got 2."),
        (["--highest", "nan"], "--highest must be a cosine, from -1 to 1; got nan."),
        (["--spend", "0"], "--spend must be a whole number of tokens of at least 1; got '0'."),
        (["--output", "nowhere/made.csv"], "--output must be a file in a writable folder"),
        (["--language-model", "test"], "must be openai: followed by the name of a model"),
        (["--spend", "100"], "the spending limit is 100 tokens"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_sent(folder, server, capsys, others, said):
    assert call(folder, "--seed", "9", *others) == 2
    assert said in capsys.readouterr().err
    assert not server.requests
    assert not (folder / "made.csv").exists()


def test_without_a_usable_question_there_is_no_file(folder, server, capsys):
    script(server, *[answer("What is the moon made of?", "Green cheese from far away.")] * 9)
    assert call(folder, "--seed", "8") == 2
    assert "the model generated no usable question from 3 passages, so no file is written." in capsys.readouterr().err
    assert not (folder / "made.csv").exists()
