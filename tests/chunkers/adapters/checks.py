"""The adapters that are installed with the tests, words to make texts of, and what must hold of their results."""

from hypothesis import strategies as st

INSTALLED = [
    ("langchain_semantic", {}),
    ("langchain_semantic", {"threshold": "gradient", "amount": 60, "buffer": 0}),
    ("llama_index_semantic", {"breakpoint_percentile_threshold": 50, "buffer_size": 0}),
    ("llama_index_double_merging", {}),
    ("llama_index_double_merging", {"initial_threshold": 0.3, "merging_threshold": 0.4, "merging_range": 2}),
    ("chonkie_semantic", {}),
    ("chonkie_semantic", {"threshold": 0.3, "chunk_size": 60, "skip_window": 1, "similarity_window": 1}),
]


WORDS = st.sampled_from(["a", "ab", "b.", "é", "e\u0301", "🌊", "a.", "Ünï", "漢字。"])
SPACES = st.sampled_from([" ", "\n", "\n\n", "  ", "\r\n", "\u00a0", "\u2028"])


def check(chunking):
    """Check what holds of every result: exact slices, and a ledger that has every gap and every cut in its place."""
    document, text = chunking.document, chunking.document.text
    for chunk in chunking.chunks:
        (span,) = chunk.spans
        assert chunk.text == text[slice(*span)] == text[slice(*span)].strip() != ""
    starts = [chunk.start for chunk in chunking.chunks]
    assert starts == sorted(set(starts))
    cuts = [gap for gap in chunking.gaps if gap.verdict.is_cut]
    assert [gap.start_after(document) for gap in cuts] == starts[1:]
    assert [gap.index for gap in chunking.gaps if gap.offset is None] == list(range(len(document.sentences) - 1))
    order = [gap.start_after(document) for gap in chunking.gaps]
    assert order == sorted(order)
