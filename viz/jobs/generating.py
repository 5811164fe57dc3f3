"""Have a language model ask questions about documents, and compare them and their excerpts with each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from chunkers import Embedder
from chunkers.language_models.asking import Asking
from chunkers.language_models.spending import Ledger
from chunkers.text.parts import Parts
from evaluation.generating.data_set import Draft, Texts
from evaluation.generating.filters import HIGHEST, LOWEST, Alike, compare
from evaluation.generating.generate import MOST_QUESTION_TOKENS, Dropped, Generated, Outcome, Settings, generate
from viz.jobs.background import Background


@dataclass(eq=False)
class Generating(Background):
    """Generate questions; the results so far are kept if the job stops.

    Attributes
    ----------
    texts, parts
        The documents, and those of them that have pages or chapters.
    asking
        The language model. Whoever starts the job has the user's consent.
    drafts
        What the user made of questions; None of one that is removed.
    lines
        The thresholds of the two filters.
    outcomes
        What came of each window; grows while the job runs.
    asked
        What asking has taken.
    """

    texts: Texts
    parts: tuple[tuple[str, Parts], ...]
    settings: Settings
    asking: Asking
    drafts: dict[Generated, Draft | None] = field(default_factory=dict)
    lines: tuple[float, float] = (LOWEST, HIGHEST)
    outcomes: list[Outcome] = field(default_factory=list)
    asked: Ledger = field(default_factory=Ledger)

    @property
    def made(self) -> list[Generated]:
        """The questions so far."""
        return [one for one in list(self.outcomes) if isinstance(one, Generated)]

    @property
    def dropped(self) -> list[Dropped]:
        """The windows so far about which no usable question was asked."""
        return [one for one in list(self.outcomes) if isinstance(one, Dropped)]

    def progress(self) -> tuple[float, str]:
        """Return the share of the passages that are done with, and how many that are."""
        done, count = len(self.outcomes), self.settings.count
        # Without words of the model's: Streamlit renders the label of a progress bar as Markdown.
        said = f"{done:,} of {count:,} passages done"
        dropped = len(self.dropped)
        return done / count, f"{said}, {dropped:,} of them without a usable answer" if dropped else said

    def _run(self) -> None:
        ask = partial(self.asking.ask, ledger=self.asked, most_tokens=MOST_QUESTION_TOKENS)
        generate(self.texts.texts, self.settings, ask, self.outcomes.append, self._cancel.is_set)


@dataclass(eq=False)
class Comparing(Background):
    """Embed questions and excerpts, and compare them.

    Attributes
    ----------
    subject
        What the result depends on: a job with an equal one need not be run.
    alike
        None until it is done.
    """

    subject: object
    texts: Texts
    made: Sequence[Generated]
    splitter: str
    embedder: Embedder
    on_disk: bool
    alike: Alike | None = field(default=None, init=False)
    _status: str = field(default="Loading the embedding model", init=False)

    def progress(self) -> tuple[float, str]:
        """Return the share of the questions and excerpts that are embedded."""
        return self._share, self._status

    def _run(self) -> None:
        def embedded(done: int, total: int) -> None:
            self._status, self._share = f"{done:,} of {total:,} questions and excerpts embedded", done / max(1, total)

        self.load(self.embedder)
        tools = self.tools(self.embedder, on_disk=self.on_disk, progress=embedded)
        self.alike = compare(self.made, self.texts.corpus(self.splitter), tools)
