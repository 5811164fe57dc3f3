"""The speed of the chunkers, stage by stage and compared with other libraries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.harness import Spread, benchmark, markdown_table, option, positive, print_progress, timed
from benchmarks.reference_chunkers import CountingEncoder, langchain_breakpoint, llama_index_double_merging
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
    run,
)
from chunkers.text import WordPieceTokenizer
from sample_docs import load_sample

INITIAL, APPENDING, MERGING, MAX_SIZE = 0.4, 0.4, 0.3, 1000
"""The thresholds of the double pass and its maximum size in characters, the same on both sides."""


@dataclass(frozen=True)
class RaceOutcome:
    """The chunks' texts, and the number of texts embedded for them."""

    chunks: list[str]
    embedded: int

    def words(self) -> list[list[str]]:
        """Return each chunk as a list of words, since the references normalise the space between sentences."""
        return [chunk.split() for chunk in self.chunks]


NOTHING = RaceOutcome([], 0)


@dataclass(frozen=True)
class Race:
    """Two implementations that compute the same chunks, to be timed.

    Attributes
    ----------
    ours, reference
        Both run once per repeat, one after the other, so that the machine is in the same state for both.
    at_least
        The required ratio of the reference's time to ours.
    same
        True if the chunks must be equal.
    calls
        Number of our runs per repeat, if one run is too short to time; the median is used.
    """

    title: str
    ours: Callable[[], RaceOutcome]
    reference: Callable[[], RaceOutcome]
    at_least: float
    same: bool
    calls: int = 1


@dataclass
class RaceResult:
    """The result of a race: the seconds of every repeat, and the last outcomes."""

    race: Race
    seconds: list[float]
    reference_seconds: list[float]
    outcome: RaceOutcome = NOTHING
    reference_outcome: RaceOutcome = NOTHING

    @property
    def ratio(self) -> Spread:
        """The ratio of the reference's time to ours, by repeat."""
        return Spread.from_values(theirs / ours for theirs, ours in zip(self.reference_seconds, self.seconds, strict=True))

    @property
    def equal(self) -> bool:
        """True if both sides made the same chunks."""
        return self.outcome.words() == self.reference_outcome.words()

    @property
    def met(self) -> bool:
        """True if the race reached its required ratio and, where required, made the same chunks."""
        return self.ratio.median >= self.race.at_least and (self.equal or not self.race.same)


def run_races(contests: Sequence[Race], repeats: int) -> list[RaceResult]:
    """Run all races ``repeats`` times, alternating the sides; references shared by races run once per repeat."""
    finishes = [RaceResult(race, [], []) for race in contests]
    for repeat in range(repeats):
        ran: dict[Callable[[], RaceOutcome], tuple[float, RaceOutcome]] = {}
        for finish in finishes:
            race = finish.race
            print_progress(f"{race.title}: {repeat + 1} of {repeats}")
            calls = [timed(race.ours) for _ in range(race.calls)]
            finish.seconds.append(median(took for took, _ in calls))
            finish.outcome = calls[-1][1]
            if race.reference not in ran:
                ran[race.reference] = timed(race.reference)
            took, finish.reference_outcome = ran[race.reference]
            finish.reference_seconds.append(took)
    return finishes


def fresh_tools(embedder: Embedder) -> Tools:
    """Return tools without any cached embeddings or token counts."""
    return Tools(embedder, WordPieceTokenizer())


def timing_of(chunking: Chunking) -> Timing:
    """Return the timing that `run` always attaches."""
    assert chunking.timing is not None
    return chunking.timing


def outcome_of(chunking: Chunking) -> RaceOutcome:
    """Return the part of a result that is compared with the reference."""
    return RaceOutcome([chunk.text for chunk in chunking.chunks], timing_of(chunking).embedded)


def run_cold(chunker: Chunker, text: str, embedder: Embedder) -> RaceOutcome:
    """Split, embed and cut with empty caches; only the model is loaded."""
    return outcome_of(run(chunker, Document.from_text(text, "regex"), fresh_tools(embedder)))


def run_reference(reference: Callable[[CountingEncoder], list[str]], embedder: Embedder) -> RaceOutcome:
    """Run a reference, and count the texts that it embeds."""
    encoder = CountingEncoder(embedder)
    chunks = reference(encoder)
    return RaceOutcome(chunks, encoder.embedded)


def races(text: str, embedder: Embedder) -> list[Race]:
    """Return the races with their requirements."""

    def langchain(amount: float) -> RaceOutcome:
        return run_reference(lambda encoder: langchain_breakpoint(text, encoder, buffer=1, amount=amount), embedder)

    def llama_index() -> RaceOutcome:
        return run_reference(
            lambda encoder: llama_index_double_merging(
                text, encoder, initial=INITIAL, appending=APPENDING, merging=MERGING, max_size=MAX_SIZE
            ),
            embedder,
        )

    document, tools = Document.from_text(text, "regex"), fresh_tools(embedder)
    run(Breakpoint(buffer=1, amount=95), document, tools)

    mean, joined = double_passes()
    return [
        Race(
            "breakpoint, cold / LangChain",
            partial(run_cold, Breakpoint(buffer=1, amount=95), text, embedder),
            partial(langchain, 95),
            at_least=1,
            same=True,
        ),
        Race(
            "breakpoint, 95 to 90 / LangChain again",
            lambda: outcome_of(run(Breakpoint(buffer=1, amount=90), document, tools)),
            partial(langchain, 90),
            at_least=500,
            same=True,
            calls=25,
        ),
        # A mean of vectors is not the vector of the joined text, so the chunks differ on purpose.
        Race(
            "double_pass, mean, cold / LlamaIndex",
            partial(run_cold, mean, text, embedder),
            llama_index,
            at_least=8,
            same=False,
        ),
        Race(
            "double_pass, re-embed, cold / LlamaIndex",
            partial(run_cold, joined, text, embedder),
            llama_index,
            at_least=2,
            same=True,
        ),
    ]


def double_passes() -> tuple[DoublePass, DoublePass]:
    """Return the double pass with mean and with re-embedded group vectors, at the thresholds of the comparison."""
    mean = DoublePass(
        initial_threshold=INITIAL, appending_threshold=APPENDING, merging_threshold=MERGING, max_size=MAX_SIZE, vector="mean"
    )
    return mean, mean.model_copy(update={"vector": "re-embed"})


def chunker_variants() -> list[tuple[str, Chunker]]:
    """Return every chunker with its defaults, and two variants for the comparison."""
    defaults: list[tuple[str, Chunker]] = [(name, chunker()) for name, chunker in CHUNKERS.items()]
    return [*defaults, ("breakpoint, buffer 1", Breakpoint(buffer=1)), ("double_pass, re-embed", double_passes()[1])]


def stage_cells(name: str, chunker: Chunker, text: str, embedder: Embedder, repeats: int) -> list[str]:
    """Return a row of the table with the time of every stage of a cold run, and of embedding with a full cache."""
    first, again, chunks = [], [], 0
    for repeat in range(repeats):
        print_progress(f"stages of {name}: {repeat + 1} of {repeats}")
        document, tools = Document.from_text(text, "regex"), fresh_tools(embedder)
        chunking = run(chunker, document, tools)
        chunks = len(chunking.chunks)
        first.append(timing_of(chunking))
        again.append(timing_of(run(chunker, document, tools)))
    columns = (
        [each.split_ms for each in first],
        [each.embed_ms for each in first],
        [each.embed_ms for each in again],
        [each.decide_ms for each in first],
        [each.merge_ms for each in first],
    )
    spreads = [Spread.from_values(column).words() for column in columns]
    return [name, *spreads, f"{first[-1].embedded:,}", f"{chunks:,}"]


def race_cells(finish: RaceResult) -> list[str]:
    """Return the table row of a race."""
    return [
        finish.race.title,
        Spread.from_values(1000 * seconds for seconds in finish.seconds).words(),
        Spread.from_values(1000 * seconds for seconds in finish.reference_seconds).words(),
        finish.ratio.words(),
        f"{finish.race.at_least:g}",
        "yes" if finish.met else "NO",
        f"{finish.outcome.embedded:,} / {finish.reference_outcome.embedded:,}",
        f"{len(finish.outcome.chunks):,} / {len(finish.reference_outcome.chunks):,}",
        ("yes" if finish.equal else "NO") if finish.race.same else "not meant",
    ]


RACE_HEAD = (
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
STAGE_HEAD = ("chunker", "split, ms", "embed, ms", "embed again, ms", "decide, ms", "merge, ms", "texts embedded", "chunks")


@benchmark(
    option("--text", type=Path, metavar="FILE", help="a text in UTF-8 (default: the bundled essay)"),
    option("--repeats", type=positive, default=3, metavar="N", help="how often everything is measured (default: 3)"),
)
def main(text: Path | None, repeats: int) -> int:
    """Measure, print the two tables, and return 1 if a requirement is not met."""
    whole = text.read_text(encoding="utf-8") if text else load_sample("essay").text
    embedder = load_embedder()
    for chunker in double_passes():
        run_cold(chunker, whole[:5000], embedder)
    document = Document.from_text(whole, "regex")
    print(f"{len(whole):,} characters, {len(document.sentences):,} sentences, {repeats} repeats.")
    print("Times are medians, with the quartiles in brackets.\n")
    finishes = run_races(races(whole, embedder), repeats)
    print(markdown_table(RACE_HEAD, [race_cells(finish) for finish in finishes]), end="\n\n", flush=True)
    rows = [stage_cells(name, chunker, whole, embedder, repeats) for name, chunker in chunker_variants()]
    print(markdown_table(STAGE_HEAD, rows))
    return 0 if all(finish.met for finish in finishes) else 1


if __name__ == "__main__":
    raise SystemExit(main())
