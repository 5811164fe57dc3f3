"""Front matter: fields of YAML or TOML between two fences at the top of a text."""

import re
from functools import lru_cache
from typing import NamedTuple

_FRONT_MATTER_FENCES = ("---", "+++")
_BYTE_ORDER_MARK = "\ufeff"
# Atomic, as CRLF could else be read in two ways, and n of them in 2 to the power of n.
_LINE_END = r"(?>\r\n|\n|\r)"
_FRONT_MATTER = re.compile(
    rf"{_BYTE_ORDER_MARK}?(?P<mark>---|\+\+\+)[ \t]*{_LINE_END}"
    rf"(?P<fields>(?:[^\r\n]*{_LINE_END})*?)(?P<closing>(?P=mark))[ \t]*(?:{_LINE_END}|\Z)"
)
# Between two rules at the top of a text there may be prose instead.
_IGNORED_LINES_PATTERN = rf"(?:[ \t]*(?:#[^\r\n]*)?{_LINE_END})*"
_FIELDS = {
    "---": re.compile(rf"""{_IGNORED_LINES_PATTERN}(?:\Z|[ \t]*(?:\{{|[\w"'][^\r\n]*?:(?=\s)))"""),
    "+++": re.compile(rf"""{_IGNORED_LINES_PATTERN}(?:\Z|[ \t]*(?:\[|[\w"'][^\r\n]*?=))"""),
}
_NOT_SPACE = re.compile(r"\S")


class FrontMatter(NamedTuple):
    """Offsets of a text's front matter, in code points.

    Attributes
    ----------
    first_field_start
        Start of the first field. Without fields, start of the text behind the fences.
    last_field_end
        End of the last field, without white space. Without fields, end of the closing fence.
    closing_fence_end
        End of the closing fence.
    end
        End of the closing fence's line, its line break included.
    """

    first_field_start: int
    last_field_end: int
    closing_fence_end: int
    end: int

    def cut_separates_fence_from_fields(self, cut_offset: int) -> bool:
        """Return whether a cut at ``cut_offset`` would separate a front-matter fence from the first or the last field."""
        return 0 < cut_offset <= self.first_field_start or self.last_field_end <= cut_offset < self.closing_fence_end


def find_front_matter_offsets(text: str) -> FrontMatter | None:
    """Return the offsets of the front matter at the top of a text; None if there is none. Any line ending is accepted."""
    return _find_front_matter(text) if text.startswith((*_FRONT_MATTER_FENCES, _BYTE_ORDER_MARK)) else None


def clear_front_matter_cache() -> None:
    """Empty the cache of texts searched for front matter."""
    _find_front_matter.cache_clear()


@lru_cache(maxsize=8)
def _find_front_matter(text: str) -> FrontMatter | None:
    front_matter_match = _FRONT_MATTER.match(text)
    if not front_matter_match or not _FIELDS[front_matter_match["mark"]].match(front_matter_match["fields"]):
        return None
    closing_fence_end = front_matter_match.end("closing")
    if fields_text := front_matter_match["fields"].strip():
        first_field_offset = _first_visible_offset_from(text, front_matter_match.start("fields"))
        return FrontMatter(
            first_field_offset, first_field_offset + len(fields_text), closing_fence_end, front_matter_match.end()
        )
    return FrontMatter(
        _first_visible_offset_from(text, closing_fence_end), closing_fence_end, closing_fence_end, front_matter_match.end()
    )


def _first_visible_offset_from(text: str, start: int) -> int:
    """Return the offset of the first character from ``start`` on that is not white space, or the end of the text."""
    visible_character_match = _NOT_SPACE.search(text, start)
    return visible_character_match.start() if visible_character_match else len(text)
