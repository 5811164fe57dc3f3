"""What all columns have in common: sentences, embedder, tokens."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from chunkers import SPLITTERS, TOKENIZERS, Embedder
from viz.controls.embedder import embedder_controls
from viz.controls.link_widgets import seed
from viz.state.choices import Choices


def shared_controls(choices: Choices, embedder: Embedder | None) -> None:
    """Draw what all columns share: sentences, embedder, tokens; ``embedder`` is the one in use, if there is one."""
    with st.expander("Sentences, embedder, tokens"):
        choose_named(choices, "Sentences", "sentences", SPLITTERS)
        embedder_controls(choices, embedder)
        choose_named(choices, "Count tokens of", "tokenizer", TOKENIZERS)
        st.toggle(
            "Keep embeddings on disk",
            key="on_disk",
            help="One SQLite file in your cache folder holds vectors and hashes, never text. Off: in memory alone.",
        )


def choose_named(choices: Choices, label: str, name: str, options: Mapping[str, str]) -> None:
    """Draw the choice of what all columns share under that ``name``; ``options`` are names with what they do."""
    value = getattr(choices, name)
    seed(name, value)

    def changed() -> None:
        setattr(choices, name, st.session_state[name])

    explained = "  \n".join(f"**{option}**: {said}" for option, said in options.items())
    names = [*options] if value in options else [*options, value]
    st.selectbox(label, names, key=name, on_change=changed, help=explained)
