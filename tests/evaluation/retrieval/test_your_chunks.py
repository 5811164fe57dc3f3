"""Chunks of a file over several documents: overlaps and gaps measured by hand, and what is refused or told."""

import json

import pytest

from chunkers import Document, InputError, Span, build_chunker
from chunkers.found_again.inspection_of_given_chunks import read_given_chunks
from chunkers.methods.your_chunks import ChunkFile, YourChunks
from evaluation.questions.corpus_ranges_and_rulers import Corpus, TokenRuler
from evaluation.questions.question_files import read_questions
from evaluation.retrieval import Limit
from evaluation.retrieval.budget import Budgets, evaluate_at_budgets
from evaluation.retrieval.budgets_and_near_duplicates import measure_at_standard_budgets
from evaluation.retrieval.computed_reports import Costs
from evaluation.retrieval.measures import evaluate_retrieval
from evaluation.retrieval.measures_as_json import encode_evaluation_as_json_bytes, evaluation_from_json
from evaluation.retrieval.retrieved_chunks_and_failures import MeasuredChunker, list_missed_excerpts_per_chunker
from evaluation.search.index import cut_and_index_corpus
from tests.support import AngleEmbedder, tools

WORDS = "00 aa 40 bb cc dd ee ff 90 gg"
"""Ten words of two characters, at 0, 3, 6 and so on."""
OTHER = "150 a word"
# Words 0 to 3, 2 to 5, and 8 to 9: two in the overlap, two in none.
PLACES = ((0, 11), (6, 17), (24, 29))
CORPUS = Corpus((Document.from_text(OTHER, "lines", "other.txt"), Document.from_text(WORDS, "lines", "words.txt")))
RULER = TokenRuler(CORPUS.joined_document.text, tools().tokenizer)


def rows(*others):
    own = [{"text": WORDS[start:end], "start_index": start, "source": "/data/words.txt"} for start, end in PLACES]
    return [*own, {"text": OTHER, "source": "/data/other.txt"}, *others]


def file(given):
    return ChunkFile("theirs.json", tuple(read_given_chunks(json.dumps(given).encode(), "theirs.json")))


def questions(*excerpts):
    asked = "\n".join(json.dumps({"question": f"40 {excerpt}?", "excerpts": [excerpt]}) for excerpt in excerpts)
    return read_questions(asked.encode(), "questions.jsonl", CORPUS).usable


def index_of(given=None):
    return cut_and_index_corpus(
        CORPUS, YourChunks.from_file(file(rows() if given is None else given)), tools(AngleEmbedder())
    )


def test_no_chunks_made_elsewhere_have_a_time(monkeypatch):
    assert index_of().chunk_s is index_of().decide_s is None
    chunker = build_chunker("fixed_sentences", {})
    assert cut_and_index_corpus(CORPUS, chunker, tools(AngleEmbedder())).chunk_s is not None
    # As a package may declare of its own chunker.
    monkeypatch.setattr(type(chunker), "elsewhere", True)
    assert cut_and_index_corpus(CORPUS, chunker, tools(AngleEmbedder())).chunk_s is None


def test_overlaps_and_gaps_are_measured_at_the_top_k():
    evaluation = evaluate_retrieval(index_of(), questions("bb cc dd ee"), tools(AngleEmbedder()), RULER, top_k=4)
    (answer,) = evaluation.scores_of_all_questions
    # All are found: 4 + 4 + 2 + 3 tokens; of the excerpt's 4, one is in no chunk; “bb” is found twice and hit once.
    tokens = {name: score.value for name, score in answer.tokens.items()}
    held = 6  # Tokens of the two chunks that touch it, together.
    assert tokens == pytest.approx(
        {"recall": 3 / 4, "precision": 3 / 13, "iou": 3 / (13 + 4 - 3), "precision_omega": 3 / (held + 4 - 3)}
    )
    # 11 + 11 + 5 + 10 characters; of the excerpt's 11, 9 to 20, those before 17 are found.
    characters = {name: score.value for name, score in answer.characters.items()}
    assert characters == pytest.approx(
        {"recall": 8 / 11, "precision": 8 / 37, "iou": 8 / (37 + 11 - 8), "precision_omega": 8 / (17 + 11 - 8)}
    )


def test_overlaps_fill_a_budget_as_often_as_they_are_given():
    index, bench = index_of(), tools(AngleEmbedder())
    # The best are 40, of 4 tokens, then 00, which is 40 degrees off, of 4: two of these are those of 40.
    at = evaluate_at_budgets(index, questions("bb cc dd ee"), bench, RULER, Budgets((4, 7, 8)))
    assert at.given[1].tolist() == [[4], [7], [8]]
    assert at.retrieved_excerpt_length[1].tolist() == [[3], [3], [3]]
    assert at.question_values_at_budget("precision", 7, "tokens").tolist() == [3 / 7]
    assert at.question_values_at_budget("iou", 7, "tokens").tolist() == [3 / (7 + 4 - 3)]
    left_out = evaluate_at_budgets(index, questions("bb cc dd ee"), bench, RULER, Budgets((7,), last="left_out"))
    assert left_out.given[1].tolist() == [[4]]


def test_what_is_in_no_chunk_is_told_of_a_failed_question():
    index, bench, asked = index_of(), tools(AngleEmbedder()), questions("dd ee", "ff", "90 gg")
    runs = {
        0: MeasuredChunker(
            evaluate_retrieval(index, asked, bench, RULER), measure_at_standard_budgets(index, asked, bench, RULER)
        )
    }
    by_question = {
        failure.question: failure.retrieval for failure in list_missed_excerpts_per_chunker(runs, Limit(top=1), RULER)[0]
    }
    assert [by_question[number].outside_character_count for number in range(3)] == [3, 2, 0]
    assert [by_question[number].fate for number in range(3)] == ["split", "in no chunk", "not retrieved"]
    assert [
        by_question[number].count_answer_characters_in_chunk(by_question[number].chunk_with_most_answer) for number in (0, 2)
    ] == [2, 5]
    assert by_question[1].chunk_with_most_answer is None


def test_what_was_lost_is_a_caveat_that_is_kept_and_names_nothing():
    index = index_of(rows({"text": "Nowhere at all.", "source": "/data/words.txt"}))
    caveat = "Of 5 chunks, not in the text, and left out: 1. Characters in no chunk, which are not searched: 4."
    assert index.caveat == caveat
    evaluation = evaluate_retrieval(index, questions("bb"), tools(AngleEmbedder()), RULER)
    written = encode_evaluation_as_json_bytes(
        evaluation, measure_at_standard_budgets(index, questions("bb"), tools(AngleEmbedder()), RULER)
    )
    assert not any(word in written.decode() for word in ("theirs", "Nowhere", "/data", "words.txt"))
    again, _ = evaluation_from_json(written, CORPUS, questions("bb"))
    assert again.searched_index.caveat == caveat
    assert again.searched_index.chunk_s is None
    assert Costs.of_evaluation(again, 1.0).index_s is None


def test_a_column_of_fewer_documents_is_refused_with_their_names():
    with pytest.raises(InputError, match=r"must have chunks of all 2 documents.*; it has no chunks of 'other\.txt'\."):
        index_of(rows()[:3])
    with pytest.raises(InputError, match=r"the chunks of 'other\.txt' must occur in that document; not one of 1 chunk does"):
        index_of([*rows()[:3], {"text": "Nowhere.", "source": "other.txt"}])
    with pytest.raises(
        InputError, match=r"every chunk must name its document in the field document, .*; 1 of 5 chunks do not"
    ):
        index_of(rows({"text": "aa"}))
    with pytest.raises(InputError, match="the file of chunks must be passed again"):
        cut_and_index_corpus(CORPUS, YourChunks(), tools(AngleEmbedder()))


def test_of_one_document_all_chunks_count_whatever_it_is_called():
    alone = Corpus((Document.from_text(WORDS, "lines", "mine"),))
    index = cut_and_index_corpus(alone, YourChunks.from_file(file(rows()[:3])), tools(AngleEmbedder()))
    assert index.chunks == tuple((Span(*place),) for place in PLACES)
    with pytest.raises(InputError, match=r"its chunks are of 2 documents, and none of these is called 'mine'\. Choose one"):
        cut_and_index_corpus(alone, YourChunks.from_file(file(rows())), tools(AngleEmbedder()))


def test_of_no_document_there_are_none_whether_or_not_chunks_name_theirs():
    assert file([{"text": "aa"}]).chunks_by_document([]) == {}
    assert file([{"text": "aa", "source": "a.md"}]).chunks_by_document([]) == {}


def test_a_document_is_found_by_the_end_of_its_path_and_two_that_may_be_it_are_refused():
    def of(*sources):
        return file([{"text": "aa", "source": path} for path in sources])

    for name, source in (
        ("sub/a.md", "/data/sub/a.md"),
        ("a.md", "C:\\data\\a.md"),
        ("docs/a.md", "a.md"),
        ("a", "docs/a.md"),
        ("a.md", "a"),
    ):
        assert of(source, "b.md").chunks_by_document([name, "b.md"])[name][0].document == source
    # The same name goes first.
    assert of("x/a.md", "a.md").chunks_by_document(["a.md", "x/a.md"])["a.md"][0].document == "a.md"
    with pytest.raises(InputError, match=r"one document that matches 'a\.md'; 'x/a\.md', 'y/a\.md' all match"):
        of("x/a.md", "y/a.md", "b").chunks_by_document(["a.md", "b"])
    with pytest.raises(InputError, match=r"a separate document for each of 'x/a\.md', 'y/a\.md'; it has only 'a\.md'"):
        of("a.md").chunks_by_document(["x/a.md", "y/a.md"])


def test_what_two_spans_of_a_chunk_share_counts_once():
    given = [{"spans": [[0, 11], [6, 17]], "source": "words.txt"}, {"text": OTHER, "source": "other.txt"}]
    offset = CORPUS.offsets[1]
    assert index_of(given).chunks[1] == (Span(offset, offset + 17),)
