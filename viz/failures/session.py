"""The session state of the Failures page."""

from __future__ import annotations

from viz.jobs.asking.remedies import RemedyJob
from viz.jobs.reading import ReadingJob
from viz.jobs.sweep import Sweep
from viz.state.keys import Container, Job, Session, Value


class FailuresSession(Session):
    """Session state that only the Failures page uses."""

    marks_reading = Job[ReadingJob[tuple[int, ...]] | None]("marks_reading", None)  # reads boundaries of the current text
    failure_searches = Container[dict[tuple[object, ...], Sweep]]("failure_searches", dict)
    finding_sought = Value("finding_sought", "")  # the finding for whose removal remedies are searched
    finding_job = Job[RemedyJob | None]("finding_job", None)


session = FailuresSession()
"""The current session, as the page sees it."""
