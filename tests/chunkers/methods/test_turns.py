"""Turns of transcripts: two programs write files with the faults that such files have; no turn that fits is cut."""

import random
from itertools import groupby

import pytest

from chunkers import Document, build_chunker, chunk, load_tokenizer
from chunkers.contract.base import run_and_time_chunker
from chunkers.text.file_reading import READABLE_ENDINGS, read_document_text
from chunkers.text.transcripts import Transcript
from tests.support import tools

WORDS = [
    "the",
    "river",
    "bank",
    "opens",
    "when",
    "light",
    "comes",
    "over",
    "Paris",
    "and",
    "Dr.",
    "Lee",
    "no",
    "12",
    "times",
]
SPEAKERS = ["ANNA", "Ben", "Dr. Mia Wong", "Speaker 2", "Zoë", "SPEAKER_03", "Q", "O’Neil"]
KINDS = ("lines", "srt", "vtt")


def sentence(chance, most=12):
    words = [chance.choice(WORDS) for _ in range(chance.randint(2, most))]
    return " ".join(words).capitalize() + chance.choice([".", ".", "?", "!", "…"])


class Plain:
    """A program that writes one string after another and notes where each turn begins."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.text = "\ufeff" * (seed % 3 == 0)
        self.turns = []
        self.end = "\r\n" if seed % 2 else "\n"

    def speech(self):
        return " ".join(sentence(self.chance) for _ in range(self.chance.choice([1, 1, 2, 3, 30])))

    def line(self, line=""):
        self.text += line + self.end

    def begin(self, speaker):
        self.turns.append((len(self.text), speaker))

    def lines(self):
        chance = self.chance
        style = chance.choice(
            ["{name}: ", "[{time}] {name}: ", "{name} ({time}): ", "**{name}:** ", "{time} {name}: ", ">> {name}: "]
        )
        if chance.random() < 0.5:
            self.begin("")
            self.line("A recording of the meeting.")
            self.line()
        for number in range(chance.randint(4, 9)):
            if number and chance.random() < 0.2:
                self.begin("")
                self.line(f"[00:{number:02}:00] {self.speech()}")
                continue
            name = chance.choice(SPEAKERS)
            self.begin(name)
            self.line(style.format(name=name, time=f"00:{number:02}:07") + self.speech())
            if chance.random() < 0.3:
                # A line without a speaker goes on with the turn.
                self.line(self.speech())
            if chance.random() < 0.5:
                self.line()

    def cues(self, clock, index, voiced):
        chance = self.chance
        before, seconds, ended = None, 0, True
        for number in range(1, chance.randint(6, 14)):
            start = max(0, seconds - chance.choice([0, 0, 3]))  # some overlap
            seconds = start + chance.randint(1, 5)
            name = chance.choice(SPEAKERS[:3]) if chance.random() < 0.7 or before is None else None
            if (voiced and name not in (None, before)) or (not voiced and ended):
                self.begin(name if voiced else "")
                before = name if voiced else ""
            if chance.random() < 0.8:
                self.line(index(number))
            self.line(f"{clock(start)} --> {clock(seconds)}")
            speech, ended = self.speech(), chance.random() < 0.5
            if not ended:
                speech = speech.rstrip(".?!…") + ","
            label = "" if name is None or not voiced else f"<v {name}>" if voiced == "v" else f"{name}: "
            self.line(label + speech)
            if chance.random() < 0.9 or not voiced or not index(number).isdecimal():
                self.line()

    def srt(self):
        self.cues(lambda s: f"00:{s // 60:02}:{s % 60:02},{s % 10}00", str, self.chance.choice(["", "name"]))

    def vtt(self):
        self.line("WEBVTT")
        self.line()
        head = len(self.text)
        self.cues(lambda s: f"{s // 60:02}:{s % 60:02}.000", lambda n: f"cue-{n}\u00b7", "v")
        # What is above the first cue belongs to it.
        self.turns[0] = (self.text.index("WEBVTT"), self.turns[0][1])
        assert head


class Grouped:
    """A program that first decides who says what, then joins the lines of each turn."""

    def __init__(self, seed):
        self.chance = random.Random(1000 + seed)
        self.seed = seed
        self.text, self.turns = "", []

    def said(self):
        names = [self.chance.choice(["Ida", "Jo Park", "KAI"]) for _ in range(self.chance.randint(5, 12))]
        return [(name, [sentence(self.chance, 20) for _ in group]) for name, group in groupby(names)]

    def put(self, turns, joint):
        end = ["\n", "\r\n", "\r"][self.seed % 3]
        for speaker, blocks in turns:
            self.turns.append((len(self.text), speaker))
            self.text += "".join(block + joint for block in blocks).replace("\n", end)

    def lines(self):
        form = self.chance.choice(["{} 0:{:02}\n{}", "- {}: {:.0}{}", "[1:{1:02}] {0}: {2}", "__{}__: {:.0}{}"])
        turns = []
        for number, (name, speech) in enumerate(self.said()):
            stamp = number if "02" in form else ""
            turns.append((name, [form.format(name, stamp, "\n".join(speech))]))
        self.put(turns, "\n\n" if self.seed % 2 else "\n")

    def srt(self):
        turns = []
        number = 0
        for name, speech in self.said():
            blocks = []
            for place, words in enumerate(speech):
                number += 1
                # Each cue ends after the next has begun.
                blocks.append(
                    f"{number}\n0:{number:02}:00,5 --> 0:{number + 1:02}:30,0\n{f'{name}: ' * (place == 0)}{words}\n"
                )
            turns.append((name, blocks))
        self.put(turns, "\n")
        if self.seed % 2:
            # Two speakers in a last cue, told apart by dashes.
            start = len(self.text)
            self.text += "99\n00:59:00,000 --> 00:59:01,000\n- Yes.\n"
            self.turns += [(start, ""), (len(self.text), "")]
            self.text += "- No.\n"

    def vtt(self):
        self.text = "WEBVTT - made for a test\n\nSTYLE\n::cue { color: red }\n\nNOTE Ida: is no speaker here\n\n"
        turns = []
        number = 0
        for name, speech in self.said():
            blocks = []
            for words in speech:
                number += 1
                blocks.append(f"00:{number:02}.000 --> 01:{number:02}.000 align:start\n<v.first {name}>{words}</v>\n")
            turns.append((name, blocks))
        self.put(turns, "\n")
        # A second speaker in the last cue, which has no empty line behind it.
        self.text = self.text.rstrip() + "\n"
        self.turns.append((len(self.text), "Max"))
        self.text += "<v Max>Me too.\n"
        self.turns[0] = (0, self.turns[0][1])


FILES = [(program, kind, seed) for program in (Plain, Grouped) for kind in KINDS for seed in range(20)]


def made(program, kind, seed):
    """Return a file's text and its turns, as (start, end, speaker)."""
    writer = program(seed)
    getattr(writer, kind)()
    starts = [start for start, _ in writer.turns]
    starts[0] = 0
    return writer.text, [
        (start, end, speaker)
        for start, end, (_, speaker) in zip(starts, [*starts[1:], len(writer.text)], writer.turns, strict=True)
    ]


def file_of(program, kind, seed):
    """Return a file as it is read from its bytes, and its turns there."""
    text, turns = made(program, kind, seed)
    name = f"talk.{'txt' if kind == 'lines' else kind}"
    read = read_document_text(text.encode(), name).text
    lost = len(text) - len(read)
    assert read == text[lost:]
    assert lost <= 1, "at most the mark of the byte order"
    return read, [(max(0, start - lost), end - lost, speaker) for start, end, speaker in turns]


@pytest.mark.parametrize(("program", "kind", "seed"), FILES)
def test_turns_and_speakers_are_those_of_the_file(program, kind, seed):
    text, turns = file_of(program, kind, seed)
    transcript = Transcript.from_text(text)
    assert [turn.speaker for turn in transcript.turns] == [speaker for _, _, speaker in turns]
    assert [text[turn.start : turn.end] for turn in transcript.turns] == [text[start:end].strip() for start, end, _ in turns]


@pytest.mark.parametrize("most", [15, 60, 250])
@pytest.mark.parametrize(("program", "kind", "seed"), FILES)
def test_no_turn_is_cut_unless_it_is_longer_than_a_chunk(program, kind, seed, most):
    text, turns = file_of(program, kind, seed)
    count = load_tokenizer("words").count
    chunking = run_and_time_chunker(build_chunker("turns", {"max_size": most}), Document.from_text(text, "regex"), tools())
    for piece in chunking:
        start, end, speaker = next(turn for turn in reversed(turns) if turn[0] <= piece.start)
        if text[start : piece.start].strip():
            # The time of its cue counts too where a turn begins inside one.
            (size,) = count([text[start:end].strip()])
            assert size + 3 > most, f"{text[start : piece.start]!r} | {piece.text[:60]!r}"
            assert not speaker or speaker in piece.context or most == 15
        held = count([piece.text])[0] + (count([piece.context])[0] if piece.context else 0)
        assert held <= most
    # No two neighbours fit into one chunk.
    for earlier, later in zip(chunking, chunking.chunks[1:], strict=False):
        whole_turn = next(
            (turn for turn in turns if earlier.start <= turn[0] <= later.start and not text[turn[0] : later.start].strip()),
            None,
        )
        if whole_turn is not None and count([text[whole_turn[0] : whole_turn[1]].strip()])[0] + 3 <= most:
            together = count([text[earlier.start : whole_turn[1]].strip()])[0]
            assert together + count([earlier.context or ""])[0] + 3 > most


LONG = "One thing is this. Another is that. " * 8


def test_a_long_turn_repeats_its_speaker_and_time():
    text = f"[00:01:02] Ben: {LONG.strip()}\nANNA: Thanks."
    first, *rest, last = chunk(text, "turns", max_size=20, tokenizer="words", embedder="tfidf", sentences="regex").chunks
    assert first.context == ""
    assert {piece.context for piece in rest} == {"[00:01:02] Ben:"}
    assert all(piece.text.endswith("that.") or piece.text.endswith("this.") for piece in rest)
    assert last.text.endswith("ANNA: Thanks.")


def test_a_long_cue_repeats_its_time_and_voice():
    cues = f"WEBVTT\n\n00:01.000 --> 00:09.000\n<v Ben>{LONG.strip()}\n\n00:09.000 --> 00:10.000\nAnd so on.\n"
    made = chunk(cues, "turns", max_size=20, tokenizer="words", embedder="tfidf", sentences="regex")
    assert {piece.context for piece in made.chunks[1:-1]} == {"00:01.000 --> 00:09.000\n<v Ben>"}
    assert made.gaps[-1].reason
    assert any("turn of Ben is longer than 20 tokens: cut between sentences" in gap.reason for gap in made.gaps)


def test_reasons_say_what_was_joined_and_what_was_not():
    text = "ANNA: One two three.\nBEN: Four five.\nCY: Six seven eight nine."
    made = chunk(text, "turns", max_size=8, tokenizer="words", embedder="tfidf", sentences="lines")
    assert [gap.reason for gap in made.gaps] == [
        "turn of BEN joined: together 7 ≤ 8 tokens",
        "new turn of CY; together 12 > 8 tokens",
    ]
    assert made.texts == ("ANNA: One two three.\nBEN: Four five.", "CY: Six seven eight nine.")


def test_a_sentence_that_is_too_long_is_cut_inside():
    text = "ANNA: " + "word " * 30
    made = chunk(text, "turns", max_size=10, tokenizer="words", embedder="tfidf", sentences="regex")
    assert all(piece.context == "ANNA:" for piece in made.chunks[1:])
    assert all("cut inside the sentence" in gap.reason for gap in made.gaps)
    assert "".join(made.texts).replace(" ", "") == text.replace(" ", "")


def test_prose_without_turns_is_cut_between_sentences():
    text = "At 10:30 it opens. It has: a colon. See http://a.example for more. " * 4
    assert [turn.speaker for turn in Transcript.from_text(text).turns] == [""]
    made = chunk(text, "turns", max_size=20, tokenizer="words", embedder="tfidf", sentences="regex")
    assert len(made) > 1
    assert all(piece.context == "" and piece.text.endswith(".") for piece in made)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["<v " * 300_000, "a" * 1_000_000, "A b c " * 150_000, "- " * 300_000, "1\n0:01 --> 0:02\n" * 40_000]
)
def test_hostile_texts_take_a_moment(text):
    assert Transcript.from_text(text).turns


def test_subtitles_are_documents():
    assert {".srt", ".vtt"} <= {*READABLE_ENDINGS}
    read = read_document_text("1\n00:00:01,000 --> 00:00:02,000\nZoë dit: été\n".encode("cp1252"), "talk.srt")
    assert "Zoë dit: été" in read.text
