"""Detect the language of a text: by its script where that decides, by a detector otherwise."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

LANGUAGE_NAME_BY_CODE = {
    "af": "Afrikaans",
    "am": "Amharic",
    "ar": "Arabic",
    "az": "Azerbaijani",
    "be": "Belarusian",
    "bg": "Bulgarian",
    "bn": "Bengali",
    "ca": "Catalan",
    "cs": "Czech",
    "cy": "Welsh",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "eo": "Esperanto",
    "es": "Spanish",
    "et": "Estonian",
    "eu": "Basque",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "ga": "Irish",
    "gl": "Galician",
    "gu": "Gujarati",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "hu": "Hungarian",
    "hy": "Armenian",
    "id": "Indonesian",
    "is": "Icelandic",
    "it": "Italian",
    "ja": "Japanese",
    "ka": "Georgian",
    "kk": "Kazakh",
    "km": "Khmer",
    "kn": "Kannada",
    "ko": "Korean",
    "la": "Latin",
    "lo": "Lao",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "mk": "Macedonian",
    "ml": "Malayalam",
    "mn": "Mongolian",
    "mr": "Marathi",
    "ms": "Malay",
    "my": "Burmese",
    "ne": "Nepali",
    "nl": "Dutch",
    "no": "Norwegian",
    "or": "Odia",
    "pa": "Punjabi",
    "pl": "Polish",
    "ps": "Pashto",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "si": "Sinhala",
    "sk": "Slovak",
    "sl": "Slovenian",
    "sq": "Albanian",
    "sr": "Serbian",
    "sv": "Swedish",
    "sw": "Swahili",
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
    "tl": "Tagalog",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "uz": "Uzbek",
    "vi": "Vietnamese",
    "zh": "Chinese",
}
"""ISO 639-1 code to name of every language that can be detected or chosen."""


class _Script(NamedTuple):
    """Letters of a script, and the languages written in it; the first is assumed where nothing tells them apart."""

    letters: re.Pattern[str]
    languages: tuple[str, ...]


# fmt: off
_LATIN_SCRIPT_LANGUAGES = (
    "en", "af", "az", "ca", "cs", "cy", "da", "de", "eo", "es", "et", "eu", "fi", "fr", "ga", "gl", "hr", "hu", "id", "is",
    "it", "la", "lt", "lv", "ms", "nl", "no", "pl", "pt", "ro", "sk", "sl", "sq", "sr", "sv", "sw", "tl", "tr", "uz", "vi",
)
# fmt: on
_KANA_PATTERN = re.compile("[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9d]")
_HAN_PATTERN = re.compile("[\u2e80-\u2fdf\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")

_SCRIPTS_WITH_LANGUAGES = (
    _Script(
        re.compile("[A-Za-z\u00aa-\u024f\u1e00-\u1eff]"),
        _LATIN_SCRIPT_LANGUAGES,
    ),
    _Script(re.compile("[\u0400-\u052f]"), ("ru", "be", "bg", "kk", "mk", "mn", "sr", "uk", "uz")),
    _Script(re.compile("[\u0620-\u06d3\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc]"), ("ar", "fa", "ps", "ur")),
    _Script(re.compile("[\u0900-\u0963]"), ("hi", "mr", "ne")),
    _Script(_KANA_PATTERN, ("ja",)),
    _Script(_HAN_PATTERN, ("zh",)),
    _Script(re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]"), ("ko",)),
    _Script(re.compile("[\u0370-\u03ff\u1f00-\u1fff]"), ("el",)),
    _Script(re.compile("[\u0531-\u0587]"), ("hy",)),
    _Script(re.compile("[\u05d0-\u05f2]"), ("he",)),
    _Script(re.compile("[\u0980-\u09ff]"), ("bn",)),
    _Script(re.compile("[\u0a00-\u0a7f]"), ("pa",)),
    _Script(re.compile("[\u0a80-\u0aff]"), ("gu",)),
    _Script(re.compile("[\u0b00-\u0b7f]"), ("or",)),
    _Script(re.compile("[\u0b80-\u0bff]"), ("ta",)),
    _Script(re.compile("[\u0c00-\u0c7f]"), ("te",)),
    _Script(re.compile("[\u0c80-\u0cff]"), ("kn",)),
    _Script(re.compile("[\u0d00-\u0d7f]"), ("ml",)),
    _Script(re.compile("[\u0d80-\u0dff]"), ("si",)),
    _Script(re.compile("[\u0e01-\u0e4e]"), ("th",)),
    _Script(re.compile("[\u0e80-\u0edf]"), ("lo",)),
    _Script(re.compile("[\u1000-\u109f]"), ("my",)),
    _Script(re.compile("[\u10a0-\u10ff\u1c90-\u1cbf]"), ("ka",)),
    _Script(re.compile("[\u1200-\u137f]"), ("am",)),
    _Script(re.compile("[\u1780-\u17d3]"), ("km",)),
)

_SLICE_COUNT, _SLICE_CHARACTERS = 10, 400
"""Number and length in characters of the evenly spaced slices sampled from a long text: some 4 ms."""

_LEAST_KANA_SHARE = 0.1
"""Share of kana among kana and Han from which a text is Japanese; Japanese prose has about half."""


def detect_language(text: str) -> str:
    """Return the code of the text's main language, a key of `LANGUAGE_NAME_BY_CODE`.

    A text without letters counts as English, and a text too short to detect as the first language of its script.
    """
    sampled_text = _sample_text(text)
    only_language_of_script, script = _find_script_and_only_language(sampled_text)
    if only_language_of_script:
        return only_language_of_script
    likelihood_by_language = {
        code: share for code, share in _load_language_identifier().rank(sampled_text) if code in script.languages
    }
    likeliest_language = max(likelihood_by_language, key=lambda code: likelihood_by_language[code])
    return (
        likeliest_language
        if 2 * likelihood_by_language[likeliest_language] > sum(likelihood_by_language.values())
        else script.languages[0]
    )


def is_latin_script_language(language_code: str) -> bool:
    """Return whether a language, given by its code in `LANGUAGE_NAME_BY_CODE`, is written in Latin letters."""
    return language_code in _LATIN_SCRIPT_LANGUAGES


def preload_language_detector(text: str) -> None:
    """Load the language detector ahead of time, unless the text's script already determines its language."""
    if not _find_script_and_only_language(_sample_text(text))[0]:
        _load_language_identifier()


def _find_script_and_only_language(sample: str) -> tuple[str, _Script]:
    """Return the language that the script alone tells, empty where it has several, and the script of most letters."""
    letter_counts_with_scripts = [(len(script.letters.findall(sample)), script) for script in _SCRIPTS_WITH_LANGUAGES]
    kana_count, han_count = len(_KANA_PATTERN.findall(sample)), len(_HAN_PATTERN.findall(sample))
    largest_letter_count, script = max(letter_counts_with_scripts, key=lambda count: count[0])
    if largest_letter_count == 0:
        return "en", script
    if script.letters in (_KANA_PATTERN, _HAN_PATTERN):
        return "ja" if kana_count > _LEAST_KANA_SHARE * (kana_count + han_count) else "zh", script
    return script.languages[0] if len(script.languages) == 1 else "", script


def _sample_text(text: str) -> str:
    if len(text) <= _SLICE_COUNT * _SLICE_CHARACTERS:
        return text
    slice_distance = (len(text) - _SLICE_CHARACTERS) // (_SLICE_COUNT - 1)
    return " ".join(
        text[number * slice_distance : number * slice_distance + _SLICE_CHARACTERS] for number in range(_SLICE_COUNT)
    )


@lru_cache(maxsize=1)
def _load_language_identifier() -> "LanguageIdentifier":
    from chunkers.text.language_detector_loading import load_detector_model

    return load_detector_model()
