"""The stored form of the user's texts and questions, for the tab, the disk and session files; and their versions on disk."""

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from ipaddress import ip_address
from typing import NamedTuple

import streamlit as st
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from chunkers import Document, InputError
from chunkers.text import Omission, TextParts
from evaluation.retrieval.asked_question import PosedQuestion, check_and_trim_answer_span
from sample_docs import load_sample, sample_splitters, sample_titles
from viz.jobs import disk_text_store
from viz.jobs.storage.disk_text_store import StoredTextKey
from viz.state.choices import (
    CHOICES_SHARED_BY_PAGES,
    DEFAULT_SPLITTER_OF_OWN_TEXT,
    OWN_DOCUMENT_KEY,
    Choices,
    choices_from_query,
    choices_to_query,
)
from viz.state.main_page import main_page
from viz.state.own_text import set_own_text_and_boundaries, with_dashes_as_boundaries
from viz.state.session_file import MOST_QUESTIONS, SavedQuestion, SavedTextParts
from viz.state.session_state import record_columns_for_undo, session
from viz.state.shown_text import TextWithDetails, are_offsets_valid_boundaries

# The session's questions.

_QUESTIONS_ADAPTER = TypeAdapter(tuple[SavedQuestion, ...])


def questions_in_stored_form(text_asked_about: str | None = None) -> tuple[SavedQuestion, ...]:
    """Return the session's questions in stored form, including those whose text is not open.

    If ``text_asked_about`` is given, only the questions about it are returned.
    """
    # Cached, because pages call this in every run and texts may be long.
    digest_by_text_identity = session.question_digests
    for text_identity, text_and_details in session.question_texts.items():
        if text_identity not in digest_by_text_identity:
            digest_by_text_identity[text_identity] = text_digest(text_and_details.text)
    questions_of_open_texts = [
        SavedQuestion(
            **question._asdict() | {"document": question.document[:300]},
            sample=_sample_id_by_digest().get(digest_by_text_identity[question.identity], ""),
            text=digest_by_text_identity[question.identity],
        )
        for question in session.questions
    ]
    wanted_text_digest = None if text_asked_about is None else text_digest(text_asked_about)
    return tuple(
        question
        for question in (*questions_of_open_texts, *session.unopened_questions)
        if wanted_text_digest in (None, question.text)
    )


def questions_to_json(questions: Iterable[SavedQuestion]) -> str:
    """Return questions in stored form as JSON."""
    return _QUESTIONS_ADAPTER.dump_json(tuple(questions)).decode()


def add_questions_of_tab(questions_json: object) -> None:
    """Add to the session the questions that the browser's tab has kept, and ignore invalid questions."""
    try:
        questions_stored_in_tab = _QUESTIONS_ADAPTER.validate_json(questions_json) if isinstance(questions_json, str) else ()
    except ValidationError:
        return
    restore_questions(questions_stored_in_tab)


def restore_questions(questions: Iterable[SavedQuestion]) -> None:
    """Add stored questions to the session; questions about an unknown text wait until the text is opened."""
    present_question_digest_pairs = {(question.question, question.text) for question in questions_in_stored_form()}
    session.unopened_questions = (
        *session.unopened_questions,
        *(question for question in questions if (question.question, question.text) not in present_question_digest_pairs),
    )
    activate_questions_of_opened_texts()


def activate_questions_of_opened_texts() -> None:
    """Activate the waiting questions whose text has been opened."""
    questions_waiting_for_text = session.unopened_questions
    if not questions_waiting_for_text:
        return
    own_text_and_details = session.own
    own_text_digest = text_digest(own_text_and_details.text) if own_text_and_details is not None else ""
    still_waiting_questions = []
    for question in questions_waiting_for_text:
        asked_text_and_details: TextWithDetails | None = None
        if question.sample in sample_titles():
            question_sample_document = load_sample(question.sample)
            asked_text_and_details = TextWithDetails(question_sample_document.text, question_sample_document.title)
        elif own_text_and_details is not None and question.text == own_text_digest:
            asked_text_and_details = TextWithDetails(
                own_text_and_details.text, own_text_and_details.name, parts=own_text_and_details.parts
            )
        if asked_text_and_details is None or len(session.questions) >= MOST_QUESTIONS:
            still_waiting_questions.append(question)
        elif asked_text_and_details.text.startswith(question.answer, question.start):
            session.questions.append(question.marked_question)
            session.question_texts.setdefault(question.identity, asked_text_and_details)
    session.unopened_questions = tuple(still_waiting_questions[:MOST_QUESTIONS])


def stored_questions_about(document: Document, excluded_question: str = "") -> tuple[PosedQuestion, ...]:
    """Return the stored questions about a text and the spans of their answers, without ``excluded_question``."""
    text = document.text
    return tuple(
        PosedQuestion(
            question.question, check_and_trim_answer_span(text, question.start, question.start + len(question.answer))
        )
        for question in session.questions
        if question.question != excluded_question
        and question.document == document.name
        and text.startswith(question.answer, question.start)
    )


def text_digest(text: str) -> str:
    """Return the digest of a text by which stored questions refer to the text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@cache
def _sample_id_by_digest() -> dict[str, str]:
    """Return the ids of the bundled documents by the digests of their texts."""
    return {text_digest(load_sample(name).text): name for name in sample_titles()}


# The user's own text.

MAX_FILE_DETAILS_CHARACTERS = 200_000
"""Most characters of the stored properties of a text's file (pages and omitted content), enough for 10,000 pages."""


class StoredTextMetadata(BaseModel, frozen=True, extra="ignore"):
    """The stored metadata of a text: its name, boundaries and origin.

    Attributes
    ----------
    known
        The known boundaries as offsets in code points, in the text without lines of dashes; None if none are known.
    dashes
        True if the text's lines of dashes are boundaries; None if it has no such lines.
    file
        JSON with the properties of the file that the text was read from; empty if it was not read from a file.
    """

    name: str = Field(max_length=300)
    known: tuple[int, ...] | None
    dashes: bool | None
    teaches: str = Field(max_length=1_000)
    file: str = Field("", max_length=MAX_FILE_DETAILS_CHARACTERS)


class _File(BaseModel, frozen=True, extra="ignore"):
    """Details of a text's source file."""

    parts: SavedTextParts | None = None
    left_out: tuple[Omission, ...] = ()


def text_in_stored_form(
    own_text_and_details: TextWithDetails, text_as_given: TextWithDetails | None
) -> tuple[StoredTextMetadata, str]:
    """Return the user's text in stored form: its metadata and the text.

    ``text_as_given`` is the text before its lines of dashes were removed.
    """
    given_text_and_details = text_as_given or own_text_and_details
    text_metadata = StoredTextMetadata(
        name=own_text_and_details.name[:300],
        known=own_text_and_details.known,
        dashes=session.dashes_are_boundaries is not False if text_as_given is not None else None,
        teaches=own_text_and_details.teaches[:1_000],
        file=_pages_and_omissions_json(given_text_and_details),
    )
    return text_metadata, given_text_and_details.text


def restore_text(text_metadata: StoredTextMetadata, text: str) -> None:
    """Restore a stored text as the user's own."""
    text_and_details_as_given = TextWithDetails(
        text, text_metadata.name, None, text_metadata.teaches, *_restored_pages_and_omissions(text_metadata, text)
    )
    restored_text_and_details = (
        with_dashes_as_boundaries(text_and_details_as_given) if text_metadata.dashes else text_and_details_as_given
    )
    # Stored boundaries take precedence over those from dashes, since clicks may have changed them.
    if are_offsets_valid_boundaries(text_metadata.known, restored_text_and_details.text):
        restored_text_and_details = replace(restored_text_and_details, known=text_metadata.known)
    set_own_text_and_boundaries(
        restored_text_and_details, text_and_details_as_given if text_metadata.dashes is not None else None
    )
    session.dashes_are_boundaries = text_metadata.dashes is not False


def _pages_and_omissions_json(source: TextWithDetails) -> str:
    """Return the pages of a text's file and its omitted content as JSON, as far as there is room."""
    if source.parts is None and not source.left_out:
        return ""
    stored_pages_or_chapters = None if source.parts is None else SavedTextParts.of(source.parts)
    for pages_and_omissions in (
        _File(parts=stored_pages_or_chapters, left_out=source.left_out),
        _File(parts=stored_pages_or_chapters),
    ):
        pages_and_omissions_json = pages_and_omissions.model_dump_json()
        if len(pages_and_omissions_json) <= MAX_FILE_DETAILS_CHARACTERS:
            return pages_and_omissions_json
    return ""


def _restored_pages_and_omissions(
    text_metadata: StoredTextMetadata, text: str
) -> tuple[TextParts | None, tuple[Omission, ...]]:
    """Return the stored pages and omitted content; nothing if they cannot belong to the text."""
    if not text_metadata.file:
        return None, ()
    try:
        stored_pages_and_omissions = _File.model_validate_json(text_metadata.file)
        return None if stored_pages_and_omissions.parts is None else stored_pages_and_omissions.parts.restore_for_text(
            text
        ), stored_pages_and_omissions.left_out
    except ValueError:
        return None, ()


_NOT_CHANGED_YET_DIGEST = "opened"
"""Placeholder for the digest of a stored text that was read and not changed since."""


class _Head(BaseModel, frozen=True, extra="ignore"):
    """The metadata of a document stored on disk: everything except the text.

    Attributes
    ----------
    about
        The text's name, boundaries and origin.
    link
        The query parameters of the main page's link, which include the columns.
    page
        The key of the page that was shown last.
    sample
        The id of the bundled document; empty for a text of the user's own.
    """

    about: StoredTextMetadata
    questions: tuple[SavedQuestion, ...] = Field(max_length=MOST_QUESTIONS)
    link: dict[str, str]
    page: str
    sample: str = ""


class StoredTextVersion(NamedTuple):
    """The version of a document on disk: its key (None before the first write), and a digest of its last content."""

    key: StoredTextKey | None
    digest: str


class Content(NamedTuple):
    """The current content of a document to store: name, number of questions, metadata as JSON, text and its digest."""

    name: str
    question_count: int
    metadata: bytes
    digest: str
    text: str


def is_server_private() -> bool:
    """Return whether only this machine can reach the server; otherwise texts are not kept on disk."""
    host_names = [str(st.get_option("server.address") or ""), *map(str, st.get_option("server.allowedHosts") or ())]
    return bool(host_names[0]) and all(map(_is_local_host, host_names))


def _is_local_host(host_name: str) -> bool:
    if host_name == "localhost":
        return True
    try:
        return ip_address(host_name.strip("[]")).is_loopback
    except ValueError:
        return False


def start_storing_document(document_name: str) -> None:
    """Store a document on this machine from now on; errors are in `session.storage_complaint`."""
    session.stored_versions[document_name] = StoredTextVersion(None, "")
    store_changed_texts()


def store_changed_texts() -> None:
    """Write the stored documents that have changed since they were last written."""
    if not session.stored_versions or not is_server_private():
        return
    for document_name, disk_key_and_digest in list(session.stored_versions.items()):
        if (document_content := _build_content_to_store(document_name)) is not None:
            _write_text_if_changed(document_name, disk_key_and_digest, document_content)


def _write_text_if_changed(document_name: str, version_on_disk: StoredTextVersion, content: Content) -> None:
    content_digest = hashlib.blake2b(content.metadata + content.digest.encode(), digest_size=16).hexdigest()
    if version_on_disk.digest == _NOT_CHANGED_YET_DIGEST:
        # Nothing has changed yet, so another tab with the same text can continue to write it.
        session.stored_versions[document_name] = StoredTextVersion(version_on_disk.key, content_digest)
        return
    if content_digest == version_on_disk.digest:
        return
    try:
        disk_text_key = disk_text_store().write(version_on_disk.key, *content)
        session.stored_versions[document_name], session.storage_complaint = (
            StoredTextVersion(disk_text_key, content_digest),
            "",
        )
    except InputError as error:
        # The next change tries again.
        session.stored_versions[document_name] = StoredTextVersion(version_on_disk.key, content_digest)
        if version_on_disk.key is None:
            del session.stored_versions[document_name]
        session.storage_complaint = str(error)


def current_document_name() -> str:
    """Return the current page's document: a sample's id, or `OWN_DOCUMENT_KEY` for the user's own text."""
    choices_by_page = session.choices
    return (
        choices_by_page[session.page].document if session.page in choices_by_page else main_page.current_choices().document
    )


def stored_key_of_current_document() -> StoredTextKey | None:
    """Return the stored key of the page's document; None if the document is not stored."""
    current_stored_version = session.stored_versions.get(current_document_name())
    return None if current_stored_version is None else current_stored_version.key


def delete_stored_texts(stored_text_id: str | None = None) -> None:
    """Delete a stored text, or all stored texts, from disk; an open text stays on the page."""
    try:
        disk_text_store().remove(stored_text_id)
        session.storage_complaint = ""
    except InputError as error:
        session.storage_complaint = str(error)
        return
    for document_name, disk_key_and_digest in list(session.stored_versions.items()):
        if stored_text_id is None or (disk_key_and_digest.key is not None and disk_key_and_digest.key.id == stored_text_id):
            del session.stored_versions[document_name]


def open_stored_text(stored_text_id: str, choices: Choices) -> str:
    """Open a stored document with its questions and columns; return its page's key, empty if that fails."""
    key_metadata_and_text = _read_validated_text(stored_text_id)
    if key_metadata_and_text is None:
        return ""
    disk_text_key, metadata, text = key_metadata_and_text
    stored_choices = _restore_stored_text(disk_text_key, metadata, text)
    main_page_choices = main_page.current_choices()
    with record_columns_for_undo(main_page.key, "Columns replaced by those of the kept text"):
        main_page_choices.columns, main_page_choices.selected, main_page_choices.extra = (
            stored_choices.columns,
            stored_choices.selected,
            stored_choices.extra,
        )
    for choice_shared_by_pages in CHOICES_SHARED_BY_PAGES:
        for target_choices in (choices, main_page_choices):
            setattr(target_choices, choice_shared_by_pages, getattr(stored_choices, choice_shared_by_pages))
    return metadata.page


def open_linked_text() -> None:
    """Reopen the stored text that the link names, if the text is on this machine; the link's settings stay."""
    stored_text_id, session.linked_text_id = session.linked_text_id, ""
    linked_key_metadata_and_text = _read_validated_text(stored_text_id) if stored_text_id and is_server_private() else None
    session.storage_complaint = ""
    if linked_key_metadata_and_text is not None and not linked_key_metadata_and_text[1].sample:
        stored_choices = _restore_stored_text(*linked_key_metadata_and_text)
        if not main_page.has_been_opened:
            main_choices = main_page.current_choices()
            main_choices.columns, main_choices.selected = (
                stored_choices.columns,
                stored_choices.selected,
            )


def _read_validated_text(stored_text_id: str) -> tuple[StoredTextKey, _Head, str] | None:
    """Return a validated stored text; None if that fails, with the reason in `session.storage_complaint`."""
    try:
        key_metadata_and_text = disk_text_store().read(stored_text_id)
        if key_metadata_and_text is None:
            raise InputError(
                "The text is no longer kept on this machine; it has been removed. Paste or upload the text again."
            )
        disk_text_key, metadata_json, text = key_metadata_and_text
        return disk_text_key, _Head.model_validate_json(metadata_json), text
    except (InputError, ValidationError) as error:
        invalid_text_message = "The kept text must be written by this version of Seamark; it is not."
        session.storage_complaint = str(error) if isinstance(error, InputError) else invalid_text_message
        return None


def _restore_stored_text(stored_key: StoredTextKey, metadata: _Head, text: str) -> Choices:
    """Load a stored text and its questions into the session, and return its choices for the main page."""
    document_name = metadata.sample if metadata.sample in sample_titles() else OWN_DOCUMENT_KEY
    if document_name == OWN_DOCUMENT_KEY:
        restore_text(metadata.about, text)
    restore_questions(metadata.questions)
    stored_choices, _ = choices_from_query(
        metadata.link, {**sample_splitters(), OWN_DOCUMENT_KEY: DEFAULT_SPLITTER_OF_OWN_TEXT}, main_page.default_choices()
    )
    session.outside_text_count += 1
    session.lost_text_message = session.storage_complaint = ""
    session.stored_versions[document_name] = StoredTextVersion(stored_key, _NOT_CHANGED_YET_DIGEST)
    return stored_choices


def _build_content_to_store(document_name: str) -> Content | None:
    own_text_source, main_page_choices = session.own, main_page.current_choices()
    if document_name == OWN_DOCUMENT_KEY:
        if own_text_source is None:
            return None
        text_metadata, text = text_in_stored_form(own_text_source, session.own_text_as_given)
        text_asked_about, sentence_splitter_name = own_text_source.text, main_page_choices.sentences
    else:
        sample_document = load_sample(document_name)
        text_metadata = StoredTextMetadata(name=sample_document.title, known=sample_document.known, dashes=None, teaches="")
        text_asked_about = text = sample_document.text
        sentence_splitter_name = (
            main_page_choices.sentences if main_page_choices.document == document_name else sample_splitters()[document_name]
        )
    document_text_digest = text_digest(text_asked_about)
    # Questions about a bundled text find it anywhere; those about another own text are stored with that text.
    document_questions = tuple(
        question for question in questions_in_stored_form() if question.sample or question.text == document_text_digest
    )
    stored_metadata = _Head(
        about=text_metadata,
        questions=document_questions,
        link=choices_to_query(main_page_choices, main_page.default_choices())
        | {"document": document_name, "sentences": sentence_splitter_name},
        page=session.page or main_page.key,
        sample="" if document_name == OWN_DOCUMENT_KEY else document_name,
    )
    return Content(
        text_metadata.name,
        len(document_questions),
        stored_metadata.model_dump_json().encode(),
        text_digest(text),
        text,
    )
