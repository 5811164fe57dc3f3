"""The choice of the answering and the judging language model on the Answers page."""

import streamlit as st

from chunkers.language_models import Asking, ChatServer, prompts
from chunkers.support import ModelName
from evaluation.answering import has_bert_score
from viz.answers.session import session
from viz.components.page_elements import show_remark
from viz.controls import build_widget_key_and_callback, draw_language_model_form, draw_segmented_control_storing_setting
from viz.state import Choices, access_to_chosen_language_model

JUDGING_CHOICE_LABELS = {"yes": "Judged", "no": "Not judged"}
"""Options for judging: the word in the link, and its label on the page."""


def draw_answering_and_judging_controls(choices: Choices) -> None:
    """Draw the form for the language model and the controls for judging the answers."""
    model_access = access_to_chosen_language_model()
    with draw_language_model_form():
        _draw_judging_controls(choices)
    if model_access is not None:
        judging_model_access, answering_model_title = (
            access_to_judging_model(choices, model_access),
            model_access.model.title,
        )
        judging_phrase = (
            "not judged"
            if judging_model_access is None
            else f"judged by {'the same' if judging_model_access is model_access else judging_model_access.model.title}"
        )
        show_remark(f"Answered by {answering_model_title}, {judging_phrase}.", key="answers_models")


def _draw_judging_controls(choices: Choices) -> None:
    draw_segmented_control_storing_setting("Answers are", choices.extra, "judged", JUDGING_CHOICE_LABELS, "answers/judged")
    if choices.extra["judged"] != "no":

        def set_judge_name(judge_name: str) -> None:
            session.judge_name = ModelName.parse_entered_server_model(judge_name).name

        st.text_input(
            "Judging model",
            session.judge_name,
            placeholder="the same model",
            help="Another model on the same server. Models tend to like their own answers.",
            **build_widget_key_and_callback(session.judge_name, "answers/judge", set_judge_name),
        )
    is_bert_score_installed = has_bert_score()
    st.checkbox(
        "BERTScore",
        False,
        key="answers/bert",
        disabled=not is_bert_score_installed,
        help="The package bert-score loads a model of its own, roberta-large for English and a multilingual BERT for most "
        "others, and fetches it from Hugging Face where it is not on this machine.",
    )
    if not is_bert_score_installed:
        st.caption("BERTScore needs the package bert-score: run `pip install bert-score` in Seamark's environment.")
    with st.expander("Prompts"):
        for prompt_title, answer_or_judging_prompt in (
            ("To answer", prompts.ANSWER_SYSTEM_PROMPT),
            ("Faithfulness", prompts.FAITHFULNESS_SYSTEM_PROMPT),
            ("Answer relevancy", prompts.RELEVANCY_SYSTEM_PROMPT),
            ("Correctness", prompts.CORRECTNESS_SYSTEM_PROMPT),
        ):
            st.caption(prompt_title)
            st.code(answer_or_judging_prompt, language=None, wrap_lines=True)


def wants_bert_score() -> bool:
    """Return whether BERTScore is switched on and its package is installed."""
    return bool(st.session_state.get("answers/bert")) and has_bert_score()


def access_to_judging_model(choices: Choices, answering_model_access: Asking) -> Asking | None:
    """Return access to the language model that judges answers, or None if answers are not judged."""
    if choices.extra["judged"] == "no":
        return None
    if session.judge_name in ("", answering_model_access.model.title):
        return answering_model_access
    language_model_server = session.language_server
    return answering_model_access.with_model(
        ChatServer(ModelName("openai", session.judge_name), language_model_server.address, language_model_server.key)
    )
