"""Small value types in the session state, each for a single page or widget."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple, TypedDict
from uuid import uuid4

from pydantic import BaseModel, Field

from chunkers.support.limits import MOST_SPENT_TOKENS
from evaluation.asking.ask import LONGEST_ANSWER, LONGEST_QUESTION
from evaluation.questions.question_sets import MarkedQuestion
from evaluation.segmentation.marked_texts import MarkedText
from viz.jobs.chunking import Task
from viz.jobs.keeping.notebook_store import Place
from viz.jobs.retrieval_plan import Material
from viz.state.choices import ColumnChoice
from viz.state.text import Source


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


class ScenePicture(TypedDict):
    """A page as SVG: when the browser asked for it, the file name without ending, and the text alternative."""

    asked: float
    svg: str
    name: str
    said: str


@dataclass(frozen=True)
class LastChange:
    """The boundaries of a column on Compare, and how the last change of its parameters affected them.

    Attributes
    ----------
    task
        The task that produced the boundaries, without the embedder's revision.
    cuts
        The boundaries, as offsets in code points.
    said, fresh
        The change in words, and the boundaries that are new; empty if nothing has changed yet.
    """

    task: Task
    cuts: tuple[int, ...]
    said: str = ""
    fresh: frozenset[int] = frozenset()


@dataclass(frozen=True)
class MarkedDocuments:
    """Documents made from the user's files, with a summary and a message for each file that is not usable."""

    documents: list[MarkedText] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    said: str = ""


@dataclass(frozen=True)
class StitchedDocuments:
    """Documents stitched from the user's files, and the names of the held-out ones."""

    made: MarkedDocuments
    held: frozenset[str] = frozenset()


@dataclass(frozen=True)
class GivenQuestions:
    """Questions and columns that another page passes to Retrieval.

    Attributes
    ----------
    material
        The questions with their documents.
    said
        A sentence on the number and origin of the questions.
    notes
        Notes on the questions' measures.
    origin
        The origin of the questions, such as ``kept on Compare``.
    columns
        The columns to measure; empty to keep Retrieval's.
    """

    material: Material
    said: str
    notes: tuple[str, ...]
    origin: str
    columns: tuple[ColumnChoice, ...] = ()


MOST_QUESTIONS = 100
"""Most questions with a marked answer in a session."""


class KeptQuestion(BaseModel, frozen=True, extra="forbid"):
    """The stored form of a question and its marked answer, `evaluation.questions.question_sets.MarkedQuestion`.

    Attributes
    ----------
    sample
        The id of the bundled document that the question is about; empty for the user's own text.
    text
        A digest of the text, by which it is recognised.
    """

    question: str = Field(min_length=1, max_length=LONGEST_QUESTION)
    document: str = Field(max_length=300)
    identity: str = Field(max_length=200)
    start: int = Field(ge=0)
    answer: str = Field(min_length=1, max_length=LONGEST_ANSWER)
    sample: str = Field("", max_length=100)
    text: str = Field(max_length=64)

    @property
    def marked(self) -> MarkedQuestion:
        """The question as a `MarkedQuestion`, the form of questions in the session."""
        return MarkedQuestion(self.question, self.document, self.identity, self.start, self.answer)


class Notebook(NamedTuple):
    """The state of a notebook on disk: its key (None before the first write), and a digest of its last content."""

    place: Place | None
    digest: str


class Replaced(NamedTuple):
    """The user's previous own text; ``given`` is this text before its lines of dashes were removed."""

    own: Source
    given: Source | None


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


Data = Mapping[str, object] | bytes
"""Payload of a component: JSON, or a line of JSON followed by arbitrary bytes."""


class Order(NamedTuple):
    """Sequence number of a payload; later payloads of a session have greater numbers."""

    session: str
    number: int


class Sent:
    """The last payload sent to each component of a session."""

    def __init__(self) -> None:
        self._session = uuid4().hex[:12]
        self._numbers = count(1)
        self._last: dict[str, tuple[Data, Order]] = {}

    def order(self, key: str, data: Data) -> Order:
        """Return the sequence number of ``data``, unchanged if the component ``key`` was last sent the same data."""
        before = self._last.get(key)
        if before is None or before[0] != data:
            before = data, Order(self._session, next(self._numbers))
        self._last[key] = data, before[1]
        return before[1]

    def forget(self) -> None:
        """Drop the stored payloads to free memory, so that the next payload counts as new."""
        self._last.clear()
