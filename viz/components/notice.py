"""Messages and headings that may contain user text; it is shown verbatim, never interpreted as Markdown or HTML."""

from viz.components.mounting import Component
from viz.state.values import Data

_notice = Component[Data]("seamark_notice", "components/notice.js", "components/notice.css", html="<p></p>")


def notice(text: str, tone: str = "info", *, key: str) -> None:
    """Draw a message box with ``text`` shown verbatim."""
    _notice(key=key, data={"text": text, "tone": tone})


def heading(text: str, *, key: str) -> None:
    """Draw ``text`` verbatim as the page's heading."""
    _notice(key=key, data={"text": text, "tone": "heading"})


def remark(text: str, *, key: str) -> None:
    """Draw ``text`` verbatim as a caption in small grey type."""
    _notice(key=key, data={"text": text, "tone": "remark"})
