"""Chunks against known boundaries: measures, grids and sweeps, stitched documents, marked texts."""
