"""The Retrieval page."""
