"""Every limit on what is read, with its value and its reason; a sentence that refuses something names both."""

MAX_BYTES = 20_000_000
"""Of a document's file, and characters of its text: 20 MB, as the page's upload counts them. The slowest chunkers that
still answer take a few seconds for so much."""

MAX_UNPACKED = 200_000_000
"""Bytes that a DOCX or EPUB may have when unpacked, pictures included: ten times the largest document. One part of it, as a
chapter, may have `MAX_BYTES`, like any document."""

MAX_DEPTH = 500
"""Elements of HTML within each other; browsers stop nesting at 512."""

READ_SECONDS = 20
"""The longest that a file may be read, by the clock: what takes longer is a bomb, or better cut into parts."""

READ_MEMORY = 1_000_000_000
"""Bytes of memory that the process which reads a file may hold; the largest HTML that is no bomb needs about half of it."""

READERS = 2
"""Processes that read files at the same time, of all sessions together; others wait."""

MAX_IDLE_MEMORY = 150_000_000
"""Bytes of memory with which a process that has read a file is kept for the next one; another begins anew."""
