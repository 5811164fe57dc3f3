"""The properties by name: a strategy for their cases, and what must hold for each."""

import dataclasses
import json
import pickle
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from chunkers import SPLITTER_DESCRIPTIONS, Document, InputError, Recipe, build_chunker, load_tokenizer, run_chunker
from chunkers.text.file_reading import read_document_text
from chunkers.text.language_detection import LANGUAGE_NAME_BY_CODE
from chunkers.text.tokenizers import TOKENIZER_DESCRIPTIONS
from tests.properties import promises
from tests.properties.cases import EMBEDDERS, MODEL, Case, cases
from tests.properties.parameters import ANYTHING, any_settings, meant
from tests.properties.texts import files, texts
from tests.support import asking


@dataclass(frozen=True)
class Property:
    """Cases, what must hold for each of them, and how many of a hundred cases in `make fuzz` are of this kind."""

    cases: st.SearchStrategy[Any]
    check: Callable[[Any], None]
    share: float


def attempt(work):
    """Run the work; return its result and no message, or nothing and the message of its `InputError`."""
    try:
        return work(), ""
    except InputError as error:
        return None, str(error)


def is_one_sentence(said, *beginnings):
    """Return whether a message is one sentence that begins with one of the given words."""
    return said.isprintable() and said.endswith((".", "?")) and len(said) < 1000 and said.startswith(beginnings or "")


def chunkings_keep_every_promise(case):
    """Everything that `promises` checks, and the same result a second time and from the recipe."""
    chunking, chunker, tools = case.run(), case.build(), case.tools()
    promises.check_result(chunking, chunker, tools)
    recipe = case.recipe()
    promises.check_exports(chunking, recipe)
    again = case.run()
    assert outcome(again) == outcome(chunking)
    assert outcome(pickle.loads(pickle.dumps(chunking))) == outcome(chunking)
    assert again != chunking or hash(again) == hash(chunking)
    read = Recipe.from_json(recipe.to_json())
    assert read == recipe
    assert read.build() == chunker
    if case.embedder in ("tfidf", MODEL):
        assert outcome(read.run(case.text, language_model=asking())) == outcome(chunking)


def outcome(chunking):
    """Return the result but for its times and its name, as words, in which a score that is undefined equals itself."""
    return repr(dataclasses.replace(chunking, timing=None, document=dataclasses.replace(chunking.document, split_ms=0)))


def sentences_hold_the_text(text_and_splitter):
    """Sentences hold all of the text, however its lines end."""
    text, splitter = text_and_splitter
    document = Document.from_text(text, splitter)
    promises.check_sentences(document)
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    expected = Document.from_text(plain, splitter).sentence_texts
    for end in ("\r\n", "\r"):
        split = Document.from_text(plain.replace("\n", end), splitter).sentence_texts
        assert [sentence.replace(end, "\n") for sentence in split] == expected


def tokens_begin_in_order(text_and_tokenizer):
    """As many tokens begin as are counted, in order and inside the text."""
    text, name = text_and_tokenizer
    tokenizer = load_tokenizer(name)
    starts = tokenizer.starts(text).tolist()
    assert starts == sorted(starts)
    assert len(starts) == tokenizer.count([text])[0]
    assert not starts or (starts[0] >= 0 and starts[-1] <= len(text))


PLAIN = "One sentence here. Another one!\n\nA third, is it? Yes."


def settings_are_refused_in_a_sentence_or_work(name_and_parameters):
    """Wrong settings are refused in one sentence that names the chunker; what is allowed cuts a text as promised."""
    name, given = name_and_parameters
    parameters = {parameter: meant(value) for parameter, value in given.items()}
    chunker, sentence = attempt(lambda: build_chunker(name, parameters))
    if chunker is None:
        assert is_one_sentence(sentence, f"{name}: ", f"{name} has no parameter "), sentence
        return
    case = Case(PLAIN, name, chunker.model_dump(), "regex", "words", "hash")
    chunkings_keep_every_promise(case)
    assert outcome(run_chunker(chunker, Document.from_text(PLAIN, "regex"), case.tools())) == outcome(case.run())


_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
_JSON = _SCALARS | st.lists(_SCALARS, max_size=3) | st.dictionaries(st.text(max_size=8), _SCALARS, max_size=3)
_KEYS = st.sampled_from([*Recipe.model_fields, "other"])


@st.composite
def recipe_files(draw):
    """Return the text of a recipe's file: sound, with some values replaced, torn, or any other text."""
    sound = json.loads(draw(cases(max_parts=0)).recipe().to_json())
    for key in draw(st.lists(_KEYS, max_size=2)):
        sound[key] = draw(_JSON)
    text = json.dumps(draw(st.sampled_from([sound, sound, {"recipe": sound}, [sound]])))
    return draw(st.sampled_from([text, text, text[: draw(st.integers(0, len(text)))], draw(st.text(max_size=20))]))


def recipes_are_refused_in_a_sentence_or_read(text):
    """A recipe's file is refused in one sentence, or is read and builds its chunker."""
    recipe, sentence = attempt(lambda: Recipe.from_json(text))
    if recipe is None:
        assert is_one_sentence(sentence), sentence
        return
    recipe.build()
    assert Recipe.from_json(recipe.to_json()) == recipe


def names_are_refused_in_a_sentence(arguments):
    """Names and texts of the wrong kind are refused in one sentence by the function that most users call."""
    from chunkers import chunk

    text, names = arguments
    result, sentence = attempt(lambda: chunk(meant(text), **{name: meant(value) for name, value in names.items()}))
    assert result is not None or is_one_sentence(sentence), sentence


_NAMES = {
    "chunker": st.sampled_from(["fixed_sentences", "breakpoint", "kmeans"]),
    "sentences": st.sampled_from([*SPLITTER_DESCRIPTIONS, "sentencex:de", "sentencex:xx", "spacy:none_such"]),
    "embedder": st.sampled_from(EMBEDDERS[:1]),
    "tokenizer": st.sampled_from(["words", "characters"]),
}


@st.composite
def call_arguments(draw):
    """Return a text and names for `chunk`, one of which may be anything."""
    names = {key: draw(values) for key, values in _NAMES.items()}
    wrong = draw(st.sampled_from(["", "text", "chunker", "sentences", "tokenizer"]))
    anything = draw(ANYTHING)
    if wrong in names:
        names[wrong] = anything
    return (anything if wrong == "text" else PLAIN), names


def files_are_text_or_a_sentence(name_and_data):
    """Bytes become text that splits into sentences, or a sentence that names the file."""
    name, data = name_and_data
    reading, sentence = attempt(lambda: read_document_text(data, name))
    if reading is None:
        assert is_one_sentence(sentence), sentence
        assert name in sentence
        return
    assert reading.read_as
    assert reading.guessed == bool(reading.guessed_encoding_warning(name))
    document, sentence = attempt(lambda: Document.from_text(reading.text, "regex", name))
    assert document is not None or "lone surrogate" in sentence
    if document is not None:
        promises.check_sentences(document)


def encodings_are_read_back(text_and_encoding):
    """UTF-8, and whatever has a byte order mark, gives the very text that was written."""
    text, encoding = text_and_encoding
    assert read_document_text(text.encode(encoding), "a.txt").text == text


def _is_plain(text):
    """Return whether the text's UTF-8 bytes cannot be mistaken for another format."""
    return not text.startswith(("%PDF-", "\ufeff")) and "\0" not in text and "\x1b" not in text


_READ_BACK = texts(8).filter(_is_plain)

PROPERTIES = {
    "chunkings": Property(cases(), chunkings_keep_every_promise, 56),
    "chunkings with the model": Property(cases((MODEL,), 8), chunkings_keep_every_promise, 1),
    "sentences": Property(
        st.tuples(
            texts(), st.sampled_from([*SPLITTER_DESCRIPTIONS, *(f"sentencex:{code}" for code in LANGUAGE_NAME_BY_CODE)])
        ),
        sentences_hold_the_text,
        12,
    ),
    "tokens": Property(st.tuples(texts(8), st.sampled_from([*TOKENIZER_DESCRIPTIONS])), tokens_begin_in_order, 3),
    "settings": Property(any_settings(), settings_are_refused_in_a_sentence_or_work, 15),
    "recipes": Property(recipe_files(), recipes_are_refused_in_a_sentence_or_read, 2),
    "names": Property(call_arguments(), names_are_refused_in_a_sentence, 2),
    "files": Property(files(), files_are_text_or_a_sentence, 7),
    "encodings": Property(
        st.tuples(_READ_BACK, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"])), encodings_are_read_back, 2
    ),
}


def checked(name, case):
    """Check a property on a case; a warning is a failure too."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", ResourceWarning)
        PROPERTIES[name].check(case)
