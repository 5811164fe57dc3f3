"""Context sentences: what the model is shown, what is embedded, and what becomes of answers that cannot be used."""

import json
import re
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Document, InputError, Recipe, chunk, run_chunker
from chunkers.commands.chunk_command import main
from chunkers.contract.base import Estimate
from chunkers.embedders import Embedder
from chunkers.language_models.base import Reply
from chunkers.language_models.prompts import CONTEXT_SYSTEM_PROMPT
from chunkers.language_models.spending import SpendingLimit
from chunkers.methods.fixed_sentences import FixedSentences
from chunkers.recipes.model_written_context import (
    ESTIMATED_ANSWER_TOKENS,
    LONGEST_CONTEXT_SENTENCE,
    LONGEST_EXTRACT_CHARACTERS,
    MISSING_MODEL_MESSAGE,
    document_extract_span,
    estimate_context_requests,
)
from chunkers.recipes.result_export import to_jsonl
from chunkers.results.chunk_fields import embedded_text
from evaluation.questions.corpus_ranges_and_rulers import Corpus
from evaluation.questions.question_files import Question
from evaluation.search.index import cut_and_index_corpus, search_for_all_questions
from sample_docs import load_sample
from tests.server import ChatModelServer
from tests.support import ScriptedModel, asking, tools

TOO_LONG = load_sample("essay").text[: 2 * LONGEST_CONTEXT_SENTENCE]

TEXT = "Acme grew in 2023. It earned 3 million.\n\nBolt shrank in 2024. It lost 2 million."


def passage_of(question):
    return question.partition("The passage:\n\n")[2].rpartition("\n\nWhere does")[0]


class Situating(ScriptedModel):
    """A model that says of each passage what ``say`` does."""

    def __init__(self, say):
        super().__init__()
        self.say = say

    def answer(self, messages):
        reply = self.say(passage_of(messages[1].text))
        return reply if isinstance(reply, Reply) else Reply(reply, 10, 2)


def company(passage):
    return "On Acme." if "3 million" in passage or "Acme" in passage else "On  Bolt,\nin 2024."


def cut(model, text=TEXT, **others):
    return chunk(text, FixedSentences(size=1), embedder="tfidf", tokenizer="words", language_model=model, **others)


def test_what_is_embedded_is_the_models_sentence_and_the_chunk_and_the_chunk_stays_what_it_is():
    model = Situating(company)
    plain, made = cut(None), cut(asking(model), embedded_as="context")
    assert (made.texts, [piece.spans for piece in made]) == (plain.texts, [piece.spans for piece in plain])
    texts = [embedded_text(made.document, piece, "context") for piece in made]
    assert texts[1] == "On Acme.\n\nIt earned 3 million."
    assert texts[3] == "On Bolt, in 2024.\n\nIt lost 2 million."
    assert [json.loads(line)["embedded_as"] for line in to_jsonl(made).splitlines()] == texts
    assert (made.recipe.embedded_as, made.recipe.language_model) == ("context", "openai:scripted")
    assert (made.spending.requests, made.notes) == (4, ())
    for messages in model.asked:
        assert messages[0].text == CONTEXT_SYSTEM_PROMPT
        # The document comes first, the same for all chunks.
        assert messages[1].text.startswith(f"The document:\n\n{TEXT}\n\nThe passage:")


class Bag(Embedder):
    """Counts words, so that every cosine can be worked out by hand."""

    name = "bag"
    revision = "1"
    words: ClassVar = re.findall(r"\w+", "what profit had acme grew the sum was ten bolt shrank it nothing")

    def ensure_loaded(self):
        pass

    def encode(self, texts):
        tokenized = [re.findall(r"\w+", text.lower()) for text in texts]
        counts = np.array([[tokens.count(word) for word in self.words] for tokens in tokenized], np.float32)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)


def test_the_context_finds_what_the_chunk_alone_does_not_say():
    """Worked by hand: of the question's 4 words the answer has none, and the other company's question 2 of its 4."""
    text = "Acme grew. The sum was ten. Bolt shrank. What profit was it?"
    model = Situating(lambda passage: "What profit Acme had." if "ten" in passage else "Nothing.")
    with_tools = tools(Bag(), asking=asking(model))
    corpus = Corpus((Document.from_text(text, "regex", "a.txt"),))
    question, best, cosines = Question("What profit had Acme?", ()), {}, {}
    for way in ("plain", "context"):
        index = cut_and_index_corpus(corpus, FixedSentences(size=1), with_tools, way)
        best[way] = index.texts[search_for_all_questions(index, [question], with_tools, 4).ranked[0][0]]
        cosines[way] = (index.vectors @ Bag().encode([question.text])[0]).tolist()
    assert best == {"plain": "What profit was it?", "context": "What profit Acme had.\n\nThe sum was ten."}
    assert cosines["plain"] == pytest.approx([1 / (2 * 2**0.5), 0, 0, 2 / (2 * 2)])
    assert cosines["context"] == pytest.approx([1 / (2 * 3**0.5), 4 / (2 * 8**0.5), 0, 2 / (2 * 5**0.5)])


@pytest.mark.parametrize("method", ["bm25", "hybrid"])
def test_the_words_of_the_context_are_indexed_with_those_of_the_chunk(method):
    """By words the question has two in common with another company's passage, and none with the answer without a context."""
    text = "Acme grew. The sum was ten. Bolt shrank. What profit was it? It rained."
    model = Situating(lambda passage: "What profit Acme had." if "ten" in passage else "Nothing.")
    with_tools = tools(Bag(), asking=asking(model))
    corpus = Corpus((Document.from_text(text, "regex", "a.txt"),))
    best = {}
    for way in ("plain", "context"):
        index = cut_and_index_corpus(corpus, FixedSentences(size=1), with_tools, way, method)
        (ranked,) = search_for_all_questions(index, [Question("What profit had Acme?", ())], with_tools, 5).ranked
        best[way] = index.texts[ranked[0]]
        assert index.vectors.shape == (5, 0 if method == "bm25" else len(Bag.words))
    assert best == {"plain": "What profit was it?", "context": "What profit Acme had.\n\nThe sum was ten."}


@pytest.mark.parametrize("answer", ["", "  \n", TOO_LONG, Reply("", 1, 0, "refused"), Reply("On Ac", 1, 1, "cut")])
def test_what_cannot_be_used_is_asked_for_again_and_then_left_out_and_counted(answer):
    model = Situating(lambda passage: answer if "3 million" in passage else "On it.")
    made = cut(asking(model), embedded_as="context")
    assert [bool(piece.situation) for piece in made] == [True, False, True, True]
    assert embedded_text(made.document, made[1], "context") == made[1].text
    assert made.notes == (
        "The model gave no usable context of 1 of 4 chunks, though it was asked up to 3 times; it is embedded without.",
    )
    assert len(model.asked) == 3 + 3


def test_answers_are_remembered_and_the_limit_stops():
    model = Situating(company)
    ask = asking(model)
    again = [cut(ask, embedded_as="context") for _ in range(2)]
    assert again[0] == again[1]
    assert (len(model.asked), again[1].spending.remembered) == (4, 4)
    with pytest.raises(InputError, match="the spending limit is 900 tokens"):
        cut(asking(model, limit=SpendingLimit(900)), embedded_as="context")


def test_without_a_model_one_sentence_says_so_and_a_recipe_names_it():
    for make in (
        lambda: cut(None, embedded_as="context"),
        lambda: Recipe(chunker="recursive", embedded_as="context", embedder="tfidf").run(TEXT),
    ):
        with pytest.raises(InputError) as caught:
            make()
        assert str(caught.value) == MISSING_MODEL_MESSAGE
    recipe = Recipe.from_json(cut(asking(Situating(company)), embedded_as="context").recipe.to_json())
    assert recipe.run(TEXT, language_model=asking(Situating(company))).chunks[1].situation == "On Acme."


def test_the_estimate_counts_every_chunk_with_the_document():
    made = cut(None)
    model = Situating(company)
    run_chunker(FixedSentences(size=1), made.document, tools(asking=asking(model)), "context")
    sent = [message.text for messages in model.asked for message in messages]
    requests, tokens, answers = estimate_context_requests(made, tools())
    assert requests == len(made)
    assert answers == ESTIMATED_ANSWER_TOKENS * len(made)
    assert tokens == pytest.approx(sum(tools().count_tokens(sent)), rel=0.05)
    assert estimate_context_requests(cut(None, text=" "), tools()) == Estimate(0, 0)


@pytest.mark.full
@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(1, 200), st.integers(0, 3), st.booleans())
def test_of_a_long_document_the_model_is_shown_what_holds_the_chunk_and_no_more_than_allowed(sentences, deep, headed):
    line = "A bell is struck by the sea at night, and nobody hears it. "
    part = (f"{'#' * (deep + 1)} Part\n\n" if headed else "") + line * sentences + "\n\n"
    document = Document.from_text(part * (3 * LONGEST_EXTRACT_CHARACTERS // len(part) + 2), "regex")
    chunks = run_chunker(FixedSentences(size=2), document, tools()).chunks
    for piece in chunks[:: max(1, len(chunks) // 20)]:
        start, end = document_extract_span(document, piece)
        assert start <= piece.start < piece.end <= end
        assert end - start <= LONGEST_EXTRACT_CHARACTERS
    short = Document.from_text(part[:LONGEST_EXTRACT_CHARACTERS], "regex")
    assert document_extract_span(short, run_chunker(FixedSentences(size=2), short, tools()).chunks[0]) == (
        0,
        len(short.text),
    )


def test_the_command_line_writes_what_is_embedded(tmp_path, capsys, monkeypatch, serve):
    http = serve(ChatModelServer, lambda messages: company(passage_of(messages[1]["content"])))
    monkeypatch.setenv("OPENAI_BASE_URL", http.address)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    file = tmp_path / "a.txt"
    file.write_text(TEXT)
    command = ["--chunker", "fixed_sentences:size=1", "--embedder", "tfidf", "--tokenizer", "words", str(file)]
    assert main([*command, "--embedded-as", "context"]) == 2
    assert "A context sentence needs a language model; name it with --language-model" in capsys.readouterr().err
    assert main([*command, "--embedded-as", "context", "--language-model", "openai:test"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["chunks"][1]["embedded_as"] == "On Acme.\n\nIt earned 3 million."
    assert told["recipe"]["language_model"] == "openai:test"
    assert len(http.requests) == 4
