"""Sets that bring their documents: BEIR's, unpacked and packed, and SQuAD's."""

import io
import json
import time
import zipfile

import pytest

from chunkers import Document, InputError
from evaluation.questions.corpus_ranges_and_rulers import Corpus
from evaluation.questions.question_files import read_questions
from evaluation.questions.questions_with_documents import (
    is_path_of_beir_file,
    parse_question_set_file,
    read_beir,
    read_question_set_file,
)

# As BEIR's wiki has it, "Load your custom dataset".
BEIR = {
    "corpus.jsonl": """\
{"_id": "doc1", "title": "Albert Einstein", "text": "Albert Einstein was a German-born physicist.", "metadata": {}}
{"_id": "doc2", "title": "", "text": "Wheat beer is brewed with a large proportion of wheat."}
{"_id": "doc3", "title": "", "text": "  "}
""",
    "queries.jsonl": """\
{"_id": "q1", "text": "Who developed the mass-energy equivalence formula?"}
{"_id": "q2", "text": "Which beer is brewed with a large proportion of wheat?"}
{"_id": "q3", "text": "What is not in the qrels?"}
""",
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\tdoc1\t1\nq1\tdoc2\t0\nq2\tdoc2\t2\nq2\tdoc9\t1\nq7\tdoc1\t1\n",
    "qrels/train.tsv": "query-id\tcorpus-id\tscore\nq3\tdoc1\t1\n",
}


def parts(**changed):
    return {name: text.encode() for name, text in (BEIR | changed).items() if text is not None}


def packed(files, folder=""):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(folder + name, content)
    return data.getvalue()


def questions_of(found):
    corpus = Corpus(tuple(Document.from_text(text, "lines", name) for name, text in found.texts))
    name, data = found.questions
    read = read_questions(data, name, corpus)
    assert not read.problems
    assert not read.changes
    return {
        question.text: [
            (corpus.names[number], corpus.documents[number].text[slice(*span)]) for number, span in question.excerpts
        ]
        for question in read.usable
    }


def test_a_beir_set_has_its_documents_and_those_that_answer_each_question():
    question_set = read_beir(parts(), "beer")
    assert question_set.texts == (
        ("doc1", "Albert Einstein\n\nAlbert Einstein was a German-born physicist."),
        ("doc2", "Wheat beer is brewed with a large proportion of wheat."),
    )
    assert questions_of(question_set) == {
        "Who developed the mass-energy equivalence formula?": [question_set.texts[0]],
        "Which beer is brewed with a large proportion of wheat?": [question_set.texts[1]],
    }
    assert question_set.questions[0] == "beer.jsonl"
    assert [note.split(":")[0] for note in question_set.notes] == ["beer", "beer/corpus.jsonl", *2 * ["beer/qrels/test.tsv"]]
    assert [note[note.index(": ", 8) :] for note in question_set.notes[1:]] == [
        ": documents without text, which are left out: 1 (doc3).",
        ": documents that are not in corpus.jsonl, which are left out: 1 (doc9).",
        ": questions that are not in queries.jsonl, which are left out: 1 (q7).",
    ]


@pytest.mark.parametrize("folder", ["", "scifact/", "a/b/"])
def test_a_packed_set_is_that_of_its_folder(folder):
    files = parts() | {"README.md": b"x" * 30_000_000}
    assert read_question_set_file(packed(files, folder), "beer", "test") == read_beir(parts(), "beer")


def test_the_split_is_chosen_or_test_or_the_only_one():
    assert list(questions_of(read_beir(parts(), "x", "train"))) == ["What is not in the qrels?"]
    only = parts(**{"qrels/test.tsv": None})
    assert questions_of(read_beir(only, "x")) == questions_of(read_beir(parts(), "x", "train"))
    with pytest.raises(InputError, match=r"x: the split must be one of test, train; got 'dev'\."):
        read_beir(parts(), "x", "dev")
    with pytest.raises(
        InputError, match=r"x: one of the splits dev, train must be chosen, as the default split, test, is missing\."
    ):
        read_beir(only | {"qrels/dev.tsv": only["qrels/train.tsv"]}, "x")


def test_the_files_of_a_set_are_known_by_their_paths():
    assert [name for name in [*BEIR, "qrels/notes.md", "old/corpus.jsonl", "test.tsv"] if is_path_of_beir_file(name)] == [
        *BEIR
    ]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"queries.jsonl": None}, "x: a BEIR set must have queries.jsonl; this one has corpus.jsonl, qrels/test.tsv"),
        ({"corpus.jsonl": '{"_id": "a"}'}, "x/corpus.jsonl, line 1: text must be a string; got None."),
        ({"corpus.jsonl": '\n{"text": "a"}'}, "x/corpus.jsonl, line 2: _id must be a string; got None."),
        (
            {"corpus.jsonl": '{"_id": 1, "text": "a"}\n{"_id": "1", "text": "b"}'},
            "line 2: every row must have a different _id; '1'",
        ),
        ({"corpus.jsonl": "[]"}, "x/corpus.jsonl, line 1: every line must be a JSON object; this one is"),
        (
            {"corpus.jsonl": '{"_id": "a", "text": " "}'},
            "x/corpus.jsonl: a question set must have at least one document with text",
        ),
        ({"corpus.jsonl": '{"_id": "a", "title": 3, "text": " "}'}, "the title of 'a' must be a string; got 3."),
        (
            {"qrels/test.tsv": "q1\tdoc1\t1\n"},
            "x/qrels/test.tsv, line 1: the columns must be query-id, corpus-id and score",
        ),
        (
            {"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1 0 doc1 1"},
            "line 2: a row must consist of a question's id, a document's id and a num",
        ),
        (
            {"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\tdoc1\tyes"},
            "line 2: a row must consist of a question's id, a document's id and a num",
        ),
        (
            {"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\tdoc1\t0"},
            "at least one question must have a document that answers",
        ),
        ({"qrels/test.tsv": None, "qrels/train.tsv": None}, "x: a BEIR set must have a table such as qrels/test.tsv"),
    ],
)
def test_a_set_that_is_not_as_beir_has_it_is_refused_with_file_and_line(changed, message):
    with pytest.raises(InputError) as error:
        read_beir(parts(**changed), "x")
    assert message in str(error.value)
    assert str(error.value).startswith("x")


def test_a_packed_file_of_no_use_is_refused_in_a_sentence(monkeypatch):
    with pytest.raises(
        InputError, match=r"x.zip: a ZIP file must contain a BEIR set with corpus.jsonl; this one contains a.txt\."
    ):
        read_question_set_file(packed({"a.txt": b"a"}), "x.zip")
    with pytest.raises(InputError, match=r"x.zip: the file must be a valid ZIP file; reading it failed: File is not a zip"):
        read_question_set_file(b"PK\3\4 no more", "x.zip")
    with pytest.raises(InputError, match=r"x.zip: the file must be a valid ZIP file"):
        read_question_set_file(packed(parts())[:-40], "x.zip")
    monkeypatch.setattr("evaluation.questions.questions_with_documents.MAX_FILE_BYTES", 100)
    with pytest.raises(InputError, match=r"corpus.jsonl: a file of a question set may have at most 100 bytes; this one has"):
        list(parse_question_set_file(packed(parts()), "x.zip"))
    monkeypatch.setattr("evaluation.questions.questions_with_documents.MAX_UNPACKED_BYTES", 100)
    with pytest.raises(InputError, match=r"x.zip: the file may unpack to at most 100 bytes; it unpacks to"):
        list(parse_question_set_file(packed(parts()), "x.zip"))
    with pytest.raises(InputError, match=r"x: the files of a question set may have at most 100 bytes in total; these have"):
        read_beir(parts(), "x")


def test_of_too_many_documents_none_is_read(monkeypatch):
    monkeypatch.setattr("evaluation.questions.questions_with_documents.MOST_DOCUMENTS", 1)
    with pytest.raises(InputError, match=r"x/corpus.jsonl: a question set may have at most 1 documents; this one has more"):
        list(parse_question_set_file(packed(parts()), "x"))


def test_rows_that_repeat_a_document_take_no_longer_than_others():
    """A question with many documents is not searched for each row: 20,000 of these rows once took 16 seconds."""
    documents = "\n".join(json.dumps({"_id": f"d{number}", "text": "a"}) for number in range(20_000))
    table = "query-id\tcorpus-id\tscore\n" + "".join(f"q1\td{number}\t1\n" for number in range(20_000))
    began = time.process_time()
    pieces = list(
        parse_question_set_file(
            packed(parts(**{"corpus.jsonl": documents, "qrels/test.tsv": table + "q1\td19999\t1\n" * 20_000})), "x"
        )
    )
    assert time.process_time() - began < 3
    (row,) = [json.loads(piece[1]) for piece in pieces if piece[0] == "row"]
    assert len(row["documents"]) == 20_000


CONTEXTS = ["The tide goes out twice a day.", "Blackcaps fly to Spain. Some fly to Ireland."]


def squad(**changed):
    """Return a file as SQuAD 2.0 has it."""
    answers = [{"text": "Spain", "answer_start": 17}, {"text": "to Spain", "answer_start": 14}]
    asked = {"id": "2", "question": "Where do blackcaps fly?", "answers": answers, "is_impossible": False} | changed
    twice = {"id": "1", "question": "How often?", "answers": [{"text": "twice a day", "answer_start": 18}]}
    never = {"id": "3", "question": "Why?", "answers": [], "is_impossible": True, "plausible_answers": answers}
    paragraphs = [{"context": CONTEXTS[0], "qas": [twice]}, {"context": CONTEXTS[1], "qas": [asked, never]}]
    return {"version": "v2.0", "data": [{"title": "Nature", "paragraphs": paragraphs}]}


def test_squad_has_articles_as_documents_and_answers_at_their_places():
    question_set = read_question_set_file(json.dumps(squad()).encode(), "dev.json")
    assert question_set.texts == (("Nature", "\n\n".join(CONTEXTS)),)
    assert questions_of(question_set) == {
        "How often?": [("Nature", "twice a day")],
        "Where do blackcaps fly?": [("Nature", "Spain")],
    }
    assert question_set.notes[1] == "dev.json: questions without an answer in the text, which are left out: 1."


def test_articles_of_one_title_are_told_apart():
    given = squad()
    given["data"] *= 2
    question_set = read_question_set_file(json.dumps(given).encode(), "dev.json")
    assert [name for name, _ in question_set.texts] == ["Nature", "Nature (2)"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"question": None}, "dev.json, article 1: question must be a string that is not empty; got None."),
        ({"answers": None}, "dev.json, article 1: answers must be a list; got None."),
        (
            {"answers": [{"text": "Spain"}]},
            "article 1: answer_start must be a whole number; got None for the question 'Where do",
        ),
        ({"answers": ["Spain"]}, "article 1: answer_start must be a whole number"),
    ],
)
def test_a_file_that_is_not_as_squad_has_it_is_refused_with_its_article(changed, message):
    with pytest.raises(InputError, match=message):
        read_question_set_file(json.dumps(squad(**changed)).encode(), "dev.json")


@pytest.mark.parametrize(
    "data", [b"question,excerpts\na?,b", b'{"question": "a?"}', b'{"paragraphs": 1, "qas": 2}', b'"paragraphs" "qas"']
)
def test_other_files_are_no_sets(data):
    assert read_question_set_file(data, "x") is None
