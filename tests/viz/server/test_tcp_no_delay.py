"""Output of the server is sent without delay, also over a socket that names no protocol, such as Streamlit's."""

import asyncio
import socket

from tests.support import in_a_loop
from viz.server.streamlit_patches import disable_send_delay


def test_a_connection_waits_for_no_acknowledgement() -> None:
    async def is_sent_at_once() -> bool:
        loop = asyncio.get_running_loop()
        accepted: asyncio.Future[asyncio.Transport] = loop.create_future()

        class Answer(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                accepted.set_result(transport)  # type: ignore[arg-type]

        disable_send_delay(loop)
        # As Streamlit binds it.
        bound = socket.socket(family=socket.AF_INET)
        bound.bind(("127.0.0.1", 0))
        async with await loop.create_server(Answer, sock=bound):
            _, writer = await asyncio.open_connection(*bound.getsockname())
            transport = await accepted
            option = transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            writer.close()
            transport.close()
            return bool(option)

    assert in_a_loop(is_sent_at_once())
