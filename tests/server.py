"""A server of this machine that speaks OpenAI's embeddings protocol, and fails as it is told."""

import hashlib
import json
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

KEY = "sk-secret-of-the-tests-7f3a"


def vector(text, dimension=6):
    """Return numbers that depend on the text alone."""
    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
    return np.random.default_rng(seed).normal(size=dimension).tolist()


def items(texts):
    return [{"object": "embedding", "index": index, "embedding": vector(text)} for index, text in enumerate(texts)]


def answer(texts):
    return {"object": "list", "model": "test", "data": items(texts), "usage": {"prompt_tokens": 1, "total_tokens": 1}}


@dataclass
class Raw:
    """An answer as it is: its body, headers, status, and the seconds before each byte of the body."""

    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200
    pause: float = 0.0


def send_raw(handler, raw):
    with suppress(OSError):  # the client may have left
        handler.send_response(raw.status)
        for name, value in {"Content-Type": "application/json", **raw.headers}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(raw.body)))
        handler.end_headers()
        if not raw.pause:
            handler.wfile.write(raw.body)
        for byte in raw.body if raw.pause else b"":
            time.sleep(raw.pause)
            handler.wfile.write(bytes([byte]))


class EmbeddingServer:
    """Answers each request with the next of ``script``, then rightly.

    An entry of the script is a status with headers, a body as a function of the texts, a number of seconds to wait, or an
    answer as it is.
    """

    def __init__(self):
        self.script = []
        self.requests = []
        self.most = 1000
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append((self.path, dict(self.headers), body))
                self.answer(body["input"], server.script.pop(0) if server.script else answer)

            def answer(self, texts, step):
                if isinstance(step, Raw):
                    send_raw(self, step)
                    return
                if isinstance(step, float):
                    time.sleep(step)
                    step = answer
                status, headers = step if isinstance(step, tuple) else (200, {})
                if len(texts) > server.most:
                    status = 413
                if status != 200:
                    # A careless server repeats what it was sent.
                    said = f"refused {self.headers['Authorization']}"
                    data = json.dumps({"error": {"message": said, "code": said, "type": said}}).encode()
                else:
                    told = step(texts)
                    data = told if isinstance(told, bytes) else json.dumps(told).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Type": "application/json", "Content-Length": len(data)}.items():
                    self.send_header(name, str(value))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._http.server_port}/v1"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self._http.shutdown()
        self._http.server_close()
