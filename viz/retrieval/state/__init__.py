"""The state that only Retrieval has."""
