"""The state of the page Answers; its questions are the user's text, which no link has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viz.state.session_state import Job, Session, Value

if TYPE_CHECKING:
    from evaluation.answering.questions import Items
    from viz.jobs.answering.job import Gathering, Judging, Sharing
    from viz.jobs.reading import ReadingJob


class AnswersSession(Session):
    """Session state that only the Answers page uses."""

    answers_typed = Value("answers_typed", "")
    answers_reading: Job[ReadingJob[Items] | None] = Job("answers_reading", None)  # reads the file of questions
    answers_file: Value[tuple[str, Items] | None] = Value("answers_file", None)  # the file of questions, by name
    judge = Value("judge", "")  # name of the model that judges; empty for the one that answers
    gathering: Job[Gathering | None] = Job("gathering", None)
    judging: Job[Judging | None] = Job("judging", None)
    sharing: Job[Sharing | None] = Job("sharing", None)


session = AnswersSession()
"""The current session, as the page sees it."""
