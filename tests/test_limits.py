"""`docs/limits.md` has every limit that a message names, with its value; the others are documented in the code."""

import ast
import re
from functools import cache
from importlib import import_module

import pytest

from tests import ROOT
from tests.sources import parsed

PAGE = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([\w.]+)\.(\w+)` \| ([\d.,]+) \| [^|]+ \|$", PAGE, re.MULTILINE)
PREFIXES = (
    *("MAX_", "MOST", "LONGEST_", "LARGEST_", "READERS"),
    *("REQUEST_TIMEOUT", "BATCH_DEADLINE", "ANSWER_DEADLINE", "MEMORY_BYTES", "SHARED_"),
)


SENTENCES = {
    "chunkers.support.limits.MAX_FILE_BYTES": ("may have at most 20 MB",),
    "chunkers.support.limits.MAX_UNPACKED_BYTES": ("the file may unpack to at most",),
    "chunkers.support.limits.MAX_HTML_NESTING_DEPTH": ("HTML elements may be nested",),
    "chunkers.support.limits.MOST_READING_SECONDS": ("seconds to be read; this file takes longer",),
    "chunkers.support.limits.MOST_READER_MEMORY_BYTES": ("GB of memory to be read",),
    "chunkers.support.limits.MOST_TABLE_ROWS": ("rows; this table has",),
    "chunkers.support.limits.MOST_TABLE_COLUMNS": ("columns; this table has",),
    "chunkers.support.limits.MOST_FILE_TEXT_CHARACTERS": ("characters in total; these texts have",),
    "chunkers.support.limits.MOST_JSON_BRACKETS": ("JSON may have at most",),
    "chunkers.support.limits.LONGEST_RECIPE_CHARACTERS": ("characters of JSON; it has more.",),
    "evaluation.checking.baseline_and_known_problems.LONGEST_BASELINE": ("characters of JSON; it has more.",),
    "viz.state.session_file_reader.MAX_CHARACTERS_WITHOUT_TEXTS": ("characters of JSON; it has more.",),
    "evaluation.questions.question_rows.MOST_ROWS_READ": ("rows of a file are read",),
    "evaluation.questions.question_rows.MOST_ITEMS_PER_ROW": ("items in its lists",),
    "chunkers.support.limits.MAX_SENTENCES": ("a text may have at most",),
    "chunkers.support.limits.MOST_MARKDOWN_MARKS": ("list items and block-quote markers in total",),
    "chunkers.support.limits.MAX_PARAGRAPH_CHARACTERS": ("a paragraph or a text to embed may have at most",),
    "corpus.inputs.MAX_LINE_BYTES": ("a line may have at most",),
    "evaluation.questions.question_files.MOST_QUESTIONS": ("a file may have at most",),
    "evaluation.retrieval.asked_question.MOST_QUESTION_CHARACTERS": ("A question may have at most",),
    "evaluation.retrieval.asked_question.MOST_ANSWER_CHARACTERS": ("An answer may have at most",),
    "evaluation.questions.questions_with_documents.MOST_DOCUMENTS": ("a question set may have at most",),
    "chunkers.found_again.chunk_location.MAX_SCANNED_CHARACTERS": (
        "stands in the text only once was not looked into",
        "Not every chunk was looked for with a context around it",
    ),
    "chunkers.text.quotation_search.MOST_CHARACTER_COMPARISONS": ("as too many excerpts of this file are not found",),
    "evaluation.search.text_returned_for_chunks.MOST_NEIGHBOURS": ("The number of neighbours must be from 1 to",),
    "evaluation.checking.problems.MOST_PROBLEMS": ("not listed",),
    "evaluation.retrieval.budget.MOST_BUDGETS": ("The number of budgets must be from 1 to",),
    "evaluation.generating.question_generation.MOST_GENERATED_QUESTIONS": ("to generate",),
    "evaluation.generating.question_generation.MOST_WINDOW_CHARACTERS": ("characters in a window",),
    "chunkers.methods.your_cuts.MOST_CUTS": ("cuts of your own; got",),
    "chunkers.language_models.answer_schemas_and_parsers.MOST_EXCERPTS": ("excerpts; it has",),
    "chunkers.results.notebook_comparison.MOST_SIDE_BY_SIDE": ("results; got",),
    "integrations.original_chunkers.MAX_CHARACTERS_TO_RUN": ("the text may have at most",),
    "chunkers.support.limits.MOST_CHUNKS": (
        "a text may be cut into at most",
        "spans in total; these chunks have more.",
    ),
    "chunkers.support.limits.MOST_TOTAL_CHUNK_CHARACTERS": ("all chunks together may have at most",),
    "chunkers.support.limits.MOST_OPTIMAL_PIECE_RUNS": ("pieces in the text × pieces in the largest chunk must be at most",),
    "chunkers.support.limits.MOST_CHANGE_POINT_STEPS": ("² × chunks must be at most",),
    "chunkers.support.limits.MOST_CHANGE_POINT_PRODUCTS": (
        "² × dimensions must be at most",
        "the exact search may make at most",
    ),
    "chunkers.support.limits.MOST_MAX_MIN_PRODUCTS": ("comparing each sentence with its whole chunk may take at most",),
    "chunkers.support.limits.MOST_CLUSTERING_WORK": ("× dimensions must be at most",),
    "chunkers.support.limits.MOST_TOTAL_EMBEDDED_GROUP_CHARACTERS": ("the re-embedded groups may have at most",),
    "chunkers.building_blocks.clustering.MOST_SENTENCES": ("because every pair of them is compared",),
    "chunkers.embedders.embedding_server.REQUEST_TIMEOUT_SECONDS": ("seconds; it did not, in",),
    "chunkers.embedders.embedding_server.BATCH_DEADLINE_SECONDS": ("seconds in all; it did not",),
    "chunkers.embedders.embedding_server.MAX_ANSWER_BYTES_PER_TEXT": ("The answer must be uncompressed, with at most",),
    "chunkers.embedders.embedding_server.MOST_DIMENSIONS": ("numbers for each text",),
    "chunkers.embedders.embedding_server.MAX_ANSWER_BRACKETS_PER_TEXT": ("lists and objects for each text",),
    "chunkers.support.limits.MOST_VECTOR_NUMBERS": ("texts × dimensions must be at most",),
    "chunkers.support.limits.MAX_CACHE_FILE_BYTES": ("Embeddings can be kept on disk only while",),
    "chunkers.language_models.chat_server.REQUEST_TIMEOUT_SECONDS": ("seconds; it did not, in",),
    "chunkers.language_models.chat_server.ANSWER_DEADLINE_SECONDS": ("seconds in all; it did not",),
    "chunkers.language_models.chat_server.MAX_ANSWER_BYTES": ("The answer must be uncompressed, with at most",),
    "chunkers.language_models.chat_server.MAX_ANSWER_BRACKETS": ("lists and objects",),
    "chunkers.support.limits.MOST_SPENT_TOKENS": ("the spending limit is",),
    "evaluation.answering.questions_and_answers.MOST_QUESTIONS": ("questions can be answered; the rest is left out.",),
    "evaluation.answering.questions_and_answers.LONGEST_REFERENCE": ("A reference answer may have at most",),
    "chunkers.recipes.model_written_context.LONGEST_EXTRACT_CHARACTERS": (
        "characters: beside each chunk the model was shown its section",
    ),
    "chunkers.recipes.model_written_context.LONGEST_CONTEXT_SENTENCE": ("the answer may have at most",),
    "evaluation.segmentation.texts_with_known_boundaries.MOST_STITCHED_DOCUMENTS": ("stitching: ",),
    "evaluation.segmentation.label_free_measures.MAX_RECHUNKED_CHARACTERS": ("edits × characters must be at most",),
    "corpus.command_line.MOST_WORKERS": ("--workers must be from 1 to",),
    "corpus.command_line.MAX_SHARD_MB": ("--shard-size must be from",),
    "viz.tune.sweep_inputs.MOST_RUNS": ("A sweep may have at most",),
    "viz.jobs.background_jobs.MOST_STORED_RUNS": ("the server keeps the last",),
    "viz.retrieval.generated_questions.MOST_LISTED_COMPLAINTS": ("cannot be used.",),
    "viz.controls.text_storage.MOST_TEXT_CHARACTERS_IN_TAB": ("characters, and the tab keeps at most",),
    "viz.server.streamlit_patches.MOST_UPLOADED_BYTES": ("The files of a session may have at most",),
    "viz.state.chunk_files.MAX_STORED_CHARACTERS": ("the chunk files of a session may have at most",),
    "viz.state.own_text.MAX_EDITABLE_CHARACTERS": ("characters are too many to edit here",),
    "viz.state.choices.MAX_LINK_VALUE_CHARACTERS": ("characters long; it has",),
    "viz.state.session_file.MOST_QUESTIONS": ("questions can be kept",),
    "viz.jobs.storage.disk_text_store.MOST_STORED_BYTES": ("The file of kept texts may have at most",),
    "viz.controls.text_storage.MOST_LISTED_TEXTS": ("older ones are not listed",),
    "viz.compare.questions.question_search.MOST_STORED_TEXT_CHARACTERS": (
        "The texts of all kept questions may have at most",
    ),
    "viz.state.choices.MAX_LINK_NAME_CHARACTERS": ("The link's embedder must be a name of 1 to",),
    "viz.breakpoints.page.MOST_NEAR_THRESHOLD_MARGIN": ("The link's margin must be a number from 0 to",),
    "viz.breakpoints.chunker_steps_view.MAX_PAIRS_FOR_STEP_SCORES": ("numbers are shown for at most",),
    "viz.double_pass.passes.MOST_DRAWN_SENTENCES": ("the rows and steps cover the first",),
    "viz.clustering.linkage.MOST_NAMED_RANGES": ("more places",),
    "viz.state.choices.MOST_COLUMNS": ("columns, the maximum;",),
    "viz.state.lecture_decks.LARGEST_FILE": ("a lecture must have at most", "A lecture's file must have at most"),
    "viz.jobs.storage.run_store.MAX_RUNS_FILE_BYTES": ("the file may have at most",),
    "viz.jobs.storage.run_store.MOST_STORAGE_DAYS": ("after a restart, for ",),
    "evaluation.report.html_page.MOST_GAPS": (" not shown here.</li>",),
    "evaluation.report.html_page.MOST_CHARACTERS_ALL_COLUMNS": (" not shown here.</li>",),
    "chunkers.text.splitter_and_model_misfits.LONGEST_WORD": ("characters without a space",),
}
"""Parts of the messages about a limit, by its constant; a part has no values in it."""


@cache
def modules():
    """Return the syntax tree of every module by its name."""
    trees = {}
    for package in ("chunkers", "corpus", "evaluation", "integrations", "sample_docs", "viz"):
        for path in (ROOT / package).rglob("*.py"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            trees[name] = parsed(path)
    return trees


@cache
def strings():
    """Return every string of the code."""
    nodes = (node for tree in modules().values() for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {node.value for node in nodes if isinstance(node.value, str)}


def constants():
    """Yield the module, the name and the docstring of every constant that is called a limit and is a number."""
    for name, tree in modules().items():
        for node, following in zip(tree.body, [*tree.body[1:], None], strict=True):
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.value, ast.Constant)
                and type(node.value.value) in (int, float)
            ):
                expression = following.value if isinstance(following, ast.Expr) else None
                docstring = expression.value if isinstance(expression, ast.Constant) else ""
                for to in node.targets:
                    if isinstance(to, ast.Name) and to.id.startswith(PREFIXES):
                        yield name, to.id, docstring


@pytest.mark.full
@pytest.mark.slow
def test_every_limit_that_a_message_names_is_on_the_page_once():
    listed = [f"{module}.{name}" for module, name, _ in ROWS]
    assert len(set(listed)) == len(listed) == PAGE.count("\n| `")
    assert SENTENCES.keys() == set(listed)
    docstrings = {f"{module}.{name}": docstring for module, name, docstring in constants()}
    assert set(listed) <= docstrings.keys()
    assert [name for name, docstring in docstrings.items() if name not in listed and not docstring] == []


@pytest.mark.slow
def test_a_limit_in_a_message_is_on_the_page():
    listed = {name for _, name, _ in ROWS}
    limits = {name for _, name, _ in constants()}
    named = {
        part.id
        for tree in modules().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise)
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and part.id in limits
    }
    assert named
    assert named <= listed


@pytest.mark.parametrize(("module", "name", "value"), ROWS)
def test_the_values_are_those_of_the_code(module, name, value):
    assert f"{getattr(import_module(module), name):,}" == value


@pytest.mark.slow
@pytest.mark.parametrize(("name", "said"), [(name, part) for name, parts in SENTENCES.items() for part in parts])
def test_the_sentences_are_those_of_the_code(name, said):
    # Strings that are written side by side, or with values in them, are one message.
    assert any(said in text for text in strings()), f"{name}: nothing says {said!r}"
