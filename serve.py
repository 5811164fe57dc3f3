"""The server: `streamlit run serve.py` serves ``app.py`` behind access rules, and loads the rest in the background.

No import here may import `chunkers` or `viz.state`, so that the server answers at once; `Preload` imports the rest.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware

from viz import compare
from viz.components.script_bundler import VIZ_FOLDER
from viz.server.middleware import AccessGuard, FirstPaint, ScriptsFromMemory, find_streamlit_element_scripts
from viz.server.server_tasks import Preload, keep_releasing_ended_sessions, open_browser
from viz.server.streamlit_patches import (
    disable_send_delay,
    interrupt_only_when_drawing,
    keep_requested_page,
    limit_uploads,
    make_streamlit_finish_callbacks,
    rerun_page_for_lost_fragment,
    skip_needless_startup,
    stop_dropping_upload_address_replies,
    stop_forgetting_widget_values_early,
)


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Load everything for the first page in the background, and stop when the server ends."""
    disable_send_delay(asyncio.get_running_loop())
    loading = Preload(f"{compare.__name__}.first_screen_preparation", f"{compare.__name__}.page")
    loading.start()
    meanwhile = [asyncio.create_task(open_browser()), asyncio.create_task(keep_releasing_ended_sessions())]
    yield
    for task in meanwhile:
        task.cancel()
    loading.stop()


stop_dropping_upload_address_replies()
limit_uploads()
make_streamlit_finish_callbacks()
stop_forgetting_widget_values_early()
interrupt_only_when_drawing()
rerun_page_for_lost_fragment()
keep_requested_page()
skip_needless_startup()

# One setting says under which names the app is reached, to Streamlit and to the guard before it.
guard = Middleware(
    AccessGuard, hosts=st.get_option("server.allowedHosts"), origins=st.get_option("server.corsAllowedOrigins")
)
# The columns are such a component.
first_paint = Middleware(
    FirstPaint,
    style_sheet_path=VIZ_FOLDER / "theme" / "page.css",
    preloaded_script_paths=find_streamlit_element_scripts("BidiComponent", "Html"),
)
app = st.App("app.py", lifespan=lifespan, middleware=[guard, Middleware(ScriptsFromMemory), first_paint])
