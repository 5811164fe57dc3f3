"""The speed of the chunkers, stage by stage and compared with other libraries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.harness import (
    Quartiles,
    build_function_adding_option,
    command_line_decorator_for_main,
    markdown_table,
    positive_whole_number,
    print_progress,
    seconds_and_result_of_call,
)
from benchmarks.other_library_adapters import CountingEncoder, cut_with_langchain_breakpoint, cut_with_llama_index_merging
from chunkers import (
    CHUNKERS,
    Breakpoint,
    Chunker,
    Chunking,
    Document,
    DoublePass,
    Embedder,
    Timing,
    Tools,
    load_embedder,
    run_chunker,
)
from chunkers.text import WordPieceTokenizer
from sample_docs import load_sample

INITIAL_THRESHOLD, APPENDING_THRESHOLD, MERGING_THRESHOLD, MAX_SIZE = 0.4, 0.4, 0.3, 1000
"""The thresholds of the double pass and its maximum size in characters, the same on both sides."""


@dataclass(frozen=True)
class RaceOutcome:
    """The chunks' texts, and the number of texts embedded for them."""

    chunks: list[str]
    embedded: int

    def list_words_of_each_chunk(self) -> list[list[str]]:
        """Return each chunk as a list of words, since the references normalise the space between sentences."""
        return [chunk.split() for chunk in self.chunks]


OUTCOME_BEFORE_RACE = RaceOutcome([], 0)


@dataclass(frozen=True)
class Race:
    """Two implementations that compute the same chunks, to be timed.

    Attributes
    ----------
    ours, reference
        Both run once per repeat, one after the other, so that the machine is in the same state for both.
    required_ratio
        The required ratio of the reference's time to ours.
    must_be_equal
        True if the chunks must be equal.
    runs_per_repeat
        Number of our runs per repeat, if one run is too short to time; the median is used.
    """

    title: str
    ours: Callable[[], RaceOutcome]
    reference: Callable[[], RaceOutcome]
    required_ratio: float
    must_be_equal: bool
    runs_per_repeat: int = 1


@dataclass
class RaceResult:
    """The result of a race: the seconds of every repeat, and the last outcomes."""

    race: Race
    seconds: list[float]
    reference_seconds: list[float]
    outcome: RaceOutcome = OUTCOME_BEFORE_RACE
    reference_outcome: RaceOutcome = OUTCOME_BEFORE_RACE

    @property
    def ratio(self) -> Quartiles:
        """The ratio of the reference's time to ours, by repeat."""
        return Quartiles.from_values(
            theirs / ours for theirs, ours in zip(self.reference_seconds, self.seconds, strict=True)
        )

    @property
    def equal(self) -> bool:
        """True if both sides made the same chunks."""
        return self.outcome.list_words_of_each_chunk() == self.reference_outcome.list_words_of_each_chunk()

    @property
    def meets_requirements(self) -> bool:
        """True if the race reached its required ratio and, where required, made the same chunks."""
        return self.ratio.median >= self.race.required_ratio and (self.equal or not self.race.must_be_equal)


def time_chunkers_against_references(contests: Sequence[Race], repeat_count: int) -> list[RaceResult]:
    """Run all races ``repeat_count`` times, alternating the sides; references shared by races run once per repeat."""
    race_results = [RaceResult(race, [], []) for race in contests]
    for repeat_index in range(repeat_count):
        timed_outcome_by_reference: dict[Callable[[], RaceOutcome], tuple[float, RaceOutcome]] = {}
        for race_result in race_results:
            race = race_result.race
            print_progress(f"{race.title}: {repeat_index + 1} of {repeat_count}")
            our_timed_outcomes = [seconds_and_result_of_call(race.ours) for _ in range(race.runs_per_repeat)]
            race_result.seconds.append(median(took for took, _ in our_timed_outcomes))
            race_result.outcome = our_timed_outcomes[-1][1]
            if race.reference not in timed_outcome_by_reference:
                timed_outcome_by_reference[race.reference] = seconds_and_result_of_call(race.reference)
            reference_seconds, race_result.reference_outcome = timed_outcome_by_reference[race.reference]
            race_result.reference_seconds.append(reference_seconds)
    return race_results


def fresh_tools(embedder: Embedder) -> Tools:
    """Return tools without any cached embeddings or token counts."""
    return Tools(embedder, WordPieceTokenizer())


def get_timing_of_chunking(chunking: Chunking) -> Timing:
    """Return the timing that `run_chunker` always attaches."""
    assert chunking.timing is not None
    return chunking.timing


def collect_chunks_and_embedded_count(chunking: Chunking) -> RaceOutcome:
    """Return the part of a result that is compared with the reference."""
    return RaceOutcome([chunk.text for chunk in chunking.chunks], get_timing_of_chunking(chunking).embedded)


def run_chunker_with_empty_caches(chunker: Chunker, text: str, embedder: Embedder) -> RaceOutcome:
    """Split, embed and cut with empty caches; only the model is loaded."""
    return collect_chunks_and_embedded_count(run_chunker(chunker, Document.from_text(text, "regex"), fresh_tools(embedder)))


def run_reference_counting_embeddings(reference: Callable[[CountingEncoder], list[str]], embedder: Embedder) -> RaceOutcome:
    """Run a reference, and count the texts that it embeds."""
    counting_encoder = CountingEncoder(embedder)
    reference_chunk_texts = reference(counting_encoder)
    return RaceOutcome(reference_chunk_texts, counting_encoder.embedded)


def build_races(text: str, embedder: Embedder) -> list[Race]:
    """Return the races with their requirements."""

    def run_langchain_breakpoint(percentile: float) -> RaceOutcome:
        return run_reference_counting_embeddings(
            lambda encoder: cut_with_langchain_breakpoint(
                text, encoder, neighbouring_sentence_count=1, percentile=percentile
            ),
            embedder,
        )

    def run_llama_index_merging() -> RaceOutcome:
        return run_reference_counting_embeddings(
            lambda encoder: cut_with_llama_index_merging(
                text,
                encoder,
                initial=INITIAL_THRESHOLD,
                appending_threshold=APPENDING_THRESHOLD,
                merging_threshold=MERGING_THRESHOLD,
                max_chunk_characters=MAX_SIZE,
            ),
            embedder,
        )

    document, tools = Document.from_text(text, "regex"), fresh_tools(embedder)
    run_chunker(Breakpoint(buffer=1, amount=95), document, tools)

    mean_vector_double_pass_chunker, double_pass_reembedding = build_double_pass_variants()
    return [
        Race(
            "breakpoint, cold / LangChain",
            partial(run_chunker_with_empty_caches, Breakpoint(buffer=1, amount=95), text, embedder),
            partial(run_langchain_breakpoint, 95),
            required_ratio=1,
            must_be_equal=True,
        ),
        Race(
            "breakpoint, 95 to 90 / LangChain again",
            lambda: collect_chunks_and_embedded_count(run_chunker(Breakpoint(buffer=1, amount=90), document, tools)),
            partial(run_langchain_breakpoint, 90),
            required_ratio=500,
            must_be_equal=True,
            runs_per_repeat=25,
        ),
        # A mean of vectors is not the vector of the joined text, so the chunks differ on purpose.
        Race(
            "double_pass, mean, cold / LlamaIndex",
            partial(run_chunker_with_empty_caches, mean_vector_double_pass_chunker, text, embedder),
            run_llama_index_merging,
            required_ratio=8,
            must_be_equal=False,
        ),
        Race(
            "double_pass, re-embed, cold / LlamaIndex",
            partial(run_chunker_with_empty_caches, double_pass_reembedding, text, embedder),
            run_llama_index_merging,
            required_ratio=2,
            must_be_equal=True,
        ),
    ]


def build_double_pass_variants() -> tuple[DoublePass, DoublePass]:
    """Return the double pass with mean and with re-embedded group vectors, at the thresholds of the comparison."""
    double_pass_with_mean_vectors = DoublePass(
        initial_threshold=INITIAL_THRESHOLD,
        appending_threshold=APPENDING_THRESHOLD,
        merging_threshold=MERGING_THRESHOLD,
        max_size=MAX_SIZE,
        vector="mean",
    )
    return double_pass_with_mean_vectors, double_pass_with_mean_vectors.model_copy(update={"vector": "re-embed"})


def chunker_variants() -> list[tuple[str, Chunker]]:
    """Return every chunker with its defaults, and two variants for the comparison."""
    named_default_chunkers: list[tuple[str, Chunker]] = [(name, chunker()) for name, chunker in CHUNKERS.items()]
    return [
        *named_default_chunkers,
        ("breakpoint, buffer 1", Breakpoint(buffer=1)),
        ("double_pass, re-embed", build_double_pass_variants()[1]),
    ]


def stage_times_row(chunker_title: str, chunker: Chunker, text: str, embedder: Embedder, repeat_count: int) -> list[str]:
    """Return a row of the table with the time of every stage of a cold run, and of embedding with a full cache."""
    cold_timings, cached_timings, chunk_count = [], [], 0
    for repeat_index in range(repeat_count):
        print_progress(f"stages of {chunker_title}: {repeat_index + 1} of {repeat_count}")
        document, tools = Document.from_text(text, "regex"), fresh_tools(embedder)
        chunking = run_chunker(chunker, document, tools)
        chunk_count = len(chunking.chunks)
        cold_timings.append(get_timing_of_chunking(chunking))
        cached_timings.append(get_timing_of_chunking(run_chunker(chunker, document, tools)))
    stage_times_per_column = (
        [each.split_ms for each in cold_timings],
        [each.embed_ms for each in cold_timings],
        [each.embed_ms for each in cached_timings],
        [each.decide_ms for each in cold_timings],
        [each.merge_ms for each in cold_timings],
    )
    spread_phrases = [Quartiles.from_values(column).format_median_and_quartiles() for column in stage_times_per_column]
    return [chunker_title, *spread_phrases, f"{cold_timings[-1].embedded:,}", f"{chunk_count:,}"]


def race_result_row(race_result: RaceResult) -> list[str]:
    """Return the table row of a race."""
    return [
        race_result.race.title,
        Quartiles.from_values(1000 * seconds for seconds in race_result.seconds).format_median_and_quartiles(),
        Quartiles.from_values(1000 * seconds for seconds in race_result.reference_seconds).format_median_and_quartiles(),
        race_result.ratio.format_median_and_quartiles(),
        f"{race_result.race.required_ratio:g}",
        "yes" if race_result.meets_requirements else "NO",
        f"{race_result.outcome.embedded:,} / {race_result.reference_outcome.embedded:,}",
        f"{len(race_result.outcome.chunks):,} / {len(race_result.reference_outcome.chunks):,}",
        ("yes" if race_result.equal else "NO") if race_result.race.must_be_equal else "not meant",
    ]


RACE_TABLE_HEADER = (
    "ours / reference",
    "ours, ms",
    "reference, ms",
    "times faster",
    "required",
    "met",
    "texts embedded",
    "chunks",
    "equal",
)
STAGE_TABLE_HEADER = (
    "chunker",
    "split, ms",
    "embed, ms",
    "embed again, ms",
    "decide, ms",
    "merge, ms",
    "texts embedded",
    "chunks",
)


@command_line_decorator_for_main(
    build_function_adding_option(
        "--text", dest="text_path", type=Path, metavar="FILE", help="a text in UTF-8 (default: the bundled essay)"
    ),
    build_function_adding_option(
        "--repeats",
        dest="repeat_count",
        type=positive_whole_number,
        default=3,
        metavar="N",
        help="how often everything is measured (default: 3)",
    ),
)
def main(text_path: Path | None, repeat_count: int) -> int:
    """Measure, print the two tables, and return 1 if a requirement is not met."""
    text_to_cut = text_path.read_text(encoding="utf-8") if text_path else load_sample("essay").text
    embedder = load_embedder()
    for chunker in build_double_pass_variants():
        run_chunker_with_empty_caches(chunker, text_to_cut[:5000], embedder)
    document = Document.from_text(text_to_cut, "regex")
    print(f"{len(text_to_cut):,} characters, {len(document.sentences):,} sentences, {repeat_count} repeats.")
    print("Times are medians, with the quartiles in brackets.\n")
    race_results = time_chunkers_against_references(build_races(text_to_cut, embedder), repeat_count)
    print(markdown_table(RACE_TABLE_HEADER, [race_result_row(finish) for finish in race_results]), end="\n\n", flush=True)
    rows = [stage_times_row(name, chunker, text_to_cut, embedder, repeat_count) for name, chunker in chunker_variants()]
    print(markdown_table(STAGE_TABLE_HEADER, rows))
    return 0 if all(finish.meets_requirements for finish in race_results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
