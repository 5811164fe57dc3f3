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
    summary: str = ""


@dataclass(frozen=True)
class StitchedDocuments:
    """Documents stitched from the user's files, and the names of the held-out ones."""

    documents: MarkedDocuments
    held_out_names: frozenset[str] = frozenset()


class TuneSession(Session):
    """Session state that only the Tune page uses."""

    left_out_names: MutableSessionValue[set[str]] = MutableSessionValue("left_out_names", set)
    held_out_names: MutableSessionValue[set[str]] = MutableSessionValue("tune_held_out_names", set)
    tune_uploaded = SessionValue("tune_uploaded", MarkedDocuments())
    tune_stitched = SessionValue("tune_stitched", MarkedDocuments())
    document_reading_job: "SessionJob[ReadingJob[MarkedDocuments] | None]" = SessionJob("tune_document_reading_job", None)
    tune_stitching: "SessionJob[ReadingJob[StitchedDocuments] | None]" = SessionJob("tune_stitching", None)


session = TuneSession()
"""The current session, as the page sees it."""
