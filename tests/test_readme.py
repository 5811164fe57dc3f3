"""The README names what there is, and its examples run."""

import re

import pytest

from chunkers import EMBEDDERS, SPLITTERS, TOKENIZERS
from chunkers.registry import ADAPTERS, ASKING, CHUNKERS
from tests import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*CHUNKERS, *ASKING, *ADAPTERS, *EMBEDDERS, *SPLITTERS, *TOKENIZERS])
def test_every_name_is_in_it(name):
    assert f"`{name}`" in README


@pytest.mark.model
def test_its_python_runs(capsys):
    blocks = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    known = {"text": "The tide comes in.\nThe tide goes out.\nBread needs flour.\nBread needs salt.\n"}
    for block in blocks:
        exec(block, known)
    assert len(blocks) == 4
    assert len(known["theirs"]) == 4
    assert "distance" in capsys.readouterr().out
    assert "".join(known["result"].texts).count("tide") == 2


def test_its_pictures_are_there():
    pictures = [part.split(")")[0] for part in README.split("](docs/")[1:]]
    assert pictures
    assert all((ROOT / "docs" / picture).is_file() for picture in pictures)
