"""Sizes in tokens are those of the slice counted by itself, for every tokenizer, and no text is counted over and over."""

import os
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import TOKENIZER_DESCRIPTIONS, Document, Verdict, build_chunker, load_tokenizer, run_chunker
from chunkers.building_blocks.size_limits import span_size_function
from chunkers.contract.tools import Tools
from tests.lanes import mostly_full
from tests.support import HashEmbedder

PARTS = [
    "Hello World.",
    "Don't go! ",
    "x=1;\n\n",
    "    return None\n",
    "再见。你好。",
    "Ünïcode… ",
    "3,000.5 ",
    "e\u0301a ",
    "🌊🌊 ",
]
PARTS += ["'s ", "_a_b ", "\t\t", " \n ", "\xa0", "a.b.c ", "“Quote.” ", "ΣΑΣ. ", "١٢٣. ", "ไทย ", "\u00ad", "² x"]
TEXTS = (
    st.lists(st.sampled_from(PARTS) | st.text(max_size=5), min_size=1, max_size=25)
    .map("".join)
    .filter(lambda text: not any("\ud800" <= character <= "\udfff" for character in text))
)


@pytest.fixture(scope="module", autouse=True)
def tables():
    """The tables of the byte pairs, which LlamaIndex carries for its own use: nothing is fetched."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(resources.files("llama_index.core") / "_static" / "tiktoken_cache"))
        yield
    assert "llama_index" not in os.environ.get("TIKTOKEN_CACHE_DIR", "")


FEW = {"all-MiniLM-L6-v2", "words", "cl100k_base"}
"""One of each kind: word pieces, words, and byte pairs."""


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_full(TOKENIZER_DESCRIPTIONS, FEW))
@given(text=TEXTS, sentences=st.sampled_from(["sentencex", "regex", "lines"]), data=st.data())
@settings(max_examples=50, deadline=None)
def test_a_slice_has_as_many_tokens_as_its_text(name, text, sentences, data):
    document = Document.from_text(text, sentences)
    bench = Tools(None, load_tokenizer(name))
    if not document.sentences:
        return
    size_of = span_size_function(document, "tokens", bench)
    for _ in range(5):
        first = data.draw(st.integers(0, len(document.sentences) - 1))
        start, end = document.slice(first, data.draw(st.integers(first + 1, len(document.sentences))))
        # A cut inside a sentence leaves a part of it.
        start = data.draw(st.just(start) | st.integers(start, end - 1))
        assert size_of(start, end) == bench.count_tokens([text[start:end]])[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_full(TOKENIZER_DESCRIPTIONS, FEW))
@pytest.mark.parametrize("oversize", ["weakest_gap", "recursive"])
@given(text=TEXTS, sizes=st.tuples(st.integers(1, 12), st.integers(0, 20)))
@settings(max_examples=40, deadline=None)
def test_no_chunk_passes_its_maximum_in_tokens(name, oversize, text, sizes):
    least, most = sizes[0], sum(sizes)
    tokenizer = load_tokenizer(name)
    parameters = {"size": 8, "min_size": least, "max_size": most, "size_unit": "tokens", "oversize": oversize}
    chunker = build_chunker("fixed_sentences", parameters)
    result = run_chunker(chunker, Document.from_text(text, "regex"), Tools(HashEmbedder(), tokenizer))
    for number, (piece, size) in enumerate(zip(result, tokenizer.count(list(result.texts)), strict=True)):
        # A single character can have several tokens, and white space at its ends is left out.
        assert size <= most or len(piece.text) == 1
        cuts = [gap for gap in result.gaps if gap.verdict.is_cut][max(0, number - 1) : number + 1]
        assert size >= least or len(result) == 1 or any("below minimum size" in gap.reason for gap in cuts)


@pytest.mark.parametrize("name", ["cl100k_base", "characters"])
def test_code_cut_by_lines_keeps_its_maximum(name):
    text = "\n".join(f"    if value[{number}] is None:\n\n        return {{'key': {number}}}\n" for number in range(300))
    parameters = {"size": 1000, "max_size": 100, "size_unit": "tokens"}
    tokenizer = load_tokenizer(name)
    document = Document.from_text(text, "lines")
    result = run_chunker(build_chunker("fixed_sentences", parameters), document, Tools(HashEmbedder(), tokenizer))
    assert max(tokenizer.count(list(result.texts))) <= 100
    assert Verdict.FORCED in [gap.verdict for gap in result.gaps]


@pytest.mark.parametrize("name", TOKENIZER_DESCRIPTIONS)
@given(text=TEXTS, size=st.integers(2, 30))
@settings(max_examples=40, deadline=None)
def test_recursive_says_that_a_chunk_stays_within_its_size_only_where_it_does(name, text, size):
    tokenizer = load_tokenizer(name)
    chunker = build_chunker("recursive", {"size": size, "unit": "tokens"})
    result = run_chunker(chunker, Document.from_text(text, "regex"), Tools(None, tokenizer))
    larger = max(tokenizer.count(list(result.texts)), default=0) > size
    assert not (larger and any("the chunk stays within" in gap.reason for gap in result.gaps))
