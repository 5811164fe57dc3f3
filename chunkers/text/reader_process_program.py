"""The program of the process that reads files: it answers requests from standard input on standard output.

A request is a line of JSON (``parser``, ``folder``, ``name``, ``options``, ``size``) and the file's bytes. An answer is
lines of JSON: lists with what the parser yields, and at the end an object, with the ``error`` if there is one.
"""

import importlib
import json
import logging
import sys
import warnings
from collections.abc import Iterator
from typing import Any, BinaryIO

from chunkers.support import MOST_READER_MEMORY_BYTES, InputError

_BATCH_CHARACTERS = 100_000
"""Characters of JSON in a line of an answer, or somewhat more."""


def answer_parsing_requests() -> None:
    """Answer requests to parse files until standard input ends; the main loop of the reader process."""
    _silence_process_and_limit_memory()
    request_stream, answer_stream = sys.stdin.buffer, sys.stdout.buffer
    # What a parser prints must not mix with the answers.
    sys.stdout = sys.stderr
    for request_line in request_stream:
        parsing_request = json.loads(request_line)
        file_bytes = request_stream.read(parsing_request.pop("size"))
        can_continue = _answer_parsing_request(answer_stream, file_bytes, **parsing_request)
        del file_bytes
        if not can_continue:
            return


def _silence_process_and_limit_memory() -> None:
    logging.disable()
    warnings.simplefilter("ignore")
    if sys.platform == "linux":
        import resource

        # The parent process checks every few milliseconds; this stops what is faster. Elsewhere such a limit has no effect.
        resource.setrlimit(resource.RLIMIT_AS, (MOST_READER_MEMORY_BYTES, MOST_READER_MEMORY_BYTES))


def _answer_parsing_request(
    answer_stream: BinaryIO, file_bytes: bytes, *, parser: list[str], folder: str, name: str, options: dict[str, Any]
) -> bool:
    final_answer: dict[str, Any] = {}
    try:
        if folder and folder not in sys.path:
            sys.path.append(folder)
        parser_function = getattr(importlib.import_module(parser[0]), parser[1])
        _send_in_batches(answer_stream, parser_function(file_bytes, name, **options))
    except InputError as error:
        final_answer = {"error": str(error)}
    except MemoryError:
        final_answer = {"memory": True}
    answer_stream.write(json.dumps(final_answer).encode() + b"\n")
    answer_stream.flush()
    return "memory" not in final_answer


def _send_in_batches(answer_stream: BinaryIO, items: Iterator[Any]) -> None:
    batch: list[str] = []
    batch_character_count = 0
    # A lone surrogate is reported when the text is split.
    encode_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    for item in items:
        batch.append(encode_json(item))
        batch_character_count += len(batch[-1])
        if batch_character_count >= _BATCH_CHARACTERS:
            answer_stream.write(f"[{','.join(batch)}]\n".encode("utf-8", "surrogatepass"))
            batch, batch_character_count = [], 0
    answer_stream.write(f"[{','.join(batch)}]\n".encode("utf-8", "surrogatepass"))
