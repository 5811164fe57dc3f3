"""A hostile page in the same browser: another port, another name that leads here, a frame. The app answers none of them."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY
from tests.fixtures.app_server import launch
from tests.lanes import mostly_full
from viz.server.middleware import security_headers

PAGE = """<!doctype html><title>Hostile</title><p id="said"></p><iframe src="APP"></iframe><script>
  const said = document.getElementById("said");
  const socket = new WebSocket("APP/_stcore/stream".replace("http", "ws"));
  const opened = new Promise((resolve) => {
    socket.onopen = () => resolve("opened");
    socket.onerror = socket.onclose = () => resolve("refused");
  });
  const read = fetch("APP/_stcore/health").then((answer) => "read " + answer.status, () => "refused");
  Promise.all([opened, read]).then((all) => { said.textContent = all.join(", "); });
</script>"""


@contextmanager
def hostile_page(app_url):
    """Serve a page on another port that tries to use the app."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = PAGE.replace("APP", app_url).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_a_page_on_another_port_is_refused_and_cannot_frame_the_app(browser, app_url):
    page = browser.new_page()
    with hostile_page(app_url) as address:
        page.goto(address)
        expect(page.locator("#said")).to_have_text("refused, refused")
        frames = [frame for frame in page.frames if frame.url.startswith(app_url)]
        assert not any(frame.locator("[data-testid=stApp]").count() for frame in frames)
    page.close()


def test_another_name_that_leads_to_this_machine_is_refused(playwright_here, app_url):
    port = urlsplit(app_url).port
    browser = launch(playwright_here, "--host-resolver-rules=MAP evil.example 127.0.0.1")
    page = browser.new_page()
    answer = page.goto(f"http://evil.example:{port}/")
    assert answer.status == 403
    expect(page.locator("body")).to_contain_text("this request names 'evil.example:")
    browser.close()


@pytest.mark.parametrize("path", mostly_full(["", "guide", "retrieval"], [""]))
def test_the_pages_stay_within_the_policy(open_page, app_url, path):
    page = open_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text) if "Content Security Policy" in message.text else None)
    answer = page.goto(f"{app_url}/{path}?embedder=tfidf")
    assert {name: answer.headers.get(name.lower()) for name in security_headers()} == security_headers()
    page.get_by_role("heading").first.wait_for(timeout=READY)
    assert refused == []
