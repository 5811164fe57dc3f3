"""The bundled sweep shown at first; ``python -m viz.tune.first_run`` measures it again and writes its file."""

from functools import cache

from chunkers import InputError, load_embedder
from evaluation.segmentation import TRIVIAL_SETTINGS
from sample_docs import SAMPLES_FOLDER
from viz.jobs import run_file_from_job
from viz.jobs.keeping.kept_run import BUNDLED, Keeper, RunFile, bundled_run
from viz.jobs.keeping.run_store import MemoryRunStore
from viz.jobs.sweep import KeptSweep, Sweep
from viz.state import Choices, ColumnChoice
from viz.tune.sweep_inputs import (
    GRID_PARAMETERS,
    OWN_DOCUMENT_PARAMETERS,
    default_document_parameters,
    default_sweep_documents,
    default_sweep_settings,
)

FILE = SAMPLES_FOLDER / "tune_run.json"


def default_choices() -> Choices:
    """Return the default choices of the Tune page: Breakpoint over its amount, on documents with known boundaries."""
    return Choices(
        "stubs",
        "lines",
        [ColumnChoice("breakpoint")],
        extra=GRID_PARAMETERS | default_document_parameters() | OWN_DOCUMENT_PARAMETERS | {"measure": "pk", "run": ""},
    )


@cache
def bundled_sweep_and_file() -> tuple[Sweep, RunFile] | str:
    """Return the bundled sweep and its file, or an error message if the documents or settings have changed since.

    The sweep never changes, so all sessions share it.
    """
    try:
        kept_sweep, run_file_content = bundled_run(FILE, KeptSweep)
        if kept_sweep.plan != _default_kept_sweep(kept_sweep.keeper).plan:
            raise InputError(
                "The documents, their boundaries or the parameters of the chunkers have changed since the run was measured."
            )
        return Sweep.from_disk(kept_sweep), run_file_content
    except InputError as error:
        return str(error)


def _default_kept_sweep(keeper: Keeper) -> KeptSweep:
    """Return the storage of the default sweep."""
    choices, documents = default_choices(), default_sweep_documents()
    return KeptSweep.of(
        keeper,
        documents.with_splitters,
        documents.held_names,
        [*default_sweep_settings(), *TRIVIAL_SETTINGS],
        choices.embedder,
        choices.tokenizer,
    )


def measure_bundled_sweep() -> RunFile:
    """Run the default sweep on the bundled documents, and return the new run file."""
    stored_sweep = _default_kept_sweep(Keeper(MemoryRunStore(), BUNDLED, KeptSweep.kind))
    embedder = load_embedder(stored_sweep.plan.embedder, "cpu")
    bundled_sweep_documents = [document for document in stored_sweep.documents_among([]) if document is not None]
    return run_file_from_job(Sweep.from_disk(stored_sweep).resumed(bundled_sweep_documents, embedder), embedder)


if __name__ == "__main__":
    measure_bundled_sweep().write(FILE)
