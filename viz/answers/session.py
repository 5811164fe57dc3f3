"""The state of the page Answers; its questions are the user's text, which no link has."""

from __future__ import annotations

from evaluation.answering.questions import Items
from viz.jobs.answering.job import Gathering, Judging
from viz.jobs.answering.sharing import Sharing
from viz.jobs.reading import ReadingJob
from viz.state.keys import Job, Session, Value


class AnswersSession(Session):
    """Session state that only the Answers page uses."""

    answers_typed = Value("answers_typed", "")
    answers_reading = Job[ReadingJob[Items] | None]("answers_reading", None)  # reads the file of questions
    answers_file = Value[tuple[str, Items] | None]("answers_file", None)  # the file of questions, by name
    judge = Value("judge", "")  # name of the model that judges; empty for the one that answers
    gathering = Job[Gathering | None]("gathering", None)
    judging = Job[Judging | None]("judging", None)
    sharing = Job[Sharing | None]("sharing", None)


session = AnswersSession()
"""The current session, as the page sees it."""
