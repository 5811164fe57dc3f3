"""The chunkers that ask a language model: its answers, good, bad and missing, and the windows over a long text."""

import json
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunkers import Cancelled, Document, InputError, ModelError, Recipe, Tools, build_chunker, chunk, load_tokenizer
from chunkers import run_chunker as run_chunker
from chunkers.commands.chunk_command import main
from chunkers.language_models import prompts
from chunkers.language_models.answer_cache import AnswerCache
from chunkers.language_models.answer_schemas_and_parsers import TOKENS_BESIDE_CONTENT
from chunkers.language_models.asking_until_usable import MOST_ANSWER_RETRIES
from chunkers.language_models.base import Reply
from chunkers.language_models.chat_server import ChatServer
from chunkers.language_models.requests_within_spending_limit import Asking
from chunkers.language_models.spending import Spending, SpendingLimit, upper_bound_on_conversation_tokens
from chunkers.methods.llm import Llm, Lumber
from evaluation.command_line import main as evaluate
from tests.server import KEY, ChatModelServer
from tests.support import ScriptedModel, asking, tools

CUTTING = {chunker.name: chunker for chunker in (Llm, Lumber)}

TOPICS = "aaabbccccda"
TEXT = "\n\n".join(f"{topic}{number} says one thing. Then {topic}{number} says more." for number, topic in enumerate(TOPICS))
"""A paragraph, of eight words, and so many tokens, for each letter of the topics."""

STARTS = [number for number, (one, other) in enumerate(pairwise(TOPICS), start=1) if one != other]
"""The paragraphs with which a topic begins."""


def changes(before, after):
    """Return whether the topic changes between two units: an oracle that answers consistently."""
    return before[0] != after[0]


def cut(name, model=None, text=TEXT, sentences="paragraphs", **parameters):
    asked = model if isinstance(model, Asking) else asking(model or ScriptedModel(changes))
    bench = Tools(None, load_tokenizer("words"), asking=asked)
    return run_chunker(build_chunker(name, parameters), Document.from_text(text, sentences), bench)


def begins(chunking):
    return [int(piece.text[1:].split()[0]) for piece in chunking][1:]


SMALL = {"llm": {"piece_size": 9}, "lumber": {}}


@pytest.mark.parametrize("name", CUTTING)
@pytest.mark.parametrize("window", [18, 20, 24, 31, 48, 87, 88, 800])
def test_windows_give_the_chunks_of_one_large_window(name, window):
    model = ScriptedModel(changes)
    made = cut(name, model, window=window, **SMALL[name])
    assert begins(made) == STARTS
    for (_, question), *_ in ((messages, 0) for messages in model.asked):
        words = question.text.count("says more.")
        assert 2 <= words <= max(2, window // 8)


LETTERS = st.lists(st.sampled_from("abc"), min_size=2, max_size=25).map("".join)


@settings(max_examples=60, deadline=None)
@given(topics=LETTERS, name=st.sampled_from([*CUTTING]), window=st.integers(10, 60), size=st.integers(1, 5))
@example(topics="aaaaaaaaaaaaaaaa", name="llm", window=10, size=5)
@example(topics="ab" * 12, name="lumber", window=10, size=5)
def test_a_model_that_answers_consistently_cuts_the_same_whatever_its_window(topics, name, window, size):
    text = "\n\n".join(f"{topic}{number} x y z w" for number, topic in enumerate(topics))
    own = {"piece_size": size} if name == "llm" else {}
    one, other = (
        cut(name, ScriptedModel(lambda a, b: (len(a) + len(b) + ord(a[0])) % 3 == 0), text, window=most, **own)
        for most in (window, 1_000_000)
    )
    # A paragraph of more than half a window is shown in parts.
    assert one.texts == other.texts or (name == "lumber" and window // 2 < 5)


@pytest.mark.parametrize("name", CUTTING)
def test_every_gap_has_a_reason_that_names_the_window(name):
    made = cut(name, window=24, **SMALL[name])
    unit = CUTTING[name].unit_name
    assert [gap.index + 1 for gap in made.gaps if gap.verdict.is_cut] == STARTS
    assert made.gaps[0].reason == f"the model keeps {unit}s 1 and 2 together (window of {unit}s 1 to 3)"
    assert made.gaps[2].reason.startswith(f"the model cuts after {unit} 3 (window of {unit}s ")
    assert made.gaps[2].why.brief() == f"cut after {unit} 3"
    assert len(made.gaps) == len(TOPICS) - 1
    inside = cut(name, sentences="regex", window=24, **SMALL[name])
    assert inside.gaps[0].reason == f"inside a {unit}, which is never cut"
    assert inside.texts == made.texts


def test_what_is_asked_is_what_the_prompts_say():
    model = ScriptedModel(changes)
    cut("llm", model, text="One two\n\nThree {four}", piece_size=2, window=800)
    ((system, user),) = model.asked
    assert system == ("system", prompts.SPLITS_SYSTEM_PROMPT)
    pieces = "<|start_chunk_1|>One two<|end_chunk_1|><|start_chunk_2|>Three {four}<|end_chunk_2|>"
    assert user == ("user", f"{pieces}\n\nAfter which of the pieces 1 to 1 does a section end?")
    model = ScriptedModel(changes)
    cut("lumber", model, text="One two.\n\nThree {four}.")
    ((system, user),) = model.asked
    assert system == ("system", prompts.SHIFT_SYSTEM_PROMPT)
    assert user.text.startswith("ID 1: One two.\nID 2: Three {four}.\n\nWhich of the passages 2 to 2 ")


# Answers.

USABLE = {
    "llm": [
        ("split_after: 3, 5", [3, 5]),
        ("split_after: none", []),
        ("**split_after**: 5", [5]),
        ("Split_After: [3,5]\n", [3, 5]),
        ("<think>split_after: 9?</think>\nsplit_after: 3", [3]),
        ("split_after: 3, 3, 5", [3, 5]),
        ("split_after: 5, 11", [5]),
        ("split_after: 11", []),
    ],
    "lumber": [
        ("Answer: ID 4", [3]),
        ("answer: none", []),
        ("**Answer:** ID 0011", [10]),
        ("It is 3. Answer: 6", [5]),
        ("Answer: ID 2\nAnswer: ID 5", [4]),
    ],
}
UNUSABLE = {
    "llm": [
        ("", "the answer must have a line that begins with 'split_after:'; it has none"),
        ("3, 5", "the answer must have a line that begins with 'split_after:'; it has none"),
        ("split_after:", "the answer must have a number or the word none after 'split_after:'; it has neither"),
        ("split_after: 0", "the answer must name pieces from 1 to 11; it names piece 0"),
        ("split_after: 3, 12", "the answer must name pieces from 1 to 11; it names piece 12"),
        ("split_after: 3-5", "the answer must name pieces from 1 to 11; it names piece -5"),
        ("split_after: 5, 3", "the answer must name the pieces in ascending order; their order is different"),
        (
            f"split_after: {'9' * 100}",
            "the answer may name only numbers from the prompt; it has a number with too many digits",
        ),
    ],
    "lumber": [
        ("ID 4", "the answer must have a line that begins with 'Answer:'; it has none"),
        ("Answer: the fourth", "the answer must have a number or the word none after 'Answer:'; it has neither"),
        ("Answer: ID 1", "the answer must name a paragraph from 2 to 11; it names paragraph 1"),
        ("Answer: ID 12", "the answer must name a paragraph from 2 to 11; it names paragraph 12"),
        ("Answer: ID 3 or ID 4", "the answer must have exactly one number after 'Answer:'; it has several"),
    ],
}


class Answers(ScriptedModel):
    """Gives these answers, in order, and then no cut."""

    def __init__(self, *answers):
        super().__init__(lambda before, after: False)
        self.answers = list(answers)

    def answer(self, messages):
        if not self.answers:
            return super().answer(messages)
        answer = self.answers.pop(0)
        return answer if isinstance(answer, Reply) else Reply(answer, 10, 2)


@pytest.mark.parametrize(("name", "answer", "after"), [(name, *row) for name, rows in USABLE.items() for row in rows])
def test_an_answer_in_one_form_or_another(name, answer, after):
    made = cut(name, Answers(answer), **SMALL[name])
    assert begins(made) == after


@pytest.mark.parametrize(("name", "answer", "complaint"), [(name, *row) for name, rows in UNUSABLE.items() for row in rows])
def test_an_answer_that_cannot_be_used_is_asked_again_in_the_same_conversation(name, answer, complaint):
    right = {"llm": "split_after: 5", "lumber": "Answer: ID 6"}[name]
    model = Answers(answer, right)
    made = cut(name, model, **SMALL[name])
    assert begins(made) == [5]
    assert made.notes == ()
    first, second = model.asked[:2]
    assert second[: len(first)] == first
    assert second[2:] == [
        ("assistant", answer or prompts.EMPTY_ANSWER_PLACEHOLDER),
        ("user", prompts.UNUSABLE_ANSWER_MESSAGE_TEMPLATE.format(complaint=complaint)),
    ]


@pytest.mark.parametrize("name", CUTTING)
@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply("split_after: 1\nAnswer: ID 2", 10, 2, "refused"), "the model refused to answer"),
        (Reply("", 10, 2, "refused"), "the model refused to answer"),
        (Reply("split_after: 1\nAnswer: ID 2", 10, 2, "cut"), "the answer was too long and was cut off"),
        (Reply("I cannot say.", 10, 2), "the answer must have a line that begins with"),
    ],
)
def test_a_window_without_a_usable_answer_is_a_chunk_and_its_reasons_say_why(name, reply, said):
    model = Answers(*[reply] * (MOST_ANSWER_RETRIES + 1))
    made = cut(name, model, window=32, **SMALL[name])
    assert begins(made) == [4]
    assert len(model.asked) > MOST_ANSWER_RETRIES + 1
    for gap in made.gaps[:4]:
        assert gap.reason.startswith(f"no usable answer in 3 attempts ({said}")
        assert gap.why.brief() == "no usable answer"
    assert made.gaps[3].reason.endswith("1 to 4, which ends here")
    assert made.gaps[2].reason.endswith("1 to 4, which stays whole")
    (note,) = made.notes
    assert note.startswith("The model gave no usable answer about 1 of ")


def test_a_model_that_never_answers_usably_gives_chunks_of_a_window_each():
    made = cut("llm", Answers(*["no"] * 99), window=32, piece_size=9)
    assert begins(made) == [4, 8]


@pytest.mark.parametrize("name", CUTTING)
@pytest.mark.parametrize(("text", "chunks"), [("", 0), (" \n ", 0), ("One.", 1)])
def test_a_text_in_which_nothing_can_be_cut_is_not_sent(name, text, chunks):
    model = ScriptedModel(changes)
    assert len(cut(name, model, text)) == chunks
    assert not model.asked


# What it takes, and what is there when it stops.


@pytest.mark.parametrize("name", CUTTING)
def test_what_was_asked_is_counted_and_not_asked_again(name):
    asker = asking(ScriptedModel(changes))
    first, again = (cut(name, asker, window=24, **SMALL[name]) for _ in range(2))
    count = len(asker.model.asked)
    assert count > 3
    assert first.spending == Spending(count, 0, 10 * count, 2 * count, 0, None)
    assert again.spending == Spending(remembered=count)
    assert again == first
    assert "12 requests" not in repr(again)


@pytest.mark.parametrize(("name", "window"), [("llm", 18), ("llm", 40), ("llm", 800), ("lumber", 18), ("lumber", 40)])
def test_the_estimate_is_near_what_is_sent_and_sends_nothing(name, window):
    model, text = ScriptedModel(changes), "\n\n".join([TEXT] * 5)
    chunker = build_chunker(name, {"window": window, **SMALL[name]})
    bench = tools(asking=asking(model))
    estimate = chunker.estimate(Document.from_text(text, "paragraphs"), bench)
    assert not model.asked
    cut(name, model, text, window=window, **SMALL[name])
    sent = sum(bench.count_tokens([part.text for messages in model.asked for part in messages]))
    # How often a model cuts, and so how often it is asked, nobody knows before.
    assert estimate.tokens / 4 <= sent <= estimate.tokens * 4
    assert estimate.requests >= 1


def test_stopping_ends_before_the_next_request_and_answers_that_are_there_need_none():
    asker = asking(ScriptedModel(changes))
    chunker, document = build_chunker("llm", {"window": 24, "piece_size": 9}), Document.from_text(TEXT, "paragraphs")
    with pytest.raises(Cancelled):
        chunker.chunk(document, tools(asking=asker, cancelled=lambda: len(asker.model.asked) == 2))
    assert len(asker.model.asked) == 2
    with pytest.raises(Cancelled):
        chunker.chunk(document, tools(asking=asker, cancelled=lambda: True))
    made = chunker.chunk(document, tools(asking=asker))
    assert chunker.chunk(document, tools(asking=asker, cancelled=lambda: True)) == made


def test_the_limit_stops_a_run_and_what_was_answered_is_not_asked_again():
    model, answers = ScriptedModel(changes), AnswerCache()
    cut("llm", model, window=18, piece_size=9)
    most = max(map(upper_bound_on_conversation_tokens, model.asked)) + TOKENS_BESIDE_CONTENT
    model.asked.clear()
    # Each takes 12 in the end.
    with pytest.raises(ModelError, match=rf"^openai:scripted: the spending limit is {most + 30:,} tokens; \d\d are spent"):
        cut("llm", Asking(model, answers, SpendingLimit(tokens=most + 30)), window=18, piece_size=9)
    assert len(model.asked) in (3, 4)
    cut("llm", Asking(model, answers), window=18, piece_size=9)
    questions = [tuple(messages) for messages in model.asked]
    assert len(set(questions)) == len(questions) > 4


# By name, on the command line, and without a model.


@pytest.fixture
def http(serve, monkeypatch):
    scripted = ScriptedModel(changes)
    chat_server = serve(ChatModelServer, lambda messages: scripted.words(messages[1]["content"]))
    monkeypatch.setenv("OPENAI_BASE_URL", chat_server.address)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return chat_server


@pytest.mark.parametrize("name", CUTTING)
def test_a_server_fails_between_two_windows_and_the_next_run_goes_on_there(http, name):
    asker = asking(ChatServer("openai:test"))
    http.script = [*[(429, {"Retry-After": "0.05"})] * 2, (500, {})]
    http.script += [http.right, http.right, *[(500, {})] * 4]
    with pytest.raises(ModelError, match="must work; asked up to 4 times, it failed"):
        cut(name, asker, window=24, **SMALL[name])
    before = len(http.requests)
    assert begins(cut(name, asker, window=24, **SMALL[name])) == STARTS
    asked = [json.dumps(body["messages"]) for _, _, body in http.requests]
    assert asked[before - 1] == asked[before]
    assert not {*asked[before:]} & {*asked[: before - 4]}


@pytest.mark.parametrize("name", CUTTING)
def test_on_the_command_line_and_by_its_recipe(http, name, tmp_path, capsys):
    file, recipe = tmp_path / "text.txt", tmp_path / "x.recipe.json"
    file.write_text(TEXT)
    own = ["--tokenizer", "words", "--sentences", "paragraphs"]
    named = f"{name}:window=24" + (",piece_size=9" if name == "llm" else "")
    assert main([str(file), "--chunker", named, "--language-model", "openai:test", *own]) == 0
    written = capsys.readouterr()
    told = json.loads(written.out)
    assert [piece["text"][1:].split()[0] for piece in told["chunks"]][1:] == [str(start) for start in STARTS]
    assert told["recipe"]["language_model"] == "openai:test"
    assert {"openai:test", "openai", "seamark"} <= told["recipe"]["versions"].keys()
    assert told["spending"]["tokens_in"] == 100 * len(http.requests)
    assert told["spending"]["dollars"] is None
    assert f"openai:test: {len(http.requests)} requests" in written.err
    for secret in (KEY, "127.0.0.1"):
        assert secret not in written.out + written.err
    recipe.write_text(json.dumps(told["recipe"]))
    read = Recipe.from_json(recipe.read_text())
    assert read.run(TEXT).texts == tuple(piece["text"] for piece in told["chunks"])
    assert main([str(file), "--chunker", str(recipe), "--spend", "3"]) == 0
    # All of it was answered before.
    assert json.loads(capsys.readouterr().out)["chunks"] == told["chunks"]


@pytest.mark.parametrize("ends", [(401, {}), KeyboardInterrupt])
def test_what_was_spent_is_said_however_the_command_ends(http, tmp_path, capsys, monkeypatch, ends):
    file = tmp_path / "text.txt"
    file.write_text(TEXT)
    http.script = [http.right, ends]
    if ends is KeyboardInterrupt:
        reply = ChatServer.reply

        def stopped(model, *arguments, **shape):
            if http.requests:
                raise KeyboardInterrupt
            return reply(model, *arguments, **shape)

        monkeypatch.setattr(ChatServer, "reply", stopped)
    own = ["--tokenizer", "words", "--sentences", "paragraphs"]
    status = main([str(file), "--chunker", "llm:window=24,piece_size=9", "--language-model", f"openai:{ends}", *own])
    assert status == (130 if ends is KeyboardInterrupt else 2)
    assert f": {len(http.requests)} request" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["report", "unlabelled"])
def test_several_chunkers_may_ask_the_model_of_the_command_line(http, command, tmp_path, capsys):
    file = tmp_path / "text.txt"
    file.write_text(TEXT)
    call = [command, "--chunker", "lumber:window=24", "recursive", str(file), "--sentences", "paragraphs"]
    call += ["--tokenizer", "words", "--embedder", "tfidf", *["--edits", "0"] * (command == "unlabelled")]
    assert evaluate(call) == 2
    assert capsys.readouterr().err == "lumber needs a language model; name it with --language-model, as openai:NAME.\n"
    assert evaluate([*call, "--language-model", "openai:several", "--spend", "9"]) == 2
    assert "openai:several: the spending limit is 9 tokens; 0 are spent or set aside" in capsys.readouterr().err
    assert not http.requests
    assert evaluate([*call, "--language-model", "openai:several"]) == 0
    printed = capsys.readouterr()
    assert f": openai:several: {len(http.requests)} requests" in printed.err
    assert str(len(STARTS) + 1) in printed.out


def test_the_spending_on_several_documents_is_told_once(http, tmp_path, capsys):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(TEXT)
    call = [
        "unlabelled",
        str(tmp_path),
        "--chunker",
        "lumber:window=24",
        "--sentences",
        "paragraphs",
        "--tokenizer",
        "words",
    ]
    assert evaluate([*call, "--embedder", "tfidf", "--edits", "0", "--language-model", "openai:several"]) == 0
    assert capsys.readouterr().err.count(f"openai:several: {len(http.requests)} requests") == 1


def test_what_is_missing_or_wrong_is_one_sentence(http, tmp_path, capsys):
    file = tmp_path / "text.txt"
    file.write_text(TEXT + " And more.")
    assert main([str(file), "--chunker", "llm"]) == 2
    assert "llm needs a language model; name it with --language-model, as openai:NAME." in capsys.readouterr().err
    assert main([str(file), "--chunker", "llm", "--language-model", "openai:x", "--spend", "much"]) == 2
    assert "--spend must be a whole number of tokens of at least 1; got 'much'." in capsys.readouterr().err
    assert main([str(file), "--chunker", "llm", "--language-model", "openai:x", "--spend", "9"]) == 2
    assert "openai:x: the spending limit is 9 tokens; 0 are spent or set aside" in capsys.readouterr().err
    assert not http.requests
    with pytest.raises(ModelError, match="needs a language model, named as openai:NAME, and none was given"):
        chunk(TEXT, "llm", tokenizer="words", window=24, piece_size=9)
    with pytest.raises(InputError, match="language_model must be openai:NAME or a LanguageModel; got 7"):
        chunk(TEXT, "llm", tokenizer="words", language_model=7)
    with pytest.raises(InputError, match=r"piece_size must be at most half of window \(400\); got 500"):
        chunk(TEXT, "llm", piece_size=500)


def test_a_recipe_without_a_model_is_as_it_was():
    recipe = Recipe(chunker="recursive")
    assert "language_model" not in recipe.to_json() + repr(recipe)
    assert "openai:scripted" not in Recipe.of(recipe.build(), "lines", None, "words", "plain", ScriptedModel()).to_json()


def test_importing_loads_nothing_of_a_client_or_of_prices():
    code = "import sys, chunkers; chunkers.build_chunker('llm', {}); print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    ).stdout.split()
    assert "chunkers.methods.llm" in loaded
    assert not {"openai", "httpx", "httpx2", "genai_prices"} & {*loaded}
