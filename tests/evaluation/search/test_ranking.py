"""Rankings for one question: BM25 beside `bm25s` called plainly, fusion worked by hand, a cross-encoder made here."""

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers.support.errors import ModelError
from evaluation.search.ranking import (
    Bm25,
    Ranking,
    Reranker,
    fuse_rankings,
    nearest_vector_indices_per_query,
    rank_by_embedding,
    rank_by_score,
    reorder_first_chunks,
)

TEXTS = [
    "The tide comes in twice a day, and the tide goes out again.",
    "Bread needs salt, flour and time.",
    "",
    "A day at the sea: salt on the skin, and the tide far out.",
    "Nothing of all that is said here.",
]


def plain(texts, question, stop_words):
    """Return the result of `bm25s` by its own example: tokenize, index, retrieve."""
    retriever = bm25s.BM25()
    retriever.index(bm25s.tokenize(texts, stopwords=stop_words, show_progress=False), show_progress=False)
    asked = bm25s.tokenize([question], stopwords=stop_words, show_progress=False)
    numbers, scores = retriever.retrieve(asked, k=len(texts), show_progress=False)
    return dict(zip(numbers[0].tolist(), scores[0].tolist(), strict=True))


@pytest.mark.parametrize("question", ["When does the tide come in?", "salt and flour", "a day out", "known", "zebra"])
@pytest.mark.parametrize(("language", "stop_words"), [("en", "english"), ("de", [])])
def test_bm25_is_that_of_bm25s_called_plainly(question, language, stop_words):
    wanted = plain(TEXTS, question, stop_words)
    scores = Bm25(TEXTS, language).scores(question)
    np.testing.assert_allclose(scores, [wanted[number] for number in range(len(TEXTS))], rtol=1e-6)
    ranking = rank_by_score(scores)
    assert [wanted[chunk] for chunk in ranking.order] == sorted(
        (score for score in wanted.values() if score > 0), reverse=True
    )


@settings(deadline=None, max_examples=40)
@given(st.lists(st.text("abcdé 12.,-\n", max_size=30), min_size=1, max_size=8), st.text("abcdé 12.", max_size=20))
def test_bm25_of_any_texts_is_that_of_bm25s(texts, question):
    scores = Bm25(texts, "de").scores(question)
    if not any(bm25s.tokenize(texts, stopwords=[], return_ids=False, show_progress=False)):
        # It does not index texts without words.
        assert not scores.any()
        return
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, stopwords=[], return_ids=False, show_progress=False), show_progress=False)
    asked = bm25s.tokenize([question], stopwords=[], return_ids=False, show_progress=False)[0]
    known = [word for word in asked if word in index.vocab_dict]
    np.testing.assert_allclose(scores, index.get_scores(known) if known else np.zeros(len(texts)), rtol=1e-6)


def test_stop_words_are_left_out_of_english_alone():
    assert not Bm25(["the tide and the sea"], "en").scores("the and").any()
    assert Bm25(["die Flut und die See"], "de").scores("die und").all()


def test_scripts_without_spaces_are_searched_by_character():
    scores = Bm25(["潮水每天涨两次。", "面包需要盐和面粉。"], "zh").scores("什么时候涨潮？")
    assert scores[0] > 0
    assert scores[1] == 0
    arabic = Bm25(["يأتي المد مرتين في اليوم", "الخبز يحتاج إلى الملح"], "ar").scores("المد")
    assert arabic[0] > 0
    assert arabic[1] == 0


def test_fusion_worked_by_hand():
    one = Ranking(np.array([2, 0, 1]), np.array([0.9, 0.5, 0.1]))
    other = Ranking(np.array([0, 3]), np.array([7.0, 2.0]))
    both = fuse_rankings([one, other], 5)
    # 0 is second and first, 2 is first, 3 is second, 1 is third; 4 is in neither.
    assert both.order.tolist() == [0, 2, 3, 1]
    np.testing.assert_allclose(both.scores, [1 / 62 + 1 / 61, 1 / 61, 1 / 62, 1 / 63])
    # Of equals the earlier chunk comes first.
    assert fuse_rankings([Ranking(np.array([1]), np.ones(1)), Ranking(np.array([0]), np.ones(1))], 2).order.tolist() == [
        0,
        1,
    ]


def test_dense_ranks_are_those_of_nearest():
    random = np.random.default_rng(0)
    vectors = random.normal(size=(40, 6)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[7] = vectors[3]
    ranking = rank_by_embedding(vectors[3], vectors)
    assert ranking.order.tolist() == nearest_vector_indices_per_query(vectors[3:4], vectors, 40)[0].tolist()
    assert ranking.order[:2].tolist() == [3, 7]
    np.testing.assert_allclose(ranking.scores, vectors[ranking.order] @ vectors[3], rtol=1e-6)
    assert not len(rank_by_embedding(vectors[0], vectors[:0]).order)


def test_a_cross_encoder_orders_the_first_and_leaves_the_others():
    ranking = Ranking(np.array([4, 2, 0, 1]), np.array([4.0, 3.0, 2.0, 1.0]))
    again = reorder_first_chunks(ranking, np.array([0.1, 0.3, 0.2]))
    assert again.order.tolist() == [2, 0, 4, 1]
    np.testing.assert_allclose(again.scores, [0.3, 0.2, 0.1, np.nan])


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory):
    """Save a cross-encoder of one small layer."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("models") / "cross"
    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "tide", "comes", "in", "bread", "needs", "salt", ".", "?"]
    (folder / "vocab.txt").write_text("\n".join(words))
    config = BertConfig(
        vocab_size=len(words), hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8, num_labels=1
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


@pytest.mark.full
def test_a_cross_encoder_from_a_folder_scores_pairs(cross_encoder):
    from sentence_transformers import CrossEncoder

    texts = ["The tide comes in.", "Bread needs salt."]
    reranker = Reranker(str(cross_encoder))
    scores = reranker.scores("The tide?", texts)
    wanted = CrossEncoder(str(cross_encoder), local_files_only=True).predict([("The tide?", text) for text in texts])
    np.testing.assert_allclose(scores, wanted, rtol=1e-5)
    assert len(reranker.scores("The tide?", [])) == 0


@pytest.mark.full
def test_what_is_no_cross_encoder_is_a_sentence(tmp_path):
    with pytest.raises(
        ModelError, match=r"must be a folder on this machine; this folder does not exist\. Check its path\.$"
    ):
        Reranker("cross-encoder/ms-marco-MiniLM-L6-v2").scores("a", ["b"])
    with pytest.raises(ModelError, match="must contain a cross-encoder"):
        Reranker(str(tmp_path)).scores("a", ["b"])
