"""Background jobs: chunking, reading, sweeps, retrieval runs, timing. Nothing here draws."""

from viz.jobs.background_jobs import (
    MOST_STORED_RUNS,
    BackgroundJob,
    Estimating,
    RequestCounter,
    SessionRuns,
    StoredRunJob,
    new_run_token,
    run_registry,
)
from viz.jobs.chunking import (
    ChunkingJob,
    ChunkingTask,
    DecisionTimes,
    cached_sentence_vectors_or_none,
    cached_sentence_vectors_or_raise,
    chunk_if_quick,
    estimate_chunker_requests,
    measure_decision_times,
    reversing_change_if_quick,
    worked_formula_if_embeddings_cached,
)
from viz.jobs.file_reading import (
    PATIENCE_S,
    Converted,
    FileConverter,
    ReadingJob,
    converter_from_single_file_function,
    read_text_of_first_file,
)
from viz.jobs.formula_with_values import decision_in_words, vector_symbol
from viz.jobs.question_preview_context_jobs import (
    ChangedCuts,
    ColumnInquiry,
    ContextSentencesJob,
    QuestionRetrievalJob,
    contexts_digest,
    estimate_context_sentence_requests,
    token_ruler_of_document,
)
from viz.jobs.shared_resources import (
    MOST_CACHED_BYTES,
    ONLY_CACHED_EMBEDDINGS_WATCHER,
    ShownTextMarker,
    build_tools,
    cached_while_shown,
    collect_garbage,
    disk_answer_cache,
    disk_text_store,
    drop_values_of_gone_texts,
    embedder_part_of_cache_key,
    embedding_cache,
    register_text_gone_callback,
    return_freed_memory,
    run_store,
    split_document,
)
