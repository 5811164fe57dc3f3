"""Opening state of the Retrieval page: its chunkers, and their run on the bundled documents."""
