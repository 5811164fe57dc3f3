"""The summary of a column on Compare: chunk count and sizes, times, errors against known boundaries, last change.

Lecture mode omits the times.
"""

from dataclasses import replace

from chunkers import Chunking, Document, Embedder, load_tokenizer
from chunkers.results.levels import parents_among
from evaluation.segmentation.chunk_facts import Facts, against_known, change
from viz.compare.state.session import session
from viz.components.reader.reader import Column, HeadRow
from viz.jobs import chunking as timing
from viz.jobs.chunking import Task
from viz.jobs.resources import kept
from viz.shell import lecture
from viz.shell.column_head import against_known_row
from viz.shell.results import ColumnResult, Finished
from viz.state.text import Text
from viz.state.values import LastChange
from viz.theme.numbers import counted, duration, embedding_in_words, stages_in_words, three_figures


def facts_of(number: int, result: ColumnResult, text: Text, embedder: Embedder | None) -> Column:
    """Return a column's summary: chunk count and sizes, times, errors against known boundaries, and last change."""
    finished = result.finished
    assert finished is not None
    task, chunking = finished.task, finished.chunking
    facts = _measured(task, chunking, embedder)
    count = len(chunking.chunks)
    rows = [HeadRow("chunks", f"{count:,}", brief=counted(count, "chunk"))]
    # Other chunks lie in each other by chance.
    rows += _levels(chunking) if finished.chunker.elsewhere or getattr(finished.chunker, "parent_size", None) else ()
    if facts.sizes:
        first = facts.sizes[0]
        rows.append(HeadRow("sentences", f"{first.least:,} to {first.most:,}, median {first.median:,g}"))
    if facts.pieces.chunks:
        rows.append(HeadRow("in pieces", facts.pieces.words(len(chunking.chunks))))
    if not lecture.is_on():
        time = "not known: made elsewhere" if finished.chunker.elsewhere else _time(chunking, session.repeats.get(task))
        rows.append(HeadRow("time", time))
        if finished.chunker.embeds:
            rows.append(HeadRow("embedding", embedding_in_words(chunking.timing)))
    if chunking.spending is not None and not lecture.is_on():
        rows.append(HeadRow("asked", str(chunking.spending)))
    if text.source.known is not None:
        found, missed, added = against_known(facts.cuts, text.source.known)
        rows.append(against_known_row(found, missed, added))
    if facts.unread is not None and embedder is not None:
        brief = f"{counted(facts.unread.chunks, 'chunk')} beyond {embedder.max_tokens:,} tokens"
        rows.append(HeadRow("too long", facts.unread.words(embedder), "wrong", brief))
    changed, fresh = _changed(number, finished, text.document, facts.cuts)
    if changed:
        rows.append(HeadRow("changed", changed, "changed", f"changed: {changed}"))
    sizes = [(size.unit, *map(three_figures, (size.least, size.median, size.mean, size.most))) for size in facts.sizes]
    return Column(
        rows=tuple(rows),
        table=(("size", "min", "median", "mean", "max"), *sizes) if session.all_sizes else (),
        fresh=fresh,
    )


def _levels(chunking: Chunking) -> list[HeadRow]:
    """Return a row with the numbers of parents and children; none if the chunks have one level."""
    parents = len(parents_among(chunking.chunks))
    levels = f"{counted(parents, 'parent')}, {counted(len(chunking.chunks) - parents, 'child', 'children')}"
    return [HeadRow("levels", levels, brief=levels)] if parents else []


@kept(32, lambda task, chunking, embedder: (task.document, task))
def _measured(task: Task, chunking: Chunking, embedder: Embedder | None) -> Facts:
    """Return the facts of a result, cached by task, since equal tasks have equal results."""
    return Facts.of(chunking, load_tokenizer(task.tokenizer), embedder)


def _changed(number: int, result: Finished, document: Document, cuts: tuple[int, ...]) -> tuple[str, frozenset[int]]:
    """Describe how the last change of the column's parameters affected its boundaries, and return the new boundaries."""
    # Loading an embedder is not a change by the user, and a chunker that does not embed is unaffected by the embedder.
    task = replace(result.task, revision="", embedder=result.task.embedder if result.chunker.embeds else "")
    last = session.history.get(number)
    if last is None or last.task != task:
        if last is not None and last.task.subject == task.subject:
            fresh = frozenset(cuts) - frozenset(last.cuts)
            last = LastChange(task, cuts, change(document, last.cuts, cuts).words(), fresh)
        else:
            last = LastChange(task, cuts)
        session.history[number] = last
    return last.said, last.fresh


def _time(chunking: Chunking, repeats: timing.Repeats | None) -> str:
    timing = chunking.timing
    if repeats is not None and timing is not None:
        split, decide = f"split {duration(timing.split_ms)}", f"decide {duration(repeats.median)}"
        return f"{split} · {decide} ({duration(repeats.lower)} to {duration(repeats.upper)} in {repeats.runs} runs)"
    return stages_in_words(timing)
