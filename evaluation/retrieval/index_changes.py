"""Effects of another way to cut the same documents: chunks that change, tokens to embed again, questions won and lost.

What counts is the text that is embedded for a chunk, with headings or a context in front if there are any, and not its
position: an index needs one vector for each text, wherever the text stands in its document. If a document has a text b
times before and a times after, then min(a, b) of its chunks are kept. Of the other chunks of a document, as many as there
are on both sides are changed; the rest are new, or gone. Changed and new chunks must be embedded again. Vectors of another
model are of no use, and by late chunking a vector depends on the text around the chunk, so that nothing is kept.

A question is won or lost if its recall is higher or lower than before.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np

from chunkers import Chunker, Tools
from chunkers.results import EmbeddedAs
from chunkers.support import FloatArray
from evaluation.questions import Question, TokenRuler
from evaluation.retrieval.budget import Budgets, evaluate_at_budgets
from evaluation.retrieval.measures import evaluate_retrieval
from evaluation.search import Index, SearchMethod
from evaluation.statistics import Difference, corrected_differences_per_comparison

DIGEST_BYTES = 16
"""Bytes of a text's hash: two of a thousand million texts share one with a probability below 1 to 10²⁰."""

_COUNTING_SQL = """
    CREATE TABLE documents AS
    SELECT document, sum(min(before, after)) AS kept, sum(before) AS before, sum(after) AS after,
        sum(max(after - before, 0) * tokens) AS again, sum(after * tokens) AS tokens
    FROM (
        SELECT document, sum(is_after = 0) AS before, sum(is_after) AS after, max(is_after * tokens) AS tokens
        FROM chunks GROUP BY document, text
    )
    GROUP BY document
"""

_CHANGE_COUNT_COLUMNS_SQL = """
    kept, min(before, after) - kept AS changed, max(after - before, 0) AS new, max(before - after, 0) AS gone, again, tokens
"""


class Changes(NamedTuple):
    """Numbers of kept, changed, new and gone chunks, and tokens.

    Attributes
    ----------
    kept, changed, new, gone
        Numbers of chunks, as this module counts them. There are kept + changed + gone chunks before, and kept + changed +
        new after.
    tokens_again
        Tokens of the changed and new chunks, which must be embedded again.
    tokens
        Tokens of all chunks after the change.
    """

    kept: int = 0
    changed: int = 0
    new: int = 0
    gone: int = 0
    tokens_again: int = 0
    tokens: int = 0

    @property
    def chunk_count_before(self) -> int:
        """Number of chunks before the change."""
        return self.kept + self.changed + self.gone

    @property
    def chunk_count_after(self) -> int:
        """Number of chunks after the change."""
        return self.kept + self.changed + self.new


def embedding_dollars(token_count: int, dollars_per_million_tokens: float | None) -> float | None:
    """Return the dollars for embedding tokens at a price for a million; None without a price."""
    return None if dollars_per_million_tokens is None else token_count / 1_000_000 * dollars_per_million_tokens


def format_dollars(dollars: float) -> str:
    """Format dollars with two decimals, or with two significant digits below a cent."""
    return f"${dollars:,.2f}" if dollars >= 0.01 or not dollars else f"${dollars:.2g}"


class IndexComparison(NamedTuple):
    """Changes of all documents together, and the documents that change most.

    Attributes
    ----------
    documents, changed_documents
        Number of documents with a chunk on either side, and of those with a chunk that is not kept.
    only_before, only_after
        Number of documents with chunks on only one side.
    most_changed
        Names and changes of the documents with the most tokens to embed again, then with the most chunks that are not kept;
        names decide ties.
    """

    total: Changes
    documents: int
    changed_documents: int
    only_before: int
    only_after: int
    most_changed: tuple[tuple[str, Changes], ...]


class ChunkComparison:
    """Comparison of the chunks of two indexes, in memory that does not grow with their number.

    Hashes of the texts are in a temporary database on disk, which a close removes; use the object in a ``with`` statement.
    Documents may be added in any order, and in parts.

    Parameters
    ----------
    can_reuse_vectors
        True if the same text has the same vector on both sides; otherwise, as with another model or by late chunking, no
        chunk is kept.
    """

    def __init__(self, can_reuse_vectors: bool = True) -> None:
        self._keeps_vectors = can_reuse_vectors
        # A database without a name is in memory as far as the cache of 2 MB holds it, and then in a file without a name.
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute("CREATE TABLE chunks (document TEXT, text BLOB, is_after INTEGER, tokens INTEGER)")
        self._database.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._database.close()

    def add_document_chunks_to_side(
        self, document_name: str, texts_and_token_counts: Iterable[tuple[str, int]], is_after: bool
    ) -> None:
        """Add chunks of a document to one side: the embedded text of each, and its tokens.

        ``is_after`` is true for the side that replaces the other.
        """
        digest_salt_of_side = b"" if self._keeps_vectors else (b"before", b"after")[is_after]
        chunk_database_rows = (
            (
                document_name,
                hashlib.blake2b(text.encode(), digest_size=DIGEST_BYTES, salt=digest_salt_of_side).digest(),
                is_after,
                tokens,
            )
            for text, tokens in texts_and_token_counts
        )
        self._database.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?)", chunk_database_rows)

    def index_comparison(self, max_listed_documents: int = 10) -> IndexComparison:
        """Return the total changes, and up to ``max_listed_documents`` of the documents that change most."""
        execute_sql = self._database.execute
        execute_sql("DROP TABLE IF EXISTS documents")
        execute_sql(_COUNTING_SQL)
        sql_sum_expressions = ", ".join(
            f"coalesce(sum({name}), 0)" for name in ("kept", "changed", "new", "gone", "again", "tokens")
        )
        changes_of_all_documents = Changes(
            *execute_sql(f"SELECT {sql_sum_expressions} FROM (SELECT {_CHANGE_COUNT_COLUMNS_SQL} FROM documents)").fetchone()
        )
        document_count, changed_document_count, only_before_document_count, only_after_document_count = execute_sql(
            "SELECT count(*), coalesce(sum(before > kept OR after > kept), 0), coalesce(sum(after = 0), 0), "
            "coalesce(sum(before = 0), 0) FROM documents"
        ).fetchone()
        most_changed_document_rows = execute_sql(
            f"SELECT document, {_CHANGE_COUNT_COLUMNS_SQL} FROM documents WHERE before > kept OR after > kept "
            "ORDER BY again DESC, before + after - 2 * kept DESC, document LIMIT ?",
            (max_listed_documents,),
        )
        return IndexComparison(
            changes_of_all_documents,
            document_count,
            changed_document_count,
            only_before_document_count,
            only_after_document_count,
            tuple((name, Changes(*values)) for name, *values in most_changed_document_rows),
        )


# Questions won and lost.


def question_recalls_by_retrieved_amount(
    index: Index, questions: Sequence[Question], tools: Tools, ruler: TokenRuler, top_k: int | None, budgets: Budgets | None
) -> dict[str, FloatArray]:
    """Return the recall of each question by the amount of text, such as ``k = 5``, each of shape (questions,).

    Amounts are the top k, unless ``top_k`` is None, and every budget. Recall is measured in the budgets' unit, or else in
    tokens. Raises the same errors as `Tools.embed`.
    """
    budget_unit = "tokens" if budgets is None else budgets.unit
    recalls_by_amount = {}
    if top_k is not None:
        recalls_by_amount[f"k = {top_k:,}"] = evaluate_retrieval(index, questions, tools, ruler, top_k).values(
            "recall", budget_unit
        )
    if budgets is not None:
        results_at_all_budgets = evaluate_at_budgets(index, questions, tools, ruler, budgets)
        recalls_by_amount |= {
            f"{size:,} {budget_unit}": results_at_all_budgets.question_values_at_budget("recall", size, budget_unit)
            for size in budgets.sizes
        }
    return recalls_by_amount


def estimate_embedded_tokens_of_indexing(
    indexed_token_count: int, chunker: Chunker, search_method: SearchMethod, embedded_as: EmbeddedAs
) -> int:
    """Estimate the tokens embedded to index ``indexed_token_count`` tokens: for search and, if the chunker embeds, to cut.

    By late chunking, windows that overlap by half read a document twice. A sentence that is compared together with its
    ``buffer`` neighbours on either side is read with each of them. Overlaps of chunks, and headings and contexts in front of
    them, do not count; texts in a cache count.
    """
    search_embedding_pass_count = 0 if search_method == "bm25" else 2 if embedded_as == "late" else 1
    cutting_pass_count = 2 * int(getattr(chunker, "buffer", 0)) + 1 if chunker.embeds else 0
    return indexed_token_count * (search_embedding_pass_count + cutting_pass_count)


@dataclass(frozen=True, eq=False)
class WonAndLost:
    """Recall of each question on both sides, by the amount of text.

    Attributes
    ----------
    before, after
        Results of `question_recalls_by_retrieved_amount` for the same questions and amounts.
    """

    before: Mapping[str, FloatArray]
    after: Mapping[str, FloatArray]

    def recall_difference_by_amount(self) -> dict[str, Difference | None]:
        """Return the difference of the mean recalls, after minus before, at each amount; None with too few questions."""
        question_recall_changes = np.array([self.after[amount] - before for amount, before in self.before.items()])
        return dict(zip(self.before, corrected_differences_per_comparison(question_recall_changes), strict=True))

    def won_and_lost_question_numbers(self, retrieved_amount: str) -> tuple[list[int], list[int]]:
        """Return the numbers of the questions that are won by the change, and of those that are lost."""
        recalls_before, recalls_after = self.before[retrieved_amount], self.after[retrieved_amount]
        return [*np.flatnonzero(recalls_after > recalls_before + 1e-9).tolist()], [
            *np.flatnonzero(recalls_after < recalls_before - 1e-9).tolist()
        ]
