"""A background job that estimates a run's requests to a language model before anything is sent."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from chunkers import Chunker, Document, load_tokenizer
from chunkers.contract.base import Estimate
from chunkers.contract.tools import Tools
from chunkers.language_models.asking import Asking
from chunkers.support.errors import stop_if
from viz.jobs.background import Background

Count = Callable[[Callable[[], bool]], Estimate]
"""A function that estimates a run's requests; it is passed a function that returns whether to stop."""


@dataclass(eq=False)
class Estimating(Background):
    """A job that estimates a run's requests to a language model, which takes seconds for long documents.

    Attributes
    ----------
    subject
        The identity of the run, to which the estimate and the user's consent apply.
    asking
        The language model that would be called.
    count
        The function that makes the estimate.
    then
        Starts the run after the user's consent.
    found
        The estimate; None until it is known.
    """

    subject: object
    asking: Asking
    count: Count
    then: Callable[[], None]
    found: Estimate | None = field(default=None, init=False)

    def progress(self) -> tuple[float, str]:
        """Return 0 and a status text, since the progress is unknown."""
        return 0.0, f"Counting what would be sent to {self.asking.model.title}"

    def _run(self) -> None:
        self.found = self.count(self._cancel.is_set)


def estimate(
    documents: Iterable[Document], chunkers: Sequence[Chunker], tokenizer: str, cancelled: Callable[[], bool] = bool
) -> Estimate:
    """Estimate the model requests for cutting all documents with all chunkers, without deducting cached answers.

    Raises
    ------
    InputError
        If a chunker cannot cut a document.
    Cancelled
        If the user stops.
    """
    tools = Tools(None, load_tokenizer(tokenizer), cancelled=cancelled)
    total = Estimate(0, 0)
    for document in documents:
        for chunker in chunkers:
            stop_if(cancelled)
            part = chunker.estimate(document, tools)
            total = Estimate(*map(sum, zip(total, part, strict=True)))
    return total
