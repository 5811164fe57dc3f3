"""The pinned packages install on every Python that is promised."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from tests import ROOT
from tests.lanes import mostly_full


def pins(names):
    """Return the requirements in the files of the repository with such names."""
    return {
        requirement.name: requirement
        for file in sorted(ROOT.glob(names))
        for line in file.read_text().splitlines()
        if re.match(r"\w", line)
        for requirement in [Requirement(line.partition(" #")[0])]
    }


OF_FULL = (
    pins("requirements-full.txt")
    | pins("requirements-model.txt")
    | pins("requirements-docs.txt")
    | pins("constraints-full.txt")
)
"""The pins of packages that only `make full` and `make docs` install."""
PINS = pins("requirements*.txt") | pins("constraints*.txt")
OTHER_PLATFORMS = {"colorama"}
"""Packages that only Windows installs."""


def lowest_python():
    """Return the oldest release of the lowest Python version that pyproject.toml allows."""
    promised = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    return promised.removeprefix(">=") + ".0"


def test_the_lowest_python_is_a_release():
    assert re.fullmatch(r"3\.\d+\.0", lowest_python())


@pytest.mark.parametrize("name", mostly_full(PINS, PINS.keys() - OF_FULL.keys()))
def test_a_pinned_package_installs_on_the_lowest_python(name):
    try:
        package = metadata(name)
    except PackageNotFoundError:
        assert name in OTHER_PLATFORMS, f"{name} is pinned and not installed"
        return
    required = package["Requires-Python"]
    assert package["Version"] in PINS[name].specifier, f"{name} {package['Version']} is installed"
    assert required is None or lowest_python() in SpecifierSet(required), f"{name} needs Python {required}"


def test_a_name_is_pinned_once_to_one_version():
    for name, requirement in PINS.items():
        assert [specifier.operator for specifier in requirement.specifier] == ["=="], name
