"""Session state of the Retrieval page."""
