"""The page Answers: what it shows without a model, what it sends and when, and what stays of a run that is stopped."""

import json
import re

from chunkers.language_models import prompts
from chunkers.language_models.requests_within_spending_limit import MOST_PARALLEL_CONVERSATIONS
from tests.evaluation.answering.scripted import chat
from tests.server import KEY
from tests.support import ended
from tests.viz.app_steps import remarks, said, sent, settled
from tests.viz.controls.test_language_model import everything, labels, name_model, press
from viz.jobs.answering_plan_and_jobs import Answering
from viz.jobs.background_jobs import run_registry
from viz.state import no_model_message


def opened(app, **words):
    """Open the page on a sample with three questions, with two chunkers."""
    app.query_params.update({"embedder": "tfidf", "tokenizer": "words", "document": "stubs", "sentences": "lines"})
    app.query_params.update({"c1": "fixed_sentences", "c2": "recursive", "c2.size": "200", **words})
    app.switch_page("pages/answers.py")
    return gathered(app)


def gathered(app):
    settled(app)
    job = app.session_state.get("passage_gathering_job")
    if job is not None:
        ended(job)
    app.run()
    assert not app.exception
    return app


def run_of(app):
    """Return the run that the link leads to."""
    return run_registry().find(app.session_state["choices"]["answers"].extra["run"], Answering)


def done(app, job=None):
    """Run the page until the run, or another job that it has begun, has ended."""
    ended(job or run_of(app))
    app.run()
    assert not app.exception
    return app


def cards(app):
    return sent(app, "budget")["cards"]


def table(app, column):
    return next(frame.value for frame in app.dataframe if column in frame.value)


def asked(http, system=prompts.ANSWER_SYSTEM_PROMPT):
    return [body for _, _, body in http.requests if body["messages"][0]["content"] == system]


def test_without_a_model_it_says_what_is_missing_and_shows_what_would_be_given(app, http):
    opened(app)
    assert no_model_message("Answering needs") in said(app)
    assert "Send" not in labels(app)
    assert "3 questions, 3 of them with a reference answer" in remarks(app)[1]
    told = " ".join(part.value for part in app.markdown)
    assert all(word in told for word in ("llama.cpp", "Ollama", "vLLM", "Hosted"))
    assert prompts.FAITHFULNESS_SYSTEM_PROMPT in [block.value for block in app.code]
    shown = cards(app)
    assert [card["note"] for card in shown] == ["No answer yet."] * 2
    assert all(card["given"] and not card["values"] and not card["judgements"] for card in shown)
    assert "AQS" not in str([frame.value.columns for frame in app.dataframe])
    assert http.requests == []


def test_a_run_from_the_click_to_the_files(app, http):
    opened(app)
    name_model(app, http)
    gathered(app)
    assert http.requests == []
    (told,) = [text for text in said(app) if "Nothing is sent until you" in text]
    assert "“Answers” sends 3 questions with the chunks of 2 chunkers to " in told
    assert http.address.split("/")[2] in told
    # Six answers, three judgements of each, and one request on schemas.
    assert "tokens in 25 requests" in told
    press(app, "Send")
    done(app)
    assert len(asked(http)) == 6
    # Of equal answers, what is said once is remembered.
    made = len(http.requests)
    assert 18 <= made <= 25
    assert "Send" not in labels(app)
    assert list(table(app, "AQS")["answers"]) == ["3 of 3"] * 2
    assert "a significant difference takes at least 8 questions; there are 3." in " ".join(said(app))
    first = cards(app)[0]
    assert first["answer"].endswith("and not more.")
    assert [judgement["title"] for judgement in first["judgements"]] == ["Faithfulness", "Answer relevancy", "Correctness"]
    assert [turn["who"] for turn in first["judgements"][0]["turns"]] == ["Told to the model", "Asked", "Its words"]
    cost = table(app, "answer tokens")
    assert list(cost["answer tokens"]) == [21] * 2
    assert list(cost["cost, $"]) == ["unknown"] * 2
    # Everything is there from before: another budget takes new answers, going back takes none.
    app.selectbox(key="answers/budget").select("100").run()
    gathered(app)
    assert any("changed since: budget" in text for text in said(app))
    app.selectbox(key="answers/budget").select("fitting").run()
    gathered(app)
    assert "Send" not in labels(app)
    assert len(http.requests) == made
    # Judging again asks afresh, and says before where it goes; what was said before stays.
    told = "“Judge again” sends 2 answers and what they were given once more to 127.0.0.1"
    assert any(text.startswith(told) for text in said(app))
    press(app, "Judge again")
    done(app, app.session_state["judging"])
    assert made + 3 <= len(http.requests) <= made + 6
    assert len(asked(http)) == 6
    assert cards(app)[0]["judgements"][2]["said"][-1].startswith("Before: ")
    assert KEY not in everything(app)
    assert not any("heron" in value for value in dict(app.query_params).values())


def test_a_run_that_is_stopped_keeps_what_was_answered_and_goes_on_from_there(app, http):
    opened(app, judged="no")
    # Enough for all that are asked at once: the first four are answered, the next ones hang.
    http.script = [chat_reply, chat_reply, 30.0, 30.0, 30.0, 30.0]
    name_model(app, http)
    gathered(app)
    press(app, "Send")
    job = run_of(app)
    assert job.progress()[1].startswith("Asking test: ")
    assert "Cancel" in labels(app)
    assert "Send" not in labels(app)
    while len(job.finished) < 2:
        job.join(0.02)
    job.cancel()
    job.join(1.0)
    assert not job.running
    app.run()
    assert any(text.startswith("Stopped after 2 of 6 answers.") for text in said(app))
    assert sum(int(cell.split(" ")[0]) for cell in table(app, "answers")["answers"]) == 2
    before = len(http.requests)
    http.script = []
    press(app, "Send")
    done(app)
    assert len(http.requests) == before + 4
    assert list(table(app, "answers")["answers"]) == ["3 of 3"] * 2


def test_a_run_that_was_answered_before_sends_nothing(app, http):
    opened(app, judged="no")
    name_model(app, http)
    press(gathered(app), "Send")
    done(app)
    first, made = run_of(app), len(http.requests)
    app.session_state["choices"]["answers"].extra["run"] = ""
    gathered(app)
    assert "All of this was answered before: nothing is sent." in remarks(app)
    assert "Send" not in labels(app)
    assert run_of(app) is None
    press(app, "Run")
    done(app)
    assert run_of(app) is not first
    assert list(table(app, "answers")["answers"]) == ["3 of 3"] * 2
    assert len(http.requests) == made


def test_a_press_of_run_does_not_act_once_the_settings_that_came_with_it_have_changed(app, http):
    opened(app, judged="no")
    name_model(app, http)
    press(gathered(app), "Send")
    done(app)
    app.session_state["choices"]["answers"].extra["run"] = ""
    gathered(app)
    (button,) = [button for button in app.button if button.label == "Run"]
    budget = app.session_state["choices"]["answers"].extra["budget"]
    # A setting with which requests are left comes in the same message as the press.
    app.session_state["choices"]["answers"].extra["budget"] = "100"
    button.click().run()
    gathered(app)
    assert "Send" in labels(app)
    app.session_state["choices"]["answers"].extra["budget"] = budget
    gathered(app)
    assert "All of this was answered before: nothing is sent." in remarks(app)
    assert run_of(app) is None


def test_judging_again_is_allowed_for_the_question_on_the_page_alone(app, http):
    opened(app)
    name_model(app, http)
    press(gathered(app), "Send")
    done(app)
    made = len(http.requests)
    press(app, "Judge again")
    done(app, app.session_state["judging"])
    judged = len(http.requests)
    assert judged > made
    app.selectbox(key="answers/question").select("2").run()
    gathered(app)
    assert "Judge again" in labels(app)
    assert len(http.requests) == judged


def chat_reply(messages):
    from tests.server import words

    return words(chat(messages))


def test_the_limit_stops_the_run_and_says_so(app, http):
    opened(app)
    app.number_input(key="language_tokens").set_value(500)
    name_model(app, http)
    gathered(app)
    press(app, "Send")
    done(app)
    assert any("the spending limit is 500 tokens" in text for text in said(app))
    assert http.requests == []


def test_typed_questions_and_another_judge(app, http):
    opened(app, questions="typed")
    assert "There are no questions yet." in said(app)
    app.text_area(key="answers/typed").set_value("Who? | The ![x](y) keeper.\nWho?\n").run()
    app.text_input(key="answers/judge").set_value("judge").run()
    name_model(app, http)
    gathered(app)
    (told,) = [text for text in said(app) if "Nothing is sent until you" in text]
    assert "1 question with" in told
    assert "to the models test and judge: about" in told
    press(app, "Send")
    done(app)
    assert {body["model"] for body in asked(http)} == {"test"}
    assert {body["model"] for body in asked(http, prompts.CORRECTNESS_SYSTEM_PROMPT)} == {"judge"}
    assert app.query_params["questions"] == "typed"
    assert "keeper" not in str(dict(app.query_params))


def test_a_file_of_questions_and_one_that_is_of_no_use(app, http):
    opened(app, questions="file")
    app.file_uploader(key="answers/file").upload("q.csv", b"what\nx\n", "text/csv").run()
    assert "q.csv: the file must have a column named question; its columns are 'what'." in said(app)
    app.file_uploader(key="answers/file").upload("<b>q</b>.csv", b"question,answer\nWho?,Me.\nWhen?,\n", "text/csv").run()
    gathered(app)
    assert "2 questions, 1 of them with a reference answer." in remarks(app)
    assert sent(app, "budget")["reference"] == "Me."


def test_another_model_is_another_run(app, http):
    opened(app, judged="no")
    name_model(app, http)
    press(gathered(app), "Send")
    done(app)
    assert "Send" not in labels(app)
    app.segmented_control(key="answers/judged").set_value("yes").run()
    assert any("changed since: the judging model." in text for text in said(app))
    assert "Send" in labels(app)
    name_model(app, http, "other")
    gathered(app)
    assert any("changed since: the language model, the judging model." in text for text in said(app))


def test_words_of_a_link_that_are_none_are_named(app, http):
    opened(app, budget="7", questions="all", judged="maybe", measure="x" * 90, question="-4")
    assert len([text for text in said(app) if text.startswith("The link's ")]) == 3
    assert app.selectbox(key="answers/question").value == "1"


def test_a_judge_that_always_fails_is_seen_in_the_table_and_trivial_rows_are_there_beside(app, http):
    http.model = lambda messages: (
        "I would say so." if messages[0]["content"] == prompts.FAITHFULNESS_SYSTEM_PROMPT else chat(messages)
    )
    opened(app, beside="closed_book,no_cut")
    name_model(app, http)
    gathered(app)
    (told,) = [text for text in said(app) if "Nothing is sent until you" in text]
    assert "with the chunks of 2 chunkers and for 2 trivial rows to " in told
    # Three judgements of each answer, two of those that had no text, and one request on schemas.
    assert f"tokens in {12 + 9 * 3 + 3 * 2 + 1} requests" in told
    press(app, "Send")
    done(app)
    if "Send" in labels(app):
        # Half of the first ten replies could not be used, depending on which came first.
        press(app, "Send")
        done(app)
    rows = table(app, "AQS")
    assert list(rows["chunker"]) == ["1. Fixed sentences", "2. Recursive", "Closed book", "No cut"]
    assert list(rows["Faithfulness"]) == ["3 not judged", "3 not judged", "undefined", "3 not judged"]
    assert list(rows["AQS"]) == list(rows["Faithfulness"])
    assert cards(app)[2]["budget"] == "nothing of the text"
    assert app.query_params["beside"] in ("closed_book,no_cut", ["closed_book,no_cut"])


def test_a_judge_of_whom_nothing_is_usable_stops_the_run_once_and_no_answer_is_lost(app, http):
    """Of the first ten replies 6 or more are unusable judgements, in whatever order they come."""
    http.model = lambda messages: "I would say so."
    opened(app)
    name_model(app, http)
    gathered(app)
    press(app, "Send")
    done(app)
    stop = r"\d+ of the first 10 answers could not be used\. A larger model helps, .*press “Send” to continue\."
    assert any(re.search(stop, text) for text in said(app))
    first = {json.dumps(body) for _, _, body in http.requests}
    there = {place: answered.answer for place, answered in run_of(app).results.items()}
    assert there
    assert run_of(app).part_count - run_of(app).finished_part_count > 0
    http.requests.clear()
    gathered(app)
    press(app, "Send")
    done(app)
    assert run_of(app).finished_part_count == run_of(app).part_count
    assert {place: answered.answer for place, answered in run_of(app).results.items() if place in there} == there
    # Those that were in flight when another's answer stopped the run were not answered.
    assert len(first & {json.dumps(body) for _, _, body in http.requests}) < MOST_PARALLEL_CONVERSATIONS < len(first)
    assert list(table(app, "AQS")["Faithfulness"]) == ["3 not judged"] * 2
    assert not any("of the first 10" in text and "Send" in text for text in said(app))


def test_an_unknown_trivial_row_in_a_link_is_named(app, http):
    opened(app, beside="no_cut,<b>x</b>")
    assert any(
        text.startswith("The link's beside must be some of closed_book, no_cut, random, reference, swapped; got '<b>x</b>'")
        for text in said(app)
    )
