"""Places where the user's texts are kept: on this machine, with the controls and the list, and in the browser's tab."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import streamlit as st
from pydantic import BaseModel, Field, ValidationError

from chunkers import InputError
from chunkers.support import pluralize
from sample_docs import load_sample
from viz.components.page_elements import show_notice, show_remark
from viz.components.text_bar.text_bar import StorageChip, TabTextMetadata, store_questions_or_lecture_in_tab
from viz.jobs import disk_text_store
from viz.jobs.storage.disk_text_store import Listed
from viz.state import (
    OWN_DOCUMENT_KEY,
    Choices,
    PageArrival,
    StoredTextMetadata,
    TextWithDetails,
    choose_document,
    count_questions_about,
    delete_stored_texts,
    is_server_private,
    main_page,
    open_stored_text,
    restore_replaced_text,
    restore_text,
    session,
    set_own_text,
    start_storing_document,
    stored_key_of_current_document,
    stored_texts_and_questions,
    text_in_stored_form,
)
from viz.theme import known_boundary_count_phrase

MOST_LISTED_TEXTS = 20

SHARED_SERVER_SENTENCE = (
    "Others can reach this server, so it keeps no texts. A session file, under “Downloads” on Compare, keeps all of it."
)

DOWNLOADS_VIEW = "Downloads"
"""The view of Compare with the session file."""


def document_storage_chip_data(document_id: str) -> StorageChip:
    """Return the chip next to a document's name, which shows whether and how the document can be kept."""
    own_text_and_details = session.own if document_id == OWN_DOCUMENT_KEY else None
    document_text_and_details = (
        own_text_and_details if document_id == OWN_DOCUMENT_KEY else _sample_text_and_title(document_id)
    )
    question_count = 0 if document_text_and_details is None else count_questions_about(document_text_and_details)
    unsaved_phrases = [pluralize(question_count, "question")] * bool(question_count)
    if own_text_and_details is not None and own_text_and_details.known:
        unsaved_phrases.append(known_boundary_count_phrase(len(own_text_and_details.known)))
    if document_text_and_details is None or (own_text_and_details is None and not question_count):
        return {"state": "", "title": ""}
    if document_id in session.stored_versions:
        return {"state": "kept", "title": "The text, its questions and the columns are in a file that only you can read"}
    if not is_server_private():
        return {"state": "shared", "title": SHARED_SERVER_SENTENCE}
    keep_offer_urgency = "urgent" if unsaved_phrases else "offered"
    unsaved_work_note = f"Only this tab has its {' and '.join(unsaved_phrases)}. " if unsaved_phrases else ""
    return {"state": keep_offer_urgency, "title": f"{unsaved_work_note}{KEEPING_HELP_TEXT}"}


KEEPING_HELP_TEXT = (
    "The text with its boundaries, its questions and the columns: in a file that only you can read, until you remove it. "
    "Changes are kept as you make them."
)


def _sample_text_and_title(document: str) -> TextWithDetails:
    bundled_sample = load_sample(document)
    return TextWithDetails(bundled_sample.text, bundled_sample.title)


def apply_storage_chip_action(event: Mapping[str, Any], document_id: str) -> None:
    """Apply the action chosen on a document's chip: keep the document, remove it, or open the downloads on Compare."""
    chosen_action = event.get("act")
    if chosen_action == "keep" and is_server_private():
        start_storing_document(document_id)
    elif chosen_action == "remove" and (disk_text_key := stored_key_of_current_document()) is not None:
        delete_stored_texts(disk_text_key.id)
    elif chosen_action == "file":
        session.requested_view = DOWNLOADS_VIEW
        session.arriving = PageArrival(main_page.key, session.page)


def offer_to_store_document(key: str, document: str) -> None:
    """Draw the button that keeps a document on this machine, or the reason why it cannot be kept."""
    if not is_server_private():
        show_remark(SHARED_SERVER_SENTENCE, key=f"{key}_shared")
    elif document not in session.stored_versions:
        st.button(
            "Keep on this machine",
            key=f"{key}_keep",
            on_click=start_storing_document,
            args=(document,),
            help=KEEPING_HELP_TEXT,
        )


def offer_to_restore_replaced_text(choices: Choices) -> None:
    """Draw errors in keeping texts, and a button that restores a replaced text that had questions or boundaries."""
    if session.storage_complaint:
        show_notice(session.storage_complaint, "error", key="storage_complaint_notice")
    replaced_own_text = session.replaced
    if replaced_own_text is None:
        return

    def restore_and_select_replaced_text() -> None:
        restore_replaced_text()
        choose_document(choices, OWN_DOCUMENT_KEY)

    replaced_text_buttons_row = st.container(horizontal=True, gap="small", vertical_alignment="center", key="replaced_row")
    with replaced_text_buttons_row:
        question_count = count_questions_about(replaced_own_text.own)
        replaced_work_phrase = f" with {pluralize(question_count, 'question')}" if question_count else " with its boundaries"
        show_remark(
            f"{replaced_own_text.own.name}{replaced_work_phrase} was replaced and is kept nowhere.", key="replaced_text"
        )
    replaced_text_buttons_row.button(
        "Restore text", key="replaced_back", on_click=restore_and_select_replaced_text, type="tertiary", width="content"
    )
    replaced_text_buttons_row.button(
        "Discard text",
        key="replaced_gone",
        on_click=setattr,
        args=(session, "replaced", None),
        type="tertiary",
        width="content",
    )


def show_stored_texts(choices: Choices) -> None:
    """Draw the list of the texts kept on this machine, each with buttons to open and remove it."""
    if not is_server_private():
        return
    try:
        kept_texts = disk_text_store().listed()
    except InputError as error:
        show_notice(str(error), "error", key="kept_texts_error")
        return
    if not kept_texts:
        return
    show_remark("Kept on this machine:", key="kept_texts")
    stored_key_of_open_text = stored_key_of_current_document()
    open_text_id = None if stored_key_of_open_text is None else stored_key_of_open_text.id
    for kept_text in kept_texts[:MOST_LISTED_TEXTS]:
        stored_text_buttons_row = st.container(horizontal=True, vertical_alignment="center", key=f"kept_text_{kept_text.id}")
        with stored_text_buttons_row.container():
            show_remark(_listed_text_in_words(kept_text), key=f"kept_text_said_{kept_text.id}")
        stored_text_buttons_row.button(
            "Open text",
            key=f"kept_text_open_{kept_text.id}",
            on_click=_open_stored_text,
            args=(kept_text.id, choices),
            disabled=kept_text.id == open_text_id,
            width="content",
        )
        stored_text_buttons_row.button(
            "Remove text",
            key=f"kept_text_remove_{kept_text.id}",
            on_click=delete_stored_texts,
            args=(kept_text.id,),
            width="content",
        )
    if len(kept_texts) > MOST_LISTED_TEXTS:
        show_remark(f"{len(kept_texts) - MOST_LISTED_TEXTS:,} older ones are not listed.", key="kept_texts_more")
    if len(kept_texts) > 1:
        st.button("Remove all texts", key="kept_texts_clear", on_click=delete_stored_texts)


def _listed_text_in_words(listed_text: Listed) -> str:
    last_change_date = datetime.fromtimestamp(listed_text.changed).strftime("%Y-%m-%d")
    return f"{listed_text.name} · {pluralize(listed_text.question_count, 'question')} · {last_change_date}"


def _open_stored_text(id: str, choices: Choices) -> None:
    page_of_opened_text = open_stored_text(id, choices)
    if page_of_opened_text and page_of_opened_text != session.page:
        session.arriving = PageArrival(page_of_opened_text, session.page)


# Storage of the user's text and questions in the browser's tab, so that they survive a reload or server restart.


MOST_TEXT_CHARACTERS_IN_TAB = 2_000_000
"""Most characters of a text that the tab keeps: 4 MB in the browser, and browsers grant at least 5 MB."""

TEXT_NOT_IN_LINK_MESSAGE = (
    "This link does not include its text. Paste the text above, ask whoever made the link for the session file, or use this "
    "sample."
)


class _Head(StoredTextMetadata):
    """Metadata returned by the tab, which may be arbitrary."""

    left: int = Field(ge=0)
    unseen: bool = False


class _TextStoredInTab(BaseModel):
    head: _Head
    text: str = Field(max_length=MOST_TEXT_CHARACTERS_IN_TAB)


def text_and_metadata_for_tab() -> tuple[TabTextMetadata | None, str] | None:
    """Return the metadata and the text for the browser's tab to keep; None if its copy is up to date.

    Without metadata, the tab drops its copy. Of a text that is too long, it keeps the metadata only.
    """
    own_text_and_details, own_text_as_given = session.own, session.own_text_as_given
    if own_text_and_details is None:
        return (None, "") if session.is_own_text_emptied else None
    text_metadata, text = text_in_stored_form(own_text_and_details, own_text_as_given)
    dropped_character_count = len(text) if _utf16_length(text) > MOST_TEXT_CHARACTERS_IN_TAB else 0
    if dropped_character_count:
        text_metadata, text = text_metadata.model_copy(update={"known": None, "file": ""}), ""
    tab_metadata: TabTextMetadata = {
        "name": text_metadata.name,
        "known": text_metadata.known,
        "dashes": text_metadata.dashes,
        "teaches": text_metadata.teaches,
        "left": dropped_character_count,
        "unseen": False,
        "file": text_metadata.file,
    }
    return tab_metadata, text


def store_questions_in_tab() -> None:
    """Store the session's questions in the browser's tab, at the end of a run of the page."""
    session_stored_questions = stored_texts_and_questions.questions_in_stored_form()
    # Until this session has questions, the tab may still have those of the previous session.
    session.questions_sent = session.questions_sent or bool(session_stored_questions)
    if session.questions_sent:
        store_questions_or_lecture_in_tab(
            {"name": "questions", "words": stored_texts_and_questions.questions_to_json(session_stored_questions)}
        )


def warning_too_long_for_tab() -> str:
    """Return a warning if the user's text is too long for the browser's tab to keep; otherwise an empty string."""
    own_text_and_details = session.own
    if (
        own_text_and_details is None
        or _utf16_length((session.own_text_as_given or own_text_and_details).text) <= MOST_TEXT_CHARACTERS_IN_TAB
    ):
        return ""
    return (
        f"A reload loses this text: it has {len(own_text_and_details.text):,} characters, and the tab keeps at most "
        f"{MOST_TEXT_CHARACTERS_IN_TAB:,}. Keep the text on this machine, or its file at hand."
    )


def restore_text_of_tab(tab_content: Mapping[str, Any]) -> bool:
    """Restore the text kept by the browser's tab; return whether the user's own text is open.

    A text that is already open stays. If there is no text to restore, because it was too long for the tab or because a link
    refers to a text that the session lacks, `session.lost_text_message` has the reason.
    """
    session.tab_answered = True
    if session.own is not None:
        return True
    try:
        text_stored_in_tab = _TextStoredInTab.model_validate(tab_content)
        if not text_stored_in_tab.head.left and text_stored_in_tab.text:
            if text_stored_in_tab.head.unseen:
                set_own_text(
                    TextWithDetails(
                        text_stored_in_tab.text, text_stored_in_tab.head.name, None, text_stored_in_tab.head.teaches
                    )
                )
            else:
                restore_text(text_stored_in_tab.head, text_stored_in_tab.text)
            return True
    except ValidationError:
        text_stored_in_tab = None
    if text_stored_in_tab is not None and text_stored_in_tab.head.left:
        session.lost_text_message = (
            f"The tab could not keep {text_stored_in_tab.head.name}: it has {text_stored_in_tab.head.left:,} characters. "
            "Upload it again, or look at this sample."
        )
    elif session.is_linked_text_missing:
        session.lost_text_message = TEXT_NOT_IN_LINK_MESSAGE
    return False


def _utf16_length(text: str) -> int:
    """Return the length in UTF-16 code units, as JavaScript counts."""
    return len(text) + (
        sum(character > "\uffff" for character in text) if 2 * len(text) > MOST_TEXT_CHARACTERS_IN_TAB else 0
    )
