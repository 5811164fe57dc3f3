"""The controls of a column of external chunks: the file, the located chunks, and the file's own text."""

from collections import Counter
from collections.abc import Callable, Sequence

import streamlit as st

from chunkers import Document, InputError
from chunkers.found_again.located_chunks import read_chunks
from chunkers.found_again.locating import KINDS, LocatedChunks, Oddity
from chunkers.methods.your_chunks import ChunkFile
from viz.components.findings.findings import MOST_FINDINGS, FindingData, sentence_range_of, show_findings
from viz.components.page_elements import notice, remark, show_job_progress
from viz.controls.widgets import value_binding
from viz.jobs.file_reading import ReadingJob, single_file_maker
from viz.state.choices import OWN, Choices, ColumnChoice
from viz.state.chunk_files import chunk_file_of, show_chunk_file
from viz.state.own_text import choose_document, store_own_text
from viz.state.session_state import session
from viz.state.text import Source
from viz.theme.number_formats import counted

MOST_OFFERED = 1_000
"""Most documents of a file among which the user can choose."""

MOST_WORDS = 300
"""Most characters that the list shows of a chunk without text of its own."""

ENDINGS = ("json", "jsonl", "ndjson", "csv", "tsv", "parquet")

NOT_MADE_HERE = (
    "Made elsewhere, these chunks have no settings, recipe, code or time here, and neither Tune nor an edit can have them "
    "made again. Retrieval measures them."
)

FILE_HELP = (
    "A row has a text, or a start and an end, or both. What LangChain, LlamaIndex, Haystack, Chonkie and Docling write is "
    "read as it is; so are lists of texts or of pairs. 20 MB at most. The file stays on this machine; no link carries it."
)

_TITLES = {
    "lost": ("not found", "Chunks that are not in the text; they are left out."),
    "altered": ("altered", "Chunks that are in the text with small changes."),
    "ambiguous": ("ambiguous", "Chunks that are in the text more than once and give no position."),
    "elsewhere": ("elsewhere", "Chunks that are not at the position they give."),
    "context": ("context", "Chunks with added words around them that are not in the text."),
    "spaced": ("other white space", "Chunks that differ from the text in white space only."),
}


def chunk_file_controls(choices: Choices, number: int, column: ColumnChoice, measured: Sequence[str] | None = None) -> None:
    """Draw the controls of column ``number``, whose chunks come from a file.

    ``measured`` are the names of the documents that the page measures; None on a page about one text.
    """
    if _take_read_file(choices, number):
        st.rerun()
    file = chunk_file_of(column)
    if file is not None:
        remark(f"{file.name} · {counted(len(file.chunks), 'chunk')}", key="chunk_file_name")
        if measured is None or len(measured) == 1:
            _choose_document(choices, number, file)
        if measured:
            _say_whether_it_has(file, measured)
    document = session.document if measured is None else None
    if file is not None and document is not None:
        located = file.known_in(document)
        if located is not None:
            _show_located(located, file.name)
        _offer_text(choices, file, document, located)
    _upload(choices, number, file)
    job = session.chunk_reading
    if job is not None and job.about == (session.page, number):
        show_job_progress(job, key="chunk_reading")
    if session.chunk_complaint:
        notice(session.chunk_complaint, "error", key="chunk_file_error")
    st.caption(NOT_MADE_HERE)


def _say_whether_it_has(file: ChunkFile, measured: Sequence[str]) -> None:
    """Draw whether the file has chunks for every measured document; only a run finds out whether they match its text."""
    try:
        by_document = file.of_each(measured)
    except InputError as error:
        notice(f"{error} A run leaves this column out.", "error", key="chunk_file_lacks")
        return
    chunks = counted(sum(map(len, by_document.values())), "chunk")
    texts = measured[0] if len(measured) == 1 else f"the {len(measured):,} documents"
    remark(f"{chunks} of {texts} will be measured.", key="chunk_file_has")


def _upload(choices: Choices, number: int, file: ChunkFile | None) -> None:
    # Each file gets a new, empty upload widget; the current file is shown above.
    key = f"chunk_file/{number}/{file.identity if file is not None else ''}"
    page = session.page

    def uploaded() -> None:
        uploaded_file = st.session_state[key]
        session.chunk_complaint, session.chunk_reading = "", None
        if uploaded_file is None:
            return
        content = uploaded_file.name, uploaded_file.getvalue()
        session.chunk_reading = ReadingJob([content], single_file_maker(_read_chunk_file), about=(page, number)).begin()
        _take_read_file(choices, number)

    label = "A file of chunks: JSON, JSON lines, CSV or Parquet"
    st.file_uploader(label if file is None else "Another file", type=[*ENDINGS], key=key, on_change=uploaded, help=FILE_HELP)


def _read_chunk_file(data: bytes, name: str, cancelled: Callable[[], bool]) -> ChunkFile:
    chunks = tuple(read_chunks(data, name, cancelled))
    if not chunks:
        raise InputError(f"{name}: a file of chunks must contain at least one chunk; this one contains none.")
    return ChunkFile(name, chunks)


def _take_read_file(choices: Choices, number: int) -> bool:
    """Use the file uploaded for column ``number`` once it has been read; return whether it has chunks."""
    job = session.chunk_reading
    if job is None or not job.ended or job.about != (session.page, number):
        return False
    session.chunk_reading = None
    session.chunk_complaint = job.error
    if job.made is None or job.cancelled:
        return False
    try:
        show_chunk_file(job.made, session.page, choices, number)
    except InputError as error:
        session.chunk_complaint = str(error)
        return False
    return True


def _choose_document(choices: Choices, number: int, file: ChunkFile) -> None:
    """Draw the choice of a document, if the file has chunks of several."""
    names = file.documents[:MOST_OFFERED]
    if len(names) < 2:
        return
    page, shown = session.page, file.document if file.document in names else None

    def put(name: str | None) -> None:
        if name is not None:
            show_chunk_file(file.of(name), page, choices, number)

    st.selectbox(
        "Chunked document",
        names,
        index=None if shown is None else names.index(shown),
        placeholder="the document of the text's name",
        help=f"The file has chunks of {counted(len(file.documents), 'document')}.",
        **value_binding(shown, f"chunk_document/{number}/{file.identity}", put),
    )


def _show_located(located: LocatedChunks, name: str) -> None:
    """Draw the number of located chunks, and a list of remarks that link into the text."""
    document = located.chunking.document
    located_count = len(located.chunking.chunks)
    counts = Counter(odd.kind for odd in located.oddities)
    summary = f"{located_count:,} of {counted(located.given, 'chunk')} found in this text"
    if located_count < located.given / 2:
        summary += f": {name} may be of another text"
    show_findings(
        summary,
        [(_TITLES[kind][0], counts[kind], _TITLES[kind][1]) for kind in KINDS if counts[kind]],
        [_finding_data(document, odd) for odd in located.oddities[:MOST_FINDINGS]],
        len(located.oddities),
        less="of the last kinds",
        nothing="All of them are in the text as they are in the file." if located_count else "",
        key="chunks_found",
    )


def _finding_data(document: Document, odd: Oddity) -> FindingData:
    words = odd.words or document.text[odd.span.start : odd.span.end][:MOST_WORDS]
    return {
        "id": "",
        "title": f"Chunk {odd.number:,}: {_TITLES[odd.kind][0]}",
        "reason": odd.said,
        "passage": words,
        "range": sentence_range_of(document, odd.span.start, odd.span.end),
    }


def _offer_text(choices: Choices, file: ChunkFile, document: Document, located: LocatedChunks | None) -> None:
    """Offer to open the text that the chunks make up, if it is complete and not the current text."""
    if located is not None and len(located.chunking.chunks) == located.given:
        return
    text = file.text(document.name)
    if text is None or text == document.text:
        return

    def opened() -> None:
        name = file.document or (file.documents[0] if len(file.documents) == 1 else file.name)
        store_own_text(Source(text, name, None, f"put together from the chunks of {file.name}"))
        session.own_taken += 1
        choose_document(choices, OWN)

    st.button(
        "Open chunked text",
        key="open_chunks_text",
        on_click=opened,
        help="The chunks cover a whole text, except for white space between them, which is filled in.",
    )
