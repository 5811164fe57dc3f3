"""``seamark retrieval``: what it prints, what it refuses, and that a cache is used."""

import json
from pathlib import Path

import pytest

from evaluation.command_line import main
from evaluation.commands import retrieval
from evaluation.statistics.p_value_correction_and_intervals import FALSE_VERDICT_SENTENCE
from sample_docs import SAMPLES_FOLDER
from tests.server import ChatModelServer
from tests.support import ScriptedModel


@pytest.fixture
def folder(tmp_path):
    """A folder of two documents, a file of questions, and two recipes that need no model."""
    (tmp_path / "corpus").mkdir()
    for name in ("stubs", "three_topics"):
        (tmp_path / "corpus" / f"{name}.txt").write_bytes((SAMPLES_FOLDER / f"{name}.txt").read_bytes())
    (tmp_path / "corpus" / "image.png").write_bytes(b"\x89PNG")
    lines = (SAMPLES_FOLDER / "questions.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if line.startswith("question,") or line.rstrip().endswith((",stubs", ",three_topics"))]
    (tmp_path / "questions.csv").write_text("".join(kept), encoding="utf-8")
    for size in (1, 3):
        recipe = {"chunker": "fixed_sentences", "parameters": {"size": size}, "embedder": "tfidf", "tokenizer": "words"}
        (tmp_path / f"by_{size}.json").write_text(json.dumps(recipe))
    return tmp_path


def call(folder, *others, recipes=("by_1.json",)):
    paths = [str(folder / name) for name in recipes]
    given = ["retrieval", str(folder / "corpus"), "--questions", str(folder / "questions.csv")]
    return main([*given, "--tokenizer", "words", "--chunker", *paths, *others])


def test_every_recipe_is_measured_on_every_question(folder, capsys):
    assert call(folder, "--json", "--top-k", "2", recipes=("by_1.json", "by_3.json")) == 0
    one, three = map(json.loads, capsys.readouterr().out.splitlines())
    assert (one["recipe"], three["recipe"]) == ("by_1", "by_3")
    assert one["chunks"] > three["chunks"]
    assert one["problems"] == []
    for figures in (one, three):
        assert len(figures["questions"]) == 6
        assert all(len(question["retrieved"]) == 2 for question in figures["questions"])
        recalls = [question["characters"]["recall"] for question in figures["questions"]]
        assert figures["characters"]["recall"]["mean"] == pytest.approx(sum(recalls) / 6)
        assert set(figures["documents"]) == {"1", "3", "5", "10"}
    text = (folder / "corpus" / "stubs.txt").read_bytes().decode()
    bread = next(question for question in one["questions"] if "sourdough" in question["question"])
    assert text[bread["excerpts"][0]["start"] : bread["excerpts"][0]["end"]].startswith("The acids in it")
    for chunk in three["questions"][0]["retrieved"]:
        whole = (folder / "corpus" / chunk["document"]).read_bytes().decode()
        assert all(whole[start:end].strip() for start, end in chunk["spans"])


def test_the_table_says_mean_and_deviation(folder, capsys):
    assert call(folder) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert "by_1: " in printed.out
    assert " ± " in printed.out
    for row in ("recall", "precision", "precision_omega", "iou", "documents F1", "evidence F1"):
        assert f"\n  {row} " in printed.out


def test_near_duplicates_are_told_with_the_places_that_they_take(folder, capsys):
    assert call(folder) == 0
    assert "near-duplicates  none of 30 chunks has one" in capsys.readouterr().out
    text = (folder / "corpus" / "stubs.txt").read_bytes()
    (folder / "corpus" / "copy.txt").write_bytes(text)
    options = ["--top-k", "4", "--budget", "40,80"]
    assert call(folder, *options) == 0
    printed = capsys.readouterr().out
    assert call(folder, *options, "--json") == 0
    told = json.loads(capsys.readouterr().out.splitlines()[0])
    near = told["near_duplicates"]
    # A sentence and its copy have the same vector, so that they stand next to each other.
    assert (near["chunks"], near["groups"]) == (32, 16)
    assert near["top_k"]["retrieved"] == 4
    assert 0 < near["top_k"]["taken"] <= 2
    assert [at["budget"] for at in near["budgets"]] == [40, 80]
    characters = near["top_k"]["characters"]
    assert characters["recall"] == pytest.approx(told["characters"]["recall"]["mean"])
    assert characters["difference"]["mean"] == pytest.approx(characters["recall_without"] - characters["recall"])
    (line,) = [line for line in printed.splitlines() if line.startswith("    top 4: ")]
    assert f"{near['top_k']['taken']:.2f} of 4.0 chunks repeat a better one, in {near['top_k']['questions']} of 6" in line
    assert f"recall in characters {100 * characters['recall']:.1f}, without them" in line
    assert "\n    80 tokens: " in printed


def test_ways_that_search_the_same_chunks_share_their_index(folder, monkeypatch):
    built, build = [], retrieval.cut_and_index_corpus

    def counting(*given):
        built.append(given[-1])
        return build(*given)

    monkeypatch.setattr(retrieval, "cut_and_index_corpus", counting)
    assert call(folder, "--return", "chunk", "parent", "window:1") == 0
    assert built == [False, True]


def test_children_are_searched_and_parents_returned(folder, capsys):
    recipe = json.loads((folder / "by_1.json").read_text())
    recipe |= {"chunker": "recursive", "parameters": {"size": 120, "unit": "characters", "parent_size": 500}}
    (folder / "two.json").write_text(json.dumps(recipe))
    assert call(folder, "--json", "--top-k", "4", "--return", "chunk", "parent", recipes=("two.json",)) == 0
    captured = capsys.readouterr()
    assert captured.err.count("two: Parents are searched beside their children.") == 1
    both, children = map(json.loads, captured.out.splitlines())
    assert children["returned"] == "parent"
    assert both["chunks"] > children["chunks"]
    for question in children["questions"]:
        given = [returned for returned in question["returned"] if returned]
        assert len({json.dumps(returned) for returned in given}) == len(given)
        for chunk, returned in zip(question["retrieved"], question["returned"], strict=True):
            ((start, end),) = chunk["spans"]
            assert end - start <= 120
            holders = [returned] if returned else [some for some in given if some["document"] == chunk["document"]]
            assert any(first <= start and end <= last for some in holders for first, last in some["spans"])
    assert call(folder, "--return", "parent") == 0
    captured = capsys.readouterr()
    assert "by_1: The chunks have one level: without parents, each returns itself." in captured.err
    assert "by_1 with its parent: 30 chunks" in captured.out


def test_embeddings_are_kept_in_the_cache_file(folder, capsys):
    cache = str(folder / "vectors.sqlite")
    assert call(folder, "--json", "--cache", cache) == 0
    first = json.loads(capsys.readouterr().out)
    assert call(folder, "--json", "--cache", cache) == 0
    again = json.loads(capsys.readouterr().out)
    # The cost of a vector from the cache is that of its making, to the digit.
    assert again["embed_s"] == first["embed_s"]
    assert again["questions"] == first["questions"]


def test_what_is_left_out_is_told(folder, capsys):
    (folder / "corpus" / "broken.txt").write_bytes(b"a\0b")
    with (folder / "questions.csv").open("a", encoding="utf-8") as file:
        file.write("Who?,Nobody knows.,stubs\n")
    assert call(folder) == 0
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "broken.txt: the file must be plain text or Markdown; it is binary. The document is left out."
    assert told[1].startswith("questions.csv, question 7: no excerpt of 'Who?' could be located")
    assert told[2:] == ["questions.csv: of the excerpts, 8 valid, 1 orphaned."]


def test_what_is_of_no_use_ends_in_a_sentence(folder, capsys):
    (folder / "empty").mkdir()

    def refused(**changed):
        given = {"corpus": "corpus", "questions": "questions.csv", "chunker": "by_1.json", "top-k": "5"} | changed
        values = {key: value if key == "top-k" else str(folder / value) for key, value in given.items()}
        documents = values.pop("corpus")
        assert main(["retrieval", documents, *(word for key, value in values.items() for word in (f"--{key}", value))]) == 2
        return capsys.readouterr().err

    assert "a folder must contain at least one file ending in .txt, .md, " in refused(corpus="empty")
    (folder / "empty" / "noise.txt").write_bytes(b"\0\1")
    assert "At least one document must be readable; none is." in refused(corpus="empty")
    assert "the file cannot be read: No such file or directory." in refused(corpus="nowhere")
    assert "the file cannot be read: " in refused(corpus="long " * 2000)
    assert "the file cannot be read" in refused(questions="nowhere.csv")
    assert "--top-k must be at least 1; got 0." in refused(**{"top-k": "0"})
    (folder / "other.csv").write_text("question,excerpts\nWho?,Nobody knows.\n")
    assert "at least one question must be usable; none is." in refused(questions="other.csv")
    (folder / "recipe.json").write_text("{")
    assert "the file must be valid JSON" in refused(chunker="recipe.json")


def test_budgets_are_measured_beside_the_top_k(folder, capsys):
    assert call(folder, "--budget", "60,30", recipes=("by_1.json", "by_3.json")) == 0
    printed = capsys.readouterr().out
    recall, verdict, *_ = printed[printed.index("\nrecall in tokens") :].strip().split("\n\n")
    title, heads, one, three = recall.splitlines()
    assert title == "recall in tokens, 95 % confidence intervals in brackets; the last chunk cut off:"
    assert heads.index("k = 5") < heads.index("30 tokens") < heads.index("60 tokens")
    assert (one.split()[0], three.split()[0]) == ("by_1", "by_3")
    assert one.count(" to ") == three.count(" to ") == 3
    assert verdict.startswith("The highest recall is with by_")
    assert verdict.endswith(
        "Among 2 comparisons (Holm's correction), a significant difference takes at least 7 questions; there are 6."
    )
    assert FALSE_VERDICT_SENTENCE in printed
    for title in ("precision in tokens", "IoU in tokens", "tokens that a question is given"):
        assert f"\n{title}" in printed
    # With the last chunk cut off, each is given as many as the budget has.
    assert printed.splitlines()[-2].split()[-2:] == printed.splitlines()[-1].split()[-2:] == ["30", "60"]


def test_budgets_as_json(folder, capsys):
    options = ("--json", "--budget", "100,400", "--budget-unit", "characters", "--last", "left-out")
    assert call(folder, *options, recipes=("by_1.json", "by_3.json")) == 0
    one, three, leads = map(json.loads, capsys.readouterr().out.splitlines())
    for figures in (one, three):
        assert (figures["budgets"]["unit"], figures["budgets"]["last"]) == ("characters", "left_out")
        for place, (size, at) in enumerate(zip((100, 400), figures["budgets"]["at"], strict=True)):
            questions = [question["budgets"][place] for question in figures["questions"]]
            assert all(question["budget"] == size == at["budget"] for question in questions)
            assert all(question["characters"]["given"] <= size for question in questions)
            for unit in ("characters", "tokens"):
                recalls = [question[unit]["recall"] for question in questions]
                summary = at[unit]["recall"]
                assert summary["mean"] == pytest.approx(sum(recalls) / 6)
                assert summary["low"] <= summary["mean"] <= summary["high"]
            assert at["chunks"] == pytest.approx(sum(question["chunks"] for question in questions) / 6)
    figures = leads["leads"]["recall"]
    # Two comparisons need seven questions, one needs six.
    assert figures["comparisons"] == 0
    assert [at["difference"] for at in figures["at"]] == [None, None]
    assert [at["budget"] for at in figures["at"]] == [100, 400]
    for at in figures["at"]:
        same = [other for measured in (one, three) for other in measured["budgets"]["at"] if other["budget"] == at["budget"]]
        assert at["mean"] == max(other["characters"]["recall"]["mean"] for other in same)
    assert figures["words"].startswith("The highest recall is with by_")
    assert call(folder, "--json", "--budget", "100", recipes=("by_1.json", "by_3.json")) == 0
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])["leads"]["recall"]
    (at,) = figures["at"]
    assert (figures["comparisons"], at["difference"]["questions"], at["difference"]["level"]) == (1, 6, 0.95)
    assert at["difference"]["adjusted_p"] == at["difference"]["p"]
    assert at["difference"]["low"] <= at["difference"]["mean"] <= at["difference"]["high"]


def test_without_a_budget_nothing_is_said_of_one(folder, capsys):
    assert call(folder, "--json") == 0
    (figures,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert "budgets" not in figures
    assert "budgets" not in figures["questions"][0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--budget", "1k"), "--budget must be a list of whole numbers separated by commas, such as 1000,2000; got '1k'."),
        (("--budget", "100,-5"), "--budget must be a list of whole numbers separated by commas"),
        (("--budget", "0,100"), "A budget must be at least 1; got 0."),
        (("--spend", "0"), "--spend must be a whole number of tokens of at least 1; got '0'."),
        (("--last", "cut"), "--last works only with --budget, which is missing."),
        (("--budget-unit", "tokens"), "--budget-unit works only with --budget, which is missing."),
    ],
)
def test_budgets_and_limits_of_no_use_end_in_a_sentence(folder, capsys, options, message):
    assert call(folder, *options) == 2
    assert message in capsys.readouterr().err


def asked(folder, *arguments):
    recipe = str(folder / "by_1.json")
    return main(["retrieval", "--tokenizer", "words", "--chunker", recipe, "--json", *map(str, arguments)])


@pytest.fixture
def beir(folder):
    """A folder in BEIR's format with two documents."""
    texts = {name: (folder / "corpus" / f"{name}.txt").read_text(encoding="utf-8") for name in ("stubs", "three_topics")}
    (folder / "beir" / "qrels").mkdir(parents=True)
    rows = [{"_id": name, "title": "", "text": text} for name, text in texts.items()]
    (folder / "beir" / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (folder / "beir" / "queries.jsonl").write_text('{"_id": "1", "text": "How is sourdough leavened?"}', encoding="utf-8")
    (folder / "beir" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\tstubs\t1\n", encoding="utf-8")
    return folder / "beir"


def test_a_beir_folder_brings_its_documents(folder, beir, capsys):
    assert asked(folder, "--questions", beir) == 0
    printed = capsys.readouterr()
    figures = json.loads(printed.out)
    text = (folder / "corpus" / "stubs.txt").read_text(encoding="utf-8")
    assert figures["questions"][0]["excerpts"] == [{"document": "stubs", "start": 0, "end": len(text.rstrip())}]
    assert "BEIR says which documents answer a question, not where" in printed.err


def test_the_corpus_is_named_by_position(folder, capsys):
    assert call(folder, "--corpus", "docs") == 2
    assert capsys.readouterr().err == "--corpus is written in another way now: docs, without an option.\n"
    files = sorted(map(str, (folder / "corpus").glob("*.txt")))
    assert call(folder, "--json") == 0
    by_folder = json.loads(capsys.readouterr().out)
    assert asked(folder, *files, "--questions", folder / "questions.csv") == 0
    assert json.loads(capsys.readouterr().out)["questions"] == by_folder["questions"]
    # Another document of the same name could not be told from the first.
    assert asked(folder, folder / "corpus", files[0], "--questions", folder / "questions.csv") == 0
    complaint = (
        "stubs.txt: documents must have different names; an earlier document has this name. The document is left out."
    )
    assert complaint in capsys.readouterr().err


def test_what_brings_its_documents_takes_no_others(folder, beir, capsys):
    def refused(*arguments):
        assert asked(folder, *arguments) == 2
        return capsys.readouterr().err

    corpus = folder / "corpus"
    assert "beir has its own documents, so no others may be named" in refused(corpus, "--questions", beir)
    questions = folder / "questions.csv"
    assert "questions.csv has no documents of its own" in refused("--questions", questions)
    assert "--split works only with a BEIR set; questions.csv is not one." in refused(
        corpus, "--questions", questions, "--split", "dev"
    )
    assert "beir: the split must be one of test; got 'dev'." in refused("--questions", beir, "--split", "dev")
    (beir / "queries.jsonl").unlink()
    assert "beir: a BEIR set must have queries.jsonl" in refused("--questions", beir)


def test_labels_are_written_and_say_what_an_edit_did(folder, capsys):
    labels = folder / "labels.jsonl"
    assert call(folder, "--json", "--labels", str(labels)) == 0
    before = json.loads(capsys.readouterr().out)
    path = folder / "corpus" / "stubs.txt"
    path.write_text("A line before.\n" + path.read_text(encoding="utf-8"), encoding="utf-8", newline="")
    assert asked(folder, folder / "corpus", "--questions", labels) == 0
    printed = capsys.readouterr()
    after = json.loads(printed.out)
    for one, other in zip(before["questions"], after["questions"], strict=True):
        for was, now in zip(one["excerpts"], other["excerpts"], strict=True):
            moved = 15 if was["document"] == "stubs.txt" else 0
            assert (now["start"], now["end"]) == (was["start"] + moved, was["end"] + moved)
    *changes, states = printed.err.splitlines()
    assert after["changes"] == changes
    moved = sum(excerpt["document"] == "stubs.txt" for excerpt in after["excerpts"])
    assert states == f"labels.jsonl: of the excerpts, {len(after['excerpts']) - moved} valid, {moved} found again."
    assert [excerpt["state"] for excerpt in after["excerpts"] if excerpt["document"] == "stubs.txt"] == [
        "found again"
    ] * moved
    assert all(" stands in stubs.txt word for word, but at " in change for change in after["changes"])
    assert len(after["changes"]) == sum(
        excerpt["document"] == "stubs.txt" for question in before["questions"] for excerpt in question["excerpts"]
    )
    assert call(folder, "--labels", str(folder)) == 2
    assert "the file cannot be written" in capsys.readouterr().err


def test_what_is_returned_is_measured_beside_the_chunks(folder, capsys):
    ways = ("--return", "chunk", "window:1", "section")
    assert call(folder, "--json", "--budget", "30", "--top-k", "2", *ways) == 0
    printed = capsys.readouterr()
    chunk, window, section, leads = map(json.loads, printed.out.splitlines())
    assert "returned" not in chunk
    assert "returned" not in chunk["questions"][0]
    assert (window["returned"], section["returned"]) == ("window:1", "section")
    assert window["chunks"] == chunk["chunks"]
    assert "2 of 2 documents have no headings that are found: there a chunk returns itself." in printed.err
    # Without headings and overlap, a section is the chunk.
    assert [question["tokens"] for question in section["questions"]] == [
        question["tokens"] for question in chunk["questions"]
    ]
    for one, other in zip(chunk["questions"], window["questions"], strict=True):
        assert one["retrieved"] == other["retrieved"]
        assert other["tokens"]["recall"] >= one["tokens"]["recall"]
        given = [tuple(span) for part in other["returned"] if part for span in part["spans"]]
        assert len(set(given)) == len(given)
        for searched, part in zip(other["retrieved"], other["returned"], strict=True):
            assert part is None or part["document"] == searched["document"]
    assert "Among 3 comparisons" in leads["leads"]["recall"]["words"]


def test_what_is_returned_stands_in_the_tables(folder, capsys):
    assert call(folder, "--budget", "30,60", "--return", "chunk", "window:2") == 0
    printed = capsys.readouterr().out
    assert "by_1 with 2 neighbours on either side: " in printed
    table = printed[printed.index("recall in tokens") :].splitlines()
    assert [line.split("  ")[0] for line in table[2:4]] == ["by_1", "by_1 with 2 neighbours on either side"]
    assert call(folder, "--return", "parents") == 2
    assert (
        "The returned text must be chunk, window:N, section, section:N, page or parent; got 'parents'."
        in capsys.readouterr().err
    )


def test_a_recipe_that_names_a_language_model_asks_it_on_the_environments_server(folder, capsys, monkeypatch, serve):
    scripted = ScriptedModel()
    http = serve(ChatModelServer, lambda messages: scripted.words(messages[1]["content"]))
    monkeypatch.setenv("OPENAI_BASE_URL", http.address)
    recipe = {"chunker": "llm", "embedder": "tfidf", "tokenizer": "words", "language_model": "openai:test"}
    (folder / "llm.json").write_text(json.dumps(recipe))
    assert call(folder, "--json", recipes=("llm.json",)) == 0
    (figures,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert len(http.requests) >= 2
    assert figures["chunks"] > 2
    (folder / "llm.json").write_text(json.dumps({**recipe, "language_model": ""}))
    assert call(folder, recipes=("llm.json",)) == 2
    assert "needs a language model; name it with --language-model, as openai:NAME." in capsys.readouterr().err


def test_files_of_the_same_name_are_told_apart_by_their_paths(folder, capsys):
    texts = {path.name: path.read_bytes().decode() for path in (folder / "corpus").glob("*.txt")}
    for place, size in (("fixed", 300), ("semantic", 500)):
        (folder / "in" / place).mkdir(parents=True)
        rows = [
            {"text": text[start : start + size], "start": start, "source": name}
            for name, text in texts.items()
            for start in range(0, len(text), size)
        ]
        (folder / "in" / place / "chunks.json").write_text(json.dumps(rows))
        (folder / "in" / place / "by_3.json").write_text((folder / "by_3.json").read_text())
    chunks = [str(folder / "in" / place / "chunks.json") for place in ("fixed", "semantic")]
    recipes = ("by_1.json", "in/fixed/by_3.json", "in/semantic/by_3.json")
    given = ("--chunker", *(f"chunks:{path}" for path in chunks), "--budget", "100")
    assert call(folder, *given, "--json", recipes=recipes) == 0
    *measured, _ = map(json.loads, capsys.readouterr().out.splitlines())
    names = ["by_1", "fixed/by_3.json", "semantic/by_3.json", "fixed/chunks.json", "semantic/chunks.json"]
    assert [figures["recipe"] for figures in measured] == names
    assert call(folder, *given, recipes=recipes) == 0
    printed = capsys.readouterr().out
    table = printed[printed.index("recall in tokens") :].splitlines()[2:7]
    assert [row.split("  ")[0] for row in table] == names


@pytest.mark.parametrize(
    ("files", "names"),
    [
        ([("a", "x/a.json"), ("b", "x/b.json")], ["a", "b"]),
        ([("a", "x/a.json"), ("a", "x/a.txt")], ["a.json", "a.txt"]),
        ([("a", "x/z/a.json"), ("a", "y/z/a.json"), ("b", "b.json")], ["x/z/a.json", "y/z/a.json", "b"]),
        # What others are called by their name counts too.
        ([("a", "x/a.json"), ("a", "x/a.txt"), ("a.json", "y/a.json")], ["x/a.json", "a.txt", "a.json"]),
        # The same file is the same one.
        ([("a", "x/a.json"), ("a", "x/y/../a.json")], ["a", "a"]),
        ([("a", "x/a.json"), ("a", "x/a.json"), ("a", "y/a.json")], ["x/a.json", "x/a.json", "y/a.json"]),
    ],
)
def test_a_name_that_repeats_is_the_shortest_path_that_is_no_others(files, names):
    assert retrieval._distinct_names_of_chunker_files([(name, Path(path)) for name, path in files]) == names


def test_chunks_that_something_else_made_are_measured_beside_recipes(folder, capsys):
    def write(name, *documents):
        texts = {document: (folder / "corpus" / f"{document}.txt").read_bytes().decode() for document in documents}
        rows = [
            {"page_content": text[start : start + 300], "metadata": {"source": f"/in/{document}.txt", "start_index": start}}
            for document, text in texts.items()
            for start in range(0, len(text), 250)
        ]
        (folder / name).write_text(json.dumps(rows))
        return rows

    given = write("theirs.json", "stubs", "three_topics")
    assert call(folder, "--chunker", f"chunks:{folder / 'theirs.json'}", "--json", "--budget", "100,200") == 0
    recipe, theirs, leads = map(json.loads, capsys.readouterr().out.splitlines())
    assert (recipe["recipe"], theirs["recipe"], theirs["chunks"]) == ("by_1", "theirs.json", len(given))
    assert theirs["chunk_s"] is None
    assert [question["budgets"] for question in theirs["questions"]]
    assert "theirs.json" in str(leads)
    assert call(folder, "--chunker", f"chunks:{folder / 'theirs.json'}") == 0
    assert "theirs.json: " in (out := capsys.readouterr().out)
    assert "; made elsewhere, embedded in " in out
    # Without a document it is refused before anything is measured.
    write("fewer.json", "stubs")
    assert call(folder, "--chunker", f"chunks:{folder / 'fewer.json'}") == 2
    printed = capsys.readouterr()
    assert "fewer.json: the file must have chunks of all 2 documents" in printed.err
    assert "'three_topics.txt'" in printed.err
    assert printed.out == ""


def test_what_is_measured_must_be_named_and_embedded_in_one_way(folder, capsys):
    arguments = ["retrieval", str(folder / "corpus"), "--questions", str(folder / "questions.csv")]
    assert main(arguments) == 2
    assert "No chunker is named. Name it with --chunker, one of " in capsys.readouterr().err
    other = {"chunker": "fixed_sentences", "embedder": "all-MiniLM-L6-v2"}
    (folder / "other.json").write_text(json.dumps(other))
    (folder / "theirs.json").write_text('["a"]')
    chunks = ("--chunker", f"chunks:{folder / 'theirs.json'}")
    assert call(folder, *chunks, recipes=("by_1.json", "other.json")) == 2
    complaint = (
        "needs recipes that all embed in the same way; these embed differently: all-MiniLM-L6-v2, plain; tfidf, plain."
    )
    assert complaint in capsys.readouterr().err


def test_context_sentences_are_searched_by_words_too(folder, capsys, monkeypatch, serve):
    def answered(messages):
        return "About quokkas." if "acids in it" in messages[1]["content"].rpartition("The passage:")[2] else "On it."

    http = serve(ChatModelServer, answered)
    monkeypatch.setenv("OPENAI_BASE_URL", http.address)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (folder / "questions.csv").write_text("question,excerpts\nWhich quokkas?,The acids in it\n")
    for document in (folder / "corpus").iterdir():
        document.unlink()
    (folder / "corpus" / "bread.txt").write_text("Bread is baked.\nThe acids in it help.\nIt is sour.")
    (folder / "by_1.json").write_text(
        json.dumps({"chunker": "fixed_sentences", "parameters": {"size": 1}, "embedder": "tfidf", "tokenizer": "words"})
    )
    search = ("--search", "bm25", "--top-k", "1", "--json")
    assert call(folder, *search) == 0
    plain = json.loads(capsys.readouterr().out)
    assert call(folder, *search, "--embedded-as", "context", "--language-model", "openai:test") == 0
    context = json.loads(capsys.readouterr().out)
    assert [figures["characters"]["recall"]["mean"] for figures in (plain, context)] == [0, 1]
    assert (plain["search"], context["search"], context["embedded_as"]) == ("bm25", "bm25", "context")
    assert call(folder, "--search", "hybrid") == 0
    assert "by_1, by embedding and words (hybrid): 3 chunks" in capsys.readouterr().out


def test_late_chunking_needs_token_vectors_and_says_so(folder, capsys):
    assert call(folder, "--embedded-as", "late") == 2
    error = capsys.readouterr().err
    assert "Late chunking reads each document in windows of the model's limit" in error
    assert "Late chunking needs the vectors of a model's tokens, which tfidf does not give." in error
    assert call(folder, "--embedded-as", "late", "--search", "bm25") == 0
    assert "by_1 with late chunking, by words (BM25)" in capsys.readouterr().out
