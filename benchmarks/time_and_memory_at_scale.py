"""Time and memory at scale: optimal partition, 10 MB of text, 5 MB compared with others, clustering of 5,000 sentences."""

import gc
import json
import re
import time
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count as counting
from pathlib import Path

import numpy as np
import numpy.typing as npt
from langchain_text_splitters import RecursiveCharacterTextSplitter, TokenTextSplitter
from markdown_it import MarkdownIt
from sentencex import get_sentence_boundaries

from benchmarks.harness import (
    Quartiles,
    build_function_adding_option,
    call_in_new_process,
    command_line_decorator_for_main,
    markdown_table,
    peak_kib,
    point_tiktoken_at_llama_index_files,
    seconds_and_result_of_call,
)
from benchmarks.other_library_adapters import CountingEncoder, cut_with_langchain_breakpoint
from chunkers import (
    Document,
    Embedder,
    EmbeddingCache,
    Tools,
    build_chunker,
    chunk,
    load_embedder,
    load_tokenizer,
    run_chunker,
)
from chunkers.building_blocks.clustering import MOST_SENTENCES
from chunkers.building_blocks.recursive_splitting import SEPARATORS_BY_PRESET, recursive_spans
from chunkers.methods import PartitionTable, rewards_of_runs
from chunkers.text import WordPieceTokenizer, split_into_sentence_spans
from sample_docs import load_sample

PIECE_COUNTS = (1_000, 4_000, 16_000, 64_000)
MAX_PIECES_PER_CHUNK = 8
"""Most pieces in a chunk: 400 tokens in pieces of 50."""

Floats = npt.NDArray[np.float32]


class RandomEmbedder(Embedder):
    """An embedder that returns random unit vectors immediately, so that only the decision is timed."""

    name = "random"
    revision = "1"
    batch = 100_000

    def ensure_loaded(self) -> None:
        """Do nothing; there is no model."""

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return random unit vectors, regardless of the texts."""
        return unit_vectors(len(texts))


def unit_vectors(count: int) -> Floats:
    """Return random unit vectors whose mean similarity is about 0.25, shape (count, 384)."""
    vectors = np.random.default_rng(0).normal(0.6, 1.0, size=(count, 384)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def optimal_partition_cuts(vectors: Floats) -> list[int]:
    """Return the cuts of the optimal partition."""
    return list(PartitionTable.from_rewards(rewards_of_runs(vectors, MAX_PIECES_PER_CHUNK)).cuts().tolist())


def optimal_cuts_after_computing_gains(vectors: Floats) -> list[int]:
    """Return the cuts of the optimal partition, after computing the gain of every cut."""
    partition_table = PartitionTable.from_rewards(rewards_of_runs(vectors, MAX_PIECES_PER_CHUNK))
    partition_table.cut_gain_before_each_piece()
    return list(partition_table.cuts().tolist())


def double_loop_cuts(vectors: Floats) -> list[int]:
    """Return the cuts by the published algorithm, which sums the matrix of all pairs for every run."""
    similarity_matrix = vectors @ vectors.T
    similarity_matrix = similarity_matrix - similarity_matrix[np.triu_indices(len(similarity_matrix), k=1)].mean()
    np.fill_diagonal(similarity_matrix, 0)
    best_reward_by_end = np.zeros(len(similarity_matrix))
    best_start_by_end = np.zeros(len(similarity_matrix), dtype=int)
    for last_piece_index in range(len(similarity_matrix)):
        for chunk_piece_count in range(1, min(MAX_PIECES_PER_CHUNK, last_piece_index + 1) + 1):
            first_piece_index = last_piece_index - chunk_piece_count + 1
            reward = np.sum(
                similarity_matrix[first_piece_index : last_piece_index + 1, first_piece_index : last_piece_index + 1]
            )
            if first_piece_index > 0:
                reward += best_reward_by_end[first_piece_index - 1]
            if reward > best_reward_by_end[last_piece_index] or chunk_piece_count == 1:
                best_reward_by_end[last_piece_index], best_start_by_end[last_piece_index] = reward, first_piece_index
    cuts = []
    chunk_start = int(best_start_by_end[-1])
    while chunk_start > 0:
        cuts.append(chunk_start)
        chunk_start = int(best_start_by_end[chunk_start - 1])
    return cuts[::-1]


def measure_optimal(repeat_count: int) -> None:
    """Print how the decision time grows with the number of pieces, and how it compares with the double loop."""
    rows = []
    for piece_count in PIECE_COUNTS:
        vectors = unit_vectors(piece_count)
        partition_seconds_by_repeat = [
            seconds_and_result_of_call(partial(optimal_partition_cuts, vectors))[0] for _ in range(repeat_count * 5)
        ]
        tracemalloc.start()
        optimal_cuts_after_computing_gains(vectors)
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        seconds_with_gains = [
            seconds_and_result_of_call(lambda: optimal_cuts_after_computing_gains(vectors))[0]  # noqa: B023
            for _ in range(repeat_count)
        ]
        partition_time_spread = Quartiles.from_values(1000 * second for second in partition_seconds_by_repeat)
        rows.append(
            [
                f"{piece_count:,}",
                partition_time_spread.format_median_and_quartiles(),
                f"{1000 * partition_time_spread.median / piece_count:.2f}",
                Quartiles.from_values(1000 * second for second in seconds_with_gains).format_median_and_quartiles(),
                f"{peak:,.1f}",
            ]
        )
    print(markdown_table(["optimal, pieces", "partition, ms", "µs a piece", "with gains, ms", "peak, MB"], rows))
    vectors = unit_vectors(2_000)
    assert optimal_partition_cuts(vectors) == double_loop_cuts(vectors)
    double_loop_seconds = [seconds_and_result_of_call(lambda: double_loop_cuts(vectors))[0] for _ in range(repeat_count * 3)]
    partition_seconds = [
        seconds_and_result_of_call(partial(optimal_partition_cuts, vectors))[0] for _ in range(repeat_count * 3)
    ]
    partition_and_gains_seconds = [
        seconds_and_result_of_call(lambda: optimal_cuts_after_computing_gains(vectors))[0] for _ in range(repeat_count * 3)
    ]
    print("\n2,000 pieces, the published double loop against the same partition here:")
    for work_description, partition_seconds_by_repeat in (
        ("partition", partition_seconds),
        ("partition and the gain of every cut", partition_and_gains_seconds),
    ):
        speed_ratio_spread = Quartiles.from_values(
            their / our for their, our in zip(double_loop_seconds, partition_seconds_by_repeat, strict=True)
        )
        print(
            f"- {work_description}: {1000 * np.median(double_loop_seconds):.1f} ms / "
            f"{1000 * np.median(partition_seconds_by_repeat):.2f} ms, "
            f"{speed_ratio_spread.format_median_and_quartiles()} times faster"
        )


def repeated_essay(characters: int) -> str:
    """Return the essay repeated to ``characters`` characters, each time under another heading."""
    essay = load_sample("essay").text
    copy_count = -(-characters // len(essay))
    return "\n\n".join(f"Part {number}. {essay}" for number in range(copy_count))[:characters]


def time_non_embedding_chunkers(text: str, repeat_count: int) -> None:
    """Print the speed of the chunkers that embed nothing, compared with LangChain's."""
    point_tiktoken_at_llama_index_files()
    timed_document = Document.from_text(text, "regex")
    tools = Tools(None, load_tokenizer("cl100k_base"))
    tools.token_starts("Load the table.")
    langchain_token_splitter = TokenTextSplitter(encoding_name="cl100k_base", chunk_size=80, chunk_overlap=0)
    langchain_recursive_splitter = RecursiveCharacterTextSplitter(
        separators=SEPARATORS_BY_PRESET["chroma"][0], chunk_size=200, chunk_overlap=0
    )

    def chunker_call(name: str) -> Callable[[], object]:
        return lambda: run_chunker(build_chunker(name, {}), timed_document, tools)

    timed_races: list[tuple[str, Callable[[], object], Callable[[], object] | None]] = [
        ("fixed_words", chunker_call("fixed_words"), None),
        ("fixed_characters", chunker_call("fixed_characters"), None),
        (
            "fixed_tokens / TokenTextSplitter",
            chunker_call("fixed_tokens"),
            lambda: langchain_token_splitter.split_text(text),
        ),
        (
            "recursive, exact offsets / RecursiveCharacterTextSplitter",
            lambda: recursive_spans(text, 200, 0, len, "chroma"),
            lambda: langchain_recursive_splitter.split_text(text),
        ),
        (
            "recursive, chunks / RecursiveCharacterTextSplitter",
            chunker_call("recursive"),
            lambda: langchain_recursive_splitter.split_text(text),
        ),
    ]
    rows = []
    for title, run_ours, run_langchain_splitter in timed_races:
        seconds_pairs = [
            (
                seconds_and_result_of_call(run_ours)[0],
                seconds_and_result_of_call(run_langchain_splitter)[0] if run_langchain_splitter else np.nan,
            )
            for _ in range(repeat_count + 1)
        ][1:]
        our_milliseconds_spread = Quartiles.from_values(1000 * mine for mine, _ in seconds_pairs)
        time_ratio_spread = Quartiles.from_values(mine / other for mine, other in seconds_pairs)
        rows.append(
            [
                title,
                our_milliseconds_spread.format_median_and_quartiles(),
                f"{len(text) / 1e3 / our_milliseconds_spread.median:.1f}",
                f"{1000 * np.median([other for _, other in seconds_pairs]):,.0f}" if run_langchain_splitter else "",
                time_ratio_spread.format_median_and_quartiles() if run_langchain_splitter else "",
            ]
        )
    print(f"\n{len(text):,} characters, {len(timed_document.sentences):,} sentences, split before the clock starts:")
    print(markdown_table(["ours / reference", "ours, ms", "MB/s", "reference, ms", "time of the reference's"], rows))


MINIMUM_RELATIVE_SPEEDS = {"recursive": 0.5, "structure": 1 / 1.5, "breakpoint": 0.8, "sentencex": 0.5}
"""The minimum speed relative to the tool that a chunker is compared with."""


def text_as_markdown(text: str) -> str:
    """Return the text as Markdown, with a heading before every fifth paragraph and a list after it.

    Sentences are numbered to be distinct, since tokens and vectors of repeated ones would be computed only once.
    """
    sentence_number_counter = counting()
    text_with_numbered_sentences = re.sub(
        r"(?<=[.?!])\s(?=[A-Z])", lambda space: f"{space[0]}In {next(sentence_number_counter)} ", text
    )
    paragraphs = re.split(r"\n\s*\n", text_with_numbered_sentences)
    for paragraph_index in range(0, len(paragraphs), 5):
        paragraphs[paragraph_index] = f"## Part {paragraph_index}\n\n{paragraphs[paragraph_index]}"
        if paragraph_index + 1 < len(paragraphs):
            paragraphs[paragraph_index + 1] = "- " + paragraphs[paragraph_index + 1].replace(". ", ".\n- ")
    return "\n\n".join(paragraphs)


def time_against_other_libraries(text: str, repeat_count: int) -> bool:
    """Print the speed of chunkers and the splitter relative to other code that does the same work or a part of it.

    Return whether the medians reach `MINIMUM_RELATIVE_SPEEDS`.
    """
    recursive_splitter = RecursiveCharacterTextSplitter(
        separators=SEPARATORS_BY_PRESET["chroma"][0], chunk_size=200, chunk_overlap=0
    )
    markdown_parser = MarkdownIt("commonmark").enable("table")
    static_embedder = load_embedder("static")
    static_embedder.encode(["Load the model."])
    # Longer than every paragraph, so that no block is cut.
    longest_paragraph_token_count = max(WordPieceTokenizer().count(re.split(r"\n\s*\n", text)))

    def cut_by_structure() -> object:
        tools = Tools(None, WordPieceTokenizer())
        return run_chunker(
            build_chunker("structure", {"max_size": longest_paragraph_token_count}), Document.from_text(text), tools
        )

    def parse_and_count_tokens() -> object:
        return markdown_parser.block.parse(text, markdown_parser, {}, []), WordPieceTokenizer().count([text])

    def cut_by_meaning() -> object:
        tools = Tools(static_embedder, WordPieceTokenizer(), EmbeddingCache())
        return run_chunker(build_chunker("breakpoint", {"buffer": 1}), Document.from_text(text, "regex"), tools)

    def cut_by_langchain() -> object:
        return cut_with_langchain_breakpoint(
            text, CountingEncoder(static_embedder), neighbouring_sentence_count=1, percentile=95
        )

    timed_races: list[tuple[str, str, Callable[[], object], Callable[[], object]]] = [
        ("recursive", "LangChain's", lambda: chunk(text, "recursive"), lambda: recursive_splitter.split_text(text)),
        ("structure", "parsing, and counting tokens once", cut_by_structure, parse_and_count_tokens),
        ("breakpoint", "LangChain's with the same vectors", cut_by_meaning, cut_by_langchain),
        (
            "sentencex",
            "sentencex alone",
            lambda: split_into_sentence_spans(text, "sentencex:en"),
            lambda: get_sentence_boundaries("en", text),
        ),
    ]
    rows, are_floors_reached = [], True
    for name, reference_name, run_ours, run_reference in timed_races:
        run_ours()
        # The collector would look through what the races before have left in caches.
        gc.collect()
        gc.freeze()
        processor_time_pairs = [
            (processor_seconds_of_call(run_ours), processor_seconds_of_call(run_reference)) for _ in range(repeat_count)
        ]
        our_milliseconds_spread = Quartiles.from_values(1000 * mine for mine, _ in processor_time_pairs)
        speed_ratio_spread = Quartiles.from_values(reference / mine for mine, reference in processor_time_pairs)
        rows.append(
            [
                f"{name} / {reference_name}",
                our_milliseconds_spread.format_median_and_quartiles(),
                speed_ratio_spread.format_median_and_quartiles(),
                f"{MINIMUM_RELATIVE_SPEEDS[name]:.2f}",
            ]
        )
        are_floors_reached = are_floors_reached and speed_ratio_spread.median >= MINIMUM_RELATIVE_SPEEDS[name]
    print(f"\n{len(text):,} characters of Markdown, processor time:")
    print(markdown_table(["ours / reference", "ours, ms", "speed, of the reference's", "at least"], rows))
    return are_floors_reached


def processor_seconds_of_call(call: Callable[[], object]) -> float:
    """Return the processor seconds that a call takes."""
    began = time.process_time()
    call()
    return time.process_time() - began


CLUSTERINGS: tuple[tuple[str, dict[str, object]], ...] = (
    ("single_linkage", {}),
    ("single_linkage", {"max_distance": 1.0, "chunks": 1}),
    ("dbscan", {}),
    ("dbscan", {"eps": 1.0}),
)


def clustering_seconds_and_memory(name: str, parameters: dict[str, object], count: int) -> tuple[float, float]:
    """Return the seconds of the decision on ``count`` sentences, and the peak memory of this process in MB."""
    document = Document.from_text("\n".join(f"Sentence {number}." for number in range(count)), "lines")
    chunking = run_chunker(build_chunker(name, parameters), document, Tools(RandomEmbedder(), load_tokenizer("words")))
    assert chunking.timing is not None
    return chunking.timing.decide_ms / 1000, peak_kib() / 1024


def measure_clustering(counts: Sequence[int]) -> None:
    """Print the time and memory of the chunkers that compare all pairs of sentences, each in its own process."""
    rows = []
    for count in counts:
        for name, parameters in CLUSTERINGS:
            seconds, memory = call_in_new_process(clustering_seconds_and_memory, name, parameters, count)
            settings = json.dumps(parameters) if parameters else "defaults"
            rows.append([f"{name}, {settings}", f"{count:,}", f"{seconds:.1f}", f"{memory:,.0f}"])
    print()
    print(markdown_table(["clustering", "sentences", "decide, s", "peak of the process, MB"], rows))


@command_line_decorator_for_main(
    build_function_adding_option(
        "--repeats",
        dest="repeat_count",
        type=int,
        default=3,
        metavar="N",
        help="how often everything is measured (default: 3)",
    ),
    build_function_adding_option(
        "--text",
        dest="text_path",
        type=Path,
        metavar="FILE",
        help="a text in UTF-8, in place of 10 MB and of 5,000 sentences to cluster",
    ),
)
def main(repeat_count: int, text_path: Path | None) -> int:
    """Run all measurements; return 1 if a speed is below its floor."""
    # The collector would look through the libraries that are imported here for comparison alone.
    gc.freeze()
    whole_text = text_path.read_text(encoding="utf-8") if text_path else repeated_essay(10_000_000)
    sentence_counts = [len(Document.from_text(whole_text, "regex").sentences)] if text_path else [5_000, MOST_SENTENCES]
    measure_optimal(repeat_count)
    time_non_embedding_chunkers(whole_text, repeat_count)
    are_floors_reached = time_against_other_libraries(text_as_markdown(whole_text[:5_000_000]), repeat_count)
    measure_clustering(sentence_counts)
    return 0 if are_floors_reached else 1


if __name__ == "__main__":
    raise SystemExit(main())
