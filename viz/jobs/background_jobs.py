"""Background jobs with progress and cancellation, those stored on disk, and the registry of runs that links refer to."""

import secrets
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, TypeVar
from weakref import WeakValueDictionary

from chunkers import Cancelled, Chunker, Document, Embedder, InputError, Tools, Watcher
from chunkers.contract import Estimate
from chunkers.language_models import Asking, Ledger
from chunkers.storage.fair_locks import next_arrival_number
from chunkers.support import LRUDict, cache_results_in, raise_if_cancelled
from viz.jobs.shared_resources import build_tools
from viz.jobs.storage.stored_run import StoredRun

MOST_STORED_RUNS = 8
"""Most runs kept in memory for each session, and for all ended sessions together; the oldest are dropped first."""


@dataclass(eq=False)
class BackgroundJob(ABC):
    """A job that runs in its own thread.

    Attributes
    ----------
    error
        The job's error message; empty if there is none.
    arrival
        The number of the job's arrival. Jobs that pass it to their tools keep their place in the line of jobs that embed.
    """

    error: str = field(default="", init=False)
    arrival: int = field(default_factory=next_arrival_number, init=False)
    _status: str = field(default="", init=False)
    _share: float = field(default=0.0, init=False)
    _cancel: threading.Event = field(default_factory=threading.Event, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)

    @property
    def running(self) -> bool:
        """True while the job's thread is alive."""
        return self._thread is not None and self._thread.is_alive()

    def cancelled(self) -> bool:
        """Return whether the job has been asked to stop."""
        return self._cancel.is_set()

    @property
    def is_running_and_not_cancelled(self) -> bool:
        """True while the job is running and has not been asked to stop."""
        return self.running and not self.cancelled()

    def start(self, max_wait_seconds: float = 0.0) -> None:
        """Start the job in its own thread, and wait until it has ended, for at most ``max_wait_seconds`` seconds."""
        self._thread = threading.Thread(target=self._run_and_record_error, daemon=True, name=type(self).__name__)
        self._thread.start()
        self._thread.join(max_wait_seconds)

    def start_once(self, max_wait_seconds: float = 0.0) -> None:
        """Start the job as `start` does, unless it was started before."""
        if self._thread is None:
            self.start(max_wait_seconds)

    def cancel(self) -> None:
        """Ask the job to stop before its next step or batch of texts; finished results are kept."""
        self._cancel.set()

    def join(self, seconds: float) -> None:
        """Wait until the job has ended, for at most ``seconds``."""
        if self._thread is not None:
            self._thread.join(seconds)

    def load_embedding_model(self, embedder: Embedder) -> None:
        """Load an embedding model and update the job's progress meanwhile.

        Raises the errors of `Embedder.ensure_model_built_and_loaded`.
        """

        def note_preparation(share: float) -> None:
            self._status, self._share = embedder.format_preparation_progress(share), share

        self._status, self._share = embedder.loading_message(), 0.0
        embedder.ensure_model_built_and_loaded(note_preparation, self.cancelled)

    def tools(
        self,
        embedder: Embedder | None,
        tokenizer: str = "all-MiniLM-L6-v2",
        *,
        fitted_on: Document | None = None,
        uses_disk_cache: bool = False,
        asking: Asking | None = None,
        ledger: Ledger | None = None,
        **watching: Any,
    ) -> Tools:
        """Return the tools for chunkers, as `build_tools` does, with a watcher that stops them if the job is cancelled.

        ``watching`` are further fields of the `Watcher`.
        """
        watcher = Watcher(self.cancelled, **watching)
        return build_tools(
            embedder,
            tokenizer,
            watcher,
            fitted_on=fitted_on,
            uses_disk_cache=uses_disk_cache,
            model_access=asking,
            ledger=ledger,
        )

    def progress(self) -> tuple[float, str]:
        """Return the share of the job that is done, from 0 to 1, and a short status text."""
        return self._share, self._status

    @abstractmethod
    def _do_work(self) -> None:
        """Do the work."""

    def _note_share(self, share: float) -> None:
        """Note the share of the current step that is done."""
        self._share = share

    def _note_parts_done(self, done_count: int, total: int) -> None:
        """Note how many parts of the current step are done."""
        self._share = done_count / max(1, total)

    def _embedded_text_count_reporter(self, progress_title: str, unit: str = "texts") -> Callable[[int, int], None]:
        """Return a callback that shows how many texts are embedded, after ``progress_title``, as the job's status."""

        def note_embedded_text_count(done_count: int, total: int) -> None:
            self._status = f"{progress_title}: {done_count:,} of {total:,} {unit} embedded"

        return note_embedded_text_count

    def _run_and_record_error(self) -> None:
        try:
            self._do_work()
        except Cancelled:
            pass
        except InputError as error:
            self.error = str(error)
        except Exception as error:
            # Without a message the page would wait forever; the traceback goes to the terminal.
            self.error = f"This stopped because of a bug in Seamark ({type(error).__name__}); see the terminal for details."
            raise


class ReusableJob(BackgroundJob):
    """A job that is kept while its inputs stay the same, and whose page makes a new one at each run to compare them."""

    @property
    @abstractmethod
    def result_key(self) -> object:
        """The key of the job's result: jobs with equal keys have equal results."""

    def earlier_if_same(self, earlier: Self | None) -> Self:
        """Return the ``earlier`` job if its subject is the same, and otherwise this job.

        The page stores the job in the session before it starts it: Streamlit may interrupt a run of the page at any access
        to the session, and a job that was started but not stored could not be cancelled.
        """
        return earlier if earlier is not None and earlier.result_key == self.result_key else self


class StoredRunJob(BackgroundJob):
    """A job that can be stored on disk, part by part, and resumed from its finished parts.

    Attributes
    ----------
    stored_run
        The storage of the run; None if it is not stored. Each part is stored before it is shown.
    stored_run_type
        The type of the storage.
    """

    stored_run_type: ClassVar[type[StoredRun[Any]]]
    stored_run: StoredRun[Any] | None

    @property
    @abstractmethod
    def part_count(self) -> int:
        """The number of parts of the job."""

    @property
    @abstractmethod
    def finished_part_count(self) -> int:
        """The number of finished parts of the job, including failed parts."""

    @property
    def stopped_early(self) -> bool:
        """True if the job is over, or was never started, and some parts are not finished."""
        return self.finished_part_count < self.part_count and not self.is_running_and_not_cancelled

    def load_embedding_model(self, embedder: Embedder) -> None:
        """Load the embedding model. Raises InputError if the stored run was begun with another model of the same name."""
        super().load_embedding_model(embedder)
        if self.stored_run is not None:
            self.stored_run.keeper.record_or_check_embedder(embedder)


JobKind = TypeVar("JobKind", bound=BackgroundJob)


def new_run_token() -> str:
    """Return an unguessable token for the link of a run."""
    return secrets.token_urlsafe(16)


class SessionRuns:
    """The last `MOST_STORED_RUNS` runs that a session has started or opened.

    Ended runs are dropped first. If all are running, the oldest that this session started is cancelled.
    """

    def __init__(self) -> None:
        self._runs: dict[str, BackgroundJob] = {}
        self._started_run_tokens: set[str] = set()

    def add(self, token: str, run: BackgroundJob, *, was_begun_in_session: bool = False) -> None:
        """Add a run that the session has started (``was_begun_in_session``) or has opened through a link."""
        self._runs.pop(token, None)
        self._runs[token] = run
        if was_begun_in_session:
            self._started_run_tokens.add(token)
        while len(self._runs) > MOST_STORED_RUNS:
            ended_run_link_tokens = (old for old, old_run in self._runs.items() if not old_run.running)
            run_token_to_drop = next(ended_run_link_tokens, next(iter(self._runs)))
            if run_token_to_drop in self._started_run_tokens:
                self._runs[run_token_to_drop].cancel()
            del self._runs[run_token_to_drop]
            self._started_run_tokens.discard(run_token_to_drop)

    def __del__(self) -> None:
        # Python may call this at any moment, in a thread that holds any lock, so it only appends to a queue.
        _runs_of_ended_sessions.extend(self._runs.items())


_runs_of_ended_sessions: deque[tuple[str, BackgroundJob]] = deque()


class Registry:
    """The runs that links refer to, each under an unguessable token.

    A run stays in the registry while it is running, while a session holds it, and while it is among the last
    `MOST_STORED_RUNS` that no session holds any more. No session can displace a run that another session holds.
    """

    def __init__(self) -> None:
        # A run that is running is held by its thread.
        self._runs: WeakValueDictionary[str, BackgroundJob] = WeakValueDictionary()
        self._unheld_runs: dict[str, BackgroundJob] = {}
        self._lock = threading.Lock()

    def keep(
        self,
        run: BackgroundJob,
        token: str = "",
        session_runs: SessionRuns | None = None,
        *,
        was_begun_in_session: bool = True,
    ) -> str:
        """Register a run, held by ``session_runs`` if given, and return its token, which is new if ``token`` is empty."""
        token = token or new_run_token()
        with self._lock:
            self._runs[token] = run
            self._assign_run_to_session(token, run, session_runs, was_begun_in_session=was_begun_in_session)
        self.forget_abandoned_runs()
        return token

    def find(self, token: str, job_class: type[JobKind], session_runs: SessionRuns | None = None) -> JobKind | None:
        """Return the run with the given token and kind, held by ``session_runs`` if given; None if there is no such run."""
        with self._lock:
            run_found_by_token = self._runs.get(token)
            if not isinstance(run_found_by_token, job_class):
                return None
            if session_runs is not None:
                self._assign_run_to_session(token, run_found_by_token, session_runs)
        return run_found_by_token

    def forget_abandoned_runs(self) -> None:
        """Drop the runs that no session holds, except running ones and those that ended most recently."""
        with self._lock:
            while _runs_of_ended_sessions:
                token, run = _runs_of_ended_sessions.popleft()
                if self._runs.get(token) is run:
                    self._assign_run_to_session(token, run, None)
            ended_run_by_run_token = {token: run for token, run in self._unheld_runs.items() if not run.running}
            running_run_by_token = {token: run for token, run in self._unheld_runs.items() if run.running}
            # Runs that are still running count as the most recent.
            self._unheld_runs = dict([*ended_run_by_run_token.items()][-MOST_STORED_RUNS:]) | running_run_by_token

    def _assign_run_to_session(
        self, run_token: str, run: BackgroundJob, session_runs: SessionRuns | None, *, was_begun_in_session: bool = False
    ) -> None:
        self._unheld_runs.pop(run_token, None)
        if session_runs is not None:
            session_runs.add(run_token, run, was_begun_in_session=was_begun_in_session)
        else:
            self._unheld_runs[run_token] = run


@cache_results_in(LRUDict(1), lambda: None)
def run_registry() -> Registry:
    """Return the server's registry of the runs that links refer to."""
    return Registry()


# The estimate of a run's requests to a language model, before anything is sent.


RequestCounter = Callable[[BackgroundJob], Estimate]
"""A function that estimates a run's requests; it is passed the job in which it is called."""


@dataclass(eq=False)
class Estimating(BackgroundJob):
    """A job that estimates a run's requests to a language model, which takes seconds for long documents.

    Attributes
    ----------
    subject
        The identity of the run, to which the estimate and the user's consent apply.
    asking
        The language model that would be called.
    count_requests
        The function that makes the estimate.
    estimate
        The estimate; None until it is known.
    """

    subject: object
    asking: Asking
    count_requests: RequestCounter
    estimate: Estimate | None = field(default=None, init=False)

    def progress(self) -> tuple[float, str]:
        """Return 0 and a status text, since the progress is unknown."""
        return 0.0, f"Counting what would be sent to {self.asking.model.title}"

    def _do_work(self) -> None:
        self.estimate = self.count_requests(self)


def estimate_llm_requests(
    documents: Iterable[Document], chunkers: Sequence[Chunker], tokenizer: str, job: BackgroundJob
) -> Estimate:
    """Estimate the model requests for cutting all documents with all chunkers, without deducting cached answers.

    Raises
    ------
    InputError
        If a chunker cannot cut a document.
    Cancelled
        If the user stops.
    """
    tools = job.tools(None, tokenizer)
    total_estimate = Estimate(0, 0)
    for document in documents:
        for chunker in chunkers:
            raise_if_cancelled(job.cancelled)
            total_estimate = Estimate(*map(sum, zip(total_estimate, chunker.estimate(document, tools), strict=True)))
    return total_estimate
