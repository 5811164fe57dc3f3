"""CONTRIBUTING.md works as it is written; the workflow and the Dockerfile name what there is."""

import re
import shutil
import subprocess
import sys

import pytest
import yaml

from packing.seamark_backend import APP_FILES, MOVED_PACKAGES, PROJECT_FILES
from tests import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def written(path):
    """Return the listing of a file: the first after its path."""
    return re.search(rf"`{re.escape(path)}`.*?```python\n(.*?)```", PAGE, re.DOTALL)[1]


def added(folder, path, line, before):
    """Add a line, which the page has, to a file, before the first line that begins so."""
    assert line in PAGE
    text = (folder / path).read_text(encoding="utf-8")
    place = re.search(rf"^( *){re.escape(before)}", text, re.MULTILINE)
    (folder / path).write_text(f"{text[: place.start()]}{place[1]}{line}\n{text[place.start() :]}", encoding="utf-8")


@pytest.mark.full
@pytest.mark.slow
def test_a_chunker_and_a_page_are_added_as_it_says(tmp_path):
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, tracked.split("\0")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    for path in (
        "chunkers/methods/before_questions.py",
        "viz/lengths/__init__.py",
        "viz/lengths/page.py",
        "pages/lengths.py",
    ):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(written(path), encoding="utf-8")
    chunker = "from chunkers.methods.before_questions import BeforeQuestions"
    registry = "chunkers/recipes/chunker_registry.py"
    added(tmp_path, registry, chunker, "from chunkers.results import")
    added(tmp_path, registry, "BeforeQuestions,", "FixedSentences,\n        FixedWords,")
    added(tmp_path, "tests/chunkers/test_contract.py", '("before_questions", {}),', '("fixed_sentences", {}),')
    (tmp_path / "README.md").write_text(
        (tmp_path / "README.md").read_text(encoding="utf-8") + "\n| `before_questions` |\n", encoding="utf-8"
    )
    added(tmp_path, "viz/shell/navigation.py", '"lengths": PageEntry("Lengths", "pages/lengths.py"),', '"guide": PageEntry')
    rooms = tmp_path / "docs" / "architecture.md"
    rooms.write_text(
        rooms.read_text(encoding="utf-8").replace("`clustering/`", "`clustering/` `lengths/`"), encoding="utf-8"
    )
    drawn = """
from streamlit.testing.v1 import AppTest
app = AppTest.from_file("app.py", default_timeout=60).switch_page("pages/lengths.py").run()
assert not app.exception, app.exception
"""
    for command in (
        ["ruff", "check", "."],
        ["pytest", "-q", "tests/chunkers/test_contract.py", "tests/test_architecture.py", "tests/test_readme.py"],
    ):
        ran = subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout[-3000:]
    ran = subprocess.run([sys.executable, "-c", drawn], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]


def test_it_names_files_and_targets_that_there_are():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"make (\w+)", PAGE)) - {"for"}:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for link in re.findall(r"\]\(([^)#]+)", PAGE):
        assert (ROOT / link).exists(), link


def test_the_workflow_runs_make_on_every_python_that_is_promised():
    flow = yaml.safe_load((ROOT / ".github" / "workflows" / "checks.yml").read_text(encoding="utf-8"))
    jobs = flow["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
    assert "make test PYTHON=python" in [step.get("run") for step in jobs["test"]["steps"]]
    assert jobs["quick"]["strategy"]["matrix"]["system"] == ["macos-latest", "windows-latest"]


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*-*.yml")), ids=lambda path: path.stem)
def test_the_templates_ask_for_what_shows_the_fault(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    asked = {field["id"]: field for field in form["body"]}
    assert all(field["validations"]["required"] for field in asked.values())
    assert "smallest text" in str(form)
    assert "versions" in asked


def test_the_container_gets_what_the_build_needs_and_serves_without_rights():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    allowed = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    needed = {
        *MOVED_PACKAGES,
        *(path.split("/")[0] for path in APP_FILES),
        *PROJECT_FILES,
        "packing",
        "seamark",
        "constraints.txt",
    }
    assert allowed == needed
    assert all((ROOT / name).exists() for name in allowed)
    lines = DOCKERFILE.splitlines()
    assert lines.index("USER seamark") < next(place for place, line in enumerate(lines) if line.startswith("CMD"))
    port = re.search(r"^EXPOSE (\d+)$", DOCKERFILE, re.MULTILINE)[1]
    assert f'"--port", "{port}"' in DOCKERFILE
    assert f"127.0.0.1:{port}:{port}" in DOCKERFILE
    docker = shutil.which("docker")
    if docker and subprocess.run([docker, "info"], capture_output=True, check=False).returncode == 0:
        subprocess.run([docker, "build", "--quiet", str(ROOT)], check=True)
