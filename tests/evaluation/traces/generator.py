"""Traces whose stages and places are known: made with LangChain's and LlamaIndex's own splitters and stores."""

import csv
import io
import json
import random
from dataclasses import dataclass, field
from functools import cache

from langchain_core.embeddings import Embeddings
from langchain_core.load import dumpd
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter
from llama_index.core import Document as LlamaDocument
from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.node_parser import SentenceSplitter

from chunkers import Document
from chunkers.text.sentences import DEFAULT_SPLITTER
from sample_docs import SAMPLES_FOLDER

LANGCHAIN = ("essay_bridges.txt", "essay_clocks.txt", "article.txt", "report.txt")
LLAMA_INDEX = ("essay_maps.txt", "essay_salt.txt", "essay_paper.txt")
MISSING = "essay_birds.txt"
"""A document that was searched and is not at hand."""

TOP = 5
KINDS = (
    *("not used", "cut apart", "ranked too low", "beyond the limit", "not in the documents"),
    *("no excerpt", "liked", "not rated", "cut short", "in no chunk"),
)
STAGES = {
    "not used": "not used",
    "cut apart": "cut apart",
    "ranked too low": "ranked too low",
    "beyond the limit": "ranked too low",
    "not in the documents": "not in the documents",
    "in no chunk": "in no chunk",
    "no excerpt": "cannot be told",
    "cut short": "cannot be told",
}
"""The stage that lost the answer to a question of each kind that failed."""


@dataclass(frozen=True)
class Chunk:
    """A chunk of the store; ``start`` is None for one of the missing document."""

    id: str
    document: str
    start: int
    text: str

    @property
    def end(self):
        return self.start + len(self.text)


@dataclass
class Text:
    """A retrieved text with its true place: a document, a start and an end; None if the document is missing."""

    text: str
    chunk: Chunk
    score: float
    place: tuple | None
    change: str = ""
    metadata: dict = field(default_factory=dict)


@dataclass
class Made:
    """A question with the kind of its failure, what was retrieved, and what the trace says of it."""

    kind: str
    question: str
    texts: list
    excerpt: str | None
    feedback: str | None
    answer: str = "It depends."
    limit: int | None = None


def read(name):
    return (SAMPLES_FOLDER / name).read_bytes().decode()


def documents():
    return [Document.from_text(read(name), DEFAULT_SPLITTER, name) for name in (*LANGCHAIN, *LLAMA_INDEX)]


def word_counts(text):
    """Return a vector of hashed words, so that a question is near to the chunks that have its words."""
    vector = [0.001] * 256
    for word in text.lower().split():
        vector[sum(word.strip(".,;:!?").encode()) * 31 % 256] += 1.0
    return vector


class LangChainCounts(Embeddings):
    def embed_documents(self, texts):
        return [*map(word_counts, texts)]

    def embed_query(self, text):
        return word_counts(text)


class LlamaCounts(BaseEmbedding):
    def _get_query_embedding(self, query):
        return word_counts(query)

    def _get_text_embedding(self, text):
        return word_counts(text)

    async def _aget_query_embedding(self, query):
        return word_counts(query)


@cache
def indexed():
    """Return all chunks, as both libraries cut them, and the store of each library; the end of the report is in no chunk."""
    chunks = []
    splitter = RecursiveCharacterTextSplitter(chunk_size=500, chunk_overlap=0, add_start_index=True)
    for name in (*LANGCHAIN, MISSING):
        pieces = splitter.create_documents([read(name)], [{"source": f"/data/{name}"}])
        for number, piece in enumerate(pieces[:-1] if name == "report.txt" else pieces):
            chunks.append(Chunk(f"{name}#{number}", name, piece.metadata["start_index"], piece.page_content))
    store = InMemoryVectorStore(LangChainCounts())
    store.add_texts([chunk.text for chunk in chunks], [{"number": number} for number in range(len(chunks))])
    nodes = []
    for name in LLAMA_INDEX:
        parser = SentenceSplitter(chunk_size=120, chunk_overlap=0, id_func=lambda number, _, name=name: f"{name}#{number}")
        nodes += parser.get_nodes_from_documents([LlamaDocument(text=read(name), metadata={}, id_=name)])
    chunks += [Chunk(node.node_id, node.ref_doc_id, node.start_char_idx, node.text) for node in nodes]
    return chunks, store, VectorStoreIndex(nodes, embed_model=LlamaCounts())


def chunk_file():
    """Return the chunks as a file of JSON lines, with identifiers and documents."""
    rows = [{"id": chunk.id, "text": chunk.text, "source": chunk.document} for chunk in indexed()[0]]
    return "\n".join(map(json.dumps, rows)).encode()


def search(question, unlike):
    """Return the chunks that the stores find for a question, best first, without those that have part of its answer."""
    chunks, store, index = indexed()
    hits = store.similarity_search_with_score(question, k=4 * TOP)
    ranked = [(chunks[hit.metadata["number"]], score) for hit, score in hits]
    by_id = {chunk.id: chunk for chunk in chunks}
    ranked += [(by_id[node.node_id], node.score) for node in index.as_retriever(similarity_top_k=4 * TOP).retrieve(question)]
    ranked.sort(key=lambda hit: -hit[1])
    return [(chunk, score) for chunk, score in ranked if chunk not in unlike]


def changed(chunk, score, number, draw, *, whole=False):
    """Return a chunk as a trace has it: a third of them with a change that a pipeline makes."""
    change = ("", "", "spaces", "", "", "context", "", "", "cut short")[number % 9]
    if whole and change == "cut short":
        change = "spaces"
    text, end = chunk.text, chunk.end
    if change == "spaces":
        text = draw.choice([" ".join(text.split()), text.replace(" ", "\n"), text.replace("\n", "\n\n")])
    elif change == "context":
        text = f"Document: the handbook of {chunk.document}, part {number}\n\n{text}"
    elif change == "cut short":
        beginning = chunk.text[: len(text) * 3 // 5].rstrip()
        end = chunk.start + len(beginning)
        text = beginning + draw.choice(["…", "...", " [truncated]"])
    place = None if chunk.document == MISSING else (chunk.document, chunk.start, end)
    metadata = {"source": f"/data/{chunk.document}"} if number % 2 else {}
    return Text(text, chunk, float(score), place, change, metadata)


@cache
def made(count=100, seed=7):
    """Return questions with known stages and places."""
    draw = random.Random(seed)
    chunks, *_ = indexed()
    present = [candidate for candidate in chunks if candidate.document != MISSING and len(candidate.text) > 200]
    missing = [candidate for candidate in chunks if candidate.document == MISSING and len(candidate.text) > 200]
    questions, number = [], 0
    for at in range(count):
        kind = KINDS[at % len(KINDS)]
        chunk = draw.choice(missing if kind == "not in the documents" else present)
        holders = [chunk]
        excerpt = chunk.text[60:150]
        if kind == "cut apart":
            # The text on both sides of a cut.
            following = next(
                (candidate for candidate in chunks if candidate.document == chunk.document and candidate.start >= chunk.end),
                None,
            )
            if following is None:
                chunk = next(candidate for candidate in present if candidate.document == "essay_clocks.txt")
                following = next(
                    candidate
                    for candidate in chunks
                    if candidate.document == chunk.document and candidate.start >= chunk.end
                )
            excerpt = read(chunk.document)[chunk.end - 60 : following.start + 40]
            holders = [chunk, following]
        elif kind == "in no chunk":
            text, last = read("report.txt"), max(piece.end for piece in chunks if piece.document == "report.txt")
            excerpt, holders = text[last:].strip()[:90], []
        question = f"{at}: what of {' '.join(draw.sample(chunk.text.split(), 8))}?"
        ranked = search(question, holders)
        given = ranked[:TOP]
        if kind in ("not used", "liked", "not rated", "cut short"):
            given.insert(draw.randrange(TOP), (chunk, 0.9))
        elif kind == "cut apart":
            given.insert(draw.randrange(TOP), (draw.choice(holders), 0.9))
        elif kind == "beyond the limit":
            given += [*ranked[TOP : TOP + 2], (chunk, 0.1)]
        texts = []
        for given_chunk, score in given:
            number += 1
            texts.append(changed(given_chunk, score, number, draw, whole=given_chunk in holders))
            if kind == "cut short" and given_chunk is chunk:
                beginning = chunk.text[:100].rstrip()
                place = chunk.document, chunk.start, chunk.start + len(beginning)
                texts[-1] = Text(f"{beginning}…", chunk, score, place, kind)
        rated = {"not used": "thumbs_down", "no excerpt": "thumbs_down", "cut short": "thumbs_down", "liked": "thumbs_up"}
        questions.append(
            Made(
                kind,
                question,
                texts,
                None if kind == "no excerpt" else excerpt,
                rated.get(kind),
                limit=TOP if kind == "beyond the limit" else None,
            )
        )
    return questions


def lines(rows):
    return "\n".join(map(json.dumps, rows)).encode()


def metadata_of(one):
    return {} if one.excerpt is None else {"excerpts": [one.excerpt]}


def openinference(questions):
    """Return Phoenix's spans: flat attributes, nested ones, and the columns of its data frame, a third each."""
    rows = []
    for number, question in enumerate(questions):
        ids = {"context": {"trace_id": f"t{number}", "span_id": f"r{number}"}}
        kept = question.texts if question.limit is None else question.texts[: question.limit]
        root = {"input.value": question.question, "output.value": question.answer, "openinference.span.kind": "CHAIN"}
        root["metadata"] = json.dumps(metadata_of(question))
        flat = {"input.value": question.question, "openinference.span.kind": "RETRIEVER"}
        listed = []
        for rank, text in enumerate(question.texts):
            held = {"id": text.chunk.id, "content": text.text, "score": text.score, "metadata": json.dumps(text.metadata)}
            flat |= {f"retrieval.documents.{rank}.document.{key}": value for key, value in held.items()}
            listed.append(held)
        feedback = [{"name": "user feedback", "annotator_kind": "HUMAN", "result": {"label": question.feedback}}]
        rows.append(
            {
                "name": "chain",
                **ids,
                "parent_id": None,
                "attributes": root,
                "annotations": feedback * bool(question.feedback),
            }
        )
        if number % 3 == 0:
            search = {"name": "search", **ids, "parent_id": "p", "attributes": flat}
        elif number % 3 == 1:
            nested = {"input": {"value": question.question}, "openinference": {"span": {"kind": "RETRIEVER"}}}
            nested["retrieval"] = {"documents": [{"document": held} for held in listed]}
            search = {"name": "search", **ids, "parent_id": "p", "attributes": nested}
        else:
            columns = [{f"document.{key}": value for key, value in held.items()} for held in listed]
            search = {"context.trace_id": f"t{number}", "parent_id": "p", "span_kind": "RETRIEVER"}
            search |= {"attributes.input.value": question.question, "attributes.retrieval.documents": columns}
        rows.append(search)
        if question.limit is not None:
            passed = {f"reranker.output_documents.{rank}.document.content": text.text for rank, text in enumerate(kept)}
            rows.append({"name": "rerank", **ids, "parent_id": "p", "attributes": passed})
    return lines(rows)


def opentelemetry(questions):
    """Return spans of OpenTelemetry's GenAI conventions, as OTLP's JSON with a request a line."""
    rows = []
    for number, question in enumerate(questions):
        kept = question.texts if question.limit is None else question.texts[: question.limit]
        retrieved = [{"id": text.chunk.id, "score": text.score, "content": text.text, **text.metadata} for text in kept]
        search = {
            "gen_ai.operation.name": "retrieval",
            "gen_ai.retrieval.query.text": question.question,
            "gen_ai.retrieval.documents": json.dumps(retrieved),
        }
        asked = json.dumps([{"role": "user", "parts": [{"type": "text", "content": question.question}]}])
        reply = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": question.answer}]}])
        root = {"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": asked, "gen_ai.output.messages": reply}
        root["metadata"] = json.dumps(metadata_of(question))
        verdict = {"gen_ai.evaluation.name": "user_feedback", "gen_ai.evaluation.score.label": question.feedback}
        events = [{"name": "gen_ai.evaluation.result", "attributes": otlp(verdict)}] * bool(question.feedback)
        spans = [
            {"traceId": f"t{number}", "spanId": "a", "parentSpanId": "", "attributes": otlp(root), "events": events},
            {"traceId": f"t{number}", "spanId": "b", "parentSpanId": "a", "attributes": otlp(search)},
        ]
        rows.append({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
    return lines(rows)


def otlp(attributes):
    return [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]


def langfuse(questions):
    """Return Langfuse's traces with observations and scores; what the retriever returns is as LangChain writes it."""
    from langchain_core.documents import Document as LangChainDocument

    traces = []
    for number, question in enumerate(questions):
        kept = question.texts if question.limit is None else question.texts[: question.limit]
        output = [
            dumpd(LangChainDocument(id=text.chunk.id, page_content=text.text, metadata=text.metadata))["kwargs"]
            for text in kept
        ]
        traces.append(
            {
                "id": f"t{number}",
                "name": "rag",
                "input": {"question": question.question},
                "output": {"answer": question.answer},
                "metadata": metadata_of(question),
                "observations": [
                    {"id": "a", "traceId": f"t{number}", "type": "GENERATION", "parentObservationId": "x", "output": "Hm."},
                    {"id": "b", "traceId": f"t{number}", "type": "RETRIEVER", "input": question.question, "output": output},
                ],
                "scores": [{"name": "user-feedback", "stringValue": question.feedback, "value": 0}]
                * bool(question.feedback),
            }
        )
    return json.dumps({"data": traces}, indent=1).encode()


def ragas(questions):
    """Return a data set of ragas, as CSV; it has no feedback."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(["user_input", "retrieved_contexts", "response", "reference_contexts"])
    for question in questions:
        kept = question.texts if question.limit is None else question.texts[: question.limit]
        excerpts = [] if question.excerpt is None else [question.excerpt]
        texts = json.dumps([text.text for text in kept], ensure_ascii=False)
        writer.writerow([question.question, texts, question.answer, json.dumps(excerpts, ensure_ascii=False)])
    return file.getvalue().encode()


def plain(questions):
    """Return plain JSON lines."""
    return lines(
        {
            "query": question.question,
            "retrieved": [
                {"text": text.text, "score": text.score, "id": text.chunk.id, "metadata": text.metadata}
                for text in question.texts
            ],
            "answer": question.answer,
            **({} if question.excerpt is None else {"excerpts": [question.excerpt]}),
            **({} if question.feedback is None else {"feedback": question.feedback}),
            **({} if question.limit is None else {"top_k": question.limit}),
        }
        for question in questions
    )


FORMATS = {
    "OpenInference": openinference,
    "OpenTelemetry": opentelemetry,
    "Langfuse": langfuse,
    "ragas": ragas,
    "plain rows": plain,
}
