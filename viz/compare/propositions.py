"""Table of a text's propositions, each with its chunk and its source."""

from __future__ import annotations

import streamlit as st

from chunkers import Chunking, Document
from chunkers.results.stated import Proposition
from evaluation.asking.ask import has_stated
from viz.components.notice import notice


def show_propositions(chunking: Chunking | None) -> None:
    """Draw the table of a result's propositions, or a message if it has none."""
    if chunking is None or not has_stated(chunking):
        notice("This column has no propositions. Select a column whose chunker writes propositions.", key="no_propositions")
        return
    st.dataframe(table_of(chunking), hide_index=True, width="stretch", height=420, placeholder="")


def table_of(chunking: Chunking) -> dict[str, list[object]]:
    """Return a table of the propositions by chunk and position, followed by the propositions that are in no chunk."""
    rows = [
        (number, chunk.stated.title, proposition)
        for number, chunk in enumerate(chunking.chunks, start=1)
        if chunk.stated is not None
        for proposition in chunk.stated.propositions
    ]
    held: list[tuple[int | None, str, Proposition]] = [
        *rows,
        *[(None, "", proposition) for proposition in chunking.left_out],
    ]
    document = chunking.document
    return {
        "chunk": [number for number, _, _ in held],
        "title": [title for _, title, _ in held],
        "proposition": [proposition.text for _, _, proposition in held],
        "sentence": [_sentences(document, proposition) for _, _, proposition in held],
        "source": [
            proposition.quotation if proposition.span is None else document.text[slice(*proposition.span)]
            for _, _, proposition in held
        ],
        "remark": [proposition.remark for _, _, proposition in held],
    }


def _sentences(document: Document, proposition: Proposition) -> str:
    """Return the number of the sentence that a proposition comes from, or the first and the last of several."""
    if proposition.span is None:
        return "" if proposition.sentence is None else f"{proposition.sentence + 1} (as the model says)"
    first, last = document.sentence_at(proposition.span.start) + 1, document.sentence_at(proposition.span.end - 1) + 1
    return f"{first}" if first == last else f"{first} to {last}"
