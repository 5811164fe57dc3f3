"""Questions to be answered, typed one a line or read from a file: each is used, or a sentence says why not."""

import pytest

from chunkers import Document, InputError
from evaluation.answering import questions_and_answers
from evaluation.answering.questions_and_answers import (
    QuestionItem,
    QuestionItems,
    question_items_by_document_text,
    questions_of_file,
    questions_of_lines,
)
from evaluation.questions.corpus_ranges_and_rulers import Corpus
from evaluation.questions.question_files import Excerpt, Question


def test_a_line_is_a_question_and_behind_a_bar_its_reference():
    items = questions_of_lines("  Why? \n\nWhen?| In 1844. | Or so.\r\n|only an answer\nWhy?\n")
    assert items.usable == (QuestionItem("Why?"), QuestionItem("When?", "In 1844. | Or so."))
    assert items.problems == (
        "line 4: A question must have at least one word; this one is empty.",
        "line 5: every question must appear only once; 'Why?' appears again, and this repetition is left out.",
    )


@pytest.mark.parametrize(
    "data",
    [
        b"question,answer\nWhy?,Because.\nWhen?,\n",
        b"question;answer\nWhy?;Because.\nWhen?;\n",
        b'{"question": "Why?", "ground_truths": ["Because."]}\n{"question": "When?"}\n',
        b'[{"user_input": "Why?", "reference": "Because."}, {"question": "When?", "answer": null}]',
        b'question,excerpts\nWhy?,"[""Because.""]"\nWhen?,\n',
        b'{"question": "Why?", "references": [{"content": "Because.", "start_index": 3}]}\n{"question": "When?"}',
    ],
)
def test_every_form_of_file_gives_the_same(data):
    items = questions_of_file(data, "q")
    assert items.usable == (QuestionItem("Why?", "Because."), QuestionItem("When?"))
    assert not items.problems


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b" ", "q: a file of questions must contain at least one question; this one is empty."),
        (b"what,answer\n1,2\n", "q: the file must have a column named question; its columns are 'what, answer'."),
    ],
)
def test_a_file_that_cannot_be_used_gets_a_sentence(data, said):
    with pytest.raises(InputError) as error:
        questions_of_file(data, "q")
    assert str(error.value) == said


def test_rows_that_cannot_be_used_are_named_and_the_others_kept(monkeypatch):
    monkeypatch.setattr(questions_and_answers, "MOST_QUESTIONS", 2)
    monkeypatch.setattr(questions_and_answers, "LONGEST_REFERENCE", 9)
    rows = ['{"question": 3}', '{"question": "A?", "answer": "0123456789"}', '{"question": "B?", "answer": 7}']
    rows += [f'{{"question": "{letter}?"}}' for letter in "CDE"]
    items = questions_of_file("\n".join(rows[:1] + rows[3:]).encode(), "q")
    assert [item.question for item in items.usable] == ["C?", "D?"]
    assert items.problems[0] == "q, line 1: the question must be a string; got 3."
    items = questions_of_file("\n".join(rows[1:3]).encode(), "q")
    assert not items.usable
    assert items.problems == (
        "q, line 1: A reference answer may have at most 9 characters; this one has 10.",
        "q, line 2: the value of answer must be a string; got 7.",
    )
    assert questions_of_lines("C?\nD?\nE?\nF?").problems == (
        "line 3 and on: at most 2 questions can be answered; the rest is left out.",
    )


def test_retrievals_questions_go_to_the_text_that_answers_them():
    texts = {"a": "The heron eats fish. The owl hunts.", "b": "The tide turns.", "c": "Nobody asks."}
    corpus = Corpus(tuple(Document.from_text(text, "lines", name) for name, text in texts.items()))

    def excerpt(name, words):
        start = texts[name].index(words)
        return Excerpt([*texts].index(name), (start, start + len(words)))

    questions_and_answers = [
        Question("What?", (excerpt("a", "The heron eats fish."), excerpt("a", "The owl hunts."))),
        Question("Both?", (excerpt("a", "The owl hunts."), excerpt("b", "The tide"))),
        Question("All?", (excerpt("b", texts["b"]),)),
        Question("x" * 3000, (excerpt("b", "The tide"),)),
    ]
    by_text = question_items_by_document_text(questions_and_answers, corpus)
    assert {*by_text} == {texts["a"], texts["b"]}
    assert by_text[texts["a"]] == QuestionItems((QuestionItem("What?", "The heron eats fish. The owl hunts."),))
    # A whole document is the excerpt where nobody has said which part of it answers: no reference.
    assert by_text[texts["b"]].usable == (QuestionItem("All?", ""),)
    assert len(by_text[texts["b"]].problems) == 1


def test_the_questions_about_documents_of_the_same_text_are_kept_together():
    text = "The heron eats fish. The owl hunts."
    corpus = Corpus(tuple(Document.from_text(text, "lines", name) for name in "ab"))
    asked = [Question("Heron?", (Excerpt(0, (0, 20)),)), Question("Owl?", (Excerpt(1, (21, 35)),))]
    items = (QuestionItem("Heron?", "The heron eats fish."), QuestionItem("Owl?", "The owl hunts."))
    assert question_items_by_document_text(asked, corpus) == {text: QuestionItems(items)}
