"""The session state of the Guide."""

from collections.abc import Mapping
from typing import Any

from viz.jobs import QuestionRetrievalJob
from viz.state import Session, SessionJob, SessionValue


class GuideSession(Session):
    """Session state that only the Guide uses."""

    # The question of the Guide: the name of the text that it was typed for, and its words; no link has them
    guide_question: SessionValue[tuple[str, str]] = SessionValue("guide_question", ("", ""))
    guide_ask_job: SessionJob[QuestionRetrievalJob | None] = SessionJob("guide_ask_job", None)
    # What the reader has done on each screen of the path, by the screen's number in the link; and the time of the last cut
    path_choices: SessionValue[Mapping[str, Any]] = SessionValue("path_choices", {})


session = GuideSession()
"""The current session, as the page sees it."""
