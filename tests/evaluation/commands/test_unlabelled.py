"""``seamark unlabelled``: measures that need no labels."""

import json

import pytest

from chunkers import Recipe
from evaluation.command_line import main
from evaluation.segmentation.label_free_measures import EXPLANATION_BY_MEASURE
from sample_docs import SAMPLES_FOLDER, load_sample

TABLE = str(SAMPLES_FOLDER / "table.md")
STUBS = str(SAMPLES_FOLDER / "stubs.txt")


def call(*arguments):
    return main(["unlabelled", *arguments, "--tokenizer", "words", "--embedder", "tfidf"])


def test_it_prints_a_row_for_each_chunker_and_the_trivial_answers(capsys):
    assert call(TABLE, STUBS, "--chunker", "breakpoint:amount=70", "recursive", "--edits", "3") == 0
    printed = capsys.readouterr().out
    first, second, explained = printed.split("\n\n")
    assert first.startswith("table.md\n")
    assert [line.split("  ")[0] for line in first.splitlines()[2:6]] == [
        "breakpoint:amount=70",
        "recursive",
        "no cut",
        "a cut after every 4 sentences",
    ]
    whole = next(line for line in first.splitlines() if line.startswith("no cut")).split()
    # One chunk, which holds all: every block is whole, and every edit changes all of it.
    assert whole[2:5] == ["1", "100", "%"]
    assert whole[-6:] == ["100", "%"] * 3
    assert "Size kept: at most 200 characters." in first
    assert second.endswith("Blocks whole: the text has none.")
    assert [line[:13].rstrip() for line in explained.splitlines()] == [*EXPLANATION_BY_MEASURE]


def test_as_json_it_says_the_same_with_sizes_that_are_asked_for(capsys):
    assert call(TABLE, "--chunker", "fixed_words:size=40", "--most", "30", "--unit", "words", "--edits", "4", "--json") == 0
    row, whole, _ = map(json.loads, capsys.readouterr().out.splitlines())
    assert row["size"] == {
        "least": None,
        "most": 30,
        "unit": "words",
        "within": pytest.approx(1 / row["chunks"]),
        "too_small": 0,
        "too_large": row["chunks"] - 1,
    }
    assert row["contrast"] == pytest.approx(row["inside"] - row["across"])
    assert -1 <= row["context"] <= 1
    assert len(row["edits"]["places"]) == 4
    shares = [place["changed"] / place["chunks"] for place in row["edits"]["places"]]
    assert row["edits"]["mean"] == pytest.approx(sum(shares) / 4)
    assert row["edits"]["worst"] == max(shares)
    assert {kind: counts["whole"] == counts["of"] for kind, counts in whole["blocks"].items()} == dict.fromkeys(
        row["blocks"], True
    )


def test_without_edits_there_are_no_columns_of_them(capsys):
    assert call(STUBS, "--chunker", "recursive", "--edits", "0") == 0
    assert "changed" not in capsys.readouterr().out.split("\n\n", maxsplit=1)[0]


def test_chunks_made_elsewhere_are_measured_without_edits(capsys, tmp_path):
    texts = load_sample("stubs").text.splitlines()
    (tmp_path / "theirs.json").write_text(json.dumps(texts))
    assert call(STUBS, "--chunker", f"chunks:{tmp_path / 'theirs.json'}", "--edits", "0", "--json") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["chunks"] == len(texts)


def test_a_recipe_gives_the_settings_that_the_command_line_does_not(capsys, tmp_path):
    settings = {"sentences": "paragraphs", "embedder": "tfidf", "tokenizer": "words"}
    for name, sentences in (("a", "paragraphs"), ("b", "lines")):
        recipe = Recipe(chunker="fixed_sentences", parameters={"size": 2}, **{**settings, "sentences": sentences})
        (tmp_path / name).write_text(recipe.to_json())
    command = ["unlabelled", TABLE, "--edits", "0", "--json", "--chunker"]
    assert main([*command, str(tmp_path / "a")]) == 0
    by_recipe = json.loads(capsys.readouterr().out.splitlines()[0])
    options = [word for name, setting in settings.items() for word in (f"--{name}", setting)]
    assert main([*command, "fixed_sentences:size=2", *options]) == 0
    by_name = json.loads(capsys.readouterr().out.splitlines()[0])
    assert {**by_recipe, "chunker": ""} == {**by_name, "chunker": ""}
    assert main([*command, str(tmp_path / "a"), str(tmp_path / "b")]) == 2
    assert "The recipes must agree on sentences; they name lines, paragraphs." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "No chunker is named. Name it with --chunker, one of "),
        (["--chunker", "chunks:a.json"], "chunks:a.json: nothing cuts an edited text anew, so that --edits must be 0."),
        (["--chunker", "nonsense"], "chunker must be one of fixed_sentences, "),
        (["--chunker", "recursive", "size=9"], "Parameters stand behind the chunker's name, as in recursive:size=9; got "),
        (["--chunker", "recursive", "--edits", "-1"], "--edits must be 0 or more; got -1."),
        (["--chunker", "recursive", "--edits", "999999"], "stubs.txt: edits × characters must be at most 50,000,000; "),
        (
            ["--chunker", "recursive", "--least", "9", "--most", "3"],
            "--least must be at least 0 and at most --most; got 9 to 3 tokens.",
        ),
    ],
)
def test_what_cannot_be_measured_is_a_sentence(arguments, sentence, capsys):
    assert call(STUBS, *arguments) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith(sentence)
    assert complaint.count("\n") == 1
