"""Parts shared by all pages: the menu, lecture mode, the page's lifecycle, results and progress."""

from viz.shell.column_runs_and_results import (
    ColumnResult,
    FinishedColumn,
    known_boundaries_comparison_row,
    reader_column_for_result,
    run_columns_or_start_job,
    settings_in_words,
    show_misfit_warnings,
    show_progress_and_consents,
    waiting_status_phrase,
)
from viz.shell.columns_shared_with_compare import (
    add_column_to_compare,
    column_index_on_compare,
    columns_of_compare,
    columns_to_open_with,
    compare_is_full,
    compare_page_choices_or_defaults,
    offer_columns_of_compare,
    offer_to_add_column,
    show_column_added_message,
    show_compare_column_number,
)
from viz.shell.keyboard_shortcuts import draw_closed_shortcuts_dialog
from viz.shell.lectures_and_current_scene import draw_button_per_lecture
from viz.shell.model_request_consent import (
    ModelRequests,
    draw_consent_once_estimated,
    draw_run_button_row,
    start_run_or_count_requests,
)
from viz.shell.navigation import PAGES, open_page_at_next_run
from viz.shell.page import Page, side_by_side_columns
from viz.shell.questions_between_pages import (
    RETRIEVAL_QUESTIONS,
    GivenQuestions,
    QuestionExchangeSession,
    bundled_documents_and_questions,
    give_compare_questions_to_retrieval,
    give_questions_to_retrieval,
    own_material_of_last_run,
    refresh_questions_from_compare,
    share_generated_questions_with_answers_page,
    share_own_questions_with_answers_page,
    shared_question_sets,
)
from viz.shell.runs_opened_by_link import (
    RUN_PARAMETER,
    LostRun,
    RestOfRun,
    find_run,
    load_bundled_run_drawing_origin,
    show_run_state,
    show_unfinished_run,
    start_run_updating_link,
)
