"""Success rate and time of remedies for a split answer or a finding, compared with an exhaustive search.

A failure is a question whose answer a column does not give whole, at the budget that the Ask box chooses for the text. The
columns are those that Compare and Retrieval open with. The questions are the bundled ones, and generated ones: the answer is
one to four sentences of a bundled text, and the question half of the answer's words, shuffled. Findings are those of the
inbox in all texts, drawn by a seed. The exhaustive search cuts, embeds and asks every setting of the grid, and
stops nowhere.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Self

from benchmarks.harness import (
    build_function_adding_option,
    command_line_decorator_for_main,
    markdown_table,
    seconds_and_result_of_call,
)
from chunkers import Chunking, Document, Tools, build_chunker, load_embedder, load_tokenizer
from chunkers.contract import run_and_time_chunker
from evaluation.findings.rules import RULES, Finding, find_suspicious_cuts
from evaluation.questions import Corpus, TokenRuler, read_questions
from evaluation.remedies.settings_search import Remedy
from evaluation.remedies.tested_changes import (
    FailingColumn,
    SuspiciousColumn,
    remedies_for_answer,
    remedies_for_single_finding,
    try_settings_finding_suspicious_cuts,
    try_settings_leaving_answer_uncut,
)
from evaluation.retrieval import Limit
from evaluation.retrieval.asked_question import (
    PosedQuestion,
    budget_for_text_length,
    check_and_trim_answer_span,
)
from evaluation.search import SearchMethod
from sample_docs import SAMPLES_FOLDER, load_sample, sample_splitters
from tests.fixtures.exhaustive_search import equals_exhaustive, is_whole, keeps_whole, removes_finding, search_exhaustively

CHUNKER_BY_COLUMN_TITLE: dict[str, tuple[str, dict[str, Any]]] = {
    "Fixed sentences": ("fixed_sentences", {}),
    "Breakpoint": ("breakpoint", {"amount": 70.0}),
    "Double pass": ("double_pass", {}),
    "Recursive": ("recursive", {"size": 100, "unit": "tokens"}),
    "Optimal": ("optimal", {"max_size": 200}),
}

RANKING_METHOD: SearchMethod = "embedding"

TARGET_SEARCH_MS = 2_000
"""Target for the search on the essay, with all vectors cached."""

LEAST_TEXT_SENTENCES, MOST_ANSWER_SENTENCES = 8, 4
"""Minimum sentences of a text for generated questions, and maximum sentences of an answer."""


class DocumentQuestion(NamedTuple):
    """A question about a bundled text."""

    document: Document
    posed: PosedQuestion


def bundled_documents() -> dict[str, Document]:
    """Return the bundled texts by name, with the essay in its parts, as on Retrieval."""
    splitter_name_by_sample = sample_splitters()
    paths = sorted(SAMPLES_FOLDER.glob("*.txt"))
    texts = {path.stem: path.read_bytes().decode() for path in paths}
    return {
        name: Document.from_text(text, splitter_name_by_sample.get(name, splitter_name_by_sample["essay"]), name).split()
        for name, text in texts.items()
    }


def bundled_questions(document_by_name: Mapping[str, Document]) -> Iterator[DocumentQuestion]:
    """Yield the bundled questions, each with its first excerpt as the answer."""
    corpus = Corpus(tuple(document_by_name.values()))
    for question in read_questions((SAMPLES_FOLDER / "questions.csv").read_bytes(), "questions.csv", corpus).usable:
        document_index, (start, end) = question.excerpts[0]
        document = corpus.documents[document_index]
        yield DocumentQuestion(document, PosedQuestion(question.text, check_and_trim_answer_span(document.text, start, end)))


def generate_questions_endlessly(document_by_name: Mapping[str, Document], seed: int = 0) -> Iterator[DocumentQuestion]:
    """Yield questions without end, each of which a random run of sentences in a random text answers."""
    random_generator = random.Random(seed)
    long_enough_documents = [
        document for document in document_by_name.values() if len(document.sentences) >= LEAST_TEXT_SENTENCES
    ]
    while True:
        document = random_generator.choice(long_enough_documents)
        first_answer_sentence_index = random_generator.randrange(len(document.sentences) - MOST_ANSWER_SENTENCES + 1)
        last_answer_sentence_index = first_answer_sentence_index + random_generator.randrange(MOST_ANSWER_SENTENCES)
        answer_span = check_and_trim_answer_span(
            document.text,
            document.sentences[first_answer_sentence_index].start,
            document.sentences[last_answer_sentence_index].end,
        )
        answer_words = document.text[answer_span.start : answer_span.end].split()
        yield DocumentQuestion(
            document,
            PosedQuestion(" ".join(random_generator.sample(answer_words, (len(answer_words) + 1) // 2)), answer_span),
        )


def removable_findings(suspicious_column: SuspiciousColumn, tools: Tools) -> list[Finding]:
    """Return the findings of a column that another chunker could remove."""
    findings = find_suspicious_cuts(suspicious_column.chunking, tools.embedder)
    return [finding for finding in findings if RULES[finding.rule].cause == "chunker"]


class Bench:
    """The columns of the bundled texts, each cut once, and the tools to ask them questions."""

    def __init__(self, embedder_name: str) -> None:
        self.tools = Tools(load_embedder(embedder_name), load_tokenizer("all-MiniLM-L6-v2"))
        self.chunkers = {
            title: build_chunker(name, parameters, self.tools.embedder)
            for title, (name, parameters) in CHUNKER_BY_COLUMN_TITLE.items()
        }
        self._rulers: dict[str, TokenRuler] = {}

    def token_ruler_of_document(self, document: Document) -> TokenRuler:
        """Return the token counter of a text."""
        if document.identity not in self._rulers:
            self._rulers[document.identity] = TokenRuler(document.text, self.tools.tokenizer)
        return self._rulers[document.identity]

    def chunking(self, document: Document, column_title: str) -> Chunking:
        """Return the chunks of a column, by its title."""
        # Without sentence embeddings, the grid would lack the semantic chunkers.
        assert self.tools.embedder is not None
        replace(self.tools, embedder=self.tools.embedder.for_document(document)).embed(document.sentence_texts)
        return run_and_time_chunker(self.chunkers[column_title], document, self.tools)

    def suspect_column(self, document: Document, title: str) -> SuspiciousColumn:
        """Return a column for a search that removes its findings."""
        retrieval_limit = Limit(budget=budget_for_text_length(len(document.text)))
        return SuspiciousColumn(self.chunkers[title], self.chunking(document, title), RANKING_METHOD, retrieval_limit)

    def failing_column(self, document_question: DocumentQuestion, title: str) -> FailingColumn | None:
        """Return a column's failure on a question; None if it gives the answer whole."""
        document, posed_question = document_question
        chunking = self.chunking(document, title)
        retrieval_limit = Limit(budget=budget_for_text_length(len(document.text)))
        if is_whole(
            chunking, posed_question, RANKING_METHOD, retrieval_limit, self.tools, self.token_ruler_of_document(document)
        )[0]:
            return None
        return FailingColumn(self.chunkers[title], chunking, RANKING_METHOD, retrieval_limit, posed=posed_question)

    def find_remedies_for_failure(self, failing_column: FailingColumn) -> list[Remedy]:
        """Return the remedies for a failure."""
        tried_settings = try_settings_leaving_answer_uncut(failing_column, self.tools)
        return [
            *remedies_for_answer(
                failing_column,
                tried_settings,
                self.tools,
                self.token_ruler_of_document(failing_column.chunking.document),
            )
        ]


class RemedyCounts(NamedTuple):
    """The number of questions, failures, remedied failures, and agreements with the exhaustive search."""

    asked: int
    failures: int
    helped: int
    agreed: int

    @classmethod
    def from_questions(
        cls,
        bench: Bench,
        questions_that_may_fail: Iterable[DocumentQuestion],
        chunker_column_title: str,
        max_failure_count: int | None = None,
    ) -> Self:
        """Search for remedies of up to ``max_failure_count`` failures of one column; compare with an exhaustive search."""
        asked_count = failure_count = helped_count = agreeing_with_exhaustive_count = 0
        for question in questions_that_may_fail:
            asked_count += 1
            failure = bench.failing_column(question, chunker_column_title)
            if failure is None:
                continue
            failure_count += 1
            remedies = bench.find_remedies_for_failure(failure)
            helped_count += bool(remedies)
            answer_whole_test = keeps_whole(failure, bench.tools, bench.token_ruler_of_document(question.document))
            agreeing_with_exhaustive_count += equals_exhaustive(
                remedies, search_exhaustively(failure, bench.tools, answer_whole_test)
            )
            if failure_count == max_failure_count:
                break
        return cls(asked_count, failure_count, helped_count, agreeing_with_exhaustive_count)

    @classmethod
    def from_findings(
        cls, bench: Bench, documents: Iterable[Document], chunker_column_title: str, max_cut_finding_count: int, seed: int
    ) -> Self:
        """Search for remedies of up to ``max_cut_finding_count`` findings of a column; compare with an exhaustive search."""
        suspicious_columns = [bench.suspect_column(document, chunker_column_title) for document in documents]
        column_finding_pairs = [
            (suspect, finding) for suspect in suspicious_columns for finding in removable_findings(suspect, bench.tools)
        ]
        drawn_column_finding_pairs = random.Random(seed).sample(
            column_finding_pairs, min(max_cut_finding_count, len(column_finding_pairs))
        )
        tried_settings_by_column = {
            suspect: try_settings_finding_suspicious_cuts(suspect, bench.tools)
            for suspect in {suspect for suspect, _ in drawn_column_finding_pairs}
        }
        helped_count = agreeing_with_exhaustive_count = 0
        for suspicious_column, suspicious_cut_finding in drawn_column_finding_pairs:
            ruler = bench.token_ruler_of_document(suspicious_column.chunking.document)
            finding_remedies = [
                *remedies_for_single_finding(
                    suspicious_column,
                    suspicious_cut_finding,
                    tried_settings_by_column[suspicious_column],
                    bench.tools,
                    ruler,
                )
            ]
            helped_count += bool(finding_remedies)
            agreeing_with_exhaustive_count += equals_exhaustive(
                finding_remedies,
                search_exhaustively(suspicious_column, bench.tools, removes_finding(suspicious_cut_finding, bench.tools)),
            )
        return cls(len(column_finding_pairs), len(drawn_column_finding_pairs), helped_count, agreeing_with_exhaustive_count)

    def cells(self, *names: str) -> list[str]:
        """Return the row of a table."""
        helped_share = f"{self.helped / self.failures:.0%}" if self.failures else "too few"
        return [*names, f"{self.asked:,}", f"{self.failures:,}", f"{self.helped:,}", helped_share, f"{self.agreed:,}"]


def search_time_rows(bench: Bench, document: Document, repeat_count: int) -> list[list[str]]:
    """Return for each column the times of one cut, and of the searches for one failure and for all findings.

    The first search for a failure is cold; in the others all vectors are cached.
    """
    rows = []
    for column_title, chunker in bench.chunkers.items():
        questions = generate_questions_endlessly({document.name: document})
        failure = next(filter(None, (bench.failing_column(question, column_title) for question in questions)))
        suspicious_column = bench.suspect_column(document, column_title)
        embedded_count_before = bench.tools.meter.embedded
        cold_seconds, _ = seconds_and_result_of_call(partial(bench.find_remedies_for_failure, failure))
        embedded_count = bench.tools.meter.embedded - embedded_count_before
        timed_calls = (
            partial(run_and_time_chunker, chunker, document, bench.tools),
            partial(bench.find_remedies_for_failure, failure),
            partial(try_settings_finding_suspicious_cuts, suspicious_column, bench.tools),
        )
        seconds_by_call = ([clock_and_processor_seconds(call) for _ in range(repeat_count)] for call in timed_calls)
        median_seconds_by_call = [
            [statistics.median(column) for column in zip(*pairs, strict=True)] for pairs in seconds_by_call
        ]
        tried_setting_count = len(try_settings_leaving_answer_uncut(failure, bench.tools))
        millisecond_cells = [f"{1000 * seconds:,.0f}" for pair in median_seconds_by_call for seconds in pair]
        rows.append(
            [
                column_title,
                f"{tried_setting_count:,}",
                *millisecond_cells,
                f"{1000 * cold_seconds:,.0f}",
                f"{embedded_count:,}",
            ]
        )
    return rows


def clock_and_processor_seconds(call: Callable[[], object]) -> tuple[float, float]:
    """Return the wall-clock seconds and the thread's processor seconds that a call takes."""
    cpu_seconds_before = time.thread_time()
    clock_seconds, _ = seconds_and_result_of_call(call)
    return clock_seconds, time.thread_time() - cpu_seconds_before


@command_line_decorator_for_main(
    build_function_adding_option(
        "--embedder", dest="embedder_name", default="all-MiniLM-L6-v2", help="whose vectors rank the chunks"
    ),
    build_function_adding_option(
        "--failures", dest="failure_count", type=int, default=200, metavar="N", help="generated failures (default: 200)"
    ),
    build_function_adding_option(
        "--repeats", dest="repeat_count", type=int, default=5, metavar="N", help="of the timing (default: 5)"
    ),
    build_function_adding_option(
        "--only", dest="document_names", nargs="+", metavar="TEXT", help="bundled texts, as article; without it all of them"
    ),
)
def main(embedder_name: str, failure_count: int, repeat_count: int, document_names: list[str] | None) -> int:
    """Print the tables; return 1 if a target is missed."""
    bench, document_by_name = Bench(embedder_name), bundled_documents()
    timed_document = bundled_document("essay") if document_names is None else document_by_name[document_names[0]]
    document_by_name = {
        name: document for name, document in document_by_name.items() if document_names is None or name in document_names
    }
    questions = [*bundled_questions(document_by_name)]
    head = ["problems", "column", "asked or found", "tried", "with a remedy", "share", "as the exhaustive search"]
    max_failures_per_column = -(-failure_count // len(CHUNKER_BY_COLUMN_TITLE))
    counts_by_column = [
        ("bundled", title, RemedyCounts.from_questions(bench, questions, title)) for title in CHUNKER_BY_COLUMN_TITLE
    ]
    counts_by_column += [
        (
            "generated",
            title,
            RemedyCounts.from_questions(
                bench, generate_questions_endlessly(document_by_name, seed), title, max_failures_per_column
            ),
        )
        for seed, title in enumerate(CHUNKER_BY_COLUMN_TITLE)
    ]
    counts_by_column += [
        (
            "findings",
            title,
            RemedyCounts.from_findings(bench, document_by_name.values(), title, max_failures_per_column, seed),
        )
        for seed, title in enumerate(CHUNKER_BY_COLUMN_TITLE)
    ]
    print(markdown_table(head, [count.cells(*names) for *names, count in counts_by_column]), end="\n\n", flush=True)
    rows = search_time_rows(bench, timed_document, repeat_count)
    head = [timed_document.name, "settings"]
    head += [f"{what}, {unit}" for what in ("one cut", "answer", "findings") for unit in ("ms", "CPU")]
    print(markdown_table([*head, "answer, cold, ms", "texts embedded"], rows))
    sentences_about_missed_targets = [
        f"{kind} failures of {title}: the exhaustive search finds other remedies for {count.failures - count.agreed}"
        for kind, title, count in counts_by_column
        if count.agreed < count.failures
    ]
    if document_names is None:
        sentences_about_missed_targets += [
            f"{row[0]}: the search takes {milliseconds} ms"
            for row in rows
            for milliseconds in (row[4], row[6])
            if float(milliseconds.replace(",", "")) > TARGET_SEARCH_MS
        ]
    for missed_target_sentence in sentences_about_missed_targets:
        print(f"Missed: {missed_target_sentence}")
    return int(bool(sentences_about_missed_targets))


def bundled_document(name: str) -> Document:
    """Return a bundled document, split."""
    sample = load_sample(name)
    return Document.from_text(sample.text, sample.sentences, name).split()


if __name__ == "__main__":
    raise SystemExit(main())
