"""A comparison as one page of HTML that needs nothing but itself, and in which a text is never anything but text."""

import base64
import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from chunkers import (
    Chunker,
    Chunking,
    Document,
    Embedder,
    InputError,
    Tools,
    __version__,
    build_chunker,
    load_tokenizer,
    run_chunker,
)
from chunkers.recipes import GIVEN_CHUNKS_CLASS_BY_NAME
from chunkers.results import (
    NO_MATHJAX_CLASSES,
    ROOT_CLASS,
    build_html_column_of_result,
    chunk_strip_html,
    escape_html,
    marked_offsets_row_html,
    style_sheet,
)
from chunkers.support import VectorArray, format_milliseconds, pluralize
from evaluation.findings.rules import find_suspicious_cuts, finding_count_per_rule
from evaluation.questions import MarkedQuestion
from evaluation.report.measure_table_cells import (
    EDIT_CELL_COUNT,
    FOUND_BOUNDARY_HEADS,
    KNOWN_BOUNDARY_HEADS,
    STRUCTURE_HEADS,
    SUSPICIOUS_HEAD,
    UNLABELLED_HEADS,
    Cell,
    Head,
    boundary_count_cells,
    cells_and_why_no_cut_wins,
    count_cell,
    label_free_measure_cells,
    score_and_behind_best_cells,
    size_spread_cell,
    structure_cells,
    suspicious_findings_cell,
    unknown_cell,
)
from evaluation.segmentation import (
    BASELINE_SETTINGS,
    count_size_compliance,
    measure_without_labels,
    rank_by_known_boundaries,
    rank_by_respect_for_structure,
)

# The tables of the page, as numbers and sentences.


MOST_QUESTION_COLUMNS = 20
"""Most stored questions that have a column of their own in the table; its first column counts all of them."""


@dataclass(frozen=True)
class Table:
    """Table of a report, with a summary in sentences.

    Attributes
    ----------
    title
        Heading of the table.
    said
        Summary in sentences; empty if there is none.
    heads
        Headings of the number columns, with explanations.
    rows
        Name and cells of each row.
    """

    title: str
    said: str
    heads: Sequence[Head]
    rows: Sequence[tuple[str, Sequence[Cell]]] = field(default_factory=tuple)


@dataclass(frozen=True)
class ComparedColumns:
    """Chunkers with their results for one document, to be compared in a report.

    Attributes
    ----------
    document
        The document that was cut.
    columns
        Each chunker with its result.
    known
        Known boundaries in code points; None if there are none.
    embedder, tokenizer
        The embedder that will read the chunks, or None, and the name of the tokenizer that counts tokens.
    vectors
        Vectors of the sentences, shape (n, dimension); None if they have not been computed.
    questions
        The stored questions about the document, with their marked answers.
    """

    document: Document
    columns: Sequence[tuple[Chunker, Chunking]]
    known: tuple[int, ...] | None = None
    embedder: Embedder | None = None
    tokenizer: str = "all-MiniLM-L6-v2"
    vectors: VectorArray | None = None
    questions: Sequence[MarkedQuestion] = ()

    @property
    def names(self) -> list[str]:
        """Numbered titles of the compared chunkers."""
        return [f"{chunker.title} (column {number})" for number, (chunker, _) in enumerate(self.columns, start=1)]


def ranking_table_contents(compared: ComparedColumns) -> Table:
    """Return the table that ranks the chunkers, by known boundaries or by structure."""
    named_chunkings = [(name, chunking) for name, (_, chunking) in zip(compared.names, compared.columns, strict=True)]
    document, known_boundaries = compared.document, compared.known
    block_reading_chunker_indexes = [place for place, (chunker, _) in enumerate(compared.columns) if chunker.reads_blocks]
    chunker_ranking = (
        rank_by_respect_for_structure(document, named_chunkings, compared.embedder, block_reading_chunker_indexes)
        if known_boundaries is None
        else rank_by_known_boundaries(document, known_boundaries, named_chunkings)
    )
    summary_sentence = (
        f"{chunker_ranking.best_contender_and_lead_sentences()} "
        f"{chunker_ranking.ranking_basis_in_words(known_boundaries is not None)}"
    )
    ranked_column_indexes, contender_names = (
        chunker_ranking.order,
        [contender.name for contender in chunker_ranking.contenders],
    )
    if known_boundaries is None:
        # On paper there is room for the first of its cells.
        measure_cells_per_chunker = [
            structure_cells(chunking, compared.embedder, None)[:1] for _, chunking in named_chunkings
        ]
        ranking_column_heads = STRUCTURE_HEADS[:5]
    else:
        measure_cells_per_chunker, why_no_cut_wins = cells_and_why_no_cut_wins(
            chunker_ranking, document, known_boundaries, [chunking for _, chunking in named_chunkings]
        )
        summary_sentence = f"{summary_sentence} {why_no_cut_wins}".rstrip()
        ranking_column_heads = KNOWN_BOUNDARY_HEADS
    ranked_chunker_rows = [
        (contender_names[place], score_and_behind_best_cells(chunker_ranking, place) + measure_cells_per_chunker[place])
        for place in ranked_column_indexes
    ]
    return Table("Which is best?", summary_sentence, ranking_column_heads, ranked_chunker_rows)


def chunking_summary_table_contents(compared: ComparedColumns) -> Table:
    """Return the table of chunk counts, sizes, found and missed boundaries, and suspicious cuts."""
    summary_column_heads = [
        Head("Chunks", "Number of chunks."),
        Head("Characters", "Fewest, median and most in a chunk."),
        Head("Tokens", f"Fewest, median and most in a chunk, as {compared.tokenizer} counts them."),
        *(() if compared.known is None else FOUND_BOUNDARY_HEADS),
        SUSPICIOUS_HEAD,
        Head("Decide, ms", "What cutting took once the embeddings were there."),
    ]
    chunker_summary_rows = [
        (name, _chunking_summary_cells(compared, chunking))
        for name, (_, chunking) in zip(compared.names, compared.columns, strict=True)
    ]
    return Table("Scores", "", summary_column_heads, chunker_summary_rows)


def _chunking_summary_cells(compared_columns: ComparedColumns, chunking: Chunking) -> list[Cell]:
    chunk_texts, chunking_timing = [*chunking.texts], chunking.timing
    chunk_token_counts = None
    with suppress(InputError):
        chunk_token_counts = load_tokenizer(compared_columns.tokenizer).count(chunk_texts)
    return [
        count_cell(len(chunk_texts)),
        size_spread_cell([len(chunk_text) for chunk_text in chunk_texts]),
        size_spread_cell(chunk_token_counts),
        *([] if compared_columns.known is None else boundary_count_cells(chunking, compared_columns.known)),
        suspicious_findings_cell(finding_count_per_rule(find_suspicious_cuts(chunking, compared_columns.embedder))),
        unknown_cell()
        if chunking_timing is None
        else Cell(format_milliseconds(chunking_timing.decide_ms + chunking_timing.merge_ms)),
    ]


def label_free_measures_table_contents(compared: ComparedColumns) -> Table:
    """Return the table of measures that need no known boundaries, with rows for trivial baselines."""
    tools = Tools(compared.embedder, load_tokenizer(compared.tokenizer))
    named_chunkers_and_baselines = [(name, *column) for name, column in zip(compared.names, compared.columns, strict=True)]
    for baseline_name, baseline_parameters in BASELINE_SETTINGS:
        chunker = build_chunker("fixed_sentences", baseline_parameters)
        named_chunkers_and_baselines.append((baseline_name, chunker, run_chunker(chunker, compared.document, tools)))
    label_free_measure_rows = [
        (
            name,
            label_free_measure_cells(
                measure_without_labels(chunking, compared.vectors, count_size_compliance(chunking, chunker, tools))
            ),
        )
        for name, chunker, chunking in named_chunkers_and_baselines
    ]
    return Table(
        "Without labels",
        "No number is a grade by itself: few cuts leave blocks whole, short chunks are alike inside.",
        UNLABELLED_HEADS[:-EDIT_CELL_COUNT],
        label_free_measure_rows,
    )


def chunks_containing_answers_table(compared_columns: ComparedColumns) -> Table:
    """Return the table of the chunks that contain the marked answers of the stored questions."""
    shown_questions = compared_columns.questions[:MOST_QUESTION_COLUMNS]
    answer_column_heads = [
        Head("Answers whole", "Kept questions whose marked answer stands in one chunk, whether or not it is retrieved."),
        *(
            Head(f"{number}", f"{question.question} → “{question.answer}”")
            for number, question in enumerate(shown_questions, start=1)
        ),
    ]
    answer_row_per_chunker = []
    for column_name, (_, chunking) in zip(compared_columns.names, compared_columns.columns, strict=True):
        answer_cell_per_question = [_answer_chunk_number_cell(chunking, question) for question in compared_columns.questions]
        whole_answer_count = sum(cell.value == 1 for cell in answer_cell_per_question)
        answer_row_per_chunker.append(
            (
                column_name,
                [
                    Cell(f"{whole_answer_count:,} of {len(answer_cell_per_question):,}", whole_answer_count),
                    *answer_cell_per_question[:MOST_QUESTION_COLUMNS],
                ],
            )
        )
    unshown_question_count = len(compared_columns.questions) - len(shown_questions)
    return Table(
        "Kept questions",
        f"{pluralize(unshown_question_count, 'further question')} only counted." if unshown_question_count else "",
        answer_column_heads,
        answer_row_per_chunker,
    )


def _answer_chunk_number_cell(chunking: Chunking, question: MarkedQuestion) -> Cell:
    """Return the first chunk that contains a marked answer, or the number of chunks that contain parts of it."""
    answer_start, answer_end = question.start, question.start + len(question.answer)
    partial_answer_chunk_count = 0
    for chunk_number, chunk in enumerate(chunking.chunks, start=1):
        if any(span.start <= answer_start and answer_end <= span.end for span in chunk.spans):
            return Cell(f"chunk {chunk_number:,}", 1)
        partial_answer_chunk_count += any(span.start < answer_end and answer_start < span.end for span in chunk.spans)
    return Cell(
        f"split in {partial_answer_chunk_count:,}" if partial_answer_chunk_count else "in none",
        partial_answer_chunk_count or None,
    )


# The page around the tables.


MOST_CHARACTERS_ALL_COLUMNS = 1_000_000
"""Maximum number of characters of chunks that a report shows of all columns together; the rest is counted."""

MOST_GAPS = 1_000
"""Maximum number of gaps of a column whose verdicts are listed; the rest is counted."""

_STYLE_RULES = """
body.ROOT { margin: 0; border-radius: 0; }
.ROOT main { max-width: 90rem; margin: 0 auto; padding: 0.5rem; }
.ROOT h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 650; overflow-wrap: anywhere; unicode-bidi: isolate; }
.ROOT h2 { font-size: 1.1rem; font-weight: 650; margin-top: 2rem; }
.ROOT .said { margin-top: 0.3rem; max-width: 78ch; }
.ROOT .scroll { overflow-x: auto; margin-top: 0.6rem; }
.ROOT table { border-collapse: collapse; font-size: 0.85rem; }
.ROOT th, .ROOT td { padding: 0.35rem 0.7rem; border-bottom: 1px solid var(--rule); text-align: end; white-space: nowrap; }
.ROOT th { font-weight: 500; color: var(--muted); vertical-align: bottom; }
.ROOT thead th { white-space: normal; min-width: 4.5rem; }
.ROOT th:first-child { text-align: start; padding-inline-start: 0; min-width: 7.5rem; }
.ROOT tbody th { color: var(--ink); white-space: normal; }
.ROOT dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.15rem 1rem; font-size: 0.8rem; }
.ROOT dt, .ROOT dd { margin: 0; }
.ROOT dt { color: var(--ink); }
.ROOT dd, .ROOT summary, .ROOT footer { color: var(--muted); }
.ROOT details { margin-top: 0.5rem; font-size: 0.8rem; }
.ROOT .gaps { list-style: none; padding-top: 0.3rem; overflow-wrap: anywhere; }
.ROOT summary { cursor: pointer; }
.ROOT summary:focus-visible, .ROOT .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.ROOT pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--panel); padding: 0.6rem; margin: 0.4rem 0 0;
  font: 0.75rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
.ROOT footer { margin-top: 2rem; font-size: 0.8rem; border-top: 1px solid var(--rule); padding-top: 0.6rem; }
@media print {
  @page { margin: 14mm; }
  .ROOT { padding: 0; font-size: 10pt; }
  .ROOT .scroll { overflow: visible; }
  .ROOT table { font-size: 7.5pt; }
  .ROOT th, .ROOT td { padding: 0.2rem 0.35rem; }
  .ROOT thead th { min-width: 0; }
  .ROOT details:not([open]) { display: none; }
  /* On paper the columns follow each other over its whole width: side by side, pages would part their curves. */
  .ROOT .columns { display: block; }
  .ROOT .columns > section + section { margin-top: 1.2rem; }
  .ROOT .box { break-inside: auto; }
  .ROOT table, .ROOT tr, .ROOT .axis, .ROOT .facts { break-inside: avoid; }
  .ROOT h2, .ROOT h3, .ROOT .facts { break-after: avoid; }
  /* Room for the marks at the top of a curve, which would be left on the page before. */
  .ROOT .curve { padding-top: 0.5rem; }
}
"""


def html_report(compared: ComparedColumns) -> str:
    """Return a comparison of chunkers as a self-contained HTML page.

    The page loads no resources and runs no scripts: its content security policy allows only its own style sheet, by hash.
    """
    report_tables = [
        chunking_summary_table_contents(compared),
        ranking_table_contents(compared),
        label_free_measures_table_contents(compared),
    ]
    report_tables += [chunks_containing_answers_table(compared)] if compared.questions else []
    cut_strips_html = cut_strips([(chunker.title, chunking) for chunker, chunking in compared.columns], compared.known)
    report_html_parts = [_page_heading(compared), cut_strips_html, *map(_table_html, report_tables), _columns_html(compared)]
    return wrap_body_in_html_page(compared.document.name, "".join(report_html_parts))


def wrap_body_in_html_page(page_title: str, body_html: str, style_rules: str = "") -> str:
    """Return HTML as a self-contained page called ``page_title``, in a report's style with additional ``style_rules``."""
    page_style_sheet = style_sheet() + (_STYLE_RULES + style_rules).replace("ROOT", ROOT_CLASS)
    style_sheet_digest = base64.b64encode(hashlib.sha256(page_style_sheet.encode()).digest()).decode()
    content_security_policy = (
        f"default-src 'none'; style-src 'sha256-{style_sheet_digest}'; base-uri 'none'; form-action 'none'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{content_security_policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
        f'<meta name="referrer" content="no-referrer"><title>{escape_html(page_title)} · Seamark</title>'
        f"<style>{page_style_sheet}</style></head>"
        f'<body class="{ROOT_CLASS} {NO_MATHJAX_CLASSES}"><main>{body_html}'
        f"<footer>Made by Seamark {escape_html(__version__)}. This file asks for nothing and runs nothing.</footer>"
        "</main></body></html>\n"
    )


def _page_heading(compared: ComparedColumns) -> str:
    """Return the head of the report: the text's name, sizes, splitter, embedder and tokenizer."""
    document = compared.document
    text_and_settings_phrases = [
        f"{pluralize(len(document.text), 'character')}",
        f"{pluralize(len(document.sentences), 'sentence')} ({document.splitter})",
    ]
    if compared.known is not None:
        known_boundary_count = len(compared.known)
        text_and_settings_phrases.append(
            f"{known_boundary_count:,} known boundar{'y' if known_boundary_count == 1 else 'ies'}"
        )
    if compared.embedder is not None and any(chunker.embeds for chunker, _ in compared.columns):
        text_and_settings_phrases.append(f"embedder {compared.embedder.name}")
    text_and_settings_phrases.append(f"tokens of {compared.tokenizer}")
    return f'<h1>{escape_html(document.name)}</h1><p class="facts">{escape_html(" · ".join(text_and_settings_phrases))}</p>'


def cut_strips(titled_chunkings: Sequence[tuple[str, Chunking]], known_boundaries: tuple[int, ...] | None) -> str:
    """Return the cuts of each titled column and the known boundaries as strips on one axis."""
    known_boundaries_html = (
        "" if known_boundaries is None else marked_offsets_row_html(titled_chunkings[0][1], known_boundaries, "known")
    )
    strips_of_all_columns_html = "".join(
        chunk_strip_html(chunking, f"{number} {title}") for number, (title, chunking) in enumerate(titled_chunkings, start=1)
    )
    return f'<div class="axis strips">{known_boundaries_html}{strips_of_all_columns_html}</div>'


def _table_html(table: Table) -> str:
    column_headings_html = "".join(
        f'<th scope="col" title="{escape_html(about)}">{escape_html(name)}</th>' for name, about, _ in table.heads
    )
    table_rows_html = "".join(
        f'<tr><th scope="row">{escape_html(name)}</th>{"".join(map(_cell_html, cells))}</tr>' for name, cells in table.rows
    )
    summary_paragraph_html = f'<p class="said">{escape_html(table.said)}</p>' if table.said else ""
    heading_explanations_html = "".join(
        f"<dt>{escape_html(name)}</dt><dd>{escape_html(about)}</dd>" for name, about, _ in table.heads
    )
    return (
        f'<section><h2>{escape_html(table.title)}</h2>{summary_paragraph_html}<div class="scroll" tabindex="0" '
        'role="region" '
        f'aria-label="{escape_html(table.title)}"><table><thead><tr><th '
        f'scope="col">Column</th>{column_headings_html}</tr></thead>'
        f"<tbody>{table_rows_html}</tbody></table></div><details><summary>What these "
        f"are</summary><dl>{heading_explanations_html}</dl></details></section>"
    )


def _cell_html(cell: Cell) -> str:
    title_attribute = f' title="{escape_html(cell.why)}"' if cell.why else ""
    return f"<td{title_attribute}>{escape_html(cell.text)}</td>"


def _columns_html(compared: ComparedColumns) -> str:
    """Return the text as each column cuts it, with the reasons, the curves and the recipes."""
    max_column_characters = MOST_CHARACTERS_ALL_COLUMNS // len(compared.columns)
    column_sections_html = [
        f"<section>{build_html_column_of_result(chunking, max_column_characters, f'{number} {chunker.title}')}"
        f"{_cut_decisions_html(chunking)}{_recipe_html(chunking)}</section>"
        for number, (chunker, chunking) in enumerate(compared.columns, start=1)
    ]
    return f'<h2>The text, as each column cuts it</h2><div class="columns">{"".join(column_sections_html)}</div>'


def _cut_decisions_html(chunking: Chunking) -> str:
    """Return every decision, which a page on paper or under a finger cannot show by pointing."""
    if not chunking.gaps:
        return ""
    gap_verdict_items_html = "".join(
        f"<li>after sentence {gap.index + 1:,}, {escape_html(str(gap.verdict).partition(':')[0])}: "
        f"{escape_html(gap.reason)}</li>"
        for gap in chunking.gaps[:MOST_GAPS]
    )
    unshown_gap_count = len(chunking.gaps) - MOST_GAPS
    unshown_gaps_note_html = (
        f"<li>{pluralize(unshown_gap_count, 'further gap')} not shown here.</li>" if unshown_gap_count > 0 else ""
    )
    return (
        f"<details><summary>Every gap, with its verdict</summary><ol "
        f'class="gaps">{gap_verdict_items_html}{unshown_gaps_note_html}</ol></details>'
    )


def _recipe_html(chunking: Chunking) -> str:
    if chunking.made_by is None or chunking.made_by.chunker in GIVEN_CHUNKS_CLASS_BY_NAME:
        return ""
    return (
        "<details><summary>Recipe, which gives the same chunks again</summary>"
        f"<pre>{escape_html(chunking.made_by.to_json())}</pre></details>"
    )
