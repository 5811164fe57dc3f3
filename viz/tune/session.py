"""The session state of the Tune page."""

from dataclasses import dataclass, field

from evaluation.segmentation import MarkedText
from viz.jobs import ReadingJob
from viz.state import MutableSessionValue, Session, SessionJob, SessionValue


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

    tune_left_out: MutableSessionValue[set[str]] = MutableSessionValue("tune_left_out", set)
    tune_held: MutableSessionValue[set[str]] = MutableSessionValue("tune_held", set)
    tune_uploaded = SessionValue("tune_uploaded", MarkedDocuments())
    tune_stitched = SessionValue("tune_stitched", MarkedDocuments())
    tune_reading: "SessionJob[ReadingJob[MarkedDocuments] | None]" = SessionJob("tune_reading", None)
    tune_stitching: "SessionJob[ReadingJob[StitchedDocuments] | None]" = SessionJob("tune_stitching", None)


session = TuneSession()
"""The current session, as the page sees it."""
