"""The scores of all columns side by side, and their ranking."""

import json

from chunkers import chunk, load_tokenizer
from chunkers.recipes.result_export import to_jsonl
from evaluation.report.measure_table_cells import Cell
from sample_docs import load_sample
from tests.viz.app_steps import sent, settled
from viz.components.score_table.score_table import flag_best_cells_in_column, score_table_row
from viz.state.shown_text import TextWithDetails

TEXT = "One a. One b.\n\nTwo a. Two b.\n\nThree a. Three b."


def scores(app, view, text=None, **query):
    """Show a view of a sample, or of a text of one's own, of which no boundaries are known."""
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    if text is not None:
        app.session_state["own"] = TextWithDetails(text, "Mine")
        app.session_state["choices"]["compare"].document = "own"
    settled(app)
    next(control for control in app.segmented_control if control.key == "below").set_value(view).run()
    assert not app.exception
    return sent(app, "heads")


def by_head(data):
    """Return the cells of every row by their heads."""
    return [
        dict(zip([head["label"] for head in data["heads"]], row["cells"], strict=False)) | {"title": row["title"]}
        for row in data["rows"]
    ]


def test_every_column_has_its_row_of_numbers(app):
    data = scores(app, "Scores")
    fixed, breakpoint_, double = rows = by_head(data)
    assert [row["title"] for row in rows] == ["Fixed sentences", "Breakpoint", "Double pass"]
    assert [row["Chunks"]["text"] for row in rows] == ["4", "6", "4"]
    counts = [[row[name]["value"] for name in ("Found", "Missed", "Added")] for row in rows]
    assert counts == [[1, 2, 2], [3, 0, 2], [3, 0, 0]]
    assert [row["Missed"]["best"] for row in rows] == [False, True, True]
    assert [row["Added"]["best"] for row in rows] == [False, False, True]
    assert (fixed["Embed"]["text"], fixed["Embed"]["why"]) == ("–", "It embeds nothing.")
    assert breakpoint_["Embed"]["value"] > 0
    # The model reads 256 tokens, two of them special; the table and the report count none of these.
    assert data["limit"] == 254
    assert "254 tokens, besides 2 special tokens" in data["note"]
    texts = [chunk.text for chunk in chunk(load_sample("stubs").text, "fixed_sentences", size=4).chunks]
    assert fixed["Tokens"]["dots"] == load_tokenizer().count(texts)
    assert len(double["Tokens"]["dots"]) == 4
    least, _, most = double["Tokens"]["text"].split(" · ")
    assert (min(double["Tokens"]["dots"]), max(double["Tokens"]["dots"])) == (int(least), int(most))
    # Neither a number of chunks nor a size is better than another.
    assert not any(row[name]["best"] for row in rows for name in ("Chunks", "Tokens"))


def test_without_known_boundaries_nothing_is_found_or_missed(app):
    data = scores(app, "Scores", TEXT, embedder="tfidf")
    assert [head["label"] for head in data["heads"]] == ["Chunks", "Tokens", "Suspicious", "Decide", "Embed"]
    assert data["limit"] is None


def test_the_ranking_by_known_boundaries_says_that_four_sections_are_too_few(app):
    data = scores(app, "Which is best?")
    rows = by_head(data)
    assert [row["title"] for row in rows[:2]] == ["Double pass", "Breakpoint"]
    assert {row["title"] for row in rows if row["title"].islower()} == {
        "no cut",
        "3 cuts evenly spaced",
        "3 cuts at random places",
    }
    assert [row["Boundary F1"]["text"] for row in rows[:2]] == ["1.00", "0.75"]
    assert [row["Pk"]["text"] for row in rows[:2]] == ["0.00", "0.29"]
    assert data["said"].startswith("Double pass (column 3) comes first, but not significantly: Breakpoint")
    assert "a significant difference takes at least 9 sections; there are 4." in data["said"]


def test_the_ranking_by_structure_where_nothing_is_known(app):
    data = scores(
        app, "Which is best?", TEXT, embedder="tfidf", c1="fixed_characters", c2="fixed_sentences", **{"c1.size": "8"}
    )
    rows = by_head(data)
    assert "No boundaries are known: this is by structure" in data["said"]
    for ranked in rows:
        inside = ranked["Inside sentences"]["value"] + ranked["Inside blocks"]["value"]
        assert ranked["Cuts"]["value"] >= ranked["Between paragraphs"]["value"] + inside
    values = [ranked["Points per cut"]["value"] for ranked in rows]
    assert values == sorted(values, key=lambda value: -2 if value is None else value, reverse=True)
    assert rows[-1]["title"] == "Fixed characters" or values[-1] is None


def test_structure_stands_apart_where_the_ranking_is_by_structure(app):
    words = {"embedder": "tfidf", "c1": "structure", "c2": "fixed_sentences", "c3": "fixed_characters", "c3.size": "8"}
    data = scores(app, "Which is best?", TEXT, **words)
    rows = by_head(data)
    assert rows[-1]["title"] == "Structure"
    assert [ranked["settings"].endswith("not ranked") for ranked in data["rows"]] == [False, False, True]
    assert "Structure (column 1) reads the same blocks: to rank it would be circular" in data["said"]
    assert [ranked["Blocks whole"]["text"] for ranked in rows] == ["0 of 0"] * 3
    for ranked in rows:
        assert ranked["Sentences"]["value"] > 0
        assert ranked["Tokens"]["value"] > 0


def test_the_best_is_marked_unless_all_are_equal():
    def best(values, better):
        rows = [score_table_row(0, "", score_cells=[Cell("", value)]) for value in values]
        flag_best_cells_in_column(rows, 0, better)
        return [marked["cells"][0]["best"] for marked in rows]

    assert best([3, 1, None, 1], min) == [False, True, False, True]
    assert best([3, 1, None], max) == [True, False, False]
    assert best([2, 2], min) == [False, False]
    assert best([2, None], min) == [False, False]


LONG = " ".join(f"The tide at pier {number} comes in and goes out again twice a day." for number in range(40))
UNCUT = {"embedder": "tfidf", "c1": "breakpoint", "c1.threshold": "distance", "c1.amount": "1.9"}


def test_a_column_whose_chunks_are_long_for_want_of_a_maximum_size_is_named(app):
    note = scores(app, "Which is best?", LONG, **UNCUT)["note"]
    assert "Without a maximum size, Breakpoint has a chunk of 600 tokens." in note
    assert "“For retrieval”" in note


def test_a_column_with_a_maximum_size_is_not(app):
    note = scores(app, "Which is best?", LONG, **UNCUT, **{"c1.max_size": "250", "c1.size_unit": "tokens"})["note"]
    assert "maximum size" not in note


def test_what_changes_if_a_column_replaces_the_selected_one(app):
    query = {"c1": "fixed_sentences", "c1.size": "3", "c2": "fixed_sentences", "c2.size": "3", "c2.overlap": "1"}
    query |= {"c3": "fixed_sentences", "c3.size": "3", "embedder": "tfidf", "sentences": "regex", "selected": "3"}
    data = scores(app, "Diff", **query)
    two, three = (
        chunk(load_sample("stubs").text, "fixed_sentences", sentences="regex", size=3, overlap=overlap).texts
        for overlap in (1, 0)
    )
    same, other, selected = by_head(data)
    assert data["said"].startswith("An index of column 3, replaced by one of another column.")
    assert (same["Kept"]["value"], same["Tokens again"]["value"]) == (len(three), 0)
    assert (selected["Chunks"]["value"], selected["Kept"]["text"]) == (len(three), "–")
    fresh, old = [text for text in two if text not in three], [text for text in three if text not in two]
    assert len(fresh) > len(old) > 0
    numbers = [other[name]["value"] for name in ("Chunks", "Kept", "Changed", "New", "Gone", "Tokens again")]
    tokens = sum(load_tokenizer().count(fresh))
    assert numbers == [len(two), len(two) - len(fresh), len(old), len(fresh) - len(old), 0, tokens]
    assert other["Share"]["why"] == f"of {sum(load_tokenizer().count(two)):,} tokens"


def test_what_changes_counts_the_embedded_text(app):
    query = {
        "c1": "structure",
        "c1.max_size": "60",
        "c2": "structure",
        "c2.max_size": "70",
        "embedder": "tfidf",
        "selected": "1",
    }
    app.session_state["embedded_as_chosen"] = "heading_path"
    data = scores(app, "Diff", document="table", **query)
    made = chunk(load_sample("table").text, "structure", max_size=70)
    rows = map(json.loads, to_jsonl(made, "heading_path").splitlines())
    total = sum(load_tokenizer().count([record["embedded_as"] for record in rows]))
    assert by_head(data)[1]["Share"]["why"] == f"of {total:,} tokens"
    assert "with heading path" in data["note"]


def test_one_column_has_nothing_to_compare(app):
    scores(app, "Scores", c1="fixed_sentences", embedder="tfidf")
    assert "Diff" not in next(control for control in app.segmented_control if control.key == "below").options
