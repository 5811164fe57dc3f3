"""The notice on Compare about a reopened session file."""

from __future__ import annotations

from collections.abc import Sequence

from viz.components.notice import notice
from viz.shell.results import ColumnResult
from viz.state.keys import session
from viz.state.session_file import KeptColumn, spans_of


def say_reopened(results: Sequence[ColumnResult]) -> None:
    """Report whether the results match the reopened session file, until the text or the columns change."""
    file = session.reopened
    if file is None or not all(outcome.chunker and outcome.chunking is not None for outcome in results):
        return
    now = [(outcome.chunker.name, outcome.chunker.model_dump()) for outcome in results if outcome.chunker]
    kept = [(column.recipe.chunker, column.recipe.build().model_dump()) for column in file.columns]
    if now != kept or any(
        outcome.chunking is not None and outcome.chunking.document.text != file.text for outcome in results
    ):
        session.reopened = None
        return
    others = [
        number
        for number, (outcome, column) in enumerate(zip(results, file.columns, strict=True), start=1)
        if outcome.chunking is not None and spans_of(outcome.chunking) != column.chunks
    ]
    if not others:
        notice(f"{file.name} was reopened with the same chunks in every column.", key="reopened_file")
        return
    which = f"column{'s' if len(others) > 1 else ''} {', '.join(map(str, others))}"
    versions = ", ".join(f"{name} {version}" for name, version in file.columns[others[0] - 1].recipe.versions.items())
    message = f"{file.name}: {which} came out differently from the file, which was made with {versions}."
    reasons = dict.fromkeys(_changed(results[number - 1], file.columns[number - 1]) for number in others)
    notice(" ".join([message, *filter(None, reasons)]), "error", key="reopened_file")


def _changed(result: ColumnResult, column: KeptColumn) -> str:
    assert result.chunking is not None
    return column.recipe.changed_since(len(result.chunking.document.sentences))
