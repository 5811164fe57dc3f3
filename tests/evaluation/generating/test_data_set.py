"""Generated questions are read by Retrieval as they are, also after edits, and survive those of the documents."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import InputError, Span
from evaluation.generating.generated_questions import (
    SourceTexts,
    apply_edits_to_question,
    generated_question_set,
    generated_questions_to_csv,
)
from evaluation.generating.question_generation import Generated, Window
from evaluation.questions.question_files import read_questions

LAMP = "The lamp burns oil. The bell rings in fog. The lamp burns oil."
TEXTS = SourceTexts(("=lamp, “one”.txt", "b.txt"), (LAMP, "Gulls nest below.\nGulls eat fish."))
MADE = [
    Generated("=What burns?", Window(0, Span(20, 62)), (Span(43, 62),)),
    Generated("Who <b>nests</b>, and\twhere?", Window(1, Span(0, 33)), (Span(0, 5), Span(6, 17))),
]


def places(found):
    assert not found.problems
    return [[(excerpt.document, excerpt.span) for excerpt in question.excerpts] for question in found.usable]


@pytest.mark.parametrize("form", ["csv", "set"])
def test_retrieval_reads_every_place_also_where_the_words_stand_twice(form):
    made_set = generated_question_set(MADE, TEXTS, "a model")
    name, data = made_set.questions if form == "set" else ("q.csv", generated_questions_to_csv(MADE, TEXTS).encode())
    assert made_set.texts == tuple(zip(TEXTS.names, TEXTS.texts, strict=True))
    read = read_questions(data, name, TEXTS.corpus("lines"))
    assert places(read) == [[(0, (43, 62))], [(1, (0, 5)), (1, (6, 17))]]
    assert not read.changes
    assert [question.text for question in read.usable] == [generated.question for generated in MADE]
    if form == "set":
        # Words put in front of the document move all places, and the quotations still find them.
        moved = SourceTexts(TEXTS.names, tuple(f"An edit.\n{text}" for text in TEXTS.texts))
        assert places(read_questions(data, name, moved.corpus("lines"))) == [[(0, (52, 71))], [(1, (9, 14)), (1, (15, 26))]]


def test_a_spreadsheet_takes_nothing_in_the_file_for_a_formula():
    _, *rows = csv.reader(io.StringIO(generated_questions_to_csv(MADE, TEXTS)))
    assert all(not cell.startswith(("=", "+", "-", "@", "\t")) for row in rows for cell in row)
    assert len(rows) == 2


def test_an_edit_is_taken_if_its_excerpts_stand_in_the_document():
    generated = apply_edits_to_question(MADE[0], TEXTS, " What  burns? ", ["The bell rings", " ", "oil.\n"])
    # The words that stand twice are those of the window.
    assert generated == MADE[0]._replace(question="What burns?", excerpts=(Span(20, 34), Span(58, 62)))
    outside = MADE[0]._replace(window=Window(0, Span(20, 42)))
    assert apply_edits_to_question(outside, TEXTS, "What?", ["The lamp"]).excerpts == (Span(0, 8),)


@pytest.mark.parametrize(
    ("question", "excerpts", "said"),
    [
        (" ?", ["oil"], "The question must have at least one word; got '?'."),
        ("a" * 2_001, ["oil"], "A question may have at most 2,000 characters; this one has 2,001."),
        ("\ud800\0", ["oil"], "The question must have at least one word"),
        ("What?", ["", " "], "A question must have 1 to 5 excerpts; 'What?' has 0."),
        ("What?", ["The lamp", "burns", "oil", "bell", "fog", "rings"], "'What?' has 6."),
        (
            "What?",
            ["The bell rang in fog."],
            "word for word, and 'The bell rang in fog.' does not. The nearest passage is 'The bell rings in fog.'.",
        ),
        ("What?", ["Pears"], "and 'Pears' does not."),
    ],
)
def test_an_edit_that_cannot_be_taken_says_why(question, excerpts, said):
    with pytest.raises(InputError) as error:
        apply_edits_to_question(MADE[0], TEXTS, question, excerpts)
    assert said in str(error.value)


@given(text=st.text(st.sampled_from("ab é\n,\"'"), min_size=1, max_size=60), data=st.data())
def test_what_is_cut_from_a_document_is_found_there_again(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    if not text[start:end].strip():
        return
    texts = SourceTexts(("a",), (text,))
    generated = apply_edits_to_question(Generated("Q?", Window(0, Span(0, len(text))), ()), texts, "Q?", [text[start:end]])
    assert texts.excerpt_texts(generated) == [text[start:end].strip()]
    assert places(
        read_questions(generated_questions_to_csv([generated], texts).encode(), "q.csv", texts.corpus("lines"))
    ) == [[(0, generated.excerpts[0])]]
