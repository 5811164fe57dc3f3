"""The Code view of Compare: a column as code for other libraries, and their own chunkers with the same settings."""

from collections.abc import Sequence

import streamlit as st

from chunkers import Chunking, Embedder, InputError, Recipe, build_chunker
from integrations.code import DOCUMENT, NEEDED, TOOLS, Tool, code_for
from integrations.originals import Original, compared, original_for, run_original
from viz.compare.state.session import session
from viz.components.notice import notice
from viz.controls.widgets import pressed
from viz.shell.results import ColumnResult
from viz.state.choices import Choices, ColumnChoice
from viz.state.compare_choices import COMPARE, compare_is_full
from viz.state.models import chosen_model
from viz.state.undo import undoable

_RESULT = "Result of the original"


def show_code(choices: Choices, results: Sequence[ColumnResult], embedder: Embedder | None) -> None:
    """Draw the code that reproduces the selected column's cuts."""
    here = results[choices.selected]
    if here.chunking is None or here.chunker is None:
        return
    if here.chunker.elsewhere:
        notice("These chunks were made elsewhere, so there is no code for them.", key="no_code")
        return
    asking = chosen_model()
    model = None if asking is None else asking.model
    recipe = Recipe.of(here.chunker, choices.sentences, embedder, choices.tokenizer, session.embedded_as, model)
    tool: Tool = st.segmented_control(
        "Code target", list(TOOLS), default="langchain", format_func=TOOLS.__getitem__, key="code_for", required=True
    )
    command = tool == "command_line"
    leaves = "prints JSON" if command else "stores the chunks' texts in `chunks`"
    same = "if the language model gives the same answers" if here.chunker.asks else "exactly"
    takes = f"Seamark and the package `{NEEDED[tool]}`" if tool in NEEDED else "only Seamark"
    st.caption(
        f"This code reproduces the chunks of column {choices.selected + 1} {same}. It reads the text from `{DOCUMENT}` "
        f"(UTF-8), {leaves}, and needs {takes}."
    )
    st.code(code_for(tool, recipe), language="bash" if command else "python")
    original = original_for(tool, recipe)
    if original is not None:
        st.caption(
            f"{original.name} itself, set up to do the same. {original.remark}".strip()
            + f" It takes `pip install {original.requirement}`."
        )
        st.code(str(original.program), language="python")
        if original.column is None:
            _run_at_once(original, here.chunking, recipe)
        else:
            _run_as_column(original, original.column, choices, results)


def _run_at_once(original: Original, ours: Chunking, recipe: Recipe) -> None:
    """Draw the button that runs the library's chunker on the text, or the result of the run."""
    subject = f"{ours.document.identity}/{recipe.model_dump_json()}/{original.name}"
    place = st.empty()
    if session.proof is None or session.proof[0] != subject:
        if not pressed(place, "Run original library", "run_original"):
            return
        try:
            words, tone = f"{_RESULT}: {compared(ours, run_original(original, ours.document.text))[1]}.", "info"
        except InputError as error:
            words, tone = str(error), "error"
        session.proof = (subject, words, tone)
        place.empty()
    _, words, tone = session.proof
    notice(words, tone, key="proof_result")


def _run_as_column(
    original: Original, column: tuple[str, dict[str, object]], choices: Choices, results: Sequence[ColumnResult]
) -> None:
    """Draw the result of the column that runs the library's chunker, or the button that adds one."""
    name, parameters = column
    chunker = build_chunker(name, parameters)
    ours = results[choices.selected]
    if ours.chunker == chunker:
        notice(f"This column runs {original.name}.", key="proof_result")
        return
    number, theirs = next(((at, other) for at, other in enumerate(results, start=1) if other.chunker == chunker), (0, None))
    if theirs is None:

        def add() -> None:
            with undoable(COMPARE, f"Column {len(choices.columns) + 1} added"):
                choices.columns.append(ColumnChoice(name, dict(chunker.model_dump())))

        full = compare_is_full()
        why = (
            "Compare has the maximum number of columns; remove one first."
            if full
            else "Adds a column that runs the original with the same embeddings."
        )
        st.button("Add as column", key="add_original", on_click=add, disabled=full, help=why)
    elif theirs.chunking is not None and ours.chunking is not None:
        notice(f"{_RESULT}, column {number}: {compared(ours.chunking, theirs.chunking)[1]}.", key="proof_result")
    else:
        message = theirs.error or f"The original is running in column {number}."
        notice(message, "error" if theirs.error else "info", key="proof_result")
