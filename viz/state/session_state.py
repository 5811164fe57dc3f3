"""The typed state of a session, each value under its own key, and undo of the last change of columns.

No other module reads or writes these keys.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar
from uuid import uuid4

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from chunkers import Chunking, Document, Embedder, Recipe
from chunkers.language_models import AnswerCache
from chunkers.support import MOST_SPENT_TOKENS
from chunkers.text import FileText
from viz.jobs import BackgroundJob, SessionRuns, ShownTextMarker
from viz.state.choices import DEFAULT_SPLITTER_OF_OWN_TEXT, Choices, ColumnChoice
from viz.state.lecture_decks import LectureFile, ScenePicture
from viz.state.session_file import SavedQuestion, SessionFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from chunkers.language_models import Asking, LocalServer
    from chunkers.methods import ChunkFile
    from chunkers.results import EmbeddedAs
    from evaluation.questions import MarkedQuestion
    from evaluation.search import Reranker
    from viz.jobs import ChangedCuts, ChunkingJob, ChunkingTask, Estimating, ReadingJob
    from viz.state.own_text import ReplacedText
    from viz.state.shown_text import TextWithDetails
    from viz.state.stored_texts_and_questions import StoredTextVersion


TextSessionOrRecipe = FileText | SessionFile | Recipe
"""The possible contents of an uploaded file."""

StoredValueType = TypeVar("StoredValueType")


def build_unique_text_box_key() -> str:
    """Return a new unique key for the text box."""
    return f"box/{uuid4().hex}"


MOST_PREPARED_TEXTS = 6
"""Most texts to which a session can return without preparing them again."""


class SessionValue(Generic[StoredValueType]):
    """Descriptor of a value in the session state, with a default."""

    def __init__(self, key: str, default: StoredValueType) -> None:
        self._key, self._default = key, default

    def __get__(self, session: Session, owner: type[Session]) -> StoredValueType:
        """Return the value, or the default if not set."""
        value: StoredValueType = st.session_state.get(self._key, self._default)
        return value

    def __set__(self, session: Session, value: StoredValueType) -> None:
        """Set the value."""
        st.session_state[self._key] = value


class MutableSessionValue(SessionValue[StoredValueType]):
    """Descriptor of a mutable value in the session state, created by ``make_value`` on first access."""

    def __init__(self, key: str, make_value: Callable[[], StoredValueType]) -> None:
        self._key, self._make = key, make_value

    def __get__(self, session: Session, owner: type[Session]) -> StoredValueType:
        """Return the value, created if not there."""
        if self._key not in st.session_state:
            st.session_state[self._key] = self._make()
        value: StoredValueType = st.session_state[self._key]
        return value


class _Holder:
    """Cancels a running job when the session that holds it is gone."""

    def __init__(self, job: BackgroundJob) -> None:
        self._job = job

    def __del__(self) -> None:
        if self._job.running:
            self._job.cancel()


class SessionJob(SessionValue[StoredValueType]):
    """Descriptor of a background job that is cancelled when its session ends."""

    def __set__(self, session: Session, value: StoredValueType) -> None:
        """Set the job; this cancels the previous job if it is another one and running."""
        previous_job = st.session_state.get(self._key)
        if value is not None and previous_job is value:
            # A new holder of the same job would let the old one go, which cancels the job.
            return
        if isinstance(previous_job, BackgroundJob) and previous_job.running:
            previous_job.cancel()
        super().__set__(session, value)
        st.session_state[f"{self._key}/holder"] = _Holder(value) if isinstance(value, BackgroundJob) else None


class ShownDocument(SessionValue[Document | None]):
    """Descriptor of the session's document; its caches are dropped when no session shows it any more."""

    def __set__(self, session: Session, value: Document | None) -> None:
        """Set the document."""
        super().__set__(session, value)
        if value is not None:
            markers_of_shown_texts_key = f"{self._key}/showing"
            previous_marker_by_identity: dict[str, ShownTextMarker] = st.session_state.get(markers_of_shown_texts_key, {})
            shown_marker_by_identity = {
                **previous_marker_by_identity,
                value.identity: previous_marker_by_identity.get(value.identity) or ShownTextMarker(value.identity),
            }
            st.session_state[markers_of_shown_texts_key] = dict([*shown_marker_by_identity.items()][-MOST_PREPARED_TEXTS:])


# Values that several pages share.


@dataclass(frozen=True)
class EmbeddingServer:
    """The address and key of an embedding server; the key is kept in memory only."""

    address: str = ""
    key: str = field(default="", repr=False)


@dataclass(frozen=True)
class LanguageServer:
    """The session's language model, its server, and its spending limits; the key is kept in memory only.

    ``model`` is the name on the server; empty if none is named. ``token_limit`` and ``dollar_limit`` (in US dollars) are the
    limits; a ``dollar_limit`` of 0 means no limit.
    """

    model: str = ""
    address: str = ""
    key: str = field(default="", repr=False)
    token_limit: int = MOST_SPENT_TOKENS
    dollar_limit: float = 0.0


class PlaceInLecture(NamedTuple):
    """The scene at hand: the name of its lecture, and its index there."""

    deck: str
    scene: int


class PageArrival(NamedTuple):
    """A page to open and the page before it, both by key; ``link`` has new choices for the page, or is None."""

    page: str
    previous_page: str
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

    def sequence_number(self, recipient_component_key: str, data: object) -> Order:
        """Return the sequence number of ``data``, a new one unless the recipient was last sent the same data."""
        last_data_and_number = self._last.get(recipient_component_key)
        if last_data_and_number is None or last_data_and_number[0] != data:
            last_data_and_number = data, Order(self._session, next(self._numbers))
        self._last[recipient_component_key] = data, last_data_and_number[1]
        return last_data_and_number[1]

    def forget(self) -> None:
        """Drop the stored payloads to free memory, so that the next payload counts as new."""
        self._last.clear()


class Session:
    """The state of a browser session, other than the values of widgets.

    Each attribute reads and writes ``st.session_state``.
    """

    # The pages
    entered = SessionValue("app", False)  # whether app.py has run in this session
    page = SessionValue("page", "")  # key of the page drawn last
    choices: MutableSessionValue[dict[str, Choices]] = MutableSessionValue(
        "choices", dict
    )  # by page, as in `viz.shell.navigation.PAGES`
    complaints: MutableSessionValue[dict[str, list[str]]] = MutableSessionValue(
        "complaints", dict
    )  # errors in a page's link
    # By page: columns of its link that lack later parameters, by index
    outdated_columns: MutableSessionValue[dict[str, dict[int, ColumnChoice]]] = MutableSessionValue("outdated_columns", dict)
    is_in_lecture_mode: SessionValue[bool | None] = SessionValue("is_in_lecture_mode", None)  # None until read from the link
    playing: SessionValue[PlaceInLecture | None] = SessionValue("playing", None)  # the lecture at hand
    is_lecture_read = SessionValue("is_lecture_read", False)  # whether the lecture was read from the link
    deck_complaint = SessionValue("deck_complaint", "")
    own_lecture: MutableSessionValue[LectureFile] = MutableSessionValue("own_lecture", LectureFile)
    lecture_request_token = SessionValue("lecture_request_token", "")  # token of the request to the tab for its lecture
    lecture_sent = SessionValue("lecture_sent", False)  # whether the own lecture was sent to the tab
    scene_picture: SessionValue[ScenePicture | None] = SessionValue("scene_picture", None)  # asked for last
    # The own lecture before a removal or another file
    lecture_before: SessionValue[LectureFile | None] = SessionValue("lecture_before", None)
    lectures_started = SessionValue("lectures_started", 0)  # how often a lecture was chosen from the list or a file
    lecture_message = SessionValue("lecture_message", "")  # what became of the own lecture, to be said once
    scene_adding = SessionValue("scene_adding", 0)  # how often the form of another scene was opened by a button
    opens_scene_page = SessionValue("opens_scene_page", False)  # whether the next run opens the page of the scene
    arriving: SessionValue[PageArrival | None] = SessionValue("arriving", None)  # the page to go to, until it is drawn
    # Of each widget whose value was changed by anything else, how often: the number in its key
    widget_numbers: MutableSessionValue[dict[str, int]] = MutableSessionValue("widget_numbers", dict)
    sent: MutableSessionValue[Sent] = MutableSessionValue("sent", Sent)
    written_link: SessionValue[tuple[str, dict[str, str]]] = SessionValue(
        "written_link", ("", {})
    )  # the page, and the link it last wrote
    # The link that a page's bare address stands for
    first_links: MutableSessionValue[dict[str, dict[str, str]]] = MutableSessionValue("first_links", dict)
    undo: SessionValue[Undo | None] = SessionValue("undo", None)
    # Columns that the page is about to open with
    opening_columns: MutableSessionValue[dict[str, list[ColumnChoice | None]]] = MutableSessionValue("opening_columns", dict)
    # By page: the columns of the main page that it opened with, each with its index there
    adopted_columns: MutableSessionValue[dict[str, list[tuple[int, ColumnChoice] | None]]] = MutableSessionValue(
        "adopted_columns", dict
    )

    # The user's own text
    own: SessionValue[TextWithDetails | None] = SessionValue("own", None)
    own_text_as_given: SessionValue[TextWithDetails | None] = SessionValue(
        "own_text_as_given", None
    )  # before lines of dashes were removed
    is_own_text_emptied = SessionValue("is_own_text_emptied", False)  # whether the user has emptied the text box
    is_linked_text_missing = SessionValue(
        "is_linked_text_missing", False
    )  # whether a link refers to an own text that the session lacks
    outside_text_count = SessionValue("outside_text_count", 0)  # number of texts that did not come from the text box
    own_complaint = SessionValue("own_complaint", "")
    text_request_token = SessionValue("text_request_token", "")  # token of the request to the tab for its stored text
    tab_answered = SessionValue("tab_answered", False)
    stored_versions: MutableSessionValue[dict[str, StoredTextVersion]] = MutableSessionValue(
        "stored_versions", dict
    )  # by document stored on this machine
    linked_text_id = SessionValue("linked_text_id", "")  # the id of the stored text that a link refers to
    requested_view = SessionValue("requested_view", "")  # the view below the text that the main page will open
    # The previous own text, if its questions or boundaries are stored nowhere else
    replaced: SessionValue[ReplacedText | None] = SessionValue("replaced", None)
    storage_complaint = SessionValue("storage_complaint", "")
    lost_text_message = SessionValue("lost_text_message", "")  # why a sample is shown instead of a link's text
    uploaded_file: SessionValue[tuple[str, bytes] | None] = SessionValue(
        "uploaded_file", None
    )  # name and content of the uploaded file
    detected_encoding: SessionValue[FileText | None] = SessionValue(
        "detected_encoding", None
    )  # the detected encoding, without the text
    upload_reading_job: SessionJob[ReadingJob[TextSessionOrRecipe] | None] = SessionJob(
        "upload_reading_job", None
    )  # reads the uploaded file
    own_splitter = SessionValue("own_splitter", DEFAULT_SPLITTER_OF_OWN_TEXT)  # the user's choice for the own text
    pasted_text = SessionValue("pasted_text", "")  # content of the text box: the own text, unless too long
    text_box_key: MutableSessionValue[str] = MutableSessionValue(
        "text_box_key", build_unique_text_box_key
    )  # key of the text box, replaced whenever the server fills it
    dashes_are_boundaries: SessionValue[bool | None] = SessionValue(
        "dashes_are_boundaries", None
    )  # a widget: whether dashes are boundaries; None until drawn
    earlier_boundaries: MutableSessionValue[list[tuple[int, ...] | None]] = MutableSessionValue(
        "earlier_boundaries", list
    )  # earlier boundaries, for undo
    marks_complaint = SessionValue("marks_complaint", "")
    pressed_button_keys: MutableSessionValue[set[str]] = MutableSessionValue(
        "pressed_button_keys", set
    )  # keys of buttons whose press the page has not handled yet

    # Chunks that were made elsewhere
    chunk_files: MutableSessionValue[dict[str, ChunkFile]] = MutableSessionValue(
        "chunk_files", dict
    )  # by the identity that columns refer to
    chunk_complaint = SessionValue("chunk_complaint", "")  # the error of the last file
    chunk_reading_job: SessionJob[ReadingJob[ChunkFile] | None] = SessionJob(
        "chunk_reading_job", None
    )  # for a page and a column number

    # All that the user has allowed. An entry is for one thing only: an embedder or a sentence splitter by its name, sending
    # a text for one `ChunkingTask` without its embedder, or embedding one long text, by its identity, with one embedder.
    # The first item of an entry says which of these.
    given_consents: MutableSessionValue[set[tuple[Literal["embedder", "sentences", "send", "embed"], Hashable]]] = (
        MutableSessionValue("given_consents", set)
    )

    # The embedder
    is_naming_embedder = SessionValue("is_naming_embedder", False)  # whether the form for another embedder is open
    embedding_server = SessionValue("embedding_server", EmbeddingServer())
    server_embedder: SessionValue[tuple[tuple[str, EmbeddingServer], Embedder] | None] = SessionValue(
        "server_embedder", None
    )

    # The language model
    language_server = SessionValue("language_server", LanguageServer())
    local_servers: SessionValue[tuple[LocalServer, ...] | None] = SessionValue("local_servers", None)
    linked_model = SessionValue("linked_model", "")  # the model that a link names; used only once the user names it too
    # Access to it, and its answers so far, which no other session is given
    model_access: SessionValue[tuple[LanguageServer, Asking] | None] = SessionValue("model_access", None)
    answers: MutableSessionValue[AnswerCache] = MutableSessionValue("answer_cache", AnswerCache)
    # A run over many documents that waits for the user to allow what it sends
    estimation_job: SessionJob[Estimating | None] = SessionJob("estimation_job", None)

    runs: MutableSessionValue[SessionRuns] = MutableSessionValue(
        "runs", SessionRuns
    )  # the runs that the session has started or opened

    # Results
    document = ShownDocument("split_document", None)  # the text on the page, split into sentences
    chunking_job: SessionJob[ChunkingJob | None] = SessionJob("chunking_job", None)
    chunking_by_task: MutableSessionValue[dict[ChunkingTask, Chunking]] = MutableSessionValue(
        "chunking_by_task", dict
    )  # results of the page's columns
    changed_cuts: SessionJob[ChangedCuts | None] = SessionJob("changed_cuts", None)  # previews a change on the card
    reopened_session_file: SessionValue[SessionFile | None] = SessionValue(
        "reopened_session_file", None
    )  # the reopened file, while the main page shows its columns

    reranker: SessionValue[Reranker | None] = SessionValue("reranker", None)  # a cross-encoder that the user has named
    questions: MutableSessionValue[list[MarkedQuestion]] = MutableSessionValue(
        "questions", list
    )  # stored questions with marked answers
    question_texts: MutableSessionValue[dict[str, TextWithDetails]] = MutableSessionValue(
        "question_texts", dict
    )  # their texts, by identity
    # Digests of these texts, by the same keys
    question_digests: MutableSessionValue[dict[str, str]] = MutableSessionValue("question_digests", dict)
    unopened_questions: SessionValue[tuple[SavedQuestion, ...]] = SessionValue(
        "unopened_questions", ()
    )  # questions whose text is not open
    question_request_token = SessionValue(
        "question_request_token", ""
    )  # token of the request to the tab for its stored questions
    questions_sent = SessionValue("questions_sent", False)  # whether questions were sent to the tab

    # What files of chunks give to embed, and what a question is compared with
    embedded_as: SessionValue[EmbeddedAs] = SessionValue("embedded_as_chosen", "plain")

    # State of components and figures

    # Events heard for one run and not handled yet
    unhandled_events: MutableSessionValue[dict[tuple[str, str], dict[str, Any]]] = MutableSessionValue(
        "unhandled_events", dict
    )
    # Reader events already handled, by key and name
    handled_event_times: MutableSessionValue[dict[tuple[str, str], float]] = MutableSessionValue("handled_event_times", dict)
    figure_formats: MutableSessionValue[dict[str, str]] = MutableSessionValue("figure_formats", dict)  # by figure's key

    def take_finished_reading_job(self, attribute_name: str) -> ReadingJob[Any] | None:
        """Return the job that reads files into ``attribute_name``, and empty the attribute, if the job has ended.

        The result is None before, and if the user has cancelled the job.
        """
        job: ReadingJob[Any] | None = getattr(self, attribute_name)
        if job is None or not job.ended:
            return None
        setattr(self, attribute_name, None)
        return None if job.cancelled() else job

    @property
    def settings_place(self) -> str:
        """Words for the place of the settings: the side bar on the left or, in lecture mode, the menu “Settings”."""
        return "in “Settings”" if self.is_in_lecture_mode else "on the left"

    @property
    def keeps_embeddings_on_disk(self) -> bool:
        """True if the user has chosen to keep embeddings on disk; set by a widget."""
        return bool(st.session_state.get("on_disk"))


session = Session()
"""The current session; Streamlit resolves which one, so a single object serves all."""


def went_back_or_forward() -> bool:
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
    description
        The change in words, as in ``Column 2 removed``.
    columns_before, selected
        The columns before the change, and the index of the selected one.
    columns_after
        The columns after the change. Once the page's columns differ from these, the change can no longer be undone.
    """

    page: str
    description: str
    columns_before: tuple[ColumnChoice, ...]
    selected: int
    columns_after: tuple[ColumnChoice, ...]


@contextmanager
def record_columns_for_undo(page_key: str, change_phrase: str) -> Iterator[None]:
    """Record the page's columns before the ``with`` block, so that the changes made in the block can be undone.

    Parameters
    ----------
    page_key
        The page's key.
    change_phrase
        The change in words, as in ``Column 2 removed``.
    """
    page_choices = session.choices[page_key]
    columns_before, selected_index_before = _copies_of_columns(page_choices.columns), page_choices.selected
    yield
    columns_after = _copies_of_columns(page_choices.columns)
    # Streamlit may call a callback twice; the second time changes nothing, and must not hide the change.
    if columns_after != columns_before:
        session.undo = Undo(page_key, change_phrase, columns_before, selected_index_before, columns_after)


def last_undoable_column_change(page_key: str) -> Undo | None:
    """Return the last change to the page's columns, or None if no change can be undone.

    A change cannot be undone once something else has changed the columns.
    """
    recorded_change = session.undo
    if recorded_change is None or recorded_change.page != page_key or page_key not in session.choices:
        return None
    return (
        recorded_change if _copies_of_columns(session.choices[page_key].columns) == recorded_change.columns_after else None
    )


def undo_last_column_change(page_key: str) -> None:
    """Undo the last change to the page's columns, if possible."""
    undone_change = last_undoable_column_change(page_key)
    session.undo = None
    if undone_change is not None:
        page_choices = session.choices[page_key]
        page_choices.columns, page_choices.selected = (
            list(_copies_of_columns(undone_change.columns_before)),
            undone_change.selected,
        )


def _copies_of_columns(columns: list[ColumnChoice] | tuple[ColumnChoice, ...]) -> tuple[ColumnChoice, ...]:
    return tuple(column.copy() for column in columns)
