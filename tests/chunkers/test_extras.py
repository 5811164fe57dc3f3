"""Missing packages are reported in a sentence, and the user's folder is the system's."""

import platformdirs
import pytest

from chunkers import EMBEDDER_DESCRIPTIONS, ModelError
from chunkers.embedders import missing_extra_sentence
from chunkers.storage.private_files import user_cache_folder
from chunkers.support import optional_packages
from chunkers.support.optional_packages import MODULES_BY_EXTRA, missing_extra_message, raise_if_extra_missing


@pytest.fixture
def nothing(monkeypatch):
    monkeypatch.setattr(optional_packages, "find_spec", lambda module: None)


@pytest.mark.parametrize(
    ("extra", "packages"),
    [
        ("spacy", "the package spacy"),
        ("models", "the packages sentence_transformers and torch"),
        ("corpus", "the packages filelock, joblib and pyarrow"),
        ("files", f"the packages bs4, chardet and {len(MODULES_BY_EXTRA['files']) - 2} more"),
    ],
)
def test_what_is_missing_is_named_with_the_command_that_brings_it(nothing, extra, packages):
    sentence = f"It needs {packages}; to install what is missing: pip install 'seamark[{extra}]'."
    assert missing_extra_message(extra, "It") == sentence
    with pytest.raises(ModelError) as raised:
        raise_if_extra_missing(extra, "It")
    assert str(raised.value) == sentence


@pytest.mark.parametrize("extra", MODULES_BY_EXTRA)
@pytest.mark.model
def test_where_everything_is_there_nothing_is_said(extra):
    assert missing_extra_message(extra, "It") == ""


def test_an_embedder_names_its_extra_and_the_bundled_ones_need_none(nothing):
    lack = {
        name: missing_extra_sentence(name)
        for name in [*EMBEDDER_DESCRIPTIONS, "spacy:en_core_web_md", "openai:m", "a/b", "/folder"]
    }
    wanted = {"tfidf": "clustering", "spacy:en_core_web_md": "spacy", "openai:m": "llm"}
    assert {name for name, sentence in lack.items() if sentence} == {*wanted}
    assert all(f"{name} needs " in lack[name] and f"'seamark[{extra}]'" in lack[name] for name, extra in wanted.items())


@pytest.mark.parametrize("named", ["", "/elsewhere/caches"])
def test_the_cache_folder_is_the_one_of_other_programs(monkeypatch, named):
    monkeypatch.setenv("XDG_CACHE_HOME", named)
    assert user_cache_folder() == platformdirs.user_cache_path("seamark")
