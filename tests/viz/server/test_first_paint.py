"""The page's style stands in the page that loads the scripts, and everything else passes as it is."""

import re

import pytest
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.testclient import TestClient

from tests import ROOT
from viz.server.middleware import FirstPaint

HTML = {"accept": "text/html,application/xhtml+xml"}
PAGE = '<html><head></head><body><div id="root"></div></body></html>'
FILE = ROOT / "viz/theme/page.css"
STYLE = FILE.read_text()


class Behind:
    """Stands for Streamlit: answers with what it was given, and keeps what it was asked."""

    def __init__(self, answer):
        self.answer = answer

    async def __call__(self, scope, receive, send):
        self.headers = dict(scope["headers"])
        await self.answer(scope, receive, send)


def asked(answer, path="/", **headers):
    behind = Behind(answer)
    return behind, TestClient(FirstPaint(behind, FILE)).get(path, headers=headers)


@pytest.mark.parametrize("path", ["/", "/breakpoints?c1=breakpoint"])
def test_the_style_stands_before_what_is_drawn(path):
    _, answer = asked(Response(PAGE, media_type="text/html", headers={"etag": "x"}), path, **HTML)
    before, style, after = answer.text.partition("<style>")
    assert before == "<html><head></head><body>"
    assert style
    assert after.startswith(STYLE)
    assert after.endswith('</style><div id="root"></div></body></html>')
    assert "stSidebar" in after.removeprefix(STYLE)
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert "etag" not in answer.headers


def test_a_page_in_parts_is_put_together():
    _, answer = asked(StreamingResponse(iter([PAGE[:20], PAGE[20:50], PAGE[50:]]), media_type="text/html"), **HTML)
    assert answer.text.count(STYLE) == 1


def test_scripts_are_linked_before_the_style():
    behind = Behind(Response(PAGE, media_type="text/html"))
    answer = TestClient(FirstPaint(behind, FILE, ["/static/js/a.js", "/static/js/b.js"])).get("/", headers=HTML)
    links = "".join(f'<link rel="modulepreload" crossorigin href="./static/js/{name}.js">' for name in "ab")
    assert answer.text.partition("<style>")[0] == f"<html><head></head><body>{links}"


def test_in_lecture_mode_no_place_is_kept_for_the_side_bar():
    _, answer = asked(Response(PAGE, media_type="text/html"), "/?lecture=1", **HTML)
    assert answer.text.split("<style>")[1] == STYLE + '</style><div id="root"></div></body></html>'


def test_the_page_is_asked_for_uncompressed_and_whole():
    behind, _ = asked(
        Response(PAGE, media_type="text/html"),
        **HTML,
        **{"accept-encoding": "gzip", "if-none-match": "x", "range": "bytes=0-9"},
    )
    assert not {b"accept-encoding", b"if-none-match", b"range"} & behind.headers.keys()


def test_anything_else_passes_as_it_is():
    _, answer = asked(PlainTextResponse("body { } </body>", headers={"etag": "x"}), **HTML)
    assert (answer.text, answer.headers["etag"]) == ("body { } </body>", "x")
    behind, answer = asked(Response(PAGE, media_type="text/html"), accept="*/*", **{"accept-encoding": "gzip"})
    assert answer.text == PAGE
    assert behind.headers[b"accept-encoding"] == b"gzip"


def test_a_page_without_a_root_stays_as_it_is():
    _, answer = asked(Response("<p>Not found", 404, media_type="text/html"), **HTML)
    assert (answer.status_code, answer.text) == (404, "<p>Not found")


def test_what_has_its_place_from_the_start_is_drawn_under_that_key():
    source = "".join(path.read_text() for path in (ROOT / "viz").rglob("*.py")).replace("/", "-")
    reserved = {
        key
        for rule in re.findall(r"^(.*) \{ min-height", STYLE, re.MULTILINE)
        for key in re.findall(r"\.st-key-([\w-]+)", rule)
    }
    assert {"passes", "answers_missing", "text_row"} <= reserved
    # These keys begin with the name of their page.
    assert reserved - {key for key in reserved if f'"{key}"' in source} == {"retrieval_bundled", "tune_bundled"}
