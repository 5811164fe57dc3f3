"""The command line: one JSON object a document, errors in one sentence."""

import io
import json
import os
import subprocess
import sys

import pytest

from chunkers import ADAPTERS, CHUNKERS, MODEL_ASKING_CLASS_BY_NAME
from chunkers.commands.chunk_command import main
from chunkers.recipes.chunker_registry import chunker_class

TEXT = "One is here. Two is here. Three is here. Four is here. Five."


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


def output(capsys, *arguments):
    assert main([str(argument) for argument in arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return [json.loads(line) for line in captured.out.splitlines()]


@pytest.mark.model
def test_the_object_has_these_keys(capsys, file):
    (result,) = output(capsys, file, "--chunker", "double_pass", "--sentences", "regex")
    assert set(result) == {"version", "recipe", "document", "chunks", "gaps", "merges", "notes", "timing"}
    assert set(result["document"]) == {"name", "characters", "language", "sentences", "read_as"}
    assert result["document"]["read_as"] == "utf-8"
    assert (result["document"]["name"], result["document"]["characters"]) == ("text.txt", len(TEXT))
    assert [TEXT[start:end] for start, end in result["document"]["sentences"]] == TEXT.replace(". ", ".|").split("|")
    assert set(result["timing"]) == {"split_ms", "embed_ms", "embedded", "cached", "decide_ms", "engine"}
    assert result["timing"]["engine"] == "NumPy"
    assert result["timing"]["embedded"] == 5
    for chunk in result["chunks"]:
        assert set(chunk) == {"spans", "heading_path", "text"}
        assert "".join(TEXT[start:end] for start, end in chunk["spans"]) == chunk["text"]
    assert all(set(gap) == {"index", "score", "threshold", "verdict", "reason"} for gap in result["gaps"])
    assert all(set(merge) == {"left", "right", "similarity", "threshold", "kind"} for merge in result["merges"])
    assert result["merges"]


def test_parameters_are_set(capsys, file):
    (result,) = output(capsys, file, "--chunker", "fixed_sentences:size=2,chunks=none")
    assert [len(chunk["text"].split(". ")) for chunk in result["chunks"]] == [2, 2, 1]


def test_several_files_are_several_objects(capsys, file):
    assert len(output(capsys, file, file, "--chunker", "recursive")) == 2


def test_standard_input(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Größe. Maß.".encode())))
    (result,) = output(capsys, "-", "--chunker", "fixed_sentences:size=1", "--sentences", "regex")
    assert [chunk["text"] for chunk in result["chunks"]] == ["Größe.", "Maß."]


@pytest.mark.model
def test_an_output_is_a_recipe(capsys, file, tmp_path):
    first = output(capsys, file, "--chunker", "breakpoint:amount=50", "--sentences", "regex")
    recipe = tmp_path / "recipe.json"
    recipe.write_text(json.dumps(first[0]["recipe"]))
    again = output(capsys, file, "--chunker", recipe)
    assert again[0]["chunks"] == first[0]["chunks"]
    assert again[0]["recipe"] == first[0]["recipe"]
    whole = tmp_path / "whole.json"
    whole.write_text(json.dumps(first[0]))
    assert output(capsys, file, "--chunker", whole)[0]["chunks"] == first[0]["chunks"]


def test_list_has_every_parameter(capsys):
    assert main(["--list"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert set(listed) == {*CHUNKERS, *MODEL_ASKING_CLASS_BY_NAME, *ADAPTERS}
    for name, entry in listed.items():
        assert set(entry["parameters"]) == set(chunker_class(name).model_fields)
        assert all({"type", "default", "title", "help"} <= set(parameter) for parameter in entry["parameters"].values())
    assert listed["double_pass"]["parameters"]["initial_threshold"]["maximum"] == 1
    assert listed["breakpoint"]["parameters"]["amount"]["by threshold"]["gradient"]["default"] == 95


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Name at least one file"),
        (["FILE"], "No chunker is named. Name it with --chunker"),
        (["FILE", "--chunker", "nothing"], "chunker must be one of"),
        (["FILE", "--chunker", "a" * 1200], "chunker must be one of"),
        (["FILE", "--chunker", "recursive:size"], "KEY=VALUE"),
        (["FILE", "--chunker", "recursive:size=0"], "recursive: size must be at least 1; got 0."),
        (["FILE", "--chunker", "recursive:sise=3"], "no parameter 'sise'"),
        (["FILE", "--chunker", "recursive:cls=3"], "no parameter 'cls'"),
        (["FILE", "--chunker", "recursive:size=" + "[" * 10**5], "recursive: size must be a whole number"),
        (["FILE", "--chunker", "recursive:size=1e999"], "recursive: size must be a finite number; got inf."),
        (["FILE", "--chunker", "recursive", "--sentences", "spacy:numpy"], "'numpy' must be a spaCy pipeline"),
        (["FILE", "--chunker", "recursive", "--tokenizer", "bytes"], "tokenizer must be one of"),
        (["FILE", "--chunker"], "Argument --chunker"),
        (["missing.txt", "--chunker", "recursive"], "missing.txt: the file cannot be read"),
        (["FILE", "--chunker", "FILE"], "text.txt: the file must be valid JSON"),
        (["FILE", "--chunker", "breakpoint", "--embedder", "nobody"], "embedder must be one of"),
        (["FILE", "--frobnicate"], "--frobnicate"),
    ],
)
def test_errors_are_one_sentence_and_status_two(capsys, file, arguments, words):
    assert main([str(file) if argument == "FILE" else argument for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert captured.err.count("\n") == 1
    assert captured.err.rstrip().endswith(".")


def test_as_a_command(file):
    command = [sys.executable, "-m", "seamark", "chunk", str(file), "--chunker", "fixed_sentences:size=0"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "fixed_sentences: size must be at least 1; got 0.\n"


def test_output_is_utf_8_whatever_the_terminal_and_the_files_name(tmp_path):
    file = tmp_path / os.fsdecode(b"caf\xe9.txt")
    file.write_text("Größe 🌊.", encoding="utf-8")
    command = [sys.executable, "-m", "seamark", "chunk", file, "--chunker", "fixed_sentences"]
    ended = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert ended.stderr == b""
    result = json.loads(ended.stdout.decode("utf-8"))
    assert result["document"]["name"] == r"caf\xe9.txt"
    assert result["chunks"][0]["text"] == "Größe 🌊."


def test_a_reader_that_leaves_early_is_no_error(file):
    command = [sys.executable, "-m", "seamark", "chunk", *[str(file)] * 200, "--chunker", "fixed_sentences"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_importing_loads_no_page_and_no_torch():
    names = {"streamlit", "plotly", "torch", "spacy", "markdown_it"}
    code = f"import sys, chunkers; print(sorted({names} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_folder_stands_for_its_documents_and_a_bad_one_among_them_is_told(tmp_path, capsys):
    (tmp_path / "deep").mkdir()
    (tmp_path / "b.txt").write_text("One. Two.")
    (tmp_path / "deep" / "a.HTML").write_text("<p>Three.</p><p>Four.</p>")
    (tmp_path / "bad.txt").write_bytes(b"\x00\x01")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    assert main([str(tmp_path), "--chunker", "fixed_sentences"]) == 2
    out, err = capsys.readouterr()
    documents = [json.loads(line) for line in out.splitlines()]
    assert [document["document"]["name"] for document in documents] == ["b.txt", "deep/a.HTML"]
    assert documents[1]["chunks"][0]["text"] == "Three.\n\nFour."
    assert err == "bad.txt: the file must be plain text or Markdown; it is binary.\n"


def test_a_folder_without_documents_is_refused(tmp_path, capsys):
    assert main([str(tmp_path), "--chunker", "fixed_sentences"]) == 2
    assert "a folder must contain at least one file ending in .txt, .md, .srt, .vtt, .html" in capsys.readouterr().err


def test_a_guessed_encoding_is_told_and_another_can_be_named(tmp_path, capsys):
    text = "A ação não é fácil; você já põe o pão à mesa."
    file = tmp_path / "pt.txt"
    file.write_bytes(text.encode("cp1252"))
    assert main([str(file), "--chunker", "fixed_sentences"]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert (document["document"]["read_as"], document["chunks"][0]["text"]) == ("cp1252", text)
    assert err.startswith("pt.txt: the file does not say its encoding; by its letters it was read as cp1252")
    assert err.endswith("--encoding names another.\n")
    assert err.count("\n") == 1
    (document,) = output(capsys, file, "--chunker", "fixed_sentences", "--encoding", "cp1251")
    assert document["document"]["read_as"] == "cp1251"
    assert document["chunks"][0]["text"] == text.encode("cp1252").decode("cp1251")


@pytest.mark.parametrize(
    ("encoding", "words"), [("nothing", "got 'nothing'"), ("zlib", "got 'zlib'"), ("ascii", "byte 2 is not valid in ascii")]
)
def test_an_encoding_that_is_none_or_does_not_fit_is_a_sentence(tmp_path, capsys, encoding, words):
    file = tmp_path / "pt.txt"
    file.write_bytes("né".encode() + b"\xe9")
    file.write_bytes(b"on\xe9")
    assert main([str(file), "--chunker", "fixed_sentences", "--encoding", encoding]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert words in err


def test_no_more_of_a_file_is_read_than_it_takes_to_know_that_it_is_too_large(tmp_path, capsys):
    large = tmp_path / "s.txt"
    with large.open("wb") as file:
        file.truncate(6_000_000_000)
    assert main([str(large), "--chunker", "fixed_sentences"]) == 2
    assert capsys.readouterr().err == (
        "s.txt: a document may have at most 20 MB, 20,000,000 bytes; this one has 6,000,000,000.\n"
    )


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="a device of POSIX")  # noqa: PTH110
def test_a_device_without_end_is_a_sentence(capsys):
    assert main(["/dev/zero", "--chunker", "fixed_sentences"]) == 2
    assert "zero: a document may have at most 20 MB, 20,000,000 bytes; this one has" in capsys.readouterr().err


@pytest.mark.full
@pytest.mark.parametrize("name", ["torn.pdf", "torn.html", "torn.docx", "torn.epub", "torn.txt"])
def test_standard_error_has_one_sentence_for_a_damaged_file_whatever_its_parser_logs(tmp_path, name):
    file = tmp_path / name
    file.write_bytes(b"%PDF-1.7\n" + b"7 0 obj <</Length 9>> stream xx endobj\n" * 500 + b"\x00\xff" * 100)
    command = [sys.executable, "-m", "seamark", "chunk", str(file), "--chunker", "fixed_sentences", "--embedder", "tfidf"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"{name}: ")
    assert ended.stderr.count("\n") == 1


def test_an_older_recipe_says_that_cuts_may_have_moved_and_notes_it_of_each_long_file(capsys, tmp_path):
    recipe, short, long = tmp_path / "recipe.json", tmp_path / "short.txt", tmp_path / "long.txt"
    made = {"recipe": 1, "chunker": "change_point", "sentences": "lines", "embedder": "tfidf", "tokenizer": "words"}
    recipe.write_text(json.dumps(made))
    short.write_text("One is here.\nTwo is there.")
    long.write_text("\n".join(f"Word{number % 7} is here." for number in range(501)))
    assert main([str(short), str(long), "--chunker", str(recipe)]) == 0
    captured = capsys.readouterr()
    (warning,) = captured.err.splitlines()
    assert warning.startswith(f"{recipe}: Change points now takes its penalty from the text's own length and no longer")
    results = [json.loads(line) for line in captured.out.splitlines()]
    assert [len(result["notes"]) for result in results] == [0, 1]
    assert "the text's own length, 501 sentences, and no longer from 500 sentences of it. Here," in results[1]["notes"][0]
    assert all(result["recipe"]["parameters"]["cuts_at"] == "sentences" for result in results)
