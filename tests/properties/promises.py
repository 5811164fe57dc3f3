"""Promises of every result, for any text and settings; each check looks at one promise."""

import csv
import io
import json
import math
import re
from bisect import bisect_left
from itertools import pairwise

import pyarrow.parquet as pq

from chunkers.building_blocks.recursive_splitting import recursive_spans
from chunkers.building_blocks.size_limits import SizeLimitedChunker
from chunkers.recipes.result_export import ledger_to_csv, to_csv, to_dict, to_json, to_jsonl, to_parquet
from chunkers.results.parent_chunks import find_chunk_indices_with_children
from chunkers.results.result import Verdict, format_distinguishably
from chunkers.support.formatting import unescape_csv_cell
from chunkers.text.front_matter import find_front_matter_offsets
from tests.support import as_number

_SHORT = re.compile(r"-+|[ \t]+")
"""Part of a repeated table's delimiter row that is shortened."""

OUT_OF_ORDER = ("single_linkage", "dbscan", "kmeans", "propositions")
INSIDE = (
    "fixed_words",
    "fixed_characters",
    "fixed_tokens",
    "recursive",
    "structure",
    "turns",
    "code",
    "optimal",
    "llm",
    "lumber",
)
"""The chunkers that may cut inside a sentence without a maximum size."""

HAIR = 1e-6
"""Figures nearer than this show the same in a reason, so rounding may decide between them."""

HOLDS = {
    ">": lambda one, other: one > other,
    "<": lambda one, other: one < other,
    "≥": lambda one, other: one >= other,
    "≤": lambda one, other: one <= other,
    "=": lambda one, other: abs(one - other) < 2 * HAIR,
}


def check_result(chunking, chunker, tools):
    """Check every promise about the result of a chunker."""
    check_sentences(chunking.document)
    check_chunks(chunking, chunker)
    check_gaps(chunking, chunker)
    check_numbers(chunking)
    check_reasons(chunking)
    check_verdicts(chunking, chunker, tools)
    check_sizes(chunking, chunker, tools)
    check_merges(chunking, chunker)


def overlaps(chunker):
    return getattr(chunker, "overlap", 0) > 0 or getattr(chunker, "parent_size", None) or chunker.name == "propositions"


def check_sentences(document):
    """Sentences are slices in order, trimmed, and hold every visible character once."""
    text, spans = document.text, document.sentences
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    outside = [text[edges[place] : edges[place + 1]] for place in range(0, len(edges), 2)]
    assert not "".join(outside).strip(), "characters in no sentence"


def check_chunks(chunking, chunker):
    """Chunks are slices of the text in order; no visible character is lost, or in two chunks without overlap."""
    text = chunking.document.text
    for chunk in chunking.chunks:
        assert chunk.spans
        assert all(0 <= start < end <= len(text) for start, end in chunk.spans)
        assert all(one.end <= other.start for one, other in pairwise(chunk.spans))
        parts = [text[start:end] for start, end in chunk.spans]
        stated = [] if chunk.stated is None else chunk.stated.propositions
        assert chunk.text == "\n".join(parts if chunk.stated is None else [proposition.text for proposition in stated])
        for proposition in stated:
            assert any(start <= proposition.span.start < proposition.span.end <= end for start, end in chunk.spans)
            source = text[slice(*proposition.span)]
            assert source == {"word for word": proposition.quotation, "as it is": proposition.text}.get(
                proposition.tied, source
            )
        assert all(part == part.strip() != "" for part in parts)
        assert len(parts) == 1 or chunker.name in OUT_OF_ORDER
    assert all(proposition.span is None for proposition in chunking.left_out)
    starts = [chunk.start for chunk in chunking.chunks]
    assert starts == sorted(starts)
    if front := find_front_matter_offsets(text):
        spans = [span for chunk in chunking.chunks for span in chunk.spans if span.start < front.closing_fence_end]
        assert not {"---", "+++"} & {text[start:end].strip(" \t\ufeff") for start, end in spans}
    if len(chunking.document.sentences) == 1 and chunker.name not in INSIDE and getattr(chunker, "max_size", None) is None:
        assert len(chunking.chunks) == 1
    held = [0] * (len(text) + 1)
    for chunk in chunking.chunks:
        for start, end in chunk.spans:
            held[start] += 1
            held[end] -= 1
    count = 0
    for place, character in enumerate(text):
        count += held[place]
        if not character.isspace():
            assert count > 0, f"{character!r} at {place} is in no chunk"
            assert count == 1 or overlaps(chunker), f"{character!r} at {place} is in {count} chunks"


def check_gaps(chunking, chunker):
    """There is a gap for each pair of sentences, in order, and the cuts are where chunks begin."""
    document = chunking.document
    gaps = list(chunking.gaps)
    assert [gap.index for gap in gaps if gap.offset is None] == list(range(max(0, len(document.sentences) - 1)))
    order = [gap.start_after(document) for gap in gaps]
    assert order == sorted(order)
    assert all(gap.reason for gap in gaps)
    cuts = [gap for gap in gaps if gap.verdict.is_cut]
    if overlaps(chunker) and chunker.name == "fixed_sentences":
        assert [gap.end_before(document) for gap in cuts] == [chunk.end for chunk in chunking.chunks[:-1]]
    else:
        starts = {span.start for chunk in chunking.chunks for span in chunk.spans}
        assert [gap.start_after(document) for gap in cuts] == sorted(starts)[1:]


def check_numbers(chunking):
    """Every number is finite; a curve's score may be undefined, and its line where no score is defined."""
    for gap in chunking.gaps:
        assert all(value is None or math.isfinite(value) for value in (gap.score, gap.threshold)), gap
    for curve in chunking.curves:
        assert not any(math.isinf(value) for value in (*curve.scores, *(line.level for line in curve.lines)))
    for merge in chunking.merges:
        assert math.isfinite(merge.similarity)
        assert math.isfinite(merge.threshold)
    assert all(note.endswith(".") for note in chunking.notes)


def check_reasons(chunking):
    """Check that every comparison in a reason is true, also with the figures as shown."""
    for gap in chunking.gaps:
        for step in gap.why.steps():
            if step.score is None or step.threshold is None or math.isnan(step.threshold):
                continue
            left, right = map(as_number, format_distinguishably(step.score, step.threshold))
            assert HOLDS[step.relation](step.score, step.threshold) or abs(step.score - step.threshold) < HAIR, gap.reason
            assert HOLDS[step.relation](left, right), gap.reason


def check_verdicts(chunking, chunker, tools):
    """A verdict follows from score and threshold, unless a size or pass two overruled it, which it then says."""
    for gap in chunking.gaps:
        assert gap.offset is None or gap.verdict.is_cut
        if chunker.name in ("breakpoint", "target_size", "change_point", "max_min") and gap.threshold is not None:
            candidate = gap.verdict in (Verdict.CUT, Verdict.REJECTED)
            if gap.score is None:
                assert not candidate
                continue
            (curve,) = chunking.curves
            beyond = gap.score - gap.threshold if curve.cut_above else gap.threshold - gap.score
            assert candidate == (beyond > 0) or abs(beyond) < HAIR, gap.reason
        elif chunker.name == "optimal" and gap.score is not None:
            assert gap.verdict.is_cut == (gap.score > 0) or abs(gap.score) < HAIR, gap.reason
        assert gap.verdict is not Verdict.FORCED or "above maximum size" in gap.reason
        assert gap.verdict is not Verdict.REJECTED or "below minimum size" in gap.reason
    for comparison in chunking.comparisons:
        assert (comparison.outcome == "not above") == (comparison.similarity <= comparison.threshold)
        assert comparison.outcome == "not above" or (comparison.outcome == "too long") == (
            comparison.length > (chunker.max_size or math.inf)
        )
    if chunker.name == "target_size" and chunker.fit == "largest" and chunking.chunks:
        measure = _counted(chunker.unit, tools)
        largest, alone = (
            max(measure(chunk.text) for chunk in chunking.chunks),
            max(map(measure, chunking.document.sentence_texts)),
        )
        # No chunk fits a sentence that is larger than the size, so no reason may say that it does.
        assert largest <= chunker.size or alone > chunker.size, f"{largest} > {chunker.size}"
        told = any("largest chunk fits" in gap.reason for gap in chunking.gaps)
        assert largest <= chunker.size or not told, f"{largest} > {chunker.size}"


def _counted(unit, tools):
    """Return the function that gives the size of a text in characters, words or tokens."""
    if unit == "tokens":
        return lambda text: tools.count_tokens([text])[0]
    return {"characters": len, "words": lambda text: len(text.split())}[unit]


def _sentences(chunking, chunk):
    """Count the sentences in a chunk, in part or as a whole."""
    return sum(chunk.start < span.end and span.start < chunk.end for span in chunking.document.sentences)


def check_sizes(chunking, chunker, tools):
    """Sizes hold where they are promised, and where they cannot, a reason says why."""
    if isinstance(chunker, SizeLimitedChunker):
        _check_limits(chunking, chunker.min_size, chunker.max_size, chunker.size_unit, tools)
    if chunker.name in _SIZES:
        _SIZES[chunker.name](chunking, chunker, tools)


def _fixed_sentences(chunking, chunker, _):
    if chunker.chunks is None and not chunker.min_size:
        assert all(_sentences(chunking, chunk) <= chunker.size for chunk in chunking.chunks)


def _is_fence(chunking, chunk, units=None):
    """Return whether a chunk is a fence of front matter and the unit beside it, a character unless ``units`` are given."""
    front = find_front_matter_offsets(chunking.document.text)
    inside = (
        range(chunk.start + 1, chunk.end) if units is None else [place for place in units if chunk.start < place < chunk.end]
    )
    return front is not None and all(
        front.cut_separates_fence_from_fields(place) for place in inside if not chunk.text[place - chunk.start].isspace()
    )


def _fixed_words(chunking, chunker, tools):
    words = [match.start() for match in re.finditer(r"\S+", chunking.document.text)]
    held = {chunk: _counted("words", tools)(chunk.text) for chunk in chunking.chunks}
    assert all(size <= chunker.size or _is_fence(chunking, chunk, words) for chunk, size in held.items())


def _fixed_characters(chunking, chunker, _):
    assert all(len(chunk.text) <= chunker.size or _is_fence(chunking, chunk) for chunk in chunking.chunks)


def _fixed_tokens(chunking, chunker, tools):
    # Tokens of one character begin at the same place, where none of them can be cut from the others.
    begins = sorted(set(tools.token_starts(chunking.document.text).tolist()))
    held = {chunk: _begin_inside(chunk, begins) for chunk in chunking.chunks}
    assert all(size <= chunker.size or _is_fence(chunking, chunk, begins) for chunk, size in held.items())


def _recursive(chunking, chunker, tools):
    """Tokens of pieces may add up to more than the size, but then no reason may say that the chunk stays within it."""
    measure = _counted(chunker.unit, tools)
    parents = find_chunk_indices_with_children(chunking.chunks) if chunker.parent_size else []
    for number, chunk in enumerate(chunking.chunks):
        size = measure(chunk.text)
        if size > (chunker.parent_size if number in parents else chunker.size) and not _is_fence(chunking, chunk):
            assert chunker.unit == "tokens", f"{size} {chunker.unit} > {chunker.size}"
            inside = [gap for gap in chunking.gaps if chunk.start < gap.start_after(chunking.document) < chunk.end]
            assert not any("stays within size" in gap.reason for gap in inside), f"{size} > {chunker.size}"


def _structure(chunking, chunker, tools):
    """A formula and a delimiter row stay whole, and a character may be several tokens; a context counts with the text."""
    measure = _counted("tokens", tools)
    for chunk in chunking.chunks:
        told = any("stays whole" in note for note in chunking.notes) and any(
            mark in chunk.text for mark in ("$$", "\\[", "---")
        )
        size = measure(chunk.text) + (measure(chunk.context) if chunk.context else 0)
        smallest = len(chunk.text) == 1 or _is_fence(chunking, chunk)
        assert size <= chunker.max_size or told or smallest, f"{size} > {chunker.max_size}: {chunk.text!r}"
        assert _SHORT.sub("-", chunk.context) in _SHORT.sub("-", chunking.document.text[: chunk.start])


def _turns(chunking, chunker, tools):
    """A character may be several tokens; a context counts with the text, and stands before it."""
    measure = _counted("tokens", tools)
    for chunk in chunking.chunks:
        size = measure(chunk.text) + (measure(chunk.context) if chunk.context else 0)
        smallest = len(chunk.text) == 1 or _is_fence(chunking, chunk)
        assert size <= chunker.max_size or smallest, f"{size} > {chunker.max_size}: {chunk.text!r}"
        assert all(line in chunking.document.text[: chunk.start] for line in chunk.context.split("\n"))


def _code(chunking, chunker, tools):
    """A character may be several tokens; a context counts with the text, and its names are those of the text."""
    measure = _counted("tokens", tools)
    for chunk in chunking.chunks:
        size = measure(chunk.text) + (measure(chunk.context) if chunk.context else 0)
        smallest = len(chunk.text) == 1 or _is_fence(chunking, chunk)
        assert size <= chunker.max_size or smallest, f"{size} > {chunker.max_size}: {chunk.text!r}"
        assert all(word.rstrip("…") in chunking.document.text for word in chunk.context.replace(" > ", " ").split())


def _optimal(chunking, chunker, tools):
    measure = _counted("tokens", tools)
    if chunker.pieces == "sentences":
        starts = chunking.document.starts
        assert {chunk.start for chunk in chunking.chunks} <= set(starts), "no sentence is cut"
        held = [chunk for chunk in chunking.chunks if _begin_inside(chunk, starts) > 1]
        assert tools.tokenizer.name != "words" or all(measure(chunk.text) <= chunker.max_size for chunk in held)
        return
    text, front = chunking.document.text, find_front_matter_offsets(chunking.document.text)
    pieces = recursive_spans(text, chunker.piece_size, 0, measure, "chroma")
    starts = [start for start, _ in pieces]
    assert all(_begin_inside(chunk, starts) <= chunker.most_pieces_per_chunk for chunk in chunking.chunks)
    # A fence of front matter and the unit beside it are one piece, however long it is.
    fences = [
        piece
        for piece in pieces
        if front is not None and any(map(front.cut_separates_fence_from_fields, range(piece[0] + 1, piece[1])))
    ]
    beyond = {start: max(0, measure(text[start:end]) - chunker.piece_size) for start, end in fences}
    # A word is a word wherever it is cut off, which cannot be said of other tokens.
    for chunk in chunking.chunks if tools.tokenizer.name == "words" else ():
        more = sum(beyond.get(start, 0) for start in starts if chunk.start <= start < chunk.end)
        assert measure(chunk.text) <= chunker.max_size + more, f"{chunk.text!r} is too long"


def _double_pass(chunking, chunker, tools):
    alone = set(chunking.document.sentences)
    # LlamaIndex, which re-embed decides as, counts white space between sentences as one character.
    told = chunker.vector == "re-embed" and any("longer than the maximum size" in note for note in chunking.notes)
    for chunk in chunking.chunks:
        held = chunker.max_size is None or len(chunk.text) <= chunker.max_size
        assert held or chunk.spans[0] in alone or told, f"{len(chunk.text)} characters > {chunker.max_size}"
    _check_limits(chunking, chunker.min_size, None, "characters", tools)


def _single_linkage(chunking, chunker, _):
    cap = chunker.cluster_size_cap(len(chunking.document.sentences))
    starts = chunking.document.starts
    for chunk in chunking.chunks:
        assert sum(_begin_inside(span, starts) for span in chunk.spans) <= cap


_SIZES = {
    "fixed_sentences": _fixed_sentences,
    "fixed_words": _fixed_words,
    "fixed_characters": _fixed_characters,
    "fixed_tokens": _fixed_tokens,
    "recursive": _recursive,
    "structure": _structure,
    "turns": _turns,
    "code": _code,
    "optimal": _optimal,
    "double_pass": _double_pass,
    "single_linkage": _single_linkage,
}


def _begin_inside(span, places):
    """Count the ascending places inside a span."""
    return bisect_left(places, span.end) - bisect_left(places, span.start)


def _check_limits(chunking, least, most, unit, tools):
    cuts = [gap for gap in chunking.gaps if gap.verdict.is_cut]
    for number, chunk in enumerate(chunking.chunks):
        size = _sentences(chunking, chunk) if unit == "sentences" else _counted(unit, tools)(chunk.text)
        # One character may be several tokens.
        smallest = len(chunk.text) == 1 or _is_fence(chunking, chunk)
        assert most is None or size <= most or smallest, f"{size} {unit} > {most}: {chunk.text!r}"
        beside = " ".join(gap.reason for gap in cuts[max(0, number - 1) : number + 1])
        told = f"below minimum size {least:,}" in beside if least else True
        assert told or size >= least or len(chunking.chunks) == 1, f"{size} {unit} < {least}: {chunk.text!r}, {beside}"


def check_merges(chunking, chunker):
    """The merges of `double_pass`, replayed on single sentences, give its chunks, but for a minimum size."""
    if chunker.name != "double_pass":
        return
    document = chunking.document
    groups = {number: number + 1 for number in range(len(document.sentences))}
    reach = {"merging": 0, "over a snippet": 1, "over two snippets": 2}
    for merge in chunking.merges:
        assert merge.similarity > merge.threshold
        assert groups[merge.left.start] == merge.left.end
        assert groups[merge.right.start] == merge.right.end
        between = [start for start in groups if merge.left.end <= start < merge.right.start]
        assert len(between) == reach.get(merge.kind, 0) <= chunker.look_ahead
        for start in (*between, merge.right.start):
            del groups[start]
        groups[merge.left.start] = merge.right.end
    if chunker.min_size is None:
        assert [document.slice(*group) for group in groups.items()] == [chunk.spans[0] for chunk in chunking.chunks]
    merged = [gap.index for gap in chunking.gaps if gap.verdict is Verdict.MERGED]
    assert len(merged) == sum(reach[merge.kind] + 1 for merge in chunking.merges if merge.kind in reach)


def check_exports(chunking, recipe):
    """Every format holds the chunks and the ledger, and reads as they are."""
    spans = [[list(span) for span in chunk.spans] for chunk in chunking.chunks]
    texts = [chunk.text for chunk in chunking.chunks]
    whole = json.loads(to_json(chunking, recipe))
    lines = [json.loads(line) for line in to_jsonl(chunking).split("\n")[:-1]]
    table = list(csv.DictReader(io.StringIO(to_csv(chunking), newline="")))
    parquet = pq.read_table(io.BytesIO(to_parquet(chunking))).to_pylist()
    assert parquet == lines
    assert [json.loads(row["spans"]) for row in table] == spans
    assert not any(row["text"].startswith(("=", "+", "-", "@", "\t", "\r")) for row in table)
    table = [{**row, "text": unescape_csv_cell(row["text"])} for row in table]
    for rows in (whole["chunks"], lines, table, parquet):
        assert [row["text"] for row in rows] == texts
    assert [row["spans"] for row in whole["chunks"]] == [row["spans"] for row in lines] == spans
    gaps = to_dict(chunking, recipe)["gaps"]
    assert whole["gaps"] == gaps
    ledger = list(csv.DictReader(io.StringIO(ledger_to_csv(chunking), newline="")))
    columns = ("index", "offset", "score", "threshold", "verdict", "reason")
    told = [{key: "" if gap.get(key) is None else str(gap[key]) for key in columns} for gap in gaps]
    assert ledger == told
