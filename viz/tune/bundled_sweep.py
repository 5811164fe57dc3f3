"""The bundled sweep shown at first; ``python -m viz.tune.bundled_sweep`` measures it again and writes its file."""

from chunkers import Embedder, InputError
from evaluation.segmentation import TRIVIAL_SETTINGS
from sample_docs import SAMPLES_FOLDER
from viz.jobs.storage.stored_run import BundledRun, Keeper
from viz.jobs.sweep import StoredSweep, Sweep
from viz.state import Choices, ColumnChoice
from viz.tune.sweep_inputs import (
    DEFAULT_GRID_LINK_PARAMETERS,
    OWN_DOCUMENTS_SPLITTER_DEFAULT,
    default_sweep_documents,
    default_sweep_settings,
    link_parameters_of_default_documents,
)


def default_choices() -> Choices:
    """Return the default choices of the Tune page: Breakpoint over its amount, on documents with known boundaries."""
    return Choices(
        "stubs",
        "lines",
        [ColumnChoice("breakpoint")],
        extra=DEFAULT_GRID_LINK_PARAMETERS
        | link_parameters_of_default_documents()
        | OWN_DOCUMENTS_SPLITTER_DEFAULT
        | {"measure": "pk", "run": ""},
    )


def _storage_for_default_sweep(run_storage: Keeper) -> StoredSweep:
    """Return the storage of the default sweep."""
    choices, documents = default_choices(), default_sweep_documents()
    return StoredSweep.build_for_settings(
        run_storage,
        documents.documents_and_splitter_names,
        documents.held_names,
        [*default_sweep_settings(), *TRIVIAL_SETTINGS],
        choices.embedder,
        choices.tokenizer,
    )


def _sweep_of_stored_run(stored_sweep: StoredSweep, embedder: Embedder | None) -> Sweep:
    """Return the job of a stored sweep."""
    if stored_sweep.plan != _storage_for_default_sweep(stored_sweep.keeper).plan:
        raise InputError(
            "The documents, their boundaries or the parameters of the chunkers have changed since the run was measured."
        )
    sweep, documents = Sweep.from_disk(stored_sweep), stored_sweep.find_sweep_documents([])
    return sweep if embedder is None else sweep.resumed_copy([document for document in documents if document], embedder)


BUNDLED_RUN = BundledRun(SAMPLES_FOLDER / "tune_run.json", Sweep, _storage_for_default_sweep, _sweep_of_stored_run)

if __name__ == "__main__":
    BUNDLED_RUN.measure_run_anew().write(BUNDLED_RUN.path)
