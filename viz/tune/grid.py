"""The choice of the settings of a sweep: the published grids, or one or two parameters of a chunker."""

from math import ceil, floor, prod
from typing import Any

import streamlit as st

from chunkers import ASKING, CHUNKERS, FieldSpec, InputError, build_chunker
from chunkers.commands.arguments import value as read_value
from chunkers.recipes.registry import chunker_class
from evaluation.segmentation.sweep import Setting, grid, published
from viz.controls.widgets import select

PUBLISHED = "published"
"""The link's word for the published grids of all chunkers."""

DEFAULT_WORDS = {"what": "breakpoint", "first": "amount", "second": "", "values": "", "others": ""}
"""The default values of the link parameters for the settings."""

MOST_RUNS = 20_000
"""Most runs of a sweep: settings times documents."""

MOST_OFFERED = 11
"""Most default values of an axis."""

_ANY_SIZE = [2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]
"""Default values of an axis for sizes, whose range is too large for round steps."""


def choose_settings(words: dict[str, str]) -> tuple[list[Setting], str]:
    """Draw the controls for a grid of settings; return the valid settings, and a message if some are invalid."""
    options = {PUBLISHED: "Published grids"} | {name: chunker_class(name).title for name in (*CHUNKERS, *ASKING)}

    def forget() -> None:
        words.update(first="", second="", values="", others="")

    if select("Sweep", words, "what", options, "tune/what", forget) == PUBLISHED:
        st.caption(
            "The published grids of Qu et al., appendix B: 30 settings of Breakpoint, 45 of Single linkage, 125 of DBSCAN, "
            "18 of Fixed sentences."
        )
        return published(), ""
    what = words["what"]
    specs = {spec.name: spec for spec in chunker_class(what).fields()}
    titles = {name: spec.title for name, spec in specs.items()}
    first = select("Along", words, "first", titles, f"tune/first/{what}")
    axes = {first: _values(words, "values", specs[first])}
    others = {"": "nothing else"} | {name: title for name, title in titles.items() if name != first}
    second = select("and along", words, "second", others, f"tune/second/{what}")
    if second:
        axes[second] = _values(words, "others", specs[second])
    count = prod(map(len, axes.values()))
    if count > MOST_RUNS:
        return [], f"A sweep may have at most {MOST_RUNS:,} runs; this grid has {count:,} settings."
    return _allowed(grid(what, **axes))


def first_settings() -> list[Setting]:
    """Return the settings of the page's default sweep, given by `DEFAULT_WORDS`."""
    what, first = DEFAULT_WORDS["what"], DEFAULT_WORDS["first"]
    spec = next(field_spec for field_spec in CHUNKERS[what].fields() if field_spec.name == first)
    return _allowed(grid(what, **{first: offered(spec)}))[0]


def sweep_chunker(words: dict[str, str], chunker: str) -> None:
    """Make the sweep vary the first parameter of a chunker; keep the sweep if it already has this chunker."""
    if words["what"] != chunker:
        words.update(what=chunker, first="", second="", values="", others="")


def _allowed(settings: list[Setting]) -> tuple[list[Setting], str]:
    """Return the valid settings, each once, and a message about the invalid ones or an empty string."""
    allowed, refused = dict[Setting, None](), []
    for setting in settings:
        try:
            build_chunker(setting.chunker, dict(setting.parameters))
        except InputError as error:
            refused.append(str(error))
        else:
            allowed[setting] = None
    if refused and allowed:
        return list(allowed), f"{len(refused):,} of {len(settings):,} combinations are left out: {refused[0]}"
    return list(allowed), refused[0] if refused else ""


def _values(words: dict[str, str], name: str, spec: FieldSpec) -> list[Any]:
    """Draw the text box for the values of an axis and return the values."""
    key = f"tune/{name}/{words['what']}/{spec.name}"
    text = words[name] or ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in offered(spec))

    def changed() -> None:
        words[name] = st.session_state[key]

    st.text_input(f"{spec.title}: values", text, key=key, on_change=changed, help=spec.help or None)
    return [read_value(word.strip()) for word in st.session_state[key].split(",") if word.strip()]


def offered(spec: FieldSpec) -> list[Any]:
    """Return round values of a parameter to try by default, aligned to the steps of its slider."""
    if spec.choices:
        return list(spec.choices)
    if spec.offered is None and spec.high is not None and spec.high > _ANY_SIZE[-1]:
        return list(_ANY_SIZE)
    low, high = spec.offered or (spec.low or 0, spec.high or 1)
    step = spec.step or 1
    apart = next(
        apart
        for apart in (step * round_number * 10**power for power in range(9) for round_number in (1, 2, 5))
        if floor(high / apart + 1e-9) - ceil(low / apart - 1e-9) < MOST_OFFERED
    )
    places = range(ceil(low / apart - 1e-9), floor(high / apart + 1e-9) + 1)
    number = int if spec.kind == "integer" else lambda value: round(value, 6)
    return [number(place * apart) for place in places]
