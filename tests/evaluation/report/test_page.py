"""A report has the page's numbers and sentences, the whole text with its reasons, and nothing that runs or is fetched."""

import base64
import hashlib
import re
from dataclasses import replace
from html import unescape

import pytest

from chunkers import Chunking, Document, Tools, build_chunker, load_embedder, load_tokenizer, run_chunker
from chunkers.support.formatting import format_milliseconds
from evaluation.questions.questions_with_documents import MarkedQuestion
from evaluation.report import html_page
from evaluation.report.html_page import (
    MOST_QUESTION_COLUMNS,
    ComparedColumns,
    chunking_summary_table_contents,
    chunks_containing_answers_table,
    html_report,
    label_free_measures_table_contents,
    ranking_table_contents,
)
from evaluation.segmentation.boundary_and_structure_ranking import rank_by_known_boundaries, rank_by_respect_for_structure
from evaluation.segmentation.label_free_measures import BASELINE_SETTINGS, sentence_vectors
from sample_docs import load_sample
from tests.chunkers.display.test_notebook import ATTRIBUTES, TAGS, Read
from tests.fixtures.hostile_strings import STRINGS

pytestmark = pytest.mark.slow  # rankings are tested by thousands of resamples

CHUNKERS = [("breakpoint", {"amount": 70}), ("recursive", {"size": 150, "overlap": 30}), ("kmeans", {"clusters": 3})]


def compared(text, known=None, name="stubs", splitter="lines", chunkers=CHUNKERS):
    document = Document.from_text(text, splitter, name)
    embedder = load_embedder("tfidf")
    tools = Tools(embedder, load_tokenizer("words"))
    columns = [(chunker, run_chunker(chunker, document, tools)) for chunker in (build_chunker(*made) for made in chunkers)]
    return ComparedColumns(document, columns, known, embedder, "words", sentence_vectors(document, tools))


@pytest.fixture(scope="module")
def stubs():
    sample = load_sample("stubs")
    return compared(sample.text, sample.known)


def words_of(html):
    return " ".join(unescape(re.sub("<[^>]+>", " ", html)).split())


def test_its_verdict_is_the_ranking_s(stubs):
    named = [*zip(stubs.names, [chunking for _, chunking in stubs.columns], strict=True)]
    ranked = rank_by_known_boundaries(stubs.document, stubs.known, named)
    table = ranking_table_contents(stubs)
    assert (
        table.said
        == f"{ranked.best_contender_and_lead_sentences()} By the known boundaries, which part the text into 4 sections."
    )
    assert [name for name, _ in table.rows] == [ranked.contenders[place].name for place in ranked.order]
    assert "no cut" in [name for name, _ in table.rows]
    assert ranked.best_contender_and_lead_sentences() in words_of(html_report(stubs))


def test_without_known_boundaries_it_ranks_by_structure(stubs):
    unknown = ComparedColumns(stubs.document, stubs.columns, None, stubs.embedder, "words")
    named = [*zip(unknown.names, [chunking for _, chunking in unknown.columns], strict=True)]
    ranked = rank_by_respect_for_structure(unknown.document, named, unknown.embedder)
    words = words_of(html_report(unknown))
    assert ranked.best_contender_and_lead_sentences() in words
    assert "No boundaries are known: this is by structure, over 1 paragraph, which says less than marks." in words
    assert "Missed" not in words
    assert "known boundaries" not in words


def test_its_numbers_are_those_of_the_columns(stubs):
    table = chunking_summary_table_contents(stubs)
    heads = [head.label for head in table.heads]
    for (_, cells), (_, chunking) in zip(table.rows, stubs.columns, strict=True):
        told = dict(zip(heads, [cell.text for cell in cells], strict=True))
        cuts = {gap.index for gap in chunking.gaps if gap.verdict.is_cut}
        assert told["Chunks"] == f"{len(chunking)}"
        sizes = sorted(len(text) for text in chunking.texts)
        assert told["Characters"].split(" · ")[::2] == [f"{sizes[0]}", f"{sizes[-1]}"]
        assert int(told["Found"]) + int(told["Missed"]) == 3
        assert cuts
    assert [name for name, _ in label_free_measures_table_contents(stubs).rows][-2:] == [
        name for name, _ in BASELINE_SETTINGS
    ]


def test_it_has_every_chunk_reason_recipe_and_gap(stubs):
    html = html_report(stubs)
    words = words_of(html)
    for _, chunking in stubs.columns:
        for chunk in chunking:
            for start, end in chunk.spans:
                assert " ".join(chunking.document.text[start:end].split()) in words
        for gap in chunking.gaps:
            assert f"after sentence {gap.index + 1}, {gap.verdict.partition(':')[0]}: {gap.reason}" in words
        assert " ".join(chunking.recipe.to_json().split()) in words
    assert html.count('class="axis curve"') == sum(bool(chunking.curves) for _, chunking in stubs.columns)


def test_kept_questions_have_the_chunks_with_their_answers(stubs):
    text, cut = stubs.document.text, stubs.columns[0][1].chunks[0].end
    places = [(2, text[2:9]), (cut - 9, text[cut - 9 : cut + 9])]
    table = chunks_containing_answers_table(
        replace(stubs, questions=[MarkedQuestion("Where is it?", "stubs", "", *place) for place in places])
    )
    assert [name for name, _ in table.rows] == stubs.names
    assert [cell.text for cell in table.rows[0][1]] == ["1 of 2", "chunk 1", "split in 2"]


MORE_TAGS = {
    *("html", "head", "meta", "title", "body", "main", "h1", "h2", "table", "thead", "tbody", "tr", "th", "td"),
    *("details", "summary", "dl", "dt", "dd", "pre", "footer"),
}
MORE_ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "scope", "tabindex", "role"}


class Whole(Read):
    """Reads a page, whose elements for its head have no end."""

    def handle_starttag(self, tag, attributes):
        super().handle_starttag(tag, attributes)
        if tag == "meta":
            self.open.pop()


def test_hostile_texts_and_names_are_texts():
    hostile = compared("\n".join(STRINGS), (len(STRINGS[0]) + 1,), STRINGS[0])
    first, *others = hostile.columns
    noted = Chunking(first[1].document, first[1].chunks, first[1].gaps, notes=tuple(STRINGS), made_by=first[1].recipe)
    asked = [MarkedQuestion(word, "", "", 0, hostile.document.text[:5]) for word in STRINGS]
    columns = [(first[0], noted), *others]
    html = html_report(ComparedColumns(hostile.document, columns, hostile.known, hostile.embedder, "words", questions=asked))
    assert f"Kept questions {len(STRINGS) - MOST_QUESTION_COLUMNS} further questions only counted." in words_of(html)
    read = Whole(html)
    assert not read.open
    assert read.tags <= TAGS | MORE_TAGS
    assert read.attributes <= ATTRIBUTES | MORE_ATTRIBUTES


def test_its_policy_allows_its_own_style_sheet_and_nothing_else(stubs):
    html = html_report(stubs)
    (sheet,) = re.findall("<style>(.*?)</style>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in html
    # The policy stands before the style sheet, and nothing but the charset before it.
    assert html.index("Content-Security-Policy") < html.index("<style>")
    assert not re.search(r"url\(|@import|https?:", sheet)
    assert "style=" not in html


def test_of_a_long_comparison_the_rest_is_counted(stubs, monkeypatch):
    monkeypatch.setattr(html_page, "MOST_CHARACTERS_ALL_COLUMNS", 600)
    monkeypatch.setattr(html_page, "MOST_GAPS", 3)
    words = words_of(html_report(stubs))
    assert "further chunks not shown here." in words
    assert "12 further gaps not shown here." in words


def test_an_empty_text_has_a_report_too():
    words = words_of(html_report(compared("", chunkers=CHUNKERS[:2])))
    assert "Nothing can be ranked: no column cuts anywhere." in words
    assert "No chunk." in words


@pytest.mark.parametrize(
    ("took", "shown"), [(0, "0.00"), (0.034, "0.03"), (4.26, "4.3"), (9.96, "10.0"), (110, "110"), (12345.6, "12,346")]
)
def test_times_are_written_without_an_exponent(took, shown):
    assert format_milliseconds(took) == shown


def test_on_paper_columns_follow_each_other(stubs):
    sheet = re.search(r"<style>(.*)</style>", html_report(stubs), re.DOTALL)[1]
    assert re.search(r"@media print \{(?:(?!@media).)*\.columns \{ display: block; \}", sheet, re.DOTALL)
