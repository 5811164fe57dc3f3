"""Background jobs of the Answers page: gathering chunks, answering, judging."""
