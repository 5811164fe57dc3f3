"""Encodings by evidence: what is declared, marks, UTF-8, UTF-16 without a mark, letters; and what the user names."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkers import InputError
from chunkers.text.encodings import NON_UNICODE_ENCODINGS, decode_as_chosen_or_detected, decode_if_plain_utf_8
from tests.chunkers.text.encoding_texts import TEXTS, encoded_texts

PROSE = {paragraph.language: paragraph.text for paragraph in TEXTS}


@pytest.mark.slow
def test_twenty_four_languages_are_read_right():
    cases = encoded_texts()
    assert (len(PROSE), len(cases)) == (24, 120)
    wrong = [
        (language, encoding, len(text))
        for language, encoding, text, data in cases
        if decode_as_chosen_or_detected(data, "file.txt").text != text
    ]
    assert len(wrong) <= 5, wrong


@pytest.mark.parametrize(
    "sentence", ["A ação não é fácil; você já põe o pão à mesa.", "Perché la città è così bella? Però andrò là."]
)
@pytest.mark.parametrize("times", [1, 3, 10])
def test_a_sentence_is_enough(sentence, times):
    text = f"{sentence}\n" * times
    assert decode_as_chosen_or_detected(text.encode("latin-1"), "file.txt").text == text


def test_a_guess_says_so_and_what_else_it_could_be():
    read = decode_as_chosen_or_detected(PROSE["Polish"].encode("cp1250"), "file.txt")
    assert (read.encoding, read.is_guessed) == ("cp1250", True)
    assert read.encoding not in read.others
    assert not decode_as_chosen_or_detected(PROSE["Polish"].encode(), "file.txt").is_guessed


@pytest.mark.parametrize("language", ["English", "German", "Greek", "Japanese", "Chinese", "Korean", "Arabic", "Thai"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_text_without_a_mark_is_text(language, encoding):
    text = PROSE.get(language, "The tide comes in.\r\nTwice a day.") + "\n"
    read = decode_as_chosen_or_detected(text.encode(encoding), "file.txt")
    assert (read.text, read.encoding) == (text, encoding)


@given(st.binary(max_size=200))
def test_no_bytes_are_more_than_a_sentence(data):
    message = "file.txt: "
    with contextlib.suppress(InputError):
        try:
            decode_as_chosen_or_detected(data, "file.txt")
        except InputError as error:
            message = str(error)
            raise
    assert message.startswith("file.txt: ")
    assert "\n" not in message


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0$("), max_size=200))
def test_utf_8_is_always_read_as_it_is(text):
    if not text.startswith(("%PDF-", "\ufeff")):
        assert decode_if_plain_utf_8(text.encode()) == decode_as_chosen_or_detected(text.encode(), "file.txt").text == text


@pytest.mark.parametrize(
    "escaped", ["\x1b[31mError\x1b[0m: it failed.\n", "\x1b(B\x1b[m plain", "a\x1bb", "\x1b]0;title\x07 x"]
)
def test_escapes_that_select_no_letters_are_utf_8(escaped):
    for text in (escaped, f"{escaped} Größe"):
        read = decode_as_chosen_or_detected(text.encode(), "log.txt")
        assert (read.text, read.encoding, read.is_guessed) == (text, "utf-8", False)


@pytest.mark.parametrize("encoding", ["iso-2022-jp", "iso-2022-kr"])
def test_escapes_that_select_letters_are_evidence(encoding):
    text = {"iso-2022-jp": "潮が引く。また満ちる。\n", "iso-2022-kr": "물이 빠진다. 다시 들어온다.\n"}[encoding] * 3
    assert decode_as_chosen_or_detected(text.encode(encoding), "tide.txt").text == text


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=100), st.sampled_from(["utf-8-sig", "utf-16", "utf-32"]))
def test_a_mark_is_believed(text, encoding):
    assert decode_as_chosen_or_detected(text.encode(encoding), "file.txt").text == text


@given(st.sampled_from(NON_UNICODE_ENCODINGS), st.sampled_from(TEXTS))
def test_what_the_user_names_is_believed(encoding, one):
    text = one.text.encode(encoding, "ignore").decode(encoding)
    assert decode_as_chosen_or_detected(text.encode(encoding), "file.txt", chosen_encoding=encoding).text == text


@pytest.mark.parametrize(
    ("page", "encoding"),
    [
        ('<meta charset="windows-1251"><p>{}', "cp1251"),
        ("<meta http-equiv='Content-Type' content='text/html; charset=koi8-r'><p>{}", "koi8-r"),
        ('<?xml version="1.0" encoding="ISO-8859-5"?><p>{}</p>', "iso8859-5"),
        ('<meta charset="utf-8"><p>{}', "cp1251"),
        ("<p>{}", "mac-cyrillic"),
    ],
)
def test_what_a_page_declares_is_believed_unless_its_bytes_contradict(page, encoding):
    text = page.format(PROSE["Russian"])
    assert decode_as_chosen_or_detected(text.encode(encoding), "page.html", is_markup=True).text == text


def test_latin_1_is_declared_for_what_is_cp1252():
    page = "<meta charset=iso-8859-1><p>“Größe” – naïve"
    assert decode_as_chosen_or_detected(page.encode("cp1252"), "page.html", is_markup=True).text == page


@pytest.mark.parametrize("data", [b"\x00\x01", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", bytes(range(256)) * 4, b"\x00" * 100])
def test_what_is_no_text_is_refused(data):
    with pytest.raises(InputError, match=r"file\.bin: "):
        decode_as_chosen_or_detected(data, "file.bin")
