"""``seamark diff``: equal to a plain recomputation from the chunks, from chunkers and from corpus runs."""

import json
import shutil
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chunkers import chunk
from chunkers.embedders.static_embedder import Static
from chunkers.recipes.result_export import to_jsonl
from corpus.run import Run
from evaluation.command_line import main
from sample_docs import SAMPLES_FOLDER
from tests.server import ChatModelServer
from tests.support import ScriptedModel

LIKE = {"sentences": "regex", "embedder": "tfidf", "tokenizer": "words"}
OPTIONS = [word for name, value in LIKE.items() for word in (f"--{name}", value)]
NAMES = ("stubs.txt", "three_topics.txt", "table.md")


def here(job, missing, workers):
    """Write the shards in this process."""
    yield from map(job.write_shard, missing)


@pytest.fixture
def folder(tmp_path):
    """A folder of three documents and their questions."""
    (tmp_path / "docs").mkdir()
    for name in NAMES:
        shutil.copy(SAMPLES_FOLDER / name, tmp_path / "docs" / name)
    lines = (SAMPLES_FOLDER / "questions.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if line.startswith("question,") or line.rstrip().endswith((",stubs", ",three_topics"))]
    (tmp_path / "questions.csv").write_text("".join(kept), encoding="utf-8")
    return tmp_path


def call(capsys, *words, status=0):
    assert main(["diff", *map(str, words)]) == status
    printed = capsys.readouterr()
    return printed.out if status == 0 else printed.err


def told(capsys, *words):
    return json.loads(call(capsys, *words, "--json"))


def texts_of(folder, chunker, parameters, embedded_as="plain"):
    """Return the embedded texts of each document."""
    text_counts = {}
    for name in NAMES:
        text = (folder / "docs" / name).read_bytes().decode()
        made = chunk(text, chunker, **LIKE, embedded_as=embedded_as, **parameters)
        rows = map(json.loads, to_jsonl(made, embedded_as).splitlines())
        text_counts[name] = Counter(row.get("embedded_as", row["text"]) for row in rows)
    return text_counts


def plainly(before, after):
    """Return the numbers of a plain comparison of each document's embedded texts."""
    again = sum(len(text.split()) * count for name in NAMES for text, count in (after[name] - before[name]).items())
    kept = sum((before[name] & after[name]).total() for name in NAMES)
    old = {name: (before[name] - after[name]).total() for name in NAMES}
    new = {name: (after[name] - before[name]).total() for name in NAMES}
    changed = sum(min(old[name], new[name]) for name in NAMES)
    return {
        "kept": kept,
        "changed": changed,
        "new": sum(new.values()) - changed,
        "gone": sum(old.values()) - changed,
        "tokens_again": again,
        "changed_documents": sum(bool(old[name] or new[name]) for name in NAMES),
    }


def in_run(folder, name, chunker, parameters, **others):
    """Cut the documents into a corpus run and return its folder."""
    recipe = {"chunker": chunker, "parameters": parameters, **LIKE, **others}
    (folder / f"{name}.json").write_text(json.dumps(recipe))
    Run(folder / f"{name}.json", (folder / "docs",), folder / name, shard_bytes=1500).write_all_shards(here, 1)
    return folder / name


BEFORE, AFTER = ("fixed_sentences", {"size": 3}), ("fixed_sentences", {"size": 3, "overlap": 1})


def part_of(found, wanted):
    return {name: found[name] for name in wanted}


def test_chunkers_recipes_and_runs_equal_a_plain_recomputation(folder, capsys):
    wanted = plainly(texts_of(folder, *BEFORE), texts_of(folder, *AFTER))
    assert wanted["changed"]
    named = ["fixed_sentences:size=3", "fixed_sentences:size=3,overlap=1"]
    docs = folder / "docs"
    assert part_of(told(capsys, docs, "--chunker", *named, *OPTIONS), wanted) == wanted
    runs = [in_run(folder, "a", *BEFORE), in_run(folder, "b", *AFTER)]
    assert part_of(told(capsys, "--chunker", *runs), wanted) == wanted
    assert part_of(told(capsys, docs, "--chunker", folder / "a.json", folder / "b.json"), wanted) == wanted
    # A chunker by its name is embedded and counted like the other side.
    assert part_of(told(capsys, docs, "--chunker", runs[0], named[1]), wanted) == wanted


def test_nothing_changes_without_a_change(folder, capsys):
    run = in_run(folder, "a", *BEFORE)
    diff = told(capsys, "--chunker", run, run)
    assert diff["kept"] == diff["before"]["chunks"] == diff["after"]["chunks"] > 0
    assert (diff["changed"], diff["new"], diff["gone"], diff["tokens_again"]) == (0, 0, 0, 0)
    assert diff["most_changed"] == []


def test_a_run_counts_tokens_of_the_embedded_text(folder, capsys):
    parameters = {"max_size": 60}
    runs = [
        in_run(folder, "a", "structure", parameters),
        in_run(folder, "b", "structure", parameters, embedded_as="heading_path"),
    ]
    wanted = plainly(texts_of(folder, "structure", parameters), texts_of(folder, "structure", parameters, "heading_path"))
    assert wanted["changed"] > 0
    assert part_of(told(capsys, "--chunker", *runs), wanted) == wanted
    column = sum(sum(pq.read_table(path)["tokens"].to_pylist()) for path in runs[1].glob("part-*.parquet"))
    assert told(capsys, "--chunker", *runs)["tokens"] > column


def test_an_edited_document_and_documents_on_one_side(folder, capsys):
    before = in_run(folder, "a", *BEFORE)
    path = folder / "docs" / "three_topics.txt"
    path.write_text(path.read_text(encoding="utf-8") + "\n\nOne more sentence. And another.\n", encoding="utf-8")
    (folder / "docs" / "stubs.txt").unlink()
    (folder / "docs" / "fresh.txt").write_text("A new document.", encoding="utf-8")
    diff = told(capsys, "--chunker", before, in_run(folder, "b", *BEFORE))
    assert (diff["only_before"], diff["only_after"]) == (1, 1)
    assert {changed["document"] for changed in diff["most_changed"]} == {"stubs.txt", "three_topics.txt", "fresh.txt"}
    edited = next(changed for changed in diff["most_changed"] if changed["document"] == "three_topics.txt")
    assert edited["kept"] > 0
    assert edited["changed"] + edited["new"] in (1, 2)


def test_another_model_keeps_nothing(folder, capsys):
    runs = [in_run(folder, "a", *BEFORE), in_run(folder, "b", *BEFORE, embedder="static")]
    diff = told(capsys, "--chunker", *runs)
    assert not diff["same_model"]
    assert (diff["kept"], diff["tokens_again"]) == (0, diff["tokens"])


def test_late_chunking_keeps_nothing(folder, capsys):
    words = (folder / "docs", "--chunker", "fixed_sentences:size=3", "fixed_sentences:size=3", *OPTIONS)
    assert told(capsys, *words)["changed"] == 0
    assert main(["diff", *map(str, words), "--embedded-as", "late", "--json"]) == 0
    printed = capsys.readouterr()
    diff = json.loads(printed.out)
    assert diff["same_model"]
    assert (diff["kept"], diff["tokens_again"]) == (0, diff["tokens"])
    assert "By late chunking a chunk's vector depends on the text around it" in printed.err


def test_chunks_of_something_else(folder, capsys):
    lines = []
    for name in NAMES:
        text = (folder / "docs" / name).read_bytes().decode()
        lines += [
            json.dumps({"text": chunk_text, "source": name})
            for chunk_text in chunk(text, "fixed_sentences", **LIKE, size=3).texts
        ]
    (folder / "mine.jsonl").write_text("\n".join(lines))
    sides = ("--chunker", f"chunks:{folder / 'mine.jsonl'}", "fixed_sentences:size=3")
    diff = told(capsys, folder / "docs", *sides, *OPTIONS)
    assert (diff["changed"], diff["new"], diff["gone"]) == (0, 0, 0)
    assert diff["kept"] == len(lines)


def test_the_words_have_tokens_dollars_and_documents(folder, capsys):
    words = (folder / "docs", "--chunker", "fixed_sentences:size=3", "fixed_sentences:size=2", *OPTIONS)
    diff = told(capsys, *words, "--price", "1000")
    printed = call(capsys, *words, "--price", "1000", "--top", "1")
    assert diff["dollars_again"] == pytest.approx(diff["tokens_again"] / 1000)
    assert f"To embed again: {diff['tokens_again']:,} of {diff['tokens']:,} tokens" in printed
    _, heads, first, second, *_, document_heads, document_row = (line.split() for line in printed.splitlines())
    counts = [f"{diff[name]:,}" for name in ("kept", "changed", "new", "gone", "tokens_again")]
    assert heads == ["chunks", "kept", "changed", "new", "gone", "tokens", "again", "share", "cost", "documents"]
    assert first == ["A:", "fixed_sentences:size=3", str(diff["before"]["chunks"]), *["–"] * 8]
    assert second[:8] == ["B:", "fixed_sentences:size=2", str(diff["after"]["chunks"]), *counts]
    assert second[-2:] == [f"${diff['dollars_again']:,.2f}", str(diff["changed_documents"])]
    worst = diff["most_changed"][0]
    assert document_heads == ["tokens", "again", "kept", "changed", "new", "gone"]
    assert document_row == [
        worst["document"],
        *(f"{worst[name]:,}" for name in ("tokens_again", "kept", "changed", "new", "gone")),
    ]
    assert "$" not in call(capsys, *words)


def test_questions_won_and_lost_are_those_of_retrieval(folder, capsys):
    for size in (1, 3):
        recipe = {"chunker": "fixed_sentences", "parameters": {"size": size}, **LIKE}
        (folder / f"by_{size}.json").write_text(json.dumps(recipe))
    recipes = [folder / "by_1.json", folder / "by_3.json"]
    questions = ["--questions", str(folder / "questions.csv"), "--top-k", "2", "--budget", "60"]
    question_diff = told(capsys, folder / "docs", "--chunker", *recipes, *questions)["questions"]
    # Only documents with an answer are searched.
    (folder / "docs" / "table.md").unlink()
    words = ["retrieval", str(folder / "docs"), *questions, "--tokenizer", "words", "--json"]
    assert main([*words, "--chunker", *map(str, recipes)]) == 0
    measured = [json.loads(line) for line in capsys.readouterr().out.splitlines()][:2]
    recalls = [[question["tokens"]["recall"] for question in side["questions"]] for side in measured]
    at_k, at_budget = question_diff["at"]
    assert at_k["recall"] == recalls
    pairs = [*enumerate(zip(*recalls, strict=True))]
    assert at_k["won"] == [number for number, (before, after) in pairs if after > before]
    assert at_k["lost"] == [number for number, (before, after) in pairs if after < before]
    assert at_budget["amount"] == "60 tokens"
    assert at_budget["recall"] == [
        [question["budgets"][0]["tokens"]["recall"] for question in side["questions"]] for side in measured
    ]
    assert question_diff["documents"] == 2
    assert question_diff["questions"] == [question["question"] for question in measured[0]["questions"]]
    printed = call(capsys, folder / "docs", "--chunker", *recipes, *questions)
    assert (
        f"Recall at k = 2: {100 * sum(recalls[0]) / len(pairs):.1f} to {100 * sum(recalls[1]) / len(pairs):.1f};" in printed
    )
    assert "Recall at 60 tokens: " in printed
    for number in at_k["lost"]:
        assert f"  lost at k = 2: {question_diff['questions'][number]}" in printed


def test_a_document_that_cannot_be_read_is_left_out_on_both_sides(folder, capsys):
    (folder / "docs" / "broken.txt").write_bytes(b"a\0b")
    sides = ("--chunker", "fixed_sentences:size=3", "fixed_sentences:size=2")
    complaint = call(capsys, folder / "docs", *sides, *OPTIONS, status=1)
    assert "broken.txt: the file must be plain text or Markdown; it is binary. The document is left out." in complaint


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--chunker", "fixed_sentences", "recursive"], "A chunker needs documents to cut; CORPUS is missing."),
        (["{docs}", "--chunker", "fixed_sentence", "recursive"], "fixed_sentence"),
        (["{docs}", "--chunker", "fixed_sentences:size=0", "recursive"], "size must be at least 1; got 0."),
        (["{docs}", "--chunker", "fixed_sentences:size", "recursive"], "a parameter must have the form KEY=VALUE"),
        (["{docs}", "--chunker", "{docs}", "recursive"], "a folder must be the output of “seamark corpus”"),
        (
            ["--chunker", "{run}", "{run}", "--questions", "{questions}"],
            "--questions needs the documents; CORPUS is missing.",
        ),
        (["--chunker", "{unfinished}", "{run}"], "the corpus run must be finished; it is not."),
        (["--chunker", "{torn}", "{run}"], "a corpus run must have all its files of chunks"),
        (["--chunker", "{run}", "{run}", "--price", "-1"], "--price must be a number of dollars of at least 0; got -1."),
        (["--chunker", "{run}", "{run}", "--top", "0"], "--top must be at least 1; got 0."),
        (["{docs}", "--chunker", "nowhere.json", "recursive"], "the file cannot be read"),
        (["{docs}", "--chunker", "recursive"], "A diff is of two chunkers on one CORPUS; got 1 and 1."),
        (["--chunker", "recursive", "structure", "kmeans"], "got 3 and 0. Write seamark diff CORPUS --chunker A B."),
        (
            ["{docs}", "{docs}", "--chunker", "recursive", "structure"],
            "got 2 and 2. Write seamark diff CORPUS --chunker A B.",
        ),
        (
            ["a.json", "recursive:size=5", "{docs}"],
            "a.json recursive:size=5 is written in another way now: --chunker a.json recursive:size=5.",
        ),
        (["{docs}"], "A diff is of two chunkers on one CORPUS; got 0 and 1."),
        (
            ["{docs}", "--chunker", "{recipe}", "{recipe}:size=1", "--embedder", "tfidf"],
            "--embedder works only for a chunker by its name; both sides have a recipe, which names its own. Leave it out.",
        ),
        (
            ["--chunker", "{run}", "{run}", "--sentences", "lines"],
            "--sentences works only for a chunker by its name; both sides have a recipe, which names its own. Leave it out.",
        ),
        (["--recipe", "a.json", "b.json"], "--recipe is written in another way now: --chunker a.json b.json."),
        (["--set", "size=5"], "--set is written in another way now: --chunker NAME:size=5."),
    ],
)
def test_what_is_of_no_use_ends_in_a_sentence(folder, capsys, words, said):
    places = {"docs": folder / "docs", "questions": folder / "questions.csv", "run": in_run(folder, "a", *BEFORE)}
    places["recipe"] = folder / "a.json"
    for name in ("unfinished", "torn"):
        places[name] = shutil.copytree(places["run"], folder / name)
    (places["unfinished"] / "_summary.json").unlink()
    next(places["torn"].glob("part-*.parquet")).unlink()
    options = OPTIONS if "recursive" in words else ()
    assert said in call(capsys, *(word.format_map(places) for word in words), *options, status=2)


STATIC = {**LIKE, "embedder": "static"}


def with_questions(folder, *words):
    """Return the words of a command that measures questions, embedding by a model whose vectors can be kept."""
    options = [word for name, value in STATIC.items() for word in (f"--{name}", value)]
    return [
        *(folder / "docs", "--chunker", "fixed_sentences:size=1", "fixed_sentences:size=2", *options),
        *("--questions", folder / "questions.csv", *words),
    ]


def test_an_estimate_in_tokens_and_dollars_comes_before_the_questions(folder, capsys):
    assert main(["diff", *map(str, with_questions(folder, "--price", "1000", "--cache", folder / "cache.sqlite"))]) == 0
    answering = [(SAMPLES_FOLDER / name).read_text(encoding="utf-8") for name in NAMES[:2]]
    tokens = 2 * sum(len(text.split()) for text in answering)
    said = f"About {tokens:,} tokens are embedded for both sides, ${tokens / 1000:,.2f}, less what the cache has."
    assert f"questions on 2 of 3 documents. {said}" in capsys.readouterr().err


def test_stopped_questions_go_on_with_the_cache_and_lose_nothing(folder, capsys, monkeypatch):
    words = [str(word) for word in with_questions(folder, "--cache", folder / "cache.sqlite", "--json")]
    encode, embedded = Static.encode, []

    def counted(self, texts):
        embedded.extend(texts)
        return encode(self, texts)

    def stopped(self, texts):
        if len(embedded) >= 4:
            raise KeyboardInterrupt
        return counted(self, texts)

    monkeypatch.setattr(Static, "batch", 4)
    monkeypatch.setattr(Static, "encode", stopped)
    assert main(["diff", *words]) == 130
    printed = capsys.readouterr()
    assert "questions" not in json.loads(printed.out)
    assert "The questions are not measured. What is embedded is in the cache" in printed.err
    first = [*embedded]
    assert len(first) == 4
    monkeypatch.setattr(Static, "encode", counted)
    assert main(["diff", *words]) == 0
    resumed = json.loads(capsys.readouterr().out)
    assert not {*embedded[4:]} & {*first}
    (folder / "cache.sqlite").unlink()
    assert main(["diff", *words]) == 0
    assert json.loads(capsys.readouterr().out) == resumed
    assert json.loads(printed.out) == {name: value for name, value in resumed.items() if name != "questions"}


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_rows_of_tables_are_documents_like_files(folder, capsys, ending):
    rows = [{"id": name, "text": (folder / "docs" / name).read_bytes().decode()} for name in NAMES]
    table = folder / f"docs.{ending}"
    if ending == "jsonl":
        table.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), table)
    words = ("--chunker", "fixed_sentences:size=3", "fixed_sentences:size=2", *OPTIONS)
    words += ("--questions", folder / "questions.csv")
    assert told(capsys, table, *words) == told(capsys, folder / "docs", *words)
    # In a folder among files too.
    table.rename(folder / "docs" / table.name)
    (folder / "docs" / NAMES[0]).unlink()
    (folder / "docs" / NAMES[1]).unlink()
    (folder / "docs" / NAMES[2]).rename(folder / "docs" / "other.md")
    assert told(capsys, folder / "docs", *words)["documents"] == 4


def test_a_row_that_is_no_document_is_left_out(folder, capsys):
    (folder / "docs.jsonl").write_text('{"id": "a", "text": "One. Two."}\n{"id": "b"}\n')
    sides = ("--chunker", "fixed_sentences:size=1", "fixed_sentences:size=2")
    complaint = call(capsys, folder / "docs.jsonl", *sides, *OPTIONS, status=1)
    assert "a line must have the key 'text'" in complaint
    assert "The document is left out." in complaint


def test_what_a_side_spends_on_a_language_model_is_told_also_if_its_limit_ends_it(folder, capsys, monkeypatch, serve):
    scripted = ScriptedModel()
    http = serve(ChatModelServer, lambda messages: scripted.words(messages[1]["content"]))
    monkeypatch.setenv("OPENAI_BASE_URL", http.address)
    words = ["diff", str(folder / "docs" / "stubs.txt"), *OPTIONS, "--chunker", "recursive", "llm"]
    words += ["--language-model", "openai:test"]
    assert main([*words, "--spend", "10"]) != 0
    assert "llm: openai:test: 0 requests." in capsys.readouterr().err
    assert main(words) == 0
    err = capsys.readouterr().err
    assert f"llm: openai:test: {len(http.requests)} request" in err
    assert "recursive: openai" not in err
