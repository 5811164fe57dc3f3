"""Warnings if a text, its splitter and its model do not fit together."""

import pytest

from chunkers import Document, chunk, load_embedder, load_tokenizer
from chunkers.text.splitter_and_model_misfits import LONGEST_WORD, SuggestedSetting, misfit_warnings
from tests.fixtures.paragraphs import paragraphs_by_language

PARAGRAPHS = {code: paragraph.text for code, paragraph in paragraphs_by_language().items()}
THAI = PARAGRAPHS["th"].replace(" ", "")


def warnings_of(document, embedder=None, tokenizer=None):
    return tuple(misfit.sentence for misfit in misfit_warnings(document, embedder=embedder, tokenizer=tokenizer))


def test_one_sentence_that_is_the_text_is_said_with_what_helps():
    document = Document.from_text(PARAGRAPHS["zh"] * 2, "regex")
    (warning,) = warnings_of(document)
    assert warning.startswith(f"Split by regex, the text is one sentence, of {len(document.text)} characters")
    assert warning.endswith("The splitter sentencex finds 18.")
    assert misfit_warnings(document)[0].remedies == (SuggestedSetting("sentences", "sentencex"),)
    (warning,) = warnings_of(Document.from_text(THAI * 3))
    assert warning.endswith("No splitter here finds more; fixed_characters and recursive cut without sentences.")
    assert misfit_warnings(Document.from_text(THAI * 3))[0].remedies == ()


def test_a_sentence_that_is_more_than_half_of_the_text_is_said():
    long = "and so on, " * 60
    (warning,) = warnings_of(Document.from_text(f"One. It went {long}to the end. Two.", "regex"))
    assert "one of the 3 sentences is more than half of the text" in warning
    assert warnings_of(Document.from_text(f"It went {long}to the end.\n\n" * 2)) == ()


@pytest.mark.parametrize("text", ["", " \n", "One.", "A short text is one sentence, and nothing is wrong with that."])
def test_short_texts_are_not_warned_of(text):
    assert warnings_of(Document.from_text(text), load_embedder(), load_tokenizer()) == ()


@pytest.mark.parametrize("code", ["en", "de", "fr", "ru", "tr", "ar", "ja"])
def test_nothing_is_said_where_all_is_well(code):
    document = Document.from_text(PARAGRAPHS[code])
    assert warnings_of(document, load_embedder(), load_tokenizer()) == ()


@pytest.mark.parametrize("word", ["a" * (LONGEST_WORD + 1), "x1" * 300])
def test_a_run_without_a_space_is_one_unknown_token(word):
    text = f"The tide comes in twice a day. The key is {word} today. The tide goes out. " + "The moon moves it. " * 40
    (warning,) = warnings_of(Document.from_text(text), load_embedder())
    assert warning.startswith("1 run of more than 100 characters without a space is one unknown token to all-MiniLM-L6-v2")
    assert warning.endswith("The embedder tfidf knows every character.")
    assert warnings_of(Document.from_text(text.replace(word, "a" * LONGEST_WORD)), load_embedder()) == ()
    assert warnings_of(Document.from_text(text), load_embedder("tfidf")) == ()


def test_a_script_that_the_model_does_not_know_is_said():
    (warning,) = warnings_of(Document.from_text(PARAGRAPHS["am"]), load_embedder())
    assert warning.startswith("98% of the characters are unknown to all-MiniLM-L6-v2, and sentences of unknown tokens")


@pytest.mark.parametrize(
    ("chunker", "parameters", "embedder", "remedies"),
    [
        ("fixed_tokens", {"size": 80}, "tfidf", [SuggestedSetting("tokenizer", "characters")]),
        ("fixed_sentences", {}, "tfidf", []),
        pytest.param("breakpoint", {}, "all-MiniLM-L6-v2", [SuggestedSetting("embedder", "tfidf")], marks=pytest.mark.model),
        pytest.param("optimal", {}, "all-MiniLM-L6-v2", [SuggestedSetting("embedder", "tfidf")], marks=pytest.mark.model),
        ("breakpoint", {}, "tfidf", []),
    ],
)
def test_the_notes_of_a_result_say_what_it_used_and_no_more(chunker, parameters, embedder, remedies):
    text = f"{THAI * 2}\n\n{PARAGRAPHS['en']}\n\n{THAI * 2}"
    misfits = chunk(text, chunker, embedder=embedder, **parameters).misfits
    assert [remedy for misfit in misfits for remedy in misfit.remedies] == remedies


def test_sentences_that_the_caller_gave_are_not_a_splitters():
    text = "One. " * 100
    (misfit,) = chunk(text, "fixed_sentences", sentences=[text]).misfits
    assert misfit.sentence.startswith("As the sentences were given, the text is one sentence, of 499 characters,")
