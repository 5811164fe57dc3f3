"""Work in threads of its own: chunking, sweeps, retrieval runs, timing. Draws nothing."""
