"""Docling's chunker: its interface, and in `make full` itself."""

import sys
import types
from typing import ClassVar

import pytest

from chunkers import Document, build_chunker
from chunkers.contract.base import run_and_time_chunker
from chunkers.text.blocks_and_headings import headings
from sample_docs import load_sample, sample_titles
from tests.chunkers.adapters.checks import check
from tests.support import HashEmbedder, cut, tools

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
    monkeypatch.delitem(sys.modules, "chunkers.adapters.docling_document_of_text", raising=False)
    embedder = HashEmbedder()
    chunker = build_chunker("docling_hybrid", {"max_tokens": 30})
    chunking = cut(chunker, MARKED, "lines", embedder=embedder)
    monkeypatch.delitem(sys.modules, "chunkers.adapters.docling_document_of_text")
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


@pytest.mark.full
@pytest.mark.parametrize("size", [20, 60, 256])
@pytest.mark.parametrize("sample", [*sample_titles(), ""])
def test_docling_itself(sample, size):
    import semchunk.semchunk

    text = load_sample(sample).text if sample else MARKED
    document = Document.from_text(text, "lines")
    chunking = run_and_time_chunker(build_chunker("docling_hybrid", {"max_tokens": size}), document, tools())
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
