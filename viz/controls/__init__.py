"""The widgets of the side bar."""

from viz.controls.chunker import CHUNK_FILE_ENDINGS, CHUNK_FILE_HELP, column_controls, draw_parameter_controls
from viz.controls.language_model import any_chunker_calls_model, draw_language_model_form, show_chunker_prompts, show_prompts
from viz.controls.settings_of_all_columns import (
    ask_to_use_linked_splitter,
    ask_to_use_or_replace_embedder,
    draw_shared_controls,
)
from viz.controls.text_source import (
    adopt_as_own_text,
    apply_events_of_document_row,
    draw_text_box_returning_text,
    show_document_row,
)
from viz.controls.text_storage import offer_to_store_document, store_questions_in_tab
from viz.controls.widgets import (
    build_widget_key_and_callback,
    current_widget_key,
    draw_button_and_return_press,
    draw_button_per_consent_option,
    draw_segmented_control_storing_setting,
    draw_setting_select_box,
    offer_undo,
    widget_key_for_value,
)
