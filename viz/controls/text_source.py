"""The choice of the text: a sample, or the user's own, pasted or uploaded."""

from __future__ import annotations

import streamlit as st

from chunkers import InputError
from chunkers.text.encodings import CHOICES
from chunkers.text.formats import format_of
from chunkers.text.reading import READABLE
from sample_docs import load_sample, sample_titles
from viz.components.job_progress import show_job_progress
from viz.components.notice import notice
from viz.controls.link_widgets import seed
from viz.jobs.reading import ReadingJob, only_text
from viz.state import session_file
from viz.state.choices import OWN, Choices
from viz.state.compared import reopen
from viz.state.keys import session
from viz.state.own_text import choose_document, set_own_text, store_own_text, without_dashes
from viz.state.recipe_file import open_recipe
from viz.state.text import Source

_NAMED = "own_named"
"""Key of the widget for the uploaded file's encoding."""


def choose_text(choices: Choices) -> None:
    """Draw the choice of a document in the side bar."""
    titles = {**sample_titles(), OWN: "Your own text"}
    seed("document", choices.document)

    def changed() -> None:
        choose_document(choices, st.session_state["document"])

    names = list(titles)
    st.selectbox(
        "Document",
        names,
        index=names.index(choices.document),
        format_func=titles.__getitem__,
        key="document",
        on_change=changed,
    )


def load_text(choices: Choices) -> Source | None:
    """Return the chosen text, or None if there is none yet; for the user's own, draw the text box and the upload first."""
    if choices.document != OWN:
        sample = load_sample(choices.document)
        return Source(sample.text, sample.title, sample.known, sample.teaches)
    _take_reading()
    own = session.own
    with st.expander("Paste or upload", expanded=own is None):
        shown = st.session_state.get("pasted", session.pasted_kept)
        if session.pasted_kept:
            seed("pasted", shown)
        st.text_area(
            "Text",
            shown,
            key="pasted",
            height=160,
            on_change=_pasted,
            placeholder="Paste a text here, then press Ctrl+Enter.",
        )
        # The text box is not drawn while a sample is shown, so Streamlit would forget its content.
        session.pasted_kept = st.session_state["pasted"]
        st.file_uploader(
            "or a file: text, Markdown, HTML, PDF, DOCX, EPUB, a session or a recipe of Seamark; 20 MB at most",
            type=[ending.removeprefix(".") for ending in (*READABLE, session_file.ENDING)],
            key="file",
            on_change=_uploaded,
            args=(choices,),
        )
        _read_as()
    if session.own_reading is not None:
        show_job_progress(session.own_reading)
    if session.own_complaint:
        notice(session.own_complaint, "error", key="own_complaint_notice")
    _offer_dashes()
    own = session.own
    if own is None and session.own_reading is None:
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
            if open_recipe(file.getvalue(), file.name, choices):
                return
            kept = session_file.read(file.getvalue(), file.name)
            reopen(kept, choices)
            store_own_text(Source(kept.text, kept.name, kept.known, "from a session file"))
            return
    except InputError as error:
        session.own_complaint = str(error)
        return
    session.own_file = (file.name, file.getvalue())
    _read(session.own_file, None)


def _forget_file() -> None:
    """Discard the previously uploaded file and stop reading it."""
    if session.own_reading is not None:
        session.own_reading.cancel()
    session.own_file = session.own_found = session.own_reading = None
    st.session_state.pop(_NAMED, None)


def _read(file: tuple[str, bytes], encoding: str | None) -> None:
    """Start reading the uploaded file."""
    job = ReadingJob([file], only_text, encoding)
    job.start()
    job.wait()
    session.own_reading = job
    _take_reading()


def _take_reading() -> None:
    """If the file has been read, make it the user's own text."""
    job = session.own_reading
    if job is None or (job.running and not job.cancelled):
        return
    session.own_reading = None
    if job.error:
        session.own_complaint = job.error
    elif job.made is not None and not job.cancelled:
        found = job.made
        if session.own_found is None:
            session.own_found = found._replace(text="")
        remarks = [f"read as {found.read_as}", found.left_out[:1].lower() + found.left_out[1:].rstrip(".")]
        set_own_text(Source(found.text, job.files[0][0], teaches=" · ".join(part for part in remarks if part)))


def _read_as() -> None:
    """Draw the choice of the uploaded file's encoding, for formats that do not determine it."""
    file, found = session.own_file, session.own_found
    if file is None or format_of(file[0]) not in (None, "HTML"):
        return
    first = [found.encoding, *found.others] if found is not None else []
    options = list(dict.fromkeys([*first, *CHOICES]))

    def changed() -> None:
        _read(file, st.session_state[_NAMED])

    named = st.selectbox(
        "Read as", options, index=0 if first else None, key=_NAMED, on_change=changed, placeholder="an encoding"
    )
    if found is not None and named == found.encoding and (doubts := found.doubts(file[0])):
        notice(doubts, key="encoding_doubts")


def _offer_dashes() -> None:
    """Draw the choice whether lines of three dashes are known boundaries or ordinary text."""
    given, own = session.own_given, session.own
    if given is None or own is None:
        return
    if session.dashes is None:
        session.dashes = own.text != given.text

    def changed() -> None:
        session.own = without_dashes(given) if session.dashes else given

    st.checkbox(
        "Lines of three dashes are known boundaries, not text",
        session.dashes,
        key="dashes",
        on_change=changed,
        help="The lines are removed before chunking, and every chunker is measured against them.",
    )
