"""Time and memory of 5,000 questions on 10 MB of text: locating excerpts, indexing, searching, measuring."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from benchmarks.harness import (
    Result,
    benchmark_command,
    build_function_adding_option,
    call_in_new_process,
    markdown_table,
    peak_kib,
    time_call,
)
from benchmarks.time_and_memory_at_scale import RandomEmbedder
from chunkers import Document, Tools, build_chunker, load_embedder, load_tokenizer
from chunkers.storage.embedding_cache import EmbeddingCache
from evaluation.questions import Corpus, TokenRuler, questions_to_json_lines, read_questions
from evaluation.retrieval import Budgets, evaluate_at_budgets, evaluate_retrieval
from evaluation.search import ReturnedText, build_index, with_returned_text
from sample_docs import SAMPLES_FOLDER

RETRIEVED_TOKEN_BUDGETS = Budgets((1000, 2000, 4000))

CHUNKERS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("recursive", {"size": 200, "unit": "characters"}),
    ("recursive", {"size": 800, "unit": "characters"}),
    ("fixed_sentences", {"size": 4}),
)
"""Chunkers that give about 50,000 chunks, and a usual number."""

EMBEDDED_CHUNK_COUNT = 400
"""Chunks that the bundled model embeds to measure its speed."""

MOST_ALTERED_QUESTIONS = 200
"""Most questions with altered excerpts, since these are compared with the whole document that they name."""


def random_documents(megabytes: int, document_count: int = 100) -> dict[str, str]:
    """Return documents of the bundled texts' words in random order, as sentences with occasional headings."""
    random = Random(0)
    vocabulary = " ".join(path.read_text(encoding="utf-8") for path in sorted(SAMPLES_FOLDER.glob("essay_*.txt"))).split()
    return {
        f"{number:03}.md": _random_document(random, vocabulary, 1_000_000 * megabytes // document_count)
        for number in range(document_count)
    }


def _random_document(random: Random, vocabulary: Sequence[str], min_character_count: int) -> str:
    lines: list[str] = []
    length = 0
    while length < min_character_count:
        sentence = " ".join(word.strip(".,;:") for word in random.choices(vocabulary, k=random.randint(8, 24)))
        lines.append(f"## {sentence[:40]}\n" if random.random() < 0.02 else f"{sentence.capitalize()}.")
        length += len(lines[-1]) + 1
    return "\n".join(lines)


def build_corpus(text_by_name: dict[str, str]) -> Corpus:
    """Return a corpus of the documents, split into sentences."""
    return Corpus(tuple(Document.from_text(text, "lines", name) for name, text in text_by_name.items()))


def random_questions(text_by_name: dict[str, str], count: int) -> list[dict[str, Any]]:
    """Return questions with one excerpt each of about 200 characters, in the form of ``references``."""
    random = Random(1)
    names = list(text_by_name)
    rows = []
    for number in range(count):
        name = random.choice(names)
        start = random.randrange(len(text_by_name[name]) - 200)
        excerpt_text = text_by_name[name][start : start + 200].strip()
        start = text_by_name[name].index(excerpt_text, start)
        question_words = " ".join(random.choices(excerpt_text.split(), k=8))
        rows.append(
            {
                "question": f"{number}: {question_words}?",
                "references": [{"content": excerpt_text, "start_index": start}],
                "name": name,
            }
        )
    return rows


def _json_lines(rows: Sequence[dict[str, Any]]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


class Stopwatch:
    """A stopwatch that records the time of each step and the peak memory of the process."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []

    def __call__(self, step_title: str, call: Callable[[], Result]) -> Result:
        """Run ``call``, add a row with its time and peak memory, and return its result."""
        processor_seconds = time.process_time()
        seconds, result = time_call(call)
        processor_seconds = time.process_time() - processor_seconds
        peak = peak_kib() / 1024
        self.rows.append([step_title, f"{seconds:,.1f} ({processor_seconds:,.1f})", f"{peak:,.0f}"])
        return result


def measure_locating(megabytes: int, count: int) -> list[list[str]]:
    """Measure the time to locate excerpts: in place, anywhere, after an edit, and altered."""
    stopwatch = Stopwatch()
    text_by_name = random_documents(megabytes)
    question_rows = random_questions(text_by_name, count)
    corpus = stopwatch(
        f"{megabytes} MB as {len(text_by_name)} documents, split into lines", lambda: build_corpus(text_by_name)
    )
    rows_with_document_ids = [{**row, "corpus_id": row["name"]} for row in question_rows]
    questions = stopwatch(
        f"{count:,} excerpts at their places", lambda: read_questions(_json_lines(rows_with_document_ids), "q", corpus)
    )
    assert not questions.problems
    assert not questions.changes
    rows_without_place = [
        {"question": row["question"], "excerpts": row["references"][0]["content"]} for row in question_rows
    ]
    questions_without_place = stopwatch(
        f"{count:,} excerpts without place and document",
        lambda: read_questions(_json_lines(rows_without_place), "q", corpus),
    )
    assert questions_without_place.usable == questions.usable
    questions_json_lines = stopwatch(
        "writing them with their context", lambda: questions_to_json_lines(questions.usable, corpus)
    )
    edited_corpus = build_corpus({name: f"A line before.\n{text}" for name, text in text_by_name.items()})
    questions_after_edit = stopwatch(
        f"{count:,} excerpts after a line before each", lambda: read_questions(questions_json_lines, "q", edited_corpus)
    )
    assert len(questions_after_edit.changes) == len(questions_after_edit.usable) == count
    altered_rows = [json.loads(line) for line in questions_json_lines.splitlines()[:MOST_ALTERED_QUESTIONS]]
    altered_title = f"{len(altered_rows)} excerpts altered, in the document that they name"
    for row in altered_rows:
        (reference,) = row["references"]
        reference["content"] = f"{reference['content'][:100]}another {reference['content'][103:]}"
    questions_from_altered = stopwatch(altered_title, lambda: read_questions(_json_lines(altered_rows), "q", corpus))
    assert len(questions_from_altered.usable) == len(questions_from_altered.changes) == len(altered_rows)
    return stopwatch.rows


def measure_searching(megabytes: int, count: int, chunker_index: int) -> list[list[str]]:
    """Measure the time of indexing, searching and measuring."""
    stopwatch = Stopwatch()
    text_by_name = random_documents(megabytes)
    question_rows = [{**row, "corpus_id": row["name"]} for row in random_questions(text_by_name, count)]
    corpus = build_corpus(text_by_name)
    questions = read_questions(_json_lines(question_rows), "q", corpus).usable
    chunker = build_chunker(*CHUNKERS[chunker_index])
    tokenizer = load_tokenizer()
    tools = Tools(RandomEmbedder(), tokenizer, EmbeddingCache(None))
    ruler = stopwatch("counting the corpus's tokens", lambda: TokenRuler(corpus.whole.text, tokenizer))
    retrieval_index = stopwatch("cutting and indexing, vectors made", lambda: build_index(corpus, chunker, tools))
    stopwatch.rows[-1][0] += f", {len(retrieval_index.chunks):,} chunks"
    evaluation = stopwatch(
        f"{count:,} questions: search and measures at k",
        lambda: evaluate_retrieval(retrieval_index, questions, tools, ruler),
    )
    stopwatch.rows[-1][0] += f" (one search of all: {evaluation.search.search_s:.1f} s)"
    for returned_text_option in ("chunk", "window:1", "section"):
        index_returning_text = stopwatch(
            f"what `{returned_text_option}` returns",
            lambda word=returned_text_option: with_returned_text(retrieval_index, ReturnedText.parse(word)),  # type: ignore[misc]
        )
        stopwatch(
            f"{count:,} questions at 1,000, 2,000 and 4,000 tokens, `{returned_text_option}` returned",
            lambda returned=index_returning_text: evaluate_at_budgets(
                returned, questions, tools, ruler, RETRIEVED_TOKEN_BUDGETS
            ),  # type: ignore[misc]
        )
    return stopwatch.rows


def measure_embedding(megabytes: int) -> list[list[str]]:
    """Measure how many chunks the bundled model embeds per second."""
    stopwatch = Stopwatch()
    document = Document.from_text(next(iter(random_documents(megabytes).values())), "lines", "one")
    tools = Tools(load_embedder(), load_tokenizer(), EmbeddingCache(None))
    retrieval_index = build_index(
        Corpus((document,)), build_chunker("recursive", {"size": 800, "unit": "characters"}), tools
    )
    texts_to_embed = retrieval_index.texts[:EMBEDDED_CHUNK_COUNT]
    stopwatch(
        f"the bundled model on {len(texts_to_embed)} chunks of 800 characters",
        lambda: Tools(load_embedder(), load_tokenizer()).embed(texts_to_embed),
    )
    return stopwatch.rows


@benchmark_command(
    build_function_adding_option("--megabytes", type=int, default=10, metavar="N"),
    build_function_adding_option("--questions", dest="question_count", type=int, default=5_000, metavar="N"),
)
def main(megabytes: int, question_count: int) -> None:
    """Run the measurements and print the tables."""
    head = ["step", "seconds by the clock (of the processor)", "peak memory so far, MB"]
    for title, rows in _tables(megabytes, question_count):
        print(f"\n{title}\n\n{markdown_table(head, rows)}", flush=True)


def _tables(megabytes: int, count: int) -> Iterator[tuple[str, list[list[str]]]]:
    yield "Finding the excerpts", call_in_new_process(measure_locating, megabytes, count)
    for number, (name, parameters) in enumerate(CHUNKERS):
        settings = ", ".join(f"`{key}` {value}" for key, value in parameters.items())
        yield f"`{name}`, {settings}", call_in_new_process(measure_searching, megabytes, count, number)
    yield "Embedding", call_in_new_process(measure_embedding, megabytes)


if __name__ == "__main__":
    raise SystemExit(main())
