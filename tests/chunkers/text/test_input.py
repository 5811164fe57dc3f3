"""From bytes to sentences: encodings, splitters, and what is refused."""

import pytest

from chunkers import Document, InputError, chunk, load_tokenizer
from chunkers.support.limits import MAX_FILE_BYTES
from chunkers.text.file_reading import decode_text
from chunkers.text.sentences import _load_sentence_pipeline

GERMAN = "Übermäßig große Bäume können über fünfzig Meter hoch werden. Schöne Grüße aus Köln! " * 8


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "latin-1"])
def test_encodings(encoding):
    assert decode_text(GERMAN.encode(encoding), "text.txt").text == GERMAN


def test_line_ends_stay():
    assert decode_text(b"one\r\ntwo\rthree\n", "text.txt").text == "one\r\ntwo\rthree\n"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "it is binary"),
        (b"PK\x03\x04\x14\x00\x00\x00", "it is binary"),
        (b"%PDF-1.7 text", "it is binary"),
        (GERMAN.encode()[:200] + b"\xff" + GERMAN.encode(), "byte 200 is not valid UTF-8"),
        (b"a" * (MAX_FILE_BYTES + 1), "at most 20 MB, 20,000,000 bytes; this one has 20,000,001"),
    ],
)
def test_refused(data, words):
    with pytest.raises(InputError) as error:
        decode_text(data, "file.txt")
    assert str(error.value).startswith("file.txt: ")
    assert words in str(error.value)


def test_twenty_megabytes_are_taken():
    assert len(decode_text(b"word " * (MAX_FILE_BYTES // 5), "big.txt").text) == MAX_FILE_BYTES // 5 * 5


def test_a_lone_surrogate_is_named():
    with pytest.raises(InputError, match=r"character 3 is the lone surrogate U\+D83C"):
        Document.from_text("abc\ud83c.")


def sentences(text, splitter):
    return [text[start:end] for start, end in Document.from_text(text, splitter).sentences]


@pytest.mark.parametrize(
    ("splitter", "text", "expected"),
    [
        ("spacy", "Dr. Smith paid $3.50 at 5.3. Then he left.", ["Dr. Smith paid $3.50 at 5.3.", "Then he left."]),
        ("spacy", "A heading\n\nThe text. More.", ["A heading", "The text.", "More."]),
        ("regex", "One. Two!  Three?\nFour", ["One.", "Two!", "Three?", "Four"]),
        ("lines", " one\r\n\r\ntwo \n three", ["one", "two", "three"]),
        ("paragraphs", "one\ntwo\n \nthree\r\n\r\nfour", ["one\ntwo", "three", "four"]),
        ("spacy", "🌊 One. 🌊 Two.", ["🌊 One.", "🌊 Two."]),
    ],
)
def test_splitters(splitter, text, expected):
    assert sentences(text, splitter) == expected


def test_an_installed_pipeline(tmp_path):
    import spacy

    pipeline = spacy.blank("de")
    pipeline.add_pipe("sentencizer", config={"punct_chars": ["|"]})
    pipeline.to_disk(tmp_path / "bars")
    assert sentences("Eins. Zwei | Drei", f"spacy:{tmp_path / 'bars'}") == ["Eins. Zwei |", "Drei"]


def test_a_pipeline_that_sets_no_sentences_is_refused(tmp_path):
    import spacy

    spacy.blank("en").to_disk(tmp_path / "none")
    with pytest.raises(InputError, match="must set sentence boundaries"):
        Document.from_text("One.", f"spacy:{tmp_path / 'none'}").split()


@pytest.mark.parametrize(("splitter", "words"), [("spacy:no_such_model", "was not found"), ("words", "got 'words'")])
def test_unknown_splitters(splitter, words):
    with pytest.raises(InputError, match=words):
        Document.from_text("One.", splitter)


def test_a_distribution_that_is_no_pipeline_is_refused():
    with pytest.raises(InputError, match="'numpy' must be a spaCy pipeline"):
        Document.from_text("One.", "spacy:numpy")


class CountingTokenizer:
    """Notes the longest word that it is given; spaCy's own takes the square of its length for some."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.longest = 0

    def __call__(self, text):
        self.longest = max([self.longest, *map(len, text.split())])
        return self.tokenizer(text)


@pytest.mark.parametrize("unit", ["!", "=", "🌊", "a/", "word.", "漢字。"])
def test_no_tokenizer_gets_a_word_of_any_length(unit, monkeypatch):
    pipeline = _load_sentence_pipeline("")
    counting = CountingTokenizer(pipeline.tokenizer)
    monkeypatch.setattr(pipeline, "tokenizer", counting)
    text = "One. " + unit * 1000 + " Two. Three."
    sentence_texts = sentences(text, "spacy")
    assert counting.longest < 400
    assert "".join(sentence_texts).replace(" ", "") == text.replace(" ", "")
    assert sentence_texts[0].startswith("One.")
    assert sentence_texts[-1] == "Three."


def test_a_long_word_is_one_sentence_with_its_neighbours():
    first = "See https://example.org/" + "a.b/c?d=e&" * 60 + " for more."
    assert sentences(f"{first} Then go on.", "spacy") == [first, "Then go on."]


def test_tokenizers():
    text = "Unbelievable things, café."
    assert load_tokenizer("characters").count([text]) == [26]
    assert load_tokenizer("words").count([text]) == [3]
    assert load_tokenizer().count(["", text, "word " * 1000]) == [0, 5, 1000]
    with pytest.raises(InputError, match="got 'bytes'"):
        load_tokenizer("bytes")


def test_from_python():
    result = chunk("One. Two. Three.", "fixed_sentences", size=2, sentences="regex")
    assert [piece.text for piece in result.chunks] == ["One. Two.", "Three."]
    with pytest.raises(InputError, match="chunker must be one of"):
        chunk("One.", "nothing")


def test_documents_of_the_same_text_and_splitter_have_the_same_identity():
    text = "One. Two.\nThree."
    document = Document.from_text(text, "lines", "mine")
    assert document.identity == Document.from_text(text, "lines", "yours").identity == Document.identity_of(text, "lines")
    others = [Document.from_text(text, "regex"), Document.from_text(f"{text} ", "lines")]
    assert len({document.identity, *(other.identity for other in others)}) == 3
