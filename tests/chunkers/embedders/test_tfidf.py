"""TF-IDF: fitted on a document, in any language, with thresholds of its own."""

import pytest

from chunkers import CHUNKERS, Document, ModelError, chunk, load_embedder
from sample_docs import load_sample


@pytest.mark.parametrize(
    "text",
    [
        "",
        "One.",
        "...",
        "?!\n--\n...",
        "a\nb",
        "the\nthe\nthe and of",
        "é",
        "\U0001f600\n\U0001f600 \U0001f600",
        "x" * 5000,
        "。\n。",
    ],
)
@pytest.mark.parametrize("name", sorted(name for name, kind in CHUNKERS.items() if kind.embeds))
def test_tfidf_of_a_document_that_says_little(text, name):
    result = chunk(text, name, sentences="lines", embedder="tfidf", tokenizer="words")
    assert "".join("".join(piece.text.split()) for piece in result.chunks) == "".join(text.split())


def test_tfidf_knows_the_words_of_languages_that_do_not_part_them():
    text = "猫は魚を食べる。\n猫は魚が好きだ。\n株価は昨日上がった。\n昨日の株価は高い。"
    embedder = load_embedder("tfidf").for_document(Document.from_text(text, "lines"))
    vectors = embedder.encode(text.split("\n"))
    similar = (vectors[:-1] * vectors[1:]).sum(axis=1)
    assert similar[1] < min(similar[0], similar[2]) / 5


def test_tfidf_is_fitted_once_a_document_and_gives_the_same_again():
    sample = load_sample("stubs")
    document = Document.from_text(sample.text, sample.sentences)
    embedder = load_embedder("tfidf")
    fitted = embedder.for_document(document)
    assert fitted is embedder.for_document(Document.from_text(sample.text, sample.sentences))
    assert fitted.revision != embedder.for_document(Document.from_text(sample.text, "paragraphs")).revision
    again = type(embedder)().for_document(document)
    assert (fitted.encode(document.sentence_texts) == again.encode(document.sentence_texts)).all()
    with pytest.raises(ModelError, match="must be fitted on a document"):
        embedder.encode(["text"])


def test_tfidfs_thresholds_are_better_than_the_declared_ones():
    sample = load_sample("three_topics")
    declared = {field.name: field.default for field in CHUNKERS["double_pass"].fields()}
    starts = []
    for parameters in ({}, declared):
        result = chunk(sample.text, "double_pass", sentences=sample.sentences, embedder="tfidf", **parameters)
        starts.append([piece.start for piece in result.chunks[1:]])
    assert starts[0] == list(sample.known)
    assert starts[1] != starts[0]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("text", ["Hi there. " * 20, "Hi there.", "a a. a a.", "é. é. é."])
def test_sentences_that_are_all_alike_are_no_warning_from_tfidf(text):
    assert len(chunk(text, "breakpoint", embedder="tfidf", sentences="regex")) == 1
