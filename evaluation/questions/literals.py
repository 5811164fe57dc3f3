"""Lists and mappings in Python's syntax, as csv and pandas write them into the cells of a CSV file."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<text>'[^'\\]*(?:\\.[^'\\]*)*' | "[^"\\]*(?:\\.[^"\\]*)*")
        | (?P<word>[\w.+-]+)
        | (?P<sign>[\[\](){}:,])
    )""",
    re.DOTALL | re.VERBOSE,
)
_WRAPPER = re.compile(r"(?:np|numpy|datetime|zoneinfo)\.\w+|array|Timestamp|UUID|Decimal")
_KEYWORD = re.compile(r"\s*\w+=")
_WORDS = {"None": None, "nan": None, "NaN": None, "NaT": None, "True": True, "False": False}
_CLOSING = {"[": "]", "(": ")", "{": "}"}


def literal(text: str) -> Any:
    """Return the value of a list, tuple, mapping or string in Python's syntax, tuples as lists; nothing is evaluated.

    NumPy's forms are read too: arrays, which have no commas, and of ``array(...)``, ``np.float64(...)`` and the like the
    first argument.

    Raises
    ------
    ValueError
        If the text has another form.
    RecursionError
        If it is nested too deeply.
    """
    return _Reader(text).whole()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text.rstrip()
        self._at = 0

    def whole(self) -> Any:
        value = self._value()
        if self._at < len(self._text):
            raise ValueError(f"more follows at character {self._at + 1:,}")
        return value

    def _token(self) -> re.Match[str]:
        token = _TOKEN.match(self._text, self._at)
        if token is None:
            raise ValueError(f"unexpected sign or end at character {self._at + 1:,}")
        self._at = token.end()
        return token

    def _took(self, sign: str) -> bool:
        token = _TOKEN.match(self._text, self._at)
        if token is None or token["sign"] != sign:
            return False
        self._at = token.end()
        return True

    def _value(self, *, is_option: bool = False) -> Any:
        token = self._token()
        if token["text"] is not None:
            return _string(token["text"])
        if token["sign"] is not None:
            return self._items(token["sign"])
        if _WRAPPER.fullmatch(token["word"]) and self._took("("):
            return next(iter(self._items("(")), None)
        return token["word"] if is_option else _number(token["word"])

    def _items(self, opening: str) -> Any:
        if opening not in _CLOSING:
            raise ValueError(f"unexpected {opening} before character {self._at + 1:,}")
        items: list[Any] = []
        pairs: dict[str, Any] = {}
        while not self._took(_CLOSING[opening]):
            if option := _KEYWORD.match(self._text, self._at):
                # Such as dtype=object of an array.
                self._at = option.end()
                self._value(is_option=True)
            else:
                item = self._value()
                if opening == "{" and self._took(":"):
                    pairs[str(item)] = self._value()
                else:
                    items.append(item)
            self._took(",")
        return pairs if opening == "{" and not items else items


def _string(text: str) -> str:
    try:
        with warnings.catch_warnings(action="ignore"):
            return str(ast.literal_eval(text))
    except SyntaxError as error:
        raise ValueError(str(error)) from error


def _number(word: str) -> Any:
    if word in _WORDS:
        return _WORDS[word]
    return int(word) if word.lstrip("+-").isdecimal() else float(word)
