"""The look of the pages: palette, figures, number formats, style sheet. Imports no other part of viz."""

from viz.theme.glossary import (
    ANSWER_TERMS,
    RETRIEVAL_TERMS,
    SEGMENTATION_TERMS,
    TERMS_OF_MEASURES_WITHOUT_LABELS,
    GlossaryPiece,
    definitions_as_help,
    split_at_glossary_terms,
)
from viz.theme.number_formats import (
    duration_in_words,
    embedding_time_in_words,
    known_boundary_count_phrase,
    stage_times_in_words,
)
from viz.theme.palette import CHUNK_COLOURS, CHUNK_EDGE_COLOURS, THEME_COLOURS, chunker_colour, theme_name
