"""A model of the Hugging Face hub, from a server of this machine that speaks the hub's protocol."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from chunkers import load_embedder
from tests import ROOT
from tests.fixtures.small_embedding_model import TEXTS

COMMIT = "0123456789abcdef0123456789abcdef01234567"
NAME = "some/model"

LOAD = f"""
import json, sys
from chunkers import load_embedder
embedder = load_embedder({NAME!r})
vectors = embedder.encode(json.loads(sys.argv[1]))
print(json.dumps([embedder.engine, embedder.revision, "torch" in sys.modules, vectors.tolist()]))
"""


@pytest.fixture
def hub(model_folder):
    """Serve the folder of a model as the hub serves a repository of it, and keep the paths that were asked for."""
    files = {
        path.relative_to(model_folder).as_posix(): path.read_bytes() for path in model_folder.rglob("*") if path.is_file()
    }
    files["pytorch_model.bin"] = b"the same weights in an older form"

    class Hub(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            path = self.path.partition("?")[0]
            if path.startswith(f"/api/models/{NAME}/tree/"):
                self.send(json.dumps([self.entry(name) for name in files]).encode())
            elif path.startswith(f"/api/models/{NAME}"):
                siblings = [{"rfilename": name} for name in files]
                self.send(json.dumps({"id": NAME, "sha": COMMIT, "siblings": siblings, "tags": []}).encode())
            elif (name := path.removeprefix(f"/{NAME}/resolve/{COMMIT}/")) in files:
                self.send(files[name], ETag=f'"{self.entry(name)["oid"]}"')
            else:
                self.send_error(404)

        do_HEAD = do_GET

        def entry(self, name):
            return {"type": "file", "path": name, "size": len(files[name]), "oid": hashlib.sha1(files[name]).hexdigest()}

        def send(self, body, **headers):
            self.send_response(200)
            for header, value in {"X-Repo-Commit": COMMIT, "Content-Length": len(body), **headers}.items():
                self.send_header(header, str(value))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def loaded(cache, **settings):
    """Return the model's engine, revision, torch and vectors in another process with a cache of its own."""
    environment = os.environ | {"HF_HOME": str(cache), "HF_HUB_DISABLE_XET": "1"} | settings
    environment.pop("SENTENCE_TRANSFORMERS_HOME", None)
    ran = subprocess.run(
        [sys.executable, "-c", LOAD, json.dumps(TEXTS)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_a_bert_model_is_fetched_once_without_what_is_not_read_and_runs_without_torch(hub, tmp_path, model_folder):
    address, asked = hub
    engine, revision, has_torch, vectors = loaded(tmp_path, HF_ENDPOINT=address)
    assert (engine, revision, has_torch) == ("NumPy", COMMIT, False)
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(str(model_folder), device="cpu").encode(TEXTS, normalize_embeddings=True)
    assert vectors == pytest.approx(plain, abs=1e-6)
    fetched = {path.rpartition("/")[2] for path in asked if "/resolve/" in path}
    assert "model.safetensors" in fetched
    assert "pytorch_model.bin" not in fetched
    # Later the hub need not be there.
    assert loaded(tmp_path, HF_ENDPOINT="http://127.0.0.1:9")[:3] == [engine, revision, False]
    assert load_embedder(NAME).engine == ""
