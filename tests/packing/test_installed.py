"""Seamark without any extra, installed outside of the checkout: what is imported, what runs, and what says it is missing."""

import json
import subprocess

import pytest

from chunkers import CHUNKERS, chunk
from seamark.__main__ import DESCRIPTION_BY_COMMAND
from tests import ROOT
from tests.fixtures.chunker_packages import install
from tests.fixtures.environments import LIMIT

IN_USE = """
import json, sys, time
import seamark
at_once = [name for name in sys.modules if name.startswith("seamark.")]
text = open(sys.argv[1], encoding="utf-8").read()
made = seamark.chunk(text, "recursive", size=400, unit="characters", sentences="lines")
names = {name.partition(".")[0] for name in sys.modules}
print(json.dumps({"at_once": at_once, "texts": made.texts, "names": sorted(names), "from": seamark.__file__}))
"""
EACH = """
import json, sys
import seamark
from seamark.chunkers import CHUNKERS, InputError, chunk
text = open(sys.argv[1], encoding="utf-8").read()
made = {}
for name in CHUNKERS:
    try:
        made[name] = chunk(text, name).texts
    except InputError as error:
        made[name] = str(error)
print(json.dumps({"made": made, "names": sorted({name.partition(".")[0] for name in sys.modules})}))
"""
HEAVY = {
    *("torch", "transformers", "sentence_transformers", "spacy", "numba", "sklearn", "scipy", "langchain_text_splitters"),
    *("streamlit", "plotly", "pyarrow", "requests", "bs4", "psutil", "openai", "joblib"),
}
STUBS = ROOT / "sample_docs" / "stubs.txt"

pytestmark = pytest.mark.full


def ran(python, *command, status=0, **options):
    """Run the command ``seamark``, or Python where there is ``-c``, in an environment; return what it prints."""
    program = [python, "-I"] if command[:1] == ("-c",) else [python.with_name("seamark")]
    done = subprocess.run(
        [*program, *command], capture_output=True, text=True, timeout=LIMIT, check=False, cwd=python.parent, **options
    )
    assert done.returncode == status, done.stderr
    return done.stderr if status else done.stdout


def test_it_imports_only_what_it_needs(library):
    report = json.loads(ran(library, "-c", IN_USE, str(STUBS)))
    assert report["at_once"] == []
    assert str(library.parents[1]) in report["from"]
    text = STUBS.read_text(encoding="utf-8")
    assert tuple(report["texts"]) == chunk(text, "recursive", size=400, unit="characters", sentences="lines").texts
    assert {*HEAVY, "markdown_it", "tokenizers", *("chunkers", "evaluation", "viz", "pages", "sample_docs")}.isdisjoint(
        report["names"]
    )


def test_every_chunker_cuts_as_in_the_checkout_or_says_what_is_missing(library):
    report = json.loads(ran(library, "-c", EACH, str(STUBS)))
    text = STUBS.read_text(encoding="utf-8")
    missing = {
        "kmeans": "kmeans needs the package sklearn; to install what is missing: pip install 'seamark[clustering]'.",
        "code": "code needs the packages tree_sitter, tree_sitter_python and 7 more; to install what is missing: "
        "pip install 'seamark[code]'.",
    }
    wanted = {name: [*chunk(text, name).texts] for name in CHUNKERS if name not in missing}
    assert report["made"] == wanted | missing
    assert HEAVY.isdisjoint(report["names"])


def test_it_cannot_fall_back_on_what_was_not_installed(library):
    names = ("streamlit", "plotly", "openai", "pyarrow", "torch", "chunkers", "viz", "tests")
    ran(library, "-c", f"import sys, importlib.util as u; sys.exit(any(map(u.find_spec, {names!r})))")


def test_a_document_is_cut_on_the_command_line(reader, tmp_path):
    # Another process reads HTML, with the modules of the place that it is installed in.
    page = tmp_path / "page.html"
    page.write_text("<h1>Tides</h1><p>The tide comes in. The tide goes out.</p>", encoding="utf-8")
    printed = ran(reader, "chunk", str(page), "--chunker", "fixed_sentences:size=1")
    assert [row["text"] for row in json.loads(printed)["chunks"]][-1] == "The tide goes out."


@pytest.mark.parametrize(
    ("options", "extra", "who"),
    [
        (["--chunker", "breakpoint", "--sentences", "spacy"], "spacy", "sentences: the splitter spacy"),
        (["--chunker", "breakpoint", "--embedder", "tfidf"], "clustering", "tfidf"),
        (["--chunker", "breakpoint", "--embedder", str(STUBS.parent)], "models", str(STUBS.parent)),
        (
            ["--chunker", "breakpoint", "--embedder", "spacy:en_core_web_md"],
            "spacy",
            "embedder: the spaCy pipeline 'en_core_web_md'",
        ),
        (["--chunker", "fixed_tokens", "--tokenizer", "cl100k_base"], "tokens", "cl100k_base"),
    ],
)
def test_a_choice_that_is_missing_says_what_brings_it(library, options, extra, who):
    message = ran(library, "chunk", str(STUBS), *options, status=2)
    assert message.startswith(f"stubs.txt: {who} needs the package"), message
    assert message.endswith(f"; to install what is missing: pip install 'seamark[{extra}]'.\n")


def test_a_file_that_is_no_plain_text_says_what_reads_it(library, tmp_path):
    for name, data in (("page.html", b"<p>One.</p>"), ("old.txt", "Übermut tut gut.".encode("latin-1"))):
        (tmp_path / name).write_bytes(data)
        message = ran(library, "chunk", str(tmp_path / name), "--chunker", "fixed_words", status=2)
        assert message.startswith(f"{name}: reading what is not plain UTF-8 needs the packages bs4, chardet and 8 more; ")
        assert "pip install 'seamark[files]'" in message


def test_settings_are_swept_in_several_processes(reader):
    command = ["sweep", "--sample", "stubs", "--chunker", "breakpoint", "--grid", "amount=50,60,70"]
    command += ["--embedder", "tfidf", "--json"]
    rows = [json.loads(line) for line in ran(reader, *command).splitlines()]
    assert [row["parameters"] for row in rows if row["chunker"] == "breakpoint"] == [
        {"amount": amount} for amount in (50, 60, 70)
    ]


@pytest.mark.parametrize("command", [name for name in DESCRIPTION_BY_COMMAND if name != "corpus"])
def test_every_command_has_its_help(library, command):
    assert ran(library, command, "--help").startswith(f"usage: seamark {command} ")


def test_what_is_missing_is_said(library):
    wanted = "needs the packages streamlit and plotly; to install what is missing: pip install 'seamark[app]'.\n"
    assert ran(library, status=2) == f"The app {wanted}"
    wanted = "needs the packages joblib and pyarrow; to install what is missing: pip install 'seamark[corpus]'.\n"
    assert ran(library, "corpus", "recipe.json", status=2) == f"seamark corpus {wanted}"
    wanted = "openai:m needs the package openai; to install what is missing: pip install 'seamark[llm]'.\n"
    options = ["--chunker", "breakpoint", "--embedder", "openai:m", "--tokenizer", "words"]
    printed = ran(library, "chunk", str(STUBS), *options, status=2, env={"OPENAI_API_KEY": "none"})
    assert printed == f"stubs.txt: {wanted}"
    parquet = "import seamark; from seamark.chunkers import to_parquet\n"
    parquet += "try: to_parquet(seamark.chunk('A.', 'fixed_sentences'))\nexcept seamark.InputError as error: print(error)"
    printed = ran(library, "-c", parquet)
    assert printed == "Parquet needs the package pyarrow; to install what is missing: pip install 'seamark[corpus]'.\n"


def test_a_package_beside_it_brings_its_chunker(library, tmp_path):
    install(tmp_path)
    command = ["chunk", str(STUBS), "--chunker", "signal_words", "--tokenizer", "words"]
    made = json.loads(ran(library, *command, env={"PYTHONPATH": str(tmp_path)}))
    assert made["recipe"]["versions"]["signal-words"] == "1.2"
    assert "chunker must be one of" in ran(library, *command, status=2)
