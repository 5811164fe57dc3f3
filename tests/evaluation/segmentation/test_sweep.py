"""Stitching, sweeping many settings, and their command line."""

import csv
import io
import json
from concurrent.futures import ThreadPoolExecutor
from itertools import count, pairwise
from time import sleep

import pytest

from chunkers import Document, InputError, Recipe, build_chunker
from chunkers.contract.base import run_and_time_chunker
from evaluation.command_line import main
from evaluation.segmentation.boundary_measures import boundary_precision_recall, pk, segmentation_in_sentences
from evaluation.segmentation.settings_sweep import (
    HIGHER_IS_BETTER,
    TRIVIAL_SETTINGS,
    SweptSetting,
    list_qu_et_al_settings,
    score_chunking,
    settings_grid,
    summarize_settings,
    sweep_settings,
)
from evaluation.segmentation.texts_with_known_boundaries import (
    MarkedDocument,
    SubjectPassage,
    cut_sections_into_passages,
    stitch_passages,
)
from sample_docs import load_sample
from tests.support import HashEmbedder, tools

PASSAGES = [SubjectPassage(f"Passage {n} begins. It goes on. It ends with {n}.", f"subject {n % 5}") for n in range(20)]


def marked(name):
    sample = load_sample(name)
    return MarkedDocument(Document.from_text(sample.text, sample.sentences, name), sample.known)


def test_seams_are_where_passages_begin():
    stitched = stitch_passages(PASSAGES, document_sentence_count=30, seed=3)
    starts = [0, *stitched.seams]
    assert len(starts) == len(stitched.subjects) == 10
    assert all(stitched.text[start:].startswith("Passage ") for start in starts)
    assert stitched.text.count("Passage ") == 10


def test_no_two_neighbours_have_one_subject():
    for seed in range(20):
        subjects = stitch_passages(PASSAGES, document_sentence_count=60, seed=seed).subjects
        assert all(one != other for one, other in pairwise(subjects))


def test_the_seed_gives_the_order():
    assert stitch_passages(PASSAGES, seed=1) == stitch_passages(PASSAGES, seed=1) != stitch_passages(PASSAGES, seed=2)


def test_stitching_refuses_what_it_cannot_join():
    with pytest.raises(InputError, match="at least two subjects; got 1"):
        stitch_passages(PASSAGES[:1])
    with pytest.raises(InputError, match="with text; at least one of these is empty"):
        stitch_passages([*PASSAGES, SubjectPassage(" ", "nothing")])


def test_passages_lie_within_sections():
    sample = load_sample("report")
    passages = cut_sections_into_passages(sample.text, sample.known, "report", 6)
    assert len({passage.subject for passage in passages}) == 5
    assert "".join("".join(passage.text.split()) for passage in passages) == "".join(sample.text.split())
    counts = [len(Document.from_text(passage.text).sentences) for passage in passages]
    assert min(counts) >= 5
    assert max(counts) <= 12


def test_the_published_grid_has_its_218_settings():
    settings = list_qu_et_al_settings()
    assert len(settings) == len(set(settings)) == 30 + 45 + 125 + 18
    for setting in settings:
        build_chunker(setting.chunker, dict(setting.parameters))


def test_a_sweep_is_what_single_runs_are():
    settings = [
        *settings_grid("breakpoint", amount=(40, 70)),
        SweptSetting.from_chunker_and_parameters("kmeans"),
        SweptSetting.from_chunker_and_parameters("optimal", max_size=90, piece_size=9),
    ]
    documents = [marked("stubs"), marked("article")]
    rows = list(sweep_settings(documents, settings, tools()))
    assert len(rows) == 8
    for row in rows:
        marked_text = next(text for text in documents if text.document.name == row.document)
        chunking = run_and_time_chunker(
            build_chunker(row.setting.chunker, dict(row.setting.parameters)), marked_text.document, tools()
        )
        assert row.chunks == len(chunking.chunks)
        assert row.scores == score_chunking(marked_text, chunking)
        assert set(row.scores) == set(HIGHER_IS_BETTER)


def test_blocks_that_stay_whole_are_measured_where_there_are_some():
    (cut, uncut) = (
        score_chunking(
            marked("table"),
            run_and_time_chunker(build_chunker("fixed_sentences", parameters), marked("table").document, tools()),
        )
        for parameters in ({"size": 4}, {"chunks": 1})
    )
    assert cut["blocks_whole"].value < uncut["blocks_whole"].value == 1
    stubs = marked("stubs")
    assert (
        score_chunking(stubs, run_and_time_chunker(build_chunker("fixed_sentences", {}), stubs.document, tools()))[
            "blocks_whole"
        ].value
        is None
    )


def test_a_sweep_embeds_every_text_once():
    embedder = HashEmbedder()
    article = marked("article")
    list(sweep_settings([article], settings_grid("breakpoint", amount=(10, 50, 90)), tools(embedder), worker_count=1))
    embedded = [text for batch in embedder.batches for text in batch]
    assert len(embedded) == len(set(embedded)) == len(set(article.document.sentence_texts))


def test_a_cancelled_sweep_keeps_what_it_has():
    asked = count()
    bench = tools(cancelled=lambda: next(asked) > 40)
    rows = list(
        sweep_settings([marked("report")], settings_grid("breakpoint", amount=tuple(range(10, 99))), bench, worker_count=1)
    )
    assert 0 < len(rows) <= 40


@pytest.mark.parametrize("count", [0, 1, 5, 11, 12])
def test_what_is_done_is_neither_run_nor_yielded_again(count):
    settings = settings_grid("breakpoint", amount=(50, 60, 70, 80, 90, 95))
    documents = [marked("stubs"), marked("three_topics")]
    rows = list(sweep_settings(documents, settings, tools()))
    embedder, told = HashEmbedder(), []
    rest = list(
        sweep_settings(
            documents,
            settings,
            tools(embedder),
            progress=lambda *progress: told.append(progress),
            finished_rows=rows[:count],
        )
    )
    assert rest == rows[count:]
    assert told == [(number, 12) for number in range(count + 1, 13)]
    # A document that is done is not even embedded.
    assert bool(embedder.batches) == (count < 12)


def test_a_setting_that_is_not_allowed_is_refused_before_anything_runs():
    embedder = HashEmbedder()
    with pytest.raises(InputError, match=r"breakpoint: amount must lie between .*; got 0\.95\."):
        list(sweep_settings([marked("stubs")], settings_grid("breakpoint", amount=(70, 0.95)), tools(embedder)))
    assert embedder.batches == []


def test_the_best_comes_first():
    rows = list(sweep_settings([marked("stubs")], settings_grid("fixed_sentences", size=(2, 4, 8)), tools()))
    best = summarize_settings(rows, "f1")
    assert [dict(summary.setting.parameters)["size"] for summary in best] == [4, 2, 8]
    stubs = marked("stubs")
    chunking = run_and_time_chunker(build_chunker("fixed_sentences", {"size": 4}), stubs.document, tools())
    reference, cuts = (
        segmentation_in_sentences(stubs.document, places) for places in (stubs.known, [c.start for c in chunking.chunks[1:]])
    )
    assert best[0].mean == pytest.approx(boundary_precision_recall(reference, cuts).f1.value)
    assert summarize_settings(rows, "pk")[0].mean == pytest.approx(pk(reference, cuts).value)


def test_a_measure_that_is_undefined_everywhere_has_no_best():
    algorithm = marked("algorithm")
    rows = list(sweep_settings([algorithm], [SweptSetting.from_chunker_and_parameters("fixed_sentences")], tools()))
    assert summarize_settings(rows, "pk") == []
    with pytest.raises(InputError, match=r"measure must be one of pk, .*; got 'charm'"):
        summarize_settings(rows, "charm")


def output(capsys, *arguments):
    status = main(["sweep", *arguments])
    written = capsys.readouterr()
    return status, written.out, written.err


def test_the_command_line_prints_the_best(capsys):
    status, out, _ = output(
        capsys, "--sample", "stubs", "--chunker", "fixed_sentences", "--grid", "size=2,4", "--measure", "f1"
    )
    assert status == 0
    *lines, last = out.splitlines()
    assert lines[0] == "Settings by f1, the best first:"
    assert lines[1].split() == ["f1", "chunks"]
    assert [line.split()[2] for line in lines if "size" in line] == ["size=4", "size=2"]
    assert sum(any(f"  {setting.words()}  " in line for setting in TRIVIAL_SETTINGS) for line in lines) == 3
    assert last.startswith("The best is 0.")


def test_the_command_line_writes_every_row(capsys, tmp_path):
    file = tmp_path / "marked.txt"
    file.write_text("A cat. A dog.\n---\nA tree. A bush.\n")
    arguments = ["--marked", str(file), "--chunker", "fixed_sentences", "--grid", "size=1,2"]
    rows = list(csv.DictReader(io.StringIO(output(capsys, *arguments, "--csv")[1])))
    assert [row["setting"] for row in rows[:3]] == [setting.words() for setting in TRIVIAL_SETTINGS]
    assert [(row["document"], row["setting"], row["f1"]) for row in rows[3:]] == [
        ("marked.txt", "fixed_sentences size=1", "0.5"),
        ("marked.txt", "fixed_sentences size=2", "1.0"),
    ]
    lines = [json.loads(line) for line in output(capsys, *arguments, "--json")[1].splitlines()]
    assert lines[-1]["parameters"] == {"size": 2}
    assert lines[-1]["pk"] == 0


def test_parameters_behind_the_chunkers_name_are_those_of_every_setting(capsys):
    arguments = ["--chunker", "recursive:unit=words,parent_size=none", "--grid", "size=20,40", "--json"]
    _, out, _ = output(capsys, "--sample", "stubs", *arguments)
    parameters = [row["parameters"] for row in map(json.loads, out.splitlines()) if row["chunker"] == "recursive"]
    assert parameters == [{"parent_size": None, "size": size, "unit": "words"} for size in (20, 40)]


def test_a_recipe_gives_the_values_from_which_a_sweep_starts(capsys, tmp_path):
    made = Recipe(
        chunker="recursive",
        parameters={"size": 30, "unit": "words"},
        sentences="lines",
        embedder="tfidf",
        tokenizer="words",
    )
    (tmp_path / "recipe.json").write_text(made.to_json())
    (tmp_path / "marked.txt").write_text("A cat. A dog.\n---\nA tree.\nA bush. An oak.\n")
    arguments = ["--marked", str(tmp_path / "marked.txt"), "--grid", "size=4,9", "--json", "--chunker"]
    _, out, _ = output(capsys, *arguments, str(tmp_path / "recipe.json"))
    rows = [row for row in map(json.loads, out.splitlines()) if row["chunker"] == "recursive"]
    assert [row["parameters"] for row in rows] == [{**made.settings(), "size": size} for size in (4, 9)]
    # The same settings by the chunker's name score the same, with the recipe's splitter and tokenizer.
    named = ["recursive:unit=words", "--sentences", "lines", "--tokenizer", "words", "--embedder", "tfidf"]
    _, out, _ = output(capsys, *arguments, *named)
    scores = [
        {name: value for name, value in row.items() if name != "parameters"}
        for row in map(json.loads, out.splitlines())
        if row["chunker"] == "recursive"
    ]
    assert [{name: value for name, value in row.items() if name != "parameters"} for row in rows] == scores
    # A parameter behind the recipe holds, so that the grid may not vary it.
    status, _, err = output(capsys, *arguments, f"{tmp_path / 'recipe.json'}:size=5")
    assert (status, err.startswith("--grid must not vary what --chunker holds fixed; size is in both.")) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Name the settings to sweep: --published, or --chunker with --grid."),
        (["--sample", "nowhere", "--chunker", "kmeans"], "sample must be one of stubs"),
        (
            ["--sample", "algorithm", "--chunker", "kmeans"],
            "algorithm: the sweep needs documents with at least one known boundary",
        ),
        (["--chunker", "kmeans", "--grid", "clusters"], "--grid must have the form KEY=VALUE,...; got 'clusters'."),
        (["--grid", "size=1"], "--grid works only with --chunker, which is missing."),
        (["--chunker", "kmeans", "--measure", "charm"], "measure must be one of pk"),
        (["--chunker", "sharp"], "chunker must be one of fixed_sentences"),
        (["--chunker", "recursive:size"], "recursive:size: a parameter must have the form KEY=VALUE; got 'size'."),
        (
            ["--chunker", "recursive:size=9", "--grid", "size=5,7"],
            "--grid must not vary what --chunker holds fixed; size is in both. Leave it out of one.",
        ),
        (["--chunker", "chunks:chunks.json"], "chunks:chunks.json: a sweep varies parameters, and chunks"),
        (
            ["--chunker", "llm:window=3"],
            "llm: a sweep needs a chunker that cuts by its parameters alone; this one asks a language model, or",
        ),
        (["--chunker", "your_cuts"], "your_cuts: a sweep needs a chunker that cuts by its parameters alone"),
        (["--set", "size=5"], "--set is written in another way now: --chunker NAME:size=5."),
        (["--file", "a.txt", "b"], "--file is written in another way now: --marked a.txt b."),
        (["stubs", "article", "--published"], "stubs article is written in another way now: --sample stubs article, or"),
        (["--published", "stubs"], "stubs is written in another way now: --sample stubs, or --marked PATH for files."),
        (["--marked", "missing.txt", "--chunker", "kmeans"], "missing.txt: the file cannot be read"),
    ],
)
def test_errors_are_one_sentence(capsys, arguments, words):
    status, out, err = output(capsys, *arguments)
    assert status == 2
    assert out == ""
    assert words in err
    assert err.count("\n") == 1


def test_threads_do_not_embed_the_same_text_side_by_side():
    class Slow(HashEmbedder):
        def encode(self, texts):
            sleep(0.02)
            return super().encode(texts)

    embedder = Slow()
    bench, document = tools(embedder), marked("article").document
    with ThreadPoolExecutor(4) as threads:
        list(
            threads.map(
                lambda amount: run_and_time_chunker(build_chunker("breakpoint", {"amount": amount}), document, bench),
                (10, 30, 50, 90),
            )
        )
    embedded = [text for batch in embedder.batches for text in batch]
    assert len(embedded) == len(set(embedded))
