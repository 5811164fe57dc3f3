"""The session state of the Failures page."""

from viz.jobs import ReadingJob
from viz.jobs.remedy_search import RemedyJob
from viz.jobs.sweep import Sweep
from viz.state import MutableSessionValue, Session, SessionJob, SessionValue


class FailuresSession(Session):
    """Session state that only the Failures page uses."""

    # Reads boundaries of the current text
    boundary_reading_job: "SessionJob[ReadingJob[tuple[int, ...]] | None]" = SessionJob("boundary_reading_job", None)
    best_setting_searches: "MutableSessionValue[dict[tuple[object, ...], Sweep]]" = MutableSessionValue(
        "best_setting_searches", dict
    )
    sought_finding_id = SessionValue("sought_finding_id", "")  # the finding for whose removal remedies are searched
    finding_remedy_job: "SessionJob[RemedyJob | None]" = SessionJob("finding_remedy_job", None)


session = FailuresSession()
"""The current session, as the page sees it."""
