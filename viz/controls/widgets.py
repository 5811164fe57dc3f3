"""Widgets of all pages: boxes bound to a value, buttons whose press is not lost, labels of options, undo."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunkers.embedders import missing_extra_sentence
from chunkers.recipes import chunker_class
from chunkers.support import missing_extra_message
from chunkers.text import BYTE_PAIR_TABLE_URLS, SplitterName
from viz.components.page_elements import show_remark
from viz.state import EmbeddingServer, LanguageServer, last_undoable_column_change, session, undo_last_column_change

_RENEWED_KEY_INFIX = "_renewed_"
"""Stands between a widget's key and its number; page.css knows it too."""


def widget_key_for_value(value_to_show: object, key: str) -> str:
    """Return the key of a widget that must show ``value_to_show``; the key is new if the value was changed elsewhere.

    A widget whose value was changed by anything but itself gets a new key. Under the old key, a message that the browser
    sends before it has received the new value would count as the user's choice of the old value; the callback of
    `build_widget_key_and_callback` ignores it. In addition, Streamlit sends a value that is set for an existing widget only
    once, even if the next run begins before it is sent.
    """
    current_key = current_widget_key(key)
    if current_key in st.session_state and _without_option_order(st.session_state[current_key]) != _without_option_order(
        value_to_show
    ):
        session.widget_numbers[key] = session.widget_numbers.get(key, 0) + 1
    return current_widget_key(key)


def build_widget_key_and_callback(value_to_show: object, key: str, store_value: Callable[[Any], object]) -> dict[str, Any]:
    """Return a widget's ``key`` and ``on_change``: it shows ``value_to_show``; ``store_value`` gets each new value.

    Streamlit calls the callback of a widget that is gone if the browser reports its value once more. Such a report is no
    choice of the user's, so ``store_value`` is not called with the value that is shown, or that it was last called with.
    """
    widget_key = widget_key_for_value(value_to_show, key)
    latest_value = _without_option_order(value_to_show)

    def report_new_value() -> None:
        nonlocal latest_value
        reported_value = st.session_state[widget_key]
        if widget_key == current_widget_key(key) and _without_option_order(reported_value) != latest_value:
            latest_value = _without_option_order(reported_value)
            store_value(reported_value)

    return {"key": widget_key, "on_change": report_new_value}


def _without_option_order(value: object) -> object:
    """Return a comparable form of a value; the order of several chosen options is the widget's affair."""
    return sorted(value) if isinstance(value, list) else value


def current_widget_key(key: str) -> str:
    """Return a widget's current key: ``key``, with a number once the value was changed outside the widget."""
    key_renewal_number = session.widget_numbers.get(key, 0)
    return f"{key}{_RENEWED_KEY_INFIX}{key_renewal_number}" if key_renewal_number else key


def draw_setting_select_box(
    label: str,
    link_parameters: dict[str, str],
    setting_name: str,
    options: Mapping[str, str],
    key: str,
    after_change: Callable[[], None] | None = None,
    help: str | None = None,
) -> str:
    """Draw a select box for the setting ``link_parameters[setting_name]``, and return the chosen value.

    ``options`` maps values to labels; an unknown value is replaced by the first option.
    ``after_change`` is called after a change.
    """
    if link_parameters[setting_name] not in options:
        link_parameters[setting_name] = next(iter(options))

    def store_setting_as_link_parameter(value: str) -> None:
        link_parameters[setting_name] = value
        if after_change is not None:
            after_change()

    st.selectbox(
        label,
        names := list(options),
        index=names.index(link_parameters[setting_name]),
        format_func=options.__getitem__,
        help=help,
        **build_widget_key_and_callback(link_parameters[setting_name], key, store_setting_as_link_parameter),
    )
    return link_parameters[setting_name]


def draw_segmented_control_storing_setting(
    label: str,
    link_parameters: dict[str, str],
    setting_name: str,
    options: Mapping[str, str],
    key: str,
    *,
    is_label_hidden: bool = False,
    help: str | None = None,
) -> None:
    """Draw a segmented control for ``link_parameters[setting_name]``; an unknown value is shown as the first option.

    ``options`` maps values to labels. If ``is_label_hidden``, the control's own label is not shown.
    """
    shown_option = link_parameters[setting_name] if link_parameters[setting_name] in options else next(iter(options))
    st.segmented_control(
        label,
        list(options),
        default=shown_option,
        format_func=options.__getitem__,
        required=True,
        help=help,
        label_visibility="collapsed" if is_label_hidden else "visible",
        **build_widget_key_and_callback(shown_option, key, partial(link_parameters.__setitem__, setting_name)),
    )


def draw_button_and_return_press(page_container: DeltaGenerator, label: str, key: str, **options: Any) -> bool:
    """Draw a button, and return whether it was pressed.

    A callback alone would come before a setting or a mark that arrives with the press. What Streamlit's button returns is
    lost if another input interrupts the run before it reaches the button. So a callback notes the press for the next run
    that draws the button.
    """
    page_container.button(label, key=key, on_click=session.pressed_button_keys.add, args=(key,), **options)
    if key not in session.pressed_button_keys:
        return False
    session.pressed_button_keys.remove(key)
    return True


def draw_button_per_consent_option(callback_by_label: Mapping[str, Callable[[], None]]) -> None:
    """Draw buttons side by side by which the user allows something for the session, or chooses what needs no consent."""
    buttons_row = st.container(horizontal=True, gap="small")
    for label, on_click in callback_by_label.items():
        buttons_row.button(label, key=f"offer/{label}", on_click=on_click)


def take_server_clearing_key_field(
    current_server: EmbeddingServer | LanguageServer, address_widget_key: str, key_widget_key: str
) -> tuple[str, str]:
    """Return the address and the key that were entered into the two fields of a form, and empty the field of the key.

    Without a new key, the key of ``current_server`` remains if the address does.
    """
    server_address = st.session_state[address_widget_key].strip()
    # A key is only ever sent to the server for which it was entered.
    entered_server_key = st.session_state[key_widget_key].strip() or (
        current_server.key if server_address == current_server.address else ""
    )
    # The browser no longer needs the key.
    st.session_state[key_widget_key] = ""
    return server_address, entered_server_key


def offer_undo(page_key: str) -> None:
    """Draw a description of the last change to a page's columns, and an undo button, if the change can be undone."""
    if (undoable_change := last_undoable_column_change(page_key)) is not None:
        controls_row = st.container(horizontal=True, gap="small", vertical_alignment="center", key=f"undo_row_{page_key}")
        with controls_row:
            # The description may contain a file name.
            show_remark(undoable_change.description, key=f"undo_said/{page_key}")
        controls_row.button(
            "Undo",
            key=f"undo/{page_key}",
            on_click=undo_last_column_change,
            args=(page_key,),
            type="tertiary",
            width="content",
        )


# Options that need a package which is not installed.


def splitter_installation_hint(name: str) -> str:
    """Return the installation hint for the package that the splitter lacks; empty if no package is missing."""
    return missing_extra_message("spacy", "spaCy's splitter") if SplitterName.parse(name).kind == "spacy" else ""


def tokenizer_installation_hint(name: str) -> str:
    """Return the installation hint for the package that the tokenizer lacks; empty if no package is missing."""
    return missing_extra_message("tokens", name) if name in BYTE_PAIR_TABLE_URLS else ""


def chunker_installation_hint(name: str) -> str:
    """Return the installation hint for the packages that the chunker lacks; empty if no package is missing."""
    return missing_extra_message(package_extra, name) if (package_extra := chunker_class(name).extra) else ""


INSTALLATION_HINT_FUNCTION_BY_SETTING = {
    "chunker": chunker_installation_hint,
    "sentences": splitter_installation_hint,
    "embedder": missing_extra_sentence,
    "tokenizer": tokenizer_installation_hint,
}
"""By setting, the function that returns the installation hint for one of its values."""


def label_with_availability(setting_name: str, option_name: str, title: str = "") -> str:
    """Return the label of an option, ``title`` or its name, marked if the option needs a package that is not installed."""
    installation_hint = setting_name in INSTALLATION_HINT_FUNCTION_BY_SETTING and INSTALLATION_HINT_FUNCTION_BY_SETTING[
        setting_name
    ](option_name)
    return f"{title or option_name}{' (not installed)' if installation_hint else ''}"
