"""Parameters that change nothing beside the values of the others, and a number of chunks that is not what comes out."""

import pytest

from chunkers import FixedSentences
from chunkers.methods.change_point import ChangePoint
from chunkers.methods.single_linkage import SingleLinkage
from chunkers.recipes.chunker_registry import CHUNKERS
from tests.support import AngleEmbedder, cut

TEXT = "\n".join(map(str, (0, 5, 60, 65, 100, 3, 62, 101, 7)))

SET = [
    (FixedSentences(chunks=3), {"size", "oversize", "size_unit"}),
    (FixedSentences(min_size=2), {"oversize"}),
    (FixedSentences(max_size=2, size_unit="sentences"), set()),
    (SingleLinkage(chunks=2), {"target_sentences", "slack"}),
    (SingleLinkage(), set()),
    (ChangePoint(chunks=3), {"penalty", "caution", "shuffled_runs", "oversize", "size_unit"}),
    (ChangePoint(target_sentences=3), {"penalty", "caution", "shuffled_runs", "oversize", "size_unit"}),
    (ChangePoint(penalty=0.5), {"caution", "shuffled_runs", "oversize", "size_unit"}),
    (ChangePoint(), {"oversize", "size_unit"}),
]


@pytest.mark.parametrize(("chunker", "idle"), SET)
def test_which_change_nothing(chunker, idle):
    assert chunker.idle() == idle


CHUNKERS_SET = [*(chunker for chunker, _ in SET), *(kind() for kind in CHUNKERS.values())]


@pytest.mark.parametrize("chunker", CHUNKERS_SET, ids=repr)
def test_another_value_of_what_is_idle_changes_nothing(chunker):
    made = cut(chunker, TEXT, embedder=AngleEmbedder())
    specs = {spec.name: spec for spec in chunker.fields(chunker.model_dump())}
    assert chunker.idle() <= set(specs)
    for name in chunker.idle():
        for value in specs[name].choices or specs[name].stops[::7]:
            other = type(chunker)(**{**chunker.model_dump(), name: value})
            assert cut(other, TEXT, embedder=AngleEmbedder()).texts == made.texts, (name, value)


def test_another_number_of_chunks_than_was_asked_for_is_said():
    made = cut(SingleLinkage(chunks=2, max_distance=0.1, position_weight=0), TEXT, embedder=AngleEmbedder())
    assert len(made) == 3
    assert made.notes == (
        "Asked for 2 chunks, made 3: the number only caps a chunk, here at 5 sentences, "
        "and the maximum distance joins no more.",
    )
    assert SingleLinkage(chunks=2).describe() == "λ 0.5, a cap for 2 chunks, distance 0.5"
    as_asked = cut(SingleLinkage(chunks=9, max_distance=0.1, position_weight=0), TEXT, embedder=AngleEmbedder())
    assert (len(as_asked), as_asked.notes) == (9, ())
