"""The side bar's controls for a chunker, generated from its declared parameters."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from chunkers import ADAPTERS, ASKING, CHUNKERS, Chunker, Embedder, FieldSpec
from chunkers.methods.your_chunks import YourChunks
from chunkers.methods.your_cuts import YourCuts
from chunkers.recipes.presets import presets_for_chunker
from chunkers.recipes.registry import ELSEWHERE, chunker_class, discover
from viz.components.page_elements import remark
from viz.controls.chunk_file import chunk_file_controls
from viz.controls.language_model import any_calls_model, language_model_form, show_prompts
from viz.controls.widgets import label_with_availability, offer_undo, value_binding
from viz.state.choices import MOST_COLUMNS, Choices, ColumnChoice, effective_parameters, fresh, link_of_chunker
from viz.state.chosen_models import embedder_defaults
from viz.state.session_state import session
from viz.state.undo import undoable

YOURS = YourChunks.name

OWN_CUTS = (
    "“Cut it yourself”, below the strips on Compare, makes and changes these cuts. They are of one text; the link has them, "
    "without the text."
)

ORDER_OF_ADDING = ("recursive", "structure", "optimal", "change_point", "fixed_sentences", "breakpoint", "double_pass")
"""Chunkers for added columns, in order of preference."""

BOX_CHARACTERS = 26
"""Characters of a name that fit into the side bar's boxes."""


def column_controls(
    choices: Choices,
    chunker: Chunker | None,
    embedder: Embedder | None,
    *,
    elsewhere: bool = False,
    measured: Sequence[str] | None = None,
    model: bool | None = None,
) -> None:
    """Draw the controls that select a column and set its chunker, presets and parameters.

    Parameters
    ----------
    choices
        The columns.
    chunker
        The chunker of the selected column, or None if its parameters are invalid.
    embedder
        The embedder in use, on which defaults may depend.
    elsewhere
        True if the page can show external chunks.
    measured
        The names of the page's documents; None on a page about one text.
    model
        True to draw the form for the language model; None to draw it if any column's chunker calls one.
    """
    _choose_column(choices, elsewhere=elsewhere)
    column = choices.columns[choices.selected]
    # Keep the chunker of a column from another page, even if this page does not offer it.
    external = [name for name in ELSEWHERE if elsewhere or name == column.chunker]
    _choose_chunker(choices, column, [*CHUNKERS, *ASKING, *ADAPTERS, *external])
    has_form = any_calls_model(any_column.chunker for any_column in choices.columns) if model is None else model
    # If the selected column needs the form, it comes first, since the settings have no effect without a model.
    if has_form and column.chunker in ASKING:
        language_model_form()
    if column.chunker not in ELSEWHERE:
        parameter_controls(choices.selected, column, chunker, embedder_defaults(embedder, column.chunker))
    elif column.chunker == YourCuts.name:
        st.caption(OWN_CUTS)
    elif elsewhere:
        chunk_file_controls(choices, choices.selected, column, measured)
    if has_form and column.chunker not in ASKING:
        language_model_form()


def parameter_controls(
    number: int,
    column: ColumnChoice,
    chunker: Chunker | None,
    defaults: Mapping[str, Any],
    below: Callable[[FieldSpec], None] | None = None,
) -> None:
    """Draw the presets and parameters of column ``number``, with the embedder's ``defaults``.

    ``below`` is called after each main parameter to draw something under it. The other parameters are in an expander.
    """
    _choose_preset(number, column, defaults)
    values = effective_parameters(column, defaults)
    specs = chunker_class(column.chunker).fields(values)
    idle = chunker.idle() if chunker is not None else frozenset[str]()
    for spec in specs:
        if spec.main:
            _parameter_widget(number, column, spec, values[spec.name], spec.name in idle)
            if chunker is not None and (note := chunker.remark(spec.name)):
                st.caption(note)
            if below is not None:
                below(spec)
    folded = [spec for spec in specs if not spec.main]
    if folded:
        with st.expander("More settings", expanded=any(spec.name in column.parameters for spec in folded)):
            for spec in folded:
                _parameter_widget(number, column, spec, values[spec.name], spec.name in idle)
    if column.chunker in ASKING:
        show_prompts(column.chunker)


def _choose_column(choices: Choices, *, elsewhere: bool) -> None:
    count, page = len(choices.columns), session.page

    def chosen(number: int | None) -> None:
        session.chunk_complaint = ""
        if number is not None:
            choices.selected = number

    def added(chunker: str) -> None:
        session.chunk_complaint = ""
        with undoable(page, f"Column {count + 1} added"):
            choices.columns.append(ColumnChoice(chunker))
            choices.selected = count

    def removed() -> None:
        with undoable(page, f"Column {choices.selected + 1} removed"):
            choices.columns.pop(choices.selected)
            choices.selected = min(choices.selected, len(choices.columns) - 1)

    st.segmented_control(
        "Column",
        range(count),
        default=choices.selected,
        format_func=lambda index: str(index + 1),
        required=True,
        **value_binding(choices.selected, "column", chosen),
    )
    row = st.container(horizontal=True, gap="small", key="column_buttons")
    full = count >= MOST_COLUMNS
    row.button(
        "Add",
        on_click=added,
        args=(_chunker_to_add(choices.columns),),
        disabled=full,
        help=f"Adds a column, up to {MOST_COLUMNS}.",
    )
    row.button("Remove", on_click=removed, disabled=count <= 1, help="Removes the selected column.")
    if elsewhere:
        row.button(
            "Your chunks",
            on_click=added,
            args=(YOURS,),
            disabled=full,
            help="Adds a column with the chunks of a file, made by anything: LangChain, LlamaIndex, your own code.",
        )
    offer_undo(page)


def _chunker_to_add(columns: Sequence[ColumnChoice]) -> str:
    """Return the chunker for a new column: the first of `ORDER_OF_ADDING` that no column has, otherwise Recursive."""
    used = {column.chunker for column in columns}
    return next((name for name in ORDER_OF_ADDING if name not in used), ORDER_OF_ADDING[0])


def _choose_chunker(choices: Choices, column: ColumnChoice, names: list[str]) -> None:
    page = session.page

    def changed(name: str) -> None:
        new = fresh(name)
        with undoable(page, f"Chunker of column {choices.selected + 1} changed"):
            column.chunker, column.parameters = new.chunker, new.parameters

    kind = chunker_class(column.chunker)
    st.selectbox(
        "Chunker",
        names,
        index=names.index(column.chunker),
        format_func=lambda name: label_with_availability("chunker", name, chunker_class(name).title),
        help=f"{kind.idea} Source: {kind.source}. {guide_link(column.chunker)}",
        **value_binding(column.chunker, f"chunker/{choices.selected}", changed),
    )
    for number, fault in enumerate(discover()):
        remark(fault, key=f"offer_{number}")


def guide_link(chunker: str) -> str:
    """Return a Markdown link to the chunker's explanation in the Guide; empty if there is none."""
    if chunker not in CHUNKERS and chunker not in ASKING:
        return ""
    return f"[More in the Guide](guide?{urlencode(link_of_chunker(chunker))})"


def _choose_preset(number: int, column: ColumnChoice, defaults: Mapping[str, Any]) -> None:
    presets = {preset.title: preset for preset in presets_for_chunker(column.chunker)}
    if not presets:
        return
    values = effective_parameters(column, defaults)
    active = next(
        (
            title
            for title, preset in presets.items()
            if all(
                values[name] == preset.parameters.get(name, defaults.get(name, spec.default))
                for name, spec in {s.name: s for s in chunker_class(column.chunker).fields(preset.parameters)}.items()
            )
        ),
        None,
    )
    page, chunker = session.page, column.chunker

    def changed(title: str | None) -> None:
        # The same browser message may have changed the chunker.
        if title is not None and column.chunker == chunker:
            with undoable(page, f"Settings of column {number + 1} replaced"):
                column.parameters = dict(presets[title].parameters)

    index = None if active is None else list(presets).index(active)
    st.selectbox(
        "Settings preset",
        list(presets),
        index=index,
        placeholder="your own",
        **value_binding(active, f"preset/{number}/{chunker}", changed),
    )
    if active is not None:
        # The box truncates long names.
        name = f"{active}." if len(active) > BOX_CHARACTERS else ""
        if caption := " ".join(filter(None, (name, presets[active].note))):
            st.caption(caption)


def _parameter_widget(number: int, column: ColumnChoice, spec: FieldSpec, value: Any, idle: bool) -> None:
    """Draw the widget of a parameter, greyed out if ``idle``, that is without effect given the other parameters."""
    name = _parameter_widget_key(number, column, spec)
    label = f"{spec.title}, {spec.unit}" if spec.unit and spec.unit not in spec.title.lower() else spec.title

    def changed(new: Any) -> None:
        # The same browser message may have changed the chunker, or the parameter on which this one depends.
        if name != _parameter_widget_key(number, column, spec):
            return
        column.put(spec.name, new)
        # An amount is meaningless for another threshold method.
        for other in chunker_class(column.chunker).fields():
            if other.depends == spec.name:
                column.parameters.pop(other.name, None)

    help_text = f"{spec.help} {guide_link(column.chunker)}".strip()
    shared = {"disabled": idle, "help": help_text or None, **value_binding(value, name, changed)}
    kind = int if spec.kind == "integer" else float
    if spec.kind == "choice" and spec.ordered:
        st.select_slider(label, spec.choices, value, **shared)
    elif spec.kind == "choice":
        st.selectbox(
            label,
            spec.choices,
            index=spec.choices.index(value),
            format_func=lambda word: word.replace("_", " "),
            **shared,
        )
    elif spec.optional:
        low, high = (None if limit is None else kind(limit) for limit in (spec.low, spec.high))
        st.number_input(
            label,
            low,
            high,
            value=value,
            step=kind(spec.step or 1),
            placeholder="none",
            **shared,
        )
    else:
        value = kind(value)
        least, most = (kind(limit) for limit in spec.offered or (spec.low, spec.high) if limit is not None)
        st.slider(
            label,
            min(least, value),
            max(most, value),
            value,
            step=kind(spec.step or 1),
            format="%d" if kind is int else "%g",
            **shared,
        )


def _parameter_widget_key(number: int, column: ColumnChoice, spec: FieldSpec) -> str:
    """Return the key of a parameter's widget, unique to the chunker."""
    depends = f"/{column.parameters.get(spec.depends)}" if spec.depends else ""
    return f"{number}/{column.chunker}/{spec.name}{depends}"
