"""Numbers and times as the pages write them."""

import math

import pytest

from chunkers import Timing
from chunkers.support.formatting import pluralize
from viz.theme.number_formats import (
    duration_in_words,
    embedding_time_in_words,
    known_boundary_count_phrase,
    stage_times_in_words,
)

TIMES = [
    (0.0004, "<0.01 ms"),
    (0.123, "0.12 ms"),
    (9.87, "9.9 ms"),
    (12.3, "12 ms"),
    (999.4, "999 ms"),
    (999.6, "1 s"),
    (99_500, "99.5 s"),
    (116_000, "116 s"),
    (5_123_000, "5,120 s"),
]


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(("ms", "said"), TIMES)
def test_times_have_their_unit(ms, said):
    assert plain(duration_in_words(ms)) == said


def timing(split=0.11, decide=0.64, merge=0.0, embedded=0, cached=16, cold=140.0):
    return Timing(split, 0.2, embedded, cached, cold, decide, merge)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (timing(), "split 0.11 · decide 0.64 ms"),
        (timing(merge=0.3), "split 0.11 · decide 0.64 · merge 0.3 ms"),
        (timing(decide=2500), "split 0.11 ms · decide 2.5 s"),
        (timing(split=1200, decide=2500), "split 1.2 s · decide 2.5 s"),
    ],
)
def test_stages_of_one_unit_say_it_once(made, said):
    assert plain(stage_times_in_words(made)) == said


def test_embeddings_say_what_they_cost():
    assert plain(embedding_time_in_words(timing(cold=116_000))) == "all 16 cached, 0.2 ms (cold 116 s)"
    assert plain(embedding_time_in_words(timing(embedded=4))) == "0.2 ms for 4 new, 16 cached"
    assert plain(embedding_time_in_words(timing(cold=math.nan))) == "all 16 cached, 0.2 ms"


def test_a_noun_is_in_the_plural_unless_there_is_one():
    assert [pluralize(count, "chunk") for count in (0, 1, 1200)] == ["0 chunks", "1 chunk", "1,200 chunks"]
    assert [known_boundary_count_phrase(count) for count in (1, 2)] == ["1 known boundary", "2 known boundaries"]
