"""The user's short documents stitched to long ones, documents with files of boundaries, and what may not be looked at."""

import io
import json
import zipfile
from itertools import pairwise

import pytest
from streamlit.testing.v1 import AppTest

from chunkers import Document, InputError
from evaluation.command_line import main
from evaluation.segmentation.boundary_files import BoundaryFile, boundaries_and_text_hash_json
from evaluation.segmentation.texts_with_known_boundaries import (
    MarkedText,
    SubjectPassage,
    halve_passages_by_subject,
    make_stitched_documents,
    read_marked_texts,
    read_passages,
    select_texts_sharing_heldout_sections,
)
from sample_docs import load_sample
from tests import ROOT
from tests.support import LIMIT, ended
from tests.viz.app_steps import box_of, remarks, sweep_of, widget
from viz.tune.sweep_inputs import zip_documents_and_boundaries

TEXTS = {f"text {n}.txt": f"Text {n} begins here. It goes on for a while. It ends with {n}." for n in range(8)}


def files(texts):
    return [(name, text.encode()) for name, text in texts.items()]


def test_each_file_is_a_subject_and_so_is_each_part_between_dashes():
    passages, complaints = read_passages(files({"one.txt": "A cat.\n", "two.md": "A tree.\n---\nA bush.\n"}))
    assert complaints == []
    assert passages == [
        SubjectPassage("A cat.", "one.txt"),
        SubjectPassage("A tree.", "two.md, part 1"),
        SubjectPassage("A bush.", "two.md, part 2"),
    ]


def test_what_cannot_be_stitched_is_said_and_the_rest_is_usable():
    given = [("void.txt", b" \n"), ("picture.txt", b"\0\1"), ("cat.txt", b"A cat."), ("copy.txt", b"A cat.\n")]
    passages, complaints = read_passages(given)
    assert passages == [SubjectPassage("A cat.", "cat.txt")]
    assert complaints == [
        "void.txt: a document to stitch must have text; this one is empty.",
        "picture.txt: the file must be plain text or Markdown; it is binary.",
        "copy.txt: a document to stitch must be its own; it is that of cat.txt.",
    ]


def test_several_documents_are_of_several_orders():
    passages, _ = read_passages(files(TEXTS))
    made = make_stitched_documents(passages, 12, 3, 5, "spacy")
    assert [document.name for document in made] == ["stitched 1", "stitched 2", "stitched 3"]
    assert len({document.text for document in made}) == 3
    assert made[1].text == make_stitched_documents(passages, 12, 1, 6, "spacy")[0].text
    for document in made:
        assert document.sections <= set(TEXTS.values())
        assert len(document.split_to_marked_document("spacy").document.sentences) == 12
        assert all(document.text[place:].startswith("Text ") for place in document.known)


@pytest.mark.parametrize(("sentences", "count"), [(0, 3), (9, 0)])
def test_no_less_than_one(sentences, count):
    with pytest.raises(InputError, match=r"stitching: (sentences per document|count) must be at least 1; got 0\."):
        make_stitched_documents([], sentences, count, 0, "spacy")


def test_halves_have_no_subject_in_common():
    passages = [SubjectPassage(f"Text {n}.", f"subject {n % 5}") for n in range(20)]
    one, other = halve_passages_by_subject(passages)
    assert sorted(one + other, key=str) == sorted(passages, key=str)
    assert {passage.subject for passage in one}.isdisjoint(passage.subject for passage in other)
    with pytest.raises(InputError, match="at least four subjects; got 3"):
        halve_passages_by_subject(passages[:3])


def test_boundaries_are_lines_of_dashes_or_in_a_file_that_knows_its_text():
    text = "A cat. A dog.\nA tree."
    known = (text.index("A tree"),)
    given = [
        ("lines.txt", b"A cat.\n---\nA tree.\n"),
        ("bare.md", text.encode()),
        ("anything.json", boundaries_and_text_hash_json("another name", text, known).encode()),
    ]
    marked, complaints = read_marked_texts(given)
    assert complaints == []
    assert marked == [MarkedText("lines.txt", "A cat.\nA tree.\n", (7,)), MarkedText("bare.md", text, known)]
    assert marked[1].sections == {"A cat. A dog.", "A tree."}


def test_a_file_of_boundaries_may_be_of_the_text_without_its_dashes():
    bare = "A cat.\nA tree. A bush.\n"
    given = [
        ("t.txt", b"A cat.\n---\nA tree. A bush.\n"),
        ("t.json", boundaries_and_text_hash_json("t", bare, (15,)).encode()),
    ]
    assert read_marked_texts(given) == ([MarkedText("t.txt", bare, (15,))], [])


def test_documents_of_the_same_text_have_the_same_boundaries():
    text = "A cat.\nA tree.\n"
    given = [(f"{name}.txt", text.encode()) for name in "ab"]
    given += [(f"{name}.json", boundaries_and_text_hash_json(f"{name}.txt", text, (7,)).encode()) for name in "ab"]
    assert read_marked_texts(given) == ([MarkedText(f"{name}.txt", text, (7,)) for name in "ab"], [])


def test_files_that_cannot_be_used_are_said_and_the_rest_is_usable():
    given = [
        ("plain.txt", b"No mark."),
        ("good.txt", b"A.\n---\nB."),
        ("good.txt", b"C.\n---\nD."),
        ("bad.json", b"{"),
        ("lost.json", boundaries_and_text_hash_json("n", "elsewhere", (3,)).encode()),
        ("wide.txt", b"Short."),
        ("wide.json", boundaries_and_text_hash_json("n", "Short.", (30,)).encode()),
        ("junk.md", b"%PDF-1.7"),
    ]
    marked, complaints = read_marked_texts(given)
    assert [text.name for text in marked] == ["good.txt"]
    assert marked[0].text == "A.\nB."
    by_file = dict(complaint.split(": ", 1) for complaint in complaints)
    assert by_file.keys() == {"plain.txt", "good.txt", "bad.json", "lost.json", "wide.txt", "junk.md"}
    assert by_file["plain.txt"].startswith("every document must have a known boundary")
    assert by_file["good.txt"] == "a document's name must be its own; another file has it."
    assert "must be valid JSON" in by_file["bad.json"]
    assert "none has this SHA-256" in by_file["lost.json"]
    assert "ascending order" in by_file["wide.txt"]


def test_what_shares_a_section_with_what_is_held_out_is_named():
    report, essay, stubs = (
        MarkedText(name, load_sample(name).text, load_sample(name).known) for name in ("report", "essay", "stubs")
    )
    assert select_texts_sharing_heldout_sections([essay, stubs], [report]) == [essay]
    assert select_texts_sharing_heldout_sections([report, stubs], []) == []


# The command line


def stitched_by_command(folder, tmp_path, *arguments):
    return main(["stitch", str(folder), "--output", str(tmp_path / "long"), *arguments])


@pytest.fixture
def folder(tmp_path):
    short = tmp_path / "short"
    short.mkdir()
    for name, text in TEXTS.items():
        (short / name).write_text(text)
    return short


def test_the_command_writes_texts_and_boundaries_that_sweep_reads(folder, tmp_path, capsys):
    assert stitched_by_command(folder, tmp_path, "--sentences-each", "12", "--count", "2", "--seed", "3") == 0
    assert capsys.readouterr().out.count("12 sentences, 3 known boundaries") == 2
    text = (tmp_path / "long" / "stitched-1.txt").read_text()
    known = BoundaryFile.read_hash_and_boundaries(
        (tmp_path / "long" / "stitched-1.json").read_bytes()
    ).boundaries_checked_for_text(text)
    edges = [0, *known, len(text)]
    assert {text[start:end].strip() for start, end in pairwise(edges)} <= set(TEXTS.values())
    arguments = ["sweep", "--marked", str(tmp_path / "long"), "--chunker", "fixed_sentences", "--grid", "size=3", "--json"]
    assert main(arguments) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    scores = [(row["document"], row["pk"]) for row in rows if row["chunker"] == "fixed_sentences"]
    assert scores == [("stitched-1.txt", 0), ("stitched-2.txt", 0)]


def test_the_command_makes_the_folders_above_the_one_that_it_writes_into(folder, tmp_path, capsys):
    assert main(["stitch", str(folder), "--output", str(tmp_path / "new" / "long"), "--count", "1"]) == 0
    assert [path.name for path in sorted((tmp_path / "new" / "long").iterdir())] == ["stitched-1.json", "stitched-1.txt"]
    capsys.readouterr()


def test_the_command_uses_what_it_can(folder, tmp_path, capsys):
    (folder / "void.txt").write_text("\n")
    (folder / "noise.md").write_bytes(b"\0")
    (folder / "picture.png").write_bytes(b"\0")
    assert stitched_by_command(folder, tmp_path, "--count", "1") == 0
    written = capsys.readouterr()
    assert written.err.splitlines() == [
        "noise.md: the file must be plain text or Markdown; it is binary.",
        "void.txt: a document to stitch must have text; this one is empty.",
    ]
    assert "24 sentences, 7 known boundaries" in written.out


@pytest.mark.parametrize(
    ("arguments", "instead"),
    [
        (["--splitter", "lines"], "--splitter is written in another way now: --sentences lines.\n"),
        (["--into", "long"], "--into is written in another way now: --output long.\n"),
        (["--sentences", "12"], "--sentences 12 is written in another way now: --sentences-each 12.\n"),
    ],
)
def test_the_command_says_how_options_of_before_are_written(folder, tmp_path, capsys, arguments, instead):
    assert stitched_by_command(folder, tmp_path, *arguments) == 2
    assert capsys.readouterr().err == instead


def test_the_command_counts_the_sentences_of_the_splitter_that_is_named(folder, tmp_path, capsys):
    assert stitched_by_command(folder, tmp_path, "--sentences", "paragraphs", "--count", "1") == 0
    assert "8 sentences, 7 known boundaries" in capsys.readouterr().out


def test_the_command_needs_two_documents(tmp_path, capsys):
    (tmp_path / "one.txt").write_text("Only one.")
    assert stitched_by_command(tmp_path / "one.txt", tmp_path) == 2
    assert capsys.readouterr().err == "stitching needs passages of at least two subjects; got 1.\n"
    (tmp_path / "void").mkdir()
    assert stitched_by_command(tmp_path / "void", tmp_path) == 2
    assert "a folder must contain at least one file ending in .txt, .md, " in capsys.readouterr().err


# The page


@pytest.fixture
def tune():
    app = AppTest.from_file(ROOT / "app.py", default_timeout=LIMIT)
    app.query_params["embedder"] = "tfidf"
    app.query_params["documents"] = "stubs"
    app.query_params["held"] = ""
    app.switch_page("pages/tune.py")
    app.run()
    yield app
    sweep = sweep_of(app)
    if sweep is not None:
        sweep.cancel()
        ended(sweep)


def press(app, label):
    next(button for button in app.button if button.label == label).click()
    return app.run()


def upload(app, key, given):
    uploader = next(candidate for candidate in app.get("file_uploader") if candidate.key == key)
    uploader.set_value([(name, data, "text/plain") for name, data in given])
    return app.run()


def said(app):
    texts = []
    for part in app.get("bidi_component"):
        try:
            texts.append(json.loads(part.proto.json)[0].get("text"))
        except (ValueError, AttributeError):
            continue
    return texts


def test_short_texts_are_stitched_swept_held_out_and_opened(tune):
    upload(tune, "short_files", [*files(TEXTS), ("void.txt", b" ")])
    tune.number_input(key="stitch_sentences").set_value(9)
    tune.number_input(key="stitch_count").set_value(2)
    tune.checkbox(key="stitch_halves").set_value(True)
    press(tune, "Stitch documents")
    assert not tune.exception
    assert "void.txt: a document to stitch must have text; this one is empty." in said(tune)
    assert any(
        "4 documents stitched from 8 short texts, with 9 sentences and 2 known boundaries each" in caption.value
        for caption in tune.caption
    )
    assert widget(tune.multiselect, "tune/documents").value == ["stubs", *(f"stitched {n}" for n in (1, 2, 3, 4))]
    assert widget(tune.multiselect, "tune/held").value == ["stitched 3", "stitched 4"]
    assert "stitched" not in "".join(tune.query_params.get("documents", ""))
    press(tune, "Run")
    ended(sweep_of(tune))
    tune.run()
    rows = sweep_of(tune).rows
    assert {row.document for row in rows} == {"stubs", "stitched 1", "stitched 2", "stitched 3", "stitched 4"}
    assert any("over 3 documents" in markdown.value and "over 2 documents" in markdown.value for markdown in tune.markdown)
    press(tune, "Open on Failures")
    opened = tune.session_state["own"]
    assert (opened.name, opened.text) == ("stitched 1", tune.session_state["tune_stitched"].documents[0].text)
    assert tune.session_state["page"] == "failures"
    assert tune.session_state["choices"]["failures"].document == "own"


def test_too_few_texts_are_said(tune):
    upload(tune, "short_files", files(dict(list(TEXTS.items())[:3])))
    tune.checkbox(key="stitch_halves").set_value(True)
    press(tune, "Stitch documents")
    assert "stitching two disjoint halves needs at least four subjects; got 3." in said(tune)
    tune.checkbox(key="stitch_halves").set_value(False)
    press(tune, "Stitch documents")
    assert widget(tune.multiselect, "tune/documents").value[1:] == [f"stitched {n}" for n in (1, 2, 3, 4, 5)]


def test_marked_documents_are_chosen_beside_the_bundled(tune):
    text = "A cat. A dog. A tree."
    given = [
        ("cats.txt", text.encode()),
        ("cats.json", boundaries_and_text_hash_json("cats", text, (14,)).encode()),
        ("none.md", b"No mark."),
    ]
    upload(tune, "marked_files", given)
    assert widget(tune.multiselect, "tune/documents").value == ["stubs", "cats.txt"]
    assert any("none.md: every document must have a known boundary" in str(sentence) for sentence in said(tune))
    widget(tune.multiselect, "tune/documents").set_value(["stubs"]).run()
    assert widget(tune.multiselect, "tune/documents").value == ["stubs"]
    widget(tune.multiselect, "tune/held").set_value(["cats.txt"]).run()
    assert any("9 settings and 3 trivial answers on 2 documents" in text for text in remarks(tune))


def test_the_document_marked_on_failures_is_among_them(tune):
    tune.switch_page("pages/failures.py").run()
    box_of(tune).set_value("One is here.\n---\nTwo is here.").run()
    tune.switch_page("pages/tune.py").run()
    assert widget(tune.multiselect, "tune/documents").value[-1] == "Pasted text, marked on Failures"


def test_a_document_that_shares_a_section_with_one_held_out_is_left_out(tune):
    widget(tune.multiselect, "tune/documents").set_value(["stubs", "essay", "article"]).run()
    widget(tune.multiselect, "tune/held").set_value(["report"]).run()
    assert "Left out of the ranking, because a section of it is held out: The essay." in said(tune)
    assert any("trivial answers on 3 documents" in text for text in remarks(tune))


def test_all_stitched_documents_are_in_one_file():
    passages, _ = read_passages(files(TEXTS))
    made = make_stitched_documents(passages, 9, 2, 0, "spacy")
    with zipfile.ZipFile(io.BytesIO(zip_documents_and_boundaries(made))) as archive:
        text = archive.read("stitched-2.txt").decode()
        assert (
            BoundaryFile.read_hash_and_boundaries(archive.read("stitched-2.json")).boundaries_checked_for_text(text)
            == made[1].known
        )
        assert len(archive.namelist()) == 4
    assert Document.from_text(text).sentences
