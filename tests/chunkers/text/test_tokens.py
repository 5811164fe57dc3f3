"""Tokens, their places, and the windows over them: against tiktoken and LangChain's splitters."""

import os
from importlib import resources

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_text_splitters import RecursiveCharacterTextSplitter, TokenTextSplitter

from chunkers import Document, ModelError, Tools, build_chunker, load_tokenizer
from chunkers.building_blocks.recursive_splitting import SEPARATORS_BY_PRESET
from chunkers.contract.base import run_and_time_chunker
from chunkers.text.tokenizers import (
    BYTE_PAIR_TABLE_URLS,
    BytePairTokenizer,
    is_tokenizer_on_disk,
    split_at_certain_token_boundaries,
)
from sample_docs import load_sample
from tests.lanes import samples
from tests.support import cut

BROKEN = "\N{REPLACEMENT CHARACTER}"
TEXTS = st.lists(st.sampled_from(["🌊", "é", "漢字。", "word ", "\n", " ", "a" * 30]) | st.text(max_size=8), max_size=30)


@pytest.fixture(scope="module", autouse=True)
def tables():
    """The tables of the byte pairs, which LlamaIndex carries for its own use: nothing is fetched."""
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(resources.files("llama_index.core") / "_static" / "tiktoken_cache")
    yield
    os.environ.pop("TIKTOKEN_CACHE_DIR")
    if before is not None:
        os.environ["TIKTOKEN_CACHE_DIR"] = before


@pytest.fixture(params=BYTE_PAIR_TABLE_URLS)
def byte_pairs(request):
    assert is_tokenizer_on_disk(request.param)
    return load_tokenizer(request.param)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(parts=TEXTS)
@pytest.mark.parametrize("name", BYTE_PAIR_TABLE_URLS)
def test_tokens_begin_where_tiktoken_says(name, parts):
    text = "".join(parts)
    encoding = tiktoken.get_encoding(name)
    tokens = encoding.encode_ordinary(text)
    starts = load_tokenizer(name).starts(text).tolist()
    assert len(starts) == len(tokens) == load_tokenizer(name).count([text])[0]
    for number, start in enumerate(starts):
        before = encoding.decode_bytes(tokens[:number])
        # What a token leaves of a character is counted as the whole character.
        assert start == len([byte for byte in before if byte & 0xC0 != 0x80])


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "words", "characters"])
def test_tokens_of_the_other_tokenizers(name):
    text = "  Tokenizers aren't  magic 🌊!\n"
    starts = load_tokenizer(name).starts(text).tolist()
    assert starts == sorted(starts)
    assert len(starts) == load_tokenizer(name).count([text])[0]
    if name == "words":
        assert [text[start:].split()[0] for start in starts] == text.split()
    if name == "characters":
        assert starts == list(range(len(text)))


@given(st.text(max_size=60))
def test_words_begin_where_split_says(text):
    text = text.encode("utf-8", "replace").decode()
    starts = load_tokenizer("words").starts(text).tolist()
    assert [text[start:].split()[0] for start in starts] == text.split()


def test_what_looks_like_a_special_token_is_text(byte_pairs):
    assert byte_pairs.count(["<|endoftext|>"])[0] > 1


def test_too_much_for_tiktoken_is_one_sentence(byte_pairs):
    with pytest.raises(ModelError, match=r"_base: tiktoken failed on this text of 1,000,001 characters"):
        byte_pairs.count([" " * 1_000_000 + "x"])


def test_without_the_table_and_without_a_network(monkeypatch, tmp_path):
    def unreachable(*_, **__):
        raise requests.ConnectionError("no route")

    import requests

    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(requests, "get", unreachable)
    monkeypatch.setattr("tiktoken.registry.ENCODINGS", {})
    assert not is_tokenizer_on_disk("cl100k_base")
    with pytest.raises(
        ModelError,
        match=r"^cl100k_base: the tokenizer's table must be downloaded once from https://\S+; the download failed",
    ):
        BytePairTokenizer("cl100k_base").count(["text"])


@pytest.mark.parametrize("sample", samples("chinese", "arabic"))
@pytest.mark.parametrize(("size", "overlap"), [(80, 0), (200, 0), (250, 125), (7, 3)])
@pytest.mark.parametrize("name", BYTE_PAIR_TABLE_URLS)
def test_fixed_tokens_are_langchains(sample, size, overlap, name):
    text = load_sample(sample).text
    reference = TokenTextSplitter(encoding_name=name, chunk_size=size, chunk_overlap=overlap).split_text(text)
    tools = Tools(None, load_tokenizer(name))
    chunker = build_chunker("fixed_tokens", {"size": size, "overlap": overlap})
    chunks = [chunk.text for chunk in run_and_time_chunker(chunker, Document.from_text(text), tools).chunks]
    expected = [stripped for chunk in reference if (stripped := chunk.strip())]
    # LangChain has a replacement character on both sides of a character that it cuts through; ours is whole, on one side.
    assert len(chunks) == len(expected)
    for ours, theirs in zip(chunks, expected, strict=True):
        assert ours == theirs or (BROKEN in theirs and theirs.strip(BROKEN).strip() in ours)


@pytest.mark.parametrize("sample", samples("chinese", "arabic"))
@pytest.mark.parametrize(("size", "overlap"), [(200, 0), (50, 0), (250, 125)])
@pytest.mark.parametrize("separators", ["chroma", "langchain"])
def test_recursive_in_tokens_is_langchains(sample, size, overlap, separators):
    text = load_sample(sample).text
    reference = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        encoding_name="cl100k_base", separators=SEPARATORS_BY_PRESET[separators][0], chunk_size=size, chunk_overlap=overlap
    ).split_text(text)
    parameters = {"size": size, "overlap": overlap, "unit": "tokens", "separators": separators}
    tools = Tools(None, load_tokenizer("cl100k_base"))
    chunking = run_and_time_chunker(build_chunker("recursive", parameters), Document.from_text(text), tools)
    assert [chunk.text for chunk in chunking.chunks] == reference


@given(parts=TEXTS, size=st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_no_character_is_lost_where_a_window_cuts_through_its_bytes(parts, size):
    text = "".join(parts).encode("utf-8", "replace").decode()
    tools = Tools(None, load_tokenizer("cl100k_base"))
    chunking = run_and_time_chunker(build_chunker("fixed_tokens", {"size": size}), Document.from_text(text, "lines"), tools)
    assert "".join("".join(chunk.text.split()) for chunk in chunking.chunks) == "".join(text.split())


def test_windows_of_words_repeat_their_overlap():
    chunking = cut(build_chunker("fixed_words", {"size": 4, "overlap": 1}), "a b c d e  f\ng")
    assert [chunk.text for chunk in chunking.chunks] == ["a b c d", "d e  f\ng"]
    assert [gap.reason for gap in chunking.gaps] == [
        "inside sentence 1: size 4 words reached; the next chunk repeats 1",
        "fewer than 4 words so far",
    ]


def test_windows_of_characters_cut_words():
    chunking = cut(build_chunker("fixed_characters", {"size": 5}), "chunkers cut words")
    assert [chunk.text for chunk in chunking.chunks] == ["chunk", "ers c", "ut wo", "rds"]


@pytest.mark.parametrize("name", ["fixed_words", "fixed_characters", "fixed_tokens"])
def test_the_overlap_must_be_below_the_size(name):
    with pytest.raises(ValueError, match=rf"^{name}: overlap must be less than size \(20\); got 20\."):
        build_chunker(name, {"size": 20, "overlap": 20})


def test_a_value_that_nobody_gave_is_said_to_be_the_default_and_a_bound_is_written_in_full():
    with pytest.raises(ValueError, match=r"^fixed_words: overlap must be less than size \(3\); got 15 \(the default\)\."):
        build_chunker("fixed_words", {"size": 3})
    with pytest.raises(ValueError, match=r"^fixed_words: size must be at most 1,000,000; got 2000000\.$"):
        build_chunker("fixed_words", {"size": 2_000_000})


@pytest.mark.parametrize("name", BYTE_PAIR_TABLE_URLS)
@given(
    parts=st.lists(
        st.sampled_from(["a", "B c", "\n", "\n\n", " ", "\t", ".", "/", "'s", "1", "漢", "🌊", "\r\n", "("]), max_size=60
    )
)
@settings(max_examples=150, deadline=None)
def test_no_token_reaches_over_the_parts_of_a_long_text(name, parts):
    text = "".join(parts)
    encoding = tiktoken.get_encoding(name)
    for count in (2, 9):
        in_parts = [
            token for part in split_at_certain_token_boundaries(text, count) for token in encoding.encode_ordinary(part)
        ]
        assert in_parts == encoding.encode_ordinary(text)
    assert "".join(split_at_certain_token_boundaries(text, 5)) == text
