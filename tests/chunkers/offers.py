"""Distributions of other people's chunkers, made for a test: modules with the metadata that pip writes beside them."""

import re

from tests import ROOT

GUIDE = (ROOT / "docs" / "your-chunker.md").read_text(encoding="utf-8")
EXAMPLE, ONE_LINE = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
((GROUP, OFFER),) = re.findall(r'^\[project.entry-points."([\w.]+)"\]\n(.*)$', GUIDE, re.MULTILINE)


def install(folder, code=EXAMPLE, offers=OFFER, name="signal-words", module="signal_words"):
    """Put a distribution into a folder of modules: ``offers`` are the lines of its entry points."""
    (folder / f"{module}.py").write_text(code, encoding="utf-8")
    about = folder / f"{name.replace('-', '_')}-1.2.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n", encoding="utf-8")
    lines = [line.replace('"', "") for line in offers.splitlines()]
    (about / "entry_points.txt").write_text("\n".join([f"[{GROUP}]", *lines, ""]), encoding="utf-8")
