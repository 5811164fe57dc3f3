"""The typed state of a session, each value under its own key; no other module reads or writes these keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar
from uuid import uuid4

import streamlit as st

from chunkers import Chunking, Document, Embedder, Recipe
from chunkers.language_models.answers import AnswerCache
from chunkers.language_models.asking import Asking
from chunkers.methods.your_chunks import ChunkFile
from chunkers.results.embedded import EmbeddedAs
from chunkers.text.reading import FileText
from evaluation.questions.marked_file import Marked
from evaluation.search.reranker import Reranker
from viz.jobs.asking.changed_cuts import ChangedCuts
from viz.jobs.background import Background, Held
from viz.jobs.chunking import ChunkingJob, Task
from viz.jobs.estimating import Estimating
from viz.jobs.plan import Material
from viz.jobs.reading import ReadingJob
from viz.jobs.texts import Showing
from viz.state.choices import OWN_SPLITTER, Choices, ColumnChoice
from viz.state.session_file import SessionFile
from viz.state.text import Source
from viz.state.values import (
    EmbeddingServer,
    GivenQuestions,
    KeptQuestion,
    LanguageServer,
    Notebook,
    Replaced,
    Sent,
    Undo,
)

Opened = FileText | SessionFile | Recipe
"""Possible contents of an uploaded file."""

Kind = TypeVar("Kind")


def new_box() -> str:
    """Return a key for a text box that no browser has seen."""
    return f"box/{uuid4().hex}"


MOST_SHOWN = 6
"""Texts that a session may go back to without their being prepared again."""


class Value(Generic[Kind]):
    """A value in the session state; ``default`` if not set."""

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
    """A value that is modified in place; ``make`` creates it on first access."""

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
    """A background job of this session alone, which ends with the session, as nobody could see its result."""

    def __set__(self, session: Session, value: Kind) -> None:
        """Set the job; this cancels the previous job if it is running."""
        before = st.session_state.get(self._key)
        if isinstance(before, Background) and before is not value and before.running:
            before.cancel()
        super().__set__(session, value)
        st.session_state[f"{self._key}/holder"] = _Holder(value) if isinstance(value, Background) else None


class ShownDocument(Value[Document | None]):
    """The session's document; when the last session that shows it ends, everything cached for its text is dropped."""

    def __set__(self, session: Session, value: Document | None) -> None:
        """Set the document."""
        super().__set__(session, value)
        if value is not None:
            key = f"{self._key}/showing"
            before: dict[str, Showing] = st.session_state.get(key, {})
            now = {**before, value.identity: before.get(value.identity) or Showing(value.identity)}
            st.session_state[key] = dict([*now.items()][-MOST_SHOWN:])


class PerPage(Generic[Kind]):
    """A value per page, by the page's key in `viz.shell.navigation.PAGES`."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __contains__(self, page: str) -> bool:
        """Return whether the page has been opened in this session."""
        return f"{self._kind}/{page}" in st.session_state

    def __getitem__(self, page: str) -> Kind:
        """Return the page's value.

        Raises
        ------
        KeyError
            If the page has not been opened in this session.
        """
        value: Kind = st.session_state[f"{self._kind}/{page}"]
        return value

    def __setitem__(self, page: str, value: Kind) -> None:
        """Set the page's value."""
        st.session_state[f"{self._kind}/{page}"] = value

    def values(self) -> list[Kind]:
        """Return the values of all pages that have been opened in this session."""
        return [value for key, value in st.session_state.items() if str(key).startswith(f"{self._kind}/")]


class Session:
    """The state of a browser session, other than the values of widgets.

    Each attribute reads and writes ``st.session_state``.
    """

    # The pages
    entered = Value("app", False)  # whether app.py has run in this session
    page = Value("page", "")  # key of the page drawn last
    choices = PerPage[Choices]("choices")
    complaints = PerPage[list[str]]("complaints")  # errors in a page's link
    older = PerPage[dict[int, ColumnChoice]]("older")  # columns of its link that lack later parameters, by their places
    lecture = Value[bool | None]("lecture", None)  # None until read from the link
    next_page = Value("next_page", "")  # key of the page to go to on the next run
    seeded = Container[dict[str, object]]("seeded", dict)  # values of widgets that the browser may not have received yet
    sent = Container[Sent]("sent", Sent)
    drawn = Value("drawn", False)  # whether the last run of a page came to its end
    written_link = Value[tuple[str, dict[str, str]]]("written_link", ("", {}))  # the page, and the link it last wrote
    first_links = Container[dict[str, dict[str, str]]]("first_links", dict)  # what a page's address alone stood for
    undo = Value[Undo | None]("undo", None)
    opening = Container[dict[str, list[ColumnChoice | None]]]("opening", dict)  # until the page has been drawn with them
    # By page: the columns of Compare that it opened with, each with its index there
    opened_with = Container[dict[str, list[tuple[int, ColumnChoice] | None]]]("opened_with", dict)

    # The user's own text
    own = Value[Source | None]("own", None)
    own_given = Value[Source | None]("own_given", None)  # before lines of dashes were removed
    own_gone = Value("own_gone", False)  # whether the user has emptied the text box
    own_linked = Value("own_linked", False)  # whether it was a link that chose the own text, which the session has not
    own_taken = Value("own_taken", 0)  # how many texts came otherwise than by the text box
    own_complaint = Value("own_complaint", "")
    tab_asked = Value("tab_asked", "")  # the word by which the tab is asked what text it has kept
    tab_answered = Value("tab_answered", False)
    notebooks = Container[dict[str, Notebook]]("notebooks", dict)  # of the documents that are kept on this machine
    notebook_linked = Value("notebook_linked", "")  # the id in a link of the kept text that it is about
    below_wanted = Value("below_wanted", "")  # the view below the text that Compare is to open with
    replaced = Value[Replaced | None](
        "replaced", None
    )  # the own text before, whose questions or boundaries are kept nowhere
    notebook_complaint = Value("notebook_complaint", "")
    lost = Value("lost", "")  # why a sample is shown in the place of a link's text
    own_file = Value[tuple[str, bytes] | None]("own_file", None)  # name and content of the uploaded file
    own_found = Value[FileText | None]("own_found", None)  # the detected encoding, without the text
    own_reading = Job[ReadingJob[Opened] | None]("own_reading", None)  # while the file is being read
    own_splitter = Value("own_splitter", OWN_SPLITTER)  # the user's choice for the own text
    pasted_kept = Value("pasted_kept", "")  # content of the text box: the own text, unless that is too long
    box = Container[str]("box", new_box)  # key of the text box, another whenever the server fills it
    dashes = Value[bool | None]("dashes", None)  # a widget: whether dashes are boundaries; None until drawn
    marks_before = Container[list[tuple[int, ...] | None]]("marks_before", list)  # for undo
    marks_complaint = Value("marks_complaint", "")
    folded = Value[tuple[str, str]]("folded", ("", ""))  # the document whose columns are folded on Compare, and what for

    # Chunks that were made elsewhere
    chunk_files = Container[dict[str, ChunkFile]]("chunk_files", dict)  # by identity, which columns have
    chunk_complaint = Value("chunk_complaint", "")  # about the last file
    chunk_reading = Job[ReadingJob[ChunkFile] | None]("chunk_reading", None)  # about the page, and the column's number

    # The embedder
    naming = Value("naming", False)  # whether the form for another embedder is open
    allowed = Container[set[str]]("allowed", set)  # embedders that may read, fetch or send something
    allowed_splitters = Container[set[str]]("allowed_splitters", set)  # likewise, of pipelines that split into sentences
    server = Value("server", EmbeddingServer())
    server_embedder = Value[tuple[tuple[str, EmbeddingServer], Embedder] | None]("server_embedder", None)

    # The language model
    language_server = Value("language_server", LanguageServer())
    linked_model = Value("linked_model", "")  # the name that a link has; nothing is asked of it before the user names it too
    # What asks it, with the answers so far, which no other session is given
    asking = Value[tuple[LanguageServer, Asking] | None]("asking", None)
    answers = Container[AnswerCache]("answers", AnswerCache)
    sendable = Container[set[Task]]("sendable", set)  # what the user has allowed to be sent
    # A run over many documents that waits for the user to allow what it sends
    estimating = Job[Estimating | None]("estimating", None)

    runs = Container[Held]("runs", Held)  # those that links refer to, which it has begun or opened

    # Results
    document = ShownDocument("split_document", None)  # the text on the page, split into sentences
    job = Job[ChunkingJob | None]("job", None)
    results = Container[dict[Task, Chunking]]("results", dict)  # those on the page
    changed_cuts = Job[ChangedCuts | None]("changed_cuts", None)  # of the change that a card previews
    reopened = Value[SessionFile | None]("reopened", None)  # while Compare shows the file's columns

    reranker = Value[Reranker | None]("reranker", None)  # a cross-encoder that the user has named
    questions = Container[list[Marked]]("questions", list)  # those that are kept
    question_texts = Container[dict[str, Source]]("question_texts", dict)  # what they are about, by Marked.identity
    question_digests = Container[dict[str, str]]("question_digests", dict)  # of these texts, by the same names
    questions_waiting = Value[tuple[KeptQuestion, ...]]("questions_waiting", ())  # for their text, which is not there
    questions_asked = Value("questions_asked", "")  # the word by which the tab is asked what questions it has kept
    questions_sent = Value("questions_sent", False)  # whether the tab has been told to keep some

    # What files of chunks give to embed, and what a question is compared with
    embedded_as = Value[EmbeddedAs]("embedded_as_chosen", "plain")

    # State of components and figures
    taken = Container[dict[tuple[str, str], float]]("taken", dict)  # reader events already handled, by key and name
    figure_formats = Container[dict[str, str]]("figure_formats", dict)  # by figure's key

    retrieval_given = Value[GivenQuestions | None]("retrieval_given", None)  # by another page, in the place of files
    retrieval_files = Value("retrieval_prefers_files", False)  # whether the user wants files instead of those
    retrieval_arrived = Value("retrieval_arrived", False)  # whether that was after the page was drawn last
    retrieval_begins = Value("retrieval_begins", False)  # whether a run on it is to begin at once
    # Questions of Retrieval's that Answers asks too, by what they are there: where they are from, and their documents
    shared_questions = Container[dict[str, tuple[str, Material]]]("shared_questions", dict)

    @property
    def on_disk(self) -> bool:
        """True if embeddings are kept on disk; set by a widget."""
        return bool(st.session_state.get("on_disk"))

    @property
    def all_sizes(self) -> bool:
        """True if Compare shows all sizes; set by a widget."""
        return bool(st.session_state.get("all_sizes"))


session = Session()
"""The current session; Streamlit resolves which one, so a single object serves all."""
