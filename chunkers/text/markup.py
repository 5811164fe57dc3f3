"""Convert HTML, XHTML and the chapters of books to Markdown, with an HTML5 parser."""

from __future__ import annotations

import re
from collections import Counter
from html import escape
from typing import NamedTuple

from bs4 import BeautifulSoup
from bs4.element import Comment, PreformattedString, Tag
from markdownify import ATX, MarkdownConverter
from selectolax.lexbor import LexborHTMLParser

from chunkers.support.errors import InputError
from chunkers.support.limits import MAX_DEPTH

_UNSEEN = (
    *("script", "style", "template", "noscript", "noembed", "noframes", "iframe", "svg", "audio", "video", "canvas"),
    # After the elements that it may contain, so that a script inside it is counted.
    "head",
)
"""Elements of HTML whose text no browser shows."""

_COUNTED = {"script": "script", "svg": "picture", "canvas": "picture", "audio": "sound", "video": "video", "iframe": "frame"}
"""Left-out elements that are reported, with their names."""

_VOID = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"))
_SELF_CLOSED = re.compile(r"""<([A-Za-z][\w:.-]*)((?:[^<>"'/]|"[^"<]*"|'[^'<]*'|/(?!>))*+)/>""")


class Markdown(NamedTuple):
    """A web page converted to Markdown, with counts of omitted content."""

    text: str
    left_out: Counter[str]


def markdown_of(html: str, name: str, *, xml: bool = False) -> Markdown:
    """Convert an HTML page to Markdown; ``xml`` enables the syntax of XHTML.

    Raises
    ------
    InputError
        If elements are nested deeper than `MAX_DEPTH`.
    """
    left_out: Counter[str] = Counter()
    html, left_out["processing instruction"] = _without_instructions(html)
    if xml:
        html = _SELF_CLOSED.sub(_closed, _without_character_data(html))
    tree = LexborHTMLParser(html)
    for word in _UNSEEN:
        elements = tree.css(word)
        if word in _COUNTED:
            left_out[_COUNTED[word]] += len(elements)
        for element in elements:
            element.decompose()
    # The parser has closed what HTML leaves open, so any other parser reads the same tree from its output.
    soup = BeautifulSoup(tree.html or "", "html.parser")
    _bound_depth(soup, name)
    for string in soup.find_all(string=True):
        if isinstance(string, PreformattedString):
            left_out["comment"] += isinstance(string, Comment) and not string.startswith("?")
            string.extract()
    for picture in soup("img"):
        words = str(picture.get("alt", ""))
        left_out["picture"] += 1
        picture.replace_with(words)
    return Markdown(str(_converter().convert_soup(soup)), +left_out)


class _Converter(MarkdownConverter):
    """Escapes the vertical bars in cells, each of which would end a cell, so that the table is none."""

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return str(super().convert_td(el, text.replace("|", "\\|"), parent_tags))  # type: ignore[misc]  # not in its stub

    def convert_th(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return str(super().convert_th(el, text.replace("|", "\\|"), parent_tags))  # type: ignore[misc]


def _converter() -> MarkdownConverter:
    return _Converter(
        heading_style=ATX,
        bullets="-",
        strip=["a"],
        # Nothing else is escaped: the result is text to be cut, not Markdown to be rendered.
        escape_asterisks=False,
        escape_underscores=False,
    )


def _without_instructions(html: str) -> tuple[str, int]:
    """Remove ``<?...?>``, and count all but the XML declaration; one that does not end is left to the parser."""
    parts, count, place = [], 0, 0
    while (start := html.find("<?", place)) >= 0 and (end := html.find("?>", start)) >= 0:
        parts.append(html[place:start])
        count += not html.startswith("<?xml ", start)
        place = end + 2
    return "".join([*parts, html[place:]]), count


def _without_character_data(html: str) -> str:
    """Turn XML's ``<![CDATA[...]]>`` into ordinary text; HTML would treat it as a comment."""
    parts, place = [], 0
    while (start := html.find("<![CDATA[", place)) >= 0 and (end := html.find("]]>", start)) >= 0:
        parts += [html[place:start], escape(html[start + 9 : end], quote=False)]
        place = end + 3
    return "".join([*parts, html[place:]])


def _closed(tag: re.Match[str]) -> str:
    """Close an element that is self-closing in XML; in HTML it would stay open."""
    name, attributes = tag.groups()
    return f"<{name}{attributes}>" if name.lower() in _VOID else f"<{name}{attributes}></{name}>"


def _bound_depth(soup: BeautifulSoup, name: str) -> None:
    depths = {id(soup): 0}
    for element in soup.descendants:
        if isinstance(element, Tag):
            depths[id(element)] = depth = depths[id(element.parent)] + 1
            if depth > MAX_DEPTH:
                raise InputError(
                    f"{name}: HTML elements may be nested at most {MAX_DEPTH} levels deep; a <{element.name[:50]}> is "
                    "nested deeper."
                )
