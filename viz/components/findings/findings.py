"""The component that lists findings with reason and passage; a click scrolls to the passage."""

import json
from collections.abc import Sequence
from functools import partial
from typing import TypedDict

from chunkers import Document
from viz.components.browser_exchange import Component, keep_event_until_taken
from viz.components.remedies.payload import ColumnRemedies

MOST_FINDINGS = 200
"""Most findings that are listed; the rest are counted."""


class FindingsData(TypedDict):
    """Payload of the list of findings: a summary, the kinds of findings with their counts, and the findings as JSON.

    ``rows`` is a list of `FindingData`. ``more`` is the number of unlisted findings, and ``less`` describes them.
    ``nothing`` is shown if there are no findings. ``sought`` has the changes that remove the finding that the user chose
    last.
    """

    summary: str
    counts: list[tuple[str, int, str]]
    rows: str
    more: int
    less: str
    nothing: str
    sought: "SoughtData | None"


_findings_component = Component[FindingsData](
    "seamark_findings",
    "components/findings/findings.js",
    "components/findings/findings.css",
    "components/remedies/remedy_list.css",
    html='<div class="inbox"></div>',
    colour_group_name="inbox",
)


class SoughtData(TypedDict):
    """The changes of settings that remove the finding ``id``.

    If no chunker can remove the finding, ``remedies`` is None and ``why_none`` has the reason. Otherwise ``why_none`` is
    empty.
    """

    id: str
    remedies: ColumnRemedies | None
    why_none: str


class FindingData(TypedDict):
    """Payload of a finding about a result: its title, reason, passage, and half-open range of sentences.

    With an ``id``, the user can search for changes that remove the finding.
    """

    id: str
    title: str
    reason: str
    passage: str
    range: tuple[int, int]


def draw_findings_of_result(
    summary: str,
    finding_counts: list[tuple[str, int, str]],
    findings: Sequence[FindingData],
    total_finding_count: int,
    *,
    unlisted_findings_phrase: str,
    no_findings_message: str,
    key: str,
    chosen_finding_remedies: SoughtData | None = None,
) -> None:
    """Draw the list of findings about a result; ``total_finding_count`` includes those that are not listed.

    The page or fragment reruns after each of these events, whose details are by name in ``st.session_state[key]``:

    - ``sought``: the user chose a finding that has an id, ``{"id", "at"}``, or began or stopped the search,
      ``{"id", "search", "at"}``. The event repeats, without ``search``, while the search runs.
    - ``remedy``: the user wants a change as a column, ``{"setting", "at"}``, or tested on Tune, ``{"tune", "at"}``.
    """
    _findings_component(
        key=key,
        data={
            "summary": summary,
            "counts": finding_counts,
            "rows": json.dumps(findings, ensure_ascii=False),
            "more": total_finding_count - len(findings),
            "less": unlisted_findings_phrase,
            "nothing": no_findings_message,
            "sought": chosen_finding_remedies,
        },
        # A run that is already under way may end without the list, and with it Streamlit forgets the user's click.
        on_sought_change=partial(keep_event_until_taken, key, "sought"),
        on_remedy_change=partial(keep_event_until_taken, key, "remedy"),
    )


def find_sentence_range_at_characters(document: Document, start: int, end: int) -> tuple[int, int]:
    """Return the half-open range of the sentences that overlap characters ``start`` to ``end``, at least one sentence."""
    first_sentence_index = max(0, document.sentence_at(start))
    return first_sentence_index, max(first_sentence_index, document.sentence_at(max(start, end - 1))) + 1
