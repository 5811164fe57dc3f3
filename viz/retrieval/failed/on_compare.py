"""The button that opens Compare at the passage of a question, in a sample or the user's own text."""

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import TypedDict

from chunkers import Document, Span
from evaluation.questions.corpus import Corpus
from sample_docs import load_sample, sample_titles
from viz.components.findings.findings import sentences_of
from viz.components.mounting import Component, take_event
from viz.controls.text_source import give_text
from viz.jobs.resources import split_document
from viz.jobs.retrieval_plan import Plan
from viz.shell.navigation import go_at_next_run
from viz.state.choices import OWN, Choices, ColumnChoice
from viz.state.compare_choices import COMPARE, compared
from viz.state.own_text import choose_document
from viz.state.session_state import session
from viz.state.text import Source
from viz.state.undo import undoable

KEY = "retrieval_on_compare"


class OnCompareData(TypedDict):
    """Payload of the button that opens Compare: its label, and the half-open range of sentences to show."""

    label: str
    range: tuple[int, int]


_link = Component[OnCompareData](
    "seamark_on_compare",
    "retrieval/failed/on_compare.js",
    "retrieval/failed/on_compare.css",
    html='<div class="on-compare"></div>',
    colours="on-compare",
)


@lru_cache(maxsize=1)
def _samples() -> dict[str, str]:
    """Return the ids of the bundled documents by their texts."""
    return {load_sample(name).text: name for name in sample_titles()}


def show_way_to_compare(corpus: Corpus, span: Span, plan: Plan, numbers: Sequence[int], choices: Choices) -> None:
    """Draw the button that opens Compare at ``span``, with chunkers ``numbers`` of the run as columns.

    ``span`` is on the corpus's axis. A document that is not a sample of Compare becomes the user's own text there; the label
    names the text that it replaces.
    """
    number = corpus.document_at(span.start)
    offset, document = corpus.offsets[number], corpus.documents[number]
    if document.splitter != plan.sentences:
        # A run that only shows stored results uses another splitter.
        document = split_document(document.text, plan.sentences, document.name, document.parts)
    columns = [
        ColumnChoice(chunker.name, chunker.model_dump(mode="json"))
        for chunker in (plan.chunkers[n] for n in dict.fromkeys(numbers))
    ]
    offer_passage(document, Span(span.start - offset, span.end - offset), columns, choices, KEY, plan.embedder)


def offer_passage(
    document: Document, span: Span, columns: list[ColumnChoice], choices: Choices, key: str, embedder: str | None = None
) -> None:
    """Draw the button that opens Compare at a span of a document, with these columns and by default the page's embedder."""
    sample, own = _samples().get(document.text), session.own
    to: str | Source = sample or Source(document.text, document.name, parts=document.parts)
    place = f", in the place of “{own.name}”" if sample is None and own is not None and own.text != document.text else ""
    data: OnCompareData = {"label": f"See the passage on Compare{place}", "range": sentences_of(document, *span)}
    settings = document.splitter, embedder or choices.embedder
    _link(key=key, data=data, on_open_change=partial(_open, to, settings, columns, choices, key))


def _open(to: str | Source, settings: tuple[str, str], columns: list[ColumnChoice], choices: Choices, key: str) -> None:
    """Go to Compare with the document and these columns; the user can undo this there."""
    if take_event(key, "open") is None:
        return
    # These settings are shared: Compare adopts them from the page that the user comes from.
    if isinstance(to, str):
        choose_document(choices, to)
    elif session.own is not None and session.own.text == to.text:
        # Keep its known boundaries.
        choose_document(choices, OWN)
    else:
        give_text(to, choices)
    choices.sentences, choices.embedder = settings
    there = compared()
    with undoable(COMPARE, "Columns replaced by those of Retrieval"):
        there.columns, there.selected = columns, 0
    go_at_next_run(COMPARE)
