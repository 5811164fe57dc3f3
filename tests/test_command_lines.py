"""The commands' response to failures outside of them: one sentence on standard error, and an exit status."""

import ast
import json
import os
import re
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from chunkers.commands.chunk_command import main as chunkers_main
from chunkers.commands.shared_command_parts import named_files
from corpus.command_line import main as corpus_main
from evaluation.command_line import _command_line_parser
from evaluation.command_line import main as evaluation_main
from seamark.__main__ import main as seamark_main
from tests import ROOT
from tests.lanes import mostly_full

CHUNK = ["-m", "seamark", "chunk", "sample_docs/stubs.txt", "--chunker", "fixed_sentences", "--embedder", "tfidf"]
CHUNK += ["--tokenizer", "words"]
SWEEP = [
    "-m",
    "seamark",
    "sweep",
    "--sample",
    "stubs",
    "--embedder",
    "tfidf",
    "--tokenizer",
    "words",
    "--chunker",
    "fixed_sentences",
]
SWEEP += ["--grid", "size=1,2,3", "--json"]
COMMANDS = pytest.mark.parametrize(
    "command",
    mostly_full([CHUNK, ["-m", "seamark", "chunk", "--list"], SWEEP], [CHUNK]),
    ids=["chunk", "list", "sweep"],
)


def start(command, **streams):
    return subprocess.Popen([sys.executable, *command], cwd=ROOT, stderr=subprocess.PIPE, text=True, **streams)


def test_names_that_cannot_be_decoded_stay_apart(tmp_path):
    names = [b"a\xff.txt", b"a\xfe.txt", "ä.txt".encode()]
    for name in names:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("Some text.", encoding="utf-8")
    shown = [name for _, name in named_files([str(tmp_path)])]
    assert sorted(shown) == ["a\\xfe.txt", "a\\xff.txt", "ä.txt"]
    assert all(name.encode() for name in shown)


@COMMANDS
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")  # noqa: PTH110
def test_a_full_disk_is_a_sentence(command):
    with open("/dev/full", "w") as full, start(command, stdout=full) as process:  # noqa: PTH123
        message = process.communicate(timeout=300)[1]
    assert process.returncode == 2
    assert message == "The output must be writable; No space left on device.\n"


@COMMANDS
def test_a_reader_that_has_left_is_told_nothing(command):
    reading, writing = os.pipe()
    os.close(reading)
    with start(command, stdout=writing) as process:
        os.close(writing)
        stderr = process.communicate(timeout=300)[1]
    assert process.returncode == 1
    assert stderr == ""


def test_an_interruption_is_a_sentence(tmp_path):
    fifo = tmp_path / "text.txt"
    os.mkfifo(fifo)
    command = ["-m", "seamark", "chunk", str(fifo), "--chunker", "fixed_words", "--tokenizer", "words"]

    def heed_interruptions():
        # Where the tests run in the background of a shell, programs that they start would ignore it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    # The pipe opens for writing only when the command reads it: from then on it waits.
    with start(command, preexec_fn=heed_interruptions) as process, fifo.open("w"):
        process.send_signal(signal.SIGINT)
        message = process.communicate(timeout=300)[1]
    assert process.returncode == 130
    assert message == "Stopped by the user.\n"


def test_closed_standard_input_is_a_sentence():
    with start(["-m", "seamark", "chunk", "-", "--chunker", "fixed_words"], preexec_fn=lambda: os.close(0)) as process:
        message = process.communicate(timeout=300)[1]
    assert process.returncode == 2
    assert message == "standard input must be open; it is closed. Pipe a text into the command, or name a file.\n"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "A file name must not be empty; got ''. Name a file or a folder, or - for standard input."),
        ("n" * 5000, "the file cannot be read: File name too long. Check its path and permissions."),
        ("no\nfile.txt", "no file.txt: the file cannot be read: No such file or directory. Check its path and permissions."),
    ],
    ids=["empty", "long", "line break"],
)
def test_odd_names_are_one_line(name, sentence, capsys):
    assert chunkers_main([name, "--chunker", "fixed_words", "--tokenizer", "words"]) == 2
    message = capsys.readouterr().err
    assert message.endswith(sentence + "\n")
    assert message.count("\n") == 1
    assert len(message) < 400


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_a_sentence(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("One. Two.")
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    hidden.chmod(0)
    try:
        assert chunkers_main([str(tmp_path), "--chunker", "fixed_words", "--tokenizer", "words"]) == 2
    finally:
        hidden.chmod(0o700)
    assert f"{hidden}: the folder cannot be read" in capsys.readouterr().err


def test_one_document_that_cannot_be_cut_does_not_stop_the_others(tmp_path, capsys):
    for name, count in (("a", 3), ("b", 8000), ("c", 3)):
        (tmp_path / f"{name}.txt").write_text("".join(f"Sentence {number}.\n" for number in range(count)))
    call = [str(tmp_path), "--chunker", "dbscan", "--embedder", "tfidf", "--sentences", "lines", "--tokenizer", "words"]
    assert chunkers_main(call) == 2
    printed = capsys.readouterr()
    assert printed.out.count('"document"') == 2
    assert printed.err.startswith("b.txt: ")
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--grid", "chunker=1"], "recursive has no parameter 'chunker'"),
        (["--grid", "cls=1"], "recursive has no parameter 'cls'"),
        (
            ["--grid", "size=2,3", "--grid", "size=5"],
            "--grid must name each parameter once, with all its values; size appears twice",
        ),
        (["--grid", "size=true"], "recursive: size must not be true or false; got True."),
        (["--grid", f"size={'9' * 5000}"], "recursive: size must be a whole number of at most"),
    ],
)
def test_grids_that_cannot_be(arguments, sentence, capsys):
    call = ["sweep", "--sample", "stubs", "--chunker", "recursive", "--embedder", "tfidf", "--tokenizer", "words"]
    assert evaluation_main([*call, *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_stitching_too_many_is_refused_and_too_few_sentences_still_make_a_seam(tmp_path, capsys):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(f"{name} is here. It stays. It goes. It comes.")
    call = ["stitch", str(tmp_path), "--output", str(tmp_path / "long")]
    assert evaluation_main([*call, "--count", "1000000000"]) == 2
    assert "stitching: count must be at most 10,000; got 1,000,000,000." in capsys.readouterr().err
    assert evaluation_main([*call, "--count", "1", "--sentences-each", "3"]) == 0
    assert "1 known boundary" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("call", "positional", "option"),
    [
        ("report --chunker recursive a.md", {"file": "a.md"}, {"chunker": ["recursive"]}),
        ("report --chunker recursive breakpoint a.md -- ", {"file": "a.md"}, {"chunker": ["recursive", "breakpoint"]}),
        ("check --chunker recursive LICENSE notes.txt", {"files": ["LICENSE", "notes.txt"]}, {"chunker": ["recursive"]}),
        ("check --chunker recursive a:b c.txt", {"files": ["a:b", "c.txt"]}, {"chunker": ["recursive"]}),
        ("check --chunker recursive a.md -- -odd.txt", {"files": ["a.md", "-odd.txt"]}, {"chunker": ["recursive"]}),
        ("unlabelled --chunker recursive a.md -- -b", {"files": ["a.md", "-b"]}, {"chunker": ["recursive"]}),
        ("report --chunker recursive breakpoint -", {"file": "-"}, {"chunker": ["recursive", "breakpoint"]}),
        ("answers --questions q --language-model openai:a --chunker r.json a.md", {"file": "a.md"}, {"chunker": ["r.json"]}),
        ("unlabelled a.md --chunker recursive b.md", {"files": ["a.md", "b.md"]}, {"chunker": ["recursive"]}),
        ("unlabelled --chunker llm:a=9 chunks:c.csv {0}", {"files": ["{0}"]}, {"chunker": ["llm:a=9", "chunks:c.csv"]}),
        ("agreement --embedder tfidf --chunker breakpoint a.md", {"files": ["a.md"]}, {"chunker": ["breakpoint"]}),
        ("retrieval --questions q.csv --chunker r.json {0}", {"files": ["{0}"]}, {"chunker": ["r.json"]}),
        ("retrieval --questions q.csv --return page section a.md", {"files": ["a.md"]}, {"returned": ["page", "section"]}),
        ("diff --chunker r.json recursive texts.jsonl", {"corpus": ["texts.jsonl"]}, {"chunker": ["r.json", "recursive"]}),
        ("diff --chunker {0}/run recursive {0}", {"corpus": ["{0}"]}, {"chunker": ["{0}/run", "recursive"]}),
        ("check --sample stubs article a.md --chunker recursive", {"files": ["a.md"]}, {"sample": ["stubs", "article"]}),
        ("check --marked a.md b.md --chunker recursive", {"files": []}, {"marked": ["a.md", "b.md"]}),
        ("trace --documents a.md {0} traces.jsonl", {"file": "traces.jsonl"}, {"documents": ["a.md", "{0}"]}),
    ],
)  # fmt: skip
def test_documents_behind_the_values_of_an_option_are_documents(call, positional, option, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "_manifest.jsonl").touch()

    def in_folder(value):
        return [in_folder(each) for each in value] if isinstance(value, list) else value.format(tmp_path)

    options = vars(_command_line_parser().parse_args(in_folder(call.split())))
    for name, value in (positional | option).items():
        assert options[name] == in_folder(value)


def test_a_folder_with_the_name_of_a_value_is_that_value(tmp_path, monkeypatch):
    for name in ("lumber", "stubs", "page"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)

    def parsed(call):
        return _command_line_parser().parse_args(call.split())

    assert parsed("check --sample article stubs --chunker breakpoint").sample == ["article", "stubs"]
    assert parsed("report a.md --chunker breakpoint lumber").chunker == ["breakpoint", "lumber"]
    assert parsed("retrieval a.md --questions q.csv --return chunk page").returned == ["chunk", "page"]


def test_a_folder_with_the_name_of_an_installed_chunker_is_that_chunker(tmp_path, monkeypatch, offered):
    offered()
    (tmp_path / "signal_words").mkdir()
    monkeypatch.chdir(tmp_path)
    options = _command_line_parser().parse_args(["report", "a.md", "--chunker", "recursive", "signal_words"])
    assert (options.file, options.chunker) == ("a.md", ["recursive", "signal_words"])


COUNTED = re.compile(r" (chunks|documents|questions|sentences|requests|excerpts)\b")


def test_what_commands_count_has_its_plural_by_the_helper():
    for file in (*ROOT.glob("*/commands/*.py"), ROOT / "corpus" / "command_line.py"):
        for text in (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.JoinedStr)):
            for value, words in pairwise(text.values):
                if isinstance(value, ast.FormattedValue) and isinstance(words, ast.Constant) and COUNTED.match(words.value):
                    # A mean has decimals, and is no count.
                    assert value.format_spec is not None, (file.name, ast.unparse(text))
                    assert ast.unparse(value.format_spec) == "f'.1f'", (file.name, ast.unparse(text))


ONE_CHUNKER = {
    "chunk": "a.md",
    "check": "a.md",
    "sweep": "--sample stubs",
    "agreement": "a.md --embedder tfidf --with static",
    "trace": "{0}/traces.jsonl --documents a.md",
    "corpus": "a.md --output {0}/out",
}


@pytest.mark.parametrize("command", ONE_CHUNKER)
def test_where_one_chunker_is_cut_with_a_second_is_refused(command, tmp_path, capsys):
    (tmp_path / "traces.jsonl").write_text('{"query": "A?", "retrieved": ["a"]}\n')
    call = [command, *ONE_CHUNKER[command].format(tmp_path).split(), "--chunker", "recursive", "--chunker", "breakpoint"]
    assert seamark_main(call) == 2
    assert capsys.readouterr().err == "--chunker must name one chunker; got 2.\n"


OLDER = ["change_point", {}, True], ["change_point", {"penalty": 1}, False], ["fixed_words", {}, False]


@pytest.mark.full
@pytest.mark.parametrize(("chunker", "parameters", "said"), OLDER)
@pytest.mark.parametrize(
    ("main", "call"),
    [
        (chunkers_main, "{text} --chunker {recipe}"),
        (evaluation_main, "check {text} --chunker {recipe}"),
        (evaluation_main, "report {text} --chunker {recipe} --output {folder}/report.html"),
        (evaluation_main, "retrieval {folder}/texts --questions {questions} --chunker {recipe} --json"),
        (corpus_main, "{text} --chunker {recipe} --output {folder}/chunks"),
    ],
    ids=["chunk", "check", "report", "retrieval", "corpus"],
)
def test_every_command_says_that_the_cuts_of_an_older_recipe_may_have_moved(
    main, call, chunker, parameters, said, tmp_path, capsys
):
    files = {name: tmp_path / name for name in ("recipe", "questions.csv")}
    made = {"chunker": chunker, "parameters": parameters, "embedder": "tfidf", "tokenizer": "words", "sentences": "regex"}
    files["recipe"].write_text(json.dumps(made))
    files["questions.csv"].write_text("question,excerpts\nWhere is the harbour?,The harbour is here.\n")
    text = tmp_path / "texts" / "text.txt"
    text.parent.mkdir()
    text.write_text("The harbour is here. A ship is there. The mill stands still.")
    places = {"text": text, "recipe": files["recipe"], "questions": files["questions.csv"], "folder": tmp_path}
    assert main(call.format_map(places).split()) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "than when this was made" in line]
    assert [line.startswith(f"{files['recipe']}: Change points now takes its penalty") for line in lines] == [True] * said


HEAVY = ("torch", "spacy", "sklearn", "scipy", "langchain_core", "ruptures", "sentence_transformers", "pandas")
CUT = "-m seamark chunk sample_docs/stubs.txt --tokenizer words --chunker"


@pytest.mark.parametrize(
    ("command", "imported"),
    [
        ("-m seamark chunk --list", set()),
        (f"{CUT} breakpoint", set()),
        *(
            pytest.param(command, imported, marks=pytest.mark.full)
            for command, imported in (
                (f"{CUT} fixed_words", set()),
                (f"{CUT} recursive", set()),
                ("-m seamark check sample_docs/stubs.txt --chunker fixed_words", set()),
                (f"{CUT} breakpoint --embedder tfidf", {"sklearn", "scipy", "pandas"}),
                (f"{CUT} fixed_characters", set()),
                (f"{CUT} fixed_sentences:size=2", set()),
                ("-m seamark chunk sample_docs/stubs.txt --chunker fixed_tokens", set()),
                (f"{CUT} fixed_sentences --embedder spacy:en_core_web_md", set()),
                (f"{CUT} fixed_sentences --embedder some/model", set()),
                (f"{CUT} double_pass", set()),
                (f"{CUT} optimal:max_size=50", set()),
                ("-m seamark sweep --sample stubs --tokenizer words --chunker fixed_sentences --grid size=2 --json", set()),
            )
        ),
    ],
)
def test_a_command_imports_no_more_than_it_needs(command, imported, tmp_path):
    # Every module that is imported stands in this report, whichever process imports it.
    report = tmp_path / "imports"
    script = f"{{ {sys.executable} -X importtime {command} >/dev/null; }} 2>{report}"
    assert subprocess.run(["sh", "-c", script], cwd=ROOT, timeout=300).returncode == 0
    names = {line.rpartition("|")[2].strip() for line in report.read_text().splitlines() if line.startswith("import time:")}
    assert "chunkers" in names
    assert names & set(HEAVY) == imported
