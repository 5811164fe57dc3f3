"""The two passes of Double pass: their comparisons as steps in words, and as rows of sentences, mini-chunks and chunks."""

from collections.abc import Sequence
from itertools import count
from typing import Any, Literal, TypedDict

from chunkers import Chunking, Comparison, Reason, Span, Verdict
from chunkers.results import ComparisonOutcome, MergeComparisonKind
from chunkers.support import format_number
from viz.components.browser_exchange import Component, compact_json, convert_offsets_to_sentence_positions
from viz.components.stepper.stepper import Mark, Step
from viz.shell import FinishedColumn

MOST_DRAWN_SENTENCES = 3000
"""Comparisons beyond this sentence have no steps and are not drawn; only the table has all."""

QUOTED_REASON_PREFIX = "The reason given: "
"""Prefix of a reason quoted from the ledger."""


class PassMark(Mark):
    """The highlights of a step in the text and the rows, with the number of its comparison (None after both passes)."""

    comparison: int | None


def list_chunk_comparisons_up_to_each(chunking: Chunking) -> list[list[Comparison]]:
    """Return, for each comparison, the comparisons made for the same chunk up to and including this comparison.

    Comparisons beyond the first `MOST_DRAWN_SENTENCES` sentences are left out.
    """
    comparisons_up_to_each = []
    comparisons_so_far: list[Comparison] = []
    for comparison in chunking.comparisons:
        if comparison.right.end > MOST_DRAWN_SENTENCES:
            continue
        comparisons_so_far = (
            [comparison] if not comparisons_so_far or comparisons_so_far[-1].why else [*comparisons_so_far, comparison]
        )
        comparisons_up_to_each.append(comparisons_so_far)
    return comparisons_up_to_each


def steps_of_both_passes(chunking: Chunking, maximum_size: int | None) -> list[Step]:
    """Return a step for each comparison of both passes, then a step for each merge by the minimum size.

    ``maximum_size`` is the chunker's limit in characters, if it has one.
    """
    comparison_lists_up_to_each = list_chunk_comparisons_up_to_each(chunking)
    comparison_steps = [
        _comparison_step(number, so_far, maximum_size) for number, so_far in enumerate(comparison_lists_up_to_each)
    ]
    pass_two_start_index = next(
        (
            number
            for number, so_far in enumerate(comparison_lists_up_to_each)
            if so_far[-1].kind not in ("initial", "appending")
        ),
        None,
    )
    if pass_two_start_index:
        comparison_steps[pass_two_start_index]["pauses"] = True
    return comparison_steps + _minimum_size_merge_steps(chunking)


def mini_chunk_starts(chunking: Chunking) -> list[int]:
    """Return the numbers of the sentences at which the mini-chunks of pass one begin."""
    if not chunking.document.sentences:
        return []
    pass_one_comparisons = (comparison for comparison in chunking.comparisons if comparison.kind in ("initial", "appending"))
    return [0, *(comparison.right.start for comparison in pass_one_comparisons if comparison.outcome != "joined")]


def gaps_decided_by_latest_comparison(
    comparisons_so_far: Sequence[Comparison], mini_chunk_start_sentence_numbers: Sequence[int]
) -> list[int]:
    """Return the gaps between mini-chunks that the last comparison of ``comparisons_so_far`` decides.

    ``mini_chunk_start_sentence_numbers`` are the sentences at which the mini-chunks begin.
    """
    left_group, right_group = comparisons_so_far[-1].left, comparisons_so_far[-1].right
    return [start - 1 for start in mini_chunk_start_sentence_numbers if left_group.end <= start <= right_group.start]


def latest_comparison_in_words(comparisons_so_far: Sequence[Comparison]) -> str:
    """Describe the last comparison of ``comparisons_so_far`` in one line."""
    earlier_comparisons_phrase = "".join(
        f"; {sentence_range_in_words(comparison.right)} before it {_score_in_words(comparison)}"
        for comparison in comparisons_so_far[:-1]
    )
    return (
        f"{_step_title(comparisons_so_far[-1])}: similarity "
        f"{_score_in_words(comparisons_so_far[-1])}{earlier_comparisons_phrase}."
    )


def sentence_range_in_words(sentence_range: Span) -> str:
    """Return a range of sentences in words, counted from 1, such as ``sentences 3–5``."""
    return (
        f"sentence {sentence_range.end}"
        if _is_single_sentence(sentence_range)
        else f"sentences {sentence_range.start + 1}\N{EN DASH}{sentence_range.end}"
    )


def _is_single_sentence(sentence_range: Span) -> bool:
    return sentence_range.end - sentence_range.start == 1


def _comparison_step(
    comparison_index: int, comparisons_of_growing_chunk: Sequence[Comparison], maximum_size: int | None
) -> Step:
    last_comparison = comparisons_of_growing_chunk[-1]
    left_group, skipped_snippet = (
        compared_left_group(last_comparison),
        _skipped_snippet_span(last_comparison),
    )
    similarity_rows = [
        ["similarity", _score_in_words(last_comparison)],
        *(
            [f"{sentence_range_in_words(before.right)}", f"{_score_in_words(before)}, looked at before"]
            for before in comparisons_of_growing_chunk[:-1]
        ),
    ]
    maximum_size_phrase = "no maximum" if maximum_size is None else f"at most {maximum_size:,}"
    return Step(
        title=_step_title(last_comparison),
        story=[
            _compared_groups_in_words(last_comparison, left_group),
            *([] if last_comparison.why else ["Not above, so the next chunk is compared."]),
        ],
        numbers=similarity_rows,
        aside=(
            [QUOTED_REASON_PREFIX + last_comparison.reason] if last_comparison.why else [],
            [["length", f"{last_comparison.length:,} characters joined, {maximum_size_phrase}"]],
        ),
        tone="turn"
        if skipped_snippet and last_comparison.outcome == "joined"
        else "cut"
        if last_comparison.outcome != "joined" and last_comparison.why
        else "",
        mark=PassMark(
            growing=left_group,
            next=last_comparison.right,
            middle=skipped_snippet,
            gap=last_comparison.left.end - 1,
            comparison=comparison_index,
        ),
        placed=_count_placed_before_and_after_comparison(comparisons_of_growing_chunk),
        prediction={
            "words": f"Does {sentence_range_in_words(last_comparison.right)} join?"
            if _is_single_sentence(last_comparison.right)
            else f"Do {sentence_range_in_words(last_comparison.right)} join?",
            "yes": "Join",
            "no": "Keep apart",
            "right": last_comparison.outcome == "joined",
        },
        gauge={
            "label": "similarity and threshold",
            "score": last_comparison.similarity,
            "threshold": last_comparison.threshold,
            "low": min(0.0, last_comparison.similarity, last_comparison.threshold),
            "high": max(1.0, last_comparison.similarity, last_comparison.threshold),
        },
    )


def _count_placed_before_and_after_comparison(comparisons_so_far: Sequence[Comparison]) -> tuple[int, int]:
    """Return the sentences in a final chunk before and after the last comparison; none in pass one, whose chunks merge."""
    last_comparison = comparisons_so_far[-1]
    if last_comparison.kind in ("initial", "appending"):
        return 0, 0
    placed_sentence_count_before_comparison = last_comparison.left.end
    if last_comparison.outcome == "joined":
        return placed_sentence_count_before_comparison, last_comparison.right.end
    # After a chunk ends, the next one begins with the mini-chunk that was compared first.
    return placed_sentence_count_before_comparison, comparisons_so_far[
        0
    ].right.end if last_comparison.why else placed_sentence_count_before_comparison


def compared_left_group(comparison: Comparison) -> Span:
    """Return the sentences on the left of a comparison whose vector is compared with the right group's vector."""
    return Span(comparison.left.end - 2, comparison.left.end) if comparison.kind == "appending" else comparison.left


def _skipped_snippet_span(comparison: Comparison) -> Span | None:
    return Span(comparison.left.end, comparison.right.start) if comparison.kind.startswith("over") else None


def _score_in_words(comparison: Comparison) -> str:
    threshold_kind = comparison.kind if comparison.kind in ("initial", "appending") else "merging"
    return str(
        Reason(
            "",
            comparison.similarity,
            "≤" if comparison.outcome == "not above" else ">",
            comparison.threshold,
            threshold_kind,
        )
    )


def _step_title(comparison: Comparison) -> str:
    left_phrase, right_phrase, skipped_snippet = (
        sentence_range_in_words(comparison.left),
        sentence_range_in_words(comparison.right),
        _skipped_snippet_span(comparison),
    )
    match comparison.kind, comparison.outcome:
        case _, "too long":
            comparison_step_title = f"{left_phrase} and {right_phrase} are alike, but too long together"
        case "initial", "joined":
            comparison_step_title = f"{left_phrase} and {right_phrase} open a chunk"
        case "initial", _:
            comparison_step_title = f"{left_phrase} stands alone"
        case "appending", "joined":
            comparison_step_title = f"{right_phrase} joins {left_phrase}"
        case "appending", _:
            comparison_step_title = f"the chunk of {left_phrase} ends"
        case "merging", "joined":
            comparison_step_title = f"{left_phrase} and {right_phrase} become one"
        case _, "joined":
            assert skipped_snippet is not None
            comparison_step_title = f"merged over a snippet: {sentence_range_in_words(skipped_snippet)}"
        case _ if comparison.why:
            comparison_step_title = f"the chunk of {left_phrase} ends"
        case _:
            comparison_step_title = (
                f"{right_phrase} {'is' if _is_single_sentence(comparison.right) else 'are'} too unlike {left_phrase}"
            )
    return comparison_step_title[0].upper() + comparison_step_title[1:]


def _compared_groups_in_words(comparison: Comparison, left_range: Span) -> str:
    left_phrase, right_phrase = sentence_range_in_words(left_range), sentence_range_in_words(comparison.right)
    match comparison.kind:
        case "initial":
            return f"Pass one, no chunk open: {left_phrase} is compared with the one after."
        case "appending":
            compared_phrase = f"its last two, {left_phrase}, are compared with {right_phrase}"
            return f"Pass one, a chunk of {sentence_range_in_words(comparison.left)} open: {compared_phrase}."
    chunk_phrase_by_comparison_kind = {
        "merging": "the next chunk",
        "over a snippet": "the chunk after the next",
        "over two snippets": "the third",
    }
    return (
        f"Pass two: the chunk of {left_phrase} is compared with {chunk_phrase_by_comparison_kind[comparison.kind]}, "
        f"{right_phrase}."
    )


def _minimum_size_merge_steps(chunking: Chunking) -> list[Step]:
    """Return a step for each boundary that the minimum size removed after both passes."""
    merge_steps = []
    chunk_start_sentences = [
        0,
        *(gap.index + 1 for gap in chunking.gaps if gap.verdict.is_cut or gap.verdict is Verdict.REJECTED),
    ]
    chunk_end_sentences = [*chunk_start_sentences[1:], len(chunking.document.sentences)]
    for left_chunk_index, start, end in zip(count(), chunk_start_sentences[1:], chunk_end_sentences[1:], strict=False):
        gap = chunking.gaps[start - 1]
        if gap.verdict is not Verdict.REJECTED or end > MOST_DRAWN_SENTENCES:
            continue
        left_chunk_range, right_chunk_range = Span(chunk_start_sentences[left_chunk_index], start), Span(start, end)
        merge_steps.append(
            Step(
                title=f"Merge {sentence_range_in_words(left_chunk_range)}, {sentence_range_in_words(right_chunk_range)}",
                story=[
                    "After both passes, a chunk below the minimum size is merged with a neighbour.",
                    QUOTED_REASON_PREFIX + gap.reason,
                ],
                numbers=[],
                tone="turn",
                mark=PassMark(growing=left_chunk_range, next=right_chunk_range, middle=None, gap=gap.index, comparison=None),
                placed=(len(chunking.document.sentences),) * 2,
                prediction=None,
                gauge=None,
            )
        )
    return merge_steps


# The rows of blocks.


class PassesData(TypedDict):
    """Payload of the rows of both passes; ``made`` is a `PassRowsData` as JSON, or empty if there is a message."""

    title: str
    summary: str
    made: str
    source: str
    message: str
    tone: str


_passes_component = Component[PassesData](
    "seamark_passes",
    "double_pass/passes.js",
    "components/shared/common.css",
    "double_pass/passes.css",
    "components/shared/zoom_window.css",
    html='<div class="passes"></div>',
    colour_group_name="passes",
)


class PassRowsData(TypedDict):
    """The rows of sentences, mini-chunks and chunks, and the comparisons between them.

    Attributes
    ----------
    count
        The number of sentences drawn.
    minis, snippets, chunks, other
        The positions on the sentence axis at which the blocks of each row begin; ``other`` is None without another chunker.
        Snippets are the mini-chunks that pass two merged over.
    labels, names
        The label above each row, and the singular name of its blocks, by row.
    """

    count: int
    minis: list[float]
    snippets: list[float]
    chunks: list[float]
    other: list[float] | None
    labels: dict[str, str]
    names: dict[str, str]
    comparisons: "list[SimilarityComparisonData]"


SimilarityComparisonData = TypedDict(
    "SimilarityComparisonData",
    {
        "pass": Literal[1, 2],
        "kind": MergeComparisonKind,
        "outcome": ComparisonOutcome,
        "left": tuple[int, int],
        "right": tuple[int, int],
        "compared": tuple[int, int],
        "value": str,
        "tried": list[str],
        "decides": bool,
        "words": str,
    },
)
"""A `Comparison`: its groups as half-open ranges of sentences; ``compared`` is the part of the left group that is compared.

``value`` is its similarity, ``tried`` the similarities of the earlier attempts for the same chunk; ``decides`` says whether
it is the last attempt.
"""


def show_passes(
    *,
    title: str,
    summary: str,
    rows: PassRowsData | None,
    text_identity: str,
    missing_result_message: str = "",
    message_tone: str = "",
    key: str,
) -> None:
    """Mount the rows of blocks that show both passes, or a ``missing_result_message`` if there are no rows.

    Hovering emits ``seamark-mark`` with the ``ranges`` of sentences; a click emits ``seamark-jump`` and, on a step of the
    stepper, ``seamark-go``. The rows mark the ranges of ``seamark-step``. ``text_identity`` is the identity of the text; if
    it changes, the zoom is reset.
    """
    _passes_component(
        key=key,
        data={
            "title": title,
            "summary": summary,
            "made": "" if rows is None else compact_json(rows),
            "source": text_identity,
            "message": missing_result_message,
            "tone": message_tone,
        },
    )


def data_for_drawing_pass_rows(
    chunking: Chunking, other_chunker_column: FinishedColumn | None, labels: dict[str, str]
) -> PassRowsData:
    """Return the positions at which the mini-chunks, snippets and chunks of each row begin, and the comparisons in order.

    ``other_chunker_column`` is another chunker's result, drawn as the bottom row for comparison.
    """
    comparison_lists_up_to_each = list_chunk_comparisons_up_to_each(chunking)
    joins_over_snippets = [
        so_far[-1]
        for so_far in comparison_lists_up_to_each
        if so_far[-1].kind.startswith("over") and so_far[-1].outcome == "joined"
    ]
    mini_chunk_start_sentence_numbers = mini_chunk_starts(chunking)
    skipped_snippet_starts = [
        start
        for start in mini_chunk_start_sentence_numbers
        if any(comparison.left.end <= start < comparison.right.start for comparison in joins_over_snippets)
    ]
    chunk_kind_name_by_row = {"minis": "Mini-chunk", "chunks": "Chunk", "other": ""}
    other_chunker_starts = None
    if other_chunker_column is not None:
        chunk_kind_name_by_row["other"] = f"{other_chunker_column.chunker.title}, chunk"
        labels = {
            **labels,
            "other": f"{other_chunker_column.chunker.title} for comparison: {other_chunker_column.chunker.describe()}",
        }
        # Positions are fractional for cuts inside a sentence.
        other_chunker_starts = _drawable_starts(
            convert_offsets_to_sentence_positions(
                other_chunker_column.chunking.document, [chunk.start for chunk in other_chunker_column.chunking.chunks]
            )
        )
    return {
        "count": min(len(chunking.document.sentences), MOST_DRAWN_SENTENCES),
        "minis": _drawable_starts(mini_chunk_start_sentence_numbers),
        "snippets": _drawable_starts(skipped_snippet_starts),
        "chunks": _drawable_starts([0, *(gap.index + 1 for gap in chunking.gaps if gap.verdict.is_cut)]),
        "other": other_chunker_starts,
        "labels": labels,
        "names": chunk_kind_name_by_row,
        "comparisons": [_comparison_data(so_far) for so_far in comparison_lists_up_to_each],
    }


def _drawable_starts(chunk_start_sentence_positions: Sequence[float]) -> list[float]:
    return [start for start in chunk_start_sentence_positions if start < MOST_DRAWN_SENTENCES]


def _comparison_data(comparisons_so_far: Sequence[Comparison]) -> SimilarityComparisonData:
    last_comparison = comparisons_so_far[-1]
    return {
        "pass": 1 if last_comparison.kind in ("initial", "appending") else 2,
        "kind": last_comparison.kind,
        "outcome": last_comparison.outcome,
        "left": last_comparison.left,
        "right": last_comparison.right,
        "compared": compared_left_group(last_comparison),
        "value": format_number(last_comparison.similarity, ".2f"),
        "tried": [format_number(before.similarity, ".2f") for before in comparisons_so_far[:-1]],
        "decides": bool(last_comparison.why),
        "words": latest_comparison_in_words(comparisons_so_far),
    }


def table_of_similarity_comparisons(chunking: Chunking) -> dict[str, list[Any]]:
    """Return a table of all similarity comparisons of both passes, by column name."""
    similarity_comparisons = chunking.comparisons
    return {
        "step": [number for number, _ in enumerate(similarity_comparisons, start=1)],
        "pass": [1 if comparison.kind in ("initial", "appending") else 2 for comparison in similarity_comparisons],
        "kind": [comparison.kind for comparison in similarity_comparisons],
        "compared": [sentence_range_in_words(compared_left_group(comparison)) for comparison in similarity_comparisons],
        "with": [sentence_range_in_words(comparison.right) for comparison in similarity_comparisons],
        "similarity": [comparison.similarity for comparison in similarity_comparisons],
        "threshold": [comparison.threshold for comparison in similarity_comparisons],
        "outcome": [comparison.outcome for comparison in similarity_comparisons],
        "characters joined": [comparison.length for comparison in similarity_comparisons],
        "decision": [comparison.reason for comparison in similarity_comparisons],
    }
