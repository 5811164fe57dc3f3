"""How a number that may be negative is written in a sentence and in a table's cell."""

from __future__ import annotations


def signed(number: float, spec: str = "g") -> str:
    """Format a number with a minus sign where it is negative, and a zero without one, also what only rounds to it.

    A hyphen may be parted from its number at the end of a line, and is read as one. Files for programs keep it, and so do
    refusals and commands, whose numbers are as they are typed.

    Parameters
    ----------
    spec
        A format of floating-point numbers: ``.2f``; with a sign for all, ``+.1f``.
    """
    sign, rest = ("+", spec[1:]) if spec.startswith("+") else ("", spec)
    return f"{number:{sign}z{rest}}".replace("-", "−")
