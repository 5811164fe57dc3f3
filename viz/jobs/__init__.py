"""Background threads: chunking, reading, sweeps, retrieval runs, timing. Draws nothing."""
