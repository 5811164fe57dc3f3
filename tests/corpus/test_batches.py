"""A batch of documents in, a batch of their chunks out."""

import pickle

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import CHUNKERS, Chunking, Document, Gap, InputError, Reason, Recipe, Verdict
from chunkers.results.chunk_fields import MODEL_WRITTEN_COLUMNS, proposition_as_dict
from chunkers.results.result import Chunk
from chunkers.support.limits import MAX_FILE_BYTES
from corpus import CHUNKS, Chunks
from corpus.batch_chunking import chunk_ids_of_document, cut_gaps_before_chunks
from sample_docs import load_sample
from tests.properties.texts import texts
from tests.support import asking

PLAIN = {"embedder": "tfidf", "tokenizer": "words", "sentences": "regex"}
SENTENCES = {"recipe": 1, "chunker": "fixed_sentences", "parameters": {"size": 2}, **PLAIN}


def batch(**documents):
    return pa.table({"id": [*documents], "text": [*documents.values()]})


def rows(table):
    return table.to_pylist()


@pytest.mark.parametrize("chunker", [*CHUNKERS])
def test_every_chunker_gives_the_chunks_of_its_recipe(chunker):
    recipe = Recipe.model_validate({"chunker": chunker, **PLAIN})
    text = load_sample("three_topics").text
    wanted = recipe.run(text, "a")
    chunk_rows = rows(Chunks(recipe)(batch(a=text)))
    assert [row["text"] for row in chunk_rows] == [*wanted.texts]
    assert [row["spans"] for row in chunk_rows] == [[list(span) for span in chunk.spans] for chunk in wanted]
    assert [(row["start"], row["end"]) for row in chunk_rows] == [(chunk.start, chunk.end) for chunk in wanted]
    assert [row["tokens"] for row in chunk_rows] == [len(text.split()) for text in wanted.texts]
    assert [row["chunk"] for row in chunk_rows] == [*range(1, len(wanted) + 1)]
    cut = [gap.reason for gap in wanted.gaps if gap.verdict.is_cut]
    assert {row["cut_reason"] for row in chunk_rows} - {None} <= {*cut}
    assert chunk_rows[0]["cut_reason"] is None
    if all(len(chunk.spans) == 1 for chunk in wanted):
        assert [row["cut_reason"] for row in chunk_rows[1:]] == cut


@pytest.mark.slow
@settings(max_examples=40)
@given(st.lists(texts(), min_size=1, max_size=4), st.integers(1, 3))
def test_a_document_has_the_same_rows_whatever_is_beside_it(several, size):
    chunks = Chunks({**SENTENCES, "parameters": {"size": size}})
    documents = {f"d{number}": text for number, text in enumerate(several)}
    together = rows(chunks(batch(**documents)))
    alone = [row for name, text in documents.items() for row in rows(chunks(batch(**{name: text})))]
    assert together == alone
    assert len({row["chunk_id"] for row in together}) == len(together)
    for row in together:
        assert row["text"] == "\n".join(documents[row["document_id"]][start:end] for start, end in row["spans"])


def test_the_form_of_a_batch_is_kept_and_it_may_be_empty():
    chunks = Chunks(SENTENCES)
    table = batch(a="One. Two. Three.")
    given_batch = table.to_batches()[0]
    assert isinstance(chunks(table), pa.Table)
    assert isinstance(chunks(given_batch), pa.RecordBatch)
    assert [record_batch.num_rows for record_batch in chunks.cut_batches([given_batch, given_batch.slice(0, 0)])] == [2, 0]
    assert chunks(table).schema.equals(CHUNKS)
    assert chunks(table).schema.equals(chunks.schema, check_metadata=True)


def test_the_metadata_has_a_recipe_that_gives_the_same_chunks():
    chunks = Chunks(SENTENCES)
    told = chunks.schema.metadata
    recipe = Recipe.from_json(told[b"seamark.recipe"].decode())
    assert recipe.versions["seamark"]
    assert rows(Chunks(recipe)(batch(a="One. Two. Three."))) == rows(chunks(batch(a="One. Two. Three.")))
    assert told[b"seamark.model"] == b""


def test_an_id_stays_the_same_and_tells_document_recipe_and_place_apart():
    def ids(recipe, name="a", text="One. Two. Three. Four."):
        return [row["chunk_id"] for row in rows(Chunks(recipe)(batch(**{name: text})))]

    both = ids(SENTENCES)
    assert ids({**SENTENCES, "versions": {"seamark": "0.0.1"}}) == ids(SENTENCES, text="Ten. Six. Three. Four.") == both
    assert len({*both, *ids(SENTENCES, "b"), *ids({**SENTENCES, "tokenizer": "characters"})}) == 3 * len(both)
    # The id is in vector stores: it must never become another one.
    assert chunk_ids_of_document("a", b"recipe", [[(0, 9)], [(0, 9)], [(10, 20), (30, 40)]]) == [
        "96a8514bedb42c794d56ae1f60f62ea7",
        "460370aa213710a5e3d5693f8d9d6140",
        "a5d5cba61c8fb7e18cfb54c5ede7afb0",
    ]


def test_pages_headings_context_and_what_is_embedded():
    text = "# Guide\n\nOne. Two.\n\n## Install\n\nThree. Four."
    parts = {"kind": "page", "starts": [0, text.index("##")], "labels": ["iv", "1"]}
    table = pa.table({"id": ["a"], "text": [text], "parts": pa.array([parts])})
    first, *_, last = rows(Chunks({**SENTENCES, "parameters": {"size": 1}, "embedded_as": "heading_path"})(table))
    assert (first["page"], first["pages"], first["chapter"], first["heading_path"]) == (1, ["iv"], None, ["Guide"])
    assert (last["page"], last["pages"], last["chapter"], last["heading_path"]) == (2, ["1"], None, ["Guide", "Install"])
    assert last["text"] == "Four."
    assert last["embedded_as"] == "Guide > Install\n\nFour."


def test_a_document_that_cannot_be_cut_is_told_and_the_others_are_cut():
    told = []
    documents = pa.table({"id": ["a", "b", None, "c"], "text": ["One. Two.", None, "Three.", "x" * (MAX_FILE_BYTES + 1)]})
    chunk_rows = rows(Chunks(SENTENCES, problems=lambda *problem: told.append(problem))(documents))
    assert [row["document_id"] for row in chunk_rows] == ["a"]
    assert told == [
        ("b", "b: the text must be a str; got None."),
        ("None", "None: The id of a document must be a string; got None."),
        ("c", f"c: a document may have at most 20 MB, 20,000,000 bytes; this one has {MAX_FILE_BYTES + 1:,}."),
    ]
    with pytest.raises(InputError, match="b: the text must be a str; got None"):
        Chunks(SENTENCES)(documents)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (
            {"kind": "sheet", "starts": [0], "labels": ["1"]},
            "a: the kind of parts must be one of page, chapter, row, slide, cell; got 'sheet'.",
        ),
        (
            {"kind": "page", "starts": [4, 0], "labels": ["1", "2"]},
            "a: the parts must be in ascending order, each with a start",
        ),
        ({"kind": "page", "starts": [0], "labels": None}, "a: the parts must be in ascending order, each with a start"),
    ],
)
def test_wrong_parts_are_a_sentence(parts, said):
    table = pa.table({"id": ["a"], "text": ["One."], "parts": pa.array([parts])})
    with pytest.raises(InputError, match=said):
        Chunks(SENTENCES)(table)


def test_a_batch_without_texts_is_refused():
    with pytest.raises(InputError, match="must have the columns id and text; this batch has id, body"):
        Chunks(SENTENCES)(pa.table({"id": ["a"], "body": ["One."]}))


def test_it_is_pickled_as_its_recipe():
    chunks = Chunks(SENTENCES)
    chunks(batch(a="One. Two. Three."))
    again = pickle.loads(pickle.dumps(chunks))
    assert rows(again(batch(a="One. Two. Three."))) == rows(chunks(batch(a="One. Two. Three.")))
    assert len(pickle.dumps(chunks)) < 2_000


def test_the_cut_before_a_chunk_is_the_one_at_its_beginning():
    text = load_sample("three_topics").text
    overlapping = Recipe.model_validate({**SENTENCES, "parameters": {"size": 3, "overlap": 1}}).run(text)
    before = cut_gaps_before_chunks(overlapping)
    assert before[0] is None
    assert all(gap.reason.startswith("size 3 reached") for gap in before[1:])
    scattered = Recipe.model_validate({**SENTENCES, "chunker": "kmeans", "parameters": {}}).run(text)
    for chunk, gap in zip(scattered, cut_gaps_before_chunks(scattered), strict=True):
        assert gap is None or scattered.document.sentences[gap.index + 1].start == chunk.start


def test_no_cut_is_before_a_chunk_that_begins_with_another():
    document = Document.from_text("One.\nTwo.\nThree.", "lines")
    first, _, last = document.sentences
    gaps = [Gap(0, None, None, Verdict.KEPT, Reason(remark="kept")), Gap(1, None, None, Verdict.CUT, Reason(remark="cut"))]
    made = Chunking(document, (Chunk.of(document, first, last), Chunk.of(document, document.slice(0, 2))), tuple(gaps))
    assert cut_gaps_before_chunks(made) == [None, None]


def test_what_a_model_stated_is_the_text_of_its_rows():
    recipe = Recipe.model_validate({"chunker": "propositions", **PLAIN, "language_model": "openai:scripted"})
    text = "One thing.\nAnother thing here.\nA third."
    made = recipe.run(text, language_model=asking())
    chunk_rows = rows(Chunks(recipe, asking=asking())(batch(a=text)))
    assert [row["text"] for row in chunk_rows] == [*made.texts]
    assert any(row["text"] not in text for row in chunk_rows)
    assert [(row["title"], row["summary"]) for row in chunk_rows] == [
        (chunk.stated.title, chunk.stated.summary) for chunk in made
    ]
    assert all(row["title"] and row["summary"] for row in chunk_rows)
    told = [[proposition_as_dict(proposition) for proposition in chunk.stated.propositions] for chunk in made]
    assert [row["propositions"] for row in chunk_rows] == told
    (plain,) = rows(Chunks({**SENTENCES, "parameters": {"size": 9}})(batch(a=text)))
    assert [plain[name] for name in MODEL_WRITTEN_COLUMNS] == [None, None, None]


@pytest.mark.parametrize("chunker", ["llm", "lumber", "propositions"])
def test_what_asks_a_language_model_is_refused(chunker):
    with pytest.raises(InputError, match=f"{chunker} asks a language model, which is possible only in one process"):
        Chunks({"chunker": chunker, **PLAIN, "language_model": "openai:some"})


def test_what_asks_stays_in_its_process():
    chunks = Chunks({"chunker": "llm", **PLAIN}, asking=asking())
    with pytest.raises(InputError, match="must stay in one process"):
        pickle.dumps(chunks)
