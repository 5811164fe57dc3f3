"""The two passes of Double pass in words: one step per comparison, in order."""

from collections.abc import Sequence
from itertools import count

from chunkers import Chunking, Comparison, Span, Verdict
from chunkers.results.reason import Reason
from viz.components.stepper.stepper import Mark, Step

MOST_SENTENCES = 3000
"""Comparisons beyond this sentence have no steps and are not drawn; only the table has all."""

LEDGER = "The reason given: "
"""Prefix of a reason quoted from the ledger."""


class PassMark(Mark):
    """The highlights of a step in the text and the rows, with the number of its comparison (None after both passes)."""

    comparison: int | None


def attempts_of(chunking: Chunking) -> list[list[Comparison]]:
    """Return, for each comparison, the comparisons made for the same chunk up to and including this comparison.

    Comparisons beyond the first `MOST_SENTENCES` sentences are left out.
    """
    attempts = []
    so_far: list[Comparison] = []
    for comparison in chunking.comparisons:
        if comparison.right.end > MOST_SENTENCES:
            continue
        so_far = [comparison] if not so_far or so_far[-1].why else [*so_far, comparison]
        attempts.append(so_far)
    return attempts


def pass_steps(chunking: Chunking, maximum: int | None) -> list[Step]:
    """Return a step for each comparison of both passes, then a step for each merge by the minimum size.

    ``maximum`` is the chunker's maximum size.
    """
    attempts = attempts_of(chunking)
    steps = [_step(number, so_far, maximum) for number, so_far in enumerate(attempts)]
    second = next(
        (number for number, so_far in enumerate(attempts) if so_far[-1].kind not in ("initial", "appending")), None
    )
    if second:
        steps[second]["pauses"] = True
    return steps + _size_merges(chunking)


def mini_chunk_starts(chunking: Chunking) -> list[int]:
    """Return the numbers of the sentences at which the mini-chunks of pass one begin."""
    if not chunking.document.sentences:
        return []
    first = (comparison for comparison in chunking.comparisons if comparison.kind in ("initial", "appending"))
    return [0, *(comparison.right.start for comparison in first if comparison.outcome != "joined")]


def decided_gaps(attempts: Sequence[Comparison], starts: Sequence[int]) -> list[int]:
    """Return the gaps between mini-chunks that the last comparison of ``attempts`` decides.

    ``starts`` are the sentences at which the mini-chunks begin.
    """
    left, right = attempts[-1].left, attempts[-1].right
    return [start - 1 for start in starts if left.end <= start <= right.start]


def attempts_in_words(attempts: Sequence[Comparison]) -> str:
    """Describe the last comparison of ``attempts`` in one line."""
    before = "".join(
        f"; {sentences_in_words(comparison.right)} before it {_score_in_words(comparison)}" for comparison in attempts[:-1]
    )
    return f"{_title(attempts[-1])}: similarity {_score_in_words(attempts[-1])}{before}."


def sentences_in_words(group: Span) -> str:
    """Return a range of sentences in words, counted from 1, such as ``sentences 3–5``."""
    return f"sentence {group.end}" if _is_single(group) else f"sentences {group.start + 1}\N{EN DASH}{group.end}"


def _is_single(group: Span) -> bool:
    return group.end - group.start == 1


def _step(number: int, attempts: Sequence[Comparison], maximum: int | None) -> Step:
    comparison = attempts[-1]
    group, between = compared_group(comparison), _between(comparison)
    values = [
        ["similarity", _score_in_words(comparison)],
        *(
            [f"{sentences_in_words(before.right)}", f"{_score_in_words(before)}, looked at before"]
            for before in attempts[:-1]
        ),
    ]
    limit = "no maximum" if maximum is None else f"at most {maximum:,}"
    return Step(
        title=_title(comparison),
        story=[
            _comparison_in_words(comparison, group),
            *([] if comparison.why else ["Not above, so the next chunk is compared."]),
        ],
        numbers=values,
        aside=(
            [LEDGER + comparison.reason] if comparison.why else [],
            [["length", f"{comparison.length:,} characters joined, {limit}"]],
        ),
        tone="turn"
        if between and comparison.outcome == "joined"
        else "cut"
        if comparison.outcome != "joined" and comparison.why
        else "",
        mark=PassMark(
            growing=group,
            next=comparison.right,
            middle=between,
            gap=comparison.left.end - 1,
            comparison=number,
        ),
        placed=_placed(attempts),
        prediction={
            "words": f"Does {sentences_in_words(comparison.right)} join?"
            if _is_single(comparison.right)
            else f"Do {sentences_in_words(comparison.right)} join?",
            "yes": "Join",
            "no": "Keep apart",
            "right": comparison.outcome == "joined",
        },
        gauge={
            "label": "similarity and threshold",
            "score": comparison.similarity,
            "threshold": comparison.threshold,
            "low": min(0.0, comparison.similarity, comparison.threshold),
            "high": max(1.0, comparison.similarity, comparison.threshold),
        },
    )


def _placed(attempts: Sequence[Comparison]) -> tuple[int, int]:
    """Return the sentences in a final chunk before and after the last comparison; none in pass one, whose chunks merge."""
    comparison = attempts[-1]
    if comparison.kind in ("initial", "appending"):
        return 0, 0
    before = comparison.left.end
    if comparison.outcome == "joined":
        return before, comparison.right.end
    # After a chunk ends, the next one begins with the mini-chunk that was compared first.
    return before, attempts[0].right.end if comparison.why else before


def compared_group(comparison: Comparison) -> Span:
    """Return the sentences on the left of a comparison whose vector is compared with the right group's vector."""
    return Span(comparison.left.end - 2, comparison.left.end) if comparison.kind == "appending" else comparison.left


def _between(comparison: Comparison) -> Span | None:
    return Span(comparison.left.end, comparison.right.start) if comparison.kind.startswith("over") else None


def _score_in_words(comparison: Comparison) -> str:
    which = comparison.kind if comparison.kind in ("initial", "appending") else "merging"
    return str(
        Reason("", comparison.similarity, "≤" if comparison.outcome == "not above" else ">", comparison.threshold, which)
    )


def _title(comparison: Comparison) -> str:
    left, right, between = sentences_in_words(comparison.left), sentences_in_words(comparison.right), _between(comparison)
    match comparison.kind, comparison.outcome:
        case _, "too long":
            title = f"{left} and {right} are alike, but too long together"
        case "initial", "joined":
            title = f"{left} and {right} open a chunk"
        case "initial", _:
            title = f"{left} stands alone"
        case "appending", "joined":
            title = f"{right} joins {left}"
        case "appending", _:
            title = f"the chunk of {left} ends"
        case "merging", "joined":
            title = f"{left} and {right} become one"
        case _, "joined":
            assert between is not None
            title = f"merged over a snippet: {sentences_in_words(between)}"
        case _ if comparison.why:
            title = f"the chunk of {left} ends"
        case _:
            title = f"{right} {'is' if _is_single(comparison.right) else 'are'} too unlike {left}"
    return title[0].upper() + title[1:]


def _comparison_in_words(comparison: Comparison, group: Span) -> str:
    left, right = sentences_in_words(group), sentences_in_words(comparison.right)
    match comparison.kind:
        case "initial":
            return f"Pass one, no chunk open: {left} is compared with the one after."
        case "appending":
            last = f"its last two, {left}, are compared with {right}"
            return f"Pass one, a chunk of {sentences_in_words(comparison.left)} open: {last}."
    place = {"merging": "the next chunk", "over a snippet": "the chunk after the next", "over two snippets": "the third"}
    return f"Pass two: the chunk of {left} is compared with {place[comparison.kind]}, {right}."


def _size_merges(chunking: Chunking) -> list[Step]:
    """Return a step for each boundary that the minimum size removed after both passes."""
    merged = []
    cuts = [0, *(gap.index + 1 for gap in chunking.gaps if gap.verdict.is_cut or gap.verdict is Verdict.REJECTED)]
    ends = [*cuts[1:], len(chunking.document.sentences)]
    for number, start, end in zip(count(), cuts[1:], ends[1:], strict=False):
        gap = chunking.gaps[start - 1]
        if gap.verdict is not Verdict.REJECTED or end > MOST_SENTENCES:
            continue
        left, right = Span(cuts[number], start), Span(start, end)
        merged.append(
            Step(
                title=f"Merge {sentences_in_words(left)}, {sentences_in_words(right)}",
                story=["After both passes, a chunk below the minimum size is merged with a neighbour.", LEDGER + gap.reason],
                numbers=[],
                tone="turn",
                mark=PassMark(growing=left, next=right, middle=None, gap=gap.index, comparison=None),
                placed=(len(chunking.document.sentences),) * 2,
                prediction=None,
                gauge=None,
            )
        )
    return merged
