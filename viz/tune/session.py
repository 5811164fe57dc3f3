"""The session state of the Tune page."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evaluation.segmentation import MarkedText
from viz.state import Container, Job, Session, Value

if TYPE_CHECKING:
    from viz.jobs.file_reading import ReadingJob


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


class TuneSession(Session):
    """Session state that only the Tune page uses."""

    tune_left_out: Container[set[str]] = Container("tune_left_out", set)
    tune_held: Container[set[str]] = Container("tune_held", set)
    tune_uploaded = Value("tune_uploaded", MarkedDocuments())
    tune_stitched = Value("tune_stitched", MarkedDocuments())
    tune_reading: "Job[ReadingJob[MarkedDocuments] | None]" = Job("tune_reading", None)
    tune_stitching: "Job[ReadingJob[StitchedDocuments] | None]" = Job("tune_stitching", None)


session = TuneSession()
"""The current session, as the page sees it."""
