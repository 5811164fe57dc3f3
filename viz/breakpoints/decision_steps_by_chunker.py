"""The decisions of Breakpoint, Max–Min, Change points and Structure as steps in words."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Literal

from chunkers import Chunking, Gap, Verdict
from chunkers.building_blocks.sentence_distances import SHUFFLE_COUNT
from chunkers.methods import BlockStep, ChangePoint, MaxMin, MaxMinStep, Structure, is_cut_before_size_limits, logistic
from chunkers.support import format_number, join_words
from evaluation.segmentation import EQUAL_COHESION_TOLERANCE, Cohesion, StretchComparison
from viz.components.stepper.stepper import Gauge, Step
from viz.jobs import vector_symbol

OUTCOME_SENTENCE_BY_VERDICT = {
    Verdict.CUT: "It passes the line: a cut.",
    Verdict.KEPT: "It does not pass the line: no cut.",
    Verdict.REJECTED: "It passes the line, but a size limit prevents a cut.",
    Verdict.FORCED: "It does not pass the line, but a size limit requires a cut.",
    Verdict.MERGED: "Cut at first, merged later.",
}


def is_near_threshold(gap: Gap, near_threshold_margin: float) -> bool:
    """Return whether the gap's score lies within ``near_threshold_margin`` of its threshold."""
    return gap.score is not None and gap.threshold is not None and abs(gap.score - gap.threshold) <= near_threshold_margin


def greedy_scan_steps(
    chunking: Chunking, near_threshold_margin: float, comparison_with_optimal_by_gap: Mapping[int, StretchComparison] | None
) -> list[Step]:
    """Return one step of the greedy chunker's scan for each gap in the text, in order.

    Parameters
    ----------
    chunking
        The result of the greedy chunker.
    near_threshold_margin
        Gaps whose score is within this distance of the threshold line are called near.
    comparison_with_optimal_by_gap
        The comparison with Optimal at each cut, by gap; None if not known yet.
    """
    steps_of_all_gaps = []
    chunk_start_sentence_index, chunk_number = 0, 1
    gap_scores_and_thresholds = [score for gap in chunking.gaps for score in (gap.score, gap.threshold) if score is not None]
    lowest_and_highest_score = (
        (min(gap_scores_and_thresholds), max(gap_scores_and_thresholds)) if gap_scores_and_thresholds else (0.0, 1.0)
    )
    for gap in chunking.gaps:
        steps_of_all_gaps.append(
            _gap_step(
                chunking,
                gap,
                chunk_start_sentence_index,
                chunk_number,
                near_threshold_margin,
                comparison_with_optimal_by_gap,
                lowest_and_highest_score,
            )
        )
        if gap.verdict.is_cut:
            # After a cut inside a sentence, the rest of the sentence begins the next chunk.
            chunk_start_sentence_index = gap.index if gap.offset is not None else gap.index + 1
            chunk_number += 1
    return steps_of_all_gaps


def _gap_step(
    chunking: Chunking,
    gap: Gap,
    chunk_start_sentence_index: int,
    open_chunk_number: int,
    near_threshold_margin: float,
    comparison_with_optimal_by_gap: Mapping[int, StretchComparison] | None,
    score_range: tuple[float, float],
) -> Step:
    gap_number = gap.index + 1
    is_inside_sentence = gap.offset is not None
    gap_explanation_sentences = [
        gap.reason,
        OUTCOME_SENTENCE_BY_VERDICT[gap.verdict]
        + (" Near the line." if is_near_threshold(gap, near_threshold_margin) else ""),
    ]
    gap_label_value_pairs = [
        ["chunk", f"{open_chunk_number:,}: {sentence_range_phrase(chunk_start_sentence_index, gap_number)}"]
    ]
    if gap.score is not None and gap.why.steps()[0].score_name == "distance" and not is_inside_sentence:
        dot_product_formula = f"{vector_symbol(gap.index)} · {vector_symbol(gap_number)}"
        gap_label_value_pairs.append(
            [
                "distance",
                f"1 − {dot_product_formula} = 1 − {format_number(1 - gap.score, '.3f')} = {format_number(gap.score, '.3f')}",
            ]
        )
    if gap.score is not None and gap.threshold is not None:
        gap_label_value_pairs.append(["from the line", format_number(gap.score - gap.threshold, "+.3f")])
    optimal_comparison_sentences: list[str] = []
    cohesion_label_value_pairs: list[list[str]] = []
    gap_step_tone: Literal["", "cut", "turn"] = ""
    if gap.verdict.is_cut:
        gap_step_tone = "cut"
        chunk_before_gap = chunking.chunks[open_chunk_number - 1]
        gap_label_value_pairs.append(["its size", f"{len(chunk_before_gap.text):,} characters"])
        comparison_with_other_chunker = (comparison_with_optimal_by_gap or {}).get(gap.index)
        if comparison_with_other_chunker is not None:
            optimal_comparison_sentences = _describe_optimal_cuts_and_cohesion(comparison_with_other_chunker)
            cohesion_label_value_pairs = [
                ["in these chunks", _cohesion_in_words(comparison_with_other_chunker.greedy_cohesion)],
                ["in optimal’s", _cohesion_in_words(comparison_with_other_chunker.other_cohesion)],
            ]
            if (
                comparison_with_other_chunker.greedy_minus_other_cohesion is not None
                and abs(comparison_with_other_chunker.greedy_minus_other_cohesion) >= EQUAL_COHESION_TOLERANCE
            ):
                gap_step_tone = "turn"
    else:
        gap_explanation_sentences.append(f"Sentence {gap_number + 1:,} joins chunk {open_chunk_number:,}.")
    place_phrase = (
        f"inside sentence {gap_number:,}"
        if is_inside_sentence
        else f"between sentences {gap_number:,} and {gap_number + 1:,}"
    )
    return {
        "title": f"Gap {gap_number:,}, {place_phrase}: {gap.verdict}",
        "story": gap_explanation_sentences,
        "numbers": gap_label_value_pairs,
        "aside": (optimal_comparison_sentences, cohesion_label_value_pairs),
        "tone": gap_step_tone,
        "mark": {
            "growing": (chunk_start_sentence_index, gap_number),
            "next": None if is_inside_sentence else (gap_number, gap_number + 1),
            "middle": None,
            "gap": gap.index,
        },
        "placed": (gap_number, gap_number if is_inside_sentence else gap_number + 1),
        "prediction": {"words": f"Cut {place_phrase}?", "yes": "Cut", "no": "No cut", "right": gap.verdict.is_cut},
        "gauge": score_threshold_gauge(gap, score_range),
    }


def score_threshold_gauge(gap: Gap, score_range: tuple[float, float]) -> Gauge | None:
    """Return a gauge that shows a gap's score and threshold; None if the gap lacks either."""
    if gap.score is None or gap.threshold is None:
        return None
    return {
        "label": "score and threshold",
        "score": gap.score,
        "threshold": gap.threshold,
        "low": score_range[0],
        "high": score_range[1],
    }


def explanation_only_step(
    title: str, explanation_sentences: Sequence[str], label_value_pairs: Sequence[Sequence[str]] = ()
) -> Step:
    """Return a step that explains something and decides nothing, before any sentence is in a chunk."""
    return {
        "title": title,
        "story": explanation_sentences,
        "numbers": label_value_pairs,
        "tone": "",
        "mark": {"growing": None, "next": None, "middle": None, "gap": None},
        "placed": (0, 0),
        "prediction": None,
        "gauge": None,
    }


def sentence_range_phrase(first_sentence_index: int, end_sentence_index: int) -> str:
    """Return the sentences from ``first_sentence_index`` to before ``end_sentence_index`` in words, counted from 1."""
    return (
        f"sentence {end_sentence_index:,}"
        if end_sentence_index - first_sentence_index == 1
        else f"sentences {first_sentence_index + 1:,} to {end_sentence_index:,}"
    )


def _describe_optimal_cuts_and_cohesion(chunker_comparison_on_stretch: StretchComparison) -> list[str]:
    """Describe the other chunker's cuts over the same stretch, and which chunker groups more similar sentences."""
    greedy_cut_index = chunker_comparison_on_stretch.greedy[0]
    optimal_cut_numbers = [f"{place + 1:,}" for place in chunker_comparison_on_stretch.other if place != greedy_cut_index]
    if greedy_cut_index in chunker_comparison_on_stretch.other:
        optimal_cuts_phrase = "cuts here too" + (
            f", and after {join_words(optimal_cut_numbers)}" if optimal_cut_numbers else ", and nowhere else"
        )
    else:
        optimal_cuts_phrase = (
            f"does not cut here, but after {join_words(optimal_cut_numbers)}"
            if optimal_cut_numbers
            else "does not cut at all"
        )
    stretch_phrase = sentence_range_phrase(
        chunker_comparison_on_stretch.stretch.start, chunker_comparison_on_stretch.stretch.end
    )
    cohesion_verdict_sentence = chunker_comparison_on_stretch.greedy_gain_in_words()
    return [
        f"With the whole text in view, “optimal” {optimal_cuts_phrase} ({stretch_phrase}).",
        cohesion_verdict_sentence[0].upper() + cohesion_verdict_sentence[1:] + ".",
    ]


def _cohesion_in_words(cohesion: Cohesion) -> str:
    if not cohesion.pairs:
        return "no two sentences together"
    sentence_pair_count_phrase = f"{cohesion.pairs:,} pair{'s' if cohesion.pairs > 1 else ''}"
    return f"similarity {format_number(cohesion.mean, '.2f')}, mean of {sentence_pair_count_phrase}"


# Max–Min: the open chunk, the next sentence, and the computed threshold.


def max_min_steps(
    chunking: Chunking,
    chunker: MaxMin,
    scan_result_by_gap: Sequence[MaxMinStep],
    near_threshold_margin: float,
    comparison_with_optimal_by_gap: Mapping[int, StretchComparison] | None,
) -> list[Step]:
    """Return one step of Max–Min's scan for each gap, with the sentences that Max–Min compared at the gap.

    Parameters
    ----------
    scan_result_by_gap
        The decision on each gap between two sentences, before sizes overruled any; from `MaxMin.decide_gaps`.
    """
    max_min_gap_steps = greedy_scan_steps(chunking, near_threshold_margin, comparison_with_optimal_by_gap)
    for step, gap in zip(max_min_gap_steps, chunking.gaps, strict=True):
        # Only a size limit cuts inside a sentence; the scan has no decision there.
        if gap.offset is None:
            _add_max_min_explanation(step, gap.index, chunker, scan_result_by_gap[gap.index])
    return max_min_gap_steps


def _add_max_min_explanation(step: Step, gap_index: int, chunker: MaxMin, scan_result: MaxMinStep) -> None:
    """Prepend the compared sentences to a step's text and numbers, and mark them."""
    chunk_start_sentence_index, chunk_end_sentence_index = gap_index + 1 - scan_result.size, gap_index + 1
    if scan_result.size == 1:
        open_chunk_explanation = (
            f"The open chunk is sentence {chunk_end_sentence_index:,} alone, which has no least similarity yet for a "
            "threshold to follow."
        )
        similarity_label_value_pairs = [
            [
                "similarity",
                f"{_format_three_decimals(scan_result.least)} × {chunker.initial_factor:g} = "
                f"{_format_three_decimals(scan_result.score)}",
            ],
            ["threshold", f"hard, {format_number(chunker.hard_threshold)}"],
        ]
        nearest_sentence_range = None
    else:
        nearest_sentence_number = scan_result.nearest_sentence + 1
        open_chunk_explanation = (
            f"The open chunk is sentences {chunk_start_sentence_index + 1:,} to {chunk_end_sentence_index:,}; most like "
            f"sentence {chunk_end_sentence_index + 1:,} is "
            f"sentence {nearest_sentence_number:,}, which is hatched."
        )
        similarity_label_value_pairs = [
            ["greatest similarity", f"{_format_three_decimals(scan_result.score)}, to sentence {nearest_sentence_number:,}"],
            ["least in the chunk", _format_three_decimals(scan_result.least)],
            ["threshold", _threshold_in_words(chunker, scan_result)],
        ]
        nearest_sentence_range = scan_result.nearest_sentence, scan_result.nearest_sentence + 1
    step["story"] = [step["story"][0], open_chunk_explanation, *step["story"][1:]]
    # If size limits merged chunks, the scan compared with a chunk shorter than the final one.
    step["numbers"] = [*step["numbers"][:1], *similarity_label_value_pairs, *step["numbers"][1:]]
    step["mark"] = {
        **step["mark"],
        "growing": (chunk_start_sentence_index, chunk_end_sentence_index),
        "middle": nearest_sentence_range,
    }


def _threshold_in_words(chunker: MaxMin, scan_result: MaxMinStep) -> str:
    """Return the formula of the threshold with its values filled in."""
    sigmoid_value, least_similarity_text = logistic(scan_result.size - 1), _format_three_decimals(scan_result.least)
    adaptive_threshold_text = _format_three_decimals(chunker.adaptive_threshold(scan_result.size, scan_result.least))
    formula_with_logistic_function = f"{chunker.relaxation:g} × σ({scan_result.size - 1:,}) × {least_similarity_text}"
    filled_formula = f"{chunker.relaxation:g} × {sigmoid_value:.3f} × {least_similarity_text} = {adaptive_threshold_text}"
    hard_or_adaptive_phrase = "hard" if scan_result.threshold == chunker.hard_threshold else "that it follows"
    hard_threshold_text = format_number(chunker.hard_threshold)
    return (
        f"{formula_with_logistic_function} = {filled_formula}; not below hard {hard_threshold_text}: "
        f"{_format_three_decimals(scan_result.threshold)}, {hard_or_adaptive_phrase}"
    )


def _format_three_decimals(number: float) -> str:
    return format_number(number, ".3f")


# Change points: the gain of a cut at each place, against the penalty.


def change_point_chunker_steps(chunking: Chunking, chunker: ChangePoint, near_threshold_margin: float) -> list[Step]:
    """Return a step on the penalty, and one for each place where a cut is allowed or forced, in order."""
    sentence_count = len(chunking.document.sentences)
    allowed_cut_sentence_indexes = {*chunker.places(chunking.document)}
    steps_and_gaps = [
        (step, gap)
        for step, gap in zip(greedy_scan_steps(chunking, near_threshold_margin, None), chunking.gaps, strict=True)
        if gap.verdict.is_cut or (gap.offset is None and gap.index + 1 in allowed_cut_sentence_indexes)
    ]
    chunk_edges_before_size_limits = [
        0,
        *(gap.index + 1 for _, gap in steps_and_gaps if gap.offset is None and is_cut_before_size_limits(gap)),
        sentence_count,
    ]
    following_gap_index_by_step = [*(step["mark"]["gap"] for step, _ in steps_and_gaps[1:]), sentence_count - 1]
    for (step, gap), next_step_gap_index in zip(steps_and_gaps, following_gap_index_by_step, strict=True):
        assert next_step_gap_index is not None
        # Up to the next place there is no other cut.
        step["placed"] = step["placed"][0], next_step_gap_index + 1
        if gap.offset is None:
            step["mark"] = {**step["mark"], "next": (gap.index + 1, next_step_gap_index + 1)}
            _add_change_point_gain_to_step(step, gap, chunk_edges_before_size_limits, chunker)
    return [_penalty_step(chunking, chunker), *(step for step, _ in steps_and_gaps)]


def _penalty_step(chunking: Chunking, chunker: ChangePoint) -> Step:
    """Return the step that says what a cut must gain, and why."""
    gap_cut_gain_curve = chunking.curves[0]
    partition_search_explanation = (
        "The search weighs all partitions at once. The steps go through the best one, and show what each cut gains in it."
    )
    if not gap_cut_gain_curve.lines:
        return explanation_only_step(
            f"The best {len(chunking.chunks):,} chunks",
            ["The number of chunks is set: no penalty decides.", partition_search_explanation],
        )
    cut_penalty = gap_cut_gain_curve.lines[0].level
    if gap_cut_gain_curve.null is None or chunker.penalty is not None:
        return explanation_only_step(
            f"A cut must gain {cut_penalty:.2f}",
            ["The penalty is set, whatever cuts gain by chance.", partition_search_explanation],
        )
    lower_quartile_shuffle_gain, upper_quartile_shuffle_gain = gap_cut_gain_curve.null.low, gap_cut_gain_curve.null.high
    shuffles_phrase = (
        f"In {SHUFFLE_COUNT} shuffles of the sentences, where order means nothing, the best cuts still gain as much"
    )
    phrase_by_caution = {
        "balanced": "on average",
        "eager": "in the lowest quarter",
        "cautious": "in all but the highest quarter",
    }
    return explanation_only_step(
        f"A cut must gain more than {cut_penalty:.2f}",
        [f"{shuffles_phrase} {phrase_by_caution[chunker.caution]}.", partition_search_explanation],
        [
            [
                "shuffles",
                f"the middle half gains {lower_quartile_shuffle_gain:.2f} to {upper_quartile_shuffle_gain:.2f} a cut",
            ]
        ],
    )


def _add_change_point_gain_to_step(step: Step, gap: Gap, chunk_edge_indexes: list[int], chunker: ChangePoint) -> None:
    """Write what a cut at a step's gap gains into the step: both sides of the gap, and the formula with its numbers."""
    sentence_index_after_gap = gap.index + 1
    first_sentence_index, sentence_index_after_stretch = (
        chunk_edge_indexes[bisect_left(chunk_edge_indexes, sentence_index_after_gap) - 1],
        chunk_edge_indexes[bisect_right(chunk_edge_indexes, sentence_index_after_gap)],
    )
    sentence_count_before, right_side_sentence_count = (
        sentence_index_after_gap - first_sentence_index,
        sentence_index_after_stretch - sentence_index_after_gap,
    )
    left_sentences_phrase, right_sentences_phrase = (
        sentence_range_phrase(first_sentence_index, sentence_index_after_gap),
        sentence_range_phrase(sentence_index_after_gap, sentence_index_after_stretch),
    )
    if gap.verdict.is_sized:
        gap_outcome_sentence = OUTCOME_SENTENCE_BY_VERDICT[gap.verdict]
    elif gap.verdict.is_cut:
        gap_outcome_sentence = (
            f"The cut parts {left_sentences_phrase} from {right_sentences_phrase}: their means are far enough apart to pay "
            "for it."
        )
    else:
        gap_outcome_sentence = (
            f"A cut would part {left_sentences_phrase} from {right_sentences_phrase}: their means are too close to pay for "
            "it."
        )
    step["story"] = [gap.reason, gap_outcome_sentence]
    assert gap.score is not None
    # Ward's identity: what a cut lowers the costs by is the squared distance of the two means, weighted by the sizes.
    squared_distance = (
        gap.score * (sentence_count_before + right_side_sentence_count) / (sentence_count_before * right_side_sentence_count)
    )
    gain_label_value_pairs = [
        ["means apart", f"{squared_distance:.3f}, squared"],
        [
            "gain",
            f"{sentence_count_before:,} × {right_side_sentence_count:,} ÷ "
            f"{sentence_count_before + right_side_sentence_count:,} × {squared_distance:.3f} = {gap.score:.3f}",
        ],
    ]
    if gap.threshold is not None:
        gain_label_value_pairs.append(["penalty", f"{gap.threshold:.3f}"])
    step["numbers"] = [*step["numbers"][:1], *gain_label_value_pairs, *step["numbers"][1:]]


# Structure: each block, and why it joins the open chunk or begins another.


def structure_steps(chunking: Chunking, chunker: Structure, block_steps: Sequence[BlockStep]) -> list[Step]:
    """Return a step for each block, in order; ``block_steps`` is from `Structure.block_steps`."""
    document = chunking.document
    steps: list[Step] = []
    gauge_maximum = max([chunker.max_size, *(block.together for block in block_steps if block.together is not None)])
    chunk_start_sentence_index, chunk_number = 0, 1
    for block_index, block in enumerate(block_steps):
        first_sentence_index, block_end_sentence_index = (
            document.sentence_at(block.start),
            document.sentence_at(block.end - 1) + 1,
        )
        does_block_begin_sentence = document.starts[first_sentence_index] == block.start
        if block.cut:
            chunk_number += 1
        block_phrase = f"{block.kind} of {block.size:,} token{'' if block.size == 1 else 's'}"
        outcome_phrase = (
            f"opens chunk {chunk_number:,}" if block.cut or not block_index else f"stays in chunk {chunk_number:,}"
        )
        block_outcome_reason = "The text begins with it." if block.why is None else _capitalise_and_punctuate(str(block.why))
        joint_size_label_value_pairs = []
        if block.together is not None:
            joint_size_label_value_pairs = [["with the chunk", f"{block.together:,} tokens, at most {chunker.max_size:,}"]]
        steps.append(
            {
                "title": f"{_capitalise_and_punctuate(block_phrase, '')} {outcome_phrase}",
                "story": [block_outcome_reason],
                "numbers": [["kind", block.kind], ["its size", f"{block.size:,} tokens"], *joint_size_label_value_pairs],
                "tone": "cut" if block.cut else "",
                "mark": {
                    "growing": (chunk_start_sentence_index, max(first_sentence_index, chunk_start_sentence_index + 1))
                    if block_index
                    else None,
                    "next": (first_sentence_index, block_end_sentence_index),
                    "middle": None,
                    "gap": None
                    if not block_index
                    else first_sentence_index - 1
                    if does_block_begin_sentence
                    else first_sentence_index,
                },
                "placed": (
                    first_sentence_index if does_block_begin_sentence else first_sentence_index + 1,
                    block_end_sentence_index,
                ),
                "prediction": {
                    "words": f"Does the {block_phrase} join the chunk before it?",
                    "yes": "Join",
                    "no": "New chunk",
                    "right": not block.cut,
                }
                if block_index
                else None,
                "gauge": _joint_size_gauge_data(block, chunker, gauge_maximum),
            }
        )
        if block.cut:
            chunk_start_sentence_index = first_sentence_index
    return steps


def _joint_size_gauge_data(block_step: BlockStep, chunker: Structure, gauge_maximum: int) -> Gauge | None:
    if block_step.together is None:
        return None
    return {
        "label": "tokens together and maximum size",
        "score": block_step.together,
        "threshold": chunker.max_size,
        "low": 0,
        "high": gauge_maximum,
    }


def _capitalise_and_punctuate(words: str, final_punctuation: str = ".") -> str:
    return words[0].upper() + words[1:] + final_punctuation
