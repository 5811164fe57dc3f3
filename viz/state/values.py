"""Small values that a session holds for one page or widget."""

from __future__ import annotations

from dataclasses import dataclass, field

from evaluation.segmentation.marked_texts import MarkedText
from viz.jobs.chunking import Task


@dataclass(frozen=True)
class EmbeddingServer:
    """Where the session's texts may be sent; the key is in the session's memory and nowhere else."""

    address: str = ""
    key: str = field(default="", repr=False)


@dataclass(frozen=True)
class LastChange:
    """The boundaries of a column of Compare, and what the last change of its parameters did to them.

    Attributes
    ----------
    task
        What made the boundaries, whatever the embedder's revision.
    cuts
        The boundaries, as code points.
    said, fresh
        What changed, in words, and the boundaries that came; empty where nothing has changed yet.
    """

    task: Task
    cuts: tuple[int, ...]
    said: str = ""
    fresh: frozenset[int] = frozenset()


@dataclass(frozen=True)
class MarkedDocuments:
    """Documents made of the user's files, a sentence for each file that could not be used, and one about them all."""

    documents: list[MarkedText] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    said: str = ""


@dataclass(frozen=True)
class StitchedDocuments:
    """Documents stitched of the user's files, and the names of those that are held out."""

    made: MarkedDocuments
    held: frozenset[str] = frozenset()
