"""Odd and hostile input, in a real browser: shown as text or refused in a sentence, and nothing runs."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import at_rest, embedded, eventually, open_app, paste, whole_text
from tests.lanes import mostly_full

HOSTILE = [
    "<script>window.ran = 1; alert(1)</script>",
    '<img src=x onerror="window.ran = 1">',
    "<style>* { display: none !important }</style>",
    '<iframe srcdoc="<script>parent.ran = 1</script>"></iframe>',
]


def nothing_ran(page):
    # Whatever was to be drawn has been.
    at_rest(page)
    expect(page.get_by_role("link", name="Compare")).to_be_visible()
    assert page.evaluate("window.ran") is None
    assert page.locator("iframe[srcdoc]").count() == 0


def texts(root):
    return [whole_text(root, number) for number in range(3)]


def upload(page, name, data):
    # While the script runs, Streamlit may draw the box anew.
    at_rest(page)
    page.locator('[data-testid="stFileUploaderDropzoneInput"]').set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": data}
    )


def test_hostile_text_stays_text(page, app_url):
    root = open_app(page, app_url, "?embedder=tfidf")
    text = " ".join(f"Here is {part}. And then some." for part in HOSTILE)
    paste(page, text)
    page.get_by_role("heading", name="Pasted text").wait_for()
    embedded(page)
    eventually(lambda: whole_text(root, 0), text)
    page.get_by_text("Every gap", exact=True).click()
    page.locator('[data-testid="stDataFrame"]').wait_for()
    nothing_ran(page)


@pytest.mark.parametrize("part", mostly_full(HOSTILE, HOSTILE[1:2]))
def test_hostile_file_names_stay_text(page, app_url, part):
    root = open_app(page, app_url, "?embedder=tfidf")
    name = part.replace("/", "∕") + " ![x](http://127.0.0.1:9/x.png).txt"
    upload(page, name, b"One sentence. Two sentences.")
    # Browsers send a quotation mark in a file's name as %22.
    eventually(root.locator("h1").inner_text, name.replace('"', "%22"))
    embedded(page)
    nothing_ran(page)


def test_hostile_name_of_a_refused_file_stays_text(page, app_url):
    open_app(page, app_url, "?embedder=tfidf")
    upload(page, '<img src=x onerror="window.ran = 1">.txt', b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    message = page.get_by_text("it is binary")
    message.wait_for()
    eventually(message.inner_text, lambda words: words.startswith("<img src=x"))
    nothing_ran(page)


def test_a_refused_file_leaves_the_pasted_text(page, app_url):
    root = open_app(page, app_url, "?embedder=tfidf")
    paste(page, "The first sentence. The second one.")
    page.get_by_role("heading", name="Pasted text").wait_for()
    upload(page, "broken.txt", "Größe, Höhe, Länge ".encode() * 5 + b"\xff" + b" more")
    page.get_by_text("is not valid UTF-8").wait_for()
    embedded(page)
    expect(page.get_by_label("Text", exact=True)).to_have_value("The first sentence. The second one.")
    assert whole_text(root, 0) == "The first sentence. The second one."


@pytest.mark.full
def test_one_word_and_a_word_without_end(page, app_url):
    root = open_app(page, app_url, "?embedder=tfidf")
    paste(page, "word")
    page.get_by_role("heading", name="Pasted text").wait_for()
    embedded(page)
    eventually(lambda: texts(root), ["word"] * 3)
    endless = "x" * 100_000
    paste(page, endless)
    eventually(lambda: whole_text(root, 1), endless)


@pytest.mark.full
def test_no_text_yet(page, app_url):
    open_app(page, app_url, "?embedder=tfidf")
    paste(page, "word")
    page.get_by_role("heading", name="Pasted text").wait_for()
    paste(page, "")
    page.get_by_text("There is no text yet").wait_for()


@pytest.mark.full
def test_emoji_and_combining_marks_keep_their_places(page, app_url):
    root = open_app(page, app_url, "?embedder=tfidf")
    text = "🌊 waves rise. 👩‍👩‍👧 families swim. Cafe\u0301 opens. שלום עולם. The end 🏁."
    paste(page, text)
    page.get_by_role("heading", name="Pasted text").wait_for()
    embedded(page)
    eventually(lambda: texts(root), [text] * 3)
