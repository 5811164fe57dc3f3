"""The documents to tune on and those held out: bundled ones by name in the link, the user's own in the session."""

import io
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from chunkers import DEFAULT_SPLITTER, SPLITTERS, InputError
from chunkers.text.reading import READABLE
from evaluation.segmentation.boundary_files import marks_to_json
from evaluation.segmentation.marked_texts import (
    MarkedText,
    Passage,
    halves,
    marked_texts,
    passages_from,
    sharing,
    stitch_several,
)
from evaluation.segmentation.sweep import Marked
from sample_docs import load_sample, sample_splitters, sample_titles
from viz.components.download import download
from viz.components.job_progress import show_job_progress
from viz.components.notice import notice
from viz.controls.text_source import give_text
from viz.controls.widgets import bound, select
from viz.jobs.reading import ReadingJob
from viz.shell.navigation import PAGES, go_at_next_run
from viz.state.choices import Choices
from viz.state.text import Source
from viz.state.values import MarkedDocuments, StitchedDocuments
from viz.tune.session import session

# The user's own documents with known boundaries: uploaded, marked on Failures, or stitched from short texts.


OWN_WORDS = {"splitter": DEFAULT_SPLITTER}
"""The default values of the link parameters for the user's own documents."""

OPENED_ON = ("failures", "compare")
"""The pages on which a stitched document can be opened."""

_WIDTH = 460
"""Width of each half of the panel, in pixels."""

_ENDINGS = [ending.removeprefix(".") for ending in READABLE]


def own_documents() -> dict[str, MarkedText]:
    """Return the user's documents with known boundaries, by name."""
    _take_read()
    documents = {
        document.name: document for held in (session.tune_uploaded, session.tune_stitched) for document in held.documents
    }
    own = session.own
    if (
        own is not None
        and own.known
        and not any(document.text == own.text and document.known == own.known for document in documents.values())
    ):
        name = f"{own.name}, marked on Failures"
        documents[name] = MarkedText(name, own.text, own.known)
    return documents


def show_own_documents(choices: Choices) -> None:
    """Draw the controls that make documents with boundaries from the user's files, and the resulting documents."""
    with st.expander("Your own documents"):
        # Side by side if there is room, otherwise one below the other.
        row = st.container(horizontal=True, gap="large")
        with row.container(width=_WIDTH):
            _uploads()
            select("Split into sentences by", choices.extra, "splitter", {name: name for name in SPLITTERS}, "tune/splitter")
        with row.container(width=_WIDTH):
            _stitcher(choices.extra["splitter"])
        _show_stitched(choices)


def _uploads() -> None:
    st.markdown("**Documents whose boundaries you know**")
    st.caption(
        "Upload texts in which a line of three dashes ends each section, or upload each text with its file of boundaries, "
        "saved on Failures. The text that you marked there is already included."
    )
    st.file_uploader(
        "Texts and boundaries",
        type=[*_ENDINGS, "json"],
        accept_multiple_files=True,
        key="marked_files",
        on_change=_take_marked,
        label_visibility="collapsed",
    )
    if session.tune_reading is not None:
        show_job_progress(session.tune_reading)
    for number, complaint in enumerate(session.tune_uploaded.complaints):
        notice(complaint, "error", key=f"marked_complaint_{number}")


def _take_marked() -> None:
    files = [(file.name, file.getvalue()) for file in st.session_state["marked_files"]]
    session.tune_reading = ReadingJob(files, lambda *given: MarkedDocuments(*marked_texts(*given)))
    session.tune_reading.begin()


def _take_read() -> None:
    """Store the documents that were read or stitched in the background, if a job has ended."""
    reading, stitching = session.tune_reading, session.tune_stitching
    if reading is not None and (reading.cancelled or not reading.running):
        session.tune_reading = None
        if not reading.cancelled:
            session.tune_uploaded = reading.made or MarkedDocuments(complaints=[reading.error])
    if stitching is not None and (stitching.cancelled or not stitching.running):
        session.tune_stitching = None
        if not stitching.cancelled:
            stitched = stitching.made or StitchedDocuments(MarkedDocuments(complaints=[stitching.error]))
            session.tune_stitched = stitched.made
            session.tune_held = session.tune_held | stitched.held


def _stitcher(splitter: str) -> None:
    st.markdown("**Long documents stitched together from short ones**")
    st.caption(
        "Short texts are joined in random order; the seams are the known boundaries. A file counts as one topic, unless "
        "lines of three dashes divide it into several."
    )
    files = st.file_uploader(
        "Short texts", type=_ENDINGS, accept_multiple_files=True, key="short_files", label_visibility="collapsed"
    )
    row = st.container(horizontal=True, vertical_alignment="bottom")
    row.number_input(
        "Sentences per document", 2, 10_000, 100, 10, key="stitch_sentences", help="A document ends when it has this many."
    )
    row.number_input("Document count", 1, 100, 5, key="stitch_count")
    row.number_input("Seed", 0, 1_000_000, 0, key="stitch_seed", help="The same texts and seed give the same documents.")
    st.checkbox(
        "Add held-out documents",
        key="stitch_halves",
        help="Half of the texts are used only for these, so that the best setting is measured on texts not seen in tuning.",
    )
    st.button("Stitch documents", on_click=_stitch, args=(splitter,), disabled=not files)
    if session.tune_stitching is not None:
        show_job_progress(session.tune_stitching)
    for number, complaint in enumerate(session.tune_stitched.complaints):
        notice(complaint, "error", key=f"stitch_complaint_{number}")


def _stitch(splitter: str) -> None:
    options = (
        st.session_state["stitch_sentences"],
        st.session_state["stitch_count"],
        st.session_state["stitch_seed"],
        splitter,
    )
    halve = bool(st.session_state["stitch_halves"])
    files = [(file.name, file.getvalue()) for file in st.session_state["short_files"]]
    session.tune_stitching = ReadingJob(
        files, lambda given, read, _: _stitched_documents(*passages_from(given, read), asked=options, halve=halve)
    )
    session.tune_stitching.begin()


def _stitched_documents(
    passages: list[Passage], complaints: list[str], *, asked: tuple[int, int, int, str], halve: bool
) -> StitchedDocuments:
    """Stitch the passages into documents; if ``halve``, half of the passages form held-out documents."""
    documents: list[MarkedText] = []
    held: list[MarkedText] = []
    try:
        if halve:
            tuned, others = halves(passages)
            documents = stitch_several(tuned, *asked)
            held = stitch_several(others, *asked, first=len(documents) + 1)
        else:
            documents = stitch_several(passages, *asked)
    except InputError as error:
        complaints.append(str(error))
    stitched = [*documents, *held]
    made = MarkedDocuments(stitched, complaints, _summary(stitched, len(passages), asked[3]))
    return StitchedDocuments(made, frozenset(document.name for document in held))


def _summary(documents: list[MarkedText], texts: int, splitter: str) -> str:
    """Describe the stitched documents, which are shorter than requested if there is too little text."""
    if not documents:
        return ""
    sentences = [len(document.split(splitter).document.sentences) for document in documents]
    seams = [len(document.known) for document in documents]
    return (
        f"{len(documents):,} document{'s' if len(documents) > 1 else ''} stitched from {texts:,} short texts, with "
        f"{_range(sentences)} sentences and {_range(seams)} known boundaries each; now among the documents on the left."
    )


def _range(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _show_stitched(choices: Choices) -> None:
    """Draw the downloads and buttons for the stitched documents."""
    made_here = session.tune_stitched
    if not made_here.documents:
        return
    by_name = {document.name: document for document in made_here.documents}
    st.caption(made_here.said)
    row = st.container(horizontal=True, vertical_alignment="bottom")
    name = row.selectbox("Stitched document", list(by_name), key="stitched_name", width=200)
    document = by_name[name]
    stem = name.replace(" ", "-")
    download(row, "Text", document.text.encode, f"{stem}.txt", "text/plain", document)
    download(row, "Boundaries", lambda: _boundaries(document), f"{stem}.json", "application/json", document)
    download(row, "All, as ZIP", lambda: zipped(made_here.documents), "stitched.zip", "application/zip", made_here)
    for page in OPENED_ON:
        row.button(f"Open on {PAGES[page].title}", on_click=_open, args=(choices, document, page))


def _boundaries(marked: MarkedText) -> str:
    return marks_to_json(marked.name, marked.text, marked.known)


def zipped(documents: list[MarkedText]) -> bytes:
    """Return a ZIP archive of the documents, with a text file and a file of boundaries for each document."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for document in documents:
            stem = document.name.replace(" ", "-")
            archive.writestr(f"{stem}.txt", document.text)
            archive.writestr(f"{stem}.json", _boundaries(document))
    return file.getvalue()


def _open(choices: Choices, marked: MarkedText, page: str) -> None:
    """Make the document the user's own text, and go to the page that shows it."""
    give_text(Source(marked.text, marked.name, marked.known), choices)
    choices.sentences = choices.extra["splitter"]
    go_at_next_run(page)


@dataclass(frozen=True)
class SweepDocuments:
    """The documents of a sweep, divided into those to tune on and those held out.

    ``complaint`` names the documents excluded because they share text with a held-out one.
    """

    tuned: Sequence[MarkedText]
    held: Sequence[MarkedText]
    complaint: str
    splitter: str

    @property
    def all(self) -> list[MarkedText]:
        """The documents to tune on, followed by the held-out documents."""
        return [*self.tuned, *self.held]

    @property
    def held_names(self) -> frozenset[str]:
        """The names of the held-out documents."""
        return frozenset(document.name for document in self.held)

    @property
    def with_splitters(self) -> list[tuple[MarkedText, str]]:
        """All documents with the names of their sentence splitters; the user's own documents have the chosen splitter."""
        splitters = sample_splitters()
        return [(document, splitters.get(document.name, self.splitter)) for document in self.all]

    def split(self) -> Iterator[Marked]:
        """Yield the documents, split into sentences."""
        for document, splitter in self.with_splitters:
            yield document.split(splitter)


def default_documents() -> dict[str, str]:
    """Return the link parameters that choose the bundled documents by default."""
    # The essay contains several of the others, which then could not be held out.
    names = [name for name in _bundled() if name != "essay"]
    held = names[1::3]
    return {"documents": ",".join(name for name in names if name not in held), "held": ",".join(held)}


def _bundled() -> list[str]:
    return [name for name in sample_titles() if load_sample(name).known]


def choose_documents(words: dict[str, str]) -> SweepDocuments:
    """Draw the controls for choosing the documents of a sweep, and return the chosen documents."""
    own = own_documents()
    titles = {name: sample_titles()[name] for name in _bundled()} | {name: name for name in own}

    def use(names: set[str]) -> None:
        session.tune_left_out = own.keys() - names

    def hold(names: set[str]) -> None:
        session.tune_held = names

    used = _choose_several(
        "Documents", "With known boundaries.", words, "documents", titles, own.keys() - session.tune_left_out, use
    )
    held = _choose_several(
        "Held out",
        "The ranking ignores these, and documents that share a section with one of them; the best setting is then measured "
        "on them.",
        words,
        "held",
        titles,
        own.keys() & session.tune_held,
        hold,
    )
    return _divided({name: own.get(name) or _bundled_text(name) for name in [*used, *held]}, held, titles, words["splitter"])


def first_documents() -> SweepDocuments:
    """Return the documents of the page's default sweep."""
    used, held = (default_documents()[name].split(",") for name in ("documents", "held"))
    return _divided({name: _bundled_text(name) for name in [*used, *held]}, held, sample_titles(), DEFAULT_SPLITTER)


def _divided(
    texts: Mapping[str, MarkedText], held: Sequence[str], titles: Mapping[str, str], splitter: str
) -> SweepDocuments:
    """Divide ``texts`` into the documents to tune on, in order, and those that ``held`` names."""
    held_out = [texts[name] for name in held]
    tuned = [document for name, document in texts.items() if name not in held]
    seen = sharing(tuned, held_out)
    names = ", ".join(titles[document.name] for document in seen)
    complaint = f"Left out of the ranking, because a section of it is held out: {names}." if seen else ""
    return SweepDocuments([document for document in tuned if document not in seen], held_out, complaint, splitter)


def _choose_several(
    label: str,
    help_text: str,
    words: dict[str, str],
    name: str,
    titles: Mapping[str, str],
    own: set[str],
    keep: Callable[[set[str]], None],
) -> list[str]:
    """Draw a choice of several documents and return their names.

    Bundled documents are stored in the link parameter ``name``; ``keep`` is called with the user's own.
    """
    wanted = [doc_name for doc_name in titles if doc_name in own or doc_name in words[name].split(",")]

    def put(chosen: list[str]) -> None:
        words[name] = ",".join(doc_name for doc_name in chosen if doc_name in sample_titles())
        keep({doc_name for doc_name in chosen if doc_name not in sample_titles()})

    st.multiselect(
        label,
        list(titles),
        default=wanted,
        format_func=titles.__getitem__,
        help=help_text,
        **bound(wanted, f"tune/{name}", put),
    )
    return wanted


def _bundled_text(name: str) -> MarkedText:
    sample = load_sample(name)
    return MarkedText(name, sample.text, sample.known or ())
