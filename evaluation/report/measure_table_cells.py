"""Heads and cells of tables of measures, the same on a page, in the terminal and in a report.

A `TableRow` is for pages, whose tables format the numbers of cells themselves.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import starmap
from statistics import median
from typing import NamedTuple

import numpy as np

from chunkers import Chunking, Document, Embedder
from chunkers.support import format_number, format_three_figures, pluralize, text_table
from evaluation.answering import ANSWER_MEASURES, AnswerReport
from evaluation.findings.rules import RULES
from evaluation.retrieval import (
    RETRIEVAL_MEASURE_TITLES,
    RETRIEVAL_MEASURES_EXPLAINED,
    Costs,
    RepeatCost,
    mean_and_deviation,
)
from evaluation.retrieval.index_changes import Changes, IndexComparison, WonAndLost, embedding_dollars, format_dollars
from evaluation.segmentation import (
    BOUNDARY_MEASURES_EXPLAINED,
    EXPLANATION_BY_MEASURE,
    ChunkingRanking,
    EditStability,
    LabelFreeMeasures,
    Score,
    Segmentation,
    SettingSummary,
    SweptSetting,
    boundary_scores,
    count_cuts_by_position_kind,
    count_found_missed_added,
    count_sentences_of_each_chunk,
    count_whole_blocks_by_kind,
    cut_offsets,
    explain_why_no_cut_wins,
    segmentation_in_sentences,
)
from evaluation.statistics import Difference, format_interval, format_interval_ends


class Cell(NamedTuple):
    """Table cell with a formatted number, its value for sorting, and an explanation.

    Attributes
    ----------
    text, value
        Displayed text, and the number to sort by; None comes last.
    why
        An explanation of the number.
    dots
        Numbers to draw as a strip plot if the table supports it.
    """

    text: str
    value: float | None = None
    why: str = ""
    dots: Sequence[int] = ()


class Head(NamedTuple):
    """Heading of a table column: its label, an explanation, and the format of its numbers.

    Attributes
    ----------
    number
        Format of the values where a table draws numbers by itself, such as ``%.3g``, or empty for its own format; None if
        it draws the texts of the cells.
    """

    label: str
    help: str = ""
    number: str | None = None


TableRow = Mapping[Head, Cell]
"""A row of a table: its cells by their heads, in the order of the columns."""


def terminal_table(title: str, name_head: Head, rows: Sequence[TableRow]) -> str:
    """Return rows as a table of text below its title, with the cells of ``name_head`` on the left."""
    heads = [head for head in rows[0] if head != name_head]
    return text_table(
        title,
        [head.label for head in heads],
        [
            [row[name_head].text, *(row[head].text or (head.number or "%s") % row[head].value for head in heads)]
            for row in rows
        ],
    )


def unknown_cell(explanation: str = "") -> Cell:
    """Return the table cell for a number that is undefined or unknown."""
    return Cell("–", None, explanation)


def count_cell(value: int, explanation: str = "") -> Cell:
    """Return the table cell for a count, formatted with thousands separators."""
    return Cell(f"{value:,}", value, explanation)


def share_cell(value: float | None, explanation: str = "") -> Cell:
    """Return the table cell for a share from 0 to 1, formatted in percent."""
    return unknown_cell(explanation) if value is None else Cell(f"{value * 100:.3g}\N{NO-BREAK SPACE}%", value, explanation)


def signed_number_cell(value: float | None, explanation: str = "") -> Cell:
    """Return the table cell for a signed number, formatted with two decimals."""
    return unknown_cell(explanation) if value is None else Cell(format_number(value, ".2f"), value, explanation)


# Tables of what a change of chunkers costs and does to questions: their heads and the cells of a row.


_INDEX_CHANGE_HEADS: Sequence[Head] = (
    Head("Chunks", "Number of chunks."),
    Head("Kept", "Chunks whose embedded text is exactly that of a chunk of the selected column, wherever it stands."),
    Head("Changed", "As many of the other chunks as both columns have: each replaces one."),
    Head("New", "Chunks beyond these, which replace none."),
    Head("Gone", "Chunks of the selected column that none replaces."),
    Head("Tokens again", "Tokens of the changed and new chunks, which must be embedded again."),
    Head("Share", "Their share of all tokens of the column."),
)
_COST_HEAD = Head("Cost", "US dollars for embedding these tokens, at the given price.")
_DOCUMENTS_HEAD = Head("Documents", "Documents with a chunk that is not kept.")

_REFERENCE_COLUMN_CELL = unknown_cell("The others are compared with this column.")

QUESTION_CHANGE_HEADS: Sequence[Head] = (
    Head("Recall", "Share of the answers that is retrieved, as the mean of all questions."),
    Head("Won", "Questions with a higher recall than with the selected column."),
    Head("Lost", "Questions with a lower recall than with the selected column."),
    Head("Difference", "Difference of the mean recalls in percentage points, with its confidence interval (Holm)."),
)
"""The heads of `question_change_cells`."""


def index_change_heads(document_count: int, dollars_per_million_tokens: float | None) -> list[Head]:
    """Return the headings that match `index_change_cells`; ``dollars_per_million_tokens`` is in US dollars."""
    return [
        *_INDEX_CHANGE_HEADS,
        *([] if dollars_per_million_tokens is None else [_COST_HEAD]),
        *([_DOCUMENTS_HEAD] if document_count > 1 else []),
    ]


def index_change_cells(
    chunk_count: int, comparison: IndexComparison | None, document_count: int, dollars_per_million_tokens: float | None
) -> list[Cell]:
    """Return a column's cells; ``comparison`` is None for the column that the others replace."""
    if comparison is None:
        return [
            count_cell(chunk_count),
            *[_REFERENCE_COLUMN_CELL] * (len(index_change_heads(document_count, dollars_per_million_tokens)) - 1),
        ]
    total_changes = comparison.total
    dollars = embedding_dollars(total_changes.tokens_again, dollars_per_million_tokens)
    return [
        *map(
            count_cell,
            (
                total_changes.chunk_count_after,
                total_changes.kept,
                total_changes.changed,
                total_changes.new,
                total_changes.gone,
                total_changes.tokens_again,
            ),
        ),
        share_cell(
            total_changes.tokens_again / total_changes.tokens if total_changes.tokens else None,
            f"of {pluralize(total_changes.tokens, 'token')}",
        ),
        *(
            []
            if dollars is None
            else [
                Cell(
                    format_dollars(dollars),
                    dollars,
                    f"{pluralize(total_changes.tokens_again, 'token')} at ${dollars_per_million_tokens:g} a million",
                )
            ]
        ),
        *(
            [count_cell(comparison.changed_documents, f"of {comparison.documents:,} documents")]
            if document_count > 1
            else []
        ),
    ]


DOCUMENT_HEAD = Head("document")
"""Head of the documents' names."""


def document_change_row(name: str, changes: Changes) -> TableRow:
    """Return the row of a document whose chunks differ after a change of chunkers."""
    count_field_names = ("tokens_again", "kept", "changed", "new", "gone")
    return {
        DOCUMENT_HEAD: Cell(name),
        **{Head(field.replace("_", " "), number=""): count_cell(getattr(changes, field)) for field in count_field_names},
    }


def question_change_cells(
    column_name: str,
    replaced_column_name: str | None,
    won_and_lost_questions: WonAndLost,
    retrieved_amount: str,
    recall_difference: Difference | None,
) -> list[Cell]:
    """Return a column's cells; ``replaced_column_name`` is the column that it replaces, or None for that column itself.

    ``recall_difference`` is None with too few questions.
    """
    question_recalls_after = won_and_lost_questions.after[retrieved_amount]
    mean_recall_after_and_deviation = mean_and_deviation(question_recalls_after)
    mean_recall_after_cell = share_cell(
        None if mean_recall_after_and_deviation is None else mean_recall_after_and_deviation[0],
        f"over {pluralize(int(np.count_nonzero(~np.isnan(question_recalls_after))), 'question')}",
    )
    if replaced_column_name is None:
        return [mean_recall_after_cell, *[_REFERENCE_COLUMN_CELL] * (len(QUESTION_CHANGE_HEADS) - 1)]
    return [
        mean_recall_after_cell,
        *(
            count_cell(len(question_numbers))
            for question_numbers in won_and_lost_questions.won_and_lost_question_numbers(retrieved_amount)
        ),
        unknown_cell("Too few questions for an interval.")
        if recall_difference is None
        else Cell(
            f"{recall_difference.points} ({recall_difference.interval_phrase})",
            recall_difference.mean,
            recall_difference.words(column_name, replaced_column_name, "recall"),
        ),
    ]


# Tables of the measures of retrieval and of answers, as means over the questions.


def mean_cell(mean_with_deviation: tuple[float, float] | None, *, with_deviation: bool = True) -> Cell:
    """Return the cell of a mean in percent, with its standard deviation if asked for; None is the mean of no values."""
    if mean_with_deviation is None:
        return Cell("undefined")
    return Cell(
        f"{100 * mean_with_deviation[0]:.1f}" + f" ± {100 * mean_with_deviation[1]:.1f}" * with_deviation,
        mean_with_deviation[0],
    )


def retrieval_row(
    name: str,
    mean_and_deviation_by_measure: Mapping[str, tuple[float, float] | None],
    chunk_count: int,
    mean_tokens_per_chunk: float,
    index_and_search_costs: Costs | None = None,
    *,
    retrieves_everything: bool,
) -> TableRow:
    """Return the row of a chunker, or of the whole text; ``index_and_search_costs`` is None for the latter.

    ``retrieves_everything`` is true if every question is given the whole text.
    """
    return {
        Head("chunker"): Cell(name),
        **{
            Head(f"{title}, %", RETRIEVAL_MEASURES_EXPLAINED[measure]): Cell("everything")
            if retrieves_everything and measure == "recall" and mean_and_deviation_by_measure[measure] is not None
            else mean_cell(mean_and_deviation_by_measure[measure])
            for measure, title in RETRIEVAL_MEASURE_TITLES.items()
        },
        Head("chunks", number=""): count_cell(chunk_count),
        Head("tokens each", number=""): count_cell(round(mean_tokens_per_chunk)),
        Head("index, s", number="%.3g"): Cell(
            "", None if index_and_search_costs is None else index_and_search_costs.index_s
        ),
        Head("search, ms", number="%.3g"): Cell(
            "", None if index_and_search_costs is None else index_and_search_costs.search_ms
        ),
    }


def near_duplicate_row(name: str, repeat_cost: RepeatCost, chunk_count: int) -> TableRow:
    """Return the row of a chunker with this number of chunks: its near-duplicates and their cost."""
    recall_gain = repeat_cost.difference
    return {
        Head("chunker"): Cell(name),
        Head("with a near-duplicate"): Cell(f"{repeat_cost.near_duplicate_count:,} of {chunk_count:,}"),
        Head("places taken"): Cell(f"{repeat_cost.taken.mean():.2f} of {repeat_cost.retrieved.mean():.3g}"),
        Head("in questions"): Cell(f"{np.count_nonzero(repeat_cost.taken):,} of {len(repeat_cost.taken):,}"),
        Head("recall, %"): mean_cell(mean_and_deviation(repeat_cost.recall), with_deviation=False),
        Head("without them, %"): mean_cell(mean_and_deviation(repeat_cost.recall_without_repeats), with_deviation=False),
        Head("difference, points"): Cell("too few questions")
        if recall_gain is None
        else Cell(f"{recall_gain.points} ({' to '.join(format_interval_ends(recall_gain.low, recall_gain.high, 100, 1))})"),
    }


def answer_measures_row(
    report: AnswerReport, row_number: int, measure_names: Sequence[str], measure_definitions: Mapping[str, str]
) -> TableRow:
    """Return the row of a chunker: its usable answers, and the mean of every measure over its answers.

    ``measure_definitions`` explain the measures, by their titles.
    """
    return {
        Head("chunker"): Cell(report.names[row_number]),
        Head("answers"): Cell(f"{report.usable_answer_count(row_number)} of {report.questions}"),
        **{
            Head(ANSWER_MEASURES[name].title, measure_definitions[ANSWER_MEASURES[name].title]): _judged_mean_cell(
                mean_and_deviation(report.values(name)[row_number]),
                report.count_answers_with_unreadable_judgement(row_number, name),
            )
            for name in measure_names
        },
    }


def _judged_mean_cell(mean_with_deviation: tuple[float, float] | None, unjudged_count: int) -> Cell:
    """Return the cell of a mean and the number of failed judgements, or of that number alone if the judge always failed."""
    mean_phrases = (
        []
        if mean_with_deviation is None
        else [f"{format_number(mean_with_deviation[0], '.2f')} ± {mean_with_deviation[1]:.2f}"]
    )
    return Cell(", ".join(mean_phrases + [f"{unjudged_count} not judged"] * bool(unjudged_count)) or "undefined")


def answer_cost_rows(costs: Sequence[Mapping[str, float | str | None]]) -> list[TableRow]:
    """Return the rows of `evaluation.answering.chunking_and_answering_cost_table`; a cell without value is “unknown”."""
    type_by_column = {name: next((type(cost[name]) for cost in costs if cost[name] is not None), str) for name in costs[0]}
    return [
        {
            Head(name, number={float: "%.3g", int: ""}.get(type_by_column[name])): Cell(
                "unknown" if value is None else f"{value}", None if isinstance(value, str) else value
            )
            for name, value in cost.items()
        }
        for cost in costs
    ]


def chunker_pair_difference_row(minuend_chunker_name: str, subtracted_chunker_name: str, difference: Difference) -> TableRow:
    """Return the row of a mean difference of two chunkers, with its interval, its p-value and its questions."""
    return {
        Head("first"): Cell(minuend_chunker_name),
        Head("less the second"): Cell(subtracted_chunker_name),
        Head("difference"): Cell(format_number(difference.mean, "+.3f")),
        Head("interval"): Cell(format_interval(difference.low, difference.high, difference.alpha, 1, 3)),
        Head("adjusted p", number=""): Cell("", round(difference.adjusted, 4)),
        Head("significant"): Cell("yes" if difference.significant else "no"),
        Head("questions", number=""): count_cell(difference.count),
    }


# Tables of the measures of a segmentation, with and without known boundaries: their heads and the cells of a row.


_BEHIND_BEST_HEADS = (
    Head("Behind", "How far it is behind the best column."),
    Head("Interval", "Confidence interval of the difference, at the level of Holm's correction."),
    Head("p", "Share of differences as large if both swap at random what they do in a section, adjusted (Holm)."),
)

KNOWN_BOUNDARY_HEADS: Sequence[Head] = (
    Head("Boundary F1", "2 × found / (2 × found + missed + added), of cuts at known boundaries; higher is better."),
    *_BEHIND_BEST_HEADS,
    *starmap(Head, BOUNDARY_MEASURES_EXPLAINED.items()),
)
"""The heads of a ranking by known boundaries: of `score_and_behind_best_cells`, then of `boundary_score_cells`."""

STRUCTURE_HEADS: Sequence[Head] = (
    Head(
        "Points per cut",
        "1 for a cut between paragraphs, 0 between other sentences, −1 inside a sentence, list, table, code or "
        "formula, and −1 for a chunk that is too long for the embedder; as many cuts at chance as the text has paragraphs "
        "are added, so that a few good cuts are no better than many.",
    ),
    *_BEHIND_BEST_HEADS,
    Head("Blocks whole", "Headings, lists, tables, code and formulas that no cut parts."),
    Head("Sentences", "Median of the sentences of a chunk."),
    Head("Tokens", "Median of the tokens of a chunk; in brackets those of the longest."),
    Head("Cuts", "How many there are."),
    Head("Between paragraphs", "Cuts at the end of a paragraph."),
    Head("Inside sentences", "Cuts inside a sentence."),
    Head("Inside blocks", "Other cuts inside a list, a table, code or a formula."),
    Head("Too long", "Chunks that are longer than the embedder reads."),
)
"""The heads of a ranking by structure: of `score_and_behind_best_cells`, then of `structure_cells`."""

UNLABELLED_HEADS = tuple(Head(name.capitalize(), explained) for name, explained in EXPLANATION_BY_MEASURE.items())
"""The heads of the measures without labels: of `label_free_measure_cells`, then of `edit_stability_cells`."""

EDIT_CELL_COUNT = 3
"""Number of cells at the end of a row that are about edits."""

FOUND_BOUNDARY_HEADS = (
    Head("Found", "Known boundaries with a cut."),
    Head("Missed", "Known boundaries without a cut."),
    Head("Added", "Cuts away from any known boundary."),
)
"""The heads of `boundary_count_cells`."""

SUSPICIOUS_HEAD = Head("Suspicious", "Findings by the rules of the Failures page; they may be mistaken.")


def score_and_behind_best_cells(ranking: ChunkingRanking, contender_number: int) -> list[Cell]:
    """Return the table cells for a chunking's score and its distance from the best, with interval and p-value."""
    lead_of_best_chunking = ranking.leads.get(contender_number)
    score_cell = signed_number_cell(
        ranking.values[contender_number], "It cuts nowhere." if ranking.values[contender_number] is None else ""
    )
    if lead_of_best_chunking is None:
        return [score_cell, *[Cell("")] * 3]
    tested_difference, verdict_sentence = lead_of_best_chunking.tested, lead_of_best_chunking.verdict
    distance_from_best_cell = signed_number_cell(lead_of_best_chunking.ahead, verdict_sentence)
    if tested_difference is None:
        return [score_cell, distance_from_best_cell, unknown_cell(verdict_sentence), unknown_cell(verdict_sentence)]
    interval_ends_phrase = " to ".join(format_interval_ends(tested_difference.low, tested_difference.high, 1, 2))
    return [
        score_cell,
        distance_from_best_cell,
        Cell(interval_ends_phrase, tested_difference.low, verdict_sentence),
        Cell(tested_difference.p_value_phrase.rpartition(" ")[2], tested_difference.adjusted, verdict_sentence),
    ]


SETTING_HEAD = Head("setting")
"""Head of the settings in words."""


def setting_row(
    summary: SettingSummary,
    chunker_title: str,
    setting_phrase: str,
    held_out_summaries: Mapping[SweptSetting, SettingSummary],
    score_format: str = "%.3f",
) -> TableRow:
    """Return the row of a setting: its mean score, the numbers first, so that narrow windows show them.

    ``held_out_summaries`` has the summaries on documents that were held out, if there are such documents.
    """
    held_out_summary = held_out_summaries.get(summary.setting)
    held_out_cell = Cell("", None if held_out_summary is None else held_out_summary.mean)
    return {
        Head(chunker_title, number=score_format): Cell("", summary.mean),
        **({Head("held out", number=score_format): held_out_cell} if held_out_summaries else {}),
        Head("chunks", number="%.1f"): Cell("", summary.chunks),
        SETTING_HEAD: Cell(setting_phrase),
    }


def boundary_score_cells(reference: Segmentation, segmentation: Segmentation) -> list[Cell]:
    """Return the table cells for a segmentation's scores against known boundaries."""
    return [
        unknown_cell(score.undefined) if score.value is None else Cell(f"{score.value:.2f}", score.value)
        for score in boundary_scores(reference, segmentation).values()
    ]


def chunking_score_cells(chunking: Chunking, scores: Mapping[str, Score], measure_names: Iterable[str]) -> list[Cell]:
    """Return the table cells for measures of `score_chunking`, or none without scores.

    A share of the sentences or of the chunks is shown as their number.
    """
    count_and_unit_by_measure = {
        "misassigned": (len(chunking.document.sentences), "sentences"),
        "crossing": (len(chunking.chunks), "chunks"),
    }
    cells = []
    for name in measure_names if scores else ():
        score = scores[name]
        if score.value is None:
            cells.append(Cell("undefined", None, score.undefined))
        elif name in count_and_unit_by_measure:
            unit_count, counted_unit_noun = count_and_unit_by_measure[name]
            cells.append(Cell(f"{round(score.value * unit_count):,}", score.value, f"of {unit_count:,} {counted_unit_noun}"))
        else:
            cells.append(Cell(f"{score.value:.2f}", score.value))
    return cells


def cells_and_why_no_cut_wins(
    ranking: ChunkingRanking, document: Document, known_boundaries: Sequence[int], chunkings: Sequence[Chunking]
) -> tuple[list[list[Cell]], str]:
    """Return the `boundary_score_cells` of a ranking's contenders, and an explanation if making no cut has the best Pk.

    ``chunkings`` are the first contenders; the trivial ones follow.
    """
    known_segmentation = segmentation_in_sentences(document, known_boundaries)
    segmentations = [segmentation_in_sentences(document, cut_offsets(chunking)) for chunking in chunkings]
    explanation = explain_why_no_cut_wins(known_segmentation, segmentations)
    segmentations += [
        Segmentation(known_segmentation.units, contender.cuts) for contender in ranking.contenders[len(segmentations) :]
    ]
    return [boundary_score_cells(known_segmentation, segmentation) for segmentation in segmentations], explanation


def structure_cells(chunking: Chunking, embedder: Embedder | None, chunk_token_counts: Sequence[int] | None) -> list[Cell]:
    """Return the table cells for whole blocks, chunk sizes and positions of the cuts in the text's structure.

    ``chunk_token_counts`` holds the number of tokens of each chunk; None if tokens cannot be counted.
    """
    cut_position_counts, whole_block_counts = (
        count_cuts_by_position_kind(chunking, embedder),
        count_whole_blocks_by_kind(chunking),
    )
    median_sentences_per_chunk = median(count_sentences_of_each_chunk(chunking) or [0])
    chunk_token_counts_cell = unknown_cell("They cannot be counted here.")
    if chunk_token_counts:
        median_tokens_per_chunk = median(chunk_token_counts)
        chunk_token_counts_cell = Cell(
            f"{median_tokens_per_chunk:,.4g} ({max(chunk_token_counts):,})", median_tokens_per_chunk
        )
    whole_blocks_cell = Cell(
        f"{whole_block_counts.whole_blocks_of_all_kinds.count:,} of {whole_block_counts.whole_blocks_of_all_kinds.total:,}",
        whole_block_counts.whole_blocks_of_all_kinds.share,
        whole_block_counts.words(),
    )
    return [
        whole_blocks_cell,
        Cell(f"{median_sentences_per_chunk:,.4g}", median_sentences_per_chunk),
        chunk_token_counts_cell,
        count_cell(cut_position_counts.cuts),
        count_cell(cut_position_counts.at_paragraph_ends),
        count_cell(cut_position_counts.inside_sentences),
        count_cell(cut_position_counts.inside_blocks),
        count_cell(cut_position_counts.too_long),
    ]


def label_free_measure_cells(label_free_measures: LabelFreeMeasures) -> list[Cell]:
    """Return the table cells for measures that need no known boundaries."""
    whole_block_counts, size_compliance_counts, similarity_contrast = (
        label_free_measures.blocks,
        label_free_measures.sizes,
        label_free_measures.contrast,
    )
    label_free_cells = [
        count_cell(label_free_measures.chunks),
        share_cell(
            whole_block_counts.whole_blocks_of_all_kinds.share,
            whole_block_counts.words() or "The text has no list, table, code, formula or heading.",
        ),
        unknown_cell("No size is asked for, or it cannot be counted here.")
        if size_compliance_counts is None
        else share_cell(size_compliance_counts.share, size_compliance_counts.bounds_and_violations_in_words()),
    ]
    if similarity_contrast is None:
        missing_embeddings_message = (
            "The sentences of this text are not embedded: a column of Breakpoint without a buffer does that."
        )
        return label_free_cells + [unknown_cell(missing_embeddings_message)] * 4
    no_pairs_reason = "No two sentences share a chunk." if similarity_contrast.inside is None else "There is one chunk."
    return [
        *label_free_cells,
        signed_number_cell(
            similarity_contrast.inside,
            pluralize(similarity_contrast.pairs, "pair") if similarity_contrast.pairs else no_pairs_reason,
        ),
        signed_number_cell(
            similarity_contrast.across,
            pluralize(similarity_contrast.crossing_pair_count, "pair")
            if similarity_contrast.crossing_pair_count
            else no_pairs_reason,
        ),
        signed_number_cell(
            similarity_contrast.difference, "" if similarity_contrast.difference is not None else no_pairs_reason
        ),
        signed_number_cell(
            label_free_measures.coherence, "" if label_free_measures.coherence is not None else no_pairs_reason
        ),
    ]


def edit_stability_cells(stability: EditStability | str | None) -> list[Cell]:
    """Return the table cells for edit stability, or for the reason why it was not measured."""
    if not isinstance(stability, EditStability):
        return [unknown_cell(stability or "Not measured with these settings.")] * EDIT_CELL_COUNT
    edit_changing_most_chunks = stability.edit_changing_most_chunks
    worst_edit_phrase = (
        f"after sentence {edit_changing_most_chunks.preceding_sentence_number + 1:,}: "
        f"{edit_changing_most_chunks.changed:,} of {pluralize(edit_changing_most_chunks.chunks, 'chunk')}"
    )
    return [
        share_cell(stability.mean_changed_chunk_share, stability.words()),
        share_cell(edit_changing_most_chunks.changed_chunk_share, worst_edit_phrase),
        share_cell(stability.inevitable),
    ]


def size_spread_cell(sizes: Sequence[int] | None, explanation: str = "") -> Cell:
    """Return the table cell for minimum, median and maximum chunk size.

    ``sizes`` is None if they cannot be counted.
    """
    if not sizes:
        return unknown_cell("They cannot be counted here." if sizes is None else "No chunks.")
    median_size = median(sizes)
    return Cell(f"{min(sizes):,} · {format_three_figures(median_size)} · {max(sizes):,}", median_size, explanation, sizes)


def boundary_count_cells(chunking: Chunking, known_boundaries: Sequence[int]) -> list[Cell]:
    """Return the table cells for known boundaries found, known boundaries missed, and cuts elsewhere."""
    return [count_cell(number) for number in count_found_missed_added(cut_offsets(chunking), known_boundaries)]


def suspicious_findings_cell(finding_count_by_rule: Mapping[str, int]) -> Cell:
    """Return the table cell for the number of suspicious findings, explained by the number for each rule."""
    return count_cell(
        sum(finding_count_by_rule.values()),
        ", ".join(f"{number:,} {RULES[name].title.lower()}" for name, number in finding_count_by_rule.items()),
    )
