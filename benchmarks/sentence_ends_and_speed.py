"""Sentence splitters on one paragraph per language with known sentences, and their speed.

``python -m benchmarks.sentence_ends_and_speed [--repeats N]`` prints a table in Markdown: for every language and splitter
the ends of sentences found, missed and invented, then the time for a megabyte of the English ones.
"""

import statistics
import time

from benchmarks.harness import build_function_adding_option, command_line_decorator_for_main, markdown_table
from chunkers import Document
from chunkers.text import LANGUAGE_NAME_BY_CODE, detect_language, preload_splitter
from tests.fixtures.paragraphs import EndCounts, count_sentence_ends, paragraphs_by_language

SPLITTERS = ("sentencex", "spacy", "regex")


def _splitting_seconds(text: str, splitter: str, repeat_count: int) -> float:
    """Return the median time of splitting, with the splitter already loaded."""
    preload_splitter(splitter, text)
    return statistics.median(Document.from_text(text, splitter).split_ms / 1000 for _ in range(repeat_count))


@command_line_decorator_for_main(
    build_function_adding_option(
        "--repeats", dest="repeat_count", type=int, default=3, help="how often each is timed (default: 3)"
    )
)
def main(repeat_count: int) -> None:
    """Print the tables."""
    paragraph_by_language = paragraphs_by_language()
    end_counts_by_language = {
        code: [count_sentence_ends(paragraph, splitter) for splitter in SPLITTERS]
        for code, paragraph in paragraph_by_language.items()
    }
    table_rows = []
    for language_code, end_counts in end_counts_by_language.items():
        text, true_sentence_starts = paragraph_by_language[language_code]
        table_rows.append(
            [
                LANGUAGE_NAME_BY_CODE[language_code],
                f"{len(true_sentence_starts)}",
                detect_language(text),
                *(tally.words for tally in end_counts),
            ]
        )
    sum_cells = [
        EndCounts(*map(sum, zip(*column, strict=True))).words
        for column in zip(*end_counts_by_language.values(), strict=True)
    ]
    table_rows.append(
        [
            f"all {len(end_counts_by_language)}",
            f"{sum(len(paragraph.starts) for paragraph in paragraph_by_language.values())}",
            "",
            *sum_cells,
        ]
    )
    print(markdown_table(["language", "ends", "detected", *SPLITTERS], table_rows))
    english_text_to_repeat = paragraph_by_language["en"].text + "\n\n"
    text = english_text_to_repeat * (1_000_000 // len(english_text_to_repeat))
    print(f"\n{len(text):,} characters of English, seconds:")
    for splitter in SPLITTERS:
        print(f"- {splitter}: {_splitting_seconds(text, splitter, repeat_count):.2f}")
    began = time.perf_counter()
    for paragraph in paragraph_by_language.values():
        detect_language(paragraph.text)
    print(f"- detecting a paragraph's language: {(time.perf_counter() - began) / len(paragraph_by_language):.4f}")


if __name__ == "__main__":
    raise SystemExit(main())
