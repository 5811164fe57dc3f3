"""Odd and hostile input, in a real browser: shown as text or refused in a sentence, and nothing runs."""

import pytest

from tests.browser.steps import embedded, open_app, paste, until, whole_text

HOSTILE = [
    "<script>window.ran = 1; alert(1)</script>",
    '<img src=x onerror="window.ran = 1">',
    "<style>* { display: none !important }</style>",
    '<iframe srcdoc="<script>parent.ran = 1</script>"></iframe>',
]


def nothing_ran(page):
    assert page.evaluate("window.ran") is None
    assert page.locator("iframe[srcdoc]").count() == 0
    assert page.get_by_role("link", name="Compare").is_visible()


def upload(page, name, data):
    page.locator('[data-testid="stFileUploaderDropzoneInput"]').set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": data}
    )


def test_hostile_text_stays_text(page, app_url):
    root = open_app(page, app_url)
    text = " ".join(f"Here is {part}. And then some." for part in HOSTILE)
    paste(page, text)
    page.get_by_role("heading", name="Pasted text").wait_for()
    embedded(page)
    assert whole_text(root, 0) == text
    page.get_by_text("Every gap", exact=True).click()
    page.locator('[data-testid="stDataFrame"]').wait_for()
    nothing_ran(page)


@pytest.mark.parametrize("part", HOSTILE)
def test_hostile_file_names_stay_text(page, app_url, part):
    root = open_app(page, app_url)
    paste(page, "")
    name = part.replace("/", "∕") + " ![x](http://127.0.0.1:9/x.png).txt"
    upload(page, name, b"One sentence. Two sentences.")
    until(page, "(reader) => reader.data.title.endsWith('.txt')")
    # Browsers send a quotation mark in a file's name as %22.
    assert root.locator("h1").inner_text() == name.replace('"', "%22")
    nothing_ran(page)


def test_hostile_name_of_a_refused_file_stays_text(page, app_url):
    open_app(page, app_url)
    paste(page, "")
    upload(page, '<img src=x onerror="window.ran = 1">.txt', b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    said = page.get_by_text("it is binary")
    said.wait_for()
    assert said.inner_text().startswith("<img src=x")
    nothing_ran(page)


def test_a_refused_file_leaves_the_pasted_text(page, app_url):
    root = open_app(page, app_url)
    paste(page, "The first sentence. The second one.")
    page.get_by_role("heading", name="Pasted text").wait_for()
    upload(page, "broken.txt", "Größe, Höhe, Länge ".encode() * 5 + b"\xff" + b" more")
    page.get_by_text("is not valid UTF-8").wait_for()
    assert page.get_by_label("Text", exact=True).input_value() == "The first sentence. The second one."
    assert whole_text(root, 0) == "The first sentence. The second one."


def test_one_word_and_a_word_without_end(page, app_url):
    root = open_app(page, app_url)
    paste(page, "word")
    page.get_by_role("heading", name="Pasted text").wait_for()
    embedded(page)
    assert [whole_text(root, column) for column in range(3)] == ["word"] * 3
    endless = "x" * 100_000
    page.get_by_text("Paste or upload").click()
    paste_again = page.get_by_label("Text", exact=True)
    paste_again.fill(endless)
    paste_again.press("Control+Enter")
    until(page, "(reader) => reader.text.length === 100000")
    embedded(page)
    assert whole_text(root, 1) == endless


def test_no_text_yet(page, app_url):
    open_app(page, app_url)
    paste(page, "")
    page.get_by_text("There is no text yet").wait_for()


def test_emoji_and_combining_marks_keep_their_places(page, app_url):
    root = open_app(page, app_url)
    text = "🌊 waves rise. 👩‍👩‍👧 families swim. Cafe\u0301 opens. שלום עולם. The end 🏁."
    paste(page, text)
    page.get_by_role("heading", name="Pasted text").wait_for()
    embedded(page)
    assert [whole_text(root, column) for column in range(3)] == [text] * 3
