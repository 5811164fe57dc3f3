"""A background job that measures the edit stability of several chunkers on one document."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from chunkers import Cancelled, Chunker, Document, Embedder, InputError
from evaluation.segmentation.unlabelled import EDITS, Stability, edit_stability
from viz.jobs.background import Background
from viz.jobs.chunking import Task


@dataclass(eq=False)
class EditStabilityJob(Background):
    """A job that measures how stable chunkers are under edits of the text, one chunker after another.

    ``named`` has the chunkers with their display names. ``results`` has the measurements; ``refused`` has the reasons for
    chunkers that cannot be measured.
    """

    source: Document
    embedder: Embedder | None
    named: Sequence[tuple[str, Task, Chunker]]
    on_disk: bool
    edits: int = EDITS
    results: dict[Task, Stability] = field(default_factory=dict)
    refused: dict[Task, str] = field(default_factory=dict)
    _at: int = 0
    _done: int = 0

    def progress(self) -> tuple[float, str]:
        """Return the share of all edits that are done, and the current chunker."""
        at, done = self._at, self._done
        share = (at * self.edits + done) / max(1, len(self.named) * self.edits)
        name = self.named[min(at, len(self.named) - 1)][0] if self.named else ""
        return min(share, 1.0), f"{name}: {done:,} of {self.edits:,} edits"

    def _count_edits(self, done: int, total: int) -> None:
        # A short text has fewer edits.
        self._done = done * self.edits // total

    def _run(self) -> None:
        for place, (_, task, chunker) in enumerate(self.named):
            self._at, self._done = place, 0
            if chunker.asks:
                self.refused[task] = "Not measured: the language model would be asked anew after each edit."
                continue
            if chunker.elsewhere:
                self.refused[task] = "Not measured: made elsewhere, the chunks cannot be made again after each edit."
                continue
            if chunker.embeds and self.embedder is not None:
                self.load(self.embedder)
            embedder = self.embedder if chunker.embeds else None
            tools = self.tools(embedder, task.tokenizer, on_disk=self.on_disk, came=self.came)
            try:
                self.results[task] = edit_stability(chunker, self.source, tools, self.edits, progress=self._count_edits)
            except Cancelled:
                return
            except InputError as error:
                self.refused[task] = str(error)
