"""The verdict on a retrieval run: the leader, the significance of its lead, and the cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chunkers.support.numbers import listed, rounded_up
from evaluation.retrieval.leads import Lead
from evaluation.retrieval.report import Costs, Report
from evaluation.statistics.paired import Difference
from viz.retrieval.summary import Cell
from viz.theme.numbers import three_figures


def cells(report: Report, names: Mapping[int, str], measure: str, asked: Cell) -> list[Cell]:
    """Return a run's key figures: ``asked``, the leading chunker, the certainty of its lead, and the cost."""
    means = {
        number: distribution.mean for number, distribution in report.distributions.items() if distribution.mean is not None
    }
    if not means:
        return [
            asked,
            Cell("Found", "Nothing to measure", f"{measure[0].upper()}{measure[1:]} is undefined for every question."),
        ]
    if report.everything:
        return [asked, _everything(report), _cost(next(iter(means)), None, report.costs, names)]
    lead = report.lead
    if lead is None:
        ((alone, mean),) = list(means.items())[:1]
        return [asked, Cell(f"Mean {measure}", names[alone], f"{100 * mean:.1f} %"), _cost(alone, None, report.costs, names)]
    order = list(report.chunkers)
    best, rival = order[lead.best], order[lead.rival]
    behind = [order[place] for place in lead.behind]
    return [
        asked,
        _ahead(lead, best, behind, order, means, names, measure),
        _certainty(lead, names[best], names[rival]),
        _cost(best, rival, report.costs, names),
    ]


def _everything(report: Report) -> Cell:
    choice = report.choice
    limit = f"{choice.budget:,} {choice.unit}" if choice.budget else f"The top {choice.top_k} chunks"
    hold = "The budget of " + limit if choice.budget else limit
    detail = f"{hold} hold{'s' * bool(choice.budget)} all of the text with every chunker, so nothing can be missed."
    return Cell("Found", "Everything was retrieved", f"{detail} Choose a smaller {'budget' if choice.budget else 'k'}.")


def _ahead(
    lead: Lead,
    best: int,
    behind: Sequence[int],
    order: Sequence[int],
    means: Mapping[int, float],
    names: Mapping[int, str],
    measure: str,
) -> Cell:
    """Return the key figure that names the leader, or the chunkers that it does not significantly beat."""
    label, mean = f"Highest {measure}", f"{100 * lead.mean:.1f} %"
    if lead.level:
        level = listed([names[best], *(names[order[place]] for place in lead.level)])
        every = "All have" if lead.all_level else f"{level} have"
        return Cell(label, "A tie", f"{every} {mean}.")
    if lead.significant:
        return Cell(label, names[best], mean)
    doubted = [number for number in order if number != best and number not in behind and number in means]
    others = listed([f"{names[number]} ({100 * means[number]:.1f} %)" for number in doubted])
    return Cell(label, "Not significant", f"{names[best]} has {mean}; it is not significantly ahead of {others}.")


def _certainty(lead: Lead, best: str, rival: str) -> Cell:
    label = "How sure is that?"
    if lead.difference is None:
        return Cell(label, "Too few questions", lead.too_few)
    difference = lead.difference
    points = f"{difference.points} points on {rival}"
    spread = f"{difference.interval}, {difference.p_words}, {difference.count:,} questions"
    if difference.significant:
        return Cell(label, "Significant", f"{points}: {spread}")
    if lead.needed is None:
        return Cell(label, "They are level", f"{best} and {rival}: {spread}")
    if lead.needed <= difference.count:
        return Cell(label, "Not after correction", f"{points}: {spread}")
    return Cell(label, f"It takes some {rounded_up(lead.needed):,} questions", f"{points}: {spread}")


def _cost(best: int, other: int | None, costs: Mapping[int, Costs], names: Mapping[int, str]) -> Cell:
    own = costs[best]
    tokens = f"{own.tokens:,.0f} tokens retrieved per question"
    seconds = "Time to index not known" if own.index_s is None else f"{three_figures(own.index_s)} s to index"
    if other is None:
        return Cell("What it cost", seconds, tokens)
    rival = costs[other]
    known = "time not known" if rival.index_s is None else f"{three_figures(rival.index_s)} s"
    detail = f"{names[best]}, with {tokens}. {names[other]}: {known}, {rival.tokens:,.0f} tokens."
    return Cell("What it cost", seconds, detail)


def differences_in_words(
    differences: Mapping[int, Difference], names: Mapping[int, str], baseline: str, measure: str
) -> list[str]:
    """Return a sentence for each chunker that differs significantly from the baseline, and one for the other chunkers."""
    if len(differences) == 1:
        ((number, difference),) = differences.items()
        return [difference.words(names[number], baseline, measure)]
    sentences = [
        difference.words(names[number], baseline, measure)
        for number, difference in differences.items()
        if difference.significant
    ]
    alike = {number: difference for number, difference in differences.items() if not difference.significant}
    if alike:
        questions = max(difference.count for difference in alike.values())
        parts = [
            f"{names[number]} ({difference.points} points, {difference.p_words})" for number, difference in alike.items()
        ]
        sentences.append(
            f"No significant difference in {measure} from {baseline} over {questions:,} questions: {', '.join(parts)}."
        )
    return sentences
