"""The user's browser is opened once, when the server listens, and not where the server is headless."""

import asyncio
import socket

import pytest

from tests.support import LIMIT, in_a_loop
from viz.server import server_tasks, streamlit_patches


@pytest.fixture
def opened(monkeypatch):
    """Return the addresses that the browser is opened at."""
    addresses = []
    monkeypatch.setattr(server_tasks.webbrowser, "open", addresses.append)
    return addresses


def options(monkeypatch, port, headless):
    given = {"server.headless": headless, "server.address": "127.0.0.1", "server.port": port}
    monkeypatch.setattr(server_tasks.st, "get_option", given.get)
    monkeypatch.setattr(streamlit_patches, "get_option", given.get)
    monkeypatch.setattr(streamlit_patches.server_util, "get_url", lambda address: f"http://{address}:{port}")


def test_it_is_opened_once_the_server_listens(monkeypatch, opened):
    with socket.socket() as server:
        # Bound, so that the port is known, but not listening yet.
        server.bind(("127.0.0.1", 0))
        port = server.getsockname()[1]
        options(monkeypatch, port, headless=False)

        async def served():
            task = asyncio.create_task(server_tasks.open_browser())
            await asyncio.sleep(3 * server_tasks.CONNECTION_ATTEMPT_INTERVAL_S)
            assert opened == []
            server.listen()
            await asyncio.wait_for(task, LIMIT)

        in_a_loop(served())
    assert opened == [f"http://127.0.0.1:{port}"]


def test_it_is_not_opened_where_the_server_is_headless(monkeypatch, opened):
    with socket.create_server(("127.0.0.1", 0)) as server:
        options(monkeypatch, server.getsockname()[1], headless=True)
        in_a_loop(server_tasks.open_browser())
    assert opened == []


def test_a_server_that_never_listens_is_given_up(monkeypatch, opened):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        options(monkeypatch, server.getsockname()[1], headless=False)
        monkeypatch.setattr(server_tasks, "CONNECTION_ATTEMPT_INTERVAL_S", 0.0)
        in_a_loop(asyncio.wait_for(server_tasks.open_browser(), LIMIT))
    assert opened == []
