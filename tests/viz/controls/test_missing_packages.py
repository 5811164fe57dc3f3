"""A choice whose package is not installed says so in the list."""

import pytest

from chunkers import CHUNKERS
from chunkers.embedders import EMBEDDER_DESCRIPTIONS
from chunkers.support import optional_packages
from chunkers.text.sentences import SPLITTER_DESCRIPTIONS
from chunkers.text.tokenizers import TOKENIZER_DESCRIPTIONS
from viz.controls.widgets import label_with_availability

LIGHT = {
    "chunker": (CHUNKERS, {"code", "kmeans"}),
    "sentences": (SPLITTER_DESCRIPTIONS, {"spacy"}),
    "embedder": (EMBEDDER_DESCRIPTIONS, {"tfidf"}),
    "tokenizer": (TOKENIZER_DESCRIPTIONS, {"cl100k_base", "o200k_base"}),
}


@pytest.mark.parametrize("setting", LIGHT)
def test_the_list_says_what_is_not_installed(monkeypatch, setting):
    values, heavy = LIGHT[setting]
    assert [label_with_availability(setting, name) for name in values] == list(values)
    monkeypatch.setattr(optional_packages, "find_spec", lambda module: None)
    assert {name for name in values if label_with_availability(setting, name) != name} == heavy
    assert all(label_with_availability(setting, name) == f"{name} (not installed)" for name in heavy)
