"""Clustering: chunks of sentences that need not be neighbours."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from chunkers.base import Chunker
from chunkers.distances import FloatArray, gap_distances
from chunkers.document import Document, Span
from chunkers.errors import InputError
from chunkers.linkage import linkage
from chunkers.result import Chunk, Chunking, Clusters, Curve, Gap, Line, Merge, Refusal, Role, Verdict
from chunkers.tokenizers import IntArray
from chunkers.tools import Tools

MOST_SENTENCES = 7_000
"""Sentences up to which every one is compared with every other: 1.8 GB at the worst."""

ROWS = 256
"""Sentences compared with all others at once."""


def joint_distances(vectors: FloatArray, position_weight: float) -> Iterator[tuple[int, FloatArray]]:
    """Return the joint distances of Qu et al. in blocks of rows.

    Parameters
    ----------
    vectors
        Unit vectors of the n sentences of a text, shape (n, dimension).
    position_weight
        λ, from 0 to 1: what the place counts.

    Yields
    ------
    first, block
        The number of the first row, and a matrix of shape (rows, n): λ |a - b| / n + (1 - λ) (1 - max(cos(e_a, e_b), 0)).
    """
    count = len(vectors)
    places = np.arange(count)
    for first in range(0, count, ROWS):
        rows = vectors[first : first + ROWS]
        apart = np.abs(places[first : first + len(rows), None] - places) / count
        meaning = 1 - np.clip(rows @ vectors.T, 0, 1)
        yield first, position_weight * apart + (1 - position_weight) * meaning


class Clustered(Chunker):
    """A chunker on the joint distance of Qu et al., which weighs place against meaning.

    d(a, b) = λ |a - b| / n + (1 - λ) (1 - max(cos(e_a, e_b), 0)) for the sentences a and b of n.
    """

    embeds: ClassVar[bool] = True

    position_weight: float = Field(
        0.5,
        ge=0,
        le=1,
        title="Position weight λ",
        description="0: the meaning alone counts, 1: the place alone, as with fixed-size chunks.",
        json_schema_extra={"step": 0.05, "offered": [0, 1], "main": True},
    )

    def _vectors(self, document: Document, tools: Tools) -> FloatArray:
        """Embed the sentences, unless they are too many to compare them all."""
        count = len(document.sentences)
        if count > MOST_SENTENCES:
            raise InputError(
                f"{self.name}: the sentences must be at most {MOST_SENTENCES:,}, as every one is compared with every other; "
                f"this text has {count:,}."
            )
        return tools.embed(document.sentence_texts).astype(np.float64)

    def _joint_of_neighbours(self, vectors: FloatArray) -> FloatArray:
        """Return the joint distance at each gap, shape (n - 1,)."""
        meaning = np.clip(gap_distances(vectors), 0, 1)
        return np.asarray(self.position_weight / max(len(vectors), 1) + (1 - self.position_weight) * meaning)


class SingleLinkage(Clustered):
    """Join the closest sentences first, as long as a cluster stays within its size.

    Pairs are taken in ascending joint distance, ties in the order of the text, up to the maximum distance; a pair joins its
    two clusters where both together stay within the cap. Sources: Qu et al., section 2 (the cap ceil(n / chunks)); Kreileder
    et al. (the cap ceil(target x slack)).
    """

    name: ClassVar[str] = "single_linkage"
    title: ClassVar[str] = "Single linkage"
    idea: ClassVar[str] = "Joins the two closest sentences, then the next closest, wherever in the text they stand."
    source: ClassVar[str] = "Qu et al., section 2; Kreileder et al."
    formula: ClassVar[str] = (
        r"d(a, b) = \lambda \, \frac{|a - b|}{n} + (1 - \lambda) \, \bigl( 1 - \max(\cos(e_a, e_b), 0) \bigr), "
        r"\qquad \text{joined in ascending order}"
    )
    failure: ClassVar[str] = (
        "Sentences from far apart come to stand in one chunk, and one close pair chains two subjects together."
    )

    target_sentences: int = Field(
        3,
        ge=1,
        le=10_000,
        title="Sentences per chunk",
        description="Times the slack, and rounded up, the most that a chunk may hold.",
        json_schema_extra={"unit": "sentences", "step": 1, "offered": [1, 20], "main": True},
    )
    max_distance: float = Field(
        0.5,
        ge=0,
        le=1,
        title="Maximum distance",
        description="Sentences further apart are not joined.",
        json_schema_extra={"step": 0.01, "offered": [0, 1], "main": True},
    )
    chunks: int | None = Field(
        None,
        ge=1,
        le=10_000,
        title="Number of chunks",
        description="Where set, the cap is the sentences divided by it, rounded up; 1 is no cap at all.",
        json_schema_extra={"unit": "chunks", "step": 1, "offered": [2, 10]},
    )
    slack: float = Field(
        1.2,
        ge=1,
        le=10,
        title="Slack",
        description="How far a chunk may pass the sentences per chunk.",
        json_schema_extra={"step": 0.1, "offered": [1, 3]},
    )

    def cap(self, count: int) -> int:
        """Return the most sentences that a chunk of a text of ``count`` sentences may have."""
        # Rounded first, so that 1.1 times 10 is 11 and no more.
        return math.ceil(count / self.chunks) if self.chunks else math.ceil(round(self.target_sentences * self.slack, 9))

    def describe(self) -> str:
        """Say the settings in a few words."""
        size = f"{self.chunks} chunks" if self.chunks else f"at most {self.cap(0)} sentences"
        return f"λ {self.position_weight:g}, {size}, distance {self.max_distance:g}"

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document.

        Raises
        ------
        InputError
            If the text has too many sentences to compare them all.
        """
        vectors = self._vectors(document, tools)
        pairs, distances = self._close_pairs(vectors)
        count = len(vectors)
        linked = linkage(pairs, count, self.cap(count))
        level = 1 - self.max_distance
        merges = [
            Merge(Span(a, a + 1), Span(b, b + 1), 1 - float(distances[at]), level, "linkage")
            for at, (a, b) in ((join, divmod(int(pairs[join]), count)) for join in linked.joins)
        ]
        refused = [
            Refusal(*divmod(int(pairs[at]), count), float(distances[at]), joins, size) for at, joins, size in linked.refused
        ]
        line = Line("maximum", self.max_distance, "max_distance")
        clusters = Clusters(refused=tuple(refused), refusals=linked.refusals)
        scores = self._joint_of_neighbours(vectors)
        return from_labels(document, linked.labels, scores, "joint distance", (line,), clusters, merges)

    def _close_pairs(self, vectors: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the pairs a < b within the maximum distance, nearest first, as the numbers a n + b, and their distances."""
        count = len(vectors)
        codes: list[IntArray] = [np.zeros(0, np.intp)]
        distances: list[FloatArray] = [np.zeros(0)]
        for first, block in joint_distances(vectors, self.position_weight):
            close = np.triu(block <= self.max_distance, k=first + 1)
            row, column = np.nonzero(close)
            codes.append((row + first) * count + column)
            distances.append(block[close])
        code, distance = np.concatenate(codes), np.concatenate(distances)
        order = np.argsort(distance, kind="stable")
        return code[order], distance[order]


class Dbscan(Clustered):
    """Gather sentences in dense neighbourhoods; a sentence in none is a chunk of its own.

    Source: Qu et al., section 2, DBSCAN on the joint distance; scikit-learn's, where a sentence counts among its own
    neighbours.
    """

    name: ClassVar[str] = "dbscan"
    title: ClassVar[str] = "DBSCAN"
    idea: ClassVar[str] = "Gathers sentences that have enough others close by; the rest stand alone."
    source: ClassVar[str] = "Qu et al., section 2"
    formula: ClassVar[str] = (
        r"a \text{ is a core where } \left| \{\, b : d(a, b) \le \varepsilon \,\} \right| \ge m, \qquad d "
        r"\text{ as in single linkage}"
    )
    failure: ClassVar[str] = "Has one ε for the whole text: where it fits one part, another is all noise or all one cluster."

    eps: float = Field(
        0.3,
        ge=0.001,
        le=1,
        title="Neighbourhood ε",
        description="Sentences at most this far apart are neighbours.",
        json_schema_extra={"step": 0.01, "offered": [0.01, 1], "main": True},
    )
    min_samples: int = Field(
        2,
        ge=1,
        le=1000,
        title="Neighbours for a core",
        description="Sentences that a neighbourhood must hold, the one in its middle included.",
        json_schema_extra={"unit": "sentences", "step": 1, "offered": [1, 10], "main": True},
    )

    def describe(self) -> str:
        """Say the settings in a few words."""
        return f"λ {self.position_weight:g}, ε {self.eps:g}, {self.min_samples} for a core"

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document.

        Raises
        ------
        InputError
            If the text has too many sentences to compare them all.
        """
        vectors = self._vectors(document, tools)
        if not len(vectors):
            return Chunking(document, (), ())
        with tools.loading():
            from sklearn.cluster import DBSCAN

        matrix = np.empty((len(vectors), len(vectors)))
        for first, block in joint_distances(vectors, self.position_weight):
            matrix[first : first + len(block)] = block
        np.fill_diagonal(matrix, 0)
        search = DBSCAN(eps=self.eps, min_samples=self.min_samples, metric="precomputed").fit(matrix)
        found = search.labels_
        noise = np.flatnonzero(found < 0)
        labels = found.copy()
        labels[noise] = found.max() + 1 + np.arange(len(noise))
        roles: list[Role] = ["noise" if label < 0 else "border" for label in found]
        for sentence in search.core_sample_indices_:
            roles[sentence] = "core"
        line = Line("ε", self.eps, "eps")
        scores = self._joint_of_neighbours(vectors)
        return from_labels(document, labels, scores, "joint distance", (line,), Clusters(roles=tuple(roles)))


def core_distances(vectors: FloatArray, position_weight: float, min_samples: int) -> FloatArray:
    """Return how large ε must be for each sentence to be a core of DBSCAN, shape (n,); infinite where no ε is enough."""
    count = len(vectors)
    if min_samples > count:
        return np.full(count, np.inf)
    reach = np.empty(count)
    for first, block in joint_distances(vectors, position_weight):
        block[np.arange(len(block)), first + np.arange(len(block))] = 0
        reach[first : first + len(block)] = np.partition(block, min_samples - 1, axis=1)[:, min_samples - 1]
    return reach


class KMeans(Chunker):
    """Gather sentences round so many centres; shown because it loses the order of the text.

    Source: the article on double-pass merging, which tries it and turns away; scikit-learn's k-means on the embeddings.
    """

    name: ClassVar[str] = "kmeans"
    title: ClassVar[str] = "k-means"
    idea: ClassVar[str] = "Gathers the sentences round a few centres of meaning, whatever their order."
    source: ClassVar[str] = "the article on double-pass merging"
    formula: ClassVar[str] = r"\min \; \sum_{k} \sum_{i \in C_k} \lVert e_i - \mu_k \rVert^2"
    failure: ClassVar[str] = "Loses the order of the text, and has to be told the number of subjects."
    embeds: ClassVar[bool] = True

    clusters: int = Field(
        3,
        ge=1,
        le=1000,
        title="Clusters",
        description="The number of centres, and of chunks; no more than there are different sentences.",
        json_schema_extra={"unit": "clusters", "step": 1, "offered": [1, 20], "main": True},
    )
    seed: int = Field(
        0,
        ge=0,
        le=2**31 - 1,
        title="Seed",
        description="Where the search for the centres begins; the same seed gives the same chunks.",
        json_schema_extra={"step": 1, "offered": [0, 20]},
    )

    def describe(self) -> str:
        """Say the settings in a few words."""
        return f"{self.clusters} clusters, seed {self.seed}"

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document."""
        texts = document.sentence_texts
        if not texts:
            return Chunking(document, (), ())
        with tools.loading():
            from sklearn.cluster import KMeans as Search
            from sklearn.exceptions import ConvergenceWarning

        vectors = tools.embed(texts).astype(np.float64)
        search = Search(n_clusters=min(self.clusters, len(set(texts))), n_init=10, random_state=self.seed)
        with warnings.catch_warnings():
            # Different sentences may have one vector, and then there are fewer clusters than asked for.
            warnings.simplefilter("ignore", ConvergenceWarning)
            labels = search.fit_predict(vectors)
        return from_labels(
            document, labels, gap_distances(vectors), "distance", (), _to_centres(search.transform(vectors), labels)
        )


def _to_centres(distances: FloatArray, labels: IntArray) -> Clusters:
    """Return how far every sentence is from its centre and from the next; ``distances`` are those to all, shape (n, k)."""
    rows = np.arange(len(labels))
    own = distances[rows, labels]
    # Centres of no sentence there are where different sentences have one vector.
    numbers = {int(label): number for number, label in enumerate(dict.fromkeys(labels.tolist()))}
    if len(numbers) == 1:
        return Clusters(own=tuple(own.tolist()))
    others = np.full_like(distances, np.inf)
    others[:, [*numbers]] = distances[:, [*numbers]]
    others[rows, labels] = np.inf
    nearest = others.argmin(axis=1)
    return Clusters(
        own=tuple(own.tolist()),
        other=tuple(others[rows, nearest].tolist()),
        other_chunk=tuple(numbers[int(label)] for label in nearest),
    )


def from_labels(
    document: Document,
    labels: Sequence[int] | npt.NDArray[np.integer],
    scores: FloatArray,
    score_name: str,
    lines: tuple[Line, ...],
    clusters: Clusters,
    merges: Sequence[Merge] = (),
) -> Chunking:
    """Return the chunks of sentences with the same label, in the order of their first, and a gap for each two neighbours.

    Parameters
    ----------
    labels
        The cluster of every sentence.
    scores
        A distance at each gap, for the ledger and the curve; the clusters do not follow from these alone.
    clusters
        What else is known of the sentences.
    """
    order = {label: number for number, label in enumerate(dict.fromkeys(int(label) for label in labels))}
    numbers = [order[int(label)] for label in labels]
    spans: list[list[Span]] = [[] for _ in order]
    first = 0
    for number, run in groupby(numbers):
        last = first + len(list(run))
        spans[number].append(document.slice(first, last))
        first = last
    threshold = lines[0].level if lines else None
    roles = clusters.roles

    def reason(index: int) -> str:
        here, there = numbers[index], numbers[index + 1]
        place = f"both in chunk {here + 1}" if here == there else f"chunk {here + 1}, then chunk {there + 1}"
        noise = [str(sentence + 1) for sentence in (index, index + 1) if roles and roles[sentence] == "noise"]
        said = f"{place}; {score_name} {scores[index]:.2f}"
        return said + (f"; noise: sentence {' and '.join(noise)}" if noise else "")

    gaps = tuple(
        Gap(index, score, threshold, Verdict.KEPT if numbers[index] == numbers[index + 1] else Verdict.CUT, reason(index))
        for index, score in enumerate(scores.tolist())
    )
    curve = Curve(f"{score_name} of neighbours", tuple(scores.tolist()), lines, cut_above=True, live=False)
    chunks = tuple(Chunk.of(document, *parts) for parts in spans)
    return Chunking(document, chunks, gaps, tuple(merges), (curve,), clusters=clusters)
