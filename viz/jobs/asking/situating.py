"""A background job in which a language model writes a context sentence for every chunk of several columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from chunkers import Cancelled, Chunking, Tools, load_tokenizer
from chunkers.contract.base import Estimate
from chunkers.language_models.asking import Asking
from chunkers.recipes import situating
from viz.jobs.background import Background
from viz.jobs.chunking import Task


@dataclass(eq=False)
class Situating(Background):
    """A job in which a language model writes context sentences for the chunks of one column after another.

    The user must have consented to the requests.

    Attributes
    ----------
    chunkings
        The chunks without context sentences, by their tasks.
    found
        The chunks with their context sentences, by their tasks; grows while the job runs.
    """

    asking: Asking
    tokenizer: str
    chunkings: Mapping[Task, Chunking]
    found: dict[Task, Chunking] = field(default_factory=dict)
    _done: int = 0

    def progress(self) -> tuple[float, str]:
        """Return the share of columns done, and a status text."""
        return min(1.0, (self._done + self._share) / max(1, len(self.chunkings))), f"Asking {self.asking.model.name}"

    def _run(self) -> None:
        def deciding(done: int, total: int) -> None:
            self._share = done / max(1, total)

        tools = self.tools(None, self.tokenizer, deciding=deciding, asking=self.asking)
        for task, chunking in self.chunkings.items():
            self.found[task] = situating.situated(chunking, tools)
            self._done, self._share = self._done + 1, 0.0


def estimate_of_contexts(
    chunkings: Mapping[Task, Chunking], tokenizer: str, cancelled: Callable[[], bool] = bool
) -> Estimate:
    """Estimate the requests for the context sentences without sending any; raises Cancelled if the user stops."""
    tools, estimates = Tools(None, load_tokenizer(tokenizer)), [Estimate(0, 0)]
    for chunking in chunkings.values():
        if cancelled():
            raise Cancelled
        estimates.append(situating.estimate(chunking, tools))
    return Estimate(*map(sum, zip(*estimates, strict=True)))
