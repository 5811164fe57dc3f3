"""``seamark``: which command runs, and what is refused."""

from argparse import SUPPRESS
from importlib import import_module

import click
import pytest
from streamlit.web import cli

import chunkers
import corpus.command_line
import evaluation.command_line
import seamark
from chunkers.commands import chunk_command
from packing.seamark_backend import MOVED_PACKAGES
from seamark import checkout_imports
from seamark.__main__ import DESCRIPTION_BY_COMMAND, main
from tests import ROOT


def test_the_names_are_those_of_the_library():
    assert {name for name in seamark.__all__ if getattr(seamark, name) is not getattr(chunkers, name)} == set()
    assert {*seamark.__all__} <= {*dir(seamark)}
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = seamark.nothing


@pytest.mark.parametrize(
    "name", ["chunkers", "chunkers.support.errors", "integrations.recipe_cutter", "evaluation.report.html_page"]
)
def test_a_checkout_has_the_installed_names_for_the_same_modules(name):
    module = import_module(name)
    assert import_module(f"seamark.{name}") is module
    assert module.__spec__.name == module.__name__ == name


def test_the_installed_names_are_those_of_the_rooms():
    assert checkout_imports.INNER_PACKAGES == MOVED_PACKAGES
    for name in ("seamark.nothing", "seamark.chunkers.nothing", "seamark.packing"):
        with pytest.raises(ModuleNotFoundError):
            import_module(name)


def test_the_help_has_every_command(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    printed = capsys.readouterr().out
    assert all(f"  {name} " in printed for name in DESCRIPTION_BY_COMMAND)


def test_an_option_is_the_same_in_every_command():
    commands = evaluation.command_line._command_line_parser()._subparsers._group_actions[0].choices
    parsers = {**commands, "chunk": chunk_command._parser(), "corpus": corpus.command_line._parser()}
    assert {*parsers} == {*DESCRIPTION_BY_COMMAND}
    values, takers = {}, {}
    for name, parser in parsers.items():
        for action in parser._actions:
            for option in action.option_strings if action.help != SUPPRESS else ():
                values.setdefault(option, set()).add(action.metavar)
                takers.setdefault(option, set()).add(name)
    # What is written is a file or a folder; a budget is one number for answers, and several to compare for retrieval.
    assert {option: named for option, named in values.items() if len(named) > 1} == {
        "--output": {"FILE", "DIR"},
        "--budget": {"N,N...", "TOKENS"},
    }
    assert {*DESCRIPTION_BY_COMMAND} - takers["--chunker"] == {"stitch", "questions"}
    assert takers["--spend"] == takers["--language-model"]
    assert takers["--sample"] == takers["--marked"] == {"check", "sweep"}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["chnk"], f"The command must be one of {', '.join(DESCRIPTION_BY_COMMAND)}; got 'chnk'."),
        (["--port", "70000"], "--port must be from 0 to 65535; got 70000."),
        (["--port", "one"], "Argument --port: invalid int value: 'one'."),
        (["chunk"], "Name at least one file to cut, or - for standard input."),
        (["corpus", "--chunker", "recipe.json", "--output", "out"], "Name at least one INPUT"),
        (["sweep", "--sample", "stubs"], "Name the settings to sweep: --published, or --chunker with --grid."),
    ],
)
def test_what_is_wrong_is_a_sentence(given, sentence, capsys):
    assert main(given) == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert sentence in written.err
    assert written.err.count("\n") == 1


def test_a_corpus_without_its_packages_is_a_sentence(monkeypatch, capsys):
    monkeypatch.setattr(
        "chunkers.support.optional_packages.find_spec", lambda module: None if module == "pyarrow" else module
    )
    assert main(["corpus", "in", "--chunker", "recipe.json", "--output", "out"]) == 2
    assert capsys.readouterr().err == (
        "seamark corpus needs the package pyarrow; to install what is missing: pip install 'seamark[corpus]'.\n"
    )


def test_stopping_the_app_is_no_fault(monkeypatch, capsys):
    def stopped(*_given, **_options):
        raise click.exceptions.Abort

    monkeypatch.setattr(cli, "main", stopped)
    assert main([]) == 130
    assert capsys.readouterr().err == "Stopped by the user.\n"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ([], []),
        (["--port", "8600"], ["--server.port", "8600"]),
        (["--no-browser"], ["--server.headless", "true"]),
    ],
)
def test_the_app_is_started_as_streamlit_starts_it(given, wanted, monkeypatch):
    started = []
    monkeypatch.setattr(cli, "main", lambda command, **_options: started.append(command))
    assert main(given) == 0
    assert started == [["run", str(ROOT / "serve.py"), *wanted]]
