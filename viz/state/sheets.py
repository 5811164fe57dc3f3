"""The scenes of a lecture on paper, each run on its text."""

from __future__ import annotations

from chunkers import Document, InputError, Tools, build_chunker, load_embedder, load_tokenizer, run
from chunkers.embedders.minilm import MiniLM
from evaluation.report.handout import Sheet
from sample_docs import load_sample, sample_splitters
from viz.jobs.resources import embedding_cache
from viz.state.choices import Choices
from viz.state.decks import Deck, Scene
from viz.state.link import from_query

SHOWN = ("", "breakpoints", "double_pass")
"""Pages of which a handout prints all columns; of pages in `SELECTED` it prints the selected one, of others none."""

SELECTED = ("clustering",)

EMBEDDERS = (MiniLM.name, "tfidf")
"""Embedders that need neither a download nor a server."""


def sheets(deck: Deck) -> list[Sheet]:
    """Return the scenes of a lecture with their results."""
    return [_sheet(scene) for scene in deck.scenes]


def _sheet(scene: Scene) -> Sheet:
    title = f"{scene.title} ({scene.minutes} min)" if scene.minutes else scene.title
    bare = Sheet(title, scene.words)
    if scene.page not in (*SHOWN, *SELECTED) or "c1" not in scene.query:
        return bare
    splitters = sample_splitters()
    first = next(iter(splitters))
    choices, _ = from_query(scene.query, splitters, Choices(first, splitters[first], []))
    sample = load_sample(choices.document)
    columns = [choices.columns[choices.selected]] if scene.page in SELECTED else choices.columns
    try:
        chunkers = [build_chunker(column.chunker, column.parameters) for column in columns]
        embeds = any(chunker.embeds for chunker in chunkers)
        if any(chunker.asks or chunker.elsewhere for chunker in chunkers) or (embeds and choices.embedder not in EMBEDDERS):
            return bare
        document = Document.from_text(sample.text, choices.sentences, name=sample.title).split()
        embedder = load_embedder(choices.embedder) if embeds else None
        tools = Tools(embedder, load_tokenizer(choices.tokenizer), embedding_cache(False))
        return Sheet(title, scene.words, document, sample.known, [run(chunker, document, tools) for chunker in chunkers])
    except InputError:
        return bare
