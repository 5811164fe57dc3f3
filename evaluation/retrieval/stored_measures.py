"""Measures of a chunker as JSON without any text: ranges, numbers of chunks, scores, reasons and times."""

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ValidationError

from chunkers import InputError, Span
from chunkers.support import FloatArray, IntArray, first_validation_error
from evaluation.questions import Corpus, Question
from evaluation.retrieval.budget import LAST_CHUNK_CHOICES, BudgetResults, Budgets, Last
from evaluation.retrieval.ladder_and_repeats import BudgetLadder, RetrievedDuplicates
from evaluation.retrieval.measures import RANGE_UNITS, RETRIEVAL_MEASURES, SET_SCORES, TOP_KS, Evaluation
from evaluation.search import Indexed, Search


class _StoredAt(BaseModel, extra="forbid", strict=True):
    """Results at the budgets of one unit, with the last chunk cut off or left out."""

    unit: str
    last: Last
    sizes: tuple[int, ...]
    taken: list[list[int]]
    part: list[list[int]]
    given: list[list[list[int]]]
    hit: list[list[list[int]]]


class _StoredRepeats(BaseModel, extra="forbid", strict=True):
    """Near-duplicates of better-ranked chunks among the chunks that questions retrieve."""

    near: int
    groups: int
    places: list[tuple[int, list[int]]]
    ranked: list[list[int]]
    at: tuple[_StoredAt, ...]


class _StoredLadder(BaseModel, extra="forbid", strict=True):
    """A ladder; the ranks of a question without those that it does not need."""

    wanted: list[list[int]]
    at: tuple[_StoredAt, ...]
    ranked: list[list[int]]
    beyond: list[tuple[int, int, int]]
    holders: list[tuple[int, int]]
    reasons: list[tuple[int, str]]
    repeats: _StoredRepeats | None = None


class _Stored(BaseModel, extra="forbid", strict=True):
    """An evaluation without its corpus and its questions."""

    chunks: tuple[tuple[tuple[int, int], ...], ...]
    chunk_s: float | None
    decide_s: float | None
    embed_s: float
    embedded: int
    cached: int
    ranked: list[list[int]]
    ask_s: float
    search_s: float
    top_k: int
    scores: list[list[list[float | None]]]
    documents: list[list[list[float | None]]]
    evidence: list[list[list[float | None]]]
    ladder: _StoredLadder | None = None
    exact_ends: bool = True
    caveat: str = ""
    parents: tuple[tuple[int, int], ...] | None = None


def evaluation_to_json(evaluation: Evaluation, ladder: BudgetLadder | None = None) -> bytes:
    """Return an evaluation and its results at budgets, if any, as JSON.

    Undefined values are null.
    """
    index, search = evaluation.index, evaluation.search
    stored = _Stored(
        chunks=tuple(tuple((start, end) for start, end in spans) for spans in index.chunks),
        chunk_s=index.chunk_s,
        decide_s=index.decide_s,
        embed_s=index.embed_s,
        embedded=index.embedded,
        cached=index.cached,
        ranked=search.ranked.tolist(),
        ask_s=search.embed_s,
        search_s=search.search_s,
        top_k=evaluation.top_k,
        scores=evaluation.scores.tolist(),
        documents=evaluation.documents.tolist(),
        evidence=evaluation.evidence.tolist(),
        ladder=None if ladder is None else _stored_ladder(ladder),
        exact_ends=index.corpus.exact_ends,
        caveat=index.caveat,
        parents=None if index.parents is None else tuple((spans[0].start, spans[-1].end) for spans in index.parents),
    )
    return stored.model_dump_json().encode()


def _stored_ladder(ladder: BudgetLadder) -> _StoredLadder:
    return _StoredLadder(
        wanted=ladder.at[0].wanted.tolist(),
        at=_stored_at(ladder.at),
        ranked=[[chunk for chunk in row if chunk >= 0] for row in ladder.ranked.tolist()],
        beyond=[tuple(row) for row in ladder.beyond.tolist()],
        holders=[tuple(row) for row in ladder.holders.tolist()],
        reasons=[*ladder.reasons.items()],
        repeats=None if ladder.repeats is None else _stored_repeats(ladder.repeats),
    )


def _stored_repeats(repeats: RetrievedDuplicates) -> _StoredRepeats:
    return _StoredRepeats(
        near=repeats.near,
        groups=repeats.groups,
        places=[(number, [*places]) for number, places in repeats.places.items()],
        ranked=repeats.ranked.tolist(),
        at=_stored_at(repeats.at),
    )


def _stored_at(several: Sequence[BudgetResults]) -> tuple[_StoredAt, ...]:
    return tuple(
        _StoredAt(
            unit=at.budgets.unit,
            last=at.budgets.last,
            sizes=at.budgets.sizes,
            taken=at.taken.tolist(),
            part=at.part.tolist(),
            given=at.given.tolist(),
            hit=at.hit.tolist(),
        )
        for at in several
    )


def evaluation_from_json(
    data: bytes, corpus: Corpus, questions: Sequence[Question]
) -> tuple[Evaluation, BudgetLadder | None]:
    """Return the evaluation and the results at budgets that `evaluation_to_json` stored.

    The ladder is None if no results at budgets were stored, or not for every unit and treatment of the last chunk.

    Raises
    ------
    InputError
        If the JSON was not written by `evaluation_to_json`, does not match the corpus or the questions, or was measured
        with another rule for the ends of excerpts, as by earlier versions.
    """
    try:
        stored = _Stored.model_validate_json(data)
    except ValidationError as error:
        place, _ = first_validation_error(error, "its JSON")
        raise InputError(
            f"The stored evaluation must be in the format that Seamark writes; {place} is invalid. Run the evaluation again."
        ) from error
    if stored.exact_ends != corpus.exact_ends:
        raise InputError(
            "The stored evaluation must use this version's rule for the ends of excerpts; it uses an older one. Run the "
            "evaluation again."
        )
    length = len(corpus.whole.text)
    fits = all(0 <= start <= end <= length for spans in (*stored.chunks, stored.parents or ()) for start, end in spans)
    fits = fits and len(stored.parents or stored.chunks) == len(stored.chunks)
    if not fits or not all(stored.chunks):
        raise InputError(
            f"The chunks of the stored evaluation must lie within the {length:,} characters of the corpus; some do not. Run "
            "the evaluation again."
        )
    ranked = _float_array(stored.ranked, (len(questions), -1), "ranked").astype(np.intp)
    if ranked.size and not 0 <= ranked.min() <= ranked.max() < len(stored.chunks):
        raise InputError(
            f"The stored evaluation must rank only its own {len(stored.chunks):,} chunks; it ranks others. Run the "
            "evaluation again."
        )
    index = Indexed(
        corpus=corpus,
        chunks=tuple(tuple(Span(start, end) for start, end in spans) for spans in stored.chunks),
        chunk_s=stored.chunk_s,
        decide_s=stored.decide_s,
        embed_s=stored.embed_s,
        embedded=stored.embedded,
        cached=stored.cached,
        caveat=stored.caveat,
        parents=None if stored.parents is None else tuple((Span(start, end),) for start, end in stored.parents),
    )
    at_k = (len(TOP_KS), len(SET_SCORES), len(questions))
    evaluation = Evaluation(
        Search(index, tuple(questions), ranked, stored.ask_s, stored.search_s),
        stored.top_k,
        _float_array(stored.scores, (len(RANGE_UNITS), len(RETRIEVAL_MEASURES), len(questions)), "scores"),
        _float_array(stored.documents, at_k, "documents"),
        _float_array(stored.evidence, at_k, "evidence"),
    )
    return evaluation, None if stored.ladder is None else _restored_ladder(stored.ladder, len(index.chunks), questions)


def _restored_ladder(stored: _StoredLadder, chunks: int, questions: Sequence[Question]) -> BudgetLadder | None:
    """Return a ladder; None if it lacks a unit or a treatment of the last chunk."""
    if [(stored_at.unit, stored_at.last) for stored_at in stored.at] != [
        (unit, last) for unit in RANGE_UNITS for last in LAST_CHUNK_CHOICES
    ]:
        return None
    count = len(questions)
    wanted = _count_array(stored.wanted, (len(RANGE_UNITS), count), "wanted")
    at = tuple(_restored_results(stored_at, wanted) for stored_at in stored.at)
    if len(stored.ranked) != count:
        raise InputError(
            f"The stored evaluation must rank chunks for {count:,} questions; it does so for {len(stored.ranked):,}. Run "
            "the evaluation again."
        )
    ranked = np.full((count, max(map(len, stored.ranked), default=0)), -1, dtype=np.intp)
    for number, row in enumerate(stored.ranked):
        ranked[number, : len(row)] = row
    excerpts = sum(len(question.excerpts) for question in questions)
    holders = np.array(stored.holders, dtype=np.intp).reshape(-1, 2)
    if len(holders) != excerpts:
        raise InputError(
            f"The stored evaluation must list the chunks that contain {excerpts:,} excerpts; it does so for "
            f"{len(holders):,}. Run the evaluation again."
        )
    beyond = np.array(stored.beyond, dtype=np.intp).reshape(-1, 3)
    for numbers, most, kind in (
        (ranked, chunks, "chunks"),
        (holders[:, 0], chunks, "chunks"),
        (beyond[:, 1], chunks, "chunks"),
        (beyond[:, 0], count, "questions"),
    ):
        if numbers.size and not -1 <= numbers.min() <= numbers.max() < most:
            raise InputError(
                f"The stored evaluation must refer only to its own {most:,} {kind}; it refers to others. Run the evaluation "
                "again."
            )
    repeats = None if stored.repeats is None else _restored_repeats(stored.repeats, chunks, wanted)
    return BudgetLadder(at, ranked, beyond, holders, dict(stored.reasons), repeats=repeats)


def _restored_results(stored: _StoredAt, wanted: IntArray) -> BudgetResults:
    """Return results at budgets, of questions whose excerpts have the lengths ``wanted``, shape (units, questions)."""
    budgets = Budgets(stored.sizes, stored.unit, stored.last)
    shape = len(budgets.sizes), wanted.shape[1]
    taken, part = _count_array(stored.taken, shape, "taken"), _count_array(stored.part, shape, "part")
    given, hit = (
        _count_array(counts, (len(RANGE_UNITS), *shape), name)
        for name, counts in (("given", stored.given), ("hit", stored.hit))
    )
    return BudgetResults(budgets, taken, part, given, hit, wanted)


def _restored_repeats(stored: _StoredRepeats, chunks: int, wanted: IntArray) -> RetrievedDuplicates:
    places = {number: tuple(ranks) for number, ranks in stored.places}
    ranked = (
        _float_array(stored.ranked, (len(places), -1), "repeats").astype(np.intp) if places else np.zeros((0, 0), np.intp)
    )
    for numbers, most, what in (([*places], wanted.shape[1], "questions"), (ranked.ravel().tolist(), chunks, "chunks")):
        if numbers and not 0 <= min(numbers) <= max(numbers) < most:
            raise InputError(
                f"The stored evaluation must refer only to its own {most:,} {what}; it refers to others. Run the evaluation "
                "again."
            )
    at = tuple(_restored_results(stored_at, wanted[:, [*places]]) for stored_at in stored.at)
    return RetrievedDuplicates(stored.near, stored.groups, places, ranked, at)


def _count_array(values: Sequence[object], shape: tuple[int, ...], name: str) -> IntArray:
    """Return nested lists of lengths as an array; raises InputError as `_float_array` does, and if one is below 0."""
    counts = _float_array(values, shape, name)
    if counts.size and counts.min() < 0:
        raise InputError(
            f"The stored evaluation must have no negative numbers in {name}; it has some. Run the evaluation again."
        )
    return counts.astype(np.intp)


def _float_array(values: Sequence[object], shape: tuple[int, ...], name: str) -> FloatArray:
    """Return nested lists as an array, null as NaN; -1 in the ``shape`` is any length.

    Raises
    ------
    InputError
        If they have another shape.
    """
    try:
        array = np.array(values, dtype=np.float64)
    except ValueError:
        array = np.empty(0)
    if array.ndim != len(shape) or any(want not in (-1, have) for want, have in zip(shape, array.shape, strict=True)):
        shape_text = " × ".join("any" if length < 0 else f"{length:,}" for length in shape)
        raise InputError(
            f"The stored evaluation must have {name} of the shape {shape_text}; the shape differs. Run the evaluation again."
        )
    return array
