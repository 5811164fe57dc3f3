"""The command line ``seamark``: without a command it opens the app, otherwise it runs the command."""

import sys
from collections.abc import Sequence
from pathlib import Path

DESCRIPTION_BY_COMMAND = {
    "chunk": "cut documents into chunks",
    "sweep": "many settings on many documents with known boundaries",
    "stitch": "make long documents with known boundaries of short ones",
    "retrieval": "measure recipes on questions with known excerpts",
    "questions": "have a language model ask questions about documents, for retrieval",
    "answers": "questions answered from each chunker's chunks by a language model, and judged",
    "agreement": "which boundaries another embedder moves",
    "unlabelled": "what can be said of chunkers without labels",
    "report": "chunkers on a document, as one file of HTML that opens offline",
    "trace": "which stage of your own retrieval lost the answer, from its traces",
    "corpus": "cut whole folders and data sets into Parquet, on all cores",
    "diff": "what a change of chunkers or settings costs: chunks to embed again, questions won and lost",
    "check": "documents and a recipe against rules, for continuous integration",
}
"""Every command, with what it does; each imports what it needs only when it is run."""

APP_SCRIPT_PATH = Path(__file__).parent / "app" / "serve.py"
"""Script that Streamlit runs in an installation; in a checkout it lies next to this package."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ``seamark`` command and return its exit status."""
    command_line_words = sys.argv[1:] if arguments is None else [*arguments]
    subcommand_name = command_line_words[0] if command_line_words else ""
    if subcommand_name == "chunk":
        from chunkers.commands.chunk_command import main as chunk

        return chunk(command_line_words[1:])
    if subcommand_name in DESCRIPTION_BY_COMMAND and subcommand_name != "corpus":
        from evaluation.command_line import main as evaluate

        return evaluate(command_line_words)
    from chunkers.commands.shared_command_parts import run_command

    return run_command(
        lambda: _run_corpus(command_line_words[1:]) if subcommand_name == "corpus" else _open_app(command_line_words)
    )


def _run_corpus(arguments: Sequence[str]) -> int:
    from chunkers.support.optional_packages import raise_if_extra_missing

    raise_if_extra_missing("corpus", "seamark corpus")
    from corpus.command_line import main as corpus

    return corpus(arguments)


def _open_app(arguments: Sequence[str]) -> int:
    import argparse

    from chunkers.commands.shared_command_parts import Parser
    from chunkers.recipes.recipe import __version__
    from chunkers.support import InputError, raise_if_extra_missing

    command_column_width = max(map(len, DESCRIPTION_BY_COMMAND)) + 2
    parser = Parser(
        prog="seamark",
        description="Open Seamark in the browser, or run one of its commands.",
        epilog="commands, each with a --help of its own:\n"
        + "\n".join(f"  {name:<{command_column_width}}{summary}" for name, summary in DESCRIPTION_BY_COMMAND.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", nargs="?", metavar="COMMAND", help="one of those below; without one, the app is opened")
    parser.add_argument(
        "--port", type=int, metavar="N", help="the port of the app (default: 8501, or the next one that is free)"
    )
    parser.add_argument("--no-browser", action="store_true", help="serve the app without opening a browser")
    parser.add_argument("--version", action="version", version=f"seamark {__version__}")
    options = parser.parse_args(arguments)
    if options.command is not None:
        raise InputError(f"The command must be one of {', '.join(DESCRIPTION_BY_COMMAND)}; got {options.command!r}.")
    if options.port is not None and not 0 <= options.port <= 65535:
        raise InputError(f"--port must be from 0 to 65535; got {options.port}.")
    raise_if_extra_missing("app", "The app")
    return _serve_app(options.port, options.no_browser)


def _serve_app(port: int | None, no_browser: bool) -> int:
    """Serve the app until it is stopped, as ``streamlit run`` does: with its settings, behind its guard."""
    import click  # which Streamlit brings
    from streamlit.web import cli

    server_script_path = APP_SCRIPT_PATH if APP_SCRIPT_PATH.exists() else APP_SCRIPT_PATH.parents[2] / APP_SCRIPT_PATH.name
    streamlit_server_flags = ["--server.port", str(port)] if port is not None else []
    streamlit_server_flags += ["--server.headless", "true"] if no_browser else []
    try:
        cli.main(["run", str(server_script_path), *streamlit_server_flags], prog_name="streamlit", standalone_mode=False)
    except click.exceptions.Abort as stopped:
        raise KeyboardInterrupt from stopped
    return 0


if __name__ == "__main__":
    sys.exit(main())
