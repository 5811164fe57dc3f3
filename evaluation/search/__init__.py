"""Search in the chunks of a corpus: by embeddings, by words, and with a cross-encoder."""

from evaluation.search.index import (
    QUERIES_PER_BLOCK,
    Index,
    Indexed,
    PreparedQuestions,
    Search,
    build_index_of_corpus_chunks,
    cut_and_index_corpus,
    embed_texts,
    search_for_all_questions,
)
from evaluation.search.near_duplicates import (
    NEAR_DUPLICATE_SIMILARITY,
    SHINGLE_WORDS,
    find_near_duplicate_texts,
    find_repeated_word_runs,
)
from evaluation.search.ranking import (
    MOST_RERANKED_CHUNKS,
    PRODUCT_TOLERANCE,
    SEARCH_METHODS,
    Bm25,
    Ranking,
    Reranker,
    SearchMethod,
    checked_search_method,
    reorder_first_chunks,
)
from evaluation.search.text_returned_for_chunks import (
    RETURN_CHUNK_ITSELF,
    ReturnedText,
    ReturnedTextKind,
    copy_index_with_returned_text,
    sectionless_documents_note,
)
