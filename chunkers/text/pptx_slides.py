"""PPTX: every visible slide as a heading, its title, with its texts, tables and notes below."""

import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from chunkers.text.extracted_text import (
    ExtractedText,
    Omission,
    PartCollector,
    omissions_from_counts,
    read_xml_root_from_archive,
)
from chunkers.text.spreadsheets import Row, markdown_cell_text, markdown_table

_RELATION_ID_ATTRIBUTES = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}id",
)
"""The attributes that name a slide's part; the second is of the format that PowerPoint calls strict."""

_TITLE_PLACEHOLDERS = frozenset({"title", "ctrTitle"})
_REPEATED_PLACEHOLDERS = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})
"""Placeholders for the date, footer, header and number of all slides."""

_LIST_PLACEHOLDERS = frozenset({"body", "obj"})
"""Placeholders whose paragraphs are the items of a list."""

_NOUN_BY_FRAMED_TAG = {"chart": "chart", "relIds": "diagram", "oleObj": "embedded object"}


_MARKDOWN_BLOCK_START = re.compile(r"(?=#{1,6}(?:\s|\Z)|```|~~~|<[A-Za-z/!?]|\$\$|\\\[)")
"""Beginnings of a paragraph that Markdown takes for a heading, or for what goes on over the next slides."""


def read_slides(archive: zipfile.ZipFile, name: str) -> ExtractedText:
    """Return the slides of a presentation in order, each below its title, or below its number if it has none.

    Notes follow the slide. Hidden slides, pictures, charts, diagrams and embedded objects are left out and counted;
    pictures leave their alternative text.

    Raises
    ------
    InputError
        If the text is too large.
    """
    main_part_path = next(target for kind, target in _part_relations(archive, "").values() if kind == "officeDocument")
    main_part_relations = _part_relations(archive, main_part_path)
    slide_collector = PartCollector(name, "slide")
    omissions: list[Omission] = []
    hidden_slide_count = 0
    for slide_number, slide_reference_element in enumerate(
        read_xml_root_from_archive(archive, main_part_path).iterfind("{*}sldIdLst/{*}sldId"), 1
    ):
        slide_part_path = main_part_relations[
            next(
                slide_reference_element.attrib[name]
                for name in _RELATION_ID_ATTRIBUTES
                if name in slide_reference_element.attrib
            )
        ][1]
        slide_xml_root = read_xml_root_from_archive(archive, slide_part_path)
        if slide_xml_root.get("show") in ("0", "false"):
            hidden_slide_count += 1
            continue
        omission_counts: Counter[str] = Counter()
        slide_title, text_blocks = _read_slide_title_and_blocks(slide_xml_root, name, omission_counts)
        notes_part_paths = [
            target for kind, target in _part_relations(archive, slide_part_path).values() if kind == "notesSlide"
        ]
        for notes_part_path in notes_part_paths[:1]:
            _, note_blocks = _read_slide_title_and_blocks(
                read_xml_root_from_archive(archive, notes_part_path), name, Counter(), writes_bulleted_lists=False
            )
            text_blocks += [f"Notes: {note_blocks[0]}", *note_blocks[1:]] if note_blocks else []
        omissions += omissions_from_counts(omission_counts, len(slide_collector.texts))
        slide_collector.add("\n\n".join([f"# {slide_title or f'Slide {slide_number}'}", *text_blocks]), str(slide_number))
    if hidden_slide_count:
        omissions.append(Omission("hidden slide", hidden_slide_count))
    return slide_collector.joined(omissions)


def _read_slide_title_and_blocks(
    slide_element: Element, pptx_file_name: str, omission_counts: Counter[str], *, writes_bulleted_lists: bool = True
) -> tuple[str, list[str]]:
    """Return the title and the blocks of text of a slide or its notes."""
    slide_title_text, text_blocks = "", []
    for shape in _slide_shapes(slide_element.find("{*}cSld/{*}spTree")):
        shape_tag_name = _local_name(shape)
        if shape_tag_name == "sp":
            shape_placeholder_element = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
            placeholder_type = "" if shape_placeholder_element is None else shape_placeholder_element.get("type", "obj")
            levelled_paragraphs = [] if placeholder_type in _REPEATED_PLACEHOLDERS else [*_levelled_paragraphs(shape)]
            if placeholder_type in _TITLE_PLACEHOLDERS and not slide_title_text:
                slide_title_text = " ".join(words for _, words in levelled_paragraphs)
                continue
            levelled_paragraphs = [
                (level, _MARKDOWN_BLOCK_START.sub(r"\\", words, count=1) if _MARKDOWN_BLOCK_START.match(words) else words)
                for level, words in levelled_paragraphs
            ]
            if writes_bulleted_lists and placeholder_type in _LIST_PLACEHOLDERS and len(levelled_paragraphs) > 1:
                text_blocks.append("\n".join(f"{'  ' * level}- {words}" for level, words in levelled_paragraphs))
            else:
                text_blocks += [words for _, words in levelled_paragraphs]
        elif shape_tag_name == "graphicFrame":
            table_element = shape.find(".//{*}tbl")
            if table_element is not None:
                text_blocks.append(markdown_table([*_table_rows(table_element)], pptx_file_name).text)
            omission_counts.update(
                what for tag, what in _NOUN_BY_FRAMED_TAG.items() if shape.find(f".//{{*}}{tag}") is not None
            )
        elif shape_tag_name == "pic":
            omission_counts["picture"] += 1
            picture_properties = shape.find("{*}nvPicPr/{*}cNvPr")
            text_blocks.append("" if picture_properties is None else markdown_cell_text(picture_properties.get("descr", "")))
    return slide_title_text, [block for block in text_blocks if block]


def _slide_shapes(shape_tree: Element | None) -> Iterator[Element]:
    """Yield the shapes of a slide in its order, also those in groups; of alternatives, the first."""
    unvisited_shapes = [] if shape_tree is None else [*shape_tree][::-1]
    while unvisited_shapes:
        visited_slide_shape = unvisited_shapes.pop()
        if _local_name(visited_slide_shape) in ("grpSp", "Choice"):
            unvisited_shapes += [*visited_slide_shape][::-1]
        elif _local_name(visited_slide_shape) == "AlternateContent":
            unvisited_shapes += [*visited_slide_shape][:1]
        else:
            yield visited_slide_shape


def _levelled_paragraphs(shape: Element) -> Iterator[tuple[int, str]]:
    """Yield the level and the text of every paragraph that has text."""
    for paragraph in shape.iterfind("{*}txBody/{*}p"):
        if paragraph_text := _element_text(paragraph):
            paragraph_properties = paragraph.find("{*}pPr")
            paragraph_level_attribute = "0" if paragraph_properties is None else paragraph_properties.get("lvl", "0")
            yield int(paragraph_level_attribute) if paragraph_level_attribute in "012345678" else 0, paragraph_text


def _element_text(element: Element) -> str:
    run_texts = (
        " " if _local_name(node) == "br" else node.text or "" for node in element.iter() if _local_name(node) in ("t", "br")
    )
    return " ".join("".join(run_texts).split())


def _table_rows(table_element: Element) -> Iterator[Row]:
    """Yield the rows of a table; a cell merged over rows has its text in each of them."""
    cell_texts_above: list[str] = []
    for row_number, row in enumerate(table_element.iterfind("{*}tr"), 1):
        row_cell_texts = []
        for column_index, cell in enumerate(row.iterfind("{*}tc")):
            continues_cell_above = cell.get("vMerge") in ("1", "true") and column_index < len(cell_texts_above)
            own_cell_text = " ".join(filter(None, map(_element_text, cell.iterfind("{*}txBody/{*}p"))))
            row_cell_texts.append(
                cell_texts_above[column_index] if continues_cell_above else markdown_cell_text(own_cell_text)
            )
        cell_texts_above = row_cell_texts
        while row_cell_texts and not row_cell_texts[-1]:
            row_cell_texts = row_cell_texts[:-1]
        yield Row(row_number, row_cell_texts)


def _part_relations(archive: zipfile.ZipFile, part_path: str) -> dict[str, tuple[str, str]]:
    """Return the kind and the target of every relation of a part inside the file, by its id."""
    part_folder, part_file_name = posixpath.split(part_path)
    relations_path = posixpath.join(part_folder, "_rels", f"{part_file_name}.rels")
    if relations_path not in archive.namelist():
        return {}
    return {
        relation.attrib["Id"]: (
            posixpath.basename(relation.attrib["Type"]),
            posixpath.normpath(posixpath.join("/", part_folder, unquote(relation.attrib["Target"]))).lstrip("/"),
        )
        for relation in read_xml_root_from_archive(archive, relations_path)
        if relation.get("TargetMode") != "External"
    }


def _local_name(element: Element) -> str:
    return element.tag.rpartition("}")[2]
