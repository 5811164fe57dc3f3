"""Advice on the chunker to try for a kind of text, based on measurements in `benchmarks/README.md`."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from chunkers.recipes.presets import BOUND
from chunkers.recipes.registry import chunker_class
from viz.shell.column_exchange import take_to_compare_button
from viz.state.choices import ColumnChoice


class Advice(NamedTuple):
    """A kind of text, the chunker to try first, its settings in words, and the reason."""

    text: str
    chunker: str
    parameters: Mapping[str, Any]
    settings: str
    why: str

    @property
    def column(self) -> ColumnChoice:
        """A column's settings: the advised chunker with the advised parameters."""
        return ColumnChoice(self.chunker, dict(self.parameters))


ADVICE = (
    Advice(
        "Short notes",
        "recursive",
        {"size": 100, "unit": "tokens"},
        "at most 100 tokens",
        "On 40 questions to the bundled documents its recall is 96.4 % at 500 retrieved tokens, Fixed sentences' 92.5 % and "
        "Optimal's 90.5 %. No difference is significant, so the simplest will do.",
    ),
    Advice(
        "Long reports with headings",
        "structure",
        {"max_size": 250},
        "at most 250 tokens",
        "Of the 159 lists, tables, code blocks, formulas and headings of a handbook in HTML it kept 159 whole, Recursive "
        "92. One sentence inserted anywhere changes 0.6 % of its chunks.",
    ),
    Advice(
        "Long prose without headings",
        "change_point",
        BOUND["change_point"],
        "at most 250 tokens",
        "On 472 questions its recall is 83.4 % at 1,000 retrieved tokens, Recursive's of that size 79.3 %: 4.1 points more, "
        "−1.0 to +9.2, which is not significant. On stitched passages its Pk is 0.144 with nothing tuned and no maximum "
        "size, Breakpoint's 0.399; 0 is best.",
    ),
    Advice(
        "Code in a document",
        "structure",
        {"max_size": 250},
        "at most 250 tokens",
        "Code blocks are among the 159 blocks above. Of files of source code alone we have no measurement: try Recursive, "
        "which prefers blank lines, and look at the cuts.",
    ),
    Advice(
        "No model",
        "recursive",
        {"size": 250, "unit": "tokens"},
        "at most 250 tokens",
        "It embeds nothing, and exact offsets in 10 MB of text take it 139 ms. On 472 questions no chunker that embeds is "
        "significantly better at 1,000 retrieved tokens: the best by 4.1 points, −1.0 to +9.2.",
    ),
    Advice(
        "Other languages",
        "fixed_sentences",
        {},
        "4 sentences",
        "It needs only the ends of sentences, of which the default splitter finds 218 of 225 in 33 languages and invents 5. "
        "The bundled model knows English: before you compare meanings, choose an embedder that knows the language.",
    ),
)


def show_advice(explain: Callable[[ColumnChoice], None]) -> None:
    """Draw the advice on chunkers; ``explain`` is called with the settings that the user wants explained."""
    st.markdown(
        "No chunker was significantly ahead of all others on our questions: all figures are in "
        "`benchmarks/README.md`. Start with one of these, then measure it on your own text with Compare and Retrieval."
    )
    for number, advice in enumerate(ADVICE):
        title = chunker_class(advice.chunker).title
        with st.container(key=f"advice_{number}", border=True):
            st.header(advice.text, anchor=False)
            st.markdown(f"Try **{title}**, {advice.settings}. {advice.why}")
            with st.container(horizontal=True):
                st.button(f"Explain {title}", key=f"explain_{number}", on_click=explain, args=(advice.column,))
                take_to_compare_button("Add to Compare", advice.column, key=f"take_advice_{number}")
