"""``seamark report``: a comparison in a file."""

import json

import pytest

from chunkers import Recipe, chunk
from evaluation.command_line import main
from evaluation.segmentation.boundary_files import boundaries_and_text_hash_json
from sample_docs import SAMPLES_FOLDER, load_sample

STUBS = str(SAMPLES_FOLDER / "stubs.txt")
LIGHT = ("--embedder", "tfidf", "--tokenizer", "words")


def test_it_writes_what_the_chunkers_and_recipes_give(tmp_path):
    recipe, into = tmp_path / "x.recipe.json", tmp_path / "report.html"
    made = Recipe(chunker="fixed_sentences", parameters={"size": 5}, sentences="lines", embedder="tfidf", tokenizer="words")
    recipe.write_text(made.to_json(), encoding="utf-8")
    known = tmp_path / "known.json"
    sample = load_sample("stubs")
    known.write_text(boundaries_and_text_hash_json("stubs", sample.text, sample.known), encoding="utf-8")
    named = ("--chunker", str(recipe), "recursive:size=150")
    assert main(["report", STUBS, *named, "--boundaries", str(known), "--output", str(into)]) == 0
    html = into.read_text(encoding="utf-8")
    assert "<h3>1 Fixed sentences</h3>" in html
    assert "<h3>2 Recursive</h3>" in html
    assert "3 known boundaries · tokens of words" in html
    count = len(chunk(sample.text, "recursive", size=150, sentences="lines"))
    assert f"· {count} chunks of " in html


def test_chunks_made_elsewhere_stand_beside_a_chunker(tmp_path, capsys):
    text = load_sample("stubs").text
    chunks = [
        {"text": cut, "source": "stubs.txt"} for cut in chunk(text, "fixed_sentences", size=5, sentences="lines").texts
    ]
    (tmp_path / "theirs.json").write_text(json.dumps(chunks))
    named = ("--chunker", f"chunks:{tmp_path / 'theirs.json'}", "fixed_sentences:size=5")
    assert main(["report", STUBS, *named, *LIGHT, "--sentences", "lines"]) == 0
    html = capsys.readouterr().out
    assert html.count(f"· {len(chunks)} chunks of ") == 2


def test_lines_of_dashes_are_boundaries_and_no_text(tmp_path, capsys):
    file = tmp_path / "marked.txt"
    file.write_text("One here.\n---\nTwo there.\n", encoding="utf-8")
    assert main(["report", str(file), "--dashes", "--chunker", "fixed_sentences:size=1", *LIGHT]) == 0
    html = capsys.readouterr().out
    assert "1 known boundary" in html
    assert "---" not in html.partition("<main>")[2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "No chunker is named. Name it with --chunker, one of "),
        (("--chunker", "recursive") * 7, "--chunker must name 1 to 6 chunkers; got 7."),
        (("--chunker", "none"), "chunker must be one of "),
        (
            ("--chunker", "recursive", "--dashes", "--boundaries", "x.json"),
            "--dashes and --boundaries must not be given together: each defines the known boundaries.",
        ),
        (("--chunker", "recursive", "--output", "nowhere/x.html"), "nowhere/x.html: the file cannot be written: "),
        (("--into", "x.html"), "--into is written in another way now: --output x.html."),
    ],
)
def test_what_is_wrong_is_one_sentence(arguments, said, capsys):
    assert main(["report", STUBS, *LIGHT, *arguments]) == 2
    assert capsys.readouterr().err.startswith(said)


def test_recipes_that_disagree_are_told_apart(tmp_path, capsys):
    files = []
    for splitter in ("lines", "regex"):
        files.append(tmp_path / f"{splitter}.json")
        made = Recipe(chunker="recursive", sentences=splitter, embedder="tfidf", tokenizer="words")
        files[-1].write_text(made.to_json(), encoding="utf-8")
    assert main(["report", STUBS, "--chunker", *map(str, files)]) == 2
    complaint = "The recipes must agree on sentences; they name lines, regex. Choose one with --sentences."
    assert capsys.readouterr().err.strip() == complaint
