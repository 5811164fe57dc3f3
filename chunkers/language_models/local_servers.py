"""Servers of language models on the usual ports of this machine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple
from urllib.request import ProxyHandler, build_opener

USUAL_PORTS = (8080, 11434, 8000, 1234)
"""Ports on which llama.cpp, Ollama, vLLM and LM Studio listen unless they are told otherwise."""

_TIMEOUT_S = 2.0
_MOST_BYTES = 1_000_000
_LONGEST_NAME = 300


class LocalServer(NamedTuple):
    """A language-model server on this machine: its address up to and including ``/v1``, and its models' names."""

    address: str
    models: tuple[str, ...]


def find_local_servers(ports: Sequence[int] = USUAL_PORTS) -> list[LocalServer]:
    """Return the servers of this machine that list models at ``/v1/models``, in the order of their ports."""
    with ThreadPoolExecutor(len(ports)) as pool:
        return [server for server in pool.map(_server_at, ports) if server is not None]


def _server_at(port: int) -> LocalServer | None:
    """Return the server at a port; None if none there lists a model."""
    address = f"http://127.0.0.1:{port}/v1"
    try:
        # Without the environment's proxy, to which this address is another machine.
        with build_opener(ProxyHandler({})).open(f"{address}/models", timeout=_TIMEOUT_S) as answer:
            listed = json.loads(answer.read(_MOST_BYTES))["data"]
        names = [str(model["id"]) for model in listed]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    models = tuple(name for name in names if name.strip() and name.isprintable() and len(name) <= _LONGEST_NAME)
    return LocalServer(address, models) if models else None
