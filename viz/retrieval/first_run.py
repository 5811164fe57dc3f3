"""The run that the page opens with; ``python -m viz.retrieval.first_run`` measures it again and writes its file."""

from __future__ import annotations

from functools import cache

from chunkers import InputError, build_chunker, load_embedder
from sample_docs import SAMPLES_FOLDER, sample_splitters
from viz.jobs.keeping.kept_run import BUNDLED, Keeper, bundled_run
from viz.jobs.keeping.run_file import RunFile
from viz.jobs.kept_job import measure_bundled
from viz.jobs.kept_retrieval import KeptRetrieval
from viz.jobs.plan import Plan
from viz.jobs.retrieval import Retrieval
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
def first_run() -> tuple[Retrieval, RunFile] | str:
    """Return the bundled run with its file, or an error message if it is not of today's documents and questions.

    All sessions share it: it never changes.
    """
    try:
        kept, file = bundled_run(FILE, KeptRetrieval)
        if kept.missing(bundled()) or kept.with_material(bundled()).material != bundled():
            raise InputError("The documents or the questions have changed since the run was measured.")
    except InputError as error:
        return str(error)
    run = Retrieval(kept.with_material(bundled()), None, False, kept)
    run.start()
    return run, file


def measured_again() -> RunFile:
    """Measure the chunkers of the first screen on the bundled documents."""
    choices = first_screen()
    embedder = load_embedder(choices.embedder, "cpu")
    chunkers = tuple(build_chunker(one.chunker, one.parameters, embedder) for one in choices.columns)
    plan = Plan(bundled(), chunkers, embedder.name, choices.sentences, choices.tokenizer)
    kept = KeptRetrieval.of(Keeper(RunFile(), BUNDLED, KeptRetrieval.kind), plan)
    return measure_bundled(Retrieval(plan, embedder, False, kept))


if __name__ == "__main__":
    measured_again().write(FILE)
