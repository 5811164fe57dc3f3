"""Every command and snippet of the documents runs where Seamark is installed, in a folder of somebody's own."""

import json
import os
import re
import subprocess
from importlib.util import find_spec
from itertools import groupby

import pytest

from chunkers.language_models.prompts import QUESTION_WRITING_SYSTEM_PROMPT
from sample_docs import SAMPLES_FOLDER
from seamark.__main__ import DESCRIPTION_BY_COMMAND
from tests import ROOT
from tests.evaluation.answering.scripted import chat
from tests.evaluation.generating.questioner import answer, number_of
from tests.fixtures.environments import LIMIT, environment
from tests.packing.documented import NOT_RUN, PAGES, examples
from tests.packing.test_wheel import EXTRAS
from tests.server import ChatModelServer

pytestmark = pytest.mark.slow

ALL = [example for page in PAGES for example in examples(page)]
TARGETS = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
TEXT = "The tide comes in.\nThe tide goes out.\nBread needs flour.\nBread needs salt.\n"
RECIPE = {"chunker": "structure", "parameters": {"max_size": 120}, "embedder": "tfidf", "tokenizer": "words"}


def said(messages):
    """Answer, judge, or ask a question about a sentence of a passage."""
    if messages[0]["content"] != QUESTION_WRITING_SYSTEM_PROMPT:
        return chat(messages)
    prompt = messages[3]["content"]
    sentences = re.findall(r"[A-Z][^.\n]+\.", prompt.split("\n\n")[2])
    sentence = sentences[number_of(prompt) % len(sentences)]
    return answer(f"Is it so that {sentence[:-1]}?", sentence)


def write_samples(folder):
    """Write the files that the documents name, under these names."""
    samples = {name: (SAMPLES_FOLDER / name).read_bytes() for name in ("stubs.txt", "three_topics.txt", "table.md")}
    for name in ("FILE", "DOCUMENT"):
        (folder / name).write_bytes(samples["stubs.txt"])
    for name in ("FOLDER", "INPUT", "docs"):
        (folder / name).mkdir()
        for sample in ("stubs.txt", "three_topics.txt"):
            (folder / name / sample).write_bytes(samples[sample])
    (folder / "docs" / "wages.md").write_bytes(samples["table.md"])
    for name in ("RECIPE", "recipe.json", "seamark.recipe.json"):
        (folder / name).write_text(json.dumps(RECIPE), encoding="utf-8")
    rows = (SAMPLES_FOLDER / "questions.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    questions = [rows[0], *(row for row in rows if row.rstrip().endswith((",stubs", ",three_topics")))]
    for name in ("FILE.csv", "questions.csv"):
        (folder / name).write_text("".join(questions), encoding="utf-8")
    (folder / "QUESTIONS").write_text(json.dumps([{"question": "What do herons eat?", "answer": "Fish."}]), encoding="utf-8")
    chunks = [
        {"text": line, "source": name}
        for name in ("stubs.txt", "three_topics.txt")
        for line in samples[name].decode().splitlines()
        if line
    ]
    (folder / "FILE.json").write_text(json.dumps(chunks), encoding="utf-8")
    trace = {"query": "What is first?", "retrieved": [chunks[0]["text"]], "excerpts": [chunks[1]["text"]]}
    (folder / "FILE.jsonl").write_text(json.dumps(trace), encoding="utf-8")


def as_typed(example):
    """Return a command with nothing left out: one file for several, and help for a command that is only named."""
    if example.kind == "python":
        return example.code
    command = example.code.replace("...", "")
    return f"{command} --help" if command.removeprefix("seamark ") in DESCRIPTION_BY_COMMAND else command


@pytest.fixture(scope="module")
def user(built, tmp_path_factory):
    """The Python of an environment with the wheel and all its extras."""
    return environment(tmp_path_factory.mktemp("user"), built[1], [*EXTRAS])


@pytest.mark.full
@pytest.mark.parametrize("dear", [False, True])
def test_every_command_and_snippet_runs(user, tmp_path, dear):
    run, given = [], []
    # The commands of a block read what those before them have written.
    for number, (_, block) in enumerate(groupby(ALL, lambda example: (example.page, example.line))):
        shown = [example for example in block if example.is_run]
        is_dear = any(example.is_dear for example in shown)
        wanted = [example for example in shown if (is_dear if dear else not example.is_dear)]
        folder = tmp_path / str(number)
        if wanted:
            folder.mkdir()
            write_samples(folder)
        run += wanted
        given += [[example.kind, as_typed(example), str(folder)] for example in wanted]
    server = ChatModelServer(said)
    try:
        done = subprocess.run(
            [user, ROOT / "tests" / "packing" / "run_examples.py"],
            input=json.dumps({"text": TEXT, "examples": given}),
            env={**os.environ, "OPENAI_BASE_URL": server.address, "OPENAI_API_KEY": "none", "PYTHONPATH": ""},
            capture_output=True,
            text=True,
            timeout=LIMIT * 4,
            check=False,
        )
    finally:
        server.close()
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(results) == len(run), done.stderr
    for example, (_, _, seconds) in zip(run, results, strict=True):
        print(f"{seconds:6.1f} s {example}")  # noqa: T201 - for `pytest -s`
    failed = [f"{example}\n{printed}" for example, (status, printed, _) in zip(run, results, strict=True) if status]
    assert not failed, "\n\n".join(failed)


def test_what_is_not_run_has_a_reason_that_is_needed():
    used = {example.runner for example in ALL if not example.is_run}
    assert used == {*NOT_RUN.values()}


@pytest.mark.parametrize("page", PAGES)
def test_what_is_named_in_a_sentence_is_there(page):
    for example in examples(page):
        words = example.code.split()
        if words[0] == "make":
            assert words[1] in TARGETS, example
        if words[:2] == ["python", "-m"]:
            assert find_spec(words[2]), example


@pytest.mark.parametrize("page", PAGES)
def test_there_is_one_spelling(page):
    """`seamark COMMAND` and `from seamark` are the same in a checkout and where Seamark is installed."""
    rooms = "chunkers|corpus|evaluation|integrations|sample_docs|viz"
    text = (ROOT / page).read_text(encoding="utf-8")
    assert re.findall(rf"-m (?:chunkers|corpus|evaluation)\b.*|^(?:from|import) (?:{rooms})\b.*", text, re.MULTILINE) == []
