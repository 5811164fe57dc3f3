"""The state of the page Answers; its questions are the user's text, which no link has."""

from evaluation.answering import QuestionItems
from viz.jobs import ReadingJob
from viz.jobs.answering_plan_and_jobs import Judging, PassageGatheringJob, QuestionAssignmentJob
from viz.state import Session, SessionJob, SessionValue


class AnswersSession(Session):
    """Session state that only the Answers page uses."""

    typed_questions = SessionValue("typed_questions", "")
    question_reading_job: SessionJob[ReadingJob[QuestionItems] | None] = SessionJob(
        "answers_question_reading_job", None
    )  # reads the file of questions
    answers_file: SessionValue[tuple[str, QuestionItems] | None] = SessionValue(
        "answers_file", None
    )  # the file of questions, by name
    judge_name = SessionValue("judge_name", "")  # name of the model that judges; empty for the one that answers
    passage_gathering_job: SessionJob[PassageGatheringJob | None] = SessionJob("passage_gathering_job", None)
    judging: SessionJob[Judging | None] = SessionJob("judging", None)
    question_sharing_job: SessionJob[QuestionAssignmentJob | None] = SessionJob("question_sharing_job", None)


session = AnswersSession()
"""The current session, as the page sees it."""
