"""Servers of this machine that speak OpenAI's protocol, for embeddings and for chats, and fail as they are told."""

import hashlib
import json
import re
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jsonschema
import numpy as np

from chunkers.language_models.prompts import SCHEMA_PROBE_PROMPT

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


@dataclass
class Events:
    """An answer that is sent piece by piece; ``sent`` counts the pieces that the client took."""

    pieces: list[object]
    pause: float = 0.0
    sent: int = 0


def streamed(text, tokens_in=100, tokens_out=7, finish="stop", pause=0.0):
    """Return `words` piece by piece; without usage if ``tokens_in`` is None."""
    deltas = [{"role": "assistant", "content": None}, *({"content": word} for word in re.findall(r"\s*\S+|\s+$", text))]
    pieces = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    pieces.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": (tokens_in or 0) + tokens_out}
    return Events([*pieces, *([] if tokens_in is None else [{"choices": [], "usage": usage}]), "[DONE]"], pause)


def send_events(handler, events):
    with suppress(OSError):  # the client may have left
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
        handler.end_headers()
        for piece in events.pieces:
            data = piece if isinstance(piece, str) else json.dumps(piece)
            handler.wfile.write(f"data: {data}\n\n".encode())
            events.sent += 1
            time.sleep(events.pause)


class Listing(BaseHTTPRequestHandler):
    """Lists one model, whatever is asked."""

    def do_GET(self):
        send_raw(self, Raw(json.dumps({"data": [{"id": "test"}]}).encode()))

    def log_message(self, *arguments):
        pass


class ScriptedServer:
    """Answers each request with the next of ``script``, then rightly.

    An entry of the script is a status with headers, a body as a function of what is asked, a number of seconds to wait, or
    an answer as it is.
    """

    asked = "input"
    """The field of a request that the functions are given."""

    def __init__(self, right):
        self.script = []
        self.requests = []
        self.most = 1000
        self.right = right
        server = self

        class Handler(Listing):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append((self.path, dict(self.headers), body))
                self.answer(body[server.asked], server.step(body))

            def answer(self, asked, step):
                if isinstance(step, Raw | Events):
                    (send_raw if isinstance(step, Raw) else send_events)(self, step)
                    return
                if isinstance(step, float):
                    time.sleep(step)
                    step = server.right
                status, headers = step if isinstance(step, tuple) else (200, {})
                if len(asked) > server.most:
                    status = 413
                if status != 200:
                    # A careless server repeats what it was sent.
                    message = f"refused {self.headers['Authorization']}"
                    error = {"message": message, "code": message, "type": message, "param": headers.pop("param", None)}
                    data = json.dumps({"error": error}).encode()
                else:
                    told = step(asked)
                    if isinstance(told, Raw):
                        send_raw(self, told)
                        return
                    data = told if isinstance(told, bytes) else json.dumps(told).encode()
                with suppress(OSError):  # the client may have left
                    self.send_response(status)
                    for name, value in {**headers, "Content-Type": "application/json", "Content-Length": len(data)}.items():
                        self.send_header(name, str(value))
                    self.end_headers()
                    self.wfile.write(data)

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._http.server_port}/v1"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def step(self, body):
        """Return the answer to a request."""
        return self.script.pop(0) if self.script else self.right

    def close(self):
        self._http.shutdown()
        self._http.server_close()


class EmbeddingServer(ScriptedServer):
    """Embeds; it may be told how many texts it takes at ``most``."""

    def __init__(self):
        super().__init__(answer)


def words(text, tokens_in=100, tokens_out=7, finish="stop", **others):
    """Return a chat model's answer in OpenAI's protocol; without usage if ``tokens_in`` is None."""
    message = {"role": "assistant", "content": text, **others}
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": (tokens_in or 0) + tokens_out}
    whole = {"id": "1", "object": "chat.completion", "created": 1, "model": "test"}
    whole["choices"] = [{"index": 0, "message": message, "finish_reason": finish}]
    return whole | ({} if tokens_in is None else {"usage": usage})


def smallest(schema):
    """Return the first value that a schema allows, of the kinds that our schemas have."""
    if "anyOf" in schema:
        return smallest(schema["anyOf"][-1])
    match schema["type"]:
        case "object":
            return {name: smallest(field) for name, field in schema["properties"].items()}
        case "array":
            return [smallest(schema["items"])] * schema.get("minItems", 0)
        case "string":
            return schema.get("enum", ["x" * schema.get("minLength", 0)])[0]
        case "integer":
            return schema.get("enum", [1])[0]
        case "boolean":
            return True
    return None


def is_probe(body):
    """Return whether a request finds out what the server does with a schema."""
    return [message["content"] for message in body["messages"]] == [SCHEMA_PROBE_PROMPT]


class ChatModelServer(ScriptedServer):
    """Chats: ``model`` is a function from the messages of a conversation to the answer's text.

    ``schema`` says what becomes of a schema: it is ignored, refused, or enforced, in the dialects that are named: an answer
    of the model that it does not allow becomes the first that it allows. A probe takes nothing from the script.
    """

    asked = "messages"

    def __init__(self, model=lambda messages: "Yes.", schema="ignored", dialects=("json_schema", "json_object")):
        self.model = model
        self.schema = schema
        self.dialects = dialects
        super().__init__(lambda messages: words(self.model(messages)))

    @property
    def probes(self):
        """Number of requests that found out what becomes of a schema."""
        return sum(is_probe(body) for _, _, body in self.requests)

    def step(self, body):
        wanted = body.get("response_format")
        if wanted is None:
            return super().step(body)
        if self.schema == "refused" or wanted["type"] not in self.dialects:
            return 400, {"param": "response_format"}
        if self.schema == "ignored":
            return lambda messages: words("blue")
        schema = wanted["schema"] if wanted["type"] == "json_object" else wanted["json_schema"]["schema"]
        return lambda messages: words(self._enforced(schema, "" if is_probe(body) else self.model(messages)))

    def _enforced(self, schema, text):
        with suppress(ValueError, jsonschema.ValidationError):
            jsonschema.validate(json.loads(text), schema)
            return text
        return json.dumps(smallest(schema))
