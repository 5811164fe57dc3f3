"""Lists and mappings that Python or NumPy wrote are read, and nothing in them is evaluated."""

import datetime

import numpy as np
import pytest

from evaluation.questions.question_rows import parse_python_literal

MOMENT = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (
            repr([{"a": 1, "b": None, "c": [1.5, True, "it's"], "d": {}}]),
            [{"a": 1, "b": None, "c": [1.5, True, "it's"], "d": {}}],
        ),
        (repr({"a": (1, -2e-3), "b": float("nan")}), {"a": [1, -0.002], "b": None}),
        (str(np.array([{"a": "x}\n {y"}, {"b": [1]}], dtype=object)), [{"a": "x}\n {y"}, {"b": [1]}]),
        (repr([np.float64(0.5), np.array(["a", "b"], dtype=object), np.array([1.0, 2.5])]), [0.5, ["a", "b"], [1.0, 2.5]]),
        (str(np.array(["a", "b"])), ["a", "b"]),
        (repr({"at": MOMENT, "then": 1}), {"at": 2026, "then": 1}),
        ("['\\d', \"say 'x'\"]", ["\\d", "say 'x'"]),
    ],
)
def test_what_python_writes_is_read(written, value):
    assert parse_python_literal(written) == value


@pytest.mark.parametrize(
    "written",
    ["", "[", "[sic]", "[1] see there", "[print('x')]", "['a\nb']", "{1}}", "['a'", "[x for x in 'abc']", "{'a':}"],
)
def test_anything_else_is_refused(written):
    with pytest.raises(ValueError):  # noqa: PT011 - of several messages
        parse_python_literal(written)
