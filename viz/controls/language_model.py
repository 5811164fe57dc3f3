"""The choice of a language model: its server, name and spending limits."""

from collections.abc import Iterable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunkers.language_models import (
    UNUSABLE_ANSWER_MESSAGE_TEMPLATE,
    USUAL_LOCAL_SERVER_PORTS,
    LocalServer,
    find_local_servers,
)
from chunkers.recipes import MODEL_ASKING_CLASS_BY_NAME
from chunkers.support import ModelName
from viz.components.page_elements import show_remark
from viz.controls.widgets import take_server_clearing_key_field
from viz.state import LanguageServer, access_to_chosen_language_model, session

HIGHEST_TOKEN_LIMIT = 1_000_000_000
"""The highest token limit that can be set."""

HIGHEST_COST_LIMIT = 100_000.0
"""The highest cost limit that can be set, in US dollars."""

_MOST_NAMED_MODELS = 5
"""Models of a server that are named."""

MODEL_SETUP_INSTRUCTIONS = """
- **llama.cpp**: `llama-server -m MODEL.gguf --port 8080`; its address is `http://127.0.0.1:8080/v1`.
- **Ollama**: `ollama pull NAME`, then `ollama serve`; its address is `http://127.0.0.1:11434/v1`.
- **vLLM**, with a graphics card: `vllm serve NAME`; its address is `http://HOST:8000/v1`.
- **Hosted**: the provider's address up to and including `/v1`, your key, and the model's name. It costs money, and the text
  leaves the machine.
"""
"""Instructions for running or renting a server, as Markdown."""


def any_chunker_calls_model(chunker_names: Iterable[str]) -> bool:
    """Return whether any of the named chunkers calls a language model."""
    return any(name in MODEL_ASKING_CLASS_BY_NAME for name in chunker_names)


def show_prompts(prompts: Sequence[str], title: str = "Prompts", caption: str = "") -> None:
    """Draw the prompts that are sent to a language model, in an expander."""
    with st.expander(title):
        if caption:
            st.caption(caption)
        for prompt_text in prompts:
            st.code(prompt_text, language=None, wrap_lines=True)


def show_chunker_prompts(chunker_name: str) -> None:
    """Draw the prompts that the chunker sends to a language model."""
    show_prompts((*MODEL_ASKING_CLASS_BY_NAME[chunker_name].wording(), UNUSABLE_ANSWER_MESSAGE_TEMPLATE))


def draw_language_model_form() -> DeltaGenerator:
    """Draw the form for the language model, setup instructions and the spending so far; nothing is sent to the model.

    Return the expander, so that callers can add to it. It stays open until the model has answered.
    """
    chosen_language_model = access_to_chosen_language_model()
    language_model_expander = st.expander(
        "Language model", expanded=chosen_language_model is None or not chosen_language_model.spent.tokens
    )
    with language_model_expander:
        st.button(
            "Find local server",
            key="language_find",
            on_click=_fill_in_local_server,
            width="stretch",
            help="Looks at the usual ports of llama.cpp, Ollama, vLLM and LM Studio on the machine that runs Seamark.",
        )
        if session.local_servers is not None:
            show_remark(_describe_local_servers(session.local_servers), key="language_local")
        _draw_model_form()
        with st.expander("Getting a model", expanded=chosen_language_model is None):
            st.markdown(MODEL_SETUP_INSTRUCTIONS)
    if chosen_language_model is not None:
        unusable_answers_note = (
            f" {chosen_language_model.unusable_answers_warning}" if chosen_language_model.unusable_answers_warning else ""
        )
        show_remark(
            f"{chosen_language_model.model.title}: {chosen_language_model.summary}.{unusable_answers_note}",
            key="language_spent",
        )
    return language_model_expander


def _fill_in_local_server() -> None:
    """Look for servers on this machine, and fill in the first that has a model."""
    local_servers = session.local_servers = tuple(find_local_servers())
    if local_servers:
        first_server_address, first_server_models = local_servers[0]
        st.session_state["language_address"] = first_server_address
        if st.session_state.get("language_name", "") not in first_server_models:
            st.session_state["language_name"] = first_server_models[0]


def _describe_local_servers(local_servers: Sequence[LocalServer]) -> str:
    """Return a sentence on the servers of this machine."""
    if not local_servers:
        return (
            f"No server with a model answers on this machine, at the ports {', '.join(map(str, USUAL_LOCAL_SERVER_PORTS))}."
        )
    servers_phrase = "; ".join(
        f"{address} has {', '.join(models[:_MOST_NAMED_MODELS])}" for address, models in local_servers
    )
    return f"{servers_phrase}. Nothing is sent there before you press “Use this model” and “Send”."


def _draw_model_form() -> None:
    """Draw the form for the model's name, its server's address and key, and the limits, applied by a button."""

    def store_entered_server_and_limits() -> None:
        session.language_server = LanguageServer(
            ModelName.parse_entered_server_model(st.session_state["language_name"]).name,
            *take_server_clearing_key_field(session.language_server, "language_address", "language_key"),
            int(st.session_state["language_tokens"]),
            float(st.session_state["language_money"]),
        )
        session.chunking_job = None

    language_model_server = session.language_server
    if session.linked_model and not language_model_server.model:
        show_remark(
            f"The link was made with the model {session.linked_model}. It is used once you press “Use this model”.",
            key="language_linked",
        )
    if "language_name" not in st.session_state:
        st.session_state["language_name"] = language_model_server.model or session.linked_model
        st.session_state["language_address"] = language_model_server.address
        st.session_state["language_tokens"] = language_model_server.token_limit
        st.session_state["language_money"] = language_model_server.dollar_limit
    with st.form("language_model", border=False):
        st.text_input(
            "Model name",
            st.session_state["language_name"],
            key="language_name",
            placeholder="name on the server",
            help="A model of any server that speaks OpenAI's protocol.",
        )
        st.text_input(
            "Server address",
            st.session_state["language_address"],
            key="language_address",
            placeholder="OPENAI_BASE_URL",
            help="Up to and including /v1. If empty, address and key are taken from the environment.",
        )
        st.text_input(
            "Server API key",
            key="language_key",
            type="password",
            placeholder="kept" if language_model_server.key else "OPENAI_API_KEY",
            autocomplete="off",
            help="Kept only in this session's memory, never in the link, a recipe or a file. Most local servers need none.",
        )
        st.number_input(
            "Maximum tokens",
            1,
            HIGHEST_TOKEN_LIMIT,
            st.session_state["language_tokens"],
            key="language_tokens",
            help="For all requests of this session to this model, questions and answers together; asking stops before it.",
        )
        st.number_input(
            "Maximum US dollars",
            0.0,
            HIGHEST_COST_LIMIT,
            st.session_state["language_money"],
            step=0.5,
            key="language_money",
            help="0 for no limit. With a limit, nothing is sent to a model whose price is unknown.",
        )
        st.form_submit_button("Use this model", on_click=store_entered_server_and_limits, width="stretch")
