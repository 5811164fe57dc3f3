"""Sphinx configuration: README and docs as a site, with the public names of `seamark` from their docstrings."""

import shutil
import sys
import tomllib
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

project = "Seamark"
project_copyright = "the authors of Seamark"
release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "docs/site/*.rst", "benchmarks/README.md"]
exclude_patterns = [".*", "node_modules", "out", "dist"]
html_theme = "furo"
html_title = "Seamark"
html_show_sphinx = False

nitpicky = True
# Signatures name types of other packages and of the library's inside, which have no page here.
nitpick_ignore_regex = [("py:(class|exc)", r"(?!seamark\.).*")]
default_role = "code"
myst_heading_anchors = 4
napoleon_use_ivar = True
autodoc_member_order = "bysource"
maximum_signature_line_length = 100
add_module_names = False

PARTS = {
    "Use": {
        "What the pages show": "docs/pages",
        "Which chunkers there are": "docs/chunkers",
        "Which embedders there are": "docs/embedders",
        "What the words mean": "docs/glossary",
        "A lecture of ten minutes": "docs/lecture",
    },
    "Measure": {
        "Which chunker is better": "docs/measuring",
        "Checks in CI": "docs/checking",
        "How fast it is": "benchmarks/README",
    },
    "Program": {
        "Command line and Python": "docs/library",
        "Python API": "docs/site/api",
        "Cut a corpus": "docs/corpora",
        "Add your chunker": "docs/your-chunker",
    },
    "Trust": {
        "Where your text goes": "SECURITY",
        "Limits": "docs/limits",
        "What has changed": "CHANGELOG",
    },
    "Contribute": {
        "Your first change": "CONTRIBUTING",
        "How the code is laid out": "docs/architecture",
        "How the tests work": "docs/testing",
        "Releasing": "docs/releasing",
    },
}
"""The parts of the menu, each with its entries and their documents."""


def add_menu(_app: Sphinx, document: str, content: list[str]) -> None:
    """Append the menu to the README, which has none where it is read as a file."""
    if document == root_doc:
        for title, entries in PARTS.items():
            lines = "\n".join(f"{entry} <{path}>" for entry, path in entries.items())
            content[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{lines}\n```\n"


def copy_front_page(app: Sphinx, error: Exception | None) -> None:
    """Copy the README's page to `index.html`, which servers and browsers open first."""
    if error is None:
        shutil.copyfile(app.outdir / "README.html", app.outdir / "index.html")


def setup(app: Sphinx) -> None:
    """Connect the functions above."""
    app.connect("source-read", add_menu)
    app.connect("build-finished", copy_front_page)
