"""The documents to tune on and those held out: bundled ones by name in the link, the user's own in the session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from chunkers import DEFAULT_SPLITTER
from evaluation.segmentation.marked_texts import MarkedText, sharing
from evaluation.segmentation.sweep import Marked
from sample_docs import load_sample, sample_splitters, sample_titles
from viz.controls.link_widgets import heeded, key_showing
from viz.tune.own_documents import own_documents
from viz.tune.session import session


@dataclass(frozen=True)
class Chosen:
    """The documents of a sweep, divided into those to tune on and those held out.

    ``complaint`` names the documents excluded because they share text with a held-out one.
    """

    tuned: Sequence[MarkedText]
    held: Sequence[MarkedText]
    complaint: str
    splitter: str

    @property
    def all(self) -> list[MarkedText]:
        """The documents to tune on, followed by the held-out documents."""
        return [*self.tuned, *self.held]

    @property
    def held_names(self) -> frozenset[str]:
        """The names of the held-out documents."""
        return frozenset(document.name for document in self.held)

    @property
    def with_splitters(self) -> list[tuple[MarkedText, str]]:
        """All documents with the names of their sentence splitters; the user's own documents have the chosen splitter."""
        splitters = sample_splitters()
        return [(document, splitters.get(document.name, self.splitter)) for document in self.all]

    def split(self) -> Iterator[Marked]:
        """Yield the documents, split into sentences."""
        for document, splitter in self.with_splitters:
            yield document.split(splitter)


def default_documents() -> dict[str, str]:
    """Return the link parameters that choose the bundled documents by default."""
    # The essay contains several of the others, which then could not be held out.
    names = [name for name in _bundled() if name != "essay"]
    held = names[1::3]
    return {"documents": ",".join(name for name in names if name not in held), "held": ",".join(held)}


def _bundled() -> list[str]:
    return [name for name in sample_titles() if load_sample(name).known]


def choose_documents(words: dict[str, str]) -> Chosen:
    """Draw the controls for choosing the documents of a sweep, and return the chosen documents."""
    own = own_documents()
    titles = {name: sample_titles()[name] for name in _bundled()} | {name: name for name in own}

    def use(names: set[str]) -> None:
        session.tune_left_out = own.keys() - names

    def hold(names: set[str]) -> None:
        session.tune_held = names

    used = _some("Documents", "With known boundaries.", words, "documents", titles, own.keys() - session.tune_left_out, use)
    held = _some(
        "Held out",
        "The ranking ignores these, and documents that share a section with one of them; the best setting is then measured "
        "on them.",
        words,
        "held",
        titles,
        own.keys() & session.tune_held,
        hold,
    )
    return _chosen({name: own.get(name) or _bundled_text(name) for name in [*used, *held]}, held, titles, words["splitter"])


def first_documents() -> Chosen:
    """Return the documents of the page's default sweep."""
    used, held = (default_documents()[name].split(",") for name in ("documents", "held"))
    return _chosen({name: _bundled_text(name) for name in [*used, *held]}, held, sample_titles(), DEFAULT_SPLITTER)


def _chosen(texts: Mapping[str, MarkedText], held: Sequence[str], titles: Mapping[str, str], splitter: str) -> Chosen:
    """Divide ``texts`` into the documents to tune on, in order, and those that ``held`` names."""
    kept = [texts[name] for name in held]
    tuned = [document for name, document in texts.items() if name not in held]
    seen = sharing(tuned, kept)
    names = ", ".join(titles[document.name] for document in seen)
    complaint = f"Left out of the ranking, because a section of it is held out: {names}." if seen else ""
    return Chosen([document for document in tuned if document not in seen], kept, complaint, splitter)


def _some(
    label: str,
    help_text: str,
    words: dict[str, str],
    name: str,
    titles: Mapping[str, str],
    own: set[str],
    keep: Callable[[set[str]], None],
) -> list[str]:
    """Draw a choice of several documents and return their names.

    Bundled documents are stored in the link parameter ``name``; ``keep`` is called with the user's own.
    """
    wanted = [doc_name for doc_name in titles if doc_name in own or doc_name in words[name].split(",")]
    key = key_showing(wanted, f"tune/{name}")

    def changed() -> None:
        chosen = st.session_state[key]
        words[name] = ",".join(doc_name for doc_name in chosen if doc_name in sample_titles())
        keep({doc_name for doc_name in chosen if doc_name not in sample_titles()})

    st.multiselect(
        label,
        list(titles),
        default=wanted,
        format_func=titles.__getitem__,
        key=key,
        on_change=heeded(key, changed),
        help=help_text,
    )
    return wanted


def _bundled_text(name: str) -> MarkedText:
    sample = load_sample(name)
    return MarkedText(name, sample.text, sample.known or ())
