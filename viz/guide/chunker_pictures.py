"""Six small pictures of each chunker: five of its run on a short text, and one of a known failure."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from chunkers import Chunker, Chunking, Document, Gap, Tools, build_chunker, load_embedder, load_tokenizer
from chunkers.contract import run_and_time_chunker
from chunkers.embedders.sentence_models import MiniLM
from chunkers.support import format_number, pluralize
from evaluation.segmentation import count_found_missed_added, cut_offsets
from viz.guide.pictures import GapData, PictureData, new_picture, picture_of_chunked_text, sentence_rows
from viz.jobs import build_tools, decision_in_words
from viz.jobs.formula_with_values import worked_formula
from viz.theme import known_boundary_count_phrase, split_at_glossary_terms

BEES_TEXT = (
    "Bees make honey from nectar.\nThey carry the nectar home in a second stomach.\n"
    "In the hive it is dried until it keeps for years.\n"
)
BREAD_TEXT = (
    "Bread begins with flour and water.\nYeast eats the sugar and fills the dough with gas.\n"
    "In the oven the gas expands and the loaf rises.\n"
)
SECOND_BEES_TEXT = (
    "Bees seal the honey with wax.\nThe beekeeper takes what the bees can spare.\n"
    "Clear honey turns white and firm in the cold.\n"
)

SIX_SENTENCE_TEXT = f"{BEES_TEXT}\n{BREAD_TEXT}"
"""The sentences of most chunkers' first five pictures: three on each of two subjects."""

_SIMILAR_SENTENCE_SECTION_TEXTS = (
    "Bees make honey from nectar.\nBees carry the nectar to the hive.\n",
    "Bread begins with flour and water.\nYeast fills the bread dough with gas.\n",
    "Honey from nectar keeps for years.\nBees seal the honey with wax.\n",
)


TRANSCRIPT_TEXT = (
    "ANNA: How do bees make honey?\nBEN: They carry nectar home in a second stomach.\n"
    "In the hive they dry it until it keeps for years.\nANNA: And how do they keep it?\n"
    "BEN: Under a seal of wax.\nThe beekeeper takes what they can spare.\n"
)
# Rows have no indentation, so that no line depends on it but those of the functions.
CODE_TEXT = (
    "def dry(nectar):\n    nectar = fan(nectar)\n    water = steam(nectar)\n    return nectar - water\n\n\n"
    "def seal(honey):\n    return wax(honey)\n"
)


class Example(NamedTuple):
    """The settings and texts of a chunker's pictures in the Guide.

    Attributes
    ----------
    parameters
        The chunker's settings, small enough for its text.
    measure_explanation, decision_explanation
        Explanations of its measure and of its decision, with glossary terms in brackets.
    failure_example
        The sections of a text on which it fails, and the settings used there.
    unit
        The tokenizer that counts its sizes; empty for chunkers that use scores.
    text
        The text of the first five pictures, with one row per line.
    row
        The noun for a row.
    """

    parameters: Mapping[str, Any]
    measure_explanation: str
    decision_explanation: str
    failure_example: tuple[tuple[str, ...], Mapping[str, Any]]
    unit: str = ""
    text: str = SIX_SENTENCE_TEXT
    row: str = "sentence"


_NEIGHBOUR_DISTANCE_EXPLANATION = (
    "It compares the [embeddings] of each two neighbouring sentences: the bar is their [distance]."
)
_JOINT_DISTANCE_EXPLANATION = (
    "It measures the joint distance of sentences: half their [distance] in meaning, half their places in the text."
)

EXAMPLE_BY_CHUNKER: Mapping[str, Example] = {
    "fixed_sentences": Example(
        {"size": 2},
        "It counts the sentences of the open [chunk].",
        "After two sentences, the chunk is full.",
        ((BEES_TEXT, BREAD_TEXT), {"size": 2}),
        "sentences",
    ),
    "fixed_words": Example(
        {"size": 20, "overlap": 0},
        "It counts the words of the open [chunk].",
        "After 20 words the chunk is full, wherever that is.",
        ((BEES_TEXT, BREAD_TEXT), {"size": 15, "overlap": 0}),
        "words",
    ),
    "fixed_characters": Example(
        {"size": 100, "overlap": 0},
        "It counts the characters of the open [chunk].",
        "After 100 characters the chunk is full, even inside a word.",
        ((BEES_TEXT, BREAD_TEXT), {"size": 70, "overlap": 0}),
        "characters",
    ),
    "fixed_tokens": Example(
        {"size": 25, "overlap": 0},
        "It counts the [tokens] of the open [chunk].",
        "After 25 tokens the chunk is full, wherever that is.",
        ((BEES_TEXT, BREAD_TEXT), {"size": 18, "overlap": 0}),
        MiniLM.name,
    ),
    "recursive": Example(
        {"size": 120},
        "It counts the characters of the open [chunk].",
        "Before 120 characters are passed, it cuts at a separator: a blank line, else a line break, else a full stop.",
        ((BEES_TEXT, BREAD_TEXT), {"size": 400}),
        "characters",
    ),
    "structure": Example(
        {"max_size": 40, "join_below": 20},
        "It finds the blocks of the text, here two paragraphs, and counts their [tokens].",
        "Blocks that fit together are joined; here two paragraphs do not.",
        ((BEES_TEXT + SECOND_BEES_TEXT,), {"max_size": 30, "join_below": 10}),
        MiniLM.name,
    ),
    "turns": Example(
        {"max_size": 30},
        "It finds the turns of a transcript by their speakers, and counts their [tokens].",
        "Turns that fit together are joined; one that is too long is cut between sentences, and its speaker is repeated.",
        (
            (
                "ANNA: How do bees make honey?\nBEN: They dry nectar in the hive until it keeps.\n"
                "ANNA: How long does it keep?\nBEN: For years, under a seal of wax.\n",
            ),
            {"max_size": 30},
        ),
        MiniLM.name,
        TRANSCRIPT_TEXT,
    ),
    "code": Example(
        {"max_size": 20, "language": "python"},
        "It finds functions, classes and statements, and counts their [tokens].",
        "Neighbours that fit together are joined; a function that is too long is cut between its statements.",
        (
            (
                "def bees(nectar):\n    return dry(nectar)\n\n\n",
                "def bread(flour):\n    return bake(flour)\n",
            ),
            {"max_size": 60, "language": "python"},
        ),
        MiniLM.name,
        CODE_TEXT,
        "line",
    ),
    "breakpoint": Example(
        {"amount": 70.0},
        _NEIGHBOUR_DISTANCE_EXPLANATION,
        "A [gap] is cut if its distance is above the [threshold], the notch: here the 70th [percentile].",
        (
            (
                "Write the two numbers below each other.\nThen add the digits from right to left.\nc = a + b\n"
                "If a sum passes nine, carry one to the next column.\nThe last sum is written down as it is.\n",
            ),
            {"amount": 70.0},
        ),
    ),
    "target_size": Example(
        {"size": 30, "buffer": 0},
        _NEIGHBOUR_DISTANCE_EXPLANATION,
        "The [threshold], the notch, is lowered until the average [chunk] has at most 30 [tokens].",
        ((BEES_TEXT + SECOND_BEES_TEXT,), {"size": 30, "buffer": 0}),
    ),
    "double_pass": Example(
        {"merging_threshold": 0.35},
        "It measures similarity, 1 minus the [distance]: in pass one, of the next sentence and the last two of the chunk.",
        "Pass one joins what is similar enough; pass two compares the [mini-chunks], and may join over a [snippet].",
        ((BEES_TEXT, BREAD_TEXT), {}),
    ),
    "max_min": Example(
        {},
        "It compares the next sentence with every one of the open [chunk]: similarity, 1 minus the [distance].",
        "The sentence joins if the greatest similarity is above a [threshold].",
        ((BEES_TEXT + SECOND_BEES_TEXT,), {}),
    ),
    "optimal": Example(
        {"max_size": 40, "piece_size": 10},
        "It tries all ways to cut the text into pieces of at most 10 [tokens] and to join these.",
        "A cut is made if the best way with it has more similarity within chunks than the best without.",
        ((BEES_TEXT + SECOND_BEES_TEXT,), {"max_size": 400, "piece_size": 10}),
    ),
    "change_point": Example(
        {"cuts_at": "sentences"},
        "It measures by how much a cut reduces the spread of the [embeddings] around the means of their chunks.",
        "A cut must gain more than cuts gain in the same sentences shuffled: the penalty, the notch.",
        (
            (
                BEES_TEXT,
                "The ferry leaves at noon.\n",
                "Bees seal the honey with wax.\nClear honey turns white in the cold.\n",
            ),
            {"cuts_at": "sentences"},
        ),
    ),
    "single_linkage": Example(
        {},
        _JOINT_DISTANCE_EXPLANATION,
        "The nearest sentences are joined first, up to the greatest distance, the notch.",
        (_SIMILAR_SENTENCE_SECTION_TEXTS, {"position_weight": 0.1}),
    ),
    "dbscan": Example(
        {"eps": 0.45},
        _JOINT_DISTANCE_EXPLANATION,
        "Sentences within ε, the notch, of each other are one [chunk]; what has no neighbour is noise.",
        ((BEES_TEXT, BREAD_TEXT), {"eps": 0.3}),
    ),
    "kmeans": Example(
        {"clusters": 2},
        "It looks for two centres among the [embeddings], and measures how far each sentence is from them.",
        "Every sentence belongs to the nearest centre; a [gap] between two of different centres is a [boundary].",
        (_SIMILAR_SENTENCE_SECTION_TEXTS, {"clusters": 2}),
    ),
}
"""The pictures of each chunker that calls no language model."""


def bundled_model_tools() -> Tools:
    """Return the services of chunkers with the bundled embedding model, loaded, and its tokenizer."""
    embedder = load_embedder(MiniLM.name)
    embedder.ensure_model_built_and_loaded()
    return build_tools(embedder, MiniLM.name)


@cache
def pictures_of_chunker(chunker_name: str) -> list[PictureData]:
    """Return the Guide's six pictures of a chunker, computed with the bundled embedding model."""
    tools = bundled_model_tools()
    return [
        *pictures_of_run(chunker_name, EXAMPLE_BY_CHUNKER[chunker_name].text, tools),
        known_failure_picture(chunker_name, tools),
    ]


def pictures_of_run(chunker_name: str, text: str, tools: Tools) -> list[PictureData]:
    """Return five pictures of how a chunker cuts a text with one sentence per line."""
    chunker_example = EXAMPLE_BY_CHUNKER[chunker_name]
    document, chunker, chunking = _run_chunker(chunker_name, text, chunker_example.parameters, tools)
    sentence_numbers = range(len(document.sentences))
    size_counter = _size_counter(chunker_example.unit, document)
    text_picture = new_picture(
        "The text",
        split_at_glossary_terms(
            f"{pluralize(len(sentence_numbers), chunker_example.row)}, each with its number. Between two lies a [gap]."
        ),
    )
    measured_values_picture = new_picture("What it measures", split_at_glossary_terms(chunker_example.measure_explanation))
    measured_values_picture["gaps"] = (
        _growing_chunk_size_data(chunking, chunker, size_counter, chunker_example.unit)
        if chunker_example.unit
        else _centre_distance_data(chunking) or _first_score_data_per_gap(chunking)
    )
    decisions_picture = new_picture("What it decides", split_at_glossary_terms(chunker_example.decision_explanation))
    decisions_picture["gaps"] = _list_decision_data_per_gap(chunking)
    explained_gap = max(
        chunking.gaps,
        key=lambda candidate: (candidate.verdict.is_cut, candidate.offset is None, candidate.verdict.is_overruled),
        default=None,
    )
    gap_formula_picture = new_picture("One gap in numbers")
    if explained_gap is not None:
        gap_place_phrase = (
            f"{'after' if explained_gap.offset is None else 'inside'} {chunker_example.row} {explained_gap.index + 1}"
        )
        gap_formula_picture["said"] = [
            split_at_glossary_terms(f"The decision {gap_place_phrase}: the formula with its values.")
        ]
        gap_formula_picture["formula"] = [
            *worked_formula(chunker, chunking, explained_gap, tools),
            decision_in_words(explained_gap),
        ]
        gap_formula_picture["rows"] = sentence_rows(
            document, [*sentence_numbers][explained_gap.index : explained_gap.index + 2]
        )
    for picture in (text_picture, measured_values_picture, decisions_picture):
        picture["rows"] = sentence_rows(document, sentence_numbers)
    chunks_picture = picture_of_chunked_text(
        chunking, "The chunks", split_at_glossary_terms(pluralize(len(chunking.chunks), "[chunk]", "[chunks]"))
    )
    for chunks_picture_gap_data in chunks_picture["gaps"]:
        chunks_picture_gap_data["said"] = ""
    return [text_picture, measured_values_picture, gap_formula_picture, decisions_picture, chunks_picture]


def known_failure_picture(chunker_name: str, tools: Tools) -> PictureData:
    """Return a picture of a text on which the chunker is known to fail."""
    section_texts, parameters = EXAMPLE_BY_CHUNKER[chunker_name].failure_example
    section_end_offsets = tuple(sum(map(len, section_texts[: number + 1])) for number in range(len(section_texts) - 1))
    _, chunker, chunking = _run_chunker(chunker_name, "".join(section_texts), parameters, tools)
    found_boundary_count, _, extra_cut_count = count_found_missed_added(cut_offsets(chunking), section_end_offsets)
    multispan_chunk_count = sum(len(chunk.spans) > 1 for chunk in chunking.chunks)
    failure_caption = f"One subject, in {pluralize(len(chunking.chunks), 'chunk')}"
    if section_end_offsets:
        failure_caption = (
            f"{known_boundary_count_phrase(len(section_end_offsets)).capitalize()}, {found_boundary_count} found; "
            f"{pluralize(extra_cut_count, 'cut')} elsewhere"
        )
    failure_caption += f"; {pluralize(multispan_chunk_count, 'chunk')} in several places" * bool(multispan_chunk_count)
    failure_picture = picture_of_chunked_text(
        chunking, "A known failure", split_at_glossary_terms(f"{failure_caption}. {chunker.failure}")
    )
    later_sentence_starts = [sentence.start for sentence in chunking.document.sentences[1:]]
    for picture_gap, sentence_start in zip(failure_picture["gaps"], later_sentence_starts, strict=True):
        picture_gap["said"] = (
            "new subject" if sentence_start in section_end_offsets else "same subject" if picture_gap["cut"] else ""
        )
    return failure_picture


def _run_chunker(
    chunker_name: str, text: str, parameters: Mapping[str, Any], tools: Tools
) -> tuple[Document, Chunker, Chunking]:
    document = Document.from_text(text, "lines")
    chunker = build_chunker(chunker_name, dict(parameters))
    return document, chunker, run_and_time_chunker(chunker, document, tools)


def _size_counter(unit: str, document: Document) -> Callable[[str], int]:
    if unit == "sentences":
        return lambda text: sum(sentence in text for sentence in document.sentence_texts)
    tokenizer = load_tokenizer(unit or "words")
    return lambda text: tokenizer.count([text.strip()])[0]


def _list_gaps_between_sentences(chunking: Chunking) -> list[Gap]:
    return [gap for gap in chunking.gaps if gap.offset is None]


def _score_scaler(gaps: list[Gap]) -> Callable[[float | None], float | None]:
    """Return a function that maps a score to its position, from 0 to 1, on a gauge of all scores and thresholds."""
    scores_and_thresholds = [value for gap in gaps for value in (gap.score, gap.threshold) if value is not None]
    lowest_value, highest_value = min([0.0, *scores_and_thresholds]), max([0.0, *scores_and_thresholds])
    return lambda value: None if value is None else (value - lowest_value) / ((highest_value - lowest_value) * 1.1 or 1.0)


def _first_score_data_per_gap(chunking: Chunking) -> list[GapData]:
    """Return the first score of each gap."""
    gaps_between_sentences = _list_gaps_between_sentences(chunking)
    score_scaling_function = _score_scaler(gaps_between_sentences)
    first_reason_per_gap = [gap.why.steps()[0] for gap in gaps_between_sentences]
    first_score_per_gap = [
        gap.score if first.score is None else first.score
        for gap, first in zip(gaps_between_sentences, first_reason_per_gap, strict=True)
    ]
    return [
        {
            "said": "" if score is None else f"{first.score_name} {format_number(score, '.2f')}".strip(),
            "share": score_scaling_function(score),
            "line": None,
            "cut": False,
        }
        for score, first in zip(first_score_per_gap, first_reason_per_gap, strict=True)
    ]


def _centre_distance_data(chunking: Chunking) -> list[GapData]:
    """Return each sentence's distances to its own centre and to the nearest other, if the chunks have centres."""
    own_and_other_centre_distances = chunking.clusters
    if own_and_other_centre_distances is None or not own_and_other_centre_distances.other:
        return []
    gauge_end = 1.1 * max(*own_and_other_centre_distances.own, *own_and_other_centre_distances.other)
    return [
        {
            "said": f"own centre {own:.2f}, other {other:.2f}",
            "share": own / gauge_end,
            "line": other / gauge_end,
            "cut": False,
        }
        for own, other in zip(own_and_other_centre_distances.own, own_and_other_centre_distances.other, strict=True)
    ]


def _growing_chunk_size_data(
    chunking: Chunking, chunker: Any, size_measuring_function: Callable[[str], int], unit: str
) -> list[GapData]:
    """Return the size of the open chunk after each sentence, with the maximum."""
    document = chunking.document
    size_limit = getattr(chunker, "size", None) or chunker.max_size
    open_chunk_sizes = []
    for sentence_span in document.sentences[:-1]:
        open_chunk_start_offset = max(chunk.start for chunk in chunking.chunks if chunk.start < sentence_span.end)
        open_chunk_sizes.append(size_measuring_function(document.text[open_chunk_start_offset : sentence_span.end]))
    gauge_end = 1.1 * max([size_limit, *open_chunk_sizes])
    unit_name = unit if unit in ("sentences", "words", "characters") else "tokens"
    return [
        {
            "said": f"{size} of {size_limit} {unit_name}",
            "share": size / gauge_end,
            "line": size_limit / gauge_end,
            "cut": False,
        }
        for size in open_chunk_sizes
    ]


def _list_decision_data_per_gap(chunking: Chunking) -> list[GapData]:
    gaps_between_sentences = _list_gaps_between_sentences(chunking)
    scale_gap_score = _score_scaler(gaps_between_sentences)
    reasons_of_cuts_inside_sentences: dict[int, str] = {}
    for gap in chunking.gaps:
        if gap.offset is not None:
            reasons_of_cuts_inside_sentences[gap.index] = (
                f"{reasons_of_cuts_inside_sentences.get(gap.index, '')}{gap.reason}. "
            )
    return [
        {
            "said": reasons_of_cuts_inside_sentences.get(gap.index, "") + gap.reason,
            "share": None if gap.threshold is None else scale_gap_score(gap.score),
            "line": scale_gap_score(gap.threshold),
            "cut": gap.verdict.is_cut,
        }
        for gap in gaps_between_sentences
    ]
