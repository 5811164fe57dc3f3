"""The glossary of terms used on the pages, with their definitions.

``python -m viz.theme.glossary`` writes ``docs/glossary.md``.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

from evaluation.retrieval import RETRIEVAL_MEASURE_TITLES, RETRIEVAL_MEASURES_EXPLAINED
from evaluation.segmentation import EXPLANATION_BY_MEASURE

TEXT_TERMS: Mapping[str, str] = {
    "Sentence": "The smallest piece of text that most chunkers keep whole; a splitter finds where each one ends.",
    "Language model": "A model that writes text, such as an answer to a question and the passages that it is given.",
    "Chunker": "A method that cuts a text into chunks.",
    "Chunk": "A piece of the text that is embedded, stored and retrieved as a unit.",
    "Gap": "The place between two neighbouring sentences, where a chunker may cut.",
    "Boundary": "A gap at which one chunk ends and the next begins.",
    "Known boundary": "A correct boundary: two sections of the text meet there.",
    "Embedding": "A vector that a model computes for a sentence or a chunk; similar texts have similar directions.",
    "Embedder": "The model that computes embeddings.",
    "Distance": "1 minus the cosine similarity of two embeddings: 0 for the same direction, 1 at a right angle.",
    "Threshold": "The score above which (for similarities: below which) a gap is cut; the line on the curve.",
    "Percentile": "The percentage of gaps that are not cut: at 70, the 30 % with the greatest distances are.",
    "Overlap": "The text that a chunk repeats from the end of the chunk before.",
    "Buffer": "The number of sentences on either side that are embedded together with each sentence.",
    "Mini-chunk": "A chunk of the first pass of Double pass, before the second pass merges it with others.",
    "Snippet": "A mini-chunk that the second pass merges over, such as a formula or a quotation inside a paragraph.",
    "Proposition": "A sentence by a language model that states one thing from the text and can be understood by itself.",
    "Default": "The value of a parameter that nobody has set, taken from the source of the chunker.",
    "Tokens": "The word pieces that a model reads, counted by the chosen tokenizer.",
}
"""Terms about texts and chunkers."""

SEGMENTATION_TERMS: Mapping[str, str] = {
    "Pk": "Slide a window of half the mean section along the text: the share of positions at which section and chunk "
    "disagree on whether its two ends belong together. 0 is best.",
    "WindowDiff": "The share of positions of the same window with too many or too few boundaries. 0 is best.",
    "Boundary precision": "The share of boundaries that are known ones. 1 is best.",
    "Boundary recall": "The share of known boundaries that are found. 1 is best.",
    "Boundary F1": "The harmonic mean of boundary precision and recall. 1 is best.",
    "Boundary similarity": "The share of all boundaries, known or found, that match; a miss by one sentence counts half. "
    "1 is best.",
    "Misassigned": "Sentences outside the chunk that fits their section best. 0 is best.",
    "Crossing": "Chunks with parts of two or more sections. 0 is best.",
}
"""The measures against known boundaries."""

TERMS_OF_MEASURES_WITHOUT_LABELS: Mapping[str, str] = {
    **{name.capitalize(): definition for name, definition in EXPLANATION_BY_MEASURE.items() if name != "chunks"},
    "Edit": "The insertion of one sentence at a random place, after which the text is cut again.",
}
"""The measures without labels."""

RETRIEVAL_TERMS: Mapping[str, str] = {
    "Retrieval": "The search for the chunks that a question needs; a language model is given nothing else of the text.",
    "Top k": "The number of chunks that the search returns for a question.",
    "Budget": "The number of tokens or characters that the search returns for a question, best chunks first.",
    "Heading path": "The headings above the beginning of a chunk, outermost first.",
    "Context sentence": "A language model's description of a chunk's place in its document, embedded with the chunk.",
    "Embedded text": "The text that is embedded or indexed for a chunk: its own, or with a heading path or a context "
    "sentence in front.",
    "Answer whole": "One retrieved chunk contains all of the marked answer, up to the budget.",
    "Fitted": "Chosen on the very text that it is measured on; on other texts it may do worse.",
    **{RETRIEVAL_MEASURE_TITLES[name]: definition for name, definition in RETRIEVAL_MEASURES_EXPLAINED.items()},
    "Interval": "Confidence interval: contains the true mean or difference for 95 of 100 sets of questions. With several "
    "comparisons its level is higher (Holm's correction); it excludes 0 exactly if the difference is significant.",
    "Significant": "If no chunker were better than another, a difference this large would appear in at most 5 of 100 sets "
    "of questions, all comparisons taken together.",
}
"""Terms about retrieval."""

ANSWER_TERMS: Mapping[str, str] = {
    "Faithfulness": "The share of an answer's statements that the given chunks support, according to a judging model.",
    "Answer relevancy": "A judging model writes three questions that the answer would answer: their mean cosine with the "
    "original question; 0 for an evasive answer.",
    "AQS": "Answer quality score: the harmonic mean of faithfulness and answer relevancy.",
    "Correctness": "A judging model's grade of an answer against its reference, from 1 to 5.",
    "Question cosine": "The cosine of the embeddings of the question and the answer.",
    "Reference cosine": "The cosine of the embeddings of the answer and its reference.",
    "BERTScore": "F1 of the best word matches between an answer and its reference, by contextual embeddings (package "
    "bert-score).",
}
"""The measures of answers."""

TERMS_BY_GLOSSARY_PART = {
    "Texts and chunkers": TEXT_TERMS,
    "Measures against known boundaries": SEGMENTATION_TERMS,
    "Measures without labels": TERMS_OF_MEASURES_WITHOUT_LABELS,
    "Measures of retrieval": RETRIEVAL_TERMS,
    "Measures of answers": ANSWER_TERMS,
}
"""The words of the glossary with their definitions, by the heading of their part."""

GENERATED_GLOSSARY_FILE = Path(__file__).parents[2] / "docs" / "glossary.md"


class GlossaryPiece(TypedDict):
    """Part of a sentence; ``about`` is the definition if the part is a glossary term, otherwise empty."""

    text: str
    about: str


def split_at_glossary_terms(sentence: str) -> list[GlossaryPiece]:
    """Split a sentence into pieces, with the definition of each glossary term marked in it.

    Parameters
    ----------
    sentence
        The sentence, with glossary terms in square brackets, in the singular or the plural.

    Raises
    ------
    KeyError
        If a marked word is not in the glossary.
    """
    definition_by_term = {term: definition for part in TERMS_BY_GLOSSARY_PART.values() for term, definition in part.items()}
    pieces: list[GlossaryPiece] = []
    for plain_text, text_in_brackets in re.findall(r"([^\[]+)|\[([^]]+)\]", sentence):
        capitalized_term = text_in_brackets.capitalize()
        spellings_to_find_in_glossary = (
            capitalized_term,
            capitalized_term.removesuffix("s"),
            f"{capitalized_term}s",
            f"{capitalized_term.removesuffix('ies')}y",
        )
        matching_glossary_term = next(
            (form for form in spellings_to_find_in_glossary if form in definition_by_term), capitalized_term
        )
        pieces.append(
            {
                "text": plain_text or text_in_brackets,
                "about": "" if plain_text else definition_by_term[matching_glossary_term],
            }
        )
    return pieces


def definitions_as_help(definition_by_term: Mapping[str, str]) -> str:
    """Return the definitions of several terms as Markdown for a help text."""
    return "  \n".join(f"**{word}**: {definition}" for word, definition in definition_by_term.items())


def glossary_document() -> str:
    """Return the text of ``docs/glossary.md``."""
    term_lines_by_part = {
        title: [f"- **{word}**: {definition}\n" for word, definition in words.items()]
        for title, words in TERMS_BY_GLOSSARY_PART.items()
    }
    glossary_part_sections = [f"## {title}\n\n{''.join(lines)}" for title, lines in term_lines_by_part.items()]
    return (
        "# Glossary\n\nThe pages and documents use these words, each for one thing. `python -m viz.theme.glossary` "
        "generates this page.\n\n" + "\n".join(glossary_part_sections)
    )


if __name__ == "__main__":
    GENERATED_GLOSSARY_FILE.write_text(glossary_document(), encoding="utf-8")
