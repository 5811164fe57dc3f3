"""Errors whose message is one sentence for the user of the page or the command line."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails


class InputError(ValueError):
    """Error for unusable input; the message says what is wrong, the rule and the value."""


class ParameterError(InputError):
    """Error for a parameter that is unknown or breaks its declared rule."""


class ModelError(InputError):
    """Error for a model or tokenizer that is missing, changed or unusable."""


class Cancelled(Exception):
    """Exception raised when the user asks to stop; everything computed so far is in the cache."""


def raise_if_cancelled(cancelled: "Callable[[], bool]") -> None:
    """Raise `Cancelled` if ``cancelled`` returns True; nothing else in the project raises it."""
    if cancelled():
        raise Cancelled


def first_field_and_error(error: "ValidationError", fallback_field_name: str = "") -> "tuple[str, ErrorDetails]":
    """Return the field of the first broken rule, such as ``columns.0.name``, or the fallback, and the error."""
    first_error_detail = error.errors(include_url=False)[0]
    return ".".join(map(str, first_error_detail["loc"])) or fallback_field_name, first_error_detail


def message_with_document_name(name: str, error: BaseException) -> str:
    """Return an error's message with the document's name in front, unless the message begins with it."""
    message = str(error)
    return message if message.startswith(name) else f"{name}: {message}"


def one_line_message(text: object, max_characters: int = 300) -> str:
    """Return another program's message on one line, truncated to ``max_characters`` characters."""
    return " ".join(str(text).split())[:max_characters]


LONGEST_SHOWN_VALUE = 60
"""Maximum number of characters of a value that a message shows."""


def short_repr(value: object) -> str:
    """Format a value on one line for a message, shortened if it is long."""
    if isinstance(value, str | bytes):
        # No more is written out than can be shown.
        value = value[: LONGEST_SHOWN_VALUE + 1]
    try:
        one_line_repr = " ".join(repr(value).split())
    except ValueError:
        # Python does not print numbers of more digits than this.
        return f"a whole number of more than {sys.get_int_max_str_digits():,} digits"
    except Exception:
        # The repr of somebody's object is somebody's code.
        return f"an object of the class {type(value).__name__}"
    return one_line_repr if len(one_line_repr) <= LONGEST_SHOWN_VALUE else one_line_repr[: LONGEST_SHOWN_VALUE - 3] + "..."
