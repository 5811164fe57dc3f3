"""Proxies of the environment: what they are given to read, and where they are named."""

import socketserver
import threading

import pytest

from chunkers import ModelError
from chunkers.embedders import OpenAIServer
from chunkers.language_models.answer_cache import AnswerCache
from chunkers.language_models.base import Message
from chunkers.language_models.chat_server import ChatServer
from chunkers.language_models.requests_within_spending_limit import Asking
from tests.server import KEY, ChatModelServer, EmbeddingServer

TEXT = "The tide turned at the stubs."


class Proxy:
    """Refuses to pass anything on, and keeps what it was sent."""

    def __init__(self):
        self.heard = heard = []

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                heard.append(self.request.recv(1_000_000))
                self.wfile.write(b"HTTP/1.1 502 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.host = f"127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def proxy(serve, monkeypatch):
    """Give a proxy that the environment names for everything, with a password."""
    made = serve(Proxy)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name.upper(), raising=False)
        monkeypatch.setenv(name, "" if name == "no_proxy" else f"http://me:{KEY}@{made.host}")
    return made


def embed(address):
    return OpenAIServer("openai:test", address, KEY).encode([TEXT])


def chat(address):
    return Asking(ChatServer("openai:test", address, KEY), AnswerCache(), None).ask((Message("user", TEXT),))


KINDS = pytest.mark.parametrize(("send", "kind"), [(embed, EmbeddingServer), (chat, ChatModelServer)], ids=["embed", "chat"])


@KINDS
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_server_of_this_machine_is_asked_without_a_proxy(serve, proxy, send, kind, host):
    server = serve(kind)
    send(server.address.replace("127.0.0.1", host))
    assert len(server.requests) == 1
    assert not proxy.heard


@KINDS
def test_an_encrypted_connection_goes_through_the_proxy_which_learns_the_host_alone(proxy, send, kind):
    with pytest.raises(ModelError) as error:
        send("https://models.invalid/v1")
    assert f"models.invalid through the environment's proxy {proxy.host} must be reachable; it was not" in str(error.value)
    assert KEY not in str(error.value)
    assert {heard.split(b"\r\n")[0] for heard in proxy.heard} == {b"CONNECT models.invalid:443 HTTP/1.1"}
    for heard in proxy.heard:
        assert KEY.encode() not in heard.replace(b"Proxy-Authorization", b"")
        assert TEXT.encode() not in heard


@KINDS
def test_nothing_goes_through_a_proxy_unencrypted(proxy, send, kind):
    with pytest.raises(ModelError, match=r"openai:test: models\.invalid must be reachable; it was not"):
        send("http://models.invalid/v1")
    assert not proxy.heard


@pytest.mark.parametrize(
    ("address", "through"),
    [
        ("https://models.invalid/v1", True),
        ("https://models.invalid:8443/v1", True),
        ("http://models.invalid/v1", False),
        ("https://127.0.0.2/v1", False),
        ("https://[::1]:8443/v1", False),
        ("https://[::ffff:127.0.0.1]/v1", False),
        ("https://me.localhost./v1", False),
        ("https://kept.invalid/v1", False),
    ],
)
def test_where_texts_go_names_the_proxy_without_its_password(proxy, monkeypatch, address, through):
    monkeypatch.setenv("no_proxy", "kept.invalid")
    for model in (ChatServer("openai:test", address, KEY), OpenAIServer("openai:test", address, KEY)):
        host, _, named = model.destination.partition(" ")
        assert host in address
        assert named == (f"through the environment's proxy {proxy.host}" if through else "")


@pytest.mark.parametrize("wrong", ["socks9://a:1", "http://a:x", "http://me:a/b@c:1x"])
def test_a_proxy_that_cannot_be_used_is_one_sentence(monkeypatch, wrong):
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("https_proxy", wrong)
    with pytest.raises(ModelError, match=r"for models\.invalid must have the form http://HOST:PORT") as error:
        embed("https://models.invalid/v1")
    assert "me:a" not in str(error.value)
    assert "NO_PROXY=models.invalid" in str(error.value)
