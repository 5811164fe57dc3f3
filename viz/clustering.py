"""The Clustering page: chunks of sentences that need not be neighbours, and how they came about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from chunkers import Cancelled, Chunker, Chunking, Tools, load_tokenizer
from chunkers.clustering import MOST_SENTENCES
from chunkers.dbscan import Dbscan, core_distances
from chunkers.distances import FloatArray
from chunkers.registry import chunker_class
from chunkers.result import Clusters
from chunkers.single_linkage import SingleLinkage
from sample_docs import sample_splitters
from viz import cluster_figures, controls, embedding, runs, stats, work
from viz.cluster_steps import linkage_steps
from viz.clusters import Coloured, block_size, chunk_list, heatmap, mean_distances
from viz.figures import show_figure, theme
from viz.joins import layout
from viz.reader import Column, Result, Row, notice, reader, take
from viz.segments import segments
from viz.session import Opened, Text, close_page, open_page
from viz.state import Choices, ColumnChoice
from viz.stepper import stepper
from viz.words import seed

READER = "reader"
METHODS = ("single_linkage", "dbscan", "kmeans")


def show() -> None:
    """Draw the page."""
    document, sentences = next(iter(sample_splitters().items()))
    columns = [ColumnChoice(name) for name in METHODS]
    opened = open_page("clustering", Choices(document, sentences, columns, extra={"step": "1"}))
    choices, text = opened.choices, opened.text
    _one_of_each(choices)
    _take_line(choices)
    column = choices.columns[choices.selected]
    made = runs.make(opened, text, [column])[0] if text is not None else runs.Made(column)
    with st.sidebar:
        defaults = embedding.defaults_of(opened.embedder, column.chunker)
        controls.parameter_controls(choices.selected, column, made.chunker, defaults)
        controls.shared_controls(choices, opened.embedder)
    embedding.ask(choices)
    if text is None:
        _choose(choices)
        return
    runs.show_progress([made])
    with st.container(key="clustering"):
        left, right = st.columns([6, 5], gap="large")
    with left:
        _reader(made, text)
    with right, st.container(key="beside"):
        _choose(choices)
        if made.chunking is None or not made.chunking.chunks:
            notice("There is nothing to show before the text is cut.", key="nothing_beside")
    vectors = _vectors(opened, text)
    if made.chunker is not None and made.chunking is not None and made.chunking.chunks and vectors is not None:
        _how(choices, made.chunker, made.chunking, vectors, right)
    close_page(opened)


def _one_of_each(choices: Choices) -> None:
    """Let there be one column for each method; of a link's columns those of other chunkers are left out, in a sentence."""
    if [column.chunker for column in choices.columns] == [*METHODS]:
        return
    named = {column.chunker: column for column in reversed(choices.columns)}
    chosen = choices.columns[choices.selected].chunker
    choices.columns = [named.get(name, ColumnChoice(name)) for name in METHODS]
    choices.selected = METHODS.index(chosen) if chosen in METHODS else 0
    others = [name for name in named if name not in METHODS]
    if others:
        complaint = f"The link's chunkers must be among {', '.join(METHODS)}; got {', '.join(others)}."
        st.session_state["complaints/clustering"].append(complaint)
        notice(complaint, "error", key="other_chunkers")


def _take_line(choices: Choices) -> None:
    """Take from the reader, once, the value at which its line was let go."""
    line = take(READER, "line")
    if line:
        choices.columns[choices.selected].parameters[str(line["parameter"])] = float(line["value"])


def _choose(choices: Choices) -> None:
    key = "clustering_method"
    seed(key, choices.selected)

    def changed() -> None:
        choices.selected = st.session_state[key]

    st.segmented_control(
        "Chunker",
        range(len(METHODS)),
        format_func=lambda number: chunker_class(METHODS[number]).title,
        key=key,
        on_change=changed,
        required=True,
        label_visibility="collapsed",
    )
    st.caption(chunker_class(METHODS[choices.selected]).idea)


def _reader(made: runs.Made, text: Text) -> None:
    document, known = text.document, text.source.known
    parts = [f"{len(document.sentences):,} sentences", f"{len(document.text):,} characters"]
    if known is not None:
        parts.append(f"{len(known)} known boundaries" if known else "one topic: no known boundary")
    reader(
        document,
        [_column(made, known)],
        title=text.source.name,
        summary=" · ".join(parts),
        selected=0,
        known=known,
        key=READER,
    )


def _column(made: runs.Made, known: Sequence[int] | None) -> Column:
    title = chunker_class(made.choice.chunker).title
    said = made.chunker.describe() if made.chunker is not None else ""
    if made.error:
        return Column(title, said, message=made.error, tone="error")
    if made.chunking is None or made.chunker is None:
        job: work.Job | None = st.session_state.get("job")
        stopped = job is not None and job.cancelled
        return Column(title, said, message="Stopped before it was embedded." if stopped else "Being embedded …")
    chunking = made.chunking
    rows = [Row("chunks", f"{len(chunking.chunks):,}")]
    counts = stats.sentence_counts(chunking)
    if counts:
        rows.append(Row("sentences", f"{min(counts):,} to {max(counts):,} a chunk"))
    pieces = stats.Pieces.of(chunking)
    if pieces.chunks:
        rows.append(Row("in pieces", pieces.words(len(counts))))
    rows.append(Row("time", stats.stages(chunking.timing)))
    rows.append(Row("embedding", stats.embedding(chunking.timing)))
    if known is not None:
        _, missed, added = stats.against_known(stats.boundaries(chunking), known)
        perfect = not missed and not added
        rows.append(
            Row("against known", "as known" if perfect else f"{missed} missed, {added} added", "" if perfect else "wrong")
        )
    return Column(
        title, made.chunker.describe(), Result(made.task, made.chunker, chunking), tuple(rows), notes=chunking.notes
    )


def _how(choices: Choices, chunker: Chunker, chunking: Chunking, vectors: FloatArray, beside: Any) -> None:
    """Draw the heatmap and the chunks beside the text, and below it how they came about."""
    grounds = segments(chunking.document, chunking, None, frozenset())["colours"]
    coloured = Coloured(sentence_chunks(chunking), grounds)
    with beside:
        heatmap(coloured, vectors, *_distance_of(chunker), key="heatmap")
    if isinstance(chunker, SingleLinkage):
        _linkage(choices, chunker, chunking, coloured, beside)
    elif isinstance(chunker, Dbscan):
        _density(chunker, chunking, coloured, vectors)
    else:
        _centres(chunking, coloured)
    if len(vectors) <= MOST_SENTENCES:
        _heatmap_to_keep(coloured, vectors, _distance_of(chunker)[0])
    with beside:
        chunk_list(coloured, _tags(chunking, coloured.chunk_of), breaks_words(chunking), key="chunk_list")


def _heatmap_to_keep(coloured: Coloured, vectors: FloatArray, weight: float) -> None:
    """Draw the heatmap as a figure with its table and downloads, on demand: it is large."""
    if not st.toggle("The heatmap as a figure to keep, and as a table", key="heatmap_to_keep"):
        return
    block = block_size(len(vectors))
    distances = mean_distances(vectors, weight, block)
    figure = cluster_figures.heatmap(distances, block, coloured, theme())
    show_figure(figure, cluster_figures.heatmap_table(distances, block, len(vectors)), "Heatmap", key="heatmap_figure")


def _distance_of(chunker: Chunker) -> tuple[float, tuple[str, float] | None]:
    """Return the λ of a chunker, and the name and level of the greatest distance that joins."""
    if isinstance(chunker, SingleLinkage):
        return chunker.position_weight, ("the maximum", chunker.max_distance)
    if isinstance(chunker, Dbscan):
        return chunker.position_weight, ("ε", chunker.eps)
    return 0.0, None


def _linkage(choices: Choices, chunker: SingleLinkage, chunking: Chunking, coloured: Coloured, beside: Any) -> None:
    found, merges, count = chunking.clusters, chunking.merges, len(coloured.chunk_of)
    assert found is not None
    cap = chunker.cap(count)
    steps = linkage_steps(count, merges, found, cap, chunker.max_distance)
    with beside:
        st.subheader("Join by join", anchor=False)
        if steps:
            stepper(steps, choices, key="linkage")
        else:
            notice("No two sentences are within the maximum distance.", key="no_joins")
    st.subheader("The tree of joins", anchor=False)
    st.caption(refusal_words(found, cap))
    tree = layout(count, merges, found)
    figure = cluster_figures.dendrogram(tree, merges, found, coloured, chunker.max_distance, theme())
    show_figure(figure, cluster_figures.joins_table(merges, found, coloured), "Tree of joins", key="tree")


def _density(chunker: Dbscan, chunking: Chunking, coloured: Coloured, vectors: FloatArray) -> None:
    found = chunking.clusters
    assert found is not None
    reach = core_distances(vectors, chunker.position_weight, chunker.min_samples)
    st.subheader("Core, border and noise", anchor=False)
    st.caption(roles_words(found, chunker))
    figure = cluster_figures.density(found, reach, coloured, chunker.eps, chunker.min_samples, theme())
    show_figure(figure, cluster_figures.density_table(found, reach, coloured), "Core, border and noise", key="density")


def _centres(chunking: Chunking, coloured: Coloured) -> None:
    found = chunking.clusters
    assert found is not None
    st.subheader("Distance to the centres", anchor=False)
    st.caption(
        "A dot is a sentence's own centre, the nearest, in its chunk's colour; the ring is the next, in the colour of "
        "the chunk that the sentence would otherwise be in. Where both are close, it hangs in the balance."
    )
    figure = cluster_figures.centres(found, coloured, theme())
    show_figure(figure, cluster_figures.centres_table(found, coloured), "Distance to the centres", key="centres")


def _tags(chunking: Chunking, chunk_of: Sequence[int]) -> list[str]:
    """Return for every chunk whether it is noise."""
    tags = [""] * len(chunking.chunks)
    for sentence, role in enumerate(chunking.clusters.roles if chunking.clusters is not None else ()):
        if role == "noise":
            tags[chunk_of[sentence]] = "noise"
    return tags


def sentence_chunks(chunking: Chunking) -> list[int]:
    """Return the number of every sentence's chunk."""
    chunk_of = [0] * len(chunking.document.sentences)
    for number, chunk in enumerate(chunking.chunks):
        for start, end in chunk.spans:
            first, last = chunking.document.sentence_at(start), chunking.document.sentence_at(end - 1)
            chunk_of[first : last + 1] = [number] * (last + 1 - first)
    return chunk_of


def breaks_words(chunking: Chunking) -> str:
    """Say what the order of the text suffers, in a sentence."""
    pieces = stats.Pieces.of(chunking)
    if not pieces.chunks:
        return "No order breaks: every chunk is one stretch of the text."
    breaks = "1 order break" if pieces.breaks == 1 else f"{pieces.breaks:,} order breaks"
    times = "once" if pieces.breaks == 1 else f"{pieces.breaks:,} times"
    lie = "lies" if pieces.chunks == 1 else "lie"
    return (
        f"{breaks}: {pieces.chunks:,} of {len(chunking.chunks):,} chunks {lie} in several places, so that whoever reads "
        f"chunk after chunk jumps over other chunks {times}."
    )


def refusal_words(found: Clusters, cap: int) -> str:
    """Say how to read the tree, and what the cap refused."""
    said = "A bracket joins two clusters at the distance of their two nearest sentences. "
    if not found.refused:
        return said + f"The cap of {cap:,} sentences refused nothing."
    merges = "1 merge" if len(found.refused) == 1 else f"{len(found.refused):,} merges"
    pairs = "1 pair" if found.refusals == 1 else f"{found.refusals:,} pairs"
    return said + f"Dashed: {merges} that the cap of {cap:,} sentences refused, {pairs} of sentences in all."


def roles_words(found: Clusters, chunker: Dbscan) -> str:
    """Say how many sentences are core, border and noise, and what that means."""
    roles = found.roles
    return (
        f"{roles.count('core'):,} core: at least {chunker.min_samples} sentences, itself included, within ε "
        f"{chunker.eps:g}. {roles.count('border'):,} border: within ε of a core, no core itself. "
        f"{roles.count('noise'):,} noise: neither, so each is a chunk of its own."
    )


def _vectors(opened: Opened, text: Text) -> FloatArray | None:
    """Return the sentences' vectors; None where they are not at hand, or too many to compare."""
    embedder = opened.embedder
    if embedder is None:
        return None
    tools = Tools(
        embedder.for_document(text.document),
        load_tokenizer(opened.choices.tokenizer),
        work.cache(bool(st.session_state.get("on_disk"))),
        cancelled=lambda: True,
    )
    try:
        return tools.embed(text.document.sentence_texts).astype("float64")
    except Cancelled:
        return None
