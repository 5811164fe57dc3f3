"""The stage that lost the answer to each question of a trace: documents, chunks, ranking, or the language model."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from chunkers import Chunk, Chunking, Document, InputError, Span
from chunkers.files.external_chunks import GivenChunk, rebuild_text
from chunkers.found_again import DocumentNames, Place, Placement, UnorderedLocator, document_names, locate_chunks
from chunkers.support import IntArray, pluralize, short_repr
from chunkers.text import SHORTEST_ALTERED_EXCERPT, drop_spaces_and_simplify_signs
from evaluation.questions import intersection_of_ranges, trim_spaces_and_punctuation
from evaluation.retrieval import (
    AnswerRetrieval,
    Seam,
    count_missing_characters,
    judge_answer_retrieval,
)
from evaluation.traces.trace_files import RetrievedText, TracedQuestion

Stage = Literal["not in the documents", "in no chunk", "cut apart", "ranked too low", "not used", "cannot be told"]

MEANING_BY_STAGE: Mapping[Stage, str] = {
    "not in the documents": "no document has the passage that answers the question",
    "in no chunk": "a document has it, at a place that no chunk covers",
    "cut apart": "no chunk has all of it: a cut goes through it",
    "ranked too low": "a chunk has all of it, and the language model was not given it",
    "not used": "the language model was given all of it, and its answer was no good",
    "cannot be told": "the trace, or the documents and chunks at hand, do not say enough",
}
"""Every stage with its meaning, in the order in which an answer passes them."""

MOST_NAMED_BETTER_CHUNKS = 3
"""Maximum number of chunks before the right one that a sentence names."""

_NO_PASSAGE_EXPLANATION = "neither an excerpt nor a reference says what answers it"
_UNKNOWN_CHUNKS_EXPLANATION = (
    "the chunks that were searched are not known; name a file of them, or the chunker that makes them"
)


@dataclass(frozen=True)
class PassageOutcome:
    """Retrieval of a passage that answers a question: whether it was retrieved or which stage lost it, and the evidence.

    Attributes
    ----------
    stage
        The stage that lost it; None if it was retrieved.
    evidence
        The evidence, in words.
    seams
        The cuts inside it.
    place
        Its place in a document; None if it has none or several.
    judgement
        Its fate among the document's chunks; None if it was not looked for there.
    """

    stage: Stage | None
    evidence: str
    seams: tuple[Seam, ...] = ()
    place: Place | None = None
    judgement: AnswerRetrieval | None = None

    @property
    def was_retrieved(self) -> bool | None:
        """True if all of it was retrieved, in one chunk or in several; None if that cannot be told."""
        if self.stage == "cannot be told":
            return None
        return self.stage is None or (self.judgement is not None and not self.judgement.missed_character_count)


@dataclass(frozen=True)
class Diagnosis:
    """A traced question with the places of what was retrieved, and the stage that lost its answer.

    Attributes
    ----------
    placements
        Placement of each retrieved text, in the order of the trace.
    failed, rule
        True if the question failed, None if nothing says so; and the rule by which that is known.
    stage, outcome
        The stage that lost the answer, None unless the question failed; with the outcome of the passage that was lost
        first, None if the trace names no such passage.
    """

    question: TracedQuestion
    placements: tuple[Placement, ...]
    failed: bool | None
    rule: str
    stage: Stage | None = None
    outcome: PassageOutcome | None = None
    explanation: str = ""


@dataclass(frozen=True)
class SearchedChunks:
    """The chunks that were searched, as far as they are known.

    Attributes
    ----------
    chunkings
        The chunks of every document, in the order of the documents; None if they are not known.
    name
        Name of the file or the chunker they are from.
    by_id
        Chunks of a file by their identifiers.
    has_reasons
        True if the cuts have reasons, because a chunker made them here.
    has_documents
        False if the documents are put together from the chunks, so that what no chunk has cannot be looked for.
    remark
        Sentence on such documents; otherwise empty.
    """

    chunkings: tuple[Chunking, ...] | None = None
    name: str = ""
    by_id: Mapping[str, GivenChunk] = field(default_factory=dict)
    has_reasons: bool = False
    has_documents: bool = True
    remark: str = ""

    @classmethod
    def from_file(
        cls,
        documents: Sequence[Document],
        chunks: Sequence[GivenChunk],
        chunk_file_name: str,
        report_progress: Callable[[int, int], None] = lambda done, count: None,
    ) -> "SearchedChunks":
        """Locate the chunks of a file in the documents.

        Parameters
        ----------
        report_progress
            Called with (chunks done, all) of a document at intervals; an exception that it raises ends the search.

        Raises
        ------
        InputError
            If there are several documents, and chunks that name none of them.
        """
        if len(documents) > 1 and (documentless_chunk_count := sum(chunk.document is None for chunk in chunks)):
            raise InputError(
                f"{chunk_file_name}: with several documents, every chunk must name its document in the field document, "
                "source, "
                f"file_name or filename; {documentless_chunk_count:,} of {len(chunks):,} chunks do not."
            )
        find_matching_names = DocumentNames(document_names(chunks)).names_matching
        document_chunkings = []
        for document in documents:
            matching_document_names = find_matching_names(document.name)
            # Of one document, the chunks are what there is, whatever they call it.
            document_chunks = [
                chunk for chunk in chunks if chunk.document in matching_document_names or chunk.document is None
            ]
            document_chunkings.append(
                locate_chunks(
                    document,
                    document_chunks if matching_document_names or len(documents) > 1 else chunks,
                    chunk_file_name,
                    report_progress,
                ).chunking
            )
        chunk_by_id = {chunk.id: chunk for chunk in reversed(chunks) if chunk.id is not None}
        return cls(tuple(document_chunkings), chunk_file_name, chunk_by_id)

    @classmethod
    def rebuild_documents_from_chunks(
        cls, chunks: Sequence[GivenChunk], chunk_file_name: str, splitter: str
    ) -> "tuple[list[Document], SearchedChunks]":
        """Put documents together from the chunks of a file; return them with the chunks.

        Raises
        ------
        InputError
            If a chunk has no text, or none has a visible character.
        """
        if textless_chunk_count := sum(chunk.text is None for chunk in chunks):
            raise InputError(
                f"{chunk_file_name}: without the documents, every chunk must have a text; {textless_chunk_count:,} of "
                f"{len(chunks):,} "
                "chunks have "
                "none. Add the documents."
            )
        given_chunks_by_document: dict[str, list[GivenChunk]] = {}
        for given_chunk in chunks:
            given_chunks_by_document.setdefault(
                chunk_file_name if given_chunk.document is None else given_chunk.document, []
            ).append(given_chunk)
        rebuilt_text_by_name = {
            document_name: whole
            for document_name, own in given_chunks_by_document.items()
            if (whole := rebuild_text(own)) is not None
        }
        if not rebuilt_text_by_name:
            raise InputError(
                f"{chunk_file_name}: a file of chunks must contain at least one chunk with words; this one has none."
            )
        rebuilt_documents = [
            Document.from_text(whole.text, splitter, document_name) for document_name, whole in rebuilt_text_by_name.items()
        ]
        nonblank_chunks_per_document = [
            [chunk for chunk in whole.chunks if (chunk.text or "").strip()] for whole in rebuilt_text_by_name.values()
        ]
        chunkings_of_rebuilt_documents = [
            Chunking(document, tuple([Chunk.of(document, chunk.spans[0]) for chunk in own]), ())
            for document, own in zip(rebuilt_documents, nonblank_chunks_per_document, strict=True)
        ]
        # Of several chunks with the same identifier, the first counts.
        chunk_by_id = {
            chunk.id: chunk._replace(document=document_name)
            for document_name, own in zip(
                reversed(rebuilt_text_by_name), reversed(nonblank_chunks_per_document), strict=True
            )
            for chunk in reversed(own)
            if chunk.id is not None
        }
        is_every_text_whole = all(whole.is_whole for whole in rebuilt_text_by_name.values())
        places_in_rebuilt_texts_phrase = "" if is_every_text_whole else ", and places are places in these texts"
        rebuilt_texts_remark = (
            "Without the documents, texts are put together from the chunks of "
            f"{chunk_file_name}{places_in_rebuilt_texts_phrase}; what no "
            "chunk has "
            "cannot be looked for."
        )
        return rebuilt_documents, cls(
            tuple(chunkings_of_rebuilt_documents),
            chunk_file_name,
            chunk_by_id,
            has_documents=False,
            remark=rebuilt_texts_remark,
        )


class _Passage(NamedTuple):
    """Words that answer a question, their places, a remark on these, and what it means if there are none."""

    words: str
    places: Sequence[Place]
    remark: str = ""
    unplaced: str = ""


class TraceDiagnoser:
    """The documents and the chunks in which the texts of a trace are located, and its questions' answers looked for.

    Parameters
    ----------
    answer_places_by_question
        Places of the passages that answer a question, by its text, for questions whose trace has none.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        questions: Sequence[TracedQuestion],
        searched_chunks: SearchedChunks | None = None,
        answer_places_by_question: Mapping[str, Sequence[Place]] | None = None,
    ) -> None:
        self._documents = documents
        self._questions = questions
        self._searched = searched_chunks or SearchedChunks()
        self._answers = answer_places_by_question or {}
        self._locator = UnorderedLocator(
            documents,
            [retrieved.as_given_chunk for question in questions for retrieved in question.retrieved],
            has_documents=self._searched.has_documents,
        )
        self._chunk_numbers_by_place: dict[Place, tuple[int, ...]] = {}
        self.placements: list[tuple[Placement, ...]] = []
        """The placement of every retrieved text, of the questions that `locate_retrieved_texts` has come to."""

    def locate_retrieved_texts(
        self, report_progress: Callable[[int, int], None] = lambda done, count: None
    ) -> "TraceDiagnoser":
        """Locate the retrieved texts of every question, and return itself.

        If ``report_progress`` raises an exception or the call is interrupted, `question_diagnoses` yields the diagnoses of
        the questions located before.

        Parameters
        ----------
        report_progress
            Called with (questions done, all) after each question.
        """
        for question in self._questions[len(self.placements) :]:
            self.placements.append(tuple([self._locate_text(retrieved) for retrieved in question.retrieved]))
            report_progress(len(self.placements), len(self._questions))
        return self

    @cached_property
    def documents_and_chunks_remark(self) -> str:
        """Sentences on documents that are not at hand, and on chunks that cannot be those that were searched; or empty."""
        return " ".join(filter(None, (self._searched.remark, self._texts_without_chunk_note)))

    @cached_property
    def _texts_without_chunk_note(self) -> str:
        if self._searched.chunkings is None:
            return ""
        located_places = {
            placement.only_place for some in self.placements for placement in some if placement.only_place is not None
        }
        texts_without_chunk_count = sum(
            not self._is_span_made_of_chunks(self._searched.chunkings, place) for place in located_places
        )
        if not texts_without_chunk_count:
            return ""
        unmatched_texts_sentence = (
            f"{texts_without_chunk_count:,} of {pluralize(len(located_places), 'located text')} of the trace are no chunks "
            f"of {self._searched.name}"
        )
        if 2 * texts_without_chunk_count > len(located_places):
            return f"{unmatched_texts_sentence}, so the trace searched other chunks, and {self._searched.name} is not used."
        return f"{unmatched_texts_sentence}."

    def _is_span_made_of_chunks(self, chunkings: Sequence[Chunking], place: Place) -> bool:
        """Return whether a located text is a chunk at hand, its beginning, or several chunks."""
        chunk_numbers_at_place = self._chunk_numbers_at(chunkings, place)
        return (
            bool(chunk_numbers_at_place)
            and int(self._stripped_chunk_ranges_by_document[place.document][chunk_numbers_at_place[0], 0])
            == place.span.start
        )

    @cached_property
    def _supplied_or_traced_chunkings(self) -> Sequence[Chunking]:
        """The chunks of each document: those at hand if they are those that were searched, else those in the trace."""
        if self._searched.chunkings is not None and not self._texts_without_chunk_note.endswith("is not used."):
            return self._searched.chunkings
        spans_by_document: list[set[Span]] = [set() for _ in self._documents]
        for retrieved_text_placements in self.placements:
            for placement in retrieved_text_placements:
                if placement.only_place is not None and not placement.is_cut_short:
                    spans_by_document[placement.only_place.document].add(placement.only_place.span)
        return [
            Chunking(document, tuple([Chunk.of(document, span) for span in sorted(own)]), ())
            for document, own in zip(self._documents, spans_by_document, strict=True)
        ]

    @property
    def knows_chunks(self) -> bool:
        """True if the chunks that were searched are at hand, and not only those that were retrieved."""
        return self._supplied_or_traced_chunkings is self._searched.chunkings

    def question_diagnoses(self) -> Iterator[Diagnosis]:
        """Yield the diagnosis of each located question, in the order of the trace."""
        # The places of passages must not depend on how many texts are missing.
        self._locator.renew_comparison_budget()
        for question, retrieved_text_placements in zip(self._questions, self.placements, strict=False):
            yield self._diagnosis(question, retrieved_text_placements)

    def _locate_text(self, retrieved_text: RetrievedText) -> Placement:
        retrieved_text_as_chunk = retrieved_text.as_given_chunk
        same_id_chunk = (
            self._searched.by_id.get(retrieved_text_as_chunk.id) if retrieved_text_as_chunk.id is not None else None
        )
        if retrieved_text_as_chunk.text is None and not retrieved_text_as_chunk.spans:
            if same_id_chunk is None:
                named_document_numbers = self._locator.document_numbers_for_name(retrieved_text_as_chunk.id)
                if len(named_document_numbers) == 1 and (
                    document_length := len(self._documents[named_document_numbers[0]].text)
                ):
                    return Placement(
                        (Place(named_document_numbers[0], Span(0, document_length)),), "it names a whole document"
                    )
                return Placement(
                    (), f"it has an identifier alone, {short_repr(retrieved_text_as_chunk.id)}, and no chunk at hand has it"
                )
            return self._locator.find(same_id_chunk)
        if same_id_chunk is not None and same_id_chunk.document is not None and retrieved_text_as_chunk.document is None:
            retrieved_text_as_chunk = retrieved_text_as_chunk._replace(document=same_id_chunk.document)
        return self._locator.find(retrieved_text_as_chunk)

    def _diagnosis(self, question: TracedQuestion, retrieved_text_placements: tuple[Placement, ...]) -> Diagnosis:
        is_feedback_positive, feedback_phrase = question.feedback_verdict
        passage_outcomes = [
            self._answer_passage_outcome(question, retrieved_text_placements, passage)
            for passage in self._answer_passages(question)
        ]
        lost_passage_outcomes = [outcome for outcome in passage_outcomes if outcome.stage is not None]
        passage_kind = "excerpt" if question.excerpts or question.question in self._answers else "reference"
        if is_feedback_positive is False:
            has_question_failed, verdict_reason = True, f"the feedback is negative: {feedback_phrase}"
        elif is_feedback_positive is True:
            has_question_failed, verdict_reason = False, f"the feedback is positive: {feedback_phrase}"
        elif any(outcome.was_retrieved is False for outcome in passage_outcomes):
            has_question_failed, verdict_reason = True, f"its {passage_kind} was not retrieved"
        elif passage_outcomes and all(outcome.was_retrieved for outcome in passage_outcomes):
            has_question_failed, verdict_reason = False, f"its {passage_kind} was retrieved"
        else:
            undecided_feedback_phrase = (
                f"the feedback {feedback_phrase} is neither positive nor negative"
                if feedback_phrase
                else "there is no feedback"
            )
            return Diagnosis(
                question,
                retrieved_text_placements,
                None,
                f"{undecided_feedback_phrase}, and {_explain_unknown_passage_retrieval(passage_outcomes)}",
            )
        if not has_question_failed:
            return Diagnosis(question, retrieved_text_placements, False, verdict_reason)
        if not passage_outcomes:
            return Diagnosis(
                question, retrieved_text_placements, True, verdict_reason, "cannot be told", None, _NO_PASSAGE_EXPLANATION
            )
        earliest_stage_outcome = min(
            lost_passage_outcomes or passage_outcomes, key=lambda outcome: [*MEANING_BY_STAGE, None].index(outcome.stage)
        )
        return Diagnosis(
            question,
            retrieved_text_placements,
            True,
            verdict_reason,
            earliest_stage_outcome.stage or "not used",
            earliest_stage_outcome,
            earliest_stage_outcome.evidence,
        )

    def _answer_passages(self, question: TracedQuestion) -> list[_Passage]:
        """Return the passages that answer a question."""
        if question.excerpts:
            return [
                self._locate_answer_passage(excerpt.content, self._locator.document_numbers_for_name(excerpt.corpus_id))
                for excerpt in question.excerpts
            ]
        if question.question in self._answers:
            return [
                _Passage(self._documents[place.document].text[slice(*place.span)], [place])
                for place in self._answers[question.question]
            ]
        if question.reference is not None and question.reference.strip():
            reference_passage = self._locate_answer_passage(
                question.reference, self._locator.document_numbers_for_name(None)
            )
            document_or_chunk_word = "document" if self._searched.has_documents else "chunk"
            return [
                reference_passage._replace(
                    unplaced=f"the reference is in words of its own, which no {document_or_chunk_word} has"
                )
            ]
        return []

    def _locate_answer_passage(self, answer_passage_text: str, searched_document_numbers: Sequence[int]) -> _Passage:
        answer_passage_text = answer_passage_text.strip()
        if places := self._locator.occurrences(answer_passage_text, searched_document_numbers):
            return _Passage(answer_passage_text, places)
        places, similarity = self._locator.most_similar_places(answer_passage_text, searched_document_numbers)
        return _Passage(
            answer_passage_text,
            places,
            f"{short_repr(answer_passage_text)} is altered there, {int(100 * similarity)} % alike" if places else "",
        )

    def _answer_passage_outcome(
        self, question: TracedQuestion, retrieved_text_placements: Sequence[Placement], answer_passage: _Passage
    ) -> PassageOutcome:
        answer_passage_text, places, altered_passage_remark, unplaced_answer_explanation = answer_passage
        is_passage_short = len(drop_spaces_and_simplify_signs(answer_passage_text)) < SHORTEST_ALTERED_EXCERPT
        if not is_passage_short:
            folded_passage_text = drop_spaces_and_simplify_signs(
                answer_passage_text[
                    slice(*trim_spaces_and_punctuation(answer_passage_text, Span(0, len(answer_passage_text))))
                ]
            )
            for retrieved_text in question.retrieved:
                if (
                    retrieved_text.given
                    and retrieved_text.text is not None
                    and folded_passage_text in drop_spaces_and_simplify_signs(retrieved_text.text)
                ):
                    only_place = places[0] if len(places) == 1 else None
                    return PassageOutcome(None, f"all of it is in retrieved text {retrieved_text.rank}", place=only_place)
        if not places:
            if unplaced_answer_explanation:
                return PassageOutcome("cannot be told", unplaced_answer_explanation)
            if self._locator.is_comparison_budget_spent:
                return PassageOutcome(
                    "cannot be told", f"{short_repr(answer_passage_text)} was not compared with all passages"
                )
            if not self._searched.has_documents:
                return PassageOutcome(
                    "cannot be told",
                    f"no chunk of {self._searched.name} has {short_repr(answer_passage_text)}, and the documents are not "
                    "at hand",
                )
            return PassageOutcome("not in the documents", f"no document has {short_repr(answer_passage_text)}")
        outcomes_at_places = [
            self._passage_outcome_at_document_place(question, retrieved_text_placements, place) for place in places
        ]
        if is_passage_short and len({outcome.stage for outcome in outcomes_at_places}) > 1:
            return PassageOutcome(
                "cannot be told",
                f"{short_repr(answer_passage_text)} stands in {len(places)} places, which may not all answer it",
            )
        # A copy is as good: the one that came furthest counts.
        furthest_stage_outcome = max(outcomes_at_places, key=lambda outcome: _STAGES_FURTHEST_LAST.index(outcome.stage))
        several_places_phrase = f"it stands in {len(places)} places" if len(places) > 1 else ""
        return replace(
            furthest_stage_outcome,
            evidence="; ".join(
                part for part in (furthest_stage_outcome.evidence, altered_passage_remark, several_places_phrase) if part
            ),
        )

    def _passage_outcome_at_document_place(
        self, question: TracedQuestion, retrieved_text_placements: Sequence[Placement], place: Place
    ) -> PassageOutcome:
        """Return the outcome of a passage at one of its places."""
        document = self._documents[place.document]
        answer_span = trim_spaces_and_punctuation(document.text, place.span)
        for retrieved_text, placement in zip(question.retrieved, retrieved_text_placements, strict=True):
            retrieved_text_spans = [spot.span for spot in placement.places if spot.document == place.document]
            if retrieved_text.given and any(
                not count_missing_characters(document.text, answer_span, [span]) for span in retrieved_text_spans
            ):
                return PassageOutcome(None, f"all of it is in retrieved text {retrieved_text.rank}", place=place)
        chunking = self._supplied_or_traced_chunkings[place.document]
        best_rank_by_chunk: dict[int, int] = {}
        retrieved_parts_by_chunk: dict[int, list[Span]] = {}
        for retrieved_text, placement in zip(question.retrieved, retrieved_text_placements, strict=True):
            if placement.only_place is not None and placement.only_place.document == place.document:
                for chunk_number in self._chunk_numbers_at(self._supplied_or_traced_chunkings, placement.only_place):
                    best_rank_by_chunk[chunk_number] = min(
                        retrieved_text.rank, best_rank_by_chunk.get(chunk_number, retrieved_text.rank)
                    )
                    if retrieved_text.given:
                        # A text may lie between the spans of a chunk.
                        retrieved_spans_in_chunk = intersection_of_ranges(
                            chunking.chunks[chunk_number].spans, [placement.only_place.span]
                        ) or [placement.only_place.span]
                        retrieved_parts_by_chunk.setdefault(chunk_number, []).extend(retrieved_spans_in_chunk)
        overlapping_chunks = {
            number: chunk.spans
            for number, chunk in enumerate(chunking.chunks)
            if chunk.start < answer_span.end and answer_span.start < chunk.end
        }
        retrieval_judgement = judge_answer_retrieval(
            document.text, overlapping_chunks, best_rank_by_chunk, retrieved_parts_by_chunk, answer_span
        )
        return PassageOutcome(
            *self._stage_and_evidence(question, retrieved_text_placements, place, retrieval_judgement),
            place,
            retrieval_judgement,
        )

    def _stage_and_evidence(
        self,
        question: TracedQuestion,
        retrieved_text_placements: Sequence[Placement],
        place: Place,
        retrieval_judgement: AnswerRetrieval,
    ) -> tuple[Stage | None, str, tuple[Seam, ...]]:
        """Return the stage of an answer that no retrieved text has whole, the evidence, and the cuts inside it."""
        document, chunking = self._documents[place.document], self._supplied_or_traced_chunkings[place.document]
        answer_location_phrase = (
            f"{document.name}, {retrieval_judgement.answer.start:,} to {retrieval_judgement.answer.end:,}"
        )
        if retrieval_judgement.fate == "whole":
            return None, f"all of it is in the chunk at rank {retrieval_judgement.chunks[0].rank}", ()
        if retrieval_judgement.fate == "cut off":
            return (
                "cannot be told",
                f"chunk {retrieval_judgement.chunks[0].number + 1:,} has all of it ({answer_location_phrase}), but the "
                "trace has "
                f"only a part of the chunk",
                (),
            )
        if retrieval_judgement.fate == "not retrieved":
            chunk_rank = retrieval_judgement.chunks[0].rank
            rank_phrase = (
                f"at rank {chunk_rank:,}" if chunk_rank else f"not among the retrieved texts ({len(question.retrieved):,})"
            )
            return (
                "ranked too low",
                f"whole in chunk {retrieval_judgement.chunks[0].number + 1:,} ({answer_location_phrase}), {rank_phrase}; "
                f"{self._better_ranked_in_words(question, retrieved_text_placements)}",
                (),
            )
        gap_reason_by_offset = {
            gap.start_after(document): gap.reason
            for gap in (chunking.gaps if self._searched.has_reasons and self.knows_chunks else ())
            if gap.verdict.is_cut
        }
        cuts_within_answer = retrieval_judgement.cuts_inside(gap_reason_by_offset)
        if retrieval_judgement.fate == "split":
            if self.knows_chunks or not retrieval_judgement.outside_character_count:
                cut_phrase = f"; {_describe_cut(cuts_within_answer[0])}" if cuts_within_answer else ""
                limitation_phrase = "" if self.knows_chunks else ", as far as the chunks in the trace show"
                retrieved_answer_chunk_count = sum(bool(chunk.given) for chunk in retrieval_judgement.chunks)
                partial_retrieval_sentence = (
                    f"{answer_location_phrase} is in {len(retrieval_judgement.chunks)} chunks, "
                    f"{retrieved_answer_chunk_count} of them retrieved"
                )
                return "cut apart", partial_retrieval_sentence + cut_phrase + limitation_phrase, cuts_within_answer
            return (
                "cannot be told",
                f"{answer_location_phrase} is only in part in a retrieved text; {_UNKNOWN_CHUNKS_EXPLANATION}",
                (),
            )
        if self.knows_chunks:
            return "in no chunk", f"{answer_location_phrase} is in no chunk of {self._searched.name}", ()
        return "cannot be told", f"{answer_location_phrase} is in no retrieved text; {_UNKNOWN_CHUNKS_EXPLANATION}", ()

    def _better_ranked_in_words(self, question: TracedQuestion, retrieved_text_placements: Sequence[Placement]) -> str:
        """Name the retrieved texts that stood before a chunk that was ranked too low."""
        given_texts_with_placements = [
            (retrieved, spot)
            for retrieved, spot in zip(question.retrieved, retrieved_text_placements, strict=True)
            if retrieved.given
        ]
        if not given_texts_with_placements:
            return "nothing was retrieved"
        ranked_text_phrases = [
            f"{retrieved.rank:,} {self._documents[spot.only_place.document].name} "
            f"{spot.only_place.span.start:,}–{spot.only_place.span.end:,}"
            if spot.only_place is not None
            else f"{retrieved.rank:,} {short_repr(retrieved.text or retrieved.id)}"
            for retrieved, spot in given_texts_with_placements[:MOST_NAMED_BETTER_CHUNKS]
        ]
        further_texts_phrase = (
            f" and {len(given_texts_with_placements) - MOST_NAMED_BETTER_CHUNKS:,} more"
            if len(given_texts_with_placements) > MOST_NAMED_BETTER_CHUNKS
            else ""
        )
        return f"before it: {', '.join(ranked_text_phrases)}{further_texts_phrase}"

    def _chunk_numbers_at(self, chunkings: Sequence[Chunking], place: Place) -> tuple[int, ...]:
        """Return the numbers of the chunks that a located text is: one, the one that it is a part of, or all inside it."""
        if chunkings is not self._searched.chunkings:
            return _find_chunk_numbers_matching_span(_find_stripped_chunk_ranges(chunkings[place.document]), place.span)
        if place not in self._chunk_numbers_by_place:
            self._chunk_numbers_by_place[place] = _find_chunk_numbers_matching_span(
                self._stripped_chunk_ranges_by_document[place.document], place.span
            )
        return self._chunk_numbers_by_place[place]

    @cached_property
    def _stripped_chunk_ranges_by_document(self) -> list[IntArray]:
        return [_find_stripped_chunk_ranges(chunking) for chunking in self._searched.chunkings or ()]


_STAGES_FURTHEST_LAST: Sequence[Stage | None] = (
    *("not in the documents", "in no chunk", "cut apart", "cannot be told", "ranked too low", "not used"),
    None,
)


def _find_stripped_chunk_ranges(chunking: Chunking) -> IntArray:
    """Return the first and the last visible place of each chunk, shape (chunks, 2)."""
    document_text = chunking.document.text
    visible_chunk_ranges = []
    for chunk in chunking.chunks:
        chunk_text = document_text[chunk.start : chunk.end]
        visible_chunk_start = chunk.start + len(chunk_text) - len(chunk_text.lstrip())
        visible_chunk_ranges.append((visible_chunk_start, max(visible_chunk_start, chunk.start + len(chunk_text.rstrip()))))
    return np.array(visible_chunk_ranges, dtype=np.intp).reshape(-1, 2)


def _find_chunk_numbers_matching_span(chunk_edges: IntArray, span: Span) -> tuple[int, ...]:
    chunk_starts, chunk_ends = chunk_edges[:, 0], chunk_edges[:, 1]
    equal_chunk_numbers = np.flatnonzero((chunk_starts == span.start) & (chunk_ends == span.end))
    if len(equal_chunk_numbers):
        return tuple(equal_chunk_numbers.tolist())
    containing_chunk_numbers = np.flatnonzero((chunk_starts <= span.start) & (chunk_ends >= span.end))
    if len(containing_chunk_numbers) > 1:
        containing_chunk_numbers = containing_chunk_numbers[chunk_starts[containing_chunk_numbers] == span.start]
    if len(containing_chunk_numbers) == 1:
        return (int(containing_chunk_numbers[0]),)
    # A text that is larger than a chunk: a parent, or a chunk with its neighbours.
    return tuple(np.flatnonzero((chunk_starts >= span.start) & (chunk_ends <= span.end)).tolist())


def _describe_cut(cut_in_answer: Seam) -> str:
    return f"chunk {cut_in_answer.after + 1:,} begins inside it, at {cut_in_answer.place:,}" + (
        f": {cut_in_answer.reason}" if cut_in_answer.reason else ""
    )


def _explain_unknown_passage_retrieval(outcomes: Sequence[PassageOutcome]) -> str:
    unknown_outcome_explanations = (outcome.evidence for outcome in outcomes if outcome.was_retrieved is None)
    return next(unknown_outcome_explanations, "") or _NO_PASSAGE_EXPLANATION
