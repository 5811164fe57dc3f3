"""The bundled run shown at first; ``python -m viz.retrieval.first_run`` measures it again and writes its file."""

from functools import cache

from chunkers import InputError, build_chunker, load_embedder
from sample_docs import SAMPLES_FOLDER, sample_splitters
from viz.jobs import run_file_from_job
from viz.jobs.keeping.kept_run import BUNDLED, Keeper, RunFile, bundled_run
from viz.jobs.keeping.run_store import MemoryRunStore
from viz.jobs.retrieval import KeptRetrieval, Retrieval
from viz.jobs.retrieval_plan import Plan
from viz.retrieval.link_parameters import DEFAULT_PARAMETERS
from viz.shell import bundled_material
from viz.state import Choices, ColumnChoice

FILE = SAMPLES_FOLDER / "retrieval_run.json"


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
        extra=dict(DEFAULT_PARAMETERS),
    )


@cache
def bundled_run_and_file() -> tuple[Retrieval, RunFile] | str:
    """Return the bundled run and its file, or an error message if the documents or questions have changed since.

    The run never changes, so all sessions share it.
    """
    try:
        kept_run, run_file_content = bundled_run(FILE, KeptRetrieval)
        if (
            kept_run.missing_files_in_words(bundled_material())
            or kept_run.rebuild_plan(bundled_material()).material != bundled_material()
        ):
            raise InputError("The documents or the questions have changed since the run was measured.")
    except InputError as error:
        return str(error)
    bundled_retrieval_run = Retrieval(kept_run.rebuild_plan(bundled_material()), None, False, kept_run)
    bundled_retrieval_run.start()
    return bundled_retrieval_run, run_file_content


def measure_bundled_run() -> RunFile:
    """Measure the default chunkers on the bundled documents, and return the new run file."""
    retrieval_choices = default_retrieval_choices()
    embedder = load_embedder(retrieval_choices.embedder, "cpu")
    chunkers = tuple(build_chunker(column.chunker, column.parameters, embedder) for column in retrieval_choices.columns)
    plan = Plan(bundled_material(), chunkers, embedder.name, retrieval_choices.sentences, retrieval_choices.tokenizer)
    kept_run = KeptRetrieval.of(Keeper(MemoryRunStore(), BUNDLED, KeptRetrieval.kind), plan)
    return run_file_from_job(Retrieval(plan, embedder, False, kept_run), embedder)


if __name__ == "__main__":
    measure_bundled_run().write(FILE)
