"""Every limit on what is read and kept, with its value and its reason; error messages name both."""

MAX_BYTES = 20_000_000
"""Bytes of a document's file, and characters of its text: 20 MB, as the page's upload counts them. The slowest chunkers that
still answer take a few seconds for so much."""

MAX_UNPACKED = 200_000_000
"""Bytes that a DOCX or EPUB may have when unpacked, pictures included: ten times the largest document. One part of it, as a
chapter, may have `MAX_BYTES`, like any document."""

MAX_DEPTH = 500
"""Nesting depth of HTML elements; browsers stop at 512."""

READ_SECONDS = 20
"""The longest that a file may be read, by the clock: what takes longer is a bomb, or better cut into parts."""

READ_MEMORY = 1_000_000_000
"""Bytes of memory that a process reading a file may use; the largest HTML that is no bomb needs about half of it."""

READERS = 2
"""Processes that read files at the same time, for all sessions together; further files wait."""

SHARED_CACHE_BYTES = 256_000_000
"""Bytes of the vectors that `chunkers.chunk` keeps for its next calls: some 160,000 sentences of 384 dimensions."""

MAX_IDLE_MEMORY = 150_000_000
"""Bytes of memory up to which a process is kept for the next file; a larger one is replaced."""
