"""Text of a chunk that a language model wrote: a title, a summary, and propositions with their sources."""

from typing import Literal, NamedTuple

from chunkers.text import Span

QuotationMatch = Literal["word for word", "typography", "altered", "as it is", "nowhere"]
"""Match between a proposition's quotation and the text: exact, with other white space or signs, with small changes, or
absent. A sentence of the text that stands for itself is ``as it is``."""


class Proposition(NamedTuple):
    """A self-contained sentence stated by a language model or, where the model stated nothing, an original sentence.

    Attributes
    ----------
    text
        Text of the proposition.
    span
        Span of the source in the text; None if it was not found.
    tied
        The way in which the source was found.
    quotation
        The words as the model quotes them; empty for a sentence of the text.
    elsewhere, nowhere
        Names and numbers of the proposition that its source sentences do not contain: those that occur elsewhere in the
        text, and those that occur nowhere. Names are words with a capital letter; see
        `chunkers.building_blocks.proposition_requests.find_unsupported_names_and_numbers`.
    sentence
        Number, from 0, of the sentence that the model names as its source, if the quotation was not found.
    """

    text: str
    span: Span | None
    tied: QuotationMatch = "as it is"
    quotation: str = ""
    elsewhere: tuple[str, ...] = ()
    nowhere: tuple[str, ...] = ()
    sentence: int | None = None

    @property
    def remark_on_source_match(self) -> str:
        """Return a short remark on how the source was found; empty if there is nothing to add."""
        remark_by_source_match = {
            "typography": "quoted with other signs or white space",
            "altered": "quoted with changes",
            "as it is": "not stated by the model, so the sentence itself",
            "nowhere": "not in the text, left out",
        }
        remark_parts = [remark_by_source_match[self.tied]] if self.tied in remark_by_source_match else []
        remark_parts += [f"from elsewhere in the text: {', '.join(self.elsewhere)}"] if self.elsewhere else []
        remark_parts += [f"not in the text: {', '.join(self.nowhere)}"] if self.nowhere else []
        return "; ".join(remark_parts)


class StatedContent(NamedTuple):
    """Title, summary and propositions that a language model wrote for a chunk.

    The text of the chunk is that of its propositions, which are in the order of the text, joined by line breaks.
    """

    title: str
    summary: str
    propositions: tuple[Proposition, ...]
