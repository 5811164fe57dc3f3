"""The state of the page Answers; its questions are the user's text, which no link has."""

from evaluation.answering import QuestionItems
from viz.jobs import ReadingJob
from viz.jobs.answering_plan_and_jobs import Gathering, Judging, QuestionSharing
from viz.state import Session, SessionJob, SessionValue


class AnswersSession(Session):
    """Session state that only the Answers page uses."""

    answers_typed = SessionValue("answers_typed", "")
    answers_reading: SessionJob[ReadingJob[QuestionItems] | None] = SessionJob(
        "answers_reading", None
    )  # reads the file of questions
    answers_file: SessionValue[tuple[str, QuestionItems] | None] = SessionValue(
        "answers_file", None
    )  # the file of questions, by name
    judge = SessionValue("judge", "")  # name of the model that judges; empty for the one that answers
    gathering: SessionJob[Gathering | None] = SessionJob("gathering", None)
    judging: SessionJob[Judging | None] = SessionJob("judging", None)
    sharing: SessionJob[QuestionSharing | None] = SessionJob("sharing", None)


session = AnswersSession()
"""The current session, as the page sees it."""
