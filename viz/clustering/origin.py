"""The formation of the clusters: heatmap and chunks next to the text, and the joins, roles or centres below it."""

from collections.abc import Sequence
from typing import Any, TypedDict

import streamlit as st

from chunkers import Chunker, Chunking
from chunkers.building_blocks.clustering import MOST_SENTENCES
from chunkers.contract.base import Reach
from chunkers.methods.dbscan import core_distances
from chunkers.results.result import Clusters
from chunkers.support.arrays import FloatArray
from evaluation.segmentation.chunk_facts import Pieces
from viz.clustering import figures as cluster_figures
from viz.clustering.figures import centres_table, density_table, heatmap_table, joins_table
from viz.clustering.linkage import lay_out, linkage_steps
from viz.components.figure import show_figure
from viz.components.heatmap.heatmap import Coloured, block_size, heatmap, mean_distances
from viz.components.mounting import Component
from viz.components.notice import notice
from viz.components.reader.column_body import segments
from viz.components.stepper.stepper import stepper
from viz.state.choices import Choices
from viz.theme.palette import theme


def show_origin(
    choices: Choices, chunker: Chunker, chunking: Chunking, vectors: FloatArray, beside: Any, *, known: bool
) -> None:
    """Draw the heatmap and the list of chunks next to the text, then a figure of how the clusters were formed.

    ``known`` is true if the text has known boundaries.
    """
    grounds = segments(chunking.document, chunking, None, frozenset())["colours"]
    coloured = Coloured(sentence_chunks(chunking), grounds)
    reach = chunker.reach()
    weight = 0.0 if reach is None else reach.position_weight
    clusters = chunking.clusters
    with beside:
        if clusters is not None and reach is not None and clusters.cap is not None:
            _joins(choices, chunking, clusters, clusters.cap, reach, known)
        heatmap(coloured, vectors, weight, None if reach is None else (reach.name, reach.distance), key="heatmap")
    if clusters is not None and reach is not None and clusters.cap is not None:
        _tree(chunking, clusters, clusters.cap, reach, coloured)
    elif clusters is not None and reach is not None and clusters.roles:
        _density(clusters, reach, coloured, vectors)
    elif clusters is not None and clusters.own:
        _centres(clusters, coloured)
    if len(vectors) <= MOST_SENTENCES:
        _heatmap_to_keep(coloured, vectors, weight)
    with beside:
        chunk_list(coloured, _tags(chunking, coloured.chunk_of), breaks_words(chunking), key="chunk_list")


def _heatmap_to_keep(coloured: Coloured, vectors: FloatArray, weight: float) -> None:
    """Draw the heatmap as a figure with table and downloads, only on request because it is large."""
    if not st.toggle("Downloadable heatmap", key="heatmap_to_keep"):
        return
    block = block_size(len(vectors))
    distances = mean_distances(vectors, weight, block)
    figure = cluster_figures.heatmap_figure(distances, block, coloured, theme())
    show_figure(figure, heatmap_table(distances, block, len(vectors)), "Heatmap", key="heatmap_figure")


def _joins(choices: Choices, chunking: Chunking, clusters: Clusters, cap: int, reach: Reach, known: bool) -> None:
    """Draw the stepper through the joins above the heatmap, so that its buttons are visible without scrolling."""
    steps = linkage_steps(len(chunking.document.sentences), chunking.merges, clusters, cap, reach.distance)
    if steps:
        stepper(steps, choices.extra, key="linkage", known=known)
    else:
        notice("No two sentences are close enough to be joined. Raise the maximum distance.", key="no_joins")


def _tree(chunking: Chunking, clusters: Clusters, cap: int, reach: Reach, coloured: Coloured) -> None:
    merges, count = chunking.merges, len(coloured.chunk_of)
    st.header("Dendrogram", anchor=False)
    st.caption(refusal_words(clusters, cap))
    tree = lay_out(count, merges, clusters)
    figure = cluster_figures.dendrogram_figure(tree, merges, clusters, coloured, reach.distance, theme())
    show_figure(figure, joins_table(merges, clusters, coloured), "Tree of joins", key="tree")


def _density(clusters: Clusters, reach: Reach, coloured: Coloured, vectors: FloatArray) -> None:
    needed = core_distances(vectors, reach.position_weight, clusters.core_size)
    st.header("Core, border, noise", anchor=False)
    st.caption(roles_words(clusters, reach.distance))
    figure = cluster_figures.density_figure(clusters, needed, coloured, reach.distance, clusters.core_size, theme())
    show_figure(figure, density_table(clusters, needed, coloured), "Core, border, noise", key="density")


def _centres(clusters: Clusters, coloured: Coloured) -> None:
    st.header("Distance to centres", anchor=False)
    st.caption(
        "A dot shows how far a sentence is from the centre of its own chunk; a ring shows how far it is from the nearest "
        "other centre, in the colour of that centre's chunk. If both are about equally far, the decision was close."
    )
    figure = cluster_figures.centres_figure(clusters, coloured, theme())
    show_figure(figure, centres_table(clusters, coloured), "Distance to centres", key="centres")


def _tags(chunking: Chunking, chunk_of: Sequence[int]) -> list[str]:
    """Return a tag for each chunk: ``noise`` or empty."""
    tags = [""] * len(chunking.chunks)
    for sentence, role in enumerate(chunking.clusters.roles if chunking.clusters is not None else ()):
        if role == "noise":
            tags[chunk_of[sentence]] = "noise"
    return tags


def sentence_chunks(chunking: Chunking) -> list[int]:
    """Return each sentence's chunk number."""
    chunk_of = [0] * len(chunking.document.sentences)
    for number, chunk in enumerate(chunking.chunks):
        for start, end in chunk.spans:
            first, last = chunking.document.sentence_at(start), chunking.document.sentence_at(end - 1)
            chunk_of[first : last + 1] = [number] * (last + 1 - first)
    return chunk_of


def breaks_words(chunking: Chunking) -> str:
    """Describe how often the chunks depart from the order of the text."""
    pieces = Pieces.of(chunking)
    if not pieces.chunks:
        return "No order breaks: every chunk is one stretch of the text."
    breaks = "1 order break" if pieces.breaks == 1 else f"{pieces.breaks:,} order breaks"
    times = "once" if pieces.breaks == 1 else f"{pieces.breaks:,} times"
    are = "is" if pieces.chunks == 1 else "are"
    return (
        f"{breaks}: {pieces.chunks:,} of {len(chunking.chunks):,} chunks {are} non-contiguous, so reading chunk by chunk "
        f"jumps over other chunks {times}."
    )


def refusal_words(clusters: Clusters, cap: int) -> str:
    """Explain how to read the dendrogram, and state how many joins the size cap refused."""
    explained = "A bracket joins two clusters at the distance of their two nearest sentences. "
    if not clusters.refused:
        return explained + f"The cap of {cap:,} sentences refused nothing."
    merges = "1 merge" if len(clusters.refused) == 1 else f"{len(clusters.refused):,} merges"
    pairs = "1 pair" if clusters.refusals == 1 else f"{clusters.refusals:,} pairs"
    return explained + f"Dashed: {merges} that the cap of {cap:,} sentences refused, {pairs} of sentences in all."


def roles_words(clusters: Clusters, eps: float) -> str:
    """Describe the numbers of core, border and noise sentences, and explain these DBSCAN roles."""
    roles = clusters.roles
    return (
        f"{roles.count('core'):,} core: at least {clusters.core_size} sentences, itself included, within ε "
        f"{eps:g}. {roles.count('border'):,} border: within ε of a core, but not a core itself. "
        f"{roles.count('noise'):,} noise: neither, so each is a chunk of its own."
    )


# The list of chunks, each with its sentences.


class ChunkListData(TypedDict):
    """Payload of the list of chunks: their sentences, colours and tags, and a sentence on breaks in the text's order."""

    chunk_of: list[int]
    grounds: list[int]
    tags: list[str]
    breaks: str


_chunk_list = Component[ChunkListData](
    "seamark_chunk_list",
    "clustering/chunk_list.js",
    "clustering/chunk_list.css",
    html='<div class="chunks"></div>',
    colours="chunks",
)


def chunk_list(coloured: Coloured, tags: Sequence[str], breaks: str, key: str) -> None:
    """Mount the list of the chunks with their sentences, linked to the text.

    ``tags`` has a string per chunk, shown instead of its size if not empty; ``breaks`` is a sentence about the order breaks.
    """
    _chunk_list(
        key=key,
        data={
            "chunk_of": list(coloured.chunk_of),
            "grounds": list(coloured.grounds),
            "tags": list(tags),
            "breaks": breaks,
        },
    )
