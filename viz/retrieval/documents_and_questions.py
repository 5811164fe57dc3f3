"""The documents and questions of the Retrieval page, bundled or the user's own."""

from collections.abc import Callable, Iterable, Sequence

import streamlit as st

from chunkers import InputError
from chunkers.support import pluralize
from chunkers.text import READABLE_ENDINGS, READABLE_FORMATS_PHRASE, FileText, TextParts, read_document_text
from evaluation.questions import QuestionSet, read_question_set_file
from viz.components.page_elements import show_job_progress_with_cancel, show_notice, show_remark
from viz.controls import current_widget_key, widget_key_for_value
from viz.jobs import Converted, FileConverter, ReadingJob, converter_from_single_file_function
from viz.jobs.retrieval_plan import OwnDocuments, RunMaterial
from viz.retrieval.session import session
from viz.shell import (
    RETRIEVAL_QUESTIONS,
    GivenQuestions,
    bundled_documents_and_questions,
    give_compare_questions_to_retrieval,
    own_material_of_last_run,
    refresh_questions_from_compare,
)

BUNDLED_OPTION, OWN_OPTION = "Bundled", "Your own"
MOST_UPLOAD_MEGABYTES = 20
"""The largest file that can be uploaded, in MB."""


def read_documents_and_messages(
    files: Iterable[tuple[str, bytes]],
    read_file: Callable[[bytes, str], FileText] = read_document_text,
    _: Callable[[], bool] = bool,
) -> OwnDocuments:
    """Read the user's files; return the usable documents, and a message for each file that is not usable."""
    text_by_name: dict[str, str] = {}
    names_with_text_parts: list[tuple[str, TextParts]] = []
    unusable_file_messages = []
    for file_name, file_content in files:
        try:
            file_text = read_file(file_content, file_name)
            document_text = file_text.text
            if file_name in text_by_name:
                raise InputError(
                    f"{file_name}: documents must have different names; an earlier document has this name, so this one is "
                    "left "
                    "out. Rename the document to include it."
                )
            if not document_text.strip():
                raise InputError(f"{file_name}: a document must contain text; this one is empty, so it is left out.")
        except InputError as error:
            unusable_file_messages.append(str(error))
            continue
        text_by_name[file_name] = document_text
        if file_text.parts is not None:
            names_with_text_parts.append((file_name, file_text.parts))
    return OwnDocuments(list(text_by_name.items()), unusable_file_messages, names_with_text_parts)


def choose_documents_and_questions(
    run_documents_and_questions: RunMaterial | None, *, waits_for_files: bool = False
) -> RunMaterial | None:
    """Draw the controls for choosing documents and questions; return both, or None if something is missing.

    ``run_documents_and_questions`` is the material of the run on the page. A new browser session has no uploaded files, so
    files that the user has not uploaded again are taken from the run or, without a run on own files, from the session's
    earlier material. ``waits_for_files`` is True if the run waits for the user's files. Questions from another page replace
    files. Questions stored on Compare are used if there is nothing else, and otherwise offered.
    """
    refresh_questions_from_compare()
    questions_from_other_page, are_run_documents_own = (
        session.given_questions,
        run_documents_and_questions is not None and run_documents_and_questions.own,
    )
    earlier_own_documents_and_questions = (
        run_documents_and_questions if are_run_documents_own else own_material_of_last_run()
    )
    # A run on the bundled documents is shown with them, regardless of earlier material.
    default_document_source = (
        OWN_OPTION
        if waits_for_files
        or are_run_documents_own
        or (run_documents_and_questions is None and earlier_own_documents_and_questions is not None)
        or questions_from_other_page is not None
        else BUNDLED_OPTION
    )
    widget_key = "retrieval_material"
    shown_documents_option = (
        OWN_OPTION
        if session.has_arrived_questions
        else st.session_state.get(current_widget_key(widget_key), default_document_source)
    )
    widget_key = widget_key_for_value(shown_documents_option, widget_key)
    session.has_arrived_questions = False
    st.segmented_control(
        "Documents and questions",
        [BUNDLED_OPTION, OWN_OPTION],
        default=shown_documents_option,
        key=widget_key,
        required=True,
    )
    if st.session_state[widget_key] != OWN_OPTION:
        return bundled_documents_and_questions()
    if (
        questions_from_other_page is None
        and session.questions
        and not (
            waits_for_files or are_run_documents_own or earlier_own_documents_and_questions or session.prefers_question_files
        )
    ):
        give_compare_questions_to_retrieval()
        session.has_arrived_questions = False
        questions_from_other_page = session.given_questions
    if questions_from_other_page is not None:
        return _draw_questions_from_page(questions_from_other_page)
    if session.questions:
        questions_phrase = pluralize(len(session.questions), "question")
        st.button(
            f"Use {questions_phrase} from Compare", on_click=give_compare_questions_to_retrieval, key="retrieval_use_kept"
        )
    return _draw_and_read_uploads(
        earlier_own_documents_and_questions, "Reused from the run shown" if are_run_documents_own else "Given before"
    )


def chosen_documents(documents_and_questions: RunMaterial | None) -> OwnDocuments:
    """Return the documents that `choose_documents_and_questions` has read, even if their questions are missing."""
    if documents_and_questions is not None:
        return OwnDocuments(list(documents_and_questions.texts), [], list(documents_and_questions.parts))
    reading_job = session.document_reading_job
    return reading_job.result if reading_job is not None and reading_job.result is not None else OwnDocuments([], [], [])


def _draw_questions_from_page(questions_from_other_page: GivenQuestions) -> RunMaterial:
    """Draw the questions from another page, and the button that uses files instead."""

    def forget_questions_from_other_page() -> None:
        session.given_questions, session.prefers_question_files = None, True
        session.shared_questions.pop(RETRIEVAL_QUESTIONS, None)

    show_remark(questions_from_other_page.summary, key="retrieval_given_said")
    for note_number, note in enumerate(questions_from_other_page.notes):
        show_notice(note, key=f"retrieval_note_{note_number}")
    st.button("Use files instead", on_click=forget_questions_from_other_page, key="retrieval_files")
    return questions_from_other_page.material


def _draw_and_read_uploads(
    earlier_own_documents_and_questions: RunMaterial | None, origin_phrase: str
) -> RunMaterial | None:
    """Draw the uploads; return them, completed from the user's own material, or None if a part is missing."""
    document_files = st.file_uploader(
        "Documents",
        [ending.removeprefix(".") for ending in READABLE_ENDINGS],
        accept_multiple_files=True,
        key="retrieval_documents",
        max_upload_size=MOST_UPLOAD_MEGABYTES,
        help=f"{READABLE_FORMATS_PHRASE[:1].upper()}{READABLE_FORMATS_PHRASE[1:]}. They stay on this machine.",
    )
    questions_file = st.file_uploader(
        "Questions",
        ["csv", "jsonl", "json", "zip"],
        key="retrieval_questions",
        max_upload_size=MOST_UPLOAD_MEGABYTES,
        help="CSV, JSON lines or JSON with question, excerpts (a text, or a list of texts) and, where known, corpus_id, "
        "a file; ragas' test sets as they are. A BEIR set as a ZIP file and SQuAD's JSON bring their documents.",
    )
    named_texts, document_error_messages, document_names_and_parts = _read_uploaded_documents(
        [(file.file_id, file.name, file.getvalue()) for file in document_files]
    )
    question_set_with_documents, question_error_message, is_reading_question_file = _read_question_set_and_error(
        [] if questions_file is None else [(questions_file.file_id, questions_file.name, questions_file.getvalue())]
    )
    if is_reading_question_file:
        return None
    for notice_number, file_error_message in enumerate(
        [*document_error_messages, *([question_error_message] if question_error_message else [])]
    ):
        show_notice(file_error_message, "error", key=f"retrieval_document_{notice_number}")
    if question_set_with_documents is not None:
        if document_files:
            show_notice(
                "The question set has its own documents, so uploaded documents are not used.", key="retrieval_beside"
            )
        for notice_number, note in enumerate(question_set_with_documents.notes):
            show_notice(note, key=f"retrieval_note_{notice_number}")
        return RunMaterial(question_set_with_documents.texts, question_set_with_documents.questions, True)
    named_question_file = (
        (questions_file.name, questions_file.getvalue())
        if questions_file is not None and not question_error_message
        else None
    )
    if earlier_own_documents_and_questions is not None:
        if not document_files:
            named_texts, document_names_and_parts = (
                list(earlier_own_documents_and_questions.texts),
                list(earlier_own_documents_and_questions.parts),
            )
        named_question_file = named_question_file or earlier_own_documents_and_questions.questions
        if not document_files or questions_file is None:
            reused_phrases = [pluralize(len(earlier_own_documents_and_questions.texts), "document")] * (
                not document_files
            ) + [earlier_own_documents_and_questions.questions[0]] * (questions_file is None)
            show_notice(f"{origin_phrase}: {' and '.join(reused_phrases)}.", key="retrieval_kept")
    return (
        RunMaterial(tuple(named_texts), named_question_file, True, tuple(document_names_and_parts))
        if named_texts and named_question_file is not None
        else None
    )


def _reuse_or_build_reading_job(
    earlier_job: ReadingJob[Converted] | None,
    files: Sequence[tuple[str, str, bytes]],
    file_converter: FileConverter[Converted],
) -> ReadingJob[Converted]:
    """Return ``earlier_job`` if it reads the same files, by their identities; otherwise return a new job."""
    uploaded_file_identities = [identity for identity, _, _ in files]
    if earlier_job is not None and earlier_job.subject == uploaded_file_identities:
        return earlier_job
    return ReadingJob([(name, data) for _, name, data in files], file_converter, subject=uploaded_file_identities)


def _read_uploaded_documents(files: list[tuple[str, str, bytes]]) -> OwnDocuments:
    """Return the documents of the files, which are read once in the background; empty while they are being read."""
    session.document_reading_job = reading_job = _reuse_or_build_reading_job(
        session.document_reading_job, files, read_documents_and_messages
    )
    reading_job.start_and_wait_briefly()
    if reading_job.is_running_and_not_cancelled:
        show_job_progress_with_cancel(reading_job)
    if reading_job.cancelled():
        return OwnDocuments([], ["Reading the documents was stopped; upload them again, or fewer of them."], [])
    return reading_job.result or OwnDocuments([], [reading_job.error] if reading_job.error else [], [])


def _read_question_set_and_error(files: list[tuple[str, str, bytes]]) -> tuple[QuestionSet | None, str, bool]:
    """Return the question set of the file with its documents, the error, and whether it is still being read.

    The file is read once, in the background. The question set is None without a file or if the file brings no documents.
    """
    if not files:
        return None, "", False
    question_set_converter = converter_from_single_file_function(
        lambda data, name, cancelled: read_question_set_file(data, name, cancelled=cancelled)
    )
    session.question_reading_job = reading_job = _reuse_or_build_reading_job(
        session.question_reading_job, files, question_set_converter
    )
    reading_job.start_and_wait_briefly()
    if reading_job.cancelled():
        return None, "Reading the questions was stopped; upload them again.", False
    if reading_job.running:
        show_job_progress_with_cancel(reading_job)
        return None, "", True
    return reading_job.result, reading_job.error, False
