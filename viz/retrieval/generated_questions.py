"""The section of Retrieval in which a language model generates questions, and the table in which the user edits them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunkers import InputError, load_tokenizer
from chunkers.language_models.asking import MOST_AT_ONCE, Asking
from chunkers.language_models.forms import MOST_EXCERPTS
from chunkers.language_models.prompts import AGAIN, QUESTION_EXAMPLE, QUESTION_PASSAGE, QUESTION_SYSTEM
from chunkers.support.arrays import FloatArray
from chunkers.support.formatting import format_number
from evaluation.generating.data_set import (
    FILE,
    Cosines,
    QuestionDraft,
    SourceTexts,
    filter_questions,
    generated_question_set,
    generated_to_csv,
)
from evaluation.generating.generate import MOST_GENERATED, Generated, GenerationSettings, estimate_generation
from viz.components.figure import show_figure
from viz.components.page_elements import ask_to_send, download_button, notice, remark, show_job_progress
from viz.controls.language_model import language_model_form
from viz.controls.widgets import button_pressed, value_binding
from viz.jobs.background import MOST_KEPT, registry
from viz.jobs.question_generation import Comparing, Generating
from viz.jobs.retrieval_plan import OwnDocuments
from viz.retrieval.state.session import session
from viz.shell.page import Page
from viz.state.chosen_models import chosen_model, no_model_message
from viz.state.shared_questions import give_questions_to_retrieval, share_generated_questions
from viz.theme.number_formats import counted
from viz.theme.palette import INK, theme_name

# The histograms of the two filters of generated questions; they contain no user text.


BIN_WIDTH = 0.025
"""The bin width of the histograms."""


class KeptAndDropped(NamedTuple):
    """A histogram of generated questions, divided into kept and dropped questions.

    Attributes
    ----------
    edges
        The edges of the bins, one more than there are bins.
    kept, dropped
        Number of questions per bin.
    """

    edges: tuple[float, ...]
    kept: tuple[int, ...]
    dropped: tuple[int, ...]

    @property
    def table(self) -> dict[str, Sequence[float | int]]:
        """The histogram's data as a table, by column name."""
        return {"from": self.edges[:-1], "to": self.edges[1:], "kept": self.kept, "dropped": self.dropped}


def kept_and_dropped_per_bin(values: FloatArray, line: float, *, drops_below: bool) -> KeptAndDropped:
    """Count the questions that a filter at threshold ``line`` keeps and drops, per bin of their values; NaN is ignored."""
    known = values[~np.isnan(values)]
    dropped = known < line if drops_below else known > line
    low, high = (
        (np.floor(known.min() / BIN_WIDTH), np.floor(known.max() / BIN_WIDTH) + 1) if known.size else (0.0, 1 / BIN_WIDTH)
    )
    edges = np.round(np.arange(low, high + 1) * BIN_WIDTH, 6)
    counts = [np.histogram(known[which], edges)[0] for which in (~dropped, dropped)]
    return KeptAndDropped(tuple(edges.tolist()), *(tuple(side.tolist()) for side in counts))


def filter_histogram(binned: KeptAndDropped, line: float, label: str, *, drops_below: bool) -> go.Figure:
    """Return a histogram of generated questions with the filter's threshold and the numbers kept and dropped."""
    colours = INK[theme_name()]
    middles = [low + BIN_WIDTH / 2 for low in binned.edges[:-1]]
    figure = go.Figure()
    for name, counts, colour, pattern in (
        ("kept", binned.kept, colours["muted"], ""),
        ("dropped", binned.dropped, colours["rule"], "/"),
    ):
        figure.add_trace(
            go.Bar(
                x=middles,
                y=counts,
                width=BIN_WIDTH,
                name=name,
                marker={"color": colour, "line": {"color": colours["page"], "width": 1}}
                | {"pattern": {"shape": pattern, "fgcolor": colours["muted"], "size": 5, "solidity": 0.3}},
                customdata=[format_number(middle, ".2f") for middle in middles],
                hovertemplate=f"about %{{customdata}}: %{{y}} {name}<extra></extra>",
            )
        )
    figure.add_vline(x=line, line={"color": colours["accent"], "width": 2})
    left, right = (binned.dropped, binned.kept) if drops_below else (binned.kept, binned.dropped)
    words = ("dropped", "kept") if drops_below else ("kept", "dropped")
    for side, (counts, word) in enumerate(zip((left, right), words, strict=True)):
        figure.add_annotation(
            x=line,
            xanchor=("right", "left")[side],
            xshift=(-6, 6)[side],
            yref="paper",
            y=1,
            yanchor="bottom",
            text=(f"{sum(counts):,} {word} ←", f"→ {sum(counts):,} {word}")[side],
            showarrow=False,
            font={"color": colours["accent"]},
        )
    # Room for the labels next to a line near either end: each takes a third of the width.
    first, last = min(binned.edges[0], line), max(binned.edges[-1], line)
    room = max(0.5 * (last - first), 0.2)
    tallest = max(map(sum, zip(binned.kept, binned.dropped, strict=True)), default=0)
    figure.update_layout(barmode="stack", height=230, showlegend=False, bargap=0)
    figure.update_xaxes(title=label, range=[min(first, line - room), max(last, line + room)])
    figure.update_yaxes(title="Number of questions", rangemode="tozero", dtick=max(1, math.ceil(tallest / 4)))
    return figure


# The table in which generated questions are edited and removed; edits are validated immediately.


MOST_COMPLAINTS = 5
"""Most messages about invalid rows; further ones are counted."""


def draw_question_table(job: Generating, questions: Sequence[Generated]) -> list[Generated]:
    """Draw an editable table of the generated questions, and return the valid questions as edited."""
    rows = [job.drafts.get(question) or _unedited_draft(job, question) for question in questions]
    wide = min(MOST_EXCERPTS, 1 + max((len(row.excerpts) for row in rows), default=0))
    columns = [f"excerpt {place}" for place in range(1, wide + 1)]
    table = {
        "question": [row.question for row in rows],
        "document": [job.texts.names[question.window.document] for question in questions],
    } | {
        column: [row.excerpts[place] if place < len(row.excerpts) else "" for row in rows]
        for place, column in enumerate(columns)
    }
    # After an edit the table is rebuilt with the edits in its data.
    key = f"question_table/{session.question_table}"

    def edited() -> None:
        apply_table_edits(job, questions, wide, st.session_state[key])

    st.data_editor(
        table,
        key=key,
        on_change=edited,
        num_rows="delete",
        hide_index=True,
        disabled=["document"],
        height=min(420, 38 + 35 * max(1, len(questions))),
        column_config={
            "question": st.column_config.TextColumn("Question", width=360, required=True),
            "document": st.column_config.TextColumn("Document", width=120),
        }
        | {column: st.column_config.TextColumn(column.capitalize(), width=300) for column in columns},
    )
    wrong = [row.why for row in rows if row.made is None]
    for place, why in enumerate(wrong[:MOST_COMPLAINTS]):
        notice(why, "error", key=f"question_wrong_{place}")
    if len(wrong) > MOST_COMPLAINTS:
        notice(f"{counted(len(wrong) - MOST_COMPLAINTS, 'more row')} cannot be used.", "error", key="question_wrong_more")
    return [row.made for row in rows if row.made is not None]


def apply_table_edits(job: Generating, questions: Sequence[Generated], wide: int, state: Mapping[str, Any]) -> None:
    """Apply the user's edits and deletions in the table of questions, as Streamlit reports them.

    Parameters
    ----------
    job
        The job that generated the questions.
    questions
        The question of each row.
    wide
        The number of excerpt columns.
    state
        Streamlit's editor state: ``edited_rows``, the edited columns by row, and ``deleted_rows``.
    """
    for row, changes in state.get("edited_rows", {}).items():
        generated = questions[int(row)]
        before = job.drafts.get(generated) or _unedited_draft(job, generated)
        excerpts = [*before.excerpts, *[""] * (wide - len(before.excerpts))]
        for place in range(wide):
            excerpts[place] = changes.get(f"excerpt {place + 1}", excerpts[place]) or ""
        question = changes.get("question", before.question) or ""
        job.drafts[generated] = QuestionDraft.of(
            generated, job.texts, question, [excerpt for excerpt in excerpts if excerpt.strip()]
        )
    for row in state.get("deleted_rows", []):
        job.drafts[questions[int(row)]] = None
    session.question_table += 1


def _unedited_draft(job: Generating, generated: Generated) -> QuestionDraft:
    return QuestionDraft(generated.question, tuple(job.texts.excerpt_texts(generated)), generated)


ABOUT = (
    "A language model reads passages from random places of the documents and asks a question about each, with the excerpts "
    "that answer it. Every excerpt stands in its document word for word. Two filters drop poor questions, you edit the "
    "others, and the chunkers are measured on them."
)

NO_MODEL = no_model_message("Generating questions needs", "above")

LARGEST_SEED = 1_000_000
"""The largest seed that the user can choose."""

EXCERPTS_HELP = (
    "The cosine of a question and the least like of its excerpts, by the embedder on the left. To the left of the line the "
    "question is dropped; at 0 none is. 0.36 is what Chroma's code takes with text-embedding-3-large; of other embedders, "
    "take what cuts off the tail."
)

EARLIER_HELP = (
    "The highest cosine of a question and an earlier one that passes the first filter. To the right of the line it is "
    "dropped as asked before; at 1 none is. The first question has none before it. 0.78 is what Chroma's code takes with "
    "text-embedding-3-large."
)


def show_generating(here: Page, documents: OwnDocuments, *, form_elsewhere: bool) -> None:
    """Draw the section in which a language model generates questions about the documents.

    Parameters
    ----------
    here
        The page.
    documents
        The page's documents; their questions may be missing.
    form_elsewhere
        True if the page already has the form for the language model.
    """
    token = here.choices.extra["generated"]
    job = registry().find(token, Generating, session.runs)
    # The section closes once its questions are in use, so that the results are visible.
    with st.expander("Generate questions", expanded=job is not None and session.retrieval_given is None):
        remark(ABOUT, key="generating_about")
        if form_elsewhere:
            remark("The language model is the one that is named on the left.", key="generating_form")
        else:
            language_model_form()
        with st.expander("Prompts"):
            for prompt in (QUESTION_SYSTEM, *QUESTION_EXAMPLE, QUESTION_PASSAGE, AGAIN):
                st.code(prompt, language=None, wrap_lines=True)
        if job is not None and job.running and not job.cancelled:
            show_job_progress(job, key="generating")
            return
        _offer_to_generate(here, documents, chosen_model(), job)
        if job is not None:
            _show_generated(here, job)
        elif token:
            remembered = f"the server keeps the last {MOST_KEPT} runs of a session, and {MOST_KEPT} of those that are over"
            notice(
                f"The link's questions are no longer remembered: {remembered}. Generate them again.",
                key="generating_forgotten",
            )


def _offer_to_generate(here: Page, documents: OwnDocuments, asking: Asking | None, job: Generating | None) -> None:
    """Draw the settings, and the button that estimates the requests, or a message about a missing prerequisite."""
    settings = session.generating_settings or (GenerationSettings() if job is None else job.settings)
    texts = SourceTexts(tuple(name for name, _ in documents.texts), tuple(text for _, text in documents.texts))
    wanted = settings, texts, asking

    def begin() -> None:
        assert asking is not None
        session.generating_wanted = None
        new = Generating(texts, tuple(documents.parts), settings, asking)
        if job is not None:
            job.cancel()
            # A question that is generated again keeps the user's edits.
            new.drafts, new.lines = dict(job.drafts) if job.texts == texts else {}, job.lines
        session.comparing = None
        session.question_table += 1
        here.choices.extra["generated"] = registry().keep(new, session=session.runs)
        new.start()

    row = st.container(horizontal=True, vertical_alignment="bottom")
    _choose_settings(row, settings)
    if button_pressed(row, "Generate", "generating_ask", disabled=asking is None or not texts.names):
        session.generating_wanted = wanted
    if not texts.names:
        notice("Upload at least one document, on the left; no questions are needed.", key="generating_no_documents")
    elif asking is None:
        notice(NO_MODEL, key="generating_no_model")
    elif session.generating_wanted == wanted:
        try:
            about = estimate_generation(texts.texts, settings, load_tokenizer(here.choices.tokenizer))
        except InputError as error:
            notice(str(error), "error", key="generating_estimate")
            return
        what = f"“Generate” sends {counted(settings.count, 'passage')} of {counted(len(texts.names), 'document')}"
        ask_to_send(what, asking, about, 0, key="generating", send=begin, formed=asking)
        if job is not None:
            hint = "What is asked anew takes the place of the questions below; what was answered before costs nothing again."
            remark(hint, key="generating_again")


def _choose_settings(row: DeltaGenerator, now: GenerationSettings) -> None:
    """Draw the inputs for the number of questions and the seed."""

    def put(name: str, number: float) -> None:
        # One message of the browser may bring both numbers.
        session.generating_settings = replace(session.generating_settings or now, **{name: int(number)})

    row.number_input(
        "Question count",
        1,
        MOST_GENERATED,
        now.count,
        width=150,
        help=f"How many are asked for, up to {MOST_AT_ONCE} at a time; some are dropped.",
        **value_binding(now.count, "generating_count", partial(put, "count")),
    )
    row.number_input(
        "Seed",
        0,
        LARGEST_SEED,
        now.seed,
        width=150,
        help="Chooses the passages: the same seed, the same passages.",
        **value_binding(now.seed, "generating_seed", partial(put, "seed")),
    )


def _show_generated(here: Page, job: Generating) -> None:
    """Draw the generated questions, with the filters, the table and the actions."""
    questions, dropped = job.made, job.dropped
    if job.error:
        notice(job.error, "error", key="generating_error")
    if job.cancelled:
        # Another session does not have the model's answers.
        on = " “Generate” continues where it stopped." if job.asking is chosen_model() else ""
        notice(f"The generation was stopped; the questions generated so far are kept.{on}", key="generating_stopped")
    repaired = sum(question.repaired for question in questions)
    summary = (
        f"{counted(len(questions), 'question')} of {job.settings.count:,}. {job.asking.model.title}: {job.asked.spent}."
    )
    if repaired:
        quoted = counted(repaired, "excerpt was", "excerpts were")
        summary += f" {quoted} quoted with small changes; the document's words are taken."
    remark(summary, key="generating_said")
    if dropped:
        if not questions:
            notice(
                "None of the model's answers can be used. The table gives the reason for the last answer on each passage.",
                key="generating_unusable",
            )
        with st.expander(f"{counted(len(dropped), 'passage')} without questions", expanded=not questions):
            places = [f"{passage.window.span.start:,} to {passage.window.span.end:,}" for passage in dropped]
            names = [job.texts.names[passage.window.document] for passage in dropped]
            reasons = [passage.why for passage in dropped]
            st.dataframe({"document": names, "characters": places, "last answer": reasons}, hide_index=True, width="stretch")
    if not questions:
        return
    alike = _question_similarities(here, job, questions)
    comparing = session.comparing
    if alike is None and comparing is not None and comparing.running and not comparing.cancelled:
        # A table of unfiltered questions would soon change.
        return
    passes = [True] * len(questions) if alike is None else _choose_filters(job, alike)
    # Edited questions stay, regardless of the filters.
    shown = [
        question
        for question, keep in zip(questions, passes, strict=True)
        if (job.drafts[question] is not None if question in job.drafts else keep)
    ]
    _show_kept_questions(job, shown)


def _question_similarities(here: Page, job: Generating, made: Sequence[Generated]) -> Cosines | None:
    """Return the similarity of questions and excerpts; None while it is being computed, or if it cannot be."""
    if here.embedder is None:
        notice(here.embedder_complaint, key="generating_embedder")
        return None
    subject = job, len(made), here.embedder.name, here.embedder.identity, here.choices.sentences
    comparing = session.comparing
    if comparing is None or comparing.subject != subject:
        splitter, on_disk = here.choices.sentences, session.on_disk
        session.comparing = comparing = Comparing(subject, job.texts, tuple(made), splitter, here.embedder, on_disk)
        comparing.start(0.2)
    if comparing.cancelled:
        notice(
            "The comparison of the questions was stopped, so the filters are off and all questions are shown.",
            key="comparing_stopped",
        )
    elif comparing.error:
        notice(comparing.error, "error", key="comparing_error")
    elif comparing.running:
        show_job_progress(comparing, key="comparing")
    return comparing.alike


def _choose_filters(job: Generating, alike: Cosines) -> Sequence[bool]:
    """Draw the histograms and their threshold controls; return a mask of the questions that pass both filters."""
    lowest, highest = job.lines

    def put(below: bool, line: float) -> None:
        lowest, highest = job.lines
        job.lines = (line, highest) if below else (lowest, line)

    # Cosines can be as low as −1, but at 0 the first filter is off.
    filters = filter_questions(alike, lowest or -1.0, highest)
    for place, key, label, line, values, help in zip(
        st.columns(2),
        ("lowest", "highest"),
        ("Question and its worst excerpt, at least", "Question and an earlier one, at most"),
        (lowest, highest),
        (filters.excerpts, filters.earlier),
        (EXCERPTS_HELP, EARLIER_HELP),
        strict=True,
    ):
        below, key = key == "lowest", f"generating_{key}"
        with place:
            st.slider(label, 0.0, 1.0, line, 0.01, help=help, **value_binding(line, key, partial(put, below)))
            counts = kept_and_dropped_per_bin(values, (line or -1.0) if below else line, drops_below=below)
            name = "Excerpts" if below else "Repetitions"
            show_figure(filter_histogram(counts, line, "cosine", drops_below=below), counts.table, name, f"{key}_figure")
    remark(f"Both filters keep {filters.kept.sum():,} of {counted(len(filters.kept), 'question')}.", key="generating_passed")
    return [bool(keep) for keep in filters.kept]


def _show_kept_questions(job: Generating, shown: Sequence[Generated]) -> None:
    """Draw the remaining questions, and the actions on them."""
    removed = [question for question in job.made if question in job.drafts and job.drafts[question] is None]
    ready = draw_question_table(job, shown) if shown else []
    if not shown:
        back = ", or restore the questions that you removed" if removed else ""
        notice(f"No question passes the filters. Move the filters' lines{back}.", key="generating_none")

    questions = generated_question_set(ready, job.texts, job.asking.model.name)
    if ready:
        share_generated_questions(questions, job.asking.model.title, job.parts)

    def measure() -> None:
        give_questions_to_retrieval(questions, len(ready), f"asked by {job.asking.model.title}", job.parts)
        session.retrieval_begins = True

    def put_back() -> None:
        for question in removed:
            del job.drafts[question]
        session.question_table += 1

    row = st.container(horizontal=True, vertical_alignment="center")
    row.button("Use these questions", on_click=measure, disabled=not ready, key="generating_measure")
    download_button(
        row,
        "Questions, CSV",
        lambda: generated_to_csv(ready, job.texts),
        f"seamark-{FILE}.csv",
        "text/csv",
        (ready, job.texts.names),
        key="generating_csv",
        disabled=not ready,
        help="Every excerpt with its document, its place and what stands around it: the file that this page reads.",
    )
    if removed:
        row.button(f"Restore {counted(len(removed), 'question')}", on_click=put_back, key="generating_put_back")
    if not shown:
        return
    excerpts = counted(sum(len(question.excerpts) for question in ready), "excerpt")
    remark(
        f"{counted(len(ready), 'question')} with {excerpts}. Select a row to remove it, a cell to write in it. "
        "Whoever has this page's link sees these questions, and edits the same ones.",
        key="generating_ready",
    )
