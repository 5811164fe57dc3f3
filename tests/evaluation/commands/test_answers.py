"""``seamark answers``: what is printed, where, and what is left out."""

import csv
import io
import json
import os
import re
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest

from chunkers.language_models.requests_within_spending_limit import MOST_PARALLEL_CONVERSATIONS
from evaluation.command_line import main
from sample_docs import SAMPLES_FOLDER
from tests import ROOT
from tests.evaluation.answering.scripted import chat
from tests.server import ChatModelServer, is_probe

STUBS = str(SAMPLES_FOLDER / "stubs.txt")
LIGHT = ("--embedder", "tfidf", "--tokenizer", "words", "--sentences", "lines")
LIMIT = 120.0
"""Seconds that a run may take on a busy machine."""

HELD = 9
"""Answers that are given before a run is killed."""

TWO = ("--chunker", "fixed_sentences", "--chunker", "recursive:size=200")


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
    assert "questions.csv, question 3: A question must have at least one word; this one is empty." in printed.err
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


def test_trivial_rows_stand_after_the_chunkers_and_the_controls_say_what_a_measure_tells(http, tmp_path, capsys):
    file = tmp_path / "questions.csv"
    rows = [f"What is {number}?,It is {number}." for number in "abcdefgh"]
    file.write_text("\n".join(["question,answer", *rows]), encoding="utf-8")
    # This judge knows each question's answer.
    http.model = lambda messages: json.dumps({"grade": 5 if messages[1]["content"].count(_asked(messages)) > 2 else 1})
    trivial = [word for name in ("closed_book", "reference", "swapped") for word in ("--trivial", name)]
    assert answers("--questions", str(file), *trivial) == 0
    printed = capsys.readouterr()
    answer_rows = list(csv.DictReader(io.StringIO(printed.out)))
    assert [*dict.fromkeys(row["chunker"] for row in answer_rows)][2:] == [
        "3. Closed book",
        "4. Reference",
        "5. Swapped reference",
    ]
    assert [row["answer"] for row in answer_rows if row["chunker"] == "4. Reference"] == [
        f"It is {number}." for number in "abcdefgh"
    ]
    swapped = [row["answer"] for row in answer_rows if row["chunker"] == "5. Swapped reference"]
    assert swapped == [f"It is {number}." for number in "bcdefgha"]
    sentence = "Correctness tells right from wrong with this model: 5.00 for the reference answers, 1.00 for those of other"
    assert sentence in printed.err
    # The right answers are no competitor.
    assert "4. Reference has the highest" not in printed.err


def test_nearly_all_unusable_judgements_stop_the_command_which_goes_on_when_told_to(http, tmp_path, capsys):
    """None of the judge's first ten replies can be used; the answers to the questions are printed all the same."""
    file = tmp_path / "questions.csv"
    file.write_text("question\n" + "\n".join(f"What is {number}?" for number in "abcdefgh"), encoding="utf-8")
    http.model = lambda messages: "No."
    arguments = ["--questions", str(file), "--judge", "openai:judge", "--keep", str(tmp_path / "answers.sqlite")]
    assert answers(*arguments) == 2
    printed = capsys.readouterr()
    assert re.search(r"10 of the first 10 answers could not be used\. A larger model helps, .* Add --continue", printed.err)
    stopped = {json.dumps(body) for _, _, body in http.requests}
    # Those in flight at the stop are answered, and kept, too.
    assert sum("judge" in body for body in stopped) < 24 + 2
    answer_rows = list(csv.DictReader(io.StringIO(printed.out)))
    assert answer_rows
    assert all(row["answer"] == "No." for row in answer_rows)
    http.requests.clear()
    assert answers(*arguments, "--continue") == 0
    printed = capsys.readouterr()
    assert "of the first 10 answers could not be used" in printed.err
    assert len(list(csv.DictReader(io.StringIO(printed.out)))) == 16
    # Those in flight at the stop were not answered.
    assert len(stopped & {json.dumps(body) for _, _, body in http.requests}) < MOST_PARALLEL_CONVERSATIONS


def test_unusable_judgements_between_usable_answers_are_said_and_stop_nothing(http, tmp_path, capsys):
    """Each answer is used, and its two judgements fail three times each: 6 to 8 of the first ten are unusable."""
    file = tmp_path / "questions.csv"
    file.write_text("question\n" + "\n".join(f"What is {number}?" for number in "abcdefgh"), encoding="utf-8")
    http.model = lambda messages: "No."
    assert answers("--questions", str(file)) == 0
    assert re.search(r"[678] of the first 10 answers could not be used\. A larger model helps", capsys.readouterr().err)


def _asked(messages):
    """Return words of the right answer to a question."""
    match = re.search(r"What is (\w)\?", messages[1]["content"])
    return f"is {match[1]}" if match else " "


def kept_in(file):
    """Return the number of answers in a file."""
    with closing(sqlite3.connect(file)) as kept:
        return kept.execute("SELECT count(*) FROM answers").fetchone()[0]


@pytest.mark.full
@pytest.mark.slow
def test_a_run_that_was_killed_asks_nothing_again_that_was_answered(serve, tmp_path):
    """The server holds back all requests from the tenth on; the run is killed once the answers to the others are stored.

    The two runs have keys of their own: the server may read what the first sent just before the kill during the second.
    """
    asked, lock, hold = [], threading.Lock(), threading.Event()

    def model(messages):
        with lock:
            asked.append(json.dumps(messages))
            number = len(asked)
        if number > HELD:
            hold.wait(LIMIT)
        return chat(messages)

    http = serve(ChatModelServer, model)
    file = tmp_path / "questions.csv"
    rows = [f"What is {number}?,It is {number}." for number in "abcdefgh"]
    file.write_text("\n".join(["question,answer", *rows]), encoding="utf-8")
    command = ["answers", STUBS, "--language-model", "openai:test", *LIGHT, *TWO, "--questions", str(file)]
    command = [sys.executable, "-m", "seamark", *command, "--keep", str(tmp_path / "answers.sqlite")]
    environment = {**os.environ, "OPENAI_BASE_URL": http.address, "OPENAI_API_KEY": "first"}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            until = time.monotonic() + LIMIT
            while len(asked) <= HELD or kept_in(file.with_name("answers.sqlite")) < HELD:
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.02)
        finally:
            process.kill()
    hold.set()
    environment["OPENAI_API_KEY"] = "second"
    resumed = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert resumed.returncode == 0, resumed.stderr
    answered = {*asked[:HELD]}
    asked_by = {"Bearer first": [], "Bearer second": []}
    for _, headers, body in http.requests:
        if not is_probe(body):
            asked_by[headers["authorization"]].append(json.dumps(body["messages"]))
    in_flight = {*asked_by["Bearer first"]} - answered
    asked_again = asked_by["Bearer second"]
    assert answered.isdisjoint(asked_again)
    assert 1 <= len(in_flight) <= MOST_PARALLEL_CONVERSATIONS
    assert in_flight <= {*asked_again}
    assert len(asked_again) == len({*asked_again})
    assert stat.S_IMODE((tmp_path / "answers.sqlite").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--judge", "openai:x", "--not-judged"), "--judge and --not-judged must not be given together; leave one out."),
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
