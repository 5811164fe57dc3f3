"""BERTScore, where the package ``bert_score`` is installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from chunkers.support.errors import ModelError
from chunkers.support.extras import needed

PACKAGE = "bert_score"
REQUIREMENT = "bert-score"


def installed() -> bool:
    """Return whether the BERTScore package is installed, without importing it."""
    return find_spec(PACKAGE) is not None


def bert_scores(answers: Sequence[str], references: Sequence[str], language: str) -> list[float]:
    """Return the BERTScore F1 of each answer against its reference, shape (answers,).

    The package loads its model from its own cache, or downloads the model.

    Source: Zhang et al., BERTScore: Evaluating Text Generation with BERT (2020).

    Raises
    ------
    ModelError
        If the package is not installed, cannot load its model, or fails.
    """
    scorer = needed(PACKAGE, "BERTScore", REQUIREMENT)
    try:
        _, _, f1 = scorer.score(list(answers), list(references), lang=language, verbose=False)
        return [float(score) for score in f1]
    except Exception as error:
        # What loading a model raises is of many classes, and of a tokenizer that names no greatest length, an OverflowError.
        raise ModelError(
            f"BERTScore: the package {PACKAGE} could not load its model or score the texts; it raised "
            f"{type(error).__name__}. Choose another measure."
        ) from error
