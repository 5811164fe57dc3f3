"""Double-pass merging: grow small chunks from left to right, then merge them, over a snippet if need be."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from chunkers.building_blocks import (
    SizeLimits,
    VerdictReversals,
    enforce_size_limits,
    next_slider_stop,
    parameter_spec,
    row_cosines,
)
from chunkers.contract import Chunker, Setting, Tipping, Tools
from chunkers.results import (
    Chunking,
    Comparison,
    ComparisonKind,
    Curve,
    Gap,
    Line,
    Merge,
    Outcome,
    Reason,
    Verdict,
    link_reasons,
)
from chunkers.support import MOST_JOINED_CHARACTERS, FloatArray, InputError, IntArray, format_number
from chunkers.text import Document, Span, shorten

# Vectors and lengths of groups of consecutive sentences, in the two ways of double-pass merging.


class MeanGroups:
    """Sentence groups whose vectors are the token-weighted means of their sentences' vectors."""

    def __init__(self, document: Document, sentences: FloatArray, tools: Tools) -> None:
        self._starts = document.starts
        self._ends = [span.end for span in document.sentences]
        weights = np.maximum(tools.count_tokens(document.sentence_texts), 1).astype(np.float64)
        self._weighted = sentences * weights[:, None]
        self._sums = np.zeros((len(sentences) + 1, sentences.shape[1]))
        # `cumsum` along the first axis takes several times as long, as it goes from row to row for each column.
        for row, weighted in enumerate(self._weighted):
            np.add(self._sums[row], weighted, out=self._sums[row + 1])

    def pairs(self, first: IntArray) -> FloatArray:
        """Return one vector for each pair of sentences starting at an index in ``first``, shape (len(first), dimension)."""
        return np.asarray(self._weighted[first] + self._weighted[first + 1])

    def prepare(self, groups: Sequence[Span]) -> None:
        """Do nothing: comparing groups needs only the sentence vectors, which already exist."""

    def similarity(self, left: Span, right: Span) -> float:
        """Return the cosine similarity of two groups' vectors."""
        left_sum = self._sums[left.end] - self._sums[left.start]
        right_sum = self._sums[right.end] - self._sums[right.start]
        return float(left_sum @ right_sum) / max(math.sqrt(float(left_sum @ left_sum) * float(right_sum @ right_sum)), 1e-12)

    def length(self, first: int, last: int) -> int:
        """Return the number of characters in sentences ``first`` to ``last - 1``, as counted for the size limit."""
        return self._ends[last - 1] - self._starts[first]


class JoinedGroups:
    """Sentence groups whose vectors are the embeddings of their sentences joined by single spaces.

    A group's length is that of the joined text, as LlamaIndex counts it; the chunk itself is longer if its sentences are
    separated by more white space.
    """

    def __init__(self, document: Document, tools: Tools) -> None:
        self._texts = document.sentence_texts
        self._embed = tools.embed
        self._ends = np.concatenate([[0], np.cumsum([len(text) for text in self._texts])])
        self._characters = 0

    def pairs(self, first: IntArray) -> FloatArray:
        """Return one vector for each pair of sentences starting at an index in ``first``, shape (len(first), dimension)."""
        return self._embed([f"{self._texts[i]} {self._texts[i + 1]}" for i in first]).astype(np.float64)

    def prepare(self, groups: Sequence[Span]) -> None:
        """Embed the groups in batches, so that later comparisons need no further embedding.

        Raises
        ------
        InputError
            If the texts of all groups so far have more than `MOST_JOINED_CHARACTERS`.
        """
        self._embed([self._joined(group) for group in groups])

    def similarity(self, left: Span, right: Span) -> float:
        """Return the cosine similarity of two groups' vectors. Raises the errors of `prepare`."""
        vectors = self._embed([self._joined(left), self._joined(right)]).astype(np.float64)
        return float(row_cosines(vectors[:1], vectors[1:])[0])

    def length(self, first: int, last: int) -> int:
        """Return the number of characters in sentences ``first`` to ``last - 1``, as counted for the size limit."""
        return int(self._ends[last] - self._ends[first]) + last - first - 1

    def _joined(self, group: Span) -> str:
        self._characters += self.length(group.start, group.end)
        if self._characters > MOST_JOINED_CHARACTERS:
            raise InputError(
                f"double_pass: the re-embedded groups may have at most {MOST_JOINED_CHARACTERS:,} characters in total; the "
                f"groups up to sentence {group.end:,} of {len(self._texts):,} have more. Set max_size, or set vector to "
                "mean."
            )
        return " ".join(self._texts[group.start : group.end])


Groups = MeanGroups | JoinedGroups


class DoublePass(Chunker):
    """Semantic double-pass merging chunker, which grows chunks sentence by sentence and then merges similar chunks.

    With ``vector="re-embed"`` it decides as LlamaIndex's SemanticDoubleMergingSplitterNodeParser does with an embedding
    model. The default thresholds were chosen for all-MiniLM-L6-v2, whose neighbouring sentences are far less similar
    than those of the spaCy vectors used in the article that introduced the method.
    """

    name: ClassVar[str] = "double_pass"
    title: ClassVar[str] = "Double pass"
    idea: ClassVar[str] = "Grows chunks sentence by sentence, then merges them, over a formula or a quotation if need be."
    source: ClassVar[str] = "“semantic double-pass merging”; LlamaIndex"
    formula: ClassVar[str] = (
        r"\begin{aligned} &\text{pass one: } \cos(v_{i-1,\,i},\; e_{i+1}) > \theta_{app} \\ &\text{pass two: } "
        r"\cos(v_A, v_B) > \theta_{mrg} \\ &\phantom{\text{pass two: }} \text{or } \cos(v_A, v_C) > \theta_{mrg} "
        r"\end{aligned}"
    )
    symbols: ClassVar[str] = (
        r"$e_{i+1}$ vector of the next sentence; $v_{i-1,\,i}$ of the last two of the chunk; $v_A$, $v_B$, $v_C$ of three "
        r"neighbouring chunks; $\theta_{app}$ and $\theta_{mrg}$ the appending and the merging threshold"
    )
    failure: ClassVar[str] = (
        "Its thresholds belong to one embedder, and it never undoes a join that it made on its way from left to right. "
        "Without a maximum size, chunks grow long, which costs retrieval much."
    )
    embeds: ClassVar[bool] = True

    # Of the three, `benchmarks.stitched` changed this one on its tuned half, from 0.4; its README has the gain.
    initial_threshold: float = Field(
        0.2,
        ge=-1,
        le=1,
        title="Initial threshold",
        description="Two sentences open a chunk when they are more similar than this.",
        json_schema_extra={"unit": "cosine", "step": 0.01, "offered": [0, 1], "main": True},
    )
    appending_threshold: float = Field(
        0.4,
        ge=-1,
        le=1,
        title="Appending threshold",
        description="A sentence joins when it is more similar than this to the last two.",
        json_schema_extra={"unit": "cosine", "step": 0.01, "offered": [0, 1], "main": True},
    )
    merging_threshold: float = Field(
        0.3,
        ge=-1,
        le=1,
        title="Merging threshold",
        description="Pass two merges chunks that are more similar than this, over one in between if need be.",
        json_schema_extra={"unit": "cosine", "step": 0.01, "offered": [0, 1], "main": True},
    )
    max_size: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        title="Maximum chunk size",
        description="No join makes a chunk longer than this; a single longer sentence stays whole. With vector re-embed, "
        "white space between sentences counts as one character, as in LlamaIndex.",
        json_schema_extra={"unit": "characters", "step": 100},
    )
    look_ahead: int = Field(
        1,
        ge=1,
        le=2,
        title="Look-ahead range",
        description="How many chunks beyond the next pass two may look at.",
        json_schema_extra={"unit": "chunks", "step": 1},
    )
    vector: Literal["mean", "re-embed"] = Field(
        "mean",
        title="Group vector",
        description="The token-weighted mean of its sentences' vectors, or the embedding of its joined text.",
    )
    min_size: int | None = Field(
        None,
        ge=1,
        le=100_000,
        title="Minimum chunk size",
        description="After both passes, a smaller chunk is merged with the one before it; the first with the one after.",
        json_schema_extra={"unit": "characters", "step": 10},
    )

    def describe(self) -> str:
        """Return the chunker's three thresholds as a short phrase."""
        initial, merging = format_number(self.initial_threshold), format_number(self.merging_threshold)
        return f"initial {initial}, appending {format_number(self.appending_threshold)}, merging {merging}"

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Cut the document in two passes, growing and merging, then enforce the minimum size."""
        if not document.sentences:
            return Chunking(document, (), ())
        sentence_vectors = tools.embed(document.sentence_texts).astype(np.float64)
        groups: Groups = (
            MeanGroups(document, sentence_vectors, tools) if self.vector == "mean" else JoinedGroups(document, tools)
        )
        decisions = _Decisions(document, [_UNDECIDED] * (len(document.sentences) - 1))
        mini_chunks = self._first_pass(decisions, sentence_vectors, groups)
        curve = Curve(
            label="similarity in pass one",
            scores=tuple(comparison.similarity for comparison in decisions.comparisons),
            lines=(
                Line("initial", self.initial_threshold, "initial_threshold"),
                Line("appending", self.appending_threshold, "appending_threshold"),
            ),
            cut_above=False,
            live=False,
        )
        with tools.merging():
            self._second_pass(decisions, mini_chunks, groups)
        limits = SizeLimits(self.min_size, self.max_size, "characters")
        gaps = enforce_size_limits(document, decisions.gaps, limits, tools, lambda: ())
        merges = [
            Merge(joined.left, joined.right, joined.similarity, joined.threshold, joined.kind)
            for joined in decisions.comparisons
            if joined.outcome == "joined"
        ]
        chunking = Chunking.from_gaps(document, gaps, merges, (curve,))
        return replace(chunking, comparisons=tuple(decisions.comparisons), notes=self._notes_on_longer_chunks(chunking))

    def tipping(self, chunking: Chunking, gap: Gap, tools: Tools) -> Tipping | None:
        """Return a change that reverses the verdict on a gap: of a threshold, otherwise of a size or two parameters.

        A threshold also changes decisions before the gap, on which the verdict depends, so a rerun checks the result.
        Pass two may merge what pass one separated; then both thresholds have to change.
        """
        decided, cuts = self._decided_by(chunking, gap), not gap.verdict.is_cut
        reversals = VerdictReversals(self, chunking, gap, tools)
        candidates = [
            (next_slider_stop(parameter_spec(self, f"{kind}_threshold"), score, above=cuts), kind, abs(score - threshold))
            for kind, score, threshold in decided
        ]
        stops = [
            (abs(stop - getattr(self, f"{kind}_threshold")), kind, stop, margin)
            for stop, kind, margin in candidates
            if stop is not None
        ]
        for _, kind, stop, margin in sorted(stops):
            value = reversals.nearest_reversing_stop(f"{kind}_threshold", stop)
            if value is not None:
                return Tipping(f"{kind}_threshold", kind, value, cuts, margin)
        if not cuts:
            return self._joining_sizes(reversals)
        two_threshold_tipping = self._in_both_passes(decided, reversals) if decided else None
        return two_threshold_tipping or self._parting_size(gap, reversals)

    def _in_both_passes(self, decided: Sequence[tuple[str, float, float]], reversals: VerdictReversals) -> Tipping | None:
        """Return the change of a threshold of pass one and of the merging threshold that cuts at a gap which is kept."""
        (kind, similarity, threshold), *_ = decided
        parameter = f"{kind}_threshold"
        value = next_slider_stop(parameter_spec(self, parameter), similarity, above=True)
        changed_run = None if kind == "merging" or value is None else reversals.run({parameter: value})
        if (
            changed_run is None
            or value is None
            or changed_run[1].verdict is not Verdict.MERGED
            or changed_run[1].score is None
        ):
            return None
        merging = next_slider_stop(parameter_spec(self, "merging_threshold"), changed_run[1].score, above=True)
        if merging is None or merging <= self.merging_threshold:
            return None
        merging = reversals.nearest_reversing_stop("merging_threshold", merging, {parameter: value})
        if merging is None:
            return None
        also = Setting("merging_threshold", "merging", merging)
        alone = "pass two merges what pass one parts"
        return Tipping(parameter, kind, value, True, abs(similarity - threshold), also, alone)

    def _parting_size(self, gap: Gap, reversals: VerdictReversals) -> Tipping | None:
        """Return the size limit that cuts at a gap which is kept, or that keeps a cut which the minimum size removed."""
        if gap.verdict is Verdict.REJECTED and self.min_size is not None:
            return _size_tipping("min_size", reversals.nearest_reversing_number("min_size", self.min_size, 1), cuts=True)
        # A maximum of one character less than the joined chunk forbids the join, unless it changes earlier decisions.
        chunking = reversals.chunking
        joined = [comparison for comparison in chunking.comparisons if comparison.outcome == "joined"]
        join_here = next(
            (comparison for comparison in joined if comparison.left.end <= gap.index + 1 <= comparison.right.start), None
        )
        unlimited = self.max_size or len(chunking.document.text)
        less = min(join_here.length - 1, unlimited) if join_here is not None else unlimited
        size = reversals.nearest_reversing_number("max_size", unlimited, less)
        return _size_tipping("max_size", size or reversals.nearest_reversing_number("max_size", less, 1), cuts=True)

    def _joining_sizes(self, reversals: VerdictReversals) -> Tipping | None:
        """Return the size limit that removes a cut, alone or with the merging threshold or another limit."""
        length = len(reversals.chunking.document.text)
        largest = int(min(length + 1, parameter_spec(self, "min_size").high or length))
        smallest = self.min_size or 1
        tipping = None
        if self.max_size is not None:
            tipping = _size_tipping(
                "max_size", reversals.nearest_reversing_number("max_size", self.max_size, length), cuts=False
            )
        tipping = tipping or _size_tipping(
            "min_size", reversals.nearest_reversing_number("min_size", smallest, largest), cuts=False
        )
        if tipping is not None or self.max_size is None:
            return tipping
        unlimited = {"max_size": length}
        if (merging := reversals.nearest_reversing_stop("merging_threshold", None, unlimited)) is not None:
            first_setting = Setting("merging_threshold", "merging", merging)
        elif (size := reversals.nearest_reversing_number("min_size", smallest, largest, unlimited)) is not None:
            first_setting = Setting("min_size", _SIZES["min_size"], size)
        else:
            return None
        reversing_size = reversals.nearest_reversing_number(
            "max_size", self.max_size, length, {first_setting.parameter: first_setting.value}
        )
        if reversing_size is None:
            return None
        also = Setting("max_size", _SIZES["max_size"], reversing_size)
        return Tipping(*first_setting, False, None, also, f"joined, it would have more than {self.max_size:,} characters")

    @staticmethod
    def _decided_by(chunking: Chunking, gap: Gap) -> list[tuple[str, float, float]]:
        """Return the comparisons without which the verdict on the gap would be another: kind, similarity and threshold."""
        if gap.verdict.is_sized:
            return []
        first, *_ = steps = gap.why.steps()
        deciding_step = [first, steps[-1]][gap.verdict is Verdict.MERGED]
        if gap.verdict is not Verdict.CUT:
            assert deciding_step.score is not None
            assert deciding_step.threshold is not None
            return [(deciding_step.threshold_name, deciding_step.score, deciding_step.threshold)]
        comparisons = []
        if first.relation == "≤" and first.score is not None and first.threshold is not None:
            comparisons.append((first.threshold_name, first.score, first.threshold))
        tried = [
            comparison
            for comparison in chunking.comparisons
            if comparison.left.end == gap.index + 1 and comparison.kind in _KINDS
        ]
        if tried and all(comparison.outcome == "not above" for comparison in tried):
            nearest = max(tried, key=lambda comparison: comparison.similarity)
            comparisons.append(("merging", nearest.similarity, nearest.threshold))
        return comparisons

    def _notes_on_longer_chunks(self, made: Chunking) -> tuple[str, ...]:
        """Return a note if chunks of several sentences are above maximum size with their white space."""
        if self.max_size is None or self.vector == "mean":
            return ()
        alone = {span.start: span for span in made.document.sentences}
        lengths = [piece.end - piece.start for piece in made.chunks if alone[piece.start].end < piece.end]
        longer = [length for length in lengths if length > self.max_size]
        if not longer:
            return ()
        subject = f"{len(longer):,} chunks are" if len(longer) > 1 else "A chunk is"
        return (
            f"{subject} longer than the maximum size, {self.max_size:,} characters, up to {max(longer):,}: with re-embed, "
            "white space between two sentences counts as one, as in LlamaIndex. With vector mean it counts in full.",
        )

    def _first_pass(self, state: "_Decisions", sentences: FloatArray, groups: Groups) -> list[Span]:
        """Return the mini-chunks as ranges of sentences; one comparison is made at each gap."""
        opening_similarities = row_cosines(sentences[:-1], sentences[1:])
        growing = self._growth_similarities(opening_similarities, sentences, groups)
        minis: list[Span] = []
        start = 0
        for next_sentence in range(1, len(sentences)):
            gap = next_sentence - 1
            is_open = next_sentence - start > 1
            similarity = float(growing[gap - 1] if is_open else opening_similarities[gap])
            threshold = self.appending_threshold if is_open else self.initial_threshold
            kind: ComparisonKind = "appending" if is_open else "initial"
            length = groups.length(start, next_sentence + 1)
            outcome = self._outcome(similarity, threshold, length)
            verdict = Verdict.KEPT if outcome == "joined" else Verdict.CUT
            why = Reason(
                "similarity",
                similarity,
                "≤" if outcome == "not above" else ">",
                threshold,
                kind,
                f"but joined above maximum size {self.max_size:,}" if outcome == "too long" else "",
                "joined in pass one" if outcome == "joined" else "pass one",
            )
            state.gaps[gap] = Gap(gap, similarity, threshold, verdict, why)
            left, right = Span(start, next_sentence), Span(next_sentence, next_sentence + 1)
            state.comparisons.append(Comparison(left, right, similarity, threshold, kind, outcome, length, why))
            if verdict is Verdict.CUT:
                minis.append(left)
                start = next_sentence
        minis.append(Span(start, len(sentences)))
        return minis

    def _growth_similarities(self, opening: FloatArray, sentences: FloatArray, groups: Groups) -> FloatArray:
        """Return the similarity of sentences i and i + 1 with the one after, shape (n - 2,); NaN where no chunk can be open.

        A chunk can end in two sentences only where they open it, or where it grew by the second of them. Each round embeds
        the pairs that the round before made possible: fewer texts than all pairs, and in batches.
        """
        growing = np.full(max(len(sentences) - 2, 0), np.nan)
        open_at = np.flatnonzero(opening[:-1] > self.initial_threshold)
        while len(open_at):
            growing[open_at] = row_cosines(groups.pairs(open_at), sentences[open_at + 2])
            grown = open_at[growing[open_at] > self.appending_threshold] + 1
            grown = grown[grown < len(growing)]
            open_at = grown[np.isnan(growing[grown])]
        return growing

    def _second_pass(self, state: "_Decisions", minis: Sequence[Span], groups: Groups) -> None:
        """Merge the mini-chunks from left to right; settle the verdicts at their seams."""
        groups.prepare(minis)
        current = minis[0]
        position = 1
        while position < len(minis):
            minis_in_reach = minis[position : position + 1 + self.look_ahead]
            tried: list[Comparison] = []
            for candidate, kind in zip(minis_in_reach, _KINDS, strict=False):
                similarity = groups.similarity(current, candidate)
                length = groups.length(current.start, candidate.end)
                outcome = self._outcome(similarity, self.merging_threshold, length)
                tried.append(Comparison(current, candidate, similarity, self.merging_threshold, kind, outcome, length))
                if outcome != "not above":
                    break
            if tried[-1].outcome == "joined":
                state.merge(tried, minis_in_reach)
                current = Span(current.start, tried[-1].right.end)
                position += len(tried)
            else:
                state.close(tried, self.max_size)
                current = minis[position]
                position += 1

    def _outcome(self, similarity: float, threshold: float, length: int) -> Outcome:
        if similarity <= threshold:
            return "not above"
        return "joined" if self.max_size is None or length <= self.max_size else "too long"


_UNDECIDED = Gap(0, None, None, Verdict.CUT, Reason())
_SIZES = {"min_size": "minimum size", "max_size": "maximum size"}
_PLACES = ("next", "after", "third")
_KINDS: tuple[ComparisonKind, ...] = ("merging", "over a snippet", "over two snippets")


def _size_tipping(parameter: str, size: int | None, *, cuts: bool) -> Tipping | None:
    return None if size is None else Tipping(parameter, _SIZES[parameter], size, cuts)


@dataclass
class _Decisions:
    """The decisions so far."""

    document: Document
    gaps: list[Gap]
    comparisons: list[Comparison] = field(default_factory=list)

    def merge(self, tried: Sequence[Comparison], reach: Sequence[Span]) -> None:
        """Record that pass two merged the current chunk with the chunks in ``reach``, up to the last chunk compared."""
        last = tried[-1]
        snippet_phrase = ""
        if len(tried) > 1:
            snippet = self.document.text[slice(*self.document.slice(last.left.end, last.right.start))]
            lower = ", ".join(format_number(comparison.similarity, ".2f") for comparison in tried[:-1])
            snippet_phrase = f"over the snippet “{shorten(snippet, 40)}” ({lower})"
        why = Reason("similarity", last.similarity, ">", last.threshold, "merging", snippet_phrase, "merged in pass two")
        if snippet_phrase:
            why = why._replace(short=f"{why._replace(remark='').brief()}, over a snippet")
        for mini in reach[: len(tried)]:
            gap = mini.start - 1
            self.gaps[gap] = Gap(gap, last.similarity, last.threshold, Verdict.MERGED, link_reasons(self.gaps[gap].why, why))
        self._record(tried, why)

    def close(self, tried: Sequence[Comparison], maximum: int | None) -> None:
        """Record the end of the current chunk, with the comparisons that were tried."""
        last = tried[-1]
        gap = last.left.end - 1
        if last.outcome == "too long":
            too_long = f"but merged above maximum size {maximum:,}"
            why = Reason("similarity", last.similarity, ">", last.threshold, "merging", too_long, "pass two")
        else:
            summary = _summary(tried)
            why = Reason(remark=f"similarity {summary}", heading="pass two", short=summary)
        self.gaps[gap] = Gap(gap, tried[0].similarity, last.threshold, Verdict.CUT, link_reasons(self.gaps[gap].why, why))
        self._record(tried, why)

    def _record(self, tried: Sequence[Comparison], why: Reason) -> None:
        # A search tries many settings, and `_replace` takes several times as long.
        self.comparisons += [*tried[:-1], Comparison(*tried[-1][:7], why)]


def _summary(tried: Sequence[Comparison]) -> str:
    """Return the failed comparisons of pass two in short: ``0.06 next, 0.14 after; both ≤ merging 0.3``."""
    if len(tried) == 1:
        return Reason("", tried[0].similarity, "≤", tried[0].threshold, "merging").brief()
    similarities = ", ".join(
        f"{format_number(comparison.similarity, '.2f')} {place}" for comparison, place in zip(tried, _PLACES, strict=False)
    )
    return f"{similarities}; {'both' if len(tried) == 2 else 'all'} ≤ merging {format_number(tried[0].threshold)}"
