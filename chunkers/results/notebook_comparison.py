"""Several results of one text side by side, for notebooks."""

from collections.abc import Sequence
from typing import overload

from chunkers.results.result import Chunking
from chunkers.results.result_html import chunker_title_without_settings, comparison_html
from chunkers.support import InputError, short_repr

MOST_SIDE_BY_SIDE = 6
"""Maximum number of results that are shown side by side, as on the page."""


class SideBySide(Sequence[Chunking]):
    """Results for the same text, shown side by side on one axis in a notebook.

    Attributes
    ----------
    results
        The results.
    titles
        Title of each result.
    """

    def __init__(self, results: Sequence[Chunking], titles: Sequence[str]) -> None:
        self.results, self.titles = tuple(results), tuple(titles)

    def __len__(self) -> int:
        """Return the number of results."""
        return len(self.results)

    @overload
    def __getitem__(self, place: int) -> Chunking: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Chunking, ...]: ...
    def __getitem__(self, place: int | slice) -> Chunking | tuple[Chunking, ...]:
        """Return a result, or the results of a slice."""
        return self.results[place]

    def __repr__(self) -> str:
        """Return the compared results in a few words, without the text."""
        chunk_counts_phrase = ", ".join(
            f"{title}: {len(chunking):,}" for title, chunking in zip(self.titles, self.results, strict=True)
        )
        return f"<SideBySide of {self.results[0].document!r}; chunks: {chunk_counts_phrase}>"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: strips on one axis, and the columns."""
        return comparison_html(self.results, self.titles)


def compare(*results: Chunking, **named: Chunking) -> SideBySide:
    """Collect results for the same text into a sequence that a notebook shows side by side.

    Parameters
    ----------
    results
        At least one and at most `MOST_SIDE_BY_SIDE` results, including the results in ``named``.
    named
        Further results, with their names as keywords.

    Raises
    ------
    InputError
        If there are no results or too many, an argument is not a result, or the results are for different texts.
    """
    names_and_results = [*((None, chunking) for chunking in results), *named.items()]
    if not 1 <= len(names_and_results) <= MOST_SIDE_BY_SIDE:
        raise InputError(f"compare: there must be 1 to {MOST_SIDE_BY_SIDE} results; got {len(names_and_results)}.")
    for _, chunking in names_and_results:
        if not isinstance(chunking, Chunking):
            raise InputError(f"compare: each value must be a result that chunk returned; got {short_repr(chunking)}.")
        if chunking.document.text != names_and_results[0][1].document.text:
            raise InputError("compare: all results must be of the same text; got results of different texts.")
    return SideBySide(
        [chunking for _, chunking in names_and_results],
        [name or chunker_title_without_settings(chunking) for name, chunking in names_and_results],
    )
