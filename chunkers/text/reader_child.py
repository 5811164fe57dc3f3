"""The program of the process that reads files: it answers requests from standard input on standard output.

A request is a line of JSON (``parser``, ``folder``, ``name``, ``options``, ``size``) and the file's bytes. An answer is
lines of JSON: lists with what the parser yields, and at the end an object, with the ``error`` if there is one.
"""

from __future__ import annotations

import importlib
import json
import logging
import sys
import warnings
from collections.abc import Iterator
from typing import Any, BinaryIO

from chunkers.support.errors import InputError
from chunkers.support.limits import MAX_BYTES, READ_MEMORY

DEEP = 20_000
"""Recursion limit, for HTML nested as deeply as `chunkers.support.limits.MAX_DEPTH`."""

_BATCH = 100_000
"""Characters of JSON in a line of an answer, or somewhat more."""

_PIECE = 1_000_000
"""Characters of a document's text that are answered at once."""


def serve() -> None:
    """Answer requests to parse files until standard input ends; the main loop of the reader process."""
    _prepare()
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    # What a parser prints must not mix with the answers.
    sys.stdout = sys.stderr
    for line in requests:
        request = json.loads(line)
        data = requests.read(request.pop("size"))
        goes_on = _answer(answers, data, **request)
        del data
        if not goes_on:
            return


def _prepare() -> None:
    logging.disable()
    warnings.simplefilter("ignore")
    if sys.platform == "linux":
        import resource

        # The parent process checks every few milliseconds; this stops what is faster. Elsewhere such a limit has no effect.
        resource.setrlimit(resource.RLIMIT_AS, (READ_MEMORY, READ_MEMORY))


def _answer(answers: BinaryIO, data: bytes, *, parser: list[str], folder: str, name: str, options: dict[str, Any]) -> bool:
    last: dict[str, Any] = {}
    try:
        if folder and folder not in sys.path:
            sys.path.append(folder)
        parse = getattr(importlib.import_module(parser[0]), parser[1])
        _send(answers, parse(data, name, **options))
    except InputError as error:
        last = {"error": str(error)}
    except MemoryError:
        last = {"memory": True}
    answers.write(json.dumps(last).encode() + b"\n")
    answers.flush()
    return "memory" not in last


def _send(answers: BinaryIO, items: Iterator[Any]) -> None:
    batch: list[str] = []
    size = 0
    # A lone surrogate is reported when the text is split.
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    for item in items:
        batch.append(encode(item))
        size += len(batch[-1])
        if size >= _BATCH:
            answers.write(f"[{','.join(batch)}]\n".encode("utf-8", "surrogatepass"))
            batch, size = [], 0
    answers.write(f"[{','.join(batch)}]\n".encode("utf-8", "surrogatepass"))


def read_document(data: bytes, name: str, kind: str | None, encoding: str | None) -> Iterator[Any]:
    """Read a document and yield its details, then its text in pieces; see `chunkers.text.formats.extract`.

    The details are ``left_out``; ``encoding``, ``guessed`` and ``others`` if there is an encoding; ``parts`` if there
    are pages or chapters.
    """
    from chunkers.text.encodings import decode_by_evidence
    from chunkers.text.extracted import Extracted, too_large
    from chunkers.text.formats import extract

    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(DEEP)
    try:
        if kind is None:
            encoded = decode_by_evidence(data, name, chosen=encoding)
            extracted = Extracted(encoded.text, encoded=encoded)
        else:
            extracted = extract(data, name, kind, encoding)
    finally:
        sys.setrecursionlimit(usual)
    if len(extracted.text) > MAX_BYTES:
        raise too_large(name, len(extracted.text), what="the text")
    known: dict[str, Any] = {"left_out": extracted.left_out}
    if extracted.encoded is not None:
        known |= {
            "encoding": extracted.encoded.encoding,
            "guessed": extracted.encoded.guessed,
            "others": extracted.encoded.others,
        }
    if extracted.parts is not None:
        known["parts"] = [extracted.parts.kind, extracted.parts.starts, extracted.parts.labels]
    yield known
    for start in range(0, len(extracted.text), _PIECE):
        yield extracted.text[start : start + _PIECE]
