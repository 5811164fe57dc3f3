"""Measures of a chunker as JSON without any text: ranges, numbers of chunks, scores, reasons and times."""

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ValidationError

from chunkers import InputError, Span
from chunkers.support import FloatArray, IntArray, first_field_and_error
from evaluation.questions import Corpus, Question
from evaluation.retrieval.budget import LAST_CHUNK_CHOICES, BudgetResults, Budgets, LastChunkChoice
from evaluation.retrieval.budgets_and_near_duplicates import BudgetLadder, RetrievedDuplicates
from evaluation.retrieval.measures import RANGE_UNITS, RETRIEVAL_MEASURE_NAMES, SCORES_AT_K, TOP_KS, Evaluation
from evaluation.search import Indexed, Search


class _StoredAt(BaseModel, extra="forbid", strict=True):
    """Results at the budgets of one unit, with the last chunk cut off or left out."""

    unit: str
    last: LastChunkChoice
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


def encode_evaluation_as_json_bytes(evaluation: Evaluation, results_at_budgets: BudgetLadder | None = None) -> bytes:
    """Return an evaluation and its results at budgets, if any, as JSON.

    Undefined values are null.
    """
    indexed_chunks, finished_search = evaluation.searched_index, evaluation.search
    stored_evaluation = _Stored(
        chunks=tuple(tuple((start, end) for start, end in spans) for spans in indexed_chunks.chunks),
        chunk_s=indexed_chunks.chunk_s,
        decide_s=indexed_chunks.decide_s,
        embed_s=indexed_chunks.embed_s,
        embedded=indexed_chunks.embedded,
        cached=indexed_chunks.cached,
        ranked=finished_search.ranked.tolist(),
        ask_s=finished_search.embed_s,
        search_s=finished_search.search_s,
        top_k=evaluation.top_k,
        scores=evaluation.scores.tolist(),
        documents=evaluation.documents.tolist(),
        evidence=evaluation.evidence.tolist(),
        ladder=None if results_at_budgets is None else _storable_budget_ladder_results(results_at_budgets),
        exact_ends=indexed_chunks.corpus.exact_ends,
        caveat=indexed_chunks.caveat,
        parents=None
        if indexed_chunks.parents is None
        else tuple((spans[0].start, spans[-1].end) for spans in indexed_chunks.parents),
    )
    return stored_evaluation.model_dump_json().encode()


def _storable_budget_ladder_results(budget_ladder: BudgetLadder) -> _StoredLadder:
    return _StoredLadder(
        wanted=budget_ladder.at[0].excerpt_length.tolist(),
        at=_storable_budget_results(budget_ladder.at),
        ranked=[[chunk for chunk in row if chunk >= 0] for row in budget_ladder.ranked.tolist()],
        beyond=[tuple(row) for row in budget_ladder.lower_ranked_excerpt_chunks.tolist()],
        holders=[tuple(row) for row in budget_ladder.best_holders.tolist()],
        reasons=[*budget_ladder.reasons.items()],
        repeats=None if budget_ladder.repeats is None else _storable_retrieved_duplicates(budget_ladder.repeats),
    )


def _storable_retrieved_duplicates(retrieved_duplicates: RetrievedDuplicates) -> _StoredRepeats:
    return _StoredRepeats(
        near=retrieved_duplicates.near_duplicate_count,
        groups=retrieved_duplicates.group_count,
        places=[(number, [*places]) for number, places in retrieved_duplicates.repeat_ranks_by_question.items()],
        ranked=retrieved_duplicates.ranked.tolist(),
        at=_storable_budget_results(retrieved_duplicates.at),
    )


def _storable_budget_results(budget_results_list: Sequence[BudgetResults]) -> tuple[_StoredAt, ...]:
    return tuple(
        _StoredAt(
            unit=at.budgets.unit,
            last=at.budgets.last,
            sizes=at.budgets.sizes,
            taken=at.taken.tolist(),
            part=at.cut_chunk_length.tolist(),
            given=at.given.tolist(),
            hit=at.retrieved_excerpt_length.tolist(),
        )
        for at in budget_results_list
    )


def evaluation_from_json(
    stored_json: bytes, corpus: Corpus, questions: Sequence[Question]
) -> tuple[Evaluation, BudgetLadder | None]:
    """Return the evaluation and the results at budgets that `encode_evaluation_as_json_bytes` stored.

    The ladder is None if no results at budgets were stored, or not for every unit and treatment of the last chunk.

    Raises
    ------
    InputError
        If the JSON was not written by `encode_evaluation_as_json_bytes`, does not match the corpus or the questions, or was
        measured with another rule for the ends of excerpts, as by earlier versions.
    """
    try:
        stored_evaluation = _Stored.model_validate_json(stored_json)
    except ValidationError as error:
        invalid_field_path, _ = first_field_and_error(error, "its JSON")
        raise InputError(
            f"The stored evaluation must be in the format that Seamark writes; {invalid_field_path} is invalid. Run the "
            "evaluation again."
        ) from error
    if stored_evaluation.exact_ends != corpus.exact_ends:
        raise InputError(
            "The stored evaluation must use this version's rule for the ends of excerpts; it uses an older one. Run the "
            "evaluation again."
        )
    corpus_text_length = len(corpus.joined_document.text)
    is_data_fitting_corpus = all(
        0 <= start <= end <= corpus_text_length
        for spans in (*stored_evaluation.chunks, stored_evaluation.parents or ())
        for start, end in spans
    )
    is_data_fitting_corpus = is_data_fitting_corpus and len(stored_evaluation.parents or stored_evaluation.chunks) == len(
        stored_evaluation.chunks
    )
    if not is_data_fitting_corpus or not all(stored_evaluation.chunks):
        raise InputError(
            f"The chunks of the stored evaluation must lie within the {corpus_text_length:,} characters of the corpus; some "
            "do not. Run the evaluation again."
        )
    rankings_by_question = _array_of_floats(stored_evaluation.ranked, (len(questions), -1), "ranked").astype(np.intp)
    if rankings_by_question.size and not 0 <= rankings_by_question.min() <= rankings_by_question.max() < len(
        stored_evaluation.chunks
    ):
        raise InputError(
            f"The stored evaluation must rank only its own {len(stored_evaluation.chunks):,} chunks; it ranks others. Run "
            "the "
            "evaluation again."
        )
    restored_search_index = Indexed(
        corpus=corpus,
        chunks=tuple(tuple(Span(start, end) for start, end in spans) for spans in stored_evaluation.chunks),
        chunk_s=stored_evaluation.chunk_s,
        decide_s=stored_evaluation.decide_s,
        embed_s=stored_evaluation.embed_s,
        embedded=stored_evaluation.embedded,
        cached=stored_evaluation.cached,
        caveat=stored_evaluation.caveat,
        parents=None
        if stored_evaluation.parents is None
        else tuple((Span(start, end),) for start, end in stored_evaluation.parents),
    )
    shape_at_k = (len(TOP_KS), len(SCORES_AT_K), len(questions))
    restored_evaluation = Evaluation(
        Search(
            restored_search_index,
            tuple(questions),
            rankings_by_question,
            stored_evaluation.ask_s,
            stored_evaluation.search_s,
        ),
        stored_evaluation.top_k,
        _array_of_floats(
            stored_evaluation.scores, (len(RANGE_UNITS), len(RETRIEVAL_MEASURE_NAMES), len(questions)), "scores"
        ),
        _array_of_floats(stored_evaluation.documents, shape_at_k, "documents"),
        _array_of_floats(stored_evaluation.evidence, shape_at_k, "evidence"),
    )
    return restored_evaluation, None if stored_evaluation.ladder is None else _restored_budget_ladder(
        stored_evaluation.ladder, len(restored_search_index.chunks), questions
    )


def _restored_budget_ladder(
    stored_ladder: _StoredLadder, chunk_count: int, questions: Sequence[Question]
) -> BudgetLadder | None:
    """Return a ladder; None if it lacks a unit or a treatment of the last chunk."""
    if [(stored_at.unit, stored_at.last) for stored_at in stored_ladder.at] != [
        (unit, last) for unit in RANGE_UNITS for last in LAST_CHUNK_CHOICES
    ]:
        return None
    question_count = len(questions)
    excerpt_lengths = _array_of_counts(stored_ladder.wanted, (len(RANGE_UNITS), question_count), "wanted")
    restored_budget_results = tuple(_restored_budget_results(stored_at, excerpt_lengths) for stored_at in stored_ladder.at)
    if len(stored_ladder.ranked) != question_count:
        raise InputError(
            f"The stored evaluation must rank chunks for {question_count:,} questions; it does so for "
            f"{len(stored_ladder.ranked):,}. Run "
            "the evaluation again."
        )
    padded_question_rankings = np.full((question_count, max(map(len, stored_ladder.ranked), default=0)), -1, dtype=np.intp)
    for question_index, ranked_chunk_numbers in enumerate(stored_ladder.ranked):
        padded_question_rankings[question_index, : len(ranked_chunk_numbers)] = ranked_chunk_numbers
    total_excerpt_count = sum(len(question.excerpts) for question in questions)
    best_holders_and_ranks = np.array(stored_ladder.holders, dtype=np.intp).reshape(-1, 2)
    if len(best_holders_and_ranks) != total_excerpt_count:
        raise InputError(
            f"The stored evaluation must list the chunks that contain {total_excerpt_count:,} excerpts; it does so for "
            f"{len(best_holders_and_ranks):,}. Run the evaluation again."
        )
    question_chunk_rank_triples = np.array(stored_ladder.beyond, dtype=np.intp).reshape(-1, 3)
    for stored_numbers_to_check, existing_item_count, numbered_item_noun in (
        (padded_question_rankings, chunk_count, "chunks"),
        (best_holders_and_ranks[:, 0], chunk_count, "chunks"),
        (question_chunk_rank_triples[:, 1], chunk_count, "chunks"),
        (question_chunk_rank_triples[:, 0], question_count, "questions"),
    ):
        if (
            stored_numbers_to_check.size
            and not -1 <= stored_numbers_to_check.min() <= stored_numbers_to_check.max() < existing_item_count
        ):
            raise InputError(
                f"The stored evaluation must refer only to its own {existing_item_count:,} {numbered_item_noun}; it refers "
                "to others. Run the evaluation again."
            )
    restored_near_duplicates = (
        None
        if stored_ladder.repeats is None
        else _restored_retrieved_duplicates(stored_ladder.repeats, chunk_count, excerpt_lengths)
    )
    return BudgetLadder(
        restored_budget_results,
        padded_question_rankings,
        question_chunk_rank_triples,
        best_holders_and_ranks,
        dict(stored_ladder.reasons),
        repeats=restored_near_duplicates,
    )


def _restored_budget_results(stored_budget_results: _StoredAt, excerpt_lengths: IntArray) -> BudgetResults:
    """Return results at budgets, of questions whose excerpts have ``excerpt_lengths``, shape (units, questions)."""
    restored_budget_settings = Budgets(stored_budget_results.sizes, stored_budget_results.unit, stored_budget_results.last)
    budget_question_array_shape = len(restored_budget_settings.sizes), excerpt_lengths.shape[1]
    taken_chunk_counts, last_chunk_beginning_lengths = (
        _array_of_counts(stored_budget_results.taken, budget_question_array_shape, "taken"),
        _array_of_counts(stored_budget_results.part, budget_question_array_shape, "part"),
    )
    retrieved_lengths, retrieved_excerpt_length_per_question = (
        _array_of_counts(counts, (len(RANGE_UNITS), *budget_question_array_shape), name)
        for name, counts in (("given", stored_budget_results.given), ("hit", stored_budget_results.hit))
    )
    return BudgetResults(
        restored_budget_settings,
        taken_chunk_counts,
        last_chunk_beginning_lengths,
        retrieved_lengths,
        retrieved_excerpt_length_per_question,
        excerpt_lengths,
    )


def _restored_retrieved_duplicates(
    stored_duplicates: _StoredRepeats, chunk_count: int, excerpt_lengths: IntArray
) -> RetrievedDuplicates:
    repeat_ranks_by_question = {number: tuple(ranks) for number, ranks in stored_duplicates.places}
    rankings_with_repeats_last = (
        _array_of_floats(stored_duplicates.ranked, (len(repeat_ranks_by_question), -1), "repeats").astype(np.intp)
        if repeat_ranks_by_question
        else np.zeros((0, 0), np.intp)
    )
    for stored_numbers_to_check, existing_item_count, numbered_item_noun in (
        ([*repeat_ranks_by_question], excerpt_lengths.shape[1], "questions"),
        (rankings_with_repeats_last.ravel().tolist(), chunk_count, "chunks"),
    ):
        if (
            stored_numbers_to_check
            and not 0 <= min(stored_numbers_to_check) <= max(stored_numbers_to_check) < existing_item_count
        ):
            raise InputError(
                f"The stored evaluation must refer only to its own {existing_item_count:,} {numbered_item_noun}; it refers "
                "to others. Run the evaluation again."
            )
    results_with_repeats_last = tuple(
        _restored_budget_results(stored_at, excerpt_lengths[:, [*repeat_ranks_by_question]])
        for stored_at in stored_duplicates.at
    )
    return RetrievedDuplicates(
        stored_duplicates.near,
        stored_duplicates.groups,
        repeat_ranks_by_question,
        rankings_with_repeats_last,
        results_with_repeats_last,
    )


def _array_of_counts(nested_length_lists: Sequence[object], shape: tuple[int, ...], name: str) -> IntArray:
    """Return nested lists of lengths as an array; raises InputError as `_array_of_floats` does, and if one is below 0."""
    stored_length_array = _array_of_floats(nested_length_lists, shape, name)
    if stored_length_array.size and stored_length_array.min() < 0:
        raise InputError(
            f"The stored evaluation must have no negative numbers in {name}; it has some. Run the evaluation again."
        )
    return stored_length_array.astype(np.intp)


def _array_of_floats(nested_lists: Sequence[object], shape: tuple[int, ...], name: str) -> FloatArray:
    """Return nested lists as an array, null as NaN; -1 in the ``shape`` is any length.

    Raises
    ------
    InputError
        If they have another shape.
    """
    try:
        nested_lists_array = np.array(nested_lists, dtype=np.float64)
    except ValueError:
        nested_lists_array = np.empty(0)
    if nested_lists_array.ndim != len(shape) or any(
        want not in (-1, have) for want, have in zip(shape, nested_lists_array.shape, strict=True)
    ):
        expected_shape_phrase = " × ".join("any" if length < 0 else f"{length:,}" for length in shape)
        raise InputError(
            f"The stored evaluation must have {name} of the shape {expected_shape_phrase}; the shape differs. Run the "
            "evaluation again."
        )
    return nested_lists_array
