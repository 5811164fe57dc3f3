"""A retrieval run in a thread of its own, with progress, cancel, and the chunkers that are done so far."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from chunkers import Cancelled, Chunker, Document, Embedder, InputError, Tools, load_tokenizer
from evaluation.corpus import Corpus, Ruler
from evaluation.questions import Questions, read_questions
from evaluation.retrieval import Evaluation, build_index, evaluate
from viz import work


@dataclass
class Retrieval:
    """Chunkers over documents and questions.

    Attributes
    ----------
    texts
        Name and text of every document.
    file
        Name and bytes of the questions.
    chunkers
        What each is called, and the chunker.
    found
        What is done, by place in ``chunkers``; it grows while this runs.
    errors
        The sentence of each chunker that failed, likewise.
    """

    texts: Sequence[tuple[str, str]]
    file: tuple[str, bytes]
    chunkers: Sequence[tuple[str, Chunker]]
    embedder: Embedder
    sentences: str
    tokenizer: str
    on_disk: bool
    top_k: int
    questions: Questions = field(default_factory=lambda: Questions((), ()))
    ruler: Ruler | None = None
    found: dict[int, Evaluation] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    error: str = ""
    said: str = "Loading the embedding model"
    share: float = 0.0
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def stopped(self) -> bool:
        """Whether the user asked it to stop."""
        return self._stop.is_set()

    def start(self) -> None:
        """Begin."""
        self._thread = threading.Thread(target=self._run, daemon=True, name="retrieval")
        self._thread.start()

    def stop(self) -> None:
        """Stop before the next document, or the next batch of texts."""
        self._stop.set()

    def join(self, seconds: float) -> None:
        """Wait until it has ended."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self) -> None:
        try:
            corpus = Corpus(tuple(Document.from_text(text, self.sentences, name) for name, text in self.texts))
            self.questions = read_questions(self.file[1], self.file[0], corpus)
            if not self.questions.usable:
                raise InputError(f"{self.file[0]}: at least one question must be usable; none is.")
            work.load(self.embedder)
            self.ruler = Ruler(corpus.whole.text, load_tokenizer(self.tokenizer))
            for number in range(len(self.chunkers)):
                self._measure(number, corpus, self.ruler)
        except Cancelled:
            pass
        except InputError as error:
            self.error = str(error)

    def _measure(self, number: int, corpus: Corpus, ruler: Ruler) -> None:
        title, chunker = self.chunkers[number]
        self.said, self.share = f"{title}: chunking", number / len(self.chunkers)

        def progress(done: int, total: int) -> None:
            self.said = f"{title}: {done:,} of {total:,} texts embedded"

        cache = work.cache(self.on_disk)
        tools = Tools(self.embedder, load_tokenizer(self.tokenizer), cache, progress, cancelled=self._stop.is_set)
        try:
            index = build_index(corpus, chunker, tools)
            self.found[number] = evaluate(index, self.questions.usable, tools, ruler, self.top_k)
        except InputError as error:
            self.errors[number] = str(error)
