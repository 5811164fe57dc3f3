"""Background jobs that compare chunkers: what changes in an index of documents, and how stable cuts are under edits."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from chunkers import Chunker, Document, Embedder, InputError, load_tokenizer
from chunkers.results import EmbeddedAs
from chunkers.support import FloatArray
from evaluation.questions import Corpus, Question, TokenRuler, read_questions
from evaluation.retrieval import Budgets, Limit
from evaluation.retrieval.index_changes import (
    DIGEST_BYTES,
    ChunkComparison,
    IndexComparison,
    question_recalls_by_retrieved_amount,
)
from evaluation.search import SearchMethod, cut_and_index_corpus
from evaluation.segmentation import DEFAULT_EDIT_COUNT, EditStability, measure_chunk_changes_by_edits
from viz.jobs.background_jobs import BackgroundJob
from viz.jobs.chunking import ChunkingTask
from viz.jobs.retrieval_plan import RunMaterial

MOST_LISTED_DOCUMENTS_AND_QUESTIONS = 10
"""Documents and questions that the page lists."""


class IndexSetting(NamedTuple):
    """Everything that determines the results of the columns, except their chunkers.

    Attributes
    ----------
    embedder
        Name and revision of the embedding model.
    limit
        Retrieved text for each question.
    """

    material: RunMaterial
    embedder: tuple[str, str]
    splitter: str
    tokenizer: str
    embedded_as: EmbeddedAs
    method: SearchMethod
    limit: Limit


class MeasuredChunks(NamedTuple):
    """A chunker's chunks of all documents, and what they retrieve.

    Attributes
    ----------
    chunks
        For each document, its name and the digest and tokens of each chunk's embedded text.
    recalls
        Recall of each question by the amount of text, see `question_recalls_by_retrieved_amount`; empty without questions.
    """

    chunks: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    recalls: Mapping[str, FloatArray]


@dataclass(eq=False)
class IndexChanges(BackgroundJob):
    """A job that cuts the documents by one chunker after another and searches their chunks.

    Attributes
    ----------
    chunkers
        The chunkers, with their display names.
    results
        What was measured, by chunker; a job that continues an earlier one is given its results.
    refusal_by_chunker
        Why a chunker is not measured.
    questions
        The usable questions.
    problems
        Sentences on unusable questions.
    """

    setting: IndexSetting
    chunkers: Mapping[Chunker, str]
    embedder: Embedder | None
    on_disk: bool
    results: dict[Chunker, MeasuredChunks] = field(default_factory=dict)
    refusal_by_chunker: dict[Chunker, str] = field(default_factory=dict)
    questions: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    _compared: dict[tuple[Chunker, Chunker], IndexComparison] = field(default_factory=dict, init=False)

    def progress(self) -> tuple[float, str]:
        """Return the share of the chunkers that are done, and the current step."""
        processed_chunkers = (self.results.keys() | self.refusal_by_chunker.keys()) & self.chunkers.keys()
        return len(processed_chunkers) / max(1, len(self.chunkers)), self._status

    def changes_if_chunker_replaced(self, replaced_chunker: Chunker, replacing_chunker: Chunker) -> IndexComparison:
        """Return the changes if one measured chunker replaces another."""
        if (replaced_chunker, replacing_chunker) not in self._compared:
            with ChunkComparison(self.setting.embedded_as != "late") as chunk_comparison:
                for is_chunker_the_replacement, chunker in enumerate((replaced_chunker, replacing_chunker)):
                    for document_name, document_chunks in self.results[chunker].chunks:
                        chunk_comparison.add_document_chunks_to_side(
                            document_name, document_chunks, bool(is_chunker_the_replacement)
                        )
                self._compared[replaced_chunker, replacing_chunker] = chunk_comparison.index_comparison(
                    MOST_LISTED_DOCUMENTS_AND_QUESTIONS
                )
        return self._compared[replaced_chunker, replacing_chunker]

    def _do_work(self) -> None:
        comparison_setting = self.setting
        self._status = "Splitting into sentences"
        corpus = Corpus(tuple(comparison_setting.material.documents(comparison_setting.splitter, self.cancelled)))
        corpus_questions = self._read_questions(corpus)
        token_ruler = TokenRuler(corpus.joined_document.text, load_tokenizer(comparison_setting.tokenizer))
        # Without questions only the chunks count, and nothing is embedded for searching.
        search_method: SearchMethod = comparison_setting.method if corpus_questions else "bm25"
        if self.embedder is not None and (search_method != "bm25" or any(chunker.embeds for chunker in self.chunkers)):
            self.load_embedding_model(self.embedder)
        for chunker, chunker_title in self.chunkers.items():
            if chunker in self.results:
                continue
            if chunker.asks:
                self.refusal_by_chunker[chunker] = "Not measured: its language model would be asked about every document."
                continue
            try:
                self.results[chunker] = self._cut_and_search_with_chunker(
                    chunker, chunker_title, search_method, corpus, corpus_questions, token_ruler
                )
            except InputError as error:
                self.refusal_by_chunker[chunker] = str(error)

    def _read_questions(self, corpus: Corpus) -> tuple[Question, ...]:
        question_file_name, question_file_content = self.setting.material.questions
        if not question_file_content:
            return ()
        parsed_questions = read_questions(question_file_content, question_file_name, corpus, self.cancelled)
        self.problems = tuple(parsed_questions.problems)
        self.questions = tuple(question.text for question in parsed_questions.usable)
        return tuple(parsed_questions.usable)

    def _cut_and_search_with_chunker(
        self,
        chunker: Chunker,
        title: str,
        search_method: SearchMethod,
        corpus: Corpus,
        questions: Sequence[Question],
        token_ruler: TokenRuler,
    ) -> MeasuredChunks:
        """Cut the documents by a chunker, and search its chunks for the questions."""
        shared_measurement_setting = self.setting
        self._status = f"{title}: cutting"
        tools = self.tools(
            self.embedder,
            shared_measurement_setting.tokenizer,
            uses_disk_cache=self.on_disk,
            progress=self._embedded_text_count_reporter(title),
            arrival=self.arrival,
        )
        chunk_search_index = cut_and_index_corpus(
            corpus, chunker, tools, shared_measurement_setting.embedded_as, search_method
        )
        chunks_by_document: dict[str, list[tuple[str, int]]] = {document.name: [] for document in corpus.documents}
        for spans_of_one_chunk, chunk_text, chunk_token_count in zip(
            chunk_search_index.chunks,
            chunk_search_index.texts,
            map(int, tools.tokenizer.count(chunk_search_index.texts)),
            strict=True,
        ):
            chunk_text_digest = hashlib.blake2b(chunk_text.encode(), digest_size=DIGEST_BYTES).hexdigest()
            chunks_by_document[corpus.names[corpus.document_number_at(spans_of_one_chunk[0].start)]].append(
                (chunk_text_digest, chunk_token_count)
            )
        name_and_chunks_per_document = tuple((name, tuple(own)) for name, own in chunks_by_document.items())
        if not questions:
            return MeasuredChunks(name_and_chunks_per_document, {})
        retrieval_limit = shared_measurement_setting.limit
        token_budgets = Budgets((retrieval_limit.budget,)) if retrieval_limit.budget else None
        return MeasuredChunks(
            name_and_chunks_per_document,
            question_recalls_by_retrieved_amount(
                chunk_search_index, questions, tools, token_ruler, retrieval_limit.top or None, token_budgets
            ),
        )


# The edit stability of several chunkers on one document.


@dataclass(eq=False)
class EditStabilityJob(BackgroundJob):
    """A job that measures how stable chunkers are under edits of the text, one chunker after another.

    ``named_chunkers`` has the chunkers with their display names. ``results`` has the measurements; ``refusal_by_task`` has
    the reasons for chunkers that cannot be measured.
    """

    source: Document
    embedder: Embedder | None
    named_chunkers: Sequence[tuple[str, ChunkingTask, Chunker]]
    on_disk: bool
    edit_count: int = DEFAULT_EDIT_COUNT
    results: dict[ChunkingTask, EditStability] = field(default_factory=dict)
    refusal_by_task: dict[ChunkingTask, str] = field(default_factory=dict)
    _chunker_index: int = 0
    _done: int = 0

    def progress(self) -> tuple[float, str]:
        """Return the share of all edits that are done, and the current chunker."""
        chunker_index, done_edit_count = self._chunker_index, self._done
        edits_done_share = (chunker_index * self.edit_count + done_edit_count) / max(
            1, len(self.named_chunkers) * self.edit_count
        )
        current_chunker_name = (
            self.named_chunkers[min(chunker_index, len(self.named_chunkers) - 1)][0] if self.named_chunkers else ""
        )
        return min(edits_done_share, 1.0), f"{current_chunker_name}: {done_edit_count:,} of {self.edit_count:,} edits"

    def _note_edits_done(self, done_count: int, total: int) -> None:
        # A short text has fewer edits.
        self._done = done_count * self.edit_count // total

    def _do_work(self) -> None:
        for chunker_index, (_, chunking_task, chunker) in enumerate(self.named_chunkers):
            self._chunker_index, self._done = chunker_index, 0
            if chunker.asks:
                self.refusal_by_task[chunking_task] = "Not measured: the language model would be asked anew after each edit."
                continue
            if chunker.elsewhere:
                self.refusal_by_task[chunking_task] = (
                    "Not measured: made elsewhere, the chunks cannot be made again after each edit."
                )
                continue
            if chunker.embeds and self.embedder is not None:
                self.load_embedding_model(self.embedder)
            tools = self.tools(
                self.embedder if chunker.embeds else None,
                chunking_task.tokenizer,
                uses_disk_cache=self.on_disk,
                arrival=self.arrival,
            )
            try:
                self.results[chunking_task] = measure_chunk_changes_by_edits(
                    chunker, self.source, tools, self.edit_count, progress=self._note_edits_done
                )
            except InputError as error:
                self.refusal_by_task[chunking_task] = str(error)
