"""A retrieval run at a glance: the best chunker, whether its lead is significant, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.retrieval.bootstrap import Difference
from evaluation.retrieval.report import Costs, Winner
from viz.retrieval.summary import Cell
from viz.theme.numbers import three_figures


def cells(
    winner: Winner, costs: Mapping[int, Costs], names: Mapping[int, str], measure: str, asked: Cell, baseline: int
) -> list[Cell]:
    """Return the cells of the summary: ``asked``, the best chunker, the significance of its lead, and its cost."""
    shown = [asked, _first(winner, names, measure)]
    if winner.other is not None:
        shown.append(_certainty(winner, names[winner.other], is_baseline=winner.other == baseline))
    return [*shown, _cost(winner, costs, names)]


def _first(winner: Winner, names: Mapping[int, str], measure: str) -> Cell:
    value = f"{100 * winner.mean:.1f} %"
    if winner.other is None:
        return Cell(f"Mean {measure}", names[winner.best], value)
    if winner.level:
        return Cell(f"Highest {measure}", names[winner.best], f"{value}, level with {_listed(winner.level, names)}")
    return Cell(f"Highest {measure}", names[winner.best], value)


def _certainty(winner: Winner, other: str, *, is_baseline: bool) -> Cell:
    role = "the baseline" if is_baseline else "the next"
    label = "Can the difference be told?"
    one = winner.difference
    if one is None:
        return Cell(label, "Too few questions", f"Against {other}, {role}, at least five are needed.")
    points = f"{100 * one.mean:+z.1f} points on {other}, {role}"
    spread = f"95 % between {100 * one.low:+z.1f} and {100 * one.high:+z.1f}, p = {one.p:.2g}, {one.questions} questions"
    return Cell(label, "Yes" if one.told else "No", f"{points}: {spread}")


def _cost(winner: Winner, costs: Mapping[int, Costs], names: Mapping[int, str]) -> Cell:
    own = costs[winner.best]
    value = f"{three_figures(own.index_s)} s to index"
    tokens = f"{own.tokens:,.0f} tokens retrieved per question"
    if winner.other is None:
        return Cell("What it cost", value, tokens)
    other = costs[winner.other]
    seconds = f"{names[winner.other]}: {three_figures(other.index_s)} s"
    return Cell("What it cost", value, f"{tokens}. {seconds}, {other.tokens:,.0f} tokens.")


def _listed(numbers: tuple[int, ...], names: Mapping[int, str]) -> str:
    return " and ".join(names[number] for number in numbers)


def differences_in_words(
    found: Mapping[int, Difference], names: Mapping[int, str], baseline: str, measure: str
) -> list[str]:
    """Return a sentence for each chunker that differs significantly from the baseline, and one for all the others."""
    sentences = [one.words(names[number], baseline, measure) for number, one in found.items() if one.told]
    alike = {number: one for number, one in found.items() if not one.told}
    if len(alike) == 1:
        ((number, one),) = alike.items()
        return [*sentences, one.words(names[number], baseline, measure)]
    if alike:
        questions = max(one.questions for one in alike.values())
        parts = [f"{names[number]} ({100 * one.mean:+z.1f} points, p = {one.p:.2g})" for number, one in alike.items()]
        sentences.append(
            f"No difference in {measure} from {baseline} can be told from {questions} questions for {', '.join(parts)}."
        )
    return sentences
