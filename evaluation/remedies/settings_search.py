"""Search of a grid of settings for the smallest changes to a column that reach a goal, and what else they change."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from chunkers import Cancelled, Chunker, Chunking, Embedder, InputError, Tools, Watcher, build_chunker
from chunkers.contract import FieldSpec, run_and_time_chunker
from chunkers.recipes import CHUNKERS
from chunkers.results import EmbeddedAs
from chunkers.support import VectorArray, format_number, raise_if_cancelled
from evaluation.questions import AnyRuler
from evaluation.retrieval import Limit, chunk_lengths
from evaluation.retrieval.asked_question import (
    AskedQuestion,
    PosedQuestion,
    build_search_index_of_text,
    judge_retrieval,
    retrieve_for_question,
)
from evaluation.search import Index, Reranker, SearchMethod
from evaluation.segmentation import count_found_missed_added, cut_offsets

# Settings that are tried: near the column's own parameters, and a few other chunkers.


SLIDER_STEP_COUNTS = (1, 2, 4, 8, 16, 32, 64)
"""Distances from a parameter's value, in steps of its slider, in both directions."""

VALUE_FACTORS = (1 / 2, 2 / 3, 4 / 5, 5 / 4, 3 / 2, 2)
"""Multiples of an optional number that is set."""

TRIED_SIZES: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    "min_size": {
        "characters": (100, 200, 400, 800),
        "words": (20, 40, 80, 160),
        "tokens": (25, 50, 100, 200),
        "sentences": (2, 3, 4, 6),
    },
    "max_size": {
        "characters": (500, 1000, 2000, 4000),
        "words": (100, 200, 400, 800),
        "tokens": (100, 200, 400, 800),
        "sentences": (4, 8, 12, 20),
    },
}
"""Bounds of a chunk that are tried where there is none, by parameter and unit."""

UNVARIED_PARAMETERS = frozenset({"unit", "size_unit", "seed"})
"""Parameters that stay: another unit changes what a size means, and another seed is only another draw."""

OTHER_CHUNKER_SETTINGS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    *(
        (f"{size} sentences" + f", overlap {overlap}" * (overlap > 0), "fixed_sentences", {"size": size, "overlap": overlap})
        for size in (3, 5, 8)
        for overlap in (0, 1, 2)
    ),
    *(
        (f"Recursive {size}" + suffix, "recursive", {"size": size, "overlap": overlap, "unit": "tokens"})
        for size in (100, 200, 400)
        for overlap, suffix in ((0, " tokens"), (size // 4, f", overlap {size // 4}"))
    ),
    *((f"Structure {size} tokens", "structure", {"max_size": size}) for size in (100, 200, 300, 400)),
    *((f"Breakpoint {amount:g} %", "breakpoint", {"amount": amount}) for amount in (50.0, 70.0, 80.0, 90.0, 95.0)),
    *((f"Double pass merging {cosine}", "double_pass", {"merging_threshold": cosine}) for cosine in (0.1, 0.2, 0.3)),
    *((f"Target size {size} tokens", "target_size", {"size": size, "buffer": 0}) for size in (100, 200, 400)),
    *((f"Change points, {caution}", "change_point", {"caution": caution}) for caution in ("eager", "balanced", "cautious")),
)
"""Other chunkers: in words, by name, and with the parameters that are set; the rest have the embedder's defaults."""


class Variation(NamedTuple):
    """Chunker with changed settings, to be tried as a remedy.

    Attributes
    ----------
    kind
        Name of the changed parameter, or of the other chunker.
    words
        The change in words.
    """

    kind: str
    words: str
    chunker: Chunker


def setting_variations(chunker: Chunker, embedder: Embedder | None = None) -> list[Variation]:
    """Return all alternative settings of a chunker to try as remedies, without duplicates.

    Each setting changes a single parameter: a number by `SLIDER_STEP_COUNTS`, an optional number by `VALUE_FACTORS` or to
    one of `TRIED_SIZES`, and a choice to each other option. Only built-in chunkers that call no language model are varied.
    The chunkers of `OTHER_CHUNKER_SETTINGS` are tried too, except the chunker itself and, without an embedder, those that
    embed.
    """
    distinct_variations: list[Variation] = []
    seen_settings_keys = {_settings_key(chunker)}
    for variation in (*_parameter_variations(chunker), *_other_chunker_variations(chunker, embedder)):
        if (settings_key := _settings_key(variation.chunker)) not in seen_settings_keys:
            seen_settings_keys.add(settings_key)
            distinct_variations.append(variation)
    return distinct_variations


def _settings_key(chunker: Chunker) -> tuple[str, str]:
    return chunker.name, chunker.model_dump_json()


def _parameter_variations(chunker: Chunker) -> Iterator[Variation]:
    if type(chunker) is not CHUNKERS.get(chunker.name):
        return
    value_by_name = chunker.model_dump()
    parameter_specs = type(chunker).fields(value_by_name)
    idle_parameter_names = chunker.idle()
    for parameter_spec in parameter_specs:
        if parameter_spec.name in UNVARIED_PARAMETERS or parameter_spec.name in idle_parameter_names:
            continue
        # The amount of one threshold means nothing to another.
        names_depending_on_parameter = {
            other_spec.name for other_spec in parameter_specs if other_spec.depends == parameter_spec.name
        }
        unaffected_values_by_name = {
            name: value for name, value in value_by_name.items() if name not in names_depending_on_parameter
        }
        for alternative_value in _alternative_values(parameter_spec, value_by_name):
            try:
                chunker_with_changed_parameter = type(chunker).build(
                    **{**unaffected_values_by_name, parameter_spec.name: alternative_value}
                )
            except InputError:
                continue
            yield Variation(
                parameter_spec.name,
                _variation_phrase(parameter_spec, alternative_value, value_by_name),
                chunker_with_changed_parameter,
            )


def _alternative_values(parameter_spec: FieldSpec, value_by_parameter: Mapping[str, Any]) -> Iterable[Any]:
    """Return the alternative values to try for a parameter."""
    current_parameter_value = value_by_parameter[parameter_spec.name]
    if parameter_spec.kind == "choice":
        return [word for word in parameter_spec.choices if word != current_parameter_value]
    number_type = int if parameter_spec.kind == "integer" else float
    if parameter_spec.optional and current_parameter_value is None:
        return TRIED_SIZES.get(parameter_spec.name, {}).get(_parameter_unit(parameter_spec, value_by_parameter), ())
    if parameter_spec.optional:
        return [
            *sorted(
                {number_type(round(current_parameter_value * factor, 6)) for factor in VALUE_FACTORS}
                - {current_parameter_value}
            ),
            None,
        ]
    lowest_value, highest_value = parameter_spec.offered or (parameter_spec.low, parameter_spec.high)
    parameter_step_size = parameter_spec.step or 1
    stepped_parameter_values = [
        number_type(round(current_parameter_value + sign * count * parameter_step_size, 6))
        for count in SLIDER_STEP_COUNTS
        for sign in (-1, 1)
    ]
    return [
        stop
        for stop in stepped_parameter_values
        if (lowest_value is None or stop >= min(lowest_value, current_parameter_value))
        and (highest_value is None or stop <= max(highest_value, current_parameter_value))
    ]


def _parameter_unit(parameter_spec: FieldSpec, value_by_parameter: Mapping[str, Any]) -> str:
    return parameter_spec.unit or str(
        value_by_parameter.get("size_unit" if parameter_spec.name in TRIED_SIZES else "unit", "")
    )


def _variation_phrase(parameter_spec: FieldSpec, value: Any, current_value_by_parameter: Mapping[str, Any]) -> str:
    lowercase_parameter_title = (parameter_spec.title[0].lower() + parameter_spec.title[1:]).removesuffix(" of distance")
    if value is None:
        return f"no {lowercase_parameter_title}"
    if parameter_spec.kind == "choice":
        return f"{lowercase_parameter_title} {str(value).replace('_', ' ')}"
    unit_word = _parameter_unit(parameter_spec, current_value_by_parameter)
    if unit_word == "cosine" or unit_word in lowercase_parameter_title:
        unit_word = ""
    formatted_value = f"{value:,}" if isinstance(value, int) else format_number(value)
    return (
        f"{lowercase_parameter_title} {formatted_value} {unit_word if value != 1 else unit_word.removesuffix('s')}".strip()
    )


def _other_chunker_variations(chunker: Chunker, embedder: Embedder | None) -> Iterator[Variation]:
    for settings_phrase, chunker_name, parameters in OTHER_CHUNKER_SETTINGS:
        alternative_chunker = build_chunker(chunker_name, parameters, embedder)
        if chunker_name != chunker.name and (embedder is not None or not alternative_chunker.embeds):
            yield Variation(chunker_name, settings_phrase, alternative_chunker)


# Trials of these settings, and the remedies among them.


MOST_REMEDIES = 3
"""Maximum number of remedies for one problem, each of another kind."""

KeptResult = TypeVar("KeptResult")


@dataclass(frozen=True, eq=False)
class ProblemColumn:
    """Chunker's result with a problem, and the questions and known boundaries that a remedy may affect.

    Attributes
    ----------
    method, limit, embedded_as
        Search method, retrieval limit and text to embed for questions.
    other_questions
        Other questions about the text, whose answers a change may make whole or split.
    known
        The known boundaries, in code points; None if the text has none.
    """

    chunker: Chunker
    chunking: Chunking
    method: SearchMethod
    limit: Limit
    embedded_as: EmbeddedAs = "plain"
    other_questions: tuple[PosedQuestion, ...] = ()
    known: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class Trial(Generic[KeptResult]):
    """Alternative chunker setting that was tried, with the data kept of its result.

    Attributes
    ----------
    kept_result
        Data that decides whether the goal is reached; None if the goal cannot be reached or the text is not cut at all.
    changed
        Number of positions where a chunk begins or ends in only one of the two results.
    """

    variation: Variation
    kept_result: KeptResult | None
    changed: int


@dataclass(frozen=True)
class Remedy:
    """Chunker setting that solves the problem, with its side effects.

    Attributes
    ----------
    changed
        As in `Trial`.
    chunks, tokens
        Number of chunks, and median number of tokens per chunk.
    other_question_count, won_answer_count, lost
        Number of other questions, number of answers that become whole, and number of answers that are no longer whole.
    boundary_counts
        Numbers of known boundaries found before, found now, and in total; None if the text has none.
    findings
        Number of other suspicious cuts before and after; None if suspicious cuts are not checked.
    """

    variation: Variation
    changed: int
    chunks: int
    tokens: float
    other_question_count: int
    won_answer_count: int
    lost: int
    boundary_counts: tuple[int, int, int] | None
    findings: tuple[int, int] | None = None


@dataclass
class _CachingTools(Tools):
    """Services for many runs over one document: what each run asks for again is looked up once, and nothing is embedded."""

    sentences: Sequence[str] = ()
    vectors: VectorArray | None = None
    counts: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, tools: Tools, sentences: Sequence[str]) -> "_CachingTools":
        """Return a copy of ``tools`` that caches sentence vectors and token counts, and embeds nothing new."""
        # The progress of a single run is of no interest.
        return cls(**vars(tools) | {"watcher": Watcher(tools.cancelled, cached_only=True), "sentences": sentences})

    def embed(self, texts: Sequence[str]) -> VectorArray:
        """Return unit vectors of texts; the vectors of the document's sentences are looked up only once."""
        if texts != self.sentences:
            return super().embed(texts)
        if self.vectors is None:
            self.vectors = super().embed(texts)
        return self.vectors.copy()

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text; repeated texts are counted only once."""
        uncounted_distinct_texts = [text for text in dict.fromkeys(texts) if text not in self.counts]
        if uncounted_distinct_texts:
            self.counts.update(zip(uncounted_distinct_texts, super().count_tokens(uncounted_distinct_texts), strict=True))
        return [self.counts[text] for text in texts]


def run_trial_of_every_variation(
    problem_column: ProblemColumn, tools: Tools, select_kept_result: Callable[[Chunking], KeptResult | None]
) -> list[Trial[KeptResult]]:
    """Cut the text with every alternative setting that needs no new embeddings; return the smallest changes first.

    The size of a change is its number of changed cuts. Ties keep the order of the grid.

    Parameters
    ----------
    select_kept_result
        Returns the `Trial.kept_result` of a chunking.

    Raises
    ------
    Cancelled
        If the user asked to stop.
    """
    document = problem_column.chunking.document
    chunker_setting_variations = setting_variations(problem_column.chunker, tools.embedder)
    caching_embedding_tools = _CachingTools.of(tools, document.sentence_texts)
    current_span_edges = _span_edges_of_chunking(problem_column.chunking)
    variation_trials = []
    for variation_index, variation in enumerate(chunker_setting_variations):
        tools.decided(variation_index, len(chunker_setting_variations))
        try:
            variation_chunking = run_and_time_chunker(variation.chunker, document, caching_embedding_tools)
        except (Cancelled, InputError):
            # The next step raises it again if it was the user who asked to stop.
            continue
        result_kept_from_trial = select_kept_result(variation_chunking) if len(variation_chunking.chunks) > 1 else None
        variation_trials.append(
            Trial(variation, result_kept_from_trial, len(current_span_edges ^ _span_edges_of_chunking(variation_chunking)))
        )
    return sorted(variation_trials, key=lambda trial: trial.changed)


def _span_edges_of_chunking(chunking: Chunking) -> set[tuple[bool, int]]:
    """Return the places where spans begin and where they end."""
    return {
        (ends, place)
        for chunk in chunking.chunks
        for span in chunk.spans
        for ends, place in ((False, span.start), (True, span.end))
    }


def yield_smallest_solution_per_kind(
    trials: Sequence[Trial[KeptResult]], solves_problem: Callable[[KeptResult], bool], tools: Tools
) -> Iterator[tuple[Trial[KeptResult], KeptResult]]:
    """Yield the trials that solve the problem with the smallest changes, one of each kind.

    There are at most `MOST_REMEDIES` of them.

    Parameters
    ----------
    trials
        The result of `run_trial_of_every_variation`.
    solves_problem
        Returns whether the goal is reached.

    Raises
    ------
    Cancelled
        If the user asked to stop.
    """
    variation_kinds_with_solution: set[str] = set()
    for trial in trials:
        if trial.kept_result is None or trial.variation.kind in variation_kinds_with_solution:
            continue
        raise_if_cancelled(tools.cancelled)
        if solves_problem(trial.kept_result):
            variation_kinds_with_solution.add(trial.variation.kind)
            yield trial, trial.kept_result
            if len(variation_kinds_with_solution) == MOST_REMEDIES:
                return


class QuestionRetrieval:
    """Retrieval for questions about a text, from a chunker's current chunks or from alternative chunks."""

    def __init__(self, column: ProblemColumn, tools: Tools, ruler: AnyRuler, reranker: Reranker | None) -> None:
        self.column, self.tools, self.ruler, self.reranker = column, tools, ruler, reranker
        self._retrieval_by_question: dict[PosedQuestion, AskedQuestion] = {}

    @cached_property
    def current_search_index(self) -> Index:
        """Current chunks, prepared for search."""
        return self.index_chunks(self.column.chunking)

    def index_chunks(self, chunking: Chunking) -> Index:
        """Return alternative chunks, prepared for search by the current search method."""
        return build_search_index_of_text(chunking, self.tools, self.column.method, self.column.embedded_as)

    def _retrieve(self, index: Index, question: str, retrieval_limit: Limit) -> AskedQuestion:
        return retrieve_for_question(index, question, self.tools, retrieval_limit, self.ruler, self.reranker)

    def current_retrieval(self, posed_question: PosedQuestion) -> AskedQuestion:
        """Return the ranking of the current chunks for a question, and the chunks retrieved."""
        if posed_question not in self._retrieval_by_question:
            self._retrieval_by_question[posed_question] = self._retrieve(
                self.current_search_index, posed_question.question, self.column.limit
            )
        return self._retrieval_by_question[posed_question]

    def is_whole(self, index: Index, posed_question: PosedQuestion) -> bool:
        """Return whether a retrieved alternative chunk contains the whole answer, within the current limit.

        If the limit is a number of chunks, the answer must also be whole within the number of tokens retrieved now.
        """
        column_retrieval_limit = self.column.limit
        if (
            judge_retrieval(
                self._retrieve(index, posed_question.question, column_retrieval_limit), posed_question.answer
            ).fate
            != "whole"
        ):
            return False
        if not column_retrieval_limit.top:
            return True
        currently_retrieved_token_count = self.current_retrieval(posed_question).tokens
        return (
            currently_retrieved_token_count > 0
            and judge_retrieval(
                self._retrieve(index, posed_question.question, Limit(budget=currently_retrieved_token_count)),
                posed_question.answer,
            ).fate
            == "whole"
        )

    def build_remedy_with_side_effects(
        self, trial: Trial[KeptResult], chunking: Chunking, finding_counts_before_after: tuple[int, int] | None = None
    ) -> Remedy:
        """Return a successful trial as a remedy, with its effects on other questions and on known boundaries."""
        column_to_remedy = self.column
        whole_flags_before = [
            judge_retrieval(self.current_retrieval(other), other.answer).fate == "whole"
            for other in column_to_remedy.other_questions
        ]
        remedy_search_index = self.index_chunks(chunking) if column_to_remedy.other_questions else None
        whole_flags_after = [
            remedy_search_index is not None and self.is_whole(remedy_search_index, other)
            for other in column_to_remedy.other_questions
        ]
        whole_before_after_pairs = [*zip(whole_flags_before, whole_flags_after, strict=True)]
        before_after_known_boundary_counts = None
        if column_to_remedy.known:
            found_boundary_counts = [
                count_found_missed_added(cut_offsets(variant), column_to_remedy.known)[0]
                for variant in (column_to_remedy.chunking, chunking)
            ]
            before_after_known_boundary_counts = (
                found_boundary_counts[0],
                found_boundary_counts[1],
                len(column_to_remedy.known),
            )
        return Remedy(
            trial.variation,
            trial.changed,
            len(chunking.chunks),
            float(np.median(chunk_lengths([chunk.spans for chunk in chunking.chunks], self.ruler))),
            len(whole_before_after_pairs),
            whole_before_after_pairs.count((False, True)),
            whole_before_after_pairs.count((True, False)),
            before_after_known_boundary_counts,
            finding_counts_before_after,
        )
