"""What of the Retrieval page stands in its link, and what the page calls it."""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.retrieval.measures import MEASURES
from viz.controls.link_widgets import switch
from viz.jobs.retrieval import DEPTH

TITLES = {"recall": "Recall", "precision": "Precision", "precision_omega": "Precision Ω", "iou": "IoU"}
NAMES = {"recall": "recall", "precision": "precision", "precision_omega": "precision Ω", "iou": "IoU"}
"""The measures inside a sentence."""

COSTS = {"tokens": "Tokens retrieved", "index": "Time to index", "query": "Time to search"}
VIEWS = {"ranked": "In rank order", "document": "In the documents"}

ALLOWED: Mapping[str, Mapping[str, str]] = {
    "measure": {name: TITLES[name] for name in MEASURES},
    "unit": {"characters": "characters", "tokens": "tokens"},
    "k": {str(k): str(k) for k in range(1, DEPTH + 1)},
    "cost": COSTS,
    "kind": {"evidence": "Sentences of the excerpts", "documents": "Documents"},
    "disagree": {"no": "no", "yes": "yes"},
    "view": VIEWS,
}
"""The words that do not depend on a run, with what is shown for them."""

DEFAULT_WORDS = {"measure": "recall", "unit": "characters", "k": "5", "cost": "tokens", "kind": "evidence"}
DEFAULT_WORDS |= {"disagree": "no", "view": "ranked", "baseline": "1", "left": "1", "right": "2", "question": "1", "run": ""}
"""``baseline``, ``left`` and ``right`` are places of chunkers; ``run`` is the token of a run that the server remembers."""


def mended(words: dict[str, str]) -> list[str]:
    """Put the default where a link says what is not allowed; return a sentence for each."""
    complaints = []
    for name, options in ALLOWED.items():
        if words[name] not in options:
            complaints.append(f"The link's {name} must be one of {', '.join(options)}; got {words[name][:60]!r}.")
            words[name] = DEFAULT_WORDS[name]
    return complaints


def place(words: Mapping[str, str], name: str, count: int) -> int:
    """Return the index that a word counted from 1 stands for; the last where it is beyond, the first where it is none."""
    word = words[name][:9]
    return max(min(int(word), count), 1) - 1 if word.isdecimal() else 0


def choose_word(label: str, words: dict[str, str], name: str, hidden: bool = False) -> str:
    """Draw a choice of few words of `ALLOWED`, all in sight, and return the chosen one."""
    switch(label, words, name, ALLOWED[name], f"retrieval_{name}", hidden=hidden)
    return words[name]
