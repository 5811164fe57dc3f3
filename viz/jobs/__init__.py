"""Background jobs: chunking, reading, sweeps, retrieval runs, timing. Nothing here draws."""

from viz.jobs.background_jobs import (
    MOST_KEPT_RUNS,
    BackgroundJob,
    Estimating,
    KeptJob,
    RequestCounter,
    SessionRuns,
    new_token,
    run_registry,
)
from viz.jobs.chunking import (
    ChunkingJob,
    ChunkingTask,
    DecisionTimes,
    cached_sentence_vectors,
    chunk_at_once,
    estimate_chunker_requests,
    reversing_change_at_once,
    sentence_vectors,
    time_decisions,
    worked_formula_at_once,
)
from viz.jobs.column_jobs import (
    AskJob,
    ChangedCuts,
    ColumnInquiry,
    ContextSentencesJob,
    contexts_digest,
    estimate_contexts,
    token_ruler_of,
)
from viz.jobs.file_reading import PATIENCE_S, Converted, FileConverter, ReadingJob, read_single_text, single_file_converter
from viz.jobs.shared_resources import (
    CACHED_BYTES,
    CACHED_ONLY,
    ShownTextMarker,
    build_tools,
    cached_while_shown,
    call_when_text_gone,
    collect_garbage,
    disk_answer_cache,
    embedder_key,
    embedding_cache,
    forget_gone_texts,
    notebook_store,
    return_freed_memory,
    run_store,
    split_document,
)
from viz.jobs.worked_formula import decision_in_words, vector_symbol
