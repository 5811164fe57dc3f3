"""The README and the guides that it leads to name what there is, and their examples run."""

import re

import pytest

from chunkers import EMBEDDER_DESCRIPTIONS, SPLITTER_DESCRIPTIONS, TOKENIZER_DESCRIPTIONS
from chunkers.recipes.chunker_registry import ADAPTERS, CHUNKERS, MODEL_ASKING_CLASS_BY_NAME
from tests import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDES = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}


@pytest.mark.parametrize("name", [*CHUNKERS, *MODEL_ASKING_CLASS_BY_NAME])
def test_every_chunker_is_in_it(name):
    assert f"`{name}`" in README


@pytest.mark.parametrize("name", [*ADAPTERS, *SPLITTER_DESCRIPTIONS, *TOKENIZER_DESCRIPTIONS])
def test_every_name_is_in_the_guide_to_chunkers(name):
    assert f"`{name}`" in GUIDES["chunkers.md"]


@pytest.mark.parametrize("name", EMBEDDER_DESCRIPTIONS)
def test_every_embedder_is_in_the_guide_to_embedders(name):
    assert f"`{name}`" in GUIDES["embedders.md"]


@pytest.mark.model
def test_its_python_runs(capsys):
    blocks = [
        block
        for page in (README, GUIDES["library.md"])
        for block in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    ]
    known = {"text": "The tide comes in.\nThe tide goes out.\nBread needs flour.\nBread needs salt.\n"}
    for block in blocks:
        exec(block, known)
    assert len(blocks) == 5
    assert len(known["theirs"]) == 4
    assert "distance" in capsys.readouterr().out
    assert "".join(known["result"].texts).count("tide") == 2


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{name}" for name in GUIDES)])
def test_what_it_leads_to_is_there(page):
    file = ROOT / page
    led = [place.partition("#")[0] for place in re.findall(r"\]\(([^)\s]+)\)", file.read_text(encoding="utf-8"))]
    assert [place for place in led if "://" not in place and place and not (file.parent / place).exists()] == []
