"""All answers and judgements as a file: CSV for a spreadsheet, JSON lines with every prompt and every word."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from chunkers.support.spreadsheet import as_cell
from evaluation.answering.answer import Exchange
from evaluation.answering.report import MEASURES, Results


def to_csv(names: Sequence[str], results: Results) -> str:
    """Return the answers as CSV, one row each, with an apostrophe before text that looks like a formula."""
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(["chunker", "question", "reference", "answer", "problem", *MEASURES, "not_judged", "context_tokens"])
    for (chunker, _), result in sorted(results.items()):
        values = [result.value(measure) for measure in MEASURES]
        row = [
            names[chunker],
            result.item.question,
            result.item.reference,
            result.answer.text,
            result.answer.problem,
            *values,
        ]
        writer.writerow(map(as_cell, [*row, " ".join(result.not_judged), result.context.tokens]))
    return written.getvalue()


def to_json_lines(names: Sequence[str], results: Results) -> str:
    """Return the answers as JSON lines, each with its passages and all conversations with the models."""
    rows = []
    for (chunker, _), result in sorted(results.items()):
        row = {
            "chunker": names[chunker],
            "question": result.item.question,
            "reference": result.item.reference,
            "answer": result.answer.text,
            "problem": result.answer.problem,
            "asked": _messages(result.answer.exchange),
            "passages": [passage._asdict() for passage in result.context.passages],
            **{measure: result.value(measure) for measure in MEASURES},
            "judgements": [
                {"kind": kind, "time": place + 1, "value": judgement.value, "problem": judgement.problem}
                | {"said": judgement.said, "asked": _messages(judgement.exchange)}
                for kind, times in result.judgements.items()
                for place, judgement in enumerate(times)
            ],
        }
        rows.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(rows)


def _messages(exchange: Exchange) -> list[dict[str, str]]:
    return [message._asdict() for message in exchange.turns]
