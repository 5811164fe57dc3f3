"""Excerpts are found again after an edit: by their words, their place, and what stood before and after."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chunkers import Document, InputError, Span
from chunkers.text import quotation_search
from chunkers.text.quotation_search import (
    MIN_ALTERED_SIMILARITY,
    Quotation,
    SearchableText,
    code_points,
    find_nearest_passage_and_distance,
    surrounding_text,
)
from evaluation.questions.corpus_ranges_and_rulers import Corpus
from evaluation.questions.question_files import Excerpt, Question, questions_to_json_lines, read_questions

TEXT = "The tide goes out. It comes back.\nThe tide goes out. It stays away.\nThe tide goes out. It comes back.\n"
TIDE = "The tide goes out."


def quoted(text, start, end):
    return Quotation(text[start:end], *surrounding_text(text, Span(start, end)), start)


@pytest.mark.parametrize("start", [0, 34, 68])
def test_a_repeated_excerpt_is_found_by_what_is_around_it(start):
    # Without the place, so that nothing else tells them apart.
    label = quoted(TEXT, start, start + len(TIDE))._replace(start=None)
    assert SearchableText(TEXT).exact_match(label) == (Span(start, start + len(TIDE)), "in place", 1.0, False)


def test_a_repeated_excerpt_without_context_is_the_nearest_to_its_place():
    for place, start in ((0, 0), (16, 0), (18, 34), (51, 34), (52, 68), (1000, 68)):
        how = "in place" if place == start else "elsewhere"
        assert SearchableText(TEXT).exact_match(Quotation(TIDE, start=place))[:2] == (Span(start, start + len(TIDE)), how)
    assert SearchableText(TEXT).exact_match(Quotation(TIDE)) == (Span(0, len(TIDE)), "in place", 1.0, True)


def test_an_excerpt_goes_with_its_surroundings_and_not_with_its_place():
    label = quoted(TEXT, 34, 34 + len(TIDE))
    edited = "Here the sea rises and falls.  " + TEXT
    # At 34 there is another one, within a few characters.
    assert SearchableText(edited).exact_match(label)[:2] == (Span(65, 65 + len(TIDE)), "elsewhere")
    # Only the surroundings on one side are left.
    half = edited.replace("It stays away", "It is gone")
    assert SearchableText(half).exact_match(label)[0].start == 65


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("say “so far” – it’s the ﬁrst", '"so far" - it\'s the first'),
        ('say "so far" - it\'s the first', "“so far”—it’s the ﬁrst"),
        ('say "so\n  far" -\tit\'s the\u00a0first', '"so far" - it\'s the first'),
        ('say "so far" - it\'s the fi\u00adrst', '"so far" - it\'s the first'),
        ('say "so far" - it\'s the cafe\u0301', '"so far" - it\'s the café'),
    ],
)
def test_what_is_typeset_otherwise_is_the_same(text, written):
    assert SearchableText(text).exact_match(Quotation(written)) is None
    match = SearchableText(text).typographic_match(Quotation(written))
    assert (match.span, match.kind) == (Span(4, len(text)), "typography")


def test_small_changes_are_found_up_to_the_threshold_and_no_further():
    excerpt = "abcdefghijklmnopqrst"
    text = "1 {} 2"
    inserted, other, shorter = "abcdefghij-klmnopqrst", "abXXXXghijklmnopqrst", "abcdefghijklpqrst"
    for changed, alike in ((inserted, 0.95), (other, 0.8), (shorter, 0.85)):
        match = SearchableText(text.format(changed)).altered_match(Quotation(excerpt))
        assert (match.span, match.kind) == (Span(2, 2 + len(changed)), "altered")
        assert match.similarity == pytest.approx(alike)
    further = text.format("abXXXXXhijklmnopqrst")
    assert SearchableText(further).altered_match(Quotation(excerpt)) is None
    assert SearchableText(further).altered_match(Quotation(excerpt), 0.75) is not None


def test_what_took_the_place_of_an_end_belongs_to_the_passage():
    match = SearchableText("It opened in 1961.").altered_match(Quotation("opened in 1960"))
    assert match.span == Span(3, 17)


def test_short_excerpts_are_not_found_with_changes():
    assert SearchableText("In 1961 it was so.").altered_match(Quotation("In 1962 it was")) is None
    assert (
        SearchableText("In 1961 it was so, they say.").altered_match(Quotation("In 1962 it was so, they say.")) is not None
    )


def distance(one, other):
    """Return the edit distance of two texts, by its definition."""
    row = list(range(len(other) + 1))
    for number, sign in enumerate(one, start=1):
        before, row = row, [number]
        for place, against in enumerate(other, start=1):
            row.append(min(before[place - 1] + (sign != against), before[place] + 1, row[-1] + 1))
    return row[-1]


few = st.text("ab c", max_size=12)


@given(few.filter(bool), few, st.integers(0, 12), st.integers(0, 12))
@example("aab", "aab aab", 1, 4)
def test_the_nearest_passage_is_that_of_all_passages(pattern, text, most, place):
    """Compared with every passage, each with its edit distance."""
    every = {
        (start, end): distance(pattern, text[start:end])
        for start in range(len(text) + 1)
        for end in range(max(start, 1), len(text) + 1)
    }
    edits, start, end, _ = find_nearest_passage_and_distance(code_points(pattern), code_points(text), most, place, 1 << 40)
    best = min(every.values(), default=most + 1)
    if best > most:
        assert edits == -1
    else:
        assert (edits, every[start, end]) == (best, best)


def test_a_search_that_would_take_too_long_is_not_made(monkeypatch):
    assert find_nearest_passage_and_distance(code_points("abcdef"), code_points("x" * 1000), 2, 0, 2000)[0] == -2
    monkeypatch.setattr(quotation_search.ComparisonBudget, "remaining", 10)
    monkeypatch.setattr(quotation_search.ComparisonBudget.__init__, "__defaults__", (10,))
    read = read_back(b'{"question": "a?", "excerpts": ["The tide goes in? It comes back."]}', TEXT)
    assert "It was not compared with all passages, as too many excerpts of this file are not found." in read.problems[0]


def corpus(*texts):
    return Corpus(tuple(Document.from_text(text, "lines", f"{number}.txt") for number, text in enumerate(texts)))


def read_back(data, *texts):
    return read_questions(data, "labels.jsonl", corpus(*texts))


def test_what_is_not_as_it_was_is_told_and_what_is_lost_has_its_nearest_passage():
    excerpts = [TIDE, "It comes back.\nThe tide goes", "It stays away."]
    spans = [Span(TEXT.index(excerpt), TEXT.index(excerpt) + len(excerpt)) for excerpt in excerpts]
    asked = [Question(f"{number}?", (Excerpt(0, span),)) for number, span in enumerate(spans)]
    data = questions_to_json_lines(asked, corpus(TEXT))
    edited = "# Tides\n" + TEXT.replace("It comes back.\nThe tide goes", "It came back; the tide goes").replace(
        "It stays away.", "It stays for a day."
    )
    read = read_back(data, edited)
    assert [question.text for question in read.usable] == ["0?", "1?"]
    assert read.changes == (
        "labels.jsonl, line 1: the excerpt 'The tide goes out.' stands in 0.txt word for word, but at 8 and not at 0.",
        "labels.jsonl, line 2: the excerpt 'It comes back.\\nThe tide goes' stands in 0.txt at 27 altered, 82 % alike: "
        "'It came back; the tide goes'.",
    )
    (problem,) = read.problems
    assert "no excerpt of '2?' could be located" in problem
    assert " The nearest passage is 'It stays for a day.' at 60, 66 % alike." in problem


texts = st.lists(
    st.sampled_from(["The tide.", "It's out.", "It is back.", "“No.”", "\n", "a", "—"]), min_size=4, max_size=30
)


@pytest.mark.slow
@given(texts, st.data())
def test_labels_read_back_are_the_labels(pieces, data):
    one, other = "A " + " ".join(pieces), "".join(reversed(pieces)) + "."
    whole = corpus(one, other)
    questions = []
    for number in range(3):
        document = data.draw(st.integers(0, 1))
        text = whole.documents[document].text
        starts = [place for place, sign in enumerate(text) if not sign.isspace()]
        start = data.draw(st.sampled_from(starts))
        end = data.draw(st.integers(start + 1, len(text)))
        excerpt = Excerpt(document, Span(start, start + len(text[start:end].rstrip())))
        questions.append(Question(f"{number}?", (excerpt,)))
    written = questions_to_json_lines(questions, whole)
    read = read_questions(written, "labels.jsonl", whole)
    assert not read.problems
    assert not read.changes
    assert list(read.usable) == questions
    assert questions_to_json_lines(read.usable, whole) == written


PROSE = (
    "Blackcaps leave Germany in autumn. Most fly to the south-west, and some fly to Ireland. Inheritance can shift within a "
    "human lifetime. The first journey is a direction and a number of days. Gardens feed those that stay."
)


def edit(text, data, start, end):
    """Return the text with a few edits between ``start`` and ``end``."""
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(start, max(start, end)))
        until = min(end, at + data.draw(st.integers(0, 12)))
        put = data.draw(st.sampled_from(["", "x", " new words ", "\n\n", "Most fly", "é", PROSE[20:60]]))
        text = text[:at] + put + text[until:]
        end += len(put) - (until - at)
    return text


@pytest.mark.slow
@given(st.integers(0, len(PROSE) - 20), st.integers(15, 80), st.data())
def test_edits_outside_an_excerpt_never_lose_it(start, length, data):
    start += PROSE[start] == " "
    excerpt = PROSE[start : start + length].rstrip()
    end = start + len(excerpt)
    label = questions_to_json_lines([Question("a?", (Excerpt(0, Span(start, end)),))], corpus(PROSE))
    after = edit(PROSE[end:], data, 0, len(PROSE) - end)
    before = edit(PROSE[:start], data, 0, start)
    read = read_back(label, before + excerpt + after)
    assert not read.problems
    ((_, span),) = read.usable[0].excerpts
    passage = (before + excerpt + after)[slice(*span)]
    assert passage == excerpt
    # Told unless it stands where it stood.
    assert bool(read.changes) == (span.start != start)


@pytest.mark.slow
@given(st.integers(0, 60), st.integers(40, 100), st.data())
def test_edits_inside_an_excerpt_leave_it_found_or_told(start, length, data):
    start += PROSE[start] == " "
    excerpt = PROSE[start : start + length].rstrip()
    end = start + len(excerpt)
    label = questions_to_json_lines([Question("a?", (Excerpt(0, Span(start, end)),))], corpus(PROSE))
    changed = edit(excerpt, data, 0, len(excerpt))
    edited = PROSE[:start] + changed + PROSE[end:]
    read = read_back(label, edited)
    assert len(read.usable) + len(read.problems) == 1
    if read.usable:
        # In several places, if something else was put between two parts that are long enough to be found.
        found = [(edited[slice(*span)], span.start) for _, span in read.usable[0].excerpts]
        assert bool(read.changes) == (found != [(excerpt, start)])
    # What changed by no more than the threshold allows is found.
    few = distance(
        quotation_search.drop_spaces_and_simplify_signs(excerpt), quotation_search.drop_spaces_and_simplify_signs(changed)
    ) <= (1 - MIN_ALTERED_SIMILARITY) * len(quotation_search.drop_spaces_and_simplify_signs(excerpt))
    assert read.usable or not few


def test_a_context_that_is_no_text_is_refused():
    read = read_back(b'{"question": "a?", "references": [{"content": "The tide", "prefix": 3}]}', TEXT)
    assert "the prefix of an excerpt must be a string; got 3." in read.problems[0]


def test_a_name_in_a_reference_goes_before_that_of_its_row():
    row = b'{"question": "a?", "corpus_id": "0", "references": [{"content": "The tide", "corpus_id": "1.txt"}, "It comes"]}'
    excerpts = read_back(row, TEXT, TEXT).usable[0].excerpts
    assert [excerpt.document for excerpt in excerpts] == [1, 0]
    with pytest.raises(InputError, match=r"corpus_id must be one of 0.txt; got '7'"):
        read_back(
            b'{"question": "a?", "references": [{"content": "The tide", "corpus_id": "7"}]}', TEXT
        ).get_usable_questions_or_raise("x")
