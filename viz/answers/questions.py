"""The questions of the page Answers: typed, from a file, or Retrieval's for the text that is open."""

from __future__ import annotations

from functools import lru_cache

import streamlit as st

from chunkers import InputError
from evaluation.answering.questions import BAR, Item, Items, questions_of_file, questions_of_lines
from sample_docs import SAMPLES_FOLDER
from viz.components.notice import notice, remark
from viz.controls.link_widgets import seed, switch
from viz.state.choices import OWN, Choices
from viz.state.keys import session
from viz.state.text import Text
from viz.theme.numbers import counted

SOURCES = {"retrieval": "Retrieval's", "typed": "Typed", "file": "From a file"}
"""Where the questions come from: the word in the link, and its name on the page."""

WORD = "questions"
"""The name in the link."""

FILE_HELP = "CSV, JSON lines or JSON with question and, where there is one, answer; a file of Retrieval's will do."


def choose_questions(choices: Choices, text: Text) -> Items:
    """Draw the choice of the questions, and what is wrong with them; return those that can be used."""
    with st.container(key="answers_source"):
        switch("Questions", choices.extra, WORD, SOURCES, "answers/questions")
        found = _chosen(choices, text)
    for_reference = sum(bool(item.reference) for item in found.usable)
    if found.usable:
        said = f"{counted(len(found.usable), 'question')}, {for_reference:,} of them with a reference answer"
        remark(said + _whose(choices), key="answers_questions_said")
    if len(found.problems) == 1:
        notice(found.problems[0], "error", key="answers_problem")
    elif found.problems:
        with st.expander(f"{counted(len(found.problems), 'question')} left out"):
            st.dataframe({"question": list(found.problems)}, hide_index=True, width="stretch")
    return found


def _chosen(choices: Choices, text: Text) -> Items:
    match choices.extra[WORD]:
        case "typed":
            return _typed()
        case "file":
            return _from_file()
        case _:
            return retrievals(choices, text)


def _whose(choices: Choices) -> str:
    if choices.extra[WORD] != "retrieval":
        return "."
    whose = "those kept on Compare" if choices.document == OWN else "those that come with this sample"
    return f": {whose}; the excerpts that answer them are the references."


def retrievals(choices: Choices, text: Text) -> Items:
    """Return the questions about the text that Retrieval would ask: a sample's, and those that were kept on Compare."""
    kept = [Item(one.question, one.answer) for one in session.questions if one.identity == text.document.identity]
    found = [*kept, *(() if choices.document == OWN else _bundled(choices.document))]
    return Items(tuple({item.question: item for item in found}.values()))


@lru_cache(maxsize=32)
def _bundled(document: str) -> tuple[Item, ...]:
    import csv
    import json

    with (SAMPLES_FOLDER / "questions.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["corpus_id"] == document]
    return tuple(Item(row["question"], " ".join(json.loads(row["excerpts"]))) for row in rows)


def _typed() -> Items:
    def changed() -> None:
        session.answers_typed = st.session_state["answers/typed"]

    st.text_area(
        "Questions, one a line",
        seed("answers/typed", session.answers_typed),
        key="answers/typed",
        height=140,
        on_change=changed,
        placeholder=f"When was it built?\nWho built it? {BAR} A reference answer may follow after a bar.",
    )
    return questions_of_lines(session.answers_typed)


def _from_file() -> Items:
    def uploaded() -> None:
        file = st.session_state["answers/file"]
        session.answers_file = None if file is None else (file.name, _read(file.getvalue(), file.name))

    st.file_uploader(
        "A file of questions, 20 MB at most",
        type=["csv", "jsonl", "json", "tsv"],
        key="answers/file",
        on_change=uploaded,
        help=FILE_HELP,
    )
    if session.answers_file is None:
        return Items(())
    name, found = session.answers_file
    remark(name, key="answers_file_name")
    return found


def _read(data: bytes, name: str) -> Items:
    """Return the questions of a file; one that is of no use has a problem alone."""
    try:
        return questions_of_file(data, name)
    except InputError as error:
        return Items((), (str(error),))
