"""Number formats for sentences and table cells."""

from __future__ import annotations


def signed(number: float, spec: str = "g") -> str:
    """Format a number, with a typographic minus sign if negative; a number that rounds to zero has no sign.

    A hyphen may be parted from its number at the end of a line, and is read as one. Files for programs keep it, and so do
    refusals and commands, whose numbers are as they are typed.

    Parameters
    ----------
    spec
        A format of floating-point numbers: ``.2f``; with a sign for all, ``+.1f``.
    """
    sign, rest = ("+", spec[1:]) if spec.startswith("+") else ("", spec)
    return f"{number:{sign}z{rest}}".replace("-", "−")


def counted(count: int, what: str, several: str = "") -> str:
    """Return a count with its noun, such as ``3 chunks``; ``several`` is the plural if it is irregular."""
    return f"{count:,} {what if count == 1 else several or f'{what}s'}"


def milliseconds(took: float) -> str:
    """Format a time in milliseconds, without the unit; longer times get fewer decimals."""
    decimals = 2 if took < 1 else 1 if took < 10 else 0
    return f"{took:,.{decimals}f}"


def three_figures(value: float) -> str:
    """Format a number with at most three significant figures and thousands separators."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded >= 1000 else f"{rounded:g}"


def rounded_up(count: int) -> int:
    """Round an estimate up to two significant digits."""
    unit = int(10 ** max(0, len(str(count)) - 2))
    return -(-count // unit) * unit


def bound(value: float) -> str:
    """Format a bound of a range for use in a sentence: whole numbers in full, with thousands separators."""
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"
