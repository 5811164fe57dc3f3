"""Middleware: the style sheet from the first paint on, Streamlit's scripts from memory, access rules, security headers."""

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from viz.server.streamlit_patches import streamlit_static_folder

_STATIC_FOLDER = Path(streamlit_static_folder())

# Streamlit draws the side bar when its first element arrives, and until then the page is as wide as the window. The width
# here must match `app.py`.
_SIDE_BAR_SPACE_CSS = """
@media (min-width: 768px) {
  [data-testid="stAppViewContainer"]:not(:has(> [data-testid="stSidebar"])) { box-sizing: border-box; padding-left: 304px; }
}
"""


LECTURE_PARAMETER = "lecture"
"""The link parameter of lecture mode, in which pages have no side bar and need no space for it."""


class FirstPaint:
    """ASGI middleware that adds the style sheet to the HTML page that loads Streamlit's scripts.

    The app also sends the style sheet in its first message, but the page has been painted by then.

    Parameters
    ----------
    style_sheet_path
        The path of the style sheet.
    preloaded_script_paths
        The paths of further scripts that the browser loads in advance.
    """

    def __init__(self, app: ASGIApp, style_sheet_path: Path, preloaded_script_paths: Sequence[str] = ()) -> None:
        self._app = app
        self._links = "".join(f'<link rel="modulepreload" crossorigin href=".{path}">' for path in preloaded_script_paths)
        self._style = style_sheet_path.read_text(encoding="utf-8")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for the page with the style sheet added; pass on any other request."""
        if scope["type"] != "http" or scope["method"] != "GET" or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self._app(scope, receive, send)
            return
        hides_side_bar = LECTURE_PARAMETER in parse_qs(scope["query_string"].decode("latin-1"))
        added_style_sheet = self._style + ("" if hides_side_bar else _SIDE_BAR_SPACE_CSS)
        added_html = f"{self._links}<style>{added_style_sheet}</style>".encode()
        response_start_message: Message | None = None
        collected_response_body = b""

        async def send_with_style_sheet(message: Message) -> None:
            nonlocal response_start_message, collected_response_body
            if message["type"] == "http.response.start" and "text/html" in Headers(raw=message["headers"]).get(
                "content-type", ""
            ):
                response_start_message = message
            elif response_start_message is None:
                await send(message)
            else:
                collected_response_body += message.get("body", b"")
                if message.get("more_body"):
                    return
                styled_page_body = _insert_html_before_root_element(added_html, collected_response_body)
                response_headers = MutableHeaders(raw=response_start_message["headers"])
                response_headers["content-length"] = str(len(styled_page_body))
                # They identify versions of Streamlit's file, not of the style sheet.
                for header_name in ("etag", "last-modified"):
                    del response_headers[header_name]
                await send({**response_start_message, "headers": response_headers.raw})
                await send({**message, "body": styled_page_body})

        await self._app(_scope_requesting_full_response(scope), receive, send_with_style_sheet)


def _scope_requesting_full_response(scope: Scope) -> Scope:
    """Return the request without headers that lead to a compressed, partial or “not modified” response."""
    dropped_request_header_names = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
    return {
        **scope,
        "headers": [(name, value) for name, value in scope["headers"] if name not in dropped_request_header_names],
    }


def _insert_html_before_root_element(html_to_insert: bytes, page_html: bytes) -> bytes:
    """Insert HTML after Streamlit's styles in the head, which are as specific, and before the app's own styles."""
    html_before_root, root_tag_bytes, html_after_root = page_html.partition(b'<div id="root"')
    return html_before_root + html_to_insert + root_tag_bytes + html_after_root if root_tag_bytes else page_html


# Streamlit's own scripts, styles and fonts, served while the server is still loading.

_YEAR_S = 365 * 24 * 60 * 60
_IMPORTED_SCRIPT_PATTERN = re.compile(r'(?:from|import)\s*"\./([\w.-]+\.js)"')


def find_streamlit_element_scripts(*elements: str) -> list[str]:
    """Return the paths of the scripts that draw the given Streamlit elements, except scripts that every page loads.

    Streamlit imports an element's script when the first such element arrives, and only then the scripts it depends on.
    """
    streamlit_page_html = (_STATIC_FOLDER / "index.html").read_text(encoding="utf-8")
    static_script_folder = _STATIC_FOLDER / "static" / "js"
    needed_script_names: set[str] = set()
    script_names_to_read = [file.name for element in elements for file in static_script_folder.glob(f"{element}.*.js")]
    while script_names_to_read:
        script_file_name = script_names_to_read.pop()
        if script_file_name not in needed_script_names and script_file_name not in streamlit_page_html:
            needed_script_names.add(script_file_name)
            script_names_to_read += _IMPORTED_SCRIPT_PATTERN.findall(
                (static_script_folder / script_file_name).read_text(encoding="utf-8")
            )
    return [f"/static/js/{script_file_name}" for script_file_name in sorted(needed_script_names)]


class ScriptsFromMemory:
    """ASGI middleware that serves Streamlit's static files, whose names contain their hash, from memory.

    Streamlit switches to a thread five times per file: to find it, to open it, to read it in pieces of 64 kB, and to close
    it. The first page requests a hundred files, and while another thread imports modules, every switch waits for the
    interpreter lock. Here a file is read and sent in one go, which takes a few milliseconds for the largest.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        # Only these files are ever read, whatever path is requested.
        self._files = {
            f"/{file.relative_to(_STATIC_FOLDER).as_posix()}": file for file in (_STATIC_FOLDER / "static").rglob("*.*")
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for one of the files; pass on any other request."""
        static_file = self._files.get(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else None
        try:
            static_file_content = static_file.read_bytes() if static_file is not None else None
        except OSError:
            # Streamlit was reinstalled since the start; let it answer.
            static_file_content = None
        if static_file is None or static_file_content is None:
            await self._app(scope, receive, send)
            return
        await Response(
            static_file_content,
            headers={"Cache-Control": f"public, immutable, max-age={_YEAR_S}"},
            media_type=guess_type(static_file.name)[0],
        )(scope, receive, send)


# Access rules and security headers.


_DEFAULT_PORT_BY_SCHEME = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_MOST_QUOTED_HOST_CHARACTERS = 100


class AccessGuard:
    """ASGI middleware that checks the host and origin of every request before Streamlit handles it.

    A request is refused with status 403 if its ``Host`` is not among ``hosts``; otherwise any web page whose name resolves
    to this machine (DNS rebinding) could control the app. It is also refused if its ``Origin`` is neither the app's own nor
    among ``origins``, because Streamlit would query an external server for the machine's address to judge such a request.

    Parameters
    ----------
    hosts
        Host names and addresses of the app, without a port; ``*.example.com`` matches all subdomains, ``*`` every name.
    origins
        Other allowed origins, such as ``https://docs.example.com``.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str], origins: Sequence[str] = ()) -> None:
        self._app = app
        self._hosts = [host.strip().lower().strip("[]").rstrip(".") for host in hosts]
        self._origins = {_host_and_port(origin) for origin in origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a refused request; pass on any other, and add the headers to its response."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def send_with_security_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                response_headers = MutableHeaders(scope=message)
                for header_name, header_value in security_headers().items():
                    response_headers.setdefault(header_name, header_value)
            await send(message)

        refusal_reason = self._refusal_reason(Headers(scope=scope))
        answering_app = PlainTextResponse(refusal_reason + "\n", 403) if refusal_reason else self._app
        await answering_app(scope if refusal_reason else _scope_with_own_origin(scope), receive, send_with_security_headers)

    def _refusal_reason(self, headers: Headers) -> str:
        """Return the reason to refuse a request, or an empty string."""
        requested_host = headers.get("host", "")
        if not self._is_known_host(requested_host):
            return (
                f"Seamark answers to {', '.join(self._hosts)}; this request names "
                f"{requested_host[:_MOST_QUOTED_HOST_CHARACTERS]!r}. "
                "To serve it under a name of your own, start it with --server.allowedHosts NAME."
            )
        for origin in headers.getlist("origin"):
            origin_host_and_port = _host_and_port(origin)
            # A proxy that terminates TLS passes on the host name, but not the port.
            own_hosts_and_ports = {_host_and_port(f"{scheme}://{requested_host}") for scheme in ("http", "https")}
            if origin_host_and_port == ("", None) or origin_host_and_port not in own_hosts_and_ports | self._origins:
                return (
                    f"Seamark answers its own pages; this request comes from {origin[:_MOST_QUOTED_HOST_CHARACTERS]!r}. "
                    "To let another site ask, start it with --server.corsAllowedOrigins ORIGIN."
                )
        return ""

    def _is_known_host(self, host: str) -> bool:
        host_name, _ = _host_and_port(f"//{host}")
        if not host_name or any(sign in host for sign in "@/?#\\"):
            return False
        return any(
            known in ("*", host_name) or (known.startswith("*.") and host_name.endswith(known[1:])) for known in self._hosts
        )


def _scope_with_own_origin(scope: Scope) -> Scope:
    """Return the scope with an allowed origin replaced by the app's own, since Streamlit would check it again."""
    request_headers = Headers(scope=scope)
    if "origin" not in request_headers:
        return scope
    own_origin = f"http://{request_headers['host']}".encode("latin-1")
    return {**scope, "headers": [(name, own_origin if name == b"origin" else value) for name, value in scope["headers"]]}


def _host_and_port(address: str) -> tuple[str, int | None]:
    """Return the host and port of an address, with an empty host if it is invalid."""
    try:
        parsed_address = urlsplit(address)
        return (parsed_address.hostname or "").lower().rstrip("."), parsed_address.port or _DEFAULT_PORT_BY_SCHEME.get(
            parsed_address.scheme
        )
    except ValueError:
        return "", None


@cache
def security_headers() -> dict[str, str]:
    """Return the security headers that every response gets."""
    sources_by_policy_directive = {
        "default-src": "'none'",
        "script-src": " ".join(["'self'", "blob:", *inline_script_hashes()]),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "worker-src": "'self' blob:",
        "manifest-src": "'self'",
        "media-src": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in sources_by_policy_directive.items()),
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    }


def inline_script_hashes() -> list[str]:
    """Return the hashes of the inline scripts in Streamlit's page, in the syntax of a content security policy."""
    streamlit_page_html = (_STATIC_FOLDER / "index.html").read_text(encoding="utf-8")
    inline_script_texts = re.findall(r"<script(?![^>]*\ssrc\b)[^>]*>(.*?)</script>", streamlit_page_html, re.DOTALL)
    script_sha256_digests = (hashlib.sha256(script.encode()).digest() for script in inline_script_texts)
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in script_sha256_digests]
