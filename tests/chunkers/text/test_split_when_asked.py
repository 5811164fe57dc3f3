"""A document is split into sentences when they are first asked for, and not by chunkers that need none."""

import pickle

import pytest

from chunkers import Chunking, Document, InputError, build_chunker, chunk
from chunkers.contract.base import run_and_time_chunker
from chunkers.text import document as document_module
from tests.support import tools

TEXT = "# Tides\n\nThe tide comes in. It goes out.\n\n- Bread needs flour.\n- Bread needs salt. Dr. Who ate it.\n"

COUNTING = ["recursive", "fixed_words", "fixed_tokens", "fixed_characters", "structure"]


def cut(name: str) -> Chunking:
    return chunk(TEXT, name, tokenizer="words")


@pytest.mark.parametrize("name", COUNTING)
def test_chunkers_that_count_do_not_split(name):
    result = cut(name)
    assert len(result) >= 1
    assert result.texts
    assert result.timing.split_ms == 0
    assert not result.document.is_split


@pytest.mark.parametrize("read", [lambda result: result.gaps[:1], lambda result: result.misfits[:1], repr])
@pytest.mark.parametrize("name", COUNTING)
def test_ledger_misfits_and_views_split(name, read):
    result = cut(name)
    read(result)
    assert result.document.is_split


@pytest.mark.parametrize("name", COUNTING)
def test_ledgers_are_the_same_whenever_the_text_was_split(name):
    chunker = build_chunker(name, {"max_size": 12} if name == "structure" else {"size": 20, "overlap": 0})
    before = run_and_time_chunker(chunker, Document.from_text(TEXT).split(), tools())
    after = run_and_time_chunker(chunker, Document.from_text(TEXT), tools())
    assert before.gaps == after.gaps
    assert len(after.gaps) >= len(after.document.sentences) - 1
    assert before.misfits == after.misfits
    assert before == after


def test_a_long_block_is_split():
    result = chunk(TEXT, "structure", tokenizer="words", max_size=4)
    assert result.document.is_split


@pytest.mark.parametrize("name", COUNTING)
def test_a_pickled_result_is_the_same(name):
    result = cut(name)
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert again.gaps == result.gaps
    assert type(again.gaps) is tuple


def test_a_pickled_document_stays_unsplit():
    document = Document.from_text(TEXT)
    again = pickle.loads(pickle.dumps(document))
    assert not again.is_split
    assert again.sentences == document.sentences
    assert again.language == document.language == "en"
    assert again == document


def test_other_attributes_do_not_split():
    document = Document.from_text(TEXT)
    assert not hasattr(document, "nothing")
    assert document.identity == Document.from_text(TEXT).split().identity
    assert not document.is_split


def test_too_many_sentences_are_refused_when_asked_for(monkeypatch):
    monkeypatch.setattr(document_module, "MAX_SENTENCES", 3)
    result = cut("fixed_words")
    assert len(result) == 1
    with pytest.raises(InputError, match="at most 3 sentences; this text has"):
        len(result.gaps)
    with pytest.raises(InputError, match="at most 3 sentences"):
        cut("fixed_sentences")
