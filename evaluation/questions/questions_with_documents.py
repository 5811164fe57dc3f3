"""Sets that bring the documents with the questions: in BEIR's or SQuAD's format, or of answers that the user has marked.

What they say of a question is brought into the form that `read_questions` reads. BEIR says which documents answer a
question, not where: the whole of each is its excerpt. Recall, precision and F1 of documents are what BEIR asks for, and
hold as they are; recall in characters or tokens says how much of the relevant documents is retrieved, and neither it nor
precision nor IoU says whether the answer is. SQuAD says where the answer is, a few words in a paragraph: recall is then
nearly whether it is there at all, and precision and IoU are low whatever the chunker does.
"""

import io
import json
import zipfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain, count
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from chunkers.files.json_and_table_files import (
    InputCounter,
    check_bracket_count,
    decode_file,
    parse_json_limiting_bracket_count,
    read_csv_rows_as_lists,
)
from chunkers.support import MAX_FILE_BYTES, MAX_UNPACKED_BYTES, InputError, csv_text, short_repr
from chunkers.text import run_parser_in_reader_process
from evaluation.questions.question_rows import DOCUMENT_TEXT_SEPARATOR, QuestionRow, json_line_objects, shorten_text

CORPUS_FILE, QUERIES_FILE, QRELS_FOLDER = "corpus.jsonl", "queries.jsonl", "qrels"
"""The parts of a set in BEIR's format: two files, and a folder with a table for each split."""

MOST_DOCUMENTS = 50_000
"""Maximum number of documents of a set."""

_DEFAULT_DATASET_SPLIT = "test"
"""The split that is used where nothing is chosen, as BEIR does."""


@dataclass(frozen=True)
class QuestionSet:
    """Documents and the questions about them, as read from a data set.

    Attributes
    ----------
    texts
        Name and text of each document.
    questions
        Name and content of a file for `read_questions`.
    notes
        Sentences on data that was left out, and on how to read the measures for such a set.
    """

    texts: tuple[tuple[str, str], ...]
    questions: tuple[str, bytes]
    notes: tuple[str, ...]


def read_question_set_file(
    file_bytes: bytes, file_name: str, dataset_split: str | None = None, cancelled: Callable[[], bool] = bool
) -> QuestionSet | None:
    """Read a question set from a BEIR ZIP file or a SQuAD JSON file; None if the file is neither.

    The file is read in another process; see `chunkers.text.reader_process`.

    Raises
    ------
    InputError
        If the file is damaged, too large, or lacks required parts; also as in `read_beir`.
    Cancelled
        If the user asked to stop, as ``cancelled`` reports.
    """
    if not file_bytes.startswith(b"PK") and (b'"paragraphs"' not in file_bytes or b'"qas"' not in file_bytes):
        return None
    return _reassemble_question_set(
        run_parser_in_reader_process(parse_question_set_file, file_bytes, file_name, cancelled, split=dataset_split)
    )


def read_beir(
    file_bytes_by_path: Mapping[str, bytes],
    question_set_name: str,
    dataset_split: str | None = None,
    cancelled: Callable[[], bool] = bool,
) -> QuestionSet:
    """Read a question set in BEIR's format from its separate files, given by path.

    Parameters
    ----------
    dataset_split
        Split whose qrels table lists the documents that answer each question: by default ``test``, else the only table.
    cancelled
        Called repeatedly while the files are read in another process; True stops reading.

    Raises
    ------
    InputError
        If a file is missing, if a row is malformed, or if no question has a document that answers it.
    Cancelled
        If the user asked to stop.
    """
    total_byte_count = sum(map(len, file_bytes_by_path.values()))
    if total_byte_count > MAX_UNPACKED_BYTES:
        raise InputError(
            f"{question_set_name}: the files of a question set may have at most {MAX_UNPACKED_BYTES:,} bytes in total; "
            f"these have {total_byte_count:,}."
        )
    path_size_pairs = [[path, len(part)] for path, part in file_bytes_by_path.items()]
    question_set = _reassemble_question_set(
        run_parser_in_reader_process(
            yield_pieces_of_beir_set,
            b"".join(file_bytes_by_path.values()),
            question_set_name,
            cancelled,
            byte_counts_by_path=path_size_pairs,
            split=dataset_split,
        )
    )
    assert question_set is not None
    return question_set


def _reassemble_question_set(pieces: Iterable[Any]) -> QuestionSet | None:
    """Return the set whose pieces the other process has sent, each with its kind; None if there are none."""
    contents_by_piece_kind: dict[str, list[Any]] = defaultdict(list)
    for kind_of_sent_piece, *piece_content in pieces:
        contents_by_piece_kind[kind_of_sent_piece].append(piece_content)
    if not contents_by_piece_kind["questions"]:
        return None
    (questions_file_name,) = contents_by_piece_kind["questions"][0]
    question_rows_bytes = b"\n".join(row.encode("utf-8", "surrogatepass") for (row,) in contents_by_piece_kind["row"])
    return QuestionSet(
        tuple(map(tuple, contents_by_piece_kind["text"])),
        (questions_file_name, question_rows_bytes),
        tuple(note for (note,) in contents_by_piece_kind["note"]),
    )


def _pieces_of_question_set(question_set: QuestionSet) -> Iterator[tuple[str, ...]]:
    """Yield the pieces of a set for `_reassemble_question_set`, its texts counted."""
    questions_file_name, question_rows_bytes = question_set.questions
    question_set_input_counter = InputCounter(questions_file_name, "a set")
    yield "questions", questions_file_name
    for document_title, document_text in question_set.texts:
        question_set_input_counter.count_row(document_title, document_text)
        yield "text", document_title, document_text
    for row in question_rows_bytes.decode("utf-8", "surrogatepass").split("\n"):
        question_set_input_counter.count_row(row)
        yield "row", row
    for note in question_set.notes:
        yield "note", note


def parse_question_set_file(file_bytes: bytes, file_name: str, split: str | None = None) -> Iterator[tuple[str, ...]]:
    """Yield the parts of a question set from a BEIR ZIP file or a SQuAD JSON file; nothing for other files.

    Run by `read_question_set_file` in a separate process.
    """
    if file_bytes.startswith(b"PK"):
        yield from _pieces_of_question_set(_read_beir(_beir_parts_of_zip(file_bytes, file_name), file_name, split))
        return
    try:
        json_value = parse_json_limiting_bracket_count(decode_file(file_bytes, file_name), file_name)
    except InputError:
        raise
    except (ValueError, RecursionError):
        return
    if isinstance(json_value, dict) and isinstance(json_value.get("data"), list):
        yield from _pieces_of_question_set(_read_squad(json_value["data"], file_name))


def yield_pieces_of_beir_set(
    concatenated_file_bytes: bytes,
    question_set_name: str,
    byte_counts_by_path: list[tuple[str, int]],
    split: str | None = None,
) -> Iterator[tuple[str, ...]]:
    """Yield the parts of a BEIR question set whose files are concatenated in ``concatenated_file_bytes``.

    Run by `read_beir` in a separate process.
    """
    file_end_offsets = accumulate(size for _, size in byte_counts_by_path)
    file_bytes_by_path = {
        path: concatenated_file_bytes[end - size : end]
        for (path, size), end in zip(byte_counts_by_path, file_end_offsets, strict=True)
    }
    yield from _pieces_of_question_set(_read_beir(file_bytes_by_path, question_set_name, split))


def _read_beir(file_bytes_by_path: Mapping[str, bytes], set_name: str, dataset_split: str | None) -> QuestionSet:
    for required_file_name in (CORPUS_FILE, QUERIES_FILE):
        if required_file_name not in file_bytes_by_path:
            raise InputError(
                f"{set_name}: a BEIR set must have {required_file_name}; this one has "
                f"{shorten_text(', '.join(file_bytes_by_path)) or 'no files'}."
            )
    named_texts, textless_document_ids = _read_documents_and_textless_ids(
        file_bytes_by_path[CORPUS_FILE], f"{set_name}/{CORPUS_FILE}"
    )
    qrels_path = _relevance_table_path(file_bytes_by_path, set_name, dataset_split)
    document_ids_by_query, unknown_document_ids = _parse_relevance_table(
        file_bytes_by_path[qrels_path], f"{set_name}/{qrels_path}", {title for title, _ in named_texts}
    )
    query_row_by_id = dict(_yield_rows_with_checked_ids(file_bytes_by_path[QUERIES_FILE], f"{set_name}/{QUERIES_FILE}"))
    query_ids_without_query = [query for query in document_ids_by_query if query not in query_row_by_id]
    question_rows_with_document_ids = [
        {"question": query_row_by_id[query]["text"], "documents": documents}
        for query, documents in document_ids_by_query.items()
        if query in query_row_by_id
    ]
    if not question_rows_with_document_ids:
        raise InputError(
            f"{set_name}/{qrels_path}: at least one question must have a document that answers it; none has one."
        )
    question_set_notes = [
        f"{set_name}: BEIR says which documents answer a question, not where: the whole of each counts as its excerpt. The "
        "scores of documents are BEIR's; those of characters and tokens say how much of these documents is retrieved, not "
        "whether the answer is. A relevance of 1 and more counts the same."
    ]
    question_set_notes += _left_out_notes(
        f"{set_name}/{CORPUS_FILE}: documents without text, which are left out", textless_document_ids
    )
    question_set_notes += _left_out_notes(
        f"{set_name}/{qrels_path}: documents that are not in {CORPUS_FILE}, which are left out", unknown_document_ids
    )
    question_set_notes += _left_out_notes(
        f"{set_name}/{qrels_path}: questions that are not in {QUERIES_FILE}, which are left out", query_ids_without_query
    )
    return QuestionSet(
        tuple(named_texts),
        rows_to_json_lines(question_rows_with_document_ids, f"{PurePosixPath(set_name).stem}.jsonl"),
        tuple(question_set_notes),
    )


def is_path_of_beir_file(path: str) -> bool:
    """Return whether a path is one of the file paths of a BEIR question set."""
    return path in (CORPUS_FILE, QUERIES_FILE) or (path.startswith(f"{QRELS_FOLDER}/") and path.endswith(".tsv"))


def _beir_parts_of_zip(zip_bytes: bytes, file_name: str) -> dict[str, bytes]:
    """Return the parts of a set that is packed, in a folder or without one."""
    try:
        question_set_zip = zipfile.ZipFile(io.BytesIO(zip_bytes))
        archived_file_members = [member for member in question_set_zip.infolist() if not member.is_dir()]
        corpus_path = next(
            (member.filename for member in archived_file_members if PurePosixPath(member.filename).name == CORPUS_FILE), None
        )
        if corpus_path is None:
            member_names_phrase = shorten_text(", ".join(member.filename for member in archived_file_members))
            raise InputError(
                f"{file_name}: a ZIP file must contain a BEIR set with {CORPUS_FILE}; this one contains "
                f"{member_names_phrase or 'nothing'}."
            )
        folder_prefix = corpus_path.removesuffix(CORPUS_FILE)
        beir_file_members = [
            member
            for member in archived_file_members
            if member.filename.startswith(folder_prefix)
            and is_path_of_beir_file(member.filename.removeprefix(folder_prefix))
        ]
        declared_unpacked_byte_count = sum(member.file_size for member in beir_file_members)
        if declared_unpacked_byte_count > MAX_UNPACKED_BYTES:
            raise InputError(
                f"{file_name}: the file may unpack to at most {MAX_UNPACKED_BYTES:,} bytes; it unpacks to "
                f"{declared_unpacked_byte_count:,}."
            )
        for member in beir_file_members:
            _check_file_size(member.filename, member.file_size)
        return {member.filename.removeprefix(folder_prefix): question_set_zip.read(member) for member in beir_file_members}
    except (InputError, MemoryError):
        raise
    # What is wrong with a ZIP file is said with exceptions of many classes, that of a password is a RuntimeError.
    except Exception as error:
        unzip_error_reason = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
        raise InputError(
            f"{file_name}: the file must be a valid ZIP file; reading it failed: {unzip_error_reason}."
        ) from error


def _check_file_size(name: str, byte_count: int) -> None:
    if byte_count > MAX_FILE_BYTES:
        raise InputError(
            f"{name}: a file of a question set may have at most {MAX_FILE_BYTES:,} bytes; this one has {byte_count:,}."
        )


def _yield_rows_with_checked_ids(file_bytes: bytes, file_name: str) -> Iterator[tuple[str, QuestionRow]]:
    """Yield every row of JSON lines with its ``_id``, which is its own.

    Raises
    ------
    InputError
        If a line is no object, or has no ``_id`` or no ``text``, or has that of another.
    """
    _check_file_size(file_name, len(file_bytes))
    seen_ids: set[str] = set()
    file_text = decode_file(file_bytes, file_name)
    check_bracket_count(file_text, file_name)
    for row_place_phrase, row in json_line_objects(file_text):
        if isinstance(row, InputError):
            raise InputError(f"{file_name}, {row_place_phrase}: {row}")
        row_id = _parse_identifier(row.get("_id"))
        if row_id is None:
            raise InputError(f"{file_name}, {row_place_phrase}: _id must be a string; got {short_repr(row.get('_id'))}.")
        if row_id in seen_ids:
            raise InputError(
                f"{file_name}, {row_place_phrase}: every row must have a different _id; {short_repr(row_id)} appears twice."
            )
        if not isinstance(row.get("text"), str):
            raise InputError(f"{file_name}, {row_place_phrase}: text must be a string; got {short_repr(row.get('text'))}.")
        seen_ids.add(row_id)
        yield row_id, row


def _parse_identifier(value: object) -> str | None:
    """Return an identifier, which may be a whole number; None if it is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None


def _read_documents_and_textless_ids(file_bytes: bytes, file_name: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the documents, a title before its text, and the names of those without text."""
    named_texts, textless_document_ids = [], []
    for document_id, row in _yield_rows_with_checked_ids(file_bytes, file_name):
        document_title = row.get("title") or ""
        if not isinstance(document_title, str):
            raise InputError(
                f"{file_name}: the title of {short_repr(document_id)} must be a string; got {short_repr(document_title)}."
            )
        document_text = DOCUMENT_TEXT_SEPARATOR.join(part for part in (document_title.strip(), row["text"]) if part.strip())
        if document_text:
            named_texts.append((document_id, document_text))
        else:
            textless_document_ids.append(document_id)
        if len(named_texts) > MOST_DOCUMENTS:
            raise InputError(
                f"{file_name}: a question set may have at most {MOST_DOCUMENTS:,} documents; this one has more."
            )
    if not named_texts:
        raise InputError(f"{file_name}: a question set must have at least one document with text; this one has none.")
    return named_texts, textless_document_ids


def _relevance_table_path(file_bytes_by_path: Mapping[str, bytes], set_name: str, dataset_split: str | None) -> str:
    """Return the path of the table that counts."""
    path_by_split = {
        PurePosixPath(path).stem: path for path in sorted(file_bytes_by_path) if path.startswith(f"{QRELS_FOLDER}/")
    }
    if not path_by_split:
        raise InputError(f"{set_name}: a BEIR set must have a table such as {QRELS_FOLDER}/test.tsv; this one has none.")
    if dataset_split is not None and dataset_split not in path_by_split:
        raise InputError(
            f"{set_name}: the split must be one of {shorten_text(', '.join(path_by_split))}; got "
            f"{short_repr(dataset_split)}."
        )
    if dataset_split is None and _DEFAULT_DATASET_SPLIT not in path_by_split and len(path_by_split) > 1:
        raise InputError(
            f"{set_name}: one of the splits {shorten_text(', '.join(path_by_split))} must be chosen, as the default split, "
            f"{_DEFAULT_DATASET_SPLIT}, is missing."
        )
    return path_by_split[
        dataset_split or (_DEFAULT_DATASET_SPLIT if _DEFAULT_DATASET_SPLIT in path_by_split else next(iter(path_by_split)))
    ]


def _parse_relevance_table(
    table_bytes: bytes, table_name: str, known_document_ids: set[str]
) -> tuple[dict[str, list[str]], list[str]]:
    """Return the known documents that answer every question, by its name, and the unknown ones.

    Raises
    ------
    InputError
        If a row does not have a question, a document and a number, or the first one is not their names.
    """
    _check_file_size(table_name, len(table_bytes))
    relevance_table_rows = read_csv_rows_as_lists(decode_file(table_bytes, table_name), table_name, is_tab_separated=True)
    # In order, each once: a list of them would be searched for every row.
    document_ids_by_query: dict[str, dict[str, None]] = {}
    document_ids_missing_from_corpus: list[str] = []
    for line_number, relevance_row in enumerate(relevance_table_rows, start=1):
        if not relevance_row:
            continue
        if line_number == 1:
            if len(relevance_row) == 3 and not _is_number(relevance_row[2]):
                continue
            raise InputError(
                f"{table_name}, line 1: the columns must be query-id, corpus-id and score; got {short_repr(relevance_row)}."
            )
        if len(relevance_row) != 3 or not _is_number(relevance_row[2]):
            raise InputError(
                f"{table_name}, line {line_number:,}: a row must consist of a question's id, a document's id and a number; "
                "got "
                f"{short_repr(relevance_row)}."
            )
        query_id, document_id, relevance_score = relevance_row
        if float(relevance_score) <= 0:
            continue
        if document_id not in known_document_ids:
            document_ids_missing_from_corpus.append(document_id)
        else:
            document_ids_by_query.setdefault(query_id, {})[document_id] = None
    return {query: list(documents) for query, documents in document_ids_by_query.items()}, document_ids_missing_from_corpus


def _is_number(cell_text: str) -> bool:
    try:
        return float(cell_text) == float(cell_text)
    except ValueError:
        return False


def _left_out_notes(note_beginning: str, left_out_names: list[str]) -> list[str]:
    return (
        [f"{note_beginning}: {len(left_out_names):,} ({shorten_text(', '.join(left_out_names), 60)})."]
        if left_out_names
        else []
    )


def rows_to_json_lines(rows: Iterable[Mapping[str, Any]], file_name: str) -> tuple[str, bytes]:
    """Return the rows as a file of JSON lines, given by its name and its content."""
    return file_name, "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode("utf-8", "surrogatepass")


def _read_squad(articles: list[Any], file_name: str) -> QuestionSet:
    """Return the articles, the paragraphs of each as one document, with their questions.

    Raises
    ------
    InputError
        If a paragraph, a question or an answer is not as SQuAD has it.
    """
    named_texts: list[tuple[str, str]] = []
    question_rows: list[dict[str, Any]] = []
    used_titles: set[str] = set()
    unanswered_question_count = 0
    for article_number, article in enumerate(articles, start=1):
        article_place_phrase = f"{file_name}, article {article_number:,}"
        is_article_titled = isinstance(article, dict) and "title" in article
        article_title = (
            _required_text(article, "title", article_place_phrase) if is_article_titled else f"article {article_number}"
        )
        if article_title in used_titles:
            article_title = f"{article_title} ({article_number})"
        used_titles.add(article_title)
        paragraph_texts, paragraph_start_offset = [], 0
        for paragraph in _required_list(article, "paragraphs", article_place_phrase):
            paragraph_context_text = _required_text(paragraph, "context", article_place_phrase)
            for question in _required_list(paragraph, "qas", article_place_phrase):
                question_text = _required_text(question, "question", article_place_phrase)
                answer_objects_of_question = _required_list(question, "answers", article_place_phrase)
                if not answer_objects_of_question:
                    unanswered_question_count += 1
                    continue
                # The others are further people's answers to the same question.
                answer_start_in_paragraph = (
                    answer_objects_of_question[0].get("answer_start")
                    if isinstance(answer_objects_of_question[0], dict)
                    else None
                )
                if not isinstance(answer_start_in_paragraph, int):
                    raise InputError(
                        f"{article_place_phrase}: answer_start must be a whole number; got "
                        f"{short_repr(answer_start_in_paragraph)} for the question "
                        f"{short_repr(question_text)}."
                    )
                first_answer_reference = {
                    "content": _required_text(answer_objects_of_question[0], "text", article_place_phrase),
                    "start_index": paragraph_start_offset + answer_start_in_paragraph,
                }
                question_rows.append(
                    {"question": question_text, "corpus_id": article_title, "references": [first_answer_reference]}
                )
            paragraph_texts.append(paragraph_context_text)
            paragraph_start_offset += len(paragraph_context_text) + len(DOCUMENT_TEXT_SEPARATOR)
        if paragraph_texts:
            named_texts.append((article_title, DOCUMENT_TEXT_SEPARATOR.join(paragraph_texts)))
    if not question_rows:
        raise InputError(f"{file_name}: at least one question must have an answer in the text; none has one.")
    question_set_notes = [
        f"{file_name}: SQuAD's answers are a few words, and of several the first is used: recall is nearly whether it is "
        "there "
        "at all, and precision and IoU are low whatever cuts the text."
    ]
    if unanswered_question_count:
        question_set_notes.append(
            f"{file_name}: questions without an answer in the text, which are left out: {unanswered_question_count:,}."
        )
    return QuestionSet(
        tuple(named_texts),
        rows_to_json_lines(question_rows, f"{PurePosixPath(file_name).stem}.jsonl"),
        tuple(question_set_notes),
    )


def _required_text(json_object: object, key: str, place_phrase: str) -> str:
    text = json_object.get(key) if isinstance(json_object, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{place_phrase}: {key} must be a string that is not empty; got {short_repr(text)}.")
    return text


def _required_list(json_object: object, key: str, place_phrase: str) -> list[Any]:
    list_under_key = json_object.get(key) if isinstance(json_object, dict) else None
    if not isinstance(list_under_key, list):
        raise InputError(f"{place_phrase}: {key} must be a list; got {short_repr(list_under_key)}.")
    return list_under_key


# Questions whose answers the user has marked.


class MarkedQuestion(NamedTuple):
    """A question whose answer the user has marked in a text.

    Attributes
    ----------
    document
        The name of the text.
    identity
        Identity of the document, by which it is recognised later.
    start
        Offset of the answer in the text, in code points.
    answer
        Text of the answer.
    """

    question: str
    document: str
    identity: str
    start: int
    answer: str


def marked_questions_to_csv(marked_questions: Iterable[MarkedQuestion]) -> str:
    """Return the questions as CSV, with each answer as JSON in ``references`` and its document in ``corpus_id``.

    Text that a spreadsheet would read as a formula gets an apostrophe before it.
    """
    marked_question_csv_rows = (
        (question.question, json.dumps([_reference_from_marked_question(question)], ensure_ascii=False), question.document)
        for question in marked_questions
    )
    return csv_text(["question", "references", "corpus_id"], marked_question_csv_rows)


def question_set_from_user_marks(marked_questions: Iterable[MarkedQuestion], texts: Mapping[str, str]) -> QuestionSet:
    """Return a question set of the questions and the texts in which their answers are marked.

    Texts with the same name, such as pasted texts, are numbered. ``texts`` has the texts by the identities of their
    documents.
    """
    document_name_by_text: dict[str, str] = {}
    marked_question_rows = []
    for question in marked_questions:
        document_text = texts[question.identity]
        if document_text not in document_name_by_text:
            document_name_by_text[document_text] = _unused_name(question.document, document_name_by_text.values())
        marked_question_rows.append(
            {
                "question": question.question,
                "corpus_id": document_name_by_text[document_text],
                "references": [_reference_from_marked_question(question)],
            }
        )
    return QuestionSet(
        tuple((name, document_text) for document_text, name in document_name_by_text.items()),
        rows_to_json_lines(marked_question_rows, "kept-questions.jsonl"),
        (),
    )


def _reference_from_marked_question(marked_question: MarkedQuestion) -> dict[str, str | int]:
    return {
        "content": marked_question.answer,
        "start_index": marked_question.start,
        "end_index": marked_question.start + len(marked_question.answer),
    }


def _unused_name(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number behind it if others have it."""
    numbered_name_candidates = (f"{name} ({number})" for number in count(2))
    return next(candidate for candidate in chain([name], numbered_name_candidates) if candidate not in taken)
