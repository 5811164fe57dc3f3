"""The README names what there is."""

import pytest

from chunkers import EMBEDDERS, SPLITTERS, TOKENIZERS
from chunkers.registry import ADAPTERS, CHUNKERS
from tests import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*CHUNKERS, *ADAPTERS, *EMBEDDERS, *SPLITTERS, *TOKENIZERS])
def test_every_name_is_in_it(name):
    assert f"`{name}`" in README


def test_its_pictures_are_there():
    pictures = [part.split(")")[0] for part in README.split("](docs/")[1:]]
    assert pictures
    assert all((ROOT / "docs" / picture).is_file() for picture in pictures)
