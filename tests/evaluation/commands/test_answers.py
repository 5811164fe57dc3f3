"""``seamark answers``: what is printed, where, and what is left out."""

import csv
import io
import json

import pytest

from evaluation.command_line import main
from sample_docs import SAMPLES_FOLDER
from tests.evaluation.answering.scripted import chat
from tests.server import ChatModelServer

STUBS = str(SAMPLES_FOLDER / "stubs.txt")
LIGHT = ("--embedder", "tfidf", "--tokenizer", "words", "--sentences", "lines")
TWO = ("--chunker", "fixed_sentences", "--chunker", "recursive", "size=200")


@pytest.fixture
def http(serve, monkeypatch):
    server = serve(ChatModelServer, chat)
    monkeypatch.setenv("OPENAI_BASE_URL", server.address)
    return server


@pytest.fixture
def questions(tmp_path):
    file = tmp_path / "questions.csv"
    file.write_text("question,answer\nWhat do herons eat?,Fish.\nWho?,\n,Nobody.\n", encoding="utf-8")
    return str(file)


def answers(*arguments):
    return main(["answers", STUBS, "--language-model", "openai:test", *LIGHT, *TWO, *arguments])


def test_answers_are_printed_and_what_they_come_to_is_said_beside_them(http, questions, capsys):
    assert answers("--questions", questions, "--budget", "20", "--judge", "openai:judge") == 0
    printed = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(printed.out)))
    assert [row["chunker"] for row in rows] == ["1. Fixed sentences"] * 2 + ["2. Recursive"] * 2
    assert all(row["answer"].endswith("and not more.") and row["context_tokens"] == "20" for row in rows)
    assert [bool(row["correctness"]) for row in rows] == [True, False] * 2
    assert "questions.csv, question 3: A question must have at least one word; it is empty." in printed.err
    assert "Nobody is significantly ahead of all others in AQS." in printed.err
    assert "1. Fixed sentences: chunking, s " in printed.err
    assert {body["model"] for _, _, body in http.requests} == {"test", "judge"}


def test_json_has_every_prompt_and_what_is_not_judged_is_not_asked(http, questions, capsys):
    assert answers("--questions", questions, "--json", "--not-judged") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 4
    assert all(row["asked"][-1]["text"] == row["answer"] and row["judgements"] == [] for row in rows)
    assert {body["model"] for _, _, body in http.requests} == {"test"}


def test_what_was_answered_before_the_limit_is_printed(http, questions, capsys):
    http.script = []
    assert answers("--questions", questions, "--spend", "2500") == 2
    printed = capsys.readouterr()
    assert "the spending limit is 2,500 tokens" in printed.err
    # What was paid for is said, too.
    assert f"openai:test: {len(http.requests)} request" in printed.err
    assert printed.out.startswith("chunker,question,")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--judge", "openai:x", "--not-judged"), "--judge and --not-judged must not both be given."),
        (("--spend", "0"), "--spend must be a whole number of tokens of at least 1; got '0'."),
        (("--budget", "0"), "--budget must be a whole number of tokens of at least 1; got 0."),
        # A chunker that asks would have asked by the time at which the budget is needed.
        (("--chunker", "llm", "--budget", "-5"), "--budget must be a whole number of tokens of at least 1; got -5."),
    ],
)
def test_what_is_wrong_is_one_sentence_and_nothing_is_sent(http, questions, capsys, arguments, said):
    assert answers("--questions", questions, *arguments) == 2
    assert capsys.readouterr().err.splitlines()[-1] == said
    assert http.requests == []
