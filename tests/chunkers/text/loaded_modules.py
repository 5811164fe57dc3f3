"""Stand-in for `reader_process_program`: it imports every parser's module, and prints which heavy packages that loaded."""

import importlib
import sys

PARSERS = (
    *("chunkers.files.json_and_table_files", "chunkers.files.external_chunks", "chunkers.text.file_reading"),
    *("evaluation.questions.question_rows", "evaluation.questions.questions_with_documents"),
    *("evaluation.segmentation.boundary_files", "evaluation.traces.trace_file_rows", "viz.state.session_file_reader"),
)
HEAVY = {"numpy", "pyarrow", "pydantic", "spacy", "streamlit", "torch"}


def answer_parsing_requests():
    for name in ("chunkers.text.reader_process_program", *PARSERS):
        importlib.import_module(name)
    sys.stdout.write(f"{sorted(HEAVY & set(sys.modules))}\n")
