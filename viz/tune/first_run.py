"""The sweep that the page opens with; ``python -m viz.tune.first_run`` measures it again and writes its file."""

from __future__ import annotations

from functools import cache

from chunkers import InputError, load_embedder
from evaluation.segmentation.sweep import TRIVIAL
from sample_docs import SAMPLES_FOLDER
from viz.jobs.keeping.bundled import measured_now
from viz.jobs.sweep import Sweep
from viz.state.choices import Choices, ColumnChoice
from viz.tune.bundled_sweep import BundledSweep
from viz.tune.documents import default_documents, first_documents
from viz.tune.grid import DEFAULT_WORDS as GRID_WORDS
from viz.tune.grid import first_settings
from viz.tune.own_documents import DEFAULT_WORDS as OWN_WORDS

FILE = SAMPLES_FOLDER / "tune_run.json"


def first_screen() -> Choices:
    """Return the default choices: Breakpoint along its amount, on the bundled documents with known boundaries."""
    extra = GRID_WORDS | default_documents() | OWN_WORDS | {"measure": "pk", "run": ""}
    return Choices("stubs", "lines", [ColumnChoice("breakpoint")], extra=extra)


@cache
def first_run() -> tuple[Sweep, BundledSweep] | str:
    """Return the bundled sweep with its file, or an error message if the file is invalid.

    All sessions share it: it never changes.
    """
    try:
        kept = BundledSweep.read(FILE)
        return kept.sweep(first_documents()), kept
    except InputError as error:
        return str(error)


def measured_again() -> BundledSweep:
    """Run the settings of the first screen on the bundled documents."""
    choices, documents = first_screen(), first_documents()
    embedder = load_embedder(choices.embedder, "cpu")
    names = [one.name for one in documents.all]
    held = frozenset(one.name for one in documents.held)
    sweep = Sweep(names, documents.split, [*first_settings(), *TRIVIAL], embedder, choices.tokenizer, False, held)
    sweep.start()
    sweep.join(600)
    if sweep.error or len(sweep.rows) < sweep.total:
        raise InputError(sweep.error or "The sweep must end with all its runs; it has not.")
    return BundledSweep.of(sweep, embedder.name, documents, *measured_now())


if __name__ == "__main__":
    measured_again().write(FILE)
