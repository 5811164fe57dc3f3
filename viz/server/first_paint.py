"""Middleware for a quick first page: its style sheet from the first paint on, and Streamlit's scripts from memory."""

import re
from collections.abc import Sequence
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.file_util import get_static_dir
from streamlit.web.server.starlette.starlette_server_config import STATIC_ASSET_CACHE_MAX_AGE_SECONDS

# Streamlit draws the side bar when its first element arrives, and until then the page is as wide as the window. The width
# here must match `app.py`.
_PLACE_OF_THE_SIDE_BAR = """
@media (min-width: 768px) {
  [data-testid="stAppViewContainer"]:not(:has(> [data-testid="stSidebar"])) { box-sizing: border-box; padding-left: 304px; }
}
"""


WIDE = "lecture"
"""The link parameter of lecture mode, in which pages have no side bar and need no space for it."""


class FirstPaint:
    """ASGI middleware that adds the style sheet to the HTML page that loads Streamlit's scripts.

    The app also sends the style sheet in its first message, but the page has been painted by then.

    Parameters
    ----------
    style
        The style sheet.
    scripts
        The paths of further scripts that the browser loads in advance.
    """

    def __init__(self, app: ASGIApp, style: Path, scripts: Sequence[str] = ()) -> None:
        self._app = app
        self._links = "".join(f'<link rel="modulepreload" crossorigin href=".{path}">' for path in scripts)
        self._style = style.read_text(encoding="utf-8")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for the page with the style sheet added; pass on any other request."""
        if scope["type"] != "http" or scope["method"] != "GET" or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self._app(scope, receive, send)
            return
        wide = WIDE in parse_qs(scope["query_string"].decode("latin-1"))
        style = self._style + ("" if wide else _PLACE_OF_THE_SIDE_BAR)
        added = f"{self._links}<style>{style}</style>".encode()
        begun: Message | None = None
        body = b""

        async def send_styled(message: Message) -> None:
            nonlocal begun, body
            if message["type"] == "http.response.start" and "text/html" in Headers(raw=message["headers"]).get(
                "content-type", ""
            ):
                begun = message
            elif begun is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if message.get("more_body"):
                    return
                styled = _with(added, body)
                headers = MutableHeaders(raw=begun["headers"])
                headers["content-length"] = str(len(styled))
                # They identify versions of Streamlit's file, not of the style sheet.
                for name in ("etag", "last-modified"):
                    del headers[name]
                await send({**begun, "headers": headers.raw})
                await send({**message, "body": styled})

        await self._app(_uncompressed(scope), receive, send_styled)


def _uncompressed(scope: Scope) -> Scope:
    """Return the request without headers that lead to a compressed, partial or “not modified” response."""
    unwanted = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
    return {**scope, "headers": [(name, value) for name, value in scope["headers"] if name not in unwanted]}


def _with(added: bytes, page: bytes) -> bytes:
    """Insert ``added`` after Streamlit's styles in the head, which are as specific, and before the app's own styles."""
    before, root, after = page.partition(b'<div id="root"')
    return before + added + root + after if root else page


# Streamlit's own scripts, styles and fonts, served while the server is still loading.

_IMPORTED = re.compile(r'(?:from|import)\s*"\./([\w.-]+\.js)"')


def element_scripts(*elements: str) -> list[str]:
    """Return the paths of the scripts that draw the given Streamlit elements, except scripts that every page loads.

    Streamlit imports an element's script when the first such element arrives, and only then the scripts it depends on.
    """
    root = Path(get_static_dir())
    page = (root / "index.html").read_text(encoding="utf-8")
    folder = root / "static" / "js"
    scripts: set[str] = set()
    unread = [file.name for element in elements for file in folder.glob(f"{element}.*.js")]
    while unread:
        name = unread.pop()
        if name not in scripts and name not in page:
            scripts.add(name)
            unread += _IMPORTED.findall((folder / name).read_text(encoding="utf-8"))
    return [f"/static/js/{name}" for name in sorted(scripts)]


class ScriptsFromMemory:
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
        await Response(
            content,
            headers={"Cache-Control": f"public, immutable, max-age={STATIC_ASSET_CACHE_MAX_AGE_SECONDS}"},
            media_type=guess_type(file.name)[0],
        )(scope, receive, send)
