"""Opening the page in the user's browser: Streamlit does so for a script, but not for a server of one's own."""

from __future__ import annotations

import asyncio
import webbrowser

import streamlit as st
from streamlit.web.server import server_util

ATTEMPTS = 200
PAUSE_S = 0.05
"""Number of attempts to reach the server, and seconds between two of them."""


async def open_browser() -> None:
    """Open the page in the user's browser once the server listens; do nothing where the server is headless."""
    if st.get_option("server.headless"):
        return
    # The address that the browser is told to use, as in what Streamlit itself opens and prints.
    address = server_util.get_display_address(st.get_option("server.address") or "localhost")
    for _ in range(ATTEMPTS):
        try:
            _, writer = await asyncio.open_connection(address.strip("[]"), st.get_option("server.port"))
        except OSError:
            await asyncio.sleep(PAUSE_S)
            continue
        writer.close()
        # A browser may hold up the one that starts it.
        await asyncio.to_thread(webbrowser.open, server_util.get_url(address))
        return
