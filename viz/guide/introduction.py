"""The Guide's introduction in four computed pictures: a text, its chunks, a question, and an answer."""

import csv
import io
import json
from functools import cache, partial
from itertools import pairwise

import streamlit as st

from chunkers import Chunker, Chunking, Document, Embedder, InputError, Span, load_tokenizer
from chunkers.support import format_number, pluralize
from evaluation.retrieval import Limit
from evaluation.retrieval.asked_question import MOST_QUESTION_CHARACTERS, AskedQuestion, checked_question, judge_retrieval
from sample_docs import SAMPLES_FOLDER
from viz.components.page_elements import show_job_progress_with_cancel
from viz.controls import draw_button_per_consent_option
from viz.guide.pictures import (
    PictureData,
    chunk_numbers_in_words,
    data_of_one_gap,
    gap_data_between_sentence_rows,
    new_picture,
    rows_of_ranked_texts,
    sentence_rows,
    show_pictures,
)
from viz.guide.session import session
from viz.jobs import ColumnInquiry, QuestionRetrievalJob, token_ruler_of_document
from viz.shell import ColumnResult, Page
from viz.state import ColumnChoice, PageText
from viz.theme import split_at_glossary_terms

PICTURES_COMPONENT_KEY = "guide_start"

SHOWN_SENTENCE_COUNT = 6
SHOWN_RANK_COUNT = 4
SHOWN_TOKEN_COUNT = 14

LEAST_CHUNKS_FOR_TWO_RESULTS = 4
"""Number of chunks below which two chunks would be most of the text, so that only one is retrieved."""

MOST_CHARACTERS_EMBEDDED_UNASKED = 100_000
"""Most characters of a text whose chunks are embedded for the pictures without asking the user."""

DEFAULT_QUESTION = "What is this text about?"
"""The question for a text without known questions."""

MAX_WAIT_S = 0.25
"""Seconds to wait for the ranking before the page shows its progress instead."""

SENTENCE_PER_CHUNK_COLUMN = ColumnChoice("fixed_sentences", {"size": 1})
"""A column with each sentence as a chunk, whose ranking yields the sentence nearest to the question."""


def show_introduction(
    current_page: Page,
    page_text: PageText,
    chunker_type: type[Chunker],
    column_result: ColumnResult,
    sentence_column_result: ColumnResult,
) -> None:
    """Draw the Guide's four introductory pictures, and run the search shown in the last two.

    Parameters
    ----------
    chunker_type, column_result
        The chunker of the pictures and its result.
    sentence_column_result
        The result of `SENTENCE_PER_CHUNK_COLUMN`.
    """
    document, chunking = page_text.document, column_result.chunking
    if chunking is None:
        return
    question, answer_span, question_error_message = _shown_question(document)
    chunk_ranking = sentence_ranking = None
    waiting_reason = current_page.embedder_complaint if current_page.embedder is None else ""
    if not chunking.chunks:
        waiting_reason = "The text is empty."
    elif current_page.embedder is not None and _may_embed_document(document, current_page.embedder):
        chunk_ranking, sentence_ranking, waiting_reason = _search_chunks_and_sentences(
            current_page, column_result, sentence_column_result, question, answer_span
        )
    elif current_page.embedder is not None:
        waiting_reason = f"Finding the nearest of {pluralize(len(chunking.chunks), 'chunk')} embeds them all."
    introduction_pictures = [
        text_and_tokens_picture_data(document, chunking, current_page.choices.tokenizer),
        chunk_picture_data(document, chunking, chunker_type, current_page.choices.tokenizer),
        ranking_picture_data(chunk_ranking),
        answer_picture_data(chunk_ranking, answer_span, sentence_ranking),
    ]
    for picture_needing_search in introduction_pictures[2:]:
        picture_needing_search["waits"] = waiting_reason
    introduction_pictures[2]["ask"] = {
        "question": question,
        "longest": MOST_QUESTION_CHARACTERS,
        "complaint": question_error_message,
    }

    def store_question(question: str) -> None:
        session.guide_question = document.identity, question[: MOST_QUESTION_CHARACTERS + 1]

    show_pictures(introduction_pictures, PICTURES_COMPONENT_KEY, on_question_asked=store_question)
    if current_page.embedder is not None and chunking.chunks and not _may_embed_document(document, current_page.embedder):
        embedding_consent_callback = partial(
            session.given_consents.add, ("embed", (document.identity, current_page.embedder.name))
        )
        draw_button_per_consent_option({"Find nearest chunks": embedding_consent_callback})


def text_and_tokens_picture_data(document: Document, chunking: Chunking, tokenizer: str) -> PictureData:
    """Return the picture of the text: the sentences around the first cut, and the tokens of the first sentence."""
    shown_sentence_indexes = sentence_indexes_around_first_cut(document, chunking)
    token_count = token_ruler_of_document(document, tokenizer)([Span(0, len(document.text))])
    sentences_phrase = pluralize(len(document.sentences), "[sentence]", "[sentences]")
    introductory_text_picture = new_picture(
        "A text",
        split_at_glossary_terms(
            "A [language model] reads text in [tokens], which are words and pieces of words: this text has "
            f"{token_count:,}, in {sentences_phrase}. A model reads only so many at a time, so of a large collection it is "
            "given the best passages."
        ),
    )
    _fill_sentence_rows(introductory_text_picture, document, shown_sentence_indexes)
    if shown_sentence_indexes:
        first_sentence_start, first_sentence_end = document.sentences[shown_sentence_indexes[0]]
        sentence_tokens = first_tokens(document.text[first_sentence_start:first_sentence_end], tokenizer)
        introductory_text_picture["tokens"] = [{"text": token, "chunks": [], "marked": False} for token in sentence_tokens]
    return introductory_text_picture


def chunk_picture_data(document: Document, chunking: Chunking, chunker_type: type[Chunker], tokenizer: str) -> PictureData:
    """Return the picture of the chunks: the sentences around the first cut, divided at the cuts."""
    spans_per_chunk = [chunk.spans for chunk in chunking.chunks]
    count_tokens = token_ruler_of_document(document, tokenizer)
    largest_chunk_token_count = max((count_tokens(list(parts)) for parts in spans_per_chunk), default=0)
    divided_chunks_picture = new_picture(
        "Chunks",
        split_at_glossary_terms(
            f"A [chunker] decides at which [gaps] between sentences the text is cut into [chunks]. "
            f"{chunker_type.title} makes {pluralize(len(spans_per_chunk), 'chunk')} of this text, of at most "
            f"{pluralize(largest_chunk_token_count, 'token')}."
        ),
    )
    _fill_sentence_rows(divided_chunks_picture, document, sentence_indexes_around_first_cut(document, chunking), chunking)
    if divided_chunks_picture["rows"]:
        divided_chunks_picture["gaps"] = gap_data_between_sentence_rows(divided_chunks_picture["rows"])
        first_chunks_phrase = chunk_numbers_in_words(divided_chunks_picture["rows"][0]["parts"][0]["chunks"])
        divided_chunks_picture["before"] = f"{divided_chunks_picture['before']} {first_chunks_phrase}".strip()
    return divided_chunks_picture


def ranking_picture_data(chunk_ranking: AskedQuestion | None) -> PictureData:
    """Return the picture of the ranking: the distance of each chunk from the question."""
    if chunk_ranking is None or chunk_ranking.index.searched_by == "bm25" or not len(chunk_ranking.ranking.order):
        return new_picture(
            "A question finds chunks",
            split_at_glossary_terms(
                "An [embedder] turns each chunk and the question into an [embedding], and [retrieval] "
                "looks for the chunk at the least [distance] from the question."
            ),
        )
    chunk_vectors = chunk_ranking.index.vectors
    nearest_chunk_numbers, similarities = (
        chunk_ranking.ranking.order[:SHOWN_RANK_COUNT].tolist(),
        chunk_ranking.ranking.scores[:SHOWN_RANK_COUNT].tolist(),
    )
    chunk_vector_excerpt = ", ".join(
        format_number(float(value), ".2f") for value in chunk_vectors[nearest_chunk_numbers[0]][:3]
    )
    chunk_ranking_picture = new_picture(
        "A question finds chunks",
        split_at_glossary_terms(
            f"An [embedder] turns each chunk and the question into an [embedding]: {chunk_vectors.shape[1]:,} numbers "
            f"that stand for its meaning. Those of chunk {nearest_chunk_numbers[0] + 1} begin {chunk_vector_excerpt}. "
            "[Retrieval] "
            "looks for the chunk at the least [distance] from the question."
        ),
    )
    searched_chunks = chunk_ranking.chunking.chunks
    chunk_ranking_picture["ranks"] = rows_of_ranked_texts(
        [
            (chunk, f"chunk {chunk + 1}", searched_chunks[chunk].text, 1 - score)
            for chunk, score in zip(nearest_chunk_numbers, similarities, strict=True)
        ]
    )
    unlisted_chunk_count = len(chunk_ranking.ranking.order) - len(nearest_chunk_numbers)
    chunk_ranking_picture["after"] = (
        f"and {pluralize(unlisted_chunk_count, 'chunk')} farther away" if unlisted_chunk_count else ""
    )
    return chunk_ranking_picture


def answer_picture_data(
    chunk_ranking: AskedQuestion | None, answer_span: Span | None, sentence_ranking: AskedQuestion | None
) -> PictureData:
    """Return the picture of the retrieved chunks, with the answer or the nearest sentence marked.

    Parameters
    ----------
    chunk_ranking
        The ranking of the chunks, the nearest of which are retrieved.
    answer_span
        The place of the known answer, or None.
    sentence_ranking
        The ranking of the sentences, used if no answer is known.
    """
    if chunk_ranking is None or not chunk_ranking.hits:
        return new_picture(
            "An answer",
            split_at_glossary_terms(
                "The language model is given the question and the nearest chunks. It writes its answer from them."
            ),
        )
    chunking, retrieved_chunk_numbers = chunk_ranking.chunking, [hit.number for hit in chunk_ranking.hits]
    document, all_chunks = chunking.document, chunking.chunks
    nearest_chunks_phrase = (
        "nearest chunk" if len(retrieved_chunk_numbers) == 1 else f"{len(retrieved_chunk_numbers)} nearest chunks"
    )
    marked_span, place_explanation = answer_span, ""
    if answer_span is not None:
        answer_judgement = judge_retrieval(chunk_ranking, answer_span)
        if answer_judgement.fate == "whole":
            place_explanation = (
                f"The answer to this question, marked, is whole in chunk {answer_judgement.chunks[0].number + 1}."
            )
        elif any(chunk.given for chunk in answer_judgement.chunks):
            place_explanation = f"The chunker has cut the answer, marked, into {len(answer_judgement.chunks)} parts."
        elif answer_judgement.chunks:
            marked_span = None
            rank_phrase = (
                f", number {answer_judgement.chunks[0].rank:,} in the ranking" if answer_judgement.chunks[0].rank else ""
            )
            chunk_numbers_phrase = chunk_numbers_in_words([chunk.number for chunk in answer_judgement.chunks])
            place_explanation = f"They lack the answer, which is in {chunk_numbers_phrase}{rank_phrase}."
    elif sentence_ranking is not None:
        ranked_retrieved_sentence_spans = [
            place
            for number in sentence_ranking.ranking.order.tolist()
            if any(
                span.start <= (place := sentence_ranking.chunking.chunks[number].spans[0]).start < span.end
                for chunk in retrieved_chunk_numbers
                for span in all_chunks[chunk].spans
            )
        ]
        marked_span = ranked_retrieved_sentence_spans[0] if ranked_retrieved_sentence_spans else None
        place_explanation = (
            "Their sentence at the least distance from the question is marked." if ranked_retrieved_sentence_spans else ""
        )
    answer_introduction = (
        f"The language model is given the question and the {nearest_chunks_phrase}. It writes its answer from them."
    )
    retrieved_chunks_picture = new_picture(
        "An answer", split_at_glossary_terms(f"{answer_introduction} {place_explanation}".strip())
    )
    chunk_and_sentence_numbers = [
        (chunk, sentence)
        for chunk in sorted(retrieved_chunk_numbers)
        for span in all_chunks[chunk].spans
        for sentence in range(document.sentence_at(span.start), document.sentence_at(max(span.start, span.end - 1)) + 1)
    ]
    marked_start = 0 if marked_span is None else marked_span.start
    marked_row_index = next(
        (
            place
            for place, (_, sentence) in enumerate(chunk_and_sentence_numbers)
            if document.sentences[sentence].end > marked_start
        ),
        0,
    )
    first_shown_row_index = max(0, min(marked_row_index - 2, len(chunk_and_sentence_numbers) - SHOWN_SENTENCE_COUNT))
    shown_chunk_and_sentence_numbers = chunk_and_sentence_numbers[
        first_shown_row_index : first_shown_row_index + SHOWN_SENTENCE_COUNT
    ]
    for chunk_number, sentence_index in shown_chunk_and_sentence_numbers:
        (sentence_row,) = sentence_rows(document, [sentence_index], chunking, marked_span)
        # The rest of the sentence, in other chunks, is not retrieved.
        sentence_row["parts"] = [part for part in sentence_row["parts"] if chunk_number in part["chunks"]]
        for row_part in sentence_row["parts"]:
            row_part["chunks"] = [chunk_number]
        retrieved_chunks_picture["rows"].append(sentence_row)
    retrieved_chunks_picture["gaps"] = [
        data_of_one_gap([chunk], [before]) for (before, _), (chunk, _) in pairwise(shown_chunk_and_sentence_numbers)
    ]
    retrieved_chunks_picture["before"] = (
        (
            f"{_omitted_sentences_in_words(first_shown_row_index)} "
            f"{chunk_numbers_in_words([shown_chunk_and_sentence_numbers[0][0]])}"
        ).strip()
        if shown_chunk_and_sentence_numbers
        else ""
    )
    retrieved_chunks_picture["after"] = _omitted_sentences_in_words(
        len(chunk_and_sentence_numbers) - first_shown_row_index - len(shown_chunk_and_sentence_numbers)
    )
    return retrieved_chunks_picture


def sentence_indexes_around_first_cut(document: Document, chunking: Chunking) -> list[int]:
    """Return the numbers of the sentences around the first cut, which the Guide's pictures show."""
    document_sentence_count = len(document.sentences)
    sentence_index_after_cut = document.sentence_at(chunking.chunks[1].start) if len(chunking.chunks) > 1 else 0
    first_shown_sentence_index = max(
        0, min(sentence_index_after_cut - SHOWN_SENTENCE_COUNT // 2, document_sentence_count - SHOWN_SENTENCE_COUNT)
    )
    return [
        *range(first_shown_sentence_index, min(document_sentence_count, first_shown_sentence_index + SHOWN_SENTENCE_COUNT))
    ]


def first_tokens(text: str, tokenizer: str) -> list[str]:
    """Return the first tokens of a text, spelled as in the text."""
    shown_token_starts = [*dict.fromkeys(load_tokenizer(tokenizer).starts(text[:1000]).tolist())][: SHOWN_TOKEN_COUNT + 1]
    token_texts = [text[start:end].strip() for start, end in pairwise([*shown_token_starts, len(text[:1000])])]
    return [*token_texts[:SHOWN_TOKEN_COUNT], *["…"] * (len(token_texts) > SHOWN_TOKEN_COUNT)]


def _fill_sentence_rows(
    picture: PictureData, document: Document, sentence_indexes: list[int], chunking: Chunking | None = None
) -> None:
    if sentence_indexes:
        picture["rows"] = sentence_rows(document, sentence_indexes, chunking)
        picture["before"] = _omitted_sentences_in_words(sentence_indexes[0])
        picture["after"] = _omitted_sentences_in_words(len(document.sentences) - sentence_indexes[-1] - 1)


def _omitted_sentences_in_words(omitted_sentence_count: int) -> str:
    return f"… {pluralize(omitted_sentence_count, 'sentence')} …" if omitted_sentence_count else ""


# The question


def _shown_question(document: Document) -> tuple[str, Span | None, str]:
    """Return the question, the span of its answer if known, and the error message for an invalid question."""
    question_document_identity, typed_question = session.guide_question
    if question_document_identity == document.identity:
        try:
            return checked_question(typed_question), None, ""
        except InputError as error:
            return *_stored_or_bundled_question(document), str(error)
    return *_stored_or_bundled_question(document), ""


def _stored_or_bundled_question(document: Document) -> tuple[str, Span | None]:
    """Return the first stored or bundled question about the text, and the span of its answer."""
    for stored_question in session.questions:
        if (
            document.text.startswith(stored_question.answer, stored_question.start)
            and document.text == session.question_texts[stored_question.identity].text
        ):
            return stored_question.question, Span(stored_question.start, stored_question.start + len(stored_question.answer))
    for question, bundled_answer in _bundled_questions_and_answers():
        if (answer_start := document.text.find(bundled_answer)) >= 0:
            return question, Span(answer_start, answer_start + len(bundled_answer))
    return DEFAULT_QUESTION, None


@cache
def _bundled_questions_and_answers() -> list[tuple[str, str]]:
    """Return the bundled questions with a single excerpt as the answer, and these excerpts."""
    question_file_rows = csv.DictReader(io.StringIO((SAMPLES_FOLDER / "questions.csv").read_text(encoding="utf-8")))
    questions_and_excerpts = [(row["question"], json.loads(row["excerpts"])) for row in question_file_rows]
    return [(question, excerpts[0]) for question, excerpts in questions_and_excerpts if len(excerpts) == 1]


# The search


def _may_embed_document(document: Document, embedder: Embedder) -> bool:
    return (
        len(document.text) <= MOST_CHARACTERS_EMBEDDED_UNASKED
        or ("embed", (document.identity, embedder.name)) in session.given_consents
    )


def _search_chunks_and_sentences(
    current_page: Page,
    column_result: ColumnResult,
    sentence_column_result: ColumnResult,
    question: str,
    answer_span: Span | None,
) -> tuple[AskedQuestion | None, AskedQuestion | None, str]:
    """Return the rankings of the chunks and, if no answer is known, of the sentences; and the reason if there is none."""
    columns_to_search = [column_result] if answer_span is not None else [column_result, sentence_column_result]
    chunked_columns = [
        (number, finished.task, finished.chunking)
        for number, column in enumerate(columns_to_search)
        if (finished := column.finished_column_or_none)
    ]
    if len(chunked_columns) < len(columns_to_search):
        return None, None, "Waiting for the chunks."
    retrieved_chunk_limit = Limit(top=1 if len(chunked_columns[0][2].chunks) < LEAST_CHUNKS_FOR_TWO_RESULTS else 2)
    session.guide_ask_job = question_search_job = QuestionRetrievalJob(
        ColumnInquiry(question, "embedding", retrieved_chunk_limit, "plain", current_page.choices.tokenizer),
        chunked_columns,
        current_page.embedder,
        session.keeps_embeddings_on_disk,
    ).earlier_if_same(session.guide_ask_job)
    question_search_job.start_once()
    question_search_job.join(MAX_WAIT_S)
    if question_search_job.is_running_and_not_cancelled:
        with st.container(key="progress"):
            show_job_progress_with_cancel(question_search_job, key="guide_ask")
        return None, None, "Embedding the chunks and the question."
    if question_search_job.error or question_search_job.cancelled():
        if question_search_job.cancelled():
            st.button("Continue embedding", on_click=setattr, args=(session, "guide_ask_job", None))
        return None, None, question_search_job.error or "The search was cancelled."
    return question_search_job.retrieval_by_column[0], question_search_job.retrieval_by_column.get(1), ""
