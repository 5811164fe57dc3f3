"""The Tune page: the setting that finds known boundaries best, its margin, and its value on held-out documents."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from chunkers import CHUNKERS, MODEL_ASKING_CLASS_BY_NAME, Embedder
from chunkers.language_models import Asking
from chunkers.recipes import GIVEN_CHUNKS_CLASS_BY_NAME
from chunkers.support import pluralize
from evaluation.segmentation import HIGHER_IS_BETTER, TRIVIAL_SETTINGS, MarkedText, SweptSetting
from viz.components.page_elements import show_notice, show_remark
from viz.controls import draw_language_model_form, draw_setting_select_box, show_chunker_prompts
from viz.jobs.storage.stored_run import Keeper
from viz.jobs.sweep import StoredSweep, Sweep, estimate_sweep_requests
from viz.shell import (
    LostRun,
    ModelRequests,
    Page,
    RestOfRun,
    columns_of_compare,
    columns_to_open_with,
    draw_run_button_row,
    find_run,
    load_bundled_run_drawing_origin,
    show_run_state,
    show_unfinished_run,
    start_run_updating_link,
)
from viz.shell.page import frame_page_and_write_link
from viz.state import access_to_chosen_language_model, language_model_name_and_revision, missing_model_message, session
from viz.theme import SEGMENTATION_TERMS, TERMS_OF_MEASURES_WITHOUT_LABELS, definitions_as_help
from viz.tune.bundled_sweep import BUNDLED_RUN, default_choices
from viz.tune.sweep_inputs import (
    MOST_RUNS,
    SweepDocuments,
    choose_sweep_settings,
    draw_document_choice,
    draw_own_document_controls,
    own_documents,
    set_swept_chunker,
)
from viz.tune.sweep_results import MEASURE_TITLES, show_sweep

PAGE_KEY = "tune"

SEAMARK_BENCHMARK_RESULTS_CAPTION = (
    "Already measured, on 50 long documents stitched from our own texts: Change points at its defaults, which nobody tuned, "
    "and Optimal, with Chroma's published settings, reach a Pk of 0.14 and 0.26; both see the whole text. Breakpoint, which "
    "decides gap by gap, reaches 0.38 with the best of Qu et al.'s 30 settings, and a cut every n sentences 0.40."
)
"""The results of `benchmarks.stitched`."""


def show() -> None:
    """Draw the Tune page."""
    adopted_compare_columns = columns_to_open_with(PAGE_KEY, [{*CHUNKERS, *MODEL_ASKING_CLASS_BY_NAME}])
    with frame_page_and_write_link(PAGE_KEY, default_choices(), about_a_text=False) as current_page:
        tune_link_parameters = current_page.choices.extra
        if adopted_compare_columns and adopted_compare_columns[0] is not None and not tune_link_parameters["run"]:
            set_swept_chunker(tune_link_parameters, adopted_compare_columns[0].chunker)
        _draw_page_body(current_page)


def _draw_page_body(current_page: Page) -> None:
    link_parameters = current_page.choices.extra
    with current_page.controls:
        settings, settings_complaint = choose_sweep_settings(link_parameters)
        _draw_compare_column_note(link_parameters)
        if link_parameters["what"] in MODEL_ASKING_CLASS_BY_NAME:
            draw_language_model_form()
            show_chunker_prompts(link_parameters["what"])
        chosen_sweep_documents = draw_document_choice(link_parameters)
    st.title("Tune", anchor=False)
    st.markdown("Runs many settings on documents whose boundaries are known, and ranks them. Every text is embedded once.")
    draw_own_document_controls(current_page.choices)
    label_by_measure = {
        name: f"{title} ({'more' if HIGHER_IS_BETTER[name] else 'less'} is better)" for name, title in MEASURE_TITLES.items()
    }
    measure_definitions = {
        **SEGMENTATION_TERMS,
        "Blocks whole": f"{TERMS_OF_MEASURES_WITHOUT_LABELS['Blocks whole']} Without cuts all of them do.",
    }
    with st.container(width=420):
        ranking_measure = draw_setting_select_box(
            "Ranked by",
            link_parameters,
            "measure",
            label_by_measure,
            "tune/measure",
            help=definitions_as_help(measure_definitions),
        )
    if settings_complaint:
        show_notice(settings_complaint, "info" if settings else "error", key="tune_complaint")
    if chosen_sweep_documents.complaint:
        show_notice(chosen_sweep_documents.complaint, key="tune_shared")
    _draw_run_button_row(current_page, settings, chosen_sweep_documents)
    linked_sweep = find_run(link_parameters["run"], Sweep, Sweep.from_disk)
    if isinstance(linked_sweep, LostRun):
        linked_sweep.show("tune")
        return
    shown_sweep = linked_sweep
    if linked_sweep is None:
        shown_sweep = load_bundled_run_drawing_origin(
            BUNDLED_RUN,
            lambda sweep: pluralize(len(sweep.names), "bundled document"),
            f"“Run” measures what is chosen {session.settings_place}, on these documents or on your own.",
            "tune",
        )
    else:
        show_unfinished_run(
            current_page, linked_sweep, "tune", partial(build_resumption_of_stored_sweep, current_page, linked_sweep)
        )
    if shown_sweep is not None:
        _show_sweep_state(shown_sweep, settings, chosen_sweep_documents)
        _show_results(shown_sweep, ranking_measure)
    if linked_sweep is None:
        st.caption(SEAMARK_BENCHMARK_RESULTS_CAPTION)


def _draw_compare_column_note(link_parameters: dict[str, str]) -> None:
    """Draw a note on the column of Compare that the page opened with, or on one without settings to tune."""
    adopted_index_and_column = session.adopted_columns.get(PAGE_KEY, [None])[0]
    if adopted_index_and_column is not None and adopted_index_and_column[1].chunker == link_parameters["what"]:
        st.caption(
            f"This is the chunker of column {adopted_index_and_column[0] + 1} of Compare; parameters that are not swept "
            f"have their defaults."
        )
    external_chunks_column_number = next(
        (
            number
            for number, column in enumerate(columns_of_compare(), start=1)
            if column.chunker in GIVEN_CHUNKS_CLASS_BY_NAME
        ),
        None,
    )
    if external_chunks_column_number is not None:
        st.caption(
            f"Column {external_chunks_column_number} of Compare has no settings to tune: its chunks were made elsewhere. "
            "Retrieval "
            "measures them on questions."
        )


def _draw_run_button_row(current_page: Page, settings: Sequence[SweptSetting], documents: SweepDocuments) -> None:
    """Draw the button that runs the sweep, with a summary of the runs or the reason why it cannot start."""
    document_count = len(documents.all)
    run_count = (len(settings) + len(TRIVIAL_SETTINGS)) * document_count if settings else 0
    sweep_can_start = 0 < run_count <= MOST_RUNS and bool(documents.tuned) and current_page.embedder is not None
    asks_language_model, language_model_access = (
        current_page.choices.extra["what"] in MODEL_ASKING_CLASS_BY_NAME,
        access_to_chosen_language_model(),
    )
    requests_needing_consent = None
    if asks_language_model:
        sweep_estimate_identity = (
            tuple(settings),
            tuple(documents.documents_and_splitter_names),
            current_page.choices.tokenizer,
        )
        estimate_requests = partial(
            estimate_sweep_requests, documents.documents_split_into_sentences, settings, sweep_estimate_identity[-1]
        )
        sent_documents_phrase = f"This sweep sends {pluralize(document_count, 'document')}, once for every setting,"
        requests_needing_consent = ModelRequests(
            sweep_estimate_identity,
            language_model_access,
            estimate_requests,
            sent_documents_phrase,
            "sweep",
            schema_model=language_model_access,
        )

    def start_new_sweep() -> None:
        assert current_page.embedder is not None
        swept_settings, model_access = [*settings, *TRIVIAL_SETTINGS], language_model_access if asks_language_model else None
        tokenizer_name = current_page.choices.tokenizer
        make_sweep = partial(
            build_unstarted_sweep, documents, swept_settings, current_page.embedder, tokenizer_name, model_access
        )
        start_run_updating_link(current_page.choices.extra, Sweep, make_sweep)

    model_obstacle = missing_model_message() if asks_language_model and language_model_access is None else ""
    draw_run_button_row(
        requests_needing_consent if sweep_can_start else None,
        start_new_sweep,
        _runs_or_obstacle_in_words(current_page, settings, documents, run_count, model_obstacle),
        "tune_start",
        "tune_run",
        can_start_run=sweep_can_start and not model_obstacle,
    )


def _runs_or_obstacle_in_words(
    current_page: Page,
    settings: Sequence[SweptSetting],
    documents: SweepDocuments,
    run_count: int,
    model_obstacle: str,
) -> str:
    """Describe the runs, or the reason why they cannot start."""
    if current_page.embedder is None:
        return current_page.embedder_complaint
    if not documents.tuned:
        return "Choose at least one document that is not held out."
    if model_obstacle:
        return model_obstacle
    if run_count > MOST_RUNS:
        return f"A sweep may have at most {MOST_RUNS:,} runs; this one has {run_count:,}."
    return (
        f"{pluralize(len(settings), 'setting')} and {pluralize(len(TRIVIAL_SETTINGS), 'trivial answer')} on "
        f"{pluralize(len(documents.all), 'document')}: {run_count:,} runs"
    )


def _show_sweep_state(shown_sweep: Sweep, chosen_settings: Sequence[SweptSetting], chosen_documents: SweepDocuments) -> None:
    """Draw the progress and the error of the shown sweep, and the settings that have changed since."""
    chosen_document_names = {document.name for document in chosen_documents.all}
    is_different_by_input = {
        "settings": [setting for setting in shown_sweep.settings if not setting.is_trivial_baseline]
        != list(chosen_settings),
        "documents": shown_sweep.are_document_names_known and {*shown_sweep.names} != chosen_document_names,
        "what is held out": shown_sweep.are_document_names_known
        and shown_sweep.held_out_names != chosen_documents.held_names,
    }
    changed_input_names = [name for name, has_changed in is_different_by_input.items() if has_changed]
    show_run_state(
        shown_sweep,
        "results were measured",
        changed_input_names,
        "Press “Run” to sweep again.",
        "tune",
        redraws_as_parts_finish=False,
    )


def _show_results(shown_sweep: Sweep, ranking_measure: str) -> None:
    """Draw the results so far."""
    if shown_sweep.asking is not None and not shown_sweep.running:
        show_remark(f"{shown_sweep.asking.model.title}: {shown_sweep.ledger.spent}.", key="tune_asked")
    finished_sweep_rows = list(shown_sweep.rows)
    if (
        not show_sweep(shown_sweep.settings, finished_sweep_rows, set(shown_sweep.held_out_names), ranking_measure)
        and finished_sweep_rows
        and not shown_sweep.running
    ):
        show_notice(
            f"{MEASURE_TITLES[ranking_measure]} is undefined for every setting on these documents. Choose another measure.",
            key="tune_undefined",
        )


# Sweeps stored on disk: reopened after a restart of the server, and resumed.


def build_unstarted_sweep(
    documents: SweepDocuments,
    settings: Sequence[SweptSetting],
    embedder: Embedder,
    tokenizer_name: str,
    language_model_access: Asking | None,
    run_storage: Keeper | None,
) -> Sweep:
    """Return a sweep that is not started yet; ``run_storage`` stores it on disk, if the session keeps embeddings there."""
    storage_of_new_sweep, held_out_document_names = None, documents.held_names
    if run_storage is not None:
        embedder_tokenizer_and_model_names = (
            embedder.name,
            tokenizer_name,
            language_model_name_and_revision(language_model_access),
        )
        storage_of_new_sweep = StoredSweep.build_for_settings(
            run_storage,
            documents.documents_and_splitter_names,
            held_out_document_names,
            settings,
            *embedder_tokenizer_and_model_names,
        )
    sweep_document_names = [document.name for document in documents.all]
    return Sweep(
        sweep_document_names,
        documents.documents_split_into_sentences,
        settings,
        embedder,
        tokenizer_name,
        session.keeps_embeddings_on_disk,
        held_out_document_names,
        stored_run=storage_of_new_sweep,
        asking=language_model_access,
    )


def build_resumption_of_stored_sweep(current_page: Page, sweep: Sweep, stored_sweep: StoredSweep) -> RestOfRun:
    """Return the rest of a sweep that is stored on disk."""
    text_for_each_document = stored_sweep.find_sweep_documents(list(own_documents().values()))
    available_sweep_documents = [document for document in text_for_each_document if document is not None]
    language_model_access, sweep_requests = None, None
    if stored_sweep.plan.language_model:
        language_model_access = access_to_chosen_language_model()
        make_split_documents = partial(
            map, lambda document, plan: document.split(plan.splitter), available_sweep_documents, stored_sweep.plan.documents
        )
        nontrivial_sweep_settings = [setting for setting in sweep.settings if not setting.is_trivial_baseline]
        estimate_requests = partial(
            estimate_sweep_requests, make_split_documents, nontrivial_sweep_settings, sweep.tokenizer
        )
        sweep_requests = ModelRequests(
            sweep,
            language_model_access,
            estimate_requests,
            "The rest of this sweep sends at most its documents",
            "resumed",
            schema_model=language_model_access,
        )

    def resume_shown_sweep() -> Sweep:
        assert current_page.embedder is not None
        return sweep.resumed_copy(available_sweep_documents, current_page.embedder, language_model_access)

    return RestOfRun(resume_shown_sweep, sweep_requests, _missing_documents_in_words(stored_sweep, text_for_each_document))


def _missing_documents_in_words(stored_sweep: StoredSweep, text_for_each_document: Sequence[MarkedText | None]) -> str:
    """Return a sentence that names the documents without a text; empty if every document has one."""
    document_plans_without_text = [
        plan for plan, own_text in zip(stored_sweep.plan.documents, text_for_each_document, strict=True) if own_text is None
    ]
    if any(plan.sample for plan in document_plans_without_text):
        return "Bundled documents of this sweep have changed since it was begun: it must be run again."
    if document_plans_without_text:
        return (
            f"{pluralize(len(document_plans_without_text), 'document')} must be given again, under “Your own documents”, "
            "with the "
            "same name, text and boundaries: only hashes of them were kept."
        )
    return ""
