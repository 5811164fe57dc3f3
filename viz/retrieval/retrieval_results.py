"""The results of a retrieval run over all questions: the verdict in key figures, the tables, and the figures."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from chunkers.support import format_three_figures, join_words, pluralize, round_up_estimate
from evaluation.report.measure_table_cells import near_duplicate_row, retrieval_row
from evaluation.retrieval import MEASURE_NAMES, RETRIEVAL_MEASURE_TITLES, Costs, Lead, Report
from evaluation.search import NEAR_DUPLICATE_SIMILARITY, SHINGLE_WORDS, SearchMethod
from evaluation.statistics import FALSE_VERDICT_SENTENCE, Difference
from viz.components.browser_exchange import Component, Data
from viz.components.figure import box_plots, show_figure_with_its_data
from viz.components.measure_table import show_measures
from viz.components.page_elements import show_notice
from viz.jobs.retrieval import Retrieval
from viz.retrieval.figures import (
    build_baseline_difference_plot,
    scores_at_each_k_table,
    scores_at_k_plot,
    show_budget_curve,
    trade_off_plot,
)
from viz.retrieval.link_parameter_widgets import COST_KIND_TITLES, draw_link_parameter_control

_key_figures_component = Component[Data](
    "seamark_summary", "retrieval/key_figures.js", "retrieval/key_figures.css", html="<dl></dl>"
)


class KeyFigure(NamedTuple):
    """A key figure: its label, the value, and a line of detail."""

    label: str
    value: str
    detail: str


# The verdict on a retrieval run: the leader, the significance of its lead, and the cost.


def key_figures(
    retrieval_report: Report, chunker_names: Mapping[int, str], measure: str, question_key_figure: KeyFigure
) -> list[KeyFigure]:
    """Return a run's key figures: ``question_key_figure``, the leading chunker, the certainty of its lead, and the cost."""
    mean_by_chunker = {
        number: distribution.mean
        for number, distribution in retrieval_report.distributions.items()
        if distribution.mean is not None
    }
    if not mean_by_chunker:
        return [
            question_key_figure,
            KeyFigure("Found", "Nothing to measure", f"{measure[0].upper()}{measure[1:]} is undefined for every question."),
        ]
    if retrieval_report.is_everything_retrieved:
        return [
            question_key_figure,
            _limit_holds_everything_key_figure(retrieval_report),
            _cost_key_figure(next(iter(mean_by_chunker)), None, retrieval_report.time_and_token_costs, chunker_names),
        ]
    lead_of_best_chunker = retrieval_report.best_chunker_lead
    if lead_of_best_chunker is None:
        ((only_chunker_number, only_chunker_mean),) = list(mean_by_chunker.items())[:1]
        return [
            question_key_figure,
            KeyFigure(f"Mean {measure}", chunker_names[only_chunker_number], f"{100 * only_chunker_mean:.1f} %"),
            _cost_key_figure(only_chunker_number, None, retrieval_report.time_and_token_costs, chunker_names),
        ]
    chunker_numbers = list(retrieval_report.chunkers)
    best_chunker_number, rival_chunker_number = (
        chunker_numbers[lead_of_best_chunker.best],
        chunker_numbers[lead_of_best_chunker.rival],
    )
    trailing_chunker_numbers = [chunker_numbers[place] for place in lead_of_best_chunker.significantly_worse_chunkers]
    return [
        question_key_figure,
        _leader_key_figure(
            lead_of_best_chunker,
            best_chunker_number,
            trailing_chunker_numbers,
            chunker_numbers,
            mean_by_chunker,
            chunker_names,
            measure,
        ),
        _certainty_key_figure(lead_of_best_chunker, chunker_names[best_chunker_number], chunker_names[rival_chunker_number]),
        _cost_key_figure(best_chunker_number, rival_chunker_number, retrieval_report.time_and_token_costs, chunker_names),
    ]


def _limit_holds_everything_key_figure(retrieval_report: Report) -> KeyFigure:
    report_choice = retrieval_report.choice
    retrieval_limit_phrase = (
        f"{report_choice.budget:,} {report_choice.unit}" if report_choice.budget else f"The top {report_choice.top_k} chunks"
    )
    limit_subject_phrase = "The budget of " + retrieval_limit_phrase if report_choice.budget else retrieval_limit_phrase
    everything_fits_sentence = (
        f"{limit_subject_phrase} hold{'s' * bool(report_choice.budget)} all of the text with every chunker, so "
        f"nothing can be missed."
    )
    return KeyFigure(
        "Found",
        "Everything was retrieved",
        f"{everything_fits_sentence} Choose a smaller {'budget' if report_choice.budget else 'k'}.",
    )


def _leader_key_figure(
    lead: Lead,
    best_chunker_number: int,
    beaten_chunker_numbers: Sequence[int],
    chunker_numbers: Sequence[int],
    mean_by_chunker: Mapping[int, float],
    chunker_names: Mapping[int, str],
    measure: str,
) -> KeyFigure:
    """Return the key figure that names the leader, or the chunkers that it does not significantly beat."""
    key_figure_label, mean_percent_phrase = f"Highest {measure}", f"{100 * lead.mean:.1f} %"
    if lead.equal_chunkers:
        tied_names_phrase = join_words(
            [chunker_names[best_chunker_number], *(chunker_names[chunker_numbers[place]] for place in lead.equal_chunkers)]
        )
        tie_subject_phrase = "All have" if lead.are_all_means_equal else f"{tied_names_phrase} have"
        return KeyFigure(key_figure_label, "A tie", f"{tie_subject_phrase} {mean_percent_phrase}.")
    if lead.significant:
        return KeyFigure(key_figure_label, chunker_names[best_chunker_number], mean_percent_phrase)
    undecided_rival_numbers = [
        number
        for number in chunker_numbers
        if number != best_chunker_number and number not in beaten_chunker_numbers and number in mean_by_chunker
    ]
    rivals_phrase = join_words(
        [f"{chunker_names[number]} ({100 * mean_by_chunker[number]:.1f} %)" for number in undecided_rival_numbers]
    )
    return KeyFigure(
        key_figure_label,
        "Not significant",
        f"{chunker_names[best_chunker_number]} has {mean_percent_phrase}; it is not significantly ahead of {rivals_phrase}.",
    )


def _certainty_key_figure(lead: Lead, best_chunker_name: str, rival_chunker_name: str) -> KeyFigure:
    certainty_figure_label = "How sure is that?"
    if lead.difference is None:
        return KeyFigure(certainty_figure_label, "Too few questions", lead.too_few_sentence)
    best_to_rival_difference = lead.difference
    lead_phrase = f"{best_to_rival_difference.points} points on {rival_chunker_name}"
    uncertainty_phrase = (
        f"{best_to_rival_difference.interval_phrase}, {best_to_rival_difference.p_value_phrase}, "
        f"{best_to_rival_difference.count:,} questions"
    )
    if best_to_rival_difference.significant:
        return KeyFigure(certainty_figure_label, "Significant", f"{lead_phrase}: {uncertainty_phrase}")
    if lead.needed_question_count is None:
        return KeyFigure(
            certainty_figure_label, "They are level", f"{best_chunker_name} and {rival_chunker_name}: {uncertainty_phrase}"
        )
    if lead.needed_question_count <= best_to_rival_difference.count:
        return KeyFigure(certainty_figure_label, "Not after correction", f"{lead_phrase}: {uncertainty_phrase}")
    return KeyFigure(
        certainty_figure_label,
        f"It takes some {round_up_estimate(lead.needed_question_count):,} questions",
        f"{lead_phrase}: {uncertainty_phrase}",
    )


def _cost_key_figure(
    best_chunker_number: int,
    other_chunker_number: int | None,
    costs_by_chunker: Mapping[int, Costs],
    chunker_names: Mapping[int, str],
) -> KeyFigure:
    best_chunker_costs = costs_by_chunker[best_chunker_number]
    tokens_phrase = f"{best_chunker_costs.tokens:,.0f} tokens retrieved per question"
    index_time_phrase = (
        "Time to index not known"
        if best_chunker_costs.index_s is None
        else f"{format_three_figures(best_chunker_costs.index_s)} s to index"
    )
    if other_chunker_number is None:
        return KeyFigure("What it cost", index_time_phrase, tokens_phrase)
    costs_of_rival_chunker = costs_by_chunker[other_chunker_number]
    rival_time_phrase = (
        "time not known"
        if costs_of_rival_chunker.index_s is None
        else f"{format_three_figures(costs_of_rival_chunker.index_s)} s"
    )
    cost_details_sentence = (
        f"{chunker_names[best_chunker_number]}, with {tokens_phrase}. {chunker_names[other_chunker_number]}: "
        f"{rival_time_phrase}, {costs_of_rival_chunker.tokens:,.0f} tokens."
    )
    return KeyFigure("What it cost", index_time_phrase, cost_details_sentence)


def differences_in_words(
    differences: Mapping[int, Difference], chunker_names: Mapping[int, str], baseline_name: str, measure: str
) -> list[str]:
    """Return a sentence for each chunker that differs significantly from the baseline, and one for the other chunkers."""
    if len(differences) == 1:
        ((chunker_number, difference),) = differences.items()
        return [difference.words(chunker_names[chunker_number], baseline_name, measure)]
    difference_sentences = [
        difference.words(chunker_names[number], baseline_name, measure)
        for number, difference in differences.items()
        if difference.significant
    ]
    insignificant_differences = {
        number: difference for number, difference in differences.items() if not difference.significant
    }
    if insignificant_differences:
        compared_question_count = max(difference.count for difference in insignificant_differences.values())
        difference_phrases = [
            f"{chunker_names[number]} ({difference.points} points, {difference.p_value_phrase})"
            for number, difference in insignificant_differences.items()
        ]
        difference_sentences.append(
            f"No significant difference in {measure} from {baseline_name} over {compared_question_count:,} questions: "
            f"{', '.join(difference_phrases)}."
        )
    return difference_sentences


_NAME_WIDTH_PIXELS = 240
"""Width of the chunkers' names in pixels: with it, a window of 1440 pixels shows all columns."""

_ROW_HEIGHT = 66
"""Height of three lines in pixels, enough for every name with its settings."""

_INDEXING_PHRASE_BY_METHOD: dict[SearchMethod, str] = {
    "embedding": "embedding the chunks",
    "bm25": "indexing the words of the chunks",
    "hybrid": "embedding the chunks and indexing their words",
}

UNKNOWN_CHUNKING_TIME_NOTE = "How long it took to make the chunks of a file is not known here."


def show_key_figures_table_and_curve(run: Retrieval, retrieval_report: Report, link_parameters: dict[str, str]) -> None:
    """Draw a run's summary, its table of measures, and the curve of a measure over budgets."""
    chunker_name_by_number = {number: run.plan.numbered_chunker_titles[number] for number in retrieval_report.chunkers}
    _show_key_figures(run, retrieval_report, chunker_name_by_number)
    table_rows = [
        retrieval_row(
            run.plan.chunker_titles_with_settings[number],
            chunker.means,
            len(chunker.evaluation.searched_index.chunks),
            chunker.chunk_tokens,
            chunker.costs,
            retrieves_everything=chunker.retrieves_everything,
        )
        for number, chunker in retrieval_report.chunkers.items()
    ]
    whole_text_result = retrieval_report.whole
    table_rows.append(
        retrieval_row(
            whole_text_result.name,
            whole_text_result.means,
            whole_text_result.documents,
            whole_text_result.tokens / whole_text_result.documents,
            retrieves_everything=True,
        )
    )
    show_measures(table_rows, _NAME_WIDTH_PIXELS, row_height=_ROW_HEIGHT, height="content")
    st.caption(_explanation_of_table_times(retrieval_report, run.plan.searched_by))
    show_budget_curve(retrieval_report, chunker_name_by_number, link_parameters)


def show_differences_costs_distributions(run: Retrieval, retrieval_report: Report, link_parameters: dict[str, str]) -> None:
    """Draw the chunkers' differences from the baseline, their costs, and the distributions of the measures."""
    name_by_chunker = {number: run.plan.numbered_chunker_titles[number] for number in retrieval_report.chunkers}
    if len(retrieval_report.chunkers) > 1:
        _show_differences_from_baseline(retrieval_report, name_by_chunker)
        st.header("Score versus cost", anchor=False)
        _show_measure_against_cost(
            retrieval_report,
            name_by_chunker,
            draw_link_parameter_control("Against", link_parameters, "cost", is_label_hidden=True),
            run.plan.searched_by,
        )
    _show_near_duplicate_costs(retrieval_report, name_by_chunker)
    st.header("Question by question", anchor=False)
    _show_score_distributions(retrieval_report, name_by_chunker)
    if not retrieval_report.choice.budget:
        st.header("Scores at k", anchor=False)
        _show_scores_at_k(
            retrieval_report,
            name_by_chunker,
            draw_link_parameter_control("What counts as found", link_parameters, "kind", is_label_hidden=True),
        )


def _show_key_figures(run: Retrieval, retrieval_report: Report, chunker_names: dict[int, str]) -> None:
    """Draw the key figures of a run."""
    search_phrase = "searched by words (BM25)" if run.plan.searched_by == "bm25" else f"embedded by {run.plan.embedder}"
    asked_questions_key_figure = KeyFigure(
        "Asked",
        pluralize(len(run.questions.usable), "question"),
        f"of {pluralize(len(run.plan.material.texts), 'document')}, {search_phrase}",
    )
    # The component shows user text in the key figures verbatim.
    run_key_figures = key_figures(
        retrieval_report, chunker_names, MEASURE_NAMES[retrieval_report.choice.measure], asked_questions_key_figure
    )
    _key_figures_component(key="retrieval_summary", data={"cells": [list(cell) for cell in run_key_figures]})
    if not retrieval_report.is_everything_retrieved and (
        everything_retrieving_chunker_names := [
            chunker_names[number] for number, chunker in retrieval_report.chunkers.items() if chunker.retrieves_everything
        ]
    ):
        show_notice(
            f"Recall says nothing about {', '.join(everything_retrieving_chunker_names)}, because everything was retrieved.",
            key="retrieval_everything",
        )
    if retrieval_report.best_chunker_lead is not None and retrieval_report.best_chunker_lead.difference is not None:
        st.caption(FALSE_VERDICT_SENTENCE)


def _explanation_of_table_times(retrieval_report: Report, search_method: SearchMethod) -> str:
    """Explain the times in the table."""
    computed_embedding_count, cached_embedding_count = (
        sum(getattr(cost, name) for cost in retrieval_report.time_and_token_costs.values())
        for name in ("embedded", "cached")
    )
    search_of_first_chunker = next(iter(retrieval_report.chunkers.values())).evaluation.search
    query_embedding_ms = 1000 * search_of_first_chunker.embed_s / max(1, len(search_of_first_chunker.questions))
    times_explanation = (
        f"Mean ± standard deviation over the questions. “{retrieval_report.whole.name}” gives every question all text. "
        "Indexing is "
        f"chunking, and {_INDEXING_PHRASE_BY_METHOD[search_method]}"
    )
    if computed_embedding_count + cached_embedding_count:
        times_explanation += (
            f", as if nothing had been embedded before: of {computed_embedding_count + cached_embedding_count:,} texts "
            f"{computed_embedding_count:,} were computed in this "
            f"run and {cached_embedding_count:,} came from the cache, counted with their original times"
        )
    times_explanation += "."
    if search_method != "bm25":
        times_explanation += f" Embedding a question takes {query_embedding_ms:,.1f} ms more with every chunker."
    return times_explanation + f" {UNKNOWN_CHUNKING_TIME_NOTE}" * any(
        cost.index_s is None for cost in retrieval_report.time_and_token_costs.values()
    )


def _show_differences_from_baseline(retrieval_report: Report, chunker_names: dict[int, str]) -> None:
    """Draw each chunker's difference from the baseline, with a sentence on its significance."""
    measure, baseline_chunker_number, comparison_by_chunker = (
        retrieval_report.choice.measure,
        retrieval_report.choice.baseline,
        retrieval_report.comparisons,
    )
    st.header(f"Against {chunker_names[baseline_chunker_number]}", anchor=False)
    if not comparison_by_chunker:
        show_notice(retrieval_report.too_few_questions_sentence, key="retrieval_few")
        return
    difference_sentences = differences_in_words(
        comparison_by_chunker, chunker_names, chunker_names[baseline_chunker_number], MEASURE_NAMES[measure]
    )
    if len(comparison_by_chunker) > 1:
        difference_sentences.append(
            f"Intervals and p-values are corrected for {len(comparison_by_chunker)} comparisons (Holm)."
        )
    difference_sentences.append(FALSE_VERDICT_SENTENCE)
    table: dict[str, list[Any]] = {
        "chunker": [chunker_names[number] for number in comparison_by_chunker],
        "difference, points": [round(100 * comparison.mean, 2) for comparison in comparison_by_chunker.values()],
        "interval from": [round(100 * comparison.low, 2) for comparison in comparison_by_chunker.values()],
        "to": [round(100 * comparison.high, 2) for comparison in comparison_by_chunker.values()],
        "level, %": [round(100 * (1 - comparison.alpha), 2) for comparison in comparison_by_chunker.values()],
        "adjusted p": [round(comparison.adjusted, 4) for comparison in comparison_by_chunker.values()],
        "significant": ["yes" if comparison.significant else "no" for comparison in comparison_by_chunker.values()],
    }
    show_figure_with_its_data(
        build_baseline_difference_plot(
            comparison_by_chunker, chunker_names, chunker_names[baseline_chunker_number], MEASURE_NAMES[measure]
        ),
        table,
        "Differences",
        key="retrieval_differences",
    )
    show_notice("\n".join(difference_sentences), key="retrieval_sentences")


def _show_near_duplicate_costs(retrieval_report: Report, chunker_names: dict[int, str]) -> None:
    """Draw the cost of near-duplicates for the chunkers that have any."""
    repetition_cost_by_chunker = {
        number: chunker.repeats for number, chunker in retrieval_report.chunkers.items() if chunker.repeats is not None
    }
    if not repetition_cost_by_chunker:
        return
    st.header("Near-duplicates", anchor=False)
    table_rows = [
        near_duplicate_row(
            chunker_names[number], cost, len(retrieval_report.chunkers[number].evaluation.searched_index.chunks)
        )
        for number, cost in repetition_cost_by_chunker.items()
    ]
    show_measures(table_rows, key="retrieval_near_duplicates")
    st.caption(
        f"Chunks that share {100 * NEAR_DUPLICATE_SIMILARITY:.0f} % of their runs of {SHINGLE_WORDS} words, among all "
        f"documents. A place is taken by "
        "a chunk that repeats a better-ranked one; without them, the next ones move up. An excerpt counts at its own place, "
        "not in a copy. In brackets the 95 % intervals, each by itself."
    )


def _show_measure_against_cost(
    retrieval_report: Report, chunker_names: dict[int, str], cost_kind: str, search_method: SearchMethod
) -> None:
    """Draw the measure against a cost, a key of `COST_KIND_TITLES`."""
    chunkers, costs_by_chunker, measure_title = (
        retrieval_report.chunkers.values(),
        retrieval_report.time_and_token_costs,
        RETRIEVAL_MEASURE_TITLES[retrieval_report.choice.measure],
    )
    measure_mean_per_chunker = [distribution.mean for distribution in retrieval_report.distributions.values()]
    chunking_seconds_per_chunker = [chunker.evaluation.searched_index.chunk_s for chunker in chunkers]
    indexing_work_name = {"embedding": "embedding", "bm25": "indexing words", "hybrid": "embedding and indexing words"}[
        search_method
    ]
    table: dict[str, list[Any]] = {
        "chunker": list(chunker_names.values()),
        f"{measure_title}, %": [None if mean is None else round(100 * mean, 2) for mean in measure_mean_per_chunker],
        "tokens a question": [round(chunker_cost.tokens) for chunker_cost in costs_by_chunker.values()],
        "chunking, s": [None if known is None else round(known, 3) for known in chunking_seconds_per_chunker],
        f"{indexing_work_name}, s": [round(chunker.evaluation.searched_index.embed_s, 3) for chunker in chunkers],
        "embeddings": [chunker_cost.embeddings_origin_phrase() for chunker_cost in costs_by_chunker.values()],
        "search, ms a question": [round(chunker_cost.search_ms, 4) for chunker_cost in costs_by_chunker.values()],
    }
    show_figure_with_its_data(
        trade_off_plot(retrieval_report.distributions, costs_by_chunker, chunker_names, measure_title, cost_kind),
        table,
        f"{measure_title} against {COST_KIND_TITLES[cost_kind].lower()}",
        key="retrieval_trade_off",
    )
    trade_off_caption = "The bars are 95 % confidence intervals of the means."
    if cost_kind == "query" and search_method != "bm25":
        trade_off_caption += " Embedding the question is left out: it takes the same with every chunker."
    if cost_kind == "index" and any(chunker_cost.index_s is None for chunker_cost in costs_by_chunker.values()):
        trade_off_caption += f" {UNKNOWN_CHUNKING_TIME_NOTE}"
    if cost_kind == "index" and any(chunker_cost.cached for chunker_cost in costs_by_chunker.values()):
        trade_off_caption += " Open circles: part of the time is that of an earlier run, whose embeddings were in the cache."
    st.caption(trade_off_caption)


def _show_score_distributions(retrieval_report: Report, chunker_names: dict[int, str]) -> None:
    """Draw the distribution of the measure over the questions."""
    distribution_by_chunker = retrieval_report.distributions
    measure_title = RETRIEVAL_MEASURE_TITLES[retrieval_report.choice.measure]
    table: dict[str, Any] = {"question": np.arange(1, len(next(iter(distribution_by_chunker.values())).values) + 1)}
    table |= {
        chunker_names[number]: (100 * distribution.values).round(2)
        for number, distribution in distribution_by_chunker.items()
    }
    show_figure_with_its_data(
        box_plots(
            chunker_names,
            {number: 100 * distribution.values for number, distribution in distribution_by_chunker.items()},
            "%{x:.1f} %",
            {"title": f"{measure_title} per question, %", "range": [-2, 102] if measure_title == "Recall" else None},
            shows_means=True,
        ),
        table,
        f"{measure_title} by question",
        key="retrieval_boxes",
    )


def _show_scores_at_k(retrieval_report: Report, chunker_names: dict[int, str], documents_or_evidence: str) -> None:
    """Draw recall, precision and F1 of the documents, or of the excerpts' sentences, at k chunks."""
    scores_at_k_by_chunker = {
        number: chunker.at_k[documents_or_evidence] for number, chunker in retrieval_report.chunkers.items()
    }
    documents_or_evidence_title = "Documents" if documents_or_evidence == "documents" else "Evidence"
    show_figure_with_its_data(
        scores_at_k_plot(scores_at_k_by_chunker, chunker_names),
        scores_at_each_k_table(scores_at_k_by_chunker, chunker_names),
        f"{documents_or_evidence_title} at k",
        key="retrieval_at_k",
    )
