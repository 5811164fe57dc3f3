"""The bundled sweep shown at first; ``python -m viz.tune.bundled_sweep`` measures it again and writes its file."""

from chunkers import Embedder, InputError
from evaluation.segmentation import TRIVIAL_SETTINGS
from sample_docs import SAMPLES_FOLDER
from viz.jobs.storage.stored_run import BundledRun, Keeper
from viz.jobs.sweep import StoredSweep, Sweep
from viz.state import Choices, ColumnChoice
from viz.tune.sweep_inputs import (
    GRID_LINK_PARAMETERS,
    OWN_SPLITTER_LINK_DEFAULT,
    default_document_link_parameters,
    default_sweep_documents,
    default_sweep_settings,
)


def default_choices() -> Choices:
    """Return the default choices of the Tune page: Breakpoint over its amount, on documents with known boundaries."""
    return Choices(
        "stubs",
        "lines",
        [ColumnChoice("breakpoint")],
        extra=GRID_LINK_PARAMETERS
        | default_document_link_parameters()
        | OWN_SPLITTER_LINK_DEFAULT
        | {"measure": "pk", "run": ""},
    )


def _default_stored_sweep(keeper: Keeper) -> StoredSweep:
    """Return the storage of the default sweep."""
    choices, documents = default_choices(), default_sweep_documents()
    return StoredSweep.of(
        keeper,
        documents.documents_and_splitter_names,
        documents.held_names,
        [*default_sweep_settings(), *TRIVIAL_SETTINGS],
        choices.embedder,
        choices.tokenizer,
    )


def _sweep_of_stored_run(stored_sweep: StoredSweep, embedder: Embedder | None) -> Sweep:
    """Return the job of a stored sweep."""
    if stored_sweep.plan != _default_stored_sweep(stored_sweep.keeper).plan:
        raise InputError(
            "The documents, their boundaries or the parameters of the chunkers have changed since the run was measured."
        )
    sweep, documents = Sweep.from_disk(stored_sweep), stored_sweep.find_sweep_documents([])
    return sweep if embedder is None else sweep.resumed([document for document in documents if document], embedder)


BUNDLED_RUN = BundledRun(SAMPLES_FOLDER / "tune_run.json", Sweep, _default_stored_sweep, _sweep_of_stored_run)

if __name__ == "__main__":
    BUNDLED_RUN.measure().write(BUNDLED_RUN.path)
