"""Questions are asked about windows, with excerpts that stand there; what cannot be used is asked again, then dropped."""

import threading
import time
from itertools import combinations, islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import Cancelled, InputError, ModelError, Span, load_tokenizer
from chunkers.language_models.answer_schemas_and_parsers import MOST_ENUM_VALUES, MOST_EXCERPTS
from chunkers.language_models.asking_until_usable import MOST_ANSWER_RETRIES
from chunkers.language_models.base import Reply
from chunkers.language_models.prompts import (
    EXAMPLE_QUESTION,
    NO_EARLIER_QUESTIONS_PLACEHOLDER,
    QUESTION_WRITING_SYSTEM_PROMPT,
)
from chunkers.language_models.requests_within_spending_limit import MOST_PARALLEL_CONVERSATIONS
from evaluation.generating.question_generation import (
    GUESSED_ANSWER_TOKENS,
    MOST_EARLIER_QUESTIONS,
    Dropped,
    Generated,
    GenerationSettings,
    Window,
    estimate_generation_requests_and_tokens,
    generate_and_pass_on_questions,
    random_windows,
)
from tests.evaluation.generating.questioner import Questioner, answer, number_of, passage_of
from tests.support import LIMIT, asking

TEXT = "The lamp burns oil. A keeper trims the wick at dusk, and the bell rings in fog. Gulls nest below the gallery."


def outcomes(model, count=1, texts=(TEXT,), **settings):
    made = []
    generate_and_pass_on_questions(texts, GenerationSettings(count, **settings), asking(model).ask, made.append)
    return made


def test_excerpts_stand_in_their_document_and_the_model_sees_what_was_asked_before():
    model = Questioner(answer("When  is the\nwick\ttrimmed?", "the bell rings in fog", " at dusk ", "at dusk"))
    first, second = outcomes(model, 2)
    assert first.question == "When is the wick trimmed?"
    # In the order of the text, and none twice.
    assert [TEXT[start:end] for start, end in first.excerpts] == ["at dusk", "the bell rings in fog"]
    assert first.repaired == 0
    assert second.question == "Question 2?"
    assert model.asked[0][0].text == QUESTION_WRITING_SYSTEM_PROMPT
    assert model.asked[0][3].text == f"{NO_EARLIER_QUESTIONS_PLACEHOLDER}\n\nPassage 1:\n\n{TEXT}\n\nAsk about this passage."
    assert model.asked[1][3].text.startswith("These were asked before:\n- When is the wick trimmed?\n\nPassage 2:")


def test_an_excerpt_with_small_changes_is_taken_as_the_document_has_it_and_counted():
    quoted = answer("Who?", "A keeper trims the wicks at dusk", "the bell  rings in fog")
    (made,) = outcomes(Questioner(quoted))
    assert [TEXT[start:end] for start, end in made.excerpts] == ["A keeper trims the wick at dusk", "the bell rings in fog"]
    assert made.repaired == 2


def test_a_schema_allows_only_sentences_of_the_window_as_excerpts():
    schemas = []

    def ask(messages, stopped, answer_kind):
        schemas.append(answer_kind.schema)
        return Reply(GOOD)

    generate_and_pass_on_questions((TEXT,), GenerationSettings(), ask, print)
    sentences = ["The lamp burns oil.", "A keeper trims the wick at dusk, and the bell rings in fog."]
    sentences += ["Gulls nest below the gallery."]
    assert schemas[0]["properties"]["excerpts"]["items"] == {"type": "string", "enum": sentences}
    # Words without an end are one sentence, and a window of thousands of lines has too many to list.
    long = "\n\n".join(f"Line {number}." for number in range(MOST_ENUM_VALUES + 1))
    generate_and_pass_on_questions((long,), GenerationSettings(1, window=20_000), ask, print)
    assert "enum" not in schemas[-1]["properties"]["excerpts"]["items"]


def test_a_schema_allows_sentences_of_earlier_questions_only_if_there_are_no_others():
    allowed = []

    def ask(messages, stopped, answer_kind):
        allowed.append(answer_kind.schema["properties"]["excerpts"]["items"]["enum"])
        return Reply(answer(f"Question {len(allowed)}?", allowed[-1][0]))

    text = " ".join(
        f"The lamp of {place} burns oil{', and a keeper trims its wick' * 3}." for place in ("Ar", "Brig", "Ceil")
    )
    generate_and_pass_on_questions((text,), GenerationSettings(5), ask, print)
    sentences = allowed[0]
    assert len(sentences) == 3
    assert allowed == [sentences, sentences[1:], sentences[2:], sentences, sentences]


GOOD = answer("What burns?", "The lamp burns oil.")


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (answer("What?", "The moon is made of cheese."), "excerpt 1, 'The moon is made of cheese.', is not in it"),
        (answer("What?", "The lamp burns oil.", "x" * 100_000), "excerpt 2"),
        (answer("What?", "The lamp burns oil.", " "), "excerpt 2 is empty"),
        (answer("What?"), "the question must have 1 to 5 excerpts; it has 0"),
        (answer("What?", *["oil"] * 6), "the question must have 1 to 5 excerpts; it has 6"),
        (answer(" \u0000\n? ", "oil"), "the question must have at least one word"),
        (answer("a" * 3_000, "oil"), "the question may have at most 2,000 characters; it has 3,000"),
        ('{"question": "\\ud800?", "excerpts": ["oil"]}', "half of a surrogate pair"),
        ('{"question": "What?", "excerpts": "oil"}', "excerpts: "),
        ('{"question": "What?", "excerpts": ["oil"', "its JSON is broken"),
        ("I would rather not.", "the answer must contain a JSON object; it has none"),
        (Reply("", ended="refused"), "the model refused to answer"),
        (Reply(GOOD, ended="cut"), "the answer was too long and was cut off"),
    ],
)
def test_an_answer_that_cannot_be_used_is_asked_again_with_the_reason_then_dropped(bad, why):
    model = Questioner(bad, GOOD)
    (made,) = outcomes(model)
    assert made.question == "What burns?"
    assert why in model.asked[1][-1].text
    dropped, kept = outcomes(Questioner(*[bad] * (MOST_ANSWER_RETRIES + 1)), 2)
    assert isinstance(dropped, Dropped)
    assert why in dropped.why
    # What was dropped is not shown as asked, and the next window has its turn.
    assert kept.question == "Question 2?"


def test_a_question_that_was_asked_before_is_asked_again_about_other_sentences_in_a_new_conversation():
    again = [answer("WHAT  burns?", "the bell rings in fog"), answer("What burns?", "Gulls")]
    model = Questioner(GOOD, *again, answer("What nests?", "Gulls"))
    first, second = outcomes(model, 2)
    assert [first.question, second.question] == ["What burns?", "What nests?"]
    shown = [passage_of(messages).strip() for messages in model.asked]
    sentences = ["The lamp burns oil.", "A keeper trims the wick at dusk, and the bell rings in fog."]
    sentences += ["Gulls nest below the gallery."]
    assert shown == [" ".join(sentences[at:]) for at in (0, 1, 2, 2)]
    assert not any("burns?" in message.text for messages in model.asked[:3] for message in messages)
    # Where no sentence is left, the model is told what is wrong.
    assert "the question must be a new one" in model.asked[3][-1].text


def test_the_same_settings_ask_the_same_so_that_a_second_run_sends_nothing():
    model = Questioner()
    again = asking(model)
    runs = []
    for _ in range(2):
        made = []
        generate_and_pass_on_questions((TEXT, "Another text."), GenerationSettings(5, 3), again.ask, made.append)
        runs.append(made)
    assert runs[0] == runs[1]
    assert len(model.asked) == again.spent.requests == 5
    assert again.spent.remembered == 5


def test_what_was_asked_before_the_user_stopped_is_kept():
    made, stop = [], []

    def done(outcome):
        made.append(outcome)
        if len(made) == 3:
            stop.append(True)

    with pytest.raises(Cancelled):
        generate_and_pass_on_questions((TEXT,), GenerationSettings(10), asking(Questioner()).ask, done, lambda: bool(stop))
    assert [generated.question for generated in made] == ["Question 1?", "Question 2?", "Question 3?"]


def test_only_the_nearest_questions_about_the_same_document_are_shown():
    model = Questioner()
    outcomes(
        model, MOST_EARLIER_QUESTIONS + 12, texts=(TEXT, "Quite another document, of some length as well, about pears.")
    )
    last = max(model.asked, key=lambda messages: number_of(messages[3].text))
    model.asked.remove(last)
    shown = last[3].text.partition("These were asked before:\n")[2].partition("\n\n")[0].splitlines()
    own = [
        f"- Question {number_of(messages[3].text)}?" for messages in model.asked if passage_of(messages) == passage_of(last)
    ]
    assert 1 <= len(shown) == min(len(own), MOST_EARLIER_QUESTIONS)
    assert set(shown) <= set(own)


@given(
    texts=st.lists(st.text(st.sampled_from("ab \n"), max_size=900), min_size=1, max_size=4),
    size=st.integers(200, 400),
    seed=st.integers(0, 99),
)
def test_windows_lie_in_their_documents_and_are_of_whole_words(texts, size, seed):
    if not any(text.strip() for text in texts):
        with pytest.raises(InputError, match="at least one document with text"):
            random_windows(texts, size, seed)
        return
    some = [*islice(random_windows(texts, size, seed), 4)]
    assert some == [*islice(random_windows(texts, size, seed), 4)]
    for document, (start, end) in some:
        text = texts[document]
        assert 0 <= start < end <= len(text)
        assert end - start <= size
        assert text[start:end].strip()
        if len(text) <= size:
            assert (start, end) == (0, len(text))


def test_a_window_does_not_begin_or_end_inside_a_word():
    text = "lantern " * 500
    for _, (start, end) in islice(random_windows([text], 300, 1), 20):
        assert text[start:end].strip().replace("lantern", "").strip() == ""
        assert 280 <= end - start <= 300


@pytest.mark.slow
def test_every_place_of_every_document_may_be_asked_about():
    texts = ["a" * 1_000, "b" * 3_000]
    some = [*islice(random_windows(texts, 200, 0), 400)]
    assert 60 <= sum(1 for window in some if window.document == 0) <= 140
    starts = [window.span.start for window in some if window.document == 1]
    assert min(starts) < 100 < 2_700 < max(starts)


def test_an_estimate_counts_what_is_sent():
    model, tokenizer = Questioner(), load_tokenizer("words")
    about = estimate_generation_requests_and_tokens((TEXT,), GenerationSettings(1), tokenizer)
    outcomes(model)
    assert about == (1, sum(tokenizer.count([part.text for part in model.asked[0]])), GUESSED_ANSWER_TOKENS)
    many = estimate_generation_requests_and_tokens((TEXT,), GenerationSettings(100), tokenizer)
    assert many.requests == 100
    assert many.tokens > 100 * about.tokens


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"count": 0}, "The number of questions to generate must be from 1 to 500; got 0."),
        ({"count": 501}, "The number of questions to generate must be from 1 to 500; got 501."),
        ({"window": 100}, "The number of characters in a window must be from 200 to 20,000; got 100."),
    ],
)
def test_settings_out_of_range_are_refused(given, said):
    with pytest.raises(InputError) as error:
        GenerationSettings(**given)
    assert str(error.value) == said


def test_the_prompt_says_how_many_excerpts_there_may_be():
    assert MOST_EXCERPTS == 5
    assert "up to five" in QUESTION_WRITING_SYSTEM_PROMPT


def test_a_window_in_the_middle_gives_places_in_the_document():
    text = "word " * 400 + "The needle lies here. " + "more " * 400
    made = outcomes(Questioner(), 6, texts=(text,), window=300, seed=2)
    for generated in made:
        (span,) = generated.excerpts
        assert isinstance(span, Span)
        assert generated.window.span.start <= span.start < span.end <= generated.window.span.end


LONG_TEXT = " ".join(f"word{number}" for number in range(4_000))
"""Long enough for many windows of 200 characters that do not overlap."""


class Delayed(Questioner):
    """Answers what depends on the conversation alone, after a while that depends on a seed; some answers are of no use."""

    def __init__(self, seed, longest=0.02):
        super().__init__()
        self.random, self.longest = Random(seed), longest
        self.under_way, self.most, self.clashes = [], 0, 0
        self.lock = threading.Lock()

    def answer(self, messages):
        passage = set(passage_of(messages).split())
        with self.lock:
            wait = self.random.random() * self.longest
            self.clashes += any(passage & other for other in self.under_way)
            self.under_way.append(passage)
            self.most = max(self.most, len(self.under_way))
        time.sleep(wait)
        with self.lock:
            self.under_way.remove(passage)
        number = number_of(messages[3].text)
        if number % 7 == 0:
            return Reply("I cannot.", 10, 2)
        if number % 3 and len(messages) == 4:
            # Asked by several, the nearest of which are under way at the same time.
            return Reply(answer(f"Question {number // 3}?", passage_of(messages).split()[0]), 10, 2)
        return super().answer(messages)


@pytest.mark.slow
def test_what_is_asked_and_what_comes_of_it_do_not_depend_on_the_order_of_the_answers():
    runs = []
    for seed in range(6):
        model = Delayed(seed)
        runs.append((outcomes(model, 40, texts=(LONG_TEXT, TEXT), window=200), sorted(model.asked)))
        assert model.most <= MOST_PARALLEL_CONVERSATIONS
        assert model.clashes == 0
    made, conversations = runs[0]
    assert all(run == runs[0] for run in runs)
    questions = [outcome.question for outcome in made if isinstance(outcome, Generated)]
    assert len(questions) == len(set(questions)) == 35
    assert sum(1 for messages in conversations if "the question must be a new one" in messages[-1].text) > 10
    assert [outcome.window for outcome in made] == [*islice(random_windows((LONG_TEXT, TEXT), 200, 0), 40)]


@pytest.mark.slow
def test_a_question_is_shown_those_that_quote_its_window_and_no_others():
    model = Delayed(0)
    made = outcomes(model, 40, texts=(LONG_TEXT[:4_000],), window=200)
    for number, outcome in enumerate(made):
        (first,) = [
            messages[3].text for messages in model.asked if len(messages) == 4 and number_of(messages[3].text) == number + 1
        ]
        shown = first.partition("These were asked before:\n")[2].partition("\n\n")[0].splitlines()
        others = [other for other in made[:number] if isinstance(other, Generated)]
        quoting = [other for other in others if Window(0, other.excerpts[0]).overlaps(outcome.window)]
        assert shown == [f"- {other.question}" for other in quoting]
    assert sum("These were asked before" in messages[3].text for messages in model.asked) > 10


def test_windows_overlap_only_where_there_is_no_room():
    some = [*islice(random_windows((LONG_TEXT,), 200, 0), 40)]
    assert not any(window.overlaps(other) for window, other in combinations(some, 2))
    few = [*islice(random_windows((LONG_TEXT[:2_000],), 200, 0), 12)]
    assert any(window.overlaps(other) for window, other in combinations(few, 2))
    # Where there is no room, windows overlap as little as they can; 12 at random places would cover some 72 %.
    assert len({at for window in few for at in range(*window.span)}) > 0.9 * 2_000


def test_an_example_that_is_copied_is_asked_again_and_other_sentences_are_allowed():
    kinds = []

    def ask(messages, stopped, answer_kind):
        kinds.append(answer_kind)
        return Reply(answer(EXAMPLE_QUESTION if len(kinds) == 1 else "What burns?", "The lamp burns oil."))

    made = []
    generate_and_pass_on_questions((TEXT,), GenerationSettings(1), ask, made.append)
    assert [generated.question for generated in made] == ["What burns?"]
    first, second = (kind.choices["excerpts"] for kind in kinds)
    assert [*second] == [*first[1:]]


def test_questions_that_were_answered_are_kept_where_one_before_them_is_not():
    model, made = Delayed(0, 0), []
    answered = threading.Semaphore(0)

    def ask(messages, stopped, answer_kind):
        number = number_of(messages[3].text)
        if number == 3:
            # The other three that are asked for at the same time come first.
            for _ in range(3):
                answered.acquire(timeout=LIMIT)
            raise ModelError("The server is gone.")
        reply = model.answer(messages)
        if number > 3:
            answered.release()
        return reply

    with pytest.raises(ModelError, match="The server is gone"):
        generate_and_pass_on_questions((LONG_TEXT,), GenerationSettings(40, 2, 200), ask, made.append)
    chosen = [*islice(random_windows((LONG_TEXT,), 200, 2), 6)]
    assert [chosen.index(generated.window) for generated in made] == [0, 1, 3, 4, 5]
    assert len({generated.question for generated in made}) == 5


def test_the_user_who_stops_waits_for_nobody():
    stop, under_way = threading.Event(), threading.Semaphore(0)

    def ask(messages, stopped, answer_kind):
        under_way.release()
        deadline = time.monotonic() + LIMIT
        while not stopped() and time.monotonic() < deadline:
            time.sleep(0.01)
        raise Cancelled

    def press():
        for _ in range(MOST_PARALLEL_CONVERSATIONS):
            under_way.acquire(timeout=LIMIT)
        stop.began = time.monotonic()
        stop.set()

    threading.Thread(target=press).start()
    with pytest.raises(Cancelled):
        generate_and_pass_on_questions((LONG_TEXT,), GenerationSettings(40, 2, 200), ask, print, stop.is_set)
    assert time.monotonic() - stop.began < LIMIT / 2
