"""The ten screens of the Guide's path from a sentence to an answer: each a short text, one thing to do, and its effect."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from chunkers import DEFAULT_SPLITTER, Chunk, Chunking, Document, EmbeddingCache, Span, Tools, build_chunker
from chunkers.contract import run_and_time_chunker
from chunkers.methods import YourCuts
from chunkers.support import LRUDict, cache_results_in, format_number, join_words, pluralize
from evaluation.questions import TokenRuler
from evaluation.remedies.settings_search import Variation
from evaluation.remedies.tested_changes import FailingColumn, remedies_for_answer, try_settings_leaving_answer_uncut
from evaluation.retrieval import Limit
from evaluation.retrieval.asked_question import (
    AskedQuestion,
    PosedQuestion,
    build_search_index_of_text,
    checked_question,
    judge_retrieval,
    retrieve_for_question,
)
from evaluation.segmentation import count_found_missed_added, cut_offsets
from viz.guide.chunker_pictures import BEES_TEXT, BREAD_TEXT, SECOND_BEES_TEXT, SIX_SENTENCE_TEXT
from viz.guide.pictures import PictureData, new_picture, picture_of_chunked_text, rows_of_ranked_texts, sentence_rows


class Choice(NamedTuple):
    """A control with a few options, by their labels; the reader's choice is the key of one, ``start`` before that."""

    label: str
    options: Mapping[str, str]
    start: str | None = None


class Slide(NamedTuple):
    """A slider from ``low`` to ``high``, at ``start`` before the reader moves it."""

    label: str
    low: float
    high: float
    step: float
    start: float


Control = Choice | Slide | Literal["cuts", "question"]
"""The one thing to do on a screen: a control, gaps to click, or a question to type."""


class Drawn(NamedTuple):
    """A screen as drawn for what the reader has done.

    Attributes
    ----------
    control
        The screen's control.
    picture
        The picture, without a title.
    effect
        The effect of the reader's action, in words, with glossary terms in brackets.
    """

    control: Control
    picture: PictureData
    effect: str


class Screen(NamedTuple):
    """A screen of the path.

    Attributes
    ----------
    explanation, task
        The explanation and the one thing to do, with glossary terms in brackets.
    text
        The text of the picture.
    draw
        Function from a text, the reader's choice and a chunker's services to the drawn screen. The choice is the key of an
        option, the value of a slider, the cut gaps or a question; None before the reader has done anything.
    """

    title: str
    explanation: str
    task: str
    text: str
    draw: Callable[[str, Any, Tools], Drawn]


GREATEST_TOKEN_SIZE, OPENING_SIZE = 20, 8
WORDS_PER_CHUNK, SENTENCES_PER_CHUNK = 12, 2
"""Sizes of chunks on the screens about a fixed size: in tokens, in words and in sentences."""

OPENING_THRESHOLD = 0.6
PREDICTED_GAP_INDEX = 1
"""The gap whose decision the reader predicts."""

TOKEN_BUDGET = 30
"""Tokens that a language model is given on the last screen."""

EXAMPLE_QUESTION = "What happens to the nectar?"
ANSWER_SENTENCE_RANGE = (1, 3)
"""The first sentence of the answer on the last screen, and the first after it."""

_SENTENCE_LETTERS = "ABC"


def _document_with_lines_as_sentences(text: str) -> Document:
    return Document.from_text(text, "lines")


def _run_named_chunker(chunker_name: str, parameters: Mapping[str, Any], document: Document, tools: Tools) -> Chunking:
    return run_and_time_chunker(build_chunker(chunker_name, dict(parameters)), document, tools)


def _sentence_count_guess_screen(text: str, chosen_option: str | None, tools: Tools) -> Drawn:
    document = Document.from_text(text, DEFAULT_SPLITTER)
    sentence_count, full_stop_count = len(document.sentences), text.count(".")
    sentence_end_stop_count = sum(sentence.endswith(".") for sentence in document.sentence_texts)
    sentence_screen_picture = new_picture("")
    sentence_screen_picture["rows"] = (
        sentence_rows(document, range(sentence_count))
        if chosen_option
        else sentence_rows(_document_with_lines_as_sentences(text), [0])
    )
    if not chosen_option:
        sentence_screen_picture["rows"][0]["label"] = ""
    sentence_count_phrase = pluralize(sentence_count, "sentence")
    result_in_words = (
        f"{sentence_count_phrase}, as you said"
        if chosen_option == str(sentence_count)
        else f"{sentence_count_phrase}; you said {chosen_option}"
    )
    result_in_words += f". {full_stop_count - sentence_end_stop_count} of {pluralize(full_stop_count, 'point')} end none."
    return Drawn(
        Choice("Sentences", {number: number for number in "3456"}),
        sentence_screen_picture,
        result_in_words if chosen_option else "",
    )


def _own_cuts_screen(text: str, chosen_gap_indexes: Sequence[int] | None, tools: Tools) -> Drawn:
    document = _document_with_lines_as_sentences(text)
    valid_chosen_gap_indexes = [
        gap for gap in sorted({*(chosen_gap_indexes or ())}) if 0 <= gap < len(document.sentences) - 1
    ]
    chunking = run_and_time_chunker(
        YourCuts.with_cuts_at(document.identity, [document.starts[gap + 1] for gap in valid_chosen_gap_indexes]),
        document,
        tools,
    )
    user_cuts_picture = picture_of_chunked_text(chunking)
    user_cuts_picture["cuts"] = {"gaps": valid_chosen_gap_indexes, "heard": None}
    chunk_sentence_counts = [
        f"{end - start}"
        for start, end in pairwise([0, *(gap + 1 for gap in valid_chosen_gap_indexes), len(document.sentences)])
    ]
    return Drawn(
        "cuts", user_cuts_picture, f"{pluralize(len(chunking), 'chunk')}, of {join_words(chunk_sentence_counts)} sentences."
    )


def _token_size_screen(text: str, size: float | None, tools: Tools) -> Drawn:
    document, size = _document_with_lines_as_sentences(text), int(size or OPENING_SIZE)
    chunking = _run_named_chunker("fixed_tokens", {"size": size, "overlap": 0}, document, tools)
    (token_count,) = tools.count_tokens([text])
    token_screen_picture = new_picture("")
    token_start_offsets = sorted({*tools.token_starts(text).tolist()})
    for token_start, token_end in pairwise([*token_start_offsets, len(text)]):
        # A token may begin with the space before a word.
        token_start_without_space = (
            token_start + len(text[token_start:token_end]) - len(text[token_start:token_end].lstrip())
        )
        chunk_numbers_of_token = [
            number for number, chunk in enumerate(chunking) if chunk.start <= token_start_without_space < chunk.end
        ]
        token_screen_picture["tokens"].append(
            {"text": text[token_start:token_end].strip(), "chunks": chunk_numbers_of_token, "marked": False}
        )
    return Drawn(
        Slide("Tokens per chunk", 4, GREATEST_TOKEN_SIZE, 1, OPENING_SIZE),
        token_screen_picture,
        f"{pluralize(token_count, 'token')} in {pluralize(len(chunking), 'chunk')} of at most {size}.",
    )


def _words_or_sentences_screen(text: str, unit: str | None, tools: Tools) -> Drawn:
    is_by_sentences = unit == "sentences"
    name_and_parameters = (
        ("fixed_sentences", {"size": SENTENCES_PER_CHUNK})
        if is_by_sentences
        else ("fixed_words", {"size": WORDS_PER_CHUNK, "overlap": 0})
    )
    chunking = _run_named_chunker(*name_and_parameters, _document_with_lines_as_sentences(text), tools)
    divided_sentence_count = sum(
        len(_find_chunks_overlapping_sentence(chunking, sentence)) > 1 for sentence in chunking.document.sentences
    )
    result_in_words = f"{pluralize(len(chunking), 'chunk')}; {pluralize(divided_sentence_count, 'sentence')} cut apart."
    return Drawn(
        Choice(
            "Chunk size", {"words": f"{WORDS_PER_CHUNK} words", "sentences": f"{SENTENCES_PER_CHUNK} sentences"}, "words"
        ),
        picture_of_chunked_text(chunking),
        result_in_words,
    )


def _find_chunks_overlapping_sentence(chunking: Chunking, sentence_span: Span) -> list[Chunk]:
    """Return the chunks with a part of a sentence."""
    return [
        chunk
        for chunk in chunking
        for span in chunk.spans
        if span.start < sentence_span.end and sentence_span.start < span.end
    ]


def _overlap_screen(text: str, overlap_sentence_count: float | None, tools: Tools) -> Drawn:
    chunking = _run_named_chunker(
        "fixed_sentences",
        {"size": 3, "overlap": int(overlap_sentence_count or 0)},
        _document_with_lines_as_sentences(text),
        tools,
    )
    repeated_sentence_count = sum(
        len(_find_chunks_overlapping_sentence(chunking, sentence)) > 1 for sentence in chunking.document.sentences
    )
    (text_token_count,), chunks_token_count = tools.count_tokens([text]), sum(tools.count_tokens(list(chunking.texts)))
    return Drawn(
        Slide("Overlap in sentences", 0, 2, 1, 0),
        picture_of_chunked_text(chunking),
        f"{pluralize(repeated_sentence_count, 'sentence')} repeated: {chunks_token_count:,} tokens instead of "
        f"{text_token_count:,}.",
    )


def _closest_sentence_guess_screen(text: str, chosen_option: str | None, tools: Tools) -> Drawn:
    document = _document_with_lines_as_sentences(text)
    first_sentence, *sentences_after_first = document.sentence_texts
    closest_sentence_control = Choice("Closest to sentence 1", dict(zip(_SENTENCE_LETTERS, _SENTENCE_LETTERS, strict=True)))
    meanings_screen_picture = new_picture("")
    meanings_screen_picture["rows"] = sentence_rows(document, range(len(document.sentences)))
    for letter, row in zip(_SENTENCE_LETTERS, meanings_screen_picture["rows"][1:], strict=False):
        row["label"] = letter
    if chosen_option is None:
        return Drawn(closest_sentence_control, meanings_screen_picture, "")
    sentence_vectors = tools.embed([first_sentence, *sentences_after_first])
    distances_to_first_sentence = [1 - float(sentence_vectors[0] @ vector) for vector in sentence_vectors[1:]]
    candidates_sorted_by_distance = sorted(
        zip(
            range(len(sentences_after_first)),
            _SENTENCE_LETTERS,
            sentences_after_first,
            distances_to_first_sentence,
            strict=False,
        ),
        key=lambda candidate: candidate[3],
    )
    meanings_screen_picture["rows"] = meanings_screen_picture["rows"][:1]
    sentence_vector_excerpt = ", ".join(format_number(float(value), ".2f") for value in sentence_vectors[0][:3])
    meanings_screen_picture["formula"] = [f"sentence 1 → {sentence_vector_excerpt}, … ({sentence_vectors.shape[1]} numbers)"]
    meanings_screen_picture["ranks"] = rows_of_ranked_texts(candidates_sorted_by_distance)
    guess_phrase = (
        f"{chosen_option} is at {format_number(distances_to_first_sentence[_SENTENCE_LETTERS.index(chosen_option)], '.2f')}"
    )
    _, nearest_letter, _, least_distance_to_first_sentence = candidates_sorted_by_distance[0]
    verdict_on_guess = "as you said" if chosen_option == nearest_letter else guess_phrase
    return Drawn(
        closest_sentence_control,
        meanings_screen_picture,
        f"{nearest_letter} is closest, at distance {format_number(least_distance_to_first_sentence, '.2f')}; "
        f"{verdict_on_guess}.",
    )


def _cut_prediction_screen(text: str, chosen_option: str | None, tools: Tools) -> Drawn:
    chunking = _chunk_at_distance_threshold(text, OPENING_THRESHOLD, tools)
    prediction_screen_picture = _picture_with_distance_gauges(chunking)
    gap_to_predict = chunking.gaps[PREDICTED_GAP_INDEX]
    actual_verdict_word = "cut" if gap_to_predict.verdict.is_cut else "no cut"
    if chosen_option is None:
        prediction_screen_picture["gaps"][PREDICTED_GAP_INDEX] = {
            "said": "cut here?",
            "share": None,
            "line": None,
            "cut": False,
        }
        for row in prediction_screen_picture["rows"]:
            for part in row["parts"]:
                part["chunks"] = []
    predicted_verdict = "cut" if chosen_option == "cut" else "no cut"
    verdict_on_prediction = "as you said" if predicted_verdict == actual_verdict_word else f"you said {predicted_verdict}"
    result_in_words = (
        ""
        if chosen_option is None
        else (
            f"{gap_to_predict.reason[0].upper()}{gap_to_predict.reason[1:]}: {actual_verdict_word}; {verdict_on_prediction}."
        )
    )
    return Drawn(
        Choice(f"Before sentence {PREDICTED_GAP_INDEX + 2}", {"cut": "Cut", "none": "No cut"}),
        prediction_screen_picture,
        result_in_words,
    )


def _chunk_at_distance_threshold(text: str, threshold: float, tools: Tools) -> Chunking:
    return _run_named_chunker(
        "breakpoint", {"threshold": "distance", "amount": threshold}, _document_with_lines_as_sentences(text), tools
    )


def _picture_with_distance_gauges(distance_threshold_chunking: Chunking) -> PictureData:
    """Return the picture of a text cut by distances, with each distance and the threshold on a gauge from 0 to 1."""
    gauged_distances_picture = picture_of_chunked_text(distance_threshold_chunking)
    gauged_distances_picture["gaps"] = [
        {
            "said": "" if gap.score is None else f"{format_number(gap.score, '.2f')}{': cut' * gap.verdict.is_cut}",
            "share": gap.score,
            "line": gap.threshold,
            "cut": gap.verdict.is_cut,
        }
        for gap in distance_threshold_chunking.gaps
    ]
    return gauged_distances_picture


def _known_boundaries_screen(text: str, threshold: float | None, tools: Tools) -> Drawn:
    # A blank line is where the subject changes.
    text_sections = text.split("\n\n")
    text = "\n".join(text_sections) + "\n"
    section_starts = tuple(len("\n".join(text_sections[:number])) + 1 for number in range(1, len(text_sections)))
    chunking = _chunk_at_distance_threshold(text, threshold or OPENING_THRESHOLD, tools)
    known_boundaries_picture = _picture_with_distance_gauges(chunking)
    for picture_gap, sentence_start in zip(known_boundaries_picture["gaps"], chunking.document.starts[1:], strict=True):
        picture_gap["said"] += " ▲" * (sentence_start in section_starts)
    found_boundary_count, missed_boundary_count, extra_cut_count = count_found_missed_added(
        cut_offsets(chunking), section_starts
    )
    return Drawn(
        Slide("Threshold", 0.4, 0.95, 0.01, OPENING_THRESHOLD),
        known_boundaries_picture,
        f"{found_boundary_count} found, {missed_boundary_count} missed; {pluralize(extra_cut_count, 'cut')} elsewhere.",
    )


def _search_by_question_screen(text: str, question: str | None, tools: Tools) -> Drawn:
    chunking = _chunk_at_distance_threshold(text, 0.8, tools)
    if question is None:
        return Drawn("question", picture_of_chunked_text(chunking), "")
    chunk_ranking = _rank_chunks_for_question(chunking, checked_question(question), Limit(top=1), tools)
    ranked_chunk_numbers, chunk_distances = (
        chunk_ranking.ranking.order.tolist(),
        [1 - score for score in chunk_ranking.ranking.scores.tolist()],
    )
    screen_picture = new_picture("")
    document, nearest_chunk = chunking.document, chunking[ranked_chunk_numbers[0]]
    chunk_last_sentence_number = document.sentence_at(nearest_chunk.end - 1)
    screen_picture["rows"] = sentence_rows(
        document, range(document.sentence_at(nearest_chunk.start), chunk_last_sentence_number + 1), chunking
    )
    screen_picture["ranks"] = rows_of_ranked_texts(
        [
            (chunk, f"chunk {chunk + 1}", chunking[chunk].text, far)
            for chunk, far in zip(ranked_chunk_numbers, chunk_distances, strict=True)
        ]
    )
    return Drawn(
        "question",
        screen_picture,
        f"Chunk {ranked_chunk_numbers[0] + 1} is found, at distance {format_number(chunk_distances[0], '.2f')}.",
    )


def _rank_chunks_for_question(chunking: Chunking, question: str, retrieval_limit: Limit, tools: Tools) -> AskedQuestion:
    return retrieve_for_question(
        build_search_index_of_text(chunking, tools, "embedding"),
        question,
        tools,
        retrieval_limit,
        TokenRuler(chunking.document.text, tools.tokenizer),
    )


@cache_results_in(
    LRUDict(4), lambda text, tools: (text, tools.embedder.name if tools.embedder else "", tools.tokenizer.name)
)
def working_repairs(text: str, tools: Tools) -> list[Variation]:
    """Return the tested settings that keep the last screen's answer whole, smallest changes first."""
    document = _document_with_lines_as_sentences(text)
    # Only settings that need no new embeddings are tried: they must not depend on what else has been embedded.
    tools = replace(tools, cache=EmbeddingCache(None))
    tools.embed(document.sentence_texts)
    failing_chunker = build_chunker("fixed_sentences", {"size": SENTENCES_PER_CHUNK})
    failing_column = FailingColumn(
        failing_chunker,
        run_and_time_chunker(failing_chunker, document, tools),
        "embedding",
        Limit(budget=TOKEN_BUDGET),
        posed=PosedQuestion(EXAMPLE_QUESTION, _answer_span(document)),
    )
    setting_trials = try_settings_leaving_answer_uncut(failing_column, tools)
    return [
        remedy.variation
        for remedy in remedies_for_answer(failing_column, setting_trials, tools, TokenRuler(document.text, tools.tokenizer))
    ]


def _answer_span(document: Document) -> Span:
    first_answer_sentence_number, sentence_number_after_answer = ANSWER_SENTENCE_RANGE
    return Span(
        document.sentences[first_answer_sentence_number].start, document.sentences[sentence_number_after_answer - 1].end
    )


def _repair_screen(text: str, chosen_option: str | None, tools: Tools) -> Drawn:
    document, offered_repairs = _document_with_lines_as_sentences(text), working_repairs(text, tools)
    repair_options = {
        str(number): repair.words[0].upper() + repair.words[1:] for number, repair in enumerate(offered_repairs)
    }
    chunking_before = _run_named_chunker("fixed_sentences", {"size": SENTENCES_PER_CHUNK}, document, tools)
    chunking_after = (
        run_and_time_chunker(offered_repairs[int(chosen_option)].chunker, document, tools)
        if chosen_option in repair_options
        else chunking_before
    )
    judgement = judge_retrieval(
        _rank_chunks_for_question(chunking_after, EXAMPLE_QUESTION, Limit(budget=TOKEN_BUDGET), tools),
        _answer_span(document),
    )
    repaired_chunks_picture = picture_of_chunked_text(chunking_after, marked_span=_answer_span(document))
    # What follows the answer is of no interest.
    shown_row_count = ANSWER_SENTENCE_RANGE[1] + 2
    hidden_row_count = len(repaired_chunks_picture["rows"]) - shown_row_count
    repaired_chunks_picture["rows"], repaired_chunks_picture["gaps"] = (
        repaired_chunks_picture["rows"][:shown_row_count],
        repaired_chunks_picture["gaps"][: shown_row_count - 1],
    )
    repaired_chunks_picture["after"] = f"… {pluralize(hidden_row_count, 'sentence')} …" if hidden_row_count > 0 else ""
    chunk_count_phrase = pluralize(len(chunking_after), "chunk")
    if judgement.fate == "whole":
        result_in_words = (
            f"Whole in chunk {judgement.chunks[0].number + 1}; {chunk_count_phrase} instead of {len(chunking_before)}."
        )
    else:
        result_in_words = (
            f"{chunk_count_phrase}: the model gets {'only a part' if judgement.missed_character_count else 'all'} of the "
            "answer."
        )
    return Drawn(Choice("Repair", repair_options), repaired_chunks_picture, result_in_words)


_BEE_LINES, _BREAD_LINES, _MORE_BEE_LINES = (text.splitlines() for text in (BEES_TEXT, BREAD_TEXT, SECOND_BEES_TEXT))

THREE_TOPICS_TEXT = "\n\n".join("\n".join(lines) for lines in (_BEE_LINES[:2], _BREAD_LINES[:2], _MORE_BEE_LINES[1:]))
"""Two sentences on each of three subjects."""

SCREENS = (
    Screen(
        "The smallest piece",
        "A program divides a text into [sentences]. That is hard: not every point ends one.",
        "How many sentences do you see? Choose.",
        "Bees make honey from nectar. It is approx. 80 % water. Dr. Braun measured 17.2 % in ripe honey.",
        _sentence_count_guess_screen,
    ),
    Screen(
        "Where would you cut?",
        "A [language model] reads only a few pages at a time. So a long text is cut into [chunks]: pieces that are stored "
        "and found one by one.",
        "Click between two sentences to cut there.",
        SIX_SENTENCE_TEXT,
        _own_cuts_screen,
    ),
    Screen(
        "How long is a piece?",
        "A model reads [tokens]: words and parts of words. The size of a chunk is the number of its tokens.",
        "Move the size and watch the chunks, each with its colour and number.",
        BEES_TEXT,
        _token_size_screen,
    ),
    Screen(
        "What if a chunk is full?",
        "A fixed size cuts where the chunk is full, even within a sentence.",
        "Let it count whole sentences instead of words.",
        SIX_SENTENCE_TEXT,
        _words_or_sentences_screen,
    ),
    Screen(
        "What is lost at a cut?",
        "Some sentences make sense only together. With [overlap], a chunk repeats the end of the one before. The price: "
        "more to store and to read.",
        "Move the overlap.",
        SIX_SENTENCE_TEXT,
        _overlap_screen,
    ),
    Screen(
        "Which mean nearly the same?",
        "An [embedder] turns a sentence into an [embedding], a row of numbers. The closer the meaning, the smaller the "
        "[distance] between two rows.",
        "Which of A, B and C is closest in meaning to sentence 1?",
        "Bees make honey from nectar.\nThe bee is on the cover of the book.\n"
        "Insects turn the juice of flowers into something sweet.\nBread is made from flour.\n",
        _closest_sentence_guess_screen,
    ),
    Screen(
        "Cut here?",
        "A [chunker] is a method that cuts. Breakpoint measures the distance at each [gap] between two sentences, the bar, "
        "and cuts where it is above a line, the [threshold].",
        "Will it cut before sentence 3?",
        SIX_SENTENCE_TEXT,
        _cut_prediction_screen,
    ),
    Screen(
        "Is the cut right?",
        "Here we know where the subject changes: at the [known boundaries] ▲. A high threshold misses some, a low one cuts "
        "elsewhere too.",
        "Move the threshold until it finds both and cuts nowhere else.",
        THREE_TOPICS_TEXT,
        _known_boundaries_screen,
    ),
    Screen(
        "What does a question find?",
        "[Retrieval] turns the question into an embedding too, and finds the chunks at the smallest distance. The language "
        "model is given nothing else of the text.",
        "Ask something about bees or bread.",
        THREE_TOPICS_TEXT.replace("\n\n", "\n"),
        _search_by_question_screen,
    ),
    Screen(
        "Is the answer whole?",
        f"The answer to “{EXAMPLE_QUESTION}” is underlined, but cut apart: the nearest {TOKEN_BUDGET} tokens lack a part.",
        "Choose a repair.",
        f"{BEES_TEXT}{BREAD_TEXT}{SECOND_BEES_TEXT}",
        _repair_screen,
    ),
)
"""The path, from the sentence to the answer."""
