"""Every benchmark runs to its end at a small setting and prints figures; their targets are for a machine at rest."""

import csv
import json
import os
import re
import subprocess
import sys
from contextlib import closing

import pytest

from sample_docs import load_sample
from tests import ROOT
from tests.benchmarks.tables import tables
from tests.lanes import mostly_full
from tests.server import ChatModelServer

LIMIT = 900.0
"""Seconds that a benchmark may take on a busy machine."""

MISSED = 1
"""Exit status of a benchmark that has run to its end and missed a target."""

TEXT = ("--text", "sample_docs/three_topics.txt")

SETTINGS = {
    "__main__": ["--repeats", "1", *TEXT],
    "markdown_block_differences": ["docs"],
    "browser": ["--steps", "2", "--characters", "5000"],
    "browser ask": ["--ask", "--steps", "2"],
    "browser hostile": ["--hostile", "--steps", "2", "--only", "spaces"],
    "change_point_false_cuts": ["--sizes", "30", "--texts", "2"],
    "chroma": ["{chroma}", "--corpus", "chatlogs"],
    "code": ["--files", "3", "--sizes", "400"],
    "corpus": ["--sizes", "1", "--kills", "1"],
    "diff_time_and_memory": ["--sizes", "1"],
    "embedding": ["--repeats", "1", "--only", "three_topics"],
    "heading_path": ["{missing}", "--only", "structure"],
    "hostile_files": ["--only", "torn"],
    "process_kills": ["--moments", "1"],
    "features_using_language_model": [
        *("--server", "{address}", "--folder", "{missing}"),
        *("--characters", "200", "--questions", "1", "--controls", "2"),
    ],
    "late_chunking": [
        *("{missing}", "--chunker", "recursive:size=100,unit=tokens"),
        *("--language-model", "openai:scripted", "--spend", "9000000"),
    ],
    "server_load sliders": ["sliders", "--sessions", "2", "--seconds", "3"],
    "server_load rounds": ["rounds", "--sessions", "2", "--rounds", "1", "--characters", "500", "--ttl", "1"],
    "server_load waiting": ["waiting", "--sessions", "2", "--characters", "20000"],
    "server_load soak": ["soak", "--sessions", "1", "--seconds", "20", "--think", "0.2", "--characters", "500"],
    "retrieved_near_duplicates": ["{chroma}", "--corpus", "chatlogs", "--chunkers", "1"],
    "remedies": ["--only", "article", "--failures", "3", "--repeats", "1"],
    "retrieval_at_scale": ["--megabytes", "1", "--questions", "20"],
    "standalone_chunk_rules": ["--rule", "empty"],
    "scaling": ["--only", "fixed_words", "--sizes", "100"],
    "sentence_ends_and_speed": ["--repeats", "1"],
    "page_layout_shift": ["--only", "retrieval", "--size", "400x800"],
    "time_and_memory_at_scale": ["--repeats", "1", *TEXT],
    "startup_time": ["--repeats", "1"],
    "stitched": ["--count", "2"],
    "structure": ["--only", "table.md", "--edits", "3"],
    "traced_text_location": ["--megabytes", "1", "--questions", "5"],
    "verdict_error_rates": ["--sets", "100", "--most", "10"],
}
"""A small setting by module, and a word where a module has several; chroma's corpus and a model's server are the test's."""

CHEAP = {"markdown_block_differences", "change_point_false_cuts", "hostile_files", "scaling", "structure"}

TIMED = {
    "__main__",
    "embedding",
    "server_load sliders",
    "server_load rounds",
    "server_load waiting",
    "server_load soak",
    "page_layout_shift",
    "time_and_memory_at_scale",
}
"""Benchmarks whose targets a busy machine may miss. All others must reach theirs."""


def test_every_benchmark_has_a_setting():
    runnable = {
        path.stem for path in (ROOT / "benchmarks").glob("*.py") if 'if __name__ == "__main__"' in path.read_text("utf-8")
    }
    assert {name.split()[0] for name in SETTINGS} == runnable


def write_corpus(folder):
    """Write a corpus in the form of Chroma's data, with enough questions for an interval."""
    text = load_sample("article").text
    (folder / "chatlogs.md").write_bytes(text.encode())
    with (folder / "questions.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["question", "references", "corpus_id"])
        for start in range(0, 3000, 500):
            reference = {"content": text[start : start + 200], "start_index": start, "end_index": start + 200}
            rows.writerow([f"What is said at {start}?", json.dumps([reference]), "chatlogs"])


def run(name, folder):
    """Run a benchmark in a process of its own at its small setting."""
    with closing(ChatModelServer(schema="enforced")) as model:
        return _run(name, folder, model.address)


def _run(name, folder, address):
    folders = {"chroma": folder / "chroma", "missing": folder / "missing", "address": address}
    folders["chroma"].mkdir()
    write_corpus(folders["chroma"])
    module = f"benchmarks.{name.split()[0]}".removesuffix(".__main__")
    command = [sys.executable, "-m", module, *(word.format_map(folders) for word in SETTINGS[name])]
    server = {**os.environ, "OPENAI_BASE_URL": address}
    return subprocess.run(command, cwd=ROOT, env=server, capture_output=True, text=True, timeout=LIMIT, check=False)


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_full(SETTINGS, CHEAP))
def test_it_runs_to_its_end_and_prints_figures(name, tmp_path):
    done = run(name, tmp_path)
    output = f"{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr, output
    assert done.returncode in ({0, MISSED} if name in TIMED else {0}), output
    rows = [row for table in tables(done.stdout) for row in table]
    assert rows or re.search(r": median \d+ ms", done.stdout), output
    # What so little data cannot tell is said instead of a figure.
    assert all(re.search(r"\d|too few", " ".join([*row.values()][1:])) for row in rows), output
    for row in rows:
        assert all(row[column] == "0" for column in row if column.endswith(("errors", "lost updates"))), output
