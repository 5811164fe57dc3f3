"""Small elements of many pages: messages, tables to unfold, a job's progress, and download buttons.

Messages may contain user text, which is shown verbatim, never interpreted as Markdown or HTML.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.components.browser_exchange import Component, Data
from viz.jobs import BackgroundJob

_notice_component = Component[Data]("seamark_notice", "components/notice.js", "components/notice.css", html="<p></p>")


def show_notice(text: str, tone: str = "info", *, key: str) -> None:
    """Draw a message box with ``text`` shown verbatim."""
    _notice_component(key=key, data={"text": text, "tone": tone})


def show_heading(text: str, *, key: str) -> None:
    """Draw ``text`` verbatim as the page's heading."""
    _notice_component(key=key, data={"text": text, "tone": "heading"})


def show_remark(text: str, *, key: str) -> None:
    """Draw ``text`` verbatim as a caption in small grey type."""
    _notice_component(key=key, data={"text": text, "tone": "remark"})


def show_folded_table(title: str, table_columns: Mapping[str, Sequence[object]], *, expanded: bool = False) -> None:
    """Draw a table in an expander, such as one of left-out questions; nothing is drawn without rows."""
    if any(table_columns.values()):
        with st.expander(title, expanded=expanded):
            st.dataframe(table_columns, hide_index=True, width="stretch")


# The progress bar of a background job, with its cancel button.


@st.fragment(run_every=0.25)
def show_job_progress_with_cancel(
    job: BackgroundJob,
    has_news: Callable[[], bool] = bool,
    draw_further_buttons: Callable[[DeltaGenerator], None] = lambda _: None,
    key: str | None = None,
) -> None:
    """Draw a job's progress bar and cancel button; rerun the page when the job ends or ``has_news`` returns True.

    ``draw_further_buttons`` is called with the row to draw more buttons into it. ``key`` distinguishes the cancel buttons of
    several jobs on a page.
    """
    if not job.is_running_and_not_cancelled or has_news():
        st.rerun()
    finished_share, status_phrase = job.progress()
    job_progress_row = st.container(horizontal=True, vertical_alignment="center")
    job_progress_row.progress(finished_share, text=status_phrase)
    draw_further_buttons(job_progress_row)
    job_progress_row.button("Cancel", on_click=job.cancel, key=key and f"cancel/{key}", width="content")


def show_job_progress_or_error(job: BackgroundJob, key: str, has_news: Callable[[], bool] = bool) -> bool:
    """Draw a job's progress as `show_job_progress_with_cancel` does, or its error; return whether the job is in progress."""
    if job.is_running_and_not_cancelled:
        show_job_progress_with_cancel(job, has_news, key=key)
        return True
    if job.error:
        show_notice(job.error, "error", key=f"{key}_error")
    return False


# Download buttons whose file names are unique to their content.


def show_download_button(
    page_container: DeltaGenerator,
    label: str,
    make_content: Callable[[], str | bytes],
    file_name: str,
    mime: str,
    content_identity: object,
    *,
    key: str | None = None,
    help: str | None = None,
    disabled: bool = False,
) -> None:
    """Draw a download button whose file name contains a digest of ``content_identity``, the identity of the file's content.

    Streamlit identifies a large file by its name, its length and three samples of 64 KiB. Two files that differ elsewhere
    would be confused, and a session could receive another's file. The digest in the name prevents this.

    Parameters
    ----------
    make_content
        Builds the file on demand.
    file_name
        The file's name without the digest.
    content_identity
        What determines the content, such as the identity of a text and a recipe; its ``repr`` is digested.
    """
    file_stem, dot_or_empty_text, file_ending = file_name.partition(".")
    content_digest = hashlib.blake2b(repr(content_identity).encode(errors="surrogatepass"), digest_size=6).hexdigest()
    page_container.download_button(
        label,
        make_content,
        f"{file_stem}-{content_digest}{dot_or_empty_text}{file_ending}",
        mime,
        on_click="ignore",
        key=key,
        help=help,
        disabled=disabled,
        width="content",
    )
