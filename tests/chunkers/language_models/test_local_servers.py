"""Servers on the usual ports of this machine are found by the list of their models."""

import json
import threading
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import socket

import pytest

from chunkers.language_models.chat_server import LocalServer, find_local_servers


@contextmanager
def listing(body, status=200):
    """Serve ``body`` at any path, and yield the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status if self.path == "/v1/models" else 404)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def models(*names):
    return json.dumps({"data": [{"id": name} for name in names]}).encode()


def test_the_address_and_the_models_are_found_in_the_order_of_the_ports(monkeypatch):
    # A proxy of the environment would take this machine for its own.
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with listing(models("small", "large")) as one, listing(models("other")) as other:
        assert find_local_servers((other, one)) == [
            LocalServer(f"http://127.0.0.1:{other}/v1", ("other",)),
            LocalServer(f"http://127.0.0.1:{one}/v1", ("small", "large")),
        ]


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[]", b"{}", b'{"data": 3}', b'{"data": [3]}', models(), models(" "), models("a\nb"), b"[" * 9_999],
)
def test_what_lists_no_model_is_no_server_of_one(body):
    with listing(body) as port:
        assert find_local_servers((port,)) == []


def test_nobody_there_is_no_server():
    with closing(socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with listing(models("a"), 500) as failing:
        assert find_local_servers((port, failing)) == []
