"""The detector's model in the user's cache folder: as it is when unpacked, made anew when damaged, and no loss without."""

import os
import stat

import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from chunkers.text.language_detector_loading import load_detector_model
from sample_docs import load_sample, sample_titles
from tests.fixtures.paragraphs import paragraphs_by_language

TEXTS = ["", "1 2 3", "Hi.", "ALL CAPITALS", "\0", *(text.text for text in paragraphs_by_language().values())]


@pytest.fixture(scope="module")
def unpacked():
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache") / "seamark"
    load_detector_model(folder)
    return folder


@pytest.fixture
def sealed(monkeypatch):
    def unpack(*_, **__):
        raise AssertionError("unpacked")

    monkeypatch.setattr(LanguageIdentifier, "from_model_file", unpack)


@pytest.mark.slow
def test_every_probability_is_that_of_the_unpacked_model(unpacked, folder, sealed):
    mapped = load_detector_model(folder)
    for text in [*TEXTS, *(load_sample(name).text for name in sample_titles())]:
        assert mapped.rank(text) == unpacked.rank(text)


@pytest.mark.slow
def test_the_file_is_whole_and_private(folder):
    [file] = folder.iterdir()
    assert file.suffix == ".bin"
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [lambda data: data[:-1], lambda data: b"", lambda data: bytes(4), lambda data: data[:9_999] + b"?" + data[10_000:]],
)
def test_a_damaged_file_is_made_anew(unpacked, folder, damage):
    [file] = folder.iterdir()
    good = file.read_bytes()
    # As a new file: the old one may still be mapped.
    file.unlink()
    file.write_bytes(damage(good))
    assert load_detector_model(folder).rank("The old town.") == unpacked.rank("The old town.")
    [again] = folder.iterdir()
    assert again.read_bytes() == good


@pytest.mark.slow
def test_without_a_folder_it_is_unpacked_each_time(unpacked, tmp_path):
    (tmp_path / "file").touch()
    for _ in range(2):
        assert load_detector_model(tmp_path / "file").rank("The old town.") == unpacked.rank("The old town.")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
