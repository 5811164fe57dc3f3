import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The checkout."""

if "PYTEST_XDIST_WORKER" in os.environ:
    # Tests that run beside others compute in one thread each, and so do the servers that they start: threads that share a
    # processor wait for each other more than they work. It counts from the first import of torch, NumPy or numba.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ.setdefault(name, "1")
