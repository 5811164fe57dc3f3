"""Background jobs: chunking, reading, sweeps, retrieval runs, timing. Nothing here draws."""
