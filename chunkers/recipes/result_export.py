"""Results as JSON, JSON lines, CSV and Parquet."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from chunkers.language_models import Spending
from chunkers.recipes.recipe import Recipe, __version__
from chunkers.results import (
    Chunking,
    EmbeddedAs,
    Gap,
    build_exported_chunk_fields,
    proposition_as_dict,
    resolve_embedded_as_option,
    table_column_names,
    table_rows,
)
from chunkers.support import InputError, escape_csv_cell, raise_if_extra_missing, short_repr


def to_dict(chunking: Chunking, recipe: Recipe | None = None) -> dict[str, Any]:
    """Convert a result to JSON-compatible values, in the form that the command line prints.

    Parameters
    ----------
    chunking
        The result.
    recipe
        The recipe to include; by default the result's own.

    Raises
    ------
    InputError
        If there is no recipe.
    """
    _check_is_result(chunking)
    recipe_to_export = chunking.made_by if recipe is None else recipe
    if recipe_to_export is None:
        raise InputError("recipe must be given for a result that was not made by chunkers.run_chunker; got None.")
    document, chunking_timing = chunking.document, chunking.timing
    return {
        "version": __version__,
        "recipe": recipe_to_export.model_dump(),
        "document": {
            "name": document.name,
            "characters": len(document.text),
            "language": document.language,
            "sentences": [list(span) for span in document.sentences],
        },
        "chunks": [
            {
                "spans": [list(span) for span in chunk.spans],
                **build_exported_chunk_fields(chunking, chunk, recipe_to_export.embedded_as),
            }
            for chunk in chunking.chunks
        ],
        **({"left_out": [*map(proposition_as_dict, chunking.left_out)]} if chunking.left_out else {}),
        "gaps": [_gap_as_dict(gap) for gap in chunking.gaps],
        "merges": [
            {
                "left": list(merge.left),
                "right": list(merge.right),
                "similarity": merge.similarity,
                "threshold": merge.threshold,
                "kind": merge.kind,
            }
            for merge in chunking.merges
        ],
        "notes": [*chunking.notes, *(misfit.sentence for misfit in chunking.misfits)],
        "timing": None
        if chunking_timing is None
        else {
            "split_ms": chunking_timing.split_ms,
            "embed_ms": chunking_timing.embed_ms,
            "embedded": chunking_timing.embedded,
            "cached": chunking_timing.cached,
            "decide_ms": chunking_timing.decide_ms + chunking_timing.merge_ms,
        },
        **({} if chunking.spending is None else {"spending": _spending_as_dict(chunking.spending)}),
    }


def _check_is_result(chunking: object) -> None:
    if not isinstance(chunking, Chunking):
        raise InputError(f"chunking must be a result, such as chunkers.chunk returns; got {short_repr(chunking)}.")


def _spending_as_dict(spending: "Spending") -> dict[str, Any]:
    return {
        "requests": spending.requests,
        "remembered": spending.remembered,
        "tokens_in": spending.tokens_in,
        "tokens_out": spending.tokens_out,
        "unsure": spending.unsure,
        "dollars": None if spending.cost is None else str(spending.cost),
    }


def _gap_as_dict(gap: Gap) -> dict[str, Any]:
    gap_fields = {
        "index": gap.index,
        "score": gap.score,
        "threshold": gap.threshold,
        "verdict": str(gap.verdict),
        "reason": gap.reason,
    }
    return gap_fields if gap.offset is None else {**gap_fields, "offset": gap.offset}


def to_json(chunking: Chunking, recipe: Recipe | None = None) -> str:
    """Return a result as indented JSON. Raises the errors of `to_dict`."""
    return json.dumps(to_dict(chunking, recipe), ensure_ascii=False, indent=2, allow_nan=False)


def to_jsonl(chunking: Chunking, embedded_as: EmbeddedAs | None = None) -> str:
    """Return a result as JSON lines, one object per chunk, with the text to embed unless ``embedded_as`` is plain.

    ``embedded_as`` is by default the recipe's, or plain for a result without a recipe.
    """
    _check_is_result(chunking)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table_rows(chunking, embedded_as))


def to_csv(chunking: Chunking, embedded_as: EmbeddedAs | None = None) -> str:
    """Return a result as CSV, one row per chunk; text that looks like a formula gets a leading apostrophe.

    ``embedded_as`` as in `to_jsonl`.
    """
    _check_is_result(chunking)
    csv_cell_rows = ({name: _csv_cell(value) for name, value in row.items()} for row in table_rows(chunking, embedded_as))
    return _rows_as_csv(table_column_names(chunking, resolve_embedded_as_option(chunking, embedded_as)), csv_cell_rows)


def _csv_cell(value: Any) -> Any:
    """Return a value as it stands in a table: a list as JSON, a text so that no spreadsheet takes it for a formula."""
    return escape_csv_cell(json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value)


def to_parquet(chunking: Chunking, embedded_as: EmbeddedAs | None = None) -> bytes:
    """Return a result as a Parquet file, one row per chunk; spans are pairs of code points, pages lists of labels.

    ``embedded_as`` as in `to_jsonl`; raises InputError if pyarrow is not installed.
    """
    _check_is_result(chunking)
    raise_if_extra_missing("corpus", "Parquet", "pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    integer_type = pa.int64()
    list_type_by_column = {
        "spans": pa.list_(pa.list_(integer_type, 2)),
        **dict.fromkeys(("pages", "chapters", "heading_path"), pa.list_(pa.string())),
    }
    text_column_names = ("context", "title", "summary", "text", "embedded_as")
    type_by_column = {
        **list_type_by_column,
        **dict.fromkeys(text_column_names, pa.string()),
        "propositions": propositions_arrow_type(),
    }
    export_column_names = table_column_names(chunking, resolve_embedded_as_option(chunking, embedded_as))
    parquet_schema = pa.schema([(name, type_by_column.get(name, integer_type)) for name in export_column_names])
    parquet_file_buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(table_rows(chunking, embedded_as), parquet_schema), parquet_file_buffer)
    return parquet_file_buffer.getvalue()


def propositions_arrow_type() -> Any:
    """Return the Arrow type of a chunk's propositions: a list of structs; see `proposition_as_dict`."""
    import pyarrow as pa

    integer_type, text_type = pa.int64(), pa.string()
    field_types = {"text": text_type, "start": integer_type, "end": integer_type, "quotation": text_type, "tied": text_type}
    return pa.list_(pa.struct([*field_types.items(), *dict.fromkeys(("elsewhere", "nowhere"), pa.list_(text_type)).items()]))


def ledger_to_csv(chunking: Chunking) -> str:
    """Return a result's gaps as CSV, one row per gap; ``offset`` is filled only for cuts inside a sentence."""
    _check_is_result(chunking)
    return _rows_as_csv(("index", "offset", "score", "threshold", "verdict", "reason"), map(_gap_as_dict, chunking.gaps))


def _rows_as_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    csv_text_buffer = io.StringIO(newline="")
    csv_row_writer = csv.DictWriter(csv_text_buffer, columns)
    csv_row_writer.writeheader()
    csv_row_writer.writerows(rows)
    return csv_text_buffer.getvalue()
