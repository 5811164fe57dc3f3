"""``seamark agreement``: which boundaries another embedder moves."""

import json

import pytest

from chunkers import load_embedder
from chunkers.embedders.sentence_models import MiniLM
from evaluation.command_line import main
from sample_docs import SAMPLES_FOLDER

STUBS = str(SAMPLES_FOLDER / "stubs.txt")


def call(*arguments):
    return main(["agreement", *arguments, "--tokenizer", "words"])


def test_an_embedder_agrees_with_itself(capsys):
    assert call(STUBS, "--embedder", "tfidf", "--with", "tfidf", "--sentences", "lines") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("stubs.txt: ")
    assert printed.endswith("the same; distances moved by at most 0, 0 on average\n")


@pytest.mark.full
@pytest.mark.model
def test_it_is_compared_with_what_it_approximates_unless_another_is_named(capsys):
    assert load_embedder("static").approximates == MiniLM.name
    assert call(STUBS, "--embedder", "static", "--json", "--chunker", "breakpoint:amount=70") == 0
    rounded = json.loads(capsys.readouterr().out)
    assert (rounded["full"], rounded["other"], rounded["document"]) == (MiniLM.name, "static", "stubs.txt")
    assert 0 < rounded["distances"]["greatest"] < 1
    assert rounded["both"]
    assert call(STUBS, "--embedder", "static", "--with", "tfidf", "--json", "--chunker", "breakpoint:amount=70") == 0
    other = json.loads(capsys.readouterr().out)
    assert sorted([*other["both"], *other["only_other"]]) == sorted([*rounded["both"], *rounded["only_other"]])
    assert other["distances"]["greatest"] != rounded["distances"]["greatest"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--embedder", "tfidf"], "tfidf has no default embedder to compare it with. Name one with --with."),
        (
            ["--embedder", "tfidf", "--with", "tfidf", "--chunker", "fixed_words"],
            "--chunker must be a chunker that uses embeddings, one of ",
        ),
        (
            ["--embedder", "tfidf", "--with", "tfidf", "--set", "size=2"],
            "--set is written in another way now: --chunker NAME:size=2.",
        ),
        (
            ["--embedder", "tfidf", "--with", "tfidf", "--chunker", "chunks:a.json"],
            "chunks:a.json: no embedder moves the boundaries of chunks made elsewhere. ",
        ),
        (["--embedder", "nonsense", "--with", "tfidf"], "embedder must be one of all-MiniLM-L6-v2, "),
    ],
)
def test_what_cannot_be_compared_is_a_sentence(arguments, sentence, capsys):
    assert call(STUBS, *arguments) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith(sentence)
    assert complaint.count("\n") == 1
