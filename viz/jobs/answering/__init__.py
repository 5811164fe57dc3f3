"""Background jobs of the Answers page: retrieving chunks, answering, judging."""
