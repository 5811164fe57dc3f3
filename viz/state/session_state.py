"""The typed state of a session, each value under its own key, and undo of the last change of columns.

No other module reads or writes these keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar
from uuid import uuid4

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from chunkers import Chunking, Document, Embedder, Recipe
from chunkers.language_models import AnswerCache
from chunkers.support import MOST_SPENT_TOKENS
from chunkers.text import FileText
from viz.jobs import Background, SessionRuns, Showing
from viz.state.choices import OWN_SPLITTER, Choices, ColumnChoice
from viz.state.lecture_decks import LectureFile, ScenePicture
from viz.state.session_file import KeptQuestion, SessionFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from chunkers.language_models.chat_server import LocalServer
    from chunkers.language_models.limited_requests import Asking
    from chunkers.methods.your_chunks import ChunkFile
    from chunkers.results.chunk_fields import EmbeddedAs
    from evaluation.questions.question_sets import MarkedQuestion
    from evaluation.search.ranking import Reranker
    from viz.jobs.background_jobs import Estimating
    from viz.jobs.chunking import ChunkingJob, Task
    from viz.jobs.column_jobs import ChangedCuts
    from viz.jobs.file_reading import ReadingJob
    from viz.jobs.retrieval_plan import Material
    from viz.state.own_text import Replaced
    from viz.state.page_text import Source
    from viz.state.shared_questions import GivenQuestions
    from viz.state.stored_texts import Notebook


Opened = FileText | SessionFile | Recipe
"""The possible contents of an uploaded file."""

Kind = TypeVar("Kind")


def new_text_box_key() -> str:
    """Return a new unique key for the text box."""
    return f"box/{uuid4().hex}"


MOST_SHOWN = 6
"""Most texts to which a session can return without preparing them again."""


class Value(Generic[Kind]):
    """Descriptor of a value in the session state, with a default."""

    def __init__(self, key: str, default: Kind) -> None:
        self._key, self._default = key, default

    def __get__(self, session: Session, owner: type[Session]) -> Kind:
        """Return the value, or the default if not set."""
        value: Kind = st.session_state.get(self._key, self._default)
        return value

    def __set__(self, session: Session, value: Kind) -> None:
        """Set the value."""
        st.session_state[self._key] = value


class Container(Value[Kind]):
    """Descriptor of a mutable value in the session state, created by ``make`` on first access."""

    def __init__(self, key: str, make: Callable[[], Kind]) -> None:
        self._key, self._make = key, make

    def __get__(self, session: Session, owner: type[Session]) -> Kind:
        """Return the value, created if not there."""
        if self._key not in st.session_state:
            st.session_state[self._key] = self._make()
        value: Kind = st.session_state[self._key]
        return value


class _Holder:
    """Cancels a running job when the session that holds it is gone."""

    def __init__(self, job: Background) -> None:
        self._job = job

    def __del__(self) -> None:
        if self._job.running:
            self._job.cancel()


class Job(Value[Kind]):
    """Descriptor of a background job that is cancelled when its session ends."""

    def __set__(self, session: Session, value: Kind) -> None:
        """Set the job; this cancels the previous job if it is another one and running."""
        before = st.session_state.get(self._key)
        if value is not None and before is value:
            # A new holder of the same job would let the old one go, which cancels the job.
            return
        if isinstance(before, Background) and before.running:
            before.cancel()
        super().__set__(session, value)
        st.session_state[f"{self._key}/holder"] = _Holder(value) if isinstance(value, Background) else None


class ShownDocument(Value[Document | None]):
    """Descriptor of the session's document; its caches are dropped when no session shows it any more."""

    def __set__(self, session: Session, value: Document | None) -> None:
        """Set the document."""
        super().__set__(session, value)
        if value is not None:
            key = f"{self._key}/showing"
            before: dict[str, Showing] = st.session_state.get(key, {})
            now = {**before, value.identity: before.get(value.identity) or Showing(value.identity)}
            st.session_state[key] = dict([*now.items()][-MOST_SHOWN:])


# Values that several pages share.


@dataclass(frozen=True)
class EmbeddingServer:
    """The address and key of an embedding server; the key is kept in memory only."""

    address: str = ""
    key: str = field(default="", repr=False)


@dataclass(frozen=True)
class LanguageServer:
    """The session's language model, its server, and its spending limits; the key is kept in memory only.

    ``model`` is the name on the server; empty if none is named. ``tokens`` and ``money`` (in US dollars) are the limits; a
    ``money`` of 0 means no limit.
    """

    model: str = ""
    address: str = ""
    key: str = field(default="", repr=False)
    tokens: int = MOST_SPENT_TOKENS
    money: float = 0.0


class Playing(NamedTuple):
    """The scene at hand: the name of its lecture, and its index there."""

    deck: str
    scene: int


class Arrival(NamedTuple):
    """A page to open and the page before it, both by key; ``link`` has new choices for the page, or is None."""

    page: str
    before: str
    link: dict[str, str] | None = None


class Order(NamedTuple):
    """Sequence number of a payload; later payloads of a session have greater numbers."""

    session: str
    number: int


class Sent:
    """The last payload sent to each component of a session."""

    def __init__(self) -> None:
        self._session = uuid4().hex[:12]
        self._numbers = count(1)
        self._last: dict[str, tuple[object, Order]] = {}

    def order(self, key: str, data: object) -> Order:
        """Return the sequence number of ``data``, unchanged if the component ``key`` was last sent the same data."""
        before = self._last.get(key)
        if before is None or before[0] != data:
            before = data, Order(self._session, next(self._numbers))
        self._last[key] = data, before[1]
        return before[1]

    def forget(self) -> None:
        """Drop the stored payloads to free memory, so that the next payload counts as new."""
        self._last.clear()


class Session:
    """The state of a browser session, other than the values of widgets.

    Each attribute reads and writes ``st.session_state``.
    """

    # The pages
    entered = Value("app", False)  # whether app.py has run in this session
    page = Value("page", "")  # key of the page drawn last
    choices: Container[dict[str, Choices]] = Container("choices", dict)  # by page, as in `viz.shell.navigation.PAGES`
    complaints: Container[dict[str, list[str]]] = Container("complaints", dict)  # errors in a page's link
    # By page: columns of its link that lack later parameters, by index
    older: Container[dict[str, dict[int, ColumnChoice]]] = Container("older", dict)
    lecture: Value[bool | None] = Value("lecture", None)  # None until read from the link
    playing: Value[Playing | None] = Value("playing", None)  # the lecture at hand
    deck_read = Value("deck_read", False)  # whether the lecture was read from the link
    deck_complaint = Value("deck_complaint", "")
    own_lecture: Container[LectureFile] = Container("own_lecture", LectureFile)
    lecture_asked = Value("lecture_asked", "")  # token of the request to the tab for its kept lecture
    lecture_sent = Value("lecture_sent", False)  # whether the own lecture was sent to the tab
    scene_picture: Value[ScenePicture | None] = Value("scene_picture", None)  # asked for last
    # The own lecture before a removal or another file
    lecture_before: Value[LectureFile | None] = Value("lecture_before", None)
    lectures_started = Value("lectures_started", 0)  # how often a lecture was chosen from the list or a file
    lecture_said = Value("lecture_said", "")  # what became of the own lecture, to be said once
    scene_adding = Value("scene_adding", 0)  # how often the form of another scene was opened by a button
    scene_wanted = Value("scene_wanted", False)  # whether the next run opens the page of the scene
    arriving: Value[Arrival | None] = Value("arriving", None)  # the page to go to, until it is drawn
    # Of each widget whose value was changed by anything else, how often: the number in its key
    widget_numbers: Container[dict[str, int]] = Container("widget_numbers", dict)
    sent: Container[Sent] = Container("sent", Sent)
    written_link: Value[tuple[str, dict[str, str]]] = Value("written_link", ("", {}))  # the page, and the link it last wrote
    # The link that a page's bare address stands for
    first_links: Container[dict[str, dict[str, str]]] = Container("first_links", dict)
    undo: Value[Undo | None] = Value("undo", None)
    # Columns that the page is about to open with
    opening: Container[dict[str, list[ColumnChoice | None]]] = Container("opening", dict)
    # By page: the columns of Compare that it opened with, each with its index there
    opened_with: Container[dict[str, list[tuple[int, ColumnChoice] | None]]] = Container("opened_with", dict)

    # The user's own text
    own: Value[Source | None] = Value("own", None)
    own_given: Value[Source | None] = Value("own_given", None)  # before lines of dashes were removed
    own_gone = Value("own_gone", False)  # whether the user has emptied the text box
    own_linked = Value("own_linked", False)  # whether a link refers to an own text that the session lacks
    own_taken = Value("own_taken", 0)  # number of texts that did not come from the text box
    own_complaint = Value("own_complaint", "")
    tab_asked = Value("tab_asked", "")  # token of the request to the tab for its kept text
    tab_answered = Value("tab_answered", False)
    notebooks: Container[dict[str, Notebook]] = Container("notebooks", dict)  # by document kept on this machine
    notebook_linked = Value("notebook_linked", "")  # the id of the kept text that a link refers to
    below_wanted = Value("below_wanted", "")  # the view below the text that Compare will open
    # The previous own text, if its questions or boundaries are stored nowhere else
    replaced: Value[Replaced | None] = Value("replaced", None)
    notebook_complaint = Value("notebook_complaint", "")
    lost = Value("lost", "")  # why a sample is shown instead of a link's text
    own_file: Value[tuple[str, bytes] | None] = Value("own_file", None)  # name and content of the uploaded file
    own_found: Value[FileText | None] = Value("own_found", None)  # the detected encoding, without the text
    own_reading: Job[ReadingJob[Opened] | None] = Job("own_reading", None)  # reads the uploaded file
    own_splitter = Value("own_splitter", OWN_SPLITTER)  # the user's choice for the own text
    pasted_kept = Value("pasted_kept", "")  # content of the text box: the own text, unless too long
    box: Container[str] = Container("box", new_text_box_key)  # key of the text box, replaced whenever the server fills it
    dashes: Value[bool | None] = Value("dashes", None)  # a widget: whether dashes are boundaries; None until drawn
    marks_before: Container[list[tuple[int, ...] | None]] = Container("marks_before", list)  # earlier boundaries, for undo
    marks_complaint = Value("marks_complaint", "")
    pressed: Container[set[str]] = Container("pressed", set)  # keys of buttons whose press the page has not handled yet
    # Document whose columns are folded on Compare, and the purpose
    folded: Value[tuple[str, str]] = Value("folded", ("", ""))

    # Chunks that were made elsewhere
    chunk_files: Container[dict[str, ChunkFile]] = Container("chunk_files", dict)  # by the identity that columns refer to
    chunk_complaint = Value("chunk_complaint", "")  # the error of the last file
    chunk_reading: Job[ReadingJob[ChunkFile] | None] = Job("chunk_reading", None)  # for a page and a column number

    # The embedder
    naming = Value("naming", False)  # whether the form for another embedder is open
    allowed: Container[set[str]] = Container("allowed", set)  # embedders that may read, fetch or send something
    allowed_splitters: Container[set[str]] = Container("allowed_splitters", set)  # spaCy pipelines that may be used
    server = Value("server", EmbeddingServer())
    server_embedder: Value[tuple[tuple[str, EmbeddingServer], Embedder] | None] = Value("server_embedder", None)

    # The language model
    language_server = Value("language_server", LanguageServer())
    local_servers: Value[tuple[LocalServer, ...] | None] = Value("local_servers", None)
    linked_model = Value("linked_model", "")  # the model that a link names; used only once the user names it too
    # What asks it, with the answers so far, which no other session is given
    asking: Value[tuple[LanguageServer, Asking] | None] = Value("asking", None)
    answers: Container[AnswerCache] = Container("answers", AnswerCache)
    sendable: Container[set[Task]] = Container("sendable", set)  # tasks that the user has allowed to be sent
    # A run over many documents that waits for the user to allow what it sends
    estimating: Job[Estimating | None] = Job("estimating", None)

    runs: Container[SessionRuns] = Container("runs", SessionRuns)  # the runs that the session has started or opened

    # Results
    document = ShownDocument("split_document", None)  # the text on the page, split into sentences
    job: Job[ChunkingJob | None] = Job("job", None)
    results: Container[dict[Task, Chunking]] = Container("results", dict)  # results of the page's columns
    changed_cuts: Job[ChangedCuts | None] = Job("changed_cuts", None)  # previews a change on the card
    reopened: Value[SessionFile | None] = Value("reopened", None)  # the reopened file, while Compare shows its columns

    reranker: Value[Reranker | None] = Value("reranker", None)  # a cross-encoder that the user has named
    questions: Container[list[MarkedQuestion]] = Container("questions", list)  # stored questions with marked answers
    question_texts: Container[dict[str, Source]] = Container("question_texts", dict)  # their texts, by identity
    # Digests of these texts, by the same keys
    question_digests: Container[dict[str, str]] = Container("question_digests", dict)
    questions_waiting: Value[tuple[KeptQuestion, ...]] = Value("questions_waiting", ())  # questions whose text is not open
    questions_asked = Value("questions_asked", "")  # token of the request to the tab for its kept questions
    questions_sent = Value("questions_sent", False)  # whether questions were sent to the tab

    # What files of chunks give to embed, and what a question is compared with
    embedded_as: Value[EmbeddedAs] = Value("embedded_as_chosen", "plain")

    # State of components and figures

    # Events heard for one run and not handled yet
    noted: Container[dict[tuple[str, str], dict[str, Any]]] = Container("noted", dict)
    # Reader events already handled, by key and name
    taken: Container[dict[tuple[str, str], float]] = Container("taken", dict)
    figure_formats: Container[dict[str, str]] = Container("figure_formats", dict)  # by figure's key

    retrieval_given: Value[GivenQuestions | None] = Value("retrieval_given", None)  # from another page, instead of files
    retrieval_files = Value("retrieval_prefers_files", False)  # whether the user prefers files to those questions
    retrieval_arrived = Value("retrieval_arrived", False)  # whether the questions arrived since the page was last drawn
    retrieval_begins = Value("retrieval_begins", False)  # whether a run on the questions starts immediately
    # Questions of Retrieval's that Answers asks too, by what they are there: where they are from, and their documents
    shared_questions: Container[dict[str, tuple[str, Material]]] = Container("shared_questions", dict)

    @property
    def on_disk(self) -> bool:
        """True if the user has chosen to keep embeddings on disk; set by a widget."""
        return bool(st.session_state.get("on_disk"))

    @property
    def all_sizes(self) -> bool:
        """True if Compare shows all sizes; set by a widget."""
        return bool(st.session_state.get("all_sizes"))


session = Session()
"""The current session; Streamlit resolves which one, so a single object serves all."""


def came_through_history() -> bool:
    """Return whether the page runs because the user went back or forward in the browser's history.

    Streamlit adds a history entry for each link that a page writes, so that users can go back to each state. An outdated
    link does not imply this navigation: a widget that is moved quickly also sends the previous link.
    """
    run_context = get_script_run_ctx()
    return run_context is not None and run_context.is_history_navigation


# Undo of the last change that removed, added or replaced columns.


@dataclass(frozen=True)
class Undo:
    """The last change of a page's columns, with the data needed to undo it.

    Attributes
    ----------
    page
        The key of the page whose columns were changed.
    said
        The change in words, as in ``Column 2 removed``.
    before, selected
        The columns before the change, and the index of the selected one.
    after
        The columns after the change. Once the page's columns differ from these, the change can no longer be undone.
    """

    page: str
    said: str
    before: tuple[ColumnChoice, ...]
    selected: int
    after: tuple[ColumnChoice, ...]


@contextmanager
def undoable(page: str, words: str) -> Iterator[None]:
    """Record the page's columns before the ``with`` block, so that the changes made in the block can be undone.

    Parameters
    ----------
    page
        The page's key.
    words
        The change in words, as in ``Column 2 removed``.
    """
    choices = session.choices[page]
    columns_before, selected_before = _copies(choices.columns), choices.selected
    yield
    columns_after = _copies(choices.columns)
    # Streamlit may call a callback twice; the second time changes nothing, and must not hide the change.
    if columns_after != columns_before:
        session.undo = Undo(page, words, columns_before, selected_before, columns_after)


def last_change(page: str) -> Undo | None:
    """Return the last change to the page's columns, or None if no change can be undone.

    A change cannot be undone once something else has changed the columns.
    """
    recorded_change = session.undo
    if recorded_change is None or recorded_change.page != page or page not in session.choices:
        return None
    return recorded_change if _copies(session.choices[page].columns) == recorded_change.after else None


def undo_last(page: str) -> None:
    """Undo the last change to the page's columns, if possible."""
    undone_change = last_change(page)
    session.undo = None
    if undone_change is not None:
        choices = session.choices[page]
        choices.columns, choices.selected = list(_copies(undone_change.before)), undone_change.selected


def _copies(columns: list[ColumnChoice] | tuple[ColumnChoice, ...]) -> tuple[ColumnChoice, ...]:
    return tuple(column.copy() for column in columns)
