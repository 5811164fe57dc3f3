"""Of several threads that need one value, one computes it; others are not held up."""

import threading

import pytest

from evaluation.retrieval.computed_reports import make_lru_cache
from tests.support import LIMIT


def test_a_value_is_computed_once_and_the_least_used_goes():
    cache, made = make_lru_cache(2), []

    def get(key):
        return cache(key, lambda: made.append(key) or key.upper())

    assert [get(key) for key in ("a", "b", "a", "c", "a", "b")] == ["A", "B", "A", "C", "A", "B"]
    assert made == ["a", "b", "c", "b"]


def test_undefined_is_a_value_and_an_error_is_none():
    cache, made = make_lru_cache(2), []
    assert [cache("a", lambda: made.append(1)) for _ in range(2)] == [None, None]
    assert made == [1]
    with pytest.raises(ZeroDivisionError):
        cache("b", lambda: 1 // 0)
    assert cache("b", lambda: 5) == 5


def test_threads_wait_for_one_value_and_for_no_other():
    cache, made = make_lru_cache(4), []
    begun, go_on = threading.Event(), threading.Event()

    def slow():
        begun.set()
        assert go_on.wait(LIMIT)
        made.append("a")
        return "A"

    returned = []
    first = threading.Thread(target=lambda: returned.append(cache("a", slow)))
    first.start()
    assert begun.wait(LIMIT)
    second = threading.Thread(target=lambda: returned.append(cache("a", slow)))
    second.start()
    # Another value, while the first is being computed.
    assert cache("b", lambda: "B") == "B"
    go_on.set()
    for thread in (first, second):
        thread.join(LIMIT)
    assert returned == ["A", "A"]
    assert made == ["a"]
