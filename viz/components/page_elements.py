"""Small elements of many pages: messages, tables to unfold, a job's progress, and download buttons.

Messages may contain user text, which is shown verbatim, never interpreted as Markdown or HTML.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.components.browser_exchange import Component, Data
from viz.jobs import BackgroundJob

_notice = Component[Data]("seamark_notice", "components/notice.js", "components/notice.css", html="<p></p>")


def notice(text: str, tone: str = "info", *, key: str) -> None:
    """Draw a message box with ``text`` shown verbatim."""
    _notice(key=key, data={"text": text, "tone": tone})


def heading(text: str, *, key: str) -> None:
    """Draw ``text`` verbatim as the page's heading."""
    _notice(key=key, data={"text": text, "tone": "heading"})


def remark(text: str, *, key: str) -> None:
    """Draw ``text`` verbatim as a caption in small grey type."""
    _notice(key=key, data={"text": text, "tone": "remark"})


def show_folded_table(title: str, columns: Mapping[str, Sequence[object]], *, expanded: bool = False) -> None:
    """Draw a table in an expander, such as one of left-out questions; nothing is drawn without rows."""
    if any(columns.values()):
        with st.expander(title, expanded=expanded):
            st.dataframe(columns, hide_index=True, width="stretch")


# The progress bar of a background job, with its cancel button.


@st.fragment(run_every=0.25)
def show_job_progress(
    job: BackgroundJob,
    news: Callable[[], bool] = bool,
    beside: Callable[[DeltaGenerator], None] = lambda _: None,
    key: str | None = None,
) -> None:
    """Draw a job's progress bar and cancel button; rerun the page when the job ends or ``news`` returns True.

    ``beside`` draws further buttons into the row; ``key`` distinguishes the cancel buttons of several jobs on a page.
    """
    if not job.in_progress or news():
        st.rerun()
    share, status = job.progress()
    job_progress_row = st.container(horizontal=True, vertical_alignment="center")
    job_progress_row.progress(share, text=status)
    beside(job_progress_row)
    job_progress_row.button("Cancel", on_click=job.cancel, key=key and f"cancel/{key}", width="content")


def show_job_state(job: BackgroundJob, key: str, news: Callable[[], bool] = bool) -> bool:
    """Draw a job's progress as `show_job_progress` does, or its error; return whether the job is in progress."""
    if job.in_progress:
        show_job_progress(job, news, key=key)
        return True
    if job.error:
        notice(job.error, "error", key=f"{key}_error")
    return False


# Download buttons whose file names are unique to their content.


def download_button(
    place: DeltaGenerator,
    label: str,
    data: Callable[[], str | bytes],
    name: str,
    mime: str,
    of: object,
    *,
    key: str | None = None,
    help: str | None = None,
    disabled: bool = False,
) -> None:
    """Draw a download button whose file name contains a digest of ``of``, the identity of the file's content.

    Streamlit identifies a large file by its name, its length and three samples of 64 KiB. Two files that differ elsewhere
    would be confused, and a session could receive another's file. The digest in the name prevents this.

    Parameters
    ----------
    data
        Builds the file on demand.
    name
        The file's name without the digest.
    of
        What determines the content, such as the identity of a text and a recipe; its ``repr`` is digested.
    """
    stem, dot, ending = name.partition(".")
    digest = hashlib.blake2b(repr(of).encode(errors="surrogatepass"), digest_size=6).hexdigest()
    place.download_button(
        label,
        data,
        f"{stem}-{digest}{dot}{ending}",
        mime,
        on_click="ignore",
        key=key,
        help=help,
        disabled=disabled,
        width="content",
    )
