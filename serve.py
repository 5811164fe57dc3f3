"""The server: `streamlit run serve.py` serves ``app.py`` and loads the bundled model before a browser asks for it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from viz.jobs.preload import Preload
from viz.shell.opening import open_browser


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Load what the first page needs; pandas is what Streamlit imports when it first draws a table."""
    loading = Preload("viz.compare.page", "pandas")
    loading.start()
    opening = asyncio.create_task(open_browser())
    yield
    opening.cancel()
    loading.stop()


app = st.App("app.py", lifespan=lifespan)
