"""The side bar's controls for a chunker, generated from its declared parameters, and those for a file of chunks."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from chunkers import ADAPTERS, CHUNKERS, MODEL_ASKING_CLASS_BY_NAME, Chunker, Document, Embedder, FieldSpec, InputError
from chunkers.found_again import ODDITY_KINDS, LocatedChunks, Oddity, read_given_chunks
from chunkers.methods import ChunkFile, YourChunks, YourCuts
from chunkers.recipes import GIVEN_CHUNKS_CLASS_BY_NAME, chunker_class, presets_for_chunker, register_installed_chunkers
from chunkers.support import pluralize
from viz.components.findings.findings import (
    MOST_FINDINGS,
    FindingData,
    draw_findings_of_result,
    find_sentence_range_at_characters,
)
from viz.components.page_elements import show_job_progress_with_cancel, show_notice, show_remark
from viz.controls.language_model import any_chunker_calls_model, draw_language_model_form, show_chunker_prompts
from viz.controls.widgets import build_widget_key_and_callback, label_with_availability, offer_undo
from viz.jobs import ReadingJob, converter_from_single_file_function
from viz.state import (
    MOST_COLUMNS,
    OWN_DOCUMENT_KEY,
    Choices,
    ColumnChoice,
    TextWithDetails,
    choose_document,
    chunk_file_of,
    chunker_defaults_of_embedder,
    effective_parameters,
    link_parameters_of_chunker,
    new_default_column,
    record_columns_for_undo,
    session,
    set_own_text_and_boundaries,
    show_chunk_file_in_column,
)

# The controls of a column of external chunks: the file, the located chunks, and the file's own text.


MOST_OFFERED_DOCUMENTS = 1_000
"""Most documents of a file among which the user can choose."""

MOST_SHOWN_CHARACTERS = 300
"""Most characters that the list shows of a chunk without text of its own."""

CHUNK_FILE_ENDINGS = ("json", "jsonl", "ndjson", "csv", "tsv", "parquet")

MADE_ELSEWHERE_CAPTION = (
    "Made elsewhere, these chunks have no settings, recipe, code or time here, and neither Tune nor an edit can have them "
    "made again. Retrieval measures them."
)

CHUNK_FILE_HELP = (
    "A row has a text, or a start and an end, or both. What LangChain, LlamaIndex, Haystack, Chonkie and Docling write is "
    "read as it is; so are lists of texts or of pairs. 20 MB at most. The file stays on this machine; no link carries it."
)

_LOCATED_CHUNK_ODDITY_TITLES = {
    "lost": ("not found", "Chunks that are not in the text; they are left out."),
    "altered": ("altered", "Chunks that are in the text with small changes."),
    "ambiguous": ("ambiguous", "Chunks that are in the text more than once and give no position."),
    "elsewhere": ("elsewhere", "Chunks that are not at the position they give."),
    "context": ("context", "Chunks with added words around them that are not in the text."),
    "spaced": ("other white space", "Chunks that differ from the text in white space only."),
}


def chunk_file_controls(
    choices: Choices, column_index: int, column: ColumnChoice, document_names_to_measure: Sequence[str] | None = None
) -> None:
    """Draw the controls of column ``column_index``, whose chunks come from a file.

    ``document_names_to_measure`` are the names of the documents that the page measures; None on a page about one text.
    """
    if _adopt_chunk_file(choices, column_index):
        st.rerun()
    chunk_file = chunk_file_of(column)
    if chunk_file is not None:
        show_remark(f"{chunk_file.name} · {pluralize(len(chunk_file.chunks), 'chunk')}", key="chunk_file_name")
        if document_names_to_measure is None or len(document_names_to_measure) == 1:
            _draw_chunk_file_document_choice(choices, column_index, chunk_file)
        if document_names_to_measure:
            _draw_whether_file_covers_documents(chunk_file, document_names_to_measure)
    current_document = session.document if document_names_to_measure is None else None
    if chunk_file is not None and current_document is not None:
        located_chunks = chunk_file.located_chunks_if_cached(current_document)
        if located_chunks is not None:
            _show_located_chunks(located_chunks, chunk_file.name)
        _offer_text_rebuilt_from_chunks(choices, chunk_file, current_document, located_chunks)
    _draw_chunk_file_upload(choices, column_index, chunk_file)
    chunk_file_reading_job = session.chunk_reading_job
    if chunk_file_reading_job is not None and chunk_file_reading_job.subject == (session.page, column_index):
        show_job_progress_with_cancel(chunk_file_reading_job, key="chunk_reading")
    if session.chunk_complaint:
        show_notice(session.chunk_complaint, "error", key="chunk_file_error")
    st.caption(MADE_ELSEWHERE_CAPTION)


def _draw_whether_file_covers_documents(chunk_file: ChunkFile, document_names_to_measure: Sequence[str]) -> None:
    """Draw whether the file has chunks for every measured document; only a run finds out whether they match its text."""
    try:
        chunks_by_document = chunk_file.chunks_by_document(document_names_to_measure)
    except InputError as error:
        show_notice(f"{error} A run leaves this column out.", "error", key="chunk_file_lacks")
        return
    chunk_count_phrase = pluralize(sum(map(len, chunks_by_document.values())), "chunk")
    documents_phrase = (
        document_names_to_measure[0]
        if len(document_names_to_measure) == 1
        else f"the {len(document_names_to_measure):,} documents"
    )
    show_remark(f"{chunk_count_phrase} of {documents_phrase} will be measured.", key="chunk_file_has")


def _draw_chunk_file_upload(choices: Choices, column_index: int, chunk_file: ChunkFile | None) -> None:
    # Each file gets a new, empty upload widget; the current file is shown above.
    chunk_file_uploader_key = f"chunk_file/{column_index}/{chunk_file.identity if chunk_file is not None else ''}"
    current_page_key = session.page

    def begin_reading_chunk_file() -> None:
        uploaded_file = st.session_state[chunk_file_uploader_key]
        session.chunk_complaint, session.chunk_reading_job = "", None
        if uploaded_file is None:
            return
        name_and_content = uploaded_file.name, uploaded_file.getvalue()
        session.chunk_reading_job = ReadingJob(
            [name_and_content],
            converter_from_single_file_function(_read_chunk_file),
            subject=(current_page_key, column_index),
        ).start_and_wait_briefly()
        _adopt_chunk_file(choices, column_index)

    st.file_uploader(
        "A file of chunks: JSON, JSON lines, CSV or Parquet" if chunk_file is None else "Another file",
        type=[*CHUNK_FILE_ENDINGS],
        key=chunk_file_uploader_key,
        on_change=begin_reading_chunk_file,
        help=CHUNK_FILE_HELP,
    )


def _read_chunk_file(file_content: bytes, chunk_file_name: str, cancelled: Callable[[], bool]) -> ChunkFile:
    file_chunks = tuple(read_given_chunks(file_content, chunk_file_name, cancelled))
    if not file_chunks:
        raise InputError(f"{chunk_file_name}: a file of chunks must contain at least one chunk; this one contains none.")
    return ChunkFile(chunk_file_name, file_chunks)


def _adopt_chunk_file(choices: Choices, column_index: int) -> bool:
    """Use the file uploaded for column ``column_index`` once it has been read; return whether it has chunks."""
    file_reading_job = session.chunk_reading_job
    if file_reading_job is None or not file_reading_job.ended or file_reading_job.subject != (session.page, column_index):
        return False
    session.chunk_reading_job = None
    session.chunk_complaint = file_reading_job.error
    if file_reading_job.result is None or file_reading_job.cancelled():
        return False
    try:
        show_chunk_file_in_column(file_reading_job.result, session.page, choices, column_index)
    except InputError as error:
        session.chunk_complaint = str(error)
        return False
    return True


def _draw_chunk_file_document_choice(choices: Choices, column_index: int, chunk_file: ChunkFile) -> None:
    """Draw the choice of a document, if the file has chunks of several."""
    document_names = chunk_file.document_names_in_file[:MOST_OFFERED_DOCUMENTS]
    if len(document_names) < 2:
        return
    current_session_page, chosen_document = (
        session.page,
        chunk_file.document if chunk_file.document in document_names else None,
    )

    def store_chosen_document(name: str | None) -> None:
        if name is not None:
            show_chunk_file_in_column(
                chunk_file.copy_with_other_document_selected(name), current_session_page, choices, column_index
            )

    st.selectbox(
        "Chunked document",
        document_names,
        index=None if chosen_document is None else document_names.index(chosen_document),
        placeholder="the document of the text's name",
        help=f"The file has chunks of {pluralize(len(chunk_file.document_names_in_file), 'document')}.",
        **build_widget_key_and_callback(
            chosen_document, f"chunk_document/{column_index}/{chunk_file.identity}", store_chosen_document
        ),
    )


def _show_located_chunks(located_chunks: LocatedChunks, chunk_file_name: str) -> None:
    """Draw the number of located chunks, and a list of remarks that link into the text."""
    document = located_chunks.chunking.document
    located_count = len(located_chunks.chunking.chunks)
    oddity_kind_counts = Counter(odd.kind for odd in located_chunks.oddities)
    located_chunks_summary = (
        f"{located_count:,} of {pluralize(located_chunks.given_chunk_count, 'chunk')} found in this text"
    )
    if located_count < located_chunks.given_chunk_count / 2:
        located_chunks_summary += f": {chunk_file_name} may be of another text"
    draw_findings_of_result(
        located_chunks_summary,
        [
            (_LOCATED_CHUNK_ODDITY_TITLES[kind][0], oddity_kind_counts[kind], _LOCATED_CHUNK_ODDITY_TITLES[kind][1])
            for kind in ODDITY_KINDS
            if oddity_kind_counts[kind]
        ],
        [_chunk_file_oddity_data(document, odd) for odd in located_chunks.oddities[:MOST_FINDINGS]],
        len(located_chunks.oddities),
        unlisted_findings_phrase="of the last kinds",
        no_findings_message="All of them are in the text as they are in the file." if located_count else "",
        key="chunks_found",
    )


def _chunk_file_oddity_data(document: Document, oddity: Oddity) -> FindingData:
    return {
        "id": "",
        "title": f"Chunk {oddity.number:,}: {_LOCATED_CHUNK_ODDITY_TITLES[oddity.kind][0]}",
        "reason": oddity.explanation,
        "passage": oddity.text_beginning or document.text[oddity.span.start : oddity.span.end][:MOST_SHOWN_CHARACTERS],
        "range": find_sentence_range_at_characters(document, oddity.span.start, oddity.span.end),
    }


def _offer_text_rebuilt_from_chunks(
    choices: Choices, chunk_file: ChunkFile, current_document: Document, located_chunks: LocatedChunks | None
) -> None:
    """Offer to open the text that the chunks make up, if it is complete and not the current text."""
    if located_chunks is not None and len(located_chunks.chunking.chunks) == located_chunks.given_chunk_count:
        return
    chunked_text = chunk_file.rebuild_document_text(current_document.name)
    if chunked_text is None or chunked_text == current_document.text:
        return

    def open_chunked_text() -> None:
        text_name = chunk_file.document or (
            chunk_file.document_names_in_file[0] if len(chunk_file.document_names_in_file) == 1 else chunk_file.name
        )
        set_own_text_and_boundaries(
            TextWithDetails(chunked_text, text_name, None, f"put together from the chunks of {chunk_file.name}")
        )
        session.outside_text_count += 1
        choose_document(choices, OWN_DOCUMENT_KEY)

    st.button(
        "Open chunked text",
        key="open_chunks_text",
        on_click=open_chunked_text,
        help="The chunks cover a whole text, except for white space between them, which is filled in.",
    )


CHUNK_FILE_CHUNKER_NAME = YourChunks.name

OWN_CUTS_CAPTION = (
    "“Cut it yourself”, below the strips on Compare, makes and changes these cuts. They are of one text; the link has them, "
    "without the text."
)

CHUNKERS_FOR_ADDED_COLUMNS = (
    "recursive",
    "structure",
    "optimal",
    "change_point",
    "fixed_sentences",
    "breakpoint",
    "double_pass",
)
"""Chunkers for added columns, in order of preference."""

CHARACTERS_PER_CHOICE_BOX = 26
"""Characters of a name that fit into the side bar's boxes."""


def column_controls(
    choices: Choices,
    chunker: Chunker | None,
    embedder: Embedder | None,
    *,
    offers_external_chunks: bool = False,
    document_names_to_measure: Sequence[str] | None = None,
    shows_language_model: bool | None = None,
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
    offers_external_chunks
        True if the page can show external chunks.
    document_names_to_measure
        The names of the page's documents; None on a page about one text.
    shows_language_model
        True to draw the form for the language model; None to draw it if any column's chunker calls one.
    """
    _draw_column_selector_and_buttons(choices, offers_external_chunks=offers_external_chunks)
    column_choice = choices.columns[choices.selected]
    # Keep the chunker of a column from another page, even if this page does not offer it.
    given_chunks_chunker_names = [
        name for name in GIVEN_CHUNKS_CLASS_BY_NAME if offers_external_chunks or name == column_choice.chunker
    ]
    _draw_chunker_choice(
        choices, column_choice, [*CHUNKERS, *MODEL_ASKING_CLASS_BY_NAME, *ADAPTERS, *given_chunks_chunker_names]
    )
    shows_model_form = (
        any_chunker_calls_model(any_column.chunker for any_column in choices.columns)
        if shows_language_model is None
        else shows_language_model
    )
    # If the selected column needs the form, it comes first, since the settings have no effect without a model.
    if shows_model_form and column_choice.chunker in MODEL_ASKING_CLASS_BY_NAME:
        draw_language_model_form()
    if column_choice.chunker not in GIVEN_CHUNKS_CLASS_BY_NAME:
        draw_parameter_controls(
            choices.selected, column_choice, chunker, chunker_defaults_of_embedder(embedder, column_choice.chunker)
        )
    elif column_choice.chunker == YourCuts.name:
        st.caption(OWN_CUTS_CAPTION)
    elif offers_external_chunks:
        chunk_file_controls(choices, choices.selected, column_choice, document_names_to_measure)
    if shows_model_form and column_choice.chunker not in MODEL_ASKING_CLASS_BY_NAME:
        draw_language_model_form()


def draw_parameter_controls(
    column_index: int,
    column: ColumnChoice,
    chunker: Chunker | None,
    defaults: Mapping[str, Any],
    draw_below_parameter: Callable[[FieldSpec], None] | None = None,
) -> None:
    """Draw the presets and parameters of column ``column_index``, with the embedder's ``defaults``.

    ``draw_below_parameter`` is called after each main parameter, to draw something under it. The other parameters are in
    an expander.
    """
    _choose_preset(column_index, column, defaults)
    parameter_values = effective_parameters(column, defaults)
    parameter_specs = chunker_class(column.chunker).fields(parameter_values)
    for parameter_spec in parameter_specs:
        if parameter_spec.main:
            _draw_widget_storing_parameter(
                column_index, column, parameter_spec, parameter_values[parameter_spec.name], chunker
            )
            if chunker is not None and (parameter_remark := chunker.remark(parameter_spec.name)):
                st.caption(parameter_remark)
            if draw_below_parameter is not None:
                draw_below_parameter(parameter_spec)
    if secondary_parameter_specs := [spec for spec in parameter_specs if not spec.main]:
        with st.expander(
            "More settings", expanded=any(spec.name in column.parameters for spec in secondary_parameter_specs)
        ):
            for parameter_spec in secondary_parameter_specs:
                _draw_widget_storing_parameter(
                    column_index, column, parameter_spec, parameter_values[parameter_spec.name], chunker
                )
    if column.chunker in MODEL_ASKING_CLASS_BY_NAME:
        show_chunker_prompts(column.chunker)


def _draw_column_selector_and_buttons(choices: Choices, *, offers_external_chunks: bool) -> None:
    chunker_column_count, current_session_page = len(choices.columns), session.page

    def set_selected_column(column_number: int | None) -> None:
        session.chunk_complaint = ""
        if column_number is not None:
            choices.selected = column_number

    def add_column(chunker_name: str) -> None:
        session.chunk_complaint = ""
        with record_columns_for_undo(current_session_page, f"Column {chunker_column_count + 1} added"):
            choices.columns.append(ColumnChoice(chunker_name))
            choices.selected = chunker_column_count

    def remove_selected_column() -> None:
        with record_columns_for_undo(current_session_page, f"Column {choices.selected + 1} removed"):
            choices.columns.pop(choices.selected)
            choices.selected = min(choices.selected, len(choices.columns) - 1)

    st.segmented_control(
        "Column",
        range(chunker_column_count),
        default=choices.selected,
        format_func=lambda index: str(index + 1),
        required=True,
        **build_widget_key_and_callback(choices.selected, "column", set_selected_column),
    )
    add_and_remove_buttons_row = st.container(horizontal=True, gap="small", key="column_buttons")
    has_maximum_columns = chunker_column_count >= MOST_COLUMNS
    add_and_remove_buttons_row.button(
        "Add",
        on_click=add_column,
        args=(_first_unused_chunker_name(choices.columns),),
        disabled=has_maximum_columns,
        help=f"Adds a column, up to {MOST_COLUMNS}.",
    )
    add_and_remove_buttons_row.button(
        "Remove", on_click=remove_selected_column, disabled=chunker_column_count <= 1, help="Removes the selected column."
    )
    if offers_external_chunks:
        add_and_remove_buttons_row.button(
            "Your chunks",
            on_click=add_column,
            args=(CHUNK_FILE_CHUNKER_NAME,),
            disabled=has_maximum_columns,
            help="Adds a column with the chunks of a file, made by anything: LangChain, LlamaIndex, your own code.",
        )
    offer_undo(current_session_page)


def _first_unused_chunker_name(columns: Sequence[ColumnChoice]) -> str:
    """Return the chunker for a new column: the first of `CHUNKERS_FOR_ADDED_COLUMNS` not in use, otherwise Recursive."""
    used_chunker_names = {column.chunker for column in columns}
    return next(
        (name for name in CHUNKERS_FOR_ADDED_COLUMNS if name not in used_chunker_names), CHUNKERS_FOR_ADDED_COLUMNS[0]
    )


def _draw_chunker_choice(choices: Choices, column: ColumnChoice, names: list[str]) -> None:
    current_page_key = session.page

    def replace_chunker_of_column(name: str) -> None:
        default_column_choice = new_default_column(name)
        with record_columns_for_undo(current_page_key, f"Chunker of column {choices.selected + 1} changed"):
            column.chunker, column.parameters = default_column_choice.chunker, default_column_choice.parameters

    chunker_type = chunker_class(column.chunker)
    st.selectbox(
        "Chunker",
        names,
        index=names.index(column.chunker),
        format_func=lambda name: label_with_availability("chunker", name, chunker_class(name).title),
        help=f"{chunker_type.idea} Source: {chunker_type.source}. {guide_link_markdown(column.chunker)}",
        **build_widget_key_and_callback(column.chunker, f"chunker/{choices.selected}", replace_chunker_of_column),
    )
    for fault_number, plugin_fault in enumerate(register_installed_chunkers()):
        show_remark(plugin_fault, key=f"offer_{fault_number}")


def guide_link_markdown(chunker_name: str) -> str:
    """Return a Markdown link to the chunker's explanation in the Guide; empty if there is none."""
    if chunker_name not in CHUNKERS and chunker_name not in MODEL_ASKING_CLASS_BY_NAME:
        return ""
    return f"[More in the Guide](guide?{urlencode(link_parameters_of_chunker(chunker_name))})"


def _choose_preset(column_index: int, column: ColumnChoice, embedder_defaults: Mapping[str, Any]) -> None:
    preset_by_title = {preset.title: preset for preset in presets_for_chunker(column.chunker)}
    if not preset_by_title:
        return
    effective_parameter_values = effective_parameters(column, embedder_defaults)
    active_preset_title = next(
        (
            title
            for title, preset in preset_by_title.items()
            if all(
                effective_parameter_values[name] == preset.parameters.get(name, embedder_defaults.get(name, spec.default))
                for name, spec in {s.name: s for s in chunker_class(column.chunker).fields(preset.parameters)}.items()
            )
        ),
        None,
    )
    current_session_page, column_chunker_name = session.page, column.chunker

    def apply_preset(title: str | None) -> None:
        # The same browser message may have changed the chunker.
        if title is not None and column.chunker == column_chunker_name:
            with record_columns_for_undo(current_session_page, f"Settings of column {column_index + 1} replaced"):
                column.parameters = dict(preset_by_title[title].parameters)

    st.selectbox(
        "Settings preset",
        list(preset_by_title),
        index=None if active_preset_title is None else list(preset_by_title).index(active_preset_title),
        placeholder="your own",
        **build_widget_key_and_callback(active_preset_title, f"preset/{column_index}/{column_chunker_name}", apply_preset),
    )
    if active_preset_title is not None:
        # The box truncates long names.
        untruncated_preset_title = f"{active_preset_title}." if len(active_preset_title) > CHARACTERS_PER_CHOICE_BOX else ""
        if preset_caption := " ".join(filter(None, (untruncated_preset_title, preset_by_title[active_preset_title].note))):
            st.caption(preset_caption)


def _draw_widget_storing_parameter(
    column_index: int, column: ColumnChoice, parameter_spec: FieldSpec, value: Any, chunker: Chunker | None
) -> None:
    """Draw the widget of a parameter, greyed out if it has no effect with the other parameters of the chunker."""
    widget_key = _parameter_widget_key(column_index, column, parameter_spec)
    parameter_label = (
        f"{parameter_spec.title}, {parameter_spec.unit}"
        if parameter_spec.unit and parameter_spec.unit not in parameter_spec.title.lower()
        else parameter_spec.title
    )

    def store_parameter(new_value: Any) -> None:
        # The same browser message may have changed the chunker, or the parameter on which this one depends.
        if widget_key != _parameter_widget_key(column_index, column, parameter_spec):
            return
        column.set_valid_parameter(parameter_spec.name, new_value)
        # An amount is meaningless for another threshold method.
        for dependent_parameter_spec in chunker_class(column.chunker).fields():
            if dependent_parameter_spec.depends == parameter_spec.name:
                column.parameters.pop(dependent_parameter_spec.name, None)

    help_text = f"{parameter_spec.help} {guide_link_markdown(column.chunker)}".strip()
    common_options = {
        "disabled": chunker is not None and parameter_spec.name in chunker.idle(),
        "help": help_text or None,
        **build_widget_key_and_callback(value, widget_key, store_parameter),
    }
    int_or_float_class = int if parameter_spec.kind == "integer" else float
    if parameter_spec.kind == "choice" and parameter_spec.ordered:
        st.select_slider(parameter_label, parameter_spec.choices, value, **common_options)
    elif parameter_spec.kind == "choice":
        st.selectbox(
            parameter_label,
            parameter_spec.choices,
            index=parameter_spec.choices.index(value),
            format_func=lambda word: word.replace("_", " "),
            **common_options,
        )
    elif parameter_spec.optional:
        lowest_value, highest_value = (
            None if limit is None else int_or_float_class(limit) for limit in (parameter_spec.low, parameter_spec.high)
        )
        st.number_input(
            parameter_label,
            lowest_value,
            highest_value,
            value=value,
            step=int_or_float_class(parameter_spec.step or 1),
            placeholder="none",
            **common_options,
        )
    else:
        value = int_or_float_class(value)
        slider_minimum, slider_end = (
            int_or_float_class(limit)
            for limit in parameter_spec.offered or (parameter_spec.low, parameter_spec.high)
            if limit is not None
        )
        st.slider(
            parameter_label,
            min(slider_minimum, value),
            max(slider_end, value),
            value,
            step=int_or_float_class(parameter_spec.step or 1),
            format="%d" if int_or_float_class is int else "%g",
            **common_options,
        )


def _parameter_widget_key(column_index: int, column: ColumnChoice, parameter_spec: FieldSpec) -> str:
    """Return the key of a parameter's widget, unique to the chunker."""
    dependency_suffix = f"/{column.parameters.get(parameter_spec.depends)}" if parameter_spec.depends else ""
    return f"{column_index}/{column.chunker}/{parameter_spec.name}{dependency_suffix}"
