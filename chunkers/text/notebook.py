"""Jupyter notebooks: the cells in order, code and text outputs as fenced code blocks."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from chunkers.support import InputError, short_repr
from chunkers.text.extracted_text import ExtractedText, Omission, PartCollector, omissions_from_counts

_TERMINAL_ESCAPE_PATTERN = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_OVERWRITTEN_OUTPUT_PATTERN = re.compile(r"[^\n]*\r(?!\n)")
_FENCE_PATTERN = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)
_FENCE_LANGUAGE_PATTERN = re.compile(r"[\w+#.-]{1,30}")
_MIME_TYPE_BY_OLD_OUTPUT_KEY = {
    **{"text": "text/plain", "html": "text/html", "latex": "text/latex", "json": "application/json"},
    **{"png": "image/png", "jpeg": "image/jpeg", "svg": "image/svg+xml", "javascript": "application/javascript"},
}
"""The names of kinds of data in nbformat 3."""


def read_notebook(data: bytes, name: str) -> ExtractedText:
    """Return the cells of a notebook; of outputs, only text is read. Nothing is run.

    Raises
    ------
    InputError
        If the notebook has another format than 3 or 4, or the text is too large.
    ValueError
        If the file is not JSON.
    """
    notebook_json = json.loads(data)
    format_version = notebook_json.get("nbformat") if isinstance(notebook_json, dict) else None
    cells_key = {3: "worksheets", 4: "cells"}.get(format_version) if isinstance(format_version, int) else None
    if cells_key is None or not isinstance(notebook_json.get(cells_key), list):
        raise InputError(
            f"{name}: a notebook must have cells and nbformat 3 or 4; this file's nbformat is "
            f"{short_repr(format_version)}. Save "
            "it again in Jupyter."
        )
    cell_records = (
        notebook_json["cells"]
        if format_version == 4
        else [_upgrade_cell(cell) for sheet in notebook_json["worksheets"] for cell in sheet["cells"]]
    )
    language = _notebook_language(notebook_json.get("metadata")) or next(
        filter(None, (_valid_fence_language(cell.get("language")) for cell in cell_records)), ""
    )
    cell_collector = PartCollector(name, "cell")
    omissions: list[Omission] = []
    for cell_number, cell in enumerate(cell_records):
        cell_source = _join_lines(cell.get("source"))
        omission_counts: Counter[str] = Counter()
        cell_pieces = [cell_source.strip("\n")]
        if cell.get("cell_type") == "code":
            joined_output = "\n".join(_output_texts(cell.get("outputs") or (), omission_counts))
            cell_pieces = [_fenced_block(cell_source, language), _fenced_block(joined_output, "output")]
        omission_counts["picture"] += len(cell.get("attachments") or ())
        cell_collector.add("\n\n".join(filter(None, cell_pieces)), str(cell_number + 1))
        omissions += omissions_from_counts(omission_counts, cell_number)
    return cell_collector.joined(omissions)


def _upgrade_cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Return a cell of nbformat 3 as one of nbformat 4."""
    cell_type = cell.get("cell_type")
    cell_source = _join_lines(cell.get("input") if cell_type == "code" else cell.get("source"))
    if cell_type == "heading":
        cell_source = f"{'#' * int(cell.get('level') or 1)} {cell_source}"
    return {**cell, "source": cell_source, "outputs": [*map(_upgrade_output, cell.get("outputs") or ())]}


def _upgrade_output(output: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a cell output from nbformat 3 to nbformat 4."""
    output_type = output.get("output_type")
    data_by_mime_type = {
        long: output[short]
        for short, long in _MIME_TYPE_BY_OLD_OUTPUT_KEY.items()
        if short in output and output_type != "stream"
    }
    return {**output, "output_type": "error" if output_type == "pyerr" else output_type, "data": data_by_mime_type}


def _notebook_language(metadata: Any) -> str:
    """Return the name of a notebook's language; empty if it names none."""
    for metadata_key, language_key in (("language_info", "name"), ("kernelspec", "language")):
        metadata_entry = metadata.get(metadata_key) if isinstance(metadata, dict) else None
        if language := _valid_fence_language(metadata_entry.get(language_key) if isinstance(metadata_entry, dict) else ""):
            return language
    return ""


def _valid_fence_language(language: Any) -> str:
    """Return a language's name if it may stand behind a fence; otherwise an empty string."""
    return language if isinstance(language, str) and _FENCE_LANGUAGE_PATTERN.fullmatch(language) else ""


def _output_texts(outputs: Any, omission_counts: Counter[str]) -> Iterator[str]:
    """Yield the texts of a cell's outputs, and count what has none."""
    for output in outputs:
        output_type = output.get("output_type")
        if output_type == "stream":
            yield _final_terminal_text(_join_lines(output.get("text")))
        elif output_type == "error":
            error_summary = f"{output.get('ename')}: {output.get('evalue')}"
            yield _final_terminal_text("\n".join(output.get("traceback") or [error_summary]))
        else:
            yield from _display_texts(output.get("data") or {}, omission_counts)


def _display_texts(data_by_mime_type: Mapping[str, Any], omission_counts: Counter[str]) -> Iterator[str]:
    has_picture = any(kind.startswith("image/") for kind in data_by_mime_type)
    omission_counts["picture"] += has_picture
    display_text = _join_lines(data_by_mime_type.get("text/plain") or data_by_mime_type.get("text/markdown"))
    # Beside a picture stands only what Python calls the object.
    if display_text.strip() and not (has_picture and display_text.startswith("<")):
        yield _final_terminal_text(display_text)
    elif not has_picture:
        omission_counts["output without text"] += 1


def _final_terminal_text(output_text: str) -> str:
    """Return the text that a terminal shows at the end: without colours, and without overwritten beginnings of lines."""
    return _OVERWRITTEN_OUTPUT_PATTERN.sub("", _TERMINAL_ESCAPE_PATTERN.sub("", output_text)).strip("\n")


def _join_lines(lines: Any) -> str:
    return "".join(lines) if isinstance(lines, list) else lines or ""


def _fenced_block(block_text: str, fence_language: str) -> str:
    """Return a code block with a fence longer than those inside; empty if there is nothing in it."""
    if not block_text.strip():
        return ""
    code_block_fence = "`" * max([3, *(len(ticks) + 1 for ticks in _FENCE_PATTERN.findall(block_text))])
    return f"{code_block_fence}{fence_language}\n{block_text.strip(chr(10))}\n{code_block_fence}"
