"""Whether, on a hundred long documents with known seams, seeing the whole text beats the greedy chunker.

The passages are the bundled documents' own, 4 to 12 sentences each, joined in seeded orders to about a hundred sentences.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence

from benchmarks.measure import table
from chunkers import Document, Tools, load_embedder, load_tokenizer
from evaluation.stitching import Passage, passages_of, stitch
from evaluation.sweep import MEASURES, Marked, Setting, published, summaries, sweep
from sample_docs import load_sample

SOURCES = ("stubs", "three_topics", "formulas", "article", "report", "essay")


def passages() -> list[Passage]:
    """Return the passages of the bundled documents, each text once."""
    found: dict[str, Passage] = {}
    lengths = random.Random(7)
    for name in SOURCES:
        sample = load_sample(name)
        for passage in passages_of(sample.text, sample.known or (), name, lengths.randint(4, 8), sample.sentences):
            found.setdefault(passage.text, passage)
    return list(found.values())


def documents(count: int, sentences: int = 100) -> list[Marked]:
    """Return ``count`` stitched documents."""
    source = passages()
    stitched = [stitch(source, sentences, seed) for seed in range(count)]
    return [
        Marked(Document.from_text(one.text, "spacy", f"stitched {seed}"), one.seams) for seed, one in enumerate(stitched)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the best settings of every chunker on one half, and what they reach on the other, held out."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stitched", description=__doc__)
    parser.add_argument("--count", type=int, default=100, metavar="N", help="documents (default: 100)")
    parser.add_argument("--measure", default="pk", choices=MEASURES)
    options = parser.parse_args(arguments)
    marked = documents(options.count)
    print(
        f"{len(marked)} documents, {sum(len(one.document.sentences) for one in marked):,} sentences, "
        f"{sum(len(one.known) for one in marked):,} seams."
    )
    at_rest = [Setting.of("optimal"), Setting.of("change_point"), Setting.of("double_pass"), Setting.of("breakpoint")]
    greedy = [setting for setting in published() if setting.chunker in ("breakpoint", "fixed_sentences")]
    tools = Tools(load_embedder(), load_tokenizer())
    rows = list(sweep(marked, [*at_rest, *greedy], tools))
    tuned = [row for row in rows if int(row.document.split()[1]) % 2 == 0]
    held_out = {one.setting: one for one in summaries([row for row in rows if row not in tuned], options.measure)}
    ranked = summaries(tuned, options.measure)
    shown = [one for one in ranked if one.setting in at_rest]
    for kind in ("breakpoint", "fixed_sentences"):
        shown += [one for one in ranked if one.setting.chunker == kind and one.setting not in at_rest][:3]
    lines = [
        [one.setting.words(), f"{one.mean:.4f}", f"{held_out[one.setting].mean:.4f}", f"{one.chunks:.1f}"]
        for one in sorted(shown, key=ranked.index)
    ]
    print(table(["setting", f"{options.measure}, tuned half", "held out", "chunks"], lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
