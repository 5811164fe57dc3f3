"""The pages of a PDF and the chapters of a book beside their chunks, in a real browser, and the file as it was read."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, at_rest, embedded, eventually, open_app, read, whole_text
from tests.chunkers.text.test_parts import book, pdf

TWO_A_CHUNK = "?sentences=lines&embedder=tfidf&c1=fixed_sentences&c1.size=2&c2=fixed_words&selected=1"
PAGES = [[f"Page {'abcdef'[n]} begins here.", f"It goes on {'on ' * n}here.", f"It ends {'so ' * n}here."] for n in range(6)]


def give(page, name, data):
    at_rest(page)
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.locator('[data-testid="stFileUploaderDropzoneInput"]').set_input_files(file)
    expect(page.get_by_role("heading", name=name)).to_be_visible(timeout=READY)
    embedded(page)


def places(page):
    """Return the labels next to the chunks of the first column."""
    return (
        page.locator(".seamark .text").first.locator(".pages").evaluate_all("(all) => all.map((one) => one.dataset.pages)")
    )


@pytest.mark.full
def test_every_chunk_has_its_pages_which_are_no_part_of_the_text_and_outlive_a_reload(page, app_url):
    root = open_app(page, app_url, TWO_A_CHUNK)
    give(page, "marks.pdf", pdf(PAGES, header="Yearbook {n}"))
    wanted = ["p. 1", "pp. 1–2", "p. 2", "p. 3", "pp. 3–4", "p. 4", "p. 5", "pp. 5–6", "p. 6"]
    eventually(lambda: places(page), wanted)
    text = "\n\n".join("\n".join(lines) for lines in PAGES)
    eventually(lambda: whole_text(root, 0), text)
    expect(root.get_by_role("group", name="chunk 2, pp. 1–2").first).to_be_visible()
    page.reload()
    eventually(lambda: read(page.locator(".seamark"), "({ ready, text }) => ready && text"), text, READY)
    eventually(lambda: places(page), wanted)


def test_the_rows_of_a_table_are_named_and_have_its_header(page, app_url):
    root = open_app(page, app_url, "?sentences=lines&embedder=tfidf&c1=structure&c1.max_size=30&c2=fixed_words&selected=1")
    rows = "".join(f"{number};a lamp with a red lens\n" for number in range(1, 5))
    give(page, "lamps.csv", f"\ufeffNumber;Thing\n{rows}".encode())
    eventually(lambda: places(page), ["rows 1–3", "rows 4–5"])
    expect(root.get_by_role("group", name="chunk 2, rows 4–5").first).to_contain_text("| 3 | a lamp with a red lens |")


@pytest.mark.full
def test_a_title_is_text_and_the_file_is_shown_as_it_was_read(page, app_url):
    open_app(page, app_url, TWO_A_CHUNK)
    title = "The &lt;img src=x onerror='window.ran = 1'&gt; storm"
    give(page, "marks.epub", book([f"<h1>{title}</h1><p>It blows.</p><img src='x'/>", "<p>It is over.</p>"]))
    shown = "The <img src=x onerror='window.ran = 1'>…"
    eventually(lambda: [place[:20] for place in places(page)], [shown[:20], "ch. 2"])
    page.get_by_text("Parsing", exact=True).click()
    expect(page.get_by_text("left out here: 1 picture")).to_be_visible(timeout=READY)
    expect(page.locator("[data-testid=stCode]")).to_contain_text("# The <img src=x onerror='window.ran = 1'> storm")
    page.get_by_label("Chapter (1 to 2)").fill("2")
    page.get_by_label("Chapter (1 to 2)").press("Enter")
    expect(page.locator("[data-testid=stCode]")).to_have_text("It is over.")
    assert page.evaluate("window.ran") is None
