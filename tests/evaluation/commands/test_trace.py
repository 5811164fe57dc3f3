"""`seamark trace`: a table of the failed questions with their stages, and the same as JSON."""

import json
import re

import pytest

from evaluation.command_line import main
from evaluation.commands import trace
from sample_docs import SAMPLES_FOLDER
from tests.fixtures.trace_generator import LANGCHAIN, LLAMA_INDEX, chunk_file, made, plain


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in (*LANGCHAIN, *LLAMA_INDEX):
        (folder / name).write_bytes((SAMPLES_FOLDER / name).read_bytes())
    (tmp_path / "traces.jsonl").write_bytes(plain(made()))
    (tmp_path / "chunks.jsonl").write_bytes(chunk_file())
    return tmp_path


def traced(files, *arguments):
    return main(["trace", str(files / "traces.jsonl"), "--documents", str(files / "docs"), *arguments])


@pytest.mark.slow
def test_the_table_has_every_failed_question_and_the_counts(files, capsys):
    assert traced(files, "--chunker", f"chunks:{files / 'chunks.jsonl'}") == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert printed.err == ""
    assert "100 questions: 80 failed, 20 did not, 0 cannot be told" in lines
    counts = dict(line.strip().rsplit("  ", 1)[0].split("  ", 1) for line in lines if line.startswith("  not in the"))
    assert {name: int(count) for name, count in counts.items()} == {"not in the documents": 10}
    assert sum(line.startswith("line ") for line in lines) == 80
    assert any("chunk" in line and "begins inside it, at" in line for line in lines)
    located, several, missing = (
        int(word) for word in re.findall(r" (\d+)", next(line for line in lines if "located" in line))
    )
    assert located > 500
    assert several == 0
    assert 15 < missing < 30


@pytest.mark.slow
def test_the_json_has_every_place(files, capsys):
    assert traced(files, "--chunker", f"chunks:{files / 'chunks.jsonl'}", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["stages"] == {
        "not in the documents": 10,
        "in no chunk": 10,
        "cut apart": 10,
        "ranked too low": 20,
        "not used": 10,
        "cannot be told": 20,
    }
    split = next(question for question in told["questions"] if question["stage"] == "cut apart")
    assert split["fate"] == "split"
    passage = split["passage"]
    assert passage["start"] < split["seams"][0]["at"] < passage["end"]
    first = split["retrieved"][0]
    assert first["status"] == "located"
    assert first["places"][0]["document"] in {*LANGCHAIN, *LLAMA_INDEX}


def test_questions_say_where_the_answers_are(files, capsys):
    text = (SAMPLES_FOLDER / "essay_salt.txt").read_text(encoding="utf-8")
    (files / "traces.jsonl").write_text('{"query": "Salt?", "retrieved": ["Of salt nothing is known."]}\n', encoding="utf-8")
    (files / "questions.csv").write_text(f'question,excerpts\nSalt?,"{text[200:240]}"\n', encoding="utf-8")
    chunker = ["--chunker", "fixed_sentences:size=40"]
    assert traced(files, *chunker, "--questions", str(files / "questions.csv")) == 0
    printed = capsys.readouterr().out
    assert "item 1" in printed
    assert "ranked too low" in printed
    assert "its excerpt was not retrieved" in printed


def test_a_file_of_chunks_alone_is_enough(files, capsys):
    (files / "traces.jsonl").write_text('{"query": "A?", "retrieved_ids": ["a"], "excerpts": ["the tide goes out twice"]}\n')
    rows = [{"id": "a", "text": "The tide", "source": "sea"}, {"id": "b", "text": "goes out twice.", "source": "sea"}]
    (files / "chunks.json").write_text(json.dumps(rows))
    assert main(["trace", str(files / "traces.jsonl"), "--chunker", f"chunks:{files / 'chunks.json'}"]) == 0
    printed = capsys.readouterr()
    assert printed.err.startswith(
        "Without the documents, texts are put together from the chunks of chunks.json, and places "
    )
    assert "cut apart" in printed.out
    assert "1 retrieved text: 1 located" in printed.out


@pytest.mark.parametrize("arguments", [[], ["--chunker", "recursive"]])
def test_without_documents_a_file_of_chunks_is_asked_for(files, capsys, arguments):
    assert main(["trace", str(files / "traces.jsonl"), *arguments]) == 2
    assert capsys.readouterr().err == (
        "A trace needs the documents that were searched (--documents PATH) or a file of their chunks (--chunker "
        "chunks:FILE); neither is given.\n"
    )


def test_questions_need_the_documents(files, capsys):
    arguments = ["--chunker", f"chunks:{files / 'chunks.jsonl'}", "--questions", "q.csv"]
    assert main(["trace", str(files / "traces.jsonl"), *arguments]) == 2
    assert capsys.readouterr().err == (
        "--questions needs the documents in which its excerpts stand. Add --documents PATH.\n"
    )


def test_progress_is_shown_on_a_terminal(files, capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert traced(files) == 0
    shown = capsys.readouterr().err
    assert "\rRetrieved texts located: 100 of 100 questions" in shown
    assert "\rAnswers looked for: 100 of 100 questions" in shown


@pytest.mark.parametrize("title", ["Retrieved texts located: ", "Answers looked for: "])
def test_an_interruption_reports_the_questions_before_it(files, capsys, monkeypatch, title):
    class Interrupted:
        def __init__(self, shown, _):
            self.shown = shown

        def __call__(self, done, total):
            if done == 10 and self.shown == title:
                raise KeyboardInterrupt

    monkeypatch.setattr(trace, "progress_callback", Interrupted)
    assert traced(files, "--json") == 130
    printed = capsys.readouterr()
    assert printed.err == "Stopped: the report has 10 of 100 questions.\nStopped by the user.\n"
    told = json.loads(printed.out)
    assert len(told["questions"]) == 10
    assert told["problems"] == ["Stopped: the report has 10 of 100 questions."]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--chunks", "x"], "--chunks is written in another way now: --chunker chunks:x."),
        (["--chunker", "lumber"], "lumber asks a language model, which may cut otherwise each time. Give its chunks, as "),
    ],
)
def test_wrong_arguments_are_a_sentence(files, capsys, arguments, said):
    assert traced(files, *arguments) == 2
    assert capsys.readouterr().err.startswith(said)
