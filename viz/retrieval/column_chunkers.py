"""The columns of the Retrieval page: those passed with questions from Compare, and their chunkers."""

from __future__ import annotations

from chunkers import Chunker, InputError, build_chunker
from chunkers.recipes.registry import ELSEWHERE
from viz.jobs.plan import Material
from viz.shell.page import Page
from viz.state.chunk_files import chunker_elsewhere
from viz.state.keys import session
from viz.state.language_model import MISSING, chosen_model
from viz.state.undo import undoable


def take_columns(here: Page, page: str) -> None:
    """Adopt the columns that came with another page's questions, once; the user can undo the change."""
    given = session.retrieval_given
    if not session.retrieval_arrived or given is None or not given.columns or here.choices.columns == [*given.columns]:
        return
    with undoable(page, "Columns replaced by those of Compare"):
        here.choices.columns = [column.copy() for column in given.columns]
        here.choices.selected = min(here.choices.selected, len(given.columns) - 1)


def chunkers_of(here: Page) -> tuple[list[Chunker | None], str]:
    """Return each column's chunker (None if its parameters are invalid), and the first error message."""
    built: list[Chunker | None] = []
    complaint = ""
    for number, column in enumerate(here.choices.columns, start=1):
        chunker: Chunker | None = None
        problem = ""
        try:
            if column.chunker in ELSEWHERE:
                chunker, missing = chunker_elsewhere(column)
                problem = missing and f"Column {number}: {missing}"
            else:
                chunker = build_chunker(column.chunker, column.parameters, here.embedder)
                problem = MISSING if chunker.asks and chosen_model() is None else ""
        except InputError as error:
            problem = str(error)
        built.append(chunker)
        complaint = complaint or problem
    return built, complaint


def measured_names(material: Material | None) -> tuple[str, ...]:
    """Return the names of the documents in ``material``."""
    return () if material is None else tuple(name for name, _ in material.texts)
