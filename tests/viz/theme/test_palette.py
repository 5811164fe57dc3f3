import re

from viz.components.assets import VIZ
from viz.theme import palette


def test_every_theme_has_as_many_grounds_and_edges():
    assert {len(colours) for table in (palette.GROUNDS, palette.EDGES) for colours in table.values()} == {palette.COUNT}


def test_the_browser_is_told_how_many():
    style = palette.css("chunks")
    assert f".chunks {{\n  --ground-count: {palette.COUNT};\n}}" in style
    assert len(set(re.findall(r"--ground-\d+", style))) == len(set(re.findall(r"--edge-\d+", style))) == palette.COUNT


def test_no_script_knows_how_many():
    for path in VIZ.rglob("*.js"):
        assert not re.search(rf"% {palette.COUNT}\b|length: {palette.COUNT}\b", path.read_text()), path
