"""Other people's chunkers: what they return is found in the original, exactly, and what is not is said."""

import sys
import types

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.embeddings import Embeddings
from langchain_experimental.text_splitter import SemanticChunker

from chunkers import ADAPTERS, Cancelled, Document, ModelError, ParameterError, build_chunker
from chunkers.adapters.piece_location import find_span_of_each_piece
from chunkers.contract.base import run_and_time_chunker
from sample_docs import load_sample
from tests import ROOT
from tests.chunkers.adapters.checks import INSTALLED, SPACES, WORDS, check
from tests.lanes import samples
from tests.support import HashEmbedder, cut, tools


@pytest.mark.full
@pytest.mark.parametrize("sample", samples("report"))
@pytest.mark.parametrize(("name", "parameters"), INSTALLED)
def test_samples_lose_nothing(sample, name, parameters):
    source = load_sample(sample)
    document = Document.from_text(source.text, source.sentences)
    chunker = build_chunker(name, parameters)
    chunking = run_and_time_chunker(chunker, document, tools())
    check(chunking)
    pieces = [piece for piece in chunker.piece_texts(document, tools()) if piece.strip()]
    assert ["".join(chunk.text.split()) for chunk in chunking.chunks] == ["".join(piece.split()) for piece in pieces]
    assert sum(len("".join(chunk.text.split())) for chunk in chunking.chunks) == len("".join(source.text.split()))
    assert not [note for note in chunking.notes if "altered" not in note and "empty" not in note]
    # Not every library knows where a sentence of every script ends; the long report all of them cut.
    assert len(chunking.chunks) > (sample == "report")


@pytest.mark.full
@pytest.mark.parametrize(("name", "parameters"), INSTALLED)
@given(text=st.lists(WORDS | SPACES | st.sampled_from([". ", "? ", "\0", "x" * 90]), max_size=40).map("".join))
@settings(max_examples=30, deadline=None)
def test_any_text(name, parameters, text):
    chunking = cut(build_chunker(name, parameters), text, "spacy")
    check(chunking)
    assert "".join("".join(chunk.text.split()) for chunk in chunking.chunks) == "".join(text.split())


class Direct(Embeddings):
    def embed_documents(self, texts):
        return HashEmbedder().encode(texts).tolist()

    def embed_query(self, text):
        return self.embed_documents([text])[0]


@pytest.mark.parametrize("sample", samples("report"))
@pytest.mark.parametrize(("threshold", "amount", "buffer"), [("percentile", 80, 1), ("interquartile", 0.7, 0)])
def test_langchain_is_langchain(sample, threshold, amount, buffer):
    text = load_sample(sample).text
    theirs = SemanticChunker(
        Direct(), buffer_size=buffer, breakpoint_threshold_type=threshold, breakpoint_threshold_amount=amount
    ).split_text(text)
    chunker = build_chunker("langchain_semantic", {"threshold": threshold, "amount": amount, "buffer": buffer})
    document = Document.from_text(text, "spacy")
    assert chunker.piece_texts(document, tools()) == theirs
    spans = [chunk.spans[0] for chunk in run_and_time_chunker(chunker, document, tools()).chunks]
    assert [None if span is None else span for span in find_span_of_each_piece(text, theirs) if span] == spans


def test_by_default_they_are_as_the_libraries_are():
    chonkie = pytest.importorskip("chonkie")
    from llama_index.core.node_parser import SemanticDoubleMergingSplitterNodeParser, SemanticSplitterNodeParser

    from chunkers.adapters.chonkie_embeddings import ChonkieEmbeddings

    for name, theirs in [
        ("llama_index_semantic", {key: field.default for key, field in SemanticSplitterNodeParser.model_fields.items()}),
        (
            "llama_index_double_merging",
            {key: field.default for key, field in SemanticDoubleMergingSplitterNodeParser.model_fields.items()},
        ),
        ("chonkie_semantic", vars(chonkie.SemanticChunker(ChonkieEmbeddings(tools())))),
    ]:
        ours = build_chunker(name, {}).model_dump()
        assert ours == {key: theirs[key] for key in ours}
    ours = build_chunker("langchain_semantic", {})
    theirs = SemanticChunker(Direct())
    assert (ours.threshold, ours.amount, ours.buffer) == (
        theirs.breakpoint_threshold_type,
        theirs.breakpoint_threshold_amount,
        theirs.buffer_size,
    )


@pytest.mark.parametrize(("name", "parameters"), INSTALLED)
def test_each_text_is_embedded_once_and_can_be_cancelled(name, parameters):
    document = Document.from_text(load_sample("article").text, "spacy")
    embedder = HashEmbedder()
    ours = tools(embedder)
    first = run_and_time_chunker(build_chunker(name, parameters), document, ours)
    embedded = [text for batch in embedder.batches for text in batch]
    assert first.timing.embedded == len(embedded) == len(set(embedded)) > 0
    again = run_and_time_chunker(build_chunker(name, parameters), document, ours)
    assert (again.timing.embedded, again.timing.cached) == (0, len(embedded))
    assert again.chunks == first.chunks
    with pytest.raises(Cancelled):
        run_and_time_chunker(build_chunker(name, parameters), document, tools(cancelled=lambda: True))


@pytest.mark.parametrize("name", ADAPTERS)
def test_a_missing_library_is_named_with_what_installs_it(name, monkeypatch):
    adapter = ADAPTERS[name]
    monkeypatch.setitem(sys.modules, adapter.module, None)
    with pytest.raises(ModelError) as error:
        cut(build_chunker(name, {}), "One. Two.")
    message = str(error.value)
    assert message.startswith(f"{name} needs the package {adapter.package}, which cannot be imported")
    assert message.endswith(f"install it with 'pip install {adapter.requirement}'.")


def test_the_versions_named_are_those_of_the_tests():
    required = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    for adapter in ADAPTERS.values():
        if "==" in adapter.requirement:
            assert adapter.requirement in required
            assert adapter.requirement == f"{adapter.package}=={adapter.version()}"


def test_a_library_that_fails_is_a_sentence(monkeypatch):
    def fail(self, text):
        raise RuntimeError("out of\nluck.")

    monkeypatch.setattr(SemanticChunker, "split_text", fail)
    with pytest.raises(ModelError) as error:
        cut(build_chunker("langchain_semantic", {}), "One. Two.")
    assert str(error.value) == (
        "LangChain's SemanticChunker could not cut this text: RuntimeError: out of luck. Change a parameter, or "
        "choose another chunker."
    )


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("langchain_semantic", {"threshold": "slope"}, "threshold must be one of 'percentile'"),
        ("langchain_semantic", {"amount": 0.95}, "did you mean 95?"),
        ("chonkie_semantic", {"filter_window": 4}, "filter_window must be odd; got 4."),
        ("chonkie_semantic", {"filter_polyorder": 5}, "filter_polyorder must be less than filter_window (5); got 5."),
        ("chroma_cluster", {"min_chunk_size": 500}, "min_chunk_size must be at most max_chunk_size (400); got 500."),
        ("llama_index_semantic", {"breakpoint_percentile_threshold": 0}, "must be at least 1; got 0."),
    ],
)
def test_refused(name, parameters, words):
    with pytest.raises(ParameterError) as error:
        build_chunker(name, parameters)
    assert str(error.value).startswith(f"{name}: ")
    assert words in str(error.value)


class ClusterStandIn:
    """Has the interface of Chroma's class, which no package index offers, and none of its mind: it joins pieces by count."""

    def __init__(self, embedding_function, max_chunk_size, min_chunk_size):
        self.embed = embedding_function
        self.most = max_chunk_size // min_chunk_size

    def split_text(self, text):
        pieces = text.split("\n")
        assert len(self.embed(pieces)) == len(pieces)
        return [" ".join(pieces[first : first + self.most]) for first in range(0, len(pieces), self.most)]


def test_chromas_interface_is_spoken_and_its_chunks_are_found(monkeypatch):
    module = types.ModuleType("chunking_evaluation.chunking")
    module.ClusterSemanticChunker = ClusterStandIn
    monkeypatch.setitem(sys.modules, "chunking_evaluation", types.ModuleType("chunking_evaluation"))
    monkeypatch.setitem(sys.modules, "chunking_evaluation.chunking", module)
    chunker = build_chunker("chroma_cluster", {"max_chunk_size": 20, "min_chunk_size": 10})
    chunking = cut(chunker, "One.\nTwo.\n\nThree.\nFour.")
    assert [chunk.text for chunk in chunking.chunks] == ["One.\nTwo.", "Three.", "Four."]
    assert chunking.notes == ("Chroma's ClusterSemanticChunker altered the white space of 1 chunk.",)
    assert chunking.timing.embedded == 5


def test_semchunks_interface_is_spoken_without_an_embedder_or_its_memory(monkeypatch):
    def chunk(text, chunk_size, token_counter, memoize=True):
        assert not memoize
        words = text.split()
        assert token_counter("Two words") == 2
        return [" ".join(words[first : first + chunk_size]) for first in range(0, len(words), chunk_size)]

    module = types.ModuleType("semchunk")
    module.chunk = chunk
    monkeypatch.setitem(sys.modules, "semchunk", module)
    chunker = build_chunker("semchunk", {"chunk_size": 2})
    embedder = HashEmbedder()
    chunking = cut(chunker, "One is.\nTwo are.\n\nThree.", embedder=embedder)
    assert [chunk.text for chunk in chunking.chunks] == ["One is.", "Two are.", "Three."]
    assert chunking.notes == ()
    assert not chunker.embeds
    assert embedder.batches == []
