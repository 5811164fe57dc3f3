"""The words of the pages: one for each thing, each with a sentence.

``python -m viz.theme.glossary`` writes ``docs/glossary.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evaluation.segmentation.unlabelled import EXPLAINED

TEXT: Mapping[str, str] = {
    "Chunk": "A piece of the text that is embedded and stored as one: what a search gives to the language model.",
    "Gap": "The place between two neighbouring sentences, where a chunker cuts or does not.",
    "Boundary": "A gap at which one chunk ends and the next begins.",
    "Known boundary": "A boundary that is known to be right, since two sections of the text meet there.",
    "Embedding": "The vector that a model makes of a sentence or a chunk; texts with like meaning have like directions.",
    "Distance": "1 minus the cosine similarity of two embeddings: 0 if they have the same direction, 1 at a right angle.",
    "Threshold": "The score above which a gap is cut, or the similarity below which it is; the line on the curve.",
    "Percentile": "The share of gaps, in percent, that are not cut: at 70, the 30 % with the greatest distance are.",
    "Buffer": "How many sentences on either side are embedded together with each sentence.",
    "Mini-chunk": "A chunk of the first pass of Double pass, before the second pass merges it with others.",
    "Snippet": "A mini-chunk that the second pass merges over, as a formula or a quotation inside a paragraph.",
    "Proposition": "A sentence that a language model wrote, which says one thing of the text and is understood by itself.",
    "Default": "The value of a parameter that nobody has set, taken from the source of the chunker.",
    "Tokens": "The word pieces that a model reads, counted as the chosen model counts them.",
}
"""The words about texts and chunkers."""

SEGMENTATION: Mapping[str, str] = {
    "Pk": "A window of half the mean section slides along the text: the share of places at which its two ends are in one "
    "section but not in one chunk, or in one chunk but not in one section. 0 is best.",
    "WindowDiff": "The same window as for Pk: the share of places at which it holds too many or too few boundaries. "
    "0 is best.",
    "Boundary precision": "The share of the boundaries that are known ones. 1 is best.",
    "Boundary recall": "The share of the known boundaries that are found. 1 is best.",
    "Boundary F1": "The harmonic mean of boundary precision and recall. 1 is best.",
    "Boundary similarity": "The share of boundaries, known or found, that are both; one sentence off is half. 1 is best.",
    "Misassigned": "The sentences outside the chunk that fits their section best. 0 is best.",
    "Crossing": "The chunks that hold parts of two sections or more. 0 is best.",
}
"""The measures against known boundaries."""

UNLABELLED: Mapping[str, str] = {
    **{name.capitalize(): said for name, said in EXPLAINED.items() if name != "chunks"},
    "Edit": "One sentence that is inserted into the text at a place drawn by lot, after which the text is cut again.",
}
"""The measures without labels."""

RETRIEVAL: Mapping[str, str] = {
    "Top k": "How many chunks the search returns for a question.",
    "Budget": "How many tokens, or characters, of chunks the search returns for a question, the best chunks first.",
    "Heading path": "The headings in whose sections a chunk begins, from the outermost to the innermost.",
    "Context sentence": "A sentence or two of a language model on a chunk and its place in the document, embedded with it.",
    "Embedded as": "What of every chunk is embedded, or searched by its words: its own text, or first its heading path or a "
    "context sentence.",
    "Recall": "The share of the excerpts that is in the chunks found.",
    "Precision": "The share of the chunks found that is in the excerpts.",
    "Best possible precision": "The IoU that a search would reach that finds every chunk with a part of an excerpt, and no "
    "other; “precision Ω” in Chroma's report.",
    "IoU": "Intersection over union: what excerpts and chunks found have in common, divided by what they make together.",
    "Interval": "Confidence interval: in 95 of 100 sets of questions it holds the true mean or difference. Among several "
    "comparisons its level is higher (Holm's correction); it excludes 0 exactly if the difference is significant.",
    "Significant": "So large that, if no chunker were better than another, as large a difference would be found in at most "
    "5 of 100 sets of questions, all comparisons taken together.",
}
"""The words about retrieval."""

ANSWERS: Mapping[str, str] = {
    "Faithfulness": "The share of an answer's statements that the chunks which the model was given bear out, as a judging "
    "model finds.",
    "Answer relevancy": "A judging model writes three questions that the answer would answer: the mean cosine of these and "
    "the question that was asked, by the embedder; 0 for an answer that commits itself to nothing.",
    "AQS": "Answer quality score: the harmonic mean of faithfulness and answer relevancy.",
    "Correctness": "A judging model's grade of an answer against its reference, from 1 to 5.",
    "Question cosine": "The cosine of the embeddings of the question and the answer.",
    "Reference cosine": "The cosine of the embeddings of the answer and its reference.",
    "BERTScore": "F1 of the best matches between the words of the answer and of its reference, by their embeddings in "
    "context; the package bert-score computes it.",
}
"""The measures of answers."""

PARTS = {
    "Texts and chunkers": TEXT,
    "Measures against known boundaries": SEGMENTATION,
    "Measures without labels": UNLABELLED,
    "Measures of retrieval": RETRIEVAL,
    "Measures of answers": ANSWERS,
}

INSTEAD: Mapping[str, str] = {
    "at rest": "Default",
    "beside ours": "next to ours",
    "Sizes count": "Sizes in",
    "Count tokens of": "Tokens as",
    "Cut again": "If still too large",
    "The ledger says": "The reason given",
    "Precision Ω": "Best possible precision",
    "Chunks that count": "Top k",
}
"""Words that the pages avoid, and what they say instead."""

DOCUMENT = Path(__file__).parents[2] / "docs" / "glossary.md"


def help_of(words: Mapping[str, str]) -> str:
    """Return an explanation of several words as Markdown for a help text."""
    return "  \n".join(f"**{word}**: {said}" for word, said in words.items())


def document() -> str:
    """Return the text of ``docs/glossary.md``."""
    lists = {title: [f"- **{word}**: {said}\n" for word, said in words.items()] for title, words in PARTS.items()}
    parts = [f"## {title}\n\n{''.join(lines)}" for title, lines in lists.items()]
    avoided = "".join(f"| {old} | {new} |\n" for old, new in INSTEAD.items())
    return (
        "# The words of the pages\n\nOne word for each thing, on every page and in the README. This file is generated by "
        "`python -m viz.theme.glossary`.\n\n"
        + "\n".join(parts)
        + f"\n## Words that are not used\n\n| not | but |\n|---|---|\n{avoided}"
    )


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
