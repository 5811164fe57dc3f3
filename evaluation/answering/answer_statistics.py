"""Summary of the answers from several chunkers: means, paired intervals, who is ahead, costs, and everything as a file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from chunkers.language_models import LanguageModel
from chunkers.support import FloatArray, csv_text, format_number, pluralize, round_up_estimate
from evaluation.answering.answering_work_and_results import AnswerResult
from evaluation.answering.judging import JUDGEMENT_KINDS
from evaluation.answering.questions_and_answers import (
    REFERENCE_BASELINE,
    SWAPPED_REFERENCE_BASELINE,
    Exchange,
    GatheredPassages,
)
from evaluation.retrieval import PairedDifferences, scores_on_shared_questions
from evaluation.statistics import (
    Difference,
    corrected_differences_per_comparison,
    format_interval,
    questions_needed,
    too_few_values_sentence,
)


class AnswerMeasure(NamedTuple):
    """Quality measure of answers: its title, its name within a sentence and its range."""

    title: str
    name_in_sentence: str
    low: float
    high: float


ANSWER_MEASURES: Mapping[str, AnswerMeasure] = {
    "aqs": AnswerMeasure("AQS", "AQS", 0, 1),
    "faithfulness": AnswerMeasure("Faithfulness", "faithfulness", 0, 1),
    "relevancy": AnswerMeasure("Answer relevancy", "answer relevancy", 0, 1),
    "correctness": AnswerMeasure("Correctness", "correctness", 1, 5),
    "question_cosine": AnswerMeasure("Question cosine", "cosine of question and answer", -1, 1),
    "reference_cosine": AnswerMeasure("Reference cosine", "cosine of answer and reference", -1, 1),
    "bert_score": AnswerMeasure("BERTScore", "BERTScore", 0, 1),
}
"""All measures, by the names of their values; more is better in each."""

AnswerResults = Mapping[tuple[int, int], AnswerResult]
"""Results so far, by the numbers of the chunker and of the question, both from 0."""


@dataclass(frozen=True)
class AnswerReport:
    """Quality measures of all chunkers' answers to the same questions.

    Attributes
    ----------
    names
        Names of the chunkers.
    questions
        Number of questions.
    results
        See `AnswerResults`.
    controls
        The numbers of the rows `REFERENCE_BASELINE` and `SWAPPED_REFERENCE_BASELINE`, which are compared only with each
        other.
    """

    names: Sequence[str]
    questions: int
    results: AnswerResults
    controls: Mapping[str, int] = field(default_factory=dict)

    def values(self, measure: str) -> list[FloatArray]:
        """Return a measure of every answer, one array of shape (questions,) per row; NaN if undefined or not judged."""
        chunker_by_question_value_matrix = np.full((len(self.names), self.questions), np.nan)
        for (chunker_number, question_number), answer_result in self.results.items():
            measured_answer_value = answer_result.value(measure)
            if measured_answer_value is not None:
                chunker_by_question_value_matrix[chunker_number, question_number] = measured_answer_value
        return [*chunker_by_question_value_matrix]

    def _values_without_controls(self, measure: str) -> list[FloatArray]:
        """Return a measure of every chunker as `values`, but of no control."""
        values_without_control_chunkers = self.values(measure)
        for control_row_number in self.controls.values():
            values_without_control_chunkers[control_row_number] = np.full(self.questions, np.nan)
        return values_without_control_chunkers

    @property
    def measure_names_with_values(self) -> list[str]:
        """Names of the measures that are defined for at least one answer."""
        return [name for name in ANSWER_MEASURES if any(not np.isnan(row).all() for row in self.values(name))]

    def usable_answer_count(self, chunker_number: int) -> int:
        """Return the number of questions for which a chunker has a usable answer."""
        return sum(result.answer.is_usable for (number, _), result in self.results.items() if number == chunker_number)

    def count_answers_with_unreadable_judgement(self, chunker_number: int, measure: str) -> int:
        """Return the number of a chunker's answers that lack a measure because a judgement was unreadable."""
        judgement_kinds_of_measure = JUDGEMENT_KINDS[:2] if measure == "aqs" else (measure,)
        return sum(
            any(kind in result.unreadable_judgement_kinds for kind in judgement_kinds_of_measure)
            for (number, _), result in self.results.items()
            if number == chunker_number
        )

    @cached_property
    def comparisons(self) -> PairedDifferences[str]:
        """Differences between all pairs of chunkers in each measure, with p-values corrected for all comparisons.

        All pairs are compared on the same questions: the questions on which all chunkers with this measure have a value.
        """
        shared_values_by_measure = {
            name: scores_on_shared_questions(self._values_without_controls(name)) for name in self.measure_names_with_values
        }
        return PairedDifferences(
            shared_values_by_measure, {name: measure.high - measure.low for name, measure in ANSWER_MEASURES.items()}
        )

    def verdict(self, measure: str) -> str:
        """Return a verdict in words on whether one chunker is significantly ahead of all others in a measure."""
        measure_name_in_sentence = ANSWER_MEASURES[measure].name_in_sentence
        values_shared_by_all_chunkers = scores_on_shared_questions(self._values_without_controls(measure))
        mean_by_chunker = {
            number: float(np.nanmean(scores))
            for number, scores in enumerate(values_shared_by_all_chunkers)
            if not np.isnan(scores).all()
        }
        if not mean_by_chunker:
            return f"Nothing can be said of {measure_name_in_sentence}: no answer has it with every chunker."
        all_chunkers_question_count = max(int((~np.isnan(scores)).sum()) for scores in values_shared_by_all_chunkers)
        best_chunker_number, *other_chunker_numbers = sorted(mean_by_chunker, key=lambda number: -mean_by_chunker[number])
        mean_and_count_phrase = (
            f"{format_number(mean_by_chunker[best_chunker_number], '.2f')} over "
            f"{pluralize(all_chunkers_question_count, 'question')}"
        )
        if not other_chunker_numbers:
            return f"{self.names[best_chunker_number]}: mean {measure_name_in_sentence} {mean_and_count_phrase}."
        difference_by_other_chunker = {
            other: self.comparisons.tested_difference_of_chunkers(measure, best_chunker_number, other)
            for other in other_chunker_numbers
        }
        chunkers_not_clearly_behind = [
            other for other, diff in difference_by_other_chunker.items() if diff is None or not diff.significant
        ]
        holm_correction_phrase = f"Holm's correction for {pluralize(len(self.comparisons.tested), 'comparison')}"
        if not chunkers_not_clearly_behind:
            lead_over_second_best = difference_by_other_chunker[other_chunker_numbers[0]]
            assert lead_over_second_best is not None
            return (
                f"{self.names[best_chunker_number]} has the highest {measure_name_in_sentence}, {mean_and_count_phrase}, "
                "and is significantly ahead "
                f"of every other: of {self.names[other_chunker_numbers[0]]} by "
                f"{_difference_in_words(lead_over_second_best)} "
                f"({holm_correction_phrase})."
            )
        closest_rival_chunker_number = chunkers_not_clearly_behind[0]
        lead_over_rival = difference_by_other_chunker[closest_rival_chunker_number]
        no_winner_verdict_text = (
            f"Nobody is significantly ahead of all others in {measure_name_in_sentence}. {self.names[best_chunker_number]} "
            "has the "
            f"highest mean, {mean_and_count_phrase}"
        )
        if lead_over_rival is None:
            return (
                f"{no_winner_verdict_text}. "
                f"{too_few_values_sentence(self.comparisons.comparison_count, all_chunkers_question_count)}"
            )
        no_winner_verdict_text += (
            f"; on {self.names[closest_rival_chunker_number]} it has {_difference_in_words(lead_over_rival)} "
            f"({holm_correction_phrase})."
        )
        needed_question_count = questions_needed(
            values_shared_by_all_chunkers[best_chunker_number] - values_shared_by_all_chunkers[closest_rival_chunker_number]
        )
        if needed_question_count is None:
            return f"{no_winner_verdict_text} The two are level."
        if needed_question_count > lead_over_rival.count:
            no_winner_verdict_text += (
                f" For such a difference to be significant would take some {round_up_estimate(needed_question_count):,} "
                "questions."
            )
        return no_winner_verdict_text

    def right_wrong_separation_sentences(self) -> list[str]:
        """Return a sentence for each measure on whether it separates right answers from wrong answers.

        Empty if the control rows are missing.
        """
        if len(self.controls) < 2:
            return []
        reference_answers_row_number, swapped_references_row_number = (
            self.controls[REFERENCE_BASELINE],
            self.controls[SWAPPED_REFERENCE_BASELINE],
        )
        control_values_by_measure = {
            name: (rows[reference_answers_row_number], rows[swapped_references_row_number])
            for name in self.measure_names_with_values
            if (rows := self.values(name))
        }
        comparable_values_by_measure = {
            name: pair for name, pair in control_values_by_measure.items() if not np.isnan(pair[0] - pair[1]).all()
        }
        if not comparable_values_by_measure:
            return []
        measure_range_widths = [
            ANSWER_MEASURES[name].high - ANSWER_MEASURES[name].low for name in comparable_values_by_measure
        ]
        reference_minus_wrong_differences = corrected_differences_per_comparison(
            np.array([one - other for one, other in comparable_values_by_measure.values()]), measure_range_widths
        )
        return [
            _right_wrong_separation_sentence(name, *comparable_values_by_measure[name], difference)
            for name, difference in zip(comparable_values_by_measure, reference_minus_wrong_differences, strict=True)
        ]


def chunking_and_answering_cost_table(
    report: AnswerReport, passages_by_chunker_number: Mapping[int, GatheredPassages], language_model: LanguageModel | None
) -> list[dict[str, float | str | None]]:
    """Return the costs of every chunker as table rows: seconds, tokens and dollars; None if unknown.

    The last four columns are those of the answers alone, without judgements; a cached answer counts at its original cost.
    Source of the quantities that are counted: the article that introduced double-pass merging. Here they are counted
    for the user's own text.
    """
    cost_rows: list[dict[str, float | str | None]] = []
    some_chunker_asks_model = any(
        retrieval.language_model_tokens is not None for retrieval in passages_by_chunker_number.values()
    )
    for chunker_number, row_name in enumerate(report.names):
        gathered_passages, usable_answer_count = (
            passages_by_chunker_number[chunker_number],
            report.usable_answer_count(chunker_number),
        )
        answer_exchanges = [
            result.answer.exchange for (chunker, _), result in report.results.items() if chunker == chunker_number
        ]
        sent_token_count, received_token_count = (
            sum(exchange.tokens_in for exchange in answer_exchanges),
            sum(exchange.tokens_out for exchange in answer_exchanges),
        )
        answering_price_dollars = (
            None if language_model is None else language_model.price_of_tokens(sent_token_count, received_token_count)
        )
        cost_rows.append(
            {
                "chunker": row_name,
                "chunking, s": gathered_passages.chunk_s,
                "embedding, s": gathered_passages.embed_s,
                "chunks": gathered_passages.chunks,
                **({"tokens to chunk": gathered_passages.language_model_tokens or 0} if some_chunker_asks_model else {}),
                "tokens read": sent_token_count,
                "answer tokens": received_token_count,
                "tokens an answer": received_token_count / usable_answer_count if usable_answer_count else None,
                "cost, $": None if answering_price_dollars is None else float(answering_price_dollars),
            }
        )
    return cost_rows


def _right_wrong_separation_sentence(
    measure_name: str, reference_answer_scores: FloatArray, wrong_answer_scores: FloatArray, difference: Difference | None
) -> str:
    both_answers_scored_mask = ~np.isnan(reference_answer_scores - wrong_answer_scores)
    measure_title = ANSWER_MEASURES[measure_name].title
    right_and_wrong_means_phrase = (
        f"{reference_answer_scores[both_answers_scored_mask].mean():.2f} for the reference answers, "
        f"{wrong_answer_scores[both_answers_scored_mask].mean():.2f} for those of other questions"
    )
    means_and_count_phrase = (
        f"{right_and_wrong_means_phrase}, over {pluralize(int(both_answers_scored_mask.sum()), 'question')}"
    )
    if difference is None:
        return (
            f"{measure_title}: too few questions to say whether it tells right from wrong with this model: "
            f"{means_and_count_phrase}."
        )
    tells_or_does_not_tell_phrase = "tells" if difference.significant and difference.mean > 0 else "does not tell"
    return (
        f"{measure_title} {tells_or_does_not_tell_phrase} right from wrong with this model: {means_and_count_phrase} "
        f"({difference.p_value_phrase})."
    )


def _difference_in_words(difference: Difference) -> str:
    confidence_interval_phrase = format_interval(difference.low, difference.high, difference.alpha, 1, 2)
    return f"{format_number(difference.mean, '+.2f')} ({confidence_interval_phrase}, {difference.p_value_phrase})"


# All answers and judgements as a file: CSV for a spreadsheet, JSON lines with every prompt and every word.


def answers_to_csv(row_names: Sequence[str], answer_results: AnswerResults) -> str:
    """Return the answers as CSV, one row each, with an apostrophe before text that looks like a formula."""
    csv_column_heads = [
        "chunker",
        "question",
        "reference",
        "answer",
        "problem",
        *ANSWER_MEASURES,
        "not_judged",
        "context_tokens",
    ]
    csv_answer_rows = (
        [
            row_names[chunker],
            result.item.question,
            result.item.reference,
            result.answer.text,
            result.answer.problem,
            *map(result.value, ANSWER_MEASURES),
            " ".join(result.unreadable_judgement_kinds),
            result.context.tokens,
        ]
        for (chunker, _), result in sorted(answer_results.items())
    )
    return csv_text(csv_column_heads, csv_answer_rows)


def answers_to_json_lines(row_names: Sequence[str], answer_results: AnswerResults) -> str:
    """Return the answers as JSON lines, each with its passages and all conversations with the models."""
    json_lines_of_answers = []
    for (chunker_number, _), answer_result in sorted(answer_results.items()):
        answer_fields_by_name = {
            "chunker": row_names[chunker_number],
            "question": answer_result.item.question,
            "reference": answer_result.item.reference,
            "answer": answer_result.answer.text,
            "problem": answer_result.answer.problem,
            "asked": _message_dicts(answer_result.answer.exchange),
            "passages": [passage._asdict() for passage in answer_result.context.passages],
            **{measure: answer_result.value(measure) for measure in ANSWER_MEASURES},
            "judgements": [
                {"kind": kind, "time": place + 1, "value": judgement.value, "problem": judgement.problem}
                | {"said": judgement.sentences, "asked": _message_dicts(judgement.exchange)}
                for kind, times in answer_result.judgements.items()
                for place, judgement in enumerate(times)
            ],
        }
        json_lines_of_answers.append(json.dumps(answer_fields_by_name, ensure_ascii=False) + "\n")
    return "".join(json_lines_of_answers)


def _message_dicts(exchange: Exchange) -> list[dict[str, str]]:
    return [message._asdict() for message in exchange.turns]
