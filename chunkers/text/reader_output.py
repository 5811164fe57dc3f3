"""Output of the format readers: text, starts of pages or chapters, and content left out."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from chunkers.support.errors import InputError
from chunkers.support.limits import MAX_BYTES
from chunkers.text.encodings import Encoded
from chunkers.text.file_parts import Kind, Parts, label_of, substituted

if TYPE_CHECKING:
    import zipfile
    from xml.etree.ElementTree import Element

_LINE_END = re.compile(r"\r\n")
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*+\n){2,}")


class LeftOut(NamedTuple):
    """Content of a file, such as pictures, that is missing from the extracted text.

    Attributes
    ----------
    what
        Kind of thing, in the singular, such as ``picture``.
    times
        Number of things of this kind.
    part
        The index of the page or chapter; None if the file has none.
    words
        Text of the omitted content, if any.
    """

    what: str
    times: int = 1
    part: int | None = None
    words: str = ""


class Extracted(NamedTuple):
    """Text extracted from a file, with the omissions, the encoding if known, and the pages or chapters."""

    text: str
    left_out: tuple[LeftOut, ...] = ()
    encoded: Encoded | None = None
    parts: Parts | None = None

    def tidied(self) -> "Extracted":
        """Return a copy with Unix line endings, single blank lines, and no blank lines at either end."""
        places = self.parts.starts if self.parts is not None else ()
        text, moved = substituted(_LINE_END, "\n", self.text, places)
        text, moved = substituted(_BLANK_LINES, "\n\n", text, moved)
        behind = text.lstrip("\n")
        cut = len(text) - len(behind)
        text = behind.rstrip("\n")
        if self.parts is None:
            return self._replace(text=text)
        return self._replace(text=text, parts=self.parts.moved(min(max(0, place - cut), len(text)) for place in moved))


class Collected:
    """Collector of page or chapter texts. Raises InputError as soon as the texts together are too large."""

    def __init__(self, name: str, kind: Kind) -> None:
        self._name = name
        self._kind = kind
        self._size = 0
        self.texts: list[str] = []
        self.labels: list[str] = []

    def add(self, text: str, label: str) -> None:
        """Add a page or chapter; without a label, the page or chapter is labelled by its number."""
        self.texts.append(text)
        self.labels.append(label_of(label, len(self.texts)))
        self._size += len(text)
        if self._size > MAX_BYTES:
            raise too_large(self._name, self._size, "at least ", what="the text")

    def joined(self, left_out: Iterable[LeftOut], joints: Iterable[str] | None = None) -> Extracted:
        """Join the collected pages or chapters, separated by blank lines or ``joints``, into one extracted text."""
        pieces, starts, length = [], [], 0
        between = iter(joints) if joints is not None else iter(["\n\n"] * len(self.texts))
        for number, text in enumerate(self.texts):
            joint = next(between) if number else ""
            pieces += [joint, text]
            starts.append(length + len(joint))
            length += len(joint) + len(text)
        parts = Parts(self._kind, tuple(starts), tuple(self.labels)) if starts else None
        return Extracted("".join(pieces), tuple(left_out), parts=parts)


def counted(counts: Counter[str], part: int | None = None) -> list[LeftOut]:
    """Convert counts of omitted items, such as pictures, to a list of `LeftOut`."""
    return [LeftOut(what, count, part) for what, count in counts.items() if count > 0]


def xml_root(packed: "zipfile.ZipFile", name: str) -> "Element":
    """Return the root element of an XML file in an archive."""
    from defusedxml.ElementTree import fromstring

    root: Element = fromstring(packed.read(name))
    return root


def too_large(name: str, size: int, about: str = "", *, what: str = "a document") -> InputError:
    """Return the InputError for a document, or another item called ``what``, that is larger than `MAX_BYTES`."""
    return InputError(f"{name}: {what} may have at most 20 MB, {MAX_BYTES:,} bytes; this one has {about}{size:,}.")
