"""Other people's chunkers: what they return is found in the original, exactly, and what is not is said."""

import json
import re
import sys
import types
from itertools import pairwise
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.embeddings import Embeddings
from langchain_experimental.text_splitter import SemanticChunker
from streamlit.testing.v1 import AppTest

from chunkers import ADAPTERS, Cancelled, Document, ModelError, ParameterError, Recipe, Span, build_chunker
from chunkers.__main__ import main
from chunkers.adapters.mapping import locate, mapped
from chunkers.base import run
from chunkers.result import start_after
from chunkers.text.outline import headings
from sample_docs import load_sample, sample_titles
from tests import ROOT
from tests.support import LIMIT, HashEmbedder, cut, tools
from tests.viz.compare.test_page import reader_of, settled

INSTALLED = [
    ("langchain_semantic", {}),
    ("langchain_semantic", {"threshold": "gradient", "amount": 60, "buffer": 0}),
    ("llama_index_semantic", {"breakpoint_percentile_threshold": 50, "buffer_size": 0}),
    ("llama_index_double_merging", {}),
    ("llama_index_double_merging", {"initial_threshold": 0.3, "merging_threshold": 0.4, "merging_range": 2}),
    ("chonkie_semantic", {}),
    ("chonkie_semantic", {"threshold": 0.3, "chunk_size": 60, "skip_window": 1, "similarity_window": 1}),
]


# --- finding chunks in the original


@pytest.mark.parametrize(
    ("text", "pieces", "expected"),
    [
        ("", [], []),
        ("", ["a"], [None]),
        (" \n", [" "], [None]),
        ("One. Two.", ["One.", "Two."], ["One.", "Two."]),
        (" One.\n\nTwo. ", ["One. Two."], ["One.\n\nTwo."]),
        ("One.\n\nTwo.", ["One.Two."], ["One.\n\nTwo."]),
        ("A\u00a0b\u2028c", ["A b c"], ["A\u00a0b\u2028c"]),
        ("🌊 e\u0301 🌊🌊 x", ["🌊e\u0301", "🌊", "🌊 x"], ["🌊 e\u0301", "🌊", "🌊 x"]),
        # cut inside a word, and inside a letter with its accent
        ("abcdef e\u0301", ["abc", "def e", "\u0301"], ["abc", "def e", "\u0301"]),
        # an exact copy further on is taken before one that differs in white space
        ("x. a b. ab.", ["ab."], ["ab."]),
        ("x. a b. c.", ["ab."], ["a b."]),
        # what goes on where the last chunk ended is taken before an exact copy further on
        ("a  b c a b", ["a b", "c", "a b"], ["a  b", "c", "a b"]),
        ("One. Two. Three.", ["One. Two.", "Two. Three."], ["One. Two.", "Two. Three."]),
        ("One. Two. Three.", ["One.", "Four.", "Two. Three."], ["One.", None, "Two. Three."]),
        ("One. Two. Three.", ["One.", "\n", "Two. Three."], ["One.", None, "Two. Three."]),
        ("One. Two. Three.", ["Three.", "One."], [None, "One."]),
        # invented, though the same words stand further on
        ("One. Two. Three.", ["One.", "Three.", "Two.", "Three."], ["One.", None, "Two.", "Three."]),
    ],
)
def test_found_by_hand(text, pieces, expected):
    spans = locate(text, pieces)
    assert [None if span is None else text[slice(*span)] for span in spans] == expected
    starts = [span.start for span in spans if span is not None]
    assert starts == sorted(set(starts))


def test_repeated_passages_are_told_apart():
    assert locate("Same. Same. Same.", ["Same."] * 3) == [Span(0, 5), Span(6, 11), Span(12, 17)]
    assert locate("Same. Same. Same.", ["Same. Same.", "Same. Same."]) == [Span(0, 11), Span(6, 17)]


WORDS = st.sampled_from(["a", "ab", "b.", "é", "e\u0301", "🌊", "a.", "Ünï", "漢字。"])
SPACES = st.sampled_from([" ", "\n", "\n\n", "  ", "\r\n", "\u00a0", "\u2028"])
TEXTS = st.lists(st.tuples(WORDS, SPACES), min_size=1, max_size=30).map(lambda pairs: "".join(map("".join, pairs)))


def trimmed(text, start, end):
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def pieces_of(text, places):
    """Return the parts between the places, those without a character left out."""
    edges = sorted({0, len(text), *(place % len(text) for place in places)})
    spans = [trimmed(text, *pair) for pair in pairwise(edges)]
    return [span for span in spans if span.start < span.end]


@given(text=TEXTS, places=st.lists(st.integers(0, 10**6), max_size=12), space=st.sampled_from(["", " ", "\n\t", None]))
@settings(max_examples=300, deadline=None)
def test_chunks_that_lose_nothing_are_found_whatever_their_white_space(text, places, space):
    spans = pieces_of(text, places)
    originals = [text[slice(*span)] for span in spans]
    pieces = [piece if space is None else re.sub(r"\s+", space, piece) for piece in originals]
    assert locate(text, pieces) == spans
    chunking = mapped(Document.from_text(text, "regex"), pieces, "They")
    assert [chunk.text for chunk in chunking.chunks] == originals
    altered = sum(piece != original for piece, original in zip(pieces, originals, strict=True))
    assert chunking.notes == ((f"They altered the white space of {altered} chunk{'s' * (altered > 1)}.",) if altered else ())
    check(chunking)


@given(
    sizes=st.lists(st.integers(2, 5), min_size=1, max_size=12),
    kept=st.lists(st.booleans(), min_size=12, max_size=12),
    overlap=st.integers(0, 1),
    invented=st.integers(0, 12),
)
@settings(max_examples=200, deadline=None)
def test_lost_invented_and_overlapping_chunks(sizes, kept, overlap, invented):
    edges = [sum(sizes[:number]) for number in range(len(sizes) + 1)]
    # Every word is another, so that there is one right answer.
    words = [f"w{number}🌊\n\n" for number in range(edges[-1])]
    starts = [len("".join(words[:number])) for number in range(len(words) + 1)]
    text = "".join(words)
    spans = [
        trimmed(text, starts[max(first - overlap, 0)], starts[last])
        for keep, first, last in zip(kept, edges, edges[1:], strict=False)
        if keep
    ]
    pieces = [" ".join(text[slice(*span)].split()) for span in spans]
    invented = min(invented, len(pieces))
    pieces.insert(invented, "An invented one")
    assert locate(text, pieces) == [*spans[:invented], None, *spans[invented:]]
    chunking = mapped(Document.from_text(text, "lines"), pieces, "They")
    held = {place for span in spans for place in range(*span)}
    lost = sum(place not in held and not text[place].isspace() for place in range(len(text)))
    assert f"Chunk {invented + 1} of They, “An invented one”, is not found in the text; it is left out." in chunking.notes
    said = [note for note in chunking.notes if note.startswith("Lost")]
    assert said == ([f"Lost characters, which lie in no chunk, white space not counted: {lost:,}."] if lost else [])
    check(chunking)


def check(chunking):
    """Check what holds of every result: exact slices, and a ledger that has every gap and every cut in its place."""
    document, text = chunking.document, chunking.document.text
    for chunk in chunking.chunks:
        (span,) = chunk.spans
        assert chunk.text == text[slice(*span)] == text[slice(*span)].strip() != ""
    starts = [chunk.start for chunk in chunking.chunks]
    assert starts == sorted(set(starts))
    cuts = [gap for gap in chunking.gaps if gap.verdict.is_cut]
    assert [start_after(document, gap) for gap in cuts] == starts[1:]
    assert [gap.index for gap in chunking.gaps if gap.offset is None] == list(range(len(document.sentences) - 1))
    order = [start_after(document, gap) for gap in chunking.gaps]
    assert order == sorted(order)


def test_notes_and_reasons_by_hand():
    text = "One is here.\nTwo is here, after it. Three."
    chunking = mapped(Document.from_text(text, "regex"), ["One is here. Two is", "No " * 40, " ", "Three."], "They")
    assert [chunk.text for chunk in chunking.chunks] == ["One is here.\nTwo is", "Three."]
    assert chunking.notes == (
        f"Chunk 2 of They, “{'No ' * 13}…”, is not found in the text; it is left out.",
        "Chunk 3 of They is empty; it is left out.",
        "Lost characters, which lie in no chunk, white space not counted: 13.",
        "They altered the white space of 1 chunk.",
    )
    reasons = [(gap.index, str(gap.verdict), gap.reason) for gap in chunking.gaps]
    assert reasons == [(0, "kept", "They begins no chunk here"), (1, "cut", "They begins a chunk here")]


def test_a_cut_inside_a_sentence_is_a_gap_of_its_own():
    chunking = mapped(Document.from_text("One two three. Four.", "regex"), ["One two", "three. Four."], "They")
    assert [(gap.index, gap.offset, gap.reason) for gap in chunking.gaps] == [
        (0, 8, "inside sentence 1: They begins a chunk here"),
        (0, None, "They begins no chunk here"),
    ]


# --- the libraries


@pytest.mark.parametrize("sample", sample_titles())
@pytest.mark.parametrize(("name", "parameters"), INSTALLED)
def test_samples_lose_nothing(sample, name, parameters):
    source = load_sample(sample)
    document = Document.from_text(source.text, source.sentences)
    chunker = build_chunker(name, parameters)
    chunking = run(chunker, document, tools())
    check(chunking)
    pieces = [piece for piece in chunker.pieces(document, tools()) if piece.strip()]
    assert ["".join(chunk.text.split()) for chunk in chunking.chunks] == ["".join(piece.split()) for piece in pieces]
    assert sum(len("".join(chunk.text.split())) for chunk in chunking.chunks) == len("".join(source.text.split()))
    assert not [note for note in chunking.notes if "altered" not in note and "empty" not in note]
    # Not every library knows where a sentence of every script ends; the long report all of them cut.
    assert len(chunking.chunks) > (sample == "report")


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


@pytest.mark.parametrize("sample", sample_titles())
@pytest.mark.parametrize(("threshold", "amount", "buffer"), [("percentile", 80, 1), ("interquartile", 0.7, 0)])
def test_langchain_is_langchain(sample, threshold, amount, buffer):
    text = load_sample(sample).text
    theirs = SemanticChunker(
        Direct(), buffer_size=buffer, breakpoint_threshold_type=threshold, breakpoint_threshold_amount=amount
    ).split_text(text)
    chunker = build_chunker("langchain_semantic", {"threshold": threshold, "amount": amount, "buffer": buffer})
    document = Document.from_text(text, "spacy")
    assert chunker.pieces(document, tools()) == theirs
    spans = [chunk.spans[0] for chunk in run(chunker, document, tools()).chunks]
    assert [None if span is None else span for span in locate(text, theirs) if span] == spans


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
    first = run(build_chunker(name, parameters), document, ours)
    embedded = [text for batch in embedder.batches for text in batch]
    assert first.timing.embedded == len(embedded) == len(set(embedded)) > 0
    again = run(build_chunker(name, parameters), document, ours)
    assert (again.timing.embedded, again.timing.cached) == (0, len(embedded))
    assert again.chunks == first.chunks
    with pytest.raises(Cancelled):
        run(build_chunker(name, parameters), document, tools(cancelled=lambda: True))


@pytest.mark.parametrize("name", ADAPTERS)
def test_a_missing_library_is_named_with_what_installs_it(name, monkeypatch):
    adapter = ADAPTERS[name]
    monkeypatch.setitem(sys.modules, adapter.module, None)
    with pytest.raises(ModelError) as error:
        cut(build_chunker(name, {}), "One. Two.")
    said = str(error.value)
    assert said.startswith(f"{name} needs the package {adapter.package}, which cannot be imported")
    assert said.endswith(f"install it with 'pip install {adapter.requirement}'.")


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
    assert str(error.value) == ("LangChain's SemanticChunker must cut this text; it failed with RuntimeError: out of luck.")


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("langchain_semantic", {"threshold": "slope"}, "threshold must be one of 'percentile'"),
        ("langchain_semantic", {"amount": 0.95}, "did you mean 95?"),
        ("chonkie_semantic", {"filter_window": 4}, "filter_window must be odd; got 4."),
        ("chonkie_semantic", {"filter_polyorder": 5}, "filter_polyorder must be below filter_window, 5; got 5."),
        ("chroma_cluster", {"min_chunk_size": 500}, "min_chunk_size must be at most max_chunk_size, 400; got 500."),
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


TABLE = "| Name | Built |\n|---|---|\n" + "".join(f"| Bridge {n} | 19{n:02} |\n" for n in range(20, 40))
MARKED = f"""# Title

Some *words* here.

## Lists & `code`

* one
  * inside
* two

1. first

{TABLE}
```
code()

more()
```
"""


class DoclingStandIn:
    """Has what is used of Docling's classes, and none of its mind: a chunk for each item, a table in threes of rows."""

    def __init__(self, name):
        self.found = []
        self.level = 0

    def add(self, kind, text, **named):
        item = types.SimpleNamespace(self_ref=f"#/{len(self.found)}", kind=kind, text=text, **named)
        self.found.append(item)
        return item

    def add_heading(self, text, level):
        return self.add("heading", text, level=level)

    def add_text(self, label, text):
        return self.add(label, text)

    def add_table(self, data):
        return self.add("table", "")

    def add_list_group(self):
        return self

    def add_list_item(self, text, parent):
        return self.add("item", text)


class Fields:
    def __init__(self, **fields):
        vars(self).update(fields)


class TablesStandIn(Fields):
    def get_header_and_body_lines(self, table_text):
        lines = table_text.splitlines(True)
        return (lines[:2], lines[2:]) if len(lines) > 1 and "-" in lines[1] else ([], lines)


class HybridStandIn(Fields):
    memory: ClassVar = {}

    def chunk(self, document):
        serializer = self.serializer_provider.get_serializer(document)
        self.memory[self.tokenizer.get_tokenizer()] = "all that it counted"
        assert self.tokenizer.get_max_tokens() >= self.tokenizer.count_tokens("word")
        for item in document.found:
            if item.kind != "heading":
                yield from self.chunks_of(item, document, serializer)

    def chunks_of(self, item, document, serializer):
        meta = types.SimpleNamespace(doc_items=[item])
        if item.kind != "table":
            yield types.SimpleNamespace(text=serializer.text_serializer.serialize(item=item, doc=document), meta=meta)
            return
        table = serializer.table_serializer
        head, rows = table.get_header_and_body_lines(table.serialize(item=item, doc=document))
        for first in range(0, len(rows), 3):
            yield types.SimpleNamespace(text="".join([*head, *rows[first : first + 3]]), meta=meta)


def docling_modules():
    """Return modules that look like Docling's to whoever imports them."""
    core = "docling_core.transforms"
    named = {
        "semchunk.semchunk": {"_memoized_token_counters": HybridStandIn.memory},
        f"{core}.chunker.hierarchical_chunker": {"ChunkingDocSerializer": Fields, "ChunkingSerializerProvider": Fields},
        f"{core}.chunker.hybrid_chunker": {"HybridChunker": HybridStandIn},
        f"{core}.chunker.tokenizer.base": {"BaseTokenizer": Fields},
        f"{core}.serializer.base": {"SerializationResult": str},
        f"{core}.serializer.common": {"create_ser_result": lambda text, span_source: text},
        f"{core}.serializer.markdown": {"MarkdownTableSerializer": TablesStandIn, "MarkdownTextSerializer": Fields},
        "docling_core.types.doc.document": {"DoclingDocument": DoclingStandIn, "TableData": Fields},
        "docling_core.types.doc.labels": {"DocItemLabel": types.SimpleNamespace(TEXT="text")},
    }
    modules = {}
    for path, names in named.items():
        steps = path.split(".")
        for end in range(1, len(steps) + 1):
            modules.setdefault(".".join(steps[:end]), types.ModuleType(".".join(steps[:end])))
        vars(modules[path]).update(names)
    for path, module in modules.items():
        if "." in path:
            setattr(modules[path.rpartition(".")[0]], path.rpartition(".")[2], module)
    return modules


def test_doclings_interface_is_spoken_and_a_repeated_header_is_the_context(monkeypatch):
    modules = docling_modules()
    for path, module in modules.items():
        monkeypatch.setitem(sys.modules, path, module)
    monkeypatch.delitem(sys.modules, "chunkers.adapters.docling_document", raising=False)
    embedder = HashEmbedder()
    chunker = build_chunker("docling_hybrid", {"max_tokens": 30})
    chunking = cut(chunker, MARKED, "lines", embedder=embedder)
    monkeypatch.delitem(sys.modules, "chunkers.adapters.docling_document")
    rows = TABLE.splitlines()
    assert [chunk.text for chunk in chunking.chunks] == [
        "Some *words* here.",
        "* one\n  * inside",
        "* two",
        "1. first",
        *("\n".join([*(rows[:2] if n == 2 else []), *rows[n : n + 3]]) for n in range(2, 22, 3)),
        "```\ncode()\n\nmore()\n```",
    ]
    header = "\n".join(rows[:2])
    assert [chunk.context for chunk in chunking.chunks] == ["", "", "", "", "", *[header] * 6, ""]
    assert chunking.notes == (
        "Docling's HybridChunker keeps headings beside its chunks, not in them: 2.",
        f"Lost characters, which lie in no chunk, white space not counted: {len('#Title##Lists&`code`')}.",
    )
    assert not chunker.embeds
    assert embedder.batches == []
    assert HybridStandIn.memory == {}


@pytest.mark.parametrize("size", [20, 60, 256])
@pytest.mark.parametrize("sample", [*sample_titles(), ""])
def test_docling_itself_where_it_is_installed(sample, size):
    pytest.importorskip("docling_core")
    import semchunk.semchunk

    text = load_sample(sample).text if sample else MARKED
    document = Document.from_text(text, "lines")
    chunking = run(build_chunker("docling_hybrid", {"max_tokens": size}), document, tools())
    check(chunking)
    assert semchunk.semchunk._memoized_token_counters == {}
    # Where rows and header do not fit, Docling cuts tables between columns, which is in no range of the text.
    if not any("not found" in note for note in chunking.notes):
        titles = sum(len("".join(text[slice(*heading.span)].split())) for heading in headings(text))
        lost = [note for note in chunking.notes if note.startswith("Lost")]
        assert lost == ([f"Lost characters, which lie in no chunk, white space not counted: {titles:,}."] if titles else [])
    elif size > 20:
        assert sample == "table"
    if not sample and size == 60:
        rows = [chunk for chunk in chunking.chunks if chunk.context]
        header = "\n".join(TABLE.splitlines()[:2])
        assert rows
        assert all(chunk.text.startswith("| Bridge") and chunk.context == header for chunk in rows)


def test_many_chunks_that_are_left_out_are_counted():
    chunking = mapped(Document.from_text("One.", "lines"), ["One.", *(f"no {n}" for n in range(1_200))], "They")
    assert len(chunking.notes) == 9
    assert chunking.notes[-1] == "Further chunks of They that are left out, empty or not found: 1,192."


# --- recipe, command line, page


def test_a_recipe_names_the_library_and_its_version():
    recipe = Recipe.of(build_chunker("chonkie_semantic", {}), "lines", HashEmbedder(), "words")
    assert recipe.chunker == "chonkie_semantic"
    assert ADAPTERS["chonkie_semantic"].requirement == f"chonkie=={recipe.versions['chonkie']}"
    assert Recipe.from_json(recipe.to_json()).build() == build_chunker("chonkie_semantic", {})


def test_a_recipe_of_a_library_that_is_not_installed():
    recipe = Recipe.of(build_chunker("chroma_cluster", {}), "lines", HashEmbedder(), "words")
    assert "chunking_evaluation" not in recipe.versions
    assert recipe.build() == build_chunker("chroma_cluster", {})


def test_the_command_line_lists_and_runs_them(capsys, tmp_path):
    assert main(["--list"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {name: listed[name]["installed"] for name in ADAPTERS} == {
        name: adapter.version() is not None for name, adapter in ADAPTERS.items()
    }
    assert listed["langchain_semantic"]["parameters"]["amount"]["by threshold"]["gradient"]["default"] == 95
    file = tmp_path / "text.txt"
    file.write_text("One is here.\nTwo is here. Three is here. Four is here.")
    assert main([str(file), "--chunker", "langchain_semantic", "--set", "amount=50", "--sentences", "lines"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["recipe"]["versions"]["langchain-experimental"] == ADAPTERS["langchain_semantic"].version()
    assert len(result["chunks"]) > 1
    assert "".join("".join(chunk["text"].split()) for chunk in result["chunks"]) == "".join(file.read_text().split())


@pytest.fixture
def app():
    return AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)


def test_a_column_of_an_adapter(app):
    app.query_params["c1"] = "langchain_semantic"
    app.query_params["c1.amount"] = "70"
    app.query_params["c2"] = "fixed_sentences"
    app.query_params["selected"] = "1"
    settled(app).run()
    assert not app.exception
    column = reader_of(app)["columns"][0]
    assert column["title"] == "LangChain: SemanticChunker"
    assert len(column["segments"]["start"]) > 1
    titles = [one.title for one in ADAPTERS.values()]
    assert [title for title in app.selectbox(key="chunker/0").options if title in titles] == titles
    app.slider(key="0/langchain_semantic/amount/None").set_value(40.0).run()
    rows = {label: value for label, value, _ in reader_of(app)["columns"][0]["rows"]}
    assert rows["embedding"].startswith("all ")


def test_a_missing_library_leaves_the_other_columns_usable(app, monkeypatch):
    monkeypatch.setitem(sys.modules, "chonkie", None)
    settled(app).run()
    app.selectbox(key="chunker/1").select("chonkie_semantic").run()
    assert not app.exception
    columns = reader_of(app)["columns"]
    assert columns[1]["title"] == "Chonkie: SemanticChunker"
    assert columns[1]["message"].endswith("install it with 'pip install chonkie==1.7.0'.")
    assert columns[0]["segments"] is not None
    app.selectbox(key="chunker/1").select("recursive").run()
    assert reader_of(app)["columns"][1]["segments"] is not None
