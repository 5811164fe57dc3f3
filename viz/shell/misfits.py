"""Warnings that a text does not suit its splitter or model, once for all columns, with buttons that fix it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunkers import Document
from chunkers.embedders import MiniLM
from chunkers.embedders.static import Static
from chunkers.text.fitness import Misfit, Remedy, misfits_of
from chunkers.text.languages import LANGUAGES, in_latin_letters
from viz.components.notice import notice
from viz.shell.results import ColumnResult
from viz.state.choices import OWN, Choices
from viz.state.embedder import chosen_embedder
from viz.state.keys import session
from viz.state.text import language_of

ENGLISH = (MiniLM.name, Static.name)
"""The embedders trained for English."""

_LABELS = {"sentences": "Split sentences by {}", "embedder": "Embed with {}", "tokenizer": "Count tokens as {}"}


def show_misfits(choices: Choices, results: Sequence[ColumnResult]) -> None:
    """Draw each distinct warning of the results once, with buttons for the suggested fixes."""
    misfits: dict[Misfit, None] = {}
    if choices.document == OWN and session.document is not None:
        misfits |= dict.fromkeys(_at_once(choices, session.document, results))
    misfits |= dict.fromkeys(_said(results))
    for number, misfit in enumerate(misfits):
        text_column, helps = st.columns([5, 2], vertical_alignment="center")
        with text_column:
            notice(misfit.sentence, key=f"misfit_{number}")
        for remedy in misfit.remedies:
            helps.button(
                _LABELS[remedy.setting].format(remedy.value),
                key=f"misfit_{number}_{remedy.setting}_{remedy.value}",
                on_click=_take,
                args=(choices, remedy),
                width="stretch",
            )


def _at_once(choices: Choices, document: Document, results: Sequence[ColumnResult]) -> list[Misfit]:
    """Return the warnings known before embedding: those of waiting columns, and of the embedder's language."""
    embedding = [column for column in results if column.chunker is not None and column.chunker.embeds and not column.error]
    embedder = chosen_embedder(choices)[0] if embedding else None
    if embedder is None:
        return []
    misfits = list(misfits_of(document, embedder=embedder)) if any(column.chunking is None for column in embedding) else []
    language = language_of(document)
    known = any(remedy.setting == "embedder" for misfit in (*misfits, *_said(results)) for remedy in misfit.remedies)
    if choices.embedder in ENGLISH and not in_latin_letters(language) and not known:
        sentence = (
            f"The text is in {LANGUAGES[language]}, but {choices.embedder} was made for English: its similarities are rough "
            "for other scripts. The embedder tfidf takes any language."
        )
        misfits.append(Misfit(sentence, (Remedy("embedder", "tfidf"),)))
    return misfits


def _said(results: Sequence[ColumnResult]) -> list[Misfit]:
    return [misfit for column in results if column.chunking is not None for misfit in column.chunking.misfits]


def _take(choices: Choices, remedy: Remedy) -> None:
    setattr(choices, remedy.setting, remedy.value)
