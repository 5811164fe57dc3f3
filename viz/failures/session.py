"""The session state of the Failures page."""

from typing import TYPE_CHECKING

from viz.state import Container, Job, Session, Value

if TYPE_CHECKING:
    from viz.jobs.file_reading import ReadingJob
    from viz.jobs.remedy_search import RemedyJob
    from viz.jobs.sweep import Sweep


class FailuresSession(Session):
    """Session state that only the Failures page uses."""

    # Reads boundaries of the current text
    marks_reading: "Job[ReadingJob[tuple[int, ...]] | None]" = Job("marks_reading", None)
    failure_searches: "Container[dict[tuple[object, ...], Sweep]]" = Container("failure_searches", dict)
    finding_sought = Value("finding_sought", "")  # the finding for whose removal remedies are searched
    finding_job: "Job[RemedyJob | None]" = Job("finding_job", None)


session = FailuresSession()
"""The current session, as the page sees it."""
