"""A language model named in the browser: what is sent, when, and that the key stays nowhere that the page can reach."""

import json
import re

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


class Stating(ScriptedModel):
    """States every sentence of a text, which is about what could be taken for markup."""

    def stated(self, sentences):
        said = [{"text": f"{text} <i>Yes.</i>", "sentence": number, "quotation": text} for number, text in sentences]
        return json.dumps({"propositions": said})

    def subject(self, text):
        return "<b>First</b>" if len(text) % 2 else "Second"


def test_a_proposition_shows_its_source_and_is_text_alone(page, fresh_url, http):
    model = Stating()
    http.model = lambda messages: model.words(messages[1]["content"])
    page.goto(f"{fresh_url}/?c1=propositions&c2=fixed_sentences&selected=1&document=article")
    page.get_by_role("textbox", name="Language model").fill("test")
    page.get_by_role("textbox", name="Its server's address").fill(http.address)
    page.get_by_role("button", name="Use this model").click()
    page.get_by_role("button", name="Send").click()
    embedded(page)
    cards = page.locator(".stated")
    expect(cards).to_have_count(2)
    expect(cards.first.locator(".title")).to_have_text(re.compile("^1 (<b>First</b>|Second)$"))
    assert page.locator(".stated b, .stated i").count() == 0
    said = cards.first.get_by_role("button").first
    expect(said).to_contain_text(" <i>Yes.</i>")
    source = said.inner_text().removesuffix(" <i>Yes.</i>")
    said.hover()
    expect(said).to_have_attribute("title", f"from: {source}")
    # In both columns.
    expect(page.locator(".s.near")).to_have_text([source, source])
