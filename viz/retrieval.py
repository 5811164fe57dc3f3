"""The Retrieval page: what the chunks of several chunkers find for questions whose excerpts are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from chunkers import Chunker, InputError, build_chunker
from chunkers.reading import decode
from evaluation.bootstrap import paired
from evaluation.boundaries import Score
from evaluation.retrieval import MEASURES, Evaluation, mean_and_deviation
from sample_docs import SAMPLES_FOLDER, sample_splitters
from viz import controls, embedding, figures
from viz.palette import EDGES, INK
from viz.passages import show_passages
from viz.reader import notice
from viz.retrieving import Retrieval
from viz.session import Opened, close_page, open_page
from viz.state import Choices, ColumnChoice

PAGE = "retrieval"
JOB = "retrieval_job"
TITLES = {"recall": "Recall", "precision": "Precision", "precision_omega": "Precision Ω", "iou": "IoU"}
NAMES = {"recall": "recall", "precision": "precision", "precision_omega": "precision Ω", "iou": "IoU"}
"""The measures inside a sentence."""

UNITS = ("characters", "tokens")
MOST_CHUNKS = 20


def at_rest() -> Choices:
    """Return the choices of the first screen: structure, sentences, and meaning."""
    columns = [
        ColumnChoice("recursive", {"size": 100, "unit": "tokens"}),
        ColumnChoice("fixed_sentences"),
        ColumnChoice("optimal", {"max_size": 200}),
    ]
    # The document is that of the other pages; its sentences are what suits prose, which most of the bundled documents are.
    return Choices(
        "report",
        sample_splitters()["report"],
        columns,
        extra={"measure": "recall", "unit": "characters", "k": "5", "question": "1"},
    )


def show() -> None:
    """Draw the page."""
    opened = open_page(PAGE, at_rest(), about_a_text=False)
    choices = opened.choices
    chunkers, complaint = _chunkers(opened)
    with st.sidebar:
        material = _material()
        controls.column_controls(choices, chunkers[choices.selected], opened.embedder)
        controls.shared_controls(choices, opened.embedder)
    embedding.ask(choices)
    st.title("Retrieval", anchor=False)
    st.markdown(
        "Asks questions whose answers are known excerpts, and measures what the best chunks of each chunker hold of them."
    )
    _measures(choices)
    if complaint:
        notice(complaint, "error", key="retrieval_complaint")
    _start_row(opened, [one for one in chunkers if one is not None] if not complaint else [], material)
    job: Retrieval | None = st.session_state.get(JOB)
    if job is None:
        notice("Nothing has been measured yet: choose chunkers at the left, then press “Measure”.", key="retrieval_empty")
    else:
        if job.running and not job.stopped:
            _poll()
        _results(job, choices)
    close_page(opened)


def _chunkers(opened: Opened) -> tuple[list[Chunker | None], str]:
    """Return the chunker of every column, None where it is not allowed, and the first complaint."""
    built: list[Chunker | None] = []
    complaint = ""
    for column in opened.choices.columns:
        try:
            built.append(build_chunker(column.chunker, column.parameters, opened.embedder))
        except InputError as error:
            built.append(None)
            complaint = complaint or str(error)
    return built, complaint


def _material() -> tuple[list[tuple[str, str]], tuple[str, bytes]] | None:
    """Draw the choice of documents and questions; return them, or None where there are none yet."""
    own = st.segmented_control(
        "Documents and questions", ["Bundled", "Your own"], default="Bundled", key="retrieval_material", required=True
    )
    if own != "Your own":
        texts = [(path.name, path.read_bytes().decode()) for path in sorted(SAMPLES_FOLDER.glob("*.txt"))]
        return texts, ("questions.csv", (SAMPLES_FOLDER / "questions.csv").read_bytes())
    files = st.file_uploader(
        "Documents", ["txt", "md"], accept_multiple_files=True, key="retrieval_documents", max_upload_size=20
    )
    questions = st.file_uploader(
        "Questions",
        ["csv", "jsonl"],
        key="retrieval_questions",
        max_upload_size=20,
        help="CSV or JSON lines with question, excerpts (a text, or a list of texts) and, where known, corpus_id, a file.",
    )
    texts = []
    for number, file in enumerate(files):
        try:
            texts.append((file.name, decode(file.getvalue(), file.name).text))
        except InputError as error:
            notice(str(error), "error", key=f"retrieval_document_{number}")
    return (texts, (questions.name, questions.getvalue())) if texts and questions is not None else None


def _measures(choices: Choices) -> None:
    """Draw the choice of the measure, its unit, and how many chunks a question retrieves."""
    words = choices.extra
    row = st.container(horizontal=True, vertical_alignment="bottom")
    allowed = {"measure": list(MEASURES), "unit": list(UNITS), "k": [str(k) for k in range(1, MOST_CHUNKS + 1)]}
    labels = {"measure": "Measure", "unit": "Counted in", "k": "Chunks a question"}
    for name, options in allowed.items():
        key = f"retrieval_{name}"
        if words[name] not in options:
            said = f"The link's {name} must be one of {', '.join(options)}; got {words[name][:60]!r}."
            notice(said, "error", key=f"{key}_complaint")
            words[name] = at_rest().extra[name]
        if st.session_state.get(key) != words[name]:
            st.session_state[key] = words[name]

        def changed(name: str = name, key: str = key) -> None:
            words[name] = st.session_state[key]

        row.selectbox(
            labels[name], options, format_func=lambda one: TITLES.get(one, one), key=key, on_change=changed, width=170
        )


def _start_row(
    opened: Opened, chunkers: Sequence[Chunker], material: tuple[list[tuple[str, str]], tuple[str, bytes]] | None
) -> None:
    """Draw the button that measures, and say what it will do."""
    choices = opened.choices

    def run() -> None:
        before: Retrieval | None = st.session_state.get(JOB)
        if before is not None:
            before.stop()
        assert opened.embedder is not None
        assert material is not None
        titles = [f"{number}. {type(one).title}, {one.describe()}" for number, one in enumerate(chunkers, start=1)]
        job = Retrieval(
            *material,
            list(zip(titles, chunkers, strict=True)),
            opened.embedder,
            choices.sentences,
            choices.tokenizer,
            bool(st.session_state.get("on_disk")),
            int(choices.extra["k"]),
        )
        st.session_state[JOB] = job
        job.start()

    row = st.container(horizontal=True, vertical_alignment="center")
    ready = bool(chunkers) and material is not None and opened.embedder is not None
    row.button("Measure", on_click=run, disabled=not ready, type="primary")
    if opened.embedder is None:
        said = opened.complaint
    elif material is None:
        said = "Give at least one document and a file of questions."
    else:
        said = f"{len(chunkers)} chunkers on {len(material[0])} documents"
    row.caption(said)


@st.fragment(run_every=1.0)
def _poll() -> None:
    """Show how far it is; when it ends, draw the page again."""
    job: Retrieval | None = st.session_state.get(JOB)
    if job is None or not job.running or job.stopped:
        st.rerun()
    row = st.container(horizontal=True, vertical_alignment="center")
    row.progress(job.share, text=job.said)
    row.button("Cancel", on_click=job.stop, width="content")


def _results(job: Retrieval, choices: Choices) -> None:
    """Draw what has been measured so far."""
    if job.error:
        notice(job.error, "error", key="retrieval_error")
    for number, error in job.errors.items():
        notice(f"{job.chunkers[number][0]}: {error}", "error", key=f"retrieval_error_{number}")
    found = dict(sorted(job.found.items()))
    if job.stopped and len(found) < len(job.chunkers):
        notice(f"Stopped: {len(found)} of {len(job.chunkers)} chunkers were measured.", key="retrieval_stopped")
    if job.questions.problems:
        with st.expander(f"{len(job.questions.problems):,} things in the questions cannot be used"):
            st.dataframe({"what": list(job.questions.problems)}, hide_index=True, width="stretch")
    if not found:
        return
    titles = {number: job.chunkers[number][0] for number in found}
    unit = choices.extra["unit"]
    st.dataframe(_table(job, found, titles, unit), hide_index=True, width="stretch")
    measure = choices.extra["measure"]
    # Beside the table, where the settings stand, the number and the chunker say which it is.
    short = {number: title.partition(",")[0] for number, title in titles.items()}
    _boxes(found, short, measure, unit)
    if len(found) > 1:
        _trade_off(job, found, short, measure, unit)
        _compared(found, short, measure, unit)
    _one_question(found, titles, choices)


def _table(job: Retrieval, found: dict[int, Evaluation], titles: dict[int, str], unit: str) -> dict[str, list[Any]]:
    """Return a row a chunker: every measure in percent, then what it cost."""
    table: dict[str, list[Any]] = {"chunker": list(titles.values())}
    for measure in MEASURES:
        means = [mean_and_deviation(one.values(measure, unit)) for one in found.values()]
        table[f"{TITLES[measure]}, %"] = [
            "undefined" if m is None else f"{100 * m[0]:.1f} ± {100 * m[1]:.1f}" for m in means
        ]
    table["chunks"] = [len(one.index.chunks) for one in found.values()]
    ruler = job.ruler
    assert ruler is not None
    table["tokens a chunk"] = [
        round(ruler([span for chunk in one.index.chunks for span in chunk]) / max(1, len(one.index.chunks)))
        for one in found.values()
    ]
    table["evidence F1 at 5"] = [str(one.at_k("evidence")[5]["f1"]) for one in found.values()]
    table["chunking, s"] = [round(one.index.chunk_s, 2) for one in found.values()]
    table["embedding, s"] = [round(one.index.embed_s, 2) for one in found.values()]
    table["searching, ms"] = [round(1000 * one.query_s, 1) for one in found.values()]
    return table


def _boxes(found: dict[int, Evaluation], titles: dict[int, str], measure: str, unit: str) -> None:
    """Draw a box a chunker, a point a question."""
    edges = EDGES[figures.theme()]
    figure = go.Figure()
    for number, one in found.items():
        values = one.values(measure, unit)
        figure.add_trace(
            go.Box(
                x=100 * values[~np.isnan(values)],
                name=titles[number],
                boxpoints="all",
                boxmean=True,
                jitter=0.5,
                pointpos=0,
                marker={"color": edges[number % len(edges)], "size": 5, "opacity": 0.7},
                line={"width": 1.5},
                fillcolor="rgba(0,0,0,0)",
                hovertemplate="%{x:.1f} %<extra></extra>",
            )
        )
    figure.update_layout(showlegend=False, height=110 + 62 * len(found), yaxis={"autorange": "reversed"})
    figure.update_xaxes(title=f"{TITLES[measure]} of every question, %", range=[-2, 102] if measure == "recall" else None)
    table: dict[str, list[Any]] = {"question": list(range(1, 1 + len(next(iter(found.values())).answers)))}
    table |= {titles[number]: one.values(measure, unit).tolist() for number, one in found.items()}
    figures.show_figure(figure, table, f"{TITLES[measure]} by question", key="retrieval_boxes")


def _trade_off(job: Retrieval, found: dict[int, Evaluation], titles: dict[int, str], measure: str, unit: str) -> None:
    """Draw the measure against the tokens that a question retrieves: what an answering model would have to read."""
    colours, ruler = INK[figures.theme()], job.ruler
    assert ruler is not None
    means = {number: mean_and_deviation(one.values(measure, unit)) for number, one in found.items()}
    shown = [number for number, mean in means.items() if mean is not None]
    tokens = [found[number].retrieved_size(ruler) for number in shown]
    heights = [100 * mean[0] for mean in means.values() if mean is not None]
    figure = go.Figure(
        go.Scatter(
            x=tokens,
            y=heights,
            text=[titles[number] for number in shown],
            mode="markers+text",
            # By turns, as neighbours would lie over one another.
            textposition=[("top center", "bottom center")[place % 2] for place in range(len(shown))],
            cliponaxis=False,
            marker={"color": colours["ink"], "size": 10},
            hovertemplate="%{text}: %{y:.1f} % for %{x:,.0f} tokens<extra></extra>",
        )
    )
    figure.update_layout(height=320, showlegend=False)
    # Room at both sides for the labels, which stand over their points.
    figure.update_xaxes(title="tokens retrieved for a question, on average", range=[0, 1.25 * max(tokens, default=1)])
    figure.update_yaxes(title=f"{TITLES[measure]}, %", range=[0, 1.2 * max(heights, default=1) + 1])
    costs = [found[number].index.chunk_s for number in shown]
    table: dict[str, list[Any]] = {"chunker": [titles[number] for number in shown], TITLES[measure] + ", %": heights}
    table |= {"tokens a question": tokens, "chunking, s": costs}
    figures.show_figure(figure, table, f"{TITLES[measure]} against tokens", key="retrieval_trade_off")


def _compared(found: dict[int, Evaluation], titles: dict[int, str], measure: str, unit: str) -> None:
    """Say of every other chunker whether it differs from the baseline."""
    baseline = st.selectbox(
        "Compared with", list(found), format_func=titles.__getitem__, key="retrieval_baseline", width=420
    )
    for number, one in found.items():
        if number == baseline:
            continue
        difference = paired(one.values(measure, unit), found[baseline].values(measure, unit))
        said = (
            f"{titles[number]}: too few questions to compare."
            if difference is None
            else difference.words(titles[number], titles[baseline], NAMES[measure])
        )
        notice(said, key=f"retrieval_difference_{number}")


def _one_question(found: dict[int, Evaluation], titles: dict[int, str], choices: Choices) -> None:
    """Draw one question's chunks, two chunkers side by side."""
    st.subheader("Question by question", anchor=False)
    words, unit, measure = choices.extra, choices.extra["unit"], choices.extra["measure"]
    values = np.array([one.values(measure, unit) for one in found.values()])
    numbers = list(range(values.shape[1]))
    if len(found) > 1 and st.toggle("Only where the chunkers disagree", key="retrieval_disagree"):
        numbers = [number for number in numbers if np.nanmax(values[:, number]) > np.nanmin(values[:, number])]
    if not numbers:
        notice("The chunkers agree on every question.", key="retrieval_agree")
        return
    wanted = int(words["question"]) - 1 if words["question"].isdecimal() else 0
    key = "retrieval_question"
    if st.session_state.get(key) not in numbers or st.session_state[key] != wanted:
        st.session_state[key] = wanted if wanted in numbers else numbers[0]
    answers = next(iter(found.values())).answers

    def changed() -> None:
        words["question"] = str(st.session_state[key] + 1)

    st.selectbox(
        "Question", numbers, format_func=lambda one: f"{one + 1}. {answers[one].question.text}", key=key, on_change=changed
    )
    chosen = st.session_state[key]
    sides = st.columns(min(2, len(found)), gap="large")
    for place, side in enumerate(sides):
        with side:
            label = "Left" if place == 0 else "Right"
            number = st.selectbox(label, list(found), place, titles.__getitem__, key=f"retrieval_side_{place}")
            answer = found[number].answers[chosen]
            scores = getattr(answer, unit)
            st.caption(" · ".join(f"{TITLES[name]} {_percent(scores[name])}" for name in MEASURES))
            show_passages(found[number], answer, key=f"retrieval_passages_{place}")


def _percent(score: Score) -> str:
    return "undefined" if score.value is None else f"{100 * score.value:.1f} %"
