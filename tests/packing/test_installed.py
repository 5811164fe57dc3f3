"""Seamark without any extra, installed outside of the checkout: what is imported, what runs, and what says it is missing."""

import json
import subprocess

import pytest

from chunkers import chunk
from seamark.__main__ import COMMANDS
from tests import ROOT
from tests.chunkers.offers import install
from tests.lanes import mostly_full
from tests.packing.environments import LIMIT

IN_USE = """
import json, sys, time
import seamark
at_once = [name for name in sys.modules if name.startswith("seamark.")]
text = open(sys.argv[1], encoding="utf-8").read()
made = seamark.chunk(text, "recursive", size=400, unit="characters", sentences="lines")
names = {name.partition(".")[0] for name in sys.modules}
print(json.dumps({"at_once": at_once, "texts": made.texts, "names": sorted(names), "from": seamark.__file__}))
"""
STUBS = ROOT / "sample_docs" / "stubs.txt"


def ran(python, *command, status=0, **options):
    """Run the command ``seamark``, or Python where there is ``-c``, in an environment; return what it prints."""
    program = [python, "-I"] if command[:1] == ("-c",) else [python.with_name("seamark")]
    done = subprocess.run(
        [*program, *command], capture_output=True, text=True, timeout=LIMIT, check=False, cwd=python.parent, **options
    )
    assert done.returncode == status, done.stderr
    return done.stderr if status else done.stdout


def test_it_imports_only_what_it_needs(library):
    said = json.loads(ran(library, "-c", IN_USE, str(STUBS)))
    assert said["at_once"] == []
    assert str(library.parents[1]) in said["from"]
    text = STUBS.read_text(encoding="utf-8")
    assert tuple(said["texts"]) == chunk(text, "recursive", size=400, unit="characters", sentences="lines").texts
    assert {"torch", "streamlit", "plotly", "chunkers", "evaluation", "viz", "pages", "sample_docs"}.isdisjoint(
        said["names"]
    )


def test_it_cannot_fall_back_on_what_was_not_installed(library):
    names = ("streamlit", "plotly", "openai", "pyarrow", "chunkers", "viz", "tests")
    ran(library, "-c", f"import sys, importlib.util as u; sys.exit(any(map(u.find_spec, {names!r})))")


def test_a_document_is_cut_on_the_command_line(library, tmp_path):
    # Another process reads HTML, with the modules of the place that it is installed in.
    page = tmp_path / "page.html"
    page.write_text("<h1>Tides</h1><p>The tide comes in. The tide goes out.</p>", encoding="utf-8")
    printed = ran(library, "chunk", str(page), "--chunker", "fixed_sentences", "--set", "size=1")
    assert [one["text"] for one in json.loads(printed)["chunks"]][-1] == "The tide goes out."


@pytest.mark.full
def test_settings_are_swept_in_several_processes(library):
    command = ["sweep", "stubs", "--chunker", "breakpoint", "--grid", "amount=50,60,70", "--embedder", "tfidf", "--json"]
    rows = [json.loads(line) for line in ran(library, *command).splitlines()]
    assert [row["parameters"] for row in rows if row["chunker"] == "breakpoint"] == [{"amount": one} for one in (50, 60, 70)]


@pytest.mark.parametrize("command", mostly_full([name for name in COMMANDS if name != "corpus"], {"retrieval"}))
def test_every_command_has_its_help(library, command):
    assert ran(library, command, "--help").startswith(f"usage: seamark {command} ")


@pytest.mark.full
def test_what_is_missing_is_said(library):
    wanted = "needs the packages streamlit and plotly; to install what is missing: pip install 'seamark[app]'.\n"
    assert ran(library, status=2) == f"The app {wanted}"
    wanted = "needs the package pyarrow; to install what is missing: pip install 'seamark[corpus]'.\n"
    assert ran(library, "corpus", "recipe.json", status=2) == f"seamark corpus {wanted}"
    wanted = "openai:m needs the package openai; to install what is missing: pip install 'seamark[llm]'.\n"
    options = ["--chunker", "breakpoint", "--embedder", "openai:m", "--tokenizer", "words"]
    said = ran(library, "chunk", str(STUBS), *options, status=2, env={"OPENAI_API_KEY": "none"})
    assert said == f"stubs.txt: {wanted}"
    parquet = "import seamark; from seamark.chunkers import to_parquet\n"
    parquet += "try: to_parquet(seamark.chunk('A.', 'fixed_sentences'))\nexcept seamark.InputError as error: print(error)"
    said = ran(library, "-c", parquet)
    assert said == "Parquet needs the package pyarrow; to install what is missing: pip install 'seamark[corpus]'.\n"


@pytest.mark.full
def test_a_package_beside_it_brings_its_chunker(library, tmp_path):
    install(tmp_path)
    command = ["chunk", str(STUBS), "--chunker", "signal_words", "--tokenizer", "words"]
    made = json.loads(ran(library, *command, env={"PYTHONPATH": str(tmp_path)}))
    assert made["recipe"]["versions"]["signal-words"] == "1.2"
    assert "chunker must be one of" in ran(library, *command, status=2)
