"""Streamlit's files as Streamlit answers them, but in one piece; everything else passes."""

import re
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from streamlit.file_util import get_static_dir
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_assets_routes

from tests.support import in_a_loop
from viz.server.middleware import ScriptsFromMemory, find_streamlit_element_scripts

ROOT = Path(get_static_dir())
KINDS = {file.suffix: f"/{file.relative_to(ROOT).as_posix()}" for file in sorted((ROOT / "static").rglob("*.*"))}
LARGEST = max((ROOT / "static").rglob("*.js"), key=lambda file: file.stat().st_size)


@pytest.fixture
def behind():
    """Stands for Streamlit, and is not asked for the files."""
    return TestClient(ScriptsFromMemory(PlainTextResponse("passed")))


@pytest.mark.parametrize("path", [*KINDS.values(), f"/{LARGEST.relative_to(ROOT).as_posix()}"])
def test_a_file_is_that_of_streamlit(behind, path):
    own = TestClient(Starlette(routes=create_streamlit_static_assets_routes(None))).get(path)
    ours = behind.get(path)
    assert ours.status_code == own.status_code == 200
    assert ours.content == own.content
    for name in ("content-type", "content-length", "cache-control"):
        assert ours.headers[name] == own.headers[name]


@pytest.mark.parametrize(
    "path", ["/", "/index.html", "/static/js/none.js", "/static/js", "/static/../index.html", "//static/js"]
)
def test_everything_else_passes(behind, path):
    assert behind.get(path).text == "passed"


def test_what_is_not_read_passes(behind):
    path = KINDS[".js"]
    assert behind.post(path).text == "passed"
    assert behind.head(path).headers["content-length"] == str(len("passed"))


def test_a_file_that_is_gone_passes(behind, monkeypatch):
    monkeypatch.setattr(Path, "read_bytes", lambda _: (_ for _ in ()).throw(FileNotFoundError))
    assert behind.get(KINDS[".js"]).text == "passed"


def test_a_file_is_sent_in_one_piece():
    messages = []

    async def send(message):
        messages.append(message["type"])

    scope = {"type": "http", "method": "GET", "path": f"/{LARGEST.relative_to(ROOT).as_posix()}", "headers": []}
    in_a_loop(ScriptsFromMemory(PlainTextResponse("passed"))(scope, None, send))
    assert messages == ["http.response.start", "http.response.body"]


def test_the_scripts_of_an_element_are_all_that_its_page_does_not_name():
    scripts = find_streamlit_element_scripts("BidiComponent", "Html")
    page = (ROOT / "index.html").read_text()
    assert [name.split("/")[-1].split(".")[0] for name in scripts][:2] == ["BidiComponent", "Html"]
    for path in scripts:
        assert path not in page
        imported = re.findall(r'"\./([^"]+\.js)"', (ROOT / path.removeprefix("/")).read_text().partition("`")[0])
        assert all(name in page or f"/static/js/{name}" in scripts for name in imported)
    assert find_streamlit_element_scripts("NoSuchElement") == []
