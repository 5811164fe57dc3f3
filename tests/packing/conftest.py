"""The distributions built from the checkout, shared by all tests."""

import pytest

from tests.fixtures.environments import build, environment


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The paths of the source distribution and of the wheel that is built of it."""
    return build(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="session")
def reader(built, tmp_path_factory):
    """The Python of an environment with the wheel and what reads files, sweeps and fits."""
    return environment(tmp_path_factory.mktemp("reader"), built[1], ["files", "clustering", "corpus"])


@pytest.fixture(scope="session")
def library(built, tmp_path_factory):
    """The Python of an environment with the wheel, without any extra."""
    return environment(tmp_path_factory.mktemp("library"), built[1])
