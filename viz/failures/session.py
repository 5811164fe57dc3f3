"""The session state of the Failures page."""

from viz.jobs import ReadingJob
from viz.jobs.remedy_search import RemedyJob
from viz.jobs.sweep import Sweep
from viz.state import MutableSessionValue, Session, SessionJob, SessionValue


class FailuresSession(Session):
    """Session state that only the Failures page uses."""

    # Reads boundaries of the current text
    marks_reading: "SessionJob[ReadingJob[tuple[int, ...]] | None]" = SessionJob("marks_reading", None)
    failure_searches: "MutableSessionValue[dict[tuple[object, ...], Sweep]]" = MutableSessionValue("failure_searches", dict)
    finding_sought = SessionValue("finding_sought", "")  # the finding for whose removal remedies are searched
    finding_job: "SessionJob[RemedyJob | None]" = SessionJob("finding_job", None)


session = FailuresSession()
"""The current session, as the page sees it."""
