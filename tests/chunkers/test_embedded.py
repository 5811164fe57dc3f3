"""The heading path of every chunk, and what of a chunk is embedded: worked by hand."""

import csv
import io
import json
import pickle

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import Chunk, InputError, Recipe, build_chunker, chunk
from chunkers.commands.chunk_command import main
from chunkers.recipes.result_export import to_csv, to_dict, to_json, to_jsonl, to_parquet
from chunkers.results.chunk_fields import LONGEST_TITLE, chunk_heading_path, embedded_text
from tests.support import cut

TEXT = """Before all.

# Sea *marks*

They guide.

## Lights

A lamp shines.

Underlined
----------

A buoy floats.

# Ships

A ship sails.
"""

PATHS = [
    ("Before all.", ()),
    ("# Sea *marks*", ("Sea marks",)),
    ("They guide.", ("Sea marks",)),
    ("## Lights", ("Sea marks", "Lights")),
    ("A lamp shines.", ("Sea marks", "Lights")),
    ("Underlined\n----------", ("Sea marks", "Underlined")),
    ("A buoy floats.", ("Sea marks", "Underlined")),
    ("# Ships", ("Ships",)),
    ("A ship sails.", ("Ships",)),
]


@pytest.fixture
def chunking():
    return cut(build_chunker("fixed_sentences", {"size": 1}), TEXT, sentences="paragraphs")


def test_a_chunk_lies_under_the_headings_above_its_beginning(chunking):
    assert [(piece.text, chunk_heading_path(chunking.document, piece)) for piece in chunking] == PATHS


def test_a_chunk_knows_the_headings_above_it():
    text = "# Harbour\n\nThe tide goes out.\n\n## Quay\n\nIt comes back.\n"
    made = chunk(text, "fixed_sentences", size=1)
    assert [piece.heading_path for piece in made if "tide" in piece.text or "back" in piece.text] == [
        ("Harbour",),
        ("Harbour", "Quay"),
    ]
    assert [list(piece.heading_path) for piece in made] == [
        row["heading_path"] for row in json.loads(to_json(made))["chunks"]
    ]
    again = pickle.loads(pickle.dumps(made))
    assert again == made
    assert again[-1].heading_path == ("Harbour", "Quay")
    # Alone it has none, and is the same chunk.
    alone = Chunk(made[0].spans, made[0].text)
    assert alone == made[0]
    assert hash(alone) == hash(made[0])
    assert alone.heading_path == ()


def test_the_path_stands_on_a_line_before_the_text(chunking):
    texts = [embedded_text(chunking.document, piece, "heading_path") for piece in chunking]
    assert texts[0] == "Before all."
    assert texts[4] == "Sea marks > Lights\n\nA lamp shines."
    assert texts[-1] == "Ships\n\nA ship sails."
    assert [embedded_text(chunking.document, piece, "plain") for piece in chunking] == [text for text, _ in PATHS]


def test_a_chunk_of_several_sections_has_the_path_of_its_beginning():
    whole = cut(build_chunker("fixed_sentences", {"size": 6}), TEXT, sentences="paragraphs")
    assert [chunk_heading_path(whole.document, piece) for piece in whole] == [(), ("Sea marks", "Underlined")]


def test_every_file_has_the_paths_and_on_request_what_is_embedded(chunking):
    paths = [list(path) for _, path in PATHS]
    embedded = [embedded_text(chunking.document, piece, "heading_path") for piece in chunking]
    recipe = Recipe.of(build_chunker("fixed_sentences", {}), "paragraphs", None, "words", "heading_path")
    rows = list(csv.DictReader(io.StringIO(to_csv(chunking, "heading_path"), newline="")))
    files = [
        to_dict(chunking, recipe)["chunks"],
        [json.loads(line) for line in to_jsonl(chunking, "heading_path").splitlines()],
        pq.read_table(io.BytesIO(to_parquet(chunking, "heading_path"))).to_pylist(),
        [{**row, "heading_path": json.loads(row["heading_path"])} for row in rows],
    ]
    for file in files:
        assert [row["heading_path"] for row in file] == paths
        assert [row["embedded_as"] for row in file] == embedded
        assert [row["text"] for row in file] == [text for text, _ in PATHS]
    assert "embedded_as" not in to_jsonl(chunking) + to_csv(chunking)
    assert "embedded_as" not in pq.read_table(io.BytesIO(to_parquet(chunking))).column_names


def test_late_chunking_embeds_the_chunks_own_text_so_that_files_have_it_once(chunking):
    assert [embedded_text(chunking.document, piece, "late") for piece in chunking] == [piece.text for piece in chunking]
    assert to_jsonl(chunking, "late") == to_jsonl(chunking)
    assert to_csv(chunking, "late") == to_csv(chunking)


HEADER = "| mark | light |\n| --- | --- |"
TABLE = f"# Lights\n\n{HEADER}\n" + "".join(f"| buoy {n} | red, green and white |\n" for n in range(60))


def test_what_is_repeated_beside_a_chunk_is_embedded_between_path_and_text():
    whole = cut(build_chunker("structure", {"max_size": 100}), TEXT + TABLE)
    some = [piece for piece in whole if piece.context]
    assert len(some) > 3
    for piece in some:
        assert piece.context.rstrip() == HEADER
        assert embedded_text(whole.document, piece, "heading_path") == f"Lights\n\n{HEADER}\n{piece.text}"
        assert embedded_text(whole.document, piece, "plain") == piece.text
    rows = [json.loads(line) for line in to_jsonl(whole).splitlines()]
    assert [row["context"] for row in rows] == [piece.context for piece in whole]
    table = csv.DictReader(io.StringIO(to_csv(whole), newline=""))
    assert [row["context"] for row in table] == [piece.context for piece in whole]
    assert pq.read_table(io.BytesIO(to_parquet(whole))).to_pylist() == rows


def test_a_results_recipe_says_what_its_files_embed():
    result = chunk(TEXT, "fixed_sentences", size=1, sentences="paragraphs", embedded_as="heading_path")
    again = Recipe.from_json(result.recipe.to_json()).run(TEXT)
    for chunking in (result, again):
        assert json.loads(to_jsonl(chunking).splitlines()[4])["embedded_as"] == "Sea marks > Lights\n\nA lamp shines."
        assert "embedded_as" not in to_jsonl(chunking, "plain")
    assert result == chunk(TEXT, "fixed_sentences", size=1, sentences="paragraphs")


def test_a_plain_recipe_is_what_it_was_and_one_of_before_is_plain():
    plain = Recipe(chunker="fixed_sentences")
    assert "embedded" not in plain.to_json() + repr(plain) + repr(plain.model_dump())
    assert Recipe.from_json('{"chunker": "fixed_sentences"}').embedded_as == "plain"
    path = Recipe(chunker="fixed_sentences", embedded_as="heading_path")
    assert Recipe.from_json(path.to_json()) == path != plain
    assert "heading_path" in repr(path)


def test_another_way_is_refused_in_a_sentence(chunking, capsys):
    for refused in (
        lambda: chunk(TEXT, "fixed_sentences", embedded_as="title"),
        lambda: to_csv(chunking, "title"),
        lambda: Recipe.from_json('{"chunker": "fixed_sentences", "embedded_as": "title"}'),
    ):
        with pytest.raises(
            InputError, match=r"embedded_as.* 'plain'|embedded_as must be one of plain, heading_path"
        ) as error:
            refused()
        assert "\n" not in str(error.value)
    assert main(["-", "--chunker", "fixed_sentences", "--embedded-as", "title"]) == 2
    assert "invalid choice: 'title'" in capsys.readouterr().err


def test_the_command_line_gives_what_is_embedded(tmp_path, capsys):
    file = tmp_path / "marks.md"
    file.write_text(TEXT)
    arguments = [str(file), "--chunker", "fixed_sentences:size=1", "--sentences", "paragraphs"]
    assert main([*arguments, "--embedded-as", "heading_path"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["chunks"][4]["embedded_as"] == "Sea marks > Lights\n\nA lamp shines."
    recipe = tmp_path / "recipe.json"
    recipe.write_text(json.dumps(told["recipe"]))
    assert main([str(file), "--chunker", str(recipe)]) == 0
    assert json.loads(capsys.readouterr().out)["chunks"] == told["chunks"]
    assert main(arguments) == 0
    assert "embedded_as" not in json.loads(capsys.readouterr().out)["chunks"][4]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (f"# {'deep ' * 20_000}\n\nHere.", (f"{('deep ' * 100)[: LONGEST_TITLE - 1]}…",)),
        ("# <script>alert(1)</script> & <b>\n\nHere.", ("alert(1) &",)),
        ("".join(f"{'#' * (n % 6 + 1)} h{n}\n\n" for n in range(10_000)) + "Here.", ("h9996", "h9997", "h9998", "h9999")),
        ("#  \n\nHere.", ()),
        ("Here.", ()),
        ("", ()),
    ],
)
def test_hostile_headings_are_bounded(text, path):
    whole = cut(build_chunker("fixed_sentences", {"size": 1}), text, sentences="paragraphs")
    for piece in list(whole)[-1:]:
        assert piece.text == "Here."
        assert chunk_heading_path(whole.document, piece) == path
        assert len(embedded_text(whole.document, piece, "heading_path")) < 6 * (LONGEST_TITLE + 3) + 10


@pytest.mark.slow
@given(st.lists(st.sampled_from(["# a", "## b", "### c", "x y", "", "| d |", "===", "    code"]), max_size=15))
def test_text_and_spans_stay_what_they_are(lines):
    text = "\n".join(lines)
    whole = cut(build_chunker("fixed_sentences", {"size": 1}), text)
    for piece in whole:
        assert piece.text == text[piece.start : piece.end]
        embedded = embedded_text(whole.document, piece, "heading_path")
        path = chunk_heading_path(whole.document, piece)
        assert embedded == (f"{' > '.join(path)}\n\n{piece.text}" if path else piece.text)
