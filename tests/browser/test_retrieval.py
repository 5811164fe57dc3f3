"""The Retrieval page in a real browser: a run that outlives the page, what takes effect at once, and the passages."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import READY, at_rest, choose, eventually, run

QUICK = "/retrieval?embedder=tfidf&c1=recursive&c1.size=300&c2=fixed_sentences&at=k"
SLOW = "/retrieval?c1=fixed_sentences&c1.size=60&c2=optimal&c3=double_pass"
DOCUMENTS = [
    {"name": "birds.txt", "mimeType": "text/plain", "buffer": b"The heron waits. It eats fish.\n\nThe owl hunts at night."},
    {"name": "junk.txt", "mimeType": "text/plain", "buffer": b"a\0b"},
]
QUESTIONS = b"question,excerpts\nWhat does it eat?,It eats fish.\nWhat of owls?,No such words.\n"


def measured(page, url):
    """Press the button and wait for the end of the run."""
    page.goto(url)
    run(page)
    ended(page)


def ended(page):
    expect(page.get_by_text("This result comes with Seamark")).to_have_count(0, timeout=READY)
    expect(page.get_by_role("heading", name="Question details")).to_be_visible(timeout=READY)


def cell(page, label):
    """Return the cell of the summary under a label."""
    return page.locator("dl div").filter(has=page.locator("dt", has_text=label))


@pytest.mark.full
def test_a_finished_run_is_there_after_a_reload_with_what_was_chosen(page, app_url):
    measured(page, f"{app_url}{QUICK}&question=5")
    expect(cell(page, "Asked")).to_contain_text("40 questions")
    cost = cell(page, "What it cost")
    before = cost.inner_text()
    choose(page, "Top k", "1")
    expect(cost).not_to_have_text(before, use_inner_text=True, timeout=READY)
    choose(page, "Compared with", re.compile("^2. Fixed sentences"))
    expect(page.get_by_role("heading", name="Against 2. Fixed sentences")).to_be_visible(timeout=READY)
    page.wait_for_url(re.compile(r"baseline=2.*run=|run=.*baseline=2"), timeout=READY)
    at_rest(page)
    cost_text = cost.inner_text()
    page.reload()
    ended(page)
    expect(page.get_by_role("heading", name="Against 2. Fixed sentences")).to_be_visible()
    expect(cost).to_have_text(cost_text, use_inner_text=True)
    # Where something has changed, the error says what.
    eventually(page.get_by_text("changed since").all_inner_texts, [])


@pytest.mark.full
def test_a_click_on_the_curves_chooses_the_budget_as_often_as_wanted(page, app_url):
    page.goto(f"{app_url}/retrieval")
    # While the script runs, Streamlit may keep the chart of before beside the new one.
    curve = page.locator(".st-key-retrieval_curve:not([data-stale=true])")
    plot = curve.locator(".nsewdrag").first
    for share, budget in ((0.04, "250"), (0.79, "8,000"), (0.04, "250")):
        expect(plot).to_be_visible(timeout=READY)
        at_rest(page)
        plot.scroll_into_view_if_needed()
        size = plot.bounding_box()
        # Near the points of a budget, not on one of them.
        plot.click(position={"x": share * size["width"], "y": 0.2 * size["height"]})
        expect(curve).to_contain_text(f"{budget} tokens", timeout=READY)
        expect(page.get_by_role("combobox", name="Budget", exact=True)).to_have_value(f"{budget} tokens")
        page.wait_for_url(re.compile(rf"budget={budget.replace(',', '')}\b"), timeout=READY)


@pytest.mark.full
def test_the_passages_of_the_question_of_the_link(page, app_url):
    measured(page, f"{app_url}{QUICK}&question=5")
    sections = page.locator(".passages").first.locator("section")
    expect(sections.first.locator("h3")).to_contain_text("1 · ")
    # Every excerpt is either marked in a chunk or told to be missing.
    expect(page.locator(".passages mark, .passages del").first).to_be_attached()
    page.get_by_role("radio", name="In the documents").click()
    ranks = page.locator(".passages").first.locator("sup")
    expect(ranks.first).to_be_visible(timeout=READY)
    eventually(lambda: set(ranks.all_inner_texts()), {"1", "2", "3", "4", "5"})
    page.get_by_text("Only where the chunkers disagree").click()
    page.wait_for_url("**disagree=yes**", timeout=READY)
    expect(page.locator(".passages").first).to_be_visible()


def test_a_failed_question_leads_to_its_passage_where_the_budget_ends(page, app_url):
    page.goto(f"{app_url}/retrieval?budget=500&failed=2")
    # The run that comes with Seamark: nothing has to be measured.
    expect(page.get_by_text("This result comes with Seamark")).to_be_visible(timeout=READY)
    row = page.locator(".failed .row").first
    expect(row).to_contain_text("missed", timeout=READY)
    question = row.locator("strong").inner_text().partition(".")[0]
    row.click()
    expect(row).to_have_attribute("aria-current", "true", timeout=READY)
    expect(page.get_by_role("heading", name="Question details")).to_be_in_viewport()
    end = page.locator(".passages").first.locator(".end")
    expect(end).to_have_text("500 tokens")
    page.wait_for_url(lambda url: f"question={question}" in url and "left=2" in url, timeout=READY)
    # A list that is open closes where the page scrolls.
    page.get_by_label("Counted in").first.scroll_into_view_if_needed()
    choose(page, "Counted in", "characters")
    expect(end).to_have_text("2,000 characters", timeout=READY)
    page.wait_for_url(re.compile("budget_unit=characters"), timeout=READY)


def test_the_passage_is_seen_on_compare(page, app_url):
    page.goto(f"{app_url}/retrieval?budget=500&failed=1&question=40&left=1&right=2")
    page.get_by_role("button", name="See the passage on Compare").click(timeout=READY)
    page.wait_for_url("**document=report**", timeout=READY)
    expect(page.get_by_text("They weigh 31 tonnes each").first).to_be_in_viewport(timeout=READY)


@pytest.mark.full
def test_a_running_run_survives_a_reload_and_cancel_keeps_what_is_done(page, app_url):
    page.goto(app_url + SLOW)
    page.get_by_role("button", name="Run", exact=True).click(timeout=READY)
    at_work = page.get_by_text(re.compile(r"2\. Optimal: .* texts embedded"))
    expect(at_work).to_be_visible(timeout=READY)
    page.wait_for_url("**run=**", timeout=READY)
    page.reload()
    page.get_by_role("button", name="Cancel").click(timeout=READY)
    expect(page.get_by_text(re.compile(r"Stopped after [12] of 3 chunkers\."))).to_be_visible(timeout=READY)
    expect(cell(page, "Asked")).to_contain_text("40 questions", timeout=READY)


@pytest.mark.full
def test_the_user_s_own_documents_come_back_with_their_run(page, app_url):
    page.goto(app_url + QUICK)
    page.get_by_role("radio", name="Your own").click(timeout=READY)
    page.locator(".st-key-retrieval_documents input[type=file]").set_input_files(DOCUMENTS)
    expect(page.get_by_text("junk.txt: the file must be plain text")).to_be_visible(timeout=READY)
    page.locator(".st-key-retrieval_questions input[type=file]").set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": QUESTIONS},
    )
    expect(page.get_by_text("2 chunkers on 1 document", exact=True)).to_be_visible(timeout=READY)
    page.get_by_role("button", name="Run", exact=True).click()
    ended(page)
    expect(page.get_by_text("1 question problem")).to_be_visible()
    page.wait_for_url("**run=**", timeout=READY)
    assert "heron" not in page.url
    page.reload()
    ended(page)
    expect(page.get_by_text("Reused from the run shown: 1 document and mine.csv.")).to_be_visible()
    expect(cell(page, "Asked")).to_contain_text("1 question")
    expect(page.locator(".passages mark").first).to_have_text("It eats fish")
    # Its document is the own text of Compare then, cut by the run's chunkers.
    page.get_by_role("button", name="See the passage on Compare").click()
    expect(page.get_by_role("heading", name="birds.txt", exact=True)).to_be_visible(timeout=READY)
    expect(page.get_by_text("Columns replaced by those of Retrieval")).to_be_visible(timeout=READY)
    assert "heron" not in page.url
