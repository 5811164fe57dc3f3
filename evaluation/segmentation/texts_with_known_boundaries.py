"""Texts with known boundaries: read from files with lines of dashes or boundary files, or joined from short documents."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

from chunkers import DEFAULT_SPLITTER, Document, InputError
from chunkers.text import FileText, read_document_text
from evaluation.segmentation.boundary_files import BoundaryFile, separate_text_from_boundary_marks, text_sha256

BOUNDARY_FILE_ENDING = ".json"
"""The ending of boundary files' names."""


@dataclass(frozen=True)
class MarkedDocument:
    """Document with its known boundaries in code points."""

    document: Document
    known: tuple[int, ...]


@dataclass(frozen=True)
class MarkedText:
    """Text with its known boundaries in code points, not yet split into sentences."""

    name: str
    text: str
    known: tuple[int, ...]

    @cached_property
    def sections(self) -> frozenset[str]:
        """Sections between the known boundaries, as trimmed texts."""
        return frozenset(self.text[start:end].strip() for start, end in pairwise([0, *self.known, len(self.text)]))

    def split_to_marked_document(self, splitter: str) -> MarkedDocument:
        """Split the text into sentences, and return it as a document with its known boundaries."""
        return MarkedDocument(Document.from_text(self.text, splitter, self.name), self.known)


def read_marked_texts(
    file_names_and_bytes: Iterable[tuple[str, bytes]],
    file_reader: Callable[[bytes, str], FileText] = read_document_text,
    cancelled: Callable[[], bool] = bool,
) -> tuple[list[MarkedText], list[str]]:
    """Read texts with known boundaries from files; also return a sentence on each unusable file.

    A boundary file, as written by `evaluation.segmentation.boundary_files.boundaries_and_text_hash_json`, belongs to
    the text with the SHA-256 that it contains.

    Parameters
    ----------
    file_names_and_bytes
        Name and bytes of each file.
    file_reader
        Reads a document, given its bytes and its name.
    cancelled
        Called repeatedly while a boundary file is read; True stops reading with `Cancelled`.
    """
    text_by_name: dict[str, str] = {}
    boundary_file_by_hash: dict[str, tuple[str, BoundaryFile]] = {}
    unusable_file_messages = []
    for file_name, file_bytes in file_names_and_bytes:
        try:
            if file_name.lower().endswith(BOUNDARY_FILE_ENDING):
                boundary_file = BoundaryFile.read_hash_and_boundaries(file_bytes, cancelled)
                boundary_file_by_hash[boundary_file.sha256] = (file_name, boundary_file)
            elif file_name in text_by_name:
                unusable_file_messages.append(f"{file_name}: a document's name must be its own; another file has it.")
            else:
                text_by_name[file_name] = file_reader(file_bytes, file_name).text
        except InputError as error:
            unusable_file_messages.append(message_with_file_name(file_name, error))
    marked_texts = []
    for file_name, text in text_by_name.items():
        try:
            marked_texts.append(_attach_known_boundaries_to_text(file_name, text, boundary_file_by_hash))
        except InputError as error:
            unusable_file_messages.append(message_with_file_name(file_name, error))
    hashes_of_given_texts = {
        text_sha256(candidate)
        for text in text_by_name.values()
        for candidate in (text, separate_text_from_boundary_marks(text)[0])
    }
    unusable_file_messages += [
        f"{name}: known boundaries must be of a text that is given; none has this SHA-256."
        for sha256, (name, _) in boundary_file_by_hash.items()
        if sha256 not in hashes_of_given_texts
    ]
    return marked_texts, unusable_file_messages


def _attach_known_boundaries_to_text(
    text_name: str, text: str, boundary_file_by_hash: dict[str, tuple[str, BoundaryFile]]
) -> MarkedText:
    """Return a text with its boundaries; several documents may have the same text, and so the same boundaries."""
    text_without_marks, known_boundaries = separate_text_from_boundary_marks(text)
    for candidate_text in (text, text_without_marks):
        if name_and_boundary_file := boundary_file_by_hash.get(text_sha256(candidate_text)):
            text, text_without_marks, known_boundaries = (
                candidate_text,
                candidate_text,
                name_and_boundary_file[1].boundaries_checked_for_text(candidate_text),
            )
            break
    if not known_boundaries:
        raise InputError(
            f"{text_name}: every document must have a known boundary; this one has none. Add a line of three dashes, or a "
            "file "
            "of boundaries of this text."
        )
    return MarkedText(text_name, text_without_marks, known_boundaries)


def message_with_file_name(file_name: str, error: InputError) -> str:
    """Return an error's message, preceded by the file's name unless it already begins with it."""
    message = str(error)
    return message if message.startswith(file_name) else f"{file_name}: {message}"


def select_texts_sharing_heldout_sections(
    tuning_texts: Sequence[MarkedText], held_out_texts: Sequence[MarkedText]
) -> list[MarkedText]:
    """Return the texts that share a section with a held-out text and would leak it into tuning."""
    held_out_sections = frozenset[str]().union(*(text.sections for text in held_out_texts))
    return [text for text in tuning_texts if not held_out_sections.isdisjoint(text.sections)]


# Join short documents into long ones, whose seams are known boundaries.


STITCHED_PASSAGE_SEPARATOR = "\n\n"

MOST_STITCHED_DOCUMENTS = 10_000
"""Maximum number of documents stitched at once: more would fill the memory before the first is written."""


@dataclass(frozen=True)
class SubjectPassage:
    """Short document to be joined with others; passages on one ``subject`` are never placed side by side."""

    text: str
    subject: str


@dataclass(frozen=True)
class StitchedDocument:
    """Long document joined from short passages, with the offsets of the seams.

    Attributes
    ----------
    seams
        Offsets, in code points, at which every passage but the first begins.
    subjects
        Subjects of the passages, in order.
    """

    text: str
    seams: tuple[int, ...]
    subjects: tuple[str, ...]


def stitch_passages(
    passages: Sequence[SubjectPassage], document_sentence_count: int = 100, seed: int = 0, splitter: str = DEFAULT_SPLITTER
) -> StitchedDocument:
    """Join passages in random order until there are at least ``document_sentence_count`` sentences or no passage is left.

    Source: Qu et al., appendix C. The same passages and seed give the same document.

    Raises
    ------
    InputError
        If there are fewer than two subjects, or a passage is empty.
    """
    distinct_subject_count = len({passage.subject for passage in passages})
    if distinct_subject_count < 2:
        raise InputError(f"stitching needs passages of at least two subjects; got {distinct_subject_count}.")
    if any(not passage.text.strip() for passage in passages):
        raise InputError("stitching needs passages with text; at least one of these is empty.")
    shuffled_passages = list(passages)
    random.Random(seed).shuffle(shuffled_passages)
    chosen_passages: list[SubjectPassage] = []
    stitched_sentence_count = 0
    # A single passage would have no seam, however long it is.
    while shuffled_passages and (stitched_sentence_count < document_sentence_count or len(chosen_passages) < 2):
        # The next passage of another subject; if none is left, the document ends.
        next_passage_index = next(
            (
                i
                for i, passage in enumerate(shuffled_passages)
                if not chosen_passages or passage.subject != chosen_passages[-1].subject
            ),
            None,
        )
        if next_passage_index is None:
            break
        chosen_passages.append(shuffled_passages.pop(next_passage_index))
        stitched_sentence_count += len(Document.from_text(chosen_passages[-1].text, splitter).sentences)
    passage_texts = [passage.text.strip() for passage in chosen_passages]
    passage_seam_offsets = tuple(accumulate(len(text) + len(STITCHED_PASSAGE_SEPARATOR) for text in passage_texts[:-1]))
    return StitchedDocument(
        STITCHED_PASSAGE_SEPARATOR.join(passage_texts),
        passage_seam_offsets,
        tuple(passage.subject for passage in chosen_passages),
    )


def make_stitched_documents(
    passages: Sequence[SubjectPassage],
    stitched_document_sentence_count: int,
    document_count: int,
    seed: int,
    splitter: str,
    first_document_number: int = 1,
) -> list[MarkedText]:
    """Stitch ``document_count`` documents from passages, with consecutive seeds.

    Seeds begin at ``seed``, the documents' numbers at ``first_document_number``.

    Raises
    ------
    InputError
        If the number of sentences or documents is below 1, if there are more than `MOST_STITCHED_DOCUMENTS` documents, or if
        `stitch_passages` cannot join the passages.
    """
    for setting_name, setting_value, maximum_value in (
        ("sentences per document", stitched_document_sentence_count, None),
        ("count", document_count, MOST_STITCHED_DOCUMENTS),
    ):
        if setting_value < 1:
            raise InputError(f"stitching: {setting_name} must be at least 1; got {setting_value}.")
        if maximum_value is not None and setting_value > maximum_value:
            raise InputError(f"stitching: {setting_name} must be at most {maximum_value:,}; got {setting_value:,}.")
    stitched_documents = (
        stitch_passages(passages, stitched_document_sentence_count, seed + number, splitter)
        for number in range(document_count)
    )
    return [
        MarkedText(f"stitched {number}", document.text, document.seams)
        for number, document in enumerate(stitched_documents, first_document_number)
    ]


def halve_passages_by_subject(passages: Sequence[SubjectPassage]) -> tuple[list[SubjectPassage], list[SubjectPassage]]:
    """Divide the passages into two halves that share no subject, assigning the subjects alternately.

    Raises
    ------
    InputError
        If there are fewer than four subjects, two for each half.
    """
    passage_subjects = list(dict.fromkeys(passage.subject for passage in passages))
    if len(passage_subjects) < 4:
        raise InputError(f"stitching two disjoint halves needs at least four subjects; got {len(passage_subjects)}.")
    first_half_subjects = set(passage_subjects[::2])
    return [passage for passage in passages if passage.subject in first_half_subjects], [
        passage for passage in passages if passage.subject not in first_half_subjects
    ]


def read_passages(
    file_names_and_bytes: Iterable[tuple[str, bytes]], file_reader: Callable[[bytes, str], FileText] = read_document_text
) -> tuple[list[SubjectPassage], list[str]]:
    """Read passages from files; also return a sentence on each unusable file.

    Each file is one subject. In a file with lines of three dashes, each section between these lines is a subject.

    Parameters
    ----------
    file_names_and_bytes
        Name and bytes of each file.
    file_reader
        Reads a document, given its bytes and its name.
    """
    passage_by_text: dict[str, SubjectPassage] = {}
    unusable_file_messages = []
    for file_name, file_bytes in file_names_and_bytes:
        try:
            text_without_marks, known_boundaries = separate_text_from_boundary_marks(file_reader(file_bytes, file_name).text)
        except InputError as error:
            unusable_file_messages.append(str(error))
            continue
        if not text_without_marks.strip():
            unusable_file_messages.append(f"{file_name}: a document to stitch must have text; this one is empty.")
        for section_number, (start, end) in enumerate(pairwise([0, *known_boundaries, len(text_without_marks)]), start=1):
            passage_text = text_without_marks[start:end].strip()
            passage_subject = f"{file_name}, part {section_number}" if known_boundaries else file_name
            if earlier_equal_passage := passage_by_text.get(passage_text):
                unusable_file_messages.append(
                    f"{passage_subject}: a document to stitch must be its own; it is that of "
                    f"{earlier_equal_passage.subject}."
                )
            elif passage_text:
                passage_by_text[passage_text] = SubjectPassage(passage_text, passage_subject)
    return list(passage_by_text.values()), unusable_file_messages


def cut_sections_into_passages(
    text: str,
    known_boundaries: Sequence[int],
    subject_of_whole_text: str,
    passage_sentence_count: int,
    splitter: str = DEFAULT_SPLITTER,
) -> list[SubjectPassage]:
    """Cut each known section of a text into passages of about ``passage_sentence_count`` sentences."""
    passages_within_sections = []
    for section_number, (section_start_offset, section_end_offset) in enumerate(
        pairwise([0, *known_boundaries, len(text)]), start=1
    ):
        document = Document.from_text(text[section_start_offset:section_end_offset], splitter)
        section_sentence_count = len(document.sentences)
        section_passage_count = max(1, section_sentence_count // passage_sentence_count)
        for passage_index in range(section_passage_count):
            passage_span = document.slice(
                passage_index * section_sentence_count // section_passage_count,
                (passage_index + 1) * section_sentence_count // section_passage_count,
            )
            passages_within_sections.append(
                SubjectPassage(
                    document.text[passage_span.start : passage_span.end],
                    f"{subject_of_whole_text}, section {section_number}",
                )
            )
    return passages_within_sections
