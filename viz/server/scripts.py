"""Streamlit's own scripts, styles and fonts, served while the server is still loading."""

from __future__ import annotations

import re
from mimetypes import guess_type
from pathlib import Path

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.file_util import get_static_dir
from streamlit.web.server.starlette.starlette_server_config import STATIC_ASSET_CACHE_MAX_AGE_SECONDS

_IMPORTED = re.compile(r'(?:from|import)\s*"\./([\w.-]+\.js)"')


def scripts_of(*elements: str) -> list[str]:
    """Return the paths of the scripts that draw the given Streamlit elements, except scripts that every page loads.

    Streamlit imports an element's script when the first such element arrives, and only then the scripts it depends on.
    """
    root = Path(get_static_dir())
    page = (root / "index.html").read_text(encoding="utf-8")
    folder = root / "static" / "js"
    scripts: set[str] = set()
    left = [file.name for element in elements for file in folder.glob(f"{element}.*.js")]
    while left:
        name = left.pop()
        if name not in scripts and name not in page:
            scripts.add(name)
            left += _IMPORTED.findall((folder / name).read_text(encoding="utf-8"))
    return [f"/static/js/{name}" for name in sorted(scripts)]


class Scripts:
    """ASGI middleware that serves Streamlit's static files, whose names contain their hash, from memory.

    Streamlit switches to a thread five times per file: to find it, to open it, to read it in pieces of 64 kB, and to close
    it. The first page requests a hundred files, and while another thread imports modules, every switch waits for the
    interpreter lock. Here a file is read and sent in one go, which takes a few milliseconds for the largest.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        root = Path(get_static_dir())
        # Only these files are ever read, whatever path is requested.
        self._files = {f"/{file.relative_to(root).as_posix()}": file for file in (root / "static").rglob("*.*")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for one of the files; pass on any other request."""
        file = self._files.get(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else None
        try:
            content = file.read_bytes() if file is not None else None
        except OSError:
            # Streamlit was reinstalled since the start; let it answer.
            content = None
        if file is None or content is None:
            await self._app(scope, receive, send)
            return
        headers = {"Cache-Control": f"public, immutable, max-age={STATIC_ASSET_CACHE_MAX_AGE_SECONDS}"}
        await Response(content, headers=headers, media_type=guess_type(file.name)[0])(scope, receive, send)
