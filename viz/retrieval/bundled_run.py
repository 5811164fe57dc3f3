"""The bundled run shown at first; ``python -m viz.retrieval.bundled_run`` measures it again and writes its file."""

from chunkers import Embedder, InputError, build_chunker, load_embedder
from sample_docs import SAMPLES_FOLDER, sample_splitters
from viz.jobs.retrieval import Retrieval, StoredRetrieval
from viz.jobs.retrieval_plan import Plan
from viz.jobs.storage.stored_run import BundledRun, Keeper
from viz.retrieval.link_parameter_widgets import DEFAULT_LINK_PARAMETERS
from viz.shell import bundled_documents_and_questions
from viz.state import Choices, ColumnChoice


def default_retrieval_choices() -> Choices:
    """Return the default choices of the Retrieval page: a structural, a sentence-based and a semantic chunker."""
    return Choices(
        # The document is the other pages' default; its splitter suits prose, which most bundled documents are.
        "report",
        sample_splitters()["report"],
        [
            ColumnChoice("recursive", {"size": 100, "unit": "tokens"}),
            ColumnChoice("fixed_sentences"),
            ColumnChoice("optimal", {"max_size": 200}),
        ],
        extra=dict(DEFAULT_LINK_PARAMETERS),
    )


def _build_storage_of_default_run(keeper: Keeper) -> StoredRetrieval:
    """Return the storage of a run of the default chunkers on the bundled documents."""
    default_run_choices = default_retrieval_choices()
    embedder = load_embedder(default_run_choices.embedder, "cpu")
    chunkers = tuple(build_chunker(column.chunker, column.parameters, embedder) for column in default_run_choices.columns)
    plan = Plan(
        bundled_documents_and_questions(),
        chunkers,
        embedder.name,
        default_run_choices.sentences,
        default_run_choices.tokenizer,
    )
    return StoredRetrieval.build_for_plan(keeper, plan)


def _retrieval_job_of_stored_run(stored_retrieval: StoredRetrieval, embedder: Embedder | None) -> Retrieval:
    """Return the job of a stored run, which is started already if it only shows the results."""
    documents_and_questions = bundled_documents_and_questions()
    if (
        stored_retrieval.missing_documents_and_questions_phrase(documents_and_questions)
        or stored_retrieval.rebuild_plan(documents_and_questions).material != documents_and_questions
    ):
        raise InputError("The documents or the questions have changed since the run was measured.")
    retrieval_run = Retrieval(stored_retrieval.rebuild_plan(documents_and_questions), embedder, False, stored_retrieval)
    if embedder is None:
        retrieval_run.start()
    return retrieval_run


BUNDLED_RUN = BundledRun(
    SAMPLES_FOLDER / "retrieval_run.json", Retrieval, _build_storage_of_default_run, _retrieval_job_of_stored_run
)

if __name__ == "__main__":
    BUNDLED_RUN.measure_run_anew().write(BUNDLED_RUN.path)
