"""The scenes of a lecture on paper, each run on its text."""

from collections.abc import Mapping

from chunkers import Document, InputError, build_chunker, load_embedder, run_chunker
from chunkers.embedders.sentence_models import MiniLM
from evaluation.report.lecture_handouts_and_pictures import SceneSheet
from sample_docs import load_sample, sample_splitters
from viz.jobs import build_tools
from viz.shell.navigation import which_columns_are_printed
from viz.state.choices import DEFAULT_SPLITTER_OF_OWN_TEXT, OWN_DOCUMENT_KEY, Choices, choices_from_query
from viz.state.lecture_decks import Deck, Scene
from viz.state.shown_text import TextWithDetails

OFFLINE_EMBEDDERS = (MiniLM.name, "tfidf")
"""Embedders that need neither a download nor a server."""


def lecture_sheets(deck: Deck, own_text_source_by_name: Mapping[str, TextWithDetails]) -> list[SceneSheet]:
    """Return the scenes of a lecture with their results; the user's own texts are given by their names in the scenes."""
    return [_scene_sheet(scene, own_text_source_by_name.get(scene.text)) for scene in deck.scenes]


def _scene_sheet(scene: Scene, own_text_and_details: TextWithDetails | None) -> SceneSheet:
    sheet_title = f"{scene.title} ({scene.minutes} min)" if scene.minutes else scene.title
    sheet_without_results = SceneSheet(sheet_title, scene.words_by_shown_part)
    if which_columns_are_printed(scene.page) == "none" or "c1" not in scene.query:
        return sheet_without_results
    splitter_by_document = {**sample_splitters(), OWN_DOCUMENT_KEY: DEFAULT_SPLITTER_OF_OWN_TEXT}
    first_sample_name = next(iter(splitter_by_document))
    choices, _ = choices_from_query(
        scene.query, splitter_by_document, Choices(first_sample_name, splitter_by_document[first_sample_name], [])
    )
    if choices.document == OWN_DOCUMENT_KEY and own_text_and_details is None:
        return sheet_without_results
    document_name, document_text, known_boundaries = _load_name_text_and_boundaries(choices.document, own_text_and_details)
    columns_on_sheet = (
        [choices.columns[choices.selected]] if which_columns_are_printed(scene.page) == "selected" else choices.columns
    )
    try:
        chunkers = [build_chunker(column.chunker, column.parameters) for column in columns_on_sheet]
        has_embedding_chunker = any(chunker.embeds for chunker in chunkers)
        if any(chunker.asks or chunker.elsewhere for chunker in chunkers) or (
            has_embedding_chunker and choices.embedder not in OFFLINE_EMBEDDERS
        ):
            return sheet_without_results
        document = Document.from_text(document_text, choices.sentences, name=document_name).split()
        embedder = load_embedder(choices.embedder) if has_embedding_chunker else None
        chunking_tools = build_tools(embedder, choices.tokenizer)
        return SceneSheet(
            sheet_title,
            scene.words_by_shown_part,
            document,
            known_boundaries,
            [run_chunker(chunker, document, chunking_tools) for chunker in chunkers],
        )
    except InputError:
        return sheet_without_results


def _load_name_text_and_boundaries(
    document_id: str, own_text_and_details: TextWithDetails | None
) -> tuple[str, str, tuple[int, ...] | None]:
    """Return name, text and known boundaries of a scene's document, which is bundled or the user's own."""
    if document_id == OWN_DOCUMENT_KEY and own_text_and_details is not None:
        return own_text_and_details.name, own_text_and_details.text, own_text_and_details.known
    bundled_sample_document = load_sample(document_id)
    return bundled_sample_document.title, bundled_sample_document.text, bundled_sample_document.known
