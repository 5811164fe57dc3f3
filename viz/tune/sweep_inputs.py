"""The inputs of a sweep: the documents to tune on, those held out, and the settings to try."""

import io
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, prod
from typing import Any

import streamlit as st

from chunkers import (
    CHUNKERS,
    DEFAULT_SPLITTER,
    MODEL_ASKING_CLASS_BY_NAME,
    SPLITTER_DESCRIPTIONS,
    FieldSpec,
    InputError,
    build_chunker,
)
from chunkers.commands.shared_command_parts import parse_parameter_value as read_value
from chunkers.recipes import chunker_class
from chunkers.text import READABLE_ENDINGS
from evaluation.segmentation import (
    MarkedDocument,
    MarkedText,
    SubjectPassage,
    SweptSetting,
    boundaries_and_text_hash_json,
    halve_passages_by_subject,
    list_qu_et_al_settings,
    make_stitched_documents,
    read_marked_texts,
    read_passages,
    select_texts_sharing_heldout_sections,
    settings_grid,
)
from sample_docs import load_sample, sample_splitters, sample_titles
from viz.components.page_elements import show_download_button, show_job_progress_with_cancel, show_notice
from viz.controls import adopt_as_own_text, build_widget_key_and_callback, draw_setting_select_box
from viz.jobs import ReadingJob
from viz.shell import PAGES, open_page_at_next_run
from viz.state import Choices, TextWithDetails
from viz.tune.session import MarkedDocuments, StitchedDocuments, session

# The user's own documents with known boundaries: uploaded, marked on Failures, or stitched from short texts.


OWN_DOCUMENTS_SPLITTER_DEFAULT = {"splitter": DEFAULT_SPLITTER}
"""The default values of the link parameters for the user's own documents."""

PAGES_OPENING_STITCHED_DOCUMENTS = ("failures", "compare")
"""The pages on which a stitched document can be opened."""

_CONTROLS_WIDTH_PIXELS = 460
"""Width of each half of the panel, in pixels."""

_ENDINGS = [ending.removeprefix(".") for ending in READABLE_ENDINGS]


def own_documents() -> dict[str, MarkedText]:
    """Return the user's documents with known boundaries, by name."""
    _store_read_and_stitched_documents()
    own_document_by_name = {
        document.name: document for held in (session.tune_uploaded, session.tune_stitched) for document in held.documents
    }
    own_text_and_details = session.own
    if (
        own_text_and_details is not None
        and own_text_and_details.known
        and not any(
            document.text == own_text_and_details.text and document.known == own_text_and_details.known
            for document in own_document_by_name.values()
        )
    ):
        marked_document_name = f"{own_text_and_details.name}, marked on Failures"
        own_document_by_name[marked_document_name] = MarkedText(
            marked_document_name, own_text_and_details.text, own_text_and_details.known
        )
    return own_document_by_name


def draw_own_document_controls(choices: Choices) -> None:
    """Draw the controls that make documents with boundaries from the user's files, and the resulting documents."""
    with st.expander("Your own documents"):
        # Side by side if there is room, otherwise one below the other.
        own_documents_container = st.container(horizontal=True, gap="large")
        with own_documents_container.container(width=_CONTROLS_WIDTH_PIXELS):
            _draw_marked_text_uploader()
            draw_setting_select_box(
                "Split into sentences by",
                choices.extra,
                "splitter",
                {name: name for name in SPLITTER_DESCRIPTIONS},
                "tune/splitter",
            )
        with own_documents_container.container(width=_CONTROLS_WIDTH_PIXELS):
            _draw_stitching_controls(choices.extra["splitter"])
        _draw_stitched_document_buttons(choices)


def _draw_marked_text_uploader() -> None:
    st.markdown("**Documents whose boundaries you know**")
    st.caption(
        "Upload texts in which a line of three dashes ends each section, or upload each text with its file of boundaries, "
        "saved on Failures. The text that you marked there is already included."
    )
    st.file_uploader(
        "Texts and boundaries",
        type=[*_ENDINGS, "json"],
        accept_multiple_files=True,
        key="marked_files",
        on_change=_start_reading_marked_texts,
        label_visibility="collapsed",
    )
    if session.document_reading_job is not None:
        show_job_progress_with_cancel(session.document_reading_job)
    for complaint_number, complaint in enumerate(session.tune_uploaded.complaints):
        show_notice(complaint, "error", key=f"marked_complaint_{complaint_number}")


def _start_reading_marked_texts() -> None:
    file_name_data_pairs = [(file.name, file.getvalue()) for file in st.session_state["marked_files"]]
    # The job before is cancelled by the assignment, before this one takes its time.
    session.document_reading_job = reading_job = ReadingJob(
        file_name_data_pairs, lambda *given: MarkedDocuments(*read_marked_texts(*given))
    )
    reading_job.start_and_wait_briefly()


def _store_read_and_stitched_documents() -> None:
    """Store the documents that were read or stitched in the background, if a job has ended."""
    if marked_text_reading_job := session.take_finished_reading_job("document_reading_job"):
        session.tune_uploaded = marked_text_reading_job.result or MarkedDocuments(complaints=[marked_text_reading_job.error])
    if stitching_job := session.take_finished_reading_job("tune_stitching"):
        stitching_result = stitching_job.result or StitchedDocuments(MarkedDocuments(complaints=[stitching_job.error]))
        session.tune_stitched = stitching_result.documents
        session.held_out_names = session.held_out_names | stitching_result.held_out_names


def _draw_stitching_controls(splitter: str) -> None:
    st.markdown("**Long documents stitched together from short ones**")
    st.caption(
        "Short texts are joined in random order; the seams are the known boundaries. A file counts as one topic, unless "
        "lines of three dashes divide it into several."
    )
    uploaded_short_texts = st.file_uploader(
        "Short texts", type=_ENDINGS, accept_multiple_files=True, key="short_files", label_visibility="collapsed"
    )
    stitching_controls_row = st.container(horizontal=True, vertical_alignment="bottom")
    stitching_controls_row.number_input(
        "Sentences per document", 2, 10_000, 100, 10, key="stitch_sentences", help="A document ends when it has this many."
    )
    stitching_controls_row.number_input("Document count", 1, 100, 5, key="stitch_count")
    stitching_controls_row.number_input(
        "Seed", 0, 1_000_000, 0, key="stitch_seed", help="The same texts and seed give the same documents."
    )
    st.checkbox(
        "Add held-out documents",
        key="stitch_halves",
        help="Half of the texts are used only for these, so that the best setting is measured on texts not seen in tuning.",
    )
    st.button("Stitch documents", on_click=_begin_stitching, args=(splitter,), disabled=not uploaded_short_texts)
    if session.tune_stitching is not None:
        show_job_progress_with_cancel(session.tune_stitching)
    for complaint_number, complaint in enumerate(session.tune_stitched.complaints):
        show_notice(complaint, "error", key=f"stitch_complaint_{complaint_number}")


def _begin_stitching(splitter: str) -> None:
    stitching_options = (
        st.session_state["stitch_sentences"],
        st.session_state["stitch_count"],
        st.session_state["stitch_seed"],
        splitter,
    )
    is_half_held_out = bool(st.session_state["stitch_halves"])
    short_file_names_and_contents = [(file.name, file.getvalue()) for file in st.session_state["short_files"]]
    session.tune_stitching = stitching_job = ReadingJob(
        short_file_names_and_contents,
        lambda given, read, _: _stitched_documents(
            *read_passages(given, read), stitching_settings=stitching_options, hold_out_half=is_half_held_out
        ),
    )
    stitching_job.start_and_wait_briefly()


def _stitched_documents(
    passages: list[SubjectPassage],
    complaints: list[str],
    *,
    stitching_settings: tuple[int, int, int, str],
    hold_out_half: bool,
) -> StitchedDocuments:
    """Stitch the passages into documents; if ``hold_out_half``, half of the passages form held-out documents."""
    tuning_documents: list[MarkedText] = []
    held_out_documents: list[MarkedText] = []
    try:
        tuning_passages, held_out_passages = halve_passages_by_subject(passages) if hold_out_half else (passages, [])
        tuning_documents = make_stitched_documents(tuning_passages, *stitching_settings)
        held_out_documents = (
            make_stitched_documents(held_out_passages, *stitching_settings, first_document_number=len(tuning_documents) + 1)
            if hold_out_half
            else []
        )
    except InputError as error:
        complaints.append(str(error))
    tuning_then_held_out_documents = [*tuning_documents, *held_out_documents]
    return StitchedDocuments(
        MarkedDocuments(
            tuning_then_held_out_documents,
            complaints,
            _stitched_documents_in_words(tuning_then_held_out_documents, len(passages), stitching_settings[3]),
        ),
        frozenset(document.name for document in held_out_documents),
    )


def _stitched_documents_in_words(documents: list[MarkedText], text_count: int, sentence_splitter_name: str) -> str:
    """Describe the stitched documents, which are shorter than requested if there is too little text."""
    if not documents:
        return ""
    sentence_count_per_document = [
        len(document.split_to_marked_document(sentence_splitter_name).document.sentences) for document in documents
    ]
    seam_count_per_document = [len(document.known) for document in documents]
    return (
        f"{len(documents):,} document{'s' if len(documents) > 1 else ''} stitched from {text_count:,} short texts, with "
        f"{_count_range_in_words(sentence_count_per_document)} sentences and "
        f"{_count_range_in_words(seam_count_per_document)} known boundaries each; now among the documents."
    )


def _count_range_in_words(counts: list[int]) -> str:
    lowest_count, highest_count = min(counts), max(counts)
    return f"{lowest_count:,}" if lowest_count == highest_count else f"{lowest_count:,} to {highest_count:,}"


def _draw_stitched_document_buttons(choices: Choices) -> None:
    """Draw the downloads and buttons for the stitched documents."""
    stitched_documents = session.tune_stitched
    if not stitched_documents.documents:
        return
    stitched_document_by_name = {document.name: document for document in stitched_documents.documents}
    st.caption(stitched_documents.summary)
    actions_row = st.container(horizontal=True, vertical_alignment="bottom")
    stitched_document_name = actions_row.selectbox(
        "Stitched document", list(stitched_document_by_name), key="stitched_name", width=200
    )
    document = stitched_document_by_name[stitched_document_name]
    download_file_stem = stitched_document_name.replace(" ", "-")
    show_download_button(actions_row, "Text", document.text.encode, f"{download_file_stem}.txt", "text/plain", document)
    show_download_button(
        actions_row,
        "Boundaries",
        lambda: _known_boundaries_json(document),
        f"{download_file_stem}.json",
        "application/json",
        document,
    )
    show_download_button(
        actions_row,
        "All, as ZIP",
        lambda: zip_documents_and_boundaries(stitched_documents.documents),
        "stitched.zip",
        "application/zip",
        stitched_documents,
    )
    for target_page_key in PAGES_OPENING_STITCHED_DOCUMENTS:
        actions_row.button(
            f"Open on {PAGES[target_page_key].title}",
            on_click=_open_document_as_own_text,
            args=(choices, document, target_page_key),
        )


def _known_boundaries_json(marked_text: MarkedText) -> str:
    return boundaries_and_text_hash_json(marked_text.name, marked_text.text, marked_text.known)


def zip_documents_and_boundaries(documents: list[MarkedText]) -> bytes:
    """Return a ZIP archive of the documents, with a text file and a file of boundaries for each document."""
    archive_buffer = io.BytesIO()
    with zipfile.ZipFile(archive_buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for document in documents:
            document_file_stem = document.name.replace(" ", "-")
            archive.writestr(f"{document_file_stem}.txt", document.text)
            archive.writestr(f"{document_file_stem}.json", _known_boundaries_json(document))
    return archive_buffer.getvalue()


def _open_document_as_own_text(choices: Choices, marked_text: MarkedText, page_key: str) -> None:
    """Make the document the user's own text, and go to the page that shows it."""
    adopt_as_own_text(TextWithDetails(marked_text.text, marked_text.name, marked_text.known), choices)
    choices.sentences = choices.extra["splitter"]
    open_page_at_next_run(page_key)


@dataclass(frozen=True)
class SweepDocuments:
    """The documents of a sweep, divided into those to tune on and those held out.

    ``complaint`` names the documents excluded because they share text with a held-out one.
    """

    tuned: Sequence[MarkedText]
    held_out: Sequence[MarkedText]
    complaint: str
    splitter: str

    @property
    def all(self) -> list[MarkedText]:
        """The documents to tune on, followed by the held-out documents."""
        return [*self.tuned, *self.held_out]

    @property
    def held_names(self) -> frozenset[str]:
        """The names of the held-out documents."""
        return frozenset(document.name for document in self.held_out)

    @property
    def documents_and_splitter_names(self) -> list[tuple[MarkedText, str]]:
        """All documents with the names of their sentence splitters; the user's own documents have the chosen splitter."""
        splitter_by_sample = sample_splitters()
        return [(document, splitter_by_sample.get(document.name, self.splitter)) for document in self.all]

    def documents_split_into_sentences(self) -> Iterator[MarkedDocument]:
        """Yield the documents, split into sentences."""
        return (document.split_to_marked_document(splitter) for document, splitter in self.documents_and_splitter_names)


def link_parameters_of_default_documents() -> dict[str, str]:
    """Return the link parameters that choose the bundled documents by default."""
    # The essay contains several of the others, which then could not be held out.
    default_document_names = [name for name in _bundled_document_names() if name != "essay"]
    default_held_out_names = default_document_names[1::3]
    return {
        "documents": ",".join(name for name in default_document_names if name not in default_held_out_names),
        "held": ",".join(default_held_out_names),
    }


def _bundled_document_names() -> list[str]:
    return [name for name in sample_titles() if load_sample(name).known]


def draw_document_choice(link_parameters: dict[str, str]) -> SweepDocuments:
    """Draw the controls for choosing the documents of a sweep, and return the chosen documents."""
    own_document_by_name = own_documents()
    document_title_by_name = {name: sample_titles()[name] for name in _bundled_document_names()} | {
        name: name for name in own_document_by_name
    }

    def store_own_names_left_out(tuning_names: set[str]) -> None:
        session.left_out_names = own_document_by_name.keys() - tuning_names

    def store_held_out_names(names: set[str]) -> None:
        session.held_out_names = names

    tuning_document_names = _choose_document_names(
        "Documents",
        "With known boundaries.",
        link_parameters,
        "documents",
        document_title_by_name,
        own_document_by_name.keys() - session.left_out_names,
        store_own_names_left_out,
    )
    held_out_document_names = _choose_document_names(
        "Held out",
        "The ranking ignores these, and documents that share a section with one of them; the best setting is then measured "
        "on them.",
        link_parameters,
        "held",
        document_title_by_name,
        own_document_by_name.keys() & session.held_out_names,
        store_held_out_names,
    )
    return _divide_documents(
        {
            name: own_document_by_name.get(name) or _bundled_marked_text(name)
            for name in [*tuning_document_names, *held_out_document_names]
        },
        held_out_document_names,
        document_title_by_name,
        link_parameters["splitter"],
    )


def default_sweep_documents() -> SweepDocuments:
    """Return the documents of the page's default sweep."""
    tuning_document_names, held_out_document_names = (
        link_parameters_of_default_documents()[name].split(",") for name in ("documents", "held")
    )
    return _divide_documents(
        {name: _bundled_marked_text(name) for name in [*tuning_document_names, *held_out_document_names]},
        held_out_document_names,
        sample_titles(),
        DEFAULT_SPLITTER,
    )


def _divide_documents(
    text_by_name: Mapping[str, MarkedText], held_out_names: Sequence[str], title_by_name: Mapping[str, str], splitter: str
) -> SweepDocuments:
    """Divide the texts of ``text_by_name`` into the documents to tune on, in order, and the held-out documents."""
    held_out_documents = [text_by_name[name] for name in held_out_names]
    tuning_documents = [document for name, document in text_by_name.items() if name not in held_out_names]
    documents_sharing_held_out_sections = select_texts_sharing_heldout_sections(tuning_documents, held_out_documents)
    left_out_titles_phrase = ", ".join(title_by_name[document.name] for document in documents_sharing_held_out_sections)
    overlap_exclusion_sentence = (
        f"Left out of the ranking, because a section of it is held out: {left_out_titles_phrase}."
        if documents_sharing_held_out_sections
        else ""
    )
    return SweepDocuments(
        [document for document in tuning_documents if document not in documents_sharing_held_out_sections],
        held_out_documents,
        overlap_exclusion_sentence,
        splitter,
    )


def _choose_document_names(
    label: str,
    help_text: str,
    link_parameters: dict[str, str],
    link_parameter_name: str,
    title_by_document_name: Mapping[str, str],
    selected_own_document_names: set[str],
    store_own_document_names: Callable[[set[str]], None],
) -> list[str]:
    """Draw a choice of several documents and return their names.

    Bundled documents are stored in the link parameter ``link_parameter_name``; ``store_own_document_names`` is called
    with the names of the user's own documents.
    """
    preselected_document_names = [
        doc_name
        for doc_name in title_by_document_name
        if doc_name in selected_own_document_names or doc_name in link_parameters[link_parameter_name].split(",")
    ]

    def store_chosen_document_names(chosen_names: list[str]) -> None:
        link_parameters[link_parameter_name] = ",".join(doc_name for doc_name in chosen_names if doc_name in sample_titles())
        store_own_document_names({doc_name for doc_name in chosen_names if doc_name not in sample_titles()})

    st.multiselect(
        label,
        list(title_by_document_name),
        default=preselected_document_names,
        format_func=title_by_document_name.__getitem__,
        help=help_text,
        **build_widget_key_and_callback(
            preselected_document_names, f"tune/{link_parameter_name}", store_chosen_document_names
        ),
    )
    return preselected_document_names


def _bundled_marked_text(sample_name: str) -> MarkedText:
    bundled_sample_document = load_sample(sample_name)
    return MarkedText(sample_name, bundled_sample_document.text, bundled_sample_document.known or ())


# The settings: the published grids, or one or two parameters of a chunker.


PUBLISHED_GRIDS_OPTION = "published"
"""Value of the link's parameter that stands for the published grids of all chunkers."""

DEFAULT_GRID_LINK_PARAMETERS = {"what": "breakpoint", "first": "amount", "second": "", "values": "", "others": ""}
"""The default values of the link parameters for the settings."""

MOST_RUNS = 20_000
"""Most runs of a sweep: settings times documents."""

MOST_DEFAULT_AXIS_VALUES = 11
"""Most default values of an axis."""

_DEFAULT_SIZE_VALUES = [2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]
"""Default values of an axis for sizes, whose range is too large for round steps."""


def choose_sweep_settings(link_parameters: dict[str, str]) -> tuple[list[SweptSetting], str]:
    """Draw the controls for a grid of settings; return the valid settings, and a message if some are invalid."""
    title_by_chunker_option = {PUBLISHED_GRIDS_OPTION: "Published grids"} | {
        name: chunker_class(name).title for name in (*CHUNKERS, *MODEL_ASKING_CLASS_BY_NAME)
    }

    def clear_swept_parameters() -> None:
        link_parameters.update(first="", second="", values="", others="")

    if (
        draw_setting_select_box(
            "Sweep", link_parameters, "what", title_by_chunker_option, "tune/what", clear_swept_parameters
        )
        == PUBLISHED_GRIDS_OPTION
    ):
        st.caption(
            "The published grids of Qu et al., appendix B: 30 settings of Breakpoint, 45 of Single linkage, 125 of DBSCAN, "
            "18 of Fixed sentences."
        )
        return list_qu_et_al_settings(), ""
    chunker_name = link_parameters["what"]
    spec_by_parameter = {spec.name: spec for spec in chunker_class(chunker_name).fields()}
    title_by_parameter = {name: spec.title for name, spec in spec_by_parameter.items()}
    first_axis_parameter_name = draw_setting_select_box(
        "Along", link_parameters, "first", title_by_parameter, f"tune/first/{chunker_name}"
    )
    axis_values_by_parameter = {
        first_axis_parameter_name: _draw_and_read_axis_values(
            link_parameters, "values", spec_by_parameter[first_axis_parameter_name]
        )
    }
    title_by_second_axis_parameter = {"": "nothing else"} | {
        name: title for name, title in title_by_parameter.items() if name != first_axis_parameter_name
    }
    second_axis_parameter_name = draw_setting_select_box(
        "and along", link_parameters, "second", title_by_second_axis_parameter, f"tune/second/{chunker_name}"
    )
    if second_axis_parameter_name:
        axis_values_by_parameter[second_axis_parameter_name] = _draw_and_read_axis_values(
            link_parameters, "others", spec_by_parameter[second_axis_parameter_name]
        )
    setting_count = prod(map(len, axis_values_by_parameter.values()))
    if setting_count > MOST_RUNS:
        return [], f"A sweep may have at most {MOST_RUNS:,} runs; this grid has {setting_count:,} settings."
    return _valid_settings(settings_grid(chunker_name, **axis_values_by_parameter))


def default_sweep_settings() -> list[SweptSetting]:
    """Return the settings of the page's default sweep, given by `DEFAULT_GRID_LINK_PARAMETERS`."""
    chunker_name, first_axis_parameter_name = DEFAULT_GRID_LINK_PARAMETERS["what"], DEFAULT_GRID_LINK_PARAMETERS["first"]
    first_axis_parameter_spec = next(
        field_spec for field_spec in chunker_class(chunker_name).fields() if field_spec.name == first_axis_parameter_name
    )
    return _valid_settings(
        settings_grid(chunker_name, **{first_axis_parameter_name: default_axis_values(first_axis_parameter_spec)})
    )[0]


def set_swept_chunker(link_parameters: dict[str, str], chunker_name: str) -> None:
    """Make the sweep vary the first parameter of a chunker; keep the sweep if it already has this chunker."""
    if link_parameters["what"] != chunker_name:
        link_parameters.update(what=chunker_name, first="", second="", values="", others="")


def _valid_settings(settings: list[SweptSetting]) -> tuple[list[SweptSetting], str]:
    """Return the valid settings, each once, and a message about the invalid ones or an empty string."""
    valid_settings, invalid_setting_messages = dict[SweptSetting, None](), []
    for setting in settings:
        try:
            build_chunker(setting.chunker, dict(setting.parameters))
        except InputError as error:
            invalid_setting_messages.append(str(error))
        else:
            valid_settings[setting] = None
    if invalid_setting_messages and valid_settings:
        return list(
            valid_settings
        ), f"{len(invalid_setting_messages):,} of {len(settings):,} combinations are left out: {invalid_setting_messages[0]}"
    return list(valid_settings), invalid_setting_messages[0] if invalid_setting_messages else ""


def _draw_and_read_axis_values(
    link_parameters: dict[str, str], link_parameter_name: str, parameter_spec: FieldSpec
) -> list[Any]:
    """Draw the text box for the values of an axis and return the values."""
    axis_values_widget_key = f"tune/{link_parameter_name}/{link_parameters['what']}/{parameter_spec.name}"
    axis_values_text = link_parameters[link_parameter_name] or ", ".join(
        f"{value:g}" if isinstance(value, float) else str(value) for value in default_axis_values(parameter_spec)
    )

    def store_axis_values() -> None:
        link_parameters[link_parameter_name] = st.session_state[axis_values_widget_key]

    st.text_input(
        f"{parameter_spec.title}: values",
        axis_values_text,
        key=axis_values_widget_key,
        on_change=store_axis_values,
        help=parameter_spec.help or None,
    )
    return [read_value(word.strip()) for word in st.session_state[axis_values_widget_key].split(",") if word.strip()]


def default_axis_values(parameter_spec: FieldSpec) -> list[Any]:
    """Return round values of a parameter to try by default, aligned to the steps of its slider."""
    if parameter_spec.choices:
        return list(parameter_spec.choices)
    if parameter_spec.offered is None and parameter_spec.high is not None and parameter_spec.high > _DEFAULT_SIZE_VALUES[-1]:
        return list(_DEFAULT_SIZE_VALUES)
    lowest_value, highest_value = parameter_spec.offered or (parameter_spec.low or 0, parameter_spec.high or 1)
    slider_step = parameter_spec.step or 1
    value_step = next(
        step
        for step in (slider_step * round_number * 10**power for power in range(9) for round_number in (1, 2, 5))
        if floor(highest_value / step + 1e-9) - ceil(lowest_value / step - 1e-9) < MOST_DEFAULT_AXIS_VALUES
    )
    multiples_of_value_step = range(ceil(lowest_value / value_step - 1e-9), floor(highest_value / value_step + 1e-9) + 1)
    return [
        int(place * value_step) if parameter_spec.kind == "integer" else round(place * value_step, 6)
        for place in multiples_of_value_step
    ]
