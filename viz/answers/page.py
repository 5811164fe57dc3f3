"""The Answers page: a language model answers questions from each chunker's chunks alone, and the answers are judged."""

from functools import partial

import streamlit as st

from chunkers import Embedder
from chunkers.language_models import Asking
from chunkers.support import pluralize, short_repr
from evaluation.answering import (
    GUESSED_ANSWER_TOKENS,
    TRIVIAL_BASELINE_EXPLANATIONS,
    TRIVIAL_BASELINE_TITLES,
    AnswerResult,
    PromptSizes,
    QuestionItems,
    RequestEstimates,
    estimate_answering_and_judging_requests,
    find_requests_question_still_needs,
    find_reusable_results,
)
from evaluation.retrieval.asked_question import MODEL_TEXT_SEARCHED_NOTE, budget_for_text_length, has_model_written_texts
from sample_docs import sample_splitters
from viz.answers.answer_cards import draw_question_selector_and_answers
from viz.answers.answer_results import MEASURE_LINK_PARAMETER, show_costs_and_files, show_report
from viz.answers.model_choice import (
    JUDGING_CHOICE_LABELS,
    access_to_judging_model,
    draw_answering_and_judging_controls,
    wants_bert_score,
)
from viz.answers.questions import QUESTION_SOURCE_LINK_PARAMETER, QUESTION_SOURCES, choose_questions
from viz.answers.session import session
from viz.components.page_elements import show_heading, show_job_progress_with_cancel, show_notice, show_remark
from viz.controls import build_widget_key_and_callback, column_controls, draw_setting_select_box
from viz.jobs.answering_plan_and_jobs import Answering, AnswerModels, AnswerPlan, PassageGatheringJob, StoredAnswers
from viz.jobs.storage.stored_run import Keeper
from viz.shell import (
    RUN_PARAMETER,
    ColumnResult,
    LostRun,
    ModelRequests,
    Page,
    draw_consent_once_estimated,
    draw_run_button_row,
    find_run,
    offer_columns_of_compare,
    run_columns_or_start_job,
    show_compare_column_number,
    show_misfit_warnings,
    show_progress_and_consents,
    show_run_state,
    show_unfinished_run,
    start_run_updating_link,
)
from viz.shell.page import frame_page_and_write_link
from viz.state import (
    Choices,
    ColumnChoice,
    PageText,
    access_to_chosen_language_model,
    language_model_name_and_revision,
    missing_model_message,
    no_model_message,
)
from viz.theme import definitions_as_help

PAGE_KEY = "answers"

TRIVIAL_BASELINES_LINK_PARAMETER = "beside"
"""The link parameter that lists the chosen trivial baselines."""

AUTOMATIC_BUDGET_OPTION = "fitting"
TOKEN_BUDGETS = (100, 250, 500, 1000, 2000, 4000)
"""Token budgets that the user can choose for the chunks given to the model."""

DEFAULT_LINK_PARAMETERS = {
    "budget": AUTOMATIC_BUDGET_OPTION,
    TRIVIAL_BASELINES_LINK_PARAMETER: "",
    QUESTION_SOURCE_LINK_PARAMETER: "retrieval",
    "judged": "yes",
    MEASURE_LINK_PARAMETER: "aqs",
    "question": "1",
    RUN_PARAMETER: "",
}
"""The default values of the link's own parameters."""

ALLOWED_LINK_VALUES = {
    "budget": [AUTOMATIC_BUDGET_OPTION, *map(str, TOKEN_BUDGETS)],
    QUESTION_SOURCE_LINK_PARAMETER: [*QUESTION_SOURCES],
    "judged": [*JUDGING_CHOICE_LABELS],
}

TRIVIAL_BASELINES_HELP = (
    "What no chunker is needed for, and any should beat; each takes the requests of a chunker.  \n"
    + definitions_as_help(
        {TRIVIAL_BASELINE_TITLES[name]: explanation for name, explanation in TRIVIAL_BASELINE_EXPLANATIONS.items()}
    )
)


def default_choices() -> Choices:
    """Return the default choices of the Answers page: a structural, a sentence-based and a semantic chunker."""
    return Choices(
        "article",
        sample_splitters()["article"],
        [
            ColumnChoice("recursive", {"size": 100, "unit": "tokens"}),
            ColumnChoice("fixed_sentences"),
            ColumnChoice("optimal", {"max_size": 200}),
        ],
        extra=dict(DEFAULT_LINK_PARAMETERS),
    )


def show() -> None:
    """Draw the Answers page."""
    with frame_page_and_write_link(PAGE_KEY, default_choices()) as page_being_drawn:
        _reset_invalid_link_parameters(page_being_drawn)
        text = page_being_drawn.text
        column_results = (
            [] if text is None else run_columns_or_start_job(page_being_drawn, text, page_being_drawn.choices.columns)
        )
        with page_being_drawn.controls:
            _draw_controls(page_being_drawn, column_results)
        if text is None:
            return
        show_heading(text.source.name, key="answers_heading")
        show_remark(
            "A language model answers questions from each chunker's best chunks alone; the answers are measured and judged.",
            key="answers_about",
        )
        show_progress_and_consents(column_results)
        show_misfit_warnings(page_being_drawn.choices, column_results)
        _draw_answers_page_content(page_being_drawn, text, column_results)


def _reset_invalid_link_parameters(current_page: Page) -> None:
    """Report invalid link parameters and replace them with the defaults."""
    current_page.replace_invalid_link_parameters(ALLOWED_LINK_VALUES)
    link_parameters = current_page.choices.extra
    if unknown_baseline_names := [
        name
        for name in link_parameters[TRIVIAL_BASELINES_LINK_PARAMETER].split(",")
        if name and name not in TRIVIAL_BASELINE_TITLES
    ]:
        current_page.show_link_error(
            f"The link's {TRIVIAL_BASELINES_LINK_PARAMETER} must be some of {', '.join(TRIVIAL_BASELINE_TITLES)}; got "
            f"{short_repr(unknown_baseline_names[0])}. Using the "
            "default."
        )
        link_parameters[TRIVIAL_BASELINES_LINK_PARAMETER] = DEFAULT_LINK_PARAMETERS[TRIVIAL_BASELINES_LINK_PARAMETER]


def _draw_controls(current_page: Page, column_results: list[ColumnResult]) -> None:
    choices, text = current_page.choices, current_page.text
    automatic_budget_phrase = "" if text is None else f": {budget_for_text_length(len(text.document.text)):,} tokens"
    budget_label_by_option = {
        AUTOMATIC_BUDGET_OPTION: f"auto{automatic_budget_phrase}",
        **{str(size): f"{size:,} tokens" for size in TOKEN_BUDGETS},
    }
    draw_setting_select_box(
        "Budget",
        choices.extra,
        "budget",
        budget_label_by_option,
        "answers/budget",
        help="How many tokens of chunks the model is given with a question, the best chunks first; the last is cut off.",
    )
    choose_trivial_baselines(choices)
    draw_answering_and_judging_controls(choices)
    offer_columns_of_compare(PAGE_KEY, choices)
    selected_chunker = column_results[choices.selected].chunker if column_results else None
    column_controls(
        choices, selected_chunker, current_page.embedder, offers_external_chunks=True, shows_language_model=False
    )
    show_compare_column_number(
        PAGE_KEY,
        choices.columns[choices.selected],
        current_page.embedder,
        are_column_settings_valid=not column_results or selected_chunker is not None,
    )


def _draw_answers_page_content(current_page: Page, text: PageText, column_results: list[ColumnResult]) -> None:
    chosen_question_items = choose_questions(current_page.choices, text)
    _show_column_problems(column_results)
    answers_run_plan = _answer_plan(current_page, text, column_results, chosen_question_items)
    chunk_gathering_job = (
        _start_and_draw_chunk_gathering(answers_run_plan, column_results, current_page.embedder)
        if answers_run_plan is not None
        else None
    )
    linked_run = find_run(
        current_page.choices.extra[RUN_PARAMETER],
        Answering,
        partial(_reopen_run_or_explain_difference, chunk_gathering_job, current_page.embedder),
    )
    if isinstance(linked_run, LostRun):
        linked_run.show("answers")
    answers_run = linked_run if isinstance(linked_run, Answering) else None
    if not chosen_question_items.usable:
        show_notice(_no_questions_sentence(current_page.choices), key="answers_no_questions")
    if chunk_gathering_job is not None and current_page.embedder is not None:
        answering_model_access = access_to_chosen_language_model()
        if answering_model_access is None and (answers_run is None or not answers_run.is_complete):
            show_notice(no_model_message("Answering needs"), key="answers_missing")
        elif answering_model_access is not None:
            show_send_row(
                current_page.choices, chunk_gathering_job, current_page.embedder, answering_model_access, answers_run
            )
    if answers_run is not None:
        _show_run_state(current_page, answers_run, answers_run_plan)
        if answers_run.results:
            answers_run_report = answers_run.report()
            show_report(answers_run, answers_run_report, current_page.choices.extra)
            draw_question_selector_and_answers(
                current_page.choices, answers_run.plan, answers_run.passages_by_column, answers_run
            )
            show_costs_and_files(answers_run, answers_run_report)
            return
    if answers_run_plan is not None and chunk_gathering_job is not None:
        draw_question_selector_and_answers(
            current_page.choices,
            answers_run_plan,
            chunk_gathering_job.passages_by_column,
            answers_run if answers_run is not None and answers_run.plan == answers_run_plan else None,
        )


def _show_column_problems(column_results: list[ColumnResult]) -> None:
    for column_index, column in enumerate(column_results):
        if column.error and column.pending_requests is None:
            column_notice_tone = "info" if column.error == missing_model_message() else "error"
            show_notice(
                f"Column {column_index + 1}: {column.error}", column_notice_tone, key=f"answers_column_{column_index}"
            )
    if any(column.chunking is not None and has_model_written_texts(column.chunking) for column in column_results):
        show_remark(MODEL_TEXT_SEARCHED_NOTE, key="answers_stated")


def _no_questions_sentence(choices: Choices) -> str:
    if choices.extra[QUESTION_SOURCE_LINK_PARAMETER] == "retrieval":
        return (
            "Retrieval has no questions about this text. Give or generate some there, type some, take a file, or ask the "
            "text on Compare, mark the answer and keep the question."
        )
    return "There are no questions yet."


def _answer_plan(
    current_page: Page, text: PageText, column_results: list[ColumnResult], question_items: QuestionItems
) -> AnswerPlan | None:
    """Return the plan of the run; None while something is missing."""
    if current_page.embedder is None:
        show_notice(current_page.embedder_complaint, key="answers_no_embedder")
        return None
    finished_chunking_tasks = [
        column.task for column in column_results if column.task is not None and column.chunking is not None
    ]
    if not question_items.usable or len(finished_chunking_tasks) < len(column_results):
        return None
    chosen_budget_option = current_page.choices.extra["budget"]
    budget_tokens = (
        budget_for_text_length(len(text.document.text))
        if chosen_budget_option == AUTOMATIC_BUDGET_OPTION
        else int(chosen_budget_option)
    )
    chunker_and_baseline_names = tuple(
        f"{number}. {type(column.chunker).title}" for number, column in enumerate(column_results, start=1) if column.chunker
    )
    trivial_baseline_names = chosen_trivial_baselines(current_page.choices)
    chunker_and_baseline_names += tuple(TRIVIAL_BASELINE_TITLES[name] for name in trivial_baseline_names)
    embedder_identity = current_page.embedder.name, current_page.embedder.identity
    return AnswerPlan(
        tuple(task.without_embedder for task in finished_chunking_tasks),
        chunker_and_baseline_names,
        question_items.usable,
        budget_tokens,
        *embedder_identity,
        current_page.choices.tokenizer,
        trivial_baseline_names,
    )


def _start_and_draw_chunk_gathering(
    answer_plan: AnswerPlan, column_results: list[ColumnResult], embedder: Embedder | None
) -> PassageGatheringJob | None:
    """Return the job that retrieves the plan's chunks, starting it if necessary, and draw its progress."""
    assert embedder is not None
    column_chunkings = [column.chunking for column in column_results if column.chunking is not None]
    session.passage_gathering_job = chunk_gathering_job = PassageGatheringJob(
        answer_plan, column_chunkings, embedder, session.keeps_embeddings_on_disk
    ).earlier_if_same(session.passage_gathering_job)
    chunk_gathering_job.start_once(0.2)
    if chunk_gathering_job.is_running_and_not_cancelled:
        with st.container(key="progress_gathering"):
            show_job_progress_with_cancel(chunk_gathering_job)
    elif chunk_gathering_job.error:
        show_notice(chunk_gathering_job.error, "error", key="answers_gathering_error")
        st.button("Try again", on_click=setattr, args=(session, "passage_gathering_job", None), key="answers/gather_again")
    elif chunk_gathering_job.sizes is None:
        st.button("Retrieve chunks", on_click=setattr, args=(session, "passage_gathering_job", None), key="answers/gather")
    return chunk_gathering_job


def _show_run_state(current_page: Page, answers_run: Answering, answer_plan: AnswerPlan | None) -> None:
    """Draw a run's progress, the settings that have changed since it began, its error, and what is left of it."""
    changed_setting_names, answering_model_access = (
        answers_run.plan.differing_setting_names(answer_plan) if answer_plan is not None else [],
        access_to_chosen_language_model(),
    )
    if answering_model_access is not None:
        changed_setting_names += answers_run.models.model_names_differing_from_other(
            chosen_model_identities(current_page.choices, answering_model_access)
        )
    show_run_state(answers_run, "answers were made", changed_setting_names, "Press “Send” to ask again.", "answers")
    show_unfinished_run(current_page, answers_run, "answers")


# The choice of trivial baselines; none by default, since each costs tokens.


def chosen_trivial_baselines(choices: Choices) -> tuple[str, ...]:
    """Return the names of the chosen trivial baselines, in display order."""
    chosen_baseline_names = choices.extra[TRIVIAL_BASELINES_LINK_PARAMETER].split(",")
    return tuple(name for name in TRIVIAL_BASELINE_TITLES if name in chosen_baseline_names)


def choose_trivial_baselines(choices: Choices) -> None:
    """Draw the control for choosing trivial baselines."""
    preselected_baseline_names = [*chosen_trivial_baselines(choices)]

    def set_chosen_baselines(names: list[str]) -> None:
        choices.extra[TRIVIAL_BASELINES_LINK_PARAMETER] = ",".join(name for name in TRIVIAL_BASELINE_TITLES if name in names)

    st.pills(
        "Trivial rows",
        [*TRIVIAL_BASELINE_TITLES],
        default=preselected_baseline_names,
        selection_mode="multi",
        format_func=TRIVIAL_BASELINE_TITLES.__getitem__,
        help=TRIVIAL_BASELINES_HELP,
        **build_widget_key_and_callback(
            preselected_baseline_names, f"answers/{TRIVIAL_BASELINES_LINK_PARAMETER}", set_chosen_baselines
        ),
    )


# Runs: estimated, begun or continued by a button that says what is sent, and reopened by their links.


def chosen_model_identities(choices: Choices, answering_model_access: Asking) -> AnswerModels:
    """Return the identities of the answering and the judging model chosen on the page."""
    return AnswerModels(
        language_model_name_and_revision(answering_model_access),
        language_model_name_and_revision(access_to_judging_model(choices, answering_model_access)),
    )


def show_send_row(
    choices: Choices,
    chunk_gathering_job: PassageGatheringJob,
    embedder: Embedder,
    answering_model_access: Asking,
    answers_run: Answering | None,
) -> None:
    """Draw a run's estimated requests and the button that sends them, unless the run is in progress or complete."""
    prompt_sizes, answer_plan, judging_model_access, model_identities = (
        chunk_gathering_job.sizes,
        chunk_gathering_job.plan,
        access_to_judging_model(choices, answering_model_access),
        chosen_model_identities(choices, answering_model_access),
    )
    if prompt_sizes is None or (
        answers_run is not None
        and (answers_run.is_running_and_not_cancelled or _has_every_result(answers_run, answer_plan, model_identities))
    ):
        return

    begin_run_callback = partial(
        _begin_or_continue_run,
        choices,
        chunk_gathering_job,
        embedder,
        answering_model_access,
        judging_model_access,
        answers_run,
    )
    remaining_request_estimates = _estimate_remaining_requests(
        chunk_gathering_job,
        prompt_sizes,
        _reusable_results(answers_run, chunk_gathering_job, model_identities),
        answering_model_access,
        judging_model_access,
    )
    if not remaining_request_estimates.requests:
        all_answered_message = "All of this was answered before: nothing is sent."
        draw_run_button_row(
            None, begin_run_callback, all_answered_message, "answers_nothing_left", "answers/run", can_start_run=True
        )
        return
    total_answer_count = len(answer_plan.names) * len(answer_plan.items)
    remaining_judgement_estimate = remaining_request_estimates.judgements
    are_only_judgements_missing = judging_model_access is not None and not remaining_request_estimates.answers.requests
    planned_run_requests = ModelRequests(
        (answer_plan, model_identities),
        judging_model_access if are_only_judgements_missing else answering_model_access,
        remaining_judgement_estimate if are_only_judgements_missing else remaining_request_estimates.answers,
        _requests_in_words(answer_plan, remaining_request_estimates, total_answer_count),
        "answers_run",
        GUESSED_ANSWER_TOKENS,
        schema_model=judging_model_access,
        other_model=None
        if judging_model_access is None or are_only_judgements_missing
        else (judging_model_access.model, remaining_judgement_estimate, GUESSED_ANSWER_TOKENS),
    )
    draw_consent_once_estimated(planned_run_requests, begin_run_callback)


def _has_every_result(answers_run: Answering, answer_plan: AnswerPlan, models: AnswerModels) -> bool:
    """Return whether a run already has every result that would be requested."""
    return (
        answers_run.is_complete
        and answers_run.plan == answer_plan
        and not answers_run.models.model_names_differing_from_other(models)
        and (answers_run.bert or not wants_bert_score())
    )


def _requests_in_words(answer_plan: AnswerPlan, request_estimates: RequestEstimates, total_answer_count: int) -> str:
    """Describe the requests that would be sent."""
    answer_request_count, judgement_request_count = request_estimates.answers.requests, request_estimates.judgements.requests
    if answer_request_count == total_answer_count:
        trivial_rows_phrase = f" and for {pluralize(len(answer_plan.trivial), 'trivial row')}" if answer_plan.trivial else ""
        questions_phrase, chunkers_phrase = (
            pluralize(len(answer_plan.items), "question"),
            pluralize(len(answer_plan.tasks), "chunker"),
        )
        return f"“Answers” sends {questions_phrase} with the chunks of {chunkers_phrase}{trivial_rows_phrase}"
    remaining_request_phrases = [f"{answer_request_count:,} of {total_answer_count:,} answers"] * bool(
        answer_request_count
    ) + [pluralize(judgement_request_count, "judgement")] * bool(judgement_request_count)
    return f"“Answers” sends what is left, {' and '.join(remaining_request_phrases)},"


def _reusable_results(
    earlier_answers_run: Answering | None, chunk_gathering_job: PassageGatheringJob, model_identities: AnswerModels
) -> dict[tuple[int, int], AnswerResult]:
    """Return the results that the run on the page and a new run have in common."""
    run_plan = chunk_gathering_job.plan
    if (
        earlier_answers_run is None
        or earlier_answers_run.models.answering_model != model_identities.answering_model
        or not earlier_answers_run.plan.has_same_embedder(run_plan)
    ):
        return {}
    page_run_results = [*earlier_answers_run.results.copy().values()]
    return find_reusable_results(
        page_run_results,
        run_plan.items,
        chunk_gathering_job.passages_by_column,
        has_same_judge=earlier_answers_run.models.judge == model_identities.judge,
    )


def _estimate_remaining_requests(
    chunk_gathering_job: PassageGatheringJob,
    prompt_sizes: PromptSizes,
    earlier_results: dict[tuple[int, int], AnswerResult],
    answering_model_access: Asking,
    judging_model_access: Asking | None,
) -> RequestEstimates:
    return estimate_answering_and_judging_requests(
        chunk_gathering_job.plan.items,
        chunk_gathering_job.passages_by_column,
        prompt_sizes,
        lambda place, item, context: find_requests_question_still_needs(
            item, context, earlier_results.get(place), answering_model_access, judging_model_access
        ),
    )


def _begin_or_continue_run(
    choices: Choices,
    chunk_gathering_job: PassageGatheringJob,
    embedder: Embedder,
    answering_model_access: Asking,
    judging_model_access: Asking | None,
    earlier_answers_run: Answering | None,
) -> None:
    """Begin a run, or go on with the one on the page under its link."""
    answer_plan, model_identities = chunk_gathering_job.plan, chosen_model_identities(choices, answering_model_access)
    continued_run = (
        earlier_answers_run
        if earlier_answers_run is not None
        and earlier_answers_run.plan == answer_plan
        and earlier_answers_run.models == model_identities
        else None
    )

    def build_answers_run(run_keeper: Keeper | None) -> Answering:
        stored_run = None if continued_run is None else continued_run.stored_run
        if stored_run is None and run_keeper is not None:
            stored_run = StoredAnswers.build_for_plan(
                run_keeper, answer_plan, chunk_gathering_job.chunkings, model_identities
            )
        return Answering(
            answer_plan,
            chunk_gathering_job.chunkings[0].document,
            chunk_gathering_job.passages_by_column.copy(),
            model_identities,
            answering_model_access,
            judging_model_access,
            embedder,
            session.keeps_embeddings_on_disk,
            wants_bert_score(),
            stored_run,
            _reusable_results(earlier_answers_run, chunk_gathering_job, model_identities),
        )

    start_run_updating_link(
        choices.extra, Answering, build_answers_run, choices.extra[RUN_PARAMETER] if continued_run is not None else ""
    )


def _reopen_run_or_explain_difference(
    chunk_gathering_job: PassageGatheringJob | None, embedder: Embedder | None, stored_answers: StoredAnswers
) -> Answering | str:
    """Load a run from disk with the chunks retrieved for the current choices; return a sentence if they differ."""
    changed_input_names = (
        stored_answers.differing_settings(None)
        if chunk_gathering_job is None
        else stored_answers.differing_settings(chunk_gathering_job.plan, chunk_gathering_job.chunkings)
    )
    if changed_input_names:
        return f"To see them, give again what it was begun with. Other than now: {', '.join(changed_input_names)}."
    if chunk_gathering_job is None or chunk_gathering_job.sizes is None or embedder is None:
        return ""
    stored_answers.keeper.record_or_check_embedder(embedder)
    answer_plan, gathered_passages = chunk_gathering_job.plan, chunk_gathering_job.passages_by_column.copy()
    return Answering(
        answer_plan,
        chunk_gathering_job.chunkings[0].document,
        gathered_passages,
        stored_answers.models,
        None,
        None,
        embedder,
        True,
        stored_run=stored_answers,
        results=stored_answers.stored_results(gathered_passages, answer_plan.items),
    )
