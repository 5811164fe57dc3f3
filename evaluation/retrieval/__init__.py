"""Measure chunks with questions: corpora, excerpts, indexes, measures and reports."""

from evaluation.retrieval.budget import (
    LAST_CHUNK_CHOICES,
    BudgetResults,
    Budgets,
    Limit,
    chunk_lengths,
    evaluate_at_budgets,
    fill_budget,
)
from evaluation.retrieval.budgets_and_near_duplicates import (
    BUDGETS_BY_UNIT,
    BudgetLadder,
    RepeatCost,
    RetrievedDuplicates,
    count_bm25_duplicates_per_question,
    find_retrieved_duplicates,
    measure_at_standard_budgets,
)
from evaluation.retrieval.computed_reports import (
    Costs,
    Distribution,
    MeansAtK,
    MissedExcerptsByChunker,
    Report,
    ReportChoice,
    Reports,
)
from evaluation.retrieval.leaders import BudgetCurve, Lead, Leads, PairedDifferences, scores_on_shared_questions
from evaluation.retrieval.measures import (
    MEASURE_NAMES,
    RANGE_UNITS,
    RETRIEVAL_MEASURE_NAMES,
    RETRIEVAL_MEASURE_TITLES,
    RETRIEVAL_MEASURES_EXPLAINED,
    RETRIEVED_TEXT_MEASURES,
    TOP_KS,
    Evaluation,
    QuestionScores,
    evaluate_retrieval,
    excerpt_ranges,
    mean_and_deviation,
    score_search,
)
from evaluation.retrieval.measures_as_json import encode_evaluation_as_json_bytes, evaluation_from_json
from evaluation.retrieval.retrieved_chunks_and_failures import (
    AnswerRetrieval,
    MeasuredChunker,
    MissedExcerpt,
    RankedChunk,
    RetrievedChunks,
    Seam,
    count_missing_characters,
    judge_answer_retrieval,
    whole_answer_chunk_numbers,
)
