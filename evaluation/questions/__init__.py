"""Questions and their excerpts: read from files, located in the documents of a corpus, and written again."""

from evaluation.questions.corpus_ranges_and_rulers import (
    AnyRuler,
    CharacterRuler,
    Corpus,
    CoveredRanges,
    TokenRuler,
    difference_of_ranges,
    intersection_of_ranges,
    numbers_of_overlapping_chunks,
    ruler_for_unit,
    total_length_of_ranges,
    trim_spaces_and_punctuation,
    union_of_ranges,
)
from evaluation.questions.question_files import (
    MOST_QUESTIONS,
    Excerpt,
    Question,
    Questions,
    excerpt_as_json,
    questions_to_json_lines,
    read_questions,
)
from evaluation.questions.question_rows import (
    ANSWER_COLUMNS,
    LEADING_HOP_MARK_PATTERN,
    QuestionRow,
    json_line_objects,
    parse_excerpt_list,
    parse_python_literal,
    raw_rows,
    read_question_rows,
    shorten_text,
)
from evaluation.questions.questions_with_documents import (
    MarkedQuestion,
    QuestionSet,
    is_path_of_beir_file,
    marked_questions_to_csv,
    question_set_from_user_marks,
    read_beir,
    read_question_set_file,
)
