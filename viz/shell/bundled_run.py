"""Notices about a bundled run."""

from __future__ import annotations

from viz.components.notice import notice
from viz.jobs.keeping.bundled import Bundled


def say_where_it_is_from(kept: Bundled, on: str, way_on: str, *, key: str) -> None:
    """Draw the origin of a bundled result: its version, its date and the data, and the way to measure one's own."""
    day = f"{kept.made.day} {kept.made:%B %Y}"
    notice(f"This result comes with Seamark: version {kept.seamark} measured it on {day} on {on}. {way_on}", key=key)


def say_there_is_none(why: str, *, key: str) -> None:
    """Draw the reason why there is no bundled result."""
    notice(f"There is no result to begin with: {why} Press “Run” to measure.", key=key)
