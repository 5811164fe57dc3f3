"""Opening the page in the user's browser, which Streamlit only does for scripts run by its own command."""

from __future__ import annotations

import asyncio
import webbrowser

import streamlit as st
from streamlit.web.server import server_util

ATTEMPTS = 200
PAUSE_S = 0.05
"""Number of attempts to reach the server, and seconds between two of them."""


async def open_browser() -> None:
    """Open the page in the user's browser once the server listens, unless the server is headless."""
    if st.get_option("server.headless"):
        return
    # The address that Streamlit itself would open and print.
    address = server_util.get_display_address(st.get_option("server.address") or "localhost")
    for _ in range(ATTEMPTS):
        try:
            _, writer = await asyncio.open_connection(address.strip("[]"), st.get_option("server.port"))
        except OSError:
            await asyncio.sleep(PAUSE_S)
            continue
        writer.close()
        # A browser may block the process that starts it.
        await asyncio.to_thread(webbrowser.open, server_util.get_url(address))
        return
