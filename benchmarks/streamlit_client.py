"""A browser session without a browser: a client of Streamlit's websocket protocol.

It does everything that costs the server time: it sends the state of changed widgets, names its cached messages so that they
are not sent again, follows the link, and reruns fragments at their intervals. It draws nothing, and decodes components' data
on request only.
"""

import asyncio
import json
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.BidiComponent_pb2 import BidiComponent
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin, Subprotocol

LIMIT = 120.0
"""Seconds to wait for an answer."""

_KEPT_RUNS = 30
"""Runs after which a page drops an unused cached message, as in .streamlit/config.toml."""

_WIDGETS = ("button", "file_uploader", "number_input", "selectbox", "slider", "text_area")


class NoAnswer(RuntimeError):
    """An answer that did not arrive in time, or at all."""


@dataclass(frozen=True)
class Widget:
    """A widget on the page, with its id and the id of its fragment."""

    id: str
    fragment: str


@dataclass
class _Page:
    """Elements drawn by a run of the page: widgets by kind and key or label, components by key, the progress bar's label."""

    widgets: dict[tuple[str, str], Widget] = field(default_factory=dict)
    components: dict[str, BidiComponent] = field(default_factory=dict)
    progress: str = ""


class Client:
    """A session of one client on one page.

    Parameters
    ----------
    server
        The server's address.
    page
        The page's name in its address; empty for the first one.
    query
        The link's parameters.

    Attributes
    ----------
    link
        The link's current query parameters.
    errors
        Exceptions that the page shows.
    page_hash
        Streamlit's name of the page that the latest run draws; empty before the first run.
    """

    def __init__(self, server: str, page: str = "", query: str = "") -> None:
        self._server = urlsplit(server)
        self._page_name, self.link = page, query
        self.errors: list[str] = []
        self.page_hash = ""
        self._drawn_page, self._page_being_drawn = _Page(), _Page()
        self._values: dict[str, WidgetState] = {}
        self._cached_messages: dict[str, tuple[int, ForwardMsg]] = {}
        self._runs = 0
        self._in_fragment = False
        self._finished = asyncio.Event()
        self._run_ended = asyncio.Condition()
        self._reruns: dict[str, asyncio.Task[None]] = {}
        self._socket: ClientConnection | None = None
        self._receiving: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Connect, and wait until the page is drawn."""
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Leave."""
        await self.close()

    async def open(self) -> None:
        """Connect, and wait until the page is drawn."""
        origin = f"{self._server.scheme}://{self._server.netloc}"
        self._socket = await connect(
            f"ws://{self._server.netloc}/_stcore/stream",
            origin=Origin(origin),
            subprotocols=[Subprotocol("streamlit"), Subprotocol("PLACEHOLDER_AUTH_TOKEN")],
            compression=None,
            proxy=None,
            max_size=None,
            max_queue=None,
            open_timeout=LIMIT,
            ping_interval=None,
        )
        self._receiving = asyncio.create_task(self._receive_messages(self._socket))
        await self.run()

    async def close(self) -> None:
        """Close the connection, as a browser does when its tab is closed."""
        self._cancel_reruns([*self._reruns])
        if self._socket is not None:
            await self._socket.close()
        if self._receiving is not None:
            await self._receiving

    # What a user does

    async def run(self, *touched: WidgetState) -> float:
        """Run the page with the given widget values, and return the seconds until its answer is complete.

        Raises
        ------
        NoAnswer
            If the answer does not arrive within `LIMIT` seconds, or the server closes the connection.
        """
        began = time.perf_counter()
        await self.send(*touched)
        await self.wait_until_drawn()
        return time.perf_counter() - began

    async def send(self, *touched: WidgetState, fragment: str = "", by_itself: bool = False, left_page: str = "") -> None:
        """Run the page, or a fragment, with the given widget values, without waiting for the answer.

        ``left_page`` is the hash of another page to send them from, as a page that the user has just left does.
        """
        assert self._socket is not None
        if not fragment:
            self._finished.clear()
        triggers = [widget for widget in touched if widget.WhichOneof("value") == "trigger_value"]
        self._values |= {widget.id: widget for widget in touched if widget not in triggers}
        state = ClientState(
            query_string=self.link,
            page_script_hash=left_page or self.page_hash,
            page_name="" if self.page_hash else self._page_name,
            fragment_id=fragment,
            is_auto_rerun=by_itself,
            cached_message_hashes=self._cached_messages,
        )
        state.widget_states.widgets.extend([*self._values.values(), *triggers])
        state.context_info.url = f"{self._server.scheme}://{self._server.netloc}/{self._page_name}"
        with suppress(ConnectionClosed):
            await self._socket.send(BackMsg(rerun_script=state).SerializeToString())

    async def wait_until_drawn(self) -> None:
        """Wait until the page is drawn; raises as `run` does."""
        assert self._receiving is not None
        done = asyncio.create_task(self._finished.wait())
        await asyncio.wait({done, self._receiving}, timeout=LIMIT, return_when=asyncio.FIRST_COMPLETED)
        if not done.done():
            done.cancel()
            raise NoAnswer("the server closed the connection" if self._receiving.done() else f"none in {LIMIT:.0f} s")

    async def wait_until(self, holds: "Callable[[Client], bool]", seconds: float = LIMIT) -> float:
        """Wait until ``holds`` returns True, checked after every run of the page or a fragment; return the moment.

        Raises
        ------
        NoAnswer
            If it does not return True in time.
        """

        async def wait() -> None:
            async with self._run_ended:
                await self._run_ended.wait_for(lambda: holds(self))

        try:
            await asyncio.wait_for(wait(), seconds)
        except TimeoutError:
            raise NoAnswer(f"it did not come in {seconds:.0f} s; the page says {self.progress!r}") from None
        return time.perf_counter()

    async def press(self, label: str) -> None:
        """Press the button with the given label."""
        button = self.widget("button", label)
        await self.send(WidgetState(id=button.id, trigger_value=True), fragment=button.fragment)

    async def paste(self, text: str) -> None:
        """Paste ``text`` into the text box, without waiting until it is cut."""
        await self.run(self.text_state("text_area", "box/", text))

    # What is on the page

    def widget(self, kind: str, name: str) -> Widget:
        """Return the widget of a kind whose key, or label if it has none, contains ``name``.

        Raises
        ------
        NoAnswer
            If the page has no such widget.
        """
        for (shown_kind, key), widget in self._drawn_page.widgets.items():
            if shown_kind == kind and name in key:
                return widget
        raise NoAnswer(f"the page has no {kind} {name!r}")

    def has_widget(self, kind: str, name: str) -> bool:
        """Return whether the page has a widget of a kind with ``name`` in its key or label."""
        return any(shown_kind == kind and name in key for shown_kind, key in self._drawn_page.widgets)

    def slider_state(self, name: str, value: float) -> WidgetState:
        """Return the state of the slider with ``name`` in its key, set to ``value``."""
        state = WidgetState(id=self.widget("slider", name).id)
        state.double_array_value.data.append(value)
        return state

    def text_state(self, kind: str, name: str, value: str) -> WidgetState:
        """Return the state of a text widget, set to ``value``."""
        return WidgetState(id=self.widget(kind, name).id, string_value=value)

    def link_parameter(self, name: str) -> str:
        """Return the value of a link parameter; empty if the link omits it."""
        return parse_qs(self.link, keep_blank_values=True).get(name, [""])[0]

    @property
    def progress(self) -> str:
        """The label of the progress bar; empty if there is none."""
        return self._drawn_page.progress

    def component_json(self, key: str) -> str:
        """Return a component's data as JSON; empty if the page lacks the component."""
        component = self._drawn_page.components.get(key)
        return component.json if component is not None else ""

    def component_data(self, key: str) -> dict[str, Any]:
        """Return a component's data; empty if the page lacks the component."""
        content: dict[str, Any] = json.loads(self.component_json(key) or "[{}]")[0]
        return content

    # What the server sends

    async def _receive_messages(self, socket: ClientConnection) -> None:
        with suppress(ConnectionClosed):
            async for data in socket:
                assert isinstance(data, bytes)
                message = ForwardMsg.FromString(data)
                self._handle_message(message)
                if message.WhichOneof("type") == "script_finished":
                    async with self._run_ended:
                        self._run_ended.notify_all()

    def _handle_message(self, message: ForwardMsg) -> None:
        match message.WhichOneof("type"):
            case "ref_hash":
                self._draw_cached(message)
            case "delta":
                if message.metadata.cacheable:
                    self._cached_messages[message.hash] = self._runs, message
                self._draw_element(message.delta)
            case "new_session":
                self._begin_run(message)
            case "script_finished":
                self._end_run(message)
            case "page_info_changed":
                self.link = message.page_info_changed.query_string
            case "auto_rerun":
                self._schedule_rerun(message.auto_rerun.fragment_id, message.auto_rerun.interval)
            case "stop_auto_rerun":
                self._cancel_reruns(message.stop_auto_rerun.fragment_ids)
            case "session_event" if message.session_event.HasField("script_compilation_exception"):
                self.errors.append(message.session_event.script_compilation_exception.message)

    def _draw_cached(self, message: ForwardMsg) -> None:
        if message.ref_hash not in self._cached_messages:
            self.errors.append("the server named a message that the page does not have")
            return
        _, kept = self._cached_messages[message.ref_hash]
        self._cached_messages[message.ref_hash] = self._runs, kept
        self._draw_element(kept.delta)

    def _begin_run(self, message: ForwardMsg) -> None:
        self.page_hash = message.new_session.page_script_hash
        self._in_fragment = bool(message.metadata.run.fragment_ids)
        if not self._in_fragment:
            self._cancel_reruns([*self._reruns])
            self._page_being_drawn = _Page()

    def _end_run(self, message: ForwardMsg) -> None:
        if message.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY:
            return
        self._drawn_page = self._page_being_drawn
        self._runs += 1
        self._cached_messages = {
            name: kept for name, kept in self._cached_messages.items() if self._runs - kept[0] <= _KEPT_RUNS
        }
        self._finished.set()

    def _draw_element(self, delta: Delta) -> None:
        if delta.WhichOneof("type") != "new_element":
            return
        element = delta.new_element
        kind = element.WhichOneof("type")
        page = self._drawn_page if self._in_fragment else self._page_being_drawn
        if kind in _WIDGETS:
            drawn = getattr(element, kind)
            key = _key(drawn.id)
            page.widgets[kind, drawn.label if key == "None" else key] = Widget(drawn.id, delta.fragment_id)
            if getattr(drawn, "set_value", False):
                # From here on the server's value holds, until the user gives another.
                self._values.pop(drawn.id, None)
        elif kind == "bidi_component":
            page.components[_key(element.bidi_component.id)] = element.bidi_component
        elif kind == "progress":
            page.progress = element.progress.text
        elif kind == "exception":
            self.errors.append(f"{element.exception.type}: {element.exception.message}")

    # Fragments that ask to be run again

    def _schedule_rerun(self, fragment: str, seconds: float) -> None:
        self._cancel_reruns([fragment])

        async def again() -> None:
            while True:
                await asyncio.sleep(seconds)
                await self.send(fragment=fragment, by_itself=True)

        self._reruns[fragment] = asyncio.create_task(again())

    def _cancel_reruns(self, fragments: Iterable[str]) -> None:
        for fragment in fragments:
            if (task := self._reruns.pop(fragment, None)) is not None:
                task.cancel()


def _key(widget: str) -> str:
    """Return the key that the app gave a widget, from its id: ``$$ID-<digest>-<key>``."""
    return widget.split("-", 2)[-1]
