"""The session state of the Tune page."""

from typing import TYPE_CHECKING

from viz.state.session_state import Container, Job, Session, Value
from viz.state.values import MarkedDocuments, StitchedDocuments

if TYPE_CHECKING:
    from viz.jobs.file_reading import ReadingJob


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
