"""The Guide page: chunks in four pictures, a path in ten screens, advice, and each chunker's formula and known failure."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from chunkers import CHUNKERS, MODEL_ASKING_CLASS_BY_NAME, Chunker, Chunking, InputError
from chunkers.recipes import MAXIMUM_SIZE_PARAMETERS, chunker_class
from chunkers.support import format_number, pluralize
from evaluation.retrieval.asked_question import MOST_QUESTION_CHARACTERS
from evaluation.segmentation import count_found_missed_added, cut_offsets
from sample_docs import sample_splitters
from viz.components.page_elements import show_heading, show_notice
from viz.controls import (
    any_chunker_calls_model,
    build_widget_key_and_callback,
    draw_language_model_form,
    draw_parameter_controls,
)
from viz.guide.chunker_pictures import EXAMPLE_BY_CHUNKER, bundled_model_tools, pictures_of_chunker
from viz.guide.introduction import SENTENCE_PER_CHUNK_COLUMN, show_introduction
from viz.guide.path_screens import SCREENS, Choice, Slide, working_repairs
from viz.guide.pictures import new_picture, show_pictures
from viz.guide.session import session
from viz.guide.small_chunking_picture import miniature_description, miniature_height, miniature_svg
from viz.shell import (
    ColumnResult,
    Page,
    add_column_to_compare,
    column_index_on_compare,
    columns_to_open_with,
    draw_button_per_lecture,
    offer_to_add_column,
    open_page_at_next_run,
    run_columns_or_start_job,
    show_column_added_message,
    show_compare_column_number,
    show_misfit_warnings,
    show_progress_and_consents,
    side_by_side_columns,
    waiting_status_phrase,
)
from viz.shell.page import frame_page_and_write_link
from viz.state import (
    CHUNKER_NEEDS_PHRASE,
    Choices,
    ColumnChoice,
    PageText,
    chunker_defaults_of_embedder,
    main_page,
    missing_model_message,
    new_default_column,
    no_model_message,
)
from viz.theme import ANSWER_TERMS, definitions_as_help, known_boundary_count_phrase, split_at_glossary_terms

# Advice on the chunker to try for a kind of text, based on measurements in `benchmarks/README.md`.


class Advice(NamedTuple):
    """A kind of text, the chunker to try first, its settings in words, and the reason."""

    text: str
    chunker: str
    parameters: Mapping[str, Any]
    settings: str
    why: str

    @property
    def advised_column_choice(self) -> ColumnChoice:
        """A column's settings: the advised chunker with the advised parameters."""
        return ColumnChoice(self.chunker, dict(self.parameters))


CHUNKER_ADVICE_ROWS = (
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
        MAXIMUM_SIZE_PARAMETERS["change_point"],
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


def show_advice(go_to_chunker_explanation: Callable[[ColumnChoice], None]) -> None:
    """Draw the advice on chunkers; ``go_to_chunker_explanation`` gets the settings that the user wants explained."""
    st.markdown(
        "No chunker was significantly ahead of all others on our questions: all figures are in "
        "`benchmarks/README.md`. Start with one of these, then measure it on your own text with Compare and Retrieval."
    )
    for advice_number, advice in enumerate(CHUNKER_ADVICE_ROWS):
        chunker_title = chunker_class(advice.chunker).title
        with st.container(key=f"advice_{advice_number}", border=True):
            st.header(advice.text, anchor=False)
            st.markdown(f"Try **{chunker_title}**, {advice.settings}. {advice.why}")
            with st.container(horizontal=True):
                st.button(
                    f"Explain {chunker_title}",
                    key=f"explain_{advice_number}",
                    on_click=go_to_chunker_explanation,
                    args=(advice.advised_column_choice,),
                )
                offer_to_add_column("Add to Compare", advice.advised_column_choice, key=f"take_advice_{advice_number}")


PAGE_KEY = "guide"
FIRST_CHUNKER_NAME = "breakpoint"

VIEW_TITLE_BY_NAME = {"start": "In four pictures", "path": "In ten steps", "which": "Which chunker", "lectures": "Lectures"}
"""The views that are not about a single chunker: their names in the link, and their labels."""

CHUNKER_VIEW = "chunker"
"""The link's name for the view that explains a chunker."""

SCREEN_PARAMETER = "screen"
"""The link's parameter for the screen of the path, counted from 1."""

SCREEN_NUMBERS = [str(number) for number in range(1, len(SCREENS) + 1)]
"""The values of this parameter."""


def _find_explained_chunkers_by_name() -> dict[str, type[Chunker]]:
    """Return the chunkers that the page explains, including those of installed packages."""
    return {**CHUNKERS, **MODEL_ASKING_CLASS_BY_NAME}


def show() -> None:
    """Draw the Guide page."""
    sample_id, splitter_name = "stubs", sample_splitters()["stubs"]
    columns_from_compare = columns_to_open_with(PAGE_KEY, [_find_explained_chunkers_by_name()])
    # A link to a chunker opens its explanation; older links have no other view.
    default_link_parameters = {
        "view": CHUNKER_VIEW if "c1" in st.query_params else next(iter(VIEW_TITLE_BY_NAME)),
        SCREEN_PARAMETER: SCREEN_NUMBERS[0],
    }
    default_guide_choices = Choices(
        sample_id, splitter_name, [new_default_column(FIRST_CHUNKER_NAME)], extra=default_link_parameters
    )
    # The path has texts of its own.
    with frame_page_and_write_link(
        PAGE_KEY, default_guide_choices, about_a_text=lambda choices: choices.extra["view"] != "path"
    ) as current_page:
        choices = current_page.choices
        choices.columns = [*filter(None, columns_from_compare)] or choices.columns
        if choices.columns[0].chunker not in _find_explained_chunkers_by_name():
            choices.columns = [new_default_column(FIRST_CHUNKER_NAME)]
        current_page.replace_invalid_link_parameters(
            {"view": (CHUNKER_VIEW, *VIEW_TITLE_BY_NAME), SCREEN_PARAMETER: SCREEN_NUMBERS}
        )
        with current_page.controls:
            _draw_view_choice(choices)
        draw_function_by_view = {
            CHUNKER_VIEW: _draw_chunker_view,
            "start": _draw_introduction_view,
            "path": _draw_learning_path_view,
            "which": _draw_advice_view,
            "lectures": _draw_lectures_view,
        }
        draw_function_by_view[choices.extra["view"]](current_page)
        # The link names the view only if it does not follow from the other parameters.
        current_page.default.extra["view"] = (
            CHUNKER_VIEW if choices.columns != current_page.default.columns else next(iter(VIEW_TITLE_BY_NAME))
        )


def _draw_introduction_view(current_page: Page) -> None:
    """Draw the introduction in four pictures."""
    page_text, first_chunker_column = current_page.text, current_page.choices.columns[0]
    show_heading(page_text.source.name if page_text is not None else "Guide", key="guide_document")
    if page_text is None:
        return
    if _find_explained_chunkers_by_name()[first_chunker_column.chunker].asks:
        # Drawing these pictures sends nothing to any server.
        first_chunker_column = new_default_column(FIRST_CHUNKER_NAME)
    chunker_and_sentence_column_results = run_columns_or_start_job(
        current_page, page_text, [first_chunker_column, SENTENCE_PER_CHUNK_COLUMN]
    )
    show_progress_and_consents(chunker_and_sentence_column_results)
    show_misfit_warnings(current_page.choices, chunker_and_sentence_column_results[:1])
    chunker_type = _find_explained_chunkers_by_name()[first_chunker_column.chunker]
    if chunker_and_sentence_column_results[0].error or chunker_and_sentence_column_results[0].chunking is None:
        show_notice(
            chunker_and_sentence_column_results[0].error or waiting_status_phrase(calls_language_model=False),
            "error" if chunker_and_sentence_column_results[0].error else "info",
            key="guide_waits",
        )
    else:
        show_introduction(current_page, page_text, chunker_type, *chunker_and_sentence_column_results)
    with st.container(horizontal=True):
        st.button(
            f"How {chunker_type.title} decides",
            on_click=_open_view,
            args=(current_page.choices, CHUNKER_VIEW),
            key="guide_next",
        )
        st.button("Which chunker?", on_click=_open_view, args=(current_page.choices, "which"), key="guide_which")
        st.button("From the beginning", on_click=_open_view, args=(current_page.choices, "path"), key="guide_begin")


def _draw_learning_path_view(guide_page: Page) -> None:
    """Draw the path in ten screens."""
    show_heading("From a text to an answer", key="guide_document")
    show_path_screen(PAGE_KEY, guide_page.choices.extra, lambda: _open_view(guide_page.choices, "which"))


def _draw_advice_view(current_page: Page) -> None:
    """Draw the advice on which chunker to try."""
    show_heading("Which chunker should I try?", key="guide_document")

    def open_chunker_explanation(column: ColumnChoice) -> None:
        _set_guide_column(current_page.choices, column)
        _open_view(current_page.choices, CHUNKER_VIEW)

    show_advice(open_chunker_explanation)
    show_column_added_message()


def _draw_lectures_view(current_page: Page) -> None:
    """Draw the lectures that can be opened."""
    show_heading("Lectures", key="guide_document")
    st.markdown("A scene is the state of a page with words to say. Page Down leads through the scenes, in lecture mode.")
    draw_button_per_lecture("guide")


def _set_guide_column(choices: Choices, column: ColumnChoice) -> None:
    choices.columns = [column]
    # The choice may interrupt the page's first run, which has not yet taken the column of Compare.
    session.opening_columns.pop(PAGE_KEY, None)


def _open_view(choices: Choices, view_name: str) -> None:
    choices.extra["view"] = view_name


def _draw_chunker_view(current_page: Page) -> None:
    """Draw the explanation of a chunker."""
    page_text, column = current_page.text, current_page.choices.columns[0]
    chunker_type = _find_explained_chunkers_by_name()[column.chunker]
    column_result = (
        run_columns_or_start_job(current_page, page_text, [column])[0] if page_text is not None else ColumnResult(column)
    )
    st.header(chunker_type.title, anchor=False)
    st.markdown(f"{chunker_type.idea}  \n:gray[Source: {chunker_type.source}]")
    if column.chunker in EXAMPLE_BY_CHUNKER:
        show_pictures(pictures_of_chunker(column.chunker), "guide_frames", are_drawn_small=True)
    explanation_container, live_container = side_by_side_columns(PAGE_KEY, 3, 2, gap="large")
    with explanation_container:
        # Chunkers from other packages may lack these; the pictures include the failure.
        if chunker_type.formula:
            st.latex(chunker_type.formula, width="content")
        if chunker_type.symbols:
            st.caption(chunker_type.symbols)
        if chunker_type.failure and column.chunker not in EXAMPLE_BY_CHUNKER:
            st.markdown(f"**Known failure.** {chunker_type.failure}")
        with st.container(key="guide_parameters"):
            st.table(_build_parameter_table(column.chunker), border="horizontal")
            model_command_line_arguments = " --language-model openai:NAME" if chunker_type.asks else ""
            st.code(f"seamark chunk FILE --chunker {chunker_type.name}{model_command_line_arguments}", language=None)
        with st.container(key="guide_answers"):
            _explain_answer_measures()
    with live_container, st.container(key="guide_live"):
        show_heading(page_text.source.name if page_text is not None else "Live", key="guide_document")
        show_progress_and_consents([column_result])
        show_misfit_warnings(current_page.choices, [column_result])
        if page_text is None:
            pass
        elif column_result.error:
            lacks_model = column_result.error == missing_model_message()
            error_message = no_model_message(CHUNKER_NEEDS_PHRASE, "below") if lacks_model else column_result.error
            show_notice(
                error_message,
                "info" if lacks_model or column_result.pending_requests is not None else "error",
                key="guide_error",
            )
        elif column_result.chunking is None:
            show_notice(waiting_status_phrase(calls_language_model=chunker_type.asks), key="guide_waits")
        else:
            _draw_miniature(page_text, column_result.chunking)
        embedder_default_parameters = chunker_defaults_of_embedder(current_page.embedder, column.chunker)
        if any_chunker_calls_model([column.chunker]):
            draw_language_model_form()
        draw_parameter_controls(0, column, column_result.chunker, embedder_default_parameters)
        show_compare_column_number(
            PAGE_KEY,
            column,
            current_page.embedder,
            are_column_settings_valid=column_result.chunker is not None or page_text is None,
        )


def _explain_answer_measures() -> None:
    """Draw the explanation of the measures of the Answers page."""
    with st.expander("Answer measures"):
        st.markdown(
            "A language model answers the same questions from each chunker's best chunks alone, as many as fit a budget of "
            f"tokens.  \n{definitions_as_help(ANSWER_TERMS)}"
        )
        st.latex(r"\mathrm{AQS} = \frac{2 \cdot F \cdot AR}{F + AR}", width="content")
        st.caption("$F$ is the faithfulness and $AR$ the answer relevancy.")


def _draw_view_choice(choices: Choices) -> None:
    chunker_name = choices.columns[0].chunker
    chosen_view = chunker_name if choices.extra["view"] == CHUNKER_VIEW else choices.extra["view"]

    def store_chosen_view(chosen_view: str) -> None:
        choices.extra["view"] = chosen_view if chosen_view in VIEW_TITLE_BY_NAME else CHUNKER_VIEW
        if chosen_view not in (*VIEW_TITLE_BY_NAME, chunker_name):
            _set_guide_column(choices, new_default_column(chosen_view))

    guide_view_names = [*VIEW_TITLE_BY_NAME, *_find_explained_chunkers_by_name()]
    st.radio(
        "Guide",
        guide_view_names,
        index=guide_view_names.index(chosen_view),
        format_func=lambda name: VIEW_TITLE_BY_NAME.get(name) or _find_explained_chunkers_by_name()[name].title,
        **build_widget_key_and_callback(chosen_view, "guide/chunker", store_chosen_view),
    )


def _build_parameter_table(chunker_name: str) -> dict[str, list[str]]:
    """Return the table of a chunker's parameters, from their declarations."""
    parameter_specs = _find_explained_chunkers_by_name()[chunker_name].fields()
    return {
        "parameter": [f"`{spec.name}`" for spec in parameter_specs],
        "default": ["none" if spec.default is None else f"{spec.default}" for spec in parameter_specs],
        "may be": [_allowed_values_phrase(spec.choices, spec.low, spec.high, spec.unit) for spec in parameter_specs],
        "what it does": [spec.help for spec in parameter_specs],
    }


def _allowed_values_phrase(allowed_values: tuple[str, ...], low: float | None, high: float | None, unit: str) -> str:
    if allowed_values:
        return ", ".join(allowed_values)
    bounds_phrase = " to ".join(format_number(bound, ",.12g") for bound in (low, high) if bound is not None)
    return f"{bounds_phrase} {unit}".strip()


def _draw_miniature(page_text: PageText, chunking: Chunking) -> None:
    page_theme_name = "dark" if st.context.theme.type == "dark" else "light"
    with st.container(key=f"miniature_{miniature_height(chunking, page_text.source.known)}"):
        st.image(
            miniature_svg(chunking, page_text.source.known, page_theme_name),
            width="stretch",
            alt=miniature_description(chunking),
        )
    miniature_caption = (
        f"{pluralize(len(chunking.chunks), 'chunk')} of {pluralize(len(page_text.document.sentences), 'sentence')}"
    )
    if page_text.source.known:
        found_boundary_count, missed_boundary_count, extra_cut_count = count_found_missed_added(
            cut_offsets(chunking), page_text.source.known
        )
        known_boundaries_phrase = known_boundary_count_phrase(found_boundary_count + missed_boundary_count)
        miniature_caption += (
            f"; of {known_boundaries_phrase} {found_boundary_count:,} found, {pluralize(extra_cut_count, 'cut')} elsewhere"
        )
    st.caption(miniature_caption)


# The path: its ten screens, one at a time, with one thing to do on each.


def show_path_screen(guide_page_key: str, link_parameters: dict[str, str], open_advice_view: Callable[[], None]) -> None:
    """Draw the screen that the link names.

    Parameters
    ----------
    guide_page_key
        The page's key.
    link_parameters
        The page's own link parameters; the buttons change the screen in them.
    open_advice_view
        Opens the advice on which chunker to try.
    """
    screen_number = link_parameters[SCREEN_PARAMETER]
    screen_index = SCREEN_NUMBERS.index(screen_number)
    screen, tools, user_choice, error_message = (
        SCREENS[screen_index],
        bundled_model_tools(),
        session.path_choices.get(screen_number),
        "",
    )
    try:
        screen_drawing_result = screen.draw(screen.text, user_choice, tools)
    except InputError as error:
        screen_drawing_result, error_message = screen.draw(screen.text, None, tools), str(error)
    screen_control = screen_drawing_result.control
    screen_explanation_picture = new_picture(
        screen.title, split_at_glossary_terms(screen.explanation), split_at_glossary_terms(screen.task)
    )
    if screen_control == "question":
        screen_explanation_picture["ask"] = {
            "question": user_choice or "",
            "longest": MOST_QUESTION_CHARACTERS,
            "complaint": error_message,
        }
    if screen_control == "cuts":
        screen_drawing_result.picture["cuts"] = {"gaps": user_choice or [], "heard": session.path_choices.get("heard")}

    def store_choice_made_on_screen(value: Any) -> None:
        session.path_choices = {**session.path_choices, screen_number: value}

    def store_cuts(cut_gap_numbers: list[int], event_time: float) -> None:
        session.path_choices = {**session.path_choices, screen_number: cut_gap_numbers, "heard": event_time}

    screen_text_container, picture_container = side_by_side_columns(guide_page_key, 2, 3, gap="large")
    with screen_text_container:
        show_pictures(
            [screen_explanation_picture],
            "guide_path_words",
            first_picture_number=screen_index + 1,
            on_question_asked=store_choice_made_on_screen,
        )
        with st.container(key="guide_path_control"):
            if isinstance(screen_control, Choice):
                _draw_choice_control(screen_number, screen_control, user_choice, store_choice_made_on_screen)
            elif isinstance(screen_control, Slide):
                _draw_slider(screen_number, screen_control, user_choice, store_choice_made_on_screen)
        with st.container(key="guide_path_steps"):
            _draw_screen_navigation(link_parameters, screen_index)
    with picture_container:
        show_pictures(
            [screen_drawing_result.picture],
            "guide_path_picture",
            effect_explanation=split_at_glossary_terms(screen_drawing_result.effect),
            on_cut=store_cuts,
        )
        if screen_index == len(SCREENS) - 1:
            _draw_next_step_buttons(user_choice, open_advice_view)


def _draw_choice_control(
    screen_number: str, control: Choice, option_chosen_by_user: str | None, store_choice: Callable[[str | None], None]
) -> None:
    chosen_or_start_option = control.start if option_chosen_by_user is None else option_chosen_by_user
    st.segmented_control(
        control.label,
        [*control.options],
        default=chosen_or_start_option,
        format_func=control.options.__getitem__,
        label_visibility="collapsed",
        **build_widget_key_and_callback(chosen_or_start_option, f"guide_path/{screen_number}", store_choice),
    )


def _draw_slider(screen_number: str, control: Slide, user_value: float | None, store_value: Callable[[float], None]) -> None:
    chosen_or_start_value = control.start if user_value is None else user_value
    st.slider(
        control.label,
        control.low,
        control.high,
        chosen_or_start_value,
        control.step,
        **build_widget_key_and_callback(chosen_or_start_value, f"guide_path/{screen_number}", store_value),
    )


def _draw_screen_navigation(link_parameters: dict[str, str], screen_index: int) -> None:
    """Draw the number of the screen, and the buttons to its neighbours."""

    def open_screen(target_index: int) -> None:
        link_parameters[SCREEN_PARAMETER] = SCREEN_NUMBERS[target_index]

    last_screen_index = len(SCREENS) - 1
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Back", on_click=open_screen, args=(screen_index - 1,), disabled=screen_index == 0, key="guide_path_back")
        st.button(
            "Next",
            on_click=open_screen,
            args=(screen_index + 1,),
            disabled=screen_index == last_screen_index,
            key="guide_path_next",
            type="primary",
        )
        st.caption(f"{screen_index + 1} of {len(SCREENS)}")


def _draw_next_step_buttons(chosen_repair_number: str | None, advice_opening_callback: Callable[[], None]) -> None:
    """Draw the buttons that lead from the path to the advice and to Compare, which gets the chosen repair as a column."""

    def open_repaired_column_on_compare() -> None:
        if chosen_repair_number is not None:
            repairing_chunker = working_repairs(SCREENS[-1].text, bundled_model_tools())[int(chosen_repair_number)].chunker
            repaired_column = ColumnChoice(repairing_chunker.name, repairing_chunker.model_dump(exclude_defaults=True))
            if column_index_on_compare(repaired_column, {}) is None:
                add_column_to_compare(repaired_column)
        open_page_at_next_run(main_page.key)

    with st.container(horizontal=True):
        st.button("Which chunker?", on_click=advice_opening_callback, key="guide_path_which")
        st.button("Open on Compare", on_click=open_repaired_column_on_compare, key="guide_path_compare")
