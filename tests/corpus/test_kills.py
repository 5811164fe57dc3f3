"""A run that is killed again and again, and each time goes on: no chunk is lost, none is there twice."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpus.run import WORKER_IDLE_S
from sample_docs import load_sample
from tests import ROOT

KILLS = 5
LIMIT_S = 300

RECIPES = {
    "nothing": {"chunker": "fixed_sentences", "parameters": {"size": 2}, "embedder": "tfidf"},
    "static": {"chunker": "breakpoint", "parameters": {"amount": 80}, "embedder": "static"},
}


@pytest.fixture
def corpus(tmp_path):
    """Give a folder with files, JSON lines and Parquet, a kilobyte to a document."""
    folder = tmp_path / "in"
    folder.mkdir()
    text = load_sample("essay").text
    texts = [text[start : start + 1_000] for start in range(0, 60_000, 1_000)]
    for number, text in enumerate(texts[:20]):
        (folder / f"{number}.txt").write_text(text)
    (folder / "lines.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts[20:40]))
    pq.write_table(pa.table({"text": texts[40:]}), folder / "rows.parquet")
    return folder


def parts(output):
    return sorted(output.glob("part-*.parquet"))


def group(process):
    """Return the ids of the processes that a run has started, itself included."""
    listed = subprocess.run(["ps", "-e", "-o", "pid=,pgid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    return [int(pid) for pid, leader, state in rows if int(leader) == process.pid and not state.startswith("Z")]


@pytest.mark.full
@pytest.mark.skipif(shutil.which("ps") is None, reason="processes are listed by ps")
def test_workers_end_with_a_run_that_is_killed(tmp_path):
    recipe = tmp_path / "recipe.json"
    recipe.write_text(json.dumps({"chunker": "recursive", "parameters": {}, "sentences": "regex", "tokenizer": "words"}))
    text = load_sample("essay").text
    # Many seconds of work, so that it is at work when it is killed.
    for number in range(8):
        (tmp_path / f"{number}.txt").write_text(text * (4_000_000 // len(text)))
    command = [
        sys.executable,
        "-m",
        "seamark",
        "corpus",
        *sorted(tmp_path.glob("*.txt")),
        "--chunker",
        recipe,
        "--output",
        tmp_path / "out",
    ]
    options = {"cwd": ROOT, "start_new_session": True, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([*command, "--shard-size", "1", "--workers", "2"], **options) as process:
        try:
            began = time.monotonic()
            while len(group(process)) < 3 and process.poll() is None and time.monotonic() - began < LIMIT_S:
                time.sleep(0.1)
            assert process.poll() is None
            assert len(group(process)) >= 3
            process.kill()
            process.wait(LIMIT_S)
            killed = time.monotonic()
            while group(process) and time.monotonic() - killed < WORKER_IDLE_S / 2:
                time.sleep(0.1)
            assert not group(process)
        finally:
            for pid in group(process):
                os.kill(pid, signal.SIGKILL)


@pytest.mark.full
@pytest.mark.parametrize("embedding", RECIPES)
def test_five_kills_and_the_chunks_are_those_of_the_undisturbed_run(embedding, corpus, tmp_path, static_embedder):
    recipe = tmp_path / "recipe.json"
    recipe.write_text(json.dumps({**RECIPES[embedding], "sentences": "regex", "tokenizer": "words"}))
    # Where the app looks for the table that it distilled, there is one of an invented network.
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "seamark").symlink_to(static_embedder._path.parent)
    command = [
        sys.executable,
        "-m",
        "seamark",
        "corpus",
        str(corpus),
        "--chunker",
        str(recipe),
        "--shard-size",
        "0.002",
        "--workers",
        "2",
        "--output",
    ]

    def started(output):
        environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
        return subprocess.Popen(
            [*command, str(output)], cwd=ROOT, env=environment, start_new_session=True, stderr=subprocess.PIPE
        )

    with started(tmp_path / "whole") as process:
        stderr = process.communicate(timeout=LIMIT_S)[1]
        assert process.returncode == 0, stderr
    wanted = parts(tmp_path / "whole")
    chance = random.Random(7)
    moments = sorted(chance.sample(range(len(wanted) - 1), KILLS))
    killed = 0
    for number, moment in enumerate(moments):
        with started(tmp_path / "out") as process:
            began = time.monotonic()
            while len(parts(tmp_path / "out")) <= moment and process.poll() is None and time.monotonic() - began < LIMIT_S:
                time.sleep(0.001)
            time.sleep(chance.uniform(0, 0.02))
            # All of it, as when a machine goes down, or the run alone, whose workers are left behind.
            (os.killpg if number % 2 else os.kill)(process.pid, signal.SIGKILL)
            process.wait(LIMIT_S)
            killed += process.returncode == -signal.SIGKILL
            process.stderr.close()
        assert not (tmp_path / "out" / "_summary.json").exists()
    assert killed == KILLS
    with started(tmp_path / "out") as process:
        stderr = process.communicate(timeout=LIMIT_S)[1]
        assert process.returncode == 0, stderr
    assert [path.read_bytes() for path in parts(tmp_path / "out")] == [path.read_bytes() for path in wanted]
    chunk_rows = pq.read_table(tmp_path / "out").to_pylist()
    assert chunk_rows == pq.read_table(tmp_path / "whole").to_pylist()
    assert len({row["document_id"] for row in chunk_rows}) == 60
    assert len({row["chunk_id"] for row in chunk_rows}) == len(chunk_rows)
    assert (tmp_path / "out" / "_summary.json").read_text() == (tmp_path / "whole" / "_summary.json").read_text()
    assert not [*(tmp_path / "out").rglob(".unfinished*")]
