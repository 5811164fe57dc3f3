"""The row at the top of a page, the footer of the text box, and the browser tab's copy of the user's text."""

import json
from collections.abc import Sequence
from functools import partial
from typing import Literal, TypedDict

from viz.components.browser_exchange import Component, Data, Store, keep_event_until_taken

TEXT_BAR_KEY, TEXT_AREA_FOOTER_KEY = "document", "own_foot"
"""Keys of the row and of the footer; `viz.components.browser_exchange.take_event` takes their events."""


class DocumentData(TypedDict):
    """A sample text: its id, title and topic."""

    id: str
    title: str
    about: str


class StorageChip(TypedDict):
    """The chip next to the document's name, which shows whether the document is kept on this machine.

    ``state`` is empty for no chip, ``offered`` if the document can be kept on this machine, ``urgent`` if questions or
    boundaries would otherwise be lost, ``kept``, or ``shared`` if others reach the server and only a session file remains.
    """

    state: str
    title: str


class TextBarData(TypedDict):
    """Payload of the row at the top of a page: the samples, the current document, and requests to the browser tab.

    ``documents`` are the samples, ``own`` is the name of the user's own text (empty if there is none), ``chosen`` the id of
    the shown document, and ``facts`` describe it. ``open`` is the reason why the text box must be open, if it must.
    ``taken`` counts the texts that arrived other than through the box, which then closes. A new value of ``ask`` requests
    the text that the tab keeps, and one of ``ask_questions`` its questions.
    """

    documents: Sequence[DocumentData]
    own: str
    chosen: str
    facts: str
    open: str
    taken: int
    ask: str
    ask_questions: str
    storage: StorageChip


_text_bar_component = Component[TextBarData](
    "seamark_text_bar",
    "components/text_bar/text_bar.js",
    "components/text_bar/text_bar.css",
    html='<div class="text-bar" role="group" aria-label="Document"></div>',
)
_text_area_footer_component = Component[Data](
    "seamark_text_foot",
    "components/text_bar/text_area_footer.js",
    "components/text_bar/text_area_footer.css",
    html='<div class="text-foot"></div>',
)


class TabTextMetadata(TypedDict):
    """Metadata of a text kept in the browser's tab; see `viz.controls.text_storage`.

    ``file`` is JSON with the properties of the file that the text was read from; empty if it was not read from a file.
    """

    name: str
    known: Sequence[int] | None
    dashes: bool | None
    teaches: str
    left: int
    unseen: bool
    file: str


class TabQuestionsOrLecture(TypedDict):
    """Questions or a lecture that the browser's tab keeps, as the server reads them again; empty ``words`` remove them."""

    name: Literal["questions", "lecture"]
    words: str


_browser_tab_text_store = Store[bytes]("seamark_own", "keepOwn")
_tab_questions_or_lecture_store = Store[TabQuestionsOrLecture]("seamark_words", "keepWords")


def draw_document_choice_bar(data: TextBarData) -> None:
    """Draw the row at the top of a page, in which the user chooses and keeps a document.

    The page reruns after each of these events, which it takes by `viz.components.browser_exchange.take_event`:

    - ``chosen``: the user chose a document; ``{"document", "at"}``.
    - ``kept``: the browser's tab sent the text that it has kept; ``{"head", "text", "at"}``. The head is None if the tab has
      no text.
    - ``questions``: the browser's tab sent the questions that it has kept; ``{"questions", "at"}``.
    - ``storage``: the user keeps the document on this machine, removes it from there, or wants its session file;
      ``{"act", "at"}``.
    """
    _text_bar_component(
        key=TEXT_BAR_KEY,
        data=data,
        on_chosen_change=partial(keep_event_until_taken, TEXT_BAR_KEY, "chosen"),
        on_kept_change=partial(keep_event_until_taken, TEXT_BAR_KEY, "kept"),
        on_questions_change=partial(keep_event_until_taken, TEXT_BAR_KEY, "questions"),
        on_storage_change=partial(keep_event_until_taken, TEXT_BAR_KEY, "storage"),
    )


def show_text_box_footer() -> None:
    """Draw the footer of the text box, with a live count and the button that cuts the text."""
    _text_area_footer_component(
        key=TEXT_AREA_FOOTER_KEY, data=None, on_cut_change=partial(keep_event_until_taken, TEXT_AREA_FOOTER_KEY, "cut")
    )


def keep_text_in_tab(text_metadata: TabTextMetadata | None, text: str) -> None:
    """Replace the text that the browser's tab keeps; remove the text if ``text_metadata`` is None."""
    _browser_tab_text_store(f"{json.dumps(text_metadata)}\n{text}".encode(), key="own_in_tab")


def store_questions_or_lecture_in_tab(questions_or_lecture_data: TabQuestionsOrLecture) -> None:
    """Replace the questions or the lecture that the browser's tab keeps."""
    _tab_questions_or_lecture_store(questions_or_lecture_data, key=questions_or_lecture_data["name"])
