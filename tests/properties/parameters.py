"""Strategies for settings: valid ones by a chunker's declaration, and others that may be wrong in any way."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from chunkers import CHUNKERS, MODEL_ASKING_CLASS_BY_NAME, ParameterError, build_chunker
from chunkers.recipes.chunker_registry import chunker_class


def values_of(spec):
    """Return a strategy for the allowed values of a parameter: its bounds, its default, small ones, and any other."""
    if spec.kind == "choice":
        values = st.sampled_from(spec.choices)
    elif spec.kind == "integer":
        low, high = int(spec.low), int(spec.high)
        small, usual = st.integers(low, min(high, low + 12)), st.integers(low, min(high, 300))
        values = small | small | usual | usual | st.sampled_from([low, high]) | st.integers(low, high)
    else:
        low, high = float(spec.low), float(spec.high)
        values = st.sampled_from([low, high, *spec.stops]) | st.floats(low, high, allow_subnormal=False)
    usually = st.just(spec.default) | values
    return usually | st.none() if spec.optional else usually


@st.composite
def valid_settings(draw, name):
    """Return parameters with which the chunker can be built."""
    kind = chunker_class(name)
    given = {}
    # The declaration of one may depend on the value of another, which then stands before it.
    for spec in sorted(kind.fields(), key=lambda field: bool(field.depends)):
        if draw(st.booleans()):
            current_page = next(field for field in kind.fields(given) if field.name == spec.name)
            given[spec.name] = draw(values_of(current_page))
    specs = {spec.name: spec for spec in kind.fields(given)}
    for _ in specs:
        try:
            build_chunker(name, given)
            return given
        except ParameterError as error:
            # A rule between two parameters: the one that the sentence names gives way.
            named = next(spec for spec in specs.values() if str(error).startswith(f"{name}: {spec.name} must"))
            given[named.name] = None if named.optional else named.low
    return given


@dataclass(frozen=True)
class Power:
    """A power of ten that a case can be shown with: Python prints no number of more than 4,300 digits."""

    exponent: int
    sign: int = 1


def meant(value):
    """Return the value that a generated one stands for."""
    return value.sign * 10**value.exponent if isinstance(value, Power) else value


_NUMBERS = [0, -1, 1, 2, 7, 10**9, 2**31, 2**63, 2**64, -(2**63) - 1, Power(400), Power(5000), Power(5000, -1), 0.5, 1e308]
_NUMBERS += [-0.0, 1e-320, float("nan"), float("inf"), float("-inf"), True, False, 1j, Decimal("5"), Decimal("NaN")]
_NUMBERS += [Fraction(1, 3), np.int64(3), np.float32(0.5), np.array(4), np.array([1, 2]), np.float64("nan"), np.bool_(True)]
_WORDS = [
    "",
    "7",
    " 7 ",
    "1e3",
    "0x10",
    "٣",
    "nan",
    "none",
    "percentile",
    "tokens",
    "\n",
    "a\nb",
    "x" * 500,
    "\ud800",
    "9" * 5000,
]
_WORDS += ["\ud800", "9" * 5000, "1_000", "-0", "½", "true", "size", "'", "{0}", "%s"]
_OTHERS = [None, b"5", b"\xff", [], [1], (), {}, {"size": 1}, {1}, object, len, ..., range(3), type("Odd", (), {})()]

ANYTHING = (
    st.sampled_from(range(len(_NUMBERS))).map(_NUMBERS.__getitem__)
    | st.sampled_from(_WORDS)
    | st.sampled_from(range(len(_OTHERS))).map(_OTHERS.__getitem__)
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.binary(max_size=5)
)


@st.composite
def any_settings(draw):
    """Return a chunker's name and parameters of any kind, some of which it has."""
    name = draw(st.sampled_from([*CHUNKERS, *MODEL_ASKING_CLASS_BY_NAME]))
    known = st.sampled_from([*chunker_class(name).model_fields])
    unknown = st.sampled_from(["sizes", "", "a\nb", "name", "model_config", "self", "chunk", "Size", "é", "x" * 300])
    given = draw(valid_settings(name)) if draw(st.booleans()) else {}
    for _ in range(draw(st.integers(1, 3))):
        parameter = draw(st.one_of(known, known, known, unknown))
        given[parameter] = draw(ANYTHING)
    return name, given
