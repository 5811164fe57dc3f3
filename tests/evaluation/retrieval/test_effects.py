"""Kept, changed, new and gone chunks, equal to a plain recomputation."""

from hypothesis import given
from hypothesis import strategies as st

from evaluation.retrieval.index_changes import Changes, ChunkComparison

TEXTS = st.sampled_from(["", "a", "b", "a\n", "header\na", "é", "e\u0301", "😀"])
SIDES = st.dictionaries(st.sampled_from(["one.md", "two.md", "sub/one.md", "ü"]), st.lists(TEXTS, max_size=8))


def tokens(text):
    return 2 * len(text) + 1


def plainly(before, after, same_model=True):
    """Return the changes of each document by pairing its texts one by one."""
    changes = {}
    for name in {*before, *after}:
        old, new = [*before.get(name, [])], [*after.get(name, [])]
        fresh = []
        for text in new:
            if same_model and text in old:
                old.remove(text)
            else:
                fresh.append(text)
        kept, changed = len(new) - len(fresh), min(len(old), len(fresh))
        again, total = sum(map(tokens, fresh)), sum(map(tokens, new))
        if before.get(name) or after.get(name):
            changes[name] = Changes(kept, changed, len(fresh) - changed, len(old) - changed, again, total)
    return changes


def compared(before, after, same_model=True, parts=1):
    with ChunkComparison(same_model) as comparison:
        for is_after, side in enumerate((before, after)):
            for name, texts in side.items():
                for part in range(parts):
                    comparison.add_document_chunks_to_side(
                        name, [(text, tokens(text)) for text in texts[part::parts]], bool(is_after)
                    )
        return comparison.index_comparison(100)


@given(SIDES, SIDES, st.booleans(), st.integers(1, 3))
def test_it_equals_a_plain_recomputation(before, after, same_model, parts):
    wanted = plainly(before, after, same_model)
    comparison = compared(before, after, same_model, parts)
    assert (
        comparison.total == Changes(*map(sum, zip(*wanted.values(), strict=True)))
        if wanted
        else comparison.total == Changes()
    )
    touched = {name: changes for name, changes in wanted.items() if changes.changed or changes.new or changes.gone}
    assert dict(comparison.most_changed) == touched
    order = sorted(touched, key=lambda name: (-touched[name][4], -sum(touched[name][1:4]) - touched[name].changed, name))
    assert [document for document, _ in comparison.most_changed] == order
    assert (comparison.documents, comparison.changed_documents) == (len(wanted), len(touched))
    assert comparison.only_before == sum(not after.get(name) for name in wanted)
    assert comparison.only_after == sum(not before.get(name) for name in wanted)
    assert comparison.total.chunk_count_before == sum(map(len, before.values()))
    assert comparison.total.chunk_count_after == sum(map(len, after.values()))


@given(SIDES, SIDES)
def test_the_way_back_swaps_new_and_gone(before, after):
    there, back = compared(before, after).total, compared(after, before).total
    assert (back.kept, back.changed, back.new, back.gone) == (there.kept, there.changed, there.gone, there.new)


def test_a_third_copy_is_new_and_position_does_not_count():
    before, after = {"a": ["x", "y", "x"]}, {"a": ["x", "x", "x", "y"]}
    assert compared(before, after).total == Changes(3, 0, 1, 0, tokens("x"), 4 * tokens("x"))


def test_the_same_text_in_another_document_is_no_match():
    comparison = compared({"a": ["x"]}, {"b": ["x"]})
    assert comparison.total == Changes(0, 0, 1, 1, tokens("x"), tokens("x"))
    assert (comparison.only_before, comparison.only_after) == (1, 1)


def test_only_so_many_documents_are_listed():
    with ChunkComparison() as comparison:
        for number in range(5):
            comparison.add_document_chunks_to_side(f"{number}", [("x" * number, number)], is_after=True)
        assert [document for document, _ in comparison.index_comparison(2).most_changed] == ["4", "3"]
        # Asking does not end it.
        comparison.add_document_chunks_to_side("5", [("y", 50)], is_after=True)
        assert [document for document, _ in comparison.index_comparison(2).most_changed] == ["5", "4"]
