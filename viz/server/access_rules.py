"""Access rules: refuse requests from other sites or for other host names, and send security headers."""

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import streamlit
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_SHOWN = 100


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
        self._origins = {_authority(origin) for origin in origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a refused request; pass on any other, and add the headers to its response."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                for name, value in security_headers().items():
                    headers.setdefault(name, value)
            await send(message)

        why = self._refusal(Headers(scope=scope))
        answer = PlainTextResponse(why + "\n", 403) if why else self._app
        await answer(scope if why else _as_own(scope), receive, send_with_headers)

    def _refusal(self, headers: Headers) -> str:
        """Return the reason to refuse a request, or an empty string."""
        host = headers.get("host", "")
        if not self._is_known(host):
            return (
                f"Seamark answers to {', '.join(self._hosts)}; this request names {host[:_SHOWN]!r}. "
                "To serve it under a name of your own, start it with --server.allowedHosts NAME."
            )
        for origin in headers.getlist("origin"):
            asking_authority = _authority(origin)
            # A proxy that terminates TLS passes on the host name, but not the port.
            own = {_authority(f"{scheme}://{host}") for scheme in ("http", "https")}
            if asking_authority == ("", None) or asking_authority not in own | self._origins:
                return (
                    f"Seamark answers its own pages; this request comes from {origin[:_SHOWN]!r}. "
                    "To let another site ask, start it with --server.corsAllowedOrigins ORIGIN."
                )
        return ""

    def _is_known(self, host: str) -> bool:
        name, _ = _authority(f"//{host}")
        if not name or any(sign in host for sign in "@/?#\\"):
            return False
        return any(known in ("*", name) or (known.startswith("*.") and name.endswith(known[1:])) for known in self._hosts)


def _as_own(scope: Scope) -> Scope:
    """Return the scope with an allowed origin replaced by the app's own, since Streamlit would check it again."""
    headers = Headers(scope=scope)
    if "origin" not in headers:
        return scope
    own = f"http://{headers['host']}".encode("latin-1")
    return {**scope, "headers": [(name, own if name == b"origin" else value) for name, value in scope["headers"]]}


def _authority(address: str) -> tuple[str, int | None]:
    """Return the host and port of an address, with an empty host if it is invalid."""
    try:
        url = urlsplit(address)
        return (url.hostname or "").lower().rstrip("."), url.port or _PORTS.get(url.scheme)
    except ValueError:
        return "", None


@cache
def security_headers() -> dict[str, str]:
    """Return the security headers that every response gets."""
    policy = {
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
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    }


def inline_script_hashes() -> list[str]:
    """Return the hashes of the inline scripts in Streamlit's page, in the syntax of a content security policy."""
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    scripts = re.findall(r"<script(?![^>]*\ssrc\b)[^>]*>(.*?)</script>", page, re.DOTALL)
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
