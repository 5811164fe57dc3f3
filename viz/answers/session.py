"""The state of the page Answers; its questions are the user's text, which no link has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viz.state import Job, Session, Value

if TYPE_CHECKING:
    from evaluation.answering.questions_and_answers import QuestionItems
    from viz.jobs.answer_runs import Gathering, Judging, QuestionSharing
    from viz.jobs.file_reading import ReadingJob


class AnswersSession(Session):
    """Session state that only the Answers page uses."""

    answers_typed = Value("answers_typed", "")
    answers_reading: Job[ReadingJob[QuestionItems] | None] = Job("answers_reading", None)  # reads the file of questions
    answers_file: Value[tuple[str, QuestionItems] | None] = Value("answers_file", None)  # the file of questions, by name
    judge = Value("judge", "")  # name of the model that judges; empty for the one that answers
    gathering: Job[Gathering | None] = Job("gathering", None)
    judging: Job[Judging | None] = Job("judging", None)
    sharing: Job[QuestionSharing | None] = Job("sharing", None)


session = AnswersSession()
"""The current session, as the page sees it."""
