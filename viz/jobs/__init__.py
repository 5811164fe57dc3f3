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
    cached_sentence_vectors,
    chunk_if_quick,
    estimate_chunker_requests,
    measure_decision_times,
    reversing_change_if_quick,
    sentence_vectors,
    worked_formula_if_cached,
)
from viz.jobs.file_reading import PATIENCE_S, Converted, FileConverter, ReadingJob, read_single_text, single_file_converter
from viz.jobs.question_preview_context_jobs import (
    AskJob,
    ChangedCuts,
    ColumnInquiry,
    ContextSentencesJob,
    contexts_digest,
    estimate_context_sentence_requests,
    token_ruler_of,
)
from viz.jobs.shared_resources import (
    CACHED_EMBEDDINGS_WATCHER,
    MOST_CACHED_BYTES,
    ShownTextMarker,
    build_tools,
    cached_while_shown,
    call_when_text_gone,
    collect_garbage,
    disk_answer_cache,
    disk_text_store,
    embedder_cache_key,
    embedding_cache,
    forget_gone_texts,
    return_freed_memory,
    run_store,
    split_document,
)
from viz.jobs.worked_formula import decision_in_words, vector_symbol
