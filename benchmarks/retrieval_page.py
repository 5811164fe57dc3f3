"""Rerun times of the Retrieval page with six chunkers on the bundled documents and thousands of questions.

The app runs without a browser (Streamlit's AppTest), so the times are the server's plus AppTest's overhead.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from streamlit.testing.v1 import AppTest

from benchmarks.measure import Spread, table, timed
from chunkers import Document, build_chunker, load_embedder
from evaluation.questions.reading import MOST
from evaluation.statistics import paired
from tests import ROOT
from viz.jobs.background import registry
from viz.jobs.plan import Material, Plan
from viz.jobs.retrieval import Retrieval
from viz.retrieval.material import bundled

CHUNKERS = ("recursive", "fixed_sentences", "optimal", "breakpoint", "double_pass", "change_point")
SPLITTER, TOKENIZER = "regex", "words"
LONGEST = 3
"""Most sentences of an excerpt."""


def sampled(count: int, seed: int = 0) -> Material:
    """Return the bundled documents with ``count`` questions, each made of words from neighbouring sentences."""
    texts = bundled().texts
    documents = [Document.from_text(text, SPLITTER, name) for name, text in texts]
    places = [(document, first) for document in documents for first in range(len(document.sentences))]
    random = np.random.default_rng(seed)
    file = io.StringIO()
    rows = csv.writer(file)
    rows.writerow(["question", "excerpts", "corpus_id"])
    for number in range(1, count + 1):
        document, first = places[random.integers(len(places))]
        last = min(first + int(random.integers(LONGEST)), len(document.sentences) - 1)
        excerpt = document.text[document.sentences[first].start : document.sentences[last].end].strip()
        words = sorted(dict.fromkeys(excerpt.split()), key=len)[-3:]
        # Numbers make the questions distinct.
        rows.writerow([f"What is said of {', '.join(words)} ({number})?", json.dumps([excerpt]), document.name])
    return Material(texts, ("sampled.csv", file.getvalue().encode()), own=True)


def measured(count: int) -> Retrieval:
    """Return a completed run over ``count`` questions."""
    embedder = load_embedder("tfidf")
    chunkers = tuple(build_chunker(name, {}, embedder) for name in CHUNKERS)
    run = Retrieval(Plan(sampled(count), chunkers, embedder.name, SPLITTER, TOKENIZER), embedder, on_disk=False)
    run.start()
    run.join(600)
    if run.error or len(run.found) < len(CHUNKERS):
        raise SystemExit(f"The run was not measured: {run.error or run.errors}")
    return run


def opened(token: str) -> AppTest:
    """Return the page of a run, not yet drawn."""
    app = AppTest.from_file(ROOT / "app.py", default_timeout=600)
    app.query_params["embedder"] = "tfidf"
    app.query_params["run"] = token
    app.switch_page("pages/retrieval.py")
    return app


def draw(app: AppTest) -> None:
    """Rerun the page until it shows the report, which is computed in a thread."""
    while True:
        app.run()
        if app.exception:
            raise SystemExit(f"The page failed: {app.exception[0].value}")
        if any(box.key == "retrieval_question" for box in app.selectbox):
            return


class Step(NamedTuple):
    """The cost of one rerun: time, processor time, and significance tests, each of which draws 10,000 sign flips."""

    ms: float
    processor_ms: float
    tests: int


class Stopwatch:
    """A stopwatch that also counts significance tests."""

    def __init__(self) -> None:
        self.calls = 0
        test = paired.compare_families

        def counted(*arguments: Any, **named: Any) -> Any:
            self.calls += 1
            return test(*arguments, **named)

        paired.compare_families = counted

    def during(self, call: Callable[[], object]) -> Step:
        """Run ``call`` and return its cost."""
        calls, before = self.calls, time.process_time()
        seconds, _ = timed(call)
        return Step(1000 * seconds, 1000 * (time.process_time() - before), self.calls - calls)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the times; return 1 if choosing another question computes a significance test."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval_page", description=__doc__)
    parser.add_argument("--questions", type=int, default=MOST, metavar="N", help=f"default: {MOST:,}")
    parser.add_argument("--steps", type=int, default=7, metavar="N", help="reruns of each kind; default: 7")
    options = parser.parse_args(arguments)
    seconds, run = timed(lambda: measured(options.questions))
    print(f"{len(CHUNKERS)} chunkers, {len(run.questions.usable):,} questions, searched in {seconds:.0f} s.", flush=True)
    watch = Stopwatch()
    token = registry().keep(run)
    app, other = opened(token), opened(token)
    other.query_params["k"] = "3"
    found: dict[str, list[Step]] = {}

    def step(name: str, page: AppTest) -> None:
        found.setdefault(name, []).append(watch.during(lambda: draw(page)))

    step("first drawn", app)
    step("first drawn in a second session, with another k", other)
    for number in range(2, options.steps + 2):
        for name, page in (("another question", app), ("another question in the second session", other)):
            page.selectbox(key="retrieval_question").set_value(str(number))
            step(name, page)
    for name, measure in (("another measure", "iou"), ("a measure of before", "recall"), ("a measure of before", "iou")):
        app.selectbox(key="retrieval_measure").set_value(measure)
        step(name, app)
    rows = []
    for name, steps in found.items():
        times = [Spread.of(one[place] for one in steps).milliseconds() for place in (0, 1)]
        rows.append([name, *times, ", ".join(map(str, sorted({one.tests for one in steps})))])
    print(table(["the page is drawn again after", "ms (quartiles)", "of the processor", "significance tests"], rows))
    return int(any(one.tests for one in found["another question"]))


if __name__ == "__main__":
    sys.exit(main())
