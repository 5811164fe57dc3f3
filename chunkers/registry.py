"""The one table of all chunkers."""

from __future__ import annotations

from chunkers.base import Chunker
from chunkers.breakpoint import Breakpoint
from chunkers.double_pass import DoublePass
from chunkers.errors import ParameterError
from chunkers.fixed import FixedSentences
from chunkers.recursive import Recursive

CHUNKERS: dict[str, type[Chunker]] = {
    chunker.name: chunker for chunker in (FixedSentences, Recursive, Breakpoint, DoublePass)
}


def chunker_class(name: str) -> type[Chunker]:
    """Return the chunker called ``name``.

    Raises
    ------
    ParameterError
        If there is none of that name.
    """
    try:
        return CHUNKERS[name]
    except KeyError:
        raise ParameterError(f"chunker must be one of {', '.join(CHUNKERS)}; got {name!r}.") from None
