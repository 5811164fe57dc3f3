"""Recall and failures of the bundled run with and without the ends of excerpts, which docs/measuring.md states."""

from dataclasses import replace

from chunkers import load_tokenizer
from evaluation.questions.corpus_ranges_and_rulers import TokenRuler
from evaluation.retrieval import Limit
from evaluation.retrieval.retrieved_chunks_and_failures import MeasuredChunker, list_missed_excerpts_per_chunker
from tests import ROOT
from tests.support import ended
from viz.retrieval.bundled_run import BUNDLED_RUN


def recall_and_failures(run, exact_ends):
    """Return each chunker's recall at the top 5, in percent, and its excerpts that 2,000 tokens do not hold whole."""
    recalls, lost = [], []
    for number, evaluation in sorted(run.evaluation_by_chunker.items()):
        corpus = replace(evaluation.searched_index.corpus, exact_ends=exact_ends)
        ruler = TokenRuler(corpus.joined_document.text, load_tokenizer(run.plan.tokenizer))
        there = replace(
            evaluation, search=replace(evaluation.search, index=replace(evaluation.searched_index, corpus=corpus))
        ).with_top_k(5, ruler)
        recalls.append(f"{100 * there.values('recall').mean():.1f}")
        measured = {number: MeasuredChunker(there, run.ladders[number])}
        lost.append(str(len(list_missed_excerpts_per_chunker(measured, Limit(2000), ruler)[number])))
    return recalls, lost


def listed(numbers):
    return f"{', '.join(numbers[:-1])} and {numbers[-1]}"


def test_the_figures_of_the_bundled_run_with_and_without_the_ends_of_excerpts():
    run, _ = BUNDLED_RUN.loaded_run_and_file
    ended(run)
    (recalls, lost), (exact_recalls, exact_lost) = (recall_and_failures(run, exact) for exact in (False, True))
    page = " ".join((ROOT / "docs" / "measuring.md").read_text().split())
    recall = f"have a recall of {listed(recalls)} % at the top 5 instead of {listed(exact_recalls)} %"
    missed = f"miss part of {listed(lost)} excerpts at 2,000 tokens instead of {listed(exact_lost)}."
    assert f"the three columns of the bundled run {recall}, and {missed}" in page
