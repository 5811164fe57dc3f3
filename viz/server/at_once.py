"""Socket option that makes the server send immediately; asyncio does not set it on the socket that Streamlit binds."""

from __future__ import annotations

import socket
from asyncio import AbstractEventLoop, Server
from functools import wraps
from typing import Any


def send_at_once(loop: AbstractEventLoop) -> None:
    """Make the future servers of ``loop`` send data without waiting for an acknowledgement.

    asyncio switches Nagle's algorithm off for connections whose socket names TCP as its protocol. Streamlit binds its socket
    by the family alone, the protocol is then 0, and so is that of every connection. An answer of a head and a body, and the
    second of two messages, then wait for the browser to acknowledge the first, which it does after some 40 ms. A connection
    has the option of the socket that listens.
    """
    create = loop.create_server

    @wraps(create)
    async def create_server(*given: Any, **named: Any) -> Server:
        bound = named.get("sock")
        if isinstance(bound, socket.socket) and bound.family in (socket.AF_INET, socket.AF_INET6):
            bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return await create(*given, **named)

    loop.create_server = create_server  # type: ignore[method-assign]
