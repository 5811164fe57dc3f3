"""Questions with excerpts: read from a file, located in the documents, and written so that they survive an edit of these."""

import codecs
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from chunkers import InputError, Span
from chunkers.support import MAX_FILE_BYTES, raise_if_cancelled, short_repr
from chunkers.text import (
    MIN_ALTERED_SIMILARITY,
    MIN_NEAREST_SIMILARITY,
    ComparisonBudget,
    Match,
    MatchKind,
    Quotation,
    SearchableText,
    surrounding_text,
)
from evaluation.questions.corpus_ranges_and_rulers import Corpus
from evaluation.questions.question_rows import (
    EXCERPT_COLUMNS,
    QuestionRow,
    parse_excerpt_list,
    read_question_rows,
    shorten_text,
)

# Excerpts, and their places in the documents of a corpus.


class Excerpt(NamedTuple):
    """Passage of a document, given by its span and the document's number in the corpus."""

    document: int
    span: Span


class LocatedExcerpt(NamedTuple):
    """Excerpt found in a document.

    Attributes
    ----------
    spans
        The place of the excerpt; several if other text now stands between its parts.
    match_kind
        How it was found.
    remark
        A sentence if it differs from the quotation in position or wording, or occurs more than once; otherwise empty.
    """

    document: int
    spans: tuple[Span, ...]
    match_kind: MatchKind | Literal["divided"] = "in place"
    remark: str = ""

    @property
    def excerpts(self) -> list[Excerpt]:
        """Passages of the document that the excerpt consists of."""
        return [Excerpt(self.document, span) for span in self.spans]


@dataclass(frozen=True)
class ExcerptFinder:
    """Finder of quoted excerpts in the documents of a corpus."""

    corpus: Corpus

    def document_number(self, name: object) -> int | None:
        """Return the number of the document called ``name``, with or without file extension; None if no name is given."""
        if name is None or name == "":
            return None
        document_numbers_with_name = self._numbers_by_name.get(name, []) if isinstance(name, str) else []
        if not document_numbers_with_name:
            raise InputError(
                f"corpus_id must be one of {shorten_text(', '.join(self.corpus.names))}; got {short_repr(name)}."
            )
        if len(document_numbers_with_name) > 1:
            matching_names_phrase = shorten_text(
                ", ".join(self.corpus.names[number] for number in document_numbers_with_name)
            )
            raise InputError(
                f"corpus_id must match one document; {short_repr(name)} matches several: {matching_names_phrase}. Give the "
                "full name."
            )
        return document_numbers_with_name[0]

    @cached_property
    def _numbers_by_name(self) -> dict[str, list[int]]:
        """Every name for documents, with the documents' numbers; a full name takes precedence over a stem."""
        document_numbers_by_stem: dict[str, list[int]] = {}
        for document_number, document_name in enumerate(self.corpus.names):
            document_numbers_by_stem.setdefault(Path(document_name).stem, []).append(document_number)
        return document_numbers_by_stem | {known: [number] for number, known in enumerate(self.corpus.names)}

    def whole_document(self, name: object) -> LocatedExcerpt:
        """Return an excerpt that covers the whole document called ``name``, without surrounding white space."""
        covered_document_number = self.document_number(name)
        if covered_document_number is None:
            raise InputError(f"each item of documents must be the name of a document; got {short_repr(name)}.")
        document_text = self.corpus.documents[covered_document_number].text
        if not document_text.strip():
            raise InputError(
                f"a document that answers a question must have text; {self.corpus.names[covered_document_number]} has none."
            )
        return LocatedExcerpt(
            covered_document_number, (Span(len(document_text) - len(document_text.lstrip()), len(document_text.rstrip())),)
        )

    def locate(self, excerpt_text_or_fields: object, document_number: int | None) -> LocatedExcerpt:
        """Locate a quoted excerpt in the documents: verbatim, else ignoring typography, else in parts or with small changes.

        Parts stand in the same order, with other text between them.

        ``excerpt_text_or_fields`` is a text, or an object with ``content`` and, if known, ``start_index``, ``prefix``,
        ``suffix`` and ``corpus_id``, the document's name. Without ``corpus_id``, the document with number
        ``document_number`` is searched, or all documents in order if it is None.

        Raises
        ------
        InputError
            If the excerpt is not found; the message names the most similar passage if there is one.
        """
        excerpt_fields = (
            excerpt_text_or_fields if isinstance(excerpt_text_or_fields, dict) else {"content": excerpt_text_or_fields}
        )
        excerpt_quotation = _build_quotation_from_excerpt_fields(excerpt_fields)
        document_number_named_by_excerpt = self.document_number(excerpt_fields.get("corpus_id"))
        document_number = document_number if document_number_named_by_excerpt is None else document_number_named_by_excerpt
        searched_document_numbers = (
            range(len(self._searchable_document_texts)) if document_number is None else [document_number]
        )
        for match_function in (SearchableText.exact_match, SearchableText.typographic_match):
            for candidate_document_number in searched_document_numbers:
                if matched_passage := match_function(
                    self._searchable_document_texts[candidate_document_number], excerpt_quotation
                ):
                    return self._build_excerpt_with_deviation_remark(
                        candidate_document_number, excerpt_quotation, matched_passage
                    )
        if document_number_and_match := self._most_similar_passage(
            searched_document_numbers, excerpt_quotation, MIN_ALTERED_SIMILARITY
        ):
            return self._build_excerpt_with_deviation_remark(
                document_number_and_match[0], excerpt_quotation, document_number_and_match[1]
            )
        for candidate_document_number in searched_document_numbers:
            if part_spans := self._searchable_document_texts[candidate_document_number].match_in_parts(
                excerpt_quotation.text
            ):
                part_start_offsets_phrase = " and ".join(f"{span.start:,}" for span in part_spans)
                divided_excerpt_remark = (
                    f"the excerpt {short_repr(excerpt_quotation.text)} stands in "
                    f"{self.corpus.names[candidate_document_number]} in "
                    f"parts, at {part_start_offsets_phrase}."
                )
                return LocatedExcerpt(candidate_document_number, tuple(part_spans), "divided", divided_excerpt_remark)
        searched_documents_phrase = "any document" if document_number is None else self.corpus.names[document_number]
        excerpt_not_found_message = (
            f"the excerpt must occur in {searched_documents_phrase}, and {short_repr(excerpt_quotation.text)} does "
            f"not; it is left out."
        )
        if document_number_and_match := self._most_similar_passage(
            searched_document_numbers, excerpt_quotation, MIN_NEAREST_SIMILARITY
        ):
            candidate_document_number, matched_passage = document_number_and_match
            nearest_passage_text = self.corpus.documents[candidate_document_number].text[
                matched_passage.span.start : matched_passage.span.end
            ]
            nearest_document_phrase = (
                f"in {self.corpus.names[candidate_document_number]} is" if document_number is None else "is"
            )
            excerpt_not_found_message += (
                f" The nearest passage {nearest_document_phrase} {short_repr(nearest_passage_text)} at "
                f"{matched_passage.span.start:,}, "
                f"{_similarity_percent_phrase(matched_passage)} alike."
            )
        elif self._shared_comparison_budget.is_used_up:
            excerpt_not_found_message += (
                " It was not compared with all passages, as too many excerpts of this file are not found."
            )
        raise InputError(excerpt_not_found_message)

    def _most_similar_passage(
        self, document_numbers: Iterable[int], quotation: Quotation, min_similarity: float
    ) -> tuple[int, Match] | None:
        """Return the number of the document with the passage most like a quotation, and the passage; None without any."""
        document_number_match_pairs = [
            (candidate, match)
            for candidate in document_numbers
            if (match := self._searchable_document_texts[candidate].altered_match(quotation, min_similarity))
        ]
        return max(document_number_match_pairs, key=lambda pair: pair[1].similarity, default=None)

    def _build_excerpt_with_deviation_remark(
        self, document_number: int, quotation: Quotation, match: Match
    ) -> LocatedExcerpt:
        """Return the excerpt with a remark where it is not as it was given."""
        document_name, matched_passage_text = (
            self.corpus.names[document_number],
            self.corpus.documents[document_number].text[match.span.start : match.span.end],
        )
        deviation_phrase = ""
        if match.kind == "elsewhere":
            deviation_phrase = (
                f"stands in {document_name} word for word, but at {match.span.start:,} and not at {quotation.start:,}"
            )
        elif match.kind == "typography":
            deviation_phrase = f"stands in {document_name} at {match.span.start:,} with other white space or signs"
        elif match.kind == "altered":
            match_similarity_phrase = _similarity_percent_phrase(match)
            deviation_phrase = (
                f"stands in {document_name} at {match.span.start:,} altered, {match_similarity_phrase} alike: "
                f"{short_repr(matched_passage_text)}"
            )
        if match.is_ambiguous:
            deviation_phrase += (
                f"{'; it' if deviation_phrase else ''} stands in {document_name} more than once, and the first is used"
            )
        excerpt_remark_sentence = f"the excerpt {short_repr(quotation.text)} {deviation_phrase}." if deviation_phrase else ""
        return LocatedExcerpt(document_number, (match.span,), match.kind, excerpt_remark_sentence)

    @cached_property
    def _shared_comparison_budget(self) -> ComparisonBudget:
        return ComparisonBudget()

    @cached_property
    def _searchable_document_texts(self) -> list[SearchableText]:
        return [SearchableText(document.text, self._shared_comparison_budget) for document in self.corpus.documents]


def _similarity_percent_phrase(match: Match) -> str:
    # Rounded down: what is not the same is not 100 % alike.
    return f"{int(100 * match.similarity)} %"


def _build_quotation_from_excerpt_fields(excerpt_fields: Mapping[str, Any]) -> Quotation:
    """Return an item's quotation.

    Raises
    ------
    InputError
        If it has no text, or its place is none.
    """
    excerpt_text, excerpt_start = excerpt_fields.get("content"), _parse_start_index(excerpt_fields.get("start_index"))
    if not isinstance(excerpt_text, str) or not excerpt_text.strip():
        raise InputError(f"every excerpt must be a string that is not empty; got {short_repr(excerpt_text)}.")
    text_before_excerpt, suffix = excerpt_fields.get("prefix") or "", excerpt_fields.get("suffix") or ""
    for context_field_name, context_field_value in (("prefix", text_before_excerpt), ("suffix", suffix)):
        if not isinstance(context_field_value, str):
            raise InputError(
                f"the {context_field_name} of an excerpt must be a string; got {short_repr(context_field_value)}."
            )
    return Quotation(excerpt_text, text_before_excerpt, suffix, excerpt_start)


def _parse_start_index(given_start_index: object) -> int | None:
    """Return an excerpt's ``start_index``, None if it has none; tables sometimes write whole numbers as 99.0."""
    if given_start_index is None:
        return None
    if isinstance(given_start_index, float) and given_start_index.is_integer():
        given_start_index = int(given_start_index)
    if isinstance(given_start_index, bool) or not isinstance(given_start_index, int) or given_start_index < 0:
        raise InputError(f"start_index must be a whole number of at least 0; got {short_repr(given_start_index)}.")
    return given_start_index


# Questions from a file.


MOST_QUESTIONS = 5000
"""Maximum number of questions of a file that are used: more would take too long for a page and add little."""


@dataclass(frozen=True)
class Question:
    """Question with the excerpts that contain its answer."""

    text: str
    excerpts: tuple[Excerpt, ...]


LabelState = Literal["valid", "found again", "split", "merged", "orphaned"]
"""State of an excerpt after an edit: it stands where it was; elsewhere, or with other typography or small changes; in parts,
with other text between them; in a place that another excerpt of its question has; or nowhere."""


class Label(NamedTuple):
    """An excerpt as its file has it, and what has become of it.

    Attributes
    ----------
    document, spans
        Its places in a document; none if it is orphaned.
    remark
        A sentence if it differs from the text, stands there more than once, or was not found; otherwise empty.
    """

    question: str
    excerpt: str
    state: LabelState
    document: str = ""
    spans: tuple[Span, ...] = ()
    remark: str = ""


@dataclass(frozen=True)
class Questions:
    """Questions read from a file.

    Attributes
    ----------
    problems
        Sentences on unusable rows.
    changes
        Sentences on excerpts that differ from the text. They are usable: they were found at another position, with other
        typography, with small changes, in parts, or more than once.
    labels
        The excerpts of the usable questions and of those whose excerpts are lost, in the order of the file.
    """

    usable: tuple[Question, ...]
    problems: tuple[str, ...]
    changes: tuple[str, ...] = ()
    labels: tuple[Label, ...] = ()

    def excerpt_counts_by_state(self) -> dict[LabelState, int]:
        """Return the number of excerpts in each state that any of them has, in the order of `LabelState`."""
        excerpt_count_by_state = Counter(label.state for label in self.labels)
        return {state: excerpt_count_by_state[state] for state in get_args(LabelState) if excerpt_count_by_state[state]}

    def get_usable_questions_or_raise(self, name: str) -> tuple[Question, ...]:
        """Return the usable questions. Raise InputError if there are none."""
        if not self.usable:
            first_problem_phrase = f" {self.problems[0]}" if self.problems else ""
            raise InputError(f"{name}: at least one question must be usable; none is.{first_problem_phrase}")
        return self.usable


def read_questions(file_bytes: bytes, file_name: str, corpus: Corpus, cancelled: Callable[[], bool] = bool) -> Questions:
    """Read questions from a file and locate their excerpts in the corpus.

    `ExcerptFinder.locate` locates the excerpts.

    A file is CSV with commas, semicolons or tabs, JSON lines, or a JSON list. A row has a ``question``, called
    ``user_input`` in ragas, and one of these columns: ``references``, a list of objects with ``content`` and, if known,
    ``start_index``, ``prefix``, ``suffix`` and ``corpus_id``; ``excerpts``, a text or a list of texts, called
    ``reference_contexts`` or ``contexts`` in ragas; or ``documents``, the names of documents that answer the question as a
    whole. ``corpus_id`` is the name of the document, if known.

    Raises
    ------
    InputError
        If the whole file is unusable: empty, too large, in another format, or without a required column.
    Cancelled
        If the user asked to stop.
    """
    if len(file_bytes) > MAX_FILE_BYTES:
        raise InputError(
            f"{file_name}: a file of questions may have at most {MAX_FILE_BYTES:,} bytes; this one has {len(file_bytes):,}."
        )
    if b"\0" in file_bytes and not file_bytes.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{file_name}: a file of questions must be text: CSV, JSON or JSON lines; this one is binary.")
    question_rows = read_question_rows(file_bytes, file_name, "retrieval", cancelled)
    corpus_excerpt_finder = ExcerptFinder(corpus)
    usable_questions: list[Question] = []
    problem_sentences: list[str] = []
    all_change_sentences: list[str] = []
    excerpt_outcome_records: list[Label] = []
    seen_question_keys: set[tuple[object, ...]] = set()
    for row_place_phrase, row in question_rows:
        raise_if_cancelled(cancelled)
        if len(usable_questions) == MOST_QUESTIONS:
            problem_sentences.append(
                f"{file_name}, from {row_place_phrase} on: a file may have at most {MOST_QUESTIONS:,} questions; the rest "
                "is left out."
            )
            break
        try:
            if isinstance(row, InputError):
                raise row
            question, lost_excerpt_sentences, changed_excerpt_sentences = _question_and_remarks_of_row(
                row, corpus_excerpt_finder, excerpt_outcome_records
            )
            question_identity_key = (
                question.text,
                row.get("corpus_id"),
                frozenset(excerpt.document for excerpt in question.excerpts),
            )
            if question_identity_key in seen_question_keys:
                raise InputError(
                    f"every question must appear only once; {short_repr(question.text)} appears again, and this repetition "
                    "is left out."
                )
        except InputError as error:
            problem_sentences.append(f"{file_name}, {row_place_phrase}: {error}")
            continue
        seen_question_keys.add(question_identity_key)
        usable_questions.append(question)
        problem_sentences += [f"{file_name}, {row_place_phrase}: {sentence}" for sentence in lost_excerpt_sentences]
        all_change_sentences += [f"{file_name}, {row_place_phrase}: {sentence}" for sentence in changed_excerpt_sentences]
    return Questions(
        tuple(usable_questions), tuple(problem_sentences), tuple(all_change_sentences), tuple(excerpt_outcome_records)
    )


def _question_and_remarks_of_row(
    row: QuestionRow, finder: ExcerptFinder, collected_excerpt_labels: list[Label]
) -> tuple[Question, list[str], list[str]]:
    """Return the question of a row, a sentence on every excerpt that is left out, and one on those that are not as given.

    The fate of each excerpt is added to ``collected_excerpt_labels``.
    """
    question_text = row.get("question")
    if not isinstance(question_text, str) or not question_text.strip():
        raise InputError(f"the question must be a string that is not empty; got {short_repr(question_text)}.")
    if not question_text.isascii() and any("\ud800" <= character <= "\udfff" for character in question_text):
        raise InputError(
            f"the question must be valid Unicode; {short_repr(question_text)} contains a lone surrogate. Remove the broken "
            "character."
        )
    named_document_number = finder.document_number(row.get("corpus_id"))
    located_excerpts: list[LocatedExcerpt] = []
    remarks_on_lost_excerpts: list[str] = []
    excerpt_column_name = next((name for name in EXCERPT_COLUMNS if row.get(name)), None)
    excerpt_items_of_row = (
        [] if excerpt_column_name is None else parse_excerpt_list(row[excerpt_column_name], excerpt_column_name)
    )
    excerpts: list[Excerpt] = []
    for excerpt_item in excerpt_items_of_row:
        quoted_excerpt_text = str(excerpt_item.get("content")) if isinstance(excerpt_item, dict) else str(excerpt_item)
        try:
            located_excerpt = (
                finder.whole_document(excerpt_item)
                if excerpt_column_name == "documents"
                else finder.locate(excerpt_item, named_document_number)
            )
        except InputError as error:
            remarks_on_lost_excerpts.append(str(error))
            collected_excerpt_labels.append(
                Label(question_text, quoted_excerpt_text, "orphaned", remark=remarks_on_lost_excerpts[-1])
            )
            continue
        located_excerpts.append(located_excerpt)
        excerpt_state = _label_state_of_located_excerpt(located_excerpt, excerpts)
        collected_excerpt_labels.append(
            Label(
                question_text,
                quoted_excerpt_text,
                excerpt_state,
                finder.corpus.names[located_excerpt.document],
                located_excerpt.spans,
                located_excerpt.remark,
            )
        )
        excerpts += [excerpt for excerpt in located_excerpt.excerpts if excerpt_state != "merged" or excerpt not in excerpts]
    if excerpt_items_of_row and not located_excerpts:
        raise InputError(
            f"no excerpt of {short_repr(question_text)} could be located, so the question is left out: "
            f"{remarks_on_lost_excerpts[0]}"
        )
    return (
        Question(question_text, tuple(excerpts)),
        remarks_on_lost_excerpts,
        [excerpt.remark for excerpt in located_excerpts if excerpt.remark],
    )


def _label_state_of_located_excerpt(located_excerpt: LocatedExcerpt, earlier_excerpts: Sequence[Excerpt]) -> LabelState:
    """Return the fate of an excerpt; ``earlier_excerpts`` are the question's excerpts before it."""
    is_overlapping_earlier_excerpt = any(
        document == located_excerpt.document and part.start < span.end and span.start < part.end
        for document, span in earlier_excerpts
        for part in located_excerpt.spans
    )
    return (
        "merged"
        if is_overlapping_earlier_excerpt and located_excerpt.match_kind != "in place"
        else _LABEL_STATE_BY_MATCH[located_excerpt.match_kind]
    )


_LABEL_STATE_BY_MATCH: Mapping[MatchKind | Literal["divided"], LabelState] = {
    "in place": "valid",
    "elsewhere": "found again",
    "typography": "found again",
    "altered": "found again",
    "divided": "split",
}


# Questions with their excerpts as a file that survives an edit of the documents.


def questions_to_json_lines(questions: Sequence[Question], corpus: Corpus) -> bytes:
    """Return questions as JSON lines for `read_questions`, with each excerpt's document, position and context.

    If all excerpts of a question are whole documents, only the documents' names are written.
    """
    question_json_lines = []
    for question in questions:
        excerpt_document_names = [corpus.names[document] for document, _ in question.excerpts]
        row: dict[str, Any] = {"question": question.text}
        if excerpt_document_names and all(_covers_whole_document(excerpt, corpus) for excerpt in question.excerpts):
            row["documents"] = excerpt_document_names
        else:
            row["references"] = [
                excerpt_as_json(name, corpus.documents[document].text, span)
                for name, (document, span) in zip(excerpt_document_names, question.excerpts, strict=True)
            ]
        question_json_lines.append(json.dumps(row, ensure_ascii=False))
    return "".join(f"{row}\n" for row in question_json_lines).encode()


def _covers_whole_document(excerpt: Excerpt, corpus: Corpus) -> bool:
    excerpt_start, excerpt_end = excerpt.span
    document_text = corpus.documents[excerpt.document].text
    return not document_text[:excerpt_start].strip() and not document_text[excerpt_end:].strip()


def excerpt_as_json(document_name: str, document_text: str, span: Span) -> dict[str, Any]:
    """Return an excerpt as a JSON-compatible mapping with its document, position and context."""
    text_before_excerpt, suffix = surrounding_text(document_text, span)
    return {
        "corpus_id": document_name,
        "content": document_text[span.start : span.end],
        "start_index": span.start,
        "end_index": span.end,
        "prefix": text_before_excerpt,
        "suffix": suffix,
    }
