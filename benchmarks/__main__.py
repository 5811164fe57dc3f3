"""The speed of the chunkers, stage by stage and compared with other libraries."""

import sys

from benchmarks.chunking import main

if __name__ == "__main__":
    sys.exit(main())
