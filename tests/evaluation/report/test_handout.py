"""A lecture on paper: its text is only text, its exercises are uncut, and the answers are those of the runs."""

import re

from chunkers import Document, Tools, build_chunker, load_tokenizer, run_chunker
from evaluation.report.lecture_handouts_and_pictures import MOST_EXERCISE_SENTENCES, SceneSheet, handout_html

TEXT = "One <script>alert(1)</script>.\nTwo & two.\nThree.\nFour."


def sheet(title="A scene", words=None, text=TEXT, known=(31,), **parameters):
    document = Document.from_text(text, "lines", name="<b>mine</b>").split()
    chunker = build_chunker("fixed_sentences", {"size": 3, **parameters})
    return SceneSheet(
        title,
        words or {"see": "<img src=x>"},
        document,
        known,
        [run_chunker(chunker, document, Tools(None, load_tokenizer("words")))],
    )


def test_words_and_texts_are_only_text():
    made = handout_html("<i>Lecture</i>", "About", [sheet("<u>Scene</u>")])
    assert not re.search(r"<(script|img|b|u|i)[ >]", made)
    assert "&lt;script&gt;alert(1)" in made
    assert "default-src 'none'" in made


def test_the_answers_are_at_the_end_and_those_of_the_run():
    made = handout_html("Lecture", "", [sheet(), sheet(size=2)])
    scenes, _, rest = made.partition('<section class="exercises">')
    exercises, _, answers = rest.partition('<section class="answers">')
    assert scenes.count('class="scene"') == 2
    assert exercises.count("<li>") == 4, "a text is an exercise once"
    assert "before" not in exercises.replace("before each sentence", "")
    known = TEXT.index("Two")
    assert known == 31
    assert re.findall(r"<dd>(.*?)</dd>", answers) == ["before 2", "before 4", "before 3"]


def test_cuts_within_a_sentence_are_named_and_long_texts_are_no_exercise():
    document = Document.from_text(TEXT, "lines").split()
    cut = run_chunker(build_chunker("fixed_characters", {"size": 10}), document, Tools(None, load_tokenizer("words")))
    assert "in 1, in 1" in handout_html("Lecture", "", [SceneSheet("Scene", {}, document, None, [cut])])
    assert "Where would you cut?" not in handout_html(
        "Lecture", "", [sheet(text="Line.\n" * (MOST_EXERCISE_SENTENCES + 1), known=None)]
    )


def test_a_scene_without_chunks_has_its_words():
    made = handout_html("Lecture", "", [SceneSheet("Only words", {"explain": "Said."})])
    assert "Said." in made
    assert "Answers" not in made
