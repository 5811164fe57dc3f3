"""The project's own code as syntax trees: several tests read all of it, and parsing it takes seconds."""

import ast
from functools import cache


@cache
def parsed(path):
    """Return the syntax tree of a file of Python; each process parses it once, so nobody changes it."""
    return ast.parse(path.read_text(encoding="utf-8"))
