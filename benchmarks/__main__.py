"""Measure what can be measured without a browser."""

import sys

from benchmarks.chunking import main

if __name__ == "__main__":
    sys.exit(main())
