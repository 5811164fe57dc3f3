"""``check``: the bundled documents pass, a planted fault fails in every form, and scores are held against a baseline."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as etree

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from chunkers import InputError, ModelError, Recipe, load_embedder
from evaluation.checking.baseline_and_known_problems import BASELINE_SCORE_DIRECTIONS, Baseline, KnownProblems
from evaluation.checking.problems import (
    BOUNDARIES_RULE,
    CHECK_RULE_BY_NAME,
    MOST_PROBLEMS,
    PROBLEM_LEVELS,
    Check,
    CheckedDocument,
    FileRange,
    Problem,
)
from evaluation.checking.report import CheckReport, build_sarif_log_dictionary, check_report_as_junit, check_report_as_text
from evaluation.command_line import main
from seamark.__main__ import main as seamark
from tests import ROOT
from tests.fixtures.sarif_excerpt import SCHEMA
from tests.server import ChatModelServer

# The planted block is longer than a chunk may be, which is a note unless the rule is given a level.
GRAVE = ["--level", "inside_code=error"]
STRUCTURE = ["--chunker", "structure:max_size=300"]
FORMS = ("text", "json", "sarif", "junit")
PLANTED = "\n".join(["# Wages", "", "Who earns what.", "", "```", *[f"pay(clerk, {n})" for n in range(400)], "```", ""])
GUIDE = (ROOT / "docs" / "checking.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A repository with the bundled documents and a recipe, which is the working folder."""
    for file in (ROOT / "sample_docs").iterdir():
        if file.suffix in (".txt", ".md"):
            (tmp_path / "docs").mkdir(exist_ok=True)
            (tmp_path / "docs" / file.name).write_bytes(file.read_bytes())
    recipe = Recipe(chunker="structure", parameters={"max_size": 300}, tokenizer="words", embedder="tfidf")
    (tmp_path / "recipe.json").write_text(recipe.to_json(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(*given):
    """Check the folder and write a report in every form; return the status and the reports."""
    reports = [part for form in FORMS for part in ("--report", f"{form}=report.{form}")]
    status = main(["check", "docs", "--chunker", "recipe.json", *reports, *given])
    return status, {form: open(f"report.{form}", encoding="utf-8").read() for form in FORMS}  # noqa: PTH123


def valid(sarif):
    """Check a SARIF log against the schema, and what the specification asks beyond it; return its run."""
    log = json.loads(sarif) if isinstance(sarif, str) else sarif
    Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(log)
    (run,) = log["runs"]
    names = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(set(names)) == len(names)
    for result in run["results"]:
        assert names[result["ruleIndex"]] == result["ruleId"]
        region = result["locations"][0]["physicalLocation"].get("region")
        assert region is None or (region["startLine"], region["startColumn"]) < (region["endLine"], region["endColumn"])
    return run


@pytest.mark.slow
def test_the_bundled_documents_pass_and_a_planted_fault_fails_in_every_form(folder, capsys):
    status, reports = checked()
    assert status == 0
    assert reports["text"].endswith("; passed\n")
    told = json.loads(reports["json"])
    assert (told["status"], told["verdict"], told["counts"]["error"]) == (0, "passed", 0)
    assert len(told["documents"]) == len([*(folder / "docs").iterdir()])
    assert not [problem for problem in valid(reports["sarif"])["results"] if problem["level"] == "error"]
    suites = etree.fromstring(reports["junit"])
    assert (suites.get("failures"), suites.get("errors")) == ("0", "0")
    assert int(suites.get("tests")) == len([*suites.iter("testcase")]) > len(told["documents"])

    (folder / "docs" / "wages & co.md").write_text(PLANTED, encoding="utf-8")
    assert checked()[0] == 0
    status, reports = checked(*GRAVE)
    assert status == 1
    lines = [line for line in reports["text"].splitlines() if ": error: " in line]
    assert "docs/wages & co.md:5:1: error: A code block of 402 lines is cut" in lines[0]
    assert lines[0].endswith(" [inside_code]")
    assert reports["text"].endswith("; failed\n")
    told = json.loads(reports["json"])
    (problem,) = (problem for problem in told["problems"] if problem["rule"] == "inside_code")
    assert (problem["file"], problem["line"], problem["level"]) == ("docs/wages & co.md", 5, "error")
    (result,) = (problem for problem in valid(reports["sarif"])["results"] if problem["ruleId"] == "inside_code")
    physical = result["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "docs/wages%20%26%20co.md"}
    assert (physical["region"]["startLine"], result["level"]) == (5, "error")
    suites = etree.fromstring(reports["junit"])
    failed = [case for case in suites.iter("testcase") if case.find("failure") is not None]
    assert {case.get("classname") for case in failed} == {"docs/wages & co.md"}
    assert int(suites.get("failures")) == len(failed)
    assert any(case.find("failure").text.startswith("line 5: A code block") for case in failed)
    # The same fault can be taken less gravely.
    levels = [part for rule in CHECK_RULE_BY_NAME for part in ("--level", f"{rule}=note")]
    assert checked(*levels)[0] == 0
    assert capsys.readouterr().out == ""


def test_chunks_made_elsewhere_are_checked_by_the_same_rules(folder, capsys):
    for name in ("wages.md", "notes.md"):
        (folder / name).write_text(PLANTED[:400] + "```\n", encoding="utf-8")
    text = (folder / "wages.md").read_text(encoding="utf-8")
    halves = [{"text": text[:100], "source": "wages.md"}, {"text": text[100:], "source": "wages.md"}]
    (folder / "theirs.json").write_text(json.dumps(halves))
    command = ["check", "--chunker", "chunks:theirs.json", "--report", "json"]
    assert main([*command, "wages.md"]) == 1
    told = json.loads(capsys.readouterr().out)
    (problem,) = (problem for problem in told["problems"] if problem["rule"] == "inside_code")
    assert (problem["file"], problem["level"], told["recipe"]["chunker"]) == ("wages.md", "error", "your_chunks")
    # The scores of questions are those of these chunks.
    (folder / "questions.csv").write_text("question,excerpts\nWho earns?,Who earns what.\n")
    assert main([*command, "wages.md", "--questions", "questions.csv", "--level", "inside_code=off"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"]["retrieval"]["recall"] == 1
    assert main([*command, "wages.md", "notes.md"]) == 2
    assert "theirs.json: the file must have chunks of all 2 documents" in capsys.readouterr().err


def test_a_problem_is_known_again_when_lines_have_moved(folder):
    def prints():
        run = valid(checked()[1]["sarif"])
        return {
            problem["partialFingerprints"]["passage/v1"] for problem in run["results"] if problem["ruleId"] == "inside_code"
        }

    file = folder / "docs" / "wages.md"
    file.write_text(PLANTED, encoding="utf-8")
    before = prints()
    file.write_text(f"A paragraph.\n\n{PLANTED}", encoding="utf-8")
    assert prints() == before != set()


def test_what_cannot_be_read_is_said_and_the_others_are_checked(folder, capsys):
    (folder / "docs" / "broken.pdf").write_bytes(b"%PDF-1.4 no")
    status, reports = checked()
    assert status == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith("docs/broken.pdf: ") or "broken.pdf" in complaint
    assert complaint.count("\n") == 1
    assert json.loads(reports["json"])["verdict"] == "could not check everything"
    (invocation,) = valid(reports["sarif"])["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    assert [notification["message"]["text"] for notification in invocation["toolExecutionNotifications"]] == [
        complaint.strip()
    ]
    suites = etree.fromstring(reports["junit"])
    assert [case.get("classname") for case in suites.iter("testcase") if case.find("error") is not None] == [
        "docs/broken.pdf"
    ]


def compiled(folder, log):
    """Return TypeScript's messages for a log of the format's type, which rejects unknown fields."""
    types = (ROOT / "node_modules" / "@types" / "sarif" / "index.d.ts").as_posix()
    (folder / "log.ts").write_text(f"import type {{ Log }} from {json.dumps(types)};\nexport const log: Log = {log};\n")
    tsc = ROOT / "node_modules" / "typescript" / "bin" / "tsc"
    command = [Path(sys.executable).parent / "node", tsc, "--noEmit", "--strict", "--ignoreConfig", "log.ts"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120).stdout


def test_a_file_whose_name_is_not_utf_8_is_named_in_every_form(folder, capsys):
    for end in (b"\xfe", b"\xff"):
        Path(os.fsdecode(b"docs/odd" + end + b".md")).write_text(PLANTED, encoding="utf-8")
    status, reports = checked(*GRAVE)
    assert status == 1
    assert "Traceback" not in capsys.readouterr().err
    for form, report in reports.items():
        names = ("odd%5Cxfe.md", "odd%5Cxff.md") if form == "sarif" else ("odd\\xfe.md", "odd\\xff.md")
        assert all(name in report.replace("\\\\", "\\") for name in names), form
    valid(reports["sarif"])


@pytest.mark.full
@pytest.mark.slow
def test_a_sarif_file_has_the_types_of_the_format(folder):
    (folder / "docs" / "wages.md").write_text(PLANTED, encoding="utf-8")
    (folder / "docs" / "broken.pdf").write_bytes(b"%PDF-1.4 no")
    log = checked()[1]["sarif"]
    assert all(f'"{name}"' in log for name in ("inside_code", "region", "toolExecutionNotifications"))
    assert compiled(folder, log) == ""
    assert "does not exist in type 'Result'" in compiled(folder, log.replace('"ruleId"', '"ruleID"', 1))


@pytest.mark.slow
def test_known_problems_are_quiet_until_there_is_a_new_one(folder, capsys):
    file = folder / "docs" / "wages.md"
    file.write_text(f"{PLANTED}\n{PLANTED}", encoding="utf-8")
    status, reports = checked(*GRAVE, "--write-known", "known.json")
    assert status == 0
    count = json.loads(reports["json"])["counts"]["known"]
    assert f", {count} known; passed" in reports["text"]
    known = json.loads((folder / "known.json").read_text(encoding="utf-8"))
    assert sum(map(len, known["files"].values())) == count
    assert {"rule", "passage", "text"} == known["files"]["docs/wages.md"][0].keys()
    results = valid(reports["sarif"])["results"]
    assert [problem["suppressions"] for problem in results] == [[{"kind": "external"}]] * count
    prints = [
        (problem["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], problem["ruleId"]) for problem in results
    ]
    prints = [(*pair, result["partialFingerprints"]["passage/v1"]) for pair, result in zip(prints, results, strict=True)]
    assert len({*prints}) == len(prints)

    # Lines above it have moved, and there is a third one of the same words.
    file.write_text(f"A paragraph.\n\n{PLANTED}\n{PLANTED}\n{PLANTED}", encoding="utf-8")
    status, reports = checked(*GRAVE, "--known", "known.json")
    assert status == 1
    assert reports["text"].count("[inside_code]") == 1
    file.write_text("Nothing is here.\n", encoding="utf-8")
    capsys.readouterr()
    assert checked("--known", "known.json")[0] == 0
    assert re.search(r"^known\.json: known problems that are there no more: \d+; --write-known", capsys.readouterr().err)
    assert main(["check", str(file.resolve()), "--chunker", "recipe.json", "--known", "known.json"]) == 0


@pytest.mark.parametrize("text", ["", "[]", '{"files": {"a": [{"rule": 1}]}}', '{"seamark_known": 2, "files": {}}'])
def test_a_file_that_lists_no_known_problems_is_named(text):
    with pytest.raises(InputError, match=r"^k\.json: known problems must be in the format that --write-known writes; "):
        KnownProblems.parse_known_problems(text.encode(), "k.json")


def test_scores_must_not_fall_below_the_baseline(folder, capsys):
    documents = ["--sample", "stubs", "three_topics", "--report", "json"]
    good = ["--chunker", "fixed_sentences:size=4"]
    assert main(["check", *documents, *good, "--write-baseline", "baseline.json"]) == 0
    kept = json.loads((folder / "baseline.json").read_text())
    assert {*kept["scores"]} == {BOUNDARIES_RULE}
    assert {*kept["scores"][BOUNDARIES_RULE]} == {*BASELINE_SCORE_DIRECTIONS[BOUNDARIES_RULE]}
    assert json.loads(capsys.readouterr().out)["scores"] == kept["scores"]
    assert main(["check", *documents, *good, "--baseline", "baseline.json"]) == 0
    worse = ["--chunker", "recursive"]
    capsys.readouterr()
    assert main(["check", *documents, *worse, "--baseline", "baseline.json"]) == 1
    problems = [problem for problem in json.loads(capsys.readouterr().out)["problems"] if problem["rule"] == BOUNDARIES_RULE]
    assert [
        re.match(r"Of boundaries, (\w+) must be at (least|most) ", problem["message"]).groups() for problem in problems
    ] == [
        ("pk", "most"),
        ("window_diff", "most"),
        ("f1", "least"),
        ("boundary_similarity", "least"),
    ]
    # What somebody takes out of the file is not asked for, and a tolerance is one.
    assert main(["check", *documents, *worse, "--baseline", "baseline.json", "--tolerance", "1"]) == 0
    (folder / "baseline.json").write_text(json.dumps({**kept, "scores": {}}))
    assert main(["check", *documents, *worse, "--baseline", "baseline.json"]) == 0
    capsys.readouterr()
    assert main(["check", "--sample", "stubs", *good, "--baseline", "baseline.json"]) == 2
    assert "it is for others" in capsys.readouterr().err


def test_marked_documents_are_named_by_their_paths(folder, capsys):
    (folder / "marked").mkdir()
    (folder / "marked" / "tides.txt").write_text("The tide comes in.\n---\nBread needs salt.\n")
    (folder / "marked" / "bare.txt").write_text("No mark.\n")
    given = [
        "check",
        "--marked",
        "marked",
        "--chunker",
        "fixed_sentences:size=1",
        "--least",
        "9",
        "--report",
        "json",
    ]
    assert main(given) == 2
    told = json.loads(capsys.readouterr().out)
    assert told["scores"][BOUNDARIES_RULE]["pk"] == 0
    assert {document["file"]: "complaint" in document for document in told["documents"]} == {
        "marked/bare.txt": True,
        "marked/tides.txt": False,
    }
    assert {problem["file"] for problem in told["problems"]} == {"marked/tides.txt"}


def test_where_a_document_is_not_cut_no_baseline_is_compared_or_written(folder, capsys, monkeypatch):
    for name in ("tides", "bread"):
        (folder / f"{name}.txt").write_text(f"Of {name} a sentence.\n---\nAnother matter.\n")
    given = ["check", "--marked", "tides.txt", "bread.txt", "--chunker", "fixed_sentences", "--report", "json"]
    off = [part for rule in ("size", "tiny") for part in ("--level", f"{rule}=off")]
    assert main([*given, *off, "--write-baseline", "baseline.json"]) == 0
    check_document = Check.check_document

    def failing(self, document, file):
        if file == "bread.txt":
            raise InputError("bread.txt: it must rise; it does not.")
        return check_document(self, document, file)

    monkeypatch.setattr(Check, "check_document", failing)
    for option, file in (("--baseline", "baseline.json"), ("--write-baseline", "other.json")):
        capsys.readouterr()
        assert main([*given, *off, option, file]) == 2
        printed = capsys.readouterr()
        assert f"{file}: a baseline is of all documents with known boundaries; as not all of them were cut" in printed.err
        # What could be checked is in the report.
        told = json.loads(printed.out)
        assert {document["file"]: "complaint" in document for document in told["documents"]} == {
            "tides.txt": False,
            "bread.txt": True,
        }
        assert BOUNDARIES_RULE not in {problem["rule"] for problem in told["problems"]}
    assert not (folder / "other.json").exists()


def test_retrieval_is_held_against_the_baseline_too(folder, capsys):
    rows = [
        "question,excerpts",
        'What does the tide do?,"[""The tide comes in.""]"',
        'What has bread?,"[""Bread needs salt.""]"',
    ]
    (folder / "questions.csv").write_text("\n".join(rows), encoding="utf-8")
    (folder / "own.txt").write_text("The tide comes in.\nIt goes out.\nBread needs flour.\nBread needs salt.\n")
    recipe = Recipe(
        chunker="fixed_sentences", parameters={"size": 1}, embedder="tfidf", tokenizer="words", sentences="lines"
    )
    (folder / "recipe.json").write_text(recipe.to_json())
    asked = ["check", "own.txt", "--chunker", "recipe.json", "--questions", "questions.csv", "--report", "json"]
    assert main([*asked, "--write-baseline", "b.json"]) == 0
    kept = json.loads((folder / "b.json").read_text())
    assert {*kept["scores"]["retrieval"]} == {*BASELINE_SCORE_DIRECTIONS["retrieval"]}
    assert main([*asked, "--baseline", "b.json"]) == 0
    kept["scores"]["retrieval"]["precision"] = 0.99
    (folder / "b.json").write_text(json.dumps(kept))
    capsys.readouterr()
    assert main([*asked, "--baseline", "b.json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [(problem["rule"], problem["file"]) for problem in told["problems"] if problem["level"] == "error"] == [
        ("retrieval", "recipe.json")
    ]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([], "No chunker is named. Name it with --chunker, one of "),
        (
            ["--chunker", "structure"],
            "Name at least one document to check, with FILE, --marked or --sample; none was named.",
        ),
        (
            ["--recipe", "recipe.json"],
            "--recipe is written in another way now: --chunker recipe.json.",
        ),
        (["--level", "tiny"], "--level must have the form RULE=LEVEL; got 'tiny'."),
        (["--level", "tiny=x"], "--level: the level of tiny must be one of error, warning, note, off; got 'x'."),
        (
            ["--report", "html"],
            "--report must be FORMAT or FORMAT=FILE, where FORMAT is one of text, json, sarif, junit; got 'html'.",
        ),
        (
            ["--report", "json="],
            "--report must be FORMAT or FORMAT=FILE, where FORMAT is one of text, json, sarif, junit; got 'json='.",
        ),
        (
            ["--least", "9", "--most", "3"],
            "--least must be at least 0 and at most --most; got 9 to 3 tokens.",
        ),
        (["--tolerance", "nan"], "--tolerance must be 0 or more; got nan."),
        (["--spend", "0"], "--spend must be a whole number of tokens of at least 1; got '0'."),
        (["--spend", "1e3"], "--spend must be a whole number of tokens of at least 1; got '1e3'."),
        (
            ["--baseline", "b", "--write-baseline", "b"],
            "--baseline and --write-baseline must not be given together: one reads the scores, the other writes them.",
        ),
        (
            [*STRUCTURE, "docs", "--write-baseline", "b"],
            "--write-baseline needs scores, of known boundaries (--marked, --sample) or of --questions.",
        ),
        (
            [*STRUCTURE, "docs/stubs.txt", "--report", "json=no/where"],
            "no/where: the file must be writable and in an existing folder; it is not.",
        ),
    ],
)
def test_what_is_wrong_is_a_sentence(folder, capsys, given, sentence):
    if "--chunker" not in given and given:
        given = [*STRUCTURE, "docs/stubs.txt", *given]
    assert main(["check", *given]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(sentence)
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "baseline.json: the baseline must be in the format that --write-baseline writes; documents is invalid: "),
        ("no", "baseline.json: the file must be valid JSON; this one is not ("),
        (
            '{"documents": "", "scores": {"boundaries": {"beauty": 1}}}',
            "baseline.json: a score of boundaries must be one of pk, window_diff, f1, boundary_similarity; got 'beauty'.",
        ),
    ],
)
def test_a_file_that_is_no_baseline_is_named(text, said):
    with pytest.raises(ValueError, match=f"^{re.escape(said)}"):
        Baseline.parse_baseline_file(text.encode(), "baseline.json")


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
PROBLEMS = st.builds(
    Problem,
    st.sampled_from([name for name in CHECK_RULE_BY_NAME]),
    st.sampled_from(PROBLEM_LEVELS),
    NAMES,
    st.text(max_size=20),
    st.none() | st.tuples(*[st.integers(1, 9)] * 2).map(lambda start: FileRange(start[0], start[1], start[0] + 1, 1)),
    st.sampled_from(["", "page 3"]),
    st.text(max_size=9),
)


@pytest.mark.slow
@given(st.lists(PROBLEMS, max_size=6), NAMES, st.booleans())
def test_every_form_holds_for_hostile_names_and_texts(problems, file, broken):
    complaint = f"{file}: it must be readable; it is not." if broken else ""
    documents = [CheckedDocument(file, None, tuple(problems), complaint)]
    report = CheckReport(Recipe(chunker="structure"), {name: "error" for name in CHECK_RULE_BY_NAME}, documents, {})
    run = valid(build_sarif_log_dictionary(report))
    assert len(run["results"]) == len(problems)
    suites = etree.fromstring(check_report_as_junit(report))
    assert len(suites) == 1
    assert check_report_as_text(report).count("\n") == len(problems) + 1
    assert report.exit_status == (2 if broken else any(problem.level == "error" for problem in problems))


@pytest.mark.slow
def test_of_very_many_problems_the_gravest_are_listed_and_the_others_counted():
    many = [Problem("tiny", "note", "a.txt", f"{number}.") for number in range(MOST_PROBLEMS)]
    report = CheckReport(
        Recipe(chunker="structure"),
        {"tiny": "note"},
        [CheckedDocument("a.txt", None, (*many, Problem("tiny", "error", "a.txt", "!")))],
        {},
    )
    assert report.listed_problems[0].level == "error"
    assert len(valid(build_sarif_log_dictionary(report))["results"]) == MOST_PROBLEMS
    assert "\n1 more problem not listed\n" in check_report_as_text(report)
    assert report.reported_count_by_severity == {"error": 1, "warning": 0, "note": MOST_PROBLEMS}


def test_the_documented_commands_run(folder, capsys):
    """Run the documented workflow and hook in a folder that has the files they name."""
    workflow = yaml.safe_load(re.search(r"^```yaml\n(name: .*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)[1])
    steps = workflow["jobs"]["chunks"]["steps"]
    (command,) = (step["run"] for step in steps if "seamark check" in step.get("run", ""))
    words = command.replace("\\\n", " ").split()
    assert words[0] == "seamark"
    (folder / "seamark.recipe.json").write_text((folder / "recipe.json").read_text())
    capsys.readouterr()
    assert seamark([word for word in words[1:]]) == 0
    assert valid((folder / "seamark.sarif").read_text(encoding="utf-8"))
    assert etree.fromstring((folder / "seamark.xml").read_text(encoding="utf-8")).get("failures") == "0"
    uploads = [step["with"]["sarif_file"] for step in steps if "sarif_file" in step.get("with", {})]
    assert uploads == ["seamark.sarif"]


def test_the_hook_of_pre_commit_is_a_command_of_this_package(folder, capsys):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    program, *command = hook["entry"].split()
    assert program == "seamark"
    (folder / "seamark.recipe.json").write_text((folder / "recipe.json").read_text())
    files = [f"docs/{name}" for name in ("table.md", "stubs.txt") if re.search(hook["files"], f"docs/{name}")]
    assert len(files) == 2
    assert seamark([*command, *hook["args"], *files]) == 0
    (folder / "docs" / "wages.md").write_text(PLANTED, encoding="utf-8")
    assert seamark([*command, *hook["args"], *GRAVE, "docs/wages.md"]) == 1


@pytest.fixture
def http(serve, monkeypatch):
    """A server of which each passage but one gets a context sentence."""

    def answered(messages):
        passage = messages[1]["content"].rpartition("The passage:")[2]
        return "" if "Nobody" in passage else f"{'Of the sea and its quokkas. ' * (20 if 'salt' in passage else 1)}"

    server = serve(ChatModelServer, answered)
    monkeypatch.setenv("OPENAI_BASE_URL", server.address)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return server


CONTEXT = {"chunker": "fixed_sentences", "parameters": {"size": 1}, "sentences": "lines", "tokenizer": "words"}


def context_recipe(folder, **others):
    """Leave one document of three chunks, and write the recipe."""
    for path in (folder / "docs").iterdir():
        path.unlink()
    (folder / "docs" / "sea.txt").write_text("The tide turns.\nIt is salt.\nNobody swims.\n")
    recipe = Recipe.model_validate({**CONTEXT, "embedded_as": "context", **others})
    (folder / "recipe.json").write_text(recipe.to_json())


@pytest.mark.model
def test_a_recipe_with_context_sentences_asks_for_each_once_and_what_is_embedded_is_checked(folder, http, capsys):
    context_recipe(folder, embedder="all-MiniLM-L6-v2", language_model="openai:test")
    (folder / "questions.csv").write_text("question,excerpts\nWhat of the sea and its quokkas?,It is salt.\n")
    off = ["--level", "tiny=off", "--level", "size=off"]
    status, reports = checked(*off, "--questions", "questions.csv", "--write-baseline", "baseline.json")
    assert status == 0
    err = capsys.readouterr().err
    assert "docs/sea.txt: the model gave no usable context of 1 of 3 chunks." in err
    # Two chunks once, the third asked again twice; the scores of retrieval ask nothing more.
    assert "openai:test: 5 requests, 5 answers from before, " in err
    assert len(http.requests) == 5
    assert json.loads(reports["json"])["recipe"]["embedded_as"] == "context"
    scores = json.loads((folder / "baseline.json").read_text())["scores"]["retrieval"]
    context_recipe(folder, embedder="all-MiniLM-L6-v2", embedded_as="plain")
    checked(*off, "--questions", "questions.csv", "--write-baseline", "plain.json")
    assert json.loads((folder / "plain.json").read_text())["scores"]["retrieval"].keys() == scores.keys()


def test_what_the_embedder_does_not_read_of_a_chunk_with_its_context_is_told(folder, http, monkeypatch):
    context_recipe(folder, embedder="all-MiniLM-L6-v2")
    monkeypatch.setattr(load_embedder("all-MiniLM-L6-v2"), "max_tokens", 60)
    status, reports = checked("--level", "tiny=off", "--language-model", "openai:test")
    assert status == 1
    (unread,) = [line for line in reports["text"].splitlines() if "[unread]" in line]
    assert unread.startswith("docs/sea.txt:2:1: error: The chunk is embedded as ")


def test_nothing_is_asked_without_a_model_or_beyond_the_limit(folder, http, capsys):
    context_recipe(folder, embedder="tfidf")
    assert main(["check", "docs", "--chunker", "recipe.json"]) == 2
    complaint = "A context sentence needs a language model; name it with --language-model"
    assert complaint in capsys.readouterr().err
    context_recipe(folder, chunker="llm", parameters={}, embedded_as="plain", embedder="tfidf")
    assert main(["check", "docs", "--chunker", "recipe.json"]) == 2
    assert "llm needs a language model; name it with --language-model" in capsys.readouterr().err
    context_recipe(folder, embedder="tfidf")
    status, reports = checked("--language-model", "openai:test", "--spend", "10")
    assert status == 2
    assert "the spending limit is 10 tokens" in json.loads(reports["json"])["documents"][0]["complaint"]
    assert http.requests == []
    # A recipe that asks none needs none, whatever is named.
    context_recipe(folder, embedded_as="plain", embedder="tfidf")
    assert checked("--level", "tiny=off", "--language-model", "openai:test")[0] == 0
    assert http.requests == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--write-baseline", "b.json"], "--write-baseline needs scores, of known boundaries"),
        (["--sample", "stubs", "--write-baseline", "no/where"], "no/where: the file must be writable"),
        (["--report", "json=no/where"], "no/where: the file must be writable"),
        (["--baseline", "others.json"], "others.json: the baseline must be for the same documents, known boundaries"),
        (["--questions", "questions.csv"], "questions.csv: "),
        (["--spend", "0"], "--spend must be a whole number"),
    ],
)
def test_what_can_be_known_is_refused_before_a_model_is_asked(folder, http, capsys, given, said):
    context_recipe(folder, embedder="tfidf", language_model="openai:test")
    (folder / "others.json").write_text(Baseline(documents="others", scores={}).to_json_text())
    (folder / "questions.csv").write_text("question,excerpts\nWhat?,It is nowhere in the document at all.\n")
    assert main(["check", "docs", "--chunker", "recipe.json", *given]) == 2
    assert said in capsys.readouterr().err
    assert http.requests == []


@pytest.mark.parametrize(("error", "status"), [(ModelError("It is gone."), 2), (KeyboardInterrupt(), 130)])
def test_what_was_spent_is_said_however_it_ends(folder, http, capsys, monkeypatch, error, status):
    context_recipe(folder, embedder="tfidf", language_model="openai:test")

    def failing(*_):
        raise error

    monkeypatch.setattr("evaluation.commands.check.mean_retrieval_scores", failing)
    (folder / "questions.csv").write_text("question,excerpts\nWhat of the sea?,It is salt.\n")
    assert main(["check", "docs", "--chunker", "recipe.json", "--questions", "questions.csv"]) == status
    assert len(http.requests) == 5
    assert "openai:test: 5 requests, " in capsys.readouterr().err
