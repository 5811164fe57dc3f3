"""Every target of the Makefile runs in a new checkout beside an environment that is complete."""

import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request

import pytest

import seamark
from tests import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
TARGETS = re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE)
LIMIT = 900
"""Seconds that a target may take on a busy machine."""

BENCH_ARGS = "--repeats 1 --text sample_docs/three_topics.txt"
"""The smallest setting of the benchmarks."""

PINS = {
    ".venv/run.stamp": ("requirements.txt", "constraints.txt"),
    ".venv/test.stamp": ("requirements-dev.txt", "requirements.txt", "constraints.txt"),
    ".venv/docs.stamp": ("requirements-docs.txt", "constraints-full.txt", "requirements.txt", "constraints.txt"),
    "node_modules/.stamp": ("package.json", "package-lock.json", ".npmrc"),
}

pytestmark = pytest.mark.slow


def beside(folder, *names):
    """Fill a folder with files of the checkout, and with links to what is installed, stamped as `make` does."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    for installed in (".venv", "node_modules"):
        (folder / installed).mkdir()
        for path in (ROOT / installed).iterdir():
            if not path.name.endswith(".stamp"):
                (folder / installed / path.name).symlink_to(path.resolve())
    for stamp, pins in PINS.items():
        (folder / stamp).write_bytes(b"".join((ROOT / pin).read_bytes() for pin in pins))
    return folder


@pytest.fixture
def checkout(tmp_path):
    """A new checkout: the files that Git knows, or would add."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return beside(tmp_path, *(name for name in names if (ROOT / name).is_file()))


@pytest.fixture
def bare(tmp_path):
    """A folder with the Makefile, what it compares with the stamps, and the settings of what it runs."""
    settings = ("Makefile", "pyproject.toml", "biome.json")
    return beside(tmp_path, *settings, *{pin for pins in PINS.values() for pin in pins})


def environment():
    """Return the environment of a user's shell: nothing of the tests' own run in it."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "MAKE", "MFLAGS"))}


def make(folder, *arguments):
    """Run make; return what it printed, errors included."""
    done = subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    return done.stdout


def test_help_lists_every_target(bare):
    printed = re.findall(r"^make (\w+) ", make(bare, "help"), re.MULTILINE)
    # The browser is a part of `make test`.
    assert {*printed} == {*TARGETS} - {"browser"}
    assert make(bare) == make(bare, "help")


def test_a_new_checkout_beside_a_complete_environment_installs_nothing(bare):
    # `make full` installs packages of its own.
    for target in set(TARGETS) - {"full"}:
        planned = make(bare, "--dry-run", target)
        assert "pip install" not in planned, target
        assert "npm ci" not in planned, target


@pytest.mark.parametrize(
    ("file", "targets", "command"),
    [
        ("requirements.txt", ("run", "test"), "pip install"),
        ("constraints.txt", ("run", "test"), "pip install"),
        ("requirements-dev.txt", ("test",), "pip install"),
        ("requirements-docs.txt", ("docs",), "pip install"),
        ("package-lock.json", ("scripts", "format"), "npm ci"),
    ],
)
def test_another_pin_installs_once(bare, file, targets, command):
    with (bare / file).open("a", encoding="utf-8") as opened:
        opened.write("\n")
    for target in targets:
        assert make(bare, "--dry-run", target).count(command) == 1


def test_it_installs_what_the_readme_says(bare):
    for stamp in PINS:
        (bare / stamp).unlink()
    for target, file in (("run", "requirements.txt"), ("test", "requirements-dev.txt")):
        assert f".venv/bin/python -m pip install -r {file}\n" in README
        planned = make(bare, "--dry-run", target)
        assert re.search(rf"^\.venv/bin/python -m pip install .*-r {file}$", planned, re.MULTILINE)
    assert "playwright install --only-shell chromium" in planned
    assert ".venv/bin/python -m streamlit run serve.py\n" in make(bare, "--dry-run", "run")


def test_test_and_full_check_what_they_say(bare):
    checks = ("-m ruff check .", "-m ruff format --check .", "-m mypy", "biome check", "tsc --project .", "--test ")
    for target in ("test", "full"):
        planned = make(bare, "--dry-run", target, "PYTEST_ARGS=-k words")
        assert [check for check in checks if check not in planned] == []
        (tests,) = re.findall(r"-m pytest (.*)", planned)
        assert tests.endswith("-k words")
        assert ("--full" in tests) is (target == "full")
        assert ("-m tests.properties --cases 20000" in planned) is (target == "full")


def test_the_checks_of_every_change_are_those_of_make_test():
    assert re.search(r"^exec make .*\btest\b", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)


def test_format_mends_what_is_badly_formatted(bare):
    (bare / "bad.py").write_text("import sys\nimport os\ndef f( a ):\n  return {'a':a,\n 'b' : os.sep}\n", encoding="utf-8")
    script = bare / "viz" / "bad.js"
    script.parent.mkdir()
    script.write_text("export const f = ( a ) => {\n\n    return { a : a , 'b': 'c' }\n}\n", encoding="utf-8")
    make(bare, "format")
    wanted = 'import os\n\n\ndef f(a):\n    return {"a": a, "b": os.sep}\n'
    assert (bare / "bad.py").read_text(encoding="utf-8") == wanted
    assert script.read_text(encoding="utf-8") == 'export const f = (a) => {\n  return { a: a, b: "c" };\n};\n'


@pytest.mark.full
def test_quick_collects_and_runs(checkout):
    assert re.search(r"^\d+/\d+ tests collected", make(checkout, "quick", "PYTEST_ARGS=--collect-only -q"), re.MULTILINE)
    options = ["--assume-old=lint", "--assume-old=scripts"]
    assert re.search(r"^\d+ passed", make(checkout, *options, "quick", "PYTEST_ARGS=-q tests/test_pins.py"), re.MULTILINE)


@pytest.mark.full
def test_fuzz_checks_generated_cases(checkout):
    printed = make(checkout, "fuzz", "FUZZ_ARGS=--cases 50 --seed 7")
    count, failed = re.search(r"^in all +(\d+) cases, +(\d+) failed$", printed, re.MULTILINE).groups()
    assert int(count) >= 50
    assert failed == "0"


@pytest.mark.full
def test_bench_measures(checkout):
    # Whether a target is met is another question, which a busy machine answers wrongly: errors are passed over.
    printed = make(checkout, "--ignore-errors", "bench", f"BENCH_ARGS={BENCH_ARGS}")
    assert "Traceback" not in printed
    assert "error:" not in printed
    assert all(head in printed for head in ("| chunker ", "| clustering "))


@pytest.mark.full
def test_package_builds_both_distributions(checkout):
    make(checkout, "package")
    assert sorted(path.name.partition("-")[2] for path in (checkout / "dist").iterdir()) == [
        "0.1.0-py3-none-any.whl",
        "0.1.0.tar.gz",
    ]


@pytest.mark.full
def test_docs_builds_a_site_that_asks_nothing_of_other_hosts(checkout):
    make(checkout, "docs")
    site = checkout / "out" / "docs"
    assert "Seamark" in (site / "index.html").read_text(encoding="utf-8")
    described = re.findall(r'id="seamark\.(\w+)"', (site / "docs" / "site" / "api.html").read_text(encoding="utf-8"))
    assert sorted(described) == sorted(set(seamark.__all__) - {"__version__"})
    asking = re.compile(r"""(?:<(?:script|img|iframe)\b[^>]*\bsrc="|<link\b[^>]*\bhref="|url\(['"]?)(?:https?:)?//""")
    files = [path for kind in ("html", "css") for path in site.rglob(f"*.{kind}")]
    assert len(files) > 20
    assert [path.name for path in files if asking.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.full
@pytest.mark.parametrize("link", ["[a](nowhere.md)", "[a](limits.md#nowhere)", "![a](nowhere.png)"])
def test_docs_refuses_a_broken_link(checkout, link):
    with (checkout / "docs" / "releasing.md").open("a", encoding="utf-8") as opened:
        opened.write(f"\n{link}\n")
    with pytest.raises(AssertionError, match=r"releasing\.md.*WARNING.*nowhere"):
        make(checkout, "docs")


@pytest.mark.full
def test_run_serves_the_app(checkout):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {"STREAMLIT_SERVER_PORT": str(port), "STREAMLIT_SERVER_HEADLESS": "true"}
    with (checkout / "log.txt").open("w+", encoding="utf-8") as log:
        server = subprocess.Popen(
            ["make", "run"],
            cwd=checkout,
            env=environment() | settings,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            assert health(port, server) == b"ok", (checkout / "log.txt").read_text(encoding="utf-8")
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(timeout=60)


def health(port, server):
    """Return the server's health message once it answers; nothing if it has ended."""
    ends = time.monotonic() + LIMIT
    while time.monotonic() < ends and server.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=10) as answer:
                return answer.read()
        except OSError:
            time.sleep(0.2)
    return b""
