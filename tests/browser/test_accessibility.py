"""axe-core over every page in both themes, what stands in shadow roots included: no violation of any of its rules."""

import re

import pytest
from playwright.sync_api import expect

from tests import ROOT
from tests.browser.steps import READY, at_rest, embedded, eventually, painted, paste, run
from tests.lanes import mostly_full
from viz.shell.navigation import PAGES

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"

QUERIES = {
    "compare": ["", "lecture=1", "lecture=1&deck=ten-minutes&scene=3", "c1=fixed_words&c2=breakpoint&c2.amount=20"],
    "breakpoints": ["view=gaps", "view=scores", "view=steps&axis=similarity"],
    "clustering": ["selected=1", "selected=2", "selected=3"],
    "failures": ["selected=4", "document=emoji"],
    "answers": ["", "questions=typed"],
    "guide": ["", "c1=breakpoint", "c1=dbscan", "view=which", *(f"view=path&screen={number}" for number in range(1, 11))],
}
"""The states of a page, as what its link says beside the embedder; of the others the first screen alone."""

EXCLUDED = {}
"""Elements of Streamlit that cannot be fixed here: selectors, with the reason for each."""

FOUND = """(excluded) => axe.run({ exclude: excluded.map((one) => [one]) }, { resultTypes: ["violations"] }).then((result) =>
  result.violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, html, failureSummary }) =>
    `${id} (${help}): ${target.flat().join(" >>> ")}: ${html.slice(0, 200)}: ${failureSummary}`)))"""

CHUNK_COLOURS = {"light": "rgb(251, 250, 247)", "dark": "rgb(22, 24, 27)"}
"""The themes, each with the colour of its page."""

CHANGING = """() => document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) =>
  `${one.transitionProperty} ${one.playState} ${one.currentTime}: ${one.effect?.target?.outerHTML.slice(0, 200)}`)"""

DRAWN_IN = """() => [...document.querySelectorAll("*")].flatMap(({ shadowRoot }) =>
  [...(shadowRoot?.querySelectorAll("[data-theme]") ?? [])].map((root) => root.dataset.theme))"""

pytestmark = pytest.mark.skipif(not AXE.exists(), reason="axe-core comes with `make test`, or with `npm ci`")


@pytest.fixture(scope="module")
def page(kept_page):
    # Before the page's own scripts, as its Content-Security-Policy would refuse it later.
    kept_page.add_init_script(path=AXE)
    return kept_page


def violations(page):
    """Return every violation in either theme, with its rule, its element and what would mend it."""
    # The page's style sheet is drawn by a script of Streamlit that is fetched when it is first needed.
    styled = "(word) => [...document.querySelectorAll('style')].some(({ textContent }) => textContent.includes(word))"
    # A page with figures does not answer until their library is compiled, which takes seconds of processor time.
    eventually(lambda: page.evaluate(styled, "stCaptionContainer"), True, READY)
    faults = []
    for theme, ground in CHUNK_COLOURS.items():
        page.emulate_media(color_scheme=theme)
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", ground, timeout=READY)
        # Components draw in the new colours once Streamlit has told them, and some of its own change theirs slowly.
        eventually(lambda: page.evaluate(DRAWN_IN), lambda drawn, theme=theme: set(drawn) <= {theme}, READY)
        eventually(lambda: page.evaluate(CHANGING), [], READY)
        painted(page)
        faults += [f"{theme}: {fault}" for fault in page.evaluate(FOUND, [*EXCLUDED])]
    return faults


STATES = [(name, state) for name in PAGES for state in QUERIES.get(name, [""])]
FIRST = [(name, QUERIES.get(name, [""])[0]) for name in ("compare", "breakpoints", "failures", "tune", "answers")]
"""The states of `make test`: of the reader, the curve, the findings, and of the pages with few other tests."""


@pytest.mark.parametrize(("name", "state"), mostly_full(STATES, FIRST))
def test_no_page_violates_a_rule(page, app_url, name, state):
    page.goto(f"{app_url}/{'' if name == 'compare' else name}?embedder=tfidf&{state}")
    if name in ("tune", "retrieval"):
        expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=READY)
        at_rest(page)
    elif name == "answers":
        shown = page.get_by_role("textbox", name="Your questions") if state else page.locator(".answers .card").first
        expect(shown).to_be_visible(timeout=READY)
        at_rest(page)
    elif name == "guide":
        shown = page.get_by_role("button", name="Explain Structure") if "which" in state else page.locator(".pictures .row")
        # Not every screen of the path has a text in rows.
        shown = page.locator(".pictures p") if "path" in state else shown
        expect(shown.first).to_be_visible(timeout=READY)
        at_rest(page)
    else:
        embedded(page)
    assert violations(page) == []


@pytest.mark.full
def test_an_answered_question_violates_no_rule(page, app_url):
    page.goto(f"{app_url}/?embedder=tfidf&ask_limit=50")
    embedded(page)
    box = page.get_by_label("Ask your text")
    box.fill("How often does the comet return?")
    box.press("Enter")
    expect(page.locator(".rank").first).to_be_visible(timeout=READY)
    page.locator(".text").first.focus()
    page.keyboard.press("a")
    expect(page.get_by_role("button", name="Mark as the answer")).to_be_visible()
    # As much as some column splits.
    for _ in range(4):
        page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".fate")).to_have_count(3)
    expect(page.locator(".remedies:not([hidden])").first).to_be_visible()
    expect(page.locator(".remedies progress")).to_have_count(0, timeout=READY)
    at_rest(page)
    assert violations(page) == []


@pytest.mark.full
def test_a_previewed_change_violates_no_rule(page, app_url):
    # The flash of a jump fades.
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{app_url}/?embedder=tfidf")
    embedded(page)
    at_rest(page)
    page.keyboard.press("d")
    page.locator(".dispute .would").first.click()
    expect(page.locator(".dispute [data-act=apply]")).to_be_enabled()
    assert violations(page) == []


@pytest.mark.full
def test_a_folded_text_with_marks_violates_no_rule(page, app_url):
    page.goto(f"{app_url}/?embedder=tfidf")
    embedded(page)
    paste(page, "# Herons\n\nA heron waits. It eats fish.\n\n# Looms\n\n- The warp is wool.")
    root = page.locator(".seamark")
    root.get_by_role("button", name="▲ Mark").click()
    root.get_by_role("button", name="Headings as marks").click()
    expect(root.locator(".gap[aria-pressed=true]")).to_have_count(1)
    assert violations(page) == []


@pytest.mark.full
def test_the_results_of_a_sweep_violate_no_rule(page, app_url):
    page.goto(f"{app_url}/tune?embedder=tfidf&what=fixed_sentences&first=size&values=2,4,6")
    run(page)
    expect(page.get_by_text(re.compile("lowest here: Pk")).last).to_be_visible(timeout=READY)
    at_rest(page)
    assert violations(page) == []


@pytest.mark.full
def test_the_results_of_a_retrieval_run_violate_no_rule(page, app_url):
    page.goto(f"{app_url}/retrieval?embedder=tfidf&c1=recursive&c1.size=300&c2=fixed_sentences&budget=500")
    run(page)
    expect(page.locator(".failed .row").first).to_be_visible(timeout=READY)
    expect(page.get_by_role("heading", name="Question details")).to_be_visible(timeout=READY)
    at_rest(page)
    assert violations(page) == []


@pytest.mark.full
def test_a_violation_is_found_in_a_shadow_root_and_named(page, app_url):
    page.goto(f"{app_url}/?embedder=tfidf")
    embedded(page)
    page.locator(".seamark").evaluate("(root) => root.append(document.createElement('img'))")
    assert [violation.split(" (")[0] for violation in violations(page)] == ["light: image-alt", "dark: image-alt"]
