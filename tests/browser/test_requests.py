"""Every request over all pages, the browser's and the server's with all its processes: none leaves this machine."""

import re
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests import ROOT
from tests.browser.steps import READY, at_rest, embedded, open_app, run
from tests.fixtures.app_server import app_server
from viz.shell.navigation import PAGES

# Python runs a file of this name at the start of every process that finds it.
HOOK = """
import os, sys

def heard(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        said = arguments[1]
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        said = arguments[0]
    else:
        return
    with open(os.environ["CONNECTIONS"], "a") as log:
        print(event, repr(said), file=log)

sys.addaudithook(heard)
"""

HERE = re.compile(r"^\S+ (None|\(?'(127\.0\.0\.1|localhost|::1)'.*|b?'/.*|b?'\\x00.*)$")
"""A line about this machine: a loopback address, its name, or a socket in the file system."""


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    """The environment of processes whose connections are written to a file, and that file."""
    folder = tmp_path_factory.mktemp("audit")
    (folder / "sitecustomize.py").write_text(HOOK)
    connections = folder / "connections.txt"
    connections.touch()
    return {"PYTHONPATH": str(folder), "CONNECTIONS": str(connections)}, connections


def outside(connections):
    return [line for line in connections.read_text().splitlines() if not HERE.match(line)]


def test_the_log_knows_a_connection_to_the_outside(audit):
    environment, connections = audit
    attempt = "import socket; one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); one.connect(('192.0.2.1', 9))"
    subprocess.run([sys.executable, "-c", attempt], env=environment, check=False, capture_output=True)
    assert outside(connections) == ["socket.connect ('192.0.2.1', 9)"]
    connections.write_text("")


@pytest.mark.full
def test_nothing_leaves_this_machine(open_page, audit, tmp_path):
    environment, connections = audit
    with app_server(tmp_path / "log.txt", environment=environment) as server:
        page = open_page()
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("websocket", lambda socket: asked.append(socket.url))
        open_app(page, server.url)
        page.locator("input[type=file]").first.set_input_files(ROOT / "SECURITY.md")
        # A page that is called before the file has arrived may not be heard.
        page.get_by_role("heading", name="SECURITY.md").wait_for(timeout=READY)
        embedded(page)
        for name, entry in [*PAGES.items()][1:]:
            page.get_by_role("link", name=entry.title, exact=True).click()
            page.wait_for_url(f"**/{name}?**", timeout=READY)
            at_rest(page)
        page.goto(f"{server.url}/retrieval?embedder=tfidf&c1=recursive&c1.size=300")
        run(page)
        expect(page.get_by_role("heading", name="Question details")).to_be_visible(timeout=READY)
        port = server.url.rsplit(":", 1)[1]
        ours = re.compile(rf"^(https?|wss?)://127\.0\.0\.1:{port}/|^data:|^blob:http://127\.0\.0\.1:{port}/")
        assert any(url.startswith("ws://") for url in asked)
        assert [url for url in asked if not ours.match(url)] == []
    assert outside(connections) == []
