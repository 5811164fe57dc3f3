"""Measures that need neither known boundaries nor questions, side by side and not summed into one grade."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from chunkers import Chunker, Chunking, Document, InputError, Tools
from chunkers.support.arrays import VectorArray
from evaluation.segmentation.compliance import Bounds, Compliance, asked_of, compliance, sizes_in
from evaluation.segmentation.contrast import SURROUNDINGS, Contrast, coherence, contrast
from evaluation.segmentation.integrity import Integrity, integrity
from evaluation.segmentation.measures import chunks_of
from evaluation.segmentation.trivial import NO_CUT, every_words

EXPLAINED = {
    "chunks": "Number of chunks.",
    "blocks whole": "Share of lists, tables, code blocks, formulas and headings (with the text below) kept whole.",
    "size kept": "Share of chunks within the requested sizes or, without any, within the embedder's maximum input.",
    "inside": "Mean cosine of two sentences in the same chunk. It is higher for short chunks, whatever their cuts.",
    "across": "Mean cosine of two sentences in neighbouring chunks. It is higher for short chunks too.",
    "contrast": "Inside minus across: how much more alike sentences are within chunks than across cuts.",
    "context": f"Mean cosine of a chunk and the {SURROUNDINGS} sentences on either side: high if it fits its surroundings, "
    "low if it stands apart.",
    "changed": "Mean share of chunks that change when one sentence is inserted; lower is better.",
    "at worst": "The largest share of changed chunks over all places.",
    "at least": "The unavoidable share: the one chunk with the new sentence. Compare the other two with it.",
}
"""Description of each measure; the last three come from `evaluation.segmentation.stability`."""


_EVERY = 4

BASELINES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    (NO_CUT, {"chunks": 1}),
    (every_words(_EVERY), {"size": _EVERY}),
)
"""The trivial answers, which stand in every table: their names, and the settings of `fixed_sentences`."""


@dataclass(frozen=True)
class Unlabelled:
    """Measures of a chunking that need no known boundaries.

    Attributes
    ----------
    blocks
        Counts of whole blocks.
    sizes
        Counts of chunks within the required sizes; None if no sizes are required or sizes cannot be counted.
    contrast, coherence
        Measures of the sentences' vectors; None without vectors. ``coherence`` is also None if no chunk has surroundings.
    """

    chunks: int
    blocks: Integrity
    sizes: Compliance | None
    contrast: Contrast | None
    coherence: float | None


def unlabelled(chunking: Chunking, vectors: VectorArray | None = None, sizes: Compliance | None = None) -> Unlabelled:
    """Compute the measures of a chunking that need no known boundaries.

    Parameters
    ----------
    vectors
        Sentence vectors, shape (n, dimension); None if there are none.
    sizes
        As from `sizes_of`.
    """
    blocks = integrity(chunking)
    if vectors is None:
        return Unlabelled(len(chunking.chunks), blocks, sizes, None, None)
    numbers = chunks_of(chunking)
    return Unlabelled(len(chunking.chunks), blocks, sizes, contrast(vectors, numbers), coherence(vectors, numbers))


def sizes_of(chunking: Chunking, chunker: Chunker, tools: Tools, bounds: Bounds | None = None) -> Compliance | None:
    """Count the chunks within the given size bounds, else the chunker's, else the embedder's maximum input.

    Returns None if there are no size bounds, or if the tokenizer that counts the chunks is missing.

    Raises
    ------
    InputError
        If the bounds are invalid.
    """
    asked = bounds or asked_of(chunker, tools.embedder)
    if asked is None:
        return None
    try:
        sizes = sizes_in(asked.unit, chunking, tools.tokenizer, tools.embedder)
    except InputError:
        return None
    return compliance(sizes, asked)


def sentence_vectors(document: Document, tools: Tools) -> VectorArray | None:
    """Return the sentences' vectors, shape (n, dimension), embedding them if missing; None without an embedder."""
    if tools.embedder is None:
        return None
    return replace(tools, embedder=tools.embedder.for_document(document)).embed(document.sentence_texts)
