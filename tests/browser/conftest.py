"""The app on a port of its own and a real browser, once for all browser tests."""

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

import pytest
from playwright.sync_api import sync_playwright

from tests import ROOT

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]


@contextmanager
def served(log_path):
    """Run the app on a free port; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = log_path.open("w")
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), "--server.headless", "true"]
    server = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health")
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(20)
        log.close()


@pytest.fixture(scope="session")
def app_url(tmp_path_factory):
    with served(tmp_path_factory.mktemp("app") / "log.txt") as url:
        yield url


@pytest.fixture
def fresh_url(tmp_path):
    """A server that nobody has asked for anything yet."""
    with served(tmp_path / "log.txt") as url:
        yield url


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def page(browser):
    """A page that fails its test on script errors, dialogs and requests to anywhere but the app."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    opened = context.new_page()
    wrong = []
    opened.on("pageerror", lambda error: wrong.append(f"script error: {error}"))
    opened.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    opened.on(
        "request",
        lambda request: (
            None
            if request.url.startswith(("http://127.0.0.1:", "data:", "blob:"))
            else wrong.append(f"outside request: {request.url}")
        ),
    )
    yield opened
    context.close()
    assert not wrong, wrong
