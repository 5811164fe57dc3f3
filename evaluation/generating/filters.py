"""Two filters of generated questions: excerpts that are not about the question, and questions that are asked twice.

Source: Chroma technical report, “Evaluating Chunking Strategies for Retrieval” (2024), which filters by the cosine of
embeddings, and drops a question if one of its excerpts is too little like it, or if it is too much like another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from chunkers import Tools
from chunkers.support.arrays import FloatArray
from evaluation.generating.generate import Generated
from evaluation.questions.corpus import Corpus
from evaluation.search.index import embed_together

LOWEST, HIGHEST = 0.36, 0.78
"""The thresholds of the code beside Chroma's report, which are for OpenAI's text-embedding-3-large.

Other embedders give other cosines: look where the line lies in the histogram.
"""


class Alike(NamedTuple):
    """Cosine similarities of questions to their excerpts and to each other.

    Attributes
    ----------
    excerpts
        The lowest cosine of each question with any of its excerpts, shape (questions,).
    questions
        The cosine of every pair of questions, shape (questions, questions).
    """

    excerpts: FloatArray
    questions: FloatArray


class Filtered(NamedTuple):
    """Outcome of the similarity filters for each question.

    Attributes
    ----------
    excerpts
        The lowest cosine of each question with any of its excerpts, shape (questions,).
    earlier
        The highest cosine of each question with an earlier question, shape (questions,), among the questions that pass the
        first filter. NaN for questions that do not pass, and for questions without an earlier question.
    kept
        True if a question passes both filters, shape (questions,).
    """

    excerpts: FloatArray
    earlier: FloatArray
    kept: npt.NDArray[np.bool_]


def compare(made: Sequence[Generated], corpus: Corpus, tools: Tools) -> Alike:
    """Return the cosine similarities of questions to their excerpts and to each other.

    Raises the same errors as `Tools.embed`.

    Parameters
    ----------
    made
        The questions; at least one.
    corpus
        The documents that the questions are about.
    tools
        Services with the embedder. An embedder that needs fitting is fitted on the sentences of all documents, as for
        retrieval.
    """
    excerpts = [
        (number, corpus.documents[question.window.document].text[start:end])
        for number, question in enumerate(made)
        for start, end in question.excerpts
    ]
    wanted = [*(question.question for question in made), *(text for _, text in excerpts)]
    vectors = embed_together(corpus, wanted, tools).astype(float)
    asked, quoted = vectors[: len(made)], vectors[len(made) :]
    owners = np.array([number for number, _ in excerpts], dtype=np.intp)
    lowest = np.ones(len(made))
    np.minimum.at(lowest, owners, np.einsum("ij,ij->i", asked[owners], quoted))
    # Unit vectors in single precision may have a cosine of a little more than 1.
    return Alike(np.clip(lowest, -1, 1), np.clip(asked @ asked.T, -1, 1))


def filtered(alike: Alike, lowest: float = LOWEST, highest: float = HIGHEST) -> Filtered:
    """Select the questions that resemble their excerpts and are not too similar to an earlier question.

    A question is compared with all earlier questions that resemble their excerpts, even those dropped as duplicates. Its
    highest cosine therefore does not depend on ``highest``, and its bar in the histogram stays in place.
    """
    passed = alike.excerpts >= lowest
    earlier = np.full(len(passed), np.nan)
    for number in np.flatnonzero(passed):
        before = alike.questions[number, :number][passed[:number]]
        if before.size:
            earlier[number] = before.max()
    return Filtered(alike.excerpts, earlier, passed & ~(earlier > highest))
