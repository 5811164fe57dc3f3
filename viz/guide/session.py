"""The session state of the Guide."""

from collections.abc import Mapping
from typing import Any

from viz.jobs import AskJob
from viz.state import Job, Session, Value


class GuideSession(Session):
    """Session state that only the Guide uses."""

    # The question of the Guide: the name of the text that it was typed for, and its words; no link has them
    guide_question: Value[tuple[str, str]] = Value("guide_question", ("", ""))
    guide_ask_job: Job[AskJob | None] = Job("guide_ask_job", None)
    guide_asked = Value("guide_asked", "")  # identity of a long text that the user has agreed to embed
    # What the reader has done on each screen of the path, by the screen's number in the link; and the time of the last cut
    guide_path: Value[Mapping[str, Any]] = Value("guide_path", {})


session = GuideSession()
"""The current session, as the page sees it."""
