"""A hundred questions in every format: their texts are located, and the stage that lost each answer is as it was made."""

import json
from collections import Counter

import pytest

from chunkers import Document, InputError, build_chunker, run_chunker
from chunkers.files.external_chunks import GivenChunk
from chunkers.found_again import unordered_chunk_location
from chunkers.found_again.inspection_of_given_chunks import read_given_chunks
from chunkers.text.sentences import DEFAULT_SPLITTER
from evaluation.traces.answer_loss_stages import SearchedChunks, TraceDiagnoser
from evaluation.traces.trace_files import read_traces
from tests.fixtures.trace_generator import FORMATS, STAGES, chunk_file, documents, lines, made
from tests.support import tools

HANDBOOK = (
    "Holidays are thirty days a year for everyone in the house. They are taken by the end of March. "
    "Notice is three months for both sides. It is given in writing.\n"
)
TRAVEL = "Trains are booked in second class, in first class above six hours. Flights need the approval of the head.\n"
DOCUMENTS = [Document.from_text(HANDBOOK, name="handbook.txt"), Document.from_text(TRAVEL, name="travel.txt")]
FIRST, SECOND = HANDBOOK.strip().split(" Notice is")
CHUNKS = [FIRST, f"Notice is{SECOND}", TRAVEL.strip()]
ROWS = [{"text": text, "source": name} for text, name in zip(CHUNKS, ("handbook", "handbook", "travel"), strict=True)]


def diagnosed(rows, **given):
    questions = read_traces(lines(rows), "traces.jsonl").questions
    return [*TraceDiagnoser(DOCUMENTS, questions, **given).locate_retrieved_texts().question_diagnoses()]


def searched(rows=ROWS):
    return SearchedChunks.from_file(DOCUMENTS, read_given_chunks(json.dumps(rows).encode(), "chunks.json"), "chunks.json")


@pytest.fixture(scope="module")
def index():
    return SearchedChunks.from_file(documents(), read_given_chunks(chunk_file(), "chunks.jsonl"), "chunks.jsonl")


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_a_hundred_questions_are_diagnosed_as_they_were_made(form, index):
    questions = made()
    traces = read_traces(FORMATS[form](questions), f"{form}.jsonl")
    assert not traces.problems
    assert [question.question for question in traces.questions] == [question.question for question in questions]
    assert {question.format for question in traces.questions} == {form}
    whole = documents()
    tracing = TraceDiagnoser(whole, traces.questions, index).locate_retrieved_texts()
    assert not tracing.documents_and_chunks_remark
    counts = Counter()
    for question, diagnosis in zip(questions, tracing.question_diagnoses(), strict=True):
        wanted = STAGES.get(question.kind)
        if form == "ragas" and question.feedback is not None:
            wanted = None
        assert diagnosis.stage == wanted, (question.kind, diagnosis.explanation, diagnosis.rule)
        kept = question.texts[: len(diagnosis.placements)]
        assert len(kept) == len(diagnosis.placements)
        for text, placement in zip(kept, diagnosis.placements, strict=True):
            place = placement.only_place and (whole[placement.only_place.document].name, *placement.only_place.span)
            if text.place is None:
                assert not placement.places
                assert placement.remark
                counts["missing"] += 1
            else:
                assert place in (None, text.place), (text.change, placement)
                counts[text.change] += 1
                counts["located"] += place is not None
    there = sum(counts.values()) - counts["missing"] - counts["located"]
    assert there > 400
    assert counts["missing"] > 5
    assert all(counts[change] > 25 for change in ("spaces", "context", "cut short"))
    assert counts["located"] >= 0.9 * there
    print(form, counts)  # noqa: T201 - for `pytest -s`


@pytest.mark.full
@pytest.mark.slow
def test_in_large_documents_every_text_is_located_where_a_comparison_with_all_passages_locates_it(monkeypatch):
    texts = [text for question in made() for text in question.texts if len(text.text) > 100][::24]
    chunks = [GivenChunk(text.text.replace("the", "teh")) for text in texts] + [GivenChunk(text.text) for text in texts]
    placements = []
    for most in (unordered_chunk_location.MAX_WHOLLY_COMPARED_CHARACTERS, 0):
        monkeypatch.setattr(unordered_chunk_location, "MAX_WHOLLY_COMPARED_CHARACTERS", most)
        searching = unordered_chunk_location.UnorderedLocator(documents(), chunks)
        placements.append([searching.find(chunk) for chunk in chunks])
    whole, shared = ([(placement.places, placement.is_cut_short) for placement in some] for some in placements)
    assert shared == whole
    assert sum("altered" in placement.remark for placement in placements[1]) > 9
    missing = next(placement for placement in placements[1] if not placement.places)
    assert missing.remark == "nothing in the documents that has runs of 15 characters in common with it is like it"


def test_a_cut_has_the_chunkers_reason():
    chunker = build_chunker("fixed_sentences", {"size": 2})
    chunkings = tuple(run_chunker(chunker, document, tools()) for document in DOCUMENTS)
    rows = [{"query": "When?", "retrieved": [FIRST], "excerpts": ["taken by the end of March. Notice is three months"]}]
    (diagnosis,) = diagnosed(rows, searched_chunks=SearchedChunks(chunkings, "fixed_sentences", has_reasons=True))
    assert diagnosis.stage == "cut apart"
    assert diagnosis.outcome.judgement.fate == "split"
    (seam,) = diagnosis.outcome.seams
    assert (seam.place, seam.before, seam.after) == (HANDBOOK.index("Notice"), 0, 1)
    assert seam.reason in diagnosis.explanation
    assert seam.reason == "size 2 reached"


def test_an_answer_in_several_retrieved_chunks_is_retrieved_though_a_chunk_that_has_all_of_it_is_ranked_too_low():
    overlapping = {"text": HANDBOOK[40:130].strip(), "source": "handbook"}
    excerpt = "by the end of March. Notice is three months"
    rows = [{"query": "Notice?", "retrieved": [*CHUNKS[:2], overlapping["text"]], "top_k": 2, "excerpts": [excerpt]}]
    (diagnosis,) = diagnosed(rows, searched_chunks=searched([*ROWS, overlapping]))
    assert (diagnosis.failed, diagnosis.rule) == (False, "its excerpt was retrieved")
    (diagnosis,) = diagnosed([{**rows[0], "feedback": -1}], searched_chunks=searched([*ROWS, overlapping]))
    assert (diagnosis.stage, diagnosis.outcome.judgement.missed_character_count) == ("ranked too low", 0)


def test_who_stood_before_the_chunk_that_was_ranked_too_low_is_named():
    rows = [
        {"query": "Notice?", "retrieved": [CHUNKS[2], FIRST, CHUNKS[1]], "top_k": 2, "excerpts": ["three months for both"]}
    ]
    (diagnosis,) = diagnosed(rows, searched_chunks=searched())
    assert diagnosis.stage == "ranked too low"
    assert diagnosis.explanation == (
        f"whole in chunk 2 (handbook.txt, {HANDBOOK.index('three')} to {HANDBOOK.index(' sides')}), at rank 3; before it: 1 "
        f"travel.txt 0–{len(TRAVEL) - 1}, 2 handbook.txt 0–{len(FIRST)}"
    )


def test_a_text_in_two_documents_has_no_place_of_its_own():
    twice = [*DOCUMENTS, Document.from_text(f"Copied. {TRAVEL}", name="copy.txt")]
    questions = read_traces(
        lines([{"query": "Trains?", "retrieved": [TRAVEL, {"text": TRAVEL, "source": "copy.txt"}]}]), "a"
    )
    (diagnosis,) = TraceDiagnoser(twice, questions.questions).locate_retrieved_texts().question_diagnoses()
    without, named = diagnosis.placements
    assert without.only_place is None
    assert len(without.places) == 2
    assert without.remark == "stands in 2 places"
    assert (named.only_place.document, named.only_place.span.start) == (2, 8)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Parking is free for guests of the house on all days of the week.", "nothing in the documents is like it"),
        ({"text": FIRST[:-20] + " of what is in no document", "source": "old.txt"}, "'old.txt' is not among the documents"),
        ({"id": "c9"}, "it has an identifier alone, 'c9', and no chunk at hand has it"),
        ("end", "nothing in the documents is like it"),
    ],
)
def test_what_is_in_no_document_is_missing(text, said):
    documents = [*DOCUMENTS, Document.from_text("They spend and lend.", name="c.txt")]
    questions = read_traces(lines([{"query": "Parking?", "retrieved": [text]}]), "a")
    placement = TraceDiagnoser(documents[1:], questions.questions).locate_retrieved_texts().placements[0][0]
    assert (placement.places, placement.remark) == ((), said)


def test_identifiers_alone_are_looked_up_in_the_file_of_chunks():
    rows = [{**row, "id": f"c{number}"} for number, row in enumerate(ROWS)]
    asked = [{"query": "Notice?", "retrieved_ids": ["c1", "c2"], "feedback": -1, "excerpts": ["three months for both"]}]
    (diagnosis,) = diagnosed(asked, searched_chunks=searched(rows))
    assert [DOCUMENTS[spot.only_place.document].name for spot in diagnosis.placements] == ["handbook.txt", "travel.txt"]
    assert diagnosis.stage == "not used"


def alone(chunks, *rows):
    documents, searched = SearchedChunks.rebuild_documents_from_chunks(
        read_given_chunks(json.dumps(chunks).encode(), "c.json"), "c.json", DEFAULT_SPLITTER
    )
    tracing = TraceDiagnoser(documents, read_traces(lines(rows), "t.jsonl").questions, searched).locate_retrieved_texts()
    return documents, tracing, [*tracing.question_diagnoses()]


def test_a_file_of_chunks_alone_tells_what_its_texts_can_tell():
    chunks = [{**row, "id": f"c{number}"} for number, row in enumerate(ROWS)]
    documents, tracing, told = alone(
        chunks,
        {"query": "Notice?", "retrieved_ids": ["c0"], "excerpts": ["three months for both"]},
        {"query": "When?", "retrieved_ids": ["c0"], "excerpts": ["by the end of March. Notice is three months"]},
        {"query": "Used?", "retrieved": [CHUNKS[2]], "excerpts": ["Flights need the approval"], "feedback": "down"},
        {"query": "Parking?", "retrieved": ["Parking is free for all guests of the house on all days."],
         "excerpts": ["Parking is free for all"], "feedback": "down"},
        {"query": "Parking?", "retrieved": [{"text": "Parking is free for the guests.", "source": "old"}],
         "excerpts": ["Parking costs five euros"], "feedback": "down"},
        {"query": "Reference?", "retrieved": [CHUNKS[2]], "reference": "After a quarter of a year.", "feedback": "down"},
    )  # fmt: skip
    assert [document.name for document in documents] == ["handbook", "travel"]
    assert documents[0].text == f"{CHUNKS[0]}\n\n{CHUNKS[1]}"
    stages = ["ranked too low", "cut apart", "not used", "not used", "cannot be told", "cannot be told"]
    assert [diagnosis.stage for diagnosis in told] == stages
    (seam,) = told[1].outcome.seams
    assert (seam.place, seam.before, seam.after) == (len(CHUNKS[0]) + 2, 0, 1)
    assert told[3].placements[0].remark == "nothing in the chunks is like it"
    assert told[4].explanation == "no chunk of c.json has 'Parking costs five euros', and the documents are not at hand"
    assert told[4].placements[0].remark == "'old' has no chunks at hand"
    assert told[5].explanation == "the reference is in words of its own, which no chunk has"
    assert tracing.documents_and_chunks_remark == (
        "Without the documents, texts are put together from the chunks of c.json, and places are places in these texts; "
        "what no chunk has cannot be looked for."
    )


def test_chunks_that_state_their_places_keep_them_without_the_documents():
    chunks = [
        {"text": HANDBOOK[start:end], "start": start, "source": "handbook"}
        for start, end in ((40, 130), (0, 60), (110, 158))
    ]
    documents, tracing, (diagnosis,) = alone(
        chunks, {"query": "Notice?", "retrieved": [HANDBOOK[0:60]], "excerpts": [HANDBOOK[100:130]]}
    )
    assert documents[0].text == HANDBOOK[:158]
    assert diagnosis.outcome.place.span == (100, 130)
    assert diagnosis.stage == "ranked too low"
    assert "places are places" not in tracing.documents_and_chunks_remark


@pytest.mark.parametrize(
    ("chunks", "said"),
    [
        (
            [{"start": 0, "end": 9}, *ROWS],
            "c.json: without the documents, every chunk must have a text; 1 of 4 chunks have ",
        ),
        ([" "], "c.json: a file of chunks must contain at least one chunk with words; this one has none."),
    ],
)
def test_chunks_without_texts_need_the_documents(chunks, said):
    with pytest.raises(InputError) as raised:
        alone(chunks)
    assert str(raised.value).startswith(said)


@pytest.mark.slow
def test_a_hundred_questions_are_diagnosed_from_the_chunks_alone():
    documents, searched = SearchedChunks.rebuild_documents_from_chunks(
        read_given_chunks(chunk_file(), "chunks.jsonl"), "chunks.jsonl", DEFAULT_SPLITTER
    )
    questions = read_traces(FORMATS["plain rows"](made()), "a.jsonl").questions
    tracing = TraceDiagnoser(documents, questions, searched).locate_retrieved_texts()
    stages = Counter()
    for question, diagnosis in zip(made(), tracing.question_diagnoses(), strict=True):
        # The chunks have the texts of the document that is missing, and the end of the report is in no chunk.
        wanted = {"in no chunk": None, "not in the documents": "ranked too low"}.get(
            question.kind, STAGES.get(question.kind)
        )
        assert diagnosis.stage == wanted, (question.kind, diagnosis.explanation, diagnosis.rule)
        stages[diagnosis.stage] += 1
        for text, placement in zip(question.texts, diagnosis.placements, strict=True):
            if placement.only_place is not None:
                name = documents[placement.only_place.document].name
                assert name == text.chunk.document
    assert stages["cut apart"] == 10
    assert not tracing.documents_and_chunks_remark.endswith("is not used.")


def test_without_the_chunks_what_was_searched_is_not_guessed():
    rows = [
        {"query": "Notice?", "retrieved": [FIRST], "excerpts": ["end of March. Notice is three months"]},
        {"query": "Flights?", "retrieved": [FIRST], "excerpts": ["Flights need the approval"]},
    ]
    for diagnosis in diagnosed(rows):
        assert (diagnosis.failed, diagnosis.stage) == (None, None)
        assert "the chunks that were searched are not known" in diagnosis.rule
    # Another question of the trace shows the chunk on the other side of the cut.
    split, _, low = diagnosed([*rows[:1], {"query": "Both?", "retrieved": CHUNKS}, rows[1]])
    assert (split.stage, low.stage) == ("cut apart", "ranked too low")
    assert "as far as the chunks in the trace show" in split.explanation


def test_other_chunks_than_those_that_were_searched_are_not_used():
    rows = [{"query": "Trains?", "retrieved": [HANDBOOK[20:120], HANDBOOK[110:150]], "feedback": "down"}]
    questions = read_traces(lines(rows), "a").questions
    tracing = TraceDiagnoser(DOCUMENTS, questions, searched()).locate_retrieved_texts()
    assert tracing.documents_and_chunks_remark == (
        "2 of 2 located texts of the trace are no chunks of chunks.json, so the trace searched other chunks, and "
        "chunks.json is not used."
    )
    assert not tracing.knows_chunks


@pytest.mark.parametrize(
    ("given", "failed", "said"),
    [
        ({"feedback": True}, False, "the feedback is positive: feedback True"),
        ({"feedback": "Thumbs down"}, True, "the feedback is negative: feedback 'Thumbs down'"),
        ({"feedback": {"score": 0, "comment": "no"}}, True, "the feedback is negative: feedback 0"),
        ({"feedback": 0.4}, None, "the feedback feedback 0.4 is neither positive nor negative, and neither"),
        ({"reference": "You may go after a quarter of a year."}, None, "the reference is in words of its own"),
        ({"reference": "Notice is three  months"}, True, "its reference was not retrieved"),
        ({"excerpts": ["Notice is three months"], "feedback": 1}, False, "the feedback is positive: feedback 1"),
        ({"excerpts": ["a word"], "reference": "x"}, True, "its excerpt was not retrieved"),
    ],
)
def test_a_question_fails_by_a_rule_that_is_named(given, failed, said):
    (diagnosis,) = diagnosed([{"query": "Notice?", "retrieved": [FIRST], **given}], searched_chunks=searched())
    assert diagnosis.failed is failed
    assert said in diagnosis.rule


def test_an_altered_excerpt_is_said_to_be_altered():
    (diagnosis,) = diagnosed(
        [{"query": "Notice?", "retrieved": [FIRST], "excerpts": ["Notice is three months for each side."]}],
        searched_chunks=searched(),
    )
    assert diagnosis.stage == "ranked too low"
    assert "is altered there, 8" in diagnosis.explanation


def test_chunks_without_a_document_need_one_if_there_are_several():
    with pytest.raises(InputError, match=r"^chunks\.json: with several documents, every chunk must name its document"):
        searched([{"text": FIRST}])
