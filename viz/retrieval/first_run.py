"""The run that the page opens with; ``python -m viz.retrieval.first_run`` measures it again and writes its file."""

from __future__ import annotations

from functools import cache

from chunkers import InputError, build_chunker, load_embedder
from sample_docs import SAMPLES_FOLDER, sample_splitters
from viz.jobs.keeping.bundled import measured_now
from viz.jobs.plan import Plan
from viz.jobs.retrieval import Retrieval
from viz.retrieval.bundled_run import BundledRun
from viz.retrieval.link_words import DEFAULT_WORDS
from viz.retrieval.material import bundled
from viz.state.choices import Choices, ColumnChoice

FILE = SAMPLES_FOLDER / "retrieval_run.json"


def first_screen() -> Choices:
    """Return the default choices: a chunker by structure, one by sentences, and one by meaning."""
    columns = [
        ColumnChoice("recursive", {"size": 100, "unit": "tokens"}),
        ColumnChoice("fixed_sentences"),
        ColumnChoice("optimal", {"max_size": 200}),
    ]
    # The document is the other pages' default; its splitter suits prose, as most of the bundled documents are.
    return Choices("report", sample_splitters()["report"], columns, extra=dict(DEFAULT_WORDS))


@cache
def first_run() -> tuple[Retrieval, BundledRun] | str:
    """Return the bundled run with its file, or an error message if the file is invalid.

    All sessions share it: it never changes.
    """
    try:
        kept = BundledRun.read(FILE)
        run = Retrieval(kept.plan(bundled()), None, False, measured_before=kept.results)
    except InputError as error:
        return str(error)
    run.start()
    return run, kept


def measured_again() -> BundledRun:
    """Measure the chunkers of the first screen on the bundled documents."""
    choices = first_screen()
    embedder = load_embedder(choices.embedder, "cpu")
    chunkers = tuple(build_chunker(one.chunker, one.parameters, embedder) for one in choices.columns)
    plan = Plan(bundled(), chunkers, embedder.name, choices.sentences, choices.tokenizer)
    run = Retrieval(plan, embedder, False)
    run.start()
    run.join(600)
    if run.error or run.running or len(run.found) < len(chunkers):
        raise InputError(run.error or "The run must end with all chunkers measured; it has not.")
    return BundledRun.of(plan, run.found, run.ladders, *measured_now())


if __name__ == "__main__":
    measured_again().write(FILE)
