"""The chunker that has a language model restate a text as propositions and sort them by subject."""

from collections.abc import Sequence
from itertools import groupby
from typing import ClassVar

from pydantic import Field

from chunkers.building_blocks.proposition_requests import (
    MOST_LISTED_CHUNKS,
    GroupedPropositions,
    PropositionGroup,
    StatedPropositions,
    consecutive_sentence_windows,
    overlapped_sentence_indices,
    propositions_prompt,
    request_proposition_groups,
    request_propositions,
)
from chunkers.contract import Chunker, Estimate, Tools
from chunkers.language_models import MOST_ANSWER_RETRIES, prompts
from chunkers.results import Chunk, Chunking, Gap, Reason, StatedContent, Verdict
from chunkers.support import pluralize
from chunkers.text import Document, Span

_PROPOSITIONS_PER_SENTENCE = 1.5
"""Propositions of a sentence, as they are guessed for an estimate."""

_SENTENCES_PER_CHUNK = 6
"""Sentences of a chunk, likewise."""

_TITLE_AND_SUMMARY_TOKENS = 40
"""Tokens of a chunk's title and summary, likewise."""

_ANSWER_TOKENS_PER_TEXT_TOKEN = 2
"""Tokens of the answers for each of the text, which is stated and quoted; likewise."""

_EXTRA_ANSWER_TOKENS_PER_PROPOSITION = 40
"""Tokens of the answers for each proposition besides: the JSON around it, its number, its chunk; likewise."""

_MAX_LISTED_ITEMS = 5
"""Propositions, or sentences, that a note names."""


class Propositions(Chunker):
    """Chunker that has a language model restate the text as propositions and group the propositions into titled chunks.

    Source: the agentic chunker of Kamradt's “5 levels of text splitting”, which the article on double-pass merging
    cites; the propositions are those of Chen et al. (2023), “Dense X Retrieval”. There are two differences: each
    proposition quotes the words that it restates, which are then located in the text; and propositions are sorted in
    batches.

    The text of a chunk consists of its propositions. Its spans are the sentences that the propositions restate, so a
    sentence with several propositions may be in several chunks. A proposition whose quoted words are not found is in no
    chunk. A sentence without propositions represents itself, so that no text is lost; so do the sentences of a window
    without a usable answer after `MOST_ANSWER_RETRIES` retries. A batch of propositions without a usable answer becomes a
    chunk without a title.
    """

    name: ClassVar[str] = "propositions"
    title: ClassVar[str] = "Propositions"
    idea: ClassVar[str] = (
        "Lets a language model restate the text in sentences that are understood by themselves, and sort them by subject."
    )
    source: ClassVar[str] = "The article on double-pass merging, after Kamradt's agentic chunker"
    formula: ClassVar[str] = (
        r"\begin{aligned} &P = \textstyle\bigcup_w M(s_a, \dots, s_b), \quad q(p) \subseteq s_a \dots s_b; \\ "
        r"&c(p) = M(p, \{(t_c, z_c)\}) \end{aligned}"
    )
    symbols: ClassVar[str] = (
        r"$s_a, \dots, s_b$ the sentences of window $w$; $M$ the model's answer; $P$ all propositions; $q(p)$ the words "
        r"that $p$ quotes; $c(p)$ its chunk, one of those with titles $t_c$ and summaries $z_c$, or a new one"
    )
    failure: ClassVar[str] = (
        "What is searched is what the model wrote: it may leave something out or make something up, and only names, numbers "
        "and quotations are held against the text. It costs more than any other chunker here."
    )
    asks: ClassVar[bool] = True

    window: int = Field(
        400,
        ge=10,
        le=1_000_000,
        title="Window size",
        description="The most text that the model states at once; a longer sentence is stated alone.",
        json_schema_extra={"unit": "tokens", "step": 50, "offered": [100, 2000], "main": True},
    )
    before: int = Field(
        3,
        ge=0,
        le=100,
        title="Preceding sentences",
        description="Sentences before a window that the model sees too, to know whom and what pronouns mean.",
        json_schema_extra={"unit": "sentences", "step": 1, "offered": [0, 20]},
    )
    batch: int = Field(
        20,
        ge=1,
        le=500,
        title="Propositions per request",
        description="The most propositions that the model sorts into chunks in one request.",
        json_schema_extra={"unit": "propositions", "step": 1, "offered": [1, 50], "main": True},
    )

    @classmethod
    def wording(cls) -> tuple[str, ...]:
        """Return the prompts for the language model, with their placeholders."""
        restating_prompts = (
            prompts.PROPOSITIONS_SYSTEM_PROMPT,
            prompts.PROPOSITIONS_SENTENCE_TEMPLATE.rstrip(),
            prompts.PROPOSITIONS_QUESTION_TEMPLATE,
        )
        return (
            *restating_prompts,
            prompts.GROUPS_SYSTEM_PROMPT,
            prompts.GROUPS_CHUNK_TEMPLATE.rstrip(),
            prompts.GROUPS_QUESTION_TEMPLATE,
        )

    def describe(self) -> str:
        """Return the chunker's main settings as a short phrase."""
        return f"windows of {self.window:,} tokens, {self.batch:,} sorted at once"

    def chunk(self, document: Document, tools: Tools) -> Chunking:
        """Have a language model restate the document as propositions, and return groups of propositions as chunks.

        A text of one sentence is one chunk, so its propositions are not sorted.

        Raises
        ------
        ModelError
            If there is no language model, the model does not answer, or the request would exceed the spending limit.
        Cancelled
            If the user asked to stop; the answers so far are in the cache.
        """
        sentence_count = len(document.sentences)
        if not sentence_count:
            return Chunking(document, (), ())
        # Stating is taken for half of the work. Not `decided`, which would end a run that finds all answers
        # remembered.
        stated_propositions = request_propositions(
            document, self.window, self.before, tools, lambda ready: tools.watcher.deciding(ready, 2 * sentence_count)
        )
        proposition_texts = [proposition.text for proposition in stated_propositions.propositions]
        if sentence_count == 1:
            proposition_groups = GroupedPropositions(
                [PropositionGroup(proposition_indices=[*range(len(proposition_texts))])]
            )
        else:
            proposition_groups = request_proposition_groups(
                proposition_texts,
                self.batch,
                tools,
                lambda ready: tools.watcher.deciding(len(proposition_texts) + ready, 2 * len(proposition_texts)),
            )
        return _chunking_of_groups(document, stated_propositions, proposition_groups)

    def estimate(self, document: Document, tools: Tools) -> Estimate:
        """Estimate the requests and tokens needed to cut the document, assuming no retries; nothing is sent."""
        if not document.sentences:
            return Estimate(0, 0)
        proposition_windows = consecutive_sentence_windows(document, self.window, tools)
        prompt_texts = [
            message.text for part in proposition_windows for message in propositions_prompt(document, part, self.before)
        ]
        request_count, prompt_token_count = len(proposition_windows), sum(tools.count_tokens(prompt_texts))
        proposition_count, text_token_count = (
            round(_PROPOSITIONS_PER_SENTENCE * len(document.sentences)),
            sum(part.tokens for part in proposition_windows),
        )
        if len(document.sentences) > 1:
            grouping_batch_count = -(-proposition_count // self.batch)
            template_token_count = sum(tools.count_tokens([prompts.GROUPS_SYSTEM_PROMPT, prompts.GROUPS_QUESTION_TEMPLATE]))
            # The outline grows to all the chunks, but no further than what is listed of them.
            mean_listed_chunk_count = min(len(document.sentences) / _SENTENCES_PER_CHUNK / 2, MOST_LISTED_CHUNKS)
            request_count += grouping_batch_count
            prompt_token_count += round(
                grouping_batch_count * (template_token_count + mean_listed_chunk_count * _TITLE_AND_SUMMARY_TOKENS)
                + _PROPOSITIONS_PER_SENTENCE * text_token_count
            )
        return Estimate(
            request_count,
            prompt_token_count,
            _ANSWER_TOKENS_PER_TEXT_TOKEN * text_token_count + _EXTRA_ANSWER_TOKENS_PER_PROPOSITION * proposition_count,
        )


def _chunking_of_groups(
    document: Document, stated_propositions: StatedPropositions, grouped_propositions: GroupedPropositions
) -> Chunking:
    """Return the groups as chunks, in the order of their first sentences."""
    sentence_indices_by_proposition = [
        overlapped_sentence_indices(document, proposition.span)
        for proposition in stated_propositions.propositions
        if proposition.span is not None
    ]
    sentence_indices_by_group = [
        sorted({sentence for member in group.proposition_indices for sentence in sentence_indices_by_proposition[member]})
        for group in grouped_propositions.groups
    ]
    ordered_group_indices = sorted(
        range(len(sentence_indices_by_group)), key=lambda number: sentence_indices_by_group[number][0]
    )
    chunk_numbers_by_sentence: list[list[int]] = [[] for _ in document.sentences]
    group_chunks = []
    for chunk_number, group_index in enumerate(ordered_group_indices):
        for sentence_index in sentence_indices_by_group[group_index]:
            chunk_numbers_by_sentence[sentence_index].append(chunk_number)
        group_title, group_summary, proposition_indices = (
            grouped_propositions.groups[group_index].title,
            grouped_propositions.groups[group_index].summary,
            grouped_propositions.groups[group_index].proposition_indices,
        )
        group_propositions = tuple([stated_propositions.propositions[member] for member in proposition_indices])
        group_text = "\n".join([proposition.text for proposition in group_propositions])
        group_stated_content = StatedContent(group_title, group_summary, group_propositions)
        group_chunks.append(
            Chunk(
                _spans_of_sentence_runs(document, sentence_indices_by_group[group_index]),
                group_text,
                stated=group_stated_content,
            )
        )
    descriptions_by_sentence = _describe_propositions_of_sentences(
        stated_propositions, grouped_propositions, sentence_indices_by_proposition, chunk_numbers_by_sentence
    )
    sentence_gaps = [
        _gap_after_sentence(index, chunk_numbers_by_sentence, descriptions_by_sentence)
        for index in range(len(document.sentences) - 1)
    ]
    return Chunking(
        document,
        tuple(group_chunks),
        tuple(sentence_gaps),
        notes=_proposition_notes(document, stated_propositions, grouped_propositions),
        left_out=tuple(stated_propositions.left_out),
    )


def _spans_of_sentence_runs(document: Document, sentence_indices: Sequence[int]) -> tuple[Span, ...]:
    """Return the spans of runs of consecutive sentences."""
    grouped_sentence_runs = groupby(enumerate(sentence_indices), key=lambda item: item[1] - item[0])
    consecutive_sentence_index_lists = [[sentence for _, sentence in run] for _, run in grouped_sentence_runs]
    return tuple([document.slice(run[0], run[-1] + 1) for run in consecutive_sentence_index_lists])


def _describe_propositions_of_sentences(
    stated_propositions: StatedPropositions,
    grouped_propositions: GroupedPropositions,
    sentence_indices_by_proposition: Sequence[range],
    chunk_numbers_by_sentence: Sequence[Sequence[int]],
) -> list[tuple[str, str]]:
    """Return two descriptions for each sentence, long and short, of its propositions and their chunks."""
    proposition_count_by_sentence = [0] * len(chunk_numbers_by_sentence)
    sorting_failure_by_sentence: dict[int, str] = {}
    for proposition_index, (proposition, restated_sentence_indices) in enumerate(
        zip(stated_propositions.propositions, sentence_indices_by_proposition, strict=True)
    ):
        for described_sentence_index in restated_sentence_indices:
            proposition_count_by_sentence[described_sentence_index] += proposition.tied != "as it is"
            if proposition_index in grouped_propositions.complaint_by_proposition:
                sorting_failure_by_sentence[described_sentence_index] = grouped_propositions.complaint_by_proposition[
                    proposition_index
                ]
    long_and_short_descriptions = []
    for described_sentence_index, chunk_numbers in enumerate(chunk_numbers_by_sentence):
        chunks_phrase = f"chunk{'s' * (len(chunk_numbers) > 1)} {' and '.join(f'{chunk + 1:,}' for chunk in chunk_numbers)}"
        if described_sentence_index in stated_propositions.complaint_by_sentence:
            restatement_outcome_phrase = (
                f"{stated_propositions.complaint_by_sentence[described_sentence_index]}, so it stands for itself"
            )
        elif proposition_count_by_sentence[described_sentence_index]:
            restatement_outcome_phrase = (
                "1 proposition"
                if proposition_count_by_sentence[described_sentence_index] == 1
                else f"{proposition_count_by_sentence[described_sentence_index]:,} propositions"
            )
        else:
            restatement_outcome_phrase = "lost by the model, so it stands for itself"
        unsorted_reason_phrase = (
            f", not sorted: {sorting_failure_by_sentence[described_sentence_index]}"
            if described_sentence_index in sorting_failure_by_sentence
            else ""
        )
        long_and_short_descriptions.append(
            (
                f"sentence {described_sentence_index + 1:,}: {restatement_outcome_phrase}, in "
                f"{chunks_phrase}{unsorted_reason_phrase}",
                chunks_phrase,
            )
        )
    return long_and_short_descriptions


def _gap_after_sentence(
    sentence_index: int, chunk_numbers_by_sentence: Sequence[Sequence[int]], sentence_descriptions: Sequence[tuple[str, str]]
) -> Gap:
    """Return the decision after a sentence: a cut where a chunk has the next one and not this."""
    chunk_numbers_only_after_gap = {*chunk_numbers_by_sentence[sentence_index + 1]} - {
        *chunk_numbers_by_sentence[sentence_index]
    }
    (this_sentence_description, this_sentence_chunks_phrase), (next_sentence_description, next_chunks_phrase) = (
        sentence_descriptions[sentence_index],
        sentence_descriptions[sentence_index + 1],
    )
    gap_verdict_reason = Reason(
        remark=f"{this_sentence_description}; {next_sentence_description}",
        short=this_sentence_chunks_phrase
        if this_sentence_chunks_phrase == next_chunks_phrase
        else f"{this_sentence_chunks_phrase}, then {next_chunks_phrase}",
    )
    return Gap(sentence_index, None, None, Verdict.CUT if chunk_numbers_only_after_gap else Verdict.KEPT, gap_verdict_reason)


def _proposition_notes(
    document: Document, stated_propositions: StatedPropositions, grouped_propositions: GroupedPropositions
) -> tuple[str, ...]:
    """Return notes on lost sentences, invented propositions, and windows without a usable answer."""
    proposition_notes = []
    unstated_sentence_starts = [
        sentence.start
        for sentence in (
            proposition.span for proposition in stated_propositions.propositions if proposition.tied == "as it is"
        )
        if sentence is not None and document.sentence_at(sentence.start) not in stated_propositions.complaint_by_sentence
    ]
    if unstated_sentence_starts:
        unstated_sentence_numbers_phrase = _shortened_list_phrase(
            [f"{document.sentence_at(start) + 1:,}" for start in unstated_sentence_starts]
        )
        unstated_sentences_kept_clause = (
            "it stands for itself" if len(unstated_sentence_starts) == 1 else "they stand for themselves"
        )
        proposition_notes.append(
            f"Lost: the model stated nothing of {pluralize(len(unstated_sentence_starts), 'sentence')} "
            f"({unstated_sentence_numbers_phrase}); {unstated_sentences_kept_clause}."
        )
    if stated_propositions.left_out:
        has_single_invented_proposition = len(stated_propositions.left_out) == 1
        proposition_notes.append(
            f"Invented: {pluralize(len(stated_propositions.left_out), 'proposition')} "
            f"{'quotes' if has_single_invented_proposition else 'quote'} words that "
            f"are not in the text, and {'is' if has_single_invented_proposition else 'are'} left out."
        )
    unknown_word_lists = [proposition.nowhere for proposition in stated_propositions.propositions if proposition.nowhere]
    if unknown_word_lists:
        unknown_words_phrase = _shortened_list_phrase(
            [*dict.fromkeys(word for words in unknown_word_lists for word in words)]
        )
        proposition_notes.append(
            f"{pluralize(len(unknown_word_lists), 'proposition')} {'has' if len(unknown_word_lists) == 1 else 'have'} "
            f"names or numbers that the "
            f"text does not have: {unknown_words_phrase}. Compared are digits, and words with a capital letter."
        )
    if stated_propositions.repeated_count:
        proposition_notes.append(
            f"The model stated {pluralize(stated_propositions.repeated_count, 'proposition')} twice from the same words; "
            "once is "
            "kept."
        )
    if stated_propositions.failed_window_count:
        proposition_notes.append(
            f"The model gave no usable answer about {stated_propositions.failed_window_count:,} of "
            f"{pluralize(stated_propositions.window_count, 'window')}, "
            f"though it was asked up to {MOST_ANSWER_RETRIES + 1} times; the sentences there stand for themselves."
        )
    if grouped_propositions.failed_batch_count:
        proposition_notes.append(
            f"The model did not sort {grouped_propositions.failed_batch_count:,} of "
            f"{pluralize(grouped_propositions.batch_count, 'batch', 'batches')} of propositions "
            f"in a form that can be used, though it was asked up to {MOST_ANSWER_RETRIES + 1} times; each is a chunk "
            "without a title."
        )
    return tuple(proposition_notes)


def _shortened_list_phrase(list_items: Sequence[str]) -> str:
    """Return the first items of a list as a phrase, and how many more there are."""
    unlisted_count = len(list_items) - _MAX_LISTED_ITEMS
    return ", ".join(list_items[:_MAX_LISTED_ITEMS]) + (f" and {unlisted_count:,} more" if unlisted_count > 0 else "")
