"""Storage of the user's text and questions in the browser's tab, so that they survive a reload or server restart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from viz.components.text_bar.text_bar import KeptHead, keep_words_in_tab
from viz.state import kept_questions
from viz.state.kept_text import KeptText, give_back, kept_text
from viz.state.keys import session
from viz.state.own_text import set_own_text
from viz.state.text import Source

MOST_KEPT = 2_000_000
"""Most characters of a text that the tab keeps: 4 MB in the browser, and browsers grant at least 5 MB."""

FOREIGN = (
    "This link does not include its text. Paste the text above, ask whoever made the link for the session file, or use this "
    "sample."
)


class _Head(KeptText):
    """Metadata returned by the tab, which may be arbitrary."""

    left: int = Field(ge=0)
    unseen: bool = False


class _Kept(BaseModel):
    head: _Head
    text: str = Field(max_length=MOST_KEPT)


def to_keep() -> tuple[KeptHead | None, str] | None:
    """Return the metadata and the text for the browser's tab to keep; None if its copy is up to date.

    Without metadata, the tab drops its copy. Of a text that is too long, it keeps the metadata only.
    """
    own, given = session.own, session.own_given
    if own is None:
        return (None, "") if session.own_gone else None
    about, text = kept_text(own, given)
    left = len(text) if _units(text) > MOST_KEPT else 0
    if left:
        about, text = about.model_copy(update={"known": None, "file": ""}), ""
    head: KeptHead = {
        "name": about.name,
        "known": about.known,
        "dashes": about.dashes,
        "teaches": about.teaches,
        "left": left,
        "unseen": False,
        "file": about.file,
    }
    return head, text


def keep_questions() -> None:
    """Store the session's questions in the browser's tab, at the end of a run of the page."""
    questions = kept_questions.written()
    # Until this session has questions, the tab may still have those of the previous session.
    session.questions_sent = session.questions_sent or bool(questions)
    if session.questions_sent:
        keep_words_in_tab({"name": "questions", "words": kept_questions.to_json(questions)})


def too_long_to_keep() -> str:
    """Return a warning if the user's text is too long for the browser's tab to keep; otherwise an empty string."""
    own = session.own
    if own is None or _units((session.own_given or own).text) <= MOST_KEPT:
        return ""
    return (
        f"A reload loses this text: it has {len(own.text):,} characters, and the tab keeps at most {MOST_KEPT:,}. "
        "Keep the text on this machine, or its file at hand."
    )


def take_back(detail: Mapping[str, Any]) -> bool:
    """Restore the text kept by the browser's tab; return whether the user's own text is open.

    A text that is already open stays. If there is no text to restore, because it was too long for the tab or because a link
    refers to a text that the session lacks, `session.lost` has the reason.
    """
    session.tab_answered = True
    if session.own is not None:
        return True
    try:
        kept = _Kept.model_validate(detail)
        if not kept.head.left and kept.text:
            _restore(kept)
            return True
    except ValidationError:
        kept = None
    if kept is not None and kept.head.left:
        session.lost = (
            f"The tab could not keep {kept.head.name}: it has {kept.head.left:,} characters. "
            "Upload it again, or look at this sample."
        )
    elif session.own_linked:
        session.lost = FOREIGN
    return False


def _restore(kept: _Kept) -> None:
    if kept.head.unseen:
        set_own_text(Source(kept.text, kept.head.name, None, kept.head.teaches))
    else:
        give_back(kept.head, kept.text)


def _units(text: str) -> int:
    """Return the length in UTF-16 code units, as JavaScript counts."""
    return len(text) + (sum(character > "\uffff" for character in text) if 2 * len(text) > MOST_KEPT else 0)
