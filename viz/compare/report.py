"""The report of Compare: the comparison as one HTML file to share."""

from __future__ import annotations

from collections.abc import Sequence

from streamlit.delta_generator import DeltaGenerator

from chunkers import Cancelled, Chunker, Chunking, Embedder
from viz.components.download import download
from viz.jobs.chunking import sentence_vectors
from viz.state.choices import Choices
from viz.state.keys import session
from viz.state.text import Source


def offer_report(
    place: DeltaGenerator,
    choices: Choices,
    columns: Sequence[tuple[Chunker, Chunking]],
    chosen: Source,
    embedder: Embedder | None,
) -> None:
    """Draw the report's download button in ``place``; the report is built on click."""
    document, on_disk = columns[0][1].document, session.on_disk
    questions = [question for question in session.questions if question.identity == document.identity]

    def made() -> str:
        # Only the user who asks for a report waits for these modules, not the first page.
        from evaluation.report.page import report
        from evaluation.report.tables import Compared

        vectors = None
        if embedder is not None and document.sentences:
            try:
                vectors = sentence_vectors(document, embedder, choices.tokenizer, on_disk)
            except Cancelled:
                # A report embeds nothing; it uses cached vectors only.
                vectors = None
        return report(Compared(document, columns, chosen.known, embedder, choices.tokenizer, vectors, questions))

    download(
        place,
        "The comparison as a report, HTML",
        made,
        "seamark-report.html",
        "text/html",
        (
            document.identity,
            document.name,
            chosen.known,
            [(chunker.name, chunker) for chunker, _ in columns],
            choices.tokenizer,
            questions,
        ),
        help="Text, chunks, curves, questions, measures and verdicts in one file that opens offline and can be shared.",
    )
