"""Files of questions as CSV, JSON lines and JSON, and as ragas writes its test sets in these."""

import csv
import io
import json

import pytest

from chunkers import Document, InputError
from evaluation.questions.corpus_ranges_and_rulers import Corpus
from evaluation.questions.question_files import read_questions

TEXTS = {
    "tides.txt": "The tide goes out twice a day. It's pulled by the moon, say the books. Then it comes back.",
    "birds.txt": "Blackcaps fly to Spain. Some fly to Ireland instead, where gardens feed them.",
}
CORPUS = Corpus(tuple(Document.from_text(text, "lines", name) for name, text in TEXTS.items()))
FIRST, SECOND = "It's pulled by the moon, say the books.", "Some fly to Ireland instead, where gardens feed them."

# Version 0.2 and after: what `Testset.to_evaluation_dataset()` and `to_pandas()` hold.
NEW = [
    {
        "user_input": "What pulls the tide?",
        "reference_contexts": [FIRST],
        "reference": "The moon does.",
        "synthesizer_name": "single_hop_specifc_query_synthesizer",
    },
    {
        "user_input": "What do tides and blackcaps have in common?",
        "reference_contexts": [f"<1-hop>\n\n{FIRST}", f"<2-hop>\n\n{SECOND}"],
        "reference": "Little.",
        "synthesizer_name": "multi_hop_specific_query_synthesizer",
    },
]
# Version 0.1: what `TestDataset.to_pandas()` holds.
OLD = [
    {
        "question": row["user_input"],
        "contexts": [context.split("\n\n")[-1] for context in row["reference_contexts"]],
        "ground_truth": row["reference"],
        "evolution_type": "simple",
        "metadata": [{"source": "tides.txt"}],
        "episode_done": True,
    }
    for row in NEW
]


def as_csv(rows, **options):
    """Return rows as csv and pandas write them: lists as Python writes them."""
    file = io.StringIO()
    writer = csv.DictWriter(file, fieldnames=list(rows[0]), **options)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def as_pandas_csv(rows):
    return as_csv([{"": number, **row} for number, row in enumerate(rows)])


def as_lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def as_columns(rows):
    return json.dumps({name: {str(number): row[name] for number, row in enumerate(rows)} for name in rows[0]})


def as_lists(rows):
    return json.dumps({name: [row[name] for row in rows] for name in rows[0]}, indent=2)


FILE_WRITERS = {
    "csv": as_csv,
    "pandas csv": as_pandas_csv,
    "json lines": as_lines,
    "json": json.dumps,
    "pretty json": lambda rows: json.dumps(rows, indent=2),
    "columns": as_columns,
    "lists": as_lists,
    "data": lambda rows: json.dumps({"data": rows}),
}


def read(text, name="testset.x"):
    return read_questions(text.encode(), name, CORPUS)


@pytest.mark.parametrize("write_file", FILE_WRITERS.values(), ids=FILE_WRITERS)
@pytest.mark.parametrize("rows", [NEW, OLD], ids=["user_input", "question"])
def test_a_test_set_of_ragas_is_read_in_every_form(rows, write_file):
    questions = read(write_file(rows))
    assert not questions.problems
    assert not questions.changes
    assert [question.text for question in questions.usable] == [row["user_input"] for row in NEW]
    passages = [
        [CORPUS.documents[number].text[slice(*span)] for number, span in question.excerpts] for question in questions.usable
    ]
    assert passages == [[FIRST], [FIRST, SECOND]]


def test_a_set_of_one_question_is_read_in_every_form():
    for write_file in FILE_WRITERS.values():
        assert [question.text for question in read(write_file(NEW[:1])).usable] == ["What pulls the tide?"]


def test_a_list_that_python_wrote_is_read_and_nothing_in_it_is_evaluated():
    quoted = ["It's pulled by the moon, say the books.", 'a "b"', "back\\slash", "[", "],"]
    questions = read(as_csv([{"question": "q?", "excerpts": [quoted[0]]}]))
    assert [excerpt.span for excerpt in questions.usable[0].excerpts] == [(31, 70)]
    lost = read(as_csv([{"question": "q?", "excerpts": quoted}]))
    assert len(lost.usable[0].excerpts) == 1
    assert len(lost.problems) == 4
    code = read("question,reference_contexts\nq?,\"[print('x')]\"\n")
    assert "the value of reference_contexts must be a valid JSON list; got \"[print('x')]\" (" in code.problems[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "question,ground_truth\na?,b",
            "ground_truth is an answer in words of its own; ragas keeps excerpts in reference_cont",
        ),
        ("user_input,reference\na?,b", "reference is an answer in words of its own"),
        ("user_input,retrieved_contexts,response\na?,b,c", "retrieved_contexts is what a pipeline retrieved"),
        (
            '{"_id": "q1", "text": "What?"}\n{"_id": "q2", "text": "Who?"}',
            "this file is only a part of a BEIR set. Give the whole set",
        ),
    ],
)
def test_a_file_that_has_no_excerpts_is_refused_with_what_it_has(text, message):
    with pytest.raises(InputError, match=message) as error:
        read(text)
    assert str(error.value).startswith("testset.x: ")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"user_input": [{"content": "Hello", "type": "human"}]},
            "user_input must be a single question as a string; this one is a conversation",
        ),
        (
            {"question": "a?", "contexts": [FIRST], "answer": "b"},
            "in a row with an answer, the column contexts is read as what a pipeline retrieved",
        ),
        ({"question": "a?", "contexts": 7}, "the value of contexts must be a list; got 7."),
        ({"question": "a?", "documents": ["moon.txt"]}, "corpus_id must be one of tides.txt, birds.txt; got 'moon.txt'."),
        ({"question": "a?", "documents": [None]}, "each item of documents must be the name of a document; got None."),
        ({"user_input": None}, "the question must be a string that is not empty; got None."),
    ],
)
def test_a_row_of_no_use_is_told_with_its_place_and_the_rest_is_used(row, message):
    questions = read(as_lines([row, NEW[0]]))
    assert [question.text for question in questions.usable] == ["What pulls the tide?"]
    assert questions.problems[0].startswith("testset.x, line 1: ")
    assert message in questions.problems[0]


def test_whole_documents_may_answer_a_question():
    questions = read(as_lines([{"question": "a?", "documents": ["birds.txt", "tides"]}]))
    assert questions.usable[0].excerpts == tuple((number, (0, len(CORPUS.documents[number].text))) for number in (1, 0))


def test_a_question_may_be_asked_of_several_documents_but_of_each_once():
    rows = [{"question": "a?", "documents": [name]} for name in ("birds", "tides", "birds")]
    questions = read(as_lines(rows))
    assert len(questions.usable) == 2
    assert questions.problems == (
        "testset.x, line 3: every question must appear only once; 'a?' appears again, and this repetition is left out.",
    )
