"""Propositions sorted into chunks by a language model, which gives each chunk a title and a summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from chunkers.contract.tools import Tools
from chunkers.language_models import forms, prompts
from chunkers.language_models.conversation import Unusable, read_json, usable_answer
from chunkers.text.parts import shortened

if TYPE_CHECKING:
    from chunkers.language_models.base import Message

LONGEST_TITLE = 200
"""Maximum number of characters of a title that a model gives; a longer one is cut."""

LONGEST_SUMMARY = 1_000
"""Maximum number of characters of a summary that a model gives; a longer one is cut."""

LONGEST_SHOWN = 1_000
"""Maximum number of characters shown of a proposition to sort; an original sentence that stands for itself may be longer."""

MOST_LISTED = 100
"""Maximum number of chunks listed with their summaries when propositions are sorted: the most recently used ones."""

_EACH = 200
"""Tokens of an answer for each proposition: its number, and the title and summary of its chunk."""


@dataclass
class Group:
    """A chunk that the model has started: its title, summary and proposition indices."""

    title: str = ""
    summary: str = ""
    members: list[int] = field(default_factory=list)


@dataclass
class Sorted:
    """Propositions grouped into chunks, with a reason for each proposition whose batch got no usable answer."""

    groups: list[Group] = field(default_factory=list)
    unusable: dict[int, str] = field(default_factory=dict)
    batches: int = 0
    failed: int = 0


def sort(texts: Sequence[str], batch: int, tools: Tools, done: Callable[[int], None]) -> Sorted:
    """Have a language model group propositions into chunks, ``batch`` propositions at a time.

    The original method places one proposition at a time and asks again for the chunk's title and summary. Here one
    answer places a whole batch and updates the titles and summaries of the chunks that receive propositions. A batch
    without a usable answer becomes a chunk without a title.

    Parameters
    ----------
    texts
        The propositions, in order.
    batch
        Maximum number of propositions per request.
    tools
        Services, including the language model.
    done
        Called after each batch with the number of propositions sorted so far.

    Raises
    ------
    ModelError
        If the model does not answer, or the request would exceed the spending limit.
    Cancelled
        If the user stops.
    """
    outcome = Sorted()
    last_used: dict[int, int] = {}
    for first in range(0, len(texts), batch):
        last = min(first + batch, len(texts))
        outcome.batches += 1
        listed = sorted(sorted(last_used, key=last_used.__getitem__)[-MOST_LISTED:])
        tokens = forms.ROOM + _EACH * (last - first)
        # Without chunks so far, no number of one is allowed.
        chunks = (listed[0] + 1, listed[-1] + 1) if listed else (0, -1)
        # No more chunks, and no more in each, than there are propositions.
        sizes = {"chunks": last - first, "propositions": last - first}
        kind = forms.GROUPS.within({"chunk": chunks, "propositions": (first + 1, last)}, tokens, sizes)
        answer = partial(tools.ask, kind=kind)
        read = partial(read_places, listed=[number + 1 for number in listed], first=first + 1, last=last)
        try:
            placed = usable_answer(answer, question(outcome.groups, listed, texts, first, last), read, tools.tell)
        except Unusable as complaint:
            outcome.failed += 1
            shown = f"{complaint.told} (propositions {first + 1:,} to {last:,})"
            outcome.unusable.update(dict.fromkeys(range(first, last), shown))
            outcome.groups.append(Group(members=[*range(first, last)]))
        else:
            for placement in placed:
                if placement.chunk is None:
                    outcome.groups.append(Group())
                number = len(outcome.groups) if placement.chunk is None else placement.chunk
                group = outcome.groups[number - 1]
                group.title, group.summary = (
                    shortened(placement.title, LONGEST_TITLE),
                    shortened(placement.summary, LONGEST_SUMMARY),
                )
                group.members += [proposition - 1 for proposition in placement.propositions]
                last_used[number - 1] = first
        done(last)
    for group in outcome.groups:
        group.members.sort()
    return outcome


def question(groups: Sequence[Group], listed: Sequence[int], texts: Sequence[str], first: int, last: int) -> list[Message]:
    """Return the prompt that asks the model to assign propositions ``first`` to ``last - 1`` to chunks."""
    from chunkers.language_models.base import Message

    listed_groups = "".join(
        prompts.GROUPS_CHUNK.format(number=number + 1, title=groups[number].title, summary=groups[number].summary)
        for number in listed
    )
    shown = "".join(
        prompts.GROUPS_PIECE.format(number=number + 1, text=shortened(texts[number], LONGEST_SHOWN))
        for number in range(first, last)
    )
    prompt = prompts.GROUPS_QUESTION.format(
        chunks=listed_groups or prompts.GROUPS_NONE, pieces=shown, first=first + 1, last=last
    )
    return [Message("system", prompts.GROUPS_SYSTEM), Message("user", prompt)]


def read_places(answer: str, listed: Sequence[int], first: int, last: int) -> list[forms.Placed]:
    """Parse an answer that assigns propositions ``first`` to ``last``, numbered from 1, to chunks.

    A proposition belongs to the first chunk that lists it. Chunks without propositions are left out.

    Raises
    ------
    Unusable
        If the answer has another form, names a chunk that is not in ``listed``, or omits a proposition.
    """
    placed = read_json(answer, forms.Places).chunks
    seen: set[int] = set()
    for placement in placed:
        if placement.chunk is not None and placement.chunk not in listed:
            available = f"the list has only {', '.join(map(str, listed))}" if listed else "none is listed"
            raise Unusable(f"the answer may name only listed chunks; it names chunk {placement.chunk}, but {available}")
        if not placement.title.strip():
            raise Unusable("the answer must give every chunk a title; one title is empty")
        for number in placement.propositions:
            if not first <= number <= last:
                raise Unusable(f"the answer may assign only propositions {first} to {last}; it names proposition {number}")
        # Small models go on repeating a chunk.
        placement.propositions = [number for number in dict.fromkeys(placement.propositions) if number not in seen]
        seen.update(placement.propositions)
    missing = [number for number in range(first, last + 1) if number not in seen]
    if missing:
        raise Unusable(f"the answer must assign every proposition to a chunk; it leaves out proposition {missing[0]}")
    return [placement for placement in placed if placement.propositions]
