"""Tables of the terminal: names on the left, cells aligned on the right."""

from chunkers.support.formatting import text_table


def test_cells_stand_below_their_heads_whatever_is_longer():
    table = text_table("Title", ["a", "a long head"], [("one", "1", "2"), ("a longer name", "1,000", "3")])
    assert table.splitlines() == [
        "Title",
        "                   a  a long head",
        "one                1            2",
        "a longer name  1,000            3",
    ]


def test_a_column_has_its_minimum_width_and_more_where_it_must():
    assert text_table("T", ["a"], [("n", "1")], 6).splitlines() == ["T", "      a", "n     1"]
    assert text_table("T", ["a"], [("n", "1234567")], 6).splitlines() == ["T", "         a", "n  1234567"]
