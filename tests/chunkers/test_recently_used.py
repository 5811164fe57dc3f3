"""The cache forgets the least recently used entry, and makes an entry only once for concurrent callers."""

import threading

import pytest

from chunkers.support.lru_dict import LRUDict, cache_results_in


def test_the_least_recently_used_is_forgotten():
    entries = LRUDict(2)
    entries.update(a=1, b=2)
    assert entries["a"] == 1
    entries["c"] = 3
    assert dict(entries) == {"a": 1, "c": 3}
    assert entries.get("b") is None
    assert entries.setdefault("a", 9) == 1


def test_sizes_add_up_and_what_is_too_large_is_not_kept():
    entries = LRUDict(10, len)
    entries["a"], entries["b"] = "x" * 6, "y" * 4
    assert entries.total_size == 10
    entries["b"] = "y" * 3
    assert (len(entries), entries.total_size) == (2, 9)
    entries["c"] = "z" * 11
    assert [*entries] == ["a", "b"]
    entries["a"] = "x" * 11
    assert [*entries] == ["b"]
    entries.clear()
    assert (len(entries), entries.total_size) == (0, 0)


def test_who_asks_for_what_is_being_made_waits_for_it():
    began, go_on = threading.Event(), threading.Event()
    made = []

    @cache_results_in(LRUDict(4), lambda number: number)
    def make(number):
        began.set()
        assert go_on.wait(60)
        made.append(number)
        return str(number)

    returned = []
    threads = [threading.Thread(target=lambda: returned.append(make(1))) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert began.wait(60)
    go_on.set()
    for thread in threads:
        thread.join(60)
    assert (returned, made) == (["1"] * 3, [1])
    make.cache_clear()
    assert make(1) == "1"
    assert made == [1, 1]


def test_what_fails_is_tried_again():
    tries = []

    @cache_results_in(LRUDict(4), lambda: ())
    def make():
        tries.append(1)
        raise ValueError

    for _ in range(2):
        with pytest.raises(ValueError, match=r"^$"):
            make()
    assert len(tries) == 2
