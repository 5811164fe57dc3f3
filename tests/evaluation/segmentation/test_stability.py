"""The effect of one inserted sentence."""

import pytest

from chunkers import Cancelled, Document, InputError, Tools, Watcher, build_chunker, load_embedder, load_tokenizer
from evaluation.segmentation import label_free_measures
from evaluation.segmentation.label_free_measures import (
    EditEffect,
    EditStability,
    insert_sentence,
    measure_chunk_changes_by_edits,
    plan_random_sentence_insertions,
)
from sample_docs import load_sample, sample_titles

TEXT = "One is here. Two is here. Three is here. Four is here.\n\nFive is here. Six is here."


def tools(**watching):
    return Tools(load_embedder("tfidf"), load_tokenizer("words"), watcher=Watcher(**watching))


def document(text=TEXT, splitter="sentencex:en"):
    return Document.from_text(text, splitter)


def sample(name):
    bundled = load_sample(name)
    return Document.from_text(bundled.text, bundled.sentences, name)


def test_the_chunks_after_an_edit_that_were_not_there_before_are_counted(monkeypatch):
    monkeypatch.setattr(
        label_free_measures, "plan_random_sentence_insertions", lambda *_: [(after, "New is here.") for after in range(6)]
    )
    pairs = build_chunker("fixed_sentences", {"size": 2})
    # Pairs of six sentences, 12 34 56, with one more: 1x 23 45 6, then 12 x3 45 6, 12 3x 45 6, 12 34 x5 6, 12 34 5x 6,
    # and 12 34 56 x.
    changed = [4, 3, 3, 2, 2, 1]
    assert measure_chunk_changes_by_edits(pairs, document(), tools()).edits == tuple(
        EditEffect(*numbered, 4) for numbered in enumerate(changed)
    )


def test_a_chunk_that_is_there_twice_where_it_was_once_has_changed(monkeypatch):
    monkeypatch.setattr(label_free_measures, "plan_random_sentence_insertions", lambda *_: [(0, "Two is here.")])
    alone = build_chunker("fixed_sentences", {"size": 1})
    assert measure_chunk_changes_by_edits(alone, document(), tools()).edits == (EditEffect(0, 1, 7),)


def test_mean_worst_and_what_must_change():
    summary = EditStability((EditEffect(3, 1, 4), EditEffect(5, 3, 4), EditEffect(9, 2, 5)))
    assert summary.mean_changed_chunk_share == pytest.approx((0.25 + 0.75 + 0.4) / 3)
    assert summary.edit_changing_most_chunks == EditEffect(5, 3, 4)
    assert summary.inevitable == pytest.approx((0.25 + 0.25 + 0.2) / 3)
    assert summary.words() == (
        "Of 3 inserted sentences, each changes 46.7% of the chunks on average and 75.0% at worst, after sentence 6; one "
        "chunk, which must change, is 23.3%."
    )


@pytest.mark.full
@pytest.mark.parametrize("chunker", ["fixed_sentences", "recursive", "breakpoint", "max_min", "single_linkage"])
@pytest.mark.parametrize("name", [name for name in sample_titles() if name not in ("essay", "report")])
def test_at_least_one_chunk_changes_on_every_sample(name, chunker):
    # What is inserted comes from the text: alone in a chunk, it would be a chunk of the text before, which counts once.
    summary = measure_chunk_changes_by_edits(build_chunker(chunker, {}), sample(name), tools(), max_edits=5)
    assert all(1 <= edit.changed <= edit.chunks for edit in summary.edits)
    assert summary.mean_changed_chunk_share >= summary.inevitable


def test_the_same_seed_gives_the_same_edits_and_another_others():
    original = sample("report")
    assert (
        plan_random_sentence_insertions(original, 20, 0)
        == plan_random_sentence_insertions(original, 20, 0)
        != plan_random_sentence_insertions(original, 20, 1)
    )
    assert len({after for after, _ in plan_random_sentence_insertions(original, 20, 0)}) == 20


@pytest.mark.parametrize("name", sample_titles())
def test_what_is_inserted_is_a_sentence_of_the_text_and_stays_one(name):
    original = sample(name)
    for after, sentence in plan_random_sentence_insertions(original, 5, 3):
        assert sentence in original.sentence_texts or sentence == label_free_measures.FALLBACK_INSERTED_SENTENCE
        assert sentence != original.sentence_texts[after]
        edited = insert_sentence(original, after, sentence)
        assert edited.text.count(sentence) == original.text.count(sentence) + 1
        if sentence != label_free_measures.FALLBACK_INSERTED_SENTENCE:
            before = original.sentence_texts
            assert edited.sentence_texts == [*before[: after + 1], sentence, *before[after + 1 :]]


def test_nothing_is_inserted_after_or_taken_from_headings_lists_tables_and_code():
    text = "# A heading.\n\nProse is here.\n\n- an item.\n\n```\ncode.\n```\n\n| a. |\n|---|\n| 1. |\n\nMore prose.\n"
    original = document(text, "lines")
    assert {
        text
        for after, put in plan_random_sentence_insertions(original, 9, 0)
        for text in (original.sentence_texts[after], put)
    } == {
        "Prose is here.",
        "More prose.",
    }


def test_a_line_that_does_not_end_as_a_sentence_is_neither_inserted_nor_inserted_after():
    original = document("One is here. Two is here.\n\nno end here\n\nThree is here.")
    assert "no end here" in original.sentence_texts
    drawn = {
        text
        for after, put in plan_random_sentence_insertions(original, 9, 0)
        for text in (original.sentence_texts[after], put)
    }
    assert drawn == {"One is here.", "Two is here.", "Three is here."}


def test_a_text_of_one_sentence_gets_one_of_our_own():
    assert plan_random_sentence_insertions(document("Only one is here."), 9, 0) == [
        (0, label_free_measures.FALLBACK_INSERTED_SENTENCE)
    ]
    assert plan_random_sentence_insertions(document("no end"), 9, 0) == [(0, label_free_measures.FALLBACK_INSERTED_SENTENCE)]


@pytest.mark.parametrize(("splitter", "between"), [("lines", "\n"), ("paragraphs", "\n\n"), ("regex", " ")])
def test_the_splitter_takes_what_is_inserted_for_a_sentence(splitter, between):
    original = Document.from_text(between.join(["One.", "Two.", "Three."]), splitter)
    assert insert_sentence(original, 1, "New.").sentence_texts == ["One.", "Two.", "New.", "Three."]


def test_given_sentences_stay_as_they_were_given():
    original = Document("ab cd ef", ((0, 2), (3, 5), (6, 8)))
    edited = insert_sentence(original, 1, "new")
    assert (edited.text, edited.sentence_texts) == ("ab cd new ef", ["ab", "cd", "new", "ef"])


def test_progress_is_told_and_it_can_be_cancelled():
    told = []
    fixed = build_chunker("fixed_sentences", {"size": 2})
    measure_chunk_changes_by_edits(fixed, document(), tools(), max_edits=3, progress=lambda *counts: told.append(counts))
    assert told == [(1, 3), (2, 3), (3, 3)]
    with pytest.raises(Cancelled):
        measure_chunk_changes_by_edits(
            fixed, document(), tools(cancelled=lambda: len(told) > 3), 4, 0, lambda *counts: told.append(counts)
        )
    assert told[3:] == [(1, 4)]


def test_too_much_work_is_refused_before_it_begins(monkeypatch):
    def never(*_):
        raise AssertionError

    monkeypatch.setattr(label_free_measures, "MAX_RECHUNKED_CHARACTERS", 3 * len(TEXT))
    monkeypatch.setattr(label_free_measures, "run_and_time_chunker", never)
    fixed = build_chunker("fixed_sentences", {"size": 2})
    with pytest.raises(
        InputError,
        match=r"^text: edits × characters must be at most 246; 4 × 82 is 328\. Use fewer edits or a shorter text\.$",
    ):
        measure_chunk_changes_by_edits(fixed, document(), tools(), max_edits=4)
    with pytest.raises(InputError, match=r"^Edit stability needs at least 1 edit; got 0\.$"):
        measure_chunk_changes_by_edits(fixed, document(), tools(), max_edits=0)
    with pytest.raises(InputError, match=r"^text: edit stability needs a text with at least one sentence; this one has"):
        measure_chunk_changes_by_edits(fixed, document(" \n "), tools())
    with pytest.raises(AssertionError):
        measure_chunk_changes_by_edits(fixed, document(), tools(), max_edits=3)
