"""Compiled functions where nothing can be written."""

import os
import shutil
import subprocess
import sys

import pytest

from tests import ROOT

RUN = """
import json
from chunkers import chunk
for name in ("optimal", "change_point"):
    print(json.dumps([part.text for part in chunk("One line.\\nAnother line.\\nA third.", name, embedder="tfidf").chunks]))
"""


def output(folder, **environment):
    made = subprocess.run(
        [sys.executable, "-c", RUN],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return made.stdout


@pytest.mark.full
def test_what_is_compiled_runs_where_no_cache_can_be_written(tmp_path):
    shutil.copytree(ROOT / "chunkers", tmp_path / "chunkers", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [path for path in (tmp_path / "chunkers").rglob("*") if path.is_dir()]:
        # No folder can be made where a file is, not even by root, who may write into a read-only folder.
        (folder / "__pycache__").write_text("")
    nowhere = str(tmp_path / "chunkers" / "base.py")
    there = output(tmp_path, HOME=nowhere, XDG_CACHE_HOME=nowhere, NUMBA_CACHE_DIR=nowhere)
    assert there.count("\n") == 2
    assert there == output(ROOT)
