"""Lectures: the scene at hand, in the session and in the link, changes of the user's own lecture, and the list of all."""

from collections.abc import Mapping, Sequence
from uuid import uuid4

import streamlit as st

from chunkers import InputError
from chunkers.methods import YourChunks
from chunkers.support import pluralize
from evaluation.retrieval.asked_question import MOST_QUESTION_CHARACTERS
from viz.components.page_elements import show_download_button, show_notice
from viz.components.text_bar.text_bar import store_questions_or_lecture_in_tab
from viz.server.middleware import LECTURE_PARAMETER
from viz.shell.navigation import PAGES, switch_to_requested_page
from viz.state import (
    LARGEST_FILE,
    LONGEST_TITLE,
    MAX_SPEECH_CHARACTERS,
    MOST_SCENES,
    OWN_DECK_KEY,
    OWN_DOCUMENT_KEY,
    SCENE_PARTS,
    Choices,
    Deck,
    LectureFile,
    PageArrival,
    PlaceInLecture,
    ReplacedText,
    Scene,
    TextWithDetails,
    bundled_decks,
    choices_to_query,
    decode_lecture_from_link_word,
    language_model_link_parameter,
    lecture_to_link_word,
    main_page,
    page_link_for_scene,
    read_lecture,
    session,
    set_own_text_and_boundaries,
    went_back_or_forward,
)

DECK_PARAMETER, SCENE_PARAMETER, SCENES_PARAMETER = "deck", "scene", "scenes"
"""The link parameters of a lecture: its name, the number of its scene from 1, and the scenes of the user's own lecture."""

OPEN_SAVED_LECTURE_HINT = "If you saved the lecture, open its file under “Lectures”."
"""Advice for a link without the scenes of the user's own lecture."""


def decks_by_name() -> dict[str, Deck]:
    """Return all lectures by the name that a link has for them; the user's own comes first, if it has scenes."""
    own_lecture_deck = session.own_lecture.deck
    return {**({OWN_DECK_KEY: own_lecture_deck} if own_lecture_deck.scenes else {}), **bundled_decks()}


def current_deck_and_scene_index() -> tuple[Deck, int] | None:
    """Return the lecture at hand and the index of its scene, or None."""
    place_in_lecture = session.playing
    deck = None if place_in_lecture is None else decks_by_name().get(place_in_lecture.deck)
    return None if place_in_lecture is None or deck is None else (deck, min(place_in_lecture.scene, len(deck.scenes) - 1))


def is_tab_lecture_awaited() -> bool:
    """Return whether the lecture at hand is the user's own, which only the browser's tab may have."""
    return session.playing is not None and current_deck_and_scene_index() is None


def read_lecture_link() -> None:
    """Read the lecture from the link when the session begins, and after Back and Forward.

    A link without the state of a page leads to the scene's own state.
    """
    if session.is_lecture_read and not went_back_or_forward():
        return
    session.is_lecture_read, session.playing, session.deck_complaint = True, None, ""
    link_query_parameters = st.query_params.to_dict()
    deck_name, scene_number_word = link_query_parameters.get(DECK_PARAMETER), link_query_parameters.get(SCENE_PARAMETER, "1")
    if deck_name is None:
        return
    is_lecture_only_in_tab = (
        deck_name == OWN_DECK_KEY and SCENES_PARAMETER not in link_query_parameters and not session.own_lecture.deck.scenes
    )
    if deck_name == OWN_DECK_KEY and SCENES_PARAMETER in link_query_parameters and not session.own_lecture.deck.scenes:
        try:
            session.own_lecture = decode_lecture_from_link_word(link_query_parameters.get(SCENES_PARAMETER, ""), PAGES)
        except InputError as error:
            session.deck_complaint = f"{error} {OPEN_SAVED_LECTURE_HINT}"
            return
    deck_by_name = decks_by_name()
    if is_lecture_only_in_tab:
        session.lecture_request_token = uuid4().hex
    elif deck_name not in deck_by_name:
        session.deck_complaint = (
            f"The link's {DECK_PARAMETER} must be one of {', '.join(deck_by_name)}; got {deck_name[:60]!r}."
        )
        return
    valid_scene_numbers = [
        str(place)
        for place in range(1, (MOST_SCENES if is_lecture_only_in_tab else len(deck_by_name[deck_name].scenes)) + 1)
    ]
    if scene_number_word not in valid_scene_numbers:
        session.deck_complaint = (
            f"The link's {SCENE_PARAMETER} must be a number from 1 to {valid_scene_numbers[-1]}; got "
            f"{scene_number_word[:60]!r}."
        )
        scene_number_word = "1"
    session.playing, session.is_in_lecture_mode = PlaceInLecture(deck_name, int(scene_number_word) - 1), True
    session.opens_scene_page = not went_back_or_forward() and link_query_parameters.keys() <= {
        DECK_PARAMETER,
        SCENE_PARAMETER,
        SCENES_PARAMETER,
        LECTURE_PARAMETER,
    }


def open_scene(deck_name: str, scene_index: int = 0) -> None:
    """Show a scene of a lecture on the next run, in lecture mode; for use as a callback."""
    session.playing, session.is_in_lecture_mode, session.opens_scene_page = (
        PlaceInLecture(deck_name, scene_index),
        True,
        True,
    )


def show_lecture_from_start(deck_name: str) -> None:
    """Show a lecture from its first scene; for use as a callback."""
    session.lectures_started += 1
    open_scene(deck_name)


def end_lecture_keep_lecture_mode() -> None:
    """End the lecture, and stay in lecture mode; for use as a callback."""
    session.playing = None


def switch_to_scene_page(shown_page: str) -> None:
    """Switch from ``shown_page`` to the page of the scene that was opened, if any, and draw errors in the link."""
    # Without a fixed place for the error, Streamlit would rebuild everything below it, an open menu included.
    error_placeholder = st.empty()
    if session.deck_complaint:
        with error_placeholder:
            show_notice(session.deck_complaint, "error", key="deck_error")
    deck_and_scene_index = current_deck_and_scene_index()
    if session.opens_scene_page and deck_and_scene_index is not None:
        deck, scene_index = deck_and_scene_index
        opened_scene = deck.scenes[scene_index]
        session.opens_scene_page = False
        page_key, link_parameters = (
            opened_scene.page or main_page.key,
            {**opened_scene.query, LECTURE_PARAMETER: "1", **lecture_link_parameters()},
        )
        session.arriving = PageArrival(page_key, shown_page, link_parameters)
        _adopt_scene_text(opened_scene)
        # The scene's page may be the one shown, whose link is another.
        st.switch_page(PAGES[page_key].file, query_params=link_parameters)
    switch_to_requested_page(shown_page)


def lecture_link_parameters() -> dict[str, str]:
    """Return the link parameters of the lecture at hand."""
    place_in_lecture = session.playing
    if place_in_lecture is None:
        return {}
    packed_lecture = lecture_to_link_word(session.own_lecture) if place_in_lecture.deck == OWN_DECK_KEY else ""
    return {DECK_PARAMETER: place_in_lecture.deck, SCENE_PARAMETER: str(place_in_lecture.scene + 1)} | (
        {SCENES_PARAMETER: packed_lecture} if packed_lecture else {}
    )


def _adopt_scene_text(scene: Scene) -> None:
    """Make the text of a scene the user's own text; the text that it replaces can be restored."""
    scene_text_by_key = session.own_lecture.texts
    if scene.text not in scene_text_by_key or session.own == scene_text_by_key[scene.text].restored_text:
        return
    own_text_before, own_text_as_given_before, is_own_text_stored = (
        session.own,
        session.own_text_as_given,
        OWN_DOCUMENT_KEY in session.stored_versions,
    )
    set_own_text_and_boundaries(scene_text_by_key[scene.text].restored_text)
    session.outside_text_count += 1
    if (
        own_text_before is not None
        and not is_own_text_stored
        and all(text.text != own_text_before.text for text in scene_text_by_key.values())
    ):
        session.replaced = ReplacedText(own_text_before, own_text_as_given_before)


# The user's own lecture, whose scenes are states of pages.


DEFAULTS_FORCING_COMPLETE_LINK = Choices("", "", [], "", "", -1)
"""Choices from which those of all pages differ: a scene's link has all of them, whatever a page's defaults become."""

MOST_TAB_LECTURE_CHARACTERS = 500_000
"""Most characters of a packed lecture that the browser's tab keeps, beside the user's text."""


def offer_to_add_own_scene() -> None:
    """Draw the button that opens the form for another scene."""

    def open_scene_form() -> None:
        session.scene_adding += 1

    st.button(
        "Add to my lecture",
        key="add_scene",
        on_click=open_scene_form,
        width="stretch",
        help="The page as it is now becomes a scene of a lecture of your own, with words to say. The key s does the same.",
    )


def add_scene_to_own_lecture(text_by_field: Mapping[str, str], *, hides_parts_at_first: bool) -> None:
    """Add the page's state to the user's own lecture, with title, words and question from ``text_by_field``; a callback."""
    page_key, lecture_before = session.page, session.own_lecture
    if page_key not in session.choices:
        return
    page_choices = session.choices[page_key]
    page_link_parameters = choices_to_query(page_choices, DEFAULTS_FORCING_COMPLETE_LINK) | language_model_link_parameter(
        page_choices, session.language_server.model or session.linked_model
    )
    if page_link_parameters.get("document") == OWN_DOCUMENT_KEY and session.own is None:
        session.lecture_message = "There is no text yet to show in a lecture."
        return
    if len(lecture_before.deck.scenes) == MOST_SCENES:
        session.lecture_message = f"A lecture must have at most {MOST_SCENES} scenes; remove one first."
        return
    try:
        new_lecture_scene = Scene(
            title=text_by_field.get("title", "").strip()[:LONGEST_TITLE] or PAGES[page_key].title,
            link=page_link_for_scene("" if page_key == main_page.key else page_key, page_link_parameters),
            hides=hides_parts_at_first,
            ask=text_by_field.get("question", "").strip()[:MOST_QUESTION_CHARACTERS] if page_key == main_page.key else "",
            **{part: text_by_field.get(part, "").strip()[:MAX_SPEECH_CHARACTERS] for part in SCENE_PARTS},
        )
        lecture_with_new_scene = lecture_before.with_scene(
            new_lecture_scene, session.own if page_link_parameters.get("document") == OWN_DOCUMENT_KEY else None
        )
    except ValueError:
        session.lecture_message = "The settings of this page are too long for a scene."
        return
    if len(lecture_with_new_scene.model_dump_json(indent=1).encode()) > LARGEST_FILE:
        session.lecture_message = f"A lecture's file must have at most {LARGEST_FILE:,} bytes; with this text it has more."
        return
    session.own_lecture = lecture_with_new_scene
    shows_chunk_file = any(column.chunker == YourChunks.name for column in page_choices.columns)
    session.lecture_message = f"Added as scene {len(lecture_with_new_scene.deck.scenes)} of your lecture" + (
        "; the file of chunks is not saved with it" * shows_chunk_file
        or "; it is too long to survive a reload, so save it under “Lectures”"
        * (len(lecture_with_new_scene.packed_for_link_or_tab) > MOST_TAB_LECTURE_CHARACTERS)
    )


def keep_own_lecture_in_tab() -> None:
    """Store the user's own lecture in the browser's tab."""
    own_lecture = session.own_lecture
    # Until this session has scenes, the tab may still have those of the previous session.
    session.lecture_sent = session.lecture_sent or bool(own_lecture.deck.scenes)
    if session.lecture_sent:
        store_questions_or_lecture_in_tab(
            {
                "name": "lecture",
                "words": own_lecture.packed_for_link_or_tab
                if own_lecture.deck.scenes and len(own_lecture.packed_for_link_or_tab) <= MOST_TAB_LECTURE_CHARACTERS
                else "",
            }
        )


def adopt_lecture_of_tab(packed_lecture_of_tab: str) -> None:
    """Take the lecture that the browser's tab has kept; if the session has another, it can be brought back."""
    try:
        lecture_stored_in_tab = decode_lecture_from_link_word(packed_lecture_of_tab, PAGES, LARGEST_FILE)
    except InputError as error:
        if is_tab_lecture_awaited():
            session.playing, session.deck_complaint = None, f"{error} {OPEN_SAVED_LECTURE_HINT}"
        return
    if not session.own_lecture.deck.scenes:
        session.own_lecture = lecture_stored_in_tab
    elif lecture_stored_in_tab != session.own_lecture:
        session.lecture_before = lecture_stored_in_tab


def render_shown_page_as_svg(drawn_sentence_count: int | None, caption: Sequence[str]) -> str | None:
    """Return the page with its present settings as SVG, up to a sentence of its stepper, or None if nothing is drawn."""
    # The first page has no use for pictures.
    from evaluation.report.lecture_handouts_and_pictures import scene_picture
    from viz.shell.printed_lecture_scenes import lecture_sheets

    deck_and_scene_index = current_deck_and_scene_index()
    if deck_and_scene_index is None or session.page not in session.choices:
        return None
    deck, scene_index = deck_and_scene_index
    page_link = page_link_for_scene(
        "" if session.page == main_page.key else session.page,
        choices_to_query(session.choices[session.page], DEFAULTS_FORCING_COMPLETE_LINK),
    )
    scene_of_current_page = deck.scenes[scene_index].model_copy(
        update={"link": page_link, "text": OWN_DOCUMENT_KEY, "minutes": ""}
    )
    (scene_sheet,) = lecture_sheets(
        Deck(title=deck.title, scenes=(scene_of_current_page,)),
        {} if session.own is None else {OWN_DOCUMENT_KEY: session.own},
    )
    return scene_picture(scene_sheet, caption, drawn_sentence_count) if scene_sheet.columns else None


def move_scene(position_change: int) -> None:
    """Move the scene at hand of the user's own lecture; for use as a callback."""
    place_in_lecture = session.playing
    if place_in_lecture is not None and place_in_lecture.deck == OWN_DECK_KEY:
        new_scene_index = max(0, min(place_in_lecture.scene + position_change, len(session.own_lecture.deck.scenes) - 1))
        session.own_lecture = session.own_lecture.moved(place_in_lecture.scene, new_scene_index - place_in_lecture.scene)
        session.playing = PlaceInLecture(OWN_DECK_KEY, new_scene_index)


def remove_scene() -> None:
    """Remove the scene at hand of the user's own lecture, and show the next; for use as a callback."""
    place_in_lecture = session.playing
    if place_in_lecture is None or place_in_lecture.deck != OWN_DECK_KEY:
        return
    replace_own_lecture(session.own_lecture.without_scene(place_in_lecture.scene))
    session.lecture_message = "Removed from your lecture; “Lectures” in the settings can bring it back"


def restore_replaced_lecture() -> None:
    """Restore the user's own lecture as it was before its last removal or replacement; for use as a callback."""
    if session.lecture_before is not None:
        replace_own_lecture(session.lecture_before)


def replace_own_lecture(lecture: LectureFile) -> None:
    """Replace the user's own lecture, which can be brought back; if it is at hand, show the scene at the same place."""
    session.own_lecture, session.lecture_before = lecture, session.own_lecture
    place_in_lecture, scene_count = session.playing, len(lecture.deck.scenes)
    if place_in_lecture is None or place_in_lecture.deck != OWN_DECK_KEY:
        return
    if scene_count:
        open_scene(OWN_DECK_KEY, min(place_in_lecture.scene, scene_count - 1))
    else:
        end_lecture_keep_lecture_mode()


# The list of lectures, with handouts and files.


def draw_button_per_lecture(key_prefix: str) -> None:
    """Draw a button for each lecture, with what it is about; ``key_prefix`` distinguishes two lists on one page."""
    for deck_key, deck in decks_by_name().items():
        with st.container(gap=None):
            # A user's own title would be read as Markdown.
            button_label, about_phrase = ("My lecture", "") if deck_key == OWN_DECK_KEY else (deck.title, f"{deck.about} ")
            with st.container(horizontal=True):
                st.button(
                    button_label, key=f"{key_prefix}/deck/{deck_key}", on_click=show_lecture_from_start, args=(deck_key,)
                )
                _offer_handout(key_prefix, deck_key, deck)
                if deck_key == OWN_DECK_KEY:
                    _offer_own_lecture_download(key_prefix)
            st.caption(f"{about_phrase}{pluralize(len(deck.scenes), 'scene')}.")
    if session.lecture_before is not None and session.lecture_before.deck.scenes:
        st.button(
            "Restore lecture",
            key=f"{key_prefix}/restore_lecture",
            on_click=restore_replaced_lecture,
            help="Your own lecture as it was before a scene was removed or a file was opened.",
        )
    lecture_file_widget_key = f"{key_prefix}/lecture_file"

    def open_uploaded_lecture() -> None:
        uploaded_lecture_file, session.deck_complaint = st.session_state[lecture_file_widget_key], ""
        if uploaded_lecture_file is None:
            return
        try:
            opened_lecture = read_lecture(uploaded_lecture_file.getvalue(), uploaded_lecture_file.name, PAGES)
        except InputError as error:
            session.deck_complaint = str(error)
            return
        if opened_lecture != session.own_lecture:
            replace_own_lecture(opened_lecture)
        show_lecture_from_start(OWN_DECK_KEY)

    st.file_uploader(
        "Open a lecture",
        type="json",
        key=lecture_file_widget_key,
        on_change=open_uploaded_lecture,
        help="A lecture of your own: “Add to my lecture” takes any page as it is; then save it here.",
    )


def _offer_own_lecture_download(key_prefix: str) -> None:
    own_lecture = session.own_lecture
    show_download_button(
        st.container(),
        "Save",
        lambda: own_lecture.model_dump_json(indent=1),
        "lecture.json",
        "application/json",
        own_lecture,
        key=f"{key_prefix}/save_lecture",
        help="The scenes with their words, and your own texts that they show. Without such texts, the link of a short "
        "lecture has all of it, too.",
    )


def _handout_html(deck: Deck, texts: Mapping[str, TextWithDetails]) -> str:
    # The first page has no use for reports.
    from evaluation.report.lecture_handouts_and_pictures import handout_html
    from viz.shell.printed_lecture_scenes import lecture_sheets

    return handout_html(deck.title, deck.about, lecture_sheets(deck, texts))


def _offer_handout(key_prefix: str, deck_name: str, deck: Deck) -> None:
    user_text_by_key = (
        {key: text.restored_text for key, text in session.own_lecture.texts.items()} if deck_name == OWN_DECK_KEY else {}
    )
    show_download_button(
        st.container(),
        "Handout",
        lambda: _handout_html(deck, user_text_by_key),
        "handout.html",
        "text/html",
        (deck, user_text_by_key),
        key=f"{key_prefix}/handout/{deck_name}",
        help="One page to print: every scene with its words and chunks, exercises, and the answers at the end.",
    )
