"""The user's own text, in a real browser: given in any way, kept by the tab, and by nothing else."""

import re
from contextlib import suppress
from itertools import cycle
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.steps import (
    READY,
    at_rest,
    box_of,
    embedded,
    eventually,
    open_app,
    open_box,
    paste,
    read,
    until,
    whole_text,
)
from tests.fixtures.app_server import app_server
from tests.lanes import mostly_full
from viz.controls.text_storage import MOST_TEXT_CHARACTERS_IN_TAB, TEXT_NOT_IN_LINK_MESSAGE

QUICK = "?embedder=tfidf&c1=fixed_sentences&c2=breakpoint&selected=1"
HEARD = 15_000
"""Milliseconds after which a key press is taken for one that nobody has heard."""

WORDS = "The lamp turns all night. A ship sees it. The keeper sleeps by day.\nNobody else lives there."
HOSTILE = '<img src=x onerror="window.ran = 1"><script>window.ran = 1</script> & <b>bold</b>. A second sentence.'


def root_of(page):
    return page.locator(".seamark")


def shows(page, text, name):
    expect(page.get_by_role("heading", name=name)).to_be_visible(timeout=READY)
    embedded(page)
    eventually(lambda: whole_text(root_of(page), 0), text)


def facts(page):
    return page.locator(".text-bar .facts")


def own_chip(page):
    return page.locator('.text-bar .chip[data-id="own"]')


def copy(page, text):
    """Put a text on the clipboard as a user does, and leave the box as it was."""
    box = open_box(page)
    before = box.input_value()
    box.fill(text)
    box.press("Control+a")
    box.press("Control+c")
    box.fill(before)
    box.press("Escape")
    expect(box).not_to_be_visible()


def drop(page, *files):
    """Drop files on the text as the browser's own drag does."""
    place = page.locator(".seamark").bounding_box()
    devices = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(file) for file in files], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        at = {"x": place["x"] + 200, "y": place["y"] + 150}
        devices.send("Input.dispatchDragEvent", {"type": kind, **at, "data": data})


@pytest.mark.full
def test_the_first_control_gives_a_text_and_says_how_long_it_is(page, app_url):
    open_app(page, app_url, QUICK)
    give = page.get_by_role("button", name="Paste, drop or upload a text")
    # It comes before whatever else the page about a text has.
    first = page.get_by_test_id("stMain").get_by_role("button").first
    expect(first).to_have_accessible_name("Paste, drop or upload a text")
    give.press("Enter")
    box = page.get_by_label("Text", exact=True)
    expect(box).to_be_focused()
    # Of nothing there is nothing to cut.
    page.get_by_role("button", name="Cut it", exact=True).click()
    expect(page.locator(".text-foot .count")).to_have_text("Paste or type a text first")
    expect(box).to_be_focused()
    page.keyboard.type("Two words. And more 🌊.")
    expect(page.locator(".text-foot .count")).to_have_text("22 characters · 5 words")
    page.get_by_role("button", name="Cut it", exact=True).click()
    shows(page, "Two words. And more 🌊.", "Pasted text")
    expect(box).not_to_be_visible()
    expect(own_chip(page)).to_have_attribute("aria-pressed", "true")
    expect(facts(page)).to_have_text("2 sentences · 22 characters · English (detected)")


@pytest.mark.parametrize(("width", "height"), mostly_full([(1280, 720), (1024, 768), (800, 600), (400, 800)], [(400, 800)]))
def test_the_row_is_one_row_and_covers_nothing(open_page, app_url, width, height):
    page = open_page(viewport={"width": width, "height": height})
    open_app(page, app_url, QUICK)
    bar = page.locator(".text-bar")
    eventually(lambda: box_of(bar)["height"], lambda height: height <= (45 if width > 1000 else 100))
    below = root_of(page).bounding_box()["y"]
    assert below >= bar.bounding_box()["y"] + bar.bounding_box()["height"]
    for button in [control for control in bar.get_by_role("button").all() if control.is_visible()]:
        place = button.bounding_box()
        assert place["x"] >= 0
        assert place["x"] + place["width"] <= width


def test_a_sample_of_the_list_is_chosen_by_keys(page, app_url):
    open_app(page, app_url, QUICK)
    more = page.locator(".text-bar .more")
    counted = int(re.match(r"\d+", more.inner_text())[0])
    more.press("Enter")
    entries = page.locator(".text-bar .entry:visible")
    expect(entries).to_have_count(counted)
    expect(entries.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    chosen = entries.nth(1).locator(".title").inner_text()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=chosen)).to_be_visible(timeout=READY)
    expect(page.locator('.text-bar .chip[aria-pressed="true"]')).to_have_text(chosen)
    expect(entries).to_have_count(0)


@pytest.mark.full
def test_a_text_is_pasted_anywhere_but_where_one_writes(page, app_url):
    root = open_app(page, app_url, QUICK)
    copy(page, WORDS)
    at_rest(page)
    root.locator(".text").first.click()
    page.keyboard.press("Control+v")
    shows(page, WORDS, "Pasted text")
    page.wait_for_url("**document=own**")
    box = open_box(page)
    expect(box).to_have_value(WORDS)
    box.press("Control+End")
    page.keyboard.press("Control+v")
    expect(box).to_have_value(WORDS * 2)
    assert whole_text(root, 0) == WORDS


@pytest.mark.full
def test_a_dropped_file_goes_the_way_of_an_upload(page, app_url, tmp_path):
    open_app(page, app_url, QUICK)
    html = tmp_path / "notes.html"
    html.write_bytes(b"<meta charset=utf-8><p>One is here. Two is there.</p><script>window.ran = 1</script>")
    drop(page, html)
    shows(page, "One is here. Two is there.", "notes.html")
    assert page.evaluate("window.ran") is None
    expect(page.get_by_label("Text", exact=True)).to_have_value("One is here. Two is there.")
    # What the upload refuses is refused, and the reason is seen though the box was closed.
    other = tmp_path / "picture.png"
    other.write_bytes(b"\x89PNG")
    drop(page, other)
    expect(page.get_by_test_id("stFileUploader").get_by_role("alert")).to_be_visible()
    assert whole_text(root_of(page), 0) == "One is here. Two is there."


@pytest.mark.full
def test_a_file_that_is_dropped_before_the_upload_is_drawn_is_kept_for_it(open_page, app_url, tmp_path):
    page, held = open_page(alone=True), []
    page.route("**/FileUploader*.js", lambda route: held.append(route))
    open_app(page, app_url, QUICK)
    file = tmp_path / "early.txt"
    file.write_text(WORDS)
    drop(page, file)
    expect(page.get_by_test_id("stFileUploader")).to_have_count(0)
    eventually(lambda: len(held), 1)
    held[0].continue_()
    shows(page, WORDS, "early.txt")


@pytest.mark.full
def test_while_a_file_is_over_the_page_the_page_says_what_becomes_of_it(page, app_url, tmp_path):
    open_app(page, app_url, QUICK)
    file = tmp_path / "a.txt"
    file.write_text("One.")
    devices = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
    sign = page.get_by_text("Drop the file: its text is cut here")
    devices.send("Input.dispatchDragEvent", {"type": "dragEnter", "x": 700, "y": 400, "data": data})

    def held():
        # A file that is held over a page says so again and again.
        devices.send("Input.dispatchDragEvent", {"type": "dragOver", "x": 700, "y": 400, "data": data})
        return sign.is_visible()

    eventually(held, True)
    devices.send("Input.dispatchDragEvent", {"type": "drop", "x": 700, "y": 400, "data": data})
    expect(sign).not_to_be_visible()
    shows(page, "One.", "a.txt")


@pytest.mark.full
def test_a_reload_keeps_the_text_its_name_its_boundaries_and_what_was_chosen(page, app_url):
    open_app(page, app_url, QUICK)
    text = "One is here.\n---\nTwo is here. Three is here."
    paste(page, text)
    shows(page, text.replace("---\n", ""), "Pasted text")
    page.reload()
    shows(page, text.replace("---\n", ""), "Pasted text")
    expect(page.get_by_label("Text", exact=True)).to_have_value(text)
    expect(root_of(page).get_by_text("1 known boundary").first).to_be_visible()
    expect(page.get_by_text(TEXT_NOT_IN_LINK_MESSAGE)).to_have_count(0)
    assert "One is here" not in page.url


@pytest.mark.full
def test_what_is_written_and_not_cut_yet_outlasts_a_reload(page, app_url):
    open_app(page, app_url, QUICK)
    box = open_box(page)
    box.press_sequentially("One is here.\n---\nTwo is here.")
    page.reload()
    embedded(page)
    own_chip(page).click()
    shows(page, "One is here.\nTwo is here.", "Pasted text")
    open_box(page)
    box.press("Control+End")
    box.press_sequentially(" Three.")
    page.reload()
    shows(page, "One is here.\nTwo is here. Three.", "Pasted text")


@pytest.mark.full
def test_a_kept_text_is_a_chip_while_a_sample_is_shown(page, app_url):
    open_app(page, app_url, QUICK)
    paste(page, WORDS)
    shows(page, WORDS, "Pasted text")
    page.goto(f"{app_url}/{QUICK}&document=three_topics")
    expect(page.get_by_role("heading", name="Three unequal topics")).to_be_visible(timeout=READY)
    embedded(page)
    assert "document=three_topics" in page.url
    own_chip(page).click()
    shows(page, WORDS, "Pasted text")


@pytest.mark.full
def test_a_restarted_server_is_given_the_text_again(page, tmp_path):
    with app_server(tmp_path / "first.txt") as server:
        open_app(page, server.url, QUICK)
        paste(page, WORDS)
        shows(page, WORDS, "Pasted text")
    with app_server(tmp_path / "second.txt", port=urlsplit(server.url).port) as again:
        assert again.url == server.url
        # The page finds the server by itself, and asks it when it is used next; what is used first may not be heard.
        connected = "() => document.querySelector('[data-testid=stApp]').dataset.testConnectionState === 'CONNECTED'"
        page.wait_for_function(connected, timeout=READY)
        keys = cycle(["Home", "ArrowRight"])

        def heard():
            page.get_by_role("slider", name="Sentences per chunk").press(next(keys))
            with suppress(AssertionError):
                until(root_of(page), "({ columns }) => columns[0].blocks > 1", HEARD)
                return True
            return False

        eventually(heard, True)
        shows(page, WORDS, "Pasted text")
        expect(page.get_by_text(TEXT_NOT_IN_LINK_MESSAGE)).to_have_count(0)
        page.reload()
        shows(page, WORDS, "Pasted text")


@pytest.mark.full
def test_a_second_tab_has_nothing_of_it_and_says_whose_text_the_link_means(page, app_url):
    open_app(page, app_url, QUICK)
    paste(page, WORDS)
    shows(page, WORDS, "Pasted text")
    second = page.context.new_page()
    open_app(second, app_url, f"{QUICK}&document=own&sentences=sentencex")
    notice = second.get_by_text(TEXT_NOT_IN_LINK_MESSAGE)
    expect(notice).to_be_visible()
    expect(second.get_by_role("alert")).to_have_count(0)
    expect(second.get_by_label("Text", exact=True)).to_be_visible()
    expect(own_chip(second)).to_have_count(0)
    assert WORDS not in second.content()
    # It has had its say once another text is chosen.
    second.locator(".text-bar .chip").first.click()
    expect(notice).to_have_count(0)
    assert whole_text(root_of(page), 0) == WORDS


@pytest.mark.full
def test_hostile_text_stays_text_when_it_comes_back(page, app_url):
    open_app(page, app_url, QUICK)
    paste(page, HOSTILE)
    shows(page, HOSTILE, "Pasted text")
    page.reload()
    shows(page, HOSTILE, "Pasted text")
    page.evaluate(
        'sessionStorage.setItem(\'seamark.own\', \'{"name": "<img src=x onerror=window.ran=1>", "known": [9, 3]}\')'
    )
    page.reload()
    expect(page.get_by_text(TEXT_NOT_IN_LINK_MESSAGE)).to_be_visible(timeout=READY)
    page.evaluate("sessionStorage.setItem('seamark.own', 'no JSON')")
    open_app(page, app_url, f"{QUICK}&document=own")
    expect(page.get_by_text(TEXT_NOT_IN_LINK_MESSAGE)).to_be_visible()
    assert page.evaluate("window.ran") is None


def lines(length):
    """Return a text of that many characters, of lines that differ."""
    return "".join(f"In year {number} the harbour was dredged again and again.\n" for number in range(length // 50))[:length]


FILES = "?sentences=lines&c1=fixed_sentences&c1.size=500&c2=fixed_words&selected=1"


def give(page, name, text):
    at_rest(page)
    file = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
    page.locator('[data-testid="stFileUploaderDropzoneInput"]').set_input_files(file)
    eventually(lambda: read(root_of(page), "({ ready, text }) => ready && text.length"), len(text), READY)


@pytest.mark.full
def test_a_long_text_is_kept_but_not_edited(page, app_url):
    open_app(page, app_url, FILES)
    text = lines(1_000_000)
    give(page, "long.txt", text)
    box = open_box(page)
    expect(page.get_by_text("1,000,000 characters are too many to edit here; 100,000 can be.")).to_be_visible()
    expect(box).to_have_value("")
    page.reload()
    eventually(lambda: read(root_of(page), "({ ready, text }) => ready && text.length"), len(text), READY)
    assert page.evaluate("sessionStorage.getItem('seamark.own.text')") == text
    expect(page.get_by_role("heading", name="long.txt")).to_be_visible()


@pytest.mark.full
def test_a_text_beyond_what_the_tab_keeps_says_so_before_and_after(page, app_url):
    open_app(page, app_url, FILES)
    give(page, "short.txt", WORDS)
    text = lines(MOST_TEXT_CHARACTERS_IN_TAB + 1)
    give(page, "longer.txt", text)
    expect(page.get_by_text("A reload loses this text: it has 2,000,001 characters")).to_be_visible()
    page.reload()
    notice = page.get_by_text("The tab could not keep longer.txt: it has 2,000,001 characters.")
    expect(notice).to_be_visible(timeout=READY)
    assert page.evaluate("sessionStorage.getItem('seamark.own.text')") == ""
