"""Hostile strings through every way in, in a real browser: literal on the page, nothing runs and nothing is loaded."""

import csv
import io
import json
from itertools import pairwise
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, at_rest, embedded, eventually, open_app, paste, unfold, whole_text
from tests.fixtures.hostile_strings import STRINGS
from tests.lanes import mostly_full

LIGHT = "?embedder=tfidf&sentences=lines&c1=fixed_sentences&c2=recursive"
TEXT = "\n".join(STRINGS)
PLACES = [
    (("Every gap", "Downloads"), ("Breakpoints", "Failures")),
    (("Chunk sizes", "Parsing", "Code"), ("Double pass", "Clustering", "Guide")),
]
"""Views that show a text, below it on Compare and on other pages; those of the first row in `make test` too."""

NAMES = [" ".join(STRINGS[first::20]).replace("/", "∕") for first in range(20)]
"""All strings as the names of twenty files."""


@pytest.fixture
def page(open_page):
    page = open_page()
    page.asked = []
    page.on("request", lambda request: page.asked.append(request.url))
    return page


def nothing_happened(page):
    at_rest(page)
    expect(page.get_by_role("link", name="Compare")).to_be_visible()
    assert page.evaluate("[window.ran, document.body.dataset.ran]") == [None, None]
    # A request of a string's own would go to another port.
    assert not [url for url in page.asked if ":9/" in url]
    made = r"""() => {
      const inside = (one) => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])];
      const all = (root) => [...root.querySelectorAll("*")].flatMap(inside);
      const attributes = all(document).flatMap(({ attributes }) => [...attributes].map(({ name, value }) => [name, value]));
      const [acts, asks] = [/^on/, /^(href|src|srcdoc|action|data|style|background)$/];
      const harm = /javascript:|127\.0\.0\.1:9/;
      return attributes.filter(([name, value]) => acts.test(name) || (asks.test(name) && harm.test(value)));
    }"""
    assert page.evaluate(made) == []


def upload(page, within, *files):
    """Upload files, each a name and its content."""
    # While the script runs, Streamlit may draw the box anew.
    at_rest(page)
    box = page.locator(f"{within} input[type=file]").first
    box.set_input_files([{"name": name, "mimeType": "text/plain", "buffer": data.encode()} for name, data in files])


def test_there_are_two_hundred():
    assert len(STRINGS) == len(set(STRINGS)) >= 200


@pytest.mark.parametrize(("views", "links"), mostly_full(PLACES, PLACES[:1]))
def test_as_a_text_on_every_page(page, app_url, views, links):
    root = open_app(page, app_url, LIGHT)
    paste(page, TEXT)
    page.get_by_role("heading", name="Pasted text").wait_for()
    embedded(page)
    eventually(lambda: [whole_text(root, number) for number in (0, 1)], [TEXT] * 2)
    nothing_happened(page)
    for view in views:
        page.get_by_text(view, exact=True).click()
        nothing_happened(page)
    for name in links:
        page.get_by_role("link", name=name, exact=True).click()
        page.wait_for_url(f"**/{name.lower().replace(' ', '_')}?**", timeout=READY)
        nothing_happened(page)


@pytest.mark.full
def test_as_the_names_of_files(page, app_url):
    root = open_app(page, app_url, LIGHT)
    for name in NAMES:
        upload(page, "", (f"{name}.txt", f"{name}\nAnother sentence."))
        # Browsers send a quotation mark in a file's name as %22, and two backslashes arrive as one, as in a quoted string.
        shown = f"{name}.txt".replace('"', "%22").replace(r"\\", "\\")
        eventually(lambda: root.locator("h1").evaluate_all("([title]) => title?.textContent"), shown)
        embedded(page)
        nothing_happened(page)


@pytest.mark.parametrize("first", mostly_full(range(0, len(STRINGS), 40), [0]))
def test_as_words_of_a_link(page, app_url, first):
    names = ["document", "sentences", "embedder", "tokenizer", "selected", "step"]
    names += [f"c{number}" for number in (1, 2, 3)] + [f"c{number}.size" for number in (4, 5, 6)]
    values = STRINGS[first : first + 40]
    words = dict(zip(names, values, strict=False)) | {f"c{number}": "recursive" for number in (4, 5, 6)}
    unknown = {name: value for name, value in pairwise(values[len(names) :])}
    page.goto(f"{app_url}/?{urlencode(words | unknown)}")
    page.get_by_text("The link names the embedder").wait_for(timeout=READY)
    expect(page.get_by_role("alert").first).to_be_visible()
    nothing_happened(page)


@pytest.mark.full
def test_as_documents_and_questions(page, app_url):
    table = io.StringIO()
    csv.writer(table).writerows([["question", "excerpts"], *([string, string] for string in STRINGS)])
    page.goto(f"{app_url}/retrieval{LIGHT}")
    page.get_by_role("radio", name="Your own").click(timeout=READY)
    names = [f"{name}.txt" for name in NAMES[:3]]
    upload(page, ".st-key-retrieval_documents", *((name, f"{TEXT}\n{name}") for name in names))
    upload(page, ".st-key-retrieval_questions", (f"{NAMES[3]}.csv", table.getvalue()))
    expect(page.get_by_text("2 chunkers on 3 documents", exact=True)).to_be_visible(timeout=READY)
    nothing_happened(page)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("heading", name="Question details")).to_be_visible(timeout=READY)
    nothing_happened(page)
    for number in (1, 81, 200):
        page.goto(page.url.split("&question=")[0] + f"&question={number}")
        expect(page.get_by_text(STRINGS[number - 1]).first).to_be_visible(timeout=READY)
        nothing_happened(page)


@pytest.mark.full
def test_as_documents_to_tune_with(page, app_url):
    page.goto(f"{app_url}/tune?embedder=tfidf")
    unfold(page, "Your own documents")
    upload(page, ".st-key-short_files", *((f"{name}.txt", "\n---\n".join(STRINGS[:50])) for name in NAMES[:4]))
    page.get_by_role("button", name="Stitch documents", exact=True).click(timeout=READY)
    expect(page.get_by_text("documents stitched from").or_(page.get_by_role("alert")).first).to_be_visible(timeout=READY)
    nothing_happened(page)


@pytest.mark.full
def test_as_a_session_file(page, app_url):
    open_app(page, app_url, LIGHT)
    page.get_by_text("Downloads", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="The whole session, with its text").click()
    kept = json.loads(download.value.path().read_text())
    kept |= {"name": NAMES[4][:300], "text": TEXT, "known": None}
    upload(page, "", ("session.json", json.dumps(kept)))
    eventually(lambda: whole_text(page.locator(".seamark"), 0), TEXT)
    nothing_happened(page)
    for path in (["recipe", "embedder"], ["recipe", "sentences"], ["recipe", "chunker"]):
        open_app(page, app_url, LIGHT)
        broken = json.loads(json.dumps(kept))
        broken["columns"][0][path[0]][path[1]] = NAMES[5]
        upload(page, "", (f"{path[1]}.json", json.dumps(broken)))
        # An embedder is loaded only when the user says so.
        refused = page.get_by_role("alert")
        refused.or_(page.get_by_text("The link names the embedder")).first.wait_for()
        nothing_happened(page)
