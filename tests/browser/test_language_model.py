"""A language model named in the browser: what is sent, when, and that the key stays nowhere that the page can reach."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.steps import embedded
from tests.server import KEY, ChatModelServer
from tests.support import ScriptedModel

EVERYWHERE = """() => {
  const roots = [document, ...[...document.querySelectorAll("*")].map((host) => host.shadowRoot).filter(Boolean)];
  const html = roots.map((root) => (root.documentElement ?? root).innerHTML ?? "");
  const values = roots.flatMap((root) => [...root.querySelectorAll("input, textarea")].map((box) => box.value));
  return JSON.stringify([html, values, location.href, { ...localStorage }, { ...sessionStorage }, document.cookie]);
}"""


@pytest.fixture
def http():
    scripted = ScriptedModel()
    server = ChatModelServer(lambda messages: scripted.words(messages[1]["content"]))
    yield server
    server.close()


def test_it_is_asked_after_the_click_alone_and_the_key_is_nowhere(page, fresh_url, http, tmp_path):
    # A careless server repeats the key.
    http.script = [(401, {})]
    page.goto(f"{fresh_url}/?c1=llm&c2=fixed_sentences&selected=1&document=article")
    expect(page.get_by_text("This chunker asks a language model, and none is named yet.")).to_be_visible()
    page.get_by_role("textbox", name="Language model").fill("test")
    page.get_by_role("textbox", name="Its server's address").fill(http.address)
    page.locator("input[type=password]").fill(KEY)
    page.get_by_role("button", name="Use this model").click()
    expect(page.get_by_text("Nothing is sent until you press “Send”.")).to_contain_text(http.address.split("/")[2])
    assert http.requests == []
    assert KEY not in page.evaluate(EVERYWHERE)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("must accept the key; it refused (status 401)")).to_be_visible()
    assert KEY not in page.evaluate(EVERYWHERE)
    page.get_by_role("button", name="Try again").click()
    embedded(page)
    assert len(http.requests) == 2
    assert {headers["authorization"] for _, headers, _ in http.requests} == {f"Bearer {KEY}"}
    page.get_by_role("radio", name="Downloads").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Recipe").click()
    recipe = download.value.path().read_text()
    assert json.loads(recipe)["language_model"] == "openai:test"
    log = (tmp_path / "log.txt").read_text()
    assert KEY not in page.evaluate(EVERYWHERE) + recipe + log
    assert "127.0.0.1" not in recipe
