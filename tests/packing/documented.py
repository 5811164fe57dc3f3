"""Every command and snippet of the documents; `python -m tests.packing.documented` lists them with what runs each."""

import re
import shlex
import sys
from dataclasses import dataclass

import yaml

from tests import ROOT

PAGES = ("README.md", "SECURITY.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))))

NOT_RUN = {
    "pip install": "needs a network; environments.py installs the wheel with the same packages",
    "python3 -m venv": "`make run` does the same where .venv is missing",
    ".venv/bin/python -m pip install": "needs a network; tests/test_make.py compares it with the Makefile",
    ".venv/bin/python -m streamlit run serve.py": "tests/test_make.py, `make run`; tests/fixtures/app_server.py",
    ".venv/bin/python -m twine": "needs a network; a step of a release",
    ".venv/bin/python -m playwright install": "needs a network; tests/test_make.py compares it with the Makefile",
    ".venv/bin/python -m ruff": "`make lint`, before the tests",
    ".venv/bin/python -m mypy": "`make types`, before the tests",
    ".venv/bin/python -m pytest": "runs all tests, this one too",
    ".venv/bin/python -m tests": "tools of the tests, in a checkout",
    ".venv/bin/python -m seamark": "the command line of a checkout; tests/test_command_lines.py",
    "python -m benchmarks": "measures; tests/benchmarks",
    "python -m tests": "tools of the tests, in a checkout",
    "python -m packing": "writes a file of the checkout; tests/packing",
    "python -m viz": "writes a file of the checkout; the module's own tests",
    "make": "tests/test_make.py",
    "seamark": "opens the app; tests/browser/test_installed.py",
    "seamark COMMAND": "stands for all commands",
    "seamark corpus INPUT... --chunker RECIPE --output DIR --engine ray": "needs a cluster; tests/corpus/test_on_ray.py",
    "from seamark.corpus import Chunks\nfrom datasets": "needs datasets; tests/corpus/test_page.py, where installed",
    "from seamark.integrations.langchain import …": "stands for any name",
    "from seamark import …": "stands for any name",
}
"""Commands and snippets, by how they begin, that test_documented.py does not run: who does, or why nobody can."""

DEAR = {
    "seamark sweep --chunker change_point --grid": "7 bundled documents",
    "seamark sweep --marked LONG": "the whole published grid",
    "seamark sweep --sample stubs article": "the whole published grid, or as much",
    "seamark agreement": "a model in another precision",
    "seamark check docs --chunker seamark.recipe.json --questions": "measures retrieval",
    "import ray": "starts a cluster on this machine",
}
"""Documented snippets that only `make full` runs, by their beginnings."""


@dataclass(frozen=True)
class Example:
    """A command, a snippet of Python, or a step of a workflow, as a document has it."""

    page: str
    line: int
    kind: str
    code: str

    def __str__(self):
        return f"{self.page}:{self.line}: {' '.join(self.code.split())[:90]}"

    @property
    def runner(self):
        """The test that runs the snippet, or the reason why none does."""
        reason = _by_beginning(NOT_RUN, self.code, "seamark")
        where = " (make full)" if self.is_dear else ""
        return reason or f"test_documented.py{where}"

    @property
    def is_run(self):
        return not _by_beginning(NOT_RUN, self.code, "seamark")

    @property
    def is_dear(self):
        return bool(_by_beginning(DEAR, self.code))


def _by_beginning(table, code, *whole):
    """Return the entry of the longest key that the code begins with; a key in ``whole`` must be all of it."""
    keys = [key for key in table if (code == key if key in whole else f"{code} ".startswith((key, f"{key} ")))]
    return table[max(keys, key=len)] if keys else ""


def commands(script):
    """Yield the commands of a shell script, each on one line, without comments."""
    for line in re.sub(r"\\\n\s*", "", script).splitlines():
        for command in line.split(" && "):
            words = shlex.split(command, comments=True)
            if words:
                yield shlex.join(words) if words[0] == "seamark" else " ".join(words)


def examples(page):
    """Return every command and snippet of a document, those inside its sentences included."""
    text = (ROOT / page).read_text(encoding="utf-8")
    snippets = []
    for match in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        kind, code = match[1], match[2]
        line = text[: match.start()].count("\n") + 2
        if kind == "sh":
            snippets += [Example(page, line, kind, command) for command in commands(code)]
        elif kind == "yaml":
            snippets += [Example(page, line, kind, command) for command in steps(yaml.safe_load(code))]
        elif kind == "python":
            snippets.append(Example(page, line, kind, code))
    without_blocks = re.sub(r"^```.*?^```$", lambda match: "\n" * match[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    for match in re.finditer(
        r"`((?:seamark|make|pip|python|\.venv/bin/python|from seamark\S*)(?: [^`]+)?)`", without_blocks
    ):
        line = without_blocks[: match.start()].count("\n") + 1
        snippets.append(Example(page, line, "inline", " ".join(match[1].split())))
    return snippets


def steps(workflow):
    """Yield the commands that a workflow of GitHub, or the configuration of pre-commit, runs."""
    for job in workflow.get("jobs", {}).values():
        for step in job["steps"]:
            yield from commands(step.get("run", ""))
    hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    for repository in workflow.get("repos", []):
        for hook in repository["hooks"]:
            there = hooks[hook["id"]]
            yield shlex.join([*there["entry"].split(), *hook.get("args", there["args"]), "docs/wages.md"])


if __name__ == "__main__":
    for page in PAGES:
        for example in examples(page):
            sys.stdout.write(f"{example}\n    {example.runner}\n")
