"""Time and memory of 5,000 questions on 10 MB of text: locating excerpts, indexing, searching, measuring."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from benchmarks.harness import (
    Result,
    build_function_adding_option,
    call_in_new_process,
    command_line_decorator_for_main,
    markdown_table,
    peak_kib,
    seconds_and_result_of_call,
)
from benchmarks.time_and_memory_at_scale import RandomEmbedder
from chunkers import Document, Tools, build_chunker, load_embedder, load_tokenizer
from chunkers.storage.embedding_cache import EmbeddingCache
from evaluation.questions import Corpus, TokenRuler, questions_to_json_lines, read_questions
from evaluation.retrieval import Budgets, evaluate_at_budgets, evaluate_retrieval
from evaluation.search import ReturnedText, copy_index_with_returned_text, cut_and_index_corpus
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

MOST_QUESTIONS_WITH_ALTERED_EXCERPTS = 200
"""Most questions with altered excerpts, since these are compared with the whole document that they name."""


def random_documents(megabytes: int, document_count: int = 100) -> dict[str, str]:
    """Return documents of the bundled texts' words in random order, as sentences with occasional headings."""
    random = Random(0)
    essay_words = " ".join(path.read_text(encoding="utf-8") for path in sorted(SAMPLES_FOLDER.glob("essay_*.txt"))).split()
    return {
        f"{number:03}.md": _random_document(random, essay_words, 1_000_000 * megabytes // document_count)
        for number in range(document_count)
    }


def _random_document(random: Random, vocabulary: Sequence[str], min_character_count: int) -> str:
    lines: list[str] = []
    written_character_count = 0
    while written_character_count < min_character_count:
        sentence = " ".join(word.strip(".,;:") for word in random.choices(vocabulary, k=random.randint(8, 24)))
        lines.append(f"## {sentence[:40]}\n" if random.random() < 0.02 else f"{sentence.capitalize()}.")
        written_character_count += len(lines[-1]) + 1
    return "\n".join(lines)


def build_corpus_from_texts(text_by_name: dict[str, str]) -> Corpus:
    """Return a corpus of the documents, split into sentences."""
    return Corpus(tuple(Document.from_text(text, "lines", name) for name, text in text_by_name.items()))


def random_questions(text_by_name: dict[str, str], count: int) -> list[dict[str, Any]]:
    """Return questions with one excerpt each of about 200 characters, in the form of ``references``."""
    random = Random(1)
    names = list(text_by_name)
    rows = []
    for number in range(count):
        document_name = random.choice(names)
        start = random.randrange(len(text_by_name[document_name]) - 200)
        excerpt_text = text_by_name[document_name][start : start + 200].strip()
        start = text_by_name[document_name].index(excerpt_text, start)
        question_words = " ".join(random.choices(excerpt_text.split(), k=8))
        rows.append(
            {
                "question": f"{number}: {question_words}?",
                "references": [{"content": excerpt_text, "start_index": start}],
                "name": document_name,
            }
        )
    return rows


def _encode_rows_as_json_lines(rows: Sequence[dict[str, Any]]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


class Stopwatch:
    """A stopwatch that records the time of each step and the peak memory of the process."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []

    def __call__(self, step_title: str, call: Callable[[], Result]) -> Result:
        """Run ``call``, add a row with its time and peak memory, and return its result."""
        call_processor_seconds = time.process_time()
        call_seconds, result = seconds_and_result_of_call(call)
        call_processor_seconds = time.process_time() - call_processor_seconds
        peak = peak_kib() / 1024
        self.rows.append([step_title, f"{call_seconds:,.1f} ({call_processor_seconds:,.1f})", f"{peak:,.0f}"])
        return result


def measure_locating(megabytes: int, question_count: int) -> list[list[str]]:
    """Measure the time to locate excerpts: in place, anywhere, after an edit, and altered."""
    stopwatch = Stopwatch()
    text_by_name = random_documents(megabytes)
    question_rows = random_questions(text_by_name, question_count)
    corpus = stopwatch(
        f"{megabytes} MB as {len(text_by_name)} documents, split into lines", lambda: build_corpus_from_texts(text_by_name)
    )
    question_rows_with_document_ids = [{**row, "corpus_id": row["name"]} for row in question_rows]
    questions = stopwatch(
        f"{question_count:,} excerpts at their places",
        lambda: read_questions(_encode_rows_as_json_lines(question_rows_with_document_ids), "q", corpus),
    )
    assert not questions.problems
    assert not questions.changes
    rows_omitting_excerpt_place = [
        {"question": row["question"], "excerpts": row["references"][0]["content"]} for row in question_rows
    ]
    questions_given_without_place = stopwatch(
        f"{question_count:,} excerpts without place and document",
        lambda: read_questions(_encode_rows_as_json_lines(rows_omitting_excerpt_place), "q", corpus),
    )
    assert questions_given_without_place.usable == questions.usable
    questions_json_lines = stopwatch(
        "writing them with their context", lambda: questions_to_json_lines(questions.usable, corpus)
    )
    edited_corpus = build_corpus_from_texts({name: f"A line before.\n{text}" for name, text in text_by_name.items()})
    questions_after_edit = stopwatch(
        f"{question_count:,} excerpts after a line before each",
        lambda: read_questions(questions_json_lines, "q", edited_corpus),
    )
    assert len(questions_after_edit.changes) == len(questions_after_edit.usable) == question_count
    altered_question_rows = [
        json.loads(line) for line in questions_json_lines.splitlines()[:MOST_QUESTIONS_WITH_ALTERED_EXCERPTS]
    ]
    altered_excerpts_step_title = f"{len(altered_question_rows)} excerpts altered, in the document that they name"
    for question_row in altered_question_rows:
        (referenced_excerpt,) = question_row["references"]
        referenced_excerpt["content"] = f"{referenced_excerpt['content'][:100]}another {referenced_excerpt['content'][103:]}"
    questions_with_altered_excerpts = stopwatch(
        altered_excerpts_step_title, lambda: read_questions(_encode_rows_as_json_lines(altered_question_rows), "q", corpus)
    )
    assert (
        len(questions_with_altered_excerpts.usable)
        == len(questions_with_altered_excerpts.changes)
        == len(altered_question_rows)
    )
    return stopwatch.rows


def measure_searching(corpus_megabytes: int, question_count: int, chunker_index: int) -> list[list[str]]:
    """Measure the time of indexing, searching and measuring."""
    stopwatch = Stopwatch()
    text_by_name = random_documents(corpus_megabytes)
    generated_question_rows = [{**row, "corpus_id": row["name"]} for row in random_questions(text_by_name, question_count)]
    corpus = build_corpus_from_texts(text_by_name)
    questions = read_questions(_encode_rows_as_json_lines(generated_question_rows), "q", corpus).usable
    chunker = build_chunker(*CHUNKERS[chunker_index])
    tokenizer = load_tokenizer()
    tools = Tools(RandomEmbedder(), tokenizer, EmbeddingCache(None))
    ruler = stopwatch("counting the corpus's tokens", lambda: TokenRuler(corpus.joined_document.text, tokenizer))
    retrieval_index = stopwatch("cutting and indexing, vectors made", lambda: cut_and_index_corpus(corpus, chunker, tools))
    stopwatch.rows[-1][0] += f", {len(retrieval_index.chunks):,} chunks"
    evaluation = stopwatch(
        f"{question_count:,} questions: search and measures at k",
        lambda: evaluate_retrieval(retrieval_index, questions, tools, ruler),
    )
    stopwatch.rows[-1][0] += f" (one search of all: {evaluation.search.search_s:.1f} s)"
    for returned_text_option in ("chunk", "window:1", "section"):
        index_returning_text = stopwatch(
            f"what `{returned_text_option}` returns",
            lambda word=returned_text_option: copy_index_with_returned_text(retrieval_index, ReturnedText.parse(word)),  # type: ignore[misc]
        )
        stopwatch(
            f"{question_count:,} questions at 1,000, 2,000 and 4,000 tokens, `{returned_text_option}` returned",
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
    retrieval_index = cut_and_index_corpus(
        Corpus((document,)), build_chunker("recursive", {"size": 800, "unit": "characters"}), tools
    )
    texts_to_embed = retrieval_index.texts[:EMBEDDED_CHUNK_COUNT]
    stopwatch(
        f"the bundled model on {len(texts_to_embed)} chunks of 800 characters",
        lambda: Tools(load_embedder(), load_tokenizer()).embed(texts_to_embed),
    )
    return stopwatch.rows


@command_line_decorator_for_main(
    build_function_adding_option("--megabytes", type=int, default=10, metavar="N"),
    build_function_adding_option("--questions", dest="question_count", type=int, default=5_000, metavar="N"),
)
def main(megabytes: int, question_count: int) -> None:
    """Run the measurements and print the tables."""
    head = ["step", "seconds by the clock (of the processor)", "peak memory so far, MB"]
    for table_title, rows in _measure_and_yield_tables(megabytes, question_count):
        print(f"\n{table_title}\n\n{markdown_table(head, rows)}", flush=True)


def _measure_and_yield_tables(corpus_megabytes: int, question_count: int) -> Iterator[tuple[str, list[list[str]]]]:
    yield "Finding the excerpts", call_in_new_process(measure_locating, corpus_megabytes, question_count)
    for chunker_number, (chunker_name, parameters) in enumerate(CHUNKERS):
        chunker_settings_phrase = ", ".join(f"`{key}` {value}" for key, value in parameters.items())
        yield (
            f"`{chunker_name}`, {chunker_settings_phrase}",
            call_in_new_process(measure_searching, corpus_megabytes, question_count, chunker_number),
        )
    yield "Embedding", call_in_new_process(measure_embedding, corpus_megabytes)


if __name__ == "__main__":
    raise SystemExit(main())
