"""Housekeeping of the server: sessions that have ended are released."""

import asyncio
import threading
import weakref
from types import SimpleNamespace

import pytest
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.session_manager import SessionInfo
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from tests.support import LIMIT, in_a_loop
from viz import jobs
from viz.jobs.shared_resources import ShownTextMarker, cached_while_shown
from viz.server import server_tasks, streamlit_patches
from viz.server.server_tasks import MOST_POSTPONED_CHECKS, Housekeeper


class Session:
    """Stands for a session of Streamlit."""

    def __init__(self, name):
        self.id = name


class Manager:
    """Stands for Streamlit's list of sessions."""

    def __init__(self):
        self._there, self.ended = set(), 0

    def come_and_go(self, *there):
        """From now on these are there."""
        self.ended += len(self._there - {*there})
        self._there = {*there}


@pytest.fixture
def manager(monkeypatch):
    manager = Manager()
    monkeypatch.setattr(server_tasks, "drop_expired_and_count_ended_sessions", lambda: manager.ended)
    return manager


@pytest.fixture
def collections(monkeypatch):
    """Return a list that grows with every garbage collection."""
    done = []
    monkeypatch.setattr(jobs, "collect_garbage", lambda: done.append(1))
    return done


@pytest.fixture
def drawing():
    """A page that is being drawn until the test says otherwise."""
    over = threading.Event()
    thread = threading.Thread(target=over.wait, args=(LIMIT,), name="ScriptRunner.scriptThread", daemon=True)
    thread.start()
    yield lambda: (over.set(), thread.join(LIMIT))
    over.set()
    thread.join(LIMIT)


def test_garbage_is_collected_when_a_session_has_ended_and_not_otherwise(manager, collections):
    house = Housekeeper()
    manager.come_and_go("a", "b")
    house.collect_garbage_of_ended_sessions()
    house.collect_garbage_of_ended_sessions()
    assert not collections
    manager.come_and_go("b", "c")
    house.collect_garbage_of_ended_sessions()
    house.collect_garbage_of_ended_sessions()
    assert len(collections) == 1
    # This one came and went between two looks.
    manager.come_and_go("b", "c", "d")
    manager.come_and_go("b", "c")
    house.collect_garbage_of_ended_sessions()
    assert len(collections) == 2


def test_garbage_is_not_collected_while_a_page_is_drawn(manager, collections, drawing):
    house = Housekeeper()
    manager.come_and_go("a")
    house.collect_garbage_of_ended_sessions()
    manager.come_and_go()
    house.collect_garbage_of_ended_sessions()
    assert not collections
    drawing()
    house.collect_garbage_of_ended_sessions()
    assert len(collections) == 1


def test_on_a_server_that_is_never_idle_it_is_collected_after_a_while(manager, collections, drawing):
    house = Housekeeper()
    manager.come_and_go("a")
    house.collect_garbage_of_ended_sessions()
    manager.come_and_go()
    for _ in range(MOST_POSTPONED_CHECKS):
        house.collect_garbage_of_ended_sessions()
    assert not collections
    house.collect_garbage_of_ended_sessions()
    assert len(collections) == 1


@pytest.mark.usefixtures("collections")
def test_what_was_kept_of_their_texts_is_forgotten(manager):
    calls = []

    @cached_while_shown(8, lambda identity: (identity,))
    def made(identity):
        calls.append(identity)
        return identity

    house = Housekeeper()
    manager.come_and_go("a")
    showing = ShownTextMarker("text")
    made("text")
    house.collect_garbage_of_ended_sessions()
    made("text")
    assert len(calls) == 1
    del showing
    manager.come_and_go()
    house.collect_garbage_of_ended_sessions()
    made("text")
    assert len(calls) == 2


def test_streamlit_counts_the_sessions_that_came_and_drops_those_whose_time_is_over(monkeypatch):
    storage = MemorySessionStorage(ttl_seconds=0)
    manager = WebsocketSessionManager(storage, None, None, lambda: None)
    monkeypatch.setattr(streamlit_patches, "get_instance", lambda: SimpleNamespace(_session_mgr=manager))
    session = Session("a")
    gone = weakref.ref(session)
    storage.save(SessionInfo(None, session))
    del session
    assert gone() is not None
    storage.save(SessionInfo(None, staying := Session("b")))
    manager._connect_count = 3
    monkeypatch.setattr(manager, "list_sessions", lambda: [staying])
    assert streamlit_patches.drop_expired_and_count_ended_sessions() == 2
    assert gone() is None


def test_a_look_that_fails_is_not_the_last_one(monkeypatch, caplog):
    looks = []

    def look(_house):
        looks.append(1)
        if len(looks) == 1:
            raise RuntimeError("no sessions here")

    async def until_the_third():
        house = asyncio.create_task(server_tasks.keep_releasing_ended_sessions())
        while len(looks) < 3 and not house.done():
            await asyncio.sleep(0)
        house.cancel()

    monkeypatch.setattr(server_tasks, "CHECK_INTERVAL_S", 0)
    monkeypatch.setattr(Housekeeper, "collect_garbage_of_ended_sessions", look)
    in_a_loop(until_the_third())
    assert len(looks) == 3
    assert "no sessions here" in caplog.text
