"""Near-duplicates by shingles, against a comparison of every pair, and the places that they take in a ranking."""

import random
from itertools import combinations

import pytest

from evaluation.search.near_duplicates import (
    NEAR_DUPLICATE_SIMILARITY,
    find_near_duplicate_texts,
    find_repeated_word_runs,
    shingles,
)

WORDS = [f"word{number}" for number in range(300)]


def edited(words, changes, rng):
    words = list(words)
    for _ in range(changes):
        words[rng.randrange(len(words))] = rng.choice(WORDS)
    return words


def families(rng):
    """Return texts of 5 to 120 words, each with copies that have up to six words changed, shuffled."""
    texts = []
    for _ in range(15):
        words = rng.choices(WORDS, k=rng.randint(5, 120))
        texts += [" ".join(edited(words, changes, rng)) for changes in (0, 0, *rng.choices(range(7), k=4))]
    rng.shuffle(texts)
    return texts


def similarity(one, other):
    return len(one & other) / len(one | other)


def are_near(result, one, other):
    first, second = result.copies[one], result.copies[other]
    if first is None or second is None:
        return False
    return first == second or (min(first, second), max(first, second)) in {pair[:2] for pair in result.pairs}


@pytest.mark.parametrize("alike", [0.5, 0.7, NEAR_DUPLICATE_SIMILARITY, 1.0])
def test_every_pair_of_a_comparison_of_all_is_near_and_no_other(alike):
    texts = families(random.Random(int(alike * 10)))
    result = find_near_duplicate_texts(texts, alike)
    sets = [shingles(text) for text in texts]
    expected = {
        (one, other): similarity(sets[one], sets[other])
        for one, other in combinations(range(len(texts)), 2)
        if similarity(sets[one], sets[other]) >= alike
    }
    assert expected
    assert {pair for pair in combinations(range(len(texts)), 2) if are_near(result, *pair)} == expected.keys()
    assert {(first, second): pytest.approx(share) for first, second, share in result.pairs}.items() <= expected.items()
    for first, second in expected:
        assert sum({first, second} <= set(group) for group in result.groups) == 1


def test_case_punctuation_and_white_space_do_not_count_and_digits_do():
    texts = ["The fee is 3 euros, per day.", "the fee\nis 3 EUROS per day", "The fee is 4 euros, per day."]
    result = find_near_duplicate_texts(texts)
    assert result.pairs == ((0, 1, 1.0),)
    assert result.groups == ((0, 1),)


def test_chinese_is_read_by_character():
    text = "北京是中华人民共和国的首都也是全国的政治中心和文化中心这里有很多著名的历史古迹和大学还有许多博物馆"
    assert find_near_duplicate_texts([text, text.replace("许多", "几个", 1)], 0.7).groups == ((0, 1),)


def test_chunks_without_words_are_near_nothing():
    assert find_near_duplicate_texts(["---", "", "***", "Yes.", "yes"]).groups == ((3, 4),)


def test_the_first_of_many_copies_stands_for_all():
    texts = [*["the same header on every page"] * 1000, "something else"]
    result = find_near_duplicate_texts(texts)
    assert len(result.pairs) == 999
    assert are_near(result, 400, 900)
    assert not are_near(result, 400, 1000)


def test_places_of_a_ranking_are_taken_by_chunks_near_a_better_one():
    text = " ".join(WORDS[:60])
    texts = [text, "another text about something else", text + " more", "a third text about nothing", text]
    result = find_near_duplicate_texts(texts)
    assert result.repeats_of_better_ranked_chunks([2, 1, 0, 3, 4]) == [0, 4]
    assert result.repeats_of_better_ranked_chunks([1, 3]) == []


@pytest.mark.parametrize("seed", range(3))
def test_a_near_duplicate_is_repeated_by_the_document_at_least_as_much_as_they_are_alike(seed):
    texts = families(random.Random(seed))
    runs, start = find_repeated_word_runs("\n".join(texts)), 0
    shares = []
    for text in texts:
        shares.append(runs.repeated_share_of_passage(start, start + len(text)))
        start += len(text) + 1
    pairs = find_near_duplicate_texts(texts, 0.3).pairs
    assert pairs
    assert all(min(shares[pair.first], shares[pair.second]) >= pair.similarity for pair in pairs)
