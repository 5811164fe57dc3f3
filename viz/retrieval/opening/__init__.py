"""What the Retrieval page opens with: its chunkers, and their run on the bundled documents."""
