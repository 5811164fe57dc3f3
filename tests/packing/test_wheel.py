"""The contents of an installation: one name, exactly the needed files, and no import of a missing name."""

import ast
import hashlib
import pkgutil
import re
import tarfile
import tomllib
import zipfile
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from chunkers import __version__
from chunkers.support import optional_packages
from chunkers.text.bundled_model import FILE_HASHES, MODEL_PACKAGE_NAME, WEIGHTS_HASH
from packing.seamark_backend import (
    APP_FILES,
    APP_FOLDER,
    INSTALLED_PACKAGE_NAME,
    LEFT_OUT_FILE_PATTERNS,
    MODEL_FOLDER_IN_PACKAGE,
    MODEL_PACKAGE_NAME_AND_VERSION,
    MOVED_PACKAGES,
    RelocationError,
    relocate_imports,
)
from tests import ROOT
from tests.fixtures.environments import brought_along, requirements
from tests.test_rooms import PACKAGES

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
MODULES = sorted(path for room in (*MOVED_PACKAGES, "pages", INSTALLED_PACKAGE_NAME) for path in (ROOT / room).rglob("*.py"))
WRITERS = (
    "viz/theme/glossary.py",
    *("viz/retrieval/bundled_run.py", "viz/tune/bundled_sweep.py"),
)
"""Scripts that write files of the checkout, pages of `docs/` and measured runs; their output quotes the command."""

BARE = re.compile(rf"(?:{'|'.join(MOVED_PACKAGES)})(?:\.\w+)+")


def is_there(name):
    """Return whether a name resolves in the checkout; ``corpus.jsonl``, for instance, is a file that others write."""
    try:
        return bool(pkgutil.resolve_name(name))
    except (ImportError, AttributeError):
        return False


def files():
    """Return the files of the checkout that are installed, by their names in the wheel."""
    paths = {}
    for top in (*MOVED_PACKAGES, *APP_FILES, INSTALLED_PACKAGE_NAME):
        inside = (
            ""
            if top == INSTALLED_PACKAGE_NAME
            else f"{INSTALLED_PACKAGE_NAME}/{APP_FOLDER}/"
            if top in APP_FILES
            else f"{INSTALLED_PACKAGE_NAME}/"
        )
        for path in [ROOT / top, *(ROOT / top).rglob("*")]:
            if path.is_file() and "__pycache__" not in path.parts and not any(map(path.match, LEFT_OUT_FILE_PATTERNS)):
                paths[inside + path.relative_to(ROOT).as_posix()] = path
    return paths


@pytest.fixture(scope="module")
def wheel(built):
    with zipfile.ZipFile(built[1]) as opened:
        yield opened


@pytest.fixture(scope="module")
def sources(wheel):
    return {name: wheel.read(name).decode() for name in wheel.namelist() if name.endswith(".py")}


def test_every_room_is_moved():
    assert {*MOVED_PACKAGES, "pages", INSTALLED_PACKAGE_NAME} == {*PACKAGES}


@pytest.mark.full
def test_it_has_one_name(wheel):
    assert {name.split("/")[0] for name in wheel.namelist()} == {
        INSTALLED_PACKAGE_NAME,
        f"{INSTALLED_PACKAGE_NAME}-{__version__}.dist-info",
    }


@pytest.mark.full
def test_it_has_every_file_and_no_other(wheel):
    model = f"{INSTALLED_PACKAGE_NAME}/{MODEL_FOLDER_IN_PACKAGE}/"
    there = {
        name for name in wheel.namelist() if name.startswith(f"{INSTALLED_PACKAGE_NAME}/") and not name.startswith(model)
    }
    wanted = files()
    assert there == {*wanted}
    data = {name for name in there if not name.endswith(".py")}
    assert data
    assert {name for name in data if wheel.read(name) != wanted[name].read_bytes()} == set()
    assert f"{INSTALLED_PACKAGE_NAME}-{__version__}.dist-info/licenses/LICENSE" in wheel.namelist()


@pytest.mark.full
def test_it_has_the_bundled_model_with_its_licence(wheel):
    folder = f"{INSTALLED_PACKAGE_NAME}/{MODEL_FOLDER_IN_PACKAGE}/"
    hashes = {name: hashlib.sha256(wheel.read(folder + name)).hexdigest() for name in [*FILE_HASHES, "model.safetensors"]}
    assert hashes == {**FILE_HASHES, "model.safetensors": WEIGHTS_HASH}
    assert wheel.read(f"{folder}LICENSE").decode().lstrip().startswith("Apache License")
    assert (MODEL_PACKAGE_NAME, requirements("requirements.txt")[MODEL_PACKAGE_NAME]) == MODEL_PACKAGE_NAME_AND_VERSION


@pytest.mark.full
def test_the_source_distribution_has_no_tests(built):
    with tarfile.open(built[0]) as opened:
        tops = {name.split("/")[1] for name in opened.getnames() if "/" in name}
    about = {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "MANIFEST.in",
        "PKG-INFO",
        "setup.cfg",
        f"{INSTALLED_PACKAGE_NAME}.egg-info",
    }
    assert tops <= {*MOVED_PACKAGES, INSTALLED_PACKAGE_NAME, "packing", *(path.split("/")[0] for path in APP_FILES), *about}


@pytest.mark.full
def test_no_import_names_what_is_not_there(sources):
    left = []
    for name, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            named += [node.module] if isinstance(node, ast.ImportFrom) else []
            left += [
                f"{name}: {module}"
                for module in named
                if module.split(".")[0] in {*MOVED_PACKAGES, "pages", "packing", "tests", "benchmarks"}
            ]
    assert not left
    assert any(f"from {INSTALLED_PACKAGE_NAME}.chunkers" in source for source in sources.values())


@pytest.mark.full
def test_no_text_names_a_module_that_is_not_there(sources):
    """A name in a string, with which a module could be imported, and what a reader is told to type."""
    left = []
    for name, source in sources.items():
        if name.endswith(WRITERS):
            continue
        left += [f"{name}: {command}" for command in re.findall(rf"-m (?:{'|'.join(MOVED_PACKAGES)})\b.*", source)]
        left += [
            f"{name}: {statement}"
            for statement in re.findall(rf">>> (?:from|import) (?:{'|'.join(MOVED_PACKAGES)})\b.*", source)
        ]
        strings = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
        left += [
            f"{name}: {string!r}"
            for string in strings
            if isinstance(string, str) and BARE.fullmatch(string) and is_there(string)
        ]
    assert not left


@pytest.mark.slow
def test_nothing_but_imports_changes():
    rooms = "|".join(MOVED_PACKAGES)
    for path in MODULES:
        source = path.read_bytes().decode()
        for line, moved in zip(source.splitlines(), relocate_imports(source, path.name).splitlines(), strict=True):
            # The code that is written for a pipeline has the new names already.
            undone = re.sub(rf"\bfrom {INSTALLED_PACKAGE_NAME}\.(?=(?:{rooms})\b)", "from ", moved)
            undone = re.sub(rf"\bfrom {INSTALLED_PACKAGE_NAME} import (?=(?:{rooms})\b)", "import ", undone)
            assert line in (moved, undone), path


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("from chunkers import a", "from seamark.chunkers import a"),
        ("from chunkers.b import (\n    c,\n)\n", "from seamark.chunkers.b import (\n    c,\n)\n"),
        ("import chunkers", "from seamark import chunkers"),
        ("import viz as v", "from seamark import viz as v"),
        ("é = 1; from viz import d; from viz.e import f", "é = 1; from seamark.viz import d; from seamark.viz.e import f"),
        ("def f():\r\n    from viz.x import y\r\n", "def f():\r\n    from seamark.viz.x import y\r\n"),
        ("from vizier import a\nimport chunkers_two\n", "from vizier import a\nimport chunkers_two\n"),
        ("from . import chunkers\n'from chunkers import a'\n", "from . import chunkers\n'from chunkers import a'\n"),
    ],
)
def test_an_import_is_moved(source, wanted):
    assert relocate_imports(source, "module.py") == wanted


@pytest.mark.parametrize("source", ["import chunkers.results", "import viz, os", "import os, viz", "from  viz import a"])
def test_an_import_that_cannot_be_moved_is_named(source):
    with pytest.raises(RelocationError, match=r"^module\.py, line 2: a room must be imported as “from "):
        relocate_imports(f"import os\n{source}", "module.py")


def test_the_metadata_name_the_packages_that_the_tests_run_with():
    """pyproject.toml assigns packages to extras; none may be missing, and every range must have the pinned version."""
    pinned = requirements("requirements.txt")
    own = [Requirement(line) for line in PROJECT["project"]["dependencies"]]
    asked = {
        extra: [need for need in map(Requirement, lines) if need.name != INSTALLED_PACKAGE_NAME]
        for extra, lines in EXTRAS.items()
    }
    more = [need for extra, lines in asked.items() if extra not in ("adapters", "ray") for need in lines]
    named = {canonicalize_name(need.name) for need in own + more}
    # The wheel has the model's files; recursive and fixed_tokens are compared with LangChain's.
    assert named == {*pinned} - {MODEL_PACKAGE_NAME, "langchain-text-splitters"}, "both name the same packages"
    others = [need for extra in ("adapters", "ray") for need in asked[extra]]
    pinned |= requirements("requirements-dev.txt") | requirements("requirements-full.txt")
    outside = [str(need) for need in own + more + others if pinned[canonicalize_name(need.name)] not in need.specifier]
    assert not outside, "every range has the version that the tests run with"


@pytest.mark.full
def test_the_library_brings_few_packages(built, tmp_path):
    """Without the extras; the limit is what the default road needs today, with what tokenizers brings."""
    with zipfile.ZipFile(built[1]) as opened:
        opened.extractall(tmp_path, [name for name in opened.namelist() if ".dist-info/" in name])
    brought = brought_along(metadata.Distribution.at(next(tmp_path.glob("*.dist-info"))))
    names = {canonicalize_name(package.name) for package in brought}
    assert len(names) <= 25, sorted(names)
    assert names.isdisjoint(
        {"torch", "transformers", "sentence-transformers", "spacy", "numba", "scikit-learn", "scipy", "langchain-core"}
    )


def test_what_an_extra_is_asked_for_is_what_it_brings():
    """A module of a package has the package's name, but for these."""
    names = {"bs4": "beautifulsoup4", "chardetng_py": "chardetng-py", "sklearn": "scikit-learn"}
    for extra, modules in optional_packages.MODULES_BY_EXTRA.items():
        brought = {canonicalize_name(Requirement(line).name) for line in EXTRAS[extra]}
        assert {names.get(module, canonicalize_name(module)) for module in modules} <= brought, extra


def test_the_build_is_pinned_and_the_version_is_said_once():
    assert PROJECT["project"]["version"] == __version__
    build, pip = PROJECT["build-system"]["requires"]
    assert pip == "pip"
    assert build == f"setuptools=={requirements('requirements-dev.txt')['setuptools']}"
