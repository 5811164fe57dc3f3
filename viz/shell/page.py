"""The lifecycle of a page: read its choices from the session or the link, draw it, write the link; and its layout."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import RerunException, StopException

from chunkers import Embedder, InputError, build_chunker
from chunkers.support import short_repr
from chunkers.text import is_tokenizer_on_disk
from sample_docs import sample_splitters
from viz.components.page_elements import show_notice
from viz.controls import (
    apply_events_of_document_row,
    ask_to_use_linked_splitter,
    ask_to_use_or_replace_embedder,
    draw_shared_controls,
    draw_text_box_returning_text,
    show_document_row,
    store_questions_in_tab,
)
from viz.jobs import split_document
from viz.server.middleware import LECTURE_PARAMETER
from viz.shell import lecture_mode, lectures_and_current_scene
from viz.shell.lectures_and_current_scene import draw_button_per_lecture, offer_to_add_own_scene
from viz.shell.navigation import rerun_if_app_file_skipped, switch_to_requested_page
from viz.state import (
    CHOICES_SHARED_BY_PAGES,
    DEFAULT_SPLITTER_OF_OWN_TEXT,
    LANGUAGE_MODEL_LINK_PARAMETER,
    MAX_LINK_NAME_CHARACTERS,
    OWN_DOCUMENT_KEY,
    STORED_TEXT_PARAMETER,
    Choices,
    PageText,
    TextWithDetails,
    choices_from_query,
    choices_to_query,
    chosen_embedder,
    is_valid_model_or_splitter_name,
    language_model_link_parameter,
    outdated_link_column_numbers,
    session,
    splitter_waits_for_consent,
    store_changed_texts,
    stored_key_of_current_document,
    went_back_or_forward,
)


@dataclass(frozen=True)
class Page:
    """The state of the page being drawn: choices, text, embedder, and the container for controls.

    Attributes
    ----------
    choices
        The user's choices, which the controls modify.
    default
        The choices for parameters that the link omits.
    text
        The text; None if there is none yet or it cannot be used, in which case the page already shows a message.
    embedder, embedder_complaint
        The embedder, not yet loaded; or None, with an error message.
    controls
        The container for the page's own controls, above the shared settings in the side bar or lecture mode's menu.
    """

    choices: Choices
    default: Choices
    text: PageText | None
    embedder: Embedder | None
    embedder_complaint: str
    controls: DeltaGenerator
    _complaints: list[str] = field(repr=False)
    _place_of_complaints: DeltaGenerator = field(repr=False)

    def show_link_error(self, sentence: str) -> None:
        """Show an error message about the link, now and on each later run of the page in this session."""
        self._complaints.append(sentence)
        with self._place_of_complaints:
            show_notice(sentence, "error", key=f"complaint_{len(self._complaints) - 1}")

    def replace_invalid_link_parameters(self, allowed_values_by_parameter: Mapping[str, Collection[str]]) -> None:
        """Replace disallowed values of the link's own parameters with the defaults, and show an error message."""
        for parameter_name, allowed_values in allowed_values_by_parameter.items():
            value_in_link = self.choices.extra.get(parameter_name, "")
            if value_in_link not in allowed_values:
                self.choices.extra[parameter_name] = self.default.extra[parameter_name]
                self.show_link_error(
                    f"The link's {parameter_name} must be one of {', '.join(allowed_values)}; got "
                    f"{short_repr(value_in_link)}. "
                    f"Using the default."
                )


@contextmanager
def frame_page_and_write_link(
    page_key: str, default_choices: Choices, *, about_a_text: bool | Callable[[Choices], bool] = True
) -> Iterator[Page]:
    """Draw the parts common to all pages, yield for the page's own parts, then write the link.

    The side bar, or in lecture mode a menu, has the page's own controls and the shared settings. The main area starts with
    the row in which a text is chosen, the box for the user's own text, errors in the link or the text, and a question if the
    user must give consent before texts can be embedded.

    The link is written however the page ends: drawn completely, returned early because there is no text, or with an error.
    If Streamlit interrupts the run, to rerun the page or to switch to another, the next run writes the link. Nothing can be
    sent after ``st.stop``, so pages must return instead.

    Parameters
    ----------
    page_key
        The page's key in `viz.shell.navigation.PAGES`.
    default_choices
        The choices for parameters that the link omits.
    about_a_text
        True if the page shows a text, perhaps depending on the choices; if not, it has neither a text nor the choice of a
        document.
    """
    rerun_if_app_file_skipped()
    # After the app, this has an effect only where Streamlit has run the page's file without it.
    switch_to_requested_page(page_key)
    choices, complaints = _choices_and_complaints(page_key, default_choices)
    is_page_interrupted = False
    try:
        is_about_text = about_a_text if isinstance(about_a_text, bool) else about_a_text(choices)
        yield _draw_common_parts(choices, default_choices, complaints, about_a_text=is_about_text)
    except (RerunException, StopException):
        is_page_interrupted = True
        raise
    finally:
        if not is_page_interrupted:
            _write_link(page_key, choices, default_choices)
            store_questions_in_tab()
            store_changed_texts()
            session.opening_columns.pop(page_key, None)
            # A press of a button that this run has not drawn must not act when a later run draws it.
            session.pressed_button_keys.clear()
            if session.arriving is not None and session.arriving.page == page_key:
                session.arriving = None


def _draw_common_parts(choices: Choices, default_choices: Choices, complaints: list[str], *, about_a_text: bool) -> Page:
    """Draw the parts that all pages have in common."""
    loaded_text_and_details = None
    shared_settings_container = lecture_mode.settings_container()
    page_controls_container = shared_settings_container.container()
    if about_a_text:
        apply_events_of_document_row(choices, default_choices)
        document_row_container = st.container(key="text_row")
        loaded_text_and_details = draw_text_box_returning_text(choices)
    complaints_container = st.container()
    with complaints_container:
        for complaint_number, complaint in enumerate(complaints):
            show_notice(complaint, "error", key=f"complaint_{complaint_number}")
    ask_to_use_linked_splitter(choices)
    text_open_on_page = None
    if loaded_text_and_details is not None and not splitter_waits_for_consent(choices):
        text_open_on_page = _split_into_sentences(loaded_text_and_details, choices.sentences)
    if text_open_on_page is not None:
        with complaints_container:
            _warn_of_outdated_link_columns(choices, text_open_on_page)
    if about_a_text:
        # After the text is split, since the row shows its length.
        with document_row_container:
            show_document_row(choices, text_open_on_page)
    embedder, embedder_complaint = chosen_embedder(choices)
    with shared_settings_container:
        draw_shared_controls(choices, embedder)
    if lecture_mode.is_lecture_mode_on():
        with shared_settings_container.expander("Lectures"):
            draw_button_per_lecture("settings")
            offer_to_add_own_scene()
    if about_a_text:
        lecture_mode.draw_lecture_mode_keys(shared_settings_container)
    ask_to_use_or_replace_embedder(choices, embedder)
    return Page(
        choices,
        default_choices,
        text_open_on_page,
        embedder,
        embedder_complaint,
        page_controls_container,
        complaints,
        complaints_container,
    )


def _split_into_sentences(source: TextWithDetails, splitter_name: str) -> PageText | None:
    """Split the text into sentences; show an error and return None if that fails."""
    try:
        # Other sessions may evict it from the shared cache, and a running job refers to this session's object.
        document = session.document
        properties_of_document_to_split = (source.name, splitter_name, source.parts, source.text)
        if (
            document is None
            or (document.name, document.splitter, document.parts, document.text) != properties_of_document_to_split
        ):
            document = session.document = split_document(source.text, splitter_name, source.name, source.parts)
        return PageText(source, document)
    except InputError as error:
        show_notice(str(error), "error", key="document_error")
        return None


def _warn_of_outdated_link_columns(choices: Choices, page_text: PageText) -> None:
    """Draw a notice that cuts in an older link's columns may have moved, until the user changes the columns."""
    for column_index, column in session.outdated_columns.get(session.page, {}).items():
        if choices.columns[column_index : column_index + 1] == [column]:
            chunker = build_chunker(column.chunker, column.parameters)
            if version_moved_cuts_sentence := chunker.changed_since(len(page_text.document.sentences)):
                show_notice(f"Column {column_index + 1}: {version_moved_cuts_sentence}", key=f"older_{column_index}")


def _write_link(page_key: str, choices: Choices, default: Choices) -> None:
    page_link_parameters = choices_to_query(choices, default) | language_model_link_parameter(
        choices, session.language_server.model or session.linked_model
    )
    disk_text_key = stored_key_of_current_document() if choices.document == OWN_DOCUMENT_KEY else None
    # The id has no effect on another machine, or after the text was removed.
    page_link_parameters |= {STORED_TEXT_PARAMETER: disk_text_key.id} if disk_text_key is not None else {}
    page_link_parameters |= (
        {LECTURE_PARAMETER: "1", **lectures_and_current_scene.lecture_link_parameters()}
        if lecture_mode.is_lecture_mode_on()
        else {}
    )
    session.first_links.setdefault(page_key, page_link_parameters)
    last_written_page, last_written_parameters = session.written_link
    # A widget that is quickly moved and moved back sends the old link, while the browser already has the new one.
    if page_link_parameters != st.query_params.to_dict() or (
        last_written_page == page_key and page_link_parameters != last_written_parameters
    ):
        st.query_params.from_dict(page_link_parameters)
    session.written_link = page_key, page_link_parameters


def _choices_and_complaints(page_key: str, default: Choices) -> tuple[Choices, list[str]]:
    """Return the page's choices, read from the link on first opening, with shared choices taken from the previous page."""
    requested_page_and_link = (
        session.arriving if session.arriving is not None and session.arriving.page == page_key else None
    )
    requested_link_parameters = None if requested_page_and_link is None else requested_page_and_link.link
    if page_key not in session.choices or requested_link_parameters is not None:
        link_parameters = st.query_params.to_dict() if requested_link_parameters is None else requested_link_parameters
        session.choices[page_key], session.complaints[page_key] = _choices_from_link(link_parameters, default)
        numbered_columns = enumerate(session.choices[page_key].columns)
        older_link_column_numbers = outdated_link_column_numbers(link_parameters)
        session.outdated_columns[page_key] = {
            index: column.copy() for index, column in numbered_columns if index + 1 in older_link_column_numbers
        }
        if requested_page_and_link is not None:
            session.arriving = requested_page_and_link._replace(
                link=None
            )  # what the user changes before the page is drawn remains
    link_query_parameters = st.query_params.to_dict()
    if went_back_or_forward() and requested_page_and_link is None:
        session.written_link = "", {}
        session.pressed_button_keys.clear()
        # The menu opens a page's bare address, a history entry of its own that stands for the page's initial choices.
        session.choices[page_key] = _choices_of_history(
            link_query_parameters or session.first_links.get(page_key, {}), default
        )
    page_choices = session.choices[page_key]
    previous_page = session.page or page_key
    if previous_page != page_key and not link_query_parameters:
        session.first_links.pop(page_key, None)
    if previous_page != page_key and not went_back_or_forward() and requested_link_parameters is None:
        # The link takes precedence over the previous page.
        for choice_shared_by_pages in CHOICES_SHARED_BY_PAGES:
            if choice_shared_by_pages not in st.query_params:
                setattr(
                    page_choices, choice_shared_by_pages, getattr(session.choices[previous_page], choice_shared_by_pages)
                )
    if previous_page != page_key:
        session.sent.forget()
        session.pressed_button_keys.clear()
    session.page = page_key
    return page_choices, session.complaints[page_key]


def _choices_of_history(query: Mapping[str, str], default: Choices) -> Choices:
    """Return the choices of a link that this session wrote, which may refer to the user's own text."""
    choices, _ = choices_from_query(query, {**sample_splitters(), OWN_DOCUMENT_KEY: DEFAULT_SPLITTER_OF_OWN_TEXT}, default)
    if not is_tokenizer_on_disk(choices.tokenizer):
        choices.tokenizer = default.tokenizer
    return choices


def _choices_from_link(link_parameters: Mapping[str, str], default_choices: Choices) -> tuple[Choices, list[str]]:
    parameters_without_scenes = {
        parameter: word
        for parameter, word in link_parameters.items()
        if parameter != lectures_and_current_scene.SCENES_PARAMETER
    }
    choices, complaints = choices_from_query(
        parameters_without_scenes, {**sample_splitters(), OWN_DOCUMENT_KEY: DEFAULT_SPLITTER_OF_OWN_TEXT}, default_choices
    )
    session.is_linked_text_missing = choices.document == OWN_DOCUMENT_KEY
    session.linked_text_id = parameters_without_scenes.get(STORED_TEXT_PARAMETER, "")[:MAX_LINK_NAME_CHARACTERS]
    # Only a suggestion; it is used once the user confirms it.
    if is_valid_model_or_splitter_name(model_name := parameters_without_scenes.get(LANGUAGE_MODEL_LINK_PARAMETER, "")):
        session.linked_model = model_name
    if not is_tokenizer_on_disk(choices.tokenizer):
        complaints.append(
            f"The link counts tokens with {choices.tokenizer}, whose table is not on this machine and would be fetched; "
            f"using {default_choices.tokenizer}. To fetch it, choose it under “Splitter and embedder”."
        )
        choices.tokenizer = default_choices.tokenizer
    return choices, complaints


# The text and the views next to it, in a container that survives changes above it.


def side_by_side_columns(
    key: str, left_width: int, right_width: int, gap: Literal["medium", "large"] = "medium"
) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Draw two columns of the given relative widths, in a container that survives changes above it.

    The browser identifies a container without a key by the number of elements before it. When one of them disappears, as a
    progress bar does, the browser rebuilds the container and loses its selections and scroll positions. A container with a
    key is not rebuilt.
    """
    with st.container(key=key):
        return st.columns((left_width, right_width), gap=gap)
