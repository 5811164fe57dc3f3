"""Children searched and parents returned: as LangChain's ParentDocumentRetriever does, and measured by what is returned."""

import json
from dataclasses import replace

import numpy as np
import pytest

from chunkers import Document, InputError, build_chunker
from chunkers.results.parent_chunks import find_chunk_indices_with_children
from chunkers.results.result import Chunk
from evaluation.questions.corpus_ranges_and_rulers import CharacterRuler, Corpus, TokenRuler
from evaluation.questions.question_files import read_questions
from evaluation.retrieval.budget import LAST_CHUNK_CHOICES, Budgets, evaluate_at_budgets, fill_budget
from evaluation.retrieval.budgets_and_near_duplicates import measure_at_standard_budgets
from evaluation.retrieval.measures import (
    RANGE_UNITS,
    RETRIEVED_TEXT_MEASURES,
    evaluate_retrieval,
    excerpt_ranges,
    scores_of_retrieved_ranges,
)
from evaluation.retrieval.measures_as_json import encode_evaluation_as_json_bytes, evaluation_from_json
from evaluation.search.index import (
    NO_PARENTS_NOTE,
    PARENTS_AND_CHILDREN_SEARCHED_NOTE,
    PreparedQuestions,
    cut_and_index_corpus,
)
from evaluation.search.ranking import SEARCH_METHODS, Bm25
from evaluation.search.text_returned_for_chunks import RETURN_CHUNK_ITSELF, ReturnedText, copy_index_with_returned_text
from sample_docs import load_sample
from tests.support import HashEmbedder, tools

PARENT = ReturnedText.parse("parent")
TEXTS = {name: load_sample(name).text for name in ("article", "stubs", "faq")} | {"short": "The tide turns twice a day."}
CORPUS = Corpus(tuple(Document.from_text(text, "lines", name) for name, text in TEXTS.items()), exact_ends=True)
RULER = TokenRuler(CORPUS.joined_document.text, tools().tokenizer)
PARAGRAPHS = [part for text in TEXTS.values() for part in text.split("\n\n") if len(part) > 40][::4]
ASKED = "\n".join(json.dumps({"question": part[:60], "excerpts": [part.split(". ")[0]]}) for part in PARAGRAPHS)
QUESTIONS = read_questions(ASKED.encode(), "questions.jsonl", CORPUS).usable


def two_levels(overlap=0):
    parameters = {"size": 120, "unit": "characters", "overlap": overlap, "parent_size": 600, "separators": "langchain"}
    return build_chunker("recursive", parameters)


def indexed(method="embedding", overlap=0):
    index = cut_and_index_corpus(CORPUS, two_levels(overlap), tools(), search_method=method, only_children=True)
    return copy_index_with_returned_text(index, PARENT)


@pytest.mark.parametrize("overlap", [0, 40])
def test_they_are_those_of_a_parent_document_retriever_in_its_order(overlap):
    from langchain_classic.retrievers import ParentDocumentRetriever
    from langchain_core.documents import Document as TheirDocument
    from langchain_core.embeddings import Embeddings
    from langchain_core.stores import InMemoryStore
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    class Hashes(Embeddings):
        def embed_documents(self, texts):
            return HashEmbedder().encode(texts).astype(float).tolist()

        def embed_query(self, text):
            return self.embed_documents([text])[0]

    child, parent = (RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap) for size in (120, 600))
    theirs = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(Hashes()),
        docstore=InMemoryStore(),
        child_splitter=child,
        parent_splitter=parent,
        search_kwargs={"k": 6},
    )
    theirs.add_documents([TheirDocument(page_content=text) for text in TEXTS.values()])
    index = indexed(overlap=overlap)
    queries = PreparedQuestions.of(index, [question.text for question in QUESTIONS], tools())
    for question, row in zip(QUESTIONS, queries.ranked(np.arange(len(QUESTIONS)), 6).tolist(), strict=True):
        ours = list(
            dict.fromkeys(CORPUS.joined_document.text[start:end] for chunk in row for start, end in index.parents[chunk])
        )
        assert ours == [document.page_content for document in theirs.invoke(question.text)]
        if not overlap:
            assert ours == [
                CORPUS.joined_document.text[start:end]
                for spans in index.returned_spans_without_repeats(row)
                for start, end in spans
            ]


@pytest.mark.parametrize("method", SEARCH_METHODS)
def test_only_children_are_indexed_with_their_words_alone(method):
    index = indexed(method)
    whole = cut_and_index_corpus(CORPUS, two_levels(), tools(), search_method=method)
    parents = find_chunk_indices_with_children([Chunk.of(CORPUS.joined_document, *spans) for spans in whole.chunks])
    assert parents
    children = [number for number in range(len(whole.chunks)) if number not in parents]
    assert index.chunks == tuple(whole.chunks[number] for number in children)
    assert index.texts == tuple(whole.texts[number] for number in children)
    assert (whole.caveat, index.caveat) == (PARENTS_AND_CHILDREN_SEARCHED_NOTE, "")
    assert whole.parents is None
    # The short text is a parent and its only child.
    assert index.parents[-1] == index.chunks[-1]
    if index.bm25 is not None:
        assert whole.bm25 is not None
        words = Bm25(index.texts, "en")
        np.testing.assert_allclose(index.bm25.scores("a tide"), words.scores("a tide"))
    assert index.embedded == (0 if method == "bm25" else len(set(index.texts)))


@pytest.mark.parametrize("method", SEARCH_METHODS)
def test_parents_count_with_their_length_in_the_top_k_and_at_budgets(method):
    index = indexed(method)
    queries = PreparedQuestions.of(index, [question.text for question in QUESTIONS], tools())
    rankings = queries.ranked(np.arange(len(QUESTIONS)), len(index.chunks)).tolist()
    parents = [list(dict.fromkeys(index.parents[chunk] for chunk in row)) for row in rankings]
    evaluation = evaluate_retrieval(index, QUESTIONS, tools(), RULER, 4)
    first = [list(dict.fromkeys(index.parents[chunk] for chunk in row[:4])) for row in rankings]
    assert any(len(given) < 4 for given in first)
    spans = [[span for parent in given for span in parent] for given in first]
    assert evaluation.mean_retrieved_length(RULER) == pytest.approx(np.mean([RULER(given) for given in spans]))
    lengths = {"characters": CharacterRuler(), "tokens": RULER}
    for unit, length in lengths.items():
        for name in RETRIEVED_TEXT_MEASURES:
            expected = [
                scores_of_retrieved_ranges(excerpt_ranges(CORPUS, question), given, length)[name].value
                for question, given in zip(QUESTIONS, spans, strict=True)
            ]
            np.testing.assert_allclose(evaluation.values(name, unit), expected)
    for unit in RANGE_UNITS:
        for last in LAST_CHUNK_CHOICES:
            at = evaluate_at_budgets(index, QUESTIONS, tools(), RULER, Budgets((150, 700), unit, last))
            for size in (150, 700):
                expected = [
                    scores_of_retrieved_ranges(
                        excerpt_ranges(CORPUS, question),
                        [span for spans in fill_budget(given, size, lengths[unit], last) for span in spans],
                        lengths[unit],
                    )
                    for question, given in zip(QUESTIONS, parents, strict=True)
                ]
                recalls = [scores["recall"].value for scores in expected]
                np.testing.assert_allclose(at.question_values_at_budget("recall", size, unit), recalls)


def test_chunks_in_one_level_return_themselves_and_say_so():
    chunker = build_chunker("fixed_sentences", {"size": 2})
    plain = copy_index_with_returned_text(cut_and_index_corpus(CORPUS, chunker, tools()), RETURN_CHUNK_ITSELF)
    index = copy_index_with_returned_text(cut_and_index_corpus(CORPUS, chunker, tools(), only_children=True), PARENT)
    assert index.chunks == plain.chunks
    assert index.returns is None
    assert (plain.caveat, index.caveat) == ("", NO_PARENTS_NOTE)


def test_they_are_stored_with_the_evaluation_and_must_fit():
    index = indexed()
    evaluation = evaluate_retrieval(index, QUESTIONS, tools(), RULER)
    written = encode_evaluation_as_json_bytes(evaluation, measure_at_standard_budgets(index, QUESTIONS, tools(), RULER))
    again, _ = evaluation_from_json(written, CORPUS, QUESTIONS)
    assert copy_index_with_returned_text(again.searched_index, PARENT).returns == index.returns
    assert replace(again.searched_index, returns=None).parents == index.parents
    stored = json.loads(written)
    for parents in (stored["parents"][1:], [[0, 10**9]] * len(stored["parents"])):
        with pytest.raises(InputError, match="must lie within the"):
            evaluation_from_json(json.dumps(stored | {"parents": parents}).encode(), CORPUS, QUESTIONS)
    old = {name: value for name, value in stored.items() if name != "parents"}
    assert evaluation_from_json(json.dumps(old).encode(), CORPUS, QUESTIONS)[0].searched_index.parents is None
