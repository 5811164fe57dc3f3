"""The choice of the text: a sample, or the user's own text, pasted or uploaded."""

from functools import cache
from uuid import uuid4

import streamlit as st

from chunkers import InputError, Recipe
from chunkers.support import pluralize
from chunkers.text import (
    CODE_FILE_ENDINGS,
    ENCODING_CHOICES,
    FORMATS_WITH_ENCODING_CHOICE,
    READABLE_ENDINGS,
    FileText,
    document_format_of_name,
)
from sample_docs import load_sample, sample_titles
from viz.components.browser_exchange import take_event
from viz.components.page_elements import show_job_progress_with_cancel, show_notice, show_remark
from viz.components.text_bar.text_bar import (
    TEXT_AREA_FOOTER_KEY,
    TEXT_BAR_KEY,
    DocumentData,
    draw_document_choice_bar,
    keep_text_in_tab,
    show_text_box_footer,
)
from viz.controls.text_storage import (
    apply_storage_chip_action,
    document_storage_chip_data,
    offer_to_restore_replaced_text,
    restore_text_of_tab,
    show_stored_texts,
    text_and_metadata_for_tab,
    warning_too_long_for_tab,
)
from viz.jobs import ReadingJob, converter_from_single_file_function, read_text_of_first_file
from viz.state import (
    MAX_EDITABLE_CHARACTERS,
    OWN_DOCUMENT_KEY,
    PASTED_TITLE,
    Choices,
    PageText,
    TextSessionOrRecipe,
    TextWithDetails,
    add_column_of_recipe,
    choose_document,
    language_label,
    open_linked_text,
    own_text_after_edit,
    restore_choices_from_session_file,
    session,
    session_file,
    set_own_text,
    set_own_text_and_boundaries,
    shift_column_cuts_after_edit,
    stored_texts_and_questions,
    with_dashes_as_boundaries,
)

_PASTED_FILE_NAME = "Pasted text.txt"
"""The name of the file in which the browser uploads a text pasted on the page; see dropped_and_pasted_text.js."""

_ENCODING_KEY = "own_named"
"""Key of the widget for the uploaded file's encoding."""


def apply_events_of_document_row(choices: Choices, page_default_choices: Choices) -> None:
    """Apply the events of the top row: a chosen document, the text and questions kept by the tab, and the chip's actions."""
    document_choice_event, tab_text_event = take_event(TEXT_BAR_KEY, "chosen"), take_event(TEXT_BAR_KEY, "kept")
    browser_tab_questions_event = take_event(TEXT_BAR_KEY, "questions")
    if document_choice_event and document_choice_event.get("document") in (*sample_titles(), OWN_DOCUMENT_KEY):
        choose_document(choices, document_choice_event["document"])
    if take_event(TEXT_AREA_FOOTER_KEY, "cut") and session.own is not None:
        choose_document(choices, OWN_DOCUMENT_KEY)
    if tab_text_event and restore_text_of_tab(tab_text_event):
        session.outside_text_count += 1
    if browser_tab_questions_event:
        stored_texts_and_questions.add_questions_of_tab(browser_tab_questions_event.get("questions"))
    if storage_chip_event := take_event(TEXT_BAR_KEY, "storage"):
        apply_storage_chip_action(storage_chip_event, choices.document)
    if choices.document == OWN_DOCUMENT_KEY and session.own is None and session.tab_answered:
        open_linked_text()
    if choices.document == OWN_DOCUMENT_KEY and session.own is None and session.tab_answered:
        lost_text_reason = session.lost_text_message
        if lost_text_reason:
            choose_document(choices, page_default_choices.document)
        session.lost_text_message, session.is_own_text_emptied = lost_text_reason, not lost_text_reason


def show_document_row(choices: Choices, page_text: PageText | None) -> None:
    """Draw the page's top row, with a document selector and the facts known about the text."""
    own_text_and_details = session.own
    waits_for_tab = (
        choices.document == OWN_DOCUMENT_KEY
        and own_text_and_details is None
        and not session.is_own_text_emptied
        and not session.tab_answered
    )
    if waits_for_tab and not session.text_request_token:
        session.text_request_token = uuid4().hex
    session.question_request_token = session.question_request_token or uuid4().hex
    draw_document_choice_bar(
        {
            "documents": _sample_documents_data(),
            "own": own_text_and_details.name if own_text_and_details is not None else "",
            "chosen": choices.document,
            "facts": _text_facts_phrase(page_text, is_own_text=choices.document == OWN_DOCUMENT_KEY)
            if page_text is not None
            else "",
            "open": session.lost_text_message
            or session.own_complaint
            or ("empty" if choices.document == OWN_DOCUMENT_KEY and session.is_own_text_emptied else ""),
            "taken": session.outside_text_count,
            "ask": session.text_request_token if waits_for_tab else "",
            "ask_questions": session.question_request_token,
            "storage": document_storage_chip_data(choices.document),
        }
    )
    if (metadata_and_text_for_tab := text_and_metadata_for_tab()) is not None:
        keep_text_in_tab(*metadata_and_text_for_tab)
    stored_texts_and_questions.activate_questions_of_opened_texts()


@cache
def _sample_documents_data() -> list[DocumentData]:
    return [{"id": name, "title": title, "about": load_sample(name).teaches} for name, title in sample_titles().items()]


def _text_facts_phrase(page_text: PageText, *, is_own_text: bool) -> str:
    document = page_text.document
    size_phrases = [pluralize(len(document.sentences), "sentence"), pluralize(len(document.text), "character")]
    return " · ".join([*size_phrases, language_label(document)] if is_own_text else size_phrases)


def draw_text_box_returning_text(choices: Choices) -> TextWithDetails | None:
    """Draw the text box and its errors, and return the chosen text, or None if there is none yet."""
    _adopt_read_file(choices)
    if session.lost_text_message:
        show_notice(session.lost_text_message, key="lost_notice")
    with st.container(key="own_box"):
        _draw_text_box_and_upload(choices)
    if session.upload_reading_job is not None:
        show_job_progress_with_cancel(session.upload_reading_job)
    if session.own_complaint:
        show_notice(session.own_complaint, "error", key="own_complaint_notice")
    if choices.document != OWN_DOCUMENT_KEY:
        bundled_sample = load_sample(choices.document)
        return TextWithDetails(bundled_sample.text, bundled_sample.title, bundled_sample.known, bundled_sample.teaches)
    own_text_with_details = session.own
    if own_text_with_details is None and session.is_own_text_emptied and session.upload_reading_job is None:
        show_notice("There is no text yet: paste one above or upload a file. The text stays on this machine.", key="no_text")
    offer_to_restore_replaced_text(choices)
    if OWN_DOCUMENT_KEY not in session.stored_versions and (too_long_warning := warning_too_long_for_tab()):
        show_remark(too_long_warning, key="not_kept")
    if encoding_warning := _encoding_warning():
        show_notice(encoding_warning, key="encoding_doubts")
    return own_text_with_details


def _draw_text_box_and_upload(choices: Choices) -> None:
    """Draw the text area and the upload; a dropped file needs them even while the box is closed."""
    text_box_column, upload_column = st.columns([3, 2], gap="medium")
    with text_box_column:
        # Scripts and styles find the box by the container's key.
        with st.container(key="pasted"):
            st.text_area(
                "Text",
                session.pasted_text,
                key=session.text_box_key,
                height=160,
                on_change=_adopt_pasted_text,
                args=(session.text_box_key, choices),
                placeholder="Paste or write a text. A line of three dashes marks a known boundary.",
                label_visibility="collapsed",
            )
        show_text_box_footer()
        own_text_source = session.own
        if own_text_source is not None and not session.pasted_text:
            show_remark(
                f"{len(own_text_source.text):,} characters are too many to edit here; {MAX_EDITABLE_CHARACTERS:,} can be. "
                "Anything written here replaces the text.",
                key="not_edited",
            )
        show_stored_texts(choices)
    with upload_column:
        st.file_uploader(
            "Document or session",
            type=[
                ending.removeprefix(".")
                for ending in (*READABLE_ENDINGS, *CODE_FILE_ENDINGS, session_file.SESSION_FILE_ENDING)
            ],
            key="file",
            on_change=_start_reading_upload,
            args=(choices,),
        )
        _draw_encoding_choice(choices)
        _offer_dash_boundaries()


def _adopt_pasted_text(text_box_key: str, choices: Choices) -> None:
    if text_box_key != session.text_box_key:
        return
    text_box_content, previous_own_text = st.session_state[text_box_key], session.own
    _forget_uploaded_file()
    set_own_text(own_text_after_edit(text_box_content) if text_box_content else None)
    if previous_own_text is not None and session.own is not None:
        shift_column_cuts_after_edit(previous_own_text.text, session.own.text)
    choose_document(choices, OWN_DOCUMENT_KEY)


def _start_reading_upload(choices: Choices) -> None:
    uploaded_text_file = st.session_state["file"]
    if uploaded_text_file is None:
        return
    _forget_uploaded_file()
    name_and_content = uploaded_text_file.name, uploaded_text_file.getvalue()
    if uploaded_text_file.name.lower().endswith(session_file.SESSION_FILE_ENDING):
        _begin_file_reading(
            ReadingJob([name_and_content], converter_from_single_file_function(session_file.read_session_or_recipe_file)),
            choices,
        )
        return
    session.uploaded_file = name_and_content
    _start_reading_uploaded_document(name_and_content, None, choices)


def adopt_as_own_text(own: TextWithDetails, choices: Choices) -> None:
    """Make a text from another page the user's own text, and select it; for use as a callback.

    Lines of dashes stay part of the text.
    """
    _forget_uploaded_file()
    set_own_text_and_boundaries(own)
    _switch_to_own_text(choices)


def _switch_to_own_text(choices: Choices) -> None:
    """Show a text that did not come from the text area."""
    session.outside_text_count += 1
    choose_document(choices, OWN_DOCUMENT_KEY)


def _forget_uploaded_file() -> None:
    """Discard the previously uploaded file and stop reading it."""
    session.uploaded_file = session.detected_encoding = session.upload_reading_job = None
    st.session_state.pop(_ENCODING_KEY, None)


def _start_reading_uploaded_document(
    file_name_and_content: tuple[str, bytes], encoding: str | None, choices: Choices
) -> None:
    """Start reading the uploaded file as a document."""
    _begin_file_reading(ReadingJob([file_name_and_content], read_text_of_first_file, encoding), choices)


def _begin_file_reading(reading_job: ReadingJob[TextSessionOrRecipe], choices: Choices) -> None:
    session.upload_reading_job = reading_job.start_and_wait_briefly()
    _adopt_read_file(choices)


def _adopt_read_file(choices: Choices) -> None:
    """Use a file that has been read: as the user's own text, or as a session or recipe to open."""
    own_file_reading_job = session.take_finished_reading_job("upload_reading_job")
    if own_file_reading_job is None:
        return
    if own_file_reading_job.error:
        session.own_complaint = own_file_reading_job.error
    elif own_file_reading_job.result is not None:
        read_text_session_or_recipe, file_name = own_file_reading_job.result, own_file_reading_job.name
        if not isinstance(read_text_session_or_recipe, FileText):
            _open_session_or_recipe(read_text_session_or_recipe, file_name, choices)
            return
        if session.detected_encoding is None:
            session.detected_encoding = read_text_session_or_recipe._replace(text="")
        if file_name == _PASTED_FILE_NAME:
            set_own_text(TextWithDetails(read_text_session_or_recipe.text, PASTED_TITLE))
        else:
            file_reading_remarks = [
                f"read as {read_text_session_or_recipe.read_as}",
                read_text_session_or_recipe.left_out[:1].lower() + read_text_session_or_recipe.left_out[1:].rstrip("."),
            ]
            joined_remarks = " · ".join(part for part in file_reading_remarks if part)
            set_own_text(
                TextWithDetails(
                    read_text_session_or_recipe.text,
                    file_name,
                    None,
                    joined_remarks,
                    read_text_session_or_recipe.parts,
                    read_text_session_or_recipe.omissions,
                )
            )
        _switch_to_own_text(choices)


def _open_session_or_recipe(session_or_recipe: session_file.SessionFile | Recipe, name: str, choices: Choices) -> None:
    """Open a session with its text, or a recipe as a column of Compare."""
    try:
        if isinstance(session_or_recipe, Recipe):
            add_column_of_recipe(session_or_recipe, name, choices)
            session.own_complaint = ""
            return
        restore_choices_from_session_file(session_or_recipe, choices)
    except InputError as error:
        session.own_complaint = str(error)
        return
    set_own_text_and_boundaries(
        TextWithDetails(
            session_or_recipe.text,
            session_or_recipe.name,
            session_or_recipe.known,
            "from a session file",
            session_or_recipe.restored_text_parts,
        )
    )
    stored_texts_and_questions.restore_questions(session_or_recipe.questions)
    _switch_to_own_text(choices)


def _draw_encoding_choice(choices: Choices) -> None:
    """Draw the choice of the uploaded file's encoding, for formats that do not determine it."""
    name_and_content, detected_file_encoding = session.uploaded_file, session.detected_encoding
    if name_and_content is None or document_format_of_name(name_and_content[0]) not in FORMATS_WITH_ENCODING_CHOICE:
        return
    likely_encodings = (
        [detected_file_encoding.encoding, *detected_file_encoding.others] if detected_file_encoding is not None else []
    )
    encoding_options = list(dict.fromkeys([*likely_encodings, *ENCODING_CHOICES]))

    def reread_with_encoding() -> None:
        _start_reading_uploaded_document(name_and_content, st.session_state[_ENCODING_KEY], choices)

    st.selectbox(
        "Encoding",
        encoding_options,
        index=0 if likely_encodings else None,
        key=_ENCODING_KEY,
        on_change=reread_with_encoding,
        placeholder="Choose an encoding",
    )


def _encoding_warning() -> str:
    """Return a warning that the encoding was guessed; empty if the user has chosen it or it is certain."""
    name_and_content, detected_file_encoding = session.uploaded_file, session.detected_encoding
    if (
        name_and_content is None
        or detected_file_encoding is None
        or st.session_state.get(_ENCODING_KEY) != detected_file_encoding.encoding
    ):
        return ""
    return detected_file_encoding.guessed_encoding_warning(name_and_content[0])


def _offer_dash_boundaries() -> None:
    """Draw the choice between known boundaries and ordinary text for lines of three dashes."""
    text_with_dashes, current_own_text = session.own_text_as_given, session.own
    if text_with_dashes is None or current_own_text is None:
        return
    if session.dashes_are_boundaries is None:
        session.dashes_are_boundaries = current_own_text.text != text_with_dashes.text

    def apply_dash_boundary_choice() -> None:
        session.own = with_dashes_as_boundaries(text_with_dashes) if session.dashes_are_boundaries else text_with_dashes

    st.checkbox(
        "Dashes mark boundaries",
        session.dashes_are_boundaries,
        key="dashes_are_boundaries",
        on_change=apply_dash_boundary_choice,
        help="Lines of three dashes are removed before chunking, and every chunker is measured against them.",
    )
