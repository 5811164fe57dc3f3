"""Corpora that are cut with a language model: by word of the command line alone, within a limit, and nothing asked twice."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pyarrow.parquet as pq
import pytest

from chunkers import Recipe
from chunkers.language_models.requests_within_spending_limit import MOST_PARALLEL_CONVERSATIONS
from chunkers.language_models.spending import SpendingLimit
from chunkers.support.errors import ModelError
from corpus.command_line import main
from corpus.run import Run, write_in_processes
from tests import ROOT
from tests.lanes import mostly_full
from tests.server import KEY, ChatModelServer
from tests.support import LIMIT, ScriptedModel, asking

RECIPE = {
    "chunker": "llm",
    "parameters": {"window": 12, "piece_size": 3},
    "sentences": "regex",
    "embedder": "tfidf",
    "tokenizer": "words",
}
LINES = [f"The lamp {number} shines at night. It is red and far away. Ships see it from the sea." for number in range(6)]


class Interrupted(ScriptedModel):
    """A model that the user tires of when it has answered so often."""

    def __init__(self, after):
        super().__init__()
        self.after = after

    def reply(self, messages, most_tokens, attempts):
        if len(self.asked) == self.after:
            raise KeyboardInterrupt
        return super().reply(messages, most_tokens, attempts)


class Costly(ScriptedModel):
    """A model of which every answer takes a thousand tokens."""

    def answer(self, messages):
        return super().answer(messages)._replace(tokens_in=900, tokens_out=100)


@pytest.fixture
def texts(tmp_path):
    file = tmp_path / "in.jsonl"
    file.write_text("\n".join(json.dumps({"id": str(number), "text": text}) for number, text in enumerate(LINES)))
    return file


def run(texts, output, model, limit=None):
    made = Run(RECIPE, (texts,), output, shard_bytes=250, language_model=model, limit=limit)
    return made.write_all_shards(write_in_processes, 2), made


def rows(output):
    return pq.read_table(output).to_pylist()


def test_a_run_that_was_stopped_asks_nothing_twice(texts, tmp_path):
    whole = ScriptedModel()
    run(texts, tmp_path / "whole", whole)
    expected = [text for line in LINES for text in Recipe(**RECIPE).run(line, language_model=asking()).texts]
    assert [row["text"] for row in rows(tmp_path / "whole")] == expected
    first, second = Interrupted(4), ScriptedModel()
    with pytest.raises(KeyboardInterrupt):
        run(texts, tmp_path / "out", first)
    _, made = run(texts, tmp_path / "out", second)
    assert made.resumed
    asked = [json.dumps(messages) for messages in (*first.asked, *second.asked)]
    assert len(asked) == len({*asked}) == len(whole.asked) > 5
    assert rows(tmp_path / "out") == rows(tmp_path / "whole")


def test_the_limit_stops_the_run_which_goes_on_with_another(texts, tmp_path):
    model = Costly()
    with pytest.raises(ModelError, match=r"the spending limit is 6,000 tokens; .* What was answered is kept\."):
        run(texts, tmp_path / "out", model, SpendingLimit(6_000))
    assert not (tmp_path / "out" / "_summary.json").exists()
    done = len(model.asked)
    whole, _ = run(texts, tmp_path / "out", model)
    assert whole.tally.documents == len(LINES)
    assert 0 < done < len(model.asked) == len({json.dumps(messages) for messages in model.asked})


def test_the_command_sends_by_its_own_options_alone(texts, tmp_path, capsys, monkeypatch, serve):
    scripted = ScriptedModel()
    http = serve(ChatModelServer, lambda messages: scripted.words(messages[1]["content"]))
    monkeypatch.setenv("OPENAI_BASE_URL", http.address)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    recipe = tmp_path / "recipe.json"
    recipe.write_text(json.dumps({**RECIPE, "language_model": "openai:test"}))
    command = [str(texts), "--chunker", str(recipe), "--output", str(tmp_path / "out")]
    for options, sentence in (
        ([], "llm asks a language model, which is possible only in one process"),
        (["--language-model", "openai:test"], "--language-model and --spend must be given together"),
        (["--spend", "9"], "--language-model and --spend must be given together"),
        (
            ["--language-model", "openai:test", "--spend", "0"],
            "--spend must be a whole number",
        ),
        (["--language-model", "openai:test", "--spend", "9", "--engine", "ray"], "--engine must be local"),
    ):
        assert main([*command, *options]) == 2
        assert sentence in capsys.readouterr().err
        assert http.requests == []
    assert main([*command, "--language-model", "openai:test", "--spend", "100000"]) == 0
    assert f"openai:test: {len(http.requests)} requests, " in capsys.readouterr().err
    told = json.loads((tmp_path / "out" / "_summary.json").read_text())
    assert told["recipe"]["language_model"] == "openai:test"
    assert http.address not in "".join(path.read_text(errors="replace") for path in (tmp_path / "out").glob("_*.json*"))


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("chunker", mostly_full(["llm", "propositions"], {"llm"}))
def test_after_a_kill_nothing_is_asked_again_but_what_was_on_its_way(texts, tmp_path, chunker, serve):
    scripted, dead = ScriptedModel(), threading.Event()

    def model(messages):
        if len(http.requests) >= 4:
            # Answered any faster, the process might end before it is killed.
            dead.wait(LIMIT)
        return scripted.words(messages[1]["content"])

    http = serve(ChatModelServer, model)
    recipe = tmp_path / "recipe.json"
    own = {"parameters": {"window": 12, "batch": 3}} if chunker == "propositions" else {}
    recipe.write_text(json.dumps({**RECIPE, **own, "chunker": chunker}))
    command = [sys.executable, "-m", "seamark", "corpus", str(texts), "--chunker", str(recipe)]
    command += ["--output", str(tmp_path / "out")]
    command += ["--language-model", "openai:test", "--spend", "1000000"]
    environment = {**os.environ, "OPENAI_BASE_URL": http.address, "OPENAI_API_KEY": KEY}

    def begin():
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    killed = begin()
    while len(http.requests) < 4 and killed.poll() is None:
        time.sleep(0.003)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    dead.set()
    last = begin()
    output, _ = last.communicate(timeout=300)
    assert (killed.returncode, last.returncode) == (-signal.SIGKILL, 0), output.decode()
    asked = [json.dumps(body["messages"]) for _, _, body in http.requests]
    assert len(asked) > 5
    assert len(asked) - len({*asked}) <= (1 if chunker == "llm" else MOST_PARALLEL_CONVERSATIONS)
    made = Recipe.from_json(recipe.read_text())
    assert [row["text"] for row in rows(tmp_path / "out")] == [
        text for line in LINES for text in made.run(line, language_model=asking()).texts
    ]
    for path in (tmp_path / "out").rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes()
    assert KEY.encode() not in output
