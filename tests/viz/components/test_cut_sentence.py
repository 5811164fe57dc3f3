"""While a line moves the browser says the cuts: in the server's words, and in the server's places."""

import json
import math
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from chunkers import Breakpoint, Document, Reason
from chunkers.building_blocks.thresholds import TIE_TOLERANCE, mark_scores_passing_level
from chunkers.contract.base import run_and_time_chunker
from sample_docs import load_sample
from tests.support import HashEmbedder, tools
from viz.components.browser_exchange import utf16_offsets
from viz.components.reader.column_body import score_curve_data, text_segments
from viz.components.script_bundler import VIZ_FOLDER

NODE = shutil.which("node", path=Path(sys.executable).parent) or shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="there is no Node to run scripts with")


def answer(script, function, calls):
    """Call an exported function of a script with each list of arguments, and return the results."""
    program = f"""
      import {{ readFileSync }} from "node:fs";
      import {{ {function} }} from {json.dumps((VIZ_FOLDER / script).as_uri())};
      console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map((call) => {function}(...call))));
    """
    command = [NODE, "--input-type=module", "--eval", program]
    ended = subprocess.run(command, input=json.dumps(calls), capture_output=True, text=True, check=True, timeout=120)
    return json.loads(ended.stdout)


def numbers():
    """Return pairs of a score and a level: apart, close together, and halfway between two decimals."""
    drawn = random.Random(1)
    scores = [drawn.uniform(-1, 2) for _ in range(400)] + [
        count / 2**power for power in range(1, 9) for count in range(-9, 9)
    ]
    scores += [round(drawn.random(), places) + 1e-12 for places in range(2, 8) for _ in range(40)] + [0.0, -0.0, -1e-7]
    pairs = [(score, score + drawn.choice([-1, 1]) * 10 ** -drawn.uniform(0, 8)) for score in scores]
    # Those that decimals do not tell apart.
    return [*pairs, (-1e-190, -0.0), (1e-18, 2.5e-18), (0.0, 1.234567e-20), (1e-19, 1.00000001e-19)]


def test_the_browser_writes_numbers_as_the_server_does():
    pairs = numbers()
    curves = [{"label": "distance", "above": score > level, "constrained": False} for score, level in pairs]
    calls = [(curve, score, level, False) for curve, (score, level) in zip(curves, pairs, strict=True)]
    sentences = [f"cut: {Reason('distance', score, '>' if score > level else '<', level)}" for score, level in pairs]
    assert answer("components/shared/cut_sentence.js", "cutSentence", calls) == sentences


def test_what_sizes_and_known_boundaries_add():
    curve = {"label": "distance", "above": True, "constrained": True}
    (sentence,) = answer("components/shared/cut_sentence.js", "cutSentence", [(curve, 0.7, 0.5, True)])
    assert sentence == "cut: distance 0.70 > 0.50 · sizes apply when you let go · not a known boundary"


@pytest.mark.slow
@pytest.mark.parametrize("threshold", ["percentile", "distance", "slope"])
def test_a_preview_has_the_parts_and_the_words_of_the_result(threshold):
    text = load_sample("emoji").text
    document = Document.from_text(text, "regex")
    chunker = Breakpoint(threshold=threshold, buffer=0)
    curve = score_curve_data(chunker, run_and_time_chunker(chunker, document, tools(HashEmbedder())), are_lines_movable=True)
    starts, ends = (utf16_offsets(text, [span[side] for span in document.sentences]) for side in (0, 1))
    known = utf16_offsets(text, document.starts[2:5])
    calls, wanted = [], []
    for amount, level in curve["lines"][0]["stops"]:
        made = run_and_time_chunker(chunker.model_copy(update={"amount": amount}), document, tools(HashEmbedder()))
        wanted.append(text_segments(document, made, frozenset(document.starts[2:5]), frozenset()))
        calls.append(({"starts": starts, "ends": ends}, curve, known, _cuts(curve, level), level))
    for preview, result in zip(answer("components/reader/column.js", "previewOf", calls), wanted, strict=True):
        for name in ("start", "end", "over", "from", "to", "split"):
            assert preview[name] == result[name]
        # Nothing stands above the first part.
        assert preview["label"][1:] == result["label"][1:]
        assert [tone.split() for tone in preview["tone"][1:]] == [tone.split() for tone in result["tone"][1:]]
    assert len({len(result["start"]) for result in wanted}) > 2


def _cuts(curve, level):
    scores = np.array([math.nan if score is None else score for score in curve["scores"]])
    return mark_scores_passing_level(scores, level, curve["above"]).tolist()


def test_the_browser_takes_the_same_scores_to_be_on_the_line():
    drawn = random.Random(2)
    levels = [drawn.uniform(-1, 2) for _ in range(100)]
    around = [0.0, *(sign * TIE_TOLERANCE * share for sign in (-1, 1) for share in (0.01, 0.5, 0.999, 1, 1.001, 2, 1e6))]
    calls, wanted = [], []
    for level in levels:
        scores = [level + apart for apart in around]
        for above in (True, False):
            curve = {"live": True, "above": above, "scores": scores, "lines": [{"level": level + 1}]}
            calls.append((curve, level))
            wanted.append(mark_scores_passing_level(np.array(scores), level, above).tolist())
    assert answer("components/reader/threshold_lines.js", "candidateCuts", calls) == wanted
    assert all(0 < sum(cuts) < len(cuts) for cuts in wanted)
