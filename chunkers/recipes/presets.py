"""Settings by name: those that the sources published, and ours where `benchmarks` found better ones."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Preset:
    """A named set of parameters for one chunker, from a publication or chosen by us, with a note for the user."""

    title: str
    chunker: str
    parameters: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    published: bool = True


def _similarity_percentile_preset(
    title: str, cut_percentage: int, recommended_minimum_percentage: int, recommended_maximum_percentage: int
) -> Preset:
    return Preset(
        f"{title}: lowest {cut_percentage} % by similarity",
        "breakpoint",
        {"threshold": "percentile", "amount": 100 - cut_percentage, "buffer": 0},
        f"“Letting the Content Define Its Own Boundaries” starts between {recommended_minimum_percentage} and "
        f"{recommended_maximum_percentage} %; this is the middle.",
    )


_CHOSEN_FOR_SPACY_VECTORS_NOTE = (
    "Chosen for spaCy's en_core_web_md; with all-MiniLM-L6-v2, whose sentences are less similar, little merges."
)

_STITCHED_PRESET_TITLE = "Best on our stitched documents"
"""Title of settings chosen by `benchmarks.stitched` on one half of its passages and measured on the other."""

_QU_STITCHED_PRESET_TITLE = "Qu et al., best on stitched documents"
"""Likewise, chosen among the settings that Qu et al. tried."""


def _best_setting_score_note(setting_count: int, best_score: float, default_score: float) -> str:
    return (
        f"The best Pk of the {setting_count} settings that Qu et al. tried, on 50 documents stitched of half of our "
        "passages; "
        f"on 50 of the other half it is {best_score:.2f}, and the default's {default_score:.2f}. Their own best is only in "
        "a figure."
    )


MAXIMUM_SIZE_TOKENS = 250
"""The maximum size with which `benchmarks.chroma` compares semantic chunkers without one."""

MAXIMUM_SIZE_PARAMETERS: Mapping[str, dict[str, Any]] = {
    **{name: {"max_size": MAXIMUM_SIZE_TOKENS, "size_unit": "tokens"} for name in ("breakpoint", "change_point", "max_min")},
    # Its maximum size is in characters.
    "double_pass": {"max_size": 1000},
}
"""Parameters of the semantic chunkers that take a maximum size beside their own rule, by chunker."""


def _maximum_size_preset(chunker_name: str, recall_without_maximum: float, recall_with_maximum: float) -> Preset:
    """Return the preset of a chunker with a maximum size, from its recall at 1,000 tokens without and with it."""
    maximum_size_parameters = MAXIMUM_SIZE_PARAMETERS[chunker_name]
    return Preset(
        f"For retrieval: at most {maximum_size_parameters['max_size']:,} "
        f"{maximum_size_parameters.get('size_unit', 'characters')}",
        chunker_name,
        maximum_size_parameters,
        f"With 472 questions on Chroma's five corpora, recall at 1,000 tokens is {recall_with_maximum} %, and "
        f"{recall_without_maximum} % without a "
        "maximum size (`benchmarks.chroma`).",
        published=False,
    )


_CL100K_NOTE = "Chroma counts tokens of cl100k_base."

PRESETS: tuple[Preset, ...] = (
    Preset("Qu et al.: four chunks", "fixed_sentences", {"chunks": 4}, "Qu et al. tried 2 to 10 chunks."),
    Preset("Kreileder et al.: 150 words, overlap 15", "fixed_words", {"size": 150, "overlap": 15}),
    Preset("Article: 80 tokens", "fixed_tokens", {"size": 80, "overlap": 0}, "The article on double-pass merging."),
    *(
        Preset(
            f"Chroma: {size} tokens, overlap {overlap}" if overlap else f"Chroma: {size} tokens, no overlap",
            "fixed_tokens",
            {"size": size, "overlap": overlap},
            _CL100K_NOTE,
        )
        for size, overlap in ((800, 400), (400, 200), (400, 0), (250, 125), (250, 0), (200, 0))
    ),
    Preset("LangChain's default", "breakpoint", {"threshold": "percentile", "amount": 95, "buffer": 1}),
    Preset("LangChain: standard deviation", "breakpoint", {"threshold": "standard_deviation", "amount": 3, "buffer": 1}),
    Preset("LangChain: interquartile", "breakpoint", {"threshold": "interquartile", "amount": 1.5, "buffer": 1}),
    Preset("LangChain: gradient", "breakpoint", {"threshold": "gradient", "amount": 95, "buffer": 1}),
    Preset("Chroma: buffer 3", "breakpoint", {"threshold": "percentile", "amount": 95, "buffer": 3}),
    _similarity_percentile_preset("Academic and technical", 30, 25, 35),
    _similarity_percentile_preset("Legal", 20, 15, 25),
    _similarity_percentile_preset("News and blogs", 35, 30, 40),
    _similarity_percentile_preset("Dialogue and FAQ", 45, 40, 50),
    Preset(
        "Fall of similarity",
        "breakpoint",
        {"threshold": "slope", "amount": 1.5, "buffer": 0},
        "Method 3 of “Letting the Content Define Its Own Boundaries”.",
    ),
    *(
        Preset(
            f"TextTiling: {name}",
            "breakpoint",
            {"threshold": "depth", "amount": amount, "buffer": 0},
            "The line of Hearst 1997, section 5.3, who compares the words of blocks, smoothed.",
        )
        for name, amount in (("conservative", 0.5), ("liberal", 1))
    ),
    Preset(
        _QU_STITCHED_PRESET_TITLE,
        "breakpoint",
        {"threshold": "standard_deviation", "amount": 1, "buffer": 0},
        _best_setting_score_note(30, 0.381, 0.399),
    ),
    Preset(
        "Article: 0.7, 0.8, 0.7",
        "double_pass",
        {"initial_threshold": 0.7, "appending_threshold": 0.8, "merging_threshold": 0.7},
        _CHOSEN_FOR_SPACY_VECTORS_NOTE,
    ),
    Preset(
        "Article: 0.6, 0.7, 0.6",
        "double_pass",
        {"initial_threshold": 0.6, "appending_threshold": 0.7, "merging_threshold": 0.6},
        _CHOSEN_FOR_SPACY_VECTORS_NOTE,
    ),
    Preset(
        "Article: 0.7, 0.6, 0.6",
        "double_pass",
        {"initial_threshold": 0.7, "appending_threshold": 0.6, "merging_threshold": 0.6},
        _CHOSEN_FOR_SPACY_VECTORS_NOTE,
    ),
    Preset(
        "Kiss et al.: 0.6, 0.9, 1.5",
        "max_min",
        {"hard_threshold": 0.6, "relaxation": 0.9, "initial_factor": 1.5},
        "The values of the published code, for embeddings whose similarities are higher than those of all-MiniLM-L6-v2.",
    ),
    Preset(
        _STITCHED_PRESET_TITLE,
        "max_min",
        {"hard_threshold": 0.2, "relaxation": 0.3, "initial_factor": 1.5},
        "The best Pk of 96 settings on 50 documents stitched of one half of our passages, with all-MiniLM-L6-v2; on 50 of "
        "the other half it is 0.38, and 0.53 at the defaults.",
    ),
    Preset(
        "Chroma: average 400 tokens",
        "target_size",
        {"size": 400, "fit": "average", "unit": "tokens", "buffer": 3},
        f"{_CL100K_NOTE} Chroma cuts between pieces of 50 tokens, here between sentences.",
    ),
    *(
        Preset(f"Chroma, optimal {size}", "optimal", {"max_size": size, "piece_size": 50}, _CL100K_NOTE)
        for size in (400, 250, 200)
    ),
    Preset(
        _STITCHED_PRESET_TITLE,
        "optimal",
        {"max_size": 300, "piece_size": 50},
        "The best Pk of 42 settings on 50 documents stitched of one half of our passages; on 50 of the other half it is "
        "0.23, and 0.26 at the defaults. Tokens are all-MiniLM-L6-v2's.",
    ),
    Preset(
        "Kreileder et al., Table I",
        "single_linkage",
        {"position_weight": 0.25, "max_distance": 0.5, "target_sentences": 3, "slack": 1.2},
    ),
    Preset(
        "Qu et al.: four chunks",
        "single_linkage",
        {"position_weight": 0.5, "max_distance": 0.5, "chunks": 4},
        "Qu et al. tried 2 to 10 chunks at five weights.",
    ),
    Preset(
        _QU_STITCHED_PRESET_TITLE,
        "single_linkage",
        {"position_weight": 0.75, "max_distance": 0.5, "chunks": 8},
        _best_setting_score_note(45, 0.295, 0.491),
    ),
    Preset(
        "Qu et al.: place alone",
        "single_linkage",
        {"position_weight": 1, "max_distance": 0.5, "chunks": 4},
        "At λ = 1 the clusters are consecutive, like fixed-size chunks.",
    ),
    Preset("Qu et al.: ε 0.3, three for a core", "dbscan", {"position_weight": 0.5, "eps": 0.3, "min_samples": 3}),
    *(
        Preset(
            f"Chroma: {size}, overlap {overlap}" if overlap else f"Chroma: {size}, no overlap",
            "recursive",
            {"size": size, "overlap": overlap, "unit": "tokens", "separators": "chroma"},
            _CL100K_NOTE,
        )
        for size, overlap in ((800, 400), (400, 200), (400, 0), (250, 125), (250, 0), (200, 0))
    ),
    Preset("Chroma: windows of 800, pieces of 50", "llm", {"window": 800, "piece_size": 50}, _CL100K_NOTE),
    Preset(
        "Duarte et al.: windows of 550",
        "lumber",
        {"window": 550},
        "LumberChunker counts 1.2 tokens a word.",
    ),
    Preset(
        "Agentic chunker: one at a time",
        "propositions",
        {"batch": 1},
        "Kamradt's agentic chunker sorts each proposition by itself, and asks for title and summary with requests of their "
        "own; here one answer gives all three.",
    ),
    _maximum_size_preset("breakpoint", 44.8, 80.3),
    _maximum_size_preset("change_point", 64.4, 83.4),
    _maximum_size_preset("double_pass", 35.3, 82.2),
    Preset("LangChain's separators", "recursive", {"size": 1000, "overlap": 0, "separators": "langchain"}),
    Preset("Markdown", "recursive", {"size": 1000, "overlap": 0, "separators": "markdown"}),
)


def presets_for_chunker(chunker_name: str) -> list[Preset]:
    """Return the presets of the chunker called ``chunker_name``."""
    return [preset for preset in PRESETS if preset.chunker == chunker_name]
