"""Answers of a language model from each chunker's chunks alone, and what a judging model and the embedder say of them."""

from evaluation.answering.answer_statistics import (
    ANSWER_MEASURES,
    AnswerReport,
    answers_to_csv,
    answers_to_json_lines,
    cost_table,
)
from evaluation.answering.judging import Judgement, applicable_kinds_of_judgement, bert_scores, has_bert_score
from evaluation.answering.questions_and_answers import (
    ANSWER_SEPARATOR,
    GUESSED_ANSWER_TOKENS,
    REFERENCE_BASELINE,
    SWAPPED_REFERENCE_BASELINE,
    TRIVIAL_BASELINE_EXPLANATIONS,
    TRIVIAL_BASELINE_TITLES,
    AnswerContext,
    Exchange,
    GatheredPassages,
    QuestionItem,
    QuestionItems,
    gather_passages_for_each_question,
    gather_trivial_baseline_passages,
    items_by_document_text,
    questions_of_file,
    questions_of_lines,
    row_numbers_of_controls,
)
from evaluation.answering.results import (
    AnswerResult,
    PromptSizes,
    RequestEstimates,
    Services,
    answer_and_store_all_questions,
    answer_result_from_json,
    encode_answer_result_json_bytes,
    estimate_answer_requests,
    find_requests_question_still_needs,
    find_reusable_results_by_question,
    judge_and_store_result,
)
