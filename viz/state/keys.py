"""What a session holds, each under its key, with its type; nothing else reads or writes these keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import streamlit as st

from chunkers import Chunking, Embedder
from chunkers.text.reading import FileText
from viz.jobs.chunking import ChunkingJob, Task
from viz.jobs.reading import ReadingJob
from viz.jobs.sweep import Sweep
from viz.jobs.timing import Repeats
from viz.state.choices import OWN_SPLITTER, Choices
from viz.state.session_file import SessionFile
from viz.state.text import Source
from viz.state.values import EmbeddingServer, LastChange, MarkedDocuments, StitchedDocuments

Kind = TypeVar("Kind")


class Value(Generic[Kind]):
    """A value of the session; ``default`` where there is none yet."""

    def __init__(self, key: str, default: Kind) -> None:
        self._key, self._default = key, default

    def __get__(self, session: Session, owner: type[Session]) -> Kind:
        """Return it."""
        value: Kind = st.session_state.get(self._key, self._default)
        return value

    def __set__(self, session: Session, value: Kind) -> None:
        """Replace it."""
        st.session_state[self._key] = value


class Container(Value[Kind]):
    """A value that is changed in place; what ``make`` returns where there is none yet."""

    def __init__(self, key: str, make: Callable[[], Kind]) -> None:
        self._key, self._make = key, make

    def __get__(self, session: Session, owner: type[Session]) -> Kind:
        """Return it."""
        if self._key not in st.session_state:
            st.session_state[self._key] = self._make()
        value: Kind = st.session_state[self._key]
        return value


class PerPage(Generic[Kind]):
    """A value for each page, by the page's key in `viz.shell.navigation.PAGES`."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __contains__(self, page: str) -> bool:
        """Whether the page was opened in this session."""
        return f"{self._kind}/{page}" in st.session_state

    def __getitem__(self, page: str) -> Kind:
        """Return the page's; `KeyError` where it was not opened."""
        value: Kind = st.session_state[f"{self._kind}/{page}"]
        return value

    def __setitem__(self, page: str, value: Kind) -> None:
        """Replace the page's."""
        st.session_state[f"{self._kind}/{page}"] = value


class Session:
    """What the browser's session holds beside the widgets' own values.

    Every property reads and writes ``st.session_state``; its comment says what there is nothing else to say of.
    """

    # The pages
    entered = Value("app", False)  # whether the session came in through the app
    page = Value("page", "")  # the page that was drawn last
    choices = PerPage[Choices]("choices")
    complaints = PerPage[list[str]]("complaints")  # what a page's link asks for in vain
    lecture = Value[bool | None]("lecture", None)  # None before the link was asked
    next_page = Value("next_page", "")  # the key of the page to go to at the next run

    # The user's own text
    own = Value[Source | None]("own", None)
    own_given = Value[Source | None]("own_given", None)  # before lines of dashes were taken out of it
    own_complaint = Value("own_complaint", "")
    own_file = Value[tuple[str, bytes] | None]("own_file", None)  # name and bytes of what was uploaded
    own_found = Value[FileText | None]("own_found", None)  # what was found of its encoding, without its text
    own_reading = Value[ReadingJob[FileText] | None]("own_reading", None)  # while it is read
    own_splitter = Value("own_splitter", OWN_SPLITTER)  # chosen by the user for it
    pasted_kept = Value("pasted_kept", "")  # what stands in the box, when the box leaves the page
    dashes = Value[bool | None]("dashes", None)  # a widget's: whether they are boundaries; None before it is drawn
    marks_before = Container[list[tuple[int, ...] | None]]("marks_before", list)  # for undo
    marks_complaint = Value("marks_complaint", "")

    # The embedder
    naming = Value("naming", False)  # whether the user is about to name another
    allowed = Container[set[str]]("allowed", set)  # those that may read, fetch or send something
    server = Value("server", EmbeddingServer())
    server_embedder = Value[tuple[tuple[str, EmbeddingServer], Embedder] | None]("server_embedder", None)

    # Results
    job = Value[ChunkingJob | None]("job", None)
    results = Container[dict[Task, Chunking]]("results", dict)  # those on the page
    repeats = Container[dict[Task, Repeats | None]]("repeats", dict)
    history = Container[dict[int, LastChange]]("history", dict)  # by column of Compare
    reopened = Value[SessionFile | None]("reopened", None)  # as long as Compare shows what it holds
    failure_searches = Container[dict[tuple[object, ...], Sweep]]("failure_searches", dict)

    # What components and figures remember
    taken = Container[dict[tuple[str, str], object]]("taken", dict)  # the reader's events, by key and name
    figure_formats = Container[dict[str, str]]("figure_formats", dict)  # by figure's key

    # Tune's documents and Retrieval's
    tune_left_out = Container[set[str]]("tune_left_out", set)
    tune_held = Container[set[str]]("tune_held", set)
    tune_uploaded = Value("tune_uploaded", MarkedDocuments())
    tune_stitched = Value("tune_stitched", MarkedDocuments())
    tune_reading = Value[ReadingJob[MarkedDocuments] | None]("tune_reading", None)
    tune_stitching = Value[ReadingJob[StitchedDocuments] | None]("tune_stitching", None)
    # The names that Streamlit has for the uploaded files, and the reading of them: names, texts, and complaints
    retrieval_reading = Value[tuple[list[str], ReadingJob[tuple[list[tuple[str, str]], list[str]]]] | None](
        "retrieval_reading", None
    )

    @property
    def on_disk(self) -> bool:
        """Whether the user keeps embeddings on disk; a widget's."""
        return bool(st.session_state.get("on_disk"))

    @property
    def all_sizes(self) -> bool:
        """Whether Compare shows all sizes; a widget's."""
        return bool(st.session_state.get("all_sizes"))


session = Session()
"""The session of whoever asks: Streamlit knows which, so one object is enough for all."""
