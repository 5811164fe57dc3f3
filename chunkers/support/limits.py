"""The limits on input and on the work of chunkers; docs/limits.md lists all limits with their messages."""

MAX_FILE_BYTES = 20_000_000
"""Maximum number of bytes of a document's file, and characters of its text: 20 MB, as the page's upload counts them. The
slowest chunkers that still answer take a few seconds for so much.
"""

MAX_UNPACKED_BYTES = 200_000_000
"""Maximum number of bytes that a DOCX, EPUB, XLSX or PPTX may have when unpacked, pictures included: ten times the
largest document. One part of it, as a chapter, may have `MAX_FILE_BYTES`, like any document.
"""

MAX_HTML_NESTING_DEPTH = 500
"""Nesting depth of HTML elements; browsers stop at 512."""

MOST_READING_SECONDS = 20
"""The longest that a file may be read, by the clock: what takes longer is a bomb, or better cut into parts."""

MOST_READER_MEMORY_BYTES = 1_000_000_000
"""Bytes of memory that a process reading a file may use; the largest HTML that is no bomb needs about half of it."""

MOST_TABLE_ROWS = 1_000_000
"""Maximum number of rows of a table, or items of a list, in a file of JSON, JSON lines, CSV or Parquet: as many as a text
may have chunks.
"""

MOST_TABLE_COLUMNS = 1_000
"""Maximum number of columns of a table in CSV or Parquet."""

MOST_FILE_TEXT_CHARACTERS = 60_000_000
"""Maximum number of characters of all texts that come out of such a file: three times the largest document, for chunks that
overlap.
"""

MOST_JSON_BRACKETS = 3_000_000
"""Maximum number of lists and objects in JSON, brackets in its strings counted too: each takes some 100 bytes of memory or
more, a list of nothing as well.
"""

LONGEST_RECIPE_CHARACTERS = 100_000
"""Maximum number of characters of a recipe's JSON."""

MOST_READER_PROCESSES = 2
"""Processes that read files at the same time, for all sessions together; further files wait."""

MAX_CACHE_FILE_BYTES = 2_000_000_000
"""Maximum number of bytes of the file that keeps embeddings on disk: over a million sentences of 384 dimensions."""

SHARED_CACHE_BYTES = 256_000_000
"""Bytes of the vectors that `chunkers.chunk` keeps for its next calls: some 160,000 sentences of 384 dimensions."""

MOST_SPENT_TOKENS = 1_000_000
"""Maximum number of tokens that asking a language model may take in all, unless the user sets another limit."""

SHARED_ANSWERS_BYTES = 32_000_000
"""Bytes of the answers of language models that are kept in memory: some 100,000 short ones."""

MAX_IDLE_READER_MEMORY_BYTES = 150_000_000
"""Maximum number of bytes of memory of a process that is kept for the next file; a larger one is replaced."""

MOST_CHANGE_POINT_STEPS = 4_000_000_000
"""Sentences² × chunks of `change_point` for a number of chunks: steps of the exact search, at most 10 seconds. Where it cuts
at paragraphs, these are counted instead."""

MOST_CHANGE_POINT_PRODUCTS = 180_000_000_000
"""Maximum number of products of two numbers that the exact search of `change_point` may need, comparisons of places ×
dimensions of the vectors: at most some 10 seconds. For a number of chunks these are half of sentences² × dimensions; for a
penalty most comparisons are left out, and 60,000 sentences of one subject need up to 80,000,000,000.
"""

MOST_MAX_MIN_PRODUCTS = 180_000_000_000
"""Maximum number of products of two numbers by which `max_min` may compare sentences with all of their chunk: at most some
10 seconds, and enough for one chunk of 30,000 sentences in 384 dimensions.
"""

MOST_CLUSTERING_WORK = 220_000_000
"""Maximum of sentences × (clusters + 25) × dimensions of `kmeans`: 20,000 sentences for 3 clusters in 384
dimensions, or 740 for as many, at most 20 seconds of the processor for sentences without any clusters.
"""

MOST_OPTIMAL_PIECE_RUNS = 100_000_000
"""Maximum of pieces × pieces per chunk in `optimal`, the number of runs that it weighs: 800 MB, and some 5 seconds."""

MAX_SENTENCES = 1_000_000
"""Maximum number of sentences of a text: about 1 kB of memory each, with their decisions. 20 MB of prose have some 250,000.
"""

MOST_VECTOR_NUMBERS = 400_000_000
"""Maximum of texts × dimensions of the vectors that a chunker is given at once: 1.6 GB. A million sentences have
384,000,000 of the bundled model's.
"""

MOST_MARKDOWN_MARKS = 500_000
"""Maximum number of lines, cells of tables, items of lists and marks of quotations of a text whose blocks are looked for:
at most some 15 seconds. 20 MB of prose in lines of 80 characters have half of it.
"""

MAX_PARAGRAPH_CHARACTERS = 25_000_000
"""Maximum number of characters of a paragraph, or of a text to embed, that spaCy is given at once."""

MOST_CHUNKS = 1_000_000
"""Maximum number of chunks of a text: 300 bytes of memory each, besides their text."""

MOST_TOTAL_CHUNK_CHARACTERS = 200_000_000
"""Maximum number of characters of all chunks of a text together, what overlapping chunks repeat included: ten times the
largest document.
"""

MOST_TOTAL_EMBEDDED_GROUP_CHARACTERS = 500_000_000
"""Maximum number of characters of all groups that `double_pass` embeds anew, each counted whenever it is compared: some 10
seconds beside the model's own time, for the groups grow with every sentence that joins them.
"""
