"""Answers of a language model from each chunker's chunks alone, and what a judging model and the embedder say of them."""

from evaluation.answering.answer_statistics import (
    ANSWER_MEASURES,
    AnswerReport,
    answers_to_csv,
    answers_to_json_lines,
    chunking_and_answering_cost_table,
)
from evaluation.answering.answering_work_and_results import (
    AnswerResult,
    PromptSizes,
    RequestEstimates,
    Services,
    answer_judge_and_store_all,
    answer_result_from_json,
    encode_answer_result_json_bytes,
    estimate_answering_and_judging_requests,
    find_requests_question_still_needs,
    find_reusable_results,
    judge_and_store_result,
)
from evaluation.answering.judging import Judgement, applicable_kinds_of_judgement, bert_scores, has_bert_score
from evaluation.answering.questions_and_answers import (
    GUESSED_ANSWER_TOKENS,
    QUESTION_ANSWER_SEPARATOR,
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
    question_items_by_document_text,
    questions_of_file,
    questions_of_lines,
    row_number_by_control_baseline,
)
