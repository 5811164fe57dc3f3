"""The plan of a retrieval run: its documents and questions, and the settings whose change requires another run."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from chunkers import Chunker, Document
from chunkers.results import EmbeddedAs
from chunkers.support import raise_if_cancelled
from chunkers.text import TextParts
from evaluation.search import RETURN_CHUNK_ITSELF, ReturnedText, SearchMethod

TITLE_SUFFIX_BY_EMBEDDING_MODE: Mapping[EmbeddedAs, str] = {
    "plain": "",
    "heading_path": " + heading path",
    "context": " + context",
    "late": " + late chunking",
}
"""Suffix of a chunker's name if several ways of embedding its chunks are measured."""


SEARCH_METHOD_TITLES: Mapping[SearchMethod, str] = {
    "embedding": "Embedding",
    "bm25": "Words (BM25)",
    "hybrid": "Both (hybrid)",
}
"""The methods of searching chunks, with their names on the page."""

_INDEXED_TEXT_PHRASES: Mapping[EmbeddedAs, str] = {
    "plain": "the text alone",
    "heading_path": "the heading path and the text",
    "context": "the context sentence and the text",
    "late": "the text alone",
}


class OwnDocuments(NamedTuple):
    """The user's documents: name and text of each, their pages or chapters, and the errors of unreadable files."""

    texts: list[tuple[str, str]]
    complaints: list[str]
    parts: list[tuple[str, TextParts]]


@dataclass(frozen=True)
class RunMaterial:
    """The documents and questions of a run.

    Attributes
    ----------
    texts
        Name and text of each document.
    questions
        Name and content of the file of questions.
    own
        True if the material is the user's own rather than bundled.
    parts
        Name and pages (or chapters) of each document that has any.
    """

    texts: tuple[tuple[str, str], ...]
    questions: tuple[str, bytes]
    own: bool
    parts: tuple[tuple[str, TextParts], ...] = ()

    def documents(self, splitter: str, cancelled: Callable[[], bool] = bool) -> Iterator[Document]:
        """Yield the documents, split into sentences, one document at a time.

        Raises
        ------
        Cancelled
            If the user stops.
        """
        text_parts_by_document_name = dict(self.parts)
        for document_name, document_text in self.texts:
            raise_if_cancelled(cancelled)
            yield Document.from_text(
                document_text, splitter, document_name, text_parts_by_document_name.get(document_name)
            ).split(cancelled)


@dataclass(frozen=True)
class Plan:
    """The settings of a retrieval run; any change requires a new run.

    ``embedder`` is the embedder's name. ``embedded_as`` determines the text that is embedded for each chunk, ``returned``
    the passage that is returned for a retrieved chunk. ``language_model`` is the identity of the language model; empty if
    none is called. If chunkers are measured several times, ``embedding_modes`` has the way of embedding for each of the
    ``chunkers``. ``searched_by`` is the search method: by cosine, by words, or by both.
    """

    material: RunMaterial
    chunkers: tuple[Chunker, ...]
    embedder: str
    sentences: str
    tokenizer: str
    embedded_as: EmbeddedAs = "plain"
    returned: ReturnedText = RETURN_CHUNK_ITSELF
    language_model: str = ""
    embedding_modes: tuple[EmbeddedAs, ...] = ()
    searched_by: SearchMethod = "embedding"

    def embedding_mode_of_chunker(self, chunker_number: int) -> EmbeddedAs:
        """Return the embedding mode of chunker ``chunker_number`` (from 0), such as ``heading_path``."""
        return self.embedding_modes[chunker_number] if self.embedding_modes else self.embedded_as

    @property
    def calls_language_model(self) -> bool:
        """True if the plan calls a language model."""
        return any(chunker.asks for chunker in self.chunkers) or "context" in (self.embedded_as, *self.embedding_modes)

    @property
    def uses_late_chunking(self) -> bool:
        """True if chunks are embedded by late chunking."""
        return self.searched_by != "bm25" and "late" in (self.embedded_as, *self.embedding_modes)

    @property
    def embeds_anything(self) -> bool:
        """True if texts are embedded, for searching or for cutting; otherwise the embedder's model is not needed."""
        return self.searched_by != "bm25" or any(chunker.embeds for chunker in self.chunkers)

    @property
    def keyword_indexed_text_sentence(self) -> str:
        """A sentence about the text that keyword search covers; empty if the search uses embeddings alone."""
        if self.searched_by == "embedding":
            return ""
        indexed_text_phrases = dict.fromkeys(
            _INDEXED_TEXT_PHRASES[self.embedding_mode_of_chunker(number)] for number in range(len(self.chunkers))
        )
        indexed_texts_phrase = ", of others ".join(indexed_text_phrases)
        if self.searched_by == "bm25":
            method_phrase, indexing_phrase = "words (BM25)", "indexed; chunks without any word of the question come last"
        else:
            method_phrase, indexing_phrase = "embedding and by words (BM25), both ranks fused", "embedded and indexed"
        return (
            f"Searched by {method_phrase}: of {'some chunks' if len(indexed_text_phrases) > 1 else 'every chunk'} "
            f"{indexed_texts_phrase} is {indexing_phrase}."
        )

    @property
    def numbered_chunker_titles(self) -> list[str]:
        """The chunkers' display names, numbered from 1, with the embedding mode if there are several."""
        embedding_modes: list[EmbeddedAs] = [*self.embedding_modes] or ["plain"] * len(self.chunkers)
        return [
            f"{number}. {type(chunker).title}{TITLE_SUFFIX_BY_EMBEDDING_MODE[way]}"
            for number, (chunker, way) in enumerate(zip(self.chunkers, embedding_modes, strict=True), start=1)
        ]

    @property
    def chunker_titles_with_settings(self) -> list[str]:
        """The chunkers' display names with their settings."""
        return [
            f"{name}, {chunker.describe()}"
            for name, chunker in zip(self.numbered_chunker_titles, self.chunkers, strict=True)
        ]

    def differing_setting_names(self, other: "Plan") -> list[str]:
        """Return the names of the settings in which the other plan differs."""
        differs_by_setting = {
            "chunkers": self.chunkers != other.chunkers,
            "documents": self.material.texts != other.material.texts,
            "questions": self.material.questions != other.material.questions,
            "embedder": self.embedder != other.embedder,
            "sentences": self.sentences != other.sentences,
            "tokenizer": self.tokenizer != other.tokenizer,
            "what is embedded": (self.embedded_as, self.embedding_modes) != (other.embedded_as, other.embedding_modes),
            "how it is searched": self.searched_by != other.searched_by,
            "what is returned": self.returned != other.returned,
            "language model": self.language_model != other.language_model,
        }
        return [name for name, different in differs_by_setting.items() if different]
