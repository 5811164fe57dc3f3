"""What a retrieval run found over all questions: the verdict, the table, and the figures."""

from __future__ import annotations

from typing import Any, Literal, cast

import streamlit as st

from evaluation.retrieval.bootstrap import Difference, paired
from evaluation.retrieval.measures import MEASURES, Evaluation, mean_and_deviation
from viz.components.figure import show_figure
from viz.components.notice import notice
from viz.jobs.retrieval import Retrieval
from viz.retrieval.figures import at_k, at_k_table, boxes, differences, price, trade_off
from viz.retrieval.link_words import COSTS, NAMES, TITLES, choose_word
from viz.retrieval.summary import Cell, show_summary
from viz.retrieval.verdict import Costs, Verdict, cells, told_apart
from viz.theme.numbers import counted

_PIXELS = {f"{title}, %": 108 for title in TITLES.values()}
_PIXELS |= {"chunker": 296, "chunks": 64, "tokens each": 96}
_COLUMNS = {name: st.column_config.Column(width=pixels) for name, pixels in _PIXELS.items()}
_COLUMNS |= {
    name: st.column_config.NumberColumn(width=pixels, format="%.3g")
    for name, pixels in {"index, s": 72, "search, ms": 90}.items()
}
"""The table's columns, narrow enough for all of them to be in sight."""


def show_results(run: Retrieval, found: dict[int, Evaluation], words: dict[str, str], baseline: int) -> None:
    """Draw it; ``found`` is not empty, and ``baseline`` one of its keys."""
    assert run.ruler is not None
    names = {number: run.plan.names[number] for number in found}
    measure, unit = words["measure"], words["unit"]
    values = {number: one.values(measure, unit) for number, one in found.items()}
    costs = {number: Costs.of(one, run.ruler) for number, one in found.items()}
    _say(run, Verdict.of(values, baseline), costs, names, measure, baseline)
    st.dataframe(_table(run, found, costs, unit), hide_index=True, width="stretch", column_config=_COLUMNS)
    st.caption(_times(found, costs))
    if len(found) > 1:
        against = {number: paired(one, values[baseline]) for number, one in values.items() if number != baseline}
        _differences({number: one for number, one in against.items() if one is not None}, names, baseline, measure)
        st.subheader("Worth its price?", anchor=False)
        cost = choose_word("Against", words, "cost", hidden=True)
        _trade_off(found, values, costs, names, measure, cost)
    st.subheader("Question for question", anchor=False)
    _boxes(values, names, measure)
    st.subheader("Documents and sentences found", anchor=False)
    _at_k(found, names, choose_word("What counts as found", words, "kind", hidden=True))


def _say(
    run: Retrieval,
    verdict: Verdict | None,
    costs: dict[int, Costs],
    names: dict[int, str],
    measure: str,
    baseline: int,
) -> None:
    """Draw the figures that the page is about."""
    asked = Cell(
        "Asked",
        counted(len(run.questions.usable), "question"),
        f"of {counted(len(run.plan.material.texts), 'document')}, embedded by {run.plan.embedder}",
    )
    if verdict is None:
        undefined = Cell("Found", "Nothing to measure", f"{TITLES[measure]} is undefined for every question.")
        show_summary([asked, undefined], key="retrieval_summary")
    else:
        show_summary(cells(verdict, costs, names, NAMES[measure], asked, baseline), key="retrieval_summary")


def _table(run: Retrieval, found: dict[int, Evaluation], costs: dict[int, Costs], unit: str) -> dict[str, list[Any]]:
    """Return a row a chunker: every measure in percent, then what it cost."""
    table: dict[str, list[Any]] = {"chunker": [run.plan.titles[number] for number in found]}
    for measure in MEASURES:
        means = [mean_and_deviation(one.values(measure, unit)) for one in found.values()]
        table[f"{TITLES[measure]}, %"] = [
            "undefined" if m is None else f"{100 * m[0]:.1f} ± {100 * m[1]:.1f}" for m in means
        ]
    ruler = run.ruler
    assert ruler is not None
    table["chunks"] = [len(one.index.chunks) for one in found.values()]
    table["tokens each"] = [
        round(ruler([span for chunk in one.index.chunks for span in chunk]) / max(1, len(one.index.chunks)))
        for one in found.values()
    ]
    table["index, s"] = [one.index_s for one in costs.values()]
    table["search, ms"] = [one.search_ms for one in costs.values()]
    return table


def _times(found: dict[int, Evaluation], costs: dict[int, Costs]) -> str:
    """Say what the times in the table are."""
    computed, cached = (sum(getattr(one, name) for one in costs.values()) for name in ("embedded", "cached"))
    one = next(iter(found.values()))
    asking = 1000 * one.search.embed_s / max(1, len(one.answers))
    return (
        "Mean ± standard deviation over the questions. Indexing is chunking and embedding, as if nothing had been embedded "
        f"before: of {computed + cached:,} texts {computed:,} were computed in this run and {cached:,} came from the cache, "
        f"with the time that they took then. Embedding a question takes {asking:,.1f} ms more, whatever the chunker."
    )


def _differences(found: dict[int, Difference], names: dict[int, str], baseline: int, measure: str) -> None:
    """Draw how far every other chunker is from the baseline, and say whether it can be told."""
    st.subheader(f"Against {names[baseline]}", anchor=False)
    if not found:
        notice("There are too few questions to compare: at least five are needed.", key="retrieval_few")
        return
    sentences = told_apart(found, names, names[baseline], NAMES[measure])
    if len(found) > 1:
        sentences.append("Every chunker is compared by itself: among several, one small p may be chance.")
    figure = differences(found, names, names[baseline], NAMES[measure])
    table: dict[str, list[Any]] = {"chunker": [names[number] for number in found]}
    table["difference, points"] = [round(100 * one.mean, 2) for one in found.values()]
    table["95 % from"] = [round(100 * one.low, 2) for one in found.values()]
    table["to"] = [round(100 * one.high, 2) for one in found.values()]
    table["p"] = [round(one.p, 4) for one in found.values()]
    table["told"] = ["yes" if one.told else "no" for one in found.values()]
    show_figure(figure, table, "Differences", key="retrieval_differences")
    notice("\n".join(sentences), key="retrieval_sentences")


def _trade_off(
    found: dict[int, Evaluation], values: Any, costs: dict[int, Costs], names: dict[int, str], measure: str, cost: str
) -> None:
    """Draw the measure against a cost."""
    means = {number: mean_and_deviation(one) for number, one in values.items()}
    table: dict[str, list[Any]] = {"chunker": list(names.values())}
    table[f"{TITLES[measure]}, %"] = [None if mean is None else round(100 * mean[0], 2) for mean in means.values()]
    table["tokens a question"] = [round(price(one, "tokens")) for one in costs.values()]
    table["chunking, s"] = [round(one.index.chunk_s, 3) for one in found.values()]
    table["embedding, s"] = [round(one.index.embed_s, 3) for one in found.values()]
    table["embeddings"] = [one.source() for one in costs.values()]
    table["search, ms a question"] = [round(one.search_ms, 4) for one in costs.values()]
    figure = trade_off(values, costs, names, TITLES[measure], cost)
    show_figure(figure, table, f"{TITLES[measure]} against {COSTS[cost].lower()}", key="retrieval_trade_off")
    said = "The bars hold 95 % of the means of resampled questions."
    if cost == "query":
        said += " Embedding the question is left out: it takes the same with every chunker."
    if cost == "index" and any(one.cached for one in costs.values()):
        said += " Open circles: part of the time is that of an earlier run, whose embeddings were in the cache."
    st.caption(said)


def _boxes(values: Any, names: dict[int, str], measure: str) -> None:
    """Draw the spread over the questions."""
    count = len(next(iter(values.values())))
    table: dict[str, list[Any]] = {"question": list(range(1, count + 1))}
    table |= {names[number]: (100 * one).round(2).tolist() for number, one in values.items()}
    show_figure(boxes(values, names, TITLES[measure]), table, f"{TITLES[measure]} by question", key="retrieval_boxes")


def _at_k(found: dict[int, Evaluation], names: dict[int, str], kind: str) -> None:
    """Draw whether the right documents, or the sentences of the excerpts, are found after some chunks."""
    what = cast(Literal["documents", "evidence"], kind)
    scores = {number: one.at_k(what) for number, one in found.items()}
    name = "Documents" if kind == "documents" else "Evidence"
    show_figure(at_k(scores, names), at_k_table(scores, names), f"{name} at k", key="retrieval_at_k")
