"""Propositions by a language model: stated from a text, tied to the words that they quote, and sorted into chunks."""

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from chunkers.building_blocks.size_limits import first_unit_index_after_window
from chunkers.contract import Tools
from chunkers.language_models import (
    Message,
    UnusableAnswer,
    answer_schemas_and_parsers,
    ask_until_usable,
    parse_json_answer,
    prompts,
)
from chunkers.results import Proposition, QuotationMatch
from chunkers.text import SHORTEST_ALTERED_EXCERPT, ComparisonBudget, Document, Quotation, SearchableText, Span, shorten

_ANSWER_TOKENS_PER_TEXT_TOKEN = 6
"""Tokens of an answer for each of the text, which is stated and quoted."""

_MOST_PROPOSITIONS_PER_SENTENCE = 3
"""Most propositions of a sentence, on average, that a schema allows."""

_MOST_CHARACTERS_BEYOND_SENTENCE = 100
"""Characters that a proposition may have beyond the longest sentence of its window where a schema bounds it."""

_EXTRA_ANSWER_TOKENS_PER_PROPOSITION = 30
"""Tokens of an answer for each proposition besides its words."""

_LEAST_CHARACTERS_PER_TOKEN = 3
"""Characters of a token, on average, at the least."""

_MAX_COMPARED_CHARACTER_PAIRS = 2_000_000_000
"""Pairs of characters that are compared to find quotations with changes in one text: some seconds."""

_CHARACTERS_READ_BEFORE_WORD = 8
"""Characters before a word that are looked at for the end of a sentence."""

_WORD_PATTERN = re.compile(r"[^\W\d_]+")
_NUMBER_PATTERN = re.compile(r"\d(?:[\d.,:]*\d)?")


class SentenceWindow(NamedTuple):
    """A window of sentences ``first`` to ``last - 1``, with its number of tokens."""

    first: int
    last: int
    tokens: int


class Claim(NamedTuple):
    """A proposition stated by the model, with the index of its source sentence and the words quoted from the text."""

    text: str
    sentence: int
    quotation: str


@dataclass
class StatedPropositions:
    """A language model's propositions for a text, with the sentences for which no answer was usable.

    Attributes
    ----------
    propositions
        Propositions whose source was found, and the sentences that no proposition restates, in text order.
    left_out
        Propositions whose source was not found, in the order of the answers.
    complaint_by_sentence
        Sentences of windows without a usable answer, each with the reason.
    window_count, failed_window_count
        Number of windows, and number of windows without a usable answer.
    repeated_count
        Number of propositions that were stated twice with the same source, and are kept only once.
    """

    propositions: list[Proposition] = field(default_factory=list)
    left_out: list[Proposition] = field(default_factory=list)
    complaint_by_sentence: dict[int, str] = field(default_factory=dict)
    window_count: int = 0
    failed_window_count: int = 0
    repeated_count: int = 0


def consecutive_sentence_windows(document: Document, max_window_tokens: int, tools: Tools) -> list[SentenceWindow]:
    """Divide the sentences into consecutive windows of at most ``max_window_tokens``, with at least one sentence each."""
    sentence_token_counts = tools.count_tokens(document.sentence_texts)
    window_edge_sentence_indices = [0]
    while window_edge_sentence_indices[-1] < len(sentence_token_counts):
        window_edge_sentence_indices.append(
            first_unit_index_after_window(sentence_token_counts, window_edge_sentence_indices[-1], max_window_tokens, 1)
        )
    return [
        SentenceWindow(first, last, sum(sentence_token_counts[first:last]))
        for first, last in pairwise(window_edge_sentence_indices)
    ]


def propositions_prompt(document: Document, window: SentenceWindow, preceding_sentence_count: int) -> list[Message]:
    """Return the prompt that asks for a window's propositions, with some preceding sentences as context."""
    first_sentence_index, sentences_end_index, _ = window
    document_sentence_texts = document.sentence_texts
    preceding_sentences_text = "\n".join(
        document_sentence_texts[max(0, first_sentence_index - preceding_sentence_count) : first_sentence_index]
    )
    numbered_sentences_text = "".join(
        prompts.PROPOSITIONS_SENTENCE_TEMPLATE.format(number=number + 1, text=document_sentence_texts[number])
        for number in range(first_sentence_index, sentences_end_index)
    )
    propositions_question_text = prompts.PROPOSITIONS_QUESTION_TEMPLATE.format(
        before=prompts.PROPOSITIONS_CONTEXT_TEMPLATE.format(text=preceding_sentences_text)
        if preceding_sentences_text
        else "",
        pieces=numbered_sentences_text,
        first=first_sentence_index + 1,
        last=sentences_end_index,
    )
    return [Message("system", prompts.PROPOSITIONS_SYSTEM_PROMPT), Message("user", propositions_question_text)]


def request_propositions(
    document: Document,
    max_window_tokens: int,
    preceding_sentence_count: int,
    tools: Tools,
    report_finished_sentence_count: Callable[[int], None],
) -> StatedPropositions:
    """Ask a language model for a text's propositions, with several windows of sentences in parallel.

    Parameters
    ----------
    document
        The text.
    max_window_tokens
        Maximum number of tokens in a window.
    preceding_sentence_count
        Number of sentences before a window that the model also sees.
    tools
        Services, including the language model.
    report_finished_sentence_count
        Called after each window with the number of sentences processed so far.

    Raises
    ------
    ModelError
        If the model does not answer, or the request would exceed the spending limit.
    Cancelled
        If the user stops.
    """
    windows_of_sentences = consecutive_sentence_windows(document, max_window_tokens, tools)
    progress_lock, finished_sentence_count = threading.Lock(), 0

    def request_window_claims(window_tools: Tools, window: SentenceWindow) -> list[Claim] | str:
        nonlocal finished_sentence_count
        window_sentence_count = window.last - window.first
        answer_token_limit = (
            answer_schemas_and_parsers.TOKENS_BESIDE_CONTENT
            + _ANSWER_TOKENS_PER_TEXT_TOKEN * window.tokens
            + 2 * _EXTRA_ANSWER_TOKENS_PER_PROPOSITION * window_sentence_count
        )
        number_bounds_by_field = {"sentence": (window.first + 1, window.last)}
        propositions_answer_form = answer_schemas_and_parsers.PROPOSITIONS_ANSWER.copy_with_answer_limits(
            number_bounds_by_field, answer_token_limit, _compute_answer_limit_per_field(document, window, answer_token_limit)
        )
        window_answer_parser = partial(
            parse_claims, first_sentence_number=window.first + 1, last_sentence_number=window.last
        )
        try:
            propositions_prompt_messages = propositions_prompt(document, window, preceding_sentence_count)
            claims_or_failure_reason: list[Claim] | str = ask_until_usable(
                partial(window_tools.ask, kind=propositions_answer_form),
                propositions_prompt_messages,
                window_answer_parser,
                window_tools.report_usability,
            )
        except UnusableAnswer as complaint:
            claims_or_failure_reason = complaint.summary
        with progress_lock:
            finished_sentence_count += window_sentence_count
            report_finished_sentence_count(finished_sentence_count)
        return claims_or_failure_reason

    claims_or_complaints = tools.together([partial(request_window_claims, window=window) for window in windows_of_sentences])
    return _tie_claims_to_text(document, windows_of_sentences, claims_or_complaints)


def _compute_answer_limit_per_field(
    document: Document, window: SentenceWindow, answer_token_limit: int
) -> answer_schemas_and_parsers.SizeLimitByField:
    """Return sizes with which an answer fits into its tokens, so that a model that repeats itself comes to an end."""
    window_sentence_count, window_sentence_texts = (
        window.last - window.first,
        document.sentence_texts[window.first : window.last],
    )
    longest_sentence_length = max(map(len, window_sentence_texts))
    longest_proposition_length = longest_sentence_length + _MOST_CHARACTERS_BEYOND_SENTENCE
    fitting_proposition_count = answer_token_limit // (
        (longest_sentence_length + longest_proposition_length) // _LEAST_CHARACTERS_PER_TOKEN
        + _EXTRA_ANSWER_TOKENS_PER_PROPOSITION
    )
    return {
        "text": longest_proposition_length,
        "quotation": longest_sentence_length,
        "propositions": max(
            window_sentence_count, min(_MOST_PROPOSITIONS_PER_SENTENCE * window_sentence_count, fitting_proposition_count)
        ),
    }


def parse_claims(answer: str, first_sentence_number: int, last_sentence_number: int) -> list[Claim]:
    """Parse a model's answer into propositions about a range of sentences.

    The range includes both its first and its last sentence; sentences are numbered from 1.

    Raises
    ------
    UnusableAnswer
        If the answer has another form, has no proposition, or names a sentence outside the range.
    """
    claims_in_answer = []
    for stated_proposition in parse_json_answer(answer, answer_schemas_and_parsers.PropositionsAnswer).propositions:
        if not first_sentence_number <= stated_proposition.sentence <= last_sentence_number:
            raise UnusableAnswer(
                f"the answer may name only sentences {first_sentence_number} to {last_sentence_number}; it names sentence "
                f"{stated_proposition.sentence}"
            )
        if not stated_proposition.text.strip():
            raise UnusableAnswer("the answer must give every proposition a text; one text is empty")
        claims_in_answer.append(
            Claim(
                " ".join(stated_proposition.text.split()),
                stated_proposition.sentence - 1,
                stated_proposition.quotation.strip(),
            )
        )
    if not claims_in_answer:
        raise UnusableAnswer("the answer must state at least one proposition; it states none")
    return claims_in_answer


def _tie_claims_to_text(
    document: Document, windows: Sequence[SentenceWindow], claims_or_complaints: Sequence[list[Claim] | str]
) -> StatedPropositions:
    """Tie the propositions of each window to the text; sentences without a proposition stand for themselves."""
    document_propositions = StatedPropositions(window_count=len(windows))
    text_and_claim_vocabulary = Vocabulary.collect_words_and_numbers(
        document.text, [claim.text for claims in claims_or_complaints if not isinstance(claims, str) for claim in claims]
    )
    comparison_budget = ComparisonBudget(_MAX_COMPARED_CHARACTER_PAIRS)
    restated_sentence_indices: set[int] = set()
    distinct_proposition_by_key: dict[tuple[str, Span], Proposition] = {}
    for window, claims in zip(windows, claims_or_complaints, strict=True):
        if isinstance(claims, str):
            document_propositions.failed_window_count += 1
            failed_window_explanation = f"{claims} (sentences {window.first + 1:,} to {window.last:,})"
            document_propositions.complaint_by_sentence |= dict.fromkeys(
                range(window.first, window.last), failed_window_explanation
            )
            continue
        window_start_offset = document.sentences[window.first].start
        searchable_window_text = SearchableText(
            document.text[window_start_offset : document.sentences[window.last - 1].end], comparison_budget
        )
        for claim in claims:
            tied_proposition = _proposition_from_claim(
                document, searchable_window_text, window_start_offset, claim, text_and_claim_vocabulary
            )
            if tied_proposition.span is None:
                document_propositions.left_out.append(tied_proposition)
                continue
            document_propositions.repeated_count += (
                tied_proposition.text,
                tied_proposition.span,
            ) in distinct_proposition_by_key
            distinct_proposition_by_key.setdefault((tied_proposition.text, tied_proposition.span), tied_proposition)
            restated_sentence_indices.update(overlapped_sentence_indices(document, tied_proposition.span))
    unstated_sentence_propositions = [
        Proposition(text, span)
        for number, (text, span) in enumerate(zip(document.sentence_texts, document.sentences, strict=True))
        if number not in restated_sentence_indices
    ]
    # Of those whose sources begin at one place, the first that was stated is first.
    document_propositions.propositions = sorted(
        [*distinct_proposition_by_key.values(), *unstated_sentence_propositions],
        key=lambda stated: stated.span.start if stated.span else 0,
    )
    return document_propositions


def overlapped_sentence_indices(document: Document, span: Span) -> range:
    """Return the indices of the sentences that overlap a span."""
    return range(document.sentence_at(span.start), document.sentence_at(span.end - 1) + 1)


def _proposition_from_claim(
    document: Document,
    searchable_window_text: SearchableText,
    window_start_offset: int,
    claim: Claim,
    vocabulary: "Vocabulary",
) -> Proposition:
    """Tie a claim to the text of its window, which begins at ``window_start_offset``."""
    claim_text, sentence_index, quotation = claim
    quotation_span_and_match = (
        _locate_quotation(searchable_window_text, document.sentences[sentence_index], window_start_offset, quotation)
        if quotation
        else None
    )
    if quotation_span_and_match is None:
        return Proposition(claim_text, None, "nowhere", quotation, sentence=sentence_index)
    quotation_span, quotation_match_kind = quotation_span_and_match
    source_sentence_range = overlapped_sentence_indices(document, quotation_span)
    source_sentences_text = document.text[slice(*document.slice(source_sentence_range.start, source_sentence_range.stop))]
    words_found_elsewhere, words_missing_from_document = find_unsupported_names_and_numbers(
        claim_text, source_sentences_text, vocabulary
    )
    return Proposition(
        claim_text, quotation_span, quotation_match_kind, quotation, words_found_elsewhere, words_missing_from_document
    )


def _locate_quotation(
    searchable_window_text: SearchableText, sentence_span: Span, window_start_offset: int, quotation: str
) -> tuple[Span, QuotationMatch] | None:
    """Return the span of a quotation: in its sentence if it is there, otherwise as near as possible in the window."""
    quotation_start_in_window = searchable_window_text.text.find(
        quotation, sentence_span.start - window_start_offset, sentence_span.end - window_start_offset
    )
    if quotation_start_in_window >= 0:
        return Span(
            window_start_offset + quotation_start_in_window, window_start_offset + quotation_start_in_window + len(quotation)
        ), "word for word"
    quotation_to_find = Quotation(quotation, start=sentence_span.start - window_start_offset)
    quotation_match_kind: QuotationMatch = "word for word"
    quotation_match = searchable_window_text.exact_match(quotation_to_find)
    if quotation_match is None:
        quotation_match_kind, quotation_match = "typography", searchable_window_text.typographic_match(quotation_to_find)
    if quotation_match is None and len(quotation) >= SHORTEST_ALTERED_EXCERPT:
        quotation_match_kind, quotation_match = "altered", searchable_window_text.altered_match(quotation_to_find)
    return (
        None
        if quotation_match is None
        else (
            Span(window_start_offset + quotation_match.span.start, window_start_offset + quotation_match.span.end),
            quotation_match_kind,
        )
    )


@dataclass(frozen=True)
class Vocabulary:
    """A text's vocabulary: lower-cased words, numbers, and words that occur with a lower-case initial."""

    words: frozenset[str]
    numbers: frozenset[str]
    lower_case_words: frozenset[str]

    @classmethod
    def collect_words_and_numbers(cls, text: str, other_texts: Sequence[str] = ()) -> "Vocabulary":
        """Build a text's vocabulary; words with a lower-case initial are taken from ``other_texts`` too."""
        text_words = {*_WORD_PATTERN.findall(text)}
        words_of_other_texts = {word for other in other_texts for word in _WORD_PATTERN.findall(other)}
        lowercase_words = {word for word in text_words | words_of_other_texts if not word[0].isupper()}
        return cls(
            frozenset(map(str.casefold, text_words)), frozenset(_NUMBER_PATTERN.findall(text)), frozenset(lowercase_words)
        )


def find_unsupported_names_and_numbers(
    proposition_text: str, source_text: str, document_vocabulary: Vocabulary
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names and numbers of a proposition that are missing from its source sentences.

    This is a simple check without any understanding of meaning. Numbers are compared digit by digit. Names are all words
    that begin with a capital letter; at the beginning of a sentence, only those that the text nowhere has in lower case.
    Names from elsewhere in the text make a proposition self-contained; words that are nowhere in the text may be
    invented.

    Parameters
    ----------
    proposition_text
        The proposition.
    source_text
        The sentences that the proposition restates.
    document_vocabulary
        Vocabulary of the whole text.

    Returns
    -------
    elsewhere, nowhere
        Words that occur elsewhere in the text, and words that do not occur in it.
    """
    source_vocabulary = Vocabulary.collect_words_and_numbers(source_text)
    words_found_elsewhere_in_document: list[str] = []
    words_missing_from_document: list[str] = []
    for word_match in _WORD_PATTERN.finditer(proposition_text):
        word, text_before_word = (
            word_match.group(),
            proposition_text[max(0, word_match.start() - _CHARACTERS_READ_BEFORE_WORD) : word_match.start()].rstrip(
                "\"'“”‘’«»([ "
            ),
        )
        is_sentence_initial_word = not text_before_word or text_before_word[-1] in ".!?:…"
        is_ordinary_word = not word[0].isupper() or (
            is_sentence_initial_word and word.lower() in document_vocabulary.lower_case_words
        )
        if not is_ordinary_word and word.casefold() not in source_vocabulary.words:
            (
                words_found_elsewhere_in_document
                if word.casefold() in document_vocabulary.words
                else words_missing_from_document
            ).append(word)
    for numeral in _NUMBER_PATTERN.findall(proposition_text):
        if numeral not in source_vocabulary.numbers:
            (
                words_found_elsewhere_in_document if numeral in document_vocabulary.numbers else words_missing_from_document
            ).append(numeral)
    return tuple(dict.fromkeys(words_found_elsewhere_in_document)), tuple(dict.fromkeys(words_missing_from_document))


# Propositions sorted into chunks, each with a title and a summary by the model.

LONGEST_TITLE = 200
"""Maximum number of characters of a title that a model gives; a longer one is cut."""

LONGEST_SUMMARY = 1_000
"""Maximum number of characters of a summary that a model gives; a longer one is cut."""

LONGEST_SHOWN_PROPOSITION = 1_000
"""Maximum number of characters shown of a proposition to sort; an original sentence that stands for itself may be longer."""

MOST_LISTED_CHUNKS = 100
"""Maximum number of chunks listed with their summaries when propositions are sorted: the most recently used ones."""

_ANSWER_TOKENS_PER_PLACEMENT = 200
"""Tokens of an answer for each proposition: its number, and the title and summary of its chunk."""


@dataclass
class PropositionGroup:
    """A chunk that the model has started: its title, summary and proposition indices."""

    title: str = ""
    summary: str = ""
    proposition_indices: list[int] = field(default_factory=list)


@dataclass
class GroupedPropositions:
    """Propositions grouped into chunks, with a reason for each proposition whose batch got no usable answer."""

    groups: list[PropositionGroup] = field(default_factory=list)
    complaint_by_proposition: dict[int, str] = field(default_factory=dict)
    batch_count: int = 0
    failed_batch_count: int = 0


def request_proposition_groups(
    proposition_texts: Sequence[str], batch_size: int, tools: Tools, report_sorted_proposition_count: Callable[[int], None]
) -> GroupedPropositions:
    """Have a language model group propositions into chunks, one batch of propositions at a time.

    The original method places one proposition at a time and asks again for the chunk's title and summary. Here one
    answer places a whole batch and updates the titles and summaries of the chunks that receive propositions. A batch
    without a usable answer becomes a chunk without a title.

    Parameters
    ----------
    proposition_texts
        The propositions, in order.
    batch_size
        Maximum number of propositions per request.
    tools
        Services, including the language model.
    report_sorted_proposition_count
        Called after each batch with the number of propositions sorted so far.

    Raises
    ------
    ModelError
        If the model does not answer, or the request would exceed the spending limit.
    Cancelled
        If the user stops.
    """
    grouped_propositions = GroupedPropositions()
    last_batch_by_group: dict[int, int] = {}
    for batch_start_index in range(0, len(proposition_texts), batch_size):
        batch_end_index = min(batch_start_index + batch_size, len(proposition_texts))
        grouped_propositions.batch_count += 1
        listed_group_indices = sorted(sorted(last_batch_by_group, key=last_batch_by_group.__getitem__)[-MOST_LISTED_CHUNKS:])
        answer_token_limit = answer_schemas_and_parsers.TOKENS_BESIDE_CONTENT + _ANSWER_TOKENS_PER_PLACEMENT * (
            batch_end_index - batch_start_index
        )
        # Without chunks so far, no number of one is allowed.
        chunk_number_bounds = (
            (listed_group_indices[0] + 1, listed_group_indices[-1] + 1) if listed_group_indices else (0, -1)
        )
        # No more chunks, and no more in each, than there are propositions.
        answer_list_size_limits = {
            "chunks": batch_end_index - batch_start_index,
            "propositions": batch_end_index - batch_start_index,
        }
        grouping_answer_form = answer_schemas_and_parsers.GROUP_PLACEMENTS_ANSWER.copy_with_answer_limits(
            {"chunk": chunk_number_bounds, "propositions": (batch_start_index + 1, batch_end_index)},
            answer_token_limit,
            answer_list_size_limits,
        )
        grouping_answer_parser = partial(
            parse_proposition_placements,
            listed_chunk_numbers=[number + 1 for number in listed_group_indices],
            first_proposition_number=batch_start_index + 1,
            last_proposition_number=batch_end_index,
        )
        try:
            grouping_prompt_messages = grouping_prompt(
                grouped_propositions.groups, listed_group_indices, proposition_texts, batch_start_index, batch_end_index
            )
            batch_placements = ask_until_usable(
                partial(tools.ask, kind=grouping_answer_form),
                grouping_prompt_messages,
                grouping_answer_parser,
                tools.report_usability,
            )
        except UnusableAnswer as complaint:
            grouped_propositions.failed_batch_count += 1
            unusable_batch_complaint = f"{complaint.summary} (propositions {batch_start_index + 1:,} to {batch_end_index:,})"
            grouped_propositions.complaint_by_proposition |= dict.fromkeys(
                range(batch_start_index, batch_end_index), unusable_batch_complaint
            )
            grouped_propositions.groups.append(
                PropositionGroup(proposition_indices=[*range(batch_start_index, batch_end_index)])
            )
        else:
            for placed_chunk in batch_placements:
                if placed_chunk.chunk is None:
                    grouped_propositions.groups.append(PropositionGroup())
                receiving_group_number = (
                    len(grouped_propositions.groups) if placed_chunk.chunk is None else placed_chunk.chunk
                )
                receiving_group = grouped_propositions.groups[receiving_group_number - 1]
                receiving_group.title, receiving_group.summary = (
                    shorten(placed_chunk.title, LONGEST_TITLE),
                    shorten(placed_chunk.summary, LONGEST_SUMMARY),
                )
                receiving_group.proposition_indices += [proposition - 1 for proposition in placed_chunk.propositions]
                last_batch_by_group[receiving_group_number - 1] = batch_start_index
        report_sorted_proposition_count(batch_end_index)
    for proposition_group in grouped_propositions.groups:
        proposition_group.proposition_indices.sort()
    return grouped_propositions


def grouping_prompt(
    groups: Sequence[PropositionGroup],
    listed_group_indices: Sequence[int],
    proposition_texts: Sequence[str],
    first_proposition_index: int,
    propositions_end_index: int,
) -> list[Message]:
    """Return the prompt that asks the model to assign a range of propositions to chunks.

    The range is ``first_proposition_index`` to ``propositions_end_index - 1``.
    """
    listed_groups_text = "".join(
        prompts.GROUPS_CHUNK_TEMPLATE.format(number=number + 1, title=groups[number].title, summary=groups[number].summary)
        for number in listed_group_indices
    )
    numbered_propositions_text = "".join(
        prompts.UNGROUPED_PROPOSITION_TEMPLATE.format(
            number=number + 1, text=shorten(proposition_texts[number], LONGEST_SHOWN_PROPOSITION)
        )
        for number in range(first_proposition_index, propositions_end_index)
    )
    grouping_question_text = prompts.GROUPS_QUESTION_TEMPLATE.format(
        chunks=listed_groups_text or prompts.NO_GROUPS_YET_PLACEHOLDER,
        pieces=numbered_propositions_text,
        first=first_proposition_index + 1,
        last=propositions_end_index,
    )
    return [Message("system", prompts.GROUPS_SYSTEM_PROMPT), Message("user", grouping_question_text)]


def parse_proposition_placements(
    answer: str, listed_chunk_numbers: Sequence[int], first_proposition_number: int, last_proposition_number: int
) -> list[answer_schemas_and_parsers.PlacedChunk]:
    """Parse an answer that assigns a range of propositions to chunks.

    The range includes both its first and its last proposition; propositions are numbered from 1. A proposition
    belongs to the first chunk that lists it. Chunks without propositions are left out.

    Raises
    ------
    UnusableAnswer
        If the answer has another form, names a chunk that is not in ``listed_chunk_numbers``, or omits a proposition.
    """
    answered_placements = parse_json_answer(answer, answer_schemas_and_parsers.PlacementsAnswer).chunks
    placed_proposition_numbers: set[int] = set()
    for placed_chunk in answered_placements:
        if placed_chunk.chunk is not None and placed_chunk.chunk not in listed_chunk_numbers:
            listed_chunks_phrase = (
                f"the list has only {', '.join(map(str, listed_chunk_numbers))}"
                if listed_chunk_numbers
                else "none is listed"
            )
            raise UnusableAnswer(
                f"the answer may name only listed chunks; it names chunk {placed_chunk.chunk}, but {listed_chunks_phrase}"
            )
        if not placed_chunk.title.strip():
            raise UnusableAnswer("the answer must give every chunk a title; one title is empty")
        for proposition_number in placed_chunk.propositions:
            if not first_proposition_number <= proposition_number <= last_proposition_number:
                raise UnusableAnswer(
                    f"the answer may assign only propositions {first_proposition_number} to {last_proposition_number}; it "
                    f"names proposition {proposition_number}"
                )
        # Small models go on repeating a chunk.
        placed_chunk.propositions = [
            number for number in dict.fromkeys(placed_chunk.propositions) if number not in placed_proposition_numbers
        ]
        placed_proposition_numbers.update(placed_chunk.propositions)
    unplaced_proposition_numbers = [
        number
        for number in range(first_proposition_number, last_proposition_number + 1)
        if number not in placed_proposition_numbers
    ]
    if unplaced_proposition_numbers:
        raise UnusableAnswer(
            f"the answer must assign every proposition to a chunk; it leaves out proposition "
            f"{unplaced_proposition_numbers[0]}"
        )
    return [placement for placement in answered_placements if placement.propositions]
