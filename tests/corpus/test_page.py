"""docs/corpora.md says what is: its snippets run, and its table is the schema."""

import hashlib
import json
import re

import pytest

from corpus import CHUNKS, Chunks
from corpus.batch_chunking import CHUNK_TABLE_SCHEMA_VERSION
from tests import ROOT
from tests.corpus.test_run import RECIPE

PAGE = (ROOT / "docs" / "corpora.md").read_text(encoding="utf-8")


def snippet(heading, folder, **given):
    """Execute the first snippet of Python below a heading, with a recipe in the folder; return its names."""
    code = re.search(r"```python\n(.*?)```", PAGE[PAGE.index(f"# {heading}\n") :], re.DOTALL)[1]
    recipe = folder / "recipe.json"
    recipe.write_text(json.dumps({**RECIPE, "parameters": {"size": 1}}))
    names = {**given}
    exec(code.replace('"recipe.json"', repr(str(recipe))), names)
    return names


def rows(found):
    return [row["text"] for row in sorted(found, key=lambda row: (row["document_id"], row["chunk"]))]


def test_the_function_in_python(tmp_path):
    assert rows(snippet("In Python", tmp_path)["table"].to_pylist()) == ["One.", "Two.", "Three.", "Four."]


@pytest.mark.full
def test_with_datasets(tmp_path):
    assert rows(snippet("Hugging Face datasets", tmp_path)["cut"].with_format(None)) == ["One.", "Two.", "Three.", "Four."]


def test_the_table_is_the_schema():
    table = PAGE[PAGE.index("## The table") : PAGE.index("The schema's metadata")]
    named = [
        name for line in table.splitlines() if line.startswith("| `") for name in re.findall(r"`(\w+)`", line.split("|")[1])
    ]
    assert sorted(named) == sorted(CHUNKS.names)


def test_the_number_of_the_schema_is_that_of_its_columns():
    columns = " ".join(f"{column.name} {column.type} {column.nullable}" for column in CHUNKS)
    # Other columns have another number, or a folder that was begun before would get shards of two schemas.
    assert (CHUNK_TABLE_SCHEMA_VERSION, hashlib.sha256(columns.encode()).hexdigest()[:12]) == (3, "93f6b8c7a04c")
    assert f"`seamark.schema`, {CHUNK_TABLE_SCHEMA_VERSION}." in PAGE
    assert Chunks(RECIPE).schema.metadata[b"seamark.schema"] == str(CHUNK_TABLE_SCHEMA_VERSION).encode()


def test_the_metadata_that_it_names_is_there():
    told = re.findall(r"`(seamark\.\w+)`", PAGE)
    assert sorted({*told}) == sorted(key.decode() for key in Chunks(RECIPE).schema.metadata)
