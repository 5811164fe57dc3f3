"""The settings that all columns share: sentence splitter, embedder, tokenizer."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from chunkers import SPLITTERS, TOKENIZERS, Embedder
from chunkers.text.languages import LANGUAGES
from viz.components.notice import notice
from viz.controls.embedder import embedder_controls
from viz.controls.link_widgets import heeded, key_showing
from viz.controls.missing_packages import label_with_availability, missing_for_splitter, missing_for_tokenizer
from viz.jobs.keeping.run_store import MOST_DAYS
from viz.jobs.resources import answers_on_disk, embedding_cache, run_store
from viz.state.choices import Choices
from viz.state.keys import session


def shared_controls(choices: Choices, embedder: Embedder | None) -> None:
    """Draw the settings that all columns share; ``embedder`` is the current embedder, if any."""
    with st.expander("Splitter and embedder"):
        _choose_splitter(choices)
        embedder_controls(choices, embedder)
        choose_named(choices, "Tokens as", "tokenizer", TOKENIZERS)
        if lack := missing_for_tokenizer(choices.tokenizer):
            st.caption(lack)
        st.toggle(
            "Cache on disk",
            key="on_disk",
            help="A SQLite file in your cache folder stores vectors and hashes, never text. If off, they stay in memory.  \n"
            "If on, runs on Tune, Retrieval and Answers are kept in a file beside it, and their links lead back to them "
            f"after a restart, for {MOST_DAYS} days: settings, results as numbers, hashes of the documents, never text.  \n"
            "Answers of language models are kept there too, word for word, so that none is paid for twice.",
        )
        if session.on_disk:
            cache, runs, answers = embedding_cache(True), run_store(), answers_on_disk()
            megabytes = (cache.file_bytes + runs.file_bytes + answers.file_bytes) / 1e6

            def clear() -> None:
                cache.clear(file=True)
                runs.clear()
                answers.clear(file=True)

            st.button(
                f"Clear cache ({megabytes:,.1f} MB)",
                key="clear_disk",
                on_click=clear,
                help="Deletes all embeddings, runs and answers on disk, for all sessions of this server.",
            )
    if session.on_disk:
        for key, complaint in (
            ("disk_complaint", run_store().complaint),
            ("cache_complaint", embedding_cache(True).complaint),
        ):
            if complaint:
                notice(complaint, "error", key=key)


def _choose_splitter(choices: Choices) -> None:
    """Draw the choice of a splitter and, for a multilingual one, of the language."""
    kind, _, language = choices.sentences.partition(":")
    by_language = kind == "sentencex"
    shown = kind if by_language else choices.sentences
    key = key_showing(shown, "sentences")

    def changed() -> None:
        choices.sentences = st.session_state[key]

    explained = "  \n".join(f"**{option}**: {description}" for option, description in SPLITTERS.items())
    names = [*SPLITTERS] if shown in SPLITTERS else [*SPLITTERS, shown]
    st.selectbox(
        "Sentence splitter",
        names,
        index=names.index(shown),
        format_func=partial(label_with_availability, "sentences"),
        key=key,
        on_change=heeded(key, changed),
        help=explained,
    )
    if not by_language:
        if lack := missing_for_splitter(kind):
            st.caption(lack)
        return
    language_key = key_showing(language, "language")

    def chosen() -> None:
        code = st.session_state[language_key]
        choices.sentences = f"sentencex:{code}" if code else "sentencex"

    codes = ["", *sorted(LANGUAGES, key=LANGUAGES.__getitem__)]
    st.selectbox(
        "Language",
        codes,
        index=codes.index(language),
        format_func=lambda code: LANGUAGES[code] if code else "as detected",
        key=language_key,
        on_change=heeded(language_key, chosen),
        help="The language whose abbreviations and full stops are used; the line above the text names it.",
    )


def choose_named(choices: Choices, label: str, name: str, options: Mapping[str, str]) -> None:
    """Draw a select box for the shared setting ``name``, with ``options`` that map values to descriptions."""
    value = getattr(choices, name)
    key = key_showing(value, name)

    def changed() -> None:
        setattr(choices, name, st.session_state[key])

    explained = "  \n".join(f"**{option}**: {description}" for option, description in options.items())
    names = [*options] if value in options else [*options, value]
    st.selectbox(
        label,
        names,
        index=names.index(value),
        format_func=partial(label_with_availability, name),
        key=key,
        on_change=heeded(key, changed),
        help=explained,
    )
