"""The Guide's path: every figure of its ten screens is the library's, and every word is explained before it is used."""

import json
import re
from itertools import pairwise
from math import cos, radians

import pytest

from chunkers import Document, build_chunker, load_tokenizer
from chunkers.contract.base import run_and_time_chunker
from chunkers.text.bundled_model import model_folder
from evaluation.retrieval import Limit
from evaluation.retrieval.asked_question import build_search_index_of_text, judge_retrieval, retrieve_for_question
from tests.support import AngleEmbedder, HashEmbedder, tools
from tests.viz.app_steps import sent, settled, widget
from viz.guide.chunker_pictures import bundled_model_tools
from viz.guide.path_screens import (
    ANSWER_SENTENCE_RANGE,
    EXAMPLE_QUESTION,
    GREATEST_TOKEN_SIZE,
    SCREENS,
    THREE_TOPICS_TEXT,
    TOKEN_BUDGET,
    WORDS_PER_CHUNK,
    Choice,
    Slide,
    working_repairs,
)
from viz.jobs.question_preview_context_jobs import token_ruler_of_document
from viz.theme.glossary import split_at_glossary_terms

SMALLEST, CUTS, TOKENS, UNITS, OVERLAP, MEANINGS, PREDICTION, KNOWN, ASKED, REPAIR = SCREENS

ANGLES = "".join(f"{angle} is the very angle of word{angle}.\n" for angle in (0, 5, 40, 41, 90, 95, 150, 10))

COMMON_WORDS = 3_000

KNOWN_WORDS = {
    "forms of everyday words": "smallest divides stored closest repeats measures misses nearest underlined repeated",
    "everyday words, rare in encyclopedias": "colour elsewhere nowhere repair click",
    "the subjects of the short texts": "bees bread nectar",
    "the name of a method, in the sentence that says what it does": "breakpoint",
}
"""Words of the path that are neither frequent nor explained there, by the reason why they need no explanation."""


def frequent():
    """Return the most frequent English words: the model's vocabulary lists whole words by their frequency."""
    lines = (model_folder() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    return {*[line for line in lines if re.fullmatch("[a-z]{2,}", line)][:COMMON_WORDS]}


def singular(word):
    return re.sub("ies$", "y", word) if word.endswith("ies") else word.removesuffix("s")


def words_of(text):
    return re.findall(r"[^\W\d_]{2,}", text.lower())


def rows(drawn):
    return ["".join(part["text"] for part in row["parts"]) for row in drawn.picture["rows"]]


def chunk_texts(drawn):
    """Return the text of every chunk, as the colours of the rows divide it."""
    texts = {}
    for row in drawn.picture["rows"]:
        for part in row["parts"]:
            for chunk in part["chunks"]:
                texts[chunk] = texts.get(chunk, "") + part["text"] + " "
    return [" ".join(texts[chunk].split()) for chunk in sorted(texts)]


def distance(first, second):
    return 1 - cos(radians(first - second))


def states(screen):
    """Return every state of a screen that its control offers, and None."""
    control = screen.draw(screen.text, None, bundled_model_tools()).control
    if isinstance(control, Choice):
        return [None, *control.options]
    if isinstance(control, Slide):
        return [None, *sorted({control.low, control.high} - {control.start})]
    return [None, [0, 2]] if control == "cuts" else [None, "Why does the dough rise?"]


@pytest.mark.model
def test_every_word_is_frequent_or_explained_before_it_is_used():
    known = {singular(word) for word in frequent()} | {
        singular(word) for words in KNOWN_WORDS.values() for word in words.split()
    }
    used, unknown = set(), []

    def read(text):
        for word in words_of(text):
            used.add(word)
            if singular(word) not in known and word not in known:
                unknown.append(f"{screen.title}: {word}")

    for screen in SCREENS:
        drawn = [screen.draw(screen.text, state, bundled_model_tools()) for state in states(screen)]
        control = drawn[0].control
        labels = (
            []
            if isinstance(control, str)
            else [control.label, *(control.options.values() if isinstance(control, Choice) else ())]
        )
        for text in (screen.title, screen.explanation, screen.task, *labels, *(drawing.effect for drawing in drawn)):
            for piece in split_at_glossary_terms(text):
                if piece["about"]:
                    known |= {singular(word) for word in words_of(piece["text"])}
                read(piece["text"])
    assert not unknown
    # No reason is kept for a word that the path does not use.
    assert {word for words in KNOWN_WORDS.values() for word in words.split()} <= used


@pytest.mark.model
def test_a_screen_is_short_and_has_one_thing_to_do():
    assert len(SCREENS) == 10
    for screen in SCREENS:
        assert len(f"{screen.explanation} {screen.task}".split()) <= 40
        seen = [screen.draw(screen.text, state, bundled_model_tools()) for state in states(screen)]
        # Each choice has an effect of its own, seen at once.
        effects = [(drawing.effect, str(drawing.picture)) for drawing in seen]
        opening = seen[0].control.start if isinstance(seen[0].control, Choice) else None
        assert len({*effects}) == len(effects) - (opening is not None)
        assert all(len(told.split()) <= 14 for told, _ in effects)


@pytest.mark.parametrize("text", [SMALLEST.text, "One here. Is two there? Yes, e.g. Mr. Two."])
def test_sentences_are_the_splitters(text):
    sentences = Document.from_text(text).sentence_texts
    before, after = (SMALLEST.draw(text, chosen, tools()) for chosen in (None, "6"))
    assert rows(before) == [text]
    assert not before.effect
    assert rows(after) == [sentence.strip() for sentence in sentences]
    points, ends = text.count("."), sum(sentence.strip().endswith(".") for sentence in sentences)
    assert after.effect == f"{len(sentences)} sentences; you said 6. {points - ends} of {points} points end none."
    right = SMALLEST.draw(text, str(len(sentences)), tools())
    assert right.effect.startswith(f"{len(sentences)} sentences, as you said.")


@pytest.mark.parametrize("text", [CUTS.text, ANGLES])
def test_the_readers_cuts_make_chunks(text):
    lines = [line for line in text.splitlines() if line]
    whole, cut = (CUTS.draw(text, gaps, tools()) for gaps in (None, [2, 0, 99]))
    assert whole.effect == f"1 chunk, of {len(lines)} sentences."
    assert chunk_texts(whole) == [" ".join(lines)]
    assert cut.effect == f"3 chunks, of 1, 2 and {len(lines) - 3} sentences."
    assert chunk_texts(cut) == [lines[0], " ".join(lines[1:3]), " ".join(lines[3:])]
    assert cut.picture["cuts"]["gaps"] == [0, 2]


@pytest.mark.parametrize("text", [TOKENS.text, ANGLES])
@pytest.mark.parametrize("size", [4, 7, GREATEST_TOKEN_SIZE])
@pytest.mark.parametrize("tokenizer", ["words", "all-MiniLM-L6-v2"])
def test_tokens_are_counted_by_the_tokenizer(text, size, tokenizer):
    drawn = TOKENS.draw(text, size, tools(tokenizer=tokenizer))
    (total,) = load_tokenizer(tokenizer).count([text])
    shown = drawn.picture["tokens"]
    assert len(shown) == total
    assert "".join(token["text"] for token in shown) == "".join(text.split())
    assert [token["chunks"] for token in shown] == [[number // size] for number in range(total)]
    count = -(-total // size)
    assert drawn.effect == f"{total} tokens in {count} chunk{'s' * (count > 1)} of at most {size}."


@pytest.mark.parametrize("text", [UNITS.text, ANGLES])
def test_a_size_in_words_cuts_sentences_apart(text):
    lines = [line for line in text.splitlines() if line]
    words, sentences = (UNITS.draw(text, unit, tools()) for unit in ("words", "sentences"))
    assert UNITS.draw(text, None, tools()) == words
    all_words = text.split()
    wanted = [" ".join(all_words[start : start + WORDS_PER_CHUNK]) for start in range(0, len(all_words), WORDS_PER_CHUNK)]
    assert chunk_texts(words) == wanted
    ends = {0}
    for line in lines:
        ends.add(max(ends) + len(line.split()))
    spans = [(start, start + len(line.split())) for start, line in zip(sorted(ends), lines, strict=False)]
    apart = sum(any(start < cut < end for cut in range(0, len(all_words), WORDS_PER_CHUNK)) for start, end in spans)
    assert apart
    assert words.effect == f"{len(wanted)} chunks; {apart} sentence{'s' * (apart != 1)} cut apart."
    assert chunk_texts(sentences) == [" ".join(lines[at : at + 2]) for at in range(0, len(lines), 2)]
    assert sentences.effect == f"{-(-len(lines) // 2)} chunks; 0 sentences cut apart."


@pytest.mark.parametrize("text", [OVERLAP.text, ANGLES])
@pytest.mark.parametrize("overlap", [0, 1, 2])
def test_an_overlap_is_stored_twice(text, overlap):
    drawn = OVERLAP.draw(text, overlap, tools())
    lines = [line for line in text.splitlines() if line]
    starts = [start for start in range(0, len(lines), 3 - overlap) if start == 0 or start + overlap < len(lines)]
    chunks = [lines[start : start + 3] for start in starts]
    assert chunk_texts(drawn) == [" ".join(chunk) for chunk in chunks]
    twice = sum(sum(line in chunk for chunk in chunks) > 1 for line in lines)
    stored = sum(load_tokenizer("words").count([" ".join(chunk) for chunk in chunks]))
    (total,) = load_tokenizer("words").count([text])
    repeated = f"{twice} sentence{'s' * (twice != 1)} repeated"
    assert drawn.effect == f"{repeated}: {stored} tokens instead of {total}."


@pytest.mark.parametrize(("angles", "order"), [((0, 90, 20, 60), "BCA"), ((50, 51, 0, 140), "ABC")])
def test_the_closest_meaning_has_the_smallest_distance(angles, order):
    text = "".join(f"{angle} degrees\n" for angle in angles)
    far = {letter: distance(angles[0], angle) for letter, angle in zip("ABC", angles[1:], strict=True)}
    before = MEANINGS.draw(text, None, tools(AngleEmbedder()))
    assert [row["label"] for row in before.picture["rows"]] == ["1", *"ABC"]
    assert not before.picture["ranks"]
    for chosen in "ABC":
        drawn = MEANINGS.draw(text, chosen, tools(AngleEmbedder()))
        ranks = drawn.picture["ranks"]
        assert [(rank["label"], rank["said"]) for rank in ranks] == [
            (letter, f"distance {far[letter]:.2f}") for letter in order
        ]
        yours = "as you said" if chosen == order[0] else f"{chosen} is at {far[chosen]:.2f}"
        assert drawn.effect == f"{order[0]} is closest, at distance {far[order[0]]:.2f}; {yours}."


@pytest.mark.parametrize("angles", [(0, 5, 80, 85), (0, 5, 40, 41, 130)])
def test_the_prediction_is_held_against_the_chunkers_decision(angles):
    text = "".join(f"{angle} degrees\n" for angle in angles)
    far = [distance(*pair) for pair in pairwise(angles)]
    before, yes, no = (PREDICTION.draw(text, chosen, tools(AngleEmbedder())) for chosen in (None, "cut", "none"))
    labels = [f"{apart:.2f}" + ": cut" * (apart > 0.6) for apart in far]
    assert [gap["said"] for gap in before.picture["gaps"]] == [labels[0], "cut here?", *labels[2:]]
    # Nothing betrays the decision.
    assert not any(part["chunks"] for row in before.picture["rows"] for part in row["parts"])
    assert [gap["said"] for gap in yes.picture["gaps"]] == labels
    assert [gap["share"] for gap in yes.picture["gaps"]] == pytest.approx(far, abs=1e-6)
    assert {gap["line"] for gap in yes.picture["gaps"]} == {0.6}
    verdict = f"Distance {far[1]:.2f} {'>' if far[1] > 0.6 else '≤'} 0.60: {'cut' if far[1] > 0.6 else 'no cut'}; "
    assert yes.effect == verdict + ("as you said." if far[1] > 0.6 else "you said cut.")
    assert no.effect == verdict + ("you said no cut." if far[1] > 0.6 else "as you said.")


@pytest.mark.parametrize(
    ("threshold", "told"),
    [
        (0.4, "2 found, 0 missed; 1 cut elsewhere."),
        (0.6, "2 found, 0 missed; 0 cuts elsewhere."),
        (0.7, "1 found, 1 missed; 0 cuts elsewhere."),
        (0.95, "0 found, 2 missed; 0 cuts elsewhere."),
    ],
)
def test_cuts_are_held_against_the_known_boundaries(threshold, told):
    # Distances: 0.01, 0.66 (known), 0.41, 0.91 (known), 0.
    text = "0 a\n8 b\n\n78 c\n132 d\n\n217 e\n217 f\n"
    drawn = KNOWN.draw(text, threshold, tools(AngleEmbedder()))
    assert drawn.effect == told
    assert [gap["said"].endswith("▲") for gap in drawn.picture["gaps"]] == [False, True, False, True, False]
    assert [gap["cut"] for gap in drawn.picture["gaps"]] == [far > threshold for far in (0.01, 0.66, 0.41, 0.91, 0.0)]


@pytest.mark.model
def test_a_threshold_of_the_slider_finds_both_boundaries_and_nothing_else():
    drawn = KNOWN.draw(THREE_TOPICS_TEXT, 0.8, bundled_model_tools())
    assert drawn.effect == "2 found, 0 missed; 0 cuts elsewhere."
    assert KNOWN.draw(THREE_TOPICS_TEXT, None, bundled_model_tools()).effect == "2 found, 0 missed; 1 cut elsewhere."


@pytest.mark.parametrize("angle", [0, 85, 175])
def test_a_question_finds_the_nearest_chunk(angle):
    text = "0 a\n10 b\n110 c\n120 d\n"
    before, after = (ASKED.draw(text, question, tools(AngleEmbedder())) for question in (None, f"{angle} question"))
    assert chunk_texts(before) == ["0 a 10 b", "110 c 120 d"]
    # The vector of a chunk is that of its first word.
    far = [distance(angle, start) for start in (0, 110)]
    order = sorted(range(2), key=far.__getitem__)
    assert [(rank["label"], rank["said"]) for rank in after.picture["ranks"]] == [
        (f"chunk {chunk + 1}", f"distance {far[chunk]:.2f}") for chunk in order
    ]
    assert after.effect == f"Chunk {order[0] + 1} is found, at distance {min(far):.2f}."
    assert rows(after) == (["0 a", "10 b"] if order[0] == 0 else ["110 c", "120 d"])


@pytest.mark.model
@pytest.mark.parametrize("text", [REPAIR.text, "".join(reversed(REPAIR.text.splitlines(keepends=True)))])
def test_each_repair_keeps_the_answer_whole(text):
    made = bundled_model_tools()
    document = Document.from_text(text, "lines")
    answer = (document.sentences[ANSWER_SENTENCE_RANGE[0]].start, document.sentences[ANSWER_SENTENCE_RANGE[1] - 1].end)

    def fate(chunking):
        limit, ruler = Limit(budget=TOKEN_BUDGET), token_ruler_of_document(document, "all-MiniLM-L6-v2")
        return judge_retrieval(
            retrieve_for_question(
                build_search_index_of_text(chunking, made, "embedding"), EXAMPLE_QUESTION, made, limit, ruler
            ),
            type(document.sentences[0])(*answer),
        )

    before = run_and_time_chunker(build_chunker("fixed_sentences", {"size": 2}), document, made)
    assert fate(before).fate == "split"
    opening = REPAIR.draw(text, None, made)
    assert opening.effect == f"{len(before)} chunks: the model gets only a part of the answer."
    offered = working_repairs(text, made)
    assert [*opening.control.options] == [str(number) for number in range(len(offered))]
    for number, repair in enumerate(offered):
        after = run_and_time_chunker(repair.chunker, document, made)
        assert fate(after).fate == "whole"
        place = fate(after).chunks[0].number + 1
        drawn = REPAIR.draw(text, str(number), made)
        assert drawn.effect == f"Whole in chunk {place}; {len(after)} chunks instead of {len(before)}."
        marked = " ".join(part["text"] for row in drawn.picture["rows"] for part in row["parts"] if part["marked"])
        assert marked == " ".join(document.text[slice(*answer)].split("\n"))
    if text == REPAIR.text:
        assert len(offered) >= 2


@pytest.mark.parametrize("screen", [screen for screen in SCREENS if screen not in (SMALLEST, REPAIR)])
@pytest.mark.parametrize("text", ["A single line.\n", "One short line.\nAnother one.\nA third, longer one.\nThe last.\n"])
def test_other_texts_are_drawn_too(screen, text):
    if screen is PREDICTION and text.count("\n") < 3:
        pytest.skip("there is no such gap")
    assert screen.draw(text, None, tools(HashEmbedder())).picture


def open_path(app, screen=1):
    app.query_params.update({"embedder": "tfidf", "view": "path", "screen": str(screen)})
    app.switch_page("pages/guide.py")
    return settled(app)


def pictures(app):
    """Return the words of the screen and its picture, as the browser is sent them."""
    data = [part for part in _payloads(app) if "pictures" in part]
    return data[0], data[1]


def _payloads(app):
    return [json.loads(part.proto.json)[0] for part in app.get("bidi_component") if part.proto.json]


def test_the_link_names_the_screen_and_buttons_change_it(app):
    open_path(app, 3)
    words, picture = pictures(app)
    assert (words["first"], words["pictures"][0]["title"]) == (3, TOKENS.title)
    assert picture["pictures"] == [TOKENS.draw(TOKENS.text, None, bundled_model_tools()).picture]
    app.button(key="guide_path_next").click().run()
    assert app.query_params["screen"] == "4"
    for _ in range(3):
        app.button(key="guide_path_back").click().run()
    assert dict(app.query_params) == {"embedder": "tfidf", "view": "path"}
    assert app.button(key="guide_path_back").disabled
    # The path has texts of its own, so there is none to choose.
    assert not [part for part in _payloads(app) if "chips" in part]


def test_a_screen_that_does_not_exist_is_named(app):
    open_path(app, 11)
    assert "The link's screen must be one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10; got" in str(_payloads(app))
    assert pictures(app)[0]["first"] == 1


def test_what_the_reader_does_is_kept_from_screen_to_screen(app):
    open_path(app, 3)
    widget(app.slider, "guide_path/3").set_value(12).run()
    assert "of at most 12" in str(pictures(app)[1]["told"])
    app.button(key="guide_path_back").click().run()
    app.session_state["path_choices"] = {**app.session_state["path_choices"], "2": [1]}
    app.run()
    picture = pictures(app)[1]
    assert picture["pictures"][0]["cuts"]["gaps"] == [1]
    assert "2 chunks, of 2 and 4 sentences" in str(picture["told"])
    app.button(key="guide_path_next").click().run()
    assert "of at most 12" in str(pictures(app)[1]["told"])


def test_a_question_that_is_empty_is_refused_in_its_place(app):
    open_path(app, 9)
    app.session_state["path_choices"] = {"9": "Why does the dough rise?"}
    app.run()
    assert "Chunk 2 is found" in str(pictures(app)[1]["told"])
    assert "dough" not in str(dict(app.query_params))
    app.session_state["path_choices"] = {"9": "  "}
    app.run()
    words, picture = pictures(app)
    assert "at least one word" in words["pictures"][0]["ask"]["complaint"]
    assert not picture["told"]


def test_the_path_ends_at_compare_with_the_repair_and_at_the_advice(app):
    open_path(app, 10)
    repair = working_repairs(REPAIR.text, bundled_model_tools())[2].chunker
    app.button_group(key="guide_path/10").set_value("2").run()
    assert "Whole in chunk" in str(pictures(app)[1]["told"])
    app.button(key="guide_path_compare").click()
    settled(app)
    column = app.session_state["choices"]["compare"].columns[-1]
    assert (column.chunker, column.parameters) == (repair.name, repair.model_dump(exclude_defaults=True))
    app.switch_page("pages/guide.py")
    settled(app)
    app.button(key="guide_path_which").click()
    settled(app)
    assert app.query_params["view"] == "which"


def test_the_four_pictures_lead_to_the_path(app):
    app.query_params["embedder"] = "tfidf"
    app.switch_page("pages/guide.py")
    settled(app)
    assert sent(app, "pictures")["told"] is None
    app.button(key="guide_begin").click()
    settled(app)
    assert pictures(app)[0]["pictures"][0]["title"] == SMALLEST.title
