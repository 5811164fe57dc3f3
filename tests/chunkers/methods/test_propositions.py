"""The chunker of propositions: what a model states, invents, loses and repeats, and how it sorts what it stated."""

import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkers import Cancelled, Document, ModelError, Recipe, Tools, build_chunker, load_tokenizer, to_csv, to_dict
from chunkers import run_chunker as run_chunker
from chunkers.building_blocks.proposition_requests import Vocabulary, find_unsupported_names_and_numbers
from chunkers.building_blocks.size_limits import first_unit_index_after_window
from chunkers.commands.chunk_command import main
from chunkers.language_models import prompts
from chunkers.language_models.answer_cache import AnswerCache
from chunkers.language_models.asking_until_usable import MOST_ANSWER_RETRIES
from chunkers.language_models.base import UNRESTRICTED_ANSWER_SHAPE, Reply
from chunkers.language_models.chat_server import ChatServer
from chunkers.language_models.requests_within_spending_limit import MOST_PARALLEL_CONVERSATIONS, Asking
from chunkers.language_models.spending import SpendingLimit
from tests.server import KEY, ChatModelServer
from tests.support import ScriptedModel, asking, tools

TEXT = "Ada Lovelace wrote notes.\nShe was born in 1815.\nBread needs flour.\nHer notes became famous.\nIt needs salt too."


class Stating(ScriptedModel):
    """States every sentence once, naming whom it means, and sorts by that; an oracle that answers consistently."""

    def __init__(self, *answers):
        super().__init__()
        self.answers = list(answers)

    def answer(self, messages):
        answer = self.answers.pop(0) if self.answers else None
        if answer is None:
            return super().answer(messages)
        return (
            answer if isinstance(answer, Reply) else Reply(answer if isinstance(answer, str) else json.dumps(answer), 10, 2)
        )

    def stated(self, sentences):
        return json.dumps({"propositions": [self.one(number, text) for number, text in sentences]})

    def one(self, number, text):
        for pronoun, name in (("She", "Ada Lovelace"), ("Her", "Ada Lovelace's"), ("It", "Bread")):
            if text.startswith(f"{pronoun} "):
                return {"text": name + text.removeprefix(pronoun), "sentence": number, "quotation": text}
        return {"text": text, "sentence": number, "quotation": text}

    def subject(self, text):
        return "Ada" if text.startswith("Ada") else "Bread"


def cut(model=None, text=TEXT, sentences="lines", **parameters):
    bench = Tools(None, load_tokenizer("words"), asking=asking(model or Stating()))
    return run_chunker(build_chunker("propositions", parameters), Document.from_text(text, sentences), bench)


def claims(*rows):
    return {"propositions": [{"text": text, "sentence": number, "quotation": words} for text, number, words in rows]}


def test_a_chunk_is_its_propositions_its_title_and_the_sentences_they_come_from():
    made = cut()
    assert made.texts == (
        "Ada Lovelace wrote notes.\nAda Lovelace was born in 1815.\nAda Lovelace's notes became famous.",
        "Bread needs flour.\nBread needs salt too.",
    )
    assert [chunk.stated.title for chunk in made] == ["Ada", "Bread"]
    assert [chunk.stated.summary for chunk in made] == ["All Ada.", "All Bread."]
    assert [[TEXT[start:end] for start, end in chunk.spans] for chunk in made] == [
        ["Ada Lovelace wrote notes.\nShe was born in 1815.", "Her notes became famous."],
        ["Bread needs flour.", "It needs salt too."],
    ]
    sources = [TEXT[slice(*proposition.span)] for proposition in made[0].stated.propositions]
    assert sources == ["Ada Lovelace wrote notes.", "She was born in 1815.", "Her notes became famous."]
    assert [gap.verdict.is_cut for gap in made.gaps] == [False, True, True, True]
    assert made.gaps[1].reason == "sentence 2: 1 proposition, in chunk 1; sentence 3: 1 proposition, in chunk 2"
    assert made.gaps[1].why.brief() == "chunk 1, then chunk 2"
    assert made.gaps[0].why.brief() == "chunk 1"
    # A pronoun's name is from elsewhere in the text, which is no fault.
    assert made[0].stated.propositions[1].elsewhere == ("Ada", "Lovelace")
    assert made.notes == ()


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["Ada wrote.", "She rests now.", "Bread rises.", "It is hot."]), min_size=2, max_size=20),
    st.integers(10, 40),
    st.integers(1, 25),
)
def test_windows_and_batches_give_the_chunks_of_one_large_window(lines, window, batch):
    text = "\n".join(lines)
    small, large = cut(text=text, window=window, batch=batch), cut(text=text, window=10_000, batch=500)
    assert small.chunks == large.chunks
    assert small.gaps == large.gaps


@given(st.lists(st.integers(0, 30), min_size=1, max_size=20), st.integers(1, 60), st.integers(1, 3))
def test_a_window_is_as_long_as_fits(sizes, most, least):
    end = first_unit_index_after_window(sizes, 0, most, least)
    assert min(least, len(sizes)) <= end <= len(sizes)
    assert end <= least or sum(sizes[:end]) <= most
    assert end == len(sizes) or sum(sizes[: end + 1]) > most


def test_what_is_asked_is_what_the_prompts_say():
    model = Stating()
    cut(model, "One {a}.\nTwo two.\nThree.", window=10, before=1)
    assert len(model.asked) == 2
    (system, first), (order, question) = model.asked
    assert (system.text, order.text) == (prompts.PROPOSITIONS_SYSTEM_PROMPT, prompts.GROUPS_SYSTEM_PROMPT)
    assert first.text == "ID 1: One {a}.\nID 2: Two two.\nID 3: Three.\n\nState the sentences 1 to 3 as propositions."
    assert "The chunks so far:\nnone\n" in question.text
    model = Stating()
    cut(model, "\n".join(f"Ada {'word ' * 7}{number}." for number in range(3)), window=10, before=1, batch=2)
    asked = [user.text for _, user in model.asked]
    assert f"meant:\nAda {'word ' * 7}1.\n\nID 3: Ada" in next(prompt for prompt in asked if "ID 3" in prompt)
    assert asked[-1].startswith("The chunks so far:\nCHUNK 1: Ada | All Ada.\n\nFurther propositions:\nID 3: ")


# What is lost, and what is invented.


def test_a_sentence_of_which_nothing_is_stated_stands_for_itself_and_the_notes_and_reasons_say_so():
    made = cut(
        Stating(claims(("Ada Lovelace wrote notes.", 1, "Lovelace wrote notes"), ("Bread needs salt.", 5, "It needs salt")))
    )
    lost = [proposition for chunk in made for proposition in chunk.stated.propositions if proposition.tied == "as it is"]
    assert [proposition.text for proposition in lost] == TEXT.splitlines()[1:4]
    assert "sentence 2: lost by the model, so it stands for itself, in chunk 2" in made.gaps[0].reason
    assert made.notes == ("Lost: the model stated nothing of 3 sentences (2, 3, 4); they stand for themselves.",)


def test_what_quotes_words_that_are_not_there_is_in_no_chunk_and_is_shown():
    rows = [("Ada was a queen.", 1, "Ada Lovelace, queen of England"), ("Nothing.", 2, "")]
    made = cut(Stating(claims(*rows, *[(line, number, line) for number, line in enumerate(TEXT.splitlines(), start=1)])))
    assert [
        (proposition.text, proposition.span, proposition.tied, proposition.sentence) for proposition in made.left_out
    ] == [
        (rows[0][0], None, "nowhere", 0),
        (rows[1][0], None, "nowhere", 1),
    ]
    assert "queen" not in "".join(made.texts)
    assert made.notes == ("Invented: 2 propositions quote words that are not in the text, and are left out.",)
    assert [row["text"] for row in to_dict(made, Recipe(chunker="propositions"))["left_out"]] == [row[0] for row in rows]


@pytest.mark.parametrize(
    ("quotation", "number", "tied", "source"),
    [
        ("notes", 4, "word for word", "notes"),
        ("needs", 5, "word for word", "needs"),
        ("born in 1815.\nBread", 2, "word for word", "born in 1815.\nBread"),
        ("She  was born in 1815.", 2, "typography", "She was born in 1815."),
        ("Her notes became very famous.", 4, "altered", "Her notes became famous."),
        ("Bread needs flour.", 1, "word for word", "Bread needs flour."),
    ],
)
def test_a_quotation_is_found_in_its_sentence_or_else_nearby(quotation, number, tied, source):
    made = cut(Stating(claims(("One thing.", number, quotation))))
    (proposition,) = [claim for chunk in made for claim in chunk.stated.propositions if claim.tied != "as it is"]
    assert (proposition.tied, TEXT[slice(*proposition.span)]) == (tied, source)
    if quotation in TEXT.splitlines()[number - 1]:
        assert made.document.sentence_at(proposition.span.start) == number - 1


def test_names_and_numbers_are_held_against_the_sentences_and_the_text():
    text = "Ada wrote in Paris. In 1,815 the rain fell."
    known = Vocabulary.collect_words_and_numbers(text)
    assert find_unsupported_names_and_numbers("Ada wrote in Paris", "Ada wrote in Paris.", known) == ((), ())
    assert find_unsupported_names_and_numbers("Ada wrote in 1,815 and 1816", "Ada wrote in Paris.", known) == (
        ("1,815",),
        ("1816",),
    )
    assert find_unsupported_names_and_numbers("Byron wrote in Paris with Ada", "In 1,815 the rain fell.", known) == (
        ("Paris", "Ada"),
        ("Byron",),
    )
    # The text has the first word small too, so it is no name.
    assert find_unsupported_names_and_numbers("The poet slept", "Ada wrote in Paris.", known) == ((), ())
    made = cut(Stating(claims(("Ada Lovelace met Byron in 1816.", 1, "wrote notes"))))
    assert made.notes[1].startswith("1 proposition has names or numbers that the text does not have: Byron, 1816. Compared ")
    assert made[0].stated.propositions[0].remark_on_source_match == "not in the text: Byron, 1816"


def test_answers_out_of_order_and_twice_the_same_give_the_same_chunks():
    rows = [(line, number, line) for number, line in enumerate(TEXT.splitlines(), start=1)]
    once, again = cut(Stating(claims(*rows))), cut(Stating(claims(*reversed(rows), rows[0], rows[0])))
    assert again.chunks == once.chunks
    assert again.notes == ("The model stated 2 propositions twice from the same words; once is kept.",)


# Answers that cannot be used.


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("I would rather not.", "the answer must contain a JSON object; it has none"),
        ('{"propositions": [{"text": "One', "its JSON is broken: "),
        ({"propositions": []}, "the answer must state at least one proposition; it states none"),
        ({"propositions": [{"text": "One.", "sentence": "no", "quotation": ""}]}, "propositions.0.sentence: "),
        (claims(("One.", 6, "notes")), "the answer may name only sentences 1 to 5; it names sentence 6"),
        (claims((" \n", 1, "notes")), "the answer must give every proposition a text; one text is empty"),
        (
            '{"propositions": [{"text": "\\ud800", "sentence": 1, "quotation": "notes"}]}',
            "the answer must be valid Unicode; its JSON contains half of a surrogate pair",
        ),
        (Reply("{}", 10, 2, "refused"), "the model refused to answer"),
        (Reply("{}", 10, 2, "cut"), "the answer was too long and was cut off"),
    ],
)
def test_a_window_without_a_usable_answer_stands_for_itself_after_it_was_asked_again(answer, complaint):
    model = Stating(answer)
    assert cut(model).chunks == cut().chunks
    assert f"This answer cannot be used: {complaint}" in model.asked[1][-1].text
    made = cut(Stating(*[answer] * (MOST_ANSWER_RETRIES + 1)))
    assert sorted("\n".join(made.texts).splitlines()) == sorted(TEXT.splitlines())
    assert made.gaps[0].reason.startswith(f"sentence 1: no usable answer in 3 attempts ({complaint}")
    assert "(sentences 1 to 5), so it stands for itself, in chunk 1" in made.gaps[0].reason
    assert made.notes == (
        "The model gave no usable answer about 1 of 1 window, though it was asked up to 3 times; the sentences there "
        "stand for themselves.",
    )


def sorting(*rows):
    return {"chunks": [{"chunk": number, "title": "T", "summary": "S", "propositions": held} for number, held in rows]}


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (sorting((None, [1, 2, 3, 4])), "the answer must assign every proposition to a chunk; it leaves out proposition 5"),
        (sorting((None, [1, 2, 3, 4, 5, 6])), "the answer may assign only propositions 1 to 5; it names proposition 6"),
        (sorting((7, [1, 2, 3, 4, 5])), "the answer may name only listed chunks; it names chunk 7, but none is listed"),
        ({"chunks": [{"chunk": None, "title": "", "summary": "", "propositions": [1]}]}, "chunks.0.title: "),
    ],
)
def test_what_is_not_sorted_usably_is_asked_again_and_then_is_a_chunk_without_a_title(answer, complaint):
    model = Stating(None, answer)
    assert cut(model).chunks == cut().chunks
    assert f"This answer cannot be used: {complaint}" in model.asked[2][-1].text
    made = cut(Stating(None, *[answer] * (MOST_ANSWER_RETRIES + 1)))
    (chunk,) = made
    assert (chunk.stated.title, chunk.stated.summary) == ("", "")
    assert f"not sorted: no usable answer in 3 attempts ({complaint}" in made.gaps[0].reason
    assert made.notes[0].startswith("The model did not sort 1 of 1 batch of propositions in a form that can be used")


def test_a_proposition_is_in_the_first_chunk_that_names_it():
    model = Stating(None, sorting((None, [1, 2, 3]), (None, [3, 4, 5]), (None, [1, 2, 3, 4, 5])))
    made = cut(model)
    assert len(model.asked) == 2
    assert [len(chunk.stated.propositions) for chunk in made] == [3, 2]


def test_the_longest_answer_that_a_schema_allows_fits_into_its_tokens():
    """A model that repeats itself fills every list and text; at 3 characters a token it still comes to an end."""
    sent = []

    class Sized(Stating):
        takes_shape = True

        def reply(self, messages, most_tokens, attempts, shape=UNRESTRICTED_ANSWER_SHAPE):
            sent.append((most_tokens, shape.schema))
            return super().reply(messages, most_tokens, attempts)

    access = Asking(Sized(), AnswerCache(), schema_treatment="enforced")
    run_chunker(build_chunker("propositions", {}), Document.from_text("\n".join([TEXT] * 6), "lines"), tools(asking=access))
    assert len(sent) > 1
    for tokens, schema in sent:
        assert len(json.dumps(longest(json.loads(schema)))) / 3 <= tokens


def longest(schema):
    """Return the longest value that a schema allows, with short names of fields."""
    if "anyOf" in schema:
        return longest(schema["anyOf"][0])
    match schema["type"]:
        case "object":
            return {name: longest(field) for name, field in schema["properties"].items()}
        case "array":
            return [longest(schema["items"])] * schema["maxItems"]
        case "string":
            return "x" * schema["maxLength"]
        case "integer":
            return max(schema["enum"])
        case "null":
            return None
    raise AssertionError(schema)


@pytest.mark.parametrize(("text", "chunks", "asked"), [("", 0, 0), (" \n ", 0, 0), ("Ada wrote. She slept.", 1, 1)])
def test_a_text_of_one_sentence_is_one_chunk_and_an_empty_one_is_not_sent(text, chunks, asked):
    model = Stating()
    assert len(cut(model, text)) == chunks
    assert len(model.asked) == asked


# What it takes.


def test_what_was_asked_is_counted_and_not_asked_again_and_stopping_keeps_it():
    asker, document = asking(Stating()), Document.from_text("\n".join([TEXT] * 6), "lines")
    chunker = build_chunker("propositions", {"window": 20, "batch": 4})
    estimate = chunker.estimate(document, tools(asking=asker))
    assert not asker.model.asked
    with pytest.raises(Cancelled):
        run_chunker(chunker, document, tools(asking=asker, cancelled=lambda: len(asker.model.asked) >= 3))
    before = len(asker.model.asked)
    assert before < 10
    shares = []
    first = run_chunker(chunker, document, tools(asking=asker, deciding=lambda done, total: shares.append(done / total)))
    sent = sum(len(part.text.split()) for messages in asker.model.asked for part in messages)
    assert estimate.requests / 4 <= len(asker.model.asked) <= estimate.requests * 4
    assert estimate.tokens / 4 <= sent <= estimate.tokens * 4
    assert estimate.answers > 2 * len(document.text.split())
    assert first.spending.requests + before == len(asker.model.asked) == len({str(asked) for asked in asker.model.asked})
    assert first.spending.remembered <= before
    assert shares[-1] == 1
    again = run_chunker(chunker, document, tools(asking=asker, cancelled=lambda: True))
    assert again == first
    assert again.spending.requests == 0


def test_when_one_window_fails_those_that_have_not_begun_do_not_begin():
    begun = []

    def work(bench):
        begun.append(bench)
        raise ModelError("no")

    with pytest.raises(ModelError, match="no"):
        tools(asking=asking()).together([work] * 100)
    assert len(begun) <= MOST_PARALLEL_CONVERSATIONS


def test_the_limit_stops_a_run():
    with pytest.raises(ModelError, match=r"the spending limit is 500 tokens; 0 are spent"):
        run_chunker(
            build_chunker("propositions", {}),
            Document.from_text(TEXT, "lines"),
            tools(asking=asking(Stating(), limit=SpendingLimit(tokens=500))),
        )


# Files, the command line, and a server that fails.


def test_a_table_has_title_summary_and_the_place_of_each_proposition():
    made = cut()
    (first, _) = csv.DictReader(io.StringIO(to_csv(made), newline=""))
    assert (first["title"], first["summary"], first["text"]) == ("Ada", "All Ada.", made[0].text)
    read = json.loads(first["propositions"])
    assert [TEXT[record["start"] : record["end"]] for record in read] == [
        proposition.quotation for proposition in made[0].stated.propositions
    ]
    (document, _) = made.to_documents("haystack")
    assert document.content == made[0].text
    assert document.meta["chunk_title"] == "Ada"
    assert "<b>Ada</b>" in made._repr_html_()


def test_on_the_command_line_with_a_server_that_fails_once(tmp_path, capsys, monkeypatch, serve):
    scripted = Stating()
    http = serve(ChatModelServer, lambda messages: scripted.words(messages[1]["content"]))
    monkeypatch.setenv("OPENAI_BASE_URL", http.address)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    http.script = [(429, {"Retry-After": "0.05"}), (500, {})]
    file = tmp_path / "text.txt"
    file.write_text(TEXT)
    own = ["--chunker", "propositions", "--tokenizer", "words", "--sentences", "lines"]
    assert main([str(file), *own, "--language-model", "openai:test"]) == 0
    written = capsys.readouterr()
    told = json.loads(written.out)
    assert [piece["title"] for piece in told["chunks"]] == ["Ada", "Bread"]
    # One of them finds out what the server does with a schema.
    assert "openai:test: 5 requests" in written.err
    assert "no structured answers, as the server ignores a schema" in written.err
    assert KEY not in written.out + written.err
    assert Recipe.from_json(written.out).run(TEXT, language_model=asking(ChatServer("openai:test"))).texts == tuple(
        piece["text"] for piece in told["chunks"]
    )
    http.script = [(500, {})] * 4
    with pytest.raises(ModelError, match="must work; asked up to 4 times, it failed"):
        run_chunker(
            build_chunker("propositions", {}),
            Document.from_text(TEXT, "lines"),
            tools(asking=asking(ChatServer("openai:test"))),
        )
