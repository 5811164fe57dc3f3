"""Structure on the Breakpoints page: its steps are the text's blocks, with their tokens and reasons."""

import itertools

import pytest

from chunkers import Document, build_chunker
from chunkers.contract.base import run_and_time_chunker
from chunkers.text.blocks_and_headings import parse_block_outline
from sample_docs import load_sample
from tests.lanes import samples
from tests.support import tools
from tests.viz.breakpoints.test_page import notices, opened, steps_of
from viz.breakpoints.decision_steps_by_chunker import structure_steps

TEXT = """# Tea

Water first.

- green at eighty
- black at a hundred

Then wait.

# Coffee

Grind it now.
"""


def told(text, splitter, **parameters):
    """Return the result, the tokenizer's counts and the steps."""
    document, common = Document.from_text(text, splitter), tools()
    chunker = build_chunker("structure", parameters)
    scanned = chunker.block_steps(document, common)
    chunking = run_and_time_chunker(chunker, document, common)
    return chunking, scanned, structure_steps(chunking, chunker, scanned)


def test_the_blocks_of_a_small_text_worked_by_hand():
    _, _, steps = told(TEXT, "lines", max_size=9, join_below=4)
    assert [(step["title"], step["story"][0]) for step in steps] == [
        ("Heading of 2 tokens opens chunk 1", "The text begins with it."),
        ("Paragraph of 2 tokens stays in chunk 1", "Heading kept with what follows."),
        ("List of 9 tokens opens chunk 2", "New list: 4 + 9 tokens, 9 at most."),
        ("Paragraph of 2 tokens opens chunk 3", "New paragraph: 9 + 2 tokens, 9 at most."),
        ("Heading of 2 tokens opens chunk 4", "New heading of level 1."),
        ("Paragraph of 3 tokens stays in chunk 4", "Heading kept with what follows."),
    ]
    gauge = steps[2]["gauge"]
    assert (gauge["score"], gauge["threshold"]) == (13, 9)
    # As many tokens as the chunk with the list, and a smaller limit: all decisions follow.
    assert told(TEXT, "lines", max_size=13, join_below=5)[2][2]["story"] == ["Joined: same heading, 4 + 9 tokens."]


@pytest.mark.parametrize("settings", [{}, {"max_size": 40, "join_below": 20}], ids=["default", "small"])
@pytest.mark.parametrize("name", samples())
def test_the_steps_are_the_ledgers_decisions_on_all_blocks(name, settings):
    sample = load_sample(name)
    chunking, scanned, steps = told(sample.text, sample.sentences, **settings)
    starts = [chunk.start for chunk in chunking.chunks]
    assert [block.start for block in scanned if block.cut] == starts[1:]
    assert {block.span.start for block in parse_block_outline(sample.text).blocks} <= {block.start for block in scanned}
    count = tools().count_tokens
    reasons = {(gap.index, gap.verdict.is_cut): gap.reason for gap in chunking.gaps}
    for block, step in zip(scanned, steps, strict=True):
        assert block.size == count([sample.text[block.start : block.end]])[0]
        gap = step["mark"]["gap"]
        if (
            gap is not None
            and chunking.document.starts[gap + 1 if gap + 1 < len(chunking.document.starts) else 0] == block.start
        ):
            assert step["story"][0][1:-1] == reasons[gap, block.cut][1:]
    for step, following in itertools.pairwise(steps):
        assert step["placed"][0] <= step["placed"][1] <= following["placed"][1]
    assert steps[-1]["placed"][1] == len(chunking.document.sentences)


def test_the_page_steps_through_it_without_a_curve(app):
    opened(app, embedder="tfidf", document="article", sentences="spacy", c1="structure")
    assert app.query_params["view"] == "steps"
    assert not notices(app)
    assert {step["tone"] for step in steps_of(app)} == {"", "cut"}
    app.button_group(key="breakpoints/view/structure").set_value("gaps").run()
    assert not app.exception
