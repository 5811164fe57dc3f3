"""The Retrieval page: the quality with which chunkers' chunks retrieve known excerpts for questions."""

from collections.abc import Container
from dataclasses import replace
from functools import partial

import streamlit as st

from chunkers import MODEL_ASKING_CLASS_BY_NAME, Chunker, Embedder, InputError, build_chunker
from chunkers.embedders.late_chunking import LATE_CHUNKING_NOTE, reason_against_late_chunking
from chunkers.language_models import (
    CONTEXT_SYSTEM_PROMPT,
    PASSAGE_CONTEXT_REQUEST_TEMPLATE,
    UNUSABLE_ANSWER_MESSAGE_TEMPLATE,
    Asking,
)
from chunkers.recipes import GIVEN_CHUNKS_CLASS_BY_NAME, LONGEST_EXTRACT_CHARACTERS
from chunkers.support import pluralize
from evaluation.questions import Questions, questions_to_json_lines
from evaluation.retrieval.asked_question import MODEL_TEXT_SEARCHED_NOTE
from evaluation.search import ReturnedText, checked_search_method
from viz.components.page_elements import show_download_button, show_folded_table, show_notice, show_remark
from viz.controls import any_chunker_calls_model, column_controls, show_prompts
from viz.jobs.retrieval import ReportJob, Retrieval, StoredRetrieval, estimate_run_llm_requests
from viz.jobs.retrieval_plan import Plan, RunMaterial
from viz.jobs.storage.stored_run import Keeper
from viz.retrieval.bundled_run import BUNDLED_RUN, default_retrieval_choices
from viz.retrieval.documents_and_questions import choose_documents_and_questions, chosen_documents
from viz.retrieval.failed.missed_excerpts import show_missed_excerpts
from viz.retrieval.generated_questions import show_question_generation
from viz.retrieval.link_parameter_widgets import (
    PARAMETER_OPTIONS,
    chosen_embedding_modes,
    draw_search_settings,
    draw_settings_get_baseline_index,
    read_report_settings_from_link,
)
from viz.retrieval.own_trace_diagnosis import show_traces
from viz.retrieval.question_details import show_question_for_two_chunkers
from viz.retrieval.retrieval_results import show_differences_costs_distributions, show_key_figures_table_and_curve
from viz.retrieval.session import session
from viz.shell import (
    LostRun,
    ModelRequests,
    Page,
    RestOfRun,
    bundled_documents_and_questions,
    draw_run_button_row,
    find_run,
    load_bundled_run_drawing_origin,
    offer_columns_of_compare,
    share_own_questions_with_answers_page,
    show_compare_column_number,
    show_run_state,
    show_unfinished_run,
    start_run_or_count_requests,
    start_run_updating_link,
)
from viz.shell.page import frame_page_and_write_link
from viz.state import (
    Choices,
    access_to_chosen_language_model,
    chunker_with_file_if_available,
    external_chunker_and_input_hint,
    lacks_chunk_file,
    language_model_name_and_revision,
    missing_model_message,
    no_model_message,
    record_columns_for_undo,
)

PAGE_KEY = "retrieval"


def show() -> None:
    """Draw the Retrieval page."""
    with frame_page_and_write_link(PAGE_KEY, default_retrieval_choices(), about_a_text=False) as retrieval_page:
        _draw_page_body(retrieval_page)


def _draw_page_body(current_page: Page) -> None:
    link_parameters = current_page.choices.extra
    current_page.replace_invalid_link_parameters(PARAMETER_OPTIONS)
    linked_run = find_retrieval_run_of_link(link_parameters["run"], None)
    linked_run_uses_own_documents = (
        isinstance(linked_run, LostRun) and linked_run.stored_run is not None and linked_run.stored_run.plan.own
    )
    adopt_columns_with_questions(current_page, PAGE_KEY)
    chunkers, start_obstacle_message = build_chunkers(current_page)
    with current_page.controls:
        chosen_documents_and_questions = choose_documents_and_questions(
            linked_run.plan.material if isinstance(linked_run, Retrieval) else None,
            waits_for_files=linked_run_uses_own_documents,
        )
        if chosen_documents_and_questions is not None and chosen_documents_and_questions.own:
            share_own_questions_with_answers_page(chosen_documents_and_questions)
        draw_search_settings(link_parameters)
        offer_columns_of_compare(PAGE_KEY, current_page.choices)
        selected_column_chunker = chunkers[current_page.choices.selected]
        # Context sentences and some chunkers need the form for the language model.
        needs_model_form = includes_context_sentences(link_parameters["embedded"]) or any_chunker_calls_model(
            column.chunker for column in current_page.choices.columns
        )
        document_names = (
            () if chosen_documents_and_questions is None else tuple(name for name, _ in chosen_documents_and_questions.texts)
        )
        column_controls(
            current_page.choices,
            selected_column_chunker,
            current_page.embedder,
            offers_external_chunks=True,
            document_names_to_measure=document_names,
            shows_language_model=needs_model_form,
        )
        model_obstacle = show_prompts_and_check_model(link_parameters["embedded"])
        start_obstacle_message = start_obstacle_message or model_obstacle
        show_compare_column_number(
            PAGE_KEY,
            current_page.choices.columns[current_page.choices.selected],
            current_page.embedder,
            are_column_settings_valid=selected_column_chunker is not None,
        )
    if linked_run_uses_own_documents and chosen_documents_and_questions is not None:
        linked_run = find_retrieval_run_of_link(link_parameters["run"], chosen_documents_and_questions)
    st.title("Retrieval", anchor=False)
    st.markdown(
        "Asks questions whose answers are known excerpts, and measures how much of the excerpts each chunker's best chunks "
        "contain."
    )
    if start_obstacle_message:
        show_notice(
            start_obstacle_message,
            "info" if start_obstacle_message in (missing_model_message(), _no_context_model_message()) else "error",
            key="retrieval_complaint",
        )
    valid_chunkers = [chunker for chunker in chunkers if chunker is not None]
    new_run_plan = None
    if current_page.embedder is not None and chosen_documents_and_questions is not None and not start_obstacle_message:
        choices, (first_embedding_mode, embedding_mode_per_chunker) = (
            current_page.choices,
            chosen_embedding_modes(link_parameters, len(valid_chunkers)),
        )
        embedder_and_text_settings = current_page.embedder.name, choices.sentences, choices.tokenizer, first_embedding_mode
        chunkers_to_measure = tuple(valid_chunkers) * (len(embedding_mode_per_chunker) // len(valid_chunkers) or 1)
        new_run_plan = Plan(
            chosen_documents_and_questions,
            chunkers_to_measure,
            *embedder_and_text_settings,
            ReturnedText.parse(link_parameters["returned"]),
            embedding_modes=embedding_mode_per_chunker,
            searched_by=checked_search_method(link_parameters["search"]),
        )
        if new_run_plan.calls_language_model:
            new_run_plan = replace(
                new_run_plan, language_model=language_model_name_and_revision(access_to_chosen_language_model())
            )
        if new_run_plan.uses_late_chunking and (
            late_chunking_obstacle := reason_against_late_chunking(current_page.embedder)
        ):
            show_notice(late_chunking_obstacle, "error", key="retrieval_cannot_pool")
            new_run_plan = None
    _draw_start_row(current_page, new_run_plan, chosen_documents_and_questions)
    show_question_generation(
        current_page, chosen_documents(chosen_documents_and_questions), is_form_elsewhere=needs_model_form
    )
    show_traces(current_page, chosen_documents(chosen_documents_and_questions), chunkers)
    _show_results(current_page, linked_run, new_run_plan, chosen_documents_and_questions)


def adopt_columns_with_questions(current_page: Page, page_key: str) -> None:
    """Adopt the columns that came with another page's questions, once; the user can undo the change."""
    questions_from_other_page = session.given_questions
    if (
        not session.has_arrived_questions
        or questions_from_other_page is None
        or not questions_from_other_page.columns
        or current_page.choices.columns == [*questions_from_other_page.columns]
    ):
        return
    with record_columns_for_undo(page_key, "Columns replaced by those of Compare"):
        current_page.choices.columns = [column.copy() for column in questions_from_other_page.columns]
        current_page.choices.selected = min(current_page.choices.selected, len(questions_from_other_page.columns) - 1)


def build_chunkers(current_page: Page) -> tuple[list[Chunker | None], str]:
    """Return each column's chunker (None if its parameters are invalid), and the first error message."""
    chunker_per_column: list[Chunker | None] = []
    first_error_message = ""
    for column_number, column in enumerate(current_page.choices.columns, start=1):
        chunker: Chunker | None = None
        column_error_message = ""
        try:
            if column.chunker in GIVEN_CHUNKS_CLASS_BY_NAME:
                chunker, missing_file_message = external_chunker_and_input_hint(column)
                column_error_message = missing_file_message and f"Column {column_number}: {missing_file_message}"
            else:
                chunker = build_chunker(column.chunker, column.parameters, current_page.embedder)
                column_error_message = (
                    missing_model_message() if chunker.asks and access_to_chosen_language_model() is None else ""
                )
        except InputError as error:
            column_error_message = str(error)
        chunker_per_column.append(chunker)
        first_error_message = first_error_message or column_error_message
    return chunker_per_column, first_error_message


def _show_results(
    current_page: Page,
    run: Retrieval | LostRun | None,
    new_run_plan: Plan | None,
    chosen_documents_and_questions: RunMaterial | None,
) -> None:
    """Draw the run that the link names, from memory or disk; without a run, the bundled one."""
    if isinstance(run, Retrieval):
        show_unfinished_run(current_page, run, "retrieval", partial(build_resumption_of_stored_run, current_page, run))
        are_documents_different = (
            chosen_documents_and_questions is None or chosen_documents_and_questions.texts != run.plan.material.texts
        )
        with st.expander("Previous documents' results") if are_documents_different and not run.running else st.container():
            _show_run(run, new_run_plan, current_page.choices)
    elif isinstance(run, LostRun):
        run.show("retrieval")
    elif chosen_documents_and_questions is None or chosen_documents_and_questions.own:
        show_notice(
            f"Nothing has been measured yet: choose chunkers {session.settings_place}, then press “Run”.",
            key="retrieval_empty",
        )
    elif bundled_run := load_bundled_run_drawing_origin(
        BUNDLED_RUN,
        lambda _: "the bundled documents; the times are those of the machine it ran on",
        f"“Run” measures the chunkers {session.settings_place}, on these documents or on your own.",
        "retrieval",
    ):
        _show_run(bundled_run, new_run_plan, current_page.choices)


def _draw_start_row(current_page: Page, plan: Plan | None, documents_and_questions: RunMaterial | None) -> None:
    """Draw the button that starts a run, with a summary of its material or the reason why it cannot start."""
    language_model_access = access_to_chosen_language_model() if plan is not None and plan.calls_language_model else None

    def start_new_run() -> None:
        assert plan is not None
        assert current_page.embedder is not None
        make_run = partial(build_unstarted_retrieval_run, plan, current_page.embedder, language_model_access)
        start_run_updating_link(current_page.choices.extra, Retrieval, make_run)

    requests_of_run = build_model_requests_of_plan(plan, current_page.embedder, language_model_access)
    if session.begins_retrieval and plan is not None:
        session.begins_retrieval = False
        start_run_or_count_requests(requests_of_run, start_new_run)
        st.rerun()
    if current_page.embedder is None:
        summary_or_obstacle_sentence = current_page.embedder_complaint
    elif documents_and_questions is None:
        summary_or_obstacle_sentence = "Upload at least one document and a file of questions, or have questions generated."
    else:
        chunkers_phrase = pluralize(len(current_page.choices.columns), "chunker")
        summary_or_obstacle_sentence = f"{chunkers_phrase} on {pluralize(len(documents_and_questions.texts), 'document')}"
    draw_run_button_row(
        requests_of_run,
        start_new_run,
        summary_or_obstacle_sentence,
        "retrieval_start",
        "retrieval_start_run",
        can_start_run=plan is not None,
    )


def _show_run(run: Retrieval, new_run_plan: Plan | None, choices: Choices) -> None:
    """Draw the progress of a run and its results so far."""
    link_parameters = choices.extra
    _show_run_state(run, new_run_plan)
    if run.asking is not None and not run.running:
        show_remark(f"{run.asking.model.title}: {run.ledger.spent}.", key="retrieval_asked_model")
    for chunker_number, left_out_reason in run.left_out.items():
        show_notice(left_out_reason, key=f"retrieval_left_out_{chunker_number}")
    for chunker_number, evaluation in sorted(run.evaluation_by_chunker.items()):
        if evaluation.searched_index.caveat:
            show_notice(
                f"{run.plan.chunker_titles_with_settings[chunker_number]}: {evaluation.searched_index.caveat}",
                key=f"retrieval_caveat_{chunker_number}",
            )
    if not run.evaluation_by_chunker:
        return
    # The chunkers that a link refers to may be available only when the run has ended.
    has_run_ended = not run.running
    title_by_chunker_number = {
        number: title
        for number, title in enumerate(run.plan.chunker_titles_with_settings)
        if number in run.evaluation_by_chunker or not has_run_ended
    }
    baseline_chunker_index = draw_settings_get_baseline_index(link_parameters, run, title_by_chunker_number)
    if not run.all_measured_at_budgets:
        show_notice(
            "An earlier version of Seamark measured this run at the top k alone. Press “Run” to measure it at equal "
            "budgets too.",
            key="retrieval_no_budgets",
        )
    retrieval_report_job = run.report_job(
        read_report_settings_from_link(link_parameters, baseline_chunker_index, run.budgets_by_unit)
    )
    report_and_failures = retrieval_report_job.report_and_failures
    if report_and_failures is None:
        if retrieval_report_job.error:
            show_notice(retrieval_report_job.error, "error", key="retrieval_report_error")
        else:
            _draw_wait_notice_or_rerun(retrieval_report_job)
        return
    show_key_figures_table_and_curve(run, report_and_failures.report, link_parameters)
    if has_run_ended:
        show_missed_excerpts(report_and_failures, run.plan, link_parameters)
        show_question_for_two_chunkers(report_and_failures, run.plan, choices)
    show_differences_costs_distributions(run, report_and_failures.report, link_parameters)


@st.fragment(run_every=0.25)
def _draw_wait_notice_or_rerun(job: ReportJob) -> None:
    """Draw a notice that the report is being made, and rerun the page when it is ready."""
    if not job.running:
        st.rerun()
    show_remark("Comparing the chunkers on all questions …", key="retrieval_comparing")


def _show_run_state(run: Retrieval, new_run_plan: Plan | None) -> None:
    """Draw a run's progress, its errors, and the settings that have changed since it began."""
    changed_setting_names = run.plan.differing_setting_names(new_run_plan) if new_run_plan is not None else []
    show_run_state(run, "results were measured", changed_setting_names, "Press “Run” to measure again.", "retrieval")
    _show_search_notices(run)
    for chunker_number, chunker_error in run.errors.items():
        show_notice(
            f"{run.plan.chunker_titles_with_settings[chunker_number]}: {chunker_error}",
            "error",
            key=f"retrieval_error_{chunker_number}",
        )
    question_problems = run.questions.problems
    show_folded_table(pluralize(len(question_problems), "question problem"), {"problem": question_problems})
    excerpt_state_counts = run.questions.excerpt_counts_by_state()
    if {*excerpt_state_counts} - {"valid"} or run.questions.changes:
        excerpt_counts_phrase = ", ".join(f"{count:,} {state}" for state, count in excerpt_state_counts.items())
        show_folded_table(f"Excerpts: {excerpt_counts_phrase}", _build_excerpt_location_table(run.questions))
    if run.plan.material.own and run.evaluation_by_chunker:
        _offer_question_file(run)


def _show_search_notices(run: Retrieval) -> None:
    """Draw notices on the searched and the returned text, unless both are the chunks' own, searched by embedding."""
    if any(isinstance(chunker, MODEL_ASKING_CLASS_BY_NAME["propositions"]) for chunker in run.plan.chunkers):
        show_notice(MODEL_TEXT_SEARCHED_NOTE, key="retrieval_stated")
    if run.plan.uses_late_chunking:
        show_notice(LATE_CHUNKING_NOTE, key="retrieval_late_said")
    if run.plan.keyword_indexed_text_sentence:
        show_notice(run.plan.keyword_indexed_text_sentence, key="retrieval_search_said")
    if run.plan.returned.said:
        returned_text_sentence = (
            f"A chunk that is found comes with {run.plan.returned.said}; all of that is measured. "
            f"{run.missing_passages_note}"
        )
        show_notice(returned_text_sentence.strip(), key="retrieval_returned_said")


def _build_excerpt_location_table(questions: Questions) -> dict[str, list[str]]:
    """Return the fate of each excerpt, and a sentence on each excerpt that changed."""
    excerpt_location_records = questions.labels
    return {
        "state": [label.state for label in excerpt_location_records],
        "question": [label.question for label in excerpt_location_records],
        "excerpt": [label.excerpt for label in excerpt_location_records],
        "document": [label.document for label in excerpt_location_records],
        "place": [", ".join(f"{start:,} to {end:,}" for start, end in label.spans) for label in excerpt_location_records],
        "remark": [label.remark for label in excerpt_location_records],
    }


def _offer_question_file(run: Retrieval) -> None:
    """Draw the button that saves the questions in a format that survives edits of the documents."""
    corpus, questions = next(iter(run.evaluation_by_chunker.values())).searched_index.corpus, run.questions.usable
    show_download_button(
        st.container(),
        "Questions with places",
        lambda: questions_to_json_lines(questions, corpus),
        "questions.jsonl",
        "application/jsonl",
        # Python caches the hashes of strings.
        hash((questions, run.plan.material.texts)),
        key="retrieval_labels",
        help="Every excerpt with its place and what stands around it: it is found again after an edit of its document.",
    )


# Runs: what they send to a language model, and how they are made, reopened from disk and resumed.


def includes_context_sentences(embedded_text_kinds: str) -> bool:
    """Return whether ``embedded_text_kinds``, the link's parameter ``embedded``, includes context sentences."""
    return "context" in embedded_text_kinds


def _no_context_model_message() -> str:
    return no_model_message("Context sentences need")


def show_prompts_and_check_model(embedded_text_kinds: str) -> str:
    """Draw the fields for the language model if context sentences are chosen; return a message if no model is named."""
    if not includes_context_sentences(embedded_text_kinds):
        return ""
    show_prompts(
        (CONTEXT_SYSTEM_PROMPT, PASSAGE_CONTEXT_REQUEST_TEMPLATE, UNUSABLE_ANSWER_MESSAGE_TEMPLATE),
        "Context prompts",
        f"The model is asked once for every chunk. If a document has more than {LONGEST_EXTRACT_CHARACTERS:,} characters, "
        "the model sees "
        "only an extract.",
    )
    return _no_context_model_message() if access_to_chosen_language_model() is None else ""


def build_model_requests_of_plan(
    plan: Plan | None, embedder: Embedder | None, model_access: Asking | None, resumed_run_token: str = ""
) -> ModelRequests | None:
    """Return a run's requests to a language model, None if it needs none; ``resumed_run_token`` names a run to resume."""
    if plan is None or not plan.calls_language_model:
        return None
    has_context_embedding = "context" in (plan.embedded_as, *plan.embedding_modes)
    sending_phrase = (
        "This run sends "
        f"{pluralize(len(plan.material.texts), 'document')}{', once for every chunk,' * has_context_embedding}"
    )
    chunkers_call_model = any(chunker.asks for chunker in plan.chunkers)
    return ModelRequests(
        (plan, resumed_run_token),
        model_access,
        partial(estimate_run_llm_requests, plan, embedder, session.keeps_embeddings_on_disk),
        sending_phrase,
        f"run{resumed_run_token}",
        schema_model=model_access if chunkers_call_model else None,
    )


def build_unstarted_retrieval_run(
    plan: Plan, embedder: Embedder, language_model_access: Asking | None, keeper: Keeper | None
) -> Retrieval:
    """Return a run that is not started yet; ``keeper`` stores it on disk, if the session keeps embeddings there."""
    storage_of_new_run = None if keeper is None else StoredRetrieval.build_for_plan(keeper, plan)
    return Retrieval(plan, embedder, session.keeps_embeddings_on_disk, storage_of_new_run, asking=language_model_access)


def find_retrieval_run_of_link(
    run_token: str, own_documents_and_questions: RunMaterial | None
) -> Retrieval | LostRun | None:
    """Return the run of a link as `find_run` does, on the bundled or the user's own documents, as it was begun."""

    def reopen_run_or_return_reason(stored_retrieval: StoredRetrieval) -> Retrieval | str:
        documents_and_questions = (
            own_documents_and_questions if stored_retrieval.plan.own else bundled_documents_and_questions()
        )
        missing_files_phrase = stored_retrieval.missing_documents_and_questions_phrase(documents_and_questions)
        if documents_and_questions is None or missing_files_phrase:
            return (
                f"To see them, give {missing_files_phrase} again, {session.settings_place}, with the same names and content."
                if stored_retrieval.plan.own
                else "Its bundled documents have changed since it was begun: it must be run again."
            )
        reopened_retrieval_run = Retrieval(
            _plan_with_chunk_files(stored_retrieval.rebuild_plan(documents_and_questions)), None, True, stored_retrieval
        )
        reopened_retrieval_run.start()
        return reopened_retrieval_run

    return find_run(run_token, Retrieval, reopen_run_or_return_reason)


def build_resumption_of_stored_run(current_page: Page, run: Retrieval, stored_retrieval: StoredRetrieval) -> RestOfRun:
    """Return the rest of a run that is stored on disk."""
    whole_run_plan = _plan_with_chunk_files(run.plan)
    unfinished_chunkers_plan = _plan_without_finished_chunkers(whole_run_plan, run.evaluation_by_chunker)
    language_model_access, missing_chunk_file_message = (
        access_to_chosen_language_model() if unfinished_chunkers_plan.calls_language_model else None,
        "",
    )
    chunker_numbers_missing_file = [
        number
        for number, chunker in enumerate(whole_run_plan.chunkers)
        if number not in run.evaluation_by_chunker and lacks_chunk_file(chunker)
    ]
    if chunker_numbers_missing_file:
        # With several ways of embedding, each way has all columns in turn.
        column_number_lacking_file = (
            chunker_numbers_missing_file[0]
            % (len(whole_run_plan.chunkers) // max(1, len(set(whole_run_plan.embedding_modes))))
            + 1
        )
        missing_chunk_file_message = (
            f"The run was begun with a file of chunks, which is not kept; to go on, choose it in column "
            f"{column_number_lacking_file}."
        )

    def resumed_run() -> Retrieval:
        assert current_page.embedder is not None
        return Retrieval(whole_run_plan, current_page.embedder, True, stored_retrieval, asking=language_model_access)

    unfinished_run_requests = build_model_requests_of_plan(
        unfinished_chunkers_plan, current_page.embedder, language_model_access, stored_retrieval.keeper.token
    )
    return RestOfRun(resumed_run, unfinished_run_requests, missing_chunk_file_message)


def _plan_with_chunk_files(plan: Plan) -> Plan:
    """Return a plan with the session's files of chunks, which are not stored on disk."""
    return replace(plan, chunkers=tuple(chunker_with_file_if_available(chunker) for chunker in plan.chunkers))


def _plan_without_finished_chunkers(plan: Plan, finished_chunker_numbers: Container[int]) -> Plan:
    """Return the plan of the unfinished chunkers, whose requests need the user's consent."""
    unfinished_chunker_numbers = [number for number in range(len(plan.chunkers)) if number not in finished_chunker_numbers]
    embedding_mode_per_chunker = (
        tuple(plan.embedding_modes[number] for number in unfinished_chunker_numbers) if plan.embedding_modes else ()
    )
    return replace(
        plan,
        chunkers=tuple(plan.chunkers[number] for number in unfinished_chunker_numbers),
        embedding_modes=embedding_mode_per_chunker,
    )
