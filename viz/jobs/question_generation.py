"""Background jobs in which a language model writes questions about documents, and in which they are compared."""

from dataclasses import dataclass, field
from functools import partial

from chunkers import Embedder
from chunkers.language_models import Asking, Ledger
from chunkers.text import TextParts
from evaluation.generating.generated_questions import (
    LEAST_EXCERPT_COSINE,
    MOST_QUESTION_COSINE,
    Cosines,
    QuestionDraft,
    SourceTexts,
    compute_cosines_of_questions,
)
from evaluation.generating.question_generation import (
    Dropped,
    Generated,
    GenerationSettings,
    WindowResult,
    generate_and_pass_on_questions,
)
from viz.jobs.background_jobs import BackgroundJob, ReusableJob
from viz.jobs.shared_resources import embedder_part_of_cache_key


@dataclass(eq=False)
class QuestionGenerationJob(BackgroundJob):
    """A job that generates questions with a language model; finished questions remain if the job stops early.

    Attributes
    ----------
    texts, parts
        The documents, and the pages or chapters of those that have any.
    asking
        The language model. Whoever starts the job has the user's consent.
    draft_by_question
        The user's edits of questions; None for a removed question.
    filter_thresholds
        The thresholds of the two filters.
    window_results
        The outcome of each window; grows while the job runs.
    ledger
        The tokens and cost so far.
    """

    texts: SourceTexts
    parts: tuple[tuple[str, TextParts], ...]
    settings: GenerationSettings
    asking: Asking
    draft_by_question: dict[Generated, QuestionDraft | None] = field(default_factory=dict)
    filter_thresholds: tuple[float, float] = (LEAST_EXCERPT_COSINE, MOST_QUESTION_COSINE)
    window_results: list[WindowResult] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)

    @property
    def questions_generated_so_far(self) -> list[Generated]:
        """The questions generated so far."""
        return [outcome for outcome in list(self.window_results) if isinstance(outcome, Generated)]

    @property
    def dropped_windows(self) -> list[Dropped]:
        """The windows of text for which no usable question was generated."""
        return [outcome for outcome in list(self.window_results) if isinstance(outcome, Dropped)]

    def progress(self) -> tuple[float, str]:
        """Return the share of passages processed, and a status text."""
        processed_passage_count, passage_count = len(self.window_results), self.settings.count
        # No text from the model: Streamlit renders the label of a progress bar as Markdown.
        passages_done_status = f"{processed_passage_count:,} of {passage_count:,} passages done"
        dropped_passage_count = len(self.dropped_windows)
        return (
            processed_passage_count / passage_count,
            f"{passages_done_status}, {dropped_passage_count:,} of them without a usable answer"
            if dropped_passage_count
            else passages_done_status,
        )

    def _do_work(self) -> None:
        generate_and_pass_on_questions(
            self.texts.texts,
            self.settings,
            partial(self.asking.ask, ledger=self.ledger),
            self.window_results.append,
            self.cancelled,
            self.asking.report_usability,
        )


@dataclass(eq=False)
class QuestionSimilarityJob(ReusableJob):
    """A job that embeds generated questions and their excerpts, and computes the similarities between them.

    Attributes
    ----------
    similarities
        The similarities; None until the job is done.
    """

    texts: SourceTexts
    questions: tuple[Generated, ...]
    splitter: str
    embedder: Embedder
    on_disk: bool
    similarities: Cosines | None = field(default=None, init=False)
    _status: str = field(default="Loading the embedding model", init=False)

    @property
    def result_key(self) -> tuple[object, ...]:
        """Key of the job's result; jobs with equal keys have equal results."""
        return self.texts, self.questions, self.splitter, embedder_part_of_cache_key(self.embedder)

    def _do_work(self) -> None:
        def note_embedded_texts(done_count: int, total: int) -> None:
            self._status, self._share = (
                f"{done_count:,} of {total:,} questions and excerpts embedded",
                done_count / max(1, total),
            )

        self.load_embedding_model(self.embedder)
        self.similarities = compute_cosines_of_questions(
            self.questions,
            self.texts.corpus(self.splitter),
            self.tools(self.embedder, uses_disk_cache=self.on_disk, progress=note_embedded_texts),
        )
