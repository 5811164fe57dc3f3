"""Time to locate the retrieved texts of traces: with the index of shared runs, and compared with every document whole.

``python -m benchmarks.traced_text_location`` makes a trace of ten texts a question from chunks of 500 characters: word for
word, with other white space, behind a context line, changed in every tenth word, and one in ten from no document. The exit
status is 1 where a text is located in a wrong document, or the index locates fewer.
"""

import sys
from random import Random

from benchmarks.harness import (
    build_function_adding_option,
    command_line_decorator_for_main,
    markdown_table,
    seconds_and_result_of_call,
)
from benchmarks.retrieval_at_scale import build_corpus_from_texts, random_documents
from chunkers.files.external_chunks import GivenChunk
from chunkers.found_again import UnorderedLocator, unordered_chunk_location

RETRIEVED_TEXT_CHARACTERS = 500
"""Characters of a retrieved text."""


def random_retrieved_texts(text_by_name: dict[str, str], count: int) -> list[tuple[GivenChunk, int | None]]:
    """Return retrieved texts, each with the number of its document, or with None if it comes from none."""
    random = Random(2)
    document_texts = [*text_by_name.values()]
    first_document_words = document_texts[0].split()
    retrieved_with_document = []
    for number in range(count):
        document_index = random.randrange(len(document_texts))
        start = random.randrange(len(document_texts[document_index]) - RETRIEVED_TEXT_CHARACTERS)
        retrieved_text = document_texts[document_index][start : start + RETRIEVED_TEXT_CHARACTERS]
        if number % 5 == 1:
            retrieved_text = "  ".join(retrieved_text.split())
        elif number % 5 == 2:
            retrieved_text = f"Document: the handbook, part {number}\n\n{retrieved_text}"
        elif number % 5 == 3:
            retrieved_text = " ".join(
                word if at % 10 else word[::-1] for at, word in enumerate(retrieved_text.split(), start=5)
            )
        if is_missing := number % 10 == 9:
            retrieved_text = " ".join(random.choices(first_document_words, k=RETRIEVED_TEXT_CHARACTERS // 6))
        retrieved_with_document.append((GivenChunk(retrieved_text), None if is_missing else document_index))
    return retrieved_with_document


@command_line_decorator_for_main(
    build_function_adding_option("--megabytes", type=int, default=18, help="of all documents (default: %(default)s)"),
    build_function_adding_option(
        "--questions", dest="question_count", type=int, default=100, help="with ten texts each (default: %(default)s)"
    ),
)
def main(megabytes: int, question_count: int) -> int:
    """Run the measurements; return 1 if a place is wrong or the index locates fewer texts."""
    text_by_document_name = random_documents(megabytes)
    retrieved_with_document = random_retrieved_texts(text_by_document_name, 10 * question_count)
    documents = build_corpus_from_texts(text_by_document_name).documents
    rows, located_counts, wrong_count = [], [], 0
    for way_of_locating, max_wholly_compared_characters in (("with the index", 0), ("compared whole", sys.maxsize)):
        unordered_chunk_location.MAX_WHOLLY_COMPARED_CHARACTERS = max_wholly_compared_characters
        text_locator = UnorderedLocator(documents, [chunk for chunk, _ in retrieved_with_document])
        seconds, found_placements = seconds_and_result_of_call(
            lambda: [text_locator.find(chunk) for chunk, _ in retrieved_with_document]  # noqa: B023 - called at once
        )
        found_document_indices = [placement.only_place and placement.only_place.document for placement in found_placements]
        located_counts.append(sum(place is not None for place in found_document_indices))
        wrong_count += sum(
            place not in (None, number)
            for place, (_, number) in zip(found_document_indices, retrieved_with_document, strict=True)
        )
        present_count = sum(number is not None for _, number in retrieved_with_document)
        rows.append(
            [
                way_of_locating,
                f"{seconds:,.1f}",
                f"{located_counts[-1]:,} of {present_count:,}",
                "yes" if text_locator.is_comparison_budget_spent else "no",
            ]
        )
    print(markdown_table(["documents", "seconds", "texts located", "comparisons used up"], rows))
    return 1 if wrong_count or located_counts[0] < located_counts[1] else 0


if __name__ == "__main__":
    raise SystemExit(main())
