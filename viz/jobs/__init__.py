"""Background jobs: chunking, reading, sweeps, retrieval runs, timing. Nothing here draws."""

from viz.jobs.background_jobs import (
    MOST_KEPT,
    BackgroundJob,
    Estimating,
    KeptJob,
    RequestCounter,
    SessionRuns,
    new_token,
    run_job_to_file,
    run_registry,
)
from viz.jobs.chunking import (
    ChunkingJob,
    ChunkingTask,
    DecisionTimes,
    cached_sentence_vectors,
    chunk_at_once,
    estimate_chunker_requests,
    sentence_vectors,
    time_decisions,
    tipping_at_once,
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
from viz.jobs.file_reading import PATIENCE_S, Converted, FileConverter, ReadingJob, read_single_text, single_file_maker
from viz.jobs.shared_resources import (
    CACHED_BYTES,
    CACHED_ONLY,
    ShownTextMarker,
    answers_on_disk,
    build_tools,
    cached_while_shown,
    collect_garbage,
    embedding_cache,
    forget_gone_texts,
    notebook_store,
    on_text_gone,
    return_freed_memory,
    run_store,
    split_document,
)
from viz.jobs.worked_formula import decision_in_words, vector_name
