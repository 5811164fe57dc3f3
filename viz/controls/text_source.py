"""Where the text comes from: a sample, the user's paste or the user's file."""

from __future__ import annotations

import streamlit as st

from chunkers import InputError
from chunkers.text.encodings import CHOICES
from chunkers.text.formats import format_of
from chunkers.text.reading import READABLE, FileText
from sample_docs import load_sample, sample_titles
from viz.components.job_progress import show_job_progress
from viz.components.notice import notice
from viz.jobs.reading import ReadingJob, only_text
from viz.state import session_file
from viz.state.choices import OWN, Choices
from viz.state.text import Source, _marked, choose_document, set_own_text, store_own_text

_FILE, _FOUND, _NAMED, _READING = "own_file", "own_found", "own_named", "own_reading"
"""Where the session keeps the uploaded file, what was first found of its encoding, what the user says, and the reading."""


def choose_text(choices: Choices) -> None:
    """Draw the document's choice in the side bar."""
    titles = {**sample_titles(), OWN: "Your own text"}
    if st.session_state.get("document") != choices.document:
        st.session_state["document"] = choices.document

    def changed() -> None:
        choose_document(choices, st.session_state["document"])

    st.selectbox("Document", list(titles), format_func=titles.__getitem__, key="document", on_change=changed)


def load_text(choices: Choices) -> Source | None:
    """Return the chosen text; for the user's own, draw the box and the upload first. None while there is none."""
    if choices.document != OWN:
        sample = load_sample(choices.document)
        return Source(sample.text, sample.title, sample.known, sample.teaches)
    _take_reading()
    own: Source | None = st.session_state.get("own")
    with st.expander("Paste or upload", expanded=own is None):
        if "pasted" not in st.session_state:
            st.session_state["pasted"] = st.session_state.get("pasted_kept", "")
        st.text_area(
            "Text", key="pasted", height=160, on_change=_pasted, placeholder="Paste a text here, then press Ctrl+Enter."
        )
        # The box leaves the page when a sample is shown; what was typed is kept apart.
        st.session_state["pasted_kept"] = st.session_state["pasted"]
        st.file_uploader(
            "or a file: text, Markdown, HTML, PDF, DOCX, EPUB, or a session of Seamark; 20 MB at most",
            type=[ending.removeprefix(".") for ending in (*READABLE, session_file.ENDING)],
            key="file",
            on_change=_uploaded,
            args=(choices,),
        )
        _read_as()
    reading: ReadingJob[FileText] | None = st.session_state.get(_READING)
    if reading is not None:
        show_job_progress(reading)
    if complaint := st.session_state.get("own_complaint"):
        notice(complaint, "error", key="own_complaint_notice")
    _offer_dashes()
    own = st.session_state.get("own")
    if own is None and reading is None:
        notice("There is no text yet: paste one above or upload a file. It stays on this machine.", key="no_text")
    return own


def _pasted() -> None:
    text = st.session_state["pasted"]
    _forget_file()
    set_own_text(Source(text, "Pasted text") if text else None)


def _uploaded(choices: Choices) -> None:
    file = st.session_state["file"]
    if file is None:
        return
    _forget_file()
    try:
        if file.name.lower().endswith(session_file.ENDING):
            session = session_file.read(file.getvalue(), file.name)
            session_file.reopen(session, choices)
            store_own_text(Source(session.text, session.name, session.known, "from a session file"))
            return
    except InputError as error:
        st.session_state["own_complaint"] = str(error)
        return
    st.session_state[_FILE] = (file.name, file.getvalue())
    _read(None)


def _forget_file() -> None:
    """Forget the file that was uploaded before, and stop reading it."""
    session = st.session_state
    before: ReadingJob[FileText] | None = session.pop(_READING, None)
    if before is not None:
        before.cancel()
    for key in (_FILE, _FOUND, _NAMED):
        session.pop(key, None)


def _read(encoding: str | None) -> None:
    """Begin to read the uploaded file."""
    job = ReadingJob([st.session_state[_FILE]], only_text, encoding)
    job.start()
    job.wait()
    st.session_state[_READING] = job
    _take_reading()


def _take_reading() -> None:
    """Let what was read be the user's own text."""
    session = st.session_state
    job: ReadingJob[FileText] | None = session.get(_READING)
    if job is None or (job.running and not job.cancelled):
        return
    del session[_READING]
    name = job.files[0][0]
    if job.error:
        session["own_complaint"] = job.error
    elif job.made is not None and not job.cancelled:
        found = job.made
        session.setdefault(_FOUND, found._replace(text=""))
        said = [f"read as {found.read_as}", found.left_out[:1].lower() + found.left_out[1:].rstrip(".")]
        set_own_text(Source(found.text, name, teaches=" · ".join(part for part in said if part)))


def _read_as() -> None:
    """Let the user say what the uploaded file is to be read as, where that can be said."""
    session = st.session_state
    if _FILE not in session or format_of(session[_FILE][0]) not in (None, "HTML"):
        return
    found: FileText | None = session.get(_FOUND)
    first = [found.encoding, *found.others] if found is not None else []
    options = list(dict.fromkeys([*first, *CHOICES]))

    def changed() -> None:
        _read(session[_NAMED])

    st.selectbox("Read as", options, index=0 if first else None, key=_NAMED, on_change=changed, placeholder="an encoding")
    if found is not None and (doubts := found.doubts(session[_FILE][0])) and session[_NAMED] == found.encoding:
        notice(doubts, key="encoding_doubts")


def _offer_dashes() -> None:
    """Let the user say that lines of three dashes are text like any other."""
    given: Source | None = st.session_state.get("own_given")
    if given is None:
        return
    if "dashes" not in st.session_state:
        st.session_state["dashes"] = st.session_state["own"].text != given.text

    def changed() -> None:
        st.session_state["own"] = _marked(given) if st.session_state["dashes"] else given

    st.checkbox(
        "Lines of three dashes are known boundaries, not text",
        key="dashes",
        on_change=changed,
        help="They are taken out of what is chunked, and every chunker is measured against them.",
    )
