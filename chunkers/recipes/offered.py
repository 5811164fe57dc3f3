"""Chunkers of other packages: requirements on such a class, and isolation of its errors."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from functools import wraps
from itertools import pairwise
from typing import Any

from chunkers.contract.base import Chunker, FieldSpec, Reach, Tipping
from chunkers.contract.tools import Tools
from chunkers.results.reason import Reason
from chunkers.results.result import Chunking, Gap, Verdict, start_after
from chunkers.support.errors import Cancelled, InputError, ModelError, shown
from chunkers.text.document import Document

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""Pattern of a valid chunker name, as used in links, file names and command lines."""

WORDS = ("title", "idea", "source")

KINDS = ("integer", "number", "choice")
"""The types of parameters for which the page has a control."""

HOOKS: dict[str, Any] = {
    "levels": list,
    "describe": str,
    "remark": str,
    "idle": frozenset,
    "reach": Reach | None,
    "tipping": Tipping | None,
    "caveat": str,
}
"""Optional members of a chunker that the page reads, with the type of each value."""


def check(kind: object) -> type[Chunker]:
    """Return ``kind`` if it is usable as a chunker class on the page, in links and on the command line.

    Raises
    ------
    InputError
        If ``kind`` is not usable; the message says what is required.
    """
    if not isinstance(kind, type) or not issubclass(kind, Chunker):
        raise InputError(f"a chunker must be a subclass of Chunker; got {shown(kind)}.")
    if inspect.isabstract(kind):
        raise InputError(f"{kind.__name__} must have the method chunk(document, tools); it has none.")
    name = getattr(kind, "name", None)
    if not isinstance(name, str) or not NAME.fullmatch(name):
        fault = f"got {shown(name)}" if name is not None else "it has none"
        raise InputError(
            f"{kind.__name__}: name must be 1 to 40 lower-case letters, digits and underscores, beginning with a "
            f"letter; {fault}."
        )
    for word in WORDS:
        value = getattr(kind, word, None)
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"{name}: {word} must be a non-empty string; got {shown(value)}.")
    for spec in kind.fields():
        _check_field(name, spec)
    # What no parameter breaks by itself, a validator may.
    kind()
    return kind


def _check_field(name: str, spec: FieldSpec) -> None:
    if spec.kind not in KINDS:
        raise InputError(f"{name}: {spec.name} must be a number or a Literal; its type is {spec.kind}.")
    if spec.default is None and not spec.optional:
        raise InputError(f"{name}: {spec.name} must have a default; it has none.")
    if spec.kind != "choice" and not spec.optional and spec.offered is None and None in (spec.low, spec.high):
        raise InputError(
            f"{name}: {spec.name} must have a minimum and a maximum, declared with ge= and le=; one of them is missing."
        )


def guard(kind: type[Chunker], package: str) -> None:
    """Wrap a third-party chunker's methods so that their errors cannot break the app; a second call changes nothing.

    An error raised by ``chunk``, or a return value that is not a result, becomes a `ModelError` that names the package.
    A hook that raises an error or returns an invalid value is ignored. Recipes record the package's version.
    """
    if "_guarded" in vars(kind):
        return
    whose = f"the package {package}" if package else f"the module {kind.__module__}"
    kind.chunk = _kept_in(kind.chunk, kind.name, whose)  # type: ignore[method-assign]
    for hook, answer in HOOKS.items():
        setattr(kind, hook, _or_usual(getattr(kind, hook), getattr(Chunker, hook), answer))
    fields: Any = kind.fields
    kind.fields = classmethod(_or_usual(fields.__func__, fields_of, list))  # type: ignore[assignment, method-assign]
    if package:
        kind.packages = tuple(dict.fromkeys((*kind.packages, package)))
    versions: Any = kind.versions
    kind.versions = classmethod(_or_usual(versions.__func__, _no_versions, dict))  # type: ignore[assignment, method-assign]

    def reduced(self: Chunker) -> tuple[Any, ...]:
        return _rebuilt, (kind, package, self.model_dump())

    kind.__reduce__ = reduced  # type: ignore[assignment, method-assign]
    kind._guarded = True  # type: ignore[attr-defined]


def fields_of(kind: type[Chunker], values: Mapping[str, Any] | None = None) -> list[FieldSpec]:
    """Return the parameters that a chunker class declares, ignoring any override of its method ``fields``."""
    own: Any = Chunker.fields
    fields: list[FieldSpec] = own.__func__(kind, values)
    return fields


def _no_versions(kind: type[Chunker]) -> dict[str, str]:
    return {}


def _rebuilt(kind: type[Chunker], package: str, parameters: dict[str, Any]) -> Chunker:
    """Make a chunker in another process, where its class may not be guarded yet."""
    guard(kind, package)
    return kind(**parameters)


def _kept_in(method: Callable[..., Chunking], name: str, whose: str) -> Callable[..., Chunking]:
    @wraps(method)
    def chunk(self: Chunker, document: Document, tools: Tools) -> Chunking:
        try:
            chunking = method(self, document, tools)
        except (InputError, Cancelled):
            raise
        except Exception as error:
            raise ModelError(
                f"{name}, of {whose}, could not cut this text; it failed with {said_of(error)}. Change a parameter, or "
                "choose another chunker."
            ) from error
        if why := _broken(chunking, document):
            raise ModelError(f"{name}, of {whose}, must return a result for this text; {why}.")
        return chunking

    return chunk


def _or_usual(own: Callable[..., Any], usual: Callable[..., Any], answer: Any) -> Callable[..., Any]:
    @wraps(own)
    def hook(asked: Chunker | type[Chunker], *given: Any) -> Any:
        try:
            returned = own(asked, *given)
        except Cancelled:
            raise
        except Exception:
            return usual(asked, *given)
        return returned if isinstance(returned, answer) else usual(asked, *given)

    return hook


def said_of(error: BaseException) -> str:
    """Summarise an error from third-party code in a few words for a message."""
    summary = " ".join(f"{type(error).__name__}: {error}".split())
    return summary[:200].rstrip(".: ")


def _broken(made: object, document: Document) -> str:
    """Return the fault of a result; empty if it is a valid result for this document."""
    if not isinstance(made, Chunking):
        return f"it returned {shown(made)}"
    if made.document is not document and made.document != document:
        return "it returned a result for another document"
    text = document.text
    for number, chunk in enumerate(made.chunks):
        spans = chunk.spans
        inside = all(0 <= start < end <= len(text) for start, end in spans)
        if not spans or not inside or any(one.end > other.start for one, other in pairwise(spans)):
            return f"the spans of chunk {number + 1:,} must be stretches of the text in order; they are {shown(spans)}"
        if chunk.text != "\n".join(text[start:end] for start, end in spans):
            return f"the text of chunk {number + 1:,} must be that of its spans; it is another"
    if any(one.start > other.start for one, other in pairwise(made.chunks)):
        return "its chunks must be in the order in which they begin; they are not"
    return _broken_gaps(made.gaps, document)


def _broken_gaps(gaps: Any, document: Document) -> str:
    gaps = [*gaps]
    if not all(isinstance(gap, Gap) and isinstance(gap.verdict, Verdict) and isinstance(gap.why, Reason) for gap in gaps):
        return "every gap must be a Gap with a Verdict and a Reason; one is not"
    count = len(document.sentences)
    if [gap.index for gap in gaps if gap.offset is None] != [*range(max(0, count - 1))]:
        return f"it must have one gap after each of the {count:,} sentences but the last; it has others"
    places = [(gap.index, start_after(document, gap)) for gap in gaps if 0 <= gap.index < count]
    inside = all(
        gap.offset is None or document.sentences[gap.index].start < gap.offset < document.sentences[gap.index].end
        for gap in gaps
        if 0 <= gap.index < count
    )
    if len(places) < len(gaps) or not inside or places != sorted(places):
        return "its gaps must be in order, and an offset inside its sentence; they are not"
    return ""
