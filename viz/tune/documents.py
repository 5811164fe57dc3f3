"""Which documents the Tune page tunes on and which it holds out: bundled ones by the link, the user's own in the session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from evaluation.segmentation.marked_texts import MarkedText, sharing
from evaluation.segmentation.sweep import Marked
from sample_docs import load_sample, sample_splitters, sample_titles
from viz.state.keys import session
from viz.tune.own_documents import own_documents


@dataclass(frozen=True)
class Chosen:
    """What a sweep runs on; ``complaint`` says which documents are left out because their text is held out."""

    tuned: Sequence[MarkedText]
    held: Sequence[MarkedText]
    complaint: str
    splitter: str

    @property
    def all(self) -> list[MarkedText]:
        """Those to tune on, then those held out."""
        return [*self.tuned, *self.held]

    def split(self) -> Iterator[Marked]:
        """Split one after the other into sentences: the bundled ones as suits them, the user's own as the user said."""
        splitters = sample_splitters()
        for one in self.all:
            yield one.split(splitters.get(one.name, self.splitter))


def default_documents() -> dict[str, str]:
    """Return the words of the link that say which bundled documents."""
    # The essay holds several of the others, which could then not be held out.
    names = [name for name in _bundled() if name != "essay"]
    held = names[1::3]
    return {"documents": ",".join(name for name in names if name not in held), "held": ",".join(held)}


def _bundled() -> list[str]:
    return [name for name in sample_titles() if load_sample(name).known]


def choose_documents(words: dict[str, str]) -> Chosen:
    """Draw the choice of documents."""
    own = own_documents()
    titles = {name: sample_titles()[name] for name in _bundled()} | {name: name for name in own}

    def use(names: set[str]) -> None:
        session.tune_left_out = own.keys() - names

    def hold(names: set[str]) -> None:
        session.tune_held = names

    used = _some("Documents", "With known boundaries.", words, "documents", titles, own.keys() - session.tune_left_out, use)
    held = _some(
        "Held out",
        "The ranking does not look at these, nor at a document that shares a section with one; the best setting is then "
        "measured on them.",
        words,
        "held",
        titles,
        own.keys() & session.tune_held,
        hold,
    )
    texts = {name: own.get(name) or _bundled_text(name) for name in {*used, *held}}
    kept = [texts[name] for name in held]
    tuned = [texts[name] for name in used if name not in held]
    seen = sharing(tuned, kept)
    said = ", ".join(titles[one.name] for one in seen)
    complaint = f"Left out of the ranking, because a section of it is held out: {said}." if seen else ""
    return Chosen([one for one in tuned if one not in seen], kept, complaint, words["splitter"])


def _some(
    label: str,
    help_text: str,
    words: dict[str, str],
    name: str,
    titles: Mapping[str, str],
    own: set[str],
    keep: Callable[[set[str]], None],
) -> list[str]:
    """Draw one choice of several, and return them; the bundled ones stand in the link, ``keep`` takes the user's own."""
    key = f"tune/{name}"
    wanted = [one for one in titles if one in own or one in words[name].split(",")]
    if st.session_state.get(key) != wanted:
        st.session_state[key] = wanted

    def changed() -> None:
        chosen = st.session_state[key]
        words[name] = ",".join(one for one in chosen if one in sample_titles())
        keep({one for one in chosen if one not in sample_titles()})

    st.multiselect(label, list(titles), format_func=titles.__getitem__, key=key, on_change=changed, help=help_text)
    return wanted


def _bundled_text(name: str) -> MarkedText:
    sample = load_sample(name)
    return MarkedText(name, sample.text, sample.known or ())
