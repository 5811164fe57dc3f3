"""Estimate of the requests to a language model of a run over many documents, made before anything is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from chunkers import Cancelled, Chunker, Document, load_tokenizer
from chunkers.contract.base import Estimate
from chunkers.contract.tools import Tools
from chunkers.language_models.asking import Asking
from viz.jobs.background import Background

Count = Callable[[Callable[[], bool]], Estimate]
"""Returns about what a run would send; it is given what tells whether to stop."""


@dataclass(eq=False)
class Estimating(Background):
    """Estimate the requests of a run; splitting and counting long documents takes seconds.

    Attributes
    ----------
    subject
        What the run is; the estimate and the user's consent are about nothing else.
    asking
        The language model that would be asked.
    count
        Counts.
    then
        Starts the run, once the user has allowed it.
    found
        None until it is known.
    """

    subject: object
    asking: Asking
    count: Count
    then: Callable[[], None]
    found: Estimate | None = field(default=None, init=False)

    def progress(self) -> tuple[float, str]:
        """Return the current step; its progress is unknown."""
        return 0.0, f"Counting what would be sent to {self.asking.model.title}"

    def _run(self) -> None:
        self.found = self.count(self._cancel.is_set)


def estimate(
    documents: Iterable[Document], chunkers: Sequence[Chunker], tokenizer: str, cancelled: Callable[[], bool] = bool
) -> Estimate:
    """Estimate the requests for cutting all documents with all chunkers; cached answers are not deducted.

    Raises
    ------
    InputError
        If a chunker cannot cut a document.
    Cancelled
        If the user stops.
    """
    tools = Tools(None, load_tokenizer(tokenizer), cancelled=cancelled)
    whole = Estimate(0, 0)
    for document in documents:
        for chunker in chunkers:
            if cancelled():
                raise Cancelled
            one = chunker.estimate(document, tools)
            whole = Estimate(*map(sum, zip(whole, one, strict=True)))
    return whole
