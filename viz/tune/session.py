"""The session state of the Tune page."""

from __future__ import annotations

from viz.jobs.reading import ReadingJob
from viz.state.keys import Container, Session, Value
from viz.state.values import MarkedDocuments, StitchedDocuments


class TuneSession(Session):
    """Session state that only the Tune page uses."""

    tune_left_out = Container[set[str]]("tune_left_out", set)
    tune_held = Container[set[str]]("tune_held", set)
    tune_uploaded = Value("tune_uploaded", MarkedDocuments())
    tune_stitched = Value("tune_stitched", MarkedDocuments())
    tune_reading = Value[ReadingJob[MarkedDocuments] | None]("tune_reading", None)
    tune_stitching = Value[ReadingJob[StitchedDocuments] | None]("tune_stitching", None)


session = TuneSession()
"""The current session, as the page sees it."""
