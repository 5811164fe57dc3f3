"""The controls for known boundaries in the user's text: marked by clicks, with undo, or read from a file."""

import streamlit as st

from evaluation.segmentation.boundary_files import Marks, marks_to_json
from viz.components.download import download
from viz.components.job_progress import show_job_progress
from viz.components.notice import notice
from viz.controls.widgets import pressed
from viz.failures.session import session
from viz.jobs.reading import ReadingJob, only_file
from viz.state.own_marks import set_known, undo_known
from viz.state.text import Text


def marking_controls(text: Text) -> bool:
    """Draw the controls that mark, undo and upload known boundaries; return whether marking is on."""
    if _take_read(text.source.text):
        st.rerun()
    known = text.source.known
    row = st.container(horizontal=True, vertical_alignment="center")
    marking: bool = row.toggle(
        "Mark boundaries",
        key="marking",
        help="Every gap between two sentences becomes a button: press it where a section ends, again to unmark it.",
    )
    undone = pressed(row, "Undo", "marks_undo", disabled=not session.marks_before, width="content")
    removed = pressed(row, "Remove all marks", "marks_remove", disabled=known is None, width="content")
    if undone and session.marks_before:
        undo_known()
    if removed:
        set_known(None)
    if undone or removed:
        st.rerun()
    download(
        row,
        "Boundaries as a file",
        lambda: marks_to_json(text.source.name, text.source.text, known or ()),
        "seamark-boundaries.json",
        "application/json",
        (text.source.name, text.document.identity, known),
        disabled=known is None,
    )
    with row.popover("Load boundaries"):
        st.file_uploader(
            "Boundary file",
            type=["json"],
            key="marks_file",
            on_change=_uploaded,
            args=(text.source.text,),
        )
    if session.marks_reading is not None:
        show_job_progress(session.marks_reading, key="marks_reading")
    if session.marks_complaint:
        notice(session.marks_complaint, "error", key="marks_complaint_notice")
    return marking


def _uploaded(text: str) -> None:
    file = st.session_state["marks_file"]
    session.marks_reading = None
    if file is None:
        return
    read = only_file(lambda data, _, cancelled: Marks.read(data, cancelled).of(text))
    session.marks_reading = ReadingJob([(file.name, file.getvalue())], read, about=text).begin()
    _take_read(text)


def _take_read(text: str) -> bool:
    """Use the boundaries from an uploaded file once it is read, if they fit this text; return whether they do."""
    job = session.marks_reading
    if job is None or not job.ended:
        return False
    session.marks_reading = None
    if job.cancelled or job.about != text:
        return False
    if job.made is None:
        session.marks_complaint = job.error
        return False
    set_known(job.made)
    return True
