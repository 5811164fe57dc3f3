"""Models on servers, named in the browser: what is sent, when, and that the keys are nowhere but in the server's memory."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import at_rest, embedded, unfold
from tests.fixtures.app_server import app_server
from tests.server import KEY, ChatModelServer, EmbeddingServer
from tests.support import ScriptedModel
from viz.shell.navigation import PAGES

EVERYWHERE = """() => {
  const roots = [document, ...[...document.querySelectorAll("*")].map((host) => host.shadowRoot).filter(Boolean)];
  const html = roots.map((root) => (root.documentElement ?? root).innerHTML ?? "");
  const values = roots.flatMap((root) => [...root.querySelectorAll("input, textarea")].map((box) => box.value));
  return JSON.stringify([html, values, location.href, { ...localStorage }, { ...sessionStorage }, document.cookie]);
}"""


@pytest.fixture
def chats():
    scripted = ScriptedModel()
    server = ChatModelServer(lambda messages: scripted.words(messages[1]["content"]))
    yield server
    server.close()


@pytest.fixture
def embeds():
    server = EmbeddingServer()
    yield server
    server.close()


@pytest.fixture
def home(tmp_path):
    """The folder below which the app keeps what it keeps, its log included."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def url(home):
    told = {"STREAMLIT_LOGGER_LEVEL": "debug", "OPENAI_LOG": "debug", "OPENAI_BASE_URL": "", "OPENAI_API_KEY": ""}
    folders = dict.fromkeys(["HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"], str(home))
    with app_server(home / "log.txt", environment=told | folders) as server:
        yield server.url


@pytest.fixture
def received(page):
    """All that the app sends to the page."""
    frames = []

    def kept(frame):
        frames.append(frame if isinstance(frame, bytes) else frame.encode())

    page.on("websocket", lambda socket: socket.on("framereceived", kept))
    return frames


def downloads(page):
    """Return the content of every button below “Downloads”, by the name of its file."""
    at_rest(page)
    page.get_by_role("radio", name="Downloads").click()
    buttons = page.get_by_test_id("stDownloadButton").get_by_role("button")
    expect(buttons).to_have_count(8)
    at_rest(page)
    given = {}
    for button in buttons.all():
        with page.expect_download() as caught:
            button.click()
        given[caught.value.suggested_filename] = caught.value.path().read_bytes()
    return given


@pytest.mark.full
def test_models_are_asked_after_a_click_alone_and_the_keys_are_nowhere(page, url, chats, embeds, home, received):
    # Careless servers repeat the key.
    chats.script, embeds.script = [(401, {})], [(401, {})]
    keys = f"{KEY}-chats", f"{KEY}-embeds"
    page.goto(f"{url}/?c1=llm&c2=breakpoint&selected=1&document=stubs&tokenizer=words&embedder=openai:vectors")
    expect(page.get_by_text("This chunker needs a language model, and none is named yet.")).to_be_visible()
    page.get_by_role("textbox", name="Model name").fill("test")
    page.get_by_role("textbox", name="Server address", exact=True).fill(chats.address)
    page.get_by_role("textbox", name="Server API key").fill(keys[0])
    page.get_by_role("button", name="Use this model").click()
    expect(page.get_by_text("Nothing is sent until you press “Send”.")).to_contain_text(chats.address.split("/")[2])
    at_rest(page)
    unfold(page, "Splitter and embedder")
    page.get_by_role("textbox", name="Embedder server").fill(embeds.address)
    page.get_by_role("textbox", name="Embedder API key").fill(keys[1])
    assert chats.requests == embeds.requests == []
    page.get_by_test_id("stFormSubmitButton").get_by_role("button", name="Use this embedder").click()
    refused = page.get_by_text("must accept the key; it refused (status 401)")
    expect(refused).to_contain_text("openai:vectors: 127.0.0.1:")
    at_rest(page)
    assert KEY not in page.evaluate(EVERYWHERE)
    page.get_by_role("button", name="Try again").click()
    expect(refused).to_have_count(0)
    at_rest(page)
    assert chats.requests == []
    page.get_by_role("button", name="Send").click()
    expect(refused).to_contain_text("openai:test: 127.0.0.1:")
    at_rest(page)
    assert KEY not in page.evaluate(EVERYWHERE)
    page.get_by_role("button", name="Try again").click()
    embedded(page)
    for server, key in zip((chats, embeds), keys, strict=True):
        assert len(server.requests) > 1
        assert {headers["authorization"] for _, headers, _ in server.requests} == {f"Bearer {key}"}
    files = downloads(page)
    (recipe,) = (data for name, data in files.items() if name.endswith(".recipe.json"))
    assert json.loads(recipe)["language_model"] == "openai:test"
    for name, data in files.items():
        assert KEY.encode() not in data, name
        assert b"127.0.0.1" not in data, name
    for name, entry in [*PAGES.items()][1:]:
        page.get_by_test_id("stSidebarNav").get_by_role("link", name=entry.title, exact=True).click()
        page.wait_for_url(f"{url}/{name}*")
        at_rest(page)
        assert KEY not in page.evaluate(EVERYWHERE), name
    assert received
    assert KEY.encode() not in b"".join(received)
    kept = {file: file.read_bytes() for file in home.rglob("*") if file.is_file()}
    assert kept[home / "log.txt"]
    assert [file for file, data in kept.items() if KEY.encode() in data] == []


class Stating(ScriptedModel):
    """States every sentence of a text, which is about what could be taken for markup."""

    def stated(self, sentences):
        propositions = [{"text": f"{text} <i>Yes.</i>", "sentence": number, "quotation": text} for number, text in sentences]
        propositions.append({"text": "A queen.", "sentence": sentences[0][0], "quotation": "a queen <i>no</i>"})
        return json.dumps({"propositions": propositions})

    def subject(self, text):
        return "<b>First</b>" if len(text) % 2 else "Second"


@pytest.mark.full
def test_a_proposition_shows_its_source_and_is_text_alone(page, app_url, chats):
    model = Stating()
    chats.model = lambda messages: model.words(messages[1]["content"])
    page.goto(f"{app_url}/?c1=propositions&c2=fixed_sentences&selected=1&document=article")
    page.get_by_role("textbox", name="Model name").fill("test")
    page.get_by_role("textbox", name="Server address", exact=True).fill(chats.address)
    page.get_by_role("button", name="Use this model").click()
    page.get_by_role("button", name="Send").click()
    embedded(page)
    cards = page.locator(".stated")
    expect(cards).to_have_count(2)
    expect(cards.first.locator(".title")).to_have_text(re.compile("^1 (<b>First</b>|Second)$"))
    assert page.locator(".stated b, .stated i").count() == 0
    left = cards.locator(".left-out").first
    # One of each window.
    expect(left.get_by_role("listitem")).to_have_text(["A queen.quotes “a queen <i>no</i>”"] * 2)
    expect(left.locator("summary")).to_have_text("2 propositions left out: the text has no such words")
    proposition = cards.first.get_by_role("button").first
    expect(proposition).to_contain_text(" <i>Yes.</i>")
    source = proposition.inner_text().removesuffix(" <i>Yes.</i>")
    proposition.hover()
    expect(proposition).to_have_attribute("title", f"from: {source}")
    # In both columns.
    expect(page.locator(".s.near")).to_have_text([source, source])
