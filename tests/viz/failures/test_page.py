"""The Failures page without a browser: the gallery, the measures, the search, the inbox, marking and the link."""

import json
import re
from dataclasses import replace

import pytest

from chunkers import Span, Tools, build_chunker, chunk, load_embedder, load_tokenizer
from chunkers.contract.base import run_and_time_chunker
from evaluation.findings.rules import RULES, find_suspicious_cuts
from evaluation.questions.questions_with_documents import MarkedQuestion
from evaluation.remedies.tested_changes import FindingsByRule
from evaluation.retrieval.asked_question import PosedQuestion
from evaluation.segmentation.boundary_files import boundaries_and_text_hash_json
from evaluation.segmentation.boundary_measures import Score
from evaluation.segmentation.settings_sweep import (
    HIGHER_IS_BETTER,
    OUR_SOURCE,
    SETTINGS_BY_CHUNKER,
    SweptSetting,
    published_setting_and_source,
)
from sample_docs import load_sample, sample_titles
from tests.support import ended
from tests.viz.app_steps import box_of, choose_document, settled, tell
from viz.failures.inbox import elide_middle
from viz.failures.page import TABLE_MEASURES, measured_setting_rows
from viz.failures.published_and_best_settings import MeasuredSetting
from viz.shell.column_runs_and_results import ColumnResult
from viz.state.choices import ColumnChoice
from viz.state.shown_text import TextWithDetails

OWN_TEXT = "One is here. Two is here.\n---\nThree is here. Four is here."


@pytest.fixture
def app(app):
    app.switch_page("pages/failures.py")
    yield app
    for search in app.session_state.get("best_setting_searches", {}).values():
        search.cancel()
        ended(search)


def parts(app):
    """Return the data of every component that is JSON."""
    payloads = []
    for part in app.get("bidi_component"):
        try:
            payloads.append(json.loads(part.proto.json)[0])
        except ValueError:
            continue
    return payloads


def gallery_of(app):
    return next(data for data in parts(app) if isinstance(data, dict) and "cards" in data)


def table_of(app):
    return next(data for data in parts(app) if isinstance(data, dict) and "heads" in data)


def inbox_of(app):
    return next(data for data in parts(app) if isinstance(data, dict) and "counts" in data)


def reader_of(app):
    return next(data for data in parts(app) if isinstance(data, dict) and "columns" in data)


def own(app, text=OWN_TEXT):
    app.query_params["document"] = "stubs"
    app.run()
    box_of(app).set_value(text)
    return settled(app)


def button(app, label):
    return next(button for button in app.button if button.label == label)


def test_the_gallery_has_every_sample_and_what_it_teaches(app):
    app.run()
    assert not app.exception
    cards = gallery_of(app)["cards"]
    assert [card["id"] for card in cards] == [*sample_titles(), "own"]
    for card in cards[:-1]:
        assert card["teaches"] == load_sample(card["id"]).teaches
    assert {card["id"]: card["known"] for card in cards}["algorithm"] == "one topic"


@pytest.mark.full
def test_every_chunker_is_measured_and_its_wrong_sentences_are_sent(app):
    app.query_params["document"] = "article"
    settled(app)
    assert not app.exception
    rows = table_of(app)["rows"]
    assert [row["column"] for row in rows if row["kind"] == "published"] == list(range(len(SETTINGS_BY_CHUNKER)))
    assert [row["origin"] for row in rows if row["kind"] == "compare"] == ["column 1", "column 2", "column 3"]
    assert all(len(row["cells"]) == len(table_of(app)["heads"]) for row in rows)
    column = reader_of(app)["columns"][0]
    by_label = {label: value for label, value, _ in column["rows"]}
    assert column["wrong"]
    assert by_label["misassigned"] == f"{len(column['wrong'])} of 39 sentences"


def test_no_row_is_the_best_while_others_wait():
    chunking = chunk("It rained. It poured.", "fixed_sentences", embedder="tfidf", tokenizer="words")
    made = ColumnResult(ColumnChoice("optimal"))
    waiting = MeasuredSetting("published", SweptSetting("optimal"), "nobody", made)
    there = [
        MeasuredSetting(
            "published",
            SweptSetting("breakpoint"),
            "nobody",
            replace(made, chunking=chunking),
            {name: Score(value) for name in TABLE_MEASURES},
        )
        for value in (0.25, 0.5)
    ]

    def best(shown):
        return [[cell["best"] for cell in row["cells"][1:]] for row in measured_setting_rows(shown) if row["cells"]]

    assert best([*there, waiting]) == [[False] * len(TABLE_MEASURES)] * 2
    first, second = best([*there, replace(waiting, result=replace(made, error="It failed."))])
    assert first == [not HIGHER_IS_BETTER[name] for name in TABLE_MEASURES]
    assert second == [HIGHER_IS_BETTER[name] for name in TABLE_MEASURES]


def test_undefined_is_said_in_words_with_its_reason(app):
    app.query_params["document"] = "algorithm"
    settled(app)
    table = table_of(app)
    assert "no boundary is known" in table["note"]
    cells = table["rows"][0]["cells"]
    assert cells[2] == {"text": "undefined", "value": None, "why": "no boundary is known", "best": False, "dots": []}
    choose_document(app, "stubs")
    settled(app)
    assert table_of(app)["note"] == ""


def test_the_search_finds_settings_that_misassign_no_more(app):
    app.query_params["document"] = "three_topics"
    settled(app)
    button(app, "Find best settings").click().run()
    (search,) = app.session_state["best_setting_searches"].values()
    ended(search)
    assert len(search.rows) == search.part_count
    settled(app)
    rows = [row for row in table_of(app)["rows"] if row["kind"] != "compare"]
    assert len(rows) == 2 * len(SETTINGS_BY_CHUNKER)

    def wrong(row):
        return int(row["cells"][1]["text"].split()[0])

    pairs = list(zip(rows[::2], rows[1::2], strict=True))
    assert all(wrong(best) <= wrong(published) for published, best in pairs)
    assert any(wrong(best) < wrong(published) for published, best in pairs)
    assert len(reader_of(app)["columns"]) == 2
    assert reader_of(app)["selected"] == 1
    assert app.query_params["result"] == "best"


def test_a_link_says_which_chunker_and_which_result(app):
    app.query_params["document"] = "stubs"
    app.query_params["selected"] = "4"
    app.query_params["hair"] = "0.05"
    settled(app)
    assert table_of(app)["chosen"] == {"column": 3, "kind": "published"}
    assert reader_of(app)["columns"][0]["title"] == "Double pass"
    assert app.slider(key="hair").value == 0.05


def test_a_link_with_a_wrong_hair_is_said(app):
    app.query_params["hair"] = "wide"
    settled(app)
    assert any(
        "must be a number from 0 to 0.1; got 'wide'" in str(data.get("text")) for data in parts(app) if "text" in data
    )


def test_the_inbox_lists_findings_with_passage_and_sentences(app):
    app.query_params["document"] = "german"
    app.query_params["sentences"] = "spacy"
    settled(app)
    rows = json.loads(inbox_of(app)["rows"])
    bad = next(row for row in rows if row["title"] == RULES["bad_split"].title)
    assert bad["passage"].startswith("Am 3. Oktober 1878")
    assert bad["range"] == [7, 9]


def choose_row(app, column, result):
    app.session_state["measures"] = {"chosen": {"column": column, "kind": result, "at": 1}}
    choices = app.session_state["choices"]["failures"]
    # The callback of a component runs in a browser alone.
    choices.selected, choices.extra["result"] = column, result
    return settled(app)


def test_own_text_without_boundaries_has_an_inbox_and_every_chunker_without_measures(app):
    own(app, "One is here. Two is here. Three is here.")
    assert not app.exception
    table = table_of(app)
    assert (table["names"], [head["label"] for head in table["heads"]]) == ("Chunker and its settings", ["Chunks"])
    assert {len(row["cells"]) for row in table["rows"]} == {1}
    assert len(table["rows"]) == len(SETTINGS_BY_CHUNKER) + 3
    assert inbox_of(app)
    assert not any(button.label == "Find best settings" for button in app.button)
    choose_row(app, 0, "published")
    assert inbox_of(app)["summary"].startswith("Fixed sentences, ")
    choose_row(app, 2, "compare")
    assert inbox_of(app)["summary"].startswith("Double pass, column 3 ")
    assert [column["title"] for column in reader_of(app)["columns"]] == ["Double pass"]
    assert button(app, "Take to Compare").disabled
    assert reader_of(app)["known"] is None


def test_lines_of_dashes_are_boundaries_until_the_user_says_otherwise(app):
    own(app)
    place = OWN_TEXT.replace("---\n", "").index("Three")
    assert reader_of(app)["known"] == [place]
    assert table_of(app)
    app.checkbox(key="dashes_are_boundaries").set_value(False)
    settled(app)
    assert reader_of(app)["known"] is None
    assert app.session_state["own"].text == OWN_TEXT


def test_marks_are_undone_removed_and_read_from_a_file(app):
    own(app)
    known = app.session_state["own"].known
    app.toggle(key="marking").set_value(True).run()
    assert reader_of(app)["marking"]["folded"] is False
    button(app, "Remove all marks").click().run()
    assert app.session_state["own"].known is None
    button(app, "Undo").click().run()
    assert app.session_state["own"].known == known
    text = app.session_state["own"].text
    upload = next(uploader for uploader in app.get("file_uploader") if uploader.key == "marks_file")
    upload.upload("marks.json", boundaries_and_text_hash_json("mine", text, (13,)).encode(), "application/json").run()
    assert app.session_state["own"].known == (13,)
    upload = next(uploader for uploader in app.get("file_uploader") if uploader.key == "marks_file")
    upload.upload("other.json", boundaries_and_text_hash_json("mine", "other", (1,)).encode(), "application/json").run()
    assert app.session_state["own"].known == (13,)
    assert any("must belong to this text" in str(data.get("text")) for data in parts(app) if "text" in data)


def test_a_row_is_taken_to_compare(app):
    app.query_params["document"] = "stubs"
    settled(app)
    button(app, "Take to Compare").click()
    settled(app)
    columns = app.session_state["choices"]["compare"].columns
    assert len(columns) == 4
    assert (columns[3].chunker, columns[3].parameters) == (
        "breakpoint",
        dict(published_setting_and_source("breakpoint")[0].parameters),
    )
    assert any(row["origin"] == "column 4" for row in table_of(app)["rows"])
    button(app, "Undo").click()
    settled(app)
    assert len(app.session_state["choices"]["compare"].columns) == 3


def test_a_link_to_a_column_that_compare_does_not_have_leads_to_a_chunker(app):
    app.query_params["document"] = "stubs"
    app.query_params["selected"] = "5"
    app.query_params["result"] = "compare"
    settled(app)
    assert table_of(app)["chosen"] == {"column": 4, "kind": "published"}


def test_every_measure_of_the_table_says_what_it_means(app):
    settled(app)
    about = {head["label"]: head["help"] for head in table_of(app)["heads"]}
    assert all(about[title] for title in TABLE_MEASURES.values())


def test_published_settings_are_those_of_the_presets():
    assert dict(published_setting_and_source("breakpoint")[0].parameters)["amount"] == 95
    assert published_setting_and_source("change_point") == (SweptSetting("change_point"), OUR_SOURCE)


def test_long_passages_keep_their_ends():
    assert elide_middle("a  b\nc") == "a b c"
    line = elide_middle("x" * 200 + "END")
    assert line.endswith("END")
    assert " … " in line
    assert len(line) <= 153


STRUCTURED = (
    "# Bread\n\n" + "\n".join(f"- Step {number} of the dough takes a while." for number in range(1, 9)) + "\n\nIt rises."
)
"""A list that small chunks cut."""

TFIDF = load_embedder("tfidf")


@pytest.fixture
def suspicious(app):
    """Return the page on a text with a list, which a fixed number of sentences cuts."""
    app.query_params["embedder"] = "tfidf"
    own(app, STRUCTURED)
    return choose_row(app, [*SETTINGS_BY_CHUNKER].index("fixed_sentences"), "published")


def choose_finding(app, rule="inside_list", **detail):
    """Choose the first finding of a rule, as a browser does, until the search for what removes it has ended."""
    rows = json.loads(inbox_of(app)["rows"])
    id = next(row["id"] for row in rows if row["id"].startswith(f"{rule} "))
    tell(app, "inbox", "sought", id=id, **detail)
    while (sought := inbox_of(app)["sought"])["remedies"] and sought["remedies"]["state"] == "looking":
        ended(app.session_state["finding_remedy_job"])
        tell(app, "inbox", "sought", id=id)
    assert not app.exception
    assert sought["id"] == id
    return sought


def test_a_change_that_removes_a_finding_becomes_a_column_of_compare(suspicious):
    app = suspicious
    assert inbox_of(app)["sought"] is None
    before = json.loads(inbox_of(app)["rows"])
    remedies = choose_finding(app)["remedies"]
    assert (remedies["state"], remedies["said"]) == ("done", "")
    # One that Compare does not have already.
    line = next(line for line in remedies["lines"] if line["column"] is None)
    assert re.fullmatch(r"\d chunks of ~\d+ tokens", line["said"][0])
    others = int(re.fullmatch(rf"other findings {len(before) - 1}\s→\s(\d+)", line["said"][1])[1])
    tell(app, "inbox", "remedy", setting=line["setting"])
    assert app.session_state["page"] == "compare"
    added = app.session_state["choices"]["compare"].columns[-1]
    chunker = build_chunker(added.chunker, added.parameters, TFIDF)
    assert line["setting"] == f"{chunker.name} {chunker.model_dump_json()}"
    # Whoever runs the column's recipe finds the inbox that was promised.
    document = app.session_state["split_document"]
    rules = [
        finding.rule
        for finding in find_suspicious_cuts(run_and_time_chunker(chunker, document, Tools(TFIDF, load_tokenizer("words"))))
    ]
    assert "inside_list" not in rules
    assert len(rules) == others
    next(button for button in app.button if button.label == "Undo").click().run()
    assert len(app.session_state["choices"]["compare"].columns) == 3


def test_where_no_setting_removes_a_finding_they_are_counted(suspicious, monkeypatch):
    monkeypatch.setattr(FindingsByRule, "is_finding_gone", lambda self, finding: False)
    assert re.fullmatch(r"None of \d+ tried settings removes it\.", choose_finding(suspicious)["remedies"]["said"])


def test_a_search_for_what_removes_a_finding_waits_to_be_wanted_where_a_question_would_be_sent(suspicious, monkeypatch):
    monkeypatch.setattr("viz.failures.inbox.stored_questions_about", lambda document: (PosedQuestion("Step?", Span(0, 5)),))
    monkeypatch.setattr("viz.failures.inbox.is_remedy_search_automatic", lambda *asked: False)
    offered = choose_finding(suspicious)["remedies"]
    assert (offered["state"], offered["wanted"]) == ("offered", "What removes it?")
    remedies = choose_finding(suspicious, search=True)["remedies"]
    assert remedies["state"] == "done"
    assert "1 other question" in remedies["lines"][0]["said"][-1]


def test_of_a_finding_that_only_the_splitter_can_mend_the_page_says_so(app):
    app.query_params["document"] = "german"
    app.query_params["sentences"] = "spacy"
    settled(app)
    finding = choose_finding(app, "bad_split")
    assert finding["remedies"] is None
    assert "another splitter" in finding["why_none"]


def test_a_near_duplicate_says_how_many_of_the_best_places_are_taken(app):
    app.query_params["embedder"] = "tfidf"
    text = "\n\n".join(["The shop opens at nine on weekdays, and on the days before a public holiday at eight."] * 30)
    own(app, text)
    choose_row(app, [*SETTINGS_BY_CHUNKER].index("fixed_sentences"), "published")
    without = choose_finding(app, "near_duplicate")["why_none"]
    assert without.endswith("Mark answers on Compare to see here how many of the best places near-duplicates take.")
    document = app.session_state["split_document"]
    answer = "opens at nine on weekdays"
    marked = MarkedQuestion("When does the shop open?", document.name, document.identity, text.index(answer), answer)
    app.session_state["questions"] = [marked]
    app.session_state["question_texts"] = {document.identity: TextWithDetails(text, document.name)}
    app.run()
    said = choose_finding(app, "near_duplicate")["why_none"]
    taken = "they take 3 of the best 4 places on average, and at most 3."
    assert said.endswith(f"For 1 question about this text, searched by words, {taken}")


@pytest.mark.parametrize("word", ["no such key", "", None])
def test_an_unknown_change_leaves_the_page(suspicious, word):
    tell(suspicious, "inbox", "sought", id=word)
    assert inbox_of(suspicious)["sought"] is None
    tell(suspicious, "inbox", "remedy", setting=word)
    assert suspicious.session_state["page"] == "failures"
    tell(suspicious, "inbox", "remedy", tune=True)
    assert suspicious.session_state["page"] == "tune"
