"""The report of Compare: downloaded, sent and opened offline, it says what the page says, and nothing in it runs."""

import re

import pytest
from playwright.sync_api import expect
from pypdfium2 import PdfDocument

from evaluation.report.lecture_handouts_and_pictures import handout_html
from tests.browser.steps import embedded, open_app, paste
from tests.browser.test_accessibility import AXE, FOUND
from tests.fixtures.hostile_strings import STRINGS
from tests.lanes import mostly_full
from viz.shell.printed_lecture_scenes import lecture_sheets
from viz.state.lecture_decks import bundled_decks

LIGHT = "?embedder=tfidf&tokenizer=words&sentences=lines&c1=breakpoint&c1.amount=60&c2=recursive&c2.size=150"


def downloaded(page, folder):
    """Return the report that the page's button gives."""
    page.get_by_text("Downloads", exact=True).click()
    with page.expect_download() as caught:
        page.get_by_role("button", name="The comparison as a report, HTML").click()
    assert re.fullmatch(r"seamark-report-\w+\.html", caught.value.suggested_filename)
    file = folder / "report.html"
    caught.value.save_as(file)
    return file


def opened(browser, file, **options):
    """Open the file where there is no network; return the page, what it asked for and what it said."""
    session = browser.new_context(offline=True, **options)
    if AXE.exists():
        session.add_init_script(path=AXE)
    page = session.new_page()
    asked, messages = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("dialog", lambda dialog: (messages.append(dialog.message), dialog.dismiss()))
    page.goto(file.as_uri(), wait_until="networkidle")
    assert asked == [file.as_uri()]
    return page, messages


def test_it_says_what_the_page_says(open_page, browser, app_url, tmp_path):
    page = open_page()
    root = open_app(page, app_url, f"{LIGHT}&document=stubs")
    page.get_by_text("Which is best?", exact=True).click()
    verdict = page.get_by_text(re.compile("By the known boundaries, which part the text")).inner_text()
    counts = root.evaluate("root => root.seamark.columns.map(({ cuts }) => cuts.length + 1)")
    report, messages = opened(browser, downloaded(page, tmp_path))
    expect(report.get_by_text(verdict, exact=True)).to_be_visible()
    box_counts = [report.locator(".columns > section").nth(place).locator("li .box").count() for place in range(2)]
    assert box_counts == counts
    # The sentences' vectors were at hand, so the cosines are there.
    cosines = report.get_by_role("region", name="Without labels").locator("tbody tr").first.locator("td").nth(3)
    expect(cosines).to_have_text(re.compile(r"^−?0\.\d\d$"))
    assert not messages
    report.context.close()


@pytest.mark.parametrize(("width", "theme"), mostly_full([(1280, "light"), (400, "dark")], [(400, "dark")]))
def test_hostile_texts_do_nothing_in_it_and_it_fits(open_page, browser, app_url, tmp_path, width, theme):
    page = open_page()
    open_app(page, app_url, LIGHT)
    paste(page, "\n".join(STRINGS))
    embedded(page)
    report, messages = opened(
        browser, downloaded(page, tmp_path), viewport={"width": width, "height": 900}, color_scheme=theme
    )
    assert not messages
    assert report.evaluate("[window.ran, document.body.dataset.ran]") == [None, None]
    assert report.locator("script, img, iframe, a, object, link, form, input, base").count() == 0
    texts = report.locator(".columns > section").first.locator(".text").all_text_contents()
    assert "".join("".join(texts).split()) == "".join("".join(STRINGS).split())
    assert report.evaluate("document.documentElement.scrollWidth") == width
    report.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    if AXE.exists():
        assert report.evaluate(FOUND, []) == []
    # What A4 has between its margins.
    report.set_viewport_size({"width": 688, "height": 1000})
    report.emulate_media(media="print")
    assert report.evaluate("document.documentElement.scrollWidth") == 688
    assert report.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    report.context.close()


def one_line(words):
    return " ".join(words.split())


@pytest.mark.full
@pytest.mark.parametrize("name", ["ten-minutes", "recursive", "structure"])
def test_a_handout_is_printed_with_whole_chunks_and_the_answers_on_its_last_page(browser, tmp_path, name):
    deck = bundled_decks()[name]
    scenes = lecture_sheets(deck, {})
    file, printed = tmp_path / "handout.html", tmp_path / "handout.pdf"
    file.write_text(handout_html(deck.title, deck.about, scenes), encoding="utf-8")
    page, messages = opened(browser, file, color_scheme="dark")
    page.pdf(path=printed, format="A4")
    assert messages == []
    pages = [*PdfDocument(printed)]
    words = [one_line(page.get_textpage().get_text_bounded()) for page in pages]
    assert all(words), "no page is empty"
    exercises = [number for number, line in enumerate(words) if "Draw a line before each sentence" in line]
    answers = [number for number, line in enumerate(words) if line.startswith("Answers ")]
    assert exercises < answers == [len(words) - 1]
    assert not any("known boundaries" in line for line in words[:-1])
    for scene in scenes:
        for column in scene.columns:
            for chunk in column.chunks:
                assert any(one_line(chunk.text) in line for line in words), chunk.text
    assert all((page.render().to_numpy()[0, 0] == 255).all() for page in pages), "the dark theme is not printed"
