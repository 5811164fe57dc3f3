"""A socket option that makes the server send data immediately; asyncio omits it for the socket that Streamlit binds."""

from __future__ import annotations

import socket
from asyncio import AbstractEventLoop, Server
from functools import wraps
from typing import Any


def disable_send_delay(loop: AbstractEventLoop) -> None:
    """Disable Nagle's algorithm for servers that ``loop`` creates from now on.

    asyncio does so only for connections whose socket names TCP as its protocol. Streamlit creates its socket with the family
    alone, which leaves the protocol 0 for every connection. The body of a response, and the second of two messages, then
    wait about 40 ms until the browser acknowledges the first part. Connections inherit the option of the listening socket.
    """
    create = loop.create_server

    @wraps(create)
    async def create_server(*given: Any, **named: Any) -> Server:
        bound = named.get("sock")
        if isinstance(bound, socket.socket) and bound.family in (socket.AF_INET, socket.AF_INET6):
            bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return await create(*given, **named)

    loop.create_server = create_server  # type: ignore[method-assign]
