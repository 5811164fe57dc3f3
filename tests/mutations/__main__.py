"""Mutation check: change covered lines one at a time and count how many changes the tests notice.

`python -m tests.mutations --contexts .coverage` expects coverage data with one context per test, as this records them:

    pytest --ignore tests/browser --numprocesses 2 --cov chunkers --cov evaluation --cov-context test

It writes the outcome of every mutant to a file, which `--again` takes to try the same places of another state of the code.
"""

import argparse
import ast
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue

from coverage import CoverageData

from tests import ROOT

FOLDERS = ("chunkers", "evaluation")
LIMIT_S = 120
"""Seconds of processor time for the tests of one mutant."""

SWAPS = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult},
}
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}


@dataclass(frozen=True)
class Place:
    """An expression to change: the nth on the nth line of a file that reads so."""

    path: str
    line: str
    occurrence: int
    expression: int


class MutantResult(dict):
    """A place, its mutant as text, and its fate: killed, survived, out of time, or gone."""


def mutated(node):
    """Return the source of the changed expression, or None if there is no change for it."""
    match node:
        case ast.Compare(left=left, ops=[operator, *others], comparators=comparators) if type(operator) in SWAPS:
            changed = ast.Compare(left, [SWAPS[type(operator)](), *others], comparators)
        case ast.BoolOp(op=operator, values=values):
            changed = ast.BoolOp(SWAPS[type(operator)](), values)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in SWAPS:
            changed = ast.BinOp(left, SWAPS[type(operator)](), right)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            changed = operand
        case ast.Constant(value=bool() as value):
            changed = ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            changed = ast.Constant(value + 1)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords) if name in CALLS:
            changed = ast.Call(ast.Name(CALLS[name]), arguments, keywords if name != "sorted" else [])
        case _:
            return None
    return f"({ast.unparse(changed)})"


def expressions(tree):
    """Return the expressions that can be changed, by line; annotations and defaults of declarations are left alone."""
    left_out = set()
    for node in ast.walk(tree):
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            left_out |= {id(part) for part in ast.walk(annotation)} if annotation else set()
        # The parts of an f-string have no place of their own that could be replaced.
        left_out |= {id(part) for part in ast.walk(node)} if isinstance(node, ast.JoinedStr) else set()
    by_line = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and id(node) not in left_out and node.lineno == node.end_lineno and mutated(node):
            by_line.setdefault(node.lineno, []).append(node)
    return by_line


def read(root, path):
    """Return the source of a file and its expressions by line."""
    source = (root / path).read_text()
    return source, expressions(ast.parse(source))


def covering(contexts):
    """Return the tests that run each line of each file, the most specific test first."""
    data = CoverageData(contexts)
    data.read()
    lines_by_test, tests_by_line = Counter(), {}
    for file in sorted(data.measured_files()):
        path = next(f"{folder}{rest}" for folder in FOLDERS if (rest := file.rpartition(f"/{folder}")[2]) != file)
        for line, names in data.contexts_by_lineno(file).items():
            tests = {name.removesuffix("|run") for name in names if name.endswith("|run")}
            tests_by_line[path, line] = tests
            lines_by_test.update(tests)
    return {
        place: sorted(tests, key=lambda test: (lines_by_test[test], test)) for place, tests in tests_by_line.items() if tests
    }


def draw(root, tests, count, seed):
    """Return so many places on covered lines, drawn by a seed."""
    places = []
    for path in sorted({path for path, _ in tests}):
        source, by_line = read(root, path)
        lines = source.splitlines()
        for number in sorted(line for line in by_line if (path, line) in tests):
            text = lines[number - 1].strip()
            occurrence = [line.strip() for line in lines[:number]].count(text)
            places += [Place(path, text, occurrence, place) for place in range(len(by_line[number]))]
    return random.Random(seed).sample(places, count)


def found(root, place):
    """Return the line number of a place, and the file's source with the place changed; None if it is gone."""
    if not (root / place.path).exists():
        return None
    source, by_line = read(root, place.path)
    lines = source.splitlines(keepends=True)
    numbers = [number for number, line in enumerate(lines, 1) if line.strip() == place.line]
    if len(numbers) < place.occurrence:
        return None
    number = numbers[place.occurrence - 1]
    node = by_line[number][place.expression]
    line = lines[number - 1].encode()
    changed = line[: node.col_offset] + mutated(node).encode() + line[node.end_col_offset :]
    lines[number - 1] = changed.decode()
    return number, "".join(lines), changed.decode().strip()


def limit_time():
    """Let a process end when it has used its processor time."""
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))


def fate(folder, place, tests):
    """Run the tests that cover a place on a copy of the project in which it is changed."""
    where = found(folder, place)
    if where is None:
        return MutantResult(asdict(place), fate="gone")
    number, source, changed = where
    chosen = tests.get((place.path, number), [])
    file = folder / place.path
    original = file.read_text()
    file.write_text(source)
    (folder / "chosen.txt").write_text("\n".join(chosen))
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "@chosen.txt"]
    try:
        ran = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, preexec_fn=limit_time, timeout=5 * LIMIT_S, check=False
        )
        status = {0: "survived", 1: "killed", 2: "killed", 4: "killed"}.get(ran.returncode, "out of time")
    except subprocess.TimeoutExpired:
        status = "out of time"
    finally:
        file.write_text(original)
    return MutantResult(asdict(place), mutant=changed, tests=len(chosen), fate=status if chosen else "not covered")


def main(arguments=None):
    """Try the mutants and print how many of them the tests noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__.splitlines()[0])
    parser.add_argument("--contexts", required=True, help="coverage data with a context per test")
    parser.add_argument("--count", type=int, default=60, help="mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw (default: %(default)s)")
    parser.add_argument("--again", type=Path, help="outcomes of an earlier run, whose places are tried")
    parser.add_argument("--processes", type=int, default=2, help="mutants at once (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=Path("mutations.json"), help="file for the outcomes")
    options = parser.parse_args(arguments)
    tests = covering(options.contexts)
    if options.again:
        keys = Place.__dataclass_fields__
        places = [Place(**{key: row[key] for key in keys}) for row in json.loads(options.again.read_text())]
    else:
        places = draw(ROOT, tests, options.count, options.seed)
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.processes) as pool:
        copies = SimpleQueue()
        for number in range(options.processes):
            copy = Path(folder, str(number))
            for name in filter(None, tracked.split("\0")):
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name)
            for name in (".venv", "node_modules"):
                (copy / name).symlink_to(ROOT / name)
            copies.put(copy)

        def tried(place):
            copy = copies.get()
            try:
                outcome = fate(copy, place, tests)
            finally:
                copies.put(copy)
            print(outcome["fate"], place.path, outcome.get("mutant", place.line), flush=True)
            return outcome

        outcomes = list(pool.map(tried, places))
    options.output.write_text(json.dumps(outcomes, indent=1))
    for status, count in Counter(outcome["fate"] for outcome in outcomes).most_common():
        print(f"{status}: {count}")


if __name__ == "__main__":
    main()
