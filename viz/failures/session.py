"""The state of the page Failures."""

from __future__ import annotations

from viz.jobs.asking.remedies import RemedyJob
from viz.jobs.reading import ReadingJob
from viz.jobs.sweep import Sweep
from viz.state.keys import Container, Job, Session, Value


class FailuresSession(Session):
    """Values that only this page has."""

    marks_reading = Job[ReadingJob[tuple[int, ...]] | None]("marks_reading", None)  # about the text that they are of
    failure_searches = Container[dict[tuple[object, ...], Sweep]]("failure_searches", dict)
    finding_sought = Value("finding_sought", "")  # the finding of the inbox whose removal is looked for
    finding_job = Job[RemedyJob | None]("finding_job", None)


session = FailuresSession()
"""The current session, as the page sees it."""
