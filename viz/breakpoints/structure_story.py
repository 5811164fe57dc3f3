"""The blocks of Structure as steps: whether each joins the open chunk, and why."""

from __future__ import annotations

from collections.abc import Sequence

from chunkers import Chunking
from chunkers.methods.structure import BlockStep, Structure
from viz.components.stepper.stepper import Gauge, Step


def structure_steps(chunking: Chunking, chunker: Structure, scanned: Sequence[BlockStep]) -> list[Step]:
    """Return a step for each block, in order; ``scanned`` is from `Structure.scan`."""
    document = chunking.document
    steps: list[Step] = []
    largest = max([chunker.max_size, *(block.together for block in scanned if block.together is not None)])
    opened, chunk = 0, 1
    for number, block in enumerate(scanned):
        first, last = document.sentence_at(block.start), document.sentence_at(block.end - 1) + 1
        whole = document.starts[first] == block.start
        if block.cut:
            chunk += 1
        name = f"{block.kind} of {block.size:,} token{'' if block.size == 1 else 's'}"
        done = f"opens chunk {chunk:,}" if block.cut or not number else f"stays in chunk {chunk:,}"
        reason = "The text begins with it." if block.why is None else _sentence(str(block.why))
        steps.append(
            {
                "title": f"{_sentence(name, '')} {done}",
                "story": [reason],
                "numbers": [["kind", block.kind], ["its size", f"{block.size:,} tokens"], *_together(block, chunker)],
                "tone": "cut" if block.cut else "",
                "mark": {
                    "growing": (opened, max(first, opened + 1)) if number else None,
                    "next": (first, last),
                    "middle": None,
                    "gap": None if not number else first - 1 if whole else first,
                },
                "placed": (first if whole else first + 1, last),
                "prediction": {
                    "words": f"Does the {name} join the chunk before it?",
                    "yes": "Join",
                    "no": "New chunk",
                    "right": not block.cut,
                }
                if number
                else None,
                "gauge": _gauge(block, chunker, largest),
            }
        )
        if block.cut:
            opened = first
    return steps


def _together(block: BlockStep, chunker: Structure) -> list[list[str]]:
    if block.together is None:
        return []
    return [["with the chunk", f"{block.together:,} tokens, at most {chunker.max_size:,}"]]


def _gauge(block: BlockStep, chunker: Structure, largest: int) -> Gauge | None:
    if block.together is None:
        return None
    label = "tokens together and maximum size"
    return {"label": label, "score": block.together, "threshold": chunker.max_size, "low": 0, "high": largest}


def _sentence(words: str, end: str = ".") -> str:
    return words[0].upper() + words[1:] + end
