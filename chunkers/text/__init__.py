"""From bytes to sentences and tokens: reading files, splitting into sentences, counting tokens."""

from chunkers.text.blocks_and_headings import (
    BLOCK_KIND_BY_TOKEN_TYPE,
    BLOCK_KINDS_KEPT_WHOLE,
    BLOCK_KINDS_WITHOUT_SENTENCES,
    Block,
    Heading,
    Outline,
    check_markdown_mark_count,
    clear_outline_caches,
    heading_path,
    headings,
    parse_block_outline,
)
from chunkers.text.bundled_model import FILE_HASHES, HUB_NAME, WEIGHTS_HASH, checked_model_folder, model_folder
from chunkers.text.code_syntax import (
    CODE_FILE_ENDINGS,
    GRAMMARS,
    CodeBreak,
    DetectedLanguage,
    Syntax,
    detect_programming_language,
    load_grammar,
    paragraph_breaks,
)
from chunkers.text.document import Document, GivenSentences, Span, check_is_unicode_string, paragraph_first_sentence_indices
from chunkers.text.encodings import ENCODING_CHOICES, canonical_encoding, decode_as_chosen_or_detected, decode_if_plain_utf_8
from chunkers.text.extracted_text import LONGEST_LABEL, Omission, PartKind, TextParts, shorten, too_large_error
from chunkers.text.file_reading import (
    FORMATS_WITH_ENCODING_CHOICE,
    READABLE_ENDINGS,
    READABLE_FORMATS_PHRASE,
    FileText,
    document_format_of_name,
    omissions_sentence,
    read_document_text,
)
from chunkers.text.language_detection import LANGUAGE_NAME_BY_CODE, detect_language, is_latin_script_language
from chunkers.text.quotation_search import (
    CONTEXT_CHARACTERS,
    MIN_ALTERED_SIMILARITY,
    MIN_NEAREST_SIMILARITY,
    MOST_CHARACTER_COMPARISONS,
    SHORTEST_ALTERED_EXCERPT,
    ComparisonBudget,
    Match,
    MatchKind,
    Quotation,
    SearchableText,
    drop_spaces_and_simplify_signs,
    max_edit_distance,
    surrounding_text,
)
from chunkers.text.reader_process import run_parser_in_reader_process
from chunkers.text.sentences import (
    DEFAULT_SPLITTER,
    GIVEN_SPLITTER,
    SPLITTER_DESCRIPTIONS,
    SplitterName,
    check_spacy_length,
    is_splitter_name,
    load_named_spacy_pipeline,
    packages_of_splitter,
    preload_splitter,
    split_into_sentence_spans,
    tokenize_with_spacy,
)
from chunkers.text.splitter_and_model_misfits import Misfit, SuggestedSetting, clear_misfit_caches, misfit_warnings
from chunkers.text.spreadsheets import check_column_count, check_row_count, csv_reader_with_separator, find_csv_separator
from chunkers.text.tokenizers import (
    BYTE_PAIR_TABLE_URLS,
    TOKENIZER_DESCRIPTIONS,
    Tokenizer,
    WordPieceTokenizer,
    is_tokenizer_on_disk,
    load_bundled_word_piece_tokenizer,
    load_tokenizer,
    non_space_character_mask,
    unknown_word_piece_lengths,
    word_starts,
)
from chunkers.text.transcripts import Transcript, Turn
