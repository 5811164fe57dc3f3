"""The choice of a document; the user's own text, its edits and known boundaries; and the cuts that the user makes."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import streamlit as st

from chunkers import Document
from chunkers.methods import YourCuts
from chunkers.text import omissions_sentence
from evaluation.segmentation import offsets_without_mark_lines, separate_text_from_boundary_marks
from sample_docs import sample_splitters
from viz.state.choices import OWN_DOCUMENT_KEY, Choices
from viz.state.session_state import build_unique_text_box_key, session
from viz.state.shown_text import TextWithDetails

PASTED_TITLE = "Pasted text"
"""The name of a pasted text."""

MAX_EDITABLE_CHARACTERS = 100_000
"""Most characters of a text that can be edited in the box, since the browser sends them with every interaction."""


class ReplacedText(NamedTuple):
    """The user's previous own text; ``text_as_given`` is this text with its lines of dashes, if it had any."""

    own: TextWithDetails
    text_as_given: TextWithDetails | None


def choose_document(choices: Choices, document: str) -> None:
    """Choose another document and the sentence splitter that suits it.

    For the user's own text, a splitter that the user has chosen is kept, on this text or on the previous sample.
    """
    session.lost_text_message = session.own_complaint = ""
    session.is_linked_text_missing = False
    if document == choices.document:
        return
    splitter_by_sample = sample_splitters()
    if choices.document == OWN_DOCUMENT_KEY:
        session.own_splitter = choices.sentences
    is_splitter_chosen = choices.document != OWN_DOCUMENT_KEY and choices.sentences != splitter_by_sample[choices.document]
    if document != OWN_DOCUMENT_KEY:
        choices.sentences = splitter_by_sample[document]
    elif not is_splitter_chosen:
        choices.sentences = session.own_splitter
    choices.document = document
    if "step" in choices.extra:
        # The step refers to the previous text's stepper.
        choices.extra["step"] = "1"


def set_own_text(text_as_given: TextWithDetails | None) -> None:
    """Set the user's own text; lines of three dashes in it become known boundaries."""
    text_without_dash_lines = with_dashes_as_boundaries(text_as_given) if text_as_given is not None else None
    if text_without_dash_lines is not None and text_without_dash_lines.known:
        set_own_text_and_boundaries(text_without_dash_lines, text_as_given)
    else:
        set_own_text_and_boundaries(text_as_given)


def set_own_text_and_boundaries(
    own_text_and_details: TextWithDetails | None, text_as_given: TextWithDetails | None = None
) -> None:
    """Set the user's own text; ``text_as_given`` is the text before its lines of dashes were removed, if it had any."""
    session.own_complaint = ""
    session.earlier_boundaries = []
    previous_own_text = session.own
    if (
        own_text_and_details is None
        or previous_own_text is None
        or not is_edit(previous_own_text.text, own_text_and_details.text)
    ):
        # A stored version belongs to one text.
        replaced_text_version = session.stored_versions.pop(OWN_DOCUMENT_KEY, None)
        if (
            previous_own_text is not None
            and replaced_text_version is None
            and (count_questions_about(previous_own_text) or previous_own_text.known)
        ):
            session.replaced = ReplacedText(previous_own_text, session.own_text_as_given)
    session.own = own_text_and_details
    session.is_own_text_emptied = own_text_and_details is None
    session.own_text_as_given = text_as_given
    session.dashes_are_boundaries = True
    text_box_content = "" if own_text_and_details is None else (text_as_given or own_text_and_details).text
    session.pasted_text = text_box_content if len(text_box_content) <= MAX_EDITABLE_CHARACTERS else ""
    if st.session_state.get(session.text_box_key, "") != session.pasted_text:
        # An event from a browser that has not received the new content is about the old box, and a new key makes it void.
        # In the same box it would look like an edit by the user, and replace the text.
        session.text_box_key = build_unique_text_box_key()


def count_questions_about(source: TextWithDetails) -> int:
    """Return the number of stored questions about a text."""
    return sum(
        question.document == source.name and source.text.startswith(question.answer, question.start)
        for question in session.questions
    )


def restore_replaced_text() -> None:
    """Restore the user's previous own text in place of the text that replaced it."""
    if (replaced_own_text := session.replaced) is not None:
        set_own_text_and_boundaries(replaced_own_text.own, replaced_own_text.text_as_given)
        session.dashes_are_boundaries = (
            replaced_own_text.text_as_given is None or replaced_own_text.own.text != replaced_own_text.text_as_given.text
        )
        session.replaced, session.outside_text_count = None, session.outside_text_count + 1


def own_text_after_edit(text_after_edit: str) -> TextWithDetails:
    """Return the text box's content with its details: an edit of the user's own text, or a new text if most of it changed.

    After an edit the text keeps its name, its pages, and its known boundaries outside the replaced part.
    """
    own_text_before_edit, text_with_dashes_before_edit = session.own, session.own_text_as_given
    if own_text_before_edit is None:
        return TextWithDetails(text_after_edit, PASTED_TITLE)
    whole_text_before_edit = (text_with_dashes_before_edit or own_text_before_edit).text
    prefix_length, suffix_length = _common_prefix_suffix_lengths(whole_text_before_edit, text_after_edit)
    if not is_edit(whole_text_before_edit, text_after_edit):
        return TextWithDetails(text_after_edit, PASTED_TITLE)
    known_boundaries = own_text_before_edit.known if text_with_dashes_before_edit is None else None
    replaced_part_end, length_change = (
        len(whole_text_before_edit) - suffix_length,
        len(text_after_edit) - len(whole_text_before_edit),
    )
    pages_or_chapters_after_edit = (text_with_dashes_before_edit or own_text_before_edit).parts
    if pages_or_chapters_after_edit is not None:
        pages_or_chapters_after_edit = pages_or_chapters_after_edit.with_starts(
            start if start <= prefix_length else prefix_length if start < replaced_part_end else start + length_change
            for start in pages_or_chapters_after_edit.starts
        )
    known_boundaries = (
        None if known_boundaries is None else offsets_after_edit(known_boundaries, whole_text_before_edit, text_after_edit)
    )
    return TextWithDetails(
        text_after_edit,
        own_text_before_edit.name,
        known_boundaries,
        "" if own_text_before_edit.name == PASTED_TITLE else "edited here",
        pages_or_chapters_after_edit,
        own_text_before_edit.left_out,
    )


def offsets_after_edit(offsets: Iterable[int], text_before: str, text_after: str) -> tuple[int, ...]:
    """Return the positions in a text after an edit, without those in the replaced part."""
    prefix_length, suffix_length = _common_prefix_suffix_lengths(text_before, text_after)
    replaced_part_end, length_change = len(text_before) - suffix_length, len(text_after) - len(text_before)
    moved_offsets = (
        place if place <= prefix_length else place + length_change
        for place in offsets
        if place <= prefix_length or place >= replaced_part_end
    )
    return tuple(sorted({place for place in moved_offsets if 0 < place < len(text_after)}))


def with_dashes_as_boundaries(text_as_given: TextWithDetails) -> TextWithDetails:
    """Return the text with its lines of three dashes removed and turned into known boundaries."""
    text_without_dashes, known_boundaries = separate_text_from_boundary_marks(text_as_given.text)
    pages_after_dash_removal = text_as_given.parts
    if pages_after_dash_removal is not None:
        pages_after_dash_removal = pages_after_dash_removal.with_starts(
            offsets_without_mark_lines(text_as_given.text, pages_after_dash_removal.starts)
        )
    return replace(text_as_given, text=text_without_dashes, known=known_boundaries, parts=pages_after_dash_removal)


HEADER_FOOTER_RESTORE_LABELS = {"repeated header": "Put headers back", "repeated footer": "Put footers back"}
"""Kinds of lines omitted from a PDF's pages that can be restored, with the labels of the buttons that do so."""


def restore_omitted_headers_or_footers(omission_kind: str) -> None:
    """Restore the omitted headers or footers of the user's own text; for use as a callback.

    ``omission_kind`` is a key of `HEADER_FOOTER_RESTORE_LABELS`. The text keeps its stored version.
    """
    own_text_and_details, given_text_and_details, disk_key_and_digest, earlier_replaced_text = (
        session.own,
        session.own_text_as_given,
        session.stored_versions.get(OWN_DOCUMENT_KEY),
        session.replaced,
    )
    if own_text_and_details is None:
        return
    if given_text_and_details is None:
        set_own_text_and_boundaries(with_headers_or_footers_reinserted(own_text_and_details, omission_kind))
    else:
        dashes_mark_boundaries, restored_source = (
            session.dashes_are_boundaries,
            with_headers_or_footers_reinserted(given_text_and_details, omission_kind),
        )
        set_own_text_and_boundaries(
            with_dashes_as_boundaries(restored_source) if dashes_mark_boundaries is not False else restored_source,
            restored_source,
        )
        session.dashes_are_boundaries = dashes_mark_boundaries
    session.replaced = earlier_replaced_text
    if disk_key_and_digest is not None:
        session.stored_versions[OWN_DOCUMENT_KEY] = disk_key_and_digest


def with_headers_or_footers_reinserted(text_and_details: TextWithDetails, omission_kind: str) -> TextWithDetails:
    """Return a text with its omitted headers (or footers) inserted at the top (or bottom) of their pages."""
    page_or_chapter_parts, text_without_omitted_lines = text_and_details.parts, text_and_details.text
    if page_or_chapter_parts is None:
        return text_and_details
    lines_by_page: dict[int, list[str]] = {}
    for omission in text_and_details.left_out:
        if (
            omission.noun == omission_kind
            and omission.part_number is not None
            and omission.part_number < len(page_or_chapter_parts.starts)
            and omission.text
        ):
            lines_by_page.setdefault(omission.part_number, []).append(omission.text)
    is_page_footer = omission_kind == "repeated footer"
    insertions: list[tuple[int, int, str]] = []
    for page_index, omitted_lines_of_page in sorted(lines_by_page.items()):
        page_start, page_end = (
            page_or_chapter_parts.starts[page_index],
            page_or_chapter_parts.starts[page_index + 1]
            if page_index + 1 < len(page_or_chapter_parts.starts)
            else len(text_without_omitted_lines),
        )
        # The lines are listed from the edge of the page inwards.
        reinserted_page_lines = "\n".join(reversed(omitted_lines_of_page) if is_page_footer else omitted_lines_of_page)
        if not text_without_omitted_lines[page_start:page_end].strip():
            insertions.append((page_index, page_start, f"{reinserted_page_lines}\n\n"))
        elif is_page_footer:
            insertions.append(
                (
                    page_index,
                    page_start + len(text_without_omitted_lines[page_start:page_end].rstrip()),
                    f"\n{reinserted_page_lines}",
                )
            )
        else:
            insertions.append((page_index, page_start, f"{reinserted_page_lines}\n"))

    def offset_after_insertions(old_offset: int, page_index_of_old_offset: int = 0) -> int:
        """Return the new offset of a position after lines were inserted at or before the position."""
        return old_offset + sum(
            len(inserted_text)
            for page_index, at, inserted_text in insertions
            if at < old_offset or (at == old_offset and page_index < page_index_of_old_offset)
        )

    insertion_offsets = [0, *(at for _, at, _ in insertions), len(text_without_omitted_lines)]
    text_pieces = [text_without_omitted_lines[first:last] for first, last in pairwise(insertion_offsets)]
    new_text = "".join(
        piece + inserted_text
        for piece, inserted_text in zip(text_pieces, [*(inserted_text for *_, inserted_text in insertions), ""], strict=True)
    )
    remaining_omissions = tuple(
        omission
        for omission in text_and_details.left_out
        if not (omission.noun == omission_kind and omission.part_number in lines_by_page)
    )
    remaining_omissions_sentence = omissions_sentence(remaining_omissions)
    other_remarks = [part for part in text_and_details.teaches.split(" · ") if part and not part.startswith("left out")]
    return replace(
        text_and_details,
        text=new_text,
        known=None if text_and_details.known is None else tuple(map(offset_after_insertions, text_and_details.known)),
        teaches=" · ".join(
            [
                *other_remarks,
                *(
                    [remaining_omissions_sentence[:1].lower() + remaining_omissions_sentence[1:].rstrip(".")]
                    if remaining_omissions_sentence
                    else []
                ),
            ]
        ),
        parts=page_or_chapter_parts.with_starts(
            offset_after_insertions(start, page_index) for page_index, start in enumerate(page_or_chapter_parts.starts)
        ),
        left_out=remaining_omissions,
    )


def is_edit(text_before: str, text_after: str) -> bool:
    """Return whether a text is an edit of the previous one: at least half of it is unchanged at its ends."""
    if text_before == text_after:
        return True
    if max(len(text_before), len(text_after)) > MAX_EDITABLE_CHARACTERS:
        return False
    return 2 * sum(_common_prefix_suffix_lengths(text_before, text_after)) >= max(len(text_before), len(text_after))


def _common_prefix_suffix_lengths(first_text: str, second_text: str) -> tuple[int, int]:
    """Return the number of characters that two texts share at their beginnings, and at their ends after that."""
    prefix_length = _common_prefix_length(first_text, second_text)
    return prefix_length, _common_prefix_length(first_text[prefix_length:][::-1], second_text[prefix_length:][::-1])


def _common_prefix_length(first_text: str, second_text: str) -> int:
    """Count the characters that two texts share at their beginnings."""
    return next(
        (place for place, (a, b) in enumerate(zip(first_text, second_text, strict=False)) if a != b),
        min(len(first_text), len(second_text)),
    )


# The known boundaries of the user's own text.


KnownBoundaries = tuple[int, ...] | None


def known_boundaries_from_clicked_gaps(
    document: Document, known_boundaries: KnownBoundaries, boundary_offsets_after_click: Collection[int] | None
) -> KnownBoundaries:
    """Return the known boundaries after the user's clicks on gaps between sentences.

    Parameters
    ----------
    known_boundaries
        The boundaries before the clicks. Those inside sentences stay, since they cannot be clicked.
    boundary_offsets_after_click
        The sentence starts before which gaps are set, as offsets in code points; None to remove all boundaries.

    Returns
    -------
    tuple of int, or None
        Ascending offsets in code points; None if there are none.
    """
    if boundary_offsets_after_click is None:
        return None
    sentence_starts = frozenset(document.starts)
    boundaries_inside_sentences = [place for place in known_boundaries or () if place not in sentence_starts]
    return tuple(sorted({*boundary_offsets_after_click, *boundaries_inside_sentences})) or None


def set_known_boundaries(known_boundaries: KnownBoundaries) -> None:
    """Set the known boundaries of the user's own text; the user can undo the change."""
    assert session.own is not None
    session.earlier_boundaries.append(session.own.known)
    _store_known_boundaries(known_boundaries)


def set_clicked_boundaries(
    document: Document, boundary_offsets_after_successive_clicks: Iterable[Collection[int] | None]
) -> bool:
    """Set the known boundaries by `known_boundaries_from_clicked_gaps`; return whether they changed."""
    assert session.own is not None
    boundaries_before = session.own.known
    for boundary_offsets_after_click in boundary_offsets_after_successive_clicks:
        boundaries_after = known_boundaries_from_clicked_gaps(document, session.own.known, boundary_offsets_after_click)
        if boundaries_after != session.own.known:
            set_known_boundaries(boundaries_after)
    return session.own.known != boundaries_before


def undo_known_boundaries() -> None:
    """Undo the last change of the known boundaries."""
    _store_known_boundaries(session.earlier_boundaries.pop())


def _store_known_boundaries(known_boundaries: KnownBoundaries) -> None:
    assert session.own is not None
    session.own = replace(session.own, known=known_boundaries)
    session.marks_complaint = ""


# The user's own cuts, which a column shows.


def shift_column_cuts_after_edit(text_before: str, text_after: str) -> None:
    """Shift the user's cuts in all columns to match an edit of their text."""
    if text_before == text_after or not is_edit(text_before, text_after):
        return
    old_identity, new_identity = Document.identity_of(text_before, ""), Document.identity_of(text_after, "")
    for choices in session.choices.values():
        for column in choices.columns:
            if column.chunker == YourCuts.name:
                own_cuts_chunker = YourCuts.build(**column.parameters)
                if own_cuts_chunker.belongs_to_text(old_identity):
                    column.parameters["cuts"] = YourCuts.with_cuts_at(
                        new_identity, offsets_after_edit(own_cuts_chunker.user_cut_offsets, text_before, text_after)
                    ).cuts
