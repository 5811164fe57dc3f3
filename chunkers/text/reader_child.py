"""The program of the process that reads files: it answers requests from standard input on standard output.

A request is a line of JSON (``name``, ``kind``, ``encoding``, ``size``) and the file's bytes; an answer a line of JSON, with
the text's ``size``, and the text in UTF-8.
"""

from __future__ import annotations

import json
import logging
import sys
import warnings
from typing import Any, BinaryIO

from chunkers.errors import InputError
from chunkers.limits import MAX_BYTES, READ_MEMORY
from chunkers.text.encodings import decode_by_evidence
from chunkers.text.extracted import Extracted, too_large
from chunkers.text.formats import extract

DEEP = 20_000
"""Recursion limit, for HTML nested as deeply as `chunkers.limits.MAX_DEPTH`."""


def serve() -> None:
    """Answer requests until standard input ends."""
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
    sys.setrecursionlimit(DEEP)
    if sys.platform == "linux":
        import resource

        # The parent process checks every few milliseconds; this stops what is faster. Elsewhere such a limit has no effect.
        resource.setrlimit(resource.RLIMIT_AS, (READ_MEMORY, READ_MEMORY))


def _answer(answers: BinaryIO, data: bytes, *, name: str, kind: str | None, encoding: str | None) -> bool:
    text = b""
    goes_on = True
    answer: dict[str, Any]
    try:
        answer, text = _read(data, name, kind, encoding)
    except InputError as error:
        answer = {"error": str(error)}
    except MemoryError:
        answer, goes_on = {"memory": True}, False
    answers.write(json.dumps({**answer, "size": len(text)}).encode() + b"\n")
    answers.write(text)
    answers.flush()
    return goes_on


def _read(data: bytes, name: str, kind: str | None, encoding: str | None) -> tuple[dict[str, Any], bytes]:
    if kind is None:
        encoded = decode_by_evidence(data, name, chosen=encoding)
        found = Extracted(encoded.text, encoded=encoded)
    else:
        found = extract(data, name, kind, encoding)
    if len(found.text) > MAX_BYTES:
        raise too_large(f"the text of {name}", len(found.text))
    answer: dict[str, Any] = {"left_out": found.left_out}
    if found.encoded is not None:
        answer |= {"encoding": found.encoded.encoding, "guessed": found.encoded.guessed, "others": found.encoded.others}
    if found.parts is not None:
        answer["parts"] = [found.parts.kind, found.parts.starts, found.parts.labels]
    # A lone surrogate is reported when the text is split.
    return answer, found.text.encode("utf-8", "surrogatepass")
