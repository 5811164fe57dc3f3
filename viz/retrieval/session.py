"""The session state of the Retrieval page."""

from evaluation.generating.question_generation import GenerationSettings
from evaluation.questions import QuestionSet
from viz.jobs import ReadingJob
from viz.jobs.question_generation import QuestionSimilarityJob
from viz.jobs.retrieval_plan import OwnDocuments
from viz.jobs.trace_diagnosis import DiagnosingTraces
from viz.shell import QuestionExchangeSession
from viz.state import SessionJob, SessionValue


class RetrievalSession(QuestionExchangeSession):
    """Session state of the Retrieval page: its own, and the questions that other pages pass to it."""

    # Reads the uploaded files, and is about Streamlit's ids of them
    document_reading_job: SessionJob[ReadingJob[OwnDocuments] | None] = SessionJob("retrieval_document_reading_job", None)
    # The same for the file of questions, which may include its documents
    question_reading_job: SessionJob[ReadingJob[QuestionSet | None] | None] = SessionJob(
        "retrieval_question_reading_job", None
    )
    # Settings for the questions that a language model generates; None to use those of the shown questions
    generating_settings: SessionValue[GenerationSettings | None] = SessionValue("generating_settings", None)
    similarity_job: SessionJob[QuestionSimilarityJob | None] = SessionJob("similarity_job", None)
    question_table_edits = SessionValue("question_table_edits", 0)  # number of edits of the question table, part of its key
    trace_job: SessionJob[DiagnosingTraces | None] = SessionJob("trace_job", None)
    traced_question: SessionValue[int | None] = SessionValue(
        "traced_question", None
    )  # number of the failed question that is shown


session = RetrievalSession()
"""The current session, as the page sees it."""
