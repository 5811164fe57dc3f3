"""False cuts of `change_point` in texts of independent sentences, as texts grow, and the time of the decision.

The sentences of a text share a mean vector, as those of a document do, and nothing else, so every cut is false. The vectors
are simulated; nothing is embedded.
"""

import math
import statistics
import time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.harness import (
    build_function_adding_option,
    command_line_decorator_for_main,
    markdown_table,
    parse_comma_separated_numbers,
)
from benchmarks.scaling import VECTOR_DIMENSION, PreparedEmbedder
from chunkers import Document, Tools, build_chunker, load_tokenizer, run_chunker
from chunkers.building_blocks.change_point_search import best_cuts_with_fixed_penalty, least_penalty_without_cuts
from chunkers.building_blocks.sentence_distances import MOST_SAMPLED_SENTENCES, scores_under_shuffling

TEXT_COUNT_BY_LENGTH = {50: 100, 400: 100, 1_500: 100, 5_000: 20}
"""Number of texts by number of sentences."""

MOST_FALSE_CUTS_PER_TEXT = 1.3
"""The highest allowed mean number of false cuts per text, to which two standard errors are added."""

MAX_PARAGRAPH_SENTENCES = 9
"""Most sentences of a paragraph, in texts with paragraphs."""


class FalseCuts(NamedTuple):
    """The number of false cuts in each text, and the median processor time of the decision in seconds."""

    cuts: list[int]
    seconds: float

    @property
    def mean(self) -> float:
        """The mean number of false cuts per text."""
        return statistics.fmean(self.cuts)

    @property
    def error(self) -> float:
        """The standard error of the mean; NaN for a single text."""
        return statistics.stdev(self.cuts) / math.sqrt(len(self.cuts)) if len(self.cuts) > 1 else math.nan

    @property
    def exceeds_limit(self) -> bool:
        """True if there are more false cuts than allowed."""
        return self.mean > MOST_FALSE_CUTS_PER_TEXT + 2 * (0 if math.isnan(self.error) else self.error)

    def __str__(self) -> str:
        """Return the mean with its standard error."""
        return f"{self.mean:.2f} ± {self.error:.2f}"


def independent_vectors(count: int, random: np.random.Generator) -> npt.NDArray[np.float32]:
    """Return unit vectors, independent except for a common mean, with a mean cosine near 0.2, shape (count, 384)."""
    # Embeddings vary in fewer directions than they have dimensions.
    scale_by_dimension = np.exp(-np.arange(VECTOR_DIMENSION) / 100)
    independent_parts, common_part = (
        random.normal(size=(count, VECTOR_DIMENSION)) * scale_by_dimension,
        random.normal(size=VECTOR_DIMENSION) * scale_by_dimension,
    )
    independent_parts /= np.linalg.norm(independent_parts, axis=1, keepdims=True)
    unnormalised_vectors = math.sqrt(0.2) * common_part / np.linalg.norm(common_part) + math.sqrt(0.8) * independent_parts
    return np.asarray(unnormalised_vectors / np.linalg.norm(unnormalised_vectors, axis=1, keepdims=True), dtype=np.float32)


def random_text_in_paragraphs(sentence_count: int, random: np.random.Generator) -> str:
    """Return a text of ``sentence_count`` sentences, one per line, in paragraphs of one to nine."""
    lines: list[str] = []
    while len(lines) < sentence_count:
        lines += [f"Sentence {len(lines) + number}." for number in range(random.integers(1, MAX_PARAGRAPH_SENTENCES + 1))]
        lines[-1] += "\n"
    return "\n".join(lines[:sentence_count])


def measure_false_cuts(sentence_count: int, text_count: int, kind_of_cut_place: str) -> FalseCuts:
    """Cut texts of independent sentences, and return the measurements."""
    chunker = build_chunker("change_point", {"cuts_at": kind_of_cut_place})
    false_cut_counts, seconds_per_text = [], []
    for seed in range(text_count):
        random = np.random.default_rng([seed, sentence_count])
        tools = Tools(PreparedEmbedder(independent_vectors(sentence_count, random)), load_tokenizer())
        document = Document.from_text(random_text_in_paragraphs(sentence_count, random), "lines")
        tools.embed(document.sentence_texts)
        cpu_seconds_before = time.process_time()
        false_cut_counts.append(len(run_chunker(chunker, document, tools)) - 1)
        seconds_per_text.append(time.process_time() - cpu_seconds_before)
    return FalseCuts(false_cut_counts, statistics.median(seconds_per_text))


def measure_with_sampled_penalty(sentence_count: int, text_count: int) -> FalseCuts:
    """Cut the same texts with a penalty estimated from 500 sentences of each shuffle, at any length."""
    false_cut_counts, seconds_per_text = [], []
    for seed in range(text_count):
        vectors = independent_vectors(sentence_count, np.random.default_rng([seed, sentence_count])).astype(np.float64)
        cpu_seconds_before = time.process_time()
        penalties_under_shuffling = scores_under_shuffling(
            vectors,
            1,
            "sample",
            lambda rows: np.array([least_penalty_without_cuts(rows, _ignore_progress)]),
            MOST_SAMPLED_SENTENCES,
        )
        false_cut_counts.append(
            len(best_cuts_with_fixed_penalty(vectors, float(penalties_under_shuffling.mean()), _ignore_progress))
        )
        seconds_per_text.append(time.process_time() - cpu_seconds_before)
    return FalseCuts(false_cut_counts, statistics.median(seconds_per_text))


def _ignore_progress(done_count: int, compared: int) -> None:
    """Ignore progress reports."""


@command_line_decorator_for_main(
    build_function_adding_option(
        "--sizes",
        type=parse_comma_separated_numbers,
        default=",".join(map(str, TEXT_COUNT_BY_LENGTH)),
        help="numbers of sentences, separated by commas (default: %(default)s)",
    ),
    build_function_adding_option(
        "--texts",
        dest="texts_per_size",
        type=int,
        metavar="N",
        help="texts of each size (default: 100, from 5,000 sentences on 20)",
    ),
)
def main(sizes: list[int], texts_per_size: int | None) -> int:
    """Print the table; return 1 if the false cuts exceed `MOST_FALSE_CUTS_PER_TEXT` by more than two standard errors."""
    rows, is_limit_exceeded = [], False
    for sentence_count in sizes:
        text_count = texts_per_size or TEXT_COUNT_BY_LENGTH.get(sentence_count, 20)
        false_cut_counts_anywhere, false_cut_counts_at_paragraphs = (
            measure_false_cuts(sentence_count, text_count, cuts_at) for cuts_at in ("sentences", "paragraphs")
        )
        false_cuts_with_sampled_penalty = measure_with_sampled_penalty(sentence_count, text_count)
        is_limit_exceeded |= false_cut_counts_anywhere.exceeds_limit or false_cut_counts_at_paragraphs.exceeds_limit
        row_cells = [
            f"{sentence_count:,}",
            f"{text_count}",
            str(false_cut_counts_anywhere),
            str(false_cut_counts_at_paragraphs),
            str(false_cuts_with_sampled_penalty),
        ]
        rows.append(
            [*row_cells, f"{false_cut_counts_anywhere.seconds:.2f}", f"{false_cut_counts_at_paragraphs.seconds:.2f}"]
        )
        print(
            f"{sentence_count:,} sentences: {false_cut_counts_anywhere} false cuts, at paragraphs "
            f"{false_cut_counts_at_paragraphs}.",
            flush=True,
        )
    head = [
        "sentences",
        "texts",
        "false cuts",
        "at paragraphs",
        f"penalty from {MOST_SAMPLED_SENTENCES}",
        "s",
        "s at paragraphs",
    ]
    print(markdown_table(head, rows))
    return int(is_limit_exceeded)


if __name__ == "__main__":
    raise SystemExit(main())
