"""Detect the encoding of bytes by evidence: a declaration, a byte order mark, valid UTF-8, then the letters."""

import codecs
import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from chunkers.support import InputError, short_repr

NON_UNICODE_ENCODINGS = (
    *(f"cp{number}" for number in range(1250, 1259)),
    *(f"iso8859-{number}" for number in (1, 2, 5, 6, 7, 8, 9, 13, 15, 16)),
    *("koi8-r", "koi8-u", "cp866", "cp850", "cp852", "cp437", "mac-cyrillic", "mac-roman", "cp874", "tis-620"),
    *("shift_jis", "cp932", "euc-jp", "iso-2022-jp", "iso-2022-kr", "gb18030", "gb2312", "gbk", "big5", "big5hkscs"),
    *("euc-kr", "cp949"),
)
"""The encodings in use besides Unicode's; the detector chooses among these."""

ENCODING_CHOICES = ("utf-8", "utf-16", *NON_UNICODE_ENCODINGS)
"""The encodings that the page offers."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_BROWSER_ENCODING_BY_DECLARED_NAME = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "utf-16": "utf-8",
    "utf-16-le": "utf-8",
    "utf-16-be": "utf-8",
}
"""Declared names and what they mean; source: WHATWG Encoding, section 4.2. A declaration that is readable as ASCII
cannot be of UTF-16."""

_DECLARED_ENCODING_PATTERN = re.compile(
    rb"""<\?xml[^>]*?\sencoding\s*=\s*["']?([\w.:-]+)|<meta[^>]*?[\s;"']charset\s*=\s*["']?\s*([\w.:-]+)""",
    re.IGNORECASE,
)
_BYTES_SEARCHED_FOR_DECLARATION = 2048
"""Bytes searched for a declaration; HTML allows 1,024, but many pages exceed that."""

_ISO_2022_ESCAPE = re.compile(rb"\x1b(?:\$[@AB]|\$[()*+,./-][@-~]|\([IJ])")
"""The escape sequences by which ISO-2022 changes to other letters; source: ISO/IEC 2022, section 14, and RFC 1468.

Others are no evidence: those that colour the output of a terminal, and the one back to ASCII, which terminals use too."""

_EXAMINED_BYTES = 200_000
"""Bytes that the detectors look at, and characters in which oddities are counted."""

_SECOND_DETECTOR_BONUS = 0.005
"""Bonus of chardetng's answer over others that chardet finds as likely: most of these differ by less."""

_RARE_ENCODING_MARGIN = 0.01
"""By how much ISO-8859-16, which is hardly ever used, must be ahead."""

_EQUAL_SCORE_SHARE = 0.9
"""Share of the best score from which another reading counts as equally likely, so that the answer is unsure."""


class Encoded(NamedTuple):
    """Decoded text with its encoding, and whether the encoding was guessed."""

    text: str
    encoding: str
    is_guessed: bool = False
    """True if the encoding was guessed from the letters."""
    others: tuple[str, ...] = ()
    """Encodings that are about as likely and give a different text."""


def decode_if_plain_utf_8(data: bytes) -> str | None:
    """Decode bytes that can only be UTF-8; return None if another encoding is possible."""
    if data.startswith(codecs.BOM_UTF8) or b"\0" in data or _ISO_2022_ESCAPE.search(data) or data.startswith(b"%PDF-"):
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def canonical_encoding(encoding_name: str) -> str:
    """Return Python's canonical name of an encoding. Raise InputError if the encoding is unknown.

    Raises
    ------
    InputError
        If the encoding is unknown or not a text encoding.
    """
    try:
        codec_of_encoding = codecs.lookup(encoding_name)
        "".encode(encoding_name)
    except (LookupError, ValueError) as error:
        raise InputError(
            f"encoding must be a known name, such as utf-8, cp1252 or shift_jis; got {short_repr(encoding_name)}."
        ) from error
    return codec_of_encoding.name


def decode_as_chosen_or_detected(
    data: bytes, name: str, *, chosen_encoding: str | None = None, is_markup: bool = False
) -> Encoded:
    """Decode a text file in the chosen encoding, or detect the encoding from its contents.

    Parameters
    ----------
    chosen_encoding
        The encoding that the user named; nothing else is tried.
    is_markup
        True if the bytes may declare their encoding, as in HTML and XML.

    Raises
    ------
    InputError
        If the bytes are not text, are invalid in the chosen encoding, or are UTF-8 with broken bytes in it.
    """
    if chosen_encoding is not None:
        return _decode_as_chosen(data, name, canonical_encoding(chosen_encoding))
    for byte_order_mark, encoding in _BOMS:
        if data.startswith(byte_order_mark):
            try:
                return Encoded(data.decode(encoding), encoding)
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{name}: the file begins with the byte order mark of {encoding}, but byte {error.start:,} is not valid "
                    "in this encoding. Save the file as UTF-8."
                ) from error
    if is_markup and (text_decoded_as_declared := _decode_as_declared(data)):
        return text_decoded_as_declared
    if b"\0" in data:
        return _decode_unmarked_utf_16_or_32(data, name)
    if data.startswith(b"%PDF-"):
        raise InputError(f"{name}: the file must be plain text or Markdown; it is binary.")
    if not (data.isascii() and _ISO_2022_ESCAPE.search(data)):
        try:
            return Encoded(data.decode("utf-8"), "utf-8")
        except UnicodeDecodeError as error:
            _raise_if_mostly_utf_8(data, name, error.start)
    return _decode_as_guessed(data, name)


def _decode_as_chosen(data: bytes, file_name: str, encoding: str) -> Encoded:
    if encoding == "utf-8" and data.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    try:
        return Encoded(data.decode(encoding), encoding)
    except ValueError as error:
        # Some codecs raise errors of their own, without a place.
        invalid_part_phrase = f"byte {error.start:,}" if isinstance(error, UnicodeDecodeError) else "the file"
        raise InputError(
            f"{file_name}: {invalid_part_phrase} is not valid in {encoding}, the chosen encoding. Choose another encoding."
        ) from error


def _decode_as_declared(data: bytes) -> Encoded | None:
    """Decode as the markup's head declares; None if it declares nothing, or something that the bytes contradict."""
    for declaration_match in _DECLARED_ENCODING_PATTERN.finditer(data[:_BYTES_SEARCHED_FOR_DECLARATION]):
        declared_name = (declaration_match[1] or declaration_match[2]).decode("ascii")
        try:
            encoding = codecs.lookup(declared_name).name
            encoding = _BROWSER_ENCODING_BY_DECLARED_NAME.get(encoding, encoding)
            return Encoded(data.decode(encoding), encoding)
        except (LookupError, ValueError):
            continue
    return None


def _decode_unmarked_utf_16_or_32(data: bytes, file_name: str) -> Encoded:
    """Decode UTF-16 or UTF-32 without a byte order mark, recognised by zero bytes, which other text has not."""
    likely_decodings = []
    for encoding in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        text_beginning = text[:_EXAMINED_BYTES]
        if any(unicodedata.category(char) in ("Cc", "Cn", "Co") and char not in "\t\n\v\f\r" for char in text_beginning):
            continue
        everyday_character_count = sum(" " <= char <= "~" or char in "\t\n\r、。，！？　" for char in text_beginning)
        # No script goes on for long without a space, a line end or a stop.
        if everyday_character_count and (
            everyday_character_count == len(text_beginning)
            or (len(text_beginning) >= 4 and everyday_character_count * 40 >= len(text_beginning))
        ):
            likely_decodings.append((everyday_character_count, encoding, text))
    if not likely_decodings:
        raise InputError(f"{file_name}: the file must be plain text or Markdown; it is binary.")
    _, encoding, text = max(likely_decodings)
    return Encoded(text, encoding)


def _raise_if_mostly_utf_8(data: bytes, file_name: str, first_bad_byte_index: int) -> None:
    """Raise if most bytes beyond ASCII are UTF-8: text in another encoding has hardly any such sequences."""
    lenient_text = data.decode("utf-8", errors="replace")
    broken_character_count = lenient_text.count("\ufffd")
    # Count what is not ASCII, replacements included, without a Python loop over the characters.
    non_ascii_character_count = len(lenient_text) - len(lenient_text.encode("ascii", "ignore"))
    if non_ascii_character_count - broken_character_count >= broken_character_count:
        raise InputError(
            f"{file_name}: byte {first_bad_byte_index:,} is not valid UTF-8, though most of the file is. Save the file as "
            "UTF-8 again, or "
            "name its encoding."
        )


def _decode_as_guessed(data: bytes, file_name: str) -> Encoded:
    """Decode by the detectors: chardet's candidates, with a penalty for oddities; among equals chardetng's answer."""
    ranked_encoding_candidates = _encoding_candidates(_sample_non_ascii_lines(data))
    for candidate_index, (encoding, encoding_score) in enumerate(ranked_encoding_candidates):
        try:
            text = data.decode(encoding)
        except ValueError:
            continue
        if _has_too_many_control_characters(text[:_EXAMINED_BYTES]):
            break
        # An encoding with escape sequences is certain.
        lower_ranked_candidates = () if _ISO_2022_ESCAPE.search(data) else ranked_encoding_candidates[candidate_index + 1 :]
        similarly_likely_encodings = tuple(
            other for other, other_score in lower_ranked_candidates if other_score >= _EQUAL_SCORE_SHARE * encoding_score
        )
        return Encoded(text, encoding, is_guessed=True, others=similarly_likely_encodings)
    raise InputError(f"{file_name}: the file must be text in a known encoding; no encoding fits. Save it as UTF-8.")


def _sample_non_ascii_lines(data: bytes) -> bytes:
    """Return the lines with bytes beyond ASCII, up to the limit: the others are no evidence."""
    if len(data) <= _EXAMINED_BYTES or _ISO_2022_ESCAPE.search(data[:_EXAMINED_BYTES]):
        return data[:_EXAMINED_BYTES]
    non_ascii_lines, sampled_byte_count = [], 0
    for line in data.splitlines(keepends=True):
        if not line.isascii():
            non_ascii_lines.append(line[: _EXAMINED_BYTES - sampled_byte_count])
            sampled_byte_count += len(non_ascii_lines[-1])
            if sampled_byte_count >= _EXAMINED_BYTES:
                break
    return b"".join(non_ascii_lines)


def _encoding_candidates(sample: bytes) -> list[tuple[str, float]]:
    """Return encodings with their scores, the likeliest first; of those that give the same text, one."""
    import chardet
    import chardetng_py

    chardet_guesses = chardet.detect_all(
        sample, ignore_threshold=True, include_encodings=[*NON_UNICODE_ENCODINGS, "utf-8"], no_match_encoding="utf-8"
    )
    chardetng_detector = chardetng_py.EncodingDetector()
    chardetng_detector.feed(sample, last=True)
    chardetng_text = _decode_sample(sample, chardetng_detector.guess(tld=None, allow_utf8=False))
    non_ascii_byte_count = max(1, len(sample) - len(sample.decode("ascii", "ignore")))
    guesses_by_text: dict[str, list[tuple[float, str]]] = {}
    for guess in chardet_guesses:
        text = _decode_sample(sample, guess["encoding"] or "")
        if text is not None:
            guesses_by_text.setdefault(text, []).append(
                (float(guess["confidence"]), codecs.lookup(str(guess["encoding"])).name)
            )
    encodings_with_scores = []
    for text, guesses_with_same_text in guesses_by_text.items():
        same_text_common_encodings = [encoding for _, encoding in guesses_with_same_text if encoding != "iso8859-16"]
        encoding_score = (
            max(guesses_with_same_text)[0]
            + _SECOND_DETECTOR_BONUS * (text == chardetng_text)
            - _RARE_ENCODING_MARGIN * (not same_text_common_encodings)
        )
        encodings_with_scores.append(
            (
                (same_text_common_encodings or ["iso8859-16"])[0],
                encoding_score * (1 - min(1, 3 * count_wrong_encoding_signs(text) / non_ascii_byte_count)),
            )
        )
    return sorted(encodings_with_scores, key=lambda item: -item[1])


def _decode_sample(sample: bytes, encoding: str) -> str | None:
    """Decode a sample, which may end within a character; None if it is invalid."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(sample)
    except (LookupError, ValueError):
        return None


_WORD = re.compile(r"[^\W\d_]+")


def count_wrong_encoding_signs(text: str) -> int:
    """Count signs of a wrong encoding, such as mixed scripts in a word, capitals after small letters, or box drawing."""
    sign_count = sum("\x80" <= character < "\xa0" or "\u2500" <= character < "\u25a0" for character in text)
    for word in _WORD.findall(text):
        if word.isascii():
            continue
        scripts_within_word = {_script_of(character) for character in word} - {""}
        sign_count += len(scripts_within_word) > 1
        sign_count += not word.islower() and any(a.islower() and b.isupper() for a, b in pairwise(word))
    return sign_count


@lru_cache(maxsize=10_000)
def _script_of(character: str) -> str:
    unicode_name_word = unicodedata.name(character, "").partition(" ")[0]
    return unicode_name_word if unicode_name_word in ("LATIN", "CYRILLIC", "GREEK", "HEBREW", "ARABIC", "THAI") else ""


def _has_too_many_control_characters(decoded_text_sample: str) -> bool:
    """Return whether the sample has more control characters than any text."""
    control_character_count = sum(
        unicodedata.category(char) == "Cc" and char not in "\t\n\v\f\r\x1b" for char in decoded_text_sample
    )
    return control_character_count * 100 > len(decoded_text_sample)
