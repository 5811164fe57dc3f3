"""The guard: whom it refuses, and what it tells the browser."""

import asyncio

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from viz.server.middleware import AccessGuard, inline_script_hashes, security_headers

HOSTS = ["localhost", "127.0.0.1", "::1", "*.example.com"]


class Behind:
    """Stands for Streamlit; counts what reaches it."""

    def __init__(self):
        self.reached = 0

    async def __call__(self, scope, receive, send):
        self.reached += 1
        if scope["type"] == "websocket":
            socket = WebSocket(scope, receive, send)
            await socket.accept()
            await socket.close()
        else:
            await PlainTextResponse("inside")(scope, receive, send)


@pytest.fixture
def behind():
    return Behind()


def asked(behind, *, hosts=HOSTS, origins=(), **headers):
    """Ask by HTTP and by websocket; return the status, the same for both."""
    client = TestClient(AccessGuard(behind, hosts, origins))
    answer = client.get("/", headers=headers)
    try:
        with client.websocket_connect("/_stcore/stream", headers=headers):
            status = 200
    except WebSocketDisconnect:
        status = 403
    assert answer.status_code == status
    assert behind.reached == (2 if status == 200 else 0)
    return status


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8501", "LOCALHOST", "127.0.0.1:1", "[::1]:8501", "a.example.com", "localhost."]
)
def test_its_own_names_are_served(behind, host):
    assert asked(behind, host=host) == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8501", "127.0.0.1.evil.example", "localhost.evil.example", "example.com"),
        *("user@localhost", "localhost/x", "localhost:x", "", "notexample.com", "192.168.0.7"),
    ],
)
def test_other_names_are_refused(behind, host):
    assert asked(behind, host=host) == 403


def test_a_star_serves_every_name(behind):
    assert asked(behind, hosts=["*"], host="anything.example") == 200


@pytest.mark.parametrize("origin", ["http://localhost:8501", "https://localhost:8501"])
def test_its_own_origin_is_served(behind, origin):
    assert asked(behind, host="localhost:8501", origin=origin) == 200


@pytest.mark.parametrize(
    "origin",
    [
        *("http://evil.example", "http://localhost:8502", "http://localhost", "null", "", "file://"),
        *("http://127.0.0.1:8501", "http://localhost:8501.evil.example", "localhost:8501"),
    ],
)
def test_other_origins_are_refused(behind, origin):
    assert asked(behind, host="localhost:8501", origin=origin) == 403


def test_behind_a_proxy_the_name_alone_counts(behind):
    assert asked(behind, host="seamark.example.com", origin="https://seamark.example.com") == 200


def test_an_origin_that_was_allowed_is_served(behind):
    assert asked(behind, host="localhost", origins=["https://docs.example.com"], origin="https://docs.example.com") == 200


def test_a_refusal_names_the_rule_and_the_value(behind):
    client = TestClient(AccessGuard(behind, ["localhost"]))
    assert "names 'evil.example'" in client.get("/", headers={"host": "evil.example"}).text
    refusal = client.get("/", headers={"host": "localhost", "origin": "http://evil.example"}).text
    assert "comes from 'http://evil.example'" in refusal


@pytest.mark.parametrize(
    "headers", [{"host": "localhost"}, {"host": "evil.example"}, {"host": "localhost", "origin": "null"}]
)
def test_every_answer_carries_the_headers(behind, headers):
    answer = TestClient(AccessGuard(behind, HOSTS)).get("/", headers=headers)
    assert answer.status_code == (200 if headers == {"host": "localhost"} else 403)
    assert {name: answer.headers[name] for name in security_headers()} == security_headers()


def test_no_header_makes_the_guard_fail(behind):
    refused = []

    async def send(message):
        refused.append(message.get("status"))

    async def ask(name, value):
        headers = {b"host": b"localhost", name: value}
        await AccessGuard(behind, HOSTS)(
            {"type": "http", "method": "GET", "path": "/", "headers": [*headers.items()]}, None, send
        )

    async def ask_all():
        for sign in range(256):
            for value in (b"%c", b"%clocalhost", b"localhost%c", b"[%c", b"[::1%c]", b"localhost:%c"):
                await ask(b"host", value % sign)
                await ask(b"origin", b"http://" + value % sign)

    asyncio.run(ask_all())
    assert set(refused) == {200, 403, None}
    assert refused.count(200) == behind.reached


def test_streamlit_sees_no_origin_that_it_would_ask_an_outside_server_about(behind):
    seen = []

    async def app(scope, receive, send):
        seen.append(dict(scope["headers"])[b"origin"])
        await behind(scope, receive, send)

    client = TestClient(AccessGuard(app, ["*.example.com"], ["https://docs.example.com"]))
    for origin in ("https://docs.example.com", "https://seamark.example.com"):
        client.get("/", headers={"host": "seamark.example.com", "origin": origin})
    assert seen == [b"http://seamark.example.com"] * 2


def test_the_policy_allows_no_script_but_the_servers_and_streamlits_own():
    policy = security_headers()["Content-Security-Policy"]
    (scripts,) = [part for part in policy.split("; ") if part.startswith("script-src")]
    assert len(inline_script_hashes()) >= 1
    assert scripts.split() == ["script-src", "'self'", "blob:", *inline_script_hashes()]
    assert "unsafe-eval" not in policy
