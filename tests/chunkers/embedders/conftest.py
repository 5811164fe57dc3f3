"""Models in folders, and a server of embeddings."""

import numpy as np
import pytest

from tests.fixtures.small_embedding_model import make_model
from tests.server import EmbeddingServer


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("models") / "one")


@pytest.fixture(scope="module")
def pipeline_folder(tmp_path_factory):
    """Save a spaCy pipeline that knows a few words."""
    import spacy

    nlp = spacy.blank("en")
    for word, numbers in {"cat": [1, 0, 0], "mat": [3, 4, 0], "tide": [0, 0, 2], "salt": [0, -1, 1]}.items():
        nlp.vocab.set_vector(word, np.array(numbers, dtype=np.float32))
    folder = tmp_path_factory.mktemp("pipelines") / "words"
    nlp.to_disk(folder)
    return folder


@pytest.fixture
def http(serve):
    return serve(EmbeddingServer)
