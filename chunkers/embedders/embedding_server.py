"""Embeddings from any OpenAI-compatible server, through the ``openai`` package."""

import json
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from chunkers.embedders.base import Embedder, scale_to_unit_length
from chunkers.network.connection import AnswerTooLarge, Connection
from chunkers.support import FloatArray, ModelError, ModelName, VectorArray, pluralize

REQUEST_TIMEOUT_SECONDS = 120
"""Seconds that a request may take: a model on a server's CPU needs them for a batch of long chunks."""

BATCH_DEADLINE_SECONDS = 300
"""Seconds that a batch may take in all, retries and what the server asks to wait included."""

MOST_DIMENSIONS = 16_384
"""Maximum number of dimensions of a vector: four times as many as the widest models in use have."""

MAX_ANSWER_BYTES_PER_TEXT = 393_216
"""Maximum number of bytes of an answer for each text that is sent: 24 for each number, which take no more in their shortest
form.
"""

MAX_ANSWER_BRACKETS_PER_TEXT = 10
"""Maximum number of lists and objects in an answer, for each text that is sent; a valid answer has two. An empty one takes
50 times its characters in memory, so they are counted before they are parsed.
"""


class OpenAIServer(Embedder):
    """An embedding model on an OpenAI-compatible server; every embedded text is sent to the server.

    Parameters
    ----------
    name
        ``openai:`` and the model's name on the server.
    address
        Base address, up to and including ``/v1``; empty for OPENAI_BASE_URL or, if that is not set, OpenAI's own
        address.
    key
        API key; empty for OPENAI_API_KEY, which is used only if ``address`` is empty.

    Raises
    ------
    InputError
        If no model is named.
    """

    packages = ("openai",)
    remote = True
    # Each request costs a round trip; many servers accept no more texts than this.
    batch = 64

    def __init__(self, name: str, address: str = "", key: str = "") -> None:
        self._model = ModelName.parse(name).name_at_required_provider("openai", "embedder", "a model on the server")
        self.name = name
        self._connection = Connection(name, address, key)
        # A hash, because the revision is written to recipes and an address may be private.
        self.revision = self._connection.identity
        self._lock = threading.Lock()
        self._dimension: int | None = None

    @property
    def destination(self) -> str:
        """Host that receives the texts, and the proxy in between, if any; empty if the address is invalid."""
        try:
            return self._connection.host_and_proxy_phrase
        except ModelError:
            return ""

    def ensure_loaded(self) -> None:
        """Create the API client without sending a request.

        Raises
        ------
        ModelError
            If the address is invalid, or is OpenAI's own and there is no key.
        """
        self._connection.client(REQUEST_TIMEOUT_SECONDS)

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return one unit vector per text, shape (len(texts), dimension); zeros where the server returns zeros.

        Raises
        ------
        ModelError
            If the server cannot be reached, refuses the request, takes too long, or does not return one finite vector
            per text.
        Cancelled
            If the user stops meanwhile (`abandon_requests_once_cancelled`).
        """
        self.ensure_loaded()
        server_text_vectors = self._connection.run_with_deadline(
            lambda: self._request_vectors(list(texts)), BATCH_DEADLINE_SECONDS, MAX_ANSWER_BYTES_PER_TEXT * len(texts)
        )
        with self._lock:
            self._dimension = self._dimension or server_text_vectors.shape[1]
            if server_text_vectors.shape[1] != self._dimension:
                raise self._connection.unusable_answer_error(
                    f"All vectors must have the same number of dimensions; these vectors have "
                    f"{server_text_vectors.shape[1]}, earlier "
                    f"ones {self._dimension}."
                )
        return scale_to_unit_length(server_text_vectors)

    def _request_vectors(self, texts: list[str]) -> FloatArray:
        """Request the vectors; split the texts in halves if the server rejects them as too many."""
        import openai

        embedding_api_client = self._connection.client(REQUEST_TIMEOUT_SECONDS)
        # No error is chained: the package's errors hold the request, and with it the key.
        try:
            embeddings_endpoint_client = embedding_api_client.embeddings.with_raw_response
            server_answer_body = embeddings_endpoint_client.create(
                model=self._model, input=texts, encoding_format="float"
            ).content
        except openai.APIStatusError as error:
            if error.status_code in (413, 422) and len(texts) > 1:
                half_text_count = len(texts) // 2
                first_half_vectors, second_half_vectors = (
                    self._request_vectors(texts[:half_text_count]),
                    self._request_vectors(texts[half_text_count:]),
                )
                if first_half_vectors.shape[1] != second_half_vectors.shape[1]:
                    raise self._connection.unusable_answer_error(
                        "All vectors must have the same number of dimensions; some vectors have "
                        f"{first_half_vectors.shape[1]}, others "
                        f"{second_half_vectors.shape[1]}."
                    ) from None
                return np.concatenate([first_half_vectors, second_half_vectors])
            raise self._connection.failed_request_error(error, REQUEST_TIMEOUT_SECONDS) from None
        except openai.APIConnectionError as error:
            raise self._connection.failed_request_error(error, REQUEST_TIMEOUT_SECONDS) from None
        except AnswerTooLarge:
            raise self._connection.unusable_answer_error(
                f"The answer must be uncompressed, with at most {MAX_ANSWER_BYTES_PER_TEXT:,} bytes for each text; it is "
                "compressed or "
                "larger."
            ) from None
        return self._vectors_in_text_order(self._parse_answer_as_json(server_answer_body, len(texts)), len(texts))

    def _parse_answer_as_json(self, body: bytes, text_count: int) -> Any:
        """Parse an answer for ``text_count`` texts after checking that it fits into memory."""
        if body.count(b"[") + body.count(b"{") > MAX_ANSWER_BRACKETS_PER_TEXT * (text_count + 1):
            raise self._connection.unusable_answer_error(
                f"The answer may contain at most {MAX_ANSWER_BRACKETS_PER_TEXT} lists and objects for each text; it "
                "contains more."
            )
        if body.count(b",") > (MOST_DIMENSIONS + MAX_ANSWER_BRACKETS_PER_TEXT) * text_count:
            raise self._connection.unusable_answer_error(
                f"The answer may contain at most {MOST_DIMENSIONS:,} numbers for each text; it contains more."
            )
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise self._connection.unusable_answer_error(
                "The answer must be valid JSON that is not nested too deeply; it cannot be parsed."
            ) from None

    def _vectors_in_text_order(self, answer: Any, text_count: int) -> FloatArray:
        """Return the rows of an answer in the order of the texts, shape (count, dimension)."""
        answer_data_items = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(answer_data_items, list):
            raise self._connection.unusable_answer_error(
                "The answer must contain the list 'data', with one vector for each text; the list is missing."
            )
        if len(answer_data_items) != text_count:
            raise self._connection.unusable_answer_error(
                f"The answer must contain one vector for each text; it contains "
                f"{pluralize(len(answer_data_items), 'vector')} for "
                f"{pluralize(text_count, 'text')}."
            )
        answer_items_with_index = [
            item for item in answer_data_items if isinstance(item, dict) and isinstance(item.get("index"), int)
        ]
        embedding_by_index = {item["index"]: item.get("embedding") for item in answer_items_with_index}
        if embedding_by_index.keys() != set(range(text_count)):
            raise self._connection.unusable_answer_error(
                "Every vector must have the index of its text; some indices are missing or wrong."
            )
        embeddings_in_text_order = [embedding_by_index[index] for index in range(text_count)]
        try:
            ordered_vector_array = np.array(embeddings_in_text_order, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise self._connection.unusable_answer_error(
                "All vectors must be lists of numbers of the same length; at least one vector is not."
            ) from None
        if ordered_vector_array.ndim != 2 or ordered_vector_array.shape[1] == 0:
            raise self._connection.unusable_answer_error(
                "Every vector must have at least one number; these vectors are empty."
            )
        if not np.isfinite(ordered_vector_array).all():
            raise self._connection.unusable_answer_error("All numbers in the vectors must be finite; some are not.")
        return ordered_vector_array
