"""A run over a corpus: its folder, and going on."""

import _thread
import json
import os
import signal
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest
from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import _ExecutorManagerThread

from chunkers import InputError, Recipe
from corpus.command_line import main
from corpus.inputs import TextColumns
from corpus.run import Run, write_in_processes
from corpus.shards import Shard, Tally
from sample_docs import load_sample
from tests import ROOT
from tests.support import LIMIT

RECIPE = {
    "chunker": "fixed_sentences",
    "parameters": {"size": 2},
    "sentences": "regex",
    "embedder": "tfidf",
    "tokenizer": "words",
}


def here(job, missing, workers):
    """Write the shards in this process."""
    yield from map(job.write_shard, missing)


def stopping(after):
    def engine(job, missing, workers):
        for number, shard in enumerate(missing):
            if number == after:
                raise KeyboardInterrupt
            yield job.write_shard(shard)

    return engine


def gone(group):
    """Return whether all processes of a group end within half a minute."""
    for _ in range(600):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def corpus(tmp_path):
    """Give a folder with files, JSON lines and Parquet."""
    folder = tmp_path / "in"
    (folder / "below").mkdir(parents=True)
    for name in ("faq", "stubs", "legal", "dialogue"):
        (folder / f"{name}.txt").write_text(load_sample(name).text, encoding="utf-8")
    text = load_sample("three_topics").text
    lines = [json.dumps({"id": f"line {number}", "text": f"{number}. {text}"}) for number in range(30)]
    (folder / "below" / "lines.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def run(corpus, output, engine=here, shard_bytes=4_000, workers=1, recipe=RECIPE, **options):
    made = Run(recipe, (corpus,), output, shard_bytes=shard_bytes, **options)
    return made.write_all_shards(engine, workers), made


def parts(output):
    return {path.name: path.read_bytes() for path in sorted(output.glob("part-*.parquet"))}


def test_the_chunks_are_those_of_the_recipe(corpus, tmp_path):
    whole, _ = run(corpus, tmp_path / "out")
    # A reader of a folder passes by what begins with an underscore.
    rows = pq.read_table(tmp_path / "out").to_pylist()
    documents = [*dict.fromkeys(row["document_id"] for row in rows)]
    assert documents == [*(f"line {number}" for number in range(30)), "dialogue.txt", "faq.txt", "legal.txt", "stubs.txt"]
    assert (whole.tally.documents, whole.tally.chunks) == (34, len(rows))
    assert len({row["chunk_id"] for row in rows}) == len(rows)
    faq = Recipe.model_validate(RECIPE).run((corpus / "faq.txt").read_text(encoding="utf-8"))
    assert [row["text"] for row in rows if row["document_id"] == "faq.txt"] == [*faq.texts]
    assert whole.shards > 4
    told = json.loads((tmp_path / "out" / "_summary.json").read_text())
    assert (told["documents"], told["chunks"], told["problems"]) == (34, len(rows), 0)
    assert not (tmp_path / "out" / "_problems.jsonl").exists()


@pytest.mark.full
@pytest.mark.slow
def test_the_files_are_the_same_whatever_the_number_of_workers(corpus, tmp_path):
    run(corpus, tmp_path / "here")
    for workers in (1, 3):
        run(corpus, tmp_path / f"out{workers}", write_in_processes, workers=workers)
        assert parts(tmp_path / f"out{workers}") == parts(tmp_path / "here")


def test_a_run_that_was_stopped_goes_on_and_does_nothing_twice(corpus, tmp_path):
    whole, _ = run(corpus, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        run(corpus, tmp_path / "out", stopping(2))
    assert len(parts(tmp_path / "out")) == 2
    assert not (tmp_path / "out" / "_summary.json").exists()
    again, made = run(corpus, tmp_path / "out")
    assert made.resumed
    assert parts(tmp_path / "out") == parts(tmp_path / "whole")
    assert again.tally == whole.tally
    assert again.since_start.chunks < whole.tally.chunks
    third, _ = run(corpus, tmp_path / "out", stopping(0))
    assert third.since_start.documents == 0
    assert third.tally == whole.tally


def test_a_torn_or_foreign_file_is_written_anew(corpus, tmp_path):
    run(corpus, tmp_path / "out")
    wanted = parts(tmp_path / "out")
    first, second, third, *_ = sorted(wanted)
    (tmp_path / "out" / first).write_bytes(wanted[first][:100])
    (tmp_path / "out" / second).write_bytes(wanted[third])
    (tmp_path / "out" / ".unfinished-1-x").write_bytes(b"torn")
    run(corpus, tmp_path / "out")
    assert parts(tmp_path / "out") == wanted
    assert not [*(tmp_path / "out").glob(".*")]


def changed(corpus):
    (corpus / "faq.txt").write_text("Another text.")


def touched(corpus):
    os.utime(corpus / "below" / "lines.jsonl", ns=(1, 1))


def added(corpus):
    (corpus / "goat.txt").write_text("A new one.")


def last(corpus):
    (corpus / "z.txt").write_text("A new one.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changed, "faq.txt has changed since that run began"),
        (touched, "below/lines.jsonl has changed since that run began"),
        (added, "goat.txt is new since that run began"),
        (last, "z.txt is new since that run began"),
        (lambda corpus: (corpus / "legal.txt").unlink(), "legal.txt is gone since that run began"),
        (lambda corpus: (corpus / "stubs.txt").unlink(), "stubs.txt is gone since that run began"),
    ],
)
def test_other_inputs_are_refused(corpus, tmp_path, change, said):
    run(corpus, tmp_path / "out")
    before = parts(tmp_path / "out")
    change(corpus)
    with pytest.raises(InputError, match=f"--output must continue a run with the same inputs; {said}"):
        run(corpus, tmp_path / "out")
    assert parts(tmp_path / "out") == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"recipe": {**RECIPE, "parameters": {"size": 3}}}, "parameters.size was 2 and is now 3"),
        ({"recipe": {**RECIPE, "tokenizer": "characters"}}, "tokenizer was 'words' and is now 'characters'"),
        ({"columns": TextColumns("body")}, "text_column was 'text' and is now 'body'"),
        ({"shard_bytes": 5_000}, "shard_bytes was 4000 and is now 5000"),
        ({"encoding": "cp1252"}, "encoding was None and is now 'cp1252'"),
    ],
)
def test_another_recipe_or_option_is_refused(corpus, tmp_path, options, said):
    run(corpus, tmp_path / "out")
    with pytest.raises(InputError, match=f"--output must continue a run with the same recipe and options; {said}"):
        run(corpus, tmp_path / "out", **options)


def test_other_versions_are_refused(corpus, tmp_path, monkeypatch):
    run(corpus, tmp_path / "out")
    monkeypatch.setattr("chunkers.recipes.recipe.__version__", "9.9")
    with pytest.raises(InputError, match=r"versions.seamark was '0.1.0' and is now '9.9'"):
        run(corpus, tmp_path / "out")


def test_a_shard_is_read_as_earlier_versions_wrote_it():
    line = (
        '{"shard": 3, "file": "part-000003.parquet", "pieces": [{"root": 0, "path": "a.md", "kind": "problem", "size": 9, '
        '"changed": 7, "begin": 0, "end": 9, "group": 0, "before": 0, "weight": 9, "said": "It is torn."}]}'
    )
    shard = Shard.from_json(line)
    assert (shard.number, shard.pieces[0].path, shard.pieces[0].said) == (3, "a.md", "It is torn.")
    assert json.loads(shard.to_json())["pieces"] == json.loads(line)["pieces"]


@pytest.mark.parametrize("before", [{}, {"schema": 2}, {"schema": 4}])
def test_a_folder_of_other_columns_is_refused_and_none_of_its_shards_is_touched(corpus, tmp_path, before):
    with pytest.raises(KeyboardInterrupt):
        run(corpus, tmp_path / "out", stopping(2))
    there = parts(tmp_path / "out")
    manifest = tmp_path / "out" / "_manifest.jsonl"
    first, *shards = manifest.read_text(encoding="utf-8").splitlines()
    told = json.loads(first)
    # The first manifests did not say: theirs was 1.
    assert told.pop("schema") == 3
    manifest.write_text("\n".join([json.dumps({**told, **before}), *shards]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="--output must continue a run with the same columns; ") as error:
        run(corpus, tmp_path / "out")
    assert (
        f"{tmp_path / 'out'} has version {before.get('schema', 1)} of the columns, and this Seamark writes version 3"
        in str(error.value)
    )
    assert parts(tmp_path / "out") == there


def test_another_model_of_the_same_name_is_refused(corpus, tmp_path, monkeypatch):
    run(corpus, tmp_path / "out")
    (tmp_path / "out" / "part-000002.parquet").unlink()
    monkeypatch.setattr(
        "corpus.shards.Job.recorded_shard_tally_and_model",
        lambda job, shard: (Tally(), "model@1") if shard.number != 2 else None,
    )
    with pytest.raises(
        InputError, match="The embedding model must be the same as for the existing shards, model@1; it is now none"
    ):
        run(corpus, tmp_path / "out")


def test_a_folder_with_other_things_is_refused(corpus, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("Mine.")
    with pytest.raises(
        InputError,
        match=r"must be a new or empty folder, or the folder of an earlier run; this folder contains 'mine.txt'\.",
    ):
        run(corpus, tmp_path / "out")
    with pytest.raises(InputError, match="--output must not lie within an input"):
        run(corpus, corpus / "out")
    with pytest.raises(InputError, match="--output must be a writable folder"):
        run(corpus, corpus.parent / "out" / "mine.txt")


def test_two_runs_do_not_write_at_once(corpus, tmp_path):
    def engine(job, missing, workers):
        with pytest.raises(InputError, match="--output may be written by only one run at a time"):
            run(corpus, tmp_path / "out")
        yield from map(job.write_shard, missing)

    run(corpus, tmp_path / "out", engine)


def test_nothing_to_read_is_refused(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "photo.png").write_bytes(b"")
    with pytest.raises(InputError, match="must contain at least one readable document; they contain none"):
        run(tmp_path / "in", tmp_path / "out")
    with pytest.raises(InputError, match="the input cannot be read: No such file or directory"):
        run(tmp_path / "absent", tmp_path / "out")


@pytest.mark.slow
def test_the_command_tells_problems_and_goes_on(corpus, tmp_path, capsys):
    (corpus / "broken.pdf").write_bytes(b"%PDF-1.7")
    (corpus / "below" / "more.jsonl").write_text('{"text": "One."}\n{"text": 5}\n')
    (corpus / ".hidden").write_text("")
    recipe = tmp_path / "recipe.json"
    recipe.write_text(json.dumps(RECIPE))
    call = [str(corpus), "--chunker", str(recipe), "--output", str(tmp_path / "out"), "--workers", "2"]
    assert main(call) == 1
    assert capsys.readouterr().err == (
        "Passed by: 1 hidden file or folder.\n"
        "35 documents, 285 chunks in 1 shard. "
        f"2 documents could not be read or cut: see {tmp_path / 'out' / '_problems.jsonl'}.\n"
    )
    told = [json.loads(line) for line in (tmp_path / "out" / "_problems.jsonl").read_text().splitlines()]
    assert [problem["document"] for problem in told] == ["below/more.jsonl#17", "broken.pdf"]
    assert told[0]["problem"].startswith("below/more.jsonl#17: ")
    assert main(call) == 1
    assert "Going on where a run stopped: 1 of 1 shard.\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Name at least one INPUT"),
        (["{corpus}", "--workers", "0"], "--workers must be from 1 to 256; got 0."),
        (["{corpus}", "--shard-size", "0"], "--shard-size must be from 0.001 to 4,000; got 0."),
        (["{corpus}", "--shard-size", "nan"], "--shard-size must be from 0.001 to 4,000; got nan."),
        (["{corpus}", "--encoding", "klingon"], "klingon"),
        (["{corpus}", "--device", "abacus"], "device must be one of"),
        (["--recipe", "a.json"], "--recipe is written in another way now: --chunker a.json."),
        (["--set", "size=5"], "--set is written in another way now: --chunker NAME:size=5."),
        (["--spend-tokens", "9"], "--spend-tokens is written in another way now: --spend 9."),
        (["{corpus}", "--chunker", "chunks:a.json"], "chunks:a.json: a corpus is cut by a recipe, anew in every process"),
    ],
)
def test_wrong_options_are_a_sentence(corpus, tmp_path, capsys, arguments, said):
    recipe = tmp_path / "recipe.json"
    recipe.write_text(json.dumps(RECIPE))
    call = ["--output", str(tmp_path / "out"), *(argument.format(corpus=corpus) for argument in arguments)]
    assert main(call if "--chunker" in call else [*call, "--chunker", str(recipe)]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.err.count("\n") == 1
    assert not printed.out


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ([], "Name at least one INPUT"),
        (["in"], "No chunker is named. Name it with --chunker, one of "),
        (["a.json", "in"], "a.json is written in another way now: --chunker a.json.\n"),
    ],
)
def test_a_chunker_by_position_says_what_to_write(tmp_path, capsys, inputs, sentence):
    assert main([*inputs, "--output", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith(sentence)


class SlowJob:
    """Stand-in for a job; writing a shard takes it a moment."""

    def write_shard(self, _shard):
        time.sleep(0.05)
        return Tally(1, 1, 1)


@pytest.mark.slow
def test_no_thread_fails_when_an_interruption_comes_while_a_shard_is_sent(monkeypatch):
    submit, is_ending, sent, failures = ProcessPoolExecutor.submit, _ExecutorManagerThread.is_shutting_down, [], []

    def interrupted(pool, *call):
        sent.append(submit(pool, *call))
        if len(sent) == 6:
            _thread.interrupt_main()
        return sent[-1]

    def asked_late(thread):
        time.sleep(0.2)
        return is_ending(thread)

    monkeypatch.setattr(ProcessPoolExecutor, "submit", interrupted)
    monkeypatch.setattr(_ExecutorManagerThread, "is_shutting_down", asked_late)
    monkeypatch.setattr("threading.excepthook", failures.append)
    # Processes of tests that run side by side ignore interruptions.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            [*write_in_processes(SlowJob(), iter(range(20)), 2)]
    finally:
        signal.signal(signal.SIGINT, before)
    assert failures == []


@pytest.mark.full
@pytest.mark.slow
def test_an_interruption_ends_it_and_its_workers(corpus, tmp_path):
    recipe = tmp_path / "recipe.json"
    recipe.write_text(json.dumps({**RECIPE, "sentences": "sentencex:en"}))
    text = load_sample("essay").text
    (corpus / "long.jsonl").write_text("\n".join(json.dumps({"text": text}) for _ in range(200)))
    command = [sys.executable, "-m", "seamark", "corpus", str(corpus), "--chunker", str(recipe)]
    command += ["--output", str(tmp_path / "out")]

    def heed_interruptions():
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.setsid()

    call = [*command, "--shard-size", "0.1", "--workers", "2"]
    with subprocess.Popen(call, cwd=ROOT, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interruptions) as process:
        began = time.monotonic()
        while not parts(tmp_path / "out") and time.monotonic() - began < LIMIT:
            time.sleep(0.02)
        # To all processes, as a terminal does.
        os.killpg(process.pid, signal.SIGINT)
        stderr = process.communicate(timeout=LIMIT)[1]
    assert process.returncode == 130
    assert stderr == "The same command again goes on.\nStopped by the user.\n"
    assert not [*(tmp_path / "out").rglob(".unfinished*")]
    assert gone(process.pid)
