"""Run commands and snippets one after another, in the Python of an installation; knows nothing of the checkout.

Standard input has a list of examples, each with its kind, its code and a folder to run in; standard output gets for each a
line of JSON with its exit status, what it printed, and its processor time. One process for all: what they import takes
longer than most of them.
"""

import io
import json
import os
import shlex
import sys
import time
import traceback
from contextlib import redirect_stderr, redirect_stdout


def run(kind, code, known):
    """Return the exit status of a command, or of a snippet among the names that earlier ones left."""
    from seamark.__main__ import main

    try:
        if kind != "python":
            return main(shlex.split(code)[1:])
        exec(code, known)
    except SystemExit as ended:
        return ended.code or 0
    except Exception:
        traceback.print_exc()
        return 1
    return 0


def main():
    given = json.load(sys.stdin)
    known = {"__name__": "snippets", "text": given["text"]}
    for kind, code, folder in given["examples"]:
        os.chdir(folder)
        printed, began = io.StringIO(), time.process_time()
        with redirect_stdout(printed), redirect_stderr(printed):
            status = run(kind, code, known)
        sys.stdout.write(json.dumps([status, printed.getvalue(), time.process_time() - began]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
