"""The language of a text: by its script or the detector, the same every time."""

import pytest

from chunkers import Document, InputError
from chunkers.text import language_detection
from chunkers.text.language_detection import LANGUAGE_NAME_BY_CODE, detect_language
from chunkers.text.sentences import SPLITTER_DESCRIPTIONS, is_splitter_name
from tests.fixtures.paragraphs import paragraphs_by_language


@pytest.mark.parametrize("code", paragraphs_by_language())
def test_every_paragraph_of_the_benchmark_is_told(code):
    text = paragraphs_by_language()[code].text
    assert detect_language(text) == code
    assert detect_language(text * 60) == code
    assert Document.from_text(text).language == code


@pytest.mark.parametrize(
    ("text", "code"), [("", "en"), ("1 2 3", "en"), ("🌊", "en"), ("Hi.", "en"), ("Да.", "ru"), ("لا", "ar")]
)
def test_what_cannot_be_told(text, code):
    assert detect_language(text) == code


def test_the_most_of_the_text_decides():
    assert detect_language("竹子是草，不是树。Bamboo 有些竹子一天能长将近一米。") == "zh"
    assert detect_language("竹の子は草です。木ではありません。") == "ja"


def test_the_language_can_be_chosen():
    chosen = Document.from_text("Am 3. Oktober. Dann nicht.", "sentencex:de")
    assert (chosen.language, chosen.splitter, len(chosen.sentences)) == ("de", "sentencex:de", 2)
    assert len(Document.from_text("Am 3. Oktober. Dann nicht.", "sentencex:en").sentences) == 3
    assert {Document.from_text("One. Two.", name).language for name in SPLITTER_DESCRIPTIONS} == {"en", None}
    for name in ("sentencex:xx", "sentencex:", "sentencex:EN"):
        with pytest.raises(InputError, match="the language code after 'sentencex:' must be one of"):
            Document.from_text("One.", name)


def test_the_names_of_splitters():
    assert all(is_splitter_name(name) for name in [*SPLITTER_DESCRIPTIONS, "sentencex:de", "spacy:any"])
    assert not any(is_splitter_name(name) for name in ["", "words", "sentencex:xx", "regex:de"])
    assert all(len(code) == 2 for code in LANGUAGE_NAME_BY_CODE)


@pytest.mark.parametrize(
    ("text", "loaded"), [("水是生命之源。", 0), ("Η πόλη είναι παλιά.", 0), ("12 + 30", 0), ("The old town.", 1)]
)
def test_what_the_script_tells_needs_no_model(monkeypatch, text, loaded):
    calls = []
    monkeypatch.setattr(language_detection, "_load_language_identifier", lambda: calls.append(text))
    language_detection.preload_language_detector(text)
    assert len(calls) == loaded
