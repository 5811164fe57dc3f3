"""Windows over odd texts: a model that answers consistently gives the chunks of one large window, wherever they meet."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunkers import Document, build_chunker
from chunkers import run_chunker as run_chunker
from chunkers.text.file_reading import decode_text
from tests.support import ScriptedModel, asking, tools

SIGNS = ("abc", "אבג", "😀😃😄", "漢字假", "éüñ")
"""Signs of a subject each: of one, two, three and four bytes, and from right to left."""

SUBJECT = {sign: (kind, number) for kind, signs in enumerate(SIGNS) for number, sign in enumerate(signs)}
BREAKS = ("\n\n", "\r\n\r\n", "\n \n", "\n\n\n\n", "\r\n\r\n\r\n", "\n\t\n")
WINDOWS = {"llm": {"piece_size": 5}, "lumber": {}, "propositions": {"batch": 3}}


class Knowing(ScriptedModel):
    """Divides where the subject changes, states every sentence word for word, and sorts by subject."""

    def __init__(self):
        super().__init__(lambda before, after: subject(reversed(before)) != subject(after))

    def stated(self, sentences):
        return json.dumps(
            {"propositions": [{"text": sentence, "sentence": at, "quotation": sentence} for at, sentence in sentences]}
        )

    def subject(self, text):
        return str(subject(text))


def subject(text):
    return next((SUBJECT[sign] for sign in text if sign in SUBJECT), None)


@st.composite
def paragraphs(draw):
    """Return a paragraph of sentences about one subject; some have 300 words."""
    sign = draw(st.sampled_from([*SUBJECT]))
    sentences = [
        draw(st.sampled_from([" ", "", "  "])).join([sign * (1 + place % 3) for place in range(count)])
        for count in draw(st.lists(st.sampled_from([1, 3, 12, 40, 300]), min_size=1, max_size=3))
    ]
    return draw(st.sampled_from([" ", "\n", "\r\n"])).join(sentences) + draw(st.sampled_from(BREAKS))


LONG = "a " * 300


@pytest.mark.slow
@pytest.mark.parametrize("name", WINDOWS)
@settings(max_examples=15, deadline=None)
@given(
    text=st.lists(paragraphs(), min_size=2, max_size=8).map("".join),
    window=st.sampled_from([10, 13, 37, 100]),
    before=st.sampled_from(["", "\n\n", "\ufeff"]),
)
@example(text=f"{LONG}\r\n\r\n😀 😀.\n\n{LONG}", window=10, before="")
def test_windows_meet_anywhere_and_the_chunks_are_those_of_one(name, text, window, before):
    small, large = (
        run_chunker(
            build_chunker(name, {**WINDOWS[name], "window": most}),
            Document.from_text(before + text, "lines"),
            tools(asking=asking(Knowing())),
        )
        for most in (window, 1_000_000)
    )
    assert small.texts == large.texts
    assert [chunk.spans for chunk in small] == [chunk.spans for chunk in large]
    assert not small.notes
    # No visible character is lost.
    assert {*"".join(text.split())} <= {*"".join(small.texts)}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_the_places_of_propositions_are_exact_whatever_the_file(encoding):
    original = "😀 Ada wrote.\r\nשלום עדה.\n👩‍👩‍👧 e\u0301t 漢字。\n\nZ\u0335 ends 𝄞."
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    text = decode_text((mark + original).encode(encoding), "a.txt").text
    made = run_chunker(
        build_chunker("propositions", {"window": 10}), Document.from_text(text, "lines"), tools(asking=asking(Knowing()))
    )
    propositions = [proposition for chunk in made for proposition in chunk.stated.propositions]
    assert [text[slice(*claim.span)] for claim in sorted(propositions, key=lambda proposition: proposition.span)] == [
        line.strip() for line in original.splitlines() if line.strip()
    ]
    assert all(proposition.tied == "word for word" for proposition in propositions)
