"""One or two sentences by a language model that situate each chunk in its document, embedded with the chunk.

Source: Anthropic (2024), "Introducing contextual retrieval", https://www.anthropic.com/news/contextual-retrieval.
"""

import time
from bisect import bisect_left, bisect_right
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise

from chunkers.contract import Estimate, Meter, Tools
from chunkers.language_models import (
    CONTEXT_SENTENCE_ANSWER,
    CONTEXT_SYSTEM_PROMPT,
    MOST_ANSWER_RETRIES,
    PASSAGE_CONTEXT_REQUEST_TEMPLATE,
    Ledger,
    Message,
    Spending,
    UnusableAnswer,
    ask_until_usable,
)
from chunkers.results import Chunk, Chunking
from chunkers.support import ModelError, pluralize
from chunkers.text import Document, Span, headings

LONGEST_EXTRACT_CHARACTERS = 24_000
"""Maximum number of characters of a document that the model is shown beside a chunk, some 6,000 tokens; of a longer one, an
extract.
"""

LONGEST_CONTEXT_SENTENCE = 600
"""Maximum number of characters of a context sentence; after a longer answer the model is asked again."""

ESTIMATED_ANSWER_TOKENS = 60
"""Tokens of an answer, as an estimate counts them."""

MISSING_MODEL_MESSAGE = "embedded_as context needs a language model, named as openai:NAME, and none was given."
"""Error message for a missing language model."""

_EXTRACT_GRID_CHARACTERS = LONGEST_EXTRACT_CHARACTERS // 4


def add_context_sentences(chunking: Chunking, tools: Tools) -> Chunking:
    """Add a language model's context sentence to each chunk of a result, and a note if any chunk has no such sentence.

    A chunk stays without a sentence if the model gives no usable answer after `MOST_ANSWER_RETRIES` retries.

    Raises
    ------
    ModelError
        If there is no language model, the model does not answer, or the request would exceed the spending limit.
    Cancelled
        If the user asked to stop; the answers so far are in the cache.
    """
    if tools.asking is None:
        raise ModelError(MISSING_MODEL_MESSAGE)
    spending_ledger, start_time = Ledger(tools.ledger), time.perf_counter()
    document, chunk_count = chunking.document, len(chunking.chunks)
    finished_chunks_tally: list[bool] = []

    def add_context_sentence(chunk: Chunk, chunk_tools: Tools) -> Chunk:
        with suppress(UnusableAnswer):
            chunk = chunk._replace(
                situation=ask_until_usable(
                    partial(chunk_tools.ask, kind=CONTEXT_SENTENCE_ANSWER),
                    _build_context_sentence_messages(document, chunk),
                    _parse_context_sentence,
                    chunk_tools.report_usability,
                )
            )
        finished_chunks_tally.append(True)
        tools.watcher.deciding(len(finished_chunks_tally), chunk_count)
        return chunk

    ledger_tools = replace(tools, meter=Meter(ledger=spending_ledger))
    chunks_with_context_sentences = tuple(
        ledger_tools.together([partial(add_context_sentence, chunk) for chunk in chunking.chunks])
    )
    chunking_timing, elapsed_ms = chunking.timing, (time.perf_counter() - start_time) * 1000
    return replace(
        chunking,
        chunks=chunks_with_context_sentences,
        timing=None
        if chunking_timing is None
        else replace(chunking_timing, decide_ms=chunking_timing.decide_ms + elapsed_ms),
        notes=(*chunking.notes, *_context_sentence_notes(document, chunks_with_context_sentences)),
        spending=(chunking.spending or Spending()) + spending_ledger.spent,
    )


def estimate_context_requests(chunking: Chunking, tools: Tools) -> Estimate:
    """Estimate the requests and tokens needed for context sentences, assuming no retries; nothing is sent."""
    document, chunks = chunking.document, chunking.chunks
    input_token_count = sum(tools.count_tokens([_chunk_excerpt(chunk) for chunk in chunks]))
    for extract_span, same_extract_chunk_count in Counter(
        document_extract_span(document, chunk) for chunk in chunks
    ).items():
        prompt_texts = [CONTEXT_SYSTEM_PROMPT, PASSAGE_CONTEXT_REQUEST_TEMPLATE, document.text[slice(*extract_span)]]
        input_token_count += same_extract_chunk_count * sum(tools.count_tokens(prompt_texts))
    return Estimate(len(chunks), input_token_count, ESTIMATED_ANSWER_TOKENS * len(chunks))


def document_extract_span(document: Document, chunk: Chunk) -> Span:
    """Return the part of the document shown to the model with a chunk: the whole document if it is short enough.

    Otherwise, the part is the largest section around the chunk that is short enough or, without such a section, whole
    sentences around the chunk, with at most `LONGEST_EXTRACT_CHARACTERS` characters. Chunks near each other share the same
    sentences. If these sentences do not contain the whole chunk, the part is `LONGEST_EXTRACT_CHARACTERS` characters around
    its middle.
    """
    text, longest_extract_length = document.text, LONGEST_EXTRACT_CHARACTERS
    if len(text) <= longest_extract_length:
        return Span(0, len(text))
    document_headings = headings(text)
    for heading_level in range(1, 7):
        section_boundary_offsets = sorted(
            {0, *(heading.span.start for heading in document_headings if heading.level <= heading_level), len(text)}
        )
        for extract_start_offset, section_end in pairwise(section_boundary_offsets):
            if (
                extract_start_offset <= chunk.start
                and chunk.end <= section_end
                and section_end - extract_start_offset <= longest_extract_length
            ):
                return Span(extract_start_offset, section_end)
    chunk_middle = (chunk.start + chunk.end) // 2
    extract_start_offset = max(
        0,
        min(
            (chunk_middle - longest_extract_length // 2) // _EXTRACT_GRID_CHARACTERS * _EXTRACT_GRID_CHARACTERS
            + _EXTRACT_GRID_CHARACTERS // 2,
            len(text) - longest_extract_length,
        ),
    )
    sentence_starts = document.starts
    first_sentence_index, extract_end_sentence_index = (
        bisect_left(sentence_starts, extract_start_offset),
        bisect_right(sentence_starts, extract_start_offset + longest_extract_length) - 1,
    )
    if (
        first_sentence_index < extract_end_sentence_index
        and sentence_starts[first_sentence_index] <= chunk.start
        and chunk.end <= sentence_starts[extract_end_sentence_index]
    ):
        return Span(
            sentence_starts[first_sentence_index],
            sentence_starts[extract_end_sentence_index]
            if extract_start_offset + longest_extract_length < len(text)
            else len(text),
        )
    return Span(extract_start_offset, extract_start_offset + longest_extract_length)


def _build_context_sentence_messages(document: Document, chunk: Chunk) -> list[Message]:
    extract_start, extract_end = document_extract_span(document, chunk)
    document_or_extract_phrase = (
        "document" if extract_end - extract_start == len(document.text) else "extract of a longer document"
    )
    context_question_text = PASSAGE_CONTEXT_REQUEST_TEMPLATE.format(
        whole=document_or_extract_phrase, shown=document.text[extract_start:extract_end], passage=_chunk_excerpt(chunk)
    )
    return [Message("system", CONTEXT_SYSTEM_PROMPT), Message("user", context_question_text)]


def _chunk_excerpt(chunk: Chunk) -> str:
    return chunk.text[:LONGEST_EXTRACT_CHARACTERS]


def _parse_context_sentence(answer: str) -> str:
    """Return an answer as one line; raises UnusableAnswer if it is empty or too long."""
    one_line_context_sentence = " ".join(answer.split())
    if not one_line_context_sentence:
        raise UnusableAnswer("the answer must have at least one word; it has none")
    if len(one_line_context_sentence) > LONGEST_CONTEXT_SENTENCE:
        raise UnusableAnswer(
            f"the answer may have at most {LONGEST_CONTEXT_SENTENCE:,} characters, one or two short sentences; it has "
            f"{len(one_line_context_sentence):,}"
        )
    return one_line_context_sentence


def _context_sentence_notes(document: Document, chunks: tuple[Chunk, ...]) -> list[str]:
    context_sentence_notes = []
    if len(document.text) > LONGEST_EXTRACT_CHARACTERS and chunks:
        context_sentence_notes.append(
            f"The document has {len(document.text):,} characters: beside each chunk the model was shown its section, or "
            f"{LONGEST_EXTRACT_CHARACTERS:,} characters around it."
        )
    if missing_sentence_count := sum(not chunk.situation for chunk in chunks):
        pronoun_and_verb = "it is" if missing_sentence_count == 1 else "these are"
        context_sentence_notes.append(
            f"The model gave no usable context of {missing_sentence_count:,} of {pluralize(len(chunks), 'chunk')}, though "
            f"it was asked up to {MOST_ANSWER_RETRIES + 1} times; {pronoun_and_verb} embedded without."
        )
    return context_sentence_notes
