"""Views that open below the text of Compare on request: scores, sizes, gaps, source file, code, downloads and more."""

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunkers import Chunker, Chunking, Document, Embedder, InputError, Recipe, build_chunker, load_tokenizer
from chunkers.language_models import LanguageModel
from chunkers.recipes import ledger_to_csv, to_csv, to_json, to_jsonl, to_parquet
from chunkers.results import EMBEDDED_AS_LABELS, EmbeddedAs, Proposition, check_embedded_as_option
from evaluation.retrieval.asked_question import has_model_written_texts
from evaluation.segmentation import count_sentences_of_each_chunk
from integrations.original_chunkers import (
    Original,
    chunk_equality_and_first_difference,
    original_chunker_for_recipe,
    run_original_chunker,
)
from integrations.recipe_code import EXAMPLE_FILE, REQUIREMENT_BY_TOOL, TITLE_BY_TOOL, Tool, recipe_code_for_tool
from viz.compare.choices_and_session.choices import COMPARE_PAGE
from viz.compare.choices_and_session.session import session
from viz.compare.extracted_and_omitted_text import show_extracted_text
from viz.compare.questions.marked_questions import draw_stored_questions_across_texts
from viz.compare.questions.question_search import chunkings_with_contexts, show_context_sentence_controls
from viz.compare.scores.index_replacement import show_index_changes_and_cost
from viz.compare.scores.scoreboard import show_label_free_measures, show_ranking, show_scoreboard
from viz.components.browser_exchange import Component, Data
from viz.components.figure import box_plots, show_figure_with_its_data
from viz.components.page_elements import show_download_button, show_notice
from viz.controls import build_widget_key_and_callback, draw_button_and_return_press
from viz.jobs import cached_sentence_vectors_or_none
from viz.shell import ColumnResult, compare_is_full
from viz.state import (
    Choices,
    ColumnChoice,
    TextWithDetails,
    access_to_chosen_language_model,
    questions_in_stored_form,
    record_columns_for_undo,
    session_file,
)

_view_scroll_component = Component[Data]("seamark_arrival", "compare/scroll_to_view.js", html='<div class="arrival"></div>')


def draw_view_selector_and_view(
    choices: Choices, column_results: list[ColumnResult], text_with_details: TextWithDetails, embedder: Embedder | None
) -> None:
    """Draw the control that selects a view below the text, and the selected view."""
    numbered_finished_chunkings = [
        (number, column.chunking) for number, column in enumerate(column_results) if column.chunking is not None
    ]
    if not numbered_finished_chunkings:
        return
    draw_by_view: dict[str, Callable[[], None]] = {
        "Scores": lambda: show_scoreboard(choices, column_results, text_with_details.known, embedder),
        "Which is best?": lambda: show_ranking(
            choices, column_results, numbered_finished_chunkings[0][1].document, text_with_details.known, embedder
        ),
        "Without labels": lambda: show_label_free_measures(
            choices, column_results, numbered_finished_chunkings[0][1].document, embedder
        ),
        **(
            {
                "Diff": lambda: show_index_changes_and_cost(
                    choices, column_results, text_with_details, numbered_finished_chunkings[0][1].document, embedder
                )
            }
            if len(column_results) > 1
            else {}
        ),
        "Chunk sizes": lambda: _show_chunk_sizes(column_results, numbered_finished_chunkings, choices.tokenizer),
        "Every gap": lambda: _show_gap_table(column_results[choices.selected]),
        **(
            {"Propositions": lambda: show_propositions(column_results[choices.selected].chunking)}
            if any(has_model_written_texts(chunking) for _, chunking in numbered_finished_chunkings)
            else {}
        ),
        "Parsing": lambda: show_extracted_text(text_with_details),
        "Code": lambda: show_reproducing_code(choices, column_results, embedder),
        "Questions": draw_stored_questions_across_texts,
        "Downloads": lambda: _show_downloads(choices, column_results, text_with_details, embedder),
    }
    if session.requested_view in draw_by_view:
        st.session_state["below"] = session.requested_view
    session.requested_view = ""
    requested_view_name = st.segmented_control(
        "View below text", list(draw_by_view), key="below", label_visibility="collapsed"
    )
    if requested_view_name is not None:
        with st.container(key="below_view"):
            # Scrolls the page to this container, once each time the user opens the view.
            _view_scroll_component(key="store_arrival", data={"view": requested_view_name}, height=0)
            draw_by_view[requested_view_name]()


def _show_gap_table(column_result: ColumnResult) -> None:
    if column_result.chunking is not None:
        st.dataframe(_build_gap_table(column_result.chunking), hide_index=True, width="stretch", height=420, placeholder="")


def _show_downloads(
    choices: Choices, column_results: list[ColumnResult], text_with_details: TextWithDetails, embedder: Embedder | None
) -> None:
    if selected_finished_column := column_results[choices.selected].finished_column_or_none:
        _offer_column_files(
            choices, column_results, selected_finished_column.chunker, selected_finished_column.chunking, embedder
        )
        _offer_session_file(choices, column_results, text_with_details, embedder)


def _offer_session_file(
    choices: Choices, column_results: list[ColumnResult], text_with_details: TextWithDetails, embedder: Embedder | None
) -> None:
    """Draw the download button of the session file, if every column has a result."""
    embedded_text_kind = session.embedded_as
    chunkers_and_chunkings = [
        (finished.chunker, finished.chunking) for column in column_results if (finished := column.finished_column_or_none)
    ]
    if len(chunkers_and_chunkings) == len(column_results):
        recipe_language_model = _language_model_for_recipes()
        column_recipes = [_column_recipe(chunker, choices, embedder) for chunker, _ in chunkers_and_chunkings]
        stored_text_questions = questions_in_stored_form(text_with_details.text)
        download_buttons_row = st.container(horizontal=True)
        show_download_button(
            download_buttons_row,
            "The whole session, with its text",
            lambda: session_file.session_file_json(
                text_with_details,
                choices,
                chunkers_and_chunkings,
                embedder,
                embedded_text_kind,
                recipe_language_model,
                stored_text_questions,
            ),
            "seamark-session.json",
            "application/json",
            (text_with_details, choices.selected, column_recipes, stored_text_questions),
            help="Text, known boundaries, questions, and the recipe and chunks of every column; upload it to continue.",
        )
        offer_report(download_buttons_row, choices, chunkers_and_chunkings, text_with_details, embedder)


def _show_chunk_sizes(
    column_results: list[ColumnResult], numbered_chunkings: list[tuple[int, Chunking]], tokenizer: str
) -> None:
    """Draw the sizes of the chunks of every column."""
    size_unit_names = ["sentences", "tokens", "characters"]
    size_unit = str(st.segmented_control("Size unit", size_unit_names, default="sentences", key="size_unit", required=True))
    try:
        sizes_by_chunker = {
            f"{number + 1} {column_results[number].title}": _chunk_lengths_in_unit(chunking, size_unit, tokenizer)
            for number, chunking in numbered_chunkings
        }
    except InputError as error:
        show_notice(str(error), "error", key="sizes_error")
        return
    chunker_size_pairs = [(name, size) for name, among in sizes_by_chunker.items() for size in among]
    table: dict[str, list[str] | list[int]] = {
        "chunker": [name for name, _ in chunker_size_pairs],
        size_unit: [size for _, size in chunker_size_pairs],
    }
    figure = box_plots(
        dict(enumerate(sizes_by_chunker)),
        dict(enumerate(sizes_by_chunker.values())),
        f"%{{x}} {size_unit}",
        {"title": f"{size_unit} per chunk", "rangemode": "tozero"},
        most_values_shown_as_points=500,
    )
    show_figure_with_its_data(figure, table, "Chunk sizes", key="sizes")


def _chunk_lengths_in_unit(chunking: Chunking, unit: str, tokenizer: str) -> Sequence[int]:
    """Return the length of every chunk; raises InputError if the tokenizer's files are missing."""
    if unit == "sentences":
        return count_sentences_of_each_chunk(chunking)
    return load_tokenizer("characters" if unit == "characters" else tokenizer).count(
        [chunk.text for chunk in chunking.chunks]
    )


def _column_recipe(chunker: Chunker, choices: Choices, embedder: Embedder | None) -> Recipe:
    """Return the recipe of a column, with the embedded text and the language model that the session has now."""
    return Recipe.of(
        chunker, choices.sentences, embedder, choices.tokenizer, session.embedded_as, _language_model_for_recipes()
    )


def _language_model_for_recipes() -> LanguageModel | None:
    """Return the session's language model, for recipes of chunkers that call one."""
    chosen_language_model = access_to_chosen_language_model()
    return None if chosen_language_model is None else chosen_language_model.model


def _build_gap_table(chunking: Chunking) -> dict[str, list[object]]:
    document_sentence_texts = chunking.document.sentence_texts
    table: dict[str, list[object]] = {
        "after sentence": [gap.index + 1 for gap in chunking.gaps],
        "verdict": [str(gap.verdict) for gap in chunking.gaps],
        "score": [gap.score for gap in chunking.gaps],
        "threshold": [gap.threshold for gap in chunking.gaps],
        "reason": [gap.reason for gap in chunking.gaps],
        "sentence": [document_sentence_texts[gap.index] for gap in chunking.gaps],
    }
    # Some chunkers have no scores, others no threshold.
    return {name: values for name, values in table.items() if not values or any(value is not None for value in values)}


def _choose_embedded_text() -> EmbeddedAs:
    """Draw the choice of the text to embed in files of chunks, which a recipe records, and return it."""

    def set_embedded_text(embedded_text_kind: str) -> None:
        session.embedded_as = check_embedded_as_option(embedded_text_kind)

    st.segmented_control(
        "Embedded text",
        list(EMBEDDED_AS_LABELS),
        default=session.embedded_as,
        format_func=EMBEDDED_AS_LABELS.__getitem__,
        required=True,
        help="With the heading path, or with a language model’s sentence on its place in the text, every chunk also has the "
        "text to embed: first these, then its own text. “Ask your text” searches that too, by embedding and by words.",
        **build_widget_key_and_callback(session.embedded_as, "embedded_as", set_embedded_text),
    )
    return session.embedded_as


def _offer_column_files(
    choices: Choices,
    column_results: list[ColumnResult],
    chunker: Chunker,
    plain_chunking: Chunking,
    embedder: Embedder | None,
) -> None:
    embedded_text_kind = _choose_embedded_text()
    chunking, are_contexts_written = plain_chunking, True
    if embedded_text_kind == "context":
        show_context_sentence_controls(choices, column_results)
        contextual_chunking_by_column = chunkings_with_contexts(column_results)
        chunking, are_contexts_written = (
            contextual_chunking_by_column.get(choices.selected, plain_chunking),
            choices.selected in contextual_chunking_by_column,
        )
    column_recipe = _column_recipe(chunker, choices, embedder)
    file_stem = f"seamark-{chunker.name}"
    chunk_file_downloads: tuple[tuple[str, str, str, Callable[[], str | bytes]], ...] = (
        ("Chunks, JSON", f"{file_stem}.json", "application/json", lambda: to_json(chunking, column_recipe)),
        ("Chunks, JSON lines", f"{file_stem}.jsonl", "application/jsonl", lambda: to_jsonl(chunking, embedded_text_kind)),
        ("Chunks, CSV", f"{file_stem}.csv", "text/csv", lambda: to_csv(chunking, embedded_text_kind)),
        (
            "Chunks, Parquet",
            f"{file_stem}.parquet",
            "application/vnd.apache.parquet",
            lambda: to_parquet(chunking, embedded_text_kind),
        ),
    )
    offered_downloads: tuple[tuple[str, str, str, Callable[[], str | bytes]], ...] = (
        *(chunk_file_downloads if are_contexts_written else ()),
        ("Every gap, CSV", f"{file_stem}-gaps.csv", "text/csv", lambda: ledger_to_csv(chunking)),
        *(() if chunker.elsewhere else (("Recipe", f"{file_stem}.recipe.json", "application/json", column_recipe.to_json),)),
    )
    reproduction_phrase = (
        "These chunks were made elsewhere, so no recipe reproduces them. The session file contains them."
        if chunker.elsewhere
        else "Reproduces the chunks: seamark chunk FILE --chunker RECIPE"
    )
    download_waits_for_contexts_phrase = (
        "" if are_contexts_written else " Its chunks can be downloaded once their context sentences are written."
    )
    st.caption(
        f"These are the files of column {choices.selected + 1}.{download_waits_for_contexts_phrase} {reproduction_phrase}"
    )
    download_buttons_row = st.container(horizontal=True)
    for label, file_name, mime_type, make_content in offered_downloads:
        show_download_button(
            download_buttons_row,
            label,
            make_content,
            file_name,
            mime_type,
            (chunking.document.identity, chunking.document.name, column_recipe),
        )


# The table of a text's propositions, each with its chunk and its source.


def show_propositions(chunking: Chunking | None) -> None:
    """Draw the table of a result's propositions, or a message if it has none."""
    if chunking is None or not has_model_written_texts(chunking):
        show_notice(
            "This column has no propositions. Select a column whose chunker writes propositions.", key="no_propositions"
        )
        return
    st.dataframe(proposition_table(chunking), hide_index=True, width="stretch", height=420, placeholder="")


def proposition_table(chunking: Chunking) -> dict[str, list[object]]:
    """Return a table of the propositions by chunk and position, followed by the propositions that are in no chunk."""
    propositions_with_chunk_titles: list[tuple[int | None, str, Proposition]] = [
        (number, chunk.stated.title, proposition)
        for number, chunk in enumerate(chunking.chunks, start=1)
        if chunk.stated is not None
        for proposition in chunk.stated.propositions
    ]
    propositions_with_chunk_titles += [(None, "", proposition) for proposition in chunking.left_out]
    document = chunking.document
    return {
        "chunk": [number for number, _, _ in propositions_with_chunk_titles],
        "title": [title for _, title, _ in propositions_with_chunk_titles],
        "proposition": [proposition.text for _, _, proposition in propositions_with_chunk_titles],
        "sentence": [
            _proposition_sentence_numbers_phrase(document, proposition)
            for _, _, proposition in propositions_with_chunk_titles
        ],
        "source": [
            proposition.quotation if proposition.span is None else document.text[slice(*proposition.span)]
            for _, _, proposition in propositions_with_chunk_titles
        ],
        "remark": [proposition.remark_on_source_match for _, _, proposition in propositions_with_chunk_titles],
    }


def _proposition_sentence_numbers_phrase(document: Document, proposition: Proposition) -> str:
    """Return the number of the sentence that a proposition comes from, or the first and the last of several."""
    if proposition.span is None:
        return "" if proposition.sentence is None else f"{proposition.sentence + 1} (as the model says)"
    first_sentence_number, last_sentence_number = (
        document.sentence_at(proposition.span.start) + 1,
        document.sentence_at(proposition.span.end - 1) + 1,
    )
    return (
        f"{first_sentence_number}"
        if first_sentence_number == last_sentence_number
        else f"{first_sentence_number} to {last_sentence_number}"
    )


# The report: the comparison as one HTML file to share.


def offer_report(
    page_container: DeltaGenerator,
    choices: Choices,
    chunkers_and_chunkings: Sequence[tuple[Chunker, Chunking]],
    text_with_details: TextWithDetails,
    embedder: Embedder | None,
) -> None:
    """Draw the report's download button in ``page_container``; the report is built on click."""
    document, uses_disk_cache = chunkers_and_chunkings[0][1].document, session.keeps_embeddings_on_disk
    document_questions = [question for question in session.questions if question.identity == document.identity]

    def build_html_report() -> str:
        # Only the user who asks for a report waits for these modules, not the first page.
        from evaluation.report.html_page import ComparedColumns, html_report

        # A report embeds nothing; it uses cached vectors only.
        document_sentence_vectors = cached_sentence_vectors_or_none(document, embedder, choices.tokenizer, uses_disk_cache)
        return html_report(
            ComparedColumns(
                document,
                chunkers_and_chunkings,
                text_with_details.known,
                embedder,
                choices.tokenizer,
                document_sentence_vectors,
                document_questions,
            )
        )

    show_download_button(
        page_container,
        "The comparison as a report, HTML",
        build_html_report,
        "seamark-report.html",
        "text/html",
        (
            document.identity,
            document.name,
            text_with_details.known,
            [(chunker.name, chunker) for chunker, _ in chunkers_and_chunkings],
            choices.tokenizer,
            document_questions,
        ),
        help="Text, chunks, curves, questions, measures and verdicts in one file that opens offline and can be shared.",
    )


# The Code view: a column as code for other libraries, and their own chunkers with the same settings.


_ORIGINAL_RESULT_LABEL = "Result of the original"


def show_reproducing_code(choices: Choices, column_results: Sequence[ColumnResult], embedder: Embedder | None) -> None:
    """Draw the code that reproduces the selected column's cuts."""
    selected_result = column_results[choices.selected]
    if selected_result.chunking is None or selected_result.chunker is None:
        return
    if selected_result.chunker.elsewhere:
        show_notice("These chunks were made elsewhere, so there is no code for them.", key="no_code")
        return
    selected_column_recipe = _column_recipe(selected_result.chunker, choices, embedder)
    code_target: Tool = st.segmented_control(
        "Code target",
        list(TITLE_BY_TOOL),
        default="langchain",
        format_func=TITLE_BY_TOOL.__getitem__,
        key="code_for",
        required=True,
    )
    is_command_line = code_target == "command_line"
    output_phrase = "prints JSON" if is_command_line else "stores the chunks' texts in `chunks`"
    exactness_phrase = "if the language model gives the same answers" if selected_result.chunker.asks else "exactly"
    requirements_phrase = (
        f"Seamark and the package `{REQUIREMENT_BY_TOOL[code_target]}`"
        if code_target in REQUIREMENT_BY_TOOL
        else "only Seamark"
    )
    st.caption(
        f"This code reproduces the chunks of column {choices.selected + 1} {exactness_phrase}. It reads the text from "
        f"`{EXAMPLE_FILE}` (UTF-8), {output_phrase}, and needs {requirements_phrase}."
    )
    st.code(recipe_code_for_tool(code_target, selected_column_recipe), language="bash" if is_command_line else "python")
    original_library_chunker = original_chunker_for_recipe(code_target, selected_column_recipe)
    if original_library_chunker is not None:
        st.caption(
            f"{original_library_chunker.name} itself, set up to do the same. {original_library_chunker.remark}".strip()
            + f" It takes `pip install {original_library_chunker.requirement}`."
        )
        st.code(str(original_library_chunker.program), language="python")
        if original_library_chunker.adapter_and_parameters is None:
            _offer_to_run_original(original_library_chunker, selected_result.chunking, selected_column_recipe)
        else:
            _offer_original_column(
                original_library_chunker, original_library_chunker.adapter_and_parameters, choices, column_results
            )


def _offer_to_run_original(original_chunker: Original, seamark_chunking: Chunking, recipe: Recipe) -> None:
    """Draw the button that runs the library's chunker on the text, or the result of the run."""
    result_key = f"{seamark_chunking.document.identity}/{recipe.model_dump_json()}/{original_chunker.name}"
    run_button_placeholder = st.empty()
    if session.original_comparison is None or session.original_comparison[0] != result_key:
        if not draw_button_and_return_press(run_button_placeholder, "Run original library", "run_original"):
            return
        try:
            original_chunks = run_original_chunker(original_chunker, seamark_chunking.document.text)
            result_message, tone = (
                f"{_ORIGINAL_RESULT_LABEL}: {chunk_equality_and_first_difference(seamark_chunking, original_chunks)[1]}.",
                "info",
            )
        except InputError as error:
            result_message, tone = str(error), "error"
        session.original_comparison = (result_key, result_message, tone)
        run_button_placeholder.empty()
    _, result_message, tone = session.original_comparison
    show_notice(result_message, tone, key="proof_result")


def _offer_original_column(
    original_chunker: Original,
    original_chunker_setting: tuple[str, dict[str, object]],
    choices: Choices,
    column_results: Sequence[ColumnResult],
) -> None:
    """Draw the result of the column that runs the library's chunker, or the button that adds one."""
    original_chunker_name, original_chunker_parameters = original_chunker_setting
    original_column_chunker = build_chunker(original_chunker_name, original_chunker_parameters)
    selected_column = column_results[choices.selected]
    if selected_column.chunker == original_column_chunker:
        show_notice(f"This column runs {original_chunker.name}.", key="proof_result")
        return
    original_column_number, existing_original_column = next(
        ((at, other) for at, other in enumerate(column_results, start=1) if other.chunker == original_column_chunker),
        (0, None),
    )
    if existing_original_column is None:

        def add_original_column() -> None:
            with record_columns_for_undo(COMPARE_PAGE, f"Column {len(choices.columns) + 1} added"):
                choices.columns.append(ColumnChoice(original_chunker_name, dict(original_column_chunker.model_dump())))

        is_compare_full = compare_is_full()
        button_help = (
            "Compare has the maximum number of columns; remove one first."
            if is_compare_full
            else "Adds a column that runs the original with the same embeddings."
        )
        st.button(
            "Add as column", key="add_original", on_click=add_original_column, disabled=is_compare_full, help=button_help
        )
    elif existing_original_column.chunking is not None and selected_column.chunking is not None:
        show_notice(
            f"{_ORIGINAL_RESULT_LABEL}, column {original_column_number}: "
            f"{chunk_equality_and_first_difference(selected_column.chunking, existing_original_column.chunking)[1]}.",
            key="proof_result",
        )
    else:
        notice_tone = "error" if existing_original_column.error else "info"
        show_notice(
            existing_original_column.error or f"The original is running in column {original_column_number}.",
            notice_tone,
            key="proof_result",
        )
