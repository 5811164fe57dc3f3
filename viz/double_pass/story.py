"""The two passes of Double pass in words: one step per comparison, in order."""

from __future__ import annotations

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


def told(chunking: Chunking) -> list[list[Comparison]]:
    """Return, for each comparison, the comparisons made for the same chunk up to and including this comparison.

    Comparisons beyond the first `MOST_SENTENCES` sentences are left out.
    """
    looks = []
    tried: list[Comparison] = []
    for comparison in chunking.comparisons:
        if comparison.right.end > MOST_SENTENCES:
            continue
        tried = [comparison] if not tried or tried[-1].why else [*tried, comparison]
        looks.append(tried)
    return looks


def pass_steps(chunking: Chunking, maximum: int | None) -> list[Step]:
    """Return a step for each comparison of both passes, then a step for each merge by the minimum size.

    ``maximum`` is the chunker's maximum size.
    """
    looks = told(chunking)
    steps = [_step(number, tried, maximum) for number, tried in enumerate(looks)]
    second = next((number for number, tried in enumerate(looks) if tried[-1].kind not in ("initial", "appending")), None)
    if second:
        steps[second]["pauses"] = True
    return steps + _after(chunking)


def minis(chunking: Chunking) -> list[int]:
    """Return the numbers of the sentences at which the mini-chunks of pass one begin."""
    if not chunking.document.sentences:
        return []
    first = (comparison for comparison in chunking.comparisons if comparison.kind in ("initial", "appending"))
    return [0, *(comparison.right.start for comparison in first if comparison.outcome != "joined")]


def seams(tried: Sequence[Comparison], starts: Sequence[int]) -> list[int]:
    """Return the gaps between mini-chunks that the last comparison of ``tried`` decides.

    ``starts`` are the sentences at which the mini-chunks begin.
    """
    left, right = tried[-1].left, tried[-1].right
    return [start - 1 for start in starts if left.end <= start <= right.start]


def words(tried: Sequence[Comparison]) -> str:
    """Describe the last comparison of ``tried`` in one line."""
    before = "".join(f"; {numbers(comparison.right)} before it {_numbers(comparison)}" for comparison in tried[:-1])
    return f"{_title(tried[-1])}: similarity {_numbers(tried[-1])}{before}."


def numbers(group: Span) -> str:
    """Return a range of sentences in words, counted from 1, such as ``sentences 3–5``."""
    return f"sentence {group.end}" if _one(group) else f"sentences {group.start + 1}\N{EN DASH}{group.end}"


def _one(group: Span) -> bool:
    return group.end - group.start == 1


def _step(number: int, tried: Sequence[Comparison], maximum: int | None) -> Step:
    here = tried[-1]
    group, between = compared_group(here), _between(here)
    values = [
        ["similarity", _numbers(here)],
        *([f"{numbers(before.right)}", f"{_numbers(before)}, looked at before"] for before in tried[:-1]),
    ]
    limit = "no maximum" if maximum is None else f"at most {maximum:,}"
    return Step(
        title=_title(here),
        story=[_compared(here, group), *([] if here.why else ["Not above, so the next chunk is compared."])],
        numbers=values,
        aside=([LEDGER + here.reason] if here.why else [], [["length", f"{here.length:,} characters joined, {limit}"]]),
        tone="turn" if between and here.outcome == "joined" else "cut" if here.outcome != "joined" and here.why else "",
        mark=PassMark(
            growing=group,
            next=here.right,
            middle=between,
            gap=here.left.end - 1,
            comparison=number,
        ),
        placed=_placed(tried),
        prediction={
            "words": f"Does {numbers(here.right)} join?" if _one(here.right) else f"Do {numbers(here.right)} join?",
            "yes": "Join",
            "no": "Keep apart",
            "right": here.outcome == "joined",
        },
        gauge={
            "label": "similarity and threshold",
            "score": here.similarity,
            "threshold": here.threshold,
            "low": min(0.0, here.similarity, here.threshold),
            "high": max(1.0, here.similarity, here.threshold),
        },
    )


def _placed(tried: Sequence[Comparison]) -> tuple[int, int]:
    """Return the sentences in a final chunk before and after the last comparison; none in pass one, whose chunks merge."""
    here = tried[-1]
    if here.kind in ("initial", "appending"):
        return 0, 0
    before = here.left.end
    if here.outcome == "joined":
        return before, here.right.end
    # After a chunk ends, the next one begins with the mini-chunk that was compared first.
    return before, tried[0].right.end if here.why else before


def compared_group(here: Comparison) -> Span:
    """Return the sentences on the left of a comparison whose vector is compared with the right group's vector."""
    return Span(here.left.end - 2, here.left.end) if here.kind == "appending" else here.left


def _between(here: Comparison) -> Span | None:
    return Span(here.left.end, here.right.start) if here.kind.startswith("over") else None


def _numbers(here: Comparison) -> str:
    which = here.kind if here.kind in ("initial", "appending") else "merging"
    return str(Reason("", here.similarity, "≤" if here.outcome == "not above" else ">", here.threshold, which))


def _title(here: Comparison) -> str:
    left, right, between = numbers(here.left), numbers(here.right), _between(here)
    match here.kind, here.outcome:
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
            title = f"merged over a snippet: {numbers(between)}"
        case _ if here.why:
            title = f"the chunk of {left} ends"
        case _:
            title = f"{right} {'is' if _one(here.right) else 'are'} too unlike {left}"
    return title[0].upper() + title[1:]


def _compared(here: Comparison, group: Span) -> str:
    match here.kind:
        case "initial":
            return f"Pass one, no chunk open: {numbers(group)} is compared with the one after."
        case "appending":
            last = f"its last two, {numbers(group)}, are compared with {numbers(here.right)}"
            return f"Pass one, a chunk of {numbers(here.left)} open: {last}."
    place = {"merging": "the next chunk", "over a snippet": "the chunk after the next", "over two snippets": "the third"}
    return f"Pass two: the chunk of {numbers(group)} is compared with {place[here.kind]}, {numbers(here.right)}."


def _after(chunking: Chunking) -> list[Step]:
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
                title=f"Merge {numbers(left)}, {numbers(right)}",
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
