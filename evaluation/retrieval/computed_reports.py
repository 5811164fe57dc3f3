"""Reports of a retrieval run by measure, unit, top k or budget, and baseline, each computed once."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import NamedTuple, TypeVar, TypeVarTuple

import numpy as np

from chunkers.support import FloatArray, IntArray, LRUDict, cache_results_in
from evaluation.questions import Corpus, Question, TokenRuler, ruler_for_unit
from evaluation.retrieval.budget import LastChunkChoice, Limit
from evaluation.retrieval.budgets_and_near_duplicates import BudgetLadder, RepeatCost
from evaluation.retrieval.leaders import BudgetCurve, Lead, Leads
from evaluation.retrieval.measures import (
    MEASURE_NAMES,
    RANGE_UNITS,
    RETRIEVAL_MEASURE_NAMES,
    RETRIEVED_TEXT_MEASURES,
    Evaluation,
    excerpt_ranges,
    mean_and_deviation,
    precision_omega,
    score_value_or_nan,
    scores_of_retrieved_ranges,
)
from evaluation.retrieval.retrieved_chunks_and_failures import (
    MeasuredChunker,
    MissedExcerpt,
    RetrievedChunks,
    given_chunks,
    list_missed_excerpts_per_chunker,
)
from evaluation.segmentation import Score
from evaluation.statistics import (
    Difference,
    compute_confidence_interval_of_mean,
    corrected_differences_per_comparison,
    too_few_values_sentence,
)

Arguments = TypeVarTuple("Arguments")
Value = TypeVar("Value")

MOST_KEPT_REPORTS = 32
"""Number of reports that a run keeps, each with its own top k or budget; more if they share parts."""


class ReportChoice(NamedTuple):
    """User's choices that determine a retrieval report: measure, unit, limit and baseline.

    Attributes
    ----------
    measure, unit
        Keys of `RETRIEVAL_MEASURES_EXPLAINED` and `RANGE_UNITS`.
    top_k
        Number of best chunks that count.
    baseline
        Number of the chunker with which the others are compared.
    budget
        A budget of the ladder in the ``unit``; 0 for the top k.
    last
        Treatment of the chunk that exceeds the budget, one of `LAST_CHUNK_CHOICES`.
    """

    measure: str
    unit: str
    top_k: int
    baseline: int
    budget: int = 0
    last: LastChunkChoice = "cut"

    @property
    def limit(self) -> Limit:
        """Limit on the text retrieved for each question: only the top k, or only the budget."""
        return Limit(self.budget, unit=self.unit, last=self.last) if self.budget else Limit(top=self.top_k)


@dataclass(frozen=True)
class Costs:
    """Time and tokens that indexing and retrieval with a chunker cost.

    Attributes
    ----------
    index_s
        Seconds for chunking and embedding all documents, as if nothing were cached; None for chunks that were made
        elsewhere.
    search_ms
        Milliseconds for one question's search, without embedding the question.
    tokens
        Mean number of tokens that a question retrieves.
    embedded, cached
        Number of distinct texts that this run embedded, and number that it found in the cache.
    """

    index_s: float | None
    search_ms: float
    tokens: float
    embedded: int
    cached: int

    @classmethod
    def of_evaluation(cls, evaluation: Evaluation, mean_tokens_per_question: float) -> "Costs":
        """Return the costs of an evaluation in which a question retrieves ``mean_tokens_per_question`` tokens on average."""
        evaluated_search_index = evaluation.searched_index
        return cls(
            None
            if evaluated_search_index.chunk_s is None
            else evaluated_search_index.chunk_s + evaluated_search_index.embed_s,
            1000 * evaluation.search.search_s / max(1, len(evaluation.search.questions)),
            mean_tokens_per_question,
            evaluated_search_index.embedded,
            evaluated_search_index.cached,
        )

    def embeddings_origin_phrase(self) -> str:
        """Return the origin of the embeddings as a phrase, such as ``partly from the cache``."""
        if self.cached:
            return "partly from the cache" if self.embedded else "from the cache"
        return "computed" if self.embedded else "none"


@dataclass(frozen=True, eq=False)
class Distribution:
    """Values of a measure over all questions, with mean and confidence interval.

    Attributes
    ----------
    values
        Values by question, shape (questions,), NaN where undefined.
    mean
        Mean over the questions with a value; None if there are none.
    interval
        The 95 % confidence interval of the mean; None if there are too few questions.
    """

    values: FloatArray
    mean: float | None
    interval: tuple[float, float] | None

    @classmethod
    def with_mean_and_interval(cls, question_values: FloatArray) -> "Distribution":
        """Return the distribution of ``question_values``, which must lie between 0 and 1."""
        mean, _ = mean_and_deviation(question_values) or (None, None)
        return cls(question_values, mean, compute_confidence_interval_of_mean(question_values))


MissedExcerptsByChunker = Mapping[int, Sequence[MissedExcerpt]]
"""By number of the chunker the excerpts of which it missed something, those with most missed first."""

MeansAtK = Mapping[int, Mapping[str, Score]]
"""Mean recall, precision and F1 at each k, by name."""


@dataclass(frozen=True, eq=False)
class ChunkerReport:
    """Retrieval results of one chunker.

    Attributes
    ----------
    evaluation
        Results of every question, measured over the top k or at the budget.
    ladder
        Results at all budgets; None if the run has none.
    means
        Mean and deviation of every measure in the chosen unit, by name; None if undefined for all questions.
    distribution
        Distribution of the chosen measure.
    chunk_tokens
        Mean number of tokens of a chunk.
    at_k
        Scores of ``documents`` and ``evidence`` at each k.
    retrieves_everything
        True if every question receives the whole text, so that recall is meaningless.
    repeats
        Cost of near-duplicates within the limit; None if there are none among the chunks, or the run did not look for them.
    """

    evaluation: Evaluation
    ladder: BudgetLadder | None
    costs: Costs
    means: Mapping[str, tuple[float, float] | None]
    distribution: Distribution
    chunk_tokens: float
    at_k: Mapping[str, MeansAtK]
    retrieves_everything: bool
    repeats: RepeatCost | None


@dataclass(frozen=True)
class WholeText:
    """Retrieval scores of a baseline that gives every question all documents.

    Attributes
    ----------
    means
        Mean and deviation of every measure in the chosen unit, by name; None if undefined for all questions.
    size
        The length of the documents in the chosen unit.
    tokens
        Length of the documents in tokens.
    documents
        Number of documents.
    """

    means: Mapping[str, tuple[float, float] | None]
    size: int
    tokens: int
    documents: int

    @property
    def name(self) -> str:
        """Name of the baseline's row in a table."""
        return "Whole document" if self.documents == 1 else f"All {self.documents:,} documents"


def whole_text_scores(corpus: Corpus, questions: Sequence[Question], ruler: TokenRuler, unit: str) -> WholeText:
    """Return the retrieval scores of a baseline that gives every question all documents."""
    unit_length_function = ruler_for_unit(unit, ruler)
    document_spans = [
        corpus.span_in_corpus(number, (0, len(document.text))) for number, document in enumerate(corpus.documents)
    ]
    all_excerpts = [excerpt_ranges(corpus, question) for question in questions]
    scores_by_question = [
        {
            **scores_of_retrieved_ranges(excerpts, document_spans, unit_length_function),
            "precision_omega": precision_omega(excerpts, [[span] for span in document_spans], unit_length_function),
        }
        for excerpts in all_excerpts
    ]
    mean_score_by_measure = {
        name: mean_and_deviation(np.array([score_value_or_nan(own[name]) for own in scores_by_question]))
        for name in RETRIEVAL_MEASURE_NAMES
    }
    return WholeText(
        mean_score_by_measure,
        int(unit_length_function(document_spans)),
        ruler(document_spans),
        len(document_spans),
    )


@dataclass(frozen=True, eq=False)
class Report:
    """Report on a retrieval run for one choice of measure, unit, limit and baseline.

    Attributes
    ----------
    chunkers
        Finished chunkers, by position in the run's plan, ascending.
    comparisons
        Difference of each chunker from the baseline, corrected for all comparisons. Chunkers that share too few questions
        with the baseline are left out.
    curve
        The measure over all budgets; None if the limit is the top k or the measure does not depend on the retrieved text.
    at_k
        The leading chunker at the top k.
    disagreements
        Numbers of the questions, counted from 0, on which the chunkers differ.
    ruler
        Counts tokens.
    whole
        Scores of a baseline that gives every question all documents.
    """

    choice: ReportChoice
    chunkers: Mapping[int, ChunkerReport]
    comparisons: Mapping[int, Difference]
    curve: BudgetCurve | None
    at_k: Leads
    disagreements: IntArray
    ruler: TokenRuler
    whole: WholeText

    @property
    def is_everything_retrieved(self) -> bool:
        """True if every question receives the whole text with every chunker."""
        return all(chunker.retrieves_everything for chunker in self.chunkers.values())

    @property
    def best_chunker_lead(self) -> Lead | None:
        """Leading chunker; None if fewer than two chunkers have values."""
        leads, top_k_or_budget = (
            (self.at_k, self.choice.top_k) if self.curve is None else (self.curve.leads, self.choice.budget)
        )
        return leads.leads.get(top_k_or_budget)

    @property
    def too_few_questions_sentence(self) -> str:
        """Sentence on how many questions a significant difference from the baseline takes, and how many there are."""
        baseline_question_scores = self.distributions[self.choice.baseline].values
        shared_question_counts = [
            int(np.count_nonzero(~np.isnan(distribution.values - baseline_question_scores)))
            for number, distribution in self.distributions.items()
            if number != self.choice.baseline
        ]
        return too_few_values_sentence(len(shared_question_counts), max(shared_question_counts, default=0))

    def chunks_retrieved_for_question(self, chunker_number: int, question_number: int) -> RetrievedChunks:
        """Return the chunks retrieved for a question from the index of chunker ``chunker_number``."""
        chunker_report = self.chunkers[chunker_number]
        measured_chunker = MeasuredChunker(chunker_report.evaluation, chunker_report.ladder)
        return given_chunks(measured_chunker, self.choice.limit, question_number, self.ruler)

    @property
    def distributions(self) -> dict[int, Distribution]:
        """Distribution of the chosen measure for each chunker, keyed by chunker number."""
        return {number: chunker.distribution for number, chunker in self.chunkers.items()}

    @property
    def time_and_token_costs(self) -> dict[int, Costs]:
        """Costs of each chunker, keyed by chunker number."""
        return {number: chunker.costs for number, chunker in self.chunkers.items()}


def differing_question_indexes(values_by_chunker: Mapping[int, FloatArray]) -> IntArray:
    """Return the numbers of the questions for which a measure differs between chunkers, ignoring undefined values.

    ``values_by_chunker`` holds the measure of at least one chunker, each of shape (questions,).
    """
    values_of_all_chunkers = np.array(list(values_by_chunker.values()))
    return np.flatnonzero(np.fmax.reduce(values_of_all_chunkers) > np.fmin.reduce(values_of_all_chunkers))


def _gives_all_chunks(measured_chunker: MeasuredChunker, retrieval_limit: Limit) -> bool:
    """Return whether every question is given all chunks of a chunker in full."""
    chunk_count = len(measured_chunker.evaluation.searched_index.chunks)
    if retrieval_limit.budget and measured_chunker.ladder is not None:
        return retrieval_limit.budget in measured_chunker.ladder.results_in_unit(
            retrieval_limit.unit, retrieval_limit.last
        ).budgets_giving_all_chunks(chunk_count)
    return chunk_count <= retrieval_limit.top


def make_lru_cache(max_value_count: int) -> Callable[[Hashable, Callable[[], Value]], Value]:
    """Return a function that computes the value of a key, and keeps at most ``max_value_count`` values, the last used.

    If several threads request the same key, one thread computes the value and the others wait. Requests for other keys do
    not wait. If computing fails, the next call computes again.
    """

    @cache_results_in(LRUDict(max_value_count), lambda key, compute: key)
    def cached_value_of_key(key: Hashable, compute: Callable[[], Value]) -> Value:
        return compute()

    return cached_value_of_key


def _cache_method_results(
    report_method: Callable[["Reports", *Arguments], Value],
) -> Callable[["Reports", *Arguments], Value]:
    """Let a method of `Reports` keep its results, by its arguments, in the cache that all such methods share."""

    @wraps(report_method)
    def cached(self: "Reports", *arguments: *Arguments) -> Value:
        return self._cache((report_method, arguments), lambda: report_method(self, *arguments))

    return cached


_Chunkers = tuple[tuple[int, MeasuredChunker], ...]
"""Measured chunkers with their numbers, ascending."""


class Reports:
    """Thread-safe cache of the reports on one retrieval run, and of the parts that several reports share.

    A run adds chunkers while it works, but never removes or changes a chunker, so cached values stay valid. Each report
    covers the chunkers for which it was requested.

    Parameters
    ----------
    ruler
        Counts tokens.
    chunker_names
        The names of the run's chunkers in sentences.
    """

    def __init__(self, ruler: TokenRuler, chunker_names: Sequence[str]) -> None:
        self._ruler = ruler
        self._names = chunker_names
        # A report at a budget has four parts for each chunker, one of them its leads' at the top k, and five others: itself,
        # its leads, its curve, the whole text and its failures.
        self._cache = make_lru_cache(MOST_KEPT_REPORTS * (4 * len(chunker_names) + 5))

    def report_comparing_chunkers(
        self, measured_chunker_by_number: Mapping[int, MeasuredChunker], report_choice: ReportChoice
    ) -> Report:
        """Return a report that compares chunkers with the baseline that ``report_choice`` names.

        If ``report_choice`` has a budget, all chunkers must have a ladder.
        """
        return self._compute_comparison_report(tuple(sorted(measured_chunker_by_number.items())), report_choice)

    def missed_excerpts_by_chunker(
        self, measured_chunker_by_number: Mapping[int, MeasuredChunker], retrieval_limit: Limit
    ) -> MissedExcerptsByChunker:
        """Return, for each chunker, the excerpts that it failed to retrieve in full, most missing text first."""
        return self._find_missed_excerpts(tuple(sorted(measured_chunker_by_number.items())), retrieval_limit)

    @_cache_method_results
    def _find_missed_excerpts(self, measured_chunkers: _Chunkers, retrieval_limit: Limit) -> MissedExcerptsByChunker:
        return list_missed_excerpts_per_chunker(dict(measured_chunkers), retrieval_limit, self._ruler)

    @_cache_method_results
    def _compute_comparison_report(self, measured_chunkers: _Chunkers, report_choice: ReportChoice) -> Report:
        chunker_reports = {number: self._chunker_report(measured, report_choice) for number, measured in measured_chunkers}
        values_by_chunker = {number: report.distribution.values for number, report in chunker_reports.items()}
        non_baseline_chunkers = [number for number in values_by_chunker if number != report_choice.baseline]
        question_differences_from_baseline = [
            values_by_chunker[number] - values_by_chunker[report_choice.baseline] for number in non_baseline_chunkers
        ]
        tested_baseline_differences = (
            corrected_differences_per_comparison(np.array(question_differences_from_baseline))
            if question_differences_from_baseline
            else []
        )
        return Report(
            report_choice,
            chunker_reports,
            {
                number: difference
                for number, difference in zip(non_baseline_chunkers, tested_baseline_differences, strict=True)
                if difference is not None
            },
            self._budget_curve(measured_chunkers, report_choice.measure, report_choice.unit, report_choice.last)
            if report_choice.budget and report_choice.measure in RETRIEVED_TEXT_MEASURES
            else None,
            self._leads_at_top_k(measured_chunkers, report_choice._replace(budget=0, baseline=0, last="cut")),
            differing_question_indexes(values_by_chunker),
            self._ruler,
            self._whole_text_scores(measured_chunkers[0][1], report_choice.unit),
        )

    @_cache_method_results
    def _whole_text_scores(self, measured_chunker: MeasuredChunker, unit: str) -> WholeText:
        chunker_search = measured_chunker.evaluation.search
        return whole_text_scores(chunker_search.index.corpus, chunker_search.questions, self._ruler, unit)

    @_cache_method_results
    def _budget_curve(
        self, measured_chunkers: _Chunkers, measure: str, unit: str, last_chunk_choice: LastChunkChoice
    ) -> BudgetCurve:
        results_by_chunker = {
            number: measured.ladder.results_in_unit(unit, last_chunk_choice)
            for number, measured in measured_chunkers
            if measured.ladder is not None
        }
        budgets_giving_everything = set.intersection(
            *(
                set(results_by_chunker[number].budgets_giving_all_chunks(len(measured.evaluation.searched_index.chunks)))
                for number, measured in measured_chunkers
                if number in results_by_chunker
            )
        )
        name_by_chunker = {number: self._names[number] for number in results_by_chunker}
        return BudgetCurve.of_all_chunkers(results_by_chunker, name_by_chunker, measure, sorted(budgets_giving_everything))

    @_cache_method_results
    def _leads_at_top_k(self, measured_chunkers: _Chunkers, report_choice: ReportChoice) -> Leads:
        """Return the leaders at the top k, which ``report_choice`` must be about."""
        question_scores_by_chunker = [
            self._evaluation_and_costs(measured, report_choice.limit)[0].values(report_choice.measure, report_choice.unit)
            for _, measured in measured_chunkers
        ]
        is_everything_retrieved = all(_gives_all_chunks(measured, report_choice.limit) for _, measured in measured_chunkers)
        return Leads.of_chunkers_at_each_budget(
            [self._names[number] for number, _ in measured_chunkers],
            MEASURE_NAMES[report_choice.measure],
            "chunks",
            {report_choice.top_k: question_scores_by_chunker},
            budgets_retrieving_everything=[report_choice.top_k] if is_everything_retrieved else [],
        )

    def _chunker_report(self, measured_chunker: MeasuredChunker, report_choice: ReportChoice) -> ChunkerReport:
        evaluation, costs = self._evaluation_and_costs(measured_chunker, report_choice.limit)
        indexed_chunks = evaluation.searched_index.chunks
        return ChunkerReport(
            evaluation,
            measured_chunker.ladder,
            costs,
            {name: mean_and_deviation(evaluation.values(name, report_choice.unit)) for name in RETRIEVAL_MEASURE_NAMES},
            self._distribution(measured_chunker, report_choice.limit, report_choice.measure, report_choice.unit),
            self._ruler([span for chunk in indexed_chunks for span in chunk]) / max(1, len(indexed_chunks)),
            {"documents": evaluation.means_at_k("documents"), "evidence": evaluation.means_at_k("evidence")},
            _gives_all_chunks(measured_chunker, report_choice.limit),
            self._recall_cost_of_near_duplicates(measured_chunker, report_choice.limit, report_choice.unit),
        )

    @_cache_method_results
    def _distribution(
        self, measured_chunker: MeasuredChunker, retrieval_limit: Limit, measure: str, unit_of_scored_text: str
    ) -> Distribution:
        return Distribution.with_mean_and_interval(
            self._evaluation_and_costs(measured_chunker, retrieval_limit)[0].values(measure, unit_of_scored_text)
        )

    @_cache_method_results
    def _recall_cost_of_near_duplicates(
        self, measured_chunker: MeasuredChunker, retrieval_limit: Limit, recall_unit: str
    ) -> RepeatCost | None:
        all_budget_results = measured_chunker.ladder
        if (
            all_budget_results is None
            or all_budget_results.repeats is None
            or not all_budget_results.repeats.near_duplicate_count
        ):
            return None
        if retrieval_limit.budget:
            return all_budget_results.repeats.repeat_cost_at_budget(
                all_budget_results.results_in_unit(retrieval_limit.unit, retrieval_limit.last),
                retrieval_limit.budget,
                recall_unit,
            )
        return all_budget_results.repeats.repeat_cost_in_top_k(
            self._evaluation_and_costs(measured_chunker, retrieval_limit)[0], recall_unit, self._ruler
        )

    @_cache_method_results
    def _evaluation_and_costs(self, measured_chunker: MeasuredChunker, retrieval_limit: Limit) -> tuple[Evaluation, Costs]:
        chunker_evaluation, all_budget_results = measured_chunker
        if retrieval_limit.budget and all_budget_results is not None:
            results_at_budgets = all_budget_results.results_in_unit(retrieval_limit.unit, retrieval_limit.last)
            chosen_budget_index = results_at_budgets.budgets.sizes.index(retrieval_limit.budget)
            scores_at_budget = chunker_evaluation.scores.copy()
            for measure_index, measure_name in enumerate(RETRIEVED_TEXT_MEASURES):
                scores_at_budget[:, RETRIEVAL_MEASURE_NAMES.index(measure_name)] = results_at_budgets.scores[
                    :, chosen_budget_index, measure_index
                ]
            retrieved_token_counts = results_at_budgets.given[RANGE_UNITS.index("tokens"), chosen_budget_index]
            return replace(chunker_evaluation, scores=scores_at_budget), Costs.of_evaluation(
                chunker_evaluation, float(retrieved_token_counts.mean()) if len(retrieved_token_counts) else 0.0
            )
        if chunker_evaluation.top_k != retrieval_limit.top:
            chunker_evaluation = chunker_evaluation.with_top_k(retrieval_limit.top, self._ruler)
        return chunker_evaluation, Costs.of_evaluation(
            chunker_evaluation, chunker_evaluation.mean_retrieved_length(self._ruler)
        )
