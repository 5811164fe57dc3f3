"""An app of a reader and nothing else, over a curve of scores that the link gives: for tests of what the curve draws.

``?scores=[[30, [0.2]], [30, [0.55, 0.45]]]`` is thirty gaps at 0.2 and thirty whose scores take turns; ``&line=0.5`` is
where the threshold lies.
"""

import json
from itertools import chain, cycle, islice

import streamlit as st

from chunkers import Breakpoint, Chunking, Curve, Document, Gap, Span, Verdict
from chunkers.results.result import Chunk, Line
from viz.components.reader.reader import ReaderColumn, ReaderResult, draw_reader_and_hash_columns

runs = json.loads(st.query_params["scores"])
line = float(st.query_params["line"])
scores = tuple(chain.from_iterable(islice(cycle(values), count) for count, values in runs))
document = Document.from_text("Line.\n" * (len(scores) + 1), "lines")
groups = [document.sentences[first : first + 100] for first in range(0, len(document.sentences), 100)]
chunking = Chunking(
    document,
    tuple(Chunk.of(document, Span(group[0].start, group[-1].end)) for group in groups),
    tuple(Gap(index, score, line, Verdict.KEPT, "") for index, score in enumerate(scores)),
    curves=(Curve("distance", scores, (Line("threshold", line, "amount"),), cut_above=True, live=False),),
)
chunker = Breakpoint(threshold="distance", amount=line)
draw_reader_and_hash_columns(
    document,
    [ReaderColumn("Curve", "", ReaderResult((scores, line), chunker, chunking))],
    title="Curve",
    summary="",
    selected_column_index=0,
    known_boundaries=None,
    key="curve",
)
