"""The settings that all columns share: sentence splitter, embedder, tokenizer."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from chunkers import EMBEDDER_DESCRIPTIONS, SPLITTER_DESCRIPTIONS, TOKENIZER_DESCRIPTIONS, Embedder, ModelError
from chunkers.embedders import OTHER_NAME_FORMS, MiniLM, missing_extra_sentence
from chunkers.embedders.sentence_models import DEVICE_DESCRIPTIONS
from chunkers.embedders.static_embedder import Static
from chunkers.text import HUB_NAME, LANGUAGE_NAME_BY_CODE, SplitterName, model_folder
from viz.components.page_elements import show_notice, show_remark
from viz.controls.widgets import (
    build_widget_key_and_callback,
    draw_button_per_consent_option,
    label_with_availability,
    splitter_installation_hint,
    take_server_clearing_key_field,
    tokenizer_installation_hint,
)
from viz.jobs import disk_answer_cache, embedding_cache, run_store
from viz.jobs.storage.run_store import MOST_STORAGE_DAYS
from viz.state import (
    Choices,
    EmbeddingServer,
    embedder_server_host,
    embedder_waits_for_consent,
    session,
    splitter_waits_for_consent,
)
from viz.theme import definitions_as_help

# The choice of an embedder. Anything that is read, downloaded, run or sent needs the user's consent first.


OTHER_EMBEDDER_OPTION = "another"


def ask_to_use_linked_splitter(choices: Choices) -> None:
    """Ask for consent to use a spaCy pipeline that the link names."""
    if not splitter_waits_for_consent(choices):
        return
    linked_splitter_name = choices.sentences
    show_notice(
        f"The link names the spaCy pipeline {SplitterName.parse(linked_splitter_name).variant} to split sentences. The "
        f"pipeline is neither read "
        "nor run until you press “Use this splitter”.",
        key="splitter_waits",
    )
    draw_button_per_consent_option(
        {
            "Use this splitter": partial(session.given_consents.add, ("sentences", linked_splitter_name)),
            "Use sentencex": partial(setattr, choices, "sentences", "sentencex"),
        }
    )


def ask_to_use_or_replace_embedder(choices: Choices, embedder: Embedder | None) -> None:
    """Ask for consent to use the embedder that the link names, or to replace an embedder that is not installed.

    If an ``embedder`` is in use, draw its remarks about this machine.
    """
    if embedder_waits_for_consent(choices):
        text_receiving_server_phrase = (
            f", which would send your texts to {text_receiving_server_host}"
            if (text_receiving_server_host := embedder_server_host(choices))
            else ""
        )
        show_notice(
            f"The link names the embedder {choices.embedder}{text_receiving_server_phrase}. Seamark reads, downloads and "
            "sends nothing for it until you press “Use this embedder”.",
            key="embedder_waits",
        )
        _draw_buttons_using_embedders(
            choices, {"Use this embedder": choices.embedder, "Use all-MiniLM-L6-v2": "all-MiniLM-L6-v2"}
        )
        return
    if choices.embedder in (MiniLM.name, Static.name):
        try:
            model_folder()
        except ModelError as error:
            show_notice(str(error), "error", key="embedder_missing")
            _draw_buttons_using_embedders(choices, {"Use tfidf": "tfidf", f"Fetch {HUB_NAME}": HUB_NAME})
    if embedder is not None and embedder.remark:
        show_notice(embedder.remark, key="embedder_remark")
        if embedder.approximates:
            _draw_buttons_using_embedders(choices, {f"Use {embedder.approximates}": embedder.approximates})


def embedder_controls(choices: Choices, embedder: Embedder | None) -> None:
    """Draw the controls for choosing an embedder; ``embedder`` is the current embedder, if any."""
    is_other_model = choices.embedder not in EMBEDDER_DESCRIPTIONS or session.is_naming_embedder
    chosen_option = OTHER_EMBEDDER_OPTION if is_other_model else choices.embedder

    def store_picked_embedder(name: str) -> None:
        session.is_naming_embedder = name == OTHER_EMBEDDER_OPTION
        if name != OTHER_EMBEDDER_OPTION:
            choices.embedder = name

    embedder_option_names = [*EMBEDDER_DESCRIPTIONS, OTHER_EMBEDDER_OPTION]
    st.selectbox(
        "Embedder",
        embedder_option_names,
        index=embedder_option_names.index(chosen_option),
        format_func=lambda name: (
            "Other model…" if name == OTHER_EMBEDDER_OPTION else label_with_availability("embedder", name)
        ),
        help=definitions_as_help(EMBEDDER_DESCRIPTIONS),
        **build_widget_key_and_callback(chosen_option, "embedder", store_picked_embedder),
    )
    if is_other_model:
        _draw_embedder_form(choices)
    if missing_package_hint := missing_extra_sentence(choices.embedder):
        st.caption(missing_package_hint)
    if embedder is not None and choices.embedder != MiniLM.name and not embedder.defaults:
        st.caption(
            "The default thresholds were chosen for all-MiniLM-L6-v2. With this embedder, you may have to adjust them."
        )
    if embedder is not None and embedder.destination:
        show_remark(f"Every text is sent to {embedder.destination}.", key="embedder_destination")
    if embedder is not None and embedder.device:
        engine_phrase = f", in {embedder.engine}" if embedder.engine else ""
        st.caption(f"The embedder runs on {DEVICE_DESCRIPTIONS[embedder.device]}{engine_phrase}.")


def _draw_embedder_form(choices: Choices) -> None:
    """Draw the form for an embedder's name, server address and key; it takes effect when its button is pressed."""

    def use_entered_embedder() -> None:
        entered_embedder_name = st.session_state["embedder_name"].strip()
        if not entered_embedder_name:
            return
        session.embedding_server = EmbeddingServer(
            *take_server_clearing_key_field(session.embedding_server, "server_address", "server_key")
        )
        _use_embedder(choices, entered_embedder_name)

    if "embedder_name" not in st.session_state:
        st.session_state["embedder_name"] = "" if choices.embedder in EMBEDDER_DESCRIPTIONS else choices.embedder
        st.session_state["server_address"] = session.embedding_server.address
    with st.form("another_embedder", border=False):
        st.text_input(
            "Embedder name",
            st.session_state["embedder_name"],
            key="embedder_name",
            placeholder="sentence-transformers/…, a folder, …",
            help=definitions_as_help(OTHER_NAME_FORMS),
        )
        st.text_input(
            "Embedder server",
            st.session_state["server_address"],
            key="server_address",
            placeholder="OPENAI_BASE_URL",
            help="Address of the server for openai:NAME, up to and including /v1. If empty, address and key come from the "
            "environment.",
        )
        st.text_input(
            "Embedder API key",
            key="server_key",
            type="password",
            placeholder="kept" if session.embedding_server.key else "OPENAI_API_KEY",
            autocomplete="off",
            help="Kept only in this session's memory, never in the link, a recipe or a file.",
        )
        st.form_submit_button("Use this embedder", on_click=use_entered_embedder, width="stretch")


def _draw_buttons_using_embedders(choices: Choices, embedder_by_button_label: Mapping[str, str]) -> None:
    draw_button_per_consent_option(
        {label: partial(_use_embedder, choices, name) for label, name in embedder_by_button_label.items()}
    )


def _use_embedder(choices: Choices, name: str) -> None:
    """Use an embedder with the user's consent, even if it failed before."""
    choices.embedder = name
    session.is_naming_embedder = False
    session.chunking_job = None
    session.given_consents.add(("embedder", name))


def draw_shared_controls(choices: Choices, embedder: Embedder | None) -> None:
    """Draw the settings that all columns share; ``embedder`` is the current embedder, if any."""
    with st.expander("Splitter and embedder"):
        _draw_splitter_choice(choices)
        embedder_controls(choices, embedder)
        draw_select_box_of_shared_setting(choices, "Tokens as", "tokenizer", TOKENIZER_DESCRIPTIONS)
        if missing_package_hint := tokenizer_installation_hint(choices.tokenizer):
            st.caption(missing_package_hint)
        st.toggle(
            "Cache on disk",
            key="on_disk",
            help="A SQLite file in your cache folder stores vectors and hashes, never text. If off, they stay in memory.  \n"
            "If on, runs on Tune, Retrieval and Answers are kept in a file beside it, and their links lead back to them "
            f"after a restart, for {MOST_STORAGE_DAYS} days: settings, results as numbers, hashes of the documents, never "
            "text.  \n"
            "Answers of language models are kept there too, word for word, so that none is paid for twice.",
        )
        if session.keeps_embeddings_on_disk:
            vector_cache, disk_run_store, answer_cache = embedding_cache(True), run_store(), disk_answer_cache()
            stored_files_megabytes = (
                vector_cache.file_bytes + disk_run_store.file_size_in_bytes + answer_cache.file_bytes
            ) / 1e6

            def clear_disk_caches_and_runs() -> None:
                vector_cache.clear(file=True)
                disk_run_store.clear()
                answer_cache.clear(file=True)

            st.button(
                f"Clear cache ({stored_files_megabytes:,.1f} MB)",
                key="clear_disk",
                on_click=clear_disk_caches_and_runs,
                help="Deletes all embeddings, runs and answers on disk, for all sessions of this server.",
            )
    if session.keeps_embeddings_on_disk:
        for complaint_key, store_complaint in (
            ("disk_complaint", run_store().complaint),
            ("cache_complaint", embedding_cache(True).complaint),
        ):
            if store_complaint:
                show_notice(store_complaint, "error", key=complaint_key)


def _draw_splitter_choice(choices: Choices) -> None:
    """Draw the choice of a splitter and, for a multilingual one, of the language."""
    splitter_kind, language_code = SplitterName.parse(choices.sentences)
    splitter_takes_language = splitter_kind == "sentencex"
    draw_select_box_of_shared_setting(
        choices, "Sentence splitter", "sentences", SPLITTER_DESCRIPTIONS, splitter_kind if splitter_takes_language else None
    )
    if not splitter_takes_language:
        if missing_package_hint := splitter_installation_hint(splitter_kind):
            st.caption(missing_package_hint)
        return

    def store_splitter_language(code: str) -> None:
        choices.sentences = f"sentencex:{code}" if code else "sentencex"

    language_codes = ["", *sorted(LANGUAGE_NAME_BY_CODE, key=LANGUAGE_NAME_BY_CODE.__getitem__)]
    st.selectbox(
        "Language",
        language_codes,
        index=language_codes.index(language_code or ""),
        format_func=lambda code: LANGUAGE_NAME_BY_CODE[code] if code else "as detected",
        help="The language whose abbreviations and full stops are used; the line above the text names it.",
        **build_widget_key_and_callback(language_code or "", "language", store_splitter_language),
    )


def draw_select_box_of_shared_setting(
    choices: Choices, label: str, setting_name: str, options: Mapping[str, str], shown_option: str | None = None
) -> None:
    """Draw a select box for the shared setting ``setting_name``, with ``options``, which map values to descriptions.

    ``shown_option`` is the option to show, if it is not the setting's value.
    """
    shown_setting_value = getattr(choices, setting_name) if shown_option is None else shown_option
    setting_option_values = [*options] if shown_setting_value in options else [*options, shown_setting_value]
    st.selectbox(
        label,
        setting_option_values,
        index=setting_option_values.index(shown_setting_value),
        format_func=partial(label_with_availability, setting_name),
        help=definitions_as_help(options),
        **build_widget_key_and_callback(shown_setting_value, setting_name, partial(setattr, choices, setting_name)),
    )
