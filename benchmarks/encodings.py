"""Count how many texts in 24 languages each detector reads correctly, that is, decodes to the very text encoded."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.encoding_texts import encoded_texts
from benchmarks.measure import table, timed
from chunkers import InputError
from chunkers.text.encodings import decode_by_evidence

REQUIRED = 115
"""How many of 120 texts must be read correctly."""


def _ours(data: bytes) -> str | None:
    try:
        return decode_by_evidence(data, "text").text
    except InputError:
        return None


def _charset_normalizer(module: Any) -> Callable[[bytes], str | None]:
    def read(data: bytes) -> str | None:
        best = module.from_bytes(data).best()
        return None if best is None else str(best)

    return read


def _named(detect: Callable[[bytes], Any]) -> Callable[[bytes], str | None]:
    def read(data: bytes) -> str | None:
        try:
            return data.decode(detect(data))
        except (LookupError, TypeError, ValueError):
            return None

    return read


def _chardetng(module: Any) -> Callable[[bytes], str | None]:
    def detect(data: bytes) -> Any:
        detector = module.EncodingDetector()
        detector.feed(data, last=True)
        return detector.guess(tld=None, allow_utf8=True)

    return _named(detect)


def _icu(module: Any) -> Callable[[bytes], str | None]:
    def detect(data: bytes) -> Any:
        detector = module.CharsetDetector()
        detector.setText(data)
        return detector.detect().getName().removesuffix("-I")

    return _named(detect)


OTHERS: dict[str, tuple[str, Callable[[Any], Callable[[bytes], str | None]]]] = {
    "charset-normalizer": ("charset_normalizer", _charset_normalizer),
    "chardet": ("chardet", lambda module: _named(lambda data: module.detect(data)["encoding"])),
    "chardetng": ("chardetng_py", _chardetng),
    "uchardet (faust-cchardet)": ("cchardet", lambda module: _named(lambda data: module.detect(data)["encoding"])),
    "ICU (pyicu)": ("icu", _icu),
}
"""The detectors to compare with, so far as they are installed: the module, and the function that makes a reader of it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print how many texts every detector reads correctly; the exit status is 1 where ours has fewer than `REQUIRED`."""
    argparse.ArgumentParser(prog="python -m benchmarks.encodings", description=__doc__).parse_args(arguments)
    readers: dict[str, Callable[[bytes], str | None]] = {"ours": _ours}
    for name, (module, make) in OTHERS.items():
        try:
            readers[name] = make(importlib.import_module(module))
        except ImportError:
            print(f"{name} is not installed and left out.", file=sys.stderr)
    cases = encoded_texts()
    rows, rights = [], {}
    for name, read in readers.items():
        seconds, texts = timed(lambda: [read(data) for *_, data in cases])  # noqa: B023 - called at once
        wrong = [case for case, text in zip(cases, texts, strict=True) if text != case[2]]
        rights[name] = len(cases) - len(wrong)
        which = ", ".join(dict.fromkeys(language for language, *_ in wrong))
        rows.append([name, f"{rights[name]}", f"{1000 * seconds / len(cases):.1f}", which])
    print(table(["detector", f"right, of {len(cases)}", "ms a text", "wrong"], rows))
    return int(rights["ours"] < REQUIRED)


if __name__ == "__main__":
    sys.exit(main())
