"""The bundled lectures: every link is understood, and every number in the words is computed again here."""

import re

import pytest

from chunkers import Chunking, Document, build_chunker, run_chunker
from evaluation.questions.corpus_ranges_and_rulers import TokenRuler
from evaluation.retrieval.asked_question import build_search_index_of_text, retrieve_for_question
from evaluation.segmentation.boundary_measures import cut_offsets
from evaluation.segmentation.chunk_statistics import (
    DiscontinuousChunks,
    count_found_missed_added,
    count_sentences_of_each_chunk,
)
from evaluation.segmentation.threshold_staircase import chunk_sizes_by_threshold
from sample_docs import SAMPLES_FOLDER, load_sample, sample_splitters
from viz.breakpoints.decision_steps_by_chunker import greedy_scan_steps
from viz.compare.choices_and_session.choices import default_choices
from viz.double_pass import page as double_pass
from viz.double_pass.passes import steps_of_both_passes
from viz.retrieval.bundled_run import default_retrieval_choices
from viz.shell.navigation import PAGES
from viz.state.choices import Choices, ColumnChoice, choices_from_query, new_default_column
from viz.state.lecture_decks import REVEALING_SCENE_PART, SCENE_PARTS, Deck, Scene, bundled_decks
from viz.state.question_settings import RETRIEVAL_LIMITS

SCENES = [(name, scene) for name, deck in bundled_decks().items() for scene in deck.scenes]

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")

METHODS = ("single_linkage", "dbscan", "kmeans")


def choices_of(scene):
    document, splitters = "stubs", sample_splitters()
    default = {
        "": default_choices(),
        "double_pass": double_pass.default_choices(),
        "clustering": Choices(document, splitters[document], [ColumnChoice(name) for name in METHODS]),
    }.get(scene.page, Choices(document, splitters[document], [new_default_column("breakpoint")]))
    return choices_from_query(scene.query, splitters, default)


class Run:
    """The columns of a scene, run on its text."""

    def __init__(self, scene, tools):
        choices, _ = choices_of(scene)
        sample = load_sample(choices.document)
        self.scene, self.tools, self.text, self.known = scene, tools, sample.text, sample.known
        self.document = Document.from_text(sample.text, choices.sentences).split()
        columns = choices.columns if scene.page in ("", "double_pass") else [choices.columns[choices.selected]]
        self.chunkers = [build_chunker(column.chunker, column.parameters, tools.embedder) for column in columns]
        self.results: list[Chunking] = [run_chunker(chunker, self.document, tools) for chunker in self.chunkers]

    @property
    def sentences(self):
        return len(self.document.sentences)

    def against(self, column=0):
        return count_found_missed_added(cut_offsets(self.results[column]), self.known)

    def chunks(self, column=0):
        return len(self.results[column].chunks)

    def gap(self, number, column=0):
        return self.results[column].gaps[number - 1]

    def first_of_sections(self):
        starts = [0, *self.known]
        return [next(n for n, (start, _) in enumerate(self.document.sentences, 1) if start >= at) for at in starts]

    def best(self, column):
        """Return the numbers of the first and the last sentence of the chunk that the scene's question finds first."""
        tools, chunking = self.tools, self.results[column]
        passages = build_search_index_of_text(chunking, tools, "embedding")
        limit = RETRIEVAL_LIMITS[self.scene.query["ask_limit"]][1]
        ranking = retrieve_for_question(passages, self.scene.ask, tools, limit, TokenRuler(self.text, tools.tokenizer))
        counts = count_sentences_of_each_chunk(chunking)
        before = sum(counts[: ranking.hits[0].number])
        return before + 1, before + counts[ranking.hits[0].number]


def why_cut(here):
    first, last = here.best(0)
    return [f"sentences {first} to {last}"]


def where_would_you_cut(here):
    found, missed, added = here.against()
    assert (missed, added) == (0, 0)
    return [f"text of {here.sentences} sentences", f"has {len(here.known) + 1} topics, so {found} boundaries"]


def fixed_size(here):
    found, missed, added = here.against()
    size = here.chunkers[0].size
    starts = here.first_of_sections()
    assert starts[1] - starts[0] == size, "the hit is luck"
    return [
        f"after every {size} sentences",
        f"at sentences {', '.join(map(str, starts[:-1]))} and {starts[-1]}",
        f"the {len(here.known)} boundaries",
        f"finds {found} boundary, misses {missed} and adds {added} cuts",
        f"have {size} sentences",
    ]


def step_by_step(here):
    chunking, chunker = here.results[0], here.chunkers[0]
    stairs = chunk_sizes_by_threshold(
        here.document,
        chunker,
        chunking.curves[0].scores,
        lambda variant: run_chunker(variant, here.document, here.tools),
    )
    flat = stairs.flat_stretch_containing(chunker.amount)
    gap = here.gap(2)
    assert gap.score > gap.threshold
    assert here.document.sentences[2][0] not in here.known
    assert here.scene.until <= len(greedy_scan_steps(chunking, 0.02, None))
    return [
        f"distance {gap.threshold:.2f}",
        f"Gap 2 is cut within a topic, by {gap.score:.2f} against {gap.threshold:.2f}",
        f"percentile {flat.low:g} to {flat.high:g}",
    ]


def two_passes(here):
    steps = steps_of_both_passes(here.results[0], None)
    refused, merged = steps[here.scene.until - 2], steps[here.scene.until - 1]
    assert steps[here.scene.query and int(here.scene.query["step"]) - 1]["story"][0].startswith("Pass two")
    assert merged["title"] == "Merged over a snippet: sentence 11"
    assert here.document.sentence_texts[10].strip() == "return a"
    below, line = dict(refused["numbers"])["similarity"].split(" ≤ merging ")
    above, same = dict(merged["numbers"])["similarity"].split(" > merging ")
    assert line == same
    assert here.chunks() == 1
    return ["sentence 11", f"is at {below}, not above {line}", f"is at {above}"]


def best_partition(here):
    gaps = here.sentences - 1
    (found, _, added), (other, missed, none) = here.against(0), here.against(1)
    assert found == other == len(here.known)
    assert missed == 0
    return [
        f"of {gaps} gaps",
        f"{2**gaps:,} partitions",
        f"the {found} boundaries",
        f"all {found} boundaries",
        f"Breakpoint adds {added} cuts, Optimal adds {none}",
    ]


def whole_answer(here):
    last = here.sentences
    first = here.first_of_sections()[-1]
    counts = []
    for column in range(3):
        start, end = here.best(column)
        counts.append(len(set(range(start, end + 1)) & set(range(first, last + 1))))
    fixed, breakpoint_, double = counts
    return [
        f"Sentences {first} to {last}",
        f"all {last - first + 1}?",
        f"Of the {last - first + 1} sentences",
        f"Fixed sentences has {fixed}, of Breakpoint {breakpoint_} and of Double pass {double}",
    ]


def no_winner(here):
    rows = (SAMPLES_FOLDER / "questions.csv").read_text(encoding="utf-8").splitlines()[1:]
    return [f"{len(rows)} questions", f"{len(default_retrieval_choices().columns)} chunkers"]


def title_lines(here):
    (found, missed, added), (other, _, none) = here.against(0), here.against(1)
    at = next(n for n, text in enumerate(here.document.sentence_texts) if text.startswith("# Reading the sensors"))
    before, after = here.gap(at), here.gap(at + 1)
    assert before.score <= before.threshold < after.score
    return [
        f"with {len(here.known) + 1} sections",
        f"finds {found} of {found + missed} boundaries and adds {added} cuts",
        f"Structure finds {other} and adds {none}",
        f"at {before.score:.2f} from the line before and at {after.score:.2f} from the line after",
    ]


def lost_order(here):
    pieces = DiscontinuousChunks.of(here.results[0])
    chunks = here.chunks()
    return [
        f"the {here.sentences} sentences",
        f"into {chunks} clusters",
        f"The {chunks} chunks lie in {chunks + pieces.breaks} pieces",
    ]


def ruler(here):
    cuts = cut_offsets(here.results[0])
    inside = sum(here.text[cut - 1 : cut + 1].isalnum() for cut in cuts)
    assert here.against()[0] == 0
    return [
        f"every {here.chunkers[0].size} characters",
        f"has {len(here.text):,} characters",
        f"are {here.chunks()} chunks",
        f"Of the {len(cuts)} cuts, {inside} are inside a word",
        f"one of the {len(here.known)} boundaries",
    ]


def overlapping(here):
    return [
        f"of {here.chunkers[0].size} characters",
        f"last {here.chunkers[1].overlap} of",
        f"are {here.chunks(0)} chunks without the overlap and {here.chunks(1)} with it",
    ]


def paragraphs(here):
    (found, missed, _), (other, _, added) = here.against(0), here.against(1)
    assert added == 0
    return [
        f"{len(here.known) + 1} questions with",
        f"allow {here.chunkers[1].size} characters",
        f"the {len(here.known)} boundaries",
        f"finds {found} of {found + missed}, Recursive {other}",
    ]


def sizes(here):
    (_, _, added), (_, missed, none), (_, torn, _) = map(here.against, range(3))
    assert missed == none == 0
    small, middle, large = (chunker.size for chunker in here.chunkers)
    return [
        f"of {small}, {middle} and {large} characters",
        f"the {len(here.known) + 1} answers",
        f"At {small} there are {added} cuts too many, at {middle} none, and at {large} the cuts miss {torn} boundaries",
    ]


def blocks(here):
    (found, missed, added), (other, _, none) = here.against(0), here.against(1)
    return [f"finds {found} of {found + missed} boundaries and adds {added} cuts. Structure finds {other} and adds {none}"]


def no_blocks(here):
    return [f"makes {here.chunks()} chunk and misses all {here.against()[1]} boundaries"]


def octopus(here):
    topic, *more = (here.gap(number) for number in (3, 6, 7))
    assert all(gap.score > gap.threshold for gap in (topic, *more))
    assert here.document.sentences[3][0] == here.known[0]
    scores = " and ".join(f"{gap.score:.2f}" for gap in more)
    return [
        f"{here.sentences} sentences",
        f"Gap 3 is a new topic at {topic.score:.2f}",
        f"Gaps 6 and 7 are cut too, at {scores}",
    ]


def percentiles(here):
    low, middle, high = (f"{chunker.amount:g}" for chunker in here.chunkers)
    found, missed, added = here.against(1)
    assert missed == added == 0
    one, two, three = map(here.chunks, range(3))
    return [
        f"percentile {low}, {middle} and {high}",
        f"the {found} boundaries",
        f"are {one}, {two} and {three} chunks",
        f"Percentile {middle} finds both",
    ]


EXPECTED = {
    "Why cut?": why_cut,
    "Where would you cut?": where_would_you_cut,
    "Fixed size": fixed_size,
    "Breakpoint, step by step": step_by_step,
    "Double pass": two_passes,
    "The best of all partitions": best_partition,
    "Who keeps the answer whole?": whole_answer,
    "No winner without questions": no_winner,
    "Title lines fool the greedy line": title_lines,
    "Clustering loses the order": lost_order,
    "A ruler on the text": ruler,
    "Overlap": overlapping,
    "Paragraphs first": paragraphs,
    "The size still matters": sizes,
    "Headings, tables, code": blocks,
    "Nothing to read": no_blocks,
    "One gap at a time": octopus,
    "The threshold decides": percentiles,
}


def test_the_lecture_has_eight_scenes_and_the_others_are_there():
    assert len(bundled_decks()["ten-minutes"].scenes) == 8
    assert {"encores", "character", "recursive", "structure", "semantic", "language-model"} < bundled_decks().keys()
    titles = [scene.title for _, scene in SCENES]
    assert len({*titles}) == len(titles)


@pytest.mark.parametrize(
    ("deck", "scene"), SCENES, ids=lambda argument: argument if isinstance(argument, str) else argument.title
)
def test_every_link_is_understood_and_every_part_has_words(deck, scene):
    assert scene.page in {"", *PAGES} - {"compare"}
    assert choices_of(scene)[1] == []
    assert [*scene.words_by_shown_part] == [*SCENE_PARTS]
    assert not scene.ask or scene.page == ""


@pytest.mark.model
@pytest.mark.parametrize(
    ("deck", "scene"), SCENES, ids=lambda argument: argument if isinstance(argument, str) else argument.title
)
def test_every_number_in_the_words_is_computed(deck, scene, real_tools):
    words = " ".join(scene.words_by_shown_part.values())
    for fragment in EXPECTED[scene.title](Run(scene, real_tools)) if scene.title in EXPECTED else []:
        assert fragment in words
        words = words.replace(fragment, "")
    assert not NUMBER.findall(words)


def test_a_scene_without_words_can_be_seen():
    assert [*Scene(title="Alone", link="/").words_by_shown_part] == [REVEALING_SCENE_PART]
    with pytest.raises(ValueError, match="white space"):
        Deck(title=" ")
