"""The page's style from its first paint on, so that nothing jumps when Streamlit's scripts take over."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Streamlit draws the side bar when the first thing for it has come, and until then the page is as wide as the window. Its
# width is that of `app.py`.
_PLACE_OF_THE_SIDE_BAR = """
@media (min-width: 768px) {
  [data-testid="stAppViewContainer"]:not(:has(> [data-testid="stSidebar"])) { box-sizing: border-box; padding-left: 304px; }
}
"""


WIDE = "lecture"
"""The parameter of links to pages in lecture mode, which have no side bar and need no place for one."""


class FirstPaint:
    """ASGI middleware that puts the style into the page of Streamlit's that loads its scripts.

    The app sends the style itself as well, in its first message: by then the page has been drawn without it.

    Parameters
    ----------
    style
        The style sheet.
    scripts
        The paths of scripts that the browser loads beside the page's own, before anything asks for them.
    """

    def __init__(self, app: ASGIApp, style: Path, scripts: Sequence[str] = ()) -> None:
        self._app = app
        self._links = "".join(f'<link rel="modulepreload" crossorigin href=".{path}">' for path in scripts)
        self._style = style.read_text(encoding="utf-8")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for the page with the style in it; pass on any other."""
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
                whole = _with(added, body)
                headers = MutableHeaders(raw=begun["headers"])
                headers["content-length"] = str(len(whole))
                # They tell versions of Streamlit's file apart, not those of the style.
                for name in ("etag", "last-modified"):
                    del headers[name]
                await send({**begun, "headers": headers.raw})
                await send({**message, "body": whole})

        await self._app(_uncompressed(scope), receive, send_styled)


def _uncompressed(scope: Scope) -> Scope:
    """Return the request without headers that would lead to a compressed, partial or unmodified answer."""
    unwanted = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
    return {**scope, "headers": [(name, value) for name, value in scope["headers"] if name not in unwanted]}


def _with(added: bytes, page: bytes) -> bytes:
    """Put it behind the styles of Streamlit in the head, which are as specific, and before those that the app draws."""
    before, root, after = page.partition(b'<div id="root"')
    return before + added + root + after if root else page
