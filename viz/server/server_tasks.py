"""Tasks of the server besides pages: releasing ended sessions, preparing the first page, opening the browser."""

import asyncio
import gc
import importlib
import logging
import threading
import webbrowser
from collections.abc import Iterator

import streamlit as st

from viz.server.streamlit_patches import (
    drop_expired_and_count_ended_sessions,
    is_page_script_running,
    server_host_and_page_address,
)

_log = logging.getLogger(__name__)

CHECK_INTERVAL_S = 20.0
"""Seconds between two checks; Streamlit keeps a disconnected session for two minutes, in case its page reconnects."""

MOST_POSTPONED_CHECKS = 15
"""Most checks in a row that postpone garbage collection because a page is being drawn."""


async def keep_releasing_ended_sessions() -> None:
    """Release ended sessions every `CHECK_INTERVAL_S` seconds, until cancelled."""
    session_housekeeper = Housekeeper()
    while True:
        await asyncio.sleep(CHECK_INTERVAL_S)
        try:
            session_housekeeper.collect_garbage_of_ended_sessions()
        except Exception:
            # The server continues without it; the next check may succeed.
            _log.exception("Sessions that have ended could not be released.")


class Housekeeper:
    """A recurring check that releases the memory of ended sessions.

    Much of a session is in reference cycles, which only the garbage collector frees. The collector stops all threads, so it
    runs only after sessions have ended and, if possible, while no page is being drawn.
    """

    def __init__(self) -> None:
        self._ended = 0
        self._postponed_checks = 0

    def collect_garbage_of_ended_sessions(self) -> None:
        """Check for sessions that have ended since the last check, and collect garbage if there are any."""
        total_ended_session_count = drop_expired_and_count_ended_sessions()
        if self._postponed_checks or total_ended_session_count > self._ended:
            self._postponed_checks += 1
        self._ended = total_ended_session_count
        if self._postponed_checks > MOST_POSTPONED_CHECKS or (self._postponed_checks and not is_page_script_running()):
            # The server starts before these are imported; by now they are loaded.
            from viz.jobs import collect_garbage, drop_values_of_gone_texts, return_freed_memory, run_registry

            collect_garbage()
            # Only now is it known that their cached values are unused.
            drop_values_of_gone_texts()
            run_registry().forget_abandoned_runs()
            return_freed_memory()
            self._postponed_checks = 0


# Preparing the first page while the server starts.

MAX_STEP_WAIT_S = 30
"""Seconds that the server's shutdown waits for the current step, which takes one or two."""

FIRST_PAGE_WAIT_S = 4.0
"""Seconds after which a browser opened with the server has received all of the first page."""


class Preload:
    """A daemon thread that prepares the first page.

    It imports ``work_module`` and calls its ``start``, which may leave a job to another thread; meanwhile it imports
    ``page_module``, and last it calls ``finish_imports_and_await_job``. The modules must not be imported before, since
    that would delay the server's first response. Python's garbage collection is paused meanwhile, because it would traverse
    the imported objects repeatedly and find nothing. It runs once after the first page is shown, which stops every thread
    for a quarter of a second.
    """

    def __init__(self, work_module: str, page_module: str) -> None:
        self._work, self._page = work_module, page_module
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._prepare_first_page, daemon=True, name="preload")

    def start(self) -> None:
        """Start importing the modules in the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread after its current step and wait for it, since Python must not exit during an import."""
        self._stopped.set()
        self.join(MAX_STEP_WAIT_S)

    def join(self, seconds: float) -> None:
        """Wait until all modules are loaded, for at most ``seconds``."""
        self._thread.join(seconds)

    @property
    def is_preparing(self) -> bool:
        """True while the thread is alive."""
        return self._thread.is_alive()

    def _prepare_first_page(self) -> None:
        gc.disable()
        try:
            for _ in self._prepare_first_page_in_steps():
                if self._stopped.is_set():
                    return
            if not self._stopped.wait(FIRST_PAGE_WAIT_S):
                from viz.jobs import collect_garbage

                collect_garbage()
        finally:
            gc.enable()

    def _prepare_first_page_in_steps(self) -> Iterator[None]:
        work_module = importlib.import_module(self._work)
        yield
        work_module.start()
        yield
        importlib.import_module(self._page)
        yield
        work_module.finish_imports_and_await_job()


# Opening the browser, which Streamlit only does for scripts run by its own command.

MOST_CONNECTION_ATTEMPTS = 200
"""Most attempts to reach the server."""

CONNECTION_ATTEMPT_INTERVAL_S = 0.05
"""Seconds between two attempts to reach the server."""


async def open_browser() -> None:
    """Open the page in the user's browser once the server listens, unless the server is headless."""
    if st.get_option("server.headless"):
        return
    server_host, page_address = server_host_and_page_address()
    for _ in range(MOST_CONNECTION_ATTEMPTS):
        try:
            _, connection_writer = await asyncio.open_connection(server_host, st.get_option("server.port"))
        except OSError:
            await asyncio.sleep(CONNECTION_ATTEMPT_INTERVAL_S)
            continue
        connection_writer.close()
        # A browser may block the process that starts it.
        await asyncio.to_thread(webbrowser.open, page_address)
        return
