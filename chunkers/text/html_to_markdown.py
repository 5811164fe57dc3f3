"""HTML, XHTML and books in EPUB as Markdown, with an HTML5 parser."""

import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from html import escape
from typing import NamedTuple
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from bs4 import BeautifulSoup
from bs4.element import Comment, PreformattedString, Tag
from markdownify import ATX, MarkdownConverter
from selectolax.lexbor import LexborHTMLParser

from chunkers.support import MAX_HTML_NESTING_DEPTH, InputError
from chunkers.text.encodings import decode_as_chosen_or_detected
from chunkers.text.extracted_text import (
    LONGEST_LABEL,
    ExtractedText,
    Omission,
    PartCollector,
    omissions_from_counts,
    read_xml_root_from_archive,
    shorten,
)

_INVISIBLE_ELEMENTS = (
    *("script", "style", "template", "noscript", "noembed", "noframes", "iframe", "svg", "audio", "video", "canvas"),
    # After the elements that it may contain, so that a script inside it is counted.
    "head",
)
"""Elements of HTML whose text no browser shows."""

_NOUN_BY_COUNTED_ELEMENT = {
    "script": "script",
    "svg": "picture",
    "canvas": "picture",
    "audio": "sound",
    "video": "video",
    "iframe": "frame",
}
"""Left-out elements that are reported, with their names."""

_VOID_ELEMENT_NAMES = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_SELF_CLOSED_TAG_PATTERN = re.compile(r"""<([A-Za-z][\w:.-]*)((?:[^<>"'/]|"[^"<]*"|'[^'<]*'|/(?!>))*+)/>""")


class Markdown(NamedTuple):
    """A web page converted to Markdown, with counts of omitted content."""

    text: str
    left_out: Counter[str]


def markdown_of(html: str, name: str, *, is_xhtml: bool = False) -> Markdown:
    """Convert an HTML page to Markdown; ``is_xhtml`` enables the syntax of XHTML.

    Raises
    ------
    InputError
        If elements are nested deeper than `MAX_HTML_NESTING_DEPTH`.
    """
    omission_counts: Counter[str] = Counter()
    html, omission_counts["processing instruction"] = _remove_and_count_processing_instructions(html)
    if is_xhtml:
        html = _SELF_CLOSED_TAG_PATTERN.sub(_expand_self_closed_tag, _unwrap_cdata_sections(html))
    lexbor_html_tree = LexborHTMLParser(html)
    for invisible_element_name in _INVISIBLE_ELEMENTS:
        invisible_html_elements = lexbor_html_tree.css(invisible_element_name)
        if invisible_element_name in _NOUN_BY_COUNTED_ELEMENT:
            omission_counts[_NOUN_BY_COUNTED_ELEMENT[invisible_element_name]] += len(invisible_html_elements)
        for invisible_element in invisible_html_elements:
            invisible_element.decompose()
    # The parser has closed what HTML leaves open, so any other parser reads the same tree from its output.
    parsed_html_soup = BeautifulSoup(lexbor_html_tree.html or "", "html.parser")
    _check_nesting_depth(parsed_html_soup, name)
    for text_node in parsed_html_soup.find_all(string=True):
        if isinstance(text_node, PreformattedString):
            omission_counts["comment"] += isinstance(text_node, Comment) and not text_node.startswith("?")
            text_node.extract()
    for picture_element in parsed_html_soup("img"):
        alternative_text = str(picture_element.get("alt", ""))
        omission_counts["picture"] += 1
        picture_element.replace_with(alternative_text)
    markdown_converter = _Converter(
        heading_style=ATX,
        bullets="-",
        strip=["a"],
        # Nothing else is escaped: the result is text to be cut, not Markdown to be rendered.
        escape_asterisks=False,
        escape_underscores=False,
    )
    return Markdown(str(markdown_converter.convert_soup(parsed_html_soup)), +omission_counts)


class _Converter(MarkdownConverter):
    """Escapes the vertical bars in cells, each of which would end a cell, so that the table is none."""

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return str(super().convert_td(el, text.replace("|", "\\|"), parent_tags))  # type: ignore[misc]  # not in its stub

    def convert_th(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return str(super().convert_th(el, text.replace("|", "\\|"), parent_tags))  # type: ignore[misc]


def _remove_and_count_processing_instructions(html: str) -> tuple[str, int]:
    """Remove ``<?...?>``, and count all but the XML declaration; one that does not end is left to the parser."""
    kept_parts, instruction_count, searched_until = [], 0, 0
    while (start := html.find("<?", searched_until)) >= 0 and (end := html.find("?>", start)) >= 0:
        kept_parts.append(html[searched_until:start])
        instruction_count += not html.startswith("<?xml ", start)
        searched_until = end + 2
    return "".join([*kept_parts, html[searched_until:]]), instruction_count


def _unwrap_cdata_sections(html: str) -> str:
    """Turn XML's ``<![CDATA[...]]>`` into ordinary text; HTML would treat it as a comment."""
    text_parts, copied_until = [], 0
    while (start := html.find("<![CDATA[", copied_until)) >= 0 and (end := html.find("]]>", start)) >= 0:
        text_parts += [html[copied_until:start], escape(html[start + 9 : end], quote=False)]
        copied_until = end + 3
    return "".join([*text_parts, html[copied_until:]])


def _expand_self_closed_tag(tag_match: re.Match[str]) -> str:
    """Close an element that is self-closing in XML; in HTML it would stay open."""
    element_name, attributes = tag_match.groups()
    return (
        f"<{element_name}{attributes}>"
        if element_name.lower() in _VOID_ELEMENT_NAMES
        else f"<{element_name}{attributes}></{element_name}>"
    )


def _check_nesting_depth(soup: BeautifulSoup, name: str) -> None:
    depth_by_element_id = {id(soup): 0}
    for element in soup.descendants:
        if isinstance(element, Tag):
            depth_by_element_id[id(element)] = depth = depth_by_element_id[id(element.parent)] + 1
            if depth > MAX_HTML_NESTING_DEPTH:
                raise InputError(
                    f"{name}: HTML elements may be nested at most {MAX_HTML_NESTING_DEPTH} levels deep; a "
                    f"<{element.name[:50]}> is "
                    "nested deeper."
                )


# Books in EPUB.

_ENCRYPTION_FILE_IN_EPUB = "META-INF/encryption.xml"
_XML_ENCRYPTION_NAMESPACE = "{http://www.w3.org/2001/04/xmlenc#}"
_MARKDOWN_HEADING_PATTERN = re.compile(r"^ {0,3}#{1,6}[ \t]+(\S[^\n]*)$", re.MULTILINE)
_EMPHASIS_MARKS_PATTERN = re.compile(r"[*`]+")


class _Package(NamedTuple):
    """The chapters' files in reading order, the files that may hold the table of contents, and chapters without a file."""

    chapters: tuple[str, ...]
    contents: tuple[str, ...]
    missing: int


def read_epub(epub_archive: zipfile.ZipFile, name: str) -> ExtractedText:
    """Return the text of an EPUB, with its chapters in reading order.

    A chapter's label is the first entry for its file in the table of contents, or its first heading, or else its number.
    A chapter that the book lists but does not contain is left out and counted.

    Raises
    ------
    InputError
        If the text is too large, chapters are encrypted, or elements are nested too deeply.
    """
    epub_package = _read_epub_package(epub_archive)
    if encrypted_chapter_files := _encrypted_files(epub_archive) & {*epub_package.chapters}:
        raise InputError(
            f"{name}: an EPUB must not be encrypted, for example by copy protection; {len(encrypted_chapter_files):,} of "
            "its "
            f"{len(epub_package.chapters):,} chapters are encrypted. Open a copy without encryption."
        )
    chapter_title_by_file = _chapter_titles(epub_archive, epub_package)
    epub_chapter_collector = PartCollector(name, "chapter")
    omissions = [Omission("missing chapter", epub_package.missing)] if epub_package.missing else []
    for chapter_number, chapter_file in enumerate(dict.fromkeys(epub_package.chapters)):
        chapter_markdown = markdown_of(
            decode_as_chosen_or_detected(epub_archive.read(chapter_file), name, is_markup=True).text, name, is_xhtml=True
        )
        first_chapter_heading_match = _MARKDOWN_HEADING_PATTERN.search(chapter_markdown.text)
        epub_chapter_collector.add(
            chapter_markdown.text,
            chapter_title_by_file.get(chapter_file)
            or (
                _EMPHASIS_MARKS_PATTERN.sub("", first_chapter_heading_match[1]).rstrip(" #")
                if first_chapter_heading_match
                else ""
            ),
        )
        omissions += omissions_from_counts(chapter_markdown.left_out, chapter_number)
    return epub_chapter_collector.joined(omissions)


def _read_epub_package(epub_archive: zipfile.ZipFile) -> _Package:
    """Read the package of the book; source: EPUB 3.3, sections 4 and 5."""
    container_xml_root = read_xml_root_from_archive(epub_archive, "META-INF/container.xml")
    package_path = next(element.attrib["full-path"] for element in container_xml_root.iterfind(".//{*}rootfile"))
    package_xml_root = read_xml_root_from_archive(epub_archive, package_path)
    package_folder = posixpath.dirname(package_path)
    manifest_item_by_id = {item.get("id", ""): item for item in package_xml_root.iterfind("{*}manifest/{*}item")}
    path_by_id = {
        number: _path_in_book(package_folder, item.attrib["href"])
        for number, item in manifest_item_by_id.items()
        if "href" in item.attrib
    }
    archive_member_names = {*epub_archive.namelist()}
    spine_files = [
        path_by_id.get(reference.get("idref", "")) for reference in package_xml_root.iterfind("{*}spine/{*}itemref")
    ]
    present_chapter_files = tuple(file for file in spine_files if file in archive_member_names)
    navigation_item_ids = [
        number for number, item in manifest_item_by_id.items() if "nav" in item.get("properties", "").split()
    ]
    ncx_item_ids = [
        number for number, item in manifest_item_by_id.items() if item.get("media-type") == "application/x-dtbncx+xml"
    ]
    table_of_contents_files = tuple(
        path_by_id[number] for number in [*navigation_item_ids, *ncx_item_ids] if number in path_by_id
    )
    return _Package(present_chapter_files, table_of_contents_files, len(spine_files) - len(present_chapter_files))


def _encrypted_files(epub_archive: zipfile.ZipFile) -> set[str]:
    """Return the files that are encrypted, fonts among them; source: EPUB 3.3, section 4.2.6.3.2."""
    if _ENCRYPTION_FILE_IN_EPUB not in epub_archive.namelist():
        return set()
    return {
        _path_in_book("", reference.get("URI", ""))
        for reference in read_xml_root_from_archive(epub_archive, _ENCRYPTION_FILE_IN_EPUB).iter(
            f"{_XML_ENCRYPTION_NAMESPACE}CipherReference"
        )
    }


def _chapter_titles(epub_archive: zipfile.ZipFile, package: _Package) -> dict[str, str]:
    """Return the first title of each file in the first table of contents that can be read."""
    for table_of_contents_file in package.contents:
        title_by_file: dict[str, str] = {}
        # A book can be read without its table of contents, whose errors are of any type.
        with suppress(Exception):
            for entry_target_path, entry_title in _table_of_contents_entries(
                read_xml_root_from_archive(epub_archive, table_of_contents_file)
            ):
                if short_title := shorten(entry_title, LONGEST_LABEL):
                    title_by_file.setdefault(
                        _path_in_book(posixpath.dirname(table_of_contents_file), entry_target_path.partition("#")[0]),
                        short_title,
                    )
        if title_by_file:
            return title_by_file
    return {}


def _table_of_contents_entries(root: "Element") -> Iterator[tuple[str, str]]:
    """Yield target and title of every entry; source: EPUB 3.3, section 7.4, and the NCX of EPUB 2.0.1, section 2.4.1."""
    for navigation_point in root.iter("{http://www.daisy.org/z3986/2005/ncx/}navPoint"):
        content_element = navigation_point.find("{*}content")
        label_element = navigation_point.find("{*}navLabel/{*}text")
        if content_element is not None and label_element is not None:
            yield content_element.get("src", ""), label_element.text or ""
    type_attribute_name = "{http://www.idpf.org/2007/ops}type"
    contents_nav_elements = [
        nav for nav in root.iter("{http://www.w3.org/1999/xhtml}nav") if "toc" in nav.get(type_attribute_name, "").split()
    ]
    for contents_nav_element in contents_nav_elements[:1]:
        for link in contents_nav_element.iter("{http://www.w3.org/1999/xhtml}a"):
            yield link.get("href", ""), "".join(link.itertext())


def _path_in_book(folder: str, reference: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(reference)))
