"""Reports of a retrieval run by measure, unit, top k or budget, and baseline, each computed once."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import numpy as np

from chunkers.support import FloatArray, IntArray, LRUDict, cached_in
from evaluation.questions import Corpus, Question, TokenRuler, ruler_for
from evaluation.retrieval.budget import Last
from evaluation.retrieval.given_chunks import (
    FailedExcerpt,
    GivenChunks,
    Limit,
    MeasuredChunker,
    given_at_budget,
    given_top_k,
    retrieval_failures,
)
from evaluation.retrieval.ladder_and_repeats import BudgetLadder, RepeatCost
from evaluation.retrieval.leaders import Curve, Lead, Leads
from evaluation.retrieval.measures import (
    FOUND_SCORES,
    MEASURE_NAMES,
    RANGE_UNITS,
    RETRIEVAL_MEASURES,
    Evaluation,
    excerpt_ranges,
    mean_and_deviation,
    precision_omega,
    text_scores,
    value_or_nan,
)
from evaluation.segmentation import Score
from evaluation.statistics import Difference, mean_interval, paired_differences, too_few_values_words

Value = TypeVar("Value")

DEPTHS_KEPT = 8
"""Number of values of k for which a run keeps the measures."""

REPORTS_KEPT = 32
"""Number of reports that a run keeps, each with its own measure, unit, top k or baseline."""


class ReportChoice(NamedTuple):
    """User's choices that determine a retrieval report: measure, unit, limit and baseline.

    Attributes
    ----------
    measure, unit
        Keys of `RETRIEVAL_MEASURES` and `RANGE_UNITS`.
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
    last: Last = "cut"

    @property
    def limit(self) -> Limit:
        """Limit on the text retrieved for each question."""
        return Limit(self.top_k, self.budget, self.unit, self.last)


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
    def of(cls, evaluation: Evaluation, tokens: float) -> "Costs":
        """Return the costs of an evaluation in which a question retrieves ``tokens`` tokens on average."""
        evaluated_chunk_index = evaluation.index
        return cls(
            None if evaluated_chunk_index.chunk_s is None else evaluated_chunk_index.chunk_s + evaluated_chunk_index.embed_s,
            1000 * evaluation.search.search_s / max(1, len(evaluation.search.questions)),
            tokens,
            evaluated_chunk_index.embedded,
            evaluated_chunk_index.cached,
        )

    def embeddings_source(self) -> str:
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
    def of(cls, values: FloatArray) -> "Distribution":
        """Return the distribution of ``values``, which must lie between 0 and 1."""
        mean, _ = mean_and_deviation(values) or (None, None)
        return cls(values, mean, mean_interval(values))


Failures = Mapping[int, Sequence[FailedExcerpt]]
"""By number of the chunker the excerpts of which it missed something, those with most missed first."""

AtK = Mapping[int, Mapping[str, Score]]
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
    everything
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
    at_k: Mapping[str, AtK]
    everything: bool
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
    unit_length_function = ruler_for(unit, ruler)
    document_spans = [corpus.on_axis(number, (0, len(document.text))) for number, document in enumerate(corpus.documents)]
    all_excerpts = [excerpt_ranges(corpus, question) for question in questions]
    scores_by_question = [
        {
            **text_scores(excerpts, document_spans, unit_length_function),
            "precision_omega": precision_omega(excerpts, [[span] for span in document_spans], unit_length_function),
        }
        for excerpts in all_excerpts
    ]
    mean_score_by_measure = {
        name: mean_and_deviation(np.array([value_or_nan(own[name]) for own in scores_by_question]))
        for name in RETRIEVAL_MEASURES
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
    curve: Curve | None
    at_k: Leads
    disagreements: IntArray
    ruler: TokenRuler
    whole: WholeText

    @property
    def everything(self) -> bool:
        """True if every question receives the whole text with every chunker."""
        return all(chunker.everything for chunker in self.chunkers.values())

    @property
    def lead(self) -> Lead | None:
        """Leading chunker; None if fewer than two chunkers have values."""
        leads, amount = (self.at_k, self.choice.top_k) if self.curve is None else (self.curve.leads, self.choice.budget)
        return leads.leads.get(amount)

    @property
    def too_few_questions_sentence(self) -> str:
        """Sentence on how many questions a significant difference from the baseline takes, and how many there are."""
        baseline_question_scores = self.distributions[self.choice.baseline].values
        shared_question_counts = [
            int(np.count_nonzero(~np.isnan(distribution.values - baseline_question_scores)))
            for number, distribution in self.distributions.items()
            if number != self.choice.baseline
        ]
        return too_few_values_words(len(shared_question_counts), max(shared_question_counts, default=0))

    def given_chunks(self, number: int, question: int) -> GivenChunks:
        """Return the chunks retrieved for a question from the index of the chunker ``number``."""
        chunker, (_, unit, _, _, budget, last) = self.chunkers[number], self.choice
        if not budget or chunker.ladder is None:
            return given_top_k(chunker.evaluation, question)
        return given_at_budget(chunker.evaluation, chunker.ladder, question, budget, unit, last, self.ruler)

    @property
    def distributions(self) -> dict[int, Distribution]:
        """Distribution of the chosen measure for each chunker, keyed by chunker number."""
        return {number: chunker.distribution for number, chunker in self.chunkers.items()}

    @property
    def costs(self) -> dict[int, Costs]:
        """Costs of each chunker, keyed by chunker number."""
        return {number: chunker.costs for number, chunker in self.chunkers.items()}


def differing_question_indexes(values: Mapping[int, FloatArray]) -> IntArray:
    """Return the numbers of the questions for which a measure differs between chunkers, ignoring undefined values.

    ``values`` holds the measure of at least one chunker, each of shape (questions,).
    """
    all_values = np.array(list(values.values()))
    return np.flatnonzero(np.fmax.reduce(all_values) > np.fmin.reduce(all_values))


def _gives_everything(measured: MeasuredChunker, limit: Limit) -> bool:
    """Return whether every question is given all chunks of a chunker in full."""
    chunk_count = len(measured.evaluation.index.chunks)
    if limit.budget and measured.ladder is not None:
        return limit.budget in measured.ladder.results_for(limit.unit, limit.last).budgets_giving_all_chunks(chunk_count)
    return chunk_count <= limit.top_k


def make_lru_cache(most: int) -> Callable[[Hashable, Callable[[], Value]], Value]:
    """Return a function that computes the value of a key, and keeps the ``most`` values that were used last.

    If several threads request the same key, one thread computes the value and the others wait. Requests for other keys do
    not wait. If computing fails, the next call computes again.
    """

    @cached_in(LRUDict(most), lambda key, compute: key)
    def value(key: Hashable, compute: Callable[[], Value]) -> Value:
        return compute()

    return value


class Reports:
    """Thread-safe cache of the reports on one retrieval run.

    The scores of all questions are computed once for each k or budget, and a distribution once for each k or budget, measure
    and unit. A run adds chunkers while it works, but never removes or changes a chunker, so cached values stay valid. Each
    report covers the chunkers for which it was requested.

    Parameters
    ----------
    ruler
        Counts tokens.
    names
        The names of the run's chunkers in sentences.
    """

    def __init__(self, ruler: TokenRuler, names: Sequence[str]) -> None:
        self._ruler = ruler
        self._names = names
        chunker_count = len(names)
        self._measured = make_lru_cache(DEPTHS_KEPT * chunker_count)
        self._distributions = make_lru_cache(REPORTS_KEPT * chunker_count)
        self._repeats = make_lru_cache(DEPTHS_KEPT * chunker_count)
        self._curves = make_lru_cache(REPORTS_KEPT)
        self._leads = make_lru_cache(REPORTS_KEPT)
        self._failures = make_lru_cache(DEPTHS_KEPT)
        self._wholes = make_lru_cache(len(RANGE_UNITS))
        self._reports = make_lru_cache(REPORTS_KEPT)

    def report_for(self, measured: Mapping[int, MeasuredChunker], choice: ReportChoice) -> Report:
        """Return a report that compares chunkers with the baseline that ``choice`` names.

        If ``choice`` has a budget, all chunkers must have a ladder.
        """
        measured = {number: measured[number] for number in sorted(measured)}
        return self._reports((tuple(measured), choice), lambda: self._report(measured, choice))

    def failures(self, measured: Mapping[int, MeasuredChunker], limit: Limit) -> Failures:
        """Return, for each chunker, the excerpts that it failed to retrieve in full, most missing text first."""
        if not limit.budget:
            # What only counts for a budget.
            limit = limit._replace(unit="", last="cut")
        measured = {number: measured[number] for number in sorted(measured)}
        return self._failures((tuple(measured), limit), lambda: retrieval_failures(measured, limit, self._ruler))

    def _report(self, all_measured: Mapping[int, MeasuredChunker], choice: ReportChoice) -> Report:
        chunkers = {number: self._chunker(number, measured, choice) for number, measured in all_measured.items()}
        distributions = {number: chunker.distribution for number, chunker in chunkers.items()}
        non_baseline_chunkers = [number for number in all_measured if number != choice.baseline]
        baseline_question_scores = distributions[choice.baseline].values
        score_differences = [distributions[number].values - baseline_question_scores for number in non_baseline_chunkers]
        tested_baseline_differences = paired_differences(np.array(score_differences)) if score_differences else []
        chunker_search = next(iter(all_measured.values())).evaluation.search
        return Report(
            choice,
            chunkers,
            {
                number: difference
                for number, difference in zip(non_baseline_chunkers, tested_baseline_differences, strict=True)
                if difference is not None
            },
            self._curve(all_measured, choice) if choice.budget and choice.measure in FOUND_SCORES else None,
            self._leads_at_top_k(all_measured, choice),
            differing_question_indexes({number: distribution.values for number, distribution in distributions.items()}),
            self._ruler,
            self._wholes(
                choice.unit,
                lambda: whole_text_scores(chunker_search.index.corpus, chunker_search.questions, self._ruler, choice.unit),
            ),
        )

    def _curve(self, all_measured: Mapping[int, MeasuredChunker], choice: ReportChoice) -> Curve:
        ladder_by_chunker = {
            number: measured.ladder for number, measured in all_measured.items() if measured.ladder is not None
        }
        results_by_chunker = {
            number: ladder.results_for(choice.unit, choice.last) for number, ladder in ladder_by_chunker.items()
        }
        name_by_chunker_number = {number: self._names[number] for number in results_by_chunker}
        curve_cache_key = (tuple(all_measured), choice._replace(budget=1, baseline=0, top_k=0))
        chunk_counts = {number: len(measured.evaluation.index.chunks) for number, measured in all_measured.items()}
        full_budgets = set.intersection(
            *(
                set(at_budgets.budgets_giving_all_chunks(chunk_counts[number]))
                for number, at_budgets in results_by_chunker.items()
            )
        )
        return self._curves(
            curve_cache_key,
            lambda: Curve.of(results_by_chunker, name_by_chunker_number, choice.measure, sorted(full_budgets)),
        )

    def _leads_at_top_k(self, all_measured: Mapping[int, MeasuredChunker], choice: ReportChoice) -> Leads:
        """Return the leaders at the top k, whatever the report is about."""
        choice = choice._replace(budget=0, baseline=0, last="cut")

        def compute() -> Leads:
            question_scores_by_chunker = [
                self._evaluation(number, measured, choice)[0].values(choice.measure, choice.unit)
                for number, measured in all_measured.items()
            ]
            chunker_names = [self._names[number] for number in all_measured]
            is_everything_retrieved = all(_gives_everything(measured, choice.limit) for measured in all_measured.values())
            return Leads.of(
                chunker_names,
                MEASURE_NAMES[choice.measure],
                "chunks",
                {choice.top_k: question_scores_by_chunker},
                everything=[choice.top_k] if is_everything_retrieved else [],
            )

        return self._leads((tuple(all_measured), choice), compute)

    def _chunker(self, number: int, measured: MeasuredChunker, choice: ReportChoice) -> ChunkerReport:
        measure, unit = choice.measure, choice.unit
        evaluation, costs = self._evaluation(number, measured, choice)
        question_score_distribution = self._distributions(
            (number, choice._replace(baseline=0)), lambda: Distribution.of(evaluation.values(measure, unit))
        )
        indexed_chunks = evaluation.index.chunks
        return ChunkerReport(
            evaluation,
            measured.ladder,
            costs,
            {name: mean_and_deviation(evaluation.values(name, unit)) for name in RETRIEVAL_MEASURES},
            question_score_distribution,
            self._ruler([span for chunk in indexed_chunks for span in chunk]) / max(1, len(indexed_chunks)),
            {"documents": evaluation.means_at_k("documents"), "evidence": evaluation.means_at_k("evidence")},
            _gives_everything(measured, choice.limit),
            self._repeat_cost(number, measured, choice),
        )

    def _repeat_cost(self, number: int, measured: MeasuredChunker, choice: ReportChoice) -> RepeatCost | None:
        ladder, limit, unit = measured.ladder, choice.limit, choice.unit
        ladder_near_duplicates = ladder.repeats if ladder is not None else None
        if ladder is None or ladder_near_duplicates is None or not ladder_near_duplicates.near:
            return None

        def compute() -> RepeatCost:
            if limit.budget:
                return ladder_near_duplicates.at_budget(ladder.results_for(limit.unit, limit.last), limit.budget, unit)
            return ladder_near_duplicates.in_top_k(self._evaluation(number, measured, choice)[0], unit, self._ruler)

        return self._repeats((number, limit, unit), compute)

    def _evaluation(self, number: int, measured: MeasuredChunker, choice: ReportChoice) -> tuple[Evaluation, Costs]:
        return self._measured((number, choice.limit), lambda: self._measure(measured, choice.limit))

    def _measure(self, measured: MeasuredChunker, limit: Limit) -> tuple[Evaluation, Costs]:
        chunker_evaluation, ladder = measured
        if limit.budget and ladder is not None:
            results_at_budgets = ladder.results_for(limit.unit, limit.last)
            budget_row_index = results_at_budgets.budgets.sizes.index(limit.budget)
            scores_at_budget = chunker_evaluation.scores.copy()
            for place, name in enumerate(FOUND_SCORES):
                scores_at_budget[:, RETRIEVAL_MEASURES.index(name)] = results_at_budgets.scores[:, budget_row_index, place]
            given_token_counts = results_at_budgets.given[RANGE_UNITS.index("tokens"), budget_row_index]
            return replace(chunker_evaluation, scores=scores_at_budget), Costs.of(
                chunker_evaluation, float(given_token_counts.mean()) if len(given_token_counts) else 0.0
            )
        if chunker_evaluation.top_k != limit.top_k:
            chunker_evaluation = chunker_evaluation.at_top_k(limit.top_k, self._ruler)
        return chunker_evaluation, Costs.of(chunker_evaluation, chunker_evaluation.retrieved_size(self._ruler))
