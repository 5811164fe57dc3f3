"""A seeded draw of texts to judge by eye: public docstrings, messages to users, and labels.

``python -m tests.prose --seed 1`` prints thirty of each.
"""

import argparse
import ast
import random
import sys

from tests import ROOT
from tests.sources import parsed

ROOMS = ("chunkers", "corpus", "evaluation", "integrations", "seamark", "viz")
MESSAGES = {"notice", "error", "warning", "info", "toast", "caption"}
LABELS = {
    *("button", "checkbox", "download_button", "expander", "file_uploader", "form_submit_button", "header", "metric"),
    *("multiselect", "number_input", "popover", "radio", "segmented_control", "selectbox", "slider", "text_area"),
    *("text_input", "title", "toggle"),
}


def written(node):
    """Return a string literal with its values as written in the source; nothing for another expression."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ast.unparse(node)[2:-1] if isinstance(node, ast.JoinedStr) else ""


def texts():
    """Return all docstrings, messages and labels of the library and the pages, each with its place."""
    by_kind = {"docstrings": [], "messages": [], "labels": []}
    for path in sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        for node in ast.walk(parsed(path)):
            kind = text = ""
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if not name.startswith("_"):
                    first = (ast.get_docstring(node) or "").partition("\n")[0]
                    kind, text = "docstrings", first and f"{name}: {first}"
                case ast.Raise(exc=ast.Call(args=[message, *_])):
                    kind, text = "messages", written(message)
                case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[first, *_]) if name in MESSAGES:
                    kind, text = "messages", written(first)
                case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in LABELS:
                    kind, text = "labels", written(first)
                case ast.keyword(arg="title", value=value):
                    kind, text = "labels", written(value)
            # Words that are joined elsewhere are no message.
            if text and (kind != "messages" or " " in text):
                by_kind[kind].append((place, node.lineno if hasattr(node, "lineno") else node.value.lineno, text))
    return by_kind


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--count", type=int, default=30)
    options = arguments.parse_args()
    draw = random.Random(options.seed)
    for kind, candidates in texts().items():
        sys.stdout.write(f"\n{kind}: {options.count} of {len(candidates):,}\n")
        for place, line, text in draw.sample(candidates, options.count):
            sys.stdout.write(f"- {text}  [{place}:{line}]\n")
