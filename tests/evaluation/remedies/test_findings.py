"""Changes that remove a finding: each one does, none that the whole grid has is missed, and what else changes is counted."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Cancelled, Document, Span, Watcher, build_chunker
from chunkers.contract.base import run_and_time_chunker
from evaluation.findings.rules import RULES, Finding, find_suspicious_cuts
from evaluation.questions.corpus_ranges_and_rulers import TokenRuler
from evaluation.remedies.settings_search import MOST_REMEDIES
from evaluation.remedies.tested_changes import (
    FindingsByRule,
    SuspiciousColumn,
    remedies_for_single_finding,
    try_settings_finding_suspicious_cuts,
)
from evaluation.retrieval import Limit
from evaluation.retrieval.asked_question import PosedQuestion, check_and_trim_answer_span
from tests.evaluation.remedies.test_remedies import COLUMNS, WORDS, made_tools
from tests.fixtures.exhaustive_search import equals_exhaustive, removes_finding, search_exhaustively

HAIR = 0.02


def sentence(draw, least=2, most=12):
    return " ".join(draw.choices(WORDS, k=draw.randint(least, most))).capitalize() + "."


def blocks_of(draw):
    """Yield blocks of Markdown."""
    for _ in range(draw.randint(3, 9)):
        kind = draw.choice(("prose", "prose", "heading", "list", "table", "code"))
        if kind == "prose":
            yield " ".join(sentence(draw) for _ in range(draw.randint(1, 6)))
        elif kind == "heading":
            yield f"{'#' * draw.randint(1, 3)} {draw.choice(WORDS).capitalize()}"
        elif kind == "list":
            yield "\n".join(f"- {sentence(draw)}" for _ in range(draw.randint(2, 5)))
        elif kind == "table":
            rows = [f"| {draw.choice(WORDS)} | {draw.randint(1, 99)} |" for _ in range(draw.randint(1, 6))]
            yield "\n".join(["| name | count |", "| --- | --- |", *rows])
        else:
            lines = "\n".join(f"{draw.choice(WORDS)} = {draw.randint(1, 99)}" for _ in range(draw.randint(2, 8)))
            yield f"```\n{lines}\n```"


def suspect_of(seed, column, others=True):
    """Return a column over a generated text with kept questions, and what the search takes."""
    draw = random.Random(seed)
    document = Document.from_text("\n\n".join(blocks_of(draw)), "regex").split()
    tools, chunker = made_tools(document), build_chunker(*column)
    spans = [document.sentences[draw.randrange(len(document.sentences))] for _ in range(2 * others)]
    posed = tuple(PosedQuestion(draw.choice(WORDS), check_and_trim_answer_span(document.text, *span)) for span in spans)
    known = (document.sentences[len(document.sentences) // 2].start,)
    suspect = SuspiciousColumn(
        chunker,
        run_and_time_chunker(chunker, document, tools),
        "bm25",
        Limit(budget=60),
        "plain",
        posed,
        known,
        narrow_margin=HAIR,
    )
    return suspect, tools


@pytest.mark.full
@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from(COLUMNS), st.data())
def test_every_remedy_removes_its_finding_and_none_is_missed(seed, column, data):
    suspect, tools = suspect_of(seed, column)
    document = suspect.chunking.document
    findings = find_suspicious_cuts(suspect.chunking, tools.embedder, HAIR)
    if not findings:
        return
    finding = data.draw(st.sampled_from(findings))
    tried = try_settings_finding_suspicious_cuts(suspect, tools)
    remedies = [*remedies_for_single_finding(suspect, finding, tried, tools, TokenRuler(document.text, tools.tokenizer))]
    if RULES[finding.rule].cause != "chunker":
        assert not remedies
        return
    assert equals_exhaustive(remedies, search_exhaustively(suspect, tools, removes_finding(finding, tools, HAIR)))
    assert len({remedy.variation.kind for remedy in remedies}) == len(remedies) <= MOST_REMEDIES
    for remedy in remedies:
        # Who takes the setting finds the inbox as it was promised.
        chunking = run_and_time_chunker(remedy.variation.chunker, document, tools)
        left = find_suspicious_cuts(chunking, tools.embedder, HAIR)
        assert not [
            other
            for other in left
            if other.rule == finding.rule and other.span.start < finding.span.end and finding.span.start < other.span.end
        ]
        assert remedy.findings == (len(findings) - 1, len(left))
        assert len(chunking.chunks) == remedy.chunks > 1
        assert (remedy.other_question_count, remedy.boundary_counts[2]) == (2, 1)


def test_of_what_the_text_is_the_cause_no_setting_is_a_remedy():
    suspect, tools = suspect_of(2294, ("structure", {"max_size": 30, "join_below": 10}))
    (finding,) = [
        finding for finding in find_suspicious_cuts(suspect.chunking, tools.embedder, HAIR) if finding.rule == "boilerplate"
    ]
    tried = try_settings_finding_suspicious_cuts(suspect, tools)
    # Chunks of 100 tokens have too small a share of the menu's lines for the rule.
    assert any(trial.kept_result is not None and trial.kept_result.is_finding_gone(finding) for trial in tried)
    ruler = TokenRuler(suspect.chunking.document.text, tools.tokenizer)
    assert not [*remedies_for_single_finding(suspect, finding, tried, tools, ruler)]


def test_a_rule_that_compares_with_the_median_must_be_able_to_find_something():
    finding = Finding("tiny", Span(10, 12), 0.5, "")
    assert not FindingsByRule({}, 3).is_finding_gone(finding)
    assert FindingsByRule({}, 4).is_finding_gone(finding)
    assert FindingsByRule({}, 3).is_finding_gone(Finding("inside_list", Span(10, 12), 0.5, ""))
    assert FindingsByRule({"tiny": [Span(12, 20)], "oversized": [Span(0, 30)]}, 4).is_finding_gone(finding)
    assert not FindingsByRule({"tiny": [Span(11, 20)]}, 4).is_finding_gone(finding)


def test_one_search_serves_all_findings_and_nothing_is_embedded_for_it():
    suspect, tools = suspect_of(7, ("recursive", {"size": 60}), others=False)
    before = tools.meter.embedded
    tried = try_settings_finding_suspicious_cuts(suspect, tools)
    ruler = TokenRuler(suspect.chunking.document.text, tools.tokenizer)
    findings = find_suspicious_cuts(suspect.chunking, tools.embedder, HAIR)
    remedies = [[*remedies_for_single_finding(suspect, finding, tried, tools, ruler)] for finding in findings]
    assert any(remedies)
    assert tools.meter.embedded == before


def test_a_search_stops_when_it_is_told_to():
    suspect, tools = suspect_of(7, ("recursive", {"size": 60}))
    tried = try_settings_finding_suspicious_cuts(suspect, tools)
    finding = find_suspicious_cuts(suspect.chunking, tools.embedder, HAIR)[0]
    tools.watcher = Watcher(cancelled=lambda: True)
    with pytest.raises(Cancelled):
        try_settings_finding_suspicious_cuts(suspect, tools)
    with pytest.raises(Cancelled):
        [
            *remedies_for_single_finding(
                suspect, finding, tried, tools, TokenRuler(suspect.chunking.document.text, tools.tokenizer)
            )
        ]
