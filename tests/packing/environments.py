"""Distributions built from the checkout, and isolated environments to install them into.

An environment is made in seconds and without a network: of the packages of the tests' own environment it is given those that
the metadata of the wheel ask for, and what these bring along, as links. Everything else is not there, as in an empty
environment into which pip has installed the wheel; only the downloading is left out.
"""

import re
import subprocess
import sys
import sysconfig
import venv
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests import ROOT

LIMIT = 300
"""Seconds that a step may take on a busy machine."""


def build(folder):
    """Build the source distribution, and of that the wheel; return the paths of both."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (source,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return source, wheel


def environment(folder, wheel, extras=()):
    """Make a virtual environment with the wheel and what it asks for; return the path of its Python."""
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    done = subprocess.run(install, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stderr
    (site,) = folder.glob("lib/python*/site-packages")
    for distribution in brought_along(metadata.Distribution.at(next(site.glob("seamark-*.dist-info"))), extras):
        for top in {file.parts[0] for file in distribution.files or () if file.parts[0] != ".."}:
            link, there = site / top, Path(distribution.locate_file(top))
            if there.exists() and not link.exists():
                link.symlink_to(there, target_is_directory=there.is_dir())
    return python


def brought_along(distribution, extras=()):
    """Return the installed distributions that one asks for, with ``extras``, and those that they ask for in turn."""
    current_page = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    installed = {canonicalize_name(package.name): package for package in metadata.distributions(path=current_page)}
    brought, waiting = {}, [(distribution, frozenset(extras))]
    seen = set()
    while waiting:
        package, wanted = waiting.pop()
        for line in package.requires or ():
            asked = Requirement(line)
            name = canonicalize_name(asked.name)
            holds = asked.marker is None or any(asked.marker.evaluate({"extra": extra}) for extra in ("", *wanted))
            if not holds or (name, frozenset(asked.extras)) in seen:
                continue
            seen.add((name, frozenset(asked.extras)))
            if name == canonicalize_name(distribution.name):
                waiting.append((distribution, frozenset(asked.extras)))
            elif name in installed:
                brought[name] = installed[name]
                waiting.append((installed[name], frozenset(asked.extras)))
            elif package is distribution:
                raise AssertionError(f"the tests' environment lacks {asked}")
    return [*brought.values()]


def requirements(file):
    """Return the packages of a file of requirements with their exact versions."""
    text = (ROOT / file).read_text(encoding="utf-8")
    return {
        canonicalize_name(name): version
        for name, version in re.findall(r"^([\w.-]+)(?:\[\w+\])?==(\S+)", text, re.MULTILINE)
    }
