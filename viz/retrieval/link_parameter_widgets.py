"""The link parameters of the Retrieval page: their allowed values and labels, and the widgets that set them."""

from collections.abc import Mapping, Sequence

import streamlit as st

from chunkers.results import EMBEDDED_AS_LABELS, EmbeddedAs, check_embedded_as_option
from chunkers.support import pluralize
from evaluation.retrieval import BUDGETS_BY_UNIT, RETRIEVAL_MEASURE_TITLES, ReportChoice
from viz.controls import draw_segmented_control_storing_setting, draw_setting_select_box
from viz.jobs.retrieval import RETRIEVED_CHUNKS_PER_QUESTION, Retrieval
from viz.jobs.retrieval_plan import SEARCH_METHOD_TITLES
from viz.theme import RETRIEVAL_TERMS, definitions_as_help

COST_KIND_TITLES = {"tokens": "Tokens retrieved", "index": "Time to index", "query": "Time to search"}


PARAMETER_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "measure": RETRIEVAL_MEASURE_TITLES,
    "at": {"budget": "An equal budget", "k": "Top k"},
    "budget": {str(size): f"{size:,}" for size in sorted({size for sizes in BUDGETS_BY_UNIT.values() for size in sizes})},
    "budget_unit": {"tokens": "tokens", "characters": "characters"},
    "last": {"cut": "cut off", "left_out": "left out"},
    "unit": {"characters": "characters", "tokens": "tokens"},
    "k": {str(k): str(k) for k in range(1, RETRIEVED_CHUNKS_PER_QUESTION + 1)},
    "cost": COST_KIND_TITLES,
    "kind": {"evidence": "Sentences of the excerpts", "documents": "Documents"},
    "disagree": {"no": "no", "yes": "yes"},
    "view": {"ranked": "In rank order", "document": "In the documents"},
    "embedded": {str(name): title for name, title in EMBEDDED_AS_LABELS.items()}
    | {
        "plain:heading_path": "Plain against headings",
        "plain:context": "Plain against context",
        "plain:late": "Plain against late chunking",
    },
    "search": {str(name): title for name, title in SEARCH_METHOD_TITLES.items()},
    "returned": {
        "chunk": "Chunk",
        "window:1": "Chunk ± 1 neighbour",
        "window:2": "Chunk ± 2 neighbours",
        "section": "Its section",
        "section:1": "Its section of level 1",
        "section:2": "Its section of level 2",
        "page": "Its page or chapter",
        "parent": "Its parent",
    },
}
"""The allowed values, with labels, of the parameters that do not depend on a run."""

DEFAULT_LINK_PARAMETERS = {
    "measure": "recall",
    "unit": "characters",
    "k": "5",
    "cost": "tokens",
    "kind": "evidence",
    "at": "budget",
    "budget": "2000",
    "budget_unit": "tokens",
    "last": "cut",
    "failed": "1",
    "disagree": "no",
    "view": "ranked",
    "embedded": "plain",
    "search": "embedding",
    "returned": "chunk",
    "baseline": "1",
    "left": "1",
    "right": "2",
    "question": "",
    "run": "",
    "generated": "",
}
"""``baseline``, ``failed``, ``left`` and ``right`` are numbers of chunkers, from 1. ``run`` and ``generated`` are tokens of
a run and of generated questions in the registry. Without a ``question``, the one on which the chunkers differ most is shown.
``embedded`` is the text to embed for each chunk in the next run, ``search`` the search method, and ``returned`` the passage
to return for a chunk."""


def draw_search_settings(link_parameters: dict[str, str]) -> None:
    """Draw the controls for the searched text, the search method, and the returned passage."""
    draw_setting_select_box(
        "Embedded text",
        link_parameters,
        "embedded",
        PARAMETER_OPTIONS["embedded"],
        "retrieval_embedded",
        help="What of every chunk is searched, by embedding or by words: its own text, or with the headings above it in "
        "front, as “Sea marks > Lights”, or with a sentence on its place in the document, which a language model "
        "writes. “Late chunking” embeds a chunk’s tokens as they stand in the document. Chunks, excerpts and measures "
        "stay those of the text. “Against” measures every chunker both ways, with the gain’s interval.",
    )
    draw_setting_select_box(
        "Searched by",
        link_parameters,
        "search",
        PARAMETER_OPTIONS["search"],
        "retrieval_search",
        help="By the cosine of embeddings, by the words that question and chunk have in common (BM25), or by both with "
        "their ranks fused. All search what “Embedded text” says: the words of a heading path or of a context sentence "
        "are indexed as well.",
    )
    draw_setting_select_box(
        "Returned",
        link_parameters,
        "returned",
        PARAMETER_OPTIONS["returned"],
        "retrieval_returned",
        help="What a question is given for a chunk that is found: search for the small, return the large. What is returned "
        "counts in every measure and fills the budget; a passage that several chunks return is given once. “Its parent” "
        "takes chunks in two levels: only children are searched, and each parent comes once, at the rank of its best child.",
    )


def chosen_embedding_modes(
    link_parameters: Mapping[str, str], measured_chunker_count: int
) -> tuple[EmbeddedAs, tuple[EmbeddedAs, ...]]:
    """Return the first embedding mode and, if several are chosen, the mode for each measured chunker.

    Each of the ``measured_chunker_count`` chunkers is measured once per mode: all with the first mode, then all with the
    next.
    """
    chosen_modes = [check_embedded_as_option(word) for word in link_parameters["embedded"].split(":")]
    return chosen_modes[0], tuple(way for way in chosen_modes for _ in range(measured_chunker_count)) if len(
        chosen_modes
    ) > 1 else ()


def find_chosen_or_default_budget(
    link_parameters: Mapping[str, str], unit: str, budgets_by_unit: Mapping[str, Sequence[int]]
) -> int:
    """Return the budget in ``unit``: the chosen budget if the run has it, otherwise about a quarter of the text.

    ``budgets_by_unit`` has the run's budgets, the largest of which is at most half of the text.
    """
    chosen_budget, run_budgets = int(link_parameters["budget"]), budgets_by_unit[unit]
    return chosen_budget if chosen_budget in run_budgets else run_budgets[max(0, len(run_budgets) - 2)]


def read_report_settings_from_link(
    link_parameters: Mapping[str, str], baseline_index: int, budgets_by_unit: Mapping[str, Sequence[int]]
) -> ReportChoice:
    """Return the settings of the report: its measure, its budget or top k, and its ``baseline_index`` (counted from 0).

    ``budgets_by_unit`` has the run's budgets; without budgets, the report is at the top k.
    """
    measure, top_k = link_parameters["measure"], int(link_parameters["k"])
    if link_parameters["at"] == "k" or not budgets_by_unit:
        return ReportChoice(measure, link_parameters["unit"], top_k, baseline_index)
    report_budget_unit = link_parameters["budget_unit"]
    return ReportChoice(
        measure,
        report_budget_unit,
        top_k,
        baseline_index,
        find_chosen_or_default_budget(link_parameters, report_budget_unit, budgets_by_unit),
        "cut" if link_parameters["last"] == "cut" else "left_out",
    )


def convert_link_number_to_index(link_parameters: Mapping[str, str], parameter_name: str, largest_number: int) -> int:
    """Return the zero-based index for a link's one-based number, limited to ``largest_number``; 0 if it is not numeric."""
    number_text = link_parameters[parameter_name][:9]
    return max(min(int(number_text), largest_number), 1) - 1 if number_text.isdecimal() else 0


def draw_link_parameter_control(
    label: str, link_parameters: dict[str, str], name: str, is_label_hidden: bool = False
) -> str:
    """Draw a segmented control for a link parameter, and return the chosen value.

    ``name`` is a key of `PARAMETER_OPTIONS`.
    """
    draw_segmented_control_storing_setting(
        label, link_parameters, name, PARAMETER_OPTIONS[name], f"retrieval_{name}", is_label_hidden=is_label_hidden
    )
    return link_parameters[name]


def draw_settings_get_baseline_index(
    link_parameters: dict[str, str], run: Retrieval, chunker_titles: Mapping[int, str]
) -> int:
    """Draw the controls for the report's measure, budget and baseline; return the index of the baseline.

    A change of these settings needs no new run.
    """
    # The controls differ in height, but their labels are aligned.
    upper_controls_row = st.container(horizontal=True, vertical_alignment="top")
    is_compared_at_budget = link_parameters["at"] == "budget" and run.all_measured_at_budgets
    if run.all_measured_at_budgets:
        with upper_controls_row.container(width="content"):
            draw_segmented_control_storing_setting(
                "Compared at",
                link_parameters,
                "at",
                PARAMETER_OPTIONS["at"],
                "retrieval_at",
                help="With a fixed number of chunks the longer chunks win recall, whatever the chunker. At an equal budget "
                "every chunker gives the language model equally much: its best chunks until so many tokens are full. "
                "2,000 tokens are what five chunks of 400 take, a usual prompt; the budgets go up to half of the text, "
                "as a larger one holds nearly everything. The top k is what published tables use.",
            )
        is_compared_at_budget = link_parameters["at"] == "budget"
    if is_compared_at_budget:
        budget_unit = link_parameters["budget_unit"]
        budgets_by_unit = run.budgets_by_unit
        link_parameters["budget"] = str(find_chosen_or_default_budget(link_parameters, budget_unit, budgets_by_unit))
        budget_labels = {str(size): pluralize(size, budget_unit.removesuffix("s")) for size in budgets_by_unit[budget_unit]}
        with upper_controls_row.container(width=170):
            draw_setting_select_box("Budget", link_parameters, "budget", budget_labels, f"retrieval_budget_{budget_unit}")
        with upper_controls_row.container(width=150):

            def carry_budget_to_new_unit() -> None:
                run_budgets_of_new_unit = budgets_by_unit[link_parameters["budget_unit"]]
                link_parameters["budget"] = str(
                    run_budgets_of_new_unit[
                        min(
                            budgets_by_unit[budget_unit].index(int(link_parameters["budget"])),
                            len(run_budgets_of_new_unit) - 1,
                        )
                    ]
                )

            draw_setting_select_box(
                "Counted in",
                link_parameters,
                "budget_unit",
                PARAMETER_OPTIONS["budget_unit"],
                "retrieval_budget_unit",
                carry_budget_to_new_unit,
            )
        with upper_controls_row.container(width=150):
            draw_setting_select_box(
                "The last chunk",
                link_parameters,
                "last",
                PARAMETER_OPTIONS["last"],
                "retrieval_last",
                help="What is done with the chunk that no longer fits: it is cut off where the budget is full, or left out.",
            )
    else:
        for parameter_name, control_label in {"k": "Top k", "unit": "Counted in"}.items():
            with upper_controls_row.container(width=150):
                draw_setting_select_box(
                    control_label,
                    link_parameters,
                    parameter_name,
                    PARAMETER_OPTIONS[parameter_name],
                    f"retrieval_{parameter_name}",
                )
    lower_controls_row = st.container(horizontal=True, vertical_alignment="bottom")
    with lower_controls_row.container(width=200):
        draw_setting_select_box(
            "Metric",
            link_parameters,
            "measure",
            PARAMETER_OPTIONS["measure"],
            "retrieval_measure",
            help=definitions_as_help(RETRIEVAL_TERMS),
        )
    with lower_controls_row.container(width=420):
        baseline_titles = {str(number + 1): title for number, title in chunker_titles.items()}
        return (
            int(draw_setting_select_box("Compared with", link_parameters, "baseline", baseline_titles, "retrieval_baseline"))
            - 1
        )
